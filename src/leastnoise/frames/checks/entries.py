"""NOT PRIVATE. What stands in one column of text, and what it was meant to be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING

from leastnoise.frames.checks.report import Checked, CheckedColumn, Finding
from leastnoise.frames.readers.times import GONE, of_entries
from leastnoise.summaries.clock import Clock

if TYPE_CHECKING:
    from leastnoise.frames.readers.values import Dialect

_SHOWN, _LONGEST = 5, 40
# A column is meant to hold numbers if so many of its entries are, or look like, numbers.
_MEANT = 0.5
_MONEY = r"(?:[$€£¥₹]|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|US\$|A\$|C\$)\b)"
_PLAIN = r"\d+(?:[.,]\d+)*"
# What an entry looks like, the first that fits; the blanks are those of typographers too.
_LOOKS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.ASCII | re.IGNORECASE)
    for name, pattern in {
        "comma and point": r"[+-]?\d{1,3}(?:,\d{2,3})+\.\d+",
        "point and comma": r"[+-]?\d{1,3}(?:\.\d{3})+,\d+",
        "several commas": r"[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?<=,\d\d\d,\d\d\d)",
        "several points": r"[+-]?\d{1,3}(?:\.\d{3}){2,}",
        "apostrophes": r"[+-]?\d{1,3}(?:['\u2019]\d{3})+(?:[.,]\d+)?",
        "blanks": r"[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?:[.,]\d+)?",
        "one comma": r"[+-]?\d{1,3},\d{3}",
        "decimal comma": r"[+-]?\d*,\d+",
        "money": rf"[+-]?\(?\s*{_MONEY}\s*[+-]?{_PLAIN}\)?|[+-]?{_PLAIN}\s*{_MONEY}",
        "brackets": rf"\({_PLAIN}\)",
        "percent": rf"[+-]?{_PLAIN}\s*%",
        "at most": rf"[<>≤≥~]=?\s*{_PLAIN}",
        "with a unit": rf"[+-]?{_PLAIN}\s*[a-zµ°]{{1,4}}\.?",
    }.items()
}
_DATES = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?:[ T]\d.*)?|\d{4}[./]\d{1,2}[./]\d{1,2}.*"
    r"|\d{1,2}[ -][a-z]{3,9}\.?[ -]\d{2,4}|[a-z]{3,9}\.? \d{1,2},? \d{4}",
    re.ASCII | re.IGNORECASE,
)
_WORDS = re.compile(
    r"[-.*?x_/\\ ]*|\(?[a-z]\)?|n\.?[adk]\.?|unknown|missing|suppressed|none|null"
    r"|not (?:available|applicable|reported|known)|nd|nr|tbd|refused",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    r"[-.*?_/\\ ]+|unknown|unspecified|undefined|missing|suppressed|refused"
    r"|not (?:available|applicable|reported|known|specified)|no (?:data|answer)",
    re.IGNORECASE,
)
# Numbers that offices and programs write for "no number".
_SENTINELS = re.compile(r"-?9{2,}|-?8{3,}|-?7{3,}|-6{3,}|-[1-9]|-99\.0|9\.96921e\+?36")


def check_entries(name: str | None, entries: Sequence[str], dialect: Dialect) -> Checked:
    """What the entries of a column of text are, and what was found in them."""
    counts = Counter(entry.strip() for entry in entries)
    missing = {text for text in counts if not text or text in dialect.absent.texts}
    numbers = {t: x for t in counts if t not in missing and not isnan(x := dialect.number(t))}
    missing |= {text for text, number in numbers.items() if number in dialect.absent.doubles}
    rest = [text for text in counts if text not in numbers and text not in missing]
    dates = set(_dates(rest))
    others = Counter({text: counts[text] for text in rest if text not in dates})

    def total(texts: Iterable[str]) -> int:
        return sum(counts[text] for text in texts)

    column = CheckedColumn(
        name,
        len(entries),
        total(set(numbers) - missing),
        total(dates),
        total(missing),
        tuple((text[:_LONGEST], times) for text, times in others.most_common(_SHOWN)),
    )
    present = {text: x for text, x in numbers.items() if text not in missing}
    findings = [*_unread(name or "", others, column), *_zones(name or "", dates, counts)]
    if not any("thousands" in finding.options for finding in findings):
        findings += _points(name or "", present)
    rows = sum(counts[text] for text in present)
    finite = {x: text for text, x in present.items() if isfinite(x)}
    findings += _sentinels(name or "", finite, counts, rows)
    return Checked((column,), tuple(findings))


def _dates(texts: Sequence[str]) -> Iterator[str]:
    for clock in (Clock.DAY, Clock.INSTANT):
        yield from _of_clock(texts, clock)


def _of_clock(texts: Sequence[str], clock: Clock) -> Iterator[str]:
    values, _ = of_entries([(texts, None)], clock)
    return (text for text, x in zip(texts, values.tolist(), strict=True) if x != GONE)


def _zones(where: str, dates: set[str], counts: Counter[str]) -> Iterator[Finding]:
    """Times with a zone beside others that have none."""
    zoned = sum(counts[text] for text in _of_clock(sorted(dates), Clock.INSTANT))
    rest = sum(counts[text] for text in dates) - zoned
    if zoned and rest:
        yield Finding(
            where,
            f"{zoned} times have a time zone and {rest} have none: bounds are of one kind, and the "
            "others are missing",
            "write all of them in one zone, or in none",
        )


def looks(text: str) -> str | None:
    """What a text that is no number looks like, if like one."""
    return next((name for name, pattern in _LOOKS.items() if pattern.fullmatch(text)), None)


def _unread(where: str, others: Counter[str], column: CheckedColumn) -> Iterator[Finding]:
    """Entries that are missing to every statistic of numbers, though they were meant to be some."""
    kinds: dict[str, Counter[str]] = {}
    for text, times in others.items():
        kind = looks(text)
        if kind is None and _DATES.fullmatch(text):
            kind = "date"
        kinds.setdefault(kind or "", Counter())[text] += times
    words = kinds.pop("", Counter())
    like = sum(sum(found.values()) for name, found in kinds.items() if name != "date")
    held = column.rows - column.missing - column.dates
    if not held:
        return
    days = sum(kinds.pop("date", Counter()).values())
    if days and days >= _MEANT * held:
        yield Finding(
            where,
            f"{days} entries look like dates in another form than ISO's and are missing",
            "convert them, each by itself, with a declared format, to 2024-01-31",
        )
        return
    if column.numbers + like < _MEANT * held:
        yield from _no_label(where, others, column)
        return
    for kind, found in sorted(kinds.items(), key=lambda item: -sum(item[1].values())):
        text, times = found.most_common(1)[0][0], sum(found.values())
        what, cure, options = _signs(kind, text, set(kinds))
        yield Finding(
            where, f"{times} entries are missing, such as {text!r}: {what}", cure, options
        )
    unknown = sum(words.values())
    if unknown:
        common = [text for text, _ in words.most_common(_SHOWN)]
        known = [text for text in common if _WORDS.fullmatch(text)]
        shown = ", ".join(repr(text[:_LONGEST]) for text in common)
        yield Finding(
            where,
            f"{unknown} entries are no numbers, so they are missing: {shown}",
            "declare words for a missing entry, so that filters and persons know them too"
            if known
            else "see whether they are typing errors, footers or a second line of names",
            {"missing_values": [*_usual(), *known]} if known else {},
        )


def _no_label(where: str, others: Counter[str], column: CheckedColumn) -> Iterator[Finding]:
    """Words among labels that mean that there is none."""
    found = [text for text in others if _NO_LABEL.fullmatch(text)]
    if found and len(found) < len(others):
        shown = ", ".join(f"{text!r} ({others[text]})" for text in found)
        signs = [text for text in found if not any(map(str.isalpha, text))]
        yield Finding(
            where,
            f"{shown} among the labels count as labels",
            "where they stand for a missing entry, declare them in missing_values=",
            {"missing_values": [*_usual(), *signs]} if signs else {},
        )


def _usual() -> list[str]:
    from leastnoise.frames.readers.absent import STANDARD

    return list(STANDARD)


def _signs(kind: str, text: str, kinds: set[str]) -> tuple[str, str, dict[str, str]]:
    """What a kind of text means, what to do, and the options for it."""
    thousands = "thousands have a sign of their own"
    match kind:
        case "comma and point" | "several commas":
            return thousands, "give thousands=','", {"thousands": ","}
        case "point and comma":
            return (
                f"{thousands}, and the decimal sign is a comma",
                "give thousands='.' and decimal=','",
                {"thousands": ".", "decimal": ","},
            )
        case "several points":
            return thousands, "give thousands='.'", {"thousands": ".", "decimal": ","}
        case "apostrophes" | "blanks":
            sign = next(c for c in text if c in "'\u2019 \u00a0\u2009\u202f")
            options = {"thousands": sign} | ({"decimal": ","} if "," in text else {})
            return thousands, f"give thousands={sign!r}", options
        case "one comma" if "decimal comma" not in kinds:
            return (
                "the comma parts thousands, or it is the decimal sign",
                "give thousands=',' for 1,234 = 1234, or decimal=',' for 1,234 = 1.234: the file's "
                "author knows which",
                {"thousands": ","},
            )
        case "one comma" | "decimal comma":
            return "the decimal sign is a comma", "give decimal=','", {"decimal": ","}
        case "money":
            what = "a currency is no part of a number"
        case "percent":
            what = "a percent sign is no part of a number"
        case "brackets":
            what = "brackets, as accountants write what is negative, are no part of a number"
        case "at most":
            what = "a limit is no number"
        case _:
            what = "a unit is no part of a number"
    return what, "write the column anew without it, each entry by itself", {}


def _points(where: str, numbers: dict[str, float]) -> Iterator[Finding]:
    """Points that may part thousands, and are read as decimal signs."""
    pointed = [text for text in numbers if re.fullmatch(r"[+-]?\d{1,3}\.\d{3}", text, re.ASCII)]
    if len(pointed) > 2 and not any("." in text for text in set(numbers) - set(pointed)):
        yield Finding(
            where,
            f"every entry with a point has three digits after it, such as {pointed[0]!r}",
            "if the point parts thousands, give thousands='.' and decimal=','",
            {},
        )


def _sentinels(
    where: str, texts: dict[float, str], counts: Counter[str], rows: int
) -> Iterator[Finding]:
    """Numbers that stand for none: repeated, at an end, and far from all others."""
    ordered = sorted(texts)
    found: list[str] = []
    for end in (0, -1):
        while len(ordered) > 2:
            value = ordered[end]
            others = ordered[1:] if end == 0 else ordered[:-1]
            text, width = texts[value], others[-1] - others[0]
            gap = abs(value - others[end])
            odd = value < 0 <= others[0] if end == 0 else True
            repeated = counts[text] > 1 and counts[text] * 1000 >= rows
            if not (_SENTINELS.fullmatch(text) and repeated and odd and gap > width / 2):
                break
            found.append(text)
            ordered = others
    for text in found:
        value: float | int = float(text)
        shown = int(value) if value == int(value) else value
        yield Finding(
            where,
            f"{counts[text]} entries are {text}, far from all others: as a rule it stands for no "
            "number, or else for all beyond a limit, and the file's author knows which",
            f"where it stands for none, give missing_values= with {shown}",
            {"missing_values": [*_usual(), shown]},
        )


def check_bounds(
    where: str, numbers: Sequence[float], low: float, high: float
) -> Iterator[Finding]:
    """Whether limits clip more than a tenth."""
    below, above = (sum(x < low for x in numbers), sum(x > high for x in numbers))
    if 10 * (below + above) > len(numbers):
        yield Finding(
            where,
            f"the bounds {low:g} to {high:g} clip {below + above} of {len(numbers)} entries "
            f"({below} below, {above} above), so an answer is of other numbers",
            "declare wider ones from public knowledge; for medians and quantiles they cost little",
        )
