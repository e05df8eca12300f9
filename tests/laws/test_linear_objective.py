"""Linear regression by objective perturbation: its loss, its records, its shares, its law."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import cosh, sinh
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from leastnoise.errors import ParameterError
from leastnoise.estimators import (
    PrivateLinearRegression,
    information,
    linear_objective,
    residuals,
)
from leastnoise.estimators.linear_objective import (
    FEWEST_FEATURES,
    INFORMATION,
    ObjectiveFit,
    Records,
    records_of,
    rounds_of,
)
from leastnoise.estimators.matrix import open_matrix
from leastnoise.estimators.objective import Perturbation
from leastnoise.estimators.perturbation import HUBER_SHIFT, SMOOTH_HUBER, price
from leastnoise.estimators.private import promise
from leastnoise.estimators.residuals import ENOUGH
from leastnoise.estimators.sigmoid import sigmoid
from leastnoise.session.search.limits import Draws
from leastnoise.testing import simulate
from support.noise import Fixed

RELATIONS = ("replace-one", "add-remove", "edit")


# The loss


def test_the_loss_bends_no_more_than_is_priced() -> None:
    """(1 + k cosh t) / (cosh t + k)^2 <= (1 - c) (flat + slope c), c the slope, by intervals."""
    ctx.prec = 200
    k = arb(HUBER_SHIFT).cosh()
    assert k > 2
    flat, slope = (
        arb(x.numerator) / x.denominator for x in (SMOOTH_HUBER.flat, SMOOTH_HUBER.slope)
    )
    least = arb(1)
    for t in np.concatenate([np.linspace(2.0**-20, 12, 1500), np.linspace(13, 60, 48)]).tolist():
        c, s = arb(t).cosh(), arb(t).sinh()
        bend, steep = (1 + k * c) / (c + k) ** 2, s / (c + k)
        room = (1 - steep) * (flat + slope * steep) - bend
        assert room > 0
        least = min(least, room / bend)
    assert 1 / (1 + k) < flat  # at 0, where it bends most
    assert least < 2.0**-10  # and it is no looser than it need be


def test_the_loss_of_a_record_is_that_of_two_of_the_engine() -> None:
    t = np.linspace(-30, 30, 601)
    above, below = sigmoid(t + HUBER_SHIFT), sigmoid(t - HUBER_SHIFT)
    k = cosh(HUBER_SHIFT)
    exact = [sinh(x) / (cosh(x) + k) for x in t.tolist()]
    assert np.allclose(above + below - 1, exact, atol=1e-14)
    bends = [(1 + k * cosh(x)) / (cosh(x) + k) ** 2 for x in t.tolist()]
    assert np.allclose(above * (1 - above) + below * (1 - below), bends, atol=1e-14)
    assert max(bends) <= linear_objective._STEEPEST


# Records


def request(columns: int, relation: str = "replace-one", **options: Any) -> ObjectiveFit:
    """The checked parameters of a fit."""
    model = PrivateLinearRegression(2, mechanism="objective", relation=relation, **options)
    asked = promise(2, relation, None, None)
    fit = model._request(open_matrix(np.zeros((0, columns)), None), asked)
    assert isinstance(fit, ObjectiveFit)
    return fit


WILD = (0.0, 0.5, -1.0, 1.5, -2.0, 3.0, 1e300, -np.inf, np.nan)


@pytest.mark.parametrize("missing", ["none", "drop"])
@pytest.mark.parametrize("intercept", [True, False])
def test_every_record_is_within_reach(intercept: bool, missing: str) -> None:
    """Beyond limits that were found rows are shrunk as a whole, and lie on the line as before."""
    fit = request(2, fit_intercept=intercept, missing=missing)
    rows = np.array([*product(WILD, WILD)])
    y = np.arange(len(rows), dtype=float) - 40
    y[5] = np.nan
    for reach in (np.array([2.0, 2.0, 2.0**60]), np.ones(3), np.array([2.0, 1.0, 1.0])):
        found = records_of(fit.columns, rows, y, reach)
        assert (np.abs(found.shrunk) <= 1).all()
        assert (found.shrunk * 2**20 % 1 == 0).all()
        assert (np.square(found.shrunk).sum(axis=1) <= fit.length).all()
        assert max(map(fit.ball.norm, found.shrunk.tolist())) <= 1
        dropped = np.isnan(rows).any(axis=1) | np.isnan(y) if missing == "drop" else False
        assert (found.counts == ~np.broadcast_to(dropped, len(y))).all()
        assert not found.shrunk[~found.counts].any()
        whole = np.column_stack([np.ones(len(y)), found.features])[:, 1 - intercept :]
        kept = found.counts
        assert np.allclose((found.shrunk * found.sizes[:, None])[kept], whole[kept], atol=2.0**-18)
        line = np.arange(1.0, whole.shape[1] + 1)
        missed = found.missed(line, intercept=intercept)
        assert np.allclose(missed * found.sizes, found.target - whole @ line, rtol=1e-12)
        for j, row in enumerate(rows):  # no other record decides
            one = records_of(fit.columns, row[None], y[j : j + 1], reach)
            assert (one.shrunk[0] == found.shrunk[j]).all()
            assert one.missed(line, intercept=intercept)[0] == missed[j]


def test_indicators_of_a_group_are_one_at_most() -> None:
    options: dict[str, Any] = {"bounds": [(0, 1), (0, 1), None], "exclusive": [[1, 0]]}
    fit = request(3, **options)
    rows = np.array([*product((0.0, 0.4, 1.0, 9.0, np.nan), repeat=3)])
    found = records_of(fit.columns, rows, np.zeros(len(rows)), np.array([1, 1, 2, 2.0**60]))
    assert fit.length == 3  # the intercept, the group and the number
    assert np.square(found.shrunk).sum(axis=1).max() <= 3
    assert max(map(fit.ball.norm, found.shrunk.tolist())) <= 1
    assert (
        fit.steps(Fraction(2)).price.ridge
        == price(Fraction(2), Fraction(19, 20), 3, SMOOTH_HUBER, relation="replace-one").ridge
    )


# What is drawn


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [ENOUGH // 8, ENOUGH * 8], ids=["few", "many"])
@pytest.mark.parametrize("intervals", [True, False])
@pytest.mark.parametrize("target", [None, (-400, 400)], ids=["found", "declared"])
def test_a_fit_draws_what_it_was_charged(
    relation: str, rows: int, intervals: bool, target: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    epsilon, drawn = Fraction(3, 2), dict[str, list[Fraction]]()
    fit, costs, noisy, squares = (
        Perturbation.draw, residuals.half_costs, information.noisy, linear_objective.squares_of
    )  # fmt: skip
    median = Draws.median

    def spent(name: str, rate: Fraction) -> None:
        drawn.setdefault(name, []).append(rate)

    def fitted(self: Perturbation, *data: Any, **more: Any) -> Any:
        spent("coefficients", self.epsilon)
        assert not self.corrected  # a curvature would count every record twice
        return fit(self, *data, **more)

    def scaled(beyond: Any, inside: Any, price: Fraction, times: int) -> Any:
        spent("scale", price)
        return costs(beyond, inside, price, times)

    def moments(values: Any, cone: Any, rate: Fraction, source: Any) -> Any:
        spent("information", rate * information.COPIES / (2 if relation == "add-remove" else 1))
        return noisy(values, cone, rate, source)

    def squared(*data: Any) -> Any:
        spent("residuals", squares(*data).rate * 2**20)
        return squares(*data)

    def middle(self: Draws, numbers: Any, price: Fraction, entries: str) -> Any:
        spent("centre", price)
        assert entries == ("add-remove" if relation == "add-remove" else "edit")
        return median(self, numbers, price, entries)

    monkeypatch.setattr(Perturbation, "draw", fitted)
    monkeypatch.setattr(residuals, "half_costs", scaled)
    monkeypatch.setattr(information, "noisy", moments)
    monkeypatch.setattr(linear_objective, "squares_of", squared)
    monkeypatch.setattr(Draws, "median", middle)
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (rows, 3))
    with simulate(1):
        model = PrivateLinearRegression(
            epsilon, bounds=(-1, 1), target_bounds=target, intervals=intervals, relation=relation
        ).fit(X, X @ [1.0, 2.0, 3.0] + rng.normal(size=rows))
    parts = {name: Fraction(part) for name, part in model.release_.parts.items()}
    assert sum(parts.values()) == epsilon
    many = rows > ENOUGH
    limits = sum(v for k, v in parts.items() if k.startswith("limits") or k == "row count")
    if target is None and "centre" in drawn:
        drawn["centre"].pop(0)  # of the search for the target's limits
    assert sum(map(sum, drawn.values())) == epsilon - limits
    assert len(drawn["coefficients"]) == 1 + many
    assert len(drawn.get("scale", [])) == 2 * many
    assert ("centre" in parts) == (many and target is not None)
    if intervals:
        assert drawn["information"] == [parts["information"]] == [INFORMATION * (epsilon - limits)]
        assert drawn["residuals"] == [parts["residuals"]]
    assert model.release_.profile_relation == relation


def test_rounds_take_all_that_they_are_given() -> None:
    for records in (0, ENOUGH - 1, ENOUGH, 10**5, 10**9):
        for width in (1, 4, 60):
            found = rounds_of(Fraction(7, 3), records, width)
            assert sum(one.scale + one.fit for one in found) == Fraction(7, 3)
            assert min(one.fit for one in found) > 0
            assert len(found) == 1 + (records >= max(ENOUGH, 40 * width**2))


def test_the_minimiser_is_that_of_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient of the objective, from its definition, vanishes where the fit says so."""
    rng = np.random.default_rng(3)
    fit = request(2, bounds=(-1, 1), target_bounds=(-4, 4))
    X = rng.uniform(-1, 1, (400, 2))
    y = X @ [1.0, -2.0] + 0.5 + rng.normal(size=400)
    rows = records_of(fit.columns, X, y, np.ones(3))
    noise = [Fraction(3), Fraction(-2), Fraction(1, 2)]
    steps = fit.steps(Fraction(1))
    monkeypatch.setattr(type(steps.ball), "noise", lambda *_: Fixed(*noise))
    start = np.array([0.1, 0.2, 0.0])
    with simulate(1):
        found = fit.minimised(rows, start, linear_objective.Round(Fraction(0), Fraction(1), 1.0))
    t = (rows.shrunk @ found.coefficients - rows.target) / found.width
    slopes = np.sinh(t) / (np.cosh(t) + cosh(HUBER_SHIFT))
    gradient = rows.shrunk.T @ slopes + float(max(steps.ridge)) * found.minimiser
    assert np.allclose(gradient, [-float(v) for v in noise], atol=1e-4)


