"""NOT PRIVATE. What stands in one column of text, and what it was meant to be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isnan
from typing import Literal

from leastnoise.frames.checks.codes import clock_numbers, lettered_codes
from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.labels import NO_LABEL, check_labels, made_dates, two_ways
from leastnoise.frames.checks.looks import SIGNED, meaning, sorted_out
from leastnoise.frames.checks.report import OTHERS, Checked, CheckedColumn, Finding, without
from leastnoise.frames.checks.signs import in_one_way
from leastnoise.frames.checks.stand_ins import check_days, check_numbers
from leastnoise.frames.readers.times import GONE, of_entries
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries.columns import Clock

_SHOWN, _LONGEST, _MOST_WORDS = 5, 40, 20
# A column is meant to hold numbers, or dates, if so many of its entries are, or look like it.
_MEANT = 0.5
_SEVERAL = 20  # different numbers: beside them a letter stands for none
_LETTERS = re.compile(r"[a-z]|low|high|none|[\[(][a-z]{1,3}[\])]", re.IGNORECASE)
_OFTEN, _FEW_NUMBERS = 20, 10  # one in so many is an answer, and numbers beside it are few
_ENOUGH_TIMES, _HOUR, _TWELVE = 100, 60, 12
_OFTEN_ZERO = 10  # one in so many is a dash where dashes are zeros
_LARGER = 20  # times as large as what a point parts: it parts thousands
_DAY = 86_400
_SPANS = frozenset(("PT", "-P", "+P", *(f"P{x}" for x in range(10))))  # how durations begin
Meant = Literal["", "numbers", "times"]
_PLAIN = Dialect()
_MONTH = (
    r"(?:jan|f[eé][bv]|m[aä]r|apr|a[bv]r|ma[iyj]|jun|jui|jul|aug|ao[uû]|ago|sep|set|o[ck]t|out|ott|nov"
    r"|de[czk]|d[eé]c|ene|gen|mag|giu|lug|dic|dez)[^\W\d_]{0,9}\.?"
)
_PERIOD = r"(?:[qthswm]|kw|fy|sem|trim)"
# The last three lines are of periods: quarters, months, weeks, years that begin in summer.
_DATES = re.compile(
    r"(\d{1,2})(?:\.(?=\d+\.)|/(?=\d+/)|-(?=\d+-))(\d{1,2})[./-]\d{2,4}(?:[ T]\d.*)?"
    r"|\d{4}[./]\d{1,2}[./]\d{1,2}.*"
    r"|\d{4}-(?:1[3-9]|[23]\d)-(?:0\d|1[0-2])"
    r"|\d{4}-(?:0\d|1[0-2])-[0-3]\d[ T]\d.*|\d{2,4}[年년]\s*\d{1,2}[月월](?:\s*\d{1,2}[日일])?"
    rf"|\d{{1,2}}\.?[ -](?:de )?{_MONTH}[ -](?:del? )?\d{{2,4}}.*"
    rf"|(?:[a-z]{{3,9}},? )?{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}.*"
    rf"|[a-z]{{3}},? (?:\d{{1,2}} {_MONTH}|{_MONTH} \d{{1,2}}) (?:\d{{4}}|\d\d:\d\d).*"
    rf"|\d{{1,2}}{_MONTH}\d{{2,4}}(?::\d.*)?"
    r"|[mtshr]\d{1,2}\.\d{1,2}\.\d{1,2}"
    rf"|{_MONTH}[- ']+\d{{2,4}}|\d{{1,2}}[- ]{_MONTH}|\d{{4}}[- ]{_MONTH}"
    rf"|(?:19|20)\d\d[- /]?{_PERIOD}-?\d{{1,2}}|{_PERIOD}\d{{0,2}}[- /'](?:\d\d|(?:19|20)\d\d)"
    r"|fy ?\d{2,4}(?:[-/]\d{2,4})?|(?:19|20)\d\d ?[-/\u2013] ?(?:\d\d|(?:19|20)\d\d)",
    re.IGNORECASE,
)


def is_other_date(text: str) -> bool:
    """Whether a text looks like a date, or a period, in another form than ISO's."""
    return _DATES.fullmatch(text) is not None


# Words that stand where there is no number, or no date.
WORDS = re.compile(
    rf"[-.:*?x_/\\ ]*|[^\w\s★☆⭐✩✪⚫⚪●○]+"
    rf"|(?:[:*]|\.\.+) ?[a-z]{{1,3}}|[a-z]|[\[(][a-z]{{1,3}}[\])]"
    r"|n\.?[abcdekpqrsuv]\.?|\.[a-z]|none|null|#+|low"
    r"|high|[<>]? ?(?:lo[dq]|m?dl|bdl|bql)|(?:below|not) detect\w*(?: limit)?|too few"
    rf"|-?1\.#[a-z]{{3,4}}|nat|-?nan(?:\(\w*\))?"
    rf"|0{{2,4}}([-/.])00\1(?:00){{1,2}}(?: .*)?|{NO_LABEL.pattern}",
    re.IGNORECASE,
)


