"""Statistics: what each needs summarised, and the sensitivity profile of that summary."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.statistics.graphs import EdgeCount, KStarCount, TriangleCount
    from leastnoise.statistics.metrics.auc import RocAuc
    from leastnoise.statistics.metrics.confusion import ConfusionMatrix, NoisyConfusion
    from leastnoise.statistics.metrics.determination import R2
    from leastnoise.statistics.metrics.losses import (
        CrossEntropy,
        MeanAbsoluteError,
        MeanSquaredError,
        RootMeanSquaredError,
    )
    from leastnoise.statistics.quantiles.interquartile import InterquartileRange
    from leastnoise.statistics.quantiles.interval import QuantileInterval
    from leastnoise.statistics.quantiles.order import Maximum, Median, Minimum, Quantile
    from leastnoise.statistics.quantiles.quantiles import Quantiles
    from leastnoise.statistics.quantiles.ratio import QuantileRatio
    from leastnoise.statistics.quantiles.weighted import WeightedQuantile
    from leastnoise.statistics.spread.variance import StandardDeviation, Variance
    from leastnoise.statistics.statistic import Statistic, VectorStatistic
    from leastnoise.statistics.tables.cells import CrossTab, Histogram
    from leastnoise.statistics.tables.choice import Mode, SmallFunction
    from leastnoise.statistics.tables.private_keys import PrivateKeys
    from leastnoise.statistics.totals.count import Count
    from leastnoise.statistics.totals.distinct import CountDistinct
    from leastnoise.statistics.totals.mean import Mean
    from leastnoise.statistics.totals.sum import Sum
    from leastnoise.statistics.vectors.moments import (
        Correlation,
        Covariance,
        MeanVector,
        MomentVector,
        RecordSum,
    )
    from leastnoise.statistics.vectors.trimmed import TrimmedMeanVector
    from leastnoise.statistics.with_interval import WithInterval

__getattr__ = lazy_names(
    __name__,
    {
        "graphs": ("EdgeCount", "KStarCount", "TriangleCount"),
        "metrics.auc": ("RocAuc",),
        "metrics.confusion": ("ConfusionMatrix", "NoisyConfusion"),
        "metrics.determination": ("R2",),
        "metrics.losses": (
            "CrossEntropy",
            "MeanAbsoluteError",
            "MeanSquaredError",
            "RootMeanSquaredError",
        ),
        "quantiles.interquartile": ("InterquartileRange",),
        "quantiles.interval": ("QuantileInterval",),
        "quantiles.order": ("Maximum", "Median", "Minimum", "Quantile"),
        "quantiles.quantiles": ("Quantiles",),
        "quantiles.ratio": ("QuantileRatio",),
        "quantiles.weighted": ("WeightedQuantile",),
        "spread.variance": ("StandardDeviation", "Variance"),
        "statistic": ("Statistic", "VectorStatistic"),
        "tables.cells": ("CrossTab", "Histogram"),
        "tables.choice": ("Mode", "SmallFunction"),
        "tables.private_keys": ("PrivateKeys",),
        "totals.count": ("Count",),
        "totals.distinct": ("CountDistinct",),
        "totals.mean": ("Mean",),
        "totals.sum": ("Sum",),
        "vectors.moments": (
            "Correlation",
            "Covariance",
            "MeanVector",
            "MomentVector",
            "RecordSum",
        ),
        "vectors.trimmed": ("TrimmedMeanVector",),
        "with_interval": ("WithInterval",),
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
    "WithInterval",
]