def test_draws_follow_the_law_of_the_noise() -> None:
    """Kolmogorov-Smirnov distance of 300 fits of one coefficient from their exact law."""
    X, y = np.array([[1.0], [0.5], [-0.25], [-1.0]]), np.array([1.0, -0.5, 4.0, 0.25])
    model = PrivateLinearRegression(
        1, bounds=(-1, 1), target_bounds=(-3, 3), fit_intercept=False, mechanism="objective",
        intervals=False,
    )  # fmt: skip
    with simulate(11):
        found = np.sort([model.fit(X, y).coef_[0] for _ in range(300)])
    made = price(Fraction(1), Fraction(19, 20), 1, SMOOTH_HUBER, relation="replace-one")
    # of one feature and four rows the ridge is the mean square of the noise, 2 / rate^2
    noise = -max(float(made.ridge), round(2 / made.rate**2)) * found
    for x, target in zip(X[:, 0], np.clip(y, -3, 3), strict=True):
        t = found * x - target  # the first width is a third of the limits' half
        noise -= (sigmoid(t + HUBER_SHIFT) + sigmoid(t - HUBER_SHIFT) - 1) * x
    rate = float(made.rate)
    cdf = np.where(noise < 0, 1 - np.exp(noise * rate) / 2, np.exp(-noise * rate) / 2)
    steps = np.arange(301) / 300
    distance = max(abs(cdf - steps[1:]).max(), abs(cdf - steps[:-1]).max())
    assert distance < 1.95 / 300**0.5  # one in a thousand


