"""The price of objective perturbation: how much ridge a noise rate needs for epsilon.

The estimate minimises sum of losses + ridge + V theta, V with density proportional to
exp(-rate ||V||_K / reach), reach = max ||x||_K over records. One record's loss has gradient s x
and Hessian w x x^T, a matrix of rank one, with c = |s| in [0, 1] and w = (1 - c) v(c). Changing it
costs at most

    rate (1 + c) + log(1 + w(c) m / ridge)      replace-one and edit,
    rate c       + log(1 + w(c) m / ridge)      add-remove,

c the slope of the record whose curvature counts and ||x||_2^2 <= m. The **joint** accountant asks
for the least ridge that keeps this within epsilon for every c at once (errata 4.6); the **split**
one adds the two maxima, as in Awan and Slavkovic, Algorithm 2 (with the sign in its gamma put
right, errata 1). Proof page: ``docs/proofs/objective-perturbation.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leastnoise.errors import ParameterError, quoted
from leastnoise.numbers import exp_enclosure
from leastnoise.params import parse_number

# Intervals of c that the joint bound is taken over; more make it tighter, never less valid.
_CELLS = 1 << 10
_BITS = 96


@dataclass(frozen=True, slots=True)
class Curvature:
    """w(c) = (1 - c) (flat + slope c): the second derivative of a loss where its slope is c."""

    flat: Fraction
    slope: Fraction

    def most(self, low: Fraction, high: Fraction) -> Fraction:
        """An upper bound of w on [low, high]."""
        return (1 - low) * (self.flat + self.slope * high)

    @property
    def largest(self) -> Fraction:
        """The maximum of w on [0, 1]."""
        if self.slope <= self.flat:
            return self.flat
        at = (1 - self.flat / self.slope) / 2
        return (1 - at) * (self.flat + self.slope * at)


LOGISTIC = Curvature(Fraction(0), Fraction(1))
"""The logistic loss: slope sigma - y, second derivative sigma (1 - sigma) = c (1 - c)."""

SMOOTH_ABSOLUTE = Curvature(Fraction(1, 2), Fraction(1, 2))
"""The smooth absolute loss in units of its width: slope tanh(t/2), second derivative
(1 - tanh(t/2)^2) / 2."""

SMOOTH_HUBER = Curvature(Fraction(1, 3), Fraction(2, 3))
"""The loss log(cosh t + k), k = cosh(``HUBER_SHIFT``), of slope sinh t / (cosh t + k) and second
derivative (1 + k cosh t) / (cosh t + k)^2, at most (1 - c) (1 + k c) / (1 + k); that falls in k."""

HUBER_SHIFT = 1.317
"""cosh of it is at least 2. The slope is sigma(t + shift) + sigma(t - shift) - 1."""


@dataclass(frozen=True, slots=True)
class Price:
    """A noise rate and the ridge that it needs, both exact and public."""

    rate: Fraction
    ridge: Fraction


def price(
    epsilon: Fraction,
    q: Fraction,
    dimension: int,
    curvature: Curvature,
    *,
    relation: str,
    joint: bool = True,
) -> Price:
    """The rate that takes a share q of epsilon, 0 < q <= 1 (split: q < 1), and its ridge."""
    rate = q * epsilon if relation == "add-remove" else q * epsilon / 2
    unit = _ridge(epsilon, q, curvature, relation, joint)
    return Price(rate, unit * dimension)


@lru_cache(maxsize=256)
def _ridge(
    epsilon: Fraction, q: Fraction, curvature: Curvature, relation: str, joint: bool
) -> Fraction:
    """The ridge for m = 1, rounded up; it is proportional to m."""
    if not joint:
        return _over_expm1(curvature.largest, epsilon * (1 - q))
    # the exponent left for the curvature is free - fall c, at least 0 on [0, 1]
    fall = q * epsilon if relation == "add-remove" else q * epsilon / 2
    free = epsilon if relation == "add-remove" else epsilon - fall
    worst = Fraction(0)
    for cell in range(_CELLS):
        low, high = Fraction(cell, _CELLS), Fraction(cell + 1, _CELLS)
        left = free - fall * high
        if left > 0:
            bound = _over_expm1(curvature.most(low, high), left)
        else:
            bound = None
        # e^x - 1 >= x, and (1 - c) / (free - fall c) falls in c where fall <= free
        slope = curvature.flat + curvature.slope * high
        simple = slope * _last_ratio(low, free, fall)
        worst = max(worst, simple if bound is None else min(bound, simple))
    return worst


def _last_ratio(low: Fraction, free: Fraction, fall: Fraction) -> Fraction:
    """max of (1 - c) / (free - fall c) for c >= low: it does not rise in c, since fall <= free."""
    if free == fall:
        return 1 / free
    return (1 - low) / (free - fall * low)


def _over_expm1(top: Fraction, exponent: Fraction) -> Fraction:
    """An upper bound of top / (e^exponent - 1), a Fraction of moderate size."""
    if exponent > 700:
        return top * Fraction(1, 1 << 900)
    # e^x - 1 = (1 - e^-x) / e^-x
    bits = _BITS + 2 * int(exponent) + max(0, -_log2(exponent))
    high = exp_enclosure(exponent.numerator, exponent.denominator, bits)[1]
    below = (1 << bits) - high
    if below <= 0:
        return top / exponent
    return top * Fraction(high, below)


def _log2(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length()


def parse_q(value: object, joint: bool) -> Fraction:
    """The share of epsilon for the noise: 1e-30 <= q <= 1, below 1 where shares add up."""
    q = parse_number(value, "q")
    if not Fraction(1, 10**30) <= q <= 1 or (q == 1 and not joint):
        end = "q <= 1" if joint else "q < 1"
        raise ParameterError(f"q must satisfy 1e-30 <= {end}, got {quoted(value)}")
    return q
