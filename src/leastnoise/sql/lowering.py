"""From values and conditions to columns and filters that every table knows.

A column of the table is itself. Any other value becomes a column that is computed; its name is what
it is made of, so that records, ledgers and served answers tell one from another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterError
from leastnoise.frames.memory.derived import check_values
from leastnoise.sql.forms import DEEPEST, TOO_DEEP, any_of, as_number, depth, size
from leastnoise.sql.rows import MOST_OPERATIONS
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.expressions import (
    Absent,
    Both,
    Compared,
    Either,
    Entry,
    Holds,
    Moment,
    Negation,
    Number,
    TextEntry,
    Truth,
    Value,
    replaced,
)
from leastnoise.summaries.predicates import And, Compare, IsIn, IsMissing, Not, Or, Predicate

if TYPE_CHECKING:
    from leastnoise.frames import Table

_LONGEST = 200  # characters of a name that is made of a value; of longer ones there is a digest


@dataclass(slots=True)
class Lowering:
    """Columns to be computed from those of a table, by name."""

    table: Table
    values: dict[str, Value] = field(default_factory=dict[str, "Value"])

    def column(self, value: Value) -> str:
        """The name of a column that has this value."""
        match value:
            case Entry(column) | TextEntry(column, ()):
                return column
            case _:
                pass
        told: Any = replaced(value, self._told)
        return self._named(str(told), told)

    def _named(self, text: str, value: Value) -> str:
        if depth(value) > DEEPEST:  # a list of dates may have become long
            raise ParameterError(TOO_DEEP)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - 20]}... ({sha256(text.encode()).hexdigest()[:16]})"
        if self.values.setdefault(text, value) != value:  # one name never stands for two values
            raise ParameterError(f"two values of the query are written alike, as {text}")
        check_values(self.table, {text: value})
        return text

    def _told(self, holds: Holds) -> Truth:
        """A comparison inside a value: there dates and times are the numbers of their clocks."""
        match holds.leaf:
            case Compare(column, sign, Fraction() as number, Clock() as clock):
                return Compared(sign, Moment(column, clock), Number(number))
            case IsIn(column, numbers, Clock() as clock):
                moment = Moment(column, clock)
                constants = [Number(each) for each in numbers if isinstance(each, Fraction)]
                return any_of([Compared("==", moment, each) for each in constants])
            case IsMissing(column):
                own = self.table.own_clock(column)
                return holds if own is None else Absent(Moment(column, own))
            case _:
                return holds

    def condition(self, truth: Truth) -> Predicate:
        """A filter that keeps the rows for which a condition is true."""
        if size(truth) > MOST_OPERATIONS:
            raise ParameterError(f"this takes more than {MOST_OPERATIONS} operations")
        if depth(truth) > DEEPEST:
            raise ParameterError(TOO_DEEP)
        return self._condition(truth)

    def _condition(self, truth: Truth) -> Predicate:
        match truth:
            case Holds(leaf):
                return leaf
            case Negation(of):
                return Not(self._condition(of))
            case Both(left, right):
                return And(self._condition(left), self._condition(right))
            case Either(left, right):
                return Or(self._condition(left), self._condition(right))
            case _:
                told: Any = replaced(truth, self._told)
                name = self._named(str(told), as_number(told))
                return Compare(name, "==", Fraction(1))
