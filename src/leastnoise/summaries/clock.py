"""Dates, times and durations as whole numbers: of which unit, the constants of a request declare.

A date counts as days, a time of day and a duration as seconds, always rounded down: a moment
belongs to the day, or the second, in which it lies. Times with a zone are moments of UTC and are
never mixed with times that have none: what a clock on a wall shows is no moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from fractions import Fraction
from typing import Any, Literal

from leastnoise.errors import ParameterError
from leastnoise.params import listed
from leastnoise.typeguards import is_list_or_tuple

Time = date | timedelta
"""A constant or an answer; a datetime is a date."""
Shown = Literal["number", "time", "difference"]
"""What an answer about a column of times is: as one of its entries, or as how far two are apart."""

_EPOCH, _ZONED = datetime(1970, 1, 1), datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400


class Clock(Enum):
    """What whole numbers stand for times."""

    DAY = "days since 1970-01-01"
    LOCAL = "seconds since 1970-01-01, without a time zone"
    INSTANT = "seconds since 1970-01-01, of UTC"
    SPAN = "seconds"

    @property
    def seconds(self) -> int:
        """How many seconds one of its units has."""
        return _DAY if self is Clock.DAY else 1

    @property
    def cure(self) -> str:
        """The constants that declare it."""
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
            raise ParameterError(f"{name}: times are read to the second, got {value!r}")
        return seconds // self.seconds

    def constant(self, value: object, name: str) -> object:
        """A constant beside others of this clock: its number if it is a time, else as it is."""
        known = clock_of(value)
        if known is None or not (known is self or self._holds(known)):
            return value
        return self.number(value, name)  # pyright: ignore[reportArgumentType]  # it has a clock

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
        """The nearest time that Python can hold; of two equally near ones the even number."""
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


def clock_of(value: object) -> Clock | None:
    """The clock that a constant declares; None if it is no date, time or duration."""
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
    """The clock of a list of constants, and their numbers; None and the list where none is a time.

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
            raise ParameterError(f"{entry!r} is mixed with dates or times: give {clock.cure}")
    return clock, [clock.constant(entry, "a constant") for entry in entries]


def agreed(asked: Iterable[tuple[str | None, Clock | None]]) -> dict[str | None, Clock]:
    """The clocks of columns that are compared with times, one each.

    Raises
    ------
    ParameterError
        If one column is compared with times of two clocks, or also with text or numbers.
    """
    found: dict[str | None, Clock | None] = {}
    for name, clock in asked:
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
