"""Whole numbers of which few are different: each is counted once, for all that is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.chunks import chunks
from leastnoise.frames.memory.counting import distance_keys
from leastnoise.frames.memory.numbers import (
    HeldNumbers,
    Index,
    RawNumbers,
    SortedNumbers,
    beyond,
    centred,
)
from leastnoise.frames.memory.selection import spread_sample
from leastnoise.frames.memory.summarise import SMALL, missing_at, present
from leastnoise.frames.table import Table
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Records, Repeated

Array = NDArray[Any]

# From the least number to the largest there are at most so many.
_ROOM = 1 << 16


class CountedNumbers:
    """NOT PRIVATE. Doubles, ascending, and how many records each has."""

    def __init__(self, numbers: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
        self._numbers, self._sizes = numbers, sizes
        self._ends = np.append(0, np.cumsum(sizes))

    @classmethod
    def of(cls, values: Array) -> Self | None:
        """Many integers that lie close together; None for others."""
        if values.dtype.kind not in "iub" or len(values) <= SMALL:
            return None
        wide = values.dtype.itemsize == 8
        sample = spread_sample(values).astype(values.dtype if wide else np.int64)
        least, most = int(sample.min()), int(sample.max())
        first = max(least - max(0, _ROOM - (most - least)) // 2, int(np.iinfo(sample.dtype).min))
        counts = np.zeros(_ROOM, dtype=np.int64)
        for part in chunks(values):
            here = part.astype(sample.dtype, copy=False)
            if int(here.min()) < first or int(here.max()) - first >= _ROOM:
                return None
            found = np.bincount((here - sample.dtype.type(first)).astype(np.int64, copy=False))
            counts[: len(found)] += found
        there = np.flatnonzero(counts)
        return cls((there.astype(sample.dtype) + first).astype(np.float64), counts[there])

    def __len__(self) -> int:
        """How many records there are."""
        return int(self._ends[-1])

    def counts(self, cuts: Array) -> tuple[Array, Array]:
        """By bisection."""
        below, until = (
            self._ends[np.searchsorted(self._numbers, cuts, side)] for side in ("left", "right")
        )
        return below, until

    def placed(self, lattice: Lattice) -> Repeated:
        """Number by number."""
        return Repeated(lattice.quantise(self._numbers), self._sizes)

    def foresee(self, guess: Callable[[SortedNumbers], Lattice]) -> None:
        """Nothing is gained."""

    def indexed(self, index: Index) -> Records:
        """Number by number."""
        return Repeated(index.index(self._numbers), self._sizes)

    def centred_sums(self, centre: float, unit: float) -> tuple[int, int]:
        """Number by number; Python's integers, since many squares are no words."""
        pairs = [
            *zip(centred(self._numbers, centre, unit).tolist(), self._sizes.tolist(), strict=True)
        ]
        return sum(u * u * size for u, size in pairs), sum(u * size for u, size in pairs)

    def beyond(self, centre: float, keys: Array) -> tuple[Array, Array]:
        """Number by number."""
        places = distance_keys(self._numbers, centre)
        distances = np.zeros(1 << 16, dtype=np.int64)
        np.add.at(distances, places, self._sizes)
        return beyond(distances, keys)


def numbers_of(
    table: Table, name: str | None, imputed: float | None, *, around: int | None = 0
) -> RawNumbers:
    """NOT PRIVATE. What ``raw_numbers`` gives, of a column that is read into this process."""
    column = table.column(name)
    if column.missing is None:
        counted = CountedNumbers.of(column.values)
        return counted or HeldNumbers(column.values, imputed, around=around)
    if imputed is None:
        values = present(column)
        return CountedNumbers.of(values) or HeldNumbers(values)
    missing = missing_at(column)
    if not missing.any():
        return HeldNumbers(column.values)
    with np.errstate(all="ignore"):
        return HeldNumbers(np.where(missing, imputed, column.values.astype(np.float64)))
