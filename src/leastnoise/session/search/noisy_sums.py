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

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, exp, inf, isfinite, log, sqrt
from typing import NamedTuple

import numpy as np

from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.laws.centred import CentredParts
from leastnoise.mechanisms.centred_laplace import centred_parts
from leastnoise.mechanisms.with_ends import noise_reach
from leastnoise.profiles import Moments
from leastnoise.randomness import BitSource
from leastnoise.session.search.fourth import Fourth
from leastnoise.session.search.noisy_moments import beyond, reach
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.records import Records
from leastnoise.summaries.spread import SpreadSummary

Pair = tuple[DiscreteLaplaceLaw, DiscreteLaplaceLaw]

_ONE = Fraction(1)
# Of a private number of rows: what the centre gets of epsilon, and of the miss.
CENTRE, _CENTRE_MISS = Fraction(1, 6), Fraction(1, 8)
# Of a population: what the rows get of the miss, where they are private.
_ROWS_MISS = Fraction(1, 24)
# Of the variance of a population: what a sum of fourth powers gets of epsilon, and of the miss.
_FOURTH, _FOURTH_MISS = Fraction(1, 8), Fraction(1, 12)
# What noise on sum (4 y - top) and on the rows gets: 3/4 of the first and the second are 1.
_SUM, _ROWS = Fraction(5, 6), Fraction(3, 8)
# Doubles serve no smaller rates, and are off by less than this, relatively.
_TINY, _SPARE = Fraction(1, 10**150), 1 + 1e-9
# Centres of a private number of rows lie on a lattice of at least so many steps.
_STEPS = 1 << 20
# How many distances of the centre are told apart, up to this many times its scale.
_NODES, _FAR = 1500, 60.0


class NoisyAnswer(NamedTuple):
    """A number that is told from noisy sums, and ends that hold the true one."""

    value: Fraction
    low: Fraction
    high: Fraction

    def times(self, unit: Fraction) -> NoisyAnswer:
        """The same in other units."""
        return NoisyAnswer(self.value * unit, self.low * unit, self.high * unit)


class Of(NamedTuple):
    """What the ends cover: data or population, how often they may miss, and whether the number of
    rows is public."""

    miss: Fraction
    public: bool
    population: bool = False

    def part(self, share: Fraction) -> Of:
        """A part of the miss."""
        return self._replace(miss=share * self.miss)


def noisy_answer(
    summary: MomentSummary | SpreadSummary,
    epsilon: Fraction,
    of: Of,
    source: BitSource,
    records: Records | None = None,
) -> NoisyAnswer:
    """Draw the mean or the variance of a column, in the user's units.

    Of a mean of a private number of rows most values should be near the lower limit. With the
    records a variance of a population gets a noisy sum of fourth powers, for a part of epsilon.
    """
    low, high = summary.limits
    empty = low == high or (of.public and not summary.n)
    if isinstance(summary, SpreadSummary):
        if empty:
            most = Fraction((high - low) ** 2, 4) if of.population else Fraction(0)
            return NoisyAnswer(Fraction(0), Fraction(0), most).times(summary.step**2)
        moments = Moments(summary.n, summary.total, summary.squares, low, high)
        fourth = None
        if records is not None:
            fourth = Fourth(records, _ONE, _FOURTH * epsilon)
            epsilon -= fourth.epsilon
        variance = _variance if of.public else _variance_of_private_rows
        found = variance(moments, epsilon, of, source, fourth)
        return found.times(summary.step**2)
    if empty:
        middle = Fraction(summary.lattice.middle)
        ends = map(Fraction, (low, high)) if of.population else (middle, middle)
        return NoisyAnswer(middle, *ends).times(summary.step)
    total = summary.total - summary.n * low
    mean = _mean if of.public else _mean_of_private_rows
    found = mean(total, summary.n, high - low, epsilon, of, source)
    return NoisyAnswer(*(low + end for end in found)).times(summary.step)


def mean_law(total: int, top: int, epsilon: Fraction) -> DiscreteLaplaceLaw:
    """NOT PRIVATE. The law of the noisy sum of a public number of values in [0, top]."""
    return DiscreteLaplaceLaw(total, epsilon / top, _ONE)


