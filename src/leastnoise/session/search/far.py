"""The search for limits far beyond most records: choices of a radius, as for near limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.mechanisms.far_limits import (
    far_again,
    far_limit,
    far_rule,
    is_inside,
    keeps_bounds,
    shows_first,
    walks_in_bounds,
)
from leastnoise.mechanisms.near_limits import is_sparse
from leastnoise.mechanisms.private_limits import log_ratio
from leastnoise.session.search.near import NearSearch

if TYPE_CHECKING:
    from leastnoise.session.search.draws import Limits


@dataclass(frozen=True, slots=True)
class FarSearch(NearSearch):
    """NOT PRIVATE. The same for an answer that forgives limits that are far too wide."""

    def run(self) -> Limits:
        """Limits some dozen radii from the centre, or the declared ones."""
        rule, spent = far_rule(self.records), dict[str, Fraction]()
        around = self.around(rule.back)
        radius = around.chosen("far limits", rule, self.epsilon, self.draws, spent)
        way = log_ratio(self.room, radius)
        if is_inside(way):
            scattered = self.scattered(around, spent) * self.epsilon
            again = far_again(scattered, self.records, way)
            if again is not None:
                name = "far limits, again"
                radius = around.chosen(name, again, self.epsilon, self.draws, spent, radius)
            elif is_sparse(scattered, self.records):
                radius = self.room
            elif not shows_first(
                scattered, self.records
            ):  # the radius may be inside of all of them
                found = self.limits(self.room, spent, tight=not walks_in_bounds(self.records))
                return replace(found, far=self.records)
        tight = keeps_bounds(*self.declared, radius)
        found = self.limits(far_limit(radius), spent, tight=tight)
        return replace(found, far=self.records)
