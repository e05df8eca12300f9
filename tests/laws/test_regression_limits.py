"""Limits of the columns of a model: their joint law by enumeration, their price, and their use."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise import PrivateBounds, PrivateLimits, PureDP, audit
from leastnoise.audit.scripted import Dataset, ScriptedColumns, columns_search, sorted_numbers
from leastnoise.estimators import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
    PrivateRobustRegression,
    linear_moments,
    residuals,
    robust,
)
from leastnoise.estimators.objective import Perturbation
from leastnoise.frames.memory.numbers import SortedNumbers
from leastnoise.mechanisms.private_limits import (
    COST_RATE,
    column_shares,
    columns_share,
    step_costs,
)
from leastnoise.session.search import columns, intervals
from leastnoise.session.search.bounds_search import quantile_law
from leastnoise.session.search.columns import ColumnSearch
from leastnoise.session.search.draws import Draws
from leastnoise.session.search.intervals import crowded_interval
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Listed
from leastnoise.testing import simulate

EPSILON = Fraction(1)
RELATIONS = ("replace-one", "add-remove", "edit")
PAIRS = ((0, 0), (2, 2), (None, 2))


@pytest.mark.parametrize("few", [0, columns.FEW])
@pytest.mark.parametrize("relation", RELATIONS)
def test_limits_of_two_columns_and_a_moment_together(relation: str, few: int) -> None:
    found = audit.exact_law(
        lambda data: columns_search(data, relation, EPSILON, few),
        universe=PAIRS, n=1, relation=relation, claim=PureDP(EPSILON),
    )  # fmt: skip
    assert found.passed
    assert found.lo > EPSILON * (3 if few else 7) / 10  # much of epsilon is lost somewhere


def sides(
    data: Dataset,
    relation: str,
    few: int = 0,
    *,
    rows: int = 2,
    epsilon: Fraction = EPSILON,
    shown: bool = False,
) -> audit.Probabilities:
    """The limits of one column on both sides, in bounds that are too wide to be kept."""
    found: dict[Hashable, tuple[Fraction, Fraction]] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = ScriptedColumns(waiting.pop())
        declared = (Fraction(-30), Fraction(30))
        numbers = sorted_numbers(data)
        given = numbers, declared, relation, epsilon, rows, draws, 2.0
        limits = ColumnSearch(*given, few=few, shown=shown).run()
        waiting += draws.others
        assert limits.cost <= epsilon
        place = draws.script, limits.low, limits.high, limits.cost
        found[place] = draws.mass
    return audit.Probabilities(found)


def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three radii to walk through and to choose from."""

    def three(first: int, *more: int) -> Any:
        return np.array([first, first + 8, more[-1] - 1])

    monkeypatch.setattr(columns, "_WALKED", 40)
    monkeypatch.setattr(columns, "outer_keys", three)


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_limits_of_both_sides_cost_what_they_say(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch)
    found = audit.exact_law(
        lambda data: sides(data, relation),
        universe=(0, 1, 2), n=2, relation=relation, claim=PureDP(EPSILON),
    )  # fmt: skip
    assert found.passed
    assert found.lo > EPSILON * 2 / 5


