"""Exact sums with the extreme records: all that a sum's or a mean's profile needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import merge

from leastnoise._lazy import LazySequence
from leastnoise.summaries.lattice import Lattice, OnLattice
from leastnoise.summaries.requests import Counted


@dataclass(frozen=True, slots=True, repr=False)
class MomentSummary(OnLattice):
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
class RowSummary(Counted):
    """NOT PRIVATE. The number of rows; a monoid under addition."""

    n: int

    def merge(self, other: RowSummary) -> RowSummary:
        """The summary of both sets of records together."""
        return RowSummary(self.n + other.n)


class RowSummaries(LazySequence[RowSummary]):
    """NOT PRIVATE. Those of several tables by their numbers of rows, made when asked for."""

    __slots__ = ("counts",)

    def __init__(self, counts: list[int]) -> None:
        self.counts = counts

    def __len__(self) -> int:
        return len(self.counts)

    def entry(self, place: int) -> RowSummary:
        """The summary of one table."""
        return RowSummary(self.counts[place])


class MomentSummaries(LazySequence[MomentSummary]):
    """NOT PRIVATE. Those of several tables without extreme records, made when asked for.

    Parameters
    ----------
    lattice : Lattice
        That of all of them.
    counts, totals : list of int
        The number of records of each, and their exact sum.
    """

    __slots__ = ("counts", "lattice", "totals")

    def __init__(self, lattice: Lattice, counts: list[int], totals: list[int]) -> None:
        self.lattice, self.counts, self.totals = lattice, counts, totals

    def __len__(self) -> int:
        return len(self.counts)

    def entry(self, place: int) -> MomentSummary:
        """The summary of one table."""
        return MomentSummary(self.counts[place], self.totals[place], self.lattice, [], [], 0)


def rows_of(summaries: Sequence[RowSummary]) -> list[int]:
    """NOT PRIVATE. The numbers of rows of several tables."""
    if isinstance(summaries, RowSummaries):
        return summaries.counts
    return [one.n for one in summaries]


def sums_of(summaries: Sequence[MomentSummary]) -> tuple[list[int], list[int]]:
    """NOT PRIVATE. The numbers of records and the exact sums of several tables."""
    if isinstance(summaries, MomentSummaries):
        return summaries.counts, summaries.totals
    return [one.n for one in summaries], [one.total for one in summaries]
