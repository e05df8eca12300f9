"""Read a stored estimate: every field is checked, and that they promise what they say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

from leastnoise.blackbox.forms import Form
from leastnoise.blackbox.identity import CODE
from leastnoise.blackbox.sizes import GUARANTEES, SampleSize, holds
from leastnoise.errors import ParameterError
from leastnoise.params import parse_bounds

FORMAT = "leastnoise sensitivity estimate 2"
_NUMBER = re.compile(r"-?\d{1,2000}(/0*[1-9]\d{0,1999})?")
_STEP_BITS = 24


def lattice_step(sensitivity: Fraction, dimension: int) -> Fraction:
    """The output lattice: a power of two, finer the more coordinates share the sensitivity."""
    bits = sensitivity.numerator.bit_length() - sensitivity.denominator.bit_length()
    return Fraction(2) ** (bits - _STEP_BITS - dimension.bit_length())


def parse_stored(text: object) -> dict[str, Any]:
    """The fields of an estimate from the text that ``to_json`` wrote.

    Raises
    ------
    ParameterError
        With a message that names the field that is missing, unknown or wrong.
    """
    try:
        data: dict[str, Any] = json.loads(cast("str", text))
        known = data.pop("format") == FORMAT
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        known, data = False, {}
    if not known:
        raise ParameterError(
            "this is not a sensitivity estimate of this version; sample again, or give the text "
            "that estimate.to_json() wrote"
        )
    odd = sorted(data.keys() ^ _FIELDS.keys())
    if odd:
        raise ParameterError(f"field {odd[0]} of a stored estimate is missing or unknown")
    found = {name: _field(name, data[name]) for name in _FIELDS}
    _consistent(found)
    return found


def _field(name: str, value: Any) -> Any:
    try:
        return _FIELDS[name](value)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _wrong(name) from None


def _wrong(name: str) -> ParameterError:
    return ParameterError(
        f"field {name} of a stored estimate is damaged or contradicts the others; give the text "
        "that estimate.to_json() wrote"
    )


def _consistent(fields: dict[str, Any]) -> None:
    """Compare the fields with each other."""
    size = SampleSize(*(fields[x] for x in ("guarantee", "m", "k", "gamma", "beta", "rho")))
    if not holds(size):
        raise _wrong("guarantee, m, k, gamma, beta or rho")
    if fields["step"] != lattice_step(fields["sensitivity"], fields["dimension"]):
        raise _wrong("sensitivity, step or dimension")
    if fields["failures"] > 2 * size.m:
        raise _wrong("failures")


# one parser a field: each raises an error of its own for what is none


def _need(true: object) -> None:
    if not true:
        raise ValueError


def _count(value: Any, least: int = 1) -> int:
    _need(type(value) is int and least <= value < 1 << 63)
    return value


def _number(value: Any) -> Fraction:
    _need(type(value) is str and _NUMBER.fullmatch(value))
    return Fraction(value)


def _positive(value: Any) -> Fraction:
    found = _number(value)
    _need(found > 0 and _double(found) > 0)
    return found


def _double(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError from None


def _share(value: Any) -> Fraction:
    found = _number(value)
    _need(0 <= found < 1)
    return found


def _text(value: Any) -> str:
    _need(type(value) is str and value and value.isprintable())
    return value


def _guarantee(value: Any) -> str:
    _need(value in GUARANTEES)
    return value


def _code(value: Any) -> str | None:
    _need(value is None or CODE.fullmatch(value))
    return value


def _flag(value: Any) -> bool:
    _need(type(value) is bool)
    return value


def _rho(value: Any) -> Fraction | None:
    return None if value is None else _share(value)


def _bounds(value: Any) -> tuple[Fraction, Fraction] | None:
    _need(value is None or type(value) is list)
    return None if value is None else parse_bounds([_number(end) for end in value])


def _form(value: Any) -> Form:
    _need(value.keys() == {"kind", "shape", "types", "columns"})
    columns = value["columns"]
    _need(type(value["shape"]) is list and type(value["types"]) is list)
    _need(columns is None or (type(columns) is list and len(columns) == len(value["types"])))
    return Form(
        _text(value["kind"]),
        tuple(_count(size, 0) for size in value["shape"]),
        tuple(_text(each) for each in value["types"]),
        None if columns is None else tuple(str(each) for each in columns),
    )


_FIELDS: dict[str, Callable[[Any], Any]] = {
    "sensitivity": _positive,
    "norm": _text,
    "n": _count,
    "m": _count,
    "k": _count,
    "guarantee": _guarantee,
    "gamma": _share,
    "beta": _share,
    "rho": _rho,
    "dimension": _count,
    "step": _positive,
    "bounds": _bounds,
    "function": _text,
    "code": _code,
    "form": _form,
    "batch": _flag,
    "failures": lambda value: _count(value, 0),
    "version": _text,
}
