"""Rank errors of many quantiles: a reduced run of benchmarks/quantiles_error.py."""

from fractions import Fraction

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.testing import simulate


def rank_error(x: np.ndarray, orders: list[Fraction], values: list[float]) -> float:
    ordered = np.sort(x)
    ranks = np.array([max(1, -(-q.numerator * len(x) // q.denominator)) for q in orders])
    first = np.searchsorted(ordered, values, "left") + 1
    last = np.searchsorted(ordered, values, "right")
    return float(np.maximum(0, np.maximum(first - ranks, ranks - last)).mean())


@pytest.mark.parametrize(
    ("count", "bounds", "limit", "repeats"),
    [
        (9, (0, 100), 0.5, 40),
        (99, (0, 100), 0.1, 8),  # .06 in the long run
        (9, (0, 100_000), 0.4, 20),
        (99, (0, 100_000), 0.03, 6),  # .014 in the long run
    ],
)
def test_joint_draws_beat_an_even_split(
    count: int, bounds: tuple[int, int], limit: float, repeats: int
) -> None:
    orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
    rng = np.random.default_rng(4)
    statistic = ln.Quantiles(q=orders, bounds=bounds, missing="none")
    split = even = 0.0
    with simulate(f"{count}{bounds}"):
        for _ in range(repeats):
            x = rng.normal(50, 10, 1000)
            for mechanism in (None, ln.PiecewiseLaplace()):
                r = ln.release(statistic, x, epsilon=1, relation="add-remove", mechanism=mechanism)
                error = rank_error(x, orders, r.value)
                if mechanism is None:
                    split += error
                    assert r.value == sorted(r.value)
                else:
                    even += error
    assert split <= limit * even
