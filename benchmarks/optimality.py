"""How near each mechanism comes to the least possible error: exact, nothing is drawn.

    python benchmarks/optimality.py                           synthetic data
    python benchmarks/optimality.py FILE.csv.gz COLUMN LOW HIGH   a column of a public file
    python benchmarks/optimality.py ... --rows 2000           of its first rows only

For the median, the 0.9-quantile, the variance and the mean squared error of a public model (the
column's mean over the rows that are left out) the table gives the local minimax risk of the
absolute error and every mechanism's exact expected error in units of it, with the papers' bounds,
R_f and the asymmetry of Definition C.1. Relation replace-one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise import theory
from leastnoise.mechanisms import Mechanism
from leastnoise.theory.optimality import MECHANISMS as MEASURED

MECHANISMS: tuple[Mechanism, ...] = (
    ln.Laplace(),
    ln.SmoothLaplace(delta="1e-6"),
    *MEASURED[1:],
)


def column(path: Path, name: str) -> np.ndarray:
    import csv
    import gzip

    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig") as file:
        return np.array([float(row[name]) for row in csv.DictReader(file)])


def profiles(values: np.ndarray, low: float, high: float) -> dict[str, ln.Profile]:
    bounds = (low, high)
    half = len(values) // 2
    guess = np.full(half, values[half:].mean())  # a model made of rows that are not scored
    data = {
        "median": (ln.Median(bounds=bounds), values),
        "0.9-quantile": (ln.Quantile(q="0.9", bounds=bounds), values),
        "variance": (ln.Variance(bounds=bounds), values),
        "MSE": (ln.MeanSquaredError(bounds=bounds), (values[:half], guess)),
    }
    return {
        name: ln.profile(statistic, given, missing="none")
        for name, (statistic, given) in data.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="*", help="FILE COLUMN LOW HIGH")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--epsilon", nargs="*", default=["0.1", "1"])
    asked = parser.parse_args()
    if asked.source:
        file, name, low, high = asked.source
        values = column(Path(file), name)[: asked.rows]
        ends = float(low), float(high)
    else:
        name, ends = "exponential quantiles, mean 10", (0.0, 100.0)
        places = (np.arange(1, asked.rows + 1) - 0.5) / asked.rows
        values = np.random.default_rng(0).permutation(-10 * np.log(1 - places))
    found = profiles(values, *ends)
    print(f"{name}, {len(values):,} rows, range {ends[0]:g} to {ends[1]:g}\n")
    names = [m.name for m in MECHANISMS]
    print(
        "| statistic | epsilon | minimax risk | from below | from above | R_f | asymmetry | ",
        end="",
    )
    print(" | ".join(names) + " |\n|---|" + "---:|" * (6 + len(names)))
    for statistic, profile in found.items():
        for epsilon in asked.epsilon:
            at = theory.optimality(profile, epsilon, MECHANISMS)
            numbers = [at.minimax, at.lower, at.upper, at.growth, at.asymmetry]
            cells = [format(number, ".3g") for number in numbers]
            cells += ["-" if r is None else format(r, ".3g") for r in at.ratios.values()]
            print(f"| {statistic} | {epsilon} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
