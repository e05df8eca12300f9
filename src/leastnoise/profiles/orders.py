"""The profiles of order statistics of many tables, computed together in 64-bit words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.sampling.many_levels import WIDEST
from leastnoise.summaries.ranks import RankSummaries, RankSummary

Array = NDArray[Any]
Choice = Callable[[Any, Any], Any]

# Limits beyond this, and ranks of orders of larger denominators, might not fit into words.
_FARTHEST, _FINEST = 1 << 61, 1 << 20


class OrderProfiles:
    """NOT PRIVATE. The result of ``order_profile`` for every target of several tables.

    Number i is target i % t of table i // t, where there are t targets. ``exact``: the relation is
    "add-remove".
    """

    __slots__ = (
        "_exact",
        "_listed",
        "_middle",
        "_parts",
        "_points",
        "_read",
        "_rows",
        "ends",
        "values",
    )

    def __init__(self, summaries: RankSummaries, *, exact: bool) -> None:
        s, targets = summaries, len(summaries.at)
        self.ends, self._middle = (s.lattice.low, s.lattice.high), s.lattice.middle
        self._exact, self._rows = exact, 1
        orders = [(q.numerator, q.denominator) for q in s.at]
        top, bottom = np.tile(np.array(orders, dtype=np.int64), (len(s), 1)).T
        n = np.repeat(s.sizes, targets)
        # the record of rank r is points[first + r]
        first = s.starts - s.ranks
        k = _rank_of(top, bottom, n, np.maximum)
        self._points = s.points
        self._read: memoryview[int] = s.points.data
        self._parts = n, k, top, bottom, first, s.starts, s.stops
        self._listed: list[tuple[int, ...]] = [
            *zip(*(part.tolist() for part in self._parts), strict=True)
        ]
        self.values = np.where(n > 0, s.points[np.where(n > 0, first + k, 0)], self._middle)

    @classmethod
    def of(cls, summaries: Sequence[RankSummary], relation: str) -> OrderProfiles | None:
        """The profiles of some tables; None where words may not hold them, by public parameters."""
        s = summaries if isinstance(summaries, RankSummaries) else summaries[0]
        far = max(map(abs, (s.lattice.low, s.lattice.high))) >= _FARTHEST
        if far or s.lattice.width >= WIDEST or any(q.denominator > _FINEST for q in s.at):
            return None
        if not isinstance(summaries, RankSummaries):
            summaries = RankSummaries.of(summaries)
        return cls(summaries, exact=relation == "add-remove")

    def strided(self, rows: int) -> OrderProfiles:
        """The profiles for persons: level l is that of ``rows * l`` rows."""
        other = copy(self)
        other._rows = rows
        return other

    def reached(self, sign: int, level: int, which: Array) -> Array:
        """The upper (sign 1) or lower (-1) bounds of some profiles at a level."""
        end = self.ends[sign > 0]
        if level == 0:
            return self.values[which]
        n, k, top, bottom, first, start, stop = (part[which] for part in self._parts)
        # more rows than there are reach the end, and may be more than 64 bits hold
        rows = min(level * self._rows, int(n.max(initial=0)) + 1)
        places: Array = first + self._moved(sign, rows, (n, k, top, bottom), np.maximum, np.minimum)
        inside: Array = (start <= places) & (places < stop)
        if self._exact:
            inside &= rows <= n
        found = np.where(inside, self._points[np.where(inside, places, 0)], end)
        if self._exact:  # at this level the empty table is reached
            best = np.maximum if sign > 0 else np.minimum
            found = np.where(rows == n, best(found, self._middle), found)
        return found

    def bound(self, sign: int, level: int, which: int) -> int:
        """The bound of one profile at a level."""
        rows, end = level * self._rows, self.ends[sign > 0]
        n, k, top, bottom, first, start, stop = self._listed[which]
        if rows == 0:
            return self._read[first + k] if n else self._middle
        place: int = first + self._moved(sign, rows, (n, k, top, bottom), max, min)
        inside = start <= place < stop and not (self._exact and rows > n)
        found: int = self._read[place] if inside else end
        if self._exact and rows == n:
            return max(found, self._middle) if sign > 0 else min(found, self._middle)
        return found

    def around(self, sign: int, point: int, which: int) -> tuple[int, int, int]:
        """The first level at which the bound of one reaches a point beyond its value.

        Beside it the bounds at the level before and at this.
        """
        n, k, _, _, first, start, stop = self._listed[which]
        if sign > 0:
            place = bisect_left(self._read, point, start, stop)
            away = place - first - k
        else:
            place = bisect_right(self._read, point, start, stop) - 1
            away = k + first - place
        if self._rows == 1 and n and not self._exact:
            here = self._read[place] if start <= place < stop else self.ends[sign > 0]
            return away, self._read[place - sign], here
        level = max(1, -(-away // self._rows))
        if self._exact:

            def reaches(level: int) -> bool:
                return sign * (self.bound(sign, level, which) - point) >= 0

            most = n // self._rows  # where the empty table may reach it before the records
            level = bisect_left(range(most + 1), True, min(level, most), key=reaches)
        return level, self.bound(sign, level - 1, which), self.bound(sign, level, which)

    def _moved(
        self, sign: int, rows: int, parts: tuple[Any, ...], larger: Choice, smaller: Choice
    ) -> Any:
        """The rank, among the records that are there, that is reached by some changes of rows."""
        n, k, top, bottom = parts
        if not self._exact:
            return k + sign * rows
        # all insertions, or all deletions
        more, fewer = (_rank_of(top, bottom, n + by, larger) for by in (rows, -rows))
        if sign > 0:
            return larger(more, fewer + rows - (n == rows))
        return smaller(fewer, more - rows)


def _rank_of(top: Any, bottom: Any, n: Any, larger: Choice) -> Any:
    """``rank_of`` of integers, or of arrays of them."""
    return larger(1, -(-top * n // bottom))
