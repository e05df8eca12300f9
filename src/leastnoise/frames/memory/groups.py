"""From a described subset to the tables of its groups, for tables in memory.

All groups are split off at once: one pass for the filter and one for the keys; each column is then
read once, whatever the number of groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import SchemaError
from leastnoise.frames.memory.conditions import check_condition, kept_rows, reads_as_text
from leastnoise.frames.memory.kept import KeptColumns
from leastnoise.frames.memory.labels import NO_LABEL, equal_codes, key_type
from leastnoise.frames.memory.parts import Parts
from leastnoise.frames.memory.persons import NOBODY, kept_of_persons, person_codes
from leastnoise.frames.table import NO_FILES, Table
from leastnoise.randomness import BitSource
from leastnoise.summaries.subset import GroupKeys, Subset


def check_subset(table: Table, subset: Subset) -> None:
    """Check filter, keys and persons against the schema; no value is read.

    Raises
    ------
    SchemaError
        If a column does not exist, or the data has no column names.
    ColumnTypeError
        If a column holds neither text nor numbers, or not what it is compared with.
    """
    if not subset.by_content:
        return
    if table.column_names() is None:
        raise SchemaError(
            "filters, groups and persons need named columns, and this data is one column without a "
            f"name; give a table, for example {{'age': ages, 'pay': pays}}. {NO_FILES}"
        )
    if subset.where is not None:
        check_condition(table, subset.where)
    if subset.keys is not None:
        for column, values in zip(subset.keys.columns, subset.keys.values, strict=True):
            key_type(table, column, values)
    if subset.unit is not None:
        reads_as_text(table, subset.unit.column)


def persons_beyond(
    table: Table, subset: Subset, limits: Sequence[int], *, in_groups: bool
) -> list[int]:
    """NOT PRIVATE. How many persons of a subset have more rows, or groups, than some limits."""
    if subset.unit is None:
        raise TypeError("rows are counted of persons")
    rows, groups = _selected(table, subset)
    persons = person_codes(table, subset.unit.column)
    persons = persons if rows is None else persons[rows]
    known = persons != NOBODY
    persons = persons[known]
    if in_groups:
        persons = (
            np.unique(persons.astype(np.int64) * subset.groups + groups[known]) // subset.groups
        )
    sizes = np.sort(np.bincount(persons))
    return (len(sizes) - np.searchsorted(sizes, limits, side="right")).tolist()


def split_rows(table: Table, subset: Subset, source: BitSource) -> Sequence[Table]:
    """NOT PRIVATE. The same for a table whose columns are read into this process."""
    rows, groups = _selected(table, subset)
    if subset.unit is not None:
        persons = person_codes(table, subset.unit.column)
        persons = persons if rows is None else persons[rows]
        used = kept_of_persons(persons, groups, subset.unit, source)
        groups = groups[used]
        rows = np.flatnonzero(used) if rows is None else rows[used]
    if subset.keys is not None:
        table = KeptColumns(table)  # which are put in more than one order
    return Parts(table, rows, groups, subset.groups)


def _selected(table: Table, subset: Subset) -> tuple[NDArray[np.intp] | None, NDArray[Any]]:
    """NOT PRIVATE. The rows that a filter keeps and that are in a group, and their groups.

    None where these are all rows.
    """
    kept = None if subset.where is None else kept_rows(table, subset.where)
    if subset.keys is None:
        groups = np.zeros(table.row_count(), np.int64)
    else:
        groups = group_codes(table, subset.keys)
        if subset.keys.other:
            groups = np.where(groups < 0, subset.keys.listed, groups)
        else:
            declared = groups >= 0
            kept = declared if kept is None else kept & declared
    if kept is None or kept.all():
        return None, groups
    rows = np.flatnonzero(kept)
    return rows, groups[rows]


def group_codes(table: Table, keys: GroupKeys) -> NDArray[np.int64]:
    """NOT PRIVATE. Each row's group; negative where an entry is missing or undeclared."""
    codes: Any = None
    for column, values in zip(keys.columns, keys.values, strict=True):
        found = equal_codes(table, column, values)
        if codes is None:
            codes = found
        else:
            codes = np.where((codes >= 0) & (found >= 0), codes * len(values) + found, NO_LABEL)
    return codes
