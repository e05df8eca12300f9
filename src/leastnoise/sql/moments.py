"""Constant dates, times and durations of a query, and what is worked out of these alone.

DATE '1998-12-01' - INTERVAL 90 DAY is a constant too, and public: no row has a part in it.
"""

from __future__ import annotations

import re
from calendar import monthrange
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NoReturn

from leastnoise.summaries.calendar import Part, part_of
from leastnoise.summaries.columns import Clock, Time, clock_of

if TYPE_CHECKING:
    from leastnoise.sql.text import Query, Tree

_WRITTEN = {
    Clock.DAY: "DATE '2024-01-31'",
    Clock.LOCAL: "TIMESTAMP '2024-01-31 12:30:00'",
    Clock.INSTANT: "TIMESTAMP '2024-01-31 12:30:00+00:00'",
    Clock.SPAN: "INTERVAL 8 HOUR",
}
_KINDS = {"DATE": Clock.DAY, **dict.fromkeys(("TIMESTAMP", "DATETIME", "TIMESTAMPTZ"), Clock.LOCAL)}
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
_STARTS: dict[str, Part] = {
    "YEAR": "YEAR START",
    "QUARTER": "QUARTER START",
    "MONTH": "MONTH START",
    "WEEK": "WEEK START",
}
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
            start = _start(query, of)
            if start is None:
                return None
            return _moved(query, node, start, _step(query, node, count, unit.name), 1)
        case "AddMonths":
            start = _start(query, node.this)
            if start is None:
                return None
            return _moved(query, node, start, _step(query, node, node.expression, "MONTH"), 1)
        case "Add" if type(node.this).__name__ == "Interval":
            start = _start(query, node.expression)
            return (
                None
                if start is None
                else _moved(query, node, start, _interval(query, node.this), 1)
            )
        case "DateFromParts" | "StrToDate":
            return _made(query, node)
        case _ if kind in _ADDED:
            start = _start(query, node.this)
            if start is None or (kind in ("Add", "Sub") and is_text(node.this)):
                return None
            step = _added(query, node.expression, start)
            return None if step is None else _moved(query, node, start, step, _ADDED[kind])
        case (
            "LastDay" | "DateTrunc" | "TimestampTrunc" | "Cast" | "Date" | "Timestamp" | "Anonymous"
        ):
            return _written(query, node) or _made(query, node) or _day_of(query, node)
        case _:
            return None


def is_text(node: Tree) -> bool:
    """Whether a form is a text in quotes."""
    return bool(node.args.get("is_string"))


def is_interval(node: Tree) -> bool:
    """Whether a form is an INTERVAL."""
    while type(node).__name__ in ("Paren", "Neg"):
        node = node.this
    return type(node).__name__ == "Interval"


def _start(query: Query, node: Tree) -> date | None:
    """The constant date that a function is given, which may be a text there."""
    if is_text(node):
        return read_text(str(node.this))
    found = read_time(query, node)
    return found if isinstance(found, date) else None


def _written(query: Query, node: Tree) -> date | None:
    """A constant date or time as it is written."""
    kind = type(node).__name__
    if kind not in ("Cast", "Date", "Timestamp") or not is_text(node.this):
        return None
    named = str(node.args["to"].this.name) if kind == "Cast" else kind.upper()
    if named not in _KINDS:
        return None
    query.only(node, "this", "to", "safe", "with_tz")
    text, clock = str(node.this.this), _KINDS[named]
    found = read_text(text)
    if found is None or (clock is Clock.DAY and isinstance(found, datetime)):
        query.refuse(node, f"this is no {named}: write {as_constant(text, clock)}")
    if isinstance(found, datetime) and found.microsecond:
        written = as_constant(text, clock_of(found) or clock)
        query.refuse(node, f"times are read to the second: write {written}")
    return found if clock is Clock.DAY or isinstance(found, datetime) else _midnight(found)


