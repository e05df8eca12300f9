"""Filters, group keys and missing entries as expressions, by the rule of ``summaries.constants``.

Every expression is true or false in every row, never NULL: what is unknown to SQL is written out,
so that no engine's own idea of it matters.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, isinf
from typing import Any, assert_never

import narwhals as nw
import numpy as np
from narwhals.dtypes import DType

from leastnoise.foreign import all_integers
from leastnoise.frames.contract import STANDARD
from leastnoise.frames.engines.declared import ComputedText
from leastnoise.frames.engines.lattice import plain_number, present, reach_of
from leastnoise.frames.memory.labels import BLANKS
from leastnoise.summaries.constants import Key
from leastnoise.summaries.predicates import (
    And,
    Compare,
    IsIn,
    IsMissing,
    Leaf,
    Not,
    Operator,
    Or,
    Predicate,
)

Columns = Callable[[str], tuple[nw.Expr, DType]]


@dataclass(frozen=True, slots=True)
class Entry:
    """One column as it is compared: text without blanks around it, or numbers; and where it is.

    ``held`` is where there is any entry: a text that stands for a missing one may be declared.
    """

    value: nw.Expr
    there: nw.Expr
    dtype: DType
    text: bool
    held: nw.Expr

    @classmethod
    def of(cls, column: nw.Expr, dtype: DType) -> Entry:
        """Text where the type may hold it, else numbers."""
        if not isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
            there = present(column, dtype)
            return cls(plain_number(column, dtype), there, dtype, text=False, held=there)
        text = column.cast(nw.String).str.strip_chars(BLANKS)
        held = ~column.is_null() & (text != nw.lit(""))
        there = held if isinstance(dtype, ComputedText) else held & ~text.is_in(list(STANDARD))
        return cls(text, there, dtype, text=True, held=held)

    @classmethod
    def apart(cls, column: nw.Expr, dtype: DType) -> Entry:
        """Entries that are only told apart: wide numbers as they are, and the two zeros as one."""
        if _is_wide(dtype):
            there = ~column.is_null()
            return cls(column, there, dtype, text=False, held=there)
        entry = cls.of(column, dtype)
        zeros_are_two = not (entry.text or entry.whole)
        return replace(entry, value=entry.value + 0.0) if zeros_are_two else entry

    @property
    def wide(self) -> bool:
        """Whether they are numbers with more digits than 64 bits hold, if they are told apart."""
        return _is_wide(self.dtype)

    @property
    def whole(self) -> bool:
        """Whether the numbers are integers."""
        return self.dtype.is_integer() or isinstance(self.dtype, nw.Boolean)

    def plain(self, constant: Key) -> Any:
        """A constant as an entry that equals it is read; None if none can."""
        if self.text or isinstance(constant, str):
            # text is never a number; a column without entries may be asked for either
            return constant if self.text and isinstance(constant, str) else None
        if not self.whole:
            return self.rounded(constant)
        least, most = reach_of(self.dtype)
        return int(constant) if constant.denominator == 1 and least <= constant <= most else None

    def plains(self, constants: Sequence[Key]) -> list[Any]:
        """The same of several."""
        if self.whole and all_integers(constants):
            least, most = reach_of(self.dtype)
            return [one if least <= one <= most else None for one in constants]
        return [*map(self.plain, constants)]

    def rounded(self, constant: Fraction | int) -> float:
        """A constant rounded to the column's floating-point type, as its entries were.

        One beyond all finite numbers of the type stays as it is, so that it equals no entry.
        """
        near = float(constant)
        if not isinstance(self.dtype, nw.Float32):
            return near
        with np.errstate(all="ignore"):
            narrow = float(np.float32(near))
        return near if isinf(narrow) else narrow


def _is_wide(dtype: DType) -> bool:
    return dtype.is_decimal() or isinstance(dtype, (nw.Int128, nw.UInt128))


def kept(columns: Columns, predicate: Predicate) -> nw.Expr:
    """The rows for which a condition is true; ``columns(name)`` gives an expression and a type."""
    return truth_of(columns, predicate)[0]


def truth_of(columns: Columns, predicate: Predicate) -> tuple[nw.Expr, nw.Expr]:
    """(where it is true, where it is false): Kleene's logic."""
    match predicate:
        case Not(inner):
            true, false = truth_of(columns, inner)
            return false, true
        case And(left, right):
            one, other = truth_of(columns, left), truth_of(columns, right)
            return one[0] & other[0], one[1] | other[1]
        case Or(left, right):
            one, other = truth_of(columns, left), truth_of(columns, right)
            return one[0] | other[0], one[1] & other[1]
        case _:
            return _compared(columns, predicate)


def _compared(columns: Columns, leaf: Leaf) -> tuple[nw.Expr, nw.Expr]:
    entry = Entry.of(*columns(leaf.column))
    there = entry.there
    if entry.text and isinstance(leaf, Compare) and not isinstance(leaf.value, str):
        there = there & nw.lit(value=False)  # a column without entries, asked for numbers
        return there, there
    match leaf:
        case IsMissing():
            return ~there, there
        case IsIn(_, values):
            true = is_one_of(entry, values)
            return true, there & ~true
        case Compare(_, sign, value):
            if isinstance(value, str):
                equal = entry.held & (entry.value == value)
                other = there & ~equal
                return (equal, other) if sign == "==" else (other, equal)
            true = there & _number(entry, sign, value)
            return true, there & ~true
        case _:
            assert_never(leaf)


def is_one_of(entry: Entry, values: Sequence[Key]) -> nw.Expr:
    """Where an entry equals one of some constants."""
    known = {value for value in entry.plains(values) if value is not None}
    if not known:
        return entry.held & nw.lit(value=False)
    first, last = min(known), max(known)
    if entry.whole and last - first + 1 == len(known):  # a range: engines search long lists slowly
        return entry.held & (entry.value >= first) & (entry.value <= last)
    return entry.held & entry.value.is_in(list(known))


def _number(entry: Entry, sign: Operator, constant: Fraction) -> nw.Expr:
    """Compare numbers: integers exactly, others with the rounded constant."""
    value = entry.value
    if not entry.whole:
        return _OPERATIONS[sign](value, entry.rounded(constant))
    up, down = ceil(constant), floor(constant)
    match sign:
        case "==":
            return _between(entry, up, down)
        case "!=":
            return ~_between(entry, up, down)
        case "<":
            return _between(entry, None, up - 1)
        case "<=":
            return _between(entry, None, down)
        case ">":
            return _between(entry, down + 1, None)
        case ">=":
            return _between(entry, up, None)
        case _:
            assert_never(sign)


def _between(entry: Entry, least: int | None, most: int | None) -> nw.Expr:
    """Integers within limits that may lie outside their type."""
    bottom, top = reach_of(entry.dtype)
    first = bottom if least is None else max(least, bottom)
    last = top if most is None else min(most, top)
    if first > last:
        return nw.lit(value=False)
    return (entry.value >= first) & (entry.value <= last)


_OPERATIONS: dict[Operator, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
