"""The groups of a table that an engine holds: one query answers all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import Any, TypeVar

import narwhals as nw
import numpy as np

from leastnoise.frames.engines.batches import held_table
from leastnoise.frames.engines.cells import cell_counts
from leastnoise.frames.engines.conditions import Columns, is_one_of
from leastnoise.frames.engines.conditions import Entry as ReadEntry
from leastnoise.frames.engines.engine import FEW, Engine, Lazy, Tally, check_same
from leastnoise.frames.engines.group_ranks import GroupRanks
from leastnoise.frames.engines.lattice import present
from leastnoise.frames.engines.summarise import Selected
from leastnoise.frames.memory.table import NamedTable
from leastnoise.summaries.cells import CellRequest, CellSummary
from leastnoise.summaries.moments import MomentSummaries, MomentSummary, RowSummaries, RowSummary
from leastnoise.summaries.ranks import RankRequest, RankSummaries, RankSummary
from leastnoise.summaries.spec import MomentRequest, RowRequest
from leastnoise.summaries.subset import GroupKeys

Entry = str | int | float | None
Key = tuple[Entry, ...]

Found = TypeVar("Found")
Answer = Sequence[Found]

# Orders whose ranks engines compute in 64 bits, for tables of up to 2**42 rows.
PLAIN_ORDER = 2**20


@dataclass(eq=False, repr=False)
class Groups:
    """NOT PRIVATE. Rows divided by key columns, each row in one group.

    ``entries`` are, column by column, the declared entries in order; an entry that no row can have
    is None. ``other`` is the key of the rows of no declared group, which are one more, the last.
    Answers are kept: a table asks for each of its groups in turn.
    """

    engine: Engine
    frame: Lazy
    keys: Sequence[str]
    entries: Sequence[Sequence[Entry]]
    other: Key | None = None
    answers: dict[object, Answer[Any]] = field(default_factory=dict[object, "Answer[Any]"])

    @cached_property
    def positions(self) -> dict[Key, int]:
        """The place of every key: of equal ones the last, as it is for columns in memory."""
        found: dict[Key, int] = {key: i for i, key in enumerate(product(*self.entries))}
        if self.other is not None:
            found[self.other] = self.count - 1
        return found

    @property
    def count(self) -> int:
        """How many groups there are, empty ones included."""
        return prod(map(len, self.entries)) + (self.other is not None)

    def rows(self, group: int) -> Lazy:
        """The rows of one group."""
        found, key = self.frame, self._key(group)
        own = self.positions[key] == group  # entries that are equal in this type have one group
        for name, entry in zip(self.keys, key, strict=True):
            column = nw.col(name)
            never = ~column.is_null() & nw.lit(value=False)
            found = found.filter(column == nw.lit(entry) if own and entry is not None else never)
        return found

    def _key(self, group: int) -> Key:
        if self.other is not None and group == self.count - 1:
            return self.other
        found: list[Entry] = []
        for column in reversed(self.entries):
            group, place = divmod(group, len(column))
            found.append(column[place])
        return tuple(reversed(found))

    def once(self, key: object, work: Callable[[], Answer[Found]]) -> Answer[Found]:
        """The summaries of all groups: worked out when they are first asked for."""
        if key not in self.answers:
            self.answers[key] = work()
        return self.answers[key]

    def _sums(self, frame: Lazy, more: dict[str, Tally]) -> dict[str, list[int]]:
        """Sums of every group by name, "n" the number of rows among them."""
        table = self.engine.collect(self.engine.tallied(frame, self.keys, more))
        places = self._places(table)
        found: dict[str, list[int]] = {}
        for name in ["n", *more]:
            found[name] = sums = [0] * self.count
            values = self.engine.wholes(table.get_column(name))
            for place, value in zip(places, values, strict=True):
                sums[place] = value
        return found

    def _places(self, table: Any) -> list[int]:
        """The group of every row of a collected table."""
        keys = [table.get_column(name).to_list() for name in self.keys]
        if len(keys) > 1:
            return [*map(self.positions.__getitem__, zip(*keys, strict=True))]
        (entries,) = self.entries  # no key of one entry each
        known = {entry: i for i, entry in enumerate(entries)}
        return [*map(known.__getitem__, keys[0])]

    def parts(
        self, names: Sequence[str], columns: Sequence[str], untyped: Collection[str]
    ) -> Iterator[NamedTable] | None:
        """Some columns of every group, by one query; None where the rows of all are many."""
        rows = self.once("rows", lambda: self._sums(self.frame, {})["n"])
        if sum(rows) > FEW:
            return None
        found = self.engine.collect(self.frame.select(*self.keys, *dict.fromkeys(columns)))
        places = np.array(self._places(found), dtype=np.int64)
        check_same(self.engine, len(places), sum(rows))
        ordered = found[np.argsort(places, kind="stable")]
        ends = pairwise(np.searchsorted(np.sort(places), range(self.count + 1)).tolist())
        return (held_table(ordered[a:b], names, columns, untyped) for a, b in ends)

    def counts(self, column: str | None, request: RowRequest) -> Answer[RowSummary]:
        """The numbers of rows."""
        frame = self.frame
        if column is not None and request.missing.drops:
            entry, dtype = nw.col(column), frame.collect_schema()[column]
            there = ReadEntry.of(entry, dtype).there if request.labels else present(entry, dtype)
            frame = frame.filter(there)
        return RowSummaries(self._sums(frame, {})["n"])

    def cells(self, columns: Sequence[str], request: CellRequest) -> Answer[CellSummary]:
        """The numbers of rows in every cell."""
        found = cell_counts(self.engine, self.frame, columns, request, self.keys)
        answers = [request.empty(None)] * self.count
        for key, summary in found.items():
            answers[self.positions[key]] = summary
        return answers

    def moments(self, column: str, request: MomentRequest, depth: int) -> Answer[MomentSummary]:
        """The exact sums and the extreme values."""
        selected, lattice = self._selected(column, request), request.lattice
        sums = self._sums(selected.frame, selected.sums())
        counts, totals = sums["n"], selected.sums_of(sums)
        if not depth:
            return MomentSummaries(lattice, counts, totals)
        near = self._near(selected, (Fraction(0), Fraction(1)), depth - 1)
        found: list[MomentSummary] = []
        for n, total, extremes in zip(counts, totals, near, strict=True):
            check_same(self.engine, n, extremes.n)
            low, high = ([*run.values] for run in extremes.runs)
            found.append(MomentSummary(n, total, lattice, low, high[::-1], depth))
        return found

    def ranks(self, column: str, request: RankRequest, depth: int) -> Answer[RankSummary]:
        """Order statistics around chosen ranks."""
        return self._near(self._selected(column, request), request.at, depth)

    def _selected(self, column: str, request: RankRequest | MomentRequest) -> Selected:
        lattice, policy = request.lattice, request.missing
        return Selected.of(self.engine, self.frame, column, lattice, policy, 0, self.keys)

    def _near(self, selected: Selected, at: tuple[Fraction, ...], depth: int) -> RankSummaries:
        """The records of every group whose rank in it is near to given orders."""
        entries, lattice, targets = self.entries, selected.lattice, len(at)
        if self.other is not None:
            entries = [[*listed, rest] for listed, rest in zip(entries, self.other, strict=True)]
        orders = [(order.numerator, order.denominator) for order in at]
        parts = GroupRanks(self.engine, self.keys, entries, orders, depth).of(selected.frame)
        rows = np.zeros(self.count, dtype=np.int64)
        starts, sizes = np.zeros((2, self.count, targets), dtype=np.int64)
        firsts = np.ones_like(starts)
        points: list[Any] = [np.zeros(1, dtype=lattice.holder)]
        end = 1
        for part in parts:
            places = np.array(self._places(part.groups), dtype=np.int64)
            rows[places] = part.rows
            for i, run in enumerate(part.runs):
                starts[places, i] = end + np.cumsum(run.sizes) - run.sizes
                sizes[places, i], firsts[places, i] = run.sizes, run.firsts
                points.append(lattice.quantise(run.values).astype(lattice.holder))
                end += len(run.values)
        words = np.concatenate(points), starts.ravel(), (starts + sizes).ravel(), firsts.ravel()
        return RankSummaries(lattice, at, depth, rows, *words)


def divided(
    frame: Lazy, columns: Columns, declared: GroupKeys
) -> tuple[Lazy, list[str], list[list[Entry]], Key | None]:
    """Rows with columns that tell groups apart, these columns, their entries and the other key.

    Rows of no declared key are left out, or get one key of their own: that of a declared group but
    for a last column, which tells whether a row is in one. No key is ever NULL.
    """
    keys: list[str] = []
    entries: list[list[Entry]] = []
    found: list[nw.Expr] = []
    listed: list[nw.Expr] = []
    texts: list[bool] = []
    for name, values in zip(declared.columns, declared.values, strict=True):
        column = ReadEntry.of(*columns(name))
        # the two zeros are one key
        plain = column.text or column.whole
        found.append(column.value if plain else column.value + 0.0)
        listed.append(is_one_of(column, values))
        texts.append(column.text)
        entries.append(column.plains(values))
        keys.append(f"k{len(keys)}")
    if not declared.other:
        frame = frame.filter(*listed)
        return frame.with_columns(**dict(zip(keys, found, strict=True))), keys, entries, None
    one = nw.all_horizontal(*listed, ignore_nulls=False)
    rest = [next((e for e in values if e is not None), None) for values in entries]
    blank = ["" if text else 0 for text in texts]
    key: Key = (*(b if e is None else e for e, b in zip(rest, blank, strict=True)), 0)
    named = {
        name: nw.when(one).then(value).otherwise(nw.lit(e))
        for name, value, e in zip(keys, found, key, strict=False)
    }
    place = f"k{len(keys)}"
    named[place] = nw.when(one).then(nw.lit(1)).otherwise(nw.lit(0))
    return frame.with_columns(**named), [*keys, place], [*entries, [1]], key
