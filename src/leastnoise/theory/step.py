"""NOT PRIVATE. The step function of Asi and Duchi (2020), section 4.3, and likely answers."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import cast

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.laws import Law
from leastnoise.params import parse_count, parse_number
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile
from leastnoise.summaries import spec
from leastnoise.summaries.moments import MomentSummary

_MOST_POINTS = 100_000


@dataclass(frozen=True, slots=True)
class StepCount:
    """f_step: the number of ones of a 0/1 column, divided by ``width`` and rounded down.

    Parameters
    ----------
    column : str, optional
        Column of a frame; omitted for a bare array.
    width : int
        Ones of one step, T in the paper.
    max_rows : int
        Public upper limit of the number of rows.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``width`` or ``max_rows`` is not a whole number of at least 1.

    Notes
    -----
    A worked example of a discrete answer. Where the ones are a multiple of the width, one record
    can lower the answer: local noise is then as large as anywhere, and the inverse sensitivity
    mechanism still answers f or f - 1, f being the likelier: .62 and .38 at T = 100, epsilon = 1
    (the paper says f - 1 with probability near 1; errata 2). Guarantee: that of the mechanism, for
    this profile obeys the neighbour law. Source: Asi and Duchi (2020), section 4.3.
    """

    column: str | None = None
    _: KW_ONLY
    width: int = 100
    max_rows: int = 10_000

    def __post_init__(self) -> None:
        parse_count(self.width, "width")
        parse_count(self.max_rows, "max_rows")

    def spec(self) -> spec.MomentSpec:
        """The exact sum of the column."""
        return spec.moments(self.column, bounds=(0, 1), step=1)

    def profile(self, summary: MomentSummary, relation: str) -> Profile:
        """Ones can rise or fall by one a record."""
        ones, width = min(summary.total, self.max_rows), self.width
        return Profile(
            value=ones // width,
            lower=lambda level: max(0, ones - level) // width,
            upper=lambda level: min(self.max_rows, ones + level) // width,
            support=(0, self.max_rows // width),
            sensitivity=min(1, self.max_rows // width),
            monotone=True,
            integral=True,
            unit=summary.step,
        )


def likely_set(law: Law, mass: float = 0.9) -> tuple[int | float, int | float]:
    """The smallest interval [a, b] that a law falls into with at least this probability.

    Of several as small, the one that holds most, then the lowest: the confidence sets of Figure 1
    of Asi and Duchi (2020). For answers on a coarse lattice, such as whole numbers.

    Parameters
    ----------
    law : Law
        From ``mechanism.law(profile, epsilon)``.
    mass : number
        Between 0 and 1.

    Returns
    -------
    pair of numbers
        a and b, in the user's units.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``law`` is not a law or has more than 100,000 points, or ``mass`` is out of range.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise import theory
    >>> law = ln.Laplace().law(ln.profile(ln.Count(), [1, 1, 1]), epsilon=1)
    >>> theory.likely_set(law)
    (1, 5)
    """
    forbid_in_production("theory")
    if not isinstance(cast("object", law), Law):
        raise ParameterTypeError(f"law must be a Law, not {type(law).__name__}")
    mass = float(parse_number(mass, "mass"))
    if not 0 < mass < 1:
        raise ParameterError(f"mass must lie strictly between 0 and 1, got {quoted(mass)}")
    low = law.point_quantile(max((1 - mass) * 1e-9, 1e-300))
    high = law.point_quantile(1 - (1 - mass) * 1e-9)
    if high - low > _MOST_POINTS:
        raise ParameterError(
            "likely_set is for answers on a coarse lattice, such as whole numbers; this law covers "
            f"more than {_MOST_POINTS:,} points"
        )
    best: tuple[int, float, int] | None = None
    end = low
    for start in range(low, high + 1):
        end = max(end, start)
        while end <= high and _within(law, start, end) < mass:
            end += 1
        if end > high:
            break
        found = (end - start, -_within(law, start, end), start)
        best = found if best is None else min(best, found)
    length, _, start = best if best is not None else (high - low, 0.0, low)
    return law.value_of(start), law.value_of(start + length)


def _within(law: Law, start: int, end: int) -> float:
    return law.point_cdf(end) - law.point_cdf(start - 1)
