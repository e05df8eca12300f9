"""The discrete Laplace law: P(y) proportional to exp(-rate |y - centre|) on the integers."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, Run, smallest_reaching
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_laplace


class DiscreteLaplaceLaw(Law):
    """NOT PRIVATE. Integer noise with scale 1 / rate lattice steps, before any clamp.

    Its mean absolute error about the centre is 2 e^-rate / (1 - e^(-2 rate)), close to 1 / rate.
    """

    def __init__(self, centre: int, rate: Fraction, step: Fraction) -> None:
        super().__init__(step)
        self.centre = centre
        self.rate = rate

    def draw(self, source: BitSource) -> int:
        return self.centre + discrete_laplace(self.rate.numerator, self.rate.denominator, source)

    def noises(self, count: int, source: BitSource) -> list[int]:
        """The distances from the centre of as many exact draws."""
        from leastnoise.sampling.many_laplace import discrete_laplaces  # for many alone

        return discrete_laplaces(self.rate.numerator, self.rate.denominator, count, source)

    def runs(self) -> tuple[Run, ...]:
        return (
            Run(self.centre - 1, -1, None, self.rate, self.rate),
            Run(self.centre, 1, None, Fraction(0), self.rate),
        )

    def point_mass(self, point: int) -> float:
        # (1 - q) / (1 + q) q^|d| with q = e^-rate
        rate = float(self.rate)
        distance = float(abs(point - self.centre) * self.rate)
        return -expm1(-rate) / (1 + exp(-rate)) * exp(-distance)

    def point_cdf(self, point: int) -> float:
        rate = float(self.rate)
        if point < self.centre:
            return exp(-float((self.centre - point) * self.rate)) / (1 + exp(-rate))
        return 1 - exp(-float((point - self.centre + 1) * self.rate)) / (1 + exp(-rate))

    def point_quantile(self, probability: float) -> int:
        rate = float(self.rate)
        if probability <= 0 or probability >= 1:
            raise ValueError("u must lie strictly between 0 and 1: this law is unbounded")
        if probability < 0.5:
            distance = -(log(probability) + log1p(exp(-rate))) / rate
            guess = self.centre - int(distance)
        else:
            distance = -(log1p(-probability) + log1p(exp(-rate))) / rate
            guess = self.centre + ceil(distance) - 1
        return smallest_reaching(self.point_cdf, probability, guess)

    def mean_distance(self, centre: Fraction) -> float:
        # E|y - c| = sum over points beyond c on both sides, c between the integers m and m + 1
        rate = float(self.rate)
        offset = abs(centre - self.centre)
        whole = offset.__floor__()
        part = float(offset - whole)
        scale = -expm1(-rate) * (1 + exp(-rate))
        # E|X - m| for an integer m >= 0: m + 2 q^(m+1) / ((1 - q)(1 + q))
        at = float(whole) + 2 * exp(-rate * (float(whole) + 1)) / scale
        after = float(whole) + 1 + 2 * exp(-rate * (float(whole) + 2)) / scale
        return at + part * (after - at)

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        rate = float(self.rate)
        first = np.floor(rng.exponential(size=size) / rate)
        second = np.floor(rng.exponential(size=size) / rate)
        return float(self.centre) + first - second


def tails(rate: Any, noise: NDArray[Any]) -> NDArray[Any]:
    """P(X > noise) of discrete Laplace noise X, for integers given as floats."""
    with np.errstate(over="ignore"):
        right: NDArray[np.float64] = np.exp(-rate * np.maximum(noise + 1, 0)) / (1 + np.exp(-rate))
        left = 1 - np.exp(-rate * np.maximum(-noise, 0)) / (1 + np.exp(-rate))
    return np.where(noise >= 0, right, left)


def excess(rate: Any, m: NDArray[Any]) -> NDArray[Any]:
    """E (X - m)+ of discrete Laplace noise X, for real m: linear between integers."""
    size = np.abs(m)
    whole = np.floor(size)
    part = size - whole
    value: NDArray[np.float64] = (
        np.exp(-rate * (whole + 1)) / -np.expm1(-2 * rate) * (1 - part * -np.expm1(-rate))
    )
    return np.where(m >= 0, value, size + value)
