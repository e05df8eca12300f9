"""The Fisher information of a logistic fit, private, and the intervals that follow from it.

The exact minimiser t obeys grad(t) = -V - D t, grad that of the losses, V the noise of the
objective, whose law is public, D its ridge. The estimate without either is about t + H^-1 (V + D t)
away, and that misses the truth by a sampling error of covariance H^-1: H is the matrix of second
derivatives, the Fisher information. A share of epsilon buys it at the released point, with the
noise of the cone of moment matrices, whose law is public too. So coefficients that may lie behind a
release are drawn: a noise off the matrix, a noise off the gradient, a sampling error. Proof:
``docs/proofs/fisher-information.md``; coverage: ``docs/regression.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.correction import heights_at
from leastnoise.estimators.moments import BITS, UNIT, Sums, moment_vector, noisy
from leastnoise.estimators.objective import Drawn, Perturbation
from leastnoise.randomness import BitSource

if TYPE_CHECKING:
    from leastnoise.geometry import MomentCone

Floats = NDArray[np.float64]

SHARE = Fraction(1, 4)
"""The part of epsilon, after limits, that the information takes."""

COPIES = 1 << 10
"""A record counts as so many of itself where its loss bends most, and as a part of them else."""

_COARSE = 10  # digits of features, so that sums over four million rows are exact in doubles
_CHUNK = 1 << 22
# Up to so many features the noise obeys triangle inequalities too, and is a twentieth smaller.
_TRIANGLES = 12
_DRAWS = 1000
# Draws of a matrix that is none of second derivatives are left out, if a tenth of them is one.
_KEPT = 10
# Else directions that bend less than this, a row, are taken to bend as much.
_LEAST = 2.0**-20
# How far coefficients move, in root mean square of the log odds, at most.
_FARTHEST = 10.0


def copies(heights: Floats, counts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """NOT PRIVATE. 4 sigma (1 - sigma) of every record in units of 2^-10; 0 where it is dropped."""
    bends = np.minimum(np.rint(4 * heights * (1 - heights) * COPIES), float(COPIES))
    return np.where(counts, bends, 0).astype(np.int64)


def weighted_sums(features: Floats, times: NDArray[np.int64]) -> Sums:
    """NOT PRIVATE. The exact sums of records that count so many times each.

    Features are rounded to multiples of 2^-10 first, each by itself.
    """
    m = features.shape[1] + 1
    total = np.zeros((m, m), dtype=object)
    for start in range(0, len(features), _CHUNK):
        part = np.rint(features[start : start + _CHUNK] * float(1 << _COARSE))
        whole = np.column_stack([np.full(len(part), float(1 << _COARSE)), part])
        sums = (whole * times[start : start + _CHUNK, None]).T @ whole
        total += sums.astype(np.int64).astype(object)
    return Sums(int(times.sum()), total * (1 << 2 * (BITS - _COARSE)))


@dataclass(frozen=True, slots=True)
class Information:
    """The release of the matrix: the cone of its noise, for ``epsilon`` under a relation."""

    cone: MomentCone
    epsilon: Fraction
    relation: str

    @property
    def rate(self) -> Fraction:
        """The rate that the cone is told; it is stated for replacement."""
        return self.epsilon * (2 if self.relation == "add-remove" else 1)

    def draw(
        self,
        features: Floats,
        counts: NDArray[np.bool_],
        point: Sequence[float],
        source: BitSource,
        *,
        intercept: bool,
    ) -> Floats:
        """NOT PRIVATE until released: the matrix at a released point, (1, features) both ways.

        ``features`` in [-1, 1], the intercept's column first.
        """
        heights = heights_at(features, np.zeros(len(features)), point)
        sums = weighted_sums(features[:, int(intercept) :], copies(heights, counts))
        values = [sums.count * int(1 / UNIT), *moment_vector(sums, self.cone.space)]
        # one record is COPIES records of the cone at most
        released = noisy(values, self.cone, self.rate / COPIES, source)
        return _matrices(np.array([[float(value * UNIT / COPIES) for value in released]]))[0]

    def sample_noise(self, count: int, rng: np.random.Generator) -> Floats:
        """Draws in doubles of the public law of the noise on the matrix, one matrix each."""
        return _matrices(self.cone.sample_noise(count, float(self.rate), rng))


def information_of(columns: int, epsilon: Fraction, relation: str) -> Information:
    """The release of the matrix of so many features."""
    from leastnoise.geometry import MomentCone, MomentSpace

    cone = MomentCone(MomentSpace(columns), count=True, triangles=columns <= _TRIANGLES)
    return Information(cone, epsilon, relation)


def _matrices(found: Floats) -> Floats:
    """A quarter of (1, z)(1, z)^T from rows of its count, first order, 2 z^2 - 1 and products."""
    m = int(((8 * found.shape[1] + 1) ** 0.5 - 1) / 2)
    rows, columns = np.triu_indices(m, 1)  # those with the column of ones come first
    made = np.zeros((len(found), m, m))
    made[:, 0, 0] = found[:, 0]
    squares = np.arange(1, m)
    made[:, squares, squares] = (found[:, m : 2 * m - 1] + found[:, :1]) / 2
    products = np.column_stack([found[:, 1:m], found[:, 2 * m - 1 :]])
    made[:, rows, columns] = made[:, columns, rows] = products
    return made / 4


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
        matrices = self.matrix - self.information.sample_noise(_DRAWS, rng)
        total = np.maximum(1.0, matrices[:, 0, 0])
        values, basis = np.linalg.eigh(matrices[:, first:, first:])
        kept = values[:, 0] > 0
        if kept.sum() * _KEPT < _DRAWS:
            kept[:] = True
        values, basis, total = values[kept], basis[kept], total[kept]
        values = np.maximum(values, _LEAST * total[:, None])
        minimiser = np.array(self.fit.minimiser)
        ridge = np.array([float(d) for d in self.steps.ridge])
        slopes = self.steps.sample_noise(_DRAWS, rng)[kept] + ridge * minimiser
        along = np.einsum("kji,kj->ki", basis, slopes) / values
        error = rng.normal(size=values.shape) / np.sqrt(values)
        odds = np.sqrt((along * along * values).sum(axis=1) / total)
        far = np.clip(odds, 1e-9, _FARTHEST)[:, None]
        farther = along * far / -np.expm1(-far) + error * np.exp(far / 2)
        moves = np.stack([along + error, farther])
        return minimiser + np.einsum("kij,skj->ski", basis, moves)
