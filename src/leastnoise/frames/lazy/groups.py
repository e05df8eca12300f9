"""The groups of a table that an engine holds: one query answers all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.lazy.cells import cell_counts
from leastnoise.frames.lazy.engines import check_same
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
        held = _Held(self, selected, [(0, 1), (1, 1)], depth - 1) if depth else None
        empty = MomentSummary(0, 0, lattice, [], [], depth)
        found = [empty] * self.count
        for i, counts in sums.items():
            n = counts["n"]
            smallest: list[int] = []
            largest: list[int] = []
            if held is not None:
                reach = min(depth, n)
                smallest = held.run(i, 1, reach)
                largest = held.run(i, n - reach + 1, n)[::-1]
            found[i] = MomentSummary(n, selected.sum_of(counts), lattice, smallest, largest, depth)
        return found

    def _ranks(self, selected: Selected, request: RankRequest, depth: int) -> list[RankSummary]:
        orders = [(order.numerator, order.denominator) for order in request.at]
        held = _Held(self, selected, orders, depth)
        none = tuple(Run(1, ()) for _ in request.at)
        found = [RankSummary(0, request.lattice, request.at, none, depth)] * self.count
        for i, n in held.sizes.items():
            windows = [window_ranks(order, n, depth) for order in request.at]
            runs = tuple(Run(first, held.run(i, first, last)) for first, last in windows)
            found[i] = RankSummary(n, request.lattice, request.at, runs, depth)
        return found


class _Held:
    """Lattice integers of the records whose rank in their group is near to given orders."""

    def __init__(
        self, groups: Groups, selected: Selected, orders: Sequence[tuple[int, int]], depth: int
    ) -> None:
        import narwhals as nw

        self._engine = groups.engine
        keys, rank, n = groups.keys, nw.col("rank"), nw.col("n")
        targets: dict[str, nw.Expr] = {}
        for i, (numerator, denominator) in enumerate(orders):
            k = (n * numerator + (denominator - 1)) // denominator
            targets[f"target {i}"] = nw.when(k < 1).then(nw.lit(1)).otherwise(k)
        # worked out once a group and joined: a window over the rows for it would cost as much again
        sizes = selected.frame.group_by(*keys).agg(n=nw.len().cast(nw.Int64))
        sizes = sizes.with_columns(**targets)
        ranked = selected.frame.with_columns(rank=nw.col("x").rank("ordinal").over(*keys))
        near = [(rank >= nw.col(t) - depth) & (rank <= nw.col(t) + depth) for t in targets]
        wanted = ranked.join(sizes, on=list(keys), how="inner").filter(
            nw.any_horizontal(*near, ignore_nulls=True)
        )
        wanted = wanted.select(*keys, "rank", "x", "n").sort(*keys, "rank")
        table = groups.engine.collect(wanted)
        self._ranks = table.get_column("rank").to_numpy()
        values = table.get_column("x").to_numpy()
        self._values: list[int] = selected.lattice.quantise(values).tolist()
        starts = _starts([table.get_column(key).to_numpy() for key in keys], len(values))
        found = [groups.positions[row] for row in table.select(*keys)[starts.tolist()].rows()]
        ends = [*starts.tolist(), len(values)][1:]  # none where all groups are empty
        # every group that has rows has some near to its orders
        counts = table.get_column("n").to_numpy()[starts]
        self.sizes = dict(zip(found, map(int, counts), strict=True))
        self._runs = dict(zip(found, zip(starts.tolist(), ends, strict=True), strict=True))

    def run(self, group: int, first: int, last: int) -> list[int]:
        """The records of the ranks first..last of a group that has some."""
        start, stop = self._runs.get(group, (0, 0))
        a, b = np.searchsorted(self._ranks[start:stop], (first, last + 1))
        check_same(self._engine, int(b - a), last + 1 - first)
        return self._values[start + a : start + b]


def _starts(keys: Sequence[Array], size: int) -> NDArray[np.int64]:
    """Where each run of equal keys begins."""
    new = np.zeros(size, dtype=np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
