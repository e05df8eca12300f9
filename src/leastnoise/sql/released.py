"""What a query does with released numbers: arithmetic, HAVING, ORDER BY and LIMIT.

Nothing here sees data: a row is the key of a group and the numbers that were released for it, so
all of it is free. What has no value is None, as NULL is; nothing raises on a number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import reduce
from math import ceil, floor, trunc
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from leastnoise.sql.aggregates import has_aggregate, is_aggregate
from leastnoise.sql.conditions import LOGIC, chained
from leastnoise.sql.moments import read_time
from leastnoise.sql.refusals import explain
from leastnoise.sql.relations import folded

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
                return self._apply(_ONE[kind], [node.this], aliases)
            case "Not":
                query.only(node, "this")
                met = self.condition(node.this, aliases=aliases)
                return lambda row: None if (found := met(row)) is None else not found
            case "Round" | "Trunc":
                query.only(node, "this", "decimals")
                digits = node.args.get("decimals")
                given = [node.this] if digits is None else [node.this, digits]
                self._no_text(*given)
                self._no_time(node, *given, spans=False)
                return self._apply(_round if kind == "Round" else _cut, given, aliases)
            case _ if kind in _TWO:
                query.only(node, "this", "expression", "typed", "safe")
                if kind not in _ARITHMETIC:
                    query.operands(node)
                    self._comparable(node.this, node.expression)
                else:
                    self._no_text(node.this, node.expression)
                    self._check_times(node)
                return self._apply(_TWO[kind], [node.this, node.expression], aliases)
            case "And" | "Or":
                terms = [self.condition(x, aliases=aliases) for x in chained(query, node)]
                both = _and if kind == "And" else _or
                return lambda row: reduce(both, (term(row) for term in terms))
            case "Coalesce":
                query.only(node, "this", "expressions", "is_nvl", "is_null")
                self._one_kind([node.this, *node.expressions])
                terms = [self.term(x, aliases=aliases) for x in [node.this, *node.expressions]]
                return lambda row: next((v for t in terms if (v := t(row)) is not None), None)
            case "Nullif":
                query.only(node, "this", "expression")
                self._comparable(node.this, node.expression)
                return self._apply(_nullif, [node.this, node.expression], aliases, nulls=True)
            case "Greatest" | "Least":
                query.only(node, "this", "expressions", "ignore_nulls")
                self._one_kind([node.this, *node.expressions])
                best = _greatest if kind == "Greatest" else _least
                return self._apply(best, [node.this, *node.expressions], aliases, nulls=True)
            case "Between":
                query.only(node, "this", "low", "high")
                query.operands(node, node.this, node.args["low"], node.args["high"])
                between = [node.this, node.args["low"], node.args["high"]]
                self._comparable(*between)
                return self._apply(_between, between, aliases)
            case "In" if node.args.get("query") is None and node.args.get("unnest") is None:
                query.only(node, "this", "expressions")
                query.operands(node, node.this)
                self._comparable(node.this, *node.expressions)
                return self._apply(_listed, [node.this, *node.expressions], aliases, nulls=True)
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
                return _of_two(kind, self._kind(node.this), self._kind(node.expression))
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

    def _comparable(self, first: Tree, *others: Tree) -> None:
        """Refuse to compare a number with text or a time: it would be true for no row."""
        kind = self._kind(first)
        for node in others:
            found = self._kind(node)
            if None in (kind, found) or kind == found or {kind, found} <= _NUMBERS:
                continue
            cure = ": write DATE '2024-01-31'" if "date" in (kind, found) else ""
            if {kind, found} == {"text", "number"}:
                cure = ": write text in quotes, '5', and a number without, 5"
            self.query.refuse(
                node, f"a {kind} is compared with a {found}, {self.query.written(node)}{cure}"
            )

    def _no_time(self, node: Tree, *nodes: Tree, spans: bool) -> None:
        for each in nodes:
            kind = self._kind(each)
            if kind is not None and kind not in _NUMBERS and not (spans and kind == "timedelta"):
                self._no_value(node, kind)

    def _check_times(self, node: Tree) -> None:
        one, other = self._kind(node.this), self._kind(node.expression)
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
        if of is not None:
            self._comparable(node.this, *(one.this for one in ifs))
        pairs = [
            (when(one.this, aliases=aliases), self.term(one.args["true"], aliases=aliases))
            for one in ifs
        ]
        otherwise = _constant(None) if last is None else self.term(last, aliases=aliases)

        def chosen(row: ReleasedRow) -> Any:
            for condition, result in pairs:
                met = condition(row)
                if (met is True) if of is None else (met is not None and met == of(row)):
                    return result(row)
            return otherwise(row)

        return chosen


_MOST_DIGITS = 30
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


def _round(value: float, digits: int = 0) -> float:
    if abs(digits) > _MOST_DIGITS:
        raise ValueError("too many digits")
    scaled = abs(value) * 10**digits
    found = floor(scaled + 0.5) / 10**digits
    found = int(found) if digits <= 0 else found
    return found if value >= 0 else -found


def _cut(value: float, digits: int = 0) -> float:
    if abs(digits) > _MOST_DIGITS:
        raise ValueError("too many digits")
    found = trunc(value * 10**digits) / 10**digits
    return int(found) if digits <= 0 else found


def _between(value: Any, low: Any, high: Any) -> bool:
    return low <= value <= high


def _listed(value: Any, *values: Any) -> bool | None:
    if value is not None and value in values:
        return True
    return None if value is None or None in values else False


def _nullif(one: Any, other: Any) -> Any:
    return None if one == other else one


def _greatest(*values: Any) -> Any:
    return max((value for value in values if value is not None), default=None)


def _least(*values: Any) -> Any:
    return min((value for value in values if value is not None), default=None)


def _and(one: Any, other: Any) -> Any:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _or(one: Any, other: Any) -> Any:
    if one is True or other is True:
        return True
    return None if one is None or other is None else False


def _divided(one: Any, other: Any) -> Any:
    return one / other if other else None


def _left(one: Any, other: Any) -> Any:
    return one - other * trunc(one / other) if other else None


_ONE: dict[str, Callable[..., Any]] = {
    "Neg": operator.neg,
    "Abs": abs,
    "Floor": floor,
    "Ceil": ceil,
}
_TWO: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": _divided,
    "Mod": _left,
    "EQ": operator.eq,
    "NEQ": operator.ne,
    "LT": operator.lt,
    "LTE": operator.le,
    "GT": operator.gt,
    "GTE": operator.ge,
}
_ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div", "Mod"})
_NUMBERS = frozenset({"number", "truth"})


def kind_of(value: object) -> str:
    """What a value is: "text", "number", or the name of a kind of time."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "truth"
    return type(value).__name__ if isinstance(value, (date, timedelta)) else "number"


def _fits(kind: str, one: str, other: str) -> bool:
    """Whether arithmetic is defined for two kinds, one of them a time."""
    if {one, other} <= _NUMBERS:
        return True
    if one == "timedelta":
        if other == "timedelta":
            return kind != "Mul"
        return kind in ("Mul", "Div") if other in _NUMBERS else kind == "Add"
    if one in _NUMBERS:
        return kind == "Mul" and other == "timedelta"
    return kind == "Sub" if one == other else kind in ("Add", "Sub") and other == "timedelta"


def _of_two(kind: str, one: str | None, other: str | None) -> str | None:
    """What arithmetic gives: times have differences, which have sums, multiples and parts."""
    if {one, other} <= {"number", "truth", None}:
        return "number"
    if one == other:
        return "number" if kind == "Div" else "timedelta"
    times = [each for each in (one, other) if each not in ("number", "truth", "timedelta", None)]
    return times[0] if times else "timedelta"


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
