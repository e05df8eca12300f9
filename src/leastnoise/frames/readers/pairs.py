"""One door for targets and predictions: two columns of a table, or a pair (y_true, y_pred)."""

from __future__ import annotations

from typing import Any

from leastnoise.errors import ParameterTypeError, SchemaError
from leastnoise.foreign import is_list, is_tuple
from leastnoise.frames.memory.table import BareTable, NamedTable
from leastnoise.frames.readers.open import open_table
from leastnoise.frames.readers.unnamed import unnamed_columns
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
        If the data is not a pair, if a column is missing or holds no numbers, if the lengths of the
        two differ, or if there are too many or too few prediction columns. Never because of a
        value.
    """
    if pair.target is None:
        table, names = _open_bare(data, pair, options)
    else:
        table = _open_named(data, pair, options)
        names = (pair.target, *(pair.predictions or ()))
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


def _open_named(data: object, pair: PairColumns, options: dict[str, Any]) -> Table:
    table = open_table(data, **options)
    if table.column_names() is None:
        raise SchemaError(
            f"columns {pair.target!r} and others were asked for, but the data has no column names; "
            f"{_cure(pair)}"
        )
    return table


def _open_bare(
    data: object, pair: PairColumns, options: dict[str, Any]
) -> tuple[NamedTable, tuple[str, ...]]:
    if is_list(data):  # of rows, perhaps: their number must not decide
        raise ParameterTypeError(
            "data must be a pair of columns in a tuple, not in a list, whose entries may be rows: "
            f"{_cure(pair)}; tuple(...) of a list of two columns is such a pair"
        )
    if not is_tuple(data) or len(data) != 2:
        raise ParameterTypeError(f"data must be a pair of columns: {_cure(pair)}")
    target, prediction = data
    (true, predicted), cure = pair.called, _cure(pair)
    targets = _columns(target, true, 1, cure, options)
    if len(targets) != 1:
        raise ParameterTypeError(f"{true} must be one column; {cure}")
    predictions = _columns(prediction, predicted, pair.widths[0], cure, options)
    columns = {true: targets[0]}
    if len(predictions) == 1:
        columns[predicted] = predictions[0]
    else:
        columns |= {f"{predicted}[{k}]": column for k, column in enumerate(predictions)}
    return NamedTable.of(columns), tuple(columns)


def _columns(
    data: object, name: str, width: int, cure: str, options: dict[str, Any]
) -> list[BareTable]:
    try:
        return unnamed_columns(data, width, options)
    except SchemaError as error:
        raise SchemaError(f"{name}: {error}") from None
    except ParameterTypeError:
        raise ParameterTypeError(f"{name} must be one column; {cure}") from None
