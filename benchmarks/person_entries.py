"""Different entries of persons, beside the best limit of entries and beside noise for all rows.

    python benchmarks/person_entries.py [--releases 60]

Errors are means over releases of |answer - number of different entries|, with the number of rows of
a person not declared, as ratios to the expected error with the best limit on the entries of a
person, which takes the data to know and gets all of epsilon. "rows" is the same ratio for noise
that hides as many entries as the person of most rows has rows, if that is known.
"""

from __future__ import annotations

import argparse
from itertools import product
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.mechanisms.row_limits import LIMITS
from leastnoise.testing import simulate

RNG_SEED = 11
ROWS = ("1 to 5", "about 100", "Zipf, 500", "lognormal")
COLUMNS = ("7 labels", "500 labels", "500 by Zipf", "20,000 by Zipf", "all different")


def rows_of(kind: str, persons: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How many rows each person has."""
    if kind == "1 to 5":
        return rng.integers(1, 6, persons)
    if kind == "about 100":
        return rng.integers(80, 120, persons)
    if kind == "Zipf, 500":
        return np.minimum(rng.zipf(1.7, persons), 500)
    return np.maximum(1, np.round(rng.lognormal(1, 1, persons))).astype(np.int64)


def column(kind: str, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The entries of all rows."""
    if kind == "all different":
        return np.arange(n)
    many = int(kind.split()[0].replace(",", ""))
    chances = 1 / np.arange(1, many + 1) ** (1 if "Zipf" in kind else 0)
    return rng.choice(many, n, p=chances / chances.sum())


def ratios(
    persons: int, rows: str, kind: str, epsilon: str, relation: str, releases: int
) -> tuple[float, float]:
    """Our error and that of noise for all rows, as ratios to the best limit."""
    rng = np.random.default_rng(RNG_SEED)
    sizes = rows_of(rows, persons, rng)
    data = {"who": np.repeat(np.arange(persons), sizes), "x": column(kind, int(sizes.sum()), rng)}
    held = open_table(data).person_entries("x", "who")
    truth, most, scale = len(np.unique(data["x"])), int(sizes.max()), 1 / float(epsilon)

    def expected(limit: int) -> float:
        bias, noise = truth - held.counted(limit), limit * scale
        return bias + noise * exp(-bias / noise)

    best = min(expected(limit) for limit in {most, *(one for one in LIMITS if one < most)})
    values: list[float] = []
    with ln.open(data, unit="who", max_rows=ln.PrivateLimit(), relation=relation) as opened:
        for seed in range(releases):
            with simulate(str(seed)):
                made: Any = opened.release(ln.CountDistinct("x"), epsilon=epsilon)
            values.append(made.value)
    return float(np.mean(np.abs(np.array(values) - truth))) / best, most * scale / best


def main() -> None:
    """Print every cell, and the geometric means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=60)
    releases: int = parser.parse_args().releases
    print("| relation | persons | rows of one | column | epsilon | ours | rows |")
    print("|---|---:|---|---|---:|---:|---:|")
    for relation in ("add-remove", "replace-one"):
        found: list[tuple[float, float]] = []
        for persons, rows, kind, epsilon in product(
            (300, 1000, 3000), ROWS, COLUMNS, ("0.5", "1", "4")
        ):
            if persons == 3000 and rows == "about 100":
                continue
            cell = ratios(persons, rows, kind, epsilon, relation, releases)
            found.append(cell)
            shown = f"{cell[0]:.2f} | {cell[1]:.1f}"
            print(f"| {relation} | {persons} | {rows} | {kind} | {epsilon} | {shown} |", flush=True)
        ours, noise = (np.array(part) for part in zip(*found, strict=True))
        print(
            f"{relation}: {np.exp(np.log(ours).mean()):.2f}, worst {ours.max():.1f}; "
            f"rows {np.exp(np.log(noise).mean()):.2f}, worst {noise.max():.0f}"
        )


if __name__ == "__main__":
    main()
