"""The reading contract of engines: what their types are, as narwhals tells them."""

from __future__ import annotations

from dataclasses import replace

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.frames.contract import TIME_OF_DAY, Physical
from leastnoise.summaries.columns import Reading

_READ = {
    "Boolean": Reading.BOOLEAN,
    **{f"{sign}{size}": Reading.INTEGER for sign in ("Int", "UInt") for size in (8, 16, 32, 64)},
    "Int128": Reading.INT128,
    "UInt128": Reading.UINT128,
    "Float16": Reading.FLOAT,
    "Float32": Reading.FLOAT,
    "Float64": Reading.FLOAT,
    "Decimal": Reading.DECIMAL,
    "String": Reading.TEXT,
    "Categorical": Reading.CATEGORIES,
    "Enum": Reading.CATEGORIES,
    "Date": Reading.DATE,
    "Datetime": Reading.MOMENT,
    "Duration": Reading.DURATION,
    **dict.fromkeys(("List", "Array", "Struct"), Reading.NESTED),
}


class ComputedText(nw.String):
    """A text that was worked out: no text of it stands for a missing entry, NULL alone does."""


_PHYSICAL = {
    getattr(nw, name): Physical(name, reading)
    for name, reading in _READ.items()
    if hasattr(nw, name)  # older releases have fewer types
}
_PHYSICAL[ComputedText] = _PHYSICAL[nw.String]


def physical(dtype: DType, *, nullable: bool = True) -> Physical:
    """Give how a column of an engine is read."""
    found = _PHYSICAL.get(type(dtype))
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        found = Physical("Datetime", Reading.INSTANT)
    if found is None:  # times of DuckDB, intervals of Spark, and others
        cure = f"{TIME_OF_DAY} where it holds times"
        found = Physical(type(dtype).__name__, Reading.OTHER, cure=cure)
    return replace(found, nullable=nullable)
