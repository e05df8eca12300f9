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
from collections.abc import Callable, Sequence
from functools import cached_property

from leastnoise.statistics.spread.sums import Ends, SpreadSums, centred, python
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
        self._middle = _Middle(s.middle.values, self.centre, self.width)

    @property
    def value(self) -> Ratio:
        """The variance in units of Z, as a pair."""
        return self._variance(self.squares, self.total, self.n)

    @staticmethod
    def _variance(squares: int, total: int, count: int) -> Ratio:
        return count * squares - total * total, 4 * count * count

    def largest(self, removed: int, added: int) -> Ratio:
        """The greatest variance after ``removed`` deletions and ``added`` insertions."""
        if not self.width:  # one lattice point
            return 0, 1
        count = self.n - removed + added
        search = _Search(self._middle, self.total, self.width, count, removed, added)
        squares = self.squares + added * self.width**2
        best = max([count * (squares - q) - t * t for q, t in search.candidates()])
        return best, 4 * count * count

    def smallest(self, kept: int) -> int:
        """The least count * sum of squares - sum^2 of ``kept`` consecutive records."""
        if kept <= 1:
            return 0
        return self._ends.least(self.n - kept)

    def shortest(self, kept: int) -> int:
        """How far the first and the last of ``kept`` consecutive records are apart at least."""
        return self._ends.shortest(self.n - kept)

    @cached_property
    def _ends(self) -> Ends:
        s = self._summary
        low, high = (centred(v, self.centre, self.width) for v in (s.smallest, s.largest))
        return Ends(low, high, self.total, self.squares, self.n)


