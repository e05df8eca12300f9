"""Private scores of scikit-learn models by scorer name."""

from __future__ import annotations

import signal
import sys
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import leastnoise as ln
from leastnoise.errors import LeastNoiseError, ParameterError, SchemaError
from leastnoise.session.scoring.predictions import predictions
from leastnoise.session.scoring.scoring import METRICS
from leastnoise.testing import simulate


def predict(method: Any, rows: Any, one_by_one: bool, *, width: int) -> Any:
    """The predictions themselves, as they are read after the charge."""
    return predictions(method, rows, one_by_one, width=width).array


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
    [
        "neg_log_loss", "neg_brier_score", "accuracy", "balanced_accuracy", "matthews_corrcoef",
        "f1", "jaccard", "precision", "recall", "jaccard_micro", "jaccard_weighted", "roc_auc",
    ],
)  # fmt: skip
@pytest.mark.parametrize("names", [False, True])
def test_classification(binary: Any, metric: str, names: bool) -> None:
    model, x, y = binary
    if names:
        text = np.array(["no", "yes"])
        model = LogisticRegression().fit(x, text[y])
        y = text[y]
    with simulate(0):
        score = ln.private_score(model, x, y, metric=metric, epsilon=1000)
    if names and metric in ("f1", "jaccard", "precision", "recall"):
        reference = get_scorer(f"{metric}_macro")(model, x, y)  # of similar size
        assert score.value == pytest.approx(reference, abs=0.05)
    elif names and metric == "neg_brier_score":  # scikit-learn's scorer takes no text
        reference = -brier_score_loss(y == "yes", model.predict_proba(x)[:, 1])
        assert score.value == pytest.approx(reference, abs=0.005)
    else:
        assert score.value == pytest.approx(get_scorer(metric)(model, x, y), abs=0.005)


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (-1, 1), (False, True)], ids=str)
def test_the_positive_label_is_scikit_learns_in_any_order(
    binary: Any, metric: str, pair: Any
) -> None:
    _, x, y = binary
    named = np.array(pair)[y]
    model = LogisticRegression().fit(x[:200], named[:200])
    wanted = get_scorer(metric)(model, x, named)
    for labels in (None, list(pair), list(pair)[::-1]):
        with simulate(0):
            score = ln.private_score(model, x, named, metric=metric, epsilon=1000, labels=labels)
        assert score.value == pytest.approx(wanted, abs=0.005)


class Says:
    """A list of labels, and something else for the rows below 0."""

    def __init__(self, labels: list[Any], odd: Any) -> None:
        self.classes_, self.odd = np.array(labels), odd

    def predict(self, rows: Any) -> list[Any]:
        return [self.odd if r[0] < 0 else self.classes_.tolist()[int(r[0] > 1)] for r in rows]


ODD = ["unknown", 1j, np.datetime64("2020-01-01"), np.timedelta64(1, "s"), b"x", None, 10**400]
ODD += [2**63, 2**64, [1], {}, float("nan"), 7, True, "7", object()]


@pytest.mark.parametrize("odd", ODD, ids=[type(odd).__name__ for odd in ODD])
@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"]], ids=["numbers", "texts"])
@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_one_odd_prediction_counts_as_wrong_and_raises_nothing(
    metric: str, labels: list[Any], odd: Any
) -> None:
    truth = [labels[0], labels[1]] * 20
    for rows, right in (([[0.5], [2.0]] * 20, 40), ([[0.5], [2.0]] * 19 + [[0.5], [-1.0]], 39)):
        with simulate(0):
            score = ln.private_score(Says(labels, odd), rows, truth, metric=metric, epsilon=1e6)
        share = right / 40 if metric == "accuracy" else right / 2 / (right / 2 + (40 - right) / 2)
        if odd is not True or labels != [0, 1]:  # True is the label 1
            assert score.value == pytest.approx(share, abs=0.03)


