"""Model metrics beside scikit-learn, on awkward input, in every shape of data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics

import leastnoise as ln
from leastnoise.frames.memory.losses import CHUNK, summarise_losses
from leastnoise.session.prepare import plan
from leastnoise.summaries.moments import MomentSummary
from leastnoise.testing import simulate
from support.optional import optional


def centre(statistic: Any, data: Any, **options: Any) -> float:
    return float(ln.profile(statistic, data, **options).value)


@pytest.fixture
def regression() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    target = rng.normal(50, 20, 999)
    return target, target + rng.normal(0, 5, 999)


@pytest.mark.parametrize("bounds", [(0, 100), None])
def test_centres_equal_scikit_learn(regression: tuple[Any, Any], bounds: Any) -> None:
    inside = regression if bounds is None else tuple(np.clip(x, 0, 100) for x in regression)
    for kind, reference in (
        (ln.MeanSquaredError, metrics.mean_squared_error),
        (ln.MeanAbsoluteError, metrics.mean_absolute_error),
        (ln.RootMeanSquaredError, metrics.root_mean_squared_error),
    ):
        for relation in ("replace-one", "add-remove", "edit"):
            found = centre(kind(bounds=bounds), regression, relation=relation)
            assert found == pytest.approx(reference(*inside), abs=1e-6)


def test_cross_entropy_equals_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    matrix = rng.dirichlet([1, 2, 3], 500)
    target = rng.integers(0, 3, 500)
    reference = metrics.log_loss(target, matrix, labels=[0, 1, 2])
    statistic = ln.CrossEntropy(labels=[0, 1, 2])
    assert centre(statistic, (target, matrix)) == pytest.approx(reference, abs=1e-12)
    assert centre(statistic, (target, 7 * matrix)) != pytest.approx(reference)  # clipped to 1 first
    logits = ln.CrossEntropy(labels=[0, 1, 2], logits=True)
    assert centre(logits, (target, np.log(matrix) + 5)) == pytest.approx(reference, abs=1e-6)
    names = ["x", "y", "z"]
    text = ln.CrossEntropy("t", ["a", "b", "c"], labels=names)
    frame = {"t": [names[k] for k in target], **dict(zip("abc", matrix.T, strict=True))}
    assert centre(text, frame) == pytest.approx(reference, abs=1e-12)
    binary, chance = target == 1, matrix[:, 1]
    reference = metrics.log_loss(binary, chance)
    assert centre(ln.CrossEntropy(), (binary, chance)) == pytest.approx(reference, abs=1e-12)
    odds = np.log(chance) - np.log1p(-chance)
    found = centre(ln.CrossEntropy(logits=True, bounds=(-60, 60)), (binary, odds))
    assert found == pytest.approx(reference, abs=1e-12)


def test_one_class_and_probability_zero() -> None:  # C29
    both = ln.CrossEntropy(labels=[0, 1])
    assert centre(both, ([1, 1], [0.9, 0.8])) == pytest.approx(0.164252, abs=1e-6)
    bounded = ln.CrossEntropy(labels=[0, 1], loss_bound=5)
    shown = ln.profile(bounded, ([1, 0], [0.0, 0.1]))
    assert float(shown.value) == pytest.approx(2.552680, abs=1e-6)
    assert float(shown.sensitivity) * 2 == pytest.approx(5)
    assert shown.support == (0, 5)


@pytest.mark.parametrize(
    ("logits", "bounds", "top"),
    [
        (True, (-2, 1), np.log1p(np.exp(2))),
        (True, (-1, 3), np.log1p(np.exp(3))),
        (False, None, 52 * np.log(2)),
    ],
)
def test_supremum_of_one_prediction(logits: bool, bounds: Any, top: float) -> None:
    statistic = ln.CrossEntropy(logits=logits, bounds=bounds)
    worst = ln.profile(statistic, ([0, 1, 0, 1], [-1e9, -1e9, 1e9, 1e9]))
    assert float(worst.support[1]) == pytest.approx(top)
    assert float(worst.upper(9)) == pytest.approx(top)


def test_supremum_of_several_logits() -> None:
    statistic = ln.CrossEntropy(labels=[0, 1, 2], logits=True, bounds=(-1, 2))
    worst = ln.profile(statistic, ([0], [[-9, 9, 9]]))
    assert float(worst.value) == pytest.approx(float(worst.support[1]))
    assert float(worst.value) == pytest.approx(np.log(1 + 2 * np.exp(3)))


def test_rules_for_missing_entries() -> None:
    nan = float("nan")
    data = ([nan, 4.0, 0.0], [0.0, None, "x"])
    middle = ln.MeanAbsoluteError(bounds=(0, 10))
    assert centre(middle, data) == pytest.approx((5 + 1 + 5) / 3)
    assert centre(middle, data, missing=2) == pytest.approx((2 + 2 + 2) / 3)
    assert centre(ln.MeanAbsoluteError(), data) == pytest.approx(4 / 3)
    assert centre(middle, ([1.0, nan], [4.0, 1.0]), missing="drop") == 3
    dropped = ln.release(middle, data, epsilon=1, missing="drop")
    assert (dropped.n_public, dropped.profile_relation) == (False, "edit")
    kept = ln.release(middle, data, epsilon=1)
    assert (kept.n_public, kept.missing) == (True, "none")
    uniform = centre(ln.CrossEntropy(), ([1, 2, None, 0], [nan, 0.5, 0.5, "y"]))
    assert uniform == pytest.approx(np.log(2))
    rows = [[0, 0, 0], [nan, 1, 0], [1, 0], 7, "abc", [-1, 0, 0]]
    several = centre(ln.CrossEntropy(labels=[0, 1, 2]), ([0, 0, 0, 0, 0, 2], rows))
    assert several == pytest.approx(np.log(3))


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])
@pytest.mark.parametrize("depth", [0, 1, 50, None])
def test_chunks_equal_the_reference(size: int, depth: int | None) -> None:
    rng = np.random.default_rng(size)
    data = (rng.integers(0, 2, size), rng.random(size))
    prepared = plan(ln.CrossEntropy(), data, "replace-one", None)
    request: Any = prepared.request
    found = summarise_losses(prepared.table, request, depth)
    losses = -np.log(np.where(data[0] == 1, data[1], 1 - data[1]))
    reference = MomentSummary.of(request.lattice.quantise(losses).tolist(), request.lattice, depth)
    assert (found.n, len(found.smallest)) == (reference.n, len(reference.smallest))
    assert float(found.total) == pytest.approx(float(reference.total), rel=1e-14)
    for ours, theirs in ((found.smallest, reference.smallest), (found.largest, reference.largest)):
        assert np.allclose(np.array(ours, float), np.array(theirs, float), rtol=1e-13)


def test_a_loss_does_not_depend_on_where_its_row_stands() -> None:
    rng = np.random.default_rng(3)
    target, chance = rng.integers(0, 2, 1000), rng.random(1000)
    whole = ln.profile(ln.CrossEntropy(), (target, chance))
    order = rng.permutation(1000)
    assert ln.profile(ln.CrossEntropy(), (target[order], chance[order])).value == whole.value
    parts = [
        ln.profile(ln.CrossEntropy(), ([t], [p])).value for t, p in zip(target, chance, strict=True)
    ]
    assert sum(parts) / 1000 == whole.value


def test_columns_of_frames_and_files(tmp_path: Path) -> None:
    pandas, polars = (
        optional("pandas"),
        optional("polars"),
    )
    columns = {"y": [1.5, 2.0, 3.25], "yhat": [1.0, 2.5, 3.25], "label": ["u", "v", "u"]}
    path = tmp_path / "t.csv"
    path.write_text("y,yhat,label\n1.5,1.0,u\n2.0,2.5, v\n3.25,3.25,u\n")
    squared = ln.MeanSquaredError("y", "yhat", bounds=(0, 4))
    entropy = ln.CrossEntropy("label", "y", labels=["u", "v"])
    for data in (columns, pandas.DataFrame(columns), polars.DataFrame(columns), path):
        assert centre(squared, data) == pytest.approx(0.5 / 3)
        assert centre(entropy, data) == centre(entropy, columns)
    series = pandas.Series([1.5, 2.0, 3.25]), polars.Series([1.0, 2.5, 3.25])
    assert centre(ln.MeanSquaredError(bounds=(0, 4)), series) == pytest.approx(0.5 / 3)


@pytest.mark.parametrize(
    ("make", "data", "message"),
    [
        (lambda: ln.MeanSquaredError("y"), None, "name both columns"),
        (lambda: ln.MeanSquaredError(bounds=(3, 1)), None, "lower < upper"),
        (lambda: ln.MeanSquaredError(bounds=(0, 1e200)), None, "too wide"),
        (lambda: ln.CrossEntropy(bounds=(0, 1)), None, "limits of logits"),
        (lambda: ln.CrossEntropy(labels=None), None, "labels are required"),
        (lambda: ln.CrossEntropy(labels=[0]), None, "at least two"),
        (lambda: ln.CrossEntropy(labels=[0, "a"]), None, "all text or all numbers"),
        (lambda: ln.CrossEntropy(labels=[1, True]), None, "different"),
        (lambda: ln.CrossEntropy(loss_bound=0), None, "loss_bound"),
        (lambda: ln.CrossEntropy(missing=3), None, "missing"),
        (lambda: ln.MeanSquaredError(bounds=(0, 1)), [1, 2, 3], "pair"),
        (lambda: ln.MeanSquaredError(bounds=(0, 9)), [(1, 2), (3, 4)], "pair of .* in a tuple"),
        (lambda: ln.MeanSquaredError(bounds=(0, 9)), [(1, 2)] * 3, "pair of .* in a tuple"),
        (lambda: ln.MeanSquaredError(bounds=(0, 1)), ([1, 2], [1]), "differ in length"),
        (lambda: ln.MeanSquaredError(bounds=(0, 1)), ([1], np.ones((1, 2))), "prediction columns"),
        (lambda: ln.CrossEntropy(labels=[0, 1, 2]), ([1], np.ones((1, 2))), "prediction columns"),
        (lambda: ln.MeanSquaredError("y", "z", bounds=(0, 1)), {"y": [1]}, "no column 'z'"),
    ],
)
def test_errors_name_the_parameter(make: Any, data: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        ln.release(make(), data, epsilon=1)


ENTRIES = st.one_of(
    st.floats(), st.integers(), st.none(), st.text(max_size=3), st.booleans(), st.just(b"x")
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ENTRIES, ENTRIES), max_size=5), st.sampled_from(["none", "drop"]))
def test_no_value_raises(rows: list[tuple[Any, Any]], missing: str) -> None:
    data = [r[0] for r in rows], [r[1] for r in rows]
    ranges = [
        (ln.MeanSquaredError(bounds=(0, 10)), 100),
        (ln.MeanAbsoluteError(bounds=(0, 10)), 10),
        (ln.RootMeanSquaredError(bounds=(0, 10)), 10),
        (ln.MeanSquaredError(), float("inf")),
        (ln.CrossEntropy(), 37),
        (ln.CrossEntropy(labels=["a", "b"], logits=True), float("inf")),
    ]
    with simulate(0):
        for statistic, top in ranges:
            value = ln.release(statistic, data, epsilon=1, missing=missing).value
            assert 0 <= value <= top  # C38: in range, never NaN


@settings(max_examples=40, deadline=None)
@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 4), st.just(3))), st.booleans())
def test_no_row_raises(matrix: Any, logits: bool) -> None:
    statistic = ln.CrossEntropy(labels=["a", "b", "c"], logits=logits)
    labels = ["a", "c", None, "other"][: len(matrix)]
    value = ln.profile(statistic, (labels, matrix)).value
    assert value >= 0
