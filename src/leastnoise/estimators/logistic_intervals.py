"""Intervals of the coefficients of a logistic regression, from what its fit released.

The exact minimiser t obeys grad(t) = -V - D t, grad that of the losses, V the noise of the
objective, whose law is public, D its ridge. The estimate without either is about t + H^-1 (V + D t)
away, and that misses the truth by a sampling error of covariance H^-1: H is the Fisher information,
which was released with noise of a public law too. So coefficients that may lie behind a release are
drawn: a noise off the matrix, a noise off the gradient, a sampling error. Post-processing, at no
cost (``docs/regression.md`` has the coverage).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.information import Information, matrices_of
from leastnoise.estimators.objective import Drawn, Perturbation

Floats = NDArray[np.float64]

_DRAWS = 1000
# Draws of a matrix that is none of second derivatives are left out, if a tenth of them is one.
_KEPT = 10
# Else directions that bend less than this, a row, are taken to bend as much.
_LEAST = 2.0**-20
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
        """Coefficients that may be behind the release, shape (2, draws, coefficients).

        The first take the losses for squares. The second allow for a bend that falls on the way, at
        most by a factor e a unit of the log odds.
        """
        rng = np.random.default_rng(0)
        first = 0 if self.intercept else 1
        matrices = self.matrix - self._noise(rng)
        total = np.maximum(1.0, matrices[:, 0, 0])
        values, basis = np.linalg.eigh(matrices[:, first:, first:])
        kept = values[:, 0] > 0
        if kept.sum() * _KEPT < _DRAWS:
            kept[:] = True
        values, basis, total = values[kept], basis[kept], total[kept]
        values = np.maximum(values, _LEAST * total[:, None])
        minimiser = np.array(self.fit.minimiser, dtype=np.float64)
        ridge = np.array([float(d) for d in self.steps.ridge], dtype=np.float64)
        slopes = self._slopes(rng)[kept] + ridge * minimiser
        along = np.einsum("kji,kj->ki", basis, slopes) / values
        error = rng.normal(size=values.shape) / np.sqrt(values)
        odds = np.sqrt((along * along * values).sum(axis=1) / total)
        far = np.clip(odds, 1e-9, _FARTHEST)[:, None]
        farther = along * far / -np.expm1(-far) + error * np.exp(far / 2)
        moves = np.stack([along + error, farther])
        return minimiser + np.einsum("kij,skj->ski", basis, moves)

    def _noise(self, rng: np.random.Generator) -> Floats:
        """Draws of the noise on the matrix."""
        asked = self.information
        return matrices_of(asked.cone.sample_noise(_DRAWS, float(asked.rate), rng))

    def _slopes(self, rng: np.random.Generator) -> Floats:
        """Draws of the noise on the gradient."""
        steps = self.steps
        return steps.ball.sample_noise(_DRAWS, float(steps.price.rate / steps.reach), rng)
