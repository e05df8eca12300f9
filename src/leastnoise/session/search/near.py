"""The search for limits of few records: a choice among radii, made again far inside the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.mechanisms.near_limits import (
    NearRule,
    end_of,
    first_rule,
    is_inside,
    near_again,
    near_keys,
    near_limit,
    second_rule,
)
from leastnoise.mechanisms.private_limits import key_of, log_ratio, radius_costs, radius_of
from leastnoise.session.search.limits import Draws, Limits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.session.search.far import Scattered


@dataclass(frozen=True, slots=True)
class NearSearch:
    """NOT PRIVATE. Numbers, what is declared, and the epsilon that search and answer share.

    ``rows`` is public or released; ``finest`` is the public spacing of the records.
    """

    numbers: Scattered
    declared: tuple[Fraction, Fraction]
    epsilon: Fraction
    rows: int
    draws: Draws
    finest: float = 0.0

    @property
    def records(self) -> Fraction:
        """Rows times epsilon."""
        return max(Fraction(1), self.rows * self.epsilon)

    def run(self) -> Limits:
        """Limits as far from 0, or from the declared end next to it, as few records are."""
        low, high = self.declared
        centre = Fraction(float(max(low, min(high, Fraction(0)))))
        room, rule = max(high - centre, centre - low), first_rule(self.records)
        keys = near_keys(key_of(Fraction(self.finest) / 2), end_of(room), rule.powers)
        above, below = self.numbers.beyond(float(centre), keys)
        candidates = Candidates(keys, above + below, room)
        spent = {"near limits": rule.share * self.epsilon}
        radius = candidates.chosen(rule, spent["near limits"], self.draws)
        if is_inside(radius, room):
            rule = second_rule(self.records, log_ratio(room, radius))
            spent["near limits, again"] = price = rule.share * self.epsilon
            radius = candidates.near(radius).chosen(rule, price, self.draws)
        limit = near_limit(radius)
        if limit >= room:
            return Limits(low, high, True, spent)
        return Limits(max(low, centre - limit), min(high, centre + limit), False, spent)


@dataclass(frozen=True, slots=True)
class Candidates:
    """NOT PRIVATE. Radii, how many records are at least so far away, and the declared end."""

    keys: NDArray[np.int64]
    beyond: NDArray[np.int64]
    room: Fraction

    def near(self, radius: Fraction) -> Candidates:
        """Those that are candidates again beside a released radius."""
        some = near_again(self.keys, radius)
        return Candidates(self.keys[some], self.beyond[some], self.room)

    def chosen(self, rule: NearRule, price: Fraction, draws: Draws) -> Fraction:
        """One radius by the records beyond it, or the declared end, beyond which none may be."""
        radii = [*map(radius_of, self.keys.tolist()), float(self.room)]
        costs = radius_costs([*self.beyond.tolist(), 0], rule.tolls(radii), price)
        index = draws.cheapest(costs)
        return self.room if index == len(self.keys) else Fraction(radii[index])
