"""The laws of the inverse sensitivity and the piecewise Laplace mechanism, flat and shifted.

All are exp(-E) over a finite range of integers with E known by levels
(``sampling/dyadic.py``). For analysis a law is cut into runs of points whose
exponent is linear: sums over a run are geometric series, so probabilities and the
mean absolute error are closed forms and cost O(levels), whatever the range.

The log-scale shifted law (errata 4.2) has the weights exp(-a (s - tau)+ - b (tau - s)+) over the
indices of public cells that widen with the distance from an anchor, so the base measure is close to
dt / (scale + t). Its mode lies where the reflective score s is tau, below the value for tau < 0.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING

from leastnoise.laws.base import Run
from leastnoise.laws.run_table import EXACT_LEVELS, FloatRun, RunTable, TabledLaw
from leastnoise.numbers import scaled_exp_enclosure
from leastnoise.sampling.dyadic import Blocks, LevelLaw, blocks_of, draw_offset
from leastnoise.sampling.shifted import PARTS, ShiftedLaw

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


_LISTED = 1 << 20


class ShiftedLevelsLaw(TabledLaw):
    """NOT PRIVATE. The law of the lattice point of an index drawn from a ``ShiftedLaw``."""

    def __init__(self, shifted: ShiftedLaw, step: Fraction) -> None:
        super().__init__(step)
        self.shifted = shifted

    @cached_property
    def blocks(self) -> Blocks:
        """The dyadic blocks of the exact sampler."""
        return blocks_of(self.shifted)

    def draw(self, source: BitSource) -> int:
        offset = draw_offset(self.blocks, source)
        index = self.shifted.index(1 if offset > 0 else -1, abs(offset))
        return self.shifted.cells.point(index)

    def enclosures(self, bits: int = 192) -> dict[int, tuple[Fraction, Fraction]]:
        """Certified bounds on the probability of every lattice point (small ranges only)."""
        law, cells = self.shifted, self.shifted.cells
        low, high = law.score.low, law.score.high
        if high - low > _LISTED:
            raise ValueError("the range has too many lattice points to list: give a coarser step")
        found: dict[int, tuple[int, Fraction]] = {}
        for y in range(low, high + 1):
            first = cells.first_at(y)
            count = cells.first_at(y + 1) - first
            if count:
                found[y] = count, law.exponent_at(first) - law.least
        # so that the smallest probability keeps as many bits
        bits += ceil(max(e for _, e in found.values()) * Fraction(3, 2))
        table: dict[int, tuple[int, int]] = {}
        for y, (count, exponent) in found.items():
            p, q = scaled_exp_enclosure(0, exponent.numerator, exponent.denominator, bits)
            table[y] = count * p, count * q
        least = sum(p for p, _ in table.values())
        most = sum(q for _, q in table.values())
        return {y: (Fraction(p, most), Fraction(q, least)) for y, (p, q) in table.items()}

    def _breaks(self) -> list[int]:
        """First points of the pieces on which density and slope are constant."""
        score = self.shifted.score
        points = {score.centre, score.centre + 1, score.high, *self.shifted.cells.corners}
        # a small epsilon can have too many levels: between two of the later ones no exponent moves
        # by more than 1/40
        group = max(1, int(1 / (40 * max(self.shifted.above, self.shifted.below))))
        last = score.depth + 1
        levels = (*range(min(EXACT_LEVELS, last)), *range(EXACT_LEVELS, last, group), last)
        for sign, end, shift in ((1, score.high, 1), (-1, score.low, 0)):
            for level in levels:
                bound = score.bound(sign * level)
                points.add(bound + shift)
                if bound == end:
                    break
        return sorted(p for p in points if score.low <= p <= score.high)

    @cached_property
    def _table(self) -> RunTable:
        score, corners = self.shifted.score, self.shifted.cells.corners
        breaks = self._breaks()
        runs: list[FloatRun] = []
        for start, after in zip(breaks, [*breaks[1:], score.high + 1], strict=True):
            cell = bisect_right(corners, start) - 1
            if start < corners[-1]:
                weight = PARTS / (corners[cell + 1] - corners[cell])
            else:
                cells = self.shifted.cells
                weight = float(cells.count - cells.first_at(start))
            first, last = (Fraction(*score.at(point)) for point in (start, after - 1))
            size = after - start
            exponents = [self._exponent(s) for s in (first, last)]
            slope = 0.0 if size == 1 else float(abs(exponents[1] - exponents[0]) / (size - 1))
            rising = exponents[1] < exponents[0]
            runs.append(FloatRun(start, size, float(min(exponents)), slope, rising, weight))
        return RunTable(runs)

    def _exponent(self, score: Fraction) -> Fraction:
        law = self.shifted
        excess = score - law.tau
        return law.above * excess if excess >= 0 else -law.below * excess
