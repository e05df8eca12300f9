"""Exact sums of lattice integers and of their squares, at the speed of a numpy variance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.sums import MAGIC, fits_fast_path
from leastnoise.summaries.lattice import Lattice

Array = NDArray[Any]

_CHUNK = 1 << 15
_LIMB = 18
# Longer products would wake the threads of the linear algebra library, which costs more.
_PRODUCT = 1 << 13
# Widest lattice whose squares add exactly from two limbs in doubles.
WIDEST = 2**37


def power_sums(
    values: Array, lattice: Lattice, visit: Callable[[Array], None] | None = None
) -> tuple[int, int] | None:
    """(sum of Z, sum of Z^2), exact, in any order of the rows; None if a value is NaN.

    ``visit`` sees every chunk while it is at hand.

    Values are counted from a whole number of 2**18 steps near the middle of the limits and split
    in two limbs of at most 18 bits, so products of limbs add exactly in doubles, 2**15 at a time.
    """
    if lattice.width >= WIDEST:
        return _slow_sums(values, lattice)
    origin = lattice.middle >> _LIMB
    first = second = 0
    fast = values.dtype.kind == "f" and fits_fast_path(lattice)
    buffers = np.empty(_CHUNK), np.empty(_CHUNK)
    with np.errstate(all="ignore"):
        for start in range(0, len(values), _CHUNK):
            chunk = values[start : start + _CHUNK]
            if visit is not None:
                visit(chunk)
            if fast:
                upper, lower, unit = _fast_limbs(chunk, lattice, origin, buffers)
            else:
                upper, lower, unit = _plain_limbs(chunk, lattice, origin)
            total = float(upper.sum())
            if total != total:
                return None
            a, b = _whole(total, unit, 18), _whole(lower.sum(), unit, 0)
            aa = _whole(_dot(upper, upper), unit * unit, 36)
            ab = _whole(_dot(upper, lower), unit * unit, 18)
            bb = _whole(_dot(lower, lower), unit * unit, 0)
            first += (a << _LIMB) + b
            second += (aa << 2 * _LIMB) + (ab << _LIMB + 1) + bb
    shift = origin << _LIMB
    return first + len(values) * shift, second + 2 * shift * first + len(values) * shift**2


def _dot(a: Array, b: Array) -> float:
    """sum a b, exact: every partial sum is a whole number below 2**53."""
    parts = range(0, len(a), _PRODUCT)
    return sum(float(np.dot(a[i : i + _PRODUCT], b[i : i + _PRODUCT])) for i in parts)


def _whole(value: Any, unit: float, bits: int) -> int:
    """A float that is a whole number of units of 2**bits, as that number."""
    return int(float(value) / (unit * 2.0**bits))


def _fast_limbs(
    chunk: Array, lattice: Lattice, origin: int, buffers: tuple[Array, Array]
) -> tuple[Array, Array, float]:
    """Limbs in the units of the data, rounded by the magic constant (``frames/sums.py``)."""
    size = len(chunk)
    step = float(lattice.step)
    coarse = step * 2.0**_LIMB
    rest, upper = buffers[0][:size], buffers[1][:size]
    wide = chunk.astype(np.float64, copy=False)
    np.clip(wide, lattice.low * step, lattice.high * step, out=rest)
    np.add(rest, MAGIC * coarse, out=upper)
    np.subtract(upper, MAGIC * coarse, out=upper)
    np.subtract(rest, upper, out=rest)
    np.add(rest, MAGIC * step, out=rest)
    np.subtract(rest, MAGIC * step, out=rest)
    np.subtract(upper, origin * coarse, out=upper)
    return upper, rest, step


def _plain_limbs(chunk: Array, lattice: Lattice, origin: int) -> tuple[Array, Array, float]:
    """Limbs by way of the lattice itself: any column type, step and origin."""
    relative = lattice.relative(chunk)
    base = (origin << _LIMB) - lattice.base
    if relative.dtype.kind == "f":
        counted = relative - float(base)
    else:
        # differences fit a double; the values themselves may not fit one integer type
        small = relative.dtype.kind == "i" and abs(base) < 2**62
        whole = relative - base if small else relative.astype(object) - base
        counted = whole.astype(np.float64)
    upper = np.rint(counted * 2.0**-_LIMB)
    return upper * 2.0**_LIMB, counted - upper * 2.0**_LIMB, 1.0


def _slow_sums(values: Array, lattice: Lattice) -> tuple[int, int]:
    """Python integers, for lattices too wide for limbs."""
    first = second = 0
    for start in range(0, len(values), _CHUNK):
        for z in lattice.quantise(values[start : start + _CHUNK]).tolist():
            first += z
            second += z * z
    return first, second
