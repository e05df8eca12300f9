"""Statistics: what each needs summarised, and the sensitivity profile of that summary."""

from leastnoise.statistics.count import Count
from leastnoise.statistics.interquartile import InterquartileRange
from leastnoise.statistics.mean import Mean
from leastnoise.statistics.order import Maximum, Median, Minimum, Quantile, Quantiles
from leastnoise.statistics.statistic import Statistic, VectorStatistic
from leastnoise.statistics.total import Sum

__all__ = [
    "Count",
    "InterquartileRange",
    "Maximum",
    "Mean",
    "Median",
    "Minimum",
    "Quantile",
    "Quantiles",
    "Statistic",
    "Sum",
    "VectorStatistic",
]
