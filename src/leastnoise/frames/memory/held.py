"""The records of one column in memory, asked for by rank and counted by value without sorting all.

A sample proposes brackets around the wanted orders, wide enough for what is asked next; what lies
inside is sorted once and kept. Anything else takes one more pass, so answers are always exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.buckets import Buckets
from leastnoise.frames.memory.chunks import chunks
from leastnoise.frames.memory.selection import Piece, pieces_around, run_of
from leastnoise.frames.memory.summarise import SMALL, packed, ranked_runs
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import rank_of
from leastnoise.summaries.records import Listed, Ranks, Records, Repeated

Array = NDArray[Any]

# More orders than so many are read from buckets, and so many ranks on either side of them are
# kept.
_FEW, _AROUND = 4, 1 << 12
# Integers are counted where a lattice has at most so many points.
_COUNTED = 1 << 12


class HeldRecords(Records):
    """NOT PRIVATE. Lattice integers of entries that are in memory in any order."""

    __slots__ = ("_buckets", "_lattice", "_pieces", "_values")

    def __init__(self, values: Array, lattice: Lattice, orders: Sequence[Fraction]) -> None:
        self._values, self._lattice = values, lattice
        ranks = sorted(rank_of(order, len(values)) for order in orders)
        # Python's integers may be no doubles
        many = len(ranks) > _FEW and values.dtype != object
        self._buckets = Buckets(values) if many else None
        self._pieces: list[Piece] = []
        if self._buckets is None or not self._read(self._around(ranks)):
            self._pieces = pieces_around(values, ranks)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._values)

    def windows(self, ranks: Sequence[Ranks]) -> list[Sequence[int]]:
        """The lattice is monotone, so ranks keep their order."""
        held = [run_of(self._pieces, window, ordered=True) for window in ranks]
        unknown = [window for window, run in zip(ranks, held, strict=True) if run is None]
        if unknown and self._read(unknown):
            return self.windows(ranks)
        read = iter(ranked_runs(self._values, unknown))
        return [packed(next(read) if run is None else run, self._lattice) for run in held]

    def _around(self, ranks: Sequence[int]) -> list[Ranks]:
        """Those around some ranks, as are asked for next."""
        return [(max(1, r - _AROUND), min(len(self), r + _AROUND)) for r in ranks]

    def _read(self, windows: Sequence[Ranks]) -> bool:
        """Keep some ranks; False where that is half of all."""
        buckets = self._buckets
        if buckets is None or buckets.size(windows) > len(self) // 2:
            return False
        pieces = [*self._pieces, *buckets.pieces(windows)]
        self._pieces = sorted(pieces, key=lambda piece: (piece.below, -piece.until))
        return True

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """Count by bisection inside a piece, else in what is read now, else chunk by chunk."""
        found = self._counted(points)
        unknown = sorted(set(points) - found.keys())
        if unknown and self._read(self._between(unknown)):
            found |= self._counted(unknown)
            unknown = [point for point in unknown if point not in found]
        if unknown:
            found |= zip(unknown, self._count(unknown), strict=True)
        return [found[point] for point in points]

    def _between(self, points: Sequence[int]) -> list[Ranks]:
        """The ranks of all that may be read as these points, and one on either side."""
        if self._buckets is None:
            return []
        ends = (self._lattice.bracket(Fraction(point), Fraction(point)) for point in points)
        return [self._buckets.between(*pair) for pair in ends]

    def _counted(self, points: Sequence[int]) -> dict[int, tuple[int, int]]:
        """What the pieces tell of points."""
        found: dict[int, tuple[int, int]] = {}
        asked = np.array(sorted(set(points)), dtype=self._lattice.holder)
        for piece in self._pieces:
            low, high = self._lattice.quantise(piece.values[[0, -1]])
            above = (asked > low) | (piece.below == 0)
            here = asked[above & ((asked < high) | (piece.until == len(self)))]
            ends = [
                (piece.below + self._bisect(piece.values, here, side)).tolist()
                for side in ("left", "right")
            ]
            found.update(zip(here.tolist(), zip(*ends, strict=True), strict=True))
        return found

    def _bisect(self, values: Array, points: Array, side: str) -> Array:
        """Where points go among the lattice integers of ascending entries."""
        low, high = (np.full(len(points), end) for end in (0, len(values)))
        while (open_ := low < high).any():
            middle = (low + high) // 2
            at = self._lattice.quantise(values[np.minimum(middle, len(values) - 1)])
            before = open_ & ((at < points) if side == "left" else (at <= points))
            low, high = np.where(before, middle + 1, low), np.where(open_ & ~before, middle, high)
        return low

    def _count(self, points: Sequence[int]) -> list[tuple[int, int]]:
        below, until = (np.zeros(len(points), dtype=np.int64) for _ in range(2))
        exact = np.array(points, dtype=self._lattice.holder)
        for part in chunks(self._values):
            ordered = self._lattice.quantise(np.sort(part)).astype(exact.dtype, copy=False)
            below += np.searchsorted(ordered, exact, side="left")
            until += np.searchsorted(ordered, exact, side="right")
        return list(zip(below.tolist(), until.tolist(), strict=True))


def held_records(values: Array, lattice: Lattice, orders: Sequence[Fraction]) -> Records:
    """NOT PRIVATE. Few records, sorted; many of few points, counted; or many, sorted only near some
    orders.
    """
    if len(values) <= SMALL:
        return Listed(np.sort(lattice.quantise(values)))
    if lattice.whole(values) and lattice.width < _COUNTED and lattice.holder is np.int64:
        return _counted(values, lattice)
    return HeldRecords(values, lattice, orders)


def _counted(values: Array, lattice: Lattice) -> Repeated:
    """Integers by their lattice points."""
    sizes = np.zeros(lattice.width + 1, dtype=np.int64)
    for part in chunks(values):
        points = lattice.clip_integers(part).astype(np.int64, copy=False)
        sizes += np.bincount(points - lattice.low, minlength=len(sizes))
    there = np.flatnonzero(sizes)
    return Repeated(there + lattice.low, sizes[there])
