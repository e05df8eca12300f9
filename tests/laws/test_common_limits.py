"""One pair of limits for many columns: its law by enumeration, its price, and where it fits."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from leastnoise import PureDP, audit
from leastnoise.audit.scripted import Dataset, ScriptedColumns, clamped_masses
from leastnoise.estimators import PrivateLinearRegression, PrivateLogisticRegression
from leastnoise.randomness import HashedBits
from leastnoise.session.search import columns, common
from leastnoise.session.search.columns import ANYWHERE, Columns, SearchedColumn
from leastnoise.session.search.common import CELLS, CommonSearch, crowded, pays
from leastnoise.session.search.draws import Draws, Limits
from leastnoise.testing import simulate

EPSILON = Fraction(1)
RELATIONS = ("replace-one", "add-remove", "edit")
ONE = (Fraction(0), Fraction(1))


def together(data: Dataset, relation: str) -> audit.Probabilities:
    """The pair of two columns, and a noisy number with what the search left."""
    wanted = Columns((SearchedColumn("x", None, 3.4), SearchedColumn("y", None, 3.4)))
    rows = np.array(data, dtype=np.float64).reshape(len(data), 2)
    found: dict[Hashable, tuple[Fraction, Fraction]] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = ScriptedColumns(waiting.pop())
        limits = wanted.search([*rows.T], len(rows), EPSILON, relation, draws)
        waiting += draws.others
        left = EPSILON - limits.cost
        many = int((rows[:, 0] == 2).sum())
        for answer, (a, b) in clamped_masses(many, left, 0, 1).items():
            found[draws.script, answer] = draws.mass[0] * a, draws.mass[1] * b
    return audit.Probabilities(found)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two columns are many, a radius has two candidates, and columns are not searched alone."""

    class Unsearched:
        def __init__(self, *_: object) -> None: ...

        def run(self) -> Limits:
            return Limits(*ONE, True, {})

    def two(first: int, *more: int) -> Any:
        return np.array([first, more[-1] - 1])

    monkeypatch.setattr(common, "COLUMNS", 2)
    monkeypatch.setattr(common, "RECORDS", 0)
    monkeypatch.setattr(columns, "PRICE", Fraction(3, 5))
    monkeypatch.setattr(common, "_WALKED", 100)
    monkeypatch.setattr(common, "outer_keys", two)
    monkeypatch.setattr(columns, "ANYWHERE", (Fraction(-30), Fraction(30)))
    monkeypatch.setattr(columns, "ColumnSearch", Unsearched)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("relation", RELATIONS)
def test_one_pair_and_what_follows_cost_what_they_say(relation: str) -> None:
    found = audit.exact_law(
        lambda data: together(data, relation),
        universe=((0, 0), (2, 2), (None, 2)), n=1, relation=relation,
        claim=PureDP(EPSILON),
    )  # fmt: skip
    assert found.passed
    assert found.lo > EPSILON * 2 / 5


def test_a_record_moves_the_crowd_by_no_more_than_is_paid_for() -> None:
    entries = [np.nan, -7.0, 0.0, 0.01, 0.25, 0.5, 0.52, 1.0, 9.0]
    for centre, others in product((0.0, 0.5), product(entries, repeat=2)):
        found = [crowded(np.array([x, *others]), centre, ONE) for x in entries]
        assert max(found) - min(found) <= CELLS
        without = crowded(np.array(others), centre, ONE)
        assert all(abs(x - without) < CELLS for x in found)


def test_the_pair_is_looked_for_by_public_numbers() -> None:
    assert pays(20, Fraction(10_000))
    assert not pays(19, Fraction(10_000))
    assert not pays(20, Fraction(9_999))
    assert not pays(20, Fraction(20_000))  # each column can pay for its own


def tables() -> dict[str, Any]:
    """Thirty columns, and whether one pair of limits fits them all."""
    rng = np.random.default_rng(1)
    normal = rng.normal(size=(12_000, 30))
    year = normal.copy()
    year[:, 3] = 2005 + 10 * year[:, 3]
    small, constant, missing = normal.copy(), normal.copy(), normal.copy()
    small[:, 3] /= 1000
    constant[:, 3] = 0
    missing[rng.random(missing.shape) < 0.1] = np.nan
    flags = rng.random((12_000, 30)) < 0.3
    return {
        "normal": (normal, True),
        "units": (normal * 1e-6, True),
        "flags": (flags, True),
        "mostly 0": (np.abs(normal) * flags, True),
        "years": (2000 + np.floor(24 * rng.random((12_000, 30))), True),
        "constant": (constant, True),
        "missing": (missing, True),
        "a year": (year, False),
        "a small one": (small, False),
    }


@pytest.mark.parametrize("kind", [*tables()])
def test_columns_of_one_unit_have_one_pair_near_their_extremes(kind: str) -> None:
    given, alike = tables()[kind]
    X = given.astype(np.float64)
    draws = Draws(HashedBits(b"common"))
    search = CommonSearch([*X.T], ANYWHERE, "edit", Fraction(common.PRICE, len(X)), len(X), draws)
    pair = search.run()
    assert search.cost == search.epsilon
    if not alike:
        assert pair is None
        return
    assert pair is not None
    low, high = map(float, pair)
    within = (low <= X) | np.isnan(X)
    assert (within & ((high >= X) | np.isnan(X))).mean() > 0.98
    assert high - low < 2 * (np.nanmax(X) - np.nanmin(X))


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_fit_of_many_columns_shares_what_it_has(relation: str) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12_000, 20))
    y = X @ np.linspace(-1, 1, 20) + rng.normal(size=12_000)
    with simulate(3):
        linear = PrivateLinearRegression(relation=relation).fit(X, y)
        logistic = PrivateLogisticRegression(relation=relation, classes=[0, 1]).fit(X, y > 0)
    for model in (linear, logistic):
        parts = {name: Fraction(part) for name, part in model.release_.parts.items()}
        assert "limits of all features" in parts
        assert "limits of feature 0" not in parts
        assert sum(parts.values()) == 1
        assert len({*map(tuple, model.feature_limits_.tolist())}) == 1
    assert "limits of the target" in linear.release_.parts
    assert linear.score(X, y) > 0.8
    assert logistic.score(X, y > 0) > 0.8


def test_no_table_raises() -> None:
    with np.errstate(all="raise"):
        for rows, entry in product((0, 1, 3), (np.nan, np.inf, -np.inf, 1e308, 5e-324, 0.0)):
            given = [np.full(rows, entry)] * 2, ANYWHERE, "edit", EPSILON, 10_000
            pair = CommonSearch(*given, Draws(HashedBits(b"any"))).run()
            assert pair is None or all(a < b for a, b in pairwise(pair))
