"""Lattices of one or two points, of the narrowest and the widest bounds: all data has a value.

A refusal is one of parameters, so it is the same for every data set; anything else is an error that
hangs on data or on the draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError

INF = float("inf")
LATTICES: dict[str, dict[str, Any]] = {
    "one point": {"bounds": (0, 1), "step": 2},
    "one point inside": {"bounds": (1, 2.5), "step": 2},
    "two points": {"bounds": (0, 1), "step": 1},
    "narrowest": {"bounds": (0, 1e-290)},
    "widest": {"bounds": (-4e307, 4e307)},
    "widest, three points": {"bounds": (-4e307, 4e307), "step": 4e307},
}
DATA: list[list[Any]] = [
    [],
    [0.5],
    [0, 1, 1, 0, 0.5],
    [1e300] * 3,
    [None, None],
    [INF, -INF, None, 2],
]
EPSILONS = ("1e-9", "1", "1000000")
MECHANISMS: list[Any] = [
    None,
    ln.Laplace(),
    ln.PiecewiseLaplace(),
    ln.InverseSensitivity(),
    ln.AsymmetricSensitivity(),
    ln.SmoothLaplace(delta="1e-6"),
    ln.Gaussian(delta="1e-6"),
    ln.KNorm(),
]


def statistics(limits: dict[str, Any]) -> Iterator[Callable[[], Any]]:
    """The makers of all statistics of bounded columns."""
    alone: list[Any] = [
        *(ln.Sum, ln.Mean, ln.Median, ln.Minimum, ln.Maximum),
        *(ln.Variance, ln.StandardDeviation, ln.InterquartileRange, ln.QuantileRatio),
    ]
    for kind in alone:
        yield lambda kind=kind: kind("x", **limits)
    yield lambda: ln.Mean("x", missing="none", **limits)
    yield lambda: ln.Quantiles("x", q=["0.1", "0.5", "0.9"], **limits)
    yield lambda: ln.QuantileInterval("x", q="0.5", **limits)
    yield lambda: ln.WeightedQuantile("x", "y", q="0.5", largest=2, **limits)
    both = {**limits, "bounds": [limits["bounds"]] * 2}
    for vector in (ln.MeanVector, ln.Covariance, ln.Correlation, ln.TrimmedMeanVector):
        yield lambda vector=vector: vector(["x", "y"], **both)
    if "step" not in limits:
        for loss in (ln.MeanSquaredError, ln.MeanAbsoluteError, ln.RootMeanSquaredError, ln.R2):
            yield lambda loss=loss: loss("x", "y", **limits)


def outcome(statistic: Any, data: list[Any], **options: Any) -> str:
    """The refusal, or that there is a value which strict JSON can hold."""
    try:
        record = ln.release(statistic, {"x": data, "y": data[::-1]}, **options)
    except LeastNoiseError as error:
        return str(error)
    record.to_json()
    return "a value"


@pytest.mark.parametrize("lattice", LATTICES)
def test_every_data_set_has_a_value_or_none_has(lattice: str) -> None:
    served = 0
    for make in statistics(LATTICES[lattice]):
        try:
            statistic = make()
        except LeastNoiseError:  # by its parameters
            continue
        for place, mechanism in enumerate(MECHANISMS):
            options: dict[str, Any] = {
                "epsilon": EPSILONS[place % len(EPSILONS)],
                "mechanism": mechanism,
                "relation": ("replace-one", "add-remove", "edit")[place % 3],
            }
            found = {outcome(statistic, data, **options) for data in DATA}
            assert len(found) == 1, (statistic, options, found)
            served += "a value" in found
    assert served


def test_the_variance_of_one_point_is_always_drawn() -> None:
    """60 of 100 draws divided by the width of the bounds, which is 0."""
    variance = ln.Variance(bounds=(0, 1), step=2)
    for relation in ("replace-one", "add-remove", "edit"):
        for _ in range(20):
            made = ln.release(variance, [0, 1, 1, 0, 0.5], epsilon=1, relation=relation)
            assert made.value == 0


@pytest.mark.parametrize(
    ("bounds", "near"),
    [
        ((300, 400), 300),
        ((-400, -300), -300),
        ((2**70, 2**71), 2**70),
        ((-(2**71), -(2**70)), -(2**70)),
    ],
)
@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8", "f4"])
@pytest.mark.parametrize("kind", [ln.Mean, ln.Median, ln.Maximum])
def test_entries_whose_type_holds_no_bound_are_read_as_the_nearer_one(
    kind: Any, dtype: str, bounds: tuple[int, int], near: int
) -> None:
    entries = np.array([0, 1, 100, 127], dtype)
    made = ln.release(kind(bounds=bounds), entries, epsilon=10**6, relation="replace-one")
    assert made.value == pytest.approx(near, rel=1e-3)
