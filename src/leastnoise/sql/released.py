"""What a query does with released numbers: arithmetic, HAVING, ORDER BY and LIMIT.

Nothing here sees data: a row is the key of a group and the numbers that were released for it, so
all of it is free. What has no value is None, as NULL is; nothing raises on a number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from leastnoise.sql.aggregates import has_aggregate, is_aggregate
from leastnoise.sql.conditions import LOGIC, SAME, chained
from leastnoise.sql.cures import check_third
from leastnoise.sql.formats import read_text
from leastnoise.sql.moments import as_constant, fits, is_text, read_time, written_time
from leastnoise.sql.names import as_name
from leastnoise.sql.refusals import explain
from leastnoise.sql.relations import folded
from leastnoise.sql.values import (
    OF_ONE,
    OF_TWO,
    between,
    conjunction,
    cut,
    disjunction,
    greatest,
    least,
    listed,
    nullif,
    rounded,
)
from leastnoise.summaries.columns import Clock, clock_of

if TYPE_CHECKING:
    from leastnoise.sql.text import Query, Tree


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """The key of a group and what was released for it: a number and an interval a statistic."""

    key: tuple[Any, ...]
    numbers: tuple[Any, ...]
    ends: tuple[Any, ...] = ()


Term: TypeAlias = Callable[[ReleasedRow], Any]


@dataclass(frozen=True, slots=True)
class ReleasedCompiler:
    """From trees to functions of a released row.

    ``key`` tells which key of the group a form is, ``number`` what an aggregate is in a row,
    ``kind`` what either of them is ("number", "text" or a kind of time), ``aliases`` what the
    columns of the SELECT are called, and ``ends`` those of their intervals.
    """

    query: Query
    key: Callable[[Tree], int | None]
    number: Callable[[Tree], Term]
    kind: Callable[[Tree], str]
    aliases: Mapping[str, Tree]
    ends: Mapping[str, Term]
    known: Callable[[Tree], object] = lambda _: None
    """Refuses a name that no column has."""

    def term(self, node: Tree, *, aliases: bool = False) -> Term:
        """A value of the released row; ``aliases``: names of the SELECT are known."""
        kind, query = type(node).__name__, self.query
        place = self.key(node)
        if place is not None:
            return lambda row: row.key[place]
        if is_aggregate(node):
            return self.number(node)
        time = read_time(query, node)
        if time is not None:
            return _constant(time)
        match kind:
            case "Paren" | "Alias":
                query.only(node, "this", "alias")
                return self.term(node.this, aliases=aliases)
            case "Column" if aliases and not node.table and self.alias(node) is not None:
                return self.term(self.alias(node))
            case "Column" if aliases and not node.table and folded(node.name) in self.ends:
                return self.ends[folded(node.name)]
            case "Column":
                told, named = query.written(node), self.alias(node)
                if not node.table and named is not None and has_aggregate(named):
                    query.refuse(
                        node,
                        f"{told} is a name of the SELECT, known in HAVING and ORDER BY only: write "
                        f"{query.written(named)}, which is released once however often it stands",
                    )
                if folded(node.name) not in self.ends:
                    self.known(node)
                query.refuse(
                    node,
                    f"{told} is a column of single rows, which are never released: put it into an "
                    "aggregate, or into GROUP BY (where a name that the table has means its column "
                    "there, not the one of the SELECT)",
                )
            case "Literal":
                return _constant(self._literal(node))
            case "Null":
                return _constant(None)
            case "Boolean":
                return _constant(bool(node.this))
            case "Neg" | "Abs" | "Floor" | "Ceil":
                query.only(node, "this")
                self._no_text(node.this)
                self._no_time(node, node.this, spans=kind in ("Neg", "Abs"))
                return self._apply(OF_ONE[kind], [node.this], aliases)
            case "Not":
                query.only(node, "this")
                met = self.condition(node.this, aliases=aliases)
                return lambda row: None if (found := met(row)) is None else not found
            case "Round" | "Trunc":
                check_third(query, node)
                query.only(node, "this", "decimals")
                digits = node.args.get("decimals")
                given = [node.this] if digits is None else [node.this, digits]
                self._no_text(*given)
                self._no_time(node, *given, spans=False)
                return self._apply(rounded if kind == "Round" else cut, given, aliases)
            case _ if kind in OF_TWO:
                query.only(node, "this", "expression", "typed", "safe")
                sides = self._dated(node.this, node.expression)
                if kind not in _ARITHMETIC:
                    query.operands(node)
                    self._comparable(*sides)
                else:
                    self._no_text(*sides)
                    self._check_times(node, *sides)
                return self._apply(OF_TWO[kind], sides, aliases)
            case _ if kind in SAME:
                query.only(node, "this", "expression")
                query.operands(node)
                sides = self._dated(node.this, node.expression)
                self._comparable(*sides)
                same = operator.eq if SAME[kind] else operator.ne
                return self._apply(same, sides, aliases, nulls=True)
            case "And" | "Or":
                terms = [self.condition(x, aliases=aliases) for x in chained(query, node)]
                both = conjunction if kind == "And" else disjunction
                return lambda row: reduce(both, (term(row) for term in terms))
            case "Coalesce":
                query.only(node, "this", "expressions", "is_nvl", "is_null")
                self._one_kind([node.this, *node.expressions])
                terms = [self.term(x, aliases=aliases) for x in [node.this, *node.expressions]]
                return lambda row: next((v for t in terms if (v := t(row)) is not None), None)
            case "Nullif":
                query.only(node, "this", "expression")
                sides = self._dated(node.this, node.expression)
                self._comparable(*sides)
                return self._apply(nullif, sides, aliases, nulls=True)
            case "Greatest" | "Least":
                query.only(node, "this", "expressions", "ignore_nulls")
                self._one_kind([node.this, *node.expressions])
                best = greatest if kind == "Greatest" else least
                return self._apply(best, [node.this, *node.expressions], aliases, nulls=True)
            case "Between":
                query.only(node, "this", "low", "high")
                query.operands(node, node.this, node.args["low"], node.args["high"])
                three = self._dated(node.this, node.args["low"], node.args["high"])
                self._comparable(*three)
                return self._apply(between, three, aliases)
            case "In" if node.args.get("query") is None and node.args.get("unnest") is None:
                query.only(node, "this", "expressions")
                query.operands(node, node.this)
                nodes = self._dated(node.this, *node.expressions)
                self._comparable(*nodes)
                return self._apply(listed, nodes, aliases, nulls=True)
            case "Is" if type(node.expression).__name__ == "Null":
                query.only(node, "this", "expression")
                inner = self.term(node.this, aliases=aliases)
                return lambda row: inner(row) is None
            case "Case" | "If":
                return self._case(node, aliases)
            case _:
                query.refuse(node, explain(node, "a released value"))

    def condition(self, node: Tree, *, aliases: bool = False) -> Term:
        """What is true, false or NULL of a released row, and no number that is not 0."""
        term = self.term(node, aliases=aliases)
        kind = self._kind(node)
        if kind != "truth":
            cure = "= 'N'" if kind == "text" else "> 10"
            written = self.query.written(node)
            self.query.refuse(node, f"{written} is no condition: compare it, {cure}")
        return term

    def alias(self, node: Tree) -> Tree | None:
        """What a name stands for in the SELECT, if it is one of its."""
        return self.aliases.get(folded(node.name))

    def _literal(self, node: Tree) -> Any:
        text = str(node.this)
        if node.args.get("is_string"):
            return text.strip()
        value = float(text)
        if not abs(value) <= _LARGEST:
            self.query.refuse(node, "this number is too large: 1e150 is the most")
        return int(text) if text.isdigit() and value < _WHOLE else value

    # --- kinds -----------------------------------------------------------------------------------

    def _kind(self, node: Tree) -> str | None:
        """What a form is when it is not NULL; None where that is not known."""
        kind = type(node).__name__
        if self.key(node) is not None or is_aggregate(node):
            return self.kind(node)
        time = read_time(self.query, node)
        if time is not None:
            return kind_of(time)
        match kind:
            case "Paren" | "Alias" | "Nullif" | "Neg" | "Abs":
                return self._kind(node.this)
            case "Column" if not node.table and self.alias(node) is not None:
                return self._kind(self.alias(node))
            case "Column" if folded(node.name) in self.ends:
                return "number"
            case "Column":
                self.term(node)  # which refuses it
                return None
            case "Literal":
                return "text" if node.args.get("is_string") else "number"
            case "Coalesce" | "Greatest" | "Least":
                nodes = [node.this, *node.expressions]
            case "Case" | "If":
                nodes = _results(node)
            case "Mod" | "Floor" | "Ceil" | "Round" | "Trunc":
                return "number"
            case _ if kind in _ARITHMETIC:
                one, other = map(self._kind, self._dated(node.this, node.expression))
                return _of_two(kind, one, other)
            case "Null":
                return None
            case _ if kind in LOGIC or kind == "Boolean":
                return "truth"
            case _:
                self.term(node)  # which refuses it
                return None
        return next((found for x in nodes if (found := self._kind(x)) is not None), None)

    def _one_kind(self, nodes: Sequence[Tree]) -> None:
        """Refuse what would make a column of numbers and text."""
        first = None
        for node in nodes:
            kind = self._kind(node)
            if kind is None or first in (None, kind):
                first = first or kind
                continue
            self.query.refuse(
                node,
                f"one column cannot hold {first} and {kind}, which {self.query.written(node)} is: "
                "write two columns",
            )

    def _no_text(self, *nodes: Tree) -> None:
        for node in nodes:
            if self._kind(node) == "text":
                self.query.refuse(
                    node,
                    f"{self.query.written(node)} is text, and a number is needed here: write an "
                    "aggregate of numbers, COUNT(*), and text in a column of its own",
                )

    def _dated(self, *nodes: Tree) -> list[Tree]:
        """What is compared or subtracted: beside dates and times a text is one of them."""
        clocks = [_CLOCKS[kind] for node in nodes if (kind := self._kind(node)) in _CLOCKS]
        return [self._as_time(node, clocks[0]) for node in nodes] if clocks else [*nodes]

    def _as_time(self, node: Tree, clock: Clock) -> Tree:
        from sqlglot import exp

        constant = node.unnest() if type(node).__name__ == "Paren" else node
        text = str(constant.this) if is_text(constant) else None
        time = read_time(self.query, constant) if text is None else read_text(text)
        if text is None and (not isinstance(time, date) or clock_of(time) is clock):
            return node
        if isinstance(time, timedelta) or not fits(time, clock):
            told = as_constant(text or str(time), clock)
            self.query.refuse(
                node, f"{self.query.written(node)} is no {_KINDS[clock]}: write {told}"
            )
        days = clock is Clock.DAY
        moment = time.date() if days and isinstance(time, datetime) else time
        made = exp.cast(exp.Literal.string(str(moment)), "DATE" if days else "TIMESTAMP")
        made.meta.update(node.meta)
        return made

    def _comparable(self, first: Tree, *others: Tree) -> None:
        """Refuse to compare a number with text or a time: it would be true for no row."""
        kind = self._kind(first)
        for node in others:
            found = self._kind(node)
            if None in (kind, found) or kind == found or {kind, found} <= _NUMBERS:
                continue
            clock = next((_CLOCKS[each] for each in (kind, found) if each in _CLOCKS), None)
            cure = "" if clock is None else f": write {written_time(clock)}"
            if "duration" in (kind, found):
                days = node if found == "number" else first
                given = f"INTERVAL {days.name} DAY" if type(days).__name__ == "Literal" else None
                cure = f": write {given or written_time(Clock.SPAN)}"
            if {kind, found} == {"text", "number"}:
                text = node if found == "text" else first
                named = self.alias(text) if is_text(text) else None
                cure = ": write text in quotes, '5', and a number without, 5"
                if named is not None:
                    cure = f": write {as_name(text.name)} for what it names, without quotes"
            self.query.refuse(
                node, f"a {kind} is compared with a {found}, {self.query.written(node)}{cure}"
            )

    def _no_time(self, node: Tree, *nodes: Tree, spans: bool) -> None:
        for each in nodes:
            kind = self._kind(each)
            if kind is not None and kind not in _NUMBERS and not (spans and kind == "duration"):
                self._no_value(node, kind)

    def _check_times(self, node: Tree, *sides: Tree) -> None:
        one, other = map(self._kind, sides)
        if None not in (one, other) and not _fits(type(node).__name__, str(one), str(other)):
            self._no_value(node, f"{one} and {other}")

    def _no_value(self, node: Tree, kinds: str) -> NoReturn:
        self.query.refuse(
            node,
            f"{self.query.written(node)} would have no value, of {kinds}: of times there are "
            "differences, MAX(day) - MIN(day), which are added to times",
        )

    def _apply(
        self,
        function: Callable[..., Any],
        nodes: Sequence[Tree],
        aliases: bool,
        *,
        nulls: bool = False,
    ) -> Term:
        """A function of values; of NULL it gives NULL, unless it says itself what it gives."""
        terms = [self.term(node, aliases=aliases) for node in nodes]

        def applied(row: ReleasedRow) -> Any:
            values = [term(row) for term in terms]
            if not nulls and any(value is None for value in values):
                return None
            try:
                found = function(*values)
            except (ArithmeticError, TypeError, ValueError):  # of two kinds, or out of reach
                return None
            return _kept(found)

        return applied

    def _case(self, node: Tree, aliases: bool) -> Term:
        self.query.only(node, "this", "ifs", "default", "true", "false")
        whole = type(node).__name__ == "If"
        ifs = [node] if whole else node.args["ifs"]
        last = node.args.get("false" if whole else "default")
        self._one_kind(_results(node))
        of = None if whole or node.this is None else self.term(node.this, aliases=aliases)
        when = self.condition if of is None else self.term
        heads = [one.this for one in ifs]
        if of is not None:
            heads = self._dated(node.this, *heads)[1:]
            self._comparable(node.this, *heads)
        pairs = [
            (when(head, aliases=aliases), self.term(one.args["true"], aliases=aliases))
            for head, one in zip(heads, ifs, strict=True)
        ]
        otherwise = _constant(None) if last is None else self.term(last, aliases=aliases)

        def chosen(row: ReleasedRow) -> Any:
            for condition, result in pairs:
                met = condition(row)
                if (met is True) if of is None else (met is not None and met == of(row)):
                    return result(row)
            return otherwise(row)

        return chosen


_LARGEST = 1e150
_WHOLE = 2**63


def _constant(value: Any) -> Term:
    return lambda _: value


def _kept(value: Any) -> Any:
    """A number that is in reach, or NULL; a whole one beyond 64 bits is shown as a double."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if not abs(value) <= _LARGEST:
        return None
    return float(value) if abs(value) >= _WHOLE else value


