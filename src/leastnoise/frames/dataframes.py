"""Data frames and series of pandas, Polars and Arrow, read through narwhals.

narwhals is imported when the first frame is opened. It is not asked for the type of a pandas object
column, because it answers from the values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, assert_never, cast

import numpy as np

from leastnoise.errors import ColumnTypeError
from leastnoise.frames.arrays import (
    FROM_DATES,
    FROM_DURATIONS,
    array_column,
    array_text_type,
    array_type,
)
from leastnoise.frames.labels import (
    AS_NUMBERS,
    entry_codes,
    entry_values,
    no_text,
)
from leastnoise.frames.table import check_bare, find_column, list_names
from leastnoise.frames.values import Dialect, to_floats
from leastnoise.summaries.columns import Column, ColumnType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw
    from numpy.typing import NDArray

    from leastnoise.frames.table import Table


@dataclass(frozen=True, slots=True, repr=False)
class SeriesTable:
    """NOT PRIVATE: a bare series of pandas or Polars, or an Arrow array; its own name is unused."""

    native: Any
    dialect: Dialect

    def column_names(self) -> None:
        """Give None: a bare series is one column."""

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the series declares; a name is a `SchemaError`."""
        check_bare(name)
        return series_type(None, self.native)

    def column(self, name: str | None) -> Column:
        """Read the values."""
        return series_column(self.column_type(name), self.native, self.dialect)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the series declares; a name is a `SchemaError`."""
        check_bare(name)
        return series_text_type(None, self.native)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare the entries with text labels."""
        self.text_type(name)
        return series_text_codes(self.native, labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of the entries."""
        return series_text_ids(self.native)

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of the entries, and tell them."""
        self.text_type(name)
        return series_text_values(self.native)

    def row_count(self) -> int:
        """Count the entries."""
        return len(self.native)

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return "SeriesTable(NOT PRIVATE)"


@dataclass(frozen=True, slots=True, repr=False)
class FrameTable:
    """NOT PRIVATE: a data frame of pandas or Polars, or an Arrow table."""

    native: Any
    library: Literal["pandas", "polars", "arrow"]
    labels: tuple[object, ...]
    dialect: Dialect

    def column_names(self) -> tuple[str, ...]:
        """Give the labels that are text, in order."""
        return tuple(label for label in self.labels if isinstance(label, str))

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the frame declares for one column."""
        series, nullable = self._find(name)
        return series_type(name, series, nullable=nullable)

    def column(self, name: str | None) -> Column:
        """Read one column."""
        series, nullable = self._find(name)
        return series_column(series_type(name, series, nullable=nullable), series, self.dialect)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the frame declares for one column read as text labels."""
        return series_text_type(name, self._find(name)[0])

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare one column with text labels."""
        self.text_type(name)
        return series_text_codes(self._find(name)[0], labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of one column."""
        return series_text_ids(self._find(name)[0])

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of one column, and tell them."""
        self.text_type(name)
        return series_text_values(self._find(name)[0])

    def row_count(self) -> int:
        """Count the rows."""
        return len(self.native)

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"FrameTable({list_names(self.labels, found='columns')}, NOT PRIVATE)"

    def _find(self, name: str | None) -> tuple[Any, bool]:
        # By position, because names can be repeated in pandas and Arrow.
        position = find_column(name, self.labels)
        match self.library:
            case "arrow":
                nullable = bool(self.native.schema.field(position).nullable)
                return self.native.column(position), nullable
            case "pandas":
                return self.native.iloc[:, position], True
            case "polars":
                return self.native.to_series(position), True
            case _:
                assert_never(self.library)


def open_frame(data: object, dialect: Dialect) -> Table | None:
    """Open an eager frame or series; None if ``data`` is no frame at all.

    Raises
    ------
    ParameterTypeError
        If it is a frame of an engine that has not been collected.
    """
    import narwhals as nw
    from narwhals import dependencies

    known: Any = dependencies  # its pyarrow answers are untyped

    native: Any = nw.to_native(cast("Any", data), pass_through=True)
    pyarrow: Any = known.get_pyarrow()
    if pyarrow is not None:
        if isinstance(native, pyarrow.RecordBatch):
            native = pyarrow.Table.from_batches([native])
        elif isinstance(native, pyarrow.Array):
            native = pyarrow.chunked_array([native])
    if (
        known.is_pandas_like_series(native)
        or known.is_polars_series(native)
        or known.is_pyarrow_chunked_array(native)
    ):
        return SeriesTable(native, dialect)
    if known.is_pandas_like_dataframe(native):
        return FrameTable(native, "pandas", tuple(native.columns), dialect)
    if known.is_polars_dataframe(native):
        return FrameTable(native, "polars", tuple(native.columns), dialect)
    if known.is_pyarrow_table(native):
        return FrameTable(native, "arrow", tuple(native.column_names), dialect)
    lazy: Any = nw.from_native(native, pass_through=True)
    if isinstance(lazy, nw.LazyFrame):
        from leastnoise.frames.lazy import open_lazy  # only for data that an engine holds

        return open_lazy(cast("nw.LazyFrame[Any]", lazy))
    return None


def series_type(name: str | None, native: Any, *, nullable: bool = True) -> ColumnType:
    """Give the public type of a native series: a function of its declared type alone.

    Parameters
    ----------
    name
        The name of the column.
    native
        A pandas-like or Polars series, or an Arrow chunked array.
    nullable
        Whether the schema lets the column hold missing values.

    Raises
    ------
    ColumnTypeError
        If the type holds no numbers.
    """
    declared = _declared(native)
    if isinstance(declared, np.dtype):
        return _numpy_type(name, cast("np.dtype[Any]", declared))
    kind = str(declared)
    if _is_null(kind) or _is_decimal(kind):
        return ColumnType(name, kind, integer=False, nullable=nullable)
    if _is_half(kind):
        return ColumnType(name, kind, integer=False, nullable=True)

    import narwhals as nw

    dtype = _narwhals(native).dtype
    if dtype.is_integer() or isinstance(dtype, nw.Boolean):
        return ColumnType(name, kind, integer=True, nullable=nullable)
    if dtype.is_float() or isinstance(dtype, nw.Object):
        # A float is missing where it is NaN, whatever its schema says.
        return ColumnType(name, kind, integer=False, nullable=True)
    raise no_numbers(name, kind, dtype)


def series_column(
    type: ColumnType,
    native: Any,
    dialect: Dialect,
) -> Column:
    """Read a native series whose type `series_type` has accepted; never raises on values."""
    declared = _declared(native)
    if isinstance(declared, np.dtype):
        return array_column(type, native.to_numpy(), dialect)
    kind = str(declared)
    if _is_null(kind):
        return Column(type, np.full(len(native), np.nan), None)

    import narwhals as nw

    series = _narwhals(native)
    if _is_decimal(kind):
        # Through text, because that is correctly rounded: the same float64 as in every front end.
        return Column(type, _floats(series.cast(nw.String).cast(nw.Float64)), None)
    dtype = series.dtype
    if isinstance(dtype, nw.Object):
        return Column(type, to_floats(series.to_list(), dialect), None)
    if not type.integer:
        return Column(type, _floats(series), None)
    missing: NDArray[np.bool_] | None = None
    if series.null_count():
        missing = np.asarray(series.is_null().to_numpy(), dtype=np.bool_)
        series = series.fill_null(cast("Any", False if isinstance(dtype, nw.Boolean) else 0))
    # numpy has no wider integers: values beyond 64 bits count as the largest or smallest there is.
    if isinstance(dtype, nw.Int128):
        series = series.clip(-(2**63), 2**63 - 1).cast(nw.Int64)
    elif isinstance(dtype, nw.UInt128):
        series = series.clip(0, 2**64 - 1).cast(nw.UInt64)
    return Column(type, np.asarray(series.to_numpy()), missing)


def series_text_type(name: str | None, native: Any) -> ColumnType:
    """Give the public type of a native series that is read as text labels.

    Raises
    ------
    ColumnTypeError
        If the type holds no text.
    """
    declared = _declared(native)
    if isinstance(declared, np.dtype):
        return array_text_type(name, cast("np.dtype[Any]", declared))
    kind = str(declared).split("(")[0]  # the categories themselves may be anything
    if _is_null(kind):
        return ColumnType(name, kind, integer=False, nullable=True)

    import narwhals as nw

    dtype = _narwhals(native).dtype
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum, nw.Object)):
        return ColumnType(name, kind, integer=False, nullable=True)
    numbers = dtype.is_numeric() or isinstance(dtype, nw.Boolean)
    raise no_text(name, kind, AS_NUMBERS if numbers else "convert the column to text first")


def series_text_codes(native: Any, labels: Sequence[str | float]) -> NDArray[np.int64]:
    """Read a native series whose type `series_text_type` has accepted; never raises on values."""
    entries, places = _entries(native)
    codes = entry_codes(entries, labels)
    return codes if places is None else codes[places]


def series_text_ids(native: Any) -> NDArray[np.int64]:
    """Number the texts of a native series; never raises on values."""
    return series_text_values(native)[0]


def series_text_values(native: Any) -> tuple[NDArray[np.int64], list[str]]:
    """Number the texts of a native series, and tell them; never raises on values."""
    entries, places = _entries(native)
    codes, texts = entry_values(entries)
    return codes if places is None else codes[places], texts


def _entries(native: Any) -> tuple[list[object], NDArray[np.intp] | None]:
    """The entries; where the type is text each text once, and the place of every row's.

    A text is then stripped and looked up once, and not once a row.
    """
    declared = _declared(native)
    if isinstance(declared, np.dtype):
        return native.to_list(), None

    import narwhals as nw

    series = _narwhals(native)
    if isinstance(series.dtype, nw.Object) or _is_null(str(declared)):
        return series.to_list(), None
    if not isinstance(series.dtype, nw.String):
        series = series.cast(nw.String)
    series = series.fill_null("")
    plain = series.to_native()
    if hasattr(plain, "factorize"):
        places, different = plain.factorize()
        return different.tolist(), np.asarray(places)
    if not len(series):
        return [], None
    texts: list[object] = series.unique().to_list()
    found = series.replace_strict(texts, list(range(len(texts))), return_dtype=nw.Int64)
    return texts, np.asarray(found.to_numpy())


def _floats(series: nw.Series[Any]) -> NDArray[Any]:
    values = np.asarray(series.to_numpy())
    return values.astype(np.float32 if values.dtype.itemsize <= 4 else np.float64, copy=False)


def _narwhals(native: Any) -> nw.Series[Any]:
    import narwhals as nw

    return nw.from_native(native, series_only=True)


def _declared(native: Any) -> Any:
    return native.dtype if hasattr(native, "dtype") else native.type


def _is_null(kind: str) -> bool:
    return kind.lower().removesuffix("[pyarrow]") == "null"


def _is_half(kind: str) -> bool:  # older versions of narwhals do not know it
    return kind.lower().removesuffix("[pyarrow]") in ("halffloat", "float16")


def _is_decimal(kind: str) -> bool:
    return kind.lower().startswith("decimal")


def _numpy_type(name: str | None, dtype: np.dtype[Any]) -> ColumnType:
    try:
        return array_type(name, dtype)
    except ColumnTypeError:
        import narwhals as nw

        temporal = {"M": nw.Datetime("ns"), "m": nw.Duration("ns")}.get(dtype.kind, nw.Unknown())
        raise no_numbers(name, str(dtype), temporal) from None


def no_numbers(name: str | None, kind: str, dtype: nw.dtypes.DType) -> ColumnTypeError:
    """The refusal of numbers for a column of this type, with the cure."""
    import narwhals as nw

    if isinstance(dtype, nw.Duration):
        cure = FROM_DURATIONS
    elif dtype.is_temporal() or kind.startswith("period"):
        cure = FROM_DATES
    elif isinstance(dtype, nw.Unknown):  # times of DuckDB, intervals of Spark, and others
        cure = f"{FROM_DURATIONS} where it holds times"
    elif isinstance(dtype, (nw.Categorical, nw.Enum)):
        kind = kind.split("(")[0]  # the categories themselves may be anything
        cure = (
            "categories are never read as numbers, even if they are; convert the column to "
            "float64, or count its declared categories with Mode or Histogram"
        )
    elif isinstance(dtype, nw.String):
        cure = (
            "convert the column to float64 first, with a missing value where the text is no number"
        )
    elif dtype.is_nested():
        cure = "take one field of it as a column of its own"
    else:
        cure = "convert the column to float64 first"
    column = "the column" if name is None else f"column {name!r}"
    return ColumnTypeError(f"{column} has type {kind}, which holds no numbers; {cure}")
