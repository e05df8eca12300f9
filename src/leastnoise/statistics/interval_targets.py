"""The ranks that the ends of a quantile's confidence interval aim at: public tables.

The lower end stops where about a(n) records lie below, with

    a(n, q) = max{a : P(B - T < a) <= tail},    B ~ Binomial(n, q), T ~ Geo(exp(-e1)),

T being the threshold noise of the search itself. a may be negative for few records. It is
computed in doubles whose relative error stays below 1e-11 (n <= 4096: the recursion
P_(n+1)(a) = q P_n(a-1) + (1-q) P_n(a) only averages) or 1e-6 + 1e-13 n (beyond), and ``tail``
is reduced by more than that first, so rounding can only lower a target, and so widen the interval
(``docs/proofs/quantile-interval.md``). A target is a function of n and of public parameters;
coverage depends on it, privacy only on its steps.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, isqrt, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Up to here the table is exact for every n; beyond, every n has its own computation, or a chord.
TABLE = 4096
_SPARE = 1e-9
# Beyond this many rows a table is made for the very n that is asked for.
_KEPT = 1 << 22


@lru_cache(maxsize=32)
def _table(order: Fraction, tail: Fraction, e1: Fraction, rows: int) -> NDArray[np.int64]:
    """a(0), ..., a(rows) by the recursion over n."""
    q, rate = float(order), float(e1)
    limit = float(tail) * (1 - _SPARE)
    lowest = -ceil(log(1 / limit) / rate) - 1
    # for a <= 0: P(B - T < a) = exp(-e1 (1 - a)) (1 - q + q exp(-e1))^n
    chance = np.exp(np.minimum(0.0, rate * (np.arange(lowest, rows + 2) - 1.0)))
    below, shrink = float(chance[0]) * exp(-rate), 1 - q + q * exp(-rate)
    lower = np.empty_like(chance)
    found = np.empty(rows + 1, dtype=np.int64)
    found[0] = lowest + np.searchsorted(chance, limit, side="right") - 1
    for n in range(1, rows + 1):
        stop = n + 2 - lowest
        lower[0], lower[1:stop] = below, chance[: stop - 1]
        below *= shrink
        chance[:stop] = q * lower[:stop] + (1 - q) * chance[:stop]
        found[n] = lowest + np.searchsorted(chance[:stop], limit, side="right") - 1
    return found


def _chance(
    a: NDArray[np.float64], n: NDArray[np.float64], q: float, e1: float
) -> NDArray[np.float64]:
    """P(B - T < a) for a >= 1: P(B < a) + sum over j >= 1 of P(B = a - 1 + j) exp(-e1 j)."""
    from scipy.special import betainc, gammaln

    total = np.asarray(betainc(n - a + 1, a, 1 - q), dtype=np.float64)
    log_mass = gammaln(n + 1) - gammaln(a + 1) - gammaln(n - a + 1) + a * log(q)
    mass = np.exp(log_mass + (n - a) * np.log1p(-q))
    below, odds, decay = a.copy(), q / (1 - q), exp(-e1)
    weight = decay
    for _ in range(ceil(50 / e1)):
        total += mass * weight
        mass *= np.maximum(0.0, n - below) / (below + 1) * odds
        below += 1
        weight *= decay
        if not np.any(mass * weight > 1e-18):
            break
    return total


def _many(
    rows: NDArray[np.int64], order: Fraction, tail: Fraction, e1: Fraction
) -> NDArray[np.int64]:
    """a(n) for every n of a list of large n."""
    from scipy.special import ndtri

    q, rate = float(order), float(e1)
    n = rows.astype(np.float64)
    limit = float(tail) * (1 - 1e-6 - 1e-13 * n)
    guess = n * q + float(ndtri(float(tail))) * np.sqrt(n * q * (1 - q))
    least = -ceil(log(1 / (float(tail) * 0.5)) / rate) - 1
    # a target below 1 is not worth a search: the lowest one is always valid
    low = np.floor(np.clip(guess - 60 / rate - 60, 0, n))
    high = np.ceil(np.clip(guess + 60, 1, n))
    # keep P(B - T < low) <= limit < P(B - T < high + 1); low = 0 stands for "none found"
    while np.any(low < high):
        middle = np.ceil((low + high) / 2)
        good = _chance(np.maximum(middle, 1), n, q, rate) <= limit
        low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
    checked = np.where(low >= 1, _chance(np.maximum(low, 1), n, q, rate) <= limit, False)
    return np.where(checked, low, least).astype(np.int64)


def public_target(order: Fraction, tail: Fraction, e1: Fraction, n: int) -> int:
    """a(n, order) for a public n."""
    if n <= TABLE:
        return int(_table(order, tail, e1, _size(n))[n])
    return int(_many(np.array([n]), order, tail, e1)[0])


def private_targets(order: Fraction, tail: Fraction, e1: Fraction, n: int) -> tuple[int, int]:
    """Targets of the lower and the upper end for a private n.

    From n to n + 1 at most one of the two moves, and by one: the lower end takes every step of
    its table, the upper end those that are left, so it lags by about one rank.
    """
    lower, upper = _pairs(order, tail, e1, _size(n))
    return int(lower[n]), int(upper[n])


@lru_cache(maxsize=16)
def _pairs(
    order: Fraction, tail: Fraction, e1: Fraction, rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lower = _wanted(order, tail, e1, rows)
    wanted = _wanted(1 - order, tail, e1, rows)
    free = np.arange(rows + 1) - lower  # grows by one exactly where the lower end stands still
    upper = np.minimum.accumulate(wanted - free) + free
    return lower, upper


def _wanted(order: Fraction, tail: Fraction, e1: Fraction, rows: int) -> NDArray[np.int64]:
    """A table at or below a(n) whose steps are 0 or 1, equal to its own prefix for every rows.

    Beyond ``TABLE`` it is one rank below the chord between values of a that lie sqrt(n)/4 apart:
    a is close to convex, so the chord is at most a small part of a rank above it.
    """
    table = _table(order, tail, e1, min(rows, TABLE))
    if rows <= TABLE:
        return table
    knots = [TABLE]
    while knots[-1] < rows:
        knots.append(knots[-1] + max(1, isqrt(knots[-1]) // 4))
    values = _many(np.array(knots), order, tail, e1)
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
