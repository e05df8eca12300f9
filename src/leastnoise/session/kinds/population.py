"""A mean with an interval that holds the mean of the population."""

from __future__ import annotations

from fractions import Fraction

from leastnoise import randomness
from leastnoise.frames import Table
from leastnoise.guarantees import Guarantee
from leastnoise.laws import saturated
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.with_ends import WithSquares
from leastnoise.profiles.grid import grid_step
from leastnoise.record.difference import CENTRAL_LIMIT
from leastnoise.session.kinds.interval import Interval, check_sample, off_lattice
from leastnoise.session.kinds.kind import Answer
from leastnoise.session.search.noisy_moments import Rates, SearchedMoments
from leastnoise.summaries.spread import SpreadSummary


class MeanInterval(Interval):
    """A noisy sum and, where squares are not known, a noisy sum of squares at no further cost."""

    __slots__ = ("_rates",)

    @staticmethod
    def _whole(inner: Mechanism) -> Mechanism:
        return inner

    def _rehearse(self) -> tuple[Guarantee, ...]:
        plan, lattice = self._value, self._value.request.lattice
        check_sample(plan, self._asked)
        if lattice is None:
            raise TypeError("a mean has a lattice")
        self._rates = Rates.of(self.epsilon, lattice.width, public=plan.n_public)
        if self._rates.squares is not None:
            self.mechanism = WithSquares.around(self._inner)
        return (self.mechanism.guarantee(self.epsilon, plan.scope),)

    def _coverage(self) -> dict[str, str]:
        share = self._rates.squares is None
        method = "binomial, whatever the share" if share else CENTRAL_LIMIT
        return {**super()._coverage(), "method": method}

    def answer(self, table: Table) -> Answer:
        """Value and interval."""
        plan = self._value
        summary = table.summarise(plan.request, 0)
        if not isinstance(summary, SpreadSummary):
            raise TypeError("the interval of a mean is drawn from power sums")
        (profile,) = plan.profiles(summary)
        step, unit = grid_step(profile), summary.step
        noisy = SearchedMoments.draw(summary, self._rates, randomness.active())
        middle = Fraction(sum(summary.limits))
        value, low, high = (
            unit * (middle + end) / 2 for end in (noisy.mean, *noisy.ends(self._miss))
        )
        answer = Answer(
            value=plan.statistic.combine([saturated(round(value / step) * step)]),
            step=str(step),
            sensitivity="global",
            bounds=plan.bounds,
            parts={self._rates.names: str(self.epsilon)},
            notes=plan.statistic.notes,
        )
        return self._with_ends(answer, off_lattice(low, high, profile))
