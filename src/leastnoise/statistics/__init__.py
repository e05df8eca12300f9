"""Statistics: what each needs summarised, and the sensitivity profile of that summary."""

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
    "Count",
    "CrossEntropy",
    "InterquartileRange",
    "Maximum",
    "Mean",
    "MeanAbsoluteError",
    "MeanSquaredError",
    "Median",
    "Minimum",
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
