"""The search for limits of few records: a choice among radii, made again far inside the bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from leastnoise.mechanisms.near_limits import (
    NearRule,
    end_of,
    first_rule,
    is_inside,
    near_again,
    near_keys,
    near_limit,
    off_centre_share,
    second_rule,
)
from leastnoise.mechanisms.private_limits import key_of, log_ratio, radius_costs, radius_of
from leastnoise.session.search.limits import Draws, Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        candidates, spent = self.candidates(first_rule(self.records)), dict[str, Fraction]()
        radius = candidates.chosen("near limits", self.epsilon, self.draws, spent)
        way = log_ratio(self.room, radius)
        if is_inside(way):
            scattered = self.scattered(candidates, spent) * self.epsilon
            rule = second_rule(scattered, self.records, way)
            if rule is None:  # too few are off the centre to show how far they are
                return self.limits(self.room, spent, tight=True)
            again = candidates.near(radius, rule)
            radius = again.chosen("near limits, again", self.epsilon, self.draws, spent)
        limit = near_limit(radius)
        return self.limits(limit, spent, tight=limit >= self.room)

    def limits(self, limit: Fraction, spent: dict[str, Fraction], *, tight: bool) -> Limits:
        """The declared ones, or those so far from the centre."""
        low, high = self.declared
        if tight:
            return Limits(low, high, True, spent)
        return Limits(max(low, self.centre - limit), min(high, self.centre + limit), False, spent)

    def candidates(self, rule: NearRule) -> Candidates:
        """Radii about the centre for a first choice."""
        least = key_of(Fraction(self.finest) / 2)
        keys = near_keys(least, end_of(self.room), rule.powers)
        above, below = self.numbers.beyond(float(self.centre), np.append(least, keys))
        beyond = above + below
        return Candidates(keys, beyond[1:], int(beyond[0]), self.room, rule)

    def scattered(self, candidates: Candidates, spent: dict[str, Fraction]) -> int:
        """About how many records are not at the centre; all, where it could not be told."""
        price = off_centre_share(self.records) * self.epsilon
        if not price:
            return self.rows
        spent["records off the centre"] = price
        return max(0, min(self.rows, self.draws.rows(candidates.off, price)))


@dataclass(frozen=True, slots=True)
class Candidates:
    """NOT PRIVATE. Radii, how many records are at least so far away, and the declared end.

    ``off``: how many are not at the centre; ``rule``: how one is chosen.
    """

    keys: NDArray[np.int64]
    beyond: NDArray[np.int64]
    off: int
    room: Fraction
    rule: NearRule

    def near(self, radius: Fraction, rule: NearRule) -> Candidates:
        """Those that are candidates again beside a released radius."""
        some = near_again(self.keys, radius)
        return replace(self, keys=self.keys[some], beyond=self.beyond[some], rule=rule)

    def chosen(
        self, name: str, epsilon: Fraction, draws: Draws, spent: dict[str, Fraction]
    ) -> Fraction:
        """One radius by the records beyond it, or the declared end, beyond which none may be."""
        spent[name] = price = self.rule.share * epsilon
        radii = [*map(radius_of, self.keys.tolist()), float(self.room)]
        costs = radius_costs([*self.beyond.tolist(), 0], self.rule.tolls(radii), price)
        index = draws.cheapest(costs)
        return self.room if index == len(self.keys) else Fraction(radii[index])
