"""Symmetric polytopes with rational vertices or facets, exact throughout.

A hull algorithm in doubles only *proposes* which vertices lie on which facets. Every facet is then
solved for in rationals, and every vertex is checked against every facet, so the facets are true
ones. If, besides, the proposed simplices close up (every ridge belongs to exactly two), they cover
the whole boundary, and with the origin they cut the polytope into simplices: the volume is exact,
and a uniform point needs no rejection.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import factorial, lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leastnoise.errors import ParameterError
from leastnoise.geometry.ball import Ball, Exact, Floats, exact_rows, exact_vector
from leastnoise.geometry.rational import determinant, solve
from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict, rejected, simplex_point
from leastnoise.sampling.reals import RealVector

Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class _Hull:
    """Facet normals a with a . x <= 1, the vertices used, and the simplices of the boundary."""

    facets: tuple[Point, ...]
    vertices: tuple[Point, ...]
    simplices: tuple[tuple[int, ...], ...]
    closed: bool


class Polytope(Ball):
    """A symmetric polytope, from points or from facets; the mirror images are added.

    Parameters
    ----------
    points : list of points, optional
        Exact numbers, shape (k, d): the convex hull of the points and their negatives.
    facets : list of normals, optional
        Shape (k, d): {v : |a . v| <= 1 for every normal a}. Give one of the two.
    name : str, optional
        What a record shows. Default: every point or facet.

    Raises
    ------
    ParameterError, ParameterTypeError
        If an argument is not a list of points, the points do not span all coordinates, or the
        facets do not bound a polytope.

    Examples
    --------
    >>> diamond = Polytope(points=[(1, 0), (0, 1)])
    >>> diamond.exact_volume, diamond.norm((1, 1))
    (Fraction(2, 1), 2.0)
    """

    def __init__(
        self,
        points: Iterable[Iterable[object]] | None = None,
        *,
        facets: Iterable[Iterable[object]] | None = None,
        name: str | None = None,
    ) -> None:
        if (points is None) == (facets is None):
            raise ParameterError("Polytope needs either points or facets")
        named = (points, "points") if facets is None else (facets, "facets")
        given = exact_rows(*named)
        if not given or not given[0]:
            raise ParameterError("Polytope needs at least one point of at least one coordinate")
        self._size = len(given[0])
        kind = "a point" if facets is None else "a facet"
        exact = [exact_vector(p, self._size, kind) for p in given]
        self._given = _symmetric(exact)
        self._by_facets = facets is not None
        self._name = name
        # the hull of the facets' normals is the polar body: its facets are our vertices
        hull = _hull(self._given, self._size)
        self._polar = hull
        rows = self._given if self._by_facets else hull.facets
        scale = lcm(*(x.denominator for row in rows for x in row))
        # one row of each pair a, -a
        halves = sorted({max(row, tuple(-x for x in row)) for row in rows})
        self._rows = [[int(x * scale) for x in row] for row in halves]
        self._scale = scale

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._size

    @property
    def name(self) -> str:
        """The ball as a record shows it: every vertex or facet, one of each pair."""
        if self._name:
            return self._name
        halves = sorted({max(p, tuple(-x for x in p)) for p in self._given})
        listed = "; ".join(" ".join(map(str, p)) for p in halves)
        return f"polytope with {'facets' if self._by_facets else 'points'} +-[{listed}]"

    @cached_property
    def facets(self) -> tuple[Point, ...]:
        """Normals a with a . v <= 1, both signs, exact."""
        return self._given if self._by_facets else self._polar.facets

    @cached_property
    def vertices(self) -> tuple[Point, ...]:
        """The vertices, both signs, exact."""
        return self._polar.facets if self._by_facets else self._polar.vertices

    @cached_property
    def _solid(self) -> _Hull:
        """The simplices of the boundary of this polytope (not of its polar)."""
        return _hull(self.vertices, self._size) if self._by_facets else self._polar

    def content(self) -> tuple[object, ...] | None:
        """The points or facets that were given."""
        return (self._by_facets, self._given)

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The norm: the largest |a . point|."""
        best = max(abs(sum(c * x for c, x in zip(row, point, strict=True))) for row in self._rows)
        return Fraction(best) / self._scale

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """Facet by facet, exact."""
        rows = (sum(abs(c) * w for c, w in zip(row, widths, strict=True)) for row in self._rows)
        return Fraction(max(rows)) / self._scale

    @property
    def orthant_monotone(self) -> bool:
        """Decided exactly where all vertices are known: whether, with a 0, they stay inside."""
        return self._orthant_monotone

    @cached_property
    def _orthant_monotone(self) -> bool:
        shrunk = (
            [0 if i == j else y for j, y in enumerate(vertex)]
            for vertex in self.vertices
            for i, x in enumerate(vertex)
            if x
        )
        return self._polar.closed and all(self.bound(point) <= 1 for point in shrunk)

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """Facet by facet in integers."""
        limit = one * self._scale
        found: Verdict = True
        for row in self._rows:
            least = most = 0
            for c, a, b in zip(row, low, high, strict=True):
                if c > 0:
                    least, most = least + c * a, most + c * b
                elif c:
                    least, most = least + c * b, most + c * a
            if least > limit or -most > limit:
                return False
            if most > limit or -least > limit:
                found = None
        return found

    @property
    def half_widths(self) -> tuple[Fraction, ...]:
        """The largest coordinate of a vertex in each axis."""
        return self._widths

    @cached_property
    def _widths(self) -> tuple[Fraction, ...]:
        return tuple(max(v[i] for v in self.vertices) for i in range(self._size))

    @cached_property
    def _cones(self) -> tuple[list[int], list[tuple[int, ...]]] | None:
        """Cumulated whole weights of the simplices with the origin, or None if not closed."""
        solid = self._solid
        if not solid.closed:
            return None
        exact = [abs(determinant([solid.vertices[i] for i in s])) for s in solid.simplices]
        scale = lcm(*(w.denominator for w in exact))
        return list(accumulate(int(w * scale) for w in exact)), list(solid.simplices)

    @property
    def exact_volume(self) -> Fraction:
        """The volume, exact.

        Raises
        ------
        ParameterError
            If the simplices proposed by the hull algorithm do not close up.
        """
        if not self._solid.closed:
            raise ParameterError("the boundary of this polytope could not be cut into simplices")
        solid = self._solid
        total = sum(
            (abs(determinant([solid.vertices[i] for i in s])) for s in solid.simplices),
            Fraction(0),
        )
        return total / factorial(self._size)

    @property
    def volume(self) -> float:
        """The volume; exact but for the last rounding."""
        return float(self.exact_volume) if self._solid.closed else super().volume

    def check_sampler(self) -> None:
        """Immediate where the boundary was cut into simplices, else by rejection from the box."""
        if self._cones is None:
            super().check_sampler()

    def uniform(self, source: BitSource) -> RealVector:
        """A uniform point: of a simplex drawn by its exact volume, or by rejection."""
        cones = self._cones
        if cones is None:
            return rejected(self.half_widths, self.decide, source)
        heights, simplices = cones
        chosen = simplices[bisect_right(heights, source.below(heights[-1]))]
        return simplex_point([self._solid.vertices[i] for i in chosen], source)

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles."""
        rows = np.array(self._rows, dtype=float) / float(self._scale)
        return np.abs(np.asarray(points, dtype=float) @ rows.T).max(axis=-1)

    def support(self, direction: Sequence[Any]) -> float:
        """The largest product with a vertex."""
        corners = np.array([[float(x) for x in v] for v in self.vertices])
        return float((corners @ np.asarray(direction, dtype=float)).max())

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: uniform points in doubles, for studies."""
        cones = self._cones
        if cones is None:
            return super().sample(count, rng)
        heights, simplices = cones
        weights = np.diff(np.array([0, *heights], dtype=float))
        chosen = rng.choice(len(simplices), size=count, p=weights / weights.sum())
        corners = np.array([[float(x) for x in v] for v in self._solid.vertices])
        shares = rng.dirichlet(np.ones(self._size + 1), size=count)[:, 1:]
        return np.einsum("ij,ijk->ik", shares, corners[np.array(simplices)[chosen]])


