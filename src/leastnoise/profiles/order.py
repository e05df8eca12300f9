"""The profile of one order statistic."""

from __future__ import annotations

import numpy as np

from leastnoise.profiles.profile import Profile
from leastnoise.summaries.ranks import RankSummary, rank_of


def order_profile(s: RankSummary, target: int, relation: str) -> Profile:
    """The profile of one order statistic (errata 3; exact under every relation)."""
    low, high = s.limits
    k, n, q = s.order(target), s.n, s.at[target]
    middle, value = s.lattice.middle, s.rank(target)

    def upper(level: int) -> int:
        return s.at_rank(target, k + level) if level else value

    def lower(level: int) -> int:
        return s.at_rank(target, k - level) if level else value

    def upper_add_remove(level: int) -> int:
        if level == 0:
            return value
        if level > n:
            return high
        # all insertions, or all deletions; the empty table is reached at level n
        if level == n:
            return max(s.at_rank(target, max(rank_of(q, 2 * n), n)), middle)
        return s.at_rank(target, max(rank_of(q, n + level), rank_of(q, n - level) + level))

    def lower_add_remove(level: int) -> int:
        if level == 0:
            return value
        if level > n:
            return low
        if level == n:
            return min(s.at_rank(target, min(1, rank_of(q, 2 * n) - n)), middle)
        return s.at_rank(target, min(rank_of(q, n - level), rank_of(q, n + level) - level))

    def local(level: int) -> int:
        """max over t of x_(k+t) - x_(k+t-level-1), 0 <= t <= level + 1 (every relation)."""
        if level >= n:
            return high - low  # every record may change: a gap from end to end
        values = s.span(target, k - level - 1, k + level + 1)
        return int(np.max(values[level + 1 :] - values[: level + 2]))

    exact = relation == "add-remove"
    return Profile(
        value=value,
        lower=lower_add_remove if exact else lower,
        upper=upper_add_remove if exact else upper,
        support=(low, high),
        local_sensitivity=local,
        monotone=not exact,
        depth=s.depth,
        integral=True,
        unit=s.step,
    )
