"""WITH DIFFERENTIAL_PRIVACY OPTIONS (...): what a query says of its budget, in BigQuery's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.params import parse_number
from leastnoise.sql.text import Query, QueryError, Tree, exact, written_place

_WEIGHTS = "they are given beside the query, --weights n=1, or weights in Python"
_ELSEWHERE = {
    "weight": _WEIGHTS,
    "weights": _WEIGHTS,
    "relation": "declare it where the data is opened, or under [privacy] in the schema",
    "ledger": "declare it where the data is opened, or under [privacy] in the schema",
    "dataset": "declare it where the data is opened, or under [privacy] in the schema",
    "k_threshold": "use delta: keys are then shown by their counts, with no fixed threshold",
    "kappa": "use max_groups_contributed",
    "min_privacy_units_per_group": "write HAVING COUNT(*) >= {}, of the count that is released",
    "max_contributions": "use max_rows_contributed",
    "max_ids": "use max_rows_contributed",
    "row_privacy": "leave privacy_unit_column out: then rows are protected",
    "clamp_counts": "write GREATEST(COUNT(*), 0)",
}
_OF_COMMENT = re.compile(r"\s*(\w+)\s*[:=]\s*(.*)")
_STRATEGIES = ("PUBLIC_GROUPS", "LAPLACE_THRESHOLD")


@dataclass(frozen=True, slots=True)
class Options:
    """What stands in the clause; None where nothing does."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    privacy_unit_column: str | None = None
    max_groups_contributed: int | None = None
    max_rows_contributed: int | None = None
    group_selection_strategy: str | None = None
    purpose: str | None = None
    reuse: bool | None = None
    interval: Fraction | None = None


def no_number(name: str, written: str) -> str:
    """What a query is told that lacks a number, which may be ``written`` beside it."""
    return (
        f"{name} is missing: give {written}, or write SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS "
        f"({name} = ...)"
    )


def parse_level(value: object, name: str) -> Fraction:
    """How sure an interval is.

    Raises
    ------
    ParameterError, ParameterTypeError
        If it does not lie between 0 and 1.
    """
    level = parse_number(value, name)
    if not 0 < level < 1:
        raise ParameterError(
            f"{name} is how sure it is, strictly between 0 and 1, such as 0.95, got {value!r}"
        )
    return level


def read_options(query: Query) -> Options:
    """The options of a query.

    Raises
    ------
    QueryError
        If one is unknown, given twice, or of another kind.
    """
    known = [each.name for each in fields(Options)]
    for comment in query.comments:
        _refuse_comment(query, comment, (*known, *_ELSEWHERE))
    found: dict[str, Any] = {}
    for node in _listed(query):
        if type(node).__name__ not in ("EQ", "PropertyEQ") or type(node.this).__name__ != "Column":
            query.refuse(node, "an option is written name = value")
        name = str(node.this.name).lower()
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = _ELSEWHERE.get(name, "").format(query.written(node.expression)) or (
                f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            )
            query.refuse(node, f"there is no option {name}; {hint}")
        if name in found:
            query.refuse(node, f"{name} is given twice: leave one of them out")
        found[name] = _value(query, name, node.expression)
    return Options(**found)


def _listed(query: Query) -> Sequence[Tree]:
    tree = query.options
    if tree is None:
        return ()
    return tree.expressions if type(tree).__name__ == "Tuple" else [tree.this]


def option(query: Query, name: str) -> Tree | None:
    """Where the query says one of its options."""
    said = (node for node in _listed(query) if str(node.this.name).lower() == name)
    return next(said, query.options)


def _refuse_comment(query: Query, comment: str, known: Sequence[str]) -> None:
    """Refuse a comment that reads as an option, which nothing would come of."""
    found = _OF_COMMENT.match(comment)
    if found is None or found[1].lower() not in known:
        return
    place = written_place(query.text, query.text.find(comment) + found.start(1))
    raise QueryError(
        f"{place}comments are not read: write SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS "
        f"({found[1].lower()} = {found[2].strip().rstrip(',;') or '...'})"
    )


def _value(query: Query, name: str, node: Tree) -> Any:
    kind = type(node).__name__
    text = str(node.this) if kind == "Literal" else ""
    is_string = bool(node.args.get("is_string"))
    negative = kind == "Neg" and type(node.this).__name__ == "Literal"
    match name:
        case "epsilon" | "delta" if negative:
            query.refuse(node, f"{name} is a number greater than 0, such as 1 or '1/3'")
        case "epsilon" | "delta" if kind == "Literal":
            try:
                number = exact(text.strip())
            except (ValueError, ZeroDivisionError):
                query.refuse(node, f"{name} is a number, such as 1 or '1/3'")
            if number <= 0:
                query.refuse(node, f"{name} must be greater than 0")
            if name == "delta" and number >= 1:
                query.refuse(node, "delta is less than 1: write 1e-9")
            return number
        case "epsilon" | "delta":
            query.refuse(node, f"{name} is a number, such as 1 or '1/3'")
        case "interval":
            try:
                return parse_level(exact(text.strip()), name)
            except (ValueError, ZeroDivisionError, ParameterError):
                query.refuse(node, "interval is how sure it is, between 0 and 1: 0.95")
        case "max_groups_contributed" | "max_rows_contributed":
            if kind != "Literal" or is_string or not text.isdigit() or int(text) < 1:
                query.refuse(node, f"{name} is a whole number, at least 1")
            return int(text)
        case "reuse":
            if kind != "Boolean":
                query.refuse(node, "reuse is TRUE or FALSE")
            return bool(node.this)
        case "purpose":
            if not is_string:
                query.refuse(node, "purpose is text in single quotes")
            return text
        case "group_selection_strategy":
            given = (text if is_string else node.name).upper()
            if given not in _STRATEGIES:
                query.refuse(node, f"write group_selection_strategy = {' or '.join(_STRATEGIES)}")
            return given
        case _:
            if not (is_string or kind == "Column"):
                query.refuse(node, f"{name} is the name of a column")
            return text if is_string else str(node.name)
