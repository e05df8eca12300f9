"""Certified tails of the normal and the discrete Gaussian law, in integers only.

``lo <= 2**bits * P <= hi`` throughout. The normal tail uses the series of positive terms

    P(0 <= N <= x) = x exp(-x^2/2) / sqrt(2 pi)  sum_n x^(2n) / (1 3 5 ... (2n+1)),

every term rounded down in one sum and up in another. The discrete Gaussian law P(k) proportional
to exp(-k^2 / (2 v)) is summed term by term for small v; for large v by the midpoint
rule with two corrections and a bound on the rest (``docs/proofs/gaussian.md``).
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from leastnoise.numbers.exact import exp_enclosure

# Up to this parameter v = sigma^2 the discrete law is summed term by term.
SUMMED = 1 << 12


def _atan_inverse(n: int, w: int) -> tuple[int, int]:
    """Enclosure of ``2**w atan(1/n)`` for n >= 2: alternating, each term within one unit."""
    power, square = (1 << w) // n, n * n
    total, divisor, count = power, 3, 1
    while power:
        power //= square
        total += -(power // divisor) if count % 2 else power // divisor
        divisor += 2
        count += 1
    return total - 2 * count, total + 2 * count


@lru_cache(maxsize=64)
def pi_enclosure(bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits pi <= hi`` with ``hi - lo <= 2``: 16 atan(1/5) - 4 atan(1/239)."""
    extra = 20 + bits.bit_length()
    a, b = _atan_inverse(5, bits + extra), _atan_inverse(239, bits + extra)
    return (16 * a[0] - 4 * b[1]) >> extra, ((16 * a[1] - 4 * b[0]) >> extra) + 1


@lru_cache(maxsize=64)
def _root_two_pi(bits: int) -> tuple[int, int]:
    low, high = pi_enclosure(2 * bits)
    return isqrt(2 * low), isqrt(2 * high) + 1


