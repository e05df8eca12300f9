"""Conditions of proofs that no other test breaks: each broken once, and seen by the kit.

The pages in docs/proofs name these tests beside the condition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.profiles import exact
from leastnoise.testing import PrivacyViolation, check_statistic

SCORED = [(1.0, 0.0), (1.0, 2.0), (0.0, 1.0), (0.0, 2.0)]


class Broken:
    """A shipped statistic whose profile is changed by ``change(profile, summary)``."""

    def __init__(self, inner: Any, change: Callable[[ln.Profile, Any], ln.Profile]) -> None:
        self.inner, self.change = inner, change

    def __repr__(self) -> str:
        return f"Broken({self.inner})"

    def spec(self) -> Any:
        return self.inner.spec()

    def profile(self, summary: Any, relation: str) -> ln.Profile:
        return self.change(self.inner.profile(summary, relation), summary)


def law_broken(statistic: Any, change: Any, **options: Any) -> str:
    """The law that the kit finds broken; the statistic as shipped breaks none."""
    settings: dict[str, Any] = {"n": 4, "max_examples": 0} | options
    check_statistic(statistic, **settings)
    with pytest.raises(PrivacyViolation) as caught:
        check_statistic(Broken(statistic, change), **settings)
    return caught.value.law


# --- mean.md ----------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_a_sum_that_is_not_centred_is_seen(relation: str) -> None:
    """Limits 4 and 6: a record adds up to 2 * 6 to the sum of 2 x, and the weight is 2."""

    def change(p: ln.Profile, s: Any) -> ln.Profile:
        assert p.ratio is not None
        return replace(p, ratio=replace(p.ratio, total=2 * s.total, middle=0))

    law = law_broken(ln.Mean(bounds=(4, 6)), change, universe=(4, 5, 6), relations=[relation])
    assert law == "noisy ratio"


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_a_lattice_of_the_private_count_is_seen(relation: str) -> None:
    change = lambda p, s: replace(p, resolution=Fraction(1, max(1, s.n)))
    law = law_broken(ln.Mean(bounds=(0, 4)), change, relations=[relation])
    assert law == "public parameters do not depend on data"


# --- order-statistics.md ----------------------------------------------------------------------


def test_an_empty_table_outside_the_bounds_is_seen() -> None:
    """The bounds after n deletions forget the value of the empty table, the middle."""

    def change(p: ln.Profile, s: Any) -> ln.Profile:
        if s.n != 1:
            return p
        value = exact(p.value)
        return replace(p, upper=lambda level: value if level < 2 else p.upper(level))

    law = law_broken(ln.Median(bounds=(0, 4)), change, universe=(0, 4), relations=["add-remove"])
    assert law == "neighbour law"


# --- auc.md -----------------------------------------------------------------------------------


def test_a_record_of_the_area_that_counts_twice_is_seen() -> None:
    """Two ranks a record: one change moves the area, and the smaller class, by two steps."""

    def twice(records: tuple[Any, ...]) -> Any:
        rows = [row for row in records for _ in range(2)]
        return [a for a, _ in rows], [b for _, b in rows]

    settings: dict[str, Any] = {"universe": SCORED, "n": 5, "max_examples": 0, "depths": (None,)}
    settings |= {"relations": ["add-remove"], "missing": "none"}
    once = lambda records: ([a for a, _ in records], [b for _, b in records])
    check_statistic(ln.RocAuc(), as_data=once, **settings)
    with pytest.raises(PrivacyViolation) as caught:
        check_statistic(ln.RocAuc(), as_data=twice, **settings)
    assert caught.value.law == "neighbour law"


# --- shifted-piecewise-laplace.md ----------------------------------------


@dataclass(frozen=True)
class Reading:
    """A mechanism that is handed a changed profile, or changes itself with the profile."""

    inner: Any
    profile_of: Callable[[ln.Profile], ln.Profile] = lambda p: p
    mechanism_of: Callable[[Any, ln.Profile], Any] = lambda m, p: m

    @property
    def name(self) -> str:
        return f"Reading({self.inner.name})"

    def law(self, profile: ln.Profile, epsilon: Fraction) -> Any:
        return self.mechanism_of(self.inner, profile).law(self.profile_of(profile), epsilon)

    def guarantee(self, epsilon: Fraction, scope: Any) -> Any:
        return self.inner.guarantee(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        return self.inner.depth(epsilon, range_bits)


def verdicts(mechanism: Any, broken: Any, **options: Any) -> tuple[str, str]:
    settings: dict[str, Any] = {"universe": (0, 25, 26, 50), "n": 3, "epsilon": 2} | options
    median = ln.Median(bounds=(0, 50))
    reports = [audit.exact(median, m, **settings) for m in (mechanism, broken)]
    return reports[0].verdict, reports[1].verdict


def test_a_shift_that_follows_the_value_is_seen() -> None:
    mechanism = ln.PiecewiseLaplace(shift=0)
    moved = lambda m, p: ln.PiecewiseLaplace(shift=2 if exact(p.value) > 25 else -2)
    found = verdicts(mechanism, Reading(mechanism, mechanism_of=moved))
    assert found == ("holds", "VIOLATED")


# --- variance.md ------------------------------------------------------------------------------


def test_a_tighter_bound_at_a_level_of_the_data_is_seen() -> None:
    """The looser bound follows at a level that depends on the value: neighbours change at two."""

    def change(p: ln.Profile, s: Any) -> ln.Profile:
        from_level = 1 if exact(p.value) > 2 else 3
        high = p.support[1]
        return replace(p, upper=lambda level: high if level >= from_level else p.upper(level))

    law = law_broken(
        ln.Variance(bounds=(0, 4), step=1), change, universe=(0, 1, 4), relations=["replace-one"]
    )
    assert law == "neighbour law"
