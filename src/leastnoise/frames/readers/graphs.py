"""One door for graphs: edge lists, matrices, graph objects, frames and files become edges.

An edge is an unordered pair of two declared nodes. Every front end turns each endpoint, by itself,
into the position of a node or into -1; loops, repeats, directions and endpoints that are no
declared node are then left out in one place. Nothing raises because of a value.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import SchemaError
from leastnoise.foreign import all_of, guarded, is_path, stop_if_signalled
from leastnoise.frames.libraries import on_numpy
from leastnoise.frames.memory.table import array_table
from leastnoise.frames.readers.csv import CsvTable
from leastnoise.frames.readers.edge_names import ends_elsewhere
from leastnoise.frames.readers.nodes import finder
from leastnoise.frames.readers.open import library_of_graph, open_table
from leastnoise.frames.readers.options import EDGES, PARQUET, suffix_of
from leastnoise.frames.table import Table, find_column, raise_alone
from leastnoise.production import sealed
from leastnoise.summaries.graphs import GraphSpec, Nodes

Places = NDArray[np.int64]
Ends = tuple[Places, Places]
_LONGEST_LINE = 1 << 20
_LABEL = re.compile(r'"((?:[^"]|"")*)"(?=[\s,]|$)|[^\s,]+')


def _refuse(*_: object, **__: object) -> NoReturn:
    """Refuse questions about columns."""
    raise SchemaError("a graph has edges, and no columns")


class EdgeTable(Table):
    """NOT PRIVATE: a graph whose form is known and whose edges have not been looked at."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[Nodes], Ends]) -> None:
        """Keep how the endpoints are read, as positions of nodes or -1."""
        self._read = read

    def column_names(self) -> None:
        """Give None: a graph has no columns."""

    column_type = column = text_type = text_codes = text_ids = row_count = _refuse

    def ends(self, nodes: Nodes) -> Ends:
        """NOT PRIVATE. Both ends of everything that is an edge, as positions of nodes or -1."""
        return self._read(nodes)

    def edges(self, nodes: Nodes) -> Ends:
        """NOT PRIVATE. Every edge once, as two arrays of positions, the smaller in the first."""
        one, other = self._read(nodes)
        low, high = np.minimum(one, other), np.maximum(one, other)
        kept = (low >= 0) & (low != high) & (high < nodes.count)
        low, high = low[kept], high[kept]
        beyond = np.int64(high.max(initial=0) + 1)
        keys = low * beyond + high
        keys.sort()
        keys = keys[np.diff(keys, prepend=-1) != 0]
        return np.divmod(keys, beyond)


def open_graph(data: object, spec: GraphSpec, **options: Any) -> EdgeTable:
    """Open data as the edges of a graph; no edge is looked at.

    Parameters
    ----------
    data
        A list of pairs, an array of shape (m, 2), a square SciPy sparse matrix (nonzero entries are
        edges), a networkx or rustworkx graph, a frame with two columns, or the path of a file:
        .parquet, or .csv and .tsv with named columns, as tables; .csv and .tsv without names as
        records whose first two fields are an edge, a line of column names being none; .txt,
        .edges, .edgelist and .el (each also .gz) as lines of two labels between blanks or commas,
        where lines that start with # or % are comments and labels with blanks stand in quotes.
    spec
        Which columns of a frame hold the ends of an edge.
    **options
        How a file is read; see `open_table`.

    Raises
    ------
    ParameterTypeError, ParameterError, SchemaError
        If the form of the data or the file fits no graph; never because of an edge.
    """
    library = library_of_graph(data)
    graph: Any = data
    if library == "networkx":
        return EdgeTable(lambda nodes: _entries(list(graph.edges()), nodes))
    if library == "rustworkx":
        return EdgeTable(lambda nodes: _indexed(graph, nodes))
    if library == "scipy":
        if len(graph.shape) != 2 or graph.shape[0] != graph.shape[1]:
            raise SchemaError(f"a sparse matrix must be square, and its shape is {graph.shape}")
        return EdgeTable(lambda nodes: _matrix(graph, nodes))
    if is_path(data) and not options:
        path = Path(os.fspath(data))
        if spec.columns is None and path.is_file() and suffix_of(path) in EDGES:
            return EdgeTable(lambda nodes: _lines(path, nodes))
    if on_numpy.is_array(data):
        array = data
        if array.ndim == 2 and array.shape[1] == 2:
            ends = array.T
            if spec.nodes.every:
                finder(spec.nodes).check(array_table(ends[0]), None)
            return EdgeTable(lambda nodes: _array(ends, nodes))
        # np.array of an empty list of pairs has one dimension, of doubles: none of those is an edge
        if array.ndim != 1 or not (array.dtype == np.float64 or array.dtype == object):
            raise SchemaError(  # which says no length: one of them is the number of edges
                "an array of edges must have two columns and the shape (m, 2): give "
                "array.T of an array (2, m), array[:, :2] of one with weights, numpy.zeros((0, 2)) "
                "if there is no edge, and an adjacency matrix as scipy.sparse.csr_array(matrix)"
            )
        return EdgeTable(lambda nodes: _entries(on_numpy.as_objects(array).tolist(), nodes))
    if isinstance(data, (list, tuple, set, frozenset)):
        return EdgeTable(lambda nodes: _entries(graph, nodes))
    if spec.columns is None:
        if is_path(data) and (wrong := ends_elsewhere(data, spec, options)) is not None:
            raise SchemaError(": ".join(wrong))
        # the first line of a text file may be an edge, so its form must not depend on it; a line of
        # column names is not an edge, because names are not declared nodes
        if spec.nodes.every and "header" not in options and _is_text(data):
            raise SchemaError(
                "with relabel=True every label is a node, and so are names: give header=True "
                "where the first line holds the names of the columns, header=False where it is an "
                "edge, or name the columns"
            )
        options = {"header": False, **options}
    table = open_table(graph, **options)
    if isinstance(table, CsvTable) and spec.columns is None and not options["header"]:
        return _columns(table, spec, ("column_1", "column_2"))
    return _table(table, spec)


