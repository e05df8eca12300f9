"""Data frames and series of pandas, Polars and Arrow: each library's columns by its front end.

A library is looked for among the modules that are loaded: whoever has a frame has imported it.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from leastnoise.frames.contract import Front
from leastnoise.frames.memory.table import BareTable, NamedTable
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import Table


def open_frame(data: object, dialect: Dialect) -> Table | None:
    """Open a frame or series, or what an engine holds; None if ``data`` is neither.

    Raises
    ------
    ParameterTypeError
        If it is a frame of an engine that is not read.
    """
    found = open_eager(data, dialect)
    if found is not None:
        return found
    import narwhals as nw

    given: Any = data
    native: Any = nw.to_native(given, pass_through=True)
    if native is not data:
        return open_frame(native, dialect)
    lazy: Any = nw.from_native(native, pass_through=True)
    if not issubclass(type(lazy), nw.LazyFrame):
        return None
    from leastnoise.frames.engines import open_lazy  # only for data that an engine holds

    return open_lazy(lazy)


def open_eager(data: Any, dialect: Dialect) -> BareTable | NamedTable | None:
    """Open a frame or series of pandas, Polars or Arrow; None if ``data`` is none."""
    for library, opened in (("pandas", _pandas), ("polars", _polars), ("pyarrow", _arrow)):
        module = sys.modules.get(library)
        found = None if module is None else opened(module, data, dialect)
        if found is not None:
            return found
    return None


def open_series(native: Any, dialect: Dialect) -> BareTable:
    """Open a series or an Arrow array that an engine gave.

    Raises
    ------
    TypeError
        If it is none.
    """
    found = open_eager(native, dialect)
    if not isinstance(found, BareTable):
        raise TypeError(f"{type(native).__name__} is not a series")
    return found


def _bare(front: Front, native: Any, dtype: Any, dialect: Dialect) -> BareTable:
    return BareTable(front, native, front.physical(dtype), dialect)


def _pandas(pandas: Any, data: Any, dialect: Dialect) -> BareTable | NamedTable | None:
    from leastnoise.frames.libraries import on_pandas

    # a class of the caller's own may give its columns otherwise
    if isinstance(data, pandas.Series):
        series = pandas.Series(data, copy=False)
        return _bare(on_pandas, series, series.dtype, dialect)
    if not isinstance(data, pandas.DataFrame):
        return None
    frame = pandas.DataFrame(data, copy=False)

    def at(position: int) -> BareTable:
        series = frame.iloc[:, position]
        return _bare(on_pandas, series, series.dtype, dialect)

    return NamedTable(tuple(frame.columns), at, len(frame))


def _polars(polars: Any, data: Any, dialect: Dialect) -> BareTable | NamedTable | None:
    from leastnoise.frames.libraries import on_polars

    if isinstance(data, polars.Series):
        return _bare(on_polars, data, data.dtype, dialect)
    if not isinstance(data, polars.DataFrame):
        return None

    def at(position: int) -> BareTable:
        series = data.to_series(position)
        return _bare(on_polars, series, series.dtype, dialect)

    return NamedTable(tuple(data.columns), at, data.height)


def _arrow(pyarrow: Any, data: Any, dialect: Dialect) -> BareTable | NamedTable | None:
    from leastnoise.frames.libraries import on_arrow

    if isinstance(data, pyarrow.Array):
        data = pyarrow.chunked_array([data])
    if isinstance(data, pyarrow.ChunkedArray):
        return _bare(on_arrow, data, data.type, dialect)
    if isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.Table.from_batches([data])
    if not isinstance(data, pyarrow.Table):
        return None

    def at(position: int) -> BareTable:
        column = _bare(on_arrow, data.column(position), data.schema.field(position).type, dialect)
        nullable = bool(data.schema.field(position).nullable)
        return replace(column, physical=replace(column.physical, nullable=nullable))

    return NamedTable(tuple(data.column_names), at, data.num_rows)
