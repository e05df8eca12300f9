"""The moment relaxation of one record, and exact certificates about differences of its points.

A record z in [-1, 1]^m with z_0 = 1 has the matrix A = (z_a z_b). It is positive semidefinite, its
entries 00 and yy (columns without a square coordinate, see below) may be put to 1, and

    A_jj <= 1,   1 + s A_ab + t A_ac + s t A_bc >= 0   for different a, b, c and signs s, t.

R is the set of all matrices with these properties, a convex set with more points than the hull of
records. A vector v in the coordinates of ``MomentSpace`` is a symmetric matrix V that is 0 at 00
and yy, v_i at the place of a product and v_i / 2 at that of a square (2 z^2 - 1). The ball "sdp" is
{v : V = A - B, A and B in R}.

A float or decimal solver (``barrier``) proposes; what stands here decides, in integers:

* *inside*: entries of one A. A and A - V satisfy every condition, for every v of a box.
* *outside*: Z, mu, nu >= 0. With the Y that makes every free entry of

      <Y, A> + <Z, B> + sum_k mu_k L_k(A) + nu_k L_k(B),   B = A - V,

  vanish (L_k the linear conditions) the sum is a number that depends on v alone. It is >= 0 where
  A, B in R exist and Y, Z are semidefinite; where it is < 0 on a box, no v of it is a difference.

Proof: ``docs/proofs/semidefinite-ball.md``. Source: errata 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import lcm

from leastnoise.numbers import is_definite

Condition = tuple[tuple[int, int], ...]
_SIGNS = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))


@dataclass(frozen=True)
class Relaxation:
    """R for this many columns, ``squares`` of them with a square coordinate.

    A column without one has a free square of its own: it may be put to 1, which keeps A
    semidefinite, so it is fixed there.
    """

    columns: int
    squares: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of rows of A."""
        return self.columns + 1

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The entry of every coordinate: first order, squares, products."""
        later = range(1, self.size)
        return (
            *((0, j) for j in later),
            *((j + 1, j + 1) for j in self.squares),
            *combinations(later, 2),
        )

    @cached_property
    def fixed(self) -> tuple[int, ...]:
        """The diagonal entries that are 1."""
        return (0, *(j + 1 for j in range(self.columns) if j not in self.squares))

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The linear conditions 1 + sum of sign * coordinate >= 0, as (coordinate, sign)."""
        at = {place: i for i, place in enumerate(self.places)}
        found: list[Condition] = [((at[j + 1, j + 1], -1),) for j in self.squares]
        for a, b, c in combinations(range(self.size), 3):
            edges = at[a, b], at[a, c], at[b, c]
            found += [tuple(zip(edges, signs, strict=True)) for signs in _SIGNS]
        return tuple(found)

    def matrix(self, entries: Sequence[int], fixed: Sequence[int]) -> list[list[int]]:
        """The symmetric matrix with these free and fixed entries."""
        found = [[0] * self.size for _ in range(self.size)]
        for (a, b), x in zip(self.places, entries, strict=True):
            found[a][b] = found[b][a] = x
        for a, x in zip(self.fixed, fixed, strict=True):
            found[a][a] = x
        return found

    def certainly_inside(
        self, entries: Sequence[int], bits: int, low: Sequence[int], high: Sequence[int], one: int
    ) -> bool:
        """Whether A = entries / 2^bits shows that all v in [low, high] / one are differences."""
        whole = 1 << bits
        ones = [whole] * len(self.fixed)
        if not is_definite(self.matrix(entries, ones)) or not self._satisfied(entries, whole, 0):
            return False
        # B in units of 2^-bits, each entry right within ``radius``
        radius, rest = 1, list(entries)
        for i, ((a, b), x, y) in enumerate(zip(self.places, low, high, strict=True)):
            scale = 2 * one if a != b else 4 * one
            rest[i] -= (x + y << bits) // scale
            radius = max(radius, -(-(y - x << bits) // scale) + 1)
        if not self._satisfied(rest, whole, radius):
            return False
        # the error is a matrix whose rows sum to at most size * radius: so is its norm
        shift = self.size * radius
        for i, (a, b) in enumerate(self.places):
            rest[i] -= shift if a == b else 0
        return is_definite(self.matrix(rest, [x - shift for x in ones]))

    def is_difference(
        self, entries: Sequence[Fraction], norm: Fraction, point: Sequence[Fraction]
    ) -> bool:
        """Whether A = entries shows that a vector is norm times a difference; on the edge as well.

        Every number is exact, so that semidefinite will do.
        """
        parts = zip(self.places, point, strict=True)
        shift = [v if a != b else v / 2 for (a, b), v in parts]
        one = lcm(norm.denominator, *(x.denominator for x in (*entries, *shift)))
        first = [int(x * one) for x in entries]
        second = [x - int(v * one) for x, v in zip(first, shift, strict=True)]
        whole = int(norm * one)
        return all(
            self._satisfied(x, whole, 0)
            and is_definite(self.matrix(x, [whole] * len(self.fixed)), semi=True)
            for x in (first, second)
        )

    def _satisfied(self, entries: Sequence[int], whole: int, radius: int) -> bool:
        return all(
            whole + sum(sign * entries[i] for i, sign in condition) >= len(condition) * radius
            for condition in self.conditions
        )

    def certainly_outside(
        self,
        multipliers: Multipliers,
        low: Sequence[int],
        high: Sequence[int],
        one: int,
    ) -> bool:
        """Whether the multipliers show that no v in [low, high] / one is a difference."""
        z, fixed, mu, nu = multipliers.z, multipliers.fixed, multipliers.mu, multipliers.nu
        if min((*mu, *nu), default=0) < 0 or not is_definite(z):
            return False
        both, second = [0] * len(self.places), [0] * len(self.places)
        for condition, m, n in zip(self.conditions, mu, nu, strict=True):
            for i, sign in condition:
                both[i] += sign * (m + n)
                second[i] += sign * n
        # 2 Y, from the condition that the free entries vanish
        y = [
            -2 * z[a][b] - (both[i] if a != b else 2 * both[i])
            for i, (a, b) in enumerate(self.places)
        ]
        if not is_definite(self.matrix(y, [2 * x for x in fixed])):
            return False
        most = 2 * (sum(fixed) + sum(z[a][a] for a in self.fixed) + sum(mu) + sum(nu))
        least = 0
        for i, (a, b) in enumerate(self.places):
            slope = 4 * z[a][b] + 2 * second[i] if a != b else z[a][a] + second[i]
            least += slope * (low[i] if slope > 0 else high[i])
        return least > most * one


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Z, the fixed diagonal of Y, and the multipliers of the linear conditions, in one unit."""

    z: list[list[int]]
    fixed: list[int]
    mu: list[int]
    nu: list[int]


@lru_cache(maxsize=32)
def relaxation(columns: int, squares: tuple[int, ...]) -> Relaxation:
    """The relaxation, made once."""
    return Relaxation(columns, squares)
