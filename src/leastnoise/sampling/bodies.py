"""Uniform points of the unit balls of l1, l2 and l-infinity, and of parts of a cube by rejection.

All are real vectors refined on demand. No logarithm, sine or normal quantile is needed:

* l-infinity: independent uniforms on [-1, 1).
* l1: the spacings of d sorted uniforms are uniform on the simplex x >= 0, sum x <= 1; fair signs.
* l2: for an even number 2 m of coordinates the squared lengths of the m pairs of a uniform point
  of the sphere are spacings of m - 1 uniforms, and a point of the unit disc found by rejection
  gives the direction of a pair. Leaving out one pair of the sphere in d + 2 coordinates gives the
  ball in d (Archimedes). For odd d one pair loses one coordinate and the direction is normalised.
* Any part of a cube: uniform points of the cube until one is certainly inside. A point is refined
  until it is certainly inside or certainly outside, never replaced while undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt, lcm

from leastnoise.randomness import BitSource
from leastnoise.sampling.reals import (
    Interval,
    LazyUniforms,
    Mapped,
    RealVector,
    Scaled,
    Transformed,
    affine,
    narrowed,
)

_WORD = 64
Verdict = bool | None
# Lower and upper ends of coordinates in units of 1 / one -> inside, outside, or undecided.
Decision = Callable[[Sequence[int], Sequence[int], int], Verdict]


def cube_point(dimension: int, source: BitSource) -> RealVector:
    """A uniform point of [-1, 1)^d."""
    return affine(LazyUniforms(dimension, source))


def _ordered(uniforms: LazyUniforms) -> list[int]:
    """The indices in ascending order of the uniforms, refined until it is certain."""
    while len(set(uniforms.values)) < len(uniforms.values):
        uniforms.extend(uniforms.bits + _WORD)
    return sorted(range(len(uniforms.values)), key=uniforms.values.__getitem__)


def cross_polytope_point(dimension: int, source: BitSource) -> RealVector:
    """A uniform point of the l1 ball."""
    signs = source.bits(dimension)
    return _simplex(dimension, source, signs)


def simplex_point(vertices: Sequence[Sequence[Fraction]], source: BitSource) -> RealVector:
    """A uniform point of the simplex spanned by 0 and d vertices in d coordinates."""
    columns = list(zip(*vertices, strict=True))
    return Mapped(columns, _simplex(len(vertices), source, 0))


def _simplex(dimension: int, source: BitSource, signs: int) -> RealVector:
    uniforms = LazyUniforms(dimension, source)
    order = _ordered(uniforms)

    def function(values: Sequence[int], known: int, bits: int) -> list[Interval]:
        found: list[Interval] = []
        low, high = 0, 0
        for i, index in enumerate(order):
            k = values[index]
            least, most = narrowed(k - high, k + 1 - low, known - bits)
            found.append((-most, -least) if signs >> i & 1 else (least, most))
            low, high = k, k + 1
        return found

    return Transformed(dimension, uniforms, function, guard=2)


def _disc(source: BitSource) -> LazyUniforms:
    """Two uniforms whose point (2 U - 1, 2 W - 1) lies in the open unit disc, certainly."""
    while True:
        point = LazyUniforms(2, source)
        while (verdict := _in_disc(point)) is None:
            point.extend(point.bits + _WORD)
        if verdict:
            return point


def _in_disc(point: LazyUniforms) -> Verdict:
    whole = 1 << point.bits
    least = most = 0
    for k in point.values:
        near, far = sizes(2 * k - whole, 2 * k + 2 - whole)
        least, most = least + near * near, most + far * far
    if most < whole * whole and least > 0:
        return True
    return False if least >= whole * whole else None


def sizes(low: int, high: int) -> tuple[int, int]:
    """The least and the largest size of a number in [low, high]."""
    return (max(low, -high) if low * high > 0 else 0), max(-low, high)


class _Sphere(RealVector):
    """The first coordinates of a uniform point of the sphere, or their direction."""

    __slots__ = ("_cuts", "_discs", "_normalise", "_order", "_size")

    def __init__(self, size: int, pairs: int, normalise: bool, source: BitSource) -> None:
        """``size`` coordinates of the sphere in 2 ``pairs``; divided by their length if asked."""
        self._size, self._normalise = size, normalise
        self._cuts = LazyUniforms(pairs - 1, source)
        self._order = _ordered(self._cuts)
        self._discs = [_disc(source) for _ in range((size + 1) // 2)]

    @property
    def dimension(self) -> int:
        return self._size

    def enclose(self, bits: int) -> list[Interval]:
        need = bits + 8
        while True:
            found = self._attempt(need)
            if found is not None:
                narrow = [narrowed(low, high, need - bits) for low, high in found]
                if all(high - low <= 4 for low, high in narrow):
                    return narrow
            need += _WORD

    def _attempt(self, bits: int) -> list[Interval] | None:
        # squares of coordinates are enclosed at 2 * bits, so that isqrt gives units of 2**-bits
        known = 2 * bits + _WORD
        self._cuts.extend(known)
        edges = [self._cuts.values[i] for i in self._order]
        exact = self._cuts.bits
        squares: list[Interval] = []
        signs: list[int] = []
        low, high = 0, 0
        for disc, edge in zip(self._discs, [*edges, None][: len(self._discs)], strict=True):
            end = (1 << exact, 1 << exact) if edge is None else (edge, edge + 1)
            share = end[0] - high, end[1] - low
            low, high = end
            disc.extend(known)
            whole = 1 << disc.bits
            spans = [sizes(2 * k - whole, 2 * k + 2 - whole) for k in disc.values]
            least = sum(near * near for near, _ in spans)
            most = sum(far * far for _, far in spans)
            if not least:
                return None
            for (near, far), k in zip(spans, disc.values, strict=True):
                signs.append(1 if 2 * k >= whole else -1)
                up = 2 * bits
                low_square = (max(0, share[0]) * near * near << up) // most >> exact
                high_square = (share[1] * far * far << up) // least + 1
                squares.append((low_square, (high_square >> exact) + 1))
        squares = squares[: self._size]
        if self._normalise:
            squares = _normalised(squares, bits)
            if not squares:
                return None
        found: list[Interval] = []
        for (least, most), sign in zip(squares, signs, strict=False):
            near, far = isqrt(least), isqrt(most) + 1
            found.append((near, far) if sign > 0 else (-far, -near))
        return found


def _normalised(squares: list[Interval], bits: int) -> list[Interval]:
    least, most = sum(s[0] for s in squares), sum(s[1] for s in squares)
    if not least:
        return []
    up = 2 * bits
    return [((low << up) // most, -(-(high << up) // least)) for low, high in squares]


def sphere_direction(dimension: int, source: BitSource) -> RealVector:
    """A uniform point of the unit sphere of l2."""
    if dimension == 1:
        sign = 1 - 2 * source.bits(1)
        return Mapped([[Fraction(sign)]], _One())
    odd = dimension % 2 == 1
    return _Sphere(dimension, (dimension + odd) // 2, odd, source)


class _One(RealVector):
    """The number 1."""

    __slots__ = ()

    @property
    def dimension(self) -> int:
        return 1

    def enclose(self, bits: int) -> list[Interval]:
        return [(1 << bits, 1 << bits)]


def euclidean_point(dimension: int, source: BitSource) -> RealVector:
    """A uniform point of the l2 ball."""
    if dimension % 2 == 0:
        return _Sphere(dimension, dimension // 2 + 1, False, source)
    return Scaled(power_radius(dimension, source), sphere_direction(dimension, source))


def power_radius(dimension: int, source: BitSource) -> RealVector:
    """A radius with P(r <= t) = t^d: the largest of d uniforms."""
    uniforms = LazyUniforms(dimension, source)
    largest = _ordered(uniforms)[-1]

    def function(values: Sequence[int], known: int, bits: int) -> list[Interval]:
        k = values[largest]
        return [narrowed(k, k + 1, known - bits)]

    return Transformed(1, uniforms, function, guard=2)


def rejected(
    widths: Sequence[Fraction], decide: Decision, source: BitSource, tried: list[int] | None = None
) -> RealVector:
    """A uniform point of {v : decide(v)} inside the box of half ``widths``.

    ``tried[0]`` counts the proposals, for measurements.
    """
    shared = lcm(*(w.denominator for w in widths))
    sides = [int(w * shared) for w in widths]
    while True:
        if tried is not None:
            tried[0] += 1
        uniforms = LazyUniforms(len(sides), source)
        while True:
            whole = 1 << uniforms.bits
            low = [(2 * k - whole) * n for k, n in zip(uniforms.values, sides, strict=True)]
            high = [x + 2 * n for x, n in zip(low, sides, strict=True)]
            verdict = decide(low, high, whole * shared)
            if verdict is not None:
                break
            uniforms.extend(uniforms.bits + _WORD)
        if verdict:
            return affine(uniforms, widths)
