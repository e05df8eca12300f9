"""Values of a column and their lattice integers, as expressions that every engine runs alike.

Only comparisons, additions, multiplications and divisions of doubles are used, which IEEE 754
defines to the last bit, so every engine gives the integers that ``summaries.lattice`` gives. Values
are moved inside the limits before anything else: no operation can overflow, and no cast can fail.
"""

from __future__ import annotations

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.frames.memory.sums import fits_fast_path
from leastnoise.summaries.lattice import Lattice

# 1.5 * 2**52: adding and subtracting it rounds a small double to a whole number (ties to even).
_MAGIC = 1.5 * 2.0**52
LIMB = 30


def present(column: nw.Expr, dtype: DType) -> nw.Expr:
    """Whether a value is there: neither NULL nor NaN."""
    return ~column.is_null() & ~column.is_nan() if dtype.is_float() else ~column.is_null()


def plain_number(column: nw.Expr, dtype: DType) -> nw.Expr:
    """The column as doubles, or as integers of at most 64 bits."""
    if isinstance(dtype, nw.Boolean):
        return column.cast(nw.Int64)
    if isinstance(dtype, nw.Int128):
        return column.clip(-(2**63), 2**63 - 1).cast(nw.Int64)
    if isinstance(dtype, nw.UInt128):
        return column.clip(0, 2**64 - 1).cast(nw.UInt64)
    if dtype.is_decimal():  # through text, because that is correctly rounded
        return column.cast(nw.String).cast(nw.Float64)
    if dtype.is_integer():
        return column if isinstance(dtype, nw.UInt64) else column.cast(nw.Int64)
    return column.cast(nw.Float64)


def reach_of(dtype: DType) -> tuple[int, int]:
    """The least and the largest integer that ``plain_number`` gives."""
    unsigned = isinstance(dtype, (nw.UInt64, nw.UInt128))
    return (0, 2**64 - 1) if unsigned else (-(2**63), 2**63 - 1)


def is_whole(dtype: DType, lattice: Lattice) -> bool:
    """Whether the column's values are lattice points but for the limits."""
    return lattice.step == 1 and (dtype.is_integer() or isinstance(dtype, nw.Boolean))


def can_impute(dtype: DType, lattice: Lattice, point: int | None) -> bool:
    """Whether an integer type of an engine holds a lattice point beside a column's values."""
    least, most = reach_of(dtype)
    if point is None or not is_whole(dtype, lattice) or least <= point <= most:
        return True
    return lattice.low >= -(2**63) and lattice.high < 2**63


def clipped(x: nw.Expr, low: float, high: float) -> nw.Expr:
    """x moved to the nearest limit; plain comparisons, which engines run fastest."""
    above = nw.when(x > high).then(nw.lit(high)).otherwise(x)
    return nw.when(x < low).then(nw.lit(low)).otherwise(above)


def divided(x: nw.Expr, by: nw.Expr | float) -> nw.Expr:
    """x / by, correctly rounded; x is finite or NULL, and by is not 0.

    Polars multiplies by 1 / by where one number stands for a whole column, and whether one does,
    as in a CASE of which all rows take one branch, may depend on other rows. A sum with x is never
    such a number, unless x is one too, and then Polars divides.
    """
    return x / (by + x * 0.0)


def relative(x: nw.Expr, lattice: Lattice) -> nw.Expr:
    """(x - origin) / step in doubles, not yet rounded, moved inside the limits."""
    step = lattice.step
    if fits_fast_path(lattice):  # limits and scaling are exact
        y = clipped(x, float(lattice.low * step), float(lattice.high * step))
        return y * float(1 / step)
    y = clipped(x, *lattice.ends)
    if lattice.base:
        y = y - float(lattice.base * step)
    y = y * float(1 / step)
    return clipped(y, float(lattice.low - lattice.base), float(lattice.high - lattice.base))


def limbs(y: nw.Expr) -> tuple[nw.Expr, nw.Expr]:
    """(upper, lower): whole numbers whose sum is y rounded, ties to even; abs(y) < 2**81.

    ``upper`` is a multiple of 2**30, an even number, and y - upper is exact.
    """
    upper = rounded(y, LIMB)
    return upper, rounded(y - upper)


def rounded(y: nw.Expr, bits: int = 0) -> nw.Expr:
    """y rounded to a multiple of 2**bits, ties to even; abs(y) < 2**(51 + bits)."""
    magic = _MAGIC * 2.0**bits
    return (y + magic) - magic
