"""Dates and times of a query: constants such as DATE '2024-01-31', parts of a calendar.

A year or a month is that of the entry itself, whatever limits are declared; these give the keys to
group by and the limits of the number.
"""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.sql.limits import MOST_PARTS, days_between, parts_between
from leastnoise.sql.refusals import called, explain
from leastnoise.sql.relations import RawColumn, Timed, same
from leastnoise.summaries.columns import Clock, declared
from leastnoise.summaries.expressions import Arithmetic, Calendar, Floor, Moment, Number, Numeric

if TYPE_CHECKING:
    from leastnoise.sql.relations import Cell
    from leastnoise.sql.rows import RowCompiler
    from leastnoise.sql.text import Query, Tree
    from leastnoise.summaries.calendar import Part

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
_SECONDS = Number(Fraction(86_400))
_NUMBERS: dict[str, Part] = {"YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "HOUR": "HOUR"}
_STARTS: dict[str, Part] = {
    "YEAR": "YEAR START",
    "QUARTER": "QUARTER START",
    "MONTH": "MONTH START",
    "WEEK": "WEEK START",
}


def calendar(rows: RowCompiler, node: Tree) -> Cell:
    """YEAR, QUARTER, MONTH or HOUR of a column, or the first day of one.

    Raises
    ------
    QueryError
        If it is another part, or nothing says that the column holds dates.
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
            found = Calendar(_STARTS[unit], _day(*_moment(rows, node, of)))
            return Timed(found, Clock.DAY, parts_between(found, rows.relation.facts))
        case "Extract":
            query.only(node, "this", "expression")
            unit, of = node.name.upper(), node.expression
        case _:
            query.only(node, "this")
            unit, of = kind.upper(), node.this
    if unit not in _NUMBERS:
        query.refuse(node, f"{explain(node)}; parts are YEAR, QUARTER, MONTH and HOUR")
    moment, clock = _moment(rows, node, of)
    if unit != "HOUR":
        return Calendar(_NUMBERS[unit], _day(moment, clock))
    if clock is Clock.DAY:
        query.refuse(node, "a column of days has no hours: declare limits that are times")
    midnight = Arithmetic("*", _SECONDS, _day(moment, clock))
    return Calendar("HOUR", Arithmetic("-", moment, midnight))


def as_date(rows: RowCompiler, node: Tree) -> Timed:
    """The day of a date or time."""
    moment, clock = _moment(rows, node, node.this)
    limits = days_between(rows.relation.facts(moment.column))
    few = limits is not None and limits[1] - limits[0] < MOST_PARTS
    keys = tuple(range(limits[0], limits[1] + 1)) if limits is not None and few else None
    return Timed(_day(moment, clock), Clock.DAY, keys)


def _day(moment: Moment, clock: Clock) -> Numeric:
    return moment if clock is Clock.DAY else Floor(Arithmetic("/", moment, _SECONDS))


def _moment(rows: RowCompiler, node: Tree, of: Tree) -> tuple[Moment, Clock]:
    """A column of times by the clock of its limits, or of its type where none are declared."""
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
    facts, table = rows.relation.facts(cell.name), rows.relation.table
    clock = declared(list(facts.times or ()))[0] or table.own_clock(cell.name)
    if clock is None or clock is Clock.SPAN:
        query.refuse(
            node,
            f"{called(node)} needs limits that are dates: declare them in the schema, "
            f"[columns.{cell.name}] bounds = [2020-01-01, 2024-12-31]",
        )
    with query.located(of):
        table.clocked({cell.name: clock}).column_type(cell.name)
    return Moment(cell.name, clock), clock
