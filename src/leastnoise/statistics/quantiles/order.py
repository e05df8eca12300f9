"""Order statistics: minimum, maximum, median and one quantile.

A quantile of order q is the record of rank k = max(1, ceil(q n)): the inverse of the
empirical distribution (numpy's ``inverted_cdf``), so the median of an even number of
records is the lower one and every answer of an integer column is an integer.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.mechanisms import AsymmetricSensitivity, Mechanism, PiecewiseLaplace
from leastnoise.params import parse_order
from leastnoise.profiles.order import order_profile
from leastnoise.statistics.statistic import ColumnStatistic
from leastnoise.summaries import spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leastnoise.profiles import Profile
    from leastnoise.profiles.orders import OrderProfiles
    from leastnoise.summaries.columns import Shown
    from leastnoise.summaries.ranks import RankSummary


@dataclass(frozen=True, slots=True)
class _OrderStatistic(ColumnStatistic):
    """Parameters that all order statistics share."""

    @property
    def shown(self) -> Shown:
        """The answer is one of the entries."""
        return "time"

    def orders(self) -> tuple[Fraction, ...]:
        """The distinct orders asked for."""
        raise NotImplementedError

    def spec(self) -> spec.RankSpec:
        """Order statistics around the rank of each order."""
        return spec.ranks(
            self.column, at=self.orders(), bounds=self.bounds, step=self.step, missing=self.missing
        )


class SingleOrderStatistic(_OrderStatistic):
    """An order statistic that is one number."""

    __slots__ = ()

    def profile(self, summary: RankSummary, relation: str) -> Profile:
        """Exact bounds on the order statistic after l changes."""
        return order_profile(summary, 0, relation)

    def default_of_persons(self, relation: str) -> Mechanism:
        """Of a quantile with a part of it on round numbers and near 0.

        Persons are fewer than rows, so the whole of wide bounds would soon outweigh the records.
        """
        usual = self.default_mechanism(relation)
        return PiecewiseLaplace(base="round") if usual == PiecewiseLaplace() else usual

    def order_profiles(
        self, summaries: Sequence[RankSummary], relation: str
    ) -> OrderProfiles | None:
        """The bounds for many tables at once."""
        from leastnoise.profiles.orders import OrderProfiles  # for groups alone

        return OrderProfiles.of(summaries, relation)


@dataclass(frozen=True, slots=True)
class Median(SingleOrderStatistic):
    """The lower median: the record of rank max(1, ceil(n/2)) of a column clipped to bounds.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    bounds : pair of numbers
        Public limits; wide ones cost almost nothing, so give the widest possible.
    step : number, optional
        Spacing of the lattice of answers. Default: 1 for an integer column (answers are Python
        ints), else the smallest power of two >= (upper - lower) / 2**52.
    missing : "drop", "none" or a number, optional
        Default: "drop" for columns that can hold missing values.

    Raises
    ------
    ParameterError, ParameterTypeError
        If bounds, step or the missing policy are missing or invalid; checked before any data is
        read.

    Notes
    -----
    An empty table has the public value in the middle of the bounds. Default mechanism:
    ``PiecewiseLaplace()``, of persons with several rows ``PiecewiseLaplace(base="round")``, which
    forgives wide bounds. Guarantee: epsilon-DP under "replace-one", "add-remove" and "edit" with
    the exact profile of errata 3 (``docs/proofs/order-statistics.md``). Source: Durfee (2025); Asi
    and Duchi (2020), Lemma 5.1 in the corrected form of errata 1.

    Examples
    --------
    >>> import leastnoise as ln
    >>> r = ln.release(ln.Median(bounds=(0, 100)), [20.5, 30.25, 41.0], epsilon=1)
    >>> 0 <= r.value <= 100
    True
    """

    def orders(self) -> tuple[Fraction, ...]:
        """One half."""
        return (Fraction(1, 2),)


@dataclass(frozen=True, slots=True)
class Minimum(SingleOrderStatistic):
    """The smallest record of a column clipped to bounds.

    No statistic is more sensitive than an extreme, which one record can move to the end of the
    bounds. Expect an answer that lies some records above it, more of them for smaller epsilon; for
    fewer than about 30/epsilon records it says little.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    bounds : pair of numbers
        Public limits, in the column's units.
    step, missing : optional
        Spacing of the input lattice, and what a missing entry counts as: as for ``Median``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If bounds, step or missing are invalid; checked before any data is read.

    Notes
    -----
    Default mechanism: ``AsymmetricSensitivity("auto", side="down", apart="1/1000")``, whose walk
    through public candidates stops before what no record has reached; the others spread their
    answers over all that one record could reach (``benchmarks/extremes.py``). Candidates are up to
    1/16384 of the bounds apart, or 1/700 of the distance from 0, at any epsilon. Guarantee:
    epsilon-DP under "replace-one", "add-remove" and "edit" with the exact profile of errata 3
    (``docs/proofs/order-statistics.md``, ``docs/proofs/above-threshold.md``). Source: Durfee
    (2024).
    """

    def orders(self) -> tuple[Fraction, ...]:
        """Order 0, rank 1."""
        return (Fraction(0),)

    def default_mechanism(self, relation: str) -> Mechanism:
        """The asymmetric sensitivity mechanism: the answer leans to the side of the records."""
        return AsymmetricSensitivity("auto", side="down", apart="1/1000")


@dataclass(frozen=True, slots=True)
class Maximum(SingleOrderStatistic):
    """The largest record of a column clipped to bounds.

    No statistic is more sensitive than an extreme, which one record can move to the end of the
    bounds. Expect an answer that lies some records below it, more of them for smaller epsilon; for
    fewer than about 30/epsilon records it says little.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    bounds : pair of numbers
        Public limits, in the column's units.
    step, missing : optional
        Spacing of the input lattice, and what a missing entry counts as: as for ``Median``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If bounds, step or missing are invalid; checked before any data is read.

    Notes
    -----
    Default mechanism: ``AsymmetricSensitivity("auto", side="up", apart="1/1000")``, whose walk
    through public candidates stops before what no record has reached; the others spread their
    answers over all that one record could reach (``benchmarks/extremes.py``). Candidates are up to
    1/16384 of the bounds apart, or 1/700 of the distance from 0, at any epsilon. Guarantee:
    epsilon-DP under "replace-one", "add-remove" and "edit" with the exact profile of errata 3
    (``docs/proofs/order-statistics.md``, ``docs/proofs/above-threshold.md``). Source: Durfee
    (2024).
    """

    def orders(self) -> tuple[Fraction, ...]:
        """Order 1, rank n."""
        return (Fraction(1),)

    def default_mechanism(self, relation: str) -> Mechanism:
        """The asymmetric sensitivity mechanism: the answer leans to the side of the records."""
        return AsymmetricSensitivity("auto", side="up", apart="1/1000")


@dataclass(frozen=True, slots=True)
class Quantile(SingleOrderStatistic):
    """The record of rank max(1, ceil(q n)) of a column clipped to bounds.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    bounds : pair of numbers
        Public limits, in the column's units; wide ones cost little unless records are few.
    step, missing : optional
        Spacing of the input lattice, and what a missing entry counts as: as for ``Median``.
    q : number
        Order, 0 <= q <= 1, such as ``0.9``, ``"0.9"`` or ``Fraction(9, 10)``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If bounds, step, missing or q are invalid; checked before any data is read.

    Notes
    -----
    Default mechanism, guarantee and its conditions: as for ``Median``
    (``docs/proofs/order-statistics.md``).
    """

    _: KW_ONLY
    q: object = None

    def orders(self) -> tuple[Fraction, ...]:
        """The order q."""
        return (parse_order(self.q),)
