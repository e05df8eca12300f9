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
Key = tuple[Any, ...]

# One row in so many is in the sample.
_SHARE = 10
# About so many values of all groups are listed at once, and about so many parts are there at most.
_LISTED, _PARTS = 1 << 24, 16
# Rows of a group that are listed beside the wanted ones, however few there are of them.
_LEAST = 64 * _SHARE
# How far around a wanted rank a bracket reaches in the sample: standard deviations, and rows.
_DEVIATIONS, _ROWS = 4.5, 8


class Near(NamedTuple):
    """NOT PRIVATE. The number of rows of a group, and for each order the first rank and the values
    of those near to it.
    """

    n: int
    runs: list[tuple[int, Array]]


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

    def of(self, frame: Lazy) -> dict[Key, Near]:
        """The answer for each group that has rows."""
        found: dict[Key, Near] = {}
        place = max(range(len(self.keys)), key=lambda i: len(self.entries[i]))
        key, column = nw.col(self.keys[place]), self.entries[place]
        entries = sorted({entry for entry in column if entry is not None})
        # groups that share an entry, times the values of one
        values = int(np.prod([len(c) for c in self.entries], dtype=object)) // max(1, len(column))
        values *= len(self.orders) * (2 * self.depth + 1) + _LEAST
        missed: set[Any] = set()
        for part in _parts(entries, _LISTED // values):
            rows = frame if len(part) == len(entries) else frame.filter(_among(key, part))
            for group, near in self._bracketed(rows):
                if near is None:
                    missed.add(group[place])
                else:
                    found[group] = near
        for part in _parts(sorted(missed), FEW // values):
            rows = frame.filter(key.is_in(part) & _among(key, part))
            found.update(self._ordered(rows))
        return found

    @property
    def _whole(self) -> int:
        """Groups of at most this many rows are listed whole: a sample of them says little."""
        return 2 * self.depth + _LEAST

    def window(self, order: tuple[int, int], n: int) -> tuple[int, int]:
        """The first and the last of the wanted ranks of n rows."""
        k = max(1, -(-order[0] * n // order[1]))
        return max(1, k - self.depth), min(n, k + self.depth)

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

    def _bracketed(self, frame: Lazy) -> Iterator[tuple[Key, Near | None]]:
        """Each group with its answer; None where the sample did not tell how to find it."""
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
        counts = table.select("n", *asked).iter_rows(named=True)
        for group, count, values in zip(
            table.select(*self.keys).rows(), counts, lists, strict=True
        ):
            yield group, self._read(count, values)

    def _read(self, counts: dict[str, Any], kept: Array | None) -> Near | None:
        check_same(self.engine, int(counts["n"]), int(counts["before"]))
        if kept is None or not counts["known"]:
            return None
        n = int(counts["n"])
        values: Array = np.sort(kept)
        runs: list[tuple[int, Array]] = []
        for i, order in enumerate(self.orders):
            low, high = counts[f"low {i}"], counts[f"high {i}"]
            below, at_low = int(counts[f"below {i}"] or 0), int(counts[f"low rows {i}"] or 0)
            at_high = 0 if low == high else int(counts[f"high rows {i}"] or 0)
            start = 0 if low is None else int(np.count_nonzero(values <= low))
            stop = len(values) if high is None else int(np.count_nonzero(values < high))
            inside = values[start:stop]
            first, last = self.window(order, n)
            before, until = below + at_low, below + at_low + len(inside)
            crossed = low is not None and high is not None and low > high
            if crossed or first <= below or last > until + at_high:
                return None
            runs.append(
                (
                    first,
                    np.concatenate(
                        [
                            _repeated(low, min(last, before) - first + 1, inside),
                            inside[max(0, first - 1 - before) : max(0, last - before)],
                            _repeated(high, last - max(first - 1, until), inside),
                        ]
                    ),
                )
            )
        return Near(n, runs)

    def _ordered(self, frame: Lazy) -> Iterator[tuple[Key, Near]]:
        """Each group with its answer: all its rows are put in order by the engine."""
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
        groups = table.select(*keys)[starts.tolist()].rows()
        # every group that has rows has some near to its orders
        counts = table.get_column("n").to_numpy()[starts].tolist()
        parts = zip(*(np.split(a, starts[1:]) for a in (ranks, values)), strict=True)
        for group, count, (places, x) in zip(groups, counts, parts, strict=False):
            runs: list[tuple[int, Array]] = []
            for order in self.orders:
                first, last = self.window(order, count)
                a, b = np.searchsorted(places, (first, last + 1)).tolist()
                check_same(self.engine, b - a, last + 1 - first)
                runs.append((first, x[a:b]))
            yield group, Near(count, runs)


def _parts(entries: list[Any], some: int) -> Iterator[list[Any]]:
    """Runs of about some of the entries, of equal length; ``_PARTS`` at most."""
    parts = max(1, min(_PARTS, -(-len(entries) // max(1, some))))
    ends = [len(entries) * i // parts for i in range(parts + 1)]
    return (entries[a:b] for a, b in pairwise(ends) if a < b)


def _among(key: nw.Expr, part: list[Any]) -> nw.Expr:
    """Rows between the first and the last of some declared entries: engines search lists slowly."""
    return (key >= part[0]) & (key <= part[-1])


def _repeated(value: Any, times: int, like: Array) -> Array:
    return np.array([value] * times, dtype=like.dtype)


def _starts(keys: Sequence[Array], size: int) -> NDArray[np.int64]:
    """Where each run of equal keys begins."""
    new = np.zeros(size, dtype=np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
