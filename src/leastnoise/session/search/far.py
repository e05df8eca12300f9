"""The search for limits far beyond most records: one walk outwards to a radius."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from leastnoise.mechanisms.far_limits import (
    NOWHERE,
    FarRule,
    far_keys,
    far_rule,
    keeps_bounds,
)
from leastnoise.mechanisms.private_limits import key_of, radius_of
from leastnoise.session.search.limits import Draws, Limits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Scattered(Protocol):
    """NOT PRIVATE. Numbers that can be counted by their distances."""

    def beyond(
        self, centre: float, keys: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many are at least so far above the centre, and how many so far below it."""
        ...


@dataclass(frozen=True, slots=True)
class FarSearch:
    """NOT PRIVATE. Numbers, what is declared, and the epsilon of the whole release.

    ``rows`` is public or released; ``finest`` is the public spacing of the records.
    """

    numbers: Scattered
    declared: tuple[Fraction, Fraction]
    epsilon: Fraction
    rows: int
    draws: Draws
    finest: float = 0.0

    def run(self) -> Limits:
        """Limits some radii about 0, or about the declared end next to it."""
        low, high = self.declared
        centre = Fraction(float(max(low, min(high, Fraction(0)))))
        records = max(Fraction(1), self.rows * self.epsilon)
        rule = far_rule(records)
        price = rule.share * self.epsilon
        radius, spent = self._radius(centre, rule, price), {"far limits": price}
        if radius == 0:  # by chance, or since most records are one number: the second walk tells
            radius, spent = self._radius(centre, rule, price), {**spent, "far limits, again": price}
        if not radius or keeps_bounds(low, high, radius):
            return Limits(low, high, True, spent, records)
        reach = rule.reach * radius
        return Limits(max(low, centre - reach), min(high, centre + reach), False, spent, records)

    def _radius(self, centre: Fraction, rule: FarRule, price: Fraction) -> Fraction | None:
        """The least radius that few enough records are beyond, on both sides.

        None: beyond all; 0: among the first, where most records are one number and tell no scale.
        """
        low, high = self.declared
        first = key_of(Fraction(self.finest) / 2)
        keys = far_keys(first, max(first, key_of(max(high - centre, centre - low))))
        above, below = self.numbers.beyond(float(centre), keys)
        few = rule.beyond(self.rows)
        heights = [count - few for count in (above + below).tolist()]
        index = self.draws.first(heights, rule.split(price))
        if index is None:
            return None
        if index < (1 if self.finest else min(NOWHERE, len(keys) // 3)):
            return Fraction(0)
        return Fraction(radius_of(int(keys[index])))
