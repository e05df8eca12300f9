"""Data sets over a small universe and the pairs of them that are neighbours.

Data sets are multisets, written as sorted tuples of the universe's places. Every unordered pair of
neighbours is listed once; a loss is taken in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import assert_never

from leastnoise.errors import ParameterError, quoted
from leastnoise.params import Relation
from leastnoise.randomness import HashedBits

# A multiset of records as ascending places 0, 1, ... of the universe.
Places = tuple[int, ...]
RELATIONS = ("replace-one", "add-remove", "edit", "edge")


def neighbouring_pairs(size: int, n: int, relation: str) -> Iterator[tuple[Places, Places]]:
    """All neighbouring pairs over a universe of ``size`` records.

    "replace-one": data sets of exactly n records, one of them changed. "add-remove": of 0..n
    records, one more or less. "edit": either. "edge": sets, not multisets, of at most n records
    (the edges of a graph), one more or less.
    """
    if relation == "edge":
        for number in range(1, min(n, size) + 1):
            for larger in combinations(range(size), number):
                for i in range(number):
                    yield larger[:i] + larger[i + 1 :], larger
        return
    if relation in ("replace-one", "edit"):
        for number in range(n if relation == "replace-one" else 1, n + 1):
            for rest in combinations_with_replacement(range(size), number - 1):
                for one, other in combinations(range(size), 2):
                    yield _with(rest, one), _with(rest, other)
    if relation in ("add-remove", "edit"):
        for number in range(n):
            for smaller in combinations_with_replacement(range(size), number):
                for added in range(size):
                    yield smaller, _with(smaller, added)


def random_pairs(
    size: int, n: int, relation: Relation, count: int, seed: int
) -> Iterator[tuple[Places, Places]]:
    """``count`` random neighbouring pairs of data sets of at most n records (exactly n under
    "replace-one"), from a fixed simulation stream. Half of the records repeat, for ties."""
    stream = HashedBits(b"leastnoise audit %d" % seed)
    for _ in range(count):
        match relation:
            case "replace-one":
                move, number = "replace", n
            case "add-remove":
                move, number = "add", stream.below(n) + 1
            case "edit":
                move, number = "replace" if stream.bits(1) else "add", stream.below(n) + 1
            case "edge":
                raise ParameterError("random pairs are drawn for tables; enumerate small graphs")
            case _:
                assert_never(relation)
        few = [stream.below(size) for _ in range(3)]
        rest = tuple(
            sorted(
                few[stream.below(3)] if stream.bits(1) else stream.below(size)
                for _ in range(number - 1)
            )
        )
        larger = _with(rest, stream.below(size))
        if move == "add":
            yield rest, larger
        else:
            yield larger, _with(rest, stream.below(size))


def check_relation(relation: str) -> str:
    """A neighbouring relation that the audit can enumerate."""
    if relation not in RELATIONS:
        raise ParameterError(
            f"relation must be one of {', '.join(map(repr, RELATIONS))}, got {quoted(relation)}"
        )
    return relation


def _with(places: Places, added: int) -> Places:
    return tuple(sorted((*places, added)))
