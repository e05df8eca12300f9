"""The requests of graph statistics, and their small summaries.

A graph has public nodes and private edges: simple, undirected, without loops. Repeated edges,
directions, loops and edges to other nodes are dropped before anything is counted.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.params import listed, parse_column, parse_count, parse_flag
from leastnoise.summaries.lattice import MissingPolicy
from leastnoise.summaries.requests import Counted, OneColumn, Reader

MOST_NODES = 2**31 - 1
EVERY_LABEL = 2**62
"""How many labels there are where every label is a node: more than any memory holds."""
# Pairs (value, how often), the largest value first.
Tally = tuple[tuple[int, int], ...]
What = Literal["degrees", "triangles"]


@dataclass(frozen=True, slots=True)
class Nodes:
    """The public nodes: ``count`` of them, named 0, 1, ... or by ``labels`` in this order; or
    ``every`` label that there is.
    """

    count: int
    labels: tuple[Hashable, ...] | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class GraphRequest(OneColumn):
    """Degrees, or the common neighbours of all pairs of nodes."""

    column: str | None
    nodes: Nodes
    what: What
    lattice: None = None

    @property
    def missing(self) -> MissingPolicy:
        """The policy for edges that do not join two nodes."""
        if self.nodes.every:
            return MissingPolicy("edges without two labels are left out", 0)
        return MissingPolicy("edges outside the nodes are left out", 0)

    def empty(self, depth: int | None) -> DegreeSummary | TriangleSummary:
        """The summary of the graph without edges."""
        n = self.nodes.count
        if self.what == "degrees":
            return DegreeSummary(n, ())
        return TriangleSummary(n, (), (), ((0, 0),) if n > 1 else ())

    def read(self, reader: Reader, depth: int | None) -> DegreeSummary | TriangleSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.graph(self)


@dataclass(frozen=True, slots=True)
class GraphSpec:
    """Made by ``graph``."""

    form: ClassVar[Literal["graph"]] = "graph"
    columns: tuple[str, str] | None
    nodes: Nodes
    what: What

    def resolve(self) -> GraphRequest:
        """The request: it depends on no type of a column."""
        shown = None if self.columns is None else ", ".join(self.columns)
        return GraphRequest(shown, self.nodes, self.what)


@dataclass(frozen=True, slots=True, repr=False)
class DegreeSummary(Counted):
    """NOT PRIVATE. ``degrees``: how many nodes have each degree above 0, the largest first."""

    nodes: int
    degrees: Tally

    @property
    def edges(self) -> int:
        """The number of edges."""
        return sum(degree * count for degree, count in self.degrees) // 2


@dataclass(frozen=True, slots=True, repr=False)
class TriangleSummary(Counted):
    """NOT PRIVATE. The numbers that a count of triangles and its sensitivity depend on.

    Parameters
    ----------
    nodes : int
        Public number of nodes.
    joined, apart : Tally
        How many joined pairs of nodes have how many common neighbours, and how many pairs that are
        not joined (0 common neighbours left out).
    frontier : tuple of pairs (a, b)
        Over all pairs of nodes, a the common neighbours and b the nodes joined to exactly one of
        the two: the pairs of which no other has as many of both, a falling.
    """

    nodes: int
    joined: Tally
    apart: Tally
    frontier: tuple[tuple[int, int], ...]

    @property
    def triangles(self) -> int:
        """The number of triangles: each is seen from its three edges."""
        return sum(shared * count for shared, count in self.joined) // 3


GraphSummary = DegreeSummary | TriangleSummary


def graph(
    source: object, target: object, *, nodes: object, what: What, relabel: object = False
) -> GraphSpec:
    """The edges between declared nodes, or with ``relabel`` between all labels.

    Raises
    ------
    ParameterError, ParameterTypeError
        For missing or impossible nodes, nodes beside ``relabel``, or one column without the other.
    """
    every = parse_flag(relabel, "relabel")
    if every and nodes is not None:
        raise ParameterError(
            "relabel=True makes a node of every label, so there are no others to declare: leave "
            "nodes= out, or relabel="
        )
    if source is not None and target is None and not isinstance(source, str):
        raise ParameterTypeError(
            "the first parameters are names of columns, source and target; give the nodes as nodes="
        )
    first, second = parse_column(source), parse_column(target)
    if (first is None) != (second is None):
        raise ParameterError(
            "name both columns, the source and the target of an edge, or leave both out"
        )
    named = None if first is None or second is None else (first, second)
    return GraphSpec(named, Nodes(EVERY_LABEL, every=True) if every else parse_nodes(nodes), what)


def parse_nodes(nodes: object) -> Nodes:
    """Declared nodes: their number, or a label for each.

    Raises
    ------
    ParameterError, ParameterTypeError
        If they are missing, too many, repeated, or labels that cannot be compared.
    """
    if nodes is None:
        raise ParameterError(
            "nodes are required: give nodes=, the number of nodes (they are then called 0, 1, "
            "...), or a list of their labels, from public knowledge and never from the edges; or "
            "relabel=True, which makes a node of every label"
        )
    if isinstance(nodes, str) or not hasattr(nodes, "__iter__") or getattr(nodes, "shape", 1) == ():
        count = parse_count(nodes, "nodes")
        if count > MOST_NODES:
            raise ParameterError(f"nodes must be at most {MOST_NODES}, got {count}")
        return Nodes(count)
    if isinstance(nodes, (bytes, bytearray)):
        raise ParameterTypeError("nodes must be a number or a list of labels, not bytes")
    if isinstance(nodes, range) and nodes and nodes == range(len(nodes)):
        return parse_nodes(len(nodes))
    given: Any = listed(nodes)
    labels: tuple[Hashable, ...] = tuple(given)
    try:
        if len(set(labels)) < len(labels):
            raise ParameterError("nodes must be different from one another")
    except TypeError:
        raise ParameterTypeError(
            "nodes must be labels that can be compared: numbers, text or tuples of them"
        ) from None
    if not 1 <= len(labels) <= MOST_NODES:
        raise ParameterError(f"nodes must be between 1 and {MOST_NODES} labels")
    return Nodes(len(labels), labels)
