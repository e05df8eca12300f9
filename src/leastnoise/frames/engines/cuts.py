"""Records counted between public cuts: all that a search over the cuts can tell of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.engines.summarise import Selected
from leastnoise.summaries.ranks import RankRequest, RankSummary, Run
from leastnoise.summaries.records import CountedRecords

Array = NDArray[Any]


def count_between(selected: Selected, request: RankRequest, cuts: Sequence[int]) -> RankSummary:
    """NOT PRIVATE. The records between ascending cuts, the first and last of which are the limits.

    Rows pass by some thousand at a time; what stays is two numbers a cut.
    """
    lattice = request.lattice
    small = max(abs(cuts[0]), abs(cuts[-1])) < 2**62
    edges: Array = np.array(cuts, dtype=np.int64 if small else object)
    counts = np.zeros(2 * len(edges) - 1, dtype=np.int64)
    for batch in selected.engine.batches(selected.frame.select("x")):
        points: Array = lattice.quantise(batch["x"].to_numpy())
        above = np.searchsorted(edges, points, side="right")
        cells = 2 * (above - 1) + (edges[above - 1] != points)
        counts += np.bincount(cells, minlength=len(counts))
    records = CountedRecords(cuts, np.cumsum(counts).tolist())
    run = Run(1, records)
    return RankSummary(len(records), lattice, request.at, (run,) * len(request.at), None)