class _Middle:
    """The centred middle run with its prefix sums, computed not much farther than they are read."""

    def __init__(self, values: Sequence[int], centre: int, width: int) -> None:
        self._values, self._centre, self._width = values, centre, width
        self.size = len(values)
        self.first = self.last = 0  # none yet
        self.aside = 0  # where the last window lay, beside the middle of its guess

    def cover(self, start: int, stop: int) -> None:
        """Load the records from ``start`` to before ``stop``, and half as many around them."""
        if self.first < self.last:
            start, stop = min(start, self.first), max(stop, self.last)
        room = max(128, (stop - start) // 4)
        self.first, self.last = max(0, start - room), min(self.size, stop + room)
        run = centred(self._values[self.first : self.last], self._centre, self._width)
        self._sums = SpreadSums(run)
        self.values, self.sums = python(run), self._sums.first

    def below(self, record: int) -> int:
        """How many records of the run are below a centred integer."""
        return bisect_left(self._values, -(-(record + self._centre) // 2))

    def total(self, start: int, size: int) -> int:
        """The sum of ``size`` records."""
        if not size:
            return 0
        if start < self.first or start + size > self.last:
            self.cover(start, start + size)
        i = start - self.first
        return self.sums[i + size] - self.sums[i]

    def squares(self, start: int, size: int) -> int:
        """The sum of squares of ``size`` records that are at hand."""
        if not size:
            return 0
        i = start - self.first
        return self._sums.squares(i + size) - self._sums.squares(i)

    def length(self, start: int, size: int) -> int:
        """How far the first and the last of ``size`` records at hand are apart."""
        i = start - self.first
        return self.values[i + size - 1] - self.values[i]


class _Search:
    """Candidates for the deleted window and the split of the insertions.

    For a split k (k = number at the upper limit less number at the lower one) and a window of sum
    w that starts at i, the new sum is T = total - w + k W. Moving the window up by one changes the
    sum of squared deviations by d (m_i + m_(i+1) - x_i - x_(i+r)), d >= 0, m the new means, which
    is positive where F(i) = 2 w + x_(i+r) - x_i + count (x_i + x_(i+r)) < 2 (total + k W). F rises
    with i: the best window of a split is the first at which this fails. Its sum T_k rises with k,
    and |T_k| < W holds for the best split unless none reaches it, so only those splits and their
    two neighbours are candidates, and a neighbour only if it is not known to lie beyond.
    """

    def __init__(
        self, middle: _Middle, total: int, width: int, count: int, removed: int, added: int
    ) -> None:
        self.middle, self.total, self.width = middle, total, width
        self.count, self.removed, self.added = count, removed, added
        self.last = middle.size - removed if removed else 0

    def candidates(self) -> list[Ratio]:
        """(sum of squares of the window, new sum T) of every split that can be best."""
        middle = self.middle
        split = self._nearest(0, self.total)
        guess = self._guess(split)
        start, new = self._best_window(split, guess + middle.aside)
        middle.aside = start - guess
        closer = self._nearest(split, new)
        if closer != split:
            split = closer
            start, new = self._best_window(split, start)
        found = [(start, new)]
        for sign in (1, -1):
            k, (i, t) = split, found[0]
            while sign * t < self.width and sign * k < self.added:
                if self._next_is_beyond(k, i, t, sign) or (t == 0 and self._grows(i, sign)):
                    break  # no later split is better
                k += 2 * sign
                i, t = self._best_window(k, i)
                found.append((i, t))
        return [(middle.squares(i, self.removed), t) for i, t in found]

    def _nearest(self, split: int, new: int) -> int:
        """The split whose sum is about 0, if that of this one is ``new`` and no window moves."""
        if not self.added:
            return 0
        near = split - new // self.width
        return max(-self.added, min(self.added, near + ((near + self.added) & 1)))

    def _guess(self, split: int) -> int:
        """Where the window lies, if as much of it is below the new mean as above."""
        mean = (self.total + split * self.width) // (self.count + self.removed)
        return self.middle.below(mean) - self.removed // 2

    def _best_window(self, split: int, guess: int) -> tuple[int, int]:
        """Where the best window of a split starts, and the new sum."""
        total = self.total + split * self.width
        start = 0
        if self.last > 0:
            start = _first_at_least(self._bracket, 2 * total, self.last, guess)
        return start, total - self.middle.total(start, self.removed)

    def _bracket(self, start: int) -> int:
        """F at a window."""
        middle, r = self.middle, self.removed
        if start < middle.first or start + r >= middle.last:
            middle.cover(start, start + r + 1)
        i = start - middle.first
        j = i + r
        low, high = middle.values[i], middle.values[j]
        return 2 * (middle.sums[j] - middle.sums[i]) + high - low + self.count * (low + high)

    def _next_is_beyond(self, split: int, start: int, new: int, sign: int) -> bool:
        """Whether the next split's sum is known to be at least W (for sign -1: at most -W).

        It is if the sums of its window and of this one differ by at most W + ``new`` (W - ``new``),
        so it is if that holds for a window which lies no nearer than that of the next split.
        """
        room = self.width + sign * new
        if self.last <= 0 or room < 0:
            return room >= 0
        sums, r = self.middle.total, self.removed
        far = min(64 + r // 4, 7 * room // (8 * self.middle.length(start, r) + 1))
        other = max(0, min(self.last - 1, start + sign * far))
        twice = 2 * (self.total + (split + 2 * sign) * self.width)
        beyond = (self._bracket(other) >= twice) == (sign > 0)
        return beyond and sign * (sums(other, r) - sums(start, r)) <= room

    def _grows(self, start: int, sign: int) -> bool:
        """Whether no window farther up (for sign -1: down) has a smaller sum of squares.

        Where the new sum is 0 none of them is better then.
        """
        start -= sign < 0  # the pair of records by which the next window differs
        if not 0 <= start < self.last:
            return True
        low, high = (self.middle.total(i, 1) for i in (start, start + self.removed))
        return sign * (low + high) >= 0


def _first_at_least(rising: Callable[[int], int], least: int, end: int, guess: int) -> int:
    """The first i in [0, end) with rising(i) >= least (else end), from a guess."""
    guess = max(0, min(guess, end))
    low, high, jump = 0, end, 1
    if guess < end and rising(guess) < least:
        low = guess + 1
        while low + jump < end and rising(low + jump) < least:
            low += jump + 1
            jump *= 2
        high = min(end, low + jump)
    else:
        high = guess
        while high > jump and rising(high - jump) >= least:
            high -= jump
            jump *= 2
        low = max(0, high - jump)
    while low < high:
        middle = (low + high) // 2
        if rising(middle) < least:
            low = middle + 1
        else:
            high = middle
    return low
