"""Exact sampling of laws by levels, proved by structure and tried by chi-square.

``check_law`` verifies for each law that the blocks partition the support, that block j is proposed
with weight N_j 2^-j, that E >= j ln 2 on it, that the sampler's exponent is the definition's as a
``Fraction``, and that a point is kept exactly when a uniform lies below 2^j exp(-E). Here are the
laws, and the faults that each of these checks must find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leastnoise.laws import LevelsLaw
from leastnoise.sampling.dyadic import LevelLaw, Side, blocks_of, draw_offset
from leastnoise.testing import PrivacyViolation, check_law
from support.noise import CountingBits

ONE = Fraction(1)


def steps(*edges: int) -> Callable[[int], int]:
    """reach(0), reach(1), ... as listed; the last one holds for every further level."""
    return lambda level: edges[min(level, len(edges) - 1)]


def law_of(
    right: Side, left: Side, epsilon: object, *, sloped: bool = True, depth: int = 10_000
) -> LevelsLaw:
    rate = Fraction(str(epsilon)) / 2
    return LevelsLaw(3, LevelLaw(right, left, rate, sloped, depth), ONE)


SMALL = {
    "one point": (Side(steps(0), 0), Side(steps(0), 0)),
    "one side": (Side(steps(0, 3, 7, 20), 20), Side(steps(0), 0)),
    "both sides": (Side(steps(0, 3, 7, 20), 20), Side(steps(0, 1, 30), 30)),
    "wide centre": (Side(steps(0, 500), 500), Side(steps(0, 200, 300), 300)),
    "plateau": (Side(steps(5, 9, 40), 40), Side(steps(2, 2, 11), 11)),
    "plateau over everything": (Side(steps(7), 7), Side(steps(4), 4)),
    "empty levels": (Side(steps(0, 0, 0, 4, 4, 9, 9, 9, 12), 12), Side(steps(0, 0, 6), 6)),
    "only far away": (Side(steps(*[0] * 30, 5), 5), Side(steps(*[0] * 5, 5), 5)),
    "cut to the span": (Side(lambda level: 10 * level, 33), Side(lambda level: -4, 8)),
    "levels of one": (Side(lambda level: level, 60), Side(lambda level: level, 60)),
}
WIDE = {
    "wide levels": (Side(lambda level: level << 50, 1 << 60), Side(lambda level: level, 1 << 60)),
    "doubling": (Side(lambda level: 1 << level, 1 << 60), Side(lambda level: 3**level, 1 << 59)),
    "one huge level": (Side(steps(0, 1 << 60), 1 << 60), Side(steps(0, 1), 1)),
    "huge plateau": (Side(steps(1 << 40, 1 << 60), 1 << 60), Side(steps(1 << 30), 1 << 30)),
    "a cliff": (Side(steps(0, 1, 2, 3, 1 << 60), 1 << 60), Side(steps(0, 5), (1 << 60) - 1)),
}
EPSILONS = ("0.001", "0.1", "1", "5", "64", "7/3")


@pytest.mark.parametrize("sloped", [True, False], ids=["sloped", "flat"])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", SMALL)
def test_small_laws(name: str, epsilon: str, sloped: bool) -> None:
    rate = Fraction(epsilon) / 2
    law = LevelsLaw(-2, LevelLaw(*SMALL[name], rate, sloped, 10_000), ONE)
    # draws take their trials from the width of the range: few suffice beside the structure
    check_law(law, draws=400)


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("sloped", [True, False], ids=["sloped", "flat"])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", WIDE)
def test_wide_laws(name: str, epsilon: str, sloped: bool) -> None:
    rate = Fraction(epsilon) / 2
    law = LevelsLaw(1 << 59, LevelLaw(*WIDE[name], rate, sloped, 150), Fraction(1, 1 << 52))
    check_law(law, draws=200)


@pytest.mark.parametrize("sloped", [True, False], ids=["sloped", "flat"])
def test_grouped_levels_change_an_analysis_by_little(
    sloped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond ``EXACT_LEVELS`` levels are taken in groups: 20,000 of unequal widths here."""
    sides = (Side(lambda level: 5 * level + level % 3, 10**5) for _ in range(2))
    levels = LevelLaw(*sides, Fraction(1, 5000), sloped, 10**6)
    exact, grouped = (LevelsLaw(0, levels, ONE) for _ in range(2))
    monkeypatch.setattr("leastnoise.laws.levels.EXACT_LEVELS", 10**9)
    wanted = exact.mean_absolute_error(centre=Fraction(0))
    monkeypatch.setattr("leastnoise.laws.levels.EXACT_LEVELS", 100)
    assert grouped.mean_absolute_error(centre=Fraction(0)) == pytest.approx(wanted, rel=1e-3)
    assert len(grouped._table.starts) < len(exact._table.starts) / 5


