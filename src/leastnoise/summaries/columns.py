"""One column as every front end hands it on: its public schema and its private values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ColumnTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


class Reading(Enum):
    """What the entries of a declared type are: the ways of the reading contract, and no other.

    The first group is read as numbers, `TEXT` and `CATEGORIES` as text, `ENTRIES` and `NULL` as
    either. Dates, times and durations are read where constants declare a clock. The last group is
    refused.
    """

    BOOLEAN = "boolean"
    INTEGER = "integer"
    """Of at most 64 bits."""
    INT128 = "integer of 128 bits"
    UINT128 = "unsigned integer of 128 bits"
    FLOAT = "float"
    DECIMAL = "decimal"

    TEXT = "text"
    CATEGORIES = "categories"
    """Declared ones, told apart by their text and never read as numbers."""

    ENTRIES = "entries"
    """Of no declared type: each entry is read by what it is itself."""
    NULL = "null"
    """Every entry is missing."""

    DATE = "date"
    MOMENT = "date with a time"
    INSTANT = "date with a time and a time zone"
    DURATION = "duration"

    NESTED = "nested"
    OTHER = "other"


_WHOLE = frozenset({Reading.BOOLEAN, Reading.INTEGER, Reading.INT128, Reading.UINT128})
# Numbers that are read as 64 bits: the last that are told apart from all beyond them.
_REACHES = {Reading.INT128: (-(2**63), 2**63 - 1), Reading.UINT128: (-1, 2**64 - 1)}


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The public schema of one column, known before any value is read.

    Parameters
    ----------
    name
        The column's name; ``None`` for a bare array or series.
    kind
        The type as the front end calls it, for messages.
    reading
        What its entries are.
    nullable
        True if the type can hold missing values.

    Guarantee
    ---------
    A function of names and declared types only, so it may be printed and recorded.
    """

    name: str | None
    kind: str
    reading: Reading
    nullable: bool
    absent: tuple[Fraction, ...] = ()

    @property
    def integer(self) -> bool:
        """Whether the type is an integer or boolean one: the lattice step is 1."""
        return self.reading in _WHOLE

    @property
    def wide(self) -> bool:
        """Whether numbers of this type may be equal once read, though they differ in the data."""
        return self.reading in _REACHES or self.reading is Reading.DECIMAL

    def check_reach(self, numbers: Iterable[object], what: str, *, ends: bool = False) -> None:
        """Refuse numbers that integers of 128 bits are not told apart from: those are read as 64.

        A value beyond 64 bits is read as the largest or smallest integer there is, so it compares
        right with every number strictly between them. ``ends`` lets those two pass as well, as
        limits that values are moved to. Text is let pass.

        Raises
        ------
        ColumnTypeError
            If the type has 128 bits and a number lies outside.
        """
        reach = _REACHES.get(self.reading)
        if reach is None:
            return
        low, high = reach
        for number in numbers:
            if isinstance(number, (int, float, Fraction)) and not (
                low < number < high or (ends and low <= number <= high)
            ):
                raise ColumnTypeError(
                    f"column {self.name!r} has type {self.kind}, whose numbers are read in 64 bits:"
                    f" {what} must lie between {max(low, -(2**63))} and {high}; convert the column "
                    "to float64 for more"
                )


@dataclass(frozen=True, slots=True, repr=False)
class Column:
    """NOT PRIVATE: the values of one column, as they are in the data.

    Parameters
    ----------
    type
        The public schema.
    values
        One-dimensional: float32 or float64, where NaN is a missing value; or a signed, unsigned or
        boolean integer dtype in native byte order, exact. Not to be written to: it may be the
        caller's own memory.
    missing
        A boolean mask of the same length, True where a value is missing; only beside integer
        values; ``None`` if there is none. The integer under a True entry means nothing.

    Guarantee
    ---------
    The repr and ``str`` print the name and type only, no value and no number of rows.
    """

    type: ColumnType
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None

    def __repr__(self) -> str:
        """Name the column and its type; print nothing of the data."""
        return f"Column({self.type!r}, NOT PRIVATE)"
