"""Columns of declared labels, read as positions in the declared list.

Codes come from the declared list only, entry by entry. Where the labels are numbers the column
is read as numbers, by the rule of every front end; where they are text each entry is compared as
text, without the blanks around it. What is missing, blank or not declared has no position; nothing
raises and nothing quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice
from math import isfinite
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError, ParameterError
from leastnoise.foreign import all_integers, all_of, guarded, is_text, is_tuple, stop_if_signalled
from leastnoise.frames.contract import Run, called
from leastnoise.frames.memory.comparisons import equal_places
from leastnoise.frames.memory.summarise import missing_at
from leastnoise.frames.readers.values import Dialect, unheard
from leastnoise.frames.table import Table
from leastnoise.summaries.columns import Column, ColumnType
from leastnoise.summaries.constants import Key
from leastnoise.summaries.pairs import exact

Codes = NDArray[np.int64]

NO_LABEL, MISSING = -1, -2
"""The codes of an entry that is not declared, and of one that is missing."""

BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What ``str.strip`` strips, for libraries that mean something else by a blank."""

_BLOCK = 1 << 14
_USUAL = Dialect()
# Halves of a pair, which UTF-8 does not have: as in text of Arrow, a replacement character.
_LONE = re.compile("[\ud800-\udfff]")
# Types of fewer bits than a double, by the names that libraries have for them.
_FLOATS = {
    **dict.fromkeys(("float", "float32"), np.float32),
    **dict.fromkeys(("float16", "halffloat", "half_float"), np.float16),
}


class _Known(dict[object, int]):
    """Declared labels by text; undeclared ones have no position.

    Text is missing by what it says, another number by what it is.
    """

    def __init__(
        self, dialect: Dialect, *, numbers: bool, labels: Sequence[str | float] = ()
    ) -> None:
        """Know the texts of missing entries, and with ``numbers`` those that are numbers."""
        absent = dialect.absent
        texts = absent.texts if numbers else absent.texts | absent.written
        super().__init__(dict.fromkeys(("", *sorted(texts)), MISSING))
        self._labels = {str(label): i for i, label in enumerate(labels)}
        self.update(self._labels)
        self._dialect = dialect if numbers and absent != _USUAL.absent else None
        self._doubles = absent.doubles if numbers else frozenset[float]()

    def __missing__(self, key: str) -> int:
        if not key.isascii() and _LONE.search(key):
            return self[_LONE.sub("\ufffd", key)]
        return MISSING if self._stands_for_none(key) else self.new(key)

    def _stands_for_none(self, text: str) -> bool:
        """Whether a text reads as a number that does."""
        dialect = self._dialect
        return dialect is not None and dialect.number(text) in self._doubles

    def of(self, entry: Any) -> int:
        """The code of an entry of any kind."""
        text = entry_text(entry)
        if self._dialect is None or is_text(entry) or text in self._labels:
            return self[text]
        number = self._dialect.entry(entry)
        if number != number:
            return self[text]
        if number in self._doubles:
            return MISSING
        missing = self.get(text) == MISSING or self._stands_for_none(text)
        return self.of_number(text) if missing else self[text]

    def of_number(self, text: str) -> int:
        """The code of a number that is present although its text would be missing."""
        return NO_LABEL

    def new(self, key: object) -> int:
        """The position of a text that has not been met before."""
        return NO_LABEL


class _Numbered(_Known):
    """Texts, numbered in the order in which they are met."""

    def of_number(self, text: str) -> int:
        """Its own number."""
        own = (text,)
        return self[own] if own in self else self.new(own)

    def new(self, key: object) -> int:
        """The next number."""
        self[key] = number = len(self)
        return number

    def texts(self) -> list[str]:
        """The text of each number."""
        return [str(key[0] if is_tuple(key) else key) for key in self]


