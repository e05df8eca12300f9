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
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.losses import SlopeTable

GRADIENT_BITS = 30
BOUND = 1 << GRADIENT_BITS
# Sums of this many gradients are exact in float64, in any order.
_CHUNK = 1 << (53 - GRADIENT_BITS)


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
        self.count = len(x)
        self._table = table
        self._x = x * step * table.per_unit
        self._t = (t - table.limit) * table.per_unit
        self._weight = x / reach * BOUND

    def at(self, point: int) -> NDArray[np.float64]:
        """The gradients at a lattice point: whole numbers in [-2**30, 2**30] as floats."""
        found = self._x * float(point)
        found -= self._t
        found = self._table.at(found)
        found *= self._weight
        return np.rint(found, out=found)

    def __repr__(self) -> str:
        return "Gradients(NOT PRIVATE)"


def total(gradients: NDArray[np.float64]) -> int:
    """The exact sum."""
    if len(gradients) <= _CHUNK:
        return int(gradients.sum())
    return sum(int(gradients[i : i + _CHUNK].sum()) for i in range(0, len(gradients), _CHUNK))


def least_total(gradients: NDArray[np.float64], level: int, relation: str) -> int:
    """The least sum after at most ``level`` changed records of size at most 2**30 each.

    Add-remove: a record with gradient -bound is added each time; removing one never does more.
    Replace-one: the largest gradients turn into -bound. Edit: the largest go, unless negative, and
    as many records with -bound come.
    """
    if level == 0:
        return total(gradients)
    if relation == "add-remove":
        return total(gradients) - level * BOUND
    count = len(gradients)
    if level >= count:
        kept = gradients[:0] if relation == "replace-one" else gradients[gradients < 0]
    else:
        parted = np.partition(gradients, count - level)
        kept = parted[: count - level]
        if relation == "edit":
            return total(kept) + total(np.minimum(parted[count - level :], 0.0)) - level * BOUND
    gone = min(level, count) if relation == "replace-one" else level
    return total(kept) - gone * BOUND


class LevelSets:
    """NOT PRIVATE. ``upper(l)`` and ``lower(l)`` as lattice points in [low, high]."""

    def __init__(
        self, at: Callable[[int], NDArray[np.float64]], relation: str, low: int, high: int
    ) -> None:
        self._at, self._relation = at, relation
        self._low, self._high = low, high
        # roots by signed level: upper(l) at l, lower(l) at -l; levels and roots both ascending
        self._levels: list[int] = []
        self._roots: list[int] = []
        # under add-remove one sum serves every level: points and sums, both ascending
        self._points: list[int] = []
        self._sums: list[int] = []

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
        # the roots of the neighbouring levels enclose this one
        low = self._roots[place - 1] if place else self._low - 1
        high = self._roots[place] + 1 if place < len(self._levels) else self._high + 1
        if self._relation == "add-remove":
            found = self._search_sums(level * BOUND, low, high)
        else:
            guess = low
            if len(self._levels) > 1:
                near = slice(max(0, place - 2), place + 2)
                guess = _inverse(self._levels[near], self._roots[near], level)
            found = self._search(level, low, high, guess)
        self._levels.insert(place, level)
        self._roots.insert(place, found)
        return found

    def _search_sums(self, target: int, low: int, high: int) -> int:
        """The largest point with sum <= target, by interpolation between all known sums."""
        turn = 0
        points, sums = self._points, self._sums
        while True:
            place = bisect_right(sums, target)
            if place:
                low = max(low, points[place - 1])
            if place < len(points):
                high = min(high, points[place])
            if high - low <= 1:
                return max(low, self._low)
            turn += 1
            if len(points) < 2:
                point = self._high if points else self._low
            elif turn % 4 == 0:
                point = (low + high) // 2
            else:
                near = slice(max(0, place - 2), place + 2)
                point = int(_inverse(sums[near], points[near], target) // 1)
            point = min(max(point, low + 1, self._low), high - 1)
            place = bisect_left(points, point)
            points.insert(place, point)
            sums.insert(place, total(self._at(point)))

    def _search(self, level: int, low: int, high: int, guess: float) -> int:
        """The same where every level has its own sums."""
        points: list[int] = []
        sums: list[int] = []
        turn = 0
        while high - low > 1:
            turn += 1
            if turn % 4 == 0:
                point = (low + high) // 2
            elif len(points) > 1:
                place = bisect_right(sums, 0)
                near = slice(max(0, place - 2), place + 2)
                point = int(_inverse(sums[near], points[near], 0) // 1)
            else:
                point = int(guess) + (0 if not points else 64 if sums[0] <= 0 else -64)
            point = min(max(point, low + 1), high - 1)
            value = self._extreme(point, level)
            place = bisect_left(points, point)
            points.insert(place, point)
            sums.insert(place, value)
            if value <= 0:
                low = point
            else:
                high = point
        return max(low, self._low)

    def _extreme(self, point: int, level: int) -> int:
        gradients = self._at(point)
        if level >= 0:
            return least_total(gradients, level, self._relation)
        return -least_total(-gradients, -level, self._relation)


def _inverse(values: Sequence[int], points: Sequence[int], target: int) -> float:
    """Where a rising function takes the value ``target``: the polynomial of points in values."""
    origin = points[0]
    found = [float(point - origin) for point in points]
    gaps = [float(value - target) for value in values]
    size = len(found)
    for width in range(1, size):
        for i in range(size - width):
            gap = gaps[i + width] - gaps[i]
            if gap <= 0:  # equal values: there is no polynomial
                return float(points[i])
            found[i] = (found[i] * gaps[i + width] - found[i + 1] * gaps[i]) / gap
    return origin + found[0] if isfinite(found[0]) else float(origin)
