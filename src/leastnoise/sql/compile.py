"""From a query to what it asks of the data, and what it does with the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ColumnTypeError, LeastNoiseError
from leastnoise.sql.aggregates import AggregateCompiler, aggregate_in, is_aggregate
from leastnoise.sql.forms import ZERO
from leastnoise.sql.from_clause import FromCompiler
from leastnoise.sql.kinds import check_keys, check_times
from leastnoise.sql.lowering import Lowering
from leastnoise.sql.names import as_name
from leastnoise.sql.places import deepest
from leastnoise.sql.relations import Cell, RawColumn, Timed, folded, same
from leastnoise.sql.released import ReleasedCompiler, ReleasedRow, Term, kind_of, ordered
from leastnoise.sql.rows import RowCompiler
from leastnoise.sql.text import TOO_NESTED, Query, Tree
from leastnoise.statistics import Mode, WithInterval
from leastnoise.summaries.expressions import Arithmetic, Entry, TextEntry, Value, is_text

if TYPE_CHECKING:
    from fractions import Fraction

    from leastnoise.frames import Table
    from leastnoise.sql.schema import Schema
    from leastnoise.sql.wanted import Aggregate
    from leastnoise.summaries.predicates import Predicate

_MOST_ROWS_OF_LIMIT = 10**9


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """A column to group by: its form in the query, and its keys; None where they are private.

    ``read`` is the value that has the keys: of a column by itself that column, or its entries as
    the numbers or dates that they are told apart by. ``truth``: it is true or false.
    """

    node: Tree
    cell: Cell
    read: Cell
    column: str
    keys: Sequence[Any] | None
    truth: bool

    @property
    def computed(self) -> bool:
        """Whether its keys are worked out, and not entries of the table."""
        return not isinstance(self.read, (RawColumn, Entry, TextEntry))

    def shown(self, key: Any) -> Any:
        """A key as the query means it: days and whole numbers that were worked out, as such."""
        if isinstance(self.read, Timed) and key is not None:
            return self.read.clock.time(key)
        if self.truth and key is not None:
            return bool(key)
        if self.keys is None and self.computed and isinstance(key, float) and key.is_integer():
            return int(key)
        return key

    def kind(self, table: Table) -> str:
        """What its keys are: numbers, text, or a kind of time."""
        if isinstance(self.read, Timed):
            return kind_of(self.shown(0))
        if self.truth:
            return "truth"
        if self.keys is not None:
            return kind_of(next(iter(self.keys), 0))
        if self.computed:
            return (
                "text" if not isinstance(self.read, RawColumn) and is_text(self.read) else "number"
            )
        try:
            table.text_type(self.column)
        except ColumnTypeError:
            return "number"
        return "text"


@dataclass(frozen=True, slots=True)
class Ordering:
    """One part of ORDER BY."""

    term: Term
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query in the words of the library; all of it is public.

    ``values`` are columns to be computed row by row, ``where``, ``groups`` and ``statistics`` what
    a table of a plan has. The rest works on what was released. ``hidden`` are counts of rows that
    the query does not show, with the statistics of samples that need them.
    """

    values: Mapping[str, Value]
    where: Predicate | None
    groups: tuple[GroupColumn, ...]
    statistics: Mapping[str, Any]
    hidden: Mapping[str, Sequence[str]]
    columns: Mapping[str, Term]
    having: Term | None
    order: tuple[Ordering, ...]
    limit: int | None

    @property
    def private(self) -> tuple[GroupColumn, ...]:
        """The columns whose keys are not declared."""
        return tuple(group for group in self.groups if group.keys is None)

    def shown(self, rows: Sequence[ReleasedRow]) -> list[tuple[Any, ...]]:
        """The rows of the answer."""
        kept = [row for row in rows if self.having is None or self.having(row) is True]
        made = [tuple(term(row) for term in self.columns.values()) for row in kept]
        keys = [
            ([each.term(row) for row in kept], each.descending, each.nulls_first)
            for each in self.order
        ]
        return ordered(made, keys)[: self.limit]


def compile_query(
    query: Query, schema: Schema, table: Table, level: Fraction | None = None
) -> Compiled:
    """Check a query against the schema; no value is read. ``level``: how sure intervals are.

    Raises
    ------
    QueryError, SchemaError
        If it is not in the language, or names what is not there.
    """
    try:
        return _Compiler(query, schema, table, level).compiled()
    except RecursionError:
        raise query.error(deepest(query.tree), TOO_NESTED) from None


