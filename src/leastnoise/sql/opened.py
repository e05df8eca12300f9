"""What a query or a schema says of how the data is opened is how it was opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.foreign import is_path
from leastnoise.frames.readers.options import (
    PARQUET,
    TextFormat,
    is_pattern,
    paths_of,
    suffix_of,
)
from leastnoise.params import parse_missing
from leastnoise.sql.asking import table_name
from leastnoise.sql.from_clause import private_table
from leastnoise.sql.names import as_name
from leastnoise.sql.options import Options, option
from leastnoise.sql.relations import same

if TYPE_CHECKING:
    from leastnoise.session.checking import Source
    from leastnoise.sql.schema import Schema
    from leastnoise.sql.text import Query
    from leastnoise.summaries.subset import Subset


def check_opened(
    query: Query,
    options: Options,
    facts: Schema,
    source: Source,
    subset: Subset,
    names: Sequence[str],
) -> None:
    """Refuse what a query or a schema says of how data is opened, if it was opened otherwise.

    Raises
    ------
    QueryError, ParameterError
        With the place in the query, or in the schema. ``names`` are those of the columns.
    """
    _check_unit(query, options, subset, names)
    _check_ledger(query, options, source)
    _check_opening(facts, source, subset)
    _check_files(query, source)


def _check_unit(query: Query, options: Options, subset: Subset, names: Sequence[str]) -> None:
    """Whom a query protects is declared where the data is opened; it may say so again."""
    unit = subset.unit
    column, rows = options.privacy_unit_column, options.max_rows_contributed
    meant = [] if column is None else same(column, names)
    if column is not None and (unit is None or unit.column not in meant):
        if not meant:
            query.refuse(
                option(query, "privacy_unit_column"),
                f"there is no column {column}; the columns are {', '.join(map(as_name, names))}",
            )
        opened = "single rows" if unit is None else f"unit={unit.column!r}"
        query.refuse(
            option(query, "privacy_unit_column"),
            f"privacy_unit_column = {column}, but the data was opened for {opened}: open it with "
            f"unit={meant[0]!r} and max_rows=",
        )
    if rows is not None and (unit is None or unit.max_rows != rows):
        query.refuse(
            option(query, "max_rows_contributed"),
            f"max_rows_contributed = {rows}, but the data was opened with another number: open it "
            f"with unit= and max_rows={rows}",
        )
    if options.max_groups_contributed is not None and unit is None:
        query.refuse(
            option(query, "max_groups_contributed"),
            "max_groups_contributed is for persons: open the data with unit= and max_rows=. A row "
            "is in one group",
        )


def _check_ledger(query: Query, options: Options, source: Source) -> None:
    """The parts about rows, and those for a ledger, if there are any."""
    if source.relation == "edge":
        query.refuse(
            None,
            "relation 'edge' is for graphs, and a query is about rows: open the data with relation="
            "'replace-one', 'add-remove' or 'edit'",
        )
    for name, given in (("purpose", options.purpose), ("reuse", options.reuse or None)):
        if given is not None and source.ledger is None:
            query.refuse(
                option(query, name),
                f"{name} is for a ledger, and the data was opened without one: leave it out, or "
                "open the data with ledger= and dataset=",
            )


def _check_opening(facts: Schema, source: Source, subset: Subset) -> None:
    """Whom the schema protects, and what it charges, is what the data was opened with."""
    unit, ledger = subset.unit, source.ledger
    if unit is None and facts.max_groups is not None:
        raise ParameterError(
            f"{facts.file}: privacy.max_groups: is for persons, and a row is in one group: leave "
            "it out, or open the data with unit= and max_rows="
        )
    opened: dict[str, object] = {
        "relation": source.relation or "replace-one",
        "unit": None if unit is None else unit.column,
        "max_rows": None if unit is None else unit.max_rows,
        "dataset": None if ledger is None else ledger.dataset,
        "table": source.table,
    }
    for name, value in opened.items():
        declared = facts.opening.get(name, value)
        if declared != value:
            _refuse(facts, f"privacy.{name}", declared, value)
    if "missing" in facts.opening:
        declared = facts.opening["missing"]
        if parse_missing(declared) != parse_missing(source.missing):
            _refuse(facts, "data.missing", declared, source.missing)
    for name, declared in facts.reading.items():
        if _reads_otherwise(source, name, declared):
            _refuse(facts, f"data.{name}", declared, source.options.get(name))
    path = facts.opening.get("ledger")
    if path is None:
        return
    declared = Path(getattr(path, "path", path)).resolve()
    if ledger is None or Path(ledger.path).resolve() != declared:
        opened_with = "no ledger" if ledger is None else str(ledger.path)
        raise ParameterError(
            f"{facts.file}: privacy.ledger: is {str(declared)!r}, but the data was opened with "
            f"{opened_with}: open it with ledger={str(declared)!r} and dataset="
        )


def _check_files(query: Query, source: Source) -> None:
    """Refuse the name of one file of a pattern, whose files are one table."""
    node = private_table(query)
    if node is None or not is_path(source.data) or not is_pattern(source.data):
        return
    pattern, files = str(source.data), paths_of(source.data)
    name = table_name(pattern)
    if len(files) > 1 and same(node.name, [table_name(str(path)) for path in files]):
        query.refuse(
            node,
            f"{node.name} is one of the {len(files)} files of {pattern}, which are one table: "
            f"write FROM {as_name(name)}, or open that file by itself",
        )


def _refuse(facts: Schema, place: str, declared: object, opened: object) -> NoReturn:
    name = place.rpartition(".")[2]
    raise ParameterError(
        f"{facts.file}: {place}: is {declared!r}, but the data was opened with {opened!r}: open it "
        f"with {name}={declared!r}"
    )


def _reads_otherwise(source: Source, name: str, declared: Any) -> bool:
    """Whether data is read in another way than an option says; of a text file how it is."""
    given, path = source.options, source.data
    if name == "missing_values":
        return [*(given.get(name) or ())] != [*declared]
    if not is_path(path) or given.get("engine") is not None or suffix_of(Path(path)) in PARQUET:
        return False
    try:
        said = TextFormat.declared({**given, name: declared})
    except LeastNoiseError:  # it does not go with the others
        return True
    return said.of(Path(path)) != TextFormat.declared(given).of(Path(path))
