"""From a resolved request of declared cells to exact counts, some thousand rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.labels import NO_LABEL, as_floats, number_codes
from leastnoise.frames.memory.summarise import rows_of
from leastnoise.frames.table import Table
from leastnoise.summaries.cells import Axis, Bins, CellRequest, CellSummary
from leastnoise.summaries.columns import Column
from leastnoise.summaries.pairs import exact

Codes = NDArray[np.int64]

_CHUNK = 1 << 16


def summarise_cells(table: Table, request: CellRequest) -> CellSummary:
    """NOT PRIVATE. Count the rows of every cell."""
    (name, *others), (axis, *_) = request.names, request.axes
    if not others and isinstance(axis, Bins):
        return CellSummary(tuple(bin_counts(table.column(name), axis.edges).tolist()))
    counts = np.zeros(request.size, np.int64)
    for _, cells in cell_codes(table, request, request.size):
        counts += np.bincount(cells[cells >= 0], minlength=request.size)
    return CellSummary(tuple(counts.tolist()))


def cell_codes(table: Table, request: CellRequest, size: int) -> Iterator[tuple[slice, Codes]]:
    """NOT PRIVATE. Yield blocks of rows with the cell of each row, negative for none.

    Blocks are long enough that adding up counts of this ``size`` costs little.
    """
    axes = [
        (axis.size, _reader(table, name, axis))
        for name, axis in zip(request.names, request.axes, strict=True)
    ]
    total, step = table.row_count(), max(_CHUNK, size)
    for start in range(0, total, step):
        rows = slice(start, min(start + step, total))
        cells, known = np.zeros(rows.stop - start, np.int64), np.True_
        for size_of, codes_of in axes:
            codes = codes_of(rows)
            known = known & (codes >= 0)
            cells = cells * size_of + codes
        yield rows, np.where(known, cells, NO_LABEL)


def _reader(table: Table, name: str | None, axis: Axis) -> Callable[[slice], Codes]:
    """A function from rows to their positions on one axis, negative for none."""
    if isinstance(axis, Bins):
        return partial(_bins_of, table.column(name), axis.edges)
    texts = [label for label in axis.labels if isinstance(label, str)]
    if texts:
        return table.text_codes(name, texts).__getitem__
    numbers = [label for label in exact(axis.labels) if not isinstance(label, str)]
    return partial(_labels_of, table.column(name), numbers)


def _bins_of(column: Column, edges: tuple[float, ...], rows: slice) -> Codes:
    return bin_codes(as_floats(rows_of(column, rows)), edges)


def _labels_of(column: Column, numbers: list[Fraction], rows: slice) -> Codes:
    return number_codes(rows_of(column, rows), numbers)


def bin_counts(column: Column, edges: tuple[float, ...]) -> NDArray[np.int64]:
    """NOT PRIVATE. The number of values of every bin, as ``bin_codes`` places them."""
    cuts = np.array(edges, dtype=np.float64)
    ends: Codes = np.zeros(len(cuts), dtype=np.int64)
    for start in range(0, len(column.values), _CHUNK):
        part = rows_of(column, slice(start, start + _CHUNK))
        values = part.values if part.missing is None else part.values[~part.missing]
        # NaN is sorted behind everything
        ordered = np.sort(values.astype(np.float64, copy=False))
        ends[:-1] += np.searchsorted(ordered, cuts[:-1], side="left")
        ends[-1] += np.searchsorted(ordered, cuts[-1], side="right")
    return np.diff(ends)


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
