"""One column as every front end hands it on: its public schema and its private values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ColumnTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The public schema of one column, known before any value is read.

    Parameters
    ----------
    name
        The column's name; ``None`` for a bare array or series.
    kind
        The type as the front end calls it, for messages.
    integer
        True for an integer or boolean type: the lattice step is 1.
    nullable
        True if the type can hold missing values.

    Guarantee
    ---------
    A function of names and declared types only, so it may be printed and recorded.
    """

    name: str | None
    kind: str
    integer: bool
    nullable: bool

    @property
    def wide(self) -> bool:
        """Whether numbers of this type may be equal once read, though they differ in the data."""
        return self.kind.lower().startswith(("decimal", "int128", "uint128"))

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
        kind = self.kind.lower().split("[")[0]
        reach = {"int128": (-(2**63), 2**63 - 1), "uint128": (-1, 2**64 - 1)}.get(kind)
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
