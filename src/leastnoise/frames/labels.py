"""Columns of declared labels, read as positions in the declared list.

Codes come from the declared list only, entry by entry. Where the labels are numbers the column
is read as numbers, by the rule of every front end; where they are text each entry is compared as
text, without the blanks around it. What is missing, blank or not declared has no position; nothing
raises and nothing quotes it.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.errors import ColumnTypeError
from leastnoise.foreign import all_of, guarded, stop_if_signalled
from leastnoise.summaries.columns import Column, ColumnType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from leastnoise.frames.table import Table

    Codes = NDArray[np.int64]

NO_LABEL, MISSING = -1, -2
"""The codes of an entry that is not declared, and of one that is missing."""

BLANKS = "".join(chr(i) for i in range(0x3001) if chr(i).isspace())
"""What ``str.strip`` strips, for libraries that mean something else by a blank."""

_BLOCK = 1 << 14


class _Known(dict[str, int]):
    """Declared labels by text; what is not declared has no position."""

    def __missing__(self, key: str) -> int:
        return NO_LABEL


class _Numbered(dict[str, int]):
    """Texts by the order in which they are met."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def label_type(table: Table, name: str | None, labels: Sequence[str | float]) -> ColumnType:
    """Give the public type of a column that is read against these labels, from the schema alone.

    Raises
    ------
    SchemaError
        If there is no such column.
    ColumnTypeError
        If the labels are text and the type holds none, or numbers and it holds none.
    """
    if isinstance(labels[0], str):
        return table.text_type(name)
    try:
        kind = table.column_type(name)
    except ColumnTypeError as error:
        try:
            table.text_type(name)
        except ColumnTypeError:
            raise error from None
        raise ColumnTypeError(
            f"{_called(name)} holds text, and the declared labels are numbers; write them as text, "
            "for example ['1', '2']"
        ) from None
    kind.check_reach(labels, "constants")
    return kind


def label_codes(table: Table, name: str | None, labels: Sequence[str | float]) -> NDArray[Any]:
    """NOT PRIVATE. The positions 0, 1, ... of a column's labels; any other number for no label."""
    if isinstance(labels[0], str):
        return table.text_codes(name, labels).astype(np.float64)
    return _number_codes(table.column(name), labels)


def whole_codes(table: Table, name: str | None, labels: Sequence[str | float]) -> Codes:
    """NOT PRIVATE. The positions of a column's labels; -1 for what has none."""
    if isinstance(labels[0], str):
        return np.maximum(table.text_codes(name, labels), NO_LABEL)
    codes = _number_codes(table.column(name), labels)
    if codes.dtype.kind == "f":
        with np.errstate(all="ignore"):
            whole = (codes >= 0) & (codes < len(labels)) & (codes == np.floor(codes))
        return np.where(whole, codes, NO_LABEL).astype(np.int64)
    known = (codes >= 0) & (codes < len(labels))
    return np.where(known, codes, 0).astype(np.int64) - (~known).astype(np.int64)


def as_floats(column: Column) -> NDArray[np.float64]:
    """The values as doubles, NaN where they are missing.

    Integers beyond 2^53 are rounded whether or not another entry is missing: one record must not
    change how the others are read. Whoever needs them exact reads ``values`` and `columns.gone`.
    """
    values = column.values.astype(np.float64, copy=False)
    return values if column.missing is None else np.where(column.missing, np.nan, values)


def _number_codes(column: Column, labels: Sequence[str | float]) -> NDArray[Any]:
    """Each entry is compared in the column's own type, whatever else stands in it."""
    values = column.values
    if all(label == i for i, label in enumerate(labels)):
        return values if column.missing is None else as_floats(column)
    codes = np.full(len(values), np.nan)
    for i, label in enumerate(labels):
        codes[values == label] = i
    if column.missing is not None:
        codes[column.missing] = np.nan
    return codes


def entry_codes(entries: Iterable[object], labels: Sequence[str | float]) -> Codes:
    """NOT PRIVATE. The positions of entries of any kind in text labels, or ``NO_LABEL`` or
    ``MISSING``; never raises."""
    known = _Known({"": MISSING})
    known.update((str(label), i) for i, label in enumerate(labels))
    return _looked_up(entries, known)


def entry_ids(entries: Iterable[object]) -> Codes:
    """NOT PRIVATE. Equal numbers for equal texts, negative where there is none; never raises."""
    return entry_values(entries)[0]


def entry_values(entries: Iterable[object]) -> tuple[Codes, list[str]]:
    """NOT PRIVATE. `entry_ids`, and the text that each number at least 0 stands for."""
    known = _Numbered({"": MISSING})
    return _looked_up(entries, known), list(known)


def _looked_up(entries: Iterable[object], known: _Known | _Numbered) -> Codes:
    iterator, found = iter(entries), [np.empty(0, np.int64)]
    with guarded():
        while block := list(islice(iterator, _BLOCK)):
            found.append(np.fromiter(_positions(block, known), np.int64, len(block)))
    return np.concatenate(found)


def _positions(block: list[Any], known: _Known | _Numbered) -> Iterable[int]:
    if all_of(block, str):
        return map(known.__getitem__, map(str.strip, block))
    return (known[entry_text(entry)] for entry in block)


def entry_text(entry: Any) -> str:
    """An entry as text without the blanks around it; "" if it is missing, never an error."""
    try:
        if isinstance(entry, str):
            return str.__str__(entry).strip()
        if entry is None or entry != entry:  # NaN, NaT; pandas' NA refuses the question
            return ""
        return str(entry).strip()
    except BaseException:  # a foreign __str__ may raise anything at all
        stop_if_signalled()
        return ""


def no_text(name: str | None, kind: str, cure: str) -> ColumnTypeError:
    """The refusal of text labels for a column of this type."""
    return ColumnTypeError(f"{_called(name)} has type {kind}, which holds no text; {cure}")


AS_NUMBERS = "write the declared labels as numbers, for example [1, 2], or [0, 1] for booleans"


def _called(name: str | None) -> str:
    return "the column" if name is None else f"column {name!r}"
