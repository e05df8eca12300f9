"""Answers whose limits are found privately first: ``bounds=PrivateBounds()``."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.guarantees import Guarantee, PureDP
from leastnoise.mechanisms.bracket import BoundsSearch
from leastnoise.params import PrivateBounds
from leastnoise.session.kinds.kind import Answer, Answering, notes_of_rows
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.unknown_bounds import draw_unbounded, rehearse_unbounded


class Searched(Answering):
    """Several draws, one after the other, each with its share of epsilon.

    What is drawn later depends on what was released before, so there is no law to enumerate.
    """

    __slots__ = ("_asked", "_inner")

    def __init__(
        self, plan: StatisticPlan, asked: PrivateBounds, mechanism: BoundsSearch, epsilon: Fraction
    ) -> None:
        self._asked, self._inner = asked, mechanism.inner
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        inner, scope = self._inner, self.plan.scope
        # the stages add up, also over the rows of a person: only pure guarantees do
        if inner is not None and not isinstance(inner.guarantee(self.epsilon, scope), PureDP):
            raise ParameterError(
                f"{inner.name} is (epsilon, delta)-DP, but a release with PrivateBounds() is "
                "epsilon-DP: omit mechanism=, use Laplace(), or declare bounds"
            )
        rehearse_unbounded(self.plan.by_rows(), self._inner)
        return (self.mechanism.guarantee(self.epsilon, self.plan.scope),)

    def answer(self, table: Table) -> Answer:
        """All stages for a table; each row of a person gets an even share of epsilon."""
        rows = self.plan.stride
        share = self.epsilon / rows
        plan = replace(self.plan, table=table, stride=1)
        answer = draw_unbounded(plan, self._asked, self._inner, share)
        return replace(answer, notes=answer.notes + notes_of_rows(rows, share, parts=True))
