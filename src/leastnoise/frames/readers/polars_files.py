"""Parquet files at which Polars ends with a panic of its own, which it prints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from leastnoise.errors import SchemaError


def check_polars(paths: Sequence[Path]) -> None:
    """Refuse what Polars cannot open, by the footers of files: no value is read.

    Raises
    ------
    SchemaError
        If a column is an INTERVAL of months, days and milliseconds.
    """
    for path in paths:
        names: list[str] = []
        with suppress(Exception):  # a damaged file is told of where it is opened
            names = _intervals(path)
        if names:
            raise SchemaError(
                f"{path.name}: column {names[0]!r} is an INTERVAL, which Polars cannot open: open "
                "the file with engine='duckdb', or write it anew with seconds in its place, "
                f'EXTRACT(EPOCH FROM "{names[0]}") in DuckDB'
            )


def _intervals(path: Path) -> list[str]:
    """The columns of that type, if a library is there that can tell."""
    if find_spec("pyarrow") is not None:
        with import_module("pyarrow.parquet").ParquetFile(path) as file:
            fields: list[Any] = [file.schema.column(i) for i in range(len(file.schema))]
        return [str(each.path) for each in fields if each.converted_type == "INTERVAL"]
    if find_spec("duckdb") is None:
        return []
    with import_module("duckdb").connect() as connection:
        kinds = connection.execute(
            "SELECT name FROM parquet_schema(?) WHERE converted_type = 'INTERVAL'", [str(path)]
        )
        return [str(name) for (name,) in kinds.fetchall()]
