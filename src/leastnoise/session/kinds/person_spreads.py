"""Variances and deviations over persons with several rows, from sums of persons about a centre.

The rows of a person, and their squares, are counted from a released centre and added up first. So
noise hides what a person adds up to, as in a sum (``docs/proofs/persons.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from leastnoise import randomness
from leastnoise.frames import Table
from leastnoise.frames.memory.numbers import RawNumbers, raw_numbers
from leastnoise.frames.table import MEAN
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms.person_means import (
    FAR,
    LOOSE_SHARE,
    PERSONS_SHARE,
    ROWS_SHARE,
    SUM_SHARE,
    ZERO_SHARE,
    are_at_zero,
    are_loose,
    enough_for_squares,
    nearby,
    shows_mean,
)
from leastnoise.mechanisms.private_limits import PrivateLimits, centre_share
from leastnoise.session.kinds.kind import Answer, Answering, Errors
from leastnoise.session.kinds.limited import exact_value
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.session.kinds.persons import ADDED_UP, Persons, far_ones, limited_total
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.draws import Draws


class PersonSpreads(Answering):
    """A noisy sum of squares and a noisy sum of each person's rows, over a noisy number of rows.

    Of few persons it is what is drawn where no limits are searched for.
    """

    __slots__ = ("_limits", "_persons")

    def __init__(
        self,
        plan: StatisticPlan,
        persons: Persons,
        mechanism: PrivateLimits,
        epsilon: Fraction,
    ) -> None:
        self._persons, self._limits = persons, mechanism
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        limited_total(self.plan, self._persons, self._limits, self.epsilon)
        return self._by_levels(self.epsilon).promised

    def _by_levels(self, epsilon: Fraction) -> Numbers:
        """The answer without sums."""
        chosen = self.plan.statistic.settled_mechanism(self.plan.profile_relation)
        return Numbers(self.plan, chosen, epsilon)

    def answer(self, table: Table) -> Answer:
        """A centre, the number of rows, and both sums about the centre."""
        draws, spent = Draws(randomness.active()), dict[str, Fraction]()
        totals = self._persons.totals(table)
        numbers = raw_numbers(totals.about(), MEAN, None)
        persons, centre = self._centre(numbers, draws, spent)
        if centre is None:
            return self._levels(table, spent)
        rows, first = (share * self._left(spent) for share in (ROWS_SHARE, SUM_SHARE))
        spent["noisy count"] = rows
        count = max(1, draws.rows(totals.count(), rows / self.plan.stride))
        about = self._persons.about(centre)
        total = limited_total(self.plan, about, self._limits, first).answer(totals.about(centre))
        spent |= _parts("sum", total, first)
        if not total.found and self._is_loose(numbers, centre, persons, draws, spent):
            return self._levels(table, spent)
        squares = self._squares(centre, total)
        left = self._left(spent)
        inner = limited_total(self.plan, squares, self._limits, left)
        of_squares = inner.answer(squares.totals(table).about())
        spent |= _parts("squares", of_squares, left)
        variance = Fraction(of_squares.value) / count
        if shows_mean(variance, (total.noise_scale or 0) / count):
            variance -= (Fraction(total.value) / count) ** 2
        lattice = self._persons.rows.lattice
        variance = max(Fraction(0), min(variance, (lattice.width * lattice.step) ** 2 / 4))
        answer = Answer(
            value=self.plan.statistic.of_sums([variance]),
            step=of_squares.step,
            sensitivity="instance",
            bounds=self.plan.bounds,
            notes=(*dict.fromkeys((*total.notes, *of_squares.notes)), ADDED_UP),
        )
        return self._with_parts(answer, spent)

    def _left(self, spent: Mapping[str, Fraction]) -> Fraction:
        return self.epsilon - sum(spent.values())

    def _levels(self, table: Table, spent: Mapping[str, Fraction]) -> Answer:
        """The answer without sums, from what is left."""
        left = self._left(spent)
        answer = self._by_levels(left).answer(table)
        parts = {name: Fraction(part) for name, part in answer.parts.items()}
        return self._with_parts(answer, {**spent, **(parts or {"answer": left})})

    def _with_parts(self, answer: Answer, spent: Mapping[str, Fraction]) -> Answer:
        shown = {name: str(part) for name, part in spent.items()}
        return replace(answer, parts=shown, mechanism=self.mechanism.name)

    def _squares(self, centre: int, total: Answer) -> Persons:
        """Squares of distances, which go not much beyond the limits of sums that were found."""
        within = None
        if total.found and total.bounds is not None:
            within = FAR * max(Fraction(abs(end)) for end in total.bounds) or None
        squares = self._persons.squares(centre, within)
        if squares is None:
            raise TypeError("squares fit, since those about the ends of the bounds do")
        return squares

    def _centre(
        self, numbers: RawNumbers, draws: Draws, spent: dict[str, Fraction]
    ) -> tuple[int, int | None]:
        """A noisy number of persons, and what rows are counted from; None where they are few.

        That is 0 where most means of persons are there: a private median of many at 0 is mostly
        next to it, and none of their sums were then at the centre.
        """
        lattice = self._persons.rows.lattice
        spent["number of persons"] = price = PERSONS_SHARE * self.epsilon
        persons = draws.rows(len(numbers), price)
        if not enough_for_squares(persons * self.epsilon):
            return persons, None
        if lattice.low <= 0 <= lattice.high:
            price = ZERO_SHARE * self.epsilon
            spent["persons off 0"] = price
            off = draws.rows(far_ones(numbers, Fraction(0), lattice.step / 2), price)
            if are_at_zero(off, persons):
                return persons, 0
        price = centre_share(persons * self.epsilon) * self.epsilon
        spent["centre"] = price
        found = draws.median(numbers, price, self.plan.profile_relation)
        return persons, max(lattice.low, min(lattice.high, round(found / lattice.step)))

    def _is_loose(
        self,
        numbers: RawNumbers,
        centre: int,
        persons: int,
        draws: Draws,
        spent: dict[str, Fraction],
    ) -> bool:
        """Whether bounds are too loose for sums whose limits are not found."""
        lattice = self._persons.rows.lattice
        reach = max(centre - lattice.low, lattice.high - centre) * lattice.step
        price = LOOSE_SHARE * self.epsilon
        spent["persons far from the centre"] = price
        far = far_ones(numbers, centre * lattice.step, nearby(reach))
        return are_loose(draws.rows(far, price), persons)

    def errors(self, tables: Sequence[Table]) -> Errors:
        """NOT PRIVATE. The mean over some draws."""
        return self._mean_errors(tables, self._truths(tables))

    def biases(self, tables: Sequence[Table]) -> Errors:
        """NOT PRIVATE. What clipping adds, as a mean over some draws."""
        return self._mean_errors(tables, self._truths(tables), lambda error: error)

    def _truths(self, tables: Sequence[Table]) -> list[Fraction]:
        """NOT PRIVATE. The answers without noise."""
        return [exact_value(self.plan, table) for table in tables]


def _parts(name: str, answer: Answer, epsilon: Fraction) -> dict[str, Fraction]:
    parts = answer.parts or {f"answer, {answer.mechanism}": str(epsilon)}
    return {f"{name}, {part}": Fraction(price) for part, price in parts.items()}
