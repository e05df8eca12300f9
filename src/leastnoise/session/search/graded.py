"""An index of all doubles for quantiles whose bounds nobody knows, with room where numbers are.

Beside each power of two 2**p stand about 1 / (1 + abs(p)) of the points of 1, so that a mechanism
which is uniform over points is seldom drawn far from everything, however far the index reaches. Of
the points of 2**p, 0 <= p < 24, half belong to the whole numbers there, an equal block each, and 0
has a block too: values that many records share fill their block, because equal records lie on
random points of it (``docs/proofs/unknown-bounds.md``).

First come cells: 2**24 a power of two, in order, and one more for each whole number. The place of
a cell is the block of points that it covers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.joint.at_once import Base
from leastnoise.mechanisms.joint.tie_breaking import DIGITS, TieBrokenRecords
from leastnoise.randomness import BitSource
from leastnoise.session.search.float_index import LEAST, MOST
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Ranks, Records

_MANTISSA, _BIAS = 52, 1023
# Binary digits of the cells of a power of two, and of its points at 1.
_CELLS, _POINTS = 24, 31
_TIES = 1 << DIGITS
# How outer quantiles lean towards inner ones: by e^2 over the points of one power of two at 1.
OUTWARD = Fraction(2, 1 << _POINTS)
# Powers of two about 1 at which bases of quantiles at once halve, the first one how often; how
# often the other one is halved anyhow.
_STEPS, _STEEP, _HALVED = 64, 2, 6


@dataclass(frozen=True, slots=True)
class GradedIndex:
    """The cells of numbers from 2**least to 2**most: smaller ones are 0, larger ones in the last.

    ``signed`` says whether there are negative ones; without, they are 0.
    """

    least: int = LEAST
    most: int = MOST
    signed: bool = True

    @property
    def bits(self) -> int:
        """Binary digits of the cells of one power of two."""
        return _CELLS

    @property
    def cells(self) -> Lattice:
        """All cells."""
        top = _tables(self).cells[-1] - 1
        return Lattice(Fraction(1), -top if self.signed else 0, top, 0, True)

    @property
    def lattice(self) -> Lattice:
        """All points."""
        top = _tables(self).points[-1] - 1
        return Lattice(Fraction(1), -1 - top if self.signed else 0, top, 0, True)

    @property
    def bases(self) -> tuple[Base, ...]:
        """For numbers of one sign and size, and for others: all below 1 are near 0 there."""
        points, one = _tables(self).points, max(0, -self.least)
        near = points[max(0, one - _STEPS) : one + _STEPS]
        steep = sorted(_STEEP * near)
        return Base(tuple(steep)), Base(points[one : one + _STEPS], _HALVED)

    def index(self, values: NDArray[Any]) -> NDArray[Any]:
        """The cell of every double; NaN must be gone before."""
        tables = _tables(self)
        raw = np.abs(values).view(np.int64)
        power, digits = (raw >> _MANTISSA) - _BIAS, raw & ((1 << _MANTISSA) - 1)
        place = np.clip(power - self.least, 0, self.most - self.least - 1)
        inside = digits >> (_MANTISSA - _CELLS)
        whole = np.clip(power, 0, _CELLS)  # the digits before the point
        has_wholes = (power >= 0) & (power < _CELLS)
        exactly = digits & ((np.int64(1) << (_MANTISSA - whole)) - 1) == 0
        added = np.where(has_wholes, (inside >> (_CELLS - whole)) + ~exactly, 0)
        size = np.array(tables.cells, dtype=np.int64)[place] + inside + added
        size = np.where(power < self.most, size, tables.cells[-1] - 1)
        size = np.where(power < self.least, 0, size)
        return np.where(values < 0, -size if self.signed else 0, size)

    def edge(self, index: int) -> tuple[float, bool]:
        """A double below which numbers have at most this cell, and whether it has so itself."""
        lattice = self.cells
        if not lattice.low <= index < lattice.high:
            return (inf, True) if index > 0 else (-inf, False)
        start, above = self._start(index + 1 if index >= 0 else -index)
        return (float(start), above) if index >= 0 else (-float(start), not above)

    def place(self, cell: int) -> tuple[int, int]:
        """The first point of a cell from 0 on, and how many it has."""
        start, room = self.places(np.array([cell], dtype=np.int64))
        return int(start[0]), int(room[0])

    def places(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same for many cells."""
        tables = _tables(self)
        firsts = np.array(tables.cells, dtype=np.int64)
        ends = np.array(tables.points, dtype=np.int64)
        group = np.clip(np.searchsorted(firsts, cells, side="right") - 1, 0, len(ends) - 2)
        power, rest = self.least + group, cells - firsts[group]
        start, room = ends[group], ends[group + 1] - ends[group]
        whole = np.clip(power, 0, _CELLS)
        has_wholes = (power >= 0) & (power < _CELLS)
        number, part = np.divmod(rest, 1 + (np.int64(1) << (_CELLS - whole)))
        own, between = room >> (whole + 1), room >> (_CELLS + 1)
        inside = number * (room >> whole) + np.where(part == 0, 0, own + (part - 1) * between)
        inside = np.where(has_wholes, inside, rest * (room >> _CELLS))
        width = np.where(has_wholes, np.where(part == 0, own, between), room >> _CELLS)
        zero = cells == 0
        return np.where(zero, 0, start + inside), np.where(zero, ends[0], width)

    def cell(self, point: int) -> int:
        """The cell to which a point from 0 on belongs."""
        tables = _tables(self)
        if point < tables.points[0]:
            return 0
        group = bisect_right(tables.points, point) - 1
        power, rest = self.least + group, point - tables.points[group]
        room = tables.points[group + 1] - tables.points[group]
        if not _has_wholes(power):
            return tables.cells[group] + rest // (room >> _CELLS)
        number, rest = divmod(rest, room >> power)
        own, between = room >> (power + 1), room >> (_CELLS + 1)
        part = 0 if rest < own else 1 + (rest - own) // between
        return tables.cells[group] + number * (1 + (1 << (_CELLS - power))) + part

    def value(self, point: int) -> Fraction:
        """The end of the point's cell that is nearer to 0."""
        return self._start(self.cell(point))[0] if point >= 0 else -self.value(-1 - point)

    def _start(self, cell: int) -> tuple[Fraction, bool]:
        """The end of a cell that is nearer to 0, and whether its numbers lie beyond that."""
        if cell == 0:
            return Fraction(0), False
        group, number, part = self._split(cell)
        power = self.least + group
        if not _has_wholes(power):
            return Fraction(2) ** power * (1 + Fraction(part, 1 << _CELLS)), False
        start = (1 << power) + number + Fraction(max(0, part - 1), 1 << (_CELLS - power))
        return start, part == 1

    def _split(self, cell: int) -> tuple[int, int, int]:
        """The place of a cell's power of two, of its whole number there, and its own from there."""
        tables = _tables(self)
        group = bisect_right(tables.cells, cell) - 1
        power, rest = self.least + group, cell - tables.cells[group]
        if not _has_wholes(power):
            return group, 0, rest
        return group, *divmod(rest, 1 + (1 << (_CELLS - power)))


