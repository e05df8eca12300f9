"""Expressions of one row: from sqlglot's trees to ``leastnoise.summaries.expressions``.

What is not named here is refused. Each form becomes operations that are total and defined to the
last bit, so what a row gives depends on that row alone and is the same in every engine.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from leastnoise.frames.memory.labels import label_type
from leastnoise.sql.forms import (
    DEEPEST,
    FUNCTIONS,
    NOTHING,
    ONE,
    TOO_DEEP,
    ZERO,
    any_of,
    as_number,
    depth,
    extreme,
    held,
    remainder,
    size,
    text_is,
    text_missing,
)
from leastnoise.sql.limits import interval, is_whole
from leastnoise.sql.refusals import check_there, explain
from leastnoise.sql.relations import RawColumn, Relation, Timed
from leastnoise.sql.text import exact
from leastnoise.sql.texts import CASTS, PATTERNS, cast, pattern, text_function
from leastnoise.sql.texts import FUNCTIONS as FUNCTIONS_OF_TEXT
from leastnoise.sql.times import CALENDAR, calendar, read_time
from leastnoise.summaries.expressions import (
    LARGEST,
    WHOLE,
    Absent,
    Arithmetic,
    Both,
    Choice,
    Compared,
    Either,
    Entry,
    Holds,
    Negation,
    Number,
    Numeric,
    Operation,
    Sign,
    Text,
    TextChoice,
    TextEntry,
    Textual,
    Truth,
    Value,
    is_text,
)
from leastnoise.summaries.predicates import IsMissing, col

if TYPE_CHECKING:
    from datetime import date

    from leastnoise.sql.relations import Cell
    from leastnoise.sql.text import Tree

MOST_OPERATIONS = 2000
"""Of one value, once what is written short is written out."""

_SIGNS: dict[str, Sign] = {
    "EQ": "==", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">=",
}  # fmt: skip
_MIRRORED: dict[Sign, Sign] = {
    "==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip
_WHOLE, _MINUS_WHOLE = Number(Fraction(WHOLE)), Number(Fraction(-WHOLE))
_ARITHMETIC: dict[str, Operation] = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/"}


class RowCompiler:
    """From trees to values of one row of a relation."""

    def __init__(self, relation: Relation) -> None:
        self.relation, self.query = relation, relation.query
        self._counted = False
        self._known: dict[tuple[int, bool], tuple[Tree, Cell]] = {}  # each form is read once

    # --- values ------------------------------------------------------------------------------

    def value(self, node: Tree) -> Cell:
        """A number, a text, or a column that may be read as either."""
        key = id(node), self._counted
        if key not in self._known:  # the node is kept, so that no other one gets its id
            self._known[key] = node, self._checked(node)
        return self._known[key][1]

    def _checked(self, node: Tree) -> Cell:
        found = self._value(node)
        if isinstance(found, (RawColumn, Timed)):
            return found
        if size(found) > MOST_OPERATIONS:
            self.query.refuse(
                node, f"this takes more than {MOST_OPERATIONS} operations: write it shorter"
            )
        if depth(found) > DEEPEST:
            self.query.refuse(node, TOO_DEEP)
        return found

    def counted(self, node: Tree) -> Cell:
        """A value of which only entries are counted: what may be text or a number is text."""
        with self._counting(True):
            return self.value(node)

    @contextmanager
    def _counting(self, counted: bool) -> Generator[None]:
        before, self._counted = self._counted, counted
        try:
            yield
        finally:
            self._counted = before

    def _value(self, node: Tree) -> Cell:
        kind, query = type(node).__name__, self.query
        if kind in _ARITHMETIC:
            query.only(node, "this", "expression", "typed", "safe")
            left, right = self.number(node.this), self.number(node.expression)
            return Arithmetic(_ARITHMETIC[kind], left, right)
        match kind:
            case "Paren":
                query.only(node, "this")
                return self.value(node.this)
            case "Column":
                return self.relation.find(node)
            case "Literal":
                return self.constant(node)
            case "Null":
                return NOTHING
            case "Boolean":
                return ONE if node.this else ZERO
            case "Neg":
                query.only(node, "this")
                inner = self.number(node.this)
                if isinstance(inner, Number) and inner.value is not None:
                    return Number(-inner.value)
                return Arithmetic("-", ZERO, inner)
            case "Case" | "If":
                return self._case(node)
            case "Coalesce":
                query.only(node, "this", "expressions", "is_nvl", "is_null")
                return self._coalesce([node.this, *node.expressions])
            case "Nullif":
                query.only(node, "this", "expression")
                return self._nullif(node)
            case "Greatest" | "Least":
                query.only(node, "this", "expressions", "ignore_nulls")
                sign: Sign = ">=" if kind == "Greatest" else "<="
                return extreme(sign, [self.number(x) for x in [node.this, *node.expressions]])
            case "Abs" | "Sign" | "Floor" | "Ceil" | "Round" | "Mod" | "Trunc":
                return self._function(kind, node)
            case _ if kind in _LOGIC:
                return as_number(self.truth(node))
            case _ if kind in FUNCTIONS_OF_TEXT:
                return text_function(self, node)
            case _ if kind in CASTS:
                return cast(self, node)
            case _ if kind in CALENDAR:
                return calendar(self, node)
            case _:
                query.refuse(node, explain(node))

    def number(self, node: Tree) -> Numeric:
        """A number."""
        with self._counting(False):
            return self._as_number(self.value(node), node)

    def _as_number(self, found: Cell, node: Tree) -> Numeric:
        if isinstance(found, RawColumn):
            with self.query.located(node):
                self.relation.table.column_type(found.name)
            return Entry(found.name)
        if isinstance(found, Timed):
            why = "is a date, and no number: aggregate the column itself, MIN(day)"
            self.query.refuse(node, f"{self.query.written(node)} {why}")
        if is_text(found):
            written = self.query.written(node)
            self.query.refuse(node, f"{written} is text, and a number is needed here")
        return found

    def text(self, node: Tree) -> Textual:
        """A text."""
        return self._as_text(self.value(node), node)

    def _as_text(self, found: Cell, node: Tree) -> Textual:
        if isinstance(found, RawColumn):
            with self.query.located(node):
                self.relation.table.text_type(found.name)
            return TextEntry(found.name)
        if not isinstance(found, Timed) and is_text(found):
            return found
        if found == NOTHING:
            return Text(None)
        self.query.refuse(
            node,
            f"{self.query.written(node)} is no text, and text is needed here: text and "
            "numbers do not mix in one column",
        )

    def constant(self, node: Tree) -> Value:
        """A number or a text as it is written."""
        if node.args.get("is_string"):
            text = str(node.this).strip()
            if not text:
                self.query.refuse(node, "blank text stands for a missing entry: write IS NULL")
            return Text(text)
        try:
            number = exact(str(node.this))
        except (ValueError, ZeroDivisionError):
            self.query.refuse(node, f"{node.this} is no number: write it with digits and a point")
        if abs(number) > LARGEST:
            self.query.refuse(node, "this number is too large: 1e150 is the most")
        return Number(number)

    def _same_kind(
        self, nodes: Sequence[Tree]
    ) -> tuple[list[Numeric], None] | tuple[None, list[Textual]]:
        """Values that are all numbers, or all text."""
        found = [self.value(node) for node in nodes]
        settled = [self.relation.settled(cell, text=self._counted) for cell in found]
        if any(map(is_text, settled)) and not any(map(self.relation.is_number, found)):
            texts = [self._as_text(x, node) for x, node in zip(found, nodes, strict=True)]
            for text, node in zip(texts, nodes, strict=True):
                if isinstance(text, Text):
                    check_there(self.query, node, text.value, "NULL")
            return None, texts
        return [self._numeric(x, node) for x, node in zip(found, nodes, strict=True)], None

    def _numeric(self, found: Cell, node: Tree) -> Numeric:
        """A number; of dates that are only counted, too."""
        if isinstance(found, RawColumn) and self._counted:
            return self.relation.moment(found) or self.number(node)
        if isinstance(found, (RawColumn, Timed)) or is_text(found):
            return self.number(node)
        return found

    def _case(self, node: Tree) -> Value:
        self.query.only(node, "this", "ifs", "default", "true", "false")
        if type(node).__name__ == "If":
            conditions = [self.truth(node.this)]
            results = [node.args["true"], node.args.get("false")]
        else:
            ifs = node.args["ifs"]
            of = node.this
            conditions = [
                self.truth(one.this) if of is None else self._equal(of, one.this, node)
                for one in ifs
            ]
            results = [*(one.args["true"] for one in ifs), node.args.get("default")]
        given = [result for result in results if result is not None]
        numbers, texts = self._same_kind(given)
        if texts is not None:
            otherwise = texts.pop() if results[-1] is not None else Text(None)
            return TextChoice(tuple(zip(conditions, texts, strict=True)), otherwise)
        values = numbers or []
        last = values.pop() if results[-1] is not None else NOTHING
        return Choice(tuple(zip(conditions, values, strict=True)), last)

    def _equal(self, left: Tree, right: Tree, node: Tree) -> Truth:
        with self._counting(False):
            return self.compared("==", left, right, node)

    def _coalesce(self, nodes: Sequence[Tree]) -> Value:
        numbers, texts = self._same_kind(nodes)
        if texts is not None:
            *firsts, last = texts
            return TextChoice(tuple((Negation(text_missing(x)), x) for x in firsts), last)
        *values, otherwise = numbers or [NOTHING]
        return Choice(tuple((Negation(Absent(x)), x) for x in values), otherwise)

    def _nullif(self, node: Tree) -> Value:
        with self._counting(False):
            equal = self.compared("==", node.this, node.expression, node)
            other = self.value(node.expression)
        with self._counting(
            isinstance(other, Text) or (self._counted and not self.relation.is_number(other))
        ):
            numbers, texts = self._same_kind([node.this])
        if texts is not None:
            return TextChoice(((equal, Text(None)),), texts[0])
        return Choice(((equal, NOTHING),), (numbers or [NOTHING])[0])

    def _function(self, kind: str, node: Tree) -> Numeric:
        query = self.query
        if kind == "Mod":
            query.only(node, "this", "expression")
            return remainder(self.number(node.this), self.number(node.expression))
        query.only(node, "this", "decimals")
        of, digits = self.number(node.this), node.args.get("decimals")
        if digits is None:
            return FUNCTIONS[kind](of)
        count = self.value(digits)
        match count:
            case Number(Fraction(denominator=1) as power) if kind != "Floor" and abs(power) <= 15:
                scale = Number(Fraction(10) ** abs(int(power)))
            case _:
                query.refuse(digits, "give ROUND a whole number of digits, from -15 to 15")
        if power == 0:
            return FUNCTIONS[kind](of)
        if power > 0:  # a number without so many digits is what it is
            scaled = Arithmetic("*", of, scale)
            few = Both(Compared("<", scaled, _WHOLE), Compared(">", scaled, _MINUS_WHOLE))
            return Choice(((few, Arithmetic("/", FUNCTIONS[kind](scaled), scale)),), of)
        return Arithmetic("*", FUNCTIONS[kind](Arithmetic("/", of, scale)), scale)

    # --- conditions ----------------------------------------------------------------------------

    def truth(self, node: Tree) -> Truth:
        """A condition."""
        with self._counting(False):
            return self._truth(node)

    def _truth(self, node: Tree) -> Truth:
        kind, query = type(node).__name__, self.query
        if kind in _SIGNS:
            query.only(node, "this", "expression")
            query.operands(node)
            return self.compared(_SIGNS[kind], node.this, node.expression, node)
        match kind:
            case "Paren":
                query.only(node, "this")
                return self.truth(node.this)
            case "And" | "Or":
                query.only(node, "this", "expression")
                joined = Both if kind == "And" else Either
                return joined(self.truth(node.this), self.truth(node.expression))
            case "Not":
                query.only(node, "this")
                return Negation(self.truth(node.this))
            case "Between":
                query.only(node, "this", "low", "high")
                query.operands(node, node.this, node.args["low"], node.args["high"])
                return Both(
                    self.compared(">=", node.this, node.args["low"], node),
                    self.compared("<=", node.this, node.args["high"], node),
                )
            case "In":
                return self._in(node)
            case _ if kind in PATTERNS:
                return pattern(self, node)
            case "Is":
                return self._is(node)
            case "Boolean":
                return Compared("==", ONE, ONE if node.this else ZERO)
            case "Column":
                found = self.relation.find(node)
                if isinstance(found, RawColumn):
                    if not self.relation.may_be_true(found):
                        self._refuse_number(node)
                    return held(col(found.name) == 1)
                if isinstance(found, Timed) or is_text(found):
                    query.refuse(node, f"{node.name} is no condition: compare it, = 'N'")
                limits = interval(found, self.relation.truths)
                truth = limits is not None and limits[0] >= 0 and limits[1] <= 1
                if not truth or not is_whole(found, self.relation.truths):
                    self._refuse_number(node)
                return Compared("==", found, ONE)
            case _:
                query.refuse(node, explain(node, "a condition"))

    def _refuse_number(self, node: Tree) -> NoReturn:
        self.query.refuse(
            node,
            f"{node.name} is no condition: compare it, = 1. By itself it may stand where its type, "
            "or keys = [false, true] in the schema, says that it is true or false",
        )

    def compared(self, sign: Sign, left: Tree, right: Tree, node: Tree) -> Truth:
        """Two values compared."""
        sides: list[tuple[Tree, Tree, Sign]] = [
            (left, right, sign),
            (right, left, _MIRRORED[sign]),
        ]
        for column, constant, turned in sides:
            time = read_time(self.query, constant)
            if time is not None:
                found = self._timed(column)
                with self.query.located(node):
                    if isinstance(found, Timed):
                        return Compared(turned, found.value, self._number_of(found, time, constant))
                    return held(col(found.name).compare(turned, time))
        one, other = self.value(left), self.value(right)
        for cell, side in ((one, left), (other, right)):
            if isinstance(cell, Timed):
                self._as_number(cell, side)
        if NOTHING in (one, other):
            self.query.refuse(node, "nothing equals NULL: write IS NULL, or IS NOT NULL")
        if isinstance(one, (Number, Text)) and not isinstance(other, (Number, Text)):
            one, other, sign = other, one, _MIRRORED[sign]
        with_text = not isinstance(one, (RawColumn, Timed)) and is_text(one)
        if isinstance(other, Text) or with_text:
            return self._text_compared(sign, one, other, node)
        if isinstance(one, RawColumn) and isinstance(other, Number):
            with self.query.located(node):
                label_type(self.relation.table, one.name, (other.value or 0,))
                return held(col(one.name).compare(sign, other.value))
        if not isinstance(other, (RawColumn, Timed)) and is_text(other):
            self._refuse_texts(node)
        if isinstance(one, RawColumn) and not self.relation.holds_numbers(one):
            self._refuse_texts(node)
        return Compared(sign, self._as_number(one, left), self._as_number(other, right))

    def _text_compared(self, sign: Sign, one: Cell, other: Cell, node: Tree) -> Truth:
        if not isinstance(other, Text) or isinstance(one, Text):
            return self._refuse_texts(node)
        if sign not in ("==", "!="):
            self.query.refuse(node, "text has no order here: write =, <>, IN or DATE '2024-01-31'")
        if isinstance(one, Timed) or not (isinstance(one, RawColumn) or is_text(one)):
            self.query.refuse(
                node, f"'{other.value}' is text, and what it is compared with a number"
            )
        same = self._text_is(self._as_text(one, node), [other.value or ""], node)
        return same if sign == "==" else Negation(same)

    def _text_is(self, value: Textual, texts: Sequence[str], node: Tree) -> Truth:
        if not isinstance(value, TextEntry):
            for text in texts:
                check_there(self.query, node, text)
        return text_is(value, texts)

    def _timed(self, node: Tree) -> RawColumn | Timed:
        """What is compared with a date: a column by itself, or a day that is worked out."""
        found = self.value(node)
        if not isinstance(found, (RawColumn, Timed)):
            self.query.refuse(node, "a date is compared with a column of dates")
        return found

    def _number_of(self, timed: Timed, time: date, node: Tree) -> Number:
        number = timed.clock.constant(time, "a constant")
        if not isinstance(number, int):
            self.query.refuse(node, "a day is compared with a DATE")
        return Number(Fraction(number))

    def _refuse_texts(self, node: Tree) -> NoReturn:
        self.query.refuse(node, "text is compared with a constant: write column = 'N'")

    def _in(self, node: Tree) -> Truth:
        query = self.query
        for name in ("query", "unnest", "field"):
            if node.args.get(name) is not None:
                query.refuse(node, f"IN takes a list of constants: write IN ('N', 'S'){_SUBQUERY}")
        query.only(node, "this", "expressions")
        query.operands(node, node.this)
        times = [read_time(query, each) for each in node.expressions]
        if None not in times and times:
            found = self._timed(node.this)
            with query.located(node):
                if isinstance(found, Timed):
                    numbers = [self._number_of(found, time, node) for time in times if time]
                    return any_of([Compared("==", found.value, each) for each in numbers])
                return held(col(found.name).is_in(times))
        constants = [self.value(each) for each in node.expressions]
        of = self.value(node.this)
        if not constants or not all(
            isinstance(each, (Number, Text)) and each.value is not None for each in constants
        ):
            query.refuse(node, "IN takes a list of constants other than NULL: write IN ('N', 'S')")
        texts = [each.value for each in constants if isinstance(each, Text)]
        if texts:
            if len(texts) < len(constants):
                query.refuse(node, "a list is all text or all numbers")
            if isinstance(of, Timed) or not (isinstance(of, RawColumn) or is_text(of)):
                query.refuse(node, "a number is in no list of texts")
            return self._text_is(self._as_text(of, node), [text or "" for text in texts], node)
        numbers = [each for each in constants if isinstance(each, Number)]
        if isinstance(of, RawColumn):
            with query.located(node):
                return held(col(of.name).is_in([each.value for each in numbers]))
        value = self.number(node.this)
        return any_of([Compared("==", value, each) for each in numbers])

    def _is(self, node: Tree) -> Truth:
        query = self.query
        query.only(node, "this", "expression")
        if type(node.expression).__name__ != "Null":
            query.refuse(node, "write IS NULL or IS NOT NULL")
        of = self.value(node.this)
        if isinstance(of, RawColumn):
            return Holds(IsMissing(of.name))
        if isinstance(of, Timed):
            return Absent(of.value)
        return text_missing(of) if is_text(of) else Absent(of)


_SUBQUERY = "; a query inside a query looks at other rows"
_LOGIC = frozenset({*_SIGNS, "And", "Or", "Not", "Between", "In", "Is", *PATTERNS})
