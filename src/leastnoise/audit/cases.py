"""What the matrix covers: one line a statistic, one line a mechanism.

A new statistic or mechanism is added here and nowhere else; ``leastnoise audit`` and the tests read
these lists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    CentredLaplace,
    Exponential,
    Gaussian,
    InverseSensitivity,
    Laplace,
    LaplaceRatio,
    PermuteAndFlip,
    PiecewiseLaplace,
    SmoothLaplace,
    TightOrLoose,
)
from leastnoise.profiles import Profile
from leastnoise.statistics import (
    R2,
    ConfusionMatrix,
    Count,
    CountDistinct,
    CrossEntropy,
    CrossTab,
    EdgeCount,
    Histogram,
    InterquartileRange,
    KStarCount,
    Maximum,
    Mean,
    MeanAbsoluteError,
    MeanSquaredError,
    Median,
    Minimum,
    Mode,
    Quantile,
    QuantileInterval,
    QuantileRatio,
    Quantiles,
    RocAuc,
    RootMeanSquaredError,
    SmallFunction,
    StandardDeviation,
    Sum,
    TriangleCount,
    Variance,
    WeightedQuantile,
)
from leastnoise.statistics.statistic import BoundedStatistic

RELATIONS = ("replace-one", "add-remove", "edit")
EPSILONS = (Fraction(1, 2), Fraction(2))
_OWN = "its own mechanism"


@dataclass(frozen=True, slots=True)
class StatisticCase:
    """A statistic with the universe over which it is enumerated.

    ``n`` is the largest number of records; ``wide`` the universe of random pairs of larger data
    sets, if any. ``build`` turns a tuple of records into the data of a release (default: a typed
    column).
    """

    name: str
    statistic: Any
    universe: tuple[Any, ...]
    n: int = 5
    wide: tuple[Any, ...] = ()
    relations: tuple[str, ...] = RELATIONS
    quick_n: int = 3
    build: Callable[[tuple[Any, ...]], object] | None = None
    missing: object = None


def _choice(statistic: Any, relation: str) -> bool:
    """The answer is one of declared ones."""
    return isinstance(statistic, Mode | SmallFunction) and statistic.answers is not None


def _number(statistic: Any, relation: str) -> bool:
    return not _choice(statistic, relation)


@dataclass(frozen=True, slots=True)
class MechanismCase:
    """A mechanism and where it is tried; ``n`` and ``quick_n`` limit data sets if laws are slow.

    Combinations that a release refuses for their parameters are left out by themselves. The
    mechanism None is a statistic's own.
    """

    mechanism: Any
    applies: Callable[[Any, str], bool] = _number
    n: int = 99
    quick_n: int = 3

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return _OWN if self.mechanism is None else self.mechanism.name


@dataclass(frozen=True, slots=True)
class OnLattice:
    """A statistic with answers on a coarse lattice, for laws that are listed point by point."""

    statistic: Any
    resolution: Fraction

    def spec(self) -> Any:
        """What the statistic asks for."""
        return self.statistic.spec()

    def profile(self, summary: Any, relation: str) -> Profile:
        """Its profile, rounded more coarsely."""
        found = self.statistic.profile(summary, relation)
        unit = summary.step if found.unit is None else found.unit
        return replace(found, resolution=self.resolution / unit, integral=False)


def columns(records: tuple[Any, ...]) -> object:
    """Pairs (y_true, y_pred) as two columns of floats."""
    table = np.array(records, dtype=np.float64).reshape(len(records), 2)
    return table[:, 0], table[:, 1]


def rows(records: tuple[Any, ...]) -> object:
    """Records (label, p_1, ..., p_k) as labels and a list of rows."""
    return [record[0] for record in records], [list(record[1:]) for record in records]


def _short_range(statistic: Any, relation: str) -> bool:
    bounded = isinstance(statistic, BoundedStatistic)
    return bounded and statistic.bounds == _SHORT and _few_points(statistic, relation)


def _unit_range(statistic: Any, relation: str) -> bool:
    return isinstance(statistic, RocAuc)


def _own(statistic: Any, relation: str) -> bool:
    return isinstance(statistic, QuantileInterval)


def _few_points(statistic: Any, relation: str) -> bool:
    """Laws that are compared point by point need a range of some hundred points."""
    return isinstance(
        statistic,
        (OnLattice, Count, Sum, Median, Quantile, Minimum, Maximum, InterquartileRange),
    )


# Wide bounds with records close together beside records far apart: an error of one level then moves
# much probability. On evenly spaced records normalising sums hide half of it.
_WIDE, _PAIR, _ENDS = (0, 50), (0, 25, 26, 50), (0, 10, 40, 50)
_SIGNED, _BOTH = (-20, 30), (-20, -1, 0, 30)
_MANY = (-5, 0, 1, 2, 7, 20, 24, 25, 26, 30, 44, 49, 50, 60)
_MISSING = (0.0, 25.0, 26.0, None)
_FOUR = tuple(combinations(range(4), 2))
_SHORT, _UNEVEN = (0, 10), (0, 4, 6, 10)

_PASSED = SmallFunction(
    function=lambda c: "many" if c[0] > 2 else "equal" if c[0] == c[1] else "few",
    categories=[0, 1],
    most=4,
    answers=["few", "equal", "many", "never"],
)
_SPREAD = SmallFunction(function=lambda c: (c[0] - c[1]) ** 2, categories=[0, 1], most=3)
_SHORTS = (0, 1, 3, 4)
_ON_QUARTERS = OnLattice(Variance(bounds=(0, 4), step=1), Fraction(1, 4))
_FEW = (0, 1, 2, 4, 6, 9, 10)
_INTERVAL = QuantileInterval(bounds=_SHORT, resolution=4, confidence="0.5")

# Pairs (y_true, y_pred), or a label and a score.
_PAIRS: dict[str, Any] = {"n": 4, "quick_n": 2, "build": columns, "missing": "none"}
_THREE: dict[str, Any] = _PAIRS | {"n": 3}
_FEWER: dict[str, Any] = {"n": 3, "quick_n": 1}
_ERRORS = ((0.0, 0.0), (0.0, 1.0), (2.0, 0.0), (3.0, 0.0))
_ENDLESS = ((0.0, 0.0), (0.0, 1.0), (2.0, -40.0))
_ON_HALVES = OnLattice(MeanSquaredError(bounds=(0, 3)), Fraction(1, 2))
_HOLES = ((0.0, 0.0), (2.0, 0.0), (0.0, nan))
_DROPPED = MeanAbsoluteError(bounds=(0, 3), missing="drop")
_CHANCES = ((1.0, 1.0), (1.0, 0.25), (0.0, 1.0), (7.0, 0.5))
_LOGITS = CrossEntropy(logits=True, bounds=(-2, 1))
_SCORES = ((1.0, 1.0), (1.0, -2.0), (0.0, 0.0), (0.0, 5.0))
_LABELLED = CrossEntropy(labels=["a", "b", "c"], loss_bound=2)
_ROWS = (("a", 1.0, 0.0, 0.0), ("b", 0.5, 0.25, 0.25), ("z", 0.1, 0.2, 0.7))
_RANKED = ((1.0, 0.0), (1.0, 2.0), (0.0, 1.0), (0.0, 2.0))
_TABLE = CrossTab(rows=[0, 1], columns=[0, 1])
_BINARY = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (5.0, 1.0))


def _columns(records: tuple[Any, ...]) -> tuple[NDArray[Any], ...]:
    """Pairs as two columns of whole numbers."""
    return tuple(np.array([row[i] for row in records], dtype=np.int64) for i in (0, 1))


STATISTICS = [
    StatisticCase("count", Count(max_rows=3), (0, 1)),
    StatisticCase("count of present values", Count(max_rows=3), (0.0, None)),
    StatisticCase("sum", Sum(bounds=_WIDE, max_rows=3), _PAIR, wide=_MANY),
    StatisticCase("sum of both signs", Sum(bounds=_SIGNED, max_rows=3), _BOTH, wide=_MANY),
    StatisticCase("sum of negatives", Sum(bounds=(-40, -10), max_rows=3), (-40, -30, -10), n=4),
    StatisticCase("mean", Mean(bounds=_WIDE), _PAIR, wide=_MANY),
    StatisticCase("mean of both signs", Mean(bounds=_SIGNED), _BOTH),
    StatisticCase("mean with missing values", Mean(bounds=_WIDE), _MISSING, n=4),
    StatisticCase("median", Median(bounds=_WIDE), _PAIR, wide=_MANY),
    StatisticCase("median of records far apart", Median(bounds=_WIDE), _ENDS),
    StatisticCase("median with missing values", Median(bounds=_WIDE, step=1), _MISSING, n=4),
    StatisticCase("0.9-quantile", Quantile(bounds=_WIDE, q="0.9"), _PAIR, wide=_MANY),
    StatisticCase("minimum", Minimum(bounds=_WIDE), _PAIR),
    StatisticCase("maximum, clipped", Maximum(bounds=_WIDE), (-7, 24, 25, 90)),
    StatisticCase("interquartile range", InterquartileRange(bounds=_WIDE), _PAIR, wide=_MANY),
    StatisticCase("median of a short range", Median(bounds=_SHORT), (4, 5, 10)),
    StatisticCase("0.9-quantile of a short range", Quantile(bounds=_SHORT, q="0.9"), _UNEVEN, n=4),
    StatisticCase(
        "interquartile range of a short range", InterquartileRange(bounds=_SHORT), _UNEVEN, n=4
    ),
    StatisticCase("edges", EdgeCount(nodes=4), _FOUR, n=6, relations=("edge",), build=list),
    StatisticCase(
        "triangles of every label",
        TriangleCount(relabel=True),
        _FOUR,
        n=6,
        relations=("edge",),
        build=list,
    ),
    StatisticCase("2-stars", KStarCount(nodes=4), _FOUR, n=6, relations=("edge",), build=list),
    StatisticCase("triangles", TriangleCount(nodes=4), _FOUR, n=6, relations=("edge",), build=list),
    StatisticCase("mode", Mode(categories=[0, 1, 2]), (0, 1, 2), n=6),
    StatisticCase("mode by distance", Mode(categories=[0, 1, 2], score="distance"), (0, 1, 2), n=6),
    StatisticCase("mode of two", Mode(categories=[0, 1], score="distance"), (0, 1, 2), n=6),
    StatisticCase("label of a small function", _PASSED, (0, 1, 2), n=5),
    StatisticCase("number of a small function", _SPREAD, (0, 1, 2), n=4),
    StatisticCase("ratio of quantiles", QuantileRatio(bounds=(2, 8)), (2, 3, 8), n=4),
    StatisticCase(
        "weighted median",
        WeightedQuantile(q="1/2", bounds=(0, 9), largest=4, step=1),
        ((1, 1), (8, 1), (8, 4)),
        n=4,
        build=_columns,
    ),
    StatisticCase("two quantiles", Quantiles(bounds=_WIDE, q=["0.25", "0.75"]), _ENDS, n=4),
    StatisticCase("interval of the median", _INTERVAL, _UNEVEN, n=4),
    StatisticCase("variance", Variance(bounds=_SHORT, step=1), _UNEVEN, n=4, wide=_FEW),
    StatisticCase("variance on a coarse lattice", _ON_QUARTERS, _SHORTS, n=4),
    StatisticCase("standard deviation", StandardDeviation(bounds=_SHORT, step=1), _UNEVEN, n=4),
    StatisticCase("mean squared error", MeanSquaredError(bounds=(0, 3)), _ERRORS, **_PAIRS),
    StatisticCase(
        "root mean squared error", RootMeanSquaredError(bounds=(0, 3)), _ERRORS, **_PAIRS
    ),
    StatisticCase("mean absolute error", MeanAbsoluteError(bounds=(0, 3)), _ERRORS, **_PAIRS),
    StatisticCase("squared error on a coarse lattice", _ON_HALVES, _ERRORS, **_PAIRS),
    StatisticCase(
        "mean squared error without limit", MeanSquaredError(), _ENDLESS, **_PAIRS | _FEWER
    ),
    StatisticCase("absolute error without missing rows", _DROPPED, _HOLES, n=3, build=columns),
    StatisticCase("cross-entropy", CrossEntropy(loss_bound=2), _CHANCES, **_PAIRS),
    StatisticCase("cross-entropy of logits", _LOGITS, _SCORES, **_PAIRS),
    StatisticCase("cross-entropy of three labels", _LABELLED, _ROWS, n=3, build=rows),
    StatisticCase("R2", R2(bounds=(0, 3)), _ERRORS, **_THREE),
    StatisticCase("area under the ROC curve", RocAuc(), _RANKED, **_PAIRS),
    StatisticCase("histogram", Histogram(bins=[0, 1, 3]), (0.0, 1.0, 3.0), **_FEWER),
    StatisticCase("table of two columns", _TABLE, _BINARY[1:], build=columns, **_FEWER),
    StatisticCase("different entries", CountDistinct(), (0.0, 1.0, 3.0), **_FEWER),
    StatisticCase("confusion matrix", ConfusionMatrix(labels=[0, 1]), _BINARY, **_PAIRS | _FEWER),
]

MECHANISMS = [
    MechanismCase(Laplace()),
    MechanismCase(LaplaceRatio()),
    MechanismCase(Gaussian(delta="1e-3"), n=4, quick_n=2),
    MechanismCase(SmoothLaplace(delta="1e-6")),
    MechanismCase(InverseSensitivity()),
    MechanismCase(InverseSensitivity(rho=1)),
    MechanismCase(PiecewiseLaplace()),
    MechanismCase(PiecewiseLaplace(rho=1)),
    MechanismCase(PiecewiseLaplace(base="log"), _few_points, n=3, quick_n=2),
    MechanismCase(PiecewiseLaplace(base="round"), _few_points, n=3, quick_n=2),
    MechanismCase(PiecewiseLaplace(shift=1), _few_points, n=3, quick_n=2),
    MechanismCase(AsymmetricSensitivity(beta=2, scale=2), n=4, quick_n=2),
    MechanismCase(AsymmetricSensitivity(beta=2, scale=2, side="down"), n=3, quick_n=2),
    MechanismCase(CentredLaplace()),
    # a gate that few records can open, so that it opens and shuts within the universe
    MechanismCase(
        TightOrLoose(walk=AsymmetricSensitivity(beta=2, scale=2), part="1/2", sure=1),
        n=3,
        quick_n=2,
    ),
    MechanismCase(Exponential(), _choice),
    MechanismCase(PermuteAndFlip(), _choice, quick_n=4),
    # many silent candidates and much noise on the threshold: a false monotone flag shows
    MechanismCase(
        AsymmetricSensitivity(spacing="uniform", split="1/8"), _short_range, n=3, quick_n=2
    ),
    MechanismCase(AsymmetricSensitivity(beta=2, scale="1/8"), _unit_range, n=4, quick_n=3),
    MechanismCase(None, _own, n=4, quick_n=3),
]