@dataclass(frozen=True, slots=True)
class _Tables:
    """The first cell and the first point of each power of two, and one beyond the last."""

    cells: tuple[int, ...]
    points: tuple[int, ...]


@cache
def _tables(index: GradedIndex) -> _Tables:
    powers = range(index.least, index.most)
    cells = ((1 << _CELLS) + (1 << p if _has_wholes(p) else 0) for p in powers)
    points = (1 << (_POINTS + 1 - (1 + abs(p)).bit_length()) for p in powers)
    return _Tables(
        tuple(accumulate(cells, initial=1)),
        tuple(accumulate(points, initial=1 << (_POINTS - 1))),
    )


def _has_wholes(power: int) -> bool:
    return 0 <= power < _CELLS


class GradedRecords(Records):
    """NOT PRIVATE. Records on random points of their cells, drawn only where one is looked at.

    A record's point is a function of its cell and of digits of its own, so neighbours have
    neighbours for points, whatever the digits are.
    """

    __slots__ = ("_fine", "_index")

    def __init__(self, cells: Records, index: GradedIndex, source: BitSource) -> None:
        self._index = index
        self._fine = TieBrokenRecords(cells, index.cells.low, DIGITS, source)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._fine)

    def windows(self, ranks: Sequence[Ranks]) -> list[list[int]]:
        """Points ascend with cells and digits."""
        return [
            self._points(np.array(run, dtype=np.int64)).tolist()
            for run in self._fine.windows(ranks)
        ]

    def counts(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """By the digits from which on a record's point is as high."""
        ends = [self._first(end) for point in points for end in (point, point + 1)]
        found = [below for below, _ in self._fine.counts(ends)] if ends else []
        return list(zip(found[::2], found[1::2], strict=True))

    def _points(self, fine: NDArray[np.int64]) -> NDArray[np.int64]:
        cells, digits = (fine >> DIGITS) + self._index.cells.low, fine & (_TIES - 1)
        starts, rooms = self._index.places(np.abs(cells))
        up = starts + (digits * rooms >> DIGITS)
        return np.where(cells >= 0, up, -1 - starts - ((_TIES - 1 - digits) * rooms >> DIGITS))

    def _first(self, point: int) -> int:
        """The least cell and digits whose point is not below this one."""
        index = self._index
        if point > index.lattice.high:
            return (index.cells.high - index.cells.low + 1) << DIGITS
        size = point if point >= 0 else -1 - point
        cell = index.cell(size)
        start, room = index.place(cell)
        if point >= 0:
            digits = -(-((size - start) << DIGITS) // room)
        elif cell == 0:  # no record is there
            digits = 0
        else:
            cell, digits = -cell, _TIES - -(-((size - start + 1) << DIGITS) // room)
        return ((cell - index.cells.low) << DIGITS) + digits
