"""What the schema of a table tells: names, declared types, what a column can be read as."""

from __future__ import annotations

from dataclasses import dataclass

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames.table import Table, short_name
from leastnoise.summaries.columns import ColumnType

WHOLE, NUMBERS, LABELS = "whole numbers", "numbers", "labels"


@dataclass(frozen=True, slots=True)
class Described:
    """The public facts of one column.

    ``type`` is the declared type, "" where none is known; ``reads`` what it can be read as;
    ``trouble`` why it cannot be used, with the cure, or "".
    """

    name: str
    type: str
    reads: tuple[str, ...]
    nullable: bool
    trouble: str = ""


def describe(table: Table) -> list[Described]:
    """Every column in order; no value is read.

    Raises
    ------
    SchemaError
        If the file cannot be read, or if no names are known.
    """
    names = table.column_names() or ()
    if not names:
        table.column_type(None)  # which says why there are none
    return [_column(table, name) for name in names]


def _column(table: Table, name: str) -> Described:
    numbers, trouble = _try(table, name, text=False)
    labels, _ = _try(table, name, text=True)
    known = numbers or labels
    reads: list[str] = []
    if numbers is not None:
        reads.append(WHOLE if numbers.integer else NUMBERS)
    if labels is not None:
        reads.append(LABELS)
    if known is None:
        return Described(short_name(name), "", (), True, trouble)
    return Described(short_name(name), known.kind, tuple(reads), known.nullable)


def _try(table: Table, name: str, *, text: bool) -> tuple[ColumnType | None, str]:
    try:
        return (table.text_type if text else table.column_type)(name), ""
    except ColumnTypeError as error:
        return None, str(error)
    except SchemaError as error:  # a blank or a repeated name
        return None, str(error).split(";")[0]
