"""Conditions on rows written as text: ``age >= 18 and state in ["N", "S"]``.

The text is parsed by Python's grammar and only the forms listed in ``parse_condition`` are
taken; nothing is evaluated, looked up or called.
"""

from __future__ import annotations

import ast
import re
from datetime import date, datetime, timedelta
from keyword import iskeyword
from typing import Any, NoReturn

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.summaries.constants import show_constant
from leastnoise.summaries.predicates import (
    And,
    Compare,
    IsIn,
    IsMissing,
    NamedColumn,
    Not,
    Operator,
    Or,
    Predicate,
    as_predicate,
    col,
)

LONGEST = 10_000
MOST_PARTS = 200

_FORMS = (
    'write it like age >= 18 and state in ["N", "S"]: columns compared with text, numbers or '
    'date("2024-01-31") by == != < <= > >=, in, not in, is_missing(column), joined by and, or, '
    "not and brackets; put a name with spaces or signs in backticks, `hours-per-week`"
)
# Text in quotes, or a name in backticks: a sign inside one does not end the other.
_QUOTED = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|`([^`\n]*)`""")

_SIGNS: dict[type[ast.cmpop], Operator] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_ISO = {"date": date, "datetime": datetime}
_TIMES = (*_ISO, "timedelta")
_MIRRORED: dict[Operator, Operator] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


def parse_condition(text: object) -> Predicate:
    """The condition that a text describes.

    Parameters
    ----------
    text : str
        Comparisons ``column sign constant`` (or the other way round, or chained as in
        ``18 <= age < 65``) with ``== != < <= > >=``; ``column in [...]`` and ``not in``;
        ``is_missing(column)``; ``between(column, low, high)``; joined by ``and``, ``or``, ``not``
        and brackets. A column is a name, ``col("any name")`` or a name in backticks. A constant is
        a number, text in quotes, ``date("2024-01-31")``, ``datetime("2024-01-31T12:30")`` or
        ``timedelta(hours=8)``.

    Raises
    ------
    ParameterError, ParameterTypeError
        For anything else, with the cure. The condition itself is public, so it is quoted.

    Examples
    --------
    >>> print(parse_condition('age >= 18 and `home state` not in ["N", "S"]'))
    (col('age') >= 18) & (~(col('home state').is_in(['N', 'S'])))
    """
    if not isinstance(text, str):
        raise ParameterTypeError(f"a condition must be text, not {type(text).__name__}")
    if not text.strip():
        raise ParameterError(f"a condition must not be blank: omit it, or {_FORMS}")
    if len(text) > LONGEST:
        raise ParameterError(f"a condition may have at most {LONGEST} characters")
    named = _QUOTED.sub(lambda m: m[1] or f"col({m[2]!r})", text.strip())
    try:
        tree = ast.parse(f"({named}\n)", mode="eval").body
        counted = (ast.Compare, ast.Call, ast.UnaryOp)
        if sum(isinstance(node, counted) for node in ast.walk(tree)) > MOST_PARTS:
            raise ParameterError(
                f"a condition may have at most {MOST_PARTS} comparisons: write column in [...] for "
                "many values"
            )
        return as_predicate(_Reader(text.strip()).condition(tree), "a condition")
    except SyntaxError as error:
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "''", named)
        hint = next((f"; {cure}" for sign, cure in _OTHERS.items() if re.search(sign, bare)), "")
        reason = "it ends too early" if error.offset is None else "it is not well formed"
        raise ParameterError(f"{reason}: {text.strip()!r}{hint}; {_FORMS}") from None
    except (RecursionError, MemoryError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            f"a condition is nested too deeply, or contains a zero byte; {_FORMS}"
        ) from None


# How other languages write, and what to write here.
_OTHERS = {
    r"[^=!<>]=[^=]": "use == for equality",
    r"\b(?:AND|OR|NOT)\b": "write and, or and not in small letters",
    r"&&|\|\|": "write and for &&, or for ||",
    r"(?i)\bbetween\b": "write age >= 18 and age <= 65 for BETWEEN",
    r"<>": "write != for <>",
    r"\bIN\b": "write in ['a', 'b'] for IN",
    r"(?i)\blike\b": "a column is compared with constants, and LIKE is for SQL",
}


def written(condition: Predicate) -> str:
    """The text of a condition, which ``parse_condition`` reads as the same.

    Examples
    --------
    >>> written(parse_condition("not is_missing(age) and `home state` != 'N'"))
    "not is_missing(age) and `home state` != 'N'"
    """
    match condition:
        case Compare(name, sign, value, clock):
            return f"{_name(name)} {sign} {show_constant(value, clock)}"
        case IsIn(name, values, clock):
            return f"{_name(name)} in [{', '.join(show_constant(x, clock) for x in values)}]"
        case IsMissing(name):
            return f"is_missing({_name(name)})"
        case Not(IsIn(name, values, clock)):
            return f"{_name(name)} not in [{', '.join(show_constant(x, clock) for x in values)}]"
        case Not(inner):
            return f"not {_inner(inner)}"
        case And(left, right):
            return f"{_inner(left)} and {_inner(right)}"
        case Or(left, right):
            return f"{_inner(left)} or {_inner(right)}"


def _inner(condition: Predicate) -> str:
    return f"({written(condition)})" if isinstance(condition, (And, Or)) else written(condition)


def _name(name: str) -> str:
    if name.isidentifier() and not iskeyword(name):
        return name
    return f"col({name!r})" if "`" in name else f"`{name}`"


