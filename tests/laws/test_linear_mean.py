"""A linear fit of very few rows: the mean of its target, by enumeration, its price, and its use."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise import PureDP, audit
from leastnoise.estimators import PrivateLinearRegression, linear_mean
from leastnoise.estimators.linear_mean import fewest, law_of_sum
from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.testing import simulate

RELATIONS = ("replace-one", "add-remove", "edit")
ONE = (Fraction(0), Fraction(1))


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_sum_of_targets_costs_what_it_says(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear_mean, "BITS", 1)  # a lattice of halves

    def lost(claim: Fraction) -> Any:
        return audit.exact_law(
            lambda data: law_of_sum(np.array(data, dtype=np.float64) / 2, Fraction(1), relation),
            universe=(-2, -1, 0, 2), n=2, relation=relation, claim=PureDP(claim),
        )  # fmt: skip

    found = lost(Fraction(1))
    assert found.passed
    assert found.lo > Fraction(99, 100)
    assert not lost(Fraction(98, 100)).passed


@pytest.mark.parametrize("missing", ["none", "drop"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_mean_draws_what_it_was_charged(
    relation: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise is drawn at the rates that the record says, which add up to epsilon."""
    rates, centres = list[Fraction](), dict[bool, int]()

    def seen(total: int, rate: Fraction, step: Fraction) -> DiscreteLaplaceLaw:
        moves = 2 if step < 1 and relation != "add-remove" else 1
        rates.append(rate / step * moves)
        centres[step < 1] = total
        return DiscreteLaplaceLaw(total, rate, step)

    monkeypatch.setattr(linear_mean, "DiscreteLaplaceLaw", seen)
    X, y = table(60)
    y[:5] = np.nan
    X[3:9, 1] = np.nan
    with simulate("price"):
        model = PrivateLinearRegression(relation=relation, missing=missing).fit(X, y)
    assert (model.coef_ == 0).all()
    assert np.isfinite(model.intercept_)
    assert model.feature_limits_.tolist() == [[-1, 1]] * 3  # were not looked for
    parts = {name: Fraction(part) for name, part in model.release_.parts.items()}
    assert sum(parts.values()) == 1
    spent = [parts.pop(name) for name in ("row count", "limits of the target") if name in parts]
    assert len(spent) == 1 + (relation != "replace-one")
    assert sorted(rates) == sorted(parts.values())
    private = relation != "replace-one" or missing == "drop"
    assert ("rows that count" in parts) == private
    # a row that is left out has neither a target nor a place in the count
    counts = ~np.isnan(np.column_stack([X, y]) if missing == "drop" else np.zeros((60, 1)))
    assert centres.get(False) == (counts.all(axis=1).sum() if private else None)
    made = model.release_
    assert made.profile_relation == ("edit" if private and relation == "replace-one" else relation)
    assert (made.relation, made.n_public) == (relation, not private)


def table(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    return X, 50 + X @ [1, 2, 3] + rng.normal(size=n)


def test_slopes_need_rows_for_every_column_that_is_searched() -> None:
    assert fewest([ONE], ONE) < fewest([None], ONE) < fewest([None], None)
    assert fewest([None], None) < fewest([None] * 2, None)
    most = fewest([None] * 3, None)
    for epsilon, few in ((1, True), (10, False)):
        X, y = table(int(most) - 50)
        with simulate("rule"):
            model = PrivateLinearRegression(epsilon).fit(X, y)
            told = PrivateLinearRegression(epsilon, mechanism="objective").fit(X, y)
        assert (model.coef_ == 0).all() == few
        assert told.coef_.any()


@pytest.mark.parametrize("target", ["normal", "pays", "flags", "whole flags", "tiny", "constant"])
def test_few_rows_predict_about_the_mean(target: str) -> None:
    """As near as a tenth of the deviation, or what a flag leaves; 200 rows, epsilon 1."""
    rng = np.random.default_rng(6)
    y: Any = {
        "normal": rng.normal(size=200),
        "pays": rng.normal(40_000, 9_000, 200),
        "flags": (rng.random(200) < 0.4).astype(float),
        "whole flags": (rng.random(200) < 0.4).astype(int),
        "tiny": rng.normal(1e-5, 1e-6, 200),
        "constant": np.full(200, 42),
    }[target]
    missed: list[float] = []
    for seed in range(5):
        with simulate(str(seed)):
            model = PrivateLinearRegression().fit(rng.normal(size=(200, 8)), y)
        missed.append(float(abs(model.predict(np.zeros((1, 8)))[0] - y.mean())))
    assert np.median(missed) < max(0.2 * y.std(), 0.5 if target == "constant" else 0)


def test_intervals_of_a_mean_say_that_slopes_are_unknown() -> None:
    X, y = table(60)
    with simulate("wide"):
        model = PrivateLinearRegression().fit(X, y)
    for ends in (model.conf_int(intercept=True), model.predict_conf_int(X[:2])):
        assert np.isfinite(ends).all()
        assert (ends[:, 1] - ends[:, 0] > 1e9).all()
    assert "x3" in model.summary()
