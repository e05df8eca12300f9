"""Means of losses below a limit far beyond most of them, which a short private walk finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Mechanism, PiecewiseLaplace, far_limits
from leastnoise.mechanisms.private_limits import COUNT_SHARE, PrivateLimits
from leastnoise.profiles import exact
from leastnoise.session.kinds.kind import Answer, Answering, Errors, Published, notes_of_rows
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.session.search.draws import Draws, Limits
from leastnoise.session.search.far import FarSearch
from leastnoise.summaries.pairs import LossRequest, loss_lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leastnoise.frames import Table
    from leastnoise.frames.memory.losses import Losses
    from leastnoise.guarantees import Guarantee
    from leastnoise.session.prepare import StatisticPlan
    from leastnoise.summaries.losses import Distance

    Counts = NDArray[np.int64]

# A root of fewer losses of zeros and ones, times epsilon, is not walked to: the walk stops at 0.
_FEW = 400
_CLIPPED = "clipped: losses above the released limit count as the limit"


@dataclass(frozen=True, slots=True)
class Distances:
    """NOT PRIVATE. How far predictions are off, by the losses, which are these or their squares.

    Squares of radii are exact, since radii have five binary digits.
    """

    losses: Losses
    squared: bool

    def __len__(self) -> int:
        """How many there are."""
        return len(self.losses)

    def beyond(self, centre: float, keys: Counts) -> tuple[Counts, Counts]:
        """How many are at least so far above 0, the only centre; none is below it."""
        radii = (keys << 48).view(np.float64)
        below, _ = self.losses.counts(radii * radii if self.squared else radii)
        return len(self) - below, np.zeros_like(keys)


class LimitedLosses(Answering):
    """Few rows and bounds that fit keep the declared limit; else losses are cut far out."""

    __slots__ = ("_declared", "_distance", "_request")

    def __init__(
        self,
        plan: StatisticPlan,
        request: LossRequest,
        distance: Distance,
        mechanism: PrivateLimits,
        epsilon: Fraction,
    ) -> None:
        self._request, self._distance = request, distance
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        if self._distance.bounds is None:
            raise ParameterError(
                "PrivateLimits() searches inside declared bounds: give bounds=, or omit mechanism="
            )
        chosen = self.plan.statistic.settled_mechanism(self.plan.profile_relation)
        self._declared = Numbers(self.plan, chosen, self.epsilon)
        return self._declared.promised

    @property
    def share(self) -> Fraction:
        """What each row of a person gets of epsilon."""
        return self.epsilon / self.plan.stride

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Draw from each table, with what was spent on it."""
        return [self.answer(table) for table in tables]

    def answer(self, table: Table) -> Answer:
        """The limit, then the mean of the losses, each from its part of epsilon."""
        if self._keeps(table):
            declared = self._declared.on(self.plan)
            return replace(declared.answer(table), mechanism=declared.mechanism.name)
        distances = Distances(table.reader().all_losses(self._request), self._distance.squared)
        rows, spent = self._rows(table, distances)
        left = self.share - sum(spent.values(), Fraction(0))
        low, high = self._distance.bounds or (Fraction(0), Fraction(0))
        if (low, high) == (0, 1) and rows * self.share < _FEW:
            return self._within(table, Limits(low, high, True, {}), spent, PiecewiseLaplace())
        draws = Draws(randomness.active())
        search = FarSearch(distances, (Fraction(0), high - low), left, rows, draws)
        limits = replace(search.run(), records=search.records)
        return self._within(table, limits, {**spent, **limits.spent}, self._declared.mechanism)

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. The laws in declared bounds, where nothing is searched."""
        if all(map(self._keeps, tables)):
            return self._declared.on(self.plan).laws(tables)
        raise ParameterError(
            "PrivateLimits() releases a limit before the answer, so there is no law of the answer: "
            f"use mechanism={self._declared.mechanism.name}"
        )

    def errors(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. Exact where the declared bounds are kept, else the mean over some draws."""
        if all(map(self._keeps, tables)):
            return self._declared.on(self.plan).errors(tables)
        return self._mean_errors(tables, [*map(self._value, tables)])

    def _keeps(self, table: Table) -> bool:
        """Whether it is public that the declared bounds are kept, at no cost."""
        least = far_limits.least_rows(self.share)
        rows = table.row_count() if self.plan.n_public else least
        return not far_limits.searched(rows, self.share)

    def _rows(self, table: Table, distances: Distances) -> tuple[int, dict[str, Fraction]]:
        """The number of rows, public or released; a better one where it is small."""
        if self.plan.n_public:
            return table.row_count(), {}
        draws, price = Draws(randomness.active()), COUNT_SHARE * self.share
        rows, spent = draws.rows(len(distances), price), {"row count": price}
        if rows * self.share >= far_limits.COUNTED:
            return rows, spent
        spent["row count, again"] = again = far_limits.COUNT_SHARE * self.share
        # a number too small by chance must not keep bounds that are far too wide
        least = far_limits.least_rows(self.share)
        return max(draws.rows(len(distances), again), least), spent

    def _within(
        self, table: Table, limits: Limits, spent: dict[str, Fraction], inner: Mechanism
    ) -> Answer:
        """The mean of the losses below the limit, or in the declared bounds, by what is left."""
        plan = replace(self.plan, table=table, stride=1)
        if not limits.tight:
            power, step = 2 if self._distance.squared else 1, self.plan.statistic.spec().step
            lattice = loss_lattice(max(limits.high**power, step or Fraction(0)), step)
            plan = replace(plan, request=replace(self._request, lattice=lattice))
            far = plan.statistic.far_mechanism(limits.records, limits.high)
            inner = far or inner
        left = self.share - sum(spent.values(), Fraction(0))
        answer = Numbers(plan, inner, left).answer(table)
        parts = {name: str(part) for name, part in spent.items()}
        notes = answer.notes if limits.tight else (*answer.notes, _CLIPPED)
        return replace(
            answer,
            found=not limits.tight,
            parts={**parts, f"answer, {inner.name}": str(left)},
            notes=notes + notes_of_rows(self.plan.stride, self.share, parts=True),
            mechanism=self.mechanism.name,
        )

    def _value(self, table: Table) -> float:
        """NOT PRIVATE. The answer without noise, in the user's units."""
        (profile,) = self.plan.profiles(table.summarise(self.plan.request, 0))
        return float(exact(profile.value) * (profile.unit or 1))
