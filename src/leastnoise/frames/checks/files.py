"""NOT PRIVATE. What a text file is: its encoding, its lines, its names, and rows that are none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from math import isnan
from typing import TYPE_CHECKING, Any

from leastnoise.errors import LeastNoiseError
from leastnoise.frames.checks.entries import check_entries, looks
from leastnoise.frames.checks.report import Checked, Finding, merged
from leastnoise.frames.readers.csv import CsvTable, open_csv
from leastnoise.frames.readers.fields import fields_of
from leastnoise.frames.readers.text_file import TextFile

if TYPE_CHECKING:
    from pathlib import Path

    from leastnoise.frames.readers.text_format import TextFormat

_SEPARATORS = {",": "','", ";": "';'", "\t": "'tab'", "|": "'|'"}
_FIRST = 50  # lines that are looked at for a title and a separator
_HEADS = 3  # lines that may stand below the names
_FEET = 12  # rows at the end that may be a footer
_MOSTLY = 0.8
_FEW_LABELS = 10  # rows for each label of a column of labels
_TOLD = re.compile(r"\s*\"?sep=([,;|\t])\"?\s*", re.IGNORECASE)
_TOTALS = re.compile(r"(?:grand |sub)?total|sum|all|gesamt|summe|insgesamt", re.IGNORECASE)


def check_text_file(path: Path, written: TextFormat, column: str | None) -> Checked:
    """What stands in a text file. What one finding would mend is mended before the next is sought,
    so that one report tells all of them.
    """
    found: list[Finding] = []
    try:
        for finding, mended in _about_lines(path, written):
            found.append(finding)
            written = mended
        table = open_csv(path, written)
        reports = [*_cut(path, written), *_about_rows(table, written, column)]
    except LeastNoiseError as error:
        return Checked(findings=(*found, Finding("", str(error), "mend that first, then check")))
    return merged([Checked(findings=tuple(found)), *reports])


def _about_lines(path: Path, written: TextFormat) -> Iterator[tuple[Finding, TextFormat]]:
    """What is seen before there are columns, each with the format that would mend it."""
    encoding = _encoding(path, written.encoding)
    if encoding is not None:
        what = f"bytes are not of the encoding {written.encoding.removesuffix('-sig')!r}"
        cure = f"give encoding={encoding!r}, or the one that the file has"
        written = replace(written, encoding=encoding)
        yield Finding("", what, cure, {"encoding": encoding}), written
    with TextFile(path, written.encoding).pieces() as pieces:
        first = "".join(islice(pieces, 1)).splitlines()[:_FIRST]
    told = _TOLD.fullmatch(first[written.skip_rows]) if first[written.skip_rows :] else None
    if told is not None and written.separator is None:
        skipped = written.skip_rows + 1
        options = {"separator": told[1], "skip_rows": skipped}
        what = f"the first line tells spreadsheets that fields are parted by {told[1]!r}"
        written = replace(written, separator=told[1], skip_rows=skipped)
        cure = f"give separator={told[1]!r} and skip_rows={skipped}"
        yield Finding("", what, cure, options), written
    lines = first[written.skip_rows :]
    separator = written.of(path).separator or ","
    other = _separator(lines, separator)
    if other is not None and written.separator is None:
        written = replace(written, separator=other)
        separator = other
        cure = f"give separator={_SEPARATORS[other]}"
        what = f"fields are parted by {_SEPARATORS[other]}"
        yield Finding("", what, cure, {"separator": "tab" if other == "\t" else other}), written
    titles = _titles(lines, separator)
    if titles and written.header:
        skipped = written.skip_rows + titles
        what = f"{_lines(titles)} above the names, such as {lines[0][:60]!r}"
        written = replace(written, skip_rows=skipped)
        yield Finding("", what, f"give skip_rows={skipped}", {"skip_rows": skipped}), written


def _encoding(path: Path, given: str) -> str | None:
    """Another encoding, where the bytes are not of this one."""
    with path.open("rb") as file:
        mark = file.read(4)
    if mark.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None if given.startswith("utf-16") else "utf-16"
    with TextFile(path, given).pieces() as pieces:
        return "cp1252" if any("\ufffd" in piece for piece in pieces) else None


def _separator(lines: Sequence[str], separator: str) -> str | None:
    """Another separator, which parts more lines into equally many fields."""

    def parted(sign: str) -> int:
        widths = Counter(len(fields_of(line, sign) or ()) - 1 for line in lines if line.strip())
        return max((width * times for width, times in widths.items()), default=0)

    best = max(_SEPARATORS, key=parted)
    if best != separator and parted(best) > 2 * parted(separator):
        return best
    # one that parts the names, and all lines alike; the other stands in numbers
    names = next((line for line in lines if line.strip()), "")
    if separator in names:
        return None
    full = [line for line in lines if line.strip()]
    alike = [
        sign
        for sign in _SEPARATORS
        if sign in names and len({len(fields_of(line, sign) or ()) for line in full}) == 1
    ]
    return max(alike, key=names.count, default=None) if len(full) > 1 else None


def _titles(lines: Sequence[str], separator: str) -> int:
    """How many lines stand above the first of as many fields as most have."""
    widths = [len(fields_of(line, separator) or ()) for line in lines]
    most = Counter(width for width in widths if width > 1).most_common(1)
    if not most or most[0][1] < 3:
        return 0
    full = next(i for i, width in enumerate(widths) if width == most[0][0])
    return full if all(2 * width <= most[0][0] for width in widths[:full]) else 0


def _cut(path: Path, written: TextFormat) -> Iterator[Checked]:
    """Fields of several lines, where each line is read as a row."""
    if written.multiline:
        return
    rows, whole = (
        sum(map(len, open_csv(path, form).entries(0)))
        for form in (written, replace(written, multiline=True))
    )
    if whole < rows and not list(_about_swallowed(path, replace(written, multiline=True))):
        yield _only(
            "",
            f"quoted fields span lines, and {rows - whole} of these are read as rows",
            "leave multiline=False out",
        )


def _about_swallowed(path: Path, written: TextFormat) -> Iterator[Checked]:
    table = open_csv(path, written)
    names = table.column_names() or ()
    entries = {
        name: [x for block in table.entries(i) for x in block] for i, name in enumerate(names)
    }
    yield from _swallowed(entries, table.separator, len(names))


def _about_rows(table: CsvTable, written: TextFormat, column: str | None) -> Iterator[Checked]:
    names = table.column_names() or tuple(
        f"column_{i + 1}" for i in range(max(1, table.fields_of_first(_FIRST)))
    )
    blank = sum(not name.strip() for name in names)
    spaced = [name for name in names if name != name.strip() and name.strip()]
    if spaced:
        what = f"blanks are part of the names, such as {spaced[0]!r}"
        yield _only("", what, "name the columns with their blanks, or write the names anew")
    if blank:
        yield _only("", f"{blank} columns have a blank name", "name those that you ask for")
    chosen = [name for name in names if name.strip() and names.count(name) == 1]
    if column is not None:
        table.column_type(column)
        chosen = [column]
    entries = {name: [x for block in table.entries(name) for x in block] for name in chosen}
    yield from _blank(entries, column)
    yield from _swallowed(entries, table.separator, len(names))
    beyond = sum(bool(x.strip()) for block in table.entries(len(names)) for x in block)
    if beyond:
        yield _only(
            "",
            f"{beyond} rows have more fields than there are names: a separator inside an entry "
            "without quotes moves what follows into the next column",
            "have such entries quoted by a CSV writer",
        )
    dialect = written.dialect
    reports = {name: check_entries(name, found, dialect) for name, found in entries.items()}
    numeric = [
        name
        for name, found in reports.items()
        if found.columns[0].numbers > _MOSTLY * (len(entries[name]) - found.columns[0].missing) > 0
    ]
    heads = _heads(entries, numeric, dialect)
    if heads:
        option = "skip_after_header" if written.header else "skip_rows"
        lines = heads if written.header else heads + written.skip_rows
        yield _only(
            "",
            f"{_lines(heads)} below the names and no row, such as units or a second line of names",
            f"give {option}={lines}",
            {option: lines},
        )
        entries = {name: found[heads:] for name, found in entries.items()}
        reports = {name: check_entries(name, found, dialect) for name, found in entries.items()}
    yield from _feet(entries, numeric)
    yield from reports.values()


def _lines(count: int) -> str:
    return f"{count} lines stand" if count > 1 else "one line stands"


def _only(where: str, what: str, cure: str, options: dict[str, Any] | None = None) -> Checked:
    return Checked(findings=(Finding(where, what, cure, options or {}),))


def _blank(entries: dict[str, list[str]], column: str | None) -> Iterator[Checked]:
    """Rows between others that hold nothing."""
    rows = [] if column is not None else list(zip(*entries.values(), strict=True))
    filled = [any(entry.strip() for entry in row) for row in rows]
    last = len(filled) - next((i for i, full in enumerate(reversed(filled)) if full), 0)
    blank = filled[:last].count(False)
    if blank:
        yield _only(
            "",
            f"{'one line is' if blank == 1 else f'{blank} lines are'} blank but for separators: "
            "each counts as a row",
            f"keep the others with ~ln.col({next(iter(entries))!r}).is_missing(), or cut them out",
        )


def _swallowed(entries: dict[str, list[str]], separator: str, columns: int) -> Iterator[Checked]:
    """Rows that a quote has taken into one field."""
    lost, longest = 0, 0
    for found in entries.values():
        for entry in found:
            inner = entry.splitlines()[1:]
            rows = sum(columns > 1 and line.count(separator) >= columns - 1 for line in inner)
            lost, longest = lost + rows, max(longest, rows)
    if lost:
        yield _only(
            "",
            f"{lost} lines that look like rows are inside a quoted field, up to {longest} in one: "
            "a quote is opened and not closed, and the rows are swallowed",
            "have the file written by a CSV writer, or give multiline=False where no field spans "
            "lines",
            {"multiline": False},
        )


def _heads(entries: dict[str, list[str]], numeric: Sequence[str], dialect: Any) -> int:
    """How many of the first rows hold words where a column holds numbers, or what no other row
    holds where it holds few labels."""
    told: list[list[bool]] = []
    for name, found in entries.items():
        firsts = [entry.strip() for entry in found[:_HEADS]]
        counts = Counter(entry.strip() for entry in found)
        if name in numeric:
            told.append([_is_word(entry, dialect) for entry in firsts])
        elif len(counts) * _FEW_LABELS <= len(found):
            told.append([bool(entry) and counts[entry] == 1 for entry in firsts])
    rows = zip(*told, strict=False)
    return sum(1 for _ in takewhile(lambda row: 2 * sum(row) > len(row), rows))


def _is_word(text: str, dialect: Any) -> bool:
    missing = not text or text in dialect.absent.texts
    return not missing and isnan(dialect.number(text)) and not looks(text)


def _feet(entries: dict[str, list[str]], numeric: Sequence[str]) -> Iterator[Checked]:
    """Rows at the end that are sources, notes or totals."""
    if len(entries) < 2:
        return
    rows = list(zip(*(found[-_FEET:] for found in entries.values()), strict=True))
    filled = [sum(bool(entry.strip()) for entry in row) for row in rows]
    feet = next((i for i, n in enumerate(reversed(filled)) if n > 1), len(rows))
    noted = [row for row in rows[len(rows) - feet :] if any(entry.strip() for entry in row)]
    if noted and feet < len(rows):
        text = next(entry.strip() for entry in noted[0] if entry.strip())
        name = (numeric or list(entries))[-1]
        yield _only(
            "",
            f"notes stand below the rows, such as {text[:60]!r}: the last {feet} count as rows too",
            f"cut them off, or keep the others with ~ln.col({name!r}).is_missing()",
        )
    last = rows[len(rows) - feet - 1] if feet < len(rows) else ()
    if any(_TOTALS.fullmatch(entry.strip()) for entry in last):
        yield _only("", "the last row is a total of the others", "cut it off: it counts as a row")
