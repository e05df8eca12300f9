"""What every private estimator owes scikit-learn, the ledger and the record."""

from __future__ import annotations

import inspect
import pickle
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import leastnoise as ln
from leastnoise.errors import (
    BudgetExceededError,
    ColumnTypeError,
    LeastNoiseError,
    ParameterError,
    ParameterTypeError,
    SchemaError,
)
from leastnoise.estimators import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
    PrivateRobustRegression,
)
from leastnoise.estimators.limits import indicators_known
from leastnoise.testing import simulate

SECRET = 73914628.0


def _robust(**o: Any) -> PrivateRobustRegression:
    return PrivateRobustRegression(**({"bounds": (-2, 2), "coef_bounds": (-10, 10)} | o))


MAKERS: dict[str, Any] = {
    "robust": _robust,
    "several": lambda **o: _robust(**({"fit_intercept": True, "alpha": 1} | o)),
    "linear": lambda **o: PrivateLinearRegression(
        **({"bounds": (-2, 2), "target_bounds": (-5, 5)} | o)
    ),
    "logistic": lambda **o: PrivateLogisticRegression(
        **({"bounds": (-2, 2), "classes": [0, 1]} | o)
    ),
    "rest": lambda **o: PrivateLogisticRegression(
        **({"bounds": (-2, 2), "classes": [0, 1, 2]} | o)
    ),
}
FEATURES = {"robust": 1, "linear": 2, "several": 2, "logistic": 3, "rest": 2}
CLASSIFIERS = ("logistic", "rest")


