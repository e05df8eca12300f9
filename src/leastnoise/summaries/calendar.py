"""Parts of a calendar, of the number of a day: the Gregorian calendar, before 1582 and 1 as well.

The same steps for every back end, on doubles that are whole numbers below 2^37, where all of them
are exact. A year is counted from March: so its odd day is the last one (Neri and Schneider 2023).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Literal, TypeAlias

Part: TypeAlias = Literal[
    "YEAR", "QUARTER", "MONTH", "HOUR",
    "YEAR START", "QUARTER START", "MONTH START", "WEEK START",
]  # fmt: skip
REACH = 2.0**35
"""Days below this in magnitude have parts: more than any type of dates holds."""

_CENTURIES, _DAYS_OF_THEM = 400, 146_097
# So many years of 400 are added that no number is negative, and days from March of the year 0.
_MORE = 400_000
_SHIFT = 719_468 + _MORE * _DAYS_OF_THEM
_MONDAY = 3 + 7 * 10**10


def steps(
    part: Part,
    days: Any,
    floored: Callable[[Any, int], Any],
    where: Callable[[Any, Any, Any], Any],
) -> Generator[Any, Any, None]:
    """What is worked out one after the other, each of those before; the last is the part.

    Parameters
    ----------
    part
        A number, or the day on which one begins; weeks begin on Monday.
    days
        Whole numbers since 1970-01-01, below ``REACH`` in magnitude; for hours the seconds since
        midnight.
    floored
        (a, b) to the whole part of a / b, of whole numbers that are not negative.
    where
        (condition, one, other) to one where it holds, else the other.
    """
    if part == "HOUR":
        yield floored(days, 3600)
        return
    if part == "WEEK START":
        since = yield days + float(_MONDAY)
        yield days - (since - floored(since, 7) * 7.0)
        return
    since = yield days + float(_SHIFT)
    cycle = yield floored(since, _DAYS_OF_THEM)
    day = yield since - cycle * float(_DAYS_OF_THEM)
    odd = floored(day, 1460) - floored(day, 36_524) + floored(day, 146_096)
    inside = yield floored(day - odd, 365)
    day = yield day - (inside * 365.0 + floored(inside, 4) - floored(inside, 100))
    place = yield floored(day * 5.0 + 2.0, 153)  # 0 is March
    year = yield cycle * float(_CENTURIES) + inside
    month = yield where(place >= 10.0, place - 9.0, place + 3.0)
    quarter = yield floored(month + 2.0, 3)
    match part:
        case "YEAR":
            yield year - float(_MORE * _CENTURIES) + where(month <= 2.0, 1.0, 0.0)
            return
        case "QUARTER":
            yield quarter
            return
        case "MONTH":
            yield month
            return
        case "MONTH START":
            first = place
        case "QUARTER START":  # that of March is in the year before
            first = yield where(quarter == 1.0, 10.0, quarter * 3.0 - 5.0)
            year = yield year - where(month == 3.0, 1.0, 0.0)
        case "YEAR START":
            first = 10.0
            year = yield year - where(month > 2.0, 1.0, 0.0)
    leaps = floored(year, 4) - floored(year, 100) + floored(year, 400)
    yield year * 365.0 + leaps + floored(first * 153.0 + 2.0, 5) - float(_SHIFT)


def part_of(part: Part, day: int) -> int:
    """The part of one day, in whole numbers."""
    found: Any = None
    working = steps(part, day, lambda a, b: a // b, lambda c, one, other: one if c else other)
    while True:
        try:
            found = working.send(found)
        except StopIteration:
            return int(found)
