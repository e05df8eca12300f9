"""A table with further columns that are computed row by row from its own, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames.contract import Physical
from leastnoise.frames.memory.conditions import check_condition
from leastnoise.frames.memory.expressions import Coded, numbers_of, texts_of
from leastnoise.frames.memory.labels import NO_LABEL, key_type
from leastnoise.frames.table import Table, list_names
from leastnoise.summaries.columns import Clock, Column, ColumnType, Reading
from leastnoise.summaries.expressions import (
    Entry,
    Holds,
    Lookup,
    Moment,
    Numeric,
    TextEntry,
    TextLookup,
    Textual,
    Value,
    Whole,
    is_text,
    walk,
)

# The type of a value, whatever its columns hold: one of them may hold no number.
NUMBER = Physical("a computed number", Reading.FLOAT)
TEXT = Physical("a computed text", Reading.TEXT)


def physical_of(value: Value) -> Physical:
    """How a computed column is read: by its expression, never by its values."""
    return TEXT if is_text(value) else NUMBER


def check_values(table: Table, values: Mapping[str, Value]) -> None:
    """Check what values are made of against the schema; nothing is read.

    Raises
    ------
    SchemaError
        If a column does not exist or has the name of a value, or the data has no column names.
    ColumnTypeError
        If a column holds no numbers where they are asked for, or no text.
    """
    names = table.column_names()
    if names is None:
        raise SchemaError(
            "values are worked out from named columns, and this data is one column without a name;"
            " give a table, for example {'age': ages, 'pay': pays}"
        )
    for name, value in values.items():
        if name in names:
            raise SchemaError(f"column {name!r} has the name of a computed value: rename it")
        for node in walk(value):
            match node:
                case Entry(column) | Whole(column):
                    table.column_type(column)
                case Moment(column, clock):
                    table.clocked({column: clock}).column_type(column)
                case TextEntry(column):
                    table.text_type(column)
                    if not table.tells_texts:
                        raise ColumnTypeError(
                            f"column {column!r} cannot be read as text: its table has no "
                            "text_values"
                        )
                case Lookup(_, column, keys, _) | TextLookup(_, column, keys, _):
                    key_type(table, column, keys)
                case Holds(leaf):
                    check_condition(table, leaf)
                case _:
                    continue


@dataclass(frozen=True, slots=True, repr=False)
class DerivedTable(Table):
    """NOT PRIVATE: the columns of a table, and values computed from its rows, each once."""

    base: Table
    values: Mapping[str, Value]
    numbers: dict[str, Column] = field(default_factory=dict[str, Column])
    texts: dict[str, Coded] = field(default_factory=dict[str, "Coded"])
    timed: Table | None = None
    """The table whose columns are read by clocks; values are computed from the other one."""

    @property
    def shown(self) -> Table:
        """The table from which all other columns are read."""
        return self.base if self.timed is None else self.timed

    def own_clock(self, name: str | None) -> Clock | None:
        """As the table does."""
        return self.base.own_clock(name) if self._value(name) is None else None

    def stand_ins(self, name: str | None) -> frozenset[str]:
        """As the table does; None for computed columns."""
        return self.base.stand_ins(name) if self._value(name) is None else frozenset()

    def clocked(self, clocks: Mapping[str | None, Clock]) -> DerivedTable:
        """The table read by clocks, and the same values."""
        for name, clock in clocks.items():
            value = self._value(name)
            if value is not None:
                physical_of(value).timed(name, clock)
        return replace(self, timed=(self.timed or self.base).clocked(clocks))

    def column_names(self) -> tuple[str, ...]:
        """Give the names of the table, then those of the values."""
        return (*(self.base.column_names() or ()), *self.values)

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type of a column, from the schema and the values alone."""
        value = self._value(name)
        return (
            self.shown.column_type(name) if value is None else physical_of(value).column_type(name)
        )

    def column(self, name: str | None) -> Column:
        """Read a column, or compute it."""
        value = self._value(name)
        if name is None or value is None:
            return self.shown.column(name)
        if name not in self.numbers:
            kind = self.column_type(name)
            self.numbers[name] = Column(kind, numbers_of(self.base, _number(value)))
        return self.numbers[name]

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type of a column that is read as text."""
        value = self._value(name)
        return self.shown.text_type(name) if value is None else physical_of(value).text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Read a column as positions in labels, or work it out."""
        if self._value(name) is None:
            return self.shown.text_codes(name, labels)
        codes, texts = self.text_values(name)
        known = {str(label): i for i, label in enumerate(labels)}
        places = np.array([*(known.get(text, NO_LABEL) for text in texts), 0], np.int64)
        return np.where(codes < 0, codes, places[codes])

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Read a column as numbers that are equal where its texts are, or work it out."""
        return self.shown.text_ids(name) if self._value(name) is None else self.text_values(name)[0]

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Read a column as such numbers and the texts that they stand for, or work it out."""
        value = self._value(name)
        if name is None or value is None:
            return self.shown.text_values(name)
        self.text_type(name)
        if name not in self.texts:
            self.texts[name] = texts_of(self.base, _text(value))
        return self.texts[name]

    @property
    def tells_texts(self) -> bool:
        """As the table does."""
        return self.base.tells_texts

    @property
    def hides_row_count(self) -> bool:
        """As the table does: every row has its values."""
        return self.base.hides_row_count

    def check_reach(self) -> None:
        """As the table does."""
        self.base.check_reach()

    def row_count(self) -> int:
        """Count the rows."""
        return self.base.row_count()

    def _value(self, name: str | None) -> Value | None:
        return None if name is None else self.values.get(name)

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"DerivedTable({list_names(self.column_names(), found='columns')}, NOT PRIVATE)"


def _number(value: Value) -> Numeric:
    if is_text(value):
        raise ColumnTypeError("a computed text holds no numbers")  # its type says so before
    return value


def _text(value: Value) -> Textual:
    if not is_text(value):
        raise ColumnTypeError("a computed number holds no text")  # its type says so before
    return value
