"""Parquet files at which Polars ends with a panic of its own, which it prints."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path

from leastnoise.errors import SchemaError

_MAGIC = b"PAR1"
_INTERVAL = 21
# Types of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12


def check_polars(paths: Sequence[Path]) -> None:
    """Refuse what Polars cannot open, by the footers of files: no value is read.

    Raises
    ------
    SchemaError
        If a column is an INTERVAL of months, days and milliseconds.
    """
    for path in paths:
        names: list[str] = []
        with suppress(Exception):  # a damaged file is told of where it is opened
            names = intervals(path)
        if names:
            raise SchemaError(
                f"{path.name}: column {names[0]!r} is an INTERVAL, which Polars cannot open: open "
                "the file with engine='duckdb', or write it anew with seconds in its place, "
                f'EXTRACT(EPOCH FROM "{names[0]}") in DuckDB'
            )


def intervals(path: Path) -> list[str]:
    """The columns of that type, by the schema alone: it comes first in the footer."""
    with path.open("rb") as file:
        file.seek(-8, 2)
        size = int.from_bytes(file.read(4), "little")
        if file.read(4) != _MAGIC:
            return []
        file.seek(-8 - size, 2)
        footer = _Footer(file.read(size))
    found: list[str] = []
    for field, _ in footer.fields():  # version, then the list of columns
        if field == 2:
            for _ in range(footer.listed()[0]):
                name, converted = footer.column()
                found += [name] if converted == _INTERVAL else []
            return found
        footer.number()
    return found


class _Footer:
    """Bytes in Thrift's compact protocol, of which the few parts that a schema has are read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def size(self) -> int:
        """A whole number of seven digits a byte."""
        found = shift = 0
        while (part := self.byte()) & 128:
            found |= (part & 127) << shift
            shift += 7
        return found | part << shift

    def number(self) -> int:
        """The same with a sign, in the lowest digit."""
        found = self.size()
        return found >> 1 ^ -(found & 1)

    def text(self) -> bytes:
        start = self.size() + self.at
        self.at, start = start, self.at
        return self.data[start : self.at]

    def listed(self) -> tuple[int, int]:
        """How many entries a list has, and their type."""
        head = self.byte()
        return (self.size() if head >> 4 == 15 else head >> 4), head & 15

    def fields(self) -> Generator[tuple[int, int]]:
        """The number and the type of each field of a structure; what asks for it reads it."""
        field = 0
        while head := self.byte():
            field = field + (head >> 4) if head >> 4 else self.number()
            yield field, head & 15

    def column(self) -> tuple[str, int | None]:
        """The name of a column, and what it is converted to."""
        name, converted = b"", None
        for field, kind in self.fields():
            if field == 4:
                name = self.text()
            elif field == 6:
                converted = self.number()
            else:
                self.skip(kind)
        return name.decode(), converted

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        if kind == _BINARY:
            self.text()
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner)
        elif kind in (_LIST, _SET):
            count, inner = self.listed()
            for _ in range(count):
                self.skip(_BYTE if inner in (_TRUE, _FALSE) else inner)
        elif kind == _MAP:
            raise ValueError("no part of a schema")
        elif kind in (_BYTE, _DOUBLE):
            self.at += 1 if kind == _BYTE else 8
        elif kind not in (_TRUE, _FALSE):
            self.number()
