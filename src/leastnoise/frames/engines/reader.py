"""Summaries of a table that an engine holds: by queries, or from columns where none will do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.frames.engines.batches import held, merged, tables
from leastnoise.frames.engines.cells import summarise_cells
from leastnoise.frames.engines.conditions import Entry
from leastnoise.frames.engines.cuts import count_between
from leastnoise.frames.engines.engine import FEW, Engine, Lazy, guarded
from leastnoise.frames.engines.groups import PLAIN_ORDER, Answer, Groups
from leastnoise.frames.engines.keys import summarise_holders, summarise_keys
from leastnoise.frames.engines.lattice import can_impute, is_whole, present, reach_of
from leastnoise.frames.engines.losses import losses_of
from leastnoise.frames.engines.metrics import (
    summarise_confusion,
    summarise_determination,
    summarise_distances,
    summarise_ranking,
)
from leastnoise.frames.engines.numbers import EngineNumbers
from leastnoise.frames.engines.ordered import summarise_ordered
from leastnoise.frames.engines.records import EngineRecords
from leastnoise.frames.engines.summarise import (
    Selected,
    row_count,
    summarise_moments,
    summarise_ranks,
    summarise_spread,
)
from leastnoise.frames.engines.vectors import fits_engine, summarise_vectors
from leastnoise.frames.engines.weighted import summarise_weighted
from leastnoise.frames.memory.power_sums import WIDEST
from leastnoise.frames.memory.summarise import ColumnReader
from leastnoise.summaries.cells import CellRequest
from leastnoise.summaries.distinct import DistinctRequest, DistinctSummary
from leastnoise.summaries.losses import Distance
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ranks import RankRequest, RankSummary
from leastnoise.summaries.spec import MomentRequest, RowRequest, SpreadRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leastnoise.frames.engines.table import LazyTable, LimitedTable
    from leastnoise.frames.memory.losses import Losses
    from leastnoise.frames.memory.numbers import RawNumbers
    from leastnoise.frames.memory.table import NamedTable
    from leastnoise.summaries.cells import CellSummary
    from leastnoise.summaries.keys import HolderRequest, HolderSummary, KeyRequest, KeySummary
    from leastnoise.summaries.metrics import ConfusionSummary, DeterminationSummary, RankingSummary
    from leastnoise.summaries.ordered import OrderedRequest, OrderedSummary
    from leastnoise.summaries.pairs import (
        ConfusionRequest,
        DeterminationRequest,
        LossRequest,
        RankingRequest,
    )
    from leastnoise.summaries.records import Records
    from leastnoise.summaries.spread import SpreadSummary
    from leastnoise.summaries.vectors import VectorRequest, VectorSummary
    from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary

    OneColumn = RankRequest | MomentRequest | SpreadRequest


class EngineReader(ColumnReader):
    """NOT PRIVATE. Asks the engine; what only the values themselves answer is read as columns."""

    def __init__(self, table: LazyTable) -> None:
        super().__init__(table)
        self.held, self.engine = table, table.engine

    @guarded
    def ranks(self, request: RankRequest, depth: int | None) -> RankSummary:
        if self._by_values(request):
            return super().ranks(request, depth)
        return summarise_ranks(self._counted(request), request, depth)

    @guarded
    def between(self, request: RankRequest, cuts: Sequence[int]) -> RankSummary:
        """The records counted between public cuts."""
        return count_between(self._selected(request, 0), request, cuts)

    @guarded
    def _records(self, request: RankRequest) -> Records:
        if self._by_values(request):
            return super()._records(request)
        return EngineRecords(self._counted(request))

    @guarded
    def numbers(
        self, name: str | None, imputed: float | None, *, around: int | None = 0
    ) -> RawNumbers:
        """One column as doubles, to be asked by queries."""
        column, dtype = self.held.typed(name)
        return EngineNumbers.of(self.engine, self.held.frame, column, dtype, imputed)

    @guarded
    def moments(self, request: MomentRequest, depth: int | None) -> MomentSummary:
        if self._by_values(request):
            return super().moments(request, depth)
        return summarise_moments(self._counted(request), request, depth)

    @guarded
    def spread(self, request: SpreadRequest, depth: int | None) -> SpreadSummary:
        if request.lattice.width >= WIDEST or self._by_values(request):
            return super().spread(request, depth)
        return summarise_spread(self._counted(request), request, depth)

    @guarded
    def rows(self, request: RowRequest) -> RowSummary:
        if request.column is None or not request.missing.drops:
            return RowSummary(self.held.row_count())
        column, dtype = self.held.typed(request.column)
        there = Entry.of(column, dtype).there if request.labels else present(column, dtype)
        return RowSummary(row_count(self.engine, self.held.frame.filter(there)))

    @guarded
    def distinct(self, request: DistinctRequest) -> DistinctSummary:
        entry = Entry.apart(*self.held.typed(request.column))
        entries = self.held.frame.filter(entry.there).select(v=entry.value).unique()
        return DistinctSummary(row_count(self.engine, entries))

    @guarded
    def cells(self, request: CellRequest) -> CellSummary:
        return summarise_cells(*self._where(request.names), request)

    @guarded
    def keys(self, request: KeyRequest) -> KeySummary:
        person = None if request.person is None else self.held.typed(request.person)
        key = self.held.typed(request.column)
        return summarise_keys(self.engine, self.held.frame, key, person)

    @guarded
    def holders(self, request: HolderRequest) -> HolderSummary:
        key, person = self.held.typed(request.column), self.held.typed(request.person)
        return summarise_holders(self.engine, self.held.frame, key, person, request.shown)

    @guarded
    def losses(self, request: LossRequest, depth: int | None) -> MomentSummary:
        if isinstance(request.loss, Distance):
            return summarise_distances(*self._where(request.names), request, depth)
        parts, empty = self._passing(request), request.empty(depth)
        return merged(parts, lambda part: part.reader().losses(request, depth), empty)

    @guarded
    def all_losses(self, request: LossRequest) -> Losses:
        """All losses of two columns, to be asked by queries."""
        return losses_of(*self._where(request.names), request, self.held.untyped)

    @guarded
    def confusion(self, request: ConfusionRequest) -> ConfusionSummary:
        return summarise_confusion(*self._where(request.names), request)

    @guarded
    def ranking(self, request: RankingRequest) -> RankingSummary:
        return summarise_ranking(*self._where(request.names), request)

    @guarded
    def determination(
        self, request: DeterminationRequest, depth: int | None
    ) -> DeterminationSummary:
        return summarise_determination(*self._where(request.names), request, depth)

    @guarded
    def weighted(self, request: WeightedRequest, depth: int | None) -> WeightedSummary:
        engine, frame, columns = self._where(request.names)
        if depth is not None and depth <= FEW // 4:  # as many sums are compared with
            return summarise_weighted(engine, frame, columns, request, depth)
        rows = held(engine, frame, request.names, columns, self.held.untyped)
        return rows.reader().weighted(request, depth)

    @guarded
    def vectors(self, request: VectorRequest) -> VectorSummary:
        engine, frame, columns = self._where(request.names)
        if fits_engine(frame, columns, request):
            return summarise_vectors(engine, frame, columns, request)
        parts, empty = self._passing(request), request.empty(None)
        return merged(parts, lambda part: part.reader().vectors(request), empty)

    @guarded
    def ordered(self, request: OrderedRequest) -> OrderedSummary:
        found = summarise_ordered(*self._where(request.names), request)
        return super().ordered(request) if found is None else found

    def _where(self, names: Sequence[str | None]) -> tuple[Engine, Lazy, list[str]]:
        """What a query of some columns is made of."""
        return self.engine, self.held.frame, [self.held.find(name) for name in names]

    def _passing(self, request: LossRequest | VectorRequest) -> Iterator[NamedTable]:
        """Runs of rows as tables in memory."""
        engine, frame, columns = self._where(request.names)
        return tables(engine, frame, request.names, columns, self.held.untyped)

    def _by_values(self, request: OneColumn) -> bool:
        """Whether no query will do: limits or an imputed number outside the column's type."""
        dtype, lattice = self.held.schema[self.held.find(request.column)], request.lattice
        least, most = reach_of(dtype)
        if is_whole(dtype, lattice) and (lattice.low > most or lattice.high < least):
            return True
        return not can_impute(dtype, lattice, request.missing.impute)

    def _counted(self, request: OneColumn) -> Selected:
        return self._selected(request, self.held.row_count())

    def _selected(self, request: OneColumn, rows: int) -> Selected:
        frame, column, policy = self.held.frame, self.held.find(request.column), request.missing
        return Selected.of(self.engine, frame, column, request.lattice, policy, rows)


