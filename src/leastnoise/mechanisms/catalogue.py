"""The mechanisms for one number or choice, by the names used in plans and on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leastnoise.mechanisms.asymmetric import AsymmetricSensitivity
from leastnoise.mechanisms.centred_laplace import CentredLaplace
from leastnoise.mechanisms.gaussian import DiscreteGaussian, Gaussian
from leastnoise.mechanisms.inverse_sensitivity import InverseSensitivity
from leastnoise.mechanisms.laplace import Laplace, LaplaceRatio
from leastnoise.mechanisms.piecewise_laplace import PiecewiseLaplace
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.mechanisms.selection import Exponential, PermuteAndFlip
from leastnoise.mechanisms.smooth_laplace import SmoothLaplace
from leastnoise.mechanisms.tight_or_loose import TightOrLoose

MECHANISMS: Mapping[str, type[Any]] = {
    "piecewise-laplace": PiecewiseLaplace,
    "inverse-sensitivity": InverseSensitivity,
    "asymmetric-sensitivity": AsymmetricSensitivity,
    "tight-or-loose": TightOrLoose,
    "centred-laplace": CentredLaplace,
    "smooth-laplace": SmoothLaplace,
    "private-limits": PrivateLimits,
    "laplace": Laplace,
    "laplace-ratio": LaplaceRatio,
    "gaussian": Gaussian,
    "discrete-gaussian": DiscreteGaussian,
    "exponential": Exponential,
    "permute-and-flip": PermuteAndFlip,
}
"""By name; each takes the fields of its class as parameters."""

WITH_DELTA = ("smooth-laplace", "gaussian", "discrete-gaussian")
"""The mechanisms that need a failure probability."""
