"""Parquet files of every make, and footers that say what the rows do not."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.optional import optional

ROWS = 500
"""Rows of a row group, where the writer lets one choose."""


def by_arrow(**options: Any) -> Callable[[Any, Path], None]:
    """Written by Arrow, with these options."""
    pq = optional("pyarrow.parquet")
    return lambda table, path: pq.write_table(table, path, row_group_size=ROWS, **options)


def in_order(table: Any, path: Path) -> None:
    """Said to be in the order of the first column, which it is not."""
    pq = optional("pyarrow.parquet")
    first = [pq.SortingColumn(i) for i in range(len(table.column_names))]
    pq.write_table(table, path, row_group_size=ROWS, sorting_columns=first)


def with_empty_groups(table: Any, path: Path) -> None:
    """Row groups without rows between those that have some."""
    pq = optional("pyarrow.parquet")
    with pq.ParquetWriter(path, table.schema) as writer:
        for start in range(0, len(table), ROWS):
            writer.write_table(table.slice(start, ROWS), row_group_size=ROWS)
            writer.write_table(table.slice(0, 0))


def by_polars(table: Any, path: Path) -> None:
    """Written by Polars, with all its statistics."""
    frame = optional("polars").from_arrow(table)
    frame.write_parquet(path, statistics="full", row_group_size=ROWS)


def by_duckdb(table: Any, path: Path) -> None:
    """Written by DuckDB."""
    with optional("duckdb").connect() as connection:
        connection.from_arrow(table).write_parquet(str(path), row_group_size=2048)


def wrong(table: Any, path: Path) -> None:
    """The largest and smallest numbers and texts of each row group said to be others.

    ``LARGEST`` is what the columns must have for that.
    """
    by_arrow(use_dictionary=False)(table, path)
    replace_in_footer(path, WRONG)


LARGEST: dict[str, Any] = {"x": 77.25, "f": 78.25, "k": 7000, "s": "zz7"}
WRONG = [
    (struct.pack("<d", 77.25), struct.pack("<d", 2.0)),
    (struct.pack("<f", 78.25), struct.pack("<f", 2.0)),
    (struct.pack("<q", 7000), struct.pack("<q", 3)),
    (b"zz7", b"a\0\0"),
]


def replace_in_footer(path: Path, pairs: list[tuple[bytes, bytes]]) -> None:
    """Replace bytes of a footer by as many others."""
    whole = path.read_bytes()
    start = len(whole) - 8 - struct.unpack("<I", whole[-8:-4])[0]
    footer = whole[start:]
    for old, new in pairs:
        assert len(old) == len(new)
        assert old in footer, old
        footer = footer.replace(old, new)
    path.write_bytes(whole[:start] + footer)
