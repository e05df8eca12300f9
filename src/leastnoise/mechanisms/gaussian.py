"""Gaussian noise scaled to the global sensitivity, with the exact calibration."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import ClassVar, overload

from leastnoise.errors import ParameterError
from leastnoise.geometry import LpBall
from leastnoise.guarantees import ApproxDP, Guarantee, Scope
from leastnoise.laws import ConstantLaw, DiscreteGaussianLaw, Law
from leastnoise.laws.vector import VectorLaw
from leastnoise.mechanisms.gaussian_calibration import discrete_variance, normal_ratio
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.params import parse_delta, parse_epsilon
from leastnoise.profiles import Profile, on_grid
from leastnoise.profiles.vector import VectorProfile
from leastnoise.sampling.rounded_gaussian import NormalVector


@dataclass(frozen=True, slots=True)
class Gaussian(Mechanism):
    """Add discrete Gaussian noise, P(k) proportional to exp(-k^2 / (2 sigma^2)) lattice steps.

    sigma^2 is the smallest for which the *discrete* law keeps (epsilon, delta) at the global
    sensitivity of the statistic, after rounding to the output lattice; of the profile, only the
    value is read. It is found by certified integers, for every epsilon. A vector, such as
    ``MomentVector``, gets independent normal noise, calibrated to its l2 sensitivity and rounded
    last.

    Parameters
    ----------
    delta : number
        Failure probability, 0 < delta < 1; far below one over the number of people.

    Raises
    ------
    ParameterError, ParameterTypeError
        If delta is invalid; from ``law`` for an invalid epsilon, for scores, and for a statistic
        without a finite global sensitivity. Checked before any data is read.

    Notes
    -----
    Guarantee: (epsilon, delta)-DP. The answer is cut to the public range after the draw where the
    statistic says so, which is post-processing. ``law`` describes the noisy value before that cut.
    The noise is public. The classical scale sqrt(2 ln(1.25/delta)) Delta / epsilon is *not* private
    for large epsilon (errata 1, RA17 Corollary 12). For one number Laplace noise is often smaller;
    Gaussian noise pays for vectors. Source: Balle and Wang (2018); Canonne,
    Kamath and Steinke (2020); ``docs/proofs/gaussian.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.Sum(bounds=(0, 1), max_rows=4), [0, 1, 1])
    >>> law = ln.Gaussian(delta=1e-5).law(p, epsilon=1)
    >>> round(law.mean_absolute_error(centre=2), 2)
    2.98
    """

    for_vectors: ClassVar[bool] = True
    public_noise: ClassVar[bool] = True
    delta: object

    def __post_init__(self) -> None:
        parse_delta(self.delta)

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return f"Gaussian(delta={parse_delta(self.delta)})"

    @overload
    def law(self, profile: Profile, epsilon: object) -> Law: ...

    @overload
    def law(self, profile: VectorProfile, epsilon: object) -> VectorLaw: ...

    def law(self, profile: Profile | VectorProfile, epsilon: object) -> Law | VectorLaw:
        """NOT PRIVATE. The law of the noisy value, before it is cut to the public range."""
        exponent = parse_epsilon(epsilon)
        if isinstance(profile, VectorProfile):
            return self.vector_law(profile, exponent, 1)
        grid = on_grid(profile)
        if grid.sensitivity is None:
            raise ParameterError(
                f"{self.name} needs a finite global sensitivity, and this statistic has none: give "
                "bounds, or another mechanism"
            )
        if grid.sensitivity == 0:
            return ConstantLaw(grid.centre, grid.step)
        variance = discrete_variance(exponent, parse_delta(self.delta), grid.sensitivity)
        return DiscreteGaussianLaw(grid.centre, variance, grid.step)

    def vector_law(self, profile: VectorProfile, epsilon: Fraction, rows: int) -> VectorLaw:
        """Real normal noise, rounded last: the exact delta of the normal law at l2 sensitivity.

        The rows of a person move the vector by as many sensitivities; a single delta covers them
        all.
        """
        dimension = len(profile.value)
        reach = rows * profile.sensitivity(LpBall(2, dimension))
        sigma = normal_ratio(epsilon, parse_delta(self.delta)) * reach
        return VectorLaw(
            profile.value,
            profile.units,
            lambda source: NormalVector(dimension, sigma, source),
            lambda count, rng: rng.normal(scale=float(sigma), size=(count, dimension)),
        )

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """(epsilon, delta)-DP."""
        return ApproxDP(epsilon, parse_delta(self.delta), scope)

    def vector_strongest(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """Also rho, the same for every vector: noise in units of its sensitivity."""
        delta = parse_delta(self.delta)
        return ApproxDP(epsilon, delta, scope, rho=1 / (2 * normal_ratio(epsilon, delta) ** 2))

    def noise_scale(self, profile: Profile, epsilon: Fraction) -> Fraction:
        """sigma in the user's units, to 2^-40 of itself: fixed by public parameters."""
        grid = on_grid(profile)
        if not grid.sensitivity:
            return Fraction(0)
        variance = discrete_variance(epsilon, parse_delta(self.delta), grid.sensitivity)
        return _square_root(variance) * grid.step


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(Gaussian):
    """Gaussian noise that is discrete for vectors too: independent integers, P(k) as above.

    For one number it is ``Gaussian(delta=)``. For a vector ``Gaussian`` rounds normal noise, whose
    exact delta is known; here every coordinate gets discrete Gaussian noise, and (epsilon, delta)
    follows from its zero-concentrated privacy, rho = Delta_2^2 / (2 sigma^2).

    Parameters
    ----------
    delta : number
        Failure probability, 0 < delta < 1.

    Raises
    ------
    ParameterError, ParameterTypeError
        As for ``Gaussian``.

    Notes
    -----
    Guarantee: (epsilon, delta)-DP. Use it where noise must be an integer law with a known rho;
    ``Gaussian`` needs less noise at the same (epsilon, delta). Source: Canonne, Kamath and Steinke
    (2020), Proposition 12 and Theorem 14; ``docs/proofs/gaussian.md``.
    """

    for_vectors: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return f"DiscreteGaussian(delta={parse_delta(self.delta)})"


def _square_root(number: Fraction) -> Fraction:
    # number * 4^shift has at least 80 bits, so its root has 40
    shift = max(0, 40 + (number.denominator.bit_length() - number.numerator.bit_length()) // 2 + 1)
    return Fraction(isqrt((number.numerator << 2 * shift) // number.denominator), 1 << shift)
