"""Vectors: several numbers that get their noise jointly."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise import randomness
from leastnoise.errors import ParameterTypeError
from leastnoise.session.kinds.kind import Answer, Answering

if TYPE_CHECKING:
    from leastnoise.frames import Table
    from leastnoise.guarantees import Guarantee
    from leastnoise.mechanisms import Mechanism
    from leastnoise.profiles.vector import VectorProfile
    from leastnoise.session.prepare import StatisticPlan
    from leastnoise.statistics.statistic import VectorStatistic


class Vector(Answering):
    """One draw for all coordinates."""

    __slots__ = ("_statistic",)

    def __init__(
        self,
        plan: StatisticPlan,
        statistic: VectorStatistic,
        mechanism: Mechanism,
        epsilon: Fraction,
    ) -> None:
        self._statistic = statistic
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        profile = self._vector(self.plan.request.empty(0))
        if not self.mechanism.for_vectors:
            raise ParameterTypeError(
                f"{self._statistic.name} is a vector, but {self.mechanism.name} is for a single "
                "number; use KNorm() or Gaussian(delta=)"
            )
        self.mechanism.vector_law(profile, self.epsilon, self.plan.stride)
        return (self.mechanism.vector_strongest(self.epsilon, self.plan.scope),)

    def _vector(self, summary: Any) -> VectorProfile:
        plan = self.plan
        return self._statistic.vector(summary, plan.request, plan.profile_relation)

    def answer(self, table: Table) -> Answer:
        """One draw."""
        plan = self.plan
        profile = self._vector(table.summarise(plan.request, 0))
        law = self.mechanism.vector_law(profile, self.epsilon, plan.stride)
        points = law.draw(randomness.active())
        exact = [point * unit for point, unit in zip(points, profile.units, strict=True)]
        # under replace-one the number of rows is public, so it is not a coordinate
        rows = table.row_count() if plan.n_public else None
        return Answer(
            value=self._statistic.answer(exact, rows, plan.request),
            bounds=self._statistic.ends(plan.request),
            step=", ".join(sorted({str(unit) for unit in profile.units})),
            sensitivity="global" if profile.radius is None else "instance",
            mechanism=self.mechanism.named(profile),
        )
