"""Dates and times of a query: constants such as DATE '2024-01-31'."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leastnoise.sql.text import Query, Tree

_KINDS = {"DATE": date, "TIMESTAMP": datetime, "DATETIME": datetime, "TIMESTAMPTZ": datetime}


def read_time(query: Query, node: Tree) -> date | None:
    """The date or time that a constant is; None for any other form.

    Raises
    ------
    QueryError
        If it is written as one and is none.
    """
    kind = type(node).__name__
    if kind == "Paren":
        return read_time(query, node.this)
    if kind not in ("Cast", "Date", "Timestamp") or type(node.this).__name__ != "Literal":
        return None
    if not node.this.args.get("is_string"):
        return None
    named = str(node.args["to"].this.name) if kind == "Cast" else kind.upper()
    if named not in _KINDS:
        return None
    query.only(node, "this", "to", "safe", "with_tz")
    try:
        return _KINDS[named].fromisoformat(str(node.this.this).strip())
    except ValueError:
        query.refuse(node, f"this is no {named}: write {named} '2024-01-31'")
