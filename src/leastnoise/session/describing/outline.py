"""Which facts a description releases, and what each costs: a function of the public schema alone.

Facts are releases. The declared type of a column decides which facts are released of it. Where its
entries may be text or numbers, the first fact is how many read as what, and what follows has one
share, whatever the answer is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from leastnoise.errors import (
    ColumnTypeError,
    ParameterError,
    ParameterTypeError,
    SchemaError,
    quoted,
)
from leastnoise.foreign import is_mapping, is_sequence
from leastnoise.frames import Table
from leastnoise.frames.readers.csv import CsvTable
from leastnoise.params import parse_delta, parse_number
from leastnoise.summaries.columns import Clock, Reading
from leastnoise.summaries.pairs import parse_labels
from leastnoise.summaries.subset import Subset

Kind = Literal["numbers", "times", "truths", "labels", "either", "others"]

WEIGHTS: Mapping[str, Fraction] = {
    name: Fraction(weight)
    for name, weight in {
        "rows": 1,
        "persons": 1,
        "rows a person": 2,
        "rows used": 4,
        "missing": "1.5",
        "distinct": 1,
        "reads as": "1.5",
        "quartiles": 8,
        "limits": 4,
        "mean": 2,
        "intervals": 0,
        "labels": 12,
    }.items()
}
"""How epsilon is split, where no weights are given: most of it where a range is not known.

Intervals of quartiles are asked for by a weight.
"""
PERSON_WEIGHTS: Mapping[str, Fraction] = {
    **WEIGHTS,
    "rows": Fraction(2),
    "reads as": Fraction(6),
    "quartiles": Fraction(36),
    "limits": Fraction(2),
    "labels": Fraction(36),
}
"""The same where persons are protected, who are fewer than rows: a count gets worse step by step,
quartiles of unknown range are lost all at once."""

NUMBERS = ("quartiles", "limits", "mean", "intervals")
FOLLOWING = "follows"
"""The share of what is asked of a column once it is known what it reads as."""
_SHOWN = {FOLLOWING: "quartiles, limits and mean, or labels"}
_OF_KIND: Mapping[Kind, tuple[str, ...]] = {
    "numbers": ("missing", "distinct", *NUMBERS),
    "times": ("missing", "quartiles", "limits"),
    "truths": ("missing", "labels"),
    "labels": ("missing", "distinct", "labels"),
    "either": ("missing", "distinct", "reads as", FOLLOWING),
    "others": ("missing", "distinct"),
}
_WIDE = (Reading.INT128, Reading.UINT128)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column: its name in the data, the name that is shown, and its kind.

    ``labels`` are declared ones; ``facts`` has the epsilon of each fact, ``delta`` that of keys.
    """

    name: str
    shown: str
    kind: Kind
    clock: Clock | None
    labels: tuple[str | float, ...] | None
    facts: Mapping[str, Fraction]
    delta: Fraction | None = None

    def following(self, names: Sequence[str]) -> dict[str, Fraction]:
        """Epsilon of facts that share what follows."""
        if FOLLOWING not in self.facts:
            return {name: self.facts[name] for name in names if name in self.facts}
        weights = {name: self.facts[f"{FOLLOWING}: {name}"] for name in names}
        whole = sum(weights.values())
        share = self.facts[FOLLOWING]
        return {name: share * part / whole for name, part in weights.items() if part}


@dataclass(frozen=True, slots=True)
class Outline:
    """A whole description before anything is read: facts of the table, columns, those left out."""

    epsilon: Fraction
    delta: Fraction | None
    table: Mapping[str, Fraction]
    columns: tuple[ColumnFacts, ...]
    left_out: tuple[str, ...]

    def split(self) -> list[tuple[str, str, Fraction]]:
        """Column, fact and epsilon of everything that is charged; "" for facts of the table."""
        found = [("", name, share) for name, share in self.table.items()]
        for column in self.columns:
            for name, share in column.facts.items():
                if not name.startswith(f"{FOLLOWING}: "):
                    found.append((column.shown, _SHOWN.get(name, name), share))
        return found


def parse_weights(weights: object, usual: Mapping[str, Fraction] = WEIGHTS) -> dict[str, Fraction]:
    """The weight of each fact; one that is not given is the usual one, and 0 leaves a fact out.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a fact is unknown or a weight is not a number of at least 0.
    """
    found = dict(usual)
    if weights is None:
        return found
    if not is_mapping(weights):
        raise ParameterTypeError(
            f"weights must be a mapping of facts to numbers, not {type(weights).__name__}"
        )
    for name, weight in weights.items():
        if name not in WEIGHTS:
            raise ParameterError(
                f"weights: there is no fact {quoted(name)}; the facts are {', '.join(WEIGHTS)}"
            )
        found[str(name)] = _weight(weight, "weights")
    return found


def _weight(value: object, name: str) -> Fraction:
    number = parse_number(value, name)
    if number < 0:
        raise ParameterError(f"{name} must be at least 0, got {quoted(value)}")
    return number


def column_kind(table: Table, name: str) -> tuple[Kind, Clock | None] | None:
    """The kind of facts that the declared type of a column allows; None if none."""
    clock = None
    try:
        clock = table.own_clock(name)
        text = _reads(table.text_type, name) is not None
        kind = _reads(table.column_type, name)
    except SchemaError:
        return None
    if kind is None:
        return ("labels", None) if text else None if clock is None else ("times", clock)
    if kind.reading is Reading.BOOLEAN:
        return "truths", None
    if kind.reading in _WIDE:
        return "others", None
    return ("either" if text else "numbers"), None


