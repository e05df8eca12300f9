"""Laplace noise on the cone of moment matrices: many columns at once, sampled without rejection."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from leastnoise.errors import ParameterTypeError
from leastnoise.laws.vector import VectorLaw
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.params import parse_epsilon
from leastnoise.profiles.vector import VectorProfile


@dataclass(frozen=True, slots=True)
class ConeLaplace(PureMechanism):
    """Add W - W' to the second moments, two exponential draws on the cone of moment matrices.

    A record is a matrix of the cone of size 1, so one replaced record changes the log-density by at
    most epsilon, and so does one added record at half the noise. See
    ``leastnoise.geometry.MomentCone``.

    Raises
    ------
    ParameterError, ParameterTypeError
        From ``law``, for an invalid epsilon, and for anything but second moments.

    Notes
    -----
    Guarantee: epsilon-DP under every relation. Only for ``leastnoise.MomentVector`` of degree
    2 and what follows from it. On the half-line the law is Laplace's. Among the mechanisms here it
    has the least noise from five columns on, and under add-remove always
    (``benchmarks/k_norm.py``). ``docs/proofs/cone-laplace.md``.
    """

    for_vectors: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return "ConeLaplace()"

    def law(self, profile: object, epsilon: object) -> VectorLaw:
        """NOT PRIVATE. The law of the noisy vector."""
        exponent = parse_epsilon(epsilon)
        if not isinstance(profile, VectorProfile) or profile.cone is None:
            raise ParameterTypeError(
                "ConeLaplace() is for second moments (MomentVector, Covariance, Correlation); "
                "use KNorm() for other vectors"
            )
        cone, factor = profile.cone
        rate = exponent * factor
        return VectorLaw(
            profile.value,
            profile.units,
            lambda source: cone.noise(rate, source),
            lambda count, rng: cone.sample_noise(count, float(rate), rng),
        )

    def vector_law(self, profile: VectorProfile, epsilon: Fraction, rows: int) -> VectorLaw:
        """The rows of a person are changed one after the other."""
        return self.law(profile, epsilon / rows)
