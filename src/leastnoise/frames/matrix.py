"""One door for several columns: named columns of a table, a matrix, or a list of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from leastnoise.errors import ParameterTypeError, SchemaError
from leastnoise.frames.arrays import ArrayTable
from leastnoise.frames.mappings import MappingTable
from leastnoise.frames.open import open_table
from leastnoise.frames.pairs import matrix_of_rows
from leastnoise.frames.values import Dialect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leastnoise.frames.table import Table
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


def _open_bare(data: object, width: int, options: dict[str, Any]) -> MappingTable:
    labels = [str(k) for k in range(width)]
    if isinstance(data, (list, tuple)):
        rows = cast("Sequence[object]", data)
        if width > 1:
            matrix = matrix_of_rows(rows, width)
            columns = [ArrayTable(matrix[:, k], Dialect()) for k in range(width)]
        else:
            columns = [cast("ArrayTable", open_table(list(map(_single, rows)), **options))]
        return MappingTable(dict(zip(labels, columns, strict=True)))
    if getattr(data, "columns", None) is not None or isinstance(data, (str, dict)):
        raise SchemaError("this data has named columns: name them with columns=[...]")
    shape = getattr(data, "shape", None)
    if shape is None or not hasattr(data, "dtype"):
        raise ParameterTypeError(
            f"data must be a matrix, a list of rows or a table with named columns, not "
            f"{type(data).__name__}"
        )
    array = np.asanyarray(cast("Any", data))
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != width:
        raise SchemaError(
            f"the matrix must have two dimensions and {width} columns, one a pair of bounds; its "
            f"number of columns is {array.shape[1] if array.ndim == 2 else 'not defined'}"
        )
    return MappingTable({x: ArrayTable(array[:, k], Dialect()) for k, x in enumerate(labels)})


def _single(row: object) -> object:
    """The entry of a row of one entry."""
    if isinstance(row, (list, tuple)):
        entries = cast("Sequence[object]", row)
        return entries[0] if len(entries) == 1 else None
    return row