@pytest.fixture(params=sorted(MAKERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def table(kind: str, n: int = 60) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(5)
    X = rng.uniform(-2, 2, (n, FEATURES[kind]))
    y = X.sum(axis=1) + rng.normal(size=n)
    return X, (y > 0).astype(int) if kind in CLASSIFIERS else y


def ledger_at(path: Path, epsilon: object = 100, relation: str = "replace-one") -> ln.Ledger:
    return ln.Ledger.create(path, dataset="d", budget=ln.PureDP(epsilon), relation=relation)


# The budget


def test_clone_and_cross_validation_charge_every_fit(kind: str, tmp_path: Path) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    model = MAKERS[kind](epsilon="1/10", ledger=ledger, dataset="d")
    clone(model).fit(X, y)
    assert ledger.spent.epsilon == Fraction(1, 10)
    deepcopy(model).fit(X, y)
    pickle.loads(pickle.dumps(model)).fit(X, y)
    assert ledger.spent.epsilon == Fraction(3, 10)
    cross_val_score(model, X, y, cv=5)
    assert ledger.spent.epsilon == Fraction(8, 10)
    cross_val_score(model, X, y, cv=5, n_jobs=2 if kind == "robust" else 1)  # other processes
    assert ledger.spent.epsilon == Fraction(13, 10)
    GridSearchCV(model, {"epsilon": ["1/10", "1/5"]}, cv=2).fit(X, y)
    # two fits of each candidate and one of the better
    refit = ledger.spent.epsilon - Fraction(13, 10) - 2 * Fraction(3, 10)
    assert refit in (Fraction(1, 10), Fraction(1, 5))
    assert len(ledger.charges) == 18
    ledger.verify(model.fit(X, y).release_)


def test_weights_are_refused_at_no_charge(kind: str, tmp_path: Path) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    model = MAKERS[kind](ledger=ledger, dataset="d")
    weights = np.ones(len(y))
    with pytest.raises(ParameterError, match="sample_weight is not supported"):
        model.fit(X, y, sample_weight=weights)
    pipeline = make_pipeline(FunctionTransformer(), model)
    step = pipeline.steps[-1][0]
    with pytest.raises(ParameterError, match="sample_weight is not supported"):
        pipeline.fit(X, y, **{f"{step}__sample_weight": weights})
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        model.fit(X, y, weights=weights)
    assert ledger.spent.epsilon == 0
    model.fit(X, y, sample_weight=None)
    assert ledger.spent.epsilon == 1


ODD: list[Any] = [
    np.array([0, 1]), np.array([[0, 1], [0, 1]]), np.array(1), np.float64(2), pd.NA, pd.NaT,
    pd.Series([0, 1]), pl.Series([0, 1]), np.datetime64("2020"), 10**400, "1e400", 5e-324, 1j,
    object(), [10**400, 0], ("a", "b"), b"1", float("nan"), {}, [],
]  # fmt: skip


def test_odd_parameters_are_taken_or_refused_at_no_charge(kind: str, tmp_path: Path) -> None:
    """Two tables of one form: what is said never depends on what they hold."""
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db", epsilon=10**6)
    names = [n for n in MAKERS[kind]().get_params() if n not in ("ledger", "dataset", "epsilon")]
    # every second value for each, so that all of them are tried for some of the parameters
    for name, value in [(n, v) for i, n in enumerate(names) for v in ODD[i % 2 :: 2]]:
        said: list[str] = []
        for rows, target in ((X, y * 1.0), (np.full_like(X, np.inf), np.full(len(y), np.nan))):
            before = ledger.spent.epsilon
            try:
                MAKERS[kind](**{name: value}, ledger=ledger, dataset="d").fit(rows, target)
                said.append("fitted")
            except LeastNoiseError as error:
                said.append(str(error))
                assert ledger.spent.epsilon == before
        assert said[0] == said[1]


def test_two_columns_of_one_name_are_refused_at_no_charge(kind: str, tmp_path: Path) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    frame = pd.DataFrame(np.column_stack([X, X]), columns=["a"] * (2 * X.shape[1]))
    with pytest.raises(SchemaError, match="several columns of the same name: a"):
        MAKERS[kind](ledger=ledger, dataset="d").fit(frame, y)
    assert ledger.spent.epsilon == 0


def test_text_labels_for_a_column_of_numbers_are_refused_at_no_charge(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path / "a.db")
    model = MAKERS["logistic"](classes=["no", "yes"], ledger=ledger, dataset="d")
    X, y = table("logistic")
    with pytest.raises(SchemaError, match="holds no text"):
        model.fit(X, y.astype(float))
    assert ledger.spent.epsilon == 0
    assert ledger.charges == ()


def test_a_path_and_a_pipeline_reach_the_same_ledger(kind: str, tmp_path: Path) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    model = MAKERS[kind](epsilon=2, ledger=str(tmp_path / "a.db"), dataset="d")
    half = make_pipeline(FunctionTransformer(lambda X: X / 2), model)
    found = clone(half).fit(X, y)
    assert ledger.spent.epsilon == 2
    assert found.predict(X).shape == y.shape
    assert "entry" in found[-1].release_.tracked
    assert len(ledger.history) == 4  # creation, schema, charge, release


def test_a_fit_beyond_the_budget_never_reads_the_data(kind: str, tmp_path: Path) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db", epsilon=1)
    model = MAKERS[kind](epsilon=2, ledger=ledger, dataset="d")

    class Unread(np.ndarray):  # any reading of entries would need this
        def __getitem__(self, item: Any) -> Any:
            raise AssertionError("the data was read")

    with pytest.raises(BudgetExceededError):
        model.fit(X.view(Unread), y.view(Unread))
    assert ledger.spent.epsilon == 0
    assert not hasattr(model, "coef_")


def test_a_charge_is_kept_when_the_fit_dies(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    model = MAKERS[kind](epsilon=2, ledger=ledger, dataset="d")
    from leastnoise.estimators.matrix import Matrix

    def dies(self: Matrix) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Matrix, "floats", dies)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert ledger.spent.epsilon == 2


def test_add_remove_enters_a_replace_one_ledger_at_twice_its_epsilon(
    kind: str, tmp_path: Path
) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    MAKERS[kind](epsilon=2, ledger=ledger, dataset="d", relation="add-remove").fit(X, y)
    assert ledger.spent.epsilon == 4


def test_a_simulation_charges_nothing(kind: str, tmp_path: Path) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    model = MAKERS[kind](epsilon=2, ledger=ledger, dataset="d")
    with simulate(1):
        first = model.fit(X, y).coef_.copy()
    with simulate(1):
        assert (model.fit(X, y).coef_ == first).all()
    assert "NOT PRIVATE" in repr(model.release_)
    assert ledger.spent.epsilon == 0


# The record


def test_the_record_tells_the_promise_and_survives_json(kind: str) -> None:
    X, y = table(kind)
    model = MAKERS[kind](epsilon="1/3").fit(X, y)
    found = model.release_
    assert found.guarantee == ln.PureDP(Fraction(1, 3), ln.Scope("replace-one", "row"))
    assert found.tracked == "not tracked by a ledger"
    assert ln.Release.from_json(found.to_json()) == found
    if kind == "robust":
        assert model.coef_[0] == found.value
        assert found.bounds == (-2, 2)
        return
    assert found.bounds == ((-2, 2),) * FEATURES[kind]
    assert any("step is the lattice" in note for note in found.notes)
    if kind == "rest":
        assert set(found.parts) == {
            f"{what} of {label}" for what in ("coefficients", "curvature") for label in range(3)
        }
    assert sum(map(Fraction, found.parts.values())) in (0, Fraction(1, 3))


def test_only_the_value_depends_on_the_data(kind: str) -> None:
    X, y = table(kind)
    seen = set()
    for scale in (1, 0, np.nan, 1e300):
        model = MAKERS[kind](epsilon=1).fit(X * scale, y)
        shown = model.release_.to_dict()
        shown.pop("value")
        seen.add(str(shown))
    assert len(seen) == 1


# Errors come from parameters and schema; everything else gives a finite answer


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("missing", ["drop", "none", 1])
def test_every_data_set_gives_a_finite_answer(kind: str, relation: str, missing: Any) -> None:
    X, y = table(kind, 9)
    width = FEATURES[kind]
    awkward = [
        (np.zeros((0, width)), np.zeros(0)),
        (X[:1], y[:1]),
        (X * np.nan, y),
        (X, np.full(len(y), np.nan)),
        (X * np.inf, np.full(len(y), 1.7e308)),
        (np.zeros_like(X), np.zeros(len(y))),
        ([["?"] * width, [None] * width, [1e400] * width, "x", [1]], [None, "?", 1, 2, 0]),
        (["x", *X.tolist()], [None, *y.tolist()]),  # the first row is none
        ([], []),
        (X.astype(object), y.astype(object)),
    ]
    for features, target in awkward:
        if isinstance(features, list):  # a list has no schema, so the features are counted
            options = {"bounds": [(-2, 2)] * width, "relation": relation, "missing": missing}
            model = MAKERS[kind](**options).fit(features, target)
            assert np.isfinite(model.coef_).all()
            assert model.n_features_in_ == width
            continue
        # a warning that depends on data would be an error here
        model = MAKERS[kind](relation=relation, missing=missing).fit(features, target)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.intercept_).all()


@pytest.mark.parametrize("kind", ["logistic", "rest", "several"])
@pytest.mark.parametrize("strange", ["target", "feature"])
def test_rows_without_a_target_or_a_feature_are_left_out(kind: str, strange: str) -> None:
    """The same noise gives the same fit with these rows as without, and another if they count."""
    X, y = table(kind)
    more, beside = np.tile(X[:1], (80, 1)), np.full(80, float(y[0]))

    def fitted(rows: Any, target: Any) -> list[Any]:
        with simulate(8):
            return MAKERS[kind](missing="drop").fit(rows, target).release_.value

    kept = fitted(X, y)
    assert fitted(np.vstack([X, more]), np.append(y, beside)) != kept
    if strange == "feature":
        more[:, -1] = np.nan
    elif kind == "several":
        beside[:] = np.nan
    else:  # not declared, and none
        beside = np.where(np.arange(80) % 2, 7.0, np.nan)
    assert fitted(np.vstack([X, more]), np.append(y, beside)) == kept


def test_rows_with_a_text_that_is_no_declared_label_are_left_out() -> None:
    X, y = table("logistic")
    names = np.array(["no", "yes"], dtype=object)[y]

    def fitted(rows: Any, target: Any) -> list[Any]:
        with simulate(8):
            model = PrivateLogisticRegression(bounds=(-2, 2), classes=["no", "yes"])
            return model.fit(rows, target).release_.value

    strange = np.array(["maybe", None, "", "NO"] * 20, dtype=object)
    more = np.tile(X[:1], (80, 1))
    assert fitted(np.vstack([X, more]), np.append(names, strange)) == fitted(X, names)


def test_a_target_may_be_a_list_of_rows_of_one(kind: str) -> None:
    X, y = table(kind)

    def fitted(target: Any) -> Any:
        with simulate(8):
            return MAKERS[kind](missing="drop").fit(X, target).release_.value

    plain = fitted(y.tolist())
    rows = y.reshape(-1, 1)
    for target in (rows.tolist(), tuple(map(tuple, rows.tolist())), list(rows)):
        assert fitted(target) == plain
    # a row of two or none is a missing target, whatever the others are
    longer: list[Any] = rows.tolist()
    longer[3], longer[5], longer[7] = [], [1, 0], [[1]]
    with_gaps: list[Any] = y.tolist()
    with_gaps[3] = with_gaps[5] = with_gaps[7] = None
    assert fitted(longer) == fitted(with_gaps)


def test_labels_of_text_may_be_a_list_of_rows_of_one() -> None:
    X, y = table("logistic")
    names = [["no", "yes"][label] for label in y]
    made = []
    for target in (names, [[name] for name in names]):
        with simulate(8):
            model = PrivateLogisticRegression(bounds=(-2, 2), classes=["no", "yes"])
            made.append(model.fit(X, target).release_.value)
    assert made[0] == made[1]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"epsilon": 0}, "epsilon"),
    ({"epsilon": None}, "epsilon"),
    ({"epsilon": "1,5"}, "epsilon"),
    ({"bounds": ln.PrivateBounds(share="1/2")}, "share"),
    ({"bounds": (None, 1)}, "bounds"),
    ({"limits": (0, 1)}, "limits"),
    ({"bounds": (2, 1)}, "bounds"),
    ({"bounds": [(0, 1)] * 9}, "bounds"),
    ({"bounds": {"a": (0, 1)}}, "bounds"),
    ({"relation": "swap"}, "relation"),
    ({"missing": 99}, "missing"),
    ({"missing": "mean"}, "missing"),
    ({"dataset": "d"}, "ledger"),
]


