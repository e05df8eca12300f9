"""Conditions on one row: comparisons, lists, IS NULL, and how they are joined.

Numbers are compared with numbers, text and times with constants. A comparison of one column with
constants stays what ``leastnoise.col`` makes of it, so that WHERE keeps what a filter would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from leastnoise.sql.cures import (
    COMPARED,
    is_constant,
    of_dates_as_text,
    of_null,
    of_number_alone,
    of_other_list,
)
from leastnoise.sql.forms import NOTHING, ONE, ZERO, any_of, held, joined, text_is, text_missing
from leastnoise.sql.kinds import (
    check_constants,
    check_declared_number,
    check_times,
    check_truth,
    is_number,
    is_typed_text,
    keyed_by_truth,
    refuse_truth,
    told_clock,
)
from leastnoise.sql.limits import interval, is_whole
from leastnoise.sql.moments import NOON, as_constant, is_time_of_day, read_time, written_time
from leastnoise.sql.names import as_name
from leastnoise.sql.refusals import explain
from leastnoise.sql.relations import Cell, RawColumn, Timed
from leastnoise.sql.rewritings import of_between, of_comparison
from leastnoise.sql.texts import PATTERNS, pattern
from leastnoise.sql.times import as_day, check_known, constant_time, in_seconds, moment_of
from leastnoise.summaries.columns import Clock, Time
from leastnoise.summaries.expressions import (
    Absent,
    Both,
    Choice,
    Compared,
    Either,
    Moment,
    Negation,
    Number,
    Numeric,
    Sign,
    Text,
    Truth,
    is_text,
)
from leastnoise.summaries.predicates import col

if TYPE_CHECKING:
    from leastnoise.sql.rows import RowCompiler
    from leastnoise.sql.schema import ColumnFacts
    from leastnoise.sql.text import Query, Tree

_SIGNS: dict[str, Sign] = {
    "EQ": "==", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">=",
}  # fmt: skip
_MIRRORED: dict[Sign, Sign] = {
    "==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip
SAME = {"NullSafeEQ": True, "NullSafeNEQ": False}
"""IS NOT DISTINCT FROM and IS DISTINCT FROM, for which NULL is a value like any other."""
LOGIC = frozenset({*_SIGNS, "And", "Or", "Not", "Between", "In", "Is", *SAME, *PATTERNS})
"""Forms that are true, false or unknown."""
_SUBQUERY = "; a query inside a query looks at other rows"


def condition(rows: RowCompiler, node: Tree) -> Truth:
    """A condition on one row.

    Raises
    ------
    QueryError
        If it is another form, or compares what cannot be compared.
    """
    kind, query = type(node).__name__, rows.query
    if kind in _SIGNS:
        query.only(node, "this", "expression")
        query.operands(node)
        if told := of_comparison(node, COMPARED[kind], query.written):
            query.refuse(node, f"write {told}")
        return compared(rows, _SIGNS[kind], node.this, node.expression, node)
    match kind:
        case _ if kind in SAME:
            query.only(node, "this", "expression")
            query.operands(node)
            same = _same(rows, node)
            return same if SAME[kind] else Negation(same)
        case "Paren":
            query.only(node, "this")
            return rows.truth(node.this)
        case "And" | "Or":
            truths = [rows.truth(each) for each in chained(query, node)]
            return joined(Both if kind == "And" else Either, truths)
        case "Not":
            query.only(node, "this")
            return Negation(rows.truth(node.this))
        case "Between":
            query.only(node, "this", "low", "high", "symmetric")
            if told := of_between(node, query.written):
                query.refuse(node, f"write {told}")
            ends = node.args["low"], node.args["high"]
            query.operands(node, node.this, *ends)

            def between(low: Tree, high: Tree) -> Truth:
                return Both(
                    compared(rows, ">=", node.this, low, node),
                    compared(rows, "<=", node.this, high, node),
                )

            either_way = node.args.get("symmetric")
            return Either(between(*ends), between(*ends[::-1])) if either_way else between(*ends)
        case "In":
            return _in(rows, node)
        case _ if kind in PATTERNS:
            return pattern(rows, node)
        case "Is":
            return _is(rows, node)
        case "Boolean":
            return Compared("==", ONE, ONE if node.this else ZERO)
        case "Column":
            found = rows.relation.find(node)
            if isinstance(found, RawColumn):
                if not rows.relation.may_be_true(found):
                    _refuse_number(rows, node, found)
                return held(col(found.name) == 1)
            if isinstance(found, Timed) or is_text(found):
                query.refuse(node, f"{query.written(node)} is no condition: compare it, = 'N'")
            return _one(rows, found, node)
        case "Case" | "If" | "Coalesce" | "Cast" | "TryCast":
            found = rows.value(node)
            if isinstance(found, (RawColumn, Timed)) or is_text(found):
                query.refuse(node, explain(node, "a condition"))
            return _one(rows, found, node)
        case _:
            query.refuse(node, explain(node, "a condition"))


def chained(query: Query, node: Tree) -> list[Tree]:
    """What is joined by one AND after the other, or by OR."""
    found: list[Tree] = []
    kind = type(node).__name__
    while type(node).__name__ == kind:
        query.only(node, "this", "expression")
        found.append(node.expression)
        node = node.this
    return [node, *reversed(found)]


def _one(rows: RowCompiler, found: Numeric, node: Tree) -> Truth:
    """Whether what can be nothing but 0, 1 and NULL is 1."""

    def limited(name: str) -> ColumnFacts:  # a text that is no key may be of any length
        return replace(rows.relation.truths(name), keys=None)

    limits = interval(found, limited)
    truth = limits is not None and limits[0] >= 0 and limits[1] <= 1
    if not truth or not is_whole(found, rows.relation.truths):
        _refuse_number(rows, node)
    return Compared("==", found, ONE)


def _refuse_number(rows: RowCompiler, node: Tree, found: RawColumn | None = None) -> NoReturn:
    relation = rows.relation
    if found and not relation.holds_numbers(found) and not relation.is_time(found):
        keys = relation.facts(found.name).keys or ("N",)
        text = "true" if keyed_by_truth(relation, found.name) else str(keys[0]).replace("'", "''")
        name = as_name(found.name)
        rows.query.refuse(
            node, f"{name} is no condition: compare it, {name} = '{text}', as it holds text"
        )
    rows.query.refuse(node, of_number_alone(rows.query, node))


def compared(rows: RowCompiler, sign: Sign, left: Tree, right: Tree, node: Tree) -> Truth:
    """Two values compared."""
    sides: list[tuple[Tree, Tree, Sign]] = [
        (left, right, sign),
        (right, left, _MIRRORED[sign]),
    ]
    for column, constant, turned in sides:
        time = constant_time(rows, column, constant)
        if time is not None:
            found = _timed(rows, column, constant)
            with rows.query.located(node):
                if isinstance(found, Timed):
                    return Compared(turned, found.value, _number_of(rows, found, time, constant))
                time = rows.relation.fitting(found, time)
                check_times(rows.relation, node, found.name, [time], [constant])
                return held(col(found.name).compare(turned, time))
    one, other = rows.value(left), rows.value(right)
    if (dates := _dates(rows, one, other, left, right, node)) is not None:
        return Compared(sign, *dates)
    check_known(rows, [one, other], node, left, right)
    for cell, side in ((one, left), (other, right)):
        if isinstance(cell, Timed):
            written = rows.query.written(side)
            constant = NOON if is_time_of_day(side) else written_time(cell.clock)
            rows.query.refuse(
                side,
                f"{written} holds {told_clock(cell.clock)}, which are compared with a constant: "
                f"write {written} {sign if sign != '==' else '='} {constant}",
            )
    if NOTHING in (one, other):
        rows.query.refuse(node, of_null(rows.query, node, sign, left if one != NOTHING else right))
    if isinstance(one, (Number, Text)) and not isinstance(other, (Number, Text)):
        one, other, sign = other, one, _MIRRORED[sign]
    with_text = not isinstance(one, (RawColumn, Timed)) and is_text(one)
    if isinstance(other, Text) or with_text:
        return _text_compared(rows, sign, one, other, node)
    if isinstance(one, RawColumn) and isinstance(other, Number):
        with rows.query.located(node):
            _check_numbers(rows, one, [other], node, sign)
            return held(col(one.name).compare(sign, other.value))
    if not isinstance(other, (RawColumn, Timed)) and is_text(other):
        _refuse_texts(rows, sign, node)
    _check_columns(rows, sign, [one, other], node)
    return Compared(sign, rows.as_number(one, left), rows.as_number(other, right))


def _dates(
    rows: RowCompiler, one: Cell, other: Cell, left: Tree, right: Tree, node: Tree
) -> tuple[Numeric, Numeric] | None:
    """Two dates or times of a row, by one clock; None where one of them is none."""
    sides = _as_it_is(rows, one), _as_it_is(rows, other)
    if None in sides:
        return None
    (first, clock), (second, of) = (side for side in sides if side is not None)
    if clock is Clock.DAY and of is Clock.LOCAL:
        return in_seconds(first), second
    if clock is Clock.LOCAL and of is Clock.DAY:
        return first, in_seconds(second)
    if clock is not of:
        days = [as_day(rows.query.written(each), its) for each, its in ((left, clock), (right, of))]
        rows.query.refuse(
            node,
            f"{told_clock(clock)} are compared with {told_clock(of)} here: write both as days, "
            f"{days[0]} and {days[1]}",
        )
    return first, second


def _as_it_is(rows: RowCompiler, cell: Cell) -> tuple[Numeric, Clock] | None:
    """A date or time by the clock of its type, whatever its limits are; None if it is neither."""
    own = rows.relation.table.own_clock(cell.name) if isinstance(cell, RawColumn) else None
    if isinstance(cell, RawColumn) and own is not None:
        return Moment(cell.name, own), own
    return moment_of(rows, cell)


def _check_numbers(
    rows: RowCompiler,
    column: RawColumn,
    numbers: Sequence[Number],
    node: Tree,
    sign: Sign = "==",
) -> None:
    """Refuse numbers beside a column that holds none, by its type or its declaration."""
    values = [each.value or Fraction(0) for each in numbers]
    check_truth(rows.relation, node, column.name, numbers[0])
    check_constants(rows.relation, node, column.name, values, sign)
    check_declared_number(rows.relation, node, column.name, values[0], sign)
    if not rows.relation.holds_numbers(column):
        rows.as_number(column, node)


def _check_columns(rows: RowCompiler, sign: Sign, cells: Sequence[Cell], node: Tree) -> None:
    """Refuse to compare columns as numbers that hold text or dates, or that may."""
    for column in (cell for cell in cells if isinstance(cell, RawColumn)):
        if rows.relation.is_time(column):
            rows.query.refuse(
                node,
                f"{as_name(column.name)} holds dates, which are compared with dates: write "
                f"{as_name(column.name)} > "
                f"{_A_DATE}, or another column of dates in its place",
            )
        if not rows.relation.holds_numbers(column):
            if told := of_dates_as_text(rows.relation, column.name):
                rows.query.refuse(node, f"{as_name(column.name)} is text by what is declared{told}")
            _refuse_texts(rows, sign, node)


def _text_compared(rows: RowCompiler, sign: Sign, one: Cell, other: Cell, node: Tree) -> Truth:
    if not isinstance(other, Text) or isinstance(one, Text):
        return _refuse_texts(rows, sign, node)
    if sign not in ("==", "!="):
        if isinstance(one, RawColumn) and is_typed_text(rows.relation, one.name):
            cure = (
                f"make {as_name(one.name)} a column of dates or numbers where the data comes from"
            )
            rows.query.refuse(node, f"text has no order here: write =, <> or IN, or {cure}")
        if isinstance(one, RawColumn) and rows.relation.is_time(one):
            rows.query.refuse(node, f"{as_name(one.name)} holds dates: write {_A_DATE}")
        numbers = not isinstance(one, RawColumn) or rows.relation.holds_numbers(one)
        if numbers and other.value is not None and is_number(other.value):
            rows.query.refuse(node, f"'{other.value}' is text: write {other.value} for the number")
        date = as_constant(other.value or "", Clock.DAY)
        rows.query.refuse(node, f"text has no order here: write =, <>, IN or {date}")
    if isinstance(one, Timed) or not (isinstance(one, RawColumn) or is_text(one)):
        number = other.value if other.value is not None and is_number(other.value) else "5"
        truth = rows.relation.means_truth(one)
        rows.query.refuse(
            node,
            f"'{other.value}' is text, and is compared with a "
            f"{'condition: write it by itself' if truth else f'number: write {number}'}",
        )
    same = _text_is(rows, one, [other.value or ""], node)
    return same if sign == "==" else Negation(same)


def _text_is(rows: RowCompiler, of: Cell, texts: Sequence[str], node: Tree) -> Truth:
    if isinstance(of, RawColumn):
        check_constants(rows.relation, node, of.name, texts)
        _check_no_number(rows, of, texts, node)
        if rows.relation.is_truth(of):
            refuse_truth(rows.relation, node, of.name, texts)
    return text_is(rows.as_text(of, node, compared=True), texts)


def _check_no_number(rows: RowCompiler, of: RawColumn, texts: Sequence[str], node: Tree) -> None:
    """Refuse a text that is no number beside a column that is declared as numbers."""
    relation = rows.relation
    if relation.declared(of) != "a number" or relation.is_truth(of) or not relation.is_untyped(of):
        return
    words = relation.table.stand_ins(of.name)
    wrong = next((text for text in texts if text not in words and not is_number(text)), None)
    if wrong is not None:
        name = as_name(of.name)
        rows.query.refuse(
            node,
            f"{name} is a number by what is declared, and '{wrong}' is none: write {name} = 5, or "
            "declare no limits or keys that are numbers, if it is text",
        )


def _timed(rows: RowCompiler, node: Tree, constant: Tree) -> RawColumn | Timed:
    """What is compared with a date: a column by itself, or a day that is worked out."""
    found = rows.value(node)
    if not isinstance(found, (RawColumn, Timed)):
        query = rows.query
        time = read_time(query, constant)
        if isinstance(time, timedelta) and type(node).__name__ in ("Sub", "Paren"):
            days = f"{time / timedelta(days=1):.15g}"
            query.refuse(
                constant, f"the days between two dates are a number: write {days}, without INTERVAL"
            )
        query.refuse(
            constant,
            f"{query.written(constant)} is compared with a column of dates or times, and "
            f"{query.written(node)} is none: write day > DATE '2024-01-31'",
        )
    return found


def _number_of(rows: RowCompiler, timed: Timed, time: Time, node: Tree) -> Number:
    if timed.clock is Clock.DAY and isinstance(time, datetime) and time.tzinfo is None:
        seconds = Clock.LOCAL.number(time, "a constant")  # a day is its midnight
        return Number(Fraction(seconds, 86_400))
    number = timed.clock.constant(time, "a constant")
    if not isinstance(number, int):
        rows.query.refuse(
            node,
            f"{rows.query.written(node)} does not fit what it is compared with: write "
            f"{written_time(timed.clock)}",
        )
    return Number(Fraction(number))


_A_DATE = "DATE '2024-01-31'"


def _refuse_texts(rows: RowCompiler, sign: Sign, node: Tree) -> NoReturn:
    sides = node.args.get("this"), node.args.get("expression")
    if sign not in ("==", "!=") or not all(type(side).__name__ == "Column" for side in sides):
        rows.query.refuse(node, "text is compared with a constant: write column = 'N'")
    one, other = map(rows.query.written, sides)
    apart = "have a column that says where they are equal where the data comes from"
    if type(node).__name__ in SAME:
        rows.query.refuse(node, f"text columns are not compared with each other: {apart}")
    rows.query.refuse(
        node,
        "text is compared with a constant, and not with other columns: write a condition for each "
        f"text, {one} = 'N' AND {other} {'=' if sign == '==' else '<>'} 'N', joined by OR, or "
        f"{apart}",
    )


def _in(rows: RowCompiler, node: Tree) -> Truth:
    query = rows.query
    for name in ("query", "unnest", "field"):
        if node.args.get(name) is not None:
            lists: list[Tree] = node.args[name].expressions if name == "unnest" else []
            entries: list[Tree] = [x for each in lists for x in each.expressions]
            given = ", ".join(map(query.written, entries))
            given = given or "'N', 'S'"
            query.refuse(
                node,
                f"IN takes a list of constants: write IN ({given}){_SUBQUERY}",
            )
    query.only(node, "this", "expressions")
    query.operands(node, node.this)
    times = [constant_time(rows, node.this, each) for each in node.expressions]
    if None in times and any(time is not None for time in times):
        of = [
            ONE if time else rows.value(x) for x, time in zip(node.expressions, times, strict=True)
        ]
        query.refuse(node, of_other_list(query, node, of))
    if None not in times and times:
        found = _timed(rows, node.this, node.expressions[0])
        with query.located(node):
            if isinstance(found, Timed):
                numbers = [_number_of(rows, found, time, node) for time in times if time]
                return any_of([Compared("==", found.value, each) for each in numbers])
            times = [rows.relation.fitting(found, time) for time in times if time is not None]
            check_times(rows.relation, node, found.name, times, node.expressions)
            return held(col(found.name).is_in(times))
    constants = [rows.value(each) for each in node.expressions]
    of = rows.value(node.this)
    if not constants or not all(map(is_constant, constants)):
        query.refuse(node, of_other_list(query, node, constants))
    texts = [each.value for each in constants if isinstance(each, Text)]
    if texts:
        if len(texts) < len(constants):
            query.refuse(
                node,
                "a list is all text or all numbers: write texts in quotes, IN ('1', 'N'), numbers "
                "without, or two lists joined by OR",
            )
        if isinstance(of, Timed) or not (isinstance(of, RawColumn) or is_text(of)):
            query.refuse(
                node, f"{query.written(node.this)} is no text: write numbers without quotes, IN (1)"
            )
        return _text_is(rows, of, [text or "" for text in texts], node)
    numbers = [each for each in constants if isinstance(each, Number)]
    if isinstance(of, RawColumn):
        _check_numbers(rows, of, numbers, node)
        with query.located(node):
            return held(col(of.name).is_in([each.value or Fraction(0) for each in numbers]))
    value = rows.number(node.this)
    return any_of([Compared("==", value, each) for each in numbers])


def _is(rows: RowCompiler, node: Tree) -> Truth:
    query = rows.query
    query.only(node, "this", "expression")
    if type(node.expression).__name__ == "Boolean":  # true or false, never NULL
        met = rows.truth(node.this)
        met = met if node.expression.this else Negation(met)
        return Compared("==", Choice(((met, ONE),), ZERO), ONE)
    if type(node.expression).__name__ != "Null":
        sides = query.written(node.this), query.written(node.expression)
        word = "DISTINCT" if type(node.parent).__name__ == "Not" else "NOT DISTINCT"
        query.refuse(
            node,
            f"IS stands before NULL, TRUE and FALSE: write {sides[0]} IS {word} FROM {sides[1]}",
        )
    return _absent(rows, node.this)


def _same(rows: RowCompiler, node: Tree) -> Truth:
    """Whether two values are equal or both missing: true or false, never NULL."""
    sides = node.this, node.expression
    nothing = [type(side).__name__ == "Null" for side in sides]
    if any(nothing):
        return _absent(rows, sides[0] if nothing[1] else sides[1])
    equal = compared(rows, "==", *sides, node)
    branches = [(equal, ONE)]
    one, other = (_may_be_absent(rows, *pair) for pair in (sides, sides[::-1]))
    if one and other:
        branches.append((Both(_absent(rows, sides[0]), _absent(rows, sides[1])), ONE))
    return Compared("==", Choice(tuple(branches), ZERO), ONE)


def _may_be_absent(rows: RowCompiler, node: Tree, beside: Tree) -> bool:
    return constant_time(rows, beside, node) is None and not is_constant(rows.value(node))


def _absent(rows: RowCompiler, node: Tree) -> Truth:
    of = rows.value(node)
    if isinstance(of, RawColumn):
        return rows.relation.absent(of)
    if isinstance(of, Timed):
        return Absent(of.value)
    return text_missing(of) if is_text(of) else Absent(of)
