"""Users' own tables: objects with the methods of ``Table`` that have no default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.table import Table
from leastnoise.summaries.columns import Column, ColumnType


def as_table(data: object) -> Table | None:
    """A table, or a user's own object wrapped as one; None if it is neither."""
    if isinstance(data, Table):
        return data
    kind = type(data)
    return Foreign(data) if all(hasattr(kind, name) for name in Table.__abstractmethods__) else None


class Foreign(Table):
    """The methods of a user's table, with defaults for the rest."""

    __slots__ = ("given",)

    def __init__(self, given: Any) -> None:
        self.given = given

    def column_names(self) -> tuple[str, ...] | None:
        """Its names."""
        return self.given.column_names()

    def column_type(self, name: str | None) -> ColumnType:
        """Its type."""
        return self.given.column_type(name)

    def column(self, name: str | None) -> Column:
        """NOT PRIVATE. Its values."""
        return self.given.column(name)

    def text_type(self, name: str | None) -> ColumnType:
        """Its type as text."""
        return self.given.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """NOT PRIVATE. Its positions in labels."""
        return self.given.text_codes(name, labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """NOT PRIVATE. Its numbers of texts."""
        return self.given.text_ids(name)

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """NOT PRIVATE. The same, and its texts."""
        return self.given.text_values(name)

    @property
    def tells_texts(self) -> bool:
        """Whether it gives its texts."""
        return hasattr(self.given, "text_values")

    def row_count(self) -> int:
        """Its number of rows."""
        return self.given.row_count()

    def __repr__(self) -> str:
        """Name its class; print nothing of the data."""
        return f"Foreign({type(self.given).__name__}, NOT PRIVATE)"
