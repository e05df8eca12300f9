"""Means and variances from noisy sums, with ends that hold those of the records.

The noise is as wide as the public limits ask for, so how far it reaches is public too. Three laws:

- a mean of a public number of rows: noise on the sum;
- a mean of a private number n of values y in [0, top], mostly near 0: noise on sum (4 y - top), a
  record of which moves by at most 3 top if it comes or goes and 4 top if it changes, and on n;
- a variance: a noisy centre C, then the mean of (x - C)^2 by one of the two above. It exceeds the
  variance by the square of the distance from C to the mean.

Privacy and coverage: ``docs/proofs/noisy-sums.md``.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.mechanisms.centred_laplace import centred_parts
from leastnoise.mechanisms.with_ends import noise_reach
from leastnoise.profiles import Moments
from leastnoise.session.search.noisy_moments import reach
from leastnoise.summaries.spread import SpreadSummary

if TYPE_CHECKING:
    from leastnoise.laws.centred import CentredParts
    from leastnoise.randomness import BitSource
    from leastnoise.summaries.moments import MomentSummary

Pair = tuple[DiscreteLaplaceLaw, DiscreteLaplaceLaw]

_ONE = Fraction(1)
# Of a private number of rows: what the centre gets of epsilon, and of the miss.
_CENTRE, _CENTRE_MISS = Fraction(1, 6), Fraction(1, 8)
# What noise on sum (4 y - top) and on the rows gets: 3/4 of the first and the second are 1.
_SUM, _ROWS = Fraction(5, 6), Fraction(3, 8)
# Doubles serve no smaller rates, and are off by less than this, relatively.
_TINY, _SPARE = Fraction(1, 10**150), 1 + 1e-9
# Centres of a private number of rows lie on a lattice of at least so many steps.
_STEPS = 1 << 20
# How many distances of the centre are told apart, up to this many times its scale.
_NODES, _FAR = 1500, 60.0


class Told(NamedTuple):
    """A number that is told from noisy sums, and ends that hold the true one."""

    value: Fraction
    low: Fraction
    high: Fraction

    def times(self, unit: Fraction) -> Told:
        """The same in other units."""
        return Told(self.value * unit, self.low * unit, self.high * unit)


def told(
    summary: MomentSummary | SpreadSummary,
    epsilon: Fraction,
    miss: Fraction,
    source: BitSource,
    *,
    public: bool,
) -> Told:
    """Draw the mean or the variance of a column, in the user's units; ``public``: are the rows?

    Of a mean of a private number of rows most values should be near the lower limit.
    """
    low, high = summary.limits
    if isinstance(summary, SpreadSummary):
        if low == high or (public and not summary.n):
            return Told(Fraction(0), Fraction(0), Fraction(0))
        moments = Moments(summary.n, summary.total, summary.squares, low, high)
        found = (_variance if public else _variance_of_private_rows)(moments, epsilon, miss, source)
        return found.times(summary.step**2)
    if low == high or (public and not summary.n):
        middle = Fraction(summary.lattice.middle)
        return Told(middle, middle, middle).times(summary.step)
    if public:
        return _mean(summary, epsilon, miss, source).times(summary.step)
    total, n = summary.total - summary.n * low, summary.n
    found = _mean_of_private_rows(total, n, high - low, epsilon, miss, source)
    return Told(*(low + end for end in found)).times(summary.step)


def mean_law(s: MomentSummary, epsilon: Fraction) -> DiscreteLaplaceLaw:
    """NOT PRIVATE. The law of the noisy sum of a public number of rows."""
    low, high = s.limits
    return DiscreteLaplaceLaw(s.total, epsilon / (high - low), _ONE)


def low_mean_laws(total: int, n: int, top: int, epsilon: Fraction) -> Pair:
    """NOT PRIVATE. The independent laws of sum (4 y - top), y in [0, top], and of the rows."""
    sums = DiscreteLaplaceLaw(4 * total - n * top, _SUM * epsilon / (4 * top), _ONE)
    return sums, DiscreteLaplaceLaw(n, _ROWS * epsilon, _ONE)


def centre_laws(m: Moments, epsilon: Fraction) -> Pair:
    """NOT PRIVATE. Those of sum (2 x - low - high), and of the rows, for the centre."""
    sums = 2 * m.total - m.rows * (m.low + m.high)
    first = DiscreteLaplaceLaw(sums, epsilon / (2 * (m.high - m.low)), _ONE)
    return first, DiscreteLaplaceLaw(m.rows, epsilon / 2, _ONE)


def _mean(s: MomentSummary, epsilon: Fraction, miss: Fraction, source: BitSource) -> Told:
    law = mean_law(s, epsilon)
    total, more = law.draw(source), noise_reach(miss, 1 / law.rate)
    return Told(*(Fraction(sums, s.n) for sums in (total, total - more, total + more)))


def _mean_of_private_rows(
    total: int, n: int, top: int, epsilon: Fraction, miss: Fraction, source: BitSource
) -> Told:
    """Of values in [0, top] with this sum."""
    laws = low_mean_laws(total, n, top, epsilon)
    sums, rows = (law.draw(source) for law in laws)
    low, high = quotients(sums, rows, laws, 3 * top, miss)
    middle = Fraction(sums, rows) if rows > 0 else Fraction(0)
    return Told(*((top + end) / 4 for end in (middle, max(low, Fraction(-top)), high)))


def quotients(
    sums: int, rows: int, laws: Pair, most: int, miss: Fraction
) -> tuple[Fraction, Fraction]:
    """All d with |sums - rows d| <= w(d), P(|X - d Y| > w(d)) <= miss, X and Y the noise of both.

    For |d| <= ``most``. w grows with |d|: a d outside the ends by a bound on |d| is outside the
    ends by every smaller bound.
    """
    low, high = Fraction(-most), Fraction(most)
    if rows <= 0 or min(law.rate for law in laws) < _TINY:
        return low, high
    scales = [1 / float(law.rate) for law in laws]
    for _ in range(3):
        far = float(max(abs(low), abs(high)))
        half = (reach(float(miss), 0.0, scales[0], far * scales[1]) + (1 + far) / 2) * _SPARE
        if not isfinite(half):
            break
        low = max(low, (sums - Fraction(half)) / rows)
        high = min(high, (sums + Fraction(half)) / rows)
        if low > high:  # the noise reached farther than it seldom does
            low = high = max(Fraction(-most), min(Fraction(most), Fraction(sums, rows)))
            break
    return low, high


def _variance(m: Moments, epsilon: Fraction, miss: Fraction, source: BitSource) -> Told:
    """By the two numbers of ``CentredLaplace``."""
    parts = centred_parts(m, epsilon, Fraction(1), (0, 0))
    centre, squares = parts.draw(source)
    rate, rows = parts.rate(centre), m.rows
    value, high = (Fraction(s, rows) for s in (squares, squares + noise_reach(miss, 1 / rate)))
    low = Fraction(0)
    if min(rate, parts.centre_rate, miss) > _TINY:
        low = Fraction(squares - ceil(fall(parts, miss) / rate) - 2, rows)
    return Told(value - parts.bias, low, high).times(parts.points)


def fall(parts: CentredParts, miss: Fraction) -> float:
    """The least w with P(L + k Z^2 > w) <= miss / 2, L Laplace of scale 1, Z the centre's error.

    k is the number of rows times the largest rate that the noise of squares can have.
    """
    rows, width = parts.moments.rows, parts.width
    rate = float((parts.cost - parts.centre_cost / 2) * 4 / width**2)
    z = np.linspace(0.0, _FAR, _NODES + 1)
    masses = np.append(-np.diff(np.exp(-z[:-1])), exp(-z[-2]))
    far = (z[1:] / float(parts.centre_rate) + 0.5) / rows + parts.spacing / 2
    squares = rows * rate * np.square(np.append(far[:-1], np.minimum(width, np.inf)))
    low, high = 0.0, float(squares[-1]) - float(np.log(float(miss)))
    for _ in range(60):
        middle = (low + high) / 2
        t = middle - squares
        tails = np.where(t >= 0, np.exp(-np.abs(t)) / 2, 1 - np.exp(-np.abs(t)) / 2)
        low, high = (middle, high) if masses @ tails > float(miss) / 2 else (low, middle)
    return high * _SPARE


def _variance_of_private_rows(
    moments: Moments, epsilon: Fraction, miss: Fraction, source: BitSource
) -> Told:
    m = moments.finer(max(1, ceil(Fraction(_STEPS, moments.high - moments.low))))
    n, total, width, middle = m.rows, m.total, m.high - m.low, m.low + m.high
    share = _CENTRE * epsilon
    laws = centre_laws(m, share)
    sums, rows = (law.draw(source) for law in laws)
    mean = Fraction(sums, max(1, rows))
    centre = max(m.low, min(m.high, round((middle + mean) / 2)))
    ends = quotients(sums, rows, laws, width, _CENTRE_MISS * miss)
    off = max(abs((middle + end) / 2 - centre) for end in ends)
    far = max(m.high - centre, centre - m.low)
    squares = m.squares - 2 * centre * total + n * centre**2
    rest = (1 - _CENTRE_MISS) * miss
    found = _mean_of_private_rows(squares, n, far**2, epsilon - share, rest, source)
    bias = 2 * (1 / (2 * laws[0].rate * max(1, rows))) ** 2
    value = max(Fraction(0), found.value - bias)
    return Told(value, found.low - off**2, found.high).times(m.scale)
