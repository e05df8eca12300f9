"""Counts of edges, stars and triangles in a graph: the presence of every single edge is private."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from itertools import accumulate
from math import comb, lgamma, log
from typing import Any

import numpy as np

from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Laplace, Mechanism
from leastnoise.params import parse_count, parse_flag
from leastnoise.profiles import Profile, from_local_sensitivity, tightest
from leastnoise.statistics.statistic import Statistic, cut_notes
from leastnoise.summaries.graphs import (
    MOST_NODES,
    DegreeSummary,
    GraphSpec,
    TriangleSummary,
    What,
    graph,
)

EDGE_LEVEL = (
    "edge-level privacy: hides whether any one edge exists, not all edges of a person; the nodes "
    "are public"
)
EVERY_NODE = EDGE_LEVEL.replace("the nodes are public", "every label is a node")
# The digits that Python prints of an int, less some room for noise.
_MOST_DIGITS = 4000
# Where every label is a node: nodes of a complete graph that no memory holds, of 2 * 10^12 edges.
# A count ends there, and so does the noise.
_LARGEST = 2**21
# Levels for which the local sensitivity is computed at once.
_CHUNK = 128


def _settle(statistic: Any) -> None:
    """Check the parameters; keep the nodes as a number or a tuple, which compare and hash."""
    nodes = statistic.spec().nodes
    if not nodes.every:
        shown = nodes.count if nodes.labels is None else nodes.labels
        object.__setattr__(statistic, "nodes", shown)


def _edges(statistic: EdgeCount | KStarCount | TriangleCount, what: What) -> GraphSpec:
    source, target = statistic.source, statistic.target
    return graph(source, target, nodes=statistic.nodes, relabel=statistic.relabel, what=what)


def _counted(nodes: int) -> int:
    """How many nodes a complete graph has that a count ends at: public."""
    return nodes if nodes <= MOST_NODES else _LARGEST


def _note(relabel: bool) -> str:
    return EVERY_NODE if relabel else EDGE_LEVEL


@dataclass(frozen=True, slots=True)
class EdgeCount(Statistic):
    """The number of edges between declared nodes: a noisy int.

    Parameters
    ----------
    source, target, nodes, relabel, nonnegative
        As for ``TriangleCount``; noisy counts below 0 are kept unless ``nonnegative``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``nodes`` is missing or invalid; checked before any edge is read.

    Notes
    -----
    Global sensitivity 1. Default mechanism: ``Laplace()``. Guarantee: epsilon-DP for one edge, the
    relation "edge" (``docs/proofs/triangles.md``).
    """

    source: str | None = None
    target: str | None = None
    _: KW_ONLY
    nodes: object = None
    relabel: bool = False
    nonnegative: bool = False

    def __post_init__(self) -> None:
        parse_flag(self.nonnegative, "nonnegative")
        _settle(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return (_note(self.relabel), *cut_notes(self.nonnegative))

    def spec(self) -> GraphSpec:
        """The degrees."""
        return _edges(self, "degrees")

    def profile(self, summary: DegreeSummary, relation: str) -> Profile:
        """m - l and m + l, between 0 and all pairs of nodes."""
        edges, most = summary.edges, comb(summary.nodes, 2)
        return Profile(
            value=edges,
            lower=lambda level: max(0, edges - level),
            upper=lambda level: min(most, edges + level),
            support=(0, most),
            sensitivity=min(1, most),
            local_sensitivity=lambda level: min(1, most),
            monotone=True,
            integral=True,
            clamp=self.nonnegative,
        )

    def default_mechanism(self, relation: str) -> Mechanism:
        """Laplace: local and global sensitivity are equal."""
        return Laplace()


@dataclass(frozen=True, slots=True)
class KStarCount(Statistic):
    """The number of k-stars, a node with k of its neighbours: the sum of C(degree, k) over nodes.

    Parameters
    ----------
    k : int
        Neighbours of a star, at least 2 (a star of one neighbour is an edge counted twice).
    source, target, nodes, relabel
        As for ``TriangleCount``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``nodes`` or ``k`` is missing or invalid; checked before any edge is read.

    Notes
    -----
    Bounds are those of degree sequences: l more edges add 2 l to the degrees, at most l to one
    node, and do most for the largest degrees; removing l edges lowers the largest. Global
    sensitivity 2 C(n - 2, k - 1). Guarantee: epsilon-DP for one edge, the relation "edge"
    (``docs/proofs/triangles.md``).
    """

    source: str | None = None
    target: str | None = None
    _: KW_ONLY
    k: int = 2
    nodes: object = None
    relabel: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", parse_count(self.k, "k"))
        if self.k < 2:
            raise ParameterError("k must be at least 2; EdgeCount counts edges")
        _settle(self)
        if _digits(_counted(self.spec().nodes.count), self.k) > _MOST_DIGITS:
            raise ParameterError(
                f"k is too large for so many nodes: the count of stars could have more than "
                f"{_MOST_DIGITS} digits, which cannot be printed; give a smaller k"
            )

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return (_note(self.relabel),)

    def spec(self) -> GraphSpec:
        """The degrees."""
        return _edges(self, "degrees")

    def profile(self, summary: DegreeSummary, relation: str) -> Profile:
        """Bounds on the count after l edges are added or removed."""
        n, degrees, k = summary.nodes, summary.degrees, self.k
        stars = sum(count * comb(degree, k) for degree, count in degrees)
        idle = n - sum(count for _, count in degrees)
        growing = (*degrees, (0, idle)) if idle else degrees

        def upper(level: int) -> int:
            """Each node in turn, the largest degree first, rises by l or to n - 1."""
            left, gained = 2 * level, 0
            for degree, count in growing:
                rise = min(level, n - 1 - degree)
                if rise == 0:
                    continue
                whole = min(count, left // rise)
                gained += whole * (comb(degree + rise, k) - comb(degree, k))
                left -= whole * rise
                if whole < count and left:
                    gained += comb(degree + left, k) - comb(degree, k)
                    left = 0
                if not left:
                    break
            return stars + gained

        def lower(level: int) -> int:
            """One by one the steepest step down, at most l for one node."""
            left, lost = 2 * level, 0
            for step, nodes in _steps(degrees, level):
                taken = min(left, nodes)
                lost += taken * comb(step - 1, k - 1)
                left -= taken
                if not left:
                    break
            return max(0, stars - lost)

        most = _counted(n) * comb(_counted(n) - 1, k)
        return Profile(
            value=min(most, stars),
            lower=lambda level: min(most, lower(level)),
            upper=lambda level: min(most, upper(level)),
            support=(0, most),
            sensitivity=2 * comb(max(n - 2, 0), k - 1),
            integral=True,
        )


def _digits(n: int, k: int) -> float:
    """Digits of n C(n - 1, k), the most stars of n nodes: public."""
    if k >= n:
        return 0.0
    return (log(n) + lgamma(n) - lgamma(k + 1) - lgamma(n - k)) / log(10)


def _steps(degrees: tuple[tuple[int, int], ...], level: int) -> list[tuple[int, int]]:
    """(d, how many nodes can step from d to d - 1 within their l steps), d falling."""
    changes: dict[int, int] = {}
    for degree, count in degrees:
        changes[degree] = changes.get(degree, 0) + count
        if degree > level:
            changes[degree - level] = changes.get(degree - level, 0) - count
    if not changes:
        return []
    found: list[tuple[int, int]] = []
    able, needed = 0, 2 * level
    for step in range(max(changes), 0, -1):
        able += changes.get(step, 0)
        if able:
            found.append((step, able))
            needed -= able
        if needed <= 0:
            break
    return found


@dataclass(frozen=True, slots=True)
class TriangleCount(Statistic):
    """The number of triangles of a graph: a noisy int, private for every single edge.

    Parameters
    ----------
    source, target : str, optional
        The columns of a frame or file that hold the ends of an edge; omitted for a frame of two
        columns and for all other data.
    nodes : int or labels
        The public nodes: n of them, called 0, 1, ..., n - 1, or a list of n different labels. Edges
        to anything else are ignored silently, as are loops, repeats and directions. For a sparse
        matrix the nodes are its positions; for a rustworkx graph numbers are node indices and
        labels are the payloads of the nodes.
    relabel : bool
        Instead of ``nodes``: every label is a node, so no edge is left out but for a missing end.
        Labels are compared as text without the blanks around it, letter by letter; ``3``, ``3.0``
        and ``"3"`` are one, ``"03"`` is another. Counts beyond those of a complete graph of
        2^21 nodes count as that. Of a .csv or .tsv file whose columns are not named
        ``header=`` must be given.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``nodes`` is missing or invalid; checked before any edge is read.

    Notes
    -----
    Relation "edge", the only one: neighbours are graphs on the same nodes with one edge more or
    less. With T_l the sum of the l largest of a multiset and a the common neighbours of a pair, l
    changed edges give at most value + T_l(a of pairs apart) + C(l, 2) and at least value -
    T_l(a of edges), a little less where edges have fewer than l / 2 common neighbours; where the
    sum of the exact local sensitivities at distance 0, ..., l - 1 is tighter, that is taken.
    Guarantee: epsilon-DP (``docs/proofs/triangles.md``). Global sensitivity n - 2.
    ``local_sensitivity(s)`` is exact: Nissim, Raskhodnikova and Smith (2007), section 3.2. Radius
    form: Durfee (2025), Corollary 5.1.

    Examples
    --------
    >>> import leastnoise as ln
    >>> edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    >>> p = ln.profile(ln.TriangleCount(nodes=4), edges)
    >>> p.value, p.upper(1), p.lower(1), p.sensitivity
    (1, 2, 0, 2)
    """

    source: str | None = None
    target: str | None = None
    _: KW_ONLY
    nodes: object = None
    relabel: bool = False

    def __post_init__(self) -> None:
        _settle(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return (_note(self.relabel),)

    def spec(self) -> GraphSpec:
        """Common neighbours of all pairs."""
        return _edges(self, "triangles")

    def profile(self, summary: TriangleSummary, relation: str) -> Profile:
        """The tighter of the counted bounds and the radius form."""
        n = summary.nodes
        support, widest = (0, comb(_counted(n), 3)), max(n - 2, 0)
        found, value = summary.triangles, min(support[1], summary.triangles)
        lose, gain = _losses(_largest(summary.joined)), _largest(summary.apart)
        counted = Profile(
            value=value,
            lower=lambda l: min(support[1], max(0, found - lose(l))),
            upper=lambda l: min(support[1], found + gain(l) + comb(l, 2)),
            support=support,
            sensitivity=widest,
            integral=True,
        )
        radius = from_local_sensitivity(
            value, _local(summary), support=support, sensitivity=widest, integral=True
        )
        return tightest([counted, radius])


def _largest(tally: tuple[tuple[int, int], ...]) -> Callable[[int], int]:
    """l -> the sum of the l largest values."""
    counts = [0, *accumulate(count for _, count in tally)]
    sums = [0, *accumulate(value * count for value, count in tally)]

    def largest(level: int) -> int:
        at = bisect_right(counts, level) - 1
        return sums[at] if at == len(tally) else sums[at] + (level - counts[at]) * tally[at][0]

    return largest


def _losses(largest: Callable[[int], int]) -> Callable[[int], int]:
    """l -> max_j T_(l - j) + floor(j (l - j) / 2 + j^2 / 8): j edges drawn, the others erased.

    T is concave, so the term is concave in j and bisection on its slope finds the maximum.
    """

    def lost(level: int) -> int:
        def eighths(drawn: int) -> int:
            erased = level - drawn
            return 8 * largest(erased) + 4 * drawn * erased + drawn * drawn

        low, high = 0, level
        while low < high:
            middle = (low + high) // 2
            if eighths(middle) < eighths(middle + 1):
                low = middle + 1
            else:
                high = middle
        return eighths(low) // 8

    return lost


def _local(summary: TriangleSummary) -> Callable[[int], int]:
    """The exact local sensitivity at distance s: max min(a + (s + min(s, b)) // 2, n - 2)."""
    shared, single = np.array(summary.frontier, dtype=np.int64).reshape(-1, 2).T
    widest = max(summary.nodes - 2, 0)
    known: list[int] = []

    def local(distance: int) -> int:
        while len(known) <= distance:
            s = np.arange(len(known), len(known) + _CHUNK)[:, None]
            gained = shared + (s + np.minimum(s, single)) // 2
            found = np.minimum(gained, widest).max(axis=1, initial=0)
            known.extend(found.tolist())
        return known[distance]

    return local
