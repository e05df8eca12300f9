"""Definitions written out: distances between data sets, and what a function can become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil

Data = tuple[int, ...]
Function = Callable[[Data], Fraction]


def data_sets(universe: Sequence[int], n: int) -> Iterator[Data]:
    for rows in range(n + 1):
        yield from combinations_with_replacement(universe, rows)


def distance(x: Data, y: Data, relation: str) -> int | None:
    """The least number of changes that turn x into y; None if no number does."""
    common = sum((Counter(x) & Counter(y)).values())
    deleted, inserted = len(x) - common, len(y) - common
    if relation == "add-remove":
        return deleted + inserted
    if relation == "edit":
        return max(deleted, inserted)
    return deleted if deleted == inserted else None


def extremes(
    function: Function, x: Data, everything: Iterable[Data], relation: str, levels: int
) -> tuple[list[Fraction], list[Fraction]]:
    """Smallest and largest value within l = 0, ..., levels - 1 changes of x, by brute force."""
    value = function(x)
    least, most = [value] * levels, [value] * levels
    for y in everything:
        far = distance(x, y, relation)
        if far is None or far >= levels:
            continue
        reached = function(y)
        least[far], most[far] = min(least[far], reached), max(most[far], reached)
    for level in range(1, levels):
        least[level] = min(least[level], least[level - 1])
        most[level] = max(most[level], most[level - 1])
    return least, most


# Naive statistics of integers within limits. The empty table has a public value.


def order_statistic(q: Fraction, limits: tuple[int, int]) -> Function:
    def function(x: Data) -> Fraction:
        if not x:
            return Fraction(sum(limits) // 2)
        return Fraction(sorted(x)[max(1, ceil(q * len(x))) - 1])

    return function


def interquartile_range(x: Data) -> Fraction:
    if not x:
        return Fraction(0)
    low, high = (sorted(x)[max(1, ceil(Fraction(i, 4) * len(x))) - 1] for i in (1, 3))
    return Fraction(high - low)


def total(x: Data) -> Fraction:
    return Fraction(sum(x))


def mean(limits: tuple[int, int]) -> Function:
    def function(x: Data) -> Fraction:
        return Fraction(sum(x), len(x)) if x else Fraction(sum(limits), 2)

    return function
