"""The sensitivity space of a statistic, its convex hull, and K-norm sensitivities.

Definition 2.5 of Awan and Slavkovic: all differences T(x) - T(x') of neighbouring data sets. For a
sum over records it depends on the record map alone: with T(z) the contribution of one record,

* ``replace-one``: T(z) - T(z') for all records z, z',
* ``add-remove``: T(z) and -T(z),
* ``edit``: both of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leastnoise.errors import ParameterError
from leastnoise.geometry.ball import Ball, Floats, exact_rows, exact_vector
from leastnoise.geometry.polytope import Polytope
from leastnoise.params import parse_bounds, parse_count, parse_entry, parse_list, parse_relation

_TOLERANCE = 1.001
_MOST_CUTS = 400

Oracle = Callable[[Floats], tuple[float, Floats]]


class SensitivitySpace:
    """The differences that one record can make, as a symmetric set.

    Made by ``from_records``, ``from_points``, ``from_box`` or ``from_oracle``, the
    last from an ``oracle`` for its support.

    Attributes
    ----------
    points : tuple of tuples of Fraction
        Differences that are known exactly, symmetric; empty for an oracle alone.
    complete : bool
        Whether ``points`` hold every extreme difference, so that hull and sensitivities are exact.
        A sampled box gives sensitivities from below only, which must not scale any noise.
    dimension : int
        The number of coordinates d.

    Raises
    ------
    ParameterError, ParameterTypeError
        If an argument is not a list of points, is empty, or its points differ in length; from
        ``sensitivity`` if the points are only a sample.

    Notes
    -----
    Source: Awan and Slavkovic, Definition 2.5 and Theorem 3.19.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> space = geometry.SensitivitySpace.from_points([(1, 2), (2, 1)])
    >>> space.sensitivity(geometry.LpBall(1, 2)), space.hull().norm((1, 2))
    (Fraction(3, 1), 1.0)
    """

    __slots__ = ("_cuts", "_oracle", "_size", "complete", "points")

    def __init__(
        self,
        points: Iterable[Iterable[object]],
        *,
        complete: bool,
        dimension: int | None = None,
        oracle: Oracle | None = None,
    ) -> None:
        given = exact_rows(points, "points")
        if dimension is not None:
            size = parse_count(dimension, "dimension")
        else:
            size = len(given[0]) if given else 0
        if size < 1:
            raise ParameterError("a sensitivity space needs at least one point")
        exact = {tuple(exact_vector(p, size)) for p in given}
        both = exact | {tuple(-x for x in p) for p in exact}
        self.points = tuple(sorted(p for p in both if any(p)))
        self.complete, self._oracle, self._size = complete, oracle, size
        self._cuts: list[Floats] = []

    @classmethod
    def from_points(cls, points: Iterable[Iterable[object]]) -> SensitivitySpace:
        """All differences, listed; mirror images are added.

        Parameters
        ----------
        points : list of lists of exact numbers
            Shape (k, d).
        """
        return cls(points, complete=True)

    @classmethod
    def from_records(
        cls,
        record_map: Callable[[Any], Iterable[object]],
        records: Iterable[Any],
        relation: str = "replace-one",
        *,
        complete: bool = True,
    ) -> SensitivitySpace:
        """From the contribution T(z) of every possible record z.

        Parameters
        ----------
        record_map : callable
            T: a record to a vector of exact numbers.
        records : iterable
            Every record there can be (or every extreme one, if T is convex in the record).
        relation : "replace-one", "add-remove" or "edit"
            Which data sets are neighbours.

        Examples
        --------
        >>> space = SensitivitySpace.from_records(lambda z: (z, z * z), [-1, 0, 1])
        >>> space.dimension, space.sensitivity(Polytope(points=[(1, 0), (0, 1)]))
        (2, Fraction(2, 1))
        """
        images = sorted(
            {tuple(exact_vector(v, len(v))) for v in (list(record_map(z)) for z in records)}
        )
        return cls(neighbours(images, relation), complete=complete)

    @classmethod
    def from_box(
        cls,
        record_map: Callable[[Sequence[Fraction]], Iterable[object]],
        box: Sequence[tuple[object, object]],
        relation: str = "replace-one",
        *,
        levels: int = 9,
    ) -> SensitivitySpace:
        """From records on a grid of ``levels`` values an axis of a public box: a look from inside.

        Parameters
        ----------
        record_map : callable
            T: a record, a list of Fractions, to a vector of exact numbers.
        box : list of pairs
            Public limits of every column of a record.
        relation : "replace-one", "add-remove" or "edit"
            Which data sets are neighbours.
        levels : int
            At least 2.

        Notes
        -----
        The result is not ``complete``: hull and sensitivities come from below. Compare balls with
        it, but take the sensitivity of a release from a proof or from the whole space.
        """
        levels = parse_count(levels, "levels", least=2)
        axes: list[list[Fraction]] = []
        for limits in box:
            low, high = parse_bounds(limits, "box")
            axes.append([low + (high - low) * i / (levels - 1) for i in range(levels)])
        records = (list(z) for z in product(*axes))
        return cls.from_records(record_map, records, relation, complete=False)

    @classmethod
    def from_oracle(cls, dimension: int, oracle: Oracle) -> SensitivitySpace:
        """From ``oracle(c) -> (max <c, u> over the space, such a u)``, in doubles: analysis.

        Parameters
        ----------
        dimension : int
            d, at least 1.
        oracle : callable of an array of shape (d,)
            Gives a float and an array of shape (d,).
        """
        return cls((), complete=False, dimension=dimension, oracle=oracle)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._size

    def sensitivity(self, ball: Ball) -> Fraction:
        """The K-norm sensitivity, exact (rounded upwards for l2).

        Raises
        ------
        ParameterError
            If the points are only a sample.
        """
        if not self.complete:
            raise ParameterError(
                "a sampled sensitivity space bounds the sensitivity from below only; list every "
                "extreme record, or give the sensitivity from a proof"
            )
        return ball.sensitivity(self.points)

    def sensitivity_from_below(self, ball: Ball) -> float:
        """The largest norm seen, in doubles: for comparison, never for a release."""
        if not self.points:
            raise ParameterError("this space is given by an oracle and has no list of points")
        return float(ball.norms(self.floats()).max())

    def hull(self) -> Polytope:
        """The convex hull as a ball: the best one in both orders (theorem 3.19)."""
        if not self.points:
            raise ParameterError("the hull as a polytope needs points, not an oracle")
        return Polytope(points=self.points)

    def floats(self) -> Floats:
        """The points in doubles, shape (k, d)."""
        return np.array([[float(x) for x in p] for p in self.points])

    def norms(self, points: ArrayLike) -> Floats:
        """Hull norms of the rows of ``points`` in doubles, by linear programming."""
        rows = np.asarray(points, dtype=float).reshape(-1, self._size)
        return np.array([self._hull_norm(row) for row in rows])

    def _hull_norm(self, point: Floats) -> float:
        """max <c, point> over <c, u> <= 1 on the space, by cutting planes that are kept.

        With the best cut violated by a factor t, the norm lies between value / t and value; at
        t <= 1.001 their geometric mean is returned.
        """
        from scipy.optimize import linprog

        oracle = self._oracle or self._listed
        if not self._cuts:
            for axis in np.eye(self._size):
                self._cuts += [oracle(axis)[1], oracle(-axis)[1]]
        self._cuts.append(oracle(point)[1])
        while True:
            rows = np.array(self._cuts)
            found: Any = linprog(
                -point, A_ub=rows, b_ub=np.ones(len(rows)), bounds=(-1e3, 1e3), method="highs"
            )
            c = np.asarray(found.x, dtype=float)
            top, best = oracle(c)
            if top <= _TOLERANCE:
                break
            self._cuts.append(best)
        if len(self._cuts) > _MOST_CUTS:  # the axes, and those that came last
            self._cuts = self._cuts[: 2 * self._size] + self._cuts[-_MOST_CUTS // 2 :]
        return float(c @ point) / max(top, 1.0) ** 0.5

    def _listed(self, c: Floats) -> tuple[float, Floats]:
        table = self.floats()
        heights = table @ c
        best = int(np.argmax(heights))
        return float(heights[best]), table[best]

    def __repr__(self) -> str:
        """Public: nothing here depends on data."""
        kind = "complete" if self.complete else "sampled" if self.points else "oracle"
        return f"SensitivitySpace(dimension={self._size}, points={len(self.points)}, {kind})"


def neighbours(images: Sequence[tuple[Fraction, ...]], relation: str) -> list[tuple[Fraction, ...]]:
    """The differences of a sum over records with these contributions, under a relation."""
    parsed = parse_relation(relation)
    found: list[tuple[Fraction, ...]] = []
    if parsed != "add-remove":
        found += [
            tuple(x - y for x, y in zip(a, b, strict=True))
            for a in images
            for b in images
            if a != b
        ]
    if parsed != "replace-one":
        found += [tuple(p) for p in images]
    return found


def histogram_space(cells: int, relation: str = "replace-one") -> SensitivitySpace:
    """The counts of ``cells`` disjoint cells: a record is a unit vector.

    Under add-remove the hull is the l1 ball, under replace-one the differences e_i - e_j span one
    coordinate less than there are (the total is public): release ``cells`` - 1 of them.

    Parameters
    ----------
    cells : int
        At least 1, under replace-one at least 2.
    relation : "replace-one", "add-remove" or "edit"
        Which data sets are neighbours.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> space = geometry.histogram_space(3, "add-remove")
    >>> space.sensitivity(geometry.LpBall(1, 3))
    Fraction(1, 1)
    """
    cells, relation = parse_count(cells, "cells"), parse_relation(relation)
    unit = [tuple(Fraction(i == j) for j in range(cells)) for i in range(cells)]
    if relation == "replace-one":
        unit = [row[:-1] for row in unit]
    return SensitivitySpace.from_records(lambda row: row, unit, relation)


def marginals_space(levels: Sequence[int], relation: str = "add-remove") -> SensitivitySpace:
    """All one-way marginals of a table with these numbers of levels; records are level tuples.

    Each marginal gives its first levels - 1 counts; under add-remove the total count leads.

    Parameters
    ----------
    levels : list of int
        The number of levels of every column.
    relation : "replace-one", "add-remove" or "edit"
        Which data sets are neighbours.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> geometry.marginals_space([2, 3]).dimension
    4
    """
    sizes = [parse_entry(size, "levels") for size in parse_list(levels, "levels", "numbers")]
    if not all(size.denominator == 1 and size >= 1 for size in sizes):
        raise ParameterError("levels must be whole numbers of at least 1")
    levels = [int(size) for size in sizes]
    relation = parse_relation(relation)

    def image(record: Sequence[int]) -> list[int]:
        counts = [] if relation == "replace-one" else [1]
        for level, size in zip(record, levels, strict=True):
            counts += [int(level == i) for i in range(size - 1)]
        return counts

    return SensitivitySpace.from_records(image, product(*map(range, levels)), relation)
