"""The one rule by which an entry of unknown type becomes a float64, row by row.

Lists, object arrays and text files have no type that says what they hold. Looking at the values to
guess one would let a single record change how all the others are read, so every entry is converted
by itself:

* int, float, bool, Decimal, Fraction, numpy scalars and whatever else offers ``__float__``: the
  nearest float64; too large for one: +inf or -inf, a number out of bounds;
* text: surrounding blanks are stripped, then it is a number in the declared dialect, in ASCII
  digits, or "inf", "infinity" with or without a sign, or "true" (1) or "false" (0) in letters of
  any case; Python's ``1_000`` is none;
* everything else (None, NaN, "", other text, text of more than 100,000 characters, dates, bytes,
  complex numbers, objects that fail): NaN, which is the missing value.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.foreign import all_among, all_of, attempted, guarded, stop_if_signalled
from leastnoise.frames.contract import Absent, Mask, Physical, Run
from leastnoise.production import quiet, sealed
from leastnoise.summaries.columns import Reading

BLOCK = 1 << 16
LONGEST = 100_000
"""Longer text is missing: it bounds the memory that one field of a file can take."""

# Classes by their identity: one of the caller's own may be equal to another by its own rule.
_PLAIN = frozenset(map(id, (float, np.float64, int, bool, type(None))))
_SCALARS = {kind for kind in np.sctypeDict.values() if not issubclass(kind, (np.void, np.object_))}
_SILENT = frozenset(
    map(
        id,
        (
            *(type(None), bool, int, float, complex, str, bytes, Decimal),
            *(datetime.date, datetime.timedelta),
            *_SCALARS,
        ),
    )
)
_ZONED = (datetime.datetime, datetime.time)
_SILENT_OR_ZONED = _SILENT | set(map(id, _ZONED))
_NOT_NUMBERS = (bytes, np.complexfloating, np.datetime64, np.timedelta64, np.void)
_LEAST = 1e-300
_INFINITE = frozenset({"inf", "infinity"})


# How frames write booleans to text files.
_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How numbers are written in text, and what stands for a missing entry.

    Parameters
    ----------
    decimal
        The decimal sign, one character.
    thousands
        The sign between groups of digits, one character, or None. It is accepted between whole
        groups only: the last has three digits, the others two or three (12,34,567), so that a
        decimal comma read as a thousands sign is missing rather than ten times too large.
    absent
        Texts and numbers that are missing entries.

    Raises
    ------
    ParameterTypeError
        If a sign is not text.
    ParameterError
        If a sign is not one character, is a letter, digit, plus, minus, quote or line end, if the
        decimal sign is a blank, or if both signs are equal.
    """

    decimal: str = "."
    thousands: str | None = None
    absent: Absent = field(default_factory=Absent)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Dialect:
        """What the keywords of ``open_table`` declare."""
        signs = cls(options.get("decimal", "."), options.get("thousands"))
        return replace(signs, absent=Absent.of(options.get("missing_values"), signs.exact))

    def __post_init__(self) -> None:
        """Check both signs."""
        for label, sign in (("decimal", self.decimal), ("thousands", self.thousands)):
            if sign is None and label == "thousands":
                continue
            if not isinstance(sign, str):
                raise ParameterTypeError(f"{label} must be text, not {type(sign).__name__}")
            if len(sign) != 1 or sign.isalnum() or sign in '+-"\r\n':
                raise ParameterError(
                    f"{label} must be one character such as '.' or ',', and no letter, digit, sign,"
                    f" quote or line end; not {quoted(sign)}"
                )
        if self.decimal.isspace():
            raise ParameterError("decimal must not be a blank")
        if self.decimal == self.thousands:
            raise ParameterError(
                f"decimal and thousands must differ; both are {quoted(self.decimal)}"
            )

    @property
    def plain(self) -> bool:
        """True if numbers are written as Python writes them."""
        return self.decimal == "." and self.thousands is None

    def number(self, text: str) -> float:
        """Read one text by the rule of this module; never raises."""
        if not text or len(text) > LONGEST:
            return np.nan
        text = text.strip()
        if self.plain:
            if not text.isascii() or "_" in text:
                return np.nan
        elif _pattern(self.decimal, self.thousands).fullmatch(text):
            if self.thousands is not None:
                text = text.replace(self.thousands, "")
            text = text.replace(self.decimal, ".")
        elif text.lower() not in _TRUTH and text.lower().lstrip("+-") not in _INFINITE:
            return np.nan
        try:
            return float(text)
        except ValueError:
            return _TRUTH.get(text.lower(), np.nan)

    def exact(self, text: str) -> Fraction | float | None:
        """The number that a text reads as, infinite ones as doubles; None if it is none."""
        near = self.number(text)
        if not np.isfinite(near):
            return None if np.isnan(near) else near
        written = text if self.thousands is None else text.replace(self.thousands, "")
        try:  # near 0 an exponent may have any size
            return Fraction(written.replace(self.decimal, ".") if abs(near) > _LEAST else near)
        except ValueError:  # "true", or more digits than Python reads
            return Fraction(near)

    def texts(self, block: Sequence[str]) -> NDArray[np.float64]:
        """Read many texts: `number` of each."""
        if self.plain:
            joined = "".join(block)
            # Among short ASCII texts without "_", float() accepts what `number` accepts.
            if (
                joined.isascii()
                and "_" not in joined
                and (len(joined) <= LONGEST or max(map(len, block)) <= LONGEST)
            ):
                try:
                    return np.fromiter(map(float, block), np.float64, len(block))
                except ValueError:
                    pass
        return np.fromiter(map(self.number, block), np.float64, len(block))

    def numbers(self, texts: Collection[str]) -> dict[str, float]:
        """Those of some texts that read as numbers, each with its number."""
        listed = list(texts)
        read = zip(listed, self.texts(listed).tolist(), strict=True)
        return {text: number for text, number in read if number == number}

    def entry(self, item: object) -> float:
        """Convert one object by the rule of this module; never raises."""
        kind: type[Any] = type(item)
        if kind is float:
            return item  # pyright: ignore[reportReturnType]  # its type was asked
        if issubclass(kind, str):
            return self.number(str.__str__(item))  # pyright: ignore[reportArgumentType]  # text
        return np.nan if item is None else _from_object(item, kind)


