"""Values worked out row by row inside an engine; ``summaries.expressions`` says what they are.

Each operation becomes columns of its own, made of columns before it, so that a query is as long as
the expression and no longer. A missing number is NULL here, which every operation passes on; no
number is out of reach of the next operation, so none can raise whatever rows an engine looks at.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

import narwhals as nw

from leastnoise.frames.engines.conditions import Entry as Held
from leastnoise.frames.engines.conditions import is_one_of, truth_of
from leastnoise.frames.engines.declared import ComputedText
from leastnoise.frames.engines.lattice import divided, plain_number, present, rounded
from leastnoise.summaries.calendar import REACH, steps
from leastnoise.summaries.expressions import (
    LARGEST,
    SMALLEST,
    WHOLE,
    Absent,
    Arithmetic,
    Both,
    Calendar,
    Choice,
    Compared,
    Either,
    Entry,
    Floor,
    Holds,
    Joined,
    Length,
    Lookup,
    Matches,
    Moment,
    Negation,
    Node,
    Number,
    Numeric,
    Slice,
    Text,
    TextChoice,
    TextEntry,
    TextLookup,
    Textual,
    Truth,
    Value,
    Whole,
    is_text,
    parts,
)

if TYPE_CHECKING:
    from leastnoise.frames.engines.conditions import Columns
    from leastnoise.frames.engines.engine import Lazy
    from leastnoise.summaries.constants import Constant

    Steps: TypeAlias = Generator[nw.Expr, Any, None]

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": divided,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_MATCHES: dict[str, Callable[[Any, str], Any]] = {
    "is": operator.eq,
    "starts": lambda text, constant: text.str.starts_with(constant),
    "ends": lambda text, constant: text.str.ends_with(constant),
    "contains": lambda text, constant: text.str.contains(constant, literal=True),
}


class Workings:
    """A query to which columns are added, round by round.

    ``columns(name)`` gives the expression and the type of a column of the table, ``moments`` the
    columns of the query in which times are counted. What depends on
    one another takes rounds, what does not stands side by side: an engine reads a query of many
    rounds slowly.
    """

    def __init__(self, frame: Lazy, columns: Columns, moments: Mapping[Moment, str]) -> None:
        self.frame, self.columns, self.moments = frame, columns, moments
        self.known: dict[Value, nw.Expr] = {}
        self.added = 0

    def add(self, values: Iterable[Value]) -> list[nw.Expr]:
        """Work out some values; the columns that hold them."""
        wanted = list(values)
        levels: dict[int, dict[Value, None]] = {}
        heights: dict[Node, int] = {}
        for value in wanted:
            _measure(value, heights, levels)
        for _, level in sorted(levels.items()):
            self._round({value: self._steps(value) for value in level})
        return [self.known[value] for value in wanted]

    def _round(self, working: dict[Value, Steps]) -> None:
        """Take the steps of values that do not depend on one another, side by side."""
        made: dict[Value, Any] = dict.fromkeys(working)  # no column before the first step
        while made:
            asked: dict[Value, nw.Expr] = {}
            for value, last in list(made.items()):
                try:
                    asked[value] = working[value].send(last)
                except StopIteration:
                    self.known[value] = made.pop(value)
            made = dict(self._side_by_side(asked))

    def _side_by_side(self, asked: dict[Value, nw.Expr]) -> Iterator[tuple[Value, nw.Expr]]:
        if not asked:
            return
        names = {value: f"w{self.added + i}" for i, value in enumerate(asked)}
        self.added += len(names)
        self.frame = self.frame.with_columns(
            *(column.alias(names[value]) for value, column in asked.items())
        )
        for value, name in names.items():
            yield value, nw.col(name)

    def _steps(self, value: Value) -> Steps:
        """Columns in order, each computed from those before it; the last is the value."""
        return self._text(value) if is_text(value) else self._number(value)

    def _within(self, number: nw.Expr) -> Steps:
        made = yield number
        yield nw.when(made.abs() <= LARGEST).then(made)

    def _number(self, value: Numeric) -> Steps:
        match value:
            case Number(constant):
                number = None if constant is None else float(constant)
                yield nw.lit(number, dtype=nw.Float64)
            case Entry(column):
                yield from self._within(self._plain_number(column))
            case Whole(column):
                yield self._plain_number(column)
            case Arithmetic(operation, left, right):
                one, other = self.known[left], self.known[right]
                if operation == "/":
                    other = yield nw.when(other.abs() >= SMALLEST).then(other)
                yield from self._within(_OPERATIONS[operation](one, other))
            case Floor(of):
                number = self.known[of]
                inner = yield nw.when(number.abs() < WHOLE).then(number)
                near = yield rounded(inner)
                yield nw.when(near > inner).then(near - 1.0).otherwise(near)
            case Choice(branches, otherwise):
                yield self._chosen(branches, otherwise)
            case Lookup(_, column, keys, values):
                numbers = [None if v is None else float(v) for v in values]
                yield self._looked_up(column, keys, numbers, nw.lit(None, dtype=nw.Float64))
            case Length(of):
                yield self.known[of].str.len_chars().cast(nw.Float64)
            case Moment():
                yield from self._within(nw.col(self.moments[value]).cast(nw.Float64))
            case Calendar(part, of):
                days = yield nw.when(self.known[of].abs() < REACH).then(self.known[of])
                yield from steps(part, days, _floored, _where)
            case _:
                assert_never(value)

    def _plain_number(self, column: str) -> nw.Expr:
        """An entry as a double."""
        found, dtype = self.columns(column)
        return nw.when(present(found, dtype)).then(plain_number(found, dtype).cast(nw.Float64))

    def _text(self, value: Textual) -> Steps:
        match value:
            case Text(constant):
                yield nw.lit(constant, dtype=nw.String)
            case TextEntry(column, keys):
                entry = Held.of(*self.columns(column))
                there = entry.there | is_one_of(entry, keys) if keys else entry.there
                yield nw.when(there).then(entry.value)
            case TextChoice(branches, otherwise):
                yield self._chosen(branches, otherwise)
            case TextLookup(_, column, keys, values):
                yield self._looked_up(column, keys, values, nw.lit(None, dtype=nw.String))
            case Slice(of, start, length):
                yield from self._plain(self.known[of].str.slice(start, length))
            case Joined(texts):
                each = [self.known[text] for text in texts]
                yield from self._plain(nw.concat_str(each, separator="", ignore_nulls=False))
            case _:
                assert_never(value)

    def _plain(self, text: nw.Expr) -> Steps:
        """A text as entries are read: without blanks around it, and missing where none is left."""
        made = yield text
        entry = Held.of(made, ComputedText())
        yield nw.when(entry.there).then(entry.value)

    def _looked_up(
        self,
        column: str,
        keys: Sequence[Constant],
        values: Sequence[float | str | None],
        nothing: nw.Expr,
    ) -> nw.Expr:
        """The value of the key that an entry equals; one condition a value, not one a key."""
        entry, found = Held.of(*self.columns(column)), nothing
        for value in dict.fromkeys(values):
            if value is not None:
                own = [key for key, its in zip(keys, values, strict=True) if its == value]
                found = nw.when(is_one_of(entry, own)).then(nw.lit(value)).otherwise(found)
        return found

    def _chosen(self, branches: tuple[tuple[Truth, Value], ...], otherwise: Value) -> nw.Expr:
        found = self.known[otherwise]
        for condition, chosen in reversed(branches):
            found = nw.when(self.truth(condition)[0]).then(self.known[chosen]).otherwise(found)
        return found

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
                blank = self.known[of].is_null()
                return blank, ~blank
            case Compared(sign, left, right):
                one, other = self.known[left], self.known[right]
                known = ~one.is_null() & ~other.is_null()
                true = known & _OPERATIONS[sign](one, other)
                return true, known & ~true
            case Matches(how, of, text):
                there = ~self.known[of].is_null()
                true = there & _MATCHES[how](self.known[of], text)
                return true, there & ~true
            case _:
                assert_never(condition)


def _floored(one: nw.Expr, other: int) -> nw.Expr:
    """The whole part of a quotient of whole numbers: half a unit below it none is a tie."""
    return rounded(divided(one * 2.0 - (other - 1.0), 2.0 * other))


def _where(condition: nw.Expr, one: nw.Expr, other: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(one).otherwise(other)


def _measure(node: Node, heights: dict[Node, int], levels: dict[int, dict[Value, None]]) -> int:
    """How many values stand above one another in a tree, and which of them at each height."""
    if node not in heights:
        inner = max((_measure(part, heights, levels) for part in parts(node)), default=0)
        match node:
            case Holds() | Negation() | Both() | Either() | Absent() | Compared() | Matches():
                heights[node] = inner
            case _:
                heights[node] = inner + 1
                levels.setdefault(inner + 1, {})[node] = None
    return heights[node]
