"""Trimmed means inside an engine: the records at the edges, and the sum of those between them."""

from __future__ import annotations

from collections.abc import Sequence

from leastnoise.frames.engines.engine import Engine, Lazy, check_same
from leastnoise.frames.engines.lattice import can_impute, is_whole, reach_of
from leastnoise.frames.engines.records import EngineRecords
from leastnoise.frames.engines.summarise import Selected, row_count
from leastnoise.summaries.lattice import MissingPolicy
from leastnoise.summaries.ordered import LEVELS, OrderedRequest, OrderedSummary


def summarise_ordered(
    engine: Engine, frame: Lazy, columns: Sequence[str], request: OrderedRequest
) -> OrderedSummary | None:
    """NOT PRIVATE. Column by column; None where the limits or an imputed point lie outside the
    column's type.
    """
    schema = frame.collect_schema()
    for name, lattice, fill in zip(columns, request.lattices, request.fills, strict=True):
        least, most = reach_of(schema[name])
        outside = lattice.low > most or lattice.high < least
        if is_whole(schema[name], lattice) and outside:
            return None
        if not can_impute(schema[name], lattice, fill):
            return None
    n = row_count(engine, frame)
    if not n:
        return request.empty(None)
    first, last = request.kept(n)
    lows: list[Sequence[int]] = []
    highs: list[Sequence[int]] = []
    sums: list[int] = []
    for name, lattice, fill in zip(columns, request.lattices, request.fills, strict=True):
        policy = MissingPolicy(f"impute {fill}", fill, float(fill * lattice.step))
        selected = Selected.of(engine, frame, name, lattice, policy, n)
        records, both = EngineRecords(selected), lattice.low + lattice.high
        check_same(engine, len(records), n)
        low, high = records.windows(
            [(max(1, first - LEVELS), first), (last, min(n, last + LEVELS))]
        )
        lows.append([2 * place - both for place in low])
        highs.append([2 * place - both for place in high])
        whole = records.total((first, low[-1]), (last, high[0]))
        sums.append(2 * whole - (last - first + 1) * both)
    return request.at_edges(n, lows, highs, sums)
