"""Piecewise K-norm noise: the radius by exact inversion, privacy by enumeration, mutations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import leastnoise as ln
from leastnoise import geometry
from leastnoise.laws.vector import VectorLaw
from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import HashedBits
from leastnoise.sampling.radial import RadialLaw, reach
from leastnoise.testing.scripted import ScriptedBits
from support.cells import cell_mass, segments

Data = tuple[int, ...]
UNIVERSE = (0, 1, 3)
N = 3
EPSILON = Fraction(1)
BALL = geometry.Polytope(points=[(1, 0), (0, 1), (1, 1)])
FACETS = [(f[0], f[1]) for f in BALL.facets]
VERTICES = [(v[0], v[1]) for v in BALL.vertices]
E = Fraction(2**128, exp_enclosure(1, 1, 128)[0])  # rounded up at 2**-126


def f(x: Data) -> tuple[int, int]:
    """A vector with little local and much global sensitivity: the median, twice, and a spread."""
    s = sorted(x)
    return s[1], 3 * (s[2] - s[0] > 2)


def neighbours(x: Data) -> list[Data]:
    return [(*x[:i], z, *x[i + 1 :]) for i in range(N) for z in UNIVERSE if z != x[i]]


def distance(x: Data, y: Data) -> Fraction:
    return BALL.bound([a - b for a, b in zip(f(x), f(y), strict=True)])


DATA = list(product(UNIVERSE, repeat=N))
DELTA = max(distance(x, y) for x in DATA for y in neighbours(x))


@cache
def ball_around(x: Data, level: int) -> frozenset[Data]:
    if level == 0:
        return frozenset([x])
    inner = ball_around(x, level - 1)
    return inner | {z for y in inner for z in neighbours(y)}


def radius(x: Data, level: int) -> Fraction:
    """R_l: the most that one more record moves f, within l - 1 changes."""
    return max(distance(y, z) for y in ball_around(x, level - 1) for z in neighbours(y))


def radii(x: Data, depth: int = 2) -> tuple[Fraction, ...]:
    return (*(min(radius(x, l), DELTA) for l in range(1, depth + 1)), DELTA)


@cache
def integral(r: tuple[Fraction, ...], epsilon: Fraction, k: tuple[int, int]) -> Any:
    return cell_mass(FACETS, VERTICES, segments(list(r), epsilon), epsilon / 2, k)


@cache
def whole(r: tuple[Fraction, ...], epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """The integral over the plane: area times the integral of r^2 E' exp(-E)."""
    levels = segments(list(r), epsilon)
    low = high = Fraction(0)

    def add(weight: Fraction, e: Fraction) -> None:
        nonlocal low, high
        down, up = exp_enclosure(e.numerator, e.denominator, 200)
        low += weight * (down if weight > 0 else up) / 2**200
        high += weight * (up if weight > 0 else down) / 2**200

    for number, (start, slope, e) in enumerate(levels):
        end = levels[number + 1][0] if number + 1 < len(levels) else None
        height = lambda s, b=slope: reach(b, 2, s) if b else s * s
        add(height(start), e)
        if end is not None:
            add(-height(end), e + epsilon / 2)
    return BALL.exact_volume * low, BALL.exact_volume * high


def worst_loss(
    scale: Callable[[Data], tuple[Fraction, ...]], epsilon: Fraction = EPSILON
) -> Fraction:
    """The largest ratio of probabilities, from below, over neighbours and a window of answers."""
    worst = Fraction(0)
    window = [(0, 0), (-2, 0), (4, 0), (1, 3), (0, 5), (-1, -2), (3, 4)]
    seen: set[Any] = set()
    for x in DATA:
        for y in neighbours(x):
            key = (f(x), f(y), scale(x), scale(y))
            if key in seen:
                continue
            seen.add(key)
            for k in window:
                here = integral(scale(x), epsilon, (k[0] - f(x)[0], k[1] - f(x)[1]))[0]
                there = integral(scale(y), epsilon, (k[0] - f(y)[0], k[1] - f(y)[1]))[1]
                ratio = here / whole(scale(x), epsilon)[1] / (there / whole(scale(y), epsilon)[0])
                worst = max(worst, ratio)
    return worst


def test_the_radii_obey_their_law() -> None:
    for x in DATA:
        for y in neighbours(x):
            assert distance(x, y) <= radius(x, 1)
            assert all(radius(y, l) <= radius(x, l + 1) for l in range(1, N))
    assert min(radius(x, 1) for x in DATA) < DELTA  # there is something to gain


