"""Limits: equal to linear programs over all mechanisms, in the papers' order, never released."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, inf
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import leastnoise as ln
from leastnoise import theory
from leastnoise.errors import LeastNoiseError, ParameterError, ParameterTypeError, ProductionError
from leastnoise.profiles import Profile
from leastnoise.testing import check_statistic

F = Fraction
EPSILONS = (F(1, 10), F(1, 2), F(1), F(3))


def least_risk(
    values: list[float], pairs: list[tuple[int, int]], judged: tuple[int, int], epsilon: float
) -> float:
    """min over all epsilon-DP mechanisms of the larger error at two data sets: a linear program.

    ``values`` are the function at every data set, ``pairs`` the neighbours. Answers are the values
    themselves: any other answer can be replaced by two of them without loss for absolute errors.
    """
    answers = sorted(set(values))
    data, size = len(values), len(answers)

    def at(x: int, y: int) -> int:
        return x * size + y

    unknowns = data * size + 1  # the last one is the risk
    above, equal = [], []
    for x, other in pairs:
        for y in range(size):
            for a, b in ((x, other), (other, x)):
                row = np.zeros(unknowns)
                row[at(a, y)], row[at(b, y)] = 1, -exp(epsilon)
                above.append(row)
    for x in judged:
        row = np.zeros(unknowns)
        row[[at(x, y) for y in range(size)]] = [abs(v - values[x]) for v in answers]
        row[-1] = -1
        above.append(row)
    for x in range(data):
        row = np.zeros(unknowns)
        row[[at(x, y) for y in range(size)]] = 1
        equal.append(row)
    found = linprog(
        np.eye(unknowns)[-1],
        A_ub=np.array(above),
        b_ub=np.zeros(len(above)),
        A_eq=np.array(equal),
        b_eq=np.ones(data),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("changes", range(1, 8))
def test_two_data_sets_are_told_apart_as_well_as_a_linear_program_can(
    changes: int, epsilon: Fraction
):
    """A chain of neighbours between the two; answers between the two values do not help."""
    chain = [(i, i + 1) for i in range(changes)]
    values = [float(i) for i in range(changes)] + [float(max(changes, 3))]
    found = least_risk(values, chain, (0, changes), float(epsilon))
    assert found == pytest.approx(values[-1] * theory.chain_error(changes, epsilon), abs=1e-9)


FUNCTIONS = {
    "square": lambda c: (c[0] - 1) ** 2,
    "product": lambda c: 2 * c[0] * c[1],
    "step": lambda c: 5 if c[0] >= 2 else 0,
    "median": lambda c: 7 if c[1] > c[0] else 0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("epsilon", [F(1, 2), F(2)])
def test_the_local_minimax_risk_equals_the_program_over_all_mechanisms(
    name: str, epsilon: Fraction
):
    """At data sets of two categories with up to two of each: all alternatives, all mechanisms."""
    most, function = 2, FUNCTIONS[name]
    sets = list(product(range(most + 1), repeat=2))
    place = {counts: i for i, counts in enumerate(sets)}
    pairs = [
        (place[c], place[tuple(n + (i == axis) for i, n in enumerate(c))])
        for c in sets
        for axis in (0, 1)
        if c[axis] < most
    ]
    values = [float(function(c)) for c in sets]
    statistic = ln.SmallFunction(function=function, categories=[0, 1], most=most)
    for counts in [(0, 0), (1, 2), (2, 0)]:
        data = [0] * counts[0] + [1] * counts[1]
        p = ln.profile(statistic, data, relation="add-remove")
        risk = max(
            least_risk(values, pairs, (place[counts], other), float(epsilon))
            for other in range(len(sets))
        )
        assert theory.minimax_risk(p, epsilon) == pytest.approx(risk, abs=1e-9)


def profiles() -> list[Profile]:
    rng = np.random.default_rng(2)
    data = rng.exponential(10, 60).tolist()
    statistics = [
        ln.Median(bounds=(0, 100)),
        ln.Quantile(q="0.9", bounds=(0, 100)),
        ln.Variance(bounds=(0, 100)),
        ln.Mean(bounds=(0, 100)),
        ln.InterquartileRange(bounds=(0, 100)),
    ]
    return [ln.profile(s, data, missing="none") for s in statistics]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_bounds_are_ordered_as_the_papers_say(epsilon: Fraction):
    for p in profiles():
        below, above = theory.theorem_2(p, epsilon)
        risk = theory.minimax_risk(p, epsilon)
        assert 0 < below <= risk <= above
        assert theory.theorem_1(p, epsilon) <= theory.theorem_1(p, epsilon, unbiased=False)
        # Laplace's answer has the value as its median, so the bound for such answers holds
        noisy = ln.Laplace().law(p, epsilon).mean_absolute_error(centre=p.value)
        assert theory.theorem_1(p, epsilon) <= noisy


def test_the_risk_is_the_largest_term():
    """Against all terms one by one, and for a modulus that jumps far out."""
    for p in profiles():
        terms = [theory.modulus(p, k) * theory.chain_error(k, "1/2") for k in range(1, 61)]
        assert theory.minimax_risk(p, "1/2") == pytest.approx(max(terms), rel=1e-12)
    cliff = Profile(
        value=0, lower=lambda l: 0, upper=lambda l: 10**9 if l >= 30 else 0, support=(0, 10**9)
    )
    expected = 10**9 * exp(-15) / 2
    assert theory.minimax_risk(cliff, 1) == pytest.approx(expected, rel=1e-12)


def line(width: int) -> Profile:
    return Profile(
        value=0,
        lower=lambda l: max(-width, -l),
        upper=lambda l: min(width, l),
        support=(-width, width),
        integral=True,
    )


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_growth_of_a_line(epsilon: float):
    """W(e) of w(k) = k is q / (1 - q), q = exp(-e); with a last k the sum ends there."""
    q = exp(-epsilon)
    assert theory.weighted_modulus(line(10**6), epsilon) == pytest.approx(q / (1 - q), rel=1e-9)
    some = sum(k * q**k * (1 - q) for k in range(1, 6))
    assert theory.weighted_modulus(line(10**6), epsilon, changes=5) == pytest.approx(some)
    cut = sum(min(k, 3) * q**k * (1 - q) for k in range(1, 2000))
    assert theory.weighted_modulus(line(3), epsilon) == pytest.approx(cut, rel=1e-9)
    cut = sum(min(k, 3) * q**k * (1 - q) for k in range(1, 8))
    assert theory.weighted_modulus(line(3), epsilon, changes=7) == pytest.approx(cut, rel=1e-9)
    ratio = (exp(epsilon / 2) - 1) / (exp(epsilon / 4) - 1)
    assert theory.growth_ratio(line(10**6), epsilon) == pytest.approx(ratio, rel=1e-9)
    constant = Profile(value=3, lower=lambda l: 3, upper=lambda l: 3, support=(3, 3))
    assert theory.growth_ratio(constant, epsilon) == 1
    assert theory.optimality(constant, epsilon).ratios["PiecewiseLaplace()"] == 1


def test_asymmetry_is_that_of_inverse_sensitivity():
    """On a fine lattice the law itself says how likely an answer above the value is."""
    for p in profiles():
        law = ln.InverseSensitivity().law(p, 1)
        at = float(p.value)
        above, below = 1 - law.cdf(p.value), law.cdf(p.value) - law.pmf(p.value)
        assert law.pmf(at) < 1e-6
        assert theory.asymmetry(p, 1) == pytest.approx(abs(above / (above + below) - 0.5), abs=1e-6)
    assert theory.asymmetry(line(50), 1) == pytest.approx(0, abs=1e-12)
    lopsided = replace(line(50), lower=lambda l: 0, support=(0, 50))
    assert theory.asymmetry(lopsided, 1) == 0.5


def test_no_mechanism_is_far_below_the_risk_at_this_file_and_its_hardest_alternative():
    """The risk bounds the larger of two errors: at the data set and at its hardest alternative."""
    data = [0, 1, 4, 4, 9]
    p = ln.profile(ln.Median(bounds=(0, 10), step=1), data, missing="none")
    for epsilon in (F(1, 2), F(2)):
        risk = theory.minimax_risk(p, epsilon)
        for mechanism in (ln.Laplace(), ln.InverseSensitivity(), ln.PiecewiseLaplace()):
            worst = max(
                mechanism.law(q, epsilon).mean_absolute_error(centre=q.value)
                for l in range(6)
                for replacement in (0, 10)
                for q in [
                    ln.profile(
                        ln.Median(bounds=(0, 10), step=1),
                        sorted([*data[l:], *[replacement] * l]),
                        missing="none",
                    )
                ]
            )
            assert worst >= risk * (1 - 1e-9)


# --- the step function ----------------------------------------------------------------------------


def step_sets(ones: int) -> dict[str, tuple[Any, Any]]:
    data = np.array([1] * ones + [0] * (1000 - ones), dtype=np.int64)
    p = ln.profile(theory.StepCount(width=100, max_rows=1000), data)
    mechanisms = [ln.Laplace(), ln.SmoothLaplace(delta="1e-4"), ln.InverseSensitivity()]
    return {type(m).__name__: theory.likely_set(m.law(p, 1)) for m in mechanisms}


def test_figure_1_corrected():
    """At a step the inverse sensitivity mechanism answers f or f - 1, f being the likelier."""
    data = np.array([1] * 300 + [0] * 700, dtype=np.int64)
    p = ln.profile(theory.StepCount(width=100, max_rows=1000), data)
    law = ln.InverseSensitivity().law(p, 1)
    assert (p.value, round(law.pmf(3), 2), round(law.pmf(2), 2)) == (3, 0.62, 0.38)
    assert step_sets(300)["InverseSensitivity"] == (2, 3)
    assert step_sets(350)["InverseSensitivity"] == (3, 3)
    assert step_sets(304)["InverseSensitivity"] == (3, 3)
    assert step_sets(303)["InverseSensitivity"] == (2, 3)
    for ones in (300, 350, 399):
        sets = step_sets(ones)
        f = ones // 100
        assert sets["Laplace"] == (f - 2, f + 2)
        width = sets["SmoothLaplace"][1] - sets["SmoothLaplace"][0]
        assert width > 4  # an answer can change within the distance that it looks at
    check_statistic(theory.StepCount(width=2, max_rows=5), universe=(0, 1), n=5, max_examples=0)


def test_a_likely_set_is_the_smallest():
    law = ln.InverseSensitivity().law(line(12), 1)
    low, high = theory.likely_set(law, 0.8)
    inside = law.cdf(high) - law.cdf(low - 1)
    assert inside >= 0.8
    smaller = high - low - 1
    assert all(law.cdf(a + smaller) - law.cdf(a - 1) < 0.8 for a in range(-12, 13))


# --- never a release ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda p, law: theory.modulus(p, 1),
        lambda p, law: theory.minimax_risk(p, 1),
        lambda p, law: theory.theorem_1(p, 1),
        lambda p, law: theory.theorem_2(p, 1),
        lambda p, law: theory.weighted_modulus(p, 1),
        lambda p, law: theory.growth_ratio(p, 1),
        lambda p, law: theory.asymmetry(p, 1),
        lambda p, law: theory.optimality(p, 1),
        lambda p, law: theory.error_ratio(ln.Laplace(), p, 1),
        lambda p, law: theory.likely_set(law),
    ],
)
def test_production_refuses(call: Any, monkeypatch: pytest.MonkeyPatch):
    p = ln.profile(ln.Median(bounds=(0, 4), step=1), [1, 2])
    law = ln.Laplace().law(p, 1)
    call(p, law)
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
    with pytest.raises(ProductionError, match="theory"):
        call(p, law)


def test_likely_sets_are_for_coarse_lattices():
    fine = ln.Laplace().law(ln.profile(ln.Median(bounds=(0, 4)), [0.5]), 1)
    with pytest.raises(ParameterError, match="coarse lattice"):
        theory.likely_set(fine)


def test_a_finite_range_is_needed():
    endless = Profile(
        value=0, lower=lambda l: 0, upper=lambda l: None if l else 0, support=(0, None)
    )
    for measure in (theory.minimax_risk, theory.asymmetry, theory.growth_ratio):
        with pytest.raises(ParameterError, match="finite public range"):
            measure(endless, 1)


def test_the_record_of_all_measures():
    p = profiles()[0]
    found = theory.optimality(p, "1/2")
    assert found.minimax == theory.minimax_risk(p, "1/2")
    assert found.ratios["PiecewiseLaplace()"] == theory.error_ratio(ln.PiecewiseLaplace(), p, "1/2")
    assert found.to_dict()["private"] is False
    refused = theory.optimality(p, 1, [ln.LaplaceRatio(), ln.Laplace()])
    assert refused.ratios["LaplaceRatio()"] is None
    assert 0 < (refused.ratios["Laplace()"] or 0) < inf


@pytest.mark.parametrize("changes", [-1, 1.5, "two", None])
def test_changes_are_whole_numbers(changes: Any):
    p = profiles()[0]
    with pytest.raises(LeastNoiseError, match="changes"):
        theory.chain_error(changes, 1)
    with pytest.raises(LeastNoiseError, match="changes"):
        theory.modulus(p, changes)


def test_only_profiles_are_measured():
    for measure in (theory.minimax_risk, theory.asymmetry, theory.theorem_1):
        with pytest.raises(ParameterTypeError, match=r"ln\.profile"):
            measure([1, 2, 3], 1)
