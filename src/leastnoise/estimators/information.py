"""The second derivatives of the losses of a fit at its released point, for a share of epsilon.

Of a logistic fit they are the Fisher information, sum p (1 - p) u u^T over records: sums of
squares and products of records that count in part, so that the noise of the cone of moment matrices
hides one of them. Proof: ``docs/proofs/fisher-information.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.moments import BITS, UNIT, Sums, moment_vector, noisy
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


def copies(bends: Floats, counts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """NOT PRIVATE. How much the loss of every record bends, in units of 2^-10 of the most that a
    loss does; 0 where it is dropped."""
    times = np.minimum(np.rint(bends * COPIES), float(COPIES))
    return np.where(counts, times, 0).astype(np.int64)


def weighted_sums(features: Floats, times: NDArray[np.int64]) -> Sums:
    """NOT PRIVATE. The exact sums of records, each with its whole weight.

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
    """The release of the matrix: the cone of its noise, for ``epsilon`` under a relation.

    ``steepest`` is the most that a loss bends.
    """

    cone: MomentCone
    epsilon: Fraction
    relation: str
    steepest: float

    @property
    def rate(self) -> Fraction:
        """The rate that the cone is told; it is stated for replacement."""
        return self.epsilon * (2 if self.relation == "add-remove" else 1)

    def draw(
        self,
        features: Floats,
        bends: Floats,
        counts: NDArray[np.bool_],
        source: BitSource,
        *,
        intercept: bool,
    ) -> Floats:
        """NOT PRIVATE until released: the matrix where losses bend so much, (1, features) both
        ways.

        ``features`` in [-1, 1], a column of ones first where there is an ``intercept``; ``bends``
        at a released point, one number a record that does not depend on others.
        """
        times = copies(bends / self.steepest, counts)
        sums = weighted_sums(features[:, int(intercept) :], times)
        values = [sums.count * int(1 / UNIT), *moment_vector(sums, self.cone.space)]
        # one record is COPIES records of the cone at most
        released = noisy(values, self.cone, self.rate / COPIES, source)
        found = np.array([[float(x * UNIT / COPIES) for x in released]], dtype=np.float64)
        return matrices_of(found)[0] * self.steepest


def information_of(columns: int, epsilon: Fraction, relation: str, steepest: float) -> Information:
    """The release of the matrix for this many features."""
    from leastnoise.geometry import MomentCone, MomentSpace

    cone = MomentCone(MomentSpace(columns), count=True, triangles=columns <= _TRIANGLES)
    return Information(cone, epsilon, relation, steepest)


def matrices_of(sums: Floats) -> Floats:
    """Sums of (1, z)(1, z)^T from rows of their count, first order, 2 z^2 - 1 and products."""
    m = int(((8 * sums.shape[1] + 1) ** 0.5 - 1) / 2)
    rows, columns = np.triu_indices(m, 1)  # those with the column of ones come first
    made = np.zeros((len(sums), m, m))
    made[:, 0, 0] = sums[:, 0]
    squares = np.arange(1, m)
    made[:, squares, squares] = (sums[:, m : 2 * m - 1] + sums[:, :1]) / 2
    products = np.column_stack([sums[:, 1:m], sums[:, 2 * m - 1 :]])
    made[:, rows, columns] = made[:, columns, rows] = products
    return made
