"""Persons: which rows belong together, and which of them are used.

Which rows of a person are kept depends on that person's own rows and on random bits that are drawn
for them alone, never on the place of a row in the file or on anybody else's rows. That is what the
guarantee for persons needs (``docs/proofs/persons.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.conditions import reads_as_text
from leastnoise.frames.memory.selection import sorted_parts
from leastnoise.frames.memory.summarise import missing_at, present
from leastnoise.frames.table import MEAN, TOTAL, PersonTotals, Squares, Table
from leastnoise.randomness import BLOCK_WORDS, BitSource, Words
from leastnoise.summaries.spec import MomentRequest, SpreadRequest
from leastnoise.summaries.subset import Unit

Codes = NDArray[np.int64]
Numbers = NDArray[np.uint64]

NOBODY = -1
# Integers are persons' numbers as they are if they lie in so many times as many.
_SPAN = 4


def distinct_count(table: Table, column: str | None) -> int:
    """NOT PRIVATE. How many different entries a column has; missing ones do not count."""
    if _by_text(table, column):
        return int(np.count_nonzero(np.bincount(_text_codes(table, column) + 1)[1:]))
    found = 0
    for piece in sorted_parts(present(table.column(column))):
        ends = piece.values[:1] if piece.constant else piece.values
        found += bool(len(ends)) + int(np.count_nonzero(ends[1:] != ends[:-1]))
    return found


def _by_text(table: Table, column: str | None) -> bool:
    return reads_as_text(table, column) or table.column_type(column).wide


def _text_codes(table: Table, column: str | None) -> Codes:
    return np.maximum(table.text_ids(column), NOBODY)


def person_codes(table: Table, column: str | None) -> Codes:
    """NOT PRIVATE. A number for each row's person, in arbitrary order; -1 for nobody.

    Persons are compared as text where the column may hold text, else as numbers; decimals and
    128-bit integers by their digits, because two persons might be equal as 64-bit numbers.
    """
    if _by_text(table, column):
        return _text_codes(table, column)
    read = table.column(column)
    absent = missing_at(read)
    if not absent.any():
        return _numbered(read.values)
    codes = np.full(len(absent), NOBODY, np.int64)
    codes[~absent] = _numbered(read.values[~absent])
    return codes


def _numbered(values: NDArray[Any]) -> Codes:
    """Numbers from 0 on that are equal where values are, few more than there are values."""
    if len(values) and values.dtype.kind in "iu":
        first = int(values.min())
        if int(values.max()) - first < _SPAN * len(values):
            # differences are right modulo 2**64
            return values.astype(np.int64) - np.uint64(first % 2**64).astype(np.int64)
    return np.unique(values, return_inverse=True)[1]


@dataclass(frozen=True, slots=True, repr=False)
class HeldTotals(PersonTotals):
    """NOT PRIVATE. Sums of lattice points, as exact doubles, and how many values they are of.

    A sum is a function of that person's rows alone.
    """

    points: NDArray[np.float64]
    rows: NDArray[np.int64]
    step: float
    whole: bool

    def count(self) -> int:
        """How many values there are."""
        return int(self.rows.sum())

    def about(self, centre: int = 0) -> Table:
        """A table of the sum and the mean of each person's distances from a lattice point."""
        from leastnoise.frames.memory.table import NamedTable, array_table

        points = self.points - float(centre) * self.rows
        totals = points.astype(np.int64) if self.whole else points * self.step
        means = points * self.step / self.rows
        return NamedTable.of({TOTAL: array_table(totals), MEAN: array_table(means)})


