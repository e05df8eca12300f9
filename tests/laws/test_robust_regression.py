"""The profile of robust regression: brute force, the neighbour law, exact privacy, broken forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.estimators import ConvexLoss, HuberLoss, PrivateRobustRegression
from leastnoise.estimators.level_sets import BOUND, Extremes, Gradients, LevelSets
from leastnoise.profiles import Profile
from leastnoise.randomness import active
from leastnoise.testing import simulate

RELATIONS = ("replace-one", "add-remove", "edit")
# (feature, target), with a missing one, one beyond the bounds, and infinite targets
UNIVERSE: list[tuple[float, float]] = [
    (1.0, 0.5), (-2.0, 3.0), (2.0, -1.0), (9.0, 1.0), (0.0, 1.0), (1.0, np.nan), (0.5, np.inf),
]  # fmt: skip


def model(**options: Any) -> PrivateRobustRegression:
    given: dict[str, Any] = {"bounds": (-2, 2), "coef_bounds": (-2, 2), "step": "1/4"}
    return PrivateRobustRegression(**(given | options))


def columns(data: tuple[Any, ...]) -> tuple[Any, Any]:
    rows = np.array(data, dtype=float).reshape(-1, 2)
    return rows[:, :1], rows[:, 1]


def audited(
    relation: str, mechanism: Any, profile_of: Any, n: int = 3, universe: Any = UNIVERSE
) -> audit.ExactReport:
    return audit.exact_law(
        lambda data: mechanism.law(profile_of(data), 1),
        universe=universe,
        n=n,
        relation=relation,
        claim=ln.PureDP(1),
        permutations=n < 3,
    )


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("mechanism", [ln.PiecewiseLaplace(), ln.InverseSensitivity()])
@pytest.mark.parametrize("loss", ["smooth-absolute", HuberLoss("1/2")])
def test_every_neighbouring_pair_of_a_small_universe(
    relation: str, mechanism: Any, loss: Any
) -> None:
    asked = model(relation=relation, loss=loss)
    report = audited(relation, mechanism, lambda data: asked.profile(*columns(data)))
    assert report.passed, report
    assert report.hi > Fraction(1, 2), "the universe should come near the claim"


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("policy", ["none", 1])
def test_imputed_features_are_private_too(relation: str, policy: Any) -> None:
    asked = model(relation=relation, missing=policy)
    universe = [(np.nan, 2.0), (1.0, -1.0), (-2.0, 2.0)]
    report = audit.exact_law(
        lambda data: ln.PiecewiseLaplace().law(asked.profile(*columns(data)), 1),
        universe=universe,
        n=3,
        relation=relation,
        claim=ln.PureDP(1),
    )
    assert report.passed, report


def reached(relation: str, gradients: list[int], level: int) -> int:
    """The least sum after ``level`` changes, from the definition of the relation."""
    best = sum(gradients)
    n = len(gradients)
    for gone in range(min(level, n) + 1):
        for kept in combinations(gradients, n - gone):
            if relation == "replace-one":
                came = gone
            elif relation == "add-remove":
                came = level - gone
            else:
                came = level
            best = min(best, sum(kept) - came * BOUND)
    return best


@pytest.mark.parametrize("relation", RELATIONS)
def test_extreme_sums_equal_brute_force(relation: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        found = [int(g) for g in rng.integers(-BOUND, BOUND, rng.integers(0, 6), endpoint=True)]
        sums = Extremes(np.array(found, dtype=np.int32), relation, 8)
        for level in range(8):
            assert sums.of(level) == reached(relation, found, level)
            assert sums.of(-level) == -reached(relation, [-g for g in found], level)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_ends_alone_give_the_same_sums(relation: str) -> None:
    rng = np.random.default_rng(6)
    gradients = rng.integers(-BOUND, BOUND, 40, endpoint=True).astype(np.int32)
    whole, ends = Extremes(gradients, relation, 40), Extremes(gradients, relation, 9)
    assert all(whole.of(level) == ends.of(level) for level in range(-9, 10))


@pytest.mark.parametrize("relation", RELATIONS)
def test_levels_beyond_the_ends_that_are_kept(relation: str) -> None:
    rng = np.random.default_rng(7)
    n = 9000
    x, y = rng.uniform(-2, 2, n), rng.standard_cauchy(n)
    sets = LevelSets(Gradients(x, y, 2.0, HuberLoss(1).table, 1 / 16).at, relation, -40, 40)
    at = {p: Extremes(Gradients(x, y, 2.0, HuberLoss(1).table, 1 / 16).at(p), relation, n)
          for p in range(-40, 41)}  # fmt: skip
    for level in (3, -3000, 2500, 8000, -1, 9500):
        scan = max((p for p, sums in at.items() if sums.of(level) <= 0), default=-40)
        assert (sets.upper(level) if level > 0 else sets.lower(-level)) == scan


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_search_finds_the_largest_point_of_a_scan(relation: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(12):
        n = int(rng.integers(0, 8))
        x, y = rng.uniform(-2, 2, n), rng.standard_cauchy(n)
        table = HuberLoss(1).table
        gradients = Gradients(x, y, 2.0, table, 1 / 16)
        sets = LevelSets(gradients.at, relation, -40, 40)
        for level in rng.permutation(n + 3):
            for sign in (1, -1):
                extremes = [
                    Extremes(gradients.at(p), relation, n).of(sign * int(level))
                    for p in range(-40, 41)
                ]
                assert extremes == sorted(extremes), "sums are monotone in the coefficient"
                scan = max((p for p, e in zip(range(-40, 41), extremes, strict=True) if e <= 0),
                           default=-40)  # fmt: skip
                found = sets.upper(int(level)) if sign > 0 else sets.lower(int(level))
                assert found == scan


def test_gradients_are_monotone_as_floats_at_every_lattice_point() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.uniform(-2, 2, 200), rng.uniform(-3, 3, 200)
    gradients = Gradients(x, y, 2.0, model()._loss_table(), 2.0**-40)
    start = int(rng.integers(-(2**40), 2**40))
    rows = np.array([gradients.at(start + k) for k in range(2000)])
    assert (np.diff(rows, axis=0) >= 0).all()
    assert abs(rows).max() <= BOUND


def test_the_estimate_is_the_root_that_a_float_solver_finds() -> None:
    from scipy.optimize import brentq

    rng = np.random.default_rng(4)
    x = rng.uniform(-2, 2, 500)
    y = 1.3 * x + rng.standard_cauchy(500)
    found = model(step=None, alpha="1/3").profile(x.reshape(-1, 1), y).value
    exact = brentq(lambda c: float(np.sum(x * np.tanh((c * x - y) * 3 / 2))), -2, 2, xtol=1e-14)
    step = Fraction(4, 2**30)
    assert abs(float(Fraction(found) * step) - exact) < 1e-6


# What breaks when a condition is broken


def test_rounding_inward_is_caught() -> None:
    """The obvious pair max{g <= l r}, min{g >= -l r} (errata 3)."""

    def profile_of(data: tuple[Any, ...]) -> Profile:
        x, y = columns(data)
        kept = np.clip(x[:, 0], -2, 2)
        gradients = Gradients(kept, y, 2.0, HuberLoss("1/4").table, 0.25)
        right = LevelSets(gradients.at, "add-remove", -8, 8)
        left = LevelSets(lambda p: -gradients.at(-p), "add-remove", -8, 8)
        value = right.upper(0)
        return Profile(
            value=value,
            upper=right.upper,
            lower=lambda l: value if l == 0 else min(value, -left.upper(l)),
            support=(-8, 8),
            integral=True,
            unit=Fraction(1, 4),
        )

    universe = [(2.0, 0.0), (-1.0, 1.0), (-2.0, 1.0)]
    assert not audited("add-remove", ln.InverseSensitivity(), profile_of, 3, universe).passed


def test_a_feature_beyond_the_bounds_is_caught() -> None:
    def profile_of(data: tuple[Any, ...]) -> Profile:
        x, y = columns(data)
        wider = np.clip(x[:, 0], -3.5, 3.5)  # the declared limits are -2 and 2
        gradients = Gradients(wider, y, 2.0, model()._loss_table(), 0.25)
        sets = LevelSets(gradients.at, "add-remove", -8, 8)
        return Profile(
            value=sets.upper(0), upper=sets.upper, lower=sets.lower, support=(-8, 8),
            integral=True, unit=Fraction(1, 4),
        )  # fmt: skip

    assert not audited("add-remove", ln.InverseSensitivity(), profile_of).passed


def of_gradients(at: Any, relation: str, *, scan: bool = False) -> Profile:
    """Bounds from any function to gradients, by the search or by trying every lattice point."""
    sets = LevelSets(at, relation, -8, 8)

    def last(level: int, sign: int) -> int:
        def extreme(p: int) -> int:
            return Extremes(at(p), relation, level).of(sign * level)

        return max((p for p in range(-8, 9) if extreme(p) <= 0), default=-8)

    upper = (lambda l: last(l, 1)) if scan else sets.upper
    lower = (lambda l: last(l, -1)) if scan else sets.lower
    return Profile(
        value=upper(0), upper=upper, lower=lower, support=(-8, 8), integral=True,
        unit=Fraction(1, 4),
    )  # fmt: skip


@pytest.mark.parametrize("relation", RELATIONS)
def test_targets_that_are_centred_on_the_data_are_caught(relation: str) -> None:
    """Each gradient then depends on all records."""
    universe = [(2.0, 0.0), (1.0, 4.0), (-2.0, 3.0), (0.5, -4.0)]

    def profile_of(data: tuple[Any, ...], centred: bool = True) -> Profile:
        x, y = columns(data)
        shift = y.mean() if centred and len(y) else 0.0
        return of_gradients(Gradients(x[:, 0], y - shift, 2.0, HuberLoss("1/4").table, 0.25).at,
                            relation)  # fmt: skip

    law = ln.InverseSensitivity()
    assert not audited(relation, law, profile_of, 3, universe).passed
    assert audited(relation, law, lambda data: profile_of(data, False), 3, universe).passed


def test_gradients_that_rise_and_fall_mislead_the_search() -> None:
    """The exact maximum is private for any bounded gradients, what bisection finds is not."""
    gradients = np.random.default_rng(2).integers(-1, 1, (3, 17), endpoint=True) * BOUND

    def passes(scan: bool) -> bool:
        def profile_of(data: tuple[Any, ...]) -> Profile:
            rows = gradients[list(data)].astype(np.int32)
            return of_gradients(lambda point: rows[:, point + 8], "add-remove", scan=scan)

        return audited("add-remove", ln.InverseSensitivity(), profile_of, 3, range(3)).passed

    assert passes(scan=True)
    assert not passes(scan=False)


def test_levels_of_one_record_a_step_too_few_are_caught() -> None:
    """The printed eq. (17) multiplies the exponent by n (errata 1)."""

    class Printed:
        def law(self, profile: Profile, epsilon: int) -> Any:
            return ln.InverseSensitivity().law(profile, 4 * epsilon)

    asked = model(relation="add-remove")
    report = audited("add-remove", Printed(), lambda data: asked.profile(*columns(data)))
    assert not report.passed


def test_the_add_remove_profile_under_replacement_is_caught() -> None:
    asked = model(relation="add-remove", loss=HuberLoss("1/20"))
    universe = [(-2.0, 4.0), (-2.0, 2.0), (-1.0, -np.inf), (-2.0, -np.inf)]
    law = ln.InverseSensitivity()
    assert not audited(
        "replace-one", law, lambda data: asked.profile(*columns(data)), 3, universe
    ).passed


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("mechanism", [ln.PiecewiseLaplace(), ln.InverseSensitivity()])
def test_a_fit_draws_from_the_law_that_is_audited(relation: str, mechanism: Any) -> None:
    """The same random bits give the same answer, fit after fit."""
    asked = model(relation=relation, epsilon="3/4", mechanism=mechanism)
    features, target = columns(((1.0, 0.5), (-2.0, 1.0), (2.0, 1.5)))
    law = mechanism.law(asked.profile(features, target), "3/4")
    found: list[tuple[float, float]] = []
    for seed in range(30):
        with simulate(seed):
            value = asked.fit(features, target).release_.value
        with simulate(seed):
            found.append((value, law.value_of(law.draw(active()))))
    assert all(value == expected for value, expected in found)
    assert len({value for value, _ in found}) > 3


def test_a_loss_that_is_no_table_of_the_declared_constants_is_refused() -> None:
    for wrong in (
        lambda: ConvexLoss(lambda t: -t, limit=1),
        lambda: ConvexLoss(lambda t: 2 * t, limit=1),
        lambda: ConvexLoss(lambda t: float("nan"), limit=1),
        lambda: ConvexLoss(lambda t: t, limit=0),
        lambda: HuberLoss(0),
    ):
        with pytest.raises(ValueError):
            wrong()
