"""What every front end offers, and how it finds a column by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

from leastnoise.errors import LeastNoiseError, ParameterTypeError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.summaries.columns import Column, ColumnType

LISTED, SHOWN = 40, 200
"""How many names an error lists, and how much of each."""


@runtime_checkable
class Table(Protocol):
    """Columns with public names and types, and private values.

    Guarantee
    ---------
    ``column_names`` and ``column_type`` are functions of the schema. ``column`` raises what
    ``column_type`` raises, before it looks at a value, and nothing that depends on a value; a file
    that is damaged or has gone is a `SchemaError` without any of its content.
    """

    def column_names(self) -> tuple[str, ...] | None:
        """Give the names in order, blank and repeated ones too; None for a bare array or series."""
        ...

    def column_type(self, name: str | None) -> ColumnType:
        """Give the public type of a column, from the schema alone.

        Raises
        ------
        SchemaError
            If there is no such column, if the name is blank or repeated, if a table needs a name
            (None was given), or if a bare array has none.
        ColumnTypeError
            If the type holds no numbers (text, dates, categories, nested types).
        """
        ...

    def column(self, name: str | None) -> Column:
        """NOT PRIVATE: read the values of one column, missing and unparsable ones included."""
        ...

    def text_type(self, name: str | None) -> ColumnType:
        """Give the public type of a column that is read as text labels, from the schema alone.

        Raises
        ------
        SchemaError
            As `column_type`.
        ColumnTypeError
            If the type holds no text.
        """
        ...

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """NOT PRIVATE: read one column as positions in text labels.

        ``NO_LABEL`` (-1) where an entry is none of them, ``MISSING`` (-2) where there is none.
        """
        ...

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """NOT PRIVATE: read one column as numbers that are equal where its texts are.

        Negative where an entry is missing. Which number a text gets means nothing. For columns
        that hold text, or numbers of a wide type, which are told apart by their digits.
        """
        ...

    def row_count(self) -> int:
        """Count the rows; whether that is public is the caller's business."""
        ...


@runtime_checkable
class TextTable(Table, Protocol):
    """A table that can also say which texts a column holds."""

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """NOT PRIVATE: read one column as `text_ids`, and the text of each number at least 0."""
        ...


@runtime_checkable
class Reached(Protocol):
    """A table whose values are elsewhere: in a file, or where an engine holds them."""

    def check_reach(self) -> None:
        """Refuse what can no longer be read; no value is looked at.

        Raises
        ------
        SchemaError
            If the file has gone or may not be read, or the engine runs no query.
        """
        ...


def check_reach(path: Path) -> None:
    """The same for a file."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}") from None


def check_bare(name: str | None) -> None:
    """Refuse a column name asked of data that is one column without a name.

    Raises
    ------
    SchemaError
        If ``name`` is not None.
    """
    if name is not None:
        raise SchemaError(
            f"column {name!r} was asked of a bare array, list or series, which has no column names;"
            f" leave the name out, or give a table, for example {{{name!r}: data}}"
        )


def find_column(name: str | None, labels: Sequence[object], *, hint: str = "") -> int:
    """Find the position of a column in a table with these labels.

    Only the label that is asked for must be clear: a blank or repeated label elsewhere does no
    harm, because nothing is guessed from it.

    Parameters
    ----------
    name
        The name asked for.
    labels
        The labels of the table, in order. Only text can be asked for.
    hint
        What to add when there is no such column.

    Raises
    ------
    ParameterTypeError
        If ``name`` is neither text nor None.
    SchemaError
        If the name is None, blank, repeated or absent.
    """
    if name is None:
        raise SchemaError(
            "this table has named columns, so the statistic needs the name of one, for example "
            f"Median('name', bounds=...); {list_names(labels)}"
        )
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"a column name must be text, not {type(name).__name__}")
    found = [i for i, label in enumerate(labels) if isinstance(label, str) and label == name]
    if not name.strip():
        raise SchemaError(
            "a column with a blank name cannot be asked for; give the column a name; "
            + list_names(labels)
        )
    if not found:
        known = {x.strip().casefold(): x for x in labels if isinstance(x, str) and x.strip()}
        near = get_close_matches(name.strip().casefold(), known, 1)
        closest = ""
        if near:
            written = short_name(known[near[0]])
            blanks = "" if written == written.strip() else ", with the blanks around it"
            closest = f" (did you mean {written!r}{blanks}?)"
        raise SchemaError(f"there is no column {name!r}{closest}; {list_names(labels)}{hint}")
    if len(found) > 1:
        times = "twice" if len(found) == 2 else f"{len(found)} times"
        raise SchemaError(f"column {short_name(name)} appears {times}; rename all but one of them")
    return found[0]


def short_name(name: str) -> str:
    """A name up to its first line end, and no more of it than an error needs."""
    first = "".join(name.lstrip("\r\n").splitlines()[:1])[:SHOWN]
    return name if name == first else f"{first}..."


def list_names(labels: Sequence[object], *, found: str = "the columns are") -> str:
    """List names for an error: at most forty, blank ones and those that are not text counted."""
    names = [label for label in labels if isinstance(label, str) and label.strip()]
    shown = ", ".join(repr(short_name(name)) for name in names[:LISTED]) or "none"
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    blank = sum(isinstance(label, str) and not label.strip() for label in labels)
    other = sum(not isinstance(label, str) for label in labels)
    notes = [f"{blank} with a blank name"] if blank else []
    if other:
        notes.append(f"{other} whose label is not text, which must be renamed to be used")
    return f"{found} {shown}{more}" + (f" ({'; '.join(notes)})" if notes else "")


def raise_alone(error: LeastNoiseError) -> NoReturn:
    """Raise without the exception that is being handled, which may quote data.

    ``from None`` hides that one from tracebacks alone: logs and debuggers read ``__context__``.
    """
    try:
        raise error from None
    finally:
        error.__context__ = None
