"""Errors of private correlations, beside those of the nearest covariance matrix and of zeros.

    python benchmarks/correlations.py [--draws 30]

Six columns of an imagined survey in bounds that fit, epsilon 1: the root of the mean squared error
over all pairs of columns and all draws. "nearest" is the correlation matrix of the released
``Covariance``, which is the nearest positive semidefinite one to the noisy moments.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.testing import simulate

BOUNDS = {
    "age": (0, 120),
    "pay": (0, 500_000),
    "flag": (0, 1),
    "rating": (1, 5),
    "claims": (0, 10_000),
    "score": (0, 6),
}
Floats = NDArray[np.float64]


def survey(n: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Columns of n people, some of them correlated; most have no claims."""
    age = rng.integers(18, 90, n).astype(float)
    flag = (rng.random(n) < 0.2).astype(float)
    rating = np.clip(np.round(3 + rng.normal(size=n) + flag), 1, 5)
    return {
        "age": age,
        "pay": rng.lognormal(10.3, 0.5, n) + 300 * age,
        "flag": flag,
        "rating": rating,
        "claims": np.where(rng.random(n) < 0.8, 0, rng.lognormal(5, 1, n)),
        "score": np.clip(rating + rng.normal(0, 0.2, n), 0, 6),
    }


def of_covariance(matrix: Floats) -> Floats:
    """The correlations of a covariance matrix: 0 where a variance is 0."""
    deviations = np.sqrt(np.maximum(np.diag(matrix), 0))
    scale = np.outer(deviations, deviations)
    return np.divide(matrix, scale, out=np.zeros_like(matrix), where=scale > 0)


def errors(n: int, draws: int, names: list[str]) -> tuple[float, float, float]:
    """Root mean squared errors of ``Correlation``, of the nearest covariance, and of zeros."""
    data = survey(n, np.random.default_rng(n))
    bounds = [BOUNDS[name] for name in names]
    table = {name: data[name].tolist() for name in names}
    pairs = np.triu_indices(len(names), 1)
    truth = np.corrcoef([data[name] for name in names])[pairs]
    ours: list[Floats] = []
    nearest: list[Floats] = []
    for seed in range(draws):
        with simulate(seed):
            value = ln.release(ln.Correlation(names, bounds=bounds), table, epsilon=1).value
        with simulate(seed):
            matrix = ln.release(ln.Covariance(names, bounds=bounds), table, epsilon=1).value
        ours.append(np.array(value)[pairs])
        nearest.append(of_covariance(np.array(matrix))[pairs])
    roots = [float(np.sqrt(np.mean((np.array(x) - truth) ** 2))) for x in (ours, nearest)]
    return roots[0], roots[1], float(np.sqrt(np.mean(truth**2)))


def main() -> None:
    """One line a number of rows and a choice of columns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=30)
    draws = parser.parse_args().draws
    print(f"{'rows':>6}  {'columns':<28} {'Correlation':>11} {'nearest':>8} {'zeros':>6}")
    for names in (["age", "pay"], ["rating", "score"], ["claims", "pay"], list(BOUNDS)):
        for n in (200, 1_000, 5_000, 20_000):
            ours, nearest, zeros = errors(n, draws, names)
            label = ", ".join(names) if len(names) == 2 else "all six"
            print(f"{n:6}  {label:<28} {ours:11.3f} {nearest:8.3f} {zeros:6.3f}", flush=True)


if __name__ == "__main__":
    main()
