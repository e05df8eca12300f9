"""Row-wise conditions on columns: public descriptions that every back end translates.

``col("age") >= 18`` is a frozen tree of comparisons with constants, joined by ``&``, ``|`` and
``~``. It reads nothing; each row is judged by its own entries alone, so one changed record changes
one row of what is left. Logic has three values, as in SQL: a comparison with a missing entry is
neither true nor false, and a filter keeps a row only where its condition is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import update_wrapper
from typing import TYPE_CHECKING, Literal, NoReturn

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.params import explained
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.constants import (
    Constant,
    parse_timed,
    show_constant,
)

Operator = Literal["==", "!=", "<", "<=", ">", ">="]


_COMPUTED = (
    "a condition compares a column with constants by == != < <= > >=, .is_in([...]), "
    ".between(low, high) or .is_missing(); compute what else you need as a column of the data, row "
    "by row, or ask in SQL"
)
# Methods of data frames, and what a condition has.
_METHODS = {
    **dict.fromkeys(("isin",), "write .is_in([...])"),
    **dict.fromkeys(("isna", "isnull", "is_null", "is_nan"), "write .is_missing()"),
    **dict.fromkeys(("notna", "notnull", "is_not_null"), "write ~col(...).is_missing()"),
    **dict.fromkeys(("is_between",), "write .between(low, high)"),
    **{
        name: f"write col(...) {sign} constant"
        for name, sign in zip(
            ("eq", "ne", "lt", "le", "gt", "ge"), ("==", "!=", "<", "<=", ">", ">="), strict=True
        )
    },
}


class Condition:
    """The operators of all conditions: ``&``, ``|`` and ``~``; Python's own ``and`` is refused."""

    __slots__ = ()

    def __and__(self, other: object) -> Predicate:
        return And(as_predicate(self, "&"), as_predicate(other, "&"))

    def __or__(self, other: object) -> Predicate:
        return Or(as_predicate(self, "|"), as_predicate(other, "|"))

    def __invert__(self) -> Predicate:
        return Not(as_predicate(self, "~"))

    def __rand__(self, other: object) -> NoReturn:
        raise _needs_brackets(other, "&")

    def __ror__(self, other: object) -> NoReturn:
        raise _needs_brackets(other, "|")

    def __bool__(self) -> NoReturn:
        raise ParameterTypeError(
            "a condition on columns is neither true nor false before it is applied: join conditions"
            " by &, | and ~ with brackets around each, not by and, or, not; write a range as "
            "col('age').between(18, 65), and membership as col('s').is_in([...])"
        )


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    """One column against one constant."""

    column: str
    operator: Operator
    value: Constant
    clock: Clock | None = None

    def __str__(self) -> str:
        return f"col({self.column!r}) {self.operator} {show_constant(self.value, self.clock)}"


@dataclass(frozen=True, slots=True)
class IsIn(Condition):
    """One column equals one of several constants, all text, all numbers or all times."""

    column: str
    values: tuple[Constant, ...]
    clock: Clock | None = None

    def __str__(self) -> str:
        shown = ", ".join(show_constant(value, self.clock) for value in self.values)
        return f"col({self.column!r}).is_in([{shown}])"


@dataclass(frozen=True, slots=True)
class IsMissing(Condition):
    """One column has no entry: None, NaN, a null or blank text. Never unknown."""

    column: str

    def __str__(self) -> str:
        return f"col({self.column!r}).is_missing()"


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """True where the condition is false; unknown stays unknown."""

    inner: Predicate

    def __str__(self) -> str:
        return f"~{_bracketed(self.inner)}"


@dataclass(frozen=True, slots=True)
class And(Condition):
    """True where both are true, false where either is false."""

    left: Predicate
    right: Predicate

    def __str__(self) -> str:
        return f"{_bracketed(self.left)} & {_bracketed(self.right)}"


@dataclass(frozen=True, slots=True)
class Or(Condition):
    """True where either is true, false where both are false."""

    left: Predicate
    right: Predicate

    def __str__(self) -> str:
        return f"{_bracketed(self.left)} | {_bracketed(self.right)}"


