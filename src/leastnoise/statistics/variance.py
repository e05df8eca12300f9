"""Variance and standard deviation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction

from leastnoise.mechanisms import Mechanism, TightOrLoose
from leastnoise.profiles import Moments, Profile, square_root
from leastnoise.statistics.spread_bounds import Ratio, Spread
from leastnoise.summaries import spec
from leastnoise.summaries.lattice import Lattice, power_of_two_at_least
from leastnoise.summaries.spread import SpreadSummary

# Up to this level the exact add-remove bound is read, at a cost that grows with the level; beyond
# it the edit bound, which is valid there too.
_EXACT_LEVELS = 16


def variance_profile(s: SpreadSummary, relation: str) -> Profile:
    """The profile of the population variance, in squares of the input lattice's step."""
    low, high = s.limits
    n, width = s.n, high - low
    spread = Spread(s)
    most = (width * width, 4)

    def upper(level: int) -> Ratio:
        if level == 0:
            return value
        if relation == "replace-one":
            r = min(level, n)
            return spread.largest(r, r) if n else value
        if level >= n:
            return most
        if relation == "add-remove" and level <= _EXACT_LEVELS:
            moves = ((r, total - r) for total in (level, level - 1) for r in range(total + 1))
            return _best(spread.largest(r, added) for r, added in moves)
        both = spread.largest(level, level)
        others = [spread.largest(level - 1, level)]
        # fewer insertions can only be better where nearly all records lie at the two limits
        if 4 * both[0] * n**3 > both[1] * width**2 * (n * n - 1) * (n - 1):
            others.append(spread.largest(level, level - 1))
        return _best((both, *others))

    def lower(level: int) -> Ratio:
        if level == 0:
            return value
        if level >= n - 1:
            return (0, 1)
        if relation != "add-remove":
            kept = n - level
            return spread.smallest(kept), 4 * kept * n  # SS / n with SS = (kept Q - T^2) / kept
        return _least(
            (spread.smallest(n - r), 4 * (n - r) * (n + level - 2 * r))
            for r in range(level + 1)
            if n - r > 1
        )

    value = spread.value if n else (0, 1)
    public = relation == "replace-one"
    return Profile(
        value=value,
        upper=upper,
        lower=lower,
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
    return _extreme(values, lambda a, b: a[0] * b[1] > b[0] * a[1])


def _least(values: Iterable[Ratio]) -> Ratio:
    return _extreme(values, lambda a, b: a[0] * b[1] < b[0] * a[1])


def _extreme(values: Iterable[Ratio], better: Callable[[Ratio, Ratio], bool]) -> Ratio:
    found: Ratio | None = None
    for value in values:
        if found is None or better(value, found):
            found = value
    return (0, 1) if found is None else found


@dataclass(frozen=True, slots=True)
class Variance:
    """The population variance (divisor n) of a column clipped to bounds.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; left out for a bare array.
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
        For missing or impossible parameters, before any data is read.

    Notes
    -----
    Answers lie in [0, (upper - lower)^2 / 4]; an empty table has the public value 0. Default
    mechanism: ``TightOrLoose()``. Guarantee: epsilon-DP under "replace-one", "add-remove" and
    "edit", with the exact bounds of errata 2 and 3 (``docs/proofs/variance.md``); a variance is
    monotone under none of them. Source: Durfee (2024), Lemma 5.2 for the lower bound; the upper one
    of Lemma 5.4 is valid but loose.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.Variance(bounds=(0, 10)), [2, 4, 6])
    >>> float(p.value), float(p.upper(1))
    (2.6666666666666665, 11.555555555555555)
    """

    column: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        self.spec()

    def spec(self) -> spec.SpreadSpec:
        """Power sums, extremes and the records around the mean."""
        return spec.spread(self.column, bounds=self.bounds, step=self.step, missing=self.missing)

    def profile(self, summary: SpreadSummary, relation: str) -> Profile:
        """Bounds on the variance after l changes."""
        return variance_profile(summary, relation)

    def default_mechanism(self, relation: str) -> Mechanism:
        """Noise for the whole range or the asymmetric walk, as a private question decides."""
        return TightOrLoose()


@dataclass(frozen=True, slots=True)
class StandardDeviation:
    """The population standard deviation of a column clipped to bounds.

    Parameters
    ----------
    column, bounds, step, missing
        As for ``Variance``.

    Raises
    ------
    ParameterError, ParameterTypeError
        For impossible bounds, step or missing, before any data is read.

    Notes
    -----
    Its profile is the square root of the variance's, which keeps the neighbour law; released
    directly it is more accurate than the root of a released variance (errata 3). Default mechanism,
    guarantee and its conditions: as for ``Variance`` (``docs/proofs/variance.md``). Answers lie in
    [0, (upper - lower) / 2].
    """

    column: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        self.spec()

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

    def default_mechanism(self, relation: str) -> Mechanism:
        """Noise for the whole range or the asymmetric walk, as a private question decides."""
        return TightOrLoose()
