"""Objective perturbation: the price, the exact minimiser, exact privacy in one dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from leastnoise.audit.neighbours import neighbouring_pairs
from leastnoise.errors import ParameterError
from leastnoise.estimators import PrivateLogisticRegression, minimiser
from leastnoise.estimators.correction import SHARE
from leastnoise.estimators.descent import descend, step_length
from leastnoise.estimators.float_objective import FloatObjective, Objective
from leastnoise.estimators.matrix import open_matrix
from leastnoise.estimators.minimiser import minimise
from leastnoise.estimators.perturbation import (
    HUBER_SHIFT,
    LOGISTIC,
    SMOOTH_ABSOLUTE,
    SMOOTH_HUBER,
    Curvature,
    Price,
    price,
)
from leastnoise.estimators.private import promise
from leastnoise.estimators.robust_coefficients import many_coefficients
from leastnoise.estimators.sigmoid import ERROR, sigmoid, sigmoid_enclosure, tail
from leastnoise.randomness import HashedBits
from leastnoise.testing import simulate
from support.noise import Fixed

EPSILONS = (Fraction(1, 16), Fraction(1), Fraction(8))


# The sigmoid


def test_the_sigmoid_is_within_its_bound() -> None:
    ctx.prec = 120
    rng = np.random.default_rng(1)
    z = np.concatenate(
        [rng.normal(size=400) * 10 ** rng.uniform(-8, 2, 400), [0.0, 60.0, -60.0, 1e300, -1e300]]
    )
    for x, got, end in zip(z.tolist(), sigmoid(z).tolist(), tail(z).tolist(), strict=True):
        exact = 1 / (1 + (-arb(max(-500.0, x))).exp())
        assert abs(arb(got) - exact) < ERROR
        away = 1 / (1 + arb(min(500.0, abs(x))).exp())
        assert abs(arb(end) - away) < (ERROR * away if abs(x) <= 60 else arb(2) ** -86)
        low, high = sigmoid_enclosure(*Fraction(x).as_integer_ratio(), 100)
        assert high - low <= 8
        assert arb(low) / 2**100 <= exact.upper()
        assert arb(high) / 2**100 >= exact.lower()


# The price


def loss_at(c: float, made: Price, shape: Curvature, dimension: int, relation: str) -> float:
    """The most that one record with this slope can cost."""
    rate = float(made.rate) * (c if relation == "add-remove" else 1 + c)
    weight = (1 - c) * (float(shape.flat) + float(shape.slope) * c)
    return rate + log(1 + weight * dimension / float(made.ridge))


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("shape", [LOGISTIC, SMOOTH_ABSOLUTE, SMOOTH_HUBER])
@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(19, 20), Fraction(1)])
def test_the_joint_price_is_within_epsilon_and_attains_it(
    relation: str, shape: Curvature, q: Fraction
) -> None:
    for epsilon in EPSILONS:
        made = price(epsilon, q, 7, shape, relation=relation)
        worst = max(loss_at(c, made, shape, 7, relation) for c in np.linspace(0, 1, 4001))
        assert worst <= float(epsilon) * (1 + 1e-12)
        assert worst >= float(epsilon) * 0.995
        lower = Price(made.rate, made.ridge * Fraction(19, 20))
        assert max(loss_at(c, lower, shape, 7, relation) for c in np.linspace(0, 1, 4001)) > float(
            epsilon
        )


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("correct", [True, False])
@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2, 3]], ids=len)
def test_all_that_a_fit_draws_is_within_its_epsilon(
    relation: str, correct: bool, classes: list[int]
) -> None:
    """Each class has a model of its own, and each model its coefficients and its curvature."""
    asked = promise(2, relation, None, None)
    limits: dict[str, Any] = {"bounds": (-1, 1), "relation": relation}
    logistic = PrivateLogisticRegression(classes=classes, C=np.inf, correct=correct, **limits)
    request = logistic._request(open_matrix(np.zeros((0, 6)), None), asked, classes)
    steps, models = request.steps, request.models
    assert models == (1 if len(classes) == 2 else len(classes))
    used = Price(steps.price.rate, min(steps.ridge))
    worst = max(loss_at(c, used, LOGISTIC, 7, relation) for c in np.linspace(0, 1, 2001))
    spent = models * (worst + correct * float(steps.epsilon * SHARE))
    assert 0.99 * 2 <= spent <= 2 * (1 + 1e-12)
    robust = many_coefficients(
        asked.epsilon, request.design, "drop",
        loss="smooth-absolute", alpha=1, ball="linf", relation=relation,
    )  # fmt: skip
    used = Price(robust.steps.price.rate, min(robust.steps.ridge))
    worst = max(loss_at(c, used, SMOOTH_ABSOLUTE, 7, relation) for c in np.linspace(0, 1, 2001))
    assert 0.99 * 2 <= worst + float(robust.steps.epsilon * SHARE) <= 2 * (1 + 1e-12)


def test_the_joint_price_asks_for_less_ridge_than_the_split_one() -> None:
    for q in (Fraction(1, 2), Fraction(85, 100)):
        joint = price(Fraction(1, 4), q, 7, LOGISTIC, relation="replace-one")
        split = price(Fraction(1, 4), q, 7, LOGISTIC, relation="replace-one", joint=False)
        assert joint.rate == split.rate
        assert joint.ridge < split.ridge
        assert float(split.ridge) == pytest.approx(7 / 4 / (exp(0.25 * (1 - float(q))) - 1))


# The exact minimiser


def problem(seed: int, n: int, m: int, ridge: Fraction, height: int = 1) -> Objective:
    rng = np.random.default_rng(seed)
    features = np.rint(rng.uniform(-1, 1, (n, m)) * 2**20) / 2**20
    targets = rng.integers(0, 2, n).astype(float) if height == 1 else np.ones(n)
    offsets = np.zeros(n) if height == 1 else rng.standard_cauchy(n)
    noise = Fixed(*(Fraction(int(v), 1000) for v in rng.integers(-3000, 3000, m)))
    return Objective(features, offsets, targets, height, (ridge,) * m, noise)


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("ridge", [Fraction(3), Fraction(1, 100), Fraction(1, 2**30)])
def test_doubles_and_integers_find_the_same_lattice_point(
    height: int, ridge: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Fraction(1, 2**24)
    for seed, (n, m) in enumerate([(0, 2), (1, 3), (40, 1), (60, 4)]):
        asked = problem(seed, n, m, ridge, height)
        quick = minimise(asked, step)
        with monkeypatch.context() as patch:
            patch.setattr(minimiser, "_rounded_in_doubles", lambda *_: None)
            assert minimise(asked, step) == quick
        with monkeypatch.context() as patch:  # also from a poor start
            patch.setattr(minimiser, "_rounded_in_doubles", lambda *_: None)
            if ridge == 3:
                patch.setattr(
                    minimiser, "descend", lambda one: one.at(np.full(len(one.ridge), 2.0))
                )
                assert minimise(asked, step) == quick


def test_the_gradient_at_the_rounded_minimiser_is_what_the_step_allows() -> None:
    asked = problem(7, 200, 3, Fraction(2))
    step = Fraction(1, 2**24)
    theta = np.array([float(p * step) for p in minimise(asked, step)])
    z = asked.features @ theta
    gradient = asked.features.T @ (1 / (1 + np.exp(-z)) - asked.targets) + 2 * theta
    gradient += np.array([float(v) for v in asked.noise.values])
    assert abs(gradient).max() < 1e-4


def test_integers_decide_what_lies_on_the_edge_of_a_cell() -> None:
    """A minimiser within 2^-90 of the edge of a cell: doubles cannot tell, integers must."""
    step = Fraction(1, 2**24)
    for sign in (1, -1):
        edge = Fraction(5, 2) * step + sign * Fraction(1, 2**90)
        asked = Objective(
            np.zeros((0, 1)), np.zeros(0), np.zeros(0), 1, (Fraction(1),), Fixed(-edge)
        )
        doubles = FloatObjective(asked)
        assert minimiser._rounded_in_doubles(doubles, descend(doubles), step) is None
        assert minimise(asked, step) == [3 if sign > 0 else 2]


def hard(seed: int) -> Objective:
    """Much epsilon and little ridge: minimisers far away between kinks that are narrow there."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.choice([1, 30, 200])), int(rng.integers(1, 6))
    rare = np.where(rng.uniform(size=(n, m)) < 0.05, 1.0, rng.uniform(-1e-3, 1e-3, (n, m)))
    features = np.rint((rare if seed % 2 else rng.choice([-1.0, 0.0, 1.0], (n, m))) * 2**20) / 2**20
    offsets = np.clip(rng.standard_cauchy(n) * 10 ** rng.uniform(0, 6), -(2.0**20), 2.0**20)
    noise = Fixed(*(Fraction(v) for v in (rng.laplace(size=m) * 10 ** rng.uniform(-5, 1)).tolist()))
    ridge = Fraction(1, int(rng.choice([2**30, 2**10, 1])))
    return Objective(features, offsets, np.ones(n), 2, (ridge,) * m, noise)