# Words and signs that stand for 0 in some files, and for a missing entry in others.
_EVEN = re.compile(r"e|even|par|pk|[-\u2013\u2014]+", re.IGNORECASE)
_TRACE = re.compile(r"t|tr\.?|traces?", re.IGNORECASE)
_RAIN = re.compile(
    r"rain|prec|prcp|snow|niederschl|regen|schnee|pluie|neige|lluvia|nieve|chuva|pioggia|neve",
    re.IGNORECASE,
)
_MAY_BE_ZERO = re.compile(
    rf"{_EVEN.pattern}|none|nil|zero|null|no|never|free|gratis|kostenlos|keine?|nie|nichts|aucune?"
    r"|jamais|ningun[oa]|nunca|nessun[oa]|mai|nenhuma?|geen|nooit|inga?|aldrig|ingen|brak",
    re.IGNORECASE,
)


def apart(
    reports: Mapping[str, Checked], columns: Mapping[str, Entries], dialect: Dialect
) -> list[Checked]:
    """The reports of columns; what stands for none in one, but not in another that has it too, is
    left to a filter.
    """
    told = {
        (name, mark)
        for name, report in reports.items()
        for finding in report.findings
        for mark in finding.options.get("missing_values", ())
    }
    held = {mark for _, mark in told}
    known: set[tuple[str, str | float]] = set()
    for name, entries in columns.items() if held else ():
        marks = (_mark(entry, dialect) for entry in entries.counts)
        known |= {(name, mark) for mark in marks if mark in held}

    def elsewhere(finding: Finding) -> Finding:
        marks = set(finding.options.get("missing_values", ()))
        others = [name for name, mark in sorted(known - told, key=str) if mark in marks]
        if not others:
            return finding
        cure = f"where it means missing, as {others[0]} has it too, {OTHERS}"
        kept = without(finding.where, sorted(marks, key=str))
        return replace(finding, cure=cure, options={}, kept=kept)

    return [
        replace(report, findings=tuple(map(elsewhere, report.findings)))
        for report in reports.values()
    ]


def _mark(entry: str, dialect: Dialect) -> str | float:
    number = dialect.number(entry)
    return entry.strip() if isnan(number) else number


