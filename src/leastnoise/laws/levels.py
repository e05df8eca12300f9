"""The laws of the inverse sensitivity and the piecewise Laplace mechanism.

Both are exp(-E) over a finite range of integers with E known by levels
(``sampling/dyadic.py``). For analysis the law is cut into runs of points whose
exponent is linear: sums over a run are geometric series, so probabilities and the
mean absolute error are closed forms and cost O(levels), whatever the range.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, Run
from leastnoise.laws.series import geometric_mass, mean_index, truncated_geometric
from leastnoise.randomness import BitSource
from leastnoise.sampling.dyadic import Blocks, LevelLaw, blocks_of, draw_offset


class LevelsLaw(Law):
    """NOT PRIVATE. exp(-E(y)) over [centre - left span, centre + right span]."""

    def __init__(self, centre: int, levels: LevelLaw, step: Fraction) -> None:
        super().__init__(step)
        self.centre = centre
        self.levels = levels

    @cached_property
    def blocks(self) -> Blocks:
        """The dyadic blocks of the exact sampler."""
        return blocks_of(self.levels)

    def draw(self, source: BitSource) -> int:
        return self.centre + draw_offset(self.blocks, source)

    @cached_property
    def _runs(self) -> tuple[Run, ...]:
        """Runs in ascending order of their points, the left ones counted away from the centre."""
        return (*reversed(self._one_side(-1)), *self._middle(), *self._one_side(1))

    def runs(self) -> tuple[Run, ...]:
        return self._runs

    def exponent(self, point: int) -> Fraction:
        """The exact exponent E of a lattice point inside the range."""
        offset = point - self.centre
        if offset == 0:
            return Fraction(0)
        sign, distance = (1, offset) if offset > 0 else (-1, -offset)
        level = self.levels.level(sign, distance)
        return Fraction(*self.levels.exponent(sign, distance, level))

    def _middle(self) -> list[Run]:
        left, right = self.levels.reach(-1, 0), self.levels.reach(1, 0)
        return [Run(self.centre - left, 1, left + right + 1, Fraction(0), Fraction(0))]

    def _one_side(self, sign: int) -> list[Run]:
        law = self.levels
        span = law.side(sign).span
        done, level = law.reach(sign, 0), 0
        found: list[Run] = []
        while done < span:
            # empty levels are jumped over by a search, so ties cost nothing
            level = law.level(sign, done + 1, level + 1)
            until = law.reach(sign, level)
            size = until - done
            if law.sloped:
                slope = law.rate / size
                first = law.rate * (level - 1) + slope
            else:
                slope, first = Fraction(0), law.rate * level
            found.append(Run(self.centre + sign * (done + 1), sign, size, first, slope))
            done = until
        return found

    @cached_property
    def _table(self) -> _RunTable:
        return _RunTable(self._runs, self.centre)

    def point_mass(self, point: int) -> float:
        low, high = self.centre - self.levels.left.span, self.centre + self.levels.right.span
        if not low <= point <= high:
            return 0.0
        return float(np.exp(-float(self.exponent(point))) / self._table.total)

    def point_cdf(self, point: int) -> float:
        return self._table.cdf(point)

    def point_quantile(self, probability: float) -> int:
        return self._table.quantile(probability)

    def mean_distance(self, centre: Fraction) -> float:
        return self._table.mean_distance(centre)

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return self._table.sample(size, rng)


class _RunTable:
    """Float tables of a finite law given by runs in ascending order."""

    def __init__(self, runs: tuple[Run, ...], centre: int) -> None:
        self.runs = runs
        self.centre = centre
        self.starts = [r.first if r.direction > 0 else r.first - _size(r) + 1 for r in runs]
        self.masses = np.array(
            [geometric_mass(float(r.exponent), float(r.slope), _size(r)) for r in runs]
        )
        self.cumulative = np.cumsum(self.masses)
        self.total = float(self.cumulative[-1])

    def cdf(self, point: int) -> float:
        index = bisect_left(self.starts, point + 1) - 1
        if index < 0:
            return 0.0
        run = self.runs[index]
        before = float(self.cumulative[index]) - float(self.masses[index])
        inside = min(point - self.starts[index] + 1, _size(run))
        part = self._head(run, inside)
        return min(1.0, (before + part) / self.total)

    def _head(self, run: Run, count: int) -> float:
        """The mass of the ``count`` lowest points of a run."""
        whole = geometric_mass(float(run.exponent), float(run.slope), _size(run))
        if run.direction > 0:
            return geometric_mass(float(run.exponent), float(run.slope), count)
        rest = _size(run) - count
        if rest < count:
            return whole - geometric_mass(float(run.exponent), float(run.slope), rest)
        start = float(run.exponent + run.slope * rest)
        return geometric_mass(start, float(run.slope), count)

    def quantile(self, probability: float) -> int:
        target = probability * self.total
        index = min(int(np.searchsorted(self.cumulative, target)), len(self.runs) - 1)
        low, high = self.starts[index], self.starts[index] + _size(self.runs[index]) - 1
        while low < high:
            middle = (low + high) // 2
            if self.cdf(middle) >= probability:
                high = middle
            else:
                low = middle + 1
        return low

    def mean_distance(self, centre: Fraction) -> float:
        """sum |y - centre| p(y), each run cut at the centre."""
        total = 0.0
        for run, start in zip(self.runs, self.starts, strict=True):
            end = start + _size(run) - 1
            for first, last in _cut(start, end, centre):
                total += self._piece(run, first, last, centre)
        return total / self.total

    def _piece(self, run: Run, first: int, last: int, centre: Fraction) -> float:
        count = last - first + 1
        near = first if run.direction > 0 else last
        index = abs(near - run.first)
        exponent = float(run.exponent + run.slope * index)
        mass = geometric_mass(exponent, float(run.slope), count)
        from_near = mean_index(float(run.slope), count)
        return mass * abs(float(near - centre) + run.direction * from_near)

    def sample(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        chosen = np.searchsorted(self.cumulative, rng.random(size) * self.total, side="right")
        chosen = np.minimum(chosen, len(self.runs) - 1)
        slopes = np.array([float(r.slope) for r in self.runs])[chosen]
        counts = np.array([float(_size(r)) for r in self.runs])[chosen]
        directions = np.array([r.direction for r in self.runs])[chosen]
        firsts = np.array([float(r.first) for r in self.runs])[chosen]
        return firsts + directions * truncated_geometric(slopes, counts, rng.random(size))


def _size(run: Run) -> int:
    """The number of points of a finite run."""
    if run.count is None:
        raise ValueError("a finite run is needed")
    return run.count


def _cut(start: int, end: int, centre: Fraction) -> list[tuple[int, int]]:
    """[start, end] as at most two ranges on either side of the centre."""
    middle = centre.__floor__()
    if start <= middle < end:
        return [(start, middle), (middle + 1, end)]
    return [(start, end)]
