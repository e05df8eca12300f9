"""Text files and Parquet files, by each library that reads them."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from leastnoise.testing import ColumnKind, FrontEnd, entries
from support.front_ends import arrow
from support.front_ends.memory import FLOATS, TEXTS
from support.optional import optional

_FOLDER = tempfile.TemporaryDirectory(prefix="rows")
Writer = Callable[[dict[str, Any], Path], object]


def placed(name: str, write: Callable[[Path], object]) -> Path:
    """A file of always the same name, never changed in place: a reader may hold the one before."""
    path = Path(_FOLDER.name) / name
    write(Path(f"{path}.new"))
    os.replace(f"{path}.new", path)
    return path


# --- text -------------------------------------------------------------------------------------


def _field(entry: Any, separator: str, *, always: bool) -> str:
    if entry is None:
        return ""
    text = entry if isinstance(entry, str) else repr(entry)
    if always or any(sign in text for sign in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _text_kinds(separator: str) -> list[ColumnKind]:
    def written(name: str, draw: Any, *, always: bool = False) -> ColumnKind:
        def column(xs: list[Any]) -> list[str]:
            return [_field(x, separator, always=always) for x in xs]

        return ColumnKind(name, column, entries.or_missing(draw))

    return [
        written("texts", TEXTS),
        written("quoted texts", TEXTS, always=True),
        written("long texts", entries.or_missing(entries.long_texts(), 0.6)),
        written("numbers", FLOATS),
        written("times", lambda random: str(entries.times()(random))),
        written("integers", entries.integers(-(2**64), 2**64)),
    ]


def text_file(
    name: str,
    *,
    suffix: str = ".csv",
    separator: str = ",",
    encoding: str = "utf-8",
    end: str = "\n",
    last: bool = True,
    mark: bool = True,
    **options: Any,
) -> FrontEnd:
    """A file as a writer of CSV writes it; ``options`` say how it is read."""
    header = options.get("header", True)

    def write(columns: dict[str, Any], path: Path) -> None:
        lines = [separator.join(columns)] if header else []
        lines += [separator.join(row) for row in zip(*columns.values(), strict=True)]
        # names without a line end may be anything (docs/known-vulnerabilities.md)
        # a line of nothing is a row only by its end
        ended = lines and (last or not lines[-1] or (header and len(lines) == 1))
        raw = (end.join(lines) + (end if ended else "")).encode(
            encoding if mark else f"{encoding}-le"
        )
        path.write_bytes(gzip.compress(raw, 1) if suffix.endswith(".gz") else raw)

    options |= {} if encoding == "utf-8" else {"encoding": encoding}
    options |= {} if separator in ",\t" else {"separator": separator}
    names = ("a", "b", "c") if header else ("column_1", "column_2", "column_3")
    return FrontEnd(
        name,
        _text_kinds(separator),
        lambda columns: placed(f"t{suffix}", lambda path: write(columns, path)),
        bare=False,
        options=options,
        names=names,
    )


_TEXT_FILES: dict[str, dict[str, Any]] = {
    "csv": {},
    "csv without a last line end": {"last": False},
    "csv.gz": {"suffix": ".csv.gz"},
    "tsv": {"suffix": ".tsv", "separator": "\t"},
    "csv of Windows": {"end": "\r\n", "encoding": "utf-8-sig"},
    "csv without a header": {"header": False},
    "csv with semicolons": {"separator": ";", "decimal": ","},
    "csv in latin-1": {"encoding": "latin-1"},
    "csv in utf-16": {"encoding": "utf-16"},
    "csv in utf-16 without a mark": {"encoding": "utf-16", "mark": False, "header": False},
    "csv in shift_jis": {"encoding": "shift_jis"},
    "csv with comments": {"comment": "#"},
}


# --- Parquet ----------------------------------------------------------------------------------


def by_arrow(**options: Any) -> Writer:
    return lambda columns, path: optional("pyarrow.parquet").write_table(
        arrow.table(columns), path, **options
    )


def by_polars(columns: dict[str, Any], path: Path) -> None:
    optional("polars").from_arrow(arrow.table(columns)).write_parquet(path)


def by_duckdb(columns: dict[str, Any], path: Path) -> None:
    with optional("duckdb").connect() as connection:
        connection.register("t", arrow.table(columns))
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")


def parquet(name: str, write: Writer, engine: str | None = None) -> FrontEnd:
    return FrontEnd(
        name,
        arrow.stored_kinds(),
        lambda columns: placed("t.parquet", lambda path: write(columns, path)),
        bare=False,
        options={} if engine is None else {"engine": engine},
        reference=None if engine is None else arrow.table,
    )


def several(name: str, engine: str | None = None) -> FrontEnd:
    """The rows in two files of one pattern: the first three, and the others."""

    def parts(columns: dict[str, Any]) -> str:
        table, write = arrow.table(columns), optional("pyarrow.parquet").write_table
        for i, part in enumerate((table.slice(0, 3), table.slice(3))):
            placed(f"part-{i}.parquet", lambda path, part=part: write(part, path))
        return str(Path(_FOLDER.name) / "part-?.parquet")

    return replace(parquet(name, by_arrow(), engine), table=parts)


_SMALL = by_arrow(row_group_size=2, compression="zstd", data_page_version="2.0")
_PARQUET_FILES: dict[str, tuple[Writer, str | None]] = {
    "parquet by pyarrow": (by_arrow(), None),
    "parquet by polars": (by_arrow(), None),
    "parquet by duckdb": (by_arrow(), None),
    "duckdb, parquet of pyarrow": (by_arrow(), "duckdb"),
    "duckdb, parquet of polars": (by_polars, "duckdb"),
    "duckdb, parquet of duckdb": (by_duckdb, "duckdb"),
    "duckdb, parquet of small row groups": (_SMALL, "duckdb"),
    "duckdb, parquet without statistics": (by_arrow(write_statistics=False), "duckdb"),
    "polars, parquet of polars": (by_polars, "polars"),
    "polars, parquet of small row groups": (_SMALL, "polars"),
}

FRONTS: dict[str, Callable[[], FrontEnd]] = {
    **{name: partial(text_file, name, **how) for name, how in _TEXT_FILES.items()},
    **{name: partial(parquet, name, *how) for name, how in _PARQUET_FILES.items()},
    "several parquet files": partial(several, "several parquet files"),
    "duckdb, several files": partial(several, "duckdb, several files", "duckdb"),
}
