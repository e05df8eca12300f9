"""What is public about a table that is asked in SQL: limits, keys, persons, tables to look up in.

It is a TOML file or a mapping with the same keys; docs/sql.md describes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from leastnoise.document import Section, is_table, read_document
from leastnoise.errors import ColumnTypeError, ParameterError, ParameterTypeError
from leastnoise.foreign import is_list, is_list_or_tuple, is_path
from leastnoise.frames import open_table
from leastnoise.frames.contract import STANDARD
from leastnoise.params import parse_epsilon, parse_missing, parse_number, parse_relation
from leastnoise.summaries.columns import Time, duration_of
from leastnoise.summaries.subset import parse_keys, parse_unit

READING = (
    *("separator", "decimal", "thousands", "encoding", "comment", "engine", "source"),
    *("header", "skip_rows", "skip_after_header", "multiline", "missing_values"),
)
PRIVACY = (
    *("relation", "unit", "max_rows", "max_groups", "other", "delta"),
    *("ledger", "dataset", "table"),
)
PARTS = ("table", "data", "privacy", "columns", "public", "tables")
_OWN = ("data", "privacy", "columns")


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is declared of a column, or of a value by its name in the query."""

    bounds: tuple[Fraction, Fraction] | None = None
    times: tuple[Time, Time] | None = None
    """Limits of a column of dates, times or durations."""
    step: Fraction | None = None
    keys: tuple[str | int | float | bool, ...] | None = None


@dataclass(frozen=True, slots=True)
class PublicTable:
    """A table that anybody may read: its columns, of which ``key`` has no entry twice.

    Without one, a join says which column it is.
    """

    key: str | None
    columns: Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Schema:
    """All of it. ``reading`` and ``opening`` are how a file is opened, for the command line."""

    file: str = "schema"
    table: str | None = None
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict[str, ColumnFacts])
    public: Mapping[str, PublicTable] = field(default_factory=dict[str, PublicTable])
    max_groups: int | None = None
    other: bool = False
    """Whether rows of no key are a group too."""
    delta: object = None
    reading: Mapping[str, Any] = field(default_factory=dict[str, Any])
    opening: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tables: Mapping[str, Schema] = field(default_factory=dict[str, "Schema"])
    """Where there are several: the schema of each, with what is said for all of them."""

    def with_public(self, name: str, file: str) -> Schema:
        """The same, and a public file under a name.

        Raises
        ------
        ParameterError, SchemaError
            If a table is called so already, or the file cannot be read.
        """
        if name.casefold() in {other.casefold() for other in self.public}:
            raise ParameterError(f"two public tables are called {name}: rename a file")
        given = Section("schema", f"public.{name}", {"file": file})
        return replace(self, public={**self.public, name: _public(given, Path())})

    def facts(self, name: str) -> ColumnFacts:
        """What is declared of a column; by its exact name."""
        return self.columns.get(name, ColumnFacts())


def load_schema(given: object) -> Schema:
    """From a path, a mapping, or nothing.

    Raises
    ------
    SchemaError, ParameterError, ParameterTypeError
        If there is no such file, or anything in it is invalid; the message names the key.
    """
    match given:
        case None:
            return Schema()
        case Schema():
            return given
        case Mapping():
            return _schema(Section("schema", "", given), Path())  # pyright: ignore[reportUnknownArgumentType]
        case _ if is_path(given):
            path = Path(given)
            return _schema(read_document(path, "schema"), path.parent)
        case _:
            raise ParameterTypeError(
                f"schema must be the path of a TOML file or a mapping, not {type(given).__name__}"
            )


def _schema(root: Section, here: Path) -> Schema:
    root.only(PARTS)
    data = root.section("data") or Section(root.file, "data", {})
    privacy = root.section("privacy") or Section(root.file, "privacy", {})
    data.only(("missing", *READING))
    privacy.only(PRIVACY)
    relation = privacy.text("relation")
    with privacy.locating_errors():
        if relation is not None:
            parse_relation(relation)
        parse_unit(privacy.text("unit"), privacy.whole("max_rows"))
    with data.locating_errors("missing"):
        parse_missing(data.entries.get("missing"))
    opening = {
        key: privacy.entries[key]
        for key in ("relation", "unit", "max_rows", "ledger", "dataset", "table")
        if key in privacy
    }
    if isinstance(opening.get("ledger"), (str, PathLike)):
        opening["ledger"] = here / opening["ledger"]
    if "missing" in data:
        opening["missing"] = data.entries["missing"]
    tables = root.sections("tables")
    if tables and "table" in root:
        raise root.error(
            "the names under [tables.NAME] are those of the tables: leave it out", "table"
        )
    public = {name: _public(one, here) for name, one in root.sections("public").items()}
    return Schema(
        file=root.file,
        table=root.text("table"),
        columns={name: _facts(one) for name, one in root.sections("columns").items()},
        public=public,
        max_groups=privacy.whole("max_groups"),
        other=bool(privacy.flag("other")),
        delta=privacy.entries.get("delta"),
        reading={key: data.entries[key] for key in READING if key in data},
        opening=opening,
        tables={
            name: replace(_schema(_of_table(root, name, one), here), public=public)
            for name, one in tables.items()
        },
    )