def test_piecewise_noise_is_private_exactly() -> None:
    worst = worst_loss(radii)
    assert worst <= E
    assert worst > 1.5


MUTATIONS: dict[str, Callable[[Data], tuple[Fraction, ...]]] = {
    "the local radius at every level": lambda x: (max(radius(x, 1), Fraction(1, 4)),),
    "radii of another norm, half as large": lambda x: tuple(r / 3 for r in radii(x)),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_broken_radii_are_seen(name: str) -> None:
    assert worst_loss(MUTATIONS[name]) > E


def test_the_whole_of_epsilon_in_the_exponent_is_seen() -> None:
    """exp(-eps l) instead of exp(-eps l / 2) forgets that the normalising constants differ."""
    assert worst_loss(radii, 2 * EPSILON) > E


# ---------------------------------------------------------------------------------------------
# the sampler

CASES: dict[str, list[Fraction]] = {
    "one": [Fraction(1)],
    "growing": [Fraction(1), Fraction(2), Fraction(5, 2)],
    "zero first": [Fraction(0), Fraction(0), Fraction(1, 2), Fraction(2)],
    "zero between": [Fraction(1), Fraction(0), Fraction(1)],
}


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1), Fraction(10**9)])
@pytest.mark.parametrize("radii", [[0, 0, 1], [0, 0, 2, 3]])
def test_radii_scale_with_epsilon(radii: list[int], epsilon: Fraction) -> None:
    """However steep or flat the law is, a draw takes few digits."""
    law = RadialLaw(4, [Fraction(r) for r in radii], epsilon)
    draws = [law.draw(HashedBits(bytes([k]))).floats()[0] for k in range(20)]
    assert all(0.1 < draw * float(epsilon) < 200 for draw in draws)


@pytest.mark.parametrize("radii", [[1], [min(k, 10) for k in range(1, 21)]])
def test_a_draw_ends_in_many_dimensions(radii: list[int]) -> None:
    """The mass that is inverted grows with the radius as its weight falls: digits must follow."""
    law = RadialLaw(103, [Fraction(r) for r in radii], Fraction(1))
    draws = [law.draw(HashedBits(bytes([k]))).floats()[0] for k in range(3)]
    # far out the slope is that of the last radius: rho / (2 R) is about Gamma(104)
    assert all(60 < draw / (2 * radii[-1]) < 180 for draw in draws)


def reference(law: RadialLaw) -> Callable[[Any], Any]:
    """The distribution function of rho from its density rho^d E' exp(-E), on a fine grid."""
    half, d = float(law.epsilon) / 2, law.dimension
    grid = np.linspace(0, 60.0 + 20 * d, 400_001)
    weights = np.zeros_like(grid)
    edges = [float(s) for s in law.edges]
    step = grid[1]
    for level, (start, r) in enumerate(zip(edges, law.radii, strict=True)):
        end = edges[level + 1] if level + 1 < len(edges) else np.inf
        if r == 0:
            fall = np.exp(-half * level) - np.exp(-half * (level + 1))
            weights[np.searchsorted(grid, start)] += start**d * fall
            continue
        inside = (grid >= start) & (grid < end)
        e = half * (level + (grid[inside] - start) / float(r))
        weights[inside] += step * grid[inside] ** d * half / float(r) * np.exp(-e)
    total = np.cumsum(weights) / weights.sum()
    return lambda x: np.interp(x, grid, total)


@pytest.mark.parametrize("dimension", [1, 4])
@pytest.mark.parametrize("name", CASES)
def test_radii_follow_their_law(name: str, dimension: int) -> None:
    law = RadialLaw(dimension, CASES[name], Fraction(3, 2))
    source = HashedBits(f"radial {name} {dimension}".encode())
    draws = np.array([law.draw(source).floats()[0] for _ in range(120)])
    cdf = reference(law)
    if "between" in name:  # an atom at 1: compare its share, and the rest by its law
        at = np.abs(draws - 1) < 1e-9
        share = float(cdf(1.001) - cdf(0.999))
        assert stats.binomtest(int(at.sum()), len(draws), share).pvalue > 1e-4
        draws = draws[~at]
        low, high = float(cdf(0.999)), float(cdf(1.001))
        inner = cdf

        def cdf(x: Any) -> Any:
            y = inner(x)
            return np.where(y > high, y - (high - low), np.minimum(y, low)) / (1 - high + low)

    assert stats.kstest(draws, cdf).pvalue > 1e-4


