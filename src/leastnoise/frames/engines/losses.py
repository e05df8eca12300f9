"""All losses of a table that an engine holds, before any lattice is known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from leastnoise.frames.engines.batches import tables
from leastnoise.frames.engines.engine import Engine, Lazy, run
from leastnoise.frames.engines.metrics import distances
from leastnoise.frames.engines.numbers import EngineNumbers
from leastnoise.frames.memory.counting import counts_of
from leastnoise.frames.memory.losses import Losses, chunks
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.frames.memory.table import NamedTable
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.losses import Distance
from leastnoise.summaries.pairs import LossRequest


@dataclass(frozen=True, slots=True, repr=False)
class PassingLosses:
    """NOT PRIVATE. Losses of rows that pass by, once for every question."""

    engine: Engine
    request: LossRequest
    rows: Callable[[], Iterator[NamedTable]]

    def _parts(self) -> Iterator[NDArray[Any]]:
        return (part for rows in self.rows() for part in chunks(rows, self.request))

    def __len__(self) -> int:
        """How many there are."""
        return run(self.engine, lambda: sum(len(part) for part in self._parts()))

    def counts(self, cuts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """For each cut the losses below it, and those up to and with it."""
        return run(self.engine, lambda: counts_of(self._parts(), cuts))

    def total(self, lattice: Lattice) -> tuple[int, int]:
        """(n, exact sum) on a lattice."""

        def work() -> tuple[int, int]:
            sums = [exact_sum(part, lattice, None) for part in self._parts()]
            return sum(n for n, _ in sums), sum(total for _, total in sums)

        return run(self.engine, work)


def losses_of(
    engine: Engine,
    frame: Lazy,
    columns: Sequence[str],
    request: LossRequest,
    untyped: Collection[str],
) -> Losses:
    """NOT PRIVATE. All losses: distances in the engine, cross-entropies as rows pass by."""
    if isinstance(request.loss, Distance):
        return EngineNumbers(engine, distances(frame, columns, request))
    return PassingLosses(
        engine, request, lambda: tables(engine, frame, request.names, columns, untyped)
    )
