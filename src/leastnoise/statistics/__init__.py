"""Statistics: what each needs summarised, and the sensitivity profile of that summary."""

from leastnoise.statistics.auc import RocAuc
from leastnoise.statistics.confusion import ConfusionMatrix, NoisyConfusion
from leastnoise.statistics.count import Count
from leastnoise.statistics.determination import R2
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
from leastnoise.statistics.quantiles import Quantiles
from leastnoise.statistics.statistic import Statistic, VectorStatistic
from leastnoise.statistics.total import Sum
from leastnoise.statistics.variance import StandardDeviation, Variance

__all__ = [
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
    "Statistic",
    "Sum",
    "Variance",
    "VectorStatistic",
]
