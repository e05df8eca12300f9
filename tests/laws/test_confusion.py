"""The confusion matrix: joint privacy of all cells, declared labels only, scores in range."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import leastnoise as ln
from leastnoise.testing import check_statistic, simulate
from leastnoise.testing.neighbours import pairs, records

LABELS = ["lo", "mid", "hi"]
UNIVERSE = [*product(["lo", "hi"], ["lo", "hi"]), ("other", "lo"), ("lo", None)]


def as_lists(rows: tuple[Any, ...]) -> Any:
    return [r[0] for r in rows], [r[1] for r in rows]


def test_laws_of_every_cell() -> None:
    statistic = ln.ConfusionMatrix(labels=["lo", "hi"])
    check_statistic(statistic, universe=UNIVERSE, n=2, max_examples=0, as_data=as_lists)


def exponent(x: Any, relation: str, touched: int) -> dict[str, Any]:
    """The exact privacy loss of independent geometric noise: |difference| of every cell."""
    from leastnoise.session.prepare import plan

    statistic = ln.ConfusionMatrix(labels=["lo", "hi"])
    prepared = plan(statistic, as_lists(x), relation, None)
    profiles = prepared.profiles(prepared.table.summarise(prepared.request, 0))
    share = Fraction(1, touched)
    return {"rates": [share / p.global_sensitivity for p in profiles],
            "centres": [p.value for p in profiles]}  # fmt: skip


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_all_cells_together_cost_epsilon(relation: str) -> None:
    touched = ln.ConfusionMatrix(labels=["lo", "hi"]).touched(relation)
    worst = {t: Fraction(0) for t in (1, touched)}
    for x, other in pairs(len(UNIVERSE), 2, relation):
        for spent in worst:
            a = exponent(records(x, UNIVERSE), relation, spent)
            b = exponent(records(other, UNIVERSE), relation, spent)
            loss = sum(
                rate * abs(c - d)
                for rate, c, d in zip(a["rates"], a["centres"], b["centres"], strict=True)
            )
            worst[spent] = max(worst[spent], loss)
    assert worst[touched] == 1  # attained
    if touched == 2:  # one share a cell would spend twice epsilon
        assert worst[1] == 2


def test_a_release_uses_the_shares_of_its_relation() -> None:
    for relation, share in (("replace-one", "1/2"), ("add-remove", "1"), ("edit", "1/2")):
        release = ln.release(
            ln.ConfusionMatrix(labels=LABELS), ([], []), epsilon=1, relation=relation
        )
        assert release.parts == {"each cell": share}


@pytest.mark.parametrize(
    ("labels", "target"),
    [(LABELS, ["lo"] * 3), ([0, 1, 2], [0] * 59 + [2]), ([2, 5, 9], [5.0, 9.0])],
)
def test_codes_come_from_the_declared_list_only(labels: list[Any], target: list[Any]) -> None:
    # C28
    with simulate(1):
        release = ln.release(ln.ConfusionMatrix(labels=labels), (target, target), epsilon=500)
    reference = metrics.confusion_matrix(target, target, labels=labels)
    assert release.value == reference.tolist()
    assert len(release.value) == 3


def test_undeclared_labels_are_in_no_cell_and_in_no_message() -> None:
    data = (["lo", "other", None, 7, "hi"], ["lo", "lo", "lo", "lo", "secret"])
    with simulate(1):
        release = ln.release(ln.ConfusionMatrix(labels=LABELS), data, epsilon=500)
    assert release.value == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert "secret" not in release.to_json()
    with pytest.raises(ValueError, match="labels are required"):
        ln.ConfusionMatrix()


@pytest.mark.parametrize("label", [" a", "a ", "", "\t"])
def test_labels_that_no_entry_equals_are_refused(label: str) -> None:
    """Entries are compared without their outer blanks, for every statistic that declares labels."""
    for make in (
        lambda labels: ln.ConfusionMatrix(labels=labels),
        lambda labels: ln.RocAuc(labels=labels),
        lambda labels: ln.CrossEntropy(labels=labels),
        lambda labels: ln.Histogram(categories=labels),
    ):
        with pytest.raises(ValueError, match="without blanks around it"):
            make([label, "b"])


def test_the_value_is_a_list_with_scores() -> None:
    with simulate(2):
        release = ln.release(
            ln.ConfusionMatrix(labels=[0, 1]), ([0, 1] * 50, [0, 1] * 50), epsilon=1
        )
    assert isinstance(release.value, list)
    assert all(type(count) is int for row in release.value for count in row)
    assert ln.Release.from_json(release.to_json()).value == release.value
    assert 0.8 < release.value.accuracy <= 1


@given(st.integers(2, 4).flatmap(lambda k: st.lists(
    st.lists(st.integers(-5, 50), min_size=k, max_size=k), min_size=k, max_size=k)))  # fmt: skip
def test_scores_stay_in_range(counts: list[list[int]]) -> None:
    noisy = ln.NoisyConfusion(counts)
    for score in (noisy.accuracy, noisy.precision, noisy.recall, noisy.f1, noisy.balanced_accuracy):
        assert 0 <= score <= 1
    assert all(0 <= score <= 1 for score in noisy.jaccards)
    assert -1 <= noisy.matthews <= 1


@pytest.mark.parametrize("size", [2, 3])
def test_scores_equal_scikit_learn(size: int) -> None:
    rng = np.random.default_rng(size)
    target, predicted = rng.integers(0, size, 200), rng.integers(0, size, 200)
    labels = list(range(size))
    with simulate(3):
        value = ln.release(
            ln.ConfusionMatrix(labels=labels), (target, predicted), epsilon=1000
        ).value
    average = "binary" if size == 2 else "macro"
    assert value.accuracy == pytest.approx(metrics.accuracy_score(target, predicted))
    assert value.balanced_accuracy == pytest.approx(
        metrics.balanced_accuracy_score(target, predicted)
    )
    for ours, reference in (
        (value.precision, metrics.precision_score),
        (value.recall, metrics.recall_score),
        (value.f1, metrics.f1_score),
    ):
        assert ours == pytest.approx(reference(target, predicted, average=average))
    assert value.jaccards == pytest.approx(metrics.jaccard_score(target, predicted, average=None))
    assert value.matthews == pytest.approx(metrics.matthews_corrcoef(target, predicted))
    assert value.supports == np.bincount(target).tolist()