@pytest.mark.parametrize(("options", "named"), BAD)
def test_wrong_parameters_are_named_before_the_data_is_read(
    kind: str, options: dict[str, Any], named: str
) -> None:
    X, y = table(kind)
    X = np.full_like(X, SECRET)
    with pytest.raises(LeastNoiseError) as error:
        MAKERS[kind](**options).fit(X, y)
    assert named in str(error.value)
    assert str(SECRET)[:8] not in str(error.value)


def test_wrong_shapes_and_types_are_refused(kind: str) -> None:
    X, y = table(kind)
    model = MAKERS[kind]()
    for features, target in [
        (X[:, 0], y), (X, y[:-1]), (X, np.c_[y, y]), (X[:, :0], y), (X.astype(complex), y),
        (X.astype("datetime64[ns]"), y), (5, y), (X.tolist()[0], y),
    ]:  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            model.fit(features, target)


# Front ends


def test_pandas_polars_and_lists_give_the_same_fit(kind: str) -> None:
    X, y = table(kind)
    names = [f"f{k}" for k in range(X.shape[1])]
    frames = [pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names), X.tolist()]
    targets = [pd.Series(y), pl.Series(y), y.tolist()]
    with simulate(3):
        first = MAKERS[kind]().fit(X, y).coef_
    for frame, target in zip(frames, targets, strict=True):
        pairs = {"bounds": [(-2, 2)] * X.shape[1]} if isinstance(frame, list) else {}
        with simulate(3):
            model = MAKERS[kind](**pairs).fit(frame, target)
        assert (model.coef_ == first).all()
        assert model.n_features_in_ == X.shape[1]
        assert model.predict(frame).shape == y.shape
        if not isinstance(frame, list):
            assert list(model.feature_names_in_) == names
            by_name = MAKERS[kind](bounds=dict.fromkeys(names, (-2, 2)))
            with simulate(3):
                assert (by_name.fit(frame, target).coef_ == first).all()
    with pytest.raises(NotFittedError):
        MAKERS[kind]().predict(X)


