"""The contract of a table, and how a column is found by its name."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn, TypeVar

from leastnoise._lazy import LazySequence
from leastnoise.errors import LeastNoiseError, ParameterTypeError, SchemaError
from leastnoise.frames.contract import Absent
from leastnoise.summaries.requests import Request, Summary

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.frames.memory.entries import PersonEntries
    from leastnoise.frames.memory.summarise import ColumnReader
    from leastnoise.randomness import BitSource
    from leastnoise.summaries.columns import Clock, Column, ColumnType
    from leastnoise.summaries.expressions import Value
    from leastnoise.summaries.graphs import Nodes
    from leastnoise.summaries.spec import MomentRequest, SpreadRequest
    from leastnoise.summaries.subset import Subset

Found = TypeVar("Found", bound=Summary)

TOTAL, MEAN = "total", "mean"
"""The column of a table of persons."""

NO_FILES = (
    "Paths in a list are entries, not files: give one path, or of many Parquet files a query, "
    "polars.scan_parquet(paths)"
)
"""A hint where, by the type alone, a list of paths may be meant."""
LISTED, SHOWN = 40, 200
"""How many names an error lists, and how much of each."""


class Table(ABC):
    """Columns with public names and types, and private values.

    A front end provides its columns. Summaries and groups have defaults, for columns that are read
    into this process. Users' own objects are wrapped by ``frames.foreign``.

    Guarantee
    ---------
    ``column_names`` and ``column_type`` are functions of the schema. ``column`` raises what
    ``column_type`` raises, before it looks at a value, and nothing that depends on a value. A file
    that is damaged or missing is a `SchemaError` that quotes nothing of it.
    """

    __slots__ = ()

    @abstractmethod
    def column_names(self) -> tuple[str, ...] | None:
        """Give the names in order, blank and repeated ones too; None for a bare array or series."""

    @abstractmethod
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

    @abstractmethod
    def column(self, name: str | None) -> Column:
        """NOT PRIVATE: read the values of one column, missing and unparsable ones included."""

    @abstractmethod
    def text_type(self, name: str | None) -> ColumnType:
        """Give the public type of a column that is read as text labels, from the schema alone.

        Raises
        ------
        SchemaError
            As `column_type`.
        ColumnTypeError
            If the type holds no text.
        """

    @abstractmethod
    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """NOT PRIVATE: read one column as positions in text labels.

        ``NO_LABEL`` (-1) where an entry is another one, ``MISSING`` (-2) where there is none.
        """

    @abstractmethod
    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """NOT PRIVATE: read one column as numbers that are equal where its texts are.

        Negative where an entry is missing; the numbers have no other meaning. For columns that hold
        text, or numbers of a wide type, which are distinguished by their digits.
        """

    @abstractmethod
    def row_count(self) -> int:
        """Count the rows; the caller decides whether that is public."""

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """NOT PRIVATE: read one column as `text_ids`, and the text of each number at least 0."""
        raise NotImplementedError

    @property
    def tells_texts(self) -> bool:
        """Whether there are ``text_values``."""
        return True

    def edges(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """NOT PRIVATE. Every edge of a graph once, as two arrays of positions of nodes."""
        raise SchemaError("a table of columns is opened as a graph before its edges are read")

    def own_clock(self, name: str | None) -> Clock | None:
        """The clock that the declared type of a column implies; None if it holds no times."""
        return None

    def stand_ins(self, name: str | None) -> frozenset[str]:
        """The texts that stand for a missing entry of a column, unless they are declared."""
        return Absent().texts

    def clocked(self, clocks: Mapping[str | None, Clock]) -> Table:
        """This table with some columns read as whole numbers by their clocks.

        Raises
        ------
        SchemaError
            As `column_type`.
        ColumnTypeError
            If the declared type of one holds no such times.
        """
        raise SchemaError("this table does not read dates; give numbers, such as days")

    @property
    def hides_row_count(self) -> bool:
        """Whether the content of a line decides if it is a row, so that their number is private."""
        return False

    def check_reach(self) -> None:  # noqa: B027  # empty on purpose: data in memory stays there
        """Refuse what can no longer be read, in a file or an engine; no value is looked at.

        Raises
        ------
        SchemaError
            If the file has gone or may not be read, or the engine runs no query.
        """

    def reader(self) -> ColumnReader:
        """NOT PRIVATE. The reader that answers requests; by default from whole columns."""
        from leastnoise.frames.memory.summarise import ColumnReader  # which is made of tables

        return ColumnReader(self)

    def summarise(self, request: Request[Found], depth: int | None) -> Found:
        """NOT PRIVATE. Read the table and make the summary of the request.

        ``depth`` is how many changes profiles will look at: a function of public parameters, None
        for all. Never raises on values: missing ones follow the request's policy, others are
        clipped.
        """
        return request.read(self.reader(), depth)

    def hold(self, names: Sequence[str | None]) -> Table:
        """NOT PRIVATE. This table, or some of its columns, read once for many questions.

        Rows keep their order.
        """
        from leastnoise.frames.memory.kept import KeptColumns  # which are made of tables

        return KeptColumns(self)

    def derive(self, values: Mapping[str, Value]) -> Table:
        """This table with further columns, computed row by row from its own when they are read.

        Raises
        ------
        SchemaError, ColumnTypeError
            If a column does not exist, or does not hold what is asked of it.
        """
        from leastnoise.frames.memory.derived import DerivedTable, check_values  # made of tables

        check_values(self, values)
        return DerivedTable(self, dict(values))

    def narrowed(self, names: Collection[str]) -> Table:
        """This table, or one with no other computed columns than these where that is faster."""
        return self

    def union(self) -> Table | None:
        """NOT PRIVATE. All rows of all groups, if this is one of the groups made by ``split``.

        None if, by the kind of the table, they do not form a table.
        """
        return None

    def person_totals(
        self,
        request: MomentRequest | SpreadRequest,
        person: str,
        *,
        whole: bool,
        squares: Squares | None = None,
    ) -> PersonTotals:
        """NOT PRIVATE. What the values of each person, or their squares, add up to, in steps.

        ``request`` has a lattice of origin 0 whose points, and all sums of distances between a
        person's points and another one, a double can hold. With ``whole``, for a lattice of whole
        numbers, totals are integers.
        """
        from leastnoise.frames.memory.persons import person_totals  # which are made of tables

        return person_totals(self, request, person, whole=whole, squares=squares)

    def person_entries(self, column: str | None, person: str) -> PersonEntries:
        """NOT PRIVATE. Which different entries of a column each person has."""
        from leastnoise.frames.memory.entries import PersonEntries
        from leastnoise.frames.memory.persons import person_codes  # which are made of tables

        return PersonEntries.of(person_codes(self, person), person_codes(self, column))

    def persons_beyond(
        self, subset: Subset, limits: Sequence[int], *, in_groups: bool = False
    ) -> list[int]:
        """NOT PRIVATE. For each limit, how many persons have more rows in a subset.

        Rows of all declared groups count. ``in_groups``: how many have rows in more groups.
        """
        from leastnoise.frames.memory.groups import persons_beyond  # which is made of tables

        return persons_beyond(self, subset, limits, in_groups=in_groups)

    def split(self, subset: Subset, source: BitSource) -> Sequence[Table]:
        """NOT PRIVATE. The tables of all groups in the order of the keys.

        Rows of a person beyond the limits are dropped at random, with ``source``.
        """
        from leastnoise.frames.memory.groups import split_rows  # which is made of tables

        return split_rows(self, subset, source)


@dataclass(frozen=True, slots=True)
class Squares:
    """The square of a point's distance from another, rounded down to whole steps of its own.

    ``scale``: how many of these steps the square of one step of the points is.
    """

    centre: int
    scale: float
    step: Fraction
    most: int


class PersonTotals(ABC):
    """NOT PRIVATE. What the values of each person add up to, one person a row, in any order."""

    __slots__ = ()

    @abstractmethod
    def count(self) -> int:
        """How many values there are."""

    @abstractmethod
    def about(self, centre: int = 0) -> Table:
        """A table of the sum and the mean of each person's distances from a lattice point."""


