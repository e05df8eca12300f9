"""What to write for the differences between dates that other dialects have functions for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise.sql.moments import is_text, read_time
from leastnoise.sql.refusals import called
from leastnoise.sql.times import as_day
from leastnoise.summaries.columns import Clock, clock_of

if TYPE_CHECKING:
    from leastnoise.sql.rows import RowCompiler
    from leastnoise.sql.text import Tree

_MONTHS = "(YEAR({e}) - YEAR({d})) * 12 + MONTH({e}) - MONTH({d})"
_WHOLE = f"{_MONTHS} - CASE WHEN DAY({{e}}) < DAY({{d}}) THEN 1 ELSE 0 END"
_STARTS = {
    "DAY": "{to} - {since}",
    "WEEK": "(DATE_TRUNC('week', {e}) - DATE_TRUNC('week', {d})) / 7",
    "MONTH": _MONTHS,
    "QUARTER": "(YEAR({e}) - YEAR({d})) * 4 + QUARTER({e}) - QUARTER({d})",
    "YEAR": "YEAR({e}) - YEAR({d})",
    "HOUR": "({to} - {since}) * 24 + {hours}",
}
_COMPLETE = {
    "MONTH": _WHOLE,
    "QUARTER": f"TRUNC(({_WHOLE}) / 3)",
    "YEAR": f"TRUNC(({_WHOLE}) / 12)",
}
_SPLIT = (
    f"{_MONTHS} + CASE WHEN {{e}} = LAST_DAY({{e}}) AND {{d}} = LAST_DAY({{d}}) THEN 0 ELSE "
    "(DAY({e}) - DAY({d})) / 31 END"
)
_COUNTED = {"WEEK": ", of weeks that begin on Monday"}


def of_difference(rows: RowCompiler, node: Tree) -> str | None:
    """What to write for DATEDIFF and its like; None of another form, or of other units.

    Units come first or last, and with them the later date last or first. DATEDIFF counts how often
    a unit begins between two dates, TIMESTAMPDIFF the whole ones.
    """
    if type(node).__name__ not in _KINDS:
        return None
    given = _arguments(rows.query.written(node))
    name, unit = called(node), "DAY"
    if len(given) == 3:
        first, last = (_unit(given[i]) for i in (0, 2))
        unit = first or last or ""
        given = given[2:0:-1] if first else given[:2]
    if unit not in _STARTS or len(given) != 2:
        return None
    clocks = [_clock(rows, each) for each in given]
    parts = dict(zip("ed", given, strict=True))
    days = [as_day(each, clock) for each, clock in zip(given, clocks, strict=True)]
    parts |= dict(zip(("to", "since"), days, strict=True))
    hours = [
        f"HOUR({x})" if clock is not Clock.DAY else "0"
        for x, clock in zip(given, clocks, strict=True)
    ]
    parts["hours"] = " - ".join(hours)
    form, told = _STARTS[unit], f", which counts each {unit.lower()} that begins between them"
    if name == "TIMESTAMPDIFF" and unit in _COMPLETE:
        form, told = _COMPLETE[unit], f", where {given[0]} is not before {given[1]}"
    elif name == "MONTHS_BETWEEN":
        form, told = _SPLIT, ""
    elapsed = name.startswith("TIMESTAMP") and {*clocks} & {Clock.LOCAL, Clock.INSTANT}
    if elapsed and unit == "HOUR":  # whole hours, which times of seconds are not subtracted for
        return None
    told = told if unit != "DAY" or elapsed else ""
    written = form.format_map(parts)
    bare = type(node.parent).__name__ in ("Add", "Sub", "Mul", "Div", "Neg")
    return f"write {f'({written})' if bare else written}{told}{_COUNTED.get(unit, '')}"


_KINDS = ("DateDiff", "TimestampDiff", "DatetimeDiff", "MonthsBetween")


def _unit(text: str) -> str | None:
    """The unit that a text names, with quotes or without."""
    name = text.strip("'\"").upper()
    name = {
        "YY": "YEAR",
        "YYYY": "YEAR",
        "QQ": "QUARTER",
        "MM": "MONTH",
        "WK": "WEEK",
        "DD": "DAY",
    }.get(name, name)
    return name if name in _STARTS else None


def _arguments(call: str) -> list[str]:
    """What a call is given, as it is written."""
    found, depth = [""], 0
    for sign in call.partition("(")[2].rpartition(")")[0]:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [each.strip() for each in found]


def _clock(rows: RowCompiler, written: str) -> Clock | None:
    """The clock of a column; a constant is what stands there."""
    import sqlglot

    node = sqlglot.parse_one(written)
    if is_text(node):
        return None
    time = read_time(rows.query, node)
    return rows.relation.clock(rows.value(node)) if time is None else clock_of(time)
