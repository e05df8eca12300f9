"""CSV and TSV files, gzipped or not, read as a stream of text; no type is guessed.

A record is what the ``csv`` module of Python calls one: quoted fields may hold separators and line
ends; a line with nothing on it is no record. Bytes that the encoding does not know become
replacement characters, so they make a field missing and never an error.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.errors import ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames.labels import entry_codes, entry_values
from leastnoise.frames.records import careful_fields, ends_quoted, fields, records
from leastnoise.frames.table import find_column, list_names, raise_alone
from leastnoise.frames.values import Dialect
from leastnoise.summaries.columns import Column, ColumnType

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    _Split = Callable[[Iterable[str], str, int], Iterator[str]]

CHUNK = 1 << 13
SEPARATORS = {".csv": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t"}
"""The separator of each file name extension, before any ``.gz``."""

_OTHERS = frozenset(";\t|")

# Codecs that raise, or warn, on bytes they cannot decode, whatever the error handler.
_STRICT_CODECS = frozenset(
    {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
)


_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T].*)?", re.ASCII)
_PLACE = re.compile(r"column_([1-9]\d{0,8})", re.ASCII)


class CsvTable:
    """NOT PRIVATE: a text file of records; every column has kind "text" and may miss values."""

    __slots__ = ("_dialect", "_encoding", "_header", "_names", "_path", "_rows", "separator")

    def __init__(
        self, path: Path, *, separator: str, encoding: str, header: bool, dialect: Dialect
    ) -> None:
        """Read the header; `open_csv` checks the parameters and the names first."""
        self._path = path
        self.separator = separator
        self._encoding = encoding
        self._header = header
        self._dialect = dialect
        self._rows: int | None = None  # known after the first pass over the file
        self._names = self._read_names()

    def column_names(self) -> tuple[str, ...]:
        """Give the names of the header; column_1, column_2, ... if there is none."""
        return self._names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type of every column: text that may be missing."""
        position = self._find(name)
        found = self._names[position] if self._header else name
        return ColumnType(found, "text", integer=False, nullable=True)

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
        codes = entry_codes(chain.from_iterable(self._blocks(self._find(name))), labels)
        self._rows = len(codes)
        return codes

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the fields of one column; a record too short to have it is missing there."""
        return self.text_values(name)[0]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the fields of one column, and tell their texts."""
        codes, texts = entry_values(chain.from_iterable(self._blocks(self._find(name))))
        self._rows = len(codes)
        return codes, texts

    def row_count(self) -> int:
        """Count the records, which may be fewer than the lines."""
        if self._rows is None:
            self._rows = sum(map(len, self._blocks(0)))
        return self._rows

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"CsvTable({list_names(self._names, found='columns')}, NOT PRIVATE)"

    def _find(self, name: str | None) -> int:
        if not self._header and isinstance(name, str):
            # decided by the name alone: how many fields a record has is data here
            place = _PLACE.fullmatch(name)
            if place is None:
                raise SchemaError(
                    f"there is no column {name!r}; a file without a header has the columns "
                    "'column_1', 'column_2', ..."
                )
            return int(place[1]) - 1
        hint = ""
        if (
            isinstance(name, str)
            and name not in self._names
            and any(_looks_like_data(x, self._dialect) for x in self._names)
        ):
            # what stands in such a line may be the first person's record
            raise SchemaError(
                f"there is no column {name!r}, and the first line may be data: one of its entries "
                "is a number or a date, so they are not shown; no header? If that line holds no "
                "names, give header=False"
            )
        if self._header:
            hint = "; no header? If the first line holds no names, give header=False"
        if len(self._names) == 1 or any(set(other) & _OTHERS for other in self._names):
            hint += f"; is {self.separator!r} the separator? If not, give separator="
        return find_column(name, self._names, hint=hint)

    def _read_names(self) -> tuple[str, ...]:
        with _lines(self._path, self._encoding) as lines:
            try:
                first, whole = _first_record(lines, self.separator)
            except csv.Error:
                first, whole = None, True
                if self._header:
                    raise SchemaError(
                        f"{self._path}: the first line is too long for a table"
                    ) from None
        if not self._header:  # for listing only; nothing about a record is refused
            return tuple(f"column_{i}" for i in range(1, len(first or ("",)) + 1))
        if not whole:
            raise SchemaError(
                f"{self._path}: a quote of the header is not closed on its line; put all names "
                "on the first line"
            )
        if first is None:
            raise SchemaError(f"{self._path} is empty; it needs a line of column names at least")
        return _decoded(self._path, (first[0].removeprefix("\ufeff"), *first[1:]))

    def _blocks(self, position: int) -> Iterator[list[str]]:
        done = int(self._header)
        try:
            for block in self._split(fields, position, done):
                yield block
                done += len(block)
        except csv.Error:  # a field beyond the process-wide limit of the csv module
            yield from self._split(careful_fields, position, done)

    def _split(self, split: _Split, position: int, done: int) -> Iterator[list[str]]:
        with _lines(self._path, self._encoding) as lines:
            entries = islice(split(lines, self.separator, position), done, None)
            while block := list(islice(entries, CHUNK)):
                yield block


