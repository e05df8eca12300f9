"""What the matrix covers: one line a statistic, one line a mechanism.

A new statistic or mechanism is added here and nowhere else; ``leastnoise audit`` and the tests read
these lists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    Exponential,
    Gaussian,
    InverseSensitivity,
    Laplace,
    LaplaceRatio,
    PermuteAndFlip,
    PiecewiseLaplace,
    SmoothLaplace,
)
from leastnoise.statistics import (
    Count,
    EdgeCount,
    InterquartileRange,
    KStarCount,
    Maximum,
    Mean,
    Median,
    Minimum,
    Mode,
    Quantile,
    Quantiles,
    SmallFunction,
    Sum,
    TriangleCount,
)

RELATIONS = ("replace-one", "add-remove", "edit")
EPSILONS = (Fraction(1, 2), Fraction(2))


@dataclass(frozen=True, slots=True)
class StatisticCase:
    """A statistic with the universe over which it is enumerated.

    ``n`` is the largest number of records; ``wide`` the universe of random pairs of larger data
    sets, if any; ``build`` makes data of records that are no column.
    """

    name: str
    statistic: Any
    universe: tuple[Any, ...]
    n: int = 5
    wide: tuple[Any, ...] = ()
    relations: tuple[str, ...] = RELATIONS
    build: Callable[[tuple[Any, ...]], object] | None = None


def _choice(statistic: Any, relation: str) -> bool:
    """The answer is one of declared ones."""
    return hasattr(statistic, "answers") and statistic.answers is not None


def _number(statistic: Any, relation: str) -> bool:
    return not _choice(statistic, relation)


@dataclass(frozen=True, slots=True)
class MechanismCase:
    """A mechanism and where it applies; ``n`` and ``quick_n`` cap data sets where laws are dear."""

    mechanism: Any
    applies: Callable[[Any, str], bool] = _number
    n: int = 99
    quick_n: int = 3

    @property
    def name(self) -> str:
        """The mechanism as a record shows it."""
        return self.mechanism.name


def _private_mean(statistic: Any, relation: str) -> bool:
    return isinstance(statistic, Mean) and relation != "replace-one"


def _short_range(statistic: Any, relation: str) -> bool:
    return getattr(statistic, "bounds", None) == _SHORT


def _few_points(statistic: Any, relation: str) -> bool:
    """Laws that are compared point by point need a range of some hundred points."""
    return isinstance(
        statistic, (Count, Sum, Median, Quantile, Minimum, Maximum, InterquartileRange)
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
    StatisticCase("2-stars", KStarCount(nodes=4), _FOUR, n=6, relations=("edge",), build=list),
    StatisticCase("triangles", TriangleCount(nodes=4), _FOUR, n=6, relations=("edge",), build=list),
    StatisticCase("mode", Mode(categories=[0, 1, 2]), (0, 1, 2), n=6),
    StatisticCase("mode by distance", Mode(categories=[0, 1, 2], score="distance"), (0, 1, 2), n=6),
    StatisticCase("mode of two", Mode(categories=[0, 1], score="distance"), (0, 1, 2), n=6),
    StatisticCase("label of a small function", _PASSED, (0, 1, 2), n=5),
    StatisticCase("number of a small function", _SPREAD, (0, 1, 2), n=4),
    StatisticCase("two quantiles", Quantiles(bounds=_WIDE, q=["0.25", "0.75"]), _ENDS, n=4),
]

MECHANISMS = [
    MechanismCase(Laplace()),
    MechanismCase(LaplaceRatio(), _private_mean),
    MechanismCase(Gaussian(delta="1e-3"), n=4, quick_n=2),
    MechanismCase(SmoothLaplace(delta="1e-6")),
    MechanismCase(InverseSensitivity()),
    MechanismCase(InverseSensitivity(rho=1)),
    MechanismCase(PiecewiseLaplace()),
    MechanismCase(PiecewiseLaplace(rho=1)),
    MechanismCase(PiecewiseLaplace(base="log"), _few_points, n=3, quick_n=2),
    MechanismCase(PiecewiseLaplace(shift=1), _few_points, n=3, quick_n=2),
    MechanismCase(AsymmetricSensitivity(beta=2, scale=2), n=4, quick_n=2),
    MechanismCase(AsymmetricSensitivity(beta=2, scale=2, side="down"), n=3, quick_n=2),
    MechanismCase(Exponential(), _choice),
    MechanismCase(PermuteAndFlip(), _choice, quick_n=4),
    # many silent candidates and much noise on the threshold: a false monotone flag shows
    MechanismCase(
        AsymmetricSensitivity(spacing="uniform", split="1/8"), _short_range, n=3, quick_n=2
    ),
]