@pytest.mark.parametrize("depth", [0, 1, 2, 7])
@pytest.mark.parametrize("name", ["both sides", "empty levels", "plateau", "levels of one"])
def test_depth_cuts_every_level_beyond_to_the_range_end(name: str, depth: int) -> None:
    for sloped in (True, False):
        law = law_of(*SMALL[name], "1", sloped=sloped, depth=depth)
        check_law(law, draws=200)
        right, left = SMALL[name]
        for side, sign in ((right, 1), (left, -1)):
            deepest = max(map(law.exponent, range(3 - left.span, 3 + right.span + 1)))
            assert deepest <= law.levels.rate * (depth + 1)
            if side.span > within(side, depth):
                assert law.exponent(3 + sign * side.span) == law.levels.rate * (depth + 1)


def within(side: Side, level: int) -> int:
    """How many points of a side lie within a level."""
    return max(0, min(side.span, side.reach(level)))


def naive_exponent(law: LevelsLaw, point: int) -> Fraction:
    """The definition, level by level."""
    levels = law.levels
    offset = point - law.centre
    side = levels.right if offset > 0 else levels.left
    distance = abs(offset)
    reaches = [within(side, level) for level in range(levels.depth + 1)] + [side.span]
    if distance <= reaches[0]:
        return Fraction(0)
    level = next(i for i, reach in enumerate(reaches) if reach >= distance)
    if not levels.sloped:
        return levels.rate * level
    inside = Fraction(distance - reaches[level - 1], reaches[level] - reaches[level - 1])
    return levels.rate * (level - 1 + inside)


@st.composite
def level_laws(draw: Any) -> LevelsLaw:
    def side() -> Side:
        grow = draw(st.lists(st.sampled_from([0, 0, 1, 2, 5, 40]), min_size=1, max_size=12))
        edges = [sum(grow[: i + 1]) for i in range(len(grow))]
        if draw(st.booleans()):
            edges[0] = 0
        return Side(steps(*edges), max(0, edges[-1] + draw(st.integers(-3, 3))))

    rate = draw(st.fractions(Fraction(1, 2000), 32, max_denominator=2000))
    depth = draw(st.integers(0, 20))
    return LevelsLaw(0, LevelLaw(side(), side(), rate, draw(st.booleans()), depth), ONE)


RANDOM = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@RANDOM
@given(level_laws())
def test_random_laws(law: LevelsLaw) -> None:
    keeps_the_law(law)


@pytest.mark.nightly
@settings(RANDOM, max_examples=400)
@given(level_laws())
def test_many_random_laws(law: LevelsLaw) -> None:
    keeps_the_law(law)


