"""Descriptions beside the truth of PUBLIC data: quartiles, limits, shares and time.

python benchmarks/describe.py pupils [RUNS [WEIGHT]]   grades of 100 pupils with ten rows each, and
                                              the weight of quartiles in descriptions
python benchmarks/describe.py persons [RUNS [WEIGHT]]  of these, of blood pressures of 150 patients
                                              with four rows each, and of prices of 80 shops with
                                              twenty
python benchmarks/describe.py wide [ENGINE [ROWS]]   100 columns of 1e6 rows from Parquet
python benchmarks/describe.py shapes [RUNS [EPSILON]]   single columns of many shapes: amounts, ids,
                                              years, and numbers that are mostly one
python benchmarks/describe.py files FOLDER    every table of a folder, side by side with the truth
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.frames.readers.by_header import options_by_header
from leastnoise.record import Description
from leastnoise.record.description_sure import rows_of_rank
from leastnoise.testing import simulate

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Kind:
    """Persons with some rows each, and how far a quartile may be off to be of use."""

    persons: int
    rows: int
    bounds: tuple[int, int]
    values: Callable[[np.random.Generator, int], Any]
    near: float | None = None  # else two thirds of the distance of the outer quartiles


# Bounds that nobody has looked at: far wider than the values.
KINDS = {
    "pupils": Kind(100, 10, (0, 1_000_000), lambda rng, n: rng.integers(1, 7, n), 2),
    "patients": Kind(
        150, 4, (0, 1_000_000), lambda rng, n: np.clip(rng.normal(125, 20, n).round(), 60, 200)
    ),
    "shops": Kind(80, 20, (0, 1_000_000), lambda rng, n: np.round(rng.lognormal(3, 1, n), 2)),
}


def near(
    runs: int = 1000, weight: int | None = None, kinds: Iterable[str] = ("pupils",)
) -> dict[str, list[float]]:
    """How often all three quartiles are near, at epsilon 1 for a person.

    Under each relation: quartiles alone with bounds and without, in the description of a frame with
    ``max_rows`` the rows of each, and in that of a text file with nothing declared but the column
    of persons (1,000 rows of one at most, as the command has it).
    """
    found = dict[str, list[float]]()
    for name in kinds:
        for relation in ("replace-one", "add-remove"):
            found[f"{name}, {relation}"] = _shares(KINDS[name], relation, runs, weight)
            told = zip(PLACES, found[f"{name}, {relation}"], strict=True)
            shares = ", ".join(f"{place} {share:.3f}" for place, share in told)
            print(f"{name}, {relation}: {shares}", flush=True)
    return found


PLACES = ("wide bounds", "no bounds", "in a description", "of a text file")


def _shares(kind: Kind, relation: str, runs: int, weight: int | None) -> list[float]:
    rng, hits = np.random.default_rng(28), np.zeros(4)
    weights = {} if weight is None else {"quartiles": weight}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.csv"
        for run in range(runs):
            values = kind.values(rng, kind.persons * kind.rows)
            table = {"person": np.repeat(np.arange(kind.persons), kind.rows), "value": values}
            lines = zip(table["person"], values.tolist(), strict=True)
            path.write_text("person,value\n" + "".join(f"{p},{x:g}\n" for p, x in lines))
            exact = np.quantile(values, QUARTILES, method="inverted_cdf")
            room = kind.near or 2 / 3 * (exact[2] - exact[0])
            hits += [
                bool(len(answers) and np.max(abs(np.array(answers) - exact)) <= room)
                for answers in _answers(kind, table, path, relation, run, weights)
            ]
    return list(hits / runs)


def _answers(
    kind: Kind, table: Any, path: Path, relation: Any, seed: int, weights: dict[str, int]
) -> Iterator[Any]:
    options: Any = {"unit": "person", "relation": relation}
    with simulate(seed), ln.open(table, max_rows=kind.rows, **options) as data:
        for bounds in (kind.bounds, ln.PrivateBounds()):
            asked = ln.Quantiles("value", q=list(QUARTILES), bounds=bounds)
            yield data.release(asked, epsilon=1).value
        yield data.describe(epsilon=1, weights=weights)["value"]["quartiles"].value
    with simulate(seed), ln.open(path, max_rows=1000, **options) as data:
        column = data.describe(epsilon=1, weights=weights)["value"]
        yield column["quartiles"].value if "quartiles" in column else []


def wide(engine: str | None = "duckdb", rows: int = 1_000_000, columns: int = 100) -> float:
    """The largest error of a quartile's rank in per cent of rows; the time is printed."""
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
    return 100 * worst


