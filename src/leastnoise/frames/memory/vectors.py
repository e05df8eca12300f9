"""Exact sums of the coordinates of a moment vector, chunk by chunk.

Whole numbers of at most 20 bits multiply and add exactly in doubles over 2**12 rows, so the cross
products of a chunk are one matrix product; wider lattices are cut into limbs of 20 bits first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.foreign import guarded, stop_if_signalled
from leastnoise.frames.table import Table
from leastnoise.production import sealed
from leastnoise.summaries.columns import Column
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.vectors import RecordMap, VectorRequest, VectorSummary

_CHUNK = 1 << 12
_LIMB = 20

Array = NDArray[Any]


def summarise_vectors(table: Table, request: VectorRequest) -> VectorSummary:
    """NOT PRIVATE. Read the columns row by row; never raises on values."""
    columns = [table.column(name) for name in request.names]
    gone = [_missing(column) for column in columns]
    size = len(columns[0].values)
    m = request.space.columns
    mapped = request.record_map
    lattices = request.lattices if mapped is None else mapped.inputs
    fills = request.fills if mapped is None else mapped.fills
    kept = 0
    sums = [0] * m
    products = [[0] * m for _ in range(m)]
    for start in range(0, size, _CHUNK):
        rows = slice(start, start + _CHUNK)
        masks = [None if mask is None else mask[rows] for mask in gone]
        z = np.array(
            [
                _whole(column.values[rows], mask, lattice, fill)
                for column, mask, lattice, fill in zip(columns, masks, lattices, fills, strict=True)
            ]
        )
        if request.missing.drops:
            drop = np.zeros(z.shape[1], dtype=bool)
            for mask in masks:
                if mask is not None:
                    drop |= mask
            z = z[:, ~drop]
        if mapped is not None:
            z = _images(z, mapped, request.lattices)
        for group in request.space.exclusive:
            _keep_first(z, group)
        kept += z.shape[1]
        _add(z, sums, products, request.space.degree)
    return VectorSummary(kept, totals(request, kept, sums, products), request.units)


def _images(z: Array, mapped: RecordMap, lattices: tuple[Lattice, ...]) -> Array:
    """Z of the values of a user's function, record by record; a failure counts as the middle.

    The function gets a list of its own and learns nothing of other records; what it prints, warns,
    logs or raises is swallowed.
    """
    steps = [float(x.step) for x in mapped.inputs]
    offsets = [x.low + x.high for x in mapped.inputs]
    found = np.empty((z.shape[1], len(lattices)))
    with guarded(), sealed():
        for i, whole in enumerate(z.T.tolist()):
            record = [
                (value + offset) / 2 * step
                for value, offset, step in zip(whole, offsets, steps, strict=True)
            ]
            found[i] = _image(mapped.function, record, len(lattices))
    gone = np.isnan(found)
    return np.array(
        [
            _whole(column, mask, lattice, lattice.middle)
            for column, mask, lattice in zip(found.T, gone.T, lattices, strict=True)
        ]
    )


def _image(function: Callable[[list[float]], Any], record: list[float], size: int) -> list[float]:
    try:
        values = [float(x) for x in function(record)]
    except BaseException:  # whatever the function does, the record counts as the middle of the box
        stop_if_signalled()
        return [np.nan] * size
    return values if len(values) == size else [np.nan] * size


def _missing(column: Column) -> NDArray[np.bool_] | None:
    if column.missing is not None:
        return column.missing
    if column.values.dtype.kind != "f":
        return None
    mask = np.isnan(column.values)
    return mask if mask.any() else None


def _whole(values: Array, mask: Array | None, lattice: Lattice, fill: int) -> Array:
    """Z = 2 X - (low + high) of one column, with ``fill`` where a value is missing."""
    if mask is not None:
        values = np.where(mask, values.dtype.type(0), values)
    x = lattice.quantise(values)
    wide = lattice.width >= 1 << 60 or max(abs(lattice.low), abs(lattice.high)) >= 1 << 61
    x = x.astype(object) if wide else x.astype(np.int64)
    if mask is not None:
        x = np.where(mask, fill, x)
    return 2 * x - (lattice.low + lattice.high)


def _keep_first(z: Array, group: tuple[int, ...]) -> None:
    """Keep, in place, only the first of several indicators that are 1 in a row."""
    seen = np.zeros(z.shape[1], dtype=bool)
    for j in group:
        one = z[j] == 1
        z[j][one & seen] = -1
        seen |= one


def _add(z: Array, sums: list[int], products: list[list[int]], degree: int) -> None:
    """Add the sums and the cross products of a chunk, both exact."""
    limbs: list[Array] = []
    rest = z
    while True:
        if rest.dtype != object and (not rest.size or np.abs(rest).max() <= 1 << _LIMB):
            limbs.append(rest.astype(np.float64))
            break
        limbs.append((rest & ((1 << _LIMB) - 1)).astype(np.float64))
        rest = rest >> _LIMB
        if rest.dtype == object and (not rest.size or max(abs(int(x)) for x in rest.flat) < 2**62):
            rest = rest.astype(np.int64)
    m = len(sums)
    for a, left in enumerate(limbs):
        for j, part in enumerate(left.sum(axis=1).tolist()):
            sums[j] += int(part) << (_LIMB * a)
        if degree == 1:
            continue
        for b, right in enumerate(limbs):
            table = (left @ right.T).tolist()
            for j in range(m):
                for k in range(m):
                    products[j][k] += int(table[j][k]) << (_LIMB * (a + b))


def totals(
    request: VectorRequest, n: int, sums: list[int], products: list[list[int]]
) -> tuple[int, ...]:
    """The coordinates of the sum of T(z) in their units."""
    space, w = request.space, request.widths
    group = space.group
    # 2 x_j in units of 2: the number of rows in which it is 1
    found = [(total + n) // 2 if j in group else total for j, total in enumerate(sums)]
    found += [2 * products[j][j] - n * w[j] ** 2 for j in space.squares or ()]
    for j, k in space.crosses:
        if j in group and k in group:
            # 2 x_j x_k in units of 2: both are 1
            found.append((products[j][k] + sums[j] + sums[k] + n) // 4)
        elif j in group:
            found.append((products[j][k] + sums[k]) // 2)
        elif k in group:
            found.append((products[j][k] + sums[j]) // 2)
        else:
            found.append(products[j][k])
    return tuple(found)