def test_a_matrix_of_numpy_is_an_array_and_a_sparse_target_is_refused(kind: str) -> None:
    import scipy.sparse

    X, y = table(kind)
    with simulate(3):
        first = MAKERS[kind]().fit(X, y).coef_
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix(X)
    with simulate(3):
        assert (MAKERS[kind]().fit(matrix, y).coef_ == first).all()
    for sparse in (scipy.sparse.csr_matrix(y[:, None]), scipy.sparse.coo_array(y)):
        with pytest.raises(ParameterTypeError, match="toarray"):
            MAKERS[kind]().fit(X, sparse)


def test_score_says_that_it_is_not_private(kind: str) -> None:
    assert "NOT PRIVATE" in (MAKERS[kind]().score.__doc__ or "")


@pytest.mark.parametrize(
    "limits", [(0, 1e-200), (0, Fraction(1, 10**101)), (-1, 1e101), (1e200, 2e200)]
)
def test_limits_that_cannot_be_scaled_are_refused_at_no_cost(
    kind: str, limits: tuple[object, object], tmp_path: Path
) -> None:
    X, y = table(kind)
    ledger = ledger_at(tmp_path / "a.db")
    for name in ("bounds", "target_bounds", "coef_bounds"):
        if name not in inspect.signature(type(MAKERS[kind]())).parameters:
            continue
        model = MAKERS[kind](epsilon=1, ledger=ledger, dataset="d", **{name: limits})
        with pytest.raises(ParameterError, match=rf"{name}.*1e-100 apart"):
            model.fit(X, y)
    assert ledger.spent.epsilon == 0


