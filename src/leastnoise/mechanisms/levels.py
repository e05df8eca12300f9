"""What the inverse sensitivity and the piecewise Laplace mechanism share."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor

from leastnoise.errors import ParameterError
from leastnoise.laws import ConstantLaw, Law, LevelsLaw
from leastnoise.numbers import ln2_enclosure
from leastnoise.params import parse_epsilon, parse_number
from leastnoise.profiles import Profile, on_grid
from leastnoise.sampling.dyadic import LevelLaw, Side

_LN2_UPPER = Fraction(ln2_enclosure(64)[1], 2**64)


@lru_cache(maxsize=64)
def read_depth(epsilon: Fraction, range_bits: int) -> int:
    """Levels after which even the whole range weighs less than 2^-64 of the centre.

    Level l has weight exp(-epsilon l / 2) per point. Beyond this depth every bound is the range
    end: the neighbour law holds for any public depth, so this is a matter of accuracy only.
    """
    return floor(2 * (64 + range_bits) * _LN2_UPPER / epsilon) + 2


def parse_rho(rho: object) -> Fraction:
    """The smoothing radius in the user's units, rho >= 0."""
    number = parse_number(rho, "rho")
    if number < 0:
        raise ParameterError(f"rho must be at least 0, got {rho!r}")
    return number


def levels_law(
    profile: Profile, epsilon: object, *, rho: Fraction, sloped: bool, mechanism: str
) -> Law:
    """exp(-(epsilon/2) score) over the public range, the plateau widened by rho."""
    rate = parse_epsilon(epsilon) / 2
    grid = on_grid(profile)
    low, high = grid.finite_range(mechanism)
    if low == high:
        return ConstantLaw(low, grid.step)
    centre, upper, lower = grid.centre, grid.upper, grid.lower
    wider = floor(rho / grid.step)
    right = Side(lambda level: upper(level) - centre + wider, high - centre)
    left = Side(lambda level: centre - lower(level) + wider, centre - low)
    depth = read_depth(2 * rate, (high - low).bit_length())
    if grid.depth is not None:
        depth = min(depth, grid.depth)
    return LevelsLaw(centre, LevelLaw(right, left, rate, sloped, depth), grid.step)
