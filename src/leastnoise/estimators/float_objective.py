"""A perturbed objective in doubles, with proved bounds on what they are off by.

    J(theta) = sum_i l_i(u_i theta + o_i) + sum_j d_j theta_j^2 / 2 + V theta,
    l_i'(z) = t_i (a sigma(z) - b_i),   |u_ij| <= 1,   d_j > 0,   V one real random vector.

Every bound is taken column by column, so that columns of any size and records of any kind are told
apart: a column of few ones beside full ones, a record whose slope has long been constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, inf, isqrt

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.sigmoid import ERROR, tail
from leastnoise.sampling.reals import RealVector

Floats = NDArray[np.float64]

_ULP = 2.0**-53
_CHUNK = 128
_PART = 1 << 14
_EXACT = 1 << 32
# Room for the roundings of sums of positive numbers, n < 2**32 of them, and of a few steps more.
_UP = 1 + 2.0**-20


@dataclass(frozen=True, slots=True, repr=False)
class Objective:
    """NOT PRIVATE. The objective of one fit.

    ``features`` (n, m) in [-1, 1] on the lattice 2**-20, rows of zeros for records that do not
    count; ``offsets`` and ``targets`` (n); ``height`` is a, 1 or 2; ``ridge`` (m) exact; ``times``
    (n), or one for all, are whole numbers t from 1 to 1,000.
    """

    features: Floats
    offsets: Floats
    targets: Floats
    height: int
    ridge: tuple[Fraction, ...]
    noise: RealVector
    times: Floats | float = 1.0

    def __repr__(self) -> str:
        return "Objective(NOT PRIVATE)"

    @property
    def rows(self) -> int:
        """n."""
        return self.features.shape[0]

    @property
    def most(self) -> int:
        """A bound on the sum of t."""
        return self.rows * int(np.max(self.times, initial=1.0))

    @property
    def width(self) -> int:
        """m."""
        return self.features.shape[1]


@dataclass(frozen=True, slots=True, repr=False)
class Local:
    """NOT PRIVATE. J at one point: each entry of ``gradient`` is off by at most ``error``.

    ``reach`` bounds the error of every u theta + o, the rounding of the point itself included.
    """

    point: Floats
    gradient: Floats
    error: Floats
    hessian: Floats
    reach: float

    def __repr__(self) -> str:
        return "Local(NOT PRIVATE)"


@dataclass(frozen=True, slots=True, repr=False)
class Bend:
    """NOT PRIVATE. How J bends near a point, in coordinates y = D theta, D of powers of two.

    ``least`` is a lower bound on the eigenvalues of its Hessian there, ``everywhere`` one on those
    at any point, and ``steep`` an upper bound on ||D^-1 u|| over records.
    """

    scales: tuple[Fraction, ...]
    least: float
    everywhere: float
    steep: float

    def __repr__(self) -> str:
        return "Bend(NOT PRIVATE)"

    def radii(self, sizes: list[Fraction]) -> list[Fraction]:
        """How far the minimiser is at most, along each coordinate.

        ``sizes`` bound the entries of the gradient at the point. If ||grad J|| <= g and the Hessian
        is at least h, the minimiser lies within r = 2 g / h wherever r max ||u|| <= 1/2: the
        Hessian falls by at most e^(-r max ||u||) within r, since l''' <= l''. Always within g over
        the least eigenvalue anywhere.
        """
        square = sum(((s / d) ** 2 for s, d in zip(sizes, self.scales, strict=True)), Fraction(0))
        size = _root_up(square)
        radius = size / Fraction(self.everywhere)
        if self.least > 0:
            near = 2 * size / Fraction(self.least)
            if near * Fraction(self.steep) <= Fraction(1, 2):
                radius = min(radius, near)
        return [radius / d for d in self.scales]


class FloatObjective:
    """NOT PRIVATE. One objective, read in doubles."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.ridge = np.array([float(d) for d in objective.ridge])
        self.noise, self._noise_error = _noise(objective)
        self._far = float(np.max(np.abs(objective.offsets), initial=0.0))

    def __repr__(self) -> str:
        return "FloatObjective(NOT PRIVATE)"

    def along(self, point: Floats) -> Floats:
        """u theta + o for every record."""
        return self.objective.features @ point + self.objective.offsets

    def reach(self, point: Floats) -> float:
        """A bound on the errors of ``along``, at every point that rounds to this one.

        Sums in any order, fused or not: Higham (2002), chapter 3.
        """
        width = self.objective.width + 5
        return width * _ULP * 1.01 * (float(np.abs(point).sum()) + self._far)

    def slopes(self, z: Floats, width: float = 1.0) -> tuple[Floats, Floats, Floats]:
        """t (a sigma(z / width) - b) in two parts, whole and at most t a / 2; its derivative / a.

        The whole part is exact, the other two within a share of themselves.
        """
        small = tail(z / width if width != 1 else z)
        above = z > 0
        whole = (self.objective.height * above - self.objective.targets) * self.objective.times
        bends = small * (1 - small) * self.objective.times
        if width != 1:
            bends /= width
        small *= (
            np.where(above, -self.objective.height, self.objective.height) * self.objective.times
        )
        return whole, small, bends

    def at(self, point: Floats, width: float = 1.0) -> Local:
        """J at a point: gradient and Hessian, and bounds on the errors of the gradient.

        With a ``width`` above 1 the losses are those of z / width, times width.
        """
        one, reach = self.objective, self.reach(point)
        whole, small, bends = self.slopes(self.along(point), width)
        curved = (one.features.T * (one.height * bends)) @ one.features
        # sums of whole multiples of 2^-20 below 2^32 are exact
        flat, rest, pull = whole @ one.features, _sums(small, one.features), self.ridge * point
        # sigma(z) is off by at most sigma'(z) e^reach reach, by a share of the tail, which is at
        # most 2 sigma'(z), and runs of 128 products by their roundings
        share = reach * exp(min(reach, 700)) + 2 * ERROR + 2 * (_CHUNK + 6) * _ULP
        bent = one.height * _sizes(bends, one.features) * share
        held = one.most * 2.0**-84 if one.most < _EXACT else inf
        gradient = np.array(
            [fsum(terms) for terms in zip(flat, rest, pull, self.noise, strict=True)]
        )
        last = 4 * _ULP * (np.abs(pull) + np.abs(gradient))
        return Local(
            point=point,
            gradient=gradient,
            error=(bent + held + last + self._noise_error) * _UP,
            hessian=curved + np.diag(self.ridge),
            reach=reach,
        )

    def bend(self, here: Local) -> Bend:
        """Certain bounds on the Hessian at a point.

        A Cholesky factorisation that succeeds in doubles proves that the matrix plus
        2 (m + 2) 2^-53 trace is positive definite (Higham 2002, Theorem 10.3).
        """
        one, m = self.objective, self.objective.width
        scales = np.exp2(np.rint(np.log2(np.diag(here.hessian)) / 2))
        scaled = here.hessian / np.outer(scales, scales)
        scaled = (scaled + scaled.T) / 2
        everywhere = float((self.ridge / scales / scales).min()) * (1 - 2.0**-40)
        lengths = np.einsum("ij,ij,j->i", one.features, one.features, 1 / scales / scales)
        steep = float(np.sqrt(lengths.max(initial=0.0))) * _UP
        least = 0.0
        if here.reach < 2.0**-8 and np.isfinite(scaled).all():
            # sigma' is off by a share of itself, sums by n roundings, held tails hardly at all
            share = 2.1 * here.reach + 4 * ERROR + 2 * (one.rows + 8) * _ULP
            held = one.most * 2.0**-84 / float(scales.min()) ** 2
            error = m * (share * float(np.diag(scaled).max()) + held) * _UP
            guess = float(np.linalg.eigvalsh(scaled)[0]) * 0.9
            try:
                np.linalg.cholesky(scaled - guess * np.eye(m))
                slack = 4 * (m + 4) * _ULP * (float(np.trace(scaled)) + m * abs(guess))
                least = guess - slack - error
            except np.linalg.LinAlgError:
                pass
        return Bend(
            tuple(Fraction(d) for d in scales.tolist()), max(least, everywhere), everywhere, steep
        )


def _noise(objective: Objective) -> tuple[Floats, Floats]:
    """The noise in doubles, and bounds on its errors."""
    ends = objective.noise.enclose(80)
    middle = np.array([float(Fraction(low + high, 2 << 80)) for low, high in ends])
    width = np.array([float(high - low + 1) for low, high in ends])
    return middle, np.abs(middle) * 2 * _ULP + width * 2.0**-80


def _sums(slopes: Floats, features: Floats) -> Floats:
    """slopes @ features with a short chain of roundings: runs of 128, then exact sums."""
    n, m = features.shape
    whole = n // _CHUNK * _CHUNK
    runs = np.matmul(
        slopes[:whole].reshape(-1, 1, _CHUNK), features[:whole].reshape(-1, _CHUNK, m)
    ).reshape(-1, m)
    rest = (slopes[whole:] @ features[whole:]).reshape(1, m)
    return np.array([fsum(column) for column in np.concatenate([runs, rest]).T])


def _sizes(weights: Floats, features: Floats) -> Floats:
    """weights @ |features|, in parts that need little memory."""
    found = np.zeros(features.shape[1])
    for start in range(0, len(weights), _PART):
        part = slice(start, start + _PART)
        found += weights[part] @ np.abs(features[part])
    return found


def _root_up(square: Fraction) -> Fraction:
    """The square root, or more by a share of 2^-63 at most."""
    if square == 0:
        return square
    bits = 64 + max(0, square.denominator.bit_length() - square.numerator.bit_length()) // 2
    whole = -((-square.numerator << (2 * bits)) // square.denominator)
    return Fraction(isqrt(whole) + 1, 1 << bits)
