"""Profiles of monotone functions of a statistic: the neighbour law survives any monotone map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isqrt

from leastnoise.profiles.profile import Profile, Rational, exact


def square_root(profile: Profile, *, resolution: Fraction, unit: Fraction) -> Profile:
    """The square root of a nonnegative profile, rounded down to multiples of ``resolution``.

    One and the same monotone map v -> resolution floor(sqrt(v) / resolution) is applied to value
    and bounds (exact integer square roots), so the result is valid and every value is a whole
    multiple of the resolution. ``unit`` is what 1 means in the user's units. Global sensitivity:
    the width of the range.
    """
    square = resolution * resolution
    num, den = resolution.numerator, resolution.denominator

    def root(value: Rational) -> tuple[int, int]:
        return isqrt(int(max(exact(value), 0) // square)) * num, den

    def mapped(bound: Callable[[int], Rational | None]) -> Callable[[int], Rational | None]:
        def read(level: int) -> Rational | None:
            value = bound(level)
            return None if value is None else root(value)

        return read

    low, high = profile.support
    return replace(
        profile,
        value=root(profile.value),
        lower=mapped(profile.lower),
        upper=mapped(profile.upper),
        support=(root(0 if low is None else low), None if high is None else root(high)),
        sensitivity=None,
        local_sensitivity=None,
        resolution=resolution,
        integral=True,
        unit=unit,
        ratio=None,
    )