def test_a_radius_is_the_inverse_of_one_uniform() -> None:
    """Digits are nested, and T(rho) is the uniform's share of T(0), for scripted uniforms."""
    law = RadialLaw(3, CASES["growing"], Fraction(1))
    for number in (1, 3, 1 << 20, (1 << 64) - 1, 1 << 63):
        bits = number << 128
        rho = law.draw(ScriptedBits(bits, 192))
        coarse, fine = rho.enclose(20)[0], rho.enclose(90)[0]
        assert coarse[0] << 70 <= fine[1]
        assert coarse[1] << 70 >= fine[0]
        exact = Fraction(fine[0] + fine[1], 2**91)
        share = _beyond(law, exact) / _beyond(law, Fraction(0))
        assert float(share) == pytest.approx(number / 2**64, rel=1e-9)


def _beyond(law: RadialLaw, r: Fraction) -> Fraction:
    """T(r) by its definition as a sum, with exponentials to 200 bits."""

    def exponential(e: Fraction) -> Fraction:
        return Fraction(exp_enclosure(e.numerator, e.denominator, 200)[0], 2**200)

    total, half = Fraction(0), law.epsilon / 2
    edges = law.edges
    for level, (start, radius) in enumerate(zip(edges, law.radii, strict=True)):
        end = edges[level + 1] if level + 1 < len(edges) else None
        if end is not None and end <= r:
            continue
        first, b = max(start, r), half / radius
        total += exponential(half * level + b * (first - start)) * reach(b, law.dimension, first)
        if end is not None:
            total -= exponential(half * (level + 1)) * reach(b, law.dimension, end)
    return total


def profile(x: Data) -> ln.VectorProfile:
    return ln.VectorProfile(
        value=f(x),
        units=(Fraction(1), Fraction(1)),
        sensitivity=lambda ball: DELTA,
        named=lambda name: (BALL, DELTA),
        default_ball="hexagon",
        radius=lambda ball, level: radius(x, level),
        depth=2,
    )


def test_draws_follow_the_exact_cell_masses() -> None:
    x, epsilon = (0, 1, 1), Fraction(12)
    law = ln.PiecewiseKNorm(BALL).law(profile(x), epsilon)
    source = HashedBits(b"piecewise cells")
    draws = 400
    counts = Counter(tuple(law.draw(source)) for _ in range(draws))
    total = whole(radii(x), epsilon)[0]
    window = [(i, j) for i in range(-2, 3) for j in range(-2, 3)]
    expected = {k: float(integral(radii(x), epsilon, k)[0] / total) * draws for k in window}
    cells = [k for k in window if expected[k] >= 6]
    at = {k: counts[(k[0] + f(x)[0], k[1] + f(x)[1])] for k in cells}
    observed = [*at.values(), draws - sum(at.values())]
    rest = draws - sum(expected[k] for k in cells)
    assert len(cells) > 4
    assert stats.chisquare(observed, [*(expected[k] for k in cells), rest]).pvalue > 1e-4


def test_a_statistic_without_radii_gets_plain_noise_at_the_whole_epsilon() -> None:
    rows = [[1, 2], [3, 4]]
    with ln_simulation():
        one: Any = ln.release(
            ln.MeanVector(bounds=[(0, 9), (0, 9)]), rows, epsilon=1, mechanism=ln.PiecewiseKNorm()
        )
    with ln_simulation():
        two: Any = ln.release(
            ln.MeanVector(bounds=[(0, 9), (0, 9)]), rows, epsilon=1, mechanism=ln.KNorm()
        )
    assert one.value == two.value
    assert one.mechanism == "PiecewiseKNorm('linf')"


def ln_simulation() -> Any:
    from leastnoise.testing import simulate

    return simulate(5)


def test_adaptive_noise_is_smaller_where_the_data_is_calm() -> None:
    source = HashedBits(b"calm")

    def spread(law: VectorLaw) -> float:
        draws = np.array([law.draw(source) for _ in range(100)], dtype=float)
        return float(np.abs(draws - f((1, 1, 1))).mean())

    far = replace(profile((1, 1, 1)), radius=lambda ball, level: DELTA / 30, depth=20)
    assert 4 * spread(ln.PiecewiseKNorm(BALL).law(far, 2)) < spread(ln.KNorm(BALL).law(far, 2))
