"""The groups of a table that an engine holds: one query answers all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.lazy.cells import cell_counts
from leastnoise.frames.lazy.engines import FEW, check_same
from leastnoise.frames.lazy.lattice import present
from leastnoise.frames.lazy.summarise import Selected
from leastnoise.summaries.cells import CellRequest
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ranks import RankSummary, Run, window_ranks
from leastnoise.summaries.spec import MomentRequest, RankRequest, Request, RowRequest

if TYPE_CHECKING:
    import narwhals as nw

    from leastnoise.frames.lazy.engines import Engine, Lazy, Tally

Array = NDArray[Any]
Entry = str | int | float | None
Key = tuple[Entry, ...]

# Orders whose ranks engines compute in 64 bits, for tables of up to 2**42 rows.
_PLAIN_ORDER = 2**20
# About how many parts the groups are asked for in at most, however small epsilon is.
_PARTS = 16


@dataclass(slots=True, eq=False, repr=False)
class Groups:
    """NOT PRIVATE. Rows divided by key columns, each row in one declared group.

    ``entries`` are, column by column, the declared entries in order; an entry that no row can have
    is None. Answers are kept: a table asks for each of its groups in turn.
    """

    engine: Engine
    frame: Lazy
    keys: Sequence[str]
    entries: Sequence[Sequence[Entry]]
    answers: dict[Any, list[Any] | None] = field(default_factory=dict[Any, "list[Any] | None"])
    positions: dict[Key, int] = field(default_factory=dict[Key, int])

    def __post_init__(self) -> None:
        # a later one of equal entries wins, as it does for columns in memory
        self.positions = {key: i for i, key in enumerate(product(*self.entries))}

    @property
    def count(self) -> int:
        """How many groups there are, empty ones included."""
        size = 1
        for column in self.entries:
            size *= len(column)
        return size

    def rows(self, group: int) -> Lazy:
        """The rows of one group."""
        import narwhals as nw

        found = self.frame
        for name, entry in zip(self.keys, self._key(group), strict=True):
            column = nw.col(name)
            never = ~column.is_null() & nw.lit(value=False)
            found = found.filter(never if entry is None else column == nw.lit(entry))
        return found

    def _key(self, group: int) -> Key:
        found: list[Entry] = []
        for column in reversed(self.entries):
            group, place = divmod(group, len(column))
            found.append(column[place])
        return tuple(reversed(found))

    def summaries(
        self,
        column: str | None,
        request: Request | CellRequest,
        names: Sequence[str],
        depth: int | None,
    ) -> list[Any] | None:
        """The summaries of all groups in order; None where each group is asked on its own.

        ``column`` is the request's column in the frame, ``names`` those of its axes.
        """
        key = (request, depth)
        if key not in self.answers:
            self.answers[key] = self._summaries(column, request, names, depth)
        return self.answers[key]

    def _summaries(
        self,
        column: str | None,
        request: Request | CellRequest,
        names: Sequence[str],
        depth: int | None,
    ) -> list[Any] | None:
        if isinstance(request, CellRequest):
            return self._cells(request, names)
        if isinstance(request, RowRequest):
            return self._counts(column, request)
        if not isinstance(request, (RankRequest, MomentRequest)) or depth is None:
            return None
        selected = Selected.of(
            self.engine, self.frame, str(column), request.lattice, request.missing, 0, self.keys
        )
        if isinstance(request, MomentRequest):
            return self._moments(selected, request, depth)
        if any(order.denominator > _PLAIN_ORDER for order in request.at):
            return None
        return self._ranks(selected, request, depth)

    def _asked(self, frame: Lazy, more: dict[str, Tally]) -> dict[int, dict[str, int]]:
        """Sums by group, "n" the number of rows among them; no entry for an empty group."""
        table = self.engine.collect(self.engine.tallied(frame, self.keys, more))
        names = ["n", *more]
        rows = table.select(*self.keys, *names).rows()
        width = len(self.keys)
        return {
            self.positions[row[:width]]: {
                name: int(value or 0) for name, value in zip(names, row[width:], strict=True)
            }
            for row in rows
        }

    def _counts(self, column: str | None, request: RowRequest) -> list[RowSummary]:
        import narwhals as nw

        frame = self.frame
        if column is not None and request.missing.drops:
            frame = frame.filter(present(nw.col(column), frame.collect_schema()[column]))
        found = self._asked(frame, {})
        return [RowSummary(found[i]["n"] if i in found else 0) for i in range(self.count)]

    def _cells(self, request: CellRequest, names: Sequence[str]) -> list[Any]:
        found = cell_counts(self.engine, self.frame, names, request, self.keys)
        by_group = {self.positions[key]: summary for key, summary in found.items()}
        return [by_group.get(i, request.empty(None)) for i in range(self.count)]

    def _moments(
        self, selected: Selected, request: MomentRequest, depth: int
    ) -> list[MomentSummary]:
        sums = self._asked(selected.frame, selected.sums())
        lattice = request.lattice
        held = self._near(selected, [(0, 1), (1, 1)], depth - 1) if depth else None
        empty = MomentSummary(0, 0, lattice, [], [], depth)
        found = [empty] * self.count
        for i, counts in sums.items():
            n = counts["n"]
            smallest: list[int] = []
            largest: list[int] = []
            if held is not None:
                check_same(self.engine, i in held, True)
                reach = min(depth, n)
                smallest = held[i].run(1, reach)
                largest = held[i].run(n - reach + 1, n)[::-1]
            found[i] = MomentSummary(n, selected.sum_of(counts), lattice, smallest, largest, depth)
        return found

    def _ranks(self, selected: Selected, request: RankRequest, depth: int) -> list[RankSummary]:
        orders = [(order.numerator, order.denominator) for order in request.at]
        held = self._near(selected, orders, depth)
        none = tuple(Run(1, ()) for _ in request.at)
        found = [RankSummary(0, request.lattice, request.at, none, depth)] * self.count
        for i, near in held.items():
            windows = [window_ranks(order, near.n, depth) for order in request.at]
            runs = tuple(Run(first, near.run(first, last)) for first, last in windows)
            found[i] = RankSummary(near.n, request.lattice, request.at, runs, depth)
        return found

    def _near(
        self, selected: Selected, orders: Sequence[tuple[int, int]], depth: int
    ) -> dict[int, _Near]:
        """For each group that has rows, those whose rank in it is near to given orders.

        Some groups after the others, as many as public numbers tell: so many values come back at
        once, and so many rows are put in order by the engine.
        """
        found: dict[int, _Near] = {}
        for rows in self._parts(selected.frame, len(orders) * (2 * depth + 1)):
            found.update(self._near_in(rows, selected, orders, depth))
        return found

    def _parts(self, frame: Lazy, values: int) -> Iterator[Lazy]:
        """Rows of some groups after the others: by the entries of the key that has the most."""
        import narwhals as nw

        key, column = max(zip(self.keys, self.entries, strict=True), key=lambda k: len(k[1]))
        entries = sorted({entry for entry in column if entry is not None})
        some = max(1, len(entries) // _PARTS, FEW // values * len(column) // max(1, self.count))
        if len(entries) <= some:
            yield frame
            return
        for start in range(0, len(entries), some):
            part = entries[start : start + some]
            yield frame.filter((nw.col(key) >= part[0]) & (nw.col(key) <= part[-1]))

    def _near_in(
        self, frame: Lazy, selected: Selected, orders: Sequence[tuple[int, int]], depth: int
    ) -> dict[int, _Near]:
        import narwhals as nw

        keys, rank, n = self.keys, nw.col("rank"), nw.col("n")
        targets: dict[str, nw.Expr] = {}
        for i, (numerator, denominator) in enumerate(orders):
            k = (n * numerator + (denominator - 1)) // denominator
            targets[f"target {i}"] = nw.when(k < 1).then(nw.lit(1)).otherwise(k)
        # worked out once a group and joined: a window over the rows for it would cost as much again
        sizes = frame.group_by(*keys).agg(n=nw.len().cast(nw.Int64))
        sizes = sizes.with_columns(**targets)
        ranked = frame.with_columns(rank=nw.col("x").rank("ordinal").over(*keys))
        near = [(rank >= nw.col(t) - depth) & (rank <= nw.col(t) + depth) for t in targets]
        wanted = ranked.join(sizes, on=list(keys), how="inner").filter(
            nw.any_horizontal(*near, ignore_nulls=True)
        )
        wanted = wanted.select(*keys, "rank", "x", "n").sort(*keys, "rank")
        table = self.engine.collect(wanted)
        ranks = table.get_column("rank").to_numpy()
        values = selected.lattice.quantise(table.get_column("x").to_numpy())
        starts = _starts([table.get_column(key).to_numpy() for key in keys], len(values))
        found = [self.positions[row] for row in table.select(*keys)[starts.tolist()].rows()]
        # every group that has rows has some near to its orders
        counts = table.get_column("n").to_numpy()[starts].tolist()
        parts = zip(*(np.split(a, starts[1:]) for a in (ranks, values)), strict=True)
        return {
            group: _Near(self.engine, int(count), *part)
            for group, count, part in zip(found, counts, parts, strict=False)
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Near:
    """NOT PRIVATE. The number of rows of a group, some of its ranks and their lattice integers."""

    engine: Engine
    n: int
    ranks: Array
    values: Array

    def run(self, first: int, last: int) -> list[int]:
        """The records of the ranks first..last."""
        a, b = np.searchsorted(self.ranks, (first, last + 1)).tolist()
        check_same(self.engine, b - a, last + 1 - first)
        return self.values[a:b].tolist()


def _starts(keys: Sequence[Array], size: int) -> NDArray[np.int64]:
    """Where each run of equal keys begins."""
    new = np.zeros(size, dtype=np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
