"""The log-scale shifted piecewise Laplace law: structure, privacy and agreement with its tables."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.mechanisms.candidates import round_candidates
from leastnoise.randomness import HashedBits
from leastnoise.sampling import shifted
from leastnoise.sampling.dyadic import LN2_BITS, LN2_UPPER, blocks_of
from leastnoise.sampling.shifted import PARTS, Cells, Score, ShiftedLaw


@pytest.fixture
def few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four indices a cell, so that every index can be listed."""
    monkeypatch.setattr(shifted, "PARTS", 4)


def random_law(rnd: random.Random) -> tuple[ShiftedLaw, list[int]]:
    low, high = 0, rnd.choice([7, 20, 60])
    centre, levels = rnd.randint(low, high), rnd.randint(1, 6)
    upper, lower = [centre], [centre]
    for _ in range(levels):
        upper.append(min(high, upper[-1] + rnd.choice([0, 0, 1, 3, 8])))
        lower.append(max(low, lower[-1] - rnd.choice([0, 1, 2, 5])))
    score = Score(
        centre,
        lambda level: upper[min(level, levels)],
        lambda level: lower[min(level, levels)],
        low,
        high,
        rnd.randint(1, levels),
    )
    corners = sorted({low, high, *(rnd.randint(low, high) for _ in range(6))})
    corners += [high] * rnd.randint(0, 1)
    rates = [Fraction(rnd.randint(1, 9), rnd.randint(1, 9)) for _ in range(2)]
    law = ShiftedLaw(score, Cells(corners), rnd.randint(-3, 2), *rates)
    return law, [law.cells.point(i) for i in range(law.cells.count)]


