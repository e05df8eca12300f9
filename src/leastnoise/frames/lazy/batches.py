"""What engines cannot work out to the last bit: rows pass by some thousand at a time, each run of
them is summarised as a table in memory, and the summaries are merged. Memory stays bounded.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from leastnoise.frames.arrays import SequenceTable
from leastnoise.frames.dataframes import SeriesTable
from leastnoise.frames.mappings import MappingTable
from leastnoise.frames.values import Dialect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from leastnoise.frames.lazy.engines import Engine, Lazy
    from leastnoise.frames.table import Table


def tables(
    engine: Engine,
    frame: Lazy,
    names: Sequence[str],
    columns: Sequence[str],
    untyped: Collection[str],
) -> Iterator[MappingTable]:
    """NOT PRIVATE. Runs of rows as tables; ``columns`` are the names' columns in the frame."""
    for batch in engine.batches(frame.select(*dict.fromkeys(columns))):
        yield _table(batch, names, columns, untyped)


def held(
    engine: Engine,
    frame: Lazy,
    names: Sequence[str],
    columns: Sequence[str],
    untyped: Collection[str],
) -> MappingTable:
    """NOT PRIVATE. All rows of some columns, by one query: two may give them in other orders."""
    found = engine.collect(frame.select(*dict.fromkeys(columns)))
    whole = {c: found.get_column(c).to_native() for c in columns}
    return _table(whole, names, columns, untyped)


def _table(
    batch: Mapping[str, Any],
    names: Sequence[str],
    columns: Sequence[str],
    untyped: Collection[str],
) -> MappingTable:
    found: dict[str, Table] = {}
    for name, c in zip(names, columns, strict=True):
        if c in untyped:  # its type says nothing, and all of it is missing
            found[name] = SequenceTable([None] * len(batch[c]), Dialect())
        else:
            found[name] = SeriesTable(batch[c], Dialect())
    return MappingTable(found)


def merged(parts: Iterator[Any], summarise: Callable[[Any], Any], empty: Any) -> Any:
    """NOT PRIVATE. The summary of all runs together."""
    return reduce(lambda a, b: a.merge(b), map(summarise, parts), empty)
