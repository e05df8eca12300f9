"""Small data sets and their neighbours, all of them.

Statistics do not look at the order of rows (a law of its own), so a data set is listed
once: as a tuple in the order of the universe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any, TypeVar

from leastnoise.params import RELATIONS, parse_relation

Record = Any
T = TypeVar("T")

# A data set as positions in the universe, ascending.
Positions = tuple[int, ...]


def data_sets(size: int, n: int, relation: str = "edit") -> Iterator[Positions]:
    """All data sets of at most ``n`` records over ``size`` values, the small ones first.

    Under "edge" they are sets: the edges of a graph.
    """
    chosen = combinations if relation == "edge" else combinations_with_replacement
    for rows in range(n + 1):
        yield from chosen(range(size), rows)


def neighbours(x: Positions, size: int, relation: str) -> Iterator[Positions]:
    """All neighbours of ``x`` that are larger, or equally large and later in the order.

    Relations are symmetric, so this lists every pair of neighbours once.
    """
    parse_relation(relation)
    if relation == "edge":
        for new in sorted(set(range(size)) - set(x)):
            yield tuple(sorted((*x, new)))
        return
    if relation != "add-remove":
        for old in sorted(set(x)):
            rest = _without(x, old)
            for new in range(old + 1, size):
                yield tuple(sorted((*rest, new)))
    if relation != "replace-one":
        for new in range(size):
            yield tuple(sorted((*x, new)))


def _without(x: Positions, value: int) -> Positions:
    at = x.index(value)
    return x[:at] + x[at + 1 :]


def pairs(size: int, n: int, relation: str) -> Iterator[tuple[Positions, Positions]]:
    """Every pair of neighbours of at most ``n`` records once, the small ones first."""
    for x in data_sets(size, n, relation):
        for other in neighbours(x, size, relation):
            if len(other) <= n:
                yield x, other


def records(x: Positions, universe: Sequence[T]) -> tuple[T, ...]:
    """The records at these positions of the universe."""
    return tuple(universe[i] for i in x)


__all__ = ["RELATIONS", "Positions", "Record", "data_sets", "neighbours", "pairs", "records"]
