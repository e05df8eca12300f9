"""From a resolved request of declared cells to exact counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leastnoise.frames.memory.labels import NO_LABEL, as_floats, whole_codes
from leastnoise.summaries.cells import Bins, CellSummary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leastnoise.frames.table import Table
    from leastnoise.summaries.cells import Axis, CellRequest


def summarise_cells(table: Table, request: CellRequest) -> CellSummary:
    """NOT PRIVATE. Count the rows of every cell."""
    known: NDArray[np.bool_] | None = None
    cells: NDArray[np.int64] | None = None
    for name, axis in zip(request.names, request.axes, strict=True):
        codes = _axis_codes(table, name, axis)
        found = codes != NO_LABEL
        known = found if known is None else known & found
        cells = codes if cells is None else cells * axis.size + codes
    if cells is None or known is None:
        raise TypeError("a request of cells has at least one axis")
    counts = np.bincount(cells if known.all() else cells[known], minlength=request.size)
    return CellSummary(tuple(int(count) for count in counts.tolist()))


def _axis_codes(table: Table, name: str | None, axis: Axis) -> NDArray[np.int64]:
    if isinstance(axis, Bins):
        return bin_codes(as_floats(table.column(name)), axis.edges)
    return whole_codes(table, name, axis.labels)


def bin_codes(values: NDArray[np.generic], edges: tuple[float, ...]) -> NDArray[np.int64]:
    """NOT PRIVATE. The positions of the bins of the values, compared as float64; -1 for none.

    Bins are closed on the left and open on the right, the last one closed on both sides.
    """
    numbers = values.astype(np.float64, copy=False)
    codes = (
        np.searchsorted(np.array(edges, dtype=np.float64), numbers, side="right").astype(np.int64)
        - 1
    )
    last = len(edges) - 2
    with np.errstate(all="ignore"):
        codes[numbers == edges[-1]] = last
    codes[codes > last] = NO_LABEL  # NaN is sorted behind everything
    return codes
