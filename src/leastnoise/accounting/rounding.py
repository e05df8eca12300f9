"""Certified upper bounds: the exact fractions that conversions round up to."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from leastnoise.numbers import exp_enclosure, log_enclosure

GUARD = 96
"""Bits beyond the size of the argument that every enclosure keeps."""


def round_up(value: Fraction, digits: int = 15) -> Fraction:
    """The smallest decimal of this many significant digits that is at least ``value`` >= 0."""
    if value <= 0:
        return Fraction(0)
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    if value < Fraction(10) ** exponent:
        exponent -= 1  # 10^exponent <= value < 10^(exponent + 1)
    scale = Fraction(10) ** (digits - 1 - exponent)
    return ceil(value * scale) / scale


def exp_minus(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Lower and upper bounds of exp(-x), x >= 0, at most 2^(1 - bits) apart."""
    low, high = exp_enclosure(x.numerator, x.denominator, bits)
    return Fraction(low, 2**bits), Fraction(high, 2**bits)


def log(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Lower and upper bounds of ln x, x > 0, at most 2^(1 - bits) apart."""
    low, high = log_enclosure(x.numerator, x.denominator, bits)
    return Fraction(low, 2**bits), Fraction(high, 2**bits)


def bits_for(x: Fraction, power: int) -> int:
    """Precision at which a result of the size of x^power still has `GUARD` bits."""
    small = max(0, x.denominator.bit_length() - x.numerator.bit_length() + 1)
    return GUARD + power * small
