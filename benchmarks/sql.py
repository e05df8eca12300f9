"""A grouped median by SQL beside the same by the API, in processor time.

    python benchmarks/sql.py [--rows 10000000] [--repeats 5] [--engines numpy polars duckdb]

The query is ``SELECT region, MEDIAN(pay) FROM t WHERE age >= 18 GROUP BY region``. Beside it stands
one of a computed value, ``MEDIAN(pay / hours)``, which the API has no words for.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np

import leastnoise as ln

REGIONS = list(range(8))
SCHEMA = {
    "columns": {
        "region": {"keys": REGIONS},
        "pay": {"bounds": [0, 500_000]},
        "hours": {"bounds": [1, 100], "step": 1},
    }
}
PLAIN = "SELECT region, MEDIAN(pay) AS m FROM t WHERE age >= 18 GROUP BY region"
COMPUTED = "SELECT region, MEDIAN(pay / hours) AS m FROM t WHERE age >= 18 GROUP BY region"


def columns(rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {
        "region": rng.integers(0, 8, rows, dtype=np.int8),
        "age": rng.integers(0, 90, rows, dtype=np.int8),
        "hours": rng.integers(1, 60, rows, dtype=np.int8),
        "pay": rng.lognormal(10, 0.6, rows),
    }


def on(engine: str, data: dict[str, Any]) -> Any:
    if engine == "numpy":
        return data
    import polars as pl

    frame = pl.DataFrame(data)
    if engine == "polars":
        return frame.lazy()
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    return connection.table("t")


def by_api(data: ln.Session) -> None:
    rows = data.where(ln.col("age") >= 18).group_by({"region": REGIONS})
    rows.release({"m": ln.Median("pay", bounds=(0, 500_000))}, epsilon=1)


def seconds(works: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """The least of some runs of each, in turns: what else runs on the machine only adds."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, times in zip(works, found, strict=True):
            start = process_time()
            work()
            times.append(process_time() - start)
    return [min(times) for times in found]


def lines(given: argparse.Namespace) -> list[str]:
    """The table, an engine a line."""
    found = [
        f"{given.rows:,} rows, processor seconds, the least of {given.repeats} runs:",
        "",
        "| | API | SQL | SQL / API | SQL of a computed value |",
        "|---|---:|---:|---:|---:|",
    ]
    data = columns(given.rows)
    for engine in given.engines:
        held = on(engine, data)
        with ln.open(held, relation="add-remove") as session:
            session.sql(PLAIN, schema=SCHEMA, epsilon=1)  # libraries are loaded

            def ask(query: str) -> None:
                session.sql(query, schema=SCHEMA, epsilon=1)

            works = [lambda: by_api(session), lambda: ask(PLAIN), lambda: ask(COMPUTED)]
            api, sql, more = seconds(works, given.repeats)
        found.append(f"| {engine} | {api:.2f} | {sql:.2f} | {sql / api:.2f} | {more:.2f} |")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--engines", nargs="*", default=["numpy", "polars", "duckdb"])
    print("\n".join(lines(parser.parse_args())))


if __name__ == "__main__":
    main()