def label_type(
    table: Table, name: str | None, labels: Sequence[str | float | Fraction]
) -> ColumnType:
    """Give the public type of a column that is read against these labels, from the schema alone.

    Raises
    ------
    SchemaError
        If there is no such column.
    ColumnTypeError
        If the labels are text and the type holds none, or numbers and it holds none.
    ParameterError
        If a number among them is declared missing.
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
            f"{called(name)} holds text, and the declared labels or constants are numbers; write "
            "labels as text, for example ['1', '2'], and convert a column that is to be compared "
            "by size"
        ) from None
    kind.check_reach(labels, "constants")
    if kind.absent and any(Fraction(label) in kind.absent for label in labels):
        raise ParameterError(
            f"{called(name)}: a constant or label is one of missing_values=, so no entry ever "
            "equals it; leave it out there, or ask with is_missing()"
        )
    return kind


def key_type(table: Table, name: str | None, keys: Sequence[str | float | Fraction]) -> ColumnType:
    """The same for keys, each of which an entry must be told apart from.

    Raises
    ------
    SchemaError, ColumnTypeError
        As ``label_type`` does.
    ParameterError
        And if the column is read as floats, and two keys are one of them.
    """
    kind = label_type(table, name, keys)
    if kind.integer:
        return kind
    numbers = [key for key in keys if not isinstance(key, str)]
    if not numbers:
        return kind
    floats: Any = _FLOATS.get(kind.kind.lower(), np.float64)
    exact_up_to = 2 ** (np.finfo(floats).nmant + 1)
    if all_of(numbers, int) and max(map(abs, numbers)) <= exact_up_to:
        return kind
    known: dict[float, float | Fraction] = {}
    with np.errstate(over="ignore"):
        for key in numbers:
            read = float(floats(float(key)))
            if isfinite(read) and known.setdefault(read, key) != key:
                raise ParameterError(
                    f"{called(name)} is read as numbers of {8 * np.dtype(floats).itemsize} bits, "
                    f"where the keys {known[read]} and {key} are one; leave one of them out"
                )
    return kind


def equal_codes(table: Table, name: str | None, values: Sequence[Key]) -> Codes:
    """NOT PRIVATE. The position of the constant that each entry equals.

    ``NO_LABEL`` for an entry that equals none, ``MISSING`` for a missing one.
    """
    if all_integers(values):
        return number_codes(table.column(name), values)
    texts = [value for value in values if isinstance(value, str)]
    if texts:
        return table.text_codes(name, texts)
    numbers = [value for value in values if not isinstance(value, str)]
    return number_codes(table.column(name), numbers)


def number_codes(column: Column, numbers: Sequence[Fraction | int]) -> Codes:
    """NOT PRIVATE. The same for a column that has been read."""
    codes = equal_places(column.values, numbers)
    if column.missing is not None or column.values.dtype.kind == "f":
        return np.where(missing_at(column), MISSING, codes)
    return codes


def whole_codes(table: Table, name: str | None, labels: Sequence[str | float]) -> Codes:
    """NOT PRIVATE. The positions of a column's labels; -1 for an entry without one."""
    return np.maximum(equal_codes(table, name, exact(labels)), NO_LABEL)


def label_codes(table: Table, name: str | None, labels: Sequence[str | float]) -> NDArray[Any]:
    """NOT PRIVATE. The positions 0, 1, ... of a column's labels; any other number for no label.

    Labels that are their own positions need no conversion.
    """
    if all(label == i for i, label in enumerate(labels)):
        column = table.column(name)
        return column.values if column.missing is None else as_floats(column)
    return whole_codes(table, name, labels).astype(np.float64)


def as_floats(column: Column) -> NDArray[np.float64]:
    """The values as doubles, NaN where they are missing.

    Integers beyond 2^53 are rounded whether or not another entry is missing: one record must not
    change how the others are read. For exact ones read ``values`` and `summarise.gone`.
    """
    with np.errstate(all="ignore"):  # a NaN may be a signalling one
        values = column.values.astype(np.float64, copy=False)
    return values if column.missing is None else np.where(column.missing, np.nan, values)


def run_codes(
    runs: Iterable[Run],
    labels: Sequence[str | float],
    dialect: Dialect = _USUAL,
    *,
    numbers: bool = False,
) -> Codes:
    """NOT PRIVATE. The positions of entries of any kind in text labels, or ``NO_LABEL`` or
    ``MISSING``; never raises. Text that reads as a number may be missing where ``numbers``."""
    return _of_runs(runs, _Known(dialect, numbers=numbers, labels=labels))


def run_values(runs: Iterable[Run], dialect: Dialect, *, numbers: bool) -> tuple[Codes, list[str]]:
    """NOT PRIVATE. Equal numbers for equal texts, negative where there is none, and the text of
    each number at least 0; never raises."""
    known = _Numbered(dialect, numbers=numbers)
    return _of_runs(runs, known), known.texts()


def _of_runs(runs: Iterable[Run], known: _Known) -> Codes:
    found = [np.empty(0, np.int64)]
    for entries, places in runs:
        codes = _looked_up(entries, known)
        found.append(codes if places is None else np.append(codes, MISSING)[places])
    return np.concatenate(found)


def _looked_up(entries: Iterable[object], known: _Known) -> Codes:
    iterator, found = iter(entries), [np.empty(0, np.int64)]
    with guarded():
        while block := list(islice(iterator, _BLOCK)):
            with unheard(block):
                found.append(np.fromiter(_positions(block, known), np.int64, len(block)))
    return np.concatenate(found)


def _positions(block: list[Any], known: _Known) -> Iterable[int]:
    if all_of(block, str):
        return map(known.__getitem__, map(str.strip, block))
    return map(known.of, block)


def entry_text(entry: Any) -> str:
    """An entry as text without the blanks around it; "" if it is missing, never an error."""
    try:
        if isinstance(entry, str):
            return str.__str__(entry).strip()
        if entry is None or entry != entry:  # NaN, NaT; pandas' NA refuses the question
            return ""
        if isinstance(entry, np.floating):
            return _digits(cast("np.floating[Any]", entry))
        return str.__str__(str(entry)).strip()  # it may be of a class of the caller's own
    except BaseException:  # a foreign __str__ may raise anything at all
        stop_if_signalled()
        return ""


def _digits(number: np.floating[Any]) -> str:
    """The shortest text of a number of its own width, as Python writes floats.

    ``str`` of it would depend on ``np.set_printoptions``.
    """
    size = abs(float(number))
    if isinstance(number, float) or size == 0 or not isfinite(size):
        return float.__repr__(float(number))
    if 1e-4 <= size < 1e16:
        return np.format_float_positional(number, trim="0")
    return np.format_float_scientific(number, trim="-", exp_digits=2)
