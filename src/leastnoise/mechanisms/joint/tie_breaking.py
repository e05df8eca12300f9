"""Random digits that break ties between equal records, drawn only for records that are looked at.

Every record has independent uniform digits below the lattice's step. They are never all needed: of
records that share a lattice point only their number and the order of their digits matter. So the
digits of a point's records are drawn when one of them is asked for. Where they are many, first how
many of them begin with 0 (as many as there are zeros among as many fair bits), and so on down to
the asked ones: the law of the sorted digits is that of drawing them all, and what is drawn is kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness import BitSource
from leastnoise.summaries.records import Ranks, Records

Array = NDArray[np.int64]

# Random bits that tell equal records apart, and how many records get theirs at once.
DIGITS, _CHUNK = 16, 256
# Records of one point whose digits are all drawn together; bits that are counted together.
FEW, _BLOCK = 1 << 12, 1 << 16


def random_digits(count: int, digits: int, source: BitSource) -> Array:
    """``count`` independent uniform integers below 2**digits <= 2**16."""
    words = -(-count // _CHUNK)
    raw = b"".join(source.bits(16 * _CHUNK).to_bytes(2 * _CHUNK, "little") for _ in range(words))
    return np.frombuffer(raw, dtype="<u2")[:count].astype(np.int64) >> (16 - digits)


def fair_zeros(count: int, source: BitSource) -> int:
    """How many of ``count`` fair bits are 0."""
    ones = 0
    for start in range(0, count, _BLOCK):
        ones += source.bits(min(_BLOCK, count - start)).bit_count()
    return count - ones


class TiedRecords:
    """NOT PRIVATE. The sorted digits of ``count`` equal records, drawn as far as needed."""

    __slots__ = ("bits", "count", "drawn", "halves")

    def __init__(self, count: int, bits: int, drawn: Array | None = None) -> None:
        self.count, self.bits = count, bits
        self.drawn = drawn
        self.halves: tuple[TiedRecords, TiedRecords] | None = None

    def _open(self, source: BitSource) -> None:
        """Draw all digits of few records, or the first digit of each of many."""
        if self.drawn is not None or self.halves is not None:
            return
        if self.count <= FEW or not self.bits:
            digits = random_digits(self.count, self.bits, source) if self.bits else 0
            self.drawn = np.sort(np.zeros(self.count, dtype=np.int64) + digits)
            return
        zeros = fair_zeros(self.count, source)
        self.halves = (
            TiedRecords(zeros, self.bits - 1),
            TiedRecords(self.count - zeros, self.bits - 1),
        )

    def ranks(self, first: int, last: int, source: BitSource) -> Array:
        """The digits of the ranks first..last among these records."""
        if first > last:
            return np.empty(0, dtype=np.int64)
        self._open(source)
        if self.halves is None:
            return np.asarray(self.drawn)[first - 1 : last]
        low, high = self.halves
        upper = high.ranks(max(first - low.count, 1), last - low.count, source)
        lower = low.ranks(first, min(last, low.count), source)
        return np.concatenate([lower, upper + (1 << (self.bits - 1))])

    def below(self, digits: int, source: BitSource) -> int:
        """How many records have smaller digits than these, 0 <= digits <= 2**bits."""
        if digits <= 0 or not self.count:
            return 0
        if digits >= 1 << self.bits:
            return self.count
        self._open(source)
        if self.halves is None:
            return int(np.searchsorted(np.asarray(self.drawn), digits, side="left"))
        (low, high), half = self.halves, 1 << (self.bits - 1)
        if digits <= half:
            return low.below(digits, source)
        return low.count + high.below(digits - half, source)


class TieBrokenRecords(Records):
    """NOT PRIVATE. Records minus ``low``, with random digits appended: ties are broken at random.

    Their order is that of the records, so a rank means the same record with and without digits.
    """

    __slots__ = ("_fine", "_many", "_runs", "_spans", "digits", "low", "records", "source")

    def __init__(self, records: Records, low: int, digits: int, source: BitSource) -> None:
        self.records, self.low, self.digits, self.source = records, low, digits, source
        # records of points with few of them, digits and all, in ascending order; of other points
        self._fine: Array = np.empty(0, dtype=np.int64)
        self._many: dict[int, TiedRecords] = {}
        self._spans: dict[int, Ranks] = {}  # records below a point, and up to it
        self._runs: list[tuple[int, Array]] = []

    def __len__(self) -> int:
        """How many records there are."""
        return len(self.records)

    def windows(self, ranks: Sequence[Ranks]) -> list[Sequence[int]]:
        """The records of some ranges of ranks, in 64-bit words that numpy reads as they are."""
        found = self.records.windows(ranks)
        if not self.digits:
            return [[x - self.low for x in run] for run in found]
        self._runs = [
            (first, self._array(run)) for (first, _), run in zip(ranks, found, strict=True)
        ]
        self._measure([x - self.low for run in found for x in (run[0], run[-1])])
        groups = [self._groups(run) for _, run in self._runs]
        self._draw(*(np.concatenate(parts) for parts in zip(*groups, strict=True)))
        return [
            array("q", self._window(points, *window).tobytes())
            for (points, _), window in zip(groups, ranks, strict=True)
        ]

    def _array(self, run: Sequence[int]) -> Array:
        """Ascending records, from ``low`` on."""
        if max(abs(self.low), abs(run[0]), abs(run[-1])) < 1 << 62:
            return np.array(run, dtype=np.int64) - self.low
        return np.array([x - self.low for x in run], dtype=np.int64)

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """Records below each point of the finer lattice, and up to it."""
        heads = [p >> self.digits for p in points]
        self._measure(heads)
        spans = [self._spans[head] for head in heads]
        if not self.digits:
            return spans
        sizes = np.array([until - below for below, until in spans])
        self._draw(np.array(heads)[sizes > 0], sizes[sizes > 0])
        found: list[tuple[int, int]] = []
        for point, head, (below, _) in zip(points, heads, spans, strict=True):
            if head in self._many:
                digits = point - (head << self.digits)
                ends = [self._many[head].below(d, self.source) for d in (digits, digits + 1)]
            else:
                start, *ends = np.searchsorted(
                    self._fine, [head << self.digits, point, point + 1]
                ).tolist()
                ends = [end - start for end in ends]
            found.append((below + ends[0], below + ends[1]))
        return found

    def _measure(self, points: Sequence[int]) -> None:
        """Count the records of points, asking only where no run shows them."""
        unknown: list[int] = []
        for point in sorted(set(points) - self._spans.keys()):
            for first, run in self._runs:
                if run[0] < point < run[-1]:
                    start, stop = np.searchsorted(run, (point, point + 1)).tolist()
                    self._spans[point] = first - 1 + start, first - 1 + stop
                    break
            else:
                unknown.append(point)
        if unknown:
            counted = self.records.counts([self.low + point for point in unknown])
            self._spans.update(zip(unknown, counted, strict=True))

    def _groups(self, run: Array) -> tuple[Array, Array]:
        """The points of a run, and how many records each has in all."""
        starts = np.concatenate([[0], np.flatnonzero(run[1:] != run[:-1]) + 1])
        points, sizes = run[starts], np.diff(starts, append=len(run))
        for end in (0, -1):
            below, until = self._spans[int(points[end])]
            sizes[end] = until - below
        return points, sizes

    def _draw(self, points: Array, sizes: Array) -> None:
        """The digits of points that have none yet: all at once of those with few records."""
        points, where = np.unique(points, return_index=True)
        sizes = sizes[where]
        many = sizes > FEW
        for point, size in zip(points[many].tolist(), sizes[many].tolist(), strict=True):
            self._many.setdefault(point, TiedRecords(size, self.digits))
        points, sizes = points[~many], sizes[~many]
        start, stop = (np.searchsorted(self._fine, p << self.digits) for p in (points, points + 1))
        points, sizes = points[start == stop], sizes[start == stop]
        digits = random_digits(int(sizes.sum()), self.digits, self.source)
        new = (np.repeat(points, sizes) << self.digits) + digits
        self._fine = np.sort(np.concatenate([self._fine, new]), kind="stable")

    def _window(self, points: Array, first: int, last: int) -> Array:
        """The records of a window of these points, which all have digits."""
        low, high = int(points[0]), int(points[-1])
        start, stop = np.searchsorted(
            self._fine, (low << self.digits, (high + 1) << self.digits)
        ).tolist()
        found, skipped = [self._fine[start:stop]], first - 1 - self._spans[low][0]
        for point in sorted(self._many.keys() & set(points.tolist()) if self._many else ()):
            cut = np.searchsorted(found[-1], point << self.digits)
            found[-1:] = [found[-1][:cut], self._ties(point, first, last), found[-1][cut:]]
            if point == low:
                skipped = 0
        whole = np.concatenate(found)
        return whole[skipped : skipped + last - first + 1]

    def _ties(self, point: int, first: int, last: int) -> Array:
        """The records of a point with many of them that lie in a window at its edge, or in it."""
        group = self._many[point]
        if point in self._spans:
            below, until = self._spans[point]
            ends = max(first, below + 1) - below, min(last, until) - below
        else:
            ends = 1, group.count
        return group.ranks(*ends, self.source) + (point << self.digits)
