"""NOT PRIVATE. Common neighbours of all pairs of nodes, from one sparse product.

With A the adjacency matrix and c a power of two above the number of nodes, one entry of
(A + c I)^2 = A^2 + 2 c A + c^2 I holds the common neighbours of a pair in its low bits and, above
them, whether the pair is joined. Rows are multiplied in blocks of bounded work, so memory stays
bounded, and nothing but integers is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.table import Table
from leastnoise.summaries.graphs import (
    DegreeSummary,
    GraphRequest,
    Tally,
    TriangleSummary,
)

Array = NDArray[Any]
# Products of one block: some 50 MB of entries.
_WORK = 1 << 22
# Nodes for which a number each costs nothing.
_DENSE = 1 << 20


def summarise_graph(table: Table, request: GraphRequest) -> DegreeSummary | TriangleSummary:
    """The summary that a graph statistic asks for."""
    n = request.nodes.count
    low, high = table.edges(request.nodes)
    # nodes without edges are left out: what they add is known
    one, other, degrees = _active(low, high, n)
    if request.what == "degrees":
        return DegreeSummary(n, _tally(np.bincount(degrees)))
    if len(low) == 0:
        return TriangleSummary(n, (), (), ((0, 0),) if n > 1 else ())
    joined, apart, most = _count(one, other, degrees, n)
    return TriangleSummary(n, _tally(joined), _tally(apart), _frontier(most))


def _active(low: Array, high: Array, n: int) -> tuple[Array, Array, Array]:
    """The edges between the nodes that have one, numbered anew, and their degrees."""
    if n > _DENSE + 8 * len(low):
        active, ends = np.unique(np.concatenate([low, high]), return_inverse=True)
        return ends[: len(low)], ends[len(low) :], np.bincount(ends, minlength=len(active))
    degrees = np.bincount(low, minlength=n) + np.bincount(high, minlength=n)
    (active,) = np.nonzero(degrees)
    if len(active) == n:
        return low, high, degrees
    place = np.empty(n, dtype=np.int64)
    place[active] = np.arange(len(active))
    return place[low], place[high], degrees[active]


def _tally(counts: Array) -> Tally:
    """Value and how often, the largest first; without the value 0."""
    (values,) = np.nonzero(counts[1:])
    return tuple((int(v) + 1, int(counts[v + 1])) for v in values[::-1])


def _frontier(most: Array) -> tuple[tuple[int, int], ...]:
    """Of (a, most[a]), a falling: those with more of b than every larger a."""
    found: list[tuple[int, int]] = []
    for a in range(len(most) - 1, -1, -1):
        b = int(most[a]) - 2 * a
        if most[a] >= 0 and (not found or b > found[-1][1]):
            found.append((a, b))
    return tuple(found)


def _count(one: Array, other: Array, degrees: Array, n: int) -> tuple[Array, Array, Array]:
    """Tallies over joined pairs and pairs apart, and for every a the most of d_i + d_j.

    d leaves out the edge of the pair itself, so b = d_i + d_j - 2 a.
    """
    from scipy.sparse import csr_array

    size = len(degrees)
    small = size < 1 << 15
    kind, c = (np.int32, 1 << 15) if small else (np.int64, 1 << 31)
    here = np.arange(size, dtype=np.int32)
    entries = np.concatenate([np.ones(2 * len(one), kind), np.full(size, c, kind)])
    places = np.concatenate([one, other, here]), np.concatenate([other, one, here])
    matrix: Any = csr_array((entries, places), shape=(size, size))
    top = int(degrees.max()) + 1
    joined, apart = np.zeros(top, np.int64), np.zeros(top, np.int64)
    most = np.full(top, -1, kind)
    degree = degrees.astype(kind)
    for first, last in _blocks(matrix, degree):
        product = matrix[first:last] @ matrix
        row = np.repeat(here[first:last], np.diff(product.indptr))
        once = product.indices > row
        values, row, column = product.data[once], row[once], product.indices[once]
        edge = values >= 2 * c
        shared = values & (2 * c - 1)
        joined += np.bincount(shared[edge], minlength=top)
        apart += np.bincount(shared[~edge], minlength=top)
        np.maximum.at(most, shared, degree[row] + degree[column] - (edge.view(np.int8) << 1))
    most[0] = max(int(most[0]), _strangers(matrix, degree, n, int(most[0])))
    return joined, apart, most


def _blocks(matrix: Any, degree: Array) -> Iterator[tuple[int, int]]:
    """Ranges of rows of about equal work."""
    work = np.cumsum(np.add.reduceat(degree[matrix.indices] + 1, matrix.indptr[:-1]))
    first, size = 0, len(degree)
    while first < size:
        done = int(work[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(work, done + _WORK, "right")))
        yield first, last
        first = last


def _strangers(matrix: Any, degree: Array, n: int, known: int) -> int:
    """The most of d_i + d_j over pairs that are not joined and share no neighbour, at least known.

    Nodes in falling order of degree; a pair is seen from its larger end, so the search stops where
    twice a degree cannot win.
    """
    order = np.argsort(-degree, kind="stable")
    best = max(known, int(degree[order[0]])) if len(degree) < n else known
    for at, node in enumerate(order):
        if 2 * int(degree[node]) <= best:
            break
        near = np.zeros(len(degree), dtype=bool)
        around = matrix.indices[matrix.indptr[node] : matrix.indptr[node + 1]]
        near[matrix[around].indices] = True  # the diagonal puts the neighbours themselves in
        rest = ~near[order[at + 1 :]]
        if rest.any():
            best = max(best, int(degree[node] + degree[order[at + 1 + int(np.argmax(rest))]]))
    return best
