"""What a statistic asks to be summarised, in public terms only.

The statistics and the front ends meet here and nowhere else: a statistic says
``spec.ranks(...)``, ``spec.moments(...)`` or ``spec.rows(...)``; a front end turns
the resolved request into a summary. The quantisation is part of the request, so
every front end gives the same integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

from leastnoise.errors import ParameterError
from leastnoise.params import Missing, parse_column, parse_missing
from leastnoise.summaries.columns import ColumnType, declared
from leastnoise.summaries.lattice import (
    ColumnSpec,
    Lattice,
    MissingPolicy,
    drops_rows,
)
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ranks import RankSpec as RankSpec
from leastnoise.summaries.ranks import ranks as ranks
from leastnoise.summaries.requests import OneColumn, Reader
from leastnoise.summaries.spread import SpreadSummary

if TYPE_CHECKING:
    from leastnoise.summaries.cells import CellSpec
    from leastnoise.summaries.distinct import DistinctSpec


@dataclass(frozen=True, slots=True)
class MomentRequest(OneColumn):
    """The row count, the exact sum and (to a public depth) the extreme values."""

    column: str | None
    lattice: Lattice
    missing: MissingPolicy

    def empty(self, depth: int | None) -> MomentSummary:
        """The summary of no rows."""
        return MomentSummary(0, 0, self.lattice, (), (), depth)

    def read(self, reader: Reader, depth: int | None) -> MomentSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.moments(self, depth)


@dataclass(frozen=True, slots=True)
class SpreadRequest(OneColumn):
    """Power sums, extreme values and the values around the mean, to a public depth."""

    column: str | None
    lattice: Lattice
    missing: MissingPolicy

    def empty(self, depth: int | None) -> SpreadSummary:
        """The summary of no rows."""
        return SpreadSummary.of((), self.lattice, depth)

    def read(self, reader: Reader, depth: int | None) -> SpreadSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.spread(self, depth)


@dataclass(frozen=True, slots=True)
class RowRequest(OneColumn):
    """The number of rows, or of rows whose column is present."""

    column: str | None
    missing: MissingPolicy
    labels: bool = False
    lattice: None = None

    def empty(self, depth: int | None) -> RowSummary:
        """The summary of no rows."""
        return RowSummary(0)

    def read(self, reader: Reader, depth: int | None) -> RowSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.rows(self)


@dataclass(frozen=True, slots=True)
class MomentSpec(ColumnSpec):
    """Made by ``moments``."""

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> MomentRequest:
        """The request for a column of this public type."""
        return MomentRequest(self.column, *self.read_as("moments", kind, session))


@dataclass(frozen=True, slots=True)
class SpreadSpec(ColumnSpec):
    """Made by ``spread``."""

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> SpreadRequest:
        """The request for a column of this public type."""
        return SpreadRequest(self.column, *self.read_as("spread", kind, session))


@dataclass(frozen=True, slots=True)
class RowSpec:
    """Made by ``rows``."""

    form: ClassVar[Literal["rows"]] = "rows"
    column: str | None
    missing: Missing | None
    labels: bool = False

    def resolve(
        self, kind: ColumnType | None, session: Missing | Fraction | None, *, labels: bool = False
    ) -> RowRequest:
        """The request for a column of this public type (None: whole rows are counted).

        With ``labels`` any entry counts that is not missing, be it a number or not.
        """
        if kind is None:
            return RowRequest(None, MissingPolicy("none", 0))
        _, drops = drops_rows(self.missing, session, kind)
        policy = MissingPolicy(*(("drop", None) if drops else ("none", 0)))
        return RowRequest(self.column, policy, labels)


def moments(
    column: str | None = None, *, bounds: object, step: object = None, missing: object = None
) -> MomentSpec:
    """The exact sum and the extreme values of a column clipped to bounds."""
    return MomentSpec.of(column, bounds, step, missing)


def spread(
    column: str | None = None, *, bounds: object, step: object = None, missing: object = None
) -> SpreadSpec:
    """Exact power sums of a column clipped to bounds, its extremes and the values near its mean."""
    return SpreadSpec.of(column, bounds, step, missing)


def rows(column: str | None = None, *, labels: bool = False, missing: object = None) -> RowSpec:
    """The number of rows; with a column, of the rows in which it is present.

    Without ``labels`` entries of columns that declare no type are present if they read as numbers.
    """
    policy = parse_missing(missing)
    if isinstance(policy, Fraction):
        raise ParameterError('missing must be "drop" or "none" for a count of rows')
    return RowSpec(parse_column(column), policy, labels)


def categories(column: str | None = None, *, labels: object) -> CellSpec:
    """The number of rows of each declared label: all text, all numbers (booleans are 0 and 1), or
    all times.

    The summary has ``counts``, in the order of ``labels``. Text is compared without the blanks
    around it. A row whose entry is missing or not declared is in no cell.
    """
    from leastnoise.summaries import cells, pairs  # only for these

    clock, numbers = declared(labels)
    found = cells.Labels(pairs.parse_labels(numbers, "categories"), clock)
    return cells.CellSpec(parse_column(column), found, clock)


def bins(column: str | None = None, *, edges: object) -> CellSpec:
    """The number of rows in each bin [e_0, e_1), [e_1, e_2), ..., the last one closed.

    ``edges`` are increasing numbers, or times; the outer ones may be infinite. A row whose entry is
    missing or lies beyond the outer edges is in no bin.
    """
    from leastnoise.summaries import cells  # only for these

    clock, numbers = declared(edges)
    bins = cells.Bins(cells.parse_edges(numbers), clock=clock)
    return cells.CellSpec(parse_column(column), bins, clock)


def distinct(column: str | None = None) -> DistinctSpec:
    """The number of different entries of a column of text or numbers; missing ones are none."""
    from leastnoise.summaries import distinct as rooms  # only for these

    return rooms.DistinctSpec(parse_column(column))
