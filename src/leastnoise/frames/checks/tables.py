"""NOT PRIVATE. What stands in a table whose columns have types: a frame, a series, an engine's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leastnoise.errors import ColumnTypeError
from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.entries import Meant, apart, check_entries
from leastnoise.frames.checks.extra_rows import (
    blank_places,
    blank_rows,
    copies,
    left_blank_below,
    notes_below,
    only,
    titles_between,
)
from leastnoise.frames.checks.heads import (
    check_joined,
    check_names,
    heads,
    names_again,
    side_by_side,
    told_again,
)
from leastnoise.frames.checks.multiples import told_multiples
from leastnoise.frames.checks.overlaps import overlaps
from leastnoise.frames.checks.periods import check_periods
from leastnoise.frames.checks.report import Checked, CheckedColumn, Finding
from leastnoise.frames.checks.signs import signs_of
from leastnoise.frames.checks.stand_ins import check_days
from leastnoise.frames.checks.together import check_together, tells_a_measure
from leastnoise.frames.checks.totals import totals
from leastnoise.frames.memory.summarise import missing_at, present
from leastnoise.frames.memory.table import NamedTable
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import NO_FILES, Table
from leastnoise.summaries.columns import Clock

_MOSTLY, _SHOWN = 0.8, 40
_FILE = re.compile(
    r"\.(?:csv|tsv|txt|parquet|pq|xlsx?|json|feather|arrow)(?:\.gz)?$", re.IGNORECASE
)
_SPAN = re.compile(r"(?:-?\d+ days?, )?\d+:\d\d:\d\d")  # of datetime
_ROW = re.compile(r"[\[({].*[\])}]", re.DOTALL)
_WHOLE = 1e17  # of larger doubles not every whole number is one


@dataclass(frozen=True, slots=True)
class _Read:
    """One column: what was found in it, its entries as text, row by row, and whether its numbers
    are read from text.
    """

    report: Checked
    entries: Entries | None
    untyped: bool = False


def check_table(
    table: Table, column: str | None, dialect: Dialect, meant: Meant = ""
) -> Iterator[Checked]:
    """What is wrong with the rows of a table, then with each column.

    Parameters
    ----------
    table, column
        The table, and the column that is asked for; else all.
    dialect
        How numbers are written in columns of no type.
    meant
        What a statistic is to read in that column.
    """
    labels = table.labels if isinstance(table, NamedTable) else table.column_names()
    if labels is None:
        one = _read(table, column, dialect, meant)
        entries = [x for x in one.entries or () if x]
        if one.untyped and sum(map(bool, map(_ROW.fullmatch, entries))) > _MOSTLY * len(entries):
            yield Checked(columns=one.report.columns)
            yield only(
                f"the entries are rows of several values, such as {entries[0][:_SHOWN]!r}, and no "
                "numbers: of a list of rows every statistic of one column is mere noise",
                "give a table, pandas.DataFrame(data), and name the column",
            )
            return
        if all(map(_FILE.search, one.entries or [""])):
            yield only("the entries are paths and are read as labels", NO_FILES)
        read = {column or "": one}
        yield from _check_columns(read, read, dialect)
        return
    asked = {} if column is None else {column: _read(table, column, dialect, meant)}
    counts = Counter(labels)
    names = [x for x in counts if isinstance(x, str) and x.strip() and counts[x] == 1]
    yield from check_names(labels, [True] * len(labels))
    if not names:
        return
    held = table.hold(names)
    read = {name: asked[name] if name in asked else _read(held, name, dialect) for name in names}
    whole = _entries(read)
    entries = [*whole.values()]
    # an engine's columns, where they are too large to be read at once, have rows in any order
    if held is not table and len(entries) == len(labels):
        rows = list(zip(*entries, strict=True))
        yield from side_by_side(names, entries)
        yield from told_again(names_again(rows, names), whole)
        yield from blank_rows(len(rows), blank_places(rows, entries), whole)
        yield from copies(rows, entries)
        yield from titles_between(rows, whole)
    yield from _check_columns(asked or read, read, dialect)


def _entries(read: Mapping[str, _Read]) -> dict[str, Entries]:
    return {name: one.entries for name, one in read.items() if one.entries is not None}


def _check_columns(
    read: Mapping[str, _Read], beside: Mapping[str, _Read], dialect: Dialect
) -> Iterator[Checked]:
    """What is wrong with columns, and with the rows, which all columns tell."""
    entries = _entries(read)
    joined = check_joined([*entries], [*entries.values()])
    yield from joined.values()
    reports = {name: one.report for name, one in read.items() if name not in joined}
    untyped = {name: reports[name] for name in reports if read[name].untyped}
    signs = signs_of(untyped, entries, dialect)
    corrected = signs.dialect
    columns = {name: x.columns[0] for name, x in reports.items() if x.columns}
    if corrected != dialect:
        for name in untyped:
            columns[name] = check_entries(name, entries[name], corrected).columns[0]
    numeric = [
        name for name, x in columns.items() if x.numbers > _MOSTLY * (x.rows - x.missing) > 0
    ]
    for name in numeric:
        if name not in untyped:  # written with a point
            entries[name] = Entries(x.replace(".", corrected.decimal) for x in entries[name])
    looked = {name: found for name, found in entries.items() if name not in joined}
    whole = {name: x for name, x in _entries(beside).items() if name not in joined} | looked
    if len(whole) > 1:
        yield from left_blank_below(whole)
    below = heads(looked, numeric, corrected, [*whole.values()])
    if below:
        first = "row is" if below == 1 else f"{below} rows are"
        yield only(
            f"the first {first} no record, such as units or a second line of names",
            "leave such rows out where the frame is made, with skiprows= of its reader",
        )
        whole = {name: found.below(below) for name, found in whole.items()}
        looked = {name: whole[name] for name in looked}
        reports |= {name: check_entries(name, looked[name], dialect) for name in untyped}
    yield Checked(findings=(*told_multiples(numeric, whole), *check_periods(whole)))
    yield from notes_below(whole, corrected)
    yield from totals(whole, numeric, corrected)
    yield Checked(findings=tuple(overlaps(whole, numeric, corrected)))
    labels = {name: found.counts for name, found in looked.items() if tells_a_measure(name)}
    rows = max(map(len, looked.values()), default=0)
    yield Checked(
        findings=tuple(
            check_together(
                [x for report in reports.values() for x in report.columns], labels, rows, whole
            )
        )
    )
    if signs.doubt:
        yield only(
            f"{signs.doubt}: numbers are written in two ways, and an option is for one",
            "write the columns of one of them anew, each entry on its own",
        )
    yield from apart(signs.offered(reports), entries, dialect)


def _read(table: Table, name: str | None, dialect: Dialect, meant: Meant = "") -> _Read:
    """One column of a table whose types are declared, or of entries."""
    try:
        table.text_type(name)
    except ColumnTypeError:
        return _typed(table, name, dialect)
    codes, texts = table.text_values(name)
    listed: list[int] = codes.tolist()
    entries = Entries(texts[code] if code >= 0 else "" for code in listed)
    report = check_entries(name, entries, dialect, meant=meant)
    found = report.columns[0]
    if _SPAN.match(next(filter(None, entries), "")):  # which are written as times of day
        read = table.clocked({name: Clock.SPAN}).column(name)
        if len(present(read)) == found.rows - found.missing:
            return _times(table, name, Clock.SPAN)
    try:
        table.column_type(name)
    except ColumnTypeError as error:
        if 2 * found.numbers > found.rows - found.missing:
            told = Finding(name or "", "numbers are declared as text", str(error))
            return _Read(Checked(report.columns, (told,)), entries)
        return _Read(Checked(report.columns, tuple(map(_as_text, report.findings))), entries)
    return _Read(report, entries, untyped=True)


def _as_text(finding: Finding) -> Finding:
    """What is said of a column that is declared as text, which no option makes numbers."""
    if finding.options.keys() & {"decimal", "thousands"}:
        cure = "where they are numbers, convert the column, each entry on its own"
        return replace(finding, cure=cure, options={})
    return finding


def _typed(table: Table, name: str | None, dialect: Dialect) -> _Read:
    """A column of numbers, of dates, or of a type that is not read."""
    try:
        column = table.column(name)
    except ColumnTypeError as error:
        clock = table.own_clock(name)
        if clock is None:
            return _Read(
                Checked(findings=(Finding(name or "", "it is not read", str(error)),)), None
            )
        return _times(table, name, clock)
    kind = column.values.dtype.kind
    entries = _listed(present(column), missing_at(column), _float if kind == "f" else _whole)
    return _Read(
        check_entries(name, entries, replace(dialect, decimal=".", thousands=None)), entries
    )


def _times(table: Table, name: str | None, clock: Clock) -> _Read:
    """A column of declared dates, times or durations, and days in it that stand for none."""
    read = table.clocked({name: clock}).column(name)
    numbers, missing = present(read), missing_at(read)
    told = CheckedColumn(name, len(missing), 0, len(numbers), int(missing.sum()))
    findings: list[Finding] = []
    if clock is not Clock.SPAN:
        values, times = np.unique(numbers, return_counts=True)
        days = {clock.time(x).isoformat(): x * clock.seconds // 86_400 for x in values.tolist()}
        counts = Counter(dict(zip(days, times.tolist(), strict=True)))
        findings += check_days(name or "", days, counts)
    return _Read(
        Checked((told,), tuple(findings)), _listed(numbers, missing, lambda x: str(clock.time(x)))
    )


def _listed(values: Any, missing: Any, written: Callable[[Any], str]) -> Entries:
    """The text of each entry, row by row; "" where there is none."""
    different, places = np.unique(values, return_inverse=True)
    entries = np.full(len(missing), "", dtype=object)
    entries[~missing] = np.array([*map(written, different), ""], dtype=object)[places]
    return Entries(entries.tolist())


def _whole(value: Any) -> str:
    return str(int(value))


def _float(value: Any) -> str:
    """A double as a file would have it: whole ones without a point."""
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < _WHOLE else str(value)
