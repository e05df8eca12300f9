"""Many quantiles from rounds of counts: their joint law by enumeration, and their arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise import PureDP, audit
from leastnoise.audit.searches import refined_counts, rounds_law
from leastnoise.mechanisms.joint.binned import (
    QUARTILES,
    BinnedLaw,
    Bins,
    binned_law,
    binned_parts,
    first_edges,
    next_edges,
)
from leastnoise.mechanisms.joint.splitting import level_costs
from leastnoise.randomness import HashedBits
from leastnoise.summaries.lattice import Lattice
from leastnoise.testing import simulate

F = Fraction
RELATIONS = ["replace-one", "add-remove", "edit"]
DECILES = tuple(F(i, 10) for i in range(11))


def report(
    relation: str,
    claim: Fraction,
    kind: type[BinnedLaw] = BinnedLaw,
    *,
    high: int = 1,
    rounds: int = 3,
    factor: int = 1,
    universe: Sequence[int] = (),
    n: int = 2,
) -> audit.ExactReport:
    """The worst loss on the lattice 0, ..., high, with ``factor`` times the rates."""

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        lattice = Lattice(F(1), 0, high, 0, True)
        law = binned_law(sorted(data), lattice, QUARTILES, relation, claim)
        rates = tuple(factor * rate for rate in law.rates[-rounds:])
        return rounds_law(kind(law.tree, rates, law.whole, 99))

    places = tuple(universe) or tuple(range(high + 1))
    return audit.exact_law(law_of, universe=places, n=n, relation=relation, claim=PureDP(claim))


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_whole_release_keeps_its_price(relation: str) -> None:
    found = report(relation, F(3))
    assert found.passed
    assert found.lo > F(4, 5) * 3  # the counts' part, which is attained


@dataclass(frozen=True, slots=True, repr=False)
class Halves(BinnedLaw):
    """The first bins are two public halves of the lattice 0, ..., 3."""

    def first(self, quartiles: Sequence[int]) -> tuple[int, ...]:
        return (0, 2, 4)


@pytest.mark.parametrize("relation", RELATIONS)
def test_bins_that_are_placed_by_counts_keep_their_price(relation: str) -> None:
    assert report(relation, F(2), Halves, high=3, rounds=2, universe=(1, 3)).passed
    law = binned_law([0, 2, 3], Lattice(F(1), 0, 3, 0, True), QUARTILES, relation, F(2))
    table = rounds_law(Halves(law.tree, law.rates[-2:], law.whole, 99)).table
    assert {rounds[1][0] for _, rounds in cast("list[Any]", list(table))} == {
        (0, 1, 2, 4), (0, 2, 3, 4), (0, 1, 2, 3, 4)
    }  # fmt: skip


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_tree_in_place_of_the_last_rounds_keeps_the_price(relation: str) -> None:
    found = audit.exact_law(
        lambda data: refined_counts(data, relation, F(2)),
        universe=(0, 1, 2), n=2, relation=relation, claim=PureDP(F(2)),
    )  # fmt: skip
    assert found.passed
    table = refined_counts((0, 2), relation, F(2)).table
    ends = {len(rounds[1]) for _, rounds in cast("list[Any]", list(table))}
    assert ends == {2, 3}  # edges and counts, or three answers


@dataclass(frozen=True, slots=True, repr=False)
class Knowing(BinnedLaw):
    """Wrong: the exact number of records calls for the tree."""

    def splits(self, bins: Bins) -> bool:
        return len(self.tree.records) > 1


def test_a_tree_that_is_called_for_by_the_records_breaks_the_claim() -> None:
    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        law = binned_law(sorted(data), Lattice(F(1), 0, 1, 0, True), QUARTILES, "edit", F(1))
        return rounds_law(Knowing(law.tree, law.rates[::2], law.whole, law.most))

    found = audit.exact_law(law_of, universe=(0, 1), n=2, relation="edit", claim=PureDP(F(1)))
    assert not found.passed


@dataclass(frozen=True, slots=True, repr=False)
class Touching(BinnedLaw):
    """Wrong: a record on an edge lies in both bins beside it."""

    def counts(self, edges: Sequence[int]) -> list[int]:
        return [sum(a <= x <= b for x in self.tree.records) for a, b in pairwise(edges)]


@dataclass(frozen=True, slots=True, repr=False)
class Nested(BinnedLaw):
    """Wrong: a bin holds all records up to its end."""

    def counts(self, edges: Sequence[int]) -> list[int]:
        return [sum(x < b for x in self.tree.records) for b in edges[1:]]


@dataclass(frozen=True, slots=True, repr=False)
class Following(Halves):
    """Wrong: bins are placed by the exact counts of the round before."""

    def refined(self, bins: Bins, first: Sequence[int]) -> tuple[int, ...]:
        exact = Bins(bins.edges, tuple(self.counts(bins.edges)))
        return next_edges(exact, first, self.rates[-1])


@pytest.mark.parametrize("kind", [Touching, Nested])
@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_bins_that_share_records_break_the_claim(kind: type[BinnedLaw], relation: str) -> None:
    """Under edit two shares pay for a record in two bins, but not for one that leaves them too."""
    assert not report(relation, F(2), kind, high=3, rounds=1, universe=(1, 3)).passed


@pytest.mark.parametrize("relation", RELATIONS)
def test_bins_placed_by_the_records_break_the_claim(relation: str) -> None:
    found = report(relation, F(2), Following, high=3, rounds=2, universe=(0, 3), n=1)
    assert not found.passed


@pytest.mark.parametrize("relation", ["replace-one", "edit"])
def test_one_share_for_a_changed_record_breaks_the_claim(relation: str) -> None:
    assert not report(relation, F(2), factor=2).passed


@pytest.mark.parametrize("relation", RELATIONS)
def test_epsilon_is_spent_exactly(relation: str) -> None:
    epsilon = F(1, 3)
    law = binned_law([], Lattice(F(1), 0, 9), DECILES, relation, epsilon)
    cost = 1 if relation == "add-remove" else 2
    parts = binned_parts(relation, epsilon)
    assert sum(parts.values()) == epsilon
    assert cost * law.rates[0] == parts["counts"]
    assert cost * sum(law.rates[1:]) == parts["answers"]
    for tree, part in (
        (law.tree, parts["level 1"] + parts["level 2"]),
        (law.whole, parts["answers"]),
    ):
        costs = level_costs(len(tree.orders), relation)
        assert sum(s * c for s, c in zip(tree.shares, costs, strict=True)) == part
    with simulate("parts"):
        r = ln.release(
            ln.Quantiles(q=[F(i, 20) for i in range(20)], bounds=(0, 9)),
            [3, 4], epsilon=epsilon, relation=relation,
        )  # fmt: skip
    assert {name: F(part) for name, part in r.parts.items()} == parts


def test_counts_have_the_noise_of_their_round() -> None:
    law = binned_law([5] * 40, Lattice(F(1), 0, 9), DECILES, "add-remove", F(4))
    source = HashedBits(b"rounds")
    for turn, rate in enumerate(law.rates):
        drawn = np.array([law.noisy((0, 5, 7, 10), turn, source).counts for _ in range(1500)])
        assert np.all(np.abs(drawn.mean(0) - [0, 40, 0]) < 6 * drawn.std(0) / 1500**0.5)
        q = np.exp(-float(rate))
        variance = 2 * q / (1 - q) ** 2
        assert np.all(np.abs(drawn.var(0) / variance - 1) < 0.4)


EDGES = st.lists(st.integers(-9, 10**6), min_size=2, max_size=9, unique=True).map(sorted)


@given(EDGES, st.data())
def test_answers_ascend_and_lie_in_their_bins(edges: list[int], data: st.DataObject) -> None:
    size = len(edges) - 1
    counts = data.draw(st.lists(st.integers(-30, 90), min_size=size, max_size=size))
    bins = Bins(tuple(edges), tuple(counts))
    assert min(bins.masses) >= 0
    if sum(counts) > 0:
        scale = F(sum(bins.masses), sum(counts))
        assert scale == int(scale) > 0
        # the nearest: what is left of a count is smaller by one number for all that are kept
        less = {c - m / scale for c, m in zip(counts, bins.masses, strict=True) if m}
        assert len(less) == 1
        assert all(c <= min(less) for c, m in zip(counts, bins.masses, strict=True) if not m)
    points = [bins.point(order) for order in DECILES]
    assert points == sorted(points)
    assert edges[0] <= points[0]
    assert points[-1] < edges[-1]
    filled = [i for i, mass in enumerate(bins.masses) if mass]
    assert points[0] == edges[filled[0]]
    assert points[-1] == edges[filled[-1] + 1] - 1
    following = next_edges(bins, edges, F(1, 2))
    assert {edges[0], edges[-1]} <= set(following)
    assert list(following) == sorted(set(following))
    assert len(following) < 40 + len(edges)


def test_lines_within_bins_are_rounded_alike_everywhere() -> None:
    for shift in (0, -7, -1000):
        bins = Bins((shift, shift + 10, shift + 14), (10, 4))
        points = [bins.point(F(2 * i + 1, 28)) - shift for i in range(14)]
        assert points == list(range(14))
        assert next_edges(bins, (), F(1, 2)) == tuple(range(shift, shift + 15))


@given(st.lists(st.integers(0, 10**6), min_size=3, max_size=3), st.integers(1, 10**6))
def test_first_bins_hold_quartiles_and_ends_alone(quartiles: list[int], high: int) -> None:
    inside = sorted(q % (high + 1) for q in quartiles)
    edges = first_edges(Lattice(F(1), 0, high), inside)
    assert edges[0] == 0
    assert edges[-1] == high + 1
    assert list(edges) == sorted(set(edges))
    assert {p + i for p in (0, *inside, high) for i in (0, 1)} <= set(edges)
    assert len(edges) < 60


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "data", [[], [7], [7] * 50, [-1e9, 1e9, float("nan")], [0.1, 0.1, 0.2] * 9]
)
@pytest.mark.parametrize(("bounds", "step"), [((0, 100), None), ((0, 1e12), 1), ((7, 8), 1)])
def test_every_data_set_has_answers(
    data: list[float], bounds: tuple[float, float], step: int | None, relation: str
) -> None:
    orders = [F(i, 20) for i in range(21)]
    statistic = ln.Quantiles(q=orders, bounds=bounds, step=step)
    for epsilon in (F(1, 1000), 30):
        with simulate(f"{bounds}{len(data)}"):
            r = ln.release(statistic, data, epsilon=epsilon, relation=relation)
        values = cast("list[float]", r.value)
        assert values == sorted(values)
        assert bounds[0] <= values[0]
        assert values[-1] <= bounds[1]


def test_points_with_many_records_are_met() -> None:
    """An atom of nine tenths among numbers far apart, and small integers."""
    orders = [F(i, 20) for i in range(1, 20)]
    rng = np.random.default_rng(7)
    zeros = np.concatenate([np.zeros(9000), rng.uniform(1, 1e6, 1000)])
    counts = rng.poisson(3, 10_000)
    for x, bounds in ((zeros, (0, 1e6)), (counts, (0, 1000))):
        with simulate("atoms"):
            r = ln.release(ln.Quantiles(q=orders, bounds=bounds), x, epsilon=2)
        exact = np.quantile(x, [float(q) for q in orders], method="inverted_cdf")
        # all but orders at a jump, the share of zeros among them
        assert np.sum(np.array(r.value) != exact) <= 3


def test_the_rule_is_public() -> None:
    def counted(orders: int) -> bool:
        return ln.Quantiles(q=[F(i, orders) for i in range(orders)], bounds=(0, 1)).counts

    assert [m for m in range(1, 40) if counted(m)] == list(range(16, 40))


def test_many_records_call_for_a_tree() -> None:
    """By the released counts alone, at about the square of the bins that it beats."""
    law = binned_law(range(1000), Lattice(F(1), 0, 999), DECILES, "add-remove", F(2))
    assert law.most == 128 + 3 * len(DECILES)
    for records, tree in ((7_000, False), (9_000, True)):
        assert law.splits(Bins((0, 5, 1000), (3, records - 3))) == tree
    x = np.random.default_rng(3).normal(50, 10, 300_000)
    orders = [F(i, 20) for i in range(1, 20)]
    with simulate("a tree"):
        r = ln.release(ln.Quantiles(q=orders, bounds=(0, 100)), x, epsilon=2)
    ranks = np.searchsorted(np.sort(x), cast("list[float]", r.value))
    assert np.abs(ranks - 15_000 * np.arange(1, 20)).mean() < 20
