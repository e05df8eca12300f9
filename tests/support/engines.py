"""Every engine under test, fed from an Arrow table."""

from __future__ import annotations

import shutil
from functools import lru_cache
from typing import Any

import pytest

from leastnoise.frames.engines import on_duckdb, on_polars, on_spark
from support.optional import optional

_open: list[Any] = []  # DuckDB before 2.0 closes a connection that nobody holds


def keep_open(connection: Any) -> Any:
    """The same connection, held to the end of the tests."""
    _open.append(connection)
    return connection


# Modules whose limits of rows tests make small.
ROOMS = (on_polars, on_duckdb, on_spark)
ENGINES = ("polars lazy", "duckdb", "spark")
# A session of tests is too short for Java to gain what it spends on optimising its own code.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def on_engine(label: str, table: Any) -> Any:
    """The table where the engine holds it."""
    if label == "polars lazy":
        pl = optional("polars")
        return pl.from_arrow(table).lazy()
    if label == "duckdb":
        return duck().from_arrow(table)
    return spark().createDataFrame(table)


@lru_cache(maxsize=1)
def duck() -> Any:
    """One database in memory for all tests of this process: to open one costs as much as a test."""
    return optional("duckdb").connect()


@lru_cache(maxsize=1)
def spark() -> Any:
    """One local Spark session for all tests of this process."""
    session = optional("pyspark.sql").SparkSession
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none on the path")
    return (
        session.builder.master("local[2]")
        .config("spark.driver.extraJavaOptions", _JAVA)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.default.parallelism", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
