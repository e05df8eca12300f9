"""Dates and times of a query: constants such as DATE '2024-01-31', parts of a calendar.

A year or a month is the value of the band of days in which an entry lies. The bands are those of
the limits that the schema declares: public, and the same in every engine.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.sql.refusals import called, explain
from leastnoise.sql.relations import RawColumn, Timed, same
from leastnoise.summaries.columns import Clock, declared
from leastnoise.summaries.expressions import Arithmetic, Bands, Floor, Moment, Number

if TYPE_CHECKING:
    from leastnoise.sql.relations import Cell
    from leastnoise.sql.rows import RowCompiler
    from leastnoise.sql.text import Query, Tree

_KINDS = {"DATE": date, "TIMESTAMP": datetime, "DATETIME": datetime, "TIMESTAMPTZ": datetime}


def read_time(query: Query, node: Tree) -> date | None:
    """The date or time that a constant is; None for any other form.

    Raises
    ------
    QueryError
        If it is written as one and is none.
    """
    kind = type(node).__name__
    if kind == "Paren":
        return read_time(query, node.this)
    if kind not in ("Cast", "Date", "Timestamp") or type(node.this).__name__ != "Literal":
        return None
    if not node.this.args.get("is_string"):
        return None
    named = str(node.args["to"].this.name) if kind == "Cast" else kind.upper()
    if named not in _KINDS:
        return None
    query.only(node, "this", "to", "safe", "with_tz")
    try:
        return _KINDS[named].fromisoformat(str(node.this.this).strip())
    except ValueError:
        query.refuse(node, f"this is no {named}: write {named} '2024-01-31'")


CALENDAR = frozenset(
    {"Year", "Quarter", "Month", "Hour", "Extract", "DateTrunc", "TimestampTrunc", "Date"}
)
MOST_BANDS = 500
_FIRST = date(1970, 1, 1).toordinal()
_SECONDS = 86_400
_PARTS: dict[str, Callable[[date], int]] = {
    "YEAR": lambda day: day.year,
    "QUARTER": lambda day: (day.month + 2) // 3,
    "MONTH": lambda day: day.month,
}
# The first day of one, and how many days later the next one has begun and the one after has not.
_STARTS: dict[str, tuple[Callable[[date], date], int]] = {
    "YEAR": (lambda day: date(day.year, 1, 1), 366),
    "QUARTER": (lambda day: date(day.year, (day.month - 1) // 3 * 3 + 1, 1), 92),
    "MONTH": (lambda day: date(day.year, day.month, 1), 31),
    "WEEK": (lambda day: date.fromordinal(max(1, day.toordinal() - day.weekday())), 7),
}


def calendar(rows: RowCompiler, node: Tree) -> Cell:
    """YEAR, QUARTER, MONTH or HOUR of a column, or the first day of one.

    Raises
    ------
    QueryError
        If it is another part, or the column has no limits that are dates.
    """
    kind, query = type(node).__name__, rows.query
    match kind:
        case "Date":
            return as_date(rows, node)
        case "DateTrunc" | "TimestampTrunc":
            query.only(node, "this", "unit")
            unit, of = str(node.args["unit"].name).upper(), node.this
            if of.name.upper() in _STARTS and not same(of.name, rows.relation.listed()):
                query.refuse(node, f"write {called(node)}('{of.name.lower()}', column)")
            if unit == "DAY":
                return as_date(rows, node)
            if unit not in _STARTS:
                query.refuse(node, f"{called(node)} is to year, quarter, month, week or day")
            found = _days(rows, node, of, f"TRUNC {unit}", unit, _number)
            return Timed(found, Clock.DAY, tuple(x for x in found.values if x is not None))
        case "Extract":
            query.only(node, "this", "expression")
            unit, of = node.name.upper(), node.expression
        case _:
            query.only(node, "this")
            unit, of = kind.upper(), node.this
    if unit == "HOUR":
        return _hour(rows, node, of)
    if unit not in _PARTS:
        query.refuse(node, f"{explain(node)}; parts are YEAR, QUARTER, MONTH and HOUR")
    return _days(rows, node, of, unit, unit, _PARTS[unit])


def as_date(rows: RowCompiler, node: Tree) -> Timed:
    """The day of a date or time."""
    moment, clock, (low, high) = _moment(rows, node, node.this)
    keys = tuple(range(_number(low), _number(high) + 1))
    day = Floor(Arithmetic("/", moment, Number(Fraction(_SECONDS))))
    return Timed(
        moment if clock is Clock.DAY else day,
        Clock.DAY,
        keys if len(keys) <= MOST_BANDS else None,
    )


def days_between(rows: RowCompiler, column: str) -> tuple[date, date] | None:
    """The declared limits of a column, as days."""
    times = rows.relation.facts(column).times
    if times is None or not all(isinstance(time, date) for time in times):
        return None
    low, high = (time.date() if isinstance(time, datetime) else time for time in times)
    return low, high  # pyright: ignore[reportReturnType]  # they are dates


def _number(day: date) -> int:
    return day.toordinal() - _FIRST


def _moment(rows: RowCompiler, node: Tree, of: Tree) -> tuple[Moment, Clock, tuple[date, date]]:
    """A column of times by the clock of its limits, and these."""
    query = rows.query
    if type(of).__name__ == "Literal":
        query.refuse(
            node,
            "a DATE is compared with a column of dates, and nothing is worked out with it: write "
            "the date that is meant",
        )
    cell = rows.value(of)
    if not isinstance(cell, RawColumn):
        query.refuse(node, f"{called(node)} is of a column of dates or times by itself")
    limits = days_between(rows, cell.name)
    if limits is None:
        query.refuse(
            node,
            f"{called(node)} needs limits that are dates: declare them in the schema, "
            f"[columns.{cell.name}] bounds = [2020-01-01, 2024-12-31]",
        )
    clock = declared(list(rows.relation.facts(cell.name).times or ()))[0] or Clock.DAY
    with query.located(of):
        rows.relation.table.clocked({cell.name: clock}).column_type(cell.name)
    return Moment(cell.name, clock), clock, limits


def _days(
    rows: RowCompiler,
    node: Tree,
    of: Tree,
    name: str,
    unit: str,
    value: Callable[[date], int],
) -> Bands:
    """The value of the year, month or week in which a day lies; missing beyond the limits."""
    start, jump = _STARTS[unit]
    moment, clock, (low, high) = _moment(rows, node, of)
    first = [start(low)]
    while first[-1] <= high:
        if len(first) > MOST_BANDS or first[-1].year == date.max.year:
            rows.query.refuse(
                node, f"the limits of the column have more than {MOST_BANDS} of these: narrow them"
            )
        first.append(start(first[-1] + timedelta(days=jump)))
    per = _SECONDS // clock.seconds
    starts = tuple(_number(day) * per for day in first)
    return Bands(name, moment, starts, (*(value(day) for day in first[:-1]), None))


def _hour(rows: RowCompiler, node: Tree, of: Tree) -> Bands:
    """The hour of a time, by its seconds since midnight."""
    moment, clock, _ = _moment(rows, node, of)
    if clock is Clock.DAY:
        rows.query.refuse(node, "a column of days has no hours: declare limits that are times")
    day = Number(Fraction(_SECONDS))
    since = Arithmetic("-", moment, Arithmetic("*", day, Floor(Arithmetic("/", moment, day))))
    return Bands("HOUR", since, tuple(range(0, _SECONDS, 3600)), tuple(range(24)))
