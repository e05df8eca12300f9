"""Undoing the shrinkage by the ridge that privacy needs, with one more small release.

The ridge of objective perturbation pulls every coefficient towards 0 by about a factor
h / (h + ridge), h the curvature of the losses per coordinate. h is not known, but its mean over the
coordinates is trace(H) / m = sum_i w_i ||u_i||^2 / m, a sum over records at the *released* point:
one number with a public sensitivity. A share of epsilon buys it with Laplace noise; the factor is
post-processing of two releases. It is undone only as far as the noise allows (positive part of
James and Stein), so that coefficients drowned in noise stay shrunk. Measured in
``docs/decisions`` and ``benchmarks/regression.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.sigmoid import sigmoid
from leastnoise.laws import DiscreteLaplaceLaw

Floats = NDArray[np.float64]

SHARE = Fraction(1, 32)
"""The part of epsilon that the curvature takes."""

_UNIT = 1 << 10


@dataclass(frozen=True, slots=True)
class Correction:
    """Factors for the coefficients, from public numbers and released ones."""

    ridge: Sequence[Fraction]
    wanted: Sequence[Fraction]
    noise: float

    def factors(self, released: Floats, curvature: float) -> Floats:
        """What each released coefficient is multiplied with, at least 1.

        ``ridge`` is what was used, ``wanted`` what the user asked for, ``noise`` the mean square
        length of the noise on the gradient, ``curvature`` the released mean of h.
        """
        if not curvature > 0:
            return np.ones(len(released))
        used = np.array([float(d) for d in self.ridge])
        asked = np.array([float(d) for d in self.wanted])
        full = (curvature + used) / (curvature + asked)
        length = float(np.square(full * released).sum())
        least = curvature + float(asked.min())
        noise = self.noise / least / least  # its square may be no double
        kept = max(0.0, 1 - noise / length) if length > 0 else 0.0
        return np.maximum(1.0, full * kept)


def heights_at(features: Floats, offsets: Floats, point: Sequence[float]) -> Floats:
    """NOT PRIVATE. sigma(u point + offset) of every record by itself.

    The sum behind a record's own number runs over its columns in their order, one rounding after
    the other, so that number does not depend on other records.
    """
    z = offsets.copy()
    for j, weight in enumerate(point):
        z += features[:, j] * weight
    return sigmoid(z)


def curvature(
    features: Floats,
    offsets: Floats,
    height: int,
    point: Sequence[float],
    epsilon: Fraction,
    weights: Floats | float = 1.0,
) -> DiscreteLaplaceLaw:
    """NOT PRIVATE until drawn: the mean of the curvature over coordinates, at a released point.

    Each record adds floor(a sigma (1 - sigma) ||u||^2 2^10 + 1/2), at most m a / 4 * 2^10 rounded
    up, which is the integer sensitivity under every relation; noise is discrete Laplace.
    ``weights`` in [0, 1] multiply losses.
    """
    n, m = features.shape
    lengths = np.zeros(n)
    for j in range(m):
        column = features[:, j]
        lengths += column * column
    heights = heights_at(features, offsets, point)
    bends = heights * (1 - heights) * weights
    limit = -(-m * height * _UNIT // 4)
    parts = np.minimum(np.rint(height * bends * lengths * _UNIT), float(limit))
    total = int(parts.sum()) if n < 1 << 40 else 0
    return DiscreteLaplaceLaw(total, epsilon / limit, Fraction(1, _UNIT * m))