def test_no_row_of_a_list_tells_how_many_features_there_are(kind: str) -> None:
    X, y = table(kind)
    width = X.shape[1]
    for first in ([1.0] * width, [1.0] * (width + 1), [0.0] * 9, None, "a"):
        rows = [first, *X[1:].tolist()]
        with pytest.raises(SchemaError, match="one pair per feature"):
            MAKERS[kind](epsilon=1).fit(rows, y)
        found = MAKERS[kind](epsilon=1, bounds=[(-2, 2)] * width).fit(rows, y)
        assert found.n_features_in_ == width


# What can be refused is refused before the charge

GROUPS: dict[str, Any] = {"bounds": (0, 1), "target_bounds": (-2, 4)}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fit_intercept": False}, "exclusive needs fit_intercept=True"),
        ({"bounds": (-1, 1)}, r"bounds of feature 0 must be \(0, 1\)"),
        ({"bounds": [(0, 1), (0, 2), (0, 1)]}, r"bounds of feature 1 must be \(0, 1\)"),
        ({"exclusive": [[0, 1], []]}, "an empty group"),
    ],
)
def test_exclusive_columns_are_indicators(changed: dict[str, Any], message: str) -> None:
    asked = PrivateLinearRegression(**({"exclusive": [[0, 1]]} | GROUPS | changed))
    with pytest.raises(ParameterError, match=message):
        asked.fit(np.zeros((4, 3)), np.zeros(4))


@pytest.mark.parametrize("ball", ["cone", "sdp", "tri", "l1"])
def test_exclusive_columns_leave_the_fit_as_it_is(ball: str) -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, 400)
    X = np.column_stack([first == 0, first == 1, rng.random(400)]).astype(float)
    y = X @ [1.0, 2.0, 0.5] - 0.25
    with simulate(1):
        asked = PrivateLinearRegression(
            10**9, exclusive=[[0, 1]], ball=ball, ridge=0, **GROUPS
        ).fit(X, y)
    assert np.allclose([*asked.coef_, asked.intercept_], [1, 2, 0.5, -0.25], atol=1e-2)


