"""Columns that Arrow holds: chunked arrays, read from their buffers.

A buffer holds the entries of the declared type and a bit for each that is missing, so no conversion
of the library is asked for anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.contract import TIME_OF_DAY, Mask, Physical, Run
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries.columns import Reading

_WHOLE = {
    f"{sign}int{size}": f"{sign[:1] or 'i'}{size // 8}"
    for sign in ("", "u")
    for size in (8, 16, 32, 64)
}
_FLOATS = {"float16": "f2", "float32": "f4", "float64": "f8"}
_UNITS = {u: Fraction(1, 1000**i) for i, u in enumerate(("s", "ms", "us", "ns"))}
_TEXTS = ("string", "large_string", "string_view")
_DECIMALS = ("decimal32", "decimal64", "decimal128", "decimal256")
# Whole numbers up to here, and powers of ten up to there, are doubles, so their quotient is the
# double nearest to the decimal.
_EXACT, _TENS = 2**53, 22
# Rows whose texts are numbered at once.
_BLOCK = 1 << 22


def _library() -> Any:
    import pyarrow  # pyright: ignore[reportMissingTypeStubs]  # only for its columns

    return pyarrow


@cache
def _rows() -> dict[Any, tuple[Any, Reading, str]]:
    """Every accepted type by what tells it: (a type, its reading, how numpy writes its entries)."""
    pa = _library()
    rows: list[tuple[Any, Reading, str]] = [
        (pa.null(), Reading.NULL, ""),
        (pa.bool_(), Reading.BOOLEAN, "?"),
        *((getattr(pa, name)(), Reading.INTEGER, code) for name, code in _WHOLE.items()),
        *((getattr(pa, name)(), Reading.FLOAT, code) for name, code in _FLOATS.items()),
        *((getattr(pa, n)(), Reading.TEXT, "") for n in _TEXTS if hasattr(pa, n)),
    ]
    for name, precision in zip(_DECIMALS, (9, 18, 38, 76), strict=True):
        if hasattr(pa, name):
            rows.append((getattr(pa, name)(precision, 4), Reading.DECIMAL, ""))
    told: dict[Any, tuple[Any, Reading, str]] = {_key(row[0]): row for row in rows}
    told[pa.DictionaryType] = pa.dictionary(pa.int32(), pa.string()), Reading.CATEGORIES, ""
    return told


def _key(dtype: object) -> object:
    """A type without parameters is itself; others are told by their class."""
    pa = _library()
    kind = type(dtype)
    return dtype if kind is pa.DataType else kind


def accepted() -> Sequence[Any]:
    """Give the types that are read; of decimals and dictionaries some stand for all."""
    pa = _library()
    values = [pa.large_string(), pa.bool_(), pa.int64(), pa.float32(), pa.decimal128(38, 4)]
    return [
        *(row[0] for row in _rows().values()),
        *(pa.dictionary(pa.int8(), value) for value in values),
        pa.decimal128(38, -4),
    ]


def physical(dtype: Any) -> Physical:
    """Give how a type is read."""
    kinds = _library().types
    kind = str(dtype).partition("[")[0].partition("(")[0].partition("<")[0]
    if _key(dtype) in _rows():
        _, reading, code = _rows()[_key(dtype)]
        if reading is Reading.CATEGORIES and not _is_entry(dtype.value_type):
            return Physical(kind, Reading.OTHER)
        if reading in (Reading.BOOLEAN, Reading.INTEGER):
            return Physical(kind, reading, np.dtype(code))
        if reading is Reading.FLOAT and code != "f8":
            return Physical(kind, reading, np.dtype(np.float32))
        return Physical(kind, reading)
    if kinds.is_duration(dtype):
        return _timed(kind, Reading.DURATION, _UNITS[dtype.unit])
    if kinds.is_date(dtype):
        return _timed(kind, Reading.DATE, 86_400 if kinds.is_date32(dtype) else _UNITS["ms"])
    if kinds.is_timestamp(dtype):
        reading = Reading.MOMENT if dtype.tz is None else Reading.INSTANT
        return _timed(kind, reading, _UNITS[dtype.unit])
    if kinds.is_time(dtype):
        return Physical(kind, Reading.OTHER, cure=TIME_OF_DAY)
    return Physical(kind, Reading.NESTED if kinds.is_nested(dtype) else Reading.OTHER)


def _timed(kind: str, reading: Reading, unit: Fraction | int) -> Physical:
    return Physical(kind, reading, np.dtype(np.int64), unit=Fraction(unit))


def _is_entry(dtype: Any) -> bool:
    """Whether a type can be that of categories: any that is read, but of categories again."""
    return physical(dtype).reading not in (
        *(Reading.CATEGORIES, Reading.NESTED, Reading.OTHER),
        *(Reading.DATE, Reading.MOMENT, Reading.INSTANT, Reading.DURATION),
    )


def chunked(array: Any) -> Any:
    """An array as a chunked one."""
    return _library().chunked_array([array])


def numbers(native: Any, physical: Physical, dialect: Dialect) -> tuple[NDArray[Any], Mask | None]:
    """Read the buffers; the column's own memory where it is of one chunk and one type."""
    if physical.reading is Reading.NULL:
        return np.full(len(native), np.nan), None
    parts = [_numbers(chunk, physical) for chunk in native.chunks]
    missing = [_missing(chunk) for chunk in native.chunks]
    values = _joined(parts, physical.dtype)
    if all(part is None for part in missing):
        return values, None
    given = [
        np.zeros(len(part), np.bool_) if gone is None else gone
        for part, gone in zip(parts, missing, strict=True)
    ]
    return values, _joined(given, np.dtype(np.bool_))


