"""Parts of a table: chosen rows, each in one of several groups, which are tables themselves.

What is asked of all groups is worked out for many of them at once. Rows are put in order of their
groups when one is first asked for by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.summarise import rows_of
from leastnoise.frames.table import Divided, Found, Table
from leastnoise.summaries.columns import Column, ColumnType
from leastnoise.summaries.requests import Request

Codes = NDArray[np.int64]

# Bits of a digit that numpy sorts integers by.
_DIGIT = 16


class Gathered(Table):
    """NOT PRIVATE. Chosen rows of a table; each column is read and put in their order once."""

    __slots__ = ("_base", "_columns", "_rows", "_texts", "_values")

    def __init__(self, base: Table, rows: NDArray[Any]) -> None:
        self._base, self._rows = base, rows
        self._columns: dict[str | None, Column] = {}
        self._texts: dict[object, Codes] = {}
        self._values: dict[str | None, tuple[Codes, list[str]]] = {}

    def column_names(self) -> tuple[str, ...] | None:
        """Give the names of the whole table."""
        return self._base.column_names()

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares."""
        return self._base.column_type(name)

    def column(self, name: str | None) -> Column:
        """Give one column in the order of the rows."""
        if name not in self._columns:
            read = self._base.column(name)
            missing = None if read.missing is None else read.missing[self._rows]
            self._columns[name] = Column(read.type, read.values[self._rows], missing)
        return self._columns[name]

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares for text."""
        return self._base.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> Codes:
        """Give one column as positions in text labels, in the order of the rows."""
        key = (name, tuple(labels))
        if key not in self._texts:
            self._texts[key] = self._base.text_codes(name, labels)[self._rows]
        return self._texts[key]

    def text_ids(self, name: str | None) -> Codes:
        """Give one column as numbers that are equal where its texts are, in the same order."""
        if name not in self._texts:
            self._texts[name] = self._base.text_ids(name)[self._rows]
        return self._texts[name]

    def text_values(self, name: str | None) -> tuple[Codes, list[str]]:
        """Give one column as numbers and the texts they stand for, in the order of the rows."""
        if name not in self._values:
            codes, texts = self._base.text_values(name)
            self._values[name] = codes[self._rows], texts
        return self._values[name]

    def row_count(self) -> int:
        """Count these rows."""
        return len(self._rows)

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return "Gathered(NOT PRIVATE)"


class Parts(Divided):
    """NOT PRIVATE: chosen rows of a table by the number of their group, of so many.

    Parameters
    ----------
    base
        The table, which is read column by column.
    rows : array, optional
        The places of the rows. Default: all.
    groups : array
        The group of each of these rows.
    count : int
        How many groups there are.
    """

    def __init__(self, base: Table, rows: NDArray[Any] | None, groups: Codes, count: int) -> None:
        self._base, self._rows, self._count = base, rows, count
        self.groups = groups

    def __len__(self) -> int:
        """Count the groups."""
        return self._count

    @cached_property
    def sizes(self) -> Codes:
        """How many rows each group has."""
        return np.bincount(self.groups, minlength=self._count)

    @cached_property
    def ends(self) -> Codes:
        """Where each group begins in the order of groups, and the last end."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.sizes)])

    @cached_property
    def chosen(self) -> Table:
        """All rows in the order of the table."""
        return self._base if self._rows is None else Gathered(self._base, self._rows)

    @cached_property
    def ordered(self) -> Gathered:
        """All rows by group, those of one in the order of the table."""
        places = in_order(self.groups, self._count)
        return Gathered(self._base, places if self._rows is None else self._rows[places])

    def entry(self, place: int) -> PartTable:
        """One group."""
        return PartTable(self, int(self.ends[place]), int(self.ends[place + 1]))

    def summaries(self, request: Request[Found], depth: int | None) -> Sequence[Found]:
        """The summary of every group."""
        from leastnoise.frames.memory import together  # for many groups alone

        found: Any = together.summaries(self, request, depth)
        return super().summaries(request, depth) if found is None else found


class PartTable(Table):
    """NOT PRIVATE: one group as a table, a run of the rows in the order of groups."""

    __slots__ = ("_parts", "_run")

    def __init__(self, parts: Parts, start: int, stop: int) -> None:
        self._parts, self._run = parts, slice(start, stop)

    def column_names(self) -> tuple[str, ...] | None:
        """Give the names of the whole table."""
        return self._parts.chosen.column_names()

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares."""
        return self._parts.chosen.column_type(name)

    def column(self, name: str | None) -> Column:
        """Give one column of these rows."""
        return rows_of(self._parts.ordered.column(name), self._run)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares for text."""
        return self._parts.chosen.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> Codes:
        """Give one column of these rows as positions in text labels."""
        return self._parts.ordered.text_codes(name, labels)[self._run]

    def text_ids(self, name: str | None) -> Codes:
        """Give one column of these rows as numbers that are equal where its texts are."""
        return self._parts.ordered.text_ids(name)[self._run]

    def text_values(self, name: str | None) -> tuple[Codes, list[str]]:
        """Give the same, and the text of each number."""
        codes, texts = self._parts.ordered.text_values(name)
        return codes[self._run], texts

    def row_count(self) -> int:
        """Count these rows."""
        return self._run.stop - self._run.start

    def union(self) -> Table:
        """NOT PRIVATE. The chosen rows of all groups."""
        return self._parts.chosen

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return "PartTable(NOT PRIVATE)"


def in_order(groups: Codes, count: int) -> NDArray[np.intp]:
    """The places of rows by group, those of one group as they came.

    Each run of groups that differ in one digit alone is sorted by it.
    """
    if count <= 1 << _DIGIT:
        return np.argsort(groups.astype(np.uint16), kind="stable")
    found: list[NDArray[np.intp]] = []
    for first in range(0, count, 1 << _DIGIT):
        here = np.flatnonzero(groups >> _DIGIT == first >> _DIGIT)
        found.append(here[np.argsort(groups[here].astype(np.uint16), kind="stable")])
    return np.concatenate(found)