@pytest.mark.parametrize("made", sorted(MAKERS))
def test_private_bounds_are_bounds_that_are_not_declared(made: str) -> None:
    X, y = table(made)
    found = []
    for bounds in (None, ln.PrivateBounds()):
        with simulate(3):
            found.append(MAKERS[made](bounds=bounds).fit(X, y).release_)
    assert found[0].value == found[1].value
    assert sum(map(Fraction, found[0].parts.values())) == 1


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("made", sorted(MAKERS))
@pytest.mark.parametrize("rows", [0, 1])
def test_an_empty_list_is_like_its_neighbour(made: str, relation: str, rows: int) -> None:
    """A list without rows tells no number of features, and that may not be an answer."""
    width = FEATURES[made]
    data = [[0.5] * width] * rows, [0] * rows
    with pytest.raises(SchemaError, match="one pair per feature"):
        MAKERS[made](relation=relation).fit(*data)
    with simulate(1):
        fitted = MAKERS[made](relation=relation, bounds=[(-2, 2)] * width).fit(*data)
    assert np.isfinite(fitted.coef_).all()


def test_tiny_bounds_end_in_a_fit() -> None:
    """The ridge of the user's units is then beyond the square of a double."""
    rng = np.random.default_rng(0)
    for high in (1e-70, 1e-80, 1e-90, 1e-99):
        X = rng.uniform(0, high, (200, 1))
        for seed in range(4):
            with simulate(seed):
                fitted = PrivateLogisticRegression(
                    bounds=(0, high), classes=[0, 1], fit_intercept=False
                ).fit(X, X[:, 0] > high / 2)
            assert np.isfinite(fitted.coef_).all()


def test_a_loss_whose_slopes_nothing_has_checked_is_refused() -> None:
    """A class of one's own could give slopes beyond 1, to which the noise is scaled."""
    from leastnoise.estimators import HuberLoss

    class Steep(HuberLoss):
        @property
        def table(self) -> Any:
            raise AssertionError("asked")

    model = PrivateRobustRegression(bounds=(0, 1), coef_bounds=(-1, 1), loss=Steep(1))
    with pytest.raises(ParameterError, match="cannot be checked"):
        model.fit(np.zeros((4, 1)), np.zeros(4))


@pytest.mark.parametrize("wrap", [lambda a: a, lambda a: pa.chunked_array([a])])
def test_labels_of_arrow_are_read_by_their_type(wrap: Any) -> None:
    """Not through numpy, which makes objects of them and fails at bytes that are no text."""
    plain = pa.array([b"a", b"\xff", b"b", None] * 5, pa.binary())
    texts = pa.Array.from_buffers(pa.string(), len(plain), plain.buffers(), plain.null_count)
    X = np.linspace(0, 1, len(plain)).reshape(-1, 1)
    with simulate(1):
        model = PrivateLogisticRegression(5, bounds=[(0, 1)], classes=["a", "b"])
        model.fit(X, wrap(texts))
    assert np.isfinite(model.coef_).all()


def test_bounds_as_minima_and_maxima_are_told_from_pairs() -> None:
    x = np.linspace(0, 1, 300).reshape(-1, 3) * [1, 10, 100]
    y = x.sum(axis=1)
    ends = [(0, 1), (0, 10), (0, 100)]
    lows, highs = zip(*ends, strict=True)
    known: list[Any] = [ends, ([*lows], [*highs]), (np.array(lows), np.array(highs)), [lows, highs]]
    found: list[Any] = []
    for bounds in known:
        with simulate(3):
            model = PrivateLinearRegression(epsilon=1, bounds=bounds, target_bounds=(0, 111))
            found.append(model.fit(x, y).coef_.tolist())
    assert all(coefficients == found[0] for coefficients in found)
    one = PrivateLinearRegression(epsilon=1, bounds=([0], [1]), target_bounds=(0, 111))
    assert one.fit(x[:, :1], y).release_.bounds is not None
    two: list[Any] = []  # (0, 0) can be no pair
    for bounds in ([(0, 1), (0, 10)], ([0, 0], [1, 10]), (np.zeros(2), np.array([1, 10]))):
        with simulate(3):
            model = PrivateLinearRegression(epsilon=1, bounds=bounds, target_bounds=(0, 111))
            two.append(model.fit(x[:, :2], y).coef_.tolist())
    assert two[0] == two[1] == two[2]
    for bounds in (([0, 1], [1, 10]), (np.array([0, 1]), np.array([1, 10]))):
        model = PrivateLinearRegression(epsilon=1, bounds=bounds, target_bounds=(0, 111))
        with pytest.raises(ParameterError, match="list of tuples"):
            model.fit(x[:, :2], y)


