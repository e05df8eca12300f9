"""Runs of order statistics of a large array, without sorting it.

A sample proposes a bracket around the wanted ranks; one pass counts what lies below
and collects what lies inside; only the inside is sorted. The bracket decides speed
alone: if it misses, the selection falls back to a partition, so the result is always
the exact order statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.chunks import CHUNK, chunks
from leastnoise.frames.memory.summarise import SMALL, Window

Array = NDArray[Any]

# One entry of so many is in a sample, but for these limits of its size.
_EVERY, _SAMPLE, _LARGEST = 1 << 7, 1 << 14, 1 << 18
_FEW = 1 << 12
# An entry that is this part of a sample is counted, and not collected.
_OFTEN = 64
# So few ranks are selected one by one; for more, so many entries are sorted all at once, and more
# of them in so many parts.
_FEW_RANKS, _SORTED, _PARTS = 16, 1 << 25, 16


@dataclass(frozen=True, slots=True, repr=False)
class Piece:
    """NOT PRIVATE. The entries of the ranks after ``below``, in any order; repeated ones are one
    entry in memory.
    """

    below: int
    values: Array

    @property
    def until(self) -> int:
        """The last rank that it holds."""
        return self.below + len(self.values)

    @property
    def constant(self) -> bool:
        """Whether it is one entry, repeated."""
        return self.values.strides == (0,)

    def ordered(self) -> Piece:
        """The same in ascending order."""
        return self if self.constant else Piece(self.below, np.sort(self.values))


def _repeated(below: int, value: Any, count: int) -> Piece:
    return Piece(below, np.broadcast_to(value, count))


def run_of(pieces: Sequence[Piece], window: Window, ordered: bool = False) -> Array | None:
    """The order statistics of a window from pieces in ascending order; None if some are missing."""
    parts: list[Array] = []
    first, last = window
    for piece in pieces:
        if piece.below < first <= piece.until:
            end = min(last, piece.until)
            places = first - piece.below, end - piece.below
            if ordered or piece.constant:
                parts.append(piece.values[places[0] - 1 : places[1]])
            else:
                parts.append(ranks_of(piece.values, *places))
            if end == last:
                return parts[0] if len(parts) == 1 else np.concatenate(parts)
            first = end + 1
    return None


def selected_runs(values: Array, windows: Sequence[Window]) -> list[Array]:
    """``ranked_runs`` of many entries and short windows."""
    sample = spread_sample(values)
    found = _pieces(values, sample, _brackets(sample, len(values), windows))
    runs = [run_of(pieces, window) for pieces, window in zip(found, windows, strict=True)]
    return [
        ranks_of(values, *window) if run is None else run
        for run, window in zip(runs, windows, strict=True)
    ]


def pieces_around(values: Array, ranks: Sequence[int]) -> list[Piece]:
    """Ordered pieces that hold some ranks and many around them; all, where that costs less."""
    n = len(values)
    if len(ranks) > _FEW_RANKS and n <= _SORTED:
        return [Piece(0, np.sort(values))]
    if len(ranks) <= _FEW_RANKS:
        sample = spread_sample(values, 4 * _SAMPLE)
        ends = _brackets(sample, n, [(rank, rank) for rank in sorted(ranks)])
        found = (piece for pieces in _pieces(values, sample, ends) for piece in pieces)
        # between two entries that are often repeated there may be none
        return [piece.ordered() for piece in found if len(piece.values)]
    room = max(SMALL // 8, n // (32 * len(ranks)))
    kept: list[Piece] = []
    for piece in sorted_parts(values):
        for first, last in joined([(max(1, r - room), min(n, r + room)) for r in sorted(ranks)]):
            first, last = max(first, piece.below + 1), min(last, piece.until)
            if first <= last:
                run = piece.values[first - 1 - piece.below : last - piece.below]
                kept.append(Piece(first - 1, run if piece.constant else run.copy()))
    return kept


def middle_piece(values: Array, around: int) -> tuple[bool, Piece | None]:
    """(whether entries are NaN, what lies around the middle of the others) of an array of floats.

    One pass finds both. ``around`` is how many ranks on either side of the middle it should hold.
    Few entries, or often repeated ones, are not divided.
    """
    sample = spread_sample(values) if len(values) > SMALL else values[:0]
    sample = sample[~np.isnan(sample)]
    middle, low, high = len(values) // 2, None, None
    if len(sample) > _FEW and around < 2 * len(values) // 5:
        ((low, high),) = _brackets(sample, len(values), [(middle - around, middle + around)])
    if low is None or high is None or _is_often(sample, low) or _is_often(sample, high):
        return any(np.isnan(chunk).any() for chunk in chunks(values)), None
    masks = np.empty((2, CHUNK), dtype=bool)
    below, kept = 0, list[Array]()
    for chunk in chunks(values):
        under, inside = masks[:, : len(chunk)]
        below += int(np.count_nonzero(np.less(chunk, low, out=under)))
        # neither below nor above, as NaN are
        np.equal(under, np.greater(chunk, high, out=inside), out=inside)
        kept.append(chunk.compress(inside))
    inside = np.concatenate(kept)
    missing = np.isnan(inside)
    holds_nan = bool(missing.any())
    return holds_nan, Piece(below, inside[~missing] if holds_nan else inside)


def joined(windows: Sequence[Window]) -> list[Window]:
    """Ascending windows, those that overlap as one."""
    found: list[Window] = []
    for first, last in windows:
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def sorted_parts(values: Array) -> Iterator[Piece]:
    """All entries in ascending order, some at a time where they are very many.

    A part holds what lies between two entries of a sample; one that is repeated often is a part of
    its own.
    """
    if len(values) <= _SORTED:
        yield Piece(0, np.sort(values))
        return
    sample = np.sort(spread_sample(values))
    cuts: list[Any] = [None, *np.unique(sample[:: len(sample) // _PARTS][1:]), None]
    below = 0
    for low, high in pairwise(cuts):
        often = low is not None and _is_often(sample, low)
        if often:
            level = sum(int(np.count_nonzero(chunk == low)) for chunk in chunks(values))
            yield _repeated(below, low, level)
            below += level
        above = np.greater if often else np.greater_equal
        part = np.concatenate([_between(chunk, low, high, above) for chunk in chunks(values)])
        part.sort()
        if len(part):
            yield Piece(below, part)
        below += len(part)


def _between(chunk: Array, low: Any, high: Any, above: Callable[[Array, Any], Array]) -> Array:
    """The entries above one and below another; None for no limit."""
    if low is None:
        return chunk.compress(chunk < high)
    inside = above(chunk, low)
    return chunk.compress(inside if high is None else inside & (chunk < high))


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
    brackets = _spread_brackets(spread_sample(values), n, least, most, depth)
    return _spread_of(values, least, most, depth, _collect(values, brackets))


def _spread_brackets(
    sample: Array, n: int, least: float, most: float, depth: int
) -> list[tuple[Any, Any]]:
    """For the extremes and for what is between two limits, with ``depth`` entries beyond."""
    m = len(sample)
    slack = int(depth / n * m + 5 * sqrt(depth / n * m + 1)) + 10
    start = int(np.count_nonzero(sample < least)) - slack
    stop = int(np.count_nonzero(sample <= most)) + slack
    middle = None if start < 0 else start, None if stop >= m else stop
    return entries_at(sample, [_places(m, n, 1, depth), middle, _places(m, n, n - depth + 1, n)])


class SpreadCollector:
    """Collects what ``spread_runs`` needs while another pass over the values goes by.

    The limits of the middle are only known after that pass, so its bracket is guessed from the
    sample's mean; ``runs`` falls back to a pass of its own where the guess does not hold.
    """

    def __init__(self, values: Array, depth: int, low: float, high: float) -> None:
        self.values, self.depth, n = values, depth, len(values)
        sample = np.clip(spread_sample(values), low, high)
        m, width = len(sample), high - low
        # in shares of the width, whose squares are numbers whatever the bounds are
        shares = (sample - low) / width if width else np.zeros(m)
        mean = low + float(shares.mean()) * width
        # four and a half standard errors: a miss costs a pass of its own
        room = (4.5 * float(shares.std()) / sqrt(m) + 2 * depth / n) * width
        brackets = _spread_brackets(sample, n, mean - room, mean + room, depth)
        self.middle = brackets[1]
        self.collector = Collector(brackets)

    def runs(self, least: float, most: float) -> tuple[Array, Array, int, Array]:
        """What ``spread_runs`` gives for these limits of the middle."""
        low, high = self.middle
        if (low is None or low < least) and (high is None or high > most):
            found = self.collector.pieces()
            return _spread_of(self.values, least, most, self.depth, found)
        return spread_runs(self.values, least, most, self.depth)


def _spread_of(
    values: Array, least: float, most: float, depth: int, found: list[Piece]
) -> tuple[Array, Array, int, Array]:
    """Extremes and middle from collected brackets; the middle's bracket encloses the limits."""
    n = len(values)
    reach = min(depth, n)
    low, middle, high = found
    smallest = _run(values, (1, reach), low)
    largest = _run(values, (n - reach + 1, n), high)
    below = middle.below + int(np.count_nonzero(middle.values < least))
    until = middle.below + int(np.count_nonzero(middle.values <= most))
    first, last = max(1, below - depth + 1), min(n, until + depth)
    return smallest, largest, first, _run(values, (first, last), middle)


