"""Whether a key may be shown: by a count, or by a sum of weights and Gaussian noise.

By a count, with the greatest chance that (epsilon, delta) allows: pi(0) = 0 and pi(n+1) =
min(e^epsilon pi(n) + delta, 1 - e^-epsilon (1 - pi(n) - delta), 1), which
no (epsilon, delta)-private rule exceeds anywhere (Desfontaines, Voss, Gipson and Mandayam 2022):
the law of a noisy count against a threshold, with truncated geometric noise. Chances are whole
multiples of 2^-BITS, rounded down from certified bounds of e^epsilon, so that both inequalities
hold exactly (``docs/proofs/private-keys.md``).

By a sum of weights: with the chance that real normal noise lifts it above a threshold, drawn as one
uniform number against certified bounds of that chance (``docs/proofs/weighted-keys.md``).
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from leastnoise.numbers import exp_enclosure
from leastnoise.numbers.normal import normal_tail
from leastnoise.randomness import BitSource, bernoulli_between

BITS = 256
ONE = 1 << BITS

WEIGHTS = 40
"""A weight of one is 2^WEIGHTS."""
# Chances are worked out beforehand for sums so many to a standard deviation.
_NEAR = 16


class KeepChances:
    """Chances by count for one key, in multiples of 2^-BITS; as many as were asked for are kept."""

    __slots__ = ("_chances", "_delta", "_inverse")

    def __init__(self, epsilon: Fraction, delta: Fraction) -> None:
        # 1/e^epsilon from above, so e^epsilon from below
        self._inverse = exp_enclosure(epsilon.numerator, epsilon.denominator, BITS)[1]
        self._delta = (delta.numerator << BITS) // delta.denominator
        self._chances = [0]

    def of(self, count: int) -> int:
        """The chance of a key with this count, times 2^BITS."""
        chances = self._chances
        while len(chances) <= count and chances[-1] < ONE:
            last = chances[-1]
            rising = (last << BITS) // self._inverse + self._delta
            rest = max(0, ONE - last - self._delta)
            falling = ONE - (-(-rest * self._inverse >> BITS))
            chances.append(min(rising, falling, ONE))
        return chances[min(count, len(chances) - 1)]

    def draw(self, count: int, source: BitSource) -> bool:
        """Whether a key with this count is shown, exactly with its chance."""
        return source.bits(BITS) < self.of(count)


class NoisySum:
    """Whether a sum of weights, in multiples of 2^-WEIGHTS, and normal noise exceed a threshold.

    ``variance`` is that of the noise; a key that no row has is never shown, whatever the noise.
    """

    __slots__ = ("_known", "_pace", "threshold", "variance")

    def __init__(self, threshold: Fraction, variance: Fraction) -> None:
        self.threshold, self.variance = threshold, variance
        # any pace gives the same law
        self._pace = max(1, isqrt(int(variance * (1 << 2 * WEIGHTS))) // _NEAR)
        self._known: dict[int, tuple[int, int]] = {}

    def chance(self, total: int, bits: int) -> tuple[int, int]:
        """Certified bounds of 2^bits times the chance of a sum."""
        return beyond(self.threshold - Fraction(total, 1 << WEIGHTS), self.variance, bits)

    def draw(self, total: int, source: BitSource) -> bool:
        """Whether a key with this sum is shown, exactly with its chance."""
        if not total:
            return False
        place = total // self._pace
        near = self._at(place)[0], self._at(place + 1)[1]
        return bernoulli_between(near, lambda bits: self.chance(total, bits), source)

    def _at(self, place: int) -> tuple[int, int]:
        if place not in self._known:
            self._known[place] = self.chance(place * self._pace, 64)
        return self._known[place]


def beyond(distance: Fraction, variance: Fraction, bits: int) -> tuple[int, int]:
    """Certified bounds of 2^bits P(N > distance) for normal N of this variance and mean 0."""
    square = distance * distance / variance
    low, high = normal_tail(square.numerator, square.denominator, bits)
    return (low, high) if distance >= 0 else ((1 << bits) - high, (1 << bits) - low)
