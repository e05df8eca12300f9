"""The correction of the ridge's shrinkage: its law, its sensitivity, and its share of epsilon."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from leastnoise import audit
from leastnoise.estimators import PrivateLogisticRegression, PrivateRobustRegression, objective
from leastnoise.estimators.correction import SHARE, curvature
from leastnoise.estimators.perturbation import LOGISTIC, SMOOTH_ABSOLUTE, Curvature, price
from leastnoise.geometry import Ball, LpBall
from leastnoise.guarantees import PureDP
from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.testing import simulate

RELATIONS = ("replace-one", "add-remove", "edit")

# (features, offset): corners, a row that does not count, rows far out on the loss
UNIVERSE: list[tuple[tuple[float, ...], float]] = [
    ((1.0, 1.0), 0.0),
    ((-1.0, 1.0), 0.0),
    ((0.5, -0.25), 0.0),
    ((1.0, -1.0), -3.5),
    ((2.0**-20, 1.0), 2.0**20),
    ((0.0, 0.0), 0.0),
]


def law_of(data: Any, height: int, point: list[float], epsilon: Fraction) -> DiscreteLaplaceLaw:
    features = np.array([u for u, _ in data]).reshape(-1, 2)
    return curvature(features, np.array([o for _, o in data]), height, point, epsilon)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("height", [1, 2])
def test_every_neighbouring_pair_of_the_curvature(relation: str, height: int) -> None:
    epsilon = Fraction(3, 7)
    for point in ([0.0, 0.0], [3.0, -2.0], [0.1, 40.0]):
        report = audit.exact_law(
            lambda data, at=point: law_of(data, height, at, epsilon),
            universe=UNIVERSE, n=3, relation=relation, claim=PureDP(epsilon),
        )  # fmt: skip
        assert report.passed, str(report)
        if not any(point):  # a record on the steepest bend against one that does not count
            assert report.lo == epsilon


def test_a_record_beyond_the_bounds_adds_no_more_than_is_charged() -> None:
    one, zero = (law_of([(u, 0.0)], 2, [0.0, 0.0], Fraction(1)) for u in ((2.0, 2.0), (0.0, 0.0)))
    assert (one.centre - zero.centre) * one.rate == 1


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_point_that_was_not_released_is_seen(relation: str) -> None:
    """The curvature is private at a public point: one that follows the records moves all of it."""

    def followed(data: Any) -> DiscreteLaplaceLaw:
        far = 40.0 if UNIVERSE[3] in data else 0.0
        return law_of(data, 1, [far, 0.0], Fraction(1))

    report = audit.exact_law(
        followed, universe=UNIVERSE, n=3, relation=relation, claim=PureDP(Fraction(1))
    )
    assert not report.passed


@pytest.mark.parametrize("height", [1, 2])
def test_the_curvature_is_the_mean_over_coordinates(height: int) -> None:
    """Against the trace of the Hessian over m: half a unit of 2^-10 a record."""
    ctx.prec = 100
    rng = np.random.default_rng(3)
    features = np.rint(rng.uniform(-1, 1, (30, 3)) * 2**20) / 2**20
    offsets, point = rng.normal(size=30) * 4, [1.5, -2.0, 0.25]
    law = curvature(features, offsets, height, point, Fraction(1))
    trace = arb(0)
    for u, o in zip(features.tolist(), offsets.tolist(), strict=True):
        z = arb(o) + sum((arb(x) * w for x, w in zip(u, point, strict=True)), arb(0))
        trace += height * sum((arb(x) ** 2 for x in u), arb(0)) / (2 + z.exp() + (-z).exp())
    assert abs(arb(law.centre) / 1024 - trace) < arb(30) * 0.501 / 1024
    assert law.step == Fraction(1, 3 * 1024)
    # every record's own number is what it is alone
    alone = [
        curvature(features[i : i + 1], offsets[i : i + 1], height, point, Fraction(1)).centre
        for i in range(30)
    ]
    assert sum(alone) == law.centre


def test_nothing_and_rows_that_do_not_count_have_no_curvature() -> None:
    for rows in (0, 5):
        assert (
            curvature(np.zeros((rows, 2)), np.zeros(rows), 2, [1.0, 2.0], Fraction(1)).centre == 0
        )


# What a fit draws


@dataclass
class Drawn:
    """The rates, ridges and laws of the draws of one fit, as they were used."""

    rates: list[Fraction] = field(default_factory=list[Fraction])
    ridges: list[Fraction] = field(default_factory=list[Fraction])
    laws: list[DiscreteLaplaceLaw] = field(default_factory=list[DiscreteLaplaceLaw])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """Listens to the real draws."""
    found = Drawn()
    noise, minimise, bend = Ball.noise, objective.minimise, objective.curvature

    def noised(ball: Ball, rate: Fraction, source: Any) -> Any:
        found.rates.append(rate)
        return noise(ball, rate, source)

    def minimised(asked: Any, step: Fraction) -> Any:
        found.ridges.append(min(asked.ridge))
        return minimise(asked, step)

    def bent(*given: Any) -> DiscreteLaplaceLaw:
        found.laws.append(bend(*given))
        return found.laws[-1]

    monkeypatch.setattr(Ball, "noise", noised)
    monkeypatch.setattr(objective, "minimise", minimised)
    monkeypatch.setattr(objective, "curvature", bent)
    return found


def coefficients_cost(
    rate: Fraction, ridge: Fraction, shape: Curvature, m: int, relation: str, joint: bool
) -> arb:
    """The worst loss of the coefficients, ||u||_inf <= 1: over all c at once, or term by term."""
    ctx.prec = 100
    ends = [Fraction(k, 2000) for k in range(2001)]

    def cost(c: Fraction) -> arb:
        rated = rate * (c if relation == "add-remove" else 1 + c)
        share = (1 - c) * (shape.flat + shape.slope * c) * m / ridge
        bent = (1 + arb(share.numerator) / share.denominator).log()
        return arb(rated.numerator) / rated.denominator + bent

    if joint:
        return max((cost(c) for c in ends), key=lambda x: float(x.mid()))
    share = shape.largest * m / ridge
    most = rate * (1 if relation == "add-remove" else 2)
    return (
        arb(most.numerator) / most.denominator
        + (1 + arb(share.numerator) / share.denominator).log()
    )


def curvature_cost(law: DiscreteLaplaceLaw, height: int, m: int) -> Fraction:
    """Its rate times its sensitivity: the number of the corner (1, ..., 1) at 0 against none."""
    corner = curvature(np.ones((1, m)), np.zeros(1), height, [0.0] * m, Fraction(1)).centre
    assert corner == height * m * 256
    return law.rate * corner


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("accountant", ["joint", "split"])
@pytest.mark.parametrize("correct", [True, False])
@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]], ids=len)
def test_a_logistic_fit_draws_what_it_was_charged(
    relation: str, accountant: str, correct: bool, classes: list[int], drawn: Drawn
) -> None:
    epsilon, m = Fraction(3, 2), 3
    model = PrivateLogisticRegression(
        epsilon, bounds=(-1, 1), classes=classes, C=np.inf,
        accountant=accountant, correct=correct, relation=relation,
    )  # fmt: skip
    with simulate(2):
        model.fit(np.array([[0.5, 1.0], [-1.0, 0.25], [1.0, 1.0]]), [0, 1, 1])
    models = 1 if len(classes) == 2 else len(classes)
    assert len(drawn.rates) == len(drawn.ridges) == models
    assert len(drawn.laws) == models * correct
    curved = sum((curvature_cost(law, 1, m) for law in drawn.laws), Fraction(0))
    assert curved == correct * epsilon * SHARE
    main = sum(
        (
            coefficients_cost(rate, ridge, LOGISTIC, m, relation, accountant == "joint")
            for rate, ridge in zip(drawn.rates, drawn.ridges, strict=True)
        ),
        arb(0),
    )
    left = epsilon - curved
    share = main * left.denominator / left.numerator
    assert share < 1 + arb(2) ** -80
    assert share > (0.995 if accountant == "joint" else 1 - arb(2) ** -60)


@pytest.mark.parametrize("ball", ["l1", "l2", "linf", "half"])
def test_the_rate_is_over_the_norm_of_the_longest_record(ball: str, drawn: Drawn) -> None:
    """Corners of the cube have the K-norm m, sqrt(m) or 1, or 2 in half a cube."""
    m, epsilon = 3, Fraction(3, 2)
    chosen = LpBall("inf", m).scaled("1/2") if ball == "half" else ball
    model = PrivateLogisticRegression(
        epsilon, bounds=(-1, 1), classes=[0, 1], ball=chosen, correct=False, q=1
    )
    with simulate(3):
        model.fit(np.array([[0.5, 1.0], [-1.0, 0.25]]), [0, 1])
    square = {"l1": 9, "l2": 3, "linf": 1, "half": 4}[ball]
    (rate,) = drawn.rates
    assert 1 - Fraction(1, 10**9) <= (2 * rate) ** 2 * square / epsilon**2 <= 1


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_robust_fit_draws_what_it_was_charged(relation: str, drawn: Drawn) -> None:
    epsilon = Fraction(3, 2)
    model = PrivateRobustRegression(
        epsilon, bounds=(-1, 1), fit_intercept=True, alpha=1, relation=relation
    )
    with simulate(2):
        model.fit(np.array([[0.5, 1.0], [-1.0, 0.25]]), [0.5, 3.0])
    (rate,), (ridge,), (law,) = drawn.rates, drawn.ridges, drawn.laws
    assert curvature_cost(law, 2, 3) == epsilon * SHARE
    left = epsilon * (1 - SHARE)
    main = coefficients_cost(rate, ridge, SMOOTH_ABSOLUTE, 3, relation, True)
    assert 0.995 < main * left.denominator / left.numerator < 1 + arb(2) ** -80


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("accountant", ["joint", "split"])
def test_no_share_is_taken_where_there_is_nothing_to_correct(
    relation: str, accountant: str, drawn: Drawn
) -> None:
    """At the ridge that all of epsilon needs, and not a little below it."""
    epsilon, m, q = Fraction(3, 2), 2, Fraction(1, 2)
    joint = accountant == "joint"
    least = price(epsilon, q, m, LOGISTIC, relation=relation, joint=joint).ridge
    rows, labels = np.array([[0.5, 1.0], [-1.0, 0.25], [1.0, 1.0]]), [0, 1, 1]
    for ridge, corrected in ((least, False), (9 * least, False), (least * 99 / 100, True)):
        model = PrivateLogisticRegression(
            epsilon, bounds=(-1, 1), classes=[0, 1], C=1 / ridge, fit_intercept=False,
            accountant=accountant, q=q, correct=True, relation=relation,
        )  # fmt: skip
        drawn.rates.clear()
        drawn.ridges.clear()
        drawn.laws.clear()
        with simulate(2):
            model.fit(rows, labels)
        curved = sum((curvature_cost(law, 1, m) for law in drawn.laws), Fraction(0))
        assert curved == corrected * epsilon * SHARE
        (rate,), (used,) = drawn.rates, drawn.ridges
        assert used >= ridge
        main = coefficients_cost(rate, used, LOGISTIC, m, relation, joint)
        left = epsilon - curved
        assert main * left.denominator / left.numerator < 1 + arb(2) ** -80
        parts = model.release_.parts
        assert sum(map(Fraction, parts.values())) == (epsilon if corrected else 0)
        assert any("scaled up" in note for note in model.release_.notes) == corrected
