"""Expressions of one row: from sqlglot's trees to ``leastnoise.summaries.expressions``.

What is not named here is refused. Each form becomes operations that are total and defined to the
last bit, so what a row gives depends on that row alone and is the same in every engine.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import NoReturn

from leastnoise.sql import nearest
from leastnoise.sql.conditions import LOGIC, compared, condition
from leastnoise.sql.cures import (
    check_third,
    of_blank,
    of_dates_alone,
    of_dates_as_text,
    of_worked_out_dates,
)
from leastnoise.sql.dated import Numbers, chosen, moved
from leastnoise.sql.differences import of_difference
from leastnoise.sql.forms import (
    DEEPEST,
    FUNCTIONS,
    NO,
    NOTHING,
    TOO_DEEP,
    YES,
    ZERO,
    as_number,
    depth,
    extreme,
    remainder,
    size,
    text_missing,
)
from leastnoise.sql.kinds import (
    OF_TEXT,
    check_keys,
    check_number,
    check_text,
)
from leastnoise.sql.names import as_name
from leastnoise.sql.refusals import called, explain
from leastnoise.sql.relations import Cell, RawColumn, Relation, Timed
from leastnoise.sql.text import Tree, exact
from leastnoise.sql.texts import CASTS, cast, text_function
from leastnoise.sql.texts import FUNCTIONS as FUNCTIONS_OF_TEXT
from leastnoise.sql.times import calendar, days_apart, is_calendar
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.expressions import (
    LARGEST,
    WHOLE,
    Absent,
    Arithmetic,
    Both,
    Choice,
    Compared,
    Entry,
    Lookup,
    Moment,
    Negation,
    Number,
    Numeric,
    Operation,
    Sign,
    Text,
    TextChoice,
    Textual,
    Truth,
    Value,
    is_text,
    walk,
)

MOST_OPERATIONS = 2000
"""Of one value, once what is written short is written out."""

_WHOLE, _MINUS_WHOLE = Number(Fraction(WHOLE)), Number(Fraction(-WHOLE))
_MOST_DIGITS = 4096  # of a constant that is worked out exactly, in binary
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
        if (later := moved(self, node)) is not None:
            return later
        if kind in _ARITHMETIC:
            query.only(node, "this", "expression", "typed", "safe")
            if kind in ("Add", "Sub") and (days := days_apart(self, node)) is not None:
                return days
            if kind == "Add" and any(x.args.get("is_string") for x in (node.this, node.expression)):
                query.refuse(node, "+ is of numbers: write a || '-' || b to join texts")
            left, right = self.number(node.this), self.number(node.expression)
            return _folded(Arithmetic(_ARITHMETIC[kind], left, right))
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
                return YES if node.this else NO
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
                nodes = [node.this, *node.expressions]
                if (dates := chosen(self, nodes)) is not None:
                    return dates.cell(extreme(sign, dates.values))
                if any(self.relation.is_text(self.value(each)) for each in nodes):
                    query.refuse(node, f"{called(node)} of text is refused: {nearest.ORDER}")
                return extreme(sign, [self.number(each) for each in nodes])
            case "Abs" | "Sign" | "Floor" | "Ceil" | "Round" | "Mod" | "Trunc":
                return self._function(kind, node)
            case _ if kind in LOGIC:
                return as_number(self.truth(node))
            case _ if kind in FUNCTIONS_OF_TEXT:
                return text_function(self, node)
            case _ if kind in CASTS:
                return cast(self, node)
            case _ if is_calendar(node):
                return calendar(self, node)
            case "AtTimeZone" if self.relation.clock(self.value(node.this)) is Clock.LOCAL:
                query.refuse(
                    node,
                    "AT TIME ZONE is refused: these times have no zone, and are compared as they "
                    f"stand: write {query.written(node.this)}",
                )
            case _:
                if told := of_difference(self, node):
                    query.refuse(node, f"{called(node)} is refused: {told}")
                query.refuse(node, explain(node))

    def number(self, node: Tree) -> Numeric:
        """A number."""
        with self._counting(False):
            return self.as_number(self.value(node), node)

    def as_number(self, found: Cell, node: Tree) -> Numeric:
        """What a form stands for, as a number."""
        if isinstance(found, RawColumn):
            check_number(self.relation, node, found.name)
            if not self.relation.holds_numbers(found):
                kind = self.relation.declared(found)
                column, name = found.name, as_name(found.name)
                why = f"{name} is {kind} by what is declared, and a number is needed here"
                dates = of_worked_out_dates(self.query, node, column)
                cure = (
                    f": {dates or of_dates_alone(node, column)}"
                    if kind == "a date"
                    else of_dates_as_text(self.relation, column)
                    or f": {OF_TEXT}. If its entries are numbers, declare bounds of it, or keys "
                    "that are numbers"
                )
                self.query.refuse(node, f"{why}{cure}")
            return Entry(found.name)
        if isinstance(found, Timed):
            written = self.query.written(node)
            inner = next((x.column for x in walk(found.value) if isinstance(x, Moment)), "day")
            why = f"is a date, and no number: {of_dates_alone(node, inner)}"
            if isinstance(found.value, Lookup):
                why = (
                    "is a date of a public table, and no number: write GROUP BY "
                    f"{written}, or take YEAR({written})"
                )
            self.query.refuse(node, f"{written} {why}")
        if is_text(found):
            self.relation.refuse_text(node)
            written = self.query.written(node)
            cure = f"{OF_TEXT}, and write text and numbers into columns of their own"
            self.query.refuse(node, f"{written} is text, and a number is needed here: {cure}")
        return found

    def text(self, node: Tree) -> Textual:
        """A text."""
        return self.as_text(self.value(node), node)

    def as_text(self, found: Cell, node: Tree, *, compared: bool = False) -> Textual:
        """What a form stands for, as a text; ``compared`` with constants only or not."""
        if isinstance(found, RawColumn):
            truths = self.relation.is_truth(found)
            keys = self.relation.facts(found.name).keys or ()
            if not truths:
                check_text(self.relation, node, found.name)
            declared = self.relation.declared(found)
            unlike = declared in ("a number", "a date") and self.relation.is_untyped(found)
            if unlike and not compared and not truths and not keys:
                self._refuse_as_text(node, found.name, str(declared))
            if keys and not truths and not compared:
                check_keys(self.relation, node, found.name, keys)
            if truths or (not compared and not all(isinstance(key, str) for key in keys)):
                kind = "true or false" if truths else "a number"
                name = as_name(found.name)
                self.query.refuse(
                    node,
                    f"{name} is {kind} by what is declared, and text is needed here: write "
                    f"CAST({name} AS TEXT)",
                )
            return self.relation.text(found.name)
        if not isinstance(found, Timed) and is_text(found):
            return found
        if found == NOTHING:
            return Text(None)
        self.query.refuse(
            node,
            f"{self.query.written(node)} is no text, and text is needed here: text and "
            "numbers do not mix in one column",
        )

    def _refuse_as_text(self, node: Tree, column: str, kind: str) -> NoReturn:
        """Refuse to take the letters of a number or a date: engines write them in their ways."""
        name = as_name(column)
        cure = (
            f"write {name} = DATE '2024-01-31', YEAR({name}) or DATE_TRUNC('month', {name})"
            if kind == "a date"
            else f"compare it with numbers, {name} = 5, write CASE {name} WHEN 5 THEN '5' END, "
            "or declare its keys, whose text is known"
        )
        self.query.refuse(
            node,
            f"{name} is {kind} by what is declared, which engines write in different ways, and "
            f"text is needed here: {cure}",
        )

    def constant(self, node: Tree) -> Value:
        """A number or a text as it is written."""
        if node.args.get("is_string"):
            text = str(node.this).strip()
            if not text:
                self.query.refuse(
                    node, f"blank text stands for a missing entry: {of_blank(self.query, node)}"
                )
            return Text(text)
        try:
            number = exact(str(node.this))
        except (ValueError, ZeroDivisionError):
            self.query.refuse(node, f"{node.this} is no number: write it with digits and a point")
        if abs(number) > LARGEST:
            self.query.refuse(node, "this number is too large: 1e150 is the most")
        return Number(number)

    def _same_kind(self, nodes: Sequence[Tree]) -> Numbers | list[Textual]:
        """Values that are all numbers, or dates and times of one clock, or all text."""
        if (dates := chosen(self, nodes)) is not None:
            return dates
        found = [self.value(node) for node in nodes]
        settled = [self.relation.settled(cell, text=self._counted) for cell in found]
        if any(map(is_text, settled)) and not any(map(self.relation.is_number, found)):
            return [self.as_text(x, node) for x, node in zip(found, nodes, strict=True)]
        if any(isinstance(cell, RawColumn) and self.relation.is_text(cell) for cell in found):
            self._check_quoted(found, nodes)
        return Numbers([self._numeric(x, node) for x, node in zip(found, nodes, strict=True)])

    def _check_quoted(self, cells: Sequence[Cell], nodes: Sequence[Tree]) -> None:
        """Refuse a constant number beside a column of text."""
        for cell, node in zip(cells, nodes, strict=True):
            if isinstance(cell, Number) and cell.value is not None:
                number = self.query.written(node)
                self.query.refuse(
                    node,
                    f"{number} is a number beside a column of text, and stands in quotes: write "
                    f"'{number}'",
                )

    def _numeric(self, found: Cell, node: Tree) -> Numeric:
        """A number; of dates that are only counted, too."""
        if isinstance(found, RawColumn) and self._counted:
            return self.relation.moment(found) or self.number(node)
        if isinstance(found, (RawColumn, Timed)) or is_text(found):
            return self.number(node)
        return found

    def _case(self, node: Tree) -> Value | Timed:
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
        values = self._same_kind(given)
        if not isinstance(values, Numbers):
            otherwise = values.pop() if results[-1] is not None else Text(None)
            return TextChoice(tuple(zip(conditions, values, strict=True)), otherwise)
        last = values.values.pop() if results[-1] is not None else NOTHING
        return values.cell(Choice(tuple(zip(conditions, values.values, strict=True)), last))

    def _equal(self, left: Tree, right: Tree, node: Tree) -> Truth:
        with self._counting(False):
            return compared(self, "==", left, right, node)

    def _coalesce(self, nodes: Sequence[Tree]) -> Value | Timed:
        values = self._same_kind(nodes)
        if not isinstance(values, Numbers):
            *firsts, last = values
            return TextChoice(tuple((Negation(text_missing(x)), x) for x in firsts), last)
        *numbers, otherwise = values.values
        branches = tuple((Negation(Absent(x)), x) for x in numbers)
        return values.cell(Choice(branches, otherwise))

    def _nullif(self, node: Tree) -> Value | Timed:
        with self._counting(False):
            equal = compared(self, "==", node.this, node.expression, node)
        values = chosen(self, [node.this])
        if values is None:
            with self._counting(False):
                other = self.value(node.expression)
            with self._counting(
                isinstance(other, Text) or (self._counted and not self.relation.is_number(other))
            ):
                values = self._same_kind([node.this])
        if isinstance(values, Numbers):
            return values.cell(Choice(((equal, NOTHING),), values.values[0]))
        return TextChoice(((equal, Text(None)),), values[0])

    def _function(self, kind: str, node: Tree) -> Numeric:
        query = self.query
        if kind == "Mod":
            query.only(node, "this", "expression")
            sides = [self.number(side) for side in (node.this, node.expression)]
            if any(isinstance(x, Number) and x.value and x.value.denominator > 1 for x in sides):
                a, b = map(self._operand, (node.this, node.expression))
                query.refuse(
                    node,
                    f"{called(node)} is of whole numbers: write {a} - {b} * TRUNC({a} / {b})",
                )
            return remainder(*sides)
        check_third(query, node)
        query.only(node, "this", "decimals")
        of, digits = self.number(node.this), node.args.get("decimals")
        if digits is None:
            return FUNCTIONS[kind](of)
        count = self.value(digits)
        match count:
            case Number(Fraction(denominator=1) as power) if kind != "Floor" and abs(power) <= 15:
                scale = Number(Fraction(10) ** abs(int(power)))
            case _:
                if kind == "Floor":
                    query.refuse(digits, "FLOOR takes no digits: write FLOOR(x * 10) / 10")
                query.refuse(
                    digits, f"give {called(node)} a whole number of digits, from -15 to 15"
                )
        if power == 0:
            return FUNCTIONS[kind](of)
        if power > 0:  # a number without so many digits is what it is
            scaled = Arithmetic("*", of, scale)
            few = Both(Compared("<", scaled, _WHOLE), Compared(">", scaled, _MINUS_WHOLE))
            return Choice(((few, Arithmetic("/", FUNCTIONS[kind](scaled), scale)),), of)
        return Arithmetic("*", FUNCTIONS[kind](Arithmetic("/", of, scale)), scale)

    def _operand(self, node: Tree) -> str:
        """A form as it is written, in brackets where an operator is."""
        while type(node).__name__ == "Paren":  # sqlglot brackets what MOD is given by itself
            node = node.this
        written, joined = self.query.written(node), type(node).__name__ in (*_ARITHMETIC, "Mod")
        return f"({written})" if joined else written

    def truth(self, node: Tree) -> Truth:
        """A condition."""
        with self._counting(False):
            return condition(self, node)


def _folded(value: Arithmetic) -> Numeric:
    """Arithmetic of two constants is one, exact: 0.06 + 0.01 is 0.07, as decimals are in SQL."""
    match value:
        case Arithmetic(operation, Number(Fraction() as one), Number(Fraction() as other)):
            if operation == "/" and abs(other) < 1 / LARGEST:
                return value  # no number, as for any row
            found = {
                "+": one + other,
                "-": one - other,
                "*": one * other,
                "/": one / (other or 1),
            }[operation]
            digits = max(found.numerator.bit_length(), found.denominator.bit_length())
            return Number(found) if abs(found) <= LARGEST and digits <= _MOST_DIGITS else value
        case _:
            return value