def _results(node: Tree) -> list[Tree]:
    """What a CASE or an IF can give."""
    whole = type(node).__name__ == "If"
    ifs = [node] if whole else node.args["ifs"]
    last = node.args.get("false" if whole else "default")
    return [*(one.args["true"] for one in ifs), *([] if last is None else [last])]


_ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div", "Mod"})
_NUMBERS = frozenset({"number", "truth"})


_KINDS = {
    Clock.DAY: "date",
    Clock.LOCAL: "time",
    Clock.INSTANT: "time with a zone",
    Clock.SPAN: "duration",
}
_CLOCKS = {kind: clock for clock, kind in _KINDS.items() if clock is not Clock.SPAN}


def kind_of(value: object) -> str:
    """What a value is: "text", "number", "truth" or a kind of time."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "truth"
    clock = clock_of(value)
    return "number" if clock is None else _KINDS[clock]


def _fits(kind: str, one: str, other: str) -> bool:
    """Whether arithmetic is defined for two kinds, one of them a time."""
    if {one, other} <= _NUMBERS:
        return True
    if one == "duration":
        if other == "duration":
            return kind != "Mul"
        return kind in ("Mul", "Div") if other in _NUMBERS else kind == "Add"
    if one in _NUMBERS:
        return kind == "Mul" and other == "duration"
    return kind == "Sub" if one == other else kind in ("Add", "Sub") and other == "duration"


def _of_two(kind: str, one: str | None, other: str | None) -> str | None:
    """What arithmetic gives: times have differences, which have sums, multiples and parts."""
    if {one, other} <= {"number", "truth", None}:
        return "number"
    if one == other:
        return "number" if kind == "Div" else "duration"
    times = [each for each in (one, other) if each not in ("number", "truth", "duration", None)]
    return times[0] if times else "duration"


def ordered(
    rows: Sequence[tuple[Any, ...]], keys: Sequence[tuple[Sequence[Any], bool, bool]]
) -> list[tuple[Any, ...]]:
    """Rows sorted by columns of values, the first of them most.

    Each has a value a row, whether it descends, and whether NULL comes first; equal ones stay in
    their order.
    """
    places = list(range(len(rows)))
    for values, descending, nulls_first in reversed(keys):
        there = [i for i in places if values[i] is not None]
        gone = [i for i in places if values[i] is None]
        there.sort(key=lambda i: _rank(values[i]), reverse=descending)
        places = gone + there if nulls_first else there + gone
    return [rows[i] for i in places]


def _rank(value: Any) -> tuple[int, str, Any]:
    """Values of one kind by their order, and the kinds one after the other."""
    if isinstance(value, (int, float)):
        return 0, "", value
    zoned = getattr(value, "tzinfo", None) is not None
    return 1, f"{type(value).__name__} {zoned}", value
