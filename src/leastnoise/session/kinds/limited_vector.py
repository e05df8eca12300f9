"""Vectors of means and moments with noise inside limits that are found privately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames.memory.numbers import RawNumbers, raw_numbers
from leastnoise.mechanisms.private_limits import FEW_VALUES, PrivateLimits
from leastnoise.session.kinds.kind import Answer, Kind
from leastnoise.session.kinds.vector import Vector
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.columns import FoundLimits, SearchedColumn
from leastnoise.session.search.draws import Draws
from leastnoise.session.search.unknown_bounds import imputed_number
from leastnoise.session.search.vectors import VectorSearch

if TYPE_CHECKING:
    from leastnoise.frames import Table
    from leastnoise.guarantees import Guarantee
    from leastnoise.statistics.statistic import VectorStatistic
    from leastnoise.summaries.vectors import VectorRequest

_CLIPPED = "clipped: records outside the released limits count as the limits"


class LimitedVector(Kind):
    """First limits for every column, if there are enough rows; then one draw inside them."""

    __slots__ = ("_declared", "_request", "_search", "_statistic")

    def __init__(
        self,
        plan: StatisticPlan,
        statistic: VectorStatistic,
        request: VectorRequest,
        mechanism: PrivateLimits,
        epsilon: Fraction,
    ) -> None:
        self._statistic, self._request = statistic, request
        super().__init__(plan, mechanism, epsilon)
        self._search = _search(plan, request, mechanism)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        plan = self.plan
        chosen = self._statistic.settled_mechanism(plan.profile_relation)
        if not chosen.for_vectors or self._request.record_map is not None:
            raise ParameterError(
                "PrivateLimits() is for sums, means, variances and moments, not for "
                f"{plan.statistic.name}: omit mechanism="
            )
        self._declared = Vector(plan, self._statistic, chosen, self.epsilon)
        return self._declared.promised

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Limits for all tables together, if they are groups of one; else for each."""
        whole = tables[0].union() if len(tables) > 1 else None
        common = None if whole is None else self._limits(whole)
        return [
            self._answer(table, self._limits(table) if common is None else common)
            for table in tables
        ]

    @property
    def _share(self) -> Fraction:
        """What each row of a person gets of epsilon."""
        return self.epsilon / self.plan.stride

    def _limits(self, table: Table) -> FoundLimits:
        """Limits of the columns of a table, released."""
        imputed = imputed_number(self._request.missing)

        def numbers(name: str) -> RawNumbers:
            return raw_numbers(table, name, None if imputed is None else float(imputed))

        rows = table.row_count() if self.plan.n_public else None
        return self._search.run(numbers, rows, self._share, Draws(randomness.active()))

    def _answer(self, table: Table, limits: FoundLimits) -> Answer:
        """One draw with the epsilon that the limits left."""
        left = self._share - limits.cost
        plan = replace(self.plan, table=table, stride=1)
        declared = [column.held for column in self._search.columns]
        moved = [
            None if new == old else new for new, old in zip(limits.bounds, declared, strict=True)
        ]
        if any(limits.moved):
            kinds = [table.column_type(name) for name in self._request.names]
            step, number = plan.statistic.spec().step, imputed_number(self._request.missing)
            plan = replace(plan, request=self._request.within(moved, kinds, step, number))
        chosen = self._declared.mechanism
        answer = Vector(plan, self._statistic, chosen, left).answer(table)
        if not limits.spent:
            return answer
        parts = limits.parts({f"answer, {answer.mechanism}": left})
        notes = (*answer.notes, *((_CLIPPED,) if any(limits.moved) else ()))
        name = self.mechanism.name
        return replace(answer, found=any(limits.moved), mechanism=name, parts=parts, notes=notes)


def _search(plan: StatisticPlan, request: VectorRequest, mechanism: PrivateLimits) -> VectorSearch:
    """The columns to search, by public facts: no indicators, no columns of few whole numbers."""
    spaced = plan.statistic.spec().step is not None
    columns: list[SearchedColumn] = []
    kept: set[int] = set()
    for j, (name, lattice) in enumerate(zip(request.names, request.lattices, strict=True)):
        known = spaced or plan.table.column_type(name).integer
        ends = lattice.low * lattice.step, lattice.high * lattice.step
        columns.append(SearchedColumn(name, ends, float(lattice.step) if known else 0.0))
        few = known and lattice.width <= FEW_VALUES
        if few or j in request.space.group or ends == (0, 1) or not lattice.width:
            kept.add(j)
    relation, degree = plan.profile_relation, request.space.degree
    return VectorSearch(tuple(columns), frozenset(kept), degree, relation, mechanism)
