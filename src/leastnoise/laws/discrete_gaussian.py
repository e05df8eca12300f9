"""The discrete Gaussian law: P(y) proportional to exp(-(y - centre)^2 / (2 variance))."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import erfc, exp, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, smallest_reaching
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_gaussian

# Up to this sigma probabilities are summed; beyond it sums are integrals with three corrections.
_SUMMED = 64.0
_REACH = 40


class DiscreteGaussianLaw(Law):
    """NOT PRIVATE. Integer Gaussian noise about the centre, before any clamp.

    ``variance`` is the exact parameter sigma^2 in lattice steps; the variance of the law is
    slightly smaller.
    """

    def __init__(self, centre: int, variance: Fraction, step: Fraction) -> None:
        super().__init__(step)
        self.centre = centre
        self.variance = variance
        self._sigma = _root(variance)

    def draw(self, source: BitSource) -> int:
        return self.centre + discrete_gaussian(self.variance, source)

    @cached_property
    def _table(self) -> NDArray[Any] | None:
        """P(X = k) for k = 0, 1, ..., where they are few."""
        if self._sigma > _SUMMED:
            return None
        k = np.arange(int(_REACH * self._sigma) + 2)
        weights = np.exp(-k * k / (2 * self._sigma**2)) if self._sigma else (k == 0) * 1.0
        return weights / (2 * weights.sum() - 1)

    @cached_property
    def _tails(self) -> NDArray[Any]:
        """P(X >= k) for the points of the table, summed from the far end."""
        return np.cumsum(self._points()[::-1])[::-1]

    def _points(self) -> NDArray[Any]:
        table = self._table
        return np.zeros(0) if table is None else table

    def point_mass(self, point: int) -> float:
        distance = abs(point - self.centre)
        if self._table is not None:
            return float(self._table[distance]) if distance < len(self._table) else 0.0
        z = float(distance) / self._sigma
        return exp(-z * z / 2) / (self._sigma * sqrt(2 * pi)) if z < 40 else 0.0

    def _tail(self, first: int) -> float:
        """P(X >= first) for first >= 1."""
        if self._table is not None:
            return float(self._tails[first]) if first < len(self._tails) else 0.0
        z = (float(first) - 0.5) / self._sigma
        if z > 40:
            return 0.0
        s = self._sigma
        slope = -z / (24 * s**2) + 7 * (z**3 - 3 * z) / (5760 * s**4)
        return erfc(z / sqrt(2)) / 2 + exp(-z * z / 2) / sqrt(2 * pi) * slope

    def point_cdf(self, point: int) -> float:
        distance = point - self.centre
        return self._tail(-distance) if distance < 0 else 1 - self._tail(distance + 1)

    def point_quantile(self, probability: float) -> int:
        if probability <= 0 or probability >= 1:
            raise ValueError("u must lie strictly between 0 and 1: this law is unbounded")
        from statistics import NormalDist  # rarely needed, and slow to import

        guess = self.centre + round(NormalDist().inv_cdf(probability) * self._sigma)
        return smallest_reaching(self.point_cdf, probability, guess)

    def mean_distance(self, centre: Fraction) -> float:
        # E|X - m| = m + 2 E max(0, X - m) for an integer m >= 0; linear between integers
        offset = abs(centre - self.centre)
        whole = offset.__floor__()
        part = float(offset - whole)
        at, after = self._about(whole), self._about(whole + 1)
        return at + part * (after - at)

    def _about(self, m: int) -> float:
        if self._table is not None:
            k = np.arange(m + 1, len(self._table))
            return m + 2 * float(np.dot(k - float(m), self._table[m + 1 :]))
        s = self._sigma
        z = (float(m) + 0.5) / s
        if z > 40:
            return float(m)
        # sum of k P(X = k) over k > m: the integral of x p(x) and two corrections
        bell = exp(-z * z / 2) / sqrt(2 * pi) / s
        summed = s * s - (z * z - 1) / 24 + 7 * (z**4 - 6 * z * z + 3) / (5760 * s * s)
        return m + 2 * (bell * summed - m * self._tail(m + 1))

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        if self._table is None:
            return float(self.centre) + np.rint(rng.normal(scale=self._sigma, size=size))
        both = np.concatenate([self._table[:0:-1], self._table])
        drawn = rng.choice(len(both), size=size, p=both / both.sum())
        return float(self.centre) + drawn - (len(self._table) - 1)


def _root(variance: Fraction) -> float:
    """sqrt in floats, also where the variance itself would not fit one."""
    shift = (variance.numerator.bit_length() - variance.denominator.bit_length()) // 2
    return sqrt(float(variance / Fraction(4) ** shift)) * 2.0 ** min(1000, max(-1000, shift))
