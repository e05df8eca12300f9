"""What the estimators reach: errors fall in epsilon and n, and meet the simulations' marks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leastnoise.estimators import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
    PrivateRobustRegression,
)
from leastnoise.testing import simulate

TRUTH = np.array([0, -1, -0.5, -0.25, 0, 0.75, 1.5])


def model(kind: str, epsilon: object) -> Any:
    if kind == "linear":
        return PrivateLinearRegression(epsilon, bounds=(-1, 1), target_bounds=(-4, 4))
    if kind == "logistic":
        return PrivateLogisticRegression(epsilon, bounds=(-1, 1), classes=[0, 1])
    return PrivateRobustRegression(epsilon, bounds=(-1, 1), coef_bounds=(-9, 9))


def error(kind: str, epsilon: object, n: int, run: int) -> float:
    rng = np.random.default_rng(run)
    slopes = np.array([1.0] if kind == "robust" else [1.0, -1.0])
    X = rng.uniform(-1, 1, (n, len(slopes)))
    y: Any = X @ slopes + rng.normal(size=n) / 2
    if kind == "logistic":
        y = (rng.uniform(size=n) < 1 / (1 + np.exp(-X @ slopes))).astype(int)
    with simulate(run):
        found = model(kind, epsilon).fit(X, y)
    return float(np.linalg.norm(np.ravel(found.coef_) - slopes))


@pytest.mark.parametrize("kind", ["linear", "logistic", "robust"])
def test_errors_fall_in_epsilon_and_in_n(kind: str) -> None:
    def middle(epsilon: object, n: int) -> float:
        return float(np.median([error(kind, epsilon, n, run) for run in range(21)]))

    few, more, most = middle("0.1", 400), middle("1", 400), middle("0.1", 4000)
    assert more < few
    assert most < few


@pytest.mark.nightly
def test_the_logistic_simulation_at_a_quarter_and_a_sixteenth() -> None:
    """n = 10,000, m = 7 (Awan and Slavkovic, Algorithm 3): .193 and .646 of 200 runs each."""
    for epsilon, mark in (("1/4", 0.21), ("1/16", 0.70)):
        ours, theirs = [], []
        rng = np.random.default_rng(1)
        for run in range(200):
            X = rng.uniform(-1, 1, (10_000, 7))
            y = (rng.uniform(size=10_000) < 1 / (1 + np.exp(-X @ TRUTH))).astype(int)
            for options, errors in (({}, ours), ({"accountant": "split", "q": "0.85"}, theirs)):
                made = PrivateLogisticRegression(
                    epsilon, bounds=(-1, 1), classes=[0, 1], C=np.inf, fit_intercept=False,
                    **options,
                )  # fmt: skip
                with simulate(run):
                    errors.append(float(np.linalg.norm(made.fit(X, y).coef_[0] - TRUTH)))
        assert np.median(ours) <= mark
        gap = np.array(ours) - np.array(theirs)
        assert gap.mean() < -2 * gap.std(ddof=1) / 200**0.5


@pytest.mark.nightly
def test_the_coverage_simulation_orders_the_balls() -> None:
    """p = 5, n = 10,000, |Y| cut to 6, epsilon = 1, 200 runs: .25 < .37 <= .39 < .49 < .65."""
    beta = np.linspace(-1.5, 1.5, 5)
    share: dict[str, list[float]] = {k: [] for k in ("l1", "linf", "paper", "tri", "sdp")}
    rng = np.random.default_rng(2)
    for run in range(200):
        X = rng.uniform(-1, 1, (10_000, 5))
        y = X @ beta + rng.normal(size=len(X))
        full = np.column_stack([np.ones(len(X)), X])
        inverse = np.linalg.inv(full.T @ full)
        fit = inverse @ (full.T @ y)
        deviation = np.sqrt(((y - full @ fit) ** 2).sum() / (len(X) - 6) * np.diag(inverse))
        for kind, found in share.items():
            made = PrivateLinearRegression(
                1, bounds=(-1, 1), target_bounds=(-6, 6), ball=kind, ridge="pinv"
            )
            with simulate(run):
                gap = np.abs(made.fit(X, y).coef_ - fit[1:])
            found.append(float((gap < 1.96 * deviation[1:]).mean()))
    means = {kind: float(np.mean(found)) for kind, found in share.items()}
    assert means["l1"] < means["linf"] <= means["paper"] < means["tri"] < means["sdp"]
    assert means["sdp"] >= 0.60
