"""The number of different entries of a column, such as of persons."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from leastnoise.mechanisms import Laplace, Mechanism, PrivateLimits
from leastnoise.params import parse_flag
from leastnoise.profiles import Profile
from leastnoise.statistics.statistic import Statistic, cut_notes
from leastnoise.statistics.totals.count import MOST_ROWS
from leastnoise.summaries import spec

if TYPE_CHECKING:
    from leastnoise.summaries.distinct import DistinctSpec, DistinctSummary


@dataclass(frozen=True, slots=True)
class CountDistinct(Statistic):
    """How many different entries a column has: a signed, unbiased noisy int.

    Parameters
    ----------
    column : str, optional
        A column of text or numbers; omitted for a bare array. Texts are compared without
        surrounding blanks ("01" is not "1"), numbers by their value; missing entries count for
        nothing.
    nonnegative : bool
        Clip negative answers to 0 after the draw; the answer is then biased upwards.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    No entry need be declared: only their number is released. One record can add or remove one
    entry, or replace one by another, so the global sensitivity is 1 under every relation. Where
    persons are protected (``unit=``) and the column is that of the persons, this counts persons:
    one person moves it by 1, however many rows they have. Of any other column a person with m rows
    moves it by m at most. From m = 8 on, and where m is ``PrivateLimit()``, a part of epsilon finds
    for how many different entries each person is counted, by what more would add: one, where every
    entry has a person of its own to stand for it, so that noise hides one. Entries that are left
    out make the answer too small. Default mechanism: ``Laplace()``, for persons of several rows
    ``PrivateLimits()``, which is that search; ``mechanism=Laplace()`` counts all entries of a
    declared number of rows. Guarantee: epsilon-DP under every relation
    (``docs/proofs/distinct.md``, ``docs/proofs/row-limits.md``). Source: Knop and Steinke (2023).

    Examples
    --------
    >>> import leastnoise as ln
    >>> visits = {"patient": ["a", "b", "a", None], "day": [1, 1, 2, 3]}
    >>> with ln.open(visits, relation="add-remove", unit="patient", max_rows=9) as data:
    ...     patients = data.release(ln.CountDistinct("patient"), epsilon=1)
    >>> patients.noise_scale
    1.0
    """

    column: str | None = None
    _: KW_ONLY
    nonnegative: bool = False

    def __post_init__(self) -> None:
        parse_flag(self.nonnegative, "nonnegative")
        self.spec()

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether negative counts were clipped."""
        return cut_notes(self.nonnegative)

    def spec(self) -> DistinctSpec:
        """The number of different entries."""
        return spec.distinct(self.column)

    def profile(self, summary: DistinctSummary, relation: str) -> Profile:
        """d - l and d + l, inside the public limits."""
        n = min(summary.distinct, MOST_ROWS)
        return Profile(
            value=n,
            lower=lambda level: max(0, n - level),
            upper=lambda level: min(MOST_ROWS, n + level),
            support=(0, MOST_ROWS),
            sensitivity=1,
            local_sensitivity=lambda level: 1,
            integral=True,
            clamp=self.nonnegative,
        )

    def default_mechanism(self, relation: str) -> Mechanism:
        """Laplace: at most one entry can appear or disappear with a record."""
        return Laplace()

    def default_of_persons(self, relation: str) -> Mechanism:
        """Noise for as many entries of a person as are found privately, where rows are many."""
        return PrivateLimits()
