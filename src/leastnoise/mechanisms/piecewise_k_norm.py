"""Piecewise K-norm noise: as much as the data at hand needs, in every direction at once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.geometry import Ball
from leastnoise.laws.vector import VectorLaw
from leastnoise.mechanisms.k_norm import KNorm, check_ball, chosen_ball, shown
from leastnoise.mechanisms.mechanism import VectorMechanism
from leastnoise.params import parse_epsilon
from leastnoise.profiles.vector import VectorProfile
from leastnoise.randomness import BitSource
from leastnoise.sampling.radial import RadialLaw
from leastnoise.sampling.reals import RealVector, Scaled


@dataclass(frozen=True, slots=True)
class PiecewiseKNorm(VectorMechanism):
    """Noise whose density falls by exp(-epsilon / 2) over each of the radii R_1, R_2, ...

    R_l bounds how far one more record can move the vector after l - 1 others have changed, in the
    norm of K; R_1 is that of the data at hand.

    Parameters
    ----------
    ball : Ball or text, optional
        As for ``KNorm``.

    Raises
    ------
    ParameterError, ParameterTypeError
        As for ``KNorm``.

    Notes
    -----
    Guarantee: epsilon-DP if for neighbours ``||f(x) - f(x')||_K <= R_1(x)`` and
    ``R_l(x') <= R_(l+1)(x)``; every radius is cut at the global sensitivity, which is the last.
    With constant radii this would be the K-norm mechanism at epsilon / 2, so a statistic that
    gives no radii gets ``KNorm`` at epsilon. Source: Durfee (2025), section 5, for any norm and
    without rejection (errata 4.3). ``docs/proofs/piecewise-k-norm.md``.
    """

    ball: Any = None

    def __post_init__(self) -> None:
        check_ball(self.ball)

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return shown("PiecewiseKNorm", self.ball)

    def law(self, profile: object, epsilon: object) -> VectorLaw:
        """NOT PRIVATE. The law of the noisy vector."""
        exponent = parse_epsilon(epsilon)
        ball, sensitivity, vector = chosen_ball(self.ball, profile, "PiecewiseKNorm")
        if vector.radius is None:
            return KNorm(self.ball).law(profile, exponent)
        ball.check_sampler()
        radial = radial_law(vector, ball, sensitivity, exponent)
        size = max(0, int(max(ball.half_widths)).bit_length())

        def noise(source: BitSource) -> RealVector:
            return Scaled(radial.draw(source), ball.uniform(source), size)

        return VectorLaw(vector.value, vector.units, noise)


def radial_law(
    vector: VectorProfile, ball: Ball, sensitivity: Fraction, epsilon: Fraction
) -> RadialLaw:
    """NOT PRIVATE. The radii of a profile, each cut at the sensitivity, which comes last."""
    radius = vector.radius
    if radius is None or vector.depth < 0:
        raise ParameterError("this profile has no radii")
    levels = range(1, vector.depth + 1)
    # a radius above the sensitivity would break R_l(x') <= R_(l+1)(x) at the last level
    radii = [max(Fraction(0), min(Fraction(radius(ball, l)), sensitivity)) for l in levels]
    return RadialLaw(ball.dimension, [*radii, sensitivity], epsilon)
