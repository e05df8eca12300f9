"""NOT PRIVATE. Names that cannot be asked for, and lines below the names that are no rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from math import isnan

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.entries import WORDS
from leastnoise.frames.checks.extra_rows import only
from leastnoise.frames.checks.looks import looks
from leastnoise.frames.checks.report import OTHERS, Checked, without
from leastnoise.frames.readers.values import Dialect

_HEADS = 3  # lines that may stand below the names
_MOST_HEADS, _DIGITED = 20, 0.8  # lines; entries with digits in a column of them
_FEW_LABELS = 10  # rows for each label of a column of labels
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"\s*\(\d{1,3}\)\s*", re.ASCII)
_UNIT = re.compile(r"[\[(][a-z]{2,}\.?[\])]", re.IGNORECASE)
_UNNAMED = re.compile(r"unnamed: ?\d+", re.IGNORECASE)
_AGAIN, _SECOND = re.compile(r"|[ ._-]?\(?\d\)?"), re.compile(r"\.1")  # behind a second name
YEARS = range(1800, 2200)


def check_names(
    names: Sequence[object], held: Sequence[bool], place: str = ""
) -> Iterator[Checked]:
    """Names that cannot be asked for, or not as they look.

    Parameters
    ----------
    names
        In order.
    held
        Whether each column holds anything.
    place
        How else columns are asked for.
    """
    known = [name for name in names if isinstance(name, str)]
    other = len(names) - len(known)
    if other:
        what = "one column has" if other == 1 else f"{other} columns have"
        yield only(f"{what} a label that is not text, so it cannot be asked for", "rename it")
    spaced = [name for name in known if name != name.strip() and name.strip()]
    if spaced:
        what = f"blanks are part of the names, such as {spaced[0]!r}"
        yield only(what, "name the columns with their blanks, or rewrite the names")
    blank = sum(
        isinstance(name, str) and not name.strip() and any_
        for name, any_ in zip(names, held, strict=True)
    )
    if blank:
        what = "one column has" if blank == 1 else f"{blank} columns have"
        yield only(f"{what} a blank name", f"name those that you ask for{place}")
    twice = [name for name, times in Counter(known).items() if times > 1 and name.strip()]
    if twice:
        what = f"{known.count(twice[0])} columns are called {twice[0]!r}, so none can be asked for"
        yield only(what, f"give each a name of its own{place}")


def side_by_side(names: Sequence[str], every: Sequence[Sequence[str]]) -> Iterator[Checked]:
    """A second block of columns beside the first, as where a list was broken to fit a page."""
    blank = [
        i
        for i, name in enumerate(names)
        if (not name.strip() or _UNNAMED.fullmatch(name)) and not any(every[i])
    ]
    places = [i for i in range(len(names)) if i not in blank]
    inside = [i for i in blank if places and places[0] < i < places[-1]]
    left = [names[i].strip() for i in places if not inside or i < inside[0]]
    right = [names[i].strip() for i in places if inside and inside[0] < i]
    if not inside and len(left) % 2 == 0:  # as pandas names them
        left, right = left[: len(left) // 2], left[len(left) // 2 :]
    size = min(len(left), len(right))
    if size < 2 or len(right) % len(left):
        return
    again = [x + right[i][len(x) :] for i, x in enumerate(left)]
    ends = [right[i][len(x) :] for i, x in enumerate(left)]
    suffix = _AGAIN if inside else _SECOND
    if again == right[: len(left)] and len({*ends}) == 1 and suffix.fullmatch(ends[0]):
        yield only(
            f"columns of the same names stand beside the first ones, {', '.join(right[:_HEADS])}: "
            f"they hold records too, of which {left[-1]!r} has none",
            "write them below the others, with the same names",
        )


def check_joined(names: Sequence[str], every: Sequence[Sequence[str]]) -> dict[str, Checked]:
    """The names with a separator inside that stands in every entry as often."""
    return {
        name: only(
            f"{name!r} and all its entries hold {sign!r}: they are several columns in one",
            "rewrite the file, with a column for each",
        )
        for name, found in zip(names, every, strict=True)
        if (sign := next((sign for sign in ",;|\t" if sign in name), None))
        and {entry.count(sign) for entry in found} == {name.count(sign)}
    }


def names_again(rows: Sequence[Sequence[str]], names: Sequence[str]) -> int:
    """How many rows hold the names again."""
    titles = [name.strip() for name in names]
    return sum(
        row[0].strip() == titles[0] and [field.strip() for field in row] == titles
        for row in rows
        if len(row) == len(titles)
    )


def told_again(times: int, entries: Mapping[str, Sequence[str]]) -> Iterator[Checked]:
    """What is said of rows that hold the names again."""
    if times and len(entries) > 1:
        title = next(iter(entries))
        yield only(
            f"the line of names stands again among the rows ({times}): files were put together",
            f"delete it, or {OTHERS}",
            kept=without(title, [title.strip()], entries[title]),
        )


def other_names(
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    numeric: Mapping[str, Entries],
    dialect: Dialect,
) -> Iterator[Checked]:
    """A line of other names among the rows, as where a second table stands below the first."""
    places = [names.index(name) for name in numeric]
    words = [
        {x for x in found.counts.keys() - found.numbers(dialect).keys() if found.counts[x] == 1}
        for found in numeric.values()
    ]
    if not all(words):
        return
    titles = [name.strip() for name in names]
    for at, row in enumerate(rows):
        if at < _HEADS or len(row) <= max(places, default=len(row)):
            continue
        held = [row[i].strip() for i in places]
        once = all(x in rare for x, rare in zip(held, words, strict=True))
        if not once or not all(_is_word(x, dialect, 1) for x in held):
            continue
        fields = [field.strip() for field in row]
        filled = [field for field in fields if field]
        if not 1 < len(filled) == len({*filled}):
            continue
        apart = not any(map(str.strip, rows[at - 1]))
        alike = fields != titles and any(x == y for x, y in zip(fields, titles, strict=False))
        if apart or alike:
            shown = ", ".join(map(repr, filled[:_HEADS]))
            yield only(
                f"row {at + 1} holds other names, {shown}: a second table stands below the "
                "first, and its rows count as rows of this one",
                "write each table to a file of its own",
            )
            return


def heads(
    entries: Mapping[str, Entries],
    numeric: Sequence[str],
    dialect: Dialect,
    every: Sequence[Entries],
) -> int:
    """How many of the first rows hold words where a column holds numbers, or what no other row
    holds where it holds few labels; a row with an entry like those below it, in any column of the
    data, is a record.
    """
    told: list[list[bool]] = []
    years: list[
        list[bool]
    ] = []  # years as names, and units such as "0.1 °C", which are told by other names beside them
    for name, found in entries.items():
        firsts, counts = found[:_HEADS], found.counts
        if name in numeric:
            told.append([_is_word(entry, dialect, counts[entry]) for entry in firsts])
            dated = [_is_year(entry) for entry in firsts]
            rare = any(dated) and sum(n for x, n in counts.items() if _is_year(x)) <= _HEADS
            once = [counts[entry] == 1 and looks(entry) == "unit" for entry in firsts]
            years.append([(rare and one) or unit for one, unit in zip(dated, once, strict=True)])
        elif len(counts) * _FEW_LABELS <= len(found):
            told.append([bool(entry) and counts[entry] == 1 for entry in firsts])
            years.append([False] * len(firsts))
    rows = [
        any(named) and 2 * (sum(named) + sum(dated)) > len(named)
        for named, dated in zip(zip(*told, strict=False), zip(*years, strict=False), strict=True)
    ]
    # "(1)", "(2)", ...: columns that are numbered, as statistical tables do
    firsts = zip(*(found[: len(rows)] for found in entries.values()), strict=False)
    numbered = [len(row) > 1 and all(map(_NUMBERED.fullmatch, row)) for row in firsts]
    lines = map(any, zip(rows, numbered, strict=False))
    count = sum(1 for _ in takewhile(bool, lines))
    records = (at for at in range(count) if any(_as_below(column, at) for column in every))
    found = next(records, count)
    return found and found + sum(
        1
        for _ in takewhile(
            lambda at: _as_above(at, [entries[x] for x in numeric], every, dialect),
            range(found, min(_MOST_HEADS, min(map(len, every)))),
        )
    )


def _as_above(
    at: int, numeric: Sequence[Entries], every: Sequence[Entries], dialect: Dialect
) -> bool:
    """Whether a row below lines of names is one too: without a number where others have some, and
    with words in a column where nearly all others have digits, as where offices tell a series.
    """
    if not numeric or any(column[at] in column.numbers(dialect) for column in numeric):
        return False
    return any(
        column[at]
        and not _DIGITS.search(column[at])
        and sum(n for x, n in column.counts.items() if _DIGITS.search(x)) > _DIGITED * len(column)
        for column in every
    )


def _as_below(column: Entries, at: int) -> bool:
    """Whether an entry is one of a label, or, with digits, is written as most of its column are."""
    entry = column[at]
    kind = _written(entry)
    if "0" not in kind[0]:  # a label that stands below too
        return entry.isalpha() and column.counts[entry] > _HEADS
    return 2 * sum(n for x, n in column.counts.items() if _written(x) == kind) > len(column)


def _written(entry: str) -> tuple[str, bool]:
    return _DIGITS.sub("0", entry.strip()), _is_year(entry)


def _is_year(entry: str) -> bool:
    return re.fullmatch(r"\s*\d{4}\s*", entry, re.ASCII) is not None and int(entry) in YEARS


def _is_word(text: str, dialect: Dialect, times: int) -> bool:
    """Whether a text is neither a number nor one that stands for none, as "(kg)" once does not."""
    if not text or text in dialect.absent.texts or not isnan(dialect.number(text)):
        return False
    unit = times == 1 and _UNIT.fullmatch(text) is not None
    return unit or (not looks(text) and not WORDS.fullmatch(text))
