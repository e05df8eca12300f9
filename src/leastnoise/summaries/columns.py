"""One column as every front end provides it: its public schema and its private values.

Dates, times and durations are whole numbers, whose unit the constants of a request declare. A
date counts as days, a time of day and a duration as seconds, always rounded down: a moment belongs
to the day, or the second, in which it lies. Times with a zone are moments of UTC and are never
mixed with times that have none: a wall clock without a zone does not give a moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError, ParameterError, kind_of, quoted
from leastnoise.foreign import is_list_or_tuple
from leastnoise.params import listed

Time = date | timedelta
"""A constant or an answer; a datetime is a date."""
Shown = Literal["number", "time", "difference"]
"""How an answer about times is shown: as an entry, or as the distance between two."""

# A duration as text: of ISO 8601, or a number with its unit.
_SPAN = re.compile(
    r"([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?(?<=[WDHMS])",
    re.ASCII,
)
_SHORT_SPAN = re.compile(
    r"([+-]?\d+(?:\.\d+)?) ?(?:(w|weeks?)|(d|days?)|(h|hours?)|(min|minutes?)|(s|sec|seconds?))",
    re.ASCII,
)
_UNITS = ("weeks", "days", "hours", "minutes", "seconds")
_EPOCH, _ZONED = datetime(1970, 1, 1), datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400


class Clock(Enum):
    """How whole numbers stand for times."""

    DAY = "days since 1970-01-01"
    LOCAL = "seconds since 1970-01-01, without a time zone"
    INSTANT = "seconds since 1970-01-01, of UTC"
    SPAN = "seconds"

    @property
    def seconds(self) -> int:
        """The seconds of one unit."""
        return _DAY if self is Clock.DAY else 1

    @property
    def cure(self) -> str:
        """The constants that declare this clock."""
        return _CONSTANTS[self]

    def number(self, value: Time, name: str) -> int:
        """The number of a constant.

        Raises
        ------
        ParameterError
            If it has parts of a second, which entries lose.
        """
        seconds, whole = _seconds(value)
        if not whole:
            raise ParameterError(f"{name}: times are read to the second, got {quoted(value)}")
        return seconds // self.seconds

    def constant(self, value: object, name: str) -> object:
        """A constant beside others of this clock: its number if it is a time, else as it is."""
        known = clock_of(value)
        if known is None or not (known is self or self._holds(known)):
            return value
        return self.number(value, name)  # pyright: ignore[reportArgumentType]  # it has a clock

    def numbers(self, values: Sequence[Time]) -> tuple[int, ...]:
        """The numbers of constants, of this clock or midnights beside it."""
        return tuple(self.number(value, "a key") for value in values)

    def step(self, value: object) -> object:
        """The spacing of a lattice: whole units, however many are given as a duration."""
        if clock_of(value) is not Clock.SPAN:
            return value
        seconds = Clock.SPAN.number(value, "step")  # pyright: ignore[reportArgumentType]
        return Fraction(seconds, self.seconds)

    def _holds(self, other: Clock) -> bool:
        """Whether a constant of another clock may stand beside those of this one: midnights."""
        return self is Clock.LOCAL and other is Clock.DAY

    def time(self, number: float | Fraction) -> Any:
        """The nearest time that Python can hold; ties go to the even number."""
        whole = round(number)
        if self is Clock.SPAN:
            return _clamped(whole, timedelta.min, timedelta.max)
        if self is Clock.DAY:
            first = _EPOCH.toordinal()
            last = date.max.toordinal()
            return date.fromordinal(min(max(whole + first, 1), last))
        low, high = datetime.min - _EPOCH, datetime.max - _EPOCH
        return (_EPOCH if self is Clock.LOCAL else _ZONED) + _clamped(whole, low, high)

    def written(self, number: Fraction) -> str:
        """A constant in a condition that is written as text."""
        if self is Clock.SPAN:
            return f"timedelta(seconds={number})"
        kind = "date" if self is Clock.DAY else "datetime"
        return f"{kind}({self.time(number).isoformat()!r})"

    def shown(self, value: Any, what: Shown) -> Any:
        """An answer, or a list of answers, in terms of this clock."""
        if what == "number" or value is None or isinstance(value, str):
            return value
        if is_list_or_tuple(value):
            found = [self.shown(entry, what) for entry in value]
            return found if isinstance(value, list) else tuple(found)
        if what == "difference":
            return Clock.SPAN.time(Fraction(value) * self.seconds)
        return self.time(value)


_CONSTANTS = {
    Clock.DAY: "dates, such as datetime.date(2024, 1, 31)",
    Clock.LOCAL: "datetimes, such as datetime.datetime(2024, 1, 31, 12, 30)",
    Clock.INSTANT: "datetimes with a time zone, such as datetime.datetime(2024, 1, 31, tzinfo=UTC)",
    Clock.SPAN: "durations, such as datetime.timedelta(hours=1)",
}


def duration_of(text: str) -> timedelta | None:
    """The duration that a text declares, such as "PT1H30M", "90 min" or "2h"; None if it is none.

    >>> duration_of("PT1H30M") == duration_of("90 min") == timedelta(minutes=90)
    True
    """
    if (iso := _SPAN.fullmatch(text.strip())) is not None:
        sign, *parts = iso.groups()
        found = {unit: float(part or 0) for unit, part in zip(_UNITS, parts, strict=True)}
        return -_span(found) if sign == "-" else _span(found)
    if (short := _SHORT_SPAN.fullmatch(text.strip())) is not None:
        number, *units = short.groups()
        return _span({_UNITS[i]: float(number) for i, unit in enumerate(units) if unit})
    return None


def _span(parts: dict[str, float]) -> timedelta:
    try:
        return timedelta(**parts)
    except OverflowError:
        raise ParameterError("a duration is at most 999,999,999 days") from None


def clock_of(value: object) -> Clock | None:
    """The clock that a constant declares; None if it is not a date, time or duration."""
    kind: type[object] = type(value)
    if kind.__name__ in ("datetime64", "timedelta64") and kind.__module__ == "numpy":
        import numpy as np  # loaded already, wherever such a constant comes from

        given: Any = value
        unit = np.datetime_data(given.dtype)[0]
        if np.isnat(given) or unit == "generic":
            return None
        if kind.__name__ == "timedelta64":
            return None if unit in ("Y", "M") else Clock.SPAN
        return Clock.DAY if unit in ("Y", "M", "W", "D") else Clock.LOCAL
    if isinstance(value, timedelta):
        return Clock.SPAN
    if isinstance(value, datetime):
        if kind.__name__ == "NaTType":
            return None
        return Clock.LOCAL if value.tzinfo is None else Clock.INSTANT
    return Clock.DAY if isinstance(value, date) else None


def declared(values: object) -> tuple[Clock | None, object]:
    """The clock and the numbers of a list of constants; None and the list if none is a time.

    Dates beside times are midnights. A time of another clock is left as it is: the parser of
    numbers, to which the list goes next, refuses it.

    Raises
    ------
    ParameterError
        If numbers or text stand beside times: 19000 may be days, seconds or a slip.
    """
    entries = listed(values)
    if not is_list_or_tuple(entries):
        return None, values
    clocks = {clock for entry in entries if (clock := clock_of(entry)) is not None}
    if not clocks:
        return None, values
    clock = Clock.LOCAL if Clock.LOCAL in clocks else min(clocks, key=lambda one: one.name)
    for entry in entries:
        if entry is not None and clock_of(entry) is None:
            raise ParameterError(
                f"{kind_of(entry)} is mixed with dates or times: give {clock.cure}"
            )
    return clock, [clock.constant(entry, "a constant") for entry in entries]


def agreed(declared: Iterable[tuple[str | None, Clock | None]]) -> dict[str | None, Clock]:
    """The clock of each column that is compared with times.

    Raises
    ------
    ParameterError
        If one column is compared with times of two clocks, or also with text or numbers.
    """
    found: dict[str | None, Clock | None] = {}
    for name, clock in declared:
        if found.setdefault(name, clock) is not clock:
            told = " and with ".join(
                "text or numbers" if one is None else one.cure for one in (found[name], clock)
            )
            column = "the column" if name is None else f"column {name!r}"
            raise ParameterError(f"{column} is compared with {told} in one release: use one kind")
    return {name: clock for name, clock in found.items() if clock is not None}


def _seconds(value: Any) -> tuple[int, bool]:
    """A constant in seconds, and whether nothing is lost."""
    given: object = value
    kind: type[object] = type(given)
    if kind.__module__ == "numpy":
        whole = value.astype("M8[s]" if kind.__name__ == "datetime64" else "m8[s]")
        return int(whole.astype("i8")), bool(whole == value)
    if isinstance(value, timedelta):
        since = value
    elif isinstance(value, datetime):
        since = value - (_EPOCH if value.tzinfo is None else _ZONED)
    else:
        since = timedelta(days=value.toordinal() - _EPOCH.toordinal())
    return since.days * _DAY + since.seconds, not since.microseconds


def _clamped(seconds: int, low: timedelta, high: timedelta) -> timedelta:
    def whole(limit: timedelta) -> int:
        return limit.days * _DAY + limit.seconds

    return timedelta(seconds=min(max(seconds, whole(low)), whole(high)))


class Reading(Enum):
    """How the entries of a declared type are read: the reading contract knows no other way.

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
    """Declared categories, distinguished by their text and never read as numbers."""

    ENTRIES = "entries"
    """No declared type: each entry is read by itself."""
    NULL = "null"
    """Every entry is missing."""

    DATE = "date"
    MOMENT = "date with a time"
    INSTANT = "date with a time and a time zone"
    DURATION = "duration"

    NESTED = "nested"
    OTHER = "other"


_WHOLE = frozenset({Reading.BOOLEAN, Reading.INTEGER, Reading.INT128, Reading.UINT128})
# Numbers are read as 64 bits: these are the last that differ from all beyond them.
_REACHES = {Reading.INT128: (-(2**63), 2**63 - 1), Reading.UINT128: (-1, 2**64 - 1)}


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The public schema of one column, known before any value is read.

    Parameters
    ----------
    name
        The column's name; ``None`` for a bare array or series.
    kind
        The name of the type in its library, for messages.
    reading
        How its entries are read.
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
        """Whether different numbers of this type may become equal when read."""
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
