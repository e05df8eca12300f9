"""Statistics of a large Parquet file through an engine, beside the engine's own plain answer.

    python benchmarks/engines.py                          10 million rows, DuckDB and Polars
    python benchmarks/engines.py --rows 100000000 --engine duckdb
    python benchmarks/engines.py --growth                 DuckDB from 1e6 to 1e8 rows
    python benchmarks/engines.py --engine duckdb --statistic groups     medians of 10,000 groups

The file is made by the script: lognormal pay, some of it beyond the bounds. Every figure comes from
a process of its own, which has done the same on a small file before the clock starts (the first
query of a process loads modules): CPU seconds of all threads, and the peak of resident memory. Ours
is the whole release; plain is the engine's own statistic of the clipped column.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOW, HIGH = 0, 500_000
CLIPPED = f"least(greatest(pay, {LOW}::DOUBLE), {HIGH}::DOUBLE)"
PLAIN = {
    "median": f"quantile_disc({CLIPPED}, 0.5)",
    "quantiles": f"quantile_disc({CLIPPED}, [0.25, 0.5, 0.75])",
    "mean": f"avg({CLIPPED})",
    "variance": f"var_pop({CLIPPED})",
}
ENGINES = {"duckdb": "DuckDB", "polars": "Polars lazy"}
GROUPS = 10_000
SMALL = "small.parquet"


def make(path: Path, rows: int) -> None:
    """A Parquet file of lognormal pay."""
    import duckdb

    normal = "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())"
    duckdb.connect().execute(
        f"COPY (SELECT exp(10.5 + 0.7 * {normal}) AS pay, "
        f"(random() * {GROUPS})::INTEGER % {GROUPS} AS g FROM range({rows})) TO '{path}' "
        "(FORMAT parquet)"
    )


def ours(engine: str, path: Path, statistic: str) -> object:
    """The private release."""
    import leastnoise as ln

    data = _scan(engine, path)
    bounds = (LOW, HIGH)
    if statistic == "groups":
        with ln.open(data) as opened:
            groups = opened.group_by({"g": range(GROUPS)})
            return groups.release(ln.Median("pay", bounds=bounds), epsilon=1)
    chosen = {
        "median": ln.Median("pay", bounds=bounds),
        "quantiles": ln.Quantiles("pay", q=["0.25", "0.5", "0.75"], bounds=bounds),
        "mean": ln.Mean("pay", bounds=bounds),
        "variance": ln.Variance("pay", bounds=bounds),
    }[statistic]
    return ln.release(chosen, data, epsilon=1).value


def plain(engine: str, path: Path, statistic: str) -> object:
    """The engine's own answer."""
    if engine == "duckdb":
        grouped = "g" if statistic == "groups" else ""
        asked = PLAIN["median" if grouped else statistic]
        return _scan(engine, path).aggregate(asked, grouped).fetchall()
    import polars as pl

    pay = pl.col("pay").clip(LOW, HIGH)
    if statistic == "groups":
        medians = _scan(engine, path).group_by("g").agg(pay.quantile(0.5, "lower"))
        return medians.collect(engine="streaming")
    asked = {
        "median": pay.quantile(0.5, "lower"),
        "quantiles": pl.concat_list([pay.quantile(q, "lower") for q in (0.25, 0.5, 0.75)]),
        "mean": pay.mean(),
        "variance": pay.var(ddof=0),
    }[statistic]
    return _scan(engine, path).select(asked).collect(engine="streaming")


def _scan(engine: str, path: Path):
    if engine == "duckdb":
        import duckdb

        return duckdb.connect().read_parquet(str(path))
    import polars as pl

    return pl.scan_parquet(path)


def child(job: str, engine: str, path: Path, statistic: str) -> None:
    """One measurement, printed as JSON."""
    run = {"ours": ours, "plain": plain}[job]
    run(engine, path.with_name(SMALL), statistic)  # loads what the job needs
    cpu, wall = time.process_time(), time.perf_counter()
    run(engine, path, statistic)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": after / 1024}))


def measured(job: str, engine: str, path: Path, statistic: str, repeat: int) -> dict[str, float]:
    """The least times of some processes, and the largest memory."""
    command = [sys.executable, __file__, "--child", job, engine, str(path), statistic]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(repeat)
    ]
    least = {clock: min(run[clock] for run in runs) for clock in ("cpu", "wall")}
    return {**least, "peak": max(run["peak"] for run in runs)}


def table(
    engine: str, path: Path, rows: int, repeat: int, statistics: list[str]
) -> dict[str, tuple[float, float]]:
    """One line a statistic; the CPU seconds of ours and of plain."""
    size = path.stat().st_size / 2**20
    print(f"\n**{ENGINES[engine]}, {rows:,} rows, file of {size:,.0f} MiB**\n")
    print(
        "| statistic | ours, CPU s | plain, CPU s | ratio | ratio of wall times "
        "| ours, peak MiB | plain, peak MiB |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    seconds: dict[str, tuple[float, float]] = {}
    for statistic in statistics:
        a, b = (measured(job, engine, path, statistic, repeat) for job in ("ours", "plain"))
        print(
            f"| {statistic} | {a['cpu']:.2f} | {b['cpu']:.2f} | {a['cpu'] / b['cpu']:.2f} "
            f"| {a['wall'] / b['wall']:.2f} | {a['peak']:,.0f} | {b['peak']:,.0f} |",
            flush=True,
        )
        seconds[statistic] = a["cpu"], b["cpu"]
    return seconds


def growth(first: dict[str, tuple[float, float]], last: dict[str, tuple[float, float]]) -> None:
    """How many times the CPU seconds of the fewest rows the most rows take."""
    print("\n**Growth of CPU seconds from 1,000,000 to 100,000,000 rows, 100 times as many**\n")
    print("| statistic | ours, times | plain, times |")
    print("|---|---:|---:|")
    for statistic, (ours_first, plain_first) in first.items():
        ours_last, plain_last = last[statistic]
        print(f"| {statistic} | {ours_last / ours_first:.0f} | {plain_last / plain_first:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--statistic", choices=[*PLAIN, "groups"])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--folder", type=Path, help="keeps the files, and takes those it finds")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        job, engine, path, statistic = options.child
        child(job, engine, Path(path), statistic)
        return
    statistics = [options.statistic] if options.statistic else list(PLAIN)
    engines = [options.engine] if options.engine else list(ENGINES)
    sizes = [10**6, 10**7, 10**8] if options.growth else [options.rows]
    with tempfile.TemporaryDirectory() as spare:
        folder = options.folder or Path(spare)
        make(folder / SMALL, 1000)
        made: list[dict[str, tuple[float, float]]] = []
        for rows in sizes:
            path = folder / f"pay-{rows}.parquet"
            if not path.exists():
                make(path, rows)
            for engine in ["duckdb"] if options.growth else engines:
                made.append(table(engine, path, rows, options.repeat, statistics))
            if options.folder is None:
                path.unlink()
        if options.growth:
            growth(made[0], made[-1])


if __name__ == "__main__":
    main()
