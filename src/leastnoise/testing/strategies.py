"""Hypothesis strategies: records, data sets, neighbours, bounds and epsilons.

Only this module needs Hypothesis. It is imported when ``leastnoise.testing.strategies`` or a
check with random examples is first used.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from leastnoise.errors import MissingDependencyError, ParameterError
from leastnoise.params import parse_bounds, parse_relation

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError:
    raise MissingDependencyError(
        'random examples need Hypothesis: pip install "leastnoise[testing]", or ask for none with '
        "max_examples=0",
        extra="testing",
    ) from None

Pair = tuple[list[Any], list[Any]]


def records(
    bounds: object, *, integers: bool = False, beyond: bool = True, missing: bool = False
) -> SearchStrategy[Any]:
    """Values of one column, the ends of ``bounds`` among the likely ones.

    Parameters
    ----------
    bounds : pair of numbers
        The declared limits.
    integers : bool
        Whole numbers only, else floats.
    beyond : bool
        Values outside the limits too; with floats also the infinities.
    missing : bool
        NaN too (floats only).

    Raises
    ------
    ParameterError, ParameterTypeError
        For impossible bounds, and for missing integers.
    """
    low, high = parse_bounds(bounds)
    if integers:
        if missing:
            raise ParameterError("missing=True needs floats: an integer column holds no NaN")
        first, last = -((-low) // 1), high // 1
        wide = max(1, int(last - first)) if beyond else 0
        ends = st.sampled_from([int(first), int(last)])
        return st.one_of(ends, st.integers(int(first) - wide, int(last) + wide))
    width = high - low if beyond else Fraction(0)
    parts: list[SearchStrategy[Any]] = [st.sampled_from([float(low), float(high)])]
    least, most = _at_least(low - width), _at_most(high + width)
    if least <= most:  # else no double lies between limits written in decimals
        parts.append(st.floats(least, most, allow_nan=False))
    if beyond:
        parts.append(st.sampled_from([float("-inf"), float("inf")]))
    if missing:
        parts.append(st.just(float("nan")))
    return st.one_of(parts)


def data_sets(values: SearchStrategy[Any], *, max_size: int = 20) -> SearchStrategy[list[Any]]:
    """Lists of records, the empty one too.

    Parameters
    ----------
    values
        The records' strategy.
    max_size : int
        Most records.
    """
    return st.lists(values, max_size=max_size)


def neighbours(
    relation: str, values: SearchStrategy[Any], *, max_size: int = 20
) -> SearchStrategy[Pair]:
    """Pairs of data sets that differ in one record under the relation.

    Parameters
    ----------
    relation : "replace-one", "add-remove", "edit" or "edge"
        One record changed; one record more or less; either; one more or less of a set.
    values
        The records' strategy.
    max_size : int
        Most records of the larger data set, at least 1.

    Raises
    ------
    ParameterError
        For an unknown relation, and a max_size below 1.
    """
    parse_relation(relation)
    if max_size < 1:
        raise ParameterError("max_size must be at least 1: the empty table has no neighbour")

    @st.composite
    def pair(draw: Any) -> Pair:
        rest = draw(st.lists(values, max_size=max_size - 1, unique=relation == "edge"))
        at = draw(st.integers(0, len(rest)))
        new = draw(values)
        if relation == "edge":
            rest = [record for record in rest if record != new]
            at = min(at, len(rest))
        x = [*rest[:at], new, *rest[at:]]
        changed = relation == "replace-one" or (relation == "edit" and draw(st.booleans()))
        other = [*rest[:at], draw(values), *rest[at:]] if changed else rest
        return (other, x) if draw(st.booleans()) else (x, other)

    return pair()


def bounds(*, integers: bool = False) -> SearchStrategy[tuple[Any, Any]]:
    """Declared limits: lower < upper, both finite, of either sign and of any order of magnitude.

    Parameters
    ----------
    integers : bool
        Whole numbers up to 2,000,000 only.
    """
    if integers:
        whole = st.integers(-(10**6), 10**6)
        return st.tuples(whole, st.integers(1, 10**6)).map(lambda b: (b[0], b[0] + b[1]))
    ends = st.floats(-1e15, 1e15, allow_nan=False, allow_infinity=False)
    return st.tuples(ends, ends).filter(lambda b: abs(b[0] - b[1]) > 1e-9).map(_ascending)


def epsilons(*, smallest: object = "1/1000", largest: object = 64) -> SearchStrategy[Fraction]:
    """Privacy parameters as exact fractions, the common ones among the likely.

    Parameters
    ----------
    smallest, largest : number or text
        The ends of the range, such as ``"1/1000"``.
    """
    least, most = Fraction(str(smallest)), Fraction(str(largest))
    usual = [e for e in map(Fraction, ("1/10", "1/2", "1", "2", "5")) if least <= e <= most]
    every = st.fractions(least, most, max_denominator=10_000)
    return st.one_of(st.sampled_from(usual), every) if usual else every


def _ascending(pair: tuple[float, float]) -> tuple[float, float]:
    return min(pair), max(pair)


def _at_least(value: Fraction) -> float:
    number = float(value)
    return number if number >= value else _next(number, 1)


def _at_most(value: Fraction) -> float:
    number = float(value)
    return number if number <= value else _next(number, -1)


def _next(number: float, direction: int) -> float:
    from math import inf, nextafter

    return nextafter(number, inf * direction)
