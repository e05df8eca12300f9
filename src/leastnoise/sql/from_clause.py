"""FROM and WITH: the private table, queries of its rows, and public tables to look up in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from leastnoise.sql.aggregates import aggregate_in
from leastnoise.sql.lookups import joined
from leastnoise.sql.names import as_name
from leastnoise.sql.places import deepest
from leastnoise.sql.refusals import called
from leastnoise.sql.relations import Cell, Relation, same
from leastnoise.sql.rows import RowCompiler
from leastnoise.sql.text import TOO_NESTED, Query, Tree

if TYPE_CHECKING:
    from leastnoise.frames import Table
    from leastnoise.sql.schema import Schema

_OTHER_ROWS = "a query of rows works on each row alone, and this looks at others"


_TWICE = (
    "; write it there, and for an aggregate of aggregates ask for the inner ones first and work "
    "the rest out of the answer"
)


def private_table(query: Query) -> Tree | None:
    """The name in FROM that stands for the private table, through all queries of rows."""

    def named(select: Tree, known: Mapping[str, Tree | None]) -> Tree | None:
        clause = select.args.get("with_") or select.args.get("with")
        rows: list[Any] = [] if clause is None else clause.expressions
        for one in rows:
            known = {**known, one.alias: named(one.this, known)}
        source = select.args.get("from_") or select.args.get("from")
        node: Any = None if source is None else source.this
        if type(node).__name__ == "Subquery":
            return named(node.this, known)
        if type(node).__name__ != "Table":
            return None
        found = same(node.name, known, quoted=bool(node.this.args.get("quoted")))
        return known[found[0]] if found else node

    try:
        return named(query.tree, {})
    except RecursionError:
        raise query.error(deepest(query.tree), TOO_NESTED) from None


def facts_of(query: Query, schema: Schema) -> Schema:
    """The schema of the table that the query is about.

    Raises
    ------
    QueryError
        If FROM names none of them.
    """
    if not schema.tables:
        return schema
    node = private_table(query)
    found = same(node.name, schema.tables) if node is not None else []
    if len(found) != 1:
        query.refuse(node, f"FROM takes a table of the schema, {', '.join(schema.tables)}")
    return schema.tables[found[0]]


def unused_facts(query: Query, schema: Schema, table: Table) -> tuple[str, ...]:
    """Names in the schema that neither the table nor the query has; a slip is refused."""
    from sqlglot import exp

    named = query.tree.find_all(exp.Column, exp.Alias)
    return schema.unknown(table.column_names() or (), {one.alias_or_name for one in named})


@dataclass(slots=True)
class FromCompiler:
    """From trees to relations.

    ``known`` are the queries of a WITH, by name, and ``later`` the names of those that come after.
    ``reads`` are the names that FROM took so far, in the whole query, and ``private`` the first one
    of the private table, which has no other in one query: a slip in the name of a query of rows
    would read all of the table instead.
    """

    query: Query
    schema: Schema
    table: Table
    known: dict[str, Relation] = field(default_factory=dict[str, Relation])
    later: tuple[str, ...] = ()
    reads: list[str] = field(default_factory=list[str])
    private: list[str] = field(default_factory=list[str])

    def relation(self, select: Tree) -> Relation:
        """The rows that a SELECT is about: FROM, JOIN and WHERE."""
        own = self._with(select)
        clause = select.args.get("from_") or select.args.get("from")
        if clause is None:
            self.query.refuse(select, "FROM is missing: write FROM and the table")
        self.query.only(clause, "this")
        before = len(self.reads)
        found = self._source(clause.this)
        for join in select.args.get("joins") or ():
            if same(join.this.name, self.known):
                self.query.refuse(
                    join.this,
                    f"{join.this.name} is a query of rows here, and JOIN takes a public table: "
                    "give one of them another name",
                )
            found = joined(self.query, self.schema, found, join)
        if own and not set(own) & set(self.reads[before:]):
            what = " or ".join(own)
            self.query.refuse(
                clause.this, f"WITH names {what}, and FROM takes none of them: write FROM {own[-1]}"
            )
        where = select.args.get("where")
        if where is None:
            return found
        self.query.only(where, "this")
        if (aggregate := aggregate_in(where.this)) is not None:
            self.query.refuse(
                aggregate, "WHERE is about single rows: write a condition on aggregates into HAVING"
            )
        return found.filtered(RowCompiler(found).truth(where.this))

    def _with(self, select: Tree) -> list[str]:
        """The names of the queries of rows that stand before a SELECT."""
        clause = select.args.get("with_") or select.args.get("with")
        if clause is None:
            return []
        if clause.args.get("recursive"):
            self.query.refuse(
                clause.expressions[0],
                "WITH RECURSIVE looks at other rows: write WITH, whose queries work on each row",
            )
        self.query.only(clause, "expressions")
        names, after = [one.alias for one in clause.expressions], self.later
        for i, one in enumerate(clause.expressions):
            self.query.only(one, "this", "alias")
            self.query.only(one.args["alias"], "this")
            if same(one.alias, self.known):
                self.query.refuse(one, f"two queries are called {one.alias}")
            self.later = (*names[i + 1 :], *after)
            self.known[one.alias] = self._rows(one.this)
        self.later = after
        return names

    def _source(self, node: Tree) -> Relation:
        query, kind = self.query, type(node).__name__
        if kind == "Subquery":
            query.only(node, "this", "alias")
            if node.args.get("alias") is not None:
                query.only(node.args["alias"], "this")
            names = (node.alias,) if node.alias else ()
            return replace(self._rows(node.this), names=names)
        if kind != "Table":
            query.refuse(node, f"FROM takes the name of the private table, not {called(node)}")
        query.only(node, "this", "alias")
        alias = node.args.get("alias")
        if alias is not None and alias.name.upper() in ("SAMPLE", "TABLESAMPLE"):
            query.refuse(
                alias,
                f"{alias.name} is refused: all rows are used, and noise is added to the answers; "
                "leave it out",
            )
        if alias is not None:
            query.only(alias, "this")
        if type(node.this).__name__ != "Identifier":
            query.refuse(
                node,
                "FROM takes the name of a table, and calls no function: open the file beside the "
                "query, leastnoise sql FILE QUERY, and write its name, or any other",
            )
        start = node.this.meta.get("start")
        if start is not None and query.text[start] == "'":
            query.refuse(node, "FROM takes the name of a table; files are opened beside the query")
        names = (node.alias,) if node.alias else (node.name,)
        quoted = bool(node.this.args.get("quoted"))
        if found := same(node.name, self.known, quoted=quoted):
            self.reads.append(found[0])
            return replace(self.known[found[0]], names=names)
        if same(node.name, self.schema.public):
            query.refuse(
                node,
                f"{node.name} is public: FROM takes the private table, JOIN a public one; of two "
                "of one name rename one, or write another after FROM, which may be any",
            )
        self._check_private(node, quoted)
        return Relation(query, self.table, names=names, facts=self.schema.facts)

    def _check_private(self, node: Tree, quoted: bool) -> None:
        """Refuse a name that cannot be that of the private table."""
        query, declared = self.query, self.schema.table
        if declared is None and same(node.name, self.later, quoted=quoted):
            query.refuse(
                node, f"{node.name} is not known yet: write its query before this one in WITH"
            )
        taken = self.private or ([] if declared is None else [declared])
        if taken and not same(node.name, taken, quoted=quoted):
            there = list(dict.fromkeys([*self.known, *taken]))
            near = get_close_matches(node.name.lower(), [name.lower() for name in there], 1)
            meant = [name for name in there if name.lower() in near][:1]
            hint = f" (did you mean {as_name(meant[0])}?)" if meant else ""
            query.refuse(
                node,
                f"there is no table {node.name}{hint}; there is {', '.join(map(as_name, there))}",
            )
        self.private[:] = taken or [node.name]

    def _rows(self, select: Tree) -> Relation:
        """A query of rows: each of its columns is worked out from one row alone."""
        query = self.query
        if type(select).__name__ != "Select":
            query.refuse(
                select,
                "a query of rows is one SELECT: ask each question by a query of its own, or open "
                "several files as one table, 'pay-*.csv'",
            )
        for name in ("limit", "order", "offset", "distinct", "group", "having", "qualify"):
            if select.args.get(name) is not None:
                shown = name.upper().replace("GROUP", "GROUP BY").replace("ORDER", "ORDER BY")
                cure = _TWICE if any(map(aggregate_in, select.expressions)) else "; write it there"
                if name == "distinct":
                    listed = ", ".join(map(query.written, select.expressions))
                    one = listed if len(select.expressions) == 1 else "column"
                    cure = f"; write COUNT(DISTINCT {one}) or GROUP BY {listed} there"
                query.refuse(
                    select, f"{shown} stands in the outer SELECT only: {_OTHER_ROWS}{cure}"
                )
        query.only(select, "expressions", "from_", "from", "joins", "where", "with_", "with")
        inside = replace(self, known=dict(self.known))  # its own WITH is known in there only
        found = inside.relation(select)
        rows = RowCompiler(found)
        cells: dict[str, Cell] = {}
        for node in select.expressions:
            before = list(cells)  # a star may bring Name and name, of which each has its quotes
            for name, cell in self._columns(node, found, rows).items():
                if same(name, before):
                    query.refuse(node, f"two columns are called {name}: give one another name")
                cells[name] = cell
        return Relation(query, self.table, cells, found.where, self.schema.facts)

    def _of_table(self, node: Tree, relation: Relation) -> Mapping[str, Cell]:
        """v.*: the columns of one table of the query."""
        if found := same(node.table, relation.others):
            return relation.others[found[0]]
        if same(node.table, relation.names):
            return replace(relation, others={}).listed()
        known = ", ".join([*relation.names, *relation.others])
        return self.query.refuse(
            node, f"there is no table {node.table} in this query; its tables are {known}"
        )

    def _columns(self, node: Tree, relation: Relation, rows: RowCompiler) -> Mapping[str, Cell]:
        query, kind = self.query, type(node).__name__
        if kind == "Star":
            query.only(node)
            return relation.listed()
        if (aggregate := aggregate_in(node)) is not None:
            query.refuse(
                aggregate, f"aggregates stand in the outer SELECT only: {_OTHER_ROWS}{_TWICE}"
            )
        if kind == "Alias":
            query.only(node, "this", "alias")
            return {node.alias: rows.value(node.this)}
        if kind == "Column" and not node.is_star:
            return {node.name: rows.value(node)}
        if node.is_star:
            query.only(node, "this", "table")
            query.only(node.this)
            return self._of_table(node, relation)
        return query.refuse(node, "a computed column needs a name: write AS name after it")
