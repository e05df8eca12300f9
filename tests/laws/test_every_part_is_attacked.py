"""A statistic, mechanism, estimator or black box that joins the library must be attacked somewhere.

Either it has a case in the matrix of ``leastnoise audit``, or it is listed here with the test that
attacks it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise import estimators
from leastnoise.audit.cases import MECHANISMS, STATISTICS
from leastnoise.audit.searches import SEARCHES
from leastnoise.testing import simulate

TESTS = Path(__file__).resolve().parents[1]

# What is no mechanism on the profile of one number, by the test of its law.
ELSEWHERE = {
    # sums and means of several columns, released by the noise of a ball
    "MomentVector": "laws/test_k_norm.py::test_no_neighbours_differ_by_more_than_the_sensitivity",
    "MeanVector": "laws/test_k_norm.py::test_rounded_noise_is_private_exactly",
    "RecordSum": "backends/test_vectors.py"
    "::test_no_record_moves_a_function_by_more_than_its_sensitivity",
    "Covariance": "laws/test_every_part_is_attacked.py"
    "::test_covariances_are_functions_of_the_noisy_moments",
    "Correlation": "laws/test_every_part_is_attacked.py"
    "::test_covariances_are_functions_of_the_noisy_moments",
    "TrimmedMeanVector": "laws/test_trimmed.py::test_radii_obey_definition_5_1",
    "KNorm": "laws/test_k_norm.py::test_rounded_noise_is_private_exactly",
    "PiecewiseKNorm": "laws/test_piecewise_k_norm.py::test_piecewise_noise_is_private_exactly",
    "ConeLaplace": "laws/test_cone_laplace.py"
    "::test_one_record_changes_the_density_by_the_stated_factor",
    # noise for the answers of black boxes
    "Bernstein": "laws/test_black_box_privacy.py::test_bernstein_values_are_private",
    "DiscreteGaussian": "laws/test_black_box_privacy.py::test_discrete_gaussian_vectors_keep_delta",
    # a choice of rows
    "PrivateKeys": "laws/test_private_keys.py::test_the_set_of_keys_is_private",
    # estimators
    "PrivateLinearRegression": "laws/test_functional_mechanism.py"
    "::test_every_difference_of_two_records_is_in_the_ball",
    "PrivateLogisticRegression": "laws/test_objective_perturbation.py"
    "::test_every_neighbouring_pair_in_one_dimension",
    "PrivateRobustRegression": "laws/test_robust_regression.py"
    "::test_every_neighbouring_pair_of_a_small_universe",
    # black boxes
    "SampleAndAggregate": "laws/test_black_box_privacy.py::test_sample_and_aggregate_is_private",
    "SensitivitySampler": "statistical/test_sampler_coverage.py::test_two_level_coverage",
    "SensitivityEstimate": "statistical/test_sampler_coverage.py::test_two_level_coverage",
    "BlackBox": "laws/test_gaussian.py",
}
# Releases hold a guarantee, and draw nothing; how a description is drawn is attacked in
# laws/test_describe.py.
RECORDS = {"Release", "Releases", "Description"}


def parts(names: dict[str, Any]) -> set[str]:
    """The names that promise privacy: statistics, mechanisms, estimators and black boxes."""
    marks = ("profile", "vector", "law", "fit", "respond", "joint_law")
    promising = {
        name
        for name, value in names.items()
        if isinstance(value, type)
        and (hasattr(value, "spec") or hasattr(value, "guarantee") or hasattr(value, "fit")
             or hasattr(value, "respond"))
    }  # fmt: skip
    assert any(hasattr(names[name], mark) for name in promising for mark in marks)
    return promising - RECORDS


def attacked() -> set[str]:
    """Classes with a case in the matrix."""
    cases = [case.statistic for case in STATISTICS] + [case.mechanism for case in MECHANISMS]
    return {type(case).__name__ for case in cases} | {
        search.mechanism.partition("(")[0] for search in SEARCHES
    }


def offered() -> dict[str, Any]:
    found = {name: getattr(ln, name) for name in ln.__all__}
    return found | {name: getattr(estimators, name) for name in estimators.__all__}


def missing(names: dict[str, Any]) -> set[str]:
    return parts(names) - attacked() - set(ELSEWHERE)


def test_every_part_is_attacked() -> None:
    assert missing(offered()) == set()


class NewStatistic:
    def spec(self) -> Any: ...

    def profile(self, summary: Any, relation: str) -> Any: ...


class NewMechanism:
    def law(self, profile: Any, epsilon: Any) -> Any: ...

    def guarantee(self, epsilon: Any, scope: Any) -> Any: ...


class NewEstimator:
    def fit(self, X: Any, y: Any) -> Any: ...


class NewBlackBox:
    def respond(self, data: Any, *, epsilon: Any) -> Any: ...


@pytest.mark.parametrize("new", [NewStatistic, NewMechanism, NewEstimator, NewBlackBox])
def test_a_new_part_without_an_attack_is_noticed(new: type) -> None:
    assert missing(offered() | {new.__name__: new}) == {new.__name__}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_attack_that_is_named_exists(name: str) -> None:
    assert name in parts(offered())
    assert name not in attacked()
    file, _, function = ELSEWHERE[name].partition("::")
    text = (TESTS / file).read_text(encoding="utf-8")
    assert re.search(rf"\b{name}\b", text) or name == "SensitivityEstimate"
    assert not function or f"def {function}(" in text


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("kind", [ln.Covariance, ln.Correlation])
def test_covariances_are_functions_of_the_noisy_moments(kind: type, relation: str) -> None:
    """They are drawn from the vector that MomentVector is drawn from, by the same noise."""
    rows = [[0, 1], [3, -1], [2, 0]]
    limits = [(0, 3), (-1, 1)]
    theirs, ours = (
        ln.profile(found(bounds=limits), rows, relation=relation, missing="none")
        for found in (kind, ln.MomentVector)
    )
    assert (theirs.value, theirs.units) == (ours.value, ours.units)
    ball, delta = ours.named("linf")
    assert theirs.sensitivity(ball) == ours.sensitivity(ball) == delta
    assert kind(bounds=limits).default_mechanism(relation) == ln.MomentVector(
        bounds=limits
    ).default_mechanism(relation)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", [ln.Covariance, ln.Correlation])
def test_matrices_are_symmetric_to_the_last_digit(kind: type, seed: int) -> None:
    limits = [(18, 80), (0, 200_000), (-0.3, 0.7)]
    with simulate(seed):
        released = ln.release(kind(bounds=limits), [[20, 9, 0.1]] * 9, epsilon=1, missing="none")
    matrix = released.value
    assert [list(column) for column in zip(*matrix, strict=True)] == matrix
