"""Order statistics of many groups at once, so that few of their rows are put in order.

A thin sample proposes for each group two values around the wanted ranks; one query counts the
group's rows below, at either value and in all, and lists those between. Rows that share a value
never gather between: the sample would have proposed that value. Groups that it did not describe
are put in order by the engine, some after the others. The sample decides speed alone, the result
is always exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.engines.engine import FEW, Engine, Lazy, Tally, check_same

Array = NDArray[Any]

# One row in so many is in the sample.
_SHARE = 10
# About so many values of all groups are listed at once, and about so many parts are there at most.
_LISTED, _PARTS = 1 << 24, 16
# Rows of a group that are listed beside the wanted ones, however few there are of them.
_LEAST = 64 * _SHARE
# How far around a wanted rank a bracket reaches in the sample: standard deviations, and rows.
_DEVIATIONS, _ROWS = 4.5, 8


class Runs(NamedTuple):
    """NOT PRIVATE. For each of some groups consecutive ranks of its rows from ``firsts`` on.

    ``values`` are those of all these ranks, group after group, ``sizes`` of each.
    """

    firsts: Array
    sizes: Array
    values: Array

    @classmethod
    def joined(cls, runs: Sequence[Runs]) -> Runs:
        """Those of several parts as one."""
        return cls(*map(np.concatenate, zip(*runs, strict=True)))


class Near(NamedTuple):
    """NOT PRIVATE. Groups by their keys, the number of rows of each, and the wanted ranks of each
    order in turn.
    """

    groups: nw.DataFrame[Any]
    rows: Array
    runs: list[Runs]


@dataclass(frozen=True, slots=True, repr=False)
class GroupRanks:
    """NOT PRIVATE. A question to all groups: the ranks within ``depth`` of given orders.

    ``entries`` are the declared entries of the key columns ``keys``; ``frame`` has these columns
    and x, which is there in every row.
    """

    engine: Engine
    keys: Sequence[str]
    entries: Sequence[Sequence[Any]]
    orders: Sequence[tuple[int, int]]
    depth: int

    def of(self, frame: Lazy) -> list[Near]:
        """The answer for all groups that have rows, in parts."""
        place = max(range(len(self.keys)), key=lambda i: len(self.entries[i]))
        key, column = nw.col(self.keys[place]), self.entries[place]
        entries = sorted({entry for entry in column if entry is not None})
        # groups that share an entry, times the values of one
        values = int(np.prod([len(c) for c in self.entries], dtype=object)) // max(1, len(column))
        values *= len(self.orders) * (2 * self.depth + 1) + _LEAST
        found: list[Near] = []
        missed: set[Any] = set()
        for part in _parts(entries, _LISTED // values):
            rows = frame if len(part) == len(entries) else frame.filter(_among(key, part))
            near, others = self._bracketed(rows)
            found.append(near)
            missed.update(others.get_column(self.keys[place]).to_list())
        for part in _parts(sorted(missed), FEW // values):
            rows = frame.filter(key.is_in(part) & _among(key, part))
            found.append(self._ordered(rows))
        return found

    @property
    def _whole(self) -> int:
        """Groups of at most this many rows are listed whole: a sample of them says little."""
        return 2 * self.depth + _LEAST

    def _windows(self, n: Array) -> list[tuple[Array, Array]]:
        """For each order the first and the last of the wanted ranks of n rows."""
        ranks = [np.maximum(1, -(-top * n // bottom)) for top, bottom in self.orders]
        return [(np.maximum(1, k - self.depth), np.minimum(n, k + self.depth)) for k in ranks]

    def _proposed(self, frame: Lazy) -> Lazy:
        """Keys, n rows, and two values for each order, from the sample; NULL where one has no end.

        "known" tells whether the sample describes the group.
        """
        keys, place, m, n = self.keys, nw.col("place"), nw.col("m"), nw.col("n")
        thin = self.engine.sample(frame, 1, _SHARE, apart=True)
        thin = thin.with_columns(
            place=nw.col("x").rank("ordinal").over(*keys),
            m=nw.len().over(*keys).cast(nw.Int64),
        )
        asked = {"m": m.max()}
        ends: dict[str, nw.Expr] = {}
        for i, (numerator, denominator) in enumerate(self.orders):
            q = numerator / denominator
            room = m.sqrt() * (_DEVIATIONS * sqrt(q * (1 - q))) + (self.depth / _SHARE + _ROWS)
            low = nw.when(place < m * q - room).then(nw.col("x"))
            high = nw.when(place > m * q + room).then(nw.col("x"))
            ends |= {f"low {i}": low, f"high {i}": high}
            asked |= {f"low {i}": nw.col(f"low {i}").max(), f"high {i}": nw.col(f"high {i}").min()}
        thin = thin.with_columns(**ends).group_by(*keys).agg(**asked)
        sizes = frame.group_by(*keys).agg(n=nw.len().cast(nw.Int64))
        found = sizes.join(thin, on=list(keys), how="left")
        alone = {name: nw.when(n > self._whole).then(nw.col(name)) for name in ends}
        known = nw.any_horizontal(n <= self._whole, m * (2 * _SHARE) >= n, ignore_nulls=True)
        return found.select(*keys, "n", **alone, known=known)

    def _bracketed(self, frame: Lazy) -> tuple[Near, nw.DataFrame[Any]]:
        """The groups with their answers, and those that the sample did not tell how to find."""
        x = nw.col("x")
        rows = frame.join(self._proposed(frame), on=list(self.keys), how="inner")
        asked: dict[str, Tally] = {}
        between: list[nw.Expr] = []
        for i in range(len(self.orders)):
            low, high = nw.col(f"low {i}"), nw.col(f"high {i}")
            above, under = low.is_null() | (x > low), high.is_null() | (x < high)
            between.append(above & under)
            asked |= {
                f"below {i}": Tally("rows", x < low),
                f"low rows {i}": Tally("rows", x == low),
                f"high rows {i}": Tally("rows", x == high),
                f"low {i}": Tally("shared", low),
                f"high {i}": Tally("shared", high),
            }
        asked |= {"known": Tally("rows", nw.col("known")), "before": Tally("shared", nw.col("n"))}
        kept = nw.col("known") & nw.any_horizontal(*between, ignore_nulls=True)
        table = self.engine.collect(self.engine.tallied(rows, self.keys, asked, kept))
        lists = self.engine.lists(table.get_column("kept"))
        stops = np.cumsum(lists.sizes)
        starts = stops - lists.sizes
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            lists.values[start:stop].sort()
        owner = np.repeat(np.arange(len(starts)), lists.sizes)

        def numbers(name: str) -> Array:
            return table.get_column(name).fill_null(0).to_numpy().astype(np.int64)

        n = numbers("n")
        check_same(self.engine, int(np.count_nonzero(n != numbers("before"))), 0)
        found = (numbers("known") > 0) & lists.there
        parts: list[tuple[Array, ...]] = []
        for i, (first, last) in enumerate(self._windows(n)):
            ends = [table.get_column(name) for name in (f"low {i}", f"high {i}")]
            low, high = (end.fill_null(0).to_numpy() for end in ends)
            no_low, no_high = (end.is_null().to_numpy() for end in ends)
            both = ~(no_low | no_high)
            below = numbers(f"below {i}")
            before = below + numbers(f"low rows {i}")
            left = _counts(no_low[owner] | (lists.values > low[owner]), starts, stops)
            inside = left - _counts(~no_high[owner] & (lists.values >= high[owner]), starts, stops)
            until = before + inside
            at_high = np.where(both & (low == high), 0, numbers(f"high rows {i}"))
            found &= ~(both & (low > high)) & (first > below) & (last <= until + at_high)
            parts.append((first, last, before, until, stops - left, low, high))
        runs = [_filled(lists.values, *(part[found] for part in each)) for each in parts]
        keys = table.select(*self.keys)
        return Near(keys[np.flatnonzero(found)], n[found], runs), keys[np.flatnonzero(~found)]

    def _ordered(self, frame: Lazy) -> Near:
        """The groups with their answers: all their rows are put in order by the engine."""
        keys, rank, n = self.keys, nw.col("rank"), nw.col("n")
        targets: dict[str, nw.Expr] = {}
        for i, (numerator, denominator) in enumerate(self.orders):
            k = (n * numerator + (denominator - 1)) // denominator
            targets[f"target {i}"] = nw.when(k < 1).then(nw.lit(1)).otherwise(k)
        # worked out once a group and joined: a window over the rows for it would cost as much again
        sizes = frame.group_by(*keys).agg(n=nw.len().cast(nw.Int64))
        sizes = sizes.with_columns(**targets)
        ranked = frame.with_columns(rank=nw.col("x").rank("ordinal").over(*keys))
        near = [
            (rank >= nw.col(t) - self.depth) & (rank <= nw.col(t) + self.depth) for t in targets
        ]
        wanted = ranked.join(sizes, on=list(keys), how="inner").filter(
            nw.any_horizontal(*near, ignore_nulls=True)
        )
        # put in order here: an engine's own order may go down, by its settings
        table = self.engine.collect(wanted.select(*keys, "rank", "x", "n")).sort(*keys, "rank")
        ranks, values = (table.get_column(name).to_numpy() for name in ("rank", "x"))
        starts = _starts([table.get_column(key).to_numpy() for key in keys], len(values))
        # every group that has rows has some near to its orders
        n = table.get_column("n").to_numpy()[starts]
        # of one group after the other, so that all are looked up at once
        row = np.int64(max(1, n.max(initial=0)) + 1)
        group = np.arange(len(starts))
        places = ranks + row * np.repeat(group, np.diff(starts, append=len(values)))
        runs: list[Runs] = []
        for first, last in self._windows(n):
            a, b = (np.searchsorted(places, row * group + rank) for rank in (first, last + 1))
            check_same(self.engine, int(np.count_nonzero(b - a != last + 1 - first)), 0)
            owner, rank = _ranks(np.zeros_like(a), b - a - 1)
            runs.append(Runs(first, b - a, values[a[owner] + rank]))
        return Near(table.select(*keys)[starts], n, runs)


def _ranks(first: Array, last: Array) -> tuple[Array, Array]:
    """The groups of all ranks from ``first`` to ``last`` of each, and these ranks."""
    sizes = last - first + 1
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return owner, np.arange(len(owner)) + (first - np.cumsum(sizes) + sizes)[owner]


def _counts(which: Array, starts: Array, stops: Array) -> Array:
    """How many of each run are chosen."""
    ends = np.concatenate([[0], np.cumsum(which)])
    return ends[stops] - ends[starts]


def _filled(
    values: Array,
    first: Array,
    last: Array,
    before: Array,
    until: Array,
    start: Array,
    low: Array,
    high: Array,
) -> Runs:
    """The rows of the ranks from ``first`` to ``last`` of each group.

    Up to ``before`` they are ``low``, up to ``until`` those of ``values`` from ``start`` on, then
    ``high``.
    """
    owner, rank = _ranks(first, last)
    found = np.where(rank <= before[owner], low[owner], high[owner])
    inner = (rank > before[owner]) & (rank <= until[owner])
    found[inner] = values[((start - before - 1)[owner] + rank)[inner]]
    return Runs(first, last - first + 1, found)


def _parts(entries: list[Any], some: int) -> Iterator[list[Any]]:
    """Runs of about some of the entries, of equal length; ``_PARTS`` at most."""
    parts = max(1, min(_PARTS, -(-len(entries) // max(1, some))))
    ends = [len(entries) * i // parts for i in range(parts + 1)]
    return (entries[a:b] for a, b in pairwise(ends) if a < b)


def _among(key: nw.Expr, part: list[Any]) -> nw.Expr:
    """Rows between the first and the last of some declared entries: engines search lists slowly."""
    return (key >= part[0]) & (key <= part[-1])


def _starts(keys: Sequence[Array], size: int) -> NDArray[np.int64]:
    """Where each run of equal keys begins."""
    new = np.zeros(size, dtype=np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
