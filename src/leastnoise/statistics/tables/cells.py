"""Counts of rows by declared cells: histograms and cross-tabulations.

The cells are disjoint, so one added or removed record moves one count by 1, and a replaced record
at most two: every cell gets a share of epsilon / ``touched(relation)``, and all of them together
cost epsilon (``docs/proofs/cells.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import partial

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.mechanisms import Laplace, Mechanism
from leastnoise.params import parse_column, parse_flag
from leastnoise.profiles import Profile
from leastnoise.profiles.alike import AlikeProfiles
from leastnoise.statistics.statistic import Statistic, cut_notes
from leastnoise.statistics.totals.count import MOST_ROWS
from leastnoise.summaries import spec
from leastnoise.summaries.cells import CellSpec, CellSummary, CrossSpec, Labels
from leastnoise.summaries.pairs import PairColumns, parse_labels

_ONE = Fraction(1)


def cell_profile(count: int, *, nonnegative: bool) -> Profile:
    """The profile of one count among disjoint cells: it moves by at most 1 per record."""
    n = min(count, MOST_ROWS)
    return Profile(
        value=n,
        lower=lambda level: max(0, n - level),
        upper=lambda level: min(MOST_ROWS, n + level),
        support=(0, MOST_ROWS),
        sensitivity=1,
        local_sensitivity=lambda level: 1,
        monotone=True,
        integral=True,
        clamp=nonnegative,
        unit=_ONE,
    )


def cell_profiles(counts: Sequence[int], *, nonnegative: bool) -> AlikeProfiles:
    """Those of all cells."""
    return AlikeProfiles(
        [min(count, MOST_ROWS) for count in counts], partial(cell_profile, nonnegative=nonnegative)
    )


def cells_touched(relation: str) -> int:
    """How many disjoint cells one changed record can move."""
    return 1 if relation == "add-remove" else 2


class _Cells(Statistic):
    """Counts of disjoint cells, each with noise of its own."""

    __slots__ = ()

    nonnegative: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether negative counts were clipped."""
        return cut_notes(self.nonnegative)

    def touched(self, relation: str) -> int:
        """How many cells one changed record can move."""
        return cells_touched(relation)

    def profiles(self, summary: CellSummary, relation: str) -> AlikeProfiles:
        """One count per cell, in the declared order or row by row."""
        return cell_profiles(summary.counts, nonnegative=self.nonnegative)

    def values(self, summaries: Sequence[CellSummary], relation: str) -> list[int]:
        """The counts of all cells of all tables."""
        return [min(count, MOST_ROWS) for summary in summaries for count in summary.counts]

    def default_mechanism(self, relation: str) -> Mechanism:
        """Laplace: local and global sensitivity are equal."""
        return Laplace()


