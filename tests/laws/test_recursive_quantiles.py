"""Privacy of recursive splitting: the joint law of all answers, by enumeration."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import PureDP, audit
from leastnoise.audit.searches import tree_law
from leastnoise.laws import ConstantLaw
from leastnoise.mechanisms import PiecewiseLaplace
from leastnoise.mechanisms.joint.binned import MANY
from leastnoise.mechanisms.joint.splitting import (
    LeaningLaw,
    Node,
    SplittingLaw,
    TieBrokenLaw,
    level_costs,
    level_shares,
)
from leastnoise.mechanisms.joint.tie_breaking import random_digits
from leastnoise.profiles.order import order_profile
from leastnoise.randomness import HashedBits
from leastnoise.session.prepare import plan
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import RankSummary, Run
from leastnoise.testing import simulate

BITS = 128
LATTICE = Lattice(Fraction(1), 0, 3, 0, True)
UNIVERSE = (0, 1, 3)
QUARTILES = tuple(Fraction(i, 4) for i in (1, 2, 3))
SEVEN = tuple(Fraction(i, 8) for i in range(1, 8))
Certain = tuple[Fraction, Fraction]


def loss(
    relation: str,
    n: int,
    orders: tuple[Fraction, ...],
    claim: Fraction,
    kind: type[SplittingLaw] = SplittingLaw,
    shares: tuple[Fraction, ...] = (),
    root: str = "",
) -> audit.ExactReport:
    parts = shares or tuple(level_shares(len(orders), relation, claim))

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        return tree_law(kind(sorted(data), LATTICE, orders, root or relation, parts))

    return audit.exact_law(law_of, universe=UNIVERSE, n=n, relation=relation, claim=PureDP(claim))


@pytest.mark.parametrize("epsilon", ["1/2", "3"])
@pytest.mark.parametrize(("relation", "n"), [("replace-one", 3), ("add-remove", 4), ("edit", 3)])
@pytest.mark.parametrize("orders", [QUARTILES, (Fraction(0), Fraction(1, 3), Fraction(1))])
def test_two_levels(relation: str, n: int, orders: tuple[Fraction, ...], epsilon: str) -> None:
    assert loss(relation, n, orders, Fraction(epsilon)).passed


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_one_order_alone_costs_epsilon(relation: str) -> None:
    """The root has records close together beside one far off, where wrong ranks lose most."""
    wide, half, one = Lattice(Fraction(1), 0, 9, 0, True), (Fraction(1, 2),), (Fraction(1),)

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        return tree_law(SplittingLaw(sorted(data), wide, half, relation, one))

    found = audit.exact_law(law_of, universe=(0, 1, 9), n=4, relation=relation, claim=PureDP(1))
    assert found.passed, found


def test_three_levels() -> None:
    found = loss("add-remove", 2, SEVEN[1:6], Fraction(2))  # five orders
    assert found.passed


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_random_digits_keep_the_price(relation: str) -> None:
    """The mixture over all digits, which are cut off the answers."""
    claim = Fraction(2)
    shares = tuple(level_shares(3, relation, claim))
    fine = Lattice(Fraction(1, 2), 0, 5, 0, False)  # 0, 1, 2 with one digit each

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        found: dict[tuple[int, ...], Certain] = {}
        chance = Fraction(1, 2 ** len(data))
        for digits in product((0, 1), repeat=len(data)):
            records = sorted(2 * x + d for x, d in zip(data, digits, strict=True))
            table = tree_law(SplittingLaw(records, fine, QUARTILES, relation, shares)).table
            for path, (low, high) in table.items():
                key = tuple(answer >> 1 for _, answer in path)
                a, b = found.get(key, (Fraction(0), Fraction(0)))
                found[key] = a + chance * low, b + chance * high
        return audit.Probabilities(found)

    universe, n = (0, 1, 2), 2
    found = audit.exact_law(law_of, universe=universe, n=n, relation=relation, claim=PureDP(claim))
    assert found.passed


def test_digits_are_uniform_and_cut_off() -> None:
    source = HashedBits(b"digits")
    digits = random_digits(100_000, 4, source)
    counts = np.bincount(digits, minlength=16)
    assert len(counts) == 16
    assert np.all(np.abs(counts - 6250) < 6 * 6250**0.5)
    assert len(random_digits(0, 16, source)) == 0
    for lattice in (LATTICE, Lattice(Fraction(1, 2**40), -(2**61), 2**61 - 1)):
        tree = SplittingLaw([lattice.low, lattice.high], lattice, SEVEN, "edit", (Fraction(1),) * 3)
        for _ in range(20):
            answers = TieBrokenLaw(tree).draw(source)
            assert answers == sorted(answers)
            assert lattice.low <= answers[0]
            assert answers[-1] <= lattice.high


def test_ties_do_not_shift_ranks() -> None:
    ages = np.repeat(np.arange(20, 60), 500)
    q = [Fraction(i, 40) for i in range(1, 40)]
    with simulate("ties"):
        r = ln.release(ln.Quantiles(q=q, bounds=(0, 100)), ages, epsilon=5, relation="add-remove")
    # the answers at a jump between two ages may fall on either
    wrong = [a - (20 + 40 * i // 40 - 1) for i, a in enumerate(r.value, start=1)]
    assert all(w in (0, 1) for w in wrong)


@dataclass(frozen=True, slots=True, repr=False)
class Clipping(SplittingLaw):
    """Wrong: children keep all records and clip them to their boundaries."""

    def law(self, node: Node) -> LeaningLaw:
        lattice = replace(self.lattice, low=node.low, high=node.high)
        clipped = sorted(min(max(x, node.low), node.high) for x in self.records)
        order = self.orders[node.middle]
        summary = RankSummary(len(clipped), lattice, (order,), (Run(1, clipped),), None)
        law = PiecewiseLaplace().law(order_profile(summary, 0, "edit"), self.shares[node.level])
        return LeaningLaw(law, Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True, repr=False)
class GlobalRank(SplittingLaw):
    """Wrong: children are filtered, but take the global rank less the number of records below."""

    def law(self, node: Node) -> LeaningLaw:
        n = node.last - node.first
        rank = max(1, -(-self.orders[node.middle] * len(self.records) // 1))
        inner = Fraction(min(max(1, rank - node.first), max(1, n)), max(1, n))
        lattice = replace(self.lattice, low=node.low, high=node.high)
        records = self.records[node.first : node.last]
        summary = RankSummary(n, lattice, (inner,), (Run(1, records),), None)
        law = PiecewiseLaplace().law(order_profile(summary, 0, "edit"), self.shares[node.level])
        return LeaningLaw(law, Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True, repr=False)
class LeaningToRecords(SplittingLaw):
    """Wrong: nodes lean to the middle one of their records."""

    def law(self, node: Node) -> LeaningLaw:
        right = SplittingLaw.law(self, node)
        if node.first == node.last:
            return right
        middle = self.records[(node.first + node.last) // 2]
        return LeaningLaw(right.law, Fraction(middle), Fraction(1, 4))


def log_masses(law: LeaningLaw, low: int, high: int) -> np.ndarray:
    """log p of every point of a node's range, in doubles."""
    points = np.arange(low, high + 1)
    exponents = np.zeros(len(points))
    if not isinstance(law.law, ConstantLaw):
        for run in law.law.runs() or ():
            i = np.arange(run.count or 0)
            at = run.first + run.direction * i - low
            exponents[at] = float(run.exponent) + float(run.slope) * i
    exponents += float(law.lean) * np.abs(points - float(law.place))
    return -exponents - np.log(np.exp(-exponents).sum())


