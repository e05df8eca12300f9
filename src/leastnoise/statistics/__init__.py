"""Statistics: what each needs summarised, and the sensitivity profile of that summary."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.statistics.auc import RocAuc
    from leastnoise.statistics.cells import CrossTab, Histogram
    from leastnoise.statistics.choice import Mode, SmallFunction
    from leastnoise.statistics.confusion import ConfusionMatrix, NoisyConfusion
    from leastnoise.statistics.count import Count
    from leastnoise.statistics.determination import R2
    from leastnoise.statistics.distinct import CountDistinct
    from leastnoise.statistics.graphs import EdgeCount, KStarCount, TriangleCount
    from leastnoise.statistics.interquartile import InterquartileRange
    from leastnoise.statistics.interval import QuantileInterval
    from leastnoise.statistics.losses import (
        CrossEntropy,
        MeanAbsoluteError,
        MeanSquaredError,
        RootMeanSquaredError,
    )
    from leastnoise.statistics.mean import Mean
    from leastnoise.statistics.order import Maximum, Median, Minimum, Quantile
    from leastnoise.statistics.private_keys import PrivateKeys
    from leastnoise.statistics.quantiles import Quantiles
    from leastnoise.statistics.statistic import Statistic, VectorStatistic
    from leastnoise.statistics.total import Sum
    from leastnoise.statistics.trimmed import TrimmedMeanVector
    from leastnoise.statistics.variance import StandardDeviation, Variance
    from leastnoise.statistics.vectors import (
        Correlation,
        Covariance,
        MeanVector,
        MomentVector,
        RecordSum,
    )
    from leastnoise.statistics.worked import QuantileRatio, WeightedQuantile

__getattr__ = lazy_names(
    __name__,
    {
        "auc": ("RocAuc",),
        "cells": ("CrossTab", "Histogram"),
        "choice": ("Mode", "SmallFunction"),
        "confusion": ("ConfusionMatrix", "NoisyConfusion"),
        "count": ("Count",),
        "distinct": ("CountDistinct",),
        "determination": ("R2",),
        "graphs": ("EdgeCount", "KStarCount", "TriangleCount"),
        "interquartile": ("InterquartileRange",),
        "interval": ("QuantileInterval",),
        "losses": ("CrossEntropy", "MeanAbsoluteError", "MeanSquaredError", "RootMeanSquaredError"),
        "mean": ("Mean",),
        "order": ("Maximum", "Median", "Minimum", "Quantile"),
        "private_keys": ("PrivateKeys",),
        "quantiles": ("Quantiles",),
        "statistic": ("Statistic", "VectorStatistic"),
        "total": ("Sum",),
        "trimmed": ("TrimmedMeanVector",),
        "variance": ("StandardDeviation", "Variance"),
        "worked": ("QuantileRatio", "WeightedQuantile"),
        "vectors": ("Correlation", "Covariance", "MeanVector", "MomentVector", "RecordSum"),
    },
)

__all__ = [
    "R2",
    "ConfusionMatrix",
    "Correlation",
    "Count",
    "CountDistinct",
    "Covariance",
    "CrossEntropy",
    "CrossTab",
    "EdgeCount",
    "Histogram",
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
    "Statistic",
    "Sum",
    "TriangleCount",
    "TrimmedMeanVector",
    "Variance",
    "VectorStatistic",
    "WeightedQuantile",
]
