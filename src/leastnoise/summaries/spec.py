"""What a statistic asks to be summarised, in public terms only.

The statistics and the front ends meet here and nowhere else: a statistic says
``spec.ranks(...)``, ``spec.moments(...)`` or ``spec.rows(...)``; a front end turns
the resolved request into a summary. The quantisation is part of the request, so
every front end gives the same integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from leastnoise.errors import ParameterError
from leastnoise.params import (
    Missing,
    parse_bounds,
    parse_column,
    parse_missing,
    parse_order,
    parse_step,
)
from leastnoise.summaries.columns import Clock, declared
from leastnoise.summaries.lattice import Lattice, Purpose, choose_lattice
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ranks import RankSummary, Run
from leastnoise.summaries.requests import OneColumn
from leastnoise.summaries.spread import SpreadSummary

if TYPE_CHECKING:
    from leastnoise.summaries.cells import CellSpec
    from leastnoise.summaries.columns import ColumnType
    from leastnoise.summaries.distinct import DistinctSpec
    from leastnoise.summaries.requests import Reader


@dataclass(frozen=True, slots=True)
class MissingPolicy:
    """What happens to missing values of one column.

    A missing value counts as an entry ``raw`` would: that is the double which stands for it among
    doubles, and ``impute`` the lattice point that it is read as. None: such rows are dropped, which
    makes the number of remaining rows private.
    """

    name: str
    impute: int | None
    raw: float = 0.0

    @property
    def drops(self) -> bool:
        """True when rows are removed by their content, so the row count is private."""
        return self.impute is None


@dataclass(frozen=True, slots=True)
class RankRequest(OneColumn):
    """Order statistics around the ranks max(1, ceil(q n))."""

    column: str | None
    lattice: Lattice
    missing: MissingPolicy
    at: tuple[Fraction, ...]

    def empty(self, depth: int | None) -> RankSummary:
        """The summary of no rows."""
        runs = tuple(Run(1, ()) for _ in self.at)
        return RankSummary(0, self.lattice, self.at, runs, depth)

    def read(self, reader: Reader, depth: int | None) -> RankSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.ranks(self, depth)


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


def imputed(name: str, number: Fraction, kind: ColumnType, lattice: Lattice) -> MissingPolicy:
    """A missing value counts as an entry with this number would.

    Entries of a column of doubles are doubles, and their lattice may be finer: the number's own
    lattice point is then one that no entry has.
    """
    if kind.integer and lattice.step == 1:
        point = min(max(round(number), lattice.low), lattice.high)
        return MissingPolicy(name, point, float(point))
    raw = float(number)
    (point,) = lattice.quantise(np.array([raw]))
    return MissingPolicy(name, int(point), raw)


def _drops(
    declared: Missing | Fraction | None, session: Missing | Fraction | None, kind: ColumnType
) -> tuple[Missing | Fraction, bool]:
    """The choice that holds, and whether it removes rows.

    A column that is declared never to miss a value drops none, so the row count stays public: a
    null that its library holds there all the same counts as an entry.
    """
    choice = declared if declared is not None else session
    if choice is None:
        choice = "drop" if kind.nullable else "none"
    return choice, choice == "drop" and kind.nullable


def _policy(
    declared: Missing | Fraction | None,
    session: Missing | Fraction | None,
    kind: ColumnType,
    lattice: Lattice,
    bounds: tuple[Fraction, Fraction],
) -> MissingPolicy:
    choice, drops = _drops(declared, session, kind)
    if drops:
        return MissingPolicy("drop", None)
    if not isinstance(choice, Fraction):
        return imputed("none", lattice.middle * lattice.step, kind, lattice)
    if not bounds[0] <= choice <= bounds[1]:
        raise ParameterError("missing must be a number inside the bounds, or 'drop' or 'none'")
    return imputed(f"impute {choice}", choice, kind, lattice)


@dataclass(frozen=True, slots=True)
class RankSpec:
    """Made by ``ranks``."""

    form: ClassVar[Literal["column"]] = "column"
    column: str | None
    at: tuple[Fraction, ...]
    bounds: tuple[Fraction, Fraction]
    step: Fraction | None
    missing: Missing | Fraction | None
    clock: Clock | None = None

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> RankRequest:
        """The request for a column of this public type."""
        lattice = _lattice(self.bounds, "order", kind, self.step)
        policy = _policy(self.missing, session, kind, lattice, self.bounds)
        return RankRequest(self.column, lattice, policy, self.at)


@dataclass(frozen=True, slots=True)
class MomentSpec:
    """Made by ``moments``."""

    form: ClassVar[Literal["column"]] = "column"
    column: str | None
    bounds: tuple[Fraction, Fraction]
    step: Fraction | None
    missing: Missing | Fraction | None
    clock: Clock | None = None

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> MomentRequest:
        """The request for a column of this public type."""
        lattice = _lattice(self.bounds, "moments", kind, self.step)
        policy = _policy(self.missing, session, kind, lattice, self.bounds)
        return MomentRequest(self.column, lattice, policy)


@dataclass(frozen=True, slots=True)
class SpreadSpec:
    """Made by ``spread``."""

    form: ClassVar[Literal["column"]] = "column"
    column: str | None
    bounds: tuple[Fraction, Fraction]
    step: Fraction | None
    missing: Missing | Fraction | None
    clock: Clock | None = None

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> SpreadRequest:
        """The request for a column of this public type."""
        lattice = _lattice(self.bounds, "spread", kind, self.step)
        policy = _policy(self.missing, session, kind, lattice, self.bounds)
        return SpreadRequest(self.column, lattice, policy)


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
        _, drops = _drops(self.missing, session, kind)
        policy = MissingPolicy(*(("drop", None) if drops else ("none", 0)))
        return RowRequest(self.column, policy, labels)


def _lattice(
    bounds: tuple[Fraction, Fraction], purpose: Purpose, kind: ColumnType, step: Fraction | None
) -> Lattice:
    kind.check_reach(bounds, "bounds", ends=True)
    return choose_lattice(bounds, purpose=purpose, integer_column=kind.integer, step=step)


Limits = tuple[tuple[Fraction, Fraction], Fraction | None, Missing | Fraction | None]


def _limits(bounds: object, step: object, missing: object) -> tuple[Clock | None, Limits]:
    """Bounds, step and what a missing entry counts as; of times in numbers of their clock."""
    clock, ends = declared(bounds)
    if clock is not None:
        step = clock.step(step)
        missing = clock.constant(missing, "missing")
    parsed = parse_bounds(ends, searched=True), parse_step(step), parse_missing(missing)
    return clock, parsed


def ranks(
    column: str | None = None,
    *,
    at: Sequence[object],
    bounds: object,
    step: object = None,
    missing: object = None,
) -> RankSpec:
    """Order statistics around the orders ``at`` (each in [0, 1]) of a column clipped to bounds."""
    clock, limits = _limits(bounds, step, missing)
    orders = tuple(parse_order(q, "at") for q in at)
    return RankSpec(parse_column(column), orders, *limits, clock)


def moments(
    column: str | None = None, *, bounds: object, step: object = None, missing: object = None
) -> MomentSpec:
    """The exact sum and the extreme values of a column clipped to bounds."""
    clock, limits = _limits(bounds, step, missing)
    return MomentSpec(parse_column(column), *limits, clock)


def spread(
    column: str | None = None, *, bounds: object, step: object = None, missing: object = None
) -> SpreadSpec:
    """Exact power sums of a column clipped to bounds, its extremes and the values near its mean."""
    clock, limits = _limits(bounds, step, missing)
    return SpreadSpec(parse_column(column), *limits, clock)


def rows(column: str | None = None, *, labels: bool = False, missing: object = None) -> RowSpec:
    """The number of rows; with a column, of the rows in which it is present.

    Without ``labels`` entries of columns that declare no type are present if they read as numbers.
    """
    policy = parse_missing(missing)
    if isinstance(policy, Fraction):
        raise ParameterError('missing must be "drop" or "none" for a count of rows')
    return RowSpec(parse_column(column), policy, labels)


def categories(column: str | None = None, *, labels: object) -> CellSpec:
    """The number of rows of each declared label: all text, or all numbers (booleans are 0 and 1).

    The summary has ``counts``, in the order of ``labels``. Text is compared without the blanks
    around it. A row whose entry is missing or not declared is in no cell.
    """
    from leastnoise.summaries import cells, pairs  # made of the policies of this module

    found = pairs.parse_labels(labels, "categories")
    return cells.CellSpec(parse_column(column), cells.Labels(found))


def bins(column: str | None = None, *, edges: object) -> CellSpec:
    """The number of rows in each bin [e_0, e_1), [e_1, e_2), ..., the last one closed.

    ``edges`` are increasing numbers, or times; the outer ones may be infinite. A row whose entry is
    missing or lies beyond the outer edges is in no bin.
    """
    from leastnoise.summaries import cells  # made of the policies of this module

    clock, numbers = declared(edges)
    bins = cells.Bins(cells.parse_edges(numbers), clock=clock)
    return cells.CellSpec(parse_column(column), bins, clock)


def distinct(column: str | None = None) -> DistinctSpec:
    """The number of different entries of a column of text or numbers; missing ones are none."""
    from leastnoise.summaries import distinct as rooms  # made of the policies of this module

    return rooms.DistinctSpec(parse_column(column))
