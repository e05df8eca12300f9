"""Exact draws of several ascending integers whose weight is a product over neighbours.

The integers y_1 <= ... <= y_k lie in segments: runs of points that have one place d_j for the j-th
of them, ascending from segment to segment, and one public step. Their weight is

    exp(-rate (|d_1| + |d_2 - d_1| + ... + |d_k - d_(k-1)| + |d_k|)) 2^(first step - last step).

Segments are drawn backwards, the last one first: the weight of all that may stand before one is a
sum that one pass over the segments gives for all of them, because each term decays by one factor
from segment to segment. All sums are formed twice in integers, rounded down and rounded up, so a
draw is settled by certified bounds and asks for more binary digits where they do not settle it.
Points of one segment weigh the same: they are a uniform multiset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb

from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import BitSource

# Binary digits of the first attempt and of each further one; the leading ones of a distance.
_BITS, _MORE, _DIGITS = 256, 128, 8

Weights = tuple[Sequence[int], Sequence[int]]


def draw_enclosed(weigh: Callable[[int], Weights], source: BitSource) -> int:
    """A place with probability proportional to its weight.

    ``weigh(bits)`` encloses 2**bits times each weight by integers, the more narrowly the more bits.
    A ticket among the upper bounds falls to a place, and is kept if it lies below the weight.
    """
    lows, highs = weigh(_BITS)
    total = sum(highs)
    while True:
        ticket, place = source.below(total), 0
        while ticket >= highs[place]:
            ticket -= highs[place]
            place += 1
        bits, low, high = _BITS, lows[place], highs[place]
        while low <= ticket < high:  # the ticket with more digits, against a narrower bound
            bits += _MORE
            ticket = ticket << _MORE | source.bits(_MORE)
            finer = weigh(bits)
            low, high = finer[0][place], finer[1][place]
        if ticket < low:
            return place


@dataclass(frozen=True, slots=True, repr=False)
class Segments:
    """NOT PRIVATE. Runs of points, ascending: the first of each, how many, and its public step.

    ``places[j]`` has the place of the j-th integer in every segment, ascending; it may not lie
    where that is ``limit`` or more from 0.
    """

    first: Sequence[int]
    sizes: Sequence[int]
    steps: Sequence[int]
    places: Sequence[Sequence[int]]
    limit: int


@dataclass(slots=True, repr=False)
class _Rounded:
    """Integers over 2**bits, and whether products are rounded up."""

    rate: Fraction
    bits: int
    up: bool
    _factors: dict[int, int] = field(default_factory=dict[int, int])

    def half(self, value: int, times: int) -> int:
        """value / 2**times."""
        return -(-value >> times) if self.up else value >> times

    def times(self, value: int, factor: int) -> int:
        """Their product."""
        return self.half(value * factor, self.bits)

    def decay(self, distance: int) -> int:
        """exp(-rate distance): of few leading digits directly, of others as a product."""
        found = self._factors.get(distance)
        if found is None:
            rest = max(0, distance.bit_length() - _DIGITS)
            top = distance >> rest << rest
            if top == distance:
                power = self.rate.numerator * distance
                found = exp_enclosure(power, self.rate.denominator, self.bits)[self.up]
            else:
                found = self.times(self.decay(top), self.decay(distance - top))
            self._factors[distance] = found
        return found


class Chain:
    """NOT PRIVATE. The law of the head of this module.

    Parameters
    ----------
    segments : Segments
    rate : Fraction
        > 0.
    """

    __slots__ = ("_tables", "rate", "segments")

    def __init__(self, segments: Segments, rate: Fraction) -> None:
        self.segments, self.rate = segments, rate
        self._tables: dict[tuple[int, bool], _Table] = {}

    def _table(self, bits: int, *, up: bool) -> _Table:
        if (bits, up) not in self._tables:
            self._tables[bits, up] = _Table(self.segments, _Rounded(self.rate, bits, up))
        return self._tables[bits, up]

    def total(self, bits: int, *, up: bool) -> int:
        """A bound of 2**bits times the sum of all weights."""
        return sum(self._table(bits, up=up).last())

    def draw(self, source: BitSource) -> list[int]:
        """One exact draw, ascending."""
        done = len(self.segments.places)
        answers: list[int] = []
        after: int | None = None
        while done:

            def weigh(bits: int, done: int = done, after: int | None = after) -> Weights:
                low, high = (self._table(bits, up=up) for up in (False, True))
                if after is None:
                    return low.last(), high.last()
                return low.before(done, after), high.before(done, after)

            segment, start = divmod(draw_enclosed(weigh, source), done)
            answers = [*self._points(segment, done - start, source), *answers]
            done, after = start, segment
        return answers

    def _points(self, segment: int, count: int, source: BitSource) -> list[int]:
        """A uniform multiset of the points of a segment: a set of more points, drawn together."""
        size, drawn = self.segments.sizes[segment], set[int]()
        for most in range(size, size + count):
            point = source.below(most)
            drawn.add(most - 1 if point in drawn else point)
        first = self.segments.first[segment]
        return [first + point - i for i, point in enumerate(sorted(drawn))]


class _Table:
    """Sums of weights, all rounded one way: bounds on the weight before each segment."""

    __slots__ = ("_entering", "_one", "_segments", "_sums")

    def __init__(self, segments: Segments, rounded: _Rounded) -> None:
        self._segments, self._one = segments, rounded
        # entering[i]: all that the first i weigh, in segments before this one, and the way here
        self._entering = [[rounded.decay(abs(place)) for place in segments.places[0]]]
        for done in range(1, len(segments.places)):
            parts = self._parts(done)
            sums = [sum(parts[i : i + done]) for i in range(0, len(parts), done)]
            self._entering.append(self._entered(done, sums))

    def last(self) -> list[int]:
        """Weights of where the last integer lies and how many share its segment.

        Place s * k + i: the first i lie before segment s, the others in it.
        """
        places = self._segments.places[-1]
        return self._weighted(len(self._segments.places), [self._one.decay(abs(d)) for d in places])

    def before(self, done: int, after: int) -> list[int]:
        """The same of the first ``done``, where the next one lies in segment ``after``."""
        one, steps, here = self._one, self._segments.steps, self._segments.places[done - 1]
        there = self._segments.places[done][after]
        ends = [0] * len(here)
        for s in range(after):
            ends[s] = one.half(one.decay(abs(there - here[s])), steps[after] - steps[s])
        return self._weighted(done, ends)

    def _weighted(self, done: int, ends: Sequence[int]) -> list[int]:
        times = self._one.times
        parts = enumerate(self._parts(done))
        return [times(part, ends[i // done]) if part else 0 for i, part in parts]

    def _parts(self, done: int) -> list[int]:
        """Weights of the first ``done``: place s * done + i, the first i of them before segment s.

        What several in one segment weigh between them is a step from place to place, the same in
        all segments, and the number of multisets of its points.
        """
        one, places, limit = self._one, self._segments.places, self._segments.limit
        found: list[int] = []
        for s, size in enumerate(self._segments.sizes):
            parts, within, before = [0] * done, 1 << one.bits, 0
            for start in range(done - 1, -1, -1):
                place = places[start][s]
                if abs(place) >= limit:
                    break
                if start < done - 1:
                    within = one.times(within, one.decay(abs(before - place)))
                many = comb(size + done - start - 1, done - start)
                parts[start] = one.times(self._entering[start][s], within) * many
                before = place
            found += parts
        return found

    def _entered(self, done: int, terms: Sequence[int]) -> list[int]:
        """For each segment the sum of terms before it, each with its way to the next integer here.

        Terms at places up to the new one decay with it: one running sum, ``below``. Those at
        higher places are a window whose first term leaves when the new place has reached it:
        ``rest`` has the sums of its older half from each term on, ``behind`` that of the newer.
        """
        one, steps = self._one, self._segments.steps
        here, there = self._segments.places[done - 1 : done + 1]
        found: list[int] = []
        below = behind = first = middle = since = 0
        rest = [0] * len(terms)
        for s, new in enumerate(there):
            if s:
                jump = steps[s] - steps[s - 1]
                below = one.half(one.times(below, one.decay(new - there[s - 1])), jump)
                added = one.times(terms[s - 1], one.decay(here[s - 1] - here[middle]))
                behind = one.half(behind + added, jump)
            while first < s and here[first] <= new:
                if first == middle:
                    middle, behind, since, whole = s, 0, steps[s], 0
                    for i in range(s - 1, first - 1, -1):
                        gap = here[i + 1] - here[i] if i < s - 1 else 0
                        whole = one.times(whole, one.decay(gap))
                        whole += one.half(terms[i], since - steps[i])
                        rest[i] = whole
                way = one.times(terms[first], one.decay(new - here[first]))
                below += one.half(way, steps[s] - steps[first])
                first += 1
            above = one.times(behind, one.decay(here[middle] - new)) if middle < s else 0
            if first < middle:
                older = one.times(rest[first], one.decay(here[first] - new))
                above += one.half(older, steps[s] - since)
            found.append(below + above)
        return found
