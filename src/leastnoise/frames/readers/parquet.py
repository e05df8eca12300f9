"""Parquet files: the schema from the footer first, then one column at a time.

pyarrow reads them if it is installed, else Polars, else DuckDB. A field that the file declares
REQUIRED cannot hold missing values; Polars does not tell which are, so there every field can. A
name that is repeated is refused where it is asked for; Polars does not open such a file.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from leastnoise.errors import MissingDependencyError, SchemaError
from leastnoise.foreign import guarded, stop_if_signalled
from leastnoise.frames.contract import TIME_OF_DAY, Front, Physical
from leastnoise.frames.libraries import on_arrow, on_numpy, on_polars
from leastnoise.frames.memory.table import BareTable
from leastnoise.frames.readers.duckdb_files import duckdb_fields, duckdb_scan
from leastnoise.frames.readers.no_tables import begins_like
from leastnoise.frames.readers.polars_files import check_polars
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import (
    Table,
    check_reach,
    find_column,
    list_names,
    raise_alone,
    short_name,
)
from leastnoise.summaries.columns import Clock, Column, ColumnType, Reading

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    class _Reader(Protocol):
        """One library's way to read files of one schema; positions count its top level.

        ``types`` are the names and types of the first file as the library has them.
        """

        @property
        def front(self) -> Front: ...
        @property
        def types(self) -> Sequence[tuple[str, object]]: ...
        def names(self) -> tuple[str, ...]: ...
        def physical(self, position: int) -> Physical: ...
        def read(self, position: int, *, text: bool) -> Any: ...
        def rows(self) -> int: ...


class ParquetTable(Table):
    """NOT PRIVATE: Parquet files whose schema has been read and whose values have not.

    Of several files of one schema the rows are those of each, one file after the other.
    """

    __slots__ = ("_clocks", "_dialect", "_names", "_paths", "_reader")

    def __init__(self, paths: Sequence[Path], reader: _Reader, dialect: Dialect) -> None:
        """Keep the reader that `open_parquet` has chosen."""
        self._dialect = dialect
        self._paths = paths
        self._reader = reader
        self._names = reader.names()
        self._clocks: dict[str | None, Clock] = {}

    def check_reach(self) -> None:
        """Open every file."""
        for path in self._paths:
            check_reach(path)

    def column_names(self) -> tuple[str, ...]:
        """Give the names of the top level of the schema."""
        return self._names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the footer declares."""
        physical = self._physical(name)
        if name in self._clocks:
            return physical.timed(name, self._clocks[name])
        return self._dialect.absent.typed(physical.column_type(name))

    def own_clock(self, name: str | None) -> Clock | None:
        """That of the type that the footer declares."""
        return self._physical(name).clock

    def stand_ins(self, name: str | None) -> frozenset[str]:
        """Those declared, or the usual ones."""
        return self._dialect.absent.texts | self._dialect.absent.written

    def clocked(self, clocks: Mapping[str | None, Clock]) -> ParquetTable:
        """This file with some columns read by their clocks."""
        for name, clock in clocks.items():
            self._physical(name).timed(name, clock)
        other = copy(self)
        other._clocks = {**self._clocks, **clocks}
        return other

    def column(self, name: str | None) -> Column:
        """Read one column and no other."""
        kind = self.column_type(name)
        return self._read(name, text=False).read(kind)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the footer declares, for a column read as text labels."""
        bare = BareTable(self._reader.front, None, self._physical(name), self._dialect)
        return replace(bare, clock=self._clocks.get(name)).text_typed(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare one column with text labels."""
        self.text_type(name)
        return self._read(name, text=True).text_codes(None, labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of one column, or the digits of its numbers."""
        return self._read(name, text=True).text_ids(None)

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of one column, and tell them."""
        self.text_type(name)
        return self._read(name, text=True).text_values(None)

    def row_count(self) -> int:
        """Count the rows, by the footer."""
        with _readable(self._paths):
            return self._reader.rows()

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"ParquetTable({list_names(self._names, found='columns')}, NOT PRIVATE)"

    def _physical(self, name: str | None) -> Physical:
        position = find_column(name, self._names)
        with _readable(self._paths):
            return self._reader.physical(position)

    def _read(self, name: str | None, *, text: bool) -> BareTable:
        physical = self._physical(name)
        with _readable(self._paths):
            native = self._reader.read(find_column(name, self._names), text=text)
        clock = self._clocks.get(name)
        return BareTable(self._reader.front, native, physical, self._dialect, clock)


def open_parquet(*paths: Path, dialect: Dialect | None = None) -> ParquetTable:
    """Open Parquet files of one schema, and read it.

    Raises
    ------
    MissingDependencyError
        If neither pyarrow, Polars nor DuckDB is installed.
    SchemaError
        If a file cannot be read, is not a Parquet file, or has other columns than the first.
    """
    for library, reader in _READERS.items():
        if find_spec(library) is not None:
            found: list[_Reader] = []
            for path in paths:
                with _readable([path]):
                    found.append(reader([path]))
            _check_alike([path.name for path in paths], [each.types for each in found])
            if len(paths) == 1:
                return ParquetTable(paths, found[0], dialect or Dialect())
            with _readable(paths):
                return ParquetTable(paths, reader(paths), dialect or Dialect())
    raise MissingDependencyError(
        "a Parquet file needs pyarrow, Polars or DuckDB, and none is installed; "
        "pip install 'leastnoise[parquet]' brings pyarrow",
        extra="parquet",
    )


def _check_alike(files: Sequence[str], schemas: Sequence[Sequence[tuple[str, object]]]) -> None:
    """Refuse files whose columns are not those of the first, in names, order and types."""
    for file, schema in zip(files[1:], schemas[1:], strict=True):
        if schema == schemas[0]:
            continue
        pairs = zip_longest(schemas[0], schema, fillvalue=("none", ""))
        (one, first), (other, second) = next((a, b) for a, b in pairs if a != b)
        raise SchemaError(
            f"files of one table have the same columns, and where {files[0]} has "
            f"{short_name(one)!r} {first}, {file} has {short_name(other)!r} {second}: write them "
            "with one schema, or open them one by one"
        )


@contextmanager
def _readable(paths: Sequence[Path]) -> Generator[None]:
    for path in paths:
        if not path.is_file():
            raise SchemaError(f"there is no file {str(path)!r}")
    with guarded():
        try:
            yield
        except BaseException:  # readers quote the bytes they found; a panic is not an Exception
            stop_if_signalled()
            first, many = paths[0], len(paths)
            told = f"{first} cannot be read as a Parquet file; {_why_not_parquet(first)}"
            if many > 1:
                told = f"one of {many} Parquet files, the first of them {first}, cannot be read"
            raise_alone(SchemaError(told))


def _why_not_parquet(path: Path) -> str:
    """The error for a file of this name that no library reads, with the cure."""
    try:
        with path.open("rb") as file:
            first = file.read(16)
    except OSError:
        return "it is not there any more, or may not be read"
    if first.startswith(b"PAR1"):
        return "it is damaged or incomplete: wait until it is written, or fetch it again"
    if not first:
        return "it is empty: wait until it is written, or fetch it again"
    if first.startswith(b"\x1f\x8b"):
        return "it begins like gzip: unpack it, or name it .csv.gz if text is inside"
    if (told := begins_like(first)) is not None:
        return f"it begins like {told[0]}: {told[1]}"
    return "it is of another format: name it .csv if it is text"


class _ArrowReader:
    front: Front = on_arrow

    def __init__(self, paths: Sequence[Path]) -> None:
        self._parquet: Any = import_module("pyarrow.parquet")
        self._paths = paths
        schemas: list[Any] = [self._parquet.read_schema(path) for path in paths]
        self._schema = schemas[0]
        self._nullable = [
            any(schema.field(i).nullable for schema in schemas) for i in range(len(self._schema))
        ]

    @property
    def types(self) -> Sequence[tuple[str, object]]:
        return [(field.name, field.type) for field in self._schema]

    def names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    def physical(self, position: int) -> Physical:
        field = self._schema.field(position)
        return replace(on_arrow.physical(field.type), nullable=self._nullable[position])

    def read(self, position: int, *, text: bool) -> Any:
        name = self._schema.names[position]
        columns: list[Any] = []
        for path in self._paths:
            with self._parquet.ParquetFile(path) as file:
                # "a.b" also selects the field b of a; its column is then called "a".
                columns.append(file.read(columns=[name]).column(name))
        if len(columns) == 1:
            return columns[0]
        chunks = [chunk for column in columns for chunk in column.chunks]
        return import_module("pyarrow").chunked_array(chunks, columns[0].type)

    def rows(self) -> int:
        return sum(int(self._parquet.read_metadata(path).num_rows) for path in self._paths)


class _PolarsReader:
    front: Front = on_polars

    def __init__(self, paths: Sequence[Path]) -> None:
        self._polars: Any = import_module("polars")
        check_polars(paths)
        files = list(paths)
        self._lazy: Any = self._polars.scan_parquet(files, glob=False, hive_partitioning=False)
        self._schema: dict[str, Any] = dict(self._lazy.collect_schema())

    @property
    def types(self) -> Sequence[tuple[str, object]]:
        return list(self._schema.items())

    def names(self) -> tuple[str, ...]:
        return tuple(self._schema)

    def physical(self, position: int) -> Physical:
        return on_polars.physical(self._schema[self.names()[position]])

    def read(self, position: int, *, text: bool) -> Any:
        name = self.names()[position]
        if name.startswith("^") and name.endswith("$"):  # which Polars takes for a pattern
            name = f"^{re.escape(name)}$"
        return self._lazy.select(self._polars.col(name)).collect().to_series(0)

    def rows(self) -> int:
        return int(self._lazy.select(self._polars.len()).collect().item())


class _DuckReader:
    """Columns come as numpy arrays of the declared type, beside a mask."""

    front: Front = on_numpy
    # The type as DuckDB calls it, without its parameters; how it is read, and as what by numpy.
    _READ: ClassVar[dict[str, tuple[Reading, str]]] = {
        "BOOLEAN": (Reading.BOOLEAN, "?"),
        **{f"{x}INT": (Reading.INTEGER, f"i{n}") for x, n in (("TINY", 1), ("SMALL", 2))},
        **{f"U{x}INT": (Reading.INTEGER, f"u{n}") for x, n in (("TINY", 1), ("SMALL", 2))},
        "INTEGER": (Reading.INTEGER, "i4"),
        "UINTEGER": (Reading.INTEGER, "u4"),
        "BIGINT": (Reading.INTEGER, "i8"),
        "UBIGINT": (Reading.INTEGER, "u8"),
        "FLOAT": (Reading.FLOAT, "f4"),
        "DOUBLE": (Reading.FLOAT, "f8"),
        "DECIMAL": (Reading.DECIMAL, "f8"),
        "VARCHAR": (Reading.TEXT, "f8"),
        "ENUM": (Reading.CATEGORIES, "f8"),
    }

    # epoch_us() of a coarser type holds the years of nanoseconds only, 1677 to 2262.
    _COARSE: ClassVar[str] = "epoch_us(CAST({} AS TIMESTAMP))"
    # How they are read, how many seconds a count stands for, and the count.
    _TIMES: ClassVar[dict[str, tuple[Reading, Fraction, str]]] = {
        "DATE": (Reading.DATE, Fraction(86_400), "date_diff('day', DATE '1970-01-01', {})"),
        "TIMESTAMP": (Reading.MOMENT, Fraction(1, 10**6), "epoch_us({})"),
        "TIMESTAMP_S": (Reading.MOMENT, Fraction(1, 10**6), _COARSE),
        "TIMESTAMP_MS": (Reading.MOMENT, Fraction(1, 10**6), _COARSE),
        "TIMESTAMP_NS": (Reading.MOMENT, Fraction(1, 10**9), "epoch_ns({})"),
        "TIMESTAMP WITH TIME ZONE": (Reading.INSTANT, Fraction(1, 10**6), "epoch_us({})"),
    }

    def __init__(self, paths: Sequence[Path]) -> None:
        duckdb: Any = import_module("duckdb")
        self._connection: Any = duckdb.connect(":memory:")
        self._scan = duckdb_scan(paths)
        described = self._rows_of(f"DESCRIBE SELECT * FROM {self._scan}")
        self._kinds = [(str(row[0]), str(row[1])) for row in described]
        self._fields = duckdb_fields(self._connection, paths)

    @property
    def types(self) -> Sequence[tuple[str, object]]:
        return self._kinds

    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self._fields)

    def physical(self, position: int) -> Physical:
        kind = self._kinds[position][1].partition("(")[0]
        if (unread := self._fields[position].unread) is not None:
            return unread
        if kind in self._READ and not self._kinds[position][1].endswith("]"):  # of a list
            reading, code = self._READ[kind]
            return Physical(kind, reading, np.dtype(code), self._fields[position].nullable)
        if kind in self._TIMES:
            reading, unit, _ = self._TIMES[kind]
            return Physical(kind, reading, np.dtype(np.int64), unit=unit)
        if kind.startswith("TIME"):
            return Physical(kind, Reading.OTHER, cure=TIME_OF_DAY)
        return Physical(kind, Reading.OTHER)

    def read(self, position: int, *, text: bool) -> Any:
        name, kind = self._kinds[position]
        column = '"' + name.replace('"', '""') + '"'
        if text:
            column = f"CAST({column} AS VARCHAR)"
        elif kind in self._TIMES:
            column = f"TRY({self._TIMES[kind][2].format(column)})"
        elif kind.startswith("DECIMAL"):  # through text, because that is correctly rounded
            column = f"CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
        return self._connection.execute(f"SELECT {column} AS x FROM {self._scan}").fetchnumpy()["x"]

    def rows(self) -> int:
        return int(self._rows_of(f"SELECT count(*) FROM {self._scan}")[0][0])

    def _rows_of(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query).fetchall()


_READERS: dict[str, type[_ArrowReader | _PolarsReader | _DuckReader]] = {
    "pyarrow": _ArrowReader,
    "polars": _PolarsReader,
    "duckdb": _DuckReader,
}
