"""The law of an interval about a released value: the narrowest that surely holds the statistic.

Radii d_0 < ... < d_m give nested intervals I_j = [v - d_j, v + d_j], cut to the public range, of
which the last is all of it. With c(j) the number of records that must change for the statistic to
leave I_j, and for a statistic outside of it 1 less the number that brings it inside, the walk asks
j = m - 1, m - 2, ..., 0, and j fires if V_j - c(j) >= T - margin. The answer is the interval
*before* the one that fires; I_0 if none does. c is integer, moves by at most 1 between neighbours
and is at most 0 where the statistic lies outside (``docs/proofs/with-interval.md``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from leastnoise.laws.first_firing import Certain, enclose_indices
from leastnoise.randomness import BitSource
from leastnoise.sampling.above_threshold import HeightLaw, draw_index

Ends = tuple[int, int]


@dataclass(frozen=True, repr=False)
class NestedLaw:
    """NOT PRIVATE. Both ends, as lattice points.

    ``upper(l)`` and ``lower(l)`` bound the statistic after l changes; they are read up to
    ``depth`` and are the ends of the public range ``limits`` beyond. ``value`` lies in the range.
    """

    upper: Callable[[int], int]
    lower: Callable[[int], int]
    limits: Ends
    value: int
    radii: Sequence[int]
    margin: int
    depth: int
    e1: Fraction
    e2: Fraction

    def draw(self, source: BitSource) -> Ends:
        """One exact draw."""
        return self._answer(draw_index(self._stream, source))

    def enclosures(self, bits: int = 128) -> dict[Ends, Certain]:
        """Certified bounds on the probability of every pair of ends (few radii only)."""
        stream, found = self._stream, dict[Ends, Certain]()
        heights = [stream.height(i) for i in range(stream.count)]
        masses = enclose_indices(heights, self.e1, self.e2, bits)
        for index, (low, high) in zip((*range(stream.count), None), masses, strict=True):
            ends = self._answer(index)
            least, most = found.get(ends, (Fraction(0), Fraction(0)))
            found[ends] = least + low, most + high
        return found

    def _interval(self, place: int) -> Ends:
        low, high = self.limits
        return (
            max(low, self.value - self.radii[place]),
            min(high, self.value + self.radii[place]),
        )

    def _answer(self, fired: int | None) -> Ends:
        return self._interval(0 if fired is None else len(self.radii) - 1 - fired)

    @cached_property
    def _stream(self) -> HeightLaw:
        """Candidate i stands for the interval len(radii) - 2 - i."""
        asked = len(self.radii) - 1
        low, high = self.limits

        @cache
        def bounds(level: int) -> Ends:
            if level > self.depth:
                return low, high
            return self.lower(level), self.upper(level)

        def at_least(place: int, count: int) -> bool:
            """Whether c(place) >= count."""
            left, right = self._interval(place)
            least, most = bounds(count - 1 if count > 0 else 1 - count)
            if count > 0:
                return left <= least and most <= right
            return left <= most and least <= right

        def first_below(height: int) -> int:
            count = height + self.margin
            return asked - bisect_left(range(asked), True, key=lambda j: at_least(j, count))

        def height(index: int) -> int:
            place = asked - 1 - index
            # c lies between -depth and depth + 1: beyond the depth nothing is held
            counts = range(-self.depth, self.depth + 2)
            holds = bisect_left(counts, True, key=lambda c: not at_least(place, c))
            return counts[holds - 1] - self.margin

        return HeightLaw(asked, first_below, height, self.e1, self.e2)
