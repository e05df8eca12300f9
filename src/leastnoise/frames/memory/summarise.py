"""Summaries of columns that are arrays in memory: one method for each kind of request.

Also the values of a column under a missing policy, and their lattice integers.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.comparisons import equal_places
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.frames.table import Divided, Found, Table
from leastnoise.summaries.columns import Column
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ranks import RankRequest, RankSummary, Run, window_ranks

if TYPE_CHECKING:
    from leastnoise.frames.contract import Absent
    from leastnoise.frames.memory.losses import Losses
    from leastnoise.frames.memory.numbers import RawNumbers
    from leastnoise.summaries.cells import CellRequest, CellSummary
    from leastnoise.summaries.distinct import DistinctRequest, DistinctSummary
    from leastnoise.summaries.graphs import GraphRequest, GraphSummary
    from leastnoise.summaries.keys import HolderRequest, HolderSummary, KeyRequest, KeySummary
    from leastnoise.summaries.lattice import Lattice, MissingPolicy
    from leastnoise.summaries.metrics import ConfusionSummary, DeterminationSummary, RankingSummary
    from leastnoise.summaries.ordered import OrderedRequest, OrderedSummary
    from leastnoise.summaries.pairs import (
        ConfusionRequest,
        DeterminationRequest,
        LossRequest,
        RankingRequest,
    )
    from leastnoise.summaries.records import Records
    from leastnoise.summaries.requests import Request
    from leastnoise.summaries.spec import MomentRequest, RowRequest, SpreadRequest
    from leastnoise.summaries.spread import SpreadSummary
    from leastnoise.summaries.vectors import VectorRequest, VectorSummary
    from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary


Array = NDArray[Any]

Window = tuple[int, int]

# Arrays of at most so many entries are sorted; of longer ones a few ranks are selected.
SMALL = 1 << 17
# Longer products would wake the threads of the linear algebra library, which costs more.
_ROW = 1 << 13


def missing_at(column: Column) -> NDArray[np.bool_]:
    """Where values are missing."""
    if column.values.dtype.kind == "f":
        with np.errstate(all="ignore"):
            found = np.isnan(column.values)
        return found if column.missing is None else found | column.missing
    if column.missing is None:
        return np.zeros(len(column.values), dtype=bool)
    return column.missing


def marked(values: NDArray[Any], absent: Absent) -> NDArray[np.bool_] | None:
    """NOT PRIVATE. Where a number stands for a missing entry; None where no number does."""
    if not absent.numbers and not absent.infinite:
        return None
    found = equal_places(values, absent.numbers) >= 0
    for number in absent.infinite if values.dtype.kind == "f" else ():
        found |= values == number
    return found


def rows_of(column: Column, rows: slice) -> Column:
    """Some rows of a column, without a copy."""
    missing = None if column.missing is None else column.missing[rows]
    return Column(column.type, column.values[rows], missing)


def present(column: Column) -> Array:
    """The values that are not missing."""
    values = column.values
    if column.missing is not None:
        return values[~column.missing]
    if values.dtype.kind != "f":
        return values
    if not holds_nan(values):
        return values
    with np.errstate(all="ignore"):
        return values[~np.isnan(values)]


def holds_nan(values: Array) -> bool:
    """Whether a floating-point array holds a NaN: squares add up to one only there."""
    whole = len(values) // _ROW * _ROW
    with np.errstate(all="ignore"):
        rows, rest = values[:whole].reshape(-1, _ROW), values[whole:]
        return bool(np.isnan(np.vecdot(rows, rows)).any() or np.isnan(rest).any())


def filled(column: Column, lattice: Lattice, policy: MissingPolicy) -> Array:
    """The values with missing ones dropped, or set to the imputed lattice point."""
    values = present(column)
    absent = len(column.values) - len(values)
    if policy.impute is None:
        return values
    if lattice.whole(values):
        # one integer type for all: a common float type would round every other record
        kept = (
            lattice.clip_integers(values).astype(lattice.holder)
            if clips(values, lattice, policy)
            else values
        )
        if not absent:
            return kept
        if kept is values:
            kept = values.astype(_wide(values), copy=False)
        return np.concatenate([kept, np.full(absent, policy.impute, dtype=kept.dtype)])
    if not absent:
        return values
    return np.concatenate([values.astype(np.float64), np.full(absent, policy.raw)])


def _wide(values: Array) -> Any:
    """The integer type of 64 bits that holds these integers."""
    return np.uint64 if values.dtype == np.uint64 else np.int64


def clips(values: Array, lattice: Lattice, policy: MissingPolicy) -> bool:
    """Whether an imputed integer fits beside these integers only once they are inside the limits.

    A function of types and parameters, not of whether anything is missing.
    """
    if policy.impute is None or not lattice.whole(values):
        return False
    info = np.iinfo(_wide(values))
    return not info.min <= policy.impute <= info.max


def integers(run: Array, lattice: Lattice) -> list[int]:
    """A few values as lattice integers."""
    return _python(lattice.quantise(run))


def packed(run: Array, lattice: Lattice) -> Sequence[int]:
    """Many values as lattice integers, in 64-bit words that numpy reads as they are if they fit."""
    return words(lattice.quantise(run))


def words(points: Array) -> Sequence[int]:
    """Whole numbers in words of 64 bits if they fit."""
    return array("q", points.tobytes()) if points.dtype == np.int64 else _python(points)


def ranked_runs(values: Array, windows: Sequence[Window]) -> list[Array]:
    """For each (first, last), 1 <= first <= last <= n: the order statistics of those ranks.

    ``values`` is a one-dimensional array without NaN; it is not changed.
    """
    if not windows:
        return []
    longest = max(SMALL, len(values) // 8)
    if len(values) <= SMALL or any(last - first > longest for first, last in windows):
        if sum(last - first + 1 for first, last in windows) < len(values) // 2:
            parted = np.partition(values, sorted({end - 1 for window in windows for end in window}))
            return [np.sort(parted[first - 1 : last]) for first, last in windows]
        ordered = np.sort(values)
        return [ordered[first - 1 : last] for first, last in windows]
    from leastnoise.frames.memory.selection import selected_runs

    return selected_runs(values, windows)


def _python(points: Array) -> list[int]:
    found: list[int] = points.tolist()
    return found if points.dtype.kind in "iu" else [int(z) for z in found]


def summaries(
    tables: Sequence[Table], request: Request[Found], depth: int | None
) -> Sequence[Found]:
    """NOT PRIVATE. The summaries of several tables; computed at once for groups of one table."""
    if isinstance(tables, Divided):
        return tables.summaries(request, depth)
    found: list[Found] = []  # no comprehension: one frame less on the way of every release
    for table in tables:
        found.append(table.summarise(request, depth))
    return found


class ColumnReader:
    """NOT PRIVATE. Reads whole columns into this process, and computes the summaries there.

    Rare requests load their modules when needed: most processes release numbers of one column.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def ranks(self, request: RankRequest, depth: int | None) -> RankSummary:
        lattice = request.lattice
        values = filled(self.table.column(request.column), lattice, request.missing)
        n = len(values)
        if n == 0:
            return request.empty(depth)
        windows = [window_ranks(order, n, depth) for order in request.at]
        # rounding is monotone, so the selection works on raw values and only the runs are rounded
        runs = tuple(
            Run(first, integers(run, lattice))
            for (first, _), run in zip(windows, ranked_runs(values, windows), strict=True)
        )
        return RankSummary(n, lattice, request.at, runs, depth)

    def between(self, request: RankRequest, cuts: Sequence[int]) -> RankSummary:
        """All records, as far as comparisons with ascending public cuts distinguish them.

        The first and the last cut are the limits.
        """
        return self.records(request)

    def records(self, request: RankRequest) -> RankSummary:
        """All records, for queries by rank and counts by value."""
        found, at = self._records(request), request.at
        return RankSummary(len(found), request.lattice, at, (Run(1, found),) * len(at), None)

    def _records(self, request: RankRequest) -> Records:
        from leastnoise.frames.memory.held import held_records

        values = filled(self.table.column(request.column), request.lattice, request.missing)
        return held_records(values, request.lattice, request.at)

    def numbers(
        self, name: str | None, imputed: float | None, *, around: int | None = 0
    ) -> RawNumbers:
        """Present values of a column; missing ones dropped, or set to ``imputed``.

        ``around``: how many ranks on either side of the middle may be asked for; None for none.
        """
        from leastnoise.frames.memory.counted_numbers import numbers_of

        return numbers_of(self.table, name, imputed, around=around)

    def moments(self, request: MomentRequest, depth: int | None) -> MomentSummary:
        column = self.table.column(request.column)
        lattice, policy = request.lattice, request.missing
        values = column.values if column.missing is None else column.values[~column.missing]
        n, total = exact_sum(values, lattice, policy.impute)
        if column.missing is not None and policy.impute is not None:
            absent = len(column.values) - len(values)
            n, total = n + absent, total + absent * policy.impute
        smallest: list[int] = []
        largest: list[int] = []
        reach = n if depth is None else min(depth, n)
        if reach:
            ends = [(1, reach), (n - reach + 1, n)]
            low, high = ranked_runs(filled(column, lattice, policy), ends)
            smallest, largest = integers(low, lattice), integers(high, lattice)[::-1]
        return MomentSummary(n, total, lattice, smallest, largest, depth)

    def spread(self, request: SpreadRequest, depth: int | None) -> SpreadSummary:
        from leastnoise.frames.memory.spread import spread_summary

        return spread_summary(self.table.column(request.column), request, depth)

    def rows(self, request: RowRequest) -> RowSummary:
        if not request.missing.drops:
            return RowSummary(self.table.row_count())
        if request.labels:
            from leastnoise.frames.memory.conditions import missing_rows

            return RowSummary(int((~missing_rows(self.table, request.column)).sum()))
        return RowSummary(len(present(self.table.column(request.column))))

    def distinct(self, request: DistinctRequest) -> DistinctSummary:
        from leastnoise.frames.memory.persons import distinct_count
        from leastnoise.summaries.distinct import DistinctSummary

        return DistinctSummary(distinct_count(self.table, request.column))

    def cells(self, request: CellRequest) -> CellSummary:
        from leastnoise.frames.memory.cells import summarise_cells

        return summarise_cells(self.table, request)

    def keys(self, request: KeyRequest) -> KeySummary:
        from leastnoise.frames.memory.keys import key_counts

        return key_counts(self.table, request)

    def holders(self, request: HolderRequest) -> HolderSummary:
        from leastnoise.frames.memory.keys import key_holders

        return key_holders(self.table, request)

    def losses(self, request: LossRequest, depth: int | None) -> MomentSummary:
        from leastnoise.frames.memory.losses import summarise_losses

        return summarise_losses(self.table, request, depth)

    def all_losses(self, request: LossRequest) -> Losses:
        """All losses, before any lattice is known."""
        from leastnoise.frames.memory.losses import sorted_losses

        return sorted_losses(self.table, request)

    def confusion(self, request: ConfusionRequest) -> ConfusionSummary:
        from leastnoise.frames.memory.metrics import summarise_confusion

        return summarise_confusion(self.table, request)

    def ranking(self, request: RankingRequest) -> RankingSummary:
        from leastnoise.frames.memory.metrics import summarise_ranking

        return summarise_ranking(self.table, request)

    def determination(
        self, request: DeterminationRequest, depth: int | None
    ) -> DeterminationSummary:
        from leastnoise.frames.memory.metrics import summarise_determination

        return summarise_determination(self.table, request, depth)

    def weighted(self, request: WeightedRequest, depth: int | None) -> WeightedSummary:
        from leastnoise.frames.memory.weighted import summarise_weighted

        return summarise_weighted(self.table, request, depth)

    def vectors(self, request: VectorRequest) -> VectorSummary:
        from leastnoise.frames.memory.vectors import summarise_vectors

        return summarise_vectors(self.table, request)

    def ordered(self, request: OrderedRequest) -> OrderedSummary:
        from leastnoise.frames.memory.ordered import summarise_ordered

        return summarise_ordered(self.table, request)

    def graph(self, request: GraphRequest) -> GraphSummary:
        from leastnoise.frames.memory.common_neighbours import summarise_graph

        return summarise_graph(self.table, request)
