"""Counting declared cells, as ratios to plain numpy, pandas and Polars in the same run.

    python benchmarks/cells_speed.py [ROWS]

Each line: the time of the exact counts behind a release (reading included, noise is the same few
microseconds for any number of rows) over that of the plain count, the least of several runs of
process time; and the peak memory that numpy and Python hold beyond the data, over the data's size.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from timing import least, peak

import leastnoise as ln
from leastnoise.session.prepare import plan


def ours(statistic: Any, data: Any) -> Callable[[], Any]:
    def run() -> Any:
        prepared = plan(statistic, data, "add-remove", None)
        return prepared.table.summarise(prepared.request, 0)

    return run


def main(rows: int) -> None:
    rng = np.random.default_rng(1)
    words = ["N", "S", "E", "W", "NE", "NW", "SE", "SW"]
    ages = rng.uniform(0, 100, rows)
    codes = rng.integers(0, len(words), rows)
    texts = np.array(words, dtype=object)[codes]
    frame, lazy = pd.DataFrame({"s": texts, "k": codes}), pl.DataFrame({"s": texts, "k": codes})
    listed = texts.tolist()
    edges = [0, 18, 30, 45, 65, 100]
    bins, by = ln.Histogram(bins=edges), ln.Histogram("s", categories=words)
    numbers = ln.Histogram(categories=list(range(8)))
    cross = ln.CrossTab("s", "k", rows=words, columns=list(range(8)))
    distinct = ln.CountDistinct("s")
    cases: list[tuple[str, Callable[[], Any], Callable[[], Any], int]] = [
        ("bins of floats / np.histogram",
         ours(bins, ages), lambda: np.histogram(ages, edges), ages.nbytes),
        ("labels of integers / np.bincount",
         ours(numbers, codes), lambda: np.bincount(codes), codes.nbytes),
        ("text in a list / pandas value_counts",
         ours(ln.Histogram(categories=words), listed), lambda: pd.Series(listed).value_counts(),
         8 * rows),
        ("text in pandas / value_counts",
         ours(by, frame), lambda: frame["s"].value_counts(), 8 * rows),
        ("text in Polars / value_counts",
         ours(by, lazy), lambda: lazy["s"].value_counts(), 16 * rows),
        ("two columns of Polars / group_by",
         ours(cross, lazy), lambda: lazy.group_by("s", "k").len(), 24 * rows),
        ("distinct in Polars / n_unique", ours(distinct, lazy), lambda: lazy["s"].n_unique(),
         16 * rows),
    ]  # fmt: skip
    print(f"{rows} rows")
    print("| counted | seconds | ratio | memory |")
    print("|---|---:|---:|---:|")
    for name, run, plain, size in cases:
        run(), plain()
        mine, theirs = least(run), least(plain)
        print(f"| {name} | {mine:.3g} | {mine / theirs:.2f} | {peak(run) / size:.2f} |")


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
