"""Order statistics inside an engine, so that only the wanted ranks cross.

A thin sample proposes a bracket around the wanted ranks; one pass counts what lies below and inside
every bracket, beside whatever else the summary adds up; a second groups what lies inside by value
and lets only the values of the wanted ranks through, with their counts. A bracket that misses is
given up, one that holds too much is narrowed by another sample: samples decide speed alone, the
result is always exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.selection import bracket
from leastnoise.summaries.lattice import Lattice

if TYPE_CHECKING:
    import narwhals as nw

    from leastnoise.frames.lazy.engines import Engine, Lazy

Array = NDArray[Any]
Window = tuple[int, int]
Ends = tuple[Any, Any]

# Tables of at most so many rows are grouped whole.
SMALL = 1 << 17
# A sample has at least so many rows, a share of all, and at most so many: a bracket that it
# proposes then holds few enough rows for tables of up to 10**8.
_SAMPLE, _SHARE, _MOST = 1 << 16, 64, 1 << 20
# Rows of a bracket that are read as they are; a wider bracket is narrowed, at most so many times.
FEW, _PASSES = 1 << 20, 4


@dataclass(frozen=True, slots=True)
class Bracket:
    """Values low..high (None: open), the number of rows below it and of rows inside."""

    low: Any
    high: Any
    below: int
    inside: int

    @property
    def until(self) -> int:
        """The number of rows below or inside."""
        return self.below + self.inside

    def holds(self, window: Window) -> bool:
        """Whether the order statistics of these ranks lie inside."""
        return self.below < window[0] and window[1] <= self.until


Part = tuple[Bracket, list[int]]  # a bracket, and the windows that it holds
Groups = tuple[Array, Array, Array]  # values, rows of each, rows up to and with each


def thin_sample(engine: Engine, frame: Lazy, rows: int) -> Array:
    """Some thousand values of column x in ascending order, none if the engine finds none."""
    size = max(_SAMPLE, min(_MOST, rows // _SHARE))
    thin = engine.collect(engine.sample(frame, size, max(1, rows)))
    return np.sort(thin.get_column("x").to_numpy())


def proposal(sample: Array, n: int, window: Window) -> Ends:
    """Values that very likely enclose the ranks of a window; open ends if nothing is known."""
    if not len(sample):
        return None, None
    low, high = bracket(sample, n, *window)
    return None if low is None else low.item(), None if high is None else high.item()


def around_mean(sample: Array, n: int, lattice: Lattice, depth: int) -> Ends:
    """A bracket that very likely encloses the mean, however ``depth`` records change, and
    ``depth`` records on either side.
    """
    m = len(sample)
    if not m or depth >= n:
        return None, None
    low, high = (float(end * lattice.step) for end in (lattice.low, lattice.high))
    inside = np.clip(sample.astype(np.float64), low, high)
    mean, room = float(inside.mean()), 6 * float(inside.std()) / sqrt(m)
    room += 2 * depth / n * (high - low)
    slack = int(depth / n * m + 5 * sqrt(depth / n * m + 1)) + 10
    start = int(np.searchsorted(sample, mean - room, side="left")) - slack
    stop = int(np.searchsorted(sample, mean + room, side="right")) + slack
    return (
        None if start < 0 else sample[start].item(),
        None if stop >= m else sample[stop].item(),
    )


def count_brackets(
    engine: Engine, frame: Lazy, ends: Sequence[Ends], more: Mapping[str, nw.Expr]
) -> tuple[list[Bracket], dict[str, int]]:
    """One pass: the rows below and inside of every bracket, and other sums, "n" among them."""
    import narwhals as nw

    def rows(condition: nw.Expr) -> nw.Expr:
        return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).sum()

    x = nw.col("x")
    asked: dict[str, nw.Expr] = {"n": nw.len(), **more}
    for i, (low, high) in enumerate(ends):
        if low is not None:
            asked[f"below {i}"] = rows(x < low)
        if high is not None:
            asked[f"until {i}"] = rows(x <= high)
    row = engine.collect(frame.select(**asked)).rows(named=True)[0]
    counts = {name: int(count or 0) for name, count in row.items()}
    found: list[Bracket] = []
    for i, (low, high) in enumerate(ends):
        below, until = counts.get(f"below {i}", 0), counts.get(f"until {i}", counts["n"])
        found.append(Bracket(low, high, below, until - below))
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
        wide = [i for i, b in enumerate(held) if b.inside > FEW]
        if not wide:
            break
        ends = [_narrower(engine, frame, held[i], windows[i]) for i in wide]
        counted, _ = count_brackets(engine, frame, ends, {})
        better = [
            (i, b)
            for i, b in zip(wide, counted, strict=True)
            if b.holds(windows[i]) and b.inside < held[i].inside
        ]
        if not better:  # ties, or an unlucky sample: grouping is exact whatever it meets
            break
        for i, b in better:
            held[i] = b
    return _collect(engine, frame, held, windows, copies)


def _narrower(engine: Engine, frame: Lazy, old: Bracket, window: Window) -> Ends:
    """A narrower bracket around a window, from a sample of the old bracket."""
    sample = thin_sample(engine, _inside(frame, [old]), old.inside)
    low, high = proposal(sample, old.inside, (window[0] - old.below, window[1] - old.below))
    return old.low if low is None else low, old.high if high is None else high


def _inside(frame: Lazy, brackets: Sequence[Bracket]) -> Lazy:
    """The rows inside any of some brackets."""
    if any(b.low is None and b.high is None for b in brackets):
        return frame
    return frame.filter(_any([_within(b) for b in brackets]))


def _any(conditions: Sequence[nw.Expr]) -> nw.Expr:
    import narwhals as nw

    return nw.any_horizontal(*conditions, ignore_nulls=True)


def _within(b: Bracket) -> nw.Expr:
    import narwhals as nw

    x = nw.col("x")
    if b.low is None:
        return x <= b.high
    return x >= b.low if b.high is None else x.is_between(b.low, b.high)


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
                runs[i] = _spread(x[here], last - rows[here], last, windows[i], copies)
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
    import narwhals as nw

    until, rows = nw.col("until"), nw.col("rows")
    values = _inside(frame, [b for b, _ in parts]).group_by("x").agg(rows=nw.len())
    values = values.with_columns(until=rows.cum_sum().over(order_by="x"))
    wanted: list[nw.Expr] = []
    seen = 0
    for b, members in parts:
        outside = b.below - seen  # rows below this bracket and in none of the others
        seen += b.inside
        first = min(windows[i][0] for i in members) - outside
        last = max(windows[i][1] for i in members) - outside
        wanted.append((until >= first) & (until - rows < last))
    table = engine.collect(values.filter(_any(wanted)).sort("x"))
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


def _spread(x: Array, before: Array, until: Array, window: Window, copies: int | None) -> Array:
    """The order statistics of a window's ranks; each value holds the ranks before+1..until."""
    counts = np.minimum(until, window[1]) - np.maximum(before, window[0] - 1)
    return np.repeat(x, np.clip(counts, 0, copies if copies is None else copies + 1))
