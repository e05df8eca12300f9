"""Closed forms for truncated geometric series, stable for any slope and count, vectorised."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def geometric_mass(exponent: ArrayLike, slope: ArrayLike, count: ArrayLike) -> Array:
    """sum_{i=0}^{count-1} exp(-(exponent + i slope)) for slope >= 0."""
    e, s, n = (np.asarray(x, dtype=np.float64) for x in (exponent, slope, count))
    with np.errstate(all="ignore"):
        ratio = np.where(s > 0, np.expm1(-s * n) / np.expm1(-s), n)
        return np.where(n > 0, np.exp(-e) * ratio, 0.0)


def mean_index(slope: ArrayLike, count: ArrayLike) -> Array:
    """The mean of i in 0..count-1 under weights exp(-i slope)."""
    s, n = (np.asarray(x, dtype=np.float64) for x in (slope, count))
    total = s * n
    with np.errstate(all="ignore"):
        # (count - 1)/2 less the first order term slope (count^2 - 1)/12
        flat = (n - 1) / 2 - s * (n * n - 1) / 12
        # 1/expm1(s) = 1/s - 1/2 + s/12, its first term joined with the second sum
        fine = n * (1 / total - 1 / np.expm1(total)) - 0.5 + s / 12
        plain = 1 / np.expm1(s) - n / np.expm1(total)
    return np.where(total < 1e-4, flat, np.where(s < 1e-6, fine, plain))


def truncated_geometric(slopes: Array, counts: Array, uniforms: Array) -> Array:
    """Inverse of the cdf of i in 0..count-1 under weights exp(-i slope), in floats."""
    with np.errstate(all="ignore"):
        index = np.where(
            slopes > 0,
            -np.log1p(uniforms * np.expm1(-slopes * counts)) / slopes,
            uniforms * counts,
        )
    return np.clip(np.floor(index), 0, counts - 1)
