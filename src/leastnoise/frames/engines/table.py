"""A table that an engine holds: Polars lazy frames, DuckDB relations, Spark data frames."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.frames.contract import Absent, Physical
from leastnoise.frames.engines.batches import held
from leastnoise.frames.engines.conditions import Entry, kept
from leastnoise.frames.engines.declared import ComputedText, physical
from leastnoise.frames.engines.engine import Engine, Lazy, engine_of, guarded
from leastnoise.frames.engines.expressions import Workings
from leastnoise.frames.engines.groups import Entry as Entry_
from leastnoise.frames.engines.groups import Groups, Key, divided
from leastnoise.frames.engines.persons import (
    PERSON,
    limited_persons,
    person_entries,
    person_totals,
    row_sizes,
)
from leastnoise.frames.engines.reader import EngineReader, GroupReader, LimitedReader
from leastnoise.frames.engines.summarise import row_count
from leastnoise.frames.memory.derived import check_values
from leastnoise.frames.memory.kept import KeptColumns
from leastnoise.frames.readers.dataframes import open_series
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import (
    Divided,
    Found,
    PersonTotals,
    Squares,
    Table,
    find_column,
    list_names,
)
from leastnoise.summaries.columns import Clock, Column, ColumnType, Reading
from leastnoise.summaries.expressions import Moment, Value, is_text, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.frames.memory.entries import PersonEntries
    from leastnoise.frames.memory.table import BareTable
    from leastnoise.frames.readers.duckdb_files import ParquetField
    from leastnoise.randomness import BitSource
    from leastnoise.summaries.requests import Request
    from leastnoise.summaries.spec import MomentRequest, SpreadRequest
    from leastnoise.summaries.subset import Subset

# Entries that are held at once: a gigabyte of doubles.
_HELD = 1 << 27


class LazyTable(Table):
    """NOT PRIVATE: a query that has not run, with its public schema."""

    __slots__ = (
        *("_base", "_computed", "_frame", "_names", "_required", "_sizes", "_spans", "_unread"),
        *("engine", "schema", "untyped"),
    )
    untyped: frozenset[str]
    # of a table with computed columns: that without, their values, and tables with some of them
    _base: tuple[LazyTable, Mapping[str, Value], dict[tuple[str, ...], LazyTable]] | None

    def __init__(
        self,
        frame: nw.LazyFrame[Any],
        engine: Engine,
        fields: Sequence[ParquetField] | None = None,
    ) -> None:
        """``fields`` are the columns of the file that the query reads, where it is one."""
        self.engine = engine
        self._open(frame, fields)

    def _schema_of(self, frame: Lazy) -> Mapping[str, DType]:
        """The types of a query; of texts that were worked out, that they are such."""
        return {**frame.collect_schema(), **dict.fromkeys(self._computed, ComputedText())}

    @property
    def frame(self) -> Lazy:
        """The query, whose columns have names of our own."""
        return self._frame

    @guarded
    def _open(self, frame: nw.LazyFrame[Any], fields: Sequence[ParquetField] | None) -> None:
        engine, self._sizes = self.engine, dict[object, dict[int, int]]()
        self._names = tuple(engine.names(frame) if fields is None else (f.name for f in fields))
        # names of our own from here on: no engine reads anything into those
        inner = [f"c{i}" for i in range(len(self._names))]
        required = zip(inner, engine.required(frame), strict=True)
        self._required = frozenset(name for name, is_required in required if is_required)
        plain = engine.renamed(frame, inner)
        # a type without entries may be asked for numbers and for text: as text it can be both
        self.untyped = frozenset(engine.untyped(plain))
        missing = [nw.col(name).cast(nw.String) for name in sorted(self.untyped)]
        self._frame = plain.with_columns(*missing) if missing else plain
        self._computed = frozenset[str]()
        self.schema = self._schema_of(self._frame)
        self._spans = frozenset(engine.spans(self._frame))
        self._base = None
        stored = zip(inner, fields or (), strict=False)
        self._unread = {name: f.unread for name, f in stored if f.unread is not None}

    def find(self, name: str | None) -> str:
        """The column of the query."""
        return f"c{find_column(name, self._names)}"

    def column_names(self) -> tuple[str, ...]:
        """Give the names in order."""
        return self._names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the engine declares."""
        return self._physical(name).column_type(name)

    def own_clock(self, name: str | None) -> Clock | None:
        """That of the type that the engine declares."""
        return self._physical(name).clock

    @guarded
    def clocked(self, clocks: Mapping[str | None, Clock]) -> LazyTable:
        """This table with some columns counted by their clocks, in the query itself."""
        frame = self.frame
        for name, clock in clocks.items():
            self._physical(name).timed(name, clock)
            inner = self.find(name)
            if inner in self.untyped:
                frame = frame.with_columns(nw.col(inner).cast(nw.Int64))
            else:
                frame = self.engine.counted(frame, inner, self.schema[inner], clock)
        other = self.on(frame)
        other.schema = other._schema_of(frame)
        counted = {self.find(name) for name in clocks}
        other.untyped, other._required = self.untyped - counted, self._required - counted
        other._spans = self._spans - counted
        return other

    @guarded
    def check_reach(self) -> None:
        """Ask for no row; a query of Polars is left alone, whose functions see every table."""
        if not self.engine.in_process:
            self.engine.collect(self.frame.head(0).select(nw.len()))  # of no column's type

    @guarded
    def column(self, name: str | None) -> Column:
        """NOT PRIVATE: read a whole column into this process."""
        kind = self.column_type(name)
        return self._read(self.find(name), numbers=True).read(kind)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the engine declares, for a column read as text labels."""
        return self._physical(name).text_type(name)

    def _physical(self, name: str | None) -> Physical:
        inner = self.find(name)
        if inner in self.untyped:
            return Physical("Null", Reading.NULL)
        if inner in self._spans:
            return Physical("Duration", Reading.DURATION)
        if inner in self._unread:
            return self._unread[inner]
        return physical(self.schema[inner], nullable=inner not in self._required)

    @guarded
    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """NOT PRIVATE: read a whole column into this process, as positions in text labels."""
        self.text_type(name)
        return self._read(self.find(name)).text_codes(None, labels)

    @guarded
    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """NOT PRIVATE: read a whole column into this process, as numbers of its texts."""
        return self._read(self.find(name), digits=True).text_ids(None)

    @guarded
    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """NOT PRIVATE: read a whole column into this process, as numbers and their texts."""
        self.text_type(name)
        return self._read(self.find(name)).text_values(None)

    def _is_wide(self, inner: str) -> bool:
        """Whether it holds integers of 128 bits, which are doubles once they are collected."""
        return isinstance(self.schema[inner], (nw.Int128, nw.UInt128))

    def is_number(self, inner: str) -> bool:
        """Whether a column of the query holds numbers that are doubles or integers here too."""
        return self.schema[inner].is_numeric() and not self._is_wide(inner)

    def _read(self, inner: str, *, numbers: bool = False, digits: bool = False) -> BareTable:
        column = nw.col(inner)
        if numbers and inner in self.untyped:
            column = column.cast(nw.Float64)
        if digits and self._is_wide(inner):
            column = column.cast(nw.String)
        found = self.engine.collect(self.frame.select(column))
        absent = Absent(frozenset()) if inner in self._computed else Absent()
        return open_series(found.get_column(inner).to_native(), Dialect(absent=absent))

    @guarded
    def row_count(self) -> int:
        """Count the rows."""
        return row_count(self.engine, self.frame)

    @guarded
    def hold(self, names: Sequence[str | None]) -> Table:
        """NOT PRIVATE. Some columns by one query, where they fit into memory; else this table."""
        named = [name for name in names if name is not None]
        columns = [self.find(name) for name in named]
        if self.row_count() * len(named) > _HELD or any(map(self._is_wide, columns)):
            return self
        return KeptColumns(held(self.engine, self.frame, named, columns, self.untyped))

    @guarded
    def derive(self, values: Mapping[str, Value]) -> LazyTable:
        """This table with further columns, worked out by the engine."""
        check_values(self, values)
        work = Workings(*self._counted(values.values()))
        made = work.add(values.values())
        plain = [f"c{i}" for i in range(len(self._names))]
        added: dict[str, nw.Expr] = {}
        for i, (column, value) in enumerate(zip(made, values.values(), strict=True), len(plain)):
            if not is_text(value):  # one zero
                column = nw.when(column == 0.0).then(nw.lit(0.0)).otherwise(column)
            added[f"c{i}"] = column
        other = self.on(work.frame.select(*plain, **added))
        other._base = self, dict(values), {}
        other._names = (*self._names, *values)
        texts = zip(added, values.values(), strict=True)
        other._computed = self._computed | {inner for inner, value in texts if is_text(value)}
        other.schema = other._schema_of(other._frame)
        return other

    def narrowed(self, names: Collection[str]) -> LazyTable:
        """An engine reads anew, in every query, how each column is worked out."""
        if self._base is None:
            return self
        base, values, made = self._base
        used = {name: value for name, value in values.items() if name in names}
        if (key := tuple(used)) not in made:
            made[key] = base.derive(used) if used else base
        return made[key]

    def _counted(
        self, values: Iterable[Value]
    ) -> tuple[Lazy, Callable[[str], tuple[nw.Expr, DType]], dict[Moment, str]]:
        """The query with the times that values are made of, counted in columns of their own."""
        frame, found = self.frame, dict[Moment, str]()
        for node in (node for value in values for node in walk(value)):
            if not isinstance(node, Moment) or node in found:
                continue
            inner, name = self.find(node.column), f"m{len(found)}"
            frame = frame.with_columns(nw.col(inner).alias(name))
            if inner not in self.untyped:  # else it holds no entry
                frame = self.engine.counted(frame, name, self.schema[inner], node.clock)
            found[node] = name
        return frame, self.typed, found

    @guarded
    def person_totals(
        self,
        request: MomentRequest | SpreadRequest,
        person: str,
        *,
        whole: bool,
        squares: Squares | None = None,
    ) -> PersonTotals:
        """NOT PRIVATE. Of rows that were split off: added up by one query where they are few."""
        few = self.row_count() <= self.engine.most_held
        inner = self.find(request.column)
        return person_totals(self.engine, self.frame, inner, request, squares, whole=whole, few=few)

    @guarded
    def person_entries(self, column: str | None, person: str) -> PersonEntries:
        """NOT PRIVATE. By one query; each person and entry comes back once."""
        owner, entry = (Entry.apart(*self.typed(name)) for name in (person, column))
        return person_entries(self.engine, self.frame, owner, entry)

    @guarded
    def split(self, subset: Subset, source: BitSource) -> Sequence[Table]:
        """NOT PRIVATE. The tables of all groups in the order of the keys, by queries to come.

        Which rows of a person are used is decided by the engine, without ``source``: see
        ``frames.engines.persons``.
        """
        frame, keys, entries, other = self._selected(subset)
        if subset.unit is not None:
            read = (nw.Boolean, nw.String, nw.Categorical, nw.Enum)  # beside numbers
            plain = [
                name
                for name, dtype in self.schema.items()
                if dtype.is_numeric() or isinstance(dtype, read)
            ]
            frame = limited_persons(self.engine, frame, subset.unit, keys, plain)
            if subset.keys is None:
                return [LimitedTable(self, frame, subset)]
        if subset.keys is None:
            return [self.on(frame)]
        groups = Groups(self.engine, frame, keys, entries, other)
        return GroupTables(self, groups)

    def _selected(self, subset: Subset) -> tuple[Lazy, list[str], list[list[Entry_]], Key | None]:
        """The rows that a filter keeps and that are in a group, with group and person of each."""
        frame = self.frame
        if subset.where is not None:
            frame = frame.filter(kept(self.typed, subset.where))
        keys: list[str] = []
        entries: list[list[Entry_]] = []
        other: Key | None = None
        if subset.keys is not None:
            frame, keys, entries, other = divided(frame, self.typed, subset.keys)
        if subset.unit is not None:
            owner = Entry.apart(*self.typed(subset.unit.column))
            frame = frame.filter(owner.there).with_columns(owner.value.alias(PERSON))
        return frame, keys, entries, other

    @guarded
    def persons_beyond(
        self, subset: Subset, limits: Sequence[int], *, in_groups: bool = False
    ) -> list[int]:
        """NOT PRIVATE. How many persons have more rows, or groups, than each limit: one query."""
        if in_groups:
            frame, keys, _, _ = self._selected(subset)
            sizes = row_sizes(self.engine, frame.select(PERSON, *keys).unique())
        else:
            sizes = self.row_sizes(subset)
        return [sum(n for size, n in sizes.items() if size > limit) for limit in limits]

    def row_sizes(self, subset: Subset) -> dict[int, int]:
        """NOT PRIVATE. How many persons have each number of rows, whatever the limits; kept."""
        key = replace(subset, unit=None), None if subset.unit is None else subset.unit.column
        if key not in self._sizes:
            self._sizes[key] = row_sizes(self.engine, self._selected(subset)[0])
        return self._sizes[key]

    def typed(self, name: str | None) -> tuple[nw.Expr, DType]:
        """The column of the query, and its type there."""
        inner = self.find(name)
        return nw.col(inner), self.schema[inner]

    def on(self, frame: Lazy) -> LazyTable:
        """This table with other rows."""
        other = object.__new__(LazyTable)
        other._take(self)
        other._frame = frame
        return other

    def _take(self, other: LazyTable) -> None:
        """The schema of another table."""
        self._sizes = dict[object, dict[int, int]]()
        self.engine, self.schema, self.untyped = other.engine, other.schema, other.untyped
        self._names, self._required = other._names, other._required
        self._computed, self._base = other._computed, None
        self._spans, self._unread = other._spans, other._unread

    def reader(self) -> EngineReader:
        """NOT PRIVATE. What answers requests, by queries where they will do."""
        return EngineReader(self)

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"LazyTable({list_names(self._names, found='columns')}, NOT PRIVATE)"


class LimitedTable(LazyTable):
    """NOT PRIVATE: some rows of each person, which are counted without being put in order."""

    __slots__ = ("_subset", "_whole", "kept")

    def __init__(self, whole: LazyTable, frame: Lazy, subset: Subset) -> None:
        self._take(whole)
        self._frame, self._whole, self._subset = frame, whole, subset
        self.kept = KeptColumns(self)

    @guarded
    def row_count(self) -> int:
        """Count the rows, from the number of each person's."""
        most, sizes = self._subset.stride, self._whole.row_sizes(self._subset)
        return sum(n * min(size, most) for size, n in sizes.items())

    def reads_once(self, name: str | None) -> bool:
        """Whether a column of them is read, once, and not asked for by several queries.

        Integers of 128 bits are no doubles, as which they would be read.
        """
        few = self.row_count() <= self.engine.most_held
        return few and not self._is_wide(self.find(name))

    def reader(self) -> LimitedReader:
        """NOT PRIVATE. What answers requests: from columns, where the rows are few."""
        return LimitedReader(self)


