"""Arithmetic, comparisons and logic of released values, where NULL is None."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import ceil, floor, trunc
from typing import Any

_MOST_DIGITS = 30


def rounded(value: float, digits: int = 0) -> float:
    """Halves away from zero; OverflowError and ValueError beyond doubles."""
    if abs(digits) > _MOST_DIGITS:
        raise ValueError("too many digits")
    scaled = abs(value) * 10**digits
    found = floor(scaled + 0.5) / 10**digits
    found = int(found) if digits <= 0 else found
    return found if value >= 0 else -found


def cut(value: float, digits: int = 0) -> float:
    """The digits behind some place left out."""
    if abs(digits) > _MOST_DIGITS:
        raise ValueError("too many digits")
    found = trunc(value * 10**digits) / 10**digits
    return int(found) if digits <= 0 else found


def between(value: Any, low: Any, high: Any) -> bool:
    """BETWEEN."""
    return low <= value <= high


def listed(value: Any, *values: Any) -> bool | None:
    """IN: NULL where it might be one of them."""
    if value is not None and value in values:
        return True
    return None if value is None or None in values else False


def nullif(one: Any, other: Any) -> Any:
    """NULLIF."""
    return None if one == other else one


def greatest(*values: Any) -> Any:
    """GREATEST: of what is there."""
    return max((value for value in values if value is not None), default=None)


def least(*values: Any) -> Any:
    """LEAST: of what is there."""
    return min((value for value in values if value is not None), default=None)


def conjunction(one: Any, other: Any) -> Any:
    """AND of true, false and NULL."""
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def disjunction(one: Any, other: Any) -> Any:
    """OR of true, false and NULL."""
    if one is True or other is True:
        return True
    return None if one is None or other is None else False


def divided(one: Any, other: Any) -> Any:
    """NULL by zero."""
    return one / other if other else None


def left_over(one: Any, other: Any) -> Any:
    """What a division leaves, with the sign of the first."""
    return one - other * trunc(one / other) if other else None


OF_ONE: dict[str, Callable[..., Any]] = {
    "Neg": operator.neg,
    "Abs": abs,
    "Floor": floor,
    "Ceil": ceil,
}
OF_TWO: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": divided,
    "Mod": left_over,
    "EQ": operator.eq,
    "NEQ": operator.ne,
    "LT": operator.lt,
    "LTE": operator.le,
    "GT": operator.gt,
    "GTE": operator.ge,
}
