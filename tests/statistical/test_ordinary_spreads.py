"""Spreads of ordinary columns by default: a reduced run of benchmarks/ordinary_spreads.py.

With few rows those in bounds that fit were answered by next to 0, since a walk from there stops at
once, and columns of few whole numbers had a hundred times the error of piecewise Laplace noise.
"""

from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.testing import simulate

RNG = np.random.default_rng(6)
ROWS = 80
COLUMNS: dict[str, tuple[np.ndarray, tuple[float, float]]] = {
    "flags": ((RNG.random(ROWS) < 0.3) * 1.0, (0, 1)),
    "Likert": (np.clip(np.rint(RNG.normal(3.4, 1.1, ROWS)), 1, 5), (1, 5)),
    "Likert of integers": (np.clip(np.rint(RNG.normal(3, 1.2, ROWS)), 1, 5).astype(int), (1, 5)),
    "ages": (np.clip(np.rint(RNG.normal(55, 20, ROWS)), 18, 95), (18, 95)),
    "ages of integers": (np.clip(np.rint(RNG.normal(55, 20, ROWS)), 18, 95).astype(int), (18, 95)),
    "percentages": (100 * RNG.beta(3, 2, ROWS), (0, 100)),
    "two clusters": (np.where(RNG.random(ROWS) < 0.5, 10.0, 90.0), (0, 100)),
}


@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_spread_of_few_rows_in_bounds_that_fit_is_told(
    name: str, relation: str, kind: Any
) -> None:
    x, bounds = COLUMNS[name]
    truth = x.var() if kind is ln.Variance else x.std()
    with simulate("fitting"):
        values = np.array(
            [
                ln.release(
                    kind(bounds=bounds, missing="none"), x, epsilon=1, relation=relation
                ).value
                for _ in range(11)
            ]
        )
    assert np.median(np.abs(values - truth)) < 0.4 * truth
    assert np.sum(values < 0.1 * truth) <= 2


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("bounds", [(0, 20), (0, 120)])
def test_a_spread_of_many_whole_numbers_is_told_as_piecewise_laplace_tells_it(
    bounds: tuple[int, int], relation: str
) -> None:
    x = np.clip(np.rint(RNG.normal(0.5, 0.2, 30_000) * bounds[1]).astype(int), *bounds)
    asked = ln.Variance(bounds=bounds, missing="none")
    p = ln.profile(asked, x, relation=relation)
    by_hand = ln.PiecewiseLaplace().law(p, 1).mean_absolute_error(centre=p.value)
    with simulate("whole"):
        values = [ln.release(asked, x, epsilon=1, relation=relation).value for _ in range(11)]
    assert np.mean(np.abs(np.array(values) - x.var())) < 2.5 * by_hand


@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
def test_the_spread_of_a_small_group_beside_large_ones_is_told(kind: Any) -> None:
    small, large = np.repeat([1.0, 0.0], [8, 92]), np.repeat([1.0, 0.0], [800, 7200])
    keys = [f"town {i}" for i in range(5)]
    names = [keys[0]] * len(small) + [keys[1 + i % 4] for i in range(len(large))]
    groups = ln.open({"v": [*small, *large], "g": names}).group_by({"g": keys})
    truth = small.var() if kind is ln.Variance else small.std()
    with simulate("groups"):
        values = [
            groups.release(kind("v", bounds=(0, 1)), epsilon=1)[keys[0]].value for _ in range(11)
        ]
    assert np.sum(np.array(values) < 0.1 * truth) <= 2