def worst(a: SplittingLaw, b: SplittingLaw, left: Node, right: Node) -> tuple[float, float]:
    """Largest log p - log p' and log p' - log p over all answers below a pair of nodes.

    Children are independent given the answer, so wide ranges, where the normaliser moves by its
    full factor, cost only the square of the range.
    """
    low, high = left.low, left.high
    change = log_masses(a.law(left), low, high) - log_masses(b.law(right), low, high)
    up = down = -np.inf
    for answer, d in zip(range(low, high + 1), change.tolist(), strict=True):
        most, least = d, -d
        pairs = zip(a.children(left, answer), b.children(right, answer), strict=True)
        for one, other in pairs:
            further = worst(a, b, one, other)
            most, least = most + further[0], least + further[1]
        up, down = max(up, most), max(down, least)
    return up, down


def wide_loss(
    x: list[int],
    y: list[int],
    high: int,
    relation: str,
    kind: type[SplittingLaw] = SplittingLaw,
    orders: tuple[Fraction, ...] = QUARTILES,
    shares: tuple[Fraction, ...] = (Fraction(1), Fraction(1)),
) -> float:
    """The loss of one pair; with a share of 1 in each of two levels unless told."""
    lattice = Lattice(Fraction(1), 0, high, 0, True)
    a, b = (kind(sorted(data), lattice, orders, relation, shares) for data in (x, y))
    return max(worst(a, b, a.root, b.root))


