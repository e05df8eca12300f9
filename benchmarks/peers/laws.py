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
    """E|answer - quantile|: an interval between neighbours by exp(-epsilon |rank - q n| / 2).

    Intervals whose weight is below e^-100 of the best are left out.
    """
    rows, beyond = len(x), int(np.ceil(200 / epsilon))
    reach = beyond
    while True:  # ties have intervals without width; the nearest with width is the best
        first = max(0, int(q * rows) - reach)
        last = min(rows + 1, int(np.ceil(q * rows)) + reach)
        ends = order_statistics(x, first, last, bounds)  # of ranks first to last, in 0 to n + 1
        some = np.flatnonzero(np.diff(ends))
        best = np.abs(first + some - q * rows).min() if len(some) else np.inf
        if reach >= min(rows + 1, best + beyond):
            break
        reach = min(rows + 1, int(best) + beyond) if len(some) else 4 * reach
    ranks = np.arange(first, last)
    weight = -np.abs(ranks - q * rows) * epsilon / 2
    width = np.diff(ends)
    mass = width * np.exp(np.minimum(weight - weight[width > 0].max(), 0))
    value = float(ends[max(1, int(np.ceil(q * rows))) - first])
    below, above = np.minimum(ends, value), np.maximum(ends, value)
    # the mean of |y - value| over an interval that does not hold the value inside
    middle = (value - (below[:-1] + below[1:]) / 2) + ((above[:-1] + above[1:]) / 2 - value)
    return float((mass * middle).sum() / mass.sum())


_kept: dict[object, tuple[np.ndarray, np.ndarray]] = {}


def order_statistics(
    x: np.ndarray, first: int, last: int, bounds: tuple[float, float]
) -> np.ndarray:
    """The order statistics of the clipped values; rank 0 is the lower bound, n + 1 the upper."""
    if ("sorted", bounds) not in _kept or _kept["sorted", bounds][0] is not x:
        _kept["sorted", bounds] = x, np.sort(np.clip(x, *bounds).astype(float))
    ends = _kept["sorted", bounds][1]
    low, high = bounds
    inside = ends[max(0, first - 1) : last]
    head = [low] if first == 0 else []
    tail = [high] if last > len(ends) else []
    return np.concatenate([head, inside, tail])


def noisy_best(
    x: np.ndarray, q: float, epsilon: float, candidates: np.ndarray, value: float
) -> float:
    """E|candidate - value| of the least of |(1 - q) below - q above| + exponential noise.

    The scale of the noise is 2 max(q, 1 - q) / epsilon. By the integral over the winner's noise.
    """
    key = "counts", hash(candidates.tobytes())
    if key not in _kept or _kept[key][0] is not x:
        ends = np.sort(x)
        low = np.searchsorted(ends, candidates, side="left")
        high = len(ends) - np.searchsorted(ends, candidates, side="right")
        _kept[key] = x, np.stack([low, high])
    below, above = _kept[key][1]
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
