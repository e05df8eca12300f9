"""The values of a column under a missing policy, and their lattice integers."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.comparisons import equal_places
from leastnoise.summaries.columns import Column

if TYPE_CHECKING:
    from leastnoise.frames.readers.absent import Absent
    from leastnoise.summaries.lattice import Lattice
    from leastnoise.summaries.spec import MissingPolicy

Array = NDArray[Any]

# Longer products would wake the threads of the linear algebra library, which costs more.
_ROW = 1 << 13


def gone(column: Column) -> NDArray[np.bool_]:
    """Where values are missing."""
    if column.values.dtype.kind == "f":
        with np.errstate(all="ignore"):
            found = np.isnan(column.values)
        return found if column.missing is None else found | column.missing
    if column.missing is None:
        return np.zeros(len(column.values), dtype=bool)
    return column.missing


def marked(values: NDArray[Any], absent: Absent) -> NDArray[np.bool_] | None:
    """NOT PRIVATE. Where a number stands for a missing entry; None where no number does."""
    if not absent.numbers and not absent.infinite:
        return None
    found = equal_places(values, absent.numbers) >= 0
    for number in absent.infinite if values.dtype.kind == "f" else ():
        found |= values == number
    return found


def rows_of(column: Column, rows: slice) -> Column:
    """Some rows of a column, without a copy."""
    missing = None if column.missing is None else column.missing[rows]
    return Column(column.type, column.values[rows], missing)


def present(column: Column) -> Array:
    """The values that are not missing."""
    values = column.values
    if column.missing is not None:
        return values[~column.missing]
    if values.dtype.kind != "f":
        return values
    if not holds_nan(values):
        return values
    with np.errstate(all="ignore"):
        return values[~np.isnan(values)]


def holds_nan(values: Array) -> bool:
    """Whether a floating-point array holds a NaN: squares add up to one only there."""
    whole = len(values) // _ROW * _ROW
    with np.errstate(all="ignore"):
        rows, rest = values[:whole].reshape(-1, _ROW), values[whole:]
        return bool(np.isnan(np.vecdot(rows, rows)).any() or np.isnan(rest).any())


def filled(column: Column, lattice: Lattice, policy: MissingPolicy) -> Array:
    """The values with missing ones dropped, or set to the imputed lattice point."""
    values = present(column)
    gone = len(column.values) - len(values)
    if policy.impute is None:
        return values
    if lattice.whole(values):
        # one integer type for all: a common float type would round every other record
        kept = (
            lattice.clip_integers(values).astype(lattice.holder)
            if clips(values, lattice, policy)
            else values
        )
        if not gone:
            return kept
        if kept is values:
            kept = values.astype(_wide(values), copy=False)
        return np.concatenate([kept, np.full(gone, policy.impute, dtype=kept.dtype)])
    if not gone:
        return values
    return np.concatenate([values.astype(np.float64), np.full(gone, policy.raw)])


def _wide(values: Array) -> Any:
    """The integer type of 64 bits that holds these integers."""
    return np.uint64 if values.dtype == np.uint64 else np.int64


def clips(values: Array, lattice: Lattice, policy: MissingPolicy) -> bool:
    """Whether an imputed integer fits beside these integers only once they are inside the limits.

    A function of types and parameters, not of whether anything is missing.
    """
    if policy.impute is None or not lattice.whole(values):
        return False
    info = np.iinfo(_wide(values))
    return not info.min <= policy.impute <= info.max


def integers(run: Array, lattice: Lattice) -> list[int]:
    """A few values as lattice integers."""
    return _python(lattice.quantise(run))


def packed(run: Array, lattice: Lattice) -> Sequence[int]:
    """Many values as lattice integers, in 64-bit words that numpy reads as they are if they fit."""
    return words(lattice.quantise(run))


def words(points: Array) -> Sequence[int]:
    """Whole numbers in words of 64 bits if they fit."""
    return array("q", points.tobytes()) if points.dtype == np.int64 else _python(points)


def _python(points: Array) -> list[int]:
    found: list[int] = points.tolist()
    return found if points.dtype.kind in "iu" else [int(z) for z in found]
