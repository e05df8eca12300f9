"""Columns of declared labels, read as positions in the declared list.

Codes come from the declared list only, entry by entry. Where the labels are numbers the column
is read as numbers, by the rule of every front end; where they are text each entry is compared
as text. What is missing or not declared has no position; nothing raises and nothing quotes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from leastnoise.errors import ColumnTypeError
from leastnoise.frames.arrays import ArrayTable, SequenceTable
from leastnoise.frames.csv import CsvTable
from leastnoise.frames.dataframes import FrameTable, SeriesTable
from leastnoise.frames.mappings import MappingTable
from leastnoise.summaries.columns import Column, ColumnType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from leastnoise.frames.table import Table


def text_type(name: str) -> ColumnType:
    """The type of a column that is read as text: it can hold missing values."""
    return ColumnType(name, "labels", integer=False, nullable=True)


def as_floats(column: Column) -> NDArray[Any]:
    """The values, NaN where they are missing; integers stay integers if none can be missing."""
    if column.missing is None:
        return column.values
    return np.where(column.missing, np.nan, column.values.astype(np.float64))


def label_codes(table: Table, name: str, labels: Sequence[str | float]) -> NDArray[Any]:
    """NOT PRIVATE. The positions 0, 1, ... of a column's labels; any other number for no label.

    Raises
    ------
    ColumnTypeError
        If text labels are asked of a back end that reads numbers only.
    """
    if isinstance(labels[0], str):
        known = {label: float(i) for i, label in enumerate(labels)}
        entries = _entries(table, name)
        return np.fromiter((_code(entry, known) for entry in entries), np.float64)
    values = as_floats(table.column(name))
    if all(label == i for i, label in enumerate(labels)):
        return values
    codes = np.full(len(values), np.nan)
    for i, label in enumerate(labels):
        codes[values == label] = i
    return codes


def whole_codes(table: Table, name: str, labels: Sequence[str | float]) -> NDArray[np.int64]:
    """NOT PRIVATE. The positions of a column's labels; -1 for what has none."""
    codes = label_codes(table, name, labels)
    if codes.dtype.kind == "f":
        with np.errstate(all="ignore"):
            whole = (codes >= 0) & (codes < len(labels)) & (codes == np.floor(codes))
        return np.where(whole, codes, -1.0).astype(np.int64)
    known = (codes >= 0) & (codes < len(labels))
    return np.where(known, codes, 0).astype(np.int64) - (~known).astype(np.int64)


def _code(entry: object, known: dict[str | float, float]) -> float:
    if type(entry) is not str:
        try:
            entry = str(entry)
        except KeyboardInterrupt:
            raise
        except BaseException:  # a foreign __str__ may raise anything at all
            return np.nan
    return known.get(entry, np.nan)


def _entries(table: Table, name: str) -> Iterable[object]:
    """The entries of a column as objects."""
    if isinstance(table, MappingTable):
        table = table.columns[name]
    if isinstance(table, SequenceTable):
        return table.entries
    if isinstance(table, ArrayTable):
        return cast("list[object]", table.array.tolist())
    if isinstance(table, (SeriesTable, FrameTable)):
        native: Any = table.native
        if isinstance(table, FrameTable):
            native = native[name]
        return native.to_pylist() if hasattr(native, "to_pylist") else native.to_list()
    if isinstance(table, CsvTable):
        return (text.strip() for text in table.texts(name))
    raise ColumnTypeError(
        f"column {name!r}: text labels are not read from this kind of file; read it with pandas or "
        "Polars first, or number the labels"
    )
