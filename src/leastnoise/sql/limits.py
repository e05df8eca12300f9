"""Limits of computed values: from the declared limits of columns, by interval arithmetic.

What comes out is public, as what goes in is: no value is looked at. A result beyond its limits, of
an entry beyond its own, is clipped like any other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import floor, trunc
from typing import TypeAlias

from leastnoise.sql.forms import FUNCTIONS
from leastnoise.sql.results import MOST_PARTS, Facts, parts_between, results, since_start
from leastnoise.summaries.expressions import (
    LARGEST,
    Absent,
    Arithmetic,
    Both,
    Calendar,
    Choice,
    Compared,
    Entry,
    Floor,
    Holds,
    Length,
    Lookup,
    Moment,
    Negation,
    Number,
    Numeric,
    Sign,
    Slice,
    Truth,
    Value,
    Whole,
)
from leastnoise.summaries.predicates import Compare

Interval: TypeAlias = tuple[Fraction, Fraction]

# A number of more digits becomes the nearest double: limits may be any numbers.
_PLAIN = 10**9


def interval(value: Numeric, facts: Facts) -> Interval | None:
    """The least and the greatest value; None where columns without limits leave them open."""
    match value:
        case Number(None):
            return None
        case Number(constant):
            return (constant, constant) if constant is not None else None
        case Entry(column) | Whole(column):
            return facts(column).bounds
        case Floor(of):
            found = interval(of, facts)
            return None if found is None else (Fraction(floor(found[0])), Fraction(floor(found[1])))
        case Choice(_, Floor(of)) if (ends := _nearest(value, of)) is not None:
            found = interval(of, facts)
            return None if found is None else (Fraction(ends(found[0])), Fraction(ends(found[1])))
        case Choice(branches, otherwise):
            return _of_branches(branches, otherwise, facts)
        case Length(Slice(length=int(length))):
            return Fraction(0), Fraction(length)
        case Length():
            lengths = results(value, facts)
            return None if lengths is None else (Fraction(min(lengths)), Fraction(max(lengths)))
        case Moment(column, clock):
            times = facts(column).times
            if times is None:
                return None
            low, high = clock.numbers(times)
            return Fraction(low), Fraction(high)
        case Calendar():
            known = parts_between(value, facts)
            return None if known is None else (Fraction(min(known)), Fraction(max(known)))
        case Lookup(values=values):
            found = [Fraction(number) for number in values if number is not None]
            return (min(found), max(found)) if found else None
        case Arithmetic() if (days := since_start(value)) is not None:
            return Fraction(days[0]), Fraction(days[-1])
        case Arithmetic(operation, left, right):
            one, other = interval(left, facts), interval(right, facts)
            if one is None or other is None:
                return None
            return _joined(operation, one, other)


def bands(value: Value, facts: Facts) -> tuple[int | float, ...] | None:
    """Every value that FLOOR, TRUNC and ROUND inside declared limits can take, and what is computed
    from it.

    So FLOOR(age / 10) * 10 brings its keys along; None for other values, and of too many.
    """
    match value:
        case Arithmetic() if (days := since_start(value)) is not None:
            return tuple(days)
        case Floor():
            found = interval(value, facts)
            if found is None or found[1] - found[0] >= MOST_PARTS:
                return None
            return tuple(range(int(found[0]), int(found[1]) + 1))
        case Choice(_, Floor(of)) if (ends := _nearest(value, of)) is not None:
            found = interval(of, facts)
            if found is None or found[1] - found[0] >= MOST_PARTS:
                return None
            return tuple(range(ends(found[0]), ends(found[1]) + 1))
        case Arithmetic(operation, left, Number(Fraction() as constant)):
            pairs = [(float(key), float(constant)) for key in bands(left, facts) or ()]
        case Arithmetic(operation, Number(Fraction() as constant), right):
            pairs = [(float(constant), float(key)) for key in bands(right, facts) or ()]
        case _:
            return None
    keys = [_IN_DOUBLES[operation](*pair) for pair in pairs if operation != "/" or pair[1]]
    return tuple(int(key) if key.is_integer() else key for key in sorted(set(keys))) or None


_IN_DOUBLES: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: one / other,
}


def _nearest(value: Choice, of: Numeric) -> Callable[[Fraction], int] | None:
    """TRUNC or ROUND of one number, if the value is that of a row's."""
    for name, ends in (("Trunc", trunc), ("Round", _rounded)):
        if value == FUNCTIONS[name](of):
            return ends
    return None


