"""Graphs: objects of libraries, sparse matrices and files of edges; a row is an edge."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise.testing import ColumnKind, FrontEnd, entries
from support.front_ends.files import placed
from support.optional import optional

PLACES = [ColumnKind("places", list, entries.integers(0, 3))]
_KNOWN = ("a", "b", "1", "2", 1, 2, 0.1, None, "é")
LABELS = [
    ColumnKind("labels", list, lambda random: random.choice(_KNOWN)),
    ColumnKind("hostile labels", list, entries.hostile()),
]
WORDS = [ColumnKind("words", list, entries.texts(longest=False))]


def _networkx(columns: list[Any]) -> Any:
    return optional("networkx").Graph(list(zip(*columns, strict=True)))


def _rustworkx(columns: list[Any]) -> Any:
    graph = optional("rustworkx").PyGraph()
    graph.add_nodes_from(range(4))
    graph.add_edges_from([(a, b, None) for a, b in zip(*columns, strict=True)])
    return graph


def _sparse(columns: list[Any]) -> Any:
    ends = [np.array(column, dtype=np.int64) for column in columns]
    return optional("scipy.sparse").coo_array((np.ones(len(ends[0])), tuple(ends)), shape=(4, 4))


def _lines(columns: list[Any], path: Path) -> None:
    lines = [" ".join(map(str, row)) for row in zip(*columns, strict=True)]
    text = "\n".join(["# a comment", *lines, ""]).encode("utf-8", errors="replace")
    path.write_bytes(gzip.compress(text, 1) if ".gz" in path.name else text)


def _pairs(columns: list[Any]) -> list[Any]:
    return list(zip(*columns, strict=True))


def _of_edges(
    name: str, kinds: Sequence[ColumnKind], matrix: Callable[[list[Any]], object]
) -> Callable[[], FrontEnd]:
    return lambda: FrontEnd(name, kinds, matrix=matrix, bare=False)


def _file(name: str) -> Callable[[list[Any]], object]:
    return lambda made: placed(name, lambda path: _lines(made, path))


FRONTS: dict[str, Callable[[], FrontEnd]] = {
    "networkx": _of_edges("networkx", PLACES, _networkx),
    "rustworkx": _of_edges("rustworkx", PLACES, _rustworkx),
    "sparse matrix": _of_edges("sparse matrix", PLACES, _sparse),
    "list of edges": _of_edges("list of edges", [*PLACES, *LABELS], _pairs),
    "file of edges": _of_edges("file of edges", WORDS, _file("t.edges")),
    "file of edges.gz": _of_edges("file of edges.gz", WORDS, _file("t.txt.gz")),
}
