"""Sums and means over persons with several rows: each person's sum is one record of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np

from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.numbers import RawNumbers
from leastnoise.frames.table import TOTAL, PersonTotals, Squares
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms.private_limits import PrivateLimits, key_of
from leastnoise.params import Missing
from leastnoise.session.kinds.kind import Answer, Errors, Kind, Published, each
from leastnoise.session.kinds.limited import Limited
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.unknown_bounds import imputed_number
from leastnoise.statistics import Sum
from leastnoise.statistics.totals.count import MOST_ROWS
from leastnoise.summaries.lattice import power_of_two_at_least
from leastnoise.summaries.spec import MomentRequest, SpreadRequest
from leastnoise.summaries.subset import Unit

# Sums of persons are whole numbers of steps below this, which doubles hold.
_MOST_STEPS = 1 << 51
ADDED_UP = "limits are of the sums of persons: the rows of a person are added up first"


@dataclass(frozen=True, slots=True)
class Persons:
    """The request for each row, and for the sum over persons of what their rows add up to."""

    rows: MomentRequest
    unit: Unit
    total: Sum
    whole: bool
    of_squares: Squares | None = None

    @property
    def empty(self) -> Table:
        """The totals of nobody."""
        return open_table({TOTAL: np.empty(0, np.int64 if self.whole else np.float64)})

    def about(self, centre: int) -> Persons:
        """The same, counted from another point of the lattice of rows."""
        lattice, most = self.rows.lattice, self.unit.max_rows
        low, high = lattice.low - centre, lattice.high - centre
        reach = min(low, low * most) * lattice.step, max(high, high * most) * lattice.step
        return replace(self, total=replace(self.total, bounds=reach))

    def squares(self, centre: int, within: Fraction | None = None) -> Persons | None:
        """The squares of distances from a point of the lattice; None if they do not fit a double.

        They are as fine as the sum of one person allows; distances beyond ``within`` count as that.
        """
        lattice, rows = self.rows.lattice, self.unit.max_rows
        reach = max(centre - lattice.low, lattice.high - centre)
        if within is not None:
            reach = max(1, min(reach, ceil(within / lattice.step)))
        farthest = (reach * lattice.step) ** 2
        most = rows * int(self.total.max_rows)
        if not reach or not 2**-900 < farthest < Fraction(2**900, most):
            return None
        step = power_of_two_at_least(farthest * rows / _MOST_STEPS)
        step = max(Fraction(1), step) if self.whole else step
        scale = lattice.step**2 / step
        of_squares = Squares(centre, float(scale), step, floor(reach**2 * scale))
        total = replace(self.total, bounds=(0, of_squares.most * rows * step), step=step)
        whole = self.whole and step == 1
        return replace(self, total=total, whole=whole, of_squares=of_squares)

    def totals(self, table: Table) -> PersonTotals:
        """NOT PRIVATE. What the rows of each person, or their squares, add up to."""
        column, squares = self.unit.column, self.of_squares
        return table.person_totals(self.rows, column, whole=self.whole, squares=squares)


def persons_of(
    plan: StatisticPlan, request: MomentRequest | SpreadRequest, max_rows: int = MOST_ROWS
) -> Persons | None:
    """The sums of persons; None where rows are protected, or a person's sum does not fit a double.

    The lattice is as fine as the sum of one person allows. Public parameters only.
    """
    unit, lattice = plan.subset.unit, request.lattice
    if unit is None or plan.stride == 1:
        return None
    bounds = lattice.low * lattice.step, lattice.high * lattice.step
    whole = plan.table.column_type(request.column).integer
    farthest, most = max(map(abs, bounds)) * unit.max_rows, -(-max_rows // unit.max_rows)
    step = plan.statistic.spec().step
    if step is None:
        step = Fraction(1) if whole else power_of_two_at_least(farthest / _MOST_STEPS)
    if farthest > step * _MOST_STEPS or 2 * farthest * most >= 2**1023:
        return None
    missing = _policy(request)
    if isinstance(missing, Fraction):  # the ends are those of a lattice, inside the declared ones
        missing = max(bounds[0], min(bounds[1], missing))
    rows = Sum(request.column, bounds=bounds, step=step, max_rows=1, missing=missing).spec()
    asked = rows.resolve(plan.table.column_type(request.column), None)
    total = Sum(TOTAL, bounds=bounds, step=step, max_rows=most, missing="none")
    return Persons(asked, unit, total, whole and step == 1).about(0)


def _policy(request: MomentRequest | SpreadRequest) -> Missing | Fraction:
    """The policy of a request, as it was declared."""
    number = imputed_number(request.missing)
    if number is not None:
        return number
    return "drop" if request.missing.drops else "none"


def far_ones(numbers: RawNumbers, centre: Fraction, distance: Fraction) -> int:
    """NOT PRIVATE. How many numbers are at least so far from a centre."""
    beyond = numbers.beyond(float(centre), np.array([key_of(distance)]))
    return sum(int(counts[0]) for counts in beyond)


def limited_total(
    plan: StatisticPlan, persons: Persons, mechanism: PrivateLimits, epsilon: Fraction
) -> Limited:
    """The sum of what the rows of persons add up to, rehearsed on nobody."""
    table, total = persons.empty, persons.total
    request = total.spec().resolve(table.column_type(TOTAL), None)
    inner = replace(plan, statistic=total, table=table, request=request, stride=1)
    return Limited(inner, request, mechanism, epsilon)


class PersonSums(Kind):
    """A sum over persons: what the rows of each add up to is one record, which may be absent."""

    __slots__ = ("_inner", "_limits", "_persons")

    def __init__(
        self, plan: StatisticPlan, persons: Persons, mechanism: PrivateLimits, epsilon: Fraction
    ) -> None:
        self._persons, self._limits = persons, mechanism
        super().__init__(plan, mechanism, epsilon)

    def _rehearse(self) -> tuple[Guarantee, ...]:
        self._inner = limited_total(self.plan, self._persons, self._limits, self.epsilon)
        return self._inner.promised

    def _totals(self, tables: Sequence[Table]) -> list[Table]:
        return [self._persons.totals(table).about() for table in tables]

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """Add up the rows of each person, then draw from the sum of persons."""
        return each(self._inner.draw(self._totals(tables)), self._with_note)

    def _with_note(self, answer: Answer) -> Answer:
        return replace(answer, notes=(*answer.notes, ADDED_UP))

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. As for the sums of persons."""
        return self._inner.laws(self._totals(tables))

    def errors(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. As for the sums of persons."""
        return self._inner.errors(self._totals(tables))

    def biases(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. As for the sums of persons."""
        return self._inner.biases(self._totals(tables))
