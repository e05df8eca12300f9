"""A number inside private limits, with an interval that also covers what they clip.

One record more at a declared bound moves a mean or a sum by as much as on any other data, and an
interval that holds whatever the data are must make room for that: limits that most records lie in
make it no shorter (``docs/proofs/with-interval.md``). So limits tell the value alone, and noise for
the declared bounds tells the ends. Where the bounds are kept both come from the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.laws import RatioLaw
from leastnoise.mechanisms import LaplaceRatio, Mechanism
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.mechanisms.with_ends import either_end, noise_reach
from leastnoise.session.kinds.interval import (
    Ends,
    around,
    interval_kind,
    quotient_ends,
    with_noise,
)
from leastnoise.session.kinds.kind import Answer, Answering, Errors
from leastnoise.session.kinds.limited import Limited
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.draws import Limits
from leastnoise.session.search.ends import nested_split
from leastnoise.statistics.with_interval import Favour, WithInterval
from leastnoise.summaries.spec import MomentRequest, SpreadRequest

# With seven eighths of what is left, limits that are hardly narrower make no value more exact.
_NEAR = Fraction(6, 5)


def limited_interval(
    plan: StatisticPlan, asked: WithInterval, mechanism: PrivateLimits, epsilon: Fraction
) -> LimitedInterval:
    """The kind of a value inside limits that are searched for.

    Raises
    ------
    ParameterError
        If the statistic has no such limits, or no value is drawn besides the interval.
    """
    if asked.of == "population" or asked.favours == "interval":
        raise ParameterError(
            "PrivateLimits() clips records that this interval would have to cover: omit "
            'mechanism=, or take of="data" and favour="value"'
        )
    match plan.request:
        case MomentRequest() | SpreadRequest() as request:
            return LimitedInterval(plan, asked, request, mechanism, epsilon)
        case _:
            raise ParameterError(
                "PrivateLimits() is for sums, means, variances and moments, not for "
                f"{asked.name}: omit mechanism="
            )


class LimitedInterval(Limited):
    """Inside found limits the value gets seven eighths of what is left, and the ends the rest."""

    __slots__ = ("_interval",)

    def __init__(
        self,
        plan: StatisticPlan,
        asked: WithInterval,
        request: MomentRequest | SpreadRequest,
        mechanism: PrivateLimits,
        epsilon: Fraction,
    ) -> None:
        self._interval = asked
        super().__init__(replace(plan, statistic=asked.inner), request, mechanism, epsilon)

    def _kept(self, chosen: Mechanism, epsilon: Fraction) -> Answering:
        if self._fits:
            return self._whole_range(epsilon, "interval")
        return self._whole_range(epsilon, "value", chosen)

    @property
    def _fits(self) -> bool:
        """Whether noise for the declared bounds is the least for a spread: those of zeros and ones,
        which a walk from 0 tells badly."""
        return self._forgives and self._indicator

    @property
    def _beside(self) -> WithInterval:
        """Asked of ends beside a value, where either of them misses as often as the other."""
        if self.plan.statistic.summed and not self.plan.n_public:  # a centre has a part of it
            return self._interval
        return replace(self._interval, level=1 - either_end(self._interval.miss()))

    def _whole_range(
        self,
        epsilon: Fraction,
        favour: Favour,
        chosen: Mechanism | None = None,
        asked: WithInterval | None = None,
    ) -> Answering:
        """Value and ends with noise for the declared bounds."""
        plan, asked = self.plan, replace(asked or self._interval, favour=favour)
        mechanism = chosen or plan.statistic.settled_mechanism(plan.profile_relation)
        return interval_kind(replace(plan, statistic=asked), asked, mechanism, epsilon)

    def errors(self, tables: Sequence[Table]) -> Errors | None:
        """None, as for all intervals."""
        return None

    def biases(self, tables: Sequence[Table]) -> Errors | None:
        """None, as for all intervals."""
        return None

    def _noisy(
        self, tables: Sequence[Table], limits: Limits | None, spent: Mapping[str, Fraction]
    ) -> Sequence[Answer]:
        used = {**spent, **({} if limits is None else limits.spent)}
        left = self.share - sum(used.values(), Fraction(0))
        limits = self._kept_if_near(limits)
        if limits is None or limits.tight:
            near = self._fits or (limits is not None and limits.fits)
            kind = self._whole_range(left, "interval" if near else "value")
            return [self._together(kind.answer(table), kind, used, limits) for table in tables]
        _, rest = nested_split(left)
        answers = super()._noisy(tables, limits, {**spent, "both ends": rest})
        kind = self._whole_range(rest, "interval", asked=self._beside)
        found: list[Answer] = []
        for answer, table in zip(answers, tables, strict=True):
            ends = kind.answer(table).interval
            if ends is None:
                raise TypeError("an interval has ends")
            found.append(self._held(answer, ends))
        return found

    def _together(
        self, answer: Answer, kind: Answering, used: dict[str, Fraction], limits: Limits | None
    ) -> Answer:
        """Value and ends of one kind, from all that is left."""
        left = self.share - sum(used.values(), Fraction(0))
        parts = {name: Fraction(part) for name, part in answer.parts.items()}
        own = parts or {f"answer, {kind.mechanism.name}": left}
        return self._with_limits(answer, {**used, **own}, limits)

    def _divided(
        self,
        tables: Sequence[Table],
        noise: int | None,
        limits: Limits | None,
        counted: Mapping[str, Fraction],
    ) -> Sequence[Answer]:
        """One noisy count of each table serves the value and the ends."""
        half, miss = self.share / 2, self._interval.miss(self.plan.subset.groups) / 2
        spent = {"noisy count": half, **counted, **({} if limits is None else limits.spent)}
        left, limits = self.share - sum(spent.values(), Fraction(0)), self._kept_if_near(limits)
        apart = limits is not None and not limits.tight
        rest, found = nested_split(left)[1] if apart else left, list[Answer]()
        for table in tables:
            (profile,) = self.plan.profiles(table.summarise(self.plan.request, 0))
            law = LaplaceRatio().law(profile, self.share)
            if not isinstance(law, RatioLaw):
                raise TypeError("declared bounds hold two lattice points")
            drawn = with_noise(0, half, miss)[0] if noise is None else noise
            misses = either_end(miss) if apart else miss
            sums = with_noise(law.parts.total, law.parts.rate_total * rest / half, misses)
            rows = law.parts.count + drawn, noise_reach(miss, 1 / half)
            if apart:
                priced = {**counted, "both ends": rest}
                (answer,) = super()._divided([table], drawn, limits, priced)
            else:
                quotient = self._quotient(law, sums[0], rows[0])
                answer = self._with_limits(quotient, {**spent, "noisy sum": left}, limits)
            found.append(self._held(answer, quotient_ends(law, sums, rows, profile)))
        return found

    def _quotient(self, law: RatioLaw, total: int, rows: int) -> Answer:
        value = self.plan.statistic.combine([law.value_of(law.combine(total, rows))])
        return Answer(
            value=value,
            step=str(law.step),
            sensitivity="instance",
            bounds=self.plan.bounds,
            notes=self.plan.statistic.notes,
        )

    def _held(self, answer: Answer, ends: Ends) -> Answer:
        """With ends moved outwards to the value: where they disagree, either may be wrong."""
        return replace(
            answer,
            interval=around(answer.value, ends),
            coverage=self._interval.coverage(self.plan.subset.groups),
        )

    def _kept_if_near(self, limits: Limits | None) -> Limits | None:
        """Bounds hardly wider than the limits are kept; value and ends then share what is left."""
        lattice = self._request.lattice
        width = lattice.width * lattice.step
        if limits is None or not limits.fits or width > _NEAR * (limits.high - limits.low):
            return limits  # an answer in far limits is no noise for them
        return replace(limits, tight=True)