@pytest.mark.usefixtures("few_parts")
@pytest.mark.parametrize("seed", range(5))
def test_the_structure_of_the_sampler(seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(40):
        law, points = random_law(rnd)
        score = law.score
        assert points == sorted(points)
        assert (points[0], points[-1]) == (score.low, score.high)
        for y in range(score.low - 1, score.high + 2):
            first = next((i for i, p in enumerate(points) if p >= y), law.cells.count)
            assert law.cells.first_at(y) == first
        s = {y: Fraction(*score.at(y)) for y in range(score.low, score.high + 1)}
        assert list(s.values()) == sorted(s.values())
        for top in range(-20, 21):
            for bottom in (1, 2, 3, 7):
                q = Fraction(top, bottom)
                at_least = next((y for y in s if s[y] >= q), score.high + 1)
                above = next((y for y in s if s[y] > q), score.high + 1)
                assert max(score.low, score.first_at_least(top, bottom)) == at_least
                assert max(score.low, score.first_above(top, bottom)) == above
        blocks = blocks_of(law)
        seen: list[int] = []
        last = len(blocks.weights) - 1
        for block, weight in enumerate(blocks.weights):
            assert weight == blocks.count(block) << (last - block)
            for k in range(blocks.count(block)):
                sign, distance = blocks.point(block, k)
                index = law.index(sign, distance)
                seen.append(index)
                exponent = Fraction(*law.exponent_in(block, block == last, sign, distance))
                assert exponent >= Fraction(block * LN2_UPPER, 1 << LN2_BITS)
                excess = s[points[index]] - law.tau
                defined = law.above * excess if excess >= 0 else -law.below * excess
                assert exponent == defined - law.least
        assert sorted(seen) == list(range(law.cells.count))


STATISTICS = [
    ln.Median(bounds=(0, 4)),
    ln.Quantile(q="0.9", bounds=(0, 4)),
    ln.InterquartileRange(bounds=(0, 4)),
    ln.Sum(bounds=(0, 4), max_rows=6),
]
MECHANISMS = [
    ln.PiecewiseLaplace(base="log"),
    ln.PiecewiseLaplace(base="log", shift=2, scale=1),
    ln.PiecewiseLaplace(base="round"),
    ln.PiecewiseLaplace(shift=-1),
]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
def test_privacy_of_general_statistics(
    statistic: object, mechanism: ln.PiecewiseLaplace, relation: str
) -> None:
    report = audit.exact(
        statistic, mechanism, universe=(0, 1, 4), n=4, relation=relation, epsilon=1
    )
    assert report.passed, report


def shared_out(relation: str, statistic: object, *, lie: bool = False) -> audit.ExactReport:
    """Three quarters of epsilon above the mode, one below."""
    from dataclasses import replace

    mechanism = ln.PiecewiseLaplace(base="log", shift=-1, above="3/4")

    def law_of(x: tuple[int, ...]) -> object:
        p = ln.profile(statistic, np.array(x, dtype=np.int64), relation=relation)
        return mechanism.law(replace(p, monotone=True) if lie else p, 1)

    return audit.exact_law(
        law_of, universe=(0, 1, 2, 4), n=4, relation=relation, claim=ln.PureDP(1)
    )


@pytest.mark.parametrize("relation", ["replace-one", "edit"])
def test_monotone_statistics_may_share_epsilon_unevenly(relation: str) -> None:
    report = shared_out(relation, ln.Median(bounds=(0, 4)))
    assert report.passed, report


def test_uneven_shares_need_a_monotone_statistic() -> None:
    with pytest.raises(ParameterError, match="monotone"):
        shared_out("replace-one", ln.InterquartileRange(bounds=(0, 4)))
    report = shared_out("replace-one", ln.InterquartileRange(bounds=(0, 4)), lie=True)
    assert not report.passed


@pytest.mark.parametrize("base", ["log", "round"])
def test_tables_agree_with_the_sampler_and_with_direct_sums(base: Literal["log", "round"]) -> None:
    x = np.random.default_rng(1).normal(50, 10, 400)
    p = ln.profile(ln.Median(bounds=(0, 100)), x)
    law = ln.PiecewiseLaplace(base=base).law(p, 1)
    source = HashedBits(b"shifted")
    draws = np.array([law.value_of(law.draw(source)) for _ in range(3000)], dtype=float)
    errors = abs(draws - float(p.value))
    spread = errors.std() / math.sqrt(len(errors))
    assert abs(errors.mean() - law.mean_absolute_error(centre=p.value)) < 5 * spread
    for u in (0.02, 0.3, 0.5, 0.9, 0.99):
        y = law.quantile(u)
        assert law.cdf(y) == pytest.approx(u, abs=1e-9)
        assert abs((draws <= y).mean() - u) < 5 * math.sqrt(u * (1 - u) / len(draws))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_certified_enclosures_hold_the_float_probabilities(
    mechanism: ln.PiecewiseLaplace,
) -> None:
    p = ln.profile(ln.Median(bounds=(0, 40)), np.array([3, 9, 9, 17, 30]))
    law = mechanism.law(p, "0.7")
    table = law.enclosures()
    assert sum(low for low, _ in table.values()) <= 1 <= sum(high for _, high in table.values())
    for y, (low, _) in table.items():
        # in narrow cells the float table spreads a cell's indices evenly over its points
        assert float(low) == pytest.approx(law.point_mass(y), rel=1e-6)
    mean = sum(float(low) * abs(y - p.value) for y, (low, _) in table.items())
    assert law.mean_absolute_error(centre=p.value) == pytest.approx(mean, rel=1e-6)


def test_flat_base_without_shift_is_the_piecewise_laplace_law() -> None:
    p = ln.profile(ln.Median(bounds=(0, 40)), np.array([3, 9, 9, 17, 30]))
    shifted = ln.PiecewiseLaplace(shift=0).law(p, 1)
    plain = ln.PiecewiseLaplace().law(p, 1)
    for y in range(41):
        assert shifted.pmf(y) == pytest.approx(plain.pmf(y), rel=1e-12)


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-3", "1e6", "1e50"])
def test_extreme_epsilons_end_in_range(epsilon: str) -> None:
    """The exponent next to the mode may be huge: blocks start at the smallest one."""
    statistic = ln.Median(bounds=(0, 1))
    for base in ("flat", "log"):
        mechanism = ln.PiecewiseLaplace(base=base)
        value = ln.release(statistic, [0.1, 0.2, 0.7], epsilon=epsilon, mechanism=mechanism).value
        assert 0 <= value <= 1
        if epsilon == "1e50":
            assert value == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"base": "cubic"}, "base"),
        ({"shift": "0.5"}, "shift"),
        ({"scale": 0}, "scale"),
        ({"above": 1}, "above"),
        ({"rho": 1, "base": "log"}, "rho"),
    ],
)
def test_wrong_parameters_are_named(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        ln.PiecewiseLaplace(**wrong)


@pytest.mark.parametrize(
    ("low", "high", "step", "numbers"),
    [
        (0, 2**30, Fraction(120, 2**30), (0, 1, 7, 40, Fraction(1, 10))),
        (-(2**52), 2**52, Fraction(1, 2**20), (0, -35_000, 10**9)),
        (1900, 2030, Fraction(1), (1900, 1950, 1999)),
        (0, 1, Fraction(1), (0,)),
        (-5, -5 + 2**20, Fraction(1, 3), (0, 1, 7, 40, 9_900, 349_000)),
    ],
)
def test_round_numbers_have_a_cell_of_their_own_and_so_has_the_last_point(
    low: int, high: int, step: Fraction, numbers: tuple[Fraction, ...]
) -> None:
    corners = round_candidates(low, high, step)
    assert all(a < b for a, b in pairwise(corners[:-1]))
    assert (corners[0], corners[-2], corners[-1]) == (low, high, high)
    cells = Cells(corners)
    for point in (*(round(number / step) for number in numbers), high):
        assert cells.first_at(point + 1) - cells.first_at(point) >= PARTS


def test_ties_at_round_numbers_outweigh_a_wide_range() -> None:
    """Of 300 answers on a scale of five most flat draws miss a median that 30 records hold."""
    answers = [1.0] * 30 + [2.0] * 30 + [3.0] * 60 + [4.0] * 120 + [5.0] * 60
    p = ln.profile(ln.Median(bounds=(1, 5)), answers)
    errors = [
        mechanism.law(p, 1).mean_absolute_error(centre=p.value)
        for mechanism in (ln.PiecewiseLaplace(), ln.PiecewiseLaplace(base="round"))
    ]
    assert errors[1] < errors[0] / 100
