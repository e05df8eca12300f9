"""The extremes of log p(y) - log p'(y) for two laws, in exact or certified arithmetic.

For log-linear laws the difference of the exponents is linear between the ends of pieces, so its
extremes are exact fractions found at those ends; log(Z'/Z) is exactly 0 where both laws have the
same exponents up to order, and otherwise an enclosure narrower than 2^-200.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import assert_never

from leastnoise.audit.enclosure import ONE, Enclosure, log_ratio
from leastnoise.audit.forms import Branches, End, Form, Masses, Placed, Product, Shape, refine
from leastnoise.errors import ParameterError

# Fraction where it is exact or certified, +-inf where there is no finite bound.
Number = Fraction | float


@dataclass(frozen=True, slots=True)
class Bound:
    """A number known to lie in [lo, hi], and the output where it is attained.

    A lattice point counts from the origin of the first law.
    """

    lo: Number
    hi: Number
    at: object = None

    def __add__(self, other: Bound) -> Bound:
        """The sum, attained at the pair of outputs."""
        return Bound(self.lo + other.lo, self.hi + other.hi, (self.at, other.at))

    def __neg__(self) -> Bound:
        return Bound(-self.hi, -self.lo, self.at)


@dataclass(frozen=True, slots=True)
class LogRatio:
    """Greatest and least value of log p - log p', and their distance (the range)."""

    greatest: Bound
    least: Bound
    range: Bound

    @property
    def worst(self) -> Bound:
        """The greatest absolute value: the privacy loss of the pair in either direction."""
        return greater(self.greatest, -self.least)


def greater(one: Bound, other: Bound) -> Bound:
    """The maximum of two bounded numbers, attained where the larger one is."""
    at = one.at if one.hi >= other.hi else other.at
    return Bound(max(one.lo, other.lo), max(one.hi, other.hi), at)


def _infinite(at: object) -> LogRatio:
    return LogRatio(Bound(inf, inf, at), Bound(-inf, -inf, at), Bound(inf, inf, at))


def log_ratio_of(a: Form, b: Form) -> LogRatio:
    """The extremes of log p - log p' over all outputs, p of ``a`` and p' of ``b``."""
    match a:
        case Placed():
            if not isinstance(b, Placed):
                return _infinite(None)
            if not isinstance(a.shape, Shape) or not isinstance(b.shape, Shape):
                raise ParameterError(
                    "Gaussian noise, and a law with a real, data-dependent scale, have no finite "
                    "privacy loss: audit them against an ApproxDP claim"
                )
            return _of_shapes(a.shape, b.shape, b.origin - a.origin)
        case Masses():
            return _of_masses(a, b) if isinstance(b, Masses) else _infinite(None)
        case Product():
            if not isinstance(b, Product) or len(a.parts) != len(b.parts):
                return _infinite(None)
            return _of_products(a, b)
        case Branches():
            return _of_branches(a, b) if isinstance(b, Branches) else _infinite(None)
        case _:
            assert_never(a)


def _of_shapes(a: Shape, b: Shape, shift: int) -> LogRatio:
    greatest = least = (0, 0)  # value as a ratio, the denominator 0 until the first
    greatest_at = least_at = 0
    for first, last, left, right in refine(a.pieces, b.pieces, shift):
        if left is None or right is None:
            return _infinite(int(last if first == -inf else first))
        # E' - E = (constant + slope y) / bottom
        bottom = left.bottom * right.bottom
        slope = right.slope * left.bottom - left.slope * right.bottom
        constant = (right.top - right.slope * shift) * left.bottom - left.top * right.bottom
        ends: tuple[End, ...] = (first,) if first == last else (first, last)
        for end in ends:
            if abs(end) == inf:
                if slope:
                    return _infinite(int(last if first == -inf else first))
                continue
            point = int(end)
            value = constant + slope * point
            if not greatest[1] or value * greatest[1] > greatest[0] * bottom:
                greatest, greatest_at = (value, bottom), point
            if not least[1] or value * least[1] < least[0] * bottom:
                least, least_at = (value, bottom), point
    high, low = Fraction(*greatest), Fraction(*least)
    shift_lo = shift_hi = Fraction(0)
    if a is not b and a.multiset != b.multiset:
        constant_term = b.log_weight - a.log_weight
        shift_lo, shift_hi = constant_term.low, constant_term.high
    return LogRatio(
        Bound(high + shift_lo, high + shift_hi, greatest_at),
        Bound(low + shift_lo, low + shift_hi, least_at),
        Bound(high - low, high - low, greatest_at),
    )


