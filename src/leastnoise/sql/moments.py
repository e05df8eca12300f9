"""Constant dates, times and durations of a query, and what is worked out of these alone.

DATE '1998-12-01' - INTERVAL 90 DAY is a constant too, and public: no row has a part in it.
"""

from __future__ import annotations

from calendar import monthrange
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from leastnoise.sql.formats import guessed, made, read_clock, read_text
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
    "ADDDATE": 1,
    "SUBDATE": -1,
}
_CALLED = ("DATEADD", "TIMESTAMPADD")
_STARTS: dict[str, Part] = {
    "YEAR": "YEAR START",
    "QUARTER": "QUARTER START",
    "MONTH": "MONTH START",
    "WEEK": "WEEK START",
}
NOON = "TIME '12:30:00'"
UTC_ALONE = ", if times without a zone are those of UTC"
"""On which a cure stands where zones differ."""
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
        case _ if is_time_of_day(node) and is_text(node.this):
            found = read_clock(str(node.this.this))
            if found is None:
                query.refuse(node, f"this is no time of a day: write {NOON}")
            return found
        case "Interval":
            months, length = _interval(query, node)
            if months:
                query.refuse(
                    node, f"months differ in their lengths: write INTERVAL {30 * months} DAY"
                )
            return length
        case "Neg" if type(node.this).__name__ == "Interval":
            found = read_time(query, node.this)
            return -found if isinstance(found, timedelta) else None
        case "DateFromParts" | "StrToDate" | "TimestampFromParts" | "ParseDatetime":
            return _made(query, node)
        case _ if (later := moved_by(query, node)) is not None:
            start = _start(query, later.of)
            if start is None or (kind in ("Add", "Sub") and is_text(later.of)):
                return None
            if later.bare and isinstance(start, datetime):
                return None
            return _moved(query, node, start, later)
        case (
            "LastDay" | "DateTrunc" | "TimestampTrunc" | "Cast" | "TryCast" | "Anonymous"
            | "Date" | "Timestamp" | "Datetime"
        ):  # fmt: skip
            return _written(query, node) or _made(query, node) or _day_of(query, node)
        case _:
            return None


def is_text(node: Tree) -> bool:
    """Whether a form is a text in quotes."""
    return bool(node.args.get("is_string"))


def is_time_of_day(node: Tree) -> bool:
    """Whether a form is the time of a day, CAST(ts AS TIME)."""
    kind = type(node).__name__
    return kind == "Time" or (kind == "Cast" and str(node.args["to"].this.name) == "TIME")


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
    if kind not in ("Cast", "TryCast", "Date", "Timestamp", "Datetime") or not is_text(node.this):
        return None
    named = str(node.args["to"].this.name) if kind in ("Cast", "TryCast") else kind.upper()
    if named not in _KINDS:
        return None
    query.only(node, "this", "to", "safe", "with_tz")
    text, clock = str(node.this.this), _KINDS[named]
    found = read_text(text)
    if found is None or (clock is Clock.DAY and isinstance(found, datetime)):
        query.refuse(node, f"this is no {named}: write {as_constant(text, clock)}")
    if isinstance(found, datetime) and found.microsecond:
        own = clock_of(found) or clock
        refuse_between_seconds(query, node, found, own, "times are read to the second")
    return found if clock is Clock.DAY or isinstance(found, datetime) else _midnight(found)


def _made(query: Query, node: Tree) -> date | None:
    """A constant date that a function makes of other constants."""
    try:
        return made(*_call(node))
    except (ValueError, OverflowError):
        _refuse_far(query, node)


def _call(node: Tree) -> tuple[str, list[Tree]]:
    """A function, and what it is given."""
    if type(node).__name__ == "Anonymous":
        return str(node.this).upper(), [*node.expressions]
    return type(node).__name__.upper(), [*node.iter_expressions()]


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
    named = str(node.args["to"].this.name) if kind in ("Cast", "TryCast") else kind.upper()
    if named not in _KINDS:
        return None
    query.only(node, "this", "to", "safe", "with_tz")
    return day if named == "DATE" else start if isinstance(start, datetime) else _midnight(day)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def fits(time: date | None, clock: Clock) -> bool:
    """Whether a time may stand beside those of a clock: a day is its midnight, and it is that."""
    if isinstance(time, datetime):
        whole = time.hour == time.minute == time.second == 0
        kinds = (clock_of(time), Clock.DAY if whole and time.tzinfo is None else None)
        return clock in kinds and not time.microsecond
    return time is not None and clock in (Clock.DAY, Clock.LOCAL)


