"""NOT PRIVATE. Lines that are not rows, rows that were cut or joined, and what columns hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, zip_longest
from math import isnan

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.entries import Meant, apart, check_entries
from leastnoise.frames.checks.extra_rows import (
    blank_places,
    blank_rows,
    copies,
    left_blank_below,
    lines_stand,
    notes_below,
    only,
    rows_are,
    titles_between,
)
from leastnoise.frames.checks.heads import (
    YEARS,
    check_joined,
    check_names,
    heads,
    names_again,
    other_names,
    side_by_side,
    told_again,
)
from leastnoise.frames.checks.multiples import told_multiples, told_units
from leastnoise.frames.checks.overlaps import overlaps
from leastnoise.frames.checks.periods import check_periods
from leastnoise.frames.checks.report import Checked
from leastnoise.frames.checks.signs import signs_of
from leastnoise.frames.checks.together import check_together, tells_a_measure
from leastnoise.frames.checks.totals import totals
from leastnoise.frames.memory.conditions import kept_rows
from leastnoise.frames.readers.csv import CsvTable
from leastnoise.frames.readers.fields import runs_on, unquoted
from leastnoise.frames.readers.header import looks_like_number
from leastnoise.frames.readers.options import TextFormat
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries.predicates import Predicate

_MOSTLY = 0.8
_SHOWN = 60
_NAMED = 4  # of what stands in a second line of names
_APART = "\0"  # between fields, to look at all of them at once
_BREAK = re.compile(r"\n|\r[^\r\0]")  # a line end inside a field
COMMENTS = ("#", "//", "%", ";")


def check_rows(
    table: CsvTable,
    written: TextFormat,
    column: str | None,
    spanned: CsvTable | None,
    meant: Meant = "",
    where: Predicate | None = None,
) -> Iterator[Checked]:
    """What is wrong with the rows of a text file, then with each column.

    Parameters
    ----------
    table, written
        The file, and how it is written.
    column
        The one that is asked for; else all.
    spanned
        The same file with fields of several lines, where it is read without.
    meant
        What a statistic is to read in the column that is asked for.
    where
        Only rows for which this is true; else all.
    """
    raw = list(map(tuple, table.written_records()))  # which are not looked at as garbage
    if where is not None:
        spanned, raw = None, list(compress(raw, kept_rows(table, where).tolist()))
    written_out = _APART.join(map(_APART.join, raw))
    rows = [tuple(map(unquoted, record)) for record in raw] if '"' in written_out else raw
    names = table.column_names() or tuple(
        f"column_{i + 1}" for i in range(max((len(row) for row in rows), default=1))
    )
    if column is not None:
        table.column_type(column)
    columns = list(zip_longest(*rows, fillvalue="")) or [()] * len(names)
    every = columns[: len(names)] + [("",) * len(rows)] * (len(names) - len(columns))
    joined = check_joined(names, every)
    every = list(map(Entries, every))
    whole = {
        name: every[i]
        for i, name in enumerate(names)
        if name.strip() and names.count(name) == 1 and name not in joined
    }
    entries = {name: found for name, found in whole.items() if column in (None, name)}
    dialect = written.dialect
    reports = {
        name: check_entries(name, found, dialect, table.separator, meant)
        for name, found in entries.items()
    }
    signs = signs_of(reports, entries, dialect)
    corrected = signs.dialect
    read = reports
    if corrected != dialect:
        read = {
            name: check_entries(name, found, corrected, table.separator, meant)
            for name, found in entries.items()
        }
    broken = _BREAK.search(written_out) is not None
    blank = blank_places(rows, every)
    numeric = [
        name
        for name, found in read.items()
        if found.columns[0].numbers > _MOSTLY * (len(entries[name]) - found.columns[0].missing) > 0
    ]
    wide = next((i for i, row in enumerate(rows) if len(row) > len(names)), len(rows))
    below = heads(entries, numeric, corrected, every)
    if column in whole and rows and not below and not whole[column][0]:  # the line may tell
        below = heads(whole, _of_numbers(whole, corrected), corrected, every)
    below = min(below, wide)  # a longer row is one that was cut wrongly
    lost = _Lost(table.separator, len(names), [names.index(name) for name in numeric], corrected)
    if spanned is not None:
        yield from _cut(len(rows), list(spanned.written_records()), lost)
    repeated = names_again(rows, names)
    yield from _names(names, every, written, below, repeated)
    yield from side_by_side(names, every)
    yield Checked(findings=tuple(told_multiples(numeric, whole)))
    yield from joined.values()
    if written.header:
        yield from told_again(repeated, whole)
    full = [row for i, row in enumerate(rows) if i not in blank] if blank else rows
    yield from _widths(full, names, written, broken)
    yield from other_names(rows, names, {name: whole[name] for name in numeric}, corrected)
    yield from blank_rows(len(rows), blank, whole)
    yield from copies(rows, every)
    yield from titles_between(rows, whole)
    yield from left_blank_below(whole)
    yield from lost.told(raw) if broken else ()
    if not rows:
        yield only("no row stands below the names", "see whether the file was cut")
    if below:
        above = [x for row in rows[:below] for x in row if x.strip()]
        yield Checked(findings=tuple(told_units(above)))
        option = "skip_after_header" if written.header else "skip_rows"
        lines = below + (written.skip_after_header if written.header else written.skip_rows)
        yield only(
            (
                f"{lines_stand(below)} below the names and no row, such as units or a second line "
                "of names"
                if written.header
                else f"{lines_stand(below)} above the rows, such as one of names"
            )
            + f": {', '.join(repr(x.strip()[:_SHOWN]) for x in above[:_NAMED])}",
            f"give {option}={lines}"
            + ("" if written.header else ", or leave header=False out where the first is of names"),
            {option: lines},
        )
        whole = {name: found.below(below) for name, found in whole.items()}
        entries = {name: whole[name] for name in entries}
        reports = {
            name: check_entries(name, found, dialect, table.separator, meant)
            for name, found in entries.items()
        }
    shown = {  # labels often stand in a column without a name
        name if name in whole else " " * (i + 1): every[i].below(below)
        for i, name in enumerate(names)
        if name in whole or not name.strip()
    }
    yield from notes_below(shown, corrected)
    yield Checked(findings=tuple(check_periods(whole)))
    yield from totals(shown, numeric, corrected)
    yield Checked(findings=tuple(overlaps(whole, numeric, corrected)))
    labels = {
        name: found.counts
        for name, found in zip(names, every, strict=True)
        if tells_a_measure(name)
    }
    held = len(rows) - below - len([i for i in blank if i >= below])
    checked = [report.columns[0] for report in reports.values()]
    yield Checked(findings=tuple(check_together(checked, labels, held, whole)))
    if signs.doubt:
        yield only(
            f"{signs.doubt}: numbers are written in two ways, and an option is for one",
            "write the columns of one of them anew, each entry on its own",
        )
    yield from apart(signs.offered(reports), entries, dialect)


def _of_numbers(entries: Mapping[str, Entries], dialect: Dialect) -> list[str]:
    """The columns of which most entries are numbers."""
    found = list[str]()
    for name, column in entries.items():
        numbers = sum(map(column.counts.__getitem__, column.numbers(dialect)))
        if numbers > _MOSTLY * (len(column) - column.counts[""]) > 0:
            found.append(name)
    return found


def _cut(rows: int, whole: Sequence[Sequence[str]], lost: _Lost) -> Iterator[Checked]:
    """Fields of several lines, where each line is read as a row."""
    if len(whole) < rows and not list(lost.told(whole)):
        yield only(
            f"quoted fields span lines, and {rows - len(whole)} of these are read as rows",
            "leave multiline=False out",
        )


def _names(
    names: Sequence[str],
    every: Sequence[Entries],
    written: TextFormat,
    heads: int,
    repeated: int,
) -> Iterator[Checked]:
    """Names that cannot be asked for, and a first line that is a row."""
    skip = written.skip_rows
    skipped = skip + 1 + written.skip_after_header + heads
    place = f", to ask by place for column_1, column_2, ..., header=False and skip_rows={skipped}"
    held = [any(found) for found in every]
    yield from check_names(names, held, f", or{place}")
    if not written.header:
        return
    odd = [name for name in names if looks_like_number(name, written.dialect)]
    plain = [int(name) for name in odd if re.fullmatch(r"\s*\d{1,9}\s*", name, re.ASCII)]
    numbered = len(plain) == len(odd) and (
        all(x in YEARS for x in plain)
        or (len(odd) > 1 and max(plain) - min(plain) + 1 == len(set(plain)) == len(plain))
    )
    held = [i for i, name in enumerate(names) if name.strip()]
    again = sum(names[i].strip() in every[i].counts for i in held)
    if (odd and not numbered) or (held and 2 * again > len(held) and not repeated):
        which = f"{odd[0]!r}" if odd else f"{names[held[0]]!r}"
        yield only(
            f"the first line may be a row and no names, with {which} in it",
            "if it is, give header=False: columns are then column_1, column_2, ..."
            + (f"; if the names stand above it, skip_rows={skip - 1}" if skip else ""),
            {} if skip else {"header": False},
        )


def _widths(
    full: Sequence[Sequence[str]], names: Sequence[str], written: TextFormat, broken: bool
) -> Iterator[Checked]:
    """Rows with more or fewer fields than there are names, and lines that are not rows."""
    count = len(names)
    if written.comment is None and count > 1:
        for sign in COMMENTS:
            told = [row for row in full if len(row) < count and row[0].lstrip().startswith(sign)]
            if told and sign != written.separator:
                yield only(
                    f"{rows_are(len(told), 'starts', 'start')} with {sign!r}, such as "
                    f"{told[0][0][:_SHOWN]!r}, and counted as rows",
                    f"give comment={sign!r}",
                    {"comment": sign},
                )
                yield Checked(findings=tuple(told_units(row[0] for row in told)))
                comments = set(map(id, told))
                full = [row for row in full if id(row) not in comments]
    more = sum(len(row) > count and any(map(str.strip, row[count:])) for row in full)
    fewer = sum(len(row) < count for row in full)
    if more and 2 * sum(any(x.lstrip().startswith("'") for x in row) for row in full) > len(full):
        yield only(
            f"{rows_are(more, 'has', 'have')} more fields than there are names: ' is no quote, and "
            "a separator between two of them separates fields",
            'have the file written by a CSV writer, with "',
        )
    elif more == len(full) > 0:
        yield only(
            f"all rows have more fields than there are names, {count}: these stand above wrong "
            "columns, as where R writes names of rows, or a separator stands in entries without "
            "quotes",
            f"give header=False and skip_rows={written.skip_rows + 1}, for column_1, ..., or have "
            "the file rewritten by a CSV writer",
        )
    elif more:
        yield only(
            f"{rows_are(more, 'has', 'have')} more fields than there are names: a separator inside "
            "an entry without quotes moves what follows into the next column",
            "have such entries quoted by a CSV writer",
        )
    if fewer and written.header:
        yield only(
            f"{rows_are(fewer, 'has', 'have')} fewer fields than there are names: entries are "
            "missing there, or stand in the wrong column, as where a line end stands inside an "
            "entry without quotes or the file was cut",
            "have the file rewritten by a CSV writer",
        )
    if broken and any("\r" in field.rstrip("\r") for row in full for field in row):
        yield only(
            "carriage returns stand inside entries: lines end in several ways, and those that end "
            "in one alone are read as one row with the next",
            "write all lines with the same end",
        )


@dataclass(frozen=True, slots=True)
class _Lost:
    """Rows that a quote has taken into one field.

    Parameters
    ----------
    separator, columns
        How rows are parted, and into how many fields.
    numeric
        The places of the columns of numbers.
    dialect
        How these are written.
    """

    separator: str
    columns: int
    numeric: Sequence[int]
    dialect: Dialect

    def told(self, records: Sequence[Sequence[str]]) -> Iterator[Checked]:
        """What is to be said of them; fields are given with their quotes."""
        found = [
            self._inside(record, place)
            for record in records
            for place, field in enumerate(record)
            if "\n" in field or "\r" in field.rstrip("\r")
        ]
        lost, longest = sum(found), max(found, default=0)
        if lost:
            what = "lines that look like rows are" if lost > 1 else "line that looks like a row is"
            yield only(
                f"{lost} {what} inside a quoted field, up to {longest} in one: a quote is opened "
                "and not closed, and the rows are swallowed",
                "have the file written by a CSV writer, or give multiline=False where no field "
                "spans lines",
                {"multiline": False},
            )

    def _inside(self, record: Sequence[str], place: int) -> int:
        """How many rows one field has taken."""
        field = record[place]
        lines = unquoted(field).splitlines()
        separators = self.columns - 1
        whole = sum(0 < separators <= line.count(self.separator) for line in lines[1:])
        if whole or len(lines) < 2 or not field.lstrip().startswith('"'):
            return whole
        before, after = (
            [unquoted(x) for x in part] for part in (record[:place], record[place + 1 :])
        )
        first = [*before, *lines[0].split(self.separator)]
        last = [*lines[-1].split(self.separator), *after]
        return int(runs_on(field) or (self._is_row(first, place) and self._is_row(last, place)))

    def _is_row(self, fields: Sequence[str], place: int) -> bool:
        """Whether fields make a whole row, with numbers where the others have some."""
        told = any(other != place for other in self.numeric)
        return (
            told
            and len(fields) == self.columns
            and not any(isnan(self.dialect.number(fields[other])) for other in self.numeric)
        )
