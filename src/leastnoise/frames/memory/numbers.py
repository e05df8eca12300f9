"""The numbers of one column before any lattice is known: counted, placed, summed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.selection import ranked_runs
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.frames.table import Table
from leastnoise.summaries.records import Listed, Ranks, Records, Repeated

if TYPE_CHECKING:
    from leastnoise.summaries.lattice import Lattice

Array = NDArray[Any]

# The resolution of one record in centred sums. Its square times a chunk stays below 2^63.
UNITS = 1 << 20
_CHUNK = 1 << 16
# Binary digits of an index from which its cells are too many to be listed.
_FINE = 8


class Index(Protocol):
    """A monotone map of doubles to integers, 2**bits of them a power of two."""

    @property
    def bits(self) -> int:
        """How fine it is."""
        ...

    def index(self, values: Array) -> Array:
        """The integer of every double."""
        ...


class Numbers(Protocol):
    """NOT PRIVATE. Doubles, held somewhere, NaN not among them."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def counts(self, cuts: Array) -> tuple[Array, Array]:
        """For each cut, in any order, the numbers below it, and those up to and with it."""
        ...

    def placed(self, lattice: Lattice) -> Repeated:
        """All numbers on a lattice of some thousand points."""
        ...

    def indexed(self, index: Index) -> Records:
        """All numbers under a monotone index."""
        ...

    def centred_sums(self, centre: float, unit: float) -> tuple[int, int]:
        """Exact (sum u^2, sum u), u = (x - centre) / unit rounded and cut to -+UNITS."""
        ...

    def beyond(self, centre: float, keys: Array) -> tuple[Array, Array]:
        """How many numbers are at least so far above the centre, and how many so far below it.

        ``keys`` ascend: the leading 16 bits of distances whose other bits are 0.
        """
        ...


class SortedNumbers:
    """NOT PRIVATE. Doubles in memory, ascending."""

    def __init__(self, ordered: Array) -> None:
        self.ordered = ordered

    def __len__(self) -> int:
        """How many there are."""
        return len(self.ordered)

    def counts(self, cuts: Array) -> tuple[Array, Array]:
        """By bisection."""
        below, until = (np.searchsorted(self.ordered, cuts, side) for side in ("left", "right"))
        return below, until

    def placed(self, lattice: Lattice) -> Repeated:
        """Point by point."""
        return Repeated(*np.unique(lattice.quantise(self.ordered), return_counts=True))

    def indexed(self, index: Index) -> Records:
        """One by one."""
        return Listed(index.index(self.ordered))

    def centred_sums(self, centre: float, unit: float) -> tuple[int, int]:
        """Chunk by chunk."""
        return centred_sums(self.ordered, centre, unit)

    def beyond(self, centre: float, keys: Array) -> tuple[Array, Array]:
        """Chunk by chunk."""
        return beyond(self.ordered, centre, keys)

    def total(self, lattice: Lattice) -> tuple[int, int]:
        """(n, exact sum) on a lattice."""
        return exact_sum(self.ordered, lattice, None)


class HeldNumbers(SortedNumbers):
    """NOT PRIVATE. Doubles in memory in any order, sorted only for what needs all of them sorted.

    ``values`` is not changed.
    """

    def __init__(self, values: Array) -> None:
        self.values = values

    @cached_property
    def ordered(self) -> Array:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Ascending."""
        return np.sort(self.values)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.values)

    def indexed(self, index: Index) -> Records:
        """Selected by rank where an index is too fine to be listed."""
        return _Selected(self.values, index) if index.bits >= _FINE else super().indexed(index)

    def beyond(self, centre: float, keys: Array) -> tuple[Array, Array]:
        """Chunk by chunk."""
        return beyond(self.values, centre, keys)


class _Selected(Records):
    """NOT PRIVATE. Indices of numbers, worked out for the ranks that are asked for."""

    __slots__ = ("_index", "_values")

    def __init__(self, values: Array, index: Index) -> None:
        self._values, self._index = values, index

    def __len__(self) -> int:
        """How many there are."""
        return len(self._values)

    def windows(self, ranks: Sequence[Ranks]) -> list[list[int]]:
        """The index is monotone, so ranks keep their order."""
        return [self._index.index(run).tolist() for run in ranked_runs(self._values, list(ranks))]


def raw_numbers(table: Table, name: str | None, imputed: float | None) -> Numbers:
    """NOT PRIVATE. Present values of a column; missing ones dropped, or set to ``imputed``."""
    return table.reader().numbers(name, imputed)


def sorted_numbers(table: Table, name: str | None, imputed: float | None) -> SortedNumbers:
    """NOT PRIVATE. The same for a column that is read into this process."""
    column = table.column(name)
    with np.errstate(all="ignore"):
        values = column.values.astype(np.float64, copy=False)
        gone = np.isnan(values) if column.missing is None else column.missing
        if gone.any():
            values = values[~gone] if imputed is None else np.where(gone, imputed, values)
    return HeldNumbers(values)


def beyond(values: Array, centre: float, keys: Array) -> tuple[Array, Array]:
    """NOT PRIVATE. What ``Numbers.beyond`` gives: counts by the leading bits of x - centre."""
    cells = np.zeros(1 << 16, dtype=np.int64)
    for start in range(0, len(values), _CHUNK):
        with np.errstate(all="ignore"):
            distances = values[start : start + _CHUNK] - centre
        leading = distances.view(np.int64) >> 48  # below 0 where the distance is
        cells += np.bincount(leading + (1 << 15), minlength=len(cells))
    # the highest bit is the sign; a distance is at least another if its leading bits are
    below, above = (np.cumsum(half[::-1])[::-1][keys] for half in np.split(cells, 2))
    return above, below


def centred_sums(values: Array, centre: float, unit: float) -> tuple[int, int]:
    """NOT PRIVATE. Exact integers (sum u^2, sum u)."""
    second = first = 0
    for start in range(0, len(values), _CHUNK):
        with np.errstate(all="ignore"):
            scaled = (values[start : start + _CHUNK] - centre) / unit
        u = np.clip(np.rint(scaled), -UNITS, UNITS).astype(np.int64)
        second += int(np.sum(u * u))
        first += int(np.sum(u))
    return second, first


def counts_of(parts: Iterable[Array], cuts: Array) -> tuple[Array, Array]:
    """NOT PRIVATE. What ``Numbers.counts`` gives for numbers that pass by in any order."""
    edges, where = np.unique(cuts, return_inverse=True)
    sides: Sequence[Any] = ("left", "right")
    cells = [np.zeros(len(edges) + 1, dtype=np.int64) for _ in sides]
    for part in parts:
        for side, counts in zip(sides, cells, strict=True):
            counts += np.bincount(np.searchsorted(edges, part, side), minlength=len(counts))
    # left: a number up to edge i has a cell of at most i; right: one below it
    until, below = (np.cumsum(counts)[:-1][where] for counts in cells)
    return below, until
