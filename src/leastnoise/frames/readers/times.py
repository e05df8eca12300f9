"""Times as whole numbers of a clock, each entry on its own; one that cannot be read is missing.

A column of a declared type holds counts of a unit, which are scaled and rounded down. Entries of no
declared type are read by what they are:

* dates, datetimes and durations of Python, of pandas and of numpy;
* text in ISO form: 2024-01-31, 2024-01-31T12:30:00.5, with a zone +02:00 or Z, and P1DT12H30M5S;
* everything else, numbers too: missing.

A date is midnight where times are asked for; a time is its day where dates are. A time with a zone
is read by `Clock.INSTANT` alone, and one without by the others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.foreign import attempted, guarded
from leastnoise.frames.contract import Absent, Mask, Run
from leastnoise.frames.readers.values import LONGEST, unheard
from leastnoise.production import quiet
from leastnoise.summaries.columns import Clock

GONE = -(2**63)
"""No count of a unit, but what numpy calls no time."""
_MOST = 2**63 - 1
_DAY, _FIRST = 86_400, date(1970, 1, 1).toordinal()
_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,18})?)?"
    r"(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_SPAN = re.compile(
    r"([+-]?)P(?:([0-9]{1,9})W)?(?:([0-9]{1,9})D)?"
    r"(?:T(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})(\.[0-9]{1,18})?S)?)?"
)
_SCALARS: tuple[type[object], ...] = (np.datetime64, np.timedelta64)
_PARTS: tuple[Any, ...] = (datetime.hour, datetime.minute, datetime.second, datetime.microsecond)
_LENGTHS: tuple[Any, ...] = (timedelta.days, timedelta.seconds, timedelta.microseconds)
_ZONE: Any = datetime.tzinfo
_UNITS = (7 * _DAY, _DAY, 3600, 60, 1)


def on_clock(
    counts: NDArray[np.int64], missing: Mask | None, unit: Fraction, clock: Clock
) -> tuple[NDArray[np.int64], Mask]:
    """Counts of a unit of some seconds on a clock, rounded down; too large ones are missing."""
    ratio = unit / clock.seconds
    times, per = ratio.numerator, ratio.denominator
    gone = counts == GONE
    if missing is not None:
        gone |= missing
    if times == 1:
        if per > _MOST:
            return np.where(counts < 0, np.int64(-1), np.int64(0)), gone
        return (counts if per == 1 else counts // per), gone
    if per > _MOST // times:  # such a type is rare: a unit such as [7as]
        exact = (int(count) * times // per for count in counts)
        return np.fromiter(exact, np.int64, len(counts)), gone
    whole = counts // per
    most = _MOST // times - (per > 1)
    gone |= (whole > most) | (whole < -most)
    values = np.where(gone, 0, whole) * times
    return (values if per == 1 else values + (counts - whole * per) * times // per), gone


def marked(values: NDArray[np.int64], clock: Clock, absent: Absent) -> Mask | None:
    """Where a time stands for a missing entry: one that is declared as text; None where none is."""
    numbers = {_of_text(text, clock) for text in absent.texts} - {GONE}
    return np.isin(values, list(numbers)) if numbers else None


def of_entries(runs: Iterable[Run], clock: Clock) -> tuple[NDArray[np.int64], Mask]:
    """Entries of no declared type, one by one; never raises, whatever they are."""
    found: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    with guarded(), quiet():
        for entries, places in runs:
            with unheard(entries):
                read = _read(entries, clock)
            if places is not None:
                read = np.append(read, GONE)[places]
            found.append(read)
    values = np.concatenate(found)
    return values, values == GONE


def _read(entries: Sequence[object], clock: Clock) -> NDArray[np.int64]:
    known: dict[str, int] = {}  # a text that is repeated is read once
    pandas = _of_pandas()

    def one(entry: object) -> int:
        kind: type[object] = type(entry)
        if kind is not str:
            return GONE if entry is None else _of_object(entry, kind, clock, pandas)
        text: Any = entry
        if text not in known:
            known[text] = _of_text(text, clock)
        return known[text]

    return np.fromiter(map(one, entries), np.int64, len(entries))


def _of_text(text: str, clock: Clock) -> int:
    if len(text) > LONGEST:
        return GONE
    text = text.strip()
    if clock is Clock.SPAN:
        return _of_span(text)
    found = _MOMENT.fullmatch(text)
    if found is None:
        return GONE
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    try:
        at = datetime(year, month, day, hour, minute, second)
    except ValueError:
        return GONE
    seconds = (at.toordinal() - _FIRST) * _DAY + 3600 * hour + 60 * minute + second
    zone = found[7]
    if (zone is None) is (clock is Clock.INSTANT):
        return GONE
    if zone is not None and zone != "Z":
        digits = zone[1:].replace(":", "").ljust(4, "0")
        away = 3600 * int(digits[:2]) + 60 * int(digits[2:])
        if away >= _DAY or int(digits[2:]) > 59:
            return GONE
        seconds -= away if zone[0] == "+" else -away
    return seconds // clock.seconds


def _of_span(text: str) -> int:
    found = _SPAN.fullmatch(text)
    if found is None or text[-1] in "PT":
        return GONE
    sign, *parts, rest = found.groups()
    whole = sum(int(part or 0) * unit for part, unit in zip(parts, _UNITS, strict=True))
    if sign != "-":
        return whole
    return -whole - bool(rest and rest.strip(".0"))


def _of_object(entry: Any, kind: type[object], clock: Clock, pandas: tuple[type[Any], ...]) -> int:
    """By methods of the classes that define them: those of a subclass are anybody's."""
    if issubclass(kind, _SCALARS):
        return attempted(lambda: _of_scalar(entry, kind, clock), GONE)
    for own in pandas:
        if issubclass(kind, own):  # out of Python's range, other times stand in its fields
            return attempted(lambda: _of_numpy(entry, clock), GONE) if kind is own else GONE
    if issubclass(kind, timedelta):
        return attempted(lambda: _of_timedelta(entry, clock), GONE)
    if issubclass(kind, datetime):
        return attempted(lambda: _of_datetime(entry, clock), GONE)
    if issubclass(kind, date):
        return attempted(lambda: _of_date(entry, clock), GONE)
    if not issubclass(kind, str):
        return GONE
    return attempted(lambda: _of_text(str.__str__(entry), clock), GONE)


