"""Values worked out row by row inside an engine; ``summaries.expressions`` says what they are.

Each operation becomes a column of its own, made of columns before it, so that a query is as long
as the expression and no longer. A missing number is NULL here, which every operation passes on; no
number is out of reach of the next operation, so none can raise whatever rows an engine looks at.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from leastnoise.frames.engines.conditions import Entry as Held
from leastnoise.frames.engines.conditions import is_one_of, truth_of
from leastnoise.frames.engines.lattice import plain_number, present, rounded
from leastnoise.summaries.expressions import (
    LARGEST,
    SMALLEST,
    WHOLE,
    Absent,
    Arithmetic,
    Both,
    Choice,
    Compared,
    Either,
    Entry,
    Floor,
    Holds,
    Lookup,
    Negation,
    Number,
    Numeric,
    Text,
    TextChoice,
    TextEntry,
    TextLookup,
    Textual,
    Truth,
    Value,
)

if TYPE_CHECKING:
    import narwhals as nw

    from leastnoise.frames.engines.conditions import Columns
    from leastnoise.frames.engines.engine import Lazy
    from leastnoise.summaries.constants import Constant

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: one / other,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Workings:
    """A query to which columns are added, operation by operation.

    ``columns(name)`` gives the expression and the type of a column of the table.
    """

    def __init__(self, frame: Lazy, columns: Columns) -> None:
        self.frame, self.columns = frame, columns
        self.known: dict[Value, str] = {}
        self.added = 0

    def add(self, value: Value) -> str:
        """Work out a value; the name of its column."""
        if value not in self.known:
            match value:
                case Text() | TextEntry() | TextChoice() | TextLookup():
                    self.known[value] = self._text(value)
                case _:
                    self.known[value] = self._number(value)
        return self.known[value]

    def _named(self, column: nw.Expr) -> str:
        name, self.added = f"w{self.added}", self.added + 1
        self.frame = self.frame.with_columns(column.alias(name))
        return name

    def _of(self, value: Value) -> nw.Expr:
        import narwhals as nw

        return nw.col(self.add(value))

    def _within(self, number: nw.Expr, *, most: float = LARGEST) -> str:
        import narwhals as nw

        made = nw.col(self._named(number))
        return self._named(nw.when(made.abs() <= most).then(made))

    def _number(self, value: Numeric) -> str:
        import narwhals as nw

        match value:
            case Number(constant):
                number = None if constant is None else float(constant)
                return self._named(nw.lit(number, dtype=nw.Float64))
            case Entry(column):
                found, dtype = self.columns(column)
                there = present(found, dtype)
                return self._within(
                    nw.when(there).then(plain_number(found, dtype).cast(nw.Float64))
                )
            case Arithmetic(operation, left, right):
                one, other = self._of(left), self._of(right)
                if operation == "/":
                    other = nw.col(self._named(nw.when(other.abs() >= SMALLEST).then(other)))
                return self._within(_OPERATIONS[operation](one, other))
            case Floor(of):
                number = self._of(of)
                inner = nw.col(self._named(nw.when(number.abs() < WHOLE).then(number)))
                near = nw.col(self._named(rounded(inner)))
                return self._named(nw.when(near > inner).then(near - 1.0).otherwise(near))
            case Choice(branches, otherwise):
                return self._chosen(branches, otherwise)
            case Lookup(_, column, keys, values):
                numbers = [None if v is None else float(v) for v in values]
                return self._looked_up(column, keys, numbers, nw.lit(None, dtype=nw.Float64))
            case _:
                assert_never(value)

    def _text(self, value: Textual) -> str:
        import narwhals as nw

        match value:
            case Text(constant):
                return self._named(nw.lit(constant, dtype=nw.String))
            case TextEntry(column):
                entry = Held.of(*self.columns(column))
                return self._named(nw.when(entry.there).then(entry.value))
            case TextChoice(branches, otherwise):
                return self._chosen(branches, otherwise)
            case TextLookup(_, column, keys, values):
                return self._looked_up(column, keys, values, nw.lit(None, dtype=nw.String))
            case _:
                assert_never(value)

    def _looked_up(
        self,
        column: str,
        keys: Sequence[Constant],
        values: Sequence[float | str | None],
        nothing: nw.Expr,
    ) -> str:
        """The value of the key that an entry equals; one condition a value, not one a key."""
        import narwhals as nw

        entry, found = Held.of(*self.columns(column)), nothing
        for value in dict.fromkeys(values):
            if value is not None:
                own = [key for key, its in zip(keys, values, strict=True) if its == value]
                found = nw.when(is_one_of(entry, own)).then(nw.lit(value)).otherwise(found)
        return self._named(found)

    def _chosen(self, branches: tuple[tuple[Truth, Value], ...], otherwise: Value) -> str:
        import narwhals as nw

        found = self._of(otherwise)
        for condition, chosen in reversed(branches):
            value = self._of(chosen)
            found = nw.when(self.truth(condition)[0]).then(value).otherwise(found)
        return self._named(found)

    def truth(self, condition: Truth) -> tuple[nw.Expr, nw.Expr]:
        """(where it is true, where it is false), neither of them ever NULL."""
        match condition:
            case Holds(leaf):
                return truth_of(self.columns, leaf)
            case Negation(of):
                true, false = self.truth(of)
                return false, true
            case Both(left, right):
                one, other = self.truth(left), self.truth(right)
                return one[0] & other[0], one[1] | other[1]
            case Either(left, right):
                one, other = self.truth(left), self.truth(right)
                return one[0] | other[0], one[1] & other[1]
            case Absent(of):
                blank = self._of(of).is_null()
                return blank, ~blank
            case Compared(sign, left, right):
                one, other = self._of(left), self._of(right)
                known = ~one.is_null() & ~other.is_null()
                true = known & _OPERATIONS[sign](one, other)
                return true, known & ~true
            case _:
                assert_never(condition)
