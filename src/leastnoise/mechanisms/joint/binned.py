"""Many quantiles of one column from noisy counts of bins that are refined round by round.

A tree of splits pays a share of epsilon for every level, and the last levels divide a handful of
records. Counts of disjoint bins cost one share together, however many there are. So only the
quartiles are split off, for a fifth of epsilon; the bins of a first, cheap round of counts are
placed by them, those of the next round by the quantiles that the counts before tell, and those of
the last round, for most of epsilon, by the ones before. The answers are read off the last counts.
Where the first counts tell of so many records that bins are too coarse for what is left of
epsilon, all of that goes to a tree of splits instead: its error does not grow with the records.

A round costs one share under add-remove, and two where a record may leave one bin for another
(``docs/proofs/binned-quantiles.md``). Everything else is arithmetic on what was released. Shares,
numbers and widths of bins were chosen by measuring (``docs/decisions/0014-many-quantiles.md``).

Records need not be in memory: a round is one query, how many lie below each edge.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import floor, isqrt

from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.mechanisms.joint.splitting import (
    SplittingLaw,
    TieBrokenLaw,
    level_costs,
    level_shares,
)
from leastnoise.randomness import BitSource
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import records_of

# From so many orders on counts beat a tree of splits, which then has five levels or more.
MANY = 16
QUARTILES = tuple(Fraction(i, 4) for i in (1, 2, 3))
# Parts of epsilon: the quartiles, then the rounds of counts.
_PLACED, _ROUNDS = Fraction(1, 5), (Fraction(1, 20), Fraction(1, 10), Fraction(13, 20))
# Bins of equal mass in the later rounds, at least; if more are wanted than the second number and
# three for each order, a tree of splits is better.
_FEWEST, _MOST = 32, 128
# The first edges move away from a quartile fourfold, beginning at 4^-5 of a cell between two
# quartiles, and outside them at 1/64 of the nearest cell.
_NEAR, _OUTER = 5, 6


@dataclass(frozen=True)
class Bins:
    """Released: disjoint bins of lattice points with noisy counts.

    Bin i holds the points edges[i] <= x < edges[i + 1]; the first edge is the lattice's low end,
    the last one is one step above its high end.
    """

    edges: tuple[int, ...]
    counts: tuple[int, ...]

    @cached_property
    def masses(self) -> list[int]:
        """The nearest counts that are not negative and have the same sum, up to a common factor.

        Where the sum is not positive nothing is known: masses are widths.
        """
        total, kept, above = sum(self.counts), 1, 0
        if total <= 0:
            return [b - a for a, b in pairwise(self.edges)]
        ordered = sorted(self.counts, reverse=True)
        for number, (count, so_far) in enumerate(
            zip(ordered, accumulate(ordered), strict=True), start=1
        ):
            if number * count > so_far - total:
                kept, above = number, so_far - total
        return [max(0, kept * count - above) for count in self.counts]

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(self.masses))

    def place(self, order: Fraction) -> tuple[int, Fraction]:
        """The bin of an order, and its place on a straight line between the bin's edges."""
        ends, masses = self._ends, self.masses
        target = order * ends[-1]
        # bins without mass end where the one before them does: they are passed over
        i = bisect_left(ends, target) if target else bisect_right(ends, 0)
        part = (target - ends[i]) / masses[i] + 1
        return i, self.edges[i] + part * (self.edges[i + 1] - self.edges[i])

    def point(self, order: Fraction) -> int:
        """The lattice point of an order."""
        i, place = self.place(order)
        return min(floor(place), self.edges[i + 1] - 1)