class GroupTable(LazyTable):
    """NOT PRIVATE: one group of a table that an engine holds."""

    __slots__ = ("_rows", "group", "groups")

    def __init__(self, whole: LazyTable, groups: Groups, group: int) -> None:
        self._take(whole)
        self.groups, self.group = groups, group
        self._rows: Lazy | None = None

    @property
    def frame(self) -> Lazy:
        """The rows of this group alone."""
        if self._rows is None:
            self._rows = self.groups.rows(self.group)
        return self._rows

    def union(self) -> LazyTable:
        """NOT PRIVATE. The rows of all groups."""
        return self.on(self.groups.frame)

    def reader(self) -> GroupReader:
        """NOT PRIVATE. What answers requests, by one query for all groups where there is one."""
        return GroupReader(self, self.groups, self.group)

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return "GroupTable(NOT PRIVATE)"


class GroupTables(Divided):
    """NOT PRIVATE: the groups of a table that an engine holds."""

    __slots__ = ("_groups", "_whole", "engine")

    def __init__(self, whole: LazyTable, groups: Groups) -> None:
        self._whole, self._groups, self.engine = whole, groups, whole.engine

    def __len__(self) -> int:
        """Count the groups."""
        return self._groups.count

    def entry(self, place: int) -> GroupTable:
        """One group."""
        return GroupTable(self._whole, self._groups, place)

    def summaries(self, request: Request[Found], depth: int | None) -> Sequence[Found]:
        """The summary of every group, by one query where there is one for all, or few rows."""
        found = self.entry(0).reader().together(request, depth)
        found = self._read(request, depth) if found is None else found
        return super().summaries(request, depth) if found is None else found

    @guarded
    def _read(self, request: Request[Found], depth: int | None) -> Sequence[Found] | None:
        """From numbers that are read at once; None of other columns, or of many rows."""
        names = [name for name in request.names if name is not None]
        columns = [*map(self._whole.find, names)]
        if len(self) == 1 or not all(map(self._whole.is_number, columns)):
            return None
        parts = self._groups.parts(names, columns, self._whole.untyped)
        return None if parts is None else [part.summarise(request, depth) for part in parts]


def open_lazy(frame: nw.LazyFrame[Any]) -> LazyTable | None:
    """Open a lazy frame of narwhals; None if its engine is not one of ours."""
    engine = engine_of(frame)
    return None if engine is None else LazyTable(frame, engine)
