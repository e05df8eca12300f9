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
    import narwhals as nw

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
    names = table.get_column("key")
    plain: Any = _text
    if entry.text:
        names = names.cast(nw.Binary())
    else:
        plain = int if entry.whole else float
    keys: list[Any] = [plain(name) for name in names.to_list()]
    counts: list[int] = table.get_column("n").to_list()
    return KeySummary({k: n for k, n in zip(keys, counts, strict=True) if k is not None})


def _text(entry: bytes) -> str | None:
    """Bytes that are no UTF-8, which Polars believes to be text, are no key."""
    try:
        return entry.decode()
    except UnicodeDecodeError:
        return None
