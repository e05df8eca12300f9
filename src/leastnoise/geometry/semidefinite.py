"""The ball "sdp": differences of two points of the moment relaxation, decided exactly.

The exact sampler takes uniform points of the ball ``cycles``, which contains this one, until one
certainly lies inside. A point is looked at to some bits. Doubles propose a certificate that it is
inside or outside, integers check it; where no certificate holds, more bits are drawn and decimals
propose, with as many digits as there are bits, until one does. So the law is exactly the uniform
one: a point within 1e-9 of the boundary takes longer, and nothing else. The noise does not depend
on the data, nor does the time that it takes.

Statement and proof: ``docs/proofs/semidefinite-ball.md``. Source: errata 4.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import ArrayLike

from leastnoise.errors import ParameterError
from leastnoise.geometry.ball import Ball, Exact, Floats, exact_vector
from leastnoise.geometry.barrier import Bounds, barrier
from leastnoise.geometry.measure import volume_ratio
from leastnoise.geometry.moment_space import MomentSpace
from leastnoise.geometry.moments import MomentBall
from leastnoise.geometry.relaxation import relaxation
from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict
from leastnoise.sampling.moment_bodies import draw_moments
from leastnoise.sampling.reals import RealVector

# Entries and multipliers that doubles propose, in units of 2^-48.
_DOUBLE_BITS = 48
_DECIMAL_FROM = 100
_GAP = 1e-9
_NEAR = 2.0**-25
_SLACK = Fraction(1, 2**20)
_DENOMINATORS = (16, 256, 4096)
# First-order terms and squares together: five features and a response take some 0.1 s a draw.
_MOST = 11
_PRECISIONS = (32, 128, 256)


class SemidefiniteBall(MomentBall):
    """``moment_ball("sdp", space)`` for a space without groups."""

    __slots__ = ("_model",)

    def __init__(self, space: MomentSpace) -> None:
        super().__init__("cycles", space)
        self._kind = "sdp"
        self._model = space.columns, space.squares or ()

    @property
    def orthant_monotone(self) -> bool:
        """Not proved: its constraints look at signs."""
        return False

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """The constraints of ``cycles``, which hold here too, then a certificate."""
        found = super().decide(low, high, one)
        return self._certified(low, high, one) if found else found

    def _certified(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        widest = max(b - a for a, b in zip(low, high, strict=True))
        bits = one.bit_length() - widest.bit_length()
        middle = [Fraction(a + b, 2 * one) for a, b in zip(low, high, strict=True)]
        verdict = None
        for decimals in (False, True):
            if decimals and (verdict is not None or bits < _DECIMAL_FROM):
                break
            model = barrier(*self._model, decimals=decimals)
            digits = 20 + bits // 3
            found = model.bounds(middle, None, digits)
            fine = bits if decimals else _DOUBLE_BITS
            verdict = (
                None if found is None else self._checked(found, fine, low, high, one, decimals)
            )
        return verdict

    def _checked(
        self,
        bounds: Bounds,
        bits: int,
        low: Sequence[int],
        high: Sequence[int],
        one: int,
        decimals: bool,
    ) -> Verdict:
        """What a proposal proves."""
        model, exact = barrier(*self._model, decimals=decimals), relaxation(*self._model)
        multipliers = model.multipliers(bounds, bits)
        if multipliers is not None:
            return False if exact.certainly_outside(multipliers, low, high, one) else None
        inside = exact.certainly_inside(model.entries(bounds, bits), bits, low, high, one)
        return True if inside else None

    def contains(self, point: Iterable[object]) -> bool:
        """Whether the norm is at most 1, decided exactly.

        Raises
        ------
        ParameterError
            If the point lies so close to the boundary that 256 bits do not decide it, and ``bound``
            does not help.
        """
        exact = exact_vector(point, self.dimension)
        one = lcm(*(x.denominator for x in exact))
        whole = [int(x * one) for x in exact]
        for bits in _PRECISIONS:
            scaled = [x << bits for x in whole]
            verdict = self.decide(scaled, scaled, one << bits)
            if verdict is None and bits == _PRECISIONS[0] and self.bound(exact) <= 1:
                return True
            if verdict is not None:
                return verdict
        raise ParameterError("point is too close to the boundary of this ball to decide")

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The norm where simple numbers show it, else an upper bound one millionth above it.

        The norm is algebraic. For differences of records on the boundary, with entries of small
        denominators, it is exactly 1. That the bound is one is checked in integers; how far above
        the norm it is, is the word of the solver, in doubles or, beside some edges, where their
        digits run out, in decimals (a second for four columns, ten for six).
        """
        u = [Fraction(x) for x in point]
        largest = max(abs(x) for x in u)
        if largest == 0:
            return Fraction(0)
        unit = [x / largest for x in u]
        found = self._bounds(unit)
        if found is not None:
            exact = relaxation(*self._model)
            high = Fraction(found.high) * (1 + _SLACK)
            for most in _DENOMINATORS:
                entries = [Fraction(x).limit_denominator(most) for x in found.entries]
                norm = Fraction(found.high).limit_denominator(most)
                if norm <= high and exact.is_difference(entries, norm, unit):
                    return largest * norm
            norm = high
            scaled = [x / norm for x in unit]
            one = lcm(*(x.denominator for x in scaled))
            whole = [int(x * one) for x in scaled]
            if self._certified(whole, whole, one):
                return largest * norm
        return sum((abs(x) for x in u), Fraction(0))  # an axis of length 1 has norm 1 / 2

    def _bounds(self, unit: Sequence[Fraction]) -> Bounds | None:
        """What doubles say of the norm, or decimals where their gap stays open."""
        found = barrier(*self._model, decimals=False).bounds(unit, _GAP)
        if found is not None and float(found.high - found.low) <= _NEAR * float(found.high):
            return found
        return barrier(*self._model, decimals=True).bounds(unit, Decimal(_GAP)) or found

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """The worst corner, or the sum over the axes, as for every ball."""
        return Ball.box_sensitivity(self, widths)

    def check_sampler(self) -> None:
        """Refuse more columns than rejection can take.

        Raises
        ------
        ParameterError
            Above five features and a response.
        """
        m, squares = self._model
        if m + len(squares) > _MOST:
            raise ParameterError(
                f"ball 'sdp' cannot be drawn from in reasonable time with {m} columns and "
                f"{len(squares)} squares, only up to {_MOST} of both together: use 'blocks' or "
                "the mechanism ConeLaplace()"
            )

    def uniform(self, source: BitSource) -> RealVector:
        """A uniform point, from the points of ``cycles``."""
        return draw_moments(self._body, source, self._certified)

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles, to about 1e-7."""
        u = np.asarray(points, dtype=float)
        rows = [self._norm(row) for row in u.reshape(-1, self.dimension)]
        return np.array(rows).reshape(u.shape[:-1])

    def _norm(self, row: Floats) -> float:
        largest = float(np.abs(row).max())
        if largest == 0:
            return 0.0
        found = barrier(*self._model, decimals=False).bounds(
            [Fraction(float(x)) for x in row / largest], 1e-7
        )
        return float("nan") if found is None else largest * (found.low + found.high) / 2

    @property
    def volume(self) -> float:
        """That of ``cycles`` times the sampled ratio."""
        outer = MomentBall("cycles", self._space)
        return outer.volume * volume_ratio(self, outer, 1000)[0]