def normal_tail(p: int, q: int, bits: int) -> tuple[int, int]:
    """Enclose P(N >= sqrt(p/q)) for N standard normal.

    Domain: ``p >= 0``, ``q > 0``, ``bits >= 0``; the square of the argument is exact. Beyond
    ``2**-bits`` the answer is ``(0, 1)`` and costs nothing. ``hi - lo`` stays below 8.
    """
    if p < 0 or q <= 0 or bits < 0:
        raise ValueError("p and bits must be >= 0 and q must be > 0")
    if p == 0:
        half = (1 << bits) >> 1
        return half, half + (bits == 0)
    if 7 * p > 10 * q * bits:  # P <= exp(-x^2/2) / 2 and 2 ln 2 < 10/7
        return 0, 1
    w = bits + 24 + (p // q).bit_length()
    low = high = total_low = total_high = 1 << w
    odd = 1
    while True:
        odd += 2
        low = low * p // (q * odd)
        high = -(-high * p // (q * odd))
        total_low += low
        total_high += high
        if high <= 1 and q * odd >= 2 * p:  # later terms: at most 1/2, 1/4, ... of a unit
            total_high += 1
            break
    # exp(-x^2/2) may be 2**-(0.73 x^2) small, and the sum as large
    wide = w + 3 * p // (4 * q) + 8
    exponential = exp_enclosure(p, 2 * q, wide)
    root = isqrt((p << (2 * w)) // q)
    two_pi = _root_two_pi(w)
    inner_low = total_low * exponential[0] * root // (two_pi[1] << wide)
    inner_high = -(-total_high * exponential[1] * (root + 1) // (two_pi[0] << wide))
    half, down = 1 << (w - 1), w - bits
    return max(0, half - inner_high) >> down, (max(0, half - inner_low) >> down) + 1


def _summed(variance: Fraction, first: int, bits: int) -> tuple[int, int]:
    """Enclose the sum of exp(-k^2/(2v)) over k >= first >= 0, term by term.

    The quotient of terms falls by the factor exp(-1/v) from one to the next.
    """
    w, (a, b) = bits + 48, (variance.numerator, variance.denominator)
    low, high = exp_enclosure(first * first * b, 2 * a, w)
    ratio_low, ratio_high = exp_enclosure((2 * first + 1) * b, 2 * a, w)
    fall_low, fall_high = exp_enclosure(b, a, w)
    total_low = total_high = 0
    while high > 1:
        total_low += low
        total_high += high
        low, high = low * ratio_low >> w, (high * ratio_high >> w) + 1
        ratio_low, ratio_high = ratio_low * fall_low >> w, (ratio_high * fall_high >> w) + 1
    # the rest is at most this term times 1 + r + r^2 + ...
    rest = (1 << w) // max(1, (1 << w) - ratio_high) + 1
    return total_low >> 48, ((total_high + rest) >> 48) + 1


@lru_cache(maxsize=64)
def _whole(variance: Fraction, bits: int) -> tuple[int, int]:
    low, high = _summed(variance, 1, bits)
    return (1 << bits) + 2 * low, (1 << bits) + 2 * high


def discrete_gaussian_tail(variance: Fraction, first: int, bits: int) -> tuple[int, int]:
    """Enclose P(X >= first) for P(X = k) proportional to exp(-k^2/(2 variance)).

    ``hi - lo`` is some units for a variance v of at most ``SUMMED``. Beyond it the sum is the
    integral from x = first - 1/2 with two corrections, and the kernel of the rest is at most
    1/15360: ``hi - lo`` is also x^6/(7680 v^5) times the probability for x^2 >= 12 v, else
    1/(400 v^3).
    """
    if first <= 0:
        low, high = discrete_gaussian_tail(variance, 1 - first, bits)
        return max(0, (1 << bits) - high), (1 << bits) - low
    if variance <= SUMMED:
        wide = bits + 8
        low, high = _summed(variance, first, wide)
        least, most = _whole(variance, wide)
        return (low << bits) // most, min(1 << bits, -(-(high << bits) // least))
    a, b = variance.numerator, variance.denominator
    half = 2 * first - 1  # x = half / 2
    low, high = normal_tail(half * half * b, 4 * a, bits)
    dense_low, dense_high = _density(half * half * b, 8 * a, variance, bits)
    # the midpoint rule's corrections p'/24 - 7 p'''/5760 with p' = -x p/v and
    # p''' = (3 x/v^2 - x^3/v^3) p: together -p(x) times (A + B - C), all three >= 0
    slope = Fraction(half * b, 2 * a)  # x / v
    up, down = slope / 24 + Fraction(7, 1920) * slope * Fraction(b, a), Fraction(7, 5760) * slope**3
    low_end = low - _ceil(dense_high * up) + _floor(dense_low * down)
    high_end = high - _floor(dense_low * up) + _ceil(dense_high * down)
    if half * half * b >= 48 * a:  # x^2 >= 12 v: the sixth derivative is positive from there on
        error = _ceil(dense_high * slope**5 / 15360)
    else:
        error = _ceil(Fraction(b, a) ** 3 * (1 << bits) / 800)
    # where the density is convex its sum lies below the integral
    most = high if half * half * b >= 4 * a else 1 << bits
    return max(0, low_end - error), min(most, max(0, high_end + error))


def _floor(x: Fraction) -> int:
    return x.numerator // x.denominator


def _ceil(x: Fraction) -> int:
    return -(-x.numerator // x.denominator)


def _density(p: int, q: int, variance: Fraction, bits: int) -> tuple[int, int]:
    """Enclose exp(-p/q) / sqrt(2 pi variance)."""
    wide = bits + 32
    root = isqrt((variance.numerator << (2 * wide)) // variance.denominator)
    two_pi, bell = _root_two_pi(wide), exp_enclosure(p, q, bits)
    return (
        (bell[0] << (2 * wide)) // ((root + 1) * two_pi[1]),
        -(-(bell[1] << (2 * wide)) // (root * two_pi[0])),
    )


def discrete_gaussian_mass(variance: Fraction, bits: int) -> tuple[int, int]:
    """Enclose P(X = 0), the reciprocal of the sum of exp(-k^2/(2 variance))."""
    if variance <= SUMMED:
        least, most = _whole(variance, bits + 8)
        return (1 << (2 * bits + 8)) // most, -(-(1 << (2 * bits + 8)) // least)
    # the sum is sigma sqrt(2 pi) (1 + t), 0 <= t <= 4 exp(-2 pi^2 v): far below one unit
    low, high = _density(0, 1, variance, bits)
    return max(0, low - 1), high
