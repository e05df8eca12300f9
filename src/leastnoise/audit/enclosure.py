"""Certified numbers: integer intervals of 2^-256, and sums of geometric series of exponentials.

An ``Enclosure`` holds two integers that bracket a real number: lo <= 2^BITS x <= hi. Every
operation rounds outwards, so a verdict drawn from the ends is a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.numbers import exp_enclosure, log_enclosure

BITS = 256
ONE = 1 << BITS


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A real number x known to satisfy ``lo <= 2**BITS * x <= hi``."""

    lo: int
    hi: int

    @staticmethod
    def of(value: Fraction | int) -> Enclosure:
        """The tightest enclosure of a rational number."""
        top, bottom = value.numerator << BITS, value.denominator
        return Enclosure(top // bottom, -(-top // bottom))

    def __add__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.lo + other.lo, self.hi + other.hi)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.lo - other.hi, self.hi - other.lo)

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.hi, -self.lo)

    def __mul__(self, other: Enclosure) -> Enclosure:
        ends = (
            self.lo * other.lo,
            self.lo * other.hi,
            self.hi * other.lo,
            self.hi * other.hi,
        )
        return Enclosure(min(ends) >> BITS, -(-max(ends) >> BITS))

    def times(self, factor: Fraction | int) -> Enclosure:
        """The product with an exact rational number."""
        top, bottom = factor.numerator, factor.denominator
        ends = (self.lo * top, self.hi * top)
        return Enclosure(min(ends) // bottom, -(-max(ends) // bottom))

    def over(self, other: Enclosure) -> Enclosure:
        """The quotient by a number known to be above 0; the numerator is at least 0."""
        if other.lo <= 0 or self.lo < 0:
            raise ArithmeticError("the enclosure of a divisor must lie above 0")
        return Enclosure((self.lo << BITS) // other.hi, -(-(self.hi << BITS) // other.lo))

    @property
    def low(self) -> Fraction:
        """The lower end."""
        return Fraction(self.lo, ONE)

    @property
    def high(self) -> Fraction:
        """The upper end."""
        return Fraction(self.hi, ONE)


ZERO = Enclosure(0, 0)


def exp(x: Enclosure) -> Enclosure:
    """e^x for any real x."""
    return Enclosure(_exp_low(x.lo), _exp_high(x.hi))


def _exp_low(x: int) -> int:
    if x <= 0:
        return exp_enclosure(-x, ONE, BITS)[0]
    wide = BITS + 3 * (x >> BITS) + 8
    return (1 << (BITS + wide)) // exp_enclosure(x, ONE, wide)[1]


def _exp_high(x: int) -> int:
    if x <= 0:
        return exp_enclosure(-x, ONE, BITS)[1]
    wide = BITS + 3 * (x >> BITS) + 8
    return -(-(1 << (BITS + wide)) // exp_enclosure(x, ONE, wide)[0])


def log(x: Enclosure) -> Enclosure:
    """ln x for x known to be above 0."""
    if x.lo <= 0:
        raise ArithmeticError("the enclosure of a logarithm's argument must lie above 0")
    return Enclosure(log_enclosure(x.lo, ONE, BITS)[0], log_enclosure(x.hi, ONE, BITS)[1])


def log_ratio(top: Enclosure, bottom: Enclosure) -> Enclosure:
    """ln(top / bottom), tight also where both are tiny."""
    return Enclosure(
        log_enclosure(top.lo, bottom.hi, BITS)[0], log_enclosure(top.hi, bottom.lo, BITS)[1]
    )


def geometric_sum(exponent: Fraction, slope: Fraction, count: int | None) -> Enclosure:
    """sum over i = 0 .. count-1 of exp(-(exponent + i slope)), exponent >= 0.

    ``count`` None is an endless series and needs slope > 0. A negative slope is summed from the
    other end, which must have an exponent >= 0 too.
    """
    if count is not None and slope < 0:
        return geometric_sum(exponent + slope * (count - 1), -slope, count)
    first = exp(Enclosure.of(-exponent))
    if slope == 0:
        if count is None:
            raise ArithmeticError("an endless flat series has no sum")
        return Enclosure(first.lo * count, first.hi * count)
    if count == 1:
        return first
    # 1 - exp(-s) loses about log2(1/s) bits, and the quotient as many again
    lost = max(0, slope.denominator.bit_length() - slope.numerator.bit_length() + 1)
    wide = BITS + 2 * lost + 16
    step = exp_enclosure(slope.numerator, slope.denominator, wide)
    whole = 1 << wide
    rest = (0, 0)
    if count is not None:
        rest = exp_enclosure(slope.numerator * count, slope.denominator, wide)
    low = ((whole - rest[1]) << BITS) // (whole - step[0])
    high = -(-((whole - rest[0]) << BITS) // (whole - step[1]))
    return first * Enclosure(max(0, low), high)
