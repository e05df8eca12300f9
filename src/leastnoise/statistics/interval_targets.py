"""The ranks that the ends of a quantile's confidence interval aim at: public tables.

The lower end stops where about a(n) records lie below, with

    a(n, q) = max{a : P(B + V - T < a) <= tail},    B ~ Binomial(n, q),

T ~ Geo(exp(-e1)) being the noise of the search's threshold and V ~ Geo(exp(-e2)) that of the one
count which must not stay quiet. a may be negative for few records. It is computed in doubles whose
relative error stays below 1e-11 (n <= 4096: the recursion P_(n+1)(a) = q P_n(a-1) + (1-q) P_n(a)
only averages) or 1e-6 + 1e-13 n (beyond), and ``tail`` is reduced by more than that first, so
rounding can only lower a target, and so widen the interval (``docs/proofs/quantile-interval.md``).
A target is a function of n and of public parameters; coverage depends on it, privacy only on its
steps.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, isqrt, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Up to here the table is exact for every n; beyond, every n has its own computation, or a chord.
TABLE = 4096
_SPARE = 1e-9
# Beyond this many rows a table is made for the very n that is asked for.
_KEPT = 1 << 22


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
def _table(order: Fraction, tail: Fraction, noise: Noise, rows: int) -> NDArray[np.int64]:
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
    a: NDArray[np.float64], n: NDArray[np.float64], q: float, noise: Noise
) -> NDArray[np.float64]:
    """P(B + V - T < a) for a >= 1, by what V - T adds to P(B < a) and takes from it.

    From b >= a: P(V <= T) sum over j >= 1 of P(B = a - 1 + j) exp(-e1 j) is added; from b < a,
    P(V >= T) sum over j >= 1 of P(B = a - j) exp(-e2 j) is taken, less than half of what is there.
    """
    from scipy.special import betainc, gammaln

    total = np.asarray(betainc(n - a + 1, a, 1 - q), dtype=np.float64)
    log_mass = gammaln(n + 1) - gammaln(a + 1) - gammaln(n - a + 1) + a * log(q)
    start = np.exp(log_mass + (n - a) * np.log1p(-q))
    odds = q / (1 - q)
    added, rate = np.zeros_like(total), float(noise.e1)
    mass, place, weight = start.copy(), a.copy(), exp(-rate)
    for _ in range(ceil(50 / rate)):
        added += mass * weight
        mass *= np.maximum(0.0, n - place) / (place + 1) * odds
        place += 1
        weight *= exp(-rate)
        if not np.any(mass * weight > 1e-18):
            break
    taken, rate = np.zeros_like(total), float(noise.e2)
    mass, place, weight = start * a / (n - a + 1) / odds, a - 1, exp(-rate)
    for _ in range(ceil(50 / rate)):
        taken += mass * weight
        mass *= np.maximum(0.0, place) / (n - place + 1) / odds
        place -= 1
        weight *= exp(-rate)
        if not np.any(mass * weight > 1e-18):
            break
    loud = expm1(-float(noise.e1)) / expm1(-float(noise.e1 + noise.e2))
    return total + noise.quiet * added - loud * taken


def _many(
    rows: NDArray[np.int64], order: Fraction, tail: Fraction, noise: Noise
) -> NDArray[np.int64]:
    """a(n) for every n of a list of large n."""
    from scipy.special import ndtri

    q, rate = float(order), float(noise.e1)
    n = rows.astype(np.float64)
    limit = float(tail) * (1 - 1e-6 - 1e-13 * n)
    guess = n * q + float(ndtri(float(tail))) * np.sqrt(n * q * (1 - q))
    least = -ceil(log(1 / (float(tail) * 0.5)) / rate) - 1
    # a target below 1 is not worth a search: the lowest one is always valid
    low = np.floor(np.clip(guess - 60 / rate - 60, 0, n))
    high = np.ceil(np.clip(guess + 60 / float(noise.e2) + 60, 1, n))
    # keep P(B + V - T < low) <= limit < P(B + V - T < high + 1); low = 0 stands for "none found"
    while np.any(low < high):
        middle = np.ceil((low + high) / 2)
        good = _chance(np.maximum(middle, 1), n, q, noise) <= limit
        low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
    checked = np.where(low >= 1, _chance(np.maximum(low, 1), n, q, noise) <= limit, False)
    return np.where(checked, low, least).astype(np.int64)


def public_target(order: Fraction, tail: Fraction, noise: Noise, n: int) -> int:
    """a(n, order) for a public n."""
    if n <= TABLE:
        return int(_table(order, tail, noise, _size(n))[n])
    return int(_many(np.array([n]), order, tail, noise)[0])


def private_targets(order: Fraction, tail: Fraction, noise: Noise, n: int) -> tuple[int, int]:
    """Targets of the lower and the upper end for a private n.

    From n to n + 1 at most one of the two moves, and by one: the lower end takes every step of
    its table, the upper end those that are left, so it lags by about one rank.
    """
    lower, upper = _pairs(order, tail, noise, _size(n))
    return int(lower[n]), int(upper[n])


@lru_cache(maxsize=16)
def _pairs(
    order: Fraction, tail: Fraction, noise: Noise, rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lower = _wanted(order, tail, noise, rows)
    wanted = _wanted(1 - order, tail, noise, rows)
    free = np.arange(rows + 1) - lower  # grows by one exactly where the lower end stands still
    upper = np.minimum.accumulate(wanted - free) + free
    return lower, upper


def _wanted(order: Fraction, tail: Fraction, noise: Noise, rows: int) -> NDArray[np.int64]:
    """A table at or below a(n) whose steps are 0 or 1, equal to its own prefix for every rows.

    Beyond ``TABLE`` it is one rank below the chord between values of a that lie sqrt(n)/4 apart:
    a is close to convex, so the chord is at most a small part of a rank above it.
    """
    table = _table(order, tail, noise, min(rows, TABLE))
    if rows <= TABLE:
        return table
    knots = [TABLE]
    while knots[-1] < rows:
        knots.append(knots[-1] + max(1, isqrt(knots[-1]) // 4))
    values = _many(np.array(knots), order, tail, noise)
    found = np.empty(rows + 1, dtype=np.int64)
    found[: TABLE + 1] = table
    n = np.arange(TABLE + 1, rows + 1)
    place = np.searchsorted(knots, n, side="left") - 1
    starts = np.array(knots)[place]
    gaps, rises = np.diff(knots)[place], np.diff(values)[place]
    rises = np.clip(rises, 0, gaps)
    found[TABLE + 1 :] = values[place] + rises * (n - starts) // gaps - 1
    # steps of 0 or 1 whatever the rounding of the knots
    steps: Any = np.arange(rows + 1)
    found = np.minimum.accumulate(found - steps) + steps
    return np.maximum.accumulate(found)


def _size(n: int) -> int:
    """The table to look n up in: few different ones, so that they are kept."""
    size = 256
    while size < min(n, _KEPT):
        size *= 2
    return max(n, size) if n > _KEPT else size