def check_entries(
    name: str | None,
    entries: Entries,
    dialect: Dialect,
    separator: str = ",",
    meant: Meant = "",
) -> Checked:
    """What the entries of a column of text are, and what was found in them.

    Parameters
    ----------
    name, entries, dialect, separator
        The column and the file.
    meant
        What a statistic is to read there, where bounds or the question tell.
    """
    counts = entries.counts
    missing = counts.keys() & {"", *dialect.absent.texts}
    numbers = entries.numbers(dialect)
    numbers = {x: numbers[x] for x in numbers if x not in missing} if missing else numbers
    if dialect.absent.doubles:
        missing |= {text for text, number in numbers.items() if number in dialect.absent.doubles}
        numbers = {text: x for text, x in numbers.items() if text not in missing}
    rest = [text for text in counts if text not in numbers and text not in missing]
    days, zoned = dict(_days(rest, Clock.DAY)), dict(_days(rest, Clock.INSTANT))
    spans = dict(_days([text for text in rest if text[:2] in _SPANS], Clock.SPAN))
    dates = days | zoned | spans
    others = Counter({text: counts[text] for text in rest if text not in dates})

    def total(texts: Iterable[str]) -> int:
        return sum(map(counts.__getitem__, texts))

    def labels() -> Counter[str]:
        return others + Counter({text: counts[text] for text in numbers})

    column = CheckedColumn(
        name,
        len(entries),
        total(numbers),
        total(dates),
        total(missing),
        tuple((text[:_LONGEST], times) for text, times in others.most_common(_SHOWN)),
    )
    where = name or ""
    words = Counter({text: n for text, n in others.items() if WORDS.fullmatch(text)})
    unread = others - words
    dated = Counter({text: n for text, n in unread.items() if _DATES.fullmatch(text)})
    # "44.61", where the comma was declared to be the decimal sign
    other = Counter({t: n for t, n in unread.items() if not isnan(_PLAIN.number(t))})
    kinds = sorted_out(unread - dated - other, column.numbers)
    if other:
        kinds["other sign"] = other
    alike = [found for kind, found in kinds.items() if kind is not None]
    like = sum(found.total() for found in alike)
    several = len(numbers) + sum(map(len, alike)) >= _SEVERAL
    # letters may be labels, as sizes and sexes are, beside few numbers; several, beside fewer ones
    short = [text for text in words if _LETTERS.fullmatch(text)]
    gaps = several and (len(short) == 1 or total(short) <= column.numbers + like)
    said = words.total() - (0 if gaps else total(short))
    held = column.rows - column.missing - said
    findings = [*lettered_codes(where, numbers, others)]
    answers = _answers(numbers, words, held)
    if findings or (answers and not meant):
        findings += check_labels(where, labels(), {text: counts[text] for text in missing})
    elif held and (
        meant == "times" or (not meant and column.dates + dated.total() >= _MEANT * held)
    ):
        findings += _other_dates(where, dated)
        lengths = kinds.get("time of day", Counter[str]())
        if lengths:
            findings += _looks(where, {"time of day": lengths}, separator)
        findings += _unread(where, others - dated - lengths, words, "dates or times")
        findings += _zones(where, total(days), total(zoned))
        findings += check_days(where, days | zoned, counts)
    elif held and (
        meant == "numbers"
        or (
            not (_ranges(kinds.get("range")) and column.numbers < _MEANT * held)
            and column.numbers + like >= _MEANT * held
        )
    ):
        looked = [*_looks(where, kinds, separator)]
        if SIGNED & kinds.keys() or looked:
            signed = sum((kinds[kind] for kind in SIGNED & kinds.keys()), Counter[str]())
            signed.update({text: counts[text] for text in numbers})
            findings += in_one_way(looked, signed, dialect)
        findings = [*_percents(where, findings, kinds, numbers)]
        made = [*made_dates(where, others, others.total() + column.numbers)]
        findings += made
        strange = kinds.get(None, Counter[str]()) + words + (Counter[str]() if made else dated)
        zero = any(x == 0 for x in numbers.values())
        if not zero and min(numbers.values(), default=0) < 0:  # as strokes beside par are
            numbers = numbers | ({"0": 0.0} if any(map(_EVEN.fullmatch, words)) else {})
        if numbers or like:
            findings += _unread(where, strange, words, "numbers", zero, column.rows)
        if dialect.decimal == "." and not any("thousands" in x.options for x in findings):
            points = [*_points(where, numbers)]
            findings += points
            if any(x.options for x in points):
                meant_as = replace(dialect, thousands=".", decimal=",")
                numbers = {text: meant_as.number(text) for text in numbers}
        if any("." in text for text in numbers):
            findings += _lost_points(where, numbers, counts)
            findings += _minutes(where, numbers, counts)
            findings += _twelfths(where, numbers, counts)
        findings += clock_numbers(where, numbers, counts)
        findings += two_ways(where, numbers)
        findings += check_numbers(where, numbers, counts)
    else:
        findings += check_labels(where, labels(), {text: counts[text] for text in missing})
        findings += _mixed(column)
    return Checked((column,), tuple(findings))


def _answers(numbers: Mapping[str, float], words: Mapping[str, int], held: int) -> bool:
    """Whether frequent letters beside few numbers are answers, as Y and N beside 1 and 0 are."""
    often = [text for text, n in words.items() if text.isalpha() and n * _OFTEN >= held]
    return len(often) > 1 and 0 < len(numbers) <= _FEW_NUMBERS


def _mixed(column: CheckedColumn) -> Iterator[Finding]:
    """Labels beside many numbers: a statistic of numbers leaves the labels out."""
    held = column.rows - column.missing - column.dates
    if _FEW_NUMBERS <= column.numbers < held <= column.numbers * _OFTEN and column.others:
        yield Finding(
            column.name or "",
            f"{column.numbers} of {held} entries are numbers and the others are words, such as "
            f"{column.others[0][0]!r}: a mean or median is of the numbers alone",
            "count them as labels, or keep to the numbers with a filter if that is what is meant",
        )


def _ranges(ranges: Counter[str] | None) -> bool:
    """Whether what looks like ranges are names, as phone numbers are: each but once or twice."""
    return ranges is not None and len(ranges) > 4 * _SHOWN and 2 * len(ranges) > ranges.total()


