"""Tables of DuckDB and data frames of Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import cycle
from typing import Any

from leastnoise.testing import FrontEnd
from support.engines import keep_open, spark
from support.front_ends import arrow
from support.optional import optional


@cache
def _connections() -> Iterator[Any]:
    """A few connections in turn: what was handed over before may still be read."""
    duckdb = optional("duckdb")
    return cycle([keep_open(duckdb.connect(config={"threads": 1})) for _ in range(3)])


def _relation(columns: dict[str, Any]) -> Any:
    return next(_connections()).from_arrow(arrow.table(columns))


def _table(columns: dict[str, Any]) -> Any:
    """A table in DuckDB's own storage, with its statistics."""
    connection = next(_connections())
    connection.register("t", arrow.table(columns))
    connection.execute("CREATE OR REPLACE TABLE stored AS SELECT * FROM t")
    return connection.table("stored")


_PREFERRED = (
    *("default_order = 'DESC'", "default_null_order = 'NULLS_FIRST'", "integer_division = true"),
    *("ieee_floating_point_ops = false", "default_collation = 'NOCASE'", "TimeZone = 'Asia/Tokyo'"),
    *("old_implicit_casting = true", "binary_as_string = true", "parquet_can_have_nan = false"),
    *("arrow_lossless_conversion = true", "arrow_output_list_view = true", "errors_as_json = true"),
    *("warnings_as_errors = true", "enable_optimizer = false", "enable_progress_bar = true"),
    *("preserve_identifier_case = false", "python_enable_replacements = false"),
)


def _odd() -> Callable[[dict[str, Any]], Any]:
    """Tables of a connection that prefers everything otherwise."""
    duckdb = optional("duckdb")
    connection = keep_open(duckdb.connect(config={"threads": 1}))
    for setting in _PREFERRED:
        with suppress(duckdb.Error):  # an older version does not know it
            connection.execute(f"SET {setting}")
    return lambda columns: connection.from_arrow(arrow.table(columns))


def _frame(columns: dict[str, Any]) -> Any:
    return spark().createDataFrame(arrow.table(columns))


def _spark() -> FrontEnd:
    signed = [kind for kind in arrow.stored_kinds() if not kind.name.startswith("uint")]
    return FrontEnd("spark", signed, _frame, bare=False, reference=arrow.table, ordered=False)


def _duckdb(name: str, table: Callable[[dict[str, Any]], Any]) -> FrontEnd:
    return FrontEnd(name, arrow.stored_kinds(), table, bare=False, reference=arrow.table)


FRONTS: dict[str, Callable[[], FrontEnd]] = {
    "duckdb relation": lambda: _duckdb("duckdb relation", _relation),
    "duckdb table": lambda: _duckdb("duckdb table", _table),
    "duckdb of odd settings": lambda: _duckdb("duckdb of odd settings", _odd()),
    "spark": _spark,
}