Make = Callable[[np.random.Generator, int], Any]


def _among(share: float, most: float, others: Make) -> Make:
    """A share of other numbers among one that most rows have."""
    return lambda rng, n: np.where(rng.random(n) < share, others(rng, n), most)


def _amounts(rng: np.random.Generator, n: int) -> Any:
    return np.round(rng.lognormal(7, 1, n), 2)


SHAPES: dict[str, Make] = {
    "30 % amounts, else 0": _among(0.3, 0, _amounts),
    "10 % amounts, else 0": _among(0.1, 0, _amounts),
    "5 % amounts, else 0": _among(0.05, 0, _amounts),
    "1 % amounts, else 0": _among(0.01, 0, _amounts),
    "5 % debts, else 0": _among(0.05, 0, lambda rng, n: -_amounts(rng, n)),
    "5 % pays, else 0": _among(0.05, 0, lambda rng, n: rng.normal(6e4, 2e4, n).round()),
    "5 % of a long tail, else 0": _among(0.05, 0, lambda rng, n: rng.lognormal(7, 2, n)),
    "10 % of both signs, else 0": _among(0.1, 0, lambda rng, n: rng.normal(0, 1000, n)),
    "10 % near 1e-9, else 0": _among(0.1, 0, lambda rng, n: rng.lognormal(-20, 1, n)),
    "10 % near 1e15, else 0": _among(0.1, 0, lambda rng, n: rng.lognormal(35, 1, n)),
    "5 % counts, else 0": lambda rng, n: (rng.random(n) < 0.05) * rng.poisson(4, n),
    "10 % 1 to 98, else 99": lambda rng, n: np.where(
        rng.random(n) < 0.1, rng.integers(1, 99, n), 99
    ),
    "20 % hours, else 40": _among(0.2, 40, lambda rng, n: rng.normal(38, 12, n).round()),
    "5 % -999, else about 50": _among(0.95, -999, lambda rng, n: rng.normal(50, 10, n)),
    "1 % ones, else 0": lambda rng, n: (rng.random(n) < 0.01).astype(int),
    "half ones, else 0": lambda rng, n: (rng.random(n) < 0.5).astype(int),
    "1 to 5": lambda rng, n: rng.integers(1, 6, n),
    "1 to 5, mostly 5": lambda rng, n: rng.choice(5, n, p=[0.02, 0.03, 0.05, 0.2, 0.7]) + 1,
    "percentages": lambda rng, n: rng.uniform(0, 100, n).round(1),
    "ids": lambda rng, n: 1_000_000_000 + np.arange(n),
    "years": lambda rng, n: rng.integers(1950, 2024, n),
    "negative": lambda rng, n: rng.normal(-500, 100, n).round(1),
    "about 3e-9": lambda rng, n: rng.normal(3e-9, 1e-9, n),
    "about 1e15": lambda rng, n: rng.normal(1e15, 1e14, n),
    "pays": lambda rng, n: rng.lognormal(10, 0.8, n).round(2),
    "all 7": lambda rng, n: np.full(n, 7),
}


