"""What is read of data, one entry a row, and what is made of it: all that one row may not decide.

A reading goes through a door of the library, as a release does, and says what it saw: what must be
equal for data of one schema, what stands for each row, what is a collection of rows, and profiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from leastnoise.errors import LeastNoiseError
from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.labels import label_type, whole_codes
from leastnoise.frames.memory.persons import person_codes
from leastnoise.frames.readers.graphs import EdgeTable
from leastnoise.frames.table import split
from leastnoise.production import quiet
from leastnoise.randomness import active
from leastnoise.session.opening import table_schema
from leastnoise.session.prepare import StatisticPlan, plan
from leastnoise.statistics.statistic import KeyStatistic, VectorStatistic
from leastnoise.summaries.columns import Column
from leastnoise.summaries.graphs import GraphRequest
from leastnoise.summaries.keys import KeySummary
from leastnoise.summaries.ordered import OrderedSummary
from leastnoise.summaries.subset import WHOLE, Subset
from leastnoise.summaries.vectors import VectorSummary
from leastnoise.testing.locality.requests import TEXTS
from leastnoise.testing.readings import Reading, read
from leastnoise.testing.releases import ADDRESS
from leastnoise.testing.violations import Subject

Result = TypeVar("Result")

# Levels of a profile that are compared: a change of one row moves each by one.
LEVELS = 3
ROWS = "number of rows"
"""What is public unless a row is added or removed."""


class Refusal(Exception):
    """The library refused data by its schema, with these words."""


@dataclass(slots=True)
class Seen:
    """What a reading saw.

    ``public`` is the same for all data of one schema; ``rows`` hold an entry a row, each by itself,
    and ``groups`` such entries as numbers that mean nothing but which rows share them; ``bags``
    hold rows in no order; ``profiles`` obey the laws of neighbours, part by part.
    """

    public: dict[str, object] = field(default_factory=dict[str, object])
    rows: dict[str, Sequence[object]] = field(default_factory=dict[str, "Sequence[object]"])
    groups: dict[str, Sequence[int]] = field(default_factory=dict[str, "Sequence[int]"])
    bags: dict[str, Sequence[object]] = field(default_factory=dict[str, "Sequence[object]"])
    profiles: dict[str, tuple[Reading, ...]] = field(
        default_factory=dict[str, "tuple[Reading, ...]"]
    )


class Given:
    """Data in the form it is given; named columns are opened once for all questions."""

    __slots__ = ("_table", "native", "options", "ordered")

    def __init__(self, native: object, options: Mapping[str, Any], *, ordered: bool) -> None:
        self.native, self.options, self.ordered = native, dict(options), ordered
        self._table: Table | None = None

    @property
    def table(self) -> Table:
        """The data as a table."""
        table = self._table
        if table is None:
            self._table = table = refusing(lambda: open_table(self.native, **self.options))
        return table

    def aligned(self, table: Table) -> bool:
        """Whether there is one entry for each row, in the order of the rows."""
        return self.ordered and not table.hides_row_count

    @property
    def kept(self) -> tuple[object, dict[str, Any]]:
        """What a ledger keeps the schema of: of a tuple no column."""
        is_tuple = type(self.native) is tuple
        return (self.native, self.options) if is_tuple else (self.table, {})

    def planned(self, statistic: object, **how: Any) -> StatisticPlan:
        """A statistic of the data, by the schema alone."""
        if self._table is not None:
            return refusing(lambda: plan(statistic, self._table, **how))
        return refusing(lambda: plan(statistic, self.native, **how, **self.options))


@dataclass(frozen=True, slots=True)
class Read:
    """One way of reading data; ``told`` is how it would be written.

    ``inside`` is read in the quiet room in which a release reads; what makes one itself is not.
    """

    told: str
    work: Callable[[Given], Seen]
    inside: bool = True

    def __call__(self, given: Given) -> Seen:
        """Read."""
        if not self.inside:
            return self.work(given)
        with quiet():
            return self.work(given)


def refusing(work: Callable[[], Result]) -> Result:
    """The result of what looks at the schema alone, or its refusal, with all that it quotes."""
    try:
        return work()
    except LeastNoiseError as error:
        raise Refusal(chain(error)) from None


def chain(error: BaseException) -> str:
    """An error as a log would show it: with what it came from."""
    words: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(words) < 9:
        words.append(ADDRESS.sub("", f"{type(seen).__name__}: {seen}"))
        seen = seen.__cause__ or seen.__context__
    return "; from ".join(words)


def exact_floats(values: Any) -> list[object]:
    """Floats in hexadecimal, where the two zeros differ and every NaN is one."""
    return [None if x != x else x.hex() for x in values.tolist()]


def entries(column: Column) -> list[object]:
    """The entries of a column one by one, exactly: None where there is none."""
    floating = column.values.dtype.kind == "f"
    found: list[object] = exact_floats(column.values) if floating else column.values.tolist()
    if column.missing is not None:
        found = [
            None if gone else x for x, gone in zip(found, column.missing.tolist(), strict=True)
        ]
    return found


def columns(names: Sequence[str | None], labels: Sequence[str], numbers: Sequence[float]) -> Read:
    """Every column as numbers, as declared labels, as texts and as persons."""

    def work(given: Given) -> Seen:
        seen, table = Seen(), given.table
        seen.public |= {"names": table.column_names(), "repr": ADDRESS.sub("", repr(table))}
        seen.public["schema of the ledger"] = refusing(lambda: table_schema(*given.kept))
        for name in names:
            _column(seen, table, name, labels, numbers, given.aligned(table))
        if table.hides_row_count:
            seen.bags[ROWS] = [None] * table.row_count()
        else:
            seen.public[ROWS] = table.row_count()
        return seen

    return Read(f"columns{tuple(names)}", work)


def _column(
    seen: Seen,
    table: Table,
    name: str | None,
    labels: Sequence[str],
    numbers: Sequence[float],
    aligned: bool,
) -> None:
    here = name or "the column"

    def rows(what: str, entries: Sequence[object]) -> None:
        (seen.rows if aligned else seen.bags)[f"{here}, {what}"] = entries

    kinds: list[bool] = []
    for what, ask in (("numbers", table.column_type), ("texts", table.text_type)):
        try:
            seen.public[f"type of {here} as {what}"] = refusing(lambda ask=ask: ask(name))
            kinds.append(True)
        except Refusal as refusal:
            seen.public[f"type of {here} as {what}"] = str(refusal)
            kinds.append(False)
    if kinds[0]:
        column = table.column(name)
        seen.public[f"values of {here}"] = (column.type, column.values.dtype.str)
        rows("numbers", entries(column))
        try:
            refusing(lambda: label_type(table, name, numbers))
        except Refusal as refusal:
            seen.public[f"labels of {here}"] = str(refusal)
        else:
            rows("labels", whole_codes(table, name, numbers).tolist())
    if kinds[1]:
        rows("text labels", table.text_codes(name, labels).tolist())
        codes = table.text_ids(name).tolist()
        if table.tells_texts:
            places, words = table.text_values(name)
            known: list[int] = places.tolist()
            rows("texts", [words[i] if i >= 0 else None for i in known])
        if aligned:
            seen.groups[f"{here}, equal texts"] = [max(-1, code) for code in codes]
    if (kinds[0] or kinds[1]) and aligned:
        seen.groups[f"{here}, persons"] = person_codes(table, name).tolist()


def planned(
    statistic: object,
    relation: str,
    *,
    missing: object = None,
    subset: Subset = WHOLE,
    depth: int | None = None,
) -> Read:
    """The columns that a statistic reads, the rows of its groups, and its profiles."""
    told = f"{statistic!r}, relation={relation!r}, missing={missing!r}"
    told += f", rows: {subset!r}" if subset != WHOLE else ""

    def work(given: Given) -> Seen:
        prepared = given.planned(statistic, relation=relation, missing=missing, subset=subset)
        seen = Seen()
        seen.public |= {"request": prepared.request, "relation": prepared.profile_relation}
        names = prepared.request.names
        if isinstance(prepared.table, EdgeTable):
            match prepared.request:
                case GraphRequest(nodes=nodes):
                    low, high = prepared.table.edges(nodes)
                case other:
                    raise TypeError(f"{type(other).__name__} is not asked of a graph")
            if not nodes.every:  # else positions mean nothing, and the profile tells
                edges = zip(low.tolist(), high.tolist(), strict=True)
                seen.bags["edges"] = list(edges)
            _profiles(seen, "", prepared, depth)
        elif subset == WHOLE:
            for name in names:
                (seen.rows if given.aligned(prepared.table) else seen.bags)[f"{name}"] = _whole(
                    prepared.table, name
                )
            _profiles(seen, "", prepared, depth)
        else:
            parts = split(prepared.table, subset, active())
            if subset.unit is not None:  # which row of a person is used is drawn; one of each is
                used = sum(part.row_count() for part in parts)
                seen.bags["persons"] = [None] * used
                return seen
            for i, part in enumerate(parts):
                for name in names:
                    seen.bags[f"group {i}, {name}"] = _whole(part, name)
                seen.bags[f"group {i}, how many rows"] = [None] * part.row_count()
                _profiles(seen, f"group {i}", replace(prepared, table=part), depth)
        return seen

    return Read(told, work)


def _whole(table: Table, name: str | None) -> list[object]:
    """A column as numbers if it holds any, else as texts; nothing where all rows are counted."""
    try:
        table.column_type(name)
    except LeastNoiseError:
        try:
            table.text_type(name)
        except LeastNoiseError:
            return []
        return table.text_codes(name, TEXTS).tolist()
    return entries(table.column(name))


def _profiles(seen: Seen, here: str, prepared: StatisticPlan, depth: int | None) -> None:
    if isinstance(prepared.statistic, KeyStatistic | VectorStatistic):
        match prepared.table.summarise(prepared.request, 0):
            case KeySummary(counts):
                seen.bags[f"{here} keys"] = [key for key, n in counts.items() for _ in range(n)]
            case VectorSummary(n=n, units=units) | OrderedSummary(n=n, units=units):
                seen.public[f"{here} units"] = units
                seen.bags[f"{here} rows kept"] = [None] * n
            case other:
                raise TypeError(f"{type(other).__name__} is not looked at")
    elif prepared.stride == 1:
        seen.profiles[here] = read(prepared, (), LEVELS, Subject(""), depth)
