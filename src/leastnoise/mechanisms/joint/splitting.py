"""Many quantiles of one column by recursive splitting.

The middle order is released first; the records at or below the answer and those above it are then
two data sets of their own, and each half of the orders is released from its half of the records:
a tree of ``levels`` = ceil(log2(orders + 1)) levels. A record lies in one data set a level, so a
level costs what its data sets can lose together, not one share per order
(``docs/proofs/recursive-quantiles.md``). Answers never cross: each is drawn between the boundaries
released before.

Between two released boundaries the law leans towards the place that interpolation would give: a
public base exp(-LEAN |y - place| / half the distance), which matters only where a child holds too
few records to decide. Source: Kaplan, Schnapp and Stemmer (2022), on profiles with filtered
children (errata 4.13); the base and the shares that fall from level to level are ours, measured in
``benchmarks/quantiles_error.py``.

A level is drawn at once: the records around the wanted rank of each of its nodes, as many as public
numbers prescribe, then the answers, then how many records are up to each answer. So records need
not be in memory: a level is two queries, wherever they are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from leastnoise.laws import Law, LevelsLaw
from leastnoise.mechanisms import PiecewiseLaplace
from leastnoise.mechanisms.joint.tie_breaking import DIGITS, TieBrokenRecords
from leastnoise.profiles.order import order_profile
from leastnoise.randomness import BitSource
from leastnoise.sampling.leaning import draw_leaning, leaning
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import RankSummary, Run, window_ranks
from leastnoise.summaries.records import records_of

LEAN = 8
# Each level gets this part of the share of the one above it.
FALL = Fraction(9, 10)
# With many orders the last level answers between near boundaries, where leaning nearly does.
_DEEP, _LAST = 6, Fraction(1, 4)


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """NOT PRIVATE. Records x_(first + 1), ..., x_(last), boundaries and the orders left to answer.

    ``base`` and ``span`` place the node's records among all: order q becomes (q - base) / span.
    """

    first: int
    last: int
    low: int
    high: int
    orders: tuple[int, int]
    base: Fraction
    span: Fraction
    level: int

    @property
    def middle(self) -> int:
        """The index of the order that this node answers."""
        return sum(self.orders) // 2


@dataclass(frozen=True, slots=True, repr=False)
class LeaningLaw:
    """NOT PRIVATE. A law weighted by exp(-lean |y - place|)."""

    law: Law
    place: Fraction
    lean: Fraction

    def tilt(self, point: int) -> Fraction:
        """The exponent that the base adds."""
        return self.lean * abs(point - self.place)

    def draw(self, source: BitSource) -> int:
        """One exact draw; a law that does not lean is drawn as it is."""
        law = self.law
        if not self.lean:
            return law.draw(source)
        if not isinstance(law, LevelsLaw):
            raise TypeError("only a levels law can be tilted")
        cells = leaning(law.levels, self.place - law.centre, self.lean)
        return law.centre + draw_leaning(cells, source)


@dataclass(frozen=True, slots=True, repr=False)
class SplittingLaw:
    """NOT PRIVATE. The joint law of all quantiles, drawn from the root down.

    ``records`` and ``orders`` ascend; ``shares`` are the epsilons of one answer, level by level.
    ``outward`` is how much an outermost answer below the root leans towards its released end, a
    point: for ranges that reach far beyond the records.
    """

    records: Sequence[int]
    lattice: Lattice
    orders: tuple[Fraction, ...]
    relation: str
    shares: tuple[Fraction, ...]
    outward: Fraction = Fraction(0)

    @property
    def root(self) -> Node:
        """All records and all orders."""
        low, high = self.lattice.low, self.lattice.high
        everything = (0, len(self.orders))
        return Node(0, len(self.records), low, high, everything, Fraction(0), Fraction(1), 0)

    def draw(self, source: BitSource) -> list[int]:
        """One exact draw, ascending."""
        answers = [0] * len(self.orders)
        nodes = [self.root]
        while nodes:
            drawn = [law.draw(source) for law in self.laws(nodes)]
            for node, answer in zip(nodes, drawn, strict=True):
                answers[node.middle] = answer
            nodes = self.split(nodes, drawn)
        return answers

    def law(self, node: Node) -> LeaningLaw:
        """The law of one node's order."""
        return self.laws([node])[0]

    def laws(self, nodes: Sequence[Node]) -> list[LeaningLaw]:
        """The laws of the orders of some nodes.

        The root uses the profile of the relation. Below it, a record that leaves one child for
        another is a deletion and an insertion, so the exact add-remove profile serves every
        relation.
        """
        inner = [
            (self.orders[node.middle] - node.base) / node.span if node.span else Fraction(1)
            for node in nodes
        ]
        depths = [self._depth(node) for node in nodes]
        ranks = [
            window_ranks(order, node.last - node.first, depth)
            for node, order, depth in zip(nodes, inner, depths, strict=True)
        ]
        some = [i for i, node in enumerate(nodes) if node.last > node.first]
        places = [(nodes[i].first + ranks[i][0], nodes[i].first + ranks[i][1]) for i in some]
        found: Sequence[Sequence[int]] = records_of(self.records).windows(places) if places else ()
        windows = dict(zip(some, found, strict=True))
        return [
            self._law(node, inner[i], Run(ranks[i][0], windows.get(i, ())), depths[i])
            for i, node in enumerate(nodes)
        ]

    def _depth(self, node: Node) -> int:
        """How far the law of a node looks, and a few ranks more: public numbers alone."""
        bits = self.lattice.width.bit_length()
        return PiecewiseLaplace().depth(self.shares[node.level], bits) + 8

    def _law(self, node: Node, inner: Fraction, run: Run, depth: int) -> LeaningLaw:
        summary = RankSummary(
            node.last - node.first,
            replace(self.lattice, low=node.low, high=node.high),
            (inner,),
            (run,),
            depth,
        )
        relation = "add-remove" if node.level else self.relation
        law = PiecewiseLaplace().law(order_profile(summary, 0, relation), self.shares[node.level])
        width = node.high - node.low
        place, lean = node.low + inner * width, Fraction(0)
        start, stop = node.orders
        if start > 0 and stop < len(self.orders):
            lean = Fraction(2 * LEAN, width) if width else lean
        elif node.level:  # one end that nobody released: no place between both
            place, lean = Fraction(node.high if stop < len(self.orders) else node.low), self.outward
        return LeaningLaw(law, place, lean)

    def children(self, node: Node, answer: int) -> list[Node]:
        """The nodes of the orders below and above the one just answered."""
        return self.split([node], [answer])

    def split(self, nodes: Sequence[Node], answers: Sequence[int]) -> list[Node]:
        """The children of some nodes: records up to an answer go to the lower one."""
        found: list[Node] = []
        parents = [i for i, node in enumerate(nodes) if node.orders[1] - node.orders[0] > 1]
        counted = records_of(self.records).counts([answers[i] for i in parents]) if parents else []
        for i, (_, until) in zip(parents, counted, strict=True):
            node, answer = nodes[i], answers[i]
            (start, stop), middle, level = node.orders, node.middle, node.level + 1
            order, cut = self.orders[middle], min(max(until, node.first), node.last)
            if start < middle:
                orders, span = (start, middle), order - node.base
                found.append(
                    Node(node.first, cut, node.low, answer, orders, node.base, span, level)
                )
            if middle + 1 < stop:
                orders, span = (middle + 1, stop), node.base + node.span - order
                found.append(Node(cut, node.last, answer, node.high, orders, order, span, level))
        return found


