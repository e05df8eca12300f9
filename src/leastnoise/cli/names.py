"""The words of the command line, in a module that imports nothing heavy."""

from __future__ import annotations

from typing import Literal

StatisticName = Literal[
    "count",
    "count-distinct",
    "histogram",
    "cross-tab",
    "mode",
    "sum",
    "mean",
    "median",
    "quantile",
    "quantiles",
    "minimum",
    "maximum",
    "interquartile-range",
    "variance",
    "standard-deviation",
]
# of a target and a prediction
PairName = Literal[
    "mean-squared-error",
    "mean-absolute-error",
    "root-mean-squared-error",
    "cross-entropy",
    "roc-auc",
]
MechanismName = Literal[
    "piecewise-laplace",
    "inverse-sensitivity",
    "asymmetric-sensitivity",
    "tight-or-loose",
    "centred-laplace",
    "smooth-laplace",
    "laplace",
    "laplace-ratio",
    "gaussian",
    "discrete-gaussian",
]
RelationName = Literal["replace-one", "add-remove", "edit", "edge"]
IntervalOf = Literal["data", "population"]
EngineName = Literal["duckdb", "polars"]
