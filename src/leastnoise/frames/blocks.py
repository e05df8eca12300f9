"""Blocks of the rows of a table, each made anew from its own rows and the declared types.

When a library selects rows, the result holds more than these: buffers with all the others, a mask
that exists only if something is missing anywhere, a list of all categories, labels, attributes,
flags. So only values and types are copied. The functions here, one for each library, say which
types are known; a column of any other is refused by its type, before a value is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterTypeError
from leastnoise.foreign import attempted, class_of
from leastnoise.frames.copies import cells, library_of, objects
from leastnoise.frames.libraries.on_numpy import as_objects, is_array, is_dtype

Array = NDArray[Any]
Places = NDArray[np.int64]
Make = Callable[[Places], Any]

# Numbers, truth values, dates and spans of time of numpy.
_FIXED = "biufcmM"


def block_maker(records: Any) -> Callable[[Sequence[int]], Any]:
    """A function that makes a block of the rows at given positions, in the form of the table.

    A list of records stays a list. Values of categories and other codes come as plain values, and
    texts of numpy arrays as objects, as the width of their type is that of the longest.

    Raises
    ------
    ParameterTypeError
        Naming a column, or a class, whose rows cannot be shown without others.
    """
    library, kind = library_of(records), class_of(records)
    masked = issubclass(kind, np.ma.MaskedArray) and kind is not np.ma.MaskedArray
    if masked or (library is not None and kind.__module__.partition(".")[0] != library):
        raise ParameterTypeError(
            f"data is a {kind.__name__}, and blocks are cut from plain tables, as a "
            "subclass may carry more than its rows: convert it to the "
            f"{library or 'numpy'} class that it is made from"
        )
    make = _MAKERS[library](records)
    if attempted(lambda: make(np.empty(0, np.int64))) is None:
        raise ParameterTypeError(
            "data has columns from which its library cannot take rows: cast them to plain types"
        )
    return lambda places: make(np.asarray(places, np.int64))


def _library(name: str) -> Any:
    """A library that is loaded already, because its table exists."""
    return import_module(name)


def _refused(column: str, kind: object) -> ParameterTypeError:
    return ParameterTypeError(
        f"data has {column} of type {kind}, from which no blocks are made: cast it to a plain type "
        "(values for codes and runs, string for views), inside lists and structs too"
    )


def _called(label: object) -> str:
    return f"a column {label!r}"


# --- lists and arrays of numpy --------------------------------------------------------------------


def _list(records: Any) -> Make:
    if is_array(records):
        return _array(records)
    return lambda places: cells([records[place] for place in places.tolist()])


def _array(records: Array) -> Make:
    whole = np.asarray(records)  # without a subclass or a mask
    if isinstance(records, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(records)
        plain = _plain_array(whole)
        return lambda places: np.ma.MaskedArray(plain(places), mask=_own(mask, places))
    return _plain_array(whole)


def _plain_array(whole: Array) -> Make:
    if whole.dtype.kind in "USTO":
        return lambda places: objects(as_objects(whole[places]).flat).reshape(
            (len(places), *whole.shape[1:])
        )
    if not _is_fixed(whole.dtype):
        raise _refused("values", whole.dtype)
    return lambda places: _own(whole, places)


def _is_fixed(kind: np.dtype[Any]) -> bool:
    """Whether entries of this type are numbers, times, bytes or fields of these."""
    if kind.fields is None:
        return kind.kind in _FIXED or (kind.kind == "V" and kind.subdtype is None)
    fields = [field[0].base for field in kind.fields.values()]
    return not kind.metadata and all(not field.metadata and _is_fixed(field) for field in fields)


def _own(whole: Array, places: Places) -> Array:
    """A copy of the rows in C order, with a dtype of its own."""
    kind = whole.dtype.str if whole.dtype.fields is None else cells([whole.dtype])[0]
    found = np.zeros((len(places), *whole.shape[1:]), kind)
    found[...] = whole[places]
    return found


# --- pandas ---------------------------------------------------------------------------------------


def _pandas(records: Any) -> Make:
    pd = _library("pandas")
    if records.ndim == 1:
        column = _pandas_column(records, "values")

        def series(places: Places) -> Any:
            found = column(places)
            (found.name,) = cells([records.name])
            return found

        return series
    columns = [
        _pandas_column(records.iloc[:, place], _called(label))
        for place, label in enumerate(records.columns)
    ]

    def make(places: Places) -> Any:
        made = {place: column(places) for place, column in enumerate(columns)}
        found = pd.DataFrame(made, index=pd.RangeIndex(len(places)))
        (found.columns,) = cells([records.columns])
        return found

    return make


def _pandas_column(column: Any, called: str) -> Make:
    pd, kind = _library("pandas"), column.dtype
    if is_dtype(kind):
        whole = column.to_numpy()
        if kind.kind not in f"O{_FIXED}":
            raise _refused(called, kind)
        values = objects if kind.kind == "O" else np.array
        return lambda places: pd.Series(values(whole[places]), dtype=kind)
    own = type(kind).__module__.partition(".")[0] == "pandas"
    name = type(kind).__name__ if own else ""
    if name == "ArrowDtype":
        arrow = _arrow_column(column.array.__arrow_array__(), called)
        return lambda places: pd.Series(pd.arrays.ArrowExtensionArray(arrow(places)))
    make = _PANDAS.get(name)
    if make is None:
        raise _refused(called, kind)
    return lambda places: pd.Series(make(column.iloc[places], kind))


def _of_entries(own: Any, kind: Any) -> Any:
    return _library("pandas").array(list(own), dtype=kind)


def _of_masked(own: Any, kind: Any) -> Any:
    values = own.to_numpy(dtype=kind.numpy_dtype, na_value=kind.numpy_dtype.type(0))
    return type(own.array)(values.copy(), own.isna().to_numpy(dtype=bool, copy=True))


def _of_zoned(own: Any, kind: Any) -> Any:
    pd = _library("pandas")
    utc = own.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().copy()
    return pd.Series(utc).dt.tz_localize("UTC").dt.tz_convert(kind.tz).array


def _of_categories(own: Any, kind: Any) -> Any:
    del kind  # its list of categories may hold the entries of others
    return _library("pandas").Series(objects(own.astype(object)), dtype=object)


_PANDAS: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("Int8Dtype", "Int16Dtype", "Int32Dtype", "Int64Dtype"), _of_masked),
    **dict.fromkeys(("UInt8Dtype", "UInt16Dtype", "UInt32Dtype", "UInt64Dtype"), _of_masked),
    **dict.fromkeys(("Float32Dtype", "Float64Dtype", "BooleanDtype"), _of_masked),
    **dict.fromkeys(("StringDtype", "PeriodDtype", "IntervalDtype"), _of_entries),
    "DatetimeTZDtype": _of_zoned,
    "CategoricalDtype": _of_categories,
}


# --- Polars ---------------------------------------------------------------------------------------

_POLARS = frozenset(
    (
        *("Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64"),
        *("UInt128", "Float16", "Float32", "Float64", "Boolean", "String", "Binary", "Decimal"),
        *("Null", "Enum"),
    )
)
# Times, and the whole numbers that they are: Python's dates are coarser and end in the year 9999.
_POLARS_TIMES = {"Date": "Int32", "Datetime": "Int64", "Duration": "Int64", "Time": "Int64"}


def _polars(records: Any) -> Make:
    pl = _library("polars")
    if isinstance(records, pl.Series):
        return _polars_column(records, "values")
    columns = [_polars_column(column, _called(column.name)) for column in records.get_columns()]
    return lambda places: pl.DataFrame([column(places) for column in columns])


def _polars_column(column: Any, called: str) -> Make:
    pl = _library("polars")
    kind = column.dtype
    if kind == pl.Object:
        values = column.to_list()
        return lambda places: pl.Series(
            column.name, cells([values[i] for i in places.tolist()]), dtype=pl.Object
        )
    if kind == pl.Categorical:
        kind = pl.String()
    carried = _carried(kind)
    if carried is None:
        raise _refused(called, column.dtype)

    def make(places: Places) -> Any:
        entries = column.gather(places).cast(kind).cast(carried).to_list()
        return pl.Series(column.name, entries, dtype=carried).cast(kind)

    return make


def _carried(kind: Any) -> Any:
    """The type by which Python holds entries of a Polars type exactly; None if there is none."""
    pl = _library("polars")
    match type(kind).__name__:
        case "List":
            inner = _carried(kind.inner)
            return None if inner is None else pl.List(inner)
        case "Array":
            inner = _carried(kind.inner)
            return None if inner is None else pl.Array(inner, kind.size)
        case "Struct":
            fields = {field.name: _carried(field.dtype) for field in kind.fields}
            return None if None in fields.values() else pl.Struct(fields)
        case name if name in _POLARS_TIMES:
            return getattr(pl, _POLARS_TIMES[name])()
        case name:
            return kind if name in _POLARS else None


# --- Arrow ----------------------------------------------------------------------------------------

_ARROW = frozenset(
    (
        *("Time32Type", "Time64Type", "TimestampType", "DurationType", "Decimal32Type"),
        *("Decimal64Type", "Decimal128Type", "Decimal256Type", "FixedSizeBinaryType"),
    )
)
_ARROW_PLAIN = frozenset(
    (
        *("null", "bool", "halffloat", "float", "double", "string", "large_string", "binary"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("large_binary", "date32[day]", "date64[ms]", "month_day_nano_interval"),
    )
)
_ARROW_NESTED = ("ListType", "LargeListType", "FixedSizeListType", "StructType", "MapType")


def _arrow(records: Any) -> Make:
    pa = _library("pyarrow")
    if not hasattr(records, "schema"):
        column = _arrow_column(records, "values")
        return (
            column if isinstance(records, pa.ChunkedArray) else lambda places: _one(column(places))
        )
    names, nullable = records.schema.names, [field.nullable for field in records.schema]
    columns = [
        _arrow_column(column, _called(name))
        for name, column in zip(names, records.columns, strict=True)
    ]

    def make(places: Places) -> Any:
        made = [_one(column(places)) for column in columns]
        fields = [
            pa.field(*each) for each in zip(names, [x.type for x in made], nullable, strict=True)
        ]
        whole: Any = class_of(records)
        return whole.from_arrays(made, schema=pa.schema(fields))

    return make


def _one(column: Any) -> Any:
    """The one array of a column that was written as one."""
    return column.chunk(0)


def _arrow_column(column: Any, called: str) -> Make:
    """Rows that were written and read again: what is written is cut to these, bit by bit."""
    pa = _library("pyarrow")
    coded = isinstance(column.type, pa.DictionaryType)
    kind = column.type.value_type if coded else column.type
    if not _is_plain(kind) or (coded and kind.num_fields):
        raise _refused(called, column.type)

    def make(places: Places) -> Any:
        own = column.take(pa.array(places))
        own = own.cast(kind) if coded else own
        whole = own.combine_chunks() if isinstance(own, pa.ChunkedArray) else own
        batch = pa.record_batch([whole], names=["x"])
        with pa.BufferOutputStream() as sink:
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            return pa.ipc.open_stream(sink.getvalue()).read_all().column(0)

    return make


def _is_plain(kind: Any) -> bool:
    name = type(kind).__name__
    if name in _ARROW_NESTED:
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return all(not field.metadata and _is_plain(field.type) for field in fields)
    return name in _ARROW or (name == "DataType" and str(kind) in _ARROW_PLAIN)


_MAKERS: dict[str | None, Callable[[Any], Make]] = {
    None: _list,
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _arrow,
}
