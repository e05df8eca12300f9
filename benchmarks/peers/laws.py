"""Exact expected errors of the peers' mechanisms, from the laws that their code draws from.

``python benchmarks/peers.py --check`` compares each with releases of the library itself.
"""

from __future__ import annotations

from math import exp, log

import numpy as np


def cut_laplace(scale: float, value: float, low: float, high: float) -> float:
    """E|cut(value + Laplace) - value|, cut to the range."""
    return scale * (1 - (exp(-(high - value) / scale) + exp(-(value - low) / scale)) / 2)


def bounded_laplace(scale: float, value: float, low: float, high: float) -> float:
    """E|value + Laplace - value| given that the answer is in the range (drawn until it is)."""
    sides = value - low, high - value
    inside = 1 - sum(exp(-side / scale) for side in sides) / 2
    return sum(scale - (scale + side) * exp(-side / scale) for side in sides) / 2 / inside


def bounded_scale(epsilon: float, sensitivity: float, width: float) -> float:
    """The scale that bounded Laplace noise needs (Holohan and others 2020), by bisection."""

    def needed(scale: float) -> float:
        growth = (2 - exp(-sensitivity / scale) - exp(-(width - sensitivity) / scale)) / (
            1 - exp(-width / scale)
        )
        return sensitivity / (epsilon - log(growth))

    left = sensitivity / epsilon
    right = needed(left)
    for _ in range(200):
        middle = (left + right) / 2
        left, right = (middle, right) if needed(middle) >= middle else (left, middle)
    return (left + right) / 2


def exponential_over_intervals(
    x: np.ndarray, q: float, epsilon: float, bounds: tuple[float, float]
) -> float:
    """E|answer - quantile|: an interval between neighbours by exp(-epsilon |rank - q n| / 2)."""
    rows = len(x)
    ends = np.sort(np.concatenate([np.clip(x, *bounds), bounds]).astype(float))
    weight = -np.abs(np.arange(rows + 1) - q * rows) * epsilon / 2
    width = np.diff(ends)
    mass = width * np.exp(weight - weight[width > 0].max())
    value = float(ends[max(1, int(np.ceil(q * rows)))])
    below, above = np.minimum(ends, value), np.maximum(ends, value)
    # the mean of |y - value| over an interval that does not hold the value inside
    middle = (value - (below[:-1] + below[1:]) / 2) + ((above[:-1] + above[1:]) / 2 - value)
    return float((mass * middle).sum() / mass.sum())


def noisy_best(
    x: np.ndarray, q: float, epsilon: float, candidates: np.ndarray, value: float
) -> float:
    """E|candidate - value| of the least of |(1 - q) below - q above| + exponential noise.

    The scale of the noise is 2 max(q, 1 - q) / epsilon. By the integral over the winner's noise.
    """
    ends = np.sort(x)
    below = np.searchsorted(ends, candidates, side="left")
    above = len(ends) - np.searchsorted(ends, candidates, side="right")
    gaps = np.abs((1 - q) * below - q * above) * epsilon / 2 / max(q, 1 - q)
    gaps -= gaps.min()
    near = gaps < 60
    gaps, off = gaps[near], np.abs(candidates[near] - value)
    # permute and flip: with t = e^-gap, candidate i wins with t_i times the integral over p in
    # [0, 1] of the product over the others of (1 - p t_j)
    t = np.exp(-gaps)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    p = (nodes + 1) / 2
    logs = np.log1p(-np.outer(p, t) * (1 - 1e-15))
    rest = np.exp(logs.sum(axis=1, keepdims=True) - logs)
    wins = t * ((weights / 2) @ rest)
    return float(wins @ off / wins.sum())
