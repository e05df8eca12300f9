"""Answers with a private limit on the rows or groups of a person."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.frames.table import split
from leastnoise.guarantees import ApproxDP, Guarantee, PureDP
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.row_limits import (
    COST_RATE,
    LIMITS,
    QUANTILE_SHARE,
    TOTAL_SHARE,
    group_limits,
    groups_share,
    limit_costs,
    quantile_costs,
)
from leastnoise.params import PrivateLimit
from leastnoise.session.kinds.kind import Answer, Kind, each
from leastnoise.session.prepare import StatisticPlan
from leastnoise.statistics import Mean
from leastnoise.summaries.pairs import LossRequest
from leastnoise.summaries.ranks import RankRequest
from leastnoise.summaries.spec import SpreadRequest

KindOf = Callable[["StatisticPlan", "Mechanism", Fraction], Kind]


class FoundKind(Kind):
    """First a limit on persons, for all groups together; then the answer inside it.

    ``draw`` takes the whole table, which is divided once every limit is known.
    """

    __slots__ = ("_asked", "_kind_of")

    _limited: ClassVar[str]
    _taken: ClassVar[tuple[type[Guarantee], ...]]

    def __init__(
        self,
        plan: StatisticPlan,
        asked: PrivateLimit,
        mechanism: Mechanism,
        epsilon: Fraction,
        kind_of: KindOf,
    ) -> None:
        self._asked, self._kind_of = asked, kind_of
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        promised = self.mechanism.guarantee(self.epsilon, self.plan.scope)
        if not isinstance(promised, self._taken):
            raise ParameterError(
                f"{self.mechanism.name} has no epsilon that the search could share: declare "
                f"max_{self._limited}=, or omit mechanism="
            )
        for limit in self.limits if self._matters else (self._largest,):
            self.inner(limit)  # so that nothing is refused later, whichever limit is found
        return (promised,)

    @property
    @abstractmethod
    def limits(self) -> tuple[int, ...]:
        """The public candidates for the limit."""

    @property
    @abstractmethod
    def _matters(self) -> bool:
        """Whether noise grows with the limit, by public facts; if not, nothing is searched."""

    @property
    def _largest(self) -> int:
        return self.limits[-1]

    @property
    @abstractmethod
    def _usual_share(self) -> Fraction:
        """The search's share of epsilon by default."""

    @property
    def price(self) -> Fraction:
        """The search's share of epsilon."""
        return self._asked.part(self._usual_share) * self.epsilon if self._matters else Fraction(0)

    @abstractmethod
    def inner(self, limit: int) -> Kind:
        """The answer inside a limit, with what the search leaves of epsilon."""

    @abstractmethod
    def limit_law(self, table: Table) -> PermuteAndFlipLaw:
        """NOT PRIVATE. The law of the position of the limit among all candidates."""

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Find a limit, use that much of each person, then draw."""
        (whole,), limit = tables, self._largest
        if self._matters:
            limit = self.limits[self.limit_law(whole).draw(randomness.active())]
        kind = self.inner(limit)
        divided = kind.plan.subset
        parts = [whole] if divided.searches else split(whole, divided, randomness.active())
        return each(kind.draw(parts), lambda answer: self._with_limit(answer, limit, kind))

    def _with_limit(self, answer: Answer, limit: int, kind: Kind) -> Answer:
        if not self._matters:
            return answer
        rest = answer.parts or {
            f"answer, {answer.mechanism or kind.mechanism.name}": str(kind.epsilon)
        }
        parts = {f"limit of {self._limited}": str(self.price), **rest}
        return replace(answer, parts=parts, notes=(*answer.notes, self._note(limit)))

    @abstractmethod
    def _note(self, limit: int) -> str:
        """The note of a record about the limit that was found."""


class FoundRows(FoundKind):
    """How many rows of a person are used."""

    __slots__ = ()

    _limited = "rows"
    _taken = (PureDP, ApproxDP)

    @property
    def limits(self) -> tuple[int, ...]:
        """The public candidates for the limit."""
        return LIMITS

    @property
    def _matters(self) -> bool:
        """Whether a person may have several rows; a number of persons has the same noise anyway."""
        return self.plan.stride > 1

    @property
    def _usual_share(self) -> Fraction:
        return TOTAL_SHARE if self._adds_up else QUANTILE_SHARE

    @property
    def _adds_up(self) -> bool:
        """Whether every row that is left out is lost; quantiles and averages are of those used."""
        match self.plan.request:
            case RankRequest() | SpreadRequest() | LossRequest():
                return False
            case _:
                return not isinstance(self.plan.statistic, Mean)

    def inner(self, limit: int) -> Kind:
        """The answer for persons with that many rows, with the epsilon that the search leaves."""
        subset = self.plan.subset.limited(limit)
        inner = replace(self.plan, subset=subset, stride=limit if self._matters else 1)
        return self._kind_of(inner, self.mechanism, self.epsilon - self.price)

    def limit_law(self, table: Table) -> PermuteAndFlipLaw:
        """NOT PRIVATE. The law of the position of the limit among all candidates."""
        persons, *beyond = table.persons_beyond(self.plan.subset, (0, *LIMITS))
        if self._adds_up:
            costs = limit_costs(beyond, self.price)
        else:
            costs = quantile_costs(beyond, persons, self.price)
        return PermuteAndFlipLaw(costs, COST_RATE)

    def _with_limit(self, answer: Answer, limit: int, kind: Kind) -> Answer:
        return super()._with_limit(replace(answer, max_rows=limit), limit, kind)

    def _note(self, limit: int) -> str:
        return "max_rows was found privately: rows of a person beyond it are left out"


class FoundGroups(FoundKind):
    """In how many groups the rows of a person are used; epsilon is that of the whole table.

    Deltas add up over as many groups as were found, so only pure epsilons are shared.
    """

    __slots__ = ()

    _limited = "groups"
    _taken = (PureDP,)

    @property
    def limits(self) -> tuple[int, ...]:
        """The public candidates for the limit."""
        return group_limits(self._most)

    @property
    def _most(self) -> int:
        """The most groups in which a person is used."""
        return min(self.plan.subset.groups, self.plan.subset.stride)

    @property
    def _matters(self) -> bool:
        return self._most > 1

    @property
    def _usual_share(self) -> Fraction:
        return groups_share(self.plan.subset.groups)

    def inner(self, limit: int) -> Kind:
        """The answer of each group; the groups that one person can change share what is left."""
        subset = self.plan.subset.within(limit)
        left = (self.epsilon - self.price) / subset.times(self.plan.relation)
        return self._kind_of(replace(self.plan, subset=subset), self.mechanism, left)

    def limit_law(self, table: Table) -> PermuteAndFlipLaw:
        """NOT PRIVATE. The law of the position of the limit among all candidates."""
        beyond = table.persons_beyond(self.plan.subset, self.limits, in_groups=True)
        return PermuteAndFlipLaw(limit_costs(beyond, self.price), COST_RATE)

    def _note(self, limit: int) -> str:
        return f"rows of a person are used in {limit} groups at most, which was found privately"