def _symmetric(points: Sequence[Sequence[Fraction]]) -> tuple[Point, ...]:
    found = {tuple(p) for p in points} | {tuple(-x for x in p) for p in points}
    return tuple(sorted(p for p in found if any(p)))


def _hull(points: Sequence[Point], size: int) -> _Hull:
    """The facets of a symmetric point set, proposed in doubles and settled in rationals."""
    if size == 1:
        top = max((p[0] for p in points), default=Fraction(0))
        if not top:
            raise ParameterError("a polytope needs points that span all coordinates")
        ends = ((top,), (-top,))
        return _Hull(((1 / top,), (-1 / top,)), ends, ((0,), (1,)), True)
    from scipy.spatial import ConvexHull, QhullError

    doubles = np.array([[float(x) for x in p] for p in points])
    try:
        proposed: Any = ConvexHull(doubles)
    except (QhullError, ValueError):
        raise ParameterError("a polytope needs points that span all coordinates") from None
    used = sorted({int(i) for i in proposed.vertices})
    simplices = [tuple(int(i) for i in s) for s in proposed.simplices]
    normals: dict[tuple[int, ...], Point] = {}
    found: set[Point] = set()
    good = True
    for simplex in simplices:
        normal = solve([points[i] for i in simplex], [1] * size)
        if normal is None:
            good = False
            continue
        key = tuple(normal)
        if key not in found:
            # exact and outward: the largest product over all points is 1, else rescale to it;
            # doubles only leave out points that are far inside
            near = np.flatnonzero(doubles @ np.array([float(a) for a in normal]) > 1 - 1e-6)
            kept_points = (points[int(i)] for i in near)
            most = max(sum(a * x for a, x in zip(normal, p, strict=True)) for p in kept_points)
            if most != 1:
                good = False
                key = tuple(a / most for a in normal)
            found.add(key)
        normals[simplex] = key
    facets = tuple(sorted(found | {tuple(-a for a in f) for f in found}))
    ridges = Counter(frozenset(s[:i] + s[i + 1 :]) for s in simplices for i in range(size))
    closed = good and len(normals) == len(simplices) and set(ridges.values()) == {2}
    # only the points of the hull are needed further on
    place = {i: k for k, i in enumerate(sorted({*used, *(i for s in simplices for i in s)}))}
    kept = tuple(points[i] for i in place)
    return _Hull(facets, kept, tuple(tuple(place[i] for i in s) for s in simplices), closed)
