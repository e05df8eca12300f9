"""Rows of the errata about norm balls: how much noise, how large, how many tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from time import process_time
from typing import Any

import numpy as np

from leastnoise import geometry
from leastnoise.randomness import HashedBits
from leastnoise.reproduce.panels import Row, Settings
from leastnoise.sampling.bodies import rejected
from leastnoise.sampling.radial import RadialLaw


def mean_length(law: RadialLaw) -> float:
    """E ||V||_K of a density proportional to g(||v||_K), by quadrature of r^d g and r^(d-1) g."""
    edges = [float(e) for e in law.edges]
    last, half = float(law.radii[-1]), float(law.epsilon) / 2
    ends = [*edges, edges[-1] + last]
    pieces = [np.linspace(a, b, 65) for a, b in pairwise(ends)]
    pieces.append(np.linspace(0, 1, 4001) * 80 * last / half + ends[-1])
    top = bottom = 0.0
    for r in pieces:
        g = np.exp([-float(law.exponent(Fraction(x))) for x in r])
        top += float(np.trapezoid(r**law.dimension * g, r))
        bottom += float(np.trapezoid(r ** (law.dimension - 1) * g, r))
    return top / bottom


def constant_radii(settings: Settings) -> Iterator[Row]:
    """4.3: with constant radii the piecewise K-norm mechanism is the K-norm mechanism at eps/2."""
    size, dimension = Fraction(10), 2
    halved = 2 * dimension * float(size)  # a Gamma(d) length at half of epsilon = 1
    law = RadialLaw(dimension, [size, size], Fraction(1))
    yield Row("4.3 constant radii: K-norm at eps/2, length", halved, mean_length(law))


def cross_noise(kind: str, draws: int) -> float:
    """Root mean square noise of a cross product at eps = 1: five features, one response."""
    space = geometry.MomentSpace(6, squares=tuple(range(5)))
    d = space.dimension
    if kind == "l1":
        return 2 * d * sqrt(2)  # the sensitivity is 2 d
    if kind == "linf":
        return sqrt((d + 1) * (d + 2)) * 2 / sqrt(3)
    places = sorted(set(space.places()[2].values()))
    points = geometry.moment_ball(kind, space).sample(draws, np.random.default_rng([4, 4]))
    return sqrt((d + 1) * (d + 2)) * float(np.sqrt((points[:, places] ** 2).mean()))


def tighter_balls(settings: Settings) -> Iterator[Row]:
    """4.4: l1, l-infinity and the paper's K against plus, tri, cycles, sdp and the cone."""
    paper = cross_noise("paper", settings.pick(4000, 40_000))
    for kind in ("l1", "linf"):
        yield Row(f"4.4 noise of a product, p = 5, {kind}", improved=cross_noise(kind, 0))
    yield Row("4.4 noise of a product, p = 5, paper", improved=paper)
    balls = {"plus": (100, 1000), "tri": (200, 1000), "cycles": (30, 200), "sdp": (10, 60)}
    for kind, (few, many) in balls.items():
        noise = cross_noise(kind, settings.pick(few, many))
        yield Row(f"4.4 noise of a product, p = 5, {kind}", paper, noise)
    space = geometry.MomentSpace(6, squares=tuple(range(5)))
    draws, rng = settings.pick(800, 20_000), np.random.default_rng([4, 6])
    points = geometry.MomentCone(space).sample_noise(draws, 1.0, rng)
    places = sorted(set(space.places()[2].values()))
    cone = float(np.sqrt((points[:, places] ** 2).mean()))
    yield Row("4.4 noise of a product, p = 5, cone", paper, cone)


def ball_sampler(settings: Settings) -> Iterator[Row]:
    """4.5: points of the box that naive rejection tries for one of the paper's K, p = 12.

    Given first-order coordinates a_j, uniform in [-2, 2], the others are independent: a square is
    in the ball with the chance 1 - (max(|a|, 1) - 1)^2, a product of a and b with the chance
    min(2, 4 - |a| - |b|)/2. The mean of their product is the share of the box. Every try of naive
    rejection draws all coordinates; the sampler by coordinates tries first-order ones only.
    """
    features = 12
    rng = np.random.default_rng([4, 5])
    a = np.abs(rng.uniform(-2, 2, (settings.pick(200_000, 4_000_000), features + 1)))
    share = np.prod(1 - (np.maximum(a[:, :-1], 1) - 1) ** 2, axis=1)
    for j in range(features + 1):
        for k in range(j):
            share *= np.minimum(2, 4 - a[:, j] - a[:, k]) / 2
    yield Row("4.5 tries of naive rejection from K, p = 12", 1 / float(share.mean()), 1.0)


def sampler_time(settings: Settings) -> Iterator[Row]:
    """4.5: CPU time of a point of K, p = 12, naive exact rejection over ours; full runs only."""
    if settings.quick:
        return
    space = geometry.MomentSpace(13, squares=tuple(range(12)))
    ball, source = geometry.moment_ball("paper", space), HashedBits(b"4.5")
    naive, ours = (
        min(_time(draw, repeats) for _ in range(3))
        for draw, repeats in (
            (lambda: rejected(ball.half_widths, ball.decide, source, [0]), 5),
            (lambda: ball.uniform(source), 500),
        )
    )
    yield Row("4.5 time of a point of K, p = 12, ms", naive, ours)


def _time(draw: Callable[[], object], repeats: int) -> float:
    """CPU milliseconds of one draw."""
    start = process_time()
    for _ in range(repeats):
        draw()
    return 1000 * (process_time() - start) / repeats


def hull(settings: Settings) -> Iterator[Row]:
    """2: K_T is more than the hull of the sensitivity space: a witness, and volumes."""
    space = geometry.MomentSpace(2, squares=(0,))
    inner = geometry.moment_hull(space)
    first, second, cross = space.places()
    witness = np.zeros((1, space.dimension))
    # (u_x, u_y, u_xx, u_xy) = (1, 1, 2, 2)
    for place, value in zip((*first, second[0], cross[0, 1]), (1, 1, 2, 2), strict=True):
        witness[0, place] = value
    norms: Any = np.asarray(inner.norms(witness))
    yield Row("2 hull norm of a point of K, p = 1", improved=float(norms[0]))
    for features in settings.pick((1,), (1, 2, 3)):
        share = volume_share(features, settings.pick(80, 1000), settings.pick(6000, 100_000))
        yield Row(f"2 volume of the hull over K, p = {features}", share=share)


def volume_share(features: int, draws: int, points: int) -> float:
    """Of the hull in the paper's K, by way of ``cycles``, which lies between them."""
    space = geometry.MomentSpace(features + 1, squares=tuple(range(features)))
    paper, cycles = (geometry.moment_ball(kind, space) for kind in ("paper", "cycles"))
    inside: Any = cycles.norms(paper.sample(points, np.random.default_rng(features))) <= 1
    ratio, _ = geometry.volume_ratio(geometry.moment_hull(space), cycles, draws, seed=features)
    return float(inside.mean()) * ratio
