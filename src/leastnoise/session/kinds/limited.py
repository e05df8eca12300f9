"""Sums, means and variances with noise inside limits that are found privately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean
from typing import Self

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.frames.memory.numbers import RawNumbers, raw_numbers
from leastnoise.frames.memory.summarise import summaries
from leastnoise.guarantees import Guarantee
from leastnoise.laws import RatioLaw
from leastnoise.laws.ratio import pairs_of_noise
from leastnoise.mechanisms import (
    LaplaceRatio,
    Mechanism,
    far_limits,
    near_limits,
)
from leastnoise.mechanisms.private_limits import COUNT_SHARE, FEW_VALUES, PrivateLimits, slack
from leastnoise.profiles import exact
from leastnoise.sampling import discrete_laplace
from leastnoise.session.kinds.kind import (
    AlikeAnswers,
    Answer,
    Answering,
    Errors,
    Published,
    each,
    notes_of_rows,
)
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.draws import Draws, Limits
from leastnoise.session.search.far import FarSearch
from leastnoise.session.search.limits import LimitSearch, ranks_around
from leastnoise.session.search.near import NearSearch
from leastnoise.session.search.unknown_bounds import imputed_number, with_bounds
from leastnoise.statistics import Sum
from leastnoise.summaries.spec import MomentRequest, SpreadRequest

# Up to so many groups are searched one by one, if rows times epsilon are at least _LARGE for each;
# more or smaller groups share limits.
_GROUPS, _LARGE = 20, 4000
# So many times as many rows are few where limits are counted from 0.
_TIMES = 4
_ONE = Fraction(1)
_CLIPPED = "clipped: records outside the released limits count as the limits"


@dataclass(frozen=True, slots=True)
class Common:
    """Limits of all groups, None where the declared bounds are kept, and what a count cost.

    ``own``: whether each group is searched by itself.
    """

    limits: Limits | None
    spent: Mapping[str, Fraction]
    own: bool


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of rows, public or released, what it falls short of at most, and what it cost."""

    rows: int
    least: int
    spent: Mapping[str, Fraction]


