"""NOT PRIVATE. A row of any label whose numbers are the sums of those of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.readers.values import Dialect

_MOST_ROWS, _LONGEST = 2000, 60  # rows that are looked at, and those of a block
_COLUMNS = 3  # that agree, where none has digits enough
_BY_CHANCE = 1e-4  # how many such rows there may be by chance
_DIGITS, _WHOLE = 4, 1e14  # behind the point; of a sum in units of the last of these
_FEW = 3  # numbers that each sum is of


def added_rows(
    entries: Mapping[str, Entries], numeric: Sequence[str], dialect: Dialect, told: set[int]
) -> tuple[int, int, list[str]] | None:
    """The first row that is the sum of all others, or of a block of rows beside it.

    Parameters
    ----------
    entries, numeric, dialect
        The entries of each column, those of numbers, and how they are written.
    told
        Rows that are totals by their words, and are left out.

    Returns
    -------
    tuple or None
        The row, how many it adds up, and the columns that agree.
    """
    count = max(map(len, entries.values()), default=0)
    rows = [i for i in range(count) if i not in told] if count <= _MOST_ROWS else []
    columns: dict[str, Any] = {}
    for name in numeric if len(rows) > _FEW else ():
        units = _in_units([entries[name][i] for i in rows], entries[name], dialect)
        if units is not None:
            columns[name] = units
    for place, first, last in _alike(columns, len(rows)):
        tries = len(rows) * (1 if last - first == len(rows) else 2 * _LONGEST)
        block = [i for i in range(first, last) if i != place]
        held = {name: x[block] for name, x in columns.items() if _is_sum(x, place, block)}
        chances = {
            name: min(1.0, (1 + 2 * abs(x.sum() - columns[name][place])) / columns[name][place])
            for name, x in held.items()
            if (x > 0).sum() >= _FEW
        }
        alone = min(chances.values(), default=1.0)
        if tries * alone > _BY_CHANCE and (
            len(chances) < _COLUMNS
            or np.linalg.matrix_rank(np.stack([held[x] for x in chances])) < _COLUMNS
            or tries * np.prod(sorted(chances.values())[:_COLUMNS]) > _BY_CHANCE
        ):
            continue
        return rows[place], len(block), [*chances]
    return None


def _in_units(texts: Sequence[str], column: Entries, dialect: Dialect) -> Any:
    """The numbers of a column in units of the last digit that is written; None where they are
    negative, too large, or all small.
    """
    known = column.numbers(dialect)
    numbers = np.array([known.get(text, 0.0) for text in texts])
    parts = [text.rpartition(dialect.decimal)[2] for text in texts if dialect.decimal in text]
    digits = max(map(len, parts), default=0)
    if digits > _DIGITS or not np.isfinite(numbers).all() or numbers.min() < 0:
        return None
    units = np.rint(numbers * 10**digits)
    return units if 0 < units.sum() < _WHOLE else None


def _is_sum(column: Any, place: int, block: Sequence[int]) -> bool:
    """Whether a number is that of a block, each of which may be rounded."""
    near = len(block) / 2
    return bool(column[place] > near and abs(column[block].sum() - column[place]) <= near)


def _alike(columns: Mapping[str, Any], count: int) -> Iterator[tuple[int, int, int]]:
    """Rows that may be sums, each with the rows of the block that it may be the sum of."""
    for column in columns.values():
        sums = np.concatenate([[0.0], np.cumsum(column)])
        near = (count - 1) / 2
        for place in np.flatnonzero(abs(sums[-1] - 2 * column) <= near).tolist():
            if column[place] > near:
                yield place, 0, count
        for length in range(_FEW, min(_LONGEST, count - 1) + 1):
            blocks = sums[length:] - sums[:-length]  # of the rows i to i + length - 1
            for first in np.flatnonzero(abs(blocks[:-1] - column[length:]) <= length / 2).tolist():
                yield first + length, first, first + length
            for first in np.flatnonzero(abs(blocks[1:] - column[:-length]) <= length / 2).tolist():
                yield first, first + 1, first + 1 + length
