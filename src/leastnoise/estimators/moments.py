"""Exact second moments of scaled records, noisy ones, and the normal equations from them.

A record z in [-1, 1]^m (features, then the response) gives the vector T(z) of
``leastnoise.geometry.MomentSpace``: first order, squares 2 z^2 - 1, products. Scaled entries are
whole multiples of 2**-20, so sums of T are exact integers in units of 2**-41. Noise of a K-norm
mechanism is a real vector rounded to that lattice: rounding an integer plus a real is the integer
plus the rounded real, so it is post-processing. Proof: ``docs/proofs/functional-mechanism.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness import BitSource

if TYPE_CHECKING:
    from leastnoise.geometry import Ball, MomentCone, MomentSpace

Floats = NDArray[np.float64]

BITS = 20
"""Scaled entries are whole multiples of 2**-20."""

UNIT = Fraction(1, 1 << (2 * BITS + 1))
"""The lattice of sums of moments."""

# What has been measured of the noise on a product over that of "linf" (benchmarks/regression.py
# balls), and the part of it with the least error over designs of all kinds (ridge, there; decision
# 0012). Both are matters of accuracy alone.
_OVER_LINF = {"tri": 0.8, "cycles": 0.7, "sdp": 0.55, "blocks": 0.85}
PART = 2 / 3
"""Of the noise on a product, what ``fitted_ridge`` takes for its size."""

# Sums of this many products below 2**40 are exact in float64, in any order.
_CHUNK = 1 << 12


@dataclass(frozen=True, slots=True)
class Sums:
    """NOT PRIVATE. Exact sums over records: ``count``, and z z^T with z = (1, scaled entries).

    ``gram`` holds Python integers in units of 2**-40.
    """

    count: int
    gram: NDArray[np.object_]

    def __repr__(self) -> str:
        return "Sums(NOT PRIVATE)"


def exclusive_only(scaled: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    """Indicator columns at -1 or 1, at most one of a group at 1: the first that is above 0."""
    found = scaled.copy()
    for members in groups:
        taken = np.zeros(len(found), dtype=np.bool_)
        for j in members:
            one = (found[:, j] > 0) & ~taken
            taken |= one
            found[:, j] = np.where(one, 1.0, -1.0)
    return found


def exact_sums(scaled: Floats, counts: NDArray[np.bool_]) -> Sums:
    """Sums over the rows that count of entries that are whole multiples of 2**-20 in [-1, 1]."""
    rows = scaled[counts] * float(1 << BITS)
    m = rows.shape[1] + 1
    total = np.zeros((m, m), dtype=object)
    for start in range(0, len(rows), _CHUNK):
        part = rows[start : start + _CHUNK]
        whole = np.column_stack([np.full(len(part), float(1 << BITS)), part])
        total += (whole.T @ whole).astype(np.int64).astype(object)
    return Sums(len(rows), total)


def moment_vector(sums: Sums, space: MomentSpace) -> list[int]:
    """The sum of T(z), in units of ``UNIT``."""
    gram, group = sums.gram, space.group
    one = 1 << (2 * BITS)
    # z_j, or 2 x_j = z_j + 1 for an indicator of a group
    found = [
        2 * (int(gram[0, j + 1]) + (sums.count * one if j in group else 0))
        for j in range(space.columns)
    ]
    found += [2 * (2 * int(gram[j + 1, j + 1]) - sums.count * one) for j in space.squares or ()]
    for j, k in space.crosses:
        value = int(gram[j + 1, k + 1])
        if j in group and k in group:
            value += int(gram[0, j + 1]) + int(gram[0, k + 1]) + sums.count * one
        elif j in group:
            value += int(gram[0, k + 1])
        elif k in group:
            value += int(gram[0, j + 1])
        else:
            value *= 2
        found.append(value)
    return found


@dataclass(frozen=True, slots=True)
class NoisyMoments:
    """Released moments as floats: ``count``, and z z^T with z = (1, scaled entries)."""

    count: float
    gram: Floats


def noisy(
    values: Sequence[int], ball: Ball | MomentCone, rate: Fraction, source: BitSource
) -> list[int]:
    """Values with the noise of the ball or cone at this rate, in units of ``UNIT``."""
    noise = ball.noise(rate, source).round_to([UNIT] * ball.dimension)
    return [value + extra for value, extra in zip(values, noise, strict=True)]


def from_vector(released: Sequence[float], count: float, space: MomentSpace) -> NoisyMoments:
    """The matrix of moments that a vector of T stands for; the response's square is left 0."""
    one, rows = np.array([released], dtype=np.float64), np.array([count], dtype=np.float64)
    return NoisyMoments(count, matrices_of(one, rows, space)[0])


