"""The search for limits far beyond most records: choices of a radius, as for near limits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.mechanisms.far_limits import (
    far_again,
    far_limit,
    far_rule,
    fits,
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
        way, known = log_ratio(self.room, radius), fits(self.room, radius, self.records)
        if is_inside(way):
            scattered = self.scattered(around, spent) * self.epsilon
            again = far_again(scattered, self.records, way)
            if again is not None:
                name = "far limits, again"
                radius = around.chosen(name, again, self.epsilon, self.draws, spent, radius)
            elif not shows_first(scattered, self.records):
                # too few are off the centre, or the radius may be inside of all that are
                sparse = is_sparse(scattered, self.records)
                tight = sparse or not walks_in_bounds(self.records)
                return self.limits(self.room, spent, tight=tight, fits=False)
        tight = keeps_bounds(*self.declared, radius)
        return self.limits(far_limit(radius), spent, tight=tight, fits=known)
