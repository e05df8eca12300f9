"""The search for bounds where none are known: four charged releases, then the statistic.

A: a bracket that holds three quarters of the records. B: a private median near it. C: the radius
about it that holds 70 % of the records. D: a larger radius with few records outside. Each stage is
drawn from its own share of epsilon and sees only the data and what was released before; the shares
depend on public numbers, or on a released count (``docs/proofs/unknown-bounds.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from leastnoise.laws import Law
from leastnoise.mechanisms import Mechanism, PiecewiseLaplace
from leastnoise.mechanisms.bracket import (
    GROWTH,
    Bracket,
    bracket_heights,
    bracket_split,
    brackets,
    radii,
    radius_heights,
    radius_split,
    search_shares,
)
from leastnoise.profiles.order import order_profile
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_laplace
from leastnoise.sampling.unsorted import draw_first
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import RankSummary, Run, window_ranks
from leastnoise.summaries.records import Records

# Steps of the lattice of centres and radii across a bracket.
STEPS = 1024
# Width of the bounds after stage A alone: the bracket and an eighth of it on either side.
ALONE = 5 * STEPS // 4
# The share of the row count where it is private: it only steers the other shares.
COUNT_SHARE = Fraction(1, 50)
_QUANTILE = PiecewiseLaplace()


@dataclass(frozen=True, slots=True)
class FoundBounds:
    """Released numbers: bounds ``(centre -+ radius) * step``, epsilon by stage, and what is left.

    ``records`` is the row count, or its release.
    """

    centre: int
    radius: int
    step: Fraction
    spent: dict[str, Fraction]
    left: Fraction
    records: int

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The bounds in the user's units; they never cross, and the radius is at least one step."""
        return (self.centre - self.radius) * self.step, (self.centre + self.radius) * self.step


@dataclass(frozen=True, slots=True)
class Search:
    """NOT PRIVATE. Doubles, the relation of their profiles and the budget."""

    numbers: Any
    relation: str
    epsilon: Fraction
    share: Fraction | None
    source: BitSource

    def rows(self) -> tuple[int, dict[str, Fraction]]:
        """The row count where it is public, else a noisy one and its price."""
        n = len(self.numbers)
        if self.relation == "replace-one":
            return n, {}
        price = COUNT_SHARE * self.epsilon
        noise = discrete_laplace(price.numerator, price.denominator, self.source)
        return max(1, n + noise), {"row count": price}

    def run(self, *, short: bool, wider: Fraction = Fraction(1)) -> FoundBounds:
        """All stages, or stage A alone (always for few records).

        ``wider`` stretches the last radius: public, so at no price.
        """
        self.numbers.foresee(_likely)
        heights = bracket_heights(self.numbers)
        records, spent = self.rows()
        shares = search_shares(records * self.epsilon, self.share, short=short)
        prices = [part * self.epsilon for part in shares]
        left = self.epsilon - sum(spent.values()) - sum(prices)
        bracket = self.bracket(heights, prices[0])
        lattice = _lattice(bracket)
        step, low = lattice.step, lattice.low
        spent |= {"A: bracket": prices[0]}
        if len(prices) == 1:
            half = (3 * STEPS if short else ALONE) // 2
            return FoundBounds(low + 3 * STEPS // 2, half, step, spent, left, records)
        centre, radius = self.middle(lattice, prices[1], prices[2])
        spent |= {"B: centre": prices[1], "C: radius": prices[2], "D: tail": prices[3]}
        tail = ceil(wider * self.tail(centre, radius, step, prices[3]))
        return FoundBounds(centre, tail, step, spent, left, records)

    def bracket(self, heights: list[int], epsilon: Fraction) -> Bracket:
        """Stage A."""
        e1, e2 = bracket_split(epsilon, self.relation)
        index = draw_first(heights, e1, e2, self.source)
        return brackets()[-1 if index is None else index]

    def middle(self, lattice: Lattice, e_centre: Fraction, e_radius: Fraction) -> tuple[int, int]:
        """Stages B and C."""
        points = self.numbers.placed(lattice)
        centre = private_quantile(
            points, Fraction(1, 2), lattice, e_centre, self.relation, self.source
        )
        distances = points.mapped(np.abs(points.values - centre))
        spans = Lattice(lattice.step, 0, lattice.width)
        radius = private_quantile(
            distances, Fraction(7, 10), spans, e_radius, self.relation, self.source
        )
        return centre, max(1, radius)

    def tail(
        self,
        centre: int,
        radius: int,
        step: Fraction,
        epsilon: Fraction,
        growth: Fraction = GROWTH,
    ) -> int:
        """Stage D."""
        steps = radii(radius, step, growth)
        heights = radius_heights(self.numbers, centre, step, steps, epsilon)
        index = draw_first(heights, *radius_split(epsilon), self.source)
        return steps[-1 if index is None else index]


def _lattice(bracket: Bracket) -> Lattice:
    """That of centres and radii."""
    step = bracket.width / STEPS
    low = int(bracket.wide[0] / step)
    return Lattice(step, low, low + 3 * STEPS)


def _likely(sample: Any) -> Lattice:
    """NOT PRIVATE. The same for the bracket that is most likely found, by some of the numbers."""
    found = (
        b for b, height in zip(brackets(), bracket_heights(sample), strict=True) if height <= 0
    )
    return _lattice(next(found, brackets()[-1]))


def private_quantile(
    ordered: Records,
    order: Fraction,
    lattice: Lattice,
    epsilon: Fraction,
    relation: str,
    source: BitSource,
) -> int:
    """One draw of the piecewise Laplace mechanism from ascending lattice points."""
    return quantile_law(ordered, order, lattice, epsilon, relation).draw(source)


def quantile_law(
    ordered: Records,
    order: Fraction,
    lattice: Lattice,
    epsilon: Fraction,
    relation: str,
    mechanism: Mechanism = _QUANTILE,
) -> Law:
    """NOT PRIVATE. The law of stages B and C."""
    n, depth = len(ordered), quantile_depth(epsilon, lattice, mechanism)
    first, last = window_ranks(order, n, depth)
    run = Run(first, ordered[first - 1 : last])
    summary = RankSummary(n, lattice, (order,), (run,), depth)
    return mechanism.law(order_profile(summary, 0, relation), epsilon)


def quantile_depth(epsilon: Fraction, lattice: Lattice, mechanism: Mechanism = _QUANTILE) -> int:
    """How many records on either side of its order a private quantile is drawn from."""
    return mechanism.depth(epsilon, lattice.width.bit_length()) + 8