def matrices_of(released: Floats, counts: Floats, space: MomentSpace) -> Floats:
    """The same of many vectors, a row each, with the number of rows of each.

    Post-processing: indicators keep what their coding says (squares equal the count; two of a
    group multiply to count - sum - sum - ... by exclusivity).
    """
    m = space.columns + 1
    first, second, cross = space.places()
    group = space.group
    gram = np.zeros((m, m, len(counts)))
    gram[0, 0] = counts
    for j in range(space.columns):
        total = released[:, first[j]] - (counts if j in group else 0.0)
        gram[0, j + 1] = gram[j + 1, 0] = total
        if j in second:
            gram[j + 1, j + 1] = (released[:, second[j]] + counts) / 2
        elif j in group:
            gram[j + 1, j + 1] = counts
    for j in range(space.columns):
        for k in range(j + 1, space.columns):
            if j in group and group[j] == group.get(k):
                # x_j x_k = 0 with x = (z + 1) / 2
                value = -gram[0, j + 1] - gram[0, k + 1] - counts
            else:
                value = released[:, cross[j, k]]
                if j in group and k in group:
                    value = 2 * value - gram[0, j + 1] - gram[0, k + 1] - counts
                elif j in group:
                    value = 2 * value - gram[0, k + 1]
                elif k in group:
                    value = 2 * value - gram[0, j + 1]
            gram[j + 1, k + 1] = gram[k + 1, j + 1] = value
    return np.moveaxis(gram, 2, 0)


def noise_size(kind: str, space: MomentSpace, epsilon: Fraction, *, alone: bool) -> float:
    """The public size of the noise that ``fitted_ridge`` takes: two thirds of the root mean
    square on one product. ``alone``: one record by itself changes the sums (add-remove)."""
    d = space.dimension
    if kind == "cone":
        from leastnoise.geometry.cone import cone_rms

        size = cone_rms(space.columns)[2]
    elif kind == "l1":
        size = 2 * sqrt(2) * sum(space.reach)
    else:
        size = 2 * sqrt((d + 1) * (d + 2) / 3) * (1 if alone else over_linf(kind))
    return PART * size / float(epsilon) / (2 if alone else 1)


def over_linf(kind: str) -> float:
    """The noise on a product over that of "linf", as measured; 1 where it was not."""
    return _OVER_LINF.get(kind, 1.0)


def solve(moments: NoisyMoments, ridge: float | None, noise: float, *, intercept: bool) -> Floats:
    """Coefficients of the last column on the others (and 1) from released moments.

    The matrix is projected on the positive semidefinite ones, and ``ridge`` is added to its
    diagonal, the intercept's excepted; None: the one that ``fitted_ridge`` finds for ``noise``,
    the public root mean square of the noise on a product.
    """
    matrix, target = equations(moments, intercept)
    matrix = projected(matrix)
    if ridge is None:
        ridge = fitted_ridge(matrix, target, noise, noise, intercept=intercept)
    return np.nan_to_num(penalised(matrix, target, ridge, intercept))


def projected(matrix: Floats) -> Floats:
    """The nearest positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def solve_pseudo(moments: NoisyMoments, *, intercept: bool) -> Floats:
    """The same by the Moore-Penrose inverse of the noisy matrix, as in the paper."""
    matrix, target = equations(moments, intercept)
    return np.linalg.pinv(matrix, hermitian=True) @ target


def fitted_ridge(
    matrix: Floats, target: Floats, noise: float, bend: float, *, intercept: bool
) -> float:
    """The ridge with the least estimated error, from released numbers alone.

    With noise of root mean squares s on the target and t on the matrix, a ridge g and eigenvalues c
    of the slopes' matrix, the coefficients b miss by about sum (g^2 mean(b^2) + s^2 + t^2 |b|^2) /
    (c + g)^2: the pull towards 0 and the noise of both sides of the equations. b is taken from a
    ridge of the larger of s and t.
    """
    first = int(intercept)
    found = penalised(matrix, target, max(noise, bend), intercept)
    inner = matrix[first:, first:]
    if intercept:
        means = matrix[1:, 0]
        inner = inner - np.outer(means, means) / max(matrix[0, 0], 1.0)
    curvature = np.maximum(np.linalg.eigvalsh(inner), 0.0)
    ridges = noise * 2.0 ** np.arange(-8, 5, 0.5)
    pull = np.square(ridges) * np.square(found[first:]).mean()
    spread = noise**2 + bend**2 * np.square(found).sum()
    errors = ((pull + spread)[:, None] / np.square(curvature + ridges[:, None])).sum(axis=1)
    return float(ridges[np.argmin(errors)])


def equations(moments: NoisyMoments, intercept: bool) -> tuple[Floats, Floats]:
    """Both sides of the normal equations."""
    start = 0 if intercept else 1
    return moments.gram[start:-1, start:-1], moments.gram[start:-1, -1]


def penalised(matrix: Floats, target: Floats, ridge: float, intercept: bool) -> Floats:
    """The solution of the equations with a ridge on the slopes."""
    penalty = np.full(len(matrix), ridge)
    if intercept:
        penalty[0] = 0.0
    return np.linalg.pinv(matrix + np.diag(penalty), hermitian=True) @ target