def test_what_doubles_say_is_within_their_bounds() -> None:
    """Gradients against their enclosures; the box against the minimiser that integers find."""
    for seed in range(40):
        asked = hard(seed) if seed % 4 else problem(seed, 50, 3, Fraction(2), 1 + seed % 2)
        doubles = FloatObjective(asked)
        here = descend(doubles)
        records = minimiser._grouped(asked)
        for local in (here, doubles.at(here.point + 1.0)):
            point = [Fraction(x) for x in local.point.tolist()]
            ends = minimiser._gradient(doubles, records, point, 192)
            for low, high, got, error in zip(*ends, local.gradient, local.error, strict=True):
                assert max(
                    abs(Fraction(e, 2**192) - Fraction(float(got))) for e in (low, high)
                ) <= (Fraction(float(error)))
            bounds = [Fraction(float(b)) for b in np.abs(local.gradient) + 2 * local.error]
            radii = doubles.bend(local).radii(bounds)
            step = Fraction(1, 2**40)
            found = minimiser._rounded_exactly(doubles, here, step)
            for x, radius, where in zip(point, radii, found, strict=True):
                assert abs(x - where * step) <= radius + step


def test_hard_objectives_take_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A count of gradients, not of seconds: gradient steps alone would take 10^9 and more."""
    counts = [0]
    at, gradient = FloatObjective.at, minimiser._gradient

    def counted(real: Any) -> Any:
        def call(*given: Any) -> Any:
            counts[0] += 1
            return real(*given)

        return call

    monkeypatch.setattr(FloatObjective, "at", counted(at))
    monkeypatch.setattr(minimiser, "_gradient", counted(gradient))
    most = 0
    for seed in range(60):
        counts[0] = 0
        minimise(hard(seed), Fraction(1, 2**24))
        most = max(most, counts[0])
    assert most < 1000


def test_alike_records_are_one_record_many_times() -> None:
    asked = problem(3, 30, 2, Fraction(2))
    rows = np.array([0, 3, 3, 7, 0, 0])
    features = asked.features[rows]
    features[1] = -0.0
    features[5] = 0.0
    many = Objective(
        features, asked.offsets[rows], asked.targets[rows], 1, asked.ridge, asked.noise
    )
    records = minimiser._grouped(many)
    assert sorted(records.times.tolist()) == [1, 1, 2]
    doubles, point = FloatObjective(many), [Fraction(1, 3).limit_denominator(1), Fraction(5, 2**40)]
    lows, highs = minimiser._gradient(doubles, records, point, 192)
    z = features @ np.array([float(x) for x in point])
    plain = (1 / (1 + np.exp(-z)) - many.targets) @ features + 2 * np.array(
        [float(x) for x in point]
    )
    plain += np.array([float(v) for v in many.noise.values])
    assert np.allclose([low / 2**192 for low in lows], plain, atol=1e-9)
    assert all(low <= high <= low + 2**20 for low, high in zip(lows, highs, strict=True))


@pytest.mark.parametrize("kink", [1e-12, 0.3, 1.0, 17.0, 1e9])
def test_a_step_ends_where_the_slope_has_fallen_but_not_risen(kink: float) -> None:
    def smooth(t: float) -> float:
        return t / kink - 1

    def sharp(t: float) -> float:
        return -1.0 if t < kink else 1.0

    length = step_length(smooth, -1.0, smooth(1.0))
    assert -0.5 <= smooth(length) <= 0
    assert 0 < step_length(sharp, -1.0, sharp(1.0)) <= kink


def test_no_gradient_is_read_at_another_scale_than_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """2^-193 from the edge of a cell digits run out: a norm in the wrong unit proves nothing."""
    step, n = Fraction(1, 2**24), 20
    rng = np.random.default_rng(0)
    features = np.rint(rng.uniform(-1, 1, (n, 2)) * 2**20) / 2**20
    targets = (rng.random(n) > 0.5).astype(float)
    at = [140189 * step + step / 2 + Fraction(1, 2**193), -190897 * step]
    ridge = (Fraction(3), Fraction(3))
    pull = [r * t for r, t in zip(ridge, at, strict=True)]
    for row, target in zip(features, targets, strict=True):
        z = sum((Fraction(u) * t for u, t in zip(row.tolist(), at, strict=True)), Fraction(0))
        low, high = sigmoid_enclosure(z.numerator, z.denominator, 900)
        gap = Fraction(low + high, 2 << 900) - int(target)
        pull = [p + Fraction(u) * gap for p, u in zip(pull, row.tolist(), strict=True)]
    noise = Fixed(*(-p for p in pull))
    scales: dict[int, int] = {}
    kept: list[Any] = []
    gradient = minimiser._gradient

    def made(*given: Any) -> Any:
        found = gradient(*given)
        kept.append(found)
        scales[id(found)] = given[-1]
        return found

    monkeypatch.setattr(minimiser, "_gradient", made)

    def checked(real: Any) -> Any:
        def read(ends: Any, bits: int) -> Any:
            assert scales[id(ends)] == bits
            return real(ends, bits)

        return read

    for name in ("_norm", "_sizes", "_middle"):
        monkeypatch.setattr(minimiser, name, checked(getattr(minimiser, name)))
    asked = Objective(features, np.zeros(n), targets, 1, ridge, noise)
    assert minimise(asked, step) == [140190, -190897]
    assert kept


# Exact privacy in one dimension

# (feature, label): in one dimension the noise is Laplace and the minimiser is monotone in it, so
# the probability of every interval of outputs is a difference of two Laplace probabilities.
UNIVERSE: list[tuple[float, int]] = [(1.0, 0), (1.0, 1), (-1.0, 1), (0.5, 0), (-0.25, 1), (0.0, 0)]
EDGES = np.concatenate([-np.geomspace(64, 1e-3, 90), [0.0], np.geomspace(1e-3, 64, 90)])


# (feature, target in widths of the loss) for the losses of residuals
TARGETS: list[tuple[float, float]] = [(1.0, 9.0), (1.0, -9.0), (-1.0, 0.5), (0.5, 0.0), (0.0, 3.0)]


def slope(x: float, y: float, loss: Curvature) -> np.ndarray[Any, Any]:
    """The gradient of one record's loss at every edge."""
    if loss is SMOOTH_ABSOLUTE:
        return (2 * sigmoid(EDGES * x - y) - 1) * x
    if loss is SMOOTH_HUBER:
        above, below = (sigmoid(EDGES * x - y + a) for a in (HUBER_SHIFT, -HUBER_SHIFT))
        return (above + below - 1) * x
    return (sigmoid(EDGES * x) - y) * x


