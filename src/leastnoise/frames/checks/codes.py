"""NOT PRIVATE. Numbers that are names of something: codes, years, months, days, times."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from leastnoise.frames.checks.report import Finding

_ENOUGH = 10  # different values of a column of months
_LARGEST_EXACT = 2**53
# Names of columns of codes of one length: those that are known, and any that says so.
_KNOWN_CODES = re.compile(
    r"\b(?:zip|postal|post ?code|postleit|plz|fips|cap|cep|insee|geo ?id|tract|ags|siren|siret|blz"
    r"|ssn|naics|nace|gtin|ean|isbn|ndc|npi|phone|tel(?:e[fp]|$))",
    re.IGNORECASE,
)
_CODES = re.compile(r"(?:codes?|schl(?:ü|ue)ssel|codigo|código|codice|clave)\b", re.IGNORECASE)
_LETTERED = re.compile(r"\d+([A-Z])\d+", re.ASCII)  # one that reads as a number, with an E
_YEAR = re.compile(r"(?:^|[^a-z])(?:years?|yrs?|jahr|ann[ée]e|año|ano|anno)(?:$|[^a-z])", re.I)
_SHARE = re.compile(
    r"share|percent|(?:^|[^a-z])(?:pct|perc|rate|ratio|quota|quote|anteil|taux|prozent|proportion)"
    r"(?:$|[^a-z])|%",
    re.I,
)
CALENDARS = (
    (2440, 2640, "the Buddhist calendar, 543 years ahead"),
    (1300, 1480, "the Persian or the Islamic calendar"),
)
_LEAST_PERCENT, _PARTS = 2, 20  # rows of each kind, and for one between
_AGE = re.compile(r"(?:^|[^a-z])(?:ages?|alter|[âa]ge|edad|et[àa]|idade)(?:$|[^a-z])", re.I)
_YEARS = range(1800, 2200)
_DEGREES = re.compile(r"(?:^|[^a-z])(?:lat|lon|lng)(?:itude|gitude)?(?:_?e\d)?(?:$|[^a-z])", re.I)
_MOST_DEGREES = 1000
_ENOUGH_TIMES, _MANY_MINUTES, _NOON, _MIDNIGHT = 100, 30, 1259, 2400
_SHORT_CODE = 4  # digits from which a code is told by such a name
_DATED = re.compile(
    r"\b(?:date|day|time|datum|dato|fecha|jour|timestamp|ts|dob|birth\w*|born|start\w*|end\w*"
    r"|(?:cre|upd)ated|modified|opened|closed|admi\w+|discharge\w*|hired?|when|since|until)\b",
    re.IGNORECASE,
)


def _day(unit: int, first: datetime.date) -> Callable[[float], str]:
    return lambda x: (first + datetime.timedelta(days=x // unit)).isoformat()


_UNIX = datetime.date(1970, 1, 1)
_FIRST_DAYS = {
    "a spreadsheet counts": datetime.date(1899, 12, 30),
    "SAS and Stata count": datetime.date(1960, 1, 1),
    "R and pandas count": _UNIX,
}


def _days(number: float) -> str:
    return ", or ".join(f"{_day(1, x)(number)} as {who}" for who, x in _FIRST_DAYS.items())


# The smallest and largest number, what it counts, and the day that it stands for.
_CLOCKS = (
    (20_000, 60_000, "days as a program counts them", _days),
    (3e8, 4e9, "seconds since 1970", _day(86_400, _UNIX)),
    (3e11, 4e12, "milliseconds since 1970", _day(86_400_000, _UNIX)),
    (3e14, 4e15, "microseconds since 1970", _day(86_400_000_000, _UNIX)),
    (3e17, 4e18, "nanoseconds since 1970", _day(86_400_000_000_000, _UNIX)),
)


def check_codes(
    where: str, numbers: Mapping[str, float], counts: Counter[str]
) -> Iterator[Finding]:
    """Digits that are a name: as a number they are another, or mean nothing."""
    digits = [*numbers]
    if len(digits) < 3 or not all(map(str.isdecimal, digits)):
        yield from _rounded(where, numbers)
        return
    zeros = [text for text in digits if len(text) > 1 and text[0] == "0"]
    lengths = sorted({len(text) for text in digits})
    if zeros:
        what = f"some begin with a zero, such as {zeros[0]!r}, so they are codes"
        if len(lengths) > 1 and lengths[-1] - lengths[0] == 1:
            what += f", and others are shorter, as if zeros were lost: {_of(digits, lengths[0])!r}"
        yield _code(where, what)
    elif _lost_zeros(re.sub(r"[\W_]+", " ", where).strip(), lengths):
        short, long = lengths
        yield _code(
            where,
            f"codes of {long} digits and of {short}, such as {_of(digits, short)!r}: zeros may be "
            "lost",
        )
    elif max(numbers.values()) > _LARGEST_EXACT:
        yield _code(where, "numbers beyond 2^53 are rounded where they are read as numbers")
    elif lengths == [6] and len(digits) >= _ENOUGH and all(map(_is_month, digits)):
        yield Finding(
            where,
            f"whole numbers that may be months, such as {digits[0]!r}: between 202312 and 202401 "
            "there are 89",
            "where they are, rewrite them, each on its own, as 2024-01-01, or count them as labels",
        )
    elif lengths == [7] and len(digits) >= _ENOUGH and all(map(_is_ordinal, digits)):
        yield Finding(
            where,
            f"whole numbers that may be a year and a day of it, such as {digits[0]!r}: between "
            "2023365 and 2024001 there are 636",
            "where they are, rewrite them, each on its own, as 2024-01-31",
        )
    elif lengths in ([12], [14]) and all(map(_is_moment, digits)):
        yield Finding(
            where,
            f"whole numbers that are times, such as {digits[0]!r}, of which no difference is one",
            "rewrite them, each on its own, as 2024-01-31T08:30:00",
        )
    elif _DEGREES.search(where) and all(x > _MOST_DEGREES for x in numbers.values()):
        yield Finding(
            where,
            f"numbers such as {digits[0]!r} in a column with the name of a coordinate are no "
            "degrees, but a part of them, such as ten-millionths",
            "rewrite them, each on its own, as degrees",
        )
    elif all(len(text) == 8 for text in digits) and all(map(_is_day, digits)):
        yield Finding(
            where,
            f"whole numbers that are days, such as {digits[0]!r}: between 20240131 and 20240201 "
            "there are 70",
            "rewrite them, each on its own, as 2024-01-31",
        )


def short_years(where: str, texts: Collection[str]) -> Iterator[Finding]:
    """Years of two digits, beside others of four or in a column that says so."""
    if any(2 < len(text) != 4 for text in texts):
        return
    texts = {*texts} - {"0"}  # which may stand for none
    short = sorted(text for text in texts if len(text) < 3)
    long = [text for text in texts if len(text) == 4 and text.isdecimal() and int(text) in _YEARS]
    named = _YEAR.search(where) is not None
    if not all(map(str.isdecimal, short)) or len(short) + len(long) < len(texts):
        return
    alone = named and all(len(text) == 2 for text in short) and any(x[0] == "0" for x in short)
    beside = bool(long) and (named or 2 * len(long) > len(short))
    if long and short and _AGE.search(where):
        yield Finding(
            where,
            f"years such as {long[0]!r} beside ages such as {short[0]!r}: a year of birth is no "
            "age",
            "turn the years into ages, each entry on its own, or give bounds that clip them",
        )
    elif short and (beside or (alone and not long)):
        yield Finding(
            where,
            f"years of two digits, such as {short[0]!r}: as a number it is the year "
            f"{int(short[0])}",
            "rewrite them, each on its own, with four digits, or count them as labels",
        )


def other_years(where: str, numbers: Mapping[str, float]) -> Iterator[Finding]:
    """Years of another calendar, in a column with the name of years."""
    if _YEAR.search(where) is None or len(numbers) < 2:
        return
    for low, high, calendar in CALENDARS:
        if all(low <= x <= high and x.is_integer() for x in numbers.values()):
            yield Finding(
                where,
                f"years such as {next(iter(numbers))} are of {calendar}",
                "give bounds in that calendar, or rewrite them, each on its own",
            )


def shares_and_percents(where: str, of: Counter[float]) -> Iterator[Finding]:
    """Shares up to 1 beside percents, in a column with the name of either."""
    if _SHARE.search(where) is None:
        return
    few = sum(n for x, n in of.items() if 0 < x <= 1)
    many = sum(n for x, n in of.items() if _LEAST_PERCENT < x <= 100)
    rest = sum(n for x, n in of.items() if x) - few - many
    if min(few, many) >= max(_PARTS, _PARTS * rest):
        yield Finding(
            where,
            f"{few} numbers are at most 1 and {many} lie between {_LEAST_PERCENT} and 100, with "
            "next to none between: they may be shares beside percents",
            "see which, and rewrite the column, each entry on its own, in one unit",
        )


def clock_numbers(
    where: str, numbers: Mapping[str, float], counts: Counter[str]
) -> Iterator[Finding]:
    """Whole numbers of which the last two digits are minutes, such as 517 for 5:17."""
    if not all(text.isdecimal() and len(text) <= _SHORT_CODE for text in numbers):
        return
    whole = [*numbers]
    minutes = {int(text[-2:]) for text in whole}
    often = sum(counts[text] for text in whole) >= _ENOUGH_TIMES
    if often and len(minutes) > _MANY_MINUTES <= max(minutes) < 60:
        text = max(whole, key=int)
        if _NOON < int(text) <= _MIDNIGHT:
            yield Finding(
                where,
                f"the last two digits are never 60 or more, and none is above 2400, such as "
                f"{text!r}: they may be hours and minutes, of which 60 make one",
                "where they are, rewrite the column, each entry on its own, as minutes",
            )


def lettered_codes(
    where: str, numbers: Mapping[str, float], others: Mapping[str, int]
) -> Iterator[Finding]:
    """Codes of digits with a letter between them, of which those with an E are read as numbers."""
    if not others:
        return
    if numbers and _hexadecimal([*numbers, *others]):
        yield _code(
            where, "digits of base 16, of which those without a letter are read as decimal numbers"
        )
        return
    letters = {found[1] for text in others if (found := _LETTERED.fullmatch(text))}
    read = [text for text in numbers if _LETTERED.fullmatch(text)]
    if read and letters:
        yield _code(
            where,
            f"a letter stands between digits, such as in {read[0]!r}, which reads as the number "
            f"{numbers[read[0]]:g}: codes",
        )


def _hexadecimal(texts: Sequence[str]) -> bool:
    """Whether many texts of one length hold no other letters than those of base 16."""
    letters = {x for text in texts for x in text.lower() if not x.isdecimal()}
    return len({*map(len, texts)}) == 1 and len(texts) > _ENOUGH and letters == {*"abcdef"}


def counted_times(where: str, of: Counter[float]) -> Iterator[Finding]:
    """Days of a spreadsheet, or seconds of a computer, in a column with the name of a date."""
    named = _DATED.search(re.sub(r"(?<=[a-z])(?=[A-Z])|[_\W]+", " ", where))
    if named is None or len(of) < 3:
        return
    for low, high, what, day in _CLOCKS:
        if all(low <= x <= high for x in of):
            at = min(of)
            yield Finding(
                where,
                f"numbers such as {at:.15g} in a column with the name of a date are {what}: "
                f"this one is of {day(at)}",
                "rewrite them, each on its own, as 2024-01-31 or 2024-01-31T08:30:00, or give "
                "bounds in numbers, not dates",
            )
            return


def _lost_zeros(name: str, lengths: Sequence[int]) -> bool:
    """Whether codes are of two lengths, as if those that begin with a zero had lost it."""
    if len(lengths) != 2 or lengths[1] - lengths[0] != 1:
        return False
    known = _KNOWN_CODES.search(name) is not None
    return known or (lengths[1] >= _SHORT_CODE and _CODES.search(name) is not None)


def _code(where: str, what: str) -> Finding:
    return Finding(
        where, what, "count them as labels, or name persons by them: text is compared letter by "
        "letter, and '01' is not '1'"
    )  # fmt: skip


def _of(digits: Sequence[str], length: int) -> str:
    return next(text for text in digits if len(text) == length)


def _is_month(text: str) -> bool:
    return 1900 <= int(text[:4]) <= 2100 and 1 <= int(text[4:]) <= 12


def _is_ordinal(text: str) -> bool:
    return 1900 <= int(text[:4]) <= 2100 and 1 <= int(text[4:]) <= 366


def _is_moment(text: str) -> bool:
    time = text[8:]
    return _is_day(text[:8]) and int(time[:2]) < 24 and int(time[2:4]) < 60 > int(time[4:] or 0)


def _is_day(text: str) -> bool:
    try:
        return 1800 <= datetime.datetime.strptime(text, "%Y%m%d").year <= 2200
    except ValueError:
        return False


def _rounded(where: str, numbers: Mapping[str, float]) -> Iterator[Finding]:
    """Long whole numbers of which a spreadsheet kept three digits."""
    powers = [
        t for t in numbers if "E+" in t and re.fullmatch(r"\d(?:[.,]\d{1,5})?E\+(?:09|1\d|2\d)", t)
    ]
    if len(powers) > len(numbers) / 2:
        yield Finding(
            where,
            f"numbers like {powers[0]!r} are what a spreadsheet leaves of long codes: digits are "
            "lost",
            "export the file again, with the column as text",
        )
