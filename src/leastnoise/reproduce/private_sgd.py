"""Private stochastic gradient descent with a moments accountant, as Asi and Duchi compare with it.

A step takes every record with probability q and adds normal noise of ``sigma`` times the largest
gradient. After T steps the mechanism is (epsilon, delta)-DP under add-remove, by the moments of the
subsampled Gaussian at integer orders (Abadi et al. 2016; Mironov, Talwar and Zhang 2019):
epsilon = min over a of T R_a + log((a - 1)/a) - (log delta + log a)/(a - 1). It is here to be
compared with, in doubles; nothing is released by it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SIGMA = 2.0
DELTA = 1e-5
RATES = (0.05, 0.1, 0.3, 1.0, 3.0, 10.0)
MOST_STEPS = 1 << 16
_ORDERS = (*range(2, 129), 160, 192, 256, 384, 512)


@cache
def divergences(q: float, sigma: float = SIGMA) -> Floats:
    """Renyi divergences of one step, by order a: log E (1 - q + q exp((2 Z - 1)/(2 s^2)))^a."""
    from scipy.special import gammaln, logsumexp

    found: list[float] = []
    for a in _ORDERS:
        k = np.arange(a + 1)
        choose: Any = gammaln(a + 1) - gammaln(k + 1) - gammaln(a - k + 1)
        terms = choose + k * np.log(q) + (a - k) * np.log1p(-q) + (k * k - k) / (2 * sigma**2)
        found.append(float(logsumexp(terms)) / (a - 1))
    return np.array(found)


def spent(steps: int, q: float, delta: float = DELTA) -> float:
    """The epsilon of this many steps."""
    a = np.array(_ORDERS, dtype=np.float64)
    rest = np.log1p(-1 / a) - (np.log(delta) + np.log(a)) / (a - 1)
    return float(np.min(steps * divergences(q) + rest))


def most_steps(epsilon: float, q: float) -> int:
    """The largest number of steps that the accountant allows, at most 65,536."""
    low, high = 0, MOST_STEPS
    if spent(1, q) > epsilon:
        return 0
    while high - low > 1:
        half = (low + high) // 2
        low, high = (half, high) if spent(half, q) <= epsilon else (low, half)
    return low


def descend(
    x: Floats, y: Floats, q: float, alpha: float, stops: list[int], seed: list[int]
) -> Floats:
    """Coefficients after these numbers of steps, of shape (stops, data sets, step sizes).

    Parameters
    ----------
    x, y
        Features and targets of every data set, of shape (data sets, records).
    q
        The chance of a record to be taken.
    alpha
        The width of the loss.
    stops
        Numbers of steps, ascending.
    seed
        The stream of samples and noise.
    """
    rng = np.random.default_rng(seed)
    sets, n = x.shape
    rates = np.array(RATES)
    theta = np.zeros((sets, len(rates)))
    found = np.zeros((len(stops), sets, len(rates)))
    wanted = {steps: i for i, steps in enumerate(stops)}
    for t in range(1, stops[-1] + 1):
        taken, record = np.nonzero(rng.random((sets, n)) < q)
        px, py = x[taken, record][:, None], y[taken, record][:, None]
        slopes = px * np.tanh((theta[taken] * px - py) / (2 * alpha))
        search: Any = np.searchsorted
        starts = search(taken, np.arange(sets + 1))
        sums = np.concatenate([np.zeros((1, len(rates))), slopes.cumsum(axis=0)])
        total = sums[starts[1:]] - sums[starts[:-1]] + 2 * SIGMA * rng.normal(size=(sets, 1))
        theta = np.clip(theta - rates / t**0.5 * total / max(1.0, q * n), -10, 10)
        if t in wanted:
            found[wanted[t]] = theta
    return found
