"""The facts of a description, drawn one after the other, each with its share of epsilon.

A fact depends on the records and on earlier facts: limits lie around released quartiles, labels
are counted among released keys, and the number of rows used of a person is itself released.
Released counts decide which questions follow (``docs/proofs/describe.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log
from typing import Any

import numpy as np

from leastnoise import randomness
from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.numbers import HeldNumbers, raw_numbers
from leastnoise.frames.memory.persons import person_codes
from leastnoise.frames.table import TOTAL, split
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.mechanisms.bracket import Counted, radius_split
from leastnoise.mechanisms.row_limits import COST_RATE, group_limits, limit_costs
from leastnoise.params import PrivateBounds
from leastnoise.randomness import BitSource
from leastnoise.record import Release
from leastnoise.record.description_sure import FORMS, listed, reach_of_cells
from leastnoise.sampling.unsorted import draw_first
from leastnoise.session.checking import kind_of
from leastnoise.session.describing.forms import WHOLE_WAYS, Way, follows, forms, whole_numbers
from leastnoise.session.describing.outline import NUMBERS, ColumnFacts, Outline
from leastnoise.session.kinds.interval import interval_kind
from leastnoise.session.kinds.kind import Answer, Kind
from leastnoise.session.prepare import choose_mechanism, plan
from leastnoise.session.search.graded import GradedIndex
from leastnoise.session.search.unknown_bounds import draw_quantiles, with_bounds
from leastnoise.statistics import (
    Count,
    CountDistinct,
    Histogram,
    Mean,
    PrivateKeys,
    Quantile,
    Quantiles,
    WithInterval,
)
from leastnoise.summaries.predicates import col
from leastnoise.summaries.subset import WHOLE, Subset, Unit

Facts = dict[str, "Release"]
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
ONE_BY_ONE = dict(zip(("first quartile", "median", "third quartile"), QUARTILES, strict=True))
# How many columns are read from an engine at once.
_TOGETHER = 8
# Half-lines on either side: first near ones, then far ones. Where quartiles are one number they
# tell no scale: all of a walk is made in larger steps then, about 0 from the smallest scales on.
_NEAR, _FAR = (Fraction(5, 4), 32), (Fraction(4), 30)
_NO_SCALE = (Fraction(2), 10)
_SMALL = tuple(Fraction(1, 1000**power) for power in range(4, 0, -1))
_OUTSIDE = 6
_READS = "reads as"
_OF_TIMES = ("quartiles", "limits")
# Binary digits of the largest number of rows of a person that quartiles distinguish.
_PERSON_ROWS = 11
_REFUSED = "\u0000"  # a label that no entry has, beside the only key


@dataclass(frozen=True, slots=True)
class Drawing:
    """NOT PRIVATE. The table of a description, whose schema has been read.

    ``table`` has columns of times read as numbers; ``subset`` says whom the rows belong to.
    """

    table: Table
    relation: str
    subset: Subset
    outline: Outline

    def rehearse(self) -> None:
        """Both ways of every column on no data: what can be refused is refused here."""
        outline = self.outline
        for name, epsilon in outline.table.items():
            if name in ("rows a person", "rows used"):
                self._person_kind(epsilon)
            else:
                self._kind(_of_table(name, self.subset), epsilon)
        for column in outline.columns:
            if _READS in column.facts:
                self._entries_kind(column)
                inner = self._of_whole_numbers(column)
                for statistic, epsilon in _of_numbers(column):
                    inner._kind(statistic, epsilon)  # its own
                for epsilon in column.following(_OF_TIMES).values():
                    inner._kind(_quartiles(column), epsilon)
            for statistic, epsilon, where in _questions(column):
                self._kind(statistic, epsilon, where)

    def draw(self, progress: Callable[[int, int], None]) -> tuple[Facts, list[Facts], int | None]:
        """All facts: of the table, of each column, and how many rows of a person were used."""
        source, shares = randomness.active(), self.outline.table
        of_table: Facts = {}
        drawing, unit = self, self.subset.unit
        whole = self._split(Subset(where=self.subset.where), self.table, source)
        if unit is not None:
            held = whole.hold([unit.column])
            if "persons" in shares:
                of_table["persons"] = self._draw(
                    CountDistinct(unit.column), shares["persons"], held
                )
            if "rows a person" in shares:
                of_table["rows a person"] = self._person_rows(held, shares["rows a person"])
            if "rows used" in shares:
                used = of_table["rows used"] = self._used_rows(held, unit, shares["rows used"])
                unit = replace(unit, max_rows=_count(used))
            drawing = replace(self, subset=replace(self.subset, unit=unit))
            whole = drawing._split(drawing.subset, drawing.table, source)  # its own
        if "rows" in shares:
            of_table["rows"] = drawing._draw(Count(), shares["rows"], whole)  # its own
        found: list[Facts] = []
        columns = self.outline.columns
        owner = [] if unit is None else [unit.column]
        for first in range(0, len(columns), _TOGETHER):
            together = columns[first : first + _TOGETHER]
            held = whole.hold([*owner, *(column.name for column in together)])
            for column in together:
                found.append(drawing._column(column, held))  # its own
                progress(len(found), len(columns))
        new = drawing.subset.unit
        return of_table, found, None if new is None else new.max_rows

    def _split(self, subset: Subset, table: Table, source: BitSource) -> Table:
        (found,) = split(table, subset, source)
        return found

    def _kind(self, statistic: object, epsilon: Fraction, where: object = None) -> Kind:
        subset = self.subset if where is None else self.subset.filtered(where)
        prepared = plan(statistic, self.table, self.relation, "drop", subset=subset)
        mechanism = choose_mechanism(None, prepared.statistic, prepared.profile_relation)
        return kind_of(prepared, mechanism, epsilon)

    def _draw(
        self, statistic: object, epsilon: Fraction, table: Table, where: object = None
    ) -> Release:
        kind = self._kind(statistic, epsilon, where)
        if where is not None:
            table = self._split(WHOLE.filtered(where), table, randomness.active())
        (answer,) = kind.draw([table])
        return kind.record(answer)

    def _column(self, column: ColumnFacts, table: Table) -> Facts:
        """The facts of one column."""
        found: Facts = {}
        for name, (statistic, where) in _counts(column).items():
            found[name] = self._draw(statistic, column.facts[name], table, where)
        if _READS in column.facts:
            found[_READS] = entries = self._entries(column, table)
            way = follows(listed(entries), reach_of_cells(entries))
        else:
            way = Way.NUMBERS if column.kind in ("numbers", "times") else Way.LABELS
        if way in WHOLE_WAYS:
            told = self.table.tells_texts
            whole = whole_numbers(table, column.name, way, texts=told)
            timed = column if way.clock is None else replace(column, clock=way.clock)
            self._of_whole_numbers(column)._numbers(timed, open_table({column.name: whole}), found)
        elif way is Way.NUMBERS:
            self._numbers(column, table, found)
        else:
            self._labels(column, table, found)
        return found

    def _of_whole_numbers(self, column: ColumnFacts) -> Drawing:
        """The same of a table of those entries of a column that read as whole numbers."""
        unit = self.subset.unit
        nobody = {column.name: np.empty(0, np.int64)}
        if unit is not None:
            nobody[unit.column] = np.empty(0, np.int64)
        there = Subset(unit=unit).filtered(~col(column.name).is_missing())
        return replace(self, table=open_table(nobody), subset=there)

    def _entries_kind(self, column: ColumnFacts) -> Kind:
        """How many of the present entries are of each form."""
        inner = self._of_whole_numbers(column)
        statistic = Histogram(column.name, categories=list(range(len(FORMS))))
        prepared = plan(statistic, inner.table, self.relation, "drop", subset=inner.subset)
        mechanism = choose_mechanism(None, prepared.statistic, prepared.profile_relation)
        return kind_of(prepared, mechanism, column.facts[_READS])

    def _entries(self, column: ColumnFacts, table: Table) -> Release:
        kind = self._entries_kind(column)
        there = WHOLE.filtered(~col(column.name).is_missing())
        read = self._split(there, table, randomness.active())
        found = forms(read, column.name, texts=self.table.tells_texts)
        (answer,) = kind.draw([open_table({column.name: found})])
        return replace(kind.record(answer), axes=(FORMS,))

    def _numbers(self, column: ColumnFacts, table: Table, facts: Facts) -> None:
        shares = column.following(NUMBERS if column.clock is None else _OF_TIMES)
        if "quartiles" not in shares:
            return
        facts["quartiles"] = quartiles = self._draw(_quartiles(column), shares["quartiles"], table)
        whole = self.table.column_type(column.name).integer
        steps = half_lines(listed(quartiles), whole=whole)
        low, high = steps[-1][0], steps[1][0]
        if "limits" in shares:
            kind = self._kind(_quartiles(column), shares["limits"])
            facts["limits"] = self._limits(kind, table, steps)
            low, high = map(Fraction, listed(facts["limits"]))
        if "mean" in shares:
            asked = Mean(column.name, bounds=PrivateBounds())
            facts["mean"] = self._inside(asked, shares["mean"], table, (low, high))
        if "intervals" in shares:
            each = shares["intervals"] / len(ONE_BY_ONE)
            for name, order in ONE_BY_ONE.items():
                asked = Quantile(column.name, q=order, bounds=PrivateBounds())
                facts[name] = self._inside(asked, each, table, (low, high))
        if column.clock is not None:
            for name in ("quartiles", "limits"):
                if name in facts:
                    shown = column.clock.shown(facts[name].value, "time")
                    facts[name] = replace(facts[name], value=shown)

    def _limits(self, kind: Kind, table: Table, steps: Mapping[int, list[Fraction]]) -> Release:
        """Walks outwards from the middle of released quartiles, one on each side."""
        numbers = raw_numbers(table, kind.plan.request.column, None)
        share = side_share(self.relation, kind.epsilon) / kind.plan.stride
        ends: list[Fraction] = []
        about, most = ceil(_OUTSIDE / share), rows_beyond_limits(steps, share)
        notes = [
            f"about {about} rows lie beyond each limit, at most {most} in 95 % of descriptions"
        ]
        for side in (-1, 1):
            heights = half_line_heights(numbers, steps[side], side, share)
            index = draw_first(heights, *radius_split(share), randomness.active())
            ends.append(steps[side][-1 if index is None else index])
            if index is None:
                where = "lower" if side < 0 else "upper"
                notes = [f"the search ended at the {where} limit: more may lie beyond", *notes[1:]]
        whole = kind.plan.table.column_type(kind.plan.request.column).integer
        low, high = (int(end) if whole else float(end) for end in ends)
        answer = Answer(
            value=[low, high],
            step="1",
            sensitivity="instance",
            mechanism="SparseVector() on half-lines about released quartiles",
            parts={"each side": str(share)},
            notes=tuple(notes),
        )
        return replace(kind.record(answer), statistic="Limits", axes=(("low", "high"),))

    def _inside(
        self, statistic: object, epsilon: Fraction, table: Table, ends: tuple[Fraction, Fraction]
    ) -> Release:
        """A statistic inside released limits, and an interval of it."""
        free = plan(statistic, self.table, self.relation, "drop", subset=self.subset)
        inside, mechanism = with_bounds(free, None, ends)
        asked = _with_interval(inside.statistic)
        kind = interval_kind(replace(inside, statistic=asked), asked, mechanism, epsilon)
        record = kind.record(kind.answer(table))
        return replace(record, notes=(*record.notes, "entries beyond the limits count as these"))

    def _labels(self, column: ColumnFacts, table: Table, facts: Facts) -> None:
        epsilon = column.following(("labels",)).get("labels")
        if epsilon is None:
            return
        if column.labels is not None:
            labels = list(column.labels)
            facts["labels"] = self._draw(Histogram(column.name, categories=labels), epsilon, table)
            return
        keys = PrivateKeys(column.name, delta=column.delta)
        facts["keys"] = self._draw(keys, epsilon / 2, table)
        shown = listed(facts["keys"])
        if not shown:
            return
        # a histogram has two labels at least
        asked = shown if len(shown) > 1 else [*shown, f"{shown[0]}{_REFUSED}"]
        counted = self._draw(Histogram(column.name, categories=asked), epsilon / 2, table)
        counts: Any = counted.value
        facts["labels"] = replace(counted, value=counts[: len(shown)], axes=(tuple(shown),))

    def _person_kind(self, epsilon: Fraction) -> Kind:
        """Quartiles of a table of persons: one record for each person."""
        statistic = Quantiles(TOTAL, q=list(QUARTILES), bounds=PrivateBounds())
        nobody = open_table({TOTAL: np.empty(0, np.int64)})
        prepared = plan(statistic, nobody, self.relation, "none")
        relation = "edit" if self.relation == "replace-one" else self.relation
        unit = self.subset.unit
        owned = Subset(unit=None if unit is None else Unit(unit.column, 1))
        prepared = replace(prepared, profile_relation=relation, subset=owned)
        mechanism = choose_mechanism(None, prepared.statistic, relation)
        return kind_of(prepared, mechanism, epsilon)

    def _person_rows(self, table: Table, epsilon: Fraction) -> Release:
        kind, unit = self._person_kind(epsilon), self.subset.unit
        codes = person_codes(table, None if unit is None else unit.column)
        rows = np.bincount(codes[codes >= 0])
        numbers = HeldNumbers(rows[rows > 0].astype(np.int64))
        statistic: Any = kind.plan.statistic
        index = GradedIndex(0, _PERSON_ROWS, signed=False)
        answer = draw_quantiles(statistic, numbers, index, kind.plan.profile_relation, epsilon)
        record = kind.record(answer)
        return replace(record, column=None if unit is None else unit.column)

    def _used_rows(self, table: Table, unit: Unit, epsilon: Fraction) -> Release:
        """Choose how many rows of a person are used, by how many persons have more."""
        limits = used_limits(unit.max_rows)
        beyond = table.persons_beyond(Subset(unit=unit), limits)
        used = limits[used_law(beyond, epsilon).draw(randomness.active())]
        more = persons_beyond_used(used, limits, epsilon)
        answer = Answer(
            value=used,
            step="1",
            sensitivity="global",
            mechanism="PermuteAndFlip() among limits of rows a person",
            notes=(f"at most {more} persons have more rows in 95 % of descriptions",),
        )
        record = self._person_kind(epsilon).record(answer)
        return replace(record, statistic="RowsUsed", column=unit.column, axes=())


def _of_table(name: str, subset: Subset) -> object:
    person = None if subset.unit is None else subset.unit.column
    return Count() if name == "rows" else CountDistinct(person)


def _counts(column: ColumnFacts) -> dict[str, tuple[object, object]]:
    """What is counted in every column: the statistic, and the rows that it is counted over."""
    name = column.name
    missing = (Count(), col(name).is_missing())
    questions: dict[str, tuple[object, object]] = {
        "missing": missing,
        "distinct": (CountDistinct(name), None),
    }
    return {fact: asked for fact, asked in questions.items() if column.facts.get(fact)}


def _quartiles(column: ColumnFacts) -> Quantiles:
    return Quantiles(column.name, q=list(QUARTILES), bounds=PrivateBounds())


def _questions(column: ColumnFacts) -> Iterator[tuple[object, Fraction, object]]:
    """Every statistic that a column may need, both ways; limits are found later, so any will do."""
    for fact, (statistic, where) in _counts(column).items():
        yield statistic, column.facts[fact], where
    if column.kind in ("numbers", "times", "either"):
        for statistic, epsilon in _of_numbers(column):
            yield statistic, epsilon, None
    if column.kind in ("labels", "truths", "either"):
        share = column.following(("labels",)).get("labels")
        if share is not None and column.labels is not None:
            yield Histogram(column.name, categories=list(column.labels)), share, None
        elif share is not None:
            yield PrivateKeys(column.name, delta=column.delta), share / 2, None
            yield Histogram(column.name, categories=["a", "b"]), share / 2, None


def _of_numbers(column: ColumnFacts) -> Iterator[tuple[object, Fraction]]:
    shares = column.following(NUMBERS)
    for name in _OF_TIMES:
        if name in shares:
            yield _quartiles(column), shares[name]
    if "mean" in shares:
        yield WithInterval(Mean(column.name, bounds=(0, 1024))), shares["mean"]
    if "intervals" in shares:
        quantile = Quantile(column.name, q=QUARTILES[0], bounds=(0, 1024))
        yield _with_interval(quantile), shares["intervals"] / len(ONE_BY_ONE)


def _with_interval(statistic: Any) -> WithInterval:
    """What a mean costs anyhow; of a quantile nearly all of the share goes to the interval."""
    return WithInterval(statistic, favour="interval" if isinstance(statistic, Quantile) else None)


def used_limits(most: int) -> list[int]:
    """The limits among which the number of rows used of a person is chosen: public numbers."""
    return [min(limit, most) for limit in group_limits(most)]


def used_law(beyond: Sequence[int], epsilon: Fraction) -> PermuteAndFlipLaw:
    """NOT PRIVATE. The choice among limits by how many persons have more rows than each.

    Tolls count twice as much as where one answer is released: every fact gets noise for the limit,
    and of few persons one row each tells as much as many rows with noise for too many.
    """
    return PermuteAndFlipLaw(limit_costs(beyond, epsilon / 2), 2 * COST_RATE)


def persons_beyond_used(used: int, limits: Sequence[int], epsilon: Fraction) -> int:
    """How many persons have more rows than are used (and no more than the largest limit), 95 %.

    A limit is drawn with probability exp(cost of the best - its cost) at most, and the largest
    costs its toll alone.
    """
    tolls = limit_costs([0] * len(limits), epsilon)
    spared = 2 * COST_RATE * (tolls[-1] - tolls[limits.index(used)])
    return floor((spared + Fraction(log(20 * len(limits)))) / epsilon)


def rows_beyond_limits(steps: Mapping[int, list[Fraction]], share: Fraction) -> int:
    """How many rows lie beyond either limit at most, 95 %, unless a search came to its end.

    A half-line with c + t rows beyond, c the constant of the walk, is taken with probability
    exp(-e2 t) at most.
    """
    rate, ends = radius_split(share)[1], sum(map(len, steps.values()))
    return ceil(_OUTSIDE / share) + ceil(Fraction(log(20 * ends)) / rate)


def side_share(relation: str, share: Fraction) -> Fraction:
    """What each of both walks may cost: a row that comes or goes is on one side only."""
    return share if relation == "add-remove" else share / 2


def _count(record: Release) -> int:
    value: Any = record.value
    return int(value)


def half_lines(quartiles: Sequence[float], *, whole: bool) -> dict[int, list[Fraction]]:
    """Ends of half-lines on either side of released quartiles, outwards: public numbers.

    Amounts and counts often begin, and debts end, at 0, which is one of them where the median is on
    this side of it; below a median of 0, too.
    """
    low, middle, high = (Fraction(value) for value in quartiles)
    least = max(map(abs, (low, high))) / 64
    least = Fraction(1) if whole or not least else least
    found: dict[int, list[Fraction]] = {}
    for side, gap in ((-1, middle - low), (1, high - middle)):
        size = max(gap, least)
        # entries may end at the median, as those of 0 and 1 do
        ends = [middle] if whole and not gap and low < high else []
        if not whole and low == high == 0:
            ends = [side * size * part for part in _SMALL]
        for growth, steps in (_NEAR if low < high else _NO_SCALE, _FAR):
            for _ in range(steps):
                end = middle + side * size
                rounded = ceil(end) if side > 0 else -ceil(-end)
                ends.append(Fraction(rounded) if whole else Fraction(float(end)))
                size *= growth
        if (middle > 0 > ends[-1] or middle == 0) if side < 0 else middle < 0 < ends[-1]:
            ends = sorted({*ends, Fraction(0)}, reverse=side < 0)
        found[side] = ends
    return found


def half_line_heights(
    numbers: Counted, ends: Sequence[Fraction], side: int, epsilon: Fraction
) -> list[int]:
    """#beyond - ceil(6 / epsilon) for nested half-lines: a record moves all of them one way."""
    cuts = np.array([float(end) for end in ends])
    below, until = numbers.counts(cuts)
    beyond = below if side < 0 else len(numbers) - until
    return (beyond - ceil(_OUTSIDE / epsilon)).tolist()
