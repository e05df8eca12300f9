"""Statistics: what each needs summarised, and the sensitivity profile of that summary."""

from leastnoise.statistics.confusion import ConfusionMatrix, NoisyConfusion
from leastnoise.statistics.count import Count
from leastnoise.statistics.interquartile import InterquartileRange
from leastnoise.statistics.interval import QuantileInterval
from leastnoise.statistics.losses import (
    CrossEntropy,
    MeanAbsoluteError,
    MeanSquaredError,
    RootMeanSquaredError,
)
from leastnoise.statistics.mean import Mean
from leastnoise.statistics.order import Maximum, Median, Minimum, Quantile, Quantiles
from leastnoise.statistics.statistic import Statistic, VectorStatistic
from leastnoise.statistics.total import Sum
from leastnoise.statistics.variance import StandardDeviation, Variance

__all__ = [
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
    "RootMeanSquaredError",
    "StandardDeviation",
    "Statistic",
    "Sum",
    "Variance",
    "VectorStatistic",
]
