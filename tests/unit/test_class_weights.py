"""Public weights of classes: what is meant by them, what is refused, and what they cost."""

from __future__ import annotations

import random
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.estimators import PrivateLogisticRegression
from leastnoise.estimators.class_weights import parse_class_weights
from leastnoise.testing import simulate

LIMITS: dict[str, Any] = {"bounds": (-1, 1), "C": 2.0}


def data(n: int = 4000) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (n, 2))
    return X, (X[:, 0] + rng.logistic(0, 0.5, n) > 0.9).astype(int)


@pytest.mark.parametrize("weights", [{0: 1, 1: 4}, {1: "7/2", 0: 0.5}, {np.int64(1): 0.25}])
def test_weights_are_those_of_scikit_learn(weights: dict[Any, Any]) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = data()
    plain = {int(k): float(Fraction(str(v))) for k, v in weights.items()}
    expected = linear.LogisticRegression(C=2.0, class_weight=plain, tol=1e-10).fit(X, y)
    with simulate(1):
        found = PrivateLogisticRegression(
            10**9, classes=[0, 1], class_weight=weights, **LIMITS
        ).fit(X, y)
    assert np.allclose(found.coef_, expected.coef_, atol=1e-3)
    assert np.allclose(found.intercept_, expected.intercept_, atol=1e-3)


def test_weights_of_several_classes() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = data()
    y = np.where(X[:, 1] > 0.3, 2, y)
    with simulate(1):
        found = PrivateLogisticRegression(
            10**9, classes=[0, 1, 2], class_weight={2: 3, 1: 2}, **LIMITS
        ).fit(X, y)
    for k, label in enumerate([0, 1, 2]):
        one = linear.LogisticRegression(C=2.0, tol=1e-10).fit(
            X, y == label, sample_weight=np.array([1, 2, 3])[y]
        )
        assert np.allclose(found.coef_[k], one.coef_[0], atol=1e-3)


def test_weights_cost_nothing_and_a_weight_of_one_changes_nothing() -> None:
    X, y = data(500)
    fits = []
    for weights in (None, {0: 1}, {0: 3, 1: 3}, {0: 1, 1: 5}):
        with simulate(2):
            model = PrivateLogisticRegression(
                1, bounds=(-1, 1), classes=[0, 1], C=np.inf, class_weight=weights
            ).fit(X, y)
        assert model.release_.guarantee.epsilon == 1
        fits.append(model.release_.value)
    assert fits[0] == fits[1] == fits[2]
    assert fits[3] != fits[0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("balanced", "private.*public weights"),
        ("heavy", "None or a dict"),
        ([1, 2], "None or a dict"),
        ({}, "None or a dict"),
        ({2: 1}, "not one of the declared classes"),
        ({0: 0}, "above 0.*out of classes"),
        ({0: -1}, "above 0"),
        ({0: 1, 1: 1001}, "whole numbers up to 1000"),
        ({0: np.inf}, "class_weight"),
        ({0: "x"}, "class_weight"),
    ],
    ids=str,
)
def test_what_is_no_weight_is_refused_at_no_cost(weights: Any, message: str, tmp_path: Any) -> None:
    X, y = data(20)
    with ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(5)) as ledger:
        model = PrivateLogisticRegression(
            1, classes=[0, 1], class_weight=weights, ledger=ledger, dataset="d", **LIMITS
        )
        with pytest.raises(ParameterError, match=message):
            model.fit(X, y)
        with pytest.raises(ParameterError, match="intervals"):
            PrivateLogisticRegression(
                1, classes=[0, 1], class_weight={0: 2}, intervals=True, ledger=ledger, dataset="d"
            ).fit(X, y)
        assert ledger.spent.epsilon == 0


def test_weights_are_the_least_whole_numbers() -> None:
    found = parse_class_weights({"a": 0.3, "b": 0.7}, ("a", "b", "c"))
    assert found.times == (3, 7, 10)
    assert found.largest == 1
    assert parse_class_weights(None, (0, 1)).times == (1, 1)


def test_any_weights_are_in_the_ratio_of_their_whole_numbers() -> None:
    draw = random.Random(2)
    for _ in range(300):
        count = draw.randrange(1, 5)
        weights = [Fraction(draw.randrange(1, 13), draw.randrange(1, 5)) for _ in range(count)]
        given = dict(enumerate(weights))
        found = parse_class_weights(given, tuple(given))
        assert gcd(*found.times) == 1
        assert [Fraction(one, found.times[0]) for one in found.times] == [
            weight / weights[0] for weight in weights
        ]
