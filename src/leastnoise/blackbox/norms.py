"""Norms of differences between answers: certified upper bounds, for sampling and for noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isqrt, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.geometry import Ball

Array = NDArray[Any]
NORMS = ("l1", "l2", "linf")
# In the place of the key of a ball whose contents cannot be compared.
UNKNOWN = "unknown"


def parse_norm(norm: Any) -> Any:
    """ "l1", "l2", "linf" or a ball of ``leastnoise.geometry``."""
    if isinstance(norm, str) and norm in NORMS:
        return norm
    if isinstance(norm, Ball):
        norm.bound([1] * norm.dimension)  # a ball without an exact norm refuses
        return norm
    raise ParameterError(f'norm must be "l1", "l2", "linf" or a ball, got {quoted(norm)}')


def in_dimension(norm: Any, dimension: int) -> tuple[Any, Fraction]:
    """The norm for answers of this length, and what a size in ``norm`` is multiplied by for it.

    One number has one norm, its absolute value: a ball for one number is an interval, and becomes
    half its length, rounded outwards.

    Raises
    ------
    ParameterError
        If the ball has another number of coordinates.
    """
    if isinstance(norm, str):
        return norm, Fraction(1)
    if norm.dimension != dimension:
        raise ParameterError(
            f"norm is a ball of {norm.dimension} coordinates, but an answer has {dimension}"
        )
    return (norm, Fraction(1)) if dimension > 1 else ("l1", norm.half_widths[0])


def check_cut(norm: Any) -> None:
    """Refuse a norm in which two answers may move apart where their coordinates are cut to limits.

    The sensitivity is declared for answers before they are cut.

    Raises
    ------
    ParameterError
        Unless the norm is l1, l2 or linf, or its ball is proved to be ``orthant_monotone``.
    """
    if isinstance(norm, Ball) and not norm.orthant_monotone:
        raise ParameterError(
            f"bounds= clips each coordinate by itself, which in the norm of {norm.name} can move "
            "two answers further apart than sensitivity says: omit bounds, and clip inside the "
            "function whose sensitivity you prove"
        )


def norm_name(norm: Any) -> str:
    """How records call a norm, and know it again: a ball's name, and what is only its own."""
    if isinstance(norm, str):
        return norm
    return f"{norm.name} #{norm.key or UNKNOWN}"


def is_known(norm: Any) -> bool:
    """Whether a norm can be distinguished from all others."""
    return isinstance(norm, str) or norm.key is not None


def same_norm(one: Any, other: Any) -> bool:
    """Whether two norms are one for certain: by content, or the same object."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and one == other
    return one is other or (one.key is not None and one.key == other.key)


class VectorNorms:
    """Certified upper bounds of the norms of differences; other processes can run it.

    A difference of doubles is off by at most half a unit in the last place, so the next larger
    size is above it. Sums of sizes and of squares of d coordinates are off by a share below
    d 2^-52, which is added; squares are taken of rows scaled to 1 by a power of two, so that none
    that counts is lost. Balls bound the exact difference.
    """

    __slots__ = ("norm",)

    def __init__(self, norm: Any) -> None:
        self.norm = norm

    def __call__(self, first: Array, second: Array) -> Array:
        """Of first - second, shapes (b, d) to (b,)."""
        rows = first - second
        sizes = _above(np.abs(rows))
        match self.norm:
            case "linf":
                return sizes.max(axis=1)
            case "l1" | "l2" if rows.shape[1] == 1:
                return sizes[:, 0]
            case "l1":
                return _wider(sizes.sum(axis=1), rows.shape[1])
            case "l2":
                _, exponents = np.frexp(sizes.max(axis=1, initial=0.0))
                scaled = np.ldexp(sizes, -exponents[:, None])
                found = np.sqrt((scaled * scaled).sum(axis=1))
                return np.ldexp(_wider(found, rows.shape[1]), exponents)
            case _:
                pairs = zip(first.tolist(), second.tolist(), strict=True)
                found = [_bound_above(self.norm, one, other) for one, other in pairs]
                return np.array(found, dtype=np.float64)


def _above(sizes: Array) -> Array:
    """The next larger doubles; 0 stays, as a difference of doubles is 0 only if they are equal."""
    return np.where(sizes == 0, 0.0, np.nextafter(sizes, np.inf))


def _wider(bounds: Array, terms: int) -> Array:
    """More by a share of (terms + 8) 2^-51, and by one unit against what the product loses."""
    return _above(bounds * (1 + (terms + 8) * 2.0**-51))


def _bound_above(ball: Ball, first: list[float], second: list[float]) -> float:
    """A double at or above the bound of a difference of finite answers."""
    bound = ball.bound([Fraction(a) - Fraction(b) for a, b in zip(first, second, strict=True)])
    try:
        found = float(bound)
    except OverflowError:
        return inf
    return found if found >= bound else nextafter(found, inf)


def rounding(norm: Any, dimension: int) -> Fraction:
    """By how much rounding both answers to the integers can move the norm of their difference."""
    match norm:
        case "l1":
            return Fraction(dimension)
        case "l2":
            return Fraction(isqrt(dimension - 1) + 1)
        case "linf":
            return Fraction(1)
        case _:
            return Fraction(norm.box_sensitivity([1] * dimension))


Norm = Callable[[Array, Array], Array]
