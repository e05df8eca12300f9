"""A description for people: text, Markdown, or a page with small pictures of released numbers.

Everything here is a function of released values and public parameters. Beside each fact stands how
sure it is: where the width of its noise is public, at no cost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from html import escape
from math import ceil, isfinite, log
from typing import TYPE_CHECKING, Any

from leastnoise.record.release import NOT_PROTECTED, NOT_TRACKED, Release, protection

if TYPE_CHECKING:
    from leastnoise.record.description import ColumnDescription, Description

# Labels that a page lists; the record has all.
_MOST = 10
# Binary digits of how many answers quartiles are drawn among (``session/search/graded.py``).
_ANSWERS = 36
_WIDTH, _HEIGHT = 180, 14
_STYLE = (
    "body{font:16px/1.45 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem;"
    "color:#111;background:#fff}table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;"
    "border-bottom:1px solid #ddd;overflow-wrap:anywhere}td.n{font-variant-numeric:tabular-nums}"
    ".sure{color:#444}h2{font-size:1.15rem;margin:1.6rem 0 .3rem}.hint{font-weight:600}"
)
_READING = (
    "nothing about how numbers are written was taken from the data; where fewer read as numbers "
    "than should, try decimal=',', thousands= or missing_values=, and where all is one column, "
    "separator="
)
_BY_PLACE = re.compile("column [0-9]+")
_PLACES = (
    "columns are called by their places where a number or an address stands in the first line, "
    "which may be somebody's row; if it is a line of names, say which to describe (columns=)"
)
_BAR, _LINE = "#0072b2", "#444"


@dataclass(frozen=True, slots=True)
class Line:
    """One fact as it is read: its name, what was released, how sure that is, and a picture."""

    name: str
    value: str
    sure: str
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """The facts of the table or of a column, and what to try where they look wrong."""

    title: str
    lines: tuple[Line, ...]
    hint: str = ""


def sections(description: Description) -> list[Section]:
    """All facts: of the table first, then column by column."""
    rows = description.table.get("rows")
    persons = description.table.get("persons")
    whole = None if rows is None else _number(rows)
    lines = [_of_table(name, record, persons) for name, record in description.table.items()]
    few = sum(
        _few(column, _there(column, whole)) or _noisy(column, whole)
        for column in description.columns
    )
    hint = ""
    if few:
        hint = (
            f"{few} of {len(description.columns)} columns have too few rows for their share of "
            "epsilon: describe fewer columns (columns=), give those that matter more of it "
            "(column_weights=), or spend more."
        )
    found = [Section("The table", tuple(lines), hint)]
    found += [_section(column, whole) for column in description.columns]
    return found


def _there(column: ColumnDescription, rows: float | None) -> float | None:
    """About how many entries a column has, by released counts."""
    missing = _number(column.facts["missing"]) if "missing" in column.facts else 0.0
    return None if rows is None else max(0.0, rows - missing)


def _few(column: ColumnDescription, there: float | None) -> bool:
    """Whether quartiles may be anywhere: a quarter of the entries is within their noise."""
    record = column.facts.get("quartiles")
    return record is not None and there is not None and 4 * rows_of_rank(record) >= there


def _noisy(column: ColumnDescription, rows: float | None) -> bool:
    """Whether the noise of a count is a quarter of the rows."""
    record = column.facts.get("missing")
    scale = None if record is None else record.noise_scale
    return rows is not None and scale is not None and 4 * log(20) * scale >= rows


def _section(column: ColumnDescription, whole: float | None) -> Section:
    lines: list[Line] = []
    there = _there(column, whole)
    few = _few(column, there)
    for name, record in column.facts.items():
        if name == "missing":
            lines.append(_missing(record, whole))
        elif name == "reads as numbers":
            lines.append(_reads(record))
        elif name == "quartiles":
            lines.append(_quartiles(column, record, there))
        elif name == "limits":
            values = " to ".join(shown(x) for x in _list(record))
            sure = "about quartiles that may be far off" if few else record.notes[0]
            lines.append(Line("limits", values, sure))
        elif record.interval is not None:
            lines.append(_inside(name, record, few=few))
        elif name == "keys":
            lines.append(_keys(record))
        elif name == "labels":
            lines += _labels(column, record)
        else:
            lines.append(_counted(name, record))
    return Section(column.name, tuple(lines), _hint(column))


def _of_table(name: str, record: Release, persons: Release | None) -> Line:
    match name:
        case "rows a person":
            there = None if persons is None else _number(persons)
            values = ", ".join(map(shown, _list(record)))
            return Line(name, values, f"quartiles, {_ranks(record, there, 'persons')}")
        case "rows used":
            return Line("rows of a person used", f"at most {shown(record.value)}", record.notes[0])
        case "rows" if record.guarantee.scope.unit != "row":
            return _counted("rows that are used", record)
        case _:
            return _counted(name, record)


def _counted(name: str, record: Release) -> Line:
    return Line(name, shown(max(0, _whole(record))), _within(record))


def _missing(record: Release, whole: float | None) -> Line:
    count = max(0, _whole(record))
    if whole is None or whole <= 0:
        return Line("missing", shown(count), _within(record))
    share = min(1.0, count / whole)
    value = f"{100 * share:.3g} % ({shown(count)} rows)"
    return Line("missing", value, _within(record), _bar(share))


def _within(record: Release) -> str:
    """95 % of noise whose width is public, for a count, which is at least 0."""
    if record.noise_scale is None:
        return ""
    count, reach = _whole(record), ceil(log(20) * record.noise_scale)
    if count > reach:
        return f"within {shown(reach)} in 95 % of descriptions"
    return f"{shown(max(0, count + reach))} at most, in 95 % of descriptions"


def _reach(record: Release) -> int:
    """How far 95 % of the noise of a count reach, of several counts."""
    share = record.parts.get("each cell")
    return 0 if share is None else ceil(log(20) / Fraction(share))


def _reads(record: Release) -> Line:
    """How many entries read as numbers, and as what share of those that are there."""
    numbers, others = (max(0, count) for count in _list(record))
    if max(numbers, others) <= _reach(record):
        return Line("read as numbers", "not known", f"fewer entries than noise: {_each(record)}")
    share = numbers / (numbers + others)
    value = f"{100 * share:.3g} % ({shown(numbers)} rows)"
    return Line("read as numbers", value, _each(record), _bar(share))


def _keys(record: Release) -> Line:
    many = len(_list(record))
    if not many:
        why = (
            "none is frequent: names, codes, dates or free text? Known ones are declared (labels=)"
        )
        return Line("labels found", "0", why)
    sure = "rare ones are seldom found"
    delta = record.guarantee.numbers().get("delta")
    if delta is not None:
        sure += f"; one that a single unit has is shown with probability {delta} at most"
    return Line("labels found", str(many), sure)


def rows_of_rank(record: Release) -> int:
    """Within how many rows of their ranks quartiles are as a rule, however far numbers may reach.

    An answer that is t ranks off has a chance of exp(-e t / 2) over that of the quartile, times
    how many answers there are; one in sixty of each, for three quartiles.
    """
    levels = [Fraction(part) for part in record.parts.values()]
    least = min(levels) / (1 if len(levels) == 1 or record.relation == "add-remove" else 2)
    return ceil(2 * (_ANSWERS * log(2) + log(60)) / float(least)) if least else 0


def _quartiles(column: ColumnDescription, record: Release, there: float | None) -> Line:
    limits = column.facts.get("limits")
    picture = _box(_list(record), None if limits is None else _list(limits))
    sure = _ranks(record, there, "rows")
    return Line("quartiles", ", ".join(shown(x) for x in _list(record)), sure, picture)


def _ranks(record: Release, there: float | None, what: str) -> str:
    rows = rows_of_rank(record)
    if there is not None and 4 * rows >= there:
        return (
            f"may be far off: there are about {shown(int(there))} {what}, and such a share of "
            f"epsilon is for {shown(4 * rows)}"
        )
    return f"as a rule within {shown(rows)} {what} of these ranks"


def _inside(name: str, record: Release, *, few: bool) -> Line:
    low, high = record.interval or (None, None)
    sure = f"{shown(low)} to {shown(high)} hold the {name} inside the limits, 95 % sure"
    sure += ", but the limits may be far off" if few and name == "mean" else ""
    return Line(name, shown(record.value), sure)


def _each(record: Release) -> str:
    reach = _reach(record)
    return f"each within {reach}, 95 % sure" if reach else ""


def _labels(column: ColumnDescription, record: Release) -> list[Line]:
    half = _each(record)
    counts = column.labels
    most = max([1, *counts.values()])
    lines = [
        Line(f"  {label}", shown(count), half if i == 0 else "", _bar(max(0, count) / most))
        for i, (label, count) in enumerate(counts.items())
        if i < _MOST
    ]
    if len(counts) > _MOST:
        lines.append(Line("  ...", f"{len(counts) - _MOST} more", "in the record"))
    return lines


def _hint(column: ColumnDescription) -> str:
    """What may be wrong with how a column was read, by released shares alone."""
    record = column.facts.get("reads as numbers")
    if record is None:
        return ""
    numbers, others = _list(record)
    share = numbers / max(1.0, numbers + others)
    if 0.1 < share < 0.9 and min(numbers, others) > _reach(record):
        return (
            f"{100 * share:.0f} % of its entries read as numbers. Should all? Then try "
            "decimal=',', thousands= or missing_values= and see whether the share rises."
        )
    return ""


def shown(value: Any) -> str:
    """A released number for a person."""
    if isinstance(value, (date, timedelta, str)):
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"{value:.4g}"
    return f"{value:.6g}"


def _whole(record: Release) -> int:
    value: Any = record.value
    return int(value)


def _number(record: Release) -> float:
    value: Any = record.value
    return float(value)


def _list(record: Release) -> list[Any]:
    value: Any = record.value
    return list(value)


def promises(description: Description) -> list[tuple[str, str]]:
    """What holds for all of it."""
    numbers = description.guarantee.numbers()
    promise = ", ".join(f"{name} = {value}" for name, value in numbers.items())
    lines = [
        ("promise", f"all facts together: {promise}; {protection(description.guarantee.scope)}"),
        ("not protected", NOT_PROTECTED),
    ]
    if any("reads as numbers" in column.facts for column in description.columns):
        lines.append(("reading", _READING))
    if all(_BY_PLACE.fullmatch(column.name) for column in description.columns):
        lines.append(("names", _PLACES))
    if description.left_out:
        lines.append(("left out", ", ".join(description.left_out)))
    tracked = description.tracked
    if tracked == NOT_TRACKED:
        tracked += ": the epsilons of all releases of the same data add up"
    lines.append(("budget", tracked))
    if not description.secure:
        lines.insert(0, ("NOT PRIVATE", "drawn in a simulation"))
    return lines


def _clean(value: str) -> str:
    """Text without characters that a terminal would obey."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in value)