class Limited(Answering):
    """Few rows get noise for the declared bounds; many are searched for limits first."""

    __slots__ = ("_asked", "_declared", "_request", "_spaced")

    def __init__(
        self,
        plan: StatisticPlan,
        request: MomentRequest | SpreadRequest,
        mechanism: PrivateLimits,
        epsilon: Fraction,
    ) -> None:
        self._request, self._asked = request, mechanism
        self._spaced = is_spaced(plan, request)
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        plan = self.plan
        if plan.statistic.limited_mechanism(plan.profile_relation, _ONE, _ONE) is None:
            raise ParameterError(
                "PrivateLimits() is for sums, means, variances and moments, not for "
                f"{plan.statistic.name}: omit mechanism=, or take Laplace()"
            )
        chosen = plan.statistic.settled_mechanism(plan.profile_relation)
        self._declared = self._kept(chosen, self.epsilon)
        return self._declared.promised

    def _kept(self, chosen: Mechanism, epsilon: Fraction) -> Answering:
        """The kind of the answer where the declared bounds are kept."""
        return Numbers(self.plan, chosen, epsilon)

    @property
    def share(self) -> Fraction:
        """What each row of a person gets of epsilon."""
        return self.epsilon / self.plan.stride

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Draw from each table, with what was spent on it."""
        declared = self._whole_bounds(tables)
        name = declared.mechanism.name
        if self._plain(tables):
            return each(declared.draw(tables), lambda answer: replace(answer, mechanism=name))
        common = None if len(tables) == 1 else self._common(tables)
        if common is not None and not common.own and not self.plan.n_public:
            if not self._is_ratio:
                return self._noisy(tables, common.limits, common.spent)
            if self._request.lattice.width:
                return self._divided(tables, None, common.limits, common.spent)
        return [
            replace(declared.answer(table), mechanism=name)
            if self._keeps(table, self.share)
            else self._answer(table, common)
            for table in tables
        ]

    def _common(self, tables: Sequence[Table]) -> Common | None:
        """Limits for all groups, searched among all of their rows at once.

        Every row is in one group, so a search over all costs no more than one of its group. A few
        large groups are better searched one by one, because they may differ.
        """
        whole = tables[0].union()
        if whole is None:
            return None
        budget = self.share / 2 if self._is_ratio else self.share
        numbers = self._numbers(whole)
        counted = self._counted(numbers, budget, "rows of all groups")
        rows, spent = counted.rows, counted.spent
        if len(tables) <= _GROUPS and rows * self.share >= _LARGE * len(tables):
            return Common(None, spent, own=True)
        left = budget - sum(spent.values(), Fraction(0))
        limits = self._search(numbers, counted, left)
        if limits is not None:  # of each group, on average
            limits = replace(limits, records=limits.records / len(tables))
        return Common(limits, spent, own=False)

    def answer(self, table: Table) -> Answer:
        """The same, for a single table."""
        return self.draw([table])[0]

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. The laws of noise for the declared bounds, where nothing is searched."""
        if self._plain(tables) or all(self._keeps(table, self.share) for table in tables):
            return self._whole_bounds(tables).laws(tables)
        raise ParameterError(
            "PrivateLimits() releases limits before the answer, so there is no law of the answer: "
            f"use mechanism={self._declared.mechanism.name}"
        )

    def errors(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. Exact where the declared bounds are kept, else the mean over some draws."""
        known = self._whole_bounds(tables).errors(tables)
        if known is None or self._plain(tables):
            return known
        values = [exact_value(self.plan, table) for table in tables]

        def expected(epsilon: Fraction, draws: int) -> list[float]:
            share, found = epsilon / self.plan.stride, known(epsilon, draws)
            searched = [i for i, table in enumerate(tables) if not self._keeps(table, share)]
            drawn = self._drawn(tables, epsilon, draws) if searched else []
            for i in searched:
                found[i] = fmean(abs(float(Fraction(one[i].value) - values[i])) for one in drawn)
            return found

        return expected

    def biases(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. What clipping adds to the answers, as a mean over some draws."""
        if self._plain(tables):
            return None
        values = [exact_value(self.plan, table) for table in tables]

        def expected(epsilon: Fraction, draws: int) -> list[float]:
            drawn = self._drawn(tables, epsilon, draws)
            return [
                fmean(float(self._clipped(table, one[i]) - values[i]) for one in drawn)
                for i, table in enumerate(tables)
            ]

        return expected

    def _clipped(self, table: Table, answer: Answer) -> Fraction:
        """The exact statistic of the records, clipped to the limits of an answer."""
        if answer.bounds is None or answer.bounds == self.plan.bounds:
            return exact_value(self.plan, table)
        low, high = map(Fraction, answer.bounds)
        plan, _ = with_bounds(replace(self.plan, table=table), None, (low, high))
        return exact_value(plan, table)

    def _at(self, epsilon: Fraction) -> Self:
        """The same at another epsilon."""
        other = super()._at(epsilon)
        other._declared = self._kept(self._declared.mechanism, epsilon)
        return other

    def _plain(self, tables: Sequence[Table]) -> bool:
        """Whether no limits are ever searched for."""
        return (
            self._narrow
            or not self._request.lattice.width
            or (len(tables) > _GROUPS and tables[0].union() is None)
        )

    @property
    def _narrow(self) -> bool:
        """Whether the bounds hold so few points, by their public spacing, that they fit."""
        if self._forgives:
            return self._spaced and self._request.lattice.width == 1
        return is_narrow(self.plan, self._request)

    def _whole_bounds(self, tables: Sequence[Table]) -> Answering:
        """The kind of the answer in declared bounds, by the public number of rows of a table."""
        if not (self._narrow and self._forgives):
            return self._declared.on(self.plan)
        rows = sum(table.row_count() for table in tables) if self.plan.n_public else 0
        records = rows * self.share / max(1, len(tables))
        lattice = self._request.lattice
        return self._kept(self._fitting(records, lattice.width * lattice.step), self.epsilon)

    def _fitting(self, records: Fraction, width: Fraction) -> Mechanism:
        """The mechanism in bounds of a width that are known to fit."""
        plan = self.plan
        inner = plan.statistic.limited_mechanism(plan.profile_relation, records, width)
        return inner or self._declared.mechanism

    @property
    def _is_ratio(self) -> bool:
        """Whether the answer is a noisy sum over a noisy count."""
        return isinstance(self._declared.mechanism, LaplaceRatio)

    def _keeps(self, table: Table, epsilon: Fraction) -> bool:
        """Whether it is public that the declared bounds are kept, at no cost."""
        rows = table.row_count()
        few = self._asked.few(rows, epsilon)
        return self.plan.n_public and few and not self._shortly(rows, epsilon)

    def _few(self, rows: int) -> bool:
        """Whether this many rows, public or released, are few for a search of both sides.

        About 0, where no centre is found, the short search is the better for longer. The search of
        a mean with a private number of rows has half of epsilon.
        """
        less = _TIMES if self._centred else 2 if self._is_ratio else 1
        return self._asked.few(rows, self.share / less)

    def _shortly(self, rows: int, epsilon: Fraction) -> bool:
        """Whether a short search is made for this many of few rows, public or released."""
        if self._forgives:
            return far_limits.searched(rows, epsilon)
        return near_limits.searched(rows, epsilon)

    @property
    def _indicator(self) -> bool:
        """Whether the bounds are those of zeros and ones, and shares, which fit."""
        return is_indicator(self._request)

    @property
    def _forgives(self) -> bool:
        """Whether the answer of few rows may be drawn inside limits that are far too wide."""
        return self.plan.statistic.far_mechanism(Fraction(1), Fraction(1)) is not None

    def _answer(self, table: Table, common: Common | None) -> Answer:
        """The limits, then the answer, each from its part of epsilon."""
        if self._is_ratio:
            return self._ratio(table, common)
        if common is not None and not common.own:
            return self._noisy([table], common.limits, common.spent)[0]
        numbers = self._numbers(table)
        spent = dict[str, Fraction]() if common is None else dict(common.spent)
        if self.plan.n_public:
            counted = Counted(table.row_count(), table.row_count(), {})
        else:
            counted = self._counted(numbers, self.share, "row count")
        spent.update(counted.spent)
        budget = self.share - sum(spent.values(), Fraction(0))
        return self._noisy([table], self._search(numbers, counted, budget), spent)[0]

    def _counted(self, numbers: RawNumbers, budget: Fraction, name: str) -> Counted:
        """A noisy number of rows; a better one where few rows are searched for far limits."""
        price = COUNT_SHARE * budget
        rows = len(numbers) + _noise(price)
        counted = Counted(rows, rows + slack(price), {name: price})
        least = far_limits.least_rows(self.share) if self._forgives else 0
        few = self._few(counted.least)
        short = self._shortly(max(least, counted.least), self.share)
        if not few or not short or rows * self.share >= far_limits.COUNTED:
            return counted
        again = far_limits.COUNT_SHARE * budget
        # a number too small by chance must not keep bounds that are far too wide
        rows = max(len(numbers) + _noise(again), least)
        return Counted(rows, rows, {**counted.spent, f"{name}, again": again})

    def _noisy(
        self, tables: Sequence[Table], limits: Limits | None, spent: Mapping[str, Fraction]
    ) -> Sequence[Answer]:
        """Answers with the rest of epsilon, inside the limits or the declared bounds."""
        spent = {**spent, **({} if limits is None else limits.spent)}
        left = self.share - sum(spent.values(), Fraction(0))
        inner = self._within(limits, shared=len(tables) > 1)
        plan = self._inside(tables[0], inner, limits)
        answers = Numbers(plan, inner, left).draw(tables)
        parts = {**spent, f"answer, {inner.name}": left}
        return each(answers, lambda answer: self._with_limits(answer, parts, limits))

    def _within(self, limits: Limits | None, *, shared: bool) -> Mechanism:
        """The mechanism of an answer inside limits that were found, or the declared bounds.

        Any of the groups that share limits may be small.
        """
        if limits is None:
            return self._declared.mechanism
        records, width = limits.records, limits.high - limits.low
        if limits.fits:
            return self._fitting(_ONE if shared else records, width)
        far = None if limits.tight else self.plan.statistic.far_mechanism(records, width)
        return far or self._declared.mechanism

    def _inside(self, table: Table, chosen: Mechanism, limits: Limits | None) -> StatisticPlan:
        """The plan for single rows, inside the limits that were found."""
        plan = replace(self.plan, table=table, stride=1)
        if limits is None or chosen is self._declared.mechanism:
            return plan
        return with_bounds(plan, chosen, (limits.low, limits.high))[0]

    def _ratio(self, table: Table, common: Common | None) -> Answer:
        """First a noisy count, which every row pays for; then limits and a noisy sum.

        A changed row moves the sum by twice what an added one does and the count not at all, so
        with half of epsilon for the count, search and sum share the other half.
        """
        half = self.share / 2
        if not self._request.lattice.width:  # one lattice point
            return self._declared.on(self.plan).answer(table)
        noise = _noise(half)
        counted = dict[str, Fraction]() if common is None else dict(common.spent)
        limits = None if common is None else common.limits
        if common is None or common.own:
            numbers = self._numbers(table)
            rows = len(numbers) + noise
            left = half - sum(counted.values(), Fraction(0))
            limits = self._search(numbers, Counted(rows, rows + slack(half), {}), left)
        return self._divided([table], noise, limits, counted)[0]

    def _divided(
        self,
        tables: Sequence[Table],
        noise: int | None,
        limits: Limits | None,
        counted: Mapping[str, Fraction],
    ) -> Sequence[Answer]:
        """Noisy sums over noisy counts; ``noise`` is that of a single count drawn before."""
        half, plan = self.share / 2, self._inside(tables[0], LaplaceRatio(), limits)
        law = self._ratio_law(plan)
        spent = {"noisy count": half, **counted, **({} if limits is None else limits.spent)}
        left = self.share - sum(spent.values(), Fraction(0))
        rate = law.parts.rate_total * left / half
        sums = plan.statistic.ratios(summaries(tables, plan.request, 0))
        if noise is None:
            noises = pairs_of_noise(half, rate, len(tables), randomness.active())
        else:
            noises = [(noise, _noise(rate))]
        points = law.combined(
            (total + b, rows + a) for (total, rows), (a, b) in zip(sums or (), noises, strict=True)
        )
        values = [*map(plan.statistic.combine, zip(law.values_of(points), strict=True))]
        answer = Answer(
            value=values[0],
            step=str(law.step),
            sensitivity="instance",
            bounds=plan.bounds,
            notes=plan.statistic.notes,
        )
        return AlikeAnswers(self._with_limits(answer, {**spent, "noisy sum": left}, limits), values)

    def _ratio_law(self, plan: StatisticPlan) -> RatioLaw:
        """The law of a noisy sum over a noisy count for no rows, each with half of epsilon."""
        (empty,) = plan.profiles(plan.request.empty(0))
        law = LaplaceRatio().law(empty, self.share)
        if not isinstance(law, RatioLaw):
            raise TypeError("limits hold two lattice points")
        return law

    def _with_limits(
        self, answer: Answer, spent: dict[str, Fraction], limits: Limits | None
    ) -> Answer:
        clipped = limits is not None and not limits.tight
        notes = (*answer.notes, *((_CLIPPED,) if clipped else ()))
        notes += notes_of_rows(self.plan.stride, self.share, parts=True)
        parts = {name: str(part) for name, part in spent.items()}
        name = self.mechanism.name
        if limits is None and set(spent) == set(self._declared.mechanism.parts(self.share)):
            name = self._declared.mechanism.name  # nothing else was drawn
        return replace(answer, found=clipped, parts=parts, notes=notes, mechanism=name)

    def _numbers(self, table: Table) -> RawNumbers:
        policy = self._request.missing
        imputed = None if policy.impute is None else float(imputed_number(policy) or 0)
        budget = self.share / 2 if self._is_ratio else (1 - COUNT_SHARE) * self.share
        around = None if self._centred else ranks_around(budget)
        return raw_numbers(table, self._request.column, imputed, around=around)

    @property
    def _centred(self) -> bool:
        """Whether limits are counted from 0, which is then no part of the data."""
        return isinstance(self.plan.statistic, Sum) and not self.plan.n_public

    def _search(self, numbers: RawNumbers, rows: Counted, budget: Fraction) -> Limits | None:
        """Limits for a part of the budget, the answer gets the rest; None: the bounds are kept."""
        limits = self._unsized(numbers, rows, budget)
        records = max(_ONE, rows.rows * budget)
        return None if limits is None else replace(limits, records=records)

    def _unsized(self, numbers: RawNumbers, rows: Counted, budget: Fraction) -> Limits | None:
        """The same, without how many rows they are of."""
        few = self._few(rows.least)
        if few and not (
            self._shortly(rows.least, self.share)
            if self._forgives
            else self._shortly(rows.rows, budget)
        ):
            return None
        plan, lattice, draws = self.plan, self._request.lattice, Draws(randomness.active())
        declared = lattice.low * lattice.step, lattice.high * lattice.step
        finest = float(lattice.step) if self._spaced else 0.0
        if few and self._forgives and self._indicator:
            return Limits(*declared, True, {})
        if few:
            search = FarSearch if self._forgives else NearSearch
            return search(numbers, declared, budget, rows.rows, draws, finest).run()
        return LimitSearch(
            numbers,
            declared,
            plan.profile_relation,
            budget,
            rows.rows,
            draws,
            finest=finest,
            centred=self._centred,
        ).run()


def is_spaced(plan: StatisticPlan, request: MomentRequest | SpreadRequest) -> bool:
    """Whether the spacing of the lattice is that of the records, by public facts."""
    whole = plan.table.column_type(request.column).integer
    return whole or plan.statistic.spec().step is not None


def is_narrow(plan: StatisticPlan, request: MomentRequest | SpreadRequest) -> bool:
    """Whether bounds fit a mean or sum by public facts.

    They do if they hold few points, by a public spacing, or are those of zeros and ones: a search
    for limits would now and then take the few ones of a column for none.
    """
    lattice = request.lattice
    few = is_spaced(plan, request) and 0 < lattice.width <= FEW_VALUES
    return few or is_indicator(request)


def is_indicator(request: MomentRequest | SpreadRequest) -> bool:
    """Whether the bounds are those of zeros and ones, and shares."""
    lattice = request.lattice
    return lattice.low == 0 and lattice.width * lattice.step == 1


def exact_value(plan: StatisticPlan, table: Table) -> Fraction:
    """NOT PRIVATE. The answer without noise, in the user's units."""
    (profile,) = plan.profiles(table.summarise(plan.request, 0))
    return Fraction(exact(profile.value) * (profile.unit or 1))


def _noise(rate: Fraction) -> int:
    return discrete_laplace(rate.numerator, rate.denominator, randomness.active())
