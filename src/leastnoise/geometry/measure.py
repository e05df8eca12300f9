"""Volumes by sampling with a certificate, and supports by search: analysis, never a release."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, prod, sqrt
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from leastnoise.errors import ParameterError

if TYPE_CHECKING:
    from leastnoise.geometry.ball import Ball, Floats


@dataclass(frozen=True, slots=True)
class VolumeEstimate:
    """A volume between ``low`` and ``high`` with the stated confidence; ``value`` inside."""

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
    """
    from scipy.special import betaincinv

    rng = np.random.default_rng(seed)
    widths = np.array([float(w) for w in ball.half_widths])
    inside, left = 0, draws
    while left:
        size = min(left, max(1, 10**6 // ball.dimension))
        points = (2 * rng.random((size, ball.dimension)) - 1) * widths
        inside += int((ball.norms(points) <= 1).sum())
        left -= size
    box = prod(2 * float(w) for w in widths)
    tail = (1 - confidence) / 2
    low = cast("Any", betaincinv)(inside, draws - inside + 1, tail) if inside else 0.0
    high = cast("Any", betaincinv)(inside + 1, draws - inside, 1 - tail) if inside < draws else 1.0
    return VolumeEstimate(box * inside / draws, box * float(low), box * float(high), confidence)


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
        f"ball {ball.name!r} is too small a part of its box for exact rejection: take another, "
        "such as 'blocks' or 'linf'"
    )


def volume_ratio(inner: Any, outer: Ball, draws: int, *, seed: int = 0) -> tuple[float, float]:
    """(volume of ``inner`` / volume of ``outer``, standard error) for inner contained in outer.

    For a uniform direction of the cone measure of ``outer`` with boundary point v the share of the
    ray that lies in ``inner`` is 1 / ||v||_inner, so the ratio is the mean of ||v||_inner^-d.
    """
    rng = np.random.default_rng(seed)
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
            found = cast("Any", minimize)(height, start, method="Powell", options={"xtol": 1e-8})
            best = min(best, float(found.fun))
        else:
            best = height(np.zeros(0))
    return length / best


def log_volume(ball: Ball) -> float:
    """log of the volume."""
    return log(ball.volume)