class _Reader:
    """From the syntax tree to the condition; ``text`` is for messages."""

    def __init__(self, text: str) -> None:
        self.text = text

    def condition(self, node: ast.expr) -> Predicate:
        match node:
            case ast.BoolOp(op=ast.And(), values=[first, *others]):
                found = self.condition(first)
                for other in others:
                    found = found & self.condition(other)
                return found
            case ast.BoolOp(op=ast.Or(), values=[first, *others]):
                found = self.condition(first)
                for other in others:
                    found = found | self.condition(other)
                return found
            case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
                return self.condition(left) & self.condition(right)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.condition(left) | self.condition(right)
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=inner):
                return Not(self.condition(inner))
            case ast.Compare(left=left, ops=ops, comparators=others):
                terms = [left, *others]
                found = self.comparison(terms[0], ops[0], terms[1])
                for i, sign in enumerate(ops[1:], start=1):
                    found = found & self.comparison(terms[i], sign, terms[i + 1])
                return found
            case ast.Call(func=ast.Name(id="is_missing"), args=[column], keywords=[]):
                return self.column(column).is_missing()
            case ast.Call(func=ast.Name(id="between"), args=[column, low, high], keywords=[]):
                return self.column(column).between(self.constant(low), self.constant(high))
            case ast.Call(
                func=ast.Attribute(value=column, attr="is_missing"), args=[], keywords=[]
            ):
                return self.column(column).is_missing()
            case ast.Call(
                func=ast.Attribute(value=column, attr="is_in"), args=[values], keywords=[]
            ):
                return self.column(column).is_in(self.constants(values))
            case ast.Call(
                func=ast.Attribute(value=column, attr="between"), args=[low, high], keywords=[]
            ):
                return self.column(column).between(self.constant(low), self.constant(high))
            case _:
                self.refuse(node)

    def comparison(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Predicate:
        if isinstance(sign, ast.In):
            return self.column(left).is_in(self.constants(right))
        if isinstance(sign, ast.NotIn):
            return Not(self.column(left).is_in(self.constants(right)))
        if isinstance(sign, (ast.Is, ast.IsNot)):
            raise ParameterError(
                f"'is' cannot be used in {self.text!r}; write is_missing(column) or "
                "not is_missing(column)"
            )
        written = _SIGNS[type(sign)]
        if _isshow_constant(left):
            if _isshow_constant(right):
                raise ParameterError(
                    f"{ast.unparse(left)} {written} {ast.unparse(right)} compares two constants in "
                    f"{self.text!r}; one side must be a column, without quotes"
                )
            left, right, written = right, left, _MIRRORED[written]
        column, constant = self.column(left), self.constant(right)
        return column.compare(written, constant)

    def column(self, node: ast.expr) -> NamedColumn:
        match node:
            case ast.Name(id=name):
                return col(name)
            case ast.Call(
                func=ast.Name(id="col") | ast.Attribute(value=ast.Name(id="ln"), attr="col"),
                args=[ast.Constant(value=str(name))],
                keywords=[],
            ):
                return col(name)
            case _:
                raise ParameterError(
                    f"{self.written(node)} is not a column in {self.text!r}; put a name with "
                    "spaces or signs in backticks, `hours-per-week`, and compare text with a "
                    "column, never with text"
                )

    def constants(self, node: ast.expr) -> list[object]:
        if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            raise ParameterError(
                f"{self.written(node)} is not a list in {self.text!r}; write ['N', 'S'] after in"
            )
        return [self.constant(entry) for entry in node.elts]

    def constant(self, node: ast.expr) -> object:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return value
            case ast.UnaryOp(
                op=ast.USub() | ast.UAdd() as sign,
                operand=ast.Constant(value=int() | float() as value),
            ) if not isinstance(value, bool):
                return -value if isinstance(sign, ast.USub) else value
            case ast.Call(func=ast.Name(id=kind)) if kind in _TIMES:
                return self.time(kind, node)
            case ast.Name(id=name):
                raise ParameterError(
                    f"{name} is not a constant in {self.text!r}; put text in quotes, and compare "
                    "columns with constants, not with one another"
                )
            case _:
                raise ParameterError(
                    f"{self.written(node)} is not a constant in {self.text!r}; write a number, "
                    'text in quotes, or date("2024-01-31")'
                )

    def time(self, kind: str, node: ast.Call) -> date | timedelta:
        try:
            match node:
                case ast.Call(args=[ast.Constant(value=str(text))], keywords=[]) if kind in _ISO:
                    return _ISO[kind].fromisoformat(text)
                case ast.Call(args=[], keywords=[ast.keyword(arg=str(unit), value=amount)]):
                    if kind == "timedelta" and unit in ("days", "hours", "minutes", "seconds"):
                        given: Any = self.constant(amount)
                        return timedelta(**{unit: given})
                case _:
                    pass
        except (ValueError, TypeError, OverflowError):
            pass
        raise ParameterError(
            f'{self.written(node)} is not a time in {self.text!r}; write date("2024-01-31"), '
            'datetime("2024-01-31T12:30") or timedelta(hours=8)'
        )

    def refuse(self, node: ast.expr) -> NoReturn:
        raise ParameterError(f"{self.written(node)} is not a condition in {self.text!r}; {_FORMS}")

    def written(self, node: ast.expr) -> str:
        return ast.unparse(node)


def _isshow_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    match node:
        case ast.Call(func=ast.Name(id=kind)):
            return kind in _TIMES
        case _:
            return isinstance(node, ast.Constant)
