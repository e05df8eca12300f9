"""What engines cannot work out to the last bit: rows pass by some thousand at a time, each run of
them is summarised as a table in memory, and the summaries are merged. Memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from leastnoise.frames.engines.engine import Engine, Lazy
from leastnoise.frames.memory.table import BareTable, NamedTable, sequence_table
from leastnoise.frames.readers.dataframes import open_series
from leastnoise.frames.readers.values import Dialect


def tables(
    engine: Engine,
    frame: Lazy,
    names: Sequence[str],
    columns: Sequence[str],
    untyped: Collection[str],
) -> Iterator[NamedTable]:
    """NOT PRIVATE. Runs of rows as tables; ``columns`` are the names' columns in the frame."""
    for batch in engine.batches(_select(frame, columns)):
        yield _table(batch, names, columns, untyped)


def held(
    engine: Engine,
    frame: Lazy,
    names: Sequence[str],
    columns: Sequence[str],
    untyped: Collection[str],
) -> NamedTable:
    """NOT PRIVATE. All rows of some columns, by one query: two may give them in other orders."""
    return held_table(engine.collect(_select(frame, columns)), names, columns, untyped)


def held_table(
    found: Any, names: Sequence[str], columns: Sequence[str], untyped: Collection[str]
) -> NamedTable:
    """NOT PRIVATE. Some columns of rows that have been collected."""
    whole = {c: found.get_column(c).to_native() for c in columns}
    return _table(whole, names, columns, untyped)


def _select(frame: Lazy, columns: Sequence[str]) -> Lazy:
    """Each column once."""
    return frame.select(*dict.fromkeys(columns))


def _table(
    batch: Mapping[str, Any],
    names: Sequence[str],
    columns: Sequence[str],
    untyped: Collection[str],
) -> NamedTable:
    found: dict[str, BareTable] = {}
    for name, c in zip(names, columns, strict=True):
        if c in untyped:  # its type says nothing, and all of it is missing
            found[name] = sequence_table([None] * len(batch[c]))
        else:
            found[name] = open_series(batch[c], Dialect())
    return NamedTable.of(found)


def merged(parts: Iterator[Any], summarise: Callable[[Any], Any], empty: Any) -> Any:
    """NOT PRIVATE. The summary of all runs together."""
    return reduce(lambda a, b: a.merge(b), map(summarise, parts), empty)
