"""Persons inside an engine: which rows are used, as a function of each person's own rows.

The rows of a person are put in the order of a hash of all their entries that can be read, ties by
the entries themselves, and the first ``max_rows`` are used; so are the first ``max_groups`` groups
by a hash of person and key. Rows that tie in everything are interchangeable. What is kept of a
person is thus a function of what that person's rows contain, which is all that privacy asks of it
(``docs/proofs/persons.md``); the hash only sees to it that no kind of row is preferred, and may be
any. It gives the same rows in every query, so nothing has to be stored in the engine. An engine
that works in this process finds them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.engines.conditions import Entry
from leastnoise.frames.engines.engine import Engine, Lazy
from leastnoise.frames.engines.summarise import Selected
from leastnoise.frames.memory.entries import PersonEntries
from leastnoise.frames.memory.persons import HeldTotals
from leastnoise.frames.table import MEAN, TOTAL, PersonTotals, Squares, Table
from leastnoise.summaries.spec import MomentRequest, SpreadRequest
from leastnoise.summaries.subset import Unit

PERSON = "person"


def limited_persons(
    engine: Engine, frame: Lazy, unit: Unit, keys: Sequence[str], entries: Sequence[str]
) -> Lazy:
    """The rows that are used. ``frame`` names each row's person, never NULL, in a column "person".

    ``keys`` are columns that tell groups apart; ``entries`` all columns that statistics can read:
    of others an engine may not know a hash or an order (intervals and variants in Spark).
    """
    if unit.max_groups is not None and keys:
        pairs = frame.select(PERSON, *keys).unique()
        few = _first(engine, pairs, unit.max_groups, [PERSON, *keys], keys)
        frame = frame.join(few.select(PERSON, *keys), on=[PERSON, *keys], how="inner")
    found = _first(engine, frame, unit.max_rows, [PERSON, *entries], entries)
    return _held(engine, found) if engine.in_process else found


def _held(engine: Engine, frame: Lazy) -> Lazy:
    """Rows that many queries would find anew, in this process: they stood there to be ordered.

    Lists, bytes and objects, which no statistic reads, are left out.
    """
    columns = frame.collect_schema().items()
    unread = (nw.Object, nw.Binary)
    names = [n for n, dtype in columns if not (dtype.is_nested() or isinstance(dtype, unread))]
    return engine.renamed(engine.collect(frame.select(*names)).lazy(), names)


def row_sizes(engine: Engine, frame: Lazy) -> dict[int, int]:
    """How many persons of a frame have each number of rows.

    One query: few numbers come back, since persons with k different numbers have k^2/2 rows.
    """
    rows = frame.group_by(PERSON).agg(rows=nw.len().cast(nw.Int64))
    found = engine.collect(engine.tallied(rows.select("rows"), ["rows"], {}))
    sizes: list[int] = found.get_column("rows").to_list()
    persons: list[int] = found.get_column("n").to_list()
    return dict(zip(sizes, persons, strict=True))


@dataclass(frozen=True, slots=True, repr=False)
class LazyTotals(PersonTotals):
    """NOT PRIVATE. The same by queries, for more persons than are held."""

    engine: Engine
    frame: Lazy
    step: float
    whole: bool

    def count(self) -> int:
        """How many values there are."""
        found = self.engine.collect(self.frame.select(nw.col("rows").sum()))
        return int(found.get_column("rows").to_list()[0] or 0)

    def about(self, centre: int = 0) -> Table:
        """A table of the sum and the mean of each person's distances from a lattice point."""
        from leastnoise.frames.engines.table import LazyTable  # which is made of queries

        rows = nw.col("rows").cast(nw.Float64)
        points = nw.col("points") - float(centre) * rows
        total = points.cast(nw.Int64) if self.whole else points * self.step
        found = self.frame.select(**{TOTAL: total, MEAN: points * self.step / rows})
        return LazyTable(found, self.engine)


def person_totals(
    engine: Engine,
    frame: Lazy,
    column: str,
    request: MomentRequest | SpreadRequest,
    squares: Squares | None,
    *,
    whole: bool,
    few: bool,
) -> PersonTotals:
    """What the values of each person of a frame add up to, exactly; by one query where few rows."""
    lattice = request.lattice
    selected = Selected.of(engine, frame, column, lattice, request.missing, 0, [PERSON])
    point, step = selected.points(), float(lattice.step)
    if squares is not None:
        away, step = point - float(squares.centre), float(squares.step)
        point = (away * away * squares.scale).floor().clip(upper_bound=float(squares.most))
    points = selected.frame.with_columns(points=point).group_by(PERSON)
    totals = points.agg(nw.col("points").sum(), rows=nw.len().cast(nw.Int64))
    totals = totals.select("points", "rows")
    if not few:
        return LazyTotals(engine, totals, step, whole)
    held = engine.collect(totals)
    sums, rows = (held.get_column(name).to_numpy() for name in ("points", "rows"))
    return HeldTotals(sums.astype(np.float64), rows.astype(np.int64), step, whole)


def person_entries(engine: Engine, frame: Lazy, owner: Entry, entry: Entry) -> PersonEntries:
    """Each person of a frame with each of their entries, by one query."""
    pairs = frame.filter(owner.there, entry.there).select(p=_apart(owner), v=_apart(entry)).unique()
    held = engine.collect(pairs)
    return PersonEntries.of(*(_numbered(held.get_column(name)) for name in "pv"))


def _apart(entry: Entry) -> nw.Expr:
    """The digits of wide numbers, which no engine hands over alike."""
    return entry.value.cast(nw.String) if entry.wide else entry.value


def _numbered(series: nw.Series[Any]) -> NDArray[np.int64]:
    """Numbers that are equal where entries are, by bytes where these are text."""
    if series.dtype.is_numeric():
        return np.unique(series.to_numpy(), return_inverse=True)[1]
    text = isinstance(series.dtype, nw.String)
    values: list[Any] = (series.cast(nw.Binary()) if text else series).to_list()
    places = dict[Any, int]()
    return np.array([places.setdefault(value, len(places)) for value in values], np.int64)


def _first(
    engine: Engine, frame: Lazy, most: int, hashed: Sequence[str], order: Sequence[str]
) -> Lazy:
    """The first ``most`` rows of every person, by a hash and then by the entries themselves."""
    marked = engine.hashed(frame, hashed).with_columns(one=nw.lit(1))
    used = nw.col("place") <= most
    if not engine.in_process:
        return _placed(marked, order).filter(used).drop("hash", "one", "place")
    # to count rows costs far less than to put them in order, which few persons need
    counted = marked.with_columns(rows=nw.len().over(PERSON))
    few = counted.filter(nw.col("rows") <= most).drop("hash", "one", "rows")
    many = _placed(counted.filter(nw.col("rows") > most), order).filter(used)
    both = nw.concat([few, many.drop("hash", "one", "rows", "place")])
    # a source that gave the two other rows gives nobody more for it
    return both.filter(nw.len().over(PERSON) <= most)


def _placed(marked: Lazy, order: Sequence[str]) -> Lazy:
    """With the place of each row among those of its person, by a hash and then by the entries."""
    place = nw.col("one").cum_sum().over(PERSON, order_by=["hash", *order])
    return marked.with_columns(place=place)
