"""Mechanisms: how a sensitivity profile becomes an output law, and what that law promises."""

from leastnoise.mechanisms.asymmetric import AsymmetricSensitivity
from leastnoise.mechanisms.bernstein import Bernstein
from leastnoise.mechanisms.centred_laplace import CentredLaplace
from leastnoise.mechanisms.gaussian import DiscreteGaussian, Gaussian
from leastnoise.mechanisms.inverse_sensitivity import InverseSensitivity
from leastnoise.mechanisms.laplace import Laplace, LaplaceRatio
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.mechanisms.piecewise_laplace import PiecewiseLaplace
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.mechanisms.selection import Exponential, PermuteAndFlip
from leastnoise.mechanisms.smooth_laplace import SmoothLaplace
from leastnoise.mechanisms.tight_or_loose import TightOrLoose

__all__ = [
    "AsymmetricSensitivity",
    "Bernstein",
    "CentredLaplace",
    "DiscreteGaussian",
    "Exponential",
    "Gaussian",
    "InverseSensitivity",
    "Laplace",
    "LaplaceRatio",
    "Mechanism",
    "PermuteAndFlip",
    "PiecewiseLaplace",
    "PrivateLimits",
    "SmoothLaplace",
    "TightOrLoose",
]
