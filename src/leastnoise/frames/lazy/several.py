"""Statistics of several columns side by side: inside the engine where it is exact there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise.frames.lazy.batches import held, merged, tables
from leastnoise.frames.lazy.metrics import (
    summarise_confusion,
    summarise_determination,
    summarise_distances,
    summarise_ranking,
)
from leastnoise.frames.lazy.vectors import fits_engine, summarise_vectors
from leastnoise.frames.losses import summarise_losses
from leastnoise.frames.vectors import summarise_vectors as vectors_of
from leastnoise.frames.weighted import summarise_weighted
from leastnoise.summaries.losses import Distance
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
    from collections.abc import Collection, Sequence

    from leastnoise.frames.lazy.engines import Engine, Lazy

SeveralRequest = PairRequest | VectorRequest | WeightedRequest


def summarise_several(
    engine: Engine,
    frame: Lazy,
    columns: Sequence[str],
    request: SeveralRequest,
    depth: int | None,
    untyped: Collection[str],
) -> PairSummary | VectorSummary | WeightedSummary:
    """NOT PRIVATE. The summary; ``columns`` are those of the request in the frame."""
    if isinstance(request, ConfusionRequest):
        return summarise_confusion(engine, frame, columns, request)
    if isinstance(request, RankingRequest):
        return summarise_ranking(engine, frame, columns, request)
    if isinstance(request, DeterminationRequest):
        return summarise_determination(engine, frame, columns, request, depth)
    if isinstance(request, WeightedRequest):
        table = held(engine, frame, request.names, columns, untyped)
        return summarise_weighted(table, request)
    parts = tables(engine, frame, request.names, columns, untyped)
    empty = request.empty(depth)
    if isinstance(request, LossRequest):
        if isinstance(request.loss, Distance):
            return summarise_distances(engine, frame, columns, request, depth)
        return merged(parts, lambda part: summarise_losses(part, request, depth), empty)
    if fits_engine(frame, columns, request):
        return summarise_vectors(engine, frame, columns, request)
    return merged(parts, lambda part: vectors_of(part, request), empty)
