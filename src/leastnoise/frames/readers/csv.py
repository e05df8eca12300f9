"""CSV and TSV files, gzipped or not, read as a stream of text; no type is guessed.

What a record is stands in ``records``, what the first line tells in ``header``. Both depend on
declared options and on the line of names, never on a row: one field that is changed, and written by
the rules of CSV, changes its own record and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames.contract import Run, settled
from leastnoise.frames.memory.labels import run_codes, run_values
from leastnoise.frames.memory.summarise import marked
from leastnoise.frames.readers.fields import RecordRule, fields, records_of, written_records_of
from leastnoise.frames.readers.header import Doubt, looks_like_number, read_header
from leastnoise.frames.readers.options import TextFormat
from leastnoise.frames.readers.text_file import TextFile
from leastnoise.frames.readers.times import marked as times_marked
from leastnoise.frames.readers.times import of_entries
from leastnoise.frames.table import Table, check_reach, find_column, list_names
from leastnoise.summaries.columns import Clock, Column, ColumnType, Reading

_OTHERS = frozenset(";\t|")
_COMMENTS = ("#", "%", "//")
_PLACE = re.compile(r"column_([1-9]\d{0,8})", re.ASCII)
_UNNAMED = "a file without a header has the columns 'column_1', 'column_2', ..."


class CsvTable(Table):
    """NOT PRIVATE: a text file of records; every column has kind "text" and may miss values."""

    __slots__ = ("_clocks", "_file", "_format", "_header", "_rows", "_rule", "separator")

    def __init__(self, path: Path, written: TextFormat) -> None:
        """Read the header; `open_csv` checks the names."""
        self._format = written = written.of(path)
        self.separator = separator = written.separator or ","
        told = written.header or written.skip_rows > 0
        self._file = TextFile(path, written.encoding, by_content=told)
        self._header = head = read_header(self._file, written, separator)
        self._rule = RecordRule(
            separator,
            head.line_end,
            written.comment,
            written.multiline,
            short_last=self._may_be_blank,
        )
        self._clocks: dict[int, Clock] = {}
        self._rows: int | None = None  # known after the first pass over the file

    @property
    def _may_be_blank(self) -> bool:
        """Whether rows may have one field, so that a blank line is one whose entry is missing."""
        return len(self._header.names) < 2

    @property
    def hides_row_count(self) -> bool:
        """Whether what a row holds may decide whether it is one, so that their number is private.

        Where the last line of the text has no end, a single field that is missing leaves nothing
        of its row.
        """
        return self._format.comment is not None or self._may_be_blank

    @property
    def names_are_public(self) -> bool:
        """Whether the names come from a line of names, so that nothing of a row is in them."""
        return self._format.header and self._header.doubt is Doubt.NONE

    def check_reach(self) -> None:
        """Open the file."""
        check_reach(self._file.path)

    def column_names(self) -> tuple[str, ...]:
        """Give the names of the header, unless they may be more than names; none without one."""
        return () if self._header.doubt is Doubt.READING else self._header.names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type of every column: text that may be missing."""
        if self._find(name) in self._clocks:
            return ColumnType(name, "text", Reading.INTEGER, nullable=True)
        kind = ColumnType(name, "text", Reading.ENTRIES, nullable=True)
        return self._format.dialect.absent.typed(kind)

    def column(self, name: str | None) -> Column:
        """Read one column in blocks; a record too short to have it is missing there."""
        clock = self._clocks.get(self._find(name))
        if clock is not None:
            times, gone = of_entries(self._runs(name), clock)
            absent = times_marked(times, clock, self._format.dialect.absent)
            self._rows = len(times)
            gone = gone if absent is None else gone | absent
            return settled(self.column_type(name), times, gone)
        blocks = map(self._format.dialect.texts, self._blocks(self._find(name)))
        values = np.concatenate([np.empty(0), *blocks])
        missing = marked(values, self._format.dialect.absent)
        if missing is not None:
            values[missing] = np.nan
        self._rows = len(values)
        return Column(self.column_type(name), values, None)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type of every column: text that may be missing."""
        if self._find(name) in self._clocks:
            raise ColumnTypeError(
                f"column {name!r} is read as {self._clocks[self._find(name)].value} in this "
                "release, not as text"
            )
        return self.column_type(name)

    def stand_ins(self, name: str | None) -> frozenset[str]:
        """Those declared, or the usual ones."""
        return self._format.dialect.absent.texts | self._format.dialect.absent.written

    def clocked(self, clocks: Mapping[str | None, Clock]) -> CsvTable:
        """This file with some columns read by their clocks."""
        other = copy(self)
        new = {self._find(name): clock for name, clock in clocks.items()}
        other._clocks = {**self._clocks, **new}
        return other

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare the fields of one column; a record too short to have it is missing there."""
        codes = run_codes(self._runs(name), labels, self._format.dialect, numbers=True)
        self._rows = len(codes)
        return codes

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the fields of one column; a record too short to have it is missing there."""
        return self.text_values(name)[0]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the fields of one column, and tell their texts."""
        codes, texts = run_values(self._runs(name), self._format.dialect, numbers=True)
        self._rows = len(codes)
        return codes, texts

    def row_count(self) -> int:
        """Count the records, which may be fewer than the lines."""
        if self._rows is None:
            self._rows = sum(map(len, self._blocks(0)))
        return self._rows

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        names = self._header.names if self.names_are_public else ()
        return f"CsvTable({list_names(names, found='columns')}, NOT PRIVATE)"

    def records(self) -> Iterator[list[str]]:
        """NOT PRIVATE: all fields of every row, of a file that fits in memory."""
        return records_of(self._whole(), self._rule)

    def written_records(self) -> Iterator[list[str]]:
        """NOT PRIVATE: the same with the quotes around fields."""
        return written_records_of(self._whole(), self._rule)

    def _whole(self) -> str:
        with self._file.pieces() as pieces:
            return "".join(_below(pieces, self._header.length))

    def _find(self, name: str | None) -> int:
        """The position of a column: found by the names alone, whatever the rows are."""
        if not isinstance(name, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            return find_column(name, ())  # which refuses it
        if not self._format.header:
            if name is None:
                raise SchemaError(f"a column must be named; {_UNNAMED}")
            place = _PLACE.fullmatch(name)
            if place is None:
                raise SchemaError(f"there is no column {name!r}; {_UNNAMED}")
            return int(place[1]) - 1
        names, doubt = self._header.names, self._header.doubt
        known = 0 if name is None or not name.strip() else names.count(name)
        if doubt is Doubt.NONE or known == 1 or (doubt is Doubt.DATA and known):
            return find_column(name, names, hint="" if known == 1 else self._hint())
        asked = f"there is no column {name!r}"
        if name is None:
            asked = "a column must be named"
        raise SchemaError(f"{asked}, and {doubt.value}{self._hint()}")

    def _hint(self) -> str:
        """What else the first line may be."""
        encoding = f"; is the encoding {self._format.encoding!r}? If not, give encoding="
        if self._header.doubt is Doubt.READING:
            return f"{encoding}; if its line ends are those of an old system, write the file again"
        hint = (
            "; no header? If the first line holds no names, give header=False; if they are on a "
            "later line, give skip_rows="
        )
        names = self._header.names
        if names[0].startswith(("{", "[{")):
            return "; is the file JSON? Then give the frame of pandas.read_json(path, lines=True)"
        sign = next((x for x in _COMMENTS if names[0].startswith(x)), None)
        if sign is not None and self._format.comment is None:
            hint += f", or comment={sign!r} for lines that start so"
        if len(names) == 1 or any(set(other) & _OTHERS for other in names):
            hint += f"; is {self.separator!r} the separator? If not, give separator="
        return hint if all(map(str.isascii, names)) else hint + encoding

    def _runs(self, name: str | None) -> Iterator[Run]:
        return ((block, None) for block in self._blocks(self._find(name)))

    def _blocks(self, position: int) -> Iterator[list[str]]:
        with self._file.pieces() as pieces:
            yield from fields(_below(pieces, self._header.length), self._rule, position)


def _below(pieces: Iterator[str], length: int) -> Iterator[str]:
    """A text without its beginning."""
    for piece in pieces:
        if length < len(piece):
            yield piece[length:]
        length = max(0, length - len(piece))


def open_csv(path: Path, written: TextFormat) -> CsvTable:
    """Open a text file and check its header; no record is looked at.

    Parameters
    ----------
    path
        The file; gzipped if its first bytes say so or, without a header, its name.
    written
        How it is written.

    Raises
    ------
    SchemaError
        If the file cannot be read; with a header, if it is empty, or if its first line looks like
        data or like a line with another separator.
    """
    table = CsvTable(path, written)
    names = table.column_names()  # of a first line that may be anything none are given
    if written.separator is None and len(names) == 1:
        for other, shown in ((";", "';'"), ("\t", "'\\t'"), ("|", "'|'"), (",", "','")):
            if other in names[0] and other != table.separator:
                raise SchemaError(
                    f"{path}: the header has one column, with {shown} in its name; give "
                    f"separator={shown}, or the separator that the file has; if this line is a "
                    "title above the names, give skip_rows="
                )
    filled = [name for name in names if name.strip()]
    if filled and all(looks_like_number(name, written.dialect) for name in filled):
        raise SchemaError(
            f"{path}: no header? All entries of the first line are numbers, and not shown; if it "
            "is data, give header=False; if the names are on a later line, give skip_rows=; if "
            "it holds names, rename one of them"
        )
    return table
