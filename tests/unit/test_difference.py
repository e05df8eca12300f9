"""The difference of two released numbers."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.record.difference import _reach
from leastnoise.session.search.noisy_moments import reach
from leastnoise.testing import simulate

TABLE = {"x": list(np.linspace(0, 90, 600)), "g": ["a", "b", "b"] * 200, "one": [0, 1, 1] * 200}
BOUNDS = {"bounds": (0, 100)}


def groups(statistic: object, epsilon: object = 1, **options: Any) -> Any:
    asked = ln.WithInterval(statistic, simultaneous=True, **options)
    with simulate("difference"), ln.open(TABLE, relation="add-remove") as data:
        return data.group_by({"g": ["a", "b"]}).release(asked, epsilon=epsilon)


@pytest.mark.parametrize(
    ("statistic", "of"),
    [
        (ln.Mean("x", **BOUNDS), "data"),
        (ln.Median("x", **BOUNDS), "data"),
        (ln.Median("x", **BOUNDS), "population"),
        (ln.Mean("one", bounds=(0, 1), step=1), "population"),
    ],
)
def test_two_groups_of_a_table_differ_within_the_ends_of_both(statistic: object, of: str) -> None:
    made = groups(statistic, of=of)
    a, b = made["a"], made["b"]
    found = a.difference(b)
    assert found.value == a.value - b.value
    assert found.interval[0] == pytest.approx(a.interval[0] - b.interval[1])
    assert found.interval[1] == pytest.approx(a.interval[1] - b.interval[0])
    assert found.coverage["level"] == "19/20"
    assert found.coverage["of"] == of
    assert "in all of 2 groups together" in found.coverage["holds"]
    assert not found.secure
    other = b.difference(a)
    assert other.interval == (-found.interval[1], -found.interval[0])


def test_means_of_two_populations_differ_as_variances_add() -> None:
    made = groups(ln.Mean("x", **BOUNDS), of="population", level="0.9")
    a, b = made["a"], made["b"]
    found = a.difference(b)
    assert found.coverage["level"] == "19/20"
    assert "squared and added" in found.coverage["method"]
    below = np.hypot(a.value - a.interval[0], b.interval[1] - b.value)
    above = np.hypot(a.interval[1] - a.value, b.value - b.interval[0])
    assert found.interval == pytest.approx((found.value - below, found.value + above))
    rarely = groups(ln.Mean("x", **BOUNDS), of="population", level="0.8")
    wide = rarely["a"].difference(rarely["b"])
    assert wide.interval[0] == pytest.approx(rarely["a"].interval[0] - rarely["b"].interval[1])
    assert (wide.coverage["level"], "method" in wide.coverage) == ("4/5", False)


def test_ends_at_the_bounds_have_lost_their_distance() -> None:
    """The populations lie at either bound, so that noise of either sign is cut away."""
    rated = {"x": [0] * 500 + [2] * 500, "g": ["a"] * 500 + ["b"] * 500}
    asked = ln.WithInterval(ln.Mean("x", bounds=(0, 2), step=1), of="population")
    missed = 0
    with simulate("at the bounds"), ln.open(rated, relation="add-remove") as data:
        by_group = data.group_by({"g": ["a", "b"]})
        for _ in range(60):
            made = by_group.release(asked, epsilon=1)
            found = made["a"].difference(made["b"])
            assert (found.coverage["level"], "method" in found.coverage) == ("9/10", False)
            low, high = found.interval
            missed += not low <= -2 <= high
    assert missed <= 6


@pytest.mark.parametrize("cut", [(0.0, 60.0), (1e-12, 60.0), (40.0, 100.0), (40.0, 100 - 1e-12)])
def test_an_end_within_a_step_of_a_bound_is_at_it(cut: tuple[float, float]) -> None:
    made = groups(ln.Mean("x", **BOUNDS), of="population", level="0.9")
    a, b = made["a"], made["b"]
    at_a_bound = replace(a, interval=cut)
    assert Fraction(a.step) > 1e-12
    for found in (at_a_bound.difference(b), b.difference(at_a_bound)):
        assert (found.coverage["level"], "method" in found.coverage) == ("9/10", False)
    unknown = replace(a, bounds=None)
    assert "method" not in unknown.difference(b).coverage


def test_ends_that_lie_anyhow_about_a_value_are_taken_crosswise() -> None:
    made = groups(ln.Variance("x", **BOUNDS), of="population", level="0.95", epsilon=10)
    a, b = made["a"], made["b"]
    assert "central limit" in a.coverage["method"]
    found = a.difference(b)
    assert "method" not in found.coverage
    assert found.interval[0] == pytest.approx(a.interval[0] - b.interval[1])


@pytest.mark.parametrize("miss", [0.05, 0.01, 1e-6])
def test_squared_distances_reach_as_far_as_the_law_does(miss: float) -> None:
    sizes = (0.01, 0.3, 1, 3)
    for first, second in product(product(sizes, sizes), repeat=2):
        both = reach(miss, np.hypot(first[0], second[0]), first[1], second[1])
        assert both <= np.hypot(reach(miss, *first), reach(miss, *second)) * (1 + 1e-5)


def test_both_misses_add_up() -> None:
    with simulate("levels"):
        a, b = (
            ln.release(
                ln.WithInterval(ln.Median(**BOUNDS), level=level), [1.0, 2.0, 3.0], epsilon=1
            )
            for level in ("0.9", "0.99")
        )
    assert a.difference(b).coverage["level"] == "89/100"
    stored = ln.Release.from_json(a.to_json())
    assert stored.difference(b).interval == a.difference(b).interval


def test_laplace_noise_of_two_counts_is_known_together() -> None:
    made = groups(ln.Count(), epsilon="0.1")
    a, b = made["a"], made["b"]
    found = a.difference(b)
    assert isinstance(found.value, int)
    assert all(isinstance(end, int) for end in found.interval)
    low, high = found.interval
    crosswise = a.interval[1] - a.interval[0] + b.interval[1] - b.interval[0]
    assert high - low < 0.65 * crosswise
    assert low < found.value < high


@pytest.mark.parametrize(
    ("e1", "e2", "cut"), [(1, 1, None), (1, "1/4", None), (1, 1, 0), (1, 1, 2)]
)
def test_the_noise_of_two_numbers_is_not_underrated(
    e1: object, e2: object, cut: int | None
) -> None:
    """By enumeration, with the first answer cut above at ``cut`` of its noise or not at all."""
    rates, miss = (float(Fraction(e1)), float(Fraction(e2))), 0.1
    half = _reach(miss, *(1 / rate for rate in rates)) + 1
    law = [
        {k: (1 - exp(-r)) / (1 + exp(-r)) * exp(-r * abs(k)) for k in range(-150, 151)}
        for r in rates
    ]
    missed = 0.0
    for (x, p), (y, q) in product(law[0].items(), law[1].items()):
        error = x if cut is None else min(x, cut)
        missed += p * q * (abs(error - y) > half)
    assert missed <= miss
    assert half < 0.75 * sum(1 / rate for rate in rates) * -np.log(miss / 2)


def test_what_has_no_difference_is_refused() -> None:
    made = groups(ln.Mean("x", **BOUNDS))
    record = made["a"]
    plain = replace(record, interval=None, coverage=None)
    with pytest.raises(ParameterError, match="WithInterval"):
        record.difference(plain)
    with pytest.raises(ParameterError, match="one statistic"):
        record.difference(replace(record, statistic="Sum"))
    with pytest.raises(ParameterError, match="must be of one kind"):
        record.difference(groups(ln.Mean("x", **BOUNDS), of="population")["a"])
    with pytest.raises(ParameterTypeError, match="float"):
        record.difference(1.0)
    times = {"t": np.array(["2024-01-01", "2024-01-05"], dtype="datetime64[D]")}
    asked = ln.WithInterval(ln.Mean("t", bounds=(date(2024, 1, 1), date(2024, 2, 1))))
    with simulate("times"):
        found = ln.release(asked, times, epsilon=1)
    with pytest.raises(ParameterError, match="dates"):
        found.difference(found)
