"""Differentially private statistics whose noise adapts to the data set at hand.

Names are loaded from their rooms at first use, so that importing the package costs
next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from leastnoise._version import __version__

if TYPE_CHECKING:
    from leastnoise.accounting import Balance, Ledger, compose
    from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, PureDP, RandomDP, Scope
    from leastnoise.mechanisms import (
        AsymmetricSensitivity,
        InverseSensitivity,
        Laplace,
        LaplaceRatio,
        PiecewiseLaplace,
        SmoothLaplace,
        SparseVector,
    )
    from leastnoise.params import PrivateBounds
    from leastnoise.profiles import Profile
    from leastnoise.record import Release, Releases
    from leastnoise.session import Session, open, private_score, profile, release
    from leastnoise.statistics import (
        R2,
        ConfusionMatrix,
        Count,
        CrossEntropy,
        InterquartileRange,
        Maximum,
        Mean,
        MeanAbsoluteError,
        MeanSquaredError,
        Median,
        Minimum,
        NoisyConfusion,
        Quantile,
        QuantileInterval,
        Quantiles,
        RocAuc,
        RootMeanSquaredError,
        StandardDeviation,
        Sum,
        Variance,
    )
    from leastnoise.summaries import spec

_ROOMS: dict[str, tuple[str, ...]] = {
    "accounting": ("Balance", "Ledger", "compose"),
    "guarantees": ("ZCDP", "ApproxDP", "BoundedRange", "PureDP", "RandomDP", "Scope"),
    "mechanisms": (
        "AsymmetricSensitivity",
        "InverseSensitivity",
        "Laplace",
        "LaplaceRatio",
        "PiecewiseLaplace",
        "SmoothLaplace",
        "SparseVector",
    ),
    "params": ("PrivateBounds",),
    "profiles": ("Profile",),
    "record": ("Release", "Releases"),
    "session": ("Session", "open", "private_score", "profile", "release"),
    "statistics": (
        "R2",
        "ConfusionMatrix",
        "Count",
        "CrossEntropy",
        "InterquartileRange",
        "Maximum",
        "Mean",
        "MeanAbsoluteError",
        "MeanSquaredError",
        "Median",
        "Minimum",
        "NoisyConfusion",
        "Quantile",
        "QuantileInterval",
        "Quantiles",
        "RocAuc",
        "RootMeanSquaredError",
        "StandardDeviation",
        "Sum",
        "Variance",
    ),
    "summaries": ("spec",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'leastnoise' has no attribute {name!r}")
    value = getattr(import_module(f"leastnoise.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "R2",
    "ZCDP",
    "ApproxDP",
    "AsymmetricSensitivity",
    "Balance",
    "BoundedRange",
    "ConfusionMatrix",
    "Count",
    "CrossEntropy",
    "InterquartileRange",
    "InverseSensitivity",
    "Laplace",
    "LaplaceRatio",
    "Ledger",
    "Maximum",
    "Mean",
    "MeanAbsoluteError",
    "MeanSquaredError",
    "Median",
    "Minimum",
    "NoisyConfusion",
    "PiecewiseLaplace",
    "PrivateBounds",
    "Profile",
    "PureDP",
    "Quantile",
    "QuantileInterval",
    "Quantiles",
    "RandomDP",
    "Release",
    "Releases",
    "RocAuc",
    "RootMeanSquaredError",
    "Scope",
    "Session",
    "SmoothLaplace",
    "SparseVector",
    "StandardDeviation",
    "Sum",
    "Variance",
    "__version__",
    "compose",
    "open",
    "private_score",
    "profile",
    "release",
    "spec",
]
