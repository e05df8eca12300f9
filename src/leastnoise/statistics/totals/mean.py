"""Means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.mechanisms import Laplace, LaplaceRatio, Mechanism, PrivateLimits
from leastnoise.profiles import NoisyRatio, Profile
from leastnoise.statistics.statistic import ColumnStatistic
from leastnoise.statistics.totals.sum import prefix_sums
from leastnoise.summaries import spec
from leastnoise.summaries.columns import Shown
from leastnoise.summaries.lattice import Lattice, power_of_two_at_least
from leastnoise.summaries.moments import MomentSummary, sums_of

Ratio = tuple[int, int]


def mean_resolution(lattice: Lattice) -> Fraction:
    """Spacing of a mean's output lattice when the row count is private, in input lattice steps.

    At least 2**40 points across the bounds, a power of two, whole fractions of the input step.
    """
    return min(Fraction(1), power_of_two_at_least(Fraction(max(1, lattice.width), 2**41)))


@dataclass(frozen=True, slots=True)
class Mean(ColumnStatistic):
    """The mean of a column clipped to bounds.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    bounds : pair of numbers
        Public limits. Where rows times epsilon are below 80 the noise grows with their width. They
        may be a hundred times too wide at 100, a million times at 160 and a billion times from
        250 on, since tighter limits are found privately.
    step : number, optional
        Spacing of the input lattice. Default: 1 for an integer column, else the smallest power of
        two >= (upper - lower) / 2**60.
    missing : "drop", "none" or a number, optional
        Default: "drop" for columns that can hold missing values.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is missing or invalid; checked before any data is read.

    Notes
    -----
    Default mechanism: ``PrivateLimits()``, which clips to limits inside the bounds and so is biased
    towards the middle of the data; the record shows the limits. Inside the limits, with a public
    row count n ("replace-one", no missing values): ``Laplace()`` on the exact sum, global
    sensitivity (upper - lower) / n. With a private one ("add-remove", "edit"): ``LaplaceRatio()``,
    a noisy centred sum over a noisy count, which measured smaller errors than the adaptive profile
    at every epsilon (``docs/decisions``). Guarantee: all are epsilon-DP (``docs/proofs/mean.md``,
    ``docs/proofs/private-limits.md``), answers lie inside the bounds. An empty table has the
    public value in the middle of the bounds. Source: errata 3 and 4.11.

    Examples
    --------
    >>> import leastnoise as ln
    >>> r = ln.release(ln.Mean(bounds=(0, 10)), [3, 1, 4], epsilon=1)
    >>> 0 <= r.value <= 10
    True
    """

    @property
    def shown(self) -> Shown:
        """A time like the entries, to the nearest unit."""
        return "time"

    def spec(self) -> spec.MomentSpec:
        """The exact sum and the extreme records."""
        return spec.moments(self.column, bounds=self.bounds, step=self.step, missing=self.missing)

    def profile(self, summary: MomentSummary, relation: str) -> Profile:
        """Bounds on the mean after l changes (errata 3)."""
        return mean_profile(summary, relation)

    def ratios(self, summaries: Sequence[MomentSummary]) -> list[tuple[int, int]]:
        """Sums about the middle of the bounds, with the number of rows."""
        middle = sum(summaries[0].limits)
        return [(2 * total - n * middle, n) for n, total in zip(*sums_of(summaries), strict=True)]

    def default_mechanism(self, relation: str) -> Mechanism:
        """Laplace noise inside limits that are found privately, where there are rows enough."""
        return PrivateLimits()

    def settled_mechanism(self, relation: str) -> Mechanism:
        """Laplace noise, over a noisy count where the number of rows is private."""
        return Laplace() if relation == "replace-one" else LaplaceRatio()

    def limited_mechanism(self, relation: str, records: Fraction, width: Fraction) -> Mechanism:
        """The same."""
        return self.settled_mechanism(relation)


def mean_profile(summary: MomentSummary, relation: str) -> Profile:
    """The profile of the mean of a summary, under any relation."""
    if relation == "replace-one":
        return _public_count(summary)
    return _private_count(summary, add_remove=relation == "add-remove")


def _public_count(s: MomentSummary) -> Profile:
    low, high = s.limits
    if s.n == 0:  # the public value of the empty table, as if one record stood in the middle
        middle = (s.lattice.middle,)
        s = MomentSummary(1, middle[0], s.lattice, middle, middle, s.depth)
    n, total = s.n, s.total
    rise = prefix_sums([high - x for x in s.smallest])
    fall = prefix_sums([x - low for x in s.largest])
    width = high - low
    return Profile(
        value=(total, n),
        upper=lambda level: (total + rise(level), n),
        lower=lambda level: (total - fall(level), n),
        support=(low, high),
        sensitivity=(width, n),
        local_sensitivity=lambda level: (width, n),
        monotone=True,
        depth=s.depth,
        resolution=(1, n),
        integral=True,
        unit=s.step,
        rows=n,
    )


def _private_count(s: MomentSummary, *, add_remove: bool) -> Profile:
    low, high = s.limits
    n, total = s.n, s.total
    middle = low + high  # twice the value of the empty table
    # the mirror image -x turns every lower bound into an upper one
    up = _Rise(n, n * high - total, [high - x for x in s.smallest], add_remove)
    down = _Rise(n, total - n * low, [x - low for x in s.largest], add_remove)

    def upper(level: int) -> Ratio:
        gap, count = up(level)
        return high * count - gap, count

    def lower(level: int) -> Ratio:
        gap, count = down(level)
        return low * count + gap, count

    value = (total, n) if n else (middle, 2)
    width = high - low
    return Profile(
        value=value,
        upper=lambda level: upper(level) if level and n else (value if not level else high),
        lower=lambda level: lower(level) if level and n else (value if not level else low),
        support=(low, high),
        sensitivity=(width, 2) if add_remove else width,
        depth=s.depth,
        resolution=mean_resolution(s.lattice),
        unit=s.step,
        ratio=NoisyRatio(2 * total - n * middle, n, max(1, width), middle, Fraction(1, 2)),
    )


class _Rise:
    """The least mean gap to a limit after l moves, as (sum of gaps, number of records).

    ``gaps`` are the largest distances to the limit, descending; ``total`` is the sum of all.
    """

    def __init__(self, n: int, total: int, gaps: list[int], add_remove: bool) -> None:
        self.n, self.total, self.gaps, self.add_remove = n, total, gaps, add_remove
        self.removed = prefix_sums(gaps)

    def __call__(self, level: int) -> Ratio:
        if level > self.n:
            return 0, 1
        if not self.add_remove:
            return self.total - self.removed(level), self.n  # l records moved to the limit
        low, high = 0, min(level, self.n - 1)
        while low < high:
            # delete the next record while its gap is at least twice the mean gap so far
            middle = (low + high) // 2
            rest, count = self._after(middle, level)
            if self.gaps[middle] * count >= 2 * rest:
                low = middle + 1
            else:
                high = middle
        return self._after(low, level)

    def _after(self, deleted: int, level: int) -> Ratio:
        return self.total - self.removed(deleted), self.n + level - 2 * deleted
