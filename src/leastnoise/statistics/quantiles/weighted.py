"""Quantiles of weighted records, as in surveys."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction

from leastnoise.errors import ParameterError, quoted
from leastnoise.params import parse_bounds, parse_column, parse_number, parse_order, parse_step
from leastnoise.profiles import Profile, from_equation
from leastnoise.statistics.statistic import Statistic
from leastnoise.summaries.pairs import PairColumns
from leastnoise.summaries.weighted import WeightedSpec, WeightedSummary, reaches


@dataclass(frozen=True, slots=True)
class WeightedQuantile(Statistic):
    """The smallest value up to which a share q of all weight lies, as in surveys.

    Parameters
    ----------
    column, weights : str, optional
        Two columns of a frame or file; omitted for data that is a pair (values, weights).
    q : number
        The share, from 0 to 1; 1/2 is the weighted median.
    bounds : pair of numbers
        Public limits of the values; wide ones cost little.
    largest : number
        Public: the largest weight, > 0. Larger ones are clipped to it, negative ones count as 0.
    step : number, optional
        As for ``leastnoise.Median``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is missing or invalid; checked before any data is read.

    Notes
    -----
    The answer solves the equation: sum over the rows of weight (1 if the value is at most y, else
    0, minus q) reaches 0. One replaced row changes that sum by at most ``largest``, an added or
    removed one by max(q, 1 - q) of it (``docs/proofs/profile-combinators.md``). Rows without a
    value or a weight have weight 0. With no weight at all the answer is the lower limit. Default
    mechanism: ``PiecewiseLaplace()``. Guarantee: epsilon-DP under every relation.

    Examples
    --------
    >>> import leastnoise as ln
    >>> median = ln.WeightedQuantile(q="0.5", bounds=(0, 10), largest=4, step=1)
    >>> ln.profile(median, ([1, 5, 9], [1, 1, 4])).value
    9
    """

    column: str | None = None
    weights: str | None = None
    _: KW_ONLY
    q: object = None
    bounds: object = None
    largest: object = None
    step: object = None

    def __post_init__(self) -> None:
        self.spec()

    @property
    def order(self) -> Fraction:
        """The share as an exact number."""
        if self.q is None:
            raise ParameterError("q is required: the share of the weight, such as q=0.5")
        return parse_order(self.q)

    def spec(self) -> WeightedSpec:
        """Values with their weights."""
        _ = self.order
        if self.largest is None:
            raise ParameterError(
                "largest is required: the largest weight of one row, from public knowledge"
            )
        largest = parse_number(self.largest, "largest")
        if not largest > 0:
            raise ParameterError(f"largest must be greater than 0, got {quoted(self.largest)}")
        first, second = parse_column(self.column), parse_column(self.weights)
        if (first is None) != (second is None):
            raise ParameterError(
                "name both columns, values and weights, or omit both if the data is a pair"
            )
        others = None if second is None else (second,)
        pair = PairColumns(first, others, called=("values", "weights"))
        return WeightedSpec(
            pair, parse_bounds(self.bounds), parse_step(self.step), largest, self.order
        )

    def profile(self, summary: WeightedSummary, relation: str) -> Profile:
        """The root of an equation that rises with y."""
        top, whole = self.order.numerator, self.order.denominator
        share = top * summary.total

        def pull(y: int) -> int:
            """At most 0 while less than the share lies below y."""
            return whole * summary.up_to(y - 1) - share + 1

        reach = reaches(self.order)[0 if relation == "add-remove" else 1]
        low, high = summary.lattice.low, summary.lattice.high
        found = from_equation(pull, reach * summary.most, low=low, high=high, unit=summary.step)
        return replace(found, depth=summary.depth)
