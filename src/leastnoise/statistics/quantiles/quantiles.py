"""Several quantiles of one column in one release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.mechanisms import Mechanism, PiecewiseLaplace
from leastnoise.mechanisms.bracket import BoundsSearch
from leastnoise.mechanisms.joint.binned import MANY, BinnedLaw, binned_law, binned_parts
from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.mechanisms.joint.splitting import (
    SplittingLaw,
    TieBrokenLaw,
    level_costs,
    level_shares,
)
from leastnoise.params import parse_entry, parse_list
from leastnoise.profiles import Profile
from leastnoise.profiles.order import order_profile
from leastnoise.statistics.statistic import JointStatistic
from leastnoise.summaries import spec
from leastnoise.summaries.columns import Shown
from leastnoise.summaries.ranks import RankSummary

if TYPE_CHECKING:
    from leastnoise.profiles.orders import OrderProfiles

_ON_ALL_DOUBLES = "all orders together on a log lattice"
# Limits from 1 or below to this or more, of which 2**50 is the farthest, span many powers of two.
_FAR = 100_000


@dataclass(frozen=True, slots=True)
class Quantiles(JointStatistic):
    """Several quantiles of one column, released together for one epsilon; they never cross.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    q : sequence of numbers
        Orders in [0, 1]; the answer is a list in this order. A repeated order is paid for once.
    bounds, step, missing
        As for ``leastnoise.Median``; ``PrivateBounds()`` where no limits are known.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is missing or invalid; checked before any data is read.

    Notes
    -----
    The default mechanism depends only on the number of orders and the relation.

    From 16 orders on the quartiles are split off, for a fifth of epsilon, and three rounds of
    noisy counts follow, the bins of each placed by what is released before. The answers are read
    off the last counts: points between the records of a bin, so values that many records share
    are met only where a bin holds nothing else (give their distance as ``step``). A round of
    counts costs one share ("add-remove") or two (else), however many orders there are. If the first
    counts show so many records that bins are too coarse, recursive splitting of all orders takes
    the place of the other two (``docs/proofs/binned-quantiles.md``).

    From three orders on under "add-remove", and from six on under "replace-one" and "edit",
    recursive splitting: the middle order first, then each half of the orders on its half of the
    records. It costs one share of epsilon a level of that tree ("add-remove") or two (else), where
    an even split costs one per order. Ties are broken by random digits, which are cut off the
    answers (``docs/proofs/recursive-quantiles.md``). Source: Kaplan, Schnapp and Stemmer (2022);
    errata 4.13.

    With ``PrivateBounds()`` there is no search: recursive splitting, however many orders there
    are, on an index of all doubles that has fewer cells the farther they are from 1
    (``docs/proofs/unknown-bounds.md``). Two to four orders under "replace-one" and "edit" are
    drawn at once there, for all of epsilon, by how many records must change for all to be right
    (``docs/proofs/quantiles-at-once.md``), unless epsilon is very small. So are quantiles of
    persons with several rows by default where declared bounds reach from 1 or below to 100,000 or
    more (in size), without ``step``: answers are then moved into the bounds.

    Fewer orders, or a ``mechanism`` of your choice, split epsilon evenly over the orders (basic
    composition), and the answers are sorted. Guarantee: all are epsilon-DP under every relation.

    Examples
    --------
    >>> import leastnoise as ln
    >>> deciles = ln.Quantiles(q=["0.25", "0.5", "0.75"], bounds=(0, 100))
    >>> r = ln.release(deciles, list(range(100)), epsilon=1, relation="add-remove")
    >>> r.value == sorted(r.value)
    True
    """

    column: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    missing: object = None
    q: object = None

    def __post_init__(self) -> None:
        self.spec()

    def orders(self) -> tuple[Fraction, ...]:
        """The distinct orders, ascending."""
        return tuple(sorted(set(self._orders())))

    @property
    def shown(self) -> Shown:
        """The answers are entries of the column."""
        return "time"

    @property
    def axes(self) -> tuple[tuple[str | float, ...], ...]:
        """What the positions of the value stand for: the orders, in the order asked."""
        near = [(q, float(q)) for q in self._orders()]
        return (tuple(x if Fraction(repr(x)) == q else str(q) for q, x in near),)

    def spec(self) -> spec.RankSpec:
        """Order statistics around the rank of each order."""
        return spec.ranks(
            self.column, at=self.orders(), bounds=self.bounds, step=self.step, missing=self.missing
        )

    def _orders(self) -> list[Fraction]:
        if isinstance(self.q, (str, bytes)) or not hasattr(self.q, "__len__"):
            raise ParameterTypeError(f"q must be a list of orders, got {quoted(self.q)}")
        orders = [parse_entry(q, "q") for q in parse_list(self.q, "q", "orders")]
        if not all(0 <= q <= 1 for q in orders):
            raise ParameterError(
                "q must lie between 0 and 1: write a percentage as a fraction, such as 0.9 for 90 %"
            )
        if not orders:
            raise ParameterError("q must not be empty")
        return orders

    def splits(self, relation: str) -> bool:
        """Whether splitting costs fewer shares of epsilon than one per order."""
        orders = len(self.orders())
        return sum(level_costs(orders, relation)) < orders

    @property
    def counts(self) -> bool:
        """Whether there are enough orders to read them off noisy counts."""
        return len(self.orders()) >= MANY

    def default_mechanism(self, relation: str) -> Mechanism:
        """Counts for many orders, recursive splitting where it costs less, or neither."""
        if self.counts:
            return JointMechanism("RefinedCounts(PiecewiseLaplace())")
        if self.splits(relation):
            return JointMechanism("RecursiveSplitting(PiecewiseLaplace())")
        return PiecewiseLaplace()

    def default_of_persons(self, relation: str) -> Mechanism:
        """Splitting on an index of all doubles, where declared bounds may be far too wide."""
        return BoundsSearch(_ON_ALL_DOUBLES) if self._wide else self.default_mechanism(relation)

    @property
    def _wide(self) -> bool:
        """Whether bounds that are numbers span many powers of two."""
        asked = self.spec()
        low, high = asked.bounds
        far = _FAR <= max(-low, high) <= 1 << 50
        return far and low <= 1 and high >= -1 and not (self.counts or asked.clock or asked.step)

    def profiles(self, summary: RankSummary, relation: str) -> Sequence[Profile]:
        """One profile per distinct order, for an even split."""
        return [order_profile(summary, i, relation) for i in range(len(summary.at))]

    def order_profiles(
        self, summaries: Sequence[RankSummary], relation: str
    ) -> OrderProfiles | None:
        """The profiles for many tables at once."""
        from leastnoise.profiles.orders import OrderProfiles  # for groups alone

        return OrderProfiles.of(summaries, relation)

    def joint_law(
        self, summary: RankSummary, relation: str, epsilon: Fraction
    ) -> TieBrokenLaw | BinnedLaw:
        """NOT PRIVATE. The law of all quantiles that are drawn together."""
        orders, records = self.orders(), summary.runs[0].values
        if self.counts:
            return binned_law(records, summary.lattice, orders, relation, epsilon)
        shares = level_shares(len(orders), relation, epsilon)
        return TieBrokenLaw(SplittingLaw(records, summary.lattice, orders, relation, tuple(shares)))

    def parts(self, relation: str, epsilon: Fraction) -> dict[str, str]:
        """How epsilon is spent: the cost of all answers of a level, or of all counts of a round."""
        if self.counts:
            return {name: str(part) for name, part in binned_parts(relation, epsilon).items()}
        orders = len(self.orders())
        shares = level_shares(orders, relation, epsilon)
        costs = level_costs(orders, relation)
        return {
            f"level {i + 1}": str(share * cost)
            for i, (share, cost) in enumerate(zip(shares, costs, strict=True))
        }

    def combine(self, values: Sequence[int | float]) -> list[int | float]:
        """Sorted private values, in the order asked."""
        by_order: dict[Any, int | float] = dict(zip(self.orders(), sorted(values), strict=True))
        return [by_order[q] for q in self._orders()]
