"""A plan: many tables of one data set, written down in a TOML file, under one budget.

Everything in the file is checked when it is loaded: names of keys, statistics with their
parameters, conditions, keys of groups, shares of epsilon. Columns are checked against the schema of
the data by ``leastnoise.plans.run``, before a value is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

from leastnoise.document import Section, is_table, read_document
from leastnoise.foreign import is_list
from leastnoise.frames.readers.values import Dialect
from leastnoise.mechanisms import Mechanism
from leastnoise.params import PrivateLimit, parse_missing, parse_relation, parse_total
from leastnoise.plans.catalogue import make_mechanism, make_statistic
from leastnoise.plans.conditions import parse_condition
from leastnoise.summaries.predicates import Predicate
from leastnoise.summaries.subset import parse_keys, parse_subset

_TEXTS = ("separator", "decimal", "thousands", "encoding", "comment", "engine", "source")
_READING = (*_TEXTS, "header", "skip_rows", "skip_after_header", "multiline", "missing_values")
_PRIVACY = ("relation", "unit", "max_rows", "ledger", "dataset", "table", "purpose", "reuse")
_TABLE = (
    *("title", "note", "where", "groups", "max_groups", "other", "epsilon", "weight"),
    "statistics",
)
_ASKED = ("title", "interval", "mechanism", "epsilon", "weight", "target_error")


@dataclass(frozen=True, slots=True)
class PlannedStatistic:
    """One statistic of a table; ``share`` is its part of what each group's answers get."""

    name: str
    place: str
    title: str
    statistic: Any
    mechanism: Mechanism | None
    share: Fraction
    target_error: Fraction | None


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table: the rows that a filter keeps, in declared groups, and what is released of each.

    ``epsilon`` is what each group's answers get together, as in ``group_by(...).release``; None
    where the plan has a total, of which ``weight`` is the table's part.
    """

    name: str
    place: str
    title: str
    note: str
    condition: str
    where: Predicate | None
    groups: Mapping[str, Any] | None
    max_groups: int | PrivateLimit | None
    other: bool
    epsilon: Fraction | None
    weight: Fraction
    statistics: tuple[PlannedStatistic, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole plan, checked as far as it can be without the data.

    ``source`` is the plan's own file, ``file`` the data, ``reading`` how that is read. ``total`` is
    the epsilon that all tables are charged together, where it is declared.
    """

    source: str
    title: str
    note: str
    file: Path
    reading: Mapping[str, Any]
    missing: object
    relation: str | None
    unit: str | None
    max_rows: int | PrivateLimit | None
    ledger: Path | None
    dataset: str | None
    table: str | None
    purpose: str | None
    reuse: bool
    total: Fraction | None
    tables: tuple[TablePlan, ...]


def load_plan(path: str | Path, *, file: str | Path | None = None) -> Plan:
    """Read and check a plan; no data is opened.

    Parameters
    ----------
    path
        A TOML file; docs/tables.md describes its keys. Paths in it are relative to it.
    file
        The data file, instead of the plan's own.

    Raises
    ------
    SchemaError
        If there is no such plan.
    ParameterError, ParameterTypeError
        If anything in it is invalid; the message names file, table, key and cure.
    """
    root = read_document(Path(path))
    root.only(("title", "note", "data", "privacy", "keys", "tables"))
    data, privacy = _part(root, "data"), _part(root, "privacy")
    data.only(("file", "missing", *_READING))
    privacy.only((*_PRIVACY, "total"))
    here = Path(path).parent
    named = data.text("file", needed="" if file is not None else 'name the data, file = "..."')
    for key in _TEXTS:
        data.text(key)
    data.flag("header")
    data.flag("multiline")
    with data.locating_errors("missing_values"):
        Dialect.of({"missing_values": data.entries.get("missing_values")})
    data.whole("skip_rows")
    data.whole("skip_after_header")
    with data.locating_errors("missing"):
        parse_missing(data.entries.get("missing"))
    relation = privacy.text("relation")
    unit, max_rows = privacy.text("unit"), _limit(privacy, "max_rows")
    with privacy.locating_errors():
        if relation is not None:
            parse_relation(relation)
        parse_subset(unit=unit, max_rows=max_rows)
    ledger = privacy.text("ledger")
    if ledger is None:
        for key in ("dataset", "table", "purpose", "reuse"):
            if key in privacy:
                raise privacy.error('needs a ledger: give ledger = "..." as well', key)
    total = _positive(privacy, "total")
    return Plan(
        source=root.file,
        title=root.text("title") or Path(path).stem,
        note=root.text("note") or "",
        file=Path(file) if file is not None else here / cast("str", named),
        reading={key: data.entries[key] for key in _READING if key in data},
        missing=data.entries.get("missing"),
        relation=relation,
        unit=unit,
        max_rows=max_rows,
        ledger=None if ledger is None else here / ledger,
        dataset=privacy.text("dataset", needed="" if ledger is None else "name the data set"),
        table=privacy.text("table"),
        purpose=privacy.text("purpose"),
        reuse=bool(privacy.flag("reuse")),
        total=total,
        tables=_tables(root, unit, max_rows, total),
    )


