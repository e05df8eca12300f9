"""The facts of a description as lines for a person, each with how sure it is.

Everything here is a function of released values and public parameters: where the width of noise is
public, saying it costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import floor, isfinite, log10
from typing import Any

from leastnoise.record.description import ColumnDescription, Description
from leastnoise.record.description_pictures import bar, box
from leastnoise.record.description_sure import (
    FORMS,
    entries_there,
    listed,
    may_be_far_off,
    mostly_one,
    noisy,
    not_known,
    reach_of_cells,
    reach_of_count,
    rows_of,
    rows_of_rank,
    whole,
)
from leastnoise.record.release import NOT_PROTECTED, NOT_TRACKED, Release, protection

# Labels that a page lists; the record has all.
_MOST = 10
_READING = (
    "how a column reads is known by released counts alone; where all is one column, give separator="
)
_LEFT_OUT = "of a type that is not described, or with a name that is blank or not the only one"
_BY_PLACE = re.compile("column [0-9]+")
_PLACES = (
    "columns are called by their places where a number or an address stands in the first line, "
    "which may be somebody's row; if it is a line of names, say which to describe (columns=)"
)


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
    rows, persons = rows_of(description), description.table.get("persons")
    lines = [_of_table(name, record, persons) for name, record in description.table.items()]
    few = sum(may_be_far_off(one, rows) or noisy(one, rows) for one in description.columns)
    hint = ""
    if few:
        hint = (
            f"{few} of {len(description.columns)} columns have too few rows for their share of "
            "epsilon: describe fewer columns, give those that matter larger column weights, or "
            "spend more."
        )
    found = [Section("The table", tuple(lines), hint)]
    found += [_section(column, rows) for column in description.columns]
    return found


def _section(column: ColumnDescription, rows: float | None) -> Section:
    lines: list[Line] = []
    there = entries_there(column, rows)
    few, unknown = may_be_far_off(column, rows), not_known(column, rows)
    for name, record in column.facts.items():
        if name == "missing":
            lines.append(_missing(record, rows))
        elif name == "reads as":
            lines += _reads(record)
        elif name == "quartiles":
            lines.append(_quartiles(column, record, there, unknown=unknown))
        elif unknown and (name == "limits" or record.interval is not None):
            continue  # the line of the quartiles says why
        elif name == "limits":
            values = " to ".join(shown(x) for x in listed(record))
            sure = "about quartiles that may be far off" if few else _note(record)
            lines.append(Line("limits", values, sure))
        elif record.interval is not None:
            lines.append(_inside(name, record, few=few))
        elif name == "keys":
            lines.append(_keys(record))
        elif name == "labels":
            lines += _labels(column, record)
        else:
            found = column.facts.get("keys")
            lines.append(_counted(name, record, 0 if found is None else len(listed(found))))
    hint = _hint(column) or ("" if unknown else _mostly_one(column))
    return Section(column.name, tuple(lines), hint)


def _of_table(name: str, record: Release, persons: Release | None) -> Line:
    match name:
        case "rows a person":
            there = None if persons is None else float(whole(persons))
            values = ", ".join(map(shown, listed(record)))
            return Line(name, values, f"quartiles; {_ranks(record, there, 'persons')}")
        case "rows used":
            return Line("rows of a person used", f"at most {shown(record.value)}", _note(record))
        case "rows" if record.guarantee.scope.unit != "row":
            return _counted("rows that are used", record)
        case _:
            return _counted(name, record)


def _note(record: Release) -> str:
    """The first note; the foot of a page says once what "at most" means."""
    return record.notes[0].removesuffix(" in 95 % of descriptions")


def _counted(name: str, record: Release, least: int = 0) -> Line:
    """A count that is at least so much, with 95 % of its noise where the width is public."""
    count, reach = max(least, whole(record)), reach_of_count(record)
    if reach is None:
        return Line(name, shown(count), "")
    if count - reach > least:
        return Line(name, shown(count), f"± {shown(reach)}")
    most = max(least, 1, whole(record) + reach)
    value = f"at most {shown(most)}" if not least else f"{least} to {shown(most)}"
    return Line(name, shown(least) if most == least else value, "")


def _missing(record: Release, rows: float | None) -> Line:
    told, reach = _counted("missing", record), reach_of_count(record)
    if rows is None or rows <= 0:
        return told
    if reach is None or whole(record) > reach:
        share = min(1.0, max(0, whole(record)) / rows)
        return replace(told, value=f"{_per_cent(share)} ({told.value} rows)", picture=bar(share))
    most = max(1, whole(record) + reach)
    if most >= rows:
        return told
    return Line("missing", f"at most {_per_cent(most / rows)} ({shown(most)} rows)", "")


def _per_cent(share: float) -> str:
    return f"{100 * share:.{1 if 0 < share < 0.995 else 0}f} %"


def _reads(record: Release) -> list[Line]:
    """How many entries are of which form, and as what share of those that are there."""
    found, half = _forms(record), _each(record)
    if not found:
        return [Line("reads as", "not known", f"fewer entries than noise ({half})")]
    if len(found) == 1:
        ((form, count),) = found.items()
        return [Line("reads as", f"{form} ({shown(count)} rows)", half)]
    lines = [Line("reads as", f"{len(found)} forms", "")]
    for form, count in found.items():
        share = count / sum(found.values())
        value = f"{_per_cent(share)} ({shown(count)} rows)"
        lines.append(Line(f"  {form}", value, half, bar(share)))
    return lines


def _forms(record: Release) -> dict[str, int]:
    """The forms that more entries have than noise makes, the most frequent first.

    Noise is so large by chance in one of eighty columns.
    """
    pairs = zip(record.axes[0], listed(record), strict=True)
    found = {str(form): count for form, count in pairs if count > 2 * reach_of_cells(record)}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _keys(record: Release) -> Line:
    many = len(listed(record))
    if not many:
        why = "none is frequent: names, codes or free text? Declare known ones (labels=)"
        return Line("labels found", "0", why)
    return Line("labels found", str(many), "rare ones are seldom found")


def _quartiles(
    column: ColumnDescription, record: Release, there: float | None, *, unknown: bool
) -> Line:
    if unknown:
        needed = f"too few rows: this share of epsilon needs {shown(4 * rows_of_rank(record))}"
        return Line("quartiles", "not known", needed)
    sure = _ranks(record, there, "rows")
    limits = column.facts.get("limits")
    picture = box(listed(record), None if limits is None else listed(limits))
    return Line("quartiles", ", ".join(shown(x) for x in listed(record)), sure, picture)


def _ranks(record: Release, there: float | None, what: str) -> str:
    rows = rows_of_rank(record)
    if there is not None and 4 * rows >= there:
        return (
            f"may be far off: there are about {shown(int(there))} {what}, and this share of "
            f"epsilon needs {shown(4 * rows)}"
        )
    return f"as a rule within {shown(rows)} {what} of these ranks"


def _inside(name: str, record: Release, *, few: bool) -> Line:
    low, high = record.interval or (None, None)
    half = None if isinstance(record.value, (date, timedelta)) else _half(low, high)
    value, low, high = (shown(_rounded(x, half)) for x in (record.value, low, high))
    sure = f"between {low} and {high}, 95 % sure"
    sure += ", but the limits may be far off" if few and name == "mean" else ""
    return Line("mean within limits" if name == "mean" else name, value, sure)


def _half(low: Any, high: Any) -> float | None:
    width = None if low is None or high is None else abs(float(high) - float(low)) / 2
    return width if width and isfinite(width) else None


def _rounded(value: Any, half: float | None) -> Any:
    """A number to two digits of half an interval, and two of its own at least."""
    if half is None or not isinstance(value, (int, float)) or not value:
        return value
    digits = 1 - floor(log10(min(half, abs(value))))
    return round(float(value), digits) if digits > 0 else round(value, digits)


def _each(record: Release) -> str:
    reach = reach_of_cells(record)
    return f"± {reach}" if reach else ""


def _labels(column: ColumnDescription, record: Release) -> list[Line]:
    counts, half = column.labels, _each(record)
    most = max([1, *counts.values()])
    lines = [
        Line(f"  {_label(column, label)}", shown(max(0, count)), half, bar(max(0, count) / most))
        for label, count in list(counts.items())[:_MOST]
    ]
    if len(counts) > _MOST:
        lines.append(Line("  ...", f"{len(counts) - _MOST} more", "in the record"))
    return lines


def _label(column: ColumnDescription, label: Any) -> str:
    return ("true" if label else "false") if column.kind == "truths" else str(label)


_CURES = {
    "numbers with a decimal comma": "give decimal=',' (--decimal ,), and thousands='.' if points "
    "part thousands",
    "numbers with thousands separators": "give thousands=',' (--thousands ,), or another sign if "
    "it parts them",
    "numbers with a sign or a unit": "to have numbers, rewrite the column without currencies, per "
    "cent signs and units",
    "dates in another form": "to have dates, rewrite them like 2024-01-31",
}


def _hint(column: ColumnDescription) -> str:
    """What may be wrong with how a column was read, by released shares alone."""
    record = column.facts.get("reads as")
    if record is None:
        return ""
    found = _forms(record)
    cures = [
        f"{_per_cent(found[form] / sum(found.values()))} of its entries are {form}: {cure}."
        for form, cure in _CURES.items()
        if form in found
    ]
    if not cures and FORMS[-1] in found and {*FORMS[:2]} & {*found}:
        cures.append(
            "Some of its entries read as numbers. Should all? Texts that stand for a missing "
            "entry are declared (missing_values=)."
        )
    return " ".join(cures)


def _mostly_one(column: ColumnDescription) -> str:
    """What a mean hides where at least half of the entries seem to be one number."""
    number = mostly_one(column)
    if number is None:
        return ""
    return (
        f"Most of its entries seem to be {shown(number)}. How far the few others reach beyond the "
        "limits is not known, nor how much they would change the mean."
    )


def shown(value: Any) -> str:
    """A released number for a person."""
    if isinstance(value, timedelta):
        return f"-{-value}" if value < timedelta() else str(value)
    if isinstance(value, (date, str)):
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else f"{value:.4g}"
    text = f"{value:.6g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < 10**15 else text


def promises(description: Description) -> list[tuple[str, str]]:
    """What holds for all of it."""
    numbers = description.guarantee.numbers()
    promise = ", ".join(f"{name} = {value}" for name, value in numbers.items())
    lines = [
        ("promise", f"all facts together: {promise}; {protection(description.guarantee.scope)}"),
        ("not protected", NOT_PROTECTED),
        ("how sure", _sure(description)),
    ]
    if any("reads as" in column.facts for column in description.columns):
        lines.append(("reading", _READING))
    if all(_BY_PLACE.fullmatch(column.name) for column in description.columns):
        lines.append(("names", _PLACES))
    if description.left_out:
        names = ", ".join(name.strip() or "a blank name" for name in description.left_out)
        lines.append(("left out", f"{names} ({_LEFT_OUT})"))
    tracked = description.tracked
    if tracked == NOT_TRACKED:
        tracked += ": the epsilons of all releases of the same data add up"
    lines.append(("budget", tracked))
    if not description.secure:
        lines.insert(0, ("NOT PRIVATE", "drawn in a simulation"))
    return lines


def _sure(description: Description) -> str:
    """What "±", "at most" and "between" mean on a page."""
    parts = ["± and 'at most' hold in 95 % of descriptions, each by itself"]
    facts = {name for column in description.columns for name in column.facts}
    if facts & {"mean", "first quartile"}:
        parts.append("in means and intervals, entries beyond the limits count as the limits")
    deltas = {
        record.guarantee.numbers()["delta"]
        for record in description.records
        if record.statistic == "PrivateKeys"
    }
    if deltas:
        parts.append(
            f"a label that only one {_one(description)} has is shown with probability "
            f"{float(max(deltas)):.2g} at most"
        )
    return "; ".join(parts)


def _one(description: Description) -> str:
    return "row" if description.guarantee.scope.unit == "row" else "person"
