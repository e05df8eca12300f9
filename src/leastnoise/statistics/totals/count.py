"""Counts of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from leastnoise.mechanisms import Laplace, Mechanism
from leastnoise.params import parse_count, parse_flag
from leastnoise.profiles import Profile
from leastnoise.statistics.statistic import Statistic, cut_notes
from leastnoise.summaries import spec
from leastnoise.summaries.moments import RowSummary, rows_of

# No table on earth has more rows; a wide public limit costs next to nothing.
MOST_ROWS = 2**40


@dataclass(frozen=True, slots=True)
class Count(Statistic):
    """The number of rows, or of rows in which a column is present: a signed, unbiased noisy int.

    Parameters
    ----------
    column : str, optional
        Count the rows in which this column is present: of a declared type any entry that is not
        missing; in a text file, a list or a column of objects, which declare none, those that read
        as numbers, or with ``labels`` any. Default: all rows of a frame, or the present values of a
        bare array.
    labels : bool
        Count any entry that is not missing, of columns without a declared type too.
    nonnegative : bool
        Clip negative answers to 0 after the draw; the answer is then biased upwards.
    max_rows : int
        Public upper limit of the count, for mechanisms that need a finite range.
    missing : "drop" or "none", optional
        "none" counts rows with a missing value too.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    A count is noisy under every relation, global sensitivity 1, because a filter or a missing
    value makes it private even when the length of the whole table is public. Default mechanism:
    ``Laplace()`` (the two-sided geometric mechanism). Guarantee: epsilon-DP under every relation
    (errata 3, ``docs/proofs/rounding.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> r = ln.release(ln.Count(), [3, 1, 4], epsilon=1)
    >>> type(r.value), r.noise_scale
    (<class 'int'>, 1.0)
    """

    column: str | None = None
    _: KW_ONLY
    labels: bool = False
    nonnegative: bool = False
    max_rows: int = MOST_ROWS
    missing: object = None

    def __post_init__(self) -> None:
        parse_flag(self.labels, "labels")
        parse_flag(self.nonnegative, "nonnegative")
        parse_count(self.max_rows, "max_rows")
        self.spec()

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether negative counts were clipped, and what was counted."""
        any_entry = ("any entry that is not missing was counted",) if self.labels else ()
        return (*cut_notes(self.nonnegative), *any_entry)

    def spec(self) -> spec.RowSpec:
        """The number of rows."""
        return spec.rows(self.column, labels=self.labels, missing=self.missing)

    def profile(self, summary: RowSummary, relation: str) -> Profile:
        """n - l and n + l, inside the public limits."""
        n, most = min(summary.n, self.max_rows), self.max_rows
        return Profile(
            value=n,
            lower=lambda level: max(0, n - level),
            upper=lambda level: min(most, n + level),
            support=(0, most),
            sensitivity=1,
            local_sensitivity=lambda level: 1,
            monotone=True,
            integral=True,
            clamp=self.nonnegative,
            unit=summary.step,
        )

    def values(self, summaries: Sequence[RowSummary], relation: str) -> list[int]:
        """Each n inside the public limits."""
        most, rows = self.max_rows, rows_of(summaries)
        return rows if max(rows) <= most else [min(n, most) for n in rows]

    def default_mechanism(self, relation: str) -> Mechanism:
        """Laplace: local and global sensitivity are equal."""
        return Laplace()
