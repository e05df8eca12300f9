"""Noisy sums of a column, and how far from them the mean of its population can be.

With u = 2 x - low - high in half steps of the lattice, |u| <= width, noise is added to the sum of
u, to the sum of u^2 and, where it is private, to the number of rows. A changed record moves both
sums together, so that the squares cost nothing beside a sum that has all of epsilon (public rows)
or half of it (private ones). Everything after the noise is post-processing, in doubles.

Reason and conditions: ``docs/proofs/with-interval.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, isfinite, sqrt

import numpy as np

from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.laws.share import least_share
from leastnoise.mechanisms.with_ends import noise_reach
from leastnoise.randomness import BitSource
from leastnoise.summaries.spread import SpreadSummary

Ends = tuple[Fraction, Fraction]

# Shares of the miss: of the sum of squares, of the sum inside the variance, of the rows.
_SQUARES, _SUM, _ROWS = Fraction(1, 12), Fraction(1, 24), Fraction(1, 24)
# Up to this miss the noise of squares and the sum need no shares of it.
_BOTH = Fraction(1, 5)
# Of a share: the rows, where they are private.
_SHARE_ROWS = Fraction(1, 8)
# What doubles may be off by, relatively.
_SPARE = 1e-9
# Doubles serve no smaller rates.
_TINY = Fraction(1, 10**150)


@dataclass(frozen=True, slots=True)
class Rates:
    """Noise rates of the sum, the sum of squares (None: it is known) and the rows (None: public).

    The noise of the sum comes in multiples of ``grain`` half steps.
    """

    first: Fraction
    squares: Fraction | None
    rows: Fraction | None
    grain: int

    @property
    def names(self) -> str:
        """What they are of, for a record."""
        found = ["sum", *(["sum of squares"] if self.squares is not None else [])]
        return ", ".join(found) + (" and row count" if self.rows is not None else "")

    def all(self) -> list[Fraction]:
        """Those of all numbers that get noise."""
        return [rate for rate in (self.first, self.squares, self.rows) if rate is not None]

    @classmethod
    def of(cls, epsilon: Fraction, width: int, *, public: bool) -> Rates:
        """Rates that cost epsilon together; squares of a column of two points are known."""
        most, share = max(1, width), width <= 1
        if public:
            return cls(epsilon / most, None if share else epsilon / (4 * most**2), None, 2)
        squares = Fraction(0) if share else epsilon / 8
        rows = epsilon / 2 - squares
        return cls(epsilon / (2 * most), squares / most**2 or None, rows, 1)


@dataclass(frozen=True, slots=True)
class SearchedMoments:
    """The noisy numbers, in half steps: released, and all that follows is told from them."""

    first: int
    squares: int
    rows: int
    width: int
    rates: Rates

    @classmethod
    def draw(cls, summary: SpreadSummary, rates: Rates, source: BitSource) -> SearchedMoments:
        """Add the noise."""
        laws = moment_laws(summary, rates)
        drawn = [law.draw(source) for law in laws]
        first = drawn[0] * rates.grain + _parity(summary, rates)
        rows = summary.n if rates.rows is None else drawn[-1]
        width = summary.lattice.width
        squares = rows * width**2 if rates.squares is None else drawn[1]
        return cls(first, squares, rows, width, rates)

    @property
    def mean(self) -> Fraction:
        """How far the mean lies above the middle of the bounds; an empty table's is there."""
        if not self.rows and self.rates.rows is None:
            return Fraction(0)
        most = Fraction(self.width)
        return max(-most, min(most, Fraction(self.first, max(1, self.rows))))

    def ends(self, miss: Fraction) -> Ends:
        """How far below and above the middle the mean of the population may lie."""
        reach = 0
        rates, widest = self.rates, Fraction(self.width)
        if min(rates.all()) < _TINY:
            return -widest, widest
        part = _ROWS if rates.squares is not None else _SHARE_ROWS
        if rates.rows is not None:
            reach = noise_reach(part * miss, 1 / rates.rows)
            miss -= part * miss
        rows = self.rows - reach, self.rows + reach
        if rates.squares is None:
            return _share(self.first, rows, rates, miss) if rows[0] > 0 else (-widest, widest)
        if rows[0] < 2:
            return -widest, widest
        squares, miss = self._squares(rates.squares, rows, miss)
        deviation = sqrt(squares) * sqrt(rows[0] / (rows[0] - 1))
        low, high = -widest, widest
        for _ in range(3 if reach else 1):  # a population outside one round's ends is outside all
            far = float(max(abs(low), abs(high))) if reach else 0.0
            half = self._half(deviation, rows[0] - 1, far, float(miss))
            if not isfinite(half):
                break
            ends = ((self.first + sign * Fraction(half)) / self.rows for sign in (-1, 1))
            low, high = (max(-widest, min(widest, end)) for end in ends)
        return low, high

    def _squares(
        self, rate: Fraction, rows: tuple[int, int], miss: Fraction
    ) -> tuple[Fraction, Fraction]:
        """The sum of squares about the mean, seldom more, and what is left of the miss for the sum.

        Noise that is too low underrates it, and misses only where the sum is far off as well: with
        the whole miss for either, both together miss no more often. That needs a sum of squares
        that is not cut to what is possible, so it is for noise that is small beside that.
        """
        most, widest = rows[1], self.width**2
        noise = self.rates.grain * noise_reach(_SUM * miss, 1 / self.rates.first)
        near = Fraction(max(0, abs(self.first) - noise) ** 2, most)
        miss -= _SUM * miss
        if miss <= _BOTH:
            reach = noise_reach(2 * miss, 1 / rate) + 2  # and by what Laplace noise is lower
            if 4 * reach <= rows[0] * widest:
                return max(Fraction(0), self.squares + reach - near), miss
        reach = noise_reach(2 * _SQUARES * miss, 1 / rate)
        found = min(self.squares + reach, most * widest) - near
        return max(Fraction(0), found), miss - _SQUARES * miss

    def _half(self, deviation: float, freedom: int, far: float, miss: float) -> float:
        """How far the noisy sum may be from rows times the mean of the population.

        ``far``: how far that may be from the middle, of which the noise of the rows is a multiple.
        """
        from scipy.special import ndtri, stdtrit

        rates = self.rates
        small = float(stdtrit(float(freedom), miss / 2) / ndtri(miss / 2)) if miss > 0 else inf
        scales = [rates.grain / float(rates.first)]
        slack = rates.grain / 2
        if rates.rows is not None:
            scales.append(far / float(rates.rows))
            slack += far / 2
        return (reach(miss, deviation * small, *scales) + slack) * (1 + _SPARE)


