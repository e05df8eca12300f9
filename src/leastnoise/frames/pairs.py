"""One door for targets and predictions: two columns of a table, or a pair (y_true, y_pred)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from leastnoise.errors import ParameterTypeError, SchemaError
from leastnoise.foreign import guarded, stop_if_signalled
from leastnoise.frames.arrays import ArrayTable
from leastnoise.frames.mappings import MappingTable, check_lengths
from leastnoise.frames.open import open_table
from leastnoise.frames.values import Dialect, to_floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leastnoise.frames.table import Table
    from leastnoise.summaries.columns import ColumnType
    from leastnoise.summaries.pairs import PairColumns


def _cure(pair: PairColumns) -> str:
    return f"give data=({', '.join(pair.called)}), or a frame and the names of both columns"


def open_pair(
    data: object, pair: PairColumns, **options: Any
) -> tuple[Table, tuple[str, ...], tuple[ColumnType, ...]]:
    """Open the data of a metric: a table, the names of its columns, and their public types.

    Raises
    ------
    ParameterTypeError, SchemaError, ColumnTypeError
        If the data is no pair, if a column is missing or holds no numbers, if the lengths of the
        two differ, or if there are too many or too few prediction columns. Never because of a
        value.
    """
    if pair.target is None:
        table, names = _open_bare(data, pair, options)
    else:
        table, names = _open_named(data, pair, options)
    if len(names) - 1 not in pair.widths:
        wanted = " or ".join(map(str, pair.widths))
        cure = "one a declared label, in their order"
        if pair.widths == (1,):
            cure = "choose one, such as y_pred[:, 1], the probability of the second label"
        raise SchemaError(
            f"there are {len(names) - 1} prediction columns, and this statistic needs {wanted}: "
            f"{cure}"
        )
    texts = (pair.texts[0], *[pair.texts[1]] * (len(names) - 1))
    kinds = tuple(
        table.text_type(name) if text else table.column_type(name)
        for name, text in zip(names, texts, strict=True)
    )
    return table, names, kinds


def _open_named(
    data: object, pair: PairColumns, options: dict[str, Any]
) -> tuple[Table, tuple[str, ...]]:
    table = open_table(data, **options)
    if table.column_names() is None:
        raise SchemaError(
            f"columns {pair.target!r} and others were asked of data without column names; "
            f"{_cure(pair)}"
        )
    return table, (cast("str", pair.target), *cast("tuple[str, ...]", pair.predictions))


def _open_bare(
    data: object, pair: PairColumns, options: dict[str, Any]
) -> tuple[MappingTable, tuple[str, ...]]:
    if not isinstance(data, (tuple, list)) or len(cast("Sequence[object]", data)) != 2:
        raise ParameterTypeError(f"data must be a pair of columns: {_cure(pair)}")
    target, prediction = cast("tuple[Any, Any]", data)
    (true, predicted), cure = pair.called, _cure(pair)
    columns = {true: _open_column(_flat(target), true, cure, options)}
    matrix: np.ndarray[Any, Any] | None = None
    if len(getattr(prediction, "shape", ())) == 2:
        matrix = np.asanyarray(prediction)
    elif pair.widths[0] > 1 and isinstance(prediction, (list, tuple)):
        matrix = matrix_of_rows(cast("Sequence[object]", prediction), pair.widths[0])
    if matrix is None or matrix.shape[1] == 1:
        entries = cast("object", prediction if matrix is None else matrix[:, 0])
        columns[predicted] = _open_column(entries, predicted, cure, options)
    else:
        for k in range(matrix.shape[1]):
            columns[f"{predicted}[{k}]"] = ArrayTable(matrix[:, k], Dialect())
    check_lengths(columns)
    return MappingTable(columns), tuple(columns)


def _flat(target: Any) -> Any:
    """A column of a matrix with one column, such as scikit-learn takes for targets."""
    shape = getattr(target, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        return np.asanyarray(target)[:, 0]
    return target


def _open_column(entries: object, name: str, cure: str, options: dict[str, Any]) -> Table:
    try:
        table = open_table(entries, **options)
    except SchemaError as error:
        raise SchemaError(f"{name}: {error}") from None
    if table.column_names() is not None:
        raise ParameterTypeError(f"{name} must be one column; {cure}")
    return table


def matrix_of_rows(rows: Sequence[object], width: int) -> np.ndarray[Any, Any]:
    """Rows of probabilities or logits; a row that is none, or of another length, is missing."""
    found = np.full((len(rows), width), np.nan)
    with guarded():
        for i, row in enumerate(rows):
            try:
                entries: list[object] = list(islice(cast("Any", row), width + 1))
            except BaseException:  # not a row at all
                stop_if_signalled()
                continue
            if len(entries) == width:
                found[i] = to_floats(entries, Dialect())
    return found
