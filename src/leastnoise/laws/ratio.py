"""A noisy sum over a noisy count: the law of a mean whose row count is private.

T = total + discrete Laplace(rate_total), N = count + discrete Laplace(rate_count) are
drawn independently; the value is scale (middle + T / max(1, N)), rounded to the output
lattice and clamped to the public range. Everything after the two draws is
post-processing, so privacy is that of the pair (T, N).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, first_reaching
from leastnoise.laws.discrete_laplace import DiscreteLaplaceLaw, excess, tails
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_laplace

# Analysis sums over this many values of the noisy count at most.
_TERMS = 20_001


@dataclass(frozen=True, slots=True, repr=False)
class RatioParts:
    """The exact numbers behind a ``RatioLaw``; ``scale`` is in output lattice steps."""

    total: int
    count: int
    middle: int
    scale: Fraction
    rate_total: Fraction
    rate_count: Fraction
    low: int
    high: int


def pairs_of_noise(
    first: Fraction, second: Fraction, count: int, source: BitSource
) -> list[tuple[int, int]]:
    """As many pairs of discrete Laplace noise, of two rates in turn."""
    from leastnoise.sampling.many_laplace import in_turns  # for many alone

    drawn = in_turns([(r.numerator, r.denominator) for r in (first, second)], 2 * count, source)
    return list(zip(drawn[::2], drawn[1::2], strict=True))


class RatioLaw(Law):
    """NOT PRIVATE. The law of a noisy sum divided by a noisy count."""

    def __init__(self, parts: RatioParts, step: Fraction) -> None:
        super().__init__(step)
        self.parts = parts

    def joint(self) -> tuple[DiscreteLaplaceLaw, DiscreteLaplaceLaw]:
        """The two independent laws whose outcome is post-processed."""
        p = self.parts
        one = Fraction(1)
        return (
            DiscreteLaplaceLaw(p.total, p.rate_total, one),
            DiscreteLaplaceLaw(p.count, p.rate_count, one),
        )

    @property
    def after(self) -> tuple[object, ...]:
        """The public numbers that turn both draws into the answer."""
        p = self.parts
        return (p.middle, p.scale, p.low, p.high)

    def combine(self, total: int, count: int) -> int:
        """The lattice point of the mean with this noisy sum and noisy count."""
        (point,) = self.combined([(total, count)])
        return point

    def combined(self, pairs: Iterable[tuple[int, int]]) -> list[int]:
        """The same of many pairs."""
        p = self.parts
        up, down = 2 * p.scale.numerator, p.scale.denominator
        middle, low, high = p.middle, p.low, p.high
        points: list[int] = []
        for total, count in pairs:
            if count < 1:
                count = 1
            bottom = down * count
            point = (up * (middle * count + total) + bottom) // (2 * bottom)
            points.append(low if point < low else high if point > high else point)
        return points

    def draw(self, source: BitSource) -> int:
        p = self.parts
        total = p.total + discrete_laplace(p.rate_total.numerator, p.rate_total.denominator, source)
        count = p.count + discrete_laplace(p.rate_count.numerator, p.rate_count.denominator, source)
        return self.combine(total, count)

    def draws(self, parts: Sequence[tuple[int, int]], source: BitSource) -> list[int]:
        """One exact draw for each sum and count, as ``draw`` of the law with these would."""
        p = self.parts
        noises = pairs_of_noise(p.rate_total, p.rate_count, len(parts), source)
        return self.combined((t + a, n + b) for (t, n), (a, b) in zip(parts, noises, strict=True))

    def _counts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Values of max(1, N) with their weights; thinned to quantiles when there are too many."""
        p = self.parts
        reach = int(45 / float(p.rate_count)) + 1
        if 2 * reach + 1 <= _TERMS:
            noise = np.arange(-reach, reach + 1, dtype=np.float64)
            weights = np.exp(-np.abs(noise) * float(p.rate_count))
        else:
            u = (np.arange(_TERMS) + 0.5) / _TERMS
            noise = np.sign(u - 0.5) * -np.log1p(-np.abs(2 * u - 1)) / float(p.rate_count)
            weights = np.ones(_TERMS)
        return np.maximum(1.0, np.rint(noise) + p.count), weights / weights.sum()

    def _limit(self, point: int, counts: NDArray[Any]) -> NDArray[Any]:
        """The largest noise of T whose value still rounds to at most ``point``."""
        p = self.parts
        edge = Fraction(2 * point + 1, 2) / p.scale - p.middle
        return np.ceil(float(edge) * counts - float(p.total)) - 1

    def point_cdf(self, point: int) -> float:
        if point < self.parts.low:
            return 0.0
        if point >= self.parts.high:
            return 1.0
        p = self.parts
        counts, weights = self._counts()
        return float(1 - np.dot(weights, tails(float(p.rate_total), self._limit(point, counts))))

    def point_mass(self, point: int) -> float:
        p = self.parts
        if not p.low <= point <= p.high:
            return 0.0
        counts, weights = self._counts()
        above = tails(float(p.rate_total), self._limit(point, counts)) if point < p.high else 0.0
        from_here = (
            tails(float(p.rate_total), self._limit(point - 1, counts)) if point > p.low else 1.0
        )
        return float(np.dot(weights, from_here - above))

    def point_quantile(self, probability: float) -> int:
        return first_reaching(self.point_cdf, probability, self.parts.low, self.parts.high)

    def mean_distance(self, centre: Fraction) -> float:
        p = self.parts
        inside = max(Fraction(p.low), min(Fraction(p.high), centre))
        if inside != centre:  # every value lies on one side of the centre
            return float(abs(centre - inside)) + self.mean_distance(inside)
        counts, weights = self._counts()
        slope, rate = float(p.scale) / counts, float(p.rate_total)
        at = [
            (float(end) - float(p.scale * p.middle)) / slope - float(p.total)
            for end in (p.low, centre, p.high)
        ]
        above = excess(rate, at[1]) - excess(rate, at[2])
        below = excess(rate, -at[1]) - excess(rate, -at[0])
        return float(np.dot(weights, slope * (above + below)))

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        p = self.parts
        totals, counts = (law.sample_points(size, rng) for law in self.joint())
        values = float(p.scale) * (p.middle + totals / np.maximum(1.0, counts))
        # halves upwards, as in ``combine``
        return np.clip(np.floor(values + 0.5), float(p.low), float(p.high))