def text(description: Description) -> str:
    """For a terminal."""
    found = sections(description)
    names = max(len(line.name) for one in found for line in one.lines)
    names, lines = min(30, max(names, 8)), list[str]()
    for one in found:
        lines += ["", _clean(one.title)]
        for line in one.lines:
            sure = f"  ({line.sure})" if line.sure else ""
            lines.append(f"  {_clean(line.name):<{names}}  {_clean(line.value)}{sure}")
        if one.hint:
            lines.append(f"  {one.hint}")
    lines += ["", *(f"{name}: {_clean(value)}" for name, value in promises(description))]
    return "\n".join(lines[1:]) + "\n"


def markdown(description: Description) -> str:
    """Tables of Markdown."""

    def cell(value: str) -> str:
        plain = escape(_clean(value), quote=False)
        for sign in "\\`*_|[]":
            plain = plain.replace(sign, f"\\{sign}")
        return plain

    lines = ["# Description", ""]
    for one in sections(description):
        lines += [f"## {cell(one.title)}", "", "| fact | released | how sure |", "|---|---|---|"]
        lines += [f"| {cell(x.name)} | {cell(x.value)} | {cell(x.sure)} |" for x in one.lines]
        lines.append("")
        if one.hint:
            lines += [cell(one.hint), ""]
    lines += [f"- {name}: {cell(value)}" for name, value in promises(description)]
    return "\n".join(lines) + "\n"


