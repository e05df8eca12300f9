"""What is refused when a data set is opened, whatever will be asked of it."""

from __future__ import annotations

import array
from collections.abc import Mapping
from typing import Any

from leastnoise.frames.readers.open import open_table
from leastnoise.frames.readers.options import (
    EDGES,
    PARQUET,
    check_file,
    check_no_engine,
    check_not_a_file,
    check_path,
    suffix_of,
)
from leastnoise.frames.readers.text_format import TextFormat
from leastnoise.frames.readers.values import Dialect
from leastnoise.typeguards import is_path

_TEXT = (
    *("separator", "encoding", "header", "skip_rows", "skip_after_header", "comment"),
    "multiline",
)


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
    dialect = Dialect.of(options)
    given = {name: options[name] for name in _TEXT if name in options}
    written = TextFormat(**given, dialect=dialect)
    engine, source = options.get("engine"), options.get("source")
    if is_path(data):
        path = check_path(data)
        if not options and suffix_of(path) in EDGES:
            return
        check_file(path, written, engine, source)
        if engine is None and suffix_of(path) not in PARQUET:
            return
    elif _in_memory(data) or is_graph(data):
        check_no_engine(engine)
        check_not_a_file(data, written, source)
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
