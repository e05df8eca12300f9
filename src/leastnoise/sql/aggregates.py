"""Aggregates of a query: each is a statistic of the library, over a column or a computed value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NoReturn

from leastnoise import statistics
from leastnoise.sql import nearest
from leastnoise.sql.call_limits import TIMES, limits_of
from leastnoise.sql.cures import of_dates_alone
from leastnoise.sql.forms import NOTHING, ONE, text_missing
from leastnoise.sql.kinds import check_keys
from leastnoise.sql.limits import bands, interval, is_whole
from leastnoise.sql.names import as_name, section
from leastnoise.sql.places import span
from leastnoise.sql.refusals import called, explain
from leastnoise.sql.relations import Cell, RawColumn, Timed
from leastnoise.sql.results import plain, results
from leastnoise.sql.rows import RowCompiler
from leastnoise.sql.schema import ColumnFacts, Schema
from leastnoise.sql.text import Tree, is_tree
from leastnoise.sql.wanted import Aggregate, Wanted
from leastnoise.summaries.columns import Clock, clock_of
from leastnoise.summaries.expressions import (
    Absent,
    Both,
    Choice,
    Entry,
    Moment,
    Negation,
    Text,
    TextChoice,
    TextEntry,
    Truth,
    Value,
    Whole,
    is_text,
    walk,
)

if TYPE_CHECKING:
    from leastnoise.sql.lowering import Lowering

_NUMBERS: dict[str, Any] = {
    "Sum": statistics.Sum,
    "Avg": statistics.Mean,
    "Median": statistics.Median,
    "Min": statistics.Minimum,
    "Max": statistics.Maximum,
    "VariancePop": statistics.Variance,
    "StddevPop": statistics.StandardDeviation,
}
# Aggregates of numbers alone, and what comes nearest to them of dates.
_OF_DATES = {
    "Sum": "AVG",
    "VariancePop": "STDDEV_POP",
    "Variance": "STDDEV",
    "VarianceSamp": "STDDEV",
    **dict.fromkeys(("Corr", "CovarPop", "CovarSamp"), "MEDIAN"),
}
_PAIRS: dict[str, Any] = {"Corr": statistics.Correlation, "CovarPop": statistics.Covariance}
_QUANTILES = frozenset({"Quantile", "PercentileCont", "PercentileDisc", "ApproxQuantile"})
_NAMED_QUANTILES = frozenset({"QUANTILE_DISC", "QUANTILE_CONT", "PERCENTILE"})
_OF_SAMPLES: dict[str, Any] = {
    "Variance": statistics.Variance,
    "VarianceSamp": statistics.Variance,
    "Stddev": statistics.StandardDeviation,
    "StddevSamp": statistics.StandardDeviation,
    "CovarSamp": statistics.Covariance,
}
_OTHERS = frozenset({"Count", "CountIf", "Mode", "ApproxDistinct", "WithinGroup", "Filter"})
KINDS = frozenset({*_NUMBERS, *_PAIRS, *_QUANTILES, *_OF_SAMPLES, *_OTHERS})


def is_aggregate(node: Tree) -> bool:
    """Whether a form is an aggregate of rows."""
    kind = type(node).__name__
    return kind in KINDS or (kind == "Anonymous" and str(node.this).upper() in _NAMED_QUANTILES)


def _is_query(node: Tree) -> bool:
    return type(node).__name__ in ("Select", "Subquery")


def aggregate_in(node: Tree) -> Tree | None:
    """The first aggregate in a form."""
    return next((inner for inner in node.walk(prune=_is_query) if is_aggregate(inner)), None)


def has_aggregate(node: Tree) -> bool:
    """Whether a form has an aggregate in it."""
    return aggregate_in(node) is not None


@dataclass(slots=True)
class AggregateCompiler:
    """From trees to statistics."""

    rows: RowCompiler
    schema: Schema
    lowering: Lowering
    seen: list[Any] = field(default_factory=list[Any])
    """Every statistic that is asked for, once."""
    limited: set[int] = field(default_factory=set[int])
    """The places of calls whose limits in the query were used."""

    def aggregate(self, node: Tree) -> Aggregate:
        """The statistics that an aggregate is made of; equal ones are one."""
        with self.rows.query.located(node):
            wanted = self._wanted(node, None)
        for each in (wanted.statistic, wanted.rows):
            if each is not None and each not in self.seen:
                self.seen.append(each)
        rows = None if wanted.rows is None else self.seen.index(wanted.rows)
        place = self.seen.index(wanted.statistic)
        return Aggregate(place, wanted.part, rows, wanted.root, wanted.truth)

    def _wanted(self, node: Tree, only: Truth | None) -> Wanted:
        query, kind = self.rows.query, type(node).__name__
        if kind == "Filter":
            query.only(node, "this", "expression")
            if (
                only is not None
                or not is_aggregate(node.this)
                or type(node.this).__name__ == "Filter"
            ):
                query.refuse(node, "FILTER (WHERE ...) follows one aggregate, once")
            return self._wanted(node.this, self.rows.truth(node.expression.this))
        if kind in _OF_SAMPLES:
            return self._of_sample(_OF_SAMPLES[kind], node, only)
        if kind == "Count":
            return self._count(node, only)
        if kind == "CountIf":
            query.only(node, "this")
            condition = self.rows.truth(node.this)
            return self._counted(_where(ONE, condition), only)
        if kind == "ApproxDistinct":
            query.only(node, "this")
            return self._distinct(node.this, only)
        if kind == "WithinGroup":
            return self._within_group(node, only)
        if kind == "Mode":
            if (more := node.args.get("deterministic")) is not None:
                query.refuse(
                    more if is_tree(more) else node,
                    "MODE takes one column: for several of the most usual write GROUP BY x with "
                    "ORDER BY COUNT(*) DESC and LIMIT 3",
                )
            query.only(node, "this")
            if node.this is None:
                query.refuse(node, "write MODE(column)")
            return self._mode(node.this, only)
        if kind in _PAIRS:
            query.only(node, "this", "expression")
            return self._pair(_PAIRS[kind], node, only)
        if kind in _QUANTILES or kind == "Anonymous":
            return self._quantile(node, only)
        query.only(node, "this")
        self._check_distinct(node)
        return Wanted(_NUMBERS[kind](**self._numbers(node, node.this, only)))

    def _check_distinct(self, node: Tree) -> None:
        if type(node.this).__name__ in ("Distinct", "Order", "Limit", "HavingMax"):
            self.rows.query.refuse(node.this, explain(node.this))

    # --- counts ----------------------------------------------------------------------------------

    def _count(self, node: Tree, only: Truth | None) -> Wanted:
        query = self.rows.query
        query.only(node, "this", "big_int")
        kind = type(node.this).__name__
        if kind in ("Star", "NoneType"):
            if node.this is not None:
                query.only(node.this)
            return Wanted(statistics.Count()) if only is None else self._counted(ONE, only)
        self.rows.relation.refuse_text(node.this)
        if kind == "Literal":
            return Wanted(statistics.Count()) if only is None else self._counted(ONE, only)
        if kind == "Distinct":
            query.only(node.this, "expressions")
            if len(node.this.expressions) != 1:
                query.refuse(
                    node.this,
                    "COUNT(DISTINCT ...) takes one column: join two texts, COUNT(DISTINCT a || '-' "
                    "|| b), or write GROUP BY a, b",
                )
            return self._distinct(node.this.expressions[0], only)
        return self._counted(self.rows.counted(node.this), only)

    def _counted(self, cell: Cell, only: Truth | None) -> Wanted:
        """Rows in which a value is there; of text, which is no number, that is worked out."""
        if isinstance(cell, RawColumn) and self.rows.relation.counts_text(cell):
            cell = self.rows.relation.moment(cell) or self.rows.relation.text(cell.name)
        if not isinstance(cell, (RawColumn, Timed)) and is_text(cell):
            cell = _where(ONE, Negation(text_missing(cell)))
        return Wanted(statistics.Count(self._column(cell, only)))

    def _distinct(self, node: Tree, only: Truth | None) -> Wanted:
        self.rows.relation.refuse_text(node)
        cell = self.rows.counted(node)
        if isinstance(cell, RawColumn):
            keys = self.rows.relation.facts(cell.name).keys
            if keys and not self.rows.relation.holds_numbers(cell):
                check_keys(self.rows.relation, node, cell.name, keys)
            cell = self.rows.relation.told_apart(cell)
        return Wanted(statistics.CountDistinct(self._column(cell, only)))

    def _column(self, cell: Cell, only: Truth | None) -> str:
        """The column of a value, of the rows for which a condition is true."""
        if isinstance(cell, Timed):
            cell = cell.value
        if only is not None:
            cell = _where(self.rows.relation.settled(cell, text=True), only)
        return cell.name if isinstance(cell, RawColumn) else self.lowering.column(cell)

    # --- numbers ---------------------------------------------------------------------------------

    def _numbers(
        self, call: Tree, node: Tree, only: Truth | None, place: int | None = None
    ) -> dict[str, Any]:
        """Column, limits and step of an aggregate of numbers; ``place`` is that of one of two."""
        cell, given = self.rows.value(node), self._given(call, node, place)
        if isinstance(cell, RawColumn):
            times = given.times or self.schema.facts(cell.name).times
            kind = type(call).__name__
            summed = kind == "Sum" and times is not None and not isinstance(times[0], date)
            if kind in _OF_DATES and times is not None and not summed:  # durations have a sum
                written = self.rows.query.written(node)
                why = f"{written} holds dates or times: write {_OF_DATES[kind]}({written})"
                self.rows.query.refuse(call, f"{called(call)} is of numbers, and {why}")
            if times is not None and only is None:  # the statistic reads it by their clock
                return {"column": cell.name, "bounds": times}
            if given.times is not None:
                self._refuse_dates(call, cell.name, declared=True)
            if self.rows.relation.table.own_clock(cell.name) is not None:
                self._refuse_dates(call, cell.name, declared=times is not None)
        value = self.rows.number(node)
        facts = self.facts(node, value)
        column = self.lowering.column(value if only is None else _where(value, only))
        bounds = given.bounds or facts.bounds
        if bounds is None:
            columns = [each.column for each in walk(value) if isinstance(each, Entry)]
            for column in columns:
                if self.schema.facts(column).times:
                    self._refuse_dates(call, column, declared=True)
            declared = ""
            if isinstance(cell, RawColumn) or type(node).__name__ == "Column":
                there = f"{self._section(node, cell)} bounds = [LOW, HIGH]"
                declared = f"declare them in the schema, {there}, or "
            self.rows.query.refuse(
                call,
                f"{self.rows.query.written(node)} has no limits, which come from public knowledge, "
                f"never from the data: {declared}write contribution_bounds_per_row => "
                f"{'(LOW, HIGH)' if place is None else '((LOW, HIGH), (LOW, HIGH))'} into the call",
            )
        if facts.step is not None and (bounds[1] - bounds[0]) % facts.step:
            self._refuse_step(call, node, bounds, facts.step)
        return {"column": column, "bounds": bounds, "step": facts.step}

    def _refuse_step(
        self, call: Tree, node: Tree, bounds: tuple[Fraction, Fraction], step: Fraction
    ) -> NoReturn:
        """Values beyond the upper limit would count as less than it."""
        low, high = bounds
        last = low + (high - low) // step * step
        ends = [plain(end) for end in (last, last + step) if end > low]
        nearest = " or ".join(f"[{plain(low)}, {end}]" for end in ends)
        written = self.rows.query.written(node)
        self.rows.query.refuse(
            call,
            f"the limits of {written}, {plain(low)} and {plain(high)}, are no "
            f"whole number of steps of {plain(step)} apart: write {nearest}, or another step",
        )

    def _refuse_dates(self, call: Tree, column: str, *, declared: bool) -> NoReturn:
        spans = self.rows.relation.table.own_clock(column) is Clock.SPAN
        ends = '["PT0S", "PT8H"]' if spans else "[2020-01-01, 2024-12-31]"
        into = TIMES[Clock.SPAN if spans else Clock.DAY]
        limits = (
            f"{section(column)} bounds = {ends}, or write contribution_bounds_per_row => {into}"
        )
        why = (
            of_dates_alone(call, column)
            if declared
            else f"{as_name(column)} holds {'durations' if spans else 'dates'}, whose limits are "
            f"declared in the schema: {limits} into the call"
        )
        self.rows.query.refuse(call, why)

    def facts(self, node: Tree, value: Value) -> ColumnFacts:
        """Limits and step: declared for the column or for the name of a value, or worked out."""
        declared = self.schema.columns
        known = self.rows.relation.truths  # of a column that is true or false, 0 and 1
        if isinstance(value, (Entry, TextEntry)):
            return known(value.column)
        if self._is_own_name(node) and node.name in declared:
            return declared[node.name]
        if is_text(value):
            return ColumnFacts()
        numeric: Any = value
        limits, whole = interval(numeric, known), is_whole(numeric, known)
        if limits is not None and whole:  # of k < 2.5 the most is 2
            low, high = ceil(limits[0]), floor(limits[1])
            limits = (Fraction(low), Fraction(high)) if low <= high else (Fraction(0), Fraction(0))
        if limits is not None and limits[0] == limits[1]:
            low, high = min(limits[0], 0), max(limits[1], 0)
            limits = Fraction(low), Fraction(high if low < high else 1)
        return ColumnFacts(limits, step=Fraction(1) if whole else None)

    def _section(self, node: Tree, cell: Cell) -> str:
        """Where in the schema the facts of a value may stand."""
        if isinstance(cell, RawColumn):
            return section(cell.name)
        if self._is_own_name(node):
            return section(node.name)
        return "AS other, a name that no column of the table has: [columns.other]"

    def _is_own_name(self, node: Tree) -> bool:
        """Whether a form is the name of a computed value, and of no column of the table."""
        return type(node).__name__ == "Column" and not self._of_table(node.name)

    def _of_table(self, name: str) -> bool:
        """Whether the table has a column of this name; its declarations are then about that."""
        return name in (self.rows.relation.table.column_names() or ())

    def _given(self, call: Tree, node: Tree, place: int | None) -> ColumnFacts:
        """The limits in contribution_bounds_per_row, if there are any."""
        start = (span(call) or (None,))[0]
        found = None if start is None else self.rows.query.limits.get(start)
        if start is None or found is None:
            return ColumnFacts()
        self.limited.add(start)
        return limits_of(self.rows, call, node, found, place)

    def _pair(self, kind: Any, node: Tree, only: Truth | None) -> Wanted:
        both = node.this, node.expression
        two = [self._numbers(node, each, only, place) for place, each in enumerate(both)]
        columns = [each["column"] for each in two]
        if columns[0] == columns[1]:
            self.rows.query.refuse(node, "give two different columns")
        return Wanted(kind(columns=columns, bounds=[each["bounds"] for each in two]), (0, 1))

    def _there(self, column: str) -> Truth:
        """Whether a row has a value of a column, or a worked-out one."""
        value: Any = self.lowering.values.get(column)
        raw = RawColumn(column)
        return Negation(Absent(value or self.rows.relation.moment(raw) or Entry(column)))

    def _rows_of(self, column: str, bounds: Any) -> Any:
        """How many rows a statistic of numbers or times reads: as it reads them."""
        raw, clock = RawColumn(column), clock_of(bounds[0])
        moment = None if clock is None else Moment(column, clock)
        if moment is None or not self.rows.relation.holds_text(raw):
            return statistics.Count(column)
        return statistics.Count(self.lowering.column(moment))

    def _of_sample(self, kind: Any, node: Tree, only: Truth | None) -> Wanted:
        """Divided by n - 1: the one of the rows times n / (n - 1), with a noisy n."""
        if kind is statistics.Covariance:
            wanted = self._pair(kind, node, only)
            one, other = wanted.statistic.columns
            both = Both(self._there(one), self._there(other))
            column = self.lowering.column(_where(ONE, both))
            return replace(wanted, rows=statistics.Count(column))
        self.rows.query.only(node, "this")
        self._check_distinct(node)
        given = self._numbers(node, node.this, only)
        root = kind is statistics.StandardDeviation
        return Wanted(
            kind(**given), rows=self._rows_of(given["column"], given["bounds"]), root=root
        )

    def _quantile(self, node: Tree, only: Truth | None, of: Tree | None = None) -> Wanted:
        query = self.rows.query
        if type(node).__name__ == "Anonymous":
            arguments = list(node.expressions)
        else:
            query.only(node, "this", "expression", "quantile")
            arguments = [node.this, node.args.get("expression") or node.args.get("quantile")]
        if of is not None:
            arguments = [of, arguments[0]]
        if len(arguments) != 2 or arguments[1] is None:
            query.refuse(node, "write QUANTILE_DISC(column, 0.9)")
        order = self.rows.value(arguments[1])
        given = getattr(order, "value", None)
        if not isinstance(given, Fraction) or not 0 <= given <= 1:
            query.refuse(arguments[1], "which quantile is a number from 0 to 1: 0.9 for 90 percent")
        self._check_distinct(node)
        return Wanted(statistics.Quantile(q=given, **self._numbers(node, arguments[0], only)))

    def _within_group(self, node: Tree, only: Truth | None) -> Wanted:
        """PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY column), and MODE()."""
        query = self.rows.query
        query.only(node, "this", "expression")
        query.only(node.expression, "expressions")
        ordered = node.expression.expressions
        if len(ordered) != 1:
            query.refuse(node, "WITHIN GROUP (ORDER BY ...) takes one column")
        query.only(ordered[0], "this", "nulls_first", "desc")
        inner = node.this
        if ordered[0].args.get("desc"):
            query.refuse(ordered[0], "DESC: write the order of the other end, 0.1 for 0.9")
        if type(inner).__name__ == "Mode" and inner.this is None:
            return self._mode(ordered[0].this, only)
        if type(inner).__name__ == "GroupConcat" or called(inner) in nearest.NAMED:
            query.refuse(node, explain(inner))
        if type(inner).__name__ not in ("PercentileCont", "PercentileDisc"):
            query.refuse(node, "WITHIN GROUP follows PERCENTILE_CONT, PERCENTILE_DISC or MODE()")
        return self._quantile(inner, only, ordered[0].this)

    def _mode(self, node: Tree, only: Truth | None) -> Wanted:
        query = self.rows.query
        cell, keys = self.keyed(node)
        dated = isinstance(cell, RawColumn) and self.rows.relation.is_time(cell)
        if dated or isinstance(cell, Timed):
            written = query.written(node)
            query.refuse(
                node,
                f"MODE is of numbers or text: write GROUP BY {written} with ORDER BY COUNT(*) DESC "
                f"and LIMIT 1, or MEDIAN({written})",
            )
        if keys is None:
            query.refuse(
                node,
                f"{query.written(node)} has no keys: declare what can be the answer in the schema, "
                f"{self._section(node, cell)} keys = [...], from public knowledge",
            )
        if isinstance(cell, RawColumn):
            check_keys(self.rows.relation, node, cell.name, keys)
        if isinstance(cell, RawColumn) and only is not None:
            relation = self.rows.relation
            cell = relation.text(cell.name) if isinstance(keys[0], str) else Entry(cell.name)
        column = self._column(cell, only)
        truth = self.rows.relation.means_truth(cell)
        return Wanted(statistics.Mode(column, categories=list(keys)), truth=truth)

    def keyed(self, node: Tree, name: str | None = None) -> tuple[Cell, Any]:
        """A value and its keys: what may be text or a number is what the keys are."""
        self.rows.relation.refuse_text(node)
        cell = self.rows.value(node)
        keys = self._keys(node, cell, name)
        if keys is not None and all(isinstance(key, str) for key in keys):
            cell = self.rows.counted(node)
        return cell, keys

    def _keys(self, node: Tree, cell: Cell, name: str | None) -> Any:
        """The keys of a column: declared, or all that a CASE can give."""
        if isinstance(cell, RawColumn):
            typed = self.rows.relation.is_typed_truth(cell)
            return self.schema.facts(cell.name).keys or ((False, True) if typed else None)
        for title in (name, node.name if type(node).__name__ == "Column" else None):
            if title is None or self._of_table(title):
                continue
            facts = self.schema.facts(title)
            if facts.dates is not None and isinstance(cell, Timed):
                return cell.clock.numbers(facts.dates)
            if facts.keys is not None:
                return facts.keys
        if isinstance(cell, Timed):
            return cell.keys
        return results(cell, self.schema.facts) or bands(cell, self.schema.facts)


def _where(value: Value, condition: Truth) -> Value:
    """A value in the rows for which a condition is true, else missing."""
    if is_text(value):
        return TextChoice(((condition, value),), Text(None))
    if isinstance(value, Entry):  # a column by itself is read whole
        value = Whole(value.column)
    return Choice(((condition, value),), NOTHING)
