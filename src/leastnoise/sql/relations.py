"""What a query may name: columns of the private table, values that are worked out from a row.

Names are those of the schema. Without quotes their case does not matter, as long as one column is
meant; in double quotes it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from fractions import Fraction
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, TypeAlias

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames.table import find_column
from leastnoise.sql import nearest
from leastnoise.sql.forms import text_missing
from leastnoise.sql.names import as_name
from leastnoise.sql.results import days_of
from leastnoise.sql.schema import ColumnFacts
from leastnoise.summaries.columns import Clock, Reading, Time, declared
from leastnoise.summaries.expressions import (
    Absent,
    Both,
    Choice,
    Entry,
    Holds,
    Moment,
    Number,
    Numeric,
    TextEntry,
    Truth,
    Value,
    Whole,
    is_text,
)
from leastnoise.summaries.predicates import IsMissing

if TYPE_CHECKING:
    from leastnoise.frames import Table
    from leastnoise.sql.text import Query, Tree


@dataclass(frozen=True, slots=True)
class RawColumn:
    """A column of the table, before a query says whether it is read as numbers or as text."""

    name: str


@dataclass(frozen=True, slots=True)
class Timed:
    """A day that is worked out: its number, by a clock, and all that it can be if that is known."""

    value: Numeric
    clock: Clock
    keys: tuple[int, ...] | None


Cell: TypeAlias = RawColumn | Timed | Value


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows of the private table under the names that one FROM gives them.

    ``cells`` are values by name; those of the table itself have none of their own, and ``table``
    knows its columns. ``where`` is what the rows must satisfy.
    """

    query: Query
    table: Table
    cells: Mapping[str, Cell] | None = None
    where: Truth | None = None
    facts: Callable[[str], ColumnFacts] = lambda _: ColumnFacts()
    """What is declared of a column of the table."""
    names: tuple[str, ...] = ()
    others: Mapping[str, Mapping[str, Cell]] = field(
        default_factory=dict[str, "Mapping[str, Cell]"]
    )
    """What joined tables add, by their names."""
    merged: frozenset[tuple[str, str]] = frozenset()
    """Columns of joined tables that USING makes one with the private one: table and name."""

    def filtered(self, condition: Truth) -> Relation:
        """The rows for which a condition is true, too."""
        return replace(self, where=condition if self.where is None else Both(self.where, condition))

    def listed(self) -> dict[str, Cell]:
        """Every column, for ``SELECT *`` in a query of rows."""
        own: Mapping[str, Cell] = (
            {name: RawColumn(name) for name in self.table.column_names() or ()}
            if self.cells is None
            else self.cells
        )
        found = dict(own)
        for cells in self._unqualified():
            found |= {name: cell for name, cell in cells.items() if name not in found}
        return found

    def find(self, column: Tree) -> Cell:
        """What a name stands for.

        Raises
        ------
        QueryError, SchemaError
            If it stands for nothing, or for several things.
        """
        self.query.only(column, "this", "table")
        if column.is_star:
            self.query.refuse(column, "rows are never released: write COUNT(*), which counts them")
        name, quoted = column.name, bool(column.this.args.get("quoted"))
        qualifier = column.table
        own = self.cells if self.cells is not None else self._columns()
        places: list[Mapping[str, Cell]] = [own, *self._unqualified()]
        if qualifier:
            if same(qualifier, self.names):
                places = [own]
            elif found := same(qualifier, self.others):
                places = [self.others[found[0]]]
            else:
                known = ", ".join(map(as_name, [*self.names, *self.others])) or "none"
                self.query.refuse(
                    column, f"there is no table {qualifier} in this query; its tables are {known}"
                )
        found = [cells[match] for cells in places for match in same(name, cells, quoted=quoted)]
        if len(found) == 1:
            return self._readable(column, found[0])
        if found:
            tables = [*(self.names[:1] or ("t",)), *self.others]
            one, *_, last = (
                f"{as_name(table)}.{as_name(match)}"
                for table, cells in zip(tables, [own, *self.others.values()], strict=True)
                for match in same(name, cells, quoted=quoted)
            )
            cure = f"write {one} or {last}"
            alike = [match for cells in places for match in same(name, cells)]
            if len({*alike}) == len(alike) > 1 and not quoted:
                cure = "put the one that is meant in double quotes, " + " or ".join(
                    f'"{match}"' for match in alike
                )
            self.query.refuse(column, f"{name} is the name of several columns: {cure}")
        if self.cells is None:
            try:  # the table says what it knows of its names, or that it must not tell
                self.table.column_type(name)
            except ColumnTypeError:
                return self._readable(column, RawColumn(name))
            except SchemaError as error:
                told = _unknown(name, own) or str(error)  # where its names may be told, or not
                raise self.query.error(column, f"{told}{self._hint(name, quoted)}") from None
            return RawColumn(name)
        near = get_close_matches(name, [*self.cells], 1)
        meant = f" (did you mean {as_name(near[0])}?)" if near else ""
        return self.query.refuse(
            column,
            f"there is no column {name}{meant}; the columns are "
            f"{', '.join(map(as_name, self.cells))}{self._hint(name, quoted)}",
        )

    def _unqualified(self) -> list[Mapping[str, Cell]]:
        """What joined tables add where no table is named before the point."""
        return [
            {name: cell for name, cell in cells.items() if (table, name) not in self.merged}
            for table, cells in self.others.items()
        ]

    def _readable(self, column: Tree, found: Cell) -> Cell:
        """Refuse a column of a type that nothing here is asked of, by its declared type alone."""
        if not isinstance(found, RawColumn) or self.table.own_clock(found.name) is not None:
            return found
        with suppress(ColumnTypeError):
            self.table.column_type(found.name)
            return found
        if self.holds_text(found):
            return found
        name = as_name(found.name)
        return self.query.refuse(
            column,
            f"{name} has a type that is read as neither numbers, text, dates nor true and "
            "false, such as UUID, BLOB, TIME or a list: make a column of one of these where the "
            f"data comes from, CAST({name} AS VARCHAR) AS other or a field of it, and ask for that",
        )

    def _hint_of_form(self, name: str) -> str:
        """What a name of no column is in other dialects."""
        if name.startswith("$$"):
            return ": text stands in single quotes, 'N'"
        if name.startswith("$"):
            return ": queries take no parameters; write the constant"
        if name[:1] in "\u201c\u201d\u2018\u2019\u201e\u00ab":
            return ": text stands in straight quotes, 'N'"
        named = nearest.NAMED.get(name.upper())
        if named:
            return f": {name.upper()} is refused: {named}"
        return f"; text stands in single quotes: '{name}'"

    def _hint(self, name: str, quoted: bool) -> str:
        """What a name may mean if no column has it."""
        known = {each.strip().casefold(): each for each in self.listed()}
        near = get_close_matches(name.strip().casefold(), known, 1)
        if near and as_name(known[near[0]]) != known[near[0]]:
            return f"; a name like this stands in double quotes, {as_name(known[near[0]])}"
        if same(name, [one.alias for one in self.query.tree.expressions if one.alias]):
            return (
                f"; {name} is a name of the SELECT, which is not known among rows: write what it "
                "stands for, give it in WITH, or compare it in HAVING"
            )
        return f"; text stands in single quotes: '{name}'" if quoted else self._hint_of_form(name)

    def refuse_text(self, node: Tree) -> None:
        """Refuse a constant text that is the name of a column: names stand in double quotes."""
        inner = node
        while type(inner).__name__ == "Paren":
            inner = inner.this
        text = str(inner.this) if inner.args.get("is_string") else ""
        if found := same(text.strip(), self.listed()):
            self.query.refuse(
                node,
                f"'{text}' is a text, and the name of a column: names stand in double quotes, "
                f'"{found[0]}"',
            )

    def _columns(self) -> dict[str, Cell]:
        return {name: RawColumn(name) for name in self.table.column_names() or ()}

    def holds_numbers(self, column: RawColumn) -> bool:
        """Whether a column may be read as numbers: by its type, or else by its limits and keys."""
        try:
            typed = self.table.column_type(column.name).reading is not Reading.ENTRIES
        except ColumnTypeError:
            return False
        return typed or self.declared(column) not in ("text", "a date")

    def declared(self, column: RawColumn) -> str | None:
        """The declared kind of a column's entries; None if nothing is declared."""
        facts = self.facts(column.name)
        if self.moment(column) is not None:
            return "a date"
        if facts.keys is None:
            return None if facts.bounds is None else "a number"
        return "text" if all(isinstance(key, str) for key in facts.keys) else "a number"

    def is_unknown(self, column: RawColumn) -> bool:
        """Whether nothing says if a column holds numbers or text."""
        neither = self.holds_text(column) and self.holds_numbers(column)
        return neither and self.declared(column) is None

    def is_time(self, column: RawColumn) -> bool:
        """Whether a column holds dates or times by its type or its limits."""
        return self.moment(column) is not None or self.table.own_clock(column.name) is not None

    def clock(self, cell: Cell) -> Clock | None:
        """The clock of a date or time, by which a text beside it is read; None of other values."""
        if isinstance(cell, Timed):
            return cell.clock
        if not isinstance(cell, RawColumn):
            return None
        moment, own = self.moment(cell), self.table.own_clock(cell.name)
        declared = moment.clock if moment is not None and self.is_untyped(cell) else None
        return declared if own is None else own

    def is_local(self, column: RawColumn) -> bool:
        """Whether a column holds times, beside which dates are midnights."""
        moment, own = self.moment(column), self.table.own_clock(column.name)
        clock = own if moment is None else moment.clock
        return clock not in (None, Clock.DAY)

    def fitting(self, column: RawColumn, time: Time) -> Time:
        """A constant beside a column: beside days a midnight is its day, beside times the other."""
        moment, own = self.moment(column), self.table.own_clock(column.name)
        declared = None if moment is None else moment.clock
        days = Clock.DAY in (own, declared)
        if isinstance(time, timedelta):
            return time
        if not isinstance(time, datetime):
            local = not days and Clock.LOCAL in (own, declared)
            return datetime.combine(time, datetime.min.time()) if local else time
        if not days or time.tzinfo is not None:
            return time
        return time if time.hour or time.minute or time.second else time.date()

    def holds_text(self, column: RawColumn) -> bool:
        """Whether a column may hold text by its declared type."""
        try:
            self.table.text_type(column.name)
        except ColumnTypeError:
            return False
        return True

    def counts_text(self, column: RawColumn) -> bool:
        """Whether entries are counted as text: where that may be, and no number is declared."""
        facts = self.facts(column.name)
        numbers = facts.keys is not None and not any(isinstance(key, str) for key in facts.keys)
        return self.holds_text(column) and facts.bounds is None and not numbers

    def moment(self, column: RawColumn) -> Moment | None:
        """A column whose limits are declared as dates or times, by their clock."""
        facts = self.facts(column.name)
        clock = declared(list(facts.times or facts.dates or ()))[0]
        return None if clock is None else Moment(column.name, clock)

    def timed(self, column: RawColumn) -> Timed | None:
        """A column of dates whose keys are declared, or are the days between its limits."""
        moment, own = self.moment(column), self.table.own_clock(column.name)
        if moment is None and own is not None:
            moment = Moment(column.name, own)
        if moment is None:
            return None
        facts = self.facts(column.name)
        if facts.dates is None and moment.clock is not Clock.DAY:
            return None
        keys = days_of(facts) if facts.dates is None else moment.clock.numbers(facts.dates)
        return None if keys is None else Timed(moment, moment.clock, keys)

    def told_apart(self, column: RawColumn) -> Cell:
        """What entries are grouped and told apart by, where no keys are declared.

        Dates where the limits or the type are dates; else by the declared type. Of a column without
        one the schema decides: numbers where it has limits or keys of numbers, else text.
        """
        moment, own = self.moment(column), self.table.own_clock(column.name)
        if moment is None and own is not None:
            moment = Moment(column.name, own)
        if moment is not None:
            return Timed(moment, moment.clock, None)
        if self.counts_text(column):
            text = self.text(column.name)
            return text if text.keys else column
        return Whole(column.name) if self.holds_text(column) else column

    def is_untyped(self, column: RawColumn) -> bool:
        """Whether the data declares no type of a column, as text files and lists do not."""
        try:
            return self.table.column_type(column.name).reading is Reading.ENTRIES
        except ColumnTypeError:
            return False

    def absent(self, column: RawColumn) -> Truth:
        """Whether an entry is missing, as COUNT counts: entries that are not as declared are."""
        if not self.holds_text(column):
            return Holds(IsMissing(column.name))
        if (moment := self.moment(column)) is not None:
            return Absent(moment)
        if self.counts_text(column) or not self.holds_numbers(column):
            return text_missing(self.text(column.name))
        return Absent(Whole(column.name))

    def text(self, column: str) -> TextEntry:
        """The entries of a column as text: what is declared as a key is that text everywhere."""
        stand_ins = self.table.stand_ins(column)
        keys = [key for key in self.facts(column).keys or () if isinstance(key, str)]
        return TextEntry(column, tuple(key for key in keys if key in stand_ins))

    def is_text(self, cell: Cell) -> bool:
        """Whether a value is text, and not only may be."""
        if isinstance(cell, RawColumn):
            return not self.holds_numbers(cell) and not self.is_time(cell)
        return not isinstance(cell, Timed) and is_text(cell)

    def is_number(self, cell: Cell) -> bool:
        """Whether a value is a number, and not only may be one."""
        if isinstance(cell, RawColumn):
            return not self.holds_text(cell)
        return isinstance(cell, Timed) or (not is_text(cell) and cell != Number(None))

    def may_be_true(self, column: RawColumn) -> bool:
        """Whether a column is true or false by its declared type, or of none by the schema."""
        if not self.holds_numbers(column):
            return False
        reading = self.table.column_type(column.name).reading
        if reading is not Reading.ENTRIES:
            return reading in (Reading.BOOLEAN, Reading.NULL)
        facts = self.facts(column.name)
        if facts.keys is not None:
            return set(facts.keys) <= {False, True}
        return facts.bounds == (0, 1) and facts.step == 1

    def is_truth(self, column: RawColumn) -> bool:
        """Whether a column is true or false and no number, by its type or else its keys."""
        if not self.holds_numbers(column):
            return False
        reading = self.table.column_type(column.name).reading
        keys = self.facts(column.name).keys
        declared = bool(keys) and all(isinstance(key, bool) for key in keys or ())
        return reading is Reading.BOOLEAN or (reading is Reading.ENTRIES and declared)

    def is_typed_truth(self, column: RawColumn) -> bool:
        """Whether a column is true or false by its type, which tells its keys."""
        return self.is_truth(column) and not self.is_untyped(column)

    def means_truth(self, cell: Cell) -> bool:
        """Whether a value is true, false or NULL, and no number."""
        match cell:
            case RawColumn(column) | Entry(column) | Whole(column):
                return self.is_truth(RawColumn(column))
            case Number(value, truth):
                return truth and value is not None
            case Choice(branches, otherwise):
                chosen = (*(one for _, one in branches), otherwise)
                given = [one for one in chosen if one != Number(None)]
                return bool(given) and all(map(self.means_truth, given))
            case _:
                return False

    def truths(self, name: str) -> ColumnFacts:
        """What is declared of a column; of one that is true or false, that it is 1 or 0."""
        facts = self.facts(name)
        said = all(isinstance(key, bool) for key in facts.keys or ())
        if self.may_be_true(RawColumn(name)) and (said or facts.bounds is None):
            return ColumnFacts((Fraction(0), Fraction(1)), step=Fraction(1))
        return facts

    def settled(self, cell: Cell, *, text: bool = False) -> Value:
        """A value: of a column that may be either, the number, or the ``text``."""
        if isinstance(cell, Timed):
            return cell.value
        if not isinstance(cell, RawColumn):
            return cell
        moment = self.moment(cell)
        if moment is not None:
            return moment
        if text and self.counts_text(cell):
            return self.text(cell.name)
        return Entry(cell.name) if self.holds_numbers(cell) else self.text(cell.name)


def _unknown(name: str, known: Iterable[str]) -> str | None:
    """What is told of a name that none of these is; None where there are none."""
    names = [*known]
    try:
        find_column(name, names)
    except SchemaError as error:
        return str(error) if names else None
    return None


def same(name: str, known: Iterable[str], *, quoted: bool = False) -> list[str]:
    """The names that a name may stand for."""
    if quoted:
        return [other for other in known if other == name]
    return [other for other in known if folded(other) == folded(name)]


def folded(name: str) -> str:
    """A name without the case of A to Z: that of other letters matters, as in DuckDB."""
    return name.translate(_FOLDED)


_FOLDED = str.maketrans(ascii_uppercase, ascii_lowercase)
