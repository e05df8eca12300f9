"""The Bernstein mechanism: release a function on [0, 1]^l by noisy values on a lattice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.guarantees import Guarantee, PureDP, Scope
from leastnoise.params import is_one_of, parse_count

Array = NDArray[Any]
_MOST_VALUES = 1 << 16
# Binomials of more steps are beyond doubles; weights of a higher order (up to C(h, h/2)) cancel to
# fewer than six digits.
_MOST_STEPS, _MOST_ORDER = 1000, 32


@dataclass(frozen=True, slots=True)
class Bernstein:
    """Noisy values of a function at the lattice {0, 1/k, ..., 1}^l, joined by a polynomial.

    A black box released this way returns its values at ``grid``, in that order, and its sensitivity
    is measured in the sup norm. ``polynomial`` turns the released values into a function: the
    iterated Bernstein operator B^(h) = sum over i = 1..h of C(h, i) (-1)^(i-1) B^i.

    Parameters
    ----------
    lattice : int
        k >= 1, the number of steps per coordinate.
    order : int
        h >= 1. Smooth functions are approximated better by a higher order, and noise grows with it.
    dimension : int
        l >= 1. There are (k + 1)^l values.
    noise : "linf" or "laplace"
        "linf" draws the noise of the sup-norm mechanism, the density proportional to
        exp(-epsilon max_i |v_i| / Delta) (errata 4.9). "laplace" is the paper's: independent
        Laplace noise of scale Delta (k + 1)^l / epsilon.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, there are more than 2^16 values, or doubles cannot hold the
        polynomial of this lattice and order; from ``polynomial`` for another number of values.

    Notes
    -----
    Guarantee: epsilon-DP if Delta bounds the sup norm of a difference between neighbours; the
    polynomial is post-processing. Source: Alda and Rubinstein (2017); Rubinstein and Alda (2017),
    Corollary 14. ``docs/proofs/bernstein.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> bernstein = ln.Bernstein(lattice=4, order=2)
    >>> curve = bernstein.polynomial([p * p for (p,) in bernstein.grid])
    >>> round(float(curve(0.5)), 4)
    0.2656
    """

    lattice: int
    order: int = 1
    dimension: int = 1
    noise: str = "linf"

    def __post_init__(self) -> None:
        for name in ("lattice", "order", "dimension"):
            object.__setattr__(self, name, parse_count(getattr(self, name), name))
        if self.lattice > _MOST_STEPS or self.order > _MOST_ORDER:
            raise ParameterError(
                f"lattice={self.lattice} and order={self.order} give a polynomial that doubles "
                f"cannot hold; use at most {_MOST_STEPS} steps and order {_MOST_ORDER}"
            )
        if not is_one_of(self.noise, ("linf", "laplace")):
            raise ParameterError(f'noise must be "linf" or "laplace", got {quoted(self.noise)}')
        # 2^17 values and more, before the power is computed
        if self.dimension > _MOST_VALUES.bit_length() or self.size > _MOST_VALUES:
            raise ParameterError(
                f"lattice={self.lattice} and dimension={self.dimension} give more than "
                f"{_MOST_VALUES} values; choose a smaller lattice"
            )

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return (
            f"Bernstein(lattice={self.lattice}, order={self.order}, dimension={self.dimension}, "
            f"noise={self.noise!r})"
        )

    @property
    def size(self) -> int:
        """The number of values, (k + 1)^l."""
        return (self.lattice + 1) ** self.dimension

    @property
    def grid(self) -> Array:
        """The lattice points, shape ((k + 1)^l, l), the last coordinate fastest."""
        axis = np.arange(self.lattice + 1) / self.lattice
        axes = np.meshgrid(*[axis] * self.dimension, indexing="ij")
        return np.stack([a.ravel() for a in axes], axis=-1)

    def polynomial(self, values: ArrayLike) -> BernsteinFunction:
        """The iterated Bernstein polynomial of values at ``grid``."""
        found: Array = np.asarray(values, dtype=np.float64)
        if found.shape != (self.size,):
            raise ParameterError(f"values must be {self.size} numbers, one for each grid point")
        power = found.reshape([self.lattice + 1] * self.dimension)
        weights = np.zeros_like(power)
        base = _basis(self.lattice, np.arange(self.lattice + 1) / self.lattice)
        for i in range(1, self.order + 1):
            weights = weights + comb(self.order, i) * (-1) ** (i - 1) * power
            for axis in range(self.dimension):
                power = np.moveaxis(np.tensordot(base, power, axes=(1, axis)), 0, axis)
        return BernsteinFunction(self.lattice, weights)

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """epsilon-DP."""
        return PureDP(epsilon, scope)


class BernsteinFunction:
    """A polynomial on [0, 1]^l, made from released values: call it at one point or at many."""

    __slots__ = ("lattice", "weights")

    def __init__(self, lattice: int, weights: Array) -> None:
        self.lattice, self.weights = lattice, weights

    def __call__(self, points: ArrayLike) -> Any:
        """The values at points of shape (..., l), or (...) where l is 1."""
        y: Array = np.asarray(points, dtype=np.float64)
        dimension = self.weights.ndim
        if dimension == 1 and (y.ndim == 0 or y.shape[-1] != 1):
            y = y[..., None]
        if y.shape[-1] != dimension:
            raise ParameterError(f"points must have {dimension} coordinates")
        flat = np.clip(y.reshape(-1, dimension), 0.0, 1.0)
        found: Array = np.broadcast_to(self.weights, (len(flat), *self.weights.shape))
        for axis in range(dimension):
            basis = _basis(self.lattice, flat[:, axis])
            found = np.einsum("nv,nv...->n...", basis, found)
        return found.reshape(y.shape[:-1])


def _basis(lattice: int, y: Array) -> Array:
    """b_v(y) = C(k, v) y^v (1 - y)^(k - v), shape (len(y), k + 1)."""
    v = np.arange(lattice + 1)
    return np.asarray(_binomials(lattice)) * y[:, None] ** v * (1 - y[:, None]) ** (lattice - v)


@lru_cache(maxsize=16)
def _binomials(lattice: int) -> Sequence[float]:
    return [float(comb(lattice, v)) for v in range(lattice + 1)]
