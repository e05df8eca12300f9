"""Read a stored record: every field has its type and agrees with the others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import inf
from typing import Any

from leastnoise.foreign import is_list, is_list_or_tuple, is_mapping, is_tuple
from leastnoise.guarantees import Guarantee
from leastnoise.guarantees import from_dict as guarantee_from_dict
from leastnoise.production import quiet

Parser = Callable[[object], Any]
"""Raises one of the errors of ``parse_fields`` for what is none."""

DERIVED = ("unit", "epsilon", "delta", "sensitivity_used", "protects", "not_protected")
"""The keys of a stored record besides its own fields."""

_STEP = re.compile(r"0*[1-9]\d{0,1999}(/0*[1-9]\d{0,1999})?")
_MOST_DIGITS = 100_000
_DEPTH = 8  # lists in lists: no statistic has as many axes


def parse_json(text: str) -> Any:
    """What strict JSON holds; integers may have more digits than the process allows in texts."""
    with quiet():
        return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("no count has so many digits")
    return int(digits)


def parse_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a release from the mapping that ``to_dict`` made.

    Raises
    ------
    ValueError, TypeError, KeyError, ZeroDivisionError, OverflowError
        If one is missing, unknown, of a wrong type, or contradicts another.
    """
    data = dict(record)
    derived = {name: data.pop(name) for name in DERIVED}
    times = _flag(data.pop("times", False))
    found = {name: _FIELDS[name](value) for name, value in data.items()}
    if times:
        for name in ("value", "bounds", "limits", "interval"):
            found[name] = _times(found.get(name))
    _need("," not in found["step"] or isinstance(found["value"], (list, dict)))
    _need(found.get("limits") in (None, found["bounds"]))
    guarantee: Guarantee = found["guarantee"]
    numbers = guarantee.numbers()
    _need(derived["unit"] == guarantee.scope.unit)
    _need(derived["epsilon"] == (str(numbers["epsilon"]) if "epsilon" in numbers else None))
    _need(derived["delta"] == str(numbers.get("delta", 0)))
    return found


def parse_value(value: object, times: object) -> Any:
    """The value of one of several records that differ in nothing else."""
    found = _FIELDS["value"](value)
    return _times(found) if _flag(times) else found


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of releases by group: keys, and under each the records by name, not yet read."""

    by: tuple[str, ...]
    names: tuple[str, ...]
    single: bool
    guarantee: Guarantee | None
    rows: Mapping[tuple[Any, ...], Mapping[str, Any]]


def parse_table(data: Mapping[str, object]) -> StoredTable:
    """The table from the mapping that ``to_dict`` made; errors as in ``parse_fields``."""
    _need({*data} == {"by", "names", "single", "guarantee", "rows"})
    by, names = _list(_text)(data["by"]), _list(_text)(data["names"])
    stored = [_named(row) for row in _entries(data["rows"])]
    rows = {_list(_optional(_label))(row["key"]): _named(row["releases"]) for row in stored}
    _need(by and names and len({*by}) == len(by) and len({*names}) == len(names))
    _need(len(rows) == len(stored) and all(len(key) == len(by) for key in rows))
    _need(all({*row} == {*names} for row in rows.values()))
    return StoredTable(
        by, names, _flag(data["single"]), _optional(_guarantee)(data["guarantee"]), rows
    )


def _need(true: object) -> None:
    if not true:
        raise ValueError


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError
    return value


def _label(value: object) -> str | int | float | bool:
    """Text, a finite number or a boolean."""
    if not isinstance(value, (str, int, float)) or value in (inf, -inf) or value != value:
        raise ValueError
    return value


def _scale(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0 <= float(value) < inf:
        raise ValueError
    return value


def _step(value: object) -> str:
    """One lattice, or that of every number of a vector."""
    found = _text(value)
    for step in found.split(", "):
        _need(_STEP.fullmatch(step))
        float(Fraction(step))
    return found


def _entries(value: object) -> Sequence[object]:
    if not is_list_or_tuple(value):
        raise TypeError
    return value


def _named(value: object) -> dict[str, object]:
    if not is_mapping(value):
        raise TypeError
    return {_text(name): entry for name, entry in value.items()}


def _guarantee(value: object) -> Guarantee:
    written = {name: _text(entry) for name, entry in _named(value).items()}
    found = guarantee_from_dict(written)
    _need(found.to_dict() == written)
    return found


def _value(value: object, depth: int = _DEPTH) -> Any:
    if not is_list_or_tuple(value):
        return _label(value)
    _need(depth)
    return [_value(entry, depth - 1) for entry in value]


def _answer(value: object) -> Any:
    """The released value: also several by name."""
    if not is_mapping(value):
        return _value(value)
    return {name: _value(entry) for name, entry in _named(value).items()}


def _public(value: object, depth: int = _DEPTH) -> Any:
    """A public parameter: plain, a list, or several by name."""
    _need(depth)
    if value is None or not is_mapping(value):
        return value if value is None else _value(value)
    return {name: _public(entry, depth - 1) for name, entry in _named(value).items()}


def _limits(value: object) -> tuple[Any, ...]:
    """A pair, or a pair for each feature; text where they are times."""
    return tuple(
        tuple(map(_label, end)) if is_list_or_tuple(end) else _label(end) for end in _entries(value)
    )


def _pair(value: object) -> tuple[Any, Any]:
    low, high = map(_label, _entries(value))
    return low, high


def _optional(parse: Parser) -> Parser:
    return lambda value: None if value is None else parse(value)


def _list(parse: Parser) -> Callable[[object], tuple[Any, ...]]:
    return lambda value: tuple(map(parse, _entries(value)))


def _by_name(parse: Parser) -> Callable[[object], dict[str, Any]]:
    return lambda value: {name: parse(entry) for name, entry in _named(value).items()}


def _times(value: object) -> Any:
    """Dates, times and durations from their text in ISO form."""
    if is_list(value):
        return [_times(entry) for entry in value]
    if is_tuple(value):
        return tuple(_times(entry) for entry in value)
    if not isinstance(value, str):
        return value
    if value.startswith("P"):
        return timedelta(seconds=int(value[2:-1]))
    return (datetime if "T" in value else date).fromisoformat(value)


_FIELDS: dict[str, Parser] = {
    "value": _answer,
    "statistic": _text,
    "guarantee": _guarantee,
    "mechanism": _text,
    "relation": _text,
    "profile_relation": _text,
    "n_public": _flag,
    "missing": _text,
    "step": _step,
    "sensitivity": _text,
    "column": _optional(_text),
    "bounds": _optional(_limits),
    "limits": _optional(_limits),
    "noise_scale": _optional(_scale),
    "noise": _optional(_text),
    "parts": _by_name(_text),
    "split": _by_name(_text),
    "where": _optional(_text),
    "group": _by_name(_optional(_label)),
    "max_rows": _optional(_count),
    "draws": _list(_guarantee),
    "axes": _list(_list(_label)),
    "interval": _optional(_pair),
    "coverage": _optional(_by_name(_text)),
    "sampled": _optional(_by_name(_public)),
    "notes": _list(_text),
    "tracked": _text,
    "ledger": _optional(_by_name(_public)),
    "secure": _flag,
    "version": _text,
}
