"""Public tables, which JOIN looks up in: declared public, with a key that names one row each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from leastnoise.document import Section, is_table
from leastnoise.errors import ColumnTypeError, LeastNoiseError, ParameterError
from leastnoise.foreign import is_list
from leastnoise.frames import open_table
from leastnoise.frames.contract import STANDARD, Reading
from leastnoise.frames.readers.options import is_pattern
from leastnoise.summaries.columns import Clock, Column
from leastnoise.summaries.subset import parse_keys

OPTIONS = (
    *("separator", "decimal", "thousands", "encoding", "comment", "header", "skip_rows"),
    *("skip_after_header", "multiline", "missing_values"),
)
"""How a public file is read, in the words of ``leastnoise.open``."""
MOST_ROWS = 1000


@dataclass(frozen=True, slots=True)
class PublicTable:
    """A table that anybody may read; a file is read where a query joins it.

    Without a ``key`` a join says which column it is. A row whose key is missing is joined with
    nothing, as NULL is in SQL, so it is left out.
    """

    section: Section
    key: str | None
    given: Mapping[str, tuple[Any, ...]] | None = None
    file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def columns(self) -> Mapping[str, tuple[Any, ...]]:
        """Every column, with the rows that have a key.

        Raises
        ------
        ParameterError, SchemaError
            If the file cannot be read, or what is in it is no public table.
        """
        if self.given is not None:
            return self.given
        file = self.file or Path()
        if not file.exists() and not is_pattern(str(file)):
            raise self.section.error(
                f"there is no file {str(file)!r}; its path is relative to the schema", "file"
            )
        try:
            found = read_public(file, **self.options)
        except LeastNoiseError as error:
            cure = f'[{self.section.place}] separator = ";", encoding = "cp1252" and the like'
            told = f"; how a public file is read is said in the schema, {cure}"
            raise self.section.error(f"{error}{told if file.exists() else ''}") from None
        return check_public(self.section, self.key, found)


def public_table(section: Section, here: Path) -> PublicTable:
    """What a schema says of a public table; a file is not opened.

    Raises
    ------
    ParameterError
        If a key is unknown, or the columns that are given make no public table.
    """
    section.only(("file", "key", "columns", *OPTIONS))
    key, file, given = section.text("key"), section.text("file"), section.entries.get("columns")
    if (file is None) == (given is None):
        raise section.error('give file = "..." or columns = {...}, one of them')
    options = {name: section.entries[name] for name in OPTIONS if name in section}
    if file is not None:
        return PublicTable(section, key, file=here / file, options=options)
    for name in options:
        raise section.error('says how a file is read: give file = "..."', name)
    columns: dict[str, tuple[Any, ...]] = {}
    for name, entries in given.items() if is_table(given) else ():
        if not is_list(entries):
            raise section.error("must be a list", f"columns.{name}")
        columns[name] = tuple(entries)
    return PublicTable(section, key, check_public(section, key, columns))


def check_public(
    section: Section, key: str | None, columns: Mapping[str, tuple[Any, ...]]
) -> Mapping[str, tuple[Any, ...]]:
    """The rows of a public table that have a key, which names one row each."""
    if key is not None and key not in columns:
        raise section.error(f"there is no column {key!r}; it has {', '.join(columns)}", "key")
    lengths = {len(entries) for entries in columns.values()}
    if len(lengths) > 1:
        raise section.error("all columns must have as many entries", "columns")
    if not 0 < max(lengths, default=0) <= MOST_ROWS:
        raise section.error(f"a public table has 1 to {MOST_ROWS} rows", "key")
    if key is None:
        return dict(columns)
    with section.locating_errors("key"):
        return keyed(columns, key)


def keyed(columns: Mapping[str, tuple[Any, ...]], key: str) -> dict[str, tuple[Any, ...]]:
    """The rows that have a key.

    Raises
    ------
    ParameterError
        If there is none, or one has an entry twice or keys of two kinds.
    """
    there = [i for i, entry in enumerate(columns[key]) if not _blank(entry)]
    if not there:
        raise ParameterError(f"{key} has no entry in any row: choose another key")
    found = {name: tuple(entries[i] for i in there) for name, entries in columns.items()}
    seen: dict[object, object] = {}
    for entry in map(_plain, found[key]):
        if entry in seen:
            raise twice(key, *dict.fromkeys(map(told, (seen[entry], entry))))
        seen[entry] = entry
    parse_keys({key: list(found[key])})  # of one kind
    return found


def told(entry: object) -> str:
    """An entry of a key as a refusal has it."""
    return repr(entry) if isinstance(entry, str) else str(entry)


def twice(key: str, *entries: str) -> ParameterError:
    """What is told of entries of a key that name one row each, and are equal."""
    listed = " and ".join(entries)
    stand = "stands twice" if len(entries) == 1 else "stand"
    one = "" if len(entries) == 1 else ", which are one where the private column is read"
    return ParameterError(
        f"{listed} {stand} in {key}{one}, so that one row would become two: leave one of its rows "
        "out of the public table, or join by a column that has no entry twice"
    )


def _plain(entry: object) -> object:
    return entry.strip() if isinstance(entry, str) else entry


def _blank(entry: object) -> bool:
    return entry is None or entry != entry or (isinstance(entry, str) and not entry.strip())


def read_public(path: Path, **options: Any) -> dict[str, tuple[Any, ...]]:
    """The columns of a public file: numbers, dates, true and false where all entries are, or text.

    Its values decide how it is read, which they may: it is declared public. What has zeros or a
    plus sign before it, as codes of places have, is text: 01067 is not 1067. Beside numbers, dates,
    true and false NA and its kin are missing; beside text, and where nothing else is, they are
    text, unless ``missing_values`` says what is missing.
    Columns of other types are left out.
    """
    given: dict[str, Any] = {"missing_values": [], **options}
    table = open_table(path, **given)
    found: dict[str, tuple[Any, ...]] = {}
    for name in table.column_names() or ():
        clock = table.own_clock(name)
        if clock in (Clock.DAY, Clock.LOCAL, Clock.INSTANT):
            times = _numbers(table.clocked({name: clock}).column(name))
            found[name] = tuple(None if x is None else clock.time(int(x)) for x in times)
            continue
        entries = _entries(table, name)
        if entries is not None:
            found[name] = entries
    return found


def _entries(table: Any, name: str) -> tuple[Any, ...] | None:
    """What is no typed time; None for a type that is neither numbers nor text."""
    read: tuple[int | float | None, ...] | None = None
    texts: list[str | None] | None = None
    truths = False
    with suppress(ColumnTypeError):
        truths = table.column_type(name).reading is Reading.BOOLEAN
        read = _numbers(table.column(name))
    with suppress(ColumnTypeError):
        codes, known = table.text_values(name)
        places: list[int] = codes.tolist()
        texts = [known[i] if i >= 0 else None for i in places]
    if texts is None or read is None:
        if truths and read is not None:
            return tuple(None if x is None else bool(x) for x in read)
        return read if texts is None else tuple(texts)
    there = [text for text in texts if text is not None and text not in STANDARD]
    if there and {text.lower() for text in there} <= {"true", "false"}:
        return tuple(None if x is None or x != x else bool(x) for x in read)
    coded = any(_CODE.match(text) for text in there)
    if there and len(there) == len(read) - read.count(None) and not coded:
        pairs = zip(texts, read, strict=True)
        return tuple(_exact(text, number) for text, number in pairs)
    return _dates(texts) or tuple(texts)


def _numbers(column: Column) -> tuple[int | float | None, ...]:
    """Whole numbers as they are, which doubles beyond 2^53 are not."""
    gone: list[bool] = [] if column.missing is None else column.missing.tolist()
    numbers: list[int | float] = column.values.tolist()
    there = [x == x and not (gone and gone[i]) for i, x in enumerate(numbers)]
    return tuple(x if here else None for x, here in zip(numbers, there, strict=True))


def _exact(text: str | None, number: float | None) -> int | float | None:
    whole = _DIGITS.fullmatch((text or "").strip())
    return number if whole is None else int(whole[0])


def _dates(texts: list[str | None]) -> tuple[date | None, ...] | None:
    """Days, where every entry that is there is written as one."""
    there = [None if text in STANDARD else text for text in texts]
    if not any(there) or not all(text is None or _DAY.fullmatch(text) for text in there):
        return None
    try:
        return tuple(None if text is None else date.fromisoformat(text) for text in there)
    except ValueError:
        return None


_CODE = re.compile(r"[+-]?0\d|\+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DIGITS = re.compile(r"-?\d{1,18}", re.ASCII)
