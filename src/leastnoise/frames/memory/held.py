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

from leastnoise.frames.memory.chunks import chunks
from leastnoise.frames.memory.selection import pieces_around, run_of
from leastnoise.frames.memory.summarise import SMALL, packed, ranked_runs
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import rank_of
from leastnoise.summaries.records import Listed, Ranks, Records, Repeated

Array = NDArray[Any]

# Integers are counted where a lattice has at most so many points.
_COUNTED = 1 << 12


class HeldRecords(Records):
    """NOT PRIVATE. Lattice integers of entries that are in memory in any order."""

    __slots__ = ("_lattice", "_pieces", "_values")

    def __init__(self, values: Array, lattice: Lattice, orders: Sequence[Fraction]) -> None:
        self._values, self._lattice = values, lattice
        ranks = [rank_of(order, len(values)) for order in orders]
        self._pieces = pieces_around(values, ranks)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._values)

    def windows(self, ranks: Sequence[Ranks]) -> list[Sequence[int]]:
        """The lattice is monotone, so ranks keep their order."""
        held = [run_of(self._pieces, window, ordered=True) for window in ranks]
        unknown = [window for window, run in zip(ranks, held, strict=True) if run is None]
        read = iter(ranked_runs(self._values, unknown))
        return [packed(next(read) if run is None else run, self._lattice) for run in held]

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """Count by bisection inside a piece, else chunk by chunk."""
        found: dict[int, tuple[int, int]] = {}
        asked = np.array(sorted(set(points)), dtype=self._lattice.holder)
        for piece in self._pieces:
            low, high = self._lattice.quantise(piece.values[[0, -1]])
            whole = len(piece.values) == len(self)
            here = asked if whole else asked[(asked > low) & (asked < high)]
            ends = [
                (piece.below + self._bisect(piece.values, here, side)).tolist()
                for side in ("left", "right")
            ]
            found.update(zip(here.tolist(), zip(*ends, strict=True), strict=True))
        unknown = [p for p in asked.tolist() if p not in found]
        if unknown:
            found.update(zip(unknown, self._count(unknown), strict=True))
        return [found[point] for point in points]

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
        for part in chunks(self._values):
            ordered = self._lattice.quantise(np.sort(part))
            below += np.searchsorted(ordered, points, side="left")
            until += np.searchsorted(ordered, points, side="right")
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
