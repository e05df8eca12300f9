"""How many rows lie below some numbers, and at which double a lattice point begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.engines.engine import Engine, Lazy
from leastnoise.summaries.lattice import Lattice

_SIGN = np.int64(-(2**63))


def rows_below(
    engine: Engine, frame: Lazy, edges: Sequence[int] | Sequence[float]
) -> tuple[list[int], int]:
    """For ascending edges the number of rows whose x is below each, and the number of all rows.

    ``frame`` has a column x without missing values, of the edges' type. The rows are counted
    between the edges, so an edge more costs the engine half a comparison a row, or none.
    """
    counts = np.zeros(len(edges) + 1, dtype=np.int64)
    if engine.in_process:
        for batch in engine.batches(frame.select("x")):
            x: NDArray[Any] = batch["x"].to_numpy()
            cells = np.searchsorted(np.array(edges, dtype=x.dtype), x, side="right")
            counts += np.bincount(cells, minlength=len(counts))
    else:
        # beside the rows: without edges the cell is one constant, and selected alone one row
        cells = frame.with_columns(cell=cell("x", edges)).select("cell")
        table = engine.collect(engine.tallied(cells, ["cell"], {}))
        for place, n in table.select("cell", "n").rows():
            counts[int(place)] += int(n)
    ends = np.cumsum(counts).tolist()
    return ends[:-1], ends[-1]


def cell(column: str, edges: Sequence[Any]) -> nw.Expr:
    """How many of some ascending edges are at most the column's value, by bisection."""

    def between(first: int, last: int) -> nw.Expr:
        if first == last:
            return nw.lit(first)
        middle = (first + last) // 2
        below = nw.when(nw.col(column) < edges[middle]).then(between(first, middle))
        return below.otherwise(between(middle + 1, last))

    return between(0, len(edges))


def first_doubles(lattice: Lattice, points: Sequence[int]) -> list[float]:
    """For each lattice point above the lowest the least double that is rounded to it or higher.

    Rounding to the lattice is monotone, so this is found by bisection over all doubles.
    """
    low = np.full(len(points), _ordinal(np.array([-np.inf]))[0])
    high = np.full(len(points), _ordinal(np.array([np.inf]))[0])
    wanted: NDArray[Any] = np.array(points, dtype=object)
    while np.any(low < high):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        there = lattice.quantise(_double(middle)).astype(object) >= wanted
        low, high = np.where(there, low, middle + 1), np.where(there, middle, high)
    return _double(high).tolist()


def _ordinal(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Doubles as integers in the same order; both zeros are 0."""
    raw = values.view(np.int64)
    return np.where(raw < 0, _SIGN - raw, raw)


def _double(ordinals: NDArray[np.int64]) -> NDArray[np.float64]:
    raw = np.where(ordinals < 0, _SIGN - ordinals, ordinals)
    return raw.view(np.float64)
