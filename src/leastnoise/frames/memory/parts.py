"""Parts of a table: rows in an order of their own, cut into runs that are tables themselves.

Where parts are short, their results are computed for many of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from leastnoise.frames.memory.summarise import rows_of
from leastnoise.frames.table import Divided, Found, Table
from leastnoise.summaries.columns import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.summaries.columns import ColumnType
    from leastnoise.summaries.requests import Request


@dataclass(frozen=True, slots=True, repr=False)
class Gathered:
    """NOT PRIVATE. Chosen rows of a table; each column is read and put in their order once."""

    base: Table
    rows: NDArray[np.intp]
    columns: dict[str | None, Column] = field(default_factory=dict[str | None, Column])
    texts: dict[object, NDArray[np.int64]] = field(
        default_factory=dict[object, "NDArray[np.int64]"]
    )

    values: dict[str | None, tuple[NDArray[np.int64], list[str]]] = field(
        default_factory=dict[str | None, "tuple[NDArray[np.int64], list[str]]"]
    )

    def all(self) -> PartTable:
        """The rows as one table."""
        return PartTable(self, 0, len(self.rows))

    def column(self, name: str | None) -> Column:
        """One column in the order of the rows."""
        if name not in self.columns:
            read = self.base.column(name)
            missing = None if read.missing is None else read.missing[self.rows]
            self.columns[name] = Column(read.type, read.values[self.rows], missing)
        return self.columns[name]

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """One column as positions in text labels, in the order of the rows."""
        key = (name, tuple(labels))
        if key not in self.texts:
            self.texts[key] = self.base.text_codes(name, labels)[self.rows]
        return self.texts[key]

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """One column as numbers that are equal where its texts are, in the order of the rows."""
        if name not in self.texts:
            self.texts[name] = self.base.text_ids(name)[self.rows]
        return self.texts[name]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """One column as numbers and the texts they stand for, in the order of the rows."""
        if name not in self.values:
            codes, texts = self.base.text_values(name)
            self.values[name] = codes[self.rows], texts
        return self.values[name]


@dataclass(frozen=True, slots=True, repr=False)
class PartTable(Table):
    """NOT PRIVATE: a run of the chosen rows as a table, without a copy."""

    whole: Gathered
    start: int
    stop: int

    def column_names(self) -> tuple[str, ...] | None:
        """Give the names of the whole table."""
        return self.whole.base.column_names()

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares."""
        return self.whole.base.column_type(name)

    def column(self, name: str | None) -> Column:
        """Give one column of these rows."""
        return rows_of(self.whole.column(name), slice(self.start, self.stop))

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the whole table declares for text."""
        return self.whole.base.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[Any]:
        """Give one column of these rows as positions in text labels."""
        return self.whole.text_codes(name, labels)[self.start : self.stop]

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Give one column of these rows as numbers that are equal where its texts are."""
        return self.whole.text_ids(name)[self.start : self.stop]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Give the same, and the text of each number."""
        codes, texts = self.whole.text_values(name)
        return codes[self.start : self.stop], texts

    def row_count(self) -> int:
        """Count these rows."""
        return self.stop - self.start

    def union(self) -> Table:
        """NOT PRIVATE. The chosen rows of all groups."""
        return self.whole.all()

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return "PartTable(NOT PRIVATE)"


class Parts(Divided):
    """NOT PRIVATE: all runs of the chosen rows; ``ends`` are their starts and the last end."""

    __slots__ = ("_ends", "_whole")

    def __init__(self, whole: Gathered, ends: NDArray[Any]) -> None:
        self._whole, self._ends = whole, ends

    def __len__(self) -> int:
        """Count the runs."""
        return len(self._ends) - 1

    def table(self, group: int) -> PartTable:
        """One run."""
        return PartTable(self._whole, int(self._ends[group]), int(self._ends[group + 1]))

    def summaries(self, request: Request[Found], depth: int | None) -> Sequence[Found]:
        """The summary of every run."""
        from leastnoise.frames.memory import together  # for many short runs alone

        found: Any = None
        if len(self._whole.rows) < together.SHORT * len(self):
            found = together.summaries(self._whole, self._ends, request, depth)
        return super().summaries(request, depth) if found is None else found
