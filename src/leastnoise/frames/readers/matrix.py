"""One door for several columns: named columns of a table, a matrix, or a list of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterTypeError, SchemaError
from leastnoise.foreign import is_list, is_list_or_tuple, is_tuple
from leastnoise.frames.memory.table import NamedTable
from leastnoise.frames.readers.dataframes import open_eager
from leastnoise.frames.readers.open import open_table
from leastnoise.frames.readers.unnamed import unnamed_columns
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import Table, class_name

if TYPE_CHECKING:
    from leastnoise.summaries.columns import ColumnType
    from leastnoise.summaries.vectors import VectorSpec


def open_matrix(
    data: object, spec: VectorSpec, **options: Any
) -> tuple[Table, tuple[str, ...], tuple[ColumnType, ...]]:
    """Open several columns: a table, the names of its columns, and their public types.

    A matrix or a list of rows has as many columns as the statistic has bounds. A row of another
    length is missing in every column, as an unparsable entry is in its own.

    Raises
    ------
    ParameterTypeError, SchemaError, ColumnTypeError
        If a column is missing or holds no numbers, or a matrix has another number of columns.
        Never because of a value.
    """
    if spec.columns is not None:
        table = open_table(data, **options)
        if table.column_names() is None:
            raise SchemaError(
                "columns were named, and the data has no column names; give a frame or a dict of "
                "columns, or leave the names out for a matrix"
            )
        names = spec.columns
    else:
        table = _open_bare(data, len(spec.bounds), options)
        names = table.column_names()
    return table, names, tuple(table.column_type(name) for name in names)


def _open_bare(data: object, width: int, options: dict[str, Any]) -> NamedTable:
    kind = class_name(data)
    if is_list_or_tuple(data) and width == 1:
        data = list(map(_single, data))
    elif isinstance(data, (str, dict)) or _is_named(data):
        raise SchemaError("this data has named columns: name them with columns=[...]")
    try:
        columns = unnamed_columns(data, width, options)
    except ParameterTypeError:
        raise ParameterTypeError(
            f"data must be a matrix, a list of rows or a table with named columns, not {kind}"
        ) from None
    if len(columns) != width:
        raise SchemaError(
            f"the matrix must have two dimensions and {width} columns, one for each pair of "
            f"bounds; it has {len(columns)} columns"
        )
    return NamedTable.of({str(k): column for k, column in enumerate(columns)})


def _is_named(data: object) -> bool:
    table = open_eager(data, Dialect())
    return isinstance(data if table is None else table, NamedTable)


def _single(row: object) -> object:
    """The entry of a row of one entry; a class of its own is not asked for it."""
    if is_list(row):
        return list[object].__getitem__(row, 0) if list[object].__len__(row) == 1 else None
    if is_tuple(row):
        plain = tuple[object, ...]
        return plain.__getitem__(row, 0) if plain.__len__(row) == 1 else None
    return row
