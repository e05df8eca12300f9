"""One door for all data: a list, an array, a frame or a file becomes a table, or is refused."""

from __future__ import annotations

import array
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.errors import ParameterTypeError, SchemaError
from leastnoise.foreign import is_list_or_tuple, is_mapping, is_masked, is_path
from leastnoise.frames.foreign import as_table
from leastnoise.frames.memory.table import BareTable, NamedTable, array_table, sequence_table
from leastnoise.frames.readers.no_tables import READ_CSV, cure_of
from leastnoise.frames.readers.options import (
    EDGES,
    PARQUET,
    TextFormat,
    check_engine_marks,
    check_file,
    check_not_a_file,
    paths_of,
    refuse_engine,
    suffix_of,
)
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import NO_FILES, Table, class_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_FRAMES = "a list, a numpy array, a dict of columns, a pandas, Polars or Arrow frame, or a path"
# What is surely no table of ours; asking the protocol takes longer than all else here.
_USUAL: frozenset[type] = frozenset({np.ndarray, list, dict, str})


def open_table(
    data: object,
    *,
    decimal: str = ".",
    thousands: str | None = None,
    missing_values: Sequence[object] | None = None,
    engine: str | None = None,
    source: str | None = None,
    **text: Any,
) -> Table:
    """Open data as a table whose schema is known and whose values have not been looked at.

    Parameters
    ----------
    data
        A list, tuple, range or one-dimensional numpy array; a dict of name to such a column; a
        data frame or series of pandas or Polars, an Arrow table or array; the path of a CSV, TSV or
        Parquet file (.csv, .tsv, .txt, each also with .gz; .parquet), or a pattern of several with
        the same columns, ``"pay/*.parquet"``, whose rows are those of one table. A Polars lazy
        frame, DuckDB relation or connection, or Spark data frame is read by its engine, where it
        stands. A table is given back.
    decimal, thousands
        How numbers are written where they are text: in text files, lists and object columns.
    missing_values
        Texts and numbers that stand for a missing entry, such as ``["NA", -999]``, instead of those
        of ``absent.STANDARD``; a blank one is missing anyway. Engines read no others than those.
    engine
        "duckdb" or "polars": let that engine read a Parquet file, whose columns then never enter
        this process; "duckdb" reads database files too.
    source
        The table or view of a DuckDB connection or database file.
    **text
        How a text file is written: ``separator``, ``encoding``, ``header``, ``skip_rows``,
        ``skip_after_header``, ``comment``, ``multiline``; see `TextFormat`.

    Raises
    ------
    ParameterTypeError, ParameterError
        If ``data`` or another parameter is of a type or value that cannot be used.
    DataFileError
        If there is no such file, or its name tells no format that is read.
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
    if type(data) not in _USUAL and (given := as_table(data)) is not None:
        return given
    dialect = Dialect.of(
        {"decimal": decimal, "thousands": thousands, "missing_values": missing_values}
    )
    if is_path(data):
        written = TextFormat(**text, dialect=dialect)
        paths = paths_of(data)
        for path in paths:
            check_file(path, written, engine, source)
        if engine is not None:
            check_engine_marks(missing_values)
        return _open_files(paths, written, engine, source)
    if engine is not None:
        refuse_engine()
    if hasattr(type(data), "read_parquet"):
        from leastnoise.frames.engines.files import open_connection  # only for engines

        found = open_connection(data, source)
        if found is not None:
            check_engine_marks(missing_values)
            return found
    if text or source is not None:
        check_not_a_file(data, TextFormat(**text, dialect=dialect), source)
    if is_mapping(data):
        if (cure := cure_of(class_name(data))) is not None:
            raise ParameterTypeError(f"{class_name(data)} is not read; give {cure}")
        return _open_mapping(data, dialect)
    table = _open_object(data, dialect)
    if table is None:
        raise _unknown_data(data)
    if not isinstance(table, (BareTable, NamedTable)):
        check_engine_marks(missing_values)
    return table


def _open_files(
    paths: tuple[Path, ...], written: TextFormat, engine: object, source: object
) -> Table:
    if engine is not None:
        from leastnoise.frames.engines.files import open_with_engine  # only for engines

        return open_with_engine(paths, engine, source)
    if suffix_of(paths[0]) in PARQUET:
        from leastnoise.frames.readers.parquet import open_parquet

        return open_parquet(*paths, dialect=written.dialect)
    from leastnoise.frames.readers.csv import open_csv

    tables = [open_csv(path, written) for path in paths]
    if len(tables) == 1:
        return tables[0]
    from leastnoise.frames.readers.several import stacked  # only of several files

    return stacked([path.name for path in paths], tables)


def _open_object(data: object, dialect: Dialect) -> Table | None:
    given: Any = data
    if is_list_or_tuple(data) or isinstance(data, range):
        return sequence_table(data, dialect)
    if isinstance(data, (np.ndarray, array.array)):
        # of a subclass, whose methods are anybody's, the entries alone; numpy's own has a mask
        as_array = np.asanyarray if is_masked(given) else np.asarray
        return array_table(as_array(given), dialect)
    if isinstance(data, (int, float, complex, bytes, type(None))):
        return None
    from leastnoise.frames.readers.dataframes import open_frame

    return open_frame(data, dialect)


def _open_mapping(data: Mapping[object, object], dialect: Dialect) -> NamedTable:
    columns: dict[str, BareTable] = {}
    for label, entries in data.items():
        if not isinstance(label, str):
            raise SchemaError(
                f"a column name must be text, and one of the mapping is {type(label).__name__}; "
                "rename it; of neighbours by node give a list of pairs"
            )
        try:
            table = _open_object(entries, dialect)
        except SchemaError as error:
            raise SchemaError(f"column {label!r}: {error}") from None
        if not isinstance(table, BareTable):
            raise SchemaError(
                f"column {label!r} of the mapping is {class_name(entries)}; each column must be "
                "a list, an array or a series, with one entry a row"
            )
        columns[label] = table
    return NamedTable.of(columns)


def _unknown_data(data: object) -> ParameterTypeError:
    kind = class_name(data)
    if isinstance(data, (int, float, complex, type(None))):
        return ParameterTypeError(f"data is one value of type {kind}, not a column; give {_FRAMES}")
    if hasattr(type(data), "spec"):
        return ParameterTypeError(
            f"data is a statistic, {kind}: the statistic comes first, release(statistic, data, ...)"
        )
    if (cure := cure_of(kind)) is not None:
        return ParameterTypeError(f"{kind} is not read; give {cure}")
    if hasattr(type(data), "read"):
        return ParameterTypeError(
            f"an open file ({kind}) is not read; give its path, or {READ_CSV}"
        )
    library = type(data).__module__.partition(".")[0]
    if library == "pandas":  # an array of numpy would have a type by the values
        return ParameterTypeError(f"{kind} is not read; give pandas.Series(data)")
    if hasattr(type(data), "columns"):
        return ParameterTypeError(f"frames of {library} are not read; give data.to_pandas()")
    if hasattr(type(data), "__array__"):
        return ParameterTypeError(f"{kind} is not read; give numpy.asarray(data)")
    if hasattr(type(data), "__iter__"):
        return ParameterTypeError(f"{kind} is not read; give list(data), or {_FRAMES}. {NO_FILES}")
    return ParameterTypeError(f"{kind} is not read; give {_FRAMES}")


def check_source(data: object, options: Mapping[str, Any]) -> None:
    """Refuse, before a data value is read, what no statistic could be released from.

    The header of a text file is left to the statistic, because it may hold the edges of a graph;
    lists and arrays may be one column, several, or edges, and a frame in memory can be opened.
    Everything else is opened as a table: names and types.

    Parameters
    ----------
    data
        As for `open_table`, or a graph.
    options
        The keywords of `open_table`.

    Raises
    ------
    ParameterTypeError, ParameterError, SchemaError, MissingDependencyError
        As `open_table`.
    """
    engine, source = options.get("engine"), options.get("source")
    if is_path(data):
        written = TextFormat.declared(options)
        paths = paths_of(data)
        if len(paths) == 1 and not options and suffix_of(paths[0]) in EDGES:
            return
        for path in paths:
            check_file(path, written, engine, source)
        if len(paths) == 1 and engine is None and suffix_of(paths[0]) not in PARQUET:
            return
    elif _in_memory(data) or is_graph(data):
        if engine is not None:
            refuse_engine()
        if options:
            check_not_a_file(data, TextFormat.declared(options), source)
        return
    open_table(data, **options)


def is_graph(data: object) -> bool:
    """Whether the data is an object of a library for graphs or matrices."""
    return library_of_graph(data) is not None


def library_of_graph(data: object) -> str | None:
    """The library whose graph or matrix the data is."""
    for kind in type(data).__mro__:
        name = kind.__module__.split(".", 2)
        if name[0] == "networkx" and hasattr(kind, "edges"):
            return "networkx"
        if name[0] == "rustworkx" and hasattr(kind, "edge_list"):
            return "rustworkx"
        if name[:2] == ["scipy", "sparse"] and hasattr(data, "tocoo"):
            return "scipy"
    return None


def _in_memory(data: object) -> bool:
    """Whether the data is rows, entries, edges, an array or a frame, which can always be opened."""
    if isinstance(data, (list, tuple, set, frozenset, range, array.array)):
        return True
    kind = type(data)  # asked of the object itself, a relation of DuckDB would count its rows
    return hasattr(kind, "shape") and (hasattr(kind, "dtype") or hasattr(kind, "__dataframe__"))
