"""A description: charged as one release, then drawn fact by fact, and kept as one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from leastnoise import randomness
from leastnoise.accounting.entries import Charge, Receipt
from leastnoise.errors import ParameterError, SchemaError
from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.table import BareTable, NamedTable
from leastnoise.frames.readers.open import is_graph
from leastnoise.guarantees import ApproxDP, Guarantee, PureDP, Scope
from leastnoise.params import parse_relation, parse_total
from leastnoise.production import releasing
from leastnoise.record import Release
from leastnoise.record.description import ColumnDescription, Description
from leastnoise.session.checking import Source
from leastnoise.session.describing.drawing import Drawing, Facts
from leastnoise.session.describing.outline import Outline, outline
from leastnoise.session.door import pay, tracked_by
from leastnoise.session.reuse import release_label
from leastnoise.summaries.columns import agreed
from leastnoise.summaries.predicates import counted
from leastnoise.summaries.subset import Subset

COLUMN = "column"
"""What the one column of a list or an array is called."""

Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """Report no progress."""


class Prepared:
    """A description that is checked as a whole; no value is read before ``release``.

    Parameters
    ----------
    source, subset
        The session's data, and the rows to describe.
    epsilon, delta, columns, weights, column_weights, labels
        As for ``View.describe``.
    """

    __slots__ = ("_drawing", "_label", "_source", "_where", "outline", "promise")

    def __init__(
        self,
        source: Source,
        subset: Subset,
        *,
        epsilon: object,
        delta: object = None,
        columns: object = None,
        weights: object = None,
        column_weights: object = None,
        labels: object = None,
    ) -> None:
        source.check_open()
        if is_graph(source.data):
            raise SchemaError("a graph has no columns to describe")
        relation = parse_relation("add-remove" if source.relation is None else source.relation)
        if relation == "edge":
            raise ParameterError("a table is described, not a graph: its relation is not 'edge'")
        total = parse_total(epsilon)
        options: dict[str, Any] = {
            "delta": delta,
            "columns": columns,
            "weights": weights,
            "column_weights": column_weights,
            "labels": labels,
        }
        subset = subset.limited()  # how many rows of a person are used is one of its facts
        with releasing():
            table = _named(open_table(source.data, **source.options))
            # one clock a column, for its filter and for its facts, on the table that is drawn from
            clocks = agreed(subset.clocks())
            self.outline: Outline = outline(table, subset, total, clocks, **options)
            for one in self.outline.columns:
                if one.clock is not None:
                    clocks[one.name] = one.clock
            for name in subset.presence_columns():
                own = None if name in clocks else table.own_clock(name)
                if own is not None:
                    clocks[name] = own
            table = table.clocked(clocks) if clocks else table
            where = None if subset.where is None else counted(subset.where)
            rows = replace(subset, where=where)
            self._drawing = Drawing(table, relation, rows, self.outline)
            self._drawing.rehearse()
        self._where = None if subset.where is None else str(subset.where)
        unit = "row" if subset.unit is None else subset.unit.column
        scope, share = Scope(relation, unit), self.outline.delta
        self.promise: Guarantee = (
            PureDP(total, scope) if share is None else ApproxDP(total, share, scope)
        )
        self._source = source
        self._label = None
        if source.ledger is not None:
            self._label = release_label(
                table=source.table,
                columns=source.schema,
                statistic="Description",
                epsilon=total,
                relation=relation,
                options=source.options,
                subset=subset,
                asked=options,
            )

    def release(
        self, *, purpose: str | None = None, reuse: bool = False, progress: Progress = no_progress
    ) -> Description:
        """Charge all of epsilon, then draw; with ``reuse`` an earlier one again at no charge."""
        source = self._source
        source.check_open(purpose, reuse=reuse)
        ledger = None if randomness.simulating() else source.ledger
        if ledger is not None and reuse and self._label is not None:
            stored = ledger.stored(self._label)
            if stored is not None:
                entry, kept = stored
                told = (
                    f"from cache: entry {entry} of the ledger of {ledger.dataset!r}, at no new "
                    "charge"
                )
                return Description.from_dict(kept).with_charge(told, from_cache=True)
        with releasing():
            self._drawing.table.check_reach()
            details: Mapping[str, Any] = {
                "statistic": "Description",
                "columns": len(self.outline.columns),
                "mechanism": "one share of epsilon a fact",
                "guarantee": self.promise.to_dict(),
            }
            return pay(
                ledger,
                [Charge((self.promise,), details, self._label)],
                lambda receipts: self._drawn(receipts, progress),
                lambda made: [made.to_dict()],
                table=source.table,
                purpose=purpose,
            )

    def _drawn(self, receipts: Any, progress: Progress) -> Description:
        of_table, columns, max_rows = self._drawing.draw(progress)
        outline = self.outline
        receipt: Receipt | None = receipts[0] if receipts else None

        def completed(facts: Mapping[str, Release], column: str | None = None) -> Facts:
            return {
                fact: replace(
                    record,
                    where=self._where,
                    split=_part(record, outline),
                    column=record.column if column is None else column,
                )
                for fact, record in facts.items()
            }

        made = Description(
            guarantee=self.promise,
            table=completed(of_table),
            columns=tuple(
                ColumnDescription(asked.shown, asked.kind, completed(facts, asked.shown))
                for asked, facts in zip(outline.columns, columns, strict=True)
            ),
            left_out=outline.left_out,
            max_rows=max_rows,
            secure=not randomness.simulating(),
        )
        if receipt is None:
            return made
        return made.with_charge(tracked_by(receipt), ledger=receipt.to_dict())


def _named(table: Table) -> Table:
    """A table whose columns have names; the one column of a list or an array is given one."""
    if table.column_names() is not None:
        return table
    if not isinstance(table, BareTable):
        raise SchemaError("this data has no column names: give a table, such as {'age': ages}")
    return NamedTable.of({COLUMN: table})


def _part(record: Release, outline: Outline) -> dict[str, str]:
    epsilon = record.guarantee.numbers()["epsilon"]
    return {"epsilon": str(outline.epsilon), "share": str(Fraction(epsilon) / outline.epsilon)}
