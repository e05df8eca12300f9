"""Columns that Polars holds in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.contract import FLOAT64, TIME_OF_DAY, Mask, Physical, Run
from leastnoise.frames.readers.values import Dialect, to_floats
from leastnoise.summaries.columns import Reading

_READ: dict[str, tuple[Reading, str]] = {
    "Null": (Reading.NULL, "f8"),
    "Boolean": (Reading.BOOLEAN, "?"),
    **{f"Int{8 * size}": (Reading.INTEGER, f"i{size}") for size in (1, 2, 4, 8)},
    **{f"UInt{8 * size}": (Reading.INTEGER, f"u{size}") for size in (1, 2, 4, 8)},
    "Int128": (Reading.INT128, "i8"),
    "UInt128": (Reading.UINT128, "u8"),
    "Float16": (Reading.FLOAT, "f4"),
    "Float32": (Reading.FLOAT, "f4"),
    "Float64": (Reading.FLOAT, "f8"),
    "Decimal": (Reading.DECIMAL, "f8"),
    "String": (Reading.TEXT, ""),
    "Categorical": (Reading.CATEGORIES, ""),
    "Enum": (Reading.CATEGORIES, ""),
    "Object": (Reading.ENTRIES, "f8"),
}
_UNITS = {u: Fraction(1, 1000**i) for i, u in enumerate(("s", "ms", "us", "ns"))}
_OTHERS = {
    **dict.fromkeys(("List", "Array", "Struct"), Reading.NESTED),
}


@cache
def _table() -> dict[type, Physical]:
    import polars as pl

    table: dict[type, Physical] = {}
    for name, (reading, code) in _READ.items():
        if hasattr(pl, name):  # older releases have fewer types
            table[getattr(pl, name)] = Physical(name, reading, np.dtype(code or FLOAT64))
    table |= {getattr(pl, name): Physical(name, reading) for name, reading in _OTHERS.items()}
    return table


def accepted() -> Sequence[Any]:
    """Give the types that are read; of decimals and enumerations one stands for all."""
    import polars as pl

    made = {"Decimal": pl.Decimal(38, 10), "Enum": pl.Enum(["a", "b", "1", ""])}
    return [made[n] if n in made else getattr(pl, n)() for n in _READ if hasattr(pl, n)]


def physical(dtype: Any) -> Physical:
    """Give how a type is read."""
    import polars as pl

    kind = dtype.base_type()
    if kind is pl.Date:
        return Physical("Date", Reading.DATE, np.dtype(np.int64), unit=Fraction(86_400))
    if kind in (pl.Datetime, pl.Duration) and isinstance(dtype, type):
        dtype = kind()  # of a schema that names the class
    if kind is pl.Datetime:
        reading = Reading.MOMENT if dtype.time_zone is None else Reading.INSTANT
        return Physical("Datetime", reading, np.dtype(np.int64), unit=_UNITS[dtype.time_unit])
    if kind is pl.Duration:
        unit = _UNITS[dtype.time_unit]
        return Physical("Duration", Reading.DURATION, np.dtype(np.int64), unit=unit)
    if kind is pl.Time:
        return Physical("Time", Reading.OTHER, cure=TIME_OF_DAY)
    return _table().get(kind) or Physical(kind.__name__, Reading.OTHER)


def numbers(native: Any, physical: Physical, dialect: Dialect) -> tuple[NDArray[Any], Mask | None]:
    """Read a series: missing entries are filled before it becomes an array."""
    import polars as pl

    if physical.reading is Reading.NULL:
        return np.full(len(native), np.nan), None
    if physical.reading is Reading.ENTRIES:
        return to_floats(native.to_list(), dialect), None
    missing = None
    if physical.clock is not None:
        native = native.to_physical()
    if native.null_count():
        missing = np.asarray(native.is_null().to_numpy(), dtype=np.bool_)
        native = native.fill_null(pl.lit(0, dtype=native.dtype))
    if physical.reading is Reading.DECIMAL:
        # Through text, because that is correctly rounded: the same float64 as in every front end.
        native = native.cast(pl.String).cast(pl.Float64)
    # numpy has no wider integers: values beyond 64 bits count as the largest or smallest there is.
    elif physical.reading is Reading.INT128:
        native = native.clip(-(2**63), 2**63 - 1).cast(pl.Int64)
    elif physical.reading is Reading.UINT128:
        native = native.clip(0, 2**64 - 1).cast(pl.UInt64)
    return np.asarray(native.to_numpy(), dtype=physical.dtype), missing


def texts(native: Any, physical: Physical) -> Iterable[Run]:
    """Number the texts of the entries; invalid UTF-8 has its bytes replaced."""
    import polars as pl

    if physical.reading is Reading.ENTRIES:
        return [(native.to_list(), None)]
    texts = native.cast(pl.String).fill_null("")
    if not len(texts):
        return []
    different = texts.unique()
    numbers = pl.int_range(len(different), dtype=pl.Int64, eager=True)
    places = texts.replace_strict(different, numbers, default=-1, return_dtype=pl.Int64)
    entries = [entry.decode("utf-8", "replace") for entry in different.cast(pl.Binary).to_list()]
    return [(entries, np.asarray(places.to_numpy(), dtype=np.int64))]
