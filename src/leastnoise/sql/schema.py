"""What is public about a table that is asked in SQL: limits, keys, persons, tables to look up in.

It is a TOML file or a mapping with the same keys; docs/sql.md describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from leastnoise.document import Section, read_document
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_list_or_tuple, is_path
from leastnoise.params import parse_epsilon, parse_missing, parse_number, parse_relation
from leastnoise.sql.public import PublicTable, public_table
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
        ParameterError
            If a table is called so already.
        """
        if name.casefold() in {other.casefold() for other in self.public}:
            raise ParameterError(f"two public tables are called {name}: rename a file")
        given = Section("schema", f"public.{name}", {"file": file})
        return replace(self, public={**self.public, name: public_table(given, Path())})

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
    public = {name: public_table(one, here) for name, one in root.sections("public").items()}
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
    if is_list_or_tuple(keys) and any(isinstance(key, str) and not key.strip() for key in keys):
        raise section.error(
            "blank text is a missing entry, and no key: leave it out, and write other = true under "
            "[privacy] for a group of the rows of no key",
            "keys",
        )
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
