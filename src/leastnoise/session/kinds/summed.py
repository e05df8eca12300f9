"""Losses, variances and what follows from both, with noise of public size for the ends.

A record can move these by about as much on nearly all data, so a walk outwards has nothing to win:
noisy sums tell the ends with a third of its reach. The value has a mechanism of its own, unless a
private question finds the bounds tight: then the sums are all that is released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.guarantees import Guarantee
from leastnoise.laws.gated import GatedLaw
from leastnoise.mechanisms import CentredLaplace, Mechanism
from leastnoise.mechanisms.with_ends import WithSums, either_end
from leastnoise.profiles import Profile
from leastnoise.profiles.grid import grid_step
from leastnoise.record.difference import CENTRAL_LIMIT
from leastnoise.session.kinds.interval import (
    REHEARSED,
    Ends,
    Interval,
    around,
    check_sample,
    outward,
)
from leastnoise.session.kinds.kind import Answer
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.session.search.ends import nested_split
from leastnoise.session.search.noisy_sums import Of, noisy_answer
from leastnoise.summaries.ranks import RankRequest
from leastnoise.summaries.records import Listed, Records, records_of
from leastnoise.summaries.spec import SpreadRequest

# The value is not the middle of such ends, so distances to it are not squared and added.
_BESIDE = f"{CENTRAL_LIMIT}; ends from sums beside the value"


class SummedInterval(Interval):
    """A value, and noisy sums beside it or in its place."""

    __slots__ = ("_numbers",)

    @staticmethod
    def _whole(inner: Mechanism) -> Mechanism:
        return WithSums.around(inner)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        plan, first = self._value, nested_split(self.epsilon)[0]
        check_sample(plan, self._asked)
        self._numbers = Numbers(plan, self._inner, first)
        self._sums(plan.request.empty(REHEARSED), self.epsilon, Listed(()))
        if self._alone:
            usual = plan.statistic.settled_mechanism(plan.profile_relation)
            if self._inner not in (usual, CentredLaplace()):
                raise ParameterError(
                    'favour="interval" takes the value from noisy sums: omit mechanism='
                )
            self.mechanism = WithSums("noisy sums", self._inner)
        return (self.mechanism.guarantee(self.epsilon, plan.scope),)

    def _coverage(self) -> dict[str, str]:
        found = super()._coverage()
        return found | ({"method": _BESIDE} if self._asked.of == "population" else {})

    @property
    def _alone(self) -> bool:
        """Whether only noisy sums are released."""
        return self._asked.favours == "interval" or isinstance(self._inner, CentredLaplace)

    def _sums(
        self, summary: Any, epsilon: Fraction, records: Records | None, *, beside: bool = False
    ) -> tuple[float, float, float]:
        """The answer from noisy sums, and the least and greatest that they allow.

        ``beside``: ends that are moved out to a value.
        """
        statistic, source = self._value.statistic, randomness.active()
        columns = statistic.sums(summary)
        parts = len(columns)
        public, population = self._value.n_public, self._asked.of == "population"
        halves = beside and public and not population  # either end misses as often as the other
        miss = either_end(self._miss) if halves else self._miss
        of = Of(miss / parts, public, population)
        found = [noisy_answer(one, epsilon / parts, of, source, records) for one in columns]
        corners = product(*((one.low, one.high) for one in found))
        ends = [statistic.of_sums(corner) for corner in corners]
        return statistic.of_sums([one.value for one in found]), min(ends), max(ends)

    def answer(self, table: Table) -> Answer:
        """Value and interval."""
        plan, numbers, (first, rest) = self._value, self._numbers, nested_split(self.epsilon)
        if self._alone:
            summary = table.summarise(plan.request, 0)
            parts = {"sums": self.epsilon}
            return self._of_sums(plan.direct(summary), summary, parts, self._records(table))
        summary = table.summarise(plan.request, plan.levels(self._inner, numbers.share))
        profiles = plan.profiles(summary)
        law = self._gated(profiles)
        if law is None:
            answer = numbers.drawn(profiles)
        else:
            point = law.walked(randomness.active())
            if point is None:
                gate = law.gate.rate
                parts = {"whether bounds are tight": gate, "sums": self.epsilon - gate}
                return self._of_sums(profiles[0], summary, parts, self._records(table))
            value = plan.statistic.combine([law.value_of(point)])
            answer = replace(self._shell(profiles[0]), value=value)
        _, low, high = self._sums(summary, rest, self._records(table), beside=True)
        ends = around(answer.value, self._outward(low, high, plan.direct(summary)))
        parts = {"value": str(first), "both ends": str(rest)}
        return self._with_ends(replace(answer, parts=parts), ends)

    def _gated(self, profiles: Sequence[Any]) -> GatedLaw | None:
        """The law of a value that is drawn only where the bounds are not tight."""
        if len(profiles) > 1:
            return None
        law = self._inner.law(profiles[0], self._numbers.share)
        return law if isinstance(law, GatedLaw) else None

    def _shell(self, profile: Any) -> Answer:
        plan = self._value
        return Answer(
            value=None,
            step=str(grid_step(profile)),
            sensitivity="instance",
            bounds=plan.bounds,
            notes=plan.statistic.notes,
        )

    def _records(self, table: Table) -> Records | None:
        """NOT PRIVATE. The source of fourth powers, for the variance of a population."""
        match self._asked.of, self._value.request:
            case "population", SpreadRequest(column, lattice, missing):
                ranks = RankRequest(column, lattice, missing, (Fraction(1, 2),))
                return records_of(table.reader().records(ranks).runs[0].values)
            case _:
                return None

    def _of_sums(
        self, profile: Any, summary: Any, parts: dict[str, Fraction], records: Records | None
    ) -> Answer:
        """Value and ends with the rest of epsilon."""
        *_, share = parts.values()
        value, low, high = self._sums(summary, share, records)
        ends = self._outward(low, high, profile)
        inside = max(ends[0], min(ends[1], value))
        shown = {name: str(part) for name, part in parts.items()}
        return self._with_ends(replace(self._shell(profile), value=inside, parts=shown), ends)

    @staticmethod
    def _outward(low: float, high: float, profile: Any) -> Ends:
        """The ends, one step further out because the answer is rounded, cut to the range."""
        if not isinstance(profile, Profile):
            raise TypeError("an answer from sums has a profile")
        step = grid_step(profile)
        return outward(Fraction(low) - step, Fraction(high) + step, profile)
