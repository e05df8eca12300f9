"""How many pairs of databases must be sampled, and which order statistic covers the rest.

G_(1) <= ... <= G_(m) are the sorted changes of the function over m random pairs, and G_(k) is the
sensitivity that is used. Let U_(k) be the share of pairs with a change of at most G_(k); it is at
least the k-th order statistic of m uniform numbers, for every law, ties or not. Three readings:

=========== =================================================== =================================
guarantee   promise                                             smallest m
=========== =================================================== =================================
two-level   U_(k) >= 1 - gamma with probability 1 - beta        ceil(log beta / log(1 - gamma))
marginal    E U_(k) = k/(m + 1) >= 1 - gamma                    ceil(1/gamma) - 1
paper       the same, by a uniform bound (Theorem 15)           log(1/rho) / (2 (gamma - rho)^2)
=========== =================================================== =================================

Source: Rubinstein and Alda (2017), Theorem 15 and Corollaries 20 to 22; errata 4.8. All conditions
are decided with exact or outward rounded numbers. ``docs/proofs/sensitivity-sampler.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, exp, expm1, floor, isqrt, log, sqrt

from leastnoise.errors import ParameterError
from leastnoise.numbers import exp_enclosure, log_enclosure

GUARANTEES = ("two-level", "marginal", "paper")
_BITS = 128
_NEAR = 40
# The smallest gamma whose size a double can propose; it asks for 2^1000 pairs and more.
_LEAST = Fraction(1, 1 << 1000)


@dataclass(frozen=True, slots=True)
class SampleSize:
    """An operating point: m pairs, the k-th smallest change, and what that promises.

    ``rho`` is the free parameter of the paper's Theorem 15, else None. ``beta`` is the chance of
    bad luck of the sampler, 0 where gamma counts it.
    """

    guarantee: str
    m: int
    k: int
    gamma: Fraction
    beta: Fraction
    rho: Fraction | None = None


def sample_size(
    guarantee: str, *, gamma: Fraction | None, beta: Fraction, m: int | None
) -> SampleSize:
    """The operating point: from gamma the smallest m; from both the smallest k; from m the gamma.

    Raises
    ------
    ParameterError
        If m is too small for gamma, or neither is given.
    """
    if gamma is None and m is None:
        raise ParameterError("give gamma, the share of pairs that may be missed, or m, or both")
    if gamma is not None and gamma < _LEAST:
        raise ParameterError("gamma must be at least 2**-1000")
    if guarantee == "two-level":
        return _two_level(gamma, beta, m)
    if guarantee == "marginal":
        return _marginal(gamma, m)
    return _paper(gamma, m)


def _too_few(m: int, gamma: Fraction, least: int) -> ParameterError:
    return ParameterError(
        f"m={m} pairs are too few for gamma={gamma}: use m >= {least}, or a larger gamma"
    )


# the two-level rule


def least_two_level(gamma: Fraction, beta: Fraction) -> int:
    """The smallest m with (1 - gamma)^m <= beta, exactly."""
    keep = 1 - gamma
    bits = _BITS + 2 * max(0, gamma.denominator.bit_length() - gamma.numerator.bit_length())
    while True:
        top = log_enclosure(beta.numerator, beta.denominator, bits)
        bottom = log_enclosure(keep.numerator, keep.denominator, bits)
        # both are negative: m >= top / bottom
        low, high = ceil(Fraction(-top[1], -bottom[0])), ceil(Fraction(-top[0], -bottom[1]))
        if low == high or _is_power(keep, low, beta):
            return max(1, low)
        bits *= 2


def _is_power(base: Fraction, exponent: int, value: Fraction) -> bool:
    """base^exponent == value; lowest terms stay lowest terms, so long powers need not be tried."""
    if (base.denominator.bit_length() - 1) * exponent >= value.denominator.bit_length():
        return False
    return base**exponent == value


def _two_level(gamma: Fraction | None, beta: Fraction, m: int | None) -> SampleSize:
    if gamma is None:
        count = m or 1
        return SampleSize("two-level", count, count, _covered(count, beta), beta)
    least = least_two_level(gamma, beta)
    if m is None:
        return SampleSize("two-level", least, least, gamma, beta)
    if m < least:
        raise _too_few(m, gamma, least)
    return SampleSize("two-level", m, m - _discarded(m, gamma, beta), gamma, beta)


def _covered(m: int, beta: Fraction) -> Fraction:
    """The least gamma with (1 - gamma)^m <= beta, rounded up to six digits."""
    guess = -expm1((log(beta.numerator) - log(beta.denominator)) / m)
    scale = 10 ** (6 + max(0, -floor(log(guess) / log(10))))
    whole = max(1, ceil(guess * scale) - 1)
    while least_two_level(Fraction(whole, scale), beta) > m:
        whole += 1
    return Fraction(whole, scale)


def _discarded(m: int, gamma: Fraction, beta: Fraction) -> int:
    """The largest j with P(Bin(m, gamma) <= j) <= beta: so many largest changes may be left out.

    Upper bounds throughout: a term is at most ``mantissa 2**shift``, 128 bits of it; the sum counts
    units of 2**-unit, far below beta / m.
    """
    odds = gamma / (1 - gamma)
    mantissa, shift = _power_above(1 - gamma, m)
    unit = 64 + m.bit_length() + (beta.denominator // beta.numerator).bit_length()
    limit = floor(beta * (1 << unit))
    total, j = 0, -1
    while True:
        up = shift + unit
        total += mantissa << up if up >= 0 else (mantissa >> -up) + 1
        near = total - (total >> _NEAR) <= limit
        if j + 1 == m or (total > limit and not (near and _covers(m, j + 1, gamma, beta))):
            return j
        j += 1
        mantissa = -(-mantissa * (m - j) * odds.numerator // ((j + 1) * odds.denominator))
        extra = mantissa.bit_length() - _BITS
        if extra > 0:
            mantissa, shift = (mantissa >> extra) + 1, shift + extra
        elif extra < 0:
            mantissa, shift = mantissa << -extra, shift + extra


def _covers(m: int, j: int, gamma: Fraction, beta: Fraction) -> bool:
    """P(Bin(m, gamma) <= j) <= beta in whole numbers: asked where the bounds leave it open."""
    missed, kept = gamma.numerator, gamma.denominator - gamma.numerator
    term = total = kept**m
    for i in range(j):
        term = term * (m - i) * missed // ((i + 1) * kept)
        total += term
    return total * beta.denominator <= beta.numerator * gamma.denominator**m


def _power_above(base: Fraction, exponent: int) -> tuple[int, int]:
    """(mantissa, shift) with base^exponent <= mantissa 2^shift."""
    found, square = (
        (1 << _BITS, -_BITS),
        (-(-(base.numerator << _BITS) // base.denominator), -_BITS),
    )
    while exponent:
        if exponent & 1:
            found = _times_above(found, square)
        square = _times_above(square, square)
        exponent >>= 1
    return found


def _times_above(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    mantissa, shift = a[0] * b[0], a[1] + b[1]
    extra = max(0, mantissa.bit_length() - _BITS)
    return (mantissa >> extra) + (1 if extra else 0), shift + extra


def coverage(m: int, k: int, gamma: Fraction) -> Fraction:
    """P(Beta(k, m - k + 1) >= 1 - gamma) = P(Bin(m, gamma) > m - k), exactly."""
    keep = 1 - gamma
    missed = sum((comb(m, j) * gamma**j * keep ** (m - j) for j in range(m - k + 1)), Fraction(0))
    return 1 - missed


# the order-statistic rule


def _marginal(gamma: Fraction | None, m: int | None) -> SampleSize:
    if gamma is None:
        count = m or 1
        return SampleSize("marginal", count, count, Fraction(1, count + 1), Fraction(0))
    least = ceil(1 / gamma) - 1
    least = max(1, least)
    count = least if m is None else m
    if count < least:
        raise _too_few(count, gamma, least)
    return SampleSize("marginal", count, ceil((count + 1) * (1 - gamma)), gamma, Fraction(0))


# the paper's rule


def _lambert(x: float) -> float:
    """The secondary branch W_-1 on [-1/e, 0)."""
    from scipy.special import lambertw  # slow to import

    return float(lambertw(x, -1).real)


def rho_for_gamma(gamma: float) -> float:
    """Corollary 20: the rho that needs the fewest pairs."""
    return exp(_lambert(-gamma / (2 * sqrt(exp(1)))) + 0.5)


def rho_for_m(m: int) -> float:
    """Corollaries 21 and 22: the rho with the smallest k, and the smallest gamma."""
    return exp(_lambert(-1 / (4 * m)) / 2)


def _paper(gamma: Fraction | None, m: int | None) -> SampleSize:
    """Table 1, rows 1 to 3; the float only proposes rho, the conditions are decided exactly."""
    if m is None and gamma is not None:
        rho = Fraction(rho_for_gamma(float(gamma)))
        count = ceil(_log_inverse(rho) / (2 * (gamma - rho) ** 2))
        return SampleSize("paper", count, _index(count, gamma, rho), gamma, Fraction(0), rho)
    count = m or 1
    rho = Fraction(rho_for_m(count))
    least = rho + _deviation(count, rho)
    if gamma is None:
        scaled = ceil(least * 10**9)
        if scaled >= 10**9:
            raise ParameterError(f"m={count} pairs promise nothing by the paper's rule; use more")
        return SampleSize("paper", count, count, Fraction(scaled, 10**9), Fraction(0), rho)
    if gamma < least:
        raise _too_few(count, gamma, _paper(gamma, None).m)
    return SampleSize("paper", count, _index(count, gamma, rho), gamma, Fraction(0), rho)


def _log_inverse(rho: Fraction) -> Fraction:
    """log(1/rho), rounded up."""
    return Fraction(log_enclosure(rho.denominator, rho.numerator, _BITS)[1], 1 << _BITS)


def _deviation(m: int, rho: Fraction) -> Fraction:
    """sqrt(log(1/rho) / (2 m)), rounded up."""
    square = _log_inverse(rho) / (2 * m)
    scaled = ceil(square * (1 << 2 * _BITS))
    return Fraction(isqrt(scaled) + 1, 1 << _BITS)


def _index(m: int, gamma: Fraction, rho: Fraction) -> int:
    """Condition (2) of Theorem 15; k = m where condition (1) holds with equality."""
    return min(m, ceil(m * (1 - gamma + rho + _deviation(m, rho))))


def distance_bound(divergence: Fraction) -> Fraction:
    """The total variation distance of two laws with this KL divergence, rounded up.

    The smaller of sqrt(KL/2) and sqrt(1 - exp(-KL)).
    """
    shrunk = exp_enclosure(divergence.numerator, divergence.denominator, _BITS)[0]
    square = min(divergence / 2, 1 - Fraction(shrunk, 1 << _BITS))
    digits = 10**12
    return Fraction(isqrt(ceil(square * digits**2)) + (square > 0), digits)


def holds(size: SampleSize) -> bool:
    """Whether m, k and rho promise gamma and beta; a larger k than needed does too."""
    m, k, gamma, beta, rho = size.m, size.k, size.gamma, size.beta, size.rho
    if not (1 <= k <= m and 0 < gamma < 1):
        return False
    if size.guarantee == "paper":  # conditions (1) and (2) of Theorem 15
        if rho is None or beta or not 0 < rho < gamma:
            return False
        return _log_inverse(rho) <= 2 * m * (gamma - rho) ** 2 and k >= _index(m, gamma, rho)
    if rho is not None:
        return False
    if size.guarantee == "marginal":
        return beta == 0 and k >= (m + 1) * (1 - gamma)
    return (
        0 < beta < 1 and m >= least_two_level(gamma, beta) and k >= m - _discarded(m, gamma, beta)
    )
