"""Awkward columns: what data can look like after the schema is known, and must not matter.

A family holds data sets of one schema. Whatever differs between them is data, so nothing but
released values may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

Family = Sequence[Any]

# A share of the bounds' width that no one else uses: its digits must turn up nowhere.
_SHARE = Fraction(7231948577, 10**10)


def canary(low: Fraction, high: Fraction) -> float:
    """A value inside the bounds whose digits are easy to find in a text."""
    return float(low + (high - low) * _SHARE)


def families(low: Fraction, high: Fraction, column: str | None) -> Mapping[str, Family]:
    """Data sets of a list, of float, integer and boolean arrays, bare or under a column's name."""
    bird, first, last = canary(low, high), float(low), float(high)
    nan, inf = float("nan"), float("inf")
    floats: list[list[float]] = [
        [],
        [bird],
        [nan],
        [nan, nan, nan],
        [bird, bird, bird],
        [first, bird, last],
        [inf, -inf, bird],
        [1.7e308, -1.7e308, 5e-324],
        [nan, inf, bird, -inf, -0.0],
    ]
    entries: list[list[Any]] = [
        *floats,
        [None],
        [None, bird, None],
        [str(bird), "not a number", ""],
        ["1e3", " 5 ", "1,5", "0x10", "1_000", "nan", "-inf"],
        [10**400, -(10**400), Fraction(1, 3)],
        [True, b"5", [1], {"a": 1}, object(), 1 + 2j],
        [np.float32(1.5), np.int8(-3), np.array(2.0), np.array([1, 2])],
    ]
    whole: list[list[int]] = [
        [],
        [0],
        [3, 3, 3],
        [-(2**63), 2**63 - 1, 0],
        [1, 2, 1000000007],
    ]
    found: dict[str, list[Any]] = {
        "list": entries,
        "float64": [np.array(rows, dtype=np.float64) for rows in floats],
        "float32": [_narrow(rows) for rows in floats],
        "int64": [np.array(rows, dtype=np.int64) for rows in whole],
        "uint8": [np.array([x % 256 for x in rows], dtype=np.uint8) for rows in whole],
        "bool": [np.array([x % 2 for x in rows], dtype=np.bool_) for rows in whole],
    }
    if column is None:
        return found
    return {name: [{column: rows} for rows in family] for name, family in found.items()}


def _narrow(rows: list[float]) -> Any:
    with np.errstate(all="ignore"):
        return np.array(rows, dtype=np.float64).astype(np.float32)


def traces(bird: float) -> tuple[str, ...]:
    """The forms in which a value could turn up in a text."""
    return tuple(form for form in (repr(bird)[:9], f"{bird:.6g}") if len(form) >= 6)
