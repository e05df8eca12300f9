"""One pass over rows that an engine in this process hands on, run by run.

Nothing moves: the rows are read where the engine has just made them, and given up at once. The
sums, and the few rows that are kept, are those of columns in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.engines.engine import FEW, Engine, Lazy
from leastnoise.frames.engines.windows import Bracket, Ends, are_few
from leastnoise.frames.memory.chunks import chunks
from leastnoise.frames.memory.power_sums import power_sums
from leastnoise.frames.memory.selection import Collector
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.summaries.lattice import Lattice

Array = NDArray[Any]


@dataclass(slots=True, repr=False)
class Pass:
    """NOT PRIVATE. Rows, sums and the values inside some brackets, as they add up."""

    ends: Sequence[Ends]
    n: int = 0
    total: int = 0
    squares: int = 0
    kept: int = 0
    collector: Collector = field(init=False)

    def __post_init__(self) -> None:
        self.collector = Collector([(e.low, e.high) for e in self.ends])

    def add(self, x: Array) -> None:
        """Take in rows without NaN for the brackets."""
        before = len(self.collector.kept)
        if self.ends:
            for chunk in chunks(x):
                self.collector.add(chunk)
        self.kept += sum(map(len, self.collector.kept[before:]))

    def brackets(self) -> list[Bracket]:
        """What was counted and kept."""
        if not self.n:
            return [Bracket.read(e, 0, np.empty(0)) for e in self.ends]
        found = self.collector.pieces() if self.ends else []
        return [
            Bracket.read(e, piece.below, piece.values)
            for e, piece in zip(self.ends, found, strict=True)
        ]


def passed_by(
    engine: Engine, frame: Lazy, lattice: Lattice, ends: Sequence[Ends], *, squares: bool
) -> Pass | None:
    """The pass; None where a bracket holds, or turns out to hold, too many rows to keep."""
    if not all(are_few(ends)):
        return None
    found = Pass(ends)
    for batch in engine.batches(frame.select("x")):
        x = batch["x"].to_numpy()
        n, total, more = _sums(x, lattice, squares=squares)
        if n < len(x):
            x = x[~np.isnan(x)]
            n, total, more = _sums(x, lattice, squares=squares)
        found.n, found.total, found.squares = found.n + n, found.total + total, found.squares + more
        found.add(x)
        if found.kept > FEW:
            return None
    return found


def _sums(x: Array, lattice: Lattice, *, squares: bool) -> tuple[int, int, int]:
    """(rows without NaN, sum, sum of squares or 0) of the lattice integers; 0 rows for squares
    where there is a NaN.
    """
    if not squares:
        return (*exact_sum(x, lattice, None), 0)
    sums = power_sums(x, lattice)
    return (0, 0, 0) if sums is None else (len(x), *sums)
