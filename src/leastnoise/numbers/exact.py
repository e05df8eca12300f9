"""Exact rationals at the door, and certified integer enclosures of exp, log and ln 2.

Everything behind the door is ``int`` and ``Fraction``: budgets add up without rounding, so ten
times 0.1 is exactly 1.

Every enclosure returns integers ``lo <= 2**bits * y <= hi`` for the exact real
``y``. Only integers are used. Error ledgers count *units*, 1 unit = ``2**-w``
for the working precision ``w > bits``; ``S`` stands for ``2**w``.

Method (argument reduction, table, Taylor polynomial): R. Brent and
P. Zimmermann, *Modern Computer Arithmetic*, Cambridge 2010, section 4.
"""

import numbers
import re
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

# Numbers computed from parameters are written into records and ledgers as exact text. Python turns
# integers of at most 4,300 digits into text, and a process may allow as few as 640.
MOST_DIGITS = 600
_MOST_BITS = (10**MOST_DIGITS).bit_length() - 1
# Working precisions are multiples of this, so that few tables are ever built.
_GRID = 32
# Guard bits: the ledgers below stay under 2 * k + 8 units, see there for k.
_GUARD = 12
# Extra precision while tables are built; their build errors stay below 2**20 units.
_TABLE_GUARD = 32
_EXP_INDEX_BITS = 8
_LOG_INDEX_BITS = 7


