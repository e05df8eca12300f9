"""What a query does with released numbers: arithmetic, HAVING, ORDER BY and LIMIT.

Nothing here sees data: a row is the key of a group and the numbers that were released for it, so
all of it is free. What has no value is None, as NULL is; nothing raises on a number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, trunc
from typing import TYPE_CHECKING, Any, TypeAlias

from leastnoise.sql.aggregates import is_aggregate
from leastnoise.sql.refusals import explain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leastnoise.sql.text import Query, Tree


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """The key of a group and what was released for it, one entry a statistic."""

    key: tuple[Any, ...]
    numbers: tuple[Any, ...]


Term: TypeAlias = Callable[[ReleasedRow], Any]


@dataclass(frozen=True, slots=True)
class ReleasedCompiler:
    """From trees to functions of a released row.

    ``key`` tells which key of the group a form is, ``number`` which statistic an aggregate is, and
    ``aliases`` what the columns of the SELECT are called.
    """

    query: Query
    key: Callable[[Tree], int | None]
    number: Callable[[Tree], int]
    aliases: Mapping[str, Tree]

    def term(self, node: Tree, *, aliases: bool = False) -> Term:
        """A value of the released row; ``aliases``: names of the SELECT are known."""
        kind, query = type(node).__name__, self.query
        place = self.key(node)
        if place is not None:
            return lambda row: row.key[place]
        if is_aggregate(node):
            number = self.number(node)
            return lambda row: row.numbers[number]
        match kind:
            case "Paren" | "Alias":
                query.only(node, "this", "alias")
                return self.term(node.this, aliases=aliases)
            case "Column" if aliases and not node.table and self._alias(node) is not None:
                return self.term(self._alias(node))
            case "Column":
                query.refuse(
                    node,
                    f"{query.written(node)} is a column of single rows, which are never released: "
                    "put it into an aggregate, or into GROUP BY",
                )
            case "Literal":
                return _constant(_literal(node))
            case "Null":
                return _constant(None)
            case "Boolean":
                return _constant(bool(node.this))
            case "Neg" | "Abs" | "Floor" | "Ceil" | "Not":
                query.only(node, "this")
                return self._apply(_ONE[kind], [node.this], aliases)
            case "Round":
                query.only(node, "this", "decimals")
                digits = node.args.get("decimals")
                given = [node.this] if digits is None else [node.this, digits]
                return self._apply(_round, given, aliases)
            case _ if kind in _TWO:
                query.only(node, "this", "expression", "typed", "safe")
                return self._apply(_TWO[kind], [node.this, node.expression], aliases)
            case "And" | "Or":
                query.only(node, "this", "expression")
                one, other = (self.term(x, aliases=aliases) for x in (node.this, node.expression))
                joined = _and if kind == "And" else _or
                return lambda row: joined(one(row), other(row))
            case "Coalesce":
                query.only(node, "this", "expressions", "is_nvl", "is_null")
                terms = [self.term(x, aliases=aliases) for x in [node.this, *node.expressions]]
                return lambda row: next((v for t in terms if (v := t(row)) is not None), None)
            case "Nullif":
                query.only(node, "this", "expression")
                return self._apply(_nullif, [node.this, node.expression], aliases)
            case "Greatest" | "Least":
                query.only(node, "this", "expressions", "ignore_nulls")
                best = max if kind == "Greatest" else min
                return self._apply(
                    lambda *values: best(values), [node.this, *node.expressions], aliases
                )
            case "Between":
                query.only(node, "this", "low", "high")
                between = [node.this, node.args["low"], node.args["high"]]
                return self._apply(_between, between, aliases)
            case "In" if node.args.get("query") is None and node.args.get("unnest") is None:
                query.only(node, "this", "expressions")
                return self._apply(_listed, [node.this, *node.expressions], aliases)
            case "Is" if type(node.expression).__name__ == "Null":
                query.only(node, "this", "expression")
                inner = self.term(node.this, aliases=aliases)
                return lambda row: inner(row) is None
            case "Case" | "If":
                return self._case(node, aliases)
            case _:
                query.refuse(node, explain(node))

    def _alias(self, node: Tree) -> Tree | None:
        return self.aliases.get(node.name.casefold())

    def _apply(self, function: Callable[..., Any], nodes: Sequence[Tree], aliases: bool) -> Term:
        terms = [self.term(node, aliases=aliases) for node in nodes]

        def applied(row: ReleasedRow) -> Any:
            values = [term(row) for term in terms]
            if any(value is None for value in values):
                return None
            try:
                found = function(*values)
            except (ArithmeticError, TypeError, ValueError):  # of two kinds, or out of reach
                return None
            return None if isinstance(found, float) and not isfinite(found) else found

        return applied

    def _case(self, node: Tree, aliases: bool) -> Term:
        self.query.only(node, "this", "ifs", "default", "true", "false")
        whole = type(node).__name__ == "If"
        ifs = [node] if whole else node.args["ifs"]
        last = node.args.get("false" if whole else "default")
        of = None if whole or node.this is None else self.term(node.this, aliases=aliases)
        pairs = [
            (self.term(one.this, aliases=aliases), self.term(one.args["true"], aliases=aliases))
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


def _constant(value: Any) -> Term:
    return lambda _: value


def _literal(node: Tree) -> Any:
    text = str(node.this)
    if node.args.get("is_string"):
        return text.strip()
    try:
        return int(text)
    except ValueError:
        return float(text)


def _round(value: float, digits: int = 0) -> float:
    if abs(digits) > _MOST_DIGITS:
        raise ValueError("too many digits")
    scaled = abs(value) * 10**digits
    found = floor(scaled + 0.5) / 10**digits
    found = int(found) if digits <= 0 else found
    return found if value >= 0 else -found


def _between(value: Any, low: Any, high: Any) -> bool:
    return low <= value <= high


def _listed(value: Any, *values: Any) -> bool:
    return value in values


def _nullif(one: Any, other: Any) -> Any:
    return None if one == other else one


def _and(one: Any, other: Any) -> Any:
    if one is False or other is False:
        return False
    return None if one is None or other is None else bool(one and other)


def _or(one: Any, other: Any) -> Any:
    if one is True or other is True:
        return True
    return None if one is None or other is None else bool(one or other)


def _divided(one: Any, other: Any) -> Any:
    return one / other if other else None


def _left(one: Any, other: Any) -> Any:
    return one - other * trunc(one / other) if other else None


_ONE: dict[str, Callable[..., Any]] = {
    "Neg": operator.neg,
    "Abs": abs,
    "Floor": floor,
    "Ceil": ceil,
    "Not": operator.not_,
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


def _rank(value: Any) -> tuple[int, Any]:
    return (1, value) if isinstance(value, str) else (0, value)
