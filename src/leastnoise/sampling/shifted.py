"""Exact sampling of exp(-a (s - tau)+ - b (tau - s)+) over the indices of public cells.

s is the reflective piecewise linear score of a profile: 0 at the value, +l at upper(l),
-l at lower(l), linear in between, so it rises along the lattice and moves by at most 1
between neighbours. With tau an integer and a flat index space this is the piecewise
Laplace law; a negative tau puts the mode below the value. Blocks and acceptance are those
of ``sampling/dyadic.py``; distance d = 1, 2, ... on the right is index ``mode + d - 1``,
on the left index ``mode - d``, and there is no centre point. Exponents are counted from
the smallest one, which changes no probability and lets the blocks start where the mass is.

Source: errata 4.2; ``docs/proofs/shifted-piecewise-laplace.md``.

The indices are those of `Cells`, whose density falls with the distance from an anchor. Cell i is
the half-open interval [c_i, c_(i+1)) between public lattice points; it holds ``PARTS`` indices,
spread evenly, so the counting measure on indices has density PARTS / width there: narrow cells near
the anchor, wide ones far out. Everything is a function of public parameters, in exact integers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from leastnoise.sampling.dyadic import LN2_BITS, LN2_UPPER

PARTS = 1 << 32


@dataclass(frozen=True, slots=True)
class Cells:
    """Indices 0, 1, ..., ``count`` - 1 in the order of the lattice points they stand for.

    Corners rise; the last may stand twice, so that a cell is at that point.
    """

    corners: Sequence[int]

    @property
    def count(self) -> int:
        """The number of indices; the last corner is the last index."""
        return (len(self.corners) - 1) * PARTS + 1

    def point(self, index: int) -> int:
        """The lattice point of an index: nondecreasing, many-to-one in narrow cells."""
        cell, part = divmod(index, PARTS)
        start = self.corners[cell]
        if part == 0:
            return start
        return start + (self.corners[cell + 1] - start) * part // PARTS

    def first_at(self, point: int) -> int:
        """The first index whose lattice point is at least ``point``; ``count`` if there is none."""
        if point <= self.corners[0]:
            return 0
        if point > self.corners[-1]:
            return self.count
        cell = bisect_left(self.corners, point)
        if point == self.corners[cell]:
            return cell * PARTS
        cell -= 1
        start = self.corners[cell]
        return cell * PARTS - (start - point) * PARTS // (self.corners[cell + 1] - start)


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """The reflective score on lattice points from ``low`` to ``high``."""

    centre: int
    upper: Callable[[int], int]
    lower: Callable[[int], int]
    low: int
    high: int
    depth: int
    _read: dict[int, int] = field(default_factory=dict[int, int], init=False)

    def bound(self, level: int) -> int:
        """upper(level) for level >= 0, lower(-level) below; the range ends beyond the depth.

        Neighbouring blocks share levels, which can be expensive: each is read once.
        """
        found = self._read.get(level)
        if found is not None:
            return found
        if level >= 0:
            found = self.high if level > self.depth else min(self.high, self.upper(level))
        else:
            found = self.low if -level > self.depth else max(self.low, self.lower(-level))
        self._read[level] = found
        return found

    def at(self, point: int) -> tuple[int, int]:
        """s(point) as (numerator, denominator)."""
        if point == self.centre:
            return 0, 1
        sign = 1 if point > self.centre else -1
        least, most = 1, self.depth + 1
        while least < most:
            level = (least + most) // 2
            if sign * self.bound(sign * level) >= sign * point:
                most = level
            else:
                least = level + 1
        start = self.bound(sign * (least - 1))
        size = abs(self.bound(sign * least) - start)
        return sign * ((least - 1) * size + abs(point - start)), size

    def first_at_least(self, top: int, bottom: int) -> int:
        """The smallest point with s >= top / bottom; high + 1 if there is none."""
        if top > 0:
            level = -(-top // bottom)
            if level > self.depth + 1:
                return self.high + 1
            start = self.bound(level - 1)
            size = self.bound(level) - start
            return start + max(1, -(-(top - (level - 1) * bottom) * size // bottom))
        level = -top // bottom
        if level > self.depth:
            return self.low
        start = self.bound(-level)
        size = start - self.bound(-level - 1)
        return start - (-top - level * bottom) * size // bottom

    def first_above(self, top: int, bottom: int) -> int:
        """The smallest point with s > top / bottom; high + 1 if there is none."""
        if top >= 0:
            level = top // bottom
            if level > self.depth:
                return self.high + 1
            start = self.bound(level)
            size = self.bound(level + 1) - start
            return start + (top - level * bottom) * size // bottom + 1
        level = -(top // bottom)
        if level > self.depth + 1:
            return self.low
        start = self.bound(-(level - 1))
        size = start - self.bound(-level)
        if size == 0:
            return start
        return start - (-(-(-top - (level - 1) * bottom) * size // bottom) - 1)


@dataclass(frozen=True, slots=True, repr=False)
class ShiftedLaw:
    """The law of an index: rates ``above`` = a and ``below`` = b, mode at score ``tau``."""

    score: Score
    cells: Cells
    tau: int
    above: Fraction
    below: Fraction
    mode: int = field(init=False)
    least: Fraction = field(init=False)

    @property
    def centred(self) -> bool:
        """No point has distance 0."""
        return False

    def __post_init__(self) -> None:
        mode = self.cells.first_at(self.score.first_at_least(self.tau, 1))
        object.__setattr__(self, "mode", mode)
        beside = [i for i in (mode, mode - 1) if 0 <= i < self.cells.count]
        object.__setattr__(self, "least", min(self.exponent_at(i) for i in beside))

    def span(self, sign: int) -> int:
        """The number of indices of one side."""
        return self.cells.count - self.mode if sign > 0 else self.mode

    def index(self, sign: int, distance: int) -> int:
        """The index at a distance."""
        return self.mode + distance - 1 if sign > 0 else self.mode - distance

    def edge(self, sign: int, block: int) -> int:
        """The first distance of one side with E >= t_block."""
        rate = self.above if sign > 0 else self.below
        start = self.least
        # (E_least + t_block) / rate as top / bottom
        top = block * LN2_UPPER * start.denominator + (start.numerator << LN2_BITS)
        top *= rate.denominator
        bottom = (rate.numerator * start.denominator) << LN2_BITS
        if sign > 0:
            point = self.score.first_at_least(self.tau * bottom + top, bottom)
            return max(1, self.cells.first_at(point) - self.mode + 1)
        point = self.score.first_above(self.tau * bottom - top, bottom)
        return max(1, self.mode - self.cells.first_at(point) + 1)

    def exponent_in(self, block: int, last: bool, sign: int, distance: int) -> tuple[int, int]:
        """E less the least E, as (numerator, denominator); the block is not needed here."""
        exponent = self.exponent_at(self.index(sign, distance)) - self.least
        return exponent.numerator, exponent.denominator

    def exponent_at(self, index: int) -> Fraction:
        """E of an index."""
        top, bottom = self.score.at(self.cells.point(index))
        excess = top - self.tau * bottom
        rate = self.above if excess >= 0 else self.below
        return Fraction(abs(excess) * rate.numerator, bottom * rate.denominator)
