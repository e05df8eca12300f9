"""Differentially private statistics whose noise adapts to the data set at hand.

Names are loaded from their modules at first use, so importing the package costs next to
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names
from leastnoise._version import __version__ as __version__

_ROOMS: dict[str, tuple[str, ...]] = {
    "accounting": ("Balance", "Ledger", "compose"),
    "blackbox": ("BlackBox", "SampleAndAggregate", "SensitivityEstimate", "SensitivitySampler"),
    "guarantees": ("ZCDP", "ApproxDP", "BoundedRange", "PureDP", "RandomDP", "Scope"),
    "mechanisms": (
        "AsymmetricSensitivity",
        "CentredLaplace",
        "DiscreteGaussian",
        "Bernstein",
        "Exponential",
        "Gaussian",
        "InverseSensitivity",
        "Laplace",
        "LaplaceRatio",
        "PermuteAndFlip",
        "PiecewiseLaplace",
        "PrivateLimits",
        "SmoothLaplace",
        "TightOrLoose",
    ),
    "mechanisms.cone_laplace": ("ConeLaplace",),
    "mechanisms.k_norm": ("KNorm", "PiecewiseKNorm"),
    "params": ("PrivateBounds", "PrivateLimit"),
    "postprocessing": ("consistent_counts", "share_intervals", "shares"),
    "profiles": ("Profile", "Scores"),
    "profiles.vector": ("VectorProfile",),
    "record": ("Description", "Release", "Releases"),
    "session": ("Session", "open", "profile", "release"),
    "session.scoring.scoring": ("private_score",),
    "session.sparse_vector": ("SparseVector",),
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
        "WithInterval",
    ),
    "summaries": ("spec",),
    "summaries.predicates": ("col",),
}

if TYPE_CHECKING:
    from leastnoise.accounting import Balance as Balance
    from leastnoise.accounting import Ledger as Ledger
    from leastnoise.accounting import compose as compose
    from leastnoise.blackbox import BlackBox as BlackBox
    from leastnoise.blackbox import SampleAndAggregate as SampleAndAggregate
    from leastnoise.blackbox import SensitivityEstimate as SensitivityEstimate
    from leastnoise.blackbox import SensitivitySampler as SensitivitySampler
    from leastnoise.guarantees import ZCDP as ZCDP
    from leastnoise.guarantees import ApproxDP as ApproxDP
    from leastnoise.guarantees import BoundedRange as BoundedRange
    from leastnoise.guarantees import PureDP as PureDP
    from leastnoise.guarantees import RandomDP as RandomDP
    from leastnoise.guarantees import Scope as Scope
    from leastnoise.mechanisms import AsymmetricSensitivity as AsymmetricSensitivity
    from leastnoise.mechanisms import Bernstein as Bernstein
    from leastnoise.mechanisms import CentredLaplace as CentredLaplace
    from leastnoise.mechanisms import DiscreteGaussian as DiscreteGaussian
    from leastnoise.mechanisms import Exponential as Exponential
    from leastnoise.mechanisms import Gaussian as Gaussian
    from leastnoise.mechanisms import InverseSensitivity as InverseSensitivity
    from leastnoise.mechanisms import Laplace as Laplace
    from leastnoise.mechanisms import LaplaceRatio as LaplaceRatio
    from leastnoise.mechanisms import PermuteAndFlip as PermuteAndFlip
    from leastnoise.mechanisms import PiecewiseLaplace as PiecewiseLaplace
    from leastnoise.mechanisms import PrivateLimits as PrivateLimits
    from leastnoise.mechanisms import SmoothLaplace as SmoothLaplace
    from leastnoise.mechanisms import TightOrLoose as TightOrLoose
    from leastnoise.mechanisms.cone_laplace import ConeLaplace as ConeLaplace
    from leastnoise.mechanisms.k_norm import KNorm as KNorm
    from leastnoise.mechanisms.k_norm import PiecewiseKNorm as PiecewiseKNorm
    from leastnoise.params import PrivateBounds as PrivateBounds
    from leastnoise.params import PrivateLimit as PrivateLimit
    from leastnoise.postprocessing import consistent_counts as consistent_counts
    from leastnoise.postprocessing import share_intervals as share_intervals
    from leastnoise.postprocessing import shares as shares
    from leastnoise.profiles import Profile as Profile
    from leastnoise.profiles import Scores as Scores
    from leastnoise.profiles.vector import VectorProfile as VectorProfile
    from leastnoise.record import Description as Description
    from leastnoise.record import Release as Release
    from leastnoise.record import Releases as Releases
    from leastnoise.session import Session as Session
    from leastnoise.session import open as open
    from leastnoise.session import profile as profile
    from leastnoise.session import release as release
    from leastnoise.session.scoring.scoring import private_score as private_score
    from leastnoise.session.sparse_vector import SparseVector as SparseVector
    from leastnoise.statistics import R2 as R2
    from leastnoise.statistics import ConfusionMatrix as ConfusionMatrix
    from leastnoise.statistics import Correlation as Correlation
    from leastnoise.statistics import Count as Count
    from leastnoise.statistics import CountDistinct as CountDistinct
    from leastnoise.statistics import Covariance as Covariance
    from leastnoise.statistics import CrossEntropy as CrossEntropy
    from leastnoise.statistics import CrossTab as CrossTab
    from leastnoise.statistics import EdgeCount as EdgeCount
    from leastnoise.statistics import Histogram as Histogram
    from leastnoise.statistics import InterquartileRange as InterquartileRange
    from leastnoise.statistics import KStarCount as KStarCount
    from leastnoise.statistics import Maximum as Maximum
    from leastnoise.statistics import Mean as Mean
    from leastnoise.statistics import MeanAbsoluteError as MeanAbsoluteError
    from leastnoise.statistics import MeanSquaredError as MeanSquaredError
    from leastnoise.statistics import MeanVector as MeanVector
    from leastnoise.statistics import Median as Median
    from leastnoise.statistics import Minimum as Minimum
    from leastnoise.statistics import Mode as Mode
    from leastnoise.statistics import MomentVector as MomentVector
    from leastnoise.statistics import NoisyConfusion as NoisyConfusion
    from leastnoise.statistics import PrivateKeys as PrivateKeys
    from leastnoise.statistics import Quantile as Quantile
    from leastnoise.statistics import QuantileInterval as QuantileInterval
    from leastnoise.statistics import QuantileRatio as QuantileRatio
    from leastnoise.statistics import Quantiles as Quantiles
    from leastnoise.statistics import RecordSum as RecordSum
    from leastnoise.statistics import RocAuc as RocAuc
    from leastnoise.statistics import RootMeanSquaredError as RootMeanSquaredError
    from leastnoise.statistics import SmallFunction as SmallFunction
    from leastnoise.statistics import StandardDeviation as StandardDeviation
    from leastnoise.statistics import Sum as Sum
    from leastnoise.statistics import TriangleCount as TriangleCount
    from leastnoise.statistics import TrimmedMeanVector as TrimmedMeanVector
    from leastnoise.statistics import Variance as Variance
    from leastnoise.statistics import WeightedQuantile as WeightedQuantile
    from leastnoise.statistics import WithInterval as WithInterval
    from leastnoise.summaries import spec as spec
    from leastnoise.summaries.predicates import col as col
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, _ROOMS)
    __all__.append("__version__")
