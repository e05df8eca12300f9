"""Summaries of many groups of rows, worked out for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.cells import cell_codes
from leastnoise.frames.memory.chunks import chunks
from leastnoise.frames.memory.parts import Parts
from leastnoise.frames.memory.summarise import missing_at, rows_of
from leastnoise.summaries.cells import CellRequest, CellSummary
from leastnoise.summaries.columns import Column
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.moments import MomentSummaries, MomentSummary, RowSummaries, RowSummary
from leastnoise.summaries.ranks import RankRequest, RankSummaries, RankSummary
from leastnoise.summaries.spec import MomentRequest, RowRequest

Array = NDArray[Any]

_SHORT = 1 << 12
"""Rows of a group, on average, up to which this is faster than one group after the other."""

# So many rows are added up at once, or one for each group, up to as many limbs below 2**32 as have
# a sum that doubles hold exactly.
_BLOCK, _EXACT = 1 << 18, 1 << 20
# So many cells of all groups are counted together.
_CELLS = 1 << 24
_LIMB = 30


def summaries(
    parts: Parts, request: object, depth: int | None
) -> Sequence[CellSummary | MomentSummary | RankSummary | RowSummary] | None:
    """NOT PRIVATE. What a request asks of every group; None where each is asked by itself."""
    short = len(parts.groups) < _SHORT * len(parts)
    match request:
        case RowRequest() if not request.labels:
            return _rows(parts, request)
        case MomentRequest() if depth == 0 and (short or len(parts) > 1):
            return _moments(parts, request)
        case CellRequest() if short and len(parts) * request.size <= _CELLS:
            return _cells(parts, request)
        case RankRequest() if short:
            return _ranks(parts, request, depth)
        case _:
            return None


def _rows(parts: Parts, request: RowRequest) -> RowSummaries:
    counts = parts.sizes
    if request.missing.drops:
        missing = missing_at(parts.chosen.column(request.column))
        counts = counts - np.bincount(parts.groups[missing], minlength=len(parts))
    return RowSummaries(counts.tolist())


def _moments(parts: Parts, request: MomentRequest) -> MomentSummaries | None:
    lattice, impute, many = request.lattice, request.missing.impute, len(parts)
    column = parts.chosen.column(request.column)
    if not _fits(column, lattice):
        return None
    absent, high, low = (np.zeros(many, np.int64) for _ in range(3))
    step = min(max(_BLOCK, many), _EXACT)
    for start in range(0, len(parts.groups), step):
        rows = slice(start, start + step)
        groups, run = parts.groups[rows], rows_of(column, rows)
        values, missing = run.values, missing_at(run)
        if missing.any():
            absent += np.bincount(groups[missing], minlength=many)
            groups, values = groups[~missing], values[~missing]
        for total, limb in zip((high, low), _limbs(lattice.relative(values)), strict=True):
            # whole numbers: doubles hold them and their sums
            total += np.bincount(groups, limb, many).astype(np.int64)
    counts = parts.sizes - absent
    base, n, no = lattice.base, counts.tolist(), absent.tolist()
    pairs = zip(high.tolist(), low.tolist(), strict=True)
    totals = [(upper << _LIMB) + lower for upper, lower in pairs]
    if base:
        totals = [total + base * rows for total, rows in zip(totals, n, strict=True)]
    if impute is not None:
        totals = [total + gone * impute for total, gone in zip(totals, no, strict=True)]
        n = parts.sizes.tolist()
    return MomentSummaries(lattice, n, totals)


def _limbs(points: Array) -> tuple[Array, Array]:
    """Whole numbers below 2**62 as 2**30 times one limb and another, of either sign."""
    if points.dtype.kind == "f":
        upper = np.rint(points * 2.0**-_LIMB)
        return upper, points - upper * 2.0**_LIMB
    points = points.astype(np.int64, copy=False)
    return points >> _LIMB, points & ((1 << _LIMB) - 1)


def _cells(parts: Parts, request: CellRequest) -> list[CellSummary]:
    many, size = len(parts), request.size
    counts = np.zeros(many * size, dtype=np.int64)
    for rows, cells in cell_codes(parts.chosen, request, many * size):
        known = cells >= 0
        counts += np.bincount((parts.groups[rows] * size + cells)[known], minlength=many * size)
    return [CellSummary(tuple(row)) for row in counts.reshape(many, size).tolist()]


def _ranks(parts: Parts, request: RankRequest, depth: int | None) -> RankSummaries | None:
    lattice, policy, targets = request.lattice, request.missing, len(request.at)
    if max(-lattice.low, lattice.high) >= 1 << 62:
        return None
    column, ends = parts.ordered.column(request.column), parts.ends
    if not _fits(column, lattice):
        return None
    values, missing = column.values, missing_at(column)
    points = np.zeros(len(values) + 1, dtype=np.int64)
    whole = lattice.whole(values)
    filler = values.dtype.type(0) if whole else policy.raw
    for here, part, gone in zip(*map(chunks, (points[:-1], values, missing)), strict=True):
        filled = part if whole else part.astype(np.float64, copy=False)
        if gone.any():
            filled = np.where(gone, filler, filled)
        here[:] = lattice.relative(filled)
        if whole:
            here[gone] = policy.impute or 0
        elif lattice.base:
            here += lattice.base
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