def person_totals(
    table: Table,
    request: MomentRequest | SpreadRequest,
    column: str,
    *,
    whole: bool,
    squares: Squares | None = None,
) -> HeldTotals:
    """NOT PRIVATE. What the values of each person, or their squares, add up to."""
    codes, read = person_codes(table, column), table.column(request.column)
    absent, policy, lattice = missing_at(read), request.missing, request.lattice
    points = np.zeros(len(codes))
    points[~absent] = lattice.quantise(read.values[~absent])
    points[absent] = 0 if policy.impute is None else policy.impute
    step = float(lattice.step)
    if squares is not None:
        away, step = points - float(squares.centre), float(squares.step)
        points = np.minimum(np.floor(away * away * squares.scale), float(squares.most))
    used = codes != NOBODY
    if policy.impute is None:
        used &= ~absent
    codes, points = codes[used], points[used]
    if len(codes) and int(codes.max()) >= _SPAN * len(codes):
        codes = np.unique(codes, return_inverse=True)[1]
    rows = np.bincount(codes)
    persons = rows > 0
    sums = np.bincount(codes, points)[persons].astype(np.float64, copy=False)
    return HeldTotals(sums, rows[persons], step, whole)


def kept_of_persons(persons: Codes, groups: Codes, unit: Unit, source: BitSource) -> NDArray[Any]:
    """NOT PRIVATE. The rows that are used: those of a person, within the limits on groups and rows.

    First ``max_groups`` of the groups that a person has rows in are drawn, then ``max_rows`` of the
    rows in them, each choice uniform and independent of all others.
    """
    kept = persons != NOBODY
    if unit.max_groups is not None:
        many = int(groups.max(initial=0)) + 1
        cells, cell_of = np.unique(persons[kept] * many + groups[kept], return_inverse=True)
        few = chosen(cells // many, unit.max_groups, source)
        kept[kept] = few[cell_of]
    kept[kept] = chosen(persons[kept], unit.max_rows, source)
    return kept


def chosen(owners: Codes, most: int, source: BitSource) -> NDArray[np.bool_]:
    """NOT PRIVATE. At most ``most`` entries of each owner, drawn without replacement.

    Every entry gets a random number of its own, and the smallest of each owner win.
    """
    many = (np.bincount(owners) > most)[owners] if len(owners) else np.zeros(0, np.bool_)
    kept, owner, wins = ~many, owners[many], None
    if not len(owner):
        return kept
    while wins is None:
        numbers = random_numbers(len(owner), source)
        wins = _roughly_least(owner, numbers, most)
        if wins is None:
            wins = _least(owner, numbers, most)
    kept[many] = wins
    return kept


def _roughly_least(owner: Codes, numbers: Numbers, most: int) -> NDArray[np.bool_] | None:
    """``_least`` by the first bits of the numbers; None where two of them are not told apart."""
    width = int(owner.max()).bit_length()
    words = owner.view(np.uint64) << np.uint64(64 - width)
    words |= numbers >> np.uint64(width)
    ordered = np.sort(words)
    if np.any(ordered[1:] == ordered[:-1]):
        return None
    sizes = np.bincount(owner)
    last = np.cumsum(sizes) - sizes + (most - 1)  # of every owner with entries, who has more
    return words <= ordered[np.where(sizes, last, 0)][owner]


def _least(owner: Codes, numbers: Numbers, most: int) -> NDArray[np.bool_] | None:
    """Which entries have one of the ``most`` least numbers of their owner; None if two tie."""
    order = np.lexsort((numbers, owner))
    if _tied(owner[order], numbers[order]):  # once in 2^64 / pairs
        return None
    sorted_owner = owner[order]
    first = np.searchsorted(sorted_owner, sorted_owner)  # where each owner's entries begin
    wins = np.zeros(len(order), np.bool_)
    wins[order] = np.arange(len(order)) - first < most
    return wins


def random_numbers(count: int, source: BitSource) -> NDArray[np.uint64]:
    """Independent uniform numbers of 64 bits."""
    whole, rest = divmod(count, BLOCK_WORDS)
    if isinstance(source, Words):
        found = [source.blocks(whole)]
    else:
        chunk = 64 * BLOCK_WORDS
        found = [source.bits(chunk).to_bytes(chunk // 8, "little") for _ in range(whole)]
    if rest:
        found.append(source.bits(64 * rest).to_bytes(8 * rest, "little"))
    return np.frombuffer(b"".join(found), np.dtype("<u8"))


def _tied(owner: Codes, numbers: NDArray[np.uint64]) -> bool:
    return bool(np.any((owner[1:] == owner[:-1]) & (numbers[1:] == numbers[:-1])))
