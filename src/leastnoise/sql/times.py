"""Dates and times of a query: parts of a calendar.

A year or a month is that of the entry itself, whatever limits are declared; these give the keys to
group by and the limits of the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from leastnoise.sql import nearest
from leastnoise.sql.cures import COMPARED, TURNED, of_dates_as_text
from leastnoise.sql.formats import read_clock, read_text
from leastnoise.sql.forms import ONE
from leastnoise.sql.kinds import (
    refuse_calendar,
    told_clock,
)
from leastnoise.sql.moments import (
    UTC_ALONE,
    as_constant,
    fits,
    is_interval,
    is_text,
    is_time_of_day,
    read_time,
    refuse_between_seconds,
)
from leastnoise.sql.names import as_name, section
from leastnoise.sql.refusals import called, explain
from leastnoise.sql.relations import Cell, RawColumn, Timed, same
from leastnoise.sql.results import MOST_PARTS, days_of, parts_between
from leastnoise.sql.rewritings import between_of
from leastnoise.summaries.calendar import Part, part_of
from leastnoise.summaries.columns import Clock, Time, clock_of, declared
from leastnoise.summaries.expressions import (
    Arithmetic,
    Calendar,
    Floor,
    Lookup,
    Moment,
    Number,
    Numeric,
)

if TYPE_CHECKING:
    from leastnoise.sql.rows import RowCompiler
    from leastnoise.sql.text import Tree

_KINDS = {
    **{kind: kind.upper() for kind in ("Year", "Quarter", "Month", "Hour", "Day")},
    "DayOfMonth": "DAY", "DayOfYear": "DOY", "DayOfWeekIso": "ISODOW",
}  # fmt: skip
_NAMES = {"DAYOFMONTH": "DAY", "DAYOFYEAR": "DOY", "DAYOFWEEK_ISO": "ISODOW"}
CALENDAR = frozenset({*_KINDS, "Extract", "DateTrunc", "TimestampTrunc", "Date", "Time", "LastDay"})
_CALLED = ("DATE_PART", "DATEPART", "EOMONTH")
_TIMES = "[2020-01-01T00:00:00, 2024-12-31T23:59:59]"
SECONDS = Number(Fraction(86_400))
"""Of a day."""
_SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_SINCE: dict[str, Part] = {"DAY": "MONTH START", "DOY": "YEAR START", "ISODOW": "WEEK START"}
_NUMBERS: dict[str, Part] = {"YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "HOUR": "HOUR"}
_STARTS: dict[str, Part] = {
    "YEAR": "YEAR START",
    "QUARTER": "QUARTER START",
    "MONTH": "MONTH START",
    "WEEK": "WEEK START",
}


def is_calendar(node: Tree) -> bool:
    """Whether a form is a part of the calendar."""
    kind = type(node).__name__
    return kind in CALENDAR or (kind == "Anonymous" and str(node.this).upper() in _CALLED)


def calendar(rows: RowCompiler, node: Tree) -> Cell:
    """YEAR, QUARTER, MONTH, DAY or HOUR of a column, or the first or last day of one.

    Raises
    ------
    QueryError
        If it is another part, or nothing says that the column holds dates.
    """
    kind, query = type(node).__name__, rows.query
    match kind:
        case "Date":
            return as_date(rows, node)
        case "Time":
            query.only(node, "this")
            return time_of_day(rows, node)
        case "DateTrunc" | "TimestampTrunc":
            query.only(node, "this", "unit")
            unit, of = str(node.args["unit"].name).upper(), node.this
            if of.name.upper() in _STARTS and not same(of.name, rows.relation.listed()):
                week = ", whose weeks begin on Monday" if of.name.upper() == "WEEK" else ""
                query.refuse(node, f"write {called(node)}('{of.name.lower()}', column){week}")
            if unit == "DAY":
                return as_date(rows, node)
            if unit in _SECONDS:
                moment, clock = _in_times(rows, node, of)
                size = Number(Fraction(_SECONDS[unit]))
                start = Arithmetic("*", Floor(Arithmetic("/", moment, size)), size)
                return Timed(start, clock, _starts(rows, moment, _SECONDS[unit]))
            if unit not in _STARTS:
                query.refuse(
                    node,
                    f"{called(node)} is to year, quarter, month, week, day, hour or minute: write "
                    f"{called(node)}('day', {query.written(of)})",
                )
            return _edge(rows, node, of, _STARTS[unit])
        case "LastDay":
            query.only(node, "this")
            return _edge(rows, node, node.this, "LAST DAY")
        case "Anonymous" if called(node) == "EOMONTH":
            if len(node.expressions) != 1:
                query.refuse(node, "EOMONTH takes a date alone: write EOMONTH(day)")
            return _edge(rows, node, node.expressions[0], "LAST DAY")
        case "Anonymous":
            if len(node.expressions) != 2:
                query.refuse(node, explain(node))
            first, of = node.expressions
            unit = str(first.name).upper()
        case "Extract":
            query.only(node, "this", "expression")
            unit, of = node.name.upper(), node.expression
        case _:
            query.only(node, "this")
            unit, of = _KINDS[kind], node.this
    unit = _NAMES.get(unit, unit)
    if unit not in (*_NUMBERS, *_SINCE):
        query.refuse(node, f"{unit} of a date is refused: {nearest.NAMED.get(unit, nearest.PARTS)}")
    constant = read_text(str(of.this)) if is_text(of) else read_time(query, of)
    if isinstance(constant, date) and clock_of(constant) is not Clock.INSTANT:
        return _part_of_constant(constant, unit)
    public = _public(rows, of)
    if public is not None and not (unit == "HOUR" and public[1] is Clock.DAY):
        return _parts_of_public(*public, unit)
    if unit == "HOUR":
        return Calendar("HOUR", _of_day(rows, node, of))
    return _part(unit, _day(*_moment(rows, node, of)))


def time_of_day(rows: RowCompiler, node: Tree) -> Timed:
    """The time since midnight, CAST(ts AS TIME)."""
    return Timed(_of_day(rows, node, node.this), Clock.SPAN, None)


def _of_day(rows: RowCompiler, node: Tree, of: Tree) -> Numeric:
    """The seconds since midnight."""
    moment, clock = _in_times(rows, node, of)
    return Arithmetic("-", moment, in_seconds(_day(moment, clock)))


def _in_times(rows: RowCompiler, node: Tree, of: Tree) -> tuple[Numeric, Clock]:
    """A column of times, and none of days."""
    written = rows.query.written(of)
    if _public(rows, of) is not None:
        rows.query.refuse(
            node,
            f"a column of days has no hours: write times into {written} of the public table, "
            "2024-01-31T12:30:00",
        )
    moment, clock = _moment(rows, node, of)
    if clock is Clock.DAY:
        rows.query.refuse(
            node,
            f"a column of days has no hours: declare limits of {written} that are times, "
            f"{section(moment.column) if isinstance(moment, Moment) else written} bounds = "
            f"{_TIMES}",
        )
    return moment, clock


def _starts(rows: RowCompiler, moment: Numeric, seconds: int) -> tuple[int, ...] | None:
    """Each hour, or minute, between the declared limits of a column, if they are few."""
    times = rows.relation.facts(moment.column).times if isinstance(moment, Moment) else None
    if times is None or not isinstance(moment, Moment):
        return None
    low, high = moment.clock.numbers(times)
    firsts = range(low // seconds * seconds, high + 1, seconds)
    return tuple(firsts) if len(firsts) <= MOST_PARTS else None


def _edge(rows: RowCompiler, node: Tree, of: Tree, unit: Part | Literal["LAST DAY"]) -> Timed:
    """The first day of the month or another part of the calendar, or the last one of the month."""
    if (public := _public(rows, of)) is not None:
        return _public_start(*public, unit)
    start: Part = "MONTH START" if unit == "LAST DAY" else unit
    found = Calendar(start, _day(*_moment(rows, node, of)))
    keys = parts_between(found, rows.relation.facts)
    if unit != "LAST DAY":
        return Timed(found, Clock.DAY, keys)
    ends = None if keys is None else tuple(_of_one(unit, day) for day in keys)
    return Timed(month_end(found), Clock.DAY, ends)


def month_end(first: Numeric) -> Numeric:
    """The last day of a month, from its first one."""
    later = Arithmetic("+", first, Number(Fraction(31)))  # in the next month
    return Arithmetic("-", Calendar("MONTH START", later), ONE)


def in_seconds(day: Numeric) -> Numeric:
    """The midnight of a day, as times are counted."""
    return Arithmetic("*", day, SECONDS)


def _part(unit: str, day: Numeric) -> Numeric:
    """A number that a day has; days are counted from 1."""
    if unit in _NUMBERS:
        return Calendar(_NUMBERS[unit], day)
    return Arithmetic("+", Arithmetic("-", day, Calendar(_SINCE[unit], day)), ONE)


def _of_one(unit: str, day: int) -> int:
    """The same of one day, or of the seconds since midnight."""
    if unit in _SINCE:
        return day - part_of(_SINCE[unit], day) + 1
    if unit == "LAST DAY":
        return part_of("MONTH START", part_of("MONTH START", day) + 31) - 1
    return part_of(_NUMBERS[unit] if unit in _NUMBERS else _STARTS[unit.removesuffix(_START)], day)


_START = " START"


def _part_of_constant(time: date, unit: str) -> Number:
    if unit == "HOUR":
        return Number(Fraction(time.hour if isinstance(time, datetime) else 0))
    return Number(Fraction(_of_one(unit, time.toordinal() - date(1970, 1, 1).toordinal())))


def moment_of(rows: RowCompiler, cell: Cell) -> tuple[Numeric, Clock] | None:
    """A date or time as a number, and its clock; None if it is neither."""
    if isinstance(cell, Timed):
        return cell.value, cell.clock
    if not isinstance(cell, RawColumn):
        return None
    moment, own = rows.relation.moment(cell), rows.relation.table.own_clock(cell.name)
    if moment is None and own is not None:
        moment = Moment(cell.name, own)
    return None if moment is None else (moment, moment.clock)


def constant_time(rows: RowCompiler, of: Tree, constant: Tree) -> Time | None:
    """The date or time that a constant is: beside dates a text is one, as in SQL; else None.

    Raises
    ------
    QueryError
        If it is a text beside dates, and is no date of their kind.
    """
    time = read_time(rows.query, constant)
    while type(constant).__name__ == "Paren":
        constant = constant.this
    if time is not None or not is_text(constant) or not str(constant.this).strip():
        return time
    beside, text = read_time(rows.query, of), str(constant.this).strip()
    cell = rows.value(of) if beside is None else None
    clock = clock_of(beside) if cell is None else rows.relation.clock(cell)
    if is_time_of_day(of):
        return read_clock(text)
    words = rows.relation.table.stand_ins(cell.name) if isinstance(cell, RawColumn) else ()
    if clock is None or clock is Clock.SPAN or text in words:
        return None
    found = read_text(text)
    if not fits(found, clock):
        query, why = rows.query, f"{rows.query.written(of)} holds {told_clock(clock)}, "
        cure = f"write {as_constant(text, clock)}"
        if isinstance(found, datetime) and clock is not Clock.DAY:
            if found.microsecond:
                told = f"{why}which are read to the second"
                refuse_between_seconds(query, constant, found, clock, told)
            if (found.tzinfo is None) is (clock is Clock.INSTANT):
                cure += UTC_ALONE
        query.refuse(constant, f"{why}and '{text}' is none: {cure}")
    return found.date() if clock is Clock.DAY and isinstance(found, datetime) else found


def check_known(rows: RowCompiler, cells: Sequence[Cell], node: Tree, *sides: Tree) -> None:
    """Refuse two columns of which nothing says if they are numbers or dates, or one beside a date.

    Of text files and lists that is for the schema to say; as numbers dates would all be missing.
    A column and some days, a + 5, may be a date too; a + 0 says that it is a number.
    """
    columns = [_moved_column(rows, side, cell) for side, cell in zip(sides, cells, strict=True)]
    unknown = [cell.name for cell in columns if cell is not None and rows.relation.is_unknown(cell)]
    times = [cell for cell in cells if rows.relation.clock(cell) is not None]
    if times and unknown:
        rows.query.refuse(
            node,
            f"{as_name(unknown[0])} stands beside a date, and nothing says that it is one: declare "
            f"its limits in the schema, {section(unknown[0])} bounds = [2020-01-01, 2024-12-31]",
        )
    if len(unknown) == 2:
        first, second = map(as_name, unknown)
        rows.query.refuse(
            node,
            f"{first} and {second} may be numbers, text or dates: declare bounds of them in the "
            f"schema, or write {first} + 0 for the number",
        )


def _moved_column(rows: RowCompiler, node: Tree, cell: Cell) -> RawColumn | None:
    """A column by itself, or with a number added to it."""
    while type(node).__name__ == "Paren":
        node = node.this
    if type(node).__name__ in ("Add", "Sub") and type(node.expression).__name__ == "Literal":
        given = rows.value(node.expression)
        moved = isinstance(given, Number) and given.value != 0
        return _moved_column(rows, node.this, rows.value(node.this)) if moved else None
    return cell if isinstance(cell, RawColumn) else None


def as_day(written: str, clock: Clock | None) -> str:
    """How the day of a date or time is written."""
    return f"CAST({written} AS DATE)" if clock in (Clock.LOCAL, Clock.INSTANT) else written


def days_apart(rows: RowCompiler, node: Tree) -> Numeric | None:
    """How many days lie between two dates, day - other or day - DATE '2024-01-31'; else None.

    Raises
    ------
    QueryError
        If they are times, whose difference is none of days, or nothing says what they are; or if
        days are added to a date.
    """
    nodes = node.this, node.expression
    if type(node).__name__ == "Add" and not any(map(is_interval, nodes)):
        return None
    sides = [_side(rows, each, other) for each, other in (nodes, nodes[::-1])]
    clocks = [rows.relation.clock(side) for side in sides]
    if clocks == [Clock.SPAN] * 2:
        rows.query.refuse(
            node,
            "durations are compared with INTERVAL 8 HOUR and aggregated as a column by itself: "
            "work with what AVG, SUM or MEDIAN of it gives",
        )
    check_known(rows, sides, node, *nodes)
    if Clock.SPAN in clocks:
        rows.query.refuse(node, f"a date and an interval are no number: {nearest.ADDED}")
    two = [found for side in sides if (found := moment_of(rows, side)) is not None]
    if len(two) < 2:
        for cell, side in zip(sides, nodes, strict=True):
            name = cell.name if two and isinstance(cell, RawColumn) else None
            if name is not None and (told := of_dates_as_text(rows.relation, name)):
                rows.query.refuse(side, f"{as_name(name)} is text by what is declared{told}")
        return None
    if any(clock is not Clock.DAY for _, clock in two):
        if (moved := _beside_interval(rows, node)) is not None:
            rows.query.refuse(moved[0], f"times are not subtracted here: write {moved[1]}")
        both = " - ".join(
            as_day(rows.query.written(each), clock)
            for each, (_, clock) in zip(nodes, two, strict=True)
        )
        rows.query.refuse(node, f"times are subtracted as days: write {both}")
    (one, _), (other, _) = two
    match one, other:
        case Number(Fraction() as last), Number(Fraction() as first):
            return Number(last - first)
        case _:
            return Arithmetic("-", one, other)


def _beside_interval(rows: RowCompiler, node: Tree) -> tuple[Tree, str] | None:
    """A difference of times compared with intervals, and how the later time is compared itself."""
    query, inner = rows.query, node
    while type(inner.parent).__name__ == "Paren":
        inner = inner.parent
    parent, between = inner.parent, type(inner.parent).__name__ == "Between"
    if not between and type(parent).__name__ not in COMPARED:
        return None
    sign = "" if between else COMPARED[type(parent).__name__]
    ends = [parent.args["low"], parent.args["high"]] if between else [parent.expression]
    if not between and parent.expression is inner:
        ends, sign = [parent.this], TURNED.get(sign, sign)
    if not all(map(is_interval, ends)):
        return None
    one, other = query.written(node.this), query.written(node.expression)
    added = "+"
    if read_time(query, node.this) is not None:
        one, other, added, ends, sign = other, one, "-", ends[::-1], TURNED.get(sign, sign)
    limits = " AND ".join(f"{other} {added} {query.written(end)}" for end in ends)
    word = between_of(parent, query.written) if between else sign
    return parent, f"{one} {word} {limits}"


def _side(rows: RowCompiler, node: Tree, other: Tree) -> Cell:
    """One of two that are added or subtracted: a constant time is a number of its clock."""
    time = constant_time(rows, other, node)
    clock = clock_of(time)
    if time is None or clock is None:
        return rows.value(node)
    return Timed(Number(Fraction(clock.number(time, "a constant"))), clock, None)


def as_date(rows: RowCompiler, node: Tree) -> Timed:
    """The day of a date or time."""
    if (public := _public(rows, node.this)) is not None:
        return _public_start(*public, None)
    moment, clock = _moment(rows, node, node.this)
    keys = days_of(rows.relation.facts(moment.column)) if isinstance(moment, Moment) else None
    return Timed(_day(moment, clock), Clock.DAY, keys)


def _public(rows: RowCompiler, of: Tree) -> tuple[Lookup, Clock] | None:
    """A column of dates or times of a public table, which a row looks up."""
    cell = rows.value(of) if type(of).__name__ == "Column" else None
    match cell:
        case Timed(Lookup() as found, clock) if clock is not Clock.SPAN:
            return found, clock
        case _:
            return None


def _parts_of_public(found: Lookup, clock: Clock, part: str | None) -> Lookup:
    """The same part of each of its times, which is public too; None is the day."""
    per_day = 1 if clock is Clock.DAY else 86_400
    values: list[Fraction | None] = []
    for number in found.values:
        day, rest = divmod(int(number or 0), per_day)
        worked = day if part is None else _of_one(part, rest if part == "HOUR" else day)
        values.append(None if number is None else Fraction(worked))
    called_by = f"{part or 'DAY'} OF {found.called}"
    return replace(found, called=called_by, values=tuple(values))


def _public_start(found: Lookup, clock: Clock, part: str | None) -> Timed:
    days = _parts_of_public(found, clock, part)
    return Timed(
        days, Clock.DAY, tuple(sorted({int(day) for day in days.values if day is not None}))
    )


def _day(moment: Numeric, clock: Clock) -> Numeric:
    return moment if clock is Clock.DAY else Floor(Arithmetic("/", moment, SECONDS))


def _moment(rows: RowCompiler, node: Tree, of: Tree) -> tuple[Numeric, Clock]:
    """A column of times by the clock of its limits, or of its type where none are declared."""
    query, kind = rows.query, type(node).__name__
    if type(of).__name__ == "Literal":
        query.refuse(
            node,
            "a DATE is compared with a column of dates, and nothing is worked out with it: write "
            "the date that is meant, DATE '2024-01-31'",
        )
    cell = rows.value(of)
    if isinstance(cell, Timed) and cell.clock is not Clock.SPAN:
        return cell.value, cell.clock
    if not isinstance(cell, RawColumn):
        inner = of.this if type(of).__name__ == "Paren" else of
        if type(inner).__name__ == "Sub":
            written = query.written(of)
            query.refuse(node, f"{written} is the number of days already: write {written}")
        query.refuse(
            node,
            f"{called(node)} is of a column of dates or times by itself, and {query.written(of)} "
            f"is worked out: write {called(node)} of the column that it is made of",
        )
    facts, table = rows.relation.facts(cell.name), rows.relation.table
    clock = declared(list(facts.times or facts.dates or ()))[0] or table.own_clock(cell.name)
    if (clock is None and not rows.relation.is_untyped(cell)) or clock is Clock.SPAN:
        refuse_calendar(rows.relation, node, cell.name)
    if clock is None:
        query.refuse(
            node,
            f"{called(node)} needs limits that are {'times' if kind == 'Hour' else 'dates'}: "
            f"declare them in the schema, {section(cell.name)} bounds = "
            f"{_TIMES if kind == 'Hour' else '[2020-01-01, 2024-12-31]'}",
        )
    with query.located(of):
        table.clocked({cell.name: clock}).column_type(cell.name)
    return Moment(cell.name, clock), clock
