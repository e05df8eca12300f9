"""NOT PRIVATE. The check of any data: text files, tables of every kind, graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from leastnoise.errors import ColumnTypeError, ParameterError, SchemaError
from leastnoise.foreign import is_path
from leastnoise.frames.checks.entries import Meant
from leastnoise.frames.checks.graphs import check_graph
from leastnoise.frames.checks.lines import check_text_file
from leastnoise.frames.checks.report import Checked, Finding, merged
from leastnoise.frames.checks.tables import check_table
from leastnoise.frames.checks.tails import TAIL, check_bounds, check_tail
from leastnoise.frames.contract import STANDARD
from leastnoise.frames.memory.conditions import kept_rows
from leastnoise.frames.memory.summarise import missing_at, present
from leastnoise.frames.readers.csv import CsvTable
from leastnoise.frames.readers.fields import unquoted
from leastnoise.frames.readers.open import open_table
from leastnoise.frames.readers.options import PARQUET, TextFormat, check_path, is_pattern, suffix_of
from leastnoise.frames.readers.values import Dialect
from leastnoise.params import parse_bounds
from leastnoise.summaries.columns import declared
from leastnoise.summaries.predicates import Predicate


def check(
    data: object,
    column: str | None = None,
    *,
    bounds: object = None,
    nodes: object = None,
    where: Predicate | None = None,
    **options: Any,
) -> Checked:
    """NOT PRIVATE. What in the data reads differently from how it looks.

    Parameters
    ----------
    data, options
        As for ``leastnoise.open``.
    column
        One column; all of them without it.
    bounds
        Limits of that column, to be told whether they clip more than a tenth of it.
    nodes
        Of a graph: as for ``leastnoise.TriangleCount``.
    where
        Of a text file: only rows for which this is true.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        As ``leastnoise.open``; what a wrong option would raise of a text file is a finding.
    """
    if nodes is not None:
        return check_graph(data, nodes, **options)
    given, reports = options, list[Checked]()
    meant: Meant = ""
    if bounds is not None:
        meant = "numbers" if declared(bounds)[0] is None else "times"
    if is_path(data) and not is_pattern(data) and options.get("engine") is None:
        path = check_path(data)
        if suffix_of(path) not in PARQUET:
            reports.append(
                check_text_file(path, TextFormat.declared(options), column, meant, where).beside(
                    given
                )
            )
            options = {**options, **reports[0].options}
            if not reports[0].columns:
                return reports[0]
    if not reports and where is not None:
        raise ParameterError(
            "where= is for the check of a text file; of other data choose the rows before"
        )
    if not reports:
        reports += check_table(open_table(data, **options), column, Dialect.of(options), meant)
    if bounds is not None:
        reports = [  # the sum within the bounds is told below
            replace(one, findings=tuple(x for x in one.findings if x.cure != TAIL))
            for one in reports
        ]
        reports.append(Checked(findings=tuple(_clipped(data, column, bounds, where, options))))
    found = merged(reports).beside(given)
    return found.marking(_known_marks(data, options, given)) if found.marks else found


def _known_marks(
    data: object, options: Mapping[str, Any], given: Mapping[str, Any]
) -> Sequence[object] | None:
    """What stands for none already: what was declared, else the usual texts that the data has; None
    of data in which nothing can be declared.
    """
    if given.get("missing_values") is not None:
        return given["missing_values"]
    none: dict[str, Any] = {**options, "missing_values": []}
    try:
        table = open_table(data, **none)
    except ParameterError:
        return None
    except SchemaError:  # in an encoding that is not known for sure
        return ()
    if isinstance(table, CsvTable):  # at once, and not column by column
        fields = chain.from_iterable(table.written_records())
        usual = {text for field in fields if (text := unquoted(field).strip()) in STANDARD}
        return [text for text in STANDARD if text in usual]
    usual = set[str]()
    for name in table.column_names() or (None,):
        with suppress(ColumnTypeError, SchemaError):  # of numbers; with a name that is no name
            usual.update(table.text_values(name)[1])
    return [text for text in STANDARD if text in usual]


def _clipped(
    data: object,
    column: str | None,
    bounds: object,
    where: Predicate | None,
    options: dict[str, Any],
) -> Iterator[Finding]:
    clock, ends = declared(bounds)
    low, high = parse_bounds(ends)
    table = open_table(data, **options)
    if clock is not None:
        table = table.clocked({column: clock})
    if column is None and table.column_names() is not None:
        raise ParameterError("bounds are those of one column: name it, check('pay', bounds=(0, 9))")
    try:
        entries = table.column(column)
    except ColumnTypeError as error:  # text in a frame, whose entries are told by the check
        yield Finding(column or "", "it has no numbers that bounds clip", str(error))
        return
    held = present(entries)
    if where is not None:
        held = held[kept_rows(open_table(data, **options), where)[~missing_at(entries)]]
    numbers = held.tolist()
    if len(entries.values) and not numbers:
        of = "numbers" if clock is None else f"{clock.value}, which {clock.cure} declare"
        cure = "give bounds of the entries' kind, such as two numbers, or two dates like 2024-01-31"
        yield Finding(column or "", f"no entry is read as {of}", cure)
    shown = [f"{float(x):g}" if clock is None else str(clock.time(x)) for x in (low, high)]
    least, most = float(low), float(high)
    yield from check_bounds(column or "", numbers, (least, most), shown)
    if clock is None:
        yield from check_tail(column or "", Counter(min(max(x, least), most) for x in numbers))
