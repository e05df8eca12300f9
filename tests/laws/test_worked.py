"""Ratios of quantiles and weighted quantiles: by definition, under every law, and what breaks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.profiles import from_equation
from leastnoise.statistics.quantiles.weighted import WeightedQuantile
from leastnoise.testing import PrivacyViolation, check_statistic

F = Fraction
PAIRS = tuple(product((1, 2, 8), (0, 1, 4)))


def columns(records: tuple[Any, ...]) -> Any:
    return tuple(np.array([r[i] for r in records], dtype=np.int64) for i in (0, 1))


def by_definition(rows: list[tuple[int, int]], q: Fraction, low: int) -> int:
    """The smallest value up to which the share q of the weight lies."""
    total = sum(w for _, w in rows)
    for value, _ in sorted(rows):
        if total and sum(w for v, w in rows if v <= value) >= q * total:
            return value if q else low
    return low


@pytest.mark.parametrize("q", [F(1, 10), F(1, 2), F(2, 3), F(1)])
def test_a_weighted_quantile_is_the_definition(q: Fraction):
    rng = np.random.default_rng(3)
    statistic = ln.WeightedQuantile(q=q, bounds=(0, 10), largest=4, step=1)
    for _ in range(60):
        n = int(rng.integers(0, 9))
        rows = [(int(v), int(w)) for v, w in zip(*rng.integers(0, (11, 5), (n, 2)).T, strict=True)]
        data = columns(tuple(rows))
        assert ln.profile(statistic, data).value == by_definition(rows, q, 0)


def test_equal_weights_give_the_plain_quantile():
    values = [1.5, 3.25, 9.0, 2.0, 7.5]
    plain = ln.profile(ln.Quantile(q="0.6", bounds=(0, 16)), values, missing="none")
    weighted = ln.profile(
        ln.WeightedQuantile(q="0.6", bounds=(0, 16), largest=1), (values, [1.0] * 5)
    )
    assert weighted.value == plain.value
    assert [weighted.upper(l) for l in range(3)] == [plain.upper(l) for l in range(3)]


def test_awkward_weights_count_for_nothing():
    nan = float("nan")
    values = [1.0, 5.0, nan, 9.0, 9.0, 9.0, 2.0]
    weights = [2.0, 2.0, 50.0, nan, -3.0, float("-inf"), float("inf")]
    p = ln.profile(ln.WeightedQuantile(q="1/2", bounds=(0, 10), largest=2), (values, weights))
    assert p.value == 2  # 1, 2 and 5 with weight 2 each: infinity is cut to the largest
    empty = ln.WeightedQuantile(q="1/2", bounds=(3, 10), largest=2)
    for data in (([], []), ([5.0], [0.0])):
        assert ln.profile(empty, data).value == 3
        assert 3 <= ln.release(empty, data, epsilon=1).value <= 10


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_weighted_quantiles_obey_every_law(relation: str):
    for q in ("1/2", "1/4", "0", "1"):
        check_statistic(
            ln.WeightedQuantile(q=q, bounds=(0, 9), largest=4, step=1),
            universe=PAIRS,
            n=2,
            relations=[relation],
            max_examples=15,
            depths=[None],
            as_data=columns,
        )


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_worked_statistics_are_private(relation: str):
    for statistic, universe, build in (
        (
            ln.WeightedQuantile(q="1/2", bounds=(0, 9), largest=4, step=1),
            ((1, 1), (8, 1), (8, 4)),
            columns,
        ),
        (ln.QuantileRatio(bounds=(2, 8)), (2, 3, 8), None),
    ):
        report = audit.exact(
            statistic, universe=universe, n=4, relation=relation, epsilon=1, build=build
        )
        assert report.passed, report


class HeavyTail(WeightedQuantile):
    """Weights are not cut: one record changes the sum by more than is said."""

    __slots__ = ()

    def profile(self, summary, relation):
        p = super().profile(summary, relation)
        whole, share = self.order.denominator, self.order.numerator * summary.total
        pull = lambda y: whole * summary.up_to(y - 1) - share + 1
        return from_equation(pull, whole * summary.most // 4, low=0, high=9, unit=p.unit)


def test_a_weight_above_the_largest_is_caught():
    statistic = HeavyTail(q="1/2", bounds=(0, 9), largest=4, step=1)
    with pytest.raises(PrivacyViolation, match="neighbour law"):
        check_statistic(
            statistic, universe=PAIRS, n=2, max_examples=0, depths=[None], as_data=columns
        )


def test_a_ratio_is_the_quotient():
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = rng.integers(2, 30, int(rng.integers(1, 12)))
        p = ln.profile(ln.QuantileRatio(top="0.75", bottom="0.25", bounds=(2, 40)), values)
        top, bottom = (
            ln.profile(ln.Quantile(q=q, bounds=(2, 40)), values) for q in ("0.75", "0.25")
        )
        assert p.value == F(int(top.value), int(bottom.value))
        for l in range(5):
            assert p.upper(l) == F(int(top.upper(l)), int(bottom.lower(l)))
            assert p.lower(l) == F(int(top.lower(l)), int(bottom.upper(l)))
        assert p.support == (F(1, 20), 20)


def test_ratios_obey_every_law():
    for bounds, universe in (((2, 8), (2, 3, 8)), ((0.5, 4.0), (0.5, 1.25, 4.0, None))):
        check_statistic(ln.QuantileRatio(bounds=bounds), universe=universe, n=3, max_examples=20)


def test_a_lower_limit_of_the_data_is_caught():
    """The denominator's limit must be public: taken from the data the range leaks."""

    class OfTheData(ln.QuantileRatio):
        __slots__ = ()

        def profile(self, summary, relation):
            p = super().profile(summary, relation)
            return replace(p, support=(p.support[0], F(8, summary.rank(1))))

    with pytest.raises(PrivacyViolation):
        check_statistic(OfTheData(bounds=(2, 8)), universe=(2, 3, 8), n=3, max_examples=0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ln.QuantileRatio(), "bounds are required"),
        (lambda: ln.QuantileRatio(bounds=(0, 5)), "above 0"),
        (lambda: ln.QuantileRatio(bounds=(1, 5), top="0.1"), "bottom must be below top"),
        (lambda: ln.WeightedQuantile(bounds=(0, 1), largest=1), "q is required"),
        (lambda: ln.WeightedQuantile(q=0.5, largest=1), "bounds are required"),
        (lambda: ln.WeightedQuantile(q=0.5, bounds=(0, 1)), "largest is required"),
        (lambda: ln.WeightedQuantile(q=0.5, bounds=(0, 1), largest=0), "greater than 0"),
        (lambda: ln.WeightedQuantile("x", q=0.5, bounds=(0, 1), largest=1), "name both columns"),
    ],
)
def test_parameters_are_refused(make: Any, message: str):
    with pytest.raises(ParameterError, match=message):
        make()


def test_columns_of_a_frame():
    frame = {"pay": [10, 20, 30, 40], "people": [1, 1, 1, 7], "note": ["a", "b", "c", "d"]}
    statistic = ln.WeightedQuantile("pay", "people", q="1/2", bounds=(0, 100), largest=10)
    assert ln.profile(statistic, frame).value == 40
    record = ln.release(statistic, frame, epsilon=5)
    assert (record.column, record.missing) == ("pay, people", "weight 0")
