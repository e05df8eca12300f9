"""The summary of a variance from an array: power sums, extremes and middle in one pass."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from leastnoise.frames.memory.power_sums import WIDEST, power_sums
from leastnoise.frames.memory.selection import SpreadCollector, spread_runs
from leastnoise.frames.memory.summarise import SMALL, clips, filled, packed
from leastnoise.summaries.columns import Column
from leastnoise.summaries.ranks import Run
from leastnoise.summaries.spec import SpreadRequest
from leastnoise.summaries.spread import SpreadSummary, middle_limits, shortened

Array = NDArray[Any]


def spread_summary(column: Column, request: SpreadRequest, depth: int | None) -> SpreadSummary:
    """NOT PRIVATE. The summary of one column; never raises on values."""
    lattice, raw = request.lattice, column.values
    small = len(raw) <= SMALL or lattice.width >= WIDEST
    small = small or clips(raw, lattice, request.missing)
    if depth and depth <= SMALL and column.missing is None and not small:
        # no row is known to be missing: one pass, given up at the first NaN
        low, high = (float(end * lattice.step) for end in (lattice.low, lattice.high))
        collector = SpreadCollector(raw, depth, low, high)
        sums = power_sums(raw, lattice, collector.collector.add)
        if sums is not None:
            return _summary(raw, request, depth, sums, collector)
    values = filled(column, lattice, request.missing)
    sums = power_sums(values, lattice) or (0, 0)
    return _summary(values, request, depth, sums, None)


def _summary(
    values: Array,
    request: SpreadRequest,
    depth: int | None,
    sums: tuple[int, int],
    collector: SpreadCollector | None,
) -> SpreadSummary:
    lattice, n = request.lattice, len(values)
    reach = n if depth is None else depth
    if reach == 0 or n == 0:
        return SpreadSummary(n, *sums, lattice, (), (), Run(1, ()), depth)
    limits = middle_limits(n, sums[0], lattice, reach)
    if collector is None:
        low, high, first, middle = spread_runs(values, *limits, reach)
    else:
        low, high, first, middle = collector.runs(*limits)
    return SpreadSummary(
        n,
        *sums,
        lattice,
        packed(low, lattice),
        packed(high, lattice)[::-1],
        Run(first, packed(shortened(middle, reach), lattice)),
        depth,
    )
