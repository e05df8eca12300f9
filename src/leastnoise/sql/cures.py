"""What to write in place of what is refused, by what it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from leastnoise.sql import nearest
from leastnoise.sql.formats import read_text
from leastnoise.sql.forms import NOTHING
from leastnoise.sql.names import as_name, section
from leastnoise.sql.refusals import called
from leastnoise.sql.relations import Cell, RawColumn, Relation
from leastnoise.sql.rewritings import between_of
from leastnoise.summaries.expressions import Number, Text

if TYPE_CHECKING:
    from leastnoise.sql.text import Query, Tree


def of_worked_out_dates(query: Query, node: Tree, column: str) -> str | None:
    """What to write where a date stands in arithmetic; None where it does not."""
    name = as_name(column)
    parent = node.parent
    while type(parent).__name__ == "Paren":
        parent = parent.parent
    match type(parent).__name__:
        case "Trunc":
            given = _unit(parent)
            unit = _ORACLE.get(given)
            if unit is None and given not in _DAYS:
                return f"{given} is no unit here: write DATE_TRUNC('week', {name}), or another unit"
            return f"write DATE_TRUNC('{unit}', {name})" if unit else f"write CAST({name} AS DATE)"
        case "Floor" | "Ceil" | "Round":
            return f"write DATE_TRUNC('month', {name}), or YEAR({name})"
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
    **dict.fromkeys(("HH", "HH12", "HH24", "HOUR"), "hour"),
    **dict.fromkeys(("MI", "MINUTE"), "minute"),
    **dict.fromkeys(("Q", "QUARTER"), "quarter"),
    **dict.fromkeys(("IW", "WEEK"), "week"),
}  # fmt: skip
_DAYS = ("", "DD", "DDD", "J")
COMPARED = {"GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "EQ": "=", "NEQ": "<>"}
TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


def as_condition(node: Tree, written: str) -> str:
    """A comparison that stands in place of a value: in brackets, but beside AND, OR and WHERE."""
    kind = type(node.parent).__name__
    return written if kind in ("And", "Or", "Where", "Having", "Paren", "If") else f"({written})"


def of_number_alone(query: Query, node: Tree) -> str:
    """What to write for a number that stands as a condition."""
    written = query.written(node)
    return (
        f"{written} is no condition: write {as_condition(node, f'{written} <> 0')}, which is so of "
        "every number but 0. By itself it may stand where its type, or keys = [false, true] in the "
        "schema, says that it is true or false"
    )


def of_null(query: Query, node: Tree, sign: str, other: Tree) -> str:
    """What to write for a comparison with NULL, which no row meets."""
    if sign in ("==", "!="):
        negated = "NOT " if sign == "!=" else ""
        return f"nothing equals NULL: write {query.written(other)} IS {negated}NULL"
    truth, above = False, node.parent
    while type(above).__name__ in ("And", "Or", "Not", "Paren"):
        truth, above = truth != (type(above).__name__ == "Not"), above.parent
    word = str(truth).upper()
    if type(node).__name__ == "Between" and (truth or between_of(node, query.written) != "BETWEEN"):
        low, high, of = node.args["low"], node.args["high"], query.written(node.this)
        inside = between_of(node, query.written) == "BETWEEN"
        known, signs = (high, "> <=") if type(low).__name__ == "Null" else (low, "< >=")
        word = f"{of} {signs.split()[inside]} {query.written(known)}"
        return f"nothing is more or less than NULL: write {word}"
    return f"nothing is more or less than NULL: write {word}, which lets no row through"


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
    if not untyped or not known or len(known) < len(times):
        return None
    ends = [sign(known, key=lambda time: time.isoformat()).isoformat() for sign in (min, max)]
    if ends[0] == ends[1]:  # what else there is is not known
        ends = ["2020-01-01T00:00:00", "2024-12-31T23:59:59"]
        ends = ends if isinstance(known[0], datetime) else [end[:10] for end in ends]
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


def is_constant(cell: Cell) -> bool:
    """Whether a value is a constant other than NULL."""
    return isinstance(cell, (Number, Text)) and cell.value is not None


def of_other_list(query: Query, node: Tree, cells: Sequence[Cell]) -> str:
    """What to write for a list that has NULL or columns in it."""
    of, negated = query.written(node.this), type(node.parent).__name__ == "Not"
    kept = [x for x, cell in zip(node.expressions, cells, strict=True) if is_constant(cell)]
    others = [x for x, cell in zip(node.expressions, cells, strict=True) if cell != NOTHING]
    listed = ", ".join(map(query.written, kept))
    parts = [f"{of} {'NOT ' if negated else ''}IN ({listed})"] if kept else []
    sign, word = ("<>", " AND ") if negated else ("=", " OR ")
    parts += [f"{of} {sign} {query.written(each)}" for each in others if each not in kept]
    if not parts:
        return f"nothing equals NULL: write {of} IS {'NOT ' if negated else ''}NULL"
    why = "IN takes a list of constants"
    if len(others) < len(cells):
        why += " other than NULL, which equals nothing"
        why += ", so that no row is let through beside NOT" if negated else ""
    return f"{why}: write {word.join(parts)}"
