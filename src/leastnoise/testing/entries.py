"""Awkward entries of a column by its declared type, to be drawn at random.

Each function gives a drawing function: from a ``random.Random`` to one entry. They know what has
gone wrong before: ends of integer types, numbers that doubles do not tell apart, NaN of any
payload, texts that look like numbers or like nothing, texts as long as limits of libraries, objects
whose methods do anything at all.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from leastnoise.testing.locality.objects import hostile_objects

Draw = Callable[[Random], Any]

# Around the limits of one field, of libraries and of this one.
_LENGTHS = (99_999, 100_000, 100_001, 131_071, 131_072, 131_073, 200_000)
_LONG = 0.02
_WORDS = (
    *("a", "b", "a ", " b", "A", "é", "e\u0301", "ß", "N", "S", "yes", "x, y", 'say "a"', "a;b"),
    *("1", "2", "1.0", "0", "-0", "01", " 2 ", "1e0", "1,5", "1_000", "0x10", "1e400", "-inf"),
    *("9007199254740993", "1152921504606846983", "0.1", "5e-324", "1e-200", "1e308", "\u0661"),
    *("nan", "NaN", "NA", "N/A", "None", "null", "NULL", "<NA>", "-", "inf", "True", "false"),
    *("", " ", "\t", "\u00a0", "\u3000", "\ufeff", "a\nb", "a\r\nb", "\r", "a\tb", "#", "'"),
    *("\ufffe1", "\x1a", "2020-01-01", "[1, 2)", "{}", "\U0001f600", "a" * 300),
)  # fmt: skip


def integers(low: int, high: int) -> Draw:
    """Whole numbers of a type that holds those from ``low`` to ``high``."""
    known = (0, 1, 2, 3, 7, -1, 2**53, 2**53 + 1, 2**53 + 3, -(2**53) - 1, 2**60 + 7, 2**60 + 14)
    special = [x for x in (*known, low, low + 1, high - 1, high) if low <= x <= high]

    def draw(random: Random) -> int:
        if random.random() < 0.8:
            return random.choice(special)
        return random.randint(low, high)

    return draw


def booleans() -> Draw:
    """True and False."""
    return lambda random: random.random() < 0.5


# Sign, all of the exponent, then the bit that makes a NaN quiet and the payload.
_FLOATS: dict[int, tuple[Any, Any, tuple[int, ...]]] = {
    64: (
        np.uint64,
        np.float64,
        (0x7FF8 << 48, 0xFFF8 << 48, (0x7FF0 << 48) + 1954, (0xFFF0 << 48) + 1, (1 << 63) - 1),
    ),
    32: (np.uint32, np.float32, (0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7FFFFFFF)),
    16: (np.uint16, np.float16, (0x7E00, 0xFE00, 0x7C01, 0xFC01, 0x7FFF)),
}


def floats(bits: int = 64) -> Draw:
    """Numbers of a floating-point type: NaN of every kind, infinities, both zeros, tiny, huge.

    Of 64 bits they are Python's, of 32 and 16 numpy's.
    """
    unsigned, kind, nans = _FLOATS[bits]
    info = np.finfo(kind)
    plain = (0.0, -0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, 7.0, 0.1, 0.2, float("inf"), float("-inf"))
    edges = (info.max, info.min, info.tiny, info.smallest_subnormal, -info.smallest_subnormal)
    wide = (1e-200, 1e200, -1e-160, 2.0**53, 2.0**53 + 2, 2.0**60) if bits == 64 else ()

    def draw(random: Random) -> Any:
        kindly = random.random()
        if kindly < 0.2:
            pattern = random.choice(nans)
            # through bytes: a signalling NaN that is computed with becomes a quiet one
            if bits == 64:
                return struct.unpack("<d", struct.pack("<Q", pattern))[0]
            return np.array([pattern], unsigned).view(kind)[0]
        if kindly < 0.3:
            return _plain(kind(random.gauss(0, 10)))
        pool = plain if kindly < 0.75 else (*edges, *wide)
        value = random.choice(pool)
        return _plain(kind(value))

    return draw


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, np.float64) else value


def decimals(digits: int, scale: int) -> Draw:
    """Decimals of a type with this many digits, ``scale`` of them after the point."""
    most = 10**digits - 1

    def draw(random: Random) -> Decimal:
        whole = random.choice((0, 1, -1, 2, 15, 10 ** min(digits - 1, 17) + 1, most, -most))
        if abs(whole) > most:
            whole = 1
        sign, places, _ = Decimal(whole).as_tuple()
        return Decimal((sign, places, -scale))

    return draw


def texts(*, lone: bool = False, longest: bool = True) -> Draw:
    """Texts: blank, like numbers or dates, with separators and quotes, of any length.

    Parameters
    ----------
    lone
        Half surrogate pairs and zero characters too, which few libraries take.
    longest
        Texts of more than 100,000 characters too.
    """
    words = (*_WORDS, *(("\ud800", "a\udc00", "\0", "a\0b", "a\0") if lone else ()))
    limit = long_texts()

    def draw(random: Random) -> str:
        return limit(random) if longest and random.random() < _LONG else random.choice(words)

    return draw


def long_texts() -> Draw:
    """Texts as long as a limit of a library or of this one, or about."""
    return lambda random: random.choice("ab1é") * random.choice(_LENGTHS)


def encoded() -> Draw:
    """Bytes of texts, some of them no UTF-8."""
    broken = (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"caf\xe9", b"\xf5\x80\x80\x80")
    text = texts()

    def draw(random: Random) -> bytes:
        return random.choice(broken) if random.random() < 0.2 else text(random).encode()

    return draw


def hostile() -> Draw:
    """Objects with one method, or all, that raises, prints, warns or returns something odd."""
    return hostile_objects()


def objects() -> Draw:
    """Entries of columns without a type: numbers, texts, containers, and hostile objects."""
    others: Sequence[Callable[[], Any]] = (
        *(lambda: None, lambda: True, lambda: b"5", lambda: 1 + 2j, lambda: [1], lambda: (1, 2)),
        *(lambda: {"a": 1}, lambda: set[int](), object, lambda: type, lambda: Exception("a")),
        *(lambda: 10**400, lambda: -(10**400), lambda: Fraction(1, 3), lambda: Fraction(10**400)),
        *(lambda: Decimal("0.1"), lambda: Decimal("sNaN"), lambda: Decimal("1e999")),
        *(lambda: np.float32(1.5), lambda: np.float16("inf"), lambda: np.longdouble("1e4000")),
        *(lambda: np.int8(-3), lambda: np.bool_(True), lambda: np.str_("a"), lambda: np.ma.masked),
        *(lambda: np.array(2.0), lambda: np.array([1, 2]), lambda: np.datetime64("NaT")),
        *(lambda: np.array([1], [("f", "i4")])[0], lambda: np.datetime64("2020-01-01")),
        *(lambda: _nested(2000), lambda: memoryview(b"ab"), lambda: range(3), lambda: ...),
    )  # fmt: skip
    whole, real, text, foreign = (
        integers(-(2**63), 2**64),
        floats(),
        texts(lone=True),
        hostile_objects(),
    )

    def draw(random: Random) -> Any:
        kindly = random.random()
        if kindly < 0.2:
            return whole(random)
        if kindly < 0.4:
            return real(random)
        if kindly < 0.6:
            return text(random)
        return foreign(random) if kindly < 0.8 else random.choice(others)()

    return draw


def _nested(depth: int) -> list[Any]:
    """A list in a list in a list: its repr recurses beyond Python's limit."""
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def counts() -> Draw:
    """Whole numbers of 64 bits that a type of times holds: around days, seconds and their ends."""
    known = (0, 1, -1, 86_399, 86_400, -86_400, 10**6 - 1, -(10**6), 10**9, -(10**9) - 1, 10**15)
    return lambda random: random.choice((*known, 2**63 - 1, -(2**63) + 1, -(2**63)))


