"""K-norm mechanisms: noise shaped like the sensitivity of a vector, everywhere or at the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.geometry import Ball
from leastnoise.laws.vector import VectorLaw
from leastnoise.mechanisms.mechanism import VectorMechanism
from leastnoise.params import parse_epsilon
from leastnoise.profiles.vector import VectorProfile
from leastnoise.randomness import BitSource
from leastnoise.sampling.radial import RadialLaw
from leastnoise.sampling.reals import RealVector, Scaled


def chosen_ball(ball: Any, profile: object, name: str) -> tuple[Ball, Fraction, VectorProfile]:
    """The mechanism's ball or the statistic's own, its sensitivity, and the profile.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the statistic is not a vector, or the ball is unknown or has another dimension.
    """
    if not isinstance(profile, VectorProfile):
        raise ParameterTypeError(
            f"{name} is for vectors, such as MomentVector or MeanVector; use Laplace() or "
            "PiecewiseLaplace() for a single number"
        )
    if not isinstance(ball, Ball):
        found, sensitivity = profile.named(profile.default_ball if ball is None else ball)
        return found, sensitivity, profile
    if ball.dimension != len(profile.value):
        raise ParameterError(
            f"ball has {ball.dimension} coordinates, and this statistic has {len(profile.value)} "
            "under this relation"
        )
    return ball, profile.sensitivity(ball), profile


def check_ball(ball: object) -> None:
    """A ball, the name of one, or None."""
    if ball is not None and not isinstance(ball, (Ball, str)):
        raise ParameterTypeError(
            f"ball must be a ball of leastnoise.geometry or the name of one, got {quoted(ball)}"
        )


@dataclass(frozen=True, slots=True)
class KNorm(VectorMechanism):
    """Add noise of the density proportional to exp(-epsilon ||v||_K / Delta_K) to a vector.

    Parameters
    ----------
    ball : Ball or text, optional
        K, from ``leastnoise.geometry``, in the scaling of the statistic; or a name that the
        statistic knows, such as "linf" or "blocks". Default: the statistic's, by a public rule.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``ball`` is neither a ball nor a name; from ``law`` for one number instead of a vector,
        an unknown name, and a ball of another dimension. Checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP. Delta_K is the largest K-norm of a difference that one record can make,
    under the relation in force; the exact vector, a whole number of public units, gets real noise
    that is refined until it rounds to one lattice point, which is post-processing. No float takes
    part. Source: Hardt and Talwar (2010); Awan and Slavkovic, proposition 2.8 and, corrected,
    algorithm 8 (errata 1). ``docs/proofs/k-norm.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise import geometry
    >>> means = ln.MeanVector(bounds=[(0, 1), (0, 1)])
    >>> noise = ln.KNorm(geometry.LpBall(2, 2))
    >>> r = ln.release(means, [[0, 1], [1, 1]], epsilon=1, mechanism=noise, missing="none")
    >>> len(r.value)
    2
    """

    ball: Any = None

    def __post_init__(self) -> None:
        check_ball(self.ball)

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return shown("KNorm", self.ball)

    def law(self, profile: object, epsilon: object) -> VectorLaw:
        """NOT PRIVATE. The law of the noisy vector."""
        exponent = parse_epsilon(epsilon)
        ball, sensitivity, vector = chosen_ball(self.ball, profile, "KNorm")
        ball.check_sampler()
        rate = exponent / sensitivity
        return VectorLaw(
            vector.value,
            vector.units,
            lambda source: ball.noise(rate, source),
            lambda count, rng: ball.sample_noise(count, float(rate), rng),
        )


def shown(kind: str, ball: object) -> str:
    """A mechanism with its ball, for a record."""
    if ball is None:
        return f"{kind}()"
    return f"{kind}({ball.name if isinstance(ball, Ball) else ball!r})"


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
