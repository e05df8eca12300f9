"""Parquet files: the schema from the footer first, then one column at a time.

pyarrow reads them if it is installed, else Polars, else DuckDB. A field that the file declares
REQUIRED cannot hold missing values; Polars does not tell which are, so there every field can.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from leastnoise.errors import (
    ColumnTypeError,
    LeastNoiseError,
    MissingDependencyError,
    SchemaError,
)
from leastnoise.frames.arrays import FROM_DATES, FROM_DURATIONS, array_column
from leastnoise.frames.dataframes import (
    series_column,
    series_text_codes,
    series_text_type,
    series_text_values,
    series_type,
)
from leastnoise.frames.labels import AS_NUMBERS, entry_codes, entry_values, no_text
from leastnoise.frames.table import find_column, list_names, raise_alone
from leastnoise.frames.values import Dialect
from leastnoise.summaries.columns import ColumnType

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path
    from typing import Protocol

    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.summaries.columns import Column

    class _Reader(Protocol):
        """One library's way to read one file; positions count the top level of the schema."""

        def names(self) -> tuple[str, ...]: ...
        def column_type(self, name: str, position: int) -> ColumnType: ...
        def column(self, type: ColumnType, position: int) -> Column: ...
        def text_type(self, name: str, position: int) -> ColumnType: ...
        def text_codes(self, position: int, labels: Sequence[str | float]) -> NDArray[np.int64]: ...
        def text_values(self, position: int) -> tuple[NDArray[np.int64], list[str]]: ...
        def rows(self) -> int: ...


