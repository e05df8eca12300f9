"""Exact sums of lattice integers, chunk by chunk, at the speed of a floating-point mean."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.chunks import CHUNK, chunks, doubles
from leastnoise.summaries.lattice import Lattice

_LIMB = 30
# Two limbs hold so many steps.
HIGHEST = 1 << 2 * _LIMB
_STEPS = Lattice(Fraction(1), -HIGHEST, HIGHEST)
# 1.5 * 2**52: adding and subtracting it rounds a small double to a whole number (ties to even).
MAGIC = 1.5 * 2.0**52


def exact_sum(values: NDArray[Any], lattice: Lattice, nan_as: int | None) -> tuple[int, int]:
    """(number of values that are not NaN, exact sum of their lattice integers).

    ``nan_as`` counts a NaN as this lattice point instead of leaving it out.
    """
    if values.dtype.kind in "iubO":
        return len(values), _integer_sum(values, lattice)
    if takes_three_limbs(lattice):
        return _high_sum(values, lattice)
    fast = fits_fast_path(lattice)
    count, total = 0, 0
    buffers = np.empty((2, min(CHUNK, len(values))))
    with np.errstate(all="ignore"):
        for chunk in doubles(values):  # so that no limit is rounded to a narrower type
            part = _limb_sum(chunk, lattice, buffers) if fast else None
            if part is None:
                count_here, part = _careful_sum(chunk, lattice, nan_as)
                count += count_here
            else:
                count += len(chunk)
            total += part
    return count, total


def takes_three_limbs(lattice: Lattice) -> bool:
    """Whether it ends, from 0 on, above all lattices of declared limits."""
    return lattice.high > 1 << 62 and not lattice.base


def _high_sum(values: NDArray[Any], lattice: Lattice) -> tuple[int, int]:
    """The same on a lattice from 0 to more steps than two limbs hold; few values are so large."""
    near = replace(lattice, high=HIGHEST)
    count, total = exact_sum(values, near, None)
    with np.errstate(all="ignore"):
        far = lattice.relative(values[values > float(HIGHEST * lattice.step)])
        upper = np.rint(far / HIGHEST)
        _, lower = exact_sum(far - upper * HIGHEST, _STEPS, None)
    return count, total + (int(upper.sum()) - len(far)) * HIGHEST + lower


def fits_fast_path(lattice: Lattice) -> bool:
    """Power-of-two step, origin 0, and limits that leave the magic constant room."""
    step = lattice.step
    if lattice.base or step.numerator & (step.numerator - 1):
        return False
    if step.denominator & (step.denominator - 1):
        return False
    extreme = max(abs(lattice.low), abs(lattice.high))
    return extreme < 2**62 and 2.0**-900 < float(step) < 2.0**900


def _limb_sum(chunk: NDArray[Any], lattice: Lattice, buffers: NDArray[Any]) -> int | None:
    """The exact sum of a chunk in two limbs, or None if it holds a NaN.

    The upper limb is the value rounded to 2**30 steps: whole numbers of at most 33 bits, so 2**17
    of them add exactly in a double, in any order. The lower one is the rest rounded to one step.
    Rounding goes by the magic constant in the units of the data, so no separate scaling pass is
    needed. A double ``magic * step + k step`` has the bits of ``magic * step`` plus k, so the lower
    limb is summed as integers modulo 2**64, far from wrapping.
    """
    size = len(chunk)
    step = float(lattice.step)
    coarse = step * 2.0**_LIMB
    rest, upper = buffers[:, :size]
    np.clip(chunk, lattice.low * step, lattice.high * step, out=rest)
    magic = MAGIC * coarse
    np.add(rest, magic, out=upper)
    np.subtract(upper, magic, out=upper)
    high = float(np.add.reduce(upper))
    if high != high:
        return None
    np.subtract(rest, upper, out=rest)
    magic = MAGIC * step
    np.add(rest, magic, out=rest)
    offset = int(np.float64(magic).view(np.int64)) * size
    low = (int(np.add.reduce(rest.view(np.int64))) - offset + 2**63) % 2**64 - 2**63
    return (int(high / coarse) << _LIMB) + low


def _careful_sum(chunk: NDArray[Any], lattice: Lattice, nan_as: int | None) -> tuple[int, int]:
    """The same sum by way of the lattice itself: any step, any origin, missing values."""
    present = chunk[~np.isnan(chunk)]
    relative = lattice.relative(present)
    upper = np.rint(relative * 2.0**-_LIMB)
    lower = relative - upper * 2.0**_LIMB
    total = (int(upper.sum()) << _LIMB) + int(lower.sum()) + lattice.base * len(present)
    if nan_as is None:
        return len(present), total
    return len(chunk), total + nan_as * (len(chunk) - len(present))


def _integer_sum(values: NDArray[Any], lattice: Lattice) -> int:
    total = 0
    for chunk in chunks(values):
        relative = lattice.relative(chunk)
        if relative.dtype.kind == "f":
            upper = np.rint(relative * 2.0**-_LIMB)
            lower = relative - upper * 2.0**_LIMB
            total += (int(upper.sum()) << _LIMB) + int(lower.sum()) + lattice.base * len(relative)
        elif relative.dtype == object or max(abs(lattice.low), abs(lattice.high)) < 2**45:
            total += int(relative.sum())
        else:  # two limbs, so that a chunk of them cannot wrap
            upper = relative >> 32
            lower = relative & relative.dtype.type(0xFFFFFFFF)
            total += (int(upper.sum()) << 32) + int(lower.sum())
    return total
