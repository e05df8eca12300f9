"""Implications between guarantees: closed forms, tight constants, and what does not follow."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from leastnoise.accounting import (
    LaplaceNoise,
    to_approx,
    to_bounded_range,
    to_pure,
    to_relation,
    to_zcdp,
)
from leastnoise.accounting.rounding import round_up
from leastnoise.errors import ParameterError
from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, PureDP, RandomDP, Scope

EPSILONS = ["1e-9", "1e-4", "0.1", "1/3", "1", "4", "20", "60", "70", "400"]
ORDERS = [1 + 10.0**k for k in np.arange(-4, 4, 0.25)]
ADD, EDIT = Scope("add-remove"), Scope("edit")


def renyi(log_p: np.ndarray, log_q: np.ndarray, order: float) -> float:
    """Renyi divergence of two finite laws, from the definition."""
    terms = order * log_p + (1 - order) * log_q
    top = terms.max()
    return float(top + np.log(np.exp(terms - top).sum())) / (order - 1)


def discrete_laplace(epsilon: float, steps: int, reach: int) -> tuple[np.ndarray, np.ndarray]:
    a = epsilon / steps
    k = np.arange(-reach, reach + 1)
    return -a * np.abs(k), -a * np.abs(k - steps)  # one constant is left out in both


def test_closed_forms_are_exact() -> None:
    assert to_zcdp(PureDP(1)).rho == Fraction(1, 2)
    assert to_zcdp(BoundedRange(1)).rho == Fraction(1, 8)
    assert to_zcdp(PureDP("0.1")).rho == Fraction(1, 200)
    assert to_zcdp(LaplaceNoise(Fraction(1))).rho == Fraction(1, 2)
    assert to_zcdp(ZCDP(3)).rho == 3
    assert to_pure(BoundedRange("1/3")) == PureDP("1/3")
    assert to_bounded_range(PureDP("1/3")).eta == Fraction(2, 3)
    assert to_bounded_range(BoundedRange(1)).eta == 1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_tight_constants_lie_between_their_formula_and_the_closed_form(epsilon: str) -> None:
    e = Fraction(epsilon)
    x = float(e)
    pure = to_zcdp(PureDP(e), tight=True).rho
    laplace = to_zcdp(LaplaceNoise(e), tight=True).rho
    one_step = to_zcdp(LaplaceNoise(e, 1), tight=True).rho
    many_steps = to_zcdp(LaplaceNoise(e, 1000), tight=True).rho
    bounded = to_zcdp(BoundedRange(e), tight=True).rho
    assert laplace <= many_steps <= one_step
    assert one_step <= pure <= e * e / 2
    assert bounded <= e * e / 8
    if x >= 1e-2:  # below, the plain formulas cancel
        assert float(pure) == pytest.approx(x * math.tanh(x / 2), rel=1e-10)
        assert float(laplace) == pytest.approx(x + math.exp(-x) - 1, rel=1e-10)
        ratio = -math.log(x) + x + math.log1p(-math.exp(-x))  # -ln x/(e^x - 1)
        assert float(bounded) == pytest.approx(math.exp(-ratio) - 1 + ratio, rel=1e-8)
    else:
        assert float(pure) == pytest.approx(x * x / 2, rel=1e-6)
        assert float(bounded) == pytest.approx(x * x / 8, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0, 8.0])
def test_every_renyi_order_of_the_worst_pairs_obeys_the_tight_constant(epsilon: float) -> None:
    e = Fraction(str(epsilon))
    pure = float(to_zcdp(PureDP(e), tight=True).rho)
    p = epsilon - math.log1p(math.exp(epsilon)), -math.log1p(math.exp(epsilon))
    for order in ORDERS:
        assert renyi(np.array(p), np.array(p[::-1]), order) <= pure * order * (1 + 1e-7)
    bounded = float(to_zcdp(BoundedRange(e), tight=True).rho)
    best = 0.0
    for t in np.linspace(0, epsilon, 202)[1:-1]:
        high = math.log(-math.expm1(t - epsilon) / -math.expm1(-epsilon))  # loss t
        low = math.log(math.expm1(t) / math.expm1(epsilon))  # loss t - epsilon
        first = np.array([high, low])
        second = first - np.array([t, t - epsilon])
        assert np.exp(first).sum() == pytest.approx(1)
        assert np.exp(second).sum() == pytest.approx(1)
        for order in ORDERS:
            reached = renyi(first, second, order) / order
            assert reached <= bounded * (1 + 1e-6)
            best = max(best, reached)
    assert best >= bounded * 0.999  # and it is attained


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_every_renyi_order_of_discrete_laplace_obeys_its_constant(
    epsilon: float, steps: int
) -> None:
    bound = float(to_zcdp(LaplaceNoise(Fraction(str(epsilon)), steps), tight=True).rho)
    log_p, log_q = discrete_laplace(epsilon, steps, int(40 * steps / epsilon) + steps)
    constant = np.log(np.exp(log_p).sum())
    reached = [
        renyi(log_p - constant, log_q - constant, order) / order for order in ORDERS if order < 50
    ]
    assert max(reached) <= bound * (1 + 1e-6)
    assert max(reached) >= bound * 0.999


def test_the_bounded_range_constant_is_wrong_for_laplace() -> None:
    """Laplace is epsilon-DP and has 2 epsilon-bounded range: the factor 4 would be a lie."""
    wrong = float(to_zcdp(BoundedRange(1), tight=True).rho)
    log_p, log_q = discrete_laplace(1.0, 5, 400)
    constant = np.log(np.exp(log_p).sum())
    assert renyi(log_p - constant, log_q - constant, 1.5) > 1.5 * wrong
    ratio = log_p - log_q
    assert ratio.max() - ratio.min() == pytest.approx(2)


@pytest.mark.parametrize("rho", ["1e-12", "0.001", "0.125", "0.5", "10", "1e6"])
@pytest.mark.parametrize("delta", ["1e-15", "1e-6", "0.01", "0.9"])
def test_concentrated_to_approximate_is_certified_and_near_the_best_order(
    rho: str, delta: str
) -> None:
    found = to_approx(ZCDP(rho), delta)
    r, d = float(Fraction(rho)), float(Fraction(delta))

    def at(excess: float) -> float:
        a = 1 + excess
        return a * r + (-math.log(d) + excess * math.log(excess) - a * math.log(a)) / excess

    best = min(at(10.0**k) for k in np.arange(-8, 12, 0.001))
    simple = r + 2 * math.sqrt(r * math.log(1 / d))
    assert float(found.epsilon) >= max(best, 0) * (1 - 1e-5) - 1e-12  # the grid is a little coarse
    assert float(found.epsilon) <= max(best, 0) * (1 + 1e-4) + 1e-9
    assert float(found.epsilon) <= simple * (1 + 1e-6) + 1e-9
    assert found.epsilon > 0
    assert found.delta == Fraction(delta)


def test_what_does_not_follow_is_refused_with_the_cure() -> None:
    random = RandomDP(1, 0, "0.05")
    for loss in (ZCDP(1), ApproxDP(1, "1e-6"), random):
        with pytest.raises(ParameterError, match="does not imply a pure guarantee"):
            to_pure(loss)
    for loss in (ApproxDP(1, "1e-6"), random):
        with pytest.raises(ParameterError):
            to_zcdp(loss)
    with pytest.raises(ParameterError, match="larger one"):
        to_approx(ApproxDP(1, "1e-3"), "1e-6")
    assert to_approx(ApproxDP(1, "1e-9"), "1e-6") == ApproxDP(1, "1e-6")
    assert to_approx(PureDP(1), "1e-6") == ApproxDP(1, "1e-6")


def test_relations_convert_in_the_direction_that_holds() -> None:
    assert to_relation(PureDP(1, ADD), "replace-one") == PureDP(2)
    assert to_relation(PureDP(1, ADD), "edit") == PureDP(2, EDIT)
    assert to_relation(BoundedRange("1/2", ADD), "replace-one") == BoundedRange(1)
    assert to_relation(ZCDP("1/8", ADD), "replace-one") == ZCDP("1/2")
    assert to_relation(PureDP(1, EDIT), "add-remove") == PureDP(1, ADD)
    assert to_relation(PureDP(1, EDIT), "replace-one") == PureDP(1)
    assert to_relation(PureDP(1), "replace-one") == PureDP(1)
    for own, other in ((ADD, EDIT), (EDIT, ADD)):  # groups of two square what is concentrated
        concentrated = to_relation(ApproxDP(1, "1e-6", own, Fraction(1, 8)), other.relation)
        assert concentrated.rho == to_relation(ZCDP("1/8", own), other.relation).rho
    doubled = to_relation(ApproxDP(1, "1e-6", ADD), "replace-one")
    assert isinstance(doubled, ApproxDP)
    assert doubled.epsilon == 2
    assert float(doubled.delta) == pytest.approx((1 + math.e) * 1e-6)
    assert float(doubled.delta) >= (1 + math.e) * 1e-6
    for guarantee, relation in (
        (PureDP(1), "add-remove"),
        (PureDP(1), "edit"),
        (RandomDP(1, 0, "0.1", scope=ADD), "replace-one"),
        (ApproxDP(5, "0.1", ADD), "replace-one"),
        (ApproxDP(5000, "0.1", ADD), "replace-one"),
    ):
        with pytest.raises(ParameterError):
            to_relation(guarantee, relation)


def test_round_up_never_goes_down_and_keeps_short_numbers() -> None:
    for text in ("1/3", "2/7", "123456789/1000", "1/10000000000000000000007", "5e300"):
        value = Fraction(text)
        assert value <= round_up(value) <= value * (1 + Fraction(1, 10**14))
    assert round_up(Fraction(1, 8)) == Fraction(1, 8)
    assert round_up(Fraction(-1)) == 0
