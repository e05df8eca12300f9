"""The search for limits of few records: a choice among radii, made again far inside the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from leastnoise.mechanisms.near_limits import (
    BACK,
    NearRule,
    alike_rule,
    end_of,
    first_rule,
    is_inside,
    near_keys,
    off_centre_share,
    searched,
    second_rule,
)
from leastnoise.mechanisms.private_limits import key_of, log_ratio, radius_costs, radius_of
from leastnoise.session.search.draws import Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leastnoise.session.search.draws import Draws


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

    ``rows`` is public or released; ``finest`` is the public spacing of the records. ``about``: a
    released number that most records are, but for ``rows`` of them.
    """

    numbers: Scattered
    declared: tuple[Fraction, Fraction]
    epsilon: Fraction
    rows: int
    draws: Draws
    finest: float = 0.0
    about: Fraction | None = None

    @property
    def records(self) -> Fraction:
        """Rows times epsilon."""
        return max(Fraction(1), self.rows * self.epsilon)

    @property
    def centre(self) -> Fraction:
        """0, or the declared end next to it, or what most records are."""
        low, high = self.declared
        if self.about is not None:
            return self.about
        return Fraction(float(max(low, min(high, Fraction(0)))))

    @property
    def room(self) -> Fraction:
        """How far from the centre the farther declared end is."""
        low, high = self.declared
        return max(high - self.centre, self.centre - low)

    def run(self) -> Limits:
        """Limits as far from the centre as few records are, or the declared ones."""
        rule, spent = first_rule(self.records), dict[str, Fraction]()
        around = self.around(rule.back + BACK)
        radius = around.chosen("near limits", rule, self.epsilon, self.draws, spent)
        way = log_ratio(self.room, radius)
        if is_inside(way):
            scattered = self.scattered(around, spent) * self.epsilon
            again = second_rule(scattered, self.records, way)
            if again is None:  # too few are off the centre to show how far they are
                return self.limits(self.room, spent, tight=True, fits=False)
            name, rule = "near limits, again", again
            radius = around.chosen(name, rule, self.epsilon, self.draws, spent, radius)
        limit = rule.carried * radius
        return self.limits(limit, spent, tight=limit >= self.room)

    def run_about(self) -> Limits:
        """The same about a number that most records are, which has a size unless it is 0."""
        rule, spent = alike_rule(self.room, abs(self.centre)), dict[str, Fraction]()
        if rule is None:
            enough = searched(self.rows, self.epsilon)
            return self.run() if enough else self.limits(self.room, spent, tight=True, fits=False)
        around = self.around(rule.back)
        radius = around.chosen("near limits", rule, self.epsilon, self.draws, spent)
        limit = rule.carried * radius
        return self.limits(limit, spent, tight=limit >= self.room)

    def limits(
        self, limit: Fraction, spent: dict[str, Fraction], *, tight: bool, fits: bool = True
    ) -> Limits:
        """The declared ones, or those so far from the centre."""
        low, high = self.declared
        if tight:
            return Limits(low, high, True, spent, fits)
        low, high = max(low, self.centre - limit), min(high, self.centre + limit)
        return Limits(low, high, False, spent, fits)

    def around(self, powers: int) -> Around:
        """How many records are beyond radii, so many powers of two inwards of the declared end."""
        least = key_of(Fraction(self.finest) / 2)
        keys = near_keys(least, end_of(self.room), powers)
        above, below = self.numbers.beyond(float(self.centre), np.append(least, keys))
        beyond = above + below
        return Around(keys, beyond[1:], int(beyond[0]), self.room)

    def scattered(self, around: Around, spent: dict[str, Fraction]) -> int:
        """About how many records are not at the centre; all, where it could not be told."""
        price = off_centre_share(self.records) * self.epsilon
        if self.about is not None or not price:
            return self.rows
        spent["records off the centre"] = price
        return max(0, min(self.rows, self.draws.rows(around.off, price)))


@dataclass(frozen=True, slots=True)
class Around:
    """NOT PRIVATE. Radii, how many records are at least so far away, and the declared end.

    ``off``: how many are not at the centre.
    """

    keys: NDArray[np.int64]
    beyond: NDArray[np.int64]
    off: int
    room: Fraction

    def chosen(
        self,
        name: str,
        rule: NearRule,
        epsilon: Fraction,
        draws: Draws,
        spent: dict[str, Fraction],
        start: Fraction | None = None,
    ) -> Fraction:
        """One radius by the records beyond it, or the declared end, beyond which none may be.

        ``start``: a released radius, beside which it is chosen again.
        """
        spent[name] = price = rule.share * epsilon
        among = rule.among(self.keys, self.keys[-1:] if start is None else key_of(start))
        keys, beyond = self.keys[among].tolist(), self.beyond[among].tolist()
        radii = [*map(radius_of, keys), float(self.room)]
        tolls = rule.tolls(radii, float(start or self.room))
        index = draws.cheapest(radius_costs([*beyond, 0], tolls, price))
        return self.room if index == len(keys) else Fraction(radii[index])
