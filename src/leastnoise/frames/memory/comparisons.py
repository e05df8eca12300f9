"""Comparing numbers of a declared type with exact constants, entry by entry.

Integers compare exactly. For floating-point entries the constant is rounded to their type, as they
were when they were read; a constant beyond all finite numbers of that type is compared in doubles,
so it equals no entry.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from leastnoise.summaries.predicates import Operator

    Mask = NDArray[np.bool_]

# From this many numbers on one search is faster than one comparison each.
_MANY = 24


def equal_places(values: NDArray[Any], numbers: Sequence[Fraction | int]) -> NDArray[np.int64]:
    """NOT PRIVATE. The place of the number that each value equals, the last of equal ones; -1 for
    none. NaN gives anything. Values that are their own places may be given back as they are.
    """
    if [*numbers] == [*range(len(numbers))]:
        return _whole_places(values, len(numbers))
    if len(numbers) > _MANY:
        return _searched_places(values, numbers)
    places = np.full(len(values), -1, np.int64)
    for i, number in enumerate(numbers):
        places[compare(values, "==", number)] = i
    return places


def _whole_places(values: NDArray[Any], count: int) -> NDArray[np.int64]:
    if values.dtype.kind in "iub":
        codes = values.astype(np.int64, copy=False)  # from 2**63 on negative, which is none as well
        other = codes.view(np.uint64) >= count
        return np.where(other, -1, codes) if other.any() else codes
    with np.errstate(all="ignore"):
        known = (values >= 0) & (values < count)
        if values.dtype.kind == "f":
            known &= values == np.floor(values)
    return np.where(known, values, 0).astype(np.int64) - (~known).astype(np.int64)


def _searched_places(values: NDArray[Any], numbers: Sequence[Fraction | int]) -> NDArray[np.int64]:
    kind = values.dtype
    if kind.kind == "f":
        if any(_beyond(kind, number) for number in numbers):
            inside = [i for i, number in enumerate(numbers) if not _beyond(kind, number)]
            found = _searched_places(values, [numbers[i] for i in inside])
            return np.append(np.array(inside, np.int64), -1)[found]
        places = list(range(len(numbers)))
        known = np.array([kind.type(float(number)) for number in numbers], kind)
    else:
        values = values.astype(np.int8) if kind.kind == "b" else values
        limits = np.iinfo(values.dtype)
        whole = [
            (int(number), i)
            for i, number in enumerate(numbers)
            if number.denominator == 1 and limits.min <= number <= limits.max
        ]
        places = [i for _, i in whole]
        known = np.array([number for number, _ in whole], values.dtype)
    if not len(known):
        return np.full(len(values), -1, np.int64)
    order = np.argsort(known, kind="stable")  # of equal ones the last wins, as above
    known = known[order]
    with np.errstate(all="ignore"):
        at = np.searchsorted(known, values, side="right") - 1
        found = (at >= 0) & (known[at] == values)
    return np.where(found, np.array(places, np.int64)[order][at], -1)


def compare(values: NDArray[Any], operator: Operator, constant: Fraction | int) -> Mask:
    """NOT PRIVATE. Compare numbers with a constant; NaN gives anything."""
    kind = values.dtype
    if kind.kind == "f":
        with np.errstate(all="ignore"):
            if _beyond(kind, constant):
                return _OPERATIONS[operator](values.astype(np.float64), float(constant))
            return _OPERATIONS[operator](values, kind.type(float(constant)))
    whole = values.astype(np.int8) if kind.kind == "b" else values
    match operator:
        case "==":
            return _between(whole, ceil(constant), floor(constant))
        case "!=":
            return ~_between(whole, ceil(constant), floor(constant))
        case "<":
            return _between(whole, None, ceil(constant) - 1)
        case "<=":
            return _between(whole, None, floor(constant))
        case ">":
            return _between(whole, floor(constant) + 1, None)
        case ">=":
            return _between(whole, ceil(constant), None)
        case _:
            assert_never(operator)


def _beyond(kind: np.dtype[Any], constant: Fraction | int) -> bool:
    """Whether a type of floats would take a constant for infinite."""
    with np.errstate(all="ignore"):
        return bool(np.isinf(kind.type(float(constant))))


def _between(values: NDArray[Any], least: int | None, most: int | None) -> Mask:
    """Whole numbers within limits that may lie outside their type."""
    limits = np.iinfo(values.dtype)
    if (least is not None and least > limits.max) or (most is not None and most < limits.min):
        return np.zeros(len(values), np.bool_)
    if least is not None and most is not None and least > most:
        return np.zeros(len(values), np.bool_)
    kept = np.ones(len(values), np.bool_)
    if least is not None and least > limits.min:
        kept &= values >= values.dtype.type(least)
    if most is not None and most < limits.max:
        kept &= values <= values.dtype.type(most)
    return kept


_OPERATIONS: dict[Operator, Any] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
