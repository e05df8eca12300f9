"""The joint law of the two ends of a quantile's confidence interval.

Candidates t_0 < ... < t_m hold every record between t_0 and t_m. Two searches with
independent noise, each an AboveThreshold over counts:

    lower end: #{x < t_i} - a, i = 1, ..., m; the first i that fires gives t_(i-1), none t_m;
    upper end: #{x > t_k} - b, k = m - 1, ..., i; the first k that fires gives t_(k+1), none t_i
               (t_m if the lower end found none).

The *previous* candidate is what makes an interval cover where data fall between candidates.
Privacy and coverage: ``docs/proofs/quantile-interval.md``. Source: errata 4.12.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from leastnoise.laws.first_firing import Certain, enclose_indices
from leastnoise.randomness import BitSource
from leastnoise.sampling.above_threshold import HeightLaw, draw_index


class Ordered(Protocol):
    """NOT PRIVATE. Ascending records, wherever they are held."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def __getitem__(self, index: int, /) -> int:
        """One of them, by its place counted from 0."""
        ...

    def counts(self, points: Sequence[int]) -> Sequence[tuple[int, int]]:
        """For each point the number of records below it, and the number at most it."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class IntervalLaw:
    """NOT PRIVATE. ``records`` ascending, ``candidates`` ascending, ``targets`` (a, b)."""

    records: Ordered
    candidates: Sequence[int]
    targets: tuple[int, int]
    e1: Fraction
    e2: Fraction

    def draw(self, source: BitSource) -> tuple[int, int]:
        """One exact draw of (lower end, upper end) as lattice points."""
        fired = draw_index(self._lower(), source)
        start = self._start(fired)
        return self._lower_end(fired), self._upper_end(
            start, draw_index(self._upper(start), source)
        )

    def enclosures(self, bits: int = 128) -> dict[tuple[int, int], Certain]:
        """Certified bounds on the probability of every pair of ends (few candidates only)."""
        found: dict[tuple[int, int], Certain] = {}
        for fired, first in _outcomes(self._lower(), bits):
            start = self._start(fired)
            for second, chance in _outcomes(self._upper(start), bits):
                ends = self._lower_end(fired), self._upper_end(start, second)
                low, high = found.get(ends, (Fraction(0), Fraction(0)))
                found[ends] = low + first[0] * chance[0], high + first[1] * chance[1]
        return found

    def _lower(self) -> HeightLaw:
        x, t, a = self.records, self.candidates, self.targets[0]

        def first_below(height: int) -> int:
            # #{x < t_i} <= a - height, that is t_i <= x_(a - height + 1)
            count = a - height
            if count < 0:
                return 0
            if count >= len(x):
                return len(t) - 1
            return max(0, bisect_right(t, x[count]) - 1)

        def height(index: int) -> int:
            ((below, _),) = x.counts([t[index + 1]])
            return a - below

        return HeightLaw(len(t) - 1, first_below, height, self.e1, self.e2)

    def _upper(self, start: int) -> HeightLaw:
        """The stream k = m - 1, ..., start; candidate j stands for k = m - 1 - j."""
        x, t, b = self.records, self.candidates, self.targets[1]
        last, total = len(t) - 2, len(self.records)
        count = max(0, last + 1 - start)

        def first_below(height: int) -> int:
            # #{x > t_k} <= b - height, that is t_k >= x_(n - b + height)
            most = b - height
            if most < 0:
                return 0
            if most >= total:
                return count
            return min(count, max(0, last + 1 - bisect_left(t, x[total - most - 1])))

        def height(index: int) -> int:
            ((_, until),) = x.counts([t[last - index]])
            return b - (total - until)

        return HeightLaw(count, first_below, height, self.e1, self.e2)

    def _start(self, fired: int | None) -> int:
        return len(self.candidates) if fired is None else fired + 1

    def _lower_end(self, fired: int | None) -> int:
        return self.candidates[-1 if fired is None else fired]

    def _upper_end(self, start: int, fired: int | None) -> int:
        t = self.candidates
        if fired is None:
            return t[min(start, len(t) - 1)]
        return t[len(t) - 1 - fired]


def _outcomes(law: HeightLaw, bits: int) -> list[tuple[int | None, Certain]]:
    """Certified probability of every index that may fire, and of none."""
    heights = [law.height(i) for i in range(law.count)]
    found = enclose_indices(heights, law.e1, law.e2, bits)
    return list(zip((*range(law.count), None), found, strict=True))
