"""Random digits that are drawn when they are asked for have the law of drawing them all."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from leastnoise import PureDP, audit
from leastnoise.audit.searches import node_masses
from leastnoise.mechanisms.joint import tie_breaking
from leastnoise.mechanisms.joint.splitting import SplittingLaw, level_shares
from leastnoise.mechanisms.joint.tie_breaking import TieBrokenRecords, TiedRecords
from leastnoise.randomness import HashedBits
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Listed, Repeated

F = Fraction
Certain = tuple[Fraction, Fraction]


class Chosen:
    """Bits that are chosen, one after the other."""

    def __init__(self, bits: tuple[int, ...]) -> None:
        self.left = list(bits)

    def bits(self, k: int) -> int:
        found = 0
        for _ in range(k):
            found = 2 * found + self.left.pop(0)
        return found

    def below(self, n: int) -> int:
        raise AssertionError("digits are made of bits")


@pytest.fixture
def by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every group of records is divided digit by digit."""
    monkeypatch.setattr(tie_breaking, "FEW", 0)


QUESTIONS: dict[str, Callable[[TiedRecords, Any], Any]] = {
    "all ranks": lambda t, s: tuple(t.ranks(1, t.count, s).tolist()),
    "the middle first": lambda t, s: (*t.ranks(2, 2, s), *t.ranks(1, t.count, s))[1:],
    "counts first": lambda t, s: (t.below(3, s), *t.ranks(1, t.count, s))[1:],
    "ranks one by one": lambda t, s: tuple(int(t.ranks(k, k, s)[0]) for k in (3, 1, 2)),
}


@pytest.mark.usefixtures("by_halves")
@pytest.mark.parametrize("question", list(QUESTIONS))
def test_sorted_digits_have_the_law_of_independent_ones(question: str) -> None:
    count, digits = 3, 2
    ask, found = QUESTIONS[question], Counter[tuple[int, ...]]()
    for bits in product((0, 1), repeat=count * digits):
        answer = tuple(int(x) for x in ask(TiedRecords(count, digits), Chosen(bits)))
        found[tuple(sorted(answer))] += 1
    drawn = product(range(2**digits), repeat=count)
    assert found == Counter(tuple(sorted(x)) for x in drawn)


@pytest.mark.usefixtures("by_halves")
def test_counts_and_ranks_agree() -> None:
    for seed in range(50):
        source, group = HashedBits(bytes([seed])), TiedRecords(9, 4)
        below = [group.below(d, source) for d in range(18)]
        digits = group.ranks(1, 9, source)
        assert below == [int(np.sum(digits < d)) for d in range(18)]


def test_many_and_few_records_have_one_law() -> None:
    """Both ways of drawing, on records enough to see a wrong share of zeros."""
    n, source = 60_000, HashedBits(b"both ways")
    for group in (
        TiedRecords(n, 3),
        TiedRecords(n, 3, np.sort(tie_breaking.random_digits(n, 3, source))),
    ):
        below = np.array([group.below(d, source) for d in range(1, 8)])
        expected = n * np.arange(1, 8) / 8
        assert np.all(np.abs(below - expected) < 6 * np.sqrt(expected))


@pytest.mark.parametrize("few", [0, 30, 1000])
@pytest.mark.parametrize("digits", [0, 3])
def test_windows_and_counts_are_those_of_one_list(
    digits: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tie_breaking, "FEW", few)
    places = np.sort(np.random.default_rng(5).integers(-3, 4, 200))
    for records in (Listed(places), Repeated(*np.unique(places, return_counts=True))):
        fine = TieBrokenRecords(records, -3, digits, HashedBits(b"list"))
        assert len(fine) == 200
        parts = [list(part) for part in fine.windows([(40, 90), (1, 3), (85, 120)])]
        counted = fine.counts([0, 9, 23, 40, 55, 7 << digits])
        whole = list(fine.windows([(1, 200)])[0])
        assert whole == sorted(whole)
        assert [x >> digits for x in whole] == (places + 3).tolist()
        assert parts == [whole[39:90], whole[:3], whole[84:120]]
        for point, (below, until) in zip([0, 9, 23, 40, 55, 7 << digits], counted, strict=True):
            assert below == sum(x < point for x in whole)
            assert until == sum(x <= point for x in whole)


# The law of a whole release of three quantiles on {0, 1, 2} with one random digit a record.
ORDERS = tuple(F(i, 4) for i in (1, 2, 3))
COARSE = Lattice(F(1), 0, 2, 0, True)
FINE = Lattice(F(1, 2), 0, 5)
Made = Callable[[Listed, Chosen], TieBrokenRecords]


def kept(records: Listed, source: Chosen) -> TieBrokenRecords:
    return TieBrokenRecords(records, 0, 1, source)


class Forgetful(TieBrokenRecords):
    """Wrong: the digits are drawn anew for every question."""

    def counts(self, points: Any) -> list[tuple[int, int]]:
        self._fine, self._many = self._fine[:0], {}
        return super().counts(points)


def released(data: tuple[int, ...], relation: str, claim: Fraction, made: Made) -> Any:
    """The law of all answers, over every choice of the digits and every answer on the way."""
    shares = tuple(level_shares(3, relation, claim))
    spare = len(data) * (1 if made is kept else 2)  # as many bits as are asked for at most
    found: dict[tuple[int, ...], Certain] = {}
    for bits in product((0, 1), repeat=spare):
        for answers, (low, high) in paths(data, relation, shares, bits, made):
            a, b = found.get(answers, (F(0), F(0)))
            found[answers] = a + low / 2**spare, b + high / 2**spare
    return audit.Probabilities(found)


def paths(
    data: tuple[int, ...], relation: str, shares: Any, bits: tuple[int, ...], made: Made
) -> Iterator[tuple[tuple[int, ...], Certain]]:
    """All answers to the middle order, and after each all answers to the other two."""

    def tree() -> SplittingLaw:
        records = made(Listed(sorted(data)), Chosen(bits))
        return SplittingLaw(records, FINE, ORDERS, relation, shares)

    first = tree()
    for middle, (low, high) in node_masses(first.laws([first.root])[0]).items():
        again = tree()  # the same bits, asked in the same order
        again.laws([again.root])
        lower, upper = (node_masses(law) for law in again.laws(again.split([again.root], [middle])))
        for (one, (a, b)), (two, (c, d)) in product(lower.items(), upper.items()):
            yield (one >> 1, middle >> 1, two >> 1), (low * a * c, high * b * d)


def report(relation: str, claim: Fraction, made: Made = kept) -> audit.ExactReport:
    return audit.exact_law(
        lambda data: released(data, relation, claim, made),
        universe=(0, 1, 2), n=2, relation=relation, claim=PureDP(claim),
    )  # fmt: skip


@pytest.mark.usefixtures("by_halves")
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_a_whole_release_keeps_its_price(relation: str) -> None:
    assert report(relation, F(2)).passed


@pytest.mark.usefixtures("by_halves")
def test_digits_that_are_forgotten_change_the_law() -> None:
    """A record may then fall out of both halves, or into both."""

    def forgetful(records: Listed, source: Chosen) -> TieBrokenRecords:
        return Forgetful(records, 0, 1, source)

    right, wrong = (released((1, 1), "add-remove", F(6), made) for made in (kept, forgetful))
    assert any(
        wrong.table[y][1] < right.table[y][0] or wrong.table[y][0] > right.table[y][1]
        for y in right.table
    )