class Divided(LazySequence[Table]):
    """NOT PRIVATE. The tables of all groups in the order of the keys, made when asked for."""

    __slots__ = ()

    def summaries(self, request: Request[Found], depth: int | None) -> Sequence[Found]:
        """The summary of every group; computed at once where a back end can."""
        return [table.summarise(request, depth) for table in self]

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return f"{type(self).__name__}(NOT PRIVATE)"


def split(table: Table, subset: Subset, source: BitSource) -> Sequence[Table]:
    """NOT PRIVATE. The tables of all groups in the order of the keys; never raises on values.

    Without keys there is one.
    """
    return table.split(subset, source) if subset.by_content else [table]


def check_reach(path: Path) -> None:
    """Refuse a file that can no longer be read."""
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
            f"column {name!r} was asked of a bare array, list or series, which has no column names:"
            f" of rows, such as dicts or records, make a frame, pandas.DataFrame(data); of one "
            f"column leave the name out, or give {{{name!r}: data}}. {NO_FILES}"
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
        from difflib import get_close_matches  # only for an error

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


def class_name(data: object) -> str:
    """The name of the class of some data; that of a ctypes array would tell its length."""
    return "ctypes.Array" if isinstance(data, ctypes.Array) else type(data).__name__


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
        levels = any(isinstance(label, tuple) for label in labels)
        joined = "by frame.columns = ['_'.join(x) for x in frame.columns]"
        cure = joined if levels else "to be used"
        notes.append(f"{other} whose label is not text, which must be renamed {cure}")
    return f"{found} {shown}{more}" + (f" ({'; '.join(notes)})" if notes else "")


def raise_alone(error: LeastNoiseError) -> NoReturn:
    """Raise without the exception that is being handled, which may quote data.

    ``from None`` hides it in tracebacks only: logs and debuggers read ``__context__``.
    """
    try:
        raise error from None
    finally:
        error.__context__ = None
