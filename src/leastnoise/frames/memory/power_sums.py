"""Exact sums of lattice integers and of their squares, at the speed of a numpy variance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.chunks import CHUNK, chunks
from leastnoise.frames.memory.sums import MAGIC, fits_fast_path
from leastnoise.summaries.lattice import Lattice

Array = NDArray[Any]

_LIMB = 18
# Longer products would wake the threads of the linear algebra library, which costs more.
_PRODUCT = 1 << 13
# Widest lattice whose squares add exactly from two limbs in doubles.
WIDEST = 2**37
# Narrower lattices of integers have squares that add up exactly in words.
_SHORT = 2**23
_WORD = 1 << 64


def power_sums(
    values: Array, lattice: Lattice, visit: Callable[[Array], None] | None = None
) -> tuple[int, int] | None:
    """(sum of Z, sum of Z^2), exact, in any order of the rows; None if a value is NaN.

    ``visit`` sees every chunk while it is at hand. Values are counted from the middle of the
    limits, so that sums stay small.
    """
    if lattice.width >= WIDEST:
        return _slow_sums(values, lattice)
    sums = _limb_sums
    if values.dtype.kind == "f" and _fits_words(lattice):
        sums = _word_sums
    elif lattice.whole(values) and lattice.width < _SHORT and _fits_int64(lattice):
        sums = _whole_sums
    first = second = 0
    buffer = np.empty(min(CHUNK, len(values)))
    with np.errstate(all="ignore"):
        for chunk in chunks(values):
            if visit is not None:
                visit(chunk)
            part = sums(chunk, lattice, buffer)
            if part is None:
                return None
            first += part[0]
            second += part[1]
    shift = _centre(lattice)
    return first + len(values) * shift, second + 2 * shift * first + len(values) * shift**2


def _centre(lattice: Lattice) -> int:
    """The point that lattice integers are counted from: the middle, rounded to a double."""
    return lattice.base + int(float(lattice.middle - lattice.base))


def _fits_int64(lattice: Lattice) -> bool:
    """Whether limits and centre are integers of 64 bits with a sign."""
    return lattice.holder is np.int64 and abs(_centre(lattice)) < 2**62


def _fits_words(lattice: Lattice) -> bool:
    """Room for the magic constant, and squares in the data's units that are doubles."""
    return (
        fits_fast_path(lattice)
        and max(abs(lattice.low), abs(lattice.high)) < 2**50
        and 2.0**-400 < float(lattice.step) < 2.0**400
    )


def _word_sums(chunk: Array, lattice: Lattice, buffer: Array) -> tuple[int, int] | None:
    """(sum of y, sum of y^2) of a chunk with y = Z - middle, or None if it holds a NaN.

    A value rounded by the magic constant has the bits b + Z, b those of the constant, so integer
    sums of these words and of their squares, which wrap, give both sums modulo 2^64. The first is
    far smaller than that. For the second a sum in doubles says which multiple of 2^64 is missing:
    y^2 < 2^72, so whatever the order its error is below 2^(17 + 72) 2^(17 - 52) = 2^54.
    """
    size = len(chunk)
    step = float(lattice.step)
    rounded = buffer[:size]
    wide = chunk.astype(np.float64, copy=False)
    np.clip(wide, lattice.low * step, lattice.high * step, out=rounded)
    np.add(rounded, MAGIC * step, out=rounded)
    words = rounded.view(np.int64)
    # einsum multiplies integers faster than dot does
    total, squares = int(np.add.reduce(words)), int(np.einsum("i,i->", words, words))
    np.subtract(rounded, (MAGIC + lattice.middle) * step, out=rounded)
    rough = sum(_products(rounded, rounded))
    if rough != rough:
        return None
    bits = int(np.float64(MAGIC * step).view(np.int64)) + lattice.middle
    first = _nearest(total - size * bits, 0)
    squares -= 2 * bits * total - size * bits**2
    return first, _nearest(squares, int(rough / step / step))


def _nearest(residue: int, rough: int) -> int:
    """The number that is ``residue`` modulo 2^64 and nearest to ``rough``."""
    return rough + (residue - rough + _WORD // 2) % _WORD - _WORD // 2


def _whole_sums(chunk: Array, lattice: Lattice, buffer: Array) -> tuple[int, int]:
    """The same for integers: squares below 2^45, so a chunk of them stays below 2^63."""
    counted = buffer.view(np.int64)[: len(chunk)]
    clipped = lattice.clip_integers(chunk).astype(np.int64, copy=False)
    np.subtract(clipped, _centre(lattice), out=counted)
    return int(np.add.reduce(counted)), int(np.einsum("i,i->", counted, counted))


def _limb_sums(chunk: Array, lattice: Lattice, buffer: Array) -> tuple[int, int] | None:
    """The same by way of the lattice itself: any column type, step and origin.

    Numbers are split in two limbs of at most 19 bits, so products of limbs add exactly in doubles.
    """
    relative = lattice.relative(chunk)
    base = _centre(lattice) - lattice.base
    if relative.dtype.kind == "f":
        counted = relative - float(base)
    else:
        # differences fit a double; the values themselves may not fit one integer type
        small = relative.dtype.kind == "i" and abs(base) < 2**62
        whole = relative - base if small else relative.astype(object) - base
        counted = whole.astype(np.float64)
    upper = np.rint(counted * 2.0**-_LIMB)
    lower = counted - upper * 2.0**_LIMB
    total = float(upper.sum())
    if total != total:
        return None
    squares = _dot(upper, upper) << 2 * _LIMB
    squares += (_dot(upper, lower) << _LIMB + 1) + _dot(lower, lower)
    return (int(total) << _LIMB) + int(lower.sum()), squares


def _dot(a: Array, b: Array) -> int:
    """sum a b of whole numbers whose products have 40 bits at most."""
    return sum(map(int, _products(a, b)))


def _products(a: Array, b: Array) -> list[float]:
    """sum a b of some rows at a time."""
    whole = len(a) // _PRODUCT * _PRODUCT
    rows = np.vecdot(a[:whole].reshape(-1, _PRODUCT), b[:whole].reshape(-1, _PRODUCT))
    return [*rows.tolist(), float(np.dot(a[whole:], b[whole:]))]


def _slow_sums(values: Array, lattice: Lattice) -> tuple[int, int]:
    """Python integers, for lattices too wide for limbs."""
    first = second = 0
    for chunk in chunks(values):
        for z in lattice.quantise(chunk).tolist():
            first += z
            second += z * z
    return first, second
