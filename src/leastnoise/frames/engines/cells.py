"""Counts of declared cells inside an engine: one row a cell comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.frames.engines.labels import as_read
from leastnoise.frames.engines.lattice import plain_number, present
from leastnoise.frames.memory.labels import BLANKS
from leastnoise.summaries.cells import Axis, Bins, CellRequest, CellSummary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import narwhals as nw
    from narwhals.dtypes import DType

    from leastnoise.frames.engines.engine import Engine, Lazy


def summarise_cells(
    engine: Engine, frame: Lazy, columns: Sequence[str], request: CellRequest
) -> CellSummary:
    """NOT PRIVATE. Count the rows of every cell; ``columns`` are the axes' names in the frame."""
    found = cell_counts(engine, frame, columns, request, ())
    return found[()] if found else request.empty(None)


def cell_counts(
    engine: Engine,
    frame: Lazy,
    columns: Sequence[str],
    request: CellRequest,
    keys: Sequence[str],
) -> dict[tuple[Any, ...], CellSummary]:
    """NOT PRIVATE. The same by the values of key columns; none where all cells are empty."""
    import narwhals as nw

    schema: Mapping[str, DType] = frame.collect_schema()
    for i, (column, axis) in enumerate(zip(columns, request.axes, strict=True)):
        entry, known = _entry(nw.col(column), schema[column], axis)
        frame = frame.filter(known).with_columns(entry.alias(f"axis{i}"))
    names = [f"axis{i}" for i in range(len(columns))]
    found = engine.collect(frame.group_by(*keys, *names).agg(rows=nw.len()))
    positions = [
        _positions(axis, schema[column]) for column, axis in zip(columns, request.axes, strict=True)
    ]
    counts: dict[tuple[Any, ...], list[int]] = {}
    for row in found.select(*keys, *names, "rows").rows():
        key, entries, rows = row[: len(keys)], row[len(keys) : -1], row[-1]
        cell = 0
        for entry, where, axis in zip(entries, positions, request.axes, strict=True):
            cell = cell * axis.size + where[entry]
        counts.setdefault(key, [0] * request.size)[cell] += int(rows)
    return {key: CellSummary(tuple(cells)) for key, cells in counts.items()}


def _entry(column: nw.Expr, dtype: DType, axis: Axis) -> tuple[nw.Expr, nw.Expr]:
    """(what rows are grouped by, whether a row is in a cell): the same text or number as declared,
    or the position of a bin.
    """
    import narwhals as nw

    if axis.text:
        text = column.cast(nw.String).str.strip_chars(BLANKS)
        return text, ~column.is_null() & text.is_in(list(_positions(axis, dtype)))
    number, there = plain_number(column, dtype).cast(nw.Float64), present(column, dtype)
    if not isinstance(axis, Bins):
        return number, there & number.is_in(list(_positions(axis, dtype)))
    edges = axis.edges
    position: nw.Expr = nw.lit(0)
    for edge in edges[1:-1]:
        position = position + nw.when(number >= edge).then(nw.lit(1)).otherwise(nw.lit(0))
    return position, there & (number >= edges[0]) & (number <= edges[-1])


def _positions(axis: Axis, dtype: DType) -> dict[Any, int]:
    """The position of a cell by what rows are grouped by."""
    entries = range(axis.size) if isinstance(axis, Bins) else axis.labels
    return {as_read(entry, dtype): i for i, entry in enumerate(entries)}
