"""A public index space over lattice points whose density falls with the distance from an anchor.

Cell i is the half-open interval [c_i, c_(i+1)) between public lattice points; it holds ``PARTS``
indices, spread evenly, so the counting measure on indices has density PARTS / width there:
narrow cells near the anchor, wide ones far out. Everything is a function of public
parameters and exact in integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

PARTS = 1 << 32


@dataclass(frozen=True, slots=True)
class Cells:
    """Indices 0, 1, ..., ``count`` - 1 in the order of the lattice points they stand for."""

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
        cell = bisect_right(self.corners, point) - 1
        start = self.corners[cell]
        if point == start:
            return cell * PARTS
        return cell * PARTS - (start - point) * PARTS // (self.corners[cell + 1] - start)