def test_wide_ranges() -> None:
    """The prices are nearly attained, and hold."""
    for x, y in [([0, 1, 50, 51], [0, 1, 50, 51, 99]), ([99, 99], [1, 99, 99])]:
        assert wide_loss(x, y, 100, "add-remove") <= 2
    assert wide_loss([99, 99], [1, 99, 99], 100, "add-remove") > 1.9
    assert wide_loss([1, 50, 51], [50, 51, 51], 100, "replace-one") <= 3


@pytest.mark.parametrize("epsilon", [1, 3])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_wide_ranges_at_the_price_that_is_charged(relation: str, epsilon: int) -> None:
    """The shares of a release, on pairs of neighbours that nearly attain the price."""
    shares = tuple(level_shares(3, relation, Fraction(epsilon)))
    replaced = [
        ([1, 50, 51], [50, 51, 51]),
        ([50, 51], [51, 99]),
        ([0, 49, 50, 51], [49, 50, 51, 99]),
    ]
    longer = [([99, 99], [1, 99, 99]), ([0, 1, 50, 51], [0, 1, 50, 51, 99]), ([50], [1, 50])]
    pairs = {"replace-one": replaced, "add-remove": longer, "edit": replaced + longer}[relation]
    losses = [wide_loss(x, y, 100, relation, shares=shares) for x, y in pairs]
    assert max(losses) <= epsilon
    assert max(losses) > 0.7 * epsilon


def test_a_replaced_record_costs_two_shares_below_the_root() -> None:
    assert wide_loss([1, 50, 51], [50, 51, 51], 100, "replace-one") > 2.5


def test_an_add_remove_root_under_replacement_breaks_the_claim() -> None:
    """The root must use the profile of the relation: one share for one changed record."""
    assert wide_loss([1, 50, 51], [50, 51, 51], 100, "add-remove") > 3.5


def test_children_that_take_the_global_rank_break_the_claim() -> None:
    x, orders = [1, 40, 41, 79, 80], (Fraction(5, 12), Fraction(1, 2), Fraction(5, 6))
    assert wide_loss(x, [*x, 20], 80, "add-remove", GlobalRank, orders) > 2
    assert wide_loss(x, [*x, 20], 80, "add-remove", SplittingLaw, orders) <= 2


def test_children_that_clip_break_the_claim() -> None:
    x = [0, 1, 150, 151]
    assert wide_loss(x, [*x, 299], 300, "add-remove", Clipping) > 2
    assert wide_loss(x, [*x, 299], 300, "add-remove") <= 2


def test_a_base_that_follows_the_records_breaks_the_claim() -> None:
    for relation, n in (("add-remove", 3), ("replace-one", 2)):
        assert not loss(relation, n, QUARTILES, Fraction(2), LeaningToRecords).passed
        assert loss(relation, n, QUARTILES, Fraction(2)).passed


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("orders", [1, 2, 3, 7, 8, 99])
def test_shares_add_up_exactly(relation: str, orders: int) -> None:
    shares = level_shares(orders, relation, Fraction(1, 3))
    costs = level_costs(orders, relation)
    assert sum(s * c for s, c in zip(shares, costs, strict=True)) == Fraction(1, 3)
    assert len(shares) == orders.bit_length()


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_any_number_of_quantiles_is_answered_for_epsilon(relation: str) -> None:
    """By each of the three ways; where the way is a tree, by a share for each of its levels."""
    data = np.arange(40)
    for count in range(1, MANY + 2):
        asked = ln.Quantiles(
            q=[Fraction(i, count + 1) for i in range(1, count + 1)], bounds=(0, 40)
        )
        with simulate(count):
            made = ln.release(asked, data, epsilon="3/2", relation=relation)
        assert len(made.value) == count
        assert made.value == sorted(made.value)
        if asked.counts or not asked.splits(relation):
            continue
        prepared = plan(asked, data, relation, None)
        summary = prepared.table.summarise(prepared.request, None)
        shares = asked.joint_law(summary, relation, Fraction(3, 2)).tree.shares
        costs = level_costs(count, relation)
        assert sum(s * c for s, c in zip(shares, costs, strict=True)) == Fraction(3, 2)


def test_the_rule_for_splitting_is_public() -> None:
    def split(orders: int, relation: str) -> bool:
        q = [Fraction(i, orders + 1) for i in range(1, orders + 1)]
        return ln.Quantiles(q=q, bounds=(0, 1)).splits(relation)

    assert [m for m in range(1, 20) if not split(m, "add-remove")] == [1, 2]
    for relation in ("replace-one", "edit"):
        assert [m for m in range(1, 20) if not split(m, relation)] == [1, 2, 3, 4, 5]