def _made(query: Query, node: Tree) -> date | None:
    """A constant date of a year, a month and a day, or of a text that a format reads."""
    kind = type(node).__name__
    name = str(node.this).upper() if kind == "Anonymous" else kind.upper()
    given = [*node.expressions] if kind == "Anonymous" else [*node.iter_expressions()]
    if name in _OF_PARTS and len(given) == 3:
        parts = [str(x.this) if type(x).__name__ == "Literal" else "" for x in given]
        if not all(x.isdecimal() and len(x) <= 4 for x in parts):
            return None
        try:
            return date(*map(int, parts))
        except ValueError:
            _refuse_far(query, node)
    if name not in _OF_TEXT or not all(map(is_text, given)) or not 1 <= len(given) <= 2:
        return None
    texts = [str(each.this).strip() for each in given]
    text = next((x for x in texts if x not in _FORMATS), "")
    if len(texts) == 2 and not _FORMATS.intersection(texts):
        return None
    found = read_text(text)
    return None if isinstance(found, datetime) else found


_OF_PARTS = ("DATE", "MAKE_DATE", "DATEFROMPARTS")
_OF_TEXT = ("TO_DATE", "PARSE_DATE", "STRTODATE", "TRY_TO_DATE")
_FORMATS = {"YYYY-MM-DD", "yyyy-MM-dd", "%Y-%m-%d", "%F"}


def _day_of(query: Query, node: Tree) -> date | None:
    """The day of a constant, or the first or last one of its month, year, quarter or week."""
    kind = type(node).__name__
    last = kind == "LastDay" or (kind == "Anonymous" and str(node.this).upper() == "EOMONTH")
    if kind == "Anonymous" and not (last and len(node.expressions) == 1):
        return None
    start = _start(query, node.expressions[0] if kind == "Anonymous" else node.this)
    if start is None or clock_of(start) is Clock.INSTANT:
        return None
    day = start.date() if isinstance(start, datetime) else start
    if last:
        query.only(node, "this", "expressions")
        return day.replace(day=monthrange(day.year, day.month)[1])
    if kind in ("DateTrunc", "TimestampTrunc"):
        query.only(node, "this", "unit")
        part = _STARTS.get(str(node.args["unit"].name).upper())
        return None if part is None else Clock.DAY.time(part_of(part, Clock.DAY.number(day, "day")))
    named = str(node.args["to"].this.name) if kind == "Cast" else kind.upper()
    if named not in _KINDS:
        return None
    query.only(node, "this", "to", "safe", "with_tz")
    return day if named == "DATE" else start if isinstance(start, datetime) else _midnight(day)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def read_text(text: str) -> date | None:
    """The date or time that a text is meant as, 2024-1-31 too; None of any other text."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    with suppress(ValueError):
        day = date(*(int(part) for part in found.groups()[:-1] if part is not None))
        rest = found[found.re.groups]
        return day if rest is None else datetime.fromisoformat(f"{day.isoformat()}T{rest}")
    return None


_DATE = re.compile(r"(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{4})(\d\d)(\d\d))(?:[ T](\S.*))?", re.ASCII)


def fits(time: date | None, clock: Clock) -> bool:
    """Whether a time may stand beside those of a clock: a day is its midnight, and it is that."""
    if isinstance(time, datetime):
        whole = time.hour == time.minute == time.second == 0
        kinds = (clock_of(time), Clock.DAY if whole and time.tzinfo is None else None)
        return clock in kinds and not time.microsecond
    return time is not None and clock in (Clock.DAY, Clock.LOCAL)


def as_constant(text: str, clock: Clock) -> str:
    """How a query writes a text as a constant of a clock; some constant if the text is no time."""
    found = None if clock is Clock.SPAN else read_text(text)
    if found is None:
        return _WRITTEN[clock]
    if clock is Clock.DAY or (clock is Clock.LOCAL and not isinstance(found, datetime)):
        return f"DATE '{found.isoformat()[:10]}'"
    moment = found if isinstance(found, datetime) else _midnight(found)
    moment = moment.replace(microsecond=0)
    if clock is Clock.INSTANT:
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    else:
        moment = moment.replace(tzinfo=None)
    return f"TIMESTAMP '{moment.isoformat(sep=' ')}'"


def written_time(clock: Clock) -> str:
    """How a query writes some constant of a clock."""
    return _WRITTEN[clock]


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
            found = _midnight(found)
        return found + length
    except (OverflowError, ValueError):
        _refuse_far(query, node)


def _refuse_far(query: Query, node: Tree) -> NoReturn:
    query.refuse(node, "this is no date: dates go from DATE '0001-01-01' to DATE '9999-12-31'")
