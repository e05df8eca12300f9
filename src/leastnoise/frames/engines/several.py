"""Statistics of several columns side by side: inside the engine where it is exact there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leastnoise.frames.engines.batches import held, merged, tables
from leastnoise.frames.engines.engine import FEW, run
from leastnoise.frames.engines.metrics import (
    distances,
    summarise_confusion,
    summarise_determination,
    summarise_distances,
    summarise_ranking,
)
from leastnoise.frames.engines.numbers import EngineNumbers
from leastnoise.frames.engines.ordered import summarise_ordered
from leastnoise.frames.engines.vectors import fits_engine, summarise_vectors
from leastnoise.frames.engines.weighted import summarise_weighted as weighted_in_engine
from leastnoise.frames.memory.losses import chunks, summarise_losses
from leastnoise.frames.memory.numbers import counts_of
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.frames.memory.vectors import summarise_vectors as vectors_of
from leastnoise.frames.memory.weighted import summarise_weighted
from leastnoise.summaries.losses import Distance
from leastnoise.summaries.ordered import OrderedRequest, OrderedSummary
from leastnoise.summaries.pairs import (
    ConfusionRequest,
    DeterminationRequest,
    LossRequest,
    PairRequest,
    PairSummary,
    RankingRequest,
)
from leastnoise.summaries.vectors import VectorRequest, VectorSummary
from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from leastnoise.frames.engines.engine import Engine, Lazy
    from leastnoise.frames.memory.losses import Losses
    from leastnoise.frames.memory.table import NamedTable
    from leastnoise.summaries.lattice import Lattice

SeveralRequest = PairRequest | VectorRequest | WeightedRequest


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


def summarise_several(
    engine: Engine,
    frame: Lazy,
    columns: Sequence[str],
    request: SeveralRequest,
    depth: int | None,
    untyped: Collection[str],
) -> PairSummary | VectorSummary | OrderedSummary | WeightedSummary | None:
    """NOT PRIVATE. The summary; ``columns`` are those of the request in the frame."""
    if isinstance(request, ConfusionRequest):
        return summarise_confusion(engine, frame, columns, request)
    if isinstance(request, RankingRequest):
        return summarise_ranking(engine, frame, columns, request)
    if isinstance(request, DeterminationRequest):
        return summarise_determination(engine, frame, columns, request, depth)
    if isinstance(request, WeightedRequest):
        if depth is not None and depth <= FEW // 4:  # as many sums are compared with
            return weighted_in_engine(engine, frame, columns, request, depth)
        table = held(engine, frame, request.names, columns, untyped)
        return summarise_weighted(table, request, depth)
    if isinstance(request, OrderedRequest):
        return summarise_ordered(engine, frame, columns, request)
    parts = tables(engine, frame, request.names, columns, untyped)
    empty = request.empty(depth)
    if isinstance(request, LossRequest):
        if isinstance(request.loss, Distance):
            return summarise_distances(engine, frame, columns, request, depth)
        return merged(parts, lambda part: summarise_losses(part, request, depth), empty)
    if fits_engine(frame, columns, request):
        return summarise_vectors(engine, frame, columns, request)
    return merged(parts, lambda part: vectors_of(part, request), empty)
