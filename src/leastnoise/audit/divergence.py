"""Hockey-stick and Renyi divergences of two laws, certified from above and below.

The hockey-stick divergence at epsilon is delta = sum over y of max(0, p(y) - e^epsilon p'(y)): the
least delta for which the pair satisfies (epsilon, delta). The Renyi divergence of order a,
log(sum p^a p'^(1-a)) / (a - 1), divided by a and maximised over a > 1 is the least rho for which
the pair satisfies rho-zCDP.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import assert_never

from leastnoise.audit import enclosure
from leastnoise.audit.enclosure import ZERO, Enclosure
from leastnoise.audit.forms import (
    Branches,
    End,
    Form,
    GaussianShape,
    LaplaceShape,
    Masses,
    Piece,
    Placed,
    Product,
    Shape,
    refine,
)
from leastnoise.audit.losses import Bound, log_ratio_of
from leastnoise.errors import ParameterError

# Points this far out hold less than 2^-BITS of any law whose tail the audit can meet.
_FAR = 1 << 90
# Orders a = 1 + 2^(k/_FINE): between two of them the bound is loose by at most 2^(1/_FINE).
_FINE = 8
_ORDERS = tuple(
    Fraction(round((1 + 2 ** (k / _FINE)) * 1024), 1024) for k in range(-8 * _FINE, 7 * _FINE + 1)
)


def hockey_stick(a: Form, b: Form, epsilon: Fraction) -> Bound:
    """delta with P(S) <= e^epsilon P'(S) + delta for every S, P of ``a`` and P' of ``b``."""
    match a:
        case Placed():
            if not isinstance(b, Placed):
                return Bound(Fraction(0), Fraction(1))
            found = _between_shapes(a, b, Enclosure.of(epsilon))
        case Masses():
            if not isinstance(b, Masses):
                return Bound(Fraction(0), Fraction(1))
            found = _between_masses(a, b, enclosure.exp(Enclosure.of(epsilon)))
        case Product():
            return _between_products(a, b, epsilon)
        case Branches():
            raise ParameterError("audit a law of several branches against a pure claim")
        case _:
            assert_never(a)
    return Bound(max(Fraction(0), found.low), min(Fraction(1), found.high))


def _between_shapes(a: Placed, b: Placed, epsilon: Enclosure) -> Enclosure:
    shift = b.origin - a.origin
    if (isinstance(a.shape, GaussianShape) or isinstance(b.shape, GaussianShape)) and (
        a.shape is not b.shape
    ):
        return Enclosure(0, Enclosure.of(1).hi)  # the gap is not linear: nothing is claimed
    factor = enclosure.exp(epsilon)
    total = ZERO
    for first, last, left, right in refine(a.shape.pieces, b.shape.pieces, shift):
        if left is None:
            continue
        if right is None:
            total += a.shape.mass(left, first, last)
            continue
        piece = _Joint(a.shape, b.shape, left, right, shift, epsilon)
        for start, stop, slack in piece.gains(first, last):
            mass = a.shape.mass(left, start, stop)
            if slack is None:
                total += mass - factor * b.shape.mass(right, start - shift, stop - shift)
            else:
                total += Enclosure(0, (mass * slack).hi)
    return total


class _Joint:
    """The gap log p - log p' - epsilon on a piece where both laws are log-linear."""

    def __init__(
        self,
        a: Shape | LaplaceShape | GaussianShape,
        b: Shape | LaplaceShape | GaussianShape,
        left: Piece,
        right: Piece,
        shift: int,
        epsilon: Enclosure,
    ) -> None:
        self.a, self.b, self.left, self.right = a, b, left, right
        self.shift, self.epsilon = shift, epsilon

    def gap(self, point: int) -> Enclosure:
        """The gap at one point: linear in the point."""
        mine = self.a.log_mass(self.left, point)
        return mine - self.b.log_mass(self.right, point - self.shift) - self.epsilon

    def sign(self, point: int) -> int:
        """1 or -1 where the sign of the gap is certain, else 0."""
        gap = self.gap(point)
        return 1 if gap.lo > 0 else -1 if gap.hi < 0 else 0

    def gains(self, first: End, last: End) -> list[tuple[End, End, Enclosure | None]]:
        """Where p may exceed e^epsilon p', as (first, last, slack).

        Slack None: p exceeds it on all of the stretch. Otherwise p - e^epsilon p' is at most
        slack times p there.
        """
        found: list[tuple[End, End, Enclosure | None]] = []
        low, high = first, last
        if first == -inf:
            low = last - _FAR
            found.append((-inf, low - 1, Enclosure.of(1)))
        if last == inf:
            high = first + _FAR
            found.append((high + 1, inf, Enclosure.of(1)))
        low, high = int(low), int(high)
        at_low, at_high = self.sign(low), self.sign(high)
        if at_low == at_high:
            stretches = [(low, high, at_low)]
        else:
            # a linear gap goes from one sign to the other through one undecided stretch at most
            start, stop = self._near_root(low, high, at_low, at_high)
            turn, back = self._turn(start, stop, at_low), self._back(start, stop, at_high)
            stretches = [(low, turn - 1, at_low), (turn, back, 0), (back + 1, high, at_high)]
        for start, stop, sign in stretches:
            if start <= stop and sign >= 0:
                found.append((start, stop, None if sign else self._slack(start, stop)))
        return found

    def _slack(self, start: int, stop: int) -> Enclosure:
        """1 - e^-gap is at most the gap, which is largest at an end."""
        return Enclosure(0, max(0, self.gap(start).hi, self.gap(stop).hi))

    def _near_root(self, low: int, high: int, at_low: int, at_high: int) -> tuple[int, int]:
        """A short stretch with the signs of both ends at its ends, found by interpolation."""
        left, right = self.gap(low), self.gap(high)
        fall = left.lo + left.hi - right.lo - right.hi
        if fall:
            root = low + (high - low) * (left.lo + left.hi) // fall
            start, stop = max(low, root - 1), min(high, root + 2)
            if start <= stop and (self.sign(start), self.sign(stop)) == (at_low, at_high):
                return start, stop
        return low, high

    def _turn(self, low: int, high: int, sign: int) -> int:
        """The first point without the sign at ``low``."""
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.sign(middle) == sign else (low, middle)
        return low

    def _back(self, low: int, high: int, sign: int) -> int:
        """The last point without the sign at ``high``."""
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (low, middle - 1) if self.sign(middle) == sign else (middle, high)
        return low


