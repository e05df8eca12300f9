"""Intervals of the coefficients of a logistic regression, from what its fit released.

The exact minimiser t obeys grad(t) = -V - D t, grad that of the losses, V the noise of the
objective, whose law is public, D its ridge. The estimate without either is about t + H^-1 (V + D t)
away, and that misses the truth by a sampling error of covariance H^-1: H is the Fisher information,
which was released with noise of a public law too. So coefficients that may lie behind a release are
drawn: a noise off the matrix, a noise off the gradient, a sampling error. Post-processing, at no
cost (``docs/regression.md`` has the coverage).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.information import Information, matrices_of
from leastnoise.estimators.objective import Drawn, Perturbation

Floats = NDArray[np.float64]

DRAWS = 1000
# Draws of a matrix that is none of second derivatives are left out, if a tenth of them is one.
_KEPT = 10
# Else directions that bend less than this, a row, are taken to bend as much.
_LEAST = 2.0**-20
# Limits found from few rows can be wide beyond all measure: one draw in ten goes down to this.
_WILD, _WILDEST = 0.1, 2.0**-200
# How far coefficients move, in root mean square of the log odds, at most.
_FARTHEST = 10.0


@dataclass(frozen=True, slots=True)
class Behind:
    """What was released of a logistic fit in scaled columns, and the public laws of its noise."""

    fit: Drawn
    steps: Perturbation
    information: Information
    matrix: Floats
    intercept: bool

    def draws(self) -> Floats:
        """Coefficients that may be behind the release, shape (2, draws, coefficients)."""
        rng = np.random.default_rng(0)
        matrices = self.matrix - noise_of_matrices(self.information, rng)
        slopes = noise_of_slopes(self.steps, rng)
        return moved(self.fit.minimiser, matrices, slopes, self.steps, rng, self.intercept)


def noise_of_matrices(information: Information, rng: np.random.Generator) -> Floats:
    """Draws of the noise on a released matrix of second derivatives."""
    found = information.cone.sample_noise(DRAWS, float(information.rate), rng)
    return matrices_of(found) * information.steepest


def noise_of_slopes(steps: Perturbation, rng: np.random.Generator) -> Floats:
    """Draws of the noise on the gradient."""
    return steps.ball.sample_noise(DRAWS, float(steps.price.rate / steps.reach), rng)


def moved(
    minimiser: Sequence[float],
    matrices: Floats,
    slopes: Floats,
    steps: Perturbation,
    rng: np.random.Generator,
    intercept: bool,
    spread: Floats | float = 1.0,
    hidden: float = 0.0,
) -> Floats:
    """Minimisers of the losses, and what they estimate, that may be behind a released minimiser.

    ``matrices`` of second derivatives, (1, features) both ways, and ``slopes`` of the noise are
    draws; a sampling error has ``spread`` times the matrix as the covariance of its gradient. In
    one draw of ten what bends less than ``hidden`` hardly bends at all. The first set takes the
    losses for squares. The second allows for a bend that falls on the way, at most by a factor e a
    unit of the argument of a loss.
    """
    first = 0 if intercept else 1
    total = np.maximum(1.0, matrices[:, 0, 0])
    values, basis = np.linalg.eigh(matrices[:, first:, first:])
    kept = values[:, 0] > 0
    if kept.sum() * _KEPT < DRAWS:
        kept[:] = True
    values, basis, total = values[kept], basis[kept], total[kept]
    values = np.maximum(values, _LEAST * total[:, None])
    if hidden:
        wild = (rng.uniform(size=(len(values), 1)) < _WILD) & (values < hidden)
        values = np.where(wild, _WILDEST, values)
    point = np.array(minimiser, dtype=np.float64)
    ridge = np.array([float(d) for d in steps.ridge], dtype=np.float64)
    along = np.einsum("kji,kj->ki", basis, slopes[kept] + ridge * point) / values
    spread = np.broadcast_to(spread, kept.shape)[kept]
    error = rng.normal(size=values.shape) * np.sqrt(spread[:, None] / values)
    odds = np.sqrt((along * along * values).sum(axis=1) / total)
    far = np.clip(odds, 1e-9, _FARTHEST)[:, None]
    farther = along * far / -np.expm1(-far) + error * np.exp(far / 2)
    moves = np.stack([along + error, farther])
    return point + np.einsum("kij,skj->ski", basis, moves)
