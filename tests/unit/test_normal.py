"""Certified tails of the normal and the discrete Gaussian law against ball arithmetic."""

import random
from fractions import Fraction
from math import isqrt

import pytest
from flint import arb, ctx

import leastnoise.numbers.normal as normal
from leastnoise.numbers.normal import (
    discrete_gaussian_mass,
    discrete_gaussian_tail,
    normal_tail,
    pi_enclosure,
)

F = Fraction


@pytest.fixture(autouse=True)
def _precise():
    before, ctx.prec = ctx.prec, 2500
    yield
    ctx.prec = before


def holds(ends: tuple[int, int], value: arb, bits: int) -> bool:
    """No point of the ball lies outside the interval."""
    x = value * arb(2) ** bits
    return not (arb(ends[0]) > x) and not (x > arb(ends[1]))


@pytest.mark.parametrize("bits", [0, 10, 64, 300, 1000])
def test_pi(bits: int):
    low, high = pi_enclosure(bits)
    assert holds((low, high), arb.pi(), bits)
    assert high - low <= 2


def test_normal_tails_of_random_arguments():
    rng = random.Random(1)
    for _ in range(300):
        p, q = rng.randrange(10 ** rng.randrange(1, 8)), rng.randrange(1, 10 ** rng.randrange(1, 7))
        bits = rng.choice([0, 5, 64, 128, 500, 1200])
        ends = normal_tail(p, q, bits)
        assert holds(ends, (arb(p) / arb(q) / 2).sqrt().erfc() / 2, bits), (p, q, bits)
        assert ends[1] - ends[0] <= 2


def test_normal_tail_outside_its_domain():
    for p, q, bits in ((-1, 1, 8), (1, 0, 8), (1, 1, -1)):
        with pytest.raises(ValueError, match="must be"):
            normal_tail(p, q, bits)


def by_definition(variance: Fraction, first: int) -> arb:
    v = arb(variance.numerator) / variance.denominator
    reach = 40 * isqrt(int(variance) + 1) + 5
    weights = {k: (-(arb(k) ** 2) / (2 * v)).exp() for k in range(-reach, reach + 1)}
    return sum((w for k, w in weights.items() if k >= first), arb(0)) / sum(
        weights.values(), arb(0)
    )


@pytest.mark.parametrize("variance", [F(1, 50), F(1, 3), F(2), F(200)])
@pytest.mark.parametrize("first", [-30, -1, 0, 1, 2, 40])
def test_discrete_tails_by_summing(variance: Fraction, first: int):
    ends = discrete_gaussian_tail(variance, first, 200)
    exact = by_definition(variance, first)
    # the reference leaves out what lies beyond 40 sigma
    assert holds((ends[0] - 1, ends[1] + 1), exact, 200)
    assert ends[1] - ends[0] <= 4
    mass = discrete_gaussian_mass(variance, 200)
    assert holds(
        (mass[0] - 1, mass[1] + 1), by_definition(variance, 0) - by_definition(variance, 1), 200
    )


@pytest.mark.parametrize("variance", [F(100), F(4096), F(40_000)])
@pytest.mark.parametrize("share", [0, F(1, 2), 1, 2, F(5, 2), 3, 5, 9])
def test_midpoint_rule_encloses_the_sum(monkeypatch, variance: Fraction, share: Fraction):
    first = int(share * isqrt(int(variance))) + 1
    monkeypatch.setattr(normal, "SUMMED", 10**9)
    summed = discrete_gaussian_tail(variance, first, 192)
    monkeypatch.setattr(normal, "SUMMED", 1)
    by_rule = discrete_gaussian_tail(variance, first, 192)
    assert by_rule[0] <= summed[0] <= summed[1] <= by_rule[1]
    assert by_rule[1] - by_rule[0] <= (1 << 192) // (300 * variance.numerator**3)


def test_without_the_bound_on_the_rest_the_midpoint_rule_is_no_enclosure(monkeypatch):
    """Both corrections still miss the sum by more than the units of the arithmetic."""
    variance, first = F(100), 21
    monkeypatch.setattr(normal, "SUMMED", 10**9)
    summed = discrete_gaussian_tail(variance, first, 192)
    x = F(2 * first - 1, 2)
    tail = normal_tail((x * x).numerator, 400, 192)
    dense = normal._density((x * x).numerator, 800, variance, 192)
    slope = x / variance
    rule = tail[0] - dense[0] * (slope / 24 + F(7, 1920) * slope / variance - F(7, 5760) * slope**3)
    assert 1 << 140 < abs(rule - summed[0]) < 1 << 165
