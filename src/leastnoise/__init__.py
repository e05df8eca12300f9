"""Differentially private statistics whose noise adapts to the data set at hand.

Names are loaded from their rooms at first use, so that importing the package costs
next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names
from leastnoise._version import __version__

if TYPE_CHECKING:
    from leastnoise.accounting import Balance, Ledger, compose
    from leastnoise.blackbox import (
        BlackBox,
        SampleAndAggregate,
        SensitivityEstimate,
        SensitivitySampler,
    )
    from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, PureDP, RandomDP, Scope
    from leastnoise.mechanisms import (
        AsymmetricSensitivity,
        Bernstein,
        DiscreteGaussian,
        Exponential,
        Gaussian,
        InverseSensitivity,
        Laplace,
        LaplaceRatio,
        PermuteAndFlip,
        PiecewiseLaplace,
        SmoothLaplace,
        SparseVector,
    )
    from leastnoise.mechanisms.cone_laplace import ConeLaplace
    from leastnoise.mechanisms.k_norm import KNorm
    from leastnoise.mechanisms.piecewise_k_norm import PiecewiseKNorm
    from leastnoise.params import PrivateBounds
    from leastnoise.postprocessing import consistent_counts, shares
    from leastnoise.profiles import Profile, Scores
    from leastnoise.profiles.vector import VectorProfile
    from leastnoise.record import Release, Releases
    from leastnoise.session import Session, open, profile, release
    from leastnoise.session.scoring import private_score
    from leastnoise.statistics import (
        R2,
        ConfusionMatrix,
        Correlation,
        Count,
        CountDistinct,
        Covariance,
        CrossEntropy,
        CrossTab,
        EdgeCount,
        Histogram,
        InterquartileRange,
        KStarCount,
        Maximum,
        Mean,
        MeanAbsoluteError,
        MeanSquaredError,
        MeanVector,
        Median,
        Minimum,
        Mode,
        MomentVector,
        NoisyConfusion,
        PrivateKeys,
        Quantile,
        QuantileInterval,
        QuantileRatio,
        Quantiles,
        RecordSum,
        RocAuc,
        RootMeanSquaredError,
        SmallFunction,
        StandardDeviation,
        Sum,
        TriangleCount,
        TrimmedMeanVector,
        Variance,
        WeightedQuantile,
    )
    from leastnoise.summaries import spec
    from leastnoise.summaries.predicates import col

_ROOMS: dict[str, tuple[str, ...]] = {
    "accounting": ("Balance", "Ledger", "compose"),
    "blackbox": ("BlackBox", "SampleAndAggregate", "SensitivityEstimate", "SensitivitySampler"),
    "guarantees": ("ZCDP", "ApproxDP", "BoundedRange", "PureDP", "RandomDP", "Scope"),
    "mechanisms": (
        "AsymmetricSensitivity",
        "DiscreteGaussian",
        "Bernstein",
        "Exponential",
        "Gaussian",
        "InverseSensitivity",
        "Laplace",
        "LaplaceRatio",
        "PermuteAndFlip",
        "PiecewiseLaplace",
        "SmoothLaplace",
        "SparseVector",
    ),
    "mechanisms.cone_laplace": ("ConeLaplace",),
    "mechanisms.k_norm": ("KNorm",),
    "mechanisms.piecewise_k_norm": ("PiecewiseKNorm",),
    "params": ("PrivateBounds",),
    "postprocessing": ("consistent_counts", "shares"),
    "profiles": ("Profile", "Scores"),
    "profiles.vector": ("VectorProfile",),
    "record": ("Release", "Releases"),
    "session": ("Session", "open", "profile", "release"),
    "session.scoring": ("private_score",),
    "statistics": (
        "R2",
        "ConfusionMatrix",
        "Correlation",
        "Count",
        "CountDistinct",
        "Covariance",
        "CrossEntropy",
        "CrossTab",
        "Histogram",
        "EdgeCount",
        "InterquartileRange",
        "KStarCount",
        "Maximum",
        "Mean",
        "MeanAbsoluteError",
        "MeanSquaredError",
        "MeanVector",
        "Median",
        "Minimum",
        "Mode",
        "MomentVector",
        "NoisyConfusion",
        "PrivateKeys",
        "Quantile",
        "QuantileInterval",
        "QuantileRatio",
        "Quantiles",
        "RecordSum",
        "RocAuc",
        "RootMeanSquaredError",
        "SmallFunction",
        "StandardDeviation",
        "Sum",
        "TriangleCount",
        "TrimmedMeanVector",
        "Variance",
        "WeightedQuantile",
    ),
    "summaries": ("spec",),
    "summaries.predicates": ("col",),
}

__getattr__ = lazy_names(__name__, _ROOMS)


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "R2",
    "ZCDP",
    "ApproxDP",
    "AsymmetricSensitivity",
    "Balance",
    "Bernstein",
    "BlackBox",
    "BoundedRange",
    "ConeLaplace",
    "ConfusionMatrix",
    "Correlation",
    "Count",
    "CountDistinct",
    "Covariance",
    "CrossEntropy",
    "CrossTab",
    "DiscreteGaussian",
    "EdgeCount",
    "Exponential",
    "Gaussian",
    "Histogram",
    "InterquartileRange",
    "InverseSensitivity",
    "KNorm",
    "KStarCount",
    "Laplace",
    "LaplaceRatio",
    "Ledger",
    "Maximum",
    "Mean",
    "MeanAbsoluteError",
    "MeanSquaredError",
    "MeanVector",
    "Median",
    "Minimum",
    "Mode",
    "MomentVector",
    "NoisyConfusion",
    "PermuteAndFlip",
    "PiecewiseKNorm",
    "PiecewiseLaplace",
    "PrivateBounds",
    "PrivateKeys",
    "Profile",
    "PureDP",
    "Quantile",
    "QuantileInterval",
    "QuantileRatio",
    "Quantiles",
    "RandomDP",
    "RecordSum",
    "Release",
    "Releases",
    "RocAuc",
    "RootMeanSquaredError",
    "SampleAndAggregate",
    "Scope",
    "Scores",
    "SensitivityEstimate",
    "SensitivitySampler",
    "Session",
    "SmallFunction",
    "SmoothLaplace",
    "SparseVector",
    "StandardDeviation",
    "Sum",
    "TriangleCount",
    "TrimmedMeanVector",
    "Variance",
    "VectorProfile",
    "WeightedQuantile",
    "__version__",
    "col",
    "compose",
    "consistent_counts",
    "open",
    "private_score",
    "profile",
    "release",
    "shares",
    "spec",
]
