"""The ranks that the ends of a quantile's confidence interval aim at: public tables.

The lower end stops where about a(n) records lie below, with

    a(n, q) = max{a : P(B + V - T < a) <= tail},    B ~ Binomial(n, q),

T ~ Geo(exp(-e1)) being the noise of the search's threshold and V ~ Geo(exp(-e2)) that of the one
count which must not stay quiet. a may be negative for few records. It is computed in doubles whose
relative error stays below 1e-11 (n <= 4096: the recursion P_(n+1)(a) = q P_n(a-1) + (1-q) P_n(a)
only averages) or 1e-6 + 1e-13 n (beyond), and ``tail`` is reduced by more than that first, so
rounding can only lower a target, and so widen the interval (``docs/proofs/quantile-interval.md``).
A target is a function of n and of public parameters; coverage depends on it, privacy only on its
steps. So with a private n one table of fixed size serves every n up to ``TABLE``, its steps
enforced in integers, and beyond it a closed form in integers, whose steps are proved.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, isqrt, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Up to here a table holds every n; beyond, a public n has its own computation.
TABLE = 4096
_SPARE = 1e-9


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
        if not np.any((place < n * q) | (mass * weight > 1e-18)):  # masses rise up to the mode
            break
    taken, rate = np.zeros_like(total), float(noise.e2)
    mass, place, weight = start * a / (n - a + 1) / odds, a - 1, exp(-rate)
    for _ in range(ceil(50 / rate)):
        taken += mass * weight
        mass *= np.maximum(0.0, place) / (n - place + 1) / odds
        place -= 1
        weight *= exp(-rate)
        if not np.any((place > n * q) | (mass * weight > 1e-18)):
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


def _is_tabled(tail: Fraction, noise: Noise) -> bool:
    """Whether a table is affordable: it has a column for every value that T can well take."""
    return _surprise(tail) / noise.e1 <= TABLE


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
    """a(n, order) for a public n; less where it would be dear or beyond doubles."""
    tabled = _is_tabled(tail, noise)
    if n <= TABLE and tabled:
        return int(_table(order, tail, noise, TABLE)[n])
    spread = float(n * order * (1 - order))
    if spread >= 1 and float(_surprise(tail) / noise.e1) <= 20 * spread**0.5:
        return int(_many(np.array([n]), order, tail, noise)[0])
    found = n * order.numerator // order.denominator - _stray(order, tail, noise, n)
    # what is safe for fewer rows is safe
    return max(found, int(_table(order, tail, noise, TABLE)[TABLE])) if tabled else found


def private_targets(order: Fraction, tail: Fraction, noise: Noise, n: int) -> tuple[int, int]:
    """Targets of the lower and the upper end for a private n.

    From n to n + 1 at most one of the two moves, and by one. Up to ``TABLE`` the lower end takes
    every step of its table, the upper end those that are left. Beyond, the lower end can step only
    where floor(n q) does and the upper end only where it does not.
    """
    start, ends = -1, (None, None)
    if _is_tabled(tail, noise):
        lower, upper = _pairs(order, tail, noise)
        if n <= TABLE:
            return int(lower[n]), int(upper[n])
        start, ends = TABLE, (int(lower[TABLE]), int(upper[TABLE]))

    def below(m: int) -> int:
        return m * order.numerator // order.denominator

    def above(m: int) -> int:
        return m - below(m) - 1

    return (
        _climbed(below, order, tail, noise, n, start, ends[0]),
        _climbed(above, order, tail, noise, n, start, ends[1]),
    )


def _climbed(
    steps: Callable[[int], int],
    order: Fraction,
    tail: Fraction,
    noise: Noise,
    n: int,
    start: int,
    reached: int | None,
) -> int:
    """The largest of steps(m) - stray over start <= m <= n, and what was reached at ``start``.

    The stray is that of the end of a block of m, so within a block the last m is the largest. A
    largest value so far moves only where ``steps`` does, and no faster.
    """
    first = max(start, 0)
    best, shift = reached, 0
    last = first
    while True:
        stray = _stray(order, tail, noise, last)
        value = steps(min(last, n)) - stray
        if best is None:
            best = value
        elif last == first:
            shift = max(0, value - best)  # it goes on from what was reached, not from above
        best = max(best, value - shift)
        if last >= n:
            return best
        last += max(1, last // 16)


@lru_cache(maxsize=16)
def _pairs(
    order: Fraction, tail: Fraction, noise: Noise
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lower, wanted = (_stepped(_table(q, tail, noise, TABLE)) for q in (order, 1 - order))
    free = np.arange(TABLE + 1) - lower  # grows by one exactly where the lower end stands still
    upper = np.minimum.accumulate(wanted - free) + free
    return lower, upper


def _stepped(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """The table with steps of 0 or 1, whatever rounding did to it."""
    steps: Any = np.arange(len(table))
    return np.maximum.accumulate(np.minimum.accumulate(table - steps) + steps)
