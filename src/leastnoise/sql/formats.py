"""Constant dates that other dialects make: of a text and its format, or of a year, month and day.

Formats are of three kinds, YYYY-MM-DD, yyyy-MM-dd and %Y-%m-%d. One with any sign that is not
listed here, of which dialects differ, is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any

_WORDS = {
    "YYYY": "%Y", "MONTH": "%B", "MON": "%b", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M",
    "SS": "%S",
}  # fmt: skip
_LETTERS = {
    "yyyy": "%Y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M",
    "ss": "%S",
}  # fmt: skip
_DIRECTIVES = {
    **{f"%{sign}": f"%{sign}" for sign in "YmdHMSbB"},
    "%e": "%d", "%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M",
}  # fmt: skip
_OF_MYSQL = {**_DIRECTIVES, "%i": "%M", "%s": "%S", "%M": "%B", "%c": "%m"}
_MYSQL = ("STR_TO_DATE", "STRTODATE", "DATE_PARSE")
_DAYS = ("TO_DATE", "PARSE_DATE", "TRY_TO_DATE")
_DATES = (*_DAYS, "STR_TO_DATE", "STRTODATE")
_CLOCK = {"%H", "%M", "%S"}
_TIMES = (
    *("TO_TIMESTAMP", "PARSE_TIMESTAMP", "PARSE_DATETIME", "PARSEDATETIME", "STRPTIME"),
    *("TRY_STRPTIME", "DATE_PARSE", "TRY_TO_TIMESTAMP"),
)
_OF_PARTS = {
    **dict.fromkeys(("DATE", "MAKE_DATE", "DATEFROMPARTS", "DATE_FROM_PARTS"), 3),
    **dict.fromkeys(("MAKE_TIMESTAMP", "TIMESTAMPFROMPARTS", "TIMESTAMP_FROM_PARTS"), 6),
    "DATETIMEFROMPARTS": 7,
}
_SINCE_1970 = ("TO_TIMESTAMP", "FROM_UNIXTIME", "TIMESTAMP_SECONDS", "MAKE_TIMESTAMP_S")
_WRITTEN = ("%d.%m.%Y", "%Y.%m.%d", "%Y/%m/%d", "%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%B %d, %Y")


def made(name: str, given: Sequence[Any]) -> date | None:
    """The date or time that a function makes of constants; None where that is not known.

    Raises
    ------
    ValueError, OverflowError
        If its parts are no date.
    """
    if any(type(each).__name__ != "Literal" for each in given):
        return None
    texts = [str(each.this).strip() for each in given]
    if all(each.args.get("is_string") for each in given):
        return _of_format(name, texts)
    if name not in _OF_PARTS or len(texts) != _OF_PARTS[name]:
        return None
    if not all(text.isdecimal() and len(text) <= 4 for text in texts):
        return None
    parts = [int(text) for text in texts]
    day = date(*parts[:3])
    if len(parts) == 3 or any(parts[6:]):
        return day if len(parts) == 3 else None
    hour, minute, second = parts[3:6]
    return datetime.combine(day, time(hour, minute, second))


def _of_format(name: str, texts: list[str]) -> date | None:
    if len(texts) == 1 and name in _DATES:
        found = read_text(texts[0])
        return None if isinstance(found, datetime) else found
    if len(texts) != 2 or name not in (*_DATES, *_TIMES):
        return None
    dialects = [_OF_MYSQL] if name in _MYSQL else [_DIRECTIVES, _LETTERS, _WORDS]
    for text, given in (texts, texts[::-1]):
        form = next((form for signs in dialects if (form := _read(given, signs))), None)
        parts = {*re.findall("%.", form or "")}
        if not form or not parts >= {"%Y", "%d"} or not parts & {"%m", "%b", "%B"}:
            continue
        with suppress(ValueError):
            found = datetime.strptime(text, form)
            if not _CLOCK & parts:
                return found.date() if name in _DATES else found
            return None if name in _DAYS else found  # dialects differ in the hours of a date
    return None


def _read(given: str, signs: Mapping[str, str]) -> str | None:
    """A format in the directives of Python; None of a text that is none, or has other signs."""
    given = given.upper() if signs is _WORDS else given
    listed = re.compile("|".join(sorted(signs, key=len, reverse=True)))
    form, found = listed.sub(lambda at: signs[at[0]], given), {*listed.findall(given)}
    minutes = "mm" in found and "HH" not in found  # yyyy-mm-dd means months
    known = found and not re.search("[A-Za-z%]", listed.sub("", given))
    return form if known and not minutes else None


def read_text(text: str) -> date | None:
    """The date or time that a text is meant as, 2024-1-31 too; None of any other text."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    with suppress(ValueError):
        day = date(*(int(part) for part in found.groups()[:-1] if part is not None))
        rest = found[found.re.groups]
        return day if rest is None else datetime.fromisoformat(f"{day.isoformat()}T{rest}")
    return None


_DATE = re.compile(r"(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{4})(\d\d)(\d\d))(?:[ T](\S.*))?", re.ASCII)


def read_clock(text: str) -> timedelta | None:
    """The time of a day that a text is, 12:30."""
    with suppress(ValueError):
        found = time.fromisoformat(text.strip().rjust(5, "0"))
        if ":" in text and not found.microsecond and found.tzinfo is None:
            return timedelta(hours=found.hour, minutes=found.minute, seconds=found.second)
    return None


def since_1970(name: str, given: Sequence[Any]) -> datetime | None:
    """A time in UTC that a number of seconds is."""
    number = str(given[0].this) if len(given) == 1 and type(given[0]).__name__ == "Literal" else ""
    if name in _SINCE_1970 and number.isdecimal() and len(number) <= 11:
        return datetime(1970, 1, 1) + timedelta(seconds=int(number))
    return None


def guessed(text: str) -> date | None:
    """The date that a text is in the words of other countries, 31.1.2024, if it is one alone."""
    day, _, rest = text.strip().partition(" ")
    if rest and not re.fullmatch(r"\d\d?:\d\d(:\d\d)?", rest):
        day, rest = text.strip(), ""
    found = {each for form in _WRITTEN if (each := _parsed(day, form)) is not None}
    found |= {each for form in _SLASHES if (each := _parsed(day, form)) is not None}
    if len(found) != 1:
        return None
    (only,) = found
    with suppress(ValueError):
        return datetime.combine(only, time.fromisoformat(rest)) if rest else only
    return None


_SLASHES = ("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")


def _parsed(text: str, form: str) -> date | None:
    with suppress(ValueError):
        return datetime.strptime(text, form).date()
    return None
