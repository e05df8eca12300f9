"""A profile on the output lattice: integers only, which is what laws and samplers read.

One and the same monotone rounding r(v) = floor(v / resolution + 1/2) is applied to
the value and to every bound. Monotone maps keep the neighbour law, so the privacy
proof survives; rounding upper bounds up and lower bounds down would not be needed
and would cost accuracy (exact_sampling 1, ``docs/proofs/rounding.md``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.profiles.profile import Profile, Rational, exact, whole_change
from leastnoise.profiles.scores import Scores

# Stands for an infinite bound: beyond every candidate and every float, so laws need no case for it.
LIMITLESS = 1 << 1100


@dataclass(frozen=True, slots=True, repr=False)
class GridProfile:
    """NOT PRIVATE. ``centre``, ``upper(l)`` and ``lower(l)`` as integers on the output lattice.

    ``low`` and ``high`` are the public range (None: no limit, and a bound without limit is
    ``LIMITLESS`` or its negative), ``sensitivity`` the integer global
    sensitivity after rounding, ``step`` the lattice spacing in the user's units, ``rows`` the
    number of records where it is public.
    """

    centre: int
    upper: Callable[[int], int]
    lower: Callable[[int], int]
    low: int | None
    high: int | None
    sensitivity: int | None
    local_sensitivity: Callable[[int], int]
    depth: int | None
    step: Fraction
    monotone: bool
    clamp: bool
    rows: int | None

    def finite_range(self, mechanism: str) -> tuple[int, int]:
        """The public range, or an error that says why this mechanism needs one."""
        if self.low is None or self.high is None:
            raise ParameterError(
                f"{mechanism} needs a finite public range, and this statistic has none: without "
                "one its law cannot be normalised. Declare the limit, or use Laplace()"
            )
        return self.low, self.high


class _Public(NamedTuple):
    """The part that is the same for every data set, computed once even for thousands of cells."""

    resolution: Fraction
    low: int | None
    high: int | None
    step: Fraction
    sensitivity: int | None


def _public(profile: Profile) -> _Public:
    return _rounded(
        profile.resolution,
        *profile.support,
        profile.unit,
        profile.sensitivity,
        integral=profile.integral,
    )


@lru_cache(maxsize=64)
def _rounded(
    resolution: Rational,
    low: Rational | None,
    high: Rational | None,
    unit: Fraction | None,
    given: Rational | None,
    *,
    integral: bool,
) -> _Public:
    exactly = Fraction(exact(resolution))
    first = None if low is None else ceil(exact(low) / exactly)
    last = None if high is None else floor(exact(high) / exactly)
    whole, sensitivity = whole_change(given, low, high), None
    if whole is not None:
        steps = whole / exactly
        sensitivity = ceil(steps) if integral else floor(steps) + 1
        if first is not None and last is not None:
            sensitivity = min(sensitivity, last - first)
    return _Public(exactly, first, last, exactly * (1 if unit is None else unit), sensitivity)


def grid_step(profile: Profile) -> Fraction:
    """The spacing of the output lattice in the user's units."""
    return _public(profile).step


def grid_ends(profile: Profile) -> tuple[int | None, int | None]:
    """The public range on the output lattice, rounded inward: no answer lies outside of it."""
    public = _public(profile)
    return public.low, public.high


def on_grid(profile: object) -> GridProfile:
    """The profile rounded to its output lattice, clamped to its range and cut at its depth.

    Raises
    ------
    ParameterError, ParameterTypeError
        For scores of candidates, which do not lie on a line, for vectors, and if the resolution is
        too coarse.
    """
    if isinstance(profile, Scores):
        raise ParameterError(
            "this statistic chooses among declared answers; use PermuteAndFlip() or Exponential()"
        )
    if not isinstance(profile, Profile):
        raise ParameterTypeError(
            f"profile must be the profile of one number, as leastnoise.profile returns it, not "
            f"{type(profile).__name__}; vectors take KNorm()"
        )
    resolution, low, high, step, sensitivity = _public(profile)
    num, den = resolution.numerator, resolution.denominator

    def rounded(value: Rational) -> int:
        # floor(value / resolution + 1/2), monotone in value
        if type(value) is int:
            if num == 1:
                return value * den
            top, bottom = value, 1
        elif isinstance(value, tuple):
            top, bottom = value
        else:
            top, bottom = value.numerator, value.denominator
        return (2 * top * den + num * bottom) // (2 * num * bottom)

    if low is not None and high is not None and low > high:
        raise ParameterError(
            f"no multiple of the resolution {resolution} lies in the public range: give a finer one"
        )
    centre = rounded(profile.value)
    if low is not None:
        centre = max(centre, low)
    if high is not None:
        centre = min(centre, high)
    raw_upper, raw_lower, raw_local = profile.upper, profile.lower, profile.local_sensitivity
    depth = profile.depth

    def upper(level: int) -> int:
        if depth is not None and level > depth:
            return LIMITLESS if high is None else high
        bound = raw_upper(level)
        if high is None:
            return LIMITLESS if bound is None else max(centre, rounded(bound))
        return high if bound is None else max(centre, min(high, rounded(bound)))

    def lower(level: int) -> int:
        if depth is not None and level > depth:
            return -LIMITLESS if low is None else low
        bound = raw_lower(level)
        if low is None:
            return -LIMITLESS if bound is None else min(centre, rounded(bound))
        return low if bound is None else min(centre, max(low, rounded(bound)))

    def local(level: int) -> int:
        """A bound on the change of the *rounded* value within this distance."""
        if raw_local is None or (depth is not None and level > depth):
            return upper(level + 1) - lower(level + 1)
        change = exact(raw_local(level)) / resolution
        return ceil(change) if profile.integral else floor(change) + 1

    return GridProfile(
        centre,
        upper,
        lower,
        low,
        high,
        sensitivity,
        local,
        depth,
        step,
        profile.monotone,
        profile.clamp,
        profile.rows,
    )