Leaf = Compare | IsIn | IsMissing
Predicate = Leaf | Not | And | Or


@dataclass(frozen=True, slots=True, eq=False)
class NamedColumn:
    """A column by its name, to be compared with constants. Made by ``col``."""

    name: str

    # A condition on rows, as in narwhals or Polars, where object's == would give a bool.
    def __eq__(self, other: object) -> Predicate:  # type: ignore[override]  # a condition, no bool
        return self.compare("==", other)

    def __ne__(self, other: object) -> Predicate:  # type: ignore[override]  # a condition, no bool
        return self.compare("!=", other)

    def __lt__(self, other: object) -> Predicate:
        return self.compare("<", other)

    def __le__(self, other: object) -> Predicate:
        return self.compare("<=", other)

    def __gt__(self, other: object) -> Predicate:
        return self.compare(">", other)

    def __ge__(self, other: object) -> Predicate:
        return self.compare(">=", other)

    def is_in(self, values: object) -> Predicate:
        """Whether the entry equals one of these constants: all text, all numbers or all times."""
        clock, known = parse_timed(values, f"is_in of column {self.name!r}")
        return IsIn(self.name, known, clock)

    @explained
    def between(self, low: object, high: object) -> Predicate:
        """Whether the entry lies between two numbers or times, ends included.

        Raises
        ------
        ParameterError, ParameterTypeError
            If an end is neither, or if low > high.
        """
        clock, ends = parse_timed([low, high], f"between of column {self.name!r}")
        first, last = ends
        if not isinstance(first, Fraction) or not isinstance(last, Fraction):
            raise _unordered(self.name)
        if first > last:
            raise ParameterError(f"between needs low <= high, got {quoted(low)} and {quoted(high)}")
        least = Compare(self.name, ">=", first, clock)
        return And(least, Compare(self.name, "<=", last, clock))

    def is_missing(self) -> Predicate:
        """Whether there is no entry: None, NaN, a null or blank text."""
        return IsMissing(self.name)

    def compare(self, operator: Operator, other: object) -> Predicate:
        """The column beside a constant, by an operator that was read from a text.

        Raises
        ------
        ParameterError, ParameterTypeError
            If the constant is not text, a number or a time, or is text that would need an order.
        """
        if isinstance(other, (NamedColumn, Condition)):
            raise ParameterTypeError(
                f"column {self.name!r} is compared with text or a number, not with another column "
                "or condition; put brackets around each comparison"
            )
        clock, (value,) = parse_timed([other], f"the constant for column {self.name!r}")
        if isinstance(value, str) and operator not in ("==", "!="):
            raise _unordered(self.name)
        return Compare(self.name, operator, value, clock)

    if not TYPE_CHECKING:  # a type checker tells of such names itself

        def __getattr__(self, name: str) -> NoReturn:
            told = f"a column of a condition has no {name!r}"
            if not name.startswith("_"):
                told += f": {_METHODS.get(name, _COMPUTED)}"
            raise AttributeError(told, name=name, obj=self)

        def __add__(self, other: object) -> NoReturn:
            raise ParameterTypeError(f"nothing is computed from column {self.name!r}: {_COMPUTED}")

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
        __mod__ = __pow__ = __floordiv__ = __add__

        def __neg__(self) -> NoReturn:
            self + 0

        __abs__ = __neg__

    def __and__(self, other: object) -> NoReturn:
        raise _bare(self.name)

    __or__ = __rand__ = __ror__ = __and__

    def __invert__(self) -> NoReturn:
        raise _bare(self.name)

    def __bool__(self) -> NoReturn:
        raise _bare(self.name)

    def __contains__(self, item: object) -> NoReturn:
        raise ParameterTypeError(f"a column holds no public values to look in: {self.name!r}")


