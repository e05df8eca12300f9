"""The laws of the inverse sensitivity and the piecewise Laplace mechanism.

Both are exp(-E) over a finite range of integers with E known by levels
(``sampling/dyadic.py``). For analysis the law is cut into runs of points whose
exponent is linear: sums over a run are geometric series, so probabilities and the
mean absolute error are closed forms and cost O(levels), whatever the range.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from leastnoise.laws.base import Run
from leastnoise.laws.run_table import EXACT_LEVELS, FloatRun, RunTable, TabledLaw
from leastnoise.sampling.dyadic import Blocks, LevelLaw, blocks_of, draw_offset

if TYPE_CHECKING:
    from leastnoise.randomness import BitSource
    from leastnoise.sampling.many_levels import Bounds


class LevelsLaw(TabledLaw):
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

    def draws(self, bounds: Bounds, source: BitSource) -> list[int]:
        """One exact draw at each of several profiles, as ``draw`` of the law of each would."""
        from leastnoise.sampling.many_levels import draw_points  # for many alone

        return draw_points(self.levels, bounds, source)

    @cached_property
    def _runs(self) -> tuple[Run, ...]:
        """Runs in ascending order of their points, the left ones counted away from the centre."""
        return self._all()

    def _all(self, group: int = 1) -> tuple[Run, ...]:
        left, right = (self._one_side(sign, group) for sign in (-1, 1))
        return (*reversed(left), *self._middle(), *right)

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

    def _one_side(self, sign: int, group: int) -> list[Run]:
        """Runs of one level; after ``EXACT_LEVELS`` of them, of ``group`` levels on a line."""
        law = self.levels
        span = law.side(sign).span
        done, level = law.reach(sign, 0), 0
        found: list[Run] = []
        while done < span:
            size = group if len(found) >= EXACT_LEVELS else 1
            before, level = level, level + size
            until = law.reach(sign, level)
            if until == done:  # empty levels are jumped over by a search, so ties cost nothing
                level = law.level(sign, done + 1, level + 1)
                before, until = level - 1, law.reach(sign, level)
            count = until - done
            if law.sloped or level > before + 1:
                slope = law.rate * (level - before) / count
                first = law.rate * before + slope
            else:
                slope, first = Fraction(0), law.rate * level
            found.append(Run(self.centre + sign * (done + 1), sign, count, first, slope))
            done = until
        return found

    @cached_property
    def _table(self) -> RunTable:
        # a small epsilon can have too many levels: over a group no exponent moves by more than 1/40
        group = max(1, int(1 / (40 * self.levels.rate)))
        return RunTable([float_run(run) for run in self._all(group)])


def float_run(run: Run) -> FloatRun:
    """A finite exact run for analysis in floats."""
    if run.count is None:
        raise ValueError("a finite run is needed")
    rising = run.direction < 0
    start = run.first - run.count + 1 if rising else run.first
    return FloatRun(start, run.count, float(run.exponent), float(run.slope), rising)
