"""Differentially private statistics whose noise adapts to the data set at hand."""

from leastnoise._version import __version__
from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, PureDP, RandomDP, Scope
from leastnoise.mechanisms import (
    InverseSensitivity,
    Laplace,
    LaplaceRatio,
    PiecewiseLaplace,
    SmoothLaplace,
)
from leastnoise.profiles import Profile
from leastnoise.release import Release
from leastnoise.session import profile, release
from leastnoise.statistics import (
    Count,
    InterquartileRange,
    Maximum,
    Mean,
    Median,
    Minimum,
    Quantile,
    Quantiles,
    Sum,
)
from leastnoise.summaries import spec

__all__ = [
    "ZCDP",
    "ApproxDP",
    "BoundedRange",
    "Count",
    "InterquartileRange",
    "InverseSensitivity",
    "Laplace",
    "LaplaceRatio",
    "Maximum",
    "Mean",
    "Median",
    "Minimum",
    "PiecewiseLaplace",
    "Profile",
    "PureDP",
    "Quantile",
    "Quantiles",
    "RandomDP",
    "Release",
    "Scope",
    "SmoothLaplace",
    "Sum",
    "__version__",
    "profile",
    "release",
    "spec",
]
