"""The sensitivity profile of a one-dimensional convex M-estimator, exactly, on an output lattice.

At the lattice point y each record i has an integer gradient G_i(y), nondecreasing in y and at most
``bound`` in size. The estimate is the largest y with sum_i G_i(y) <= 0, and with

    worst(y, l) = the least    sum of gradients at y after at most l changed records,
    best(y, l)  = the greatest sum of gradients at y after at most l changed records,

upper(l) = max{y : worst(y, l) <= 0} and lower(l) = max{y : best(y, l) <= 0}, the low end of the
range where no y qualifies. All three use the **same** side of the root: the pair max{worst <= 0},
min{best >= 0} rounds inward and loses 2.18 at epsilon = 1 (errata 3).

Neighbour law: worst(y, l + 1; x) <= worst(y, l; x') for neighbours x, x' and every y, so every y
that qualifies for upper(l) at x' qualifies for upper(l + 1) at x; mirrored for lower.
Proof page: ``docs/proofs/robust-regression.md``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from math import floor, isfinite

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.losses import SlopeTable

BOUND = 1 << 30
# For so many levels the sums of a point are kept at first.
_ENDS = 1 << 11


class Gradients:
    """NOT PRIVATE. Integer gradients x_i h'(y step x_i - t_i) / (r L), in units of 2**-30.

    ``features`` are clipped to the public bounds, ``reach`` is the largest of them in size;
    targets may be infinite. A record with a missing entry has gradient 0 everywhere.
    """

    def __init__(
        self,
        features: NDArray[np.float64],
        targets: NDArray[np.float64],
        reach: float,
        table: SlopeTable,
        step: float,
    ) -> None:
        missing = np.isnan(features) | np.isnan(targets)
        x = np.where(missing, 0.0, features)
        t = np.where(missing, 0.0, targets)
        self._table = table
        self._x = x * step * table.per_unit
        self._t = (t - table.limit) * table.per_unit
        self._weight = x / reach * BOUND

    def at(self, point: int) -> NDArray[np.int32]:
        """The gradients at a lattice point: whole numbers in [-2**30, 2**30]."""
        found = self._x * float(point)
        found -= self._t
        found = self._table.at(found)
        found *= self._weight
        return np.rint(found, out=found).astype(np.int32)

    def __repr__(self) -> str:
        return "Gradients(NOT PRIVATE)"


class Extremes:
    """NOT PRIVATE. The least and greatest sums of gradients after any number of changed records.

    Add-remove: a record with gradient -bound is added each time; removing one never does more.
    Replace-one: the largest gradients turn into -bound. Edit: the largest go, unless negative, and
    as many records with -bound come. The greatest sum is the mirror image. One sort serves every
    level up to ``ends``; sums are of integers of 32 bits in 64, so exact.
    """

    def __init__(self, gradients: NDArray[np.int32], relation: str, ends: int) -> None:
        self._count = len(gradients)
        self._total = int(gradients.sum(dtype=np.int64))
        self._relation = relation
        self._sums: dict[int, NDArray[np.int64]] = {}
        self._smallest = self._largest = gradients[:0]
        if relation == "add-remove":  # the total says it all
            return
        if self._count > 2 * ends:
            parted = np.partition(gradients, (ends - 1, self._count - ends))
            self._smallest, self._largest = np.sort(parted[:ends]), np.sort(parted[-ends:])
        else:
            self._smallest = self._largest = np.sort(gradients)

    def __repr__(self) -> str:
        return "Extremes(NOT PRIVATE)"

    def of(self, level: int) -> int:
        """The least sum after at most ``level`` changes; for a negative one the greatest."""
        if level == 0 or self._relation == "add-remove":
            return self._total - level * BOUND
        sign = 1 if level > 0 else -1
        if sign not in self._sums:
            self._sums[sign] = self._leaving(sign)
        removed = min(abs(level), self._count)
        added = removed if self._relation == "replace-one" else abs(level)
        return self._total - int(self._sums[sign][removed]) - sign * added * BOUND

    def _leaving(self, sign: int) -> NDArray[np.int64]:
        """The sum of the l largest (sign 1) or smallest gradients, l = 0, 1, ..."""
        going = self._largest[::-1] if sign > 0 else self._smallest
        if self._relation == "edit":  # a record that would help is left where it is
            going = np.maximum(going, 0) if sign > 0 else np.minimum(going, 0)
        found = np.zeros(len(going) + 1, dtype=np.int64)
        np.cumsum(going, dtype=np.int64, out=found[1:])
        return found


class LevelSets:
    """NOT PRIVATE. ``upper(l)`` and ``lower(l)`` as lattice points in [low, high]."""

    def __init__(
        self, at: Callable[[int], NDArray[np.int32]], relation: str, low: int, high: int
    ) -> None:
        self._at, self._relation = at, relation
        self._low, self._high = low, high
        # roots by signed level: upper(l) at l, lower(l) at -l; levels and roots both ascending
        self._levels: list[int] = []
        self._roots: list[int] = []
        # what is known: points, ascending, and the sums there
        self._points: list[int] = []
        self._sums: list[Extremes] = []
        self._ends = _ENDS

    def __repr__(self) -> str:
        return "LevelSets(NOT PRIVATE)"

    def upper(self, level: int) -> int:
        """The largest point that the estimate can take after at most ``level`` changes."""
        return self._root(level)

    def lower(self, level: int) -> int:
        """The smallest one."""
        return self._root(-level)

    def _root(self, level: int) -> int:
        """The largest point whose extreme sum is at most 0; negative levels: the greatest sum."""
        place = bisect_left(self._levels, level)
        if place < len(self._levels) and self._levels[place] == level:
            return self._roots[place]
        if abs(level) > self._ends and self._relation != "add-remove":
            self._ends = 2 * abs(level)
            self._points, self._sums = [], []
        # the roots of the neighbouring levels enclose this one
        low = self._roots[place - 1] if place else self._low - 1
        high = self._roots[place] + 1 if place < len(self._levels) else self._high + 1
        found = max(self._low, self._search(level, low, high))
        self._levels.insert(place, level)
        self._roots.insert(place, found)
        return found

    def _search(self, level: int, low: int, high: int) -> int:
        """The largest point in [low, high) that qualifies, by interpolation between known sums.

        low qualifies (or lies before the range), high does not.
        """
        points, sums = self._points, self._sums
        turn = 0
        while True:
            first, last = bisect_left(points, low), bisect_left(points, high)
            place = bisect_right(sums, 0, first, last, key=lambda known: known.of(level))
            if place > first:
                low = points[place - 1]
            if place < last:
                high = points[place]
            if high - low <= 1:
                return low
            turn += 1
            if len(points) < 2:
                point = self._low if points else self._high
            elif (turn < 8 and not self._roots) or (turn > 4 and turn % 3 == 0):
                point = (low + high) // 2
            else:
                start = max(0, min(place - 2, len(points) - 4))
                near = slice(start, start + 4)
                point = _inverse([known.of(level) for known in sums[near]], points[near])
            point = min(max(point, low + 1), high - 1)
            place = bisect_left(points, point)
            points.insert(place, point)
            sums.insert(place, Extremes(self._at(point), self._relation, self._ends))


def _inverse(values: Sequence[int], points: Sequence[int]) -> int:
    """Where a rising function is 0, rounded down: the polynomial of points in values."""
    origin = points[0]
    found = [float(point - origin) for point in points]
    size = len(found)
    for width in range(1, size):
        for i in range(size - width):
            gap = values[i + width] - values[i]
            if gap <= 0:  # equal values: there is no polynomial
                return points[i]
            found[i] = (found[i] * values[i + width] - found[i + 1] * values[i]) / gap
    return origin + floor(found[0]) if isfinite(found[0]) else origin
