"""Many ranges of ranks of a large array, without sorting it.

Numbers are counted in buckets of equal width, which ascend as they do. So it is known which
buckets hold some ranks, and one more pass keeps what lies in these. Where buckets lie decides
speed alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.chunks import CHUNK, chunks, doubles
from leastnoise.frames.memory.selection import Piece, entries_at, spread_sample
from leastnoise.frames.memory.summarise import Window

Array = NDArray[Any]

_BUCKETS = 1 << 16
# The part of a sample in the first bucket and in the last, with what is farther out.
_OUTER = 1000
# Buckets lie within numbers whose differences are doubles.
_FARTHEST = 1e300


class Buckets:
    """NOT PRIVATE. An array without NaN, counted."""

    def __init__(self, values: Array) -> None:
        self.values = values
        sample = spread_sample(values).astype(np.float64)
        outer = len(sample) // _OUTER
        ((low, high),) = entries_at(sample, [(outer, len(sample) - 1 - outer)])
        self._low, self._high = np.clip([low, high], -_FARTHEST, _FARTHEST).tolist()
        counts = np.zeros(_BUCKETS + 1, dtype=np.int64)
        for codes in self._codes(doubles(values)):
            found = np.bincount(codes)
            counts[: len(found)] += found
        self.ends = np.cumsum(counts)

    def _codes(self, parts: Iterable[Array]) -> Iterator[Array]:
        """The bucket of every number, part by part: each step keeps their order."""
        width = self._high - self._low
        scale = _BUCKETS / width if width > _BUCKETS / _FARTHEST else 0.0
        room, codes = np.empty(CHUNK), np.empty(CHUNK, dtype=np.int64)
        for part in parts:
            places, here = room[: len(part)], codes[: len(part)]
            np.clip(part, self._low, self._high, out=places)
            np.subtract(places, self._low, out=places)
            np.multiply(places, scale, out=places)
            np.copyto(here, places, casting="unsafe")
            yield here

    def _holding(self, windows: Sequence[Window]) -> NDArray[np.bool_]:
        """Which buckets hold some of these ranks."""
        holding = np.zeros(len(self.ends) + 1, dtype=np.int64)
        for first, last in windows:
            holding[np.searchsorted(self.ends, first)] += 1
            holding[np.searchsorted(self.ends, last) + 1] -= 1
        return np.cumsum(holding[:-1]) > 0

    def between(self, low: float, high: float) -> Window:
        """The ranks in the buckets of two numbers and of all between, and one on either side."""
        first, last = next(self._codes([np.array([low, high])])).tolist()
        below = int(self.ends[first - 1]) if first else 0
        return max(1, below), min(len(self.values), int(self.ends[last]) + 1)

    def size(self, windows: Sequence[Window]) -> int:
        """How many numbers are in buckets that hold some of these ranks."""
        return int(np.diff(self.ends, prepend=0)[self._holding(windows)].sum())

    def pieces(self, windows: Sequence[Window]) -> list[Piece]:
        """Ordered pieces that hold all of these ranks."""
        holding = self._holding(windows)
        pairs = zip(chunks(self.values), self._codes(doubles(self.values)), strict=True)
        kept = np.sort(np.concatenate([part.compress(holding[codes]) for part, codes in pairs]))
        edges = np.flatnonzero(np.diff(holding, prepend=False, append=False)).reshape(-1, 2)
        found: list[Piece] = []
        for start, stop in edges.tolist():
            below = int(self.ends[start - 1]) if start else 0
            size = int(self.ends[stop - 1]) - below
            found.append(Piece(below, kept[:size]))
            kept = kept[size:]
        return found
