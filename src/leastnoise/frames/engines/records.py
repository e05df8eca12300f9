"""The records of one column inside an engine, asked for by rank and counted by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import narwhals as nw

from leastnoise.frames.engines.edges import first_doubles, rows_below
from leastnoise.frames.engines.engine import check_same, run
from leastnoise.frames.engines.lattice import reach_of
from leastnoise.frames.engines.summarise import Selected
from leastnoise.frames.engines.windows import proposal, ranked_runs
from leastnoise.frames.memory.summarise import integers
from leastnoise.summaries.records import Ranks, Records


class EngineRecords(Records):
    """NOT PRIVATE. Every question is one pass over the rows, or two."""

    __slots__ = ("_n", "_sample", "_selected")

    def __init__(self, selected: Selected) -> None:
        self._selected = selected
        self._sample = selected.sample()
        _, self._n = selected.ranked([])

    def __len__(self) -> int:
        """How many records there are."""
        return self._n

    def windows(self, ranks: Sequence[Ranks]) -> list[list[int]]:
        """The order statistics of some ranks."""
        return run(self._selected.engine, lambda: self._windows(ranks))

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """Records below each point, and up to it."""
        return run(self._selected.engine, lambda: self._counts(points))

    def total(self, start: tuple[int, int], stop: tuple[int, int]) -> int:
        """The sum of the records between two ranks, each given beside its record."""
        (first, low), (last, high) = start, stop
        if low == high:
            return (last - first + 1) * low
        (_, until), (below, _) = self.counts([low, high])
        return run(self._selected.engine, lambda: self._between(low, high, below - until)) + (
            (until - first + 1) * low + (last - below) * high
        )

    def _between(self, low: int, high: int, rows: int) -> int:
        """The sum of the records above one point and below another."""
        selected, x = self._selected, nw.col("x")
        ends: list[int] | list[float] = [low + 1, high]
        if selected.whole is None:
            ends = first_doubles(selected.lattice, [low + 1, high])
        else:
            least, most = reach_of(selected.whole)
            ends = [max(low + 1, least), min(high, most + 1)]
        frame = selected.frame.filter((x >= ends[0]) & (x < ends[1]))
        _, n, total = replace(selected, frame=frame, loose=frame).summed([])
        check_same(selected.engine, n, rows)
        return total

    def _windows(self, ranks: Sequence[Ranks]) -> list[list[int]]:
        selected, n = self._selected, self._n
        ends = [proposal(self._sample, n, window) for window in ranks]
        brackets, _ = selected.ranked(ends, n)
        found = ranked_runs(selected.engine, selected.frame, n, ranks, brackets)
        return [integers(run, selected.lattice) for run in found]

    def _counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        lattice, n = self._selected.lattice, self._n
        edges = sorted({e for p in points for e in (p, p + 1) if lattice.low < e <= lattice.high})
        starts = dict(zip(edges, self._below(edges), strict=True))

        def below(point: int) -> int:
            return 0 if point <= lattice.low else starts.get(point, n)

        return [(below(p), below(p + 1)) for p in points]

    def _below(self, edges: Sequence[int]) -> list[int]:
        """The records below lattice points that lie above the lowest."""
        selected, n = self._selected, self._n
        if selected.whole is None:
            found, rows = rows_below(
                selected.engine, selected.frame, first_doubles(selected.lattice, edges)
            )
            check_same(selected.engine, rows, n)
            return found
        least, most = reach_of(selected.whole)
        inside = [e for e in edges if least < e <= most]
        found, rows = rows_below(selected.engine, selected.frame, inside)
        check_same(selected.engine, rows, n)
        counts = dict(zip(inside, found, strict=True))
        return [counts.get(e, 0 if e <= least else n) for e in edges]