def _of_masses(a: Masses, b: Masses) -> LogRatio:
    greatest: Bound | None = None
    least: Bound | None = None
    logs, others = a.logs, b.logs
    both = [(y, p.lo - q.hi, p.hi - q.lo) for y, p in logs.items() if (q := others.get(y))]
    if both:
        # where both are certainly above 0: ends compared as integers of 2^-BITS
        top, bottom = max(both, key=_upper_end), min(both, key=_lower_end)
        most, fewest = max(map(_lower_end, both)), min(map(_upper_end, both))
        greatest = Bound(Fraction(most, ONE), Fraction(top[2], ONE), top[0])
        least = Bound(Fraction(bottom[1], ONE), Fraction(fewest, ONE), bottom[0])
    for output in {**a.table, **b.table}:
        if output in logs and output in others:
            continue
        ratio = _of_outputs(a, b, output)
        if ratio is None:
            continue
        greatest = ratio if greatest is None else greater(greatest, ratio)
        least = ratio if least is None else -greater(-least, -ratio)
    if greatest is None or least is None:
        raise ParameterError("a law needs at least one output of positive probability")
    if a.rest.hi or b.rest.hi:  # nothing is known about single outputs of the rest
        greatest = Bound(greatest.lo, inf, greatest.at)
        least = Bound(-inf, least.hi, least.at)
    return LogRatio(
        greatest,
        least,
        Bound(greatest.lo - least.hi, greatest.hi - least.lo, greatest.at),
    )


def _lower_end(ratio: tuple[object, int, int]) -> int:
    return ratio[1]


def _upper_end(ratio: tuple[object, int, int]) -> int:
    return ratio[2]


def _of_outputs(a: Masses, b: Masses, output: object) -> Bound | None:
    """log(p / q) at an output; infinite if it is impossible for one law, None if for both."""
    p, q = a.at(output), b.at(output)
    if p.hi == 0 and q.hi == 0:
        return None
    low = -inf if p.lo <= 0 else inf
    high = inf if q.lo <= 0 else -inf
    if p.lo > 0 and q.hi > 0:
        low = log_ratio(p, Enclosure(q.hi, q.hi)).low
    if q.lo > 0 and p.hi > 0:
        high = log_ratio(Enclosure(p.hi, p.hi), q).high
    return Bound(low, high, output)


def _of_products(a: Product, b: Product) -> LogRatio:
    parts = [log_ratio_of(one, other) for one, other in zip(a.parts, b.parts, strict=True)]
    greatest, least, spread = parts[0].greatest, parts[0].least, parts[0].range
    for part in parts[1:]:
        greatest, least, spread = greatest + part.greatest, least + part.least, spread + part.range
    return LogRatio(greatest, least, spread)


def _of_branches(a: Branches, b: Branches) -> LogRatio:
    """The extremes over all outcomes of the first answer, with what follows it where it does."""
    thens, others = dict(a.then), dict(b.then)
    greatest: Bound | None = None
    least: Bound | None = None
    for output in {**a.first.table, **b.first.table}:
        first = _of_outputs(a.first, b.first, output)
        if first is None:
            continue
        high, low = first, first
        if output in thens or output in others:
            if output not in thens or output not in others:
                return _infinite(output)
            then = log_ratio_of(thens[output], others[output])
            high, low = first + then.greatest, first + then.least
        greatest = high if greatest is None else greater(greatest, high)
        least = low if least is None else -greater(-least, -low)
    if greatest is None or least is None:
        raise ParameterError("a law needs at least one output of positive probability")
    spread = Bound(greatest.lo - least.hi, greatest.hi - least.lo, greatest.at)
    return LogRatio(greatest, least, spread)