def first_edges(lattice: Lattice, quartiles: Sequence[int]) -> tuple[int, ...]:
    """Edges around released quartiles: quartiles and both ends of the lattice have own bins."""
    low, high = lattice.low, lattice.high
    found = {p + i for p in (low, *quartiles, high) for i in (0, 1)}
    for left, right in pairwise(quartiles):
        width = right - left
        steps = [width >> 2 * j for j in range(1, _NEAR + 1)]
        found |= {left + width // 2, *(left + s for s in steps), *(right - s for s in steps)}
    for start, room, sign, cell in (
        (quartiles[0], quartiles[0] - low, -1, quartiles[1] - quartiles[0]),
        (quartiles[-1], high - quartiles[-1], 1, quartiles[-1] - quartiles[-2]),
    ):
        step = max(1, (cell or room >> _OUTER) >> _OUTER)
        while step < room:
            found.add(start + sign * step)
            step *= 4
    return tuple(sorted(p for p in found if low <= p <= high + 1))


def wanted_bins(bins: Bins, rate: Fraction) -> int:
    """How many bins balance the noise of counts at ``rate`` and the lines within bins."""
    return isqrt(int(2 * rate**2 * max(1, sum(bins.counts))))


def next_edges(bins: Bins, first: Iterable[int], rate: Fraction) -> tuple[int, ...]:
    """Edges at quantiles that released counts tell, and in the tails the first edges."""
    many = max(_FEWEST, wanted_bins(bins, rate))
    inner = [Fraction(j, many) for j in range(1, many)]
    tails = [Fraction(1, 4 * many), Fraction(1, 2 * many)]
    orders = [*tails, *inner, *(1 - q for q in tails)]
    places = {q: _nearest(bins.place(q)[1]) for q in orders}
    left, right = places[inner[0]], places[inner[-1]]
    outside = {p for p in first if not left <= p <= right}
    return tuple(sorted({bins.edges[0], bins.edges[-1], *places.values(), *outside}))


def _nearest(place: Fraction) -> int:
    return floor(place + Fraction(1, 2))


@dataclass(frozen=True, slots=True, repr=False)
class BinnedLaw:
    """NOT PRIVATE. The joint law of many quantiles: quartiles, then rounds of counts.

    ``tree`` splits off the quartiles, ``rates`` are the epsilons of one count, round by round.
    ``whole`` is the tree of all orders that takes the place of all rounds but the first if more
    than ``most`` bins are wanted.
    """

    tree: SplittingLaw
    rates: tuple[Fraction, ...]
    whole: SplittingLaw
    most: int

    def draw(self, source: BitSource) -> list[int]:
        """One exact draw, ascending."""
        first = edges = self.first(TieBrokenLaw(self.tree).draw(source))
        bins = self.noisy(edges, 0, source)
        if self.splits(bins):
            return TieBrokenLaw(self.whole).draw(source)
        for turn in range(1, len(self.rates)):
            edges = self.refined(bins, first)
            bins = self.noisy(edges, turn, source)
        return [bins.point(order) for order in self.whole.orders]

    def splits(self, bins: Bins) -> bool:
        """Whether the released counts of the first round call for a tree."""
        return wanted_bins(bins, self.rates[-1]) > self.most

    def first(self, quartiles: Sequence[int]) -> tuple[int, ...]:
        """The edges of the first round."""
        return first_edges(self.tree.lattice, quartiles)

    def refined(self, bins: Bins, first: Sequence[int]) -> tuple[int, ...]:
        """The edges of the round after one whose counts are released."""
        return next_edges(bins, first, self.rates[-1])

    def counts(self, edges: Sequence[int]) -> list[int]:
        """How many records each bin holds."""
        records, inner = self.tree.records, edges[1:-1]
        below = [b for b, _ in records_of(records).counts(inner)] if inner else []
        return [b - a for a, b in pairwise([0, *below, len(records)])]

    def laws(self, edges: Sequence[int], turn: int) -> list[DiscreteLaplaceLaw]:
        """The laws of the counts of one round."""
        rate = self.rates[turn]
        return [DiscreteLaplaceLaw(count, rate, Fraction(1)) for count in self.counts(edges)]

    def noisy(self, edges: tuple[int, ...], turn: int, source: BitSource) -> Bins:
        """The released counts of one round."""
        return Bins(edges, tuple(law.draw(source) for law in self.laws(edges, turn)))


def round_cost(relation: str) -> int:
    """What the counts of one round cost together, in shares of one count.

    A record lies in one bin; where it may be changed it leaves one and enters another.
    """
    return 1 if relation == "add-remove" else 2


def binned_law(
    records: Sequence[int],
    lattice: Lattice,
    orders: tuple[Fraction, ...],
    relation: str,
    epsilon: Fraction,
) -> BinnedLaw:
    """NOT PRIVATE. The law of the quantiles of ascending records, for ``epsilon`` altogether."""
    rates = tuple(epsilon * part / round_cost(relation) for part in _ROUNDS)
    tree, whole = (
        SplittingLaw(
            records, lattice, asked, relation, tuple(level_shares(len(asked), relation, e))
        )
        for asked, e in ((QUARTILES, epsilon * _PLACED), (orders, epsilon * sum(_ROUNDS[1:])))
    )
    return BinnedLaw(tree, rates, whole, _MOST + 3 * len(orders))


def binned_parts(relation: str, epsilon: Fraction) -> dict[str, Fraction]:
    """How epsilon is spent: the levels of the quartiles, the first counts, what follows them."""
    shares = level_shares(len(QUARTILES), relation, epsilon * _PLACED)
    costs = level_costs(len(QUARTILES), relation)
    levels = [share * cost for share, cost in zip(shares, costs, strict=True)]
    return {
        **{f"level {i}": part for i, part in enumerate(levels, start=1)},
        "counts": epsilon * _ROUNDS[0],
        "answers": epsilon * sum(_ROUNDS[1:]),
    }
