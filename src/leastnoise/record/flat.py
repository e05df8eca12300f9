"""A table of releases as columns of plain values, and as text that programs and people read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from html import escape
from importlib.util import find_spec
from itertools import product
from typing import TYPE_CHECKING, Any, cast
from unicodedata import normalize

from leastnoise.errors import MissingDependencyError, ParameterError, quoted
from leastnoise.foreign import is_list, is_mapping

if TYPE_CHECKING:
    from leastnoise.guarantees import Guarantee
    from leastnoise.record.release import Release
    from leastnoise.record.releases import Releases

Cell = str | int | float | bool | date | timedelta | None

LONG = ("statistic", "cell", "value")
"""The columns of the long layout, after those of the groups."""

# How spreadsheets recognise a formula, apart from numbers with a sign: also after blanks, and some
# accept the wide forms of the signs.
_FORMULA = re.compile(r"\s*[=+\-@]|[\t\r\n]")
# What begins HTML, ends a cell or makes a link of a label.
_MARKUP = re.compile(r"[\\|]|<(?=[A-Za-z/!?])|(?<=\])\(")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?")
# Larger integers do not fit the integer type of a data frame.
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class Flat:
    """Columns by name, all of the same length; the first ``keys`` of them name the row.

    The first ``groups`` name its group: None in them stands for all keys that were not declared.
    """

    columns: dict[str, list[Cell]]
    keys: int
    groups: int = 0

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """The table row by row."""
        return zip(*self.columns.values(), strict=True)

    def shown(self) -> Iterator[list[str]]:
        """The same as text for a person."""
        for row in self.rows():
            key = [*map(shown_key, row[: self.groups])]
            yield [*key, *map(shown, row[self.groups :])]


def flat(
    table: Releases[Any, Any], layout: str = "wide", titles: Mapping[str, str] | None = None
) -> Flat:
    """The values of a table.

    "wide": one row for each group; a statistic with several numbers has a column for each, named by
    statistic and label. "long": one row for each number, with the columns "statistic", "cell" and
    "value". ``titles`` are other names for the statistics.
    """
    called: Mapping[str, str] = {} if titles is None else titles
    if layout == "long":
        return _long(table, called)
    if layout != "wide":
        raise ParameterError(f"layout must be 'wide' or 'long', got {quoted(layout)}")
    rows = list(table.rows())
    columns: dict[str, list[Cell]] = {
        name: [row.key[i] for row in rows] for i, name in enumerate(table.by)
    }
    for i, row in enumerate(rows):
        for name, record in row.records.items():
            for label, value in (*cells(record), *ends(record)):
                named = called.get(name, name)
                title = named if label is None else f"{named} {label}"
                title = f"{title} (released)" if title in table.by else title
                columns.setdefault(title, [None] * i).append(value)
        for column in columns.values():  # lists may differ in length, such as released keys
            column.extend([None] * (i + 1 - len(column)))
    return Flat(columns, len(table.by), len(table.by))


def _long(table: Releases[Any, Any], called: Mapping[str, str]) -> Flat:
    if set(LONG) & set(table.by):
        raise ParameterError(
            "a column of the groups is called 'statistic', 'cell' or 'value', like a column of "
            "the long layout; use layout='wide'"
        )
    columns: dict[str, list[Cell]] = {name: [] for name in (*table.by, *LONG)}
    for row in table.rows():
        for name, record in row.records.items():
            for label, value in (*cells(record), *ends(record)):
                line = (*row.key, called.get(name, name), label, value)
                for column, entry in zip(columns.values(), line, strict=True):
                    column.append(entry)
    return Flat(columns, len(table.by) + 2, len(table.by))


def cells(record: Release) -> Iterator[tuple[str | None, Cell]]:
    """The numbers of a record, each with its label: None where it is the only one."""
    value: Any = record.value
    if is_mapping(value):
        for name, part in value.items():
            parts = _leaves(part)
            for i, number in enumerate(parts):
                yield str(name) if len(parts) == 1 else f"{name} {i + 1}", number
        return
    if not isinstance(value, list):
        yield None, value
        return
    numbers = _leaves(record.value)
    axes: Sequence[Sequence[Any]] = record.axes
    labels = [" ".join(map(str, place)) for place in product(*axes)] if axes else []
    if len(set(labels)) != len(numbers):
        labels = [str(i + 1) for i in range(len(numbers))]
    yield from zip(labels, numbers, strict=True)


def ends(record: Release) -> list[tuple[str, int | float]]:
    """The ends of its interval, where it has one."""
    if record.interval is None:
        return []
    return list(zip(("lower end", "upper end"), record.interval, strict=True))


def numbers(record: Release) -> list[tuple[str | None, float]]:
    """The same for a record whose values are numbers."""
    return [(label, cell) for label, cell in cells(record) if isinstance(cell, (int, float))]


def _leaves(value: Any) -> list[Any]:
    return [leaf for entry in value for leaf in _leaves(entry)] if is_list(value) else [value]


def frame(table: Releases[Any, Any], library: str, layout: str) -> Any:
    """A data frame of this library; whole numbers stay integers up to 64 bits."""
    return frame_of(flat(table, layout), library)


def frame_of(flat: Flat, library: str) -> Any:
    """The same for columns of plain values."""
    if find_spec(library) is None:
        raise MissingDependencyError(
            f"{library} is not installed; pip install {library}, or use to_csv()"
        )

    import narwhals as nw

    columns = {name: _fitting(column) for name, column in flat.columns.items()}
    backend: Any = library
    return nw.from_dict(columns, backend=backend).to_native()


def _fitting(column: list[Cell]) -> list[Cell]:
    wide = any(isinstance(x, int) and not -_LARGEST <= x < _LARGEST for x in column)
    mixed = {type(x) for x in column if x is not None} == {int, float}
    if not (wide or mixed):
        return column
    return [None if x is None else float(cast("float", x)) for x in column]


def csv_text(table: Releases[Any, Any], layout: str) -> str:
    """Comma-separated values with a line of names, every number in full."""
    return csv_of(flat(table, layout))


def csv_of(flat: Flat) -> str:
    """The same for columns of plain values."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(plain_text, flat.columns))
    writer.writerows(map(plain_text, row) for row in flat.rows())
    return out.getvalue()


