"""Whether a key may be shown: the greatest chance that (epsilon, delta) allows for each count.

pi(0) = 0 and pi(n+1) = min(e^epsilon pi(n) + delta, 1 - e^-epsilon (1 - pi(n) - delta), 1), which
no (epsilon, delta)-private rule exceeds anywhere (Desfontaines, Voss, Gipson and Mandayam 2022):
the law of a noisy count against a threshold, with truncated geometric noise. Chances are whole
multiples of 2^-BITS, rounded down from certified bounds of e^epsilon, so that both inequalities
hold exactly (``docs/proofs/private-keys.md``).
"""

from __future__ import annotations

from fractions import Fraction

from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import BitSource

BITS = 256
ONE = 1 << BITS


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
