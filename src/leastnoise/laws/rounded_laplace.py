"""Real Laplace noise of a certified scale, rounded to the lattice: smooth sensitivity's law."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, expm1, log, sinh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, smallest_reaching
from leastnoise.randomness import BitSource
from leastnoise.sampling import rounded_laplace

Scale = Callable[[int], tuple[int, int]]


class RoundedLaplaceLaw(Law):
    """NOT PRIVATE. round(centre + s Laplace(1)), s real: ``scale(bits)`` encloses 2^bits s."""

    def __init__(self, centre: int, scale: Scale, step: Fraction) -> None:
        super().__init__(step)
        self.centre = centre
        self.scale = scale
        self._s = self._float_scale()

    def _float_scale(self) -> float:
        bits = 64
        while True:
            low, high = self.scale(bits)
            if low > 0 and (high - low) << 52 <= low:
                return float(Fraction(low, 1 << bits))
            bits += 64

    def draw(self, source: BitSource) -> int:
        return rounded_laplace(self.centre, self.scale, source)

    def point_mass(self, point: int) -> float:
        distance = float(abs(point - self.centre))
        if distance == 0:
            return -expm1(-0.5 / self._s)
        if distance / self._s > 745:
            return 0.0
        return exp(-distance / self._s) * sinh(0.5 / self._s)

    def point_cdf(self, point: int) -> float:
        distance = float(point - self.centre) + 0.5
        half = exp(-min(abs(distance) / self._s, 745.0)) / 2
        return 1 - half if distance > 0 else half

    def point_quantile(self, probability: float) -> int:
        if probability <= 0 or probability >= 1:
            raise ValueError("u must lie strictly between 0 and 1: this law is unbounded")
        if probability < 0.5:
            real = self._s * log(2 * probability)
        else:
            real = -self._s * log(2 * (1 - probability))
        guess = self.centre + round(real)
        return smallest_reaching(self.point_cdf, probability, guess)

    def mean_distance(self, centre: Fraction) -> float:
        # E|round(X) - c| = sum of tail masses beyond c; linear between lattice points
        offset = abs(centre - self.centre)
        whole = offset.__floor__()
        part = float(offset - whole)
        at, after = self._about(float(whole)), self._about(float(whole) + 1)
        return at + part * (after - at)

    def _about(self, m: float) -> float:
        """E|Y - m| for an integer m >= 0: m + 2 sum_{k>=m} P(Y > k)."""
        # P(Y > k) = exp(-(k + 1/2)/s)/2 for k >= 0
        return m + exp(-(m + 0.5) / self._s) / -expm1(-1 / self._s)

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return float(self.centre) + np.rint(rng.laplace(scale=self._s, size=size))
