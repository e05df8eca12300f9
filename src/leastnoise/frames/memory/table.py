"""Tables in memory: one column without a name, and named columns of equal length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames.contract import Front, Mask, Physical, Run, called, settled
from leastnoise.frames.libraries import on_numpy
from leastnoise.frames.memory.labels import MISSING, run_codes, run_values
from leastnoise.frames.memory.summarise import marked, missing_at
from leastnoise.frames.readers import values as lists
from leastnoise.frames.readers.times import marked as times_marked
from leastnoise.frames.readers.times import of_entries, on_clock
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import Table, check_bare, find_column, list_names
from leastnoise.summaries.columns import Clock, Column, ColumnType, Reading


@dataclass(frozen=True, slots=True, repr=False)
class BareTable(Table):
    """NOT PRIVATE: one column of a library, without a name, read by its front end.

    Names passed to its methods are used in messages and types only.
    """

    front: Front
    native: Any
    physical: Physical
    dialect: Dialect
    clock: Clock | None = None

    def column_names(self) -> None:
        """Give None: it is one column, and a name of its own is unused."""

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the column declares; a name is a `SchemaError`."""
        check_bare(name)
        return self.typed(None)

    def typed(self, name: str | None) -> ColumnType:
        """Give the type that the column declares, under a name."""
        if self.clock is not None:
            return self.physical.timed(name, self.clock)
        return self.dialect.absent.typed(self.physical.column_type(name))

    def column(self, name: str | None) -> Column:
        """Read the values."""
        return self.read(self.column_type(name))

    def read(self, type: ColumnType) -> Column:
        """Read the values as a given type; never raises on them."""
        with np.errstate(all="ignore"):
            if self.clock is not None:
                return settled(type, *self._times(self.clock))
            values, missing = self.front.numbers(self.native, self.physical, self.dialect)
            absent = marked(values, self.dialect.absent)
            if absent is not None:
                missing = absent if missing is None else missing | absent
            return settled(type, values, missing)

    def _times(self, clock: Clock) -> tuple[NDArray[np.int64], Mask]:
        """Whole numbers of a clock, and which entries are missing."""
        if self.physical.untyped:
            values, gone = of_entries(self._texts(), clock)
        else:
            counts, missing = self.front.numbers(self.native, self.physical, self.dialect)
            values, gone = on_clock(counts, missing, self.physical.unit, clock)
        absent = times_marked(values, clock, self.dialect.absent)
        return values, gone if absent is None else gone | absent

    def own_clock(self, name: str | None) -> Clock | None:
        """The clock of the declared type."""
        check_bare(name)
        return self.physical.clock

    def stand_ins(self, name: str | None) -> frozenset[str]:
        """The declared texts, or the usual ones."""
        return self.dialect.absent.texts | self.dialect.absent.written

    def clocked(self, clocks: Mapping[str | None, Clock]) -> BareTable:
        """The column read by a clock."""
        for name in clocks:
            check_bare(name)
        return self.by(None, clocks[None])

    def by(self, name: str | None, clock: Clock) -> BareTable:
        """The column under a name, read by a clock."""
        self.physical.timed(name, clock)
        return replace(self, clock=clock)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the column declares for text; a name is a `SchemaError`."""
        check_bare(name)
        return self.text_typed(None)

    def text_typed(self, name: str | None) -> ColumnType:
        """Give the type that the column declares for text, under a name."""
        if self.clock is not None:
            raise ColumnTypeError(
                f"{called(name)} is read as {self.clock.value} in this release, not as text"
            )
        return self.physical.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare the entries with text labels."""
        self.text_type(name)
        return run_codes(self._texts(), labels, self.dialect, numbers=self._untyped)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of the entries, or the digits of numbers."""
        check_bare(name)
        if self.physical.reading in (Reading.TEXT, Reading.CATEGORIES) or self._untyped:
            return run_values(self._texts(), self.dialect, numbers=self._untyped)[0]
        codes = run_values(self._texts(), Dialect(), numbers=False)[0]
        codes[missing_at(self.read(self.typed(None)))] = MISSING
        return codes

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of the entries, and give the texts."""
        self.text_type(name)
        return run_values(self._texts(), self.dialect, numbers=self._untyped)

    def _texts(self) -> Iterable[Run]:
        return self.front.texts(self.native, self.physical)

    @property
    def _untyped(self) -> bool:
        """Whether the entries have no declared type, so that each may be text or a number."""
        return self.physical.untyped

    def row_count(self) -> int:
        """Count the entries."""
        return len(self.native)

    def __repr__(self) -> str:
        """Name the type; print nothing of the data."""
        return f"BareTable({self.physical.kind}, NOT PRIVATE)"