def _part(root: Section, key: str) -> Section:
    return root.section(key) or Section(root.file, key, {})


def _limit(section: Section, key: str) -> int | PrivateLimit | None:
    """A whole number, or "private" for one that is found privately."""
    return PrivateLimit() if section.entries.get(key) == "private" else section.whole(key)


def _positive(section: Section, key: str) -> Fraction | None:
    value = section.number(key)
    if value is None:
        return None
    with section.locating_errors(key):
        return parse_total(value, key)


def _tables(
    root: Section, unit: str | None, max_rows: int | PrivateLimit | None, total: Fraction | None
) -> tuple[TablePlan, ...]:
    sections = root.sections("tables")
    if not sections:
        raise root.error("the plan releases nothing: give at least one [tables.NAME]", "tables")
    keys = _part(root, "keys").entries
    return tuple(
        _table(name, section, keys, unit, max_rows, total) for name, section in sections.items()
    )


def _table(
    name: str,
    section: Section,
    keys: Mapping[str, Any],
    unit: str | None,
    max_rows: int | PrivateLimit | None,
    total: Fraction | None,
) -> TablePlan:
    section.only(_TABLE)
    condition = section.text("where")
    where = None
    if condition is not None:
        with section.locating_errors("where"):
            where = parse_condition(condition)
    groups, max_groups = _groups(section, keys), _limit(section, "max_groups")
    other = bool(section.flag("other"))
    with section.locating_errors("groups"):
        if groups is not None:
            parse_keys(groups)
            parse_subset(unit=unit, max_rows=max_rows).grouped(groups, max_groups, other)
        elif max_groups is not None:
            raise section.error("needs groups: give groups as well", "max_groups")
        elif other:
            raise section.error("needs groups: give groups as well", "other")
    asked = section.sections("statistics")
    if not asked:
        raise section.error(f"give at least one [{section.place}.statistics.NAME]", "statistics")
    epsilon, shares = _budget(section, asked, total)
    return TablePlan(
        name=name,
        place=section.place,
        title=section.text("title") or name,
        note=section.text("note") or "",
        condition=" ".join((condition or "").split()),
        where=where,
        groups=groups,
        max_groups=max_groups,
        other=other,
        epsilon=epsilon,
        weight=_positive(section, "weight") or Fraction(1),
        statistics=tuple(
            PlannedStatistic(
                name=name,
                place=one.place,
                title=one.text("title") or name,
                statistic=make_statistic(one, _ASKED),
                mechanism=make_mechanism(one),
                share=shares[name],
                target_error=_positive(one, "target_error"),
            )
            for name, one in asked.items()
        ),
    )


def _groups(section: Section, keys: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Keys by column: a table of lists, or a list of columns whose keys stand under [keys]."""
    value = section.entries.get("groups")
    if value is None or is_table(value):
        return value
    if not is_list(value):
        raise section.error(
            'must be a table of keys, {sex = ["f", "m"]}, or a list of columns '
            "that are declared under [keys]",
            "groups",
        )
    found: dict[str, Any] = {}
    for column in value:
        if not isinstance(column, str) or column not in keys:
            raise section.error(
                f"{column!r} has no keys: declare them from public knowledge, [keys] {column} = "
                "[...], never from the data",
                "groups",
            )
        found[column] = keys[column]
    return found


def _budget(
    section: Section, asked: Mapping[str, Section], total: Fraction | None
) -> tuple[Fraction | None, dict[str, Fraction]]:
    """Epsilon of a table, and each statistic's share of it."""
    own = {name: _positive(one, "epsilon") for name, one in asked.items()}
    given = {name: epsilon for name, epsilon in own.items() if epsilon is not None}
    epsilon = _positive(section, "epsilon")
    if total is not None:
        if epsilon is not None or given:
            raise section.error(
                "a plan with a total gives tables and statistics weights, not an epsilon of their "
                "own; omit one or the other",
                "epsilon",
            )
    elif "weight" in section:
        raise section.error("needs a plan with a total: give [privacy] total = ...", "weight")
    if not given:
        if epsilon is None and total is None:
            raise section.error(
                "is missing: give what the answers of each group get together, epsilon = 1, or "
                "what the whole plan may spend, [privacy] total = 1",
                "epsilon",
            )
        weights = {n: _positive(one, "weight") or Fraction(1) for n, one in asked.items()}
        whole = sum(weights.values())
        return epsilon, {name: weight / whole for name, weight in weights.items()}
    for name, one in asked.items():
        if epsilon is not None or name not in given:
            raise section.error(
                "give it for the table, or for each of its statistics, not for some of both",
                "epsilon",
            )
        if "weight" in one:
            raise one.error("give a statistic either an epsilon or a weight, not both", "weight")
    whole = sum(given.values(), Fraction(0))
    return whole, {name: part / whole for name, part in given.items()}