def _reads(typed: Any, name: str) -> Any:
    try:
        return typed(name)
    except ColumnTypeError:
        return None


def outline(
    table: Table,
    subset: Subset,
    epsilon: Fraction,
    clocks: Mapping[str | None, Clock],
    *,
    delta: object,
    columns: object,
    weights: object,
    column_weights: object,
    labels: object,
) -> Outline:
    """Which facts are asked, and the share of each.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        If a column, a weight or a label is unknown or impossible.
    """
    person = None if subset.unit is None else subset.unit.column
    given = parse_weights(weights, WEIGHTS if person is None else PERSON_WEIGHTS)
    if not given["quartiles"]:  # all others follow them
        given |= dict.fromkeys(NUMBERS, Fraction(0))
    keys = None if delta is None else parse_delta(delta)
    declared = _by_column(labels, "labels")
    heavy: dict[str, Fraction] = {
        name: _weight(weight, "column_weights")
        for name, weight in _by_column(column_weights, "column_weights").items()
    }
    names, hidden = _names(table, columns)
    for what, mapping in (("labels", declared), ("column_weights", heavy)):
        unknown = [name for name in mapping if name not in names]
        if unknown:
            raise ParameterError(
                f"{what} names a column that is not described: {quoted(unknown[0])}"
            )
    left_out: list[str] = []
    found: list[ColumnFacts] = []
    for place, name in enumerate(names, 1):
        if name == person:
            continue
        shown = f"column {place}" if hidden else name
        clock = clocks.get(name)
        kind = column_kind(table, name) if clock is None else ("times", clock)
        if kind is None:
            if columns is not None:
                table.column_type(name)  # which says why
            left_out.append(shown)
            continue
        known = parse_labels(declared[name]) if name in declared else None
        if known is not None and kind[0] not in ("labels", "either"):
            raise ParameterError(f"labels are for columns of text, and {name!r} holds {kind[0]}")
        if kind[0] == "truths":
            known = (0.0, 1.0)
        weight = heavy.get(name, Fraction(1))
        asked = _weights(kind[0], given, countable=keys is not None or known is not None)
        asked = {fact: part * weight for fact, part in asked.items()}
        if any(asked.values()):
            found.append(ColumnFacts(name, shown, kind[0], kind[1], known, asked))
    of_table = ("rows",) if person is None else ("persons", "rows a person", "rows used", "rows")
    whole = {name: given[name] for name in of_table if given[name]}
    return _shared(epsilon, keys, whole, found, tuple(left_out))


def _weights(kind: Kind, given: Mapping[str, Fraction], *, countable: bool) -> dict[str, Fraction]:
    """Weights of the facts of a column; what follows has that of the larger of both ways."""
    found: dict[str, Fraction] = {}
    numbers = sum((given[name] for name in NUMBERS), Fraction(0))
    texts = given["labels"] if countable else Fraction(0)
    for name in _OF_KIND[kind]:
        if name == "labels" and not countable:
            continue
        if name != FOLLOWING:
            found[name] = given[name]
            continue
        found[FOLLOWING] = max(numbers, texts)
        found |= {f"{FOLLOWING}: {one}": given[one] for one in NUMBERS}
        found[f"{FOLLOWING}: labels"] = texts
    return {name: part for name, part in found.items() if part or name.startswith(FOLLOWING)}


def _shared(
    epsilon: Fraction,
    delta: Fraction | None,
    table: Mapping[str, Fraction],
    columns: Sequence[ColumnFacts],
    left_out: tuple[str, ...],
) -> Outline:
    """Weights as shares of epsilon; delta evenly over the columns whose keys may be released."""
    weights = [*table.values()]
    for column in columns:
        weights += [w for name, w in column.facts.items() if not name.startswith(f"{FOLLOWING}: ")]
    whole = sum(weights, Fraction(0))
    if not whole:
        raise ParameterError("a description needs at least one fact: no column can be described")
    keyed = [
        column
        for column in columns
        if column.labels is None
        and (column.facts.get("labels") or column.facts.get(f"{FOLLOWING}: labels"))
    ]
    share = None if delta is None or not keyed else delta / len(keyed)
    return Outline(
        epsilon,
        delta if keyed else None,
        {name: epsilon * weight / whole for name, weight in table.items()},
        tuple(
            replace(
                column,
                facts={name: epsilon * weight / whole for name, weight in column.facts.items()},
                delta=share if column in keyed else None,
            )
            for column in columns
        ),
        left_out,
    )


def _by_column(given: object, name: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not is_mapping(given):
        raise ParameterTypeError(f"{name} must be a mapping by column, not {type(given).__name__}")
    return {str(column): value for column, value in given.items()}


def _names(table: Table, columns: object) -> tuple[list[str], bool]:
    """The columns to describe, and whether their names may be more than names."""
    if columns is not None:
        if isinstance(columns, str) or not is_sequence(columns):
            raise ParameterTypeError("columns must be a list of names")
        listed = list(columns)
        if not listed or not all(isinstance(name, str) for name in listed):
            raise ParameterTypeError("columns must be a list of at least one name")
        if len(set(listed)) < len(listed):
            raise ParameterError("columns must differ from one another")
        return [str(name) for name in listed], False
    names = table.column_names()
    if not names:
        raise SchemaError(
            "the names of the columns are not known: give columns=, the names of those to describe"
        )
    return list(names), isinstance(table, CsvTable) and not table.names_are_public
