"""Variance and standard deviation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor

from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Mechanism, PrivateLimits, TightOrLoose
from leastnoise.mechanisms.far_limits import far_walk, fitting
from leastnoise.profiles import Moments, Profile, square_root
from leastnoise.profiles.maps import root_of
from leastnoise.statistics.spread.bounds import Ratio, Spread
from leastnoise.statistics.statistic import ColumnStatistic
from leastnoise.summaries import spec
from leastnoise.summaries.columns import Shown
from leastnoise.summaries.lattice import Lattice, power_of_two_at_least
from leastnoise.summaries.spread import SpreadSummary

# Up to this level the exact add-remove bound is read, at a cost that grows with the level; beyond
# it the edit bound, which is valid there too.
_EXACT_LEVELS = 16
# Rows times epsilon from which a search for limits is worth its price where bounds fit.
_FEWEST = 2500


def variance_profile(s: SpreadSummary, relation: str) -> Profile:
    """The profile of the population variance, in squares of the input lattice's step."""
    low, high = s.limits
    n, width = s.n, high - low
    spread = Spread(s)
    largest, smallest = cache(spread.largest), cache(spread.smallest)
    most = (width * width, 4)

    def upper(level: int) -> Ratio:
        if level == 0:
            return value
        if relation == "replace-one":
            r = min(level, n)
            return largest(r, r) if n else value
        if level >= n:
            return most
        edited = edit(level)
        if relation == "edit" or level > _EXACT_LEVELS:
            return edited
        # deletions can only be better than insertions where the variance is near half of the most
        left = n - level
        if 8 * edited[0] * (left + 2) <= edited[1] * width**2 * (left + 1):
            return largest(0, level)
        moves = ((r, total - r) for total in (level, level - 1) for r in range(total + 1))
        return _best(largest(r, added) for r, added in moves)

    def edit(level: int) -> Ratio:
        both = largest(level, level)
        variance, limit = 4 * both[0], both[1] * width**2
        # nothing is better than the most, nor is what follows below a quarter of it
        if 4 * variance <= limit or variance == limit:
            return both
        others: list[Ratio] = []
        # fewer deletions can only be better where the variance is near half of the most
        if variance * (n + 1) * (n * level + n + 1) > limit * n * n * level:
            others.append(largest(level - 1, level))
        # fewer insertions can only be better where nearly all records lie at the two limits
        if variance * n**3 > limit * (n * n - 1) * (n - 1):
            others.append(largest(level, level - 1))
        return _best((both, *others))

    def lower(level: int) -> Ratio:
        if level == 0:
            return value
        if level >= n - 1:
            return (0, 1)
        kept = n - level
        if relation == "add-remove":
            return _least_mixed(smallest, spread.shortest, kept, n)
        return smallest(kept), 4 * kept * n  # SS / n with SS = (kept Q - T^2) / kept

    value = spread.value if n else (0, 1)
    public = relation == "replace-one"
    return Profile(
        value=value,
        upper=cache(upper),
        lower=cache(lower),
        support=((0, 1), most),
        sensitivity=(width * width * (n - 1), n * n) if public and n else most,
        depth=s.depth,
        resolution=variance_resolution(s.lattice),
        unit=s.step**2,
        moments=Moments(n, s.total, s.squares, low, high) if public else None,
        rows=n if public else None,
    )


def variance_resolution(lattice: Lattice) -> Fraction:
    """Spacing of a variance's output lattice: at least 2**48 points, squares of the step / 2^j."""
    squared = Fraction(max(1, lattice.width) ** 2)
    return power_of_two_at_least(squared / 2**52)


def _best(values: Iterable[Ratio]) -> Ratio:
    found: Ratio | None = None
    for value in values:
        if found is None or value[0] * found[1] > found[0] * value[1]:
            found = value
    return (0, 1) if found is None else found


def _least_mixed(
    smallest: Callable[[int], int], shortest: Callable[[int], int], least: int, n: int
) -> Ratio:
    """The least of SS(m) / (2 m - least) over m = least, ..., n.

    n - m records are deleted and m - ``least`` inserted at the mean. SS(m') >= SS(m) + (m' - m) g
    for m' >= m, g the larger of SS(m) / (m - 1) and a quarter of the square of the shortest m
    records: where that rules numbers out they are not looked at.
    """

    def ratio(m: int) -> Ratio:
        return smallest(m), 4 * m * (2 * m - least)

    found = ratio(least)
    if shortest(least) ** 2 * found[1] >= 32 * found[0]:
        return found  # g is at least twice this: no later ratio is smaller
    m = least
    while m < n:
        found = min(found, ratio(m), ratio(n), key=lambda pair: Fraction(*pair))
        best, squares = 4 * Fraction(*found), Fraction(smallest(m), m)
        growth = max(squares / (m - 1), Fraction(shortest(m) ** 2, 4))
        if growth >= 2 * best:
            break
        m += 1 + floor((squares - best * (2 * m - least)) / (2 * best - growth))
    return found


