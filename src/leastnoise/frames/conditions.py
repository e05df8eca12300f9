"""Conditions on rows, evaluated on columns in memory, with the three values of SQL's logic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, assert_never, cast

import numpy as np

from leastnoise.errors import ColumnTypeError
from leastnoise.frames.labels import MISSING, label_type
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from leastnoise.frames.table import Table
    from leastnoise.summaries.columns import Column, ColumnType
    from leastnoise.summaries.constants import Constant
    from leastnoise.summaries.predicates import Operator

    Mask = NDArray[np.bool_]


# From this many numbers on one search is faster than one comparison each.
_MANY = 24


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
                label_type(table, column, (cast("Any", value),))
            case IsIn(column, values):
                label_type(table, column, cast("Any", values))
            case IsMissing(column):
                reads_as_text(table, column)
            case _:
                assert_never(leaf)


def reads_as_text(table: Table, column: str | None) -> bool:
    """Whether a column may hold text by its type; an error if it holds no numbers either."""
    try:
        table.text_type(column)
    except ColumnTypeError:
        table.column_type(column)
        return False
    return True


def entry_type(table: Table, column: str | None) -> ColumnType:
    """The type of a column whose entries are only told apart: text if it may hold any."""
    return (table.text_type if reads_as_text(table, column) else table.column_type)(column)


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
            gone = missing_rows(table, column)
            return Truth(gone, ~gone)
        case IsIn(column, values):
            codes = equal_codes(table, column, values)
            return Truth(codes >= 0, codes == -1)
        case Compare(column, operator, str(value)):
            codes = equal_codes(table, column, (value,))
            equal = Truth(codes >= 0, codes == -1)
            return equal if operator == "==" else Truth(equal.false, equal.true)
        case Compare(column, operator, value):
            read = table.column(column)
            true, gone = compare(read.values, operator, cast("Fraction", value)), gone_of(read)
            return Truth(true & ~gone, ~true & ~gone)
        case _:
            assert_never(leaf)


def missing_rows(table: Table, column: str) -> Mask:
    """NOT PRIVATE. The rows without an entry."""
    if reads_as_text(table, column):
        return table.text_codes(column, ()) == MISSING
    return gone_of(table.column(column))


def equal_codes(table: Table, column: str, values: Sequence[Constant]) -> NDArray[np.int64]:
    """NOT PRIVATE. The position of the constant that each entry equals.

    -1 for an entry that equals none, ``MISSING`` for a missing one.
    """
    if isinstance(values[0], str):
        return table.text_codes(column, cast("Any", values))
    read = table.column(column)
    numbers = cast("Sequence[Fraction]", values)
    if len(numbers) > _MANY:
        codes = searched_codes(read.values, numbers)
    else:
        codes = np.full(len(read.values), -1, np.int64)
        for i, number in enumerate(numbers):
            codes[compare(read.values, "==", number)] = i
    codes[gone_of(read)] = MISSING
    return codes


def searched_codes(values: NDArray[Any], numbers: Sequence[Fraction]) -> NDArray[np.int64]:
    """NOT PRIVATE. What comparing with each number gives, by one search: -1 for none of them."""
    kind = values.dtype
    if kind.kind == "f":
        places = list(range(len(numbers)))
        known = np.array([kind.type(float(number)) for number in numbers], kind)
    else:
        values = values.astype(np.int8) if kind.kind == "b" else values
        limits = np.iinfo(values.dtype)
        whole = [
            (int(number), i)
            for i, number in enumerate(numbers)
            if number.denominator == 1 and limits.min <= number <= limits.max
        ]
        places = [i for _, i in whole]
        known = np.array([number for number, _ in whole], values.dtype)
    if not len(known):
        return np.full(len(values), -1, np.int64)
    order = np.argsort(known, kind="stable")  # of equal ones the last wins, as above
    known = known[order]
    at = np.searchsorted(known, values, side="right") - 1
    found = (at >= 0) & (known[at] == values)
    return np.where(found, np.array(places, np.int64)[order][at], -1)


def gone_of(column: Column) -> Mask:
    """NOT PRIVATE. Which entries of a column of numbers are missing."""
    if column.missing is not None:
        return column.missing
    if column.values.dtype.kind == "f":
        return np.isnan(column.values)
    return np.zeros(len(column.values), np.bool_)


def compare(values: NDArray[Any], operator: Operator, constant: Fraction) -> Mask:
    """Compare numbers with an exact constant; NaN gives anything.

    Integers compare exactly. For floating-point entries the constant is rounded to their type, as
    they were when they were read.
    """
    if values.dtype.kind == "f":
        with np.errstate(all="ignore"):
            return _OPERATIONS[operator](values, values.dtype.type(float(constant)))
    whole = values.astype(np.int8) if values.dtype.kind == "b" else values
    match operator:
        case "==":
            return _between(whole, ceil(constant), floor(constant))
        case "!=":
            return ~_between(whole, ceil(constant), floor(constant))
        case "<":
            return _between(whole, None, ceil(constant) - 1)
        case "<=":
            return _between(whole, None, floor(constant))
        case ">":
            return _between(whole, floor(constant) + 1, None)
        case ">=":
            return _between(whole, ceil(constant), None)
        case _:
            assert_never(operator)


def _between(values: NDArray[Any], least: int | None, most: int | None) -> Mask:
    """Whole numbers within limits that may lie outside their type."""
    limits = np.iinfo(values.dtype)
    if (least is not None and least > limits.max) or (most is not None and most < limits.min):
        return np.zeros(len(values), np.bool_)
    if least is not None and most is not None and least > most:
        return np.zeros(len(values), np.bool_)
    kept = np.ones(len(values), np.bool_)
    if least is not None and least > limits.min:
        kept &= values >= values.dtype.type(least)
    if most is not None and most < limits.max:
        kept &= values <= values.dtype.type(most)
    return kept


_OPERATIONS: dict[Operator, Any] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
