"""What is public about a table that is asked in SQL: limits, keys, persons, tables to look up in.

It is a TOML file or a mapping with the same keys; docs/sql.md describes them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from fractions import Fraction
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any

from leastnoise.document import Section, read_document, toml_key
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_list_or_tuple, is_path
from leastnoise.frames.table import list_names
from leastnoise.params import (
    parse_delta,
    parse_epsilon,
    parse_missing,
    parse_number,
    parse_relation,
)
from leastnoise.sql.public import PublicTable, public_table
from leastnoise.summaries.columns import Clock, Time, clock_of, duration_of
from leastnoise.summaries.constants import parse_timed
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
    dates: tuple[Time, ...] | None = None
    """Keys that are dates, times or durations."""


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
    shared: frozenset[str] = frozenset()
    """Names of columns that are declared for all tables, of which each need not have all."""

    def with_public(self, name: str, file: str) -> Schema:
        """The same, and a public file under a name.

        Raises
        ------
        ParameterError
            If a table is called so already.
        """
        known = next((x for x in self.public if x.casefold() == name.casefold()), None)
        if known is not None:
            other = self.public[known].file
            if other is not None and other.resolve() == Path(file).resolve():
                raise ParameterError(
                    f"{file} is given twice as a public table: leave one of them out"
                )
            there = f"{other} and {file}" if other is not None else f"[public.{known}] and {file}"
            raise ParameterError(
                f"two public tables are called {name}, {there}: rename a file, or give one of them "
                'under another name in the schema, [public.NAME] file = "..."'
            )
        given = Section("schema", f"public.{toml_key(name)}", {"file": file})
        return replace(self, public={**self.public, name: public_table(given, Path())})

    def facts(self, name: str) -> ColumnFacts:
        """What is declared of a column; by its exact name."""
        return self.columns.get(name, ColumnFacts())

    def unknown(self, columns: Sequence[str], computed: Collection[str]) -> tuple[str, ...]:
        """Names that neither a column of the table nor a value of the query has.

        What is declared under them serves queries that work out such a value, and no other.

        Raises
        ------
        ParameterError
            If one of them is nearly that of a column of which nothing is declared: a slip.
        """
        found = tuple(name for name in self.columns if name not in {*columns, *computed})
        bare = {name.casefold(): name for name in columns if name not in self.columns}
        for name in found:
            if name not in self.shared and (near := _near(name.casefold(), bare)) is not None:
                raise ParameterError(
                    f"{self.file}: columns.{name}: there is no column {name!r} (did you mean "
                    f"{bare[near]!r}?); {list_names(columns)}. A value that a query works out "
                    "needs a name that is less like a column's"
                )
        return found


def _near(name: str, known: Collection[str]) -> str | None:
    """The name that a name is a slip of: nearly all letters, or the same in another order."""
    near = get_close_matches(name, known, 1, 0.8)
    return next(iter(near), next((one for one in known if sorted(one) == sorted(name)), None))


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
    unit, max_rows = privacy.text("unit"), privacy.whole("max_rows")
    if unit is not None and max_rows is None:
        raise privacy.error(
            "is required with unit: how many rows of one person are used at most, from public "
            "knowledge; write max_rows = 2",
            "max_rows",
        )
    with privacy.locating_errors():
        if relation is not None:
            parse_relation(relation)
        parse_unit(unit, max_rows)
    _check_privacy(privacy)
    _check_reading(data)
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
        columns={name: _facts(name, one) for name, one in root.sections("columns").items()},
        public=public,
        max_groups=privacy.whole("max_groups"),
        other=bool(privacy.flag("other")),
        delta=privacy.entries.get("delta"),
        reading={key: data.entries[key] for key in READING if key in data},
        opening=opening,
        tables={
            name: replace(
                _schema(_of_table(root, name, one), here), public=public, shared=_shared(root, one)
            )
            for name, one in tables.items()
        },
    )


def _shared(root: Section, own: Section) -> frozenset[str]:
    """The columns that are declared for all tables, and not for this one."""
    return frozenset(root.sections("columns")) - frozenset(own.sections("columns"))


def _check_privacy(privacy: Section) -> None:
    """What of [privacy] is used only later: its errors have their place all the same."""
    if (groups := privacy.whole("max_groups")) is not None and groups < 1:
        raise privacy.error("must be a whole number of at least 1", "max_groups")
    if (delta := privacy.entries.get("delta")) is not None:
        with privacy.locating_errors("delta"):
            parse_delta(delta, "delta")
    ledger = privacy.entries.get("ledger")
    if ledger is not None and not is_path(ledger):
        from leastnoise.accounting import Ledger  # SQLite only with a ledger

        if not isinstance(ledger, Ledger):
            raise privacy.error('must be the path of a ledger in quotes, "pay.db"', "ledger")
    for name in ("dataset", "table"):
        privacy.text(name)


def _check_reading(data: Section) -> None:
    """How a file is read, by the types that ``leastnoise.open`` takes."""
    for name in ("separator", "decimal", "thousands", "encoding", "comment", "engine", "source"):
        data.text(name)
    for name in ("header", "multiline"):
        data.flag(name)
    for name in ("skip_rows", "skip_after_header"):
        data.whole(name)
    if not is_list_or_tuple(data.entries.get("missing_values", [])):
        raise data.error('must be a list, missing_values = ["n/a"]', "missing_values")


def _of_table(root: Section, name: str, own: Section) -> Section:
    """What is said of one of several tables: its own keys come before those of all."""
    own.only(_OWN)
    parts: dict[str, object] = {
        part: {**(root.entries.get(part) or {}), **(section.entries if section else {})}
        for part in _OWN
        for section in (own.section(part),)
    }
    return Section(root.file, own.place, {**parts, "table": name})


def _facts(name: str, section: Section) -> ColumnFacts:
    section.only(("bounds", "step", "keys"))
    bounds: Any = section.entries.get("bounds")
    if is_list_or_tuple(bounds):  # TOML has no type for durations
        spans = [duration_of(end) if isinstance(end, str) else None for end in bounds]
        bounds = spans if spans and None not in spans else bounds
    low_high: tuple[Fraction, Fraction] | None = None
    times: tuple[Time, Time] | None = None
    match bounds:
        case [date() | timedelta() as low, date() | timedelta() as high]:
            times = _check_times(section, low, high)
        case None:
            pass
        case _:
            with section.locating_errors("bounds"):
                low_high = parse_limits(bounds)
    step, keys = section.entries.get("step"), section.entries.get("keys")
    if step is not None and times is not None:
        raise section.error("is for numbers: leave it out beside limits that are dates", "step")
    with section.locating_errors("step"):
        spacing = None if step is None else parse_epsilon(step, "step")
    if keys is not None:
        _check_keys(section, keys)
        with section.locating_errors("keys"):
            labels = parse_keys({name: keys}).labels[0]
        if isinstance(keys[0], (date, timedelta)):
            if times is not None and {clock_of(key) for key in keys} - {clock_of(times[0])}:
                raise section.error("must be dates where the limits are, or times as these", "keys")
            return ColumnFacts(low_high, times, spacing, dates=tuple(keys))
        keys = labels
    return ColumnFacts(low_high, times, spacing, keys)


def _check_times(section: Section, low: Time, high: Time) -> tuple[Time, Time]:
    """Limits that are times, by one clock."""
    clocks = {clock_of(end) for end in (low, high)}
    if len(clocks) > 1 and clocks != {Clock.DAY, Clock.LOCAL}:
        raise section.error(
            "must be two dates, two times without a zone, or two with one: [2020-01-01, "
            "2024-12-31]",
            "bounds",
        )
    if any(isinstance(end, datetime) and end.microsecond for end in (low, high)):
        raise section.error("times are read to the second: leave parts of a second out", "bounds")
    with section.locating_errors("bounds"):
        _, ends = parse_timed([low, high], "bounds")
    first, last = (end for end in ends if not isinstance(end, str))
    if not first < last:
        raise section.error("must have the earlier end first", "bounds")
    return low, high


def _check_keys(section: Section, keys: Any) -> None:
    """Keys as a schema writes them: a list of one kind."""
    if not is_list_or_tuple(keys):
        raise section.error('must be a list, keys = ["N", "S"]', "keys")
    if not keys:
        raise section.error('write at least one, keys = ["N", "S"], or leave them out', "keys")
    if any(isinstance(key, str) and not key.strip() for key in keys):
        raise section.error(
            "blank text is a missing entry, and no key: leave it out, and write other = true under "
            "[privacy] for a group of the rows of no key",
            "keys",
        )
    kinds = {next((kind for kind in _KINDS if isinstance(key, kind)), None) for key in keys}
    if None in kinds or len(kinds) > 1:
        raise section.error(
            'write them as text, ["N", "S"], as numbers, [1, 2], true and false, [false, true], or '
            "dates, all of one kind",
            "keys",
        )


_KINDS: tuple[Any, ...] = (str, bool, Number, datetime, date, timedelta)


def parse_limits(bounds: object) -> tuple[Fraction, Fraction]:
    """Two numbers, the first of them smaller."""
    if not is_list_or_tuple(bounds) or len(bounds) != 2:
        raise ParameterError("must be two numbers, [0, 100], from public knowledge")
    try:
        low, high = (parse_number(end, "bounds") for end in bounds)
    except (ParameterError, ParameterTypeError):
        raise ParameterError(
            "must be two finite numbers, [0, 100], or two dates, [2020-01-01, 2024-12-31]"
        ) from None
    if not low < high:
        raise ParameterError("must have the smaller number first")
    return low, high
