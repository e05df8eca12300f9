"""Output laws: probabilities on a lattice, analysed in floats and drawn exactly."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.laws.above_threshold import AboveThresholdLaw as AboveThresholdLaw
    from leastnoise.laws.base import Law as Law
    from leastnoise.laws.base import Run as Run
    from leastnoise.laws.base import saturated as saturated
    from leastnoise.laws.base import unsaturated as unsaturated
    from leastnoise.laws.centred import CentredLaw as CentredLaw
    from leastnoise.laws.constant import ConstantLaw as ConstantLaw
    from leastnoise.laws.discrete_gaussian import DiscreteGaussianLaw as DiscreteGaussianLaw
    from leastnoise.laws.discrete_laplace import DiscreteLaplaceLaw as DiscreteLaplaceLaw
    from leastnoise.laws.gated import Gate as Gate
    from leastnoise.laws.gated import GatedLaw as GatedLaw
    from leastnoise.laws.levels import LevelsLaw as LevelsLaw
    from leastnoise.laws.levels import ShiftedLevelsLaw as ShiftedLevelsLaw
    from leastnoise.laws.ratio import RatioLaw as RatioLaw
    from leastnoise.laws.rounded_laplace import RoundedLaplaceLaw as RoundedLaplaceLaw
    from leastnoise.laws.selection import PermuteAndFlipLaw as PermuteAndFlipLaw
    from leastnoise.laws.selection import SelectionLaw as SelectionLaw
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "above_threshold": ("AboveThresholdLaw",),
            "base": ("Law", "Run", "saturated", "unsaturated"),
            "centred": ("CentredLaw",),
            "constant": ("ConstantLaw",),
            "discrete_gaussian": ("DiscreteGaussianLaw",),
            "discrete_laplace": ("DiscreteLaplaceLaw",),
            "gated": ("Gate", "GatedLaw"),
            "levels": ("LevelsLaw", "ShiftedLevelsLaw"),
            "ratio": ("RatioLaw",),
            "rounded_laplace": ("RoundedLaplaceLaw",),
            "selection": ("PermuteAndFlipLaw", "SelectionLaw"),
        },
    )
