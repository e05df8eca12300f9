"""AboveThreshold: the block sampler, the asymmetric mechanism's law, and the sparse vector."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.laws import AboveThresholdLaw
from leastnoise.mechanisms.candidates import fitted_candidates
from leastnoise.randomness import HashedBits
from leastnoise.sampling.above_threshold import (
    HeightLaw,
    draw_index,
    failures_before_success,
)
from leastnoise.testing import simulate


def naive_masses(heights: list[int], e1: float, e2: float) -> list[float]:
    """The probability of every index, and of none, by the definition: a loop over thresholds."""
    masses = [0.0] * (len(heights) + 1)
    for z in range(int(60 / e1)):
        alive = -math.expm1(-e1) * math.exp(-e1 * z)
        for i, height in enumerate(heights):
            fire = math.exp(-e2 * max(0, z + height))
            masses[i] += alive * fire
            alive *= 1 - fire
        masses[-1] += alive
    return masses


def height_law(heights: list[int], e1: Fraction, e2: Fraction) -> HeightLaw:
    return HeightLaw(
        len(heights),
        lambda g: sum(height >= g for height in heights),
        heights.__getitem__,
        e1,
        e2,
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_block_sampler_follows_the_definition(seed: int) -> None:
    rnd = random.Random(seed)
    heights = sorted((rnd.randint(-4, 30) for _ in range(60)), reverse=True)
    e1, e2 = Fraction(rnd.randint(1, 5), 5), Fraction(rnd.randint(1, 6), 3)
    expected = np.array(naive_masses(heights, float(e1), float(e2)))
    law, source = height_law(heights, e1, e2), HashedBits(b"above threshold %d" % seed)
    draws = 8_000
    counts = np.zeros(len(expected))
    for _ in range(draws):
        index = draw_index(law, source)
        counts[-1 if index is None else index] += 1
    kept = expected * draws >= 5
    chi = (((counts - draws * expected) ** 2 / (draws * expected + 1e-300))[kept]).sum()
    freedom = int(kept.sum()) - 1
    assert chi < freedom + 5 * math.sqrt(2 * freedom)


@pytest.mark.parametrize("block", [1, 2, 5, 12])
def test_gaps_between_proposals_are_geometric(block: int) -> None:
    source, draws, p = HashedBits(b"gaps"), 4000, 2.0**-block
    found = np.array([failures_before_success(block, 10**9, source) for _ in range(draws)])
    mean, deviation = (1 - p) / p, math.sqrt(1 - p) / p
    assert abs(found.mean() - mean) < 5 * deviation / math.sqrt(draws)
    first = float((found == 0).mean())
    assert abs(first - p) < 5 * math.sqrt(p * (1 - p) / draws)


def test_gaps_are_cut_at_the_end_without_bias() -> None:
    source, draws = HashedBits(b"cut"), 4000
    found = np.array([failures_before_success(4, 10, source) for _ in range(draws)])
    assert found.max() == 10
    survive = (1 - 2.0**-4) ** 10
    assert abs((found == 10).mean() - survive) < 5 * math.sqrt(survive / draws)


STATISTICS = [
    ln.Median(bounds=(0, 4)),
    ln.Quantile(q="0.9", bounds=(0, 4)),
    ln.Sum(bounds=(0, 4), max_rows=6),
    ln.Mean(bounds=(0, 4)),
    ln.InterquartileRange(bounds=(0, 4)),
    ln.Count(max_rows=6),
]
MECHANISMS = [
    ln.AsymmetricSensitivity(),
    ln.AsymmetricSensitivity(beta="1.5", side="down"),
    ln.AsymmetricSensitivity(spacing="uniform", split=2),
    ln.AsymmetricSensitivity(beta="auto", split=2),
]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
def test_privacy_of_every_statistic(
    statistic: object, mechanism: ln.AsymmetricSensitivity, relation: str
) -> None:
    universe = (0, 1) if isinstance(statistic, ln.Count) else (0, 1, 4)

    def law_of(x: tuple[int, ...]) -> object:
        p = ln.profile(statistic, np.array(x, dtype=np.int64), relation=relation)
        if isinstance(statistic, ln.Mean) and relation != "replace-one":
            p = replace(p, resolution=Fraction(1, 4))
        return mechanism.law(p, 1)

    report = audit.exact_law(law_of, universe=universe, n=4, relation=relation, claim=ln.PureDP(1))
    assert report.passed, report


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_privacy_where_the_scale_of_noise_is_below_a_part_of_the_range(relation: str) -> None:
    statistic = ln.Sum(bounds=(0, 2), max_rows=2**24)

    def law_of(x: tuple[int, ...]) -> object:
        p = ln.profile(statistic, np.array(x, dtype=np.int64), relation=relation)
        return ln.AsymmetricSensitivity(beta=2).law(p, Fraction(1, 2))

    claim = ln.PureDP(Fraction(1, 2))
    report = audit.exact_law(law_of, universe=(0, 1, 2), n=3, relation=relation, claim=claim)
    assert report.passed, report


def test_candidates_that_follow_a_private_row_count_have_no_privacy() -> None:
    """Why only a public row count may fit them: elsewhere the supports of neighbours differ."""
    statistic = ln.MeanAbsoluteError(bounds=(0, 8), step=1)

    def law_of(x: tuple[int, ...]) -> object:
        p = ln.profile(statistic, (np.array(x), np.zeros(len(x))), relation="add-remove")
        assert p.rows is None
        growth = 1 + Fraction(1, 2 + len(x))
        return ln.AsymmetricSensitivity(beta=growth, scale=1).law(replace(p, resolution=1), 1)

    report = audit.exact_law(
        law_of, universe=(0, 1, 8), n=3, relation="add-remove", claim=ln.PureDP(1)
    )
    assert not report.passed


def test_fitted_candidates_far_apart_are_the_log_ones_alone() -> None:
    few = fitted_candidates(0, 2**48, Fraction(2**28), Fraction(100), None)
    for widest in (2**48, 2**63, 2**90):  # the last two are beyond numpy's integers
        assert list(fitted_candidates(0, 2**48, Fraction(2**28), Fraction(100), widest)) == list(
            few
        )


def test_fitted_candidates_are_few_where_noise_is_large_and_fine_where_it_is_small() -> None:
    def growths(rows: int | None, epsilon: int, widest: int | None) -> tuple[float, float]:
        records = Fraction(rows or 2048) * epsilon
        c = fitted_candidates(0, 2**48, Fraction(2**28), records, widest)
        assert c[0] == 0
        assert c[-1] == 2**48
        assert list(c) == sorted(set(c))
        middle = next(i for i, t in enumerate(c) if t >= 2**40)
        return c[middle + 1] / c[middle] - 1, (c[-1] - c[-2]) / 2**48

    assert growths(100, 1, None)[0] == pytest.approx(1 / 20, rel=0.01)
    assert growths(90_000, 1, None)[0] == pytest.approx(1 / 300, rel=0.01)
    assert growths(10**9, 1, None)[0] < 1 / 1500
    assert growths(1000, 1, 2**48 // 1000)[1] <= 1 / 1000
    assert growths(10**6, 1, 2**48 // 10**6)[1] <= 1.01 / 2**14


@pytest.mark.parametrize("mechanism", [ln.AsymmetricSensitivity(), ln.TightOrLoose()])
@pytest.mark.parametrize("epsilon", [1, 10, 10**6])
def test_candidates_of_a_wide_range_begin_at_the_scale_of_noise(
    mechanism: Any, epsilon: int
) -> None:
    """A count may reach 2**40, and a 2**20th part of that is a million rows."""
    for asked in (ln.Count("x"), ln.Sum("x", bounds=(0, 10))):
        with simulate("scale"):
            value = ln.release(asked, {"x": [1] * 1000}, epsilon=epsilon, mechanism=mechanism).value
        assert value == pytest.approx(1000, rel=0.03)


def test_fitted_candidates_go_on_evenly_on_lattices_beyond_numpys_integers() -> None:
    for bits in (48, 70):
        unit = 2 ** (bits - 48)
        widest = 2**38 * unit
        c = fitted_candidates(0, 2**bits, Fraction(2**28 * unit), Fraction(100), widest)
        assert (c[0], c[-1]) == (0, 2**bits)
        assert min(b - a for a, b in pairwise(c)) > 0
        assert max(b - a for a, b in pairwise(c)) == widest


def test_far_from_0_ranges_share_their_candidates() -> None:
    """Without a range, or in another one, the walk meets the same candidates."""

    def candidates(bounds: tuple[int, int] | None) -> list[float]:
        p = ln.profile(ln.MeanAbsoluteError(bounds=bounds), (np.ones(1000), np.zeros(1000)))
        law = ln.AsymmetricSensitivity(beta="auto", split=2).law(p, 1)
        assert isinstance(law, AboveThresholdLaw)
        return [float(t * law.step) for t in law.stream.candidates]

    free = candidates(None)
    assert free[-1] > 1e26  # e^60
    for high in (50, 5000):
        near = [t for t in candidates((0, high)) if high / 100 < t < high / 25]
        assert len(near) > 50
        assert [min(free, key=lambda t, a=a: abs(t - a)) for a in near] == pytest.approx(
            near, rel=0.02 / 47
        )


@pytest.mark.parametrize(("epsilon", "apart"), [(1, 1), (16, 1), (1, "1/2")])
def test_privacy_of_candidates_that_go_on_evenly(epsilon: int, apart: object) -> None:
    """A mean under replace-one: at most ``apart`` scales of Laplace noise apart, e1 + e2 in all."""
    mechanism = ln.AsymmetricSensitivity(beta="auto", split=2, apart=apart)
    widest = 256 * Fraction(4, 3) / epsilon * Fraction(apart)

    def law_of(x: tuple[int, ...]) -> AboveThresholdLaw:
        p = ln.profile(ln.Mean(bounds=(0, 4)), np.array(x, dtype=np.int64))
        law = mechanism.law(replace(p, resolution=Fraction(1, 256)), epsilon)
        assert isinstance(law, AboveThresholdLaw)
        gaps = [b - a for a, b in pairwise(law.stream.candidates)]
        assert max(gaps) <= widest + 1
        # candidates that grow by 1/20 are up to 48 apart
        assert (max(gaps) > 40) == (widest > 40)
        return law

    claim = ln.PureDP(epsilon)
    report = audit.exact_law(law_of, universe=(0, 1, 4), n=3, relation="replace-one", claim=claim)
    assert report.passed, report


def test_the_budget_without_monotonicity_is_attained_by_a_false_flag() -> None:
    """The exact add-remove profile of an order statistic, charged as monotone (errata 3)."""

    def law_of(x: tuple[int, ...]) -> object:
        p = ln.profile(ln.Median(bounds=(0, 4)), np.array(x, dtype=np.int64), relation="add-remove")
        mechanism = ln.AsymmetricSensitivity(spacing="uniform", split="1/20")
        return mechanism.law(replace(p, monotone=True), "2.1")

    report = audit.exact_law(
        law_of, universe=(0, 1, 4), n=4, relation="add-remove", claim=ln.PureDP("2.1")
    )
    assert not report.passed


def exponential_data() -> np.ndarray:
    return -10 * np.log1p(-(np.arange(1, 1001) - 0.5) / 1000)


@pytest.mark.parametrize(("q", "error"), [("0.5", 0.0419), ("0.9", 0.210)])
def test_the_papers_setting_has_the_papers_error(q: str, error: float) -> None:
    """t_i = 1.005^i - 1, exponential noise, eps1 = eps2 = 1/2 (errata 5), by the definition."""
    x = exponential_data()
    k = math.ceil(Fraction(q) * len(x))
    value = x[k - 1]
    t = np.minimum(1.005 ** np.arange(int(math.log(101) / math.log(1.005)) + 2) - 1, 100)
    above = np.maximum(1, np.searchsorted(x, t, "left") + 1 - k)
    below = np.maximum(1, k - np.searchsorted(x, t, "right"))
    score = np.where(t >= value, above - 0.5, 0.5 - below)
    cell = 0.02
    total = 0.0
    for z in (np.arange(3000) + 0.5) * cell:
        fire = np.exp(-0.5 * np.maximum(0, z - score))
        quiet = np.concatenate([[1], np.cumprod(1 - fire)])
        mean = np.dot(quiet[:-1] * fire, abs(t - value)) + quiet[-1] * abs(t[-1] - value)
        total += 0.5 * math.exp(-0.5 * z) * cell * mean
    assert total == pytest.approx(error, rel=0.02)
    p = ln.profile(ln.Quantile(q=q, bounds=(0, 100)), x)
    ours = ln.AsymmetricSensitivity(scale=1).law(p, 1).mean_absolute_error(centre=p.value)
    assert ours < total  # one-sided geometric noise has the smaller error
    default = ln.PiecewiseLaplace().law(p, 1).mean_absolute_error(centre=p.value)
    assert default < total


def test_the_law_agrees_with_its_sampler_and_its_tables() -> None:
    p = ln.profile(ln.Median(bounds=(0, 100)), exponential_data())
    for mechanism in (ln.AsymmetricSensitivity(), ln.AsymmetricSensitivity(side="down")):
        law = mechanism.law(p, 1)
        source = HashedBits(b"law")
        draws = np.array([law.value_of(law.draw(source)) for _ in range(3000)], dtype=float)
        errors = abs(draws - float(p.value))
        spread = errors.std() / math.sqrt(len(errors))
        assert abs(errors.mean() - law.mean_absolute_error(centre=p.value)) < 5 * spread
        for u in (0.05, 0.3, 0.5, 0.9):
            y = law.quantile(u)
            assert law.cdf(y) >= u - 1e-12
            assert law.cdf(y - float(law.step)) < u
            assert abs((draws <= y).mean() - law.cdf(y)) < 5 * 0.5 / math.sqrt(len(draws))


def test_certified_enclosures_hold_the_float_probabilities() -> None:
    p = ln.profile(ln.Median(bounds=(0, 9)), np.array([1, 4, 4, 8]))
    law = ln.AsymmetricSensitivity(beta="1.3").law(p, "0.7")
    table = law.enclosures()
    assert sum(low for low, _ in table.values()) <= 1 <= sum(high for _, high in table.values())
    for y, (low, high) in table.items():
        assert high - low < Fraction(1, 2**60)
        assert float(low) == pytest.approx(law.point_mass(y), abs=1e-12)


def test_the_last_candidate_is_returned_when_none_fires_and_the_first_at_once() -> None:
    p = ln.profile(ln.Median(bounds=(0, 9)), np.array([9] * 5))
    assert ln.AsymmetricSensitivity().law(p, 50).quantile(0.5) == 9
    p = ln.profile(ln.Median(bounds=(0, 9)), np.array([0] * 5))
    assert ln.AsymmetricSensitivity().law(p, 50).quantile(0.5) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"beta": 1},
        {"beta": "abc"},
        {"beta": 3},
        {"scale": 0},
        {"split": -1},
        {"side": "left"},
        {"spacing": "dense"},
    ],
)
def test_wrong_parameters_are_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ln.AsymmetricSensitivity(**wrong)


# --- sparse vector -----------------------------------------------------------


def naive_sparse_vector(
    scores: list[int], e1: float, e2: float, answers: int
) -> dict[tuple[bool, ...], float]:
    """The law of all answers to the end or to the last positive one, threshold 0."""
    table: dict[tuple[bool, ...], float] = {}

    def walk(z: int, said: tuple[bool, ...], weight: float) -> None:
        if len(said) == len(scores) or sum(said) == answers:
            table[said] = table.get(said, 0.0) + weight
            return
        fire = math.exp(-e2 * max(0, z - scores[len(said)]))
        walk(z, (*said, True), weight * fire)
        walk(z, (*said, False), weight * (1 - fire))

    for z in range(int(45 / e1)):
        walk(z, (), -math.expm1(-e1) * math.exp(-e1 * z))
    return table


def worst(a: dict[tuple[bool, ...], float], b: dict[tuple[bool, ...], float]) -> float:
    return max(abs(math.log(a[key] / b[key])) for key in a if a[key] > 1e-13 and b[key] > 1e-13)


@pytest.mark.parametrize(("answers", "monotone"), [(1, False), (1, True), (2, False), (2, True)])
def test_the_charge_of_a_sparse_vector_is_enough(answers: int, monotone: bool) -> None:
    vector = ln.SparseVector(epsilon=1, threshold=0, answers=answers, monotone=monotone)
    e1, e2 = float(vector.e1), float(vector.e2)
    factor = 1 if monotone else 2
    assert vector.e1 + factor * answers * vector.e2 == 1
    steps = [(0, 1), (-1, 0)] if monotone else [(-1, 0, 1)]
    found = 0.0
    scores = [-3, 0, 2]
    for way in steps:
        for moves in np.array(np.meshgrid(*[way] * len(scores))).T.reshape(-1, len(scores)):
            a = naive_sparse_vector(scores, e1, e2, answers)
            b = naive_sparse_vector(
                [s + int(m) for s, m in zip(scores, moves, strict=True)], e1, e2, answers
            )
            found = max(found, worst(a, b))
    assert found <= 1 + 1e-9
    assert found > 0.6  # the charge is not idle


def test_a_sparse_vector_follows_its_law() -> None:
    scores, draws = [-2, 0, 1], 4000
    counts: dict[tuple[bool, ...], int] = {}
    with simulate(3):
        for _ in range(draws):
            vector = ln.SparseVector(epsilon=2, threshold=0, answers=1)
            said: list[bool] = []
            while not vector.exhausted and len(said) < len(scores):
                said.append(vector.above(scores[len(said)]))
            counts[tuple(said)] = counts.get(tuple(said), 0) + 1
    e1, e2 = float(vector.e1), float(vector.e2)
    for key, p in naive_sparse_vector(scores, e1, e2, 1).items():
        assert abs(counts.get(key, 0) / draws - p) < 5 * math.sqrt(p / draws) + 1e-9


def test_a_sparse_vector_refuses_after_its_answers() -> None:
    vector = ln.SparseVector(epsilon=1, threshold=0, answers=2)
    assert vector.above(10**9)
    assert vector.above(10**9)
    with pytest.raises(RuntimeError, match="2 positive answers"):
        vector.above(10**9)
    assert "noisy" not in repr(vector).lower()


def test_a_sparse_vector_cannot_be_copied() -> None:
    import copy
    import pickle

    vector = ln.SparseVector(epsilon=1, threshold=0)
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="secret noise"):
            act(vector)


def test_half_integer_scores_are_exact() -> None:
    with simulate(1):
        vector = ln.SparseVector(epsilon=100, threshold=Fraction(1, 2))
        assert not vector.above(-50)
        assert vector.above("50.5")


def test_enclosures_stay_positive_at_a_large_epsilon() -> None:
    """Probabilities far below 2^-128 are enclosed too, so an audit at epsilon = 64 is no alarm."""

    def law_of(x: tuple[int, ...]) -> object:
        p = ln.profile(ln.Median(bounds=(0, 4)), np.array(x), relation="replace-one")
        return ln.AsymmetricSensitivity(spacing="uniform").law(p, 64)

    report = audit.exact_law(
        law_of, universe=(0, 1, 4), n=3, relation="replace-one", claim=ln.PureDP(64)
    )
    assert report.passed, report
