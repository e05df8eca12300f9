"""The search for limits inside declared bounds: a centre, then radii on either side of it.

Each stage is drawn from its own part of epsilon and sees the data and what was released before;
parts depend on the public number of rows, or on a released one (``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.private_limits import (
    COST_RATE,
    LimitShares,
    are_enough,
    beyond_inner,
    carried,
    centre_share,
    inner_keys,
    inner_split,
    is_long,
    is_tight,
    key_of,
    last_keys,
    last_tolls,
    limit_shares,
    outer_keys,
    outer_tolls,
    radius_costs,
    radius_of,
    scattered_share,
)
from leastnoise.sampling import discrete_laplace
from leastnoise.sampling.finite import draw_permute_and_flip, finite_weights
from leastnoise.sampling.unsorted import draw_first
from leastnoise.session.search.bounds_search import private_quantile, quantile_depth
from leastnoise.session.search.float_index import FloatIndex

if TYPE_CHECKING:
    from leastnoise.frames.memory.numbers import RawNumbers
    from leastnoise.randomness import BitSource

Tolls = Callable[[list[float], Fraction], list[float]]

_INDEX = FloatIndex(20)
# The least radius, as a part of the centre: what its index tells apart.
_NEAR = 2.0**-20


@dataclass(frozen=True, slots=True)
class Limits:
    """Released limits in the user's units, the declared ones where they are tight.

    ``far``: rows times epsilon, where limits are far beyond most records; else None.
    """

    low: Fraction
    high: Fraction
    tight: bool
    spent: dict[str, Fraction]
    far: Fraction | None = None

    @property
    def cost(self) -> Fraction:
        """All that was spent."""
        return sum(self.spent.values(), Fraction(0))


def ranks_around(epsilon: Fraction) -> int:
    """How many ranks on either side of the middle the centre of many records is drawn from.

    It decides what is kept of a pass, and so only how long a search takes.
    """
    return quantile_depth(centre_share(Fraction(2**60)) * epsilon, _INDEX.lattice)


class Draws:
    """The random choices of a search, each of them a release of its own."""

    def __init__(self, source: BitSource) -> None:
        self._source = source

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """A noisy number of rows, or of some of them."""
        return rows + discrete_laplace(epsilon.numerator, epsilon.denominator, self._source)

    def median(self, numbers: RawNumbers, epsilon: Fraction, relation: str) -> Fraction:
        """A private median of numbers of any size."""
        records, half = numbers.indexed(_INDEX), Fraction(1, 2)
        point = private_quantile(records, half, _INDEX.lattice, epsilon, relation, self._source)
        return _INDEX.value(point)

    def first(self, heights: list[int], split: tuple[Fraction, Fraction]) -> int | None:
        """The first of nested half-lines that few records are in."""
        return draw_first(heights, *split, self._source)

    def cheapest(self, costs: list[int]) -> int:
        """One of several candidates, most likely one of low cost."""
        return draw_permute_and_flip(finite_weights(costs, COST_RATE), self._source)


@dataclass(frozen=True, slots=True)
class Side:
    """NOT PRIVATE. One side of a centre: the declared end, and the counts beyond radii."""

    name: str
    room: Fraction
    keys: NDArray[np.int64]
    beyond: NDArray[np.int64]

    def counts(self, keys: NDArray[np.int64]) -> list[int]:
        """How many records are beyond each of some radii."""
        return self.beyond[np.searchsorted(self.keys, keys)].tolist()

    @property
    def first(self) -> int:
        """The place of the least radius."""
        return int(self.keys[0])

    @property
    def end(self) -> int:
        """The place after the last radius that is inside the declared bounds."""
        return min(key_of(self.room), int(self.keys[-1])) + 1


@dataclass(frozen=True, slots=True)
class LimitSearch:
    """NOT PRIVATE. Numbers, what is declared, and the budget.

    ``rows`` is public or released. With ``centred`` radii are counted from 0, or the declared end
    next to it, which is then no part of the data; ``finest`` is the public spacing of the records.
    """

    numbers: RawNumbers
    declared: tuple[Fraction, Fraction]
    relation: str
    epsilon: Fraction
    rows: int
    draws: Draws
    finest: float = 0.0
    centred: bool = False
    spent: dict[str, Fraction] = field(default_factory=dict[str, Fraction])

    @property
    def records(self) -> Fraction:
        """Rows times epsilon."""
        return max(Fraction(1), self.rows * self.epsilon)

    def run(self) -> Limits:
        """All stages, or the first ones, after which the declared bounds may be kept."""
        low, high = self.declared
        centre = self._centre()
        sides = self._sides(centre)
        scattered = self._scattered(sides)
        if scattered is None:
            return Limits(low, high, True, self.spent)
        search = replace(self, rows=scattered)
        return search._around(centre, sides)

    def _around(self, centre: float, sides: list[Side]) -> Limits:
        """Limits on both sides of a centre; ``rows`` are those that are not at it."""
        low, high = self.declared
        shares = limit_shares(self.records, self.epsilon, sides=len(sides))
        inner: list[tuple[Side, int | None]] = []
        reached = Fraction(0)
        for side in sides:
            key = None
            if not inner or side.room > reached:  # else the declared end is near enough
                key = self._inner(side, shares)
            inner.append((side, key))
            reached += side.room if key is None else Fraction(radius_of(key))
        if is_tight(low, high, reached):
            return Limits(low, high, True, self.spent)
        ends = {"lower": low, "upper": high}
        found = self._radii([(side, key) for side, key in inner if key is not None], shares)
        for side, limit in found:
            sign = -1 if side.name == "lower" else 1
            ends[side.name] = Fraction(centre) + sign * limit
        return Limits(max(low, ends["lower"]), min(high, ends["upper"]), False, self.spent)

    def _charge(self, stage: str, share: Fraction) -> Fraction:
        price = share * self.epsilon
        self.spent[stage] = self.spent.get(stage, Fraction(0)) + price
        return price

    def _centre(self) -> float:
        """A private median, or 0, cut to the declared bounds."""
        found = Fraction(0)
        if not self.centred:
            price = self._charge("centre", centre_share(self.records))
            found = self.draws.median(self.numbers, price, self.relation)
        low, high = self.declared
        return float(max(low, min(high, found)))

    def _sides(self, centre: float) -> list[Side]:
        """Counts beyond all radii that a walk can come to, in one pass; the wider side first.

        A side whose declared end is the centre has none.
        """
        first = key_of(Fraction(max(abs(centre) * _NEAR, self.finest / 2)))
        (low, high), middle = self.declared, Fraction(centre)
        rooms = {"lower": middle - low, "upper": high - middle}
        keys = np.arange(first, max(first, key_of(max(rooms.values()))) + 1)
        above, below = self.numbers.beyond(centre, keys)
        counts = {"lower": below, "upper": above}
        sides = [Side(name, room, keys, counts[name]) for name, room in rooms.items() if room > 0]
        return sorted(sides, key=lambda side: -side.room)

    def _scattered(self, sides: list[Side]) -> int | None:
        """About how many records are not at the centre; None: too few to search among."""
        price = self._charge("records off the centre", scattered_share(self.records))
        beyond = sum(int(side.beyond[0]) for side in sides)
        scattered = max(0, min(self.rows, self.draws.rows(beyond, price)))
        enough = are_enough(scattered, self.rows, self.epsilon, sides=len(sides))
        return scattered if enough else None

    def _inner(self, side: Side, shares: LimitShares) -> int | None:
        """The place of a radius that a tenth of the records is beyond; None: the end."""
        price = self._charge("inner limits", shares.inner)
        keys = inner_keys(side.first, side.end)
        outside = beyond_inner(self.rows, price)
        heights = [count - outside for count in side.counts(keys)]
        index = self.draws.first(heights, inner_split(price))
        return None if index is None else int(keys[index])

    def _radii(
        self, inner: list[tuple[Side, int]], shares: LimitShares
    ) -> list[tuple[Side, Fraction]]:
        """How far from the centre each limit is; radii of long tails are chosen again."""
        outer = [(side, key, self._outer(side, key, shares)) for side, key in inner]
        long = [
            side.name for side, key, radius in outer if is_long(radius_of(key), radius, side.room)
        ]
        found: list[tuple[Side, Fraction]] = []
        for side, key, radius in outer:
            again = side.name in long
            if again:
                radius = self._last(side, key, radius, shares.last / len(long))
            if radius < side.room:
                limit = carried(radius_of(key), float(radius), self.records, long=again)
                found.append((side, Fraction(limit)))
        return found

    def _outer(self, side: Side, inner: int, shares: LimitShares) -> Fraction:
        """A radius that few records are beyond."""
        price = self._charge("outer limits", shares.outer)
        keys = outer_keys(side.first, inner, side.end)
        return self._chosen(side, keys, outer_tolls, price)

    def _last(self, side: Side, inner: int, outer: Fraction, share: Fraction) -> Fraction:
        """The same of a long tail, from below the outer radius onwards."""
        price = self._charge("last limits", share)
        keys = last_keys(side.first, inner, key_of(outer), side.end, self.records)
        return self._chosen(side, keys, last_tolls, price)

    def _chosen(
        self, side: Side, keys: NDArray[np.int64], tolls: Tolls, price: Fraction
    ) -> Fraction:
        """One of some radii by the records beyond it, or the declared end, which none may be."""
        radii = [*map(radius_of, keys.tolist()), radius_of(side.end)]
        costs = radius_costs([*side.counts(keys), 0], tolls(radii, self.records), price)
        index = self.draws.cheapest(costs)
        return side.room if index == len(keys) else Fraction(radii[index])
