"""Constant dates, times and durations of a query, and what is worked out of these alone.

DATE '1998-12-01' - INTERVAL 90 DAY is a constant too, and public: no row has a part in it.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, NoReturn

from leastnoise.summaries.columns import Time

if TYPE_CHECKING:
    from leastnoise.sql.text import Query, Tree

_KINDS = {"DATE": date, "TIMESTAMP": datetime, "DATETIME": datetime, "TIMESTAMPTZ": datetime}
_LENGTHS = {
    "SECOND": timedelta(seconds=1),
    "MINUTE": timedelta(minutes=1),
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_ADDED = {
    **dict.fromkeys(("Add", "DateAdd", "TimestampAdd", "DatetimeAdd"), 1),
    **dict.fromkeys(("Sub", "DateSub", "TimestampSub", "DatetimeSub"), -1),
}
_CALLED = ("DATEADD", "TIMESTAMPADD")
_INTERVAL = "write a whole number and its unit, INTERVAL 3 DAY"
# How many of a unit are added: months, and what has one length.
_Step = tuple[int, timedelta]


def read_time(query: Query, node: Tree) -> Time | None:
    """The date, time or duration that a constant is; None for any other form.

    Raises
    ------
    QueryError
        If it is written as one and is none, or is out of reach.
    """
    kind = type(node).__name__
    match kind:
        case "Paren":
            return read_time(query, node.this)
        case "Interval":
            months, length = _interval(query, node)
            if months:
                query.refuse(node, "months differ in their lengths: write INTERVAL 30 DAY")
            return length
        case "Neg" if type(node.this).__name__ == "Interval":
            found = read_time(query, node.this)
            return -found if isinstance(found, timedelta) else None
        case "Anonymous" if str(node.this).upper() in _CALLED and len(node.expressions) == 3:
            unit, count, of = node.expressions
            start = read_time(query, of)
            if not isinstance(start, date):
                return None
            return _moved(query, node, start, _step(query, node, count, unit.name), 1)
        case _ if kind in _ADDED:
            start = read_time(query, node.this)
            if not isinstance(start, date):
                return None
            step = _added(query, node.expression, start)
            return None if step is None else _moved(query, node, start, step, _ADDED[kind])
        case _:
            return _written(query, node)


def _written(query: Query, node: Tree) -> date | None:
    """A constant date or time as it is written."""
    kind = type(node).__name__
    if kind not in ("Cast", "Date", "Timestamp") or type(node.this).__name__ != "Literal":
        return None
    if not node.this.args.get("is_string"):
        return None
    named = str(node.args["to"].this.name) if kind == "Cast" else kind.upper()
    if named not in _KINDS:
        return None
    query.only(node, "this", "to", "safe", "with_tz")
    try:
        found = _KINDS[named].fromisoformat(str(node.this.this).strip())
    except ValueError:
        query.refuse(node, f"this is no {named}: write {named} '2024-01-31'")
    if isinstance(found, datetime) and found.microsecond:
        whole = found.replace(microsecond=0).isoformat(sep=" ")
        query.refuse(node, f"times are read to the second: write TIMESTAMP '{whole}'")
    return found


def _added(query: Query, node: Tree, start: date) -> _Step | None:
    """What is added to a constant: an interval, or days as a number."""
    while type(node).__name__ == "Paren":
        node = node.this
    kind = type(node).__name__
    if kind == "Interval":
        return _interval(query, node)
    if kind == "Literal" and not isinstance(start, datetime) and str(node.this).isdigit():
        return _step(query, node, node, "DAY")
    return None


def _interval(query: Query, node: Tree) -> _Step:
    unit = node.args.get("unit")
    kind = type(unit).__name__
    name = str(unit.name) if kind == "Var" else kind  # DAY (3) is a form of its own
    return _step(query, node, node.this, name)


def _step(query: Query, node: Tree, count: Tree, unit: str) -> _Step:
    name, sign = unit.upper(), 1
    name = name.removesuffix("S")
    if type(count).__name__ == "Neg":
        count, sign = count.this, -1
    text = str(count.this).strip() if type(count).__name__ == "Literal" else ""
    if not text.removeprefix("-").isdecimal() or len(text) > 9:
        query.refuse(node, _INTERVAL)
    if name in _MONTHS:
        return sign * int(text) * _MONTHS[name], timedelta(0)
    if name not in _LENGTHS:
        query.refuse(node, f"{_INTERVAL}; units are {', '.join([*_LENGTHS, *_MONTHS])}")
    try:
        return 0, sign * int(text) * _LENGTHS[name]
    except OverflowError:
        _refuse_far(query, node)


def _moved(query: Query, node: Tree, start: date, step: _Step, sign: int) -> date:
    """A date some months and days later; of a shorter month its last day."""
    months, length = sign * step[0], sign * step[1]
    try:
        year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
        last = monthrange(year, month + 1)[1]
        found = start.replace(year=year, month=month + 1, day=min(start.day, last))
        if not isinstance(found, datetime) and length % timedelta(days=1):
            found = datetime.combine(found, time())
        return found + length
    except (OverflowError, ValueError):
        _refuse_far(query, node)


def _refuse_far(query: Query, node: Tree) -> NoReturn:
    query.refuse(node, "this is no date: dates go from DATE '0001-01-01' to DATE '9999-12-31'")
