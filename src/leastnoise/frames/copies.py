"""Copies of private records for foreign code, which may write to what it is given.

A cell of a plain type that nothing can change is handed on. Any other is copied through its pickle,
or else by ``copy.deepcopy``: the copy shares with the cell only what a program can reach by name
anyway, such as classes. A cell that cannot be copied counts as missing.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.foreign import attempted, guarded, is_list_or_tuple, stop_if_signalled
from leastnoise.frames.libraries.on_numpy import is_array

Array = NDArray[Any]
_KINDS = {
    "pandas": ("DataFrame", "Series"),
    "polars": ("DataFrame", "Series"),
    "pyarrow": ("Table", "RecordBatch", "Array", "ChunkedArray"),
}
# By identity: a class may define its own equality.
_UNCHANGING = frozenset(
    map(
        id,
        (
            *(type(None), bool, int, float, complex, str, bytes, Decimal),
            *(np.bool_, np.int32, np.int64, np.float32, np.float64),
        ),
    )
)


def library_of(data: Any) -> str | None:
    """The library whose series, frame or table this is."""
    for kind in type(data).__mro__:
        library = kind.__module__.partition(".")[0]
        if kind.__name__ in _KINDS.get(library, ()):
            return library
    return None


def cells(values: Iterable[object]) -> list[Any]:
    """Copies of cells, one by one, so that no cell can change how another is copied."""
    with guarded():
        return [x if id(type(x)) in _UNCHANGING else _copied(x) for x in values]


def objects(values: Iterable[Any]) -> Array:
    """Copies of cells in an array of objects; lists among them stay cells."""
    copies = cells(values)
    found = np.empty(len(copies), object)
    for place, value in enumerate(copies):
        found[place] = value
    return found


def _copied(value: Any) -> Any:
    try:
        return pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    except BaseException:  # a user's class may do anything
        stop_if_signalled()
    found = attempted(lambda: copy.deepcopy(value))
    return None if found is value else found


def copied(table: Any) -> Any:
    """A copy of a table of any kind, so that foreign code cannot change its caller's data."""
    if is_list_or_tuple(table):
        made = cells(table)
        return made if isinstance(table, list) else tuple(made)
    if is_array(table):
        return _copied_array(table)
    match library_of(table):
        case "pandas":
            return _copied_pandas(table)
        case "polars":
            return _copied_polars(table)
        case _:
            return copy.deepcopy(table)


def _copied_array(array: Array) -> Array:
    found = array.copy()
    if found.dtype == object:
        found.reshape(-1)[:] = objects(found.flat)
    elif found.dtype.hasobject:
        return copy.deepcopy(found)
    return found


def _copied_pandas(table: Any) -> Any:
    """Copy a frame whose own ``copy`` shares objects in cells, labels and categories."""
    found = table.copy()
    found.index = _copied(table.index)
    if table.ndim == 1:
        return _unshared(found, table)
    found.columns = _copied(table.columns)
    for place in range(table.shape[1]):
        column = found.iloc[:, place]
        own = _unshared(column, table.iloc[:, place])
        if own is not column:
            found.isetitem(place, own)
    return found


def _unshared(copied: Any, series: Any) -> Any:
    """The copy of a series, or a new series where the copy shares something."""
    if series.dtype == object:
        values: Any = objects(series.array)
    elif type(series.dtype).__name__ == "CategoricalDtype":
        values = _copied(series.array)
    else:
        return copied
    return type(copied)(values, dtype=values.dtype, index=copied.index, name=copied.name)


def _copied_polars(data: Any) -> Any:
    """Only objects in cells can be written to."""
    if not hasattr(data, "columns"):
        return _cloned(data)
    return data.with_columns(
        [_cloned(column) for column in data.get_columns() if _holds_objects(column)]
    )


def _cloned(column: Any) -> Any:
    if not _holds_objects(column):
        return column.clone()
    return type(column)(column.name, cells(column.to_list()), dtype=column.dtype)


def _holds_objects(column: Any) -> bool:
    return type(column.dtype).__name__ == "Object"
