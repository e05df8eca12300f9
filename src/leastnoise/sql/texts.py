"""Functions of text: those that every engine works out alike, and others of declared keys.

What has a few declared texts is a table of what a function makes of each, which is public: any
function will do there. Of other text only what is defined by code points alone is worked out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.sql.cures import as_condition
from leastnoise.sql.forms import NOTHING, ONE, ZERO, held, text_is
from leastnoise.sql.kinds import OF_TEXT, as_time
from leastnoise.sql.limits import is_whole
from leastnoise.sql.names import as_name, section
from leastnoise.sql.refusals import called, converted, explain, named
from leastnoise.sql.relations import Cell, RawColumn, Timed
from leastnoise.sql.text import Query, Tree, exact
from leastnoise.sql.times import as_date, time_of_day
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.expressions import (
    Both,
    Choice,
    Compared,
    Entry,
    Joined,
    Length,
    Lookup,
    Matches,
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
    is_text,
    walk,
)
from leastnoise.summaries.predicates import col

if TYPE_CHECKING:
    from leastnoise.sql.rows import RowCompiler

_OF_KEYS: dict[str, Callable[[str], str]] = {
    "Upper": str.upper,
    "Lower": str.lower,
    "Reverse": lambda text: text[::-1],
}
FUNCTIONS = frozenset(
    {*_OF_KEYS, "Trim", "Substring", "Left", "Right", "Replace", "Concat", "DPipe", "Length"}
)
CASTS = frozenset({"Cast", "TryCast"})
PATTERNS = frozenset({"Like", "ILike", "Escape", "StartsWith", "EndsWith", "Contains"})
_WHOLE = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT", "INT128", "UINT", "UBIGINT"})
_TEXT = frozenset({"CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "TEXT", "NAME"})
_MOST_JOINED = 16
_LONGEST = 10_000  # characters that a function counts


def text_function(rows: RowCompiler, node: Tree) -> Value:
    """A function of text, or a number that a text has.

    Raises
    ------
    QueryError
        If engines differ in it and the keys of the column are not declared.
    """
    kind, query = type(node).__name__, rows.query
    match kind:
        case "Trim":
            query.only(node, "this", "position", "expression")
            given = node.args.get("expression")
            sign = " " if given is None else _sign_of(query, given)
            if not sign.strip():  # texts have no blanks around them
                return rows.text(node.this)
            ends = str(node.args.get("position") or "BOTH")
            strip = {"LEADING": str.lstrip, "TRAILING": str.rstrip}.get(ends, str.strip)
            return _mapped(rows, node, lambda text: strip(text, sign))
        case "Length":
            query.only(node, "this", "encoding")
            return Length(rows.text(node.this))
        case "Substring":
            query.only(node, "this", "start", "length")
            if "start" not in node.args:
                of = query.written(node.this)
                query.refuse(node, f"{called(node)} takes a place: write SUBSTR({of}, 1, 2)")
            if type(node.args["start"]).__name__ == "Neg" and node.args.get("length") is None:
                of, last = query.written(node.this), query.written(node.args["start"].this)
                query.refuse(node, f"a place from the end is refused: write RIGHT({of}, {last})")
            start = _count(query, node.args["start"], least=1) - 1
            length = node.args.get("length")
            return Slice(rows.text(node.this), start, length and _count(query, length))
        case "Left":
            query.only(node, "this", "expression")
            return Slice(rows.text(node.this), 0, _count(query, node.expression))
        case "Right":
            query.only(node, "this", "expression")
            count = _count(query, node.expression)
            return _mapped(rows, node, lambda text: text[-count:] if count else "")
        case "Replace":
            query.only(node, "this", "expression", "replacement")
            old = _constant(query, node.expression)
            with_ = node.args.get("replacement")  # without it, what is found is left out
            new = "" if with_ is None else _constant(query, with_)
            return _mapped(rows, node, lambda text: text.replace(old, new) if old else text)
        case "Concat" | "DPipe":
            return _joined(rows, node)
        case _:
            query.only(node, "this")
            return _mapped(rows, node, _OF_KEYS[kind])


def _sign_of(query: Query, node: Tree) -> str:
    """The one character that TRIM takes off: engines differ in what several are."""
    if not node.args.get("is_string") or len(str(node.this).strip()) > 1:
        query.refuse(
            node,
            "TRIM takes one character off, as engines differ in more: write CASE x WHEN 'N' THEN "
            "'M' END",
        )
    return str(node.this)


def _count(query: Query, node: Tree, least: int = 0) -> int:
    text = str(node.this) if type(node).__name__ == "Literal" else ""
    if node.args.get("is_string") or not text.isdigit() or not least <= int(text) <= _LONGEST:
        query.refuse(node, f"give a whole number, from {least} to {_LONGEST}")
    return int(text)


def _constant(query: Query, node: Tree) -> str:
    if type(node).__name__ != "Literal" or not node.args.get("is_string"):
        query.refuse(
            node, "write a constant text in single quotes, 'N', without a letter before it"
        )
    return str(node.this)


def _joined(rows: RowCompiler, node: Tree) -> Textual:
    query, kind = rows.query, type(node).__name__
    query.only(node, "this", "expression", "expressions", "safe", "coalesce")
    nodes = node.expressions if kind == "Concat" else [node.this, node.expression]
    found: list[Textual] = []
    for each in nodes:
        literal = type(each).__name__ == "Literal" and each.args.get("is_string")
        text = Text(str(each.this)) if literal else rows.text(each)
        found += text.texts if isinstance(text, Joined) else [text]
    if len(found) > _MOST_JOINED:
        query.refuse(node, f"at most {_MOST_JOINED} texts are joined: write fewer of them")
    constants = [text.value or "" for text in found if isinstance(text, Text)]
    if len(constants) == len(found):
        return Text(_plain("".join(constants)))
    return Joined(tuple(found))


# --- functions of declared keys -------------------------------------------------------------------


def _mapped(rows: RowCompiler, node: Tree, function: Callable[[str], str]) -> Textual:
    """A text that a function makes of each that there can be."""

    def made(text: str) -> str | None:
        return _plain(function(text))

    found: Any = of_keys(rows, node, rows.text(node.this), made, Text, TextChoice, TextLookup)
    return found


def of_keys(
    rows: RowCompiler,
    node: Tree,
    value: Textual,
    function: Callable[[str], Any],
    constant: Callable[[Any], Any],
    choice: Callable[..., Any],
    lookup: Callable[..., Any],
    why: str = "differs from engine to engine",
) -> Any:
    """What a function makes of every text that a value can be: public constants all."""

    def inner(value: Textual, function: Callable[[str], Any]) -> Any:
        match value:
            case Text(text):
                return constant(None if text is None else function(text))
            case TextChoice(branches, otherwise):
                chosen = tuple((when, inner(text, function)) for when, text in branches)
                return choice(chosen, inner(otherwise, function))
            case TextLookup(name, column, keys, values):
                made = tuple(None if text is None else function(text) for text in values)
                return lookup(f"{name_of} OF {name}", column, keys, made)
            case TextEntry(column) if (keys := _texts(rows, column)) is not None:
                return lookup(name_of, column, keys, tuple(function(key) for key in keys))
            case Slice(of, start, length):
                end = None if length is None else start + length

                def sliced(text: str) -> Any:
                    found = _plain(text[start:end])
                    return None if found is None else function(found)

                return inner(of, sliced)
            case _:
                rows.query.refuse(
                    node,
                    f"{called(node)} {why}, and is worked out where the texts are public: declare "
                    f"them in the schema, {section(_name(value))} keys = [...]",
                )

    name_of = named(node)
    return inner(value, function)


def _name(value: Textual) -> str:
    """The column of a text, for its place in the schema."""
    return next((each.column for each in walk(value) if isinstance(each, TextEntry)), "NAME")


def _plain(text: str) -> str | None:
    """A text as entries are read."""
    return text.strip() or None


def _texts(rows: RowCompiler, column: str) -> tuple[str, ...] | None:
    keys = rows.relation.facts(column).keys
    if keys is None:
        return None
    texts = tuple(key for key in keys if isinstance(key, str))
    return texts if len(texts) == len(keys) else None


# --- patterns -------------------------------------------------------------------------------------


def pattern(rows: RowCompiler, node: Tree) -> Truth:
    """LIKE with a constant pattern, and functions that are short for one."""
    kind, query, escape = type(node).__name__, rows.query, ""
    if kind == "Escape":
        query.only(node, "this", "expression")
        escape, node = _constant(query, node.expression), node.this
        kind = type(node).__name__
        if len(escape) != 1 or kind not in ("Like", "ILike"):
            query.refuse(node, "ESCAPE takes one character, after LIKE")
    query.only(node, "this", "expression", "negate")
    if type(node.expression).__name__ in ("Any", "All"):
        query.refuse(node.expression, "write a LIKE for each: x LIKE 'N%' OR x LIKE 'S%'")
    text, value = _constant(query, node.expression), rows.text(node.this)
    if kind in ("StartsWith", "EndsWith", "Contains"):
        how: Any = {"StartsWith": "starts", "EndsWith": "ends", "Contains": "contains"}[kind]
        return Matches(how, value, text)
    if not escape and "\\" in text:
        query.refuse(
            node.expression,
            "a backslash escapes in some engines: write ESCAPE '\\' behind the pattern",
        )
    signs = _signs(query, node, text, escape)
    found = _simple(value, signs) if kind == "Like" else None
    if found is None:
        expression = re.compile(
            "".join({"%": ".*", "_": "."}.get(sign, re.escape(sign[1:])) for sign in signs),
            re.DOTALL | (re.IGNORECASE if kind == "ILike" else 0),
        )

        def met(text: str) -> Fraction:
            return Fraction(expression.fullmatch(text) is not None)

        why = (
            "has one text with % before or after it, or two with % between them; write several "
            "joined by AND. Any other pattern may take an engine as long as it likes"
        )
        told = of_keys(rows, node, value, met, Number, Choice, Lookup, why)
        found = Compared("==", told, ONE)
    return Negation(found) if node.args.get("negate") else found


def _signs(query: Query, node: Tree, text: str, escape: str) -> list[str]:
    """The parts of a pattern: "%", "_", or text after a "="."""
    found: list[str] = []
    at = 0
    while at < len(text):
        escaped = text[at] == escape
        at += escaped
        if at == len(text):
            query.refuse(
                node.expression,
                "the pattern ends with its escape character: write that twice, or leave ESCAPE out",
            )
        if text[at] in "%_" and not escaped:
            found.append(text[at])
        elif found and found[-1].startswith("="):
            found[-1] += text[at]
        else:
            found.append(f"={text[at]}")
        at += 1
    return found


def _simple(value: Textual, signs: list[str]) -> Truth | None:
    """A pattern of one or two texts and % around them; None for any other."""
    shape = "".join("x" if sign.startswith("=") else sign for sign in signs)
    shape = re.sub("%+", "%", shape)
    texts = [sign[1:] for sign in signs if sign.startswith("=")]
    match shape:
        case "x" if texts[0] == texts[0].strip():
            return text_is(value, texts)
        case "x":  # entries have no blanks around them, so that this is true of none
            long = Compared("==", Length(value), Number(Fraction(len(texts[0]))))
            return Both(Matches("starts", value, texts[0]), long)
        case "%":
            return Matches("starts", value, "")
        case "x%":
            return Matches("starts", value, texts[0])
        case "%x":
            return Matches("ends", value, texts[0])
        case "%x%":
            return Matches("contains", value, texts[0])
        case "x%x":
            whole = Compared(">=", Length(value), Number(Fraction(sum(map(len, texts)))))
            ends = Both(Matches("starts", value, texts[0]), Matches("ends", value, texts[1]))
            return Both(ends, whole)
        case _:
            return None


# --- casts ----------------------------------------------------------------------------------------

_ROUNDS = (
    "a cast to whole numbers rounds in one engine and cuts off in another: write ROUND, FLOOR or "
    "TRUNC, or declare bounds and step = 1 of a column of whole numbers, and leave the cast out"
)


def cast(rows: RowCompiler, node: Tree) -> Cell:
    """A value as another type, where no row can fail and no engine rounds otherwise."""
    query, to = rows.query, node.args["to"]
    if called(node) == "CONVERT":
        query.refuse(node, converted(query.written(node)))
    query.only(node, "this", "to", "safe")
    kind = str(getattr(to.this, "name", to.this))
    if to.args.get("expressions") and kind in _TEXT:
        query.refuse(node, "a length would cut text off: write TEXT, or SUBSTR")
    if kind in ("DATE", "TIME"):
        return as_date(rows, node) if kind == "DATE" else time_of_day(rows, node)
    kind = _OTHER_NAMES.get(str(to.args.get("kind")).upper(), kind)
    if kind in _NEAR_TYPES or kind == "BOOLEAN":
        cure = _near_type(query, node)
        if kind in ("TIMESTAMP", "DATETIME"):
            clock = rows.relation.clock(rows.value(node.this))
            if clock is Clock.DAY or clock is Clock.LOCAL:
                cure = (
                    f"a date stands beside times as its midnight: write {query.written(node.this)}"
                )
        query.refuse(node, f"{called(node)} to {to.sql()} is refused: {cure}")
    found = rows.value(node.this)
    if isinstance(found, Timed):
        query.refuse(
            node,
            f"{called(node)} is refused of dates, which engines write in different ways: take the "
            "date itself, or YEAR or MONTH of it",
        )
    if kind in _TEXT:
        return _as_text(rows, node, found)
    if kind not in ("DOUBLE", *_WHOLE):
        query.refuse(node, f"{explain(node)}; casts are to DOUBLE, INT, TEXT or DATE")
    number = _plain_number(rows, _as_number(rows, node, found))
    typed = isinstance(number, Entry) and rows.relation.table.column_type(number.column).integer
    if kind != "DOUBLE" and not (typed or is_whole(number, rows.relation.truths)):
        query.refuse(node, f"{called(node)} is refused: {_ROUNDS}")
    return number


_OTHER_NAMES = {"FLOAT64": "DOUBLE", "SIGNED": "BIGINT", "UNSIGNED": "UBIGINT"}
_NEAR_TYPES = {
    "FLOAT": "it has fewer digits in one engine than in another: write CAST({} AS DOUBLE)",
    "DECIMAL": "its digits differ from engine to engine: write CAST({} AS DOUBLE), or ROUND({}, 2)",
    "TIMESTAMP": "times are compared as they stand: write {} > TIMESTAMP '2024-01-31 12:30:00'",
}
_NEAR_TYPES["DATETIME"] = _NEAR_TYPES["TIMESTAMPTZ"] = _NEAR_TYPES["TIMESTAMP"]


def _near_type(query: Query, node: Tree) -> str:
    """What to write for a cast to a type that engines have in their own ways."""
    to, of = node.args["to"], query.written(node.this)
    if to.this.name == "BOOLEAN":
        told = as_condition(node, f"{of} <> 0")
        return f"write {told}, or {of} by itself where its type is true and false"
    if to.this.name != "DECIMAL" or not to.expressions:
        return _NEAR_TYPES[to.this.name].replace("{}", of)
    places = to.expressions[1].name if len(to.expressions) > 1 else "0"
    return f"its digits differ from engine to engine: write ROUND({of}, {places})"


def _as_number(rows: RowCompiler, node: Tree, found: RawColumn | Value) -> Numeric:
    if isinstance(found, RawColumn) and rows.relation.holds_numbers(found):
        return Entry(found.name)
    if not isinstance(found, RawColumn) and not is_text(found):
        return rows.number(node.this)

    def read(text: str) -> Fraction | None:
        try:
            number = exact(text)
        except (ValueError, ZeroDivisionError):
            return None
        return number if "/" not in text else None

    numbers: Any = of_keys(rows, node, rows.text(node.this), read, Number, Choice, Lookup)
    if not any(results_of(each) for each in walk(numbers)):
        rows.query.refuse(
            node, f"{called(node)} is refused: no text that is declared is a number: {OF_TEXT}"
        )
    return numbers


def _plain_number(rows: RowCompiler, value: Numeric) -> Numeric:
    """The same with 1 for true and 0 for false."""
    match value:
        case Entry(column) if rows.relation.is_truth(RawColumn(column)):
            leaves = [(held(col(column) == number), number) for number in (1, 0)]
            return Choice(tuple((met, Number(Fraction(n))) for met, n in leaves), Number(None))
        case Number(constant):
            return Number(constant)
        case Choice(branches, otherwise) if rows.relation.means_truth(value):
            chosen = tuple((met, _plain_number(rows, one)) for met, one in branches)
            return Choice(chosen, _plain_number(rows, otherwise))
        case _:
            return value


def results_of(node: Node) -> bool:
    """Whether a part of a value gives a number that is declared."""
    match node:
        case Number(value):
            return value is not None
        case Lookup(values=values):
            return any(value is not None for value in values)
        case _:
            return False


def _beside(rows: RowCompiler, column: str, node: Tree) -> str:
    """The constant that a cast to text is compared with, as a time like those of the column."""
    sides = [node.parent.args.get(name) for name in ("this", "expression")]
    texts = [str(side.this) for side in sides if side is not None and side.args.get("is_string")]
    return as_time(rows.relation, column, "", *texts[:1])


def _as_text(rows: RowCompiler, node: Tree, found: Cell) -> Textual:
    if rows.relation.means_truth(found) and not isinstance(found, RawColumn):
        of = rows.number(node.this)
        words = ((ONE, Text("true")), (ZERO, Text("false")))
        return TextChoice(tuple((Compared("==", of, n), word) for n, word in words), Text(None))
    if not isinstance(found, RawColumn):
        if not isinstance(found, Timed) and not is_text(found) and found != NOTHING:
            of = rows.query.written(node.this)
            rows.query.refuse(
                node,
                f"{called(node)} is refused: {of} is a number, which engines write in different "
                f"ways: take the number itself, or write CASE {of} WHEN 1 THEN '1' ... END",
            )
        return rows.text(node.this)
    if rows.relation.holds_text(found) and not rows.relation.holds_numbers(found):
        return rows.text(node.this)
    keys = rows.relation.facts(found.name).keys or ()
    if rows.relation.is_truth(found):
        keys = keys or (False, True)
        numbers = tuple(Fraction(int(key)) for key in keys)
        return TextLookup("CAST", found.name, numbers, tuple(str(bool(x)).lower() for x in keys))
    if keys and all(isinstance(key, int) for key in keys):
        numbers = tuple(Fraction(int(key)) for key in keys)
        return TextLookup("CAST", found.name, numbers, tuple(str(int(key)) for key in keys))
    if rows.relation.holds_text(found):
        return rows.text(node.this)
    if rows.relation.is_time(found):
        name = as_name(found.name)
        rows.query.refuse(
            node,
            f"{called(node)} is refused of dates, which engines write in different ways: write "
            f"{name} = {_beside(rows, found.name, node)}, or take YEAR({name})",
        )
    rows.query.refuse(
        node,
        f"{called(node)} is refused: engines write numbers in different ways; compare the number "
        f"itself, {as_name(found.name)} = 5, or declare whole numbers as keys of it, whose text is "
        "known",
    )