def plain_text(cell: Cell) -> Cell:
    """A cell that no spreadsheet takes for a formula: such texts get an apostrophe in front."""
    if cell is None:
        return ""
    if isinstance(cell, str) and _FORMULA.match(normalize("NFKC", cell)):
        return cell if _NUMBER.fullmatch(cell) else f"'{cell}"
    return cell


def markdown(table: Releases[Any, Any], layout: str) -> str:
    """A table in Markdown, numbers flush right, and the promise below it."""
    return markdown_of(flat(table, layout), promise(table))


def markdown_of(flat: Flat, promised: str) -> str:
    """The same for columns of plain values."""
    lines = [
        [_escaped(name) for name in flat.columns],
        ["---" if i < flat.keys else "---:" for i in range(len(flat.columns))],
        *([_escaped(x) for x in row] for row in flat.shown()),
    ]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{text}\n\n{promised}\n"


def html(table: Releases[Any, Any]) -> str:
    """A table in HTML with the promise as its caption, and no style of its own."""
    return html_of(flat(table), promise(table))


def html_of(flat: Flat, promised: str) -> str:
    """The same for columns of plain values."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in flat.columns)
    body: list[str] = []
    for row in flat.shown():
        marked = [
            f'<th scope="row">{escape(x)}</th>'
            if i < flat.keys
            else f'<td style="text-align: right">{escape(x)}</td>'
            for i, x in enumerate(row)
        ]
        body.append(f"<tr>{''.join(marked)}</tr>")
    return (
        f"<table><caption>{escape(promised)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def shown(value: Cell) -> str:
    """A value for a person: whole numbers in full, others to six digits, or one decimal."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if 1e5 <= abs(value) < 1e15:
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.6g}"


def shown_key(label: Cell) -> str:
    """The key of a group for a person, of one column."""
    return "(other)" if label is None else shown(label)


def promise(table: Releases[Any, Any]) -> str:
    """One line: what the whole table promises, and whom."""
    records = [record for row in table.rows() for record in row.records.values()]
    if not records:
        return ""
    promised = table.guarantee
    return f"{_total(records) if promised is None else _stated(promised)}; {records[0].protects}"


def _stated(guarantee: Guarantee) -> str:
    numbers = guarantee.numbers()
    return f"{type(guarantee).__name__} with " + ", ".join(f"{n} = {x}" for n, x in numbers.items())


def _total(records: Sequence[Release]) -> str:
    """The basic sum over the records: what releases of the same rows cost together at most."""
    numbers = [record.guarantee.numbers() for record in records]
    epsilon = sum((n.get("epsilon", Fraction(0)) for n in numbers), Fraction(0))
    delta = sum((n.get("delta", Fraction(0)) for n in numbers), Fraction(0))
    if delta:
        return f"ApproxDP with epsilon = {epsilon}, delta = {delta}"
    return f"PureDP with epsilon = {epsilon}"


def _escaped(text: str) -> str:
    """Text as a cell of Markdown, in which no part of it is markup."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.splitlines()))