@pytest.mark.parametrize(("relation", "shown"), [("add-remove", True), ("edit", False)])
def test_the_interval_of_few_records_costs_what_it_says(
    relation: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing may be found too, which costs the same whatever the records are."""

    def lost(claim: Fraction) -> Any:
        return audit.exact_law(
            lambda data: sides(data, relation, columns.FEW, epsilon=claim, shown=shown),
            universe=(0, 5, -20), n=3, relation=relation, claim=PureDP(claim),
        )  # fmt: skip

    found = lost(4 * EPSILON)
    assert found.passed
    assert found.lo > EPSILON / 5
    costs = intervals.interval_costs
    monkeypatch.setattr(intervals, "interval_costs", lambda *a: costs(*a[:3], 9 * a[3], a[4]))
    assert not lost(EPSILON).passed


@given(
    st.lists(st.floats(-20, 20) | st.integers(-20, 20), max_size=12),
    st.floats() | st.integers(-20, 20),
    st.floats() | st.integers(-20, 20),
)
def test_costs_of_intervals_move_by_half_of_epsilon(
    others: list[float], old: float, new: float
) -> None:
    def costs(*more: float) -> list[int]:
        draws = Recorded()
        numbers = SortedNumbers(np.sort(np.array([*others, *more], dtype=np.float64)))
        crowded_interval(numbers, 40, (0.0, 2.0**65), EPSILON, draws, shown=True)
        return draws.costs

    gone, before, after = costs(), *(costs(x) for x in (old, new))
    for one, other in ((gone, before), (before, after)):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) * COST_RATE <= EPSILON / 2


class Recorded(Draws):
    """Takes the cheapest candidate."""

    def __init__(self) -> None:
        self.costs: list[int] = []

    def cheapest(self, costs: list[int]) -> int:
        self.costs = costs
        return costs.index(min(costs))


@pytest.mark.parametrize(
    "numbers",
    [
        np.linspace(98.5, 101.5, 41),
        np.linspace(-3, 5, 41),
        np.linspace(1e6, 2e6, 41),
        -np.geomspace(0.001, 0.002, 41),
        np.linspace(-1e-9, 1e-9, 41),
    ],
    ids=str,
)
def test_the_cheapest_interval_holds_many_and_is_no_wider_than_they_are(numbers: Any) -> None:
    kept, far = SortedNumbers(np.sort(numbers)), (0.0, 2.0**65)
    found = crowded_interval(kept, len(kept), far, 10 * EPSILON, Recorded(), shown=True)
    assert found is not None
    inside = np.abs(numbers - float(found.middle)) <= float(found.half)
    assert 2 * inside.sum() > len(numbers)
    assert np.ptp(numbers) / 8 < found.half < np.ptp(numbers)


@pytest.mark.parametrize(("value", "records"), [(3e6, 40), (-7e-6, 40), (3e6, 5)])
def test_more_records_tell_more_digits_of_where_they_are(value: float, records: int) -> None:
    kept, far = SortedNumbers(np.full(records, value)), (0.0, 2.0**65)
    found = crowded_interval(kept, records, far, 2 * EPSILON, Recorded())
    assert found is not None
    assert abs(float(found.middle) - value) <= found.half
    assert found.half < abs(value) / (32 if records > 5 else 1)


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_the_scale_of_records_off_the_centre_costs_what_it_says(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many rows, of which few are off the centre; whether these are enough is drawn too."""
    monkeypatch.setattr(columns, "_WALKED", 40)
    monkeypatch.setattr(columns, "shows_scale", lambda scattered, price: scattered > 1)

    def lost(claim: Fraction) -> Any:
        return audit.exact_law(
            lambda data: sides(data, relation, rows=8, epsilon=claim),
            universe=(0, 1, 2, -20), n=2, relation=relation, claim=PureDP(claim),
        )  # fmt: skip

    found = lost(EPSILON)
    assert found.passed
    assert found.lo > EPSILON / 5
    costs = columns.step_costs
    monkeypatch.setattr(columns, "step_costs", lambda a, n, e: costs(a, n, 9 * e))
    assert not lost(EPSILON).passed


def test_step_costs_move_by_half_of_epsilon() -> None:
    """The least cost is where all are beyond one radius and none beyond the next, too."""
    for beyond in ([9, 9, 9, 0, 0], [9, 7, 5, 3, 1]):
        costs = step_costs(beyond, 9, EPSILON)
        moved = step_costs([b - (i > 1) for i, b in enumerate(beyond)], 9, EPSILON)
        assert costs.index(min(costs)) == 2
        assert all(abs(a - b) * COST_RATE <= EPSILON / 2 for a, b in zip(costs, moved, strict=True))


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_a_feature_that_is_mostly_one_number_is_not_narrowed_to_it(share: float) -> None:
    rng = np.random.default_rng(12)
    rare = 20.0 * (rng.random(20_000) < share)
    x = np.column_stack([rare, rng.normal(0, 1, 20_000)])
    y = rare + x[:, 1] + rng.normal(0, 1, 20_000)
    with simulate("rare"):
        model = PrivateLinearRegression(epsilon=1).fit(x, y)
    low, high = model.feature_limits_[0]
    assert high - low >= 1.9
    assert high < 200
    assert abs(model.coef_[0]) < 60  # a step of 20 may count as one of 1


def test_a_side_that_is_not_paid_for_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The price that a column says is all that was asked for."""
    asked: list[Fraction] = []
    split, costs = columns.inner_split, columns.radius_costs

    def walked(price: Fraction) -> tuple[Fraction, Fraction]:
        asked.append(price)
        assert sum(split(price)) == price
        return split(price)

    def chosen(beyond: list[int], tolls: list[float], price: Fraction) -> list[int]:
        asked.append(price)
        return costs(beyond, tolls, price)

    def median(self: Any, numbers: object, price: Fraction, relation: str) -> Fraction:
        asked.append(price)
        return Fraction(0)

    monkeypatch.setattr(columns, "inner_split", walked)
    monkeypatch.setattr(columns, "radius_costs", chosen)

    def counted(self: Any, rows: int, price: Fraction) -> int:
        asked.append(price)
        return rows

    monkeypatch.setattr(ScriptedColumns, "median", median)
    monkeypatch.setattr(ScriptedColumns, "rows", counted)
    numbers = sorted_numbers((0, 1, 2))
    declared = (Fraction(-64), Fraction(64))
    limits = ColumnSearch(numbers, declared, "edit", EPSILON, 3, ScriptedColumns(()), 1.0).run()
    assert len(asked) == 6  # how many are off 0, centre, how many are off it, radius, both sides
    assert sum(asked) == limits.cost == EPSILON


def test_an_entry_that_may_be_missing_needs_a_centre_under_edit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The cheaper profile of added and removed records does not do for a changed one."""
    lattice, half = Lattice(Fraction(1), 0, 50), Fraction(1, 2)

    def law_of(data: Dataset) -> Any:
        return quantile_law(Listed(sorted(data)), half, lattice, EPSILON, "add-remove")

    found = audit.exact_law(
        law_of, universe=(0, 20, 50), n=3, relation="edit", claim=PureDP(EPSILON)
    )
    assert found.lo > EPSILON
    used: list[str] = []
    median = ScriptedColumns.median

    def seen(self: Any, numbers: Any, price: Fraction, relation: str) -> Fraction:
        used.append(relation)
        return median(self, numbers, price, relation)

    monkeypatch.setattr(ScriptedColumns, "median", seen)
    for relation in RELATIONS:
        columns_search(((None, 2),), relation, EPSILON)
        assert set(used) == {"add-remove" if relation == "add-remove" else "edit"}
        used.clear()


@pytest.mark.parametrize("records", [1, 10, 130, 250, 1000, 10**6])
def test_shares_of_a_column_add_up(records: int) -> None:
    shares = column_shares(Fraction(records))
    assert shares.centre + 2 * shares.scattered + shares.radii == 1
    assert min(shares.centre, shares.inner, shares.outer) > 0
    for count in (1, 5, 30):
        assert 0 < columns_share(Fraction(records), count) <= Fraction(2, 5)


def table(n: int = 4000, missing: bool = False) -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(1e6, 10, n), rng.exponential(0.001, n)])
    y = 3 * (X[:, 0] - 1e6) + 2e4 * X[:, 1] + rng.normal(0, 5, n)
    if missing:
        X[::50, 0] = np.nan
        y[3::50] = np.nan
    return X, y


