"""Balls made of balls: linear images, intersections, products, and user-defined membership."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.geometry.ball import Ball, Exact, Floats, as_ball, exact_rows, exact_vector
from leastnoise.geometry.measure import check_rejection
from leastnoise.geometry.rational import determinant, inverse, product
from leastnoise.params import parse_count, parse_list
from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict, rejected, sizes
from leastnoise.sampling.reals import Joined, LinearMap, Mapped, RealVector


class Linear(Ball):
    """The image {A u : u in K} of a ball under an invertible rational matrix A.

    Parameters
    ----------
    matrix : square matrix of exact numbers
        Shape (d, d).
    ball : Ball
        K.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the matrix has another shape or no inverse, or ``ball`` is not a ball.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> slanted = geometry.Linear([[1, 1], [0, 1]], geometry.LpBall("inf", 2))
    >>> slanted.norm((2, 1)), slanted.volume
    (1.0, 4.0)
    """

    __slots__ = ("_back", "_map", "_widths", "ball", "matrix")

    def __init__(self, matrix: Iterable[Iterable[object]], ball: Ball) -> None:
        size = as_ball(ball).dimension
        listed = exact_rows(matrix, "matrix")
        rows = [exact_vector(row, size, "a row of the matrix") for row in listed]
        if len(rows) != size:
            raise ParameterError(f"matrix must have {size} rows, got {len(rows)}")
        self.matrix = tuple(tuple(row) for row in rows)
        back = inverse(rows)
        if back is None:
            raise ParameterError("matrix must be invertible")
        self._back = back
        self._map = LinearMap(self.matrix)
        sides = ball.half_widths
        self._widths = tuple(
            sum((abs(c) * w for c, w in zip(row, sides, strict=True) if c), Fraction(0))
            for row in self.matrix
        )
        self.ball = ball

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.ball.dimension

    @property
    def name(self) -> str:
        """The ball as a record shows it."""
        rows = "; ".join(" ".join(map(str, row)) for row in self.matrix)
        return f"[{rows}] of ({self.ball.name})"

    def content(self) -> tuple[object, ...] | None:
        """The matrix and the ball."""
        return None if self.ball.key is None else (self.matrix, self.ball.key)

    @property
    def orthant_monotone(self) -> bool:
        """That of the ball where the matrix only scales and exchanges coordinates."""
        axes = all(sum(map(bool, row)) == 1 for row in self.matrix)
        return axes and self.ball.orthant_monotone

    def contains(self, point: Iterable[object]) -> bool:
        """Whether the pre-image lies in the ball, decided exactly."""
        return self.ball.contains(product(self._back, exact_vector(point, self.dimension)))

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The bound of the pre-image."""
        return self.ball.bound(product(self._back, point))

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """The decision on a box around the pre-image."""
        scale = lcm(*(entry.denominator for row in self._back for entry in row))
        ends: list[tuple[int, int]] = []
        for row in self._back:
            whole = [int(entry * scale) for entry in row]
            ends.append(
                (
                    sum(c * (a if c >= 0 else b) for c, a, b in zip(whole, low, high, strict=True)),
                    sum(c * (b if c >= 0 else a) for c, a, b in zip(whole, low, high, strict=True)),
                )
            )
        return self.ball.decide([e[0] for e in ends], [e[1] for e in ends], one * scale)

    @property
    def half_widths(self) -> tuple[Fraction, ...]:
        """The image of the box around K."""
        return self._widths

    def check_sampler(self) -> None:
        """That of the ball."""
        self.ball.check_sampler()

    def uniform(self, source: BitSource) -> RealVector:
        """The image of a uniform point of K."""
        return Mapped(self._map, self.ball.uniform(source))

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles."""
        back = np.array([[float(c) for c in row] for row in self._back])
        return self.ball.norms(np.asarray(points, dtype=float) @ back.T)

    def support(self, direction: Sequence[Any]) -> float:
        """The support of K in the direction A^T c."""
        return self.ball.support(list(np.asarray(direction, dtype=float) @ self._floats()))

    @property
    def volume(self) -> float:
        """|det A| times the volume of K."""
        return float(abs(determinant(self.matrix))) * self.ball.volume

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: uniform points in doubles, for studies."""
        return self.ball.sample(count, rng) @ self._floats().T

    def _floats(self) -> Floats:
        return np.array([[float(c) for c in row] for row in self.matrix])


