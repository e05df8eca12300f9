"""A plan or a schema for SQL from a description, with the limits and labels that were found.

Nothing of the data is in it but released values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from math import ceil, floor, isfinite, log10
from pathlib import Path
from textwrap import wrap
from typing import Any

from leastnoise.document import toml_text
from leastnoise.foreign import is_list_or_tuple
from leastnoise.record import ColumnDescription, Description
from leastnoise.record.description_sure import listed, mostly_one, not_known, rows_of

# The most labels of one column that are written.
_MOST = 50
_TRUTHS = "keys = [false, true]"
# How far from 0 and 1 the released limits and quartiles of zeros and ones may lie.
_NEAR = 0.1


def plan_of(
    description: Description,
    *,
    file: str | Path,
    reading: Mapping[str, Any] | None = None,
    beside: str | Path | None = None,
) -> str:
    """A plan file, as ``leastnoise.plans.load_plan`` reads it.

    Parameters
    ----------
    description
        What was released of the file.
    file, reading
        The data, and how it is read.
    beside
        Where the plan will stand, to which the data's path is relative. Default: as it is.
    """
    path = Path(file)
    if beside is not None and not path.is_absolute():
        path = Path(os.path.relpath(path, Path(beside).parent))
    scope, numbers = description.guarantee.scope, description.guarantee.numbers()
    lines = [
        "# Written from a private description: labels in it were released, and bounds are somewhat",
        "# wider than the limits that were, beyond which some rows lie.",
        "# Change epsilon, statistics and tables as you need them, then: leastnoise plan FILE",
        f"title = {toml_text(f'Tables of {path.name}')}",
        "",
        "[data]",
        f"file = {toml_text(path.as_posix())}",
        *(f"{name} = {_value(value)}" for name, value in (reading or {}).items()),
        "",
        "[privacy]",
        f"relation = {toml_text(scope.relation)}",
        f"total = {toml_text(str(numbers['epsilon']))}",
    ]
    if description.max_rows is not None:
        lines += [f"unit = {toml_text(scope.unit)}", f"max_rows = {description.max_rows}"]
    lines += _of_fewer(description)
    why = undeclared(description)
    if why is not None:
        lines += ["", *(f"# {line}" for line in wrap(why, 96))]
    lines += _whole(description) + _groups(description)
    return "\n".join(lines) + "\n"


def schema_of(description: Description, *, reading: Mapping[str, Any] | None = None) -> str:
    """A schema for queries, as ``leastnoise sql --schema`` reads it.

    Parameters
    ----------
    description
        What was released of the file.
    reading
        How the file is read.
    """
    scope = description.guarantee.scope
    lines = [
        "# Written from a private description: keys in it were released, and bounds are somewhat",
        "# wider than the limits that were, beyond which some rows lie.",
        "# Then: leastnoise sql FILE 'SELECT ... GROUP BY ...' --schema THIS --epsilon 1",
        "",
        "[data]",
        *(f"{name} = {_value(value)}" for name, value in (reading or {}).items()),
        "",
        "[privacy]",
        f"relation = {toml_text(scope.relation)}",
        "other = true  # the rows of no key are a group too",
    ]
    if description.max_rows is not None:
        lines += [
            f"unit = {toml_text(scope.unit)}",
            f"max_rows = {description.max_rows}",
            f"max_groups = {description.max_rows}",
        ]
    lines += _of_fewer(description)
    rows = rows_of(description)
    for column in description.columns:
        bounds, labels = _bounds(column, rows), _labels(column)
        truths = column.kind == "truths" and _named(column)  # by its type
        if bounds is not None or labels or truths:
            lines += ["", f"[columns.{toml_text(column.name)}]"]
        if bounds is not None:
            lines += [*_of_few_others(column), *_of_its_numbers(column, bounds)]
        if truths:
            lines.append(_TRUTHS)
        elif labels:
            lines.append(f"keys = {_value(labels)}")
    return "\n".join([*lines, *_to_declare(description)]) + "\n"


def undeclared(description: Description) -> str | None:
    """Which columns have neither limits nor keys, and how to get them; None if all have some."""
    names = [toml_text(column.name) for column in _unknown(description)]
    if not names:
        return None
    delta = "delta" in description.guarantee.numbers()
    more = "" if delta else ", or describe with --delta 1e-6 for the keys that enough rows have"
    return (
        f"neither limits nor keys were found of {', '.join(names)}: write what is known without "
        f"the data{more}"
    )


def _unknown(description: Description) -> list[ColumnDescription]:
    rows = rows_of(description)
    return [
        column
        for column in description.columns
        if _named(column) and column.kind != "truths"
        if _bounds(column, rows) is None and not _labels(column)
    ]


def _to_declare(description: Description) -> list[str]:
    """Placeholders for what was not found, for someone who knows it to fill in."""
    why = undeclared(description)
    lines: list[str] = [] if why is None else ["", *(f"# {line}" for line in wrap(why, 96))]
    for column in _unknown(description):
        lines += [
            "#",
            f"# [columns.{toml_text(column.name)}]",
            '# keys = ["...", "..."]  # or bounds = [0, 100], bounds = [2020-01-01, 2024-12-31], '
            'bounds = ["0s", "8h"] of durations',
        ]
    return lines


def _of_fewer(description: Description) -> list[str]:
    if all(record.where is None for record in description.records):
        return []
    return ["# the description was of fewer rows: see where in its record"]


def _whole(description: Description) -> list[str]:
    """One table of all rows: their number, and each column of numbers within its limits."""
    lines = [
        *("", "[tables.all]", 'title = "All rows"'),
        *("", "[tables.all.statistics.rows]", 'statistic = "count"'),
    ]
    rows = rows_of(description)
    for column in description.columns:
        bounds = _bounds(column, rows)
        if bounds is None:
            continue
        kinds = ("median", "mean") if "mean" in column else ("median",)
        for kind in kinds:
            lines += [
                "",
                *(_of_few_others(column) if kind == "mean" else ()),
                f"[tables.all.statistics.{toml_text(f'{kind} of {column.name}')}]",
                f"statistic = {toml_text(kind)}",
                f"column = {toml_text(column.name)}",
                f"bounds = {_value(bounds)}",
                *(["step = 1"] if _reads_whole(column) else []),
            ]
    return lines


def _groups(description: Description) -> list[str]:
    """A table for each column of labels: the rows of each of them."""
    lines: list[str] = []
    for column in description.columns:
        labels = _labels(column)
        if not labels:
            continue
        keys = _value([bool(label) for label in labels] if column.kind == "truths" else labels)
        table = f"tables.{toml_text(f'by {column.name}')}"
        lines += [
            "",
            f"[{table}]",
            f"groups = {{{toml_text(column.name)} = {keys}}}",
        ]
        if description.max_rows is not None:
            lines.append(f"max_groups = {min(description.max_rows, len(labels))}")
        lines += ["", f"[{table}.statistics.rows]", 'statistic = "count"']
    return lines


def _labels(column: ColumnDescription) -> list[Any]:
    """Labels that were found, where the column may be named."""
    return [label for label in column.labels if _writable(label)][:_MOST] if _named(column) else []


def _bounds(column: ColumnDescription, rows: float | None) -> list[Any] | None:
    """Bounds about released limits; None where these are noise or the column may not be named."""
    record = column.facts.get("limits")
    if record is None or not is_list_or_tuple(record.value) or not _named(column):
        return None
    if not_known(column, rows):
        return None
    low, high = listed(record)
    if isinstance(low, timedelta):
        return [timedelta(seconds=x) for x in _wider(low.total_seconds(), high.total_seconds())]
    if isinstance(low, date):
        return _wider_times(low, high)
    if _of_truths(column, (low, high)):
        return [0, 1]
    if not all(isfinite(end) and abs(end) < 2**53 for end in (low, high)):
        return [low, high]
    return _wider(low, high)


def _wider(low: float, high: float) -> list[float]:
    """Round numbers half as far apart again on either side; not beyond 0 if nothing released is."""
    more = (high - low) / 2 or max(abs(low), 1) / 64
    ends = low - more, high + more
    step = 10.0 ** (floor(log10(ends[1] - ends[0])) - 1)
    low_end = step * floor(ends[0] / step) if low < 0 else max(0.0, step * floor(ends[0] / step))
    high_end = step * ceil(ends[1] / step) if high > 0 else min(0.0, step * ceil(ends[1] / step))
    return [float(f"{end:.15g}") for end in (low_end, high_end)]


def _wider_times(low: Any, high: Any) -> list[Any]:
    more = timedelta(seconds=ceil((high - low).total_seconds() / 2))  # whole seconds, as they are
    try:
        return [low - more, high + more]
    except OverflowError:
        return [low, high]


def _of_its_numbers(column: ColumnDescription, bounds: Sequence[Any]) -> list[str]:
    """Bounds for a schema, and placeholders for what is left open; each line is valid as it is."""
    lines = [f"bounds = {_value(bounds)}"]
    ends = listed(column.facts["limits"])
    if isinstance(ends[0], (date, timedelta)) or not all(abs(end) < 2**53 for end in ends):
        return lines
    if _of_truths(column, ends):
        return [*lines, f"keys = [0, 1]  # or {_TRUTHS}, if it holds these alone"]
    if _reads_whole(column):
        lines.append("step = 1")
    elif all(float(end).is_integer() for end in bounds):
        if not all(isinstance(end, int) for end in ends):  # its type says so
            lines.append("# step = 1  # if it holds whole numbers alone")
    else:
        whole = [floor(bounds[0]), ceil(bounds[1])]
        lines[0] += f"  # {_value(whole)} and step = 1, if it holds whole numbers alone"
    if column.kind == "either" and all(-2 <= end <= 2 for end in ends):
        lines.append(f"# {_TRUTHS}  # if it holds true and false alone")
    return lines


def _of_few_others(column: ColumnDescription) -> list[str]:
    """A warning where bounds may leave out what matters."""
    number = mostly_one(column)
    if number is None:
        return []
    return [
        f"# most entries seem to be {_value(number)}: write bounds that hold the few others, too, "
        "from what is known without the data"
    ]


def _reads_whole(column: ColumnDescription) -> bool:
    """Whether entries of no declared type were found to be whole numbers."""
    ends = listed(column.facts["limits"])
    return column.kind == "either" and all(isinstance(end, int) for end in ends)


def _of_truths(column: ColumnDescription, ends: Sequence[float]) -> bool:
    """Whether the released values look like those of zeros and ones, or of true and false."""
    record = column.facts.get("quartiles")
    if column.kind != "either" or record is None:
        return False
    low, *_, high = listed(record)
    apart = [min(abs(x), abs(x - 1)) for x in (low, high)]
    return max(*apart, abs(ends[0]), abs(ends[1] - 1)) <= _NEAR


def _named(column: ColumnDescription) -> bool:
    """Whether a plan may name the column: not if the first line may be somebody's row."""
    return re.fullmatch(r"column \d+", column.name) is None and _writable(column.name)


def _writable(value: object) -> bool:
    return not isinstance(value, str) or re.search("[\ud800-\udfff]", value) is None


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        return toml_text(f"{value.total_seconds():.0f}s")
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, int):
        return str(value) if abs(value) < 2**63 else repr(float(value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if is_list_or_tuple(value):
        return f"[{', '.join(map(_value, value))}]"
    return toml_text(str(value))