def log_masses(
    data: Sequence[tuple[float, float]], rate: float, ridge: float, loss: Curvature
) -> np.ndarray[Any, Any]:
    """log P(theta in cell) for the cells between EDGES, and the two tails."""
    noise = -ridge * EDGES
    for x, y in data:
        noise -= slope(x, y, loss)
    # theta rises as V falls
    below = np.where(noise < 0, 1 - np.exp(-np.abs(noise) * rate) / 2, np.exp(-noise * rate) / 2)
    ends = np.concatenate([[0.0], below, [1.0]])
    width = np.diff(ends)
    # in the tails differences cancel; there the density's ratio is that of exponentials
    tiny = width < 1e-9
    return np.where(tiny, np.nan, np.log(np.maximum(width, 1e-300)))


def worst_loss(
    n: int, relation: str, rate: float, ridge: float, loss: Curvature = LOGISTIC
) -> float:
    worst = 0.0
    known: dict[tuple[int, ...], Any] = {}
    universe: list[tuple[float, float]] = list(UNIVERSE) if loss is LOGISTIC else TARGETS
    for pair in neighbouring_pairs(len(universe), n, relation):
        for places in pair:
            if places not in known:
                known[places] = log_masses([universe[i] for i in places], rate, ridge, loss)
        gap = np.abs(known[pair[0]] - known[pair[1]])
        worst = max(worst, float(np.nanmax(gap)))
    return worst


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(19, 20)])
def test_every_neighbouring_pair_in_one_dimension(relation: str, joint: bool, q: Fraction) -> None:
    for epsilon in (Fraction(1, 2), Fraction(2)):
        made = price(epsilon, q, 1, LOGISTIC, relation=relation, joint=joint)
        found = worst_loss(3, relation, float(made.rate), float(made.ridge))
        assert found <= float(epsilon) + 1e-6
        assert found > 0.4 * float(epsilon)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("loss", [SMOOTH_ABSOLUTE, SMOOTH_HUBER])