def texts(native: Any, physical: Physical) -> Iterator[Run]:
    """Number the texts of each chunk by their bytes; invalid UTF-8 has its bytes replaced."""
    pa = _library()
    if physical.reading is Reading.NULL:
        yield [], np.full(len(native), -1, np.int64)
        return
    for chunk in native.chunks:
        if physical.reading is Reading.DECIMAL:
            words, places = np.unique(_words(chunk), axis=0, return_inverse=True)
            yield _whole(words), np.where(_missing_places(chunk), -1, places.reshape(-1))
            continue
        for start in range(0, len(chunk), _BLOCK):
            part = chunk.slice(start, _BLOCK)
            if physical.reading is Reading.TEXT:
                part = part.cast(pa.large_binary()).dictionary_encode()
            yield _categories(part.dictionary), _places(part)


def _places(part: Any) -> NDArray[np.int64]:
    """The place of every row's entry in a dictionary, -1 where there is none."""
    indices = part.indices
    code = _rows()[indices.type][2]
    places = _buffer(indices, np.dtype(code)).astype(np.int64)
    inside = (places >= 0) & (places < len(part.dictionary)) & ~_missing_places(indices)
    return np.where(inside, places, -1)


def _categories(values: Any) -> list[object]:
    """The entries of a dictionary, each by itself."""
    pa = _library()
    row = _rows().get(_key(values.type))
    if row is not None and row[1] is Reading.TEXT:
        values = values.cast(pa.large_binary())
    if pa.types.is_large_binary(values.type):
        return [
            None if entry is None else entry.decode("utf-8", "replace")
            for entry in values.to_pylist()
        ]
    if row is not None and row[1] is Reading.FLOAT:  # in the digits of its own type
        found = _buffer(values, np.dtype(row[2]))
        return [None if gone else x for x, gone in zip(found, _missing_places(values), strict=True)]
    return values.to_pylist()


def _numbers(chunk: Any, physical: Physical) -> NDArray[Any]:
    """The entries of one chunk; anything where one is missing."""
    if physical.reading is Reading.DECIMAL:
        return _decimals(chunk)
    if physical.reading is Reading.BOOLEAN:
        return _bits(chunk.buffers()[1], chunk)
    if physical.clock is not None:
        code = f"i{chunk.type.bit_width // 8}"
    else:
        code = _rows()[chunk.type][2]
    return _buffer(chunk, np.dtype(code)).astype(physical.dtype, copy=False)


def _buffer(chunk: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    data = chunk.buffers()[1]
    if data is None or not len(chunk):
        return np.zeros(len(chunk), dtype)
    return np.frombuffer(data, dtype, len(chunk), chunk.offset * dtype.itemsize)


def _bits(data: Any, chunk: Any) -> Mask:
    if data is None or not len(chunk):
        return np.zeros(len(chunk), np.bool_)
    first = chunk.offset // 8
    last = -(-(chunk.offset + len(chunk)) // 8)
    bits = np.unpackbits(np.frombuffer(data, np.uint8, last - first, first), bitorder="little")
    return bits[chunk.offset - 8 * first :][: len(chunk)].view(np.bool_)


def _missing(chunk: Any) -> Mask | None:
    there = chunk.buffers()[0]
    return None if there is None else ~_bits(there, chunk)


def _missing_places(chunk: Any) -> Mask:
    missing = _missing(chunk)
    return np.zeros(len(chunk), np.bool_) if missing is None else missing


def _words(chunk: Any) -> NDArray[np.int64]:
    """The whole numbers of decimals in words of 64 bits, the lowest first, 0 where missing."""
    width = chunk.type.byte_width
    size = min(width, 8)
    dtype = np.dtype((f"<i{size}", (width // size,)))
    words = _buffer(chunk, dtype).astype(np.int64)
    return np.where(_missing_places(chunk)[:, None], np.int64(0), words)


def _decimals(chunk: Any) -> NDArray[np.float64]:
    """The double nearest to each decimal."""
    words, scale = _words(chunk), chunk.type.scale
    low = words[:, 0]
    plain = (low >= -_EXACT) & (low <= _EXACT) & (words[:, 1:] == (low >> 63)[:, None]).all(axis=1)
    if not 0 <= scale <= _TENS:
        plain[:] = False
    values = low.astype(np.float64) / 10.0 ** min(max(scale, 0), _TENS)
    wide = np.flatnonzero(~plain)
    values[wide] = [_nearest(whole, scale) for whole in _whole(words[wide])]
    return values


def _whole(words: NDArray[np.int64]) -> list[int]:
    """Whole numbers from their words."""
    return [int.from_bytes(row.tobytes(), "little", signed=True) for row in words.astype("<i8")]


def _nearest(whole: int, scale: int) -> float:
    try:
        # Python rounds the quotient of whole numbers correctly
        return whole / 10**scale if scale >= 0 else float(whole * 10**-scale)
    except OverflowError:
        return np.inf if whole > 0 else -np.inf


def _joined(parts: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype), *parts])
