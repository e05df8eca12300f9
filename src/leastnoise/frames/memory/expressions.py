"""Values computed row by row, on columns in memory; ``summaries.expressions`` describes them.

A missing number is NaN here, which every operation passes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.conditions import Truth as Judged
from leastnoise.frames.memory.conditions import truth as judged
from leastnoise.frames.memory.labels import BLANKS, MISSING, as_floats, equal_codes
from leastnoise.frames.table import Table
from leastnoise.summaries.calendar import REACH, Part, steps
from leastnoise.summaries.columns import Clock, Column, ColumnType
from leastnoise.summaries.expressions import (
    LARGEST,
    SMALLEST,
    WHOLE,
    Absent,
    Arithmetic,
    Both,
    Calendar,
    Choice,
    Compared,
    Either,
    Entry,
    Floor,
    Holds,
    Joined,
    Length,
    Lookup,
    Matches,
    Moment,
    Negation,
    Number,
    Numeric,
    Slice,
    Text,
    TextChoice,
    TextEntry,
    TextLookup,
    Textual,
    Truth,
    Whole,
)

Floats = NDArray[np.float64]
Coded = tuple[NDArray[np.int64], list[str]]


@dataclass(frozen=True, slots=True, repr=False)
class _Once(Table):
    """NOT PRIVATE: a table that reads each column once, however often an expression names it."""

    base: Table
    columns: dict[str | None, Column] = field(default_factory=dict[str | None, "Column"])
    codes: dict[object, NDArray[np.int64]] = field(
        default_factory=dict[object, "NDArray[np.int64]"]
    )
    timed: dict[object, Table] = field(default_factory=dict[object, Table])

    def column_names(self) -> tuple[str, ...] | None:
        return self.base.column_names()

    def column_type(self, name: str | None) -> ColumnType:
        return self.base.column_type(name)

    def column(self, name: str | None) -> Column:
        if name not in self.columns:
            self.columns[name] = self.base.column(name)
        return self.columns[name]

    def text_type(self, name: str | None) -> ColumnType:
        return self.base.text_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        key = (name, tuple(labels))
        if key not in self.codes:
            self.codes[key] = self.base.text_codes(name, labels)
        return self.codes[key]

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        return self.base.text_ids(name)

    def text_values(self, name: str | None) -> Coded:
        return self.base.text_values(name)

    def clocked(self, clocks: Mapping[str | None, Clock]) -> Table:
        key = tuple(clocks.items())
        if key not in self.timed:
            self.timed[key] = _Once(self.base.clocked(clocks))
        return self.timed[key]

    def row_count(self) -> int:
        return self.base.row_count()


def numbers_of(table: Table, value: Numeric) -> Floats:
    """NOT PRIVATE. A double for every row, NaN where it is missing; never raises on values."""
    with np.errstate(all="ignore"):
        return _number(_Once(table), value) + 0.0  # one zero


def _number(table: Table, value: Numeric) -> Floats:
    match value:
        case Number(constant):
            number = np.nan if constant is None else float(constant)
            return np.full(table.row_count(), number)
        case Entry(column):
            return _within(as_floats(table.column(column)).astype(np.float64, copy=False))
        case Whole(column):
            return as_floats(table.column(column)).astype(np.float64, copy=False)
        case Arithmetic(operation, left, right):
            one, other = _number(table, left), _number(table, right)
            return _within(_joined(operation, one, other))
        case Floor(of):
            number = _number(table, of)
            return np.where(np.abs(number) < WHOLE, np.floor(number), np.nan)
        case Choice(branches, otherwise):
            found = _number(table, otherwise)
            for condition, chosen in reversed(branches):
                found = np.where(_truth(table, condition).true, _number(table, chosen), found)
            return found
        case Lookup(_, column, keys, values):
            found = np.array([np.nan if v is None else float(v) for v in (*values, None)])
            return found[np.maximum(equal_codes(table, column, keys), -1)]
        case Length(of):
            codes, texts = _text(table, of)
            return np.array([*map(len, texts), np.nan])[np.maximum(codes, -1)]
        case Moment(column, clock):
            found = as_floats(table.clocked({column: clock}).column(column))
            return _within(found.astype(np.float64, copy=False))
        case Calendar(part, of):
            return _calendar(part, _number(table, of))
        case _:
            assert_never(value)


def _calendar(part: Part, number: Floats) -> Floats:
    """A part of the calendar; each step is made of the one before it."""
    working = steps(
        part,
        np.where(np.abs(number) < REACH, number, np.nan),
        lambda a, b: np.floor(a / b),
        np.where,
    )
    found: Any = None
    while True:
        try:
            found = working.send(found)
        except StopIteration:
            return found


def _joined(operation: str, one: Floats, other: Floats) -> Floats:
    match operation:
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * other
        case _:
            return one / np.where(np.abs(other) >= SMALLEST, other, np.nan)


def _within(number: Floats) -> Floats:
    return np.where(np.abs(number) <= LARGEST, number, np.nan)


def _truth(table: Table, condition: Truth) -> Judged:
    match condition:
        case Holds(leaf):
            return judged(table, leaf)
        case Negation(of):
            inner = _truth(table, of)
            return Judged(inner.false, inner.true)
        case Both(left, right):
            one, other = _truth(table, left), _truth(table, right)
            return Judged(one.true & other.true, one.false | other.false)
        case Either(left, right):
            one, other = _truth(table, left), _truth(table, right)
            return Judged(one.true | other.true, one.false & other.false)
        case Absent(of):
            blank = np.isnan(_number(table, of))
            return Judged(blank, ~blank)
        case Compared(sign, left, right):
            one, other = _number(table, left), _number(table, right)
            known, true = ~(np.isnan(one) | np.isnan(other)), _SIGNS[sign](one, other)
            return Judged(known & true, known & ~true)
        case Matches(how, of, text):
            codes, texts = _text(table, of)
            met = np.array([*(_MATCHES[how](each, text) for each in texts), False])
            true = met[np.maximum(codes, -1)]
            return Judged(true, (codes >= 0) & ~true)
        case _:
            assert_never(condition)


_SIGNS: dict[str, Any] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


_MATCHES: dict[str, Callable[[str, str], bool]] = {
    "is": str.__eq__,
    "starts": str.startswith,
    "ends": str.endswith,
    "contains": str.__contains__,
}


def texts_of(table: Table, value: Textual) -> Coded:
    """NOT PRIVATE. The place of every row's text among different texts; negative where missing."""
    codes, texts = _text(_Once(table), value)
    places = {text: i for i, text in reversed(list(enumerate(texts)))}
    first = np.array([places[text] for text in texts], np.int64)
    return np.append(first, MISSING)[np.maximum(codes, -1)], texts


