"""Persons: which rows belong together, and which of them are used.

Which rows of a person are kept depends on that person's own rows and on random bits that are drawn
for them alone, never on the place of a row in the file or on anybody else's rows. That is what the
guarantee for persons needs (``docs/proofs/persons.md``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.frames.memory.conditions import reads_as_text
from leastnoise.frames.memory.selection import sorted_parts
from leastnoise.frames.memory.summarise import gone, present

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leastnoise.frames.table import Table
    from leastnoise.randomness import BitSource
    from leastnoise.summaries.spec import MomentRequest
    from leastnoise.summaries.subset import Unit

    Codes = NDArray[np.int64]

NOBODY = -1
# Random words that are drawn at once: a whole block of the source.
_CHUNK = 1 << 9


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
    there = ~gone(read)
    codes = np.full(len(there), NOBODY, np.int64)
    codes[there] = np.unique(read.values[there], return_inverse=True)[1]
    return codes


def person_totals(
    table: Table, request: MomentRequest, column: str, *, whole: bool
) -> NDArray[Any]:
    """NOT PRIVATE. The sum of the values of each person, in arbitrary order.

    Lattice integers are added that a double holds with all their sums, so the total of a person is
    exact, and a function of that person's rows alone.
    """
    codes, read = person_codes(table, column), table.column(request.column)
    absent, policy, lattice = gone(read), request.missing, request.lattice
    points = np.zeros(len(codes))
    points[~absent] = lattice.quantise(read.values[~absent])
    points[absent] = 0 if policy.impute is None else policy.impute
    used = codes != NOBODY
    if policy.impute is None:
        used &= ~absent
    persons = np.unique(codes[used], return_inverse=True)[1]
    totals = np.bincount(persons, points[used])
    return totals.astype(np.int64) if whole else totals * float(lattice.step)


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
    kept = np.ones(len(owners), np.bool_)
    sizes = np.bincount(owners) if len(owners) else np.zeros(1, np.int64)
    many = np.flatnonzero(sizes[owners] > most)
    if not len(many):
        return kept
    owner = owners[many]
    numbers = random_numbers(len(many), source)
    order = np.lexsort((numbers, owner))
    while _tied(owner[order], numbers[order]):  # once in 2^64 / pairs: draw all anew
        numbers = random_numbers(len(many), source)
        order = np.lexsort((numbers, owner))
    sorted_owner = owner[order]
    first = np.searchsorted(sorted_owner, sorted_owner)  # where each owner's entries begin
    place = np.arange(len(many)) - first
    kept[many[order]] = place < most
    return kept


def random_numbers(count: int, source: BitSource) -> NDArray[np.uint64]:
    """Independent uniform numbers of 64 bits."""
    words = [
        source.bits(64 * size).to_bytes(8 * size, "little")
        for size in (min(_CHUNK, count - done) for done in range(0, count, _CHUNK))
    ]
    return np.frombuffer(b"".join(words), np.uint64)


def _tied(owner: Codes, numbers: NDArray[np.uint64]) -> bool:
    return bool(np.any((owner[1:] == owner[:-1]) & (numbers[1:] == numbers[:-1])))
