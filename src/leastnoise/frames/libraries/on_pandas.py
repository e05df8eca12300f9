"""Columns that pandas holds: numpy arrays, arrays beside a mask, Arrow arrays and categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.foreign import class_of
from leastnoise.frames.contract import Mask, Physical, Run
from leastnoise.frames.libraries import on_arrow, on_numpy
from leastnoise.frames.readers.times import seconds_of
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries.columns import Reading

_MASKED = {
    "BooleanDtype": (Reading.BOOLEAN, "?"),
    **{f"Int{8 * size}Dtype": (Reading.INTEGER, f"i{size}") for size in (1, 2, 4, 8)},
    **{f"UInt{8 * size}Dtype": (Reading.INTEGER, f"u{size}") for size in (1, 2, 4, 8)},
    "Float32Dtype": (Reading.FLOAT, "f4"),
    "Float64Dtype": (Reading.FLOAT, "f8"),
}
_PERIODS = "convert it to days with .dt.to_timestamp()"
_ARROW_TEXT = ("pyarrow", "pyarrow_numpy")
"""How pandas calls text that Arrow holds."""


def _library() -> Any:
    import pandas  # pyright: ignore[reportMissingTypeStubs]  # only for its columns

    return pandas


@cache
def _table() -> dict[type, Physical]:
    pd = _library()
    table: dict[type, Physical] = {}
    for name, (reading, code) in _MASKED.items():
        table[getattr(pd, name)] = Physical(name.removesuffix("Dtype"), reading, np.dtype(code))
    table[pd.StringDtype] = Physical("string", Reading.TEXT)
    table[pd.CategoricalDtype] = Physical("category", Reading.CATEGORIES)
    table[pd.PeriodDtype] = Physical("period", Reading.OTHER, cure=_PERIODS)
    return table


def accepted() -> Sequence[Any]:
    """Give the types that are read, those of numpy and Arrow among them."""
    pd = _library()
    own: list[Any] = [getattr(pd, name)() for name in _MASKED]
    categories: list[Any] = [["a", "b", ""], [1, 2, 2**60 + 1], [0.5, 0.25], [True, False]]
    own += [pd.CategoricalDtype(entries) for entries in categories]
    own += [pd.CategoricalDtype(pd.interval_range(0, 3)), pd.StringDtype("python")]
    if find_spec("pyarrow") is None:
        return [*_of_numpy(), *own]
    own.append(pd.StringDtype("pyarrow"))
    return [*_of_numpy(), *own, *map(pd.ArrowDtype, on_arrow.accepted())]


def _of_numpy() -> Iterator[Any]:
    """The types of numpy that pandas leaves as they are."""
    for dtype in on_numpy.accepted():
        if dtype.kind not in "UT" and dtype.char not in "g":
            yield dtype


def physical(dtype: Any) -> Physical:
    """Give how a type is read."""
    pd = _library()
    if on_numpy.is_dtype(dtype):
        found = on_numpy.physical(dtype)
        return found if found.cure == "" or dtype.kind in "mM" else replace(found, cure="")
    if type(dtype) is pd.ArrowDtype:
        found = on_arrow.physical(dtype.pyarrow_dtype)
        return replace(found, kind=f"{found.kind}[pyarrow]")
    kind = str(dtype).partition("[")[0]
    if class_of(dtype) is pd.DatetimeTZDtype:
        unit = seconds_of(np.dtype(f"M8[{dtype.unit}]"))
        return Physical(kind, Reading.INSTANT, np.dtype(np.int64), unit=unit or Fraction(1))
    found = _table().get(class_of(dtype)) or Physical(kind, Reading.OTHER)
    return replace(found, kind=kind)


def numbers(native: Any, physical: Physical, dialect: Dialect) -> tuple[NDArray[Any], Mask | None]:
    """Read a series: missing entries are filled as it becomes an array of the declared type."""
    pd = _library()
    if on_numpy.is_dtype(native.dtype):
        return on_numpy.numbers(native.to_numpy(), physical, dialect)
    if type(native.dtype) is pd.ArrowDtype:
        return on_arrow.numbers(_arrow(native), physical, dialect)
    if physical.reading is Reading.INSTANT:  # of UTC, and NaT as numpy writes it
        return native.to_numpy(dtype=f"M8[{native.dtype.unit}]").astype(np.int64), None
    missing = native.isna().to_numpy(dtype=np.bool_)
    return native.to_numpy(dtype=physical.dtype, na_value=physical.dtype.type(0)), missing


def texts(native: Any, physical: Physical) -> Iterable[Run]:
    """Give the entries; of categories each once, by the text of what was declared."""
    pd = _library()
    dtype = native.dtype
    if on_numpy.is_dtype(dtype):
        return on_numpy.texts(native.to_numpy(), physical)
    if type(dtype) is pd.CategoricalDtype:
        codes = native.cat.codes.to_numpy(dtype=np.int64)
        return [(_categories(dtype.categories), codes)]
    if type(dtype) is pd.ArrowDtype or dtype.storage in _ARROW_TEXT:
        arrow = _arrow(native)
        return on_arrow.texts(arrow, on_arrow.physical(arrow.type))
    return [(native.to_numpy(dtype=object, na_value=None).tolist(), None)]


def _categories(index: Any) -> Sequence[object]:
    """The declared categories as objects, floats in the digits of their own type."""
    pd = _library()
    dtype = index.dtype
    if on_numpy.is_dtype(dtype) and dtype.kind == "f":
        return list(index.to_numpy())
    if type(dtype) is pd.ArrowDtype or getattr(dtype, "storage", None) in _ARROW_TEXT:
        entries: list[object] = []
        for run, places in on_arrow.texts(_arrow(index), on_arrow.physical(_arrow(index).type)):
            entries += run if places is None else [run[i] if i >= 0 else None for i in places]
        return entries
    return index.tolist()


def _arrow(native: Any) -> Any:
    """The chunks that a column of Arrow's stands for; no conversion."""
    held: Any = native.array.__arrow_array__()
    return held if hasattr(held, "chunks") else on_arrow.chunked(held)
