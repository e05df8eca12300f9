"""The smallest Gaussian noise for (epsilon, delta), decided by certified integers.

For a shift D of the mean, hypothesis tests on Gaussian noise are thresholds, so

    delta = P(X > t - D/2) - e^epsilon P(X > t + D/2),   t = epsilon sigma^2 / D,

for the normal law (Balle and Wang 2018, Theorem 8) and for the discrete Gaussian law on the
integers (Canonne, Kamath and Steinke 2020, Theorem 7) alike, and it does not fall as D grows.
Both tails are enclosed, so the parameter that is returned provably keeps delta. Search: doubling
and bisection to a relative 2^-20. ``docs/proofs/gaussian.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from leastnoise.numbers import exp_enclosure, log_enclosure
from leastnoise.numbers.normal import discrete_gaussian_tail, normal_tail

_STEPS = 20
# Beyond this epsilon the second tail is left out, which only overstates delta.
_LARGE = 500


def _bits(epsilon: Fraction, delta: Fraction) -> int:
    """Enough for 2^-64 of delta after a product with e^epsilon."""
    weight = 0 if epsilon > _LARGE else ceil(3 * epsilon / 2)
    return 96 + (delta.denominator // delta.numerator).bit_length() + weight


def _difference(near: tuple[int, int], far: tuple[int, int], epsilon: Fraction, bits: int) -> int:
    """An upper bound of 2^bits (near - e^epsilon far)."""
    if epsilon > _LARGE:
        return near[1]
    shrunk = exp_enclosure(epsilon.numerator, epsilon.denominator, bits)[1]
    return max(0, near[1] - (far[0] << bits) // shrunk)


def normal_delta(ratio: Fraction, epsilon: Fraction, bits: int) -> int:
    """An upper bound of 2^bits delta for normal noise of sigma = ratio times the shift."""
    return _difference(
        _normal_beyond(epsilon * ratio - 1 / (2 * ratio), bits),
        _normal_beyond(epsilon * ratio + 1 / (2 * ratio), bits),
        epsilon,
        bits,
    )


def _normal_beyond(x: Fraction, bits: int) -> tuple[int, int]:
    square = x * x
    low, high = normal_tail(square.numerator, square.denominator, bits)
    return (low, high) if x >= 0 else ((1 << bits) - high, (1 << bits) - low)


def discrete_delta(variance: Fraction, shift: int, epsilon: Fraction, bits: int) -> int:
    """An upper bound of 2^bits delta for discrete Gaussian noise and an integer shift >= 1."""
    first = floor(epsilon * variance / shift - Fraction(shift, 2)) + 1
    near = discrete_gaussian_tail(variance, first, bits)
    return _difference(near, discrete_gaussian_tail(variance, first + shift, bits), epsilon, bits)


def smallest(fits: Callable[[Fraction], bool], start: Fraction) -> Fraction:
    """A number that fits, near the smallest one: from ``start`` by halves and doubles, bisected."""
    high = start
    while not fits(high):
        high *= 2
    low = high / 2
    while fits(low):
        high, low = low, low / 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


@lru_cache(maxsize=256)
def normal_ratio(epsilon: Fraction, delta: Fraction) -> Fraction:
    """sigma / Delta of normal noise that is (epsilon, delta)-private at l2 sensitivity Delta."""
    bits = _bits(epsilon, delta)
    limit = delta.numerator << bits

    def fits(ratio: Fraction) -> bool:
        return normal_delta(ratio, epsilon, bits) * delta.denominator <= limit

    return smallest(fits, Fraction(1))


@lru_cache(maxsize=256)
def discrete_variance(epsilon: Fraction, delta: Fraction, sensitivity: int) -> Fraction:
    """sigma^2 of discrete Gaussian noise, (epsilon, delta)-private at an integer sensitivity.

    The discrete law has its own delta: at epsilon = 5 the variance of the normal law for
    delta = 1e-3 gives 1.98e-3 at sensitivity 1 (exact_sampling 5).
    """
    bits = _bits(epsilon, delta)
    limit = delta.numerator << bits

    def fits(variance: Fraction) -> bool:
        return discrete_delta(variance, sensitivity, epsilon, bits) * delta.denominator <= limit

    return smallest(fits, Fraction(_dyadic_square(sensitivity * normal_ratio(epsilon, delta))))


def _dyadic_square(sigma: Fraction) -> Fraction:
    """sigma^2 rounded to 24 binary digits, so that later numbers stay short."""
    square = sigma * sigma
    shift = square.denominator.bit_length() - square.numerator.bit_length() + 24
    scale = Fraction(2) ** shift
    return ceil(square * scale) / scale


@lru_cache(maxsize=256)
def concentrated_variance(epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> Fraction:
    """sigma^2 of independent discrete Gaussian noise for a vector of l2 sensitivity Delta_2.

    Noise N_Z(0, sigma^2)^d on integers has rho = Delta_2^2 / (2 sigma^2), and rho-zCDP gives
    (epsilon, delta) if for some a > 1 ln delta >= (a - 1)(a rho - epsilon) - ln(a - 1) + a ln(1 -
    1/a) (Canonne, Kamath and Steinke 2020, Proposition 12). Solved for rho, the best a is searched
    in floats; the rho of that a is then a certified lower bound.
    """
    rough = max(range(-20, 222), key=lambda power: _rho_of(_order(8 * power), epsilon, delta))
    rho = max(_rho_of(_order(8 * rough + part), epsilon, delta) for part in range(-8, 9))
    return _dyadic_square(sensitivity) / (2 * rho)


def _order(eighths: int) -> Fraction:
    """1 + 2^(eighths / 8), to ten binary digits."""
    whole, part = divmod(eighths, 8)
    return 1 + Fraction(2) ** whole * Fraction(round(2 ** (part / 8) * 1024), 1024)


def _rho_of(order: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho that this order proves, rounded down; negative if it proves none."""
    bits = 96 + (delta.denominator // delta.numerator).bit_length()
    log_delta = log_enclosure(delta.numerator, delta.denominator, bits)[0]
    less = order - 1
    log_less = log_enclosure(less.numerator, less.denominator, bits)[0]
    part = less / order
    log_part = log_enclosure(part.numerator, part.denominator, bits)[1]
    gain = (
        Fraction(log_delta + log_less, 1 << bits) - order * Fraction(log_part, 1 << bits)
    ) / less
    return (epsilon + gain) / order
