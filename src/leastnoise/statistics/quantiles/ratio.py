"""A ratio of two quantiles, such as P90/P10 of incomes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction

from leastnoise.errors import ParameterError, quoted
from leastnoise.params import parse_bounds, parse_order
from leastnoise.profiles import Profile, quotient
from leastnoise.profiles.order import order_profile
from leastnoise.statistics.statistic import Statistic
from leastnoise.summaries import spec
from leastnoise.summaries.lattice import power_of_two_at_least
from leastnoise.summaries.ranks import RankSummary

# Steps of a ratio between 0 and its largest value.
_RATIO_STEPS = 2**40


@dataclass(frozen=True, slots=True)
class QuantileRatio(Statistic):
    """One quantile over another of the same positive column, such as P90/P10 of incomes.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    top, bottom : number
        Orders of the two quantiles, bottom < top.
    bounds : pair of numbers
        Public limits, the lower one above 0: it bounds the ratio, so choose it as high as public
        knowledge allows, such as a minimum wage.
    step, missing
        As for ``leastnoise.Median``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the orders or the limits are invalid; checked before any data is read.

    Notes
    -----
    upper(l) is the largest top quantile after l changes over the smallest bottom one, lower(l) the
    reverse: a quotient of profiles (``docs/proofs/profile-combinators.md``). Default mechanism:
    ``PiecewiseLaplace()``. Guarantee: epsilon-DP under every relation.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.QuantileRatio(bounds=(1, 100)), [2, 4, 5, 8, 10])
    >>> p.value, p.upper(1), p.lower(1)
    (5, 100, 2)
    """

    column: str | None = None
    _: KW_ONLY
    top: object = "0.9"
    bottom: object = "0.1"
    bounds: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        if not parse_order(self.bottom, "bottom") < parse_order(self.top, "top"):
            raise ParameterError(
                f"bottom must be below top, got {quoted(self.bottom)} and {quoted(self.top)}"
            )
        if not parse_bounds(self.bounds)[0] > 0:
            raise ParameterError(
                "bounds of a ratio must lie above 0: the lower one bounds the denominator"
            )
        self.spec()

    def spec(self) -> spec.RankSpec:
        """Order statistics around both ranks."""
        return spec.ranks(
            self.column,
            at=(self.top, self.bottom),
            bounds=self.bounds,
            step=self.step,
            missing=self.missing,
        )

    def profile(self, summary: RankSummary, relation: str) -> Profile:
        """The quotient of the two profiles."""
        low, high = summary.limits
        return quotient(
            order_profile(summary, 0, relation),
            order_profile(summary, 1, relation),
            resolution=power_of_two_at_least(Fraction(high, low) / _RATIO_STEPS),
        )
