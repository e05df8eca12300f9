"""Values computed row by row: public descriptions that every back end evaluates alike.

``price * quantity`` or a CASE is a frozen tree over the entries of one row. Every operation is
total: a result without a value (a missing entry, a division by zero, an overflow) is missing, never
an error, and every operation with a missing operand is missing.

Numbers are doubles of magnitude at most ``LARGEST``, rounded as IEEE 754 says. Two of them have a
sum, a difference and a product that no double overflows, and the quotient by a divisor of at least
``SMALLEST`` neither; so no engine, whatever its settings, can raise, wrap or give an infinity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from leastnoise.summaries.calendar import Part
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.constants import Constant, show_constant
from leastnoise.summaries.predicates import Leaf

if TYPE_CHECKING:
    from typing_extensions import TypeIs

LARGEST = 2.0**500
SMALLEST = 2.0**-500
WHOLE = 2.0**51
"""Numbers from here on have no floor: it is missing."""

Operation = Literal["+", "-", "*", "/"]
Sign = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Number:
    """A constant; None is missing. ``truth``: 1 and 0 are meant as true and false."""

    value: Fraction | None
    truth: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return "NULL" if self.value is None else show_constant(self.value)


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a column, read as a number."""

    column: str

    def __str__(self) -> str:
        return _quoted(self.column)


@dataclass(frozen=True, slots=True)
class Whole:
    """The same, however large it is, infinite ones too: no operation takes it but a choice."""

    column: str

    def __str__(self) -> str:
        return f"NUMBER({_quoted(self.column)})"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two numbers joined by a sign; by a divisor below ``SMALLEST`` in magnitude it is missing."""

    operation: Operation
    left: Numeric
    right: Numeric

    def __str__(self) -> str:
        return f"({self.left} {self.operation} {self.right})"


@dataclass(frozen=True, slots=True)
class Floor:
    """The largest whole number that is not above; missing from ``WHOLE`` on."""

    of: Numeric

    def __str__(self) -> str:
        return f"FLOOR({self.of})"


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of the first condition that is true, else the last."""

    branches: tuple[tuple[Truth, Numeric], ...]
    otherwise: Numeric

    def __str__(self) -> str:
        return _case(self.branches, self.otherwise)


@dataclass(frozen=True, slots=True)
class Text:
    """A constant text; None is missing."""

    value: str | None

    def __str__(self) -> str:
        return "NULL" if self.value is None else "'" + self.value.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class TextEntry:
    """The entry of a column, read as text without the blanks around it.

    ``keys`` are texts that are entries although they stand for a missing one elsewhere.
    """

    column: str
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        known = "".join(f", {Text(key)}" for key in self.keys)
        return f"TEXT({_quoted(self.column)}{known})"


@dataclass(frozen=True, slots=True)
class TextChoice:
    """The text of the first condition that is true, else the last."""

    branches: tuple[tuple[Truth, Textual], ...]
    otherwise: Textual

    def __str__(self) -> str:
        return _case(self.branches, self.otherwise)


@dataclass(frozen=True, slots=True)
class Lookup:
    """The number that a public table has for the entry of a column; missing where it has none.

    ``called`` is what the table and its column are called.
    """

    called: str
    column: str
    keys: tuple[Constant, ...]
    values: tuple[Fraction | None, ...]

    def __str__(self) -> str:
        return _looked_up(self)


@dataclass(frozen=True, slots=True)
class TextLookup:
    """The text that a public table has for the entry of a column; missing where it has none."""

    called: str
    column: str
    keys: tuple[Constant, ...]
    values: tuple[str | None, ...]

    def __str__(self) -> str:
        return _looked_up(self)


@dataclass(frozen=True, slots=True)
class Slice:
    """A number of characters of a text from a position on; a character is a code point.

    As all texts, what comes out has no blanks around it, and is missing where nothing is left.
    """

    of: Textual
    start: int
    length: int | None

    def __str__(self) -> str:
        return f"SUBSTR({self.of}, {self.start + 1}, {'' if self.length is None else self.length})"


@dataclass(frozen=True, slots=True)
class Joined:
    """Texts one after the other; missing where one of them is."""

    texts: tuple[Textual, ...]

    def __str__(self) -> str:
        return f"CONCAT({', '.join(map(str, self.texts))})"


@dataclass(frozen=True, slots=True)
class Length:
    """How many characters a text has."""

    of: Textual

    def __str__(self) -> str:
        return f"LENGTH({self.of})"


