"""AboveThreshold over a short stream in any order, at one or two random words a candidate.

Candidate i fires with probability exp(-e2 max(0, z + g_i)), z the threshold's noise. It is
*proposed* with probability 2^-j, j = about exponent / ln 2, by j random bits that are all zero,
and a proposal is accepted with probability 2^j exp(-exponent) <= 1: exactly its probability. j is
taken two below the float quotient, so that the bound of 1 is certain; any j would do that keeps it.
Source: exact_sampling 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log

from leastnoise.randomness import BitSource, bernoulli_scaled
from leastnoise.sampling.discrete import geometric

_WORD = 64


def draw_first(heights: Sequence[int], e1: Fraction, e2: Fraction, source: BitSource) -> int | None:
    """The index of the first candidate that fires, or None if none does."""
    threshold = geometric(e1.numerator, e1.denominator, source)
    num, den = e2.numerator, e2.denominator
    rate = float(e2) / log(2)
    for index, height in enumerate(heights):
        steps = max(0, threshold + height)
        block = max(0, int(steps * rate) - 2)
        if not _all_zero(block, source):
            continue
        if bernoulli_scaled(block, num * steps, den, source):
            return index
    return None


def _all_zero(count: int, source: BitSource) -> bool:
    """True with probability 2^-count."""
    while count > _WORD:
        if source.bits(_WORD):
            return False
        count -= _WORD
    return count == 0 or not source.bits(count)
