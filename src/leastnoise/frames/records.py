"""Lines of text into records, by the ``csv`` module and by an equal splitter without its limit.

The ``csv`` module raises on a field longer than a limit that the whole process shares. One stray
quote is enough to reach it, so the error would depend on the data; and the limit is not ours to
raise. `careful_fields` reads what `fields` reads, record by record, keeps one field only, and of
that no more than could be a number: its memory is bounded by the longest line.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from leastnoise.frames.values import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def records(
    lines: Iterable[str], separator: str, comment: str | None = None
) -> Iterator[list[str]]:
    """Yield the records that are neither blank lines nor comments.

    Raises
    ------
    csv.Error
        If a field is longer than the limit of the ``csv`` module.
    """
    if comment is None:
        return filter(None, _reader(lines, separator))
    return _uncommented(lines, separator, comment)


def _uncommented(lines: Iterable[str], separator: str, comment: str) -> Iterator[list[str]]:
    begins = True  # the reader asks for a line to begin a record, or else to go on with one

    def kept() -> Iterator[str]:
        nonlocal begins
        for line in lines:
            if not (begins and line.startswith(comment)):
                begins = False
                yield line

    for record in _reader(kept(), separator):
        if record:
            yield record
        begins = True


def _reader(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    return csv.reader(
        lines,
        delimiter=separator,
        quotechar='"',
        doublequote=True,
        escapechar=None,
        skipinitialspace=False,
        quoting=csv.QUOTE_MINIMAL,
        strict=False,
    )


def fields(
    lines: Iterable[str], separator: str, position: int, comment: str | None = None
) -> Iterator[str]:
    """Yield the field at ``position`` of every record, "" where the record is too short.

    Raises
    ------
    csv.Error
        If a field is longer than the limit of the ``csv`` module.
    """
    for record in records(lines, separator, comment):
        yield record[position] if position < len(record) else ""


def careful_fields(
    lines: Iterable[str], separator: str, position: int, comment: str | None = None
) -> Iterator[str]:
    """Yield what `fields` yields, "" for a field that is too long to be a number; never raises."""
    field = _Field(position)
    quoted = False
    for line in lines:
        if not quoted:
            if not line.strip("\r\n") or (comment is not None and line.startswith(comment)):
                continue
            field = _Field(position)
        quoted = _scan(line, separator, field, quoted)
        if not quoted:
            yield field.text()
    if quoted:  # the file ends inside a quoted field
        yield field.text()


def ends_quoted(lines: Iterable[str], separator: str) -> bool:
    """Whether the lines end inside a quoted field, so that the last record is not whole."""
    quoted = False
    for line in lines:
        if quoted or line.strip("\r\n"):
            quoted = _scan(line, separator, _Field(0), quoted)
    return quoted


class _Field:
    """The one field of a record that is kept, while the record is read."""

    __slots__ = ("_length", "_parts", "_position", "index")

    def __init__(self, position: int) -> None:
        self.index = 0  # of the field being read
        self._position = position
        self._parts: list[str] = []
        self._length = 0

    def add(self, part: str) -> None:
        if self.index == self._position and self._length <= LONGEST:
            self._parts.append(part)
            self._length += len(part)

    def text(self) -> str:
        return "" if self._length > LONGEST else "".join(self._parts)


def _scan(line: str, separator: str, field: _Field, quoted: bool) -> bool:
    """Read one line of a record; True if it ends inside quotes, so that the record goes on."""
    end = len(line.rstrip("\r\n"))
    at = 0
    while True:
        if not quoted and line.startswith('"', at):
            quoted = True
            at += 1
        while quoted:
            quote = line.find('"', at)
            if quote < 0:
                field.add(line[at:])
                return True
            field.add(line[at:quote])
            at = quote + 1
            quoted = line.startswith('"', at)  # a doubled quote stands for one
            if quoted:
                field.add('"')
                at += 1
        stop = line.find(separator, at, end)
        if stop < 0:
            field.add(line[at:end])
            return False
        field.add(line[at:stop])
        field.index += 1
        at = stop + 1
