"""Order statistics around chosen ranks: all that a quantile's profile needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._lazy import LazySequence
from leastnoise.params import Missing, parse_order
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.lattice import (
    ColumnSpec,
    Lattice,
    MissingPolicy,
    OnLattice,
)
from leastnoise.summaries.requests import OneColumn, Reader

Words = NDArray[np.int64]


def rank_of(order: Fraction, n: int) -> int:
    """The rank max(1, ceil(q n)): the inverse of the empirical distribution."""
    return max(1, -(-order.numerator * n // order.denominator))


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """Consecutive order statistics x_(first), x_(first + 1), ... as lattice integers."""

    first: int
    values: Sequence[int]


@dataclass(frozen=True, slots=True, repr=False)
class RankSummary(OnLattice):
    """NOT PRIVATE. Order statistics around ranks, on the input lattice.

    Parameters
    ----------
    n : int
        Number of records (missing ones dropped or imputed before).
    lattice : Lattice
        The public input lattice; ``limits`` are its ends.
    at : tuple of Fraction
        The orders asked for.
    runs : tuple of Run
        For each order, the order statistics whose rank is within ``depth`` of its rank.
    depth : int or None
        How far the runs reach: a function of public parameters only. None: to both ends.
    """

    n: int
    lattice: Lattice
    at: tuple[Fraction, ...]
    runs: tuple[Run, ...]
    depth: int | None

    def order(self, target: int) -> int:
        """The rank k = max(1, ceil(q n)) of one target."""
        return rank_of(self.at[target], self.n)

    def rank(self, target: int, offset: int = 0) -> int:
        """The order statistic ``offset`` ranks above (below, if negative) that of a target.

        A range end beyond the first or last record and beyond the public depth; the middle of
        the limits for offset 0 of an empty table.
        """
        if self.n == 0 and offset == 0:
            return self.lattice.middle
        if self.depth is not None and abs(offset) > self.depth:
            return self.lattice.high if offset > 0 else self.lattice.low
        return self.at_rank(target, rank_of(self.at[target], self.n) + offset)

    def at_rank(self, target: int, rank: int) -> int:
        """The order statistic of an absolute rank, looked up in the run of a target."""
        if rank < 1:
            return self.lattice.low
        if rank > self.n:
            return self.lattice.high
        run = self.runs[target]
        index = rank - run.first
        if 0 <= index < len(run.values):
            return run.values[index]
        return self.lattice.high if index >= 0 else self.lattice.low

    def span(self, target: int, first: int, last: int) -> NDArray[Any]:
        """Order statistics of the absolute ranks first..last as an array, ends padded."""
        low, high = self.limits
        wide = max(map(abs, self.limits)) >= 2**61
        run = self.runs[target]
        start, stop = run.first, run.first + len(run.values)  # ranks that the run holds
        inside = range(max(first, start), min(last + 1, stop))
        values = np.full(last - first + 1, high, dtype=object if wide else np.int64)
        values[: max(0, min(last + 1, start) - first)] = low
        if inside:
            values[inside.start - first : inside.stop - first] = run.values[
                inside.start - start : inside.stop - start
            ]
        return values

    @classmethod
    def of(cls, values: Sequence[int], at: Sequence[Fraction], lattice: Lattice) -> RankSummary:
        """The summary of all records, to every depth: the reference the fast paths must equal."""
        ordered = sorted(values)
        return cls(len(ordered), lattice, tuple(at), tuple(Run(1, ordered) for _ in at), None)


class RankSummaries(LazySequence[RankSummary]):
    """NOT PRIVATE. Rank summaries of several tables, each made when it is asked for.

    Parameters
    ----------
    lattice, at, depth
        Those of every summary.
    sizes : array
        The number of records of each table.
    points : array
        Lattice points, in words of 64 bits; there is one at least.
    starts, stops, ranks : array
        For each order of each table in turn: the consecutive order statistics from this rank on are
        ``points[start:stop]``.
    """

    __slots__ = ("at", "depth", "lattice", "points", "ranks", "sizes", "starts", "stops")

    def __init__(
        self,
        lattice: Lattice,
        at: tuple[Fraction, ...],
        depth: int | None,
        sizes: Words,
        points: Words,
        starts: Words,
        stops: Words,
        ranks: Words,
    ) -> None:
        self.lattice, self.at, self.depth = lattice, at, depth
        self.sizes, self.points = sizes, points
        self.starts, self.stops, self.ranks = starts, stops, ranks

    @classmethod
    def of(cls, summaries: Sequence[RankSummary]) -> RankSummaries:
        """From those of tables that were asked for the same, whose points fit into words."""
        first = summaries[0]
        runs = [run for one in summaries for run in one.runs]
        lengths = np.array([len(run.values) for run in runs], dtype=np.int64)
        stops = np.cumsum(lengths)
        listed = chain.from_iterable(run.values for run in runs)
        points = np.fromiter(chain(listed, (0,)), np.int64, int(stops[-1]) + 1)
        return cls(
            first.lattice,
            first.at,
            first.depth,
            np.array([one.n for one in summaries], dtype=np.int64),
            points,
            stops - lengths,
            stops,
            np.array([run.first for run in runs], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    def entry(self, place: int) -> RankSummary:
        """The summary of one table."""
        n = int(self.sizes[place])
        runs: list[Run] = []
        for i, order in enumerate(self.at, place * len(self.at)):
            if not n:
                runs.append(Run(1, ()))
                continue
            first, last = window_ranks(order, n, self.depth)
            before = int(self.starts[i] - self.ranks[i])
            runs.append(Run(first, self.points[before + first : before + last + 1].tolist()))
        return RankSummary(n, self.lattice, self.at, tuple(runs), self.depth)


def window_ranks(order: Fraction, n: int, depth: int | None) -> tuple[int, int]:
    """First and last rank that a run must hold: within ``depth`` of the target, inside 1..n."""
    if depth is None or depth >= n:
        return 1, n
    k = rank_of(order, n)
    return max(1, k - depth), min(n, k + depth)


@dataclass(frozen=True, slots=True)
class RankRequest(OneColumn):
    """Order statistics around the ranks max(1, ceil(q n))."""

    column: str | None
    lattice: Lattice
    missing: MissingPolicy
    at: tuple[Fraction, ...]

    def empty(self, depth: int | None) -> RankSummary:
        """The summary of no rows."""
        runs = tuple(Run(1, ()) for _ in self.at)
        return RankSummary(0, self.lattice, self.at, runs, depth)

    def read(self, reader: Reader, depth: int | None) -> RankSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.ranks(self, depth)


@dataclass(frozen=True, slots=True)
class RankSpec(ColumnSpec):
    """Made by ``ranks``."""

    at: tuple[Fraction, ...] = ()

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> RankRequest:
        """The request for a column of this public type."""
        return RankRequest(self.column, *self.read_as("order", kind, session), self.at)


def ranks(
    column: str | None = None,
    *,
    at: Sequence[object],
    bounds: object,
    step: object = None,
    missing: object = None,
) -> RankSpec:
    """Order statistics around the orders ``at`` (each in [0, 1]) of a column clipped to bounds."""
    asked = RankSpec.of(column, bounds, step, missing)
    return replace(asked, at=tuple(parse_order(q, "at") for q in at))
