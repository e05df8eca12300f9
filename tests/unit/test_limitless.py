"""Profiles without a limit on one side: `None` in the bounds, on the lattice and in laws."""

from __future__ import annotations

from fractions import Fraction

import pytest

import leastnoise as ln
from leastnoise.profiles import LIMITLESS, on_grid


def one_sided(value: int, *, mirrored: bool = False) -> ln.Profile:
    sign = -1 if mirrored else 1

    def near(level: int) -> Fraction:
        return sign * Fraction(value, 1 + level)

    def far(level: int) -> Fraction | None:
        return None if level else Fraction(sign * value)

    lower, upper = (far, near) if mirrored else (near, far)
    support = (None, 0) if mirrored else (0, None)
    return ln.Profile(
        value=sign * value, lower=lower, upper=upper, support=support, resolution=Fraction(1, 8)
    )


def test_none_becomes_a_bound_beyond_every_float() -> None:
    grid = on_grid(one_sided(6))
    assert (grid.centre, grid.upper(0), grid.upper(1)) == (48, 48, LIMITLESS)
    assert grid.lower(1) == 24
    assert grid.high is None
    mirror = on_grid(one_sided(6, mirrored=True))
    assert (mirror.upper(1), mirror.lower(0), mirror.lower(1)) == (-24, -48, -LIMITLESS)
    assert float("inf") > LIMITLESS > 2**1024


def test_none_where_the_range_ends_is_the_end() -> None:
    profile = ln.Profile(value=2, lower=lambda l: None, upper=lambda l: None, support=(0, 9))
    grid = on_grid(profile)
    assert (grid.lower(1), grid.upper(1)) == (0, 9)


def test_users_units_keep_none() -> None:
    shown = one_sided(6).in_users_units()
    assert shown.upper(1) is None
    assert shown.lower(1) == 3
    assert shown.support == (0, None)


@pytest.mark.parametrize("mechanism", [ln.PiecewiseLaplace(), ln.InverseSensitivity()])
def test_mechanisms_that_need_a_range_say_so(mechanism: object) -> None:
    with pytest.raises(ValueError, match="finite public range"):
        mechanism.law(one_sided(6), 1)


def test_laplace_says_that_it_needs_a_sensitivity() -> None:
    with pytest.raises(ValueError, match="finite global sensitivity"):
        ln.Laplace().law(one_sided(6), 1)


def test_asymmetric_sensitivity_needs_no_upper_limit() -> None:
    # in the median: without a limit the mean of the error has none either
    law = ln.AsymmetricSensitivity().law(one_sided(6), 50)
    assert abs(law.quantile(0.5) - 6) < 0.1
    low = ln.AsymmetricSensitivity(side="down").law(one_sided(6, mirrored=True), 50)
    assert abs(low.quantile(0.5) + 6) < 0.1
