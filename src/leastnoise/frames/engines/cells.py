"""Counts of declared cells inside an engine: one row a cell comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.frames.engines.conditions import Entry, is_one_of
from leastnoise.frames.engines.engine import Engine, Lazy
from leastnoise.frames.engines.lattice import plain_number, present
from leastnoise.summaries.cells import Axis, Bins, CellRequest, CellSummary
from leastnoise.summaries.pairs import exact


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
    schema: Mapping[str, DType] = frame.collect_schema()
    positions: list[Mapping[Any, int]] = []
    for i, (column, axis) in enumerate(zip(columns, request.axes, strict=True)):
        entry, known, places = _axis(nw.col(column), schema[column], axis)
        frame = frame.filter(known).with_columns(entry.alias(f"axis{i}"))
        positions.append(places)
    names = [f"axis{i}" for i in range(len(columns))]
    found = engine.collect(frame.group_by(*keys, *names).agg(rows=nw.len()))
    counts: dict[tuple[Any, ...], list[int]] = {}
    for row in found.select(*keys, *names, "rows").rows():
        key, entries, rows = row[: len(keys)], row[len(keys) : -1], row[-1]
        cell = 0
        for entry, where, axis in zip(entries, positions, request.axes, strict=True):
            cell = cell * axis.size + where[entry]
        counts.setdefault(key, [0] * request.size)[cell] += int(rows)
    return {key: CellSummary(tuple(cells)) for key, cells in counts.items()}


def _axis(column: nw.Expr, dtype: DType, axis: Axis) -> tuple[nw.Expr, nw.Expr, Mapping[Any, int]]:
    """(what rows are grouped by, whether a row is in a cell, the cell's position by the former):
    the entry that is equal to a label, or the position of a bin.
    """
    if not isinstance(axis, Bins):
        entry, labels = Entry.of(column, dtype), exact(axis.labels)
        places = {entry.plain(label): i for i, label in enumerate(labels)}
        return entry.value, is_one_of(entry, labels), places
    edges, number = axis.edges, plain_number(column, dtype).cast(nw.Float64)
    position: nw.Expr = nw.lit(0)
    for edge in edges[1:-1]:
        position = position + nw.when(number >= edge).then(nw.lit(1)).otherwise(nw.lit(0))
    known = present(column, dtype) & (number >= edges[0]) & (number <= edges[-1])
    return position, known, {i: i for i in range(axis.size)}
