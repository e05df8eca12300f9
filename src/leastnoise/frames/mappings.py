"""A dict of name to column: the table nobody needs a library for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames.table import find_column, list_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.frames.table import Table, TextTable
    from leastnoise.summaries.columns import Column, ColumnType


@dataclass(frozen=True, slots=True, repr=False)
class MappingTable:
    """NOT PRIVATE: named columns of equal length, each opened by its own front end."""

    columns: Mapping[str, Table]

    def column_names(self) -> tuple[str, ...]:
        """Give the names in the order of the mapping."""
        return tuple(self.columns)

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type of one column, as its front end declares it."""
        label, table = self._find(name)
        try:
            return replace(table.column_type(None), name=label)
        except ColumnTypeError as error:
            raise ColumnTypeError(f"column {label!r}: {error}") from None

    def column(self, name: str | None) -> Column:
        """Read one column, as its front end does."""
        kind = self.column_type(name)
        return replace(self._find(name)[1].column(None), type=kind)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type of one column that is read as text labels."""
        label, table = self._find(name)
        try:
            return replace(table.text_type(None), name=label)
        except ColumnTypeError as error:
            raise ColumnTypeError(f"column {label!r}: {error}") from None

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare one column with text labels, as its front end does."""
        self.text_type(name)
        return self._find(name)[1].text_codes(None, labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of one column, as its front end does."""
        return self._find(name)[1].text_ids(None)

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of one column, and tell them, as its front end does."""
        self.text_type(name)
        return cast("TextTable", self._find(name)[1]).text_values(None)

    def row_count(self) -> int:
        """Count the rows."""
        return next(iter(self.columns.values())).row_count()

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"MappingTable({list_names(self.column_names(), found='columns')}, NOT PRIVATE)"

    def _find(self, name: str | None) -> tuple[str, Table]:
        labels = self.column_names()
        label = labels[find_column(name, labels)]
        return label, self.columns[label]


def check_lengths(columns: Mapping[str, Table]) -> None:
    """Check that a mapping is a table.

    Raises
    ------
    SchemaError
        If it has no columns, or two columns differ in length (the lengths are not told).
    """
    if not columns:
        raise SchemaError("the mapping is empty; give {'name': column, ...}")
    first, *others = columns
    for other in others:
        if columns[other].row_count() != columns[first].row_count():
            raise SchemaError(
                f"columns {first!r} and {other!r} differ in length; every column of a table needs "
                "one entry a row, None where it is missing"
            )
