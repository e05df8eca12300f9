"""A plan of 200 cells from a CSV file, as ratios to pandas in the same run.

    python benchmarks/plan_speed.py [ROWS ...]

Both read the same file and compute median, three quartiles and count by 40 groups; the plan also
draws 200 private answers and makes the report. The least process time of several runs; memory is
the peak of what numpy and Python hold, over the size of the file.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from timing import least, peak

from leastnoise.plans import load_plan, prepare, render

RUNS = 3
KEYS = {"education": [f"level {i}" for i in range(20)], "sex": ["f", "m"]}
PLAN = """
data = {{file = "t.csv"}}
privacy = {{relation = "add-remove", total = 1}}
keys = {{education = {education}, sex = {sex}}}
[tables.hours]
groups = ["education", "sex"]
[tables.hours.statistics]
n = {{statistic = "count"}}
median = {{statistic = "median", column = "hours", bounds = [0, 100], step = 1}}
[tables.hours.statistics.quartiles]
statistic = "quantiles"
q = [0.25, 0.5, 0.75]
column = "hours"
bounds = [0, 100]
step = 1
"""


def measure(rows: int, folder: Path) -> None:
    rng = np.random.default_rng(1)
    columns = {name: rng.choice(keys, rows) for name, keys in KEYS.items()}
    frame = pd.DataFrame({**columns, "hours": rng.integers(0, 99, rows)})
    frame.to_csv(folder / "t.csv", index=False)
    (folder / "plan.toml").write_text(PLAN.format(**KEYS).replace("'", '"'), encoding="utf-8")

    def ours() -> str:
        with prepare(load_plan(folder / "plan.toml")) as prepared:
            return render(prepared.release())

    def plain() -> object:
        read = pd.read_csv(folder / "t.csv").groupby(["education", "sex"])["hours"]
        return read.count(), read.median(), read.quantile([0.25, 0.5, 0.75])

    mine, theirs, size = least(ours, RUNS), least(plain, RUNS), (folder / "t.csv").stat().st_size
    held, memory = peak(ours) / size, peak(plain) / size
    print(f"| {rows} | {mine:.3g} | {mine / theirs:.2f} | {held:.2f} | {memory:.2f} |")


def main(sizes: list[int]) -> None:
    print("| rows | seconds | ratio to pandas | memory | memory of pandas |")
    print("|---:|---:|---:|---:|---:|")
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(rows, Path(folder))


if __name__ == "__main__":
    main([int(float(a)) for a in sys.argv[1:]] or [50_000, 500_000])
