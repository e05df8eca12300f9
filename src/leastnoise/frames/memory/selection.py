"""Runs of order statistics of a large array, without sorting it.

A sample proposes a bracket around the wanted ranks; one pass counts what lies below
and collects what lies inside; only the inside is sorted. The bracket decides speed
alone: if it misses, the selection falls back to a partition, so the result is always
the exact order statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Entries that a collector takes in at once.
CHUNK = 1 << 15
SMALL = 1 << 17
_SAMPLE = 1 << 16
_FEW = 1 << 12


def ranked_runs(values: Array, windows: Sequence[tuple[int, int]]) -> list[Array]:
    """For each (first, last), 1 <= first <= last <= n: the order statistics of those ranks.

    ``values`` is a one-dimensional array without NaN; it is not changed.
    """
    if len(values) <= SMALL or any(last - first > SMALL for first, last in windows):
        ordered = np.sort(values)
        return [ordered[first - 1 : last] for first, last in windows]
    sample = np.sort(_sample(values))
    brackets = [bracket(sample, len(values), *window) for window in windows]
    counted = _collect(values, brackets)
    return [_run(values, window, *found) for window, found in zip(windows, counted, strict=True)]


def spread_runs(
    values: Array, least: float, most: float, depth: int
) -> tuple[Array, Array, int, Array]:
    """(smallest, largest, first, middle): the ``depth`` extremes in ascending order, and the order
    statistics from rank ``first`` on that hold ``depth`` entries below ``least``, all entries
    between ``least`` and ``most`` and ``depth`` entries above ``most``.
    """
    n = len(values)
    reach = min(depth, n)
    if n <= SMALL or reach > SMALL:
        ordered = np.sort(values)
        below = int(np.searchsorted(ordered, least, side="left"))
        until = int(np.searchsorted(ordered, most, side="right"))
        start, stop = max(0, below - depth), min(n, until + depth)
        return ordered[:reach], ordered[n - reach :], start + 1, ordered[start:stop]
    sample = np.sort(_sample(values))
    m = len(sample)
    slack = int(depth / n * m + 5 * sqrt(depth / n * m + 1)) + 10
    start = int(np.searchsorted(sample, least, side="left")) - slack
    stop = int(np.searchsorted(sample, most, side="right")) + slack
    brackets = [
        bracket(sample, n, 1, reach),
        (None if start < 0 else sample[start], None if stop >= m else sample[stop]),
        bracket(sample, n, n - reach + 1, n),
    ]
    return _spread_of(values, least, most, depth, _collect(values, brackets))


class SpreadCollector:
    """Collects what ``spread_runs`` needs while another pass over the values goes by.

    The limits of the middle are only known after that pass, so its bracket is guessed from the
    sample's mean; ``runs`` falls back to a pass of its own where the guess does not hold.
    """

    def __init__(self, values: Array, depth: int, low: float, high: float) -> None:
        self.values, self.depth, n = values, depth, len(values)
        sample = np.clip(_sample(values), low, high)
        m, width = len(sample), high - low
        # in shares of the width, whose squares are numbers whatever the bounds are
        shares = (sample - low) / width if width else np.zeros(m)
        mean = low + float(shares.mean()) * width
        # four and a half standard errors: a miss costs a pass of its own
        room = (4.5 * float(shares.std()) / sqrt(m) + 2 * depth / n) * width
        slack = int(depth / n * m + 5 * sqrt(depth / n * m + 1)) + 10
        start = int(np.count_nonzero(sample < mean - room)) - slack
        stop = int(np.count_nonzero(sample <= mean + room)) + slack
        places = [
            _places(m, n, 1, depth),
            (None if start < 0 else start, None if stop >= m else stop),
            _places(m, n, n - depth + 1, n),
        ]
        # only these places of the sorted sample are looked at
        wanted = sorted({i for pair in places for i in pair if i is not None})
        if wanted:
            sample.partition(wanted)
        brackets = [_at(sample, pair) for pair in places]
        self.middle = brackets[1]
        self.collector = Collector(brackets)

    def runs(self, least: float, most: float) -> tuple[Array, Array, int, Array]:
        """What ``spread_runs`` gives for these limits of the middle."""
        low, high = self.middle
        if (low is None or low < least) and (high is None or high > most):
            found = self.collector.found()
            return _spread_of(self.values, least, most, self.depth, found)
        return spread_runs(self.values, least, most, self.depth)


def _spread_of(
    values: Array, least: float, most: float, depth: int, found: list[tuple[int, Array]]
) -> tuple[Array, Array, int, Array]:
    """Extremes and middle from collected brackets; the middle's bracket encloses the limits."""
    n = len(values)
    reach = min(depth, n)
    low, middle, high = found
    smallest = _run(values, (1, reach), *low)
    largest = _run(values, (n - reach + 1, n), *high)
    below = middle[0] + int(np.count_nonzero(middle[1] < least))
    until = middle[0] + int(np.count_nonzero(middle[1] <= most))
    first, last = max(1, below - depth + 1), min(n, until + depth)
    return smallest, largest, first, _run(values, (first, last), *middle)