def spread_sample(values: Array, size: int | None = None) -> Array:
    """Entries at positions of a Weyl sequence: spread evenly, blind to periods in the data.

    The more of them, the closer are brackets, until the sample costs more than what they keep.
    """
    size = size or max(_SAMPLE, min(len(values) // _EVERY, _LARGEST))
    step = int(len(values) * 0.6180339887498949) | 1
    positions = (np.arange(size, dtype=np.int64) * step) % len(values)
    return values[positions]


def bracket(sample: Array, n: int, first: int, last: int) -> tuple[Any, Any]:
    """Entries of an ascending sample that very likely enclose the ranks first..last of n."""
    ends = _places(len(sample), n, first, last)
    below, above = (None if end is None else sample[end] for end in ends)
    return below, above


def _brackets(sample: Array, n: int, windows: Sequence[Window]) -> list[tuple[Any, Any]]:
    """The same of several windows, for a sample in any order."""
    return entries_at(sample, [_places(len(sample), n, *window) for window in windows])


def _places(m: int, n: int, first: int, last: int) -> tuple[int | None, int | None]:
    """The places of a bracket in a sorted sample of m entries, None where it has no end."""
    share = (first + last) / (2 * n)
    slack = 4 * sqrt(m * share * (1 - share)) + 10
    below = int((first - 1) / n * m - slack)
    above = int(last / n * m + slack) + 1
    return None if below < 0 else below, None if above >= m else above


def entries_at(
    sample: Array, pairs: Sequence[tuple[int | None, int | None]]
) -> list[tuple[Any, Any]]:
    """What would be at some places, were the sample in order; None for none."""
    wanted = sorted({place for pair in pairs for place in pair if place is not None})
    ordered = np.partition(sample, wanted) if wanted else sample
    found: dict[int | None, Any] = {place: ordered[place] for place in wanted}
    return [(found.get(below), found.get(above)) for below, above in pairs]


def _collect(values: Array, brackets: Sequence[tuple[Any, Any]]) -> list[Piece]:
    """For each bracket the number of entries below it and the entries inside."""
    collector = Collector(brackets)
    for chunk in chunks(values):
        collector.add(chunk)
    return collector.pieces()


def _pieces(values: Array, sample: Array, brackets: Sequence[tuple[Any, Any]]) -> list[list[Piece]]:
    """What lies inside of each bracket; ends that are repeated often are pieces of their own."""
    if values.dtype.kind == "b":
        values, sample = values.view(np.uint8), sample.view(np.uint8)
    split = [_split(sample, *ends) for ends in brackets]
    counted = iter(_collect(values, [ends for parts in split for ends in parts]))
    return [[next(counted) for _ in parts] for parts in split]


def _split(sample: Array, least: Any, most: Any) -> list[tuple[Any, Any]]:
    """A bracket, cut at values that occur often in a sample."""
    if least is not None and least == most:
        return [(least, most)]
    first, last = least, most
    before: list[tuple[Any, Any]] = []
    after: list[tuple[Any, Any]] = []
    if _is_often(sample, least):
        before, first = [(least, least)], _next(least, sample.dtype, 1)
    if _is_often(sample, most):
        after, last = [(most, most)], _next(most, sample.dtype, -1)
    empty = (before and first is None) or (after and last is None)
    empty = empty or (first is not None and last is not None and first > last)
    return [*before, *([] if empty else [(first, last)]), *after]


def _is_often(sample: Array, value: Any) -> bool:
    if value is None:
        return False
    return int(np.count_nonzero(sample == value)) * _OFTEN > len(sample)


def _next(value: Any, kind: np.dtype[Any], sign: int) -> Any:
    """The next entry of a type in a direction, or None."""
    if kind.kind == "f":
        found = np.nextafter(value, kind.type(sign * np.inf))
        return None if found == value else found
    whole = int(value) + sign
    if kind.kind == "O":
        return whole
    limits = np.iinfo(kind)
    return kind.type(whole) if limits.min <= whole <= limits.max else None


class Collector:
    """Counts what lies below each bracket and keeps what lies inside any, chunk by chunk."""

    def __init__(self, brackets: Sequence[tuple[Any, Any]]) -> None:
        self.brackets = brackets
        self.below, self.level = [0] * len(brackets), [0] * len(brackets)
        self.kept: list[Array] = []
        self._masks = np.empty((3, CHUNK), dtype=bool)

    def add(self, chunk: Array) -> None:
        """Take in one chunk of at most `CHUNK` entries."""
        size = len(chunk)
        kept, spare, under = self._masks[:, :size]
        any_kept = False
        for i, (least, most) in enumerate(self.brackets):
            if least is not None and least == most:
                np.greater_equal(chunk, least, out=spare)
                self.below[i] += size - int(np.count_nonzero(spare))
                self.level[i] += int(np.count_nonzero(np.equal(chunk, least, out=spare)))
                continue
            inside = spare if any_kept else kept
            if least is not None:
                np.greater_equal(chunk, least, out=inside)
                self.below[i] += size - int(np.count_nonzero(inside))
                if most is not None:
                    np.logical_and(inside, np.less_equal(chunk, most, out=under), out=inside)
            elif most is not None:
                np.less_equal(chunk, most, out=inside)
            else:
                inside[:] = True
            if any_kept:
                np.logical_or(kept, inside, out=kept)
            any_kept = True
        if any_kept:
            self.kept.append(chunk.compress(kept))

    def pieces(self) -> list[Piece]:
        """What lies inside of every bracket."""
        kept = np.concatenate(self.kept) if self.kept else np.empty(0)
        if len(self.brackets) == 1 and self.kept:  # nothing else was kept
            return [Piece(self.below[0], kept)]
        return [
            _repeated(count, ends[0], level)
            if ends[0] is not None and ends[0] == ends[1]
            else Piece(count, inside_of(kept, *ends))
            for count, level, ends in zip(self.below, self.level, self.brackets, strict=True)
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
        ((low, high),) = _brackets(values[:: max(1, n // _FEW)], n, [(first, last)])
        inside = inside_of(values, low, high)
        below = 0 if low is None else int(np.count_nonzero(values < low))
        if first > below and last <= below + len(inside):
            values, first, last = inside, first - below, last - below
    if len(values) > 2 * (last - first + 1):
        values = np.partition(values, sorted({first - 1, last - 1}))
        return np.sort(values[first - 1 : last])
    return np.sort(values)[first - 1 : last]


def ascending(points: Array) -> Array:
    """Integers in order: counted, where they lie close together."""
    least, most = (int(points.min()), int(points.max())) if len(points) else (0, 0)
    if most - least > 4 * len(points):
        return np.sort(points)
    return np.repeat(np.arange(least, most + 1), np.bincount(points - least))


def _run(values: Array, window: Window, piece: Piece) -> Array:
    run = run_of([piece], window)
    return ranks_of(values, *window) if run is None else run
