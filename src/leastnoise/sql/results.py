"""All that a value can be, from public knowledge: so a CASE brings its own keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, TypeAlias

from leastnoise.sql.forms import NOTHING
from leastnoise.sql.schema import ColumnFacts
from leastnoise.summaries.calendar import part_of
from leastnoise.summaries.columns import Clock, clock_of
from leastnoise.summaries.expressions import (
    Arithmetic,
    Calendar,
    Choice,
    Entry,
    Floor,
    Joined,
    Length,
    Lookup,
    Moment,
    Number,
    Numeric,
    Slice,
    Text,
    TextChoice,
    TextEntry,
    TextLookup,
    Value,
    Whole,
)

Facts: TypeAlias = Callable[[str], ColumnFacts]
"""What is declared of a column."""
_MOST_RESULTS = 1000
MOST_PARTS = 500
_EPOCH = date(1970, 1, 1).toordinal()
_LONGEST = {"YEAR": 366, "QUARTER": 92, "MONTH": 31, "WEEK": 7}


def results(value: Value, facts: Facts) -> tuple[Any, ...] | None:
    """All that a value can be, in the order in which it is written; None if that is not known."""
    match value:
        case Entry(column) | Whole(column) | TextEntry(column):
            return facts(column).keys
        case Slice(of, start, length):
            whole = results(of, facts)
            if whole is None or not all(isinstance(text, str) for text in whole):
                return None
            end = None if length is None else start + length
            return _read(text[start:end] for text in whole)
        case Joined(texts):
            several = [results(text, facts) for text in texts]
            if any(each is None for each in several):
                return None
            if prod(len(each or ()) for each in several) > _MOST_RESULTS:
                return None
            return _read(map("".join, product(*(each or () for each in several))))
        case Length(of):
            texts = results(of, facts)
            if texts is None or not all(isinstance(text, str) for text in texts):
                return None
            return tuple(sorted({len(text) for text in texts}))
        case Calendar():
            return parts_between(value, facts)
        case Arithmetic() if (days := since_start(value)) is not None:
            return tuple(days)
        case TextChoice(branches, otherwise) | Choice(branches, otherwise):
            found: list[Any] = []
            for one in (*(chosen for _, chosen in branches), otherwise):
                if one in (NOTHING, Text(None)):
                    continue
                inner = results(one, facts)
                if inner is None:
                    return None
                found += inner
            if not all(isinstance(each, bool) for each in found):  # true beside 2 is 1
                found = [int(each) if isinstance(each, bool) else each for each in found]
            return tuple(dict.fromkeys(found)) or None
        case Text(constant):
            return None if constant is None else (constant,)
        case TextLookup(values=texts):
            return tuple(dict.fromkeys(text for text in texts if text is not None)) or None
        case Lookup(values=numbers):
            return tuple(plain(x) for x in dict.fromkeys(numbers) if x is not None) or None
        case Number(Fraction() as constant, truth):
            return (bool(constant) if truth else plain(constant),)
        case _:
            return None


def since_start(value: Value) -> range | None:
    """How many days there may be from the first of its month, year or week to a day."""
    match value:
        case Arithmetic("-", day, Calendar(part, of)) if of == day and part.endswith(_START):
            return range(_LONGEST[part.removesuffix(_START)])
        case _:
            return None


_START = " START"


def parts_between(value: Calendar, facts: Facts) -> tuple[int, ...] | None:
    """The parts of all days between the declared limits of a column, in their order.

    None without limits, and where there are more than ``MOST_PARTS`` years, months or weeks.
    """
    if value.part == "HOUR":
        return tuple(range(24))
    limits = _days(value.of, facts)
    if limits is None:
        return None
    day, last = limits
    unit = value.part.removesuffix(" START")
    start: Any = f"{unit} START"
    found: list[int] = []
    while (first := part_of(start, day)) <= last and len(found) <= MOST_PARTS:
        found.append(part_of(value.part, first))
        day = first + _LONGEST[unit]  # in the next one
        day = first if len(found) > MOST_PARTS else day
    return None if len(found) > MOST_PARTS else tuple(sorted(set(found)))


def _days(of: Numeric, facts: Facts) -> tuple[int, int] | None:
    """The first and the last day of what a part of the calendar is taken of."""
    match of:
        case Moment(column) | Floor(Arithmetic("/", Moment(column), _)):
            return days_between(facts(column))
        case Calendar(part, day) if part.endswith(_START):
            limits = _days(day, facts)
            return None if limits is None else (part_of(part, limits[0]), part_of(part, limits[1]))
        case Arithmetic("+", day, Number(Fraction(denominator=1) as step)):
            limits = _days(day, facts)
            return None if limits is None else (limits[0] + int(step), limits[1] + int(step))
        case _:
            return None


def days_between(facts: ColumnFacts) -> tuple[int, int] | None:
    """The declared limits of a column of dates or times, as the numbers of days."""
    if facts.times is None or not all(isinstance(time, date) for time in facts.times):
        return None
    low, high = (time.toordinal() - _EPOCH for time in facts.times if isinstance(time, date))
    return low, high


def days_of(facts: ColumnFacts) -> tuple[int, ...] | None:
    """The days that are declared as keys of a column, or all between its limits, if few."""
    if facts.dates is not None and all(clock_of(key) is Clock.DAY for key in facts.dates):
        return Clock.DAY.numbers(facts.dates)
    limits = days_between(facts)
    if limits is None or limits[1] - limits[0] >= MOST_PARTS:
        return None
    return tuple(range(limits[0], limits[1] + 1))


def _read(texts: Iterable[str]) -> tuple[str, ...] | None:
    """Texts as they are read: without blanks around them, none empty, none twice."""
    read = dict.fromkeys(text.strip() for text in texts)
    return tuple(text for text in read if text) or None


def plain(number: Fraction) -> int | float:
    """A number as it is written."""
    return number.numerator if number.denominator == 1 else float(number)