def _text(table: Table, value: Textual) -> Coded:
    match value:
        case Text(constant):
            code = MISSING if constant is None else 0
            return np.full(table.row_count(), code), [constant or ""]
        case TextEntry(column, keys):
            codes, texts = table.text_values(column)
            if not keys:
                return codes, texts
            places = equal_codes(table, column, keys)
            return np.where(places >= 0, places + len(texts), codes), [*texts, *keys]
        case TextChoice(branches, otherwise):
            codes, texts = _text(table, otherwise)
            with np.errstate(all="ignore"):
                for condition, chosen in reversed(branches):
                    own, more = _text(table, chosen)
                    moved = np.where(own < 0, MISSING, own + len(texts))
                    codes = np.where(_truth(table, condition).true, moved, codes)
                    texts = [*texts, *more]
            return codes, texts
        case TextLookup(_, column, keys, values):
            places = [MISSING if v is None else i for i, v in enumerate(values)]
            codes = np.maximum(equal_codes(table, column, keys), -1)
            return np.array([*places, MISSING], np.int64)[codes], [v or "" for v in values]
        case Slice(of, start, length):
            end = None if length is None else start + length
            codes, texts = _text(table, of)
            return _plain(codes, [text[start:end] for text in texts])
        case Joined(parts):
            codes, texts = _text(table, parts[0])
            for part in parts[1:]:
                codes, texts = _one_after_the_other((codes, texts), _text(table, part))
            return _plain(codes, texts)
        case _:
            assert_never(value)


def _plain(codes: NDArray[np.int64], texts: Sequence[str]) -> Coded:
    """Texts as entries are read: without blanks around them, and missing where none is left."""
    read = [text.strip(BLANKS) for text in texts]
    places = [i if text else MISSING for i, text in enumerate(read)]
    return np.array([*places, MISSING], np.int64)[np.maximum(codes, -1)], read


def _one_after_the_other(one: Coded, other: Coded) -> Coded:
    """Two texts a row, joined: once for each pair that there is."""
    there, count = (one[0] >= 0) & (other[0] >= 0), max(1, len(other[1]))
    pairs = np.where(there, one[0] * count + other[0], -1)
    found, codes = np.unique(pairs, return_inverse=True)
    places: list[int] = found.tolist()
    texts = [one[1][i // count] + other[1][i % count] if i >= 0 else "" for i in places]
    return np.where(there, codes.reshape(-1), MISSING), texts
