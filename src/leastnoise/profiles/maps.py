"""Profiles made from profiles: monotone functions of a statistic, and persons with several rows."""

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
    moments = profile.moments
    if moments is not None:
        plain = moments.scale == 1 and not moments.root
        moments = replace(moments, root=True) if plain else None
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
        moments=moments,
    )


def root_of(value: Fraction) -> float:
    """The root of a number, 0 of a negative one, to within two units of the last place."""
    if value <= 0:
        return 0.0
    num, den = value.numerator, value.denominator
    bits = 64 + max(0, den.bit_length() - num.bit_length())
    return float(Fraction(isqrt((num << 2 * bits) // den), 1 << bits))


def strided(profile: Profile, rows: int) -> Profile:
    """The profile for persons with at most ``rows`` rows, from that for single rows.

    Level l reads the row profile at ``rows * l``: persons that are neighbours differ in at most
    ``rows`` row changes, so the neighbour law follows from that of the rows. The global
    sensitivity is ``rows`` times that of a row, local sensitivity the sum over the ``rows`` changes
    on the way. ``monotone`` does not survive, because the rows of one person may pull both ways.
    The rows' relation is "add-remove" or "edit", never "replace-one": persons have different
    numbers of rows (``docs/proofs/persons.md``; errata 3 and 4.14).
    """
    if rows == 1:
        return profile
    local, ratio, depth = profile.local_sensitivity, profile.ratio, profile.depth
    one = profile.global_sensitivity
    unknown = one is None and depth is not None  # beyond the depth
    sensitivity = None if one is None else one * rows
    low, high = profile.support
    if sensitivity is not None and low is not None and high is not None:
        sensitivity = min(sensitivity, exact(high) - exact(low))

    def on_the_way(change: Callable[[int], Rational]) -> Callable[[int], Rational]:
        def row(step: int) -> int | Fraction:
            if one is not None and depth is not None and step > depth:
                return one
            return exact(change(step))

        steps = range(rows)
        return lambda level: sum((row(rows * level + i) for i in steps), Fraction(0))

    def away(bound: Callable[[int], Rational | None]) -> Callable[[int], Rational | None]:
        return lambda level: bound(rows * level)

    return replace(
        profile,
        lower=away(profile.lower),
        upper=away(profile.upper),
        sensitivity=sensitivity,
        local_sensitivity=None if unknown or local is None else on_the_way(local),
        monotone=False,
        depth=None if depth is None else depth // rows,
        ratio=None if ratio is None else replace(ratio, rows=ratio.rows * rows),
        moments=None,
    )
