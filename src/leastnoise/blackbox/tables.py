"""Private records as a program sees them: their form depends on the kind of the container alone.

If one record could decide whether a program gets an array or a list, or of which dtype, then it
could change how the program reads all others. So a container with a declared type (array, series,
frame, Arrow table) stays what it is, and one without (list, tuple) is a list of its records.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterTypeError
from leastnoise.foreign import attempted

Array = NDArray[Any]
_KINDS = {
    "pandas": ("DataFrame", "Series"),
    "polars": ("DataFrame", "Series"),
    "pyarrow": ("Table", "RecordBatch", "Array", "ChunkedArray"),
}
_TEXTS = (str, bytes, bytearray, memoryview)


def as_records(data: Any) -> Any:
    """The private table, told by its kind alone; no record is looked at.

    Returns
    -------
    Array, series, frame or Arrow table
        As it is, with its declared types.
    list
        The records of any other sequence as they are.

    Raises
    ------
    ParameterTypeError
        If it is no table with rows in an order.
    """
    kind = type(data).__name__
    if library_of(data) is not None:
        return data
    if isinstance(getattr(data, "dtype", None), np.dtype) and getattr(data, "ndim", 0):
        return cast("Array", data) if isinstance(data, np.ndarray) else np.asarray(data)
    if isinstance(data, Sequence) and not isinstance(data, _TEXTS):
        return list(cast("Sequence[Any]", data))
    raise ParameterTypeError(
        "data must be a table of records, rows first: a list, a numpy array, a pandas, Polars or "
        f"Arrow series or table; got {kind}. Read files and collect lazy frames "
        "first, give columns as a frame, and list(...) of anything that can be gone through"
    )


def unlabelled(records: Any) -> Any:
    """The table without what other records decide about a record, and without what is no record.

    A removed row shifts the row labels of later ones; one category more stands in the list of all;
    the longest text makes an array's type; numpy drops a mask where nothing is masked. So row
    labels go, categories and texts of arrays become plain values (Polars' ``Enum`` is declared, and
    stays), masks are full, and attributes, metadata and subclasses of arrays are left out.
    """
    match library_of(records):
        case "pandas":
            plain = records.reset_index(drop=True)
            plain.attrs = {}
            if plain.ndim == 1:
                return plain.astype(object) if _coded(plain.dtype) else plain
            for place in [place for place, kind in enumerate(plain.dtypes) if _coded(kind)]:
                plain.isetitem(place, plain.iloc[:, place].astype(object))
            return plain
        case "polars":
            if hasattr(records, "dtype"):
                return records.cast(str) if _coded(records.dtype) else records
            return records.cast({x: str for x, kind in records.schema.items() if _coded(kind)})
        case "pyarrow":
            if not hasattr(records, "schema"):
                return _decoded(records)
            columns = [_decoded(column) for column in records.columns]
            schema = records.schema.remove_metadata()
            for place, column in enumerate(columns):
                field = schema.field(place).remove_metadata().with_type(column.type)
                schema = schema.set(place, field)
            return cast("Any", type(records)).from_arrays(columns, schema=schema)
        case _:
            if isinstance(records, np.ndarray):
                return _plain_array(cast("Array", records))
            return records


def _plain_array(records: Array) -> Array:
    whole: Array = np.ma.getdata(records, subok=False)
    if whole.dtype.kind in "US":
        whole = whole.astype(object)
    elif whole.dtype.metadata and whole.dtype.names is None and whole.dtype.kind != "V":
        whole = whole.view(np.dtype(whole.dtype.str))
    if isinstance(records, np.ma.MaskedArray):
        return np.ma.MaskedArray(whole, mask=np.ma.getmaskarray(records).copy())
    return whole


def _coded(kind: Any) -> bool:
    """Whether values of this type are places in a list of all that there are."""
    kind = getattr(kind, "pyarrow_dtype", kind)
    return type(kind).__name__ in ("CategoricalDtype", "Categorical", "DictionaryType")


def _decoded(column: Any) -> Any:
    return column.cast(column.type.value_type) if _coded(column.type) else column


def take(records: Any, places: Sequence[int]) -> Any:
    """Some of the records, in the same form and with the same declared types."""
    chosen = np.asarray(places, dtype=np.int64)
    match library_of(records):
        case "pandas":
            return records.iloc[chosen].reset_index(drop=True)
        case "polars":
            found = records[chosen]
            if hasattr(found, "dtype"):
                return _own_texts(found)
            return found.with_columns([_own_texts(column) for column in found.get_columns()])
        case "pyarrow":
            found = records.take(chosen)
            return found.combine_chunks() if type(found).__name__ == "Table" else found
        case _:
            if isinstance(records, np.ndarray):
                return cast("Array", records)[chosen]
            return [records[place] for place in places]


def _own_texts(column: Any) -> Any:
    """A Polars column whose buffers hold its own texts alone: taken rows share those of all."""
    if type(column.dtype).__name__ not in ("String", "Binary"):
        return column
    return type(column)(column.name, column.to_list(), dtype=column.dtype)


def kept(records: Any, count: int) -> Any:
    """The first records, as the library slices them."""
    match library_of(records):
        case "pandas":
            return records.iloc[:count]
        case "pyarrow":
            return records.slice(0, count)
        case _:
            return records[:count]


def copied(database: Any) -> Any:
    """A copy, so that a program cannot change its caller's data.

    Records of a list are copied one by one: what cannot be copied is handed on as it is, which is
    no reason to fail for all others.
    """
    if isinstance(database, np.ndarray):
        found: Array = cast("Array", database).copy()
        if found.dtype.names and found.dtype.hasobject:
            return _copy(found)
        if found.dtype == object:
            for place, record in enumerate(found.flat):
                found.flat[place] = _copy(record)
        return found
    if isinstance(database, list):
        return [_copy(record) for record in cast("list[Any]", database)]
    found = _copy(database)
    return _unshared(found) if library_of(found) == "pandas" else found


def _unshared(table: Any) -> Any:
    """Copies of the objects in the cells of a pandas table, which its own copy shares."""
    if table.ndim == 1:
        return _unshared(table.to_frame()).iloc[:, 0] if str(table.dtype) == "object" else table
    for place in [i for i, kind in enumerate(table.dtypes) if str(kind) == "object"]:
        cells = np.empty(len(table), object)
        cells[:] = [_copy(cell) for cell in table.iloc[:, place]]
        table.isetitem(place, cells)
    return table


def _copy(record: Any) -> Any:
    return attempted(lambda: copy.deepcopy(record), record)


def library_of(data: Any) -> str | None:
    """The library whose series, frame or table this is."""
    for kind in type(data).__mro__:
        library = kind.__module__.partition(".")[0]
        if kind.__name__ in _KINDS.get(library, ()):
            return library
    return None
