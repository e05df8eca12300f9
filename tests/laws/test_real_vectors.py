"""Uniform points of bodies and Gamma radii as real vectors: one draw, any number of digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from leastnoise import geometry
from leastnoise.randomness import BitSource, HashedBits
from leastnoise.sampling.bodies import cube_point, rejected, sphere_direction
from leastnoise.sampling.moment_bodies import MomentBody, draw_moments
from leastnoise.sampling.reals import LazyUniforms, Mapped, RealVector, Scaled, affine, gamma
from leastnoise.testing.scripted import ScriptedBits

LEAST = 1e-4  # fixed streams: a sound sampler passes today and always
DIMENSIONS = (2, 3, 26)


def ball(p: object, d: int) -> geometry.LpBall:
    return geometry.LpBall(p, d)


BODIES: dict[str, Callable[[BitSource], RealVector]] = {
    "cube": lambda s: cube_point(4, s),
    "l1": ball(1, 4).uniform,
    "l2, even": ball(2, 4).uniform,
    "l2, odd": ball(2, 5).uniform,
    "l3": ball(3, 3).uniform,
    "sphere": lambda s: sphere_direction(3, s),
    "gamma": lambda s: gamma(5, Fraction(2, 7), s),
    "noise": lambda s: ball(2, 5).noise(Fraction(1, 1000), s),
    "linear": geometry.Linear([[2, 1], [0, "1/3"]], ball(1, 2)).uniform,
    "polytope": geometry.Polytope(points=[(1, 0), (0, 1), (1, 1)]).uniform,
    "intersection": geometry.Intersection(ball(1, 3), ball("inf", 3).scaled("1/2")).uniform,
    "paper": geometry.moment_ball("paper", geometry.MomentSpace(3)).uniform,
    "blocks": geometry.moment_ball("blocks", geometry.MomentSpace(4)).uniform,
}


@pytest.mark.parametrize("name", BODIES)
def test_more_digits_are_digits_of_the_same_draw(name: str) -> None:
    source = HashedBits(name.encode())
    for _ in range(20):
        vector = BODIES[name](source)
        seen = [(bits, vector.enclose(bits)) for bits in (0, 5, 40, 64, 200, 130)]
        for bits, ends in seen:
            assert len(ends) == vector.dimension
            assert all(0 <= high - low <= 4 for low, high in ends), bits
        exact = vector.enclose(600)
        for bits, ends in seen:
            for (low, high), (a, b) in zip(ends, exact, strict=True):
                assert low << 600 <= b << bits
                assert high << 600 >= a << bits


@pytest.mark.parametrize("name", BODIES)
def test_rounding_is_the_rounding_of_the_real_draw(name: str) -> None:
    source = HashedBits(b"round " + name.encode())
    for _ in range(10):
        vector = BODIES[name](source)
        units = [Fraction(1, 3**i * 100) for i in range(vector.dimension)]
        points = vector.round_to(units)
        for point, unit, (low, _) in zip(points, units, vector.enclose(900), strict=True):
            assert point == (Fraction(low, 1 << 900) / unit + Fraction(1, 2)).__floor__()


WORD = 2**64


def test_an_undecided_rounding_refines_the_same_uniform() -> None:
    # 2 U - 1 rounds to 1 from U = 3/4 on; the first word leaves U just below, the next decides
    below = (3 << 62) - 1
    for second in (0, 7, WORD - 1):
        source = ScriptedBits(below << 64 | second, 128)
        vector = affine(LazyUniforms(1, source))
        assert vector.round_to([Fraction(1)]) == [0]
        assert source.used
        low, high = vector.enclose(124)[0]
        exact = Fraction(2 * (below * WORD + second), WORD**2) - 1
        assert low <= exact * 2**124 <= high
    at = affine(LazyUniforms(1, ScriptedBits((3 << 62) << 64, 128)))
    assert at.round_to([Fraction(1)]) == [1]


@pytest.mark.parametrize(("x", "y", "kept"), [(5, 9, True), (WORD - 1, WORD - 1, False)])
def test_an_undecided_membership_refines_the_same_point(x: int, y: int, kept: bool) -> None:
    # |x| + |y| is within 2**-63 of 1 after the first words, and the next words decide
    script = (3 << 62) << 192 | ((3 << 62) - 1) << 128 | x << 64 | y
    tried = [0]
    diamond = geometry.LpBall(1, 2)
    source = ScriptedBits(script, 256)
    point = rejected(diamond.half_widths, diamond.decide, source, tried)
    assert (tried == [1]) is kept
    if kept:
        low, high = point.enclose(124)[0]
        assert low <= (Fraction(1, 2) + Fraction(2 * x, WORD**2)) * 2**124 <= high


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("p", [1, 2, "inf"])
def test_lp_noise_follows_its_law(p: object, dimension: int) -> None:
    source = HashedBits(f"lp {p} {dimension}".encode())
    k = ball(p, dimension)
    rate = Fraction(3, 4)
    draws = np.array([k.noise(rate, source).floats() for _ in range(600)])
    norms = k.norms(draws)
    # lemma 3.4: the norm is Gamma(d, rate), whatever the ball
    assert stats.kstest(norms, stats.gamma(dimension, scale=4 / 3).cdf).pvalue > LEAST
    direction = draws / norms[:, None]
    # lemma 3.16: norm and direction are independent
    assert stats.spearmanr(norms, np.abs(direction[:, 0])).pvalue > LEAST
    shares = np.abs(draws).ravel() if p == 1 else direction[:, 0]
    if p == 1:  # independent Laplace coordinates
        assert stats.kstest(shares, stats.expon(scale=4 / 3).cdf).pvalue > LEAST
    elif p == 2:  # the squared coordinate of a direction is Beta(1/2, (d - 1)/2)
        law = stats.beta(0.5, (dimension - 1) / 2)
        assert stats.kstest(shares**2, law.cdf).pvalue > LEAST
    else:  # one coordinate is +-1 at the boundary, all are equally likely to be it
        at = np.abs(direction).argmax(axis=1)
        assert stats.chisquare(np.bincount(at, minlength=dimension)).pvalue > LEAST
        others = np.delete(direction, 0, axis=1)[at == 0]
        assert stats.kstest(others.ravel(), stats.uniform(-1, 2).cdf).pvalue > LEAST
    for j in range(dimension):
        assert stats.binomtest(int((draws[:, j] > 0).sum()), len(draws)).pvalue > LEAST
    # and every orthant of the first coordinates is as likely as any other
    few = min(dimension, 5)
    orthants = (draws[:, :few] > 0) @ (1 << np.arange(few))
    assert stats.chisquare(np.bincount(orthants, minlength=1 << few)).pvalue > LEAST


@pytest.mark.parametrize("kind", ["paper", "tri", "cycles", "blocks"])
def test_moment_noise_follows_its_law(kind: str) -> None:
    source = HashedBits(kind.encode())
    k = geometry.moment_ball(kind, geometry.MomentSpace(3))
    draws = np.array([k.noise(1, source).floats() for _ in range(600)])
    norms = k.norms(draws)
    assert stats.kstest(norms, stats.gamma(k.dimension).cdf).pvalue > LEAST
    assert stats.spearmanr(norms, np.abs(draws[:, 0]) / norms).pvalue > LEAST


@pytest.mark.parametrize("kind", ["paper", "plus", "tri", "cycles", "blocks"])
def test_sequential_rejection_is_uniform(kind: str) -> None:
    """Against plain rejection from the cube, coordinate by coordinate."""
    space = geometry.MomentSpace(2)
    k = geometry.moment_ball(kind, space)
    source = HashedBits(b"sequential " + kind.encode())
    ours = np.array([k.uniform(source).floats() for _ in range(1500)])
    rng = np.random.default_rng(5)
    cube = 4 * rng.random((60000, k.dimension)) - 2
    plain = cube[k.norms(cube) <= 1]
    assert len(plain) > 5000
    for j in range(k.dimension):
        assert stats.ks_2samp(ours[:, j], plain[:, j]).pvalue > LEAST
    for i, j in pairwise(range(k.dimension)):
        one, two = (np.abs(x[:, i]) * np.abs(x[:, j]) for x in (ours, plain))
        assert stats.ks_2samp(one, two).pvalue > LEAST


def test_lowest_bits_are_uniform() -> None:
    """Rounded to a unit of 2**-80 the lowest four bits carry no pattern, as floats would leave."""
    source = HashedBits(b"lowest bits")
    unit = [Fraction(1, 2**80)] * 3
    points = [x for _ in range(800) for x in ball(2, 3).noise(1, source).round_to(unit)]
    counts = np.bincount([x % 16 for x in points], minlength=16)
    assert stats.chisquare(counts).pvalue > LEAST


def test_scaled_and_mapped_enclose_products() -> None:
    source = HashedBits(b"scaled")
    for _ in range(50):
        radius, vector = gamma(3, Fraction(1, 10**6), source), cube_point(3, source)
        product = Scaled(radius, vector)
        matrix = [
            [Fraction(1, 3), Fraction(-2), Fraction(0)],
            [Fraction(5), Fraction(0), Fraction(1)],
        ]
        image = Mapped(matrix, vector)
        r = Fraction(radius.enclose(400)[0][0], 1 << 400)
        v = [Fraction(low, 1 << 400) for low, _ in vector.enclose(400)]
        for (low, high), x in zip(product.enclose(30), v, strict=True):
            assert low - 1 <= r * x * 2**30 <= high + 1
        for (low, high), row in zip(image.enclose(30), matrix, strict=True):
            exact = sum(c * x for c, x in zip(row, v, strict=True))
            assert low - 1 <= exact * 2**30 <= high + 1


def test_a_body_of_every_kind_of_constraint_is_decided_like_its_norm() -> None:
    body = MomentBody((0, 1, 2, 3), ((0, 1),), ((0, 2, 3),), ((0, 1, 2, 3),))
    source = HashedBits(b"body")
    for _ in range(200):
        a, b, c, d = draw_moments(body, source).floats()
        assert abs(b) <= 2 - 2 * max(abs(a) - 1, 0) ** 2 + 1e-12
        assert abs(a) + abs(c) + abs(d) <= 4 + 1e-12
        for signs in ((-1, 1, 1, 1), (1, -1, 1, 1), (1, 1, -1, 1), (1, 1, 1, -1)):
            assert abs(signs[0] * a + signs[1] * b + signs[2] * c + signs[3] * d) <= 4 + 1e-12


@pytest.mark.parametrize("squares", [(0, 1, 2, 3), (0, 1, 2, 3, 4), ()])
def test_the_envelope_of_the_paper_s_ball_is_uniform(squares: tuple[int, ...]) -> None:
    """Against rejection in sequence, with all, some and no squares."""
    space = geometry.MomentSpace(5, squares)
    fast = geometry.moment_ball("paper", space)
    source = HashedBits(f"envelope {squares}".encode())
    ours = np.array([fast.uniform(source).floats() for _ in range(800)])
    body = paper_body(space)
    plain = np.array([draw_moments(body, source).floats() for _ in range(800)])
    assert fast.norms(ours).max() <= 1
    for j in range(space.dimension):
        assert stats.ks_2samp(ours[:, j], plain[:, j]).pvalue > LEAST
    sizes = [np.abs(x) for x in (ours, plain)]
    for i, j in pairwise(range(space.dimension)):
        assert stats.ks_2samp(*(s[:, i] + s[:, j] for s in sizes)).pvalue > LEAST
    # how many columns are high is what the envelope draws first
    high = [(s[:, :5] > 1).sum(axis=1) for s in sizes]
    table = np.array([np.bincount(h, minlength=6) for h in high])
    table = table[:, table.sum(axis=0) > 20]
    assert stats.chi2_contingency(table).pvalue > LEAST


def paper_body(space: geometry.MomentSpace) -> MomentBody:
    first, second, cross = space.places()
    pairs = tuple((first[j], second[j]) for j in second)
    triples = tuple((first[j], first[k], cross[j, k]) for j, k in space.crosses)
    return MomentBody(tuple(range(space.dimension)), pairs, triples)