class _Compiler:
    def __init__(self, query: Query, schema: Schema, table: Table, level: Fraction | None) -> None:
        self.query, self.schema, self.tree, self.level = query, schema, query.tree, level
        self.relation = FromCompiler(query, schema, table).relation(query.tree)
        self.rows = RowCompiler(self.relation)
        self.lowering = Lowering(table)
        self.aggregates = AggregateCompiler(self.rows, schema, self.lowering)
        self.names: dict[int, str] = {}
        self.parents: dict[int, list[int]] = {}  # of counts of rows
        self.levels: dict[int, Fraction] = {}
        self.items = self._items()

    def compiled(self) -> Compiled:
        query, tree = self.query, self.tree
        query.only(
            tree,
            *("expressions", "from_", "from", "joins", "where", "group", "having", "order"),
            *("limit", "offset", "with_", "with"),
        )
        groups = self._groups()
        released = ReleasedCompiler(
            query,
            lambda node: self._key(node, groups),
            self._number,
            lambda node: self._kind(node, groups),
            {folded(name): node for name, node in self.items.items()},
            self._intervals(),
            self.relation.find,
        )
        columns: dict[str, Term] = {}
        for name, node in self.items.items():
            columns[name] = released.term(node)
            for each in (f"{name}_low", f"{name}_high"):
                if folded(each) in released.ends:
                    columns[each] = released.ends[folded(each)]
        having = tree.args.get("having")
        met = None if having is None else released.condition(having.this, aliases=True)
        order = self._order(released, columns)
        if not self.aggregates.seen:
            query.refuse(
                tree.expressions[0],
                "a query releases aggregates, and there is none: write COUNT(*), AVG or MEDIAN",
            )
        for start, tree in query.limits.items():
            if start not in self.aggregates.limited:
                query.refuse(
                    tree,
                    "limits belong to an aggregate of numbers: write them into SUM, AVG or MEDIAN",
                )
        return Compiled(
            values=self.lowering.values,
            where=self._where(),
            groups=groups,
            statistics=self._statistics(),
            hidden=self._hidden(),
            columns=columns,
            having=met,
            order=order,
            limit=self._limit(),
        )

    def _items(self) -> dict[str, Tree]:
        """The columns of the SELECT by name."""
        found: dict[str, Tree] = {}
        known: set[str] = set()
        if not self.tree.expressions:
            self.query.refuse(self.tree, "SELECT names no column: write SELECT COUNT(*) FROM data")
        for node in self.tree.expressions:
            inner = node
            if type(node).__name__ == "Alias":
                self.query.only(node, "this", "alias")
                inner = node.this
            self._check_named(inner)
            if type(inner).__name__ == "Star" or node.is_star:
                self.query.refuse(node, "rows are never released: name aggregates, COUNT(*)")
            name = node.alias or (
                inner.name if type(inner).__name__ == "Column" else self.query.written(inner)
            )
            if folded(name) in known:
                self.query.refuse(
                    node, f"two columns are called {name}: give one another name, AS other"
                )
            found[name] = inner
            known.add(folded(name))
        return found

    def _check_named(self, node: Tree) -> None:
        """Refuse ``n = COUNT(*)``, which names a column in one dialect."""
        if type(node).__name__ != "EQ" or type(node.this).__name__ != "Column":
            return
        named = node.this
        unknown = not same(named.name, self.relation.listed())
        if unknown and aggregate_in(node.expression) is not None:
            told = self.query.written(node.expression)
            self.query.refuse(
                node, f"= is a comparison here: write {told} AS {as_name(named.name)}"
            )

    def _aggregate(self, node: Tree, name: str | None = None) -> Aggregate:
        """What an aggregate is; its statistic is called as its column, or as it is written."""
        found = self.aggregates.aggregate(node)
        self._call(found.place, self.query.written(node) if name is None else name)
        if found.rows is not None:
            self.parents.setdefault(found.rows, []).append(found.place)
        return found

    def _call(self, place: int, name: str) -> None:
        if place not in self.names:
            while name in self.names.values():
                name += "'"
            self.names[place] = name

    def _number(self, node: Tree) -> Term:
        found = self._aggregate(node)
        return lambda row: found.of(row.numbers)

    def _hidden(self) -> dict[str, list[str]]:
        """Counts that the query does not ask for itself, and why they are needed."""
        return {
            self._called(place): [self.names[each] for each in dict.fromkeys(parents)]
            for place, parents in self.parents.items()
            if place not in self.names
        }

    def _called(self, place: int) -> str:
        if place in self.names:
            return self.names[place]
        return "rows of " + ", ".join(
            self.names[each] for each in dict.fromkeys(self.parents[place])
        )

    def _intervals(self) -> dict[str, Term]:
        """The ends of intervals, by the names of their columns; where they are asked for."""
        found: dict[str, Term] = {}
        for name, node in self.items.items():
            if not is_aggregate(node):
                continue
            one = self._aggregate(node, name)
            if self.level is None or not self._takes_interval(one):
                continue
            level = 1 - (1 - self.level) / len(one.places)  # all of them hold
            for place in one.places:
                self.levels[place] = max(level, self.levels.get(place, level))
            for i, end in enumerate(("low", "high")):
                called = f"{name}_{end}"
                if folded(called) in {folded(other) for other in self.items}:
                    self.query.refuse(
                        node, f"an end of the interval is called {called}, as a column is: write AS"
                    )
                found[folded(called)] = lambda row, one=one, i=i: one.between(row.ends)[i]
        if self.level is not None and not found:
            self.query.refuse(
                self.tree.expressions[0],
                "interval is for columns that are one aggregate of numbers, and there is none",
            )
        return found

    def _takes_interval(self, one: Aggregate) -> bool:
        return one.part is None and not isinstance(self.aggregates.seen[one.place], Mode)

    def _statistics(self) -> dict[str, Any]:
        """By their names, with their intervals."""
        return {
            self._called(place): WithInterval(each, level=self.levels[place])
            if place in self.levels
            else each
            for place, each in enumerate(self.aggregates.seen)
        }

    # --- rows ------------------------------------------------------------------------------------

    def _where(self) -> Predicate | None:
        if self.relation.where is None:
            return None
        where = self.tree.args.get("where")  # there may be none: a JOIN leaves rows out too
        with self.query.located(where and where.this):
            return self.lowering.condition(self.relation.where)

    def _groups(self) -> tuple[GroupColumn, ...]:
        group = self.tree.args.get("group")
        if group is None:
            return ()
        self.query.only(group, "expressions")
        found: list[GroupColumn] = []
        for node in group.expressions:
            one = self._group(node)
            if one.column in {other.column for other in found}:
                twins = [other for other in found if other.column == one.column]
                if any(other.truth == one.truth for other in twins):
                    self.query.refuse(
                        node, "this column is grouped by twice: leave one of them out"
                    )
                value: Any = one.read  # true and false beside 1 and 0: the same under another name
                column = self.lowering.column(Arithmetic("+", value, ZERO))
                one = replace(one, column=column)
            found.append(one)
        return tuple(found)

    def _group(self, node: Tree) -> GroupColumn:
        query, name = self.query, None
        if type(node).__name__ == "Literal" and not node.args.get("is_string"):
            name, node = self._numbered(node)
        elif type(node).__name__ == "Column" and not node.table:
            named = self._aliased(node)
            name = node.name
            node = node if named is None else named
        if (aggregate := aggregate_in(node)) is not None:
            query.refuse(
                aggregate,
                "rows are grouped by their own values, not by aggregates: write a column, or "
                "HAVING for a condition on an aggregate",
            )
        name = name or next((n for n, item in self.items.items() if item == node), None)
        if type(node).__name__ == "Tuple":
            query.refuse(node, "write the columns without brackets, GROUP BY region, sex")
        cell, keys = self.aggregates.keyed(node, name)
        read = cell
        if keys is None and isinstance(cell, RawColumn):
            dates = self.schema.facts(cell.name).dates or ()
            check_times(self.relation, node, cell.name, dates, [node] * len(dates))
            read = self.relation.timed(cell) or self.relation.told_apart(cell)
            keys = read.keys if isinstance(read, Timed) else None
        with query.located(node):
            if isinstance(read, RawColumn):
                column = read.name
            else:
                column = self.lowering.column(read.value if isinstance(read, Timed) else read)
        if keys is not None and isinstance(read, RawColumn):
            check_keys(self.relation, node, read.name, keys)
        return GroupColumn(node, cell, read, column, keys, self.relation.means_truth(cell))

    def _aliased(self, node: Tree) -> Tree | None:
        """What a name of the SELECT stands for, unless a column of the rows is called so."""
        names = same(node.name, self.items)
        found = self.items[names[0]] if names else None
        if found is None or found == node:
            return None
        return None if same(node.name, self.relation.listed()) else found

    def _numbered(self, node: Tree) -> tuple[str, Tree]:
        """A column of the SELECT by its number."""
        listed = list(self.items.items())
        text = str(node.this)
        if not text.isdigit() or not 1 <= int(text) <= len(listed):
            self.query.refuse(node, f"there is no column {text}; the SELECT has {len(listed)}")
        return listed[int(text) - 1]

    def _key(self, node: Tree, groups: Sequence[GroupColumn]) -> int | None:
        """Which key of the group a form is; None for none."""
        cell = None
        if type(node).__name__ == "Column":
            try:
                cell = self.relation.find(node)
            except LeastNoiseError:  # it may be a name of the SELECT
                cell = None
        for i, group in enumerate(groups):
            if node == group.node:
                return i
        if cell is None:
            return None
        truth = self.relation.means_truth(cell)
        alike = (i for i, one in enumerate(groups) if cell == one.cell and truth == one.truth)
        return next(alike, None)

    def _kind(self, node: Tree, groups: Sequence[GroupColumn]) -> str:
        """What a key or an aggregate is: a number, text, or a kind of time."""
        place = self._key(node, groups)
        if place is None:
            found = self._aggregate(node)
            statistic = self.aggregates.seen[found.place]
            if found.truth:
                return "truth"
            if isinstance(statistic, Mode):
                return kind_of(statistic.answers[0])
            spec = statistic.spec()
            clock = spec.clock if spec.form == "column" else None
            return "number" if clock is None else kind_of(clock.shown(0, statistic.shown))
        return groups[place].kind(self.relation.table)

    # --- what is released ------------------------------------------------------------------------

    def _order(
        self, released: ReleasedCompiler, columns: Mapping[str, Term]
    ) -> tuple[Ordering, ...]:
        order = self.tree.args.get("order")
        if order is None:
            return ()
        self.query.only(order, "expressions")
        found: list[Ordering] = []
        for node in order.expressions:
            self.query.only(node, "this", "desc", "nulls_first")
            inner = node.this
            if type(inner).__name__ == "Literal" and not inner.args.get("is_string"):
                term: Callable[[ReleasedRow], Any] = columns[self._numbered(inner)[0]]
            elif type(inner).__name__ == "Column" and inner.sql().upper() == "ALL":
                self.query.refuse(node, "ORDER BY ALL is not supported: name the columns")
            else:  # a name of the SELECT is meant before a column of the table
                bare = type(inner).__name__ == "Column" and not inner.table
                named = released.alias(inner) if bare else None
                term = released.term(inner if named is None else named, aliases=named is None)
            self._check_orders(inner)
            null_first = bool(node.args.get("nulls_first"))  # NULL is the least, unless it is said
            found.append(Ordering(term, bool(node.args.get("desc")), null_first))
        return tuple(found)

    def _check_orders(self, node: Tree) -> None:
        """Refuse to order by what is the same in every row."""
        if type(node).__name__ == "Literal" and not node.args.get("is_string"):
            return
        if not any(type(x).__name__ == "Column" or is_aggregate(x) for x in node.walk()):
            meant = same(node.name, self.items) if node.args.get("is_string") else []
            name = as_name(meant[0]) if meant else "1 for the first column, or ORDER BY its name"
            self.query.refuse(node, f"a constant is the same in every row: write ORDER BY {name}")

    def _limit(self) -> int | None:
        limit, offset = self.tree.args.get("limit"), self.tree.args.get("offset")
        fetched = ""
        if type(limit).__name__ == "Fetch":
            of = limit.args.get("count")
            fetched = "1" if of is None else str(of.name) or "10"
        if offset is not None:
            named = [offset.expression.name, *([fetched or limit.expression.name] if limit else [])]
            counts = list(map(str, named))
            most = str(sum(map(int, counts))) if all(map(str.isdecimal, counts)) else "10"
            cure = (
                f"write LIMIT {most} alone, and pass over"
                if limit
                else "leave it out, and pass over"
            )
            self.query.refuse(
                offset.expression,
                "LIMIT keeps the first rows of the released table, and OFFSET is not supported: "
                f"{cure} the first {counts[0]} rows of the answer",
            )
        if limit is None:
            return None
        options = limit.args.get("limit_options")
        if fetched and not (options and (options.args["percent"] or options.args["with_ties"])):
            self.query.refuse(limit, f"FETCH is not supported here: write LIMIT {fetched}")
        self.query.only(limit, "expression")
        count = limit.args.get("expression")
        text = "" if count is None else str(count.this)
        if type(count).__name__ != "Literal" or not text.isdigit():
            self.query.refuse(count, "LIMIT takes a whole number; without LIMIT all rows are shown")
        return min(int(text), _MOST_ROWS_OF_LIMIT)