def low_mean_laws(total: int, n: int, top: int, epsilon: Fraction) -> Pair:
    """NOT PRIVATE. The independent laws of sum (4 y - top), y in [0, top], and of the rows."""
    sums = DiscreteLaplaceLaw(4 * total - n * top, _SUM * epsilon / (4 * top), _ONE)
    return sums, DiscreteLaplaceLaw(n, _ROWS * epsilon, _ONE)


def centre_laws(m: Moments, epsilon: Fraction) -> Pair:
    """NOT PRIVATE. Those of sum (2 x - low - high), and of the rows, for the centre."""
    sums = 2 * m.total - m.rows * (m.low + m.high)
    first = DiscreteLaplaceLaw(sums, epsilon / (2 * (m.high - m.low)), _ONE)
    return first, DiscreteLaplaceLaw(m.rows, epsilon / 2, _ONE)


def _mean(
    total: int, n: int, top: int, epsilon: Fraction, of: Of, source: BitSource
) -> NoisyAnswer:
    """Of values in [0, top] with this sum."""
    law = mean_law(total, top, epsilon)
    return _of_sum(law.draw(source), n, top, law.rate, of)


def _of_sum(
    sums: int, n: int, top: int, rate: Fraction, of: Of, large: Fraction | None = None
) -> NoisyAnswer:
    """From a noisy sum; ``large``: at least the sum of (y / top)^2, where it is known."""
    more = noise_reach(of.miss, 1 / rate)
    if of.population:
        scales = [1 / max(rate, _TINY), Fraction(0)]
        second = None if large is None else large / n
        low, high = _sampled(Line(sums, n, 0), n, top, scales, of.miss, second)
        return NoisyAnswer(Fraction(sums, n), low, high)
    return NoisyAnswer(*(Fraction(end, n) for end in (sums, sums - more, sums + more)))


def _mean_of_private_rows(
    total: int,
    n: int,
    top: int,
    epsilon: Fraction,
    of: Of,
    source: BitSource,
    large: Fraction | None = None,
) -> NoisyAnswer:
    """Likewise."""
    laws = low_mean_laws(total, n, top, epsilon)
    sums, rows = (law.draw(source) for law in laws)
    value = (top + (Fraction(sums, rows) if rows > 0 else Fraction(0))) / 4
    if of.population:
        few = _ROWS_MISS * of.miss
        spare = noise_reach(few, 1 / laws[1].rate)
        most = max(0, rows) + spare
        scales = [1 / max(law.rate, _TINY) for law in laws]
        line = Line(sums + rows * top, 4 * rows, top)
        second = None if large is None else large / max(1, rows - spare)
        return NoisyAnswer(value, *_sampled(line, most, top, scales, of.miss - few, second))
    low, high = quotients(sums, rows, laws, 3 * top, of.miss)
    return NoisyAnswer(value, *((top + end) / 4 for end in (max(low, Fraction(-top)), high)))


class Line(NamedTuple):
    """Noisy ``sums`` less ``rows`` times a mean are noise; that of the rows counts
    |4 mean - ``middle``| times where ``middle`` > 0, and rows are 4 times those of the sample."""

    sums: int
    rows: int
    middle: int


def _sampled(
    line: Line,
    most: int,
    top: int,
    scales: Sequence[Fraction],
    miss: Fraction,
    second: Fraction | None,
) -> tuple[Fraction, Fraction]:
    """All means of a population of values in [0, top] for which such sums are not rare.

    ``most`` rows at most, whose sum is taken to be normal, with the largest variance that a
    population of this mean has in these limits, or that in proportion to the square of the mean
    which ``second``, at least the mean of (y / top)^2, allows.
    """
    if line.rows <= 0 or max(scales) >= 1 / _TINY or miss < _TINY:
        return Fraction(0), Fraction(top)
    times = 4 if line.middle else 1
    first, other = map(float, scales)
    start = float(max(Fraction(0), min(Fraction(top), Fraction(line.sums, line.rows))))
    least = start - 2 * first / line.rows  # in spite of the noise
    relative = inf
    if second is not None and least > 0:
        relative = max(0.0, float(second) * (top / least) ** 2 - 1)

    def inside(mean: float) -> bool:
        far = abs(4 * mean - line.middle) if line.middle else 0.0
        variance = min(mean * max(0.0, top - mean), relative * mean**2 if mean else 0.0)
        deviation = times * sqrt(most * variance)
        gap = abs(float(line.sums - line.rows * Fraction(mean))) / _SPARE - (1 + far) / 2
        return gap <= 0 or beyond(gap, deviation, first, far * other) > float(miss)

    return Fraction(_last(inside, start, 0.0)), Fraction(_last(inside, start, float(top)))


