"""Exact bounds on a variance after some records change (errata 2 and 3).

Records are counted in u = 2 Z - (low + high), so both limits are at distance W = high -
low from 0 and every quantity stays an integer; a sum of squared deviations in u is four
times that in Z. ``Spread`` answers two questions exactly:

- ``largest(r, s)``: r records deleted and s inserted so that the variance is greatest. The
  deleted ones are consecutive records around the new mean; the inserted ones go to the
  limits, (s + k)/2 to the upper and (s - k)/2 to the lower one.
- ``smallest(m)``: the least sum of squared deviations of m consecutive records, those that
  remain when the others are deleted or moved onto the mean.

Proofs: ``docs/proofs/variance.md``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.summaries.spread import SpreadSummary

Ratio = tuple[int, int]


class Spread:
    """The centred records of a summary with their prefix sums, computed at first use."""

    def __init__(self, s: SpreadSummary) -> None:
        low, high = s.limits
        self.n, self.centre, self.width = s.n, low + high, high - low
        self.total = 2 * s.total - s.n * self.centre
        self.squares = 4 * s.squares - 4 * self.centre * s.total + s.n * self.centre**2
        self._summary = s
        self._middle: _Middle | None = None
        self._ends: _Ends | None = None
        self._aside = 0  # where the last window lay, beside the first guess: a better guess

    @property
    def value(self) -> Ratio:
        """The variance in units of Z, as a pair."""
        return self._variance(self.squares, self.total, self.n)

    @staticmethod
    def _variance(squares: int, total: int, count: int) -> Ratio:
        return count * squares - total * total, 4 * count * count

    def largest(self, removed: int, added: int) -> Ratio:
        """The greatest variance after ``removed`` deletions and ``added`` insertions."""
        if self._middle is None:
            self._middle = _Middle(self._summary.middle.values, self.centre)
        count = self.n - removed + added
        search = _Search(self._middle, self.total, self.width, count, removed, added)
        first = search.start
        search.start = max(0, min(self._middle.size - removed, first + self._aside))
        squares = self.squares + added * self.width**2
        best = max(count * (squares - q) - t * t for q, t in search.candidates())
        self._aside = search.start - first
        return best, 4 * count * count

    def smallest(self, kept: int) -> int:
        """The least count * sum of squares - sum^2 of ``kept`` consecutive records."""
        if kept <= 1:
            return 0
        if self._ends is None:
            s = self._summary
            self._ends = _Ends(
                [2 * z - self.centre for z in s.smallest],
                [2 * z - self.centre for z in s.largest],
                self.total,
                self.squares,
                self.n,
            )
        return self._ends.least(self.n - kept)


class _Middle:
    """The centred middle run with its prefix sums, made little farther than they are read."""

    def __init__(self, values: Sequence[int], centre: int) -> None:
        self._values, self._centre = values, centre
        self.size = len(values)
        self.origin = bisect_left(values, -(-centre // 2))
        self.first = self.last = self.origin
        self.cover(self.origin, self.origin)

    def cover(self, start: int, stop: int) -> None:
        """Have the records from ``start`` to before ``stop`` at hand, and half as many beside."""
        if self.first <= start and stop <= self.last and self.first < self.last:
            return
        room = max(128, max(stop - start, self.last - self.first) // 4)
        self.first = max(0, min(start, self.first) - room)
        self.last = min(self.size, max(stop, self.last) + room)
        self.values = [2 * z - self._centre for z in self._values[self.first : self.last]]
        self.sums = list(accumulate(self.values, initial=0))
        self.squares = list(accumulate((u * u for u in self.values), initial=0))

    def window(self, start: int, size: int) -> tuple[int, int]:
        """Sum and sum of squares of ``size`` records."""
        self.cover(start, start + size)
        i = start - self.first
        j = i + size
        return self.sums[j] - self.sums[i], self.squares[j] - self.squares[i]


class _Search:
    """Candidates for the deleted window and the split of the insertions.

    For a split k (k = number at the upper limit less number at the lower one) and a window that
    starts at i, the new sum is T = total - window + k W. Moving the window up by one changes the
    sum of squared deviations by d (m_i + m_(i+1) - x_i - x_(i+r)), d >= 0, m the new means, and
    this bracket falls with i: the best window of a split is where it turns. Its sum T_k rises with
    k, and |T_k| < W holds for the best split unless none reaches it, so only those splits and
    their two neighbours are candidates.
    """

    def __init__(
        self, middle: _Middle, total: int, width: int, count: int, removed: int, added: int
    ) -> None:
        self.middle, self.total, self.width = middle, total, width
        self.count, self.removed, self.added = count, removed, added
        # a start near the value 0, where most splits end up
        self.start = min(middle.origin, middle.size - removed)
        self.start = max(0, self.start - removed // 2)

    def candidates(self) -> list[Ratio]:
        """(sum of squares of the window, new sum T) of every split that can be best."""
        if not self.added:
            return [self._best_window(0)]
        found: dict[int, Ratio] = {}
        k = self._reaching_split()
        found[k] = self._best_window(k)
        while found[k][1] >= self.width and k > -self.added:
            k -= 2
            found[k] = self._best_window(k)
        while found[k][1] < self.width and k < self.added:
            k += 2
            found[k] = self._best_window(k)
        k = min(found)
        while found[k][1] > -self.width and k > -self.added:
            k -= 2
            found[k] = self._best_window(k)
        return list(found.values())

    def _reaching_split(self) -> int:
        """A split whose sum is near 0: a guess, corrected by the caller."""
        k = -(self.total - self.middle.window(self.start, self.removed)[0]) // self.width
        k += (k + self.added) & 1
        return max(-self.added, min(self.added, k))

    def _best_window(self, split: int) -> Ratio:
        """The window after whose start the bracket is no longer positive."""
        middle, r, count = self.middle, self.removed, self.count
        total = self.total + split * self.width
        last = middle.size - r
        start = 0
        if r and last:

            def rises(start: int) -> bool:
                middle.cover(start, start + r + 1)
                i = start - middle.first
                j = i + r
                low, high = middle.values[i], middle.values[j]
                now = total - middle.sums[j] + middle.sums[i]
                return 2 * now - high + low > count * (low + high)

            start = _first_false(rises, last, self.start)
            self.start = start
        window, squares = middle.window(start, r)
        return squares, total - window


def _first_false(rises: Any, end: int, guess: int) -> int:
    """The first i in [0, end] at which a falling predicate is False (end: none), from a guess."""
    guess = min(guess, end)
    low, high, jump = 0, end, 1
    if guess < end and rises(guess):
        low = guess + 1
        while low < end and low + jump < end and rises(low + jump):
            low += jump + 1
            jump *= 2
        high = min(end, low + jump)
    else:
        high = guess
        while high > 0 and not rises(max(0, high - jump)):
            high = max(0, high - jump)
            jump *= 2
        low = 0 if high == 0 else max(0, high - jump)
    while low < high:
        middle = (low + high) // 2
        if rises(middle):
            low = middle + 1
        else:
            high = middle
    return low


class _Ends:
    """Windows that leave i of the smallest and l - i of the largest records out."""

    def __init__(
        self, smallest: list[int], largest: list[int], total: int, squares: int, n: int
    ) -> None:
        self.total, self.squares, self.n = total, squares, n
        self.low = list(accumulate(smallest, initial=0))
        self.high = list(accumulate(largest, initial=0))
        self.low_squares = list(accumulate((u * u for u in smallest), initial=0))
        self.high_squares = list(accumulate((u * u for u in largest), initial=0))
        # the same about the mean, in floats: they only drop windows that are far from the least
        mean = total // n
        ends = [_about(mean, row) for row in (smallest, largest)]
        self._sums = [np.concatenate([[0.0], np.cumsum(row)]) for row in ends]
        self._floats = [np.concatenate([[0.0], np.cumsum(row * row)]) for row in ends]
        self._slack = (len(smallest) + 64) * 2.0**-50
        self._float_squares = float(squares - 2 * mean * total + n * mean * mean)
        self._float_total = float(total - n * mean)

    def least(self, removed: int) -> int:
        """min over i of kept * squares - sum^2, exact."""
        kept = self.n - removed
        best: int | None = None
        for i in self._near_least(removed, kept):
            j = removed - i
            total = self.total - self.low[i] - self.high[j]
            squares = self.squares - self.low_squares[i] - self.high_squares[j]
            value = kept * squares - total * total
            best = value if best is None or value < best else best
        return 0 if best is None else best

    def _near_least(self, removed: int, kept: int) -> list[int]:
        """Windows whose float value is within far more than the float error of the least."""
        low, high = (row[: removed + 1] for row in self._floats)
        low_sum, high_sum = (row[: removed + 1] for row in self._sums)
        squares = self._float_squares - low - high[::-1]
        total = self._float_total - low_sum - high_sum[::-1]
        values = squares - total * total / kept
        # a float sum of k terms is within k 2^-52 of its size, none of which exceeds the squares
        near = values <= values.min() + self._float_squares * self._slack
        found: list[int] = near.nonzero()[0].tolist()
        return found


def _about(mean: int, row: list[int]) -> NDArray[np.float64]:
    """Sorted integers less the mean: integers where doubles would lose their last digits."""
    if row and max(abs(row[0]), abs(row[-1]), abs(mean)) >= 2**53:
        return np.array([float(u - mean) for u in row])
    return np.array(row, dtype=np.float64) - float(mean)
