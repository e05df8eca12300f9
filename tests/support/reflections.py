"""All that a block of rows shows beside its values: memory, flags, lists of codes, types, labels.

Addresses are left out: where memory lies hangs on what the process did before.
"""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

Facts = Iterator[tuple[str, object]]


def reflected(block: Any) -> list[tuple[str, object]]:
    """Named facts about a list, array, series or table, in order."""
    return list(_of(block, type(block).__name__))


def _of(value: Any, path: str) -> Facts:
    kind = type(value)
    yield f"{path}: type", f"{kind.__module__}.{kind.__qualname__}"
    yield f"{path}: repr", _repr(value)
    module = kind.__module__.partition(".")[0]
    if isinstance(value, np.ndarray):
        yield from _array(value, path)
    elif module == "pandas":
        yield from _pandas(value, path)
    elif module == "polars":
        yield from _polars(value, path)
    elif module == "pyarrow":
        yield from _arrow(value, path)
    elif isinstance(value, (list, tuple)):
        yield f"{path}: size", len(value)
        for place, entry in enumerate(value):
            yield from _of(entry, f"{path}[{place}]")
    else:
        yield f"{path}: size in memory", sys.getsizeof(value)
        yield f"{path}: fields", sorted(getattr(value, "__dict__", ()))
    try:
        yield f"{path}: pickle", pickle.dumps(value)
    except Exception:  # Polars has none for objects
        yield f"{path}: pickle", None


def _repr(value: object) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", repr(value))


def _array(array: Any, path: str) -> Facts:
    yield f"{path}: dtype", (repr(array.dtype), array.dtype.itemsize, str(array.dtype.metadata))
    yield f"{path}: memory", (array.strides, array.nbytes, str(array.flags))
    yield f"{path}: fields", sorted(getattr(array, "__dict__", ()))
    if isinstance(array, np.ma.MaskedArray):
        yield f"{path}: fill", repr(array.fill_value)
        yield f"{path}: hard", (array.hardmask, array.sharedmask)
        yield from _array(np.ma.getmask(array), f"{path}.mask")
        yield from _array(np.asarray(array), f"{path}.data")
    if array.dtype.hasobject:
        for place, entry in enumerate(array.ravel().tolist()):
            yield from _of(entry, f"{path}[{place}]")
    else:
        yield f"{path}: bytes", np.asarray(array).tobytes()
    held = array.base
    for depth in count():
        if held is None:
            break
        yield f"{path}: base {depth}", type(held).__name__
        if isinstance(held, np.ndarray):
            yield f"{path}: base {depth} memory", (held.shape, held.dtype.str, held.nbytes)
            if not held.dtype.hasobject:
                yield f"{path}: base {depth} bytes", held.tobytes()
            held = held.base
        elif type(held).__module__.startswith("pyarrow") and not hasattr(held, "to_pybytes"):
            yield from _arrow(held, f"{path}: base {depth}")
            break
        else:
            yield f"{path}: base {depth} bytes", bytes(held)
            held = getattr(held, "parent", None)


def _pandas(table: Any, path: str) -> Facts:
    for name in ("dtype", "dtypes", "index", "columns", "name", "attrs", "flags"):
        yield f"{path}: {name}", str(getattr(table, name, None))
    if hasattr(table, "memory_usage"):
        yield f"{path}: usage", str(table.memory_usage(deep=True))
    if getattr(table, "ndim", 0) == 2:
        yield f"{path}: parts", table._mgr.nblocks
        for place in range(table.shape[1]):
            yield from _pandas_column(table.iloc[:, place], f"{path}[{place}]")
    elif hasattr(table, "array"):
        yield from _pandas_column(table, path)


def _pandas_column(column: Any, path: str) -> Facts:
    array = column.array
    yield f"{path}: array", type(array).__name__
    yield f"{path}: frequency", str(getattr(array, "freq", None))
    arrow = hasattr(array, "_pa_array")
    for name in ("_pa_array",) if arrow else ("_ndarray", "_data", "_mask", "_left", "_right"):
        held = getattr(array, name, None)
        if isinstance(held, np.ndarray):
            yield from _array(held, f"{path}.{name}")
        elif type(held).__module__.startswith("pyarrow"):
            yield from _arrow(held, f"{path}.{name}")
    values = column.to_numpy()
    if values.dtype != object:
        yield from _array(values, f"{path}.values")


def _polars(table: Any, path: str) -> Facts:
    import polars as pl

    yield f"{path}: size", table.estimated_size()
    yield f"{path}: chunks", table.n_chunks()
    if isinstance(table, pl.DataFrame):
        yield f"{path}: schema", str(table.schema)
        yield f"{path}: flags", str(table.flags)
        for column in table.get_columns():
            yield from _polars(column, f"{path}[{column.name}]")
        return
    yield f"{path}: flags", str(table.flags)
    yield f"{path}: name and type", (table.name, str(table.dtype))
    yield f"{path}: missing", table.null_count()
    if table.dtype == pl.Object:
        for place, entry in enumerate(table.to_list()):
            yield from _of(entry, f"{path}[{place}]")
        return
    try:
        arrow = table.to_arrow(compat_level=pl.CompatLevel.newest())
    except BaseException:  # types that Arrow has not
        return
    yield from _arrow(arrow, f"{path}.arrow")


def _arrow(table: Any, path: str) -> Facts:
    if "view" not in str(getattr(table, "type", "")):  # older versions cannot count views
        yield f"{path}: size", table.nbytes
    if hasattr(table, "get_total_buffer_size"):
        yield f"{path}: whole size", table.get_total_buffer_size()
    if hasattr(table, "schema"):
        yield f"{path}: schema", (str(table.schema), str(table.schema.metadata))
        yield f"{path}: metadata", [str(field.metadata) for field in table.schema]
        for name, column in zip(table.schema.names, table.columns, strict=True):
            yield from _arrow(column, f"{path}[{name}]")
        return
    yield f"{path}: type", str(table.type)
    if hasattr(table, "chunks"):
        yield f"{path}: chunks", table.num_chunks
        for place, chunk in enumerate(table.chunks):
            yield from _arrow(chunk, f"{path}[{place}]")
        return
    yield f"{path}: offset", (table.offset, len(table), table.null_count)
    for place, held in enumerate(table.buffers()):
        if held is not None:
            yield f"{path}: buffer {place}", (held.size, held.is_mutable, held.to_pybytes())
            if held.parent is not None:
                yield f"{path}: whole of buffer {place}", held.parent.to_pybytes()
    if hasattr(table, "dictionary"):
        yield from _arrow(table.dictionary, f"{path}.dictionary")
