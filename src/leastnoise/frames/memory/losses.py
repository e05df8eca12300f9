"""From targets and predictions to the summary of their losses, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.labels import as_floats, label_codes
from leastnoise.frames.memory.numbers import SortedNumbers
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.frames.table import Table
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.losses import Workspace
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.pairs import Label, LossRequest

Array = NDArray[Any]

CHUNK = 1 << 16


def summarise_losses(table: Table, request: LossRequest, depth: int | None) -> MomentSummary:
    """NOT PRIVATE. Count, exact sum and extremes of the losses; never raises on values.

    Memory beside the columns: one chunk and the extremes.
    """
    lattice = request.lattice
    least, most = _Extremes(depth, largest=False), _Extremes(depth, largest=True)
    n, total = 0, 0
    for losses in chunks(table, request):
        count, part = exact_sum(losses, lattice, None)
        n, total = n + count, total + part
        least.add(losses)
        most.add(losses)
    smallest, largest = (
        [int(z) for z in lattice.quantise(extremes.ordered()).tolist()]
        for extremes in (least, most)
    )
    return MomentSummary(n, total, lattice, smallest, largest, depth)


class Losses(Protocol):
    """NOT PRIVATE. All losses, before any lattice is known."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def counts(self, cuts: Array) -> tuple[Array, Array]:
        """For each cut, in any order, the losses below it, and those up to and with it."""
        ...

    def total(self, lattice: Lattice) -> tuple[int, int]:
        """(n, exact sum) on a lattice."""
        ...


def sorted_losses(table: Table, request: LossRequest) -> SortedNumbers:
    """NOT PRIVATE. All losses, before any lattice is known."""
    parts = (part.copy() for part in chunks(table, request))
    return SortedNumbers(np.sort(np.concatenate([np.empty(0), *parts])))


def chunks(table: Table, request: LossRequest) -> Iterator[Array]:
    """The losses in order of the rows; the array is reused, so it must be read at once."""
    loss = request.loss
    name, *others = request.names
    if loss.labels is None:
        target = as_floats(table.column(name))
    else:
        target = label_codes(table, name, cast("tuple[Label, ...]", loss.labels))
    predictions = [as_floats(table.column(other)) for other in others]
    work = Workspace(min(CHUNK, max(1, len(target))), loss.arrays(len(predictions)))
    for start in range(0, len(target), CHUNK):
        part = slice(start, start + CHUNK)
        rows, given = target[part], [p[part] for p in predictions]
        with np.errstate(all="ignore"):  # a NaN may be a signalling one
            losses = loss.of(rows, given, work)
            if np.isnan(np.add.reduce(losses)):
                gone = np.isnan(losses)
                if request.missing.drops:
                    losses = losses[~gone]
                else:
                    losses[gone] = loss.repaired(rows[gone], [p[gone] for p in given])
        yield losses


class _Extremes:
    """The ``count`` largest or smallest entries of chunks; all of them for None."""

    def __init__(self, count: int | None, *, largest: bool) -> None:
        self.count, self.largest = count, largest
        self._parts: list[Array] = []
        self._held = 0
        self._limit: float | None = None

    def add(self, chunk: Array) -> None:
        if self.count == 0:
            return
        if self._limit is not None:
            chunk = chunk[chunk > self._limit if self.largest else chunk < self._limit]
        else:
            chunk = chunk.copy()
        if len(chunk):
            self._parts.append(chunk)
            self._held += len(chunk)
        if self.count is not None and self._held > 2 * self.count:
            kept = self._cut(np.concatenate(self._parts), self.count)
            self._limit = float(kept.min() if self.largest else kept.max())
            self._parts, self._held = [kept], len(kept)

    def _cut(self, values: Array, count: int) -> Array:
        if len(values) <= count:
            return values
        if self.largest:
            return np.partition(values, len(values) - count)[len(values) - count :]
        return np.partition(values, count - 1)[:count]

    def ordered(self) -> Array:
        """Descending for the largest, ascending for the smallest."""
        values = np.concatenate([np.empty(0), *self._parts])
        if self.count is not None:
            values = self._cut(values, self.count) if self.count else values[:0]
        ordered = np.sort(values)
        return ordered[::-1] if self.largest else ordered
