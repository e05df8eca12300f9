"""The sums of a moment vector inside an engine: one row of exact sums comes back."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.frames.engines.engine import Engine, Lazy, Tally
from leastnoise.frames.engines.lattice import (
    is_whole,
    plain_number,
    present,
    reach_of,
    relative,
    rounded,
)
from leastnoise.frames.memory.vectors import totals
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.vectors import VectorRequest, VectorSummary

# Numbers Z and the limits of their lattices are below this: sums of products fit into 126 bits.
_WIDEST = 2**40


def fits_engine(frame: Lazy, columns: Sequence[str], request: VectorRequest) -> bool:
    """Whether an engine's own numbers will do: no user's function, no wide lattice."""
    schema = frame.collect_schema()
    return request.record_map is None and all(
        max(abs(lattice.low), abs(lattice.high), lattice.width) < _WIDEST
        and (not is_whole(schema[c], lattice) or _meets(schema[c], lattice))
        for c, lattice in zip(columns, request.lattices, strict=True)
    )


def _meets(dtype: DType, lattice: Lattice) -> bool:
    least, most = reach_of(dtype)
    return lattice.low <= most and least <= lattice.high


def summarise_vectors(
    engine: Engine, frame: Lazy, columns: Sequence[str], request: VectorRequest
) -> VectorSummary:
    """NOT PRIVATE. Row count and exact sums of the coordinates."""
    schema, numbers = frame.collect_schema(), dict[str, nw.Expr]()
    rows = frame
    for j, (c, lattice, fill) in enumerate(
        zip(columns, request.lattices, request.fills, strict=True)
    ):
        there = present(nw.col(c), schema[c])
        if request.missing.drops:
            rows = rows.filter(there)
        number = _whole(nw.col(c), schema[c], lattice)
        if not request.missing.drops:
            number = nw.when(there).then(number).otherwise(nw.lit(fill))
        numbers[f"z{j}"] = (2 * number - (lattice.low + lattice.high)).cast(nw.Int64)
    rows = rows.select(**numbers)
    for group in request.space.exclusive:
        rows = rows.with_columns(**_kept_first(group))
    m = len(columns)
    asked = {f"sum {j}": Tally("sum", nw.col(f"z{j}")) for j in range(m)}
    if request.space.degree > 1:
        asked |= {
            f"product {j} {k}": Tally("products", nw.col(f"z{j}"), nw.col(f"z{k}"))
            for j in range(m)
            for k in range(j + 1)
        }
    row = engine.collect(engine.tallied(rows, (), asked)).rows(named=True)[0]
    sums = [int(row[f"sum {j}"] or 0) for j in range(m)]
    products = [
        [int(row.get(f"product {max(j, k)} {min(j, k)}") or 0) for k in range(m)] for j in range(m)
    ]
    n = int(row["n"])
    return VectorSummary(n, totals(request, n, sums, products), request.units)


def _whole(column: nw.Expr, dtype: DType, lattice: Lattice) -> nw.Expr:
    """The lattice integer of a value."""
    x = plain_number(column, dtype)
    if is_whole(dtype, lattice):
        least, most = reach_of(dtype)
        return x.clip(max(lattice.low, least), min(lattice.high, most)).cast(nw.Int64)
    return rounded(relative(x.cast(nw.Float64), lattice)).cast(nw.Int64) + lattice.base


def _kept_first(group: Sequence[int]) -> dict[str, nw.Expr]:
    """Of several indicators that are 1 in a row the first one stays."""
    found: dict[str, nw.Expr] = {}
    seen: nw.Expr = nw.lit(value=False)
    for j in group:
        one = nw.col(f"z{j}") == 1
        found[f"z{j}"] = nw.when(one & seen).then(nw.lit(-1)).otherwise(nw.col(f"z{j}"))
        seen = seen | one
    return found
