"""Private keys: which entries of a column occur in enough rows or for enough persons."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise import randomness
from leastnoise.errors import ParameterTypeError
from leastnoise.frames.memory.summarise import summarise
from leastnoise.mechanisms.key_selection import KeySelection
from leastnoise.params import parse_delta
from leastnoise.sampling.keep import KeepChances
from leastnoise.session.kinds.kind import Answer, Kind, Published

if TYPE_CHECKING:
    from leastnoise.frames import Table
    from leastnoise.guarantees import Guarantee
    from leastnoise.mechanisms import Mechanism
    from leastnoise.record import Release
    from leastnoise.session.prepare import Plan
    from leastnoise.statistics.statistic import KeyStatistic


class KeyLaw:
    """NOT PRIVATE. Each key that occurs is shown on its own, with a chance by its count."""

    __slots__ = ("chances", "counts")

    def __init__(self, counts: Sequence[tuple[Any, int]], chances: KeepChances) -> None:
        self.counts, self.chances = counts, chances


class Keys(Kind):
    """One draw for every key that occurs."""

    __slots__ = ("_delta", "_share")

    def __init__(
        self, plan: Plan, statistic: KeyStatistic, mechanism: Mechanism, epsilon: Fraction
    ) -> None:
        if not isinstance(mechanism, KeySelection):
            raise ParameterTypeError(
                f"{statistic.name} has its own mechanism, and {mechanism.name} is for numbers: "
                "omit mechanism="
            )
        # of one key: the whole over all keys that one row or person can change
        reached = statistic.reached(plan.profile_relation, plan.stride)
        self._share, self._delta = epsilon / reached, parse_delta(mechanism.delta) / reached
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        if not self.plan.table.tells_texts:
            raise ParameterTypeError(
                "private keys are read from texts, and this table has no text_values(); give a "
                "frame or a file, or declare the keys"
            )
        return (self.mechanism.guarantee(self.epsilon, self.plan.scope),)

    def _law(self, table: Table) -> KeyLaw:
        summary = summarise(table, self.plan.request, 0)
        counts = sorted(summary.counts.items())  # all text, or all numbers
        return KeyLaw(counts, KeepChances(self._share, self._delta))

    def draw(self, tables: Sequence[Table]) -> list[Release]:
        """Count each table once, and draw for every key that occurs."""
        return [self.record(self._answer(self._law(table))) for table in tables]

    def _answer(self, law: KeyLaw) -> Answer:
        source = randomness.active()
        return Answer(
            value=[key for key, count in law.counts if law.chances.draw(count, source)],
            step="1",
            sensitivity="global",
            parts={"each key": str(self._share), "delta of each key": str(self._delta)},
            notes=("keys with few rows or persons are seldom shown",),
        )

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. One law a table."""
        return [Published(self._law(table)) for table in tables]
