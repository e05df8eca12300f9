"""NOT PRIVATE. Rows that are no records: blank ones, copies, titles and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.multiples import told_units
from leastnoise.frames.checks.report import OTHERS, Checked, Finding
from leastnoise.frames.contract import STANDARD
from leastnoise.summaries.predicates import Predicate, col

FEET = 12  # rows at the end that may be a footer
_FEW_LABELS = 10  # different rows before copies are told
_SEVERAL, _FEW_COPIES, _FAR_FEWER = 4, 10, 20
_WIDE = 6  # columns in which rows are seldom alike by chance
_SHOWN = 60
_GROUPS = 3  # labels that stand for those below them


def blank_rows(rows: int, blank: set[int], entries: Mapping[str, Entries]) -> Iterator[Checked]:
    """Rows that hold nothing, between others or below them."""
    if 0 < len(blank) < rows and entries:
        yield only(
            f"{rows_are(len(blank), 'is', 'are')} blank in all columns: each counts as a row",
            *_cut("delete them", entries, blank),
        )


def blank_places(rows: Sequence[Sequence[str]], columns: Sequence[Entries]) -> set[int]:
    """The rows that hold nothing: all columns are blank there."""
    rarest = min(columns, key=lambda column: column.counts[""], default=None)
    if rarest is not None and not rarest.counts[""]:
        return set()
    places = range(len(rows)) if rarest is None else (i for i, x in enumerate(rarest) if not x)
    return {i for i in places if not any(map(str.strip, rows[i]))}


def _cut(
    cure: str, entries: Mapping[str, Sequence[str]], rows: set[int]
) -> tuple[str, None, Predicate | None]:
    """The cure, with the filter that drops these rows and no record: by a column that others have
    filled.
    """
    for name, found in entries.items():
        none = {i for i, x in enumerate(found) if not x.strip() or x.strip() in STANDARD}
        if (
            name.strip()
            and rows <= none
            and not any(column[i].strip() for i in none - rows for column in entries.values())
        ):
            return f"{cure}, or {OTHERS}", None, ~col(name).is_missing()
    return cure, None, None


def copies(rows: Sequence[Sequence[str]], columns: Sequence[Entries]) -> Iterator[Checked]:
    """Rows that stand there several times, though a column tells all others apart."""
    if any(len(found.counts) == len(rows) for found in columns):
        return
    different = {tuple(row) for row in rows if any(map(str.strip, row))}
    filled = sum(any(map(str.strip, row)) for row in rows)
    copies = filled - len(different)
    width = min(map(len, different), default=0)
    if copies and len(different) > _FEW_LABELS and width > 1:
        keys = [i for i in range(width) if len({row[i] for row in different}) == len(different)]
        if keys:
            yield only(
                f"{_copies(copies)}, and count again"
                if copies > 1
                else f"{_copies(1)}, and counts again",
                "delete them, or name the persons, unit= and max_rows=1",
            )
        elif (width >= _WIDE and 2 * copies > filled) or _more_than_by_chance(rows, width, copies):
            yield only(
                f"{_copies(copies)} in all {width} columns: "
                "as many things alike, or a file that repeats itself",
                "see which; where a row stands for the same again, delete it",
            )


def _copies(count: int) -> str:
    return "one row is an exact copy of another" if count == 1 else (
        f"{count} rows are exact copies of others"
    )  # fmt: skip


def _more_than_by_chance(rows: Sequence[Sequence[str]], width: int, copies: int) -> bool:
    """Whether few rows are copies, and far fewer would be if columns had nothing to do with each
    other.
    """
    if width < _SEVERAL or copies * _FEW_COPIES > len(rows):
        return False
    pairs = len(rows) * (len(rows) - 1) / 2
    for i in range(width):
        counts = Counter(row[i] for row in rows if len(row) > i)
        pairs *= sum(n * n for n in counts.values()) / max(1, counts.total()) ** 2
    return pairs * _FAR_FEWER < copies


def notes_below(entries: Mapping[str, Sequence[str]], dialect: Any) -> Iterator[Checked]:
    """Rows at the end that are sources or notes."""
    if len(entries) < 2:
        return
    rows = list(zip(*(found[-FEET:] for found in entries.values()), strict=True))
    filled = [sum(bool(entry.strip()) for entry in row) for row in rows]
    feet = next((i for i, n in enumerate(reversed(filled)) if n > 1), len(rows))
    ends = rows[len(rows) - feet :] if feet < len(rows) else []
    alone = [(i, x.strip()) for row in ends for i, x in enumerate(row) if x.strip()]
    columns = list(entries.values())
    notes = [x for i, x in alone if not is_number(x, dialect) and columns[i].count(x) < 2]
    if notes:
        yield Checked(findings=tuple(told_units(notes)))
        end = max(map(len, columns))
        yield only(
            f"notes stand below the rows, such as {notes[0][:_SHOWN]!r}: the last {feet} count as "
            "rows too",
            *_cut("cut them off", entries, set(range(end - feet, end))),
        )


def titles_between(
    rows: Sequence[Sequence[str]], entries: Mapping[str, Sequence[str]]
) -> Iterator[Checked]:
    """Rows of a name alone, which stand above those of a group."""
    if len(entries) < 3:  # a row of a name and no number may be one with a missing number
        return
    places = {
        i
        for i, row in enumerate(rows[:-FEET])
        if row
        and not (len(row) > 1 and row[1].strip())
        and row[0].strip()
        and not any(map(str.strip, row[2:]))
    }
    alone = [rows[i][0].strip() for i in sorted(places)]
    if len(alone) > 1 and len(alone) == len(set(alone)) and 2 * len(alone) < len(rows):
        yield only(
            f"{rows_are(len(alone), 'holds', 'hold')} a name and nothing else, such as "
            f"{alone[0][:_SHOWN]!r}, as a title of those below: each counts as a row",
            *_cut("delete them", entries, places),
        )


def left_blank_below(entries: Mapping[str, Sequence[str]]) -> Iterator[Checked]:
    """Labels that are written once, for all rows down to the next: a merged cell, or a pivot."""
    for name, found in entries.items():
        filled = [entry.strip() for entry in found if entry.strip()]
        once = _GROUPS <= len(filled) == len(set(filled)) and 2 * len(filled) <= len(found)
        if not (once and found[0].strip()) or not any(map(str.isalpha, "".join(filled))):
            return
        text = filled[0][:_SHOWN]
        yield Checked(
            findings=(
                Finding(
                    name,
                    f"labels such as {text!r} are written once and the rows below are blank, as in "
                    "a sheet with merged cells: a filter or a group finds the first row only",
                    "if the label is meant for the rows below, have the file written with it in "
                    "each of them",
                ),
            )
        )


def is_number(entry: str, dialect: Any) -> bool:
    """Whether an entry is read as a number."""
    return not isnan(dialect.number(entry))


def only(
    what: str, cure: str, options: dict[str, Any] | None = None, kept: Predicate | None = None
) -> Checked:
    """One finding about the whole file."""
    return Checked(findings=(Finding("", what, cure, options or {}, kept),))


def rows_are(count: int, verb: str, verbs: str) -> str:
    """How many rows there are, and their verb."""
    return f"one row {verb}" if count == 1 else f"{count} rows {verbs}"


def lines_stand(count: int) -> str:
    """How many lines there are, and their verb."""
    return f"{count} lines stand" if count > 1 else "one line stands"
