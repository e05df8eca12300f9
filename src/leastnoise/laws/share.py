"""A share of a population, from a noisy number of sampled rows: whatever the share is."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, exp, log

import numpy as np
from numpy.typing import NDArray

# How many values of the noise are told apart, how many numbers of rows, and how rare noise is that
# is not looked at (the logarithm).
_BLOCKS, _GROUPS, _FAR = 400, 8, 12


def least_share(first: int, rows: tuple[int, int], rate: float, rare: float) -> float:
    """A share below which P(2 (B + X) - n >= first) is at most ``rare``, whatever n of these."""
    from scipy.special import betainc

    if rare < 1e-12:  # doubles tell no rarer chances
        return 0.0
    # noise above an edge; all noise of a block counts as its greatest, all rows of one likewise
    far = float(ceil((_FAR - log(rare)) / rate))
    edges = np.unique(np.floor(np.linspace(-far, far, _BLOCKS)))
    above = _above(edges, rate)
    masses = np.append(1 - above[0], above[:-1] - above[1:])
    cuts = sorted({rows[0] + (rows[1] - rows[0]) * i // _GROUPS for i in range(_GROUPS + 1)})
    pairs = list(pairwise(cuts)) or [rows]
    most = np.array([float(high) for _, high in pairs])[:, None]
    needed = np.array([float((first + low) // 2) for low, _ in pairs])[:, None] - edges
    inside = (needed >= 1) & (needed <= most)
    k = np.where(inside, needed, 1.0)

    def likely(p: float) -> bool:
        chance = np.where(inside, betainc(k, most - k + 1, p), needed < 1)
        return float((chance @ masses).max() + above[-1]) > rare

    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if likely(middle) else (middle, high)
    return low


def _above(x: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """P(X > x) of discrete Laplace noise, for whole x."""
    far: NDArray[np.float64] = np.exp(-rate * (np.abs(x + 0.5) + 0.5)) / (1 + exp(-rate))
    return np.where(x >= 0, far, 1 - far)