class Intersection(Ball):
    """The points that lie in every one of several balls of one dimension.

    Parameters
    ----------
    *balls : Ball
        At least one. Points are drawn by exact rejection from the first, so give the smallest
        first.

    Raises
    ------
    ParameterError, ParameterTypeError
        If no ball is given, an argument is not a ball, or the dimensions differ.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> both = geometry.Intersection(geometry.LpBall("inf", 2), geometry.LpBall(1, 2).scaled("3/2"))
    >>> both.contains((1, "1/2")), both.contains((1, 1))
    (True, False)
    """

    __slots__ = ("balls",)

    def __init__(self, *balls: Ball) -> None:
        if not balls or len({as_ball(ball, "balls").dimension for ball in balls}) != 1:
            raise ParameterError("Intersection needs at least one ball, all of one dimension")
        self.balls = balls

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.balls[0].dimension

    @property
    def name(self) -> str:
        """The ball as a record shows it."""
        return " and ".join(f"({ball.name})" for ball in self.balls)

    def content(self) -> tuple[object, ...] | None:
        """The balls in their order."""
        keys = tuple(ball.key for ball in self.balls)
        return None if None in keys else keys

    @property
    def orthant_monotone(self) -> bool:
        """Whether all of the balls are."""
        return all(ball.orthant_monotone for ball in self.balls)

    def contains(self, point: Iterable[object]) -> bool:
        """Whether the point lies in all of the balls, decided exactly."""
        exact = exact_vector(point, self.dimension)
        return all(ball.contains(exact) for ball in self.balls)

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The largest of the norms."""
        return max(ball.bound(point) for ball in self.balls)

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """The largest over the balls."""
        return max(ball.box_sensitivity(widths) for ball in self.balls)

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """Inside all, or outside one."""
        found: Verdict = True
        for ball in self.balls:
            verdict = ball.decide(low, high, one)
            if verdict is False:
                return False
            if verdict is None:
                found = None
        return found

    @property
    def half_widths(self) -> tuple[Fraction, ...]:
        """The intersection of the boxes."""
        return tuple(min(sides) for sides in zip(*(b.half_widths for b in self.balls), strict=True))

    def check_sampler(self) -> None:
        """That of the first ball, and whether its points lie in the others often enough."""
        self.balls[0].check_sampler()
        check_rejection(self, self.balls[0])

    def uniform(self, source: BitSource) -> RealVector:
        """Uniform points of the first ball until one lies in the others."""
        first, *others = self.balls
        while True:
            point, bits = first.uniform(source), 64
            while True:
                ends = point.enclose(bits)
                low, high = [e[0] for e in ends], [e[1] for e in ends]
                verdicts = [ball.decide(low, high, 1 << bits) for ball in others]
                if False in verdicts:
                    break
                if None not in verdicts:
                    return point
                bits += 64

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles."""
        return np.max([ball.norms(points) for ball in self.balls], axis=0)