def test_a_model_that_writes_to_its_rows_is_given_new_ones() -> None:
    """The call that fails at one row has scaled some columns of all in place."""
    x = np.random.default_rng(0).normal(50, 10, (200, 2))
    model = make_pipeline(StandardScaler(copy=False), LinearRegression()).fit(x.copy(), x.sum(1))
    bad = x.copy()
    bad[7, 0] = np.nan
    for rows in (bad, pd.DataFrame(bad, columns=["a", "b"]), bad.tolist()):
        before = np.array(rows)
        found = predict(model.predict, rows, False, width=1)
        assert np.isnan(found).nonzero()[0].tolist() == [7]
        assert np.delete(found, 7) == pytest.approx(np.delete(x.sum(1), 7))
        assert np.array_equal(np.array(rows), before, equal_nan=True)


@pytest.mark.parametrize(
    "build",
    [
        list,
        lambda cells: np.array([*cells, None], object)[:-1],
        lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=object)}),
        lambda cells: pl.DataFrame({"x": pl.Series(cells, dtype=pl.Object)}),
    ],
)
def test_a_model_cannot_write_to_objects_in_cells(build: Any) -> None:
    """It counts what it is given in the cells themselves, and fails at the last row."""

    class Counts:
        def predict(self, rows: Any) -> list[float]:
            held = list(rows["x"]) if hasattr(rows, "columns") else list(rows)
            for cell in held:
                cell.append(1)
            if any(cell[0] == "bad" for cell in held):
                raise ValueError
            return [float(len(cell)) for cell in held]

    cells: list[Any] = [["a"], ["b"], ["bad"]]
    found = predict(Counts().predict, build(cells), False, width=1)
    assert found[:2].tolist() == [2, 2]
    assert np.isnan(found[2])
    assert cells == [["a"], ["b"], ["bad"]]


def test_a_class_of_arrays_is_no_matter_to_the_model_or_the_rows() -> None:
    class Odd(np.ndarray):
        def __getitem__(self, place: Any) -> Any:
            raise KeyError(place)

        def copy(self, order: Any = "C") -> Any:
            raise KeyError(order)

        def __array_ufunc__(self, *args: Any, **options: Any) -> Any:
            raise KeyError(args)

    rows = np.arange(6.0).reshape(3, 2)
    seen: list[type] = []

    def total(given: Any) -> Any:
        seen.append(type(given))
        return given.sum(axis=1)

    assert predict(total, rows.view(Odd), False, width=1).tolist() == [1, 5, 9]
    assert seen == [np.ndarray]


@pytest.mark.parametrize(
    "say",
    [
        lambda value: np.array(value),
        lambda value: np.array([[value]]),
        lambda value: [value],
        lambda value: np.float32(value),
        Fraction,
    ],
    ids=["0-d", "1 x 1", "list", "single", "Fraction"],
)
@pytest.mark.parametrize("odd", ["unknown", None, np.array([1, 2]), object()])
def test_a_number_is_read_alike_beside_whatever(say: Any, odd: Any) -> None:
    for last in (3.0, odd):
        said = [*(say(float(i)) for i in range(3)), say(last) if last is not odd else odd]
        found = predict(lambda rows, said=said: said, [[0]] * 4, False, width=1)
        assert found[:3].tolist() == [0, 1, 2]
        assert np.isnan(found[3]) == (last is odd)


def test_rows_that_fail_together_only_are_asked_alone() -> None:
    def uneven(rows: Any) -> Any:
        return np.asarray([list(row) for row in rows]).mean(axis=1)

    found = predict(uneven, [[1.0, 2.0]] * 5 + [[1.0, 2.0, 6.0]], False, width=1)
    assert found.tolist() == [1.5] * 5 + [3.0]


@pytest.mark.parametrize("width", [0, 1, 2])
def test_a_model_that_squeezes_its_answers_fails_at_its_bad_rows_only(width: int) -> None:
    def squeezed(rows: Any) -> Any:
        if np.isnan(rows).any():
            raise ValueError
        if width == 0:
            return np.squeeze(np.where(rows[:, 0] > 0, "y", "n"))
        return np.squeeze(np.repeat(rows, width, axis=1))

    rows = np.array([[1.0], [-1.0], [np.nan], [2.0]])
    found = predict(squeezed, rows, False, width=width)
    wanted: list[Any] = ["y", "n", None, "y"] if width == 0 else [1, -1, None, 2]
    for row, value in zip(found.reshape(4, -1).tolist(), wanted, strict=True):
        assert all(np.isnan(x) if width and value is None else x == value for x in row)


