"""Values beside weights: each row by itself becomes two integers."""

from __future__ import annotations

import numpy as np

from leastnoise.frames.memory.labels import as_floats
from leastnoise.frames.memory.summarise import missing_at
from leastnoise.frames.table import Table
from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary


def summarise_weighted(
    table: Table, request: WeightedRequest, depth: int | None
) -> WeightedSummary:
    """NOT PRIVATE. Rows without a value or a positive weight count for nothing; never raises."""
    column = table.column(request.names[0])
    weights = as_floats(table.column(request.names[1]))
    with np.errstate(all="ignore"):
        scaled = np.rint(weights / float(request.grain))
        whole = np.where(scaled > 0, np.minimum(scaled, request.most), 0).astype(np.int64)
    kept = (whole > 0) & ~missing_at(column)
    places = request.lattice.quantise(column.values[kept])
    order = np.argsort(places, kind="stable")
    sums = np.cumsum(whole[kept][order])
    total = int(sums[-1]) if len(sums) else 0
    return WeightedSummary(request.lattice, request.most, places[order], sums, total, depth)
