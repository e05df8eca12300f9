"""NOT PRIVATE. The check of any data: text files, tables of every kind, graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from leastnoise.errors import ColumnTypeError
from leastnoise.foreign import is_path
from leastnoise.frames.checks.entries import apart, check_bounds, check_entries, check_tail
from leastnoise.frames.checks.extra_rows import left_blank_below, totals
from leastnoise.frames.checks.graphs import check_graph
from leastnoise.frames.checks.lines import check_text_file
from leastnoise.frames.checks.report import Checked, CheckedColumn, Finding, merged
from leastnoise.frames.checks.stand_ins import check_days
from leastnoise.frames.checks.together import check_together, tells_a_measure
from leastnoise.frames.memory.summarise import gone, present
from leastnoise.frames.readers.open import open_table
from leastnoise.frames.readers.options import PARQUET, TextFormat, check_path, suffix_of
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import Table
from leastnoise.params import parse_bounds
from leastnoise.summaries.columns import Clock, declared


def check(
    data: object,
    column: str | None = None,
    *,
    bounds: object = None,
    nodes: object = None,
    **options: Any,
) -> Checked:
    """NOT PRIVATE. What in the data reads otherwise than it looks.

    Parameters
    ----------
    data, options
        As for ``leastnoise.open``.
    column
        One column; all of them without it.
    bounds
        Limits of that column, of which is told whether they clip more than a tenth.
    nodes
        Of a graph: as for ``leastnoise.TriangleCount``.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        As ``leastnoise.open``; what a wrong option would raise of a text file is a finding.
    """
    if nodes is not None:
        return check_graph(data, nodes, **options)
    given, reports = options, list[Checked]()
    if is_path(data) and options.get("engine") is None:
        path = check_path(data)
        if suffix_of(path) not in PARQUET:
            reports.append(check_text_file(path, _format(options), column).beside(given))
            options = {**options, **reports[0].options}
            if not reports[0].columns:
                return reports[0]
    if not reports:
        table = open_table(data, **options)
        names = table.column_names()
        chosen = [column] if column is not None or names is None else names
        dialect = Dialect.of(options)
        held: dict[str, list[str]] = {}
        columns = {name or "": _column(table, name, dialect, held) for name in chosen}
        reports += apart(columns, held, dialect)
        reports.append(_together(table, reports, dialect))
    if bounds is not None:
        reports.append(Checked(findings=tuple(_clipped(data, column, bounds, options))))
    return merged(reports).beside(given)


def _format(options: dict[str, Any]) -> TextFormat:
    names = ("separator", "encoding", "header", "skip_rows", "skip_after_header", "comment")
    given = {name: options[name] for name in (*names, "multiline") if name in options}
    return TextFormat(**given, dialect=Dialect.of(options))


def _together(table: Table, reports: Sequence[Checked], dialect: Dialect) -> Checked:
    """What columns of text say of the others."""
    columns = [one for report in reports for one in report.columns]
    entries: dict[str, list[str]] = {}
    asked = {one.name for one in columns if one.others}
    for name in table.column_names() or ():
        if tells_a_measure(name) or name in asked:
            with suppress(ColumnTypeError):
                codes, texts = table.text_values(name)
                entries[name] = [texts[code] if code >= 0 else "" for code in _listed(codes)]
    labels = {
        name: Counter(filter(None, x)) for name, x in entries.items() if tells_a_measure(name)
    }
    held = {name: found for name, found in entries.items() if name in asked}
    rows = max((one.rows for one in columns), default=0)
    numeric = [x.name for x in columns if x.name in held and 2 * x.numbers > x.rows - x.missing]
    added = [*totals(held, numeric, dialect), *left_blank_below(held)]
    return merged([Checked(findings=tuple(check_together(columns, labels, rows))), *added])


def _column(
    table: Table, name: str | None, dialect: Dialect, held: dict[str, list[str]]
) -> Checked:
    """One column of a table whose types are declared, or of entries; what it holds is kept."""
    try:
        table.text_type(name)
    except ColumnTypeError:
        return _typed(table, name, held)
    codes, texts = table.text_values(name)
    entries: list[str] = [texts[code] if code >= 0 else "" for code in _listed(codes)]
    held[name or ""] = list(texts)
    report = check_entries(name, entries, dialect)
    found = report.columns[0]
    try:
        table.column_type(name)
    except ColumnTypeError as error:
        if 2 * found.numbers > found.rows - found.missing:
            told = Finding(name or "", "numbers are declared as text", str(error))
            return Checked(report.columns, (told,))
        return Checked(report.columns, tuple(map(_as_text, report.findings)))
    return report


def _as_text(finding: Finding) -> Finding:
    """What is said of a column that is declared as text, which no option makes numbers."""
    if finding.options.keys() & {"decimal", "thousands"}:
        cure = "where they are numbers, convert the column, each entry by itself"
        return replace(finding, cure=cure, options={})
    return finding


def _listed(codes: Any) -> list[int]:
    return codes.tolist()


def _typed(table: Table, name: str | None, held: dict[str, list[str]]) -> Checked:
    try:
        column = table.column(name)
    except ColumnTypeError as error:
        clock = table.own_clock(name)
        if clock is None:
            return Checked(findings=(Finding(name or "", "it is not read", str(error)),))
        read = table.clocked({name: clock}).column(name)
        rows, missing = len(read.values), int(gone(read).sum())
        told = CheckedColumn(name, rows, 0, rows - missing, missing)
        return Checked((told,), tuple(_days(name, present(read), clock)))
    values, counts = np.unique(present(column), return_counts=True)
    texts: list[str] = []
    for value, times in zip(values.tolist(), counts.tolist(), strict=True):
        texts += [f"{value:.17g}" if isinstance(value, float) else str(int(value))] * times
    held[name or ""] = list(dict.fromkeys(texts))
    report = check_entries(name, texts, Dialect())
    found, rows = report.columns[0], len(column.values)
    told = CheckedColumn(name, rows, found.numbers, 0, rows - len(texts))
    return Checked((told,), report.findings)


def _days(name: str | None, numbers: Any, clock: Clock) -> Iterator[Finding]:
    """Days of a declared type that stand for none."""
    if clock is not Clock.SPAN:
        values, times = np.unique(numbers, return_counts=True)
        days = {clock.time(x).isoformat(): x * clock.seconds // 86_400 for x in values.tolist()}
        counts = Counter(dict(zip(days, times.tolist(), strict=True)))
        yield from check_days(name or "", days, counts)


def _clipped(
    data: object, column: str | None, bounds: object, options: dict[str, Any]
) -> Iterator[Finding]:
    clock, ends = declared(bounds)
    low, high = parse_bounds(ends)
    table = open_table(data, **options)
    if clock is not None:
        table = table.clocked({column: clock})
    entries = table.column(column)
    numbers = present(entries).tolist()
    if len(entries.values) and not numbers:
        of = "numbers" if clock is None else f"{clock.value}, which {clock.cure} declare"
        yield Finding(column or "", f"no entry is read as {of}", "give bounds of the entries' kind")
    shown = [f"{float(x):g}" if clock is None else str(clock.time(x)) for x in (low, high)]
    yield from check_bounds(column or "", numbers, (float(low), float(high)), shown)
    if clock is None:
        yield from check_tail(column or "", numbers, float(low), float(high))