def shapes(runs: int = 20, epsilon: float = 2.0) -> dict[tuple[str, int], tuple[float, ...]]:
    """Of a column of each shape: how far quartiles, limits and mean are off.

    The largest error of a quartile's rank in any run, in per cent of rows; rows beyond both limits,
    their distance over that of the 999th and first thousandth of the entries, and the error of the
    mean in standard deviations of the entries: medians of the runs, of the last the largest too.
    """
    print("| column | rows | rank, worst | beyond | width | mean | mean, worst |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    found: dict[tuple[str, int], tuple[float, ...]] = {}
    for name, make in SHAPES.items():
        for rows in (1_000, 10_000, 100_000):
            got = np.array([_off(make, rows, epsilon, seed) for seed in range(runs)])
            middle = np.median(got, axis=0)
            told = (got[:, 0].max(), *middle[1:], got[:, 3].max())
            found[name, rows] = told
            rank, beyond, width, mean, most = told
            print(
                f"| {name} | {rows} | {rank:.2f} % | {beyond:.0f} | {width:.2g} | {mean:.2g} | "
                f"{most:.2g} |",
                flush=True,
            )
    return found


def _off(make: Make, rows: int, epsilon: float, seed: int) -> tuple[float, ...]:
    values = np.asarray(make(np.random.default_rng(seed), rows))
    with simulate(seed), ln.open({"x": values}) as data:
        column = data.describe(epsilon=epsilon)["x"]
    exact = np.sort(values.astype(float))
    quartiles: Any = column["quartiles"].value
    limits: Any = column["limits"].value
    middle: Any = column["mean"].value
    low, high = limits
    worst = max(_ranks_off(exact, q, at) for q, at in zip(QUARTILES, quartiles, strict=True))
    wide = np.quantile(exact, [0.001, 0.999])
    return (
        100 * worst / rows,
        float((exact < low).sum() + (exact > high).sum()),
        (high - low) / (wide[1] - wide[0] or 1),
        abs(middle - exact.mean()) / (exact.std() or 1),
    )


def _ranks_off(ordered: Any, q: float, value: float) -> float:
    """How many rows an answer is off its rank; its cell is 2^-24 of a number wide."""
    room = abs(value) * 2.0**-23
    below = np.searchsorted(ordered, value - room) - q * len(ordered)
    until = np.searchsorted(ordered, value + room, side="right") - q * len(ordered)
    return float(max(below, -until, 0))


TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet")


def files(folder: str) -> list[tuple[str, float, float]]:
    """Every table, by one command without an option: the facts beside the truth.

    Returns the name of each, the seconds of processor time that the command took, and the share of
    quartiles that are within the rows that the page says: NaN of a file that is refused.
    """
    found: list[tuple[str, float, float]] = []
    for path in sorted(Path(folder).iterdir()):
        if not path.name.endswith(TABLES):
            continue
        command = [sys.executable, "-m", "leastnoise", "describe", str(path), "--format", "json"]
        start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [*command, "--epsilon", "2", "--delta", "1e-6"], capture_output=True, check=False
        )
        took, now = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
        times = f"{seconds:.1f} s of processor time, {took:.1f} s"
        if done.returncode:
            why = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            print(f"\n{path.name}: not described in {times}, {''.join(why)}", flush=True)
            found.append((path.name, seconds, float("nan")))
            continue
        described = Description.from_json(done.stdout.decode())
        options = options_by_header(str(path), {})
        print(f"\n{path.name}: {times}, read with {options or 'no option'}", flush=True)
        found.append((path.name, seconds, _beside(described, open_table(path, **options))))
        print(f"  {100 * found[-1][2]:.1f} % of quartiles within the rows that the page says")
    return found


def _beside(described: Description, table: Any) -> float:
    """Facts beside the truth, and the share of quartiles that are as near as the page says."""
    near: list[bool] = []
    print(f"  rows {described.table['rows'].value} ({table.row_count()})")
    for place, name in enumerate(table.column_names(), 1):
        column = next((c for c in described.columns if c.name in (name, f"column {place}")), None)
        if column is None:
            print(f"  {name}: left out")
            continue
        if "quartiles" not in column.facts:
            counts = Counter(_texts(table, name))
            told = [f"{label} {n} ({counts[label]})" for label, n in column.labels.items()]
            print(f"  {column.name}: {', '.join(told[:3]) or 'no labels'}")
            continue
        if not isinstance(column["quartiles"].value[0], (int, float)):
            print(f"  {column.name}: {column['quartiles'].value}")
            continue
        values = np.asarray(table.column(name).values, dtype=np.float64)
        values = np.sort(values[~np.isnan(values)])
        quartiles: Any = column["quartiles"].value
        rows = rows_of_rank(column["quartiles"])
        for q, value in zip(QUARTILES, quartiles, strict=True):
            near.append(_ranks_off(values, q, value) <= rows)
        exact = np.quantile(values, QUARTILES) if len(values) else []
        shown = ", ".join(f"{x:.5g}" for x in quartiles)
        print(f"  {column.name}: {shown} ({', '.join(f'{x:.5g}' for x in exact)})")
    return float(np.mean(near)) if near else 1.0


def _texts(table: Any, name: str) -> list[str]:
    codes, texts = table.text_values(name)
    return [texts[code] for code in codes if code >= 0]


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["pupils"]
    if what in ("pupils", "persons"):
        numbers = [*map(int, rest), *([1000, None][len(rest) :])]
        near(numbers[0] or 1000, numbers[1], KINDS if what == "persons" else ("pupils",))
    elif what == "shapes":
        shapes(*map(int, rest[:1]), *map(float, rest[1:]))
    elif what == "wide":
        wide(*rest[:1], *map(int, rest[1:]))
    else:
        files(*rest)
