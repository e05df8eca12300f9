"""Means over persons with several rows: sums of persons about a centre, over a number of rows.

The rows of a person are counted from a released centre and added up first. So noise hides what a
person adds up to, as in a sum, and not as many rows as a person may have, each by itself
(``docs/proofs/persons.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise import randomness
from leastnoise.frames import Table
from leastnoise.frames.memory.numbers import RawNumbers, raw_numbers
from leastnoise.frames.table import MEAN
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms.person_means import (
    PERSONS_SHARE,
    fits,
    is_far,
    share_of_centre,
    share_of_fit,
    share_of_rows,
)
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.session.kinds.kind import Answer, Answering, Errors, notes_of_rows
from leastnoise.session.kinds.limited import Limited, exact_value
from leastnoise.session.kinds.persons import ADDED_UP, Persons, far_ones, limited_total
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.draws import Draws
from leastnoise.summaries.spec import MomentRequest

_STEP = "step is the lattice of the sum"


class PersonMeans(Answering):
    """A mean: each person's rows are added up about a centre, over a noisy number of rows.

    In bounds that fit, or of few persons, it is that of rows with their part of epsilon each.
    """

    __slots__ = ("_limits", "_persons", "_request")

    def __init__(
        self,
        plan: StatisticPlan,
        request: MomentRequest,
        persons: Persons,
        mechanism: PrivateLimits,
        epsilon: Fraction,
    ) -> None:
        self._request, self._persons, self._limits = request, persons, mechanism
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        limited_total(self.plan, self._persons, self._limits, self.epsilon)
        return self._of_rows(self.epsilon).promised

    def _of_rows(self, epsilon: Fraction) -> Limited:
        """The mean of rows, each with its part of epsilon."""
        return Limited(self.plan, self._request, self._limits, epsilon)

    def answer(self, table: Table) -> Answer:
        """A centre, the number of rows, then the sum of persons about the centre."""
        draws, spent = Draws(randomness.active()), dict[str, Fraction]()
        totals = self._persons.totals(table)
        numbers = raw_numbers(totals.about(), MEAN, None)
        known, centre = self._centre(numbers, draws, spent)
        if centre is None:
            left = self.epsilon - sum(spent.values())
            return self._with_parts(self._of_rows(left), table, spent)
        rows = self._rows(totals.count(), known, draws, spent)
        return self._about(totals.about(centre), centre, rows, spent)

    def _with_parts(self, rows: Limited, table: Table, spent: dict[str, Fraction]) -> Answer:
        """The mean of rows, with what all rows of a person paid beside what was spent before."""
        answer, times = rows.answer(table), self.plan.stride
        said = notes_of_rows(times, rows.share, parts=True)
        parts = {name: str(Fraction(part) * times) for name, part in answer.parts.items()}
        return replace(
            answer,
            parts={
                **_shown(spent),
                **(parts or {f"answer, {answer.mechanism}": str(rows.epsilon)}),
            },
            notes=tuple(note for note in answer.notes if note not in said),
            mechanism=self.mechanism.name,
        )

    def _about(self, totals: Table, centre: int, rows: int, spent: dict[str, Fraction]) -> Answer:
        """The sum of persons about a centre, over a released number of rows."""
        persons, lattice = self._persons.about(centre), self._persons.rows.lattice
        left = self.epsilon - sum(spent.values())
        inner = limited_total(self.plan, persons, self._limits, left)
        total = inner.answer(totals)
        mean = centre * lattice.step + Fraction(total.value) / max(1, rows)
        parts = total.parts or {f"answer, {total.mechanism}": str(left)}
        return Answer(
            value=float(max(lattice.low * lattice.step, min(lattice.high * lattice.step, mean))),
            step=total.step,
            sensitivity="instance",
            bounds=self.plan.bounds,
            parts={**_shown(spent), **parts},
            notes=(*total.notes, ADDED_UP, _STEP),
        )

    def _rows(self, rows: int, known: Fraction, draws: Draws, spent: dict[str, Fraction]) -> int:
        """A noisy number of rows; ``known`` is persons times epsilon."""
        left = self.epsilon - sum(spent.values())
        spent["noisy count"] = price = share_of_rows(known) * left
        return draws.rows(rows, price / self.plan.stride)

    def _centre(
        self, numbers: RawNumbers, draws: Draws, spent: dict[str, Fraction]
    ) -> tuple[Fraction, int | None]:
        """A private median of many means of persons, else 0 in loose bounds, or None.

        With persons times epsilon.
        """
        lattice = self._persons.rows.lattice
        spent["number of persons"] = price = PERSONS_SHARE * self.epsilon
        persons = draws.rows(len(numbers), price)
        known = persons * self.epsilon
        price = share_of_centre(known) * self.epsilon
        if price:
            spent["centre"] = price
            found = draws.median(numbers, price, self.plan.profile_relation)
            return known, max(lattice.low, min(lattice.high, round(found / lattice.step)))
        price = share_of_fit(known) * self.epsilon
        if not price:
            return known, None
        spent["persons far from 0"] = price
        nearest = max(lattice.low, min(lattice.high, 0))
        reach = max(nearest - lattice.low, lattice.high - nearest)
        far = far_ones(numbers, nearest * lattice.step, is_far(reach * lattice.step))
        return known, None if fits(draws.rows(far, price), persons) else nearest

    def errors(self, tables: Sequence[Table]) -> Errors:
        """NOT PRIVATE. The mean over some draws."""
        return self._mean_errors(tables, self._truths(tables))

    def biases(self, tables: Sequence[Table]) -> Errors:
        """NOT PRIVATE. What clipping adds, as a mean over some draws."""
        return self._mean_errors(tables, self._truths(tables), lambda error: error)

    def _truths(self, tables: Sequence[Table]) -> list[Fraction]:
        """NOT PRIVATE. The answers without noise."""
        return [exact_value(self.plan, table) for table in tables]


def _shown(spent: dict[str, Fraction]) -> dict[str, str]:
    return {name: str(part) for name, part in spent.items()}
