"""From a column to the counts of its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.frames.memory.columns import gone
from leastnoise.frames.memory.conditions import reads_as_text
from leastnoise.frames.memory.persons import person_codes
from leastnoise.summaries.keys import KeySummary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leastnoise.frames.table import Table
    from leastnoise.summaries.keys import KeyRequest


def key_counts(table: Table, request: KeyRequest) -> KeySummary:
    """NOT PRIVATE. Count the rows of each entry, or its different persons; never raises on values.

    An entry that is missing, or an infinite number, is no key.
    """
    codes, names = _entries(table, request.column)
    there = codes >= 0
    if request.person is not None:
        persons = person_codes(table, request.person)
        there &= persons >= 0
        pairs = np.unique(persons[there] * max(1, len(names)) + codes[there])
        found = pairs % max(1, len(names))
    else:
        found = codes[there]
    counts = np.bincount(found, minlength=len(names)).tolist()
    return KeySummary({name: n for name, n in zip(names, counts, strict=True) if n})


def _entries(table: Table, name: str | None) -> tuple[NDArray[np.int64], list[Any]]:
    if reads_as_text(table, name):
        return table.text_values(name)
    column = table.column(name)
    values, usable = column.values, ~gone(column)
    if values.dtype.kind == "f":
        usable &= np.isfinite(values)
    numbers, places = np.unique(values[usable], return_inverse=True)
    codes = np.full(len(values), -1, np.int64)
    codes[usable] = places
    plain = float if values.dtype.kind == "f" else int
    return codes, [plain(number) for number in numbers.tolist()]
