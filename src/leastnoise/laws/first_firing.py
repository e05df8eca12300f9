"""Certified probabilities of the first candidate to pass a noisy threshold, index by index.

A threshold noise Z = Geo(exp(-e1)); candidate i fires with probability exp(-e2 max(0, z + g_i)) at
Z = z. Every sum is an integer enclosure, so audits and tests may decide by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from leastnoise.laws.base import Certain
from leastnoise.numbers import scaled_exp_enclosure

# Units of 2^-bits below which a stream is not followed further.
_NOTHING = 4


@lru_cache(maxsize=64)
def _powers(rate: Fraction, count: int, bits: int) -> tuple[tuple[int, int], ...]:
    """Enclosures of 2^bits exp(-rate k) for k = 0, ..., count - 1: public numbers only."""
    num, den = rate.numerator, rate.denominator
    return tuple(scaled_exp_enclosure(0, num * k, den, bits) for k in range(count))


def _until_nothing(rate: Fraction, bits: int) -> tuple[tuple[int, int], ...]:
    """The powers down to (0, 1), which all later ones are; a power of two, to be found again."""
    least = bits * rate.denominator // rate.numerator + 2
    return _powers(rate, 1 << least.bit_length(), bits)


def _at(powers: tuple[tuple[int, int], ...], gap: int) -> tuple[int, int]:
    """The chance to fire ``gap`` above the threshold, 1 below it."""
    return powers[max(0, min(gap, len(powers) - 1))]


def enclose_indices(
    heights: Sequence[int],
    e1: Fraction,
    e2: Fraction,
    bits: int = 128,
    *,
    gate: tuple[int, Fraction] | None = None,
) -> list[Certain]:
    """P(index i is the first to fire) for every i, and P(none) last, in any order of heights.

    With a ``gate`` (height, rate) P(the gate fires) comes first: a question before all others, of
    its own height and its own rate.
    """
    one = 1 << bits
    low_mass, high_mass = [0] * (len(heights) + 1), [0] * (len(heights) + 1)
    unseen = [0] * (len(heights) + 1)  # what indices from here on may hold beyond high_mass
    # exp(-e1 reach) < 2^-bits: the noises beyond weigh less than the rounding of one sum
    reach = bits * e1.denominator // e1.numerator + 1
    noise = _powers(e1, reach + 1, bits)
    fire = _until_nothing(e2, bits)
    last = len(fire) - 1
    opens = () if gate is None else _until_nothing(gate[1], bits)
    before = [0, 0]
    for z in range(reach):
        (a, b), (c, d) = noise[z], noise[z + 1]
        low, high = max(0, a - d), b - c  # weight of the threshold noise z
        if gate is not None:
            p, q = _at(opens, z + gate[0])
            before[0] += low * p >> bits
            before[1] += -(-high * q >> bits)
            low, high = low * max(0, one - q) >> bits, -(-high * (one - p) >> bits)
        for i, height in enumerate(heights):
            gap = z + height
            p, q = fire[0 if gap <= 0 else gap if gap < last else last]
            # -(x >> bits) of a negative x rounds up; 0 <= p <= q <= one
            low_mass[i] += low * p >> bits
            high_mass[i] -= -high * q >> bits
            low, high = low * (one - q) >> bits, -(-high * (one - p) >> bits)
            if high <= _NOTHING:
                unseen[i + 1] += high
                low = high = 0
                break
        low_mass[-1] += low
        high_mass[-1] += high
    rest = noise[reach][1]
    found = [
        (Fraction(a, one), Fraction(b + rest + more, one))
        for a, b, more in zip(low_mass, high_mass, accumulate(unseen), strict=True)
    ]
    if gate is not None:
        found.insert(0, (Fraction(before[0], one), Fraction(before[1] + rest, one)))
    return found
