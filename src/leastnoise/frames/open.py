"""One door for all data: a list, an array, a frame or a file becomes a table."""

from __future__ import annotations

import array
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from leastnoise.errors import ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames.arrays import SequenceTable, open_array
from leastnoise.frames.csv import SEPARATORS, open_csv
from leastnoise.frames.mappings import MappingTable, check_lengths
from leastnoise.frames.parquet import open_parquet
from leastnoise.frames.table import Table
from leastnoise.frames.values import Dialect

_FRAMES = "a list, a numpy array, a dict of columns, a pandas, Polars or Arrow frame, or a path"
# What is surely no table of ours; asking the protocol takes longer than all else here.
_USUAL: frozenset[type] = frozenset({np.ndarray, list, dict, str})
_PACKED = frozenset({".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz"})


def open_table(
    data: object,
    *,
    separator: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    encoding: str = "utf-8",
    header: bool = True,
    engine: str | None = None,
    source: str | None = None,
) -> Table:
    """Open data as a table whose schema is known and whose values have not been looked at.

    Parameters
    ----------
    data
        A list, tuple, range or one-dimensional numpy array; a dict of name to such a column; a
        data frame or series of pandas or Polars, an Arrow table or array; the path of a CSV, TSV or
        Parquet file (.csv, .tsv, .txt, each also with .gz; .parquet). A Polars lazy frame, DuckDB
        relation or connection, or Spark data frame is read by its engine, where it stands. A table
        is given back.
    separator
        The separator of a text file, one character; taken from the file name if None.
    decimal, thousands
        How numbers are written where they are text: in text files, lists and object columns.
    encoding
        The encoding of a text file.
    header
        Whether the first line of a text file holds the names of the columns.
    engine
        "duckdb" or "polars": let that engine read a Parquet file, whose columns then never enter
        this process; "duckdb" reads database files too.
    source
        The table or view of a DuckDB connection or database file.

    Raises
    ------
    ParameterTypeError, ParameterError
        If ``data`` or another parameter is of a type or value that cannot be used.
    SchemaError
        If the shape, the file or its header does not make a table. Never because of a value.
    MissingDependencyError
        If no installed library reads Parquet.

    Examples
    --------
    >>> table = open_table({"age": [31, None, "47"], "member": np.array([True, False, True])})
    >>> table.column_names()
    ('age', 'member')
    >>> table.column_type("member").integer
    True
    >>> table.column("age").values
    array([31., nan, 47.])
    """
    if type(data) not in _USUAL and isinstance(data, Table):
        return data
    dialect = Dialect(decimal, thousands)
    if isinstance(data, (str, os.PathLike)):
        path = _check_path(cast("str | os.PathLike[str]", data))
        if engine is not None:
            from leastnoise.frames.lazy.files import open_with_engine  # only for engines

            return open_with_engine(path, engine, source)
        if source is not None:
            raise ParameterError("source= needs engine='duckdb', which reads database files")
        if _suffix(path) in (".parquet", ".pq"):
            return open_parquet(path)
        if _suffix(path) in SEPARATORS or separator is not None:
            return open_csv(
                path, separator=separator, encoding=encoding, header=header, dialect=dialect
            )
        raise _unknown_format(path)
    if engine is not None:
        raise ParameterError("engine= is for files: data that an engine holds is read by it anyway")
    if hasattr(type(data), "read_parquet"):
        from leastnoise.frames.lazy.files import open_connection  # only for engines

        found = open_connection(data, source)
        if found is not None:
            return found
    if source is not None:
        raise ParameterError("source= names a table of a DuckDB connection or database file")
    if separator is not None:
        raise ParameterError(
            f"separator= is for text files; {type(data).__name__} data has columns already"
        )
    if isinstance(data, Mapping):
        return _open_mapping(cast("Mapping[object, object]", data), dialect)
    table = _open_object(data, dialect)
    if table is None:
        raise _unknown_data(data)
    return table


def _open_object(data: object, dialect: Dialect) -> Table | None:
    if isinstance(data, (list, tuple, range)):
        return SequenceTable(cast("list[object]", data), dialect)
    if isinstance(data, (np.ndarray, array.array)):
        return open_array(np.asanyarray(cast("Any", data)), dialect)
    if isinstance(data, (int, float, complex, bytes, type(None))):
        return None
    from leastnoise.frames.dataframes import open_frame

    return open_frame(data, dialect)


def _open_mapping(data: Mapping[object, object], dialect: Dialect) -> MappingTable:
    columns: dict[str, Table] = {}
    for label, entries in data.items():
        if not isinstance(label, str):
            raise SchemaError(
                f"a column name must be text, and one of the mapping is {type(label).__name__}; "
                "rename it"
            )
        try:
            table = _open_object(entries, dialect)
        except SchemaError as error:
            raise SchemaError(f"column {label!r}: {error}") from None
        if table is None or table.column_names() is not None:
            raise SchemaError(
                f"column {label!r} of the mapping is {type(entries).__name__}; each column must be "
                "a list, an array or a series, with one entry a row"
            )
        columns[label] = table
    check_lengths(columns)
    return MappingTable(columns)


def _check_path(data: str | os.PathLike[str]) -> Path:
    text = os.fspath(data)
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError("a path must be text, not bytes; decode it with os.fsdecode")
    path = Path(text)
    try:
        if path.is_file():
            return path
        folder = path.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        folder = False
    if folder:
        raise SchemaError(f"{text!r} is a folder; give the path of one file")
    raise SchemaError(
        f"there is no file {text!r}; text is taken as the path of a local file, so give one that "
        "exists, or a list or frame for data in memory"
    )


def _suffix(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _unknown_format(path: Path) -> SchemaError:
    suffix = _suffix(path)
    if suffix in _PACKED:
        return SchemaError(f"{path}: {suffix} files are not read; unpack it, or pack it as .csv.gz")
    if suffix in (".xlsx", ".xls", ".ods"):
        return SchemaError(f"{path}: spreadsheets are not read; save the sheet as CSV")
    return SchemaError(
        f"{path}: the format is told by the file name, and {suffix or 'no extension'!r} is not "
        "known; rename it to .csv, .tsv or .parquet, or give separator= if it is text"
    )


def _unknown_data(data: object) -> ParameterTypeError:
    kind = type(data).__name__
    if isinstance(data, (int, float, complex, type(None))):
        return ParameterTypeError(f"data is one value of type {kind}, not a column; give {_FRAMES}")
    if hasattr(type(data), "read"):
        return ParameterTypeError(f"an open file ({kind}) is not read; give its path")
    if hasattr(type(data), "__array__"):
        return ParameterTypeError(f"{kind} is not read; give numpy.asarray(data)")
    if hasattr(type(data), "__iter__"):
        return ParameterTypeError(f"{kind} is not read; give list(data), or {_FRAMES}")
    return ParameterTypeError(f"{kind} is not read; give {_FRAMES}")
