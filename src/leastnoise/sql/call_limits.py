"""``contribution_bounds_per_row => (low, high)``: the limits that a query gives in a call."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.errors import LeastNoiseError
from leastnoise.sql.formats import read_text
from leastnoise.sql.kinds import told_clock
from leastnoise.sql.moments import is_text
from leastnoise.sql.refusals import called
from leastnoise.sql.relations import Cell, RawColumn
from leastnoise.sql.schema import ColumnFacts, parse_limits
from leastnoise.sql.times import constant_time
from leastnoise.summaries.columns import Clock, Time, clock_of

if TYPE_CHECKING:
    from leastnoise.sql.rows import RowCompiler
    from leastnoise.sql.text import Tree

_NAME = "contribution_bounds_per_row"
TIMES = {
    Clock.DAY: "(DATE '2020-01-01', DATE '2024-12-31')",
    Clock.LOCAL: "(TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2024-12-31 23:59:59')",
    Clock.INSTANT: "(TIMESTAMP '2020-01-01 00:00:00+00:00', TIMESTAMP '2024-12-31 23:59:59+00:00')",
    Clock.SPAN: "(INTERVAL 0 HOUR, INTERVAL 8 HOUR)",
}
"""How limits of times are written."""


def limits_of(
    rows: RowCompiler, call: Tree, of: Tree, given: Tree, place: int | None
) -> ColumnFacts:
    """Two constant numbers, or two dates or times of a column of these; ``place`` is one of two.

    Raises
    ------
    QueryError
        If they are of another kind than what they limit, or the lower one is not first.
    """
    pair = given if place is None else _one_of_two(rows, call, given, place)
    ends = [one for one in pair.expressions if type(one).__name__ != "Tuple"]
    times = [time for one in ends if (time := _time(rows, of, one)) is not None]
    if len(times) == len(ends) == len(pair.expressions) == 2:
        return ColumnFacts(times=_times(rows, of, pair, times))
    clock = rows.relation.clock(rows.value(of))
    if times and clock is None:
        clock = clock_of(times[0])
    if clock is not None:
        rows.query.refuse(
            pair,
            f"{rows.query.written(of)} holds {told_clock(clock)}, and so do its limits: write "
            f"{TIMES[clock]}",
        )
    values = [getattr(rows.value(end), "value", None) for end in ends]
    if len(values) != 2 or len(pair.expressions) != 2 or not all(map(_is_number, values)):
        rows.query.refuse(
            pair, f"{_NAME} takes two constant numbers from public knowledge: write (0, 100)"
        )
    try:
        return ColumnFacts(bounds=parse_limits(values))
    except LeastNoiseError as error:
        rows.query.refuse(pair, f"{_NAME} {error}")


def _one_of_two(rows: RowCompiler, call: Tree, given: Tree, place: int) -> Tree:
    pairs = [*given.expressions]
    if [type(pair).__name__ for pair in pairs] != ["Tuple", "Tuple"]:
        rows.query.refuse(
            given,
            f"{_NAME} of {called(call)} takes two numbers for each of its two columns: write "
            "((0, 100), (0, 50))",
        )
    return pairs[place]


def _time(rows: RowCompiler, of: Tree, end: Tree) -> Time | None:
    """An end that is a time; a text may be one of a column of which nothing is known, too."""
    found = constant_time(rows, of, end)
    return read_text(str(end.this)) if found is None and is_text(end) else found


def _times(rows: RowCompiler, of: Tree, pair: Tree, times: list[Time]) -> tuple[Time, Time]:
    query, cell, (low, high) = rows.query, rows.value(of), times
    if not _may_be_times(rows, cell):
        query.refuse(pair, f"{query.written(of)} is no column of dates or times: write (0, 100)")
    clock, held = clock_of(low), rows.relation.clock(cell)
    days = (Clock.DAY, Clock.LOCAL)  # of times a limit may be a day
    if held is not None and clock is not held and not (clock in days and held in days):
        query.refuse(
            pair,
            f"{query.written(of)} holds {told_clock(held)}, and so do its limits: write "
            f"{TIMES[held]}",
        )
    if clock is None or clock is not clock_of(high):
        query.refuse(pair, f"{_NAME} takes two dates, or two times: write {TIMES[Clock.DAY]}")
    first, last = clock.numbers(times)
    if not first < last:
        low, high = (query.written(one) for one in pair.expressions)
        query.refuse(pair, f"{_NAME} has the earlier end first: write ({high}, {low})")
    return low, high


def _may_be_times(rows: RowCompiler, cell: Cell) -> bool:
    """Whether a column holds dates or times, or nothing says what it holds."""
    known = rows.relation.clock(cell) is not None
    return known or (isinstance(cell, RawColumn) and rows.relation.is_unknown(cell))


def _is_number(value: object) -> bool:
    return isinstance(value, Fraction)
