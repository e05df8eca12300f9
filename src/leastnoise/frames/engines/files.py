"""Files that an engine reads where they stand, and tables of a database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw

from leastnoise.errors import ParameterError, SchemaError
from leastnoise.foreign import class_of
from leastnoise.frames.engines.engine import Engine, run
from leastnoise.frames.engines.on_duckdb import DuckEngine
from leastnoise.frames.engines.table import LazyTable
from leastnoise.frames.readers.duckdb_files import ParquetField, duckdb_fields, duckdb_scan
from leastnoise.frames.readers.options import DATABASES, check_engine
from leastnoise.frames.readers.parquet import open_parquet
from leastnoise.frames.readers.polars_files import check_polars


def open_with_engine(paths: tuple[Path, ...], engine: object, source: object) -> LazyTable:
    """Let an engine open a file, or several of one schema.

    Parameters
    ----------
    paths
        Parquet files; for DuckDB a database file as well, which is opened for reading only.
    engine
        "duckdb" or "polars".
    source
        The table or view of a database file.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the engine is unknown, or does not read this kind of file, or if ``source`` is missing or
        out of place.
    MissingDependencyError
        If the engine is not installed.
    SchemaError
        If the file is damaged, or holds no such table.
    """
    path = paths[0]
    name = check_engine(path, engine)
    if len(paths) > 1:
        if path.suffix.lower() in DATABASES:
            raise ParameterError("a database is opened by itself: give the path of one file")
        open_parquet(*paths)  # which refuses other columns: an engine would, when it reads the rows
    if name == "polars":
        import polars as pl

        from leastnoise.frames.engines.on_polars import PolarsEngine  # only where it is installed

        _no_source(source)
        check_polars(paths)
        return _opened(
            PolarsEngine(),
            lambda: pl.scan_parquet(list(paths), glob=False, hive_partitioning=False),
        )
    import duckdb

    duck = DuckEngine(fresh=path.suffix.lower() not in DATABASES)
    if path.suffix.lower() in DATABASES:
        return _opened(
            duck, lambda: _table(duck.held(duckdb.connect(path, read_only=True)), source)
        )
    _no_source(source)
    connection = duck.held(duckdb.connect())
    return _opened(
        duck, lambda: _readable(connection, paths), lambda: duckdb_fields(connection, paths)
    )


def _readable(connection: Any, paths: tuple[Path, ...]) -> Any:
    """The rows of files, with no entry in columns where one could end the query.

    It would wherever the query names the column, whether or not it is used.
    """
    rows = connection.sql(f"FROM {duckdb_scan(paths)}")
    fields = zip(rows.columns, duckdb_fields(connection, paths), strict=True)
    unread = [name.replace('"', '""') for name, field in fields if field.unread is not None]
    if not unread:
        return rows
    empty = ", ".join(f'CAST(NULL AS TIMESTAMP) AS "{name}"' for name in unread)
    return connection.sql(f"SELECT * REPLACE ({empty}) FROM {duckdb_scan(paths)}")


def open_connection(connection: Any, source: object) -> LazyTable | None:
    """The table ``source`` of a DuckDB connection; None if it is not such a connection."""
    kind = class_of(connection)
    if not (kind.__name__ == "DuckDBPyConnection" and "duckdb" in kind.__module__):
        return None
    return _opened(DuckEngine(), lambda: _table(connection, source))


def _table(connection: Any, source: object) -> Any:
    if not isinstance(source, str) or not source.strip():
        raise ParameterError(
            "source is required: the name of a table or view of the database, source='pay', or "
            "give a relation, connection.sql('SELECT ...')"
        )
    return connection.table(source)


def _no_source(source: object) -> None:
    if source is not None:
        raise ParameterError("source= names a table of a database, and a Parquet file is one table")


def _opened(
    engine: Engine,
    native: Callable[[], Any],
    fields: Callable[[], list[ParquetField] | None] = lambda: None,
) -> LazyTable:
    try:
        return run(engine, lambda: LazyTable(nw.from_native(native()), engine, fields()))
    except SchemaError:
        pass
    raise SchemaError(
        f"{engine.name} could not open the table; check that the file is complete, of this "
        "format and without repeated column names, that it is not open elsewhere for writing, and "
        "that the table exists"
    )
