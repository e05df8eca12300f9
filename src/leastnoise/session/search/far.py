"""The search for limits far beyond most records: choices of a radius, as for near limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leastnoise.mechanisms.far_limits import far_again, far_limit, far_rule, keeps_bounds
from leastnoise.session.search.near import NearSearch

if TYPE_CHECKING:
    from leastnoise.session.search.limits import Limits


@dataclass(frozen=True, slots=True)
class FarSearch(NearSearch):
    """NOT PRIVATE. The same for an answer that forgives limits that are far too wide."""

    def run(self) -> Limits:
        """Limits some dozen radii from the centre, or the declared ones."""
        radius, spent = self.radius("far limits", far_rule(self.records), far_again)
        tight = keeps_bounds(*self.declared, radius)
        found = self.limits(far_limit(radius), spent, tight=tight)
        return replace(found, far=self.records)
