"""Which columns blocks may be made of: those whose form no record decides for the others.

A list of what is known to be safe, by declared types alone. A column whose values are places in a
list of all values, runs, or views into buffers of other rows shows a program more than its rows.
Codes at the top of a column are decoded (``tables.unlabelled``); anywhere deeper they are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leastnoise.blackbox.tables import kept, library_of, take, unlabelled
from leastnoise.errors import ParameterTypeError

_POLARS = (
    *("Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64"),
    *("UInt128", "Float16", "Float32", "Float64", "Boolean", "String", "Binary", "Date"),
    *("Datetime", "Duration", "Time", "Decimal", "Null", "Enum", "Object"),
)
_ARROW = (
    *("Time32Type", "Time64Type", "TimestampType", "DurationType", "Decimal32Type"),
    *("Decimal64Type", "Decimal128Type", "Decimal256Type", "FixedSizeBinaryType"),
)
_ARROW_PLAIN = (
    *("null", "bool", "halffloat", "float", "double", "string", "large_string", "binary"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "large_binary"),
    *("date32[day]", "date64[ms]", "month_day_nano_interval"),
)
_ARROW_NESTED = ("ListType", "LargeListType", "FixedSizeListType", "StructType", "MapType")
_PANDAS = (
    *("Int8Dtype", "Int16Dtype", "Int32Dtype", "Int64Dtype", "UInt8Dtype", "UInt16Dtype"),
    *("UInt32Dtype", "UInt64Dtype", "Float32Dtype", "Float64Dtype", "BooleanDtype", "StringDtype"),
    *("DatetimeTZDtype", "PeriodDtype", "IntervalDtype", "CategoricalDtype"),
)


def check_form(records: Any) -> None:
    """Refuse a table whose blocks would show more than their records; reads types alone.

    Raises
    ------
    ParameterTypeError
        Naming the column and its type.
    """
    name = library_of(records)
    if name is not None and type(records).__module__.partition(".")[0] != name:
        raise ParameterTypeError(
            f"data is a {type(records).__name__}, and blocks are cut from plain tables, as a "
            "subclass may carry more than its rows: convert it to the "
            f"{name} class that it is made from"
        )
    for column, kind in _columns(records, name):
        if not _plain(kind, name):
            raise ParameterTypeError(
                f"data has {column} of type {kind}, from which no blocks are made: cast it to a "
                "plain type (values for codes and runs, string for views), inside lists and "
                "structs too"
            )
    try:  # whatever libraries cannot do with these types shows without a row
        take(unlabelled(kept(records, 0)), [])
    except Exception:
        raise ParameterTypeError(
            "data has columns from which its library cannot take rows: cast them to plain types"
        ) from None


def _columns(records: Any, name: str | None) -> Iterator[tuple[str, Any]]:
    """What messages call a column, and its type; none for arrays and lists, of any type."""
    if name == "pandas" and records.ndim == 2:
        pairs: Any = zip(records.columns, records.dtypes, strict=True)
    elif name == "polars" and not hasattr(records, "dtype"):
        pairs = records.schema.items()
    elif name == "pyarrow" and hasattr(records, "schema"):
        pairs = ((field.name, field.type) for field in records.schema)
    else:
        if name is not None:
            yield "values", records.type if name == "pyarrow" else records.dtype
        return
    for label, kind in pairs:
        yield f"a column {label!r}", kind


def _plain(kind: Any, name: str | None) -> bool:
    if name == "polars":
        return type(kind).__name__ == "Categorical" or _plain_polars(kind)
    if name == "pyarrow":
        return _plain_or_coded(kind)
    if hasattr(kind, "pyarrow_dtype"):
        return _plain_or_coded(kind.pyarrow_dtype)
    module = type(kind).__module__.partition(".")[0]
    return module == "numpy" or (module == "pandas" and type(kind).__name__ in _PANDAS)


def _plain_polars(kind: Any) -> bool:
    match type(kind).__name__:
        case "List" | "Array":
            return _plain_polars(kind.inner)
        case "Struct":
            return all(_plain_polars(field.dtype) for field in kind.fields)
        case name:
            return name in _POLARS


def _plain_or_coded(kind: Any) -> bool:
    if type(kind).__name__ == "DictionaryType":
        return _plain_arrow(kind.value_type) and not kind.value_type.num_fields
    return _plain_arrow(kind)


def _plain_arrow(kind: Any) -> bool:
    name = type(kind).__name__
    if name in _ARROW_NESTED:
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return all(not field.metadata and _plain_arrow(field.type) for field in fields)
    return name in _ARROW or (name == "DataType" and str(kind) in _ARROW_PLAIN)