class LimitedReader(EngineReader):
    """NOT PRIVATE. Some rows of each person: what is asked of one column is answered from it, read
    once, where they are few."""

    def __init__(self, table: LimitedTable) -> None:
        super().__init__(table)
        self.table, self.limited = table.kept, table

    @guarded
    def between(self, request: RankRequest, cuts: Sequence[int]) -> RankSummary:
        if self.limited.reads_once(request.column):
            return self.records(request)
        return super().between(request, cuts)

    @guarded
    def numbers(
        self, name: str | None, imputed: float | None, *, around: int | None = 0
    ) -> RawNumbers:
        """One column as doubles."""
        if self.limited.reads_once(name):
            return ColumnReader.numbers(self, name, imputed, around=around)
        return super().numbers(name, imputed, around=around)

    def _by_values(self, request: OneColumn) -> bool:
        return self.limited.reads_once(request.column) or super()._by_values(request)


class GroupReader(EngineReader):
    """NOT PRIVATE. One group: by one query for all groups where there is one, else on its own."""

    def __init__(self, table: LazyTable, groups: Groups, group: int) -> None:
        super().__init__(table)
        self.groups, self.group = groups, group

    @guarded
    def together(self, request: object, depth: int | None) -> Answer[Any] | None:
        """The summaries of all groups, by one query; None where each has its own."""
        return self._together(request, depth)

    def _together(self, request: object, depth: int | None) -> Answer[Any] | None:
        groups, held = self.groups, self.held
        match request:
            case RowRequest():
                column = None if request.column is None else held.find(request.column)
                return groups.once(request, lambda: groups.counts(column, request))
            case MomentRequest() if depth is not None and not self._by_values(request):
                name = held.find(request.column)
                return groups.once((request, depth), lambda: groups.moments(name, request, depth))
            case RankRequest() if depth is not None and not self._by_values(request):
                if any(order.denominator > PLAIN_ORDER for order in request.at):
                    return None
                name = held.find(request.column)
                return groups.once((request, depth), lambda: groups.ranks(name, request, depth))
            case CellRequest():
                columns = [held.find(name) for name in request.names]
                return groups.once(request, lambda: groups.cells(columns, request))
            case _:
                return None

    @guarded
    def ranks(self, request: RankRequest, depth: int | None) -> RankSummary:
        found = self._together(request, depth)
        return super().ranks(request, depth) if found is None else found[self.group]

    @guarded
    def moments(self, request: MomentRequest, depth: int | None) -> MomentSummary:
        found = self._together(request, depth)
        return super().moments(request, depth) if found is None else found[self.group]

    @guarded
    def rows(self, request: RowRequest) -> RowSummary:
        found = self._together(request, None)
        return super().rows(request) if found is None else found[self.group]

    @guarded
    def cells(self, request: CellRequest) -> CellSummary:
        found = self._together(request, None)
        return super().cells(request) if found is None else found[self.group]
