"""A number and an interval around it, from one epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf, nextafter
from typing import Self

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.guarantees import Guarantee, PureDP
from leastnoise.laws import Law, RatioLaw
from leastnoise.laws.base import MAX
from leastnoise.laws.nested import NestedLaw
from leastnoise.mechanisms import Laplace, LaplaceRatio, Mechanism, PiecewiseLaplace, PrivateLimits
from leastnoise.mechanisms.with_ends import WithEnds, noise_reach
from leastnoise.profiles import Profile, exact
from leastnoise.profiles.grid import grid_step
from leastnoise.sampling import discrete_laplace
from leastnoise.session.kinds.kind import Answer, Answering, notes_of_rows
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.bounds_search import quantile_law
from leastnoise.session.search.ends import RankEnds, nested_depth, nested_law, nested_split
from leastnoise.statistics.quantiles.order import SingleOrderStatistic
from leastnoise.statistics.with_interval import WithInterval
from leastnoise.summaries.ranks import RankRequest
from leastnoise.summaries.records import Listed, Records, records_of

Ends = tuple[int | float, int | float]

# Depth of the empty summary of a rehearsal.
REHEARSED = 16


def interval_kind(
    plan: StatisticPlan, statistic: WithInterval, mechanism: Mechanism, epsilon: Fraction
) -> Answering:
    """The kind of interval, chosen by public parameters.

    Raises
    ------
    ParameterError
        If the mechanism is not epsilon-DP.
    """
    inner = statistic.inner
    if isinstance(mechanism, PrivateLimits):
        if plan.stride == 1:
            from leastnoise.session.kinds.limited_interval import limited_interval

            return limited_interval(plan, statistic, mechanism, epsilon)
        mechanism = inner.settled_mechanism(plan.profile_relation)
    if not isinstance(mechanism.guarantee(epsilon, plan.scope), PureDP):
        raise ParameterError(
            f"{mechanism.name} is not epsilon-DP, as the search for an interval is: omit mechanism="
        )
    value = replace(plan, statistic=inner)
    match inner, mechanism, plan.request:
        case SingleOrderStatistic(), _, RankRequest() as ranks if mechanism in (
            PiecewiseLaplace(),
            statistic.default_mechanism(plan.profile_relation),
        ):
            return RankInterval(plan, value, statistic, mechanism, epsilon, ranks)
        case _ if statistic.of == "population" and not inner.summed:
            from leastnoise.session.kinds.population import MeanInterval

            if isinstance(inner, SingleOrderStatistic) or mechanism != inner.settled_mechanism(
                plan.profile_relation
            ):
                raise ParameterError('of="population" needs the default mechanism: omit mechanism=')
            return MeanInterval(plan, value, statistic, mechanism, epsilon)
        case _, Laplace(), _ if statistic.of == "data":  # its width is public
            return NoiseInterval(plan, value, statistic, mechanism, epsilon)
        case _, LaplaceRatio(), _ if statistic.of == "data":
            return RatioInterval(plan, value, statistic, mechanism, epsilon)
        case _ if statistic.of == "population" or (
            plan.stride == 1
            and (inner.summed == 1 or (inner.summed and statistic.favours == "interval"))
        ):
            from leastnoise.session.kinds.summed import SummedInterval

            return SummedInterval(plan, value, statistic, mechanism, epsilon)
        case _:
            return NestedInterval(plan, value, statistic, mechanism, epsilon)


class Interval(Answering):
    """A value with an interval; ``value`` plans the statistic alone, ``inner`` is its mechanism."""

    __slots__ = ("_asked", "_inner", "_value")

    def __init__(
        self,
        plan: StatisticPlan,
        value: StatisticPlan,
        asked: WithInterval,
        inner: Mechanism,
        epsilon: Fraction,
    ) -> None:
        self._value, self._asked, self._inner = value, asked, inner
        super().__init__(plan, self._whole(inner), epsilon)

    def on(self, plan: StatisticPlan) -> Self:
        """The same for other rows."""
        other = super().on(plan)
        other._value = replace(plan, statistic=self._value.statistic)
        return other

    @staticmethod
    def _whole(inner: Mechanism) -> Mechanism:
        """The mechanism with its ends, as a record names it."""
        return WithEnds.around(inner)

    @property
    def _groups(self) -> int:
        return self._value.subset.groups

    @property
    def _miss(self) -> Fraction:
        """How often the interval may miss."""
        return self._asked.miss(self._groups)

    def _coverage(self) -> dict[str, str]:
        """How sure the interval is, and of what."""
        return self._asked.coverage(self._groups)

    def _with_ends(self, answer: Answer, ends: Ends) -> Answer:
        return replace(answer, interval=ends, coverage=self._coverage())


class NoiseInterval(Interval):
    """The size of the noise is public, so the interval costs nothing."""

    __slots__ = ()

    @staticmethod
    def _whole(inner: Mechanism) -> Mechanism:
        return inner

    def _rehearse(self) -> tuple[Guarantee, ...]:
        _check_one_number(self._value)
        return Numbers(self._value, self.mechanism, self.epsilon).promised

    def answer(self, table: Table) -> Answer:
        """Value and interval."""
        plan, numbers = self._value, Numbers(self._value, self.mechanism, self.epsilon)
        (profile,) = profiles = plan.profiles(table.summarise(plan.request, 0))
        answer = numbers.drawn(profiles)
        step = grid_step(profile)
        scale = self.mechanism.noise_scale(profile, numbers.share) / step
        half = noise_reach(self._miss, scale) * step
        middle = round(Fraction(answer.value) / step) * step
        low, high = outward(middle - half, middle + half, profile)
        return self._with_ends(
            replace(answer, value=max(low, min(high, answer.value))), (low, high)
        )


class RatioInterval(Interval):
    """A noisy sum over a noisy count: both are released, and how far their noise reaches is known.

    Each misses half as often as the interval may.
    """

    __slots__ = ()

    @staticmethod
    def _whole(inner: Mechanism) -> Mechanism:
        return inner

    def _rehearse(self) -> tuple[Guarantee, ...]:
        return Numbers(self._value, self.mechanism, self.epsilon).promised

    def answer(self, table: Table) -> Answer:
        """Value and interval."""
        plan = self._value
        (profile,) = profiles = plan.profiles(table.summarise(plan.request, 0))
        law = self.mechanism.law(profile, self.epsilon)
        if not isinstance(law, RatioLaw):  # one lattice point
            answer = Numbers(plan, self.mechanism, self.epsilon).drawn(profiles)
            return self._with_ends(answer, (answer.value, answer.value))
        parts = law.parts
        miss = self._miss / 2
        sums = with_noise(parts.total, parts.rate_total, miss)
        counts = with_noise(parts.count, parts.rate_count, miss)
        answer = Answer(
            value=plan.statistic.combine([law.value_of(law.combine(sums[0], counts[0]))]),
            step=str(law.step),
            sensitivity="instance",
            bounds=plan.bounds,
            parts={name: str(part) for name, part in self.mechanism.parts(self.epsilon).items()},
            notes=plan.statistic.notes,
        )
        return self._with_ends(answer, quotient_ends(law, sums, counts, profile))


def with_noise(exactly: int, rate: Fraction, miss: Fraction) -> tuple[int, int]:
    """A noisy number, and how far its noise reaches, except with probability ``miss``."""
    noise = discrete_laplace(rate.numerator, rate.denominator, randomness.active())
    return exactly + noise, noise_reach(miss, 1 / rate)


def quotient_ends(
    law: RatioLaw, sums: tuple[int, int], counts: tuple[int, int], profile: Profile
) -> Ends:
    """The least and the greatest mean of sums and counts so near; all where there may be no row."""
    (total, above), (count, more) = sums, counts
    low, high = (Fraction(end) * law.step for end in (law.parts.low, law.parts.high))
    if count > more:
        rows = count - more, count + more
        least = min(Fraction(total - above, n) for n in rows)
        most = max(Fraction(total + above, n) for n in rows)
        scale, middle = law.parts.scale * law.step, law.parts.middle
        low, high = max(low, scale * (middle + least)), min(high, scale * (middle + most))
    return outward(min(low, high), max(low, high), profile)


class RankInterval(Interval):
    """Two searches among ranks, which together cost what one of them costs."""

    __slots__ = ("_ends", "_ranks")

    def __init__(
        self,
        plan: StatisticPlan,
        value: StatisticPlan,
        asked: WithInterval,
        inner: Mechanism,
        epsilon: Fraction,
        ranks: RankRequest,
    ) -> None:
        self._ranks = ranks
        super().__init__(plan, value, asked, inner, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        """The laws of an empty table."""
        _check_one_number(self._value)
        ranks, plan, asked = self._ranks, self._value, self._asked
        check_sample(plan, asked)
        self._ends = RankEnds(
            ranks.at[0], ranks.lattice, plan.profile_relation, self._miss, asked.of, asked.favours
        )
        nothing = Listed(())
        split = self._ends.split(self.share)
        self._place(nothing, split.first)
        self._ends.law(nothing, ranks.lattice.low, split.ends, split.growth)
        return (self.mechanism.guarantee(self.epsilon, plan.scope),)

    @property
    def share(self) -> Fraction:
        """The epsilon of each row of a person."""
        return self.epsilon / self.plan.stride

    def _place(self, records: Records, epsilon: Fraction) -> Law:
        """NOT PRIVATE. The law of a first value."""
        ends = self._ends
        lattice, relation = ends.lattice, ends.relation
        return quantile_law(records, ends.order, lattice, epsilon, relation, self._inner)

    def answer(self, table: Table) -> Answer:
        """Value and interval."""
        source, lattice, ends = randomness.active(), self._ranks.lattice, self._ends
        records = records_of(table.reader().records(self._ranks).runs[0].values)
        first, rest, growth = ends.split(self.share)
        point = self._place(records, first).draw(source)
        drawn = ends.law(records, point, rest, growth).draw(source)
        value, (low, high) = ends.with_value(point, drawn)
        name = "value" if ends.favour == "value" else "place of the search"
        parts = {name: str(first), "both ends": str(rest)}
        answer = Answer(
            value=self._value.statistic.combine([lattice.number(value)]),
            step=str(lattice.step),
            sensitivity="instance",
            bounds=self.plan.bounds,
            parts=parts,
            notes=(
                *self._value.statistic.notes,
                *notes_of_rows(self.plan.stride, self.share, parts=True),
            ),
        )
        return self._with_ends(answer, (lattice.number(low), lattice.number(high)))


class NestedInterval(Interval):
    """A value, and a walk through intervals around it."""

    __slots__ = ()

    def _rehearse(self) -> tuple[Guarantee, ...]:
        """The value and the ends of an empty table."""
        plan, nothing = self._value, self._value.request.empty(REHEARSED)
        if plan.counts_moves:  # its profile is that of one row of a person
            raise ParameterError(f"{plan.statistic.name} takes no interval where unit= is given")
        parts = plan.rehearse(self._inner, nested_split(self.epsilon)[0])
        profile = plan.direct(nothing)
        if not isinstance(profile, Profile):
            raise ParameterError(f"{plan.statistic.name} is not a number: it takes no interval")
        one: object = plan.statistic.combine([float(exact(part.value)) for part in parts])
        if not isinstance(one, (int, float)):
            raise ParameterError(f"{plan.statistic.name} is not one number: it takes no interval")
        self._ends(profile, Fraction(0))
        return (self.mechanism.guarantee(self.epsilon, plan.scope),)

    def _ends(self, profile: Profile, value: Fraction) -> NestedLaw:
        _, walk = nested_split(self.epsilon)
        return nested_law(profile, value, walk, self._miss)

    def _levels(self) -> int:
        """How many changed rows the value and the walk look at."""
        plan, (first, walk) = self._value, nested_split(self.epsilon)
        own = plan.levels(self._inner, Numbers(plan, self._inner, first).share)
        return max(own, (nested_depth(walk, self._miss) + 1) * plan.stride + 8)

    def answer(self, table: Table) -> Answer:
        """Value and interval."""
        plan, (first, walk) = self._value, nested_split(self.epsilon)
        summary = table.summarise(plan.request, self._levels())
        answer = Numbers(plan, self._inner, first).drawn(plan.profiles(summary))
        profile = plan.direct(summary)
        if not isinstance(profile, Profile):
            raise TypeError("a rehearsed number has a profile")
        law, step = self._ends(profile, Fraction(answer.value)), grid_step(profile)
        low, high = law.draw(randomness.active())
        parts = {"value": str(first), "both ends": str(walk)}
        return self._with_ends(
            replace(answer, parts=parts), outward(low * step, high * step, profile)
        )


def check_sample(plan: StatisticPlan, asked: WithInterval) -> None:
    """Refuse an interval for a population whose records are not sampled one by one."""
    if asked.of == "population" and plan.stride > 1:
        raise ParameterError(
            'of="population" needs records that are drawn one by one, and the rows of one person '
            'are not: take max_rows=1, or of="data"'
        )


def _check_one_number(plan: StatisticPlan) -> None:
    if not _is_one_number(plan.profiles(plan.request.empty(REHEARSED))):
        raise ParameterError(
            f"{plan.statistic.name} is not one number: it takes no interval. Cells have one each "
            "as groups: group_by(...) and WithInterval(Count(), simultaneous=True)"
        )


def _is_one_number(profiles: Sequence[object]) -> bool:
    return len(profiles) == 1 and isinstance(profiles[0], Profile)


def outward(low: Fraction, high: Fraction, profile: Profile) -> Ends:
    """The ends, widened to cover everything that rounds to a lattice point between them."""
    step = grid_step(profile)
    if not profile.integral:
        low, high = low - step, high + step
    low, high = _cut(low, high, profile)
    if step.denominator == 1 and profile.integral:
        return int(low), int(high)
    return _rounded(low, -inf), _rounded(high, inf)


def around(value: float, ends: Ends) -> Ends:
    """The ends, moved outwards to include the value."""
    return min(ends[0], value), max(ends[1], value)


def off_lattice(low: Fraction, high: Fraction, profile: Profile) -> Ends:
    """The ends as numbers of a record, covering all between them that is in the range."""
    low, high = _cut(low, high, profile)
    return _rounded(low, -inf), _rounded(high, inf)


def _cut(low: Fraction, high: Fraction, profile: Profile) -> tuple[Fraction, Fraction]:
    """The ends, moved into the range that noise may have carried them out of."""
    unit = Fraction(1) if profile.unit is None else profile.unit
    least, most = profile.support
    if least is not None:
        low, high = (max(end, exact(least) * unit) for end in (low, high))
    if most is not None:
        low, high = (min(end, exact(most) * unit) for end in (low, high))
    return low, high


def _rounded(end: Fraction, away: float) -> float:
    """The nearest double that is not inside the interval; a whole number beyond all doubles."""
    if abs(end) > MAX:
        return floor(end) if away < 0 else ceil(end)
    near = float(end)
    inside = Fraction(near) > end if away < 0 else Fraction(near) < end
    return nextafter(near, away) if inside else near
