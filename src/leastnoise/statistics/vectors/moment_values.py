"""From noisy moments in scaled coordinates to the users' units: post-processing only.

Column j is x_j = c_j + h_j z_j with the middle c_j and half range h_j of its public lattice.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import MAX, saturated
from leastnoise.summaries.vectors import VectorRequest

Matrix = list[list[Fraction]]


def scaled_moments(
    values: Sequence[Fraction], rows: int | None, request: VectorRequest
) -> tuple[Fraction, list[Fraction], Matrix]:
    """(count, sums of z, sums of z_j z_k) from a released vector.

    ``rows`` is the public number of rows, or None where the count is the first coordinate.
    """
    count = values[0] if rows is None else Fraction(rows)
    body = list(values[1:] if rows is None else values)
    space, group = request.space, request.space.group
    first, second, cross = space.places()
    sums = [body[i] - count if j in group else body[i] for j, i in enumerate(first)]
    m = space.columns
    table = [[Fraction(0)] * m for _ in range(m)]
    if space.degree == 1:
        return count, sums, table
    for j in range(m):
        # an indicator is -1 or 1, so its square is 1
        table[j][j] = (body[second[j]] + count) / 2 if j in second else count
    for j in range(m):
        for k in range(j):
            if (j, k) not in cross:
                # of one group: x_j x_k = 0
                product = -count - sums[j] - sums[k]
            elif j in group and k in group:
                product = 2 * body[cross[j, k]] - count - sums[j] - sums[k]
            elif j in group or k in group:
                product = 2 * body[cross[j, k]] - sums[k if j in group else j]
            else:
                product = body[cross[j, k]]
            table[j][k] = table[k][j] = product
    return count, sums, table


def _scales(request: VectorRequest) -> tuple[list[Fraction], list[Fraction]]:
    """Middles and half ranges of the columns."""
    middles = [(x.low + x.high) * x.step / 2 for x in request.lattices]
    halves = [w * x.step / 2 for w, x in zip(request.widths, request.lattices, strict=True)]
    return middles, halves


def raw_moments(
    values: Sequence[Fraction], rows: int | None, request: VectorRequest
) -> dict[str, Any]:
    """Count, sums and (for degree 2) products in the users' units."""
    count, sums, table = scaled_moments(values, rows, request)
    c, h = _scales(request)
    m = len(sums)
    found: dict[str, Any] = {
        "count": int(count) if count.denominator == 1 else float(count),
        "sums": [saturated(h[j] * sums[j] + count * c[j]) for j in range(m)],
    }
    if request.space.degree == 2:
        found["products"] = [
            [
                saturated(
                    h[j] * h[k] * table[j][k]
                    + h[j] * c[k] * sums[j]
                    + h[k] * c[j] * sums[k]
                    + count * c[j] * c[k]
                )
                for k in range(m)
            ]
            for j in range(m)
        ]
    return found


def means(values: Sequence[Fraction], rows: int | None, request: VectorRequest) -> list[float]:
    """The means, each clipped to its bounds; the middle if there are no rows."""
    count, sums, _ = scaled_moments(values, rows, request)
    c, h = _scales(request)
    n = max(count, Fraction(1))
    return [
        float(c[j] + h[j] * max(Fraction(-1), min(Fraction(1), total / n)))
        for j, total in enumerate(sums)
    ]


def covariance(
    values: Sequence[Fraction], rows: int | None, request: VectorRequest
) -> list[list[float]]:
    """The covariance matrix: symmetric, positive semidefinite, variances at most range^2 / 4.

    Entries beyond the largest double are clipped to it.
    """
    halves = np.array([float(x) for x in _scales(request)[1]])
    with np.errstate(over="ignore"):
        matrix = halves[:, None] * _scaled_covariance(values, rows, request) * halves[None, :]
        matrix = matrix / 2 + matrix.T / 2  # the order of factors may round the last digit
    return np.clip(matrix, -MAX, MAX).tolist()


def _scaled_covariance(
    values: Sequence[Fraction], rows: int | None, request: VectorRequest
) -> NDArray[np.float64]:
    """The covariances of z: positive semidefinite, on the diagonal at most 1."""
    eigenvalues, vectors = np.linalg.eigh(_noisy_covariance(values, rows, request))
    matrix = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    sizes = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    shrink = np.minimum(1, 1 / sizes)
    matrix = shrink[:, None] * matrix * shrink[None, :]
    return (matrix + matrix.T) / 2


def _noisy_covariance(
    values: Sequence[Fraction], rows: int | None, request: VectorRequest
) -> NDArray[np.float64]:
    """The covariances of z as the noise left them: symmetric, with entries of at most 4."""
    count, sums, table = scaled_moments(values, rows, request)
    n = max(count, Fraction(1))
    m = len(sums)
    # the exact difference is formed before any rounding, and is small whatever the noise
    limit = Fraction(4)
    mean = [max(Fraction(-1), min(Fraction(1), s / n)) for s in sums]
    return np.array(
        [
            [float(max(-limit, min(limit, table[j][k] / n - mean[j] * mean[k]))) for k in range(m)]
            for j in range(m)
        ]
    )


def correlation(
    values: Sequence[Fraction], rows: int | None, request: VectorRequest
) -> list[list[float]]:
    """Correlations: 1 on the diagonal, shrunk towards 0 where the noise shows.

    Only noise makes an eigenvalue negative, and the least one tells its size: all variances are
    raised by twice that. The nearest semidefinite matrix would answer 1 or -1 there
    (``benchmarks/correlations.py``).
    """
    covariances = _noisy_covariance(values, rows, request)
    noise = max(-float(np.linalg.eigvalsh(covariances)[0]), 0.0)
    deviations = np.sqrt(np.maximum(np.diag(covariances) + 2 * noise, 1e-300))
    found = np.clip(covariances / np.outer(deviations, deviations), -1, 1)
    found[np.diag_indices_from(found)] = 1
    return found.tolist()
