"""The numbers of one column inside an engine, before any lattice is known.

Numbers are counted between cuts, or grouped by a lattice point or by their first binary digits:
as many rows come back as public parameters tell. First digits are found with three operations of
IEEE 754 (c = x (2^s + 1), c - (c - x), after Veltkamp and Dekker), which round x to 53 - s binary
digits: a monotone map that leaves such numbers alone. Beside them stands on which side x lies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dtypes import DType
from numpy.typing import NDArray

from leastnoise.frames.engines.edges import rows_below
from leastnoise.frames.engines.engine import Engine, Lazy, Tally, check_same, run
from leastnoise.frames.engines.lattice import (
    clipped,
    divided,
    plain_number,
    present,
    relative,
    rounded,
)
from leastnoise.frames.engines.summarise import Selected, row_count
from leastnoise.frames.engines.windows import proposal, ranked_runs
from leastnoise.frames.memory.counting import counts_by_leading, distance_counts, is_leading
from leastnoise.frames.memory.numbers import UNITS, Index, SortedNumbers, beyond, counts_by_edges
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Ranks, Records, Repeated

Array = NDArray[Any]

# Cuts of at most so many binary digits are counted by first digits.
_DIGITS = 8
# Numbers are moved inside -+2**_MOST and those below 2**-_MOST to 0 before their digits are taken.
_MOST = 70


@dataclass(frozen=True, repr=False)
class EngineNumbers:
    """NOT PRIVATE. Doubles in a column x of a query, none of them missing."""

    engine: Engine
    frame: Lazy
    known: int | None = None
    """How many there are, where that has been counted."""

    @classmethod
    def of(
        cls, engine: Engine, frame: Lazy, column: nw.Expr, dtype: DType, imputed: float | None
    ) -> EngineNumbers:
        """One column of a frame; missing values dropped, or set to ``imputed``."""
        there = present(column, dtype)
        x = plain_number(column, dtype).cast(nw.Float64)
        if imputed is None:
            return cls(engine, frame.filter(there).select(x=x))
        x = nw.when(there).then(x).otherwise(nw.lit(imputed))
        return cls(engine, frame.select(x=x))

    @cached_property
    def _rows(self) -> int:
        if self.known is not None:
            return self.known
        return run(self.engine, lambda: row_count(self.engine, self.frame))

    def __len__(self) -> int:
        """How many there are."""
        return self._rows

    def counts(self, cuts: Array) -> tuple[Array, Array]:
        """The numbers below each cut, and those up to and with it."""
        edges, where = np.unique(cuts, return_inverse=True)
        digits = max(map(_digits, edges.tolist()), default=0)
        bits = is_leading(edges) if self.engine.in_process else None
        if bits is not None:
            below, until = self._added(lambda x: np.array(counts_by_leading(x, edges, bits)[:2]))
        elif digits > _DIGITS or self.engine.in_process:
            below, until = run(self.engine, lambda: self._counts(edges))
        else:
            below, until = run(self.engine, lambda: self._counts_by_digits(edges, digits))
        return below[where], until[where]

    def _added(self, counts: Callable[[Array], Array]) -> Array:
        """Counts of all numbers, added up over those that pass by in this process."""

        def added() -> Array:
            total, rows = counts(np.empty(0)), 0
            for batch in self.engine.batches(self.frame.select("x")):
                x = batch["x"].to_numpy()
                total, rows = total + counts(x), rows + len(x)
            check_same(self.engine, rows, len(self))
            return total

        return run(self.engine, added)

    def _counts(self, edges: Array) -> tuple[Array, Array]:
        with np.errstate(over="ignore"):  # beyond the largest one
            beyond = np.nextafter(edges, np.inf)  # up to x is below the next double
        both = np.unique(np.concatenate([edges, beyond]))
        found, rows = rows_below(self.engine, self.frame, both.tolist())
        check_same(self.engine, rows, len(self))
        counts = np.array(found, dtype=np.int64)
        return counts[np.searchsorted(both, edges)], counts[np.searchsorted(both, beyond)]

    def _counts_by_digits(self, edges: Array, digits: int) -> tuple[Array, Array]:
        values, sides, counts = self._grouped(max(2, digits))
        order = np.lexsort((sides, values))
        values, sides, counts = values[order], sides[order], counts[order]
        # three places an edge: below it, on it, above it; a value between edges is below the next
        above = np.searchsorted(edges, values, "left")
        on = edges[np.minimum(above, len(edges) - 1)] == values
        places = 3 * above + np.where(on, sides, -1)
        ends, wanted = np.cumsum([0, *counts.tolist()]), 3 * np.arange(len(edges))
        below, until = (ends[np.searchsorted(places, wanted, side)] for side in ("left", "right"))
        return below, until

    def _grouped(self, digits: int) -> tuple[Array, Array, Array]:
        """(value of this many leading digits, sign of the numbers: -1, 0 or 1, their count)."""
        x, most = nw.col("x"), 2.0**_MOST
        inside = clipped(x, -most, most)
        large = inside * (2.0 ** (53 - digits) + 1)
        near = large - (large - inside)
        tiny = (x < 2.0**-_MOST) & (x > -(2.0**-_MOST))
        near = nw.when(tiny).then(nw.lit(0.0)).otherwise(near)
        rows = self.frame.select(x=x, near=near)
        low, high = nw.col("x") < nw.col("near"), nw.col("x") > nw.col("near")
        side = nw.when(low).then(nw.lit(-1)).otherwise(nw.when(high).then(1).otherwise(nw.lit(0)))
        rows = rows.select(near=nw.col("near") + 0.0, side=side)
        table = self.engine.collect(self.engine.tallied(rows, ["near", "side"], {}))
        found = table.select("near", "side", "n").rows()
        check_same(self.engine, sum(int(n) for _, _, n in found), len(self))
        near_values, sides, counts = zip(*found, strict=True) if found else ((), (), ())
        return (
            np.array(near_values, dtype=np.float64),
            np.array(sides, dtype=np.int64),
            np.array(counts, dtype=np.int64),
        )

    def placed(self, lattice: Lattice) -> Repeated:
        """Grouped by lattice point."""
        return run(self.engine, lambda: self._placed(lattice))

    def _placed(self, lattice: Lattice) -> Repeated:
        point = rounded(relative(nw.col("x"), lattice)).cast(nw.Int64)
        table = self.engine.collect(
            self.engine.tallied(self.frame.select(point=point), ["point"], {})
        )
        found = [(int(point), int(n)) for point, n in table.select("point", "n").rows()]
        check_same(self.engine, sum(n for _, n in found), len(self))
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        return Repeated(pairs[:, 0] + lattice.base, pairs[:, 1])

    def foresee(self, guess: Callable[[SortedNumbers], Lattice]) -> None:
        """Nothing is gained."""

    def indexed(self, index: Index) -> Records:
        """Grouped by index where that has few values, else asked for by rank."""
        if index.bits >= _DIGITS:
            return _Indexed(self, index)
        return run(self.engine, lambda: self._indexed(index))

    def _indexed(self, index: Index) -> Repeated:
        values, sides, counts = self._grouped(index.bits + 1)
        # an index cuts off towards 0: what was rounded away from 0 belongs to the number before
        away = (values != 0) & (sides == -np.sign(values))
        inner = np.where(away, np.nextafter(values, 0.0), values)
        return Repeated(index.index(inner), counts)

    def windows(self, ranks: Sequence[Ranks]) -> list[Array]:
        """The numbers of some ranks, ascending."""
        return run(self.engine, lambda: self._windows(ranks))

    def _windows(self, ranks: Sequence[Ranks]) -> list[Array]:
        n = len(self)
        # brackets only look at rows: any lattice will do
        everything = Lattice(Fraction(1), 0, 0)
        selected = Selected(self.engine, self.frame, self.frame, everything, None, n)
        sample = selected.sample()
        brackets, _ = selected.ranked([proposal(sample, n, window) for window in ranks], n)
        return ranked_runs(self.engine, self.frame, n, ranks, brackets)

    def centred_sums(self, centre: float, unit: float) -> tuple[int, int]:
        """Summed in the engine."""
        return run(self.engine, lambda: self._centred_sums(centre, unit))

    def _centred_sums(self, centre: float, unit: float) -> tuple[int, int]:
        reach = 2 * UNITS * unit  # farther numbers are cut anyhow, and nothing overflows
        x = clipped(nw.col("x"), centre - reach, centre + reach)
        most = float(UNITS)
        u = rounded(clipped(divided(x - centre, unit), -most, most)).cast(nw.Int64)
        rows, u = self.frame.select(u=u), nw.col("u")
        asked = {"first": Tally("sum", u), "second": Tally("products", u, u)}
        row = self.engine.collect(self.engine.tallied(rows, (), asked)).rows(named=True)[0]
        check_same(self.engine, int(row["n"]), len(self))
        return int(row["second"] or 0), int(row["first"] or 0)

    def beyond(self, centre: float, keys: Array) -> tuple[Array, Array]:
        """Distances are counted in one pass by, or worked out in the engine and counted there."""
        if self.engine.in_process:
            return beyond(self._added(lambda x: distance_counts(x, centre)[0]), keys)
        moved = EngineNumbers(self.engine, self.frame.select(x=nw.col("x") - centre), len(self))
        edges = (keys << 48).view(np.float64)
        below, until = moved.counts(np.concatenate([edges, -edges]))
        return len(self) - below[: len(keys)], until[len(keys) :]

    def total(self, lattice: Lattice) -> tuple[int, int]:
        """(n, exact sum) on a lattice."""
        return run(self.engine, lambda: self._total(lattice))

    def _total(self, lattice: Lattice) -> tuple[int, int]:
        selected = Selected(self.engine, self.frame, self.frame, lattice, None, len(self))
        _, n, total = selected.summed([])
        check_same(self.engine, n, len(self))
        return n, total


class _Indexed(Records):
    """NOT PRIVATE. Indices of numbers, worked out here for the ranks that are asked for."""

    __slots__ = ("_index", "_numbers")

    def __init__(self, numbers: EngineNumbers, index: Index) -> None:
        self._numbers, self._index = numbers, index

    def __len__(self) -> int:
        """How many there are."""
        return len(self._numbers)

    def windows(self, ranks: Sequence[Ranks]) -> list[list[int]]:
        """The index is monotone, so ranks keep their order."""
        return [self._index.index(run).tolist() for run in self._numbers.windows(ranks)]

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """By comparing the numbers themselves."""
        return counts_by_edges(self._numbers, self._index, points)


def _digits(value: float) -> int:
    """The binary digits of a double from its first to its last 1; all where it is moved."""
    if value == 0:
        return 0
    if not 2.0**-_MOST <= abs(value) < 2.0**_MOST:
        return 53
    whole = abs(value.as_integer_ratio()[0])
    return (whole // (whole & -whole)).bit_length()