@dataclass(frozen=True, slots=True)
class Variance(ColumnStatistic):
    """The population variance (divisor n) of a column clipped to bounds.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    bounds : pair of numbers
        Public limits of the column.
    step : number, optional
        Spacing of the input lattice. Default: 1 for an integer column, else the smallest power of
        two >= (upper - lower) / 2**36.
    missing : "drop", "none" or a number, optional
        Default: "drop" for columns that can hold missing values.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is missing or invalid; checked before any data is read.

    Notes
    -----
    Answers lie in [0, (upper - lower)^2 / 4]; an empty table has the public value 0. Default
    mechanism: ``PrivateLimits(2500)``, whose clipping makes the answer a little smaller where
    bounds are loose; fewer rows are clipped far beyond most of them, and the answer is a walk
    outwards. In bounds or limits that are found to fit it is ``CentredLaplace()`` for 200 rows
    times epsilon and a public number of rows, else ``PiecewiseLaplace(base="log", shift=0)`` with a
    scale; too few rows to tell have ``TightOrLoose()``. Of persons with several rows it is noisy
    sums of what each adds up to, for persons times epsilon of 800, else ``TightOrLoose()``
    (``docs/proofs/persons.md``). Guarantee: epsilon-DP under
    "replace-one", "add-remove" and "edit", with the exact bounds of errata 2 and 3
    (``docs/proofs/variance.md``, ``docs/proofs/private-limits.md``); a variance is monotone under
    none of them. Source: Durfee (2024), Lemma 5.2 for the lower bound; the upper one of Lemma 5.4
    is valid but loose.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.Variance(bounds=(0, 10)), [2, 4, 6])
    >>> float(p.value), float(p.upper(1))
    (2.6666666666666665, 11.555555555555555)
    """

    def __post_init__(self) -> None:
        if self.spec().clock is not None:
            raise ParameterError(
                "the variance of times is in squared units: take StandardDeviation, whose answer "
                "is a duration"
            )

    def spec(self) -> spec.SpreadSpec:
        """Power sums, extremes and the records around the mean."""
        return spec.spread(self.column, bounds=self.bounds, step=self.step, missing=self.missing)

    def profile(self, summary: SpreadSummary, relation: str) -> Profile:
        """Bounds on the variance after l changes."""
        return variance_profile(summary, relation)

    @property
    def summed(self) -> int:
        """One sum, the variance itself; none for subclasses, whose answer may differ."""
        return int(type(self) is Variance)

    def sums(self, summary: SpreadSummary) -> Sequence[SpreadSummary]:
        """The summary of the column."""
        return (summary,)

    def default_mechanism(self, relation: str) -> Mechanism:
        """Noise inside private limits, where there are many rows."""
        return PrivateLimits(_FEWEST)

    def default_of_persons(self, relation: str) -> Mechanism:
        """Noise for what the rows of a person add up to."""
        return PrivateLimits(_FEWEST)

    def settled_mechanism(self, relation: str) -> Mechanism:
        """Noise for the whole range or the asymmetric walk, as a private question decides."""
        return TightOrLoose()

    def limited_mechanism(self, relation: str, records: Fraction, width: Fraction) -> Mechanism:
        """Noise for the whole range where rows are public and many, else for each level."""
        return fitting(records, width, 2, public=relation == "replace-one")

    def far_mechanism(self, records: Fraction, width: Fraction) -> Mechanism:
        """A walk outwards."""
        return far_walk(records, width, 2)


@dataclass(frozen=True, slots=True)
class StandardDeviation(ColumnStatistic):
    """The population standard deviation of a column clipped to bounds.

    Parameters
    ----------
    column, bounds, step, missing
        As for ``Variance``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If bounds, step or missing are invalid; checked before any data is read.

    Notes
    -----
    Its profile is the square root of the variance's, which keeps the neighbour law; released
    directly it is more accurate than the root of a released variance (errata 3). Default mechanism,
    guarantee and its conditions: as for ``Variance`` (``docs/proofs/variance.md``). Answers lie in
    [0, (upper - lower) / 2].
    """

    @property
    def shown(self) -> Shown:
        """The answer is a distance between times."""
        return "difference"

    def spec(self) -> spec.SpreadSpec:
        """Power sums, extremes and the records around the mean."""
        return spec.spread(self.column, bounds=self.bounds, step=self.step, missing=self.missing)

    def profile(self, summary: SpreadSummary, relation: str) -> Profile:
        """Bounds on the standard deviation after l changes."""
        width = max(1, summary.lattice.width)
        return square_root(
            variance_profile(summary, relation),
            resolution=power_of_two_at_least(Fraction(width, 2**46)),
            unit=summary.step,
        )

    @property
    def summed(self) -> int:
        """One sum, the variance; none for subclasses, whose answer may differ."""
        return int(type(self) is StandardDeviation)

    def sums(self, summary: SpreadSummary) -> Sequence[SpreadSummary]:
        """The summary of the column."""
        return (summary,)

    def of_sums(self, values: Sequence[Fraction]) -> float:
        """The root of the variance."""
        (value,) = values
        return root_of(value)

    def default_mechanism(self, relation: str) -> Mechanism:
        """Noise inside private limits, where there are many rows."""
        return PrivateLimits(_FEWEST)

    def default_of_persons(self, relation: str) -> Mechanism:
        """Noise for what the rows of a person add up to."""
        return PrivateLimits(_FEWEST)

    def settled_mechanism(self, relation: str) -> Mechanism:
        """Noise for the whole range or the asymmetric walk, as a private question decides."""
        return TightOrLoose()

    def limited_mechanism(self, relation: str, records: Fraction, width: Fraction) -> Mechanism:
        """Noise for the whole range where rows are public and many, else for each level."""
        return fitting(records, width, 1, public=relation == "replace-one")

    def far_mechanism(self, records: Fraction, width: Fraction) -> Mechanism:
        """A walk outwards."""
        return far_walk(records, width, 1)
