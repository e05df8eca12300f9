"""A point near the minimiser of a convex function, by Newton steps: it proposes, decides nothing.

Each step is as long as the slope along it tells. Values are not compared: where they no longer
differ in doubles slopes still do.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf, log2

import numpy as np

from leastnoise.estimators.float_objective import FloatObjective, Floats, Local

_FEW, _MANY = 30, 300
_TURNS = 64


def descend(doubles: FloatObjective) -> Local:
    """J near its minimiser, from 0 on, until the gradient is lost in the error of doubles."""
    here, done = _descend(doubles, doubles.at(np.zeros(doubles.objective.width)), 1.0, _FEW)
    if done:
        return here
    # kinks are narrow beside the way to go: wide ones first
    far = float(np.abs(doubles.along(here.point)).max(initial=1.0))
    width = 2.0 ** ceil(log2(far))
    while width > 1:
        here, _ = _descend(doubles, doubles.at(here.point, width), width, _FEW)
        width /= 4
    return _descend(doubles, doubles.at(here.point), 1.0, _MANY)[0]


def _descend(doubles: FloatObjective, here: Local, width: float, steps: int) -> tuple[Local, bool]:
    """Newton steps; and whether the gradient got as small as doubles can tell."""
    for _ in range(steps):
        if bool((np.abs(here.gradient) <= here.error).all()):
            return here, True
        move = newton_move(here.hessian, here.gradient)
        slope = float(here.gradient @ move)
        there = doubles.at(here.point + move, width)
        after = float(there.gradient @ move)
        if not slope / 2 <= after <= 0 and not _size(there.gradient) <= _size(here.gradient) / 2:
            length = step_length(_slope_along(doubles, here.point, move, width), slope, after)
            there = doubles.at(here.point + length * move, width)
        if bool((there.point == here.point).all()):
            return here, True
        here = there
    return here, False


def newton_move(hessian: Floats, gradient: Floats) -> Floats:
    """-H^-1 g, damped as far as doubles need it to lead downwards."""
    scale = 1 / np.sqrt(np.diag(hessian))
    scaled = hessian * np.outer(scale, scale)
    for damping in (0.0, 2.0**-40, 2.0**-20):
        try:
            move = -scale * np.linalg.solve(scaled + damping * np.eye(len(scale)), scale * gradient)
        except np.linalg.LinAlgError:
            continue
        if np.isfinite(move).all() and float(gradient @ move) < 0:
            return move
    return -scale * scale * gradient


def step_length(slope: Callable[[float], float], start: float, first: float) -> float:
    """A t with start / 2 <= slope(t) <= 0, for a slope that rises from ``start`` < 0 at t = 0.

    ``first`` is the slope at 1. Where none is found in doubles: one where it is still negative.
    """
    low, low_slope, high, high_slope = 0.0, start, inf, inf
    at, found = 1.0, first
    for turn in range(_TURNS):
        if start / 2 <= found <= 0:
            return at
        if found < 0:
            low, low_slope = at, found
        else:
            high, high_slope = at, found
        if high == inf:
            at = 4 * low
        elif turn % 2:
            at = (low + high) / 2 if low > 0 else high / 16
        else:
            at = low + (high - low) * low_slope / (low_slope - high_slope)
        if not low < at < high:
            break
        found = slope(at)
    return low


def _slope_along(
    doubles: FloatObjective, point: Floats, move: Floats, width: float
) -> Callable[[float], float]:
    start, ahead = doubles.along(point), doubles.objective.features @ move

    def slope(t: float) -> float:
        whole, small, _ = doubles.slopes(start + t * ahead, width)
        pull = doubles.ridge * (point + t * move) + doubles.noise
        return float((whole + small) @ ahead) + float(pull @ move)

    return slope


def _size(gradient: Floats) -> float:
    return float(np.linalg.norm(gradient))
