"""NOT PRIVATE. Numbers and dates that stand for none, and numbers that are names of something."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from math import isfinite

from leastnoise.frames.checks.report import Finding, column_of
from leastnoise.frames.checks.tails import check_tail
from leastnoise.frames.contract import STANDARD

# Numbers that offices and programs write for "no number", their signs and points left out.
_REPEATED = re.compile(r"9+[5-9]|8{2,}|7{2,}|6{3,}|9+0*")
_EXTREME = frozenset(
    {
        *(float(sign * (1 << bits) - low) for bits in (15, 16, 31, 32, 63) for sign, low in
          ((1, 1), (1, 0), (-1, 0))),
        *(10.0**power for power in range(6, 39)),
        *(9.96921e36, 3.4028235e38, 1.7976931348623157e308, 8.98846567431158e307, 1.70141e38),
    }
)  # fmt: skip
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_DAYS = frozenset(
    datetime.date.fromisoformat(day).toordinal() - _EPOCH
    for day in (
        *("0001-01-01", "1000-01-01", "1582-10-15", "1601-01-01", "1753-01-01", "1800-01-01"),
        *("1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01", "1904-01-01", "1970-01-01"),
        *("1980-01-01", "2038-01-19", "2049-12-31", "2079-06-06", "2099-12-31", "2099-01-01"),
        *("2100-01-01", "2199-12-31", "2222-02-22", "2262-04-11", "2500-01-01", "2999-12-31"),
        *("3000-01-01", "3000-12-31", "4712-12-31", "8888-12-31", "9998-12-31", "9999-01-01"),
        *("9999-09-09", "9999-12-31"),
    )
)
_NO_ANSWER = frozenset({7.0, 8.0, 9.0})
_STEPS = 3  # from the last answer of a scale to what is none
_SPIKE = 5  # times as often as any other
_RARE, _FREQUENT = 1000, 50  # at least one row in so many
_GAP = 10  # times the step that is usual between two neighbours
_ENOUGH = 10  # different values in which a step is usual
_FAR = 20  # times as large as any other
_TENFOLD, _HUNDREDTH, _SIZES = 10, 100, 3  # two scales, each of several sizes
_MINOR = 5  # at most one entry in so many is of another unit
_CLIPS = "bounds from public knowledge clip them"
_LARGEST_EXACT = 2**53
# Names of columns of codes of one length: those that are known, and any that says so.
_KNOWN_CODES = re.compile(
    r"\b(?:zip|postal|post ?code|postleit|plz|fips|cap|cep|insee|geo ?id|tract|ags|siren|siret|blz"
    r"|ssn|naics|nace|gtin|ean|isbn|ndc|npi|phone|tel(?:e[fp]|$))",
    re.IGNORECASE,
)
_CODES = re.compile(r"(?:codes?|schl(?:ü|ue)ssel|codigo|código|codice|clave)\b", re.IGNORECASE)
_SHORT_CODE = 4  # digits from which a code is told by such a name
_CURE = "where it stands for none, "
_DATED = re.compile(
    r"\b(?:date|day|time|datum|dato|fecha|jour|timestamp|ts|dob|birth\w*|born|start\w*|end\w*"
    r"|(?:cre|upd)ated|modified|opened|closed|admi\w+|discharge\w*|hired?|when|since|until)\b",
    re.IGNORECASE,
)


def _day(unit: int, first: datetime.date) -> Callable[[float], str]:
    return lambda x: (first + datetime.timedelta(days=x // unit)).isoformat()


_UNIX = datetime.date(1970, 1, 1)
# The smallest and largest number, what it counts, and the day that it stands for.
_CLOCKS = (
    (20_000, 60_000, "days as a spreadsheet counts them", _day(1, datetime.date(1899, 12, 30))),
    (3e8, 4e9, "seconds since 1970", _day(86_400, _UNIX)),
    (3e11, 4e12, "milliseconds since 1970", _day(86_400_000, _UNIX)),
    (3e14, 4e15, "microseconds since 1970", _day(86_400_000_000, _UNIX)),
    (3e17, 4e18, "nanoseconds since 1970", _day(86_400_000_000_000, _UNIX)),
)


def check_numbers(
    where: str, numbers: Mapping[str, float], counts: Counter[str]
) -> Iterator[Finding]:
    """What numbers say that are none.

    Parameters
    ----------
    where
        The column.
    numbers
        The number of each text that is one.
    counts
        How often each text is there.
    """
    of = Counter[float]()
    for text, number in numbers.items():
        if isfinite(number):
            of[number] += counts[text]
    texts = {number: text for text, number in numbers.items()}
    rest = of.copy()
    for value in _ends(rest):
        del rest[value]
        yield _stands_for_none(where, value, texts, of[value], "far from all others")
    yield from _apart(where, rest, texts)
    for value in _beyond_a_scale(rest):
        yield _stands_for_none(where, value, texts, of[value], "beyond the end of a scale")
    common = rest.most_common(2)
    if len(common) == 2 and common[0][1] >= _SPIKE * common[1][1] and _repeated(common[0][0], 3):
        value, times = common[0]
        yield _stands_for_none(where, value, texts, times, "far more than any other")
    yield from _zeros(where, rest)
    yield from _few(where, rest, texts)
    truths = sum(counts[text] for text in numbers if text.isalpha() and isfinite(numbers[text]))
    if truths and 2 * truths < of.total():
        yield Finding(
            where,
            f"{entries(truths)} true or false and counts as 1 or 0 among other numbers"
            if truths == 1
            else f"{truths} entries are true or false and count as 1 or 0 among other numbers",
            "see which of them were meant as numbers",
        )
    infinite = sum(counts[text] for text, number in numbers.items() if not isfinite(number))
    if infinite:
        yield Finding(
            where,
            f"{entries(infinite)} infinite and counts as beyond the bounds",
            f"{_CURE}declare its text in missing_values=",
        )
    codes = [*_codes(where, numbers, counts)]
    yield from codes
    if not codes:
        yield from check_tail(where, rest)
    yield from _counted_times(where, rest)


def _stands_for_none(
    where: str, value: float, texts: Mapping[float, str], times: int, why: str
) -> Finding:
    shown = int(value) if value == int(value) else value
    return Finding(
        where,
        f"{entries(times)} {texts[value]}, {why}: as a rule it stands for no number, or else "
        "for all beyond a limit, and the file's author knows which",
        f"{_CURE}give missing_values= with {shown}",
        {"missing_values": [*STANDARD, shown]},
    )


def entries(times: int) -> str:
    """How many entries there are, and their verb."""
    return "one entry is" if times == 1 else f"{times} entries are"


def _ends(of: Counter[float]) -> Iterator[float]:
    """Values at an end that stand for none: those that are known for it, far from the others or
    far more frequent.
    """
    ordered, rows = sorted(of), of.total()
    for step in (1, -1):
        outer = ordered[::step]
        known = list(takewhile(_known, outer[: len(outer) - 2]))
        for count in range(len(known), 0, -1):
            run, rest = outer[:count], outer[count:]
            gap, width = abs(rest[0] - run[-1]), abs(rest[-1] - rest[0])
            most = max(of[x] for x in rest)
            below = step == 1 and rest[0] >= 0 and -9 <= run[0] < 0
            far = gap > width / 2 or all(of[x] >= _SPIKE * most for x in run) or below
            often = all(of[x] * _RARE >= rows and (of[x] > 1 or _repeated(x, 3)) for x in run)
            if far and often and (step == -1 or run[-1] < 0 <= rest[0]):
                yield from run
                ordered = [x for x in ordered if x not in run]
                break


def _apart(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """One value at an end that several entries have, farther from the others than these from each
    other: a code that only the maker of a program or device knows.
    """
    ordered = sorted(of)
    if len(ordered) <= _ENOUGH:
        return
    for outer in (ordered, ordered[::-1]):
        gap, width = abs(outer[1] - outer[0]), abs(outer[-1] - outer[1])
        times, most = of[outer[0]], max(of[x] for x in outer[1:])
        if times >= _SPIKE * most and times * _FREQUENT >= of.total() and outer[0] != 0:
            yield Finding(
                where,
                f"{entries(times)} {texts[outer[0]]}, at an end and far more than any other: it "
                "may stand for all beyond, and the file's author knows",
                "medians and quantiles inside are right; a mean or a sum is not of what they are",
            )
            return
        if gap > width and of[outer[0]] > 2 and outer[0] != 0:
            yield Finding(
                where,
                f"{entries(of[outer[0]])} {texts[outer[0]]}, farther from all others than these "
                "are from each other: a code, perhaps, and the file's author knows",
                f"{_CURE}keep the others by a filter, {column_of(where)} != {texts[outer[0]]}",
            )


def _beyond_a_scale(of: Counter[float]) -> Sequence[float]:
    """7, 8, 9 behind the answers 1, 2, 3, ..., none of which is rare, and a gap."""
    ordered = sorted(of)
    if not ordered or ordered[0] not in (0, 1):
        return ()
    count = next((i for i, x in enumerate(ordered) if x != ordered[0] + i), len(ordered))
    scale, behind = ordered[:count], ordered[count:]
    if count < 2 or not behind or not set(behind) <= _NO_ANSWER or behind[0] - scale[-1] < _STEPS:
        return ()
    often = all(of[x] * _FREQUENT >= of.total() and of[x] > _SPIKE for x in scale)
    return behind if often and all(of[x] > 1 for x in behind) else ()


def _known(value: float) -> bool:
    """Whether offices and programs write a number for none."""
    small = -9 <= value < 0 and value == int(value)
    return small or _repeated(value, 1) or value in _EXTREME


def _repeated(value: float, digits: int) -> bool:
    """Whether a number is written with one digit, 9 as a rule, so many times at least."""
    text = f"{abs(value):.12g}".replace(".", "")
    return len(text) >= digits and _REPEATED.fullmatch(text) is not None and abs(value) > 9


def _zeros(where: str, of: Counter[float]) -> Iterator[Finding]:
    """Exact zeros among numbers that are all of one sign and keep away from it."""
    zeros, others = of[0.0], sorted(abs(x) for x in of if x)
    if zeros < 2 or len(others) < _ENOUGH or min(of) < 0 < max(of):
        return
    steps = sorted(b - a for a, b in pairwise(others))
    gap = others[0] >= _GAP * steps[len(steps) // 2]
    most = max(times for x, times in of.items() if x)
    spike = zeros >= _SPIKE * most and zeros * _FREQUENT >= of.total()
    if gap or spike:
        yield Finding(
            where,
            f"{entries(zeros)} exactly 0, and no other is nearer to it than {others[0]:g}: it may "
            "stand for no number, and the file's author knows",
            f"{_CURE}keep the others by a filter, {column_of(where)} != 0",
        )


def _few(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """Few numbers that are far larger or smaller than all others, or the only negative ones."""
    ordered = sorted(of)
    negative = [x for x in ordered if x < 0]
    times = sum(of[x] for x in negative)
    if negative and len(ordered) > _ENOUGH and (times == 1 or times * 100 <= of.total()):
        yield Finding(
            where,
            f"{entries(times)} negative, such as {texts[negative[0]]}, and all others are not",
            f"see whether they are typing errors or stand for none; {_CLIPS}",
        )
    sizes = sorted({abs(x) for x in of if x})
    count = Counter[float]()
    for x, n in of.items():
        count[abs(x)] += n
    below, total = 0, of.total() - of[0.0]
    for one, other in pairwise(sizes):
        below += count[one]
        above = total - below
        factor = other / one
        minor = min(below, above)
        scales = (
            factor >= _TENFOLD
            and 2 * max(one / sizes[0], sizes[-1] / other) <= factor
            and minor * _HUNDREDTH >= total
            and min(sizes.index(other), len(sizes) - sizes.index(other)) >= _SIZES
        )
        if len(sizes) > _ENOUGH and (scales or (factor > _FAR and minor * _MINOR <= total)):
            ratio = _FAR if factor > _FAR else _TENFOLD
            few, size = (below, "small") if below < above else (above, "large")
            text = next(texts[x] for x in of if abs(x) == (one if below < above else other))
            if size == "small" and few < 2:  # one number near 0 is nothing strange
                continue
            yield Finding(
                where,
                f"{entries(few)} more than {ratio} times as {size} as all others, such as {text}: "
                "they may be of another unit, or typing errors",
                f"see which; {_CLIPS}",
            )
            return


def _codes(where: str, numbers: Mapping[str, float], counts: Counter[str]) -> Iterator[Finding]:
    """Digits that are a name: as a number they are another, or mean nothing."""
    digits = [text for text in numbers if text.isdecimal()]
    if len(digits) < len(numbers) or len(digits) < 3:
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
    elif any(float(text) > _LARGEST_EXACT for text in digits):
        yield _code(where, "numbers beyond 2^53 are rounded where they are read as numbers")
    elif lengths == [6] and len(digits) >= _ENOUGH and all(map(_is_month, digits)):
        yield Finding(
            where,
            f"whole numbers that may be months, such as {digits[0]!r}: between 202312 and 202401 "
            "there are 89",
            "where they are, write them anew, each by itself, as 2024-01-01, or count them as "
            "labels",
        )
    elif all(len(text) == 8 for text in digits) and all(map(_is_day, digits)):
        yield Finding(
            where,
            f"whole numbers that are days, such as {digits[0]!r}: between 20240131 and 20240201 "
            "there are 70",
            "write them anew, each by itself, as 2024-01-31",
        )


def _counted_times(where: str, of: Counter[float]) -> Iterator[Finding]:
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
                "write them anew, each by itself, as 2024-01-31 or 2024-01-31T08:30:00, or give "
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


def _is_day(text: str) -> bool:
    try:
        return 1800 <= datetime.datetime.strptime(text, "%Y%m%d").year <= 2200
    except ValueError:
        return False


def _rounded(where: str, numbers: Mapping[str, float]) -> Iterator[Finding]:
    """Long whole numbers of which a spreadsheet kept three digits."""
    powers = [t for t in numbers if re.fullmatch(r"\d(?:[.,]\d{1,5})?E\+(?:09|1\d|2\d)", t)]
    if len(powers) > len(numbers) / 2:
        yield Finding(
            where,
            f"numbers like {powers[0]!r} are what a spreadsheet leaves of long codes: digits are "
            "lost",
            "export the file anew, with the column as text",
        )


def check_days(where: str, days: Mapping[str, int], counts: Counter[str]) -> Iterator[Finding]:
    """Dates that stand for none: those that programs begin or end with, at an end."""
    of = Counter[int]()
    for text, day in days.items():
        of[day] += counts[text]
    ordered = sorted(of)
    for end in (0, -1, 0):  # one far behind the others hides one that is near before them
        while len(ordered) > 2 and ordered[end] in _DAYS:
            day = ordered[end]
            others = ordered[1:] if end == 0 else ordered[:-1]
            width, gap = others[-1] - others[0], abs(day - others[end])
            often = of[day] > 1 and of[day] >= _SPIKE * max(of[other] for other in others)
            if not (often or gap > width / 2):
                break
            same = [text for text, one in days.items() if one == day]
            yield Finding(
                where,
                f"{entries(of[day])} {same[0]}, a day that programs write where there is none",
                f"{_CURE}give missing_values= with {same[0]!r}",
                {"missing_values": [*STANDARD, *same]},
            )
            ordered = others