def unheard(entries: Sequence[object]) -> AbstractContextManager[None]:
    """While these entries are read, what a class of the caller's own prints, logs or warns of is
    dropped: it may be about its row. Where no class is, nothing is turned off.
    """
    if all_among(entries, _SILENT):
        return nullcontext()
    still = all_among(entries, _SILENT_OR_ZONED) and all(map(_of_known_zone, entries))
    return nullcontext() if still else sealed()


def _of_known_zone(entry: Any) -> bool:
    """False for a time whose zone, or the zone's offset, is of a class of the caller's own."""
    if type(entry) not in _ZONED or (zone := entry.tzinfo) is None:
        return True
    if type(zone) is datetime.timezone:
        return type(datetime.timezone.utcoffset(zone, None)) is datetime.timedelta
    from zoneinfo import ZoneInfo

    return type(zone) is ZoneInfo


def to_floats(entries: Sequence[object] | NDArray[Any], dialect: Dialect) -> NDArray[np.float64]:
    """Convert every entry by itself; never raises, whatever the entries are.

    Parameters
    ----------
    entries
        A list, tuple, range or one-dimensional object array.
    dialect
        How numbers are written in text.
    """
    values = np.full(len(entries), np.nan)
    for start in range(0, len(values), BLOCK):
        block = list(entries[start : start + BLOCK])
        found = values[start : start + len(block)]
        if all_of(block, str):
            found[:] = dialect.texts(block)  # pyright: ignore[reportArgumentType]  # all text
            continue
        if all_among(block, _PLAIN):
            try:
                # numpy applies float() to exactly these types, and reads None as NaN
                found[:] = np.array(block, dtype=np.float64)
                continue
            except OverflowError:  # an int can be too large
                pass
        # what a class of the caller's own raises, warns of, prints and logs
        with guarded(), quiet(), unheard(block):
            found[:] = np.fromiter(map(dialect.entry, block), np.float64, len(block))
    return values


def _from_object(item: Any, kind: type[Any]) -> float:
    try:
        if issubclass(kind, _NOT_NUMBERS) or not (
            hasattr(kind, "__float__") or hasattr(kind, "__index__")
        ):
            return np.nan
        if issubclass(kind, np.ndarray) and (item.ndim or item.dtype.kind not in "biuf"):
            return np.nan
        return float(item)
    except OverflowError:
        return attempted(lambda: _overflowed(item), np.nan)
    except BaseException:  # a foreign __float__ may raise anything at all
        stop_if_signalled()
        return np.nan


def _overflowed(item: Any) -> float:
    """The infinity of a number too large for a double; a subclass may override the comparison."""
    if not isinstance(item, (int, Fraction)):
        return np.nan
    return np.inf if item > 0 else -np.inf


@lru_cache(maxsize=64)
def _pattern(decimal: str, thousands: str | None) -> re.Pattern[str]:
    whole = "[0-9]+"
    if thousands is not None:
        sign = re.escape(thousands)
        whole = f"(?:[0-9]{{1,3}}(?:{sign}[0-9]{{2,3}})*{sign}[0-9]{{3}}|[0-9]+)"
    point = re.escape(decimal)
    return re.compile(f"[+-]?(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")


# What reads lists, tuples and ranges, whose entries are of no declared type: a front end.

_SEQUENCES = (list, tuple, range)


def accepted() -> Sequence[type]:
    """Give the classes of sequences."""
    return _SEQUENCES


def physical(dtype: type) -> Physical:
    """Give the one way to read a sequence, whatever it holds."""
    kind = next((kind for kind in _SEQUENCES if issubclass(dtype, kind)), None)
    return Physical(dtype.__name__, Reading.OTHER) if kind is None else _ROWS[kind]


def numbers(
    native: Sequence[object], physical: Physical, dialect: Dialect
) -> tuple[NDArray[Any], Mask | None]:
    """Read the entries by the rule of this module."""
    return to_floats(native, dialect), None


def texts(native: Sequence[object], physical: Physical) -> Iterable[Run]:
    """Give the entries as they are."""
    return [(native, None)]


_ROWS = {kind: Physical(kind.__name__, Reading.ENTRIES) for kind in _SEQUENCES}
