"""The cone of moment matrices: noise for second moments where no small ball can be sampled."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError
from leastnoise.geometry.ball import Floats
from leastnoise.geometry.moment_space import MomentSpace, as_space
from leastnoise.numbers import as_fraction
from leastnoise.randomness import BitSource
from leastnoise.sampling.cone import LinearDifference, MomentMatrix
from leastnoise.sampling.reals import RealVector


@dataclass(frozen=True, slots=True)
class MomentCone:
    """The positive semidefinite matrices with W_jj <= W_00, in the coordinates of a moment space.

    A record z in [-1, 1]^m is the matrix (1, z)(1, z)^T of the cone, with W_00 = 1. The noise is
    W - W' for two independent matrices of the density proportional to exp(-a W_00) on the cone,
    written in the coordinates of T(z). Its log-density changes by at most a W_00(M) when a matrix M
    of the cone is added: so by 2 a when one record replaces another, and by a when one is added
    or removed. On the half-line this is the Laplace law.

    Parameters
    ----------
    space : MomentSpace
        The columns.
    count : bool
        Whether the number of rows is the first coordinate (it is private).
    triangles : bool
        Also +-W_jk +-W_jl +-W_kl >= -W_00 with an even number of minus signs, j, k, l different,
        which every record obeys: a smaller cone, so less noise, for two to three times the work.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``space`` is not a moment space, or has degree 1.

    Notes
    -----
    ``noise(rate, source)`` has sensitivity 1 under replace-one and edit: rate = epsilon, a =
    epsilon / 2. Under add-remove take ``noise(2 * epsilon, source)``. No ball is involved: the law
    is not that of a K-norm mechanism. With 13 columns its noise on a cross product is 45 % below
    that of the paper's K_T, with 6 columns 31 % (``benchmarks/k_norm.py``). Proof:
    ``docs/proofs/cone-laplace.md``.
    """

    space: MomentSpace
    count: bool = False
    triangles: bool = True

    def __post_init__(self) -> None:
        as_space(self.space)
        if self.space.degree != 2:
            raise ParameterError("MomentCone is for second moments; degree must be 2")

    @property
    def dimension(self) -> int:
        """The number of coordinates, the count included."""
        return self.space.dimension + self.count

    @property
    def name(self) -> str:
        """The cone as a record shows it."""
        return f"cone, d={self.dimension}"

    def _rows(self) -> list[list[tuple[int, int]]]:
        """Every coordinate of T as a linear function of the lower triangle, doubled."""
        group = self.space.group

        def at(j: int, k: int) -> int:
            j, k = max(j, k), min(j, k)
            return j * (j + 1) // 2 + k

        rows: list[list[tuple[int, int]]] = [[(at(0, 0), 2)]] if self.count else []
        for j in range(self.space.columns):
            rows.append([(at(j + 1, 0), 2), *([(at(0, 0), 2)] if j in group else [])])
        rows += [[(at(j + 1, j + 1), 4), (at(0, 0), -2)] for j in self.space.squares or ()]
        for j, k in self.space.crosses:
            both = at(j + 1, k + 1)
            if j in group and k in group:
                rows.append([(both, 1), (at(j + 1, 0), 1), (at(k + 1, 0), 1), (at(0, 0), 1)])
            elif j in group or k in group:
                rows.append([(both, 1), (at((k if j in group else j) + 1, 0), 1)])
            else:
                rows.append([(both, 2)])
        return rows

    def noise(self, rate: object, source: BitSource) -> RealVector:
        """One draw of W - W' in the coordinates of T, refined on demand; a = rate / 2."""
        exact = as_fraction(rate)
        if exact <= 0:
            raise ParameterError("rate must be greater than 0")
        size, a = self.space.columns + 1, exact / 2
        one, two = (MomentMatrix(size, a, self.triangles, source) for _ in range(2))
        return LinearDifference(self._rows(), one, two)

    def sample_noise(self, count: int, rate: float, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: ``count`` draws in doubles, for studies. Shape (count, d)."""
        size = self.space.columns + 1
        rows = self._rows()
        lower = np.tril_indices(size)
        matrix = np.zeros((len(rows), len(lower[0])))
        for i, row in enumerate(rows):
            for j, c in row:
                matrix[i, j] += c / 2
        halves = [
            _matrices(count, size, rate / 2, self.triangles, rng)[:, lower[0], lower[1]]
            for _ in range(2)
        ]
        return (halves[0] - halves[1]) @ matrix.T


def _matrices(count: int, size: int, a: float, triangles: bool, rng: np.random.Generator) -> Floats:
    kept: list[Floats] = []
    missing = count
    while missing > 0:
        found = _factors(4 * missing if triangles else missing, size, rng)
        if triangles:
            found = found[_obey(found)]
        kept.append(found[:missing])
        missing -= len(kept[-1])
    radius = rng.gamma(size * (size + 1) / 2, 1 / a, size=(count, 1, 1))
    return radius * np.concatenate(kept)


def _factors(count: int, size: int, rng: np.random.Generator) -> Floats:
    """Uniform matrices of the cone with M_00 = 1."""
    factor = np.zeros((count, size, size))
    factor[:, 0, 0] = 1
    for j in range(1, size):
        g = rng.normal(size=(count, size + 1))
        g /= np.linalg.norm(g, axis=1, keepdims=True)
        s = rng.random(count) ** (1 / (size + 1))
        factor[:, j, :j] = s[:, None] * g[:, :j]
        factor[:, j, j] = s * np.sqrt(np.maximum(0, 1 - (g[:, :j] ** 2).sum(axis=1)))
    return factor @ factor.transpose(0, 2, 1)


def _obey(m: Floats) -> NDArray[np.bool_]:
    found = np.ones(len(m), dtype=bool)
    for j, k, l in combinations(range(m.shape[1]), 3):
        a, b, c = m[:, j, k], m[:, j, l], m[:, k, l]
        for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            found &= s * a + t * b + s * t * c >= -1
    return found


def cone_rms(columns: int, epsilon: object = 1) -> tuple[float, float, float]:
    """Root mean squares (first order, square 2 z^2 - 1, cross product) without triangles, exact.

    With N = m + 1 rows, D = N (N + 1) / 2: E r^2 = D (D + 1) / a^2, E M_jj = (N + 1)/(N + 3),
    E M_jj^2 = (N + 1)/(N + 5), and a correlation has the mean square 1 / (N + 1).
    """
    n = columns + 1
    a = Fraction(as_fraction(epsilon)) / 2
    d = Fraction(n * (n + 1), 2)
    second, mean = d * (d + 1) / a**2, d / a
    share, square = Fraction(n + 1, n + 3), Fraction(n + 1, n + 5)
    first = 2 * second * share / (n + 1)
    cross = 2 * second * share**2 / (n + 1)
    # 2 r (2 M_jj - 1), two independent copies
    centred = second * (4 * square - 4 * share + 1) - (mean * (2 * share - 1)) ** 2
    return float(first) ** 0.5, float(2 * centred) ** 0.5, float(cross) ** 0.5