MODELS: dict[str, Any] = {
    "linear": PrivateLinearRegression,
    "moments": lambda e, **o: PrivateLinearRegression(e, mechanism="moments", **o),
    "several": lambda e, **o: PrivateRobustRegression(e, fit_intercept=True, alpha=5, **o),
    "logistic": lambda e, **o: PrivateLogisticRegression(e, classes=[0, 1], C=1e10, **o),
    "rest": lambda e, **o: PrivateLogisticRegression(e, classes=[0, 1, 2], C=1e10, **o),
}


def fitted(kind: str, epsilon: Any = 1, **options: Any) -> Any:
    X, y = table()
    target = (y > 20).astype(int) if kind in ("logistic", "rest") else y
    return MODELS[kind](epsilon, **options).fit(X, target)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind", MODELS)
def test_what_limits_leave_is_what_the_model_gets(
    kind: str, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise is drawn at the rate of the rest of epsilon, and the record says so."""
    rates: list[Fraction] = []
    noisy, made, squares = linear_moments.noisy, Perturbation.draw, linear_moments.squares_of
    costs = residuals.half_costs

    def moments(values: Any, ball: Any, rate: Fraction, source: Any) -> Any:
        rates.append(rate / 2 if relation == "add-remove" else rate)  # the cone's
        return noisy(values, ball, rate, source)

    def slopes(values: Any, ball: Any, rate: Fraction, source: Any) -> Any:
        rates.append(rate)
        return noisy(values, ball, rate, source)

    def radius(beyond: Any, inside: Any, price: Fraction, times: int) -> Any:
        rates.append(price)
        return costs(beyond, inside, price, times)

    def perturbed(self: Perturbation, *data: Any, **more: Any) -> Any:
        rates.append(self.epsilon)
        return made(self, *data, **more)

    def left(*data: Any, **more: Any) -> Any:
        rates.append(squares(*data, **more).rate * 2**20)
        return squares(*data, **more)

    monkeypatch.setattr(linear_moments, "noisy", moments)
    monkeypatch.setattr(linear_moments, "squares_of", left)
    monkeypatch.setattr(residuals, "noisy", slopes)
    monkeypatch.setattr(residuals, "half_costs", radius)
    monkeypatch.setattr(Perturbation, "draw", perturbed)
    more: dict[str, Any] = {"ball": "cone"} if kind in ("linear", "moments") else {}
    with simulate("rates"):
        model = fitted(kind, relation=relation, **more)
    parts = {name: Fraction(part) for name, part in model.release_.parts.items()}
    assert sum(parts.values()) == EPSILON
    spent = {k: v for k, v in parts.items() if k.startswith("limits of") or k == "row count"}
    assert ("row count" in spent) == (relation != "replace-one")
    assert len(spent) - ("row count" in spent) == (3 if more else 2)
    assert sum(spent.values()) + sum(rates) == EPSILON
    assert len(rates) == {"rest": 3, "linear": 4, "moments": 2}.get(kind, 1)


@pytest.mark.parametrize("missing", ["none", "drop"])
def test_columns_are_scaled_by_released_limits_alone(missing: str) -> None:
    """With an epsilon that hides nothing the moments are those of the released limits."""
    X, y = table(missing=True)
    with simulate("scaled"):
        model = PrivateLinearRegression(
            10**9, missing=missing, ball="cone", mechanism="moments"
        ).fit(X, y)
    ends = np.vstack([model.feature_limits_, model.target_limits_])
    half, middle = (ends[:, 1] - ends[:, 0]) / 2, ends.mean(axis=1)
    rows = np.column_stack([X, y])
    kept = rows[~np.isnan(rows).any(axis=1)] if missing == "drop" else rows
    kept = np.where(np.isnan(kept), middle, kept)
    z = np.clip((kept - middle) / half, -1, 1)
    z = np.column_stack([np.ones(len(z)), z])
    expected = z.T @ z
    assert np.allclose(model.moments_[:, :-1], expected[:, :-1], atol=0.05)
    assert np.isfinite(model.coef_).all()


def test_exact_rows_steer_nothing_where_they_are_private() -> None:
    seen: dict[str, set[str]] = {}
    for relation in ("replace-one", "add-remove"):
        for seed in range(6):
            with simulate(str(seed)):
                model = fitted("several", relation=relation)
            parts = model.release_.parts
            seen.setdefault(relation, set()).add(parts["limits of feature 0"])
    assert len(seen["replace-one"]) == 1
    assert len(seen["add-remove"]) > 1


def test_one_robust_coefficient_gets_what_limits_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 4, (2000, 1))
    y = 2.5 * x[:, 0] + rng.standard_cauchy(2000)
    drawn: list[Fraction] = []
    law = robust.PiecewiseLaplace.law

    def seen(self: Any, profile: Any, epsilon: Any) -> Any:
        drawn.append(Fraction(epsilon))
        return law(self, profile, epsilon)

    monkeypatch.setattr(robust.PiecewiseLaplace, "law", seen)
    with simulate("one"):
        model = PrivateRobustRegression(coef_bounds=(-100, 100)).fit(x, y)
    parts = model.release_.parts
    assert drawn[-1] == Fraction(parts["coefficient"])
    assert sum(map(Fraction, parts.values())) == EPSILON
    assert abs(model.coef_[0] - 2.5) < 0.5


@pytest.mark.parametrize(("scale", "rows"), [(1e-9, 4000), (1e12, 4000), (1, 200)])
def test_a_robust_fit_finds_its_width(
    scale: float, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By limits of the target; with few rows there is an intercept alone, at what these leave."""
    left: list[Fraction] = []
    made = Perturbation.draw

    def drawn(self: Perturbation, *data: Any, **more: Any) -> Any:
        left.append(self.epsilon)
        return made(self, *data, **more)

    monkeypatch.setattr(Perturbation, "draw", drawn)
    X, y = table(rows)
    y[::50] = 1e290  # wild targets
    with simulate("width"):
        model = PrivateRobustRegression(fit_intercept=True).fit(X * scale, 1000 * scale + y * scale)
    few, parts = rows < 1000, {k: Fraction(v) for k, v in model.release_.parts.items()}
    names = [name for name in parts if name.startswith("limits of")]
    assert len(names) == (1 if few else 3)
    assert sum(parts.values()) == EPSILON
    assert left == [EPSILON - sum(parts[name] for name in names)]
    assert (model.coef_[0] == 0) if few else abs(model.coef_[0] - 3) < 0.5
    middle = model.predict(np.array([[1e6, 0.001]]) * scale)[0] / scale
    assert abs(middle - 1020) < 15


def test_declared_bounds_are_searched_only_where_that_is_asked_for() -> None:
    X, y = table()
    loose: dict[str, Any] = {"bounds": [(0, 1e9), (0, 10)], "target_bounds": (-1e6, 1e6)}
    with simulate("loose"):
        plain = PrivateLinearRegression(**loose).fit(X, y)
        found = PrivateLinearRegression(limits=PrivateLimits(), **loose).fit(X, y)
        few = PrivateLinearRegression(limits=PrivateLimits(fewest=10**6), **loose).fit(X, y)
    for kept in (plain, few):
        assert kept.feature_limits_.tolist() == [[0, 1e9], [0, 10]]
        assert not any("limits" in name for name in kept.release_.parts)
    assert np.ptp(found.feature_limits_, axis=1)[0] < 1000
    assert abs(found.coef_[0] - 3) < 0.5
    tight: dict[str, Any] = {
        "bounds": [(999_960, 1_000_040), (0, 0.01)],
        "target_bounds": (-150, 250),
    }
    with simulate("tight"):
        model = PrivateLinearRegression(limits=PrivateLimits(), **tight).fit(X, y)
    assert model.feature_limits_[0].tolist() == [999_960, 1_000_040]


@pytest.mark.parametrize("kind", MODELS)
def test_some_columns_may_be_declared(kind: str) -> None:
    with simulate("some"):
        model = fitted(kind, bounds=[None, (0, 0.01)])
    assert model.feature_limits_[1].tolist() == [0, 0.01]
    assert 10 < np.ptp(model.feature_limits_[0]) < 300
    assert "limits of feature 1" not in model.release_.parts


@pytest.mark.parametrize("scale", [1e-9, 1, 100, 1e12])
def test_fits_without_bounds_do_not_depend_on_units(scale: float) -> None:
    X, y = table()
    with simulate("units"):
        model = PrivateLinearRegression().fit(X[:, :1] * scale, y * scale)
    assert abs(model.coef_[0] - 3) < 0.5


def test_predictions_clip_to_limits_that_were_found() -> None:
    with simulate("cut"):
        found = fitted("linear")
        declared = fitted("linear", bounds=[(999_900, 1_000_100), (0, 1)])
    (low, high), _ = found.feature_limits_
    middle, width = (low + high) / 2, high - low  # a step is linear for twice as far
    low, high = middle - width, middle + width
    far, edge = np.array([[1e9, 0.0], [-1e9, 0.0]]), np.array([[high, 0.0], [low, 0.0]])
    assert found.predict(far) == pytest.approx(found.predict(edge), rel=1e-8)
    assert abs(declared.predict(far)[0]) > 1e6


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_every_table_gives_finite_limits_and_coefficients(kind: str, relation: str) -> None:
    wild = [np.inf, -np.inf, np.nan, 1e308, -1e308, 5e-324, 0.0, 1.0]
    tables = [np.zeros((0, 2)), np.full((3, 2), np.nan), np.full((5, 2), 1e308), np.zeros((40, 2))]
    tables.append(np.array([(a, b) for a in wild for b in wild]))
    for X in tables:
        y = np.ones(len(X)) if kind in ("logistic", "rest") else X[:, 0]
        with simulate("finite"):
            model = MODELS[kind](1, relation=relation).fit(X, y)
        assert np.isfinite(model.feature_limits_).all()
        assert (model.feature_limits_[:, 0] < model.feature_limits_[:, 1]).all()
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.predict(np.zeros((1, 2)))).all()


@pytest.mark.parametrize("bounds", [None, [None, None], (PrivateBounds(), None)], ids=str)
def test_limits_of_all_features_may_be_unknown_one_by_one(bounds: object) -> None:
    x = np.random.default_rng(0).normal(size=(3000, 2))
    with simulate(1):
        model = PrivateLinearRegression(9, bounds=bounds).fit(x, x @ [1, 2])
    assert model.coef_ == pytest.approx([1, 2], abs=0.5)


def test_indicators_keep_their_limits() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(size=3000), rng.random(3000) < 0.03])
    with simulate(1):
        model = PrivateLinearRegression(
            9, bounds=[(-9, 9), (0, 1)], target_bounds=(-50, 50), limits=PrivateLimits()
        ).fit(x, x @ [1, 2])
    assert model.feature_limits_[1].tolist() == [0, 1]
    assert model.feature_limits_[0, 1] < 9
