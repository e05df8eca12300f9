"""Closed forms for truncated geometric series, stable for any slope and count."""

from __future__ import annotations

from math import exp, expm1
from typing import Any

import numpy as np
from numpy.typing import NDArray


def geometric_mass(exponent: float, slope: float, count: int) -> float:
    """sum_{i=0}^{count-1} exp(-(exponent + i slope)) for slope >= 0."""
    if count <= 0 or exponent > 745:
        return 0.0
    if slope == 0:
        return exp(-exponent) * count
    return exp(-exponent) * expm1(-slope * count) / expm1(-slope)


def mean_index(slope: float, count: int) -> float:
    """The mean of i in 0..count-1 under weights exp(-i slope)."""
    total = slope * count
    if total < 1e-4:
        # (count - 1)/2 less the first order term slope (count^2 - 1)/12
        return (count - 1) / 2 - slope * (float(count) ** 2 - 1) / 12
    if slope < 1e-6:
        # 1/expm1(slope) = 1/slope - 1/2 + slope/12, the first term joined with the second sum
        scaled = 1 / total - (0.0 if total > 700 else 1 / expm1(total))
        return count * scaled - 0.5 + slope / 12
    return 1 / expm1(slope) - (0.0 if total > 700 else count / expm1(total))


def truncated_geometric(
    slopes: NDArray[Any], counts: NDArray[Any], uniforms: NDArray[Any]
) -> NDArray[Any]:
    """Inverse of the cdf of i in 0..count-1 under weights exp(-i slope), in floats."""
    with np.errstate(all="ignore"):
        index = np.where(
            slopes > 0,
            -np.log1p(uniforms * np.expm1(-slopes * counts)) / slopes,
            uniforms * counts,
        )
    return np.clip(np.floor(index), 0, counts - 1)