class TestAFitThatIsRefused:
    """What was fitted before stays, whole."""

    def test_the_names_of_the_first_table_stay(self) -> None:
        frame = pd.DataFrame({"a": [0.1, 0.9] * 50, "b": [0.9, 0.2] * 50})
        model = PrivateLinearRegression(epsilon=9, bounds=(0, 1), target_bounds=(0, 2))
        model.fit(frame, frame["a"] + frame["b"])
        kept, swapped = model.predict(frame), frame[["b", "a"]]
        model.set_params(missing="what")
        with pytest.raises(ParameterError):
            model.fit(swapped, frame["a"])
        assert list(model.feature_names_in_) == ["a", "b"]
        with pytest.raises(ValueError, match="feature names"):
            model.predict(swapped)
        assert np.array_equal(model.predict(frame), kept)

    def test_a_first_fit_leaves_nothing(self) -> None:
        model = PrivateLinearRegression(epsilon=9, bounds=(0, 1), missing="what")
        before = vars(model).copy()
        with pytest.raises(ParameterError):
            model.fit(np.zeros((3, 2)), np.zeros(3))
        assert vars(model) == before


def test_intervals_are_of_what_was_fitted_whatever_the_parameter_says_by_now() -> None:
    X = np.array([[i / 100] for i in range(100)])
    model = PrivateLinearRegression(epsilon=9, bounds=(0, 1), target_bounds=(0, 2)).fit(X, X[:, 0])
    inner, rows, text = model.conf_int(), model.predict_conf_int(X), model.summary()
    model.set_params(fit_intercept=False)
    assert np.array_equal(model.conf_int(), inner)
    assert np.array_equal(model.predict_conf_int(X), rows)
    assert model.summary() == text


@pytest.mark.parametrize("alpha", ["1e-400", "1e400", 0, -1])
def test_a_rounding_that_doubles_cannot_hold_is_refused(alpha: object) -> None:
    model = PrivateRobustRegression(epsilon=1, alpha=alpha, bounds=(-1, 1), coef_bounds=(-1, 1))
    with pytest.raises(ParameterError, match="alpha must lie between"):
        model.fit(np.zeros((3, 1)), np.zeros(3))


def test_penalties_have_the_names_of_the_field() -> None:
    X, y = [[0.5], [-0.5]] * 20, [1, 0] * 20
    told: dict[str, Any] = {"bounds": [(-1, 1)], "classes": [0, 1]}
    found: list[float] = []
    for options in ({"penalty": None}, {"C": np.inf}, {}, {"penalty": "l2", "C": 1}):
        with simulate(5):
            model = PrivateLogisticRegression(50, **told, **options).fit(X, y)
        found.append(float(model.coef_[0, 0]))
    assert found[0] == found[1] != found[2] == found[3]
    for penalty in ("l1", "elasticnet", 2, "L2"):
        with pytest.raises(ParameterError, match=r'penalty must be "l2" or None.*smaller C'):
            PrivateLogisticRegression(50, penalty=penalty, **told).fit(X, y)


@pytest.mark.parametrize("text", ["1", b"1"])
def test_a_target_of_text_is_refused_where_numbers_are_needed(text: str | bytes) -> None:
    """By the type of the array, as of a frame: each of its entries would count as missing."""
    x, y = np.zeros((20, 1)), np.array([text] * 20)
    for model in (
        PrivateLinearRegression(1, bounds=(0, 1), target_bounds=(0, 1)),
        PrivateRobustRegression(1, bounds=(0, 1)),
        PrivateLogisticRegression(1, classes=[0, 1], bounds=(0, 1)),
    ):
        with pytest.raises(ColumnTypeError, match="y"):
            model.fit(x, y)


def test_indicators_have_their_limits_whatever_is_declared() -> None:
    declared = [None, (Fraction(0), Fraction(5)), (Fraction(2), Fraction(3)), None]
    one = (Fraction(0), Fraction(1))
    assert indicators_known(declared, [(0,), (1, 0)]) == [one, one, declared[2], None]
