"""Exponential noise on the cone of moment matrices, and differences of two such draws.

The cone P holds the symmetric m x m matrices W that are positive semidefinite with W_jj <= W_00.
W = r M with r = W_00 of the Gamma law of shape m (m + 1) / 2 and rate a, and M uniform among the
matrices of P with M_00 = 1, has the density proportional to exp(-a W_00) on P. Write M = S C S with
a correlation matrix C = L L^T, L lower triangular. The volume of M is that of C times
prod_j s_j^m ds_j, and that of C is prod_j (1 - |x_j|^2)^((m - 1 - j) / 2) dx_j for the first j
entries x_j of row j of L: the law of the first j coordinates of a uniform point of the sphere in
m + 1 coordinates. So the rows are independent, row 0 is (1), and

    row j of S L = s_j (g_0, ..., g_(j-1), sqrt(1 - g_0^2 - ... - g_(j-1)^2)),

g uniform on that sphere and P(s_j <= t) = t^(m + 1). That is the onion method for correlation
matrices with free diagonals (Ghosh and Henderson 2003; Lewandowski, Kurowicka and Joe 2009), in a
form that needs no beta law. ``docs/proofs/cone-laplace.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict, power_radius, sizes, sphere_direction
from leastnoise.sampling.reals import Interval, RealVector, gamma, narrowed

_WORD = 64


class MomentMatrix(RealVector):
    """One draw of W; coordinates are the lower triangle row by row: (0,0), (1,0), (1,1), ..."""

    __slots__ = ("_radius", "_rows", "_size")

    def __init__(self, size: int, rate: Fraction, triangles: bool, source: BitSource) -> None:
        """``triangles``: on the smaller cone whose matrices obey the triangle inequalities."""
        self._size = size
        self._radius = gamma(size * (size + 1) // 2, rate, source)
        self._rows = self._draw_rows(source)
        while triangles and not self._obeys():
            self._rows = self._draw_rows(source)

    def _draw_rows(self, source: BitSource) -> list[tuple[RealVector, RealVector]]:
        size = self._size + 1
        return [
            (power_radius(size, source), sphere_direction(size, source))
            for _ in range(self._size - 1)
        ]

    def _obeys(self) -> bool:
        """Whether M obeys +-M_jk +-M_jl +-M_kl >= -1 with an even number of minus signs."""
        bits = 40
        while True:
            verdict = _triangles(self._products(bits + 8), 2 * bits + 16)
            if verdict is not None:
                return verdict
            bits += _WORD

    @property
    def dimension(self) -> int:
        """m (m + 1) / 2."""
        return self._size * (self._size + 1) // 2

    def enclose(self, bits: int) -> list[Interval]:
        """Enclosures of the entries."""
        reach = self._radius.enclose(0)[0][1].bit_length()
        need = bits + reach + 12
        while True:
            found = self._attempt(need, bits)
            if all(high - low <= 4 for low, high in found):
                return found
            need += _WORD

    def _products(self, need: int) -> list[list[Interval]]:
        """The lower triangle of M = L L^T, row by row, at twice ``need`` bits."""
        rows: list[list[Interval]] = [[(1 << need, 1 << need)]]
        for j, (radius, direction) in enumerate(self._rows, start=1):
            rows.append(_row(j, radius, direction, need))
        found: list[list[Interval]] = []
        for j, left in enumerate(rows):
            line: list[Interval] = []
            for right in rows[: j + 1]:
                low = high = 0
                for x, y in zip(left, right, strict=False):
                    corners = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
                    low, high = low + min(corners), high + max(corners)
                line.append((low, high))
            found.append(line)
        return found

    def _attempt(self, need: int, bits: int) -> list[Interval]:
        r_low, r_high = self._radius.enclose(need)[0]
        found: list[Interval] = []
        for line in self._products(need):
            for low, high in line:
                bottom = low * (r_low if low >= 0 else r_high)
                top = high * (r_high if high >= 0 else r_low)
                found.append(narrowed(bottom, top, 3 * need - bits))
        return found


def _triangles(m: Sequence[Sequence[Interval]], bits: int) -> Verdict:
    """Whether a matrix obeys all triangle inequalities, certainly or not, or undecided."""
    one = 1 << bits
    found: Verdict = True
    for j in range(len(m)):
        for k in range(j):
            a = m[j][k]
            for l in range(k):
                b, c = m[j][l], m[k][l]
                # the least of a + b + c, a - b - c, b - a - c, c - a - b, from both ends
                least = min(
                    a[0] + b[0] + c[0], a[0] - b[1] - c[1], b[0] - a[1] - c[1], c[0] - a[1] - b[1]
                )
                if least >= -one:
                    continue
                most = min(
                    a[1] + b[1] + c[1], a[1] - b[0] - c[0], b[1] - a[0] - c[0], c[1] - a[0] - b[0]
                )
                if most < -one:
                    return False
                found = None
    return found


def _row(j: int, radius: RealVector, direction: RealVector, need: int) -> list[Interval]:
    """s (g_0, ..., g_(j-1), sqrt(1 - sum of squares)), at ``need`` bits, rounded outwards."""
    # the root of 1 - |g|^2 doubles the error where it is small: start with twice the digits
    fine = 2 * need
    s_low, s_high = radius.enclose(fine)[0]
    g = direction.enclose(fine)[:j]
    spans = [sizes(low, high) for low, high in g]
    whole = 1 << 2 * fine
    least = max(0, whole - sum(far * far for _, far in spans))
    most = min(whole, whole - sum(near * near for near, _ in spans))
    ends = [*g, (isqrt(least), isqrt(most) + 1)]
    s_low = max(0, s_low)
    return [
        narrowed(
            low * (s_low if low >= 0 else s_high),
            high * (s_high if high >= 0 else s_low),
            2 * fine - need,
        )
        for low, high in ends
    ]


class LinearDifference(RealVector):
    """Linear functions with whole or half coefficients of W - W', two vectors of one kind."""

    __slots__ = ("_rows", "_vectors")

    def __init__(
        self, rows: Sequence[Sequence[tuple[int, int]]], one: RealVector, two: RealVector
    ) -> None:
        """Every row lists (coordinate, twice its coefficient)."""
        self._rows, self._vectors = rows, (one, two)

    @property
    def dimension(self) -> int:
        """The number of linear functions."""
        return len(self._rows)

    def enclose(self, bits: int) -> list[Interval]:
        """Enclosures of the sums."""
        fine = bits + 7  # at most 8 halves of two vectors that are 4 units wide
        one, two = (v.enclose(fine) for v in self._vectors)
        found: list[Interval] = []
        for row in self._rows:
            low = high = 0
            for i, c in row:
                a, b = one[i][0] - two[i][1], one[i][1] - two[i][0]
                low, high = low + c * (a if c > 0 else b), high + c * (b if c > 0 else a)
            found.append(narrowed(low, high, fine + 1 - bits))
        return found
