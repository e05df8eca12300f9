"""From values and conditions to columns and filters that every table knows.

A column of the table is itself. Any other value becomes a column that is computed; its name is what
it is made of, so that records, ledgers and served answers tell one from another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from leastnoise.errors import ParameterError
from leastnoise.sql.forms import DEEPEST, TOO_DEEP, as_number, depth, size
from leastnoise.sql.rows import MOST_OPERATIONS
from leastnoise.summaries.expressions import (
    Both,
    Either,
    Entry,
    Holds,
    Negation,
    TextEntry,
    Truth,
    Value,
    walk,
)
from leastnoise.summaries.predicates import And, Compare, IsMissing, Not, Or

if TYPE_CHECKING:
    from leastnoise.summaries.predicates import Predicate

_LONGEST = 200  # characters of a name that is made of a value; of longer ones there is a digest


@dataclass(slots=True)
class Lowering:
    """Columns to be computed, by name."""

    values: dict[str, Value] = field(default_factory=dict[str, "Value"])

    def column(self, value: Value) -> str:
        """The name of a column that has this value."""
        if isinstance(value, (Entry, TextEntry)):
            return value.column
        return self._named(str(value), value)

    def _named(self, text: str, value: Value) -> str:
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - 20]}... ({sha256(text.encode()).hexdigest()[:16]})"
        for node in walk(value):
            if isinstance(node, Holds) and not isinstance(node.leaf, IsMissing) and node.leaf.clock:
                raise ParameterError(
                    "dates are compared in WHERE, joined by AND, OR and NOT, and in no computed "
                    "value: write DATE(column), whose limits are declared, or have a column of "
                    "days since a public date (docs/tables.md)"
                )
        if self.values.setdefault(text, value) != value:  # one name never stands for two values
            raise ParameterError(f"two values of the query are written alike, as {text}")
        return text

    def condition(self, truth: Truth) -> Predicate:
        """A filter that keeps the rows for which a condition is true."""
        if size(truth) > MOST_OPERATIONS:
            raise ParameterError(f"this takes more than {MOST_OPERATIONS} operations")
        if depth(truth) > DEEPEST:
            raise ParameterError(TOO_DEEP)
        return self._condition(truth)

    def _condition(self, truth: Truth) -> Predicate:
        from fractions import Fraction

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
                name = self._named(str(truth), as_number(truth))
                return Compare(name, "==", Fraction(1))
