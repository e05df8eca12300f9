"""The profile of a vector statistic: exact sums, and what one record can change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leastnoise.geometry import Ball, MomentCone


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class VectorProfile:
    """NOT PRIVATE. A vector at one data set.

    Parameters
    ----------
    value : tuple of int
        The vector in whole multiples of ``units``.
    units : tuple of Fraction
        The public lattice: one unit a coordinate, in the scaling that balls are written in.
    sensitivity : callable of a Ball
        A certified upper bound of the K-norm sensitivity under the profile's relation, a function
        of public parameters only.
    named : callable of text
        A ball that the statistic knows by name, with its sensitivity.
    default_ball : text
        The one it takes by its public rule.
    radius : callable of (Ball, int), optional
        Radius bounding functions R_l (errata 4.3): for neighbours x, x' and every l >= 1 both
        ``||f(x) - f(x')||_K <= R_1`` and ``R_l(x') <= R_(l+1)(x)``, never above the sensitivity.
        Default: the sensitivity at every level.
    cone : pair, optional
        The cone of moment matrices, and the factor that turns epsilon into its rate: 1 where a
        record is replaced, 2 where one is added or removed.
    depth : int
        Levels after which the radius is the sensitivity; public.
    """

    value: tuple[int, ...]
    units: tuple[Fraction, ...]
    sensitivity: Callable[[Ball], Fraction]
    named: Callable[[str], tuple[Ball, Fraction]]
    default_ball: str
    radius: Callable[[Ball, int], Fraction] | None = None
    cone: tuple[MomentCone, int] | None = None
    depth: int = 0
