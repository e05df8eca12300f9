"""From a resolved request of a model metric to its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leastnoise.frames.labels import whole_codes
from leastnoise.frames.losses import summarise_losses
from leastnoise.summaries.confusion import ConfusionSummary
from leastnoise.summaries.pairs import ConfusionRequest

if TYPE_CHECKING:
    from leastnoise.frames.table import Table
    from leastnoise.summaries.pairs import PairRequest, PairSummary


def summarise_pair(table: Table, request: PairRequest, depth: int | None) -> PairSummary:
    """NOT PRIVATE. Read targets and predictions and keep what the request asks for."""
    if isinstance(request, ConfusionRequest):
        return _confusion(table, request)
    return summarise_losses(table, request, depth)


def _confusion(table: Table, request: ConfusionRequest) -> ConfusionSummary:
    size = len(request.labels)
    rows, columns = (whole_codes(table, name, request.labels) for name in request.names)
    known = (rows >= 0) & (columns >= 0)
    cells = np.bincount(rows[known] * size + columns[known], minlength=size * size)
    counts = [int(count) for count in cells.tolist()]
    return ConfusionSummary(tuple(tuple(counts[i : i + size]) for i in range(0, size * size, size)))
