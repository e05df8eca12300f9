"""NOT PRIVATE. What a text file is before it has rows: its encoding, separator, titles, names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice, takewhile
from pathlib import Path

from leastnoise.errors import LeastNoiseError, SchemaError
from leastnoise.frames.checks.entries import Meant
from leastnoise.frames.checks.extra_rows import lines_stand
from leastnoise.frames.checks.multiples import told_units
from leastnoise.frames.checks.report import Checked, Finding, merged
from leastnoise.frames.checks.rows import COMMENTS, check_rows
from leastnoise.frames.checks.scripts import check_encoding
from leastnoise.frames.readers.csv import open_csv
from leastnoise.frames.readers.fields import fields_of
from leastnoise.frames.readers.header import looks_like_number
from leastnoise.frames.readers.options import TextFormat
from leastnoise.frames.readers.text_file import TextFile
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries.predicates import Predicate

_SEPARATORS = {",": "','", ";": "';'", "\t": "'tab'", "|": "'|'"}
_NAMED_VALUES = re.compile(
    r"\s*[^\W\d]\w*\s*=[^=;,|]*(?:[;,|\t ]\s*[^\W\d]\w*\s*=[^=;,|]*)+[;,|]?\s*"
)
_FIRST = 50  # lines that are looked at for a title and a separator
_TOLD = re.compile(r"\s*\"?sep=([,;|\t])\"?\s*", re.IGNORECASE)
_MARKUP = re.compile(r"\s*(?:<(?:!doctype|html|\?xml|table)|[\[{]\s*(?:[\[{\"]|$))", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]{2,}")
_SHOWN = 40
_HEADED = 3  # a line of groups, a line of names, a row
_RARE = "^~:\u00a6\x01\x1f"


def check_text_file(
    path: Path,
    written: TextFormat,
    column: str | None,
    meant: Meant = "",
    where: Predicate | None = None,
) -> Checked:
    """What stands in a text file. What one finding would fix is fixed before the next is sought, so
    that one report tells all of them.
    """
    found: list[Finding] = []
    try:
        for finding, corrected in _about_lines(path, written):
            found.append(finding)
            written = corrected
        table = open_csv(path, written)
        other = open_csv(path, replace(written, multiline=True)) if not written.multiline else None
        reports = list(check_rows(table, written, column, other, meant, where))
    except LeastNoiseError as error:
        if not found and isinstance(error, SchemaError) and column is not None:
            raise  # a column that is not there
        return Checked(findings=(*found, Finding("", str(error), "fix that first, then check")))
    return merged([Checked(findings=tuple(found)), *reports])


def _about_lines(path: Path, written: TextFormat) -> Iterator[tuple[Finding, TextFormat]]:
    """What is seen before there are columns, each with the format that would fix it."""
    for finding, corrected in check_encoding(path, written):
        written = corrected
        yield finding, written
    with TextFile(path, written.encoding).pieces() as pieces:
        first = "".join(islice(pieces, 1)).splitlines()[:_FIRST]
    told = _TOLD.fullmatch(first[written.skip_rows]) if first[written.skip_rows :] else None
    if told is not None and written.separator is None:
        skipped = written.skip_rows + 1
        options = {"separator": told[1], "skip_rows": skipped}
        what = f"the first line tells spreadsheets that fields are separated by {told[1]!r}"
        written = replace(written, separator=told[1], skip_rows=skipped)
        cure = f"give separator={told[1]!r} and skip_rows={skipped}"
        yield Finding("", what, cure, options), written
    for finding in told_units(first[: written.skip_rows]):
        yield finding, written
    lines = first[written.skip_rows :]
    if lines and _MARKUP.match(lines[0]):
        what = f"the file begins like HTML, XML or JSON, {lines[0][:_SHOWN]!r}: it is no text table"
        yield Finding("", what, "write its rows as CSV"), written
        return
    if len(lines) > _HEADED and all(map(_NAMED_VALUES.fullmatch, filter(str.strip, lines[1:]))):
        what = f"each line holds names with their values, such as {lines[1][:_SHOWN]!r}"
        yield Finding("", what, "write its rows as CSV, with the names on the first line"), written
        return
    if lines and written.header and lines[0].count('"') % 2:
        what = f"a quote in the line of names is not closed on it, {lines[0][:_SHOWN]!r}"
        count = _lines_of_names(lines)
        skipped = written.skip_rows + count
        cure = (
            "write all names on one line, or, to ask by place for column_1, column_2, ..., give "
            f"header=False and skip_rows={skipped}"
        )
        written = replace(written, header=False, skip_rows=skipped, skip_after_header=0)
        yield Finding("", what, cure, {"header": False, "skip_rows": skipped}), written
        lines = [" ".join(lines[:count]), *lines[count:]]
    separator = written.of(path).separator or ","
    other = _separator(lines, separator)
    if other is not None:
        shown = _SEPARATORS.get(other, repr(other))
        cure = f"give separator={shown}"
        if written.separator is not None:
            cure += f" in place of {_SEPARATORS.get(separator, repr(separator))}"
        written = replace(written, separator=other)
        separator = other
        what = f"fields are separated by {shown}"
        yield Finding("", what, cure, {"separator": "tab" if other == "\t" else other}), written
    elif _parted_by_blanks(lines, separator):
        if any(map(_BLANKS.search, lines)):
            what, options = "fields are separated by several blanks, so each line is one field", {}
            cure = "write the file as CSV: columns of fixed widths are not read"
        else:
            what, options = "fields are separated by blanks", {"separator": " "}
            cure = "give separator=' '"
            written, separator = replace(written, separator=" "), " "
        yield Finding("", what, cure, options), written
    titles = (
        _titles(lines, separator)
        or int(_line_of_groups(lines, separator))
        or _comments_above(lines, separator)
    )
    if titles and written.header:
        skipped = written.skip_rows + titles
        what = f"{lines_stand(titles)} above the names, such as {lines[0][:60]!r}"
        written = replace(written, skip_rows=skipped)
        yield Finding("", what, f"give skip_rows={skipped}", {"skip_rows": skipped}), written
        for finding in told_units(lines[:titles]):
            yield finding, written


def _lines_of_names(lines: Sequence[str]) -> int:
    """How many lines there are until every quote is closed; one where that is never."""
    quotes = accumulate(line.count('"') for line in lines)
    return next((i for i, n in enumerate(quotes, 1) if n % 2 == 0), 1)


def _parted_by_blanks(lines: Sequence[str], separator: str) -> bool:
    """Whether the names have no separator, and every line as many words as there are names, or one
    more, as where R writes names of rows.
    """
    full = [line for line in lines if line.strip()]
    if len(full) < _HEADED or any(separator in x for x in full):
        return False
    names, *widths = (len(line.split()) for line in full)
    return names > 1 and ({*widths} == {names} or {*widths} == {names + 1})


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
        for sign in (*_SEPARATORS, *_RARE)
        if sign in names and len({len(fields_of(line, sign) or ()) for line in full}) == 1
    ]
    return max(alike, key=names.count, default=None) if len(full) > 1 else None


def _line_of_groups(lines: Sequence[str], separator: str) -> bool:
    """Whether the first line has names for some fields only, and the second has one for each."""
    if len(lines) < _HEADED:
        return False
    above, names, row = (fields_of(line, separator) or [] for line in lines[:_HEADED])
    after = lines[_HEADED : 2 * _HEADED]
    shorter = len(above) < len(names) and all(
        len(fields_of(x, separator) or []) == len(row) for x in after
    )
    filled = sum(bool(x.strip()) for x in above)
    words = all(x.strip() and not looks_like_number(x, Dialect()) for x in names)
    numbers = any(looks_like_number(x, Dialect()) for x in row)
    alike = filled < len(above) == len(names) or (shorter and bool(after))
    return alike and len(names) == len(row) and words and numbers and len(names) > 1


def _comments_above(lines: Sequence[str], separator: str) -> int:
    """How many comments stand above a line of names and one with numbers."""
    count = sum(1 for _ in takewhile(lambda line: line.startswith(COMMENTS), lines))
    if not count or len(lines) < count + 2:
        return 0
    names, row = (fields_of(line, separator) or [] for line in lines[count : count + 2])
    named = not any(looks_like_number(x, Dialect()) for x in names) and all(map(str.strip, names))
    numbers = any(looks_like_number(x, Dialect()) for x in row)
    return count if named and numbers and len(names) == len(row) else 0


def _titles(lines: Sequence[str], separator: str) -> int:
    """How many lines stand above the first of as many fields as most have; blank fields at the end
    of a title, as spreadsheets write them, are none of it.
    """
    found = [fields_of(line, separator) or [] for line in lines]
    most = Counter(len(fields) for fields in found if len(fields) > 1).most_common(1)
    if not most or most[0][1] < 3:
        return 0
    width = most[0][0]
    held = [max((i + 1 for i, x in enumerate(fields) if x.strip()), default=0) for fields in found]
    full = next((i for i, n in enumerate(held) if len(found[i]) == width and 2 * n > width), 0)
    return full if all(2 * n <= width for n in held[:full]) else 0
