"""The balls of l_p, and ellipsoids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, isqrt, lgamma, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leastnoise.errors import ParameterError, quoted
from leastnoise.geometry.ball import Ball, Exact, Floats
from leastnoise.geometry.combined import Linear
from leastnoise.numbers import as_fraction
from leastnoise.params import parse_count, parse_list
from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import (
    Verdict,
    cross_polytope_point,
    cube_point,
    euclidean_point,
    rejected,
    sizes,
)
from leastnoise.sampling.reals import RealVector

_ROOT_BITS = 128


@dataclass(frozen=True, slots=True)
class LpBall(Ball):
    """{v : ||v||_p <= 1} in d coordinates.

    Parameters
    ----------
    p : number or inf
        p >= 1; ``math.inf`` or ``"inf"`` for the cube.
    dimension : int
        d >= 1.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; from the exact members if p is neither whole nor inf.

    Notes
    -----
    Exact samplers: p = 1, 2 and infinity in any dimension, other whole p by rejection from the
    cube. Another p can be compared but not released. Volume: 2^d Gamma(1 + 1/p)^d /
    Gamma(1 + d/p) (Wang 2005; proposition 3.21 of Awan and Slavkovic).

    Examples
    --------
    >>> LpBall(1, 2).norm((1, -2)), round(LpBall("inf", 3).volume, 9)
    (3.0, 8.0)
    """

    p: Any
    dimension: int  # pyright: ignore[reportIncompatibleMethodOverride]  # a field for a property

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", parse_count(self.dimension, "dimension"))
        order = self.p
        if order == inf or order == "inf":
            object.__setattr__(self, "p", inf)
            return
        try:
            exact = as_fraction(order)
        except (TypeError, ValueError):
            exact = Fraction(0)
        if exact < 1:
            raise ParameterError(f"p must be a number of at least 1 or inf, got {quoted(order)}")
        whole = exact.denominator == 1
        object.__setattr__(self, "p", int(exact) if whole else float(exact))

    @property
    def name(self) -> str:
        """The ball as a record shows it."""
        return f"l{self.p}, d={self.dimension}"

    def content(self) -> tuple[object, ...] | None:
        """The order and the dimension."""
        return (self.p, self.dimension)

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The norm; for 2 <= p < inf a root rounded upwards at 128 bits."""
        absolute = [abs(Fraction(x)) for x in point]
        if self.p == 1 or (self.dimension == 1 and not isinstance(self.p, float)):
            return sum(absolute, Fraction(0))
        if self.p == inf:
            return max(absolute)
        if isinstance(self.p, float):
            raise ParameterError(f"{self.name} has no exact norm: p must be an integer or inf")
        return _root_above(sum((x**self.p for x in absolute), Fraction(0)), self.p)

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """The norm of a corner: all corners have the same."""
        return self.bound(widths)

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """By interval arithmetic on the sum of powers."""
        if isinstance(self.p, float) and self.p != inf:
            raise ParameterError(f"{self.name} has no exact sampler: p must be an integer or inf")
        spans = [sizes(a, b) for a, b in zip(low, high, strict=True)]
        if self.p == inf:
            least, most, limit = max(s[0] for s in spans), max(s[1] for s in spans), one
        else:
            least, most = sum(s[0] ** self.p for s in spans), sum(s[1] ** self.p for s in spans)
            limit = one**self.p
        if most <= limit:
            return True
        return False if least > limit else None

    def check_sampler(self) -> None:
        """Immediate for p = 1, 2 and infinity, by rejection for other whole p, refused else."""
        if isinstance(self.p, float) and self.p != inf:
            raise ParameterError(f"{self.name} has no exact sampler: p must be an integer or inf")
        if self.p not in (1, 2, inf):
            Ball.check_sampler(self)

    @property
    def half_widths(self) -> tuple[Fraction, ...]:
        """The cube [-1, 1]^d."""
        return (Fraction(1),) * self.dimension

    def uniform(self, source: BitSource) -> RealVector:
        """A uniform point, without rejection for p = 1, 2 and infinity."""
        if self.p == inf:
            return cube_point(self.dimension, source)
        if self.p == 1:
            return cross_polytope_point(self.dimension, source)
        if self.p == 2:
            return euclidean_point(self.dimension, source)
        return rejected(self.half_widths, self.decide, source)

    @property
    def orthant_monotone(self) -> bool:
        """The norm looks at sizes only, and grows with each."""
        return True

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles."""
        return np.linalg.norm(np.asarray(points, dtype=float), ord=self.p, axis=-1)

    def support(self, direction: Sequence[Any]) -> float:
        """The dual norm."""
        dual = inf if self.p == 1 else 1 if self.p == inf else self.p / (self.p - 1)
        return float(np.linalg.norm(np.asarray(direction, dtype=float), ord=dual))

    @property
    def volume(self) -> float:
        """2^d Gamma(1 + 1/p)^d / Gamma(1 + d/p)."""
        d, part = self.dimension, 0.0 if self.p == inf else 1 / self.p
        return exp(d * (log(2) + lgamma(1 + part)) - lgamma(1 + d * part))

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: uniform points in doubles, for studies."""
        d = self.dimension
        if self.p == inf:
            return 2 * rng.random((count, d)) - 1
        # generalised normal coordinates over their norm, with radius U^(1/d)
        power = rng.gamma(1 / self.p, size=(count, d))
        points = power ** (1 / self.p) * (2 * rng.integers(0, 2, (count, d)) - 1)
        return points / self.norms(points)[:, None] * rng.random((count, 1)) ** (1 / d)


def _root_above(value: Fraction, order: int) -> Fraction:
    """A rational at most 2**-128 (relative to 1) above the root of a rational >= 0."""
    scaled = (value.numerator << (order * _ROOT_BITS)) // value.denominator
    root = _integer_root(scaled, order)
    exact = Fraction(root, 1 << _ROOT_BITS)
    return exact if exact**order == value else Fraction(root + 1, 1 << _ROOT_BITS)


def _integer_root(value: int, order: int) -> int:
    if order == 2:
        return isqrt(value)
    if not value:
        return 0
    guess = 1 << -(-value.bit_length() // order)
    while True:
        better = ((order - 1) * guess + value // guess ** (order - 1)) // order
        if better >= guess:
            return guess
        guess = better


def Ellipsoid(axes: Iterable[Any]) -> Linear:
    """{A u : ||u||_2 <= 1} for a rational matrix A; a flat list gives the lengths of the axes.

    Parameters
    ----------
    axes : list of d numbers, or d lists of d numbers
        Exact numbers: the half axes, all above 0, or the rows of A, which must be invertible.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``axes`` is not such a list, or the matrix cannot be inverted.

    Examples
    --------
    >>> Ellipsoid([2, 3]).norm((2, 0))
    1.0
    """
    rows = parse_list(axes, "axes", "numbers, or of lists of numbers")
    if rows and not hasattr(rows[0], "__len__"):
        size = len(rows)
        rows = [[rows[i] if i == j else 0 for j in range(size)] for i in range(size)]
    return Linear(rows, LpBall(2, len(rows)))
