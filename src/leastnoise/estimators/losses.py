"""Convex losses of a residual, known by a public table of their derivative.

The derivative of a loss is evaluated at public knots only, never at private data; between them it
is linear. That makes one rule of every loss, also of a user's own: a function of one residual,
bounded, and nondecreasing *as floats are computed*, because every operation behind it is a
correctly rounded one of IEEE 754 and those keep order. The profile of robust regression needs
exactly these three (``docs/proofs/robust-regression.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from math import isfinite, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.params import parse_number

Array = NDArray[np.float64]

KNOTS = 1 << 15
# Slopes are whole multiples of this, so that differences and sums of neighbours are exact floats.
_GRAIN = 2.0**40
_TANH_END = 10.0  # tanh(10) is 1 to within 1e-8


@dataclass(frozen=True, slots=True)
class SlopeTable:
    """The derivative of a loss over its Lipschitz constant, in [-1, 1], linear between knots.

    Knot j = 0..K stands for the residual ``limit (2 j / K - 1)``; beyond the ends it is constant.
    """

    values: Array
    steps: Array
    limit: float

    @property
    def per_unit(self) -> float:
        """Knots in one unit of residual."""
        return (len(self.values) - 1) / (2 * self.limit)

    def at(self, position: Array) -> Array:
        """The slope at positions (residual + limit) * per_unit, clamped to [0, K] here."""
        held = np.maximum(position, 0.0)
        np.minimum(held, float(len(self.values) - 1), out=held)
        knot = held.astype(np.intp)
        held -= knot
        held *= self.steps.take(knot)
        held += self.values.take(knot)
        return held


def slope_table(slopes: Sequence[float], limit: float) -> SlopeTable:
    """A table from slopes in [-1, 1], nondecreasing, at evenly spaced knots on [-limit, limit]."""
    values = np.rint(np.asarray(slopes, dtype=np.float64) * _GRAIN) / _GRAIN
    return SlopeTable(values, np.append(np.diff(values), 0.0), limit)


@cache
def _tanh_table() -> SlopeTable:
    slopes = [tanh(_TANH_END * (2 * j / KNOTS - 1)) for j in range(KNOTS + 1)]
    return slope_table(slopes, _TANH_END)


@dataclass(frozen=True)
class SmoothAbsoluteLoss:
    """h(t) = alpha log(1 + e^(t/alpha)) + alpha log(1 + e^(-t/alpha)): |t|, rounded near 0.

    Parameters
    ----------
    alpha : number
        Width of the rounding in the units of the target, > 0; small alpha is close to |t|.

    Raises
    ------
    ParameterError, ParameterTypeError
        If alpha is not a number above 0.

    Notes
    -----
    Source: Asi and Duchi (2020), Example 1 ("alpha-insensitive"). Derivative tanh(t / (2 alpha)).
    """

    alpha: object = 1

    def __post_init__(self) -> None:
        _positive(self.alpha, "alpha")

    @cached_property
    def table(self) -> SlopeTable:
        """The derivative, tabulated to within 1e-7."""
        alpha = float(_positive(self.alpha, "alpha"))
        return replace(_tanh_table(), limit=2 * _TANH_END * alpha)


@dataclass(frozen=True)
class HuberLoss:
    """t^2 / (2 delta) for abs(t) <= delta and abs(t) - delta/2 beyond.

    Parameters
    ----------
    delta : number
        Where the square ends, in the units of the target, > 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If delta is not a number above 0.

    Notes
    -----
    Its slope lies in [-1, 1] and never falls, which is what the privacy proof needs
    (``docs/proofs/robust-regression.md``). Source: Huber (1964).
    """

    delta: object = 1

    def __post_init__(self) -> None:
        _positive(self.delta, "delta")

    @cached_property
    def table(self) -> SlopeTable:
        """The derivative, exactly: it is linear on [-delta, delta]."""
        return slope_table([-1.0, 0.0, 1.0], float(_positive(self.delta, "delta")))


@dataclass(frozen=True)
class ConvexLoss:
    """A convex loss of your own, by its derivative.

    Parameters
    ----------
    derivative : callable
        Maps a residual (prediction - target, a float) to the slope of the loss there. It is called
        at public knots only, never with a residual of the data.
    limit : number
        Residuals beyond [-limit, limit] have the slope of the nearer end; in units of the target.
    lipschitz : number
        A bound on the absolute slope, > 0. Exact where the slope reaches it, else noise is wasted.
    knots : int
        Between how many evenly spaced points the derivative is taken as linear.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a number is out of range, or the derivative is not callable, is not finite, decreases
        somewhere, or exceeds ``lipschitz``.

    Examples
    --------
    >>> pinball = ConvexLoss(lambda t: -0.3 if t < 0 else 0.7, limit=1, lipschitz=0.7)
    """

    derivative: Callable[[float], float]
    limit: object
    lipschitz: object = 1
    knots: int = KNOTS

    def __post_init__(self) -> None:
        if not callable(self.derivative):
            raise ParameterTypeError(
                f"derivative must be a function of one residual, got {quoted(self.derivative)}"
            )
        _positive(self.limit, "limit")
        _positive(self.lipschitz, "lipschitz")
        if not 2 <= parse_number(self.knots, "knots") <= 1 << 24:
            raise ParameterError(f"knots must lie between 2 and 2**24, got {quoted(self.knots)}")
        _ = self.table  # what is wrong with the derivative is said now

    @cached_property
    def table(self) -> SlopeTable:
        """The derivative over ``lipschitz`` at the knots."""
        limit, bound = float(_positive(self.limit, "limit")), float(_positive(self.lipschitz, "L"))
        slopes = [
            float(self.derivative(limit * (2 * j / self.knots - 1))) / bound
            for j in range(int(self.knots) + 1)
        ]
        if not all(isfinite(slope) and abs(slope) <= 1 + 1e-12 for slope in slopes):
            raise ParameterError(
                f"derivative must be finite and at most lipschitz={self.lipschitz} in size on "
                "[-limit, limit]; declare a larger lipschitz"
            )
        if any(b < a for a, b in pairwise(slopes)):
            raise ParameterError("derivative must be nondecreasing: the loss is not convex")
        return slope_table([max(-1.0, min(1.0, slope)) for slope in slopes], limit)


def parse_loss(loss: object, scale: object) -> SmoothAbsoluteLoss | HuberLoss | ConvexLoss:
    """A loss by its name with the scale, or a loss object."""
    if isinstance(loss, (SmoothAbsoluteLoss, HuberLoss, ConvexLoss)):
        if type(loss) not in (SmoothAbsoluteLoss, HuberLoss, ConvexLoss):
            raise ParameterError(
                f"loss is a {type(loss).__name__}, whose slopes cannot be checked: give a "
                "ConvexLoss with its derivative"
            )
        return loss
    named: dict[str, Callable[[Any], SmoothAbsoluteLoss | HuberLoss]] = {
        "smooth-absolute": SmoothAbsoluteLoss,
        "huber": HuberLoss,
    }
    if not isinstance(loss, str) or loss not in named:
        raise ParameterError(
            'loss must be "smooth-absolute", "huber", or a SmoothAbsoluteLoss, HuberLoss or '
            f"ConvexLoss, got {quoted(loss)}"
        )
    return named[loss](scale)


def _positive(value: object, name: str) -> Fraction:
    number = parse_number(value, name)
    if not Fraction(1, 2**500) <= number < 2**500:
        raise ParameterError(f"{name} must lie between 2**-500 and 2**500, got {quoted(value)}")
    return number
