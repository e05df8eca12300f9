"""Counts of rows by declared cells: the labels of a column, the bins of one, or pairs of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, isfinite, prod
from numbers import Real
from typing import ClassVar, Literal

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_list_or_tuple
from leastnoise.params import Missing, listed, parse_entry
from leastnoise.summaries.columns import Clock, ColumnType
from leastnoise.summaries.lattice import MissingPolicy
from leastnoise.summaries.pairs import Label, PairColumns, is_text
from leastnoise.summaries.requests import Counted, Reader

IN_NO_CELL = MissingPolicy("in no cell", 0)


@dataclass(frozen=True, slots=True)
class Labels:
    """One cell for each declared label; a row whose entry is missing or not declared is in none.

    Labels that are times are numbers of their clock, and are named by their text.
    """

    labels: tuple[Label, ...]
    clock: Clock | None = None

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.labels)

    @property
    def text(self) -> bool:
        """Whether the column is read as text."""
        return is_text(self.labels)

    def names(self) -> tuple[Label, ...]:
        """The names of the cells: whole numbers without a point."""
        if self.clock is None:
            return self.labels
        return tuple(str(self.clock.time(float(label))) for label in self.labels)


@dataclass(frozen=True, slots=True)
class Bins:
    """Cells [e_0, e_1), [e_1, e_2), ..., the last one closed; a row outside of all is in none.

    ``edges`` increase; the outer ones may be infinite.
    """

    edges: tuple[float, ...]
    text: bool = False
    clock: Clock | None = None

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.edges) - 1

    def names(self) -> tuple[Label, ...]:
        """The names of the cells: ``[0, 18)``, and ``[18, 65]`` for the last."""
        shown = [self._shown(edge) for edge in self.edges]
        pairs = list(pairwise(shown))
        last = len(pairs) - 1
        return tuple(f"[{a}, {b}{']' if i == last else ')'}" for i, (a, b) in enumerate(pairs))

    def _shown(self, edge: float) -> str:
        if self.clock is not None and isfinite(edge):
            return str(self.clock.time(edge))
        return str(_short(edge))


def _short(edge: float) -> float:
    return int(edge) if edge.is_integer() else edge


Axis = Labels | Bins


_LARGEST = 2.0**1023


def parse_edges(value: object, name: str = "bins") -> tuple[float, ...]:
    """Declared edges of bins: at least two, increasing, only the outer ones infinite.

    Raises
    ------
    ParameterError, ParameterTypeError
        If they are missing, not numbers, fewer than two or not increasing.
    """
    if value is None:
        raise ParameterError(
            f"{name} are required: declare the edges, for example {name}=[0, 18, 65, 120]; they "
            "are never taken from the data"
        )
    value = listed(value)
    if not (is_list_or_tuple(value) or isinstance(value, range)):
        raise ParameterTypeError(
            f"{name} must be a list of edges, such as [0, 18, 65, 120], not {type(value).__name__}"
        )
    given = list(value)
    edges = [_edge(edge, name, outer=i in (0, len(given) - 1)) for i, edge in enumerate(given)]
    if len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise ParameterError(
            f"{name} must be at least two increasing edges, such as [0, 18, 65, 120]"
        )
    return tuple(edges)


def _edge(value: object, name: str, *, outer: bool) -> float:
    if outer and isinstance(value, Real) and value in (inf, -inf):
        return float(value)
    if type(value) is float and abs(value) <= _LARGEST:  # its text is read as the same float
        return value + 0.0
    number = parse_entry(value, name)
    if abs(number) > _LARGEST:
        raise ParameterError(f"{name} must be below 2^1023 in size; an outer edge may be infinite")
    return float(number) + 0.0


@dataclass(frozen=True, slots=True, repr=False)
class CellSummary(Counted):
    """NOT PRIVATE. How many rows are in each cell, the last axis fastest; a monoid under addition.

    Every row is in at most one cell, so one record moves at most one count by 1, and a replaced
    record at most two.
    """

    counts: tuple[int, ...]

    def merge(self, other: CellSummary) -> CellSummary:
        """The summary of both sets of records together."""
        both = zip(self.counts, other.counts, strict=True)
        return CellSummary(tuple(a + b for a, b in both))


@dataclass(frozen=True, slots=True)
class CellRequest:
    """The count of every cell; ``names`` are the columns of the axes in the opened table."""

    column: str | None
    names: tuple[str | None, ...]
    axes: tuple[Axis, ...]
    missing: MissingPolicy = IN_NO_CELL
    lattice: None = None

    @property
    def size(self) -> int:
        """How many cells there are."""
        return prod(axis.size for axis in self.axes)

    def empty(self, depth: int | None) -> CellSummary:
        """The summary of no rows."""
        return CellSummary((0,) * self.size)

    def read(self, reader: Reader, depth: int | None) -> CellSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.cells(self)


@dataclass(frozen=True, slots=True)
class CellSpec:
    """The cells of one column. Made by ``leastnoise.spec.categories`` and ``spec.bins``."""

    form: ClassVar[Literal["cells"]] = "cells"
    column: str | None
    axis: Axis
    clock: Clock | None = None

    @property
    def labels(self) -> tuple[Label, ...] | None:
        """The declared labels, None where the column is cut into bins."""
        return self.axis.labels if isinstance(self.axis, Labels) else None

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> CellRequest:
        """The request: rows without a cell are in none, whatever the policy for missing values."""
        if isinstance(self.axis, Bins):
            kind.check_reach(filter(isfinite, self.axis.edges), "edges")
        return CellRequest(self.column, (self.column,), (self.axis,))


@dataclass(frozen=True, slots=True)
class CrossSpec:
    """The cells of two columns: every pair of declared labels."""

    form: ClassVar[Literal["pair"]] = "pair"
    pair: PairColumns
    rows: Labels
    columns: Labels

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> CellRequest:
        """The request: rows without a cell are in none, whatever the policy for missing values."""
        return CellRequest(self.pair.shown, names, (self.rows, self.columns))
