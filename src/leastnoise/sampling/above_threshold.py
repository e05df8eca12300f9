"""AboveThreshold over a sorted stream of candidates, without a loop over the candidates.

A threshold noise Z = Geo(exp(-e1)) is drawn once; candidate i has its own noise
V_i = Geo(exp(-e2)), and the first i with score_i + V_i >= Z fires. In integers, with the
*height* g_i = ceil(-score_i):

    P(i fires | Z = z, none before) = exp(-e2 max(0, z + g_i)).

Scores rise along the stream, so heights fall, and candidates of equal dyadic size of the
exponent are contiguous. In block j (exponents in [j ln 2, (j + 1) ln 2)) a candidate is
*proposed* with probability 2^-j, the gaps between proposals are geometric, and a proposal
is accepted with probability 2^j exp(-exponent) <= 1. A candidate so fires with exactly its
probability, independently of the others, whatever the blocks are.

Source: exact_sampling 4; Dwork et al. (2009); Durfee (2023, 2024). One-sided geometric
noise: ``docs/proofs/above-threshold.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leastnoise.numbers import ln2_enclosure, log_enclosure
from leastnoise.randomness import BitSource, bernoulli_scaled
from leastnoise.sampling.discrete import geometric

_BITS = 64
_LN2_UPPER = ln2_enclosure(_BITS)[1]
# All candidates of the last block together are proposed with probability below 2**-_REST.
_REST = 6


@dataclass(frozen=True, slots=True, repr=False)
class HeightLaw:
    """A stream of ``count`` candidates with nonincreasing integer heights.

    ``first_below(g)`` is the number of candidates with height >= g (they come first), and
    ``height(i)`` the height of candidate i.
    """

    count: int
    first_below: Callable[[int], int]
    height: Callable[[int], int]
    e1: Fraction
    e2: Fraction


def draw_index(law: HeightLaw, source: BitSource) -> int | None:
    """The index of the first candidate that fires, or None if none does."""
    threshold = geometric(law.e1.numerator, law.e1.denominator, source)
    return first_firing(law, threshold, source)


def first_firing(law: HeightLaw, threshold: int, source: BitSource) -> int | None:
    """The index that fires for a known threshold noise Z."""
    num, den = law.e2.numerator, law.e2.denominator
    done = 0
    for block in range(_REST + law.count.bit_length(), -1, -1):
        # candidates with exponent >= block ln 2 but below the blocks already passed
        least = -(-block * _LN2_UPPER * den // (num << _BITS)) if block else 1
        end = law.first_below(least - threshold)
        done = _search(law, threshold, block, done, end, source)
        if done < end:
            return done
    return done if done < law.count else None


def _search(
    law: HeightLaw, threshold: int, block: int, start: int, end: int, source: BitSource
) -> int:
    """The first index in [start, end) that fires, or ``end``."""
    num, den = law.e2.numerator, law.e2.denominator
    index = start
    while index < end:
        if block:
            index += failures_before_success(block, end - index, source)
            if index >= end:
                break
        exponent = max(0, threshold + law.height(index))
        if bernoulli_scaled(block, num * exponent, den, source):
            return index
        index += 1
    return max(start, end)


@lru_cache(maxsize=256)
def _rate(block: int, bits: int) -> tuple[int, int]:
    """-ln(1 - 2^-block) as an enclosure of 2^bits times it."""
    low, high = log_enclosure((1 << block) - 1, 1 << block, bits)
    return -high, -low


def failures_before_success(block: int, most: int, source: BitSource) -> int:
    """min(K, most): failures before the first success of a coin of probability 2^-block <= 1/2.

    K = floor(-ln U / -ln(1 - 2^-block)) for one uniform U, revealed bit by bit until both ends of
    its interval give the same K: P(K >= k) = (1 - 2^-block)^k exactly. No logarithm is needed
    where 1 - U <= -ln U and -ln(1 - p) <= p / (1 - p) already prove K >= most.
    """
    bits = _BITS + 2 * block
    u = source.bits(bits)
    if ((1 << bits) - u - 1) * ((1 << block) - 1) >= most << bits:
        return most
    while True:
        if u:
            # U lies in [u, u + 1) / 2^bits, and ln(u + 1) - ln(u) < 1 / u
            high = -log_enclosure(u, 1 << bits, bits)[0]
            low = max(0, -log_enclosure(u + 1, 1 << bits, bits)[1])
            rate_low, rate_high = _rate(block, bits)
            least = low // rate_high
            if least == high // max(1, rate_low):
                return min(least, most)
        u = u << _BITS | source.bits(_BITS)
        bits += _BITS
