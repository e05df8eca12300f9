"""A vector of means with local bounds: trimmed means, and noise that the middle records allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterError, quoted
from leastnoise.geometry import Ball, LpBall
from leastnoise.laws.base import saturated
from leastnoise.mechanisms.k_norm import PiecewiseKNorm
from leastnoise.params import parse_number
from leastnoise.profiles.vector import VectorProfile
from leastnoise.statistics.statistic import VectorStatistic
from leastnoise.summaries.ordered import LEVELS, OrderedRequest, OrderedSpec, OrderedSummary
from leastnoise.summaries.vectors import vector_spec


@dataclass(frozen=True, slots=True)
class TrimmedMeanVector(VectorStatistic):
    """The trimmed means of several columns, released as one vector.

    Parameters
    ----------
    columns : list of names or int, optional
        The columns of a frame or file; omitted (or their number) for a matrix or list of rows.
    bounds : pair, list of pairs or mapping of names to pairs
        Public limits: one pair for all columns, or one per column. Wide ones cost little, because
        the noise follows the middle records.
    trim : number
        The share of the records that is trimmed at either end of every column, 0 <= trim < 1/2.
    step, missing
        As for every statistic.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, or the number of rows is private (a relation other than
        "replace-one", a filter, a group, missing="drop"); checked before any data is read.

    Notes
    -----
    The value is a list of means in the order of the columns. One more record after l - 1 others
    moves the sum of what stays of a column by at most max(x_(b+l) - x_(a-l+1), x_(b+l-1) -
    x_(a-l)), a and b the first and the last rank that stay: radius bounding functions (Durfee 2025,
    Definition 5.1). Default mechanism: ``PiecewiseKNorm()`` with the ball "linf"; ``KNorm()`` uses
    the limits instead of the data. Guarantee: epsilon-DP under "replace-one"
    (``docs/proofs/trimmed-means.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> rows = [[50 + i % 7, 20 + i % 3] for i in range(2000)]
    >>> statistic = ln.TrimmedMeanVector(bounds=[(0, 1000), (0, 1000)], trim="0.1")
    >>> r = ln.release(statistic, rows, epsilon=1, missing="none")
    >>> [round(mean) for mean in r.value]
    [53, 21]
    """

    columns: Any = None
    _: KW_ONLY
    bounds: Any = None
    trim: object = "0.1"
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        self.spec()

    def spec(self) -> OrderedSpec:
        """Sums of what stays, and the records at its edges."""
        trim = parse_number(self.trim, "trim")
        if not 0 <= trim < Fraction(1, 2):
            raise ParameterError(f"trim must be at least 0 and below 1/2, got {quoted(self.trim)}")
        base = vector_spec(
            self.columns, self.bounds, degree=1, step=self.step, missing=self.missing
        )
        return OrderedSpec(
            base.columns, base.bounds, base.space, base.step, base.missing, trim=trim
        )

    def vector(
        self, summary: OrderedSummary, request: OrderedRequest, relation: str
    ) -> VectorProfile:
        """Sums of the scaled records that stay, with their radii."""
        if relation != "replace-one":
            raise ParameterError(
                "TrimmedMeanVector needs a public number of rows: relation 'replace-one', no "
                "filter or group, and missing='none' or a number"
            )
        size = len(summary.totals)

        def sensitivity(ball: Ball) -> Fraction:
            return ball.box_sensitivity((2,) * size)

        def radius(ball: Ball, level: int) -> Fraction:
            # the box of the reaches lies in the box of the limits, shrunk: exact in every norm
            return sensitivity(ball) * summary.reach(level) / 2

        def named(name: str) -> tuple[Ball, Fraction]:
            if name not in ("linf", "l1"):
                raise ParameterError(
                    "the ball must be 'linf', 'l1' or one of leastnoise.geometry, got "
                    f"{quoted(name)}"
                )
            ball = LpBall("inf" if name == "linf" else 1, size)
            return ball, sensitivity(ball)

        return VectorProfile(
            value=summary.totals,
            units=summary.units,
            sensitivity=sensitivity,
            named=named,
            default_ball="linf",
            radius=radius,
            depth=LEVELS,
        )

    def answer(
        self, values: Sequence[Fraction], rows: int | None, request: OrderedRequest
    ) -> list[float]:
        """The means in the users' units, each cut to its limits."""
        first, last = request.kept(rows or 0)
        stay = max(1, last - first + 1)
        found: list[float] = []
        for total, lattice, width in zip(values, request.lattices, request.widths, strict=True):
            scaled = min(Fraction(1), max(Fraction(-1), total / stay))
            middle = Fraction(lattice.low + lattice.high, 2)
            found.append(saturated((middle + scaled * Fraction(width, 2)) * lattice.step))
        return found

    def default_mechanism(self, relation: str) -> PiecewiseKNorm:
        """Piecewise K-norm noise in the sup norm."""
        return PiecewiseKNorm()
