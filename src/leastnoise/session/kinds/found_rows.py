"""Answers for which it is found privately how many rows of a person are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames.table import split
from leastnoise.guarantees import ApproxDP, Guarantee, PureDP
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.mechanisms.row_limits import COST_RATE, LIMITS, limit_costs, quantile_costs
from leastnoise.session.kinds.kind import Kind
from leastnoise.summaries.spec import RankRequest
from leastnoise.summaries.subset import MOST_ROWS

if TYPE_CHECKING:
    from leastnoise.frames import Table
    from leastnoise.mechanisms import Mechanism
    from leastnoise.params import PrivateLimit
    from leastnoise.record import Release
    from leastnoise.session.prepare import Plan

KindOf = Callable[["Plan", "Mechanism", Fraction], Kind]

_FOUND = "max_rows was found privately: rows of a person beyond it are left out"


class FoundRows(Kind):
    """A limit of a person's rows first, for all groups together; then the answer inside it.

    ``draw`` takes the whole table, which it divides once the limit is known.
    """

    __slots__ = ("_asked", "_kind_of")

    def __init__(
        self,
        plan: Plan,
        asked: PrivateLimit,
        mechanism: Mechanism,
        epsilon: Fraction,
        kind_of: KindOf,
    ) -> None:
        self._asked, self._kind_of = asked, kind_of
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        promised = self.mechanism.guarantee(self.epsilon, self.plan.scope)
        if not isinstance(promised, PureDP | ApproxDP):
            raise ParameterError(
                f"{self.mechanism.name} promises no epsilon that a search adds to: declare "
                "max_rows=, or omit mechanism="
            )
        for limit in LIMITS if self._matters else (MOST_ROWS,):
            self.inner(limit)  # whichever is found, nothing is refused then
        return (promised,)

    @property
    def _matters(self) -> bool:
        """Whether noise grows with the rows of a person; how many persons there are does not."""
        return self.plan.stride > 1

    @property
    def price(self) -> Fraction:
        """What the search gets of epsilon."""
        return self._asked.parsed_share * self.epsilon if self._matters else Fraction(0)

    def inner(self, limit: int) -> Kind:
        """The answer for persons of so many rows, with what the search leaves of epsilon."""
        subset = self.plan.subset.limited(limit)
        inner = replace(self.plan, subset=subset, stride=limit if self._matters else 1)
        return self._kind_of(inner, self.mechanism, self.epsilon - self.price)

    def limit_law(self, table: Table) -> PermuteAndFlipLaw:
        """NOT PRIVATE. The law of the place of the limit among all candidates."""
        persons, *beyond = table.persons_beyond(self.plan.subset, (0, *LIMITS))
        match self.plan.request:
            case RankRequest():
                costs = quantile_costs(beyond, persons, self.price)
            case _:
                costs = limit_costs(beyond, self.price)
        return PermuteAndFlipLaw(costs, COST_RATE)

    def draw(self, tables: Sequence[Table]) -> Sequence[Release]:
        """Find a limit, use so many rows of each person, then release."""
        (whole,), limit = tables, MOST_ROWS
        if self._matters:
            limit = LIMITS[self.limit_law(whole).draw(randomness.active())]
        kind = self.inner(limit)
        drawn = kind.draw(split(whole, kind.plan.subset, randomness.active()))
        return [self._told(replace(record, max_rows=limit), kind.epsilon) for record in drawn]

    def _told(self, record: Release, left: Fraction) -> Release:
        if not self._matters:
            return record
        rest = record.parts or {f"answer, {record.mechanism}": str(left)}
        parts = {"limit of rows": str(self.price), **rest}
        return replace(record, parts=parts, notes=(*record.notes, _FOUND))
