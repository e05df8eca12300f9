"""The numbers of one column before any lattice is known: counted, placed, summed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import inf, isfinite
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.chunks import doubles
from leastnoise.frames.memory.counting import (
    Steps,
    beyond_one,
    counts_by_leading,
    counts_of,
    distance_counts,
    is_leading,
)
from leastnoise.frames.memory.selection import (
    Piece,
    ascending,
    middle_piece,
    ranks_of,
    spread_sample,
)
from leastnoise.frames.memory.summarise import SMALL, ranked_runs, words
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.frames.table import Table
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Listed, Ranks, Records, Repeated

Array = NDArray[Any]

# The resolution of one record in centred sums. Its square times a chunk stays below 2^63.
UNITS = 1 << 20
# Binary digits of an index from which its cells are too many to be listed.
_FINE = 8
# How many of the numbers a lattice is guessed from.
_GUESSED = 1 << 12


class Index(Protocol):
    """A monotone map of doubles to integers, 2**bits of them a power of two."""

    @property
    def bits(self) -> int:
        """How fine it is."""
        ...

    def index(self, values: Array) -> Array:
        """The integer of every double."""
        ...

    def edge(self, index: int) -> tuple[float, bool]:
        """A double below which numbers have at most this integer, and whether it has so itself."""
        ...


class RawNumbers(Protocol):
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

    def foresee(self, guess: Callable[[SortedNumbers], Lattice]) -> None:
        """Be told how the lattice of ``placed`` may be guessed from some of the numbers.

        It decides about time alone.
        """
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

    def foresee(self, guess: Callable[[SortedNumbers], Lattice]) -> None:
        """Nothing is gained."""

    def indexed(self, index: Index) -> Records:
        """One by one."""
        return Listed(index.index(self.ordered))

    def centred_sums(self, centre: float, unit: float) -> tuple[int, int]:
        """Chunk by chunk."""
        return centred_sums(self.ordered, centre, unit)

    def beyond(self, centre: float, keys: Array) -> tuple[Array, Array]:
        """Chunk by chunk."""
        return beyond(distance_counts(self.ordered, centre)[0], keys)

    def total(self, lattice: Lattice) -> tuple[int, int]:
        """(n, exact sum) on a lattice."""
        return exact_sum(self.ordered, lattice, None)


class HeldNumbers(SortedNumbers):
    """NOT PRIVATE. Numbers in memory in any order, read as doubles chunk by chunk.

    Few are sorted, and many only for what needs all of them in order. NaN among the values are left
    out, or set to ``imputed``: the first pass finds them, whatever it is for. ``values`` is not
    changed.
    """

    def __init__(
        self, values: Array, imputed: float | None = None, *, around: int | None = 0
    ) -> None:
        self._given, self._imputed, self._around = values, imputed, around
        self._known = values.dtype.kind != "f"
        self._steps: Steps | None = None
        self._middle: Piece | None = None
        self._distances: dict[float, Array] = {}

    @property
    def values(self) -> Array:
        """Without NaN. What the pass that looks for them finds is kept: what lies around the
        middle, or the distances from 0.
        """
        if self._known:
            return self._given
        if self._around is None and not self._few:
            self._distances[0.0], missing = distance_counts(self._given, 0.0)
            self._settle(missing > 0)
        else:
            missing, self._middle = middle_piece(self._given, self._around or 0)
            self._settle(missing)
        return self._given

    def _settle(self, some_missing: bool) -> None:
        self._known = True
        if not some_missing:
            return
        missing = np.isnan(self._given)
        if self._imputed is None:
            self._given = self._given[~missing]
        else:
            self._given = np.where(missing, self._imputed, self._given.astype(np.float64))
            self._middle, self._distances = None, {}

    @cached_property
    def ordered(self) -> Array:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Ascending."""
        return np.sort(self.values).astype(np.float64, copy=False)

    @property
    def _few(self) -> bool:
        return len(self._given) <= SMALL

    def __len__(self) -> int:
        """How many there are."""
        return len(self.values)

    def counts(self, cuts: Array) -> tuple[Array, Array]:
        """By steps that are counted, or by leading bits, or by bisection of every chunk."""
        if self._few:
            return super().counts(cuts)
        found = self._steps and self._steps.counts(self.values, cuts)
        if found is not None:
            return found
        bits = is_leading(cuts)
        if bits is not None:
            below, until, others = counts_by_leading(self._given, cuts, bits)
            if not others:
                self._known = True
                return below, until
            self._settle(some_missing=True)
            return counts_by_leading(self.values, cuts, bits)[:2]
        return counts_of(doubles(self.values), cuts)

    def placed(self, lattice: Lattice) -> Repeated:
        """Point by point, counted once for all questions about the lattice."""
        if self._few or not Steps.fit(lattice):
            return super().placed(lattice)
        if self._steps is None or self._steps.lattice != lattice:
            self._steps, _ = Steps.of(self.values, lattice)
        return Repeated(*self._steps.points())

    def foresee(self, guess: Callable[[SortedNumbers], Lattice]) -> None:
        """Count the steps before they are asked for, since they answer most other questions too."""
        if self._few:
            return
        sample = spread_sample(self._given, _GUESSED).astype(np.float64)
        lattice = guess(SortedNumbers(np.sort(sample[~np.isnan(sample)])))
        if not Steps.fit(lattice):
            return
        self._steps, missing = Steps.of(self._given, lattice)
        if not self._known:
            self._settle(missing > 0)
        if missing:  # chunks are others now, or hold what is imputed
            self._steps, _ = Steps.of(self._given, lattice)

    def indexed(self, index: Index) -> Records:
        """Selected by rank where an index is too fine to be listed."""
        return _Selected(self, index) if index.bits >= _FINE else super().indexed(index)

    def ranked(self, ranks: Sequence[Ranks], index: Index) -> list[Array]:
        """The indices of some ranges of ranks, from what was kept where it holds them."""
        values = self.values
        held = [None if self._middle is None else _kept(self._middle, w, index) for w in ranks]
        unknown = [window for window, run in zip(ranks, held, strict=True) if run is None]
        read = iter(ranked_runs(values, unknown))
        return [index.index(next(read).astype(np.float64)) if run is None else run for run in held]

    def centred_sums(self, centre: float, unit: float) -> tuple[int, int]:
        """Chunk by chunk."""
        return centred_sums(self.values, centre, unit)

    def beyond(self, centre: float, keys: Array) -> tuple[Array, Array]:
        """Chunk by chunk."""
        values = self.values
        if centre not in self._distances:
            if len(keys) == 1 and not self._few:
                return beyond_one(values, centre, int(keys[0]))
            self._distances[centre] = distance_counts(values, centre)[0]
        return beyond(self._distances[centre], keys)


