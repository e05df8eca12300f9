"""Columns that answer several questions in a row: each is read once and kept meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.table import Table
from leastnoise.summaries.columns import Clock, Column, ColumnType

Codes = NDArray[np.int64]


class KeptColumns(Table):
    """NOT PRIVATE: a table whose columns are kept once they have been read."""

    __slots__ = ("_base", "_columns", "_values")

    def __init__(self, base: Table) -> None:
        self._base = base
        self._columns: dict[str | None, Column] = {}
        self._values: dict[str | None, tuple[Codes, list[str]]] = {}

    def column_names(self) -> tuple[str, ...] | None:
        """Give the names of the table."""
        return self._base.column_names()

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the table declares."""
        return self._base.column_type(name)

    def column(self, name: str | None) -> Column:
        """NOT PRIVATE: read a column, once."""
        if name not in self._columns:
            self._columns[name] = self._base.column(name)
        return self._columns[name]

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the table declares."""
        return self._base.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> Codes:
        """NOT PRIVATE: read a column as positions in text labels."""
        return self._base.text_codes(name, labels)

    def text_ids(self, name: str | None) -> Codes:
        """NOT PRIVATE: read a column as numbers of its texts, once where they can be told."""
        if name in self._values:
            return self._values[name][0]
        return self._base.text_ids(name)

    def text_values(self, name: str | None) -> tuple[Codes, list[str]]:
        """NOT PRIVATE: read a column as numbers and the texts that they stand for, once."""
        if name not in self._values:
            self._values[name] = self._base.text_values(name)
        return self._values[name]

    @property
    def tells_texts(self) -> bool:
        """Whether the table does."""
        return self._base.tells_texts

    def row_count(self) -> int:
        """Count the rows."""
        return self._base.row_count()

    def own_clock(self, name: str | None) -> Clock | None:
        """As the table does."""
        return self._base.own_clock(name)

    def stand_ins(self, name: str | None) -> frozenset[str]:
        """As the table does."""
        return self._base.stand_ins(name)

    def clocked(self, clocks: Mapping[str | None, Clock]) -> KeptColumns:
        """The table with some columns read by their clocks."""
        return KeptColumns(self._base.clocked(clocks))

    @property
    def hides_row_count(self) -> bool:
        """As the table does."""
        return self._base.hides_row_count

    def __repr__(self) -> str:
        """Print nothing of the data."""
        return f"{self._base!r}"