def keeps_the_law(law: LevelsLaw) -> None:
    check_law(law, draws=0)
    low, high = -law.levels.left.span, law.levels.right.span
    assert [law.exponent(y) for y in range(low, high + 1)] == [
        naive_exponent(law, y) for y in range(low, high + 1)
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("sloped", [True, False], ids=["sloped", "flat"])
@pytest.mark.parametrize("name", [*SMALL, *WIDE])
def test_long_runs_of_draws(name: str, sloped: bool) -> None:
    sides = (SMALL | WIDE)[name]
    for epsilon in ("0.1", "1", "8"):
        check_law(law_of(*sides, epsilon, sloped=sloped, depth=500), draws=50_000)


def test_draws_are_few_trials() -> None:
    """Speed is not privacy, but acceptance must not collapse for large epsilon."""
    for epsilon in EPSILONS:
        law = law_of(*SMALL["wide centre"], epsilon)
        source = CountingBits()
        for _ in range(200):
            law.draw(source)
        assert source.tickets < 600, epsilon


# --- every check fires -------------------------------------------------------


def faulty(change: Callable[[Any], Any], name: str = "both sides", epsilon: str = "5") -> LevelsLaw:
    law = law_of(*SMALL[name], epsilon)
    law.__dict__["blocks"] = change(law.blocks)  # the cached property
    return law


def lighter(blocks: Any) -> Any:
    return replace(blocks, weights=(*blocks.weights[:-1], blocks.weights[-1] // 2))


def sooner(blocks: Any) -> Any:
    """Edges with the first of blocks 1 and 2 a point too soon; block 1 is empty."""
    first = blocks.right[1]
    assert 1 < first == blocks.right[2]
    return (1, first - 1, first - 1, *blocks.right[3:])


def overlapping(blocks: Any) -> Any:
    return replace(blocks, right=sooner(blocks))


def short(blocks: Any) -> Any:
    return replace(blocks, left=(*blocks.left[:-1], blocks.left[-1] - 1))


def early(blocks: Any) -> Any:
    """Block 2 begins one point too soon, so that 4 exp(-E) exceeds 1 there."""
    right = sooner(blocks)
    counts = [
        right[j + 1] - right[j] + blocks.left[j + 1] - blocks.left[j] + (j == 0)
        for j in range(len(right) - 1)
    ]
    top = len(counts) - 1
    return replace(blocks, right=right, weights=tuple(c << (top - j) for j, c in enumerate(counts)))


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        (lighter, "block weights are N_j 2^(J-j)"),
        (overlapping, "block weights are N_j 2^(J-j)"),
        (short, "blocks partition the support"),
        (early, "every point of block j has E >= j ln 2"),
    ],
)
def test_faulty_blocks_are_caught(change: Any, claim: str) -> None:
    with pytest.raises(PrivacyViolation) as caught:
        check_law(faulty(change), draws=0)
    assert caught.value.law == claim


class _Off(LevelLaw):
    """The sampler takes the exponent of the next point."""

    def exponent_in(self, block: int, last: bool, sign: int, distance: int) -> tuple[int, int]:
        span = self.span(sign)
        return super().exponent_in(block, last, sign, min(span, distance + 1))


def test_an_exponent_that_is_not_the_laws_is_caught() -> None:
    law = law_of(*SMALL["wide centre"], "1")
    levels = law.levels
    off = _Off(levels.right, levels.left, levels.rate, levels.sloped, levels.depth)
    law.__dict__["blocks"] = replace(law.blocks, law=off)
    with pytest.raises(PrivacyViolation, match="the sampler's exponent is the law's"):
        check_law(law, draws=0)


class _FloatDraw(LevelsLaw):
    """Decides in floating point."""

    def draw(self, source: Any) -> int:
        from math import exp

        blocks, top = self.blocks, len(self.blocks.weights) - 1
        while True:
            ticket, block = source.below(blocks.total), 0
            while ticket >= blocks.weights[block]:
                ticket -= blocks.weights[block]
                block += 1
            sign, distance = blocks.point(block, ticket >> (top - block))
            p, q = blocks.law.exponent_in(block, block == top, sign, distance)
            if source.bits(192) / 2**192 < 2**block * exp(-p / q):
                return self.centre + sign * distance


class _Stale(LevelsLaw):
    """Takes one uniform for the acceptance of all its trials."""

    def draw(self, source: Any) -> int:
        blocks = self.blocks
        point = draw_offset(blocks, source)
        return self.centre + (point if point % 2 else draw_offset(blocks, source))


@pytest.mark.parametrize(
    ("kind", "claim"),
    [(_FloatDraw, "a point is kept with probability exactly 2^j exp(-E)"), (_Stale, None)],
)
def test_faulty_draws_are_caught(kind: type[LevelsLaw], claim: str | None) -> None:
    sound = law_of(*SMALL["wide centre"], "1")
    with pytest.raises(PrivacyViolation) as caught:
        check_law(kind(sound.centre, sound.levels, ONE))
    assert claim is None or caught.value.law == claim


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", WIDE)
def test_blocks_are_few_whatever_the_range(name: str, epsilon: str) -> None:
    blocks = blocks_of(law_of(*WIDE[name], epsilon, depth=200_000).levels)
    assert len(blocks.weights) <= 64 + 60 + 2