def test_rows_that_cannot_be_picked_are_refused_whether_or_not_one_fails() -> None:
    import array
    import collections

    import scipy.sparse

    held = [1.0, 2.0, float("nan")]
    for data in (
        collections.deque(held),
        array.array("d", held),
        scipy.sparse.coo_matrix([held]).T,
        scipy.sparse.coo_array(np.array([held]).T),
        scipy.sparse.bsr_array(np.array([held]).T),
    ):
        with pytest.raises(SchemaError, match="picked"):
            predict(lambda rows: np.zeros(3), data, False, width=1)


def test_the_words_of_an_interrupt_are_dropped() -> None:
    def stop(rows: Any) -> Any:
        try:
            raise ValueError(f"secret {rows}")
        except ValueError:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as raised:
        predict(stop, [[1.0]], False, width=1)
    assert raised.value.args == ()
    assert raised.value.__context__ is None


@pytest.mark.parametrize("metric", ["neg_log_loss", "neg_brier_score", "roc_auc"])
@pytest.mark.parametrize("labels", [["0", "1"], [0, 2], [0, 1, 2]], ids=str)
def test_labels_are_the_classes_of_the_model(binary: Any, metric: str, labels: Any) -> None:
    model, x, y = binary
    with pytest.raises(ParameterError, match="classes_"):
        ln.private_score(model, x, y, metric=metric, epsilon=1, labels=labels)


AVERAGED = [
    f"{score}_{average}"
    for score in ("f1", "jaccard", "precision", "recall")
    for average in ("macro", "micro", "weighted")
]


@pytest.mark.parametrize(
    "metric",
    ["neg_log_loss", "neg_brier_score", "accuracy", "matthews_corrcoef", *AVERAGED],
)
def test_several_labels(metric: str) -> None:
    x, y = load_iris(return_X_y=True)
    keep = np.r_[0:30, 50:150]  # labels of different frequency, so that averages differ
    x, y = x[keep], y[keep]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(max_iter=12).fit(x[::2], y[::2])
    with simulate(0):
        score = ln.private_score(model, x, y, metric=metric, epsilon=1000, labels=[2, 0, 1])
    if metric == "neg_brier_score":  # scikit-learn has it for several labels since 1.7 only
        wanted = -((model.predict_proba(x) - np.eye(3)[y]) ** 2).sum(axis=1).mean()
    else:
        wanted = get_scorer(metric)(model, x, y)
    assert score.value == pytest.approx(wanted, abs=0.01)
    with pytest.raises(LeastNoiseError):
        ln.private_score(model, x, y, metric="f1", epsilon=1)


class Chances:
    """Missing chances in one row, and one beyond 1."""

    classes_ = np.array([0, 1])

    def predict_proba(self, rows: Any) -> Any:
        return np.array([[0.5, 0.5], [np.nan, 1.0], [0.0, 7.0], [0.9, 0.1]])


@pytest.mark.parametrize(
    ("missing", "expected"),
    [("none", (0.25 + 0.25 + 0 + 0.25) / 4), ("drop", 0.25 / 2), (1, (0.25 + 1 + 0 + 1) / 4)],
)
def test_brier_score_of_missing_chances_and_labels(missing: Any, expected: float) -> None:
    with simulate(0):
        score = ln.private_score(
            Chances(), np.zeros((4, 1)), [1, 1, 1, 5], metric="neg_brier_score",
            epsilon=100_000, missing=missing,
        )  # fmt: skip
    assert score.value == pytest.approx(-expected, abs=0.001)


