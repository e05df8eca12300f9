"""The ends of an interval around a released value: their laws, from public numbers and the data.

Both laws depend on the released value through their candidates alone. Shares, growths and margins
are public (``docs/proofs/with-interval.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from leastnoise.laws.interval import IntervalLaw
from leastnoise.laws.nested import NestedLaw
from leastnoise.mechanisms.asymmetric import threshold_depth
from leastnoise.mechanisms.with_ends import cuts_around, distances, margin
from leastnoise.profiles import Profile, on_grid
from leastnoise.statistics.quantiles.interval_steps import private_targets
from leastnoise.statistics.quantiles.interval_targets import Noise, public_target
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import rank_of
from leastnoise.summaries.records import CountedRecords, Records

# What the value gets: in general, as an order statistic, and as an extreme, of which one end is a
# bound nearly always; and what it gets where it only says where to search.
_VALUE, _RANKED, _EXTREME = Fraction(7, 8), Fraction(13, 15), Fraction(9, 10)
_PLACE = Fraction(3, 20)
# Growth of candidates with their distance from a place, from a value, and of nested intervals.
_PLACED, _VALUED, _NESTED = Fraction(21, 20), Fraction(6, 5), Fraction(3, 2)
# Levels are looked at up to this one, however small epsilon is.
_DEEPEST = 1 << 40
# The shares of the thresholds in what searches get.
_TWO, _ONE = Fraction(9, 20), Fraction(3, 8)


class Split(NamedTuple):
    """Shares of epsilon, and the growth of the candidates."""

    first: Fraction
    ends: Fraction
    growth: Fraction


@dataclass(frozen=True, slots=True)
class RankEnds:
    """Two searches for an order statistic; public parameters alone.

    ``of`` says what the ends hold: the order statistic of the records, or the quantile of the
    population; both together miss with probability at most ``miss``.
    """

    order: Fraction
    lattice: Lattice
    relation: str
    miss: Fraction
    of: Literal["data", "population"]
    favour: Literal["value", "interval"]

    def split(self, epsilon: Fraction) -> Split:
        """What the first value gets and what the ends get."""
        if self.favour == "interval":
            first, growth = _PLACE * epsilon, _PLACED
        else:
            first, growth = (_RANKED if 0 < self.order < 1 else _EXTREME) * epsilon, _VALUED
        return Split(first, epsilon - first, growth)

    def with_value(self, first: int, ends: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        """The value, in its interval: the middle of the ends, or what most was paid for.

        Ends are moved out to a first value that they miss: it is nearly always the better one.
        """
        low, high = ends
        if self.favour == "interval":
            return (low + high) // 2, ends
        return first, (min(low, first), max(high, first))

    def law(
        self, records: Records, value: int, epsilon: Fraction, growth: Fraction = _VALUED
    ) -> IntervalLaw:
        """NOT PRIVATE. The law of both ends, which cost epsilon together."""
        noise = Noise(_TWO * epsilon, (1 - _TWO) * epsilon)
        cuts = cuts_around(value, self.lattice.low, self.lattice.high, growth)
        counted = CountedRecords.of(records, cuts)
        return IntervalLaw(counted, cuts, self._targets(len(counted), noise), *noise)

    def _targets(self, n: int, noise: Noise) -> tuple[int, int]:
        """How many records lie below the lower end, and above the upper one, by and large."""
        public = self.relation == "replace-one"
        if self.of == "population":
            if not public:
                return private_targets(self.order, self.miss / 2, noise, n)
            orders = self.order, 1 - self.order
            low, high = (public_target(q, self.miss / 2, noise, n) for q in orders)
            return low, high
        # one target steps with every row, so an empty table is one rank nearer to its lower end
        early = 0 if public and n else 1
        if self.favour == "value":  # the end on the other side of it cannot miss
            least = margin(self.miss, *noise) + early
        else:
            least = margin(self.miss / 2, *noise, early=early)
        rank, spare = rank_of(self.order, n), least - 1
        return rank - spare, n + 1 - rank - spare


def nested_split(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """What the value gets, and what the walk around it gets."""
    first = _VALUE * epsilon
    return first, epsilon - first


def nested_shares(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """(e1, e2) with e1 + 2 e2 = epsilon: the queries of neighbours move in both directions."""
    e1 = _ONE * epsilon
    return e1, (epsilon - e1) / 2


def nested_depth(epsilon: Fraction, miss: Fraction) -> int:
    """Levels beyond which no interval that is too wide fires by accident."""
    e1, e2 = nested_shares(epsilon)
    return min(_DEEPEST, margin(miss, e1, e2) + threshold_depth(e2))


def nested_law(profile: Profile, value: Fraction, epsilon: Fraction, miss: Fraction) -> NestedLaw:
    """NOT PRIVATE. The law of an interval around a released value, in the profile's lattice."""
    grid = on_grid(profile)
    low, high = grid.finite_range("WithInterval")
    point = max(low, min(high, round(value / grid.step)))
    e1, e2 = nested_shares(epsilon)
    spare, depth = margin(miss, e1, e2) - 1, nested_depth(epsilon, miss)
    reach = max(point - low, high - point)
    radii = distances(reach, _NESTED) if reach else (0,)
    known = depth if grid.depth is None else min(depth, grid.depth)
    return NestedLaw(grid.upper, grid.lower, (low, high), point, radii, spare, known, e1, e2)
