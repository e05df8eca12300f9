"""From a resolved request of a model metric to its summary."""

from __future__ import annotations

import numpy as np

from leastnoise.frames.memory.labels import as_floats, whole_codes
from leastnoise.frames.memory.losses import summarise_losses
from leastnoise.frames.memory.summarise import missing_at
from leastnoise.frames.memory.table import NamedTable, array_table
from leastnoise.frames.table import Table
from leastnoise.summaries.metrics import ConfusionSummary, DeterminationSummary, RankingSummary
from leastnoise.summaries.pairs import ConfusionRequest, DeterminationRequest, RankingRequest
from leastnoise.summaries.spec import SpreadRequest


def summarise_confusion(table: Table, request: ConfusionRequest) -> ConfusionSummary:
    """NOT PRIVATE. Count the rows of every pair of declared labels."""
    size = len(request.labels)
    rows, columns = (whole_codes(table, name, request.labels) for name in request.names)
    known = (rows >= 0) & (columns >= 0)
    cells = np.bincount(rows[known] * size + columns[known], minlength=size * size)
    counts = [int(count) for count in cells.tolist()]
    return ConfusionSummary(tuple(tuple(counts[i : i + size]) for i in range(0, size * size, size)))


def summarise_ranking(table: Table, request: RankingRequest) -> RankingSummary:
    """NOT PRIVATE. Count the pairs of a positive and a negative row that are ranked right."""
    codes = whole_codes(table, request.names[0], request.labels)
    column = table.column(request.names[1])
    scores, there = column.values, ~missing_at(column)
    positive, negative = (np.sort(scores[(codes == label) & there]) for label in (1, 0))
    # a negative below or level with a positive: one each, so a tie counts once of two
    below = np.searchsorted(negative, positive, side="left")
    level = np.searchsorted(negative, positive, side="right")
    return RankingSummary(int(below.sum()) + int(level.sum()), len(positive), len(negative))


def summarise_determination(
    table: Table, request: DeterminationRequest, depth: int | None
) -> DeterminationSummary:
    """NOT PRIVATE. The squared errors, and the spread of the targets of the same rows."""
    target, prediction = (as_floats(table.column(name)) for name in request.names)
    blank = np.isnan(target)
    if request.missing.drops:
        kept = ~(blank | np.isnan(prediction))
        target, prediction = target[kept], prediction[kept]
    else:
        target = np.where(blank, float(request.fill), target)
    columns = map(array_table, (target, prediction))
    clean = NamedTable.of(dict(zip(request.names, columns, strict=True)))
    spread = SpreadRequest(request.names[0], request.targets, request.missing)
    losses = summarise_losses(clean, request.losses, depth)
    return DeterminationSummary(losses, clean.summarise(spread, depth))
