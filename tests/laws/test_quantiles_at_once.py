"""Quantiles that are drawn at once: privacy of the joint law, and that the sampler draws it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import Any

import pytest

from leastnoise import PureDP, audit
from leastnoise.audit.searches import at_once_law
from leastnoise.mechanisms.joint import at_once
from leastnoise.mechanisms.joint.at_once import AtOnceLaw, Base
from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import HashedBits
from leastnoise.sampling.chain import Chain, Segments, draw_enclosed
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Listed

LATTICE = Lattice(Fraction(1), 0, 3, 0, True)
QUARTILES = tuple(Fraction(i, 4) for i in (1, 2, 3))
FOUR = tuple(Fraction(i, 5) for i in range(1, 5))
BASES, EVEN = (Base((1, 2)), Base((2,), 1)), (Base(),)
OUTER = (Fraction(0), Fraction(1, 10), Fraction(1))


def report(
    relation: str,
    claim: Fraction,
    orders: tuple[Fraction, ...] = QUARTILES,
    kind: type[AtOnceLaw] = AtOnceLaw,
    n: int = 3,
) -> audit.ExactReport:
    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        return at_once_law(kind(sorted(data), LATTICE, orders, claim, BASES))

    return audit.exact_law(law_of, universe=(0, 1, 3), n=n, relation=relation, claim=PureDP(claim))


@pytest.mark.parametrize("epsilon", ["1/2", "3"])
@pytest.mark.parametrize("relation", ["replace-one", "edit"])
@pytest.mark.parametrize("orders", [QUARTILES, QUARTILES[:2], FOUR, OUTER], ids=len)
def test_all_answers_cost_epsilon(
    relation: str, orders: tuple[Fraction, ...], epsilon: str
) -> None:
    found = report(relation, Fraction(epsilon), orders, n=4 if len(orders) == 3 else 3)
    assert found.passed


THIRD = (Fraction(1, 3),)
WIDE = Lattice(Fraction(1), 0, 40, 0, True)


def wide(
    kind: type[AtOnceLaw] = AtOnceLaw, universe: tuple[int, ...] = (0, 1, 40), n: int = 3
) -> audit.ExactReport:
    """A range that is wide: of (1, 40, 40) and (0, 1, 40) all of it gets less likely but 0."""

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        return at_once_law(kind(sorted(data), WIDE, THIRD, Fraction(2), EVEN))

    return audit.exact_law(
        law_of, universe=universe, n=n, relation="replace-one", claim=PureDP(Fraction(2))
    )


def test_the_price_is_nearly_attained() -> None:
    found = wide()
    assert found.passed
    assert found.lo > Fraction(3, 2)


def test_a_reach_that_ends_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_once, "_REST", -5)
    law = AtOnceLaw([0, 1, 3], LATTICE, QUARTILES, Fraction(1), BASES)
    assert law.reach == 2
    assert report("edit", Fraction(1), n=4).passed


@dataclass(frozen=True, slots=True, repr=False)
class WholeRanks(AtOnceLaw):
    """Wrong where the number of records may change: orders are rounded up to ranks."""

    def _places(self, ranks: Sequence[Sequence[int]]) -> list[list[int]]:
        n, parts = len(self.records), self.parts
        return [
            [(r + (-order * n).__floor__()) * parts for r in some]
            for some, order in zip(ranks, self.orders, strict=True)
        ]


def test_orders_that_are_rounded_to_ranks_break_the_claim() -> None:
    assert report("replace-one", Fraction(3), FOUR, WholeRanks).passed
    assert not report("edit", Fraction(3), FOUR, WholeRanks).passed


@dataclass(frozen=True, slots=True, repr=False)
class HalvingAtRecords(AtOnceLaw):
    """Wrong: the base halves at the records."""

    def base(self, answers: Sequence[int]) -> Fraction:
        return Fraction(1, 16 ** sum(answers[0] < x <= answers[-1] for x in self.records))


def test_a_base_that_follows_the_records_breaks_the_claim() -> None:
    assert not report("replace-one", Fraction(1, 2), kind=HalvingAtRecords).passed


@dataclass(frozen=True, slots=True, repr=False)
class EndOfTheRecords(AtOnceLaw):
    """Wrong: the reach is a function of the records."""

    @property
    def reach(self) -> int:
        return 40 if sum(x == 0 for x in self.records) % 2 else 1


def test_a_reach_that_follows_the_records_breaks_the_claim() -> None:
    assert not wide(EndOfTheRecords, (0, 40), 12).passed


@dataclass(frozen=True, slots=True, repr=False)
class WholeRate(AtOnceLaw):
    """Wrong: all of epsilon in the exponent, and nothing for the sum of all weights."""

    @property
    def rate(self) -> Fraction:
        return self.epsilon / (2 * self.parts)


def test_all_of_epsilon_in_the_exponent_breaks_the_claim() -> None:
    assert not wide(WholeRate).passed


# The sampler.

LAWS = [
    AtOnceLaw([], LATTICE, QUARTILES, Fraction(1), BASES),
    AtOnceLaw([0, 0, 0, 3], LATTICE, QUARTILES, Fraction(2), (Base((1, 3)), Base((2,), 2))),
    AtOnceLaw([-1, 0, 0, 3, 3, 4], Lattice(Fraction(1), -2, 4, 0, True), FOUR, Fraction(4), BASES),
    AtOnceLaw(
        [-2, 1, 1, 4, 7],
        Lattice(Fraction(1), -3, 9, 0, True),
        QUARTILES,
        Fraction(9),
        (Base((3, 3, 5)),),
    ),
    AtOnceLaw([*range(0, 15, 2)], Lattice(Fraction(1), 0, 15, 0, True), OUTER, Fraction(40), EVEN),
]


def weights(law: AtOnceLaw) -> dict[tuple[int, ...], float]:
    """exp(-exponent) 2^-steps of the answers that a chain may give, by the definition."""
    found: dict[tuple[int, ...], float] = {}
    points, n = range(law.lattice.low, law.lattice.high + 1), len(law.records)
    until = {y: sum(x <= y for x in law.records) for y in points}
    for answers in combinations_with_replacement(points, len(law.orders)):
        pairs = zip(answers, law.orders, strict=True)
        places = [until[y] - order * n for y, order in pairs]
        if max(map(abs, places)) < law.reach:
            whole = sum(abs(b - a) for a, b in pairwise([Fraction(0), *places, Fraction(0)]))
            top = law.epsilon / 4 * whole
            least = exp_enclosure(top.numerator, top.denominator, 256)[0]
            found[answers] = float(law.base(answers)) * least / 2**256
    return found


def total(law: AtOnceLaw, *, up: bool) -> float:
    pairs = zip(law.chains(), law.bases, strict=True)
    return sum(chain.total(256, up=up) / 2 ** (256 + base.halved) for chain, base in pairs)


@pytest.mark.parametrize("law", LAWS, ids=range(len(LAWS)))
def test_sums_of_a_chain_hold_the_weights(law: AtOnceLaw) -> None:
    low, high = (total(law, up=up) for up in (False, True))
    assert low == pytest.approx(sum(weights(law).values()), rel=1e-12)
    assert high == pytest.approx(low, rel=1e-12)
    for chain in law.chains():
        assert chain.total(256, up=False) <= chain.total(256, up=True)


def chi_square(drawn: Counter[tuple[int, ...]], chances: dict[tuple[int, ...], float]) -> float:
    """Deviations of frequent answers, in standard deviations of their chi-square."""
    count, whole = drawn.total(), sum(chances.values())
    expected = {y: count * p / whole for y, p in chances.items() if count * p / whole > 5}
    found = sum((drawn[y] - e) ** 2 / e for y, e in expected.items())
    return (found - len(expected)) / (2 * len(expected)) ** 0.5


@pytest.mark.parametrize("law", LAWS[1:4], ids=range(3))
def test_draws_have_the_law(law: AtOnceLaw) -> None:
    source = HashedBits(b"at once")
    drawn = Counter(tuple(law.draw(source)) for _ in range(400))
    assert drawn.keys() <= weights(law).keys()
    assert abs(chi_square(drawn, weights(law))) < 5


def test_draws_beyond_the_reach_have_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_once, "_REST", -5)
    law = AtOnceLaw([0, 1, 2, 3], LATTICE, QUARTILES, Fraction(1), BASES)
    assert law.reach == 2
    table: Any = at_once_law(law).table
    chances = {y: float(low) for y, (low, _) in table.items()}
    source = HashedBits(b"beyond")
    drawn = Counter(tuple(law.draw(source)) for _ in range(500))
    assert abs(chi_square(drawn, chances)) < 5


def test_few_records_of_many_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records within reach alone: the sum of weights is that over all of them."""
    asked: list[tuple[int, int]] = []

    class Seen(Listed):
        def windows(self, ranks: Sequence[tuple[int, int]]) -> list[list[int]]:
            asked.extend(ranks)
            return super().windows(ranks)

    monkeypatch.setattr(at_once, "_REST", -5)
    records = [x // 14 for x in range(210)]
    law = AtOnceLaw(
        Seen(records), Lattice(Fraction(1), 0, 15, 0, True), QUARTILES, Fraction(1), (Base((9,)),)
    )
    found = total(law, up=True)
    assert sum(last - first + 1 for first, last in asked) < 100
    assert found == pytest.approx(sum(weights(law).values()), rel=1e-12)


def test_a_ticket_that_is_not_settled_gets_more_digits() -> None:
    """Chances 1/3 and 2/3 by bounds that tell nothing at first."""
    seen: list[int] = []

    def weigh(bits: int) -> tuple[list[int], list[int]]:
        seen.append(bits)
        if bits < 400:
            return [0, 0], [1 << bits, 1 << bits]
        third = (1 << bits) // 3
        return [third, 2 * third], [third + 1, 2 * third + 2]

    source = HashedBits(b"tickets")
    drawn = Counter(draw_enclosed(weigh, source) for _ in range(900))
    assert max(seen) > 400
    assert abs(drawn[0] - 300) < 60


def test_points_of_a_segment_are_a_uniform_multiset() -> None:
    segments = Segments([10], [3], [0], [[0], [0]], 1)
    chain, source = Chain(segments, Fraction(1)), HashedBits(b"points")
    drawn = Counter(tuple(chain.draw(source)) for _ in range(1200))
    assert len(drawn) == 6
    assert all(abs(count - 200) < 70 for count in drawn.values())
