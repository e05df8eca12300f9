"""The contract of a kind of answer, which everything that uses releases goes through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from statistics import fmean
from typing import Any, Self, overload

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms import Mechanism
from leastnoise.randomness import HashedBits
from leastnoise.record import Release, SimulatedRelease
from leastnoise.record.release import notes_of_epsilon
from leastnoise.session.prepare import StatisticPlan

Errors = Callable[[Fraction, int], list[float]]
"""From an epsilon and a number of draws to the expected error for every table."""


@dataclass(frozen=True, slots=True)
class Published:
    """NOT PRIVATE. One independent draw: its law, and what its record makes public."""

    law: Any
    public: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A value drawn from one table, and what its record says besides."""

    value: Any
    step: str
    sensitivity: str
    bounds: tuple[Any, ...] | None = None
    found: bool = False  # whether the bounds were found privately
    max_rows: int | None = None  # of a person, if found privately
    noise_scale: float | None = None
    noise: str | None = None
    mechanism: str | None = None
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()
    interval: tuple[int | float, int | float] | None = None
    coverage: Mapping[str, str] | None = None


class AlikeAnswers(Sequence[Answer]):
    """Answers that differ only in their values, each made when it is accessed."""

    __slots__ = ("one", "values")

    def __init__(self, one: Answer, values: Sequence[Any]) -> None:
        self.one, self.values = one, values

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> Answer: ...

    @overload
    def __getitem__(self, index: slice) -> AlikeAnswers: ...

    def __getitem__(self, index: int | slice) -> Answer | AlikeAnswers:
        if isinstance(index, slice):
            return AlikeAnswers(self.one, self.values[index])
        return replace(self.one, value=self.values[index])


def each(answers: Sequence[Answer], change: Callable[[Answer], Answer]) -> Sequence[Answer]:
    """The answers with more details, which must not depend on the values."""
    if isinstance(answers, AlikeAnswers):
        return AlikeAnswers(change(answers.one), answers.values)
    return [change(answer) for answer in answers]


def notes_of_rows(rows: int, share: Fraction, *, parts: bool) -> tuple[str, ...]:
    """The note of a record whose epsilon is divided over a person's rows, and then over parts."""
    if rows == 1:
        return ()
    note = f"each of the {rows} rows of a person has epsilon {share}"
    return (note + (", which the parts share" if parts else ""),)


class Kind(ABC):
    """A planned statistic with its mechanism and epsilon, rehearsed before any value is read.

    Making one is the rehearsal: it builds the law of an empty table, which is public.

    Attributes
    ----------
    promised : tuple of Guarantee
        The strongest guarantee of each independent draw.

    Raises
    ------
    ParameterError, ParameterTypeError
        When it is made, if its parameters do not fit together; nothing is refused later.
    """

    __slots__ = ("epsilon", "mechanism", "plan", "promised")

    def __init__(self, plan: StatisticPlan, mechanism: Mechanism, epsilon: Fraction) -> None:
        self.plan, self.mechanism, self.epsilon = plan, mechanism, epsilon
        self.promised: tuple[Guarantee, ...] = self._rehearse()

    def on(self, plan: StatisticPlan) -> Self:
        """The same for other rows; ``plan`` must have the same request and relation."""
        other = copy(self)
        other.plan = plan
        return other

    @abstractmethod
    def _rehearse(self) -> tuple[Guarantee, ...]:
        """Build the law of an empty table, and return what is promised."""

    @abstractmethod
    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Read each of several tables, such as the groups of one, and draw."""

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. The laws of all draws from several tables.

        Raises
        ------
        ParameterError
            If later draws depend on earlier ones, so that there is no law to write down.
        """
        raise ParameterError(f"{self.mechanism.name} has no law that can be enumerated")

    def errors(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. The expected errors; None where an answer has no distance to the truth."""
        return None

    def biases(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. What clipping to released limits adds to the answers on average, if any."""
        return None

    def _at(self, epsilon: Fraction) -> Self:
        """The same at another epsilon."""
        other = self.on(self.plan)
        other.epsilon = epsilon
        return other

    def _drawn(
        self, tables: Sequence[Table], epsilon: Fraction, draws: int
    ) -> list[Sequence[Answer]]:
        """NOT PRIVATE. Some releases from a fixed simulation stream."""
        other = self._at(epsilon)
        with randomness.simulation(HashedBits(b"forecast")):
            return [other.draw(tables) for _ in range(max(2, draws // len(tables)))]

    def _mean_errors(
        self,
        tables: Sequence[Table],
        truths: Sequence[Fraction | float],
        size: Callable[[float], float] = abs,
    ) -> Errors:
        """NOT PRIVATE. The means over some draws of how far answers are off."""

        def expected(epsilon: Fraction, draws: int) -> list[float]:
            drawn = self._drawn(tables, epsilon, draws)
            return [
                fmean(size(float(Fraction(one[i].value) - Fraction(truth))) for one in drawn)
                for i, truth in enumerate(truths)
            ]

        return expected

    def records(self, answers: Sequence[Answer]) -> Sequence[Release]:
        """The records of several answers."""
        if not isinstance(answers, AlikeAnswers):
            return [self.record(answer) for answer in answers]
        from leastnoise.record.records import GroupRecords  # for groups alone

        values = answers.values
        if self.plan.clock is not None:
            values = [*map(self.plan.shown, values)]
        return GroupRecords([self.record(answers.one)], values)

    def record(self, answer: Answer) -> Release:
        """The record of an answer: all that is the same for every kind is written here."""
        plan, simulated = self.plan, randomness.simulating()
        bounds = answer.bounds
        if plan.clock is not None:
            bounds = plan.clock.shown(bounds, "time")
        return (SimulatedRelease if simulated else Release)(
            value=plan.shown(answer.value),
            statistic=plan.statistic.name,
            column=plan.request.column,
            guarantee=self.mechanism.guarantee(self.epsilon, plan.scope),
            mechanism=answer.mechanism or self.mechanism.name,
            relation=plan.relation,
            profile_relation=plan.profile_relation,
            n_public=plan.n_public,
            missing=plan.request.missing.name,
            bounds=bounds,
            limits=bounds if answer.found else None,
            max_rows=answer.max_rows,
            step=answer.step,
            sensitivity=answer.sensitivity,
            noise_scale=answer.noise_scale,
            noise=answer.noise,
            parts=dict(answer.parts),
            axes=plan.statistic.axes,
            interval=plan.shown_ends(answer.interval),
            coverage=None if answer.coverage is None else dict(answer.coverage),
            notes=(*answer.notes, *notes_of_epsilon(self.epsilon)),
            secure=not simulated,
        )


class Answering(Kind):
    """A kind that can answer each table by itself."""

    __slots__ = ()

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Read each of several tables and draw."""
        return [self.answer(table) for table in tables]

    @abstractmethod
    def answer(self, table: Table) -> Answer:
        """Read one table and draw."""
