"""A table that an engine holds: Polars lazy frames, DuckDB relations, Spark data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.frames.contract import Physical
from leastnoise.frames.engines.batches import held
from leastnoise.frames.engines.cells import summarise_cells
from leastnoise.frames.engines.conditions import Entry, is_one_of, kept
from leastnoise.frames.engines.cuts import count_between
from leastnoise.frames.engines.declared import physical
from leastnoise.frames.engines.engine import engine_of, guarded
from leastnoise.frames.engines.groups import Groups
from leastnoise.frames.engines.keys import summarise_keys
from leastnoise.frames.engines.lattice import can_impute, is_whole, present, reach_of
from leastnoise.frames.engines.numbers import EngineNumbers
from leastnoise.frames.engines.persons import PERSON, limited_persons
from leastnoise.frames.engines.records import EngineRecords
from leastnoise.frames.engines.several import losses_of, summarise_several
from leastnoise.frames.engines.summarise import (
    Selected,
    row_count,
    summarise_moments,
    summarise_ranks,
    summarise_spread,
)
from leastnoise.frames.memory.power_sums import WIDEST
from leastnoise.frames.readers.dataframes import open_series
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import find_column, list_names
from leastnoise.summaries.cells import CellRequest, CellSummary
from leastnoise.summaries.columns import Column, ColumnType, Reading
from leastnoise.summaries.distinct import DistinctRequest, DistinctSummary
from leastnoise.summaries.keys import KeyRequest, KeySummary
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ordered import OrderedSummary
from leastnoise.summaries.pairs import LossRequest, PairRequest, PairSummary
from leastnoise.summaries.ranks import RankSummary
from leastnoise.summaries.spec import (
    MomentRequest,
    RankRequest,
    Request,
    RowRequest,
    SpreadRequest,
)
from leastnoise.summaries.spread import SpreadSummary
from leastnoise.summaries.vectors import VectorRequest, VectorSummary
from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw
    import numpy as np
    from narwhals.dtypes import DType
    from numpy.typing import NDArray

    from leastnoise.frames.engines.engine import Engine, Lazy
    from leastnoise.frames.memory.losses import Losses
    from leastnoise.frames.memory.table import BareTable
    from leastnoise.frames.table import Table
    from leastnoise.randomness import BitSource
    from leastnoise.summaries.records import Records
    from leastnoise.summaries.subset import Subset

    _OneColumn = RankRequest | MomentRequest | SpreadRequest
    AnyRequest = (
        Request
        | CellRequest
        | DistinctRequest
        | KeyRequest
        | PairRequest
        | VectorRequest
        | WeightedRequest
    )
    Summary = (
        RankSummary
        | MomentSummary
        | SpreadSummary
        | RowSummary
        | CellSummary
        | DistinctSummary
        | PairSummary
        | VectorSummary
        | OrderedSummary
        | KeySummary
        | WeightedSummary
    )


class LazyTable:
    """NOT PRIVATE: a query that has not run, with its public schema."""

    __slots__ = ("_engine", "_frame", "_names", "_required", "_schema", "_untyped")

    def __init__(self, frame: nw.LazyFrame[Any], engine: Engine) -> None:
        self._engine = engine
        self._open(frame)

    @guarded
    def _open(self, frame: nw.LazyFrame[Any]) -> None:
        import narwhals as nw

        engine = self._engine
        self._names = tuple(engine.names(frame))
        # names of our own from here on: no engine reads anything into those
        inner = [f"c{i}" for i in range(len(self._names))]
        required = zip(inner, engine.required(frame), strict=True)
        self._required = frozenset(name for name, is_required in required if is_required)
        plain = engine.renamed(frame, inner)
        # a type without entries may be asked for numbers and for text: as text it can be both
        self._untyped = frozenset(engine.untyped(plain))
        missing = [nw.col(name).cast(nw.String) for name in sorted(self._untyped)]
        self._frame = plain.with_columns(*missing) if missing else plain
        self._schema = self._frame.collect_schema()

    def _find(self, name: str | None) -> str:
        return f"c{find_column(name, self._names)}"

    def column_names(self) -> tuple[str, ...]:
        """Give the names in order."""
        return self._names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the engine declares."""
        return self._physical(name).column_type(name)

    @guarded
    def check_reach(self) -> None:
        """Ask for no row; a query of Polars is left alone, whose functions see every table."""
        import narwhals as nw

        if not self._engine.in_process:
            self._engine.collect(self._frame.head(0).select(nw.len()))  # of no column's type

    @guarded
    def column(self, name: str | None) -> Column:
        """NOT PRIVATE: read a whole column into this process."""
        kind = self.column_type(name)
        return self._read(self._find(name), numbers=True).read(kind)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the engine declares, for a column read as text labels."""
        return self._physical(name).text_type(name)

    def _physical(self, name: str | None) -> Physical:
        inner = self._find(name)
        if inner in self._untyped:
            return Physical("Null", Reading.NULL)
        return physical(self._schema[inner], nullable=inner not in self._required)

    @guarded
    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """NOT PRIVATE: read a whole column into this process, as positions in text labels."""
        self.text_type(name)
        return self._read(self._find(name)).text_codes(None, labels)

    @guarded
    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """NOT PRIVATE: read a whole column into this process, as numbers of its texts."""
        return self._read(self._find(name)).text_ids(None)

    def _read(self, inner: str, *, numbers: bool = False) -> BareTable:
        import narwhals as nw

        column = nw.col(inner)
        if numbers and inner in self._untyped:
            column = column.cast(nw.Float64)
        found = self._engine.collect(self._frame.select(column))
        return open_series(found.get_column(inner).to_native(), Dialect())

    @guarded
    def together(self, names: Sequence[str]) -> Table:
        """NOT PRIVATE. Some columns whole, read by one query."""
        columns = [self._find(name) for name in names]
        return held(self._engine, self._frame, names, columns, self._untyped)

    @guarded
    def row_count(self) -> int:
        """Count the rows."""
        return row_count(self._engine, self._frame)

    @guarded
    def split(self, subset: Subset, source: BitSource) -> list[Table]:
        """NOT PRIVATE. The tables of all groups in the order of the keys, by queries to come.

        Which rows of a person are used is decided by the engine, without ``source``: see
        ``frames.engines.persons``.
        """
        return self._split(subset)

    def _split(self, subset: Subset) -> list[Table]:
        import narwhals as nw

        frame = self._frame
        if subset.where is not None:
            frame = frame.filter(kept(self._typed, subset.where))
        keys: list[str] = []
        entries: list[list[Any]] = []
        if subset.keys is not None:
            for i, (name, values) in enumerate(
                zip(subset.keys.columns, subset.keys.values, strict=True)
            ):
                entry = Entry.of(*self._typed(name))
                frame = frame.filter(is_one_of(entry, values))
                # the two zeros are one key
                value = entry.value if entry.text or entry.whole else entry.value + 0.0
                keys.append(f"k{i}")
                entries.append([entry.plain(value) for value in values])
                frame = frame.with_columns(value.alias(keys[-1]))
        if subset.unit is not None:
            owner = Entry.apart(*self._typed(subset.unit.column))
            frame = frame.filter(owner.there).with_columns(owner.value.alias(PERSON))
            read = (nw.Boolean, nw.String, nw.Categorical, nw.Enum)  # beside numbers
            plain = [
                name
                for name, dtype in self._schema.items()
                if dtype.is_numeric() or isinstance(dtype, read)
            ]
            frame = limited_persons(self._engine, frame, subset.unit, keys, plain)
        if subset.keys is None:
            return [self.on(frame)]
        groups = Groups(self._engine, frame, keys, entries)
        return [GroupTable(self, groups, i) for i in range(groups.count)]

    def _typed(self, name: str | None) -> tuple[nw.Expr, DType]:
        import narwhals as nw

        inner = self._find(name)
        return nw.col(inner), self._schema[inner]

    def on(self, frame: Lazy) -> LazyTable:
        """This table with other rows."""
        other = object.__new__(type(self))
        other._frame, other._engine, other._names = frame, self._engine, self._names
        other._schema, other._required = self._schema, self._required
        other._untyped = self._untyped
        return other

    @guarded
    def summaries(
        self, groups: Groups, request: Request | CellRequest, depth: int | None
    ) -> Sequence[Any] | None:
        """NOT PRIVATE. The summaries of all groups; None where each is asked on its own."""
        names: list[str] = []
        column = None
        if isinstance(request, CellRequest):
            names = [self._find(name) for name in request.names]
        elif request.column is not None:
            column = self._find(request.column)
            if not isinstance(request, RowRequest) and self._by_values(column, request):
                return None
        return groups.summaries(column, request, names, depth)

    def _by_values(self, inner: str, request: _OneColumn) -> bool:
        """Whether no query will do: limits or an imputed number outside the column's type, squares
        of wide numbers.
        """
        dtype, lattice = self._schema[inner], request.lattice
        least, most = reach_of(dtype)
        if is_whole(dtype, lattice) and (lattice.low > most or lattice.high < least):
            return True
        if not can_impute(dtype, lattice, request.missing.impute):
            return True
        return isinstance(request, SpreadRequest) and lattice.width >= WIDEST

    @guarded
    def summarise(self, request: AnyRequest, depth: int | None) -> Summary | None:
        """NOT PRIVATE. The summary, by queries; None where only the values themselves will do."""
        if isinstance(request, CellRequest):
            columns = [self._find(name) for name in request.names]
            return summarise_cells(self._engine, self._frame, columns, request)
        if isinstance(request, PairRequest | VectorRequest | WeightedRequest):
            columns = [self._find(name) for name in request.names]
            return summarise_several(
                self._engine, self._frame, columns, request, depth, self._untyped
            )
        if isinstance(request, KeyRequest):
            person = None if request.person is None else self._typed(request.person)
            key = self._typed(request.column)
            return summarise_keys(self._engine, self._frame, key, person)
        if isinstance(request, RowRequest):
            return self._rows(request)
        if isinstance(request, DistinctRequest):
            return DistinctSummary(self._distinct(request.column))
        inner = self._find(request.column)
        if self._by_values(inner, request):
            return None
        rows = self.row_count()
        selected = self._selected(request, rows)
        if isinstance(request, RankRequest):
            return summarise_ranks(selected, request, depth)
        if isinstance(request, SpreadRequest):
            return summarise_spread(selected, request, depth)
        return summarise_moments(selected, request, depth)

    @guarded
    def losses(self, request: LossRequest) -> Losses:
        """NOT PRIVATE. All losses of two columns, to be asked by queries."""
        columns = [self._find(name) for name in request.names]
        return losses_of(self._engine, self._frame, columns, request, self._untyped)

    @guarded
    def between(self, request: RankRequest, cuts: Sequence[int]) -> RankSummary:
        """NOT PRIVATE. The records counted between public cuts."""
        return count_between(self._selected(request, 0), request, cuts)

    @guarded
    def records(self, request: RankRequest) -> Records | None:
        """NOT PRIVATE. All records, to be asked by queries; None where only the values will do."""
        if self._by_values(self._find(request.column), request):
            return None
        return EngineRecords(self._selected(request, self.row_count()))

    @guarded
    def numbers(self, name: str | None, imputed: float | None) -> EngineNumbers:
        """NOT PRIVATE. One column as doubles, to be asked by queries."""
        column, dtype = self._typed(name)
        return EngineNumbers.of(self._engine, self._frame, column, dtype, imputed)

    def _selected(
        self, request: RankRequest | MomentRequest | SpreadRequest, rows: int
    ) -> Selected:
        column = self._find(request.column)
        policy = request.missing
        return Selected.of(self._engine, self._frame, column, request.lattice, policy, rows)

    @guarded
    def _rows(self, request: RowRequest) -> RowSummary:
        import narwhals as nw

        if request.column is None or not request.missing.drops:
            return RowSummary(self.row_count())
        inner = self._find(request.column)
        there = self._frame.filter(present(nw.col(inner), self._schema[inner]))
        return RowSummary(row_count(self._engine, there))

    @guarded
    def _distinct(self, name: str | None) -> int:
        import narwhals as nw

        inner = self._find(name)
        entry = Entry.apart(nw.col(inner), self._schema[inner])
        entries = self._frame.filter(entry.there).select(v=entry.value).unique()
        return row_count(self._engine, entries)

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"LazyTable({list_names(self._names, found='columns')}, NOT PRIVATE)"


# What is asked for one group at a time.
_ALONE = DistinctRequest | KeyRequest | PairRequest | VectorRequest | WeightedRequest


class GroupTable:
    """NOT PRIVATE: one group of a table that an engine holds."""

    __slots__ = ("_group", "_groups", "_whole")

    def __init__(self, whole: LazyTable, groups: Groups, group: int) -> None:
        self._whole, self._groups, self._group = whole, groups, group

    @property
    def rows(self) -> LazyTable:
        """The rows of this group alone."""
        return self._whole.on(self._groups.rows(self._group))

    def column_names(self) -> tuple[str, ...]:
        """Give the names of the whole table."""
        return self._whole.column_names()

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares."""
        return self._whole.column_type(name)

    def column(self, name: str | None) -> Column:
        """NOT PRIVATE: read one column of this group."""
        return self.rows.column(name)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares for text."""
        return self._whole.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """NOT PRIVATE: read one column of this group as positions in text labels."""
        return self.rows.text_codes(name, labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """NOT PRIVATE: read one column of this group as numbers of its texts."""
        return self.rows.text_ids(name)

    def between(self, request: RankRequest, cuts: Sequence[int]) -> RankSummary:
        """NOT PRIVATE. The records of this group counted between public cuts."""
        return self.rows.between(request, cuts)

    def records(self, request: RankRequest) -> Records | None:
        """NOT PRIVATE. All records of this group, to be asked by queries."""
        return self.rows.records(request)

    def numbers(self, name: str | None, imputed: float | None) -> EngineNumbers:
        """NOT PRIVATE. One column of this group as doubles, to be asked by queries."""
        return self.rows.numbers(name, imputed)

    def losses(self, request: LossRequest) -> Losses:
        """NOT PRIVATE. All losses of this group, to be asked by queries."""
        return self.rows.losses(request)

    def together(self, names: Sequence[str]) -> Table:
        """NOT PRIVATE. Some columns of this group whole, read by one query."""
        return self.rows.together(names)

    def row_count(self) -> int:
        """Count the rows of this group."""
        return self.rows.row_count()

    def summarise(self, request: AnyRequest, depth: int | None) -> Summary | None:
        """NOT PRIVATE. The summary, from one query for all groups where there is one."""
        if isinstance(request, _ALONE):
            return self.rows.summarise(request, depth)
        found = self._whole.summaries(self._groups, request, depth)
        return self.rows.summarise(request, depth) if found is None else found[self._group]

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return "GroupTable(NOT PRIVATE)"


def open_lazy(frame: nw.LazyFrame[Any]) -> LazyTable | None:
    """Open a lazy frame of narwhals; None if its engine is not one of ours."""
    engine = engine_of(frame)
    return None if engine is None else LazyTable(frame, engine)
