"""Records counted between public cuts: all that a search over the cuts can tell of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.summaries.ranks import RankSummary, Run
from leastnoise.summaries.spec import RankRequest

if TYPE_CHECKING:
    from leastnoise.frames.engines.summarise import Selected

Array = NDArray[Any]


class CountedRecords(Sequence[int]):
    """NOT PRIVATE. Ascending lattice integers, each moved to its cut or just above the one below.

    Comparisons with a cut come out as for the records themselves. ``ends`` are the numbers of
    records up to and with each cell: the first cut, what lies between it and the second, the
    second, and so on.
    """

    __slots__ = ("_cuts", "_ends")

    def __init__(self, cuts: Sequence[int], ends: Sequence[int]) -> None:
        self._cuts, self._ends = cuts, ends

    def __len__(self) -> int:
        """How many records there are."""
        return self._ends[-1]

    def __getitem__(self, index: Any) -> Any:
        """One record by its place, counted from 0."""
        if not 0 <= index < len(self):
            raise IndexError("no such record")
        cell = bisect_right(self._ends, index)
        return self._cuts[cell // 2] + cell % 2


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
