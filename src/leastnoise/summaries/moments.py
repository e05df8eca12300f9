"""Exact sums with the extreme records: all that a sum's or a mean's profile needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import merge
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leastnoise.summaries.lattice import Lattice


@dataclass(frozen=True, slots=True, repr=False)
class MomentSummary:
    """NOT PRIVATE. Row count, exact sum and extreme records, on the input lattice.

    A monoid under ``merge`` for a fixed lattice and depth.

    Parameters
    ----------
    n, total : int
        Number of records and the exact sum of their lattice integers.
    lattice : Lattice
        The public input lattice.
    smallest, largest : sequence of int
        The min(depth, n) smallest records in ascending order and the largest in descending order.
    depth : int or None
        How many extremes are held: a function of public parameters only. None: all.
    """

    n: int
    total: int
    lattice: Lattice
    smallest: Sequence[int]
    largest: Sequence[int]
    depth: int | None

    @property
    def limits(self) -> tuple[int, int]:
        """The public limits as lattice integers."""
        return self.lattice.low, self.lattice.high

    @property
    def step(self) -> Fraction:
        """The user's units of one lattice step."""
        return self.lattice.step

    def merge(self, other: MomentSummary) -> MomentSummary:
        """The summary of both sets of records together."""
        if (self.lattice, self.depth) != (other.lattice, other.depth):
            raise ValueError("summaries merge only over one lattice and depth")
        stop = self.depth
        return MomentSummary(
            self.n + other.n,
            self.total + other.total,
            self.lattice,
            list(merge(self.smallest, other.smallest))[:stop],
            list(merge(self.largest, other.largest, reverse=True))[:stop],
            stop,
        )

    @classmethod
    def of(cls, values: Sequence[int], lattice: Lattice, depth: int | None = None) -> MomentSummary:
        """The summary of lattice integers: the reference the fast paths must equal."""
        ordered = sorted(values)
        return cls(
            len(ordered), sum(ordered), lattice, ordered[:depth], ordered[::-1][:depth], depth
        )


@dataclass(frozen=True, slots=True, repr=False)
class RowSummary:
    """NOT PRIVATE. The number of rows; a monoid under addition."""

    n: int

    @property
    def step(self) -> Fraction:
        """Rows are counted in ones."""
        return Fraction(1)

    def merge(self, other: RowSummary) -> RowSummary:
        """The summary of both sets of records together."""
        return RowSummary(self.n + other.n)
