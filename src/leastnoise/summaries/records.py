"""Ascending records that are asked for by rank and counted by value, wherever they are held."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ranks = tuple[int, int]  # first and last, counted from 1


class Records(Sequence[int]):
    """NOT PRIVATE. Lattice integers in ascending order, of which only what is asked for is read."""

    __slots__ = ()

    def windows(self, ranks: Sequence[Ranks]) -> Sequence[Sequence[int]]:
        """The records of some ranges of ranks, 1 <= first <= last <= the number of records."""
        raise NotImplementedError

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """For each point the number of records below it, and of those up to and with it."""
        raise NotImplementedError

    def __getitem__(self, index: Any) -> Any:
        """A record or a slice of them, by places counted from 0."""
        if isinstance(index, slice):
            start, stop, _ = index.indices(len(self))
            return self.windows([(start + 1, stop)])[0] if start < stop else []
        if not 0 <= index < len(self):
            raise IndexError("no such record")
        return self.windows([(index + 1, index + 1)])[0][0]


class Listed(Records):
    """NOT PRIVATE. Records in memory."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[int] | NDArray[Any]) -> None:
        self.values: Any = values

    def __len__(self) -> int:
        """How many there are."""
        return len(self.values)

    def windows(self, ranks: Sequence[Ranks]) -> list[list[int]]:
        """Slices."""
        return [np.asarray(self.values[a - 1 : b]).tolist() for a, b in ranks]

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """By bisection."""
        return [(bisect_left(self.values, p), bisect_right(self.values, p)) for p in points]


class Repeated(Records):
    """NOT PRIVATE. Few different values, each with its number of records."""

    __slots__ = ("ends", "values")

    def __init__(self, values: NDArray[Any], counts: NDArray[Any]) -> None:
        """Any order; equal values are joined."""
        self.values, where = np.unique(values, return_inverse=True)
        sizes = np.zeros(len(self.values), dtype=np.int64)
        np.add.at(sizes, where, counts)
        self.ends: NDArray[np.int64] = np.cumsum(sizes)

    def __len__(self) -> int:
        """How many records there are."""
        return int(self.ends[-1]) if len(self.ends) else 0

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records of each value."""
        return np.diff(self.ends, prepend=0)

    def windows(self, ranks: Sequence[Ranks]) -> list[Sequence[int]]:
        """Values, each as often as it is in the window."""
        found: list[Sequence[int]] = []
        for first, last in ranks:
            inside = np.minimum(self.ends, last) - np.maximum(self.ends - self.sizes, first - 1)
            run = np.repeat(self.values, np.maximum(inside, 0))
            # in words that numpy reads as they are, if they fit
            found.append(array("q", run.tobytes()) if run.dtype == np.int64 else run.tolist())
        return found

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """By bisection."""
        ends = [0, *self.ends.tolist()]
        return [
            (ends[bisect_left(self.values, p)], ends[bisect_right(self.values, p)]) for p in points
        ]

    def mapped(self, values: NDArray[Any]) -> Repeated:
        """The same records with other values, one for each of the old ones."""
        return Repeated(values, self.sizes)


class CountedRecords(Records):
    """NOT PRIVATE. Ascending lattice integers, each moved to its cut or just above the one below.

    Comparisons with a cut come out as for the records themselves. ``ends`` are the numbers of
    records up to and with each cell: the first cut, what lies between it and the second, the
    second, and so on.
    """

    __slots__ = ("_cuts", "_ends")

    @classmethod
    def of(cls, records: Records, cuts: Sequence[int]) -> CountedRecords:
        """Records that lie between the first cut and the last."""
        counts = [end for pair in records.counts(cuts) for end in pair]
        return cls(cuts, counts[1:])

    def __init__(self, cuts: Sequence[int], ends: Sequence[int]) -> None:
        self._cuts, self._ends = cuts, ends

    def __len__(self) -> int:
        """How many records there are."""
        return self._ends[-1]

    def windows(self, ranks: Sequence[Ranks]) -> list[list[int]]:
        """Record by record."""
        return [[self._record(i) for i in range(first - 1, last)] for first, last in ranks]

    def _record(self, index: int) -> int:
        cell = bisect_right(self._ends, index)
        return self._cuts[cell // 2] + cell % 2

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """For cuts alone."""
        cells = [2 * bisect_left(self._cuts, point) for point in points]
        return [(self._ends[cell - 1] if cell else 0, self._ends[cell]) for cell in cells]


def records_of(records: Sequence[int]) -> Records:
    """Records that can be asked, from a list of them."""
    return records if isinstance(records, Records) else Listed(records)