def test_every_neighbouring_pair_of_losses_of_residuals(loss: Curvature, relation: str) -> None:
    for epsilon in (Fraction(1, 2), Fraction(2)):
        made = price(epsilon, Fraction(19, 20), 1, loss, relation=relation)
        rate, ridge = float(made.rate), float(made.ridge)
        found = worst_loss(3, relation, rate, ridge, loss)
        assert 0.4 * float(epsilon) < found <= float(epsilon) + 1e-6
        assert worst_loss(3, relation, 2 * rate, ridge, loss) > float(epsilon)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_every_neighbouring_pair_of_weighted_classes(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights of at most 1 cost no more; those above are seen."""
    made = price(Fraction(2), Fraction(19, 20), 1, LOGISTIC, relation=relation)
    plain = slope
    for heavy, held in ((Fraction(1), True), (Fraction(3), False)):
        weights = (float(heavy) / 5, float(heavy))
        monkeypatch.setattr(
            f"{__name__}.slope", lambda x, y, loss, w=weights: w[int(y)] * plain(x, y, loss)
        )
        found = worst_loss(3, relation, float(made.rate), float(made.ridge))
        assert (found <= 2 + 1e-6) == held


def test_weights_are_records_that_count_several_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """In doubles and in integers, and noise and ridge are those of the largest weight."""
    asked = problem(5, 30, 3, Fraction(2))
    times = np.random.default_rng(1).integers(1, 6, 30)
    rows = np.repeat(np.arange(30), times)
    often = Objective(
        asked.features[rows], asked.offsets[rows], asked.targets[rows], 1, asked.ridge, asked.noise
    )
    told = replace(asked, times=times.astype(float))
    step = Fraction(1, 2**24)
    assert minimise(told, step) == minimise(often, step)
    many = replace(asked, times=np.full(30, 2.0**30))  # sums that doubles may round
    assert not np.isfinite(FloatObjective(many).at(np.zeros(3)).error).any()
    with monkeypatch.context() as patch:
        patch.setattr(minimiser, "_rounded_in_doubles", lambda *_: None)
        assert minimise(told, step) == minimise(often, step)
    model = PrivateLogisticRegression(classes=[0, 1], bounds=(-1, 1), C=np.inf, correct=False)
    request = model._request(
        open_matrix(np.zeros((0, 2)), None), promise(2, None, None, None), [0, 1]
    )
    steps, seen = request.steps, dict[str, Any]()

    def noise(ball: Any, rate: Fraction, source: Any) -> Any:
        seen["rate"] = rate
        return Fixed(*[Fraction(0)] * 3)

    def found(objective: Objective, step: Fraction) -> list[int]:
        seen["ridge"] = objective.ridge
        return [0, 0, 0]

    monkeypatch.setattr(type(steps.ball), "noise", noise)
    monkeypatch.setattr("leastnoise.estimators.objective.minimise", found)
    with simulate(1):
        steps.draw(asked.features, asked.offsets, asked.targets, height=1, times=times, most=5)
    assert seen["rate"] == steps.price.rate / 5
    assert seen["ridge"] == tuple(5 * d for d in steps.ridge)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_less_ridge_or_more_rate_than_priced_is_seen(relation: str) -> None:
    epsilon, q = Fraction(2), Fraction(1, 2)
    made = price(epsilon, q, 1, LOGISTIC, relation=relation)
    rate, ridge = float(made.rate), float(made.ridge)
    assert worst_loss(2, relation, rate, ridge / 20) > float(epsilon)
    assert worst_loss(2, relation, rate * 5, ridge) > float(epsilon)


def test_the_printed_gamma_is_refuted() -> None:
    """lambda / (e^(eps (q - 1)) - 1) is negative for every q < 1: there is no minimum at all."""
    for epsilon in (0.1, 1.0, 8.0):
        for q in (0.5, 0.85):
            printed = 0.25 / (exp(epsilon * (q - 1)) - 1)
            assert printed < 0
            # one record (x, y) = (1, 1), no noise: the objective falls without end on both sides
            for far in (1e4, 1e8, -1e4, -1e8):
                value = float(np.logaddexp(0, far)) - far + printed * far * far / 2
                assert value < -abs(far)
            # with the sign put right it is the least ridge that the split accountant accepts
            made = price(
                Fraction(epsilon), Fraction(q), 1, LOGISTIC, relation="replace-one", joint=False
            )
            right = 0.25 / (exp(epsilon * (1 - q)) - 1)
            assert float(made.ridge) == pytest.approx(right)


def test_the_price_of_addition_does_not_pay_for_replacement() -> None:
    made = price(Fraction(2), Fraction(19, 20), 1, LOGISTIC, relation="add-remove")
    assert worst_loss(2, "replace-one", float(made.rate), float(made.ridge)) > 2


def test_a_feature_beyond_the_bounds_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = price(Fraction(1), Fraction(19, 20), 1, LOGISTIC, relation="replace-one")
    monkeypatch.setattr(
        f"{__name__}.UNIVERSE", [(2.0, 0), (2.0, 1), (-2.0, 1), (1.0, 0)], raising=True
    )
    assert worst_loss(2, "replace-one", float(made.rate), float(made.ridge)) > 1


def test_draws_follow_the_law_that_was_enumerated() -> None:
    """Kolmogorov-Smirnov distance of 300 fits from the exact law of one small data set."""
    data = [(1.0, 1), (0.5, 0), (-0.25, 1)]
    X = np.array([[x] for x, _ in data])
    y = np.array([label for _, label in data])
    model = PrivateLogisticRegression(
        1, bounds=(-1, 1), classes=[0, 1], C=np.inf, fit_intercept=False, correct=False
    )
    made = price(Fraction(1), Fraction(7, 8), 1, LOGISTIC, relation="replace-one")
    with simulate(11):
        found = np.sort([model.fit(X, y).coef_[0, 0] for _ in range(300)])
    noise = -float(made.ridge) * found
    for x, label in data:
        noise -= (1 / (1 + np.exp(-found * x)) - label) * x
    rate = float(made.rate)
    cdf = np.where(noise < 0, 1 - np.exp(noise * rate) / 2, np.exp(-noise * rate) / 2)
    steps = np.arange(301) / 300
    distance = max(abs(cdf - steps[1:]).max(), abs(cdf - steps[:-1]).max())
    assert distance < 1.95 / 300**0.5  # one in a thousand


def test_enclosures_of_one_draw_are_nested_in_the_fit() -> None:
    """The noise is asked for twice with more digits: one and the same vector."""
    from leastnoise.geometry import LpBall

    noise = LpBall("inf", 3).noise(Fraction(1, 7), HashedBits(b"nested"))
    coarse, fine = noise.enclose(80), noise.enclose(300)
    for (a, b), (c, d) in zip(coarse, fine, strict=True):
        assert a << 220 <= c <= d <= b << 220


def test_all_sign_patterns_are_within_reach() -> None:
    """reach bounds the K-norm of every record in the cube, for each ball by name."""
    from leastnoise.estimators.objective import parse_ball

    for name in ("l1", "l2", "linf"):
        ball = parse_ball(name, 4)
        reach = ball.box_sensitivity([1] * 4)
        for corner in product((-1, 1), repeat=4):
            assert ball.bound(corner) <= reach


# Groups of indicators of which at most one is 1


def grouped(relation: str = "replace-one", **options: Any) -> Any:
    """The checked request of a fit of five features, of which 0 and 3, and 1, are groups."""
    asked = promise(2, relation, None, None)
    model = PrivateLogisticRegression(
        classes=[0, 1], bounds=[(0, 1), (0, 1), (-2, 4), (0, 1), (-1, 1)],
        exclusive=[[3, 0], [1]], C=np.inf, **options,
    )  # fmt: skip
    return model._request(open_matrix(np.zeros((0, 5)), None), asked, [0, 1])


def test_every_record_of_groups_is_within_reach() -> None:
    """Whatever a row holds: several of a group set, parts of 1, numbers beyond the bounds."""
    request = grouped()
    indicator = (0.0, 0.4, 1.0, 7.0, np.nan)
    rows = [*product(indicator, indicator, (-9.0, 4.0), indicator, (1.0, -1.0))]
    records, counts = request.design.records(np.array(rows), "none")
    assert counts.all()
    ball, length = request.steps.ball, 5  # the intercept, two groups and two numbers
    norms = [ball.norm(record) for record in records.tolist()]
    assert max(norms) == request.steps.reach == 1
    assert np.square(records).sum(axis=1).max() == length
    for row, record in zip(rows, records.tolist(), strict=True):
        # the first of a group counts, 3 before 0, and what is half or less is not set
        assert record[4] == (row[3] > 0.5)
        assert record[1] == (row[0] > 0.5 and not row[3] > 0.5)
        assert record[2] == (row[1] > 0.5)


def test_indicators_that_are_not_exclusive_leave_the_ball() -> None:
    steps = grouped().steps
    assert steps.ball.norm([1, 1, 0, 0, 1, 0]) == 2  # both of a group
    assert steps.ball.norm([1, 1, -1, 0.5, 0, 0]) == 1


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_groups_are_priced_for_their_longest_record(relation: str) -> None:
    steps = grouped(relation, correct=False).steps
    used = Price(steps.price.rate, min(steps.ridge))
    worst = max(loss_at(c, used, LOGISTIC, 5, relation) for c in np.linspace(0, 1, 2001))
    assert 0.99 * 2 <= worst <= 2 * (1 + 1e-12)


def test_groups_do_not_change_what_a_coefficient_means() -> None:
    """With an epsilon that hides nothing coefficients are those of the same fit without groups."""
    rng = np.random.default_rng(4)
    label = rng.integers(0, 3, 3000)
    X = np.column_stack([label == 0, label == 1, rng.uniform(-2, 4, 3000)]).astype(float)
    odds = X @ [1.0, -1.5, 0.3] - 0.2
    y = (rng.uniform(size=3000) < 1 / (1 + np.exp(-odds))).astype(int)
    limits: dict[str, Any] = {"bounds": [(0, 1), (0, 1), (-2, 4)], "classes": [0, 1], "C": np.inf}
    with simulate(1):
        plain = PrivateLogisticRegression(10**8, **limits).fit(X, y)
        told = PrivateLogisticRegression(10**8, exclusive=[[0, 1]], **limits).fit(X, y)
    assert np.allclose(plain.coef_, told.coef_, atol=1e-4)
    assert np.allclose(plain.intercept_, told.intercept_, atol=1e-4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ball": "l2"}, 'exclusive needs ball="linf"'),
        ({"fit_intercept": False}, "exclusive needs fit_intercept=True"),
        ({"exclusive": [[0, 1], [1]]}, "disjoint groups"),
        ({"bounds": (0, 2)}, "must be \\(0, 1\\)"),
    ],
)
def test_groups_are_checked_before_a_value_is_read(changed: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"bounds": (0, 1), "exclusive": [[0, 1]], "classes": [0, 1]} | changed
    with pytest.raises(ParameterError, match=message):
        PrivateLogisticRegression(**options).fit(np.zeros((4, 2)), [0, 1, 0, 1])