def _last(inside: Callable[[float], bool], near: float, end: float) -> float:
    """The last number from ``near`` to ``end`` for which a condition holds, from beyond."""
    if inside(end):
        return end
    for _ in range(45):
        middle = (near + end) / 2
        near, end = (middle, end) if inside(middle) else (near, middle)
    return end


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


def _variance(
    m: Moments, epsilon: Fraction, of: Of, source: BitSource, fourth: Fourth | None
) -> NoisyAnswer:
    """By the two numbers of ``CentredLaplace``."""
    parts = centred_parts(m, epsilon, Fraction(1), (0, 0))
    centre, squares = parts.draw(source)
    rate, rows = parts.rate(centre), m.rows
    fine = min(rate, parts.centre_rate, of.miss) > _TINY
    if of.population:
        far = max(parts.moments.high - centre, centre - parts.moments.low)
        large = None
        if fourth is not None:
            large = fourth._replace(finer=Fraction(parts.width, m.high - m.low)).above(
                centre, far, _FOURTH_MISS * of.miss, source
            )
        rest = of.part(1 - _CENTRE_MISS - _FOURTH_MISS)
        found = _of_sum(squares, rows, far**2, rate, rest, large)
        off = float(1 / parts.centre_rate) * -log(_CENTRE_MISS * of.miss) if fine else 1e300
        room = min(Fraction(parts.width), Fraction(off) / rows + parts.spacing)
        return _of_sample(found, room**2, rows, parts.bias).times(parts.points)
    value, high = (Fraction(s, rows) for s in (squares, squares + noise_reach(of.miss, 1 / rate)))
    low = Fraction(0)
    if fine:
        low = Fraction(squares - ceil(fall(parts, of.miss) / rate) - 2, rows)
    return NoisyAnswer(value - parts.bias, low, high).times(parts.points)


def _of_sample(found: NoisyAnswer, room: Fraction, rows: int, bias: Fraction) -> NoisyAnswer:
    """The variance of a population, from the mean of squares about a centre near its mean."""
    more = Fraction(rows, rows - 1) if rows > 1 else Fraction(1)
    value = max(Fraction(0), found.value - bias)
    return NoisyAnswer(value * more, max(Fraction(0), found.low - room), found.high * more)


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
    moments: Moments, epsilon: Fraction, of: Of, source: BitSource, fourth: Fourth | None
) -> NoisyAnswer:
    finer = max(1, ceil(Fraction(_STEPS, moments.high - moments.low)))
    m = moments.finer(finer)
    n, total, width, middle = m.rows, m.total, m.high - m.low, m.low + m.high
    share = CENTRE * epsilon
    laws = centre_laws(m, share)
    sums, rows = (law.draw(source) for law in laws)
    mean = Fraction(sums, max(1, rows))
    centre = max(m.low, min(m.high, round((middle + mean) / 2)))
    ends = quotients(sums, rows, laws, width, _CENTRE_MISS * of.miss)
    off = max(abs((middle + end) / 2 - centre) for end in ends)
    far = max(m.high - centre, centre - m.low)
    squares = m.squares - 2 * centre * total + n * centre**2
    rest, large = of.part(1 - _CENTRE_MISS), None
    if fourth is not None:
        rest, few = of.part(1 - _CENTRE_MISS - _FOURTH_MISS), _FOURTH_MISS * of.miss
        large = fourth._replace(finer=Fraction(finer)).above(centre, far, few, source)
    found = _mean_of_private_rows(squares, n, far**2, epsilon - share, rest, source, large)
    bias = 2 * (1 / (2 * laws[0].rate * max(1, rows))) ** 2
    if of.population:
        return _of_sample(found, off**2, rows, bias).times(m.scale)
    value = max(Fraction(0), found.value - bias)
    return NoisyAnswer(value, found.low - off**2, found.high).times(m.scale)
