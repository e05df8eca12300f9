"""The number of different entries of a column, with each person counted for a few of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise import randomness
from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.entries import PersonEntries
from leastnoise.frames.table import split
from leastnoise.guarantees import ApproxDP, PureDP
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.mechanisms.row_limits import COST_RATE, entry_costs, entry_limits, entry_share
from leastnoise.session.kinds.found_rows import FoundKind
from leastnoise.session.kinds.kind import Answer, Errors
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.summaries.distinct import DistinctRequest


class FoundEntries(FoundKind):
    """For how many entries of each table a person is counted, then their noisy number.

    Noise hides that many entries, and not as many as a person has rows.
    """

    __slots__ = ()

    _limited = "entries"
    _taken = (PureDP, ApproxDP)

    @property
    def limits(self) -> tuple[int, ...]:
        """The public candidates for the limit."""
        return entry_limits(self.plan.stride)

    @property
    def _matters(self) -> bool:
        return True

    @property
    def _usual_share(self) -> Fraction:
        return entry_share(self.plan.profile_relation)

    def inner(self, limit: int) -> Numbers:
        """The number of entries for persons of that many, with what the search leaves."""
        nothing = _entries(0)
        request = DistinctRequest(None)
        inner = replace(self.plan, table=nothing, request=request, stride=limit)
        chosen = self.mechanism
        if isinstance(chosen, PrivateLimits):
            chosen = self.plan.statistic.settled_mechanism(self.plan.profile_relation)
        return Numbers(inner, chosen, self.epsilon - self.price)

    def limit_law(self, table: Table) -> PermuteAndFlipLaw:
        """NOT PRIVATE. The law of the position of the limit among all candidates."""
        return self._law(self._held(table))

    def _law(self, held: PersonEntries) -> PermuteAndFlipLaw:
        counted = [held.counted(limit) for limit in self.limits]
        costs = entry_costs(counted, self.limits, self.price, self.plan.profile_relation)
        return PermuteAndFlipLaw(costs, COST_RATE)

    def _held(self, table: Table) -> PersonEntries:
        unit = self.plan.subset.unit
        if unit is None:
            raise TypeError("entries are counted of persons")
        return table.person_entries(self.plan.request.column, unit.column)

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Of each table find a limit, then count within it."""
        subset = self.plan.subset
        if subset.searches:
            tables = split(tables[0], subset.limited(), randomness.active())
        return [self._answer(self._held(table)) for table in tables]

    def _answer(self, held: PersonEntries) -> Answer:
        limit = self.limits[self._law(held).draw(randomness.active())]
        kind = self.inner(limit)
        answer = kind.answer(_entries(held.counted(limit)))
        if self.plan.subset.searches:
            answer = replace(answer, max_rows=self._largest)
        return self._with_limit(replace(answer, mechanism=kind.mechanism.name), limit, kind)

    def _note(self, limit: int) -> str:
        return (
            f"each person is counted for {limit} different entries at most, which was found "
            "privately"
        )

    def errors(self, tables: Sequence[Table]) -> Errors:
        """NOT PRIVATE. The mean over some draws."""
        return self._mean_errors(tables, self._truths(tables))

    def biases(self, tables: Sequence[Table]) -> Errors:
        """NOT PRIVATE. What the limit leaves out, as a mean over some draws."""
        return self._mean_errors(tables, self._truths(tables), lambda error: error)

    def _truths(self, tables: Sequence[Table]) -> list[int]:
        """NOT PRIVATE. The answers without noise."""
        return [self._held(table).counted(self._largest) for table in tables]


def _entries(many: int) -> Table:
    """A table of so many different entries."""
    return open_table(np.arange(many))
