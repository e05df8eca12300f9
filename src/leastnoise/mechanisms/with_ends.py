"""Two ends around a value: searches that start at a released value, and how often they miss.

An end may miss in one way only: a candidate on the wrong side of the statistic was asked, and was
quiet. That takes a threshold noise T that exceeds the noise V of this question by a margin, and

    P(T - V >= m) = exp(-e1 m) (1 - exp(-e2)) / (1 - exp(-e1 - e2)),    m >= 0,

whatever the data are. So margins are public (``docs/proofs/with-interval.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.numbers import exp_enclosure

_BITS = 256
# Candidates begin 2^-44 of the range away from the value.
_FINEST = 44


@dataclass(frozen=True, slots=True)
class WithEnds(JointMechanism):
    """The mechanism of a value, then searches for the ends of an interval around it."""

    inner: Mechanism

    @classmethod
    def around(cls, inner: Mechanism) -> WithEnds:
        """The mechanism of the value, wrapped."""
        return cls(f"{inner.name} + AboveThreshold(ends)", inner)


@dataclass(frozen=True, slots=True)
class WithSquares(WithEnds):
    """The mechanism of a mean, and a noisy sum of squares beside it."""

    @classmethod
    def around(cls, inner: Mechanism) -> WithSquares:
        """The mechanism of the mean, wrapped."""
        return cls(f"{inner.name} + sum of squares", inner)


@dataclass(frozen=True, slots=True)
class WithSums(WithEnds):
    """The mechanism of a value, and noisy sums beside it."""

    @classmethod
    def around(cls, inner: Mechanism) -> WithSums:
        """The mechanism of the value, wrapped."""
        return cls(f"{inner.name} + noisy sums", inner)


@lru_cache(maxsize=256)
def margin(miss: Fraction, e1: Fraction, e2: Fraction, *, early: int = 0) -> int:
    """The least m with P(T - V >= m) + P(T - V >= m - early) <= 2 miss, m >= early.

    Decided by certified bounds: what rounding does can only raise m.
    """
    one = 1 << _BITS
    both = e1 + e2
    quiet = one - exp_enclosure(e2.numerator, e2.denominator, _BITS)[0]
    rest = one - exp_enclosure(both.numerator, both.denominator, _BITS)[1]
    if rest <= 0:  # an epsilon below 2^-250: the factor is at most 1
        quiet = rest = 1

    def rare(m: int) -> bool:
        ends = (exp_enclosure(e1.numerator * k, e1.denominator, _BITS)[1] for k in (m, m - early))
        return sum(ends) * quiet * miss.denominator <= 2 * miss.numerator * one * rest

    return _least(rare, early)


def _least(holds: Callable[[int], bool], start: int) -> int:
    """The least number from ``start`` on for which a condition holds that all larger ones meet."""
    low, reach = start, 1
    while not holds(start + reach):
        reach *= 2
    high = start + reach
    while low < high:  # bisect takes no range of more than 2^63
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def either_end(miss: Fraction) -> Fraction:
    """How often noise may pass one of two ends, each as often as the other, where only one counts.

    Ends that are moved out to a value hold all that lies between: given the value, what is looked
    for lies on one side of it, and the end on the other side cannot miss.
    """
    return 2 * miss if 2 * miss < 1 else miss


@lru_cache(maxsize=64)
def distances(span: int, growth: Fraction) -> tuple[int, ...]:
    """Distances from a value, ascending, the last of them ``span`` > 0."""
    found: list[int] = []
    distance = max(1, span >> _FINEST)
    while distance < span:
        found.append(distance)
        distance = max(distance + 1, distance * growth.numerator // growth.denominator)
    return (*found, span)


def cuts_around(value: int, low: int, high: int, growth: Fraction) -> Sequence[int]:
    """Public candidates: the limits, the value, and points at growing distances from it."""
    found = {low, value, high}
    for distance in distances(high - low, growth) if high > low else ():
        found |= {max(low, value - distance), min(high, value + distance)}
    return sorted(found)


@lru_cache(maxsize=256)
def noise_reach(miss: Fraction, scale: Fraction) -> int:
    """The least h with P(|X| > h) = 2 q^(h + 1) / (1 + q) <= miss, q = exp(-1 / scale)."""
    if not scale:
        return 0
    one, rate = 1 << _BITS, 1 / scale

    def rare(h: int) -> bool:
        tail = exp_enclosure(rate.numerator * (h + 1), rate.denominator, _BITS)[1]
        both = one + exp_enclosure(rate.numerator, rate.denominator, _BITS)[0]
        return 2 * tail * miss.denominator <= miss.numerator * both

    return _least(rare, 0)