def _of_table(root: Section, name: str, own: Section) -> Section:
    """What is said of one of several tables: its own keys come before those of all."""
    own.only(_OWN)
    parts: dict[str, object] = {
        part: {**(root.entries.get(part) or {}), **(section.entries if section else {})}
        for part in _OWN
        for section in (own.section(part),)
    }
    return Section(root.file, own.place, {**parts, "table": name})


def _facts(section: Section) -> ColumnFacts:
    section.only(("bounds", "step", "keys"))
    bounds: Any = section.entries.get("bounds")
    if is_list_or_tuple(bounds):  # TOML has no type for durations
        spans = [duration_of(end) if isinstance(end, str) else None for end in bounds]
        bounds = spans if spans and None not in spans else bounds
    low_high: tuple[Fraction, Fraction] | None = None
    times: tuple[Time, Time] | None = None
    match bounds:
        case [date() | timedelta() as low, date() | timedelta() as high]:
            times = low, high
        case None:
            pass
        case _:
            with section.locating_errors("bounds"):
                low_high = parse_limits(bounds)
    step, keys = section.entries.get("step"), section.entries.get("keys")
    with section.locating_errors("step"):
        spacing = None if step is None else parse_epsilon(step, "step")
    if keys is not None:
        with section.locating_errors("keys"):
            keys = parse_keys({section.place.rpartition(".")[2] or "keys": keys}).labels[0]
    return ColumnFacts(low_high, times, spacing, keys)


def parse_limits(bounds: object) -> tuple[Fraction, Fraction]:
    """Two numbers, the first of them smaller."""
    if not is_list_or_tuple(bounds) or len(bounds) != 2:
        raise ParameterError("must be two numbers, [0, 100], from public knowledge")
    low, high = (parse_number(end, "bounds") for end in bounds)
    if not low < high:
        raise ParameterError("must have the smaller number first")
    return low, high


def _public(section: Section, here: Path) -> PublicTable:
    section.only(("file", "key", "columns"))
    key = section.text("key")
    file, given = section.text("file"), section.entries.get("columns")
    if (file is None) == (given is None):
        raise section.error('give file = "..." or columns = {...}, one of them')
    columns: dict[str, tuple[Any, ...]] = {}
    if file is not None:
        columns = read_public(here / file)
    elif is_table(given):
        for name, entries in given.items():
            if not is_list(entries):
                raise section.error("must be a list", f"columns.{name}")
            columns[name] = tuple(entries)
    return check_public(section, key, columns)


def read_public(path: Path) -> dict[str, tuple[Any, ...]]:
    """The columns of a public file: numbers where all entries that are there are, else text.

    Its values decide how it is read, which they may: it is declared public. What has zeros or a
    plus sign before it, as codes of places have, is text: 01067 is not 1067. Beside numbers NA and
    its kin are missing, beside text they are text.
    """
    table = open_table(path, missing_values=[])  # a text is what is written, NA too
    found: dict[str, tuple[Any, ...]] = {}
    for name in table.column_names() or ():
        numbers: list[float] = []
        texts: list[str | None] = []
        with suppress(ColumnTypeError):
            numbers = [float(x) for x in table.column(name).values]
        with suppress(ColumnTypeError):
            codes, known = table.text_values(name)
            places: list[int] = codes.tolist()
            texts = [known[i] if i >= 0 else None for i in places]
        there = [text for text in texts if text is not None and text not in STANDARD]
        coded = any(_CODE.match(text) for text in there)
        read = [None if x != x else x for x in numbers]
        whole = bool(there) and len(there) == len(read) - read.count(None) and not coded
        found[name] = tuple(read if whole or not texts else texts)
    return found


_CODE = re.compile(r"[+-]?0\d|\+")
MOST_ROWS = 1000


def check_public(
    section: Section, key: str | None, columns: Mapping[str, tuple[Any, ...]]
) -> PublicTable:
    """A public table whose key names one row each."""
    if key is not None and key not in columns:
        raise section.error(f"there is no column {key!r}", "key")
    lengths = {len(entries) for entries in columns.values()}
    if len(lengths) > 1:
        raise section.error("all columns must have as many entries", "columns")
    if not 0 < max(lengths, default=0) <= MOST_ROWS:
        raise section.error(f"a public table has 1 to {MOST_ROWS} rows", "key")
    if key is not None:
        with section.locating_errors("key"):
            parse_keys({key: list(columns[key])})  # of one kind, none missing, none twice
    return PublicTable(key, dict(columns))
