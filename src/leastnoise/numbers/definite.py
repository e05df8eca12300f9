"""Whether a symmetric matrix of integers is positive (semi)definite, decided exactly."""

from __future__ import annotations

from collections.abc import Sequence


def is_definite(matrix: Sequence[Sequence[int]], *, semi: bool = False) -> bool:
    """Whether x^T M x > 0 for every x but 0; ``semi``: whether it is >= 0.

    The pivots of Bareiss' elimination are the leading minors, and all its divisions are exact
    (Sylvester's criterion). Where a pivot is 0 the rest of its row must be 0, and is left out.

    Parameters
    ----------
    matrix : sequence of rows of int
        Symmetric; entries below the diagonal are not read.
    """
    rows = [list(row) for row in matrix]
    size, previous = len(rows), 1
    for k, lead in enumerate(rows):
        pivot = lead[k]
        if pivot == 0 and semi and not any(lead[k + 1 :]):
            continue
        if pivot <= 0:
            return False
        for i in range(k + 1, size):
            row, factor = rows[i], lead[i]
            for j in range(i, size):
                row[j] = (row[j] * pivot - factor * lead[j]) // previous
        previous = pivot
    return True
