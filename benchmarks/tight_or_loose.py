"""Exact expected errors of a variance by every mechanism, from tight to loose bounds.

    python benchmarks/tight_or_loose.py [--rows 1000 10000] [--epsilons 0.1 1 4] [--relation ...]

Shapes beyond those that the default was chosen on are marked "new". Nothing is simulated but the
data. The last columns are the error of the default over the smallest of Laplace and the asymmetric
walk, and over the smallest of all.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

import leastnoise as ln

WALK = ln.AsymmetricSensitivity(beta="auto", split=2)
OTHERS = {
    "Laplace": ln.Laplace(),
    "piecewise": ln.PiecewiseLaplace(),
    "log": ln.PiecewiseLaplace(base="log"),
    "walk": WALK,
}


def shapes(n: int) -> Iterator[tuple[str, Any, tuple[int, int]]]:
    """Name, records and bounds."""
    rng = np.random.default_rng(n)
    yield "uniform", rng.uniform(0, 100, n), (0, 100)
    for width in (100, 400, 10_000, 10**6):
        yield "normal, sd 10", rng.normal(width / 2, 10, n), (0, width)
    for width in (50, 100, 400, 10_000):
        yield "exponential, mean 10", rng.exponential(10, n), (0, width)
    for width in (500_000, 5_000_000, 10**9):
        yield "log-normal pay", np.exp(rng.normal(10.5, 0.8, n)), (0, width)
    yield "Pareto 1.5", rng.pareto(1.5, n), (0, 1000)
    yield (
        "two humps at the ends",
        np.where(rng.random(n) < 0.5, 10, 90) + rng.normal(0, 3, n),
        (
            0,
            100,
        ),
    )
    for share in (0.5, 0.1, 0.01):
        yield f"0 or 100, {share:g} are 100", 100.0 * (rng.random(n) < share), (0, 100)
    yield "45 or 55", np.where(rng.random(n) < 0.5, 45.0, 55.0), (0, 100)
    yield "all equal", np.full(n, 30.0), (0, 100)
    yield "new: t with 3 degrees", 50 + 8 * rng.standard_t(3, n), (0, 100)
    yield "new: beta(2, 5)", 100 * rng.beta(2, 5, n), (0, 100)
    yield "new: gamma 0.5", 20 * rng.gamma(0.5, 1, n), (0, 200)
    yield "new: ages", np.clip(np.rint(rng.normal(40, 18, n)), 0, 110), (0, 120)
    yield "new: 2 % far away", np.where(rng.random(n) < 0.02, 950, rng.normal(50, 10, n)), (0, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 10_000, 100_000])
    parser.add_argument("--epsilons", nargs="*", default=["0.1", "1", "4"])
    parser.add_argument("--relation", default="replace-one")
    options = parser.parse_args()
    default = ln.Variance(bounds=(0, 1)).settled_mechanism(options.relation)
    heads = ["rows", "data", "upper bound", "epsilon", *OTHERS, "default", "/ both", "/ all"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    found: list[tuple[float, float]] = []
    for n in options.rows:
        for name, x, bounds in shapes(n):
            statistic = ln.Variance(bounds=bounds)
            p = ln.profile(statistic, x, relation=options.relation, missing="none")
            for epsilon in options.epsilons:
                errors = {
                    key: by.law(p, epsilon).mean_absolute_error(centre=p.value)
                    for key, by in {**OTHERS, "default": default}.items()
                }
                ours = errors["default"]
                both = ours / min(errors["Laplace"], errors["walk"])
                whole = ours / min(errors[key] for key in OTHERS)
                found.append((both, whole))
                cells = " | ".join(f"{e:.3g}" for e in errors.values())
                print(
                    f"| {n} | {name} | {bounds[1]:g} | {epsilon} | {cells} | {both:.2f} |"
                    f" {whole:.2f} |",
                    flush=True,
                )
    ratios = np.array(found)
    for title, column in (("Laplace and the walk", 0), ("all four", 1)):
        r = ratios[:, column]
        print(
            f"\ndefault / best of {title}: geometric mean {np.exp(np.log(r).mean()):.3f}, "
            f"at most 1.1 in {np.mean(r <= 1.1):.0%}, at most 1.5 in {np.mean(r <= 1.5):.0%}, "
            f"largest {r.max():.2f}"
        )


if __name__ == "__main__":
    main()
