"""What stands above the rows of a text file: lines that do not count, and a line of names.

Two things are taken from there and from nowhere else: the names, and how lines end. A file without
a line of names has neither, so nothing that it holds decides how it is read.

Nothing of a first line is shown that may be more than names. With a wrong encoding, or line ends of
another kind, the first line may be the whole file: a long line and one of characters that no name
has are never shown, nor is anything about them told. A line without an end is that of a table
without rows, which is as good as another, and is shown where nothing in it could be a line end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from leastnoise.errors import SchemaError
from leastnoise.frames.readers.encodings import others_than
from leastnoise.frames.readers.fields import fields_of
from leastnoise.frames.readers.options import TextFormat
from leastnoise.frames.readers.text_file import TextFile
from leastnoise.frames.readers.values import Dialect

LONGEST_LINE = 1 << 20
"""A longer first line holds no names."""

_LONGEST_NAME = 1000
_LINE_END = re.compile(r"\r?\n|\r(?=[^\n])")
_SPLIT = re.compile(r"[,;\t|]")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MONEY = r"(?:eur|usd|gbp|chf|jpy|cny|inr|cad|aud|sek|nok|dkk|pln|czk)"
# What a person's record holds and a header seldom: digits and signs, beside which stand no letters
# but those of a time, a currency or a month; a mail address.
_SIGNS = r"[\s\d.,:/'+()%$€£¥-]"
_DATA = re.compile(
    rf"{_MONEY}?{_SIGNS}*\d(?:{_SIGNS}|t(?=\d)|(?<=\d)z$)*{_MONEY}?"
    rf"|{_SIGNS}*{_MONTH}[\s.,-]+\d{_SIGNS}*|.*@.*",
    re.IGNORECASE | re.DOTALL,
)
# The same where it is part of a field: lines of JSON, HTML, a log, or names with their values.
_HELD = re.compile(
    r"^\s*(?:\{\s*[\"']|\[\s*[\[{\"'\d]|</?[a-z!])|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b\d{1,2}:\d\d:\d\d"
    r"|\b\d{4}-\d\d-\d\d|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}[-/]\w{3}[-/]\d{2,4}"
    r"|^\W*\w+[\"']?\s*(?::\s*[\"']?|=\s*[\"'])[-+]?\d[\d.,]*\W*$|^\s*(?:\w+\s*[:=]\s*\S+\s+)+\w+\s*[:=]\s*\S+$",
    re.IGNORECASE,
)
_LONGEST_ENTRY = 100  # longer entries are questions of a survey, not data
_WORDS = re.compile(r"[\w .()/%-]*")


class Doubt(Enum):
    """Why the names of a first line are not shown."""

    NONE = ""
    DATA = (
        "the first line may be data: one of its entries is a number or a date, so they are not "
        "shown"
    )
    READING = (
        "no names are known: the first line has no end, is very long or holds characters that no "
        "name has, so it is not shown"
    )


@dataclass(frozen=True, slots=True)
class Header:
    r"""What is known of a text file before a row is read.

    Parameters
    ----------
    names
        The fields of the line of names; none without one.
    length
        How much of the text stands above the first row.
    line_end
        How lines end: ``"\n"``, after a carriage return or not, or ``"\r"`` alone. As the first
        line does; without a line that is not a row, ``"\n"``.
    doubt
        Why the names may be shown to nobody.
    """

    names: tuple[str, ...]
    length: int
    line_end: str
    doubt: Doubt = Doubt.NONE


def read_header(file: TextFile, written: TextFormat, separator: str) -> Header:
    """Read the lines above the rows, and no row.

    Raises
    ------
    SchemaError
        If there is no line of names where there must be one, or if it is not of this encoding, or
        if a quote in it is not closed.
    """
    if not written.header and not written.skip_rows:
        return Header((), 0, "\n")
    with file.pieces() as pieces:
        end = _line_end(pieces)
    length, skipped, below = 0, 0, 0
    found: Header | None = None
    with file.pieces() as pieces:
        for line, size, ended in _lines(pieces, end):
            if found is not None and below == written.skip_after_header:
                break
            length += size
            if found is not None:
                below += 1
                continue
            if skipped < written.skip_rows:
                skipped += 1
                if written.header or skipped < written.skip_rows:
                    continue
                break
            counts = line.strip("\r\n") and not _starts(line, written.comment)
            if counts and written.header:
                names, doubt = _names(file, line.removesuffix("\r"), ended, separator, written)
                found = Header(names, length, end, doubt)
    if found is not None:
        return replace(found, length=length)
    if not written.header:
        return Header((), length, end)
    where = f" below its first {written.skip_rows} lines (skip_rows)" if written.skip_rows else ""
    if written.comment is not None:
        where += f" that does not start with {written.comment!r} (comment)"
    raise SchemaError(
        f"{file.path} has no line of column names{where}; at least one is needed"
        if where
        else f"{file.path} is empty; it needs at least a line of column names"
    )


def _line_end(pieces: Iterable[str]) -> str:
    """How the first line ends."""
    held = ""
    for piece in pieces:
        found = _LINE_END.search(held + piece)
        if found is not None:
            return found[0][-1]
        if piece:
            held = "\r" if piece.endswith("\r") else ""
    return held or "\n"


def _lines(pieces: Iterable[str], end: str) -> Iterator[tuple[str, int, bool]]:
    """Each line without its end, and no more of it than tells that it is too long; how much of the
    text it takes; and whether it has an end."""
    line, size = "", 0
    for piece in pieces:
        *ended, rest = piece.split(end)
        for part in ended:
            yield (line + part)[: LONGEST_LINE + 1], size + len(part) + 1, True
            line, size = "", 0
        line, size = (line + rest)[: LONGEST_LINE + 1], size + len(rest)
    if size:
        yield line, size, False


def _starts(line: str, comment: str | None) -> bool:
    return comment is not None and line.startswith(comment)


def _names(
    file: TextFile, line: str, ended: bool, separator: str, written: TextFormat
) -> tuple[tuple[str, ...], Doubt]:
    """The names of a line, and why they may not be shown."""
    if len(line) > LONGEST_LINE:
        return (), Doubt.READING
    names = fields_of(line, separator)
    if not ended and not _are_words(names, line, written.encoding):  # it may be the whole file
        return tuple(names or ()), Doubt.READING
    if "\0" in line:
        raise SchemaError(
            f"{file.path}: the header holds zero bytes, as UTF-16 does; give encoding='utf-16', or "
            "'utf-16-le' or 'utf-16-be' where the file has no byte order mark"
        )
    if any(map(_controls(written.encoding).__contains__, line.replace(separator, ""))):
        raise SchemaError(
            f"{file.path}: the header is not in the encoding {written.encoding!r}; "
            f"{others_than(written.encoding)}"
        )
    if names is None:
        raise SchemaError(
            f"{file.path}: a quote in the header is not closed on its line; put all names on the "
            "first line, or give header=False and skip_rows= as many lines as the names take"
        )
    if any(unicodedata.category(c) in ("Cn", "Co", "Cs") for c in line) or any(
        len(name) > _LONGEST_NAME for name in names
    ):
        return tuple(names), Doubt.READING
    parts = names[0].split() if len(names) == 1 else []  # of a line that blanks may part
    data = any(_looks_like_data(name, written.dialect) for name in names) or any(
        looks_like_number(part, written.dialect) for part in parts
    )
    return tuple(names), Doubt.DATA if data else Doubt.NONE


def _are_words(names: list[str] | None, line: str, encoding: str) -> bool:
    """Whether names hold letters, digits and such, in an encoding that they show to be right."""
    right = line.isascii() or encoding == "utf-8-sig"  # bytes of another are hardly ever UTF-8
    return (
        names is not None
        and right
        and all(len(name) <= _LONGEST_ENTRY and _WORDS.fullmatch(name) for name in names)
    )


def _controls(encoding: str) -> frozenset[str]:
    """Characters of lines that are not of this encoding.

    Where line ends are bytes of their own in every encoding that is alike, as in ASCII, a line that
    ends is a line, and letters of another such encoding do no harm.
    """
    alike = b"a,\n".decode(encoding, "replace") == "a,\n"
    known = {*map(chr, range(32)), "\x7f", "\ufffd"} - {"\t"}
    return frozenset(known if alike else {*known, *map(chr, range(128, 160))})


def looks_like_number(name: str, dialect: Dialect) -> bool:
    """Whether a name is a number."""
    return not (np.isnan(Dialect().number(name)) and np.isnan(dialect.number(name)))


def _looks_like_data(name: str, dialect: Dialect) -> bool:
    """Whether a name is a number, a date, an amount or an address, or holds one between signs."""
    return _HELD.search(name[:_LONGEST_NAME]) is not None or any(
        looks_like_number(entry, dialect)
        or (len(entry) <= _LONGEST_ENTRY and _DATA.fullmatch(entry.strip()) is not None)
        for entry in (name, *_SPLIT.split(name))
    )