def as_constant(text: str, clock: Clock) -> str:
    """How a query writes a text as a constant of a clock; some constant if the text is no time.

    A time with a zone is that of UTC beside times without one, and the other way round.
    """
    found = None if clock is Clock.SPAN else read_text(text) or guessed(text)
    if found is None:
        return _WRITTEN[clock]
    if clock is Clock.DAY or (clock is Clock.LOCAL and not isinstance(found, datetime)):
        return f"DATE '{found.isoformat()[:10]}'"
    moment = found if isinstance(found, datetime) else _midnight(found)
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).replace(microsecond=0)
    with suppress(OverflowError):  # at the ends of the calendar
        moment = moment.astimezone(UTC) if clock is Clock.LOCAL else moment
    moment = moment.replace(tzinfo=None) if clock is Clock.LOCAL else moment
    return f"TIMESTAMP '{moment.isoformat(sep=' ')}'"


def refuse_between_seconds(
    query: Query, node: Tree, time: datetime, clock: Clock, why: str
) -> NoReturn:
    """Refuse a time between two seconds, by what whole seconds are compared with it."""
    inner = node
    parent: Tree = node.parent
    while type(parent).__name__ in ("Paren", "Add", "Sub"):
        parent, inner = parent.parent, parent
    kind, first = type(parent).__name__, getattr(parent, "this", None) is inner
    if kind == "In" and len(parent.expressions) > 1:
        query.refuse(node, f"{why}: leave it out, as none equals it")
    if kind in ("EQ", "NEQ", "In", *_SAME):
        of = query.written(parent.expression if first else parent.this)
        negated = kind == "In" and type(parent.parent).__name__ == "Not"
        sign, told = ("=", "every") if negated or kind == "NEQ" else ("<>", "no")
        cure = _SAME.get(kind) or f"{of} {sign} {of}, which is true of {told} time"
        whole = parent.parent if negated else parent
        query.refuse(whole, f"{why}, and none equals this one: write {cure}")
    up = kind in (("GT", "LTE") if first else ("LT", "GTE"))
    if up or (kind == "Between" and inner is parent.args.get("low")):
        time += timedelta(seconds=1)
    query.refuse(node, f"{why}: write {as_written(time, clock)}")


_SAME = {"NullSafeEQ": "FALSE", "NullSafeNEQ": "TRUE"}


def as_written(time: Time, clock: Clock) -> str:
    """How a query writes a time beside those of a clock."""
    return as_constant(time.isoformat() if isinstance(time, date) else "", clock)


def written_time(clock: Clock) -> str:
    """How a query writes some constant of a clock."""
    return _WRITTEN[clock]


class Moved(NamedTuple):
    """A form that adds some time to another: months, and what has one length."""

    of: Tree
    months: int
    length: timedelta
    bare: bool = False
    """Whether it is a number, which are days of a date and nothing of a time."""


def moved_by(query: Query, node: Tree) -> Moved | None:
    """What a form adds to another, be it a constant or a column; None of any other form.

    Raises
    ------
    QueryError
        If an INTERVAL is no whole number of a unit.
    """
    kind = type(node).__name__
    name = str(node.this).upper() if kind == "Anonymous" else kind
    if name in _CALLED and len(node.expressions) == 3:
        unit, count, of = node.expressions
        return Moved(of, *_step(query, node, count, unit.name))
    if name == "AddMonths":
        return Moved(node.this, *_step(query, node, node.expression, "MONTH"))
    if kind == "Anonymous" and name in _ADDED and len(node.expressions) == 2:
        of, by = node.expressions
    elif kind == "Add" and type(node.this).__name__ == "Interval":
        of, by = node.expression, node.this
    elif kind != "Anonymous" and name in _ADDED:
        of, by = node.this, node.expression
    else:
        return None
    while type(by).__name__ == "Paren":
        by = by.this
    bare = type(by).__name__ == "Literal" and str(by.this).isdigit()
    if not bare and type(by).__name__ != "Interval":
        return None
    months, length = _step(query, by, by, "DAY") if bare else _interval(query, by)
    return Moved(of, _ADDED[name] * months, _ADDED[name] * length, bare)


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


def _moved(query: Query, node: Tree, start: date, later: Moved) -> date:
    """A date some months and days later; of a shorter month its last day."""
    months, length = later.months, later.length
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