def _between_masses(a: Masses, b: Masses, factor: Enclosure) -> Enclosure:
    total = Enclosure(0, a.rest.hi)
    for output, p in a.table.items():
        gain = p - factor * b.at(output)
        total += Enclosure(max(0, gain.lo), max(0, gain.hi))
    return total


def _between_products(a: Product, b: Form, epsilon: Fraction) -> Bound:
    """Basic composition over the parts: an upper bound; one part alone gives the lower bound."""
    if not isinstance(b, Product) or len(a.parts) != len(b.parts):
        return Bound(Fraction(0), Fraction(1))
    # parts with one and the same law lose nothing
    pairs = [(one, other) for one, other in zip(a.parts, b.parts, strict=True) if one != other]
    if not pairs:
        return Bound(Fraction(0), Fraction(0))
    single = [hockey_stick(one, other, epsilon) for one, other in pairs]
    shares = [hockey_stick(one, other, epsilon / len(pairs)) for one, other in pairs]
    low = max(bound.lo for bound in single)
    return Bound(low, min(1, sum(Fraction(bound.hi) for bound in shares)))


def concentrated(a: Form, b: Form, floor: Fraction) -> Bound:
    """The least rho with Renyi divergence of order t at most rho t for all t > 1, both ways.

    From above: the divergence grows with its order, so between two orders it is bounded by the
    larger one; below the first and beyond the last order the bounds eta^2/8 (bounded range) and
    loss / order hold. A pair that cannot exceed ``floor`` is not looked at closely.
    """
    ratio = log_ratio_of(a, b)
    if ratio.range.hi == inf:
        # possible for an unbounded loss, but then only a proof helps: no finite grid bounds it
        return Bound(Fraction(0), inf)
    eta, loss = Fraction(ratio.range.hi), Fraction(ratio.worst.hi)
    from_range = eta * eta / 8
    if from_range <= floor:
        return Bound(Fraction(0), from_range)
    low = high = Fraction(0)
    before = Fraction(1)
    for order in _ORDERS:
        divergence = max(
            (_renyi(one, other, order) for one, other in ((a, b), (b, a))), key=lambda e: e.hi
        )
        low = max(low, divergence.low / order)
        high = max(high, divergence.high / before)
        before = order
    high = max(high, loss / before)
    return Bound(low, min(high, from_range))


def _renyi(a: Form, b: Form, order: Fraction) -> Enclosure:
    match a:
        case Placed():
            if not isinstance(b, Placed):
                raise ParameterError("neighbouring laws must have the same form")
            if not isinstance(a.shape, Shape) or not isinstance(b.shape, Shape):
                raise ParameterError("no zCDP audit for a law with a real, data-dependent scale")
            return _renyi_of_shapes(a.shape, b.shape, b.origin - a.origin, order)
        case Masses():
            if not isinstance(b, Masses):
                raise ParameterError("neighbouring laws must have the same form")
            total = ZERO
            for output, p in a.table.items():
                if p.hi == 0:  # then it is impossible for the other law too
                    continue
                mixed = a.logs[output].times(order) + b.logs[output].times(1 - order)
                total += enclosure.exp(mixed)
            return enclosure.log(total).times(1 / (order - 1))
        case Product():
            if not isinstance(b, Product):
                raise ParameterError("neighbouring laws must have the same form")
            total = ZERO
            for one, other in zip(a.parts, b.parts, strict=True):
                total += _renyi(one, other, order)
            return total
        case Branches():
            raise ParameterError("audit a law of several branches against a pure claim")
        case _:
            assert_never(a)


def _renyi_of_shapes(a: Shape, b: Shape, shift: int, order: Fraction) -> Enclosure:
    """The divergence from the series sum exp(-(order E + (1 - order) E'))."""
    up, down = order, 1 - order
    mixed: list[Piece] = []
    for first, last, left, right in refine(a.pieces, b.pieces, shift):
        if left is None or right is None:
            raise ArithmeticError("the supports differ: the loss is infinite")
        near = int(last if first == -inf else first)
        value = up * left.exponent(near) + down * right.exponent(near - shift)
        slope = up * Fraction(left.slope, left.bottom) + down * Fraction(right.slope, right.bottom)
        bottom = value.denominator * slope.denominator
        rise = slope.numerator * value.denominator
        top = value.numerator * slope.denominator - rise * near
        mixed.append(Piece(first, last, top, rise, bottom))
    joint = Shape(tuple(mixed))
    log_sum = joint.log_weight - a.log_weight.times(order) + b.log_weight.times(order - 1)
    return log_sum.times(1 / (order - 1))