def _working_precision(bits: int, exponent: int) -> int:
    return -(-(bits + _GUARD + exponent.bit_length()) // _GRID) * _GRID


def _atanh_inverse(n: int, w: int) -> int:
    """``2**w * atanh(1/n)`` for n >= 2, at most ``w + 4`` units too small.

    Each of the at most ``w / (2 log2 n) + 1`` terms loses less than 2 units to
    the two floors; the tail is below one unit.
    """
    power = (1 << w) // n
    square = n * n
    total = power
    divisor = 3
    while power:
        power //= square
        total += power // divisor
        divisor += 2
    return total


@lru_cache(maxsize=64)
def ln2_enclosure(bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * ln 2 <= hi`` with ``hi - lo <= 2``, for ``bits >= 0``.

    ``ln 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)``.

    Raises
    ------
    ValueError
        If ``bits`` is negative.
    """
    if bits < 0:
        raise ValueError("bits must be >= 0")
    # The sum is off by at most 28 * (w + 4) units; extra >= bit_length(w) + 16 makes
    # that less than 2**-10 of one final unit: the two floors differ by at most one.
    extra = 16 + (bits + 64).bit_length()
    w = bits + extra
    total = 18 * _atanh_inverse(26, w) - 2 * _atanh_inverse(4801, w) + 8 * _atanh_inverse(8749, w)
    slack = 28 * (w + 4)
    return (total - slack) >> extra, ((total + slack) >> extra) + 1


@lru_cache(maxsize=16)
def _exp_tables(w: int) -> tuple[int, tuple[int, ...], int, tuple[int, ...]]:
    """Lower ln 2, ``S exp(-j/256)`` within 1.01 units, Taylor coefficients ``S / n!``."""
    wide = w + _TABLE_GUARD
    # Degree: the first omitted term, at most S 2**(-8 n) / n!, is below one unit.
    coefficients = [1 << wide]
    n = 0
    while coefficients[-1] >> (_EXP_INDEX_BITS * n):
        n += 1
        coefficients.append(coefficients[-1] // n)
    step = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        step = c - (step >> _EXP_INDEX_BITS)
    # step is within 3 units of 2**wide exp(-1/256); each product adds at most 5 more,
    # so the last of the 178 entries, j <= 256 ln 2, is within 2**10 wide units.
    table = [1 << wide]
    for _ in range(177):
        table.append(table[-1] * step >> wide)
    narrow = [c >> _TABLE_GUARD for c in coefficients]
    kept = [c for i, c in enumerate(narrow) if c >> (_EXP_INDEX_BITS * i)]
    return (
        ln2_enclosure(w)[0],
        tuple(t >> _TABLE_GUARD for t in table),
        kept[-1],
        tuple(reversed(kept[:-1])),
    )


def exp_enclosure(p: int, q: int, bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * exp(-p/q) <= hi`` with ``hi - lo <= 2``.

    Domain: ``p >= 0``, ``q > 0``, ``bits >= 0``. Below ``2**-bits`` the answer is
    ``(0, 1)`` and costs nothing; ``p == 0`` gives ``(2**bits, 2**bits)``.

    Raises
    ------
    ValueError
        Outside the domain.
    """
    return scaled_exp_enclosure(0, p, q, bits)


def scaled_exp_enclosure(shift: int, p: int, q: int, bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * min(1, 2**shift * exp(-p/q)) <= hi`` with ``hi - lo <= 2``.

    Domain: ``p >= 0``, ``q > 0``, ``bits >= 0``, any ``shift``.

    Raises
    ------
    ValueError
        Outside the domain.
    """
    if p <= 0 or q <= 0 or bits < 0:
        if p < 0 or q <= 0 or bits < 0:
            raise ValueError("p and bits must be >= 0 and q must be > 0")
        if bits + min(shift, 0) < 0:
            return 0, 1
        exact = 1 << bits + min(shift, 0)
        return exact, exact
    scale = bits + shift
    if p >= q * scale:  # 2**scale exp(-scale) <= 1, also for a negative scale
        return 0, 1
    w = _working_precision(bits, shift)
    ln2, table, top, coefficients = _exp_tables(w)
    # X = S p/q = k S ln 2 + R, and r - 2 k <= R < r + 1 since S ln 2 - 2 <= ln2 <= S ln 2.
    # exp(-p/q) = 2**-k exp(-R/S).
    k, r = divmod((p << w) // q, ln2)
    full = 1 << bits
    if k < shift:  # X < shift * ln2 <= shift S ln 2, so the minimum is 1
        return full, full
    j = r >> (w - _EXP_INDEX_BITS)
    f = r - (j << (w - _EXP_INDEX_BITS))
    # Horner with f/S < 2**-8: coefficient and product floors give below 1.01 units,
    # the omitted Taylor terms below 1.01.
    a = top
    for c in coefficients:
        a = c - (f * a >> w)
    # Table 1.01 + polynomial 2.02 + product floor 1 + (2 k + 1) for R - r: < 2 k + 6.
    m = table[j] * a >> w
    error = 2 * k + 8
    down = w + k - scale
    return min((m - error) >> down, full), min(((m + error) >> down) + 1, full)


@lru_cache(maxsize=16)
def _log_tables(w: int) -> tuple[int, tuple[int, ...], int, tuple[int, ...]]:
    """Lower ln 2, ``S ln(A/128)`` for A = 128..255 within 1.01 units, ``S / (2 i + 1)``."""
    wide = w + _TABLE_GUARD
    first = 1 << _LOG_INDEX_BITS
    logarithm = 0
    table: list[int] = []
    for a in range(first, 2 * first):
        table.append(logarithm >> _TABLE_GUARD)
        logarithm += 2 * _atanh_inverse(2 * a + 1, wide)  # ln((a + 1) / a)
    # The first omitted term of 2 atanh(z), z < 2**-8, is below 2**-8 units.
    count = w // (2 * (_LOG_INDEX_BITS + 1)) + 1
    series = [(1 << w) // (2 * i + 1) for i in range(count)]
    return ln2_enclosure(w)[0], tuple(table), series[-1], tuple(reversed(series[:-1]))


def log_enclosure(p: int, q: int, bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * ln(p/q) <= hi`` with ``hi - lo <= 2``.

    Domain: ``p > 0``, ``q > 0``, ``bits >= 0``; ``p == q`` gives ``(0, 0)``.

    Raises
    ------
    ValueError
        Outside the domain.
    """
    if p <= 0 or q <= 0 or bits < 0:
        raise ValueError("p and q must be > 0 and bits must be >= 0")
    if p == q:
        return 0, 0
    # p/q = 2**e (p/q scaled into [1, 2)).
    e = p.bit_length() - q.bit_length()
    if e >= 0:
        q <<= e
    else:
        p <<= -e
    if p < q:
        e -= 1
        p <<= 1
    w = _working_precision(bits, e)
    ln2, table, top, series = _log_tables(w)
    # ln(p/q) = ln(a/128) + 2 atanh(z), z = (128 p - a q) / (128 p + a q) < 2**-8.
    p <<= _LOG_INDEX_BITS
    a = p // q
    aq = a * q
    z = ((p - aq) << w) // (p + aq)
    y = z * z >> w
    s = top
    for c in series:
        s = c + (y * s >> w)
    # z 2.01 + series (2.1 units, times 2 z < 2**-7) 0.02 + omitted terms 0.01 + floor 1
    # + table 1.01 + 2 |e| for ln 2: below 2 |e| + 5.
    v = e * ln2 + table[a - (1 << _LOG_INDEX_BITS)] + (2 * z * s >> w)
    error = 2 * abs(e) + 8
    down = w - bits
    return (v - error) >> down, ((v + error) >> down) + 1


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
    # Durations register as integers too, but a count of nanoseconds is not a number.
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


def is_short(number: Fraction) -> bool:
    """Whether a number has few enough digits for records and ledgers."""
    return max(number.numerator.bit_length(), number.denominator.bit_length()) <= _MOST_BITS


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
