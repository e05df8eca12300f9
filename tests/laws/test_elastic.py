"""The elastic net of a linear fit: of released numbers alone, and scikit-learn's without noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.linear_model as plain

from leastnoise.errors import ParameterError
from leastnoise.estimators import PrivateLinearRegression
from leastnoise.estimators.elastic import ElasticNet
from leastnoise.estimators.intervals import unscaled
from leastnoise.estimators.moments import NoisyMoments, solve
from leastnoise.testing import simulate


def table(n: int = 3000) -> tuple[Any, Any]:
    """Six features of several units, two of them related, of which three tell the target."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 6)) * [1, 10, 0.1, 1, 100, 1] + [0, 5, 1, 2, 300, 0]
    X[:, 5] += X[:, 0]
    return X, 3 * X[:, 0] + 0.2 * X[:, 1] + 50 * X[:, 2] + rng.normal(size=n) + 7


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("alpha", "ratio"), [(0.1, 1), (0.5, 1), (0.3, 0.5), (0.3, 0), (1e6, 1)])
def test_without_noise_it_is_that_of_scikit_learn(
    alpha: float, ratio: float, intercept: bool
) -> None:
    X, y = table()
    with simulate(1):
        model = PrivateLinearRegression(
            10**6,
            bounds=[(c.min(), c.max()) for c in X.T],
            target_bounds=(y.min(), y.max()),
            fit_intercept=intercept,
            alpha=alpha,
            l1_ratio=ratio,
        ).fit(X, y)
    theirs: Any = plain.ElasticNet(
        alpha=alpha, l1_ratio=ratio, fit_intercept=intercept, tol=1e-10, max_iter=100_000
    )
    theirs.fit(X, y)
    assert model.coef_ == pytest.approx(theirs.coef_, abs=1e-3)
    assert model.intercept_ == pytest.approx(theirs.intercept_, abs=1e-3)
    assert ((model.coef_ == 0) == (theirs.coef_ == 0)).all()


def test_it_keeps_the_features_that_tell_the_target() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (20_000, 8))
    y = 2 * X[:, 0] - 3 * X[:, 4] + rng.normal(size=20_000)
    with simulate(1):
        model = PrivateLinearRegression(
            8, bounds=(-1, 1), target_bounds=(-8, 8), alpha=0.1, l1_ratio=1
        ).fit(X, y)
    assert np.flatnonzero(model.coef_).tolist() == [0, 4]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_it_is_computed_from_what_a_fit_without_it_releases(relation: str) -> None:
    """With the same draws the released numbers of a fit without a penalty tell that with one."""
    X, y = table(500)
    fits: dict[float, PrivateLinearRegression] = {}
    for alpha in (0, 0.2):
        with simulate("same"):
            fits[alpha] = PrivateLinearRegression(
                bounds=(-400, 400), target_bounds=(-100, 300), mechanism="moments", ridge=1,
                alpha=alpha, l1_ratio=1, intervals=False, relation=relation,
            ).fit(X, y)  # fmt: skip
    assert fits[0].release_.parts == fits[0.2].release_.parts
    released = fits[0].moments_
    assert released is not None
    assert (released == fits[0.2].moments_).all()
    scales: Any = vars(fits[0])["_scales"]
    moments = NoisyMoments(float(released[0, 0]), released)
    solved = solve(moments, 1.0, 1.0, intercept=True)
    assert fits[0].release_.value == unscaled(solved, *scales)
    told = ElasticNet(0.2, 1.0).applied(solved, moments, *scales)
    assert fits[0.2].release_.value == unscaled(told, *scales)
    assert fits[0.2].release_.value != fits[0].release_.value


def test_it_is_finite_for_moments_that_bend_nowhere() -> None:
    X, y = np.zeros((3, 2)), np.zeros(3)
    for alpha in ("1e-30", 1, 10**30):
        with simulate(1):
            model = PrivateLinearRegression(
                "1/100", bounds=(0, 1), target_bounds=(0, 1), alpha=alpha
            ).fit(X, y)
        assert np.isfinite([*model.coef_, model.intercept_]).all()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"alpha": -1}, "alpha"),
        ({"alpha": np.inf}, "alpha"),
        ({"alpha": 1, "l1_ratio": 1.5}, "l1_ratio"),
        ({"alpha": 1, "mechanism": "objective"}, "alpha"),
    ],
)
def test_a_penalty_that_is_none_is_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        PrivateLinearRegression(**options).fit(*table(10))


def test_there_are_no_intervals_with_it() -> None:
    with simulate(1):
        model = PrivateLinearRegression(bounds=(-1, 1), target_bounds=(-1, 1), alpha=1).fit(
            *table(500)
        )
    assert "residuals" not in model.release_.parts
    with pytest.raises(ParameterError, match="alpha=0"):
        model.conf_int()


def test_columns_that_are_nearly_one_settle() -> None:
    """Steps of single coefficients come to the minimum slowly there."""
    rng = np.random.default_rng(3)
    X = 2 * rng.random((500, 2)) - 1
    X[:, 1] = 0.99 * X[:, 0] + 0.01 * X[:, 1]
    y = X[:, 0] + 0.3 * rng.normal(size=500)
    exact: Any = plain.ElasticNet(alpha=0.01, l1_ratio=1, tol=1e-13, max_iter=10**6).fit(X, y)
    ends: Any = {"bounds": [(-1, 1)] * 2, "target_bounds": (-3, 3)}
    with simulate("nearly one"):
        found = PrivateLinearRegression(10**9, alpha=0.01, l1_ratio=1, **ends).fit(X, y)
    np.testing.assert_allclose(found.coef_, exact.coef_, atol=0.01)
