"""Dates of a row that are moved by some time, and those that CASE, COALESCE and GREATEST choose."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from leastnoise.sql.forms import NOTHING
from leastnoise.sql.moments import is_text, moved_by, read_time
from leastnoise.sql.relations import RawColumn, Timed
from leastnoise.sql.results import days_of
from leastnoise.sql.times import SECONDS, constant_time, in_seconds, moment_of, month_end
from leastnoise.summaries.columns import Clock, clock_of
from leastnoise.summaries.expressions import (
    Arithmetic,
    Calendar,
    Choice,
    Compared,
    Floor,
    Number,
    Numeric,
)

if TYPE_CHECKING:
    from leastnoise.sql.rows import RowCompiler
    from leastnoise.sql.text import Tree

_DAY = 86_400
_MONTH = Fraction(146_097, 4800)
"""Days of a month in the mean of 400 years: of any number of months it is wrong by 3 at most."""


def moved(rows: RowCompiler, node: Tree) -> Timed | None:
    """A date or time of a row some days, hours or months later; None of any other form.

    Of a shorter month it is the last day, as for constants.
    """
    found = moved_by(rows.query, node)
    if found is None or is_text(found.of) or read_time(rows.query, found.of) is not None:
        return None
    cell = rows.value(found.of)
    moment = moment_of(rows, cell)
    if moment is None or moment[1] is Clock.SPAN or (found.bare and moment[1] is not Clock.DAY):
        return None
    value, clock = moment
    if type(node).__name__ == "AddMonths":
        rows.query.refuse(
            node,
            "ADD_MONTHS is refused, as dialects differ at the ends of months: write "
            f"{rows.query.written(found.of)} + INTERVAL {found.months} MONTH, which keeps the day "
            "where there is one",
        )
    if found.months:
        value = _months_later(value, clock, found.months)
    seconds = found.length.days * _DAY + found.length.seconds
    if clock is Clock.DAY and seconds % _DAY:
        value, clock = in_seconds(value), Clock.LOCAL
    step = seconds // clock.seconds
    if step:
        value = Arithmetic("+", value, Number(Fraction(step)))
    keys = None
    if clock is Clock.DAY and not found.months:
        keys = cell.keys if isinstance(cell, Timed) else None
        keys = days_of(rows.relation.facts(cell.name)) if isinstance(cell, RawColumn) else keys
    return Timed(value, clock, keys and tuple(key + step for key in keys))


def _months_later(value: Numeric, clock: Clock, months: int) -> Numeric:
    if clock is not Clock.DAY:
        day = Floor(Arithmetic("/", value, SECONDS))
        since = Arithmetic("-", value, in_seconds(day))
        return Arithmetic("+", in_seconds(_months_later(day, Clock.DAY, months)), since)
    first = Calendar("MONTH START", value)
    inside = Number(Fraction(round(_MONTH * months) + 14))  # the middle of the one meant
    start = Calendar("MONTH START", Arithmetic("+", first, inside))
    same = Arithmetic("+", start, Arithmetic("-", value, first))
    last = month_end(start)
    return Choice(((Compared("<", same, last), same),), last)


class Numbers(NamedTuple):
    """Numbers, or dates and times by their clock, of which a value is one."""

    values: list[Numeric]
    clock: Clock | None = None

    def cell(self, value: Numeric) -> Numeric | Timed:
        """What was made of them."""
        return value if self.clock is None else Timed(value, self.clock, None)


def chosen(rows: RowCompiler, nodes: Sequence[Tree]) -> Numbers | None:
    """Dates or times of one clock, as numbers, of which a value is one; None of other values."""
    of = next((node for node in nodes if _is_time(rows, node)), None)
    if of is None:
        return None
    found: list[tuple[Numeric, Clock | None]] = []
    for node in nodes:
        time = constant_time(rows, of, node)
        if time is not None and (clock := clock_of(time)) is not None:
            found.append((Number(Fraction(clock.number(time, "a constant"))), clock))
            continue
        cell = rows.value(node)
        moment = moment_of(rows, cell)
        if moment is None and cell != NOTHING:
            return None
        found.append(moment or (NOTHING, None))
    clocks = {clock for _, clock in found if clock is not None}
    if clocks == {Clock.DAY, Clock.LOCAL}:  # a date is its midnight
        numbers = [in_seconds(x) if clock is Clock.DAY else x for x, clock in found]
        return Numbers(numbers, Clock.LOCAL)
    clock, *others = clocks
    return None if others else Numbers([number for number, _ in found], clock)


def _is_time(rows: RowCompiler, node: Tree) -> bool:
    """Whether a form is a date or time of a row."""
    if is_text(node) or read_time(rows.query, node) is not None:
        return False
    return rows.relation.clock(rows.value(node)) not in (None, Clock.SPAN)
