"""A statistic with an interval, for one epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from leastnoise.errors import ParameterError, quoted
from leastnoise.mechanisms import AsymmetricSensitivity, Mechanism, PiecewiseLaplace
from leastnoise.params import is_one_of, parse_bounds, parse_flag, parse_number
from leastnoise.profiles import Profile, Scores
from leastnoise.statistics.foreign import as_statistic
from leastnoise.statistics.quantiles.order import SingleOrderStatistic
from leastnoise.statistics.statistic import (
    BoundedStatistic,
    JointStatistic,
    KeyStatistic,
    Statistic,
    Value,
    VectorStatistic,
)
from leastnoise.statistics.tables.cells import CrossTab, Histogram
from leastnoise.statistics.totals.count import Count
from leastnoise.statistics.totals.mean import Mean
from leastnoise.statistics.totals.sum import Sum
from leastnoise.summaries import spec
from leastnoise.summaries.columns import Shown

Of = Literal["data", "population"]
Favour = Literal["value", "interval"]


def _sampled(inner: Statistic) -> str:
    """What to ask for instead, where a statistic describes no population."""
    match inner:
        case Histogram() | CrossTab():
            return (
                "counts grow with the sample: release them, and take share_intervals(...) of them"
            )
        case Count():
            return (
                'take of="data" for Count, or the share, a Mean(bounds=(0, 1), step=1), or '
                "share_intervals(...) of the counts of all groups: a count grows with the sample"
            )
        case Sum():
            return 'take of="data" for Sum, or the Mean: a sum grows with the sample'
        case _:
            return f'take of="data" for {inner.name}'


@dataclass(frozen=True, slots=True)
class WithInterval(Statistic):
    """A statistic of one number, with an interval that contains it with a stated probability.

    One epsilon pays for value and interval together. The record has both: ``value``, and
    ``interval`` with ``coverage``, which says what it covers and with which probability.

    Parameters
    ----------
    statistic
        Such as ``Median(bounds=(0, 100))``: any statistic with one number and a finite range.
    level : number
        The probability that the interval covers, 0 < level < 1.
    of : "data" or "population"
        "data": the interval holds the statistic of *these* records (after clipping to bounds) with
        probability at least ``level``, whatever they are; only the noise is random. "population":
        the records are a random sample, and the interval holds the mean, share or quantile of the
        population they come from, over sampling and noise. For quantiles and shares (a ``Mean``
        within bounds=(0, 1) with step=1, or of a column of whole numbers) that holds for every
        population; for other means, and for variances and losses with limits, as far as the
        central limit theorem does. ``share_intervals`` tells the shares of all cells of released
        counts.

    simultaneous : bool
        Of a table by groups: whether *all* intervals hold together with probability at least
        ``level``. Each then misses with at most (1 - level) / groups. Default: each by itself.

    favour : "value" or "interval", optional
        For quantiles, variances, and losses with limits, and sums and means with of="data".
        "value": the value gets about seven eighths of epsilon and is nearly as exact as without an
        interval. "interval": the ends get most or all of it, the interval is about five times
        narrower, and the value comes from the same numbers; for quantiles once rows x min(q,
        1 - q) x epsilon is about 250. Default: "value" for of="data", "interval" for
        of="population".

    Raises
    ------
    ParameterError, ParameterTypeError
        If the statistic has several numbers or labels, is unbounded or already has an interval, or
        a parameter is invalid; checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP for value and interval together, under the relations of the statistic
    (``docs/proofs/with-interval.md``). There are five methods, chosen by public parameters:

    - *Laplace noise* (counts, shares, sums, means): its width is public, so the interval costs
      nothing; that of a noisy sum over a noisy count is known from both. Value and ends are cut
      to what the statistic can be, so none is below 0 for a count; without an interval a count
      is not cut. For the population a noisy sum of squares stands beside the sum, at no cost
      where the number of rows is public.
    - *Sums, means and variances inside limits*, where ``PrivateLimits()`` is their default and
      finds narrower ones: these clip the value alone. The interval holds the statistic of all
      records in the declared bounds, by noise for these, with an eighth of what the search left; no
      method has a much shorter one. Persons of several rows have no such search here.
    - *Quantiles, minimum and maximum*: the rest after the first value goes to two searches, one
      for each end, which cost together what one of them does. An end beyond the value is moved out
      to it.
    - *Variances, losses with limits*: noisy sums of public width, as exact as the public limits
      allow, tell the ends. They are all that is released where a private question finds the limits
      of a variance tight, and with favour="interval"; elsewhere they get an eighth of epsilon,
      beside the value (``docs/proofs/noisy-sums.md``).
    - *All others*: seven eighths give the value. The rest walks through nested intervals around it
      and stops before one that few records could push the statistic out of.

    Examples
    --------
    >>> import leastnoise as ln
    >>> median = ln.WithInterval(ln.Median(bounds=(0, 1000)))
    >>> r = ln.release(median, list(range(1000)), epsilon=1)
    >>> r.interval[0] <= r.value <= r.interval[1], r.coverage["level"]
    (True, '19/20')
    """

    statistic: object
    _: KW_ONLY
    level: object = "0.95"
    of: Of = "data"
    simultaneous: bool = False
    favour: Favour | None = None

    def __post_init__(self) -> None:
        inner = self.inner
        parse_flag(self.simultaneous, "simultaneous")
        self.miss()
        if not is_one_of(self.of, ("data", "population")):
            raise ParameterError(f'of must be "data" or "population", got {quoted(self.of)}')
        if self.favour is not None and not is_one_of(self.favour, ("value", "interval")):
            raise ParameterError(f'favour must be "value" or "interval", got {quoted(self.favour)}')
        limited = isinstance(inner, Mean | Sum) and self.of == "data"
        chosen = limited or isinstance(inner, SingleOrderStatistic) or inner.summed
        if self.favour is not None and not chosen:
            raise ParameterError(
                'favour= is for quantiles, variances, losses within limits, and of="data" for sums '
                f"and means, not for {inner.name}: omit it"
            )
        if isinstance(inner, WithInterval | JointStatistic | VectorStatistic | KeyStatistic):
            raise ParameterError(
                f"WithInterval is for a statistic that is one number, not for {inner.name}: ask "
                "for its numbers one by one"
            )
        if inner.searched is not None:
            raise ParameterError(
                "an interval needs declared bounds: a record that PrivateBounds() clips may lie "
                "anywhere, and no finite interval would hold it. They may be wide: ends of "
                "quantiles hardly depend on them"
            )
        if self.of == "population" and type(inner) is not Mean and inner.summed != 1:
            if not isinstance(inner, SingleOrderStatistic):
                raise ParameterError(
                    'of="population" is for a mean, share, variance, loss with limits, median or '
                    f"quantile: {_sampled(inner)}"
                )
            (order,) = inner.orders()
            if not 0 < order < 1:
                raise ParameterError(
                    'of="population" needs 0 < q < 1: no sample bounds the extremes of a population'
                )
        inner.spec()

    @property
    def inner(self) -> Statistic:
        """The statistic itself."""
        return as_statistic(self.statistic)

    @property
    def favours(self) -> Favour:
        """Whether the value or the interval gets most of epsilon."""
        return self.favour or ("value" if self.of == "data" else "interval")

    def miss(self, groups: int = 1) -> Fraction:
        """How often the interval of one of this many groups may miss."""
        level = parse_number(self.level, "level")
        if not 0 < level < 1:
            raise ParameterError(
                f"level must lie strictly between 0 and 1, such as 0.95, got {self.level}"
            )
        return (1 - level) / (groups if self.simultaneous else 1)

    def coverage(self, groups: int = 1) -> dict[str, str]:
        """What the interval covers, and with which probability."""
        what = "quantile" if isinstance(self.inner, SingleOrderStatistic) else "value"
        what = "mean" if isinstance(self.inner, Mean) else what
        what = (
            "the statistic of the records; the noise alone is random"
            if self.of == "data"
            else f"the {what} of the population; sample and noise are random"
        )
        if self.simultaneous:
            what += f"; in all of {groups} groups together"
        found = {"level": str(1 - self.miss()), "of": self.of, "holds": what}
        return found | ({"each": str(1 - self.miss(groups))} if self.simultaneous else {})

    @property
    def name(self) -> str:
        """As for the statistic."""
        return self.inner.name

    def spec(self) -> Any:
        """The spec of the statistic; with squares for the mean of a population."""
        inner = self.inner
        if self.of == "population" and isinstance(inner, Mean):
            limits = {"bounds": inner.bounds, "step": inner.step, "missing": inner.missing}
            return spec.spread(inner.column, **limits)
        return inner.spec()

    def profile(self, summary: Any, relation: str) -> Profile | Scores:
        """As for the statistic."""
        return self.inner.profile(summary, relation)

    def profiles(self, summary: Any, relation: str) -> Sequence[Profile | Scores]:
        """As for the statistic."""
        return self.inner.profiles(summary, relation)

    def combine(self, values: Sequence[Value]) -> Any:
        """As for the statistic."""
        return self.inner.combine(values)

    def touched(self, relation: str) -> int | None:
        """As for the statistic."""
        return self.inner.touched(relation)

    def default_mechanism(self, relation: str) -> Mechanism:
        """The default of the statistic; of quantiles with a part of it on round numbers, since a
        value for less than all of epsilon would lose ties first.

        Limits are searched for only where the value is favoured: no interval would cover what they
        clip.
        """
        usual = self.inner.default_mechanism(relation)
        if isinstance(self.inner, SingleOrderStatistic) and usual == PiecewiseLaplace():
            return PiecewiseLaplace(base="round")
        limited = self.inner.limited_mechanism(relation, Fraction(1), Fraction(1)) is not None
        if limited and self.of == "data" and self.favours == "value":
            return usual
        settled = self.inner.settled_mechanism(relation)
        return self._from_below(settled) if self.favours == "value" else settled

    def _from_below(self, settled: Mechanism) -> Mechanism:
        """A walk to a loss in limits begins far below these, since they may be far too wide."""
        match self.inner, settled:
            case BoundedStatistic(bounds=bounds), AsymmetricSensitivity() if bounds is not None:
                low, high = parse_bounds(bounds)
                walk = self.inner.far_mechanism(Fraction(1), high - low)
                if isinstance(walk, AsymmetricSensitivity):
                    return replace(walk, beta="auto")
            case _:
                pass
        return settled

    def settled_mechanism(self, relation: str) -> Mechanism:
        """As for the statistic."""
        return self.inner.settled_mechanism(relation)

    @property
    def shown(self) -> Shown:
        """As for the statistic."""
        return self.inner.shown

    @property
    def axes(self) -> tuple[tuple[Any, ...], ...]:
        """As for the statistic."""
        return self.inner.axes

    @property
    def notes(self) -> tuple[str, ...]:
        """As for the statistic."""
        return self.inner.notes