def _rounded(number: Fraction) -> int:
    """Halves away from zero."""
    return trunc(number + (Fraction(1, 2) if number >= 0 else Fraction(-1, 2)))


def _joined(operation: str, one: Interval, other: Interval) -> Interval | None:
    (a, b), (c, d) = one, other
    match operation:
        case "+":
            ends = [a + c, b + d]
        case "-":
            ends = [a - d, b - c]
        case "*":
            ends = [x * y for x in one for y in other]
        case _:
            if c <= 0 <= d:
                return None
            ends = [x / y for x in one for y in other]
    low, high = min(ends), max(ends)
    return (_plain(low), _plain(high)) if low >= -LARGEST and high <= LARGEST else None


def _plain(number: Fraction) -> Fraction:
    wide = max(abs(number.numerator), number.denominator) > _PLAIN
    return Fraction(float(number)) if wide else number


def _of_branches(
    branches: tuple[tuple[Truth, Numeric], ...], otherwise: Numeric, facts: Facts
) -> Interval | None:
    """Of all results but NULL, each where its condition may hold."""
    found: list[Interval] = []
    last = tuple(Negation(condition) for condition, _ in branches)
    cases = [*(((condition,), result) for condition, result in branches), (last, otherwise)]
    for conditions, result in cases:
        if result == Number(None) or any(_is_false(each, facts) for each in conditions):
            continue
        limits = interval(result, facts)
        if limits is None:
            return None
        for condition in conditions:
            limits = None if limits is None else _narrowed(limits, condition, result)
        if limits is not None:
            found.append(limits)
    if not found:
        return None
    return min(low for low, _ in found), max(high for _, high in found)


def _is_false(condition: Truth, facts: Facts) -> bool:
    """Whether a comparison with a constant holds for no value inside limits."""
    match condition:
        case Compared(sign, left, Number(Fraction() as constant)) if sign in _OPPOSITE:
            limits = interval(left, facts)
        case Holds(Compare(column, sign, Fraction() as constant)) if sign in _OPPOSITE:
            limits = facts(column).bounds
        case _:
            return False
    if limits is None:
        return False
    low, high = limits
    ends = {"<": low >= constant, "<=": low > constant, ">": high <= constant}
    return ends.get(sign, high < constant)


def _narrowed(limits: Interval, condition: Truth, result: Numeric) -> Interval | None:
    """Limits of a value where a comparison of it with a constant holds; None where it cannot."""
    low, high = limits
    match condition:
        case Absent(Number(Fraction())):
            return None
        case Negation(Compared(sign, left, right)) if sign in _OPPOSITE:
            return _narrowed(limits, Compared(_OPPOSITE[sign], left, right), result)
        case Compared(sign, left, Number(Fraction() as constant)) if result == _negative(left):
            turned = _narrowed((-high, -low), condition, left)
            return None if turned is None else (-turned[1], -turned[0])
        case Both(left, right):
            first = _narrowed(limits, left, result)
            return None if first is None else _narrowed(first, right, result)
        case Holds(Compare(column, sign, Fraction() as constant)) if result == Entry(column):
            pass
        case Compared(sign, left, Number(Fraction() as constant)) if left == result:
            pass
        case _:
            return limits
    if sign in (">", ">="):
        low = max(low, constant)
    elif sign in ("<", "<="):
        high = min(high, constant)
    elif sign == "==":
        low = high = constant
    return (low, high) if low <= high else None


# Where a comparison does not hold and its value is there, this one does.
_OPPOSITE: dict[Sign, Sign] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _negative(value: Numeric) -> Numeric:
    return Arithmetic("-", Number(Fraction(0)), value)


def is_whole(value: Numeric, facts: Facts) -> bool:
    """Whether a value is a whole number wherever the declared steps of its columns hold."""
    match value:
        case Number(constant):
            return constant is None or constant.denominator == 1
        case Entry(column) | Whole(column):
            step = facts(column).step
            return step is not None and step.denominator == 1
        case Floor() | Length() | Moment() | Calendar():
            return True
        case Choice(branches, otherwise):
            return all(is_whole(one, facts) for one in (*(x for _, x in branches), otherwise))
        case Lookup(values=values):
            return all(number is None or number.denominator == 1 for number in values)
        case Arithmetic(operation, left, right):
            return operation != "/" and is_whole(left, facts) and is_whole(right, facts)