class Product(Ball):
    """The product of balls in disjoint coordinates: every part lies in its ball.

    Parameters
    ----------
    parts : pairs (ball, places)
        ``places`` are the coordinates of the ball in their order; together they are 0 .. d - 1.
    name : str, optional
        What a record shows.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the places are not 0 .. d - 1, each in one ball, or a part is not a ball.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> line, disc = geometry.LpBall("inf", 1), geometry.LpBall(2, 2)
    >>> tube = geometry.Product([(line, [0]), (disc, [1, 2])])
    >>> tube.dimension, tube.norm((1, 0, 2))
    (3, 2.0)
    """

    __slots__ = ("_name", "_size", "parts")

    def __init__(
        self, parts: Iterable[tuple[Ball, Sequence[int]]], name: str | None = None
    ) -> None:
        pairs = [parse_list(p, "parts", "pairs") for p in parse_list(parts, "parts", "pairs")]
        if any(len(pair) != 2 for pair in pairs):
            raise ParameterError("parts must be pairs (ball, places)")
        self.parts: tuple[tuple[Ball, tuple[int, ...]], ...] = tuple(
            (as_ball(ball, "parts"), tuple(parse_count(i, "places", least=0) for i in places))
            for ball, places in pairs
        )
        places = sorted(i for _, part in self.parts for i in part)
        if places != list(range(len(places))) or any(b.dimension != len(p) for b, p in self.parts):
            raise ParameterError("the places of a Product must be 0 .. d - 1, each in one ball")
        self._size = len(places)
        self._name = name

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._size

    @property
    def name(self) -> str:
        """The ball as a record shows it."""
        return self._name or " x ".join(f"({ball.name})" for ball, _ in self.parts)

    def content(self) -> tuple[object, ...] | None:
        """The parts with their places."""
        parts = tuple((ball.key, places) for ball, places in self.parts)
        return None if None in (key for key, _ in parts) else parts

    @property
    def orthant_monotone(self) -> bool:
        """Whether all of the parts are."""
        return all(ball.orthant_monotone for ball, _ in self.parts)

    def contains(self, point: Iterable[object]) -> bool:
        """Whether every part lies in its ball, decided exactly."""
        exact = exact_vector(point, self.dimension)
        return all(ball.contains([exact[i] for i in places]) for ball, places in self.parts)

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The largest norm of a part."""
        return max(ball.bound([point[i] for i in places]) for ball, places in self.parts)

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """The largest over the parts."""
        return max(b.box_sensitivity([widths[i] for i in places]) for b, places in self.parts)

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """Inside in all parts, or outside in one."""
        found: Verdict = True
        for ball, places in self.parts:
            verdict = ball.decide([low[i] for i in places], [high[i] for i in places], one)
            if verdict is False:
                return False
            if verdict is None:
                found = None
        return found

    @property
    def half_widths(self) -> tuple[Fraction, ...]:
        """The boxes of the parts."""
        found = [Fraction(0)] * self._size
        for ball, places in self.parts:
            for i, width in zip(places, ball.half_widths, strict=True):
                found[i] = width
        return tuple(found)

    def check_sampler(self) -> None:
        """That of every part."""
        for ball, _ in self.parts:
            ball.check_sampler()

    def uniform(self, source: BitSource) -> RealVector:
        """Independent uniform points of the parts."""
        return Joined([b.uniform(source) for b, _ in self.parts], [p for _, p in self.parts])

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles."""
        array = np.asarray(points, dtype=float)
        return np.max([b.norms(array[..., list(p)]) for b, p in self.parts], axis=0)

    def support(self, direction: Sequence[Any]) -> float:
        """The sum of the supports of the parts."""
        return sum(b.support([direction[i] for i in p]) for b, p in self.parts)

    @property
    def volume(self) -> float:
        """The product of the volumes."""
        return prod(ball.volume for ball, _ in self.parts)

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: uniform points in doubles, for studies."""
        found = np.empty((count, self._size))
        for ball, places in self.parts:
            found[:, list(places)] = ball.sample(count, rng)
        return found


class Custom(Ball):
    """A ball given by an exact norm of rational vectors.

    Parameters
    ----------
    norm : callable
        ``norm(point) -> Fraction``, ``point`` a list of Fractions: a norm, computed exactly. It
        must grow, or stay, with the size of every coordinate (the ball is then *unconditional*:
        it is its own mirror image in every axis), so that boxes can be decided by their corners.
    half_widths : sequence of numbers
        Half the sides of a box that contains the ball.
    name : str
        What a record shows.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``norm`` is not callable, or ``half_widths`` is not a list of numbers above 0.

    Notes
    -----
    The norm is trusted, as a statistic's own code is: a function that is not a norm, or rounds,
    breaks the guarantee. A norm that a floating-point solver computes must not be given here
    (errata 4.4).

    Examples
    --------
    >>> from leastnoise import geometry
    >>> house = geometry.Custom(lambda v: max(abs(v[0]) + abs(v[1]), 2 * abs(v[1])), [1, "1/2"])
    >>> house.norm((1, 1)), house.contains(("1/2", "1/2"))
    (2.0, True)
    """

    __slots__ = ("_name", "_norm", "_widths")

    def __init__(
        self,
        norm: Callable[[Sequence[Fraction]], Fraction],
        half_widths: Sequence[object],
        *,
        name: str = "custom",
    ) -> None:
        sides = parse_list(half_widths, "half_widths", "numbers")
        self._widths = tuple(exact_vector(sides, max(1, len(sides)), "half_widths"))
        if min(self._widths) <= 0:
            raise ParameterError("half_widths must be greater than 0")
        if not callable(norm):
            raise ParameterTypeError(f"norm must be callable, got {quoted(norm)}")
        self._norm, self._name = norm, name

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self._widths)

    @property
    def name(self) -> str:
        """The ball as a record shows it."""
        return self._name

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The norm itself."""
        return self._norm([Fraction(x) for x in point])

    @property
    def orthant_monotone(self) -> bool:
        """By the condition on its norm."""
        return True

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """The norm of a corner: the ball is its own mirror image."""
        return self.bound(widths)

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """By the corners nearest to and farthest from 0."""
        return decide_by_corners(self.bound, low, high, one)

    @property
    def half_widths(self) -> tuple[Fraction, ...]:
        """As declared."""
        return self._widths

    def uniform(self, source: BitSource) -> RealVector:
        """Exact rejection from the declared box."""
        return rejected(self._widths, self.decide, source)

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles, one by one."""
        array = np.asarray(points, dtype=float)
        flat = array.reshape(-1, self.dimension)
        found = [float(self._norm([Fraction(x) for x in row])) for row in flat.tolist()]
        return np.array(found).reshape(array.shape[:-1])


def decide_by_corners(
    bound: Callable[[Sequence[Exact]], Fraction], low: Sequence[int], high: Sequence[int], one: int
) -> Verdict:
    """The decision for a norm that grows with the size of every coordinate."""
    spans = [sizes(a, b) for a, b in zip(low, high, strict=True)]
    if bound([Fraction(far, one) for _, far in spans]) <= 1:
        return True
    return False if bound([Fraction(near, one) for near, _ in spans]) > 1 else None
