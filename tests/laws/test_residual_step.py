"""The step along the slopes of residuals: each question by enumeration, its balls, and its use."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from leastnoise import PureDP, audit
from leastnoise.audit.scripted import Dataset, Scripted
from leastnoise.errors import ParameterError
from leastnoise.estimators import PrivateLinearRegression, residuals
from leastnoise.estimators.moments import UNIT
from leastnoise.estimators.residuals import (
    ENOUGH,
    STEP,
    in_parts,
    residuals_of,
    scale_of,
    slopes_ball,
    slopes_of,
)
from leastnoise.mechanisms import private_limits
from leastnoise.testing import simulate

EPSILON = Fraction(1)
RELATIONS = ("replace-one", "add-remove", "edit")


def scales(data: Dataset, times: int = 1) -> audit.Probabilities:
    """The scale of the residuals of some records, by every choice."""
    found: dict[Hashable, tuple[Fraction, Fraction]] = {}
    waiting: list[tuple[int, ...]] = [()]
    left = np.array([float(x) for x in data])
    while waiting:
        draws = Scripted(waiting.pop())
        scale = scale_of(left, np.ones(len(left), dtype=bool), EPSILON, draws, times)
        waiting += draws.others
        found[scale] = draws.mass
    return audit.Probabilities(found)


@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_scale_of_residuals_costs_what_it_says(
    relation: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(residuals, "_SCALES", [0.25, 1.0, 4.0])

    def lost(claim: Fraction) -> Any:
        return audit.exact_law(
            lambda data: scales(data, times),
            universe=(0, -0.5, 2, -9), n=3, relation=relation, claim=PureDP(claim),
        )  # fmt: skip

    found = lost(EPSILON)
    assert found.passed
    assert found.lo > EPSILON * (Fraction(1, 4) if relation == "add-remove" else Fraction(1, 2))


def test_a_scale_at_twice_the_rate_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residuals, "_SCALES", [0.25, 1.0, 4.0])
    monkeypatch.setattr(
        residuals, "half_costs", lambda a, b, e, t: private_limits.half_costs(a, b, 2 * e, t)
    )
    found = audit.exact_law(
        scales, universe=(0, -0.5, 2, -9), n=3, relation="replace-one", claim=PureDP(EPSILON)
    )
    assert not found.passed


def record_of(features: Any, part: float, intercept: bool) -> list[Fraction]:
    """One record's part in the slopes, exactly."""
    found = [Fraction(part) * Fraction(x) for x in features]
    return [Fraction(part), *found] if intercept else found


@pytest.mark.parametrize("intercept", [True, False])
def test_what_a_record_changes_is_in_the_ball(intercept: bool) -> None:
    values = (-1.0, -0.5, 0.0, 1.0)
    parts = [record_of(row[:2], row[2], intercept) for row in product(values, repeat=3)]
    whole, alone = (slopes_ball(2 + intercept, alone=one) for one in (False, True))
    for a, b in product(parts, repeat=2):
        assert whole.bound([x - y for x, y in zip(a, b, strict=True)]) <= 1
    assert max(alone.bound(a) for a in parts) == 1
    most = max(
        alone.bound([x - y for x, y in zip(a, b, strict=True)]) for a in parts for b in parts
    )
    assert most == 2  # the ball of additions does not hold replacements


@pytest.mark.parametrize("relation", RELATIONS)
def test_slopes_are_exact_sums_with_the_noise_of_their_ball(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def noisy(values: Any, ball: Any, rate: Fraction, source: object) -> Any:
        asked.append((ball, rate))
        return values

    monkeypatch.setattr(residuals, "noisy", noisy)
    rng = np.random.default_rng(1)
    z = np.rint(rng.uniform(-1, 1, (40, 2)) * 2**20) / 2**20
    left, counts = rng.normal(size=40), np.arange(40) % 5 > 0
    shares, alone = STEP.times(EPSILON, 10.0), relation == "add-remove"
    with simulate("slopes"):
        step, parts = slopes_of(z, left, counts, shares, np.zeros(3), alone=alone, intercept=True)
    assert np.abs(parts).max() <= 1
    assert np.allclose(parts, np.clip(left / step.radius, -1, 1), atol=2.0**-20)
    total = [Fraction(0)] * 3
    for row, part, counted in zip(z, parts, counts, strict=True):
        if counted:
            total = [a + b for a, b in zip(total, record_of(row, part, True), strict=True)]
    assert [Fraction(x) for x in step.values.tolist()] == pytest.approx(total)
    assert all(x / UNIT % 1 == 0 for x in total)
    ((ball, rate),) = asked
    assert rate == shares.slopes == EPSILON * STEP.slopes
    assert ball.bound([Fraction(2), 0, 0]) == (2 if alone else 1)


def test_no_other_record_decides_a_residual() -> None:
    records = [*product((-2.0, 0.25, 1.0), repeat=3), (0.0, 1e300, 1e300)]
    rows = np.array(records)
    for weights in ([0.1, 3.0, -7e300], [0.3, 1e308, 1e308], [0.0, 0.5, -0.5]):
        together = residuals_of(rows[:, :2], rows[:, 2], np.array(weights), intercept=True)
        assert not np.isnan(together).any()
        assert (np.abs(in_parts(together, 0.01)) <= 1).all()
        for k, row in enumerate(rows):
            one = residuals_of(row[None, :2], row[None, 2], np.array(weights), intercept=True)
            assert one[0] == together[k]


def table(n: int, p: int, seed: int = 1, error: float = 0.3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 15 + 45
    slopes = rng.normal(size=p)
    return X, 7 + X @ slopes + error * 15 * rng.normal(size=n), slopes


def parts_of(n: int, **options: Any) -> set[str]:
    X, y, _ = table(n, 2)
    with simulate("rule"):
        model = PrivateLinearRegression(1, **options).fit(X, y)
    return set(model.release_.parts)


def test_a_step_is_taken_where_a_public_rule_says_so() -> None:
    told: dict[str, Any] = {"bounds": (0, 90), "target_bounds": (-200, 200)}
    for relation in RELATIONS:
        assert "slopes" in parts_of(int(ENOUGH * 1.5), relation=relation, **told)
        assert "slopes" not in parts_of(ENOUGH // 2, relation=relation, **told)
        counted = parts_of(4 * ENOUGH, relation=relation, **told)
        assert ("row count" in counted) == (relation != "replace-one")
    assert "slopes" in parts_of(ENOUGH // 2, mechanism="residuals", **told)
    for options in ({"mechanism": "moments"}, {"ridge": "pinv"}, {"ridge": 3}):
        assert "slopes" not in parts_of(4 * ENOUGH, **told, **options)


def test_a_step_is_nearer_than_moments_alone() -> None:
    misses: dict[str, list[float]] = {"moments": [], "residuals": []}
    for seed in range(12):
        X, y, slopes = table(5000, 4, seed)
        for mechanism, found in misses.items():
            with simulate(seed):
                model = PrivateLinearRegression(
                    1, bounds=(0, 90), target_bounds=(-400, 400), mechanism=mechanism
                ).fit(X, y)
            found.append(float(np.linalg.norm(model.coef_ - slopes)))
    assert np.median(misses["residuals"]) < np.median(misses["moments"]) / 2


def test_mechanisms_that_are_not_known_are_refused() -> None:
    X, y, _ = table(50, 2)
    with pytest.raises(ParameterError, match="mechanism"):
        PrivateLinearRegression(mechanism="boosted").fit(X, y)
    with pytest.raises(ParameterError, match="ridge"):
        PrivateLinearRegression(mechanism="residuals", ridge="pinv").fit(X, y)
