"""The elastic net of a linear fit, computed from what it released: post-processing, at no cost.

A fit by moments releases the matrix G of the normal equations and coefficients b. Up to a constant
the squares of the residuals at w are those of (w - b)^T G (w - b), so least squares with a penalty
needs nothing else of the data: G and b are released, and the penalty is public.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.design import Design
from leastnoise.estimators.moments import NoisyMoments, equations, projected
from leastnoise.params import parse_number

Floats = NDArray[np.float64]

# The fewest sweeps, and the most steps of single coefficients where more are needed.
_SWEEPS, _STEPS, _SETTLED = 2000, 400_000, 1e-12
_LARGEST = 10**30


@dataclass(frozen=True, slots=True)
class ElasticNet:
    """The penalty alpha (r |w|_1 + (1 - r) |w|_2^2 / 2) beside half the mean of squared residuals,
    in the user's units, as in scikit-learn; the intercept has none."""

    alpha: float
    ratio: float

    def applied(
        self, solved: Floats, moments: NoisyMoments, design: Design, target: Design
    ) -> Floats:
        """Scaled coefficients with the penalty, of released ones without it."""
        matrix, first = projected(equations(moments, design.intercept)[0]), int(design.intercept)
        inner = matrix[first:, first:]
        means = matrix[1:, 0] / max(matrix[0, 0], 1.0) if first else np.zeros(len(inner))
        if first:
            inner = inner - np.outer(means, matrix[0, 1:])
        halves = np.array([float(half) for half in design.halves])
        price = max(moments.count, 1.0) * self.alpha
        slopes = _minimiser(
            inner,
            solved[first:],
            price * self.ratio / halves / float(target.halves[0]),
            price * (1 - self.ratio) / halves**2,
        )
        return np.concatenate([solved[:first] + means @ (solved[first:] - slopes), slopes])


def parse_elastic(alpha: object, ratio: object) -> ElasticNet | None:
    """The penalty; None for none."""
    size, share = parse_number(alpha, "alpha"), parse_number(ratio, "l1_ratio")
    if not 0 <= size <= _LARGEST:
        raise ParameterError(f"alpha must lie between 0 and 1e30, got {quoted(alpha)}")
    if not 0 <= share <= 1:
        raise ParameterError(f"l1_ratio must lie between 0 and 1, got {quoted(ratio)}")
    return ElasticNet(float(size), float(share)) if size else None


def _minimiser(matrix: Floats, start: Floats, lengths: Floats, squares: Floats) -> Floats:
    """Of (w - start)^T matrix (w - start) / 2 + lengths |w| + squares w^2 / 2, one coordinate after
    the other; one along which nothing bends is 0."""
    found, target, bends = start.copy(), matrix @ start, np.diagonal(matrix)
    for _ in range(max(_SWEEPS, _STEPS // len(start))):
        before = found.copy()
        for j, bend in enumerate(bends):
            left = target[j] - matrix[j] @ found + bend * found[j]
            pulled = max(abs(left) - lengths[j], 0.0)
            found[j] = np.copysign(pulled, left) / (bend + squares[j]) if bend > 0 else 0.0
        if np.abs(found - before).max() <= _SETTLED * np.abs(found).max():
            break
    return found
