"""One pass over rows that an engine in this process hands on, run by run.

Nothing moves: the rows are read where the engine has just made them, and given up at once. The
sums are those of columns in memory; the engine marks the few rows that are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.lazy.engines import FEW
from leastnoise.frames.lazy.windows import Bracket, Ends, are_few, within_any
from leastnoise.frames.power_sums import power_sums
from leastnoise.frames.selection import inside_of
from leastnoise.frames.sums import exact_sum
from leastnoise.summaries.lattice import Lattice

if TYPE_CHECKING:
    from leastnoise.frames.lazy.engines import Engine, Lazy

Array = NDArray[Any]


@dataclass(slots=True, repr=False)
class Pass:
    """NOT PRIVATE. Rows, sums and the values inside some brackets, as they add up."""

    ends: Sequence[Ends]
    n: int = 0
    total: int = 0
    squares: int = 0
    below: list[int] = field(default_factory=list[int])
    kept: list[Array] = field(default_factory=list[Array])

    def brackets(self) -> list[Bracket]:
        """What was counted and kept."""
        kept = np.concatenate(self.kept) if self.kept else np.empty(0)
        kept = kept[~np.isnan(kept)]  # an engine may place NaN above all numbers
        found: list[Bracket] = []
        for e, below in zip(self.ends, self.below, strict=True):
            inside = inside_of(kept, e.low, e.high)
            below = self.n - len(inside) if e.high is None and e.low is not None else below
            found.append(Bracket.read(e, below, inside))
        return found


def passed_by(
    engine: Engine, frame: Lazy, lattice: Lattice, ends: Sequence[Ends], *, squares: bool
) -> Pass | None:
    """The pass; None where a bracket holds, or turns out to hold, too many rows to keep."""
    import narwhals as nw

    if not all(are_few(ends)):
        return None
    found, held = Pass(ends, below=[0] * len(ends)), 0
    marks = {"kept": within_any(ends)} if ends else {}
    counted = [i for i, e in enumerate(ends) if e.low is not None and e.high is not None]
    marks |= {f"below {i}": nw.col("x") < ends[i].low for i in counted}
    for batch in engine.batches(frame.select("x", **marks)):
        if ends:
            kept = batch["x"].filter(batch["kept"])
            held += len(kept)
            found.kept.append(kept.to_numpy())
        for i in counted:
            found.below[i] += int(batch[f"below {i}"].sum())
        if held > FEW:
            return None
        x = batch["x"].to_numpy()
        n, total, more = _sums(x, lattice, squares=squares)
        if n < len(x):
            n, total, more = _sums(x[~np.isnan(x)], lattice, squares=squares)
        found.n, found.total, found.squares = found.n + n, found.total + total, found.squares + more
    return found


def _sums(x: Array, lattice: Lattice, *, squares: bool) -> tuple[int, int, int]:
    """(rows without NaN, sum, sum of squares or 0) of the lattice integers; 0 rows for squares
    where there is a NaN.
    """
    if not squares:
        return (*exact_sum(x, lattice, None), 0)
    sums = power_sums(x, lattice)
    return (0, 0, 0) if sums is None else (len(x), *sums)
