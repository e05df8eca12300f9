"""Variances of ordinary columns by default, beside mechanisms that one would choose by hand.

    python benchmarks/ordinary_spreads.py [--rows 30,100,300] [--epsilons 1] [--repeats 40]
    python benchmarks/ordinary_spreads.py --relation edit --columns ages,flags --times 1,10

Bounds are those that one would declare for such a column, and some times as wide. "default" is the
mean of |release - truth| over simulated releases, beside the exact expected error of
``TightOrLoose()`` and ``PiecewiseLaplace()`` in the declared bounds, all over the variance (over
that of the bounds where all records are equal). "near 0": the part of the releases below a tenth
of the variance.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.testing import simulate

Column = tuple[Callable[[np.random.Generator, int], NDArray[Any]], tuple[float, float]]


def flags(share: float) -> Column:
    return lambda rng, n: (rng.random(n) < share) * 1.0, (0, 1)


def pays(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.round(rng.lognormal(10.5, 0.6, n))


def outlier(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.append(rng.normal(0, 1, n - 1), 100.0)


COLUMNS: dict[str, Column] = {
    "flags, .05": flags(0.05),
    "flags, .2": flags(0.2),
    "flags, .5": flags(0.5),
    "flags of integers": (lambda rng, n: rng.integers(0, 2, n), (0, 1)),
    "0 or 100": (lambda rng, n: 100.0 * (rng.random(n) < 0.3), (0, 100)),
    "Likert": (lambda rng, n: np.rint(rng.normal(3.4, 1.1, n)), (1, 5)),
    "Likert of integers": (lambda rng, n: np.rint(rng.normal(3.4, 1.1, n)).astype(int), (1, 5)),
    "ages": (lambda rng, n: np.rint(rng.normal(45, 18, n)), (18, 95)),
    "ages of integers": (lambda rng, n: np.rint(rng.normal(40, 18, n)).astype(int), (0, 120)),
    "percentages": (lambda rng, n: 100 * rng.beta(4, 2, n), (0, 100)),
    "counts": (lambda rng, n: rng.poisson(4, n).astype(int), (0, 20)),
    "pays": (pays, (0, 250_000)),
    "normal": (lambda rng, n: rng.normal(0, 1, n), (-4, 4)),
    "two clusters": (lambda rng, n: rng.normal(np.where(rng.random(n) < 0.5, 10, 90), 3), (0, 100)),
    "all equal": (lambda rng, n: np.full(n, 7.0), (0, 20)),
    "one outlier": (outlier, (-130, 130)),
}
BESIDE = {"TightOrLoose": ln.TightOrLoose(), "PiecewiseLaplace": ln.PiecewiseLaplace()}
NEAR = 0.1


def wider(bounds: tuple[float, float], times: float) -> tuple[float, float]:
    """Bounds that begin at the same number if that is not below 0, so many times as wide."""
    low, high = bounds
    return (low, low + (high - low) * times) if low >= 0 else (low * times, high * times)


def geometric(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--relation", default="replace-one,edit")
    parser.add_argument("--rows", default="30,100,300,1000,10000")
    parser.add_argument("--epsilons", default="1")
    parser.add_argument("--times", default="1,1.3,10,1e3,1e9")
    parser.add_argument("--columns", default="all", help="beginnings of names")
    options = parser.parse_args()
    setting = ["relation", "rows", "epsilon", "times"]
    heads = ["column", *setting, "default", "median", "near 0", *BESIDE]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    chosen = tuple("" if c == "all" else c for c in options.columns.split(","))
    found: dict[tuple[str, int, str, str], list[tuple[float, float, float]]] = {}
    lists = (options.relation, options.rows, options.epsilons, options.times)
    for relation, rows, epsilon, times in product(*(one.split(",") for one in lists)):
        for name, (make, bounds) in COLUMNS.items():
            if not name.startswith(chosen):
                continue
            n = int(rows)
            x = np.clip(make(np.random.default_rng(n), n), *bounds)
            low, high = wider(bounds, float(times))
            truth, unit = x.var(), x.var() or (bounds[1] - bounds[0]) ** 2 / 4
            asked = ln.Variance(bounds=(low, high), missing="none")
            with simulate(f"{name} {relation} {rows} {epsilon} {times}"):
                draws = [
                    ln.release(asked, x, epsilon=epsilon, relation=relation).value
                    for _ in range(options.repeats)
                ]
            p = ln.profile(asked, x, relation=relation)
            errors = np.abs(np.array(draws) - truth) / unit
            beside = [
                float(by.law(p, epsilon).mean_absolute_error(centre=p.value)) / unit
                for by in BESIDE.values()
            ]
            near = float(np.mean(np.array(draws) < NEAR * truth))
            cell = (float(errors.mean()), float(np.median(errors)), near)
            if truth:  # of nothing but one number any answer near 0 will do
                part = found.setdefault((relation, n, epsilon, times), [])
                part.append((cell[0] / min(beside), near, cell[0]))
            shown = [*cell, *beside]
            print(
                f"| {name} | {relation} | {rows} | {epsilon} | {times} | "
                + " | ".join(f"{e:.3g}" for e in shown)
                + " |",
                flush=True,
            )
    print("\nGeometric means, the worst default over the better of both, and the mean near 0:\n")
    heads = [*setting, "default", "over the better", "worst", "near 0"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for (relation, n, epsilon, times), cells in found.items():
        ratios = [ratio for ratio, _, _ in cells]
        near = sum(near for _, near, _ in cells) / len(cells)
        error = geometric([one for _, _, one in cells])
        print(
            f"| {relation} | {n} | {epsilon} | {times} | {error:.3g} | {geometric(ratios):.3g} |"
            f" {max(ratios):.3g} | {near:.2f} |"
        )


if __name__ == "__main__":
    main()
