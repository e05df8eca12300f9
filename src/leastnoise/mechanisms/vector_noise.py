"""Noise for a vector of integers whose sensitivity is known in one norm.

The vector stands on a public lattice, its sensitivity counts lattice steps in the norm that the
mechanism needs: l1 for independent Laplace noise, l2 for Gaussian noise, the sup norm for the
Bernstein mechanism, the norm of its ball for a K-norm mechanism. One number has one norm, its
absolute value, whatever the ball.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

from leastnoise.errors import ParameterError, quoted
from leastnoise.geometry import Ball
from leastnoise.mechanisms.bernstein import Bernstein
from leastnoise.mechanisms.gaussian import DiscreteGaussian, Gaussian
from leastnoise.mechanisms.gaussian_calibration import (
    concentrated_variance,
    discrete_variance,
    normal_ratio,
)
from leastnoise.mechanisms.k_norm import KNorm
from leastnoise.mechanisms.laplace import Laplace
from leastnoise.mechanisms.selection import Exponential, PermuteAndFlip
from leastnoise.params import parse_delta
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_gaussian, discrete_laplace
from leastnoise.sampling.discrete import sup_norm_noise
from leastnoise.sampling.rounded_gaussian import rounded_gaussian

Draw = Callable[[BitSource], list[int]]


def needed_norm(mechanism: object) -> Any:
    """The norm in which a mechanism needs a vector's sensitivity.

    Raises
    ------
    ParameterError
        If the mechanism adds no noise to vectors.
    """
    match mechanism:
        case Laplace():
            return "l1"
        case Gaussian():
            return "l2"
        case Bernstein() | Exponential() | PermuteAndFlip():
            return "linf"
        case KNorm() if isinstance(mechanism.ball, Ball):
            return mechanism.ball
        case _:
            raise ParameterError(
                "mechanism must be Laplace(), Gaussian(delta=), DiscreteGaussian(delta=), "
                "Exponential(), PermuteAndFlip(), Bernstein(...) or KNorm(ball) with a ball of "
                f"leastnoise.geometry, got {quoted(mechanism)}"
            )


def vector_noise(
    mechanism: object, dimension: int, sensitivity: Fraction, epsilon: Fraction
) -> Draw:
    """Exact noise for ``dimension`` integers.

    Parameters
    ----------
    mechanism
        ``Laplace()``, ``Gaussian(delta=)``, ``DiscreteGaussian(delta=)``, ``Bernstein(...)`` or a
        mechanism with a ``ball``.
    sensitivity : Fraction
        > 0, in lattice steps and in the norm ``needed_norm`` tells; of one number its absolute
        size, whatever the mechanism.
    epsilon : Fraction
        The privacy parameter of the whole vector.

    Notes
    -----
    *Gaussian*, one number: the discrete law with its own delta. Several: normal noise of sigma =
    ratio times Delta_2, a real vector whose coordinates are rounded last, so the normal law's exact
    delta holds. *DiscreteGaussian*, several: independent discrete Gaussian numbers, calibrated
    through zero-concentrated privacy, rho = Delta_2^2 / (2 sigma^2).
    """
    match mechanism:
        case Laplace():
            return _laplace(dimension, epsilon / sensitivity)
        case Gaussian():
            delta = parse_delta(mechanism.delta)
            if dimension == 1:
                # a difference of integers is at most the whole part
                variance = discrete_variance(epsilon, delta, max(1, floor(sensitivity)))
                return lambda source: [discrete_gaussian(variance, source)]
            if isinstance(mechanism, DiscreteGaussian):
                variance = concentrated_variance(epsilon, delta, sensitivity)
                return lambda source: [
                    discrete_gaussian(variance, source) for _ in range(dimension)
                ]
            sigma = normal_ratio(epsilon, delta) * sensitivity
            return lambda source: [rounded_gaussian(sigma, source) for _ in range(dimension)]
        case Bernstein():
            if mechanism.noise == "laplace":
                return _laplace(dimension, epsilon / (sensitivity * dimension))
            return lambda source: sup_norm_noise(dimension, epsilon / sensitivity, source)
        case _:
            ball = needed_norm(mechanism)
            if dimension == 1:  # the absolute size, in the unit of the ball
                sensitivity *= ball.bound([1])
            rate, units = epsilon / sensitivity, [Fraction(1)] * dimension
            return lambda source: list(ball.noise(rate, source).round_to(units))


def concentration(
    mechanism: object, dimension: int, sensitivity: Fraction, epsilon: Fraction
) -> Fraction | None:
    """rho of the noise that ``vector_noise`` draws, Delta^2 / (2 sigma^2); None if not Gaussian.

    Normal noise (Bun and Steinke 2016), and its rounding; independent discrete Gaussian noise
    (Canonne, Kamath and Steinke 2020, Theorem 14). ``docs/proofs/gaussian.md``.
    """
    if not isinstance(mechanism, Gaussian):
        return None
    delta = parse_delta(mechanism.delta)
    if dimension == 1:
        whole = max(1, floor(sensitivity))
        return whole**2 / (2 * discrete_variance(epsilon, delta, whole))
    if isinstance(mechanism, DiscreteGaussian):
        return sensitivity**2 / (2 * concentrated_variance(epsilon, delta, sensitivity))
    return 1 / (2 * normal_ratio(epsilon, delta) ** 2)


def _laplace(dimension: int, rate: Fraction) -> Draw:
    p, q = rate.numerator, rate.denominator
    return lambda source: [discrete_laplace(p, q, source) for _ in range(dimension)]
