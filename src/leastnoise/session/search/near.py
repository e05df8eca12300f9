"""The search for limits of few records: a choice among radii, made again far inside the bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from leastnoise.mechanisms.near_limits import (
    NearRule,
    end_of,
    first_rule,
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


Again = Callable[[Fraction, float], NearRule | None]


class Scattered(Protocol):
    """NOT PRIVATE. Numbers that can be counted by their distances."""

    def beyond(
        self, centre: float, keys: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many are at least so far above the centre, and how many so far below it."""
        ...


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

    @property
    def centre(self) -> Fraction:
        """0, or the declared end next to it."""
        low, high = self.declared
        return Fraction(float(max(low, min(high, Fraction(0)))))

    @property
    def room(self) -> Fraction:
        """How far from the centre the farther declared end is."""
        low, high = self.declared
        return max(high - self.centre, self.centre - low)

    def run(self) -> Limits:
        """Limits as far from the centre as few records are, or the declared ones."""
        radius, spent = self.radius("near limits", first_rule(self.records), second_rule)
        limit = near_limit(radius)
        return self.limits(limit, spent, tight=limit >= self.room)

    def limits(self, limit: Fraction, spent: dict[str, Fraction], *, tight: bool) -> Limits:
        """The declared ones, or those so far from the centre."""
        low, high = self.declared
        if tight:
            return Limits(low, high, True, spent)
        return Limits(max(low, self.centre - limit), min(high, self.centre + limit), False, spent)

    def radius(
        self, name: str, rule: NearRule, again: Again
    ) -> tuple[Fraction, dict[str, Fraction]]:
        """A radius that few records are beyond, and what it cost."""
        keys = near_keys(key_of(Fraction(self.finest) / 2), end_of(self.room), rule.powers)
        above, below = self.numbers.beyond(float(self.centre), keys)
        candidates = Candidates(keys, above + below, self.room)
        spent = {name: rule.share * self.epsilon}
        radius = candidates.chosen(rule, spent[name], self.draws)
        second = again(self.records, log_ratio(self.room, radius))
        if second is not None:
            spent[f"{name}, again"] = price = second.share * self.epsilon
            radius = candidates.near(radius).chosen(second, price, self.draws)
        return radius, spent


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