# --- from each form to positions --------------------------------------------------------------


def _table(table: Table, spec: GraphSpec) -> EdgeTable:
    names = table.column_names()
    if names is None:
        raise SchemaError("a graph needs two columns, the ends of every edge; give a list of pairs")
    columns = spec.columns
    if columns is None:
        if len(names) != 2:
            raise SchemaError(
                f"this table has {len(names)} columns whose names are text, and an edge has two "
                "ends: name their columns, for example EdgeCount('source', 'target', nodes=...)"
            )
        columns = (names[0], names[1])
    for name in columns:
        if isinstance(table, CsvTable):
            table.column_type(name)
        else:
            find_column(name, names)
    return _columns(table, spec, columns)


def _columns(table: Table, spec: GraphSpec, columns: tuple[str, str]) -> EdgeTable:
    for name in columns:  # what cannot be read is refused now, and not once edges are looked at
        finder(spec.nodes).check(table, name)

    def read(nodes: Nodes) -> Ends:
        held, find = table.hold(columns), finder(nodes)
        source, target = columns
        return find.column(held, source), find.column(held, target)

    return EdgeTable(read)


def _array(ends: Any, nodes: Nodes) -> Ends:
    find = finder(nodes)
    return find.array(ends[0]), find.array(ends[1])


def _matrix(matrix: Any, nodes: Nodes) -> Ends:
    stored = matrix.tocoo(copy=True)
    stored.sum_duplicates()  # entries of one place are added, as everywhere in SciPy
    kept = np.asarray(stored.data != 0, dtype=np.bool_)
    rows, columns = stored.coords if hasattr(stored, "coords") else (stored.row, stored.col)
    ends = np.array([rows, columns], dtype=np.int64)[:, kept]
    if nodes.every:  # in a matrix of any shape, whose places may be too large to be multiplied
        ends = np.unique(ends, return_inverse=True)[1].reshape(2, -1)
    ends[ends >= nodes.count] = -1
    return ends[0], ends[1]


def _indexed(graph: Any, nodes: Nodes) -> Ends:
    """A rustworkx graph: positions are its node indices, labels what its nodes hold."""
    ends = np.array([tuple(edge) for edge in graph.edge_list()], dtype=np.int64).reshape(-1, 2)
    if nodes.labels is None:
        return ends[:, 0], ends[:, 1]
    indices = list(graph.node_indices())
    at = np.full(max(indices, default=-1) + 1, -1, dtype=np.int64)
    at[np.array(indices, dtype=np.int64)] = finder(nodes).entries([graph[i] for i in indices])
    return at[ends[:, 0]], at[ends[:, 1]]


def _lines(path: Path, nodes: Nodes) -> Ends:
    opener: Any = gzip.open if path.name.lower().endswith(".gz") else open
    ends: list[str] = []
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace") as file:
            for line in _short_lines(file):
                if not line.startswith(("#", "%")):
                    fields = _labels(line)
                    if len(fields) >= 2:
                        ends += fields[:2]
    except (OSError, EOFError, zlib.error):
        raise_alone(SchemaError(f"{path} is damaged or has gone; it is not read"))
    places = finder(nodes).entries(ends)
    return places[::2], places[1::2]


def _is_text(data: object) -> bool:
    """Whether data is the path of a text file, whose first line may be an edge."""
    return is_path(data) and suffix_of(Path(os.fspath(data))) not in PARQUET


def _labels(line: str) -> list[str]:
    """What stands between blanks or commas; in quotes these are part of a label."""
    if '"' not in line:
        return line.replace(",", " ").split()
    return [x[1].replace('""', '"') if x[1] is not None else x[0] for x in _LABEL.finditer(line)]


def _short_lines(file: Any) -> Iterable[str]:
    """The lines of a file, and no more of a long one than its labels."""
    begins = True
    while line := file.readline(_LONGEST_LINE):
        if begins:
            yield line
        begins = line.endswith("\n")


def _entries(pairs: Iterable[Any], nodes: Nodes) -> Ends:
    """Pairs of labels; more than two entries (weights, attributes) are allowed, fewer left out."""
    listed = list(pairs)
    plain = all_of(listed, tuple) or all_of(listed, list)
    if plain and set(map(len, listed)) <= {2}:
        flat: list[object] = list(chain.from_iterable(listed))
    else:
        with guarded(), sealed():
            flat = list(chain.from_iterable(map(_two, listed)))
    places = finder(nodes).entries(flat)
    return places[::2], places[1::2]


def _two(entry: object) -> tuple[object, object]:
    try:
        if on_numpy.is_array(entry) and entry.ndim == 1:
            entry = on_numpy.as_objects(entry).tolist()
        if isinstance(entry, (tuple, list, frozenset, set)):
            ends = list(cast("Iterable[object]", entry))[:2]
            if len(ends) == 2:
                return ends[0], ends[1]
    except BaseException:  # a class of its own may raise anything at all
        stop_if_signalled()
    return None, None
