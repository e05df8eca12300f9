"""The ranks that the ends of a quantile's confidence interval aim at: public tables.

The lower end stops where about a(n) records lie below, with

    a(n, q) = max{a : P(B + V - T < a) <= tail},    B ~ Binomial(n, q),

T ~ Geo(exp(-e1)) being the noise of the search's threshold and V ~ Geo(exp(-e2)) that of the one
count which must not stay quiet. a may be negative for few records. It is computed in doubles whose
relative error stays below 1e-11 (n <= 4096: the recursion P_(n+1)(a) = q P_n(a-1) + (1-q) P_n(a)
only averages) or 1e-6 + 1e-13 n (beyond, where the chance may also be found up to .5 % too
large), and ``tail`` is reduced by more than that first, so rounding can only lower a target, and
so widen the interval (``docs/proofs/quantile-interval.md``).
A target is a function of n and of public parameters; coverage depends on it, privacy only on its
steps, which ``interval_steps`` sees to where n is private.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, isqrt, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Up to here a table holds every n; beyond, a public n has its own computation.
TABLE = 4096
_SPARE = 1e-9
# Doubles serve no tail, and no share of epsilon, below the first, and no more rows than these.
_TINY = Fraction(1, 10**200)
_MOST_ROWS = 10**12
# Largest logarithm of a factor that a tilted probability is multiplied by.
_STEEP = 200.0


class Noise(NamedTuple):
    """Shares of epsilon: ``e1`` for the threshold of a search, ``e2`` for its counts."""

    e1: Fraction
    e2: Fraction

    @property
    def quiet(self) -> float:
        """P(V <= T)."""
        return expm1(-float(self.e2)) / expm1(-float(self.e1 + self.e2))


def _noise_below(a: NDArray[np.float64], noise: Noise) -> NDArray[np.float64]:
    """P(V - T < a), without a difference of near numbers."""
    e1, e2 = float(noise.e1), float(noise.e2)
    above = np.maximum(a - 1.0, 0.0)
    gain = expm1(-e1) * exp(-e2) * np.expm1(-e2 * above) / -expm1(-e2)
    return noise.quiet * (np.exp(np.minimum(0.0, e1 * (a - 1.0))) + gain)


@lru_cache(maxsize=32)
def table(order: Fraction, tail: Fraction, noise: Noise, rows: int = TABLE) -> NDArray[np.int64]:
    """a(0), ..., a(rows) by the recursion over n."""
    q, rate = float(order), float(noise.e1)
    limit = float(tail) * (1 - _SPARE)
    lowest = -ceil(log(1 / limit) / rate) - 1
    # for a <= 0: P(B + V - T < a) = P(V <= T) exp(-e1 (1 - a)) (1 - q + q exp(-e1))^n
    chance = _noise_below(np.arange(lowest, rows + 2, dtype=np.float64), noise)
    below, shrink = float(chance[0]) * exp(-rate), 1 - q + q * exp(-rate)
    lower = np.empty_like(chance)
    found = np.empty(rows + 1, dtype=np.int64)
    found[0] = lowest + np.searchsorted(chance, limit, side="right") - 1
    for n in range(1, rows + 1):
        lower[0], lower[1:] = below, chance[:-1]
        below *= shrink
        chance = q * lower + (1 - q) * chance
        found[n] = lowest + np.searchsorted(chance, limit, side="right") - 1
    return found


def _chance(
    a: NDArray[np.float64], n: NDArray[np.float64], order: Fraction, noise: Noise
) -> NDArray[np.float64]:
    """At least P(B + V - T < a) for 1 <= a <= n, by what V - T adds to P(B < a) and takes from it.

    From b >= a: P(V <= T) sum over j >= 1 of P(B = a - 1 + j) exp(-e1 j) is added; from b < a,
    P(V >= T) sum over j >= 1 of P(B = a - j) exp(-e2 j) is taken, less than half of what is there.
    """
    from scipy.special import betainc

    q, p = float(order), float(1 - order)
    loud = expm1(-float(noise.e1)) / expm1(-float(noise.e1 + noise.e2))
    added = _weighted_above(a, n, q, p, float(noise.e1))
    taken = _weighted_above(n - a + 1, n, p, q, float(noise.e2), least=True)
    total = np.asarray(betainc(n - a + 1, a, p), dtype=np.float64)
    return total + noise.quiet * added - loud * taken


def _weighted_above(
    a: NDArray[np.float64],
    n: NDArray[np.float64],
    q: float,
    p: float,
    rate: float,
    *,
    least: bool = False,
) -> NDArray[np.float64]:
    """Sum over j >= 1 of P(B = a - 1 + j) exp(-rate j), or a upper bound (``least``: below).

    The weights tilt B to another binomial. Where their factor is beyond doubles they are steep
    for the law of B, and the sum is nearly a geometric one: P(B = a + 1) / P(B = a)
    bounds all later ratios from above, a ratio farther out all earlier ones from below.
    """
    from scipy.special import betainc, gammaln

    share = q * exp(-rate) / (p + q * exp(-rate))
    factor = rate * (a - 1) + n * np.log1p(q * np.expm1(-rate))
    near = np.asarray(betainc(a, n - a + 1, share), dtype=np.float64)
    near *= np.exp(np.minimum(factor, _STEEP))
    log_mass = gammaln(n + 1) - gammaln(a + 1) - gammaln(n - a + 1) + a * log(q)
    mass = np.exp(log_mass + (n - a) * np.log1p(-q) - rate)
    terms = ceil(40 / rate) if least else 0
    ratio = np.maximum(0.0, n - a - terms) / (a + 1 + terms) * (q / p) * exp(-rate)
    falling = ratio < 1
    kept = np.minimum(ratio, 1.0) ** terms if least else 0.0
    far = mass * (1 - kept) / np.where(falling, 1 - ratio, 1.0)
    return np.where(factor <= _STEEP, near, np.where(falling, far, 0.0 if least else 1.0))


def _many(
    rows: NDArray[np.int64], order: Fraction, tail: Fraction, noise: Noise
) -> NDArray[np.int64]:
    """a(n) for every n of a list of large n; 0 where none from 1 on is safe."""
    from scipy.special import ndtri

    q, rate = float(order), float(noise.e1)
    n = rows.astype(np.float64)
    limit = float(tail) * (1 - 1e-6 - 1e-13 * n)
    guess = n * q + float(ndtri(float(tail))) * np.sqrt(n * q * float(1 - order))
    low = np.floor(np.clip(guess - 60 / rate - 60, 0, n))
    high = np.ceil(np.clip(guess + 60 / float(noise.e2) + 60, 1, n))
    # keep P(B + V - T < low) <= limit < P(B + V - T < high + 1)
    while np.any(low < high):
        middle = np.ceil((low + high) / 2)
        good = _chance(np.maximum(middle, 1), n, order, noise) <= limit
        low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
    safe = (low >= 1) & (_chance(np.maximum(low, 1), n, order, noise) <= limit)
    return np.where(safe, low, 0).astype(np.int64)


def is_tabled(tail: Fraction, noise: Noise) -> bool:
    """Whether a table is affordable: it has a column for every value that T can well take."""
    return _fits_doubles(tail, noise) and _surprise(tail) / noise.e1 <= TABLE


def _fits_doubles(tail: Fraction, noise: Noise) -> bool:
    return min(tail, *noise) >= _TINY and max(noise) <= 1 / _TINY


def _computed(order: Fraction, tail: Fraction, noise: Noise) -> range:
    """The n beyond the table whose a(n) may be looked for: none for an order of 0 or 1."""
    if not _fits_doubles(tail, noise) or not 0 < order < 1:
        return range(0)
    return range(ceil(1 / (order * (1 - order))), _MOST_ROWS)


def _surprise(tail: Fraction) -> Fraction:
    """At least log(2 / tail)."""
    found = log(2 * tail.denominator) - log(tail.numerator)
    return Fraction(ceil(1024 * found) + 1, 1024)


def _stray(order: Fraction, tail: Fraction, noise: Noise, n: int) -> int:
    """How far B - T may stay behind n q, in integers; it grows with n.

    B strays by t with chance tail / 2 at most (Bernstein: t^2 >= 2 L (n q (1 - q) + t / 3) with
    L = log(2 / tail)), and T exceeds L / e1 with no more.
    """
    surprise = _surprise(tail)
    square = surprise**2 / 9 + 2 * n * order * (1 - order) * surprise
    return ceil(surprise / 3) + isqrt(ceil(square)) + 1 + ceil(surprise / noise.e1)


def public_target(order: Fraction, tail: Fraction, noise: Noise, n: int) -> int:
    """a(n, order) for a public n; a smaller one where it would be expensive or beyond doubles."""
    tabled = is_tabled(tail, noise)
    if n <= TABLE and tabled:
        return int(table(order, tail, noise)[n])
    if n in _computed(order, tail, noise):
        found = int(_many(np.array([n]), order, tail, noise)[0])
        if found > 0:
            return found
    found = n * order.numerator // order.denominator - _stray(order, tail, noise, n)
    # a target that is safe for fewer rows is safe
    return max(found, int(table(order, tail, noise)[TABLE])) if tabled else found


def strays(order: Fraction, tail: Fraction, noise: Noise, ends: Sequence[int]) -> list[int]:
    """How far B - T, or B + V - T, may stay behind m q for ends[i - 1] < m <= ends[i].

    The end's own target, with four fifths of the tail, is safe for all m of the block once it is
    lowered by what B(end) - B(m) exceeds its mean with a chance of at most a fifth: twice its
    deviation (Cantelli). Where there is none, integers from Bernstein's inequality serve.
    """
    looked_for = _computed(order, tail, noise)
    near = [end for end in ends if end in looked_for]
    targets = dict.fromkeys(ends, 0)
    if near:
        rows = np.array(near, dtype=np.int64)
        targets |= zip(near, _many(rows, order, tail * 4 / 5, noise).tolist(), strict=True)
    spread, found, last = 4 * order * (1 - order), list[int](), ends[0] - 1
    for end, target in targets.items():
        slack = isqrt(ceil(spread * (end - last - 1)))
        line = -(-end * order.numerator // order.denominator)
        found.append(line + slack - target if target > 0 else _stray(order, tail, noise, end))
        last = end
    return found
