"""NOT PRIVATE. Rows that are no records: blank ones, copies, titles, totals and notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, isnan
from typing import Any

from leastnoise.frames.checks.report import Checked, Finding, column_of

_FEET = 12  # rows at the end that may be a footer
_FEW_LABELS = 10  # different rows before copies are told, and numbers before a total is
_SEVERAL, _FEW_COPIES, _FAR_FEWER = 4, 10, 20
_WIDE = 6  # columns in which rows are seldom alike by chance
_SHOWN = 60
_TOTALS = re.compile(
    r"(?:(?:grand|sub|column|overall)[- ]?)?totals?(?: general| g[ée]n[ée]ral)?:?|sum|all|overall"
    r"|gesamt|summe|insgesamt|zusammen|totaal|totale|(?:in|som)ma|(?:all|total) [a-z]+|_?tot|_t"
    r"|total[,:( -].{1,60}|both(?: (?:sexes|genders))?|(?:all|both)[ -](?:ages|sexes|races).{0,40}"
    r"|(?:eu|ea)[- ]?\d\d(?:_\d{4})?|oecd(?: - total| average)?|g7|g20|world",
    re.IGNORECASE,
)
# What stands below a column beside its total.
_SUMMARIES = re.compile(
    r"means?|medians?|averages?|avg|mittelwert|durchschnitt|moyenne|media|promedio|std\.?(?:ev)?|n",
    re.IGNORECASE,
)
_SEXES = frozenset("MFWHVKD12")
_SAME = 1e-4  # how near a total is to the sum of the others, which were rounded
_BY_CHANCE = 100.0  # small numbers are sums of others by chance
_EQUAL = 1e-8  # the same at an end of a column, where few numbers can be one by chance
_GROUPS = 3  # labels that stand for those below them


def blank_rows(rows: Sequence[Sequence[str]], entries: Mapping[str, object]) -> Iterator[Checked]:
    """Rows that hold nothing, between others or below them."""
    blank = sum(not any(map(str.strip, row)) for row in rows)
    if 0 < blank < len(rows) and entries:
        yield only(
            f"{rows_are(blank, 'is', 'are')} blank in all columns: each counts as a row",
            f"keep the others with ~ln.col({next(iter(entries))!r}).is_missing(), or cut them out",
        )


def copies(rows: Sequence[Sequence[str]]) -> Iterator[Checked]:
    """Rows that stand there several times, though a column tells all others apart."""
    different = {tuple(row) for row in rows if any(map(str.strip, row))}
    filled = sum(any(map(str.strip, row)) for row in rows)
    copies = filled - len(different)
    width = min(map(len, different), default=0)
    if copies and len(different) > _FEW_LABELS and width > 1:
        keys = [i for i in range(width) if len({row[i] for row in different}) == len(different)]
        if keys:
            yield only(
                f"{rows_are(copies, 'is', 'are')} exact copies of others, and count again",
                "cut them out, or name the persons, unit= and max_rows=1",
            )
        elif (width >= _WIDE and 2 * copies > filled) or _more_than_by_chance(rows, width, copies):
            yield only(
                f"{rows_are(copies, 'is', 'are')} exact copies of others in all {width} columns: "
                "as many things alike, or a file that repeats itself",
                "see which; where a row stands for the same again, cut it out",
            )


def _more_than_by_chance(rows: Sequence[Sequence[str]], width: int, copies: int) -> bool:
    """Whether few rows are copies, and far fewer would be if columns had nothing to do with each
    other.
    """
    if width < _SEVERAL or copies * _FEW_COPIES > len(rows):
        return False
    pairs = len(rows) * (len(rows) - 1) / 2
    for i in range(width):
        counts = Counter(row[i] for row in rows if len(row) > i)
        pairs *= sum(n * n for n in counts.values()) / max(1, counts.total()) ** 2
    return pairs * _FAR_FEWER < copies


def notes_below(
    entries: Mapping[str, Sequence[str]], numeric: Sequence[str], dialect: Any
) -> Iterator[Checked]:
    """Rows at the end that are sources or notes."""
    if len(entries) < 2:
        return
    rows = list(zip(*(found[-_FEET:] for found in entries.values()), strict=True))
    filled = [sum(bool(entry.strip()) for entry in row) for row in rows]
    feet = next((i for i, n in enumerate(reversed(filled)) if n > 1), len(rows))
    ends = rows[len(rows) - feet :] if feet < len(rows) else []
    alone = [(i, x.strip()) for row in ends for i, x in enumerate(row) if x.strip()]
    columns = list(entries.values())
    notes = [x for i, x in alone if not _is_number(x, dialect) and columns[i].count(x) < 2]
    if notes:
        text = notes[0]
        name = (numeric or list(entries))[-1]
        yield only(
            f"notes stand below the rows, such as {text[:_SHOWN]!r}: the last {feet} count as rows "
            "too",
            f"cut them off, or keep the others with ~ln.col({name!r}).is_missing()",
        )


def totals(
    entries: Mapping[str, Sequence[str]], numeric: Sequence[str], dialect: Any
) -> Iterator[Checked]:
    """Rows that add up others: by their word, or because a number is the sum of all others."""
    told = False
    for name, found in entries.items():
        counts = Counter(map(str.strip, found))
        if name in numeric:
            counts = Counter({x: n for x, n in counts.items() if not _is_number(x, dialect)})
        below = _summaries(found, counts)
        added = Counter(
            {x: n for x, n in counts.items() if x and (_is_total(x, counts) or x in below)}
        )
        if added and added.total() < len(found):
            word, times = added.most_common(1)[0]
            yield Checked(
                findings=(
                    Finding(
                        name,
                        f"{rows_are(added.total(), 'holds', 'hold')} words such as {word!r} "
                        f"({times}): totals count as rows beside those that they add up",
                        "where they are, cut them out, or keep the others by a filter, "
                        f"{column_of(name)} != {word!r}",
                    ),
                )
            )
            told = True
    for name in () if told else numeric:
        known = {entry: dialect.number(entry) for entry in set(entries[name])}
        numbers = [x for entry in entries[name] if not isnan(x := known[entry])]
        most = max(numbers, default=0)
        if len(numbers) > _FEW_LABELS and most > 0 <= min(numbers):
            rest = sum(numbers) - most
            if abs(rest - most) <= _SAME * most and most < float("inf"):
                told = f"one entry is {most:g}, which is the sum of all others: a total"
                cure = "cut its row off: it counts as a row"
                yield Checked(findings=(Finding(name, told, cure),))
                return
        where = _sum_at_an_end(numbers)
        if where is not None:
            told = f"the {where}: a total counts as a row beside those that it adds up"
            yield Checked(findings=(Finding(name, told, "cut its row off, and others of sums"),))
            return


def _sum_at_an_end(numbers: Sequence[float]) -> str | None:
    """Whether the first number is the sum of those that follow, or the last of those before."""
    for order, where in ((numbers, "first entry is the sum of the {} below it"),
                         (numbers[::-1], "last entry is the sum of the {} above it")):  # fmt: skip
        total, added = (order[0] if order else 0.0), 0.0
        if not _BY_CHANCE < total < inf or any(x >= total for x in order[1:]):
            continue
        for count, number in enumerate(order[1:], 1):
            added += number
            if count > 2 and abs(added - total) <= _EQUAL * total:
                return where.format(count)
            if number < 0 or added > 2 * total:
                break
    return None


def _summaries(found: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Words such as "Mean" that stand once, in one of the last rows."""
    last = map(str.strip, found[-_FEET:])
    words = [word for word in last if counts[word] == 1 and _SUMMARIES.fullmatch(word)]
    return [] if all(len(word) == 1 for word in words) else words  # "N" alone is a label


