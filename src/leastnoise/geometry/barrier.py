"""Proposes certificates for the semidefinite ball: a barrier method, in doubles or in decimals.

It decides nothing: ``relaxation`` checks in integers what is proposed here.

For a vector v the norm is the least t with v = A - B, A and B in t R. With t and the entries of A
as unknowns x the path follows the minimisers of

    tau t - log det A - log det B - sum_k log L_k(A) - sum_k log L_k(B)

by Newton's method as tau grows. A is always strictly feasible, so t bounds the norm from above.
Where the Newton decrement is below 1, the Newton step corrects the derivatives of the barrier into
multipliers that are feasible for the dual, so they bound the norm from below (Nesterov and
Nemirovskii 1994).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from leastnoise.geometry.relaxation import Multipliers, Relaxation, relaxation

_linear: Any = np.linalg
_GROWTH = 10
_CLOSE = 0.25  # the square of the largest decrement at which multipliers are read off


class Doubles:
    """Linear algebra in doubles."""

    steps = 120

    def array(self, values: Any) -> Any:
        """An array of doubles."""
        return np.array([float(x) for x in values])

    def table(self, values: Any) -> Any:
        """A matrix of small whole numbers."""
        return values

    def inverse(self, matrices: Any) -> Any:
        """The inverses of some matrices."""
        return _linear.inv(matrices)

    def solve(self, matrix: Any, right: Any) -> Any:
        """x with matrix @ x = right."""
        return _linear.solve(matrix, right)

    def length(self, decrement: Any, ratios: Any, slopes: Any) -> Any:
        """How far to go: the whole step, or most of the way to the boundary."""
        most = max(-ratios.min(initial=0), -_linear.eigvals(slopes).real.min())
        return 1.0 if most < 0.9 else 0.9 / most

    def whole(self, values: Any, bits: int) -> Any:
        """Values in units of 2^-bits, as whole numbers; bits at most 48."""
        return np.rint(np.asarray(values) * 2.0**bits).astype(np.int64).tolist()


class Decimals:
    """The same in decimals of the context's precision, by elimination."""

    steps = 4000

    def array(self, values: Any) -> Any:
        """An array of decimals."""
        return np.array([Decimal(x.numerator) / x.denominator for x in values], dtype=object)

    def table(self, values: Any) -> Any:
        """A matrix of small whole numbers."""
        return np.array([[Decimal(int(x)) for x in row] for row in values], dtype=object)

    def inverse(self, matrices: Any) -> Any:
        """The inverses of some definite matrices."""
        return np.array([self.solve(a, self.table(np.eye(len(a)))) for a in matrices])

    def solve(self, matrix: Any, right: Any) -> Any:
        """x with matrix @ x = right, for a definite matrix; no row is exchanged."""
        size = len(matrix)
        work = np.concatenate([matrix, right], axis=1)
        for k in range(size):
            work[k] = work[k] / work[k, k]
            for i in range(size):
                if i != k:
                    work[i] = work[i] - work[i, k] * work[k]
        return work[:, size:]

    def length(self, decrement: Any, ratios: Any, slopes: Any) -> Any:
        """How far to go: the damped step, which always stays inside and always gains."""
        return Decimal(1) if decrement < _CLOSE else 1 / (1 + decrement.sqrt())

    def whole(self, values: Any, bits: int) -> Any:
        """Values in units of 2^-bits, as whole numbers."""
        if isinstance(values, Decimal):
            return round(Fraction(values) * 2**bits)
        return [self.whole(x, bits) for x in values]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The norm lies in [low, high]; entries of A in ``high`` R, and multipliers that give low."""

    low: Any
    high: Any
    entries: Any
    multipliers: tuple[Any, Any, Any, Any] | None


class Barrier:
    """One relaxation as arrays of doubles or decimals."""

    def __init__(self, relaxation: Relaxation, numbers: Doubles | Decimals) -> None:
        n, places = relaxation.size, relaxation.places
        units = np.zeros((len(places) + 1, n, n))
        for a in relaxation.fixed:
            units[0, a, a] = 1
        for i, (a, b) in enumerate(places):
            units[i + 1, a, b] = units[i + 1, b, a] = 1
        lines = np.zeros((len(relaxation.conditions), len(places) + 1))
        lines[:, 0] = 1
        for k, condition in enumerate(relaxation.conditions):
            for i, sign in condition:
                lines[k, i + 1] = sign
        self._size, self._fixed = n, list(relaxation.fixed)
        self._units = numbers.table(units.reshape(len(places) + 1, n * n))
        self._lines = numbers.table(lines)
        self._square = np.array([a == b for a, b in places])
        self._parameter = 2 * (n + len(lines))
        self._numbers = numbers

    def bounds(self, point: Sequence[Fraction], gap: Any, digits: int = 28) -> Bounds | None:
        """Bounds of the norm of a vector; None where the numbers have too few digits.

        Parameters
        ----------
        point : sequence of Fraction
            v.
        gap : float, Decimal or None
            Ends where high - low <= gap * high, or where the numbers have no more digits; None: as
            soon as the norm is above or below 1.
        digits : int
            The precision of decimals.
        """
        best: list[Bounds] = []
        with np.errstate(all="ignore"), localcontext() as context:
            context.prec = digits
            with suppress(np.linalg.LinAlgError, ArithmeticError):  # where digits run out
                self._follow(self._numbers.array(point), gap, best)
        return best[-1] if best else None

    def _follow(self, point: Any, gap: Any, best: list[Bounds]) -> None:
        """Follow the path; with a gap every pair of bounds on the way is kept."""
        numbers, units, lines, n = self._numbers, self._units, self._lines, self._size
        parts: list[Any] = [0 * point[:1], np.where(self._square, point / 2, point)]
        shift = np.concatenate(parts)
        matrix = (shift @ units).reshape(n, n)
        cuts = lines @ shift
        # start half way between A and -B, with twice the t that this needs at most
        x, largest = shift / 2, max(np.abs(shift))
        x[0] = 2 * max(*np.abs(matrix).sum(axis=0), 3 * largest) + (largest == 0)
        x[1:] += np.where(self._square, x[0] / 2, 0 * x[0])
        tau = self._parameter / x[0]
        right = np.stack([0 * x, 0 * x], axis=1)
        for _ in range(numbers.steps):
            first = (x @ units).reshape(n, n)
            inverses = numbers.inverse(np.stack([first, first - matrix]))
            slack = lines @ x
            rates = 1 / slack, 1 / (slack - cuts)
            right[:, 0] = units @ inverses.sum(axis=0).reshape(-1) + (rates[0] + rates[1]) @ lines
            right[0, 1] = 0 * tau - 1
            pairs = inverses[:, :, None, :, None] * inverses[:, None, :, None, :]
            curve = units @ pairs.sum(axis=0).reshape(n * n, n * n) @ units.T
            curve = curve + (lines.T * (rates[0] ** 2 + rates[1] ** 2)) @ lines
            # the step for any tau: the Newton equations are linear in it
            solved = numbers.solve(curve, right)
            step = solved[:, 0] + tau * solved[:, 1]
            decrement = step @ (right[:, 0] + tau * right[:, 1])
            if decrement < _CLOSE:
                found = self._bounds(x, shift, cuts, step, inverses, rates, tau)
                if gap is not None or found.low > 1:
                    best.append(found)
                if found.low > 1 if gap is None else found.high - found.low <= gap * x[0]:
                    return
                tau *= _GROWTH
                step = solved[:, 0] + tau * solved[:, 1]
                decrement = step @ (right[:, 0] + tau * right[:, 1])
            if not 0 <= decrement < np.inf:
                return
            along, move = lines @ step, (step @ units).reshape(n, n)
            ratios = np.concatenate([rates[0] * along, rates[1] * along])
            x = x + numbers.length(decrement, ratios, inverses @ move) * step
            if gap is None and x[0] < 1:
                best.append(Bounds(0 * x[0], x[0], x[1:], None))
                return

    def _bounds(
        self, x: Any, shift: Any, cuts: Any, step: Any, inverses: Any, rates: Any, tau: Any
    ) -> Bounds:
        move = (step @ self._units).reshape(self._size, self._size)
        along = self._lines @ step
        y, z = ((i - i @ move @ i) / tau for i in inverses)
        mu, nu = ((r - r * r * along) / tau for r in rates)
        low = z.reshape(-1) @ (shift @ self._units) + nu @ cuts
        return Bounds(low, x[0], x[1:], (y, z, mu, nu))

    def entries(self, bounds: Bounds, bits: int) -> list[int]:
        """An A of R for v, where high <= 1, in units of 2^-bits."""
        rest = (1 - bounds.high) / 2
        return self._numbers.whole(bounds.entries + np.where(self._square, rest, 0 * rest), bits)

    def multipliers(self, bounds: Bounds, bits: int) -> Multipliers | None:
        """The multipliers in units of 2^-bits, none below 0."""
        if bounds.multipliers is None:
            return None
        y, z, mu, nu = bounds.multipliers
        whole = self._numbers.whole
        fixed = [x + 1 for x in whole(y[self._fixed, self._fixed], bits)]
        return Multipliers(
            whole(z, bits),
            fixed,
            *([max(0, x) for x in whole(part, bits)] for part in (mu, nu)),
        )


@lru_cache(maxsize=32)
def barrier(columns: int, squares: tuple[int, ...], *, decimals: bool) -> Barrier:
    """The barrier of a relaxation, made once."""
    return Barrier(relaxation(columns, squares), Decimals() if decimals else Doubles())