@dataclass(frozen=True, slots=True, repr=False)
class NamedTable(Table):
    """NOT PRIVATE: columns of equal length by their labels, each read by its own front end.

    Parameters
    ----------
    labels
        In order; they need not be text, nor different from each other.
    at
        The column at a position.
    rows
        How many rows there are.
    """

    labels: tuple[object, ...]
    at: Callable[[int], BareTable]
    rows: int

    @classmethod
    def of(cls, columns: Mapping[str, BareTable]) -> Self:
        """The table of these columns.

        Raises
        ------
        SchemaError
            If there are none, or two differ in length (the error does not say by how much).
        """
        if not columns:
            raise SchemaError("the mapping is empty; give {'name': column, ...}")
        first, *others = columns
        rows = columns[first].row_count()
        for other in others:
            if columns[other].row_count() != rows:
                raise SchemaError(
                    f"columns {first!r} and {other!r} differ in length; every column of a table "
                    "needs one entry a row, None where it is missing"
                )
        return cls(tuple(columns), list(columns.values()).__getitem__, rows)

    def column_names(self) -> tuple[str, ...]:
        """Give the labels that are text, in order."""
        return tuple(label for label in self.labels if isinstance(label, str))

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that one column declares."""
        return self._find(name).typed(name)

    def column(self, name: str | None) -> Column:
        """Read one column."""
        return self._find(name).read(self.column_type(name))

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that one column declares for text."""
        return self._find(name).text_typed(name)

    def own_clock(self, name: str | None) -> Clock | None:
        """The clock of the type that one column declares."""
        return self._find(name).own_clock(None)

    def stand_ins(self, name: str | None) -> frozenset[str]:
        """The texts of one column."""
        return self._find(name).stand_ins(None)

    def clocked(self, clocks: Mapping[str | None, Clock]) -> NamedTable:
        """This table with some columns read by their clocks."""
        at = {
            find_column(name, self.labels): self._find(name).by(name, clocks[name])
            for name in clocks
        }

        def clocked(place: int) -> BareTable:
            return at[place] if place in at else self.at(place)

        return replace(self, at=clocked)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare one column with text labels."""
        self.text_type(name)
        return self._find(name).text_codes(None, labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of one column, or the digits of its numbers."""
        return self._find(name).text_ids(None)

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of one column, and give the texts."""
        self.text_type(name)
        return self._find(name).text_values(None)

    def row_count(self) -> int:
        """Count the rows."""
        return self.rows

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"NamedTable({list_names(self.labels, found='columns')}, NOT PRIVATE)"

    def _find(self, name: str | None) -> BareTable:
        # By position, because names can be repeated in pandas and Arrow.
        return self.at(find_column(name, self.labels))


def sequence_table(entries: Sequence[object], dialect: Dialect | None = None) -> BareTable:
    """The column of a list, tuple or range, read entry by entry."""
    return BareTable(lists, entries, lists.physical(type(entries)), dialect or Dialect())


def array_table(array: NDArray[Any], dialect: Dialect | None = None) -> BareTable:
    """The column of an array.

    Raises
    ------
    SchemaError
        If it has not exactly one dimension.
    """
    if array.ndim == 0:
        raise SchemaError(
            "the array has no dimension; give a one-dimensional array, a list or a table"
        )
    if array.ndim > 1:
        raise SchemaError(
            f"the array has {array.ndim} dimensions; give one column of it, for example "
            "array[:, 0], or name its columns: {'a': array[:, 0], 'b': array[:, 1]}"
        )
    return BareTable(on_numpy, array, on_numpy.physical_of(array), dialect or Dialect())
