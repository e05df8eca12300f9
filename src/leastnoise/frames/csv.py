"""CSV and TSV files, gzipped or not, read as a stream of text; no type is guessed.

A record is what the ``csv`` module of Python calls one: quoted fields may hold separators and line
ends; a line with nothing on it is no record, nor is a declared comment. Bytes that the encoding
does not know become replacement characters, so they make a field missing and never an error.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
import zlib
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.errors import SchemaError
from leastnoise.frames.labels import run_codes, run_values
from leastnoise.frames.records import careful_fields, ends_quoted, fields, records
from leastnoise.frames.table import find_column, list_names, raise_alone
from leastnoise.frames.text_format import TextFormat
from leastnoise.frames.values import Dialect
from leastnoise.summaries.columns import Column, ColumnType, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from leastnoise.frames.contract import Run

    _Split = Callable[[Iterable[str], str, int, str | None], Iterator[str]]

CHUNK = 1 << 13
_OTHERS = frozenset(";\t|")
_SPLIT = re.compile(r"[,;\t|]")
_COMMENTS = ("#", "%", "//")
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
_LONGEST = 100  # longer entries are questions of a survey, not data
_PLACE = re.compile(r"column_([1-9]\d{0,8})", re.ASCII)


class CsvTable:
    """NOT PRIVATE: a text file of records; every column has kind "text" and may miss values."""

    __slots__ = ("_dialect", "_format", "_header", "_names", "_path", "_rows", "separator")

    def __init__(self, path: Path, written: TextFormat) -> None:
        """Read the header; `open_csv` checks the names."""
        self._path = path
        self._format = written = written.of(path)
        self.separator = written.separator or ","
        self._header = written.header
        self._dialect = written.dialect
        self._rows: int | None = None  # known after the first pass over the file
        self._names = self._read_names()

    @property
    def drops_rows(self) -> bool:
        """Whether lines are left out by what they hold, so that the number of rows is private."""
        return self._format.comment is not None

    @property
    def doubtful(self) -> bool:
        """Whether the first line may be a record: an entry is a number, a date or the like.

        No error shows its entries then, because they may be the first person's.
        """
        return self._header and any(_looks_like_data(x, self._dialect) for x in self._names)

    @property
    def names_are_public(self) -> bool:
        """Whether the names come from a line of names, so that nothing of a record is in them."""
        return self._header and not self.doubtful

    def column_names(self) -> tuple[str, ...]:
        """Give the names of the header; column_1, column_2, ... if there is none."""
        return self._names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type of every column: text that may be missing."""
        position = self._find(name)
        found = self._names[position] if self._header else name
        return ColumnType(found, "text", Reading.ENTRIES, nullable=True)

    def column(self, name: str | None) -> Column:
        """Read one column in chunks; a record too short to have it is missing there."""
        blocks = map(self._dialect.texts, self._blocks(self._find(name)))
        values = np.concatenate([np.empty(0), *blocks])
        self._rows = len(values)
        return Column(self.column_type(name), values, None)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type of every column: text that may be missing."""
        return self.column_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare the fields of one column; a record too short to have it is missing there."""
        codes = run_codes(self._runs(name), labels)
        self._rows = len(codes)
        return codes

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the fields of one column; a record too short to have it is missing there."""
        return self.text_values(name)[0]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the fields of one column, and tell their texts."""
        codes, texts = run_values(self._runs(name))
        self._rows = len(codes)
        return codes, texts

    def row_count(self) -> int:
        """Count the records, which may be fewer than the lines."""
        if self._rows is None:
            self._rows = sum(map(len, self._blocks(0)))
        return self._rows

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        names = list_names(() if self.doubtful else self._names, found="columns")
        return f"CsvTable({names}, NOT PRIVATE)"

    def _find(self, name: str | None) -> int:
        if not isinstance(name, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            return find_column(name, ())  # which refuses it
        if not self._header:
            if name is None:
                raise SchemaError(
                    "the statistic needs the name of a column; a file without a header has the "
                    "columns 'column_1', 'column_2', ..."
                )
            # decided by the name alone: how many fields a record has is data here
            place = _PLACE.fullmatch(name)
            if place is None:
                raise SchemaError(
                    f"there is no column {name!r}; a file without a header has the columns "
                    "'column_1', 'column_2', ..."
                )
            return int(place[1]) - 1
        unnamed = name is None or not name.strip() or name not in self._names
        if unnamed and self.doubtful:
            asked = f"there is no column {name!r}"
            if name is None:
                asked = "the statistic needs the name of a column"
            raise SchemaError(
                f"{asked}, and the first line may be data: one of its entries is a number or a "
                f"date, so they are not shown{self._hint()}"
            )
        return find_column(name, self._names, hint=self._hint() if self._header else "")

    def _hint(self) -> str:
        """What else the first line may be."""
        hint = (
            "; no header? If the first line holds no names, give header=False; if they stand in a "
            "later line, give skip_rows="
        )
        sign = next((x for x in _COMMENTS if self._names[0].startswith(x)), None)
        if sign is not None and self._format.comment is None:
            hint += f", or comment={sign!r} for lines that start so"
        if len(self._names) == 1 or any(set(other) & _OTHERS for other in self._names):
            hint += f"; is {self.separator!r} the separator? If not, give separator="
        return hint

    def _read_names(self) -> tuple[str, ...]:
        with _lines(self._path, self._format) as lines:
            try:
                first, whole = _first_record(lines, self.separator, self._format.comment)
            except csv.Error:
                first, whole = None, True
                if self._header:
                    raise_alone(
                        SchemaError(f"{self._path}: the first line is too long for a table")
                    )
        if not self._header:  # for listing only; nothing about a record is refused
            return tuple(f"column_{i}" for i in range(1, len(first or ("",)) + 1))
        if not whole:
            raise SchemaError(
                f"{self._path}: a quote of the header is not closed on its line; put all names "
                "on the first line"
            )
        if first is None:
            skipped, comment = self._format.skip_rows, self._format.comment
            where = f" below its first {skipped} lines (skip_rows)" if skipped else ""
            if comment is not None:
                where += f" that does not start with {comment!r} (comment)"
            raise SchemaError(
                f"{self._path} has no line of column names{where}; it needs one at least"
                if where
                else f"{self._path} is empty; it needs a line of column names at least"
            )
        return _decoded(self._path, tuple(first))

    def _runs(self, name: str | None) -> Iterator[Run]:
        return ((block, None) for block in self._blocks(self._find(name)))

    def _blocks(self, position: int) -> Iterator[list[str]]:
        done = int(self._header)
        try:
            for block in self._split(fields, position, done):
                yield block
                done += len(block)
        except csv.Error:  # a field beyond the process-wide limit of the csv module
            yield from self._split(careful_fields, position, done)

    def _split(self, split: _Split, position: int, done: int) -> Iterator[list[str]]:
        with _lines(self._path, self._format) as lines:
            found = split(lines, self.separator, position, self._format.comment)
            entries = islice(found, done, None)
            while block := list(islice(entries, CHUNK)):
                yield block


def open_csv(path: Path, written: TextFormat) -> CsvTable:
    """Open a text file and check its header; no record is looked at.

    Parameters
    ----------
    path
        The file; gzipped if its name ends in ``.gz``.
    written
        How it is written.

    Raises
    ------
    SchemaError
        If the file cannot be read; with a header, if it is empty, or if its first line looks like
        data or like a line with another separator.
    """
    table = CsvTable(path, written)
    names = table.column_names()
    if not written.header:
        return table
    if written.separator is None and len(names) == 1:
        for other, shown in ((";", "';'"), ("\t", "'\\t'"), ("|", "'|'"), (",", "','")):
            if other in names[0] and other != table.separator:
                raise SchemaError(
                    f"{path}: the header has one column, with {shown} in its name; give "
                    f"separator={shown}, or the separator that the file has; if this line is a "
                    "title above the names, give skip_rows="
                )
    filled = [name for name in names if name.strip()]
    if filled and all(_looks_like_number(name, written.dialect) for name in filled):
        raise SchemaError(
            f"{path}: no header? All entries of the first line are numbers, and not shown; if it "
            "is data, give header=False; if the names stand in a later line, give skip_rows=; if "
            "it holds names, rename one of them"
        )
    return table


def _first_record(
    lines: Iterable[str], separator: str, comment: str | None
) -> tuple[list[str] | None, bool]:
    """The fields of the first line that is a record, and whether its quotes are closed.

    One line and no more: where a quote stays open, the lines after it are rows.
    """
    for line in lines:
        if line.strip("\r\n") and not (comment is not None and line.startswith(comment)):
            return next(records([line], separator), None), not ends_quoted([line], separator)
    return None, True


def _decoded(path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, if their bytes are those of the encoding."""
    text = "".join(names)
    if "\0" in text:
        raise SchemaError(
            f"{path}: the header holds zero bytes, as UTF-16 does; give encoding='utf-16', or "
            "'utf-16-le' or 'utf-16-be' where the file has no byte order mark"
        )
    if "\ufffd" in text:
        raise SchemaError(
            f"{path}: the header holds bytes that the encoding does not know; give "
            "encoding='cp1252' or 'latin-1' for western European files, or the one that it has"
        )
    return names


@contextmanager
def _lines(path: Path, written: TextFormat) -> Generator[Iterable[str]]:
    """The lines that count, as a stream."""
    encoding = written.encoding
    try:
        with ExitStack() as stack:
            raw: Any = stack.enter_context(path.open("rb"))
            if path.name.lower().endswith(".gz"):
                raw = stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb"))
            text = stack.enter_context(
                io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="")
            )
            top = [line.removeprefix("\ufeff") for line in islice(text, 1)]
            yield islice(chain(top, text), min(written.skip_rows, sys.maxsize), None)
    except FileNotFoundError:
        raise SchemaError(f"there is no file {str(path)!r}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise_alone(SchemaError(f"{path} is no complete gzip file; fetch or pack it again"))
    except UnicodeError:  # UTF-16 and UTF-32 without a byte order mark
        raise_alone(SchemaError(f"{path} is not in the encoding {encoding!r}; give encoding="))
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}") from None


def _looks_like_number(name: str, dialect: Dialect) -> bool:
    return not (np.isnan(Dialect().number(name)) and np.isnan(dialect.number(name)))


def _looks_like_data(name: str, dialect: Dialect) -> bool:
    """Whether a name is a number, a date, an amount or an address, or holds one between signs."""
    return any(
        _looks_like_number(entry, dialect)
        or (len(entry) <= _LONGEST and _DATA.fullmatch(entry.strip()) is not None)
        for entry in (name, *_SPLIT.split(name))
    )
