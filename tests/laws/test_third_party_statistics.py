"""Five statistics as a user might write them, each with one plausible mistake.

``check_statistic`` must refute every one of them with a counterexample that a person can check by
hand: few records, one level, the two numbers that should be the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.testing import PrivacyViolation, check_statistic
from leastnoise.testing.readings import Bounds


@dataclass(frozen=True)
class Midrange:
    """(smallest + largest) / 2. Mistake: only the largest record is thought to move up."""

    bounds: tuple[int, int] = (0, 10)

    def spec(self) -> Any:
        return ln.spec.ranks(at=(0, 1), bounds=self.bounds)

    def profile(self, s: Any, relation: str) -> ln.Profile:
        low, high = s.limits
        return ln.Profile(
            value=(s.rank(0) + s.rank(1), 2),
            upper=lambda level: (s.rank(0) + (high if level else s.rank(1)), 2),
            lower=lambda level: (
                (low + s.rank(1, -level), 2) if level else (s.rank(0) + s.rank(1), 2)
            ),
            support=(low, high),
        )


@dataclass(frozen=True)
class ShareVariance:
    """p (1 - p) for the share p of ones. Mistake: p moves to its extremes, not to 1/2."""

    bounds: tuple[int, int] = (0, 1)

    def spec(self) -> Any:
        return ln.spec.moments(bounds=self.bounds)

    def profile(self, s: Any, relation: str) -> ln.Profile:
        n = max(1, s.n)
        at = lambda ones: Fraction(ones * (n - ones), n * n)
        return ln.Profile(
            value=at(s.total),
            upper=lambda level: at(min(n, s.total + level)),
            lower=lambda level: min(at(max(0, s.total - level)), at(min(n, s.total + level))),
            support=(0, Fraction(1, 4)),
        )


@dataclass(frozen=True)
class ClampedMean:
    """A mean in numpy, clamped to the bounds. Mistake: the NaN of an empty table passes."""

    bounds: tuple[int, int] = (0, 10)

    def spec(self) -> Any:
        return ln.spec.moments(bounds=self.bounds)

    def profile(self, s: Any, relation: str) -> ln.Profile:
        low, high = s.limits
        with np.errstate(invalid="ignore"):
            mean = float(np.float64(s.total) / s.n)
        value = Fraction(mean) if low < mean < high else min(max(mean, low), high)
        return ln.Profile(
            value=value,
            upper=lambda level: high if level else value,
            lower=lambda level: low if level else value,
            support=(low, high),
        )


@dataclass(frozen=True)
class FixedSizeMean:
    """A mean whose levels replace records. Mistake: taken as they are where rows come and go."""

    bounds: tuple[int, int] = (0, 10)

    def spec(self) -> Any:
        return ln.spec.moments(bounds=self.bounds)

    def profile(self, s: Any, relation: str) -> ln.Profile:
        low, high = s.limits
        n = max(1, s.n)
        total = s.total if s.n else (low + high) // 2

        def upper(level: int) -> tuple[int, int]:
            return total + sum(high - x for x in s.smallest[:level]), n

        def lower(level: int) -> tuple[int, int]:
            return total - sum(x - low for x in s.largest[:level]), n

        return ln.Profile(
            value=(total, n), upper=upper, lower=lower, support=(low, high), depth=s.depth
        )


@dataclass(frozen=True)
class SharpMedian:
    """A median on a lattice of its own. Mistake: as fine as the spread of the records asks for."""

    bounds: tuple[int, int] = (0, 10)

    def spec(self) -> Any:
        return ln.spec.ranks(at=(Fraction(1, 2),), bounds=self.bounds)

    def profile(self, s: Any, relation: str) -> ln.Profile:
        return ln.Profile(
            value=s.rank(0),
            upper=lambda level: s.rank(0, level),
            lower=lambda level: s.rank(0, -level),
            support=s.limits,
            resolution=max(1, (s.rank(0, 1) - s.rank(0, -1)) // 4),
        )


REACH = "; one change more must reach at least as far"
NEVER_FLOATS = "it must be an int, a Fraction or a pair (numerator, denominator > 0)"

EXPECTED = [
    (
        Midrange(),
        None,
        f"Midrange(bounds=(0, 10)) breaks 'neighbour law': upper(x', 1) = 11/2 > upper(x, 2) = 5"
        f"{REACH}\n  relation = replace-one\n  x = [0]\n  x' = [1]\n  l = 1",
    ),
    (
        ShareVariance(),
        (0, 1),
        "ShareVariance(bounds=(0, 1)) breaks 'upper bounds do not fall': upper(2) = 0 < "
        "upper(1) = 1/4\n  relation = replace-one\n  x = [0, 0]\n  l = 1",
    ),
    (
        ClampedMean(),
        None,
        f"ClampedMean(bounds=(0, 10)) breaks 'exact numbers': value is nan, a float; {NEVER_FLOATS}"
        "\n  relation = replace-one\n  x = []",
    ),
    (
        FixedSizeMean(),
        (0, 10),
        "FixedSizeMean(bounds=(0, 10)) breaks 'neighbour law': lower(x', 0) = 0 < lower(x, 1) = 5"
        f"{REACH}\n  relation = add-remove\n  x = []\n  x' = [0]\n  l = 0",
    ),
    (
        FixedSizeMean(),
        None,
        "FixedSizeMean(bounds=(0, 10)) breaks 'neighbour law': lower(x, 0) = 0 < lower(x', 1) = 5"
        f"{REACH}\n  relation = replace-one\n"
        "  relation of the profile = edit, as rows with missing values are dropped\n"
        "  x = [0.0]\n  x' = [nan]\n  l = 0",
    ),
    (
        SharpMedian(),
        None,
        "SharpMedian(bounds=(0, 10)) breaks 'public parameters do not depend on data': the "
        "resolution is 1 at x and 2 at x'\n  relation = replace-one\n  x = [0, 0]\n  x' = [0, 10]",
    ),
]


@pytest.mark.parametrize(("statistic", "universe", "expected"), EXPECTED)
def test_the_counterexample_can_be_checked_by_hand(
    statistic: Any, universe: Any, expected: str
) -> None:
    """The whole message: the law, few records, one level, the two numbers."""
    with pytest.raises(PrivacyViolation) as caught:
        check_statistic(statistic, universe=universe)
    assert str(caught.value) == expected


def test_the_mean_of_a_public_size_is_right() -> None:
    """The profile that fails under add-remove is no mistake where it belongs."""
    check_statistic(FixedSizeMean(), universe=(0, 1, 7, 10), relations=["replace-one"])


def test_numbers_are_shown_in_the_units_of_the_user() -> None:
    """Inside they count steps of 2^-57; what is nearly equal is shown exactly."""

    @dataclass(frozen=True)
    class Late(ln.Median):
        def profile(self, summary: Any, relation: str) -> ln.Profile:
            p = super().profile(summary, relation)
            return replace(p, upper=lambda level: p.upper(level - 1 if level > 1 else 0))

    with pytest.raises(PrivacyViolation) as caught:
        check_statistic(Late(bounds=(0, 0.3)), relations=["replace-one"], max_examples=0)
    assert "upper(x', 0) = 0.075 > upper(x, 1) = 0" in str(caught.value)
    low, high = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)
    bounds = Bounds("", Fraction(1, 2**40), low, (low, high), (low, low), (low, high), None, None)
    assert bounds.texts(low * 2**40, 3 * 2**40) == ["1/3", "3"]
    one, other = bounds.texts(low * 2**40, high * 2**40)
    assert one == "1/3"
    assert Fraction(other) == high
    assert bounds.texts(None, 1 << 1200) == ["no limit", "no limit"]
