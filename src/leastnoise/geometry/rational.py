"""Linear algebra over the rationals, for small matrices."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Rows = Sequence[Sequence[int | Fraction]]


def eliminated(rows: Rows) -> tuple[list[list[Fraction]], Fraction, int]:
    """(reduced rows, determinant of the leading square, rank) by Gauss-Jordan elimination.

    Pivots are looked for in the first ``len(rows)`` columns.
    """
    table = [[Fraction(x) for x in row] for row in rows]
    size, sign, rank = len(table), Fraction(1), 0
    for column in range(min(size, len(table[0]) if table else 0)):
        pivot = next((i for i in range(rank, size) if table[i][column]), None)
        if pivot is None:
            sign = Fraction(0)
            continue
        if pivot != rank:
            table[rank], table[pivot] = table[pivot], table[rank]
            sign = -sign
        lead = table[rank][column]
        sign *= lead
        table[rank] = [x / lead for x in table[rank]]
        for i in range(size):
            factor = table[i][column]
            if i != rank and factor:
                table[i] = [x - factor * y for x, y in zip(table[i], table[rank], strict=True)]
        rank += 1
    return table, sign, rank


def inverse(matrix: Rows) -> list[list[Fraction]] | None:
    """The inverse of a square matrix, or None if there is none."""
    size = len(matrix)
    rows = [[*row, *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    table, _, rank = eliminated(rows)
    return [row[size:] for row in table] if rank == size else None


def determinant(matrix: Rows) -> Fraction:
    """The determinant of a square matrix."""
    return eliminated(matrix)[1]


def solve(matrix: Rows, right: Sequence[int | Fraction]) -> list[Fraction] | None:
    """x with matrix x = right for a square matrix, or None if it is singular."""
    size = len(matrix)
    table, _, rank = eliminated([[*row, b] for row, b in zip(matrix, right, strict=True)])
    return [row[size] for row in table] if rank == size else None


def product(matrix: Rows, vector: Sequence[int | Fraction]) -> list[Fraction]:
    """matrix @ vector; zeros cost nothing."""
    return [
        sum((Fraction(c) * x for c, x in zip(row, vector, strict=True) if c), Fraction(0))
        for row in matrix
    ]
