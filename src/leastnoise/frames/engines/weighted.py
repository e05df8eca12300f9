"""A weighted quantile inside an engine: the values at which the weight reaches some numbers.

Rows count in order of their values; those at which the weight so far passes one of the wanted sums
are all that a profile tells apart. A thin sample proposes values that enclose them, one pass adds
up the weight below and counts the rows inside, and only there rows are put in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.engines.edges import cell
from leastnoise.frames.engines.engine import FEW, Engine, Lazy, Tally, check_same
from leastnoise.frames.engines.lattice import clipped, is_whole, plain_number, present, rounded
from leastnoise.frames.engines.windows import SMALL, sample_size
from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary

Array = NDArray[Any]

# Sums that one query compares the weights with.
_AT_ONCE = 1 << 11


def summarise_weighted(
    engine: Engine, frame: Lazy, columns: Sequence[str], request: WeightedRequest, depth: int
) -> WeightedSummary:
    """NOT PRIVATE. The values at which the weight passes the sums that the depth asks for."""
    rows = _rows(frame, columns, request)
    n, total, _, _ = _added(engine, rows, None, None)
    wanted = request.sums(total, depth)
    low, high = _proposal(engine, rows, n, total, wanted)
    _, again, below, inside = _added(engine, rows, low, high)
    check_same(engine, again, total)
    x = nw.col("x")
    within = rows
    passed = high is None or below + inside[1] > wanted[-1]
    if below > max(0, wanted[0]) or not passed:  # the sample misled
        below, inside = 0, (n, total)
    else:
        within = rows if low is None else rows.filter(x >= low)
        within = within if high is None else within.filter(x <= high)
    if inside[0] <= FEW:
        values, sums = _read(engine, within, inside[0])
    else:
        values, sums = _grouped(engine, within, [max(-1, s - below) for s in wanted])
    places = request.lattice.quantise(values)
    return WeightedSummary(request.lattice, request.most, places, sums + below, total, depth)


def _rows(frame: Lazy, columns: Sequence[str], request: WeightedRequest) -> Lazy:
    """Values x and whole weights w > 0 of the rows that count."""
    schema = frame.collect_schema()
    (value, kind), (weight, other) = ((nw.col(c), schema[c]) for c in columns)
    number = plain_number(weight, other).cast(nw.Float64)
    grain, most = float(request.grain), float(request.most)
    scaled = clipped(number, 0.0, grain * (most + 1)) * (1 / grain)
    x = plain_number(value, kind)
    if not is_whole(kind, request.lattice):
        x = x.cast(nw.Float64) + 0.0  # the two zeros are one value
    rows = frame.filter(present(value, kind)).filter(present(weight, other))
    rows = rows.select(x=x, w=clipped(rounded(scaled), 0.0, most).cast(nw.Int64))
    return rows.filter(nw.col("w") > 0)


def _added(
    engine: Engine, rows: Lazy, low: Any, high: Any
) -> tuple[int, int, int, tuple[int, int]]:
    """(rows, weight, weight below a bracket, (rows, weight) inside)."""
    x, w = nw.col("x"), nw.col("w")
    nothing = nw.lit(0, nw.Int64)
    asked = {"weight": Tally("sum", w)}
    if low is not None:
        asked["rows below"] = Tally("rows", x < low)
        asked["below"] = Tally("sum", nw.when(x < low).then(w).otherwise(nothing))
    if high is not None:
        asked["rows above"] = Tally("rows", x > high)
        asked["above"] = Tally("sum", nw.when(x > high).then(w).otherwise(nothing))
    found = engine.collect(engine.tallied(rows, (), asked)).rows(named=True)[0]
    counts = {name: int(count or 0) for name, count in found.items()}
    below, above = counts.get("below", 0), counts.get("above", 0)
    n, total = counts["n"], counts["weight"]
    inside = n - counts.get("rows below", 0) - counts.get("rows above", 0)
    return n, total, below, (inside, total - below - above)


def _proposal(
    engine: Engine, rows: Lazy, n: int, total: int, wanted: Sequence[int]
) -> tuple[Any, Any]:
    """Values that very likely enclose those at which the weight passes the wanted sums."""
    if n <= SMALL:
        return None, None
    thin = engine.collect(engine.sample(rows, sample_size(n), n))
    x, w = (thin.get_column(name).to_numpy() for name in ("x", "w"))
    if not len(x):
        return None, None
    order = np.argsort(x, kind="stable")
    x, shares = x[order], w[order].astype(np.float64)
    slack = 3 * sqrt(float((shares**2).sum())) / float(shares.sum()) + 2 / len(x)
    shares = np.cumsum(shares) / shares.sum()
    start = int(np.searchsorted(shares, max(0, wanted[0]) / total - slack)) - 1
    stop = int(np.searchsorted(shares, wanted[-1] / total + slack)) + 1
    return (
        None if start < 0 else x[start].item(),
        None if stop >= len(x) else x[stop].item(),
    )


def _read(engine: Engine, rows: Lazy, n: int) -> tuple[Array, Array]:
    """All rows, by value, and the weight up to each."""
    found = engine.collect(rows)
    x, w = (found.get_column(name).to_numpy() for name in ("x", "w"))
    check_same(engine, len(x), n)
    order = np.argsort(x, kind="stable")
    return x[order], np.cumsum(w[order].astype(np.int64))


def _grouped(engine: Engine, rows: Lazy, wanted: Sequence[int]) -> tuple[Array, Array]:
    """The first value at which the weight passes each wanted sum, and the weight up to it."""
    sums = engine.tallied(rows, ["x"], {"w": Tally("sum", nw.col("w"))})
    until = nw.col("w").cast(nw.Int64).cum_sum().over(order_by="x").cast(nw.Int64)
    ordered = sums.select("x", until=until)
    found: dict[int, Any] = {}
    edges = sorted({s + 1 for s in wanted})  # passing a sum is reaching the next whole number
    for start in range(0, len(edges), _AT_ONCE):
        some = edges[start : start + _AT_ONCE]
        passed = ordered.with_columns(cell=cell("until", some))
        first = passed.group_by("cell").agg(x=nw.col("x").min(), until=nw.col("until").min())
        table = engine.collect(first.filter(nw.col("cell") > 0))
        found.update({int(until): x for x, until in table.select("x", "until").rows()})
    order = sorted(found)
    return np.array([found[until] for until in order]), np.array(order, dtype=np.int64)
