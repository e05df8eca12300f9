"""What DuckDB may be asked to read of a Parquet file, by what the file declares."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from leastnoise.frames.contract import TIME_OF_DAY, Physical
from leastnoise.summaries.columns import Reading

# What DuckDB may be asked to read: any bits are an entry of these types.
_CONVERTED = frozenset({None, "UTF8", "ENUM", "DECIMAL", "DATE", "TIMESTAMP_MICROS", "INTERVAL"})
_LOGICAL = frozenset(
    {
        *("", "StringType", "EnumType", "DecimalType", "DateType", "TimestampType", "IntType"),
        *("Float16Type", "UUIDType", "NullType"),
    }
)
_COARSE = Physical(
    "Datetime",
    Reading.OTHER,
    cure="DuckDB counts the times of a Parquet file in microseconds and ends the query at one that "
    "is too far away for those; this file holds milliseconds or the 96 bits of old writers: read "
    "it with engine='polars', or without an engine and with pyarrow, or write microseconds",
)


class ParquetField(NamedTuple):
    """A column as a file declares it: its name there, and whether it may be missing.

    ``unread`` is its type where DuckDB could fail to read an entry: it may not be named in a query.
    """

    name: str
    nullable: bool
    unread: Physical | None


def duckdb_scan(paths: Sequence[Path]) -> str:
    """SQL for the rows of one file or several.

    From version 2 on, bytes that are no UTF-8 are question marks; before, one such entry ends the
    query.
    """
    quoted = ", ".join("'" + _name(path).replace("'", "''") + "'" for path in paths)
    replaced = ", utf8_validation='replace'" if _replaces_bytes() else ""
    return f"read_parquet([{quoted}], hive_partitioning=false{replaced})"


def _name(path: Path) -> str:
    """A name is a pattern to DuckDB: in brackets, a character stands for itself."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


@cache
def _replaces_bytes() -> bool:
    """Whether this DuckDB knows how; a list of all its functions takes longer than a small file."""
    asked = "SELECT DISTINCT unnest(parameters) FROM duckdb_functions() WHERE function_name = ?"
    with import_module("duckdb").connect(":memory:") as connection:
        found = connection.execute(asked, ["read_parquet"]).fetchall()
    return ("utf8_validation",) in found


def duckdb_fields(connection: Any, paths: Sequence[Path]) -> list[ParquetField]:
    """The columns of files as they are called there; of several, what one of them declares.

    A relation of DuckDB gives a name that is repeated, also in other letters, a number.
    """
    files = [_fields(connection, path) for path in paths]
    return [
        ParquetField(
            same[0].name,
            any(field.nullable for field in same),
            next((field.unread for field in same if field.unread is not None), None),
        )
        for same in zip(*files, strict=True)
    ]


def _fields(connection: Any, path: Path) -> list[ParquetField]:
    query = (
        "SELECT name, num_children, repetition_type, type, converted_type, logical_type "
        "FROM parquet_schema(?)"
    )
    found: list[ParquetField] = []
    inside = 0
    rows = connection.execute(query, [_name(path)]).fetchall()[1:]
    # depth first: a field of the top level follows all the fields inside the one before it
    for name, children, repetition, *kind in rows:
        unread = None if children else _unread(*kind)
        if not inside:
            found.append(ParquetField(str(name), repetition != "REQUIRED", unread))
        elif unread is not None:
            found[-1] = found[-1]._replace(unread=Physical("Struct", Reading.NESTED))
        inside = max(inside - 1, 0) + int(children or 0)
    return found


def _unread(stored: str, converted: str | None, logical: str | None) -> Physical | None:
    """The type of a column that DuckDB may not be asked to read, by what the file says of it."""
    kind, _, parts = (logical or "").partition("(")
    if stored == "INT96" or converted == "TIMESTAMP_MILLIS" or "MILLIS=MilliSeconds" in parts:
        return Physical("Time", Reading.OTHER, cure=TIME_OF_DAY) if kind == "TimeType" else _COARSE
    if kind == "TimeType" or (converted or "").startswith("TIME_"):
        return Physical("Time", Reading.OTHER, cure=TIME_OF_DAY)
    whole = (converted or "").startswith(("INT_", "UINT_"))
    if kind in _LOGICAL and (whole or converted in _CONVERTED):
        return None
    name = (converted or kind.removesuffix("Type")).title()
    cure = "DuckDB checks each entry while it reads and ends the query at a wrong one: write text"
    return Physical(name, Reading.OTHER, cure=cure)
