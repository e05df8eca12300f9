"""Many laws by levels are drawn at once as one after the other, and leave the same words unread."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.laws import LevelsLaw
from leastnoise.mechanisms import InverseSensitivity, PiecewiseLaplace
from leastnoise.numbers.exact import scaled_exp_enclosure
from leastnoise.profiles.maps import strided
from leastnoise.profiles.order import order_profile
from leastnoise.profiles.orders import OrderProfiles
from leastnoise.randomness import HashedBits, bernoulli_scaled
from leastnoise.sampling.many_levels import _coin
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import RankSummary, Run, window_ranks

ORDERS = (Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(1), Fraction(77, 1000))
WIDTHS = [7, 10**9, 2**55]
ASKED = [("1/50", 1, 900), ("1", 1, 4), ("16/7", 1, 900), ("50", 3, 900)]
MECHANISMS: list[Any] = [PiecewiseLaplace(), InverseSensitivity(), PiecewiseLaplace(rho=3)]


def tables(width: int, depth: int) -> list[RankSummary]:
    """Empty ones, small ones, some with ties; read to a depth, as an engine does."""
    rng, found = np.random.default_rng(width % 1009), list[RankSummary]()
    lattice = Lattice(Fraction(1), -5, width - 5)
    for size in (0, 1, 2, 3, 8, 40, 40, 200, 200):
        values = rng.integers(-5, width - 4, size)
        if size % 3 == 2:
            values = rng.choice(values[:3], size)
        ordered = sorted(values.tolist())
        windows = [window_ranks(order, size, depth) if size else (1, 0) for order in ORDERS]
        runs = tuple(Run(first, ordered[first - 1 : last]) for first, last in windows)
        found.append(RankSummary(size, lattice, ORDERS, runs, depth))
    return found


@pytest.mark.parametrize("relation", ["edit", "add-remove"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("width", WIDTHS)
def test_they_are_the_same_points(width: int, mechanism: Any, relation: str) -> None:
    for epsilon, rows, depth in ASKED:
        read = tables(width, depth)
        one, other = HashedBits(b"many"), HashedBits(b"many")
        laws = [
            mechanism.law(strided(order_profile(s, target, relation), rows), epsilon)
            for s in read
            for target in range(len(ORDERS))
        ]
        expected = [law.draw(other) for law in laws]
        profiles = OrderProfiles.of(read, relation)
        assert profiles is not None
        assert isinstance(laws[0], LevelsLaw)
        assert laws[0].draws(profiles.strided(rows), one) == expected
        assert one.words(600) == other.words(600)


class Given(HashedBits):
    """A chosen word first."""

    def __init__(self, word: int) -> None:
        super().__init__(b"then")
        self.unread([word])


@pytest.mark.parametrize("block", [0, 1, 2, 7, 40])
def test_coins_are_decided_as_the_certified_way(block: int) -> None:
    rng, log2 = np.random.default_rng(block), 0.6931471805599453
    for x in (0.0, 2**-16, 1 / 256, *rng.random(30) * 1.4, 1.9, 2.2, 9.0):
        q = int(rng.integers(2**40))
        p = max(1, int((block * log2 + x) * q))
        low, high = scaled_exp_enclosure(block, p, q, 64)
        near = {end + by for end in (low, high) for by in (-2, -1, 0, 1, 2, -(2**55), 2**55)}
        for word in {min(max(0, one), 2**64 - 1) for one in near}:
            one, other = Given(word), Given(word)
            assert _coin(block, p, q, one) == bernoulli_scaled(block, p, q, other)
            assert one.bits(64) == other.bits(64)


def test_limits_that_words_may_not_hold_are_left_to_one_by_one() -> None:
    for low, high, order in ((0, 2**56, 2), (2**61, 2**61 + 9, 2), (0, 9, 2**20 + 1)):
        lattice, at = Lattice(Fraction(1), low, high), (Fraction(1, order),)
        assert OrderProfiles.of([RankSummary.of([low], at, lattice)], "edit") is None
