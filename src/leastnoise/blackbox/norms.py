"""Norms of differences between answers: in doubles for sampling, with certain margins for noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError
from leastnoise.geometry import Ball

Array = NDArray[Any]
NORMS = ("l1", "l2", "linf")
# In the place of the key of a ball whose contents cannot be compared.
UNKNOWN = "unknown"
# A norm in doubles is off by less than this share of itself (up to 2^20 coordinates).
MARGIN = Fraction(1, 1 << 30)


def parse_norm(norm: Any) -> Any:
    """ "l1", "l2", "linf" or a ball of ``leastnoise.geometry``."""
    if isinstance(norm, str) and norm in NORMS:
        return norm
    if isinstance(norm, Ball):
        norm.bound([1] * norm.dimension)  # a ball without an exact norm refuses
        return norm
    raise ParameterError(f'norm must be "l1", "l2", "linf" or a ball, got {norm!r}')


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
            f"norm is a ball of {norm.dimension} coordinates, and an answer has {dimension}"
        )
    return (norm, Fraction(1)) if dimension > 1 else ("l1", norm.half_widths[0])


def norm_name(norm: Any) -> str:
    """How records call a norm, and know it again: a ball's name, and what is only its own."""
    if isinstance(norm, str):
        return norm
    return f"{norm.name} #{norm.key or UNKNOWN}"


def is_known(norm: Any) -> bool:
    """Whether a norm can be told from all others."""
    return isinstance(norm, str) or norm.key is not None


def same_norm(one: Any, other: Any) -> bool:
    """Whether two norms are one for certain: by content, or the same object."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and one == other
    return one is other or (one.key is not None and one.key == other.key)


class VectorNorms:
    """The norms of the rows of an array, in doubles; other processes can run it."""

    __slots__ = ("norm",)

    def __init__(self, norm: Any) -> None:
        self.norm = norm

    def __call__(self, rows: Array) -> Array:
        """Shape (b, d) to (b,)."""
        match self.norm:
            case "l1":
                return np.abs(rows).sum(axis=1)
            case "l2":
                return np.sqrt((rows * rows).sum(axis=1))
            case "linf":
                return np.abs(rows).max(axis=1)
            case _:
                return np.asarray(self.norm.norms(rows))


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


Norm = Callable[[Array], Array]
