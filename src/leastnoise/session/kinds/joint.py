"""Several numbers of one column that are drawn together, from one joint law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import fmean

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms import Mechanism
from leastnoise.profiles import Profile, exact
from leastnoise.randomness import HashedBits
from leastnoise.session.kinds.kind import Answer, Answering, Errors, Published, notes_of_rows
from leastnoise.session.prepare import StatisticPlan
from leastnoise.statistics.statistic import JointLaw, JointStatistic
from leastnoise.summaries.ranks import RankRequest, RankSummary


class Joint(Answering):
    """One draw for all answers; each row of a person gets an even share of epsilon."""

    __slots__ = ("_all", "_ranks", "_statistic")

    def __init__(
        self,
        plan: StatisticPlan,
        statistic: JointStatistic,
        ranks: RankRequest,
        mechanism: Mechanism,
        epsilon: Fraction,
    ) -> None:
        self._statistic = statistic
        # one sorted array serves every order
        self._all, self._ranks = ranks, replace(ranks, at=ranks.at[:1])
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        self._law(self._ranks.empty(None))
        return (self.mechanism.guarantee(self.epsilon, self.plan.scope),)

    @property
    def share(self) -> Fraction:
        """What each row of a person gets of epsilon."""
        return self.epsilon / self.plan.stride

    def _law(self, summary: object) -> JointLaw:
        return self._statistic.joint_law(summary, self.plan.profile_relation, self.share)

    def _summary(self, table: Table) -> RankSummary:
        cuts = self._statistic.candidates(self._ranks.lattice)
        if cuts is None:
            return table.reader().records(self._all)
        return table.reader().between(self._all, cuts)  # answers come from public candidates

    def answer(self, table: Table) -> Answer:
        """Draw all numbers of a table."""
        plan, lattice, law = self.plan, self._ranks.lattice, self._law(self._summary(table))
        points = law.draw(randomness.active())
        parts = self._statistic.parts(plan.profile_relation, self.share)
        notes = notes_of_rows(plan.stride, self.share, parts=bool(parts))
        return Answer(
            value=self._statistic.combine([lattice.number(point) for point in points]),
            step=str(lattice.step),
            sensitivity="instance",
            bounds=(lattice.number(lattice.low), lattice.number(lattice.high)),
            parts=parts,
            notes=notes,
        )

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. The joint law of each table."""
        return [Published(self._law(table.summarise(self._ranks, None))) for table in tables]

    def errors(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. The mean over some draws, from a fixed simulation stream."""
        try:
            self._exact(self.plan.request.empty(None))
        except ParameterError:  # such as the ends of an interval
            return None
        values = [self._exact(table.summarise(self.plan.request, None)) for table in tables]
        ordered = [table.summarise(self._ranks, None) for table in tables]

        def simulated(epsilon: Fraction, draws: int) -> list[float]:
            each = max(2, draws // max(1, len(ordered)))
            return [
                self._simulated(*pair, epsilon, each) for pair in zip(ordered, values, strict=True)
            ]

        return simulated

    def _exact(self, summary: object) -> list[Fraction]:
        """The exact answers."""
        profiles = self._statistic.profiles(summary, self.plan.profile_relation)
        step = self._ranks.lattice.step
        return [exact(p.value) * step for p in profiles if isinstance(p, Profile)]

    def _simulated(
        self, summary: object, values: Sequence[Fraction], epsilon: Fraction, draws: int
    ) -> float:
        share = epsilon / self.plan.stride
        law = self._statistic.joint_law(summary, self.plan.profile_relation, share)
        stream, step = HashedBits(b"forecast"), self._ranks.lattice.step
        return fmean(
            abs(float(point * step - value))
            for _ in range(draws)
            for point, value in zip(law.draw(stream), values, strict=True)
        )