@dataclass(frozen=True, slots=True)
class Moment:
    """The entry of a column of dates or times, as the whole number of its clock."""

    column: str
    clock: Clock

    def __str__(self) -> str:
        return f"{self.clock.name}({_quoted(self.column)})"


@dataclass(frozen=True, slots=True)
class Calendar:
    """A part of the calendar, of a whole number of days since 1970; see ``calendar.steps``."""

    part: Part
    of: Numeric

    def __str__(self) -> str:
        return f"{self.part}({self.of})"


@dataclass(frozen=True, slots=True)
class Matches:
    """Whether a text is, starts with, ends with or contains a constant; unknown if missing."""

    how: Literal["is", "starts", "ends", "contains"]
    of: Textual
    text: str

    def __str__(self) -> str:
        return f"({self.of} {self.how.upper()} {Text(self.text)})"


@dataclass(frozen=True, slots=True)
class Holds:
    """A comparison of one column with constants, as ``leastnoise.col`` makes it."""

    leaf: Leaf

    def __str__(self) -> str:
        return str(self.leaf)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two numbers compared; unknown where one is missing."""

    sign: Sign
    left: Numeric
    right: Numeric

    def __str__(self) -> str:
        return f"({self.left} {self.sign} {self.right})"


@dataclass(frozen=True, slots=True)
class Absent:
    """Whether a number is missing; never unknown."""

    of: Numeric

    def __str__(self) -> str:
        return f"({self.of} IS NULL)"


@dataclass(frozen=True, slots=True)
class Negation:
    """True where the condition is false; unknown stays unknown."""

    of: Truth

    def __str__(self) -> str:
        return f"(NOT {self.of})"


@dataclass(frozen=True, slots=True)
class Both:
    """True where both are true, false where either is false."""

    left: Truth
    right: Truth

    def __str__(self) -> str:
        return f"({self.left} AND {self.right})"


@dataclass(frozen=True, slots=True)
class Either:
    """True where either is true, false where both are false."""

    left: Truth
    right: Truth

    def __str__(self) -> str:
        return f"({self.left} OR {self.right})"


Numeric: TypeAlias = (
    Number | Entry | Whole | Arithmetic | Floor | Choice | Lookup | Length | Moment | Calendar
)
Textual: TypeAlias = Text | TextEntry | TextChoice | TextLookup | Slice | Joined
Truth: TypeAlias = Holds | Compared | Absent | Negation | Both | Either | Matches
Value: TypeAlias = Numeric | Textual
Node: TypeAlias = Numeric | Textual | Truth


def parts(node: Node) -> tuple[Node, ...]:
    """The operands of one operation, from left to right."""
    match node:
        case (
            Arithmetic(left=left, right=right)
            | Compared(left=left, right=right)
            | Both(left=left, right=right)
            | Either(left=left, right=right)
        ):
            return left, right
        case (
            Floor(of=of)
            | Absent(of=of)
            | Negation(of=of)
            | Slice(of=of)
            | Length(of=of)
            | Calendar(of=of)
            | Matches(of=of)
        ):
            return (of,)
        case Joined(texts):
            return texts
        case Choice(branches, otherwise) | TextChoice(branches, otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """A tree and all that it is made of."""
    yield node
    for part in parts(node):
        yield from walk(part)


def replaced(node: Node, leaf: Callable[[Holds], Truth]) -> Node:
    """The same tree with other comparisons of columns; what stands in it twice is made once."""
    made: dict[int, Node] = {}

    def again(one: Any) -> Any:
        if isinstance(one, tuple):
            return tuple(map(again, one))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if isinstance(one, Holds):
            return leaf(one)
        if not parts(one):
            return one
        if id(one) not in made:
            named = {each.name: again(getattr(one, each.name)) for each in fields(one)}
            made[id(one)] = type(one)(**named)
        return made[id(one)]

    return again(node)


def is_text(value: Value) -> TypeIs[Textual]:
    """Whether a value is text rather than a number."""
    return isinstance(value, (Text, TextEntry, TextChoice, TextLookup, Slice, Joined))


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _looked_up(value: Lookup | TextLookup) -> str:
    """With a digest of the table: another one gives other values."""
    told = repr((value.keys, value.values)).encode()
    return f"{value.called} BY {_quoted(value.column)} ({sha256(told).hexdigest()[:16]})"


def _case(branches: tuple[tuple[Truth, Value], ...], otherwise: Value) -> str:
    listed = " ".join(f"WHEN {condition} THEN {value}" for condition, value in branches)
    return f"CASE {listed} ELSE {otherwise} END"
