"""The area under the ROC curve and R2: neighbour laws by enumeration, and what breaks them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import leastnoise as ln
from leastnoise import audit
from leastnoise.testing import PrivacyViolation, check_statistic, simulate

NAN = float("nan")
RELATIONS = ("replace-one", "add-remove", "edit")
SCORED = [(1.0, 0.0), (1.0, 2.0), (0.0, 1.0), (0.0, 2.0)]
PAIRS = [(0.0, 0.0), (0.0, 1.0), (2.0, 0.0), (3.0, 3.0)]


def as_pair(records: tuple[Any, ...]) -> Any:
    matrix = np.array(records, dtype=np.float64).reshape(len(records), 2)
    return matrix[:, 0], matrix[:, 1]


def test_neighbour_law_of_the_area() -> None:
    check_statistic(ln.RocAuc(), universe=SCORED, n=5, max_examples=50, depths=(None,))
    hostile = [(1.0, NAN), (7.0, 1.0), (1.0, float("inf")), (0.0, 1.0)]
    check_statistic(ln.RocAuc(), universe=hostile, n=4, max_examples=10, depths=(None,))


@dataclass(frozen=True, slots=True)
class OneStepShort:
    """The radius 1/m instead of 1/(m - 1): what a record that changes its score can do."""

    def spec(self) -> Any:
        return ln.RocAuc().spec()

    def profile(self, summary: Any, relation: str) -> ln.Profile:
        wider = replace(
            summary,
            positives=summary.positives + 1,
            negatives=summary.negatives + 1,
        )
        right, wrong = (ln.RocAuc().profile(s, relation) for s in (summary, wider))
        value = Fraction(*right.value)

        def radius(level: int) -> Fraction:
            at = wrong.upper(level)
            at = Fraction(*at) if isinstance(at, tuple) else Fraction(at)
            return at - Fraction(*wrong.value)

        low, high = right.support
        return replace(
            right,
            value=value,
            upper=lambda level: min(high, value + radius(level)),
            lower=lambda level: max(low, value - radius(level)),
        )


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_a_smaller_radius_is_seen(relation: str) -> None:
    with pytest.raises(PrivacyViolation):
        check_statistic(
            OneStepShort(), universe=SCORED, n=5, relations=[relation], max_examples=0,
            depths=(None,),
        )  # fmt: skip


@pytest.mark.parametrize("relation", RELATIONS)
def test_privacy_of_the_area(relation: str) -> None:
    report = audit.exact(
        ln.RocAuc(), ln.PiecewiseLaplace(), universe=SCORED, n=3, relation=relation,
        epsilon=1, missing="none", build=as_pair,
    )  # fmt: skip
    assert report.passed, str(report)


def test_the_area_equals_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = np.r_[0, 1, rng.integers(0, 2, 50)]
        scores = rng.integers(0, 8, 52) / 4
        found = ln.profile(ln.RocAuc(), (labels, scores)).value
        assert float(found) == pytest.approx(metrics.roc_auc_score(labels, scores), abs=1e-12)


def test_expected_error_of_the_area() -> None:
    for positives, error in ((50, 0.0425), (500, 0.0041)):
        labels = np.r_[np.ones(positives), np.zeros(1000 - positives)]
        scores = np.random.default_rng(0).normal(labels)
        shown = ln.profile(ln.RocAuc(), (labels, scores))
        law = ln.PiecewiseLaplace().law(shown, 1)
        assert law.mean_absolute_error(centre=shown.value) <= error


class Direct:
    """R2 by its direct profile, as `ln.profile` shows it."""

    def __init__(self, floor: object) -> None:
        self.statistic = ln.R2(bounds=(0, 3), floor=floor)

    def spec(self) -> Any:
        return self.statistic.spec()

    def profile(self, summary: Any, relation: str) -> ln.Profile:
        return self.statistic.profile(summary, relation)


@pytest.mark.parametrize("floor", [0, -2])
def test_neighbour_law_of_r2(floor: int) -> None:
    check_statistic(Direct(floor), universe=PAIRS, n=3, max_examples=5, depths=(None,))


def test_laws_of_both_parts_of_r2() -> None:
    statistic = ln.R2(bounds=(0, 3))
    check_statistic(statistic, universe=PAIRS, n=3, max_examples=0)
    hostile = [(NAN, 3.0), (float("inf"), -5.0), (1.0, NAN)]
    for missing in (None, "drop", 1):
        check_statistic(statistic, universe=hostile, n=2, max_examples=0, missing=missing)


def test_r2_equals_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    target = rng.normal(50, 10, 500)
    predicted = target + rng.normal(0, 4, 500)
    shown = ln.profile(ln.R2(bounds=(0, 100)), (target, predicted))
    assert float(shown.value) == pytest.approx(metrics.r2_score(target, predicted), abs=1e-9)


@pytest.mark.parametrize(
    ("data", "bounds"),
    [(([3, 3, 3], [3, 3, 4]), (0, 10)), (([3], [3]), (0, 10)), (([], []), (0, 1))],
)
def test_constant_targets_and_single_rows(data: Any, bounds: Any) -> None:  # C29
    for floor in (0, -5):
        assert ln.profile(ln.R2(bounds=bounds, floor=floor), data).value == floor
        release = ln.release(ln.R2(bounds=bounds, floor=floor), data, epsilon=1)
        assert floor <= release.value <= 1
        assert release.parts == {"part 1": "1/2", "part 2": "1/2"}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(), st.floats()), max_size=6))
def test_r2_and_area_are_always_finite(rows: list[tuple[float, float]]) -> None:
    data = [r[0] for r in rows], [r[1] for r in rows]
    with simulate(0):
        assert 0 <= ln.release(ln.R2(bounds=(-1, 1)), data, epsilon=1).value <= 1
        assert 0 <= ln.release(ln.RocAuc(), data, epsilon=1).value <= 1


def test_metrics_stay_in_range_at_small_epsilon() -> None:  # C38
    rows = [5] * 4
    with simulate(5):
        for _ in range(200):
            for kind, top in (
                (ln.MeanSquaredError, 100),
                (ln.MeanAbsoluteError, 10),
                (ln.RootMeanSquaredError, 10),
            ):
                value = ln.release(kind(bounds=(0, 10)), (rows, rows), epsilon=0.1).value
                assert 0 <= value <= top
