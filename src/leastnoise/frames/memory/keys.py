"""From a column to the counts of its entries, and to the persons who have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.conditions import reads_as_text
from leastnoise.frames.memory.persons import person_codes
from leastnoise.frames.memory.summarise import missing_at
from leastnoise.frames.table import Table
from leastnoise.summaries.keys import HolderRequest, HolderSummary, KeyRequest, KeySummary


def key_counts(table: Table, request: KeyRequest) -> KeySummary:
    """NOT PRIVATE. Count the rows of each entry, or its different persons; never raises on values.

    A missing entry or an infinite number is not a key.
    """
    codes, names = _entries(table, request.column)
    there = codes >= 0
    if request.person is not None:
        found = _pairs(codes, person_codes(table, request.person), len(names))[1]
    else:
        found = codes[there]
    counts = np.bincount(found, minlength=len(names)).tolist()
    return KeySummary({name: n for name, n in zip(names, counts, strict=True) if n})


def key_holders(table: Table, request: HolderRequest) -> HolderSummary:
    """NOT PRIVATE. Count the persons of each entry by how many entries they have."""
    codes, names = _entries(table, request.column)
    shown = set(request.shown)
    open_ = np.array([name not in shown for name in names], np.bool_)
    codes = np.where(codes >= 0, codes, len(names))
    codes = np.where(np.append(open_, False)[codes], codes, -1)  # a value
    owners, keys = _pairs(codes, person_codes(table, request.person), len(names))
    sizes = np.bincount(owners)[owners] if len(owners) else owners
    most = int(sizes.max(initial=0)) + 1
    cells, counts = np.unique(keys * most + sizes, return_counts=True)
    found: dict[Any, dict[int, int]] = {}
    for cell, n in zip(cells.tolist(), counts.tolist(), strict=True):
        found.setdefault(names[cell // most], {})[cell % most] = n
    return HolderSummary(found)


def _pairs(
    codes: NDArray[np.int64], persons: NDArray[np.int64], names: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each person with each of their entries once: two arrays of numbers."""
    there, many = (codes >= 0) & (persons >= 0), max(1, names)
    pairs = np.unique(persons[there] * many + codes[there])
    return pairs // many, pairs % many


def _entries(table: Table, name: str | None) -> tuple[NDArray[np.int64], list[Any]]:
    if reads_as_text(table, name):
        return table.text_values(name)
    column = table.column(name)
    values, usable = column.values, ~missing_at(column)
    if values.dtype.kind == "f":
        usable &= np.isfinite(values)
    numbers, places = np.unique(values[usable], return_inverse=True)
    codes = np.full(len(values), -1, np.int64)
    codes[usable] = places
    plain = float if values.dtype.kind == "f" else int
    return codes, [plain(number) for number in numbers.tolist()]
