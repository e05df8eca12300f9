"""The counts of a column's entries inside an engine: one row an entry comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.frames.engines.conditions import Entry
from leastnoise.summaries.keys import KeySummary

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.dtypes import DType

    from leastnoise.frames.engines.engine import Engine, Lazy


def summarise_keys(
    engine: Engine,
    frame: Lazy,
    key: tuple[nw.Expr, DType],
    person: tuple[nw.Expr, DType] | None,
) -> KeySummary:
    """NOT PRIVATE. The rows of each entry, or its persons; a missing or infinite one is no key."""

    entry = Entry.of(*key)
    value, there = entry.value, entry.there
    if not (entry.text or entry.whole):
        value, there = value + 0.0, there & (value.abs() < float("inf"))
    columns: dict[str, nw.Expr] = {"key": value}
    if person is not None:
        owner = Entry.apart(*person)
        there, columns["person"] = there & owner.there, owner.value
    rows = frame.filter(there).select(**columns)
    if person is not None:
        rows = rows.unique()
    table = engine.collect(engine.tallied(rows.select("key"), ["key"], {}))
    plain: Any = str if entry.text else int if entry.whole else float
    return KeySummary({plain(name): int(n) for name, n in table.select("key", "n").rows()})
