"""Floating-point analysis of a finite law that consists of log-linear runs of lattice points.

Sums over a run are truncated geometric series: closed forms, stable for any slope and count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.laws.base import Law, first_reaching


def geometric_mass(exponent: ArrayLike, slope: ArrayLike, count: ArrayLike) -> Array:
    """sum_{i=0}^{count-1} exp(-(exponent + i slope)) for slope >= 0."""
    e, s, n = (np.asarray(x, dtype=np.float64) for x in (exponent, slope, count))
    with np.errstate(all="ignore"):
        ratio = np.where(s > 0, np.expm1(-s * n) / np.expm1(-s), n)
        return np.where(n > 0, np.exp(-e) * ratio, 0.0)


def mean_index(slope: ArrayLike, count: ArrayLike) -> Array:
    """The mean of i in 0..count-1 under weights exp(-i slope)."""
    s, n = (np.asarray(x, dtype=np.float64) for x in (slope, count))
    total = s * n
    with np.errstate(all="ignore"):
        # (count - 1)/2 less the first order term slope (count^2 - 1)/12
        flat = (n - 1) / 2 - s * (n * n - 1) / 12
        # 1/expm1(s) = 1/s - 1/2 + s/12, its first term joined with the second sum
        fine = n * (1 / total - 1 / np.expm1(total)) - 0.5 + s / 12
        plain = 1 / np.expm1(s) - n / np.expm1(total)
    return np.where(total < 1e-4, flat, np.where(s < 1e-6, fine, plain))


def truncated_geometric(slopes: Array, counts: Array, uniforms: Array) -> Array:
    """Inverse of the cdf of i in 0..count-1 under weights exp(-i slope), in floats."""
    with np.errstate(all="ignore"):
        index = np.where(
            slopes > 0,
            -np.log1p(uniforms * np.expm1(-slopes * counts)) / slopes,
            uniforms * counts,
        )
    return np.clip(np.floor(index), 0, counts - 1)


Array = NDArray[Any]
# Levels on a side that an analysis takes one by one; a tiny epsilon can have billions.
EXACT_LEVELS = 1 << 12


@dataclass(frozen=True, slots=True)
class FloatRun:
    """Points start..start+count-1; weight exp(-(exponent + i slope)), i counted from ``near``.

    ``rising`` False: i = 0 is the first point and the weights fall; True: it is the last point.
    """

    start: int
    count: int
    exponent: float
    slope: float
    rising: bool
    weight: float = 1.0


class RunTable:
    """Probabilities, quantiles and mean distances of runs given in ascending order."""

    def __init__(self, runs: Sequence[FloatRun]) -> None:
        self.starts = [run.start for run in runs]
        self.counts = [run.count for run in runs]
        self.exponents = np.array([run.exponent for run in runs])
        self.slopes = np.array([run.slope for run in runs])
        self.sizes = np.array([float(run.count) for run in runs])
        self.rising = np.array([run.rising for run in runs])
        self.weights = np.array([run.weight for run in runs])
        self.exponents = self.exponents - self.exponents.min()
        self.masses = self.weights * geometric_mass(self.exponents, self.slopes, self.sizes)
        self.cumulative = np.cumsum(self.masses)
        self.total = float(self.cumulative[-1])

    def _run_of(self, point: int) -> int:
        return bisect_left(self.starts, point + 1) - 1

    def mass(self, point: int) -> float:
        """The probability of one point."""
        index = self._run_of(point)
        if index < 0 or point >= self.starts[index] + self.counts[index]:
            return 0.0
        offset = point - self.starts[index]
        if self.rising[index]:
            offset = self.counts[index] - 1 - offset
        exponent = float(self.exponents[index]) + float(self.slopes[index]) * offset
        return float(self.weights[index]) * float(np.exp(-exponent)) / self.total

    def cdf(self, point: int) -> float:
        """The probability of the points up to and including this one."""
        index = self._run_of(point)
        if index < 0:
            return 0.0
        before = float(self.cumulative[index]) - float(self.masses[index])
        inside = min(point - self.starts[index] + 1, self.counts[index])
        return min(1.0, (before + self._head(index, inside)) / self.total)

    def _head(self, index: int, count: int) -> float:
        """The mass of the ``count`` lowest points of a run."""
        exponent, slope = float(self.exponents[index]), float(self.slopes[index])
        weight = float(self.weights[index])
        if not self.rising[index]:
            return weight * float(geometric_mass(exponent, slope, count))
        rest = self.counts[index] - count
        if rest < count:
            return float(self.masses[index]) - weight * float(geometric_mass(exponent, slope, rest))
        return weight * float(geometric_mass(exponent + slope * rest, slope, count))

    def quantile(self, probability: float) -> int:
        """The smallest point whose cumulative probability reaches ``probability``."""
        target = probability * self.total
        index = min(int(np.searchsorted(self.cumulative, target)), len(self.starts) - 1)
        low, high = self.starts[index], self.starts[index] + self.counts[index] - 1
        return first_reaching(self.cdf, probability, low, high)

    def mean_distance(self, centre: Fraction) -> float:
        """The mean of |point - centre|; runs that hold the centre are cut there."""
        first = np.array([float(start - centre) for start in self.starts])
        last = first + self.sizes - 1
        inner = (first < 0) & (last > 0)
        near = np.where(self.rising, last, first)
        way = np.where(self.rising, -1.0, 1.0)
        means = np.abs(near + way * mean_index(self.slopes, self.sizes))
        total = float(np.dot(self.masses[~inner], means[~inner]))
        for index in np.flatnonzero(inner):
            total += self._cut_distance(int(index), centre)
        return total / self.total

    def _cut_distance(self, index: int, centre: Fraction) -> float:
        start, count = self.starts[index], self.counts[index]
        below = centre.__floor__() - start + 1
        total = 0.0
        for first, size in ((start, below), (start + below, count - below)):
            near, skipped = first, first - start
            if self.rising[index]:
                near, skipped = first + size - 1, start + count - first - size
            slope = float(self.slopes[index])
            mass = geometric_mass(float(self.exponents[index]) + slope * skipped, slope, size)
            way = -1.0 if self.rising[index] else 1.0
            distance = abs(float(near - centre) + way * float(mean_index(slope, size)))
            total += float(self.weights[index]) * float(mass) * distance
        return total

    def sample(self, size: int, rng: np.random.Generator) -> Array:
        """Simulated points in floats."""
        chosen = np.searchsorted(self.cumulative, rng.random(size) * self.total, side="right")
        chosen = np.minimum(chosen, len(self.starts) - 1)
        steps = truncated_geometric(self.slopes[chosen], self.sizes[chosen], rng.random(size))
        first = np.array([float(start) for start in self.starts])[chosen]
        return np.where(self.rising[chosen], first + self.sizes[chosen] - 1 - steps, first + steps)


class TabledLaw(Law):
    """NOT PRIVATE. A law whose analysis is that of a table of runs."""

    @cached_property
    def _table(self) -> RunTable:
        """The law as runs."""
        raise NotImplementedError

    def point_mass(self, point: int) -> float:
        return self._table.mass(point)

    def point_cdf(self, point: int) -> float:
        return self._table.cdf(point)

    def point_quantile(self, probability: float) -> int:
        return self._table.quantile(probability)

    def mean_distance(self, centre: Fraction) -> float:
        return self._table.mean_distance(centre)

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return self._table.sample(size, rng)