def _parity(summary: SpreadSummary, rates: Rates) -> int:
    """What the sum of u is beside the multiples of ``grain`` that get noise: of public numbers."""
    low, high = summary.limits
    return -summary.n * (low + high) if rates.rows is None else 0


def moment_laws(summary: SpreadSummary, rates: Rates) -> tuple[DiscreteLaplaceLaw, ...]:
    """NOT PRIVATE. The independent laws of all that is released."""
    n, total, squares = summary.n, summary.total, summary.squares
    low, high = summary.limits
    middle, one = low + high, Fraction(1)
    first = total if rates.rows is None else 2 * total - n * middle
    laws = [DiscreteLaplaceLaw(first, rates.first, one)]
    if rates.squares is not None:
        second = 4 * (squares - middle * total) + n * middle**2
        laws.append(DiscreteLaplaceLaw(second, rates.squares, one))
    if rates.rows is not None:
        laws.append(DiscreteLaplaceLaw(n, rates.rows, one))
    return tuple(laws)


def reach(miss: float, deviation: float, scale: float, other: float = 0.0) -> float:
    """The least w with P(|N + L + M| > w) <= miss: normal, and Laplace of these scales."""
    start = _start(miss, deviation, scale, other)
    return _greatest(lambda w: beyond(w, deviation, scale, other) > miss, 0.0, start)


def beyond(w: float, deviation: float, scale: float, other: float = 0.0) -> float:
    """P(|N + L + M| > w) for w >= 0, or a little more."""
    large, small = max(scale, other), min(scale, other)
    large = max(large, 1.001 * small)  # no difference of near numbers
    found = 2 * _tail(w, deviation, large)
    if small < large * 1e-6:
        return found * (1 + 1e-11)
    other_tail = 2 * _tail(w, deviation, small)
    return (large**2 * found - small**2 * other_tail) / (large**2 - small**2)


def _start(miss: float, deviation: float, *scales: float) -> float:
    """Beyond what all three may exceed together."""
    from scipy.special import ndtri

    if not miss > 0:
        return inf
    part = miss / 3
    return float(-deviation * ndtri(part / 2)) + sum(-s * float(np.log(part)) for s in scales)


def _tail(w: float, deviation: float, scale: float) -> float:
    """P(N + L > w) for w >= 0: by erfcx, where exponents would cancel."""
    from scipy.special import erfc, erfcx

    deviation = max(deviation, 1e-9 * scale)
    z, ratio = w / deviation, deviation / scale
    bell, root = exp(-z * z / 2), sqrt(2.0)
    above = bell * float(erfcx((ratio + z) / root)) / 2
    if ratio >= z:
        below = bell * float(erfcx((ratio - z) / root)) / 2
    else:
        below = exp(ratio * ratio / 2 - w / scale) * float(erfc((ratio - z) / root)) / 2
    return float(erfc(z / root)) / 2 + (below - above) / 2


def _greatest(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The end of the numbers from ``low`` on for which a condition holds, from above."""
    if not isfinite(high):
        return inf
    for _ in range(60):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return high


def _share(first: int, rows: tuple[int, int], rates: Rates, miss: Fraction) -> Ends:
    """Ends beyond which a noisy sum this high, or this low, has probability at most miss / 2.

    A noisy sum in single half steps is by at most one of them more likely than one in pairs
    (statement 5): the number at the upper point is rounded down for that.
    """
    rate = float(rates.first) * 2 / rates.grain
    rare = float(miss / 2) * (1 - 1e-6)
    low, high = (least_share(sign * first, rows, rate, rare) for sign in (1, -1))
    return 2 * Fraction(low) - 1, 1 - 2 * Fraction(high)
