"""The contract of an output law.

A law looks at private data. ``draw`` is the one exact method and the only one a
release uses; everything else is analysis in floating point, for accuracy studies on
public or synthetic data and for tests, and is never a release.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers import as_fraction
from leastnoise.production import forbid_in_production
from leastnoise.randomness import BitSource

Number = int | float | Fraction
Certain = tuple[Fraction, Fraction]  # the ends of an interval that holds a number
MAX = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive lattice points with an exactly linear exponent.

    Point ``first + direction * i`` for i = 0, 1, ..., ``count`` - 1 (``None``: without end) has
    weight exp(-(``exponent`` + i ``slope``)).
    """

    first: int
    direction: int
    count: int | None
    exponent: Fraction
    slope: Fraction


def saturated(exact: Fraction | int) -> float:
    """The nearest double; numbers beyond the largest one saturate."""
    try:
        return float(exact)
    except OverflowError:
        return MAX if exact > 0 else -MAX


def unsaturated(exact: Fraction) -> int | float:
    """The nearest double; of numbers beyond the largest one the nearest whole number."""
    try:
        return float(exact)
    except OverflowError:
        return round(exact)


def smallest_reaching(cdf: Callable[[int], float], probability: float, guess: int) -> int:
    """The smallest point with cdf >= probability, from a guess: jumps that double, then bisection.

    For a law whose cdf rises from 0 to 1; it reaches every probability below 1.
    """
    low, high, jump = guess - 1, guess, 1
    while cdf(high) < probability:
        low, high, jump = high, high + jump, 2 * jump
    while cdf(low) >= probability:
        low, high, jump = low - jump, low, 2 * jump
    return first_reaching(cdf, probability, low + 1, high)


def first_reaching(cdf: Callable[[int], float], probability: float, low: int, high: int) -> int:
    """The smallest point from ``low`` on with cdf >= probability, by bisection; else ``high``."""
    while low < high:
        middle = (low + high) // 2
        if cdf(middle) >= probability:
            high = middle
        else:
            low = middle + 1
    return low


class Law(ABC):
    """NOT PRIVATE. A probability law on the lattice ``step * integers``.

    Attributes
    ----------
    step : Fraction
        Lattice spacing in the user's units; public.
    """

    __slots__ = ("step",)

    def __init__(self, step: Fraction) -> None:
        forbid_in_production("law")
        self.step = step

    def __repr__(self) -> str:
        return f"{type(self).__name__}(NOT PRIVATE: computed from the data, numbers hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a law looks at private data and cannot be copied or pickled")

    # in lattice points: what a law provides

    @abstractmethod
    def draw(self, source: BitSource) -> int:
        """One exact draw as a lattice point."""

    @abstractmethod
    def point_mass(self, point: int) -> float:
        """The probability of a lattice point."""

    @abstractmethod
    def point_cdf(self, point: int) -> float:
        """The probability of the points up to and including this one."""

    @abstractmethod
    def point_quantile(self, probability: float) -> int:
        """The smallest point whose cumulative probability reaches ``probability``."""

    @abstractmethod
    def mean_distance(self, centre: Fraction) -> float:
        """The mean of |point - centre| in lattice steps."""

    @abstractmethod
    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        """Independent draws in floating point: simulation, never a release."""

    # for exact audits: a law has at least one of these forms

    def runs(self) -> tuple[Run, ...] | None:
        """The law as exact log-linear runs (not normalised), where it has that form."""
        return None

    def branches(self) -> Iterable[tuple[object, Certain, Law | None]] | None:
        """Each outcome of a first draw, certified bounds on its probability, and the law after it.

        An outcome with no law after it is an answer.
        """
        return None

    def enclosures(self) -> Mapping[int, Certain] | None:
        """Certified bounds on the probability of every lattice point, where these are few."""
        return None

    def joint(self) -> tuple[Law, ...] | None:
        """The independent laws of several draws that public numbers combine into the answer."""
        return None

    @property
    def after(self) -> tuple[object, ...]:
        """The public numbers that combine draws into the answer."""
        return ()

    # in the user's units: what a user calls

    def point(self, y: Number) -> int | None:
        """The lattice point that stands for y, or None if y is off the lattice.

        A float stands for a point when it is the float nearest to it.
        """
        if isinstance(y, float) and not isfinite(y):
            return None
        exact = as_fraction(y) if not isinstance(y, float) else Fraction(y)
        nearest = round(exact / self.step)
        if isinstance(y, float):
            return nearest if float(nearest * self.step) == y else None
        return nearest if nearest * self.step == exact else None

    def pmf(self, y: Number) -> float:
        """The probability of the value y; 0 off the lattice."""
        point = self.point(y)
        return 0.0 if point is None else self.point_mass(point)

    def cdf(self, y: Number) -> float:
        """The probability of a value of at most y."""
        if isinstance(y, float) and not isfinite(y):
            return 1.0 if y > 0 else 0.0
        exact = Fraction(y) if isinstance(y, float) else as_fraction(y)
        point = self.point(y)
        return self.point_cdf(point if point is not None else (exact / self.step).__floor__())

    def quantile(self, u: float) -> int | float:
        """The smallest value whose cumulative probability reaches u, 0 <= u <= 1."""
        if not 0 <= u <= 1:
            raise ValueError(f"u must lie between 0 and 1, got {u!r}")
        return self.value_of(self.point_quantile(u))

    def mean_absolute_error(self, *, centre: Number) -> float:
        """The exact mean of |value - centre| in the user's units (closed form, no simulation)."""
        exact = Fraction(centre) if isinstance(centre, float) else as_fraction(centre)
        return self.mean_distance(exact / self.step) * float(self.step)

    def sample(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        """Simulated values for utility studies: floating point, never a release."""
        return self.sample_points(size, rng) * float(self.step)

    def values_of(self, points: Sequence[int]) -> list[int | float]:
        """``value_of`` for many points at once."""
        top, bottom = self.step.numerator, self.step.denominator
        if bottom == 1:
            return [point * top for point in points]
        try:
            return [point * top / bottom for point in points]  # rounded once, as a fraction is
        except OverflowError:
            return [self.value_of(point) for point in points]

    def value_of(self, point: int) -> int | float:
        """A lattice point in the user's units, rounded to a float last."""
        exact = point * self.step
        return exact.numerator if self.step.denominator == 1 else saturated(exact)
