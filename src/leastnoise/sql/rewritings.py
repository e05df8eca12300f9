"""Calls of other dialects, written out in what queries have here, with the names of the query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from leastnoise.sql.text import Tree

_Rewriting: TypeAlias = Callable[[Sequence[str]], str | None]
_NULL = "NULL"


def rewritten(node: Tree, name: str) -> str | None:
    """What gives the same as a call of this name; None where that is not known."""
    given = _WRITTEN.get(name)
    if given is None:
        return None
    values = [_operand(value) for value in _values(node)]
    found = given(values) if values else None
    return f"({found})" if found and type(node.parent).__name__ in _ARITHMETIC else found


def valueless(tree: Tree) -> list[Tree]:
    """Calls without the value that they need, of those that the parser lets through."""
    return [call for call in tree.walk() if type(call).__name__ in _NEEDING and not _values(call)]


_NEEDING = frozenset({"Ceil", "Floor", "Date", "Time", "Timestamp", "Datetime"})


def of_comparison(node: Tree, sign: str, written: Callable[[Tree], str]) -> str | None:
    """What gives the same as a comparison with a call; None where that is not known."""
    call, other = node.this, node.expression
    if type(other).__name__ in ("StrPosition", "Anonymous"):
        call, other, sign = other, call, _TURNED[sign]
    if type(call).__name__ == "StrPosition" and not call.args.get("position"):
        return _found_in(call, sign, other, written)
    if type(call).__name__ == "Anonymous" and str(call.this).upper() == "AGE":
        return _aged(call.expressions, sign, other, written)
    return None


def of_between(node: Tree, written: Callable[[Tree], str]) -> str | None:
    """What gives the same as AGE between two intervals; None of other values."""
    call, ends = node.this, [node.args["low"], node.args["high"]]
    intervals = all(type(end).__name__ == "Interval" for end in ends)
    if type(call).__name__ != "Anonymous" or str(call.this).upper() != "AGE" or not intervals:
        return None
    if len(call.expressions) != 2:
        return None
    one, other, added = *map(written, call.expressions), "+"
    if type(call.expressions[0]).__name__ != "Column":
        one, other, added, ends = other, one, "-", ends[::-1]
    limits = " AND ".join(f"{other} {added} {written(end)}" for end in ends)
    return f"{one} {between_of(node, written)} {limits}{_CALENDAR}"


def between_of(node: Tree, written: Callable[[Tree], str]) -> str:
    """BETWEEN as a query has it, whose NOT may stand inside of what is replaced."""
    return "NOT BETWEEN" if " NOT BETWEEN " in f" {written(node).upper()} " else "BETWEEN"


def of_last_day(node: Tree) -> str:
    """What gives the last day of a longer or shorter time than a month."""
    day, unit = node.this.sql(), str(node.args["unit"].name).lower()
    if unit in ("quarter", "year"):
        months = 3 if unit == "quarter" else 12
        return f"write DATE_TRUNC('{unit}', {day}) + INTERVAL {months} MONTH - INTERVAL 1 DAY"
    if "week" in unit:
        return f"write DATE_TRUNC('week', {day}) + INTERVAL 6 DAY, if weeks end on Sunday"
    return f"write LAST_DAY({day})"


def _values(node: Tree) -> list[Tree]:
    """What a call is given, in the order of the tree."""
    values: list[Any] = []
    for name in node.arg_types:
        value = node.args.get(name)
        if name == "this" and isinstance(value, str):  # the name of an unknown function
            continue
        values += value if isinstance(value, list) else [value]
    return [value for value in values if hasattr(value, "sql")]


def _operand(node: Tree) -> str:
    """A value as it may stand beside any sign."""
    from sqlglot import exp

    return f"({node.sql()})" if isinstance(node, (exp.Binary, exp.Not, exp.Neg)) else node.sql()


def _as(template: str, count: int) -> _Rewriting:
    """A call with ``count`` values, written as the template."""
    return lambda values: template.format(*values) if len(values) == count else None


def _power(values: Sequence[str]) -> str | None:
    times = {"2": 2, "3": 3}.get(values[-1], 0)
    return " * ".join([values[0]] * times) or None


def _missing(values: Sequence[str]) -> str | None:
    """ISNULL, a condition of one value in some dialects, and COALESCE of two in others."""
    if len(values) == 2:
        return f"COALESCE({values[0]}, {values[1]})"
    return f"({values[0]} IS NULL)" if len(values) == 1 else None


def _decoded(values: Sequence[str]) -> str | None:
    """DECODE, for which NULL is a value like any other."""
    of, *rest = values
    pairs = list(zip(rest[::2], rest[1::2], strict=False))
    if not pairs:
        return None
    simple = all(key != _NULL for key, _ in pairs)
    branches = [
        f"WHEN {key if simple else f'{of} IS NULL' if key == _NULL else f'{of} = {key}'} THEN {to}"
        for key, to in pairs
    ]
    last = [f"ELSE {rest[-1]}"] if len(rest) % 2 else []
    return " ".join(["CASE", *([of] if simple else []), *branches, *last, "END"])


def _numbered(values: Sequence[str]) -> str | None:
    of, *rest = values
    return _decoded([of, *(part for i, to in enumerate(rest, 1) for part in (str(i), to))])


def _place(values: Sequence[str]) -> str | None:
    of, *rest = values
    return _decoded([of, *(part for i, key in enumerate(rest, 1) for part in (key, str(i))), "0"])


def _joined(values: Sequence[str]) -> str | None:
    """CONCAT_WS, which leaves out what is NULL, and its separator with it."""
    separator, *texts = values
    if len(texts) not in (2, 3):
        return None
    *some, other = texts
    one = some[0] if len(some) == 1 else _joined([separator, *some])
    return (
        f"CASE WHEN {one} IS NULL THEN {other} WHEN {other} IS NULL THEN {one} "
        f"ELSE {one} || {separator} || {other} END"
    )


def _found_in(call: Tree, sign: str, other: Tree, written: Callable[[Tree], str]) -> str | None:
    """Where a text begins in another, compared so that it says only whether it is there."""
    words = {">0": "", ">=1": "", "<>0": "", "=0": "NOT ", "<1": "NOT "}
    found = words.get(f"{sign}{other.name}")
    needle = call.args["substr"]
    if found is None or not needle.args.get("is_string") or set(needle.name) & set("%_\\"):
        return None
    return f"{written(call.this)} {found}LIKE '%{needle.sql()[1:-1]}%'"


def _aged(
    values: Sequence[Tree], sign: str, other: Tree, written: Callable[[Tree], str]
) -> str | None:
    """AGE(b, a) beside an interval, by which the earlier time is moved as the calendar has it."""
    if len(values) != 2 or type(other).__name__ != "Interval" or sign in ("=", "<>"):
        return None
    later, earlier = map(written, values)
    if type(values[0]).__name__ == "Column":
        return f"{later} {sign} {earlier} + {written(other)}{_CALENDAR}"
    return f"{earlier} {_TURNED[sign]} {later} - {written(other)}{_CALENDAR}"


_CALENDAR = ", which counts months by the calendar"
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "=", "<>": "<>"}
_ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div", "Mod", "Neg"})
_BOTH = "CASE WHEN {1} IS NOT NULL THEN {0} END", "CASE WHEN {0} IS NOT NULL THEN {1} END"
_SLOPE = f"COVAR_POP({{0}}, {{1}}) / VAR_POP({_BOTH[1]})"
_XOR = _as("({0} AND NOT {1}) OR ({1} AND NOT {0})", 2)
_NUMBER = _as("CAST({0} AS DOUBLE)", 1)
_WRITTEN: dict[str, _Rewriting] = {
    "DIV": _as("TRUNC({0} / {1})", 2),
    "POW": _power,
    "POWER": _power,
    "SQUARE": _as("{0} * {0}", 1),
    "NVL2": _as("CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END", 3),
    "ISNULL": _missing,
    "NULLIFZERO": _as("NULLIF({0}, 0)", 1),
    "ZEROIFNULL": _as("COALESCE({0}, 0)", 1),
    "DIV0": _as("CASE WHEN {1} = 0 THEN 0 ELSE {0} / {1} END", 2),
    "DIV0NULL": _as("CASE WHEN COALESCE({1}, 0) = 0 THEN 0 ELSE {0} / {1} END", 2),
    "DECODE": _decoded,
    "CHOOSE": _numbered,
    "ELT": _numbered,
    "FIELD": _place,
    "CONCAT_WS": _joined,
    "MID": _as("SUBSTR({0}, {1}, {2})", 3),
    "DAYOFWEEKISO": _as("EXTRACT(ISODOW FROM {0})", 1),
    "BOOLXOR": _XOR,
    "XOR": _XOR,
    **dict.fromkeys(("TRY_TO_NUMBER", "TRY_TO_DECIMAL", "TRY_TO_DOUBLE"), _NUMBER),
    "STATS_MODE": _as("MODE({0})", 1),
    "IQR": _as("QUANTILE({0}, 0.75) - QUANTILE({0}, 0.25)", 1),
    **dict.fromkeys(("STDEVP", "STDDEVP", "STD"), _as("STDDEV_POP({0})", 1)),
    "VARP": _as("VAR_POP({0})", 1),
    "VAR": _as("VAR_SAMP({0})", 1),
    **dict.fromkeys(("MEAN", "AVERAGE"), _as("AVG({0})", 1)),
    **dict.fromkeys(("SUMIF", "SUM_IF"), _as("SUM({0}) FILTER (WHERE {1})", 2)),
    **dict.fromkeys(("AVGIF", "AVG_IF"), _as("AVG({0}) FILTER (WHERE {1})", 2)),
    "REGR_SLOPE": _as(_SLOPE, 2),
    "REGR_INTERCEPT": _as(f"AVG({_BOTH[0]}) - {_SLOPE} * AVG({_BOTH[1]})", 2),
    "REGR_R2": _as("CORR({0}, {1}) * CORR({0}, {1})", 2),
    "REGR_COUNT": _as(f"COUNT({_BOTH[0]})", 2),
    "REGR_AVGX": _as(f"AVG({_BOTH[1]})", 2),
    "REGR_AVGY": _as(f"AVG({_BOTH[0]})", 2),
}  # fmt: skip
