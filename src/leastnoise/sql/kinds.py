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
from leastnoise.sql.cures import of_worked_out_dates
from leastnoise.sql.moments import UTC_ALONE, as_constant, as_written
from leastnoise.sql.names import as_name, section
from leastnoise.sql.refusals import called
from leastnoise.sql.relations import RawColumn, Relation
from leastnoise.sql.results import plain
from leastnoise.sql.text import Tree, exact
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
            cure = as_time(relation, column, text=str(first))
            if isinstance(first, Fraction) and held == "text":
                cure = f": {_beside_text(relation, node, column, first, sign)}"
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
        f"write {name} {sign if sign != '==' else '='} {as_constant(str(number), Clock.DAY)}, or "
        f"YEAR({name})"
        if kind == "a date"
        else f"{_beside_text(relation, node, column, number, sign)}; if its entries are numbers, "
        "declare bounds of it, or keys that are numbers"
    )
    relation.query.refuse(
        node,
        f"{name} is {kind} by what is declared, and {plain(number)} is a number: {cure}",
    )


def _beside_text(relation: Relation, node: Tree, column: str, number: Fraction, sign: str) -> str:
    """What to write for a number beside text: other engines read the text as a number."""
    keys, name = relation.facts(column).keys or (), as_name(column)
    numbers = [exact(key) for key in keys if isinstance(key, str) and is_number(key)]
    if keys and len(numbers) == len(keys):
        whole = all(each.denominator == 1 for each in numbers)
        cast = f"CAST({name} AS {'INT' if whole else 'DOUBLE'})"
        return f"write {relation.query.written(node).replace(name, cast, 1)}"
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


def check_times(
    relation: Relation, node: Tree, column: str, times: Sequence[Time], written: Sequence[Tree]
) -> None:
    """Refuse to compare a column with dates or times that it does not hold.

    They stand at ``written`` in the query.
    """
    name = as_name(column)
    with relation.query.located(node):
        pairs = [*zip(times, written, strict=True)]
        firsts = {clock: pair for pair in reversed(pairs) if (clock := clock_of(pair[0]))}
        for clock, (time, constant) in reversed(firsts.items()):
            try:
                relation.table.clocked({column: clock})
            except ColumnTypeError:
                held = _held(relation, column)
                own = relation.table.own_clock(column)
                cure = "" if own is None else f": write {_beside(time, own)}"
                if held in ("numbers", "true and false"):
                    cure = f": write {name} = {5 if held == 'numbers' else 'TRUE'}"
                if held == "text":
                    cure = (
                        f": make it a column of dates where the data comes from, CAST({name} AS "
                        f"DATE), or compare its text, {name} = '{times[0]}'"
                    )
                relation.query.refuse(
                    node if own is None else constant,
                    f"{name} holds {held}, and is compared with {_TIMES[clock]}{cure}",
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
                    constant,
                    f"{name} is compared with {_TIMES[first]} before this, and with "
                    f"{_TIMES[clock]} here: {_alike(column, time, first)}",
                )
            clocks = {clock, moment.clock} if moment is not None else set[Clock]()
            if moment is not None and len(clocks) == 2 and Clock.INSTANT in clocks:
                relation.query.refuse(
                    constant,
                    f"{name} holds {_TIMES[moment.clock]} by its limits in the schema, and is "
                    f"compared with {_TIMES[clock]}: write {_beside(time, moment.clock)}",
                )


def _beside(time: Time, clock: Clock) -> str:
    """How a time is written beside those of a clock, as beside days it may be one of a day."""
    clocks = clock, clock_of(time)
    zones = Clock.SPAN not in clocks and Clock.INSTANT in clocks
    written = as_written(time, Clock.LOCAL if zones and clock is Clock.DAY else clock)
    return f"{written}{UTC_ALONE if zones else ''}"


def _alike(column: str, time: Time, first: Clock) -> str:
    """What to do where one column is compared with constants of two clocks."""
    if Clock.INSTANT in (first, clock_of(time)):
        return f"write {_beside(time, first)}"
    times = "2020-01-01T00:00:00, 2024-12-31T00:00:00"
    return f"declare limits of it that are times, {section(column)} bounds = [{times}]"


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
