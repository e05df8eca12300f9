"""Columns that are numpy arrays, masked or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.foreign import is_masked
from leastnoise.frames.contract import FLOAT64, Mask, Physical, Run
from leastnoise.frames.readers.times import seconds_of
from leastnoise.frames.readers.values import Dialect, to_floats
from leastnoise.summaries.columns import Reading

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import TypeIs


_READ = {
    "?": Reading.BOOLEAN,
    **dict.fromkeys("bhilqBHILQ", Reading.INTEGER),
    **dict.fromkeys("efdg", Reading.FLOAT),
    "O": Reading.ENTRIES,
    "U": Reading.TEXT,
}
_CURES = {
    "M": "convert it to days with .astype('datetime64[D]')",
    "m": "convert it to seconds with .astype('timedelta64[s]')",
    "c": "take .real, .imag or abs()",
}
_LAST_LETTER = 0x10FFFF
_TIMES = {"M": Reading.MOMENT, "m": Reading.DURATION}


def accepted() -> Sequence[np.dtype[Any]]:
    """Give the types of arrays that are read, one of each class of types."""
    return _ACCEPTED


def is_array(data: object) -> TypeIs[NDArray[Any]]:
    """Whether data is an array of numpy."""
    return isinstance(data, np.ndarray)


def is_dtype(dtype: object) -> TypeIs[np.dtype[Any]]:
    """Whether a type is one of numpy."""
    return isinstance(dtype, np.dtype)


def physical(dtype: np.dtype[Any]) -> Physical:
    """Give how arrays of a type are read; whatever the byte order and the width of text."""
    found = _TABLE.get(type(dtype))
    if found is not None:
        return found
    if dtype.names:
        return Physical("structured", Reading.OTHER, cure="take one field of it, array['field']")
    if dtype.kind in _TIMES and (unit := seconds_of(dtype)) is not None:
        kind = dtype.type.__name__
        return Physical(kind, _TIMES[dtype.kind], np.dtype(np.int64), unit=unit)
    cure = _CURES.get(dtype.kind, "convert it to numbers, or give .astype(object) or .tolist()")
    if dtype.kind == "V":
        cure = "convert it with .astype(np.float64)"
    kind = dtype.name if dtype.kind == "c" else dtype.type.__name__.rstrip("_")
    return Physical(kind, Reading.OTHER, cure=cure)


def physical_of(array: NDArray[Any]) -> Physical:
    """Give how an array is read: by its type, and with missing entries if it has a mask."""
    return replace(physical(array.dtype), nullable=is_masked(array))


def numbers(
    native: NDArray[Any], physical: Physical, dialect: Dialect
) -> tuple[NDArray[Any], Mask | None]:
    """Read an array; its own memory where no conversion is needed."""
    missing, plain = parts(native)
    if physical.reading is Reading.ENTRIES:
        return to_floats(plain, dialect), missing
    return plain.astype(physical.dtype, copy=False, subok=False), missing


def texts(native: NDArray[Any], physical: Physical) -> Iterable[Run]:
    """Give the entries; one that is masked, or whose memory is no text, is missing."""
    return [(as_objects(native).tolist(), None)]


def parts(array: NDArray[Any]) -> tuple[Mask | None, NDArray[Any]]:
    """The mask of an array, if it has one, and the whole array without it."""
    if not is_masked(array):
        return None, np.asarray(array)
    missing, plain = np.ma.getmaskarray(array), np.ma.getdata(array, subok=False)
    if missing.dtype.names:  # a record is masked field by field
        missing = missing != np.zeros((), missing.dtype)
    return missing, plain


def as_objects(array: NDArray[Any]) -> NDArray[np.object_]:
    """The entries of an array of any shape as Python has them.

    One that is masked, or whose memory is no text, is None; numpy makes no object of an array with
    such memory, so one entry would decide how all are read.
    """
    missing, plain = parts(array)
    if plain.dtype.kind == "U" and plain.size and plain.itemsize:
        units = np.ascontiguousarray(plain).view(plain.dtype.str[0] + "u4")
        if units.max() > _LAST_LETTER:
            damaged = (units.reshape(*plain.shape, -1) > _LAST_LETTER).any(axis=-1)
            plain = np.where(damaged, "", plain)
            missing = damaged if missing is None else missing | damaged
    found = plain.astype(np.object_)
    if missing is not None:
        found[missing] = None
    return found


def _row(code: str, reading: Reading) -> Physical:
    dtype = np.dtype(code)
    if reading is Reading.TEXT:
        return Physical("str", reading, cure="convert it to numbers, or give .astype(object)")
    read = FLOAT64
    if reading in (Reading.BOOLEAN, Reading.INTEGER):
        read = dtype
    elif reading is Reading.FLOAT and dtype.itemsize <= 4:
        read = np.dtype(np.float32)
    return Physical(dtype.name, reading, read, nullable=False)


_ACCEPTED: list[np.dtype[Any]] = [np.dtype(code) for code in _READ]
_TABLE = {type(np.dtype(code)): _row(code, reading) for code, reading in _READ.items()}
if hasattr(np.dtypes, "StringDType"):
    text: Any = np.dtypes.StringDType
    _ACCEPTED.append(text())
    _TABLE[text] = _TABLE[type(np.dtype("U"))]
