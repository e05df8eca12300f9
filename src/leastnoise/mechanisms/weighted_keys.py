"""Noise and thresholds for keys of persons who have several: public functions of public numbers.

A person with d keys gives each of them a weight of 1/sqrt(d), so that all weights of a person are
no longer than 1, and keys whose noisy sum of weights exceeds a threshold are shown. That is done in
rounds: persons whose keys were shown give all their weight to their other keys from then on
(``docs/proofs/weighted-keys.md``).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, isqrt, log, log1p

from leastnoise.mechanisms.gaussian_calibration import normal_ratio, smallest
from leastnoise.sampling.keep import WEIGHTS, NoisySum, beyond

# The parts of 1/variance, and of what is left of delta, that each round gets.
ROUNDS = Fraction(1, 50), Fraction(2, 25), Fraction(9, 10)
# The part of delta for the noise; the rest is for keys of one person alone.
_NOISE = Fraction(3, 5)
# Up to so many keys of a person each number is looked at, then one in so many parts of itself.
_EACH = 8
# Beyond this share of epsilon a key of one person is shown for sure, or never: counts are better.
LARGE = 500


def weight_of(keys: int) -> int:
    """1/sqrt(keys) in multiples of 2^-WEIGHTS, rounded down."""
    return isqrt((1 << (2 * WEIGHTS)) // keys)


@lru_cache(maxsize=64)
def rounds(
    epsilon: Fraction, delta: Fraction, most: int, *, replaced: bool
) -> tuple[NoisySum, ...]:
    """The noise and threshold of each round, for persons with at most ``most`` keys.

    Where persons are ``replaced``, weights of two of them change, by sqrt(2) at most together.
    """
    ratio = normal_ratio(epsilon, delta * _NOISE)
    square = ratio * ratio * (2 if replaced else 1)
    left = delta * (1 - _NOISE)
    return tuple(
        NoisySum(_threshold(square / part, left * part, most, replaced=replaced), square / part)
        for part in ROUNDS
    )


def _threshold(variance: Fraction, delta: Fraction, most: int, *, replaced: bool) -> Fraction:
    """The least threshold at which keys of one person are shown with probability delta at most."""
    bits = 96 + (delta.denominator // delta.numerator).bit_length()
    limit = delta.numerator << bits

    def fits(threshold: Fraction) -> bool:
        reached = missed(threshold, variance, most, bits, replaced=replaced)
        return reached * delta.denominator <= limit

    return smallest(fits, Fraction(1))


def missed(threshold: Fraction, variance: Fraction, most: int, bits: int, *, replaced: bool) -> int:
    """An upper bound of 2^bits times the probability that keys of a single person are shown.

    A person whose t keys are nobody else's gives each a weight of at most 1/sqrt(t). Keys that
    nobody has on the other side count with their chance at weight 0.
    """
    worst, first = 0, 1
    while first <= most:  # keys first..last, each with the weight of the fewest
        last = min(most, first + first // _EACH)
        chance = beyond(threshold - Fraction(weight_of(first), 1 << WEIGHTS), variance, bits)[1]
        worst, first = max(worst, last * chance), last + 1
    return worst + most * beyond(threshold, variance, bits)[1] * replaced


def is_better(deciding: NoisySum, most: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether weights show a key of fewer persons, all with ``most`` keys, than counts would.

    By counts every key has ``epsilon`` and ``delta``. A public rule; either way is private.
    """
    share = float(epsilon)
    if share > LARGE:
        return False
    # the count at which a key is shown with a chance of 1/2 is log(1 + (e^share - 1)/(2 delta))
    far = log(expm1(share) / 2) + log(delta.denominator) - log(delta.numerator)
    by_count = (max(0.0, far) + log1p(exp(-abs(far)))) / share
    threshold = deciding.threshold
    by_weights = log(threshold.numerator) - log(threshold.denominator) + log(most) / 2
    return by_weights < log(by_count)
