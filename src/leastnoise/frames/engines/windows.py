"""Order statistics inside an engine, so that only the wanted ranks cross.

A thin sample proposes a bracket around the wanted ranks; one pass counts what lies below every
bracket and lists the few rows inside, beside whatever else the summary adds up. A bracket that
holds too much for that is narrowed by another sample, or its rows are grouped by value and only the
values of the wanted ranks let through, with their counts; one that misses is given up. Samples
decide speed alone, the result is always exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.engines.engine import FEW, Engine, Lazy, Tally, check_same
from leastnoise.frames.memory.selection import bracket, inside_of, ranks_of
from leastnoise.summaries.lattice import Lattice

Array = NDArray[Any]
Window = tuple[int, int]

# Tables of at most so many rows are grouped whole.
SMALL = 1 << 17
# A sample has at least so many rows, a share of all, and at most so many: a bracket that it
# proposes then holds few enough rows for tables of up to 10**8.
_SAMPLE, _SHARE, _MOST = 1 << 16, 64, 1 << 20
# Rows that are looked at before a pass over rows in this process.
GLANCE = 1 << 16
# A bracket of more than FEW rows is narrowed, at most so many times.
_PASSES = 4


class Ends(NamedTuple):
    """Values low..high (None: open) and about how many rows they hold, None where nobody knows."""

    low: Any
    high: Any
    rows: int | None


@dataclass(frozen=True, slots=True)
class Bracket:
    """Values low..high (None: open), the number of rows below it and of rows inside.

    ``values`` are those inside, in any order, where the pass that counted them kept them.
    """

    low: Any
    high: Any
    below: int
    inside: int
    values: Array | None = None

    @classmethod
    def read(cls, ends: Ends, below: int, values: Array) -> Bracket:
        """A bracket whose rows are at hand."""
        return cls(ends.low, ends.high, below, len(values), values)

    @property
    def until(self) -> int:
        """The number of rows below or inside."""
        return self.below + self.inside

    def holds(self, window: Window) -> bool:
        """Whether the order statistics of these ranks lie inside."""
        return self.below < window[0] and window[1] <= self.until

    def run(self, window: Window) -> Array | None:
        """The order statistics of these ranks, where they are at hand."""
        if self.values is None or not self.holds(window):
            return None
        return ranks_of(self.values, window[0] - self.below, window[1] - self.below)


Part = tuple[Bracket, list[int]]  # a bracket, and the windows that it holds
Groups = tuple[Array, Array, Array]  # values, rows of each, rows up to and with each


def sample_size(rows: int) -> int:
    """How many rows a thin sample has."""
    return max(_SAMPLE, min(_MOST, rows // _SHARE))


def thin_sample(engine: Engine, frame: Lazy, rows: int) -> Array:
    """Some thousand values of column x in ascending order, none if the engine finds none."""
    thin = engine.collect(engine.sample(frame, sample_size(rows), max(1, rows)))
    return sorted_numbers(thin.get_column("x").to_numpy())


def sorted_numbers(values: Array) -> Array:
    """The values in ascending order, without NaN."""
    found: Array = np.sort(values)
    return found[: len(found) - int(np.count_nonzero(np.isnan(found)))]


def _ends(sample: Array, n: int, low: Any, high: Any) -> Ends:
    """Ends between which a sample of n rows expects some."""
    rows = len(inside_of(sample, low, high)) * n // len(sample)
    first, last = (None if end is None else end.item() for end in (low, high))
    return Ends(first, last, rows)


def proposal(sample: Array, n: int, window: Window) -> Ends:
    """Values that very likely enclose the ranks of a window; open ends if nothing is known."""
    if not len(sample):
        return Ends(None, None, n)
    return _ends(sample, n, *bracket(sample, n, *window))


def around_mean(sample: Array, n: int, lattice: Lattice, depth: int) -> Ends:
    """A bracket that very likely encloses the mean, however ``depth`` records change, and
    ``depth`` records on either side.
    """
    m = len(sample)
    if not m or depth >= n:
        return Ends(None, None, n)
    low, high = (float(end * lattice.step) for end in (lattice.low, lattice.high))
    inside = np.clip(sample.astype(np.float64), low, high)
    with np.errstate(all="ignore"):  # what overflows finds no bracket, and rows are counted again
        mean, room = float(inside.mean()), 6 * float(inside.std()) / sqrt(m)
    room += 2 * depth / n * (high - low)
    slack = int(depth / n * m + 5 * sqrt(depth / n * m + 1)) + 10
    start = int(np.searchsorted(sample, mean - room, side="left")) - slack
    stop = int(np.searchsorted(sample, mean + room, side="right")) + slack
    return _ends(
        sample, n, None if start < 0 else sample[start], None if stop >= m else sample[stop]
    )


def are_few(ends: Sequence[Ends]) -> list[bool]:
    """Which brackets hold so few rows that those may be kept as they pass by."""
    room, few = 3 * FEW // 4, [False] * len(ends)
    known = sorted((e.rows, i) for i, e in enumerate(ends) if e.rows is not None)
    for rows, i in known:
        room -= rows
        few[i] = room >= 0
    return few


def count_brackets(
    engine: Engine, frame: Lazy, ends: Sequence[Ends], more: Mapping[str, Tally]
) -> tuple[list[Bracket], dict[str, int]]:
    """One pass: the rows below and inside of every bracket, and other sums, "n" among them.

    Where few rows are expected inside they come along.
    """
    x, few = nw.col("x"), are_few(ends)
    asked = dict(more)
    for i, (low, high, _) in enumerate(ends):
        if low is not None and not (few[i] and high is None):
            asked[f"below {i}"] = Tally("rows", x < low)
        if high is not None and not few[i]:
            asked[f"until {i}"] = Tally("rows", x <= high)
    kept = [e for e, is_few in zip(ends, few, strict=True) if is_few]
    table = engine.collect(engine.tallied(frame, (), asked, within_any(kept) if kept else None))
    row = table.select("n", *asked).rows(named=True)[0]
    counts = {name: int(count or 0) for name, count in row.items()}
    lists = engine.lists(table.get_column("kept")) if kept else None
    values = lists.values if lists is not None and lists.there[0] else None
    if kept and values is None:  # many more than the sample told
        return count_brackets(engine, frame, [e._replace(rows=None) for e in ends], more)
    found: list[Bracket] = []
    for i, e in enumerate(ends):
        below = counts.get(f"below {i}", 0)
        if few[i] and values is not None:
            inside = inside_of(values, e.low, e.high)
            below = counts["n"] - len(inside) if e.high is None else below
            found.append(Bracket.read(e, below if e.low is not None else 0, inside))
        else:
            until = counts.get(f"until {i}", counts["n"])
            found.append(Bracket(e.low, e.high, below, until - below))
    return found, counts


def ranked_runs(
    engine: Engine,
    frame: Lazy,
    n: int,
    windows: Sequence[Window],
    known: Sequence[Bracket] | None = None,
    copies: int | None = None,
) -> list[Array]:
    """For each (first, last), 1 <= first <= last <= n: the order statistics of those ranks.

    ``frame`` has one column x without missing values and ``n`` rows; ``known`` are brackets that
    have been counted, one a window. The runs are in the type of x. With ``copies`` a value that
    is repeated more often than copies + 1 times is given so many times.
    """
    whole = Bracket(None, None, 0, n)
    held = [
        b if b.holds(w) else whole
        for b, w in zip(known or [whole] * len(windows), windows, strict=True)
    ]
    for _ in range(_PASSES):
        wide = [i for i, b in enumerate(held) if b.inside > FEW and b.values is None]
        if not wide:
            break
        ends = [_narrower(engine, frame, held[i], windows[i]) for i in wide]
        counted, counts = count_brackets(engine, frame, ends, {})
        check_same(engine, counts["n"], n)
        better = [
            (i, b)
            for i, b in zip(wide, counted, strict=True)
            if b.holds(windows[i]) and b.inside < held[i].inside
        ]
        if not better:  # ties, or an unlucky sample: grouping is exact whatever it meets
            break
        for i, b in better:
            held[i] = b
    runs: dict[int, Array] = {}
    left: list[int] = []
    for i, (b, w) in enumerate(zip(held, windows, strict=True)):
        run = b.run(w)
        if run is None:
            left.append(i)
        else:
            runs[i] = run
    if left:
        rest = [held[i] for i in left], [windows[i] for i in left]
        found = _collect(engine, frame, *rest, copies)
        runs.update(zip(left, found, strict=True))
    return [runs[i] for i in range(len(windows))]


def _narrower(engine: Engine, frame: Lazy, old: Bracket, window: Window) -> Ends:
    """A narrower bracket around a window, from a sample of the old bracket."""
    sample = thin_sample(engine, _inside(frame, [old]), old.inside)
    found = proposal(sample, old.inside, (window[0] - old.below, window[1] - old.below))
    low = old.low if found.low is None else found.low
    return Ends(low, old.high if found.high is None else found.high, found.rows)


def _inside(frame: Lazy, brackets: Sequence[Bracket]) -> Lazy:
    """The rows inside any of some brackets."""
    if any(b.low is None and b.high is None for b in brackets):
        return frame
    return frame.filter(within_any(brackets))


def within_any(brackets: Sequence[Bracket | Ends]) -> nw.Expr:
    """The rows inside any of some brackets."""
    return _any([_within(b.low, b.high) for b in brackets])


def _any(conditions: Sequence[nw.Expr]) -> nw.Expr:
    return nw.any_horizontal(*conditions, ignore_nulls=True)


def _within(low: Any, high: Any) -> nw.Expr:
    x = nw.col("x")
    if low is None:
        return nw.lit(value=True) if high is None else x <= high
    return x >= low if high is None else x.is_between(low, high)


def _collect(
    engine: Engine,
    frame: Lazy,
    held: Sequence[Bracket],
    windows: Sequence[Window],
    copies: int | None,
) -> list[Array]:
    """The wanted ranks: few rows are read as they are, many are grouped in the engine first."""
    runs: dict[int, Array] = {}
    joined = _joined(held)
    for read in (_read, _grouped):
        mine = [(b, members) for b, members in joined if (b.inside <= FEW) == (read is _read)]
        if not mine:
            continue
        x, rows, until = read(engine, frame, mine, windows)
        seen = 0
        for b, members in mine:
            here = (until > seen) & (until <= seen + b.inside)
            last = until[here] + (b.below - seen)
            seen += b.inside
            for i in members:
                times = _copies(last - rows[here], last, windows[i])
                check_same(engine, int(times.sum()), windows[i][1] - windows[i][0] + 1)
                most = None if copies is None else copies + 1
                runs[i] = np.repeat(x[here], np.clip(times, 0, most))
    return [runs[i] for i in range(len(windows))]


def _read(engine: Engine, frame: Lazy, parts: Sequence[Part], windows: Sequence[Window]) -> Groups:
    """All rows inside of some small brackets, in ascending order."""
    found = engine.collect(_inside(frame, [b for b, _ in parts]))
    x = np.sort(found.get_column("x").to_numpy())
    return x, np.ones(len(x), dtype=np.int64), np.arange(1, len(x) + 1)


def _grouped(
    engine: Engine, frame: Lazy, parts: Sequence[Part], windows: Sequence[Window]
) -> Groups:
    """The values that hold the wanted ranks, each with its number of rows."""
    until, rows = nw.col("until"), nw.col("rows")
    values = _inside(frame, [b for b, _ in parts]).group_by("x").agg(rows=nw.len())
    values = values.with_columns(until=rows.cum_sum().over(order_by="x").cast(nw.Int64))
    wanted: list[nw.Expr] = []
    seen = 0
    for b, members in parts:
        outside = b.below - seen  # rows below this bracket and in none of the others
        seen += b.inside
        first = min(windows[i][0] for i in members) - outside
        last = max(windows[i][1] for i in members) - outside
        wanted.append((until >= first) & (until - rows < last))
    # put in order here: an engine's own order may go down, by its settings
    table = engine.collect(values.filter(_any(wanted))).sort("x")
    counts = [
        np.array([int(count) for count in table.get_column(name).to_list()], dtype=np.int64)
        for name in ("rows", "until")
    ]
    return table.get_column("x").to_numpy(), counts[0], counts[1]


def _joined(held: Sequence[Bracket]) -> list[Part]:
    """Brackets that share values are joined, so that no row is read twice: in ascending order."""
    joined: list[Part] = []
    for i in sorted(range(len(held)), key=lambda i: (held[i].below, held[i].low is not None)):
        b = held[i]
        if joined:
            a, members = joined[-1]
            if b.below < a.until or a.high is None or b.low is None or b.low <= a.high:
                far = a if a.until >= b.until else b
                both = Bracket(a.low, far.high, a.below, max(a.until, b.until) - a.below)
                joined[-1] = (both, [*members, i])
                continue
        joined.append((b, [i]))
    return joined


def _copies(before: Array, until: Array, window: Window) -> Array:
    """How many of a window's ranks are each value's, which holds the ranks before+1..until."""
    counts: Array = np.minimum(until, window[1]) - np.maximum(before, window[0] - 1)
    return np.maximum(counts, 0)
