"""From the labels at the ends of edges to positions of nodes: declared ones, or every label.

An end is looked up by itself, so no edge decides how another is read. Where every label is a node
the positions are numbers in the order of the labels, which mean nothing: what is counted is the
same for all of them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ColumnTypeError, ParameterError
from leastnoise.foreign import guarded, stop_if_signalled
from leastnoise.frames.contract import called
from leastnoise.frames.libraries import on_numpy
from leastnoise.frames.memory.labels import whole_codes
from leastnoise.frames.memory.summarise import missing_at
from leastnoise.frames.memory.table import array_table, sequence_table
from leastnoise.frames.readers.values import Dialect, to_floats, unheard
from leastnoise.frames.table import Table
from leastnoise.summaries.graphs import Nodes

Places = NDArray[np.int64]
_EXACT = 2**53
_NUMBERS = (int, float, Fraction, Decimal, np.integer, np.floating)
_WHOLE = re.compile(r"(-?\d+)\.0*", re.ASCII)


class Finder(ABC):
    """Which node each end is; -1, or any other negative number, for none."""

    __slots__ = ()

    @abstractmethod
    def check(self, table: Table, name: str | None) -> None:
        """Refuse a column whose declared type holds no labels of nodes; no entry is looked at."""

    @abstractmethod
    def column(self, table: Table, name: str | None) -> Places:
        """NOT PRIVATE. The nodes of a column."""

    @abstractmethod
    def array(self, ends: NDArray[Any]) -> Places:
        """NOT PRIVATE. The nodes of an array of one dimension."""

    @abstractmethod
    def entries(self, ends: Sequence[object]) -> Places:
        """NOT PRIVATE. The nodes of entries of any kind."""


def finder(nodes: Nodes) -> Finder:
    """What finds the nodes of one graph: for both ends of its edges, and no other graph."""
    return Every() if nodes.every else Declared(nodes)


class Every(Finder):
    """Every text is a node, and a number counts by its digits.

    What is missing is none, by the rule of tables; 3 and 3.0 are one node, as are 3 and "3".
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        """No label has been met."""
        self._known: dict[str, int] = {}

    def check(self, table: Table, name: str | None) -> None:
        """Refuse what holds neither text nor numbers, or numbers that doubles merge."""
        try:
            table.text_type(name)
        except ColumnTypeError:
            if table.column_type(name).wide:
                raise ColumnTypeError(
                    f"{called(name)} holds decimals or integers of 128 bits, which are no labels; "
                    "convert it to integers of 64 bits or to text"
                ) from None

    def column(self, table: Table, name: str | None) -> Places:
        """By the texts, or by the numbers, whatever the declared type holds."""
        try:
            table.text_type(name)
        except ColumnTypeError:
            read = table.column(name)
            missing = missing_at(read)
            values, codes = np.unique(read.values[~missing], return_inverse=True)
            places = np.full(len(missing), -1, dtype=np.int64)
            places[~missing] = self._numbered(map(str, values.tolist()))[codes]
            return places
        codes, texts = table.text_values(name)
        return np.where(codes < 0, -1, np.append(self._numbered(texts), -1)[np.maximum(codes, -1)])

    def array(self, ends: NDArray[Any]) -> Places:
        """As a column without a name."""
        return self.column(array_table(ends), None)

    def entries(self, ends: Sequence[object]) -> Places:
        """As a column without a name."""
        return self.column(sequence_table(ends), None)

    def _numbered(self, texts: Iterable[str]) -> Places:
        known = self._known
        found = [known.setdefault(_plain(text), len(known)) for text in texts]
        return np.array(found, dtype=np.int64)


def _plain(text: str) -> str:
    """A label, without the point and zeros behind a whole number."""
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else "0" if whole[1] == "-0" else whole[1]