def _days(texts: Sequence[str], clock: Clock) -> Iterator[tuple[str, int]]:
    values, _ = of_entries([(texts, None)], clock)
    unit = 1 if clock is Clock.DAY else _DAY
    return ((text, x // unit) for text, x in zip(texts, values.tolist(), strict=True) if x != GONE)


def _zones(where: str, plain: int, zoned: int) -> Iterator[Finding]:
    """Times with a zone beside others that have none."""
    if zoned and plain:
        yield Finding(
            where,
            f"{zoned} times have a time zone and {plain} have none: bounds are of one kind, and "
            "the others are missing",
            "write all of them in one zone, or in none",
        )


def _other_dates(where: str, dated: Counter[str]) -> Iterator[Finding]:
    """Dates of other forms, in which the day or the month may stand first."""
    if not dated:
        return
    parts = [found for text in dated if (found := _DATES.fullmatch(text)) and found[1]]
    first = any(int(found[1]) > 12 for found in parts)
    second = any(int(found[2]) > 12 for found in parts)
    turned = any(re.match(r"\d{4}-(?:1[3-9]|[23]\d)-", text) for text in dated)
    order = (
        ", of which the day stands before the month: all that are read have them exchanged"
        if turned
        else ""
    ) if not parts else ", of which the day stands first" if first else (
        ", of which the month stands first" if second
        else ", of which the day or the month stands first: the file's author knows"
    )  # fmt: skip
    if first and second:
        order = ", of which the day stands first in some and the month in others"
    yield Finding(
        where,
        f"{dated.total()} entries look like dates in another form than ISO's and are missing"
        f"{order}",
        "convert them, each on its own, with a declared format, to 2024-01-31, or count them as "
        "labels",
    )


def _looks(
    where: str, kinds: Mapping[str | None, Counter[str]], separator: str
) -> Iterator[Finding]:
    """Entries that are missing to every statistic of numbers, though they were meant to be some."""
    named = {kind: found for kind, found in kinds.items() if kind is not None}
    for kind, found in sorted(named.items(), key=lambda item: -item[1].total()):
        told = meaning(kind, found, set(named), separator)
        text, times = found.most_common(1)[0][0], found.total()
        missing = "one entry is" if times == 1 else f"{times} entries are"
        yield Finding(
            where,
            f"{missing} missing as numbers, such as {text!r}: {told.what}",
            told.cure,
            told.options,
        )


def _unread(
    where: str,
    others: Counter[str],
    words: Mapping[str, int],
    meant: str,
    zero: bool = True,
    rows: int = 0,
) -> Iterator[Finding]:
    """Entries that are none of what is meant; ``zero``: whether 0 is among ``rows`` in digits."""
    zeros = Counter({x: n for x, n in others.items() if not zero and _MAY_BE_ZERO.fullmatch(x)})
    if not any(map(str.isalpha, "".join(zeros))) and zeros.total() < rows / _OFTEN_ZERO:
        zeros.clear()  # a few dashes are gaps
    if zeros:
        shown = ", ".join(repr(text) for text, _ in zeros.most_common(_SHOWN))
        yield Finding(
            where,
            f"{zeros.total()} entries are {shown}, and none is 0: many write so what is exactly 0, "
            "others what is not known; they are missing",
            "ask the author; where they are 0, write 0 there, each entry on its own; where they "
            f"are missing, give missing_values= with {shown}",
        )
        others = others - zeros
    trace = Counter({x: n for x, n in others.items() if _TRACE.fullmatch(x)})
    if trace and _RAIN.search(where):
        yield Finding(
            where,
            f"{trace.total()} entries are {next(iter(trace))!r}, a trace: less than the least that "
            "is measured, and they are missing",
            "write 0 there, or half of the least, each entry on its own",
        )
        others = others - trace
    unknown = others.total()
    if unknown:
        common = [text for text, _ in others.most_common(_SHOWN)]
        known = [
            x
            for x, _ in others.most_common(_MOST_WORDS)
            if x in words
            and x.casefold() != where.strip().casefold()
            and (others[x] > 1 or not _LETTERS.fullmatch(x))  # one may be a name in a second table
        ]
        shown = ", ".join(repr(text[:_LONGEST]) for text in common)
        yield Finding(
            where,
            f"{unknown} entries are no {meant}, so they are missing: {shown}"
            if unknown > 1
            else f"one entry is none of the {meant}, so it is missing: {shown}",
            "declare words for a missing entry, so that filters and persons know them too"
            if known
            else "see whether they are typing errors, footers or a second line of names",
            {"missing_values": known} if known else {},
        )


def _percents(
    where: str,
    findings: Sequence[Finding],
    kinds: Mapping[str | None, Counter[str]],
    numbers: Mapping[str, float],
) -> Iterator[Finding]:
    """The findings; of percents beside parts of 1 with what they are beside these."""
    percents = kinds.get("percent", Counter[str]())
    parts = bool(numbers) and all(0 <= x <= 1 for x in numbers.values())
    for finding in findings:
        if percents and parts and "percent sign" in finding.what:
            cure = "rewrite the column, each entry on its own: percents are hundred times the "
            finding = replace(finding, cure=f"{cure}others, so 58 % beside 0.54 is 0.58")
        yield finding


def _points(where: str, numbers: Mapping[str, float]) -> Iterator[Finding]:
    """Points that may part thousands, and are read as decimal signs."""
    grouped = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
    pointed = [text for text in numbers if "." in text]
    if len(pointed) < 3 or not all(map(grouped.fullmatch, pointed)):
        return
    others = set(numbers) - set(pointed)
    whole = sorted(abs(numbers[text]) for text in others if len(text.lstrip("+-")) <= 3)
    parts = sorted(abs(numbers[text]) for text in pointed)
    all_whole = 2 < len(whole) == len(others)
    if all_whole and whole[len(whole) // 2] >= _LARGER * parts[len(parts) // 2]:
        yield Finding(
            where,
            f"every entry with a point has three digits after it, such as {pointed[0]!r}, and the "
            "others are whole and far larger: the point parts thousands",
            "give thousands='.' and decimal=','",
            {"thousands": ".", "decimal": ","},
        )
    else:
        yield Finding(
            where,
            f"every entry with a point has three digits after it, such as {pointed[0]!r}",
            "if the point parts thousands, give thousands='.' and decimal=','; if it does not, "
            "never give them for another column",
            {},
        )


def _minutes(
    where: str, numbers: Mapping[str, float], counts: Mapping[str, int]
) -> Iterator[Finding]:
    """Numbers with two digits behind the point that are never 60 or more: hours and minutes."""
    parts = Counter[str]()
    for text in numbers:
        whole, point, part = text.partition(".")
        if not whole.lstrip("+-").isdecimal() or len(part) != 2 * len(point):
            return
        parts[part] += counts[text]
    kinds = {x for x in parts if x}
    if parts.total() >= _ENOUGH_TIMES and len(kinds) > 2 and max(map(int, kinds)) < _HOUR:
        text = next(x for x in numbers if "." in x and x[-2:] != "00")
        yield Finding(
            where,
            f"no number has more than {max(kinds)} behind its point, such as {text!r}: they may be "
            "hours and minutes, of which 60 make one",
            "where they are, rewrite the column, each entry on its own, as minutes or as parts "
            "of an hour",
        )


def _twelfths(
    where: str, numbers: Mapping[str, float], counts: Mapping[str, int]
) -> Iterator[Finding]:
    """Numbers behind whose point 0 to 11 stand, as feet and inches or years and months do."""
    parts = set[str]()
    if not any(text.endswith(".11") for text in numbers):
        return
    for part in chain.from_iterable(text.split(".")[1:] for text in numbers):
        if not part.isdecimal() or int(part) >= _TWELVE:
            return
        parts.add(part)
    whole = {text.split(".")[0] for text in numbers}
    often = sum(counts[text] for text in numbers) >= _ENOUGH_TIMES
    if often and len(parts) > _SHOWN and all(map(str.isdecimal, whole)):
        text = next(x for x in numbers if x.endswith(".11"))
        yield Finding(
            where,
            f"behind the point stand 0 to 11, such as in {text!r}: they may be feet and inches, or "
            "years and months, of which 12 make one",
            "where they are, rewrite the column, each entry on its own, in one unit",
        )


def _lost_points(
    where: str, numbers: Mapping[str, float], counts: Mapping[str, int]
) -> Iterator[Finding]:
    """Whole numbers beside many with a point, far larger: the point may have been lost."""
    if len({"." in text for text in numbers}) < 2:
        return
    parted = sorted(abs(x) for text, x in numbers.items() if re.fullmatch(r"[+-]?\d+\.\d+", text))
    whole = sorted((abs(x), text) for text, x in numbers.items() if re.fullmatch(r"[+-]?\d+", text))
    cents = all(re.fullmatch(r"[+-]?\d+\.\d\d", text) for text in numbers if "." in text)
    if len(whole) < _SHOWN or len(parted) * (2 if cents else 1) < (1 if cents else 2) * len(whole):
        return
    size, text = whole[len(whole) // 2]
    if size >= _LARGER * parted[len(parted) // 2] > 0:
        yield Finding(
            where,
            f"{sum(counts[text] for _, text in whole)} entries without a point, such as {text!r}, "
            "are far larger than those with one: the point may be lost, or a sign that parts "
            "thousands",
            "see which, and rewrite the column, each entry on its own",
        )
