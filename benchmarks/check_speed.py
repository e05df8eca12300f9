"""``leastnoise check`` of a file of six columns, as ratios to reading it in the same run.

    python benchmarks/check_speed.py [ROWS ...]

The columns are a number of each row, a date, a few labels, an age, an amount with cents and short
notes of which a quarter is blank. Beside it the file is read by the standard library's csv, which
makes a list of text for each row as the check does, and by pandas. The least process time of
several runs; memory is the peak of what numpy and Python hold, over the size of the file.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from timing import least, peak

from leastnoise.frames.checks.look import check

RUNS = 3


def measure(rows: int, folder: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "id": np.arange(rows),
            "date": pd.Timestamp("2000-01-01") + pd.to_timedelta(rng.integers(0, 8000, rows), "D"),
            "region": rng.choice(["North", "South", "East", "West"], rows),
            "age": rng.integers(18, 91, rows),
            "pay": rng.normal(3000, 500, rows).round(2),
            "note": rng.choice(["ok", "late", "early", ""], rows),
        }
    )
    path = folder / "rows.csv"
    frame.to_csv(path, index=False)

    def plain() -> object:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def ours() -> object:
        return check(path)

    mine = least(ours, RUNS)
    by_csv, by_pandas = least(plain, RUNS), least(lambda: pd.read_csv(path), RUNS)
    size = path.stat().st_size
    held, memory = peak(ours) / size, peak(plain) / size
    print(
        f"| {rows} | {mine:.3g} | {mine / by_csv:.1f} | {mine / by_pandas:.1f} "
        f"| {held:.1f} | {memory:.1f} |"
    )


def main() -> None:
    print("| rows | check, s | / csv | / pandas | memory / file | csv's memory / file |")
    print("|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for rows in map(int, sys.argv[1:] or ("10000", "370000")):
            measure(rows, Path(folder))


if __name__ == "__main__":
    main()