def html(description: Description) -> str:
    """One page without a script."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>Description</title><style>{_STYLE}</style></head><body><h1>Description</h1>",
    ]
    for one in sections(description):
        parts.append(f"<h2>{_written(one.title)}</h2><table><tbody>")
        parts += [
            f'<tr><th scope="row">{_written(x.name)}</th><td class="n">{_written(x.value)}</td>'
            f'<td>{x.picture}</td><td class="sure">{_written(x.sure)}</td></tr>'
            for x in one.lines
        ]
        parts.append("</tbody></table>")
        if one.hint:
            parts.append(f'<p class="hint">{_written(one.hint)}</p>')
    parts.append("<h2>What is promised</h2><table><tbody>")
    parts += [
        f'<tr><th scope="row">{_written(name)}</th><td>{_written(value)}</td></tr>'
        for name, value in promises(description)
    ]
    parts.append("</tbody></table></body></html>\n")
    return "".join(parts)


def _written(value: str) -> str:
    return escape(_clean(value))


def _svg(inner: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'aria-hidden="true">{inner}</svg>'
    )


def _bar(share: float) -> str:
    width = round(_WIDTH * min(1.0, max(0.0, share)), 1)
    return _svg(
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#eee"/>'
        f'<rect width="{width}" height="{_HEIGHT}" fill="{_BAR}"/>'
    )


def _box(quartiles: Sequence[Any], limits: Sequence[Any] | None) -> str:
    """Quartiles as a box between released limits."""
    values = [_place(x) for x in (*quartiles, *(limits or ()))]
    low, high = min(values), max(values)
    if not (isfinite(high - low) and high > low):
        return ""

    def x(value: Any) -> float:
        return round((_place(value) - low) / (high - low) * (_WIDTH - 4) + 2, 1)

    first, middle, last = map(x, quartiles)
    ends = (limits[0], limits[-1]) if limits else (quartiles[0], quartiles[-1])
    return _svg(
        f'<line x1="{x(ends[0])}" x2="{x(ends[1])}" y1="7" y2="7" stroke="{_LINE}"/>'
        f'<rect x="{first}" width="{max(1.0, round(last - first, 1))}" y="2" height="10" '
        f'fill="#9cc9e5"/><line x1="{middle}" x2="{middle}" y1="1" y2="13" stroke="{_BAR}" '
        'stroke-width="2"/>'
    )


def _place(value: Any) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, date):
        return float(value.toordinal())
    return float(value)
