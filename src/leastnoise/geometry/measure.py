"""Volumes by sampling with a certificate, and supports by search: analysis, never a release."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod, sqrt
from typing import Any

import numpy as np

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.geometry.ball import Ball, Floats
from leastnoise.params import parse_count, parse_number


@dataclass(frozen=True, slots=True)
class VolumeEstimate:
    """A volume between two limits, with the confidence that it lies there.

    Attributes
    ----------
    value : float
        The estimate, in the units of the ball's coordinates.
    low, high : float
        The limits; ``value`` lies between them.
    confidence : float
        The chance, over the draws, that the limits hold the volume.
    """

    value: float
    low: float
    high: float
    confidence: float


def estimate_volume(
    ball: Ball, draws: int = 200_000, *, confidence: float = 0.999, seed: int = 0
) -> VolumeEstimate:
    """The volume of a ball from uniform points of its box.

    The interval is that of Clopper and Pearson for the share of points inside, which holds for
    every number of draws; a ball that fills too little of its box gives a wide one.

    Parameters
    ----------
    ball : Ball
        In d coordinates.
    draws : int
        Points of the box, at least 1.
    confidence : float
        Between 0 and 1: the chance that the interval holds the volume.
    seed : int
        Of numpy's generator, at least 0: the same seed gives the same estimate.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, or ``ball`` is not a ball.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> found = geometry.estimate_volume(geometry.LpBall(2, 2), 10_000)
    >>> found.low < 3.1416 < found.high
    True
    """
    from leastnoise.geometry.ball import as_ball

    as_ball(ball)
    draws = parse_count(draws, "draws")
    confidence = float(parse_number(confidence, "confidence"))
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie between 0 and 1, got {quoted(confidence)}")
    from scipy.special import betaincinv

    rng = np.random.default_rng(parse_count(seed, "seed", least=0))
    widths = np.array([float(w) for w in ball.half_widths])
    inside, left = 0, draws
    while left:
        size = min(left, max(1, 10**6 // ball.dimension))
        points = (2 * rng.random((size, ball.dimension)) - 1) * widths
        inside += int((ball.norms(points) <= 1).sum())
        left -= size
    box = prod(2 * float(w) for w in widths)
    tail = (1 - confidence) / 2
    low = float(betaincinv(inside, draws - inside + 1, tail)) if inside else 0.0
    high = float(betaincinv(inside + 1, draws - inside, 1 - tail)) if inside < draws else 1.0
    return VolumeEstimate(box * inside / draws, box * low, box * high, confidence)


_PROPOSALS = 20_000


def check_rejection(ball: Ball, outer: Ball | None = None) -> None:
    """Refuse a ball that a fixed stream of points of its box, or of ``outer``, does not hit.

    Raises
    ------
    ParameterError
        If none of 20,000 points lies inside.
    """
    rng = np.random.default_rng(0)
    if outer is None:
        widths = np.array([float(w) for w in ball.half_widths])
        points = (2 * rng.random((_PROPOSALS, ball.dimension)) - 1) * widths
    else:
        points = outer.sample(_PROPOSALS, rng)
    # doubles only choose what is refused, from public parameters
    left = points
    while len(left):
        if (ball.norms(left[:1000]) <= 1).any():
            return
        left = left[1000:]
    raise ParameterError(
        f"ball {ball.name!r} fills too small a part of its box for exact rejection: use another, "
        "such as 'blocks' or 'linf'"
    )


def volume_ratio(inner: Any, outer: Ball, draws: int, *, seed: int = 0) -> tuple[float, float]:
    """(volume of ``inner`` / volume of ``outer``, standard error) for inner contained in outer.

    For a uniform direction of the cone measure of ``outer`` with boundary point v the share of the
    ray that lies in ``inner`` is 1 / ||v||_inner, so the ratio is the mean of ||v||_inner^-d.

    Parameters
    ----------
    inner : Ball or SensitivitySpace
        Contained in ``outer``; of a space the hull is meant.
    outer : Ball
        Of the same dimension.
    draws : int
        Directions, at least 2.
    seed : int
        Of numpy's generator, at least 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, or an argument has no norm.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> ratio, error = geometry.volume_ratio(geometry.LpBall(1, 2), geometry.LpBall(2, 2), 4000)
    >>> abs(ratio - 2 / 3.14159) < 5 * error
    True
    """
    from leastnoise.geometry.ball import as_ball

    as_ball(outer, "outer")
    if not hasattr(inner, "norms"):
        raise ParameterTypeError(f"inner must be a ball or a space, not {type(inner).__name__}")
    draws = parse_count(draws, "draws", least=2)
    rng = np.random.default_rng(parse_count(seed, "seed", least=0))
    points = outer.sample(draws, rng)
    edge = points / outer.norms(points)[:, None]
    shares = np.asarray(inner.norms(edge), dtype=float) ** -float(outer.dimension)
    return float(shares.mean()), float(shares.std(ddof=1) / sqrt(draws))


def support_by_search(ball: Ball, direction: Floats) -> float:
    """max <direction, v> over the ball: 1 / min ||v|| over <direction, v> = 1."""
    from scipy.optimize import minimize

    length = float(np.linalg.norm(direction))
    if length == 0:
        return 0.0
    unit = direction / length
    basis = np.linalg.svd(unit[None, :])[2][1:]
    best = float("inf")
    rng = np.random.default_rng(0)
    for trial in range(4):
        start = rng.normal(size=len(basis)) * (0.0 if trial == 0 else 0.5)

        def height(x: Floats) -> float:
            return float(ball.norms((unit + x @ basis)[None, :])[0])

        if len(basis):
            found: Any = minimize(height, start, method="Powell", options={"xtol": 1e-8})
            best = min(best, float(found.fun))
        else:
            best = height(np.zeros(0))
    return length / best
