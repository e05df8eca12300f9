"""Parameters become exact rationals at the door.

Everything behind the door is ``int`` and ``Fraction``: budgets add up without
rounding, so ten times 0.1 is exactly 1.
"""

import numbers
import re
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

# A number such as 1e999999999 would fill the memory as an exact integer.
_MAX_DIGITS = 4_000
# Whatever context the caller has set; no operation is trapped.
_DECIMALS = Context(prec=28, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, traps=[])

_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")


def as_fraction(value: object) -> Fraction:
    """Return the exact rational that ``value`` denotes.

    A binary float is read as its shortest decimal text, ``Fraction(repr(x))``,
    because that is the number its author wrote; a numpy scalar is read as the
    shortest text of its own width, so ``numpy.float32(0.1)`` is 1/10.

    Parameters
    ----------
    value
        int, float, ``Decimal``, ``Fraction``, a numpy integer or floating
        scalar, or text such as ``"0.5"``, ``"1e-6"``, ``"1/2"``.

    Raises
    ------
    TypeError
        For bool, None, complex numbers, durations, sequences and all else.
    ValueError
        For NaN, infinities, text that is not a number (``"1,5"``, ``"1_000"``),
        and numbers of more than 4,000 digits. The message repeats no value.
    """
    if type(value) is Fraction:
        return value
    if isinstance(value, bool):
        raise TypeError("expected a number, got bool")
    if isinstance(value, Fraction):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, int):
        return Fraction(int(value))
    if isinstance(value, float):
        number = float(value)
        if number.is_integer() and abs(number) < 2**53:  # its text is that of the integer
            return Fraction(int(number))
        return _from_text(repr(number))
    if isinstance(value, str):
        return _from_text(value.strip(" \t\r\n"))
    if isinstance(value, Decimal):
        return _from_decimal(value)
    if type(value).__module__ == "numpy":
        return _from_numpy(value)
    raise TypeError(f"expected a number, got {type(value).__name__}")


def _from_numpy(value: object) -> Fraction:
    # numpy scalars register with the number tower, so numpy need not be imported.
    # Durations register as integers too, but a count of nanoseconds is no number.
    if type(value).__name__ != "timedelta64":
        if isinstance(value, numbers.Integral):
            return Fraction(int(value))
        if isinstance(value, numbers.Real):
            # not by str, which the options for printing arrays can cut to fewer digits
            numpy: Any = sys.modules["numpy"]
            return _from_text(numpy.format_float_scientific(value, trim="-"))
    raise TypeError(f"expected a number, got numpy.{type(value).__name__}")


def _from_decimal(value: Decimal) -> Fraction:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError("expected a finite number")
    if len(digits) > _MAX_DIGITS or abs(exponent) > _MAX_DIGITS:
        raise ValueError(f"expected a number of at most {_MAX_DIGITS} digits")
    magnitude = int("".join(map(str, digits)) or "0")
    return (-1 if sign else 1) * magnitude * Fraction(10) ** exponent


def _from_text(text: str) -> Fraction:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"expected a number of at most {_MAX_DIGITS} digits")
    ratio = _RATIO.fullmatch(text)
    if ratio is not None:
        denominator = int(ratio[2])
        if denominator == 0:
            raise ValueError("expected a number, got a fraction with denominator zero")
        return Fraction(int(ratio[1]), denominator)
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None:
        raise ValueError('expected a finite number such as "0.5", "1e-6" or "1/2"')
    if decimal[1] is not None and abs(int(decimal[1])) > _MAX_DIGITS:
        raise ValueError(f"expected a number of at most {_MAX_DIGITS} digits")
    return Fraction(text)


def round_half_up(numerator: int, denominator: int) -> int:
    """Return ``floor(numerator / denominator + 1/2)``.

    Monotone in the ratio and independent of any data, hence a rounding under
    which lower and upper bounds keep their order.

    Raises
    ------
    ValueError
        If ``denominator`` is not positive.
    """
    if denominator <= 0:
        raise ValueError("denominator must be positive")
    return (2 * numerator + denominator) // (2 * denominator)


def short_text(value: Fraction) -> str:
    """A number for a message: exact where it is short, else about so much.

    >>> short_text(Fraction(1, 4)), short_text(Fraction(1, 10**300)), short_text(Fraction(1, 3))
    ('0.25', '1e-300', 'about 0.333333')
    """
    if value.denominator == 1 and abs(value.numerator) < 10**15:
        return str(value.numerator)
    with localcontext(_DECIMALS):
        near = Decimal(value.numerator) / Decimal(value.denominator)
        text = f"{near.normalize():g}"
        if len(text) <= 24 and Fraction(text) == value:
            return text
        return f"about {near:.6g}"
