"""The groups of a table that an engine holds: one query answers all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from leastnoise.frames.engines.cells import cell_counts
from leastnoise.frames.engines.engine import check_same
from leastnoise.frames.engines.group_ranks import GroupRanks, Near
from leastnoise.frames.engines.lattice import present
from leastnoise.frames.engines.summarise import Selected
from leastnoise.frames.memory.columns import integers
from leastnoise.summaries.cells import CellRequest
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ranks import RankSummary, Run
from leastnoise.summaries.spec import MomentRequest, RankRequest, Request, RowRequest

if TYPE_CHECKING:
    from leastnoise.frames.engines.engine import Engine, Lazy, Tally

Entry = str | int | float | None
Key = tuple[Entry, ...]

# Orders whose ranks engines compute in 64 bits, for tables of up to 2**42 rows.
_PLAIN_ORDER = 2**20


@dataclass(frozen=True, slots=True, repr=False)
class Answers(Sequence[Any]):
    """NOT PRIVATE. The summaries of groups in order, each made when it is asked for."""

    size: int
    answer: Callable[[int], Any]

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, group: Any) -> Any:
        return self.answer(range(self.size)[int(group)])


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
    answers: dict[Any, Sequence[Any] | None] = field(
        default_factory=dict[Any, "Sequence[Any] | None"]
    )
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

        found, key = self.frame, self._key(group)
        own = self.positions[key] == group  # entries that are equal in this type have one group
        for name, entry in zip(self.keys, key, strict=True):
            column = nw.col(name)
            never = ~column.is_null() & nw.lit(value=False)
            found = found.filter(column == nw.lit(entry) if own and entry is not None else never)
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
    ) -> Sequence[Any] | None:
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
    ) -> Sequence[Any] | None:
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

    def _moments(self, selected: Selected, request: MomentRequest, depth: int) -> Answers:
        sums = self._asked(selected.frame, selected.sums())
        lattice = request.lattice
        held = self._near(selected, [(0, 1), (1, 1)], depth - 1) if depth else {}

        def answer(group: int) -> MomentSummary:
            counts = sums.get(group, {"n": 0})
            near = held.get(group)
            check_same(self.engine, counts["n"] if depth else 0, near.n if near else 0)
            if not counts["n"]:
                return MomentSummary(0, 0, lattice, [], [], depth)
            low, high = [integers(run, lattice) for _, run in near.runs] if near else ([], [])
            smallest, largest = low, high[::-1]
            total = selected.sum_of(counts)
            return MomentSummary(counts["n"], total, lattice, smallest, largest, depth)

        return Answers(self.count, answer)

    def _ranks(self, selected: Selected, request: RankRequest, depth: int) -> Answers:
        orders = [(order.numerator, order.denominator) for order in request.at]
        held, lattice = self._near(selected, orders, depth), request.lattice

        def answer(group: int) -> RankSummary:
            if group not in held:
                return RankSummary(0, lattice, request.at, (Run(1, ()),) * len(orders), depth)
            near = held[group]
            runs = tuple(Run(first, integers(run, lattice)) for first, run in near.runs)
            return RankSummary(near.n, lattice, request.at, runs, depth)

        return Answers(self.count, answer)

    def _near(
        self, selected: Selected, orders: Sequence[tuple[int, int]], depth: int
    ) -> dict[int, Near]:
        """For each group that has rows, those whose rank in it is near to given orders."""
        asked = GroupRanks(self.engine, self.keys, self.entries, orders, depth)
        return {self.positions[key]: near for key, near in asked.of(selected.frame).items()}