@dataclass(frozen=True, slots=True, repr=False)
class TieBrokenLaw:
    """NOT PRIVATE. Splitting on records whose ties are broken by random digits below the step.

    A filter would send all records equal to an answer into one child, which shifts the ranks of
    the other. Independent digits for every record break ties, and are cut off the answers. Given
    the digits, neighbours are neighbours, so the cost is that of the splitting.
    """

    tree: SplittingLaw

    @property
    def digits(self) -> int:
        """Random bits below one step: a function of the public lattice."""
        return max(0, min(DIGITS, 62 - self.tree.lattice.width.bit_length()))

    def draw(self, source: BitSource) -> list[int]:
        """One exact draw, ascending."""
        tree, digits = self.tree, self.digits
        low, width = tree.lattice.low, tree.lattice.width
        lattice = Lattice(tree.lattice.step / 2**digits, 0, ((width + 1) << digits) - 1)
        fine = TieBrokenRecords(records_of(tree.records), low, digits, source)
        finer = replace(tree, records=fine, lattice=lattice)
        return [low + (answer >> digits) for answer in finer.draw(source)]


def level_costs(orders: int, relation: str) -> list[int]:
    """What the answers of each level cost together, in shares of that level.

    One share a level under add-remove. Else one at the root and two below: a changed record may
    leave one child and enter another.
    """
    levels = orders.bit_length()
    if relation == "add-remove":
        return [1] * levels
    return [1] + [2] * (levels - 1)


def level_shares(orders: int, relation: str, epsilon: Fraction) -> list[Fraction]:
    """The epsilon of one answer at each level, so that all levels together cost epsilon."""
    costs = level_costs(orders, relation)
    weights = [FALL**level for level in range(len(costs))]
    if len(costs) >= _DEEP:
        weights[-1] *= _LAST
    whole = sum(w * c for w, c in zip(weights, costs, strict=True))
    return [epsilon * w / whole for w in weights]