def times() -> Draw:
    """Dates, datetimes with and without a zone, durations, and texts like them in ISO form."""
    east = timezone(timedelta(hours=9))
    known: Sequence[Any] = (
        *(date(1970, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date.min, date.max),
        *(datetime(1969, 12, 31, 23, 59, 59, 5), datetime(1970, 1, 1), datetime.min, datetime.max),
        *(datetime(1970, 1, 1, tzinfo=east), datetime(2024, 2, 29, tzinfo=UTC)),
        *(timedelta(0), timedelta(microseconds=-1), timedelta(days=1), timedelta.min),
        *(np.datetime64("1970-01-01"), np.datetime64(2**62, "W"), np.datetime64("NaT")),
        *(np.datetime64("1969-12-31T23"), np.timedelta64(90, "m"), np.timedelta64(1, "Y")),
        *("1970-01-01", "1969-12-31T23:59:59.9", "1970-01-01 00:00Z", "2024-02-30", "0000-01-01"),
        *("1970-01-01T09:00+09:00", "1970-01-01T00:00+99", "PT1.5S", "-PT0.1S", "P", "31.12.1969"),
    )  # fmt: skip
    return lambda random: random.choice(known)


def or_missing(draw: Draw, share: float = 0.15) -> Draw:
    """The same entries, and None."""
    return lambda random: None if random.random() < share else draw(random)