class _ByName:
    """A function of a name; where the name was written as an attribute, how to write it."""

    def __init__(self, call: Callable[[str], NamedColumn]) -> None:
        update_wrapper(self, call)
        self._call = call

    def __call__(self, name: str) -> NamedColumn:
        return self._call(name)

    def __reduce__(self) -> str:
        return self._call.__name__

    if not TYPE_CHECKING:  # a type checker tells of such names itself

        def __getattr__(self, name: str) -> NoReturn:
            hint = "" if name.startswith("_") else f": write col({name!r})"
            raise AttributeError(f"col has no attribute {name!r}{hint}")


@_ByName
def col(name: str) -> NamedColumn:
    """A column by its name, for conditions on rows.

    Compare it with ``== != < <= > >=``, ``.is_in([...])``, ``.between(low, high)`` or
    ``.is_missing()``, and join conditions by ``&``, ``|`` and ``~``, with brackets around each. A
    row is kept where the whole condition is true; a missing entry satisfies no comparison, nor its
    negation.

    Parameters
    ----------
    name : str
        The name of the column, as in the file or frame.

    Raises
    ------
    ParameterTypeError, ParameterError
        If the name is not text, or blank. Comparisons raise them for constants that are neither
        text nor a finite number.

    Notes
    -----
    How entries are compared is the same for every kind of table: see
    ``leastnoise.summaries.constants``. A filter removes rows by their content, so under
    "replace-one" the number of rows that are left is private ("edit").

    Examples
    --------
    >>> import leastnoise as ln
    >>> print((ln.col("age") >= 18) & ~ln.col("region").is_in(["N", "S"]))
    (col('age') >= 18) & (~(col('region').is_in(['N', 'S'])))
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"a column name must be text, not {type(name).__name__}")
    if not name.strip():
        raise ParameterError("a column name must not be blank: give the column of the file a name")
    return NamedColumn(name)


def as_predicate(value: object, what: str = "where") -> Predicate:
    """The condition, or an error that says how to write one."""
    if isinstance(value, Predicate):
        return value
    if isinstance(value, NamedColumn):
        raise _bare(value.name)
    hint = ""
    if callable(value):
        hint = "; functions of rows are not called: write it with col"
    elif isinstance(value, str):
        hint = ": conditions in text are for plans and the command line, here write it with col"
    elif hasattr(type(value), "__len__"):
        hint = ": of a mask nobody knows how it was made, so write it with col"
    raise ParameterTypeError(
        f"{what} takes a condition on columns, such as col('age') >= 18, with brackets around each "
        f"comparison that is joined; not {type(value).__name__}{hint}"
    )


def leaves(predicate: Predicate) -> Iterator[Leaf]:
    """The comparisons of a condition, from left to right."""
    match predicate:
        case Not(inner):
            yield from leaves(inner)
        case And(left, right) | Or(left, right):
            yield from leaves(left)
            yield from leaves(right)
        case _:
            yield predicate


def counted(predicate: Predicate) -> Predicate:
    """The same condition for a table whose times are read as whole numbers already."""
    match predicate:
        case Compare() | IsIn():
            return replace(predicate, clock=None)
        case Not(inner):
            return Not(counted(inner))
        case And(left, right):
            return And(counted(left), counted(right))
        case Or(left, right):
            return Or(counted(left), counted(right))
        case IsMissing():
            return predicate


def _bracketed(predicate: Predicate) -> str:
    return f"({predicate})"


def _needs_brackets(other: object, sign: str) -> ParameterTypeError:
    return ParameterTypeError(
        f"{sign} binds before comparisons in Python, so it met {type(other).__name__} here: put "
        f"brackets around each comparison, (col('a') > 1) {sign} (col('b') < 2)"
    )


def _bare(name: str) -> ParameterTypeError:
    return ParameterTypeError(
        f"column {name!r} alone is not a condition: compare it, such as col({name!r}) == 1, with "
        "brackets around each comparison; join by &, | and ~, not by and, or, not; write a range as"
        " .between(low, high)"
    )


def _unordered(name: str) -> ParameterTypeError:
    return ParameterTypeError(
        f"text in column {name!r} has no order here: use ==, != or .is_in([...]), or compare with "
        "a number or a date, as datetime.date(2024, 1, 31)"
    )
