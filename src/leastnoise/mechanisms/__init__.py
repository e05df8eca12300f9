"""Mechanisms: how a sensitivity profile becomes an output law, and what that law promises."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.mechanisms.asymmetric import AsymmetricSensitivity as AsymmetricSensitivity
    from leastnoise.mechanisms.bernstein import Bernstein as Bernstein
    from leastnoise.mechanisms.centred_laplace import CentredLaplace as CentredLaplace
    from leastnoise.mechanisms.gaussian import DiscreteGaussian as DiscreteGaussian
    from leastnoise.mechanisms.gaussian import Gaussian as Gaussian
    from leastnoise.mechanisms.inverse_sensitivity import InverseSensitivity as InverseSensitivity
    from leastnoise.mechanisms.laplace import Laplace as Laplace
    from leastnoise.mechanisms.laplace import LaplaceRatio as LaplaceRatio
    from leastnoise.mechanisms.mechanism import Mechanism as Mechanism
    from leastnoise.mechanisms.piecewise_laplace import PiecewiseLaplace as PiecewiseLaplace
    from leastnoise.mechanisms.private_limits import PrivateLimits as PrivateLimits
    from leastnoise.mechanisms.selection import Exponential as Exponential
    from leastnoise.mechanisms.selection import PermuteAndFlip as PermuteAndFlip
    from leastnoise.mechanisms.smooth_laplace import SmoothLaplace as SmoothLaplace
    from leastnoise.mechanisms.tight_or_loose import TightOrLoose as TightOrLoose
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "asymmetric": ("AsymmetricSensitivity",),
            "bernstein": ("Bernstein",),
            "centred_laplace": ("CentredLaplace",),
            "gaussian": ("DiscreteGaussian", "Gaussian"),
            "inverse_sensitivity": ("InverseSensitivity",),
            "laplace": ("Laplace", "LaplaceRatio"),
            "mechanism": ("Mechanism",),
            "piecewise_laplace": ("PiecewiseLaplace",),
            "private_limits": ("PrivateLimits",),
            "selection": ("Exponential", "PermuteAndFlip"),
            "smooth_laplace": ("SmoothLaplace",),
            "tight_or_loose": ("TightOrLoose",),
        },
    )
