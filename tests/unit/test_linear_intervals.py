"""Intervals of a linear regression: coverage, form, and what they need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from leastnoise.errors import ParameterError
from leastnoise.estimators import PrivateLinearRegression
from leastnoise.testing import simulate


def table(seed: int, n: int, p: int, error: float = 1.0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, p))
    X[:, -1] = (X[:, 0] + X[:, -1]) / 2
    slopes = rng.normal(size=p)
    return X, 1 + X @ slopes + error * rng.normal(size=n), slopes


@pytest.mark.parametrize(
    ("n", "epsilon", "options"),
    [
        (4000, 8, {"ball": "linf", "relation": "add-remove"}),
        (400, "1/8", {"ball": "cone", "relation": "edit"}),
        (3000, 1, {"ball": "cone"}),
    ],
)
def test_intervals_hold_the_slopes_as_often_as_they_say(
    n: int, epsilon: Any, options: dict[str, Any]
) -> None:
    held = []
    for seed in range(60):
        X, y, slopes = table(seed, n, 3)
        with simulate(seed):
            model = PrivateLinearRegression(
                epsilon, bounds=(-1, 1), target_bounds=(-8, 8), **options
            ).fit(X, y)
        low, high = model.conf_int(0.9, intercept=True).T
        held.append((low <= [1, *slopes]) & ([1, *slopes] <= high))
        mean = model.predict_conf_int(X[:3], 0.9)
        truth = 1 + X[:3] @ slopes
        held.append((mean[:, 0] <= truth) & (truth <= mean[:, 1]))
    assert 0.84 < np.mean(np.concatenate(held)) <= 1


def test_intervals_shrink_to_those_without_privacy() -> None:
    X, y, _ = table(1, 5000, 3)
    with simulate(1):
        model = PrivateLinearRegression(1e7, bounds=(-1, 1), target_bounds=(-8, 8)).fit(X, y)
    z = np.column_stack([np.ones(len(X)), X])
    left = y - z @ np.linalg.lstsq(z, y)[0]
    error = np.sqrt(np.diag(np.linalg.inv(z.T @ z)) * left.var())
    width = np.ptp(model.conf_int(0.95, intercept=True), axis=1)
    assert width == pytest.approx(2 * 1.96 * error, rel=0.12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("ball", ["cone", "l1", "sdp", "plus"])
def test_every_release_has_finite_intervals(fit_intercept: bool, relation: str, ball: str) -> None:
    for X, y in ((np.zeros((0, 2)), []), (np.full((9, 2), np.inf), [np.nan] * 9)):
        with simulate(2):
            model = PrivateLinearRegression(
                fit_intercept=fit_intercept, relation=relation, ball=ball
            ).fit(X, y)
        found = model.conf_int()
        assert found.shape == (2, 2)
        assert np.isfinite(found).all()
        assert (found[:, 0] <= model.coef_).all()
        assert (model.coef_ <= found[:, 1]).all()
        rows = model.conf_int(intercept=True)
        assert len(rows) == 2 + fit_intercept
        assert np.isfinite(model.predict_conf_int(np.ones((4, 2)))).all()


def test_exclusive_indicators_have_intervals() -> None:
    rng = np.random.default_rng(3)
    group = rng.integers(0, 3, 4000)
    X = np.column_stack([group == 1, group == 2, rng.random(4000)]).astype(float)
    y = X @ [1.0, 2.0, 0.5] + rng.normal(0, 0.2, 4000)
    with simulate(1):
        model = PrivateLinearRegression(
            2, bounds=(0, 1), target_bounds=(-1, 4), exclusive=[[0, 1]]
        ).fit(X, y)
    low, high = model.conf_int(0.99).T
    assert (low < [1, 2, 0.5]).all()
    assert (high > [1, 2, 0.5]).all()
    assert (high - low < 1).all()


def test_a_summary_names_the_columns_and_shows_the_intervals() -> None:
    X, y, _ = table(4, 2000, 2)
    frame = pd.DataFrame(X, columns=["dose", "age"])
    with simulate(4):
        model = PrivateLinearRegression(1, bounds=(-1, 1), target_bounds=(-6, 6)).fit(frame, y)
        lines = model.summary(0.9).splitlines()
    assert lines[1].split() == ["coef", "std", "err", "z", "P>|z|", "[0.05", "0.95]"]
    assert [line.split()[0] for line in lines[3:6]] == ["const", "dose", "age"]
    low, high = model.conf_int(0.9)[0]
    assert lines[4].split()[-2:] == [f"{low:.4g}", f"{high:.4g}"]
    assert "PureDP(epsilon=1" in lines[-1]
    wider = model.summary(0.99).splitlines()  # errors are the same whichever level is shown
    assert [line.split()[:5] for line in wider[3:6]] == [line.split()[:5] for line in lines[3:6]]


def test_intervals_that_were_not_asked_for_are_refused() -> None:
    X, y, _ = table(5, 100, 2)
    model = PrivateLinearRegression(bounds=(-1, 1), target_bounds=(-6, 6), intervals=False).fit(
        X, y
    )
    assert not model.release_.parts
    for asked in (model.conf_int, model.summary, lambda: model.predict_conf_int(X)):
        with pytest.raises(ParameterError, match="intervals=False"):
            asked()
    model.set_params(intervals=True).fit(X, y)
    for level in (0, 1, 95, "0.99999", "1e-20"):
        with pytest.raises(ParameterError, match="level"):
            model.conf_int(level)


def test_intervals_hold_what_limits_of_few_rows_hide() -> None:
    held = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 3))
        slopes = rng.normal(size=3)
        y = 1 + X @ slopes + rng.normal(size=600)
        with simulate(seed):
            low, high = PrivateLinearRegression("1/2").fit(X, y).conf_int(0.95).T
        held.append((low <= slopes) & (slopes <= high))
    assert np.mean(held) > 0.9


def test_far_features_bend_no_slope() -> None:
    errors = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.standard_t(2.5, (20_000, 2))
        with simulate(seed):
            model = PrivateLinearRegression(4, intervals=False).fit(X, X @ [1, -1])
        errors.append(model.coef_ - [1, -1])
    assert np.abs(np.mean(errors, axis=0)).max() < 0.001