def _is_total(word: str, words: Iterable[str]) -> bool:
    """Whether a word is one of a total: a T too, where the others are one letter for a sex."""
    if word == "T":
        others = {x for x in words if x != "T"}
        return bool(others) and others <= _SEXES
    return _TOTALS.fullmatch(word) is not None


def titles_between(rows: Sequence[Sequence[str]], names: Sequence[str]) -> Iterator[Checked]:
    """Rows of a name alone, which stand above those of a group."""
    if len(names) < 3:  # a row of a name and no number may be one with a missing number
        return
    alone = [row[0].strip() for row in rows[:-_FEET] if not any(map(str.strip, row[1:])) and row]
    alone = list(filter(None, alone))
    if len(alone) > 1 and len(alone) == len(set(alone)) and 2 * len(alone) < len(rows):
        yield only(
            f"{rows_are(len(alone), 'holds', 'hold')} a name and nothing else, such as "
            f"{alone[0][:_SHOWN]!r}, as a title of those below: each counts as a row",
            f"cut them out, or keep the others by a filter, ~ln.col({names[-1]!r}).is_missing()",
        )


def left_blank_below(entries: Mapping[str, Sequence[str]]) -> Iterator[Checked]:
    """Labels that are written once, for all rows down to the next: a merged cell, or a pivot."""
    for name, found in entries.items():
        filled = [entry.strip() for entry in found if entry.strip()]
        once = _GROUPS <= len(filled) == len(set(filled)) and 2 * len(filled) <= len(found)
        if not (once and found[0].strip()) or not any(map(str.isalpha, "".join(filled))):
            return
        text = filled[0][:_SHOWN]
        yield Checked(
            findings=(
                Finding(
                    name,
                    f"labels such as {text!r} are written once and the rows below are blank, as in "
                    "a sheet with merged cells: a filter or a group finds the first row only",
                    "if the label is meant for the rows below, have the file written with it in "
                    "each of them",
                ),
            )
        )


def _is_number(entry: str, dialect: Any) -> bool:
    return not isnan(dialect.number(entry))


def only(what: str, cure: str, options: dict[str, Any] | None = None) -> Checked:
    """One finding about the whole file."""
    return Checked(findings=(Finding("", what, cure, options or {}),))


def rows_are(count: int, verb: str, verbs: str) -> str:
    """How many rows there are, and their verb."""
    return f"one row {verb}" if count == 1 else f"{count} rows {verbs}"


def lines_stand(count: int) -> str:
    """How many lines there are, and their verb."""
    return f"{count} lines stand" if count > 1 else "one line stands"
