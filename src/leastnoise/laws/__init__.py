"""Output laws: probabilities on a lattice, analysed in floats and drawn exactly."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.laws.above_threshold import AboveThresholdLaw
    from leastnoise.laws.base import Law, Run, saturated
    from leastnoise.laws.centred import CentredLaw
    from leastnoise.laws.constant import ConstantLaw
    from leastnoise.laws.discrete_gaussian import DiscreteGaussianLaw
    from leastnoise.laws.discrete_laplace import DiscreteLaplaceLaw
    from leastnoise.laws.gated import Gate, GatedLaw
    from leastnoise.laws.levels import LevelsLaw
    from leastnoise.laws.ratio import RatioLaw
    from leastnoise.laws.rounded_laplace import RoundedLaplaceLaw
    from leastnoise.laws.selection import PermuteAndFlipLaw, SelectionLaw
    from leastnoise.laws.shifted import ShiftedLevelsLaw

__getattr__ = lazy_names(
    __name__,
    {
        "above_threshold": ("AboveThresholdLaw",),
        "base": (
            "Law",
            "Run",
            "saturated",
        ),
        "centred": ("CentredLaw",),
        "constant": ("ConstantLaw",),
        "discrete_gaussian": ("DiscreteGaussianLaw",),
        "discrete_laplace": ("DiscreteLaplaceLaw",),
        "gated": (
            "Gate",
            "GatedLaw",
        ),
        "levels": ("LevelsLaw",),
        "ratio": ("RatioLaw",),
        "rounded_laplace": ("RoundedLaplaceLaw",),
        "selection": (
            "PermuteAndFlipLaw",
            "SelectionLaw",
        ),
        "shifted": ("ShiftedLevelsLaw",),
    },
)

__all__ = [
    "AboveThresholdLaw",
    "CentredLaw",
    "ConstantLaw",
    "DiscreteGaussianLaw",
    "DiscreteLaplaceLaw",
    "Gate",
    "GatedLaw",
    "Law",
    "LevelsLaw",
    "PermuteAndFlipLaw",
    "RatioLaw",
    "RoundedLaplaceLaw",
    "Run",
    "SelectionLaw",
    "ShiftedLevelsLaw",
    "saturated",
]