def _kept(piece: Piece, window: Ranks, index: Index) -> Array | None:
    """The indices of some ranks of a piece that holds them; None if it does not."""
    (first, last), below = window, piece.below
    if not below < first <= last <= piece.until:
        return None
    if len(piece.values) > 4 * (last - first):
        return index.index(ranks_of(piece.values, first - below, last - below).astype(np.float64))
    # the index is monotone, so its integers may be put in order instead
    return ascending(index.index(piece.values.astype(np.float64)))[first - below - 1 : last - below]


class _Selected(Records):
    """NOT PRIVATE. Indices of numbers, worked out for the ranks that are asked for."""

    __slots__ = ("_index", "_numbers")

    def __init__(self, numbers: HeldNumbers, index: Index) -> None:
        self._numbers, self._index = numbers, index

    def __len__(self) -> int:
        """How many there are."""
        return len(self._numbers)

    def windows(self, ranks: Sequence[Ranks]) -> list[Sequence[int]]:
        """The index is monotone, so ranks keep their order."""
        return [words(run) for run in self._numbers.ranked(ranks, self._index)]

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """By comparing the numbers themselves."""
        return counts_by_edges(self._numbers, self._index, points)


def counts_by_edges(
    numbers: RawNumbers, index: Index, points: Sequence[int]
) -> list[tuple[int, int]]:
    """NOT PRIVATE. For each point the numbers whose index is below it, and those up to it."""
    edges = [index.edge(end) for point in points for end in (point - 1, point)]
    inner = sorted({edge for edge, _ in edges if isfinite(edge)})
    below, until = numbers.counts(np.array(inner, dtype=np.float64))
    known = {edge: (int(below[i]), int(until[i])) for i, edge in enumerate(inner)}
    known |= {-inf: (0, 0), inf: (len(numbers), len(numbers))}
    found = [known[edge][own] for edge, own in edges]
    return list(zip(found[::2], found[1::2], strict=True))


def raw_numbers(
    table: Table, name: str | None, imputed: float | None, *, around: int | None = 0
) -> RawNumbers:
    """NOT PRIVATE. Present values of a column; missing ones dropped, or set to ``imputed``.

    ``around``: how many ranks on either side of the middle may be asked for; None for none.
    """
    return table.reader().numbers(name, imputed, around=around)


def beyond(distances: Array, keys: Array) -> tuple[Array, Array]:
    """NOT PRIVATE. What ``RawNumbers.beyond`` gives, of ``distance_counts``."""
    halves = np.split(distances, 2)
    # a distance is at least another if its leading bits are
    above, below = (np.cumsum(half[::-1])[::-1][keys] for half in halves)
    return above, below


def centred_sums(values: Array, centre: float, unit: float) -> tuple[int, int]:
    """NOT PRIVATE. Exact integers (sum u^2, sum u)."""
    second = first = 0
    for part in doubles(values):
        u = centred(part, centre, unit)
        second += int(np.sum(u * u))
        first += int(np.sum(u))
    return second, first


def centred(values: Array, centre: float, unit: float) -> NDArray[np.int64]:
    """NOT PRIVATE. How many units values are from a centre, rounded and cut to -+UNITS."""
    with np.errstate(all="ignore"):
        scaled = (values - centre) / unit
    return np.clip(np.rint(scaled), -UNITS, UNITS).astype(np.int64)