class ParquetTable:
    """NOT PRIVATE: a Parquet file whose schema has been read and whose values have not."""

    __slots__ = ("_names", "_path", "_reader")

    def __init__(self, path: Path, reader: _Reader) -> None:
        """Keep the reader that `open_parquet` has chosen."""
        self._path = path
        self._reader = reader
        self._names = reader.names()

    def column_names(self) -> tuple[str, ...]:
        """Give the names of the top level of the schema."""
        return self._names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the footer declares."""
        position = find_column(name, self._names)
        with _readable(self._path):
            return self._reader.column_type(self._names[position], position)

    def column(self, name: str | None) -> Column:
        """Read one column and no other."""
        kind = self.column_type(name)
        with _readable(self._path):
            return self._reader.column(kind, find_column(name, self._names))

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the footer declares, for a column read as text labels."""
        position = find_column(name, self._names)
        with _readable(self._path):
            return self._reader.text_type(self._names[position], position)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare one column with text labels."""
        self.text_type(name)
        with _readable(self._path):
            return self._reader.text_codes(find_column(name, self._names), labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of one column."""
        with _readable(self._path):
            return self._reader.text_values(find_column(name, self._names))[0]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of one column, and tell them."""
        self.text_type(name)
        with _readable(self._path):
            return self._reader.text_values(find_column(name, self._names))

    def row_count(self) -> int:
        """Count the rows, by the footer."""
        with _readable(self._path):
            return self._reader.rows()

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"ParquetTable({list_names(self._names, found='columns')}, NOT PRIVATE)"


def open_parquet(path: Path) -> ParquetTable:
    """Open a Parquet file and read its schema.

    Raises
    ------
    MissingDependencyError
        If neither pyarrow, Polars nor DuckDB is installed.
    SchemaError
        If the file cannot be read, or is not a Parquet file.
    """
    for library, reader in _READERS.items():
        if find_spec(library) is not None:
            with _readable(path):
                return ParquetTable(path, reader(path))
    raise MissingDependencyError(
        "a Parquet file needs pyarrow, Polars or DuckDB, and none is installed; "
        "pip install 'leastnoise[parquet]' brings pyarrow",
        extra="parquet",
    )


@contextmanager
def _readable(path: Path) -> Generator[None]:
    if not path.is_file():
        raise SchemaError(f"there is no file {str(path)!r}")
    try:
        yield
    except (LeastNoiseError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # readers quote the bytes they found; a panic is no Exception
        raise_alone(
            SchemaError(
                f"{path} cannot be read as a Parquet file; it is damaged, incomplete or of another "
                "format"
            )
        )


class _ArrowReader:
    def __init__(self, path: Path) -> None:
        self._arrow: Any = import_module("pyarrow")
        self._parquet: Any = import_module("pyarrow.parquet")
        self._path = path
        self._schema: Any = self._parquet.read_schema(path)

    def names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    def column_type(self, name: str, position: int) -> ColumnType:
        nullable = bool(self._schema.field(position).nullable)
        return series_type(name, self._empty(position), nullable=nullable)

    def column(self, type: ColumnType, position: int) -> Column:
        return series_column(type, self._read(position), Dialect())

    def text_type(self, name: str, position: int) -> ColumnType:
        return series_text_type(name, self._empty(position))

    def text_codes(self, position: int, labels: Sequence[str | float]) -> NDArray[np.int64]:
        return series_text_codes(self._read(position), labels)

    def text_values(self, position: int) -> tuple[NDArray[np.int64], list[str]]:
        return series_text_values(self._read(position))

    def _empty(self, position: int) -> Any:
        return self._arrow.chunked_array([], type=self._schema.field(position).type)

    def _read(self, position: int) -> Any:
        name = self._schema.names[position]
        with self._parquet.ParquetFile(self._path) as file:
            # "a.b" also selects the field b of a; its column is then called "a".
            return file.read(columns=[name]).column(name)

    def rows(self) -> int:
        return int(self._parquet.read_metadata(self._path).num_rows)


class _PolarsReader:
    def __init__(self, path: Path) -> None:
        self._polars: Any = import_module("polars")
        self._lazy: Any = self._polars.scan_parquet(path, glob=False, hive_partitioning=False)
        self._schema: dict[str, Any] = dict(self._lazy.collect_schema())

    def names(self) -> tuple[str, ...]:
        return tuple(self._schema)

    def column_type(self, name: str, position: int) -> ColumnType:
        return series_type(name, self._empty(name))

    def column(self, type: ColumnType, position: int) -> Column:
        return series_column(type, self._read(position), Dialect())

    def text_type(self, name: str, position: int) -> ColumnType:
        return series_text_type(name, self._empty(name))

    def text_codes(self, position: int, labels: Sequence[str | float]) -> NDArray[np.int64]:
        return series_text_codes(self._read(position), labels)

    def text_values(self, position: int) -> tuple[NDArray[np.int64], list[str]]:
        return series_text_values(self._read(position))

    def _empty(self, name: str) -> Any:
        return self._polars.Series(name, [], dtype=self._schema[name])

    def _read(self, position: int) -> Any:
        name = self.names()[position]
        if name.startswith("^") and name.endswith("$"):  # which Polars takes for a pattern
            name = f"^{re.escape(name)}$"
        return self._lazy.select(self._polars.col(name)).collect().to_series(0)

    def rows(self) -> int:
        return int(self._lazy.select(self._polars.len()).collect().item())


class _DuckReader:
    _INTEGERS = frozenset(
        f"{sign}{size}"
        for sign in ("", "U")
        for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
    )

    def __init__(self, path: Path) -> None:
        duckdb: Any = import_module("duckdb")
        self._connection: Any = duckdb.connect(":memory:")
        # A name is a pattern to DuckDB: in brackets, a character stands for itself.
        self._path = "".join(f"[{c}]" if c in "*?[" else c for c in str(path))
        described = self._rows_of("DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning=false)")
        self._kinds = [(str(row[0]), str(row[1])) for row in described]
        # Depth first: a top-level field follows all the fields inside the one before it.
        fields = self._rows_of("SELECT num_children, repetition_type FROM parquet_schema(?)")
        self._required: list[bool] = []
        inside = 0
        for children, repetition in fields[1:]:
            if not inside:
                self._required.append(repetition == "REQUIRED")
            inside = max(inside - 1, 0) + int(children or 0)

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._kinds)

    def column_type(self, name: str, position: int) -> ColumnType:
        kind = self._kinds[position][1]
        nullable = not self._required[position]
        if kind in self._INTEGERS or kind == "BOOLEAN":
            return ColumnType(name, kind, integer=True, nullable=nullable)
        if kind in ("FLOAT", "DOUBLE"):
            return ColumnType(name, kind, integer=False, nullable=True)
        if kind.startswith("DECIMAL"):
            return ColumnType(name, kind, integer=False, nullable=nullable)
        cure = "write it as a column of numbers first"
        if kind.startswith(("DATE", "TIME")):
            cure = FROM_DATES
        elif kind == "INTERVAL":
            cure = FROM_DURATIONS
        raise ColumnTypeError(
            f"column {name!r} has type {kind.split('(')[0]}, which holds no numbers; {cure}"
        )

    def column(self, type: ColumnType, position: int) -> Column:
        name = self._quoted(position)
        if type.kind.startswith("DECIMAL"):  # through text, because that is correctly rounded
            name = f"CAST(CAST({name} AS VARCHAR) AS DOUBLE)"
        return array_column(type, self._values(name), Dialect())

    def text_type(self, name: str, position: int) -> ColumnType:
        kind = self._kinds[position][1]
        if kind.startswith(("VARCHAR", "ENUM")):
            return ColumnType(name, kind.split("(")[0], integer=False, nullable=True)
        numbers = kind in self._INTEGERS or kind.startswith(("BOOL", "FLOAT", "DOUBLE", "DECIMAL"))
        cure = AS_NUMBERS if numbers else "convert the column to text first"
        raise no_text(name, kind.split("(")[0], cure)

    def text_codes(self, position: int, labels: Sequence[str | float]) -> NDArray[np.int64]:
        return entry_codes(self._texts(position), labels)

    def text_values(self, position: int) -> tuple[NDArray[np.int64], list[str]]:
        return entry_values(self._texts(position))

    def _texts(self, position: int) -> list[object]:
        return self._values(f"CAST({self._quoted(position)} AS VARCHAR)").tolist()

    def _quoted(self, position: int) -> str:
        return '"' + self._kinds[position][0].replace('"', '""') + '"'

    def _values(self, expression: str) -> Any:
        query = f"SELECT {expression} AS x FROM read_parquet(?, hive_partitioning=false)"
        return self._connection.execute(query, [self._path]).fetchnumpy()["x"]

    def rows(self) -> int:
        query = "SELECT count(*) FROM read_parquet(?, hive_partitioning=false)"
        return int(self._rows_of(query)[0][0])

    def _rows_of(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, [self._path]).fetchall()


_READERS: dict[str, type[_ArrowReader | _PolarsReader | _DuckReader]] = {
    "pyarrow": _ArrowReader,
    "polars": _PolarsReader,
    "duckdb": _DuckReader,
}
