"""Many groups and many persons in every front end, beside its own GROUP BY."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import leastnoise as ln

Job = Callable[[], object]
BOUNDS = LOW, HIGH = 0, 100
FRONT_ENDS = ("numpy", "pandas", "Polars", "Polars lazy", "DuckDB", "Spark")
BY_GROUP = {
    "count by group": ln.Count(),
    "mean by group": ln.Mean("x", bounds=BOUNDS),
    "median by group": ln.Median("x", bounds=BOUNDS),
}
WHAT = (*BY_GROUP, "mean of persons")


def columns(rows: int, groups: int, persons: int) -> dict[str, Any]:
    """Normal numbers, the keys of groups and of persons."""
    rng = np.random.default_rng(0)
    return {
        "x": rng.normal(50, 10, rows),
        "g": rng.integers(0, groups, rows),
        "id": rng.integers(0, persons, rows),
    }


def jobs(front_end: str, table: dict[str, Any], groups: int) -> tuple[Any, dict[str, Job]]:
    """The data as a front end holds it, and its plain answers: one row a group or person."""
    if front_end == "numpy":
        x, g, persons = (table[name] for name in ("x", "g", "id"))
        return table, {
            "count by group": lambda: np.bincount(g, minlength=groups),
            "mean by group": lambda: np.bincount(g, np.clip(x, *BOUNDS)) / np.bincount(g),
            "median by group": lambda: _medians(np.clip(x, *BOUNDS), g),
            "mean of persons": lambda: np.bincount(persons, np.clip(x, *BOUNDS)).mean(),
        }
    if front_end == "pandas":
        import pandas as pd

        frame = pd.DataFrame(table)

        def clipped() -> Any:
            return frame.assign(x=frame["x"].clip(*BOUNDS))

        return frame, {
            "count by group": lambda: frame.groupby("g").size(),
            "mean by group": lambda: clipped().groupby("g")["x"].mean(),
            "median by group": lambda: clipped().groupby("g")["x"].median(),
            "mean of persons": lambda: clipped().groupby("id")["x"].sum().mean(),
        }
    if front_end.startswith("Polars"):
        import polars as pl

        polars = pl.DataFrame(table)
        clip, lazy = pl.col("x").clip(*BOUNDS), polars.lazy()
        return lazy if front_end.endswith("lazy") else polars, {
            "count by group": lambda: lazy.group_by("g").len().collect(),
            "mean by group": lambda: lazy.group_by("g").agg(clip.mean()).collect(),
            "median by group": lambda: lazy.group_by("g").agg(clip.median()).collect(),
            "mean of persons": lambda: lazy.group_by("id").agg(clip.sum()).mean().collect(),
        }
    if front_end == "Spark":
        return _spark(table)
    import duckdb
    import pandas as pd

    connection = duckdb.connect()
    held = pd.DataFrame(table)
    connection.register("held", held)
    connection.execute("CREATE TABLE t AS SELECT * FROM held")
    clipped_sql = f"least(greatest(x, {LOW}), {HIGH})"

    def sql(query: str) -> Job:
        return lambda: connection.sql(query).fetchnumpy()

    return connection.table("t"), {
        "count by group": sql("SELECT g, count(*) FROM t GROUP BY g"),
        "mean by group": sql(f"SELECT g, avg({clipped_sql}) FROM t GROUP BY g"),
        "median by group": sql(f"SELECT g, median({clipped_sql}) FROM t GROUP BY g"),
        "mean of persons": sql(
            f"SELECT avg(s) FROM (SELECT sum({clipped_sql}) s FROM t GROUP BY id)"
        ),
    }


def _medians(x: Any, g: Any) -> Any:
    """The middle entry of each group, in one sort."""
    ordered = x[np.lexsort((x, g))]
    ends = np.cumsum(np.bincount(g))
    return ordered[(np.concatenate([[0], ends[:-1]]) + ends - 1) // 2]


def _spark(table: dict[str, Any]) -> tuple[Any, dict[str, Job]]:
    import pandas as pd
    from pyspark.sql import SparkSession, functions

    builder: Any = SparkSession.builder
    spark = builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    frame = spark.createDataFrame(pd.DataFrame(table)).cache()
    frame.count()
    clip = functions.least(functions.greatest("x", functions.lit(LOW)), functions.lit(HIGH))
    return frame, {
        "count by group": lambda: frame.groupBy("g").count().collect(),
        "mean by group": lambda: frame.groupBy("g").agg(functions.avg(clip)).collect(),
        "median by group": lambda: frame.groupBy("g").agg(functions.median(clip)).collect(),
        "mean of persons": lambda: (
            frame.groupBy("id")
            .agg(functions.sum(clip).alias("s"))
            .agg(functions.avg("s"))
            .collect()
        ),
    }


def release(what: str, data: Any, groups: int) -> Job:
    """The private answer."""

    def ours() -> object:
        if what == "mean of persons":
            with ln.open(data, unit="id", max_rows=4) as opened:
                return opened.release(ln.Mean("x", bounds=BOUNDS), epsilon=1)
        statistic = BY_GROUP[what]
        with ln.open(data) as opened:
            return opened.group_by({"g": range(groups)}).release(statistic, epsilon=1)

    return ours
