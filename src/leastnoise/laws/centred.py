"""A variance from noisy squares about a noisy centre: the law of ``CentredLaplace``.

With T and Q the sums of x and x^2 over n records x in [low, high], integers:

    C = low + spacing * round((T + noise(rate_centre) - n low) / (n spacing)), cut to [low, high];
    S = Q - 2 C T + n C^2 + noise(rate(C)), the noisy sum of (x - C)^2.

S / n overestimates the variance by the square of the distance from the mean to C, whose mean
``bias`` is public. The answer is S / n - bias, or its root, rounded to the output lattice and
cut to the public range: post-processing of (C, S).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, first_reaching
from leastnoise.laws.discrete_laplace import DiscreteLaplaceLaw, excess, tails
from leastnoise.numbers.exact import scaled_exp_enclosure
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_laplace

# Analysis sums over the centres that are this many noise scales around the mean at most.
_REACH = 45
# Mean distances over so few points are spelled out; on finer lattices they are those of the reals.
_SPELLED_OUT = 1024
# Nodes on either side of the value for the mean distance of a root.
_NODES = 4001


class Sums(Protocol):
    """The exact sums of x and x^2 over records x in [low, high], and whether a root is asked."""

    @property
    def rows(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def squares(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def root(self) -> bool: ...


@dataclass(frozen=True, slots=True, repr=False)
class CentredParts:
    """The exact numbers behind a ``CentredLaw``.

    ``cost`` is what both noisy numbers lose together, ``centre_cost`` the share of the centre,
    ``points`` the lattice points of 1 in units of the records' squares (of the records for a root).
    """

    moments: Sums
    cost: Fraction
    centre_cost: Fraction
    spacing: int
    bias: Fraction
    points: Fraction
    low: int
    high: int

    @property
    def width(self) -> int:
        """The width of the records' range."""
        return self.moments.high - self.moments.low

    @property
    def last(self) -> int:
        """The index of the last centre."""
        return -(-self.width // self.spacing)

    @property
    def centre_rate(self) -> Fraction:
        """Noise rate of the sum of the records."""
        return self.centre_cost / self.width

    def centre(self, index: int) -> int:
        """A centre by its index."""
        return min(self.moments.high, self.moments.low + index * self.spacing)

    def index(self, total: int) -> int:
        """The index of the centre nearest to a noisy sum over n."""
        wide = self.moments.rows * self.spacing
        nearest = (2 * (total - self.moments.rows * self.moments.low) + wide) // (2 * wide)
        return max(0, min(self.last, nearest))

    def squares(self, centre: int) -> int:
        """The sum of the squares of the distances to a centre."""
        m = self.moments
        return m.squares - 2 * centre * m.total + m.rows * centre * centre

    def rate(self, centre: int) -> Fraction:
        """Noise rate of the squares about a centre.

        With D the distance to the far end, one record moves the sum by d and its squares by s, in
        units of the width and of D^2; d + (s share) is largest where the record goes from v on the
        near side to the far end: (D + v) / width and 1 - (v / D)^2, 0 <= v <= width - D. So with
        a = centre_cost D / width, both cost at most a + b + a^2 / (4 b) at a rate of b / D^2, and
        never more than centre_cost + b.
        """
        far = max(self.moments.high - centre, centre - self.moments.low)
        spent = self.centre_cost * far / self.width
        left = self.cost - spent
        share = self.cost - self.centre_cost
        # left - spent^2 / (3 left) is at least 3/4 of left, so that spent^2 / (4 share) is less
        # than what is taken off
        if 4 * spent**2 <= 3 * left**2:
            share = max(share, left - spent**2 / (3 * left))
        return share / far**2

    def draw(self, source: BitSource) -> tuple[int, int]:
        """One exact draw: a centre, and the noisy sum of squares about it."""
        rate = self.centre_rate
        noisy = self.moments.total + discrete_laplace(rate.numerator, rate.denominator, source)
        centre = self.centre(self.index(noisy))
        rate = self.rate(centre)
        noise = discrete_laplace(rate.numerator, rate.denominator, source)
        return centre, self.squares(centre) + noise

    def combine(self, squares: int) -> int:
        """The lattice point of an answer with these noisy squares."""
        value = Fraction(squares, self.moments.rows) - self.bias
        if self.moments.root:
            # floor(sqrt(a) + 1/2) = floor((floor(2 sqrt(a)) + 1) / 2)
            scaled = 4 * max(value, Fraction(0)) * self.points**2
            point = (isqrt(scaled.__floor__()) + 1) // 2
        else:
            point = (value * self.points + Fraction(1, 2)).__floor__()
        return max(self.low, min(self.high, point))

    def limit(self, point: Fraction | int) -> int:
        """The largest noisy squares whose value lies below ``point`` + 1/2 lattice points."""
        edge = (point + Fraction(1, 2)) / self.points
        if self.moments.root:
            edge = edge * edge if edge > 0 else Fraction(0)
        return ceil((edge + self.bias) * self.moments.rows) - 1


class CentredLaw(Law):
    """NOT PRIVATE. The law of a variance, or its root, by noisy squares about a noisy centre."""

    def __init__(self, parts: CentredParts, step: Fraction) -> None:
        super().__init__(step)
        self.parts = parts

    def draw(self, source: BitSource) -> int:
        _, squares = self.parts.draw(source)
        return self.parts.combine(squares)

    @property
    def after(self) -> tuple[object, ...]:
        """The public numbers that turn both draws into the answer."""
        p = self.parts
        m = p.moments
        return (p.spacing, p.bias, p.points, p.low, p.high, m.rows, m.low, m.high, m.root)

    def branches(
        self, bits: int = 256
    ) -> Iterator[tuple[object, tuple[Fraction, Fraction], Law | None]]:
        """Every centre with certified bounds on its probability and the law of its squares."""
        p = self.parts
        edges = [self._noise_edge(i) for i in range(-1, p.last + 1)]
        ends = [(Fraction(0), Fraction(0))]
        ends += [_cumulative(p.centre_rate, edge, bits) for edge in edges[1:-1]]
        ends.append((Fraction(1), Fraction(1)))
        for i in range(p.last + 1):
            centre = p.centre(i)
            mass = max(Fraction(0), ends[i + 1][0] - ends[i][1]), ends[i + 1][1] - ends[i][0]
            yield centre, mass, DiscreteLaplaceLaw(p.squares(centre), p.rate(centre), Fraction(1))

    def _noise_edge(self, index: int) -> int:
        """The largest noise of T that leads to a centre of at most this index."""
        m, spacing = self.parts.moments, self.parts.spacing
        return -(-m.rows * (2 * m.low + spacing * (2 * index + 1)) // 2) - 1 - m.total

    @cached_property
    def _centres(self) -> tuple[NDArray[Any], list[int], NDArray[Any]]:
        """Weights, squares and noise rates of the centres that have a weight."""
        p = self.parts
        rate = float(p.centre_rate)
        reach = ceil(_REACH / rate)
        first, last = p.index(p.moments.total - reach), p.index(p.moments.total + reach)
        indices = range(first, last + 1)
        inner = np.array([float(self._noise_edge(i)) for i in indices[:-1]])
        below = np.concatenate([[0.0], 1 - tails(rate, inner), [1.0]])
        centres = [p.centre(i) for i in indices]
        rates = np.array([float(p.rate(c)) for c in centres])
        return np.diff(below), [p.squares(c) for c in centres], rates

    def _noise(self, limit: int) -> NDArray[Any]:
        """The noise of the squares up to this limit, centre by centre."""
        return np.array([float(limit - squares) for squares in self._centres[1]])

    def _below(self, point: int | Fraction) -> float:
        weights, _, rates = self._centres
        return float(1 - np.dot(weights, tails(rates, self._noise(self.parts.limit(point)))))

    def point_cdf(self, point: int) -> float:
        if point < self.parts.low:
            return 0.0
        return 1.0 if point >= self.parts.high else self._below(point)

    def point_mass(self, point: int) -> float:
        p = self.parts
        if not p.low <= point <= p.high:
            return 0.0
        weights, _, rates = self._centres
        none = np.full(len(weights), np.inf)
        last = none if point == p.high else self._noise(p.limit(point))
        before = -none if point == p.low else self._noise(p.limit(point - 1))
        return float(np.dot(weights, _between(rates, before, last)))

    def point_quantile(self, probability: float) -> int:
        return first_reaching(self.point_cdf, probability, self.parts.low, self.parts.high)

    def mean_distance(self, centre: Fraction) -> float:
        p = self.parts
        inside = max(Fraction(p.low), min(Fraction(p.high), centre))
        if inside != centre:  # every value lies on one side of the centre
            return float(abs(centre - inside)) + self.mean_distance(inside)
        if p.high - p.low <= _SPELLED_OUT:  # here the rounding to the lattice shows
            points = range(p.low, p.high + 1)
            return sum(self.point_mass(y) * abs(float(y - centre)) for y in points)
        if p.moments.root:
            return self._root_distance(centre)
        weights, squares, rates = self._centres
        rows = p.moments.rows
        edges = ((Fraction(end) / p.points + p.bias) * rows for end in (p.low, centre, p.high))
        low, at, high = (np.array([float(edge - s) for s in squares]) for edge in edges)
        above = excess(rates, at) - excess(rates, high)
        below = excess(rates, -at) - excess(rates, -low)
        return float(np.dot(weights, above + below)) * float(p.points / rows)

    def _root_distance(self, centre: Fraction) -> float:
        """The areas under the distribution function below the centre and over it above."""
        p = self.parts
        total = 0.0
        for end, below in ((p.low, True), (p.high, False)):
            span = float(abs(end - centre))
            if not span:
                continue
            away = np.concatenate([[0.0], np.geomspace(span * 1e-12, span, _NODES)])
            points = float(centre) + (-away if below else away)
            reached = self._roots_below(points)
            total += float(np.trapezoid(reached if below else 1 - reached, away))
        return total

    def _roots_below(self, points: NDArray[Any]) -> NDArray[Any]:
        """The distribution function of a root at real points, without the rounding."""
        p = self.parts
        weights, squares, rates = self._centres
        rows = p.moments.rows
        edges = (np.maximum(points, 0) / float(p.points)) ** 2 * rows + float(p.bias * rows)
        found = np.zeros(len(points))
        for weight, square, rate in zip(weights, squares, rates, strict=True):
            found += weight * (1 - tails(rate, np.floor(edges - float(square))))
        return found

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        p = self.parts
        weights, squares, rates = self._centres
        chosen = rng.choice(len(weights), size, p=weights / weights.sum())
        rate = rates[chosen]
        first, second = (np.floor(rng.exponential(size=size) / rate) for _ in range(2))
        noisy = np.array([float(s) for s in squares])[chosen] + first - second
        values = noisy / p.moments.rows - float(p.bias)
        if p.moments.root:
            values = np.sqrt(np.maximum(values, 0))
        return np.clip(np.floor(values * float(p.points) + 0.5), float(p.low), float(p.high))


def _cumulative(rate: Fraction, point: int, bits: int) -> tuple[Fraction, Fraction]:
    """Certified P(X <= point) for discrete Laplace noise X."""
    # q^k / (1 + q), from 1 - that on the right of 0
    steps = -point if point < 0 else point + 1
    num, den = rate.numerator, rate.denominator
    bits += ceil(steps * rate * Fraction(3, 2))
    one = 1 << bits
    low, high = scaled_exp_enclosure(0, num * steps, den, bits)
    least, most = scaled_exp_enclosure(0, num, den, bits)
    ends = Fraction(low, one + most), Fraction(high, one + least)
    return ends if point < 0 else (1 - ends[1], 1 - ends[0])


def _between(rate: NDArray[Any], first: NDArray[Any], last: NDArray[Any]) -> NDArray[Any]:
    """P(first < X <= last), without cancellation where both lie on one side."""
    with np.errstate(over="ignore", invalid="ignore"):
        right = np.exp(-rate * (first + 1)) * -np.expm1(-rate * (last - first))
        left = np.exp(rate * last) * -np.expm1(-rate * (last - first))
        one_side = np.where(first >= 0, right, left) / (1 + np.exp(-rate))
        across = 1 - tails(rate, last) - (1 - tails(rate, first))
    return np.where((first >= 0) | (last < 0), one_side, across)