@pytest.mark.parametrize("metric", METRICS)
def test_every_score_of_no_rows_is_finite(metric: str) -> None:
    class Constant:
        classes_ = np.array([0, 1])

        def predict(self, rows: Any) -> Any:
            return np.zeros(len(rows))

        def predict_proba(self, rows: Any) -> Any:
            return np.full((len(rows), 2), 0.5)

    options = {"bounds": (0, 1)} if metric == "r2" else {}
    score = ln.private_score(
        Constant(), np.zeros((0, 1)), [], metric=metric, epsilon="1/8", **options
    )
    assert np.isfinite(score.value)
    assert score.statistic == metric


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
    [
        ValueError("secret"),
        SystemExit(3),
        KeyboardInterrupt(3),
        np.zeros((2, 2)),
        None,
        "text",
        [[1], [2, 3]],
    ],
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


def test_an_r2_without_declared_bounds_says_what_to_do_instead() -> None:
    """Two limits would be found, one for the errors and one for the targets."""

    class Itself:
        def predict(self, rows: Any) -> Any:
            return [row[0] for row in rows]

    y = np.random.default_rng(3).normal(50, 10, 2000)
    x = (y + np.random.default_rng(4).normal(0, 3, 2000)).reshape(-1, 1)
    private = ln.PrivateBounds()
    for act in (
        lambda: ln.R2(bounds=private),
        lambda: ln.private_score(Itself(), x, y, metric="r2", epsilon=1, bounds=private),
    ):
        with pytest.raises(ParameterError, match="bounds of an R2 must be declared") as caught:
            act()
        assert "1 - error / variance" in str(caught.value)
    with simulate("r2"):
        error = ln.release(ln.MeanSquaredError(bounds=private), (y, x[:, 0]), epsilon=2).value
        variance = ln.release(ln.Variance(bounds=private), y, epsilon=2).value
    assert 1 - error / variance == pytest.approx(0.91, abs=0.05)


class Called:
    """A model that keeps what was spent when it was asked."""

    classes_ = np.array([0, 1])

    def __init__(self, ledger: Any) -> None:
        self.ledger, self.spent = ledger, []

    def predict(self, rows: Any) -> Any:
        self.spent.append(self.ledger.spent.epsilon)
        return np.zeros(len(rows))

    def predict_proba(self, rows: Any) -> Any:
        self.predict(rows)
        return np.full((len(rows), 2), 0.5)


@pytest.mark.parametrize("metric", METRICS)
def test_the_model_sees_private_rows_after_the_charge_alone(metric: str, tmp_path: Any) -> None:
    rows, targets = [[1.0], [2.0], [3.0]], [0, 1, 1]
    options: dict[str, Any] = {"bounds": (0, 1)} if metric in ("r2", *METRICS[:3]) else {}
    with ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(4)) as ledger:
        model = Called(ledger)
        asked: dict[str, Any] = {"metric": metric, "ledger": ledger, "dataset": "d", **options}
        for wrong in (
            {"epsilon": 5},
            {"epsilon": -1},
            {"epsilon": 1, "relation": "swap"},
            {"epsilon": 1, "mechanism": ln.KNorm()},
        ):
            with pytest.raises(LeastNoiseError):
                ln.private_score(model, rows, targets, **asked | wrong)
        with pytest.raises(LeastNoiseError):
            ln.private_score(model, rows, targets[:2], **asked | {"epsilon": 1})
        assert model.spent == []
        assert ledger.spent.epsilon == 0
        ln.private_score(model, rows, targets, **asked | {"epsilon": 1})
        assert model.spent == [1]


@pytest.mark.parametrize("metric", ["jaccard_micro", "f1", "balanced_accuracy"])
def test_a_score_that_is_computed_of_noisy_numbers_has_no_noise_width(
    binary: Any, metric: str
) -> None:
    model, x, y = binary
    score = ln.private_score(model, x, y, metric=metric, epsilon=1)
    assert (score.noise, score.noise_scale, score.axes) == (None, None, ())
    with pytest.raises(ParameterError, match="no public noise width"):
        score.noise_interval()


def test_the_bounds_of_a_negated_loss_are_those_of_its_values(binary: Any) -> None:
    model, x, y = binary
    score = ln.private_score(
        model, x, y, metric="neg_mean_absolute_error", epsilon=1, bounds=(0, 3)
    )
    assert score.bounds == (-3, 0)
    assert -3 <= score.value <= 0
