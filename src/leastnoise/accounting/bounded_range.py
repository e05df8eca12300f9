"""Optimal composition of bounded-range releases (Dong, Durfee and Rogers 2020).

A release has eta-bounded range when the log-ratio of the probabilities under two neighbours lies in
an interval [t - eta, t] of length eta. Inverse sensitivity, piecewise Laplace and exponential
mechanisms have it. k such releases, all fixed before the first one is drawn, compose to
(epsilon, delta) with

    delta = max_l  P(Bin(k, p) <= l) - e^epsilon P(Bin(k, q) <= l),   l = 0, ..., k - 1,

where p = (e^t - 1)/(e^eta - 1), q = e^(eta - t) p, t = (epsilon + (l + 1) eta)/(k + 1). The proof,
with the reason why equal t and all k releases are the worst case, is
``docs/proofs/bounded-range-composition.md``. It needs t to be the same whatever was answered
before: choosing the next statistic after an answer voids it.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import exp, expm1, lgamma, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leastnoise.accounting.rounding import round_up

LARGEST: Final = 500
"""Releases beyond which the certificate takes seconds; zCDP is within some per cent there."""

_DIGITS: Final = 50
_UP: Final = Context(prec=_DIGITS, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_DOWN: Final = Context(prec=_DIGITS, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_ONE: Final = Decimal(1)


def optimal_epsilon(eta: Fraction, count: int, delta: Fraction) -> Fraction | None:
    """The smallest epsilon of ``count`` fixed eta-bounded-range releases, rounded up.

    Floats search, directed decimal arithmetic certifies that its delta is at most ``delta``. None
    if there is no answer below count * eta, or for more than `LARGEST` releases.
    """
    whole = count * eta
    if count > LARGEST or count < 2 or not delta > 0:
        return None
    low, high = 0.0, float(whole)
    if _float_delta(low, float(eta), count) <= delta:
        high = low
    for _ in range(60):
        if high - low <= 1e-9 * high:
            break
        middle = (low + high) / 2
        if _float_delta(middle, float(eta), count) > delta:
            low = middle
        else:
            high = middle
    for margin in (Fraction(1, 10**9), Fraction(1, 10**7), Fraction(1, 10**5)):
        epsilon = round_up(Fraction(high) * (1 + margin), 10)
        if epsilon >= whole:
            return None
        if delta_upper(epsilon, eta, count) <= delta:
            return epsilon
    return None


def delta_upper(epsilon: Fraction, eta: Fraction, count: int) -> Fraction:
    """A certified upper bound of the optimal delta at epsilon >= 0."""
    worst = max(_term_upper(epsilon, eta, count, level) for level in range(count))
    return max(Fraction(0), Fraction(worst))


def _term_upper(epsilon: Fraction, eta: Fraction, count: int, level: int) -> Decimal:
    """An upper bound of P(Bin(k, p) <= l) - e^epsilon P(Bin(k, q) <= l) at its best t."""
    t = (epsilon + (level + 1) * eta) / (count + 1)
    if t >= eta:
        return Decimal(0)
    u, v, w = _exp_minus(t), _exp_minus(eta), _exp_minus(eta - t)
    q_high = min(_ONE, _UP.divide(_UP.subtract(_ONE, u[0]), _DOWN.subtract(_ONE, v[1])))
    q_low = _DOWN.divide(_DOWN.subtract(_ONE, u[1]), _UP.subtract(_ONE, v[0]))
    p_low = _DOWN.multiply(w[0], q_low)
    growth = _DOWN.divide(_ONE, _exp_minus(epsilon)[1])
    above = _binomial_cdf(p_low, count, level, _UP, _DOWN)
    below = _binomial_cdf(q_high, count, level, _DOWN, _UP)
    return _UP.subtract(above, _DOWN.multiply(growth, below))


def _binomial_cdf(success: Decimal, count: int, level: int, out: Context, back: Context) -> Decimal:
    """P(Bin(count, success) <= level), every step rounded towards ``out``.

    Written as a power of the failure chance times a polynomial of nonnegative terms, so that
    directed rounding of each operation bounds the whole.
    """
    failure = out.subtract(_ONE, success)
    if failure <= 0:
        return Decimal(0)
    odds = out.divide(success, back.subtract(_ONE, success))
    term = _ONE
    for _ in range(count):
        term = out.multiply(term, failure)
    total = term
    for i in range(level):
        step = out.divide(Decimal(count - i), Decimal(i + 1))
        term = out.multiply(term, out.multiply(step, odds))
        total = out.add(total, term)
    return total


def _exp_minus(x: Fraction) -> tuple[Decimal, Decimal]:
    """Bounds of exp(-x), x >= 0: Decimal's exp is correctly rounded, one step outward is safe."""
    top = _UP.divide(Decimal(-x.numerator), Decimal(x.denominator))
    bottom = _DOWN.divide(Decimal(-x.numerator), Decimal(x.denominator))
    low, high = _DOWN.next_minus(_DOWN.exp(bottom)), _UP.next_plus(_UP.exp(top))
    return max(Decimal(0), low), min(_ONE, high)


def _float_delta(epsilon: float, eta: float, count: int) -> float:
    """The same maximum in floating point: it steers the search and decides nothing."""
    levels = np.arange(count, dtype=np.float64)
    t = (epsilon + (levels + 1) * eta) / (count + 1)
    levels, t = levels[t < eta], t[t < eta]
    if not len(levels):
        return 0.0
    q = -np.expm1(-t) / -expm1(-eta)
    p = q * np.exp(t - eta)
    i = np.arange(count + 1, dtype=np.float64)
    choose = np.array([lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) for k in i])
    inside = i[None, :] <= levels[:, None]

    def cdf(s: NDArray[np.float64]) -> NDArray[np.float64]:
        s = np.clip(s, 1e-300, 1 - 1e-16)
        logs = choose + i * np.log(s)[:, None] + (count - i) * np.log1p(-s)[:, None]
        return np.where(inside, np.exp(logs), 0.0).sum(axis=1)

    return float(np.max(cdf(p) - exp(epsilon) * cdf(q))) if epsilon < log(1e300) else 0.0
