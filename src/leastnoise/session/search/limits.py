"""The search for limits inside declared bounds: a centre, then radii on either side of it.

Each stage is drawn from its own part of epsilon and sees the data and what was released before;
parts depend on the public number of rows, or on a released one (``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.numbers import RawNumbers
from leastnoise.mechanisms.private_limits import (
    APART,
    SPARSE_SHARE,
    STRETCH,
    LimitShares,
    again_keys,
    again_share,
    again_tolls,
    are_enough,
    beside,
    beyond_inner,
    carried,
    centre_share,
    clipped_share,
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
    surely_scattered,
)
from leastnoise.session.search.bounds_search import quantile_depth
from leastnoise.session.search.draws import INDEX, Draws, Limits, Tolls
from leastnoise.session.search.near import NearSearch

# The least radius, as a part of the centre: what its index tells apart.
_NEAR = 2.0**-20
# A centre is beside 0, or the end next to it, where a side has room for so many times its distance.
_BESIDE = 8


def ranks_around(epsilon: Fraction) -> int:
    """How many ranks on either side of the middle the centre of many records is drawn from.

    It decides what is kept of a pass, and so only how long a search takes.
    """
    return quantile_depth(centre_share(Fraction(2**60)) * epsilon, INDEX.lattice)


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
        centre = self._centre()
        sides = self._sides(centre)
        scattered = self._scattered(sides)
        if not are_enough(scattered, self.rows, self.epsilon, sides=len(sides)):
            return self._alike(centre, scattered)
        origin = self._origin
        if 0 < _BESIDE * abs(Fraction(centre) - origin) < sides[0].room:
            # of many records at the origin, the median may be any number near it
            around = self._sides(float(origin), walked=False)
            off = self._scattered(around)
            if not are_enough(off, self.rows, self.epsilon, sides=len(around)):
                return self._alike(float(origin), off)
        search = replace(self, rows=scattered)
        return search._around(centre, sides)

    @property
    def _origin(self) -> Fraction:
        """0, or the declared end next to it."""
        low, high = self.declared
        return max(low, min(high, Fraction(0)))

    def _alike(self, centre: float, scattered: int) -> Limits:
        """Limits where most records are one number, by choices that the few others make."""
        found = NearSearch(
            self.numbers,
            self.declared,
            self.epsilon,
            surely_scattered(scattered, self.rows, self.epsilon),
            self.draws,
            self.finest,
            Fraction(centre),
        ).run_about()
        return replace(found, spent={**self.spent, **found.spent})

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
        for side, limit in self._farther(self._radii(inner, shares), high - low):
            sign = -1 if side.name == "lower" else 1
            ends[side.name] = Fraction(centre) + sign * limit
        return Limits(max(low, ends["lower"]), min(high, ends["upper"]), False, self.spent)

    def _charge(self, stage: str, share: Fraction) -> Fraction:
        price = share * self.epsilon
        self.spent[stage] = self.spent.get(stage, Fraction(0)) + price
        return price

    @property
    def _left(self) -> Fraction:
        """The part of epsilon that is not spent."""
        return 1 - sum(self.spent.values(), Fraction(0)) / self.epsilon

    def _centre(self) -> float:
        """A private median, or 0, cut to the declared bounds."""
        found = Fraction(0)
        if not self.centred:
            price = self._charge("centre", centre_share(self.records))
            found = self.draws.median(self.numbers, price, self.relation)
        low, high = self.declared
        return float(max(low, min(high, found)))

    def _sides(self, centre: float, *, walked: bool = True) -> list[Side]:
        """Counts beyond all radii that a walk can come to, in one pass; the wider side first.

        A side whose declared end is the centre has none. ``walked``: else the least radius only.
        """
        first = key_of(Fraction(max(abs(centre) * _NEAR, self.finest / 2)))
        (low, high), middle = self.declared, Fraction(centre)
        rooms = {"lower": middle - low, "upper": high - middle}
        last = max(first, key_of(max(rooms.values()))) if walked else first
        keys = np.arange(first, last + 1)
        above, below = self.numbers.beyond(centre, keys)
        counts = {"lower": below, "upper": above}
        sides = [Side(name, room, keys, counts[name]) for name, room in rooms.items() if room > 0]
        return sorted(sides, key=lambda side: -side.room)

    def _scattered(self, sides: list[Side]) -> int:
        """About how many records are not at the centre."""
        price = self._charge("records off the centre", scattered_share(self.records))
        beyond = sum(int(side.beyond[0]) for side in sides)
        return max(0, min(self.rows, self.draws.rows(beyond, price)))

    def _inner(self, side: Side, shares: LimitShares) -> int | None:
        """The place of a radius that a tenth of the records is beyond; None: the end."""
        price = self._charge("inner limits", shares.inner)
        keys = inner_keys(side.first, side.end)
        outside = beyond_inner(self.rows, price)
        heights = [count - outside for count in side.counts(keys)]
        index = self.draws.first(heights, inner_split(price))
        return None if index is None else int(keys[index])

    def _radii(
        self, inner: list[tuple[Side, int | None]], shares: LimitShares
    ) -> list[tuple[Side, Fraction]]:
        """How far from the centre each limit is; radii of long tails are chosen again."""
        largest = max(radius_of(side.end if key is None else key) for side, key in inner)
        outer: list[tuple[Side, int, float, Fraction]] = []
        for side, place in inner:
            if place is not None:
                key = beside(place, largest)
                share = shares.outer if key == place else max(shares.outer, SPARSE_SHARE)
                # noise follows both sides: this one's lengths count beside the other's
                short = max(0.0, largest - radius_of(key))
                outer.append((side, key, short, self._outer(side, key, short, share)))
        long = [
            side.name
            for side, key, short, radius in outer
            if is_long(radius_of(key), radius, side.room, short)
        ]
        found: list[tuple[Side, Fraction]] = []
        for side, key, short, radius in outer:
            again = side.name in long
            if again:
                radius = self._last(side, key, short, radius, shares.last / len(long))
            limit = carried(radius_of(key), float(radius), self.records, long=again, short=short)
            if limit < side.room:
                found.append((side, Fraction(limit)))
        return found

    def _farther(
        self, found: list[tuple[Side, Fraction]], declared: Fraction
    ) -> list[tuple[Side, Fraction]]:
        """Limits that are chosen again, outwards, where many records are beyond them."""
        if not found:
            return found
        share = clipped_share(self.records, self._left)
        price = self._charge("records beyond limits", share)
        beyond = sum(side.counts(again_keys(limit, side.end)[:1])[0] for side, limit in found)
        clipped = self.draws.rows(beyond, price) * self.epsilon
        share = again_share(clipped, share, self._left, sides=len(found))
        if not share:
            return found
        width = declared - sum(side.room - limit for side, limit in found)
        return [(side, self._again(side, limit, width - limit, share)) for side, limit in found]

    def _again(self, side: Side, limit: Fraction, other: Fraction, share: Fraction) -> Fraction:
        """This limit or a farther one, beside what the other side adds to the noise."""
        price = self._charge("limits again", share)
        keys = again_keys(limit, side.end)
        radii = [limit, *map(Fraction, map(radius_of, keys[1:].tolist())), side.room]
        tolls = again_tolls([float(other + radius) for radius in radii])
        index = self.draws.cheapest(radius_costs([*side.counts(keys), 0], tolls, price))
        return limit if not index else min(side.room, STRETCH * radii[index])

    def _outer(self, side: Side, inner: int, short: float, share: Fraction) -> Fraction:
        """A radius that few records are beyond."""
        price = self._charge("outer limits", share)
        keys = outer_keys(side.first, inner, side.end, APART)
        return self._chosen(side, keys, short, outer_tolls, price)

    def _last(
        self, side: Side, inner: int, short: float, outer: Fraction, share: Fraction
    ) -> Fraction:
        """The same of a long tail, from below the outer radius onwards."""
        price = self._charge("last limits", share)
        keys = last_keys(side.first, inner, key_of(outer), side.end, self.records)
        return self._chosen(side, keys, short, last_tolls, price)

    def _chosen(
        self, side: Side, keys: NDArray[np.int64], short: float, tolls: Tolls, price: Fraction
    ) -> Fraction:
        """One of some radii by the records beyond it, or the declared end, which none may be."""
        radii = [*map(radius_of, keys.tolist()), radius_of(side.end)]
        widths = [short + radius for radius in radii]
        costs = radius_costs([*side.counts(keys), 0], tolls(widths, self.records), price)
        index = self.draws.cheapest(costs)
        return side.room if index == len(keys) else Fraction(radii[index])
