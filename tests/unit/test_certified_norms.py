"""Sampled changes are upper bounds of the exact norms of differences, and close ones."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.blackbox.norms import VectorNorms
from leastnoise.errors import ParameterError
from leastnoise.geometry import Custom, Linear, LpBall, MomentSpace, Polytope, moment_ball

F = Fraction


def exact(norm, first, second):
    """The norm itself, or its square for l2."""
    gaps = [abs(F(a) - F(b)) for a, b in zip(first, second, strict=True)]
    return {"l1": sum(gaps), "l2": sum(gap * gap for gap in gaps), "linf": max(gaps)}[norm]


@pytest.mark.parametrize("scale", [1, 1e-150, 2.7e-162, 1e-200, 1e-308, 1e-321, 1e150, 1e300])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_no_norm_is_too_small_and_none_far_too_large(norm, scale):
    rng = np.random.default_rng(1)
    for d in (1, 2, 5, 64):
        first, second = rng.normal(size=(2, 12, d)) * scale
        second[:6] = first[:6] * (1 + 1e-15)
        found = VectorNorms(norm)(first, second)
        for one, other, got in zip(first.tolist(), second.tolist(), found.tolist(), strict=True):
            wanted, power = exact(norm, one, other), 2 if norm == "l2" else 1
            assert got == inf or F(got) ** power >= wanted
            # two units of the smallest double for each coordinate
            assert F(got / (1 + 1e-12)) ** power <= wanted + F(2 * d * 5e-324) + (
                0 if power == 1 else 4 * d * F(5e-324) * F(got)
            )


def test_no_change_is_0():
    point = np.array([[3.0, -1e300]])
    for norm in ("l1", "l2", "linf", LpBall(2, 2)):
        assert VectorNorms(norm)(point, point) == [0]


ROUND = Linear([[1, 10**8], [1, 10**8 + 1]], LpBall("inf", 2))
BALLS = [
    (ROUND, [1.0, 1e8]),
    (Polytope([[10**6, 10**6], [1, -1]]), [1e6, 1.0]),
    (LpBall(3, 2), [1.0, 1.0]),
    (Custom(lambda v: max(abs(x) for x in v) / 3, [3, 3]), [1.0, 1.0]),
    (moment_ball("tri", MomentSpace(2, squares=())), [1.0, 1.0]),
    (moment_ball("sdp", MomentSpace(2, squares=())), [1.0, 1.0]),
]


@pytest.mark.parametrize(("ball", "scale"), BALLS, ids=lambda x: getattr(x, "name", ""))
def test_balls_are_bounded_exactly(ball, scale):
    """In doubles the first is up to 47 % too small, the last the middle of an interval."""
    rng = np.random.default_rng(2)
    first = rng.normal(size=(5, ball.dimension))
    if ball is ROUND:
        first = first @ np.array([[1.0, 1.0], [1e8, 1e8 + 1]])
    else:
        first[:, :2] *= scale
    second = first[::-1] / 7
    for one, other, got in zip(first, second, VectorNorms(ball)(first, second), strict=True):
        bound = ball.bound([F(a) - F(b) for a, b in zip(one.tolist(), other.tolist(), strict=True)])
        assert bound <= F(float(got)) <= bound * (1 + F(1, 2**50))


def test_tiny_answers_are_not_measured_too_small():
    """Squares of 2.7e-162 vanish; one coordinate has no need of them, two are scaled."""
    for function in (lambda r: 2.7e-162 * r[0], lambda r: [2.7e-162 * r[0], 2.7e-162 * r[0]]):
        sampler = ln.SensitivitySampler(
            function,
            draw_record=lambda rng, size: (rng.random(size) < 0.5) * 1.0,
            n=1,
            gamma="0.1",
            norm="l2",
            batch=False,
        )
        assert float(sampler.estimate()) >= 2.7e-162


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e9])
def test_a_change_that_is_only_rounding_is_refused(size):
    """The answer is constant but for the last digits, which records move."""

    def constant(records):
        return [size * (1 + 1e-15 * records[0]), -size]

    asked = {"draw_record": lambda rng, size: rng.random(size) * 40, "n": 2, "gamma": "0.5"}
    sampler = ln.SensitivitySampler(constant, batch=False, norm="l1", **asked)
    with pytest.raises(ParameterError, match="level of rounding"):
        sampler.estimate()
    plain = lambda records: [size * (1 + 1e-9 * records[0]), -size]
    assert ln.SensitivitySampler(plain, batch=False, **asked).estimate().sensitivity > 0
