"""Private scores of scikit-learn models by scorer name."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.testing import simulate


@pytest.fixture
def regression() -> tuple[Any, Any, Any]:
    x, y = make_regression(400, 4, noise=20, random_state=0)
    return LinearRegression().fit(x[:200], y[:200]), x[200:], y[200:]


@pytest.fixture
def binary() -> tuple[Any, Any, Any]:
    x, y = make_classification(600, 6, flip_y=0.2, random_state=0)
    return LogisticRegression().fit(x[:200], y[:200]), x[200:], y[200:]


@pytest.mark.parametrize(
    "metric",
    ["neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error", "r2"],
)
def test_regression(regression: Any, metric: str) -> None:
    model, x, y = regression
    with simulate(0):
        score = ln.private_score(model, x, y, metric=metric, epsilon=1000, bounds=(-600, 600))
    reference = get_scorer(metric)(model, x, y)
    assert score.value == pytest.approx(reference, rel=0.03)
    assert score.statistic == metric
    assert (metric == "r2") == (score.value > 0)
    assert any("public" in note for note in score.notes)
    assert any("each row on its own" in note for note in score.notes)
    if metric == "r2":
        assert set(score.parts.values()) == {"500"}


@pytest.mark.parametrize(
    "metric",
    ["neg_log_loss", "accuracy", "balanced_accuracy", "f1", "precision", "recall", "roc_auc"],
)
@pytest.mark.parametrize("names", [False, True])
def test_classification(binary: Any, metric: str, names: bool) -> None:
    model, x, y = binary
    if names:
        text = np.array(["no", "yes"])
        model = LogisticRegression().fit(x, text[y])
        y = text[y]
    with simulate(0):
        score = ln.private_score(model, x, y, metric=metric, epsilon=1000)
    if names and metric in ("f1", "precision", "recall"):
        reference = get_scorer(f"{metric}_macro")(model, x, y)  # of similar size
        assert score.value == pytest.approx(reference, abs=0.05)
    else:
        assert score.value == pytest.approx(get_scorer(metric)(model, x, y), abs=0.005)


@pytest.mark.parametrize("metric", ["neg_log_loss", "accuracy", "f1_macro", "recall_macro"])
def test_several_labels(metric: str) -> None:
    x, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(max_iter=50).fit(x[::2], y[::2])
    with simulate(0):
        score = ln.private_score(model, x, y, metric=metric, epsilon=1000, labels=[2, 0, 1])
    assert score.value == pytest.approx(get_scorer(metric)(model, x, y), abs=0.01)
    with pytest.raises(LeastNoiseError):
        ln.private_score(model, x, y, metric="f1", epsilon=1)


class Nasty:
    """Fails on rows above 5, prints, warns, and writes to what it is given."""

    def __init__(self, failure: Any) -> None:
        self.failure = failure

    def predict(self, rows: Any) -> Any:
        print("secret 73914628", file=sys.stderr)
        print("secret 73914628")
        warnings.warn("secret 73914628", stacklevel=1)
        if np.nanmax(rows) > 5:
            if isinstance(self.failure, BaseException):
                raise self.failure
            return self.failure
        found = rows[:, 0].copy()
        rows[:] = 0
        return found


@pytest.mark.parametrize(
    "failure",
    [ValueError("secret"), SystemExit(3), np.zeros((2, 2)), None, "text", [[1], [2, 3]]],
    ids=repr,
)
@pytest.mark.parametrize("one_by_one", [False, True])
def test_only_the_failing_row_becomes_a_constant(
    failure: Any, one_by_one: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.array([[1.0], [9.0], [3.0]])
    kept = x.copy()
    with simulate(0):
        score = ln.private_score(
            Nasty(failure), x, [1.0, 4.0, 1.0], metric="neg_mean_absolute_error",
            epsilon=10_000, bounds=(0, 10), one_by_one=one_by_one,
        )  # fmt: skip
    assert score.value == pytest.approx(-(0 + 1 + 2) / 3, abs=0.02)  # 5, the middle, for row 2
    assert (x == kept).all()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("metric", ["neg_mean_squared_error", "accuracy", "f1", "r2"])
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_model_that_always_fails_gives_a_finite_score(metric: str, rows: int) -> None:
    class Broken:
        classes_ = np.array([0, 1])

        def predict(self, rows: Any) -> Any:
            raise RuntimeError("secret")

    options = {} if metric in ("accuracy", "f1") else {"bounds": (0, 1)}
    x, y = np.ones((rows, 2)), [1] * rows
    score = ln.private_score(Broken(), x, y, metric=metric, epsilon=1, **options)
    assert np.isfinite(score.value)
    assert "secret" not in score.to_json()


def test_errors_come_from_public_facts(regression: Any) -> None:
    model, x, y = regression
    with pytest.raises(ValueError, match="metric must be one of"):
        ln.private_score(model, x, y, metric="mse", epsilon=1)
    with pytest.raises(TypeError, match="predict_proba"):
        ln.private_score(model, x, y, metric="neg_log_loss", epsilon=1)
    with pytest.raises(ValueError, match="labels are required"):
        ln.private_score(model, x, y, metric="accuracy", epsilon=1)
    with pytest.raises(ValueError, match="bounds are required"):
        ln.private_score(model, x, y, metric="r2", epsilon=1)
