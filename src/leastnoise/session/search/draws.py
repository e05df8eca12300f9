"""Choices of a search for limits, each drawn from its own part of epsilon, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.frames.memory.numbers import RawNumbers
from leastnoise.mechanisms.private_limits import COST_RATE
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_laplace
from leastnoise.sampling.finite import draw_permute_and_flip, finite_weights
from leastnoise.sampling.unsorted import draw_first
from leastnoise.session.search.bounds_search import private_quantile
from leastnoise.session.search.float_index import FloatIndex

Tolls = Callable[[list[float], Fraction], list[float]]

INDEX = FloatIndex(20)


@dataclass(frozen=True, slots=True)
class Limits:
    """Released limits in the user's units, the declared ones where they are tight.

    ``fits``: whether they are known to fit, as those far beyond most records do not, nor declared
    ones that are kept because too few records show anything. ``records``: rows times epsilon.
    """

    low: Fraction
    high: Fraction
    tight: bool
    spent: dict[str, Fraction]
    fits: bool = True
    records: Fraction = Fraction(1)

    @property
    def cost(self) -> Fraction:
        """All that was spent."""
        return sum(self.spent.values(), Fraction(0))


class Draws:
    """The random choices of a search, each of them a release of its own."""

    def __init__(self, source: BitSource) -> None:
        self._source = source

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """A noisy number of rows, or of some of them."""
        return rows + discrete_laplace(epsilon.numerator, epsilon.denominator, self._source)

    def median(self, numbers: RawNumbers, epsilon: Fraction, relation: str) -> Fraction:
        """A private median of numbers of any size."""
        records, half = numbers.indexed(INDEX), Fraction(1, 2)
        point = private_quantile(records, half, INDEX.lattice, epsilon, relation, self._source)
        return INDEX.value(point)

    def first(self, heights: list[int], split: tuple[Fraction, Fraction]) -> int | None:
        """The first of nested half-lines that few records are in."""
        return draw_first(heights, *split, self._source)

    def cheapest(self, costs: list[int]) -> int:
        """One of several candidates, most likely one of low cost."""
        return draw_permute_and_flip(finite_weights(costs, COST_RATE), self._source)
