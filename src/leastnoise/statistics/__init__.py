"""Statistics: what each needs summarised, and the sensitivity profile of that summary."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.statistics.graphs import EdgeCount as EdgeCount
    from leastnoise.statistics.graphs import KStarCount as KStarCount
    from leastnoise.statistics.graphs import TriangleCount as TriangleCount
    from leastnoise.statistics.metrics.auc import RocAuc as RocAuc
    from leastnoise.statistics.metrics.confusion import ConfusionMatrix as ConfusionMatrix
    from leastnoise.statistics.metrics.confusion import NoisyConfusion as NoisyConfusion
    from leastnoise.statistics.metrics.determination import R2 as R2
    from leastnoise.statistics.metrics.losses import CrossEntropy as CrossEntropy
    from leastnoise.statistics.metrics.losses import MeanAbsoluteError as MeanAbsoluteError
    from leastnoise.statistics.metrics.losses import MeanSquaredError as MeanSquaredError
    from leastnoise.statistics.metrics.losses import RootMeanSquaredError as RootMeanSquaredError
    from leastnoise.statistics.quantiles.interquartile import (
        InterquartileRange as InterquartileRange,
    )
    from leastnoise.statistics.quantiles.interval import QuantileInterval as QuantileInterval
    from leastnoise.statistics.quantiles.order import Maximum as Maximum
    from leastnoise.statistics.quantiles.order import Median as Median
    from leastnoise.statistics.quantiles.order import Minimum as Minimum
    from leastnoise.statistics.quantiles.order import Quantile as Quantile
    from leastnoise.statistics.quantiles.quantiles import Quantiles as Quantiles
    from leastnoise.statistics.quantiles.ratio import QuantileRatio as QuantileRatio
    from leastnoise.statistics.quantiles.weighted import WeightedQuantile as WeightedQuantile
    from leastnoise.statistics.spread.variance import StandardDeviation as StandardDeviation
    from leastnoise.statistics.spread.variance import Variance as Variance
    from leastnoise.statistics.statistic import Statistic as Statistic
    from leastnoise.statistics.statistic import VectorStatistic as VectorStatistic
    from leastnoise.statistics.tables.cells import CrossTab as CrossTab
    from leastnoise.statistics.tables.cells import Histogram as Histogram
    from leastnoise.statistics.tables.choice import Mode as Mode
    from leastnoise.statistics.tables.choice import SmallFunction as SmallFunction
    from leastnoise.statistics.tables.private_keys import PrivateKeys as PrivateKeys
    from leastnoise.statistics.totals.count import Count as Count
    from leastnoise.statistics.totals.distinct import CountDistinct as CountDistinct
    from leastnoise.statistics.totals.mean import Mean as Mean
    from leastnoise.statistics.totals.sum import Sum as Sum
    from leastnoise.statistics.vectors.moments import Correlation as Correlation
    from leastnoise.statistics.vectors.moments import Covariance as Covariance
    from leastnoise.statistics.vectors.moments import MeanVector as MeanVector
    from leastnoise.statistics.vectors.moments import MomentVector as MomentVector
    from leastnoise.statistics.vectors.moments import RecordSum as RecordSum
    from leastnoise.statistics.vectors.trimmed import TrimmedMeanVector as TrimmedMeanVector
    from leastnoise.statistics.with_interval import WithInterval as WithInterval
else:
    __getattr__, __dir__, __all__ = lazy_names(
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