def _sample(values: Array) -> Array:
    """Entries at positions of a Weyl sequence: spread evenly, blind to periods in the data."""
    step = int(len(values) * 0.6180339887498949) | 1
    positions = (np.arange(_SAMPLE, dtype=np.int64) * step) % len(values)
    return values[positions]


def bracket(sample: Array, n: int, first: int, last: int) -> tuple[Any, Any]:
    """Values that very likely enclose the ranks first..last: five standard deviations out."""
    return _at(sample, _places(len(sample), n, first, last))


def _places(m: int, n: int, first: int, last: int) -> tuple[int | None, int | None]:
    """The places of a bracket in a sorted sample of m entries, None where it has no end."""
    share = (first + last) / (2 * n)
    slack = 5 * sqrt(m * share * (1 - share)) + 10
    below = int((first - 1) / n * m - slack)
    above = int(last / n * m + slack) + 1
    return None if below < 0 else below, None if above >= m else above


def _at(sample: Array, places: tuple[int | None, int | None]) -> tuple[Any, Any]:
    below, above = places
    return None if below is None else sample[below], None if above is None else sample[above]


def _collect(values: Array, brackets: Sequence[tuple[Any, Any]]) -> list[tuple[int, Array]]:
    """For each bracket the number of entries below it and the entries inside."""
    collector = Collector(brackets)
    for start in range(0, len(values), CHUNK):
        collector.add(values[start : start + CHUNK])
    return collector.found()


class Collector:
    """Counts what lies below each bracket and keeps what lies inside any, chunk by chunk."""

    def __init__(self, brackets: Sequence[tuple[Any, Any]]) -> None:
        self.brackets = brackets
        self.below = [0] * len(brackets)
        self.kept: list[Array] = []
        self._masks = np.empty((3, CHUNK), dtype=bool)

    def add(self, chunk: Array) -> None:
        """Take in one chunk of at most 2**15 entries."""
        size = len(chunk)
        kept, spare, under = self._masks[:, :size]
        for i, (least, most) in enumerate(self.brackets):
            inside = spare if i else kept
            if least is not None:
                np.greater_equal(chunk, least, out=inside)
                self.below[i] += size - int(np.count_nonzero(inside))
                if most is not None:
                    np.logical_and(inside, np.less_equal(chunk, most, out=under), out=inside)
            elif most is not None:
                np.less_equal(chunk, most, out=inside)
            else:
                inside[:] = True
            if i:
                np.logical_or(kept, inside, out=kept)
        self.kept.append(chunk.compress(kept))

    def found(self) -> list[tuple[int, Array]]:
        """(number below, entries inside) of every bracket."""
        kept = np.concatenate(self.kept)
        return [
            (count, inside_of(kept, *bracket))
            for count, bracket in zip(self.below, self.brackets, strict=True)
        ]


def inside_of(values: Array, least: Any, most: Any) -> Array:
    """The entries between some ends, None for an open one."""
    if least is None:
        return values if most is None else values[values <= most]
    inside = values >= least
    return values[inside if most is None else inside & (values <= most)]


def ranks_of(values: Array, first: int, last: int) -> Array:
    """The order statistics of the ranks first..last, counted from 1."""
    n = len(values)
    if n > SMALL:
        # a few entries propose a bracket, which leaves less to take apart
        low, high = bracket(np.sort(values[:: max(1, n // _FEW)]), n, first, last)
        inside = inside_of(values, low, high)
        below = 0 if low is None else int(np.count_nonzero(values < low))
        if first > below and last <= below + len(inside):
            values, first, last = inside, first - below, last - below
    if len(values) > 2 * (last - first + 1):
        values = np.partition(values, sorted({first - 1, last - 1}))
        return np.sort(values[first - 1 : last])
    return np.sort(values)[first - 1 : last]


def _run(values: Array, window: tuple[int, int], below: int, inside: Array) -> Array:
    first, last = window[0] - below, window[1] - below
    if first < 1 or last > len(inside):
        return ranks_of(values, *window)
    return ranks_of(inside, first, last)
