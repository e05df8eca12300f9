"""Exact sampling of a law that leans towards a place: cells proved by structure, draws by law.

If the cells partition the support, a cell of shift s is proposed with weight N 2^-s, E + tilt >=
s ln 2 on it, and a point is kept exactly when a uniform lies below 2^s exp(-E - tilt), then draws
follow exp(-E - tilt) exactly (``docs/proofs/dyadic-blocks.md``). Each "if" is checked on every
point of laws on some hundred points, and broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.mechanisms.joint.splitting import LeaningLaw
from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import HashedBits
from leastnoise.sampling.dyadic import LevelLaw, Side
from leastnoise.sampling.leaning import Leaning, draw_leaning, leaning
from leastnoise.testing import goodness
from leastnoise.testing.law_levels import reference_exponent
from leastnoise.testing.scripted import LENGTH, ScriptedBits, exp_digits, uniform_beside
from support.noise import CountingBits

BITS = 256


def side(*edges: int, span: int) -> Side:
    return Side(lambda level: edges[min(level, len(edges) - 1)], span)


SHAPES = {
    "one point": (side(0, span=0), side(0, span=0)),
    "one side": (side(0, 3, 7, 20, span=20), side(0, span=0)),
    "both sides": (side(0, 3, 7, 20, span=20), side(0, 1, 30, span=30)),
    "plateau": (side(5, 9, 40, span=40), side(2, 2, 11, span=11)),
    "empty levels": (side(0, 0, 0, 4, 4, 9, 9, 12, span=12), side(0, 0, 6, span=6)),
    "far from all": (side(0, 1, 2, 200, span=200), side(0, 1, span=1)),
}
# the place between the ends, on a point or beside one, and at an end
PLACES = (Fraction(0), Fraction(1, 3), Fraction(1))


def cells(name: str, epsilon: str, part: Fraction, lean: Fraction | None = None) -> Leaning:
    right, left = SHAPES[name]
    width = right.span + left.span
    levels = LevelLaw(right, left, Fraction(epsilon) / 2, True, 500)
    lean = Fraction(16, max(1, width)) if lean is None else lean
    return leaning(levels, part * width - left.span, lean)


def exponent(law: Leaning, offset: int) -> Fraction:
    """The definition."""
    levels = law.law.law
    assert isinstance(levels, LevelLaw)
    base = reference_exponent(levels, 1 if offset >= 0 else -1, abs(offset))
    return base + law.lean * abs(offset - law.place)


def check(law: Leaning) -> None:
    """All but the coins: partition, weights, exponents, and that no chance exceeds 1."""
    low, high = -law.law.law.span(-1), law.law.law.span(1)
    ends = (*law.starts, high + 1)
    assert law.starts[0] == low
    assert all(a < b for a, b in pairwise(ends))
    top = max(law.shifts)
    for cell, shift in enumerate(law.shifts):
        start, stop = ends[cell], ends[cell + 1]
        assert law.weights[cell] == (stop - start) << (top - shift)
        for offset in range(start, stop):
            used = Fraction(*law.exponent(cell, offset))
            assert used == exponent(law, offset)
            # 2^shift exp(-used) <= 1, by an enclosure
            assert exp_enclosure(used.numerator, used.denominator, BITS)[0] << shift <= 1 << BITS


@pytest.mark.parametrize("part", PLACES, ids=str)
@pytest.mark.parametrize("epsilon", ["1/100", "1", "7/3", "1000"])
@pytest.mark.parametrize("name", SHAPES)
def test_cells(name: str, epsilon: str, part: Fraction) -> None:
    check(cells(name, epsilon, part))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    grow=st.lists(st.sampled_from([0, 1, 2, 5, 40]), min_size=2, max_size=10),
    place=st.fractions(-60, 260, max_denominator=50),
    lean=st.fractions(Fraction(1, 500), 20, max_denominator=500),
    rate=st.fractions(Fraction(1, 2000), 64, max_denominator=2000),
)
def test_cells_of_random_laws(
    grow: list[int], place: Fraction, lean: Fraction, rate: Fraction
) -> None:
    edges = [sum(grow[: i + 1]) for i in range(len(grow))]
    right, left = side(*edges, span=edges[-1] + 3), side(0, *edges, span=edges[-1])
    check(leaning(LevelLaw(right, left, rate, True, 12), place, lean))


def test_cells_of_a_wide_range() -> None:
    """Ends of cells, where a range has 2^62 points."""
    right, left = side(0, 5, 1 << 40, span=1 << 62), side(0, 1 << 30, span=1 << 61)
    levels = LevelLaw(right, left, Fraction(500), True, 3)
    law = leaning(levels, Fraction(1 << 61, 3), Fraction(16, 3 << 61))
    ends = (*law.starts, (1 << 62) + 1)
    assert law.starts[0] == -(1 << 61)
    top = max(law.shifts)
    for cell, shift in enumerate(law.shifts):
        assert law.weights[cell] == (ends[cell + 1] - ends[cell]) << (top - shift)
        for offset in (ends[cell], ends[cell + 1] - 1):
            used = Fraction(*law.exponent(cell, offset))
            assert used == exponent(law, offset)
            assert exp_enclosure(used.numerator, used.denominator, BITS)[0] << shift <= 1 << BITS


@pytest.mark.parametrize("name", ["both sides", "plateau", "far from all"])
def test_a_point_is_kept_with_exactly_its_chance(name: str) -> None:
    """A uniform 2^-150 below the threshold keeps the point, one as far above does not."""
    law = cells(name, "2", Fraction(1, 3))
    ends = (*law.starts, law.law.law.span(1) + 1)
    wide = (sum(law.weights) - 1).bit_length()
    top = max(law.shifts)
    decided = 0
    for cell, shift in enumerate(law.shifts):
        for offset in {ends[cell], ends[cell + 1] - 1}:
            threshold = exp_digits(exponent(law, offset)) * (1 << shift)
            ticket = sum(law.weights[:cell]) + ((offset - ends[cell]) << (top - shift))
            for way in (-1, 1):
                u = uniform_beside(threshold, way)
                if u is None or u >> 64 != int(threshold * (1 << LENGTH - 64)):
                    continue  # outside [0, 1), or decided before its last bits are read
                # then ticket 0 and uniform 0, which are always kept
                after = wide + LENGTH
                script = (ticket << LENGTH | u) << after
                drawn = draw_leaning(law, ScriptedBits(script, wide + LENGTH + after))
                assert drawn == (offset if way < 0 else law.starts[0])
                decided += 1
    assert decided > 20


@pytest.mark.parametrize("part", PLACES, ids=str)
@pytest.mark.parametrize("epsilon", ["1/2", "20"])
@pytest.mark.parametrize("name", ["both sides", "plateau", "far from all"])
def test_draws_follow_the_law(name: str, epsilon: str, part: Fraction) -> None:
    law = cells(name, epsilon, part)
    support = range(-law.law.law.span(-1), law.law.law.span(1) + 1)
    weights = {y: exp(-float(exponent(law, y))) for y in support}
    whole = sum(weights.values())
    source = goodness.stream(f"leaning {name} {epsilon} {part}")
    counts = Counter[Hashable](draw_leaning(law, source) for _ in range(2000))
    assert goodness.p_value(counts, {y: w / whole for y, w in weights.items()}) > goodness.LEAST


@pytest.mark.parametrize("part", PLACES, ids=str)
@pytest.mark.parametrize("epsilon", ["1/100", "1", "1000"])
@pytest.mark.parametrize("name", SHAPES)
def test_draws_are_few_trials(name: str, epsilon: str, part: Fraction) -> None:
    """However far the place is from where the law is concentrated: e^16 of them once."""
    law, source = cells(name, epsilon, part), CountingBits()
    for _ in range(100):
        draw_leaning(law, source)
    assert source.tickets < 600


# --- every check fires -------------------------------------------------------


def test_a_band_that_is_too_high_is_caught() -> None:
    """One halving too many, and 2^shift exp(-E - tilt) exceeds 1 where a cell begins."""
    law = cells("both sides", "1", Fraction(1, 3))
    with pytest.raises(AssertionError):
        check(replace(law, shifts=tuple(shift + 1 for shift in law.shifts)))


def test_a_weight_that_is_halved_is_caught() -> None:
    law = cells("both sides", "1", Fraction(1, 3))
    with pytest.raises(AssertionError):
        check(replace(law, weights=(*law.weights[:-1], law.weights[-1] // 2)))


def test_a_place_elsewhere_is_caught() -> None:
    law = cells("both sides", "1", Fraction(1, 3))
    moved = leaning(
        LevelLaw(*SHAPES["both sides"], Fraction(1, 2), True, 500), law.place + 5, law.lean
    )
    with pytest.raises(AssertionError):
        check(replace(moved, place=law.place))


def test_only_a_law_by_levels_leans() -> None:
    law = DiscreteLaplaceLaw(3, Fraction(1), Fraction(1))
    plain = LeaningLaw(law, Fraction(0), Fraction(0))
    assert isinstance(plain.draw(HashedBits(b"plain")), int)
    with pytest.raises(TypeError, match="only a levels law can be tilted"):
        LeaningLaw(law, Fraction(0), Fraction(1)).draw(HashedBits(b"leans"))
