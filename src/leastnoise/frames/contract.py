"""The reading contract: which physical types are read, and what an entry of each becomes.

A front end finds the physical type of a column in its schema, by the type objects of its own
library. Each type is read in one of the ways of `Reading`, into an array whose dtype depends on the
declared type alone, with a mask of what is missing. So no entry affects how another is read. A type
that is in no front end's table is refused before a value is looked at
(``docs/decisions/0015-the-reading-contract.md``).

Besides blank entries, one rule says which entries count as missing: an entry is missing if its
text, without the blanks around it, is one of the declared texts; if it is one of the declared
numbers; or if it is text that reads as one of them, in a column of numbers or of no type. A
declared text that reads as a number stands for that number too. A text that is declared as a label
or a constant is never missing: "NA" may be Namibia. A number that is declared as both is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError, ParameterError, ParameterTypeError
from leastnoise.foreign import is_list_or_tuple
from leastnoise.numbers import as_fraction
from leastnoise.summaries.columns import Clock, Column, ColumnType, Reading

if TYPE_CHECKING:
    from leastnoise.frames.readers.values import Dialect


STANDARD = (
    *("NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None"),
    "\\N",
)
"""How programs write a missing entry: R, Excel, pandas, Python, C, SQL, MySQL."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Texts and numbers that stand for a missing entry.

    Parameters
    ----------
    texts
        Without blanks around them.
    written
        The numbers that were not given as text, as Python writes them, for columns that are
        declared to hold text.
    numbers
        The given numbers, and those that the texts read as.
    infinite
        The infinities that texts read as.
    """

    texts: frozenset[str] = frozenset(STANDARD)
    written: frozenset[str] = frozenset()
    numbers: tuple[Fraction, ...] = ()
    infinite: frozenset[float] = frozenset()

    @classmethod
    def of(cls, values: object, read: Callable[[str], Fraction | float | None]) -> Absent:
        """Check what was declared; None for the default.

        Parameters
        ----------
        values
            Texts and numbers.
        read
            The number that a text reads as, infinite ones as doubles; None if it is none.

        Raises
        ------
        ParameterTypeError, ParameterError
            If it is not a list of texts and finite numbers.
        """
        if values is None:
            return cls()
        if not is_list_or_tuple(values):
            raise ParameterTypeError(
                "missing_values must be a list of texts and numbers, such as ['NA', -999], not "
                f"{type(values).__name__}"
            )
        texts, written, numbers = set[str](), set[str](), list[Fraction | float]()
        for value in values:
            if isinstance(value, str):
                texts.add(value.strip())
                number = read(value)
                numbers += [] if number is None else [number]
            elif isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool):
                numbers.append(_number(value))
                written.add(str(value))
            else:
                raise ParameterTypeError(
                    f"missing_values holds texts and numbers, not {type(value).__name__}; what is "
                    "blank, None or NaN is missing anyway"
                )
        finite = dict.fromkeys(x for x in numbers if isinstance(x, Fraction))
        infinite = frozenset(x for x in numbers if isinstance(x, float))
        return cls(frozenset(texts), frozenset(written), tuple(finite), infinite)

    @property
    def doubles(self) -> frozenset[float]:
        """All numbers, as text and objects are read."""
        return frozenset({*map(float, self.numbers), *self.infinite})

    def typed(self, kind: ColumnType) -> ColumnType:
        """The public type of a column of numbers some of which stand for a missing entry."""
        known = self.numbers or self.infinite
        return replace(kind, nullable=True, absent=self.numbers) if known else kind


def _number(value: float | Decimal | Fraction) -> Fraction:
    """A number that a double can hold, with no more digits than anyone writes."""
    try:
        if isfinite(value):
            str(value)
            return as_fraction(value)
    except (ArithmeticError, ValueError):
        pass
    raise ParameterError(
        "missing_values holds finite numbers that a double can hold, of at most 4,000 digits; NaN "
        "is missing anyway"
    )


Mask = NDArray[np.bool_]
Run = tuple[Sequence[object], NDArray[np.int64] | None]
"""Entries, and for each row the position of its entry, -1 for none; None if rows are entries."""

FLOAT64: np.dtype[Any] = np.dtype(np.float64)
# Types that can hold a missing entry whatever their schema says.
_OPEN = frozenset({Reading.FLOAT, Reading.ENTRIES, Reading.NULL})
_NUMBERS = frozenset(
    {
        *(Reading.BOOLEAN, Reading.INTEGER, Reading.INT128, Reading.UINT128),
        *(Reading.FLOAT, Reading.DECIMAL),
    }
)
_TEXTS = frozenset({Reading.TEXT, Reading.CATEGORIES})

FROM_DATES = (
    "compare it with dates, bounds=(datetime.date(2024, 1, 1), datetime.date(2024, 12, 31)), or "
    "convert it to a number first, for example days since a public date"
)
FROM_DURATIONS = (
    "compare it with durations, bounds=(timedelta(0), timedelta(hours=8)), or convert it to a "
    "number first, for example seconds"
)
TIME_OF_DAY = "convert it to a number first, for example seconds since midnight"
_CLOCKS = {
    Reading.DATE: (Clock.DAY, Clock.LOCAL),
    Reading.MOMENT: (Clock.LOCAL, Clock.DAY),
    Reading.INSTANT: (Clock.INSTANT,),
    Reading.DURATION: (Clock.SPAN,),
}
"""The clocks that a type of times is read by, its own first."""
_TO_NUMBERS = {
    Reading.TEXT: (
        "convert the column to float64 first, with a missing value where the text is no number; if "
        "it holds dates, convert it to dates and give bounds=(date(2024, 1, 1), date(2025, 1, 1))"
    ),
    Reading.CATEGORIES: (
        "categories are never read as numbers, even if they are; convert the column to float64, or "
        "count its declared categories with Mode or Histogram"
    ),
    **dict.fromkeys((Reading.DATE, Reading.MOMENT, Reading.INSTANT), FROM_DATES),
    Reading.DURATION: FROM_DURATIONS,
    Reading.NESTED: "take one field of it as a column of its own",
    Reading.OTHER: "convert the column to float64 first",
}
_AS_NUMBERS = "write the declared labels as numbers, for example [1, 2], or [0, 1] for booleans"


@dataclass(frozen=True, slots=True)
class Physical:
    """One type of a front end and how it is read: a row of the contract's table.

    Parameters
    ----------
    kind
        The name of the type in its library, for messages: without widths, units and scales, which
        libraries derive from values.
    reading
        What the entries are.
    dtype
        The type of the array that its numbers are read into.
    nullable
        Whether the schema lets an entry be missing.
    cure
        What to do instead, where the usual advice does not apply.
    unit
        For times, read as whole numbers: the seconds of one unit.
    """

    kind: str
    reading: Reading
    dtype: np.dtype[Any] = FLOAT64
    nullable: bool = True
    cure: str = ""
    unit: Fraction = Fraction(1)

    @property
    def clock(self) -> Clock | None:
        """The clock that the type itself declares."""
        return _CLOCKS[self.reading][0] if self.reading in _CLOCKS else None

    @property
    def untyped(self) -> bool:
        """Whether the entries have no declared type, so that each may be text or a number."""
        return self.reading in (Reading.ENTRIES, Reading.NULL)

    def timed(self, name: str | None, clock: Clock) -> ColumnType:
        """Give the public type of a column that is read by a clock: whole numbers, or missing.

        Raises
        ------
        ColumnTypeError
            If the type holds no such times.
        """
        if self.untyped or clock in _CLOCKS.get(self.reading, ()):
            return ColumnType(name, self.kind, Reading.INTEGER, nullable=True)
        held = f"which is not compared with {clock.cure}"
        if self.clock is not None:
            cure = f"use {self.clock.cure}"
        elif self.reading in _NUMBERS:
            cure = "compare it with numbers"
            if clock is Clock.SPAN:  # what Parquet tells readers of Arrow alone
                cure += ", or read a Parquet file of durations by pyarrow or Polars, not by DuckDB"
        else:
            cure = self.cure or (
                "convert the column to dates first, each entry by itself and of a declared format"
            )
        raise ColumnTypeError(f"{called(name)} has type {self.kind}, {held}; {cure}")

    def column_type(self, name: str | None) -> ColumnType:
        """Give the public type of a column that is read as numbers.

        Raises
        ------
        ColumnTypeError
            If the type holds no numbers.
        """
        if self.reading in _NUMBERS or self.reading in _OPEN:
            nullable = self.nullable or self.reading in _OPEN
            return ColumnType(name, self.kind, self.reading, nullable)
        cure = self.cure or _TO_NUMBERS[self.reading]
        raise ColumnTypeError(
            f"{called(name)} has type {self.kind}, which holds no numbers; {cure}"
        )

    def text_type(self, name: str | None) -> ColumnType:
        """Give the public type of a column that is read as text labels.

        Raises
        ------
        ColumnTypeError
            If the type holds no text.
        """
        if self.reading in _TEXTS or self.reading in (Reading.ENTRIES, Reading.NULL):
            return ColumnType(name, self.kind, self.reading, nullable=True)
        cure = _AS_NUMBERS if self.reading in _NUMBERS else "convert the column to text first"
        if self.clock is not None:
            cure = f"filters, keys and bins take {self.clock.cure}; else {cure}"
        raise ColumnTypeError(f"{called(name)} has type {self.kind}, which holds no text; {cure}")


class Front(Protocol):
    """The reader of one library's columns: a module of ``leastnoise.frames.libraries``."""

    def accepted(self) -> Sequence[Any]:
        """Give the types that are read, as this library names them.

        A type with parameters is listed with some of their values.
        """
        ...

    def physical(self, dtype: Any) -> Physical:
        """Give the row of the table for a type, from that type alone; never raises."""
        ...

    def numbers(
        self, native: Any, physical: Physical, dialect: Dialect
    ) -> tuple[NDArray[Any], Mask | None]:
        """Read a column as an array of ``physical.dtype`` and a mask of what is missing."""
        ...

    def texts(self, native: Any, physical: Physical) -> Iterable[Run]:
        """Read a column as entries that are distinguished by their text, run by run."""
        ...


def settled(type: ColumnType, values: NDArray[Any], missing: Mask | None) -> Column:
    """The column of these values: NaN where a float is missing, a mask beside integers."""
    if missing is not None and not missing.any():
        missing = None
    if missing is not None and values.dtype.kind == "f":
        return Column(type, np.where(missing, values.dtype.type(np.nan), values), None)
    return Column(type, values, missing)


def called(name: str | None) -> str:
    """The name of a column in messages."""
    return "the column" if name is None else f"column {name!r}"
