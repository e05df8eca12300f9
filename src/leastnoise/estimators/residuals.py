"""What a linear fit releases of its residuals: how far they reach, their slopes, their squares.

A first fit from noisy moments misses by the noise of all products of columns. The sums of features
times residuals are fewer and smaller: cut at a released radius that few residuals are beyond, they
have the noise of so many numbers as there are coefficients, in units of the radius. One Newton step
with the released moments follows them, and the noise of the moments is left in the second order
alone. Proof: ``docs/proofs/residual-step.md``; where it is taken: decision 0025.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.estimators.moments import (
    PART,
    UNIT,
    NoisyMoments,
    equations,
    exact_sums,
    fitted_ridge,
    noisy,
    penalised,
    projected,
)
from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.mechanisms.private_limits import half_costs, key_of, radius_of
from leastnoise.session.search.draws import Draws

if TYPE_CHECKING:
    from leastnoise.geometry import Ball

Floats = NDArray[np.float64]

SHARE = Fraction(1, 32)
"""The part of epsilon, after limits, that the squares of the residuals take."""

_SQUARE = 1 << 20
# Scales from 2^-16 to 8 times half the width of the target's limits, two a power of two.
_SCALES = [
    radius_of(int(key)) for key in range(key_of(Fraction(1, 1 << 16)), key_of(Fraction(8)) + 1, 8)
]
# Residuals are cut at so many times the scale that half of them are beyond.
_BEYOND = 4.0


@dataclass(frozen=True, slots=True)
class Shares:
    """What a step gets of epsilon: for the radius, and for the slopes; a public rule.

    ``stretch``: how much farther than the radius residuals are cut.
    """

    radius: Fraction
    slopes: Fraction
    stretch: float = 1.0

    def times(self, epsilon: Fraction, records: float) -> Shares:
        """The same parts of an epsilon; ``records`` is rows times epsilon, public or released.

        With many records noise is small, and residuals that are cut are the larger part of what a
        step misses: those of the records that are far out, which say most.
        """
        stretch = max(1.0, records / ENOUGH) ** 0.25
        return Shares(self.radius * epsilon, self.slopes * epsilon, stretch)

    @property
    def total(self) -> Fraction:
        """Both."""
        return self.radius + self.slopes


STEP = Shares(Fraction(3, 100), Fraction(2, 5))
"""Parts of what limits and squares leave of epsilon; the moments take the rest."""

ENOUGH = 1250
"""Rows times epsilon, after limits, from which a step pays (decision 0025)."""


def residuals_of(
    features: Floats, response: Floats, coefficients: Floats, *, intercept: bool
) -> Floats:
    """NOT PRIVATE. Response less prediction, for every record by itself.

    The sum behind a residual runs over its columns in their order, one rounding after the other, so
    it does not depend on other records; one that is not a number counts as the farthest.
    """
    with np.errstate(all="ignore"):
        found = response.copy()
        if intercept:
            found -= coefficients[0]
        for j, weight in enumerate(coefficients[int(intercept) :]):
            found -= features[:, j] * weight
    return np.nan_to_num(found, nan=np.finfo(np.float64).max)


def squares_of(
    residuals: Floats, counts: NDArray[np.bool_], epsilon: Fraction
) -> DiscreteLaplaceLaw:
    """NOT PRIVATE until drawn: the sum of squared residuals.

    Residuals are cut to [-1, 1], so that one record moves the sum by at most 1 under every
    relation; noise is discrete Laplace on integers.
    """
    size = np.minimum(np.abs(residuals), 1.0)
    whole = np.rint(size * size * _SQUARE).astype(np.int64)
    total = int(whole[counts].sum())
    return DiscreteLaplaceLaw(total, epsilon / _SQUARE, Fraction(1, _SQUARE))


def scale_of(
    residuals: Floats, counts: NDArray[np.bool_], epsilon: Fraction, draws: Draws, times: int = 1
) -> float:
    """A released scale that about ``times`` as many residuals are inside of as beyond."""
    ordered = np.sort(np.abs(residuals[counts]))
    beyond = (len(ordered) - np.searchsorted(ordered, _SCALES, side="right")).tolist()
    inside = [len(ordered) - count for count in beyond]
    return _SCALES[draws.cheapest(half_costs(beyond, inside, epsilon, times))]


def slopes_ball(width: int, *, alone: bool) -> Ball:
    """What one record changes in the slopes: each by at most 1, and by 2 where it is replaced."""
    from leastnoise.geometry import LpBall

    cube = LpBall("inf", width)
    return cube if alone else cube.scaled(2)


@dataclass(frozen=True, slots=True)
class Slopes:
    """Released sums of features times residuals in units of ``radius``, and their noise's law."""

    start: Floats
    radius: float
    values: Floats
    epsilon: Fraction
    alone: bool

    @property
    def noise(self) -> float:
        """The public size of the noise that ``fitted_ridge`` takes, in units of the target."""
        d = len(self.values)
        size = sqrt((d + 1) * (d + 2) / 3) * (1 if self.alone else 2)
        return PART * size * self.radius / float(self.epsilon)

    def step(self, moments: NoisyMoments, bend: float, *, intercept: bool) -> Floats:
        """Coefficients a Newton step after ``start``; ``bend``: the noise on moments."""
        matrix = projected(equations(moments, intercept)[0])
        target = self.values * self.radius
        ridge = fitted_ridge(matrix, target, self.noise, bend, intercept=intercept)
        return np.nan_to_num(self.start + penalised(matrix, target, ridge, intercept))


def in_parts(residuals: Floats, radius: float) -> Floats:
    """Residuals cut at a radius, as whole multiples of 2**-20 of it."""
    with np.errstate(all="ignore"):
        return np.rint(np.clip(residuals / radius, -1.0, 1.0) * _SQUARE) / _SQUARE


def slopes_of(
    features: Floats,
    residuals: Floats,
    counts: NDArray[np.bool_],
    shares: Shares,
    start: Floats,
    *,
    alone: bool,
    intercept: bool,
) -> tuple[Slopes, Floats]:
    """Released slopes at ``start``, and NOT PRIVATE the residuals as parts of their radius.

    Features and parts are whole multiples of 2**-20 in [-1, 1], so that sums are exact in units of
    ``moments.UNIT``, the lattice of the noise.
    """
    source = randomness.active()
    scale = scale_of(residuals, counts, shares.radius, Draws(source))
    radius = _BEYOND * shares.stretch * scale
    parts = in_parts(residuals, radius)
    gram = exact_sums(np.column_stack([features, parts]), counts).gram
    sums = [2 * int(x) for x in gram[0 if intercept else 1 : -1, -1]]
    found = noisy(sums, slopes_ball(len(sums), alone=alone), shares.slopes, source)
    values = np.array([float(value * UNIT) for value in found])
    return Slopes(start, radius, values, shares.slopes, alone), parts
