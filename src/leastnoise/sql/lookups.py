"""JOIN with a public table whose key is unique: what a row finds is a value of that row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import LeastNoiseError
from leastnoise.frames.memory.labels import key_type
from leastnoise.params import parse_number
from leastnoise.sql.forms import NO, NOTHING, YES
from leastnoise.sql.kinds import check_constants
from leastnoise.sql.names import as_name
from leastnoise.sql.places import span
from leastnoise.sql.public import keyed, told, twice
from leastnoise.sql.relations import Cell, RawColumn, Relation, Timed, same
from leastnoise.sql.text import Query, Tree, exact
from leastnoise.summaries.columns import clock_of
from leastnoise.summaries.constants import Constant, Key, parse_constant, parse_timed
from leastnoise.summaries.expressions import Choice, Entry, Holds, Lookup, TextEntry, TextLookup
from leastnoise.summaries.predicates import IsIn
from leastnoise.summaries.subset import parse_keys

if TYPE_CHECKING:
    from leastnoise.sql.schema import Schema

_OTHERS = (
    "a join with it would let one row stand in many rows of the result, or look at others; declare "
    "a table that anybody may read in the schema, [public.NAME] with a key, or give its file with "
    "--public, and JOIN it"
)


def _near_join(query: Query, schema: Schema, join: Tree, kind: str) -> str:
    """What to write for a join of another kind."""
    if kind == "CROSS":
        public = same(join.this.name, schema.public)
        key = (schema.public[public[0]].key if public else None) or "key"
        return _by_where(query, join, f"{as_name(join.this.alias_or_name)}.{as_name(key)}")
    if kind not in ("ANTI", "SEMI"):
        sides = {"RIGHT": "JOIN", "FULL": "LEFT JOIN"}
        word = sides.get(str(join.args.get("side") or "").upper(), "JOIN or LEFT JOIN")
        return f"{word}, where a public row without a private one is nothing, or a group of 0"
    name, on = join.this.alias_or_name, join.args.get("on")
    keys = [] if on is None else [x for x in on.walk() if type(x).__name__ == "Column"]
    key = next((query.written(x) for x in keys if same(x.table, [name])), f"{as_name(name)}.key")
    met = f"column = {key}" if on is None else query.written(on)
    joined = f"JOIN {query.written(join.this)} ON {met}"
    return joined if kind == "SEMI" else f"LEFT {joined} WHERE {key} IS NULL"


def _by_where(query: Query, join: Tree, key: str) -> str:
    """JOIN as it stands in place of a comma, by what WHERE says of the table that is joined."""
    where = join.parent.args.get("where")
    name, found = join.this.alias_or_name, list[str]()
    column = key.rpartition(".")[2].strip('"')
    for each in () if where is None else where.walk():
        sides = [each.this, each.expression] if type(each).__name__ == "EQ" else []
        for one, other in (sides, sides[::-1]) if sides else ():
            if type(one).__name__ != "Column" or type(other).__name__ == "Literal":
                continue
            own, keyed_by = bool(same(one.table, [name])), bool(same(one.name, [column]))
            if own or (keyed_by and not one.table):
                met = f"{query.written(other)} = {query.written(one) if own else key}"
                found.insert(0 if keyed_by else len(found), met)  # the key comes first
    met = found[0] if found else f"column = {key}"
    told = ", and leave that out of WHERE" if found else ""
    return f"JOIN {query.written(join.this)} ON {met}{told}"


def joined(query: Query, schema: Schema, relation: Relation, join: Tree) -> Relation:
    """The rows with their entries of a public table; with JOIN only rows that have some."""
    query.only(join, "this", "on", "using", "side", "kind")
    side, kind = (str(join.args.get(name) or "").upper() for name in ("side", "kind"))
    if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
        what = " ".join(word for word in (side, kind, "JOIN") if word)
        query.refuse(
            join, f"{what} is not supported: write {_near_join(query, schema, join, kind)}"
        )
    node = join.this
    if type(node).__name__ == "Lateral":
        inner = next(each for each in node.walk() if (span(each) or (0,))[0])
        query.refuse(inner, "LATERAL is refused: a row stays one row; write each entry as a column")
    if type(node).__name__ != "Table":
        query.refuse(
            node,
            "JOIN takes the name of a public table: declare it in the schema, [public.NAME], and "
            "write JOIN NAME ON column = NAME.key",
        )
    query.only(node, "this", "alias")
    found = same(node.name, schema.public)
    if not found:
        query.refuse(node, f"{node.name} is no public table: {_OTHERS}")
    table, name = schema.public[found[0]], node.alias or node.name
    if same(name, [*relation.names, *relation.others]):
        query.refuse(node, f"two tables are called {name}: give one another name with AS")
    with query.located(node):  # a file is read here, which is public
        columns = table.columns()
    known = [*columns] if table.key is None else [table.key]
    column, key = _sides(query, relation, join, name, known)
    with query.located(join.args.get("on") or node):
        columns = keyed(columns, key)
        entries = _as_held(query, relation, join.args.get("on") or node, column, columns[key])
        _check_apart(key, columns[key], entries)
        listed = parse_keys({key: entries}).values[0]
    numbers = relation.holds_numbers(RawColumn(column))
    # codes, which a public file may hold alone, are text where the column is
    keys = tuple(map(_number if numbers else _text, listed))
    if not numbers and _never_text(columns[key]):
        declared = relation.facts(column).keys
        if table.given is not None or (declared is not None and not {*keys} & {*declared}):
            query.refuse(
                join.args.get("on") or node,
                f"{as_name(column)} holds text, and {name}.{key} numbers, so that none is found: "
                f"write them in quotes, '{keys[0]}', as they stand in {as_name(column)}, or join "
                "by a column of numbers",
            )
    check_constants(relation, join.args.get("on") or node, column, keys)
    with query.located(join.args.get("on") or node):
        key_type(relation.table, column, keys)
    cells: dict[str, Cell] = {
        title: _values(query, node, f"{found[0]}.{title}", column, keys, entries)
        for title, entries in columns.items()
    }
    merged = relation.merged | ({(name, key)} if join.args.get("using") else set[Any]())
    added = replace(relation, others={**relation.others, name: cells}, merged=merged)
    return added if side == "LEFT" else added.filtered(Holds(IsIn(column, keys)))


def _as_held(
    query: Query, relation: Relation, node: Tree, column: str, entries: Sequence[Any]
) -> list[Any]:
    """Keys as the private column holds them: true and false, numbers, dates that are text there."""
    held, texts = RawColumn(column), [str(entry).strip().lower() for entry in entries]
    if relation.is_truth(held) and set(texts) <= {"true", "false"}:
        return [text == "true" for text in texts]
    if _means_numbers(relation, held) and {*map(type, entries)} == {str}:
        wrong = [entry for entry in entries if not _NUMBER.fullmatch(entry.strip())]
        if wrong:
            query.refuse(
                node,
                f"{as_name(column)} holds numbers, and '{wrong[0]}' is text: join by a column of "
                f"numbers, or give {as_name(column)} no limits or keys that are numbers, if it is "
                "text",
            )
        return [exact(entry.strip()) for entry in entries]
    if not any(isinstance(entry, date) for entry in entries):
        return list(entries)
    if relation.is_time(held):
        is_it = f"{as_name(column)} = DATE '{entries[0]}'"
        query.refuse(
            node,
            "a public table is joined by numbers or text, not by dates: write CASE WHEN "
            f"{is_it} THEN ... END, or {is_it} in WHERE",
        )
    return [str(entry) for entry in entries]


def _never_text(entries: Sequence[Any]) -> bool:
    return all(isinstance(entry, (int, float)) and not isinstance(entry, bool) for entry in entries)


def _means_numbers(relation: Relation, held: RawColumn) -> bool:
    """Whether a column holds numbers and no truths, by its type or by what is declared."""
    typed = not relation.holds_text(held) or relation.declared(held) == "a number"
    return typed and relation.holds_numbers(held) and not relation.is_truth(held)


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


def _check_apart(key: str, written: Sequence[Any], entries: Sequence[Any]) -> None:
    """Refuse keys that differ as they are written, and are one as the private column holds them."""
    known: dict[Any, Any] = {}
    for one, entry in zip(written, entries, strict=True):
        read = entry if isinstance(entry, str) else parse_constant(entry, key)
        if read in known:
            raise twice(key, *map(told, (known[read], one)))
        known[read] = one


def _text(key: Key) -> Constant:
    """A key of a text column: whole numbers as they are written."""
    number = _number(key)
    if isinstance(number, str) or number.denominator != 1:
        return number
    return str(number.numerator)


def _number(key: Key) -> Constant:
    """A key as a constant of conditions."""
    return key if isinstance(key, str) else Fraction(key)


def _sides(
    query: Query, relation: Relation, join: Tree, name: str, keys: Sequence[str]
) -> tuple[str, str]:
    """The column of the private table that is looked up, and the key that it is looked up among."""
    using, on = join.args.get("using"), join.args.get("on")
    if using:
        found = same(using[0].name, keys) if len(using) == 1 else []
        if len(found) != 1:
            query.refuse(
                join.this, f"USING takes the key of {name}, {' or '.join(map(as_name, keys))}"
            )
        from sqlglot import exp

        if not same(using[0].name, relation.listed()):
            query.refuse(
                join.this,
                f"there is no column {using[0].name!r} in the private table, and USING takes one "
                f"that both have: write ON column = {as_name(name)}.{as_name(found[0])}",
            )
        cell = relation.find(exp.Column(this=using[0]))
    else:
        sides = [] if on is None or type(on).__name__ != "EQ" else [on.this, on.expression]
        own = [*relation.listed()]
        public = [side for side in sides if _keys(side, name, keys, own)]
        others = [side for side in sides if side not in public]
        if len(public) != 1 or type(others[0]).__name__ != "Column":
            more = ", and the other condition in WHERE" if type(on).__name__ == "And" else ""
            met = f"column = {as_name(name)}.{as_name(keys[0])}"
            for each in on.walk() if on is not None and more else ():
                halves = [each.this, each.expression] if type(each).__name__ == "EQ" else []
                if any(_keys(half, name, keys, own) for half in halves):
                    met = query.written(each)
            if on is None and not join.args.get("side"):
                key = f"{as_name(name)}.{as_name(keys[0])}"
                query.refuse(
                    join.this,
                    "a public table is joined by its key, without a comma or CROSS before it: "
                    f"write {_by_where(query, join, key)}",
                )
            if more and join.args.get("side"):  # which leaves no row out
                more = f", and CASE WHEN condition THEN {as_name(name)}.column END for its columns"
            query.refuse(
                join.this if on is None else on,
                _COMPUTED
                if len(public) == 1
                else f"a public table is joined by its key: write ON {met}{more}",
            )
        found = _keys(public[0], name, keys, own)
        cell = relation.find(others[0])
    match cell:
        case RawColumn(column) | Entry(column) | TextEntry(column):
            return column, found[0]
        case _:
            query.refuse(join.this, _COMPUTED)


_COMPUTED = (
    "a public table is joined by a column of the private one as it stands in the data: compute its "
    "keys in the public table instead"
)


def _keys(node: Tree, name: str, keys: Sequence[str], own: Sequence[str]) -> list[str]:
    """The key of the public table that a form names; by itself if no other column is so called."""
    if type(node).__name__ != "Column":
        return []
    meant = same(node.table, [name]) if node.table else not same(node.name, own)
    return same(node.name, keys) if meant else []


def _values(
    query: Query,
    node: Tree,
    called: str,
    column: str,
    keys: Sequence[Constant],
    entries: Sequence[Any],
) -> Cell:
    """A column of the public table as a value of the private row."""
    clocks = {clock_of(entry) for entry in entries if entry is not None} - {None}
    if clocks:
        return _times(query, node, called, column, keys, entries)
    kinds = {isinstance(entry, str) for entry in entries if entry is not None}
    if len(kinds) > 1:
        query.refuse(node, f"{called} holds text and numbers: make two columns of it")
    if kinds == {True}:
        texts = tuple(None if entry is None else str(entry).strip() or None for entry in entries)
        return TextLookup(called, column, tuple(keys), texts)
    if all(isinstance(entry, bool) for entry in entries if entry is not None):
        return _truths(column, keys, entries)
    numbers: list[Fraction | None] = []
    for entry in entries:
        try:
            number = int(entry) if isinstance(entry, bool) else entry
            numbers.append(None if entry is None else parse_number(number, called))
        except LeastNoiseError as error:
            query.refuse(node, str(error))
    return Lookup(called, column, tuple(keys), tuple(numbers))


def _truths(column: str, keys: Sequence[Constant], entries: Sequence[Any]) -> Cell:
    """A public column of true and false, which is that in groups and answers too."""
    pairs = [*zip(keys, entries, strict=True)]
    found = [
        (Holds(IsIn(column, there)), as_number)
        for truth, as_number in ((False, NO), (True, YES))
        if (there := tuple(key for key, entry in pairs if entry is truth))
    ]
    return Choice(tuple(found), NOTHING)


def _times(
    query: Query,
    node: Tree,
    called: str,
    column: str,
    keys: Sequence[Constant],
    entries: Sequence[Any],
) -> Timed:
    """A public column of dates or times: their numbers, by their clock."""
    with query.located(node):
        clock, found = parse_timed([each for each in entries if each is not None], called)
    if clock is None:
        query.refuse(node, f"{called} holds dates and numbers: make two columns of it")
    there = iter(found)
    numbers = tuple(None if entry is None else Fraction(next(there)) for entry in entries)
    days = sorted({int(each) for each in numbers if each is not None})
    return Timed(Lookup(called, column, tuple(keys), numbers), clock, tuple(days))