def _of_date(entry: date, clock: Clock) -> int:
    if clock in (Clock.SPAN, Clock.INSTANT):
        return GONE
    return (date.toordinal(entry) - _FIRST) * _DAY // clock.seconds


def _of_datetime(entry: datetime, clock: Clock) -> int:
    if clock is Clock.SPAN or type(entry).__name__ == "NaTType":
        return GONE
    zone = datetime.utcoffset(entry)
    if (zone is None) is (clock is Clock.INSTANT):
        return GONE
    hour, minute, second, micro = (part.__get__(entry) for part in _PARTS)
    since = (date.toordinal(entry) - _FIRST) * _DAY + 3600 * hour + 60 * minute + second
    if zone is not None:
        days, seconds, under = (part.__get__(zone) for part in _LENGTHS)
        since -= days * _DAY + seconds + (under > micro)
    return since // clock.seconds


def _of_timedelta(entry: timedelta, clock: Clock) -> int:
    if clock is not Clock.SPAN:
        return GONE
    days, seconds, _ = (part.__get__(entry) for part in _LENGTHS)
    return days * _DAY + seconds


def _of_scalar(entry: Any, kind: type[object], clock: Clock) -> int:
    wanted = clock is Clock.SPAN
    if issubclass(kind, np.timedelta64) is not wanted or clock is Clock.INSTANT:
        return GONE
    return _scaled(entry, clock)


def _of_pandas() -> tuple[type[Any], ...]:
    """The times of pandas, if it is loaded."""
    pandas: Any = sys.modules.get("pandas")
    found = (getattr(pandas, name, None) for name in ("Timestamp", "Timedelta"))
    return tuple(kind for kind in found if isinstance(kind, type))


def _of_numpy(entry: Any, clock: Clock) -> int:
    """A time of pandas, by the one of numpy that it holds: of UTC where it has a zone."""
    if issubclass(type(entry), timedelta):
        return _scaled(entry.asm8, clock) if clock is Clock.SPAN else GONE
    zone = _ZONE.__get__(entry)
    if clock is Clock.SPAN or (zone is None) is (clock is Clock.INSTANT):
        return GONE
    return _scaled(entry.asm8, clock)


def _scaled(entry: Any, clock: Clock) -> int:
    unit, count = seconds_of(entry.dtype), int(entry.astype("i8"))
    if unit is None or count == GONE:
        return GONE
    found = count * unit.numerator // (unit.denominator * clock.seconds)
    return found if -_MOST <= found <= _MOST else GONE


def seconds_of(dtype: np.dtype[Any]) -> Fraction | None:
    """How many seconds one count of a type of numpy's stands for; None where that varies."""
    unit, count = np.datetime_data(dtype)
    seconds = _SECONDS.get(unit)
    return None if seconds is None else seconds * count


_SECONDS = {
    "W": Fraction(7 * _DAY),
    "D": Fraction(_DAY),
    "h": Fraction(3600),
    "m": Fraction(60),
    **{
        unit: Fraction(1, 1000**i)
        for i, unit in enumerate(("s", "ms", "us", "ns", "ps", "fs", "as"))
    },
}
