"""What the matrix covers: one line a statistic, one line a mechanism.

A new statistic or mechanism is added here and nowhere else; ``leastnoise audit`` and the tests read
these lists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    InverseSensitivity,
    Laplace,
    LaplaceRatio,
    PiecewiseLaplace,
    SmoothLaplace,
)
from leastnoise.statistics import (
    Count,
    InterquartileRange,
    Maximum,
    Mean,
    Median,
    Minimum,
    Quantile,
    Quantiles,
    Sum,
)

RELATIONS = ("replace-one", "add-remove", "edit")
EPSILONS = (Fraction(1, 2), Fraction(2))


@dataclass(frozen=True, slots=True)
class StatisticCase:
    """A statistic with the universe over which it is enumerated.

    ``n`` is the largest number of records; ``wide`` the universe of random pairs of larger data
    sets, if any. ``slow`` mechanisms are left out by name.
    """

    name: str
    statistic: Any
    universe: tuple[Any, ...]
    n: int = 5
    wide: tuple[Any, ...] = ()
    relations: tuple[str, ...] = RELATIONS


@dataclass(frozen=True, slots=True)
class MechanismCase:
    """A mechanism and where it applies; ``n`` caps the data sets where its laws are dear."""

    mechanism: Any
    applies: Callable[[Any, str], bool] = lambda statistic, relation: True
    n: int = 99

    @property
    def name(self) -> str:
        """The mechanism as a record shows it."""
        return self.mechanism.name


def _private_mean(statistic: Any, relation: str) -> bool:
    return isinstance(statistic, Mean) and relation != "replace-one"


_LOW, _FEW, _MANY = (0, 4), (0, 1, 2, 4), tuple(range(-1, 14))
_SIGNED, _BOTH = (-2, 3), (-2, 0, 1, 3)

STATISTICS = [
    StatisticCase("count", Count(max_rows=8), (0, 1)),
    StatisticCase("count of present values", Count(max_rows=8), (0.0, None)),
    StatisticCase("sum", Sum(bounds=_LOW, max_rows=8), _FEW, wide=_MANY),
    StatisticCase("sum of both signs", Sum(bounds=_SIGNED, max_rows=8), _BOTH, wide=_MANY),
    StatisticCase("sum of negatives", Sum(bounds=(-4, -1), max_rows=8), (-4, -3, -1), n=4),
    StatisticCase("mean", Mean(bounds=_LOW), _FEW, wide=_MANY),
    StatisticCase("mean of both signs", Mean(bounds=_SIGNED), _BOTH),
    StatisticCase("mean with missing values", Mean(bounds=_LOW), (0.0, 1.5, 4.0, None), n=4),
    StatisticCase("median", Median(bounds=_LOW), _FEW, wide=_MANY),
    StatisticCase(
        "median with missing values", Median(bounds=_LOW, step=1), (0.0, 1.0, 4.0, None), n=4
    ),
    StatisticCase("0.9-quantile", Quantile(bounds=_LOW, q="0.9"), _FEW, wide=_MANY),
    StatisticCase("minimum", Minimum(bounds=_LOW), _FEW),
    StatisticCase("maximum, clipped", Maximum(bounds=_LOW), (-1, 1, 3, 9)),
    StatisticCase("interquartile range", InterquartileRange(bounds=_LOW), _FEW, wide=_MANY),
    StatisticCase("two quantiles", Quantiles(bounds=_LOW, q=["0.25", "0.75"]), _FEW, n=4),
]

MECHANISMS = [
    MechanismCase(Laplace()),
    MechanismCase(LaplaceRatio(), _private_mean),
    MechanismCase(SmoothLaplace(delta="1e-6")),
    MechanismCase(InverseSensitivity()),
    MechanismCase(InverseSensitivity(rho=1)),
    MechanismCase(PiecewiseLaplace()),
    MechanismCase(PiecewiseLaplace(rho=1)),
    MechanismCase(AsymmetricSensitivity(beta=2, scale=1), n=4),
    MechanismCase(AsymmetricSensitivity(beta=2, scale=1, side="down"), n=3),
]
