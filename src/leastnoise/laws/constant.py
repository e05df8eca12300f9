"""The law of a release that is the same for every data set."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, Run
from leastnoise.randomness import BitSource


class ConstantLaw(Law):
    """All mass on one public lattice point (a range of a single value)."""

    def __init__(self, centre: int, step: Fraction) -> None:
        super().__init__(step)
        self.centre = centre

    def draw(self, source: BitSource) -> int:
        return self.centre

    def point_mass(self, point: int) -> float:
        return float(point == self.centre)

    def point_cdf(self, point: int) -> float:
        return float(point >= self.centre)

    def point_quantile(self, probability: float) -> int:
        return self.centre

    def mean_distance(self, centre: Fraction) -> float:
        return abs(float(self.centre - centre))

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return np.full(size, float(self.centre))

    def runs(self) -> tuple[Run, ...]:
        return (Run(self.centre, 1, 1, Fraction(0), Fraction(0)),)
