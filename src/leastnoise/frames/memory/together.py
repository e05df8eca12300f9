"""Summaries of many short runs of rows, computed for all of them at once."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.frames.memory.cells import cell_codes
from leastnoise.frames.memory.summarise import gone
from leastnoise.summaries.cells import CellRequest, CellSummary
from leastnoise.summaries.columns import Column
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ranks import RankSummaries
from leastnoise.summaries.spec import MomentRequest, RankRequest, RowRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from leastnoise.frames.memory.parts import Gathered
    from leastnoise.summaries.lattice import Lattice
    from leastnoise.summaries.ranks import RankSummary

    Array = NDArray[Any]

SHORT = 1 << 12
"""Average rows of a run up to which this is faster than one run after the other."""

# So many rows are looked at together, or one longer run.
_BLOCK = 1 << 18
# So many cells of all runs are counted together.
_CELLS = 1 << 24
_LIMB = 30


def summaries(
    whole: Gathered, ends: Array, request: object, depth: int | None
) -> Sequence[CellSummary | MomentSummary | RankSummary | RowSummary] | None:
    """NOT PRIVATE. The summary of every run; None for requests that runs answer one by one."""
    match request:
        case RowRequest() if not request.labels:
            return _rows(whole, ends, request)
        case MomentRequest() if depth == 0:
            return _moments(whole, ends, request)
        case CellRequest() if (len(ends) - 1) * request.size <= _CELLS:
            return _cells(whole, ends, request)
        case RankRequest():
            return _ranks(whole, ends, request, depth)
        case _:
            return None


def _rows(whole: Gathered, ends: Array, request: RowRequest) -> list[RowSummary]:
    counts = ends[1:] - ends[:-1]
    if request.missing.drops:
        column = whole.column(request.column)
        missing = gone(column) if column.missing is None else column.missing
        counts = counts - _sums(missing, ends)
    return [RowSummary(n) for n in counts.tolist()]


def _moments(whole: Gathered, ends: Array, request: MomentRequest) -> list[MomentSummary] | None:
    lattice, impute = request.lattice, request.missing.impute
    column = whole.column(request.column)
    if not _fits(column, lattice):
        return None
    found: list[MomentSummary] = []
    for runs in _blocks(ends):
        start, stop = int(runs[0]), int(runs[-1])
        values = column.values[start:stop]
        own = None if column.missing is None else column.missing[start:stop]
        missing = gone(Column(column.type, values, own))
        within = runs - start
        absent = _sums(missing, within)
        points = lattice.relative(np.where(missing, values.dtype.type(0), values)).astype(np.int64)
        points[missing] = 0
        # two limbs, so that no sum of a run wraps
        upper, lower = _sums(points >> _LIMB, within), _sums(points & ((1 << _LIMB) - 1), within)
        runs_of = np.stack([runs[1:] - runs[:-1] - absent, absent, upper, lower], 1)
        for n, no, high, low in runs_of.tolist():
            total = (high << _LIMB) + low + lattice.base * n
            if impute is not None:
                n, total = n + no, total + no * impute
            found.append(MomentSummary(n, total, lattice, (), (), 0))
    return found


def _cells(whole: Gathered, ends: Array, request: CellRequest) -> list[CellSummary]:
    runs, size = len(ends) - 1, request.size
    owner = np.repeat(np.arange(runs, dtype=np.int64), np.diff(ends)) * size
    counts = np.zeros(runs * size, dtype=np.int64)
    for rows, cells in cell_codes(whole.all(), request, runs * size):
        known = cells >= 0
        counts += np.bincount((owner[rows] + cells)[known], minlength=runs * size)
    return [CellSummary(tuple(row)) for row in counts.reshape(runs, size).tolist()]


def _ranks(
    whole: Gathered, ends: Array, request: RankRequest, depth: int | None
) -> RankSummaries | None:
    lattice, policy, targets = request.lattice, request.missing, len(request.at)
    column = whole.column(request.column)
    if not _fits(column, lattice) or max(-lattice.low, lattice.high) >= 1 << 62:
        return None
    values, missing = column.values, gone(column)
    points = np.zeros(len(values) + 1, dtype=np.int64)
    if lattice.whole(values):
        points[:-1] = lattice.relative(np.where(missing, values.dtype.type(0), values))
        points[:-1][missing] = policy.impute or 0
    else:
        filled = np.where(missing, policy.raw, values.astype(np.float64))
        points[:-1] = lattice.relative(filled).astype(np.int64) + lattice.base
    if policy.drops and missing.any():
        ends = ends - np.concatenate([[0], np.cumsum(missing)])[ends]
        points = np.append(points[:-1][~missing], 0)
    for start, stop in pairwise(ends.tolist()):
        points[start:stop].sort()
    starts, stops = (np.repeat(end, targets) for end in (ends[:-1], ends[1:]))
    ranks = np.ones_like(starts)
    return RankSummaries(lattice, request.at, depth, np.diff(ends), points, starts, stops, ranks)


def _fits(column: Column, lattice: Lattice) -> bool:
    """Whether lattice points less the base are integers of 64 bits: by type and parameters."""
    reach = max(abs(lattice.low - lattice.base), abs(lattice.high - lattice.base))
    return column.values.dtype != object and reach < 1 << 62


def _blocks(ends: Array) -> Iterator[Array]:
    """The ends of runs that are looked at together."""
    listed: list[int] = ends.tolist()
    first = 0
    while first < len(listed) - 1:
        beyond = max(first + 1, bisect_right(listed, listed[first] + _BLOCK) - 1)
        yield ends[first : beyond + 1]
        first = beyond


def _sums(values: Array, ends: Array) -> Array:
    """The sums of runs of integers, none of which wraps; what they have in common may."""
    total = np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
    return total[ends[1:]] - total[ends[:-1]]


__all__ = ["SHORT", "summaries"]
