"""scikit-learn's own checks, and its own fits at a huge epsilon."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import (
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    QuantileRegressor,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from leastnoise.estimators import (
    HuberLoss,
    PrivateLinearRegression,
    PrivateLogisticRegression,
    PrivateRobustRegression,
)
from leastnoise.testing import simulate

# Checks that ask for an error, or an answer, that private values decide. Each would tell something
# about the data, so each is expected to fail, for the reason beside it.
VALUES = {
    "check_dtype_object": "an entry that is no number is missing; an error would tell of it",
    "check_estimators_empty_data_messages": "no rows is a data set too: n can be private",
    "check_supervised_y_no_nan": "a missing target is dropped with its row, never refused",
}
LISTS = {"check_regressors_train": "X is a list there, in which no type tells the features"}
LABELS = "the classes are declared as [0, 1] and never read from y, which here holds others"
CLASSES = VALUES | {
    "check_classifiers_classes": LABELS,
    "check_classifiers_train": LABELS,
    "check_class_weight_classifiers": "it weighs a class that is not declared, another by 1e-7",
    "check_classifiers_regression_target": "whether y is continuous is a fact about its values",
}
FOUND = {
    "check_fit_idempotent": "limits that are found are drawn afresh, whatever epsilon is",
    "check_supervised_y_2d": "so two fits differ",
}
HUGE = 1e15  # so that a fit and its repetition are equal
ESTIMATORS = [
    (PrivateLinearRegression(HUGE, bounds=(-200, 200), target_bounds=(-500, 500)), VALUES | LISTS),
    (
        PrivateRobustRegression(HUGE, bounds=(-200, 200), coef_bounds=(-1000, 1000), alpha=1),
        VALUES | LISTS,
    ),
    (PrivateLogisticRegression(HUGE, bounds=(-200, 200), classes=[0, 1]), CLASSES),
    pytest.param(PrivateLinearRegression(HUGE), VALUES | LISTS | FOUND, marks=pytest.mark.nightly),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:Estimator's parameters:UserWarning")
@pytest.mark.parametrize(
    ("estimator", "declared"), ESTIMATORS, ids=lambda value: type(value).__name__
)
def test_the_checks_of_scikit_learn(estimator: Any, declared: dict[str, str]) -> None:
    failed: dict[str, str] = {}
    for candidate, check in estimator_checks_generator(estimator):
        name = getattr(check, "func", check).__name__
        try:
            with simulate(name):  # so that draws which are too far apart are no matter of luck
                check(candidate)
        except Exception as error:
            if type(error).__name__ != "SkipTest":
                failed.setdefault(name, f"{type(error).__name__}: {error}")
    assert sorted(failed) == sorted(declared), failed


def data(n: int = 2000, d: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(8)
    X = rng.uniform([-1, 0, 10][:d], [3, 2, 30][:d], (n, d))
    return X, rng


BOUNDS = [(-1, 3), (0, 2), (10, 30)]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    "options", [{}, {"relation": "add-remove"}, {"missing": "drop"}, {"ridge": "pinv"}]
)
def test_linear_regression_at_a_huge_epsilon(fit_intercept: bool, options: dict[str, Any]) -> None:
    X, rng = data()
    y = X @ [1, -2, 0.1] - 1 + rng.uniform(-1, 1, len(X))
    ours = PrivateLinearRegression(
        1e6, bounds=BOUNDS, target_bounds=(-10, 10), fit_intercept=fit_intercept, **options
    ).fit(X, y)
    theirs = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    assert abs(ours.coef_ - theirs.coef_).max() < 1e-3
    assert abs(ours.intercept_ - float(theirs.intercept_)) < 2e-3
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-5)


def test_exclusive_indicators_at_a_huge_epsilon() -> None:
    rng = np.random.default_rng(9)
    group = rng.integers(0, 4, 3000)
    X = np.column_stack([rng.uniform(0, 1, 3000), *(group == k for k in range(1, 4))])
    y = X @ [1, 0.5, -0.5, 0.25] + rng.uniform(-1, 1, 3000)
    ours = PrivateLinearRegression(
        1e6, bounds=(0, 1), target_bounds=(-5, 5), exclusive=[[1, 2, 3]]
    ).fit(X, y)
    theirs = LinearRegression().fit(X, y)
    assert abs(ours.coef_ - theirs.coef_).max() < 1e-3
    assert abs(ours.intercept_ - theirs.intercept_) < 1e-3


@pytest.mark.parametrize("C", [1.0, 0.01, np.inf])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_logistic_regression_at_a_huge_epsilon(
    C: float, fit_intercept: bool, relation: str
) -> None:
    X, rng = data()
    odds = X @ [1, -2, 0.1] - 1
    y = (rng.uniform(size=len(X)) < 1 / (1 + np.exp(-odds))).astype(int)
    ours = PrivateLogisticRegression(
        1e6, bounds=BOUNDS, classes=[0, 1], C=C, fit_intercept=fit_intercept, relation=relation
    ).fit(X, y)
    theirs = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-10, max_iter=10_000)
    theirs.fit(X, y)
    assert abs(ours.coef_ - theirs.coef_).max() < 1e-3
    assert abs(ours.intercept_ - theirs.intercept_).max() < 1e-3
    assert abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 1e-3
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=2e-3)


def test_one_versus_rest_at_a_huge_epsilon() -> None:
    X, rng = data()
    y = np.array(["a", "b", "c"])[
        np.argmax(X @ rng.normal(size=(3, 3)) / 5 + rng.gumbel(size=(len(X), 3)), axis=1)
    ]
    ours = PrivateLogisticRegression(1e6, bounds=BOUNDS, classes=["b", "a", "c"]).fit(X, y)
    theirs = OneVsRestClassifier(LogisticRegression(tol=1e-10, max_iter=10_000)).fit(X, y)
    assert ours.classes_.tolist() == ["a", "b", "c"]
    for k, model in enumerate(theirs.estimators_):
        assert abs(ours.coef_[k] - model.coef_[0]).max() < 1e-3
    assert abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 1e-3
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.998


def test_huber_regression_at_a_huge_epsilon() -> None:
    X, rng = data(d=1)
    y = 1.5 * X[:, 0] + rng.standard_t(2, len(X))
    theirs = HuberRegressor(alpha=0, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(X, y)
    loss = HuberLoss(float(theirs.epsilon * theirs.scale_))
    ours = PrivateRobustRegression(1e6, bounds=BOUNDS[:1], coef_bounds=(-10, 10), loss=loss)
    assert abs(ours.fit(X, y).coef_ - theirs.coef_).max() < 1e-3


@pytest.mark.parametrize("several", [False, True])
def test_least_absolute_deviations_at_a_huge_epsilon(several: bool) -> None:
    X, rng = data(d=3 if several else 1)
    y = X.sum(axis=1) + rng.uniform(-1, 1, len(X))
    theirs = QuantileRegressor(alpha=0, fit_intercept=several).fit(X, y)
    ours = PrivateRobustRegression(
        1e6, bounds=BOUNDS[: X.shape[1]], coef_bounds=(-10, 10), fit_intercept=several,
        alpha=0.001,
    ).fit(X, y)  # fmt: skip
    # the smoothed loss has its minimum near that of |t|, not at it
    assert (
        np.abs(X @ (ours.coef_ - theirs.coef_) + ours.intercept_ - theirs.intercept_).max() < 0.01
    )
