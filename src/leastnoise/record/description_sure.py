"""How sure the facts of a description are: functions of released values and public parameters."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log
from typing import Any

from leastnoise.record.description import ColumnDescription, Description
from leastnoise.record.release import Release

FORMS = (
    "whole numbers",
    "decimal numbers",
    "dates",
    "times",
    "times with a zone",
    "numbers with a decimal comma",
    "numbers with thousands separators",
    "numbers with a sign or a unit",
    "dates in another form",
    "other text",
)
"""What entries of a column of no declared type may be, in the order of their counts."""
# Binary digits of how many answers quartiles are drawn among (``session/search/graded.py``).
_ANSWERS = 36


def whole(record: Release) -> int:
    """A count."""
    value: Any = record.value
    return int(value)


def listed(record: Release) -> list[Any]:
    """Several values."""
    value: Any = record.value
    return list(value)


def reach_of_count(record: Release) -> int | None:
    """How far the noise of a count reaches in 95 % of descriptions; None if that is not public."""
    scale = record.noise_scale
    return None if scale is None else ceil(log(20) * scale)


def reach_of_cells(record: Release) -> int:
    """How far that of each of several counts reaches."""
    share = record.parts.get("each cell")
    return 0 if share is None else ceil(log(20) / Fraction(share))


def entries_there(column: ColumnDescription, rows: float | None) -> float | None:
    """About how many entries a column has, by released counts."""
    missing = whole(column.facts["missing"]) if "missing" in column.facts else 0
    return None if rows is None else max(0.0, rows - missing)


def rows_of(description: Description) -> float | None:
    """About how many rows there are; None if that was not asked."""
    record = description.table.get("rows")
    return None if record is None else float(whole(record))


def rows_of_rank(record: Release) -> int:
    """Within how many rows of their ranks quartiles are as a rule, however far numbers may reach.

    An answer that is t ranks off has a chance of exp(-e t / 2) over that of the quartile, times
    how many answers there are; one in sixty of each, for three quartiles.
    """
    levels = [Fraction(part) for part in record.parts.values()]
    least = min(levels) / (1 if len(levels) == 1 or record.relation == "add-remove" else 2)
    return ceil(2 * (_ANSWERS * log(2) + log(60)) / float(least)) if least else 0


def may_be_far_off(column: ColumnDescription, rows: float | None) -> bool:
    """Whether quartiles may be anywhere: a quarter of the entries is within their noise."""
    record, there = column.facts.get("quartiles"), entries_there(column, rows)
    return record is not None and there is not None and 4 * rows_of_rank(record) >= there


def not_known(column: ColumnDescription, rows: float | None) -> bool:
    """Whether quartiles and what follows are most likely noise: it spans 2.5 times all entries."""
    record, there = column.facts.get("quartiles"), entries_there(column, rows)
    return record is not None and there is not None and 2 * rows_of_rank(record) >= 5 * there


def mostly_one(column: ColumnDescription) -> Any:
    """The number that most entries seem to be, by released quartiles; None if there is none.

    Limits and a mean then tell little of the few others, however far these reach.
    """
    record = column.facts.get("quartiles")
    if record is None or "mean" not in column.facts:
        return None
    first, _, last = listed(record)
    return first if first == last else None


def noisy(column: ColumnDescription, rows: float | None) -> bool:
    """Whether the noise of a count is a quarter of the rows."""
    record = column.facts.get("missing")
    reach = None if record is None else reach_of_count(record)
    return rows is not None and reach is not None and 4 * reach >= rows
