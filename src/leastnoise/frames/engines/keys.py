"""The counts of a column's entries inside an engine: one row an entry comes back.

Of persons with several entries, one row an entry and number of entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.frames.engines.conditions import Entry
from leastnoise.frames.engines.engine import Engine, Lazy
from leastnoise.summaries.keys import HolderSummary, KeySummary


def summarise_keys(
    engine: Engine,
    frame: Lazy,
    key: tuple[nw.Expr, DType],
    person: tuple[nw.Expr, DType] | None,
) -> KeySummary:
    """NOT PRIVATE. The rows, or persons, of each entry; missing and infinite ones are not keys."""
    entry, rows = _rows(frame, key, person)
    table = engine.collect(engine.tallied(rows.select("key"), ["key"], {}))
    counts: list[int] = table.get_column("n").to_list()
    keys = _keys(entry, table)
    return KeySummary({k: n for k, n in zip(keys, counts, strict=True) if k is not None})


def summarise_holders(
    engine: Engine,
    frame: Lazy,
    key: tuple[nw.Expr, DType],
    person: tuple[nw.Expr, DType],
    shown: Sequence[str | int | float],
) -> HolderSummary:
    """NOT PRIVATE. The persons of each entry that was not shown, by how many of these they have."""
    entry, rows = _rows(frame, key, person)
    if shown:
        rows = rows.filter(~nw.col("key").is_in(list(shown)))
    held = rows.with_columns(held=nw.len().over("person").cast(nw.Int64))
    table = engine.collect(engine.tallied(held.select("key", "held"), ["key", "held"], {}))
    found: dict[Any, dict[int, int]] = {}
    sizes: list[int] = table.get_column("held").to_list()
    counts: list[int] = table.get_column("n").to_list()
    for name, size, n in zip(_keys(entry, table), sizes, counts, strict=True):
        if name is not None:
            found.setdefault(name, {})[size] = n
    return HolderSummary(found)


def _rows(
    frame: Lazy, key: tuple[nw.Expr, DType], person: tuple[nw.Expr, DType] | None
) -> tuple[Entry, Lazy]:
    """The entries of all rows, or of each person once."""
    entry = Entry.of(*key)
    value, there = entry.value, entry.there
    if not (entry.text or entry.whole):
        value, there = value + 0.0, there & (value.abs() < float("inf"))
    columns: dict[str, nw.Expr] = {"key": value}
    if person is not None:
        owner = Entry.apart(*person)
        there, columns["person"] = there & owner.there, owner.value
    rows = frame.filter(there).select(**columns)
    return entry, rows if person is None else rows.unique()


def _keys(entry: Entry, table: nw.DataFrame[Any]) -> list[Any]:
    """The column "key" as plain values; None for anything else."""
    names = table.get_column("key")
    plain: Any = _text
    if entry.text:
        names = names.cast(nw.Binary())
    else:
        plain = int if entry.whole else float
    return [plain(name) for name in names.to_list()]


def _text(entry: bytes) -> str | None:
    """Bytes that are not UTF-8, which Polars takes for text, are not a key."""
    try:
        return entry.decode()
    except UnicodeDecodeError:
        return None
