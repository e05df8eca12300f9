"""NOT PRIVATE. Numbers and dates that stand for none, and numbers that are names of something."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from math import isfinite

import numpy as np

from leastnoise.frames.checks.codes import (
    CALENDARS,
    check_codes,
    counted_times,
    other_years,
    shares_and_percents,
    short_years,
)
from leastnoise.frames.checks.mixtures import two_units
from leastnoise.frames.checks.report import OTHERS, Finding, without
from leastnoise.frames.checks.tails import check_tail

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
_EXACT = 2**53
_COUNTED = re.compile(  # what is never negative
    r"child|kids|kinder|enfant|hijos|sibling|count|visit|pets|number|(?:^|_)n(?:um|r|o)?(?:_|$)"
    r"|anzahl|nombre|members|rooms|cars|age|years|days|weeks|months|hours|minutes|persons|people"
    r"|quantity|qty|size|items|orders|clicks|trips|drinks|cigar|employees|staff|births|pregnan"
    r"|tenure|school|doses|income|salary|wage|price|cost|weight|height|length|duration|population",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"diff|change|delta|net|balance|saldo|gain|profit|return|error|resid|lag|offset|shift|growth",
    re.IGNORECASE,
)
_LAST_DAY = datetime.date.max.toordinal()
_CENTURIES, _LAST = 200, 2900  # later years stand for none
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
_BETWEEN, _SCALE = 1.5, 4  # times the larger of two groups, and the sizes at a gap
_MINOR = 5  # at most one entry in so many is of another unit
_PRICED = 3  # one other number in so many ends alike
_CLIPS = "bounds from public knowledge clip them"
_CURE = "where it means missing, "


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
    years = [*short_years(where, numbers), *other_years(where, numbers)]
    if years:
        yield from years
        return
    of = Counter[float]()
    for text, number in numbers.items():
        if isfinite(number):
            of[number] += counts[text]
    texts = dict(zip(numbers.values(), numbers, strict=True))
    of = Counter(dict(sorted(of.items())))  # in order, for all that sort it
    rest = of.copy()
    for value in _ends(rest):
        del rest[value]
        yield _stands_for_none(where, value, texts, of[value], "far from all others")
    yield from _minus_one(where, rest)
    yield from _apart(where, rest, texts)
    for value in _beyond_a_scale(rest):
        yield _stands_for_none(where, value, texts, of[value], "beyond the end of a scale")
    if set(rest) == {*range(1, 8), 9} and rest[9.0] > 1:
        yield Finding(
            where,
            f"{entries(rest[9.0])} {texts[9.0]}, and none is 8: it may be a code for a missing "
            "value beyond a scale of seven, and the file's author knows",
            f"{_CURE}{OTHERS}",
            kept=without(where, [9]),
        )
    common = rest.most_common(2)
    if len(common) == 2 and common[0][1] >= _SPIKE * common[1][1] and _repeated(common[0][0], 3):
        value, times = common[0]
        yield _stands_for_none(where, value, texts, times, "far more than any other")
    yield from _zeros(where, rest)
    units, few = [*two_units(where, rest, texts)], [*_few(where, rest, texts)]
    yield from units
    yield from _negative(where, rest, texts)
    yield from few
    if not units and not few:
        yield from _far(where, Counter({x: n for x, n in rest.items() if x}), texts)
    yield from _default(where, rest, texts)
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
            f"{entries(infinite)} infinite and {'counts' if infinite == 1 else 'count'} as beyond "
            "the bounds",
            f"{_CURE}declare its text in missing_values=",
        )
    codes = [*check_codes(where, numbers, counts)]
    yield from codes
    if not codes:
        yield from check_tail(where, rest)
    yield from counted_times(where, rest)
    yield from shares_and_percents(where, of)


def _stands_for_none(
    where: str, value: float, texts: Mapping[float, str], times: int, why: str
) -> Finding:
    shown = int(value) if value == int(value) and abs(value) < _EXACT else value
    return Finding(
        where,
        f"{entries(times)} {texts[value]}, {why}: usually a code for a missing value, or for "
        "all values beyond a limit; ask the file's author",
        f"{_CURE}give missing_values= with {shown}",
        {"missing_values": [shown]},
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
            below = step == 1 and rest[0] >= 0 and -9 <= run[0] < 0 and not _joined(run, rest[0])
            far = gap > width / 2 or all(of[x] >= _SPIKE * most for x in run) or below
            far = far or (step == -1 and _behind_a_gap(of, run, rest))
            far = far and not (step == -1 and _as_prices(of, run, rest))
            often = all(of[x] * _RARE >= rows and (of[x] > 1 or _repeated(x, 3)) for x in run)
            if far and often and (step == -1 or run[-1] < 0 <= rest[0]):
                yield from run
                ordered = [x for x in ordered if x not in run]
                break


def _as_prices(of: Mapping[float, int], run: Sequence[float], rest: Sequence[float]) -> bool:
    """Whether numbers end as many others do, as 99.99 does beside 19.99, or 999 beside 199."""

    def end(value: float) -> str:
        text = f"{value:.12g}"
        return text.partition(".")[2] or (text[-2:] if value > _HUNDREDTH else "")

    ends = {*map(end, run)} - {""}
    alike = sum(of[x] for x in rest if end(x) in ends)
    return len(ends) > 0 and alike * _PRICED >= sum(of[x] for x in rest)


def _joined(run: Sequence[float], first: float) -> bool:
    """Whether negative numbers are each one less than the next, up to 0, as differences are."""
    return first < 1 and [*run] == [*range(-len(run), 0)]


def _behind_a_gap(of: Mapping[float, int], run: Sequence[float], rest: Sequence[float]) -> bool:
    """Whether codes stand behind a gap that is wider than any step before it, and each is there far
    more often than its neighbours are: the wider, the less often it must be.
    """
    near = rest[:_ENOUGH]
    if len(near) < _ENOUGH or not all(_repeated(x, 2) and of[x] > 2 for x in run):
        return False
    widest = max(abs(a - b) for a, b in pairwise(near))
    gap, usual = abs(rest[0] - run[-1]), sum(of[x] for x in near) / len(near)
    least = min(of[x] for x in run)
    return gap > widest and least >= (2 if gap > 3 * widest else 3) * usual


def _apart(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """One value at an end that several entries have, farther from the others than these from each
    other: a code that only the maker of a program or device knows.
    """
    ordered = sorted(of)
    for step in (1, -1):
        outer = ordered[::step]
        if len(ordered) <= _ENOUGH:
            return
        gap, width = abs(outer[1] - outer[0]), abs(outer[-1] - outer[1])
        times = of[outer[0]]
        if _repeated(outer[0], 3):
            continue  # which is told as a rule
        often = times * _FREQUENT >= of.total() and outer[0] != 0
        if often and times >= _SPIKE * max(of[x] for x in outer[1:]):
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
                f"{_CURE}{OTHERS}",
                kept=without(where, [outer[0]]),
            )
            ordered.remove(outer[0])  # or it hides one at the other end


def _minus_one(where: str, of: Counter[float]) -> Iterator[Finding]:
    """-1 below counts from 0 on, or below numbers with fractions, of which no other is negative."""
    times, ordered = of[-1.0], sorted(of)
    if times < 2 or ordered[0] != -1 or len(ordered) <= _SIZES + 1 or ordered[1] >= 1:
        return
    whole = all(x == int(x) for x in ordered)
    steps = ordered[1 : _SIZES + 2] == [*range(_SIZES + 1)]
    counted = _COUNTED.search(where) is not None or times >= 2 * max(of[x] for x in ordered[1:])
    if _SIGNED.search(where) or (whole and not (steps and counted)):
        return
    del of[-1.0]
    yield Finding(
        where,
        f"{times} entries are -1, and no other is negative: it may be a code for a missing value, "
        "and the file's author knows",
        f"{_CURE}{OTHERS}",
        kept=without(where, [-1]),
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
    zeros = of[0.0]
    if zeros < 2 or len(of) <= _ENOUGH or min(of) < 0 < max(of):
        return
    others = sorted(abs(x) for x in of if x)
    steps = sorted(b - a for a, b in pairwise(others[:_GAP]))  # near 0, where amounts are dense
    if others[0] >= _SPIKE * steps[len(steps) // 2]:
        yield Finding(
            where,
            f"{entries(zeros)} exactly 0, and no other is nearer to it than {others[0]:g}: it may "
            "stand for no number, and the file's author knows",
            f"{_CURE}{OTHERS}",
            kept=without(where, [0]),
        )


def _negative(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """Few numbers that are the only negative ones."""
    ordered = sorted(of)
    negative = [x for x in ordered if x < 0]
    times = sum(of[x] for x in negative)
    if negative and len(ordered) > _ENOUGH and (times == 1 or times * 100 <= of.total()):
        yield Finding(
            where,
            f"{entries(times)} negative, such as {texts[negative[0]]}, and all others are not",
            f"see whether they are typing errors or mean missing; {_CLIPS}",
        )


def _few(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """Few numbers that are far larger or smaller than all others."""
    sizes, at = np.unique(np.abs([x for x in of if x]), return_inverse=True)
    counts = np.cumsum(np.bincount(at, [n for x, n in of.items() if x]))
    with np.errstate(over="ignore"):
        gaps = np.flatnonzero(sizes[1:] / sizes[:-1] >= _TENFOLD).tolist()
    for i in gaps:
        one, other, below = float(sizes[i]), float(sizes[i + 1]), int(counts[i])
        above = int(counts[-1]) - below
        factor, minor, total = other / one, min(below, above), below + above
        scales = (
            2 * max(one / sizes[0], sizes[-1] / other) <= factor
            and minor * _HUNDREDTH >= total
            and min(i + 1, len(sizes) - i - 1) >= _SIZES
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


def _far(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """Few numbers, or one, farther from all others than these are from each other by far."""
    ordered = sorted(of)
    if len(ordered) <= _ENOUGH or of.total() < _HUNDREDTH:
        return
    steps = np.diff(ordered)
    gap, at = float(steps.max()), int(np.flatnonzero(steps == steps.max())[-1]) + 1
    few, many = sorted((ordered[:at], ordered[at:]), key=lambda part: sum(of[x] for x in part))
    times = sum(of[x] for x in few)
    spans = few[-1] - few[0], many[-1] - many[0]
    wider = gap >= (3 if len(few) < _SIZES else 2) * max(spans)
    groups = min(len(few), len(many)) >= _ENOUGH and (
        gap >= _BETWEEN * max(spans) or (few[0] > 0 and _parted_sizes(ordered, at))
    )
    if groups and times * _MINOR > of.total():
        low, high = ordered[at - 1], ordered[at]
        yield Finding(
            where,
            f"no number lies between {texts[low]} and {texts[high]}, and {times} lie on one side: "
            "they may be of two units",
            "see which, and rewrite the column, each entry on its own, in one unit",
        )
    elif wider and times * _MINOR <= of.total():
        yield Finding(
            where,
            f"{entries(times)} far from all others, such as {texts[few[0]]}: of another kind or "
            "unit, or typing errors",
            f"see which; {_CLIPS}",
        )


def _parted_sizes(ordered: Sequence[float], at: int) -> bool:
    """Whether a gap is one of sizes, several times as large as any other step between them."""
    steps = sorted(b / a for a, b in pairwise(ordered) if a > 0)
    return ordered[at] / ordered[at - 1] >= max(_SCALE, _SCALE * steps[-2] / 2)


def _default(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """One number in the middle that many entries have, where all others are seldom the same."""
    if len(of) < _FREQUENT:
        return
    (value, times), (_, second) = of.most_common(2)
    inside = min(of) < value < max(of) and value != 0 and not _repeated(value, 3)
    if inside and times >= 2 * _SPIKE * second and times * _ENOUGH >= of.total():
        yield Finding(
            where,
            f"{entries(times)} {texts[value]}, and no other is there nearly as often: a default, "
            "or a mean that was put where there was no number, and the file's author knows",
            f"{_CURE}{OTHERS}",
            kept=without(where, [value]),
        )


def check_days(where: str, days: Mapping[str, int], counts: Counter[str]) -> Iterator[Finding]:
    """Dates that stand for none: those that programs begin or end with, at an end."""
    of = Counter[int]()
    for text, day in days.items():
        of[day] += counts[text]
    yield from _odd_days(where, of, days)
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
                {"missing_values": same},
            )
            ordered = others


def _odd_days(where: str, of: Counter[int], days: Mapping[str, int]) -> Iterator[Finding]:
    """One day far more than any other, and years that are far away or of another calendar."""
    texts = {day: text for text, day in days.items()}
    common = of.most_common(2)
    if len(of) >= _FREQUENT and common[0][1] >= max(
        2 * _SPIKE * common[1][1], of.total() / _ENOUGH
    ):
        day, times = common[0]
        if day not in _DAYS or min(of) < day < max(of):
            yield Finding(
                where,
                f"{entries(times)} {texts[day]}, and no other is there nearly as often: a default "
                "that was put where there was no date, perhaps, and the file's author knows",
                f"{_CURE}{OTHERS}",
                kept=without(where, [datetime.date.fromordinal(day + _EPOCH)]),
            )
    years = Counter[int]()
    for day, times in of.items():
        years[_year(day)] += times
    middle = sorted(years.elements())[years.total() // 2] if years else 0
    far = {x: n for x, n in years.items() if abs(x - middle) > _CENTURIES and x < _LAST}
    told = [text for text, day in days.items() if _year(day) in far]
    told = [text for text in told if days[text] not in _DAYS]
    calendar = next((name for low, high, name in CALENDARS if low <= middle <= high), None)
    if calendar is not None:
        yield Finding(
            where,
            f"years such as that of {texts[common[0][0]]} are of {calendar}, or typing errors",
            "rewrite them, each on its own, with the years of the usual calendar",
        )
    elif told:
        yield Finding(
            where,
            f"{entries(sum(of[days[text]] for text in told))} more than {_CENTURIES} years from "
            f"the others, such as {told[0]}: digits of the year were lost, or it is a code",
            "see which, and rewrite them, each on its own",
        )


def _year(day: int) -> int:
    return datetime.date.fromordinal(min(max(1, day + _EPOCH), _LAST_DAY)).year
