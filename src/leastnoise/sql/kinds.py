"""What a column holds, where a query needs numbers, text or times: told in words of SQL."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from leastnoise.document import toml_text
from leastnoise.errors import ColumnTypeError
from leastnoise.frames.contract import Reading
from leastnoise.frames.memory.labels import key_type, label_type
from leastnoise.sql import nearest
from leastnoise.sql.moments import as_constant, read_text, written_time
from leastnoise.sql.names import as_name, section
from leastnoise.sql.refusals import called
from leastnoise.sql.relations import RawColumn, Relation
from leastnoise.sql.results import plain
from leastnoise.sql.text import Query, Tree, exact
from leastnoise.summaries.columns import Clock, Time, clock_of

if TYPE_CHECKING:
    from leastnoise.summaries.expressions import Number

OF_TEXT = (
    "choose numbers by CASE WHEN ... THEN 1 ELSE 0 END, ask COUNT or MODE of it, or make it a "
    "column of numbers where the data comes from"
)
"""What to do with text where a number is needed."""
_TIMES = {
    Clock.DAY: "dates",
    Clock.LOCAL: "times without a zone",
    Clock.INSTANT: "times with a zone",
    Clock.SPAN: "durations",
}


def check_number(relation: Relation, node: Tree, column: str) -> None:
    """Refuse a column that holds no numbers."""
    with relation.query.located(node):
        try:
            relation.table.column_type(column)
        except ColumnTypeError:
            _refuse_number(relation, node, column)


def check_text(relation: Relation, node: Tree, column: str) -> None:
    """Refuse a column that holds no text."""
    name = as_name(column)
    with relation.query.located(node):
        try:
            relation.table.text_type(column)
        except ColumnTypeError:
            held = _held(relation, column)
            cure = as_time(relation, column, f": write {name} = ")
            if cure and relation.table.own_clock(column) is not Clock.SPAN:
                cure += f", YEAR({name}) or DATE_TRUNC('month', {name})"
            if held == "numbers":
                cure = f": compare it with numbers, {name} = 5 or {name} BETWEEN 30 AND 39"
            elif held == "true and false":
                cure = f": write {name} = TRUE"
            relation.query.refuse(node, f"{name} holds {held}, and text is needed here{cure}")


def check_constants(
    relation: Relation,
    node: Tree,
    column: str,
    constants: Sequence[str | Fraction],
    sign: str = "==",
) -> None:
    """Refuse to compare a column with numbers or texts that it does not hold."""
    name = as_name(column)
    first = constants[0]
    with relation.query.located(node):
        try:
            label_type(relation.table, column, constants)
        except ColumnTypeError:
            held = _held(relation, column)
            told = f"'{first}' is text" if isinstance(first, str) else f"{plain(first)} is a number"
            cure = as_time(relation, column)
            if isinstance(first, Fraction) and held == "text":
                cure = f": {_in_quotes(first, sign)}"
            elif isinstance(first, str) and held == "true and false":
                cure = f": write {name} = TRUE"
            elif isinstance(first, str) and held == "numbers":
                written = f"{first}, without quotes" if is_number(first) else f"{name} = 5"
                cure = f": write {written}"
            relation.query.refuse(node, f"{name} holds {held}, and {told}{cure}")


def check_truth(relation: Relation, node: Tree, column: str, number: Number) -> None:
    """Refuse TRUE and FALSE beside text, and 1 and 0 beside text that is declared as these."""
    name = as_name(column)
    held = RawColumn(column)
    if relation.holds_numbers(held) or relation.is_time(held):
        return
    if number.truth or keyed_by_truth(relation, column):
        relation.query.refuse(
            node,
            f"{name} holds text: write it in quotes as it stands in the data, "
            f"{name} = '{str(bool(number.value)).lower()}'",
        )


def refuse_truth(relation: Relation, node: Tree, column: str, texts: Sequence[str]) -> NoReturn:
    """Refuse text beside a column that is true or false: of its words that is told otherwise."""
    name = as_name(column)
    words = {text.lower() for text in texts}
    truth = "FALSE" if words == {"false"} else "TRUE"
    cure = f"write {name} = {truth}"
    if not words <= {"true", "false"} and relation.is_untyped(RawColumn(column)):
        cure += (
            "; if its entries are other words than true and false, declare them, "
            f"{section(column)} keys = [{', '.join(map(toml_text, texts))}]"
        )
    relation.query.refuse(node, f"{name} is true or false by what is declared: {cure}")


def keyed_by_truth(relation: Relation, column: str) -> bool:
    """Whether the keys of a column are true and false."""
    keys = relation.facts(column).keys
    return bool(keys) and all(isinstance(key, bool) for key in keys or ())


def check_declared_number(
    relation: Relation, node: Tree, column: str, number: Fraction, sign: str
) -> None:
    """Refuse to compare a column declared as text or dates with a number."""
    name = as_name(column)
    kind = relation.declared(RawColumn(column))
    if relation.holds_numbers(RawColumn(column)) or kind is None:
        return
    cure = (
        f"write {name} {sign if sign != '==' else '='} DATE '2024-01-31', or YEAR({name})"
        if kind == "a date"
        else f"{_in_quotes(number, sign)}; if its entries are numbers, declare bounds of it, or "
        "keys that are numbers"
    )
    relation.query.refuse(
        node,
        f"{name} is {kind} by what is declared, and {plain(number)} is a number: {cure}",
    )


def _in_quotes(number: Fraction, sign: str) -> str:
    """What to write for a number beside text."""
    if sign in ("==", "!="):
        return f"write it in quotes, '{plain(number)}'"
    return (
        f"text has no order, so write = '{plain(number)}' or IN, or make it a column of numbers "
        "where the data comes from"
    )


def check_keys(relation: Relation, node: Tree, column: str, keys: Sequence[Any]) -> None:
    """Refuse keys of a column that its type cannot hold."""
    name = as_name(column)
    with relation.query.located(node):
        try:
            key_type(relation.table, column, [*keys])
        except ColumnTypeError:
            held = _held(relation, column)
            given = "text" if isinstance(keys[0], str) else "numbers"
            written = 'write them as text, keys = ["1", "2"]'
            if keyed_by_truth(relation, column):
                given = "true and false"
                written = (
                    'write them as text, keys = ["false", "true"], or choose a number by CASE WHEN '
                    f"{name} = 'true' THEN 1 ELSE 0 END"
                )
            cure = {
                "text": written,
                "numbers": "write them as numbers, keys = [1, 2]",
                "true and false": "write keys = [false, true]",
                "dates": "write keys = [2024-01-31], or group by YEAR, MONTH or DATE_TRUNC of it",
            }.get(held, "group by YEAR, MONTH or DATE_TRUNC of it")
            relation.query.refuse(
                node, f"{name} holds {held}, and its keys in the schema are {given}: {cure}"
            )


def check_times(relation: Relation, node: Tree, column: str, times: Sequence[Time]) -> None:
    """Refuse to compare a column with dates or times that it does not hold."""
    name = as_name(column)
    with relation.query.located(node):
        for clock in dict.fromkeys(clock for time in times if (clock := clock_of(time))):
            try:
                relation.table.clocked({column: clock})
            except ColumnTypeError:
                held = _held(relation, column)
                cure = as_time(relation, column)
                if held in ("numbers", "true and false"):
                    cure = f": write {name} = {5 if held == 'numbers' else 'TRUE'}"
                if held == "text":
                    cure = (
                        f": make it a column of dates where the data comes from, CAST({name} AS "
                        f"DATE), or compare its text, {name} = '{times[0]}'"
                    )
                relation.query.refuse(
                    node, f"{name} holds {held}, and is compared with {_TIMES[clock]}{cure}"
                )
            if relation.declared(RawColumn(column)) == "a number":
                cure = f"write {name} = 5, or declare limits that are dates"
                if clock is Clock.SPAN:
                    cure = f'declare {section(column)} bounds = ["PT0S", "PT8H"]'
                relation.query.refuse(
                    node,
                    f"{name} is a number by what is declared, and is compared with "
                    f"{_TIMES[clock]}: {cure}",
                )
            moment = relation.moment(RawColumn(column))
            first = relation.query.clocks.setdefault(column, clock)
            if first is not clock and not relation.is_local(RawColumn(column)):
                relation.query.refuse(
                    node,
                    f"{name} is compared with {_TIMES[first]} before this, and with "
                    f"{_TIMES[clock]} here: write {written_time(first)}, or declare its limits",
                )
            clocks = {clock, moment.clock} if moment is not None else set[Clock]()
            if moment is not None and len(clocks) == 2 and Clock.INSTANT in clocks:
                relation.query.refuse(
                    node,
                    f"{name} holds {_TIMES[moment.clock]} by its limits in the schema, and is "
                    f"compared with {_TIMES[clock]}: write {written_time(moment.clock)}",
                )


def refuse_calendar(relation: Relation, node: Tree, column: str) -> NoReturn:
    """Refuse the year or month of a column whose type is no dates."""
    name = as_name(column)
    held = _held(relation, column)
    cure = {
        "text": "make it a column of dates where the data comes from, CAST({} AS DATE)",
        "durations": "compare it with INTERVAL 8 HOUR, or ask SUM, AVG or MEDIAN of it",
    }.get(held, "compare it as it stands, {} = 5")
    relation.query.refuse(
        node,
        f"{name} holds {held}, and {called(node)} takes a column of dates or times: "
        f"{cure.format(name)}",
    )


def is_typed_text(relation: Relation, column: str) -> bool:
    """Whether a column is text by the type that the data declares."""
    return _held(relation, column) == "text"


def of_worked_out_dates(query: Query, node: Tree, column: str) -> str | None:
    """What to write where a date stands in arithmetic; None where it does not."""
    name = as_name(column)
    parent = node.parent
    while type(parent).__name__ == "Paren":
        parent = parent.parent
    match type(parent).__name__:
        case "Trunc":
            unit = _ORACLE.get(_unit(parent))
            return f"write DATE_TRUNC('{unit}', {name})" if unit else f"write CAST({name} AS DATE)"
        case "Floor" | "Ceil" | "Round":
            return f"write DATE_TRUNC('month', {name}), or YEAR({name})"
        case "Add" | "Sub" if told := of_moved_dates(query, parent):
            return told
        case "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Neg" | "Abs":
            return f"{nearest.ADDED}, or take the number YEAR({name})"
        case _:
            return None


def _unit(node: Tree) -> str:
    """To what TRUNC cuts a date, as the query says: 'MM'."""
    given = node.args.get("decimals") or node.args.get("unit")
    return "" if given is None else str(given.name).upper()


_ORACLE = {
    **dict.fromkeys(("MM", "MON", "MONTH", "RM"), "month"),
    **dict.fromkeys(("Y", "YY", "YYY", "YYYY", "YEAR", "SYYYY"), "year"),
    "Q": "quarter", "IW": "week", "WEEK": "week",
}  # fmt: skip
COMPARED = {"GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "EQ": "=", "NEQ": "<>"}
TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


def of_moved_dates(query: Query, moved: Tree) -> str | None:
    """What to write where the date of a row and some days are compared, a > b + 10."""
    parent, inner = moved.parent, moved
    while type(parent).__name__ == "Paren":
        parent, inner = parent.parent, parent
    days = _days(moved.expression)
    if days is None or type(parent).__name__ not in COMPARED:
        return None
    sign, other = COMPARED[type(parent).__name__], parent.expression
    if inner is other:  # as if it stood on the left
        sign, other = TURNED.get(sign, sign), parent.this
    column, other = query.written(moved.this), query.written(other)
    if type(parent.this if inner is parent.expression else parent.expression).__name__ != "Column":
        back = "-" if type(moved).__name__ == "Add" else "+"
        return f"write {column} {sign} {other} {back} INTERVAL {days} DAY"
    days = days if type(moved).__name__ == "Add" else f"-{days}"
    return f"write {other} - {column} {TURNED.get(sign, sign)} {days}"


def _days(node: Tree) -> str | None:
    """A constant number of days, as a number or an interval."""
    if type(node).__name__ == "Interval" and str(node.unit).upper().rstrip("S") == "DAY":
        node = node.this
    text = str(node.this) if type(node).__name__ == "Literal" else ""
    return text if text.isdecimal() else None


def of_blank(query: Query, node: Tree) -> str:
    """What to write in place of a blank text, by what it stands in."""
    parent, inner = node.parent, node
    while type(parent).__name__ == "Paren":
        parent, inner = parent.parent, parent
    kind = type(parent).__name__
    if kind in ("EQ", "NEQ"):
        other = parent.expression if parent.this is inner else parent.this
        return f"write {query.written(other)} IS {'NOT ' if kind == 'NEQ' else ''}NULL"
    if kind == "In":
        of, negated = query.written(parent.this), type(parent.parent).__name__ == "Not"
        if len(parent.expressions) == 1:
            return f"write {of} IS {'NOT ' if negated else ''}NULL"
        return "leave it out" if negated else f"leave it out, and write OR {of} IS NULL beside IN"
    if kind == "Coalesce":
        given = query.written(parent).replace(query.written(node), "'-'")
        return f"write another text that no entry is, {given}"
    if kind == "Nullif":
        return f"write {query.written(parent.this)}, which is NULL then"
    if kind in ("Concat", "DPipe"):
        return "leave it out, which changes nothing"
    return "write NULL" if kind in ("If", "Case") else "write IS NULL, or NULL for a value"


def check_third(query: Query, node: Tree) -> None:
    """Refuse a third value of ROUND, which says whether digits are cut off."""
    if (third := node.args.get("truncate")) is None:
        return
    given = f"({query.written(node.this)}, {query.written(node.args['decimals'])})"
    cure = f"ROUND{given}" if third.name == "0" else f"TRUNC{given}, which cuts digits off"
    query.refuse(third, f"a third value of ROUND is not supported: write {cure}")


def of_dates_as_text(relation: Relation, column: str) -> str | None:
    """What to write where dates are declared as keys that are text; None for other keys."""
    keys = relation.facts(column).keys or ()
    times = [read_text(key) if isinstance(key, str) else None for key in keys]
    known = [time for time in times if time is not None]
    untyped = relation.is_untyped(RawColumn(column))
    if not untyped or len(set(known)) < 2 or len(known) < len(times):
        return None
    ends = [sign(known, key=lambda time: time.isoformat()).isoformat() for sign in (min, max)]
    return (
        ": its keys are dates that are declared as text: write in their place "
        f"{section(column)} bounds = [{', '.join(ends)}]"
    )


def of_dates_alone(node: Tree, column: str) -> str:
    """What to write for an aggregate of dates that are chosen or worked out."""
    name = as_name(column)
    while node is not None and type(node).__name__ not in ("Max", "Min", "Median", "Avg"):
        node = node.parent
    return (
        "dates are aggregated as a column by itself, of the rows that WHERE keeps: write "
        f"{'MEDIAN' if node is None else called(node)}({name}) and WHERE, or YEAR({name})"
    )


def _refuse_number(relation: Relation, node: Tree, column: str) -> NoReturn:
    name = as_name(column)
    held = _held(relation, column)
    cure = ""
    if held == "text":
        cure = f": {OF_TEXT}"
        if keyed_by_truth(relation, column):
            cure = f": write CASE WHEN {name} = 'true' THEN 1 ELSE 0 END"
    elif told := of_worked_out_dates(relation.query, node, column):
        cure = f": {told}"
    elif relation.table.own_clock(column) is not None:
        written = as_time(relation, column, ", compared with ")
        spans = relation.table.own_clock(column) is Clock.SPAN
        more = "SUM, AVG and MEDIAN" if spans else "MIN, MAX and MEDIAN, and by DATE_TRUNC"
        cure = f": it is taken by itself{written}, by {more}"
    relation.query.refuse(node, f"{name} holds {held}, and numbers are needed here{cure}")


def _held(relation: Relation, column: str) -> str:
    table = relation.table
    clock = table.own_clock(column)
    if clock is not None:
        return _TIMES[clock]
    with suppress(ColumnTypeError):
        return (
            "true and false" if table.column_type(column).reading is Reading.BOOLEAN else "numbers"
        )
    with suppress(ColumnTypeError):
        table.text_type(column)
        return "text"
    return "neither numbers nor text"


def told_clock(clock: Clock) -> str:
    """What a column of a clock holds."""
    return _TIMES[clock]


def as_time(relation: Relation, column: str, before: str = ": write ", text: str = "") -> str:
    """What is written for a time of a column's type, ``text`` if it is one; else nothing."""
    clock = relation.table.own_clock(column)
    return "" if clock is None else f"{before}{as_constant(text, clock)}"


def is_number(text: str) -> bool:
    """Whether a text is a number, as SQL writes one."""
    with suppress(ValueError, ZeroDivisionError):
        exact(text)
        return True
    return False
