"""Several text files with the same names, read as one table.

Which files there are, and the names of their columns, is public; so a file with other names is
refused before a value is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import SchemaError
from leastnoise.frames.readers.csv import CsvTable
from leastnoise.frames.table import Table, list_names
from leastnoise.summaries.columns import Clock, Column, ColumnType


@dataclass(frozen=True, slots=True, repr=False)
class TextFiles(Table):
    """NOT PRIVATE: the rows of text files with the same names, one file after the other."""

    tables: tuple[CsvTable, ...]

    def column_names(self) -> tuple[str, ...]:
        """Give the names, which are those of every file."""
        return self.tables[0].column_names()

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type of every column: text that may be missing."""
        return self.tables[0].column_type(name)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type of every column: text that may be missing."""
        return self.tables[0].text_type(name)

    def clocked(self, clocks: Mapping[str | None, Clock]) -> TextFiles:
        """Every file with some columns read by their clocks."""
        return TextFiles(tuple(table.clocked(clocks) for table in self.tables))

    def column(self, name: str | None) -> Column:
        """Read a column of every file."""
        found = [table.column(name) for table in self.tables]
        missing = None
        if any(each.missing is not None for each in found):
            missing = np.concatenate(
                [
                    np.zeros(len(each.values), np.bool_) if each.missing is None else each.missing
                    for each in found
                ]
            )
        return Column(self.column_type(name), np.concatenate([x.values for x in found]), missing)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Read a column of every file as positions in labels."""
        return np.concatenate([table.text_codes(name, labels) for table in self.tables])

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Read a column of every file as numbers that are equal where its texts are."""
        return self.text_values(name)[0]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Read a column of every file as such numbers, and the texts that they stand for."""
        places: dict[str, int] = {}
        codes: list[NDArray[np.int64]] = []
        for table in self.tables:
            own, texts = table.text_values(name)
            moved = [places.setdefault(text, len(places)) for text in texts]
            codes.append(np.where(own < 0, own, np.array([*moved, 0], np.int64)[own]))
        return np.concatenate(codes), [*places]

    @property
    def hides_row_count(self) -> bool:
        """Whether one of the files does."""
        return any(table.hides_row_count for table in self.tables)

    def check_reach(self) -> None:
        """Look for every file."""
        for table in self.tables:
            table.check_reach()

    def row_count(self) -> int:
        """Count the rows of all."""
        return sum(table.row_count() for table in self.tables)

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        names = self.column_names()
        return f"TextFiles({list_names(names, found='columns')}, NOT PRIVATE)"


def stacked(names: Sequence[str], tables: Sequence[CsvTable]) -> TextFiles:
    """The table of several text files, whose ``names`` are for messages.

    Raises
    ------
    SchemaError
        If one has other columns than the first, or no line of names that is surely public.
    """
    known = tables[0].column_names()
    for name, table in zip(names, tables, strict=True):
        if not table.names_are_public:
            raise SchemaError(
                f"{name}: several text files form one table only if each has a line of names"
            )
        if (found := table.column_names()) != known:
            raise SchemaError(
                f"{name} has {list_names(found, found='columns')}, and {names[0]} has "
                f"{list_names(known, found='columns')}: files of one table have the same, in order"
            )
    return TextFiles(tuple(tables))
