"""Conditions on rows, evaluated on columns in memory, with the three values of SQL's logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError
from leastnoise.frames.memory.comparisons import compare
from leastnoise.frames.memory.labels import MISSING, equal_codes, label_type
from leastnoise.frames.memory.summarise import missing_at
from leastnoise.frames.table import Table
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.predicates import (
    And,
    Compare,
    IsIn,
    IsMissing,
    Leaf,
    Not,
    Or,
    Predicate,
    leaves,
)

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, repr=False)
class Truth:
    """NOT PRIVATE. For every row whether a condition is true, and whether it is false."""

    true: Mask
    false: Mask


def check_condition(table: Table, predicate: Predicate) -> None:
    """Check every column of a condition against the schema.

    Raises
    ------
    SchemaError
        If a column does not exist, or the data has no column names.
    ColumnTypeError
        If a column holds neither text nor numbers, or not what it is compared with.
    """
    for leaf in leaves(predicate):
        match leaf:
            case Compare(column, _, value):
                label_type(table, column, (value,))
            case IsIn(column, values):
                label_type(table, column, values)
            case IsMissing(column):
                reads_as_text(table, column)
            case _:
                assert_never(leaf)


def reads_as_text(table: Table, column: str | None) -> bool:
    """Whether the type of a column may hold text; an error if it holds no numbers either."""
    try:
        table.text_type(column)
    except ColumnTypeError:
        table.column_type(column)
        return False
    return True


def entry_type(table: Table, column: str | None) -> ColumnType:
    """The type of a column whose entries are only distinguished: text if it may hold any."""
    return (table.text_type if reads_as_text(table, column) else table.column_type)(column)


def counted_type(table: Table, column: str | None, *, labels: bool) -> tuple[ColumnType, bool]:
    """The type of a column whose entries are counted, and whether as labels.

    The declared type decides: text holds labels; where none is declared, ``labels`` does.
    """
    if labels:
        return entry_type(table, column), True
    try:
        return table.column_type(column), False
    except ColumnTypeError:
        return entry_type(table, column), True


def kept_rows(table: Table, predicate: Predicate) -> Mask:
    """NOT PRIVATE. The rows for which a condition is true; never raises on values."""
    return truth(table, predicate).true


def truth(table: Table, predicate: Predicate) -> Truth:
    """NOT PRIVATE. Kleene's logic, row by row."""
    match predicate:
        case Not(inner):
            found = truth(table, inner)
            return Truth(found.false, found.true)
        case And(left, right):
            one, other = truth(table, left), truth(table, right)
            return Truth(one.true & other.true, one.false | other.false)
        case Or(left, right):
            one, other = truth(table, left), truth(table, right)
            return Truth(one.true | other.true, one.false & other.false)
        case _:
            return _compared(table, predicate)


def _compared(table: Table, leaf: Leaf) -> Truth:
    match leaf:
        case IsMissing(column):
            blank = missing_rows(table, column)
            return Truth(blank, ~blank)
        case IsIn(column, values):
            codes = equal_codes(table, column, values)
            return Truth(codes >= 0, codes == -1)
        case Compare(column, operator, value):
            if isinstance(value, str):
                codes = equal_codes(table, column, (value,))
                equal = Truth(codes >= 0, codes == -1)
                return equal if operator == "==" else Truth(equal.false, equal.true)
            read = table.column(column)
            true, blank = compare(read.values, operator, value), missing_at(read)
            return Truth(true & ~blank, ~true & ~blank)
        case _:
            assert_never(leaf)


def missing_rows(table: Table, column: str | None) -> Mask:
    """NOT PRIVATE. The rows without an entry."""
    if reads_as_text(table, column):
        return table.text_codes(column, ()) == MISSING
    return missing_at(table.column(column))