def test_what_intervals_are_made_of_is_what_was_released() -> None:
    """With an epsilon that hides nothing the matrix is that of the records, shrunk or not."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 3))
    y = X @ [1.0, 0.0, -1.0] + rng.standard_t(3, 3000)
    for bounds in (None, (-5, 5)):
        with simulate(3):
            model = PrivateLinearRegression(10**7, bounds=bounds).fit(X, y)
        behind: Any = model._behind
        design, target = model._scales
        wide = design.reaching(X, "none", np.full(3, 2.0 if bounds is None else 1.0))
        sizes = np.maximum(1, np.abs(wide).max(axis=1))
        u = np.column_stack([np.ones(len(X)), wide]) / sizes[:, None]
        middle, half = float(target.middles[0]), float(target.halves[0])
        left = ((y - middle) / half - behind.start[0] - wide @ behind.start[1:]) / sizes
        t = u @ behind.minimiser - left / behind.width
        k = np.cosh(np.clip(t, -40, 40))
        bends, slopes = (1 + 2 * k) / (k + 2) ** 2, np.sinh(np.clip(t, -40, 40)) / (k + 2)
        if bounds is None:
            u = np.column_stack([np.ones(len(X)), u])
        assert np.allclose(behind.matrix, (u.T * bends) @ u, atol=3)
        assert behind.squares == pytest.approx(float(np.square(slopes).sum()), rel=0.01)


# Use


def table(n: int, p: int, seed: int = 1, error: float = 0.3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 15 + 45
    slopes = rng.normal(size=p)
    return X, 7 + X @ slopes + error * 15 * rng.normal(size=n), slopes


def test_features_decide_by_their_number() -> None:
    told: dict[str, Any] = {"bounds": (0, 90), "target_bounds": (-400, 400)}
    for p in (FEWEST_FEATURES - 1, FEWEST_FEATURES):
        X, y, _ = table(200, p)
        for options in ({}, {"ball": "cone"}, {"ridge": "pinv"}, {"mechanism": "moments"}):
            with simulate("rule"):
                model = PrivateLinearRegression(1, **told, **options).fit(X, y)
            ours = p == FEWEST_FEATURES and not options
            assert ("Objective" in model.release_.mechanism) == ours
            assert (model.moments_ is None) == ours
    for wrong in ({"ball": "cone"}, {"ridge": 3}):
        with pytest.raises(ParameterError, match="objective"):
            PrivateLinearRegression(mechanism="objective", **wrong).fit(X, y)


def test_objective_perturbation_is_nearer_with_several_features() -> None:
    misses: dict[str, list[float]] = {"residuals": [], "objective": []}
    for seed in range(8):
        X, y, slopes = table(6000, 8, seed)
        for mechanism, found in misses.items():
            with simulate(seed):
                model = PrivateLinearRegression(
                    1, bounds=(0, 90), target_bounds=(-800, 800), mechanism=mechanism
                ).fit(X, y)
            found.append(float(np.linalg.norm(model.coef_ - slopes)))
    assert np.median(misses["objective"]) < np.median(misses["residuals"]) / 2


def test_bounds_far_from_the_data_cost_little() -> None:
    """A target in a corner of its bounds: the centre that is released finds it."""
    X, y, slopes = table(8000, 4)
    misses = []
    for top in (800, 80_000):
        with simulate("corner"):
            model = PrivateLinearRegression(1, bounds=(0, 90), target_bounds=(-800, top)).fit(X, y)
        misses.append(float(np.linalg.norm(model.coef_ - slopes)))
    assert misses[1] < 2 * misses[0] + 0.1


def test_records_show_no_rows() -> None:
    shown = repr(Records(*(np.zeros((1, 1)),) * 4, np.ones(1, dtype=np.bool_)))
    assert shown == "Records(NOT PRIVATE)"
