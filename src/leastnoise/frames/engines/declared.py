"""The reading contract of engines: what their types are, as narwhals tells them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from leastnoise.frames.contract import TIME_OF_DAY, Physical
from leastnoise.summaries.columns import Reading

if TYPE_CHECKING:
    from narwhals.dtypes import DType

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


@cache
def _table() -> dict[type, Physical]:
    import narwhals as nw

    found = {
        getattr(nw, name): Physical(name, reading)
        for name, reading in _READ.items()
        if hasattr(nw, name)  # older releases have fewer types
    }
    return {**found, type(computed_text()): found[nw.String]}


@cache
def computed_text() -> DType:
    """The type of a text that was worked out: no text of it stands for a missing entry."""
    import narwhals as nw

    class ComputedText(nw.String):
        """Text whose missing entries are NULL alone."""

    return ComputedText()


def is_computed_text(dtype: DType) -> bool:
    """Whether it is that type."""
    return type(dtype) is type(computed_text())


def physical(dtype: DType, *, nullable: bool = True) -> Physical:
    """Give how a column of an engine is read."""
    import narwhals as nw

    found = _table().get(type(dtype))
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        found = Physical("Datetime", Reading.INSTANT)
    if found is None:  # times of DuckDB, intervals of Spark, and others
        cure = f"{TIME_OF_DAY} where it holds times"
        found = Physical(type(dtype).__name__, Reading.OTHER, cure=cure)
    return replace(found, nullable=nullable)
