"""Declared constants of filters and group keys: text, or exact numbers.

The rule that every back end follows, entry by entry:

* A number is compared with the column read as numbers. Integers compare exactly, whatever their
  size. Where the column holds floating-point numbers the constant is rounded to the column's type,
  as each entry was when it was read, so ``== 0.1`` finds 0.1. ``True`` and ``False`` are 1 and 0.
* Text is compared with the column read as text, without the blanks around either: ``"01"`` is not
  ``"1"``, and no number. An entry of a list or an object column counts by its ``str``.
* A date, a time or a duration is compared with the column read by its clock: as whole days, or as
  seconds rounded down, so ``<= date(2024, 1, 31)`` holds until the end of that day.
* None, NaN, a null and blank text are missing, and so is text that is not a number where numbers
  are asked for. A missing entry satisfies no comparison.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_list_or_tuple
from leastnoise.numbers import as_fraction
from leastnoise.params import listed
from leastnoise.summaries.columns import Clock, declared

Constant = str | Fraction
Key = Constant | int
"""A declared key: plain integers, of which there may be many, stay what they are."""

# Beyond these no float64 column could hold the number.
_LARGEST = Fraction(2**1023)


def parse_constant(value: object, what: str) -> Constant:
    """Text without the blanks around it, or the exact number.

    Raises
    ------
    ParameterError
        For None, NaN, blank text and numbers that no column can hold.
    ParameterTypeError
        For anything that is neither text nor a number.
    """
    if isinstance(value, str):
        text = str(value).strip()
        if not text:
            raise ParameterError(f"{what}: blank text is a missing value; use .is_missing()")
        return text
    if value is None or _is_nan(value):
        raise ParameterError(f"{what}: a missing value equals nothing; use .is_missing()")
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):  # numpy's, too
        return Fraction(int(bool(value)))
    try:
        number = as_fraction(value)
    except TypeError:
        raise ParameterTypeError(
            f"{what} must be text, a number, a datetime.date, datetime.datetime or "
            f"datetime.timedelta, all of one kind; not {type(value).__name__}"
        ) from None
    except ValueError:
        raise ParameterError(f"{what} must be a finite number") from None
    if abs(number) >= _LARGEST:
        raise ParameterError(f"{what} is too large for a column of numbers")
    return number


def parse_constants(values: object, what: str) -> tuple[Constant, ...]:
    """A list of constants: at least one, all text or all numbers.

    Raises
    ------
    ParameterError, ParameterTypeError
        If there is none, or if they are mixed.
    """
    values = listed(values)
    if not (is_list_or_tuple(values) or isinstance(values, range)):
        raise ParameterTypeError(
            f"{what} must be a list, such as ['N', 'S'], not {type(values).__name__}"
        )
    found = tuple(parse_constant(value, what) for value in values)
    if not found:
        raise ParameterError(f"{what} must hold at least one value")
    if len({isinstance(value, str) for value in found}) > 1:
        raise ParameterTypeError(f"{what} must be all text or all numbers")
    return found


def parse_timed(values: object, what: str) -> tuple[Clock | None, tuple[Constant, ...]]:
    """A list of constants, which may be dates, times or durations: their clock and numbers."""
    clock, plain = declared(values)
    return clock, parse_constants(plain, what)


def parse_key_list(values: object, what: str) -> tuple[Clock | None, tuple[Key, ...]]:
    """The same for keys, which must differ from one another."""
    found = _plain_integers(values)
    clock, found = (None, found) if found else parse_timed(values, what)
    if len(set(found)) < len(found):
        raise ParameterError(f"{what} must differ from one another")
    return clock, found


def _plain_integers(values: object) -> tuple[int, ...]:
    """The values if all are integers that a column can hold; none otherwise."""
    if not (is_list_or_tuple(values) or isinstance(values, range)):
        return ()
    if any(kind is not int for kind in set(map(type, values))):
        return ()
    found = cast("tuple[int, ...]", tuple(values))
    return found if found and min(found) > -_LARGEST and max(found) < _LARGEST else ()


def show_constant(value: Constant, clock: Clock | None = None) -> str:
    """The constant as a person writes it in Python; a time as conditions in text have it."""
    if clock is not None and not isinstance(value, str):
        return clock.written(value)
    if isinstance(value, str):
        return repr(value)
    if value.denominator == 1:
        return str(value.numerator)
    short = repr(float(value))
    return short if Fraction(short) == value else f"Fraction({str(value)!r})"


def _is_nan(value: Any) -> bool:
    try:
        return bool(value != value)
    except Exception:  # pandas' NA refuses the question
        return type(value).__name__ == "NAType"
