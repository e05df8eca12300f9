"""The private question whether bounds are tight: its law, its privacy, and what breaks it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.neighbours import neighbouring_pairs
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.laws import AboveThresholdLaw, Gate, GatedLaw
from leastnoise.mechanisms.tight_or_loose import levels_read, tightness
from leastnoise.profiles import on_grid
from leastnoise.testing import check_law

F = Fraction
RELATIONS = ("replace-one", "add-remove", "edit")
FEW = ln.AsymmetricSensitivity(beta=2, scale=2)
# A gate that two or three records open, so that it opens and shuts within a small universe.
LIGHT = ln.TightOrLoose(walk=FEW, part="1/2", sure=1)
VARIANCE = ln.Variance(bounds=(0, 10), step=1)
SPREADS = (VARIANCE, ln.StandardDeviation(bounds=(0, 10), step=1))
UNIVERSE = (0, 4, 6, 10)


def profile_of(statistic: Any, records: Any, relation: str = "replace-one") -> ln.Profile:
    return ln.profile(statistic, np.array(records, dtype=np.int64), relation=relation)


@pytest.mark.parametrize("epsilon", ["1/2", 3])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_law_is_that_of_the_draws(relation: str, epsilon: object) -> None:
    p = replace(profile_of(VARIANCE, (0, 4, 6, 10), relation), resolution=F(1, 2))
    law = LIGHT.law(p, epsilon)
    assert isinstance(law, GatedLaw)
    assert 0.02 < law.fires < 0.98
    check_law(law, draws=4_000)


@pytest.mark.parametrize("height", [-3, 0, 5])
def test_how_often_the_gate_opens(height: int) -> None:
    walk = LIGHT.walk.law(profile_of(VARIANCE, (0, 4, 10)), 1)
    assert isinstance(walk, AboveThresholdLaw)
    law = GatedLaw(Gate(height, F(1, 3)), walk, walk)
    e1 = float(walk.e1)
    z = np.arange(400)
    weights = -np.expm1(-e1) * np.exp(-e1 * z)
    expected = float(np.dot(weights, np.exp(-np.maximum(0, z + height) / 3)))
    assert law.fires == pytest.approx(expected, rel=1e-12)
    outcome, (low, high), _ = next(iter(law.branches()))
    assert outcome == "gate"
    assert float(low) <= expected * (1 + 1e-12)
    assert float(high) >= expected * (1 - 1e-12)


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("statistic", SPREADS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)])
def test_the_question_and_the_answer_together_lose_epsilon(
    statistic: Any, relation: str, epsilon: F
) -> None:
    report = audit.exact(
        statistic, LIGHT, universe=UNIVERSE, n=4, relation=relation, epsilon=epsilon
    )
    assert report.passed, report


def test_the_default_itself_by_enumeration() -> None:
    """Of a few public rows; elsewhere limits are searched for first (``audit.searches``)."""
    report = audit.exact(VARIANCE, universe=(0, 10), n=2, relation="replace-one", epsilon=3)
    assert report.passed, report


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(4)])
def test_bounds_that_are_clearly_tight_are_found_tight(epsilon: F) -> None:
    """The noise of the threshold keeps the gate shut at most once in 4 e^6 times."""
    p = profile_of(ln.Variance(bounds=(0, 10), missing="none"), [0, 10] * 2_000)
    law = ln.TightOrLoose().law(p, epsilon)
    assert isinstance(law, GatedLaw)
    assert law.gate.height < 0
    assert 1 - np.exp(-6) / 4 <= law.fires < 1


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_record_moves_the_question_by_at_most_one(relation: str) -> None:
    """Every neighbouring pair of small tables, several depths and weights."""
    questions = ((1, F(1, 4)), (2, F(1, 9)), (3, F(1, 20)))
    for statistic in SPREADS:
        grids = {}
        for size in range(6):
            for places in combinations_with_replacement(range(4), size):
                p = profile_of(statistic, [UNIVERSE[i] for i in places], relation)
                grid = on_grid(p)
                grids[places] = [tightness(grid, reach, weight) for reach, weight in questions]
        seen = set()
        for one, other in neighbouring_pairs(4, 5, relation):
            for a, b in zip(grids[one], grids[other], strict=True):
                assert abs(a - b) <= 1
                seen.add(abs(a - b))
        assert seen == {0, 1}


def test_levels_beyond_the_declared_depth_are_not_read() -> None:
    for epsilon in (F(1, 20), F(1), F(8)):
        for rows in (1, 1000, 10**7):
            p = replace(profile_of(VARIANCE, (0, 10)), rows=rows)
            read: list[int] = []

            def bound(level: int, p: ln.Profile = p, read: list[int] = read) -> Any:
                read.append(level)
                return p.upper(level)

            ln.TightOrLoose().law(replace(p, upper=bound), epsilon)
            assert max(read) <= ln.TightOrLoose().depth(epsilon, 64)
            assert max(read) <= levels_read(max(read))


# --- what breaks it --------------------------------------------------------------------------


def spoiled(change: Any, relation: str = "replace-one", epsilon: int = 2) -> bool:
    """Whether the audit lets a changed mechanism pass."""

    def law_of(x: Any) -> Any:
        p = profile_of(VARIANCE, x, relation)
        law = LIGHT.law(p, epsilon)
        assert isinstance(law, GatedLaw)
        return change(law, p)

    claim = ln.PureDP(epsilon)
    return audit.exact_law(law_of, universe=UNIVERSE, n=4, relation=relation, claim=claim).passed


def test_the_whole_of_epsilon_for_the_second_answer_is_refuted() -> None:
    """The first answer was not free."""

    def change(law: GatedLaw, p: ln.Profile) -> GatedLaw:
        return GatedLaw(law.gate, ln.CentredLaplace().law(p, 2), law.walk)

    assert spoiled(lambda law, p: law)
    assert not spoiled(change)


def test_a_question_that_moves_by_two_is_refuted() -> None:
    def change(law: GatedLaw, p: ln.Profile) -> GatedLaw:
        return GatedLaw(Gate(3 * law.gate.height, law.gate.rate), law.tight, law.walk)

    assert not spoiled(change)


def test_a_question_without_noise_is_refuted() -> None:
    def change(law: GatedLaw, p: ln.Profile) -> GatedLaw:
        return GatedLaw(Gate(law.gate.height, F(50)), law.tight, law.walk)

    assert not spoiled(change)


def test_shares_that_follow_the_data_are_refuted() -> None:
    """The question at a share that depends on the value; either share alone is paid for."""

    def change(law: GatedLaw, p: ln.Profile) -> GatedLaw:
        rate = law.gate.rate / (8 if p.value > 12 else 1)
        return GatedLaw(Gate(law.gate.height, rate), law.tight, law.walk)

    assert spoiled(
        lambda law, p: GatedLaw(Gate(law.gate.height, law.gate.rate / 8), law.tight, law.walk)
    )
    assert not spoiled(change)


def test_the_walk_of_a_monotone_statistic_cannot_be_asked_first() -> None:
    """At e1 + e2 candidates pay for a threshold that moves one way, and the gate moves the other.

    So ``TightOrLoose`` asks nothing of a monotone statistic.
    """
    statistic = ln.Sum(bounds=(0, 3), max_rows=4)
    walk = ln.AsymmetricSensitivity(spacing="uniform", split="1/8")

    def law_of(x: Any) -> Any:
        p = profile_of(statistic, x)
        assert p.monotone
        plain = ln.TightOrLoose(walk=walk).law(p, 1)
        assert not isinstance(plain, GatedLaw)
        gate = Gate(4 - sum(y == 3 for y in x), F(1, 2))
        return GatedLaw(gate, ln.Laplace().law(p, F(1, 2)), plain)

    report = audit.exact_law(law_of, universe=(0, 3), n=3, claim=ln.PureDP(1))
    assert not report.passed


# --- what it is for --------------------------------------------------------------------------


def test_never_much_worse_than_the_best_and_often_better() -> None:
    """``benchmarks/tight_or_loose.py`` has more shapes, sizes and epsilons."""
    rng = np.random.default_rng(3)
    cases = {
        "uniform": (rng.uniform(0, 100, 4000), (0, 100), 0.75),
        "two ends": (100 * (rng.random(4000) < 0.5), (0, 100), 0.5),
        "normal in loose bounds": (rng.normal(50, 10, 4000), (0, 100_000), 1.05),
        "all equal": (np.full(4000, 30), (0, 100), 1.05),
    }
    for name, (x, bounds, most) in cases.items():
        p = ln.profile(ln.Variance(bounds=bounds), x, missing="none")
        walk = ln.AsymmetricSensitivity(beta="auto", split=2)
        ours, *others = (
            mechanism.law(p, 1).mean_absolute_error(centre=p.value)
            for mechanism in (ln.TightOrLoose(), ln.Laplace(), ln.PiecewiseLaplace(), walk)
        )
        assert ours <= most * min(others), name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"part": 0}, "part must lie above 0"),
        ({"part": "0.6"}, "not above 1/2"),
        ({"sure": 0}, "sure must be greater than 0"),
    ],
)
def test_wrong_parameters_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ln.TightOrLoose(**arguments)


def test_the_walk_is_an_asymmetric_mechanism() -> None:
    with pytest.raises(ParameterTypeError, match="walk must be"):
        ln.TightOrLoose(walk=ln.Laplace())