class Declared(Finder):
    """The nodes that are declared, by their number or by their labels."""

    __slots__ = ("_nodes",)

    def __init__(self, nodes: Nodes) -> None:
        """Keep the nodes."""
        self._nodes = nodes

    def check(self, table: Table, name: str | None) -> None:
        """Refuse a column that holds no such labels, and labels that no column holds."""
        labels = self._nodes.labels
        if labels is not None and not _one_kind(labels):
            raise ParameterError(
                "nodes of a table must be all text or all numbers; for labels of other kinds give "
                "the edges as a list of pairs"
            )
        text = labels is not None and isinstance(labels[0], str)
        (table.text_type if text else table.column_type)(name)

    def column(self, table: Table, name: str | None) -> Places:
        """By text where the labels are text, else by numbers."""
        labels = self._nodes.labels
        if labels is not None and isinstance(labels[0], str):
            return whole_codes(table, name, cast("Sequence[str]", labels))
        column = table.column(name)
        if labels is not None and _beyond_floats(labels) and _holds_text(table, name):
            return whole_codes(table, name, [str(label) for label in labels])
        return np.where(missing_at(column), -1, _numbers(column.values, self._nodes))

    def array(self, ends: NDArray[Any]) -> Places:
        """By numbers where both are, else entry by entry."""
        missing, plain = on_numpy.parts(ends)
        labels, kind = self._nodes.labels, plain.dtype.kind
        known = kind in "iubf" if labels is None else kind in "iu" and _are_numbers(labels)
        if known:
            places = _numbers(plain, self._nodes)
            return places if missing is None else np.where(missing, -1, places)
        return self.entries(on_numpy.as_objects(ends).tolist())

    def entries(self, ends: Sequence[object]) -> Places:
        """Each by the label that it equals."""
        labels, listed = self._nodes.labels, list(ends)
        if labels is None:
            return _whole(to_floats(listed, Dialect()), self._nodes.count)
        known: dict[Any, int] = {label: i for i, label in enumerate(labels)}
        text = all(isinstance(label, str) for label in labels)
        numbers = all(isinstance(label, (int, float)) for label in labels)
        with guarded(), unheard(listed):
            return np.array([_find(x, known, text, numbers) for x in listed], dtype=np.int64)


def _numbers(values: NDArray[Any], nodes: Nodes) -> Places:
    """Numbers to positions of the labels that equal them, exact for integer types."""
    if nodes.labels is None:
        return _whole(values, nodes.count)
    if values.dtype.kind == "f":
        kind: Any = np.dtype(np.float64)
    else:
        kind = np.dtype(np.uint64 if values.dtype == np.uint64 else np.int64)
    places, labels = _held(nodes.labels, kind)
    if len(labels) == 0:
        return np.full(len(values), -1, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    near = np.searchsorted(labels, values.astype(kind), sorter=order)
    at = order[np.minimum(near, len(labels) - 1)]
    with np.errstate(all="ignore"):
        return np.where(labels[at] == values.astype(kind), places[at], -1)


def _held(labels: Iterable[Any], kind: np.dtype[Any]) -> tuple[Places, NDArray[Any]]:
    """The labels that a type of numbers holds exactly, and their positions."""
    places: list[int] = []
    held: list[Any] = []
    whole = kind.kind != "f"
    low, high = (np.iinfo(kind).min, np.iinfo(kind).max) if whole else (-np.inf, np.inf)
    for place, label in enumerate(labels):
        try:
            number = int(label) if whole else float(label)
            if number == label and low <= number <= high:
                places.append(place)
                held.append(number)
        except (ArithmeticError, TypeError, ValueError):  # nan, inf, what is no number: no entry
            continue
    return np.array(places, dtype=np.int64), np.array(held, dtype=kind)


def _whole(values: NDArray[Any], count: int) -> Places:
    """Whole numbers in 0, ..., count - 1 as they are, -1 for all else."""
    with np.errstate(all="ignore"):
        kept = (values >= 0) & (values < count)
        if values.dtype.kind == "f":
            kept &= values == np.floor(values)
        return np.where(kept, np.where(kept, values, 0).astype(np.int64), -1)


def _find(entry: Any, known: dict[Any, int], text: bool, numbers: bool) -> int:
    """The position of one label; a label that cannot be hashed or compared has none."""
    try:
        if text and not isinstance(entry, str):
            if isinstance(entry, (float, np.floating)):  # 3.0 is the label "3", as in a table
                number = float(cast("Any", entry))
                return known.get(str(int(number) if number.is_integer() else number), -1)
            return known.get(str(entry), -1)
        if numbers and isinstance(entry, str):
            stripped = entry.strip()
            if stripped.isascii() and stripped.removeprefix("-").isdigit():
                return known.get(int(stripped), -1)
            return known.get(Dialect().number(entry), -1)
        return known.get(entry, -1)
    except BaseException:  # a foreign __hash__, __eq__ or __str__ may raise anything at all
        stop_if_signalled()
        return -1


def _holds_text(table: Table, name: str | None) -> bool:
    try:
        table.text_type(name)
    except ColumnTypeError:
        return False
    return True


def _one_kind(labels: Iterable[object]) -> bool:
    """Whether labels are all text or all numbers, as the entries of a column are."""
    kinds = {isinstance(label, str) for label in labels}
    return len(kinds) == 1 and (True in kinds or all(isinstance(x, _NUMBERS) for x in labels))


def _are_numbers(labels: Sequence[object]) -> bool:
    return not isinstance(labels[0], str) and _one_kind(labels)


def _beyond_floats(labels: Iterable[object]) -> bool:
    """Whether two whole labels may be one double."""
    return any(isinstance(label, int) and abs(label) >= _EXACT for label in labels)