@dataclass(frozen=True, slots=True)
class Histogram(_Cells):
    """Noisy counts of rows by declared bin or category: signed and unbiased ints.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    bins : list of numbers
        Increasing edges, k + 1 of them for k bins. Bins are closed on the left and open on the
        right, and the last one is closed on both sides, as in numpy: ``bins=[0, 18, 65]`` counts
        0 <= x < 18 and 18 <= x <= 65. A value beyond the outer edges is in no bin; an outer edge
        may be infinite, so ``[0, 18, inf]`` counts everything large, infinity included.
    categories : list
        Instead of bins: every label to count, all text or all numbers (booleans are 0 and 1).
        Text is compared without surrounding blanks. An undeclared entry is in no cell.
    nonnegative : bool
        Clip negative counts to 0 after the draw; they are then biased upwards.

    Raises
    ------
    ParameterError, ParameterTypeError
        If bins and categories are both missing, both given, or invalid; checked before any data is
        read.
    ColumnTypeError
        If the categories are text and the column holds numbers, or the reverse; with the cure.

    Notes
    -----
    The value is a list of ints, one per cell in the declared order; a row with a missing entry is
    in no cell. Bins and categories come from public knowledge only, so the shape never depends on
    data. Numbers are compared as float64. Default mechanism: ``Laplace()`` (two-sided geometric
    noise), with epsilon per cell under "add-remove" and epsilon / 2 otherwise, because a replaced
    record leaves one cell and enters another. Guarantee: jointly epsilon-DP under every relation
    (``docs/proofs/cells.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> ages = [3, 17, 18, 40, 65, 65]
    >>> len(ln.release(ln.Histogram(bins=[0, 18, 65, 120]), ages, epsilon=1).value)
    3
    >>> votes = ["yes", "no", " yes", None, "perhaps"]
    >>> len(ln.release(ln.Histogram(categories=["yes", "no"]), votes, epsilon=1).value)
    2
    """

    column: str | None = None
    _: KW_ONLY
    bins: object = None
    categories: object = None
    nonnegative: bool = False

    def __post_init__(self) -> None:
        parse_flag(self.nonnegative, "nonnegative")
        self.spec()

    @property
    def axes(self) -> tuple[tuple[str | float, ...], ...]:
        """What the positions of the value stand for."""
        return (self.spec().axis.names(),)

    def spec(self) -> CellSpec:
        """The count of every cell."""
        if (self.bins is None) == (self.categories is None):
            raise ParameterError(
                "give either bins= (edges of a column of numbers) or categories= (labels); they "
                "are declared, never taken from the data"
            )
        if self.categories is None:
            return spec.bins(self.column, edges=self.bins)
        return spec.categories(self.column, labels=self.categories)

    def combine(self, values: Sequence[int | float]) -> list[int]:
        """The counts in the declared order."""
        return [int(value) for value in values]


@dataclass(frozen=True, slots=True)
class CrossTab(_Cells):
    """Noisy counts of rows by the declared labels of two columns: signed and unbiased ints.

    Parameters
    ----------
    row, column : str, optional
        Two columns of a frame or file; omitted for data that is a pair of columns.
    rows, columns : list
        Every label of the first and of the second column that counts, as for the categories of
        ``Histogram``. A row of the data with any other entry is in no cell.
    nonnegative : bool
        Clip negative counts to 0 after the draw; they are then biased upwards.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the labels are missing or invalid; checked before any data is read.
    ColumnTypeError
        If the labels are text and the column holds numbers, or the reverse; with the cure.

    Notes
    -----
    The value is a list of lists of ints: one list per label of ``rows``. Shares and mechanism are
    those of ``Histogram``. Guarantee: jointly epsilon-DP (``docs/proofs/cells.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> data = {"sex": ["f", "m", "f"], "smokes": [0, 1, 1]}
    >>> table = ln.CrossTab("sex", "smokes", rows=["f", "m"], columns=[0, 1])
    >>> [len(row) for row in ln.release(table, data, epsilon=1).value]
    [2, 2]
    """

    row: str | None = None
    column: str | None = None
    _: KW_ONLY
    rows: object = None
    columns: object = None
    nonnegative: bool = False

    def __post_init__(self) -> None:
        parse_flag(self.nonnegative, "nonnegative")
        self.spec()

    @property
    def axes(self) -> tuple[tuple[str | float, ...], ...]:
        """What the positions of the value stand for."""
        found = self.spec()
        return (found.rows.names(), found.columns.names())

    def spec(self) -> CrossSpec:
        """The count of every cell."""
        rows = Labels(parse_labels(self.rows, "rows"))
        columns = Labels(parse_labels(self.columns, "columns"))
        first, second = parse_column(self.row), parse_column(self.column)
        if (first is None) != (second is None):
            raise ParameterTypeError(
                "name both columns, or omit both if the data is a pair of columns (a, b)"
            )
        others = None if second is None else (second,)
        return CrossSpec(
            PairColumns(first, others, (1,), (rows.text, columns.text), ("rows", "columns")),
            rows,
            columns,
        )

    def combine(self, values: Sequence[int | float]) -> list[list[int]]:
        """The table of the cells' noisy counts."""
        width = self.spec().columns.size
        counts = [int(value) for value in values]
        return [counts[i : i + width] for i in range(0, len(counts), width)]
