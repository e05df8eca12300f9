"""Columns without names: one column, the columns of a matrix or a frame by their places, rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterTypeError
from leastnoise.foreign import all_among, guarded, is_list_or_tuple, stop_if_signalled
from leastnoise.frames.libraries.on_numpy import is_array
from leastnoise.frames.memory.table import BareTable, NamedTable, array_table
from leastnoise.frames.readers.dataframes import open_eager
from leastnoise.frames.readers.open import open_table
from leastnoise.frames.readers.values import Dialect, to_floats
from leastnoise.production import sealed

# Rows that run no code of the caller's, by the identity of their classes.
_ROWS = frozenset(map(id, (list, tuple, np.ndarray)))


def unnamed_columns(data: object, width: int, options: dict[str, Any]) -> list[BareTable]:
    """Open one column, a matrix, a frame or a list of rows, each column with its declared type.

    Parameters
    ----------
    data
        A two-dimensional array and a frame have the columns that they have. A list has ``width``,
        and where that is more than one its entries are rows.
    width
        How many columns a list has.
    options
        The keywords of `open_table`.

    Raises
    ------
    ParameterTypeError, SchemaError
        As `open_table`; and if the columns stand in a file, an engine or a mapping.
    """
    dialect = Dialect.of(options)
    if is_list_or_tuple(data) and width > 1:
        matrix = matrix_of_rows(data, width)
        return [array_table(matrix[:, k], dialect) for k in range(width)]
    if is_array(data) and data.ndim == 2:
        return [array_table(column, dialect) for column in matrix_columns(data)]
    table = data if isinstance(data, (BareTable, NamedTable)) else open_eager(data, dialect)
    if isinstance(table, NamedTable):
        return [table.at(k) for k in range(len(table.labels))]
    if table is None:
        table = open_table(data, **options)
    if not isinstance(table, BareTable):
        raise ParameterTypeError("the data has named columns")
    return [table]


def matrix_columns(matrix: NDArray[Any]) -> list[NDArray[Any]]:
    """The columns of a matrix; one of a class with rules of its own is an array like others."""
    masked = isinstance(matrix, np.ma.MaskedArray)
    plain = matrix if masked else matrix.view(np.ndarray)
    return [plain[:, k] for k in range(plain.shape[1])]


def matrix_of_rows(rows: Sequence[object], width: int) -> NDArray[np.float64]:
    """Rows of numbers; one of another length is missing; anything else is a row of one entry."""
    found = np.full((len(rows), width), np.nan)
    with guarded(), nullcontext() if all_among(rows, _ROWS) else sealed():
        for i, row in enumerate(rows):
            entries: list[object] = [row]
            try:
                if not issubclass(type(row), (str, bytes)):
                    entries = list(islice(cast("Any", row), width + 1))
            except BaseException:  # not a row at all
                stop_if_signalled()
            if len(entries) == width:
                found[i] = to_floats(entries, Dialect())
    return found
