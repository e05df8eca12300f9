"""Intervals of the coefficients of a linear fit by objective perturbation.

As those of a logistic fit (``logistic_intervals``), but a slope is no Fisher score: the covariance
of the sum of slopes is their mean square times the matrix of records, which the second derivatives
are a multiple of where errors do not hang on features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.information import Information
from leastnoise.estimators.logistic_intervals import (
    DRAWS,
    moved,
    noise_of_matrices,
    noise_of_slopes,
)
from leastnoise.estimators.objective import Perturbation

Floats = NDArray[np.float64]

# By how much coefficients may be off for what is clipped at twice the limits that were found, as a
# part of themselves, either way; and how much less they may be where most entries are so far out: a
# column of mean square m has at most the part m of its rows there.
_TAILS, _SATURATED, _INSIDE, _OPEN = 0.02, 2.5, 0.3, 1.25

# The part of the norm of the noise that hides a direction, and draws for that norm.
_HIDDEN, _NORMS = 0.3, 50


@dataclass(frozen=True, slots=True)
class BehindObjective:
    """What was released of a fit in scaled columns, and the public laws of its noise.

    ``matrix`` holds second derivatives, (1, features) both ways; ``squares`` is the noisy sum of
    squared slopes and ``noise`` the scale of its noise. ``few``: limits may be wide beyond all
    measure.
    """

    start: Floats
    width: float
    minimiser: Floats
    steps: Perturbation
    information: Information
    matrix: Floats
    ones: bool
    squares: float
    noise: float
    few: bool
    clipped: NDArray[np.bool_]

    def draws(self) -> Floats:
        """Coefficients that may be behind the release, one row a draw, the intercept first."""
        rng = np.random.default_rng(0)
        noise = noise_of_matrices(self.information, rng)
        matrices, hidden = self.matrix - noise, 0.0
        if self.few and self.clipped.any():
            hidden = _HIDDEN * float(np.median(np.linalg.norm(noise[:_NORMS], 2, axis=(1, 2))))
        squares = self.squares + rng.laplace(0, self.noise, DRAWS)
        spread = np.maximum(squares, self.noise / 8) / np.maximum(1.0, matrices[:, 0, 0])
        slopes = noise_of_slopes(self.steps, rng)
        found = moved(
            self.minimiser.tolist(), matrices, slopes, self.steps, rng, self.ones, spread, hidden
        )[0]
        first = found.shape[1] - len(self.clipped)
        squared = np.diagonal(matrices, axis1=1, axis2=2)[:, -len(self.clipped) :]
        means = squared.mean(axis=0) / max(1.0, float(matrices[:, 0, 0].mean()))
        less = np.clip(_SATURATED * (means - _INSIDE), _TAILS, _OPEN) * self.clipped
        off = rng.uniform(-less, _TAILS * self.clipped, (len(found), len(less)))
        plain: Floats = self.start + self.width * found
        plain[:, first:] *= 1 + off
        return plain
