"""Private classifiers inside wrappers of scikit-learn, which may hand on other labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, KFold
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

import leastnoise as ln
from leastnoise.errors import ColumnTypeError, ParameterError
from leastnoise.estimators import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
    PrivateRobustRegression,
)
from support.optional import optional

Wrapper = Callable[[Any], Any]
FOLDS = KFold(2)

NUMBERING: dict[str, Wrapper] = {
    "voting": lambda model: VotingClassifier([("a", model)]),
    "stacking": lambda model: StackingClassifier(
        [("a", model)], final_estimator=LogisticRegression(), cv=FOLDS
    ),
    "bagging": lambda model: BaggingClassifier(model, n_estimators=2, bootstrap=False),
    "one versus rest": OneVsRestClassifier,
    "one versus one": OneVsOneClassifier,
}
HANDING: dict[str, Wrapper] = {
    "pipeline": make_pipeline,
    "search": lambda model: GridSearchCV(model, {"q": [0.9]}, cv=FOLDS, error_score="raise"),
    "threshold": FixedThresholdClassifier,
    "calibrated": lambda model: CalibratedClassifierCV(model, cv=FOLDS),
}


def rows(names: list[Any]) -> tuple[Any, Any]:
    X = np.random.default_rng(3).uniform(-1, 1, (2000, 2))
    return X, np.array(names)[(X[:, 0] > 0.1).astype(int)]


def model(**options: Any) -> PrivateLogisticRegression:
    return PrivateLogisticRegression(epsilon=10, bounds=(-1, 1), **options)


@pytest.mark.parametrize("names", [["no", "yes"], [1, 2], [False, True]], ids=str)
@pytest.mark.parametrize("name", HANDING)
def test_wrappers_that_hand_labels_on(name: str, names: list[Any]) -> None:
    X, y = rows(names)
    fitted = HANDING[name](model(classes=names)).fit(X, y)
    assert (fitted.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("name", NUMBERING)
def test_wrappers_that_number_labels_which_are_numbers_already(name: str) -> None:
    X, y = rows([0, 1])
    fitted = NUMBERING[name](model(classes=[0, 1])).fit(X, y)
    assert (fitted.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("classes", [["no", "yes"], [0.5, 1.5], [False, 0.5]], ids=str)
@pytest.mark.parametrize("name", NUMBERING)
def test_numbers_for_other_labels_are_refused_at_no_cost(
    name: str, classes: list[Any], tmp_path: Path
) -> None:
    """Whole numbers never hold text nor fractions, which their type tells before the charge."""
    X, y = rows(["no", "yes"])
    with ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(50)) as ledger:
        asked = NUMBERING[name](model(classes=classes, ledger=ledger, dataset="d"))
        with pytest.raises(ColumnTypeError, match=r"VotingClassifier.*docs/regression\.md") as told:
            asked.fit(X, y)
        assert ledger.spent.epsilon == 0
    labels = [0 if label is False else label for label in classes]
    assert f"classes=[0, 1], and the wrapper the target np.searchsorted({labels}, y)" in str(
        told.value
    )


@pytest.mark.parametrize("name", NUMBERING)
def test_the_cure_of_that_refusal_can_be_pasted(name: str) -> None:
    X, y = rows(["no", "yes"])
    target = np.searchsorted(["no", "yes"], y)
    fitted = NUMBERING[name](model(classes=[0, 1])).fit(X, target)
    assert (fitted.predict(X) == target).mean() > 0.9


def test_weights_and_bounds_by_names_that_are_gone_are_refused_at_no_cost(tmp_path: Path) -> None:
    X, y = rows([0, 1])
    with ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(50)) as ledger:
        kept = {"classes": [0, 1], "ledger": ledger, "dataset": "d"}
        with pytest.raises(ValueError, match="sample_weight"):
            AdaBoostClassifier(model(**kept), n_estimators=2).fit(X, y)
        with pytest.raises(ParameterError, match="sample_weight"):
            VotingClassifier([("a", model(**kept))]).fit(X, y, sample_weight=np.ones(len(y)))
        named = PrivateLogisticRegression(epsilon=10, bounds={"a": (-1, 1)}, **kept)
        with pytest.raises(ParameterError, match=r"set_output\(transform='pandas'\)"):
            make_pipeline(FunctionTransformer(), named).fit(X, y)
        assert ledger.spent.epsilon == 0


@pytest.mark.parametrize(
    ("target", "classes"),
    [
        (np.array([True, False]), [-1, 1]),
        (np.array([1, 2]), [1, 2.5]),
        (np.array([1, 2], "u1"), ["1", "2"]),
        (np.array(["2020", "2021"], "M8[D]"), [0, 1]),
    ],
    ids=["truth values", "fractions", "text", "dates"],
)
def test_types_that_never_hold_a_class_are_refused(target: Any, classes: list[Any]) -> None:
    with pytest.raises(ColumnTypeError):
        model(classes=classes).fit(np.zeros((2, 1)), target)


@pytest.mark.parametrize(
    ("target", "classes"),
    [
        (np.array([1.0, 2.5]), [1, 2.5]),
        (np.array([True, False]), [0, 1]),
        (np.array([0, 1], "i1"), [False, True]),
        (["no", 7], ["no", "yes"]),
        (np.array(["no", 7], object), [0, 1]),
    ],
)
def test_types_that_may_hold_the_classes_are_read(target: Any, classes: list[Any]) -> None:
    """Whether the classes occur is private, so it is no error if they do not."""
    fitted = model(classes=classes).fit(np.zeros((2, 1)), target)
    assert np.isfinite(fitted.coef_).all()
    assert "rows whose label is not one of the classes do not count" in fitted.release_.notes


def test_output_codes_are_minus_one_and_one() -> None:
    X, y = rows([0, 1])
    fitted = OutputCodeClassifier(model(classes=[-1, 1]), random_state=0).fit(X, y)
    assert (fitted.predict(X) == y).mean() > 0.9


def test_several_targets_are_fits_of_their_own() -> None:
    X, y = rows(["no", "yes"])
    fitted = MultiOutputClassifier(model(classes=["no", "yes"])).fit(X, np.c_[y, y])
    assert (fitted.predict(X)[:, 1] == y).mean() > 0.9


def test_classes_can_be_handed_on_by_a_wrapper() -> None:
    """scikit-learn routes what a model asks for in its fit."""
    X, y = rows(["no", "yes"])
    with sklearn.config_context(enable_metadata_routing=True):
        asked = model(classes=["no", "yes"]).set_fit_request(classes=True)
        voting = VotingClassifier([("a", asked)]).fit(X, y, classes=[0, 1])
        assert (voting.predict(X) == y).mean() > 0.9
    plain = model(classes=["no", "yes"]).fit(X, y == "yes", classes=[0, 1])
    assert plain.classes_.tolist() == [0, 1]
    assert plain.classes == ["no", "yes"]


def test_fitted_models_vote_without_a_look_at_private_labels() -> None:
    """The recipe of docs/regression.md: one made-up row a class tells a wrapper the labels."""
    X, y = rows(["no", "yes"])
    fits = [model(classes=["no", "yes"], q=q).fit(X, y) for q in (0.8, 0.9)]
    voting = VotingClassifier(
        [(f"fit {i}", FrozenEstimator(fit)) for i, fit in enumerate(fits)], voting="soft"
    ).fit(np.zeros((2, 2)), ["no", "yes"])
    assert (voting.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_pipeline_hands_frames_on(library: str) -> None:
    """``set_output`` decides what the transformers before hand on, and bounds go by its names."""
    optional(library)
    X, y = rows(["no", "yes"])
    scaler = MaxAbsScaler().fit(np.array([[1.0, 1.0]]))  # a made-up row: of public limits alone
    plain = make_pipeline(FrozenEstimator(scaler), model(classes=["no", "yes"]))
    named = make_pipeline(
        FunctionTransformer(lambda X: X, feature_names_out=lambda *_: ["east", "north"]),
        PrivateLogisticRegression(
            epsilon=10, bounds={"north": (-1, 1), "east": (-1, 1)}, classes=["no", "yes"]
        ),
    ).set_output(transform=library)
    for pipeline in (plain, named):
        assert (pipeline.fit(X, y).predict(X) == y).mean() > 0.9
    assert named[-1].feature_names_in_.tolist() == ["east", "north"]


def test_models_offer_set_output_as_predictors_of_scikit_learn_do() -> None:
    """Not at all: transformers have it, and a prediction is an array whatever is configured."""
    X, y = rows(["no", "yes"])
    for ours, theirs in (
        (model(classes=["no", "yes"]), LogisticRegression()),
        (PrivateLinearRegression(epsilon=10, bounds=(-1, 1)), LinearRegression()),
    ):
        assert not hasattr(ours, "set_output")
        assert not hasattr(theirs, "set_output")
    with config_context(transform_output="pandas"):
        predicted = model(classes=["no", "yes"]).fit(X, y).predict(X)
    assert isinstance(predicted, np.ndarray)


@pytest.mark.parametrize("kind", [PrivateLinearRegression, PrivateRobustRegression])
def test_a_target_of_text_names_the_model_of_labels(kind: Any) -> None:
    X, y = rows(["no", "yes"])
    with pytest.raises(ColumnTypeError, match=r"PrivateLogisticRegression\(classes="):
        kind(epsilon=1).fit(X, np.array(y, dtype=str))
