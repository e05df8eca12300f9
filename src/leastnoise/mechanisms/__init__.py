"""Mechanisms: how a sensitivity profile becomes an output law, and what that law promises."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
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

__getattr__ = lazy_names(
    __name__,
    {
        "asymmetric": ("AsymmetricSensitivity",),
        "bernstein": ("Bernstein",),
        "centred_laplace": ("CentredLaplace",),
        "gaussian": (
            "DiscreteGaussian",
            "Gaussian",
        ),
        "inverse_sensitivity": ("InverseSensitivity",),
        "laplace": (
            "Laplace",
            "LaplaceRatio",
        ),
        "mechanism": ("Mechanism",),
        "piecewise_laplace": ("PiecewiseLaplace",),
        "private_limits": ("PrivateLimits",),
        "selection": (
            "Exponential",
            "PermuteAndFlip",
        ),
        "smooth_laplace": ("SmoothLaplace",),
        "tight_or_loose": ("TightOrLoose",),
    },
)

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
