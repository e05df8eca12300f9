"""Real Gaussian noise of a rational scale, rounded to the integers or refined on demand."""

from __future__ import annotations

from fractions import Fraction

from leastnoise.numbers.exact import exp_enclosure
from leastnoise.randomness import BitSource, bernoulli_exp, bernoulli_real
from leastnoise.sampling.reals import RealVector

_BITS = 64


class _Unit:
    """A uniform X on [0, 1), known to lie in ``[u, u + 1) / 2**bits`` and extended on demand."""

    def __init__(self, source: BitSource) -> None:
        self.source, self.bits, self.u = source, 0, 0

    def to(self, bits: int) -> tuple[int, int]:
        """``u`` and the bits it has, at least ``bits`` of them."""
        if bits > self.bits:
            more = bits - self.bits
            self.u, self.bits = self.u << more | self.source.bits(more), bits
        return self.u, self.bits


def rounded_gaussian(sigma: Fraction, source: BitSource) -> int:
    """Draw ``floor(sigma N + 1/2)``, N standard normal, sigma > 0 rational.

    The half normal ``|N| = k + X`` is drawn as a real number (Karney 2016, algorithm N): an integer
    k with P(k) proportional to exp(-k/2), kept with probability exp(-k (k - 1)/2), a uniform X,
    kept with probability exp(-X (2 k + X)/2), and a sign. X is revealed bit by bit, also while the
    last coin is decided, and never redrawn, so the result is a function of one exact real draw: it
    inherits the guarantee of normal noise added to any integer.

    Raises
    ------
    ValueError
        If sigma is not positive, before any bit is drawn.
    """
    if sigma <= 0:
        raise ValueError("sigma must be > 0")
    k, x, negative = _half_normal(source)
    return _rounded(sigma, k, x, negative)


def _half_normal(source: BitSource) -> tuple[int, _Unit, bool]:
    """k and X with k + X half normal, and a sign."""
    while True:
        k = 0
        while bernoulli_exp(1, 2, source):
            k += 1
        if not bernoulli_exp(k * (k - 1), 2, source):
            continue
        x = _Unit(source)
        if _kept(k, x, source):
            return k, x, bool(source.bits(1))


class NormalVector(RealVector):
    """Independent normal numbers of one rational standard deviation, refined on demand."""

    __slots__ = ("_draws", "_sigma")

    def __init__(self, dimension: int, sigma: Fraction, source: BitSource) -> None:
        self._sigma = sigma
        self._draws = [_half_normal(source) for _ in range(dimension)]

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self._draws)

    def enclose(self, bits: int) -> list[tuple[int, int]]:
        """For every coordinate v integers low <= 2**bits v <= high, at most 3 apart."""
        a, b = self._sigma.numerator, self._sigma.denominator
        need = bits + max(0, a.bit_length() - b.bit_length() + 1)
        found: list[tuple[int, int]] = []
        for k, x, negative in self._draws:
            u, known = x.to(need)
            low = (a * ((k << known) + u) << bits) // (b << known)
            high = -(-(a * ((k << known) + u + 1) << bits) // (b << known))
            found.append((-high, -low) if negative else (low, high))
        return found


def _kept(k: int, x: _Unit, source: BitSource) -> bool:
    """True with probability exp(-X (2k + X)/2)."""

    def enclosure(bits: int) -> tuple[int, int]:
        u, known = x.to(bits)
        one = 1 << known
        low = u * (2 * k * one + u)
        high = (u + 1) * (2 * k * one + u + 1)
        return (
            exp_enclosure(high, 2 * one * one, bits)[0],
            exp_enclosure(low, 2 * one * one, bits)[1],
        )

    return bernoulli_real(enclosure, source)


def _rounded(sigma: Fraction, k: int, x: _Unit, negative: bool) -> int:
    """floor(sigma (k + X) + 1/2), or floor(-sigma (k + X) + 1/2), once the known bits decide it."""
    a, b = sigma.numerator, sigma.denominator
    bits = _BITS + max(0, a.bit_length() - b.bit_length())
    while True:
        u, known = x.to(bits)
        one = 1 << known
        # sigma (k + X) lies in [low, high) / (b one)
        low, high = a * (k * one + u), a * (k * one + u + 1)
        if negative:
            low, high = -high, -low
        first = (2 * low + b * one) // (2 * b * one)
        if first == (2 * high + b * one) // (2 * b * one):
            return first
        bits += _BITS
