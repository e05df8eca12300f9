"""The Fisher information of a logistic fit: its sums, one record's part, its share of epsilon."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import ParameterError
from leastnoise.estimators import PrivateLogisticRegression, information
from leastnoise.estimators.correction import heights_at
from leastnoise.estimators.information import (
    COPIES,
    SHARE,
    Information,
    copies,
    information_of,
    weighted_sums,
)
from leastnoise.estimators.logistic_intervals import noise_of_matrices
from leastnoise.estimators.moments import UNIT, moment_vector
from leastnoise.estimators.objective import Perturbation
from leastnoise.geometry import MomentSpace
from leastnoise.randomness import HashedBits
from leastnoise.testing import simulate

RELATIONS = ("replace-one", "add-remove", "edit")
POINTS = ([0.0, 0.0, 0.0], [3.0, -2.0, 0.5], [0.1, 40.0, -1e9])
# corners, the middle, what is rounded, and the ends of doubles
UNIVERSE = [(1.0, 1.0), (-1.0, 1.0), (0.5, -0.25), (0.0, 0.0), (2.0**-20, -(2.0**-11))]


def summed(rows: Any, point: list[float], counts: Any = None) -> list[Fraction]:
    """What the fit adds noise to: the count and T, in units of one record."""
    z = np.array(rows, dtype=float).reshape(-1, 2)
    kept = np.ones(len(z), dtype=bool) if counts is None else np.array(counts)
    features = np.column_stack([np.ones(len(z)), z]) * kept[:, None]
    heights = heights_at(features, np.zeros(len(z)), point)
    times = copies(4 * heights * (1 - heights), kept)
    sums = weighted_sums(features[:, 1:], times)
    seen = moment_vector(sums, MomentSpace(2))
    return [Fraction(sums.count, COPIES), *(x * UNIT / COPIES for x in seen)]


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_one_record_is_a_part_of_a_matrix_of_the_cone(point: list[float]) -> None:
    for row in UNIVERSE:
        size, *rest = summed([row], point)
        assert 0 <= size <= 1
        z = [Fraction(round(x * 1024), 1024) for x in row]
        assert max(map(abs, z)) <= 1
        assert rest == [size * x for x in MomentSpace(2).vector(z)]
    assert summed([(0.0, 0.0)], [0.0, 0.0, 0.0])[0] == 1  # the steepest bend


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_every_pair_differs_by_the_records_that_changed(point: list[float]) -> None:
    """Sums are exactly additive, so one record moves them by its own matrix, whatever the rest."""
    alone = {row: summed([row], point) for row in UNIVERSE}
    for rows in product(UNIVERSE, repeat=3):
        expected = [sum(parts) for parts in zip(*(alone[row] for row in rows), strict=True)]
        assert summed(rows, point) == expected


def test_rows_that_do_not_count_add_nothing() -> None:
    dropped = summed([(1.0, 1.0), (0.5, 0.5)], POINTS[1], counts=[True, False])
    assert dropped == summed([(1.0, 1.0)], POINTS[1])
    assert not any(summed([], POINTS[1]))


def test_sums_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(5)
    z, times = rng.uniform(-1, 1, (40, 3)), rng.integers(0, COPIES + 1, 40)
    found = weighted_sums(z, times)
    whole = [[1, *(Fraction(round(x * 1024), 1024) for x in row)] for row in z.tolist()]
    for j, k in product(range(4), repeat=2):
        expected = sum(int(t) * row[j] * row[k] for t, row in zip(times, whole, strict=True))
        assert Fraction(int(found.gram[j, k]), 1 << 40) == expected


def test_sums_over_many_rows_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one piece and in several, at the largest numbers that there are."""
    z, times = np.ones((5000, 1)), np.full(5000, COPIES)
    z[::3] = 1 - 2.0**-10
    whole = weighted_sums(z, times)
    monkeypatch.setattr(information, "_CHUNK", 7)
    assert (weighted_sums(z, times).gram == whole.gram).all()
    assert whole.gram[0, 0] == 5000 * COPIES << 40


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("bounds", [(-1, 1), None], ids=["declared", "found"])
def test_a_fit_draws_what_it_was_charged(
    relation: str, bounds: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cone's own rate, 2^10 copies of a record, and the rest of epsilon for the fit."""
    epsilon, spent = Fraction(3, 2), list[Fraction]()
    noisy, drawn = information.noisy, Perturbation.draw

    def moments(values: Any, cone: Any, rate: Fraction, source: Any) -> Any:
        assert cone.count
        one = rate * COPIES  # the matrix of a record has COPIES times the size of a copy
        spent.append(one / 2 if relation == "add-remove" else one)
        return noisy(values, cone, rate, source)

    def fitted(self: Perturbation, *data: Any, **more: Any) -> Any:
        spent.append(self.epsilon)
        return drawn(self, *data, **more)

    monkeypatch.setattr(information, "noisy", moments)
    monkeypatch.setattr(Perturbation, "draw", fitted)
    model = PrivateLogisticRegression(
        epsilon, bounds=bounds, classes=[0, 1], intervals=True, relation=relation
    )
    rng = np.random.default_rng(1)
    with simulate(1):
        model.fit(rng.uniform(-1, 1, (60, 2)), rng.integers(0, 2, 60))
    parts = {name: Fraction(part) for name, part in model.release_.parts.items()}
    assert sum(parts.values()) == epsilon
    limits = sum(v for k, v in parts.items() if k.startswith("limits") or k == "row count")
    assert (limits > 0) == (bounds is None)
    assert sum(spent) == epsilon - limits
    assert spent[1] == parts["information"] == SHARE * (epsilon - limits)


def test_the_released_matrix_is_the_information_where_epsilon_hides_nothing() -> None:
    rng = np.random.default_rng(2)
    z = rng.uniform(-1, 1, (300, 2))
    y = (rng.uniform(size=300) < 0.4).astype(int)
    for intercept in (True, False):
        with simulate(3):
            model = PrivateLogisticRegression(
                10**7, bounds=(-1, 1), classes=[0, 1], intervals=True, fit_intercept=intercept
            ).fit(z, y)
        chance = model.predict_proba(z)[:, 1]
        u = np.column_stack([np.ones(300), z]) if intercept else z
        expected = (u * (chance * (1 - chance))[:, None]).T @ u
        assert np.allclose(model.information_, expected, atol=0.3)


def test_noise_of_draws_has_the_law_of_the_noise_that_is_added() -> None:
    asked = information_of(2, Fraction(1, 2), "edit", 0.25)
    nothing = np.zeros((0, 3)), np.zeros(0), np.zeros(0, dtype=bool)
    source = HashedBits(b"information")
    exact = np.array([asked.draw(*nothing, source, intercept=True) for _ in range(400)])
    sizes = np.sqrt(np.square(exact).mean(axis=0))
    rng = np.random.default_rng(0)
    drawn = noise_of_matrices(asked, rng)
    assert np.allclose(sizes / np.sqrt(np.square(drawn).mean(axis=0)), 1, atol=0.2)
    assert Information(asked.cone, Fraction(1, 2), "add-remove", 0.25).rate == 2 * asked.rate


def test_intervals_are_refused_before_the_charge() -> None:
    X, y = np.zeros((9, 1)), np.arange(9) % 3
    many = PrivateLogisticRegression(bounds=(0, 1), classes=[0, 1, 2], intervals=True)
    with pytest.raises(ParameterError, match=r"two classes.*classes=\[0, 1\]"):
        many.fit(X, y)
    with simulate(1):
        plain = PrivateLogisticRegression(bounds=(0, 1), classes=[0, 1]).fit(X, y % 2)
    assert plain.information_ is None
    for ask in (plain.conf_int, plain.summary, lambda: plain.predict_conf_int(X)):
        with pytest.raises(ParameterError, match="intervals=True"):
            ask()


def test_intervals_hold_what_they_should() -> None:
    """Units, names, levels: an interval holds its estimate, and a wider one a narrower one."""
    rng = np.random.default_rng(7)
    X = rng.uniform([20, 0], [60, 1000], (4000, 2))
    odds = -2 + 0.05 * X[:, 0] + 0.002 * (X[:, 1] - 500)
    y = np.where(rng.uniform(size=4000) < 1 / (1 + np.exp(-odds)), "yes", "no")
    with simulate(8):
        model = PrivateLogisticRegression(
            2, bounds=[(20, 60), (0, 1000)], classes=["no", "yes"], intervals=True
        ).fit(X, y)
    narrow, wide = model.conf_int(0.5), model.conf_int(0.95)
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    assert (wide[:, 0] < [0.05, 0.002]).all()
    assert (wide[:, 1] > [0.05, 0.002]).all()
    assert model.conf_int(intercept=True).shape == (3, 2)
    low, high = model.predict_conf_int(X[:50]).T
    chance = model.predict_proba(X[:50])[:, 1]
    assert ((low >= 0) & (low < chance) & (chance < high) & (high <= 1)).all()
    table = model.summary()
    assert "const" in table
    assert "x2" in table
    assert f"{wide[0, 0]:.4g}" in table