def open_csv(
    path: Path, *, separator: str | None, encoding: str, header: bool, dialect: Dialect
) -> CsvTable:
    """Open a text file and check its header; no record is looked at.

    Parameters
    ----------
    path
        The file; gzipped if its name ends in ``.gz``.
    separator
        One character; None takes it from the file name extension (a tab for .tsv, else a comma).
    encoding
        The name of a text encoding of Python. A byte order mark is no part of the first name.
    header
        Whether the first line holds the names. Without, the columns are column_1, column_2, ..., as
        many as are asked for; a record too short to have one is missing there.
    dialect
        How numbers are written.

    Raises
    ------
    ParameterTypeError, ParameterError
        If a parameter is of the wrong type or outside its domain.
    SchemaError
        If the file cannot be read; with a header, if it is empty, or if its first line looks like
        data or like a line with another separator.
    """
    table = CsvTable(
        path,
        separator=_check_separator(path, separator),
        encoding=_check_encoding(encoding),
        header=_check_header(header),
        dialect=dialect,
    )
    names = table.column_names()
    if not header:
        return table
    if separator is None and len(names) == 1:
        for other, shown in ((";", "';'"), ("\t", "'\\t'"), ("|", "'|'"), (",", "','")):
            if other in names[0] and other != table.separator:
                raise SchemaError(
                    f"{path}: the header has one column, {names[0]!r}, with {shown} in its name; "
                    f"give separator={shown}, or the separator that the file has"
                )
    filled = [name for name in names if name.strip()]
    if filled and all(_looks_like_number(name, dialect) for name in filled):
        raise SchemaError(
            f"{path}: no header? All entries of the first line are numbers, and not shown; if it "
            "is data, give header=False; if it holds names, rename one of them"
        )
    return table


def _first_record(lines: Iterable[str], separator: str) -> tuple[list[str] | None, bool]:
    """The fields of the first line that is not blank, and whether its quotes are closed.

    One line and no more: where a quote stays open, the lines after it are rows.
    """
    for line in lines:
        if line.strip("\r\n"):
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
def _lines(path: Path, encoding: str) -> Generator[Iterable[str]]:
    try:
        with ExitStack() as stack:
            raw: Any = stack.enter_context(path.open("rb"))
            if path.name.lower().endswith(".gz"):
                raw = stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb"))
            yield stack.enter_context(
                io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="")
            )
    except FileNotFoundError:
        raise SchemaError(f"there is no file {str(path)!r}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise_alone(SchemaError(f"{path} is no complete gzip file; fetch or pack it again"))
    except UnicodeError:  # UTF-16 and UTF-32 without a byte order mark
        raise_alone(SchemaError(f"{path} is not in the encoding {encoding!r}; give encoding="))
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}") from None


def _check_separator(path: Path, separator: str | None) -> str:
    if separator is None:
        return SEPARATORS.get(Path(path.name.lower().removesuffix(".gz")).suffix, ",")
    if not isinstance(separator, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"separator must be text, not {type(separator).__name__}")
    separator = "\t" if separator == "\\t" else separator  # as typed on a command line
    if len(separator) != 1 or separator in '"\r\n\0':
        raise ParameterError(
            f"separator must be one character such as ',', ';' or '\\t', not {separator!r}"
        )
    return separator


def _check_encoding(encoding: str) -> str:
    if not isinstance(encoding, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"encoding must be text, not {type(encoding).__name__}")
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, ValueError):
        name = "undefined"
    if name in _STRICT_CODECS:
        raise ParameterError(
            f"encoding {encoding!r} is no text encoding; common ones are 'utf-8', 'latin-1', "
            "'cp1252' and 'utf-16'"
        )
    return "utf-8-sig" if name == "utf-8" else name


def _check_header(header: bool) -> bool:
    if not isinstance(header, bool):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"header must be True or False, not {type(header).__name__}")
    return header


def _looks_like_number(name: str, dialect: Dialect) -> bool:
    return not (np.isnan(Dialect().number(name)) and np.isnan(dialect.number(name)))


def _looks_like_data(name: str, dialect: Dialect) -> bool:
    return _looks_like_number(name, dialect) or _DATE.fullmatch(name.strip()) is not None
