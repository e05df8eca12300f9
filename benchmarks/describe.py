"""Descriptions beside the truth of PUBLIC data: quartiles, limits, shares and time.

python benchmarks/describe.py pupils [RUNS]   grades of 100 pupils with ten rows each
python benchmarks/describe.py wide [ENGINE]   100 columns of 1e6 rows from Parquet
python benchmarks/describe.py files FOLDER    every table of a folder, side by side with the truth
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.frames import open_table
from leastnoise.frames.readers.by_header import options_by_header
from leastnoise.testing import simulate

QUARTILES = (0.25, 0.5, 0.75)


def pupils(runs: int = 1000) -> list[float]:
    """How often all three quartiles are within two grades, at epsilon 1 for a person.

    Returns those of quartiles alone.
    """
    rng, alone = np.random.default_rng(28), list[float]()
    for relation in ("replace-one", "add-remove"):
        whole, near = 0, {"declared 0 to 1,000,000": 0, "none": 0}
        limits = dict(zip(near, ((0, 1_000_000), ln.PrivateBounds()), strict=True))
        for run in range(runs):
            grades = rng.integers(1, 7, 1000)
            exact = np.quantile(grades, QUARTILES, method="inverted_cdf")
            table = {"pupil": np.repeat(np.arange(100), 10), "grade": grades}
            with (
                simulate(run),
                ln.open(table, unit="pupil", max_rows=10, relation=relation) as data,
            ):
                for name, bounds in limits.items():
                    asked = ln.Quantiles("grade", q=list(QUARTILES), bounds=bounds)
                    found = np.array(data.release(asked, epsilon=1).value)
                    near[name] += np.max(abs(found - exact)) <= 2
                all_of_it: Any = data.describe(epsilon=1)["grade"]["quartiles"].value
                whole += np.max(abs(np.array(all_of_it) - exact)) <= 2
        alone += [n / runs for n in near.values()]
        told = ", ".join(f"bounds {name} {n / runs:.3f}" for name, n in near.items())
        print(f"{relation}: {told}, in a description {whole / runs:.3f}", flush=True)
    return alone


def wide(engine: str | None = "duckdb", rows: int = 1_000_000, columns: int = 100) -> None:
    """The largest error of a quartile's rank, and the time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    made = [
        lambda i: rng.normal(i, 1 + i, rows),
        lambda i: np.exp(rng.normal(8, 1, rows)),
        lambda i: rng.integers(0, 100, rows),
        lambda i: rng.random(rows),
        lambda i: rng.poisson(3, rows),
    ]
    data = {f"c{i}": made[i % len(made)](i) for i in range(columns)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.parquet"
        pq.write_table(pa.table(data), path)
        options = {} if engine in (None, "none") else {"engine": engine}
        start, used = time.perf_counter(), time.process_time()
        with ln.open(path, **options) as session:
            found = session.describe(epsilon=2)
        print(
            f"{time.perf_counter() - start:.1f} s, {time.process_time() - used:.1f} s of processor"
        )
    worst = 0.0
    for name, values in data.items():
        quartiles: Any = found[name]["quartiles"].value
        for q, value in zip(QUARTILES, quartiles, strict=True):
            below, until = np.mean(values < value), np.mean(values <= value)
            worst = max(worst, below - q, q - until)
    print(f"largest error of a quartile's rank: {100 * worst:.2f} % of rows")


def files(folder: str) -> None:
    """Every table: time, and the facts beside the truth."""
    for path in sorted(Path(folder).iterdir()):
        start = time.perf_counter()
        try:
            options = options_by_header(str(path), {})
            with ln.open(path, **options) as session:
                prepared = session.prepare_description(epsilon=2, delta="1e-6")
                found = prepared.release()
        except (LeastNoiseError, IsADirectoryError) as error:
            print(f"{path.name}: not described, {type(error).__name__}")
            continue
        print(f"\n{path.name}: {time.perf_counter() - start:.1f} s, options {options or 'none'}")
        table = open_table(path, **options)
        print(f"  rows {found.table['rows'].value} ({table.row_count()})")
        for asked, column in zip(prepared.outline.columns, found.columns, strict=True):
            if "quartiles" not in column.facts:
                labels = list(column.labels.items())[:3]
                print(f"  {column.name}: {labels}")
                continue
            values = np.asarray(table.column(asked.name).values, dtype=np.float64)
            values = values[~np.isnan(values)]
            exact = np.quantile(values, QUARTILES) if len(values) else []
            facts: Any = column.facts["quartiles"].value
            shown = ", ".join(f"{x:.5g}" for x in facts)
            print(f"  {column.name}: {shown} ({', '.join(f'{x:.5g}' for x in exact)})")


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["pupils"]
    if what == "pupils":
        pupils(*map(int, rest))
    elif what == "wide":
        wide(*rest)
    else:
        files(*rest)
