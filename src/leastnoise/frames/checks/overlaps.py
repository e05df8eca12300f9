"""NOT PRIVATE. Rows that repeat others: wider groups, shorter codes, other releases, copies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import inf

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.extra_rows import rows_are
from leastnoise.frames.checks.report import OTHERS, Finding, without
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries.predicates import col

_BETWEEN = re.compile(
    r"(?:[a-z_ ]{0,12}[ _])?y?(\d{1,3}) ?(?:-|\u2013|to|bis|à|a|_) ?(\d{1,3})(?: ?[a-z. ]{1,12})?",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"(?:[a-z_ ]{0,12}[ _])?(\d{1,3}) ?(?:years? )?(?:\+|plus|(?:and|or|et|y|e|und|u\.?) (?:over"
    r"|older|more|above|plus|más|più|älter|mehr))(?: ?[a-z. ]{1,12})?"
    r"|(?:y_?ge|>=? ?|≥ ?|ab |over )(?P<least>\d{1,3})(?: ?[a-z. ]{1,12})?",
    re.IGNORECASE,
)
_BELOW = re.compile(r"(?:y_?lt|<|under |below |unter )(\d{1,3})(?: ?[a-z. ]{1,12})?", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]{0,3}\d{0,6}(?:[.\-]\d{1,3}){0,4}", re.ASCII)
_FEW_LABELS, _MOST_LABELS, _SHOWN = 3, 5000, 5
_CODES = 6  # before some of them repeat others
_PARENTS, _MOSTLY = 2, 0.6  # shorter codes with the sum of the longer ones; of all such
_RELEASES = frozenset(
    {
        *("first", "second", "third", "advance", "preliminary", "provisional", "revised", "final"),
        *("definitive", "initial", "flash", "forecast", "projection", "projected", "actual"),
        *("actuals", "budget", "plan", "planned", "target", "estimate", "estimated", "observed"),
        *("first release", "latest", "original", "corrected"),
        *("vorläufig", "endgültig", "revidiert", "prognose", "ist", "soll", "erste", "plan"),
        *("provisoire", "définitif", "révisé", "prévision", "réalisé", "réel", "provisional"),
        *("definitivo", "revisado", "previsión", "presupuesto", "real", "preliminar"),
    }
)
_OF_VISITS = frozenset(("first", "second", "third", "initial", "final", "original", "latest"))
_BALANCES = re.compile(
    r"(?:opening|closing|beginning|starting|ending|final|initial|previous|current|start|end)"
    r" balance|balance (?:(?:brought|carried)(?: forward)?|[bc]/[fd])|(?:brought|carried) forward"
    r"|b/f|c/f|saldovortrag|(?:anfangs|end|schluss|eröffnungs|abschluss)(?:saldo|bestand|stand)"
    r"|(?:alter|neuer) saldo|kontostand|übertrag|(?:nouveau|ancien) solde|report à nouveau"
    r"|solde (?:initial|final|précédent|reporté|de départ)|(?:begin|eind)saldo"
    r"|saldo (?:inicial|final|anterior|iniziale|finale|precedente|actual|początkowe|końcowe)"
    r"|(?:in|ut)gående (?:saldo|balans)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[ :,(]+(?:(?:on|at|as of|per|am|vom|zum|au|al)\b.*|[\d./-]+\)?)?$", re.IGNORECASE
)
_MOST_AGAIN, _COPIES = 3, 5  # rows alike that a join makes of one; such rows in all


def overlaps(
    entries: Mapping[str, Entries], numeric: Sequence[str], dialect: Dialect
) -> Iterator[Finding]:
    """Rows whose numbers stand in others too.

    Parameters
    ----------
    entries
        Those of every column that has a name.
    numeric
        The columns of numbers.
    dialect
        How these are written.
    """
    numbers = {name: entries[name].numbers(dialect) for name in numeric if name in entries}
    for name, found in entries.items():
        if not name.strip():
            continue
        if name not in numbers:
            yield from _wider_groups(name, found)
            yield from _releases(name, entries)
            yield from _balances(name, found)
        yield from _shorter_codes(name, entries, numbers)
    yield from _copies_beside_an_id(entries)


def _wider_groups(name: str, column: Entries) -> Iterator[Finding]:
    """Groups such as 0-14 beside those of which they are made."""
    if len(column.counts) > _MOST_LABELS:
        return
    ends = {label: two for label in column.counts if (two := _ends(label)) is not None}
    if len(ends) < _FEW_LABELS or 2 * len(ends) < len(column.counts):
        return
    if any(low >= high for low, high in ends.values()):  # results of matches
        return
    groups = {*ends.values()}
    wide = [label for label, two in ends.items() if _made_of(two, groups)]
    if wide:
        yield _repeats(
            name, column, wide, "are groups that are made of others, whose rows stand there too"
        )


def _ends(label: str) -> tuple[float, float] | None:
    """The least and the largest number of a group; of one that is open, 0 or infinity."""
    if two := _BETWEEN.fullmatch(label):
        return float(two[1]), float(two[2])
    if one := _FROM.fullmatch(label):
        return float(one[1] or one["least"]), inf
    if one := _BELOW.fullmatch(label):
        return 0.0, float(one[1]) - 1
    return None


def _made_of(whole: tuple[float, float], groups: set[tuple[float, float]]) -> bool:
    """Whether two groups or more, one behind the other, make this one."""
    low, high = whole
    reached = {low}
    for least, most in sorted(groups - {whole}):
        if least in reached and most < high:
            reached.add(most + 1)
        elif least in reached - {low} and most == high:
            return True
    return False


def _shorter_codes(
    name: str, entries: Mapping[str, Entries], numbers: Mapping[str, Mapping[str, float]]
) -> Iterator[Finding]:
    """Codes such as A beside A01 and A02, whose numbers they add up."""
    found = entries[name]
    labels = found.counts.keys() - {""}
    if not _CODES <= len(labels) <= _MOST_LABELS or len({*map(len, labels)}) == 1:
        return
    if not all(map(_CODE.fullmatch, labels)):
        return
    parts: dict[str, list[str]] = {}
    for label in labels:
        above = next((x for i in range(len(label) - 1, 0, -1) if (x := label[:i]) in labels), None)
        if above is not None:
            parts.setdefault(above, []).append(label)
    parts = {above: below for above, below in parts.items() if len(below) > 1}
    if len(parts) < _PARENTS:
        return
    for other, known in numbers.items():
        if other == name:
            continue
        sums: dict[str, float] = dict.fromkeys(labels, 0.0)
        for label, text in zip(found, entries[other], strict=False):
            if label:
                sums[label] += known.get(text, 0.0)
        same = [x for x, below in parts.items() if sums[x] and _is_sum(sums, x, below)]
        if len(same) >= _PARENTS and len(same) >= _MOSTLY * len(parts):
            yield _repeats(
                name,
                found,
                [*parts],
                f"are codes of which {other!r} is the sum of the longer ones that begin so",
            )
            return


def _is_sum(sums: Mapping[str, float], whole: str, parts: Sequence[str]) -> bool:
    """Whether a number is that of its parts, each of which may be rounded."""
    held = [sums[x] for x in parts]
    near = 1e-9 if all(map(float.is_integer, held)) else 1e-4
    several = sum(x != 0 for x in held) > 1
    return several and abs(sum(held) - sums[whole]) <= near * abs(sums[whole])


def _releases(name: str, entries: Mapping[str, Entries]) -> Iterator[Finding]:
    """Two releases of each figure, or what was planned beside what came."""
    counts = entries[name].counts
    labels = [x for x in counts if x]
    said = [x.casefold() for x in labels]
    if not 1 < len(labels) <= _SHOWN or not all(x in _RELEASES for x in said):
        return
    if _OF_VISITS.issuperset(said):
        return
    first, second = (x for x, _ in Counter({x: counts[x] for x in labels}).most_common(2))
    for other, found in entries.items():
        if other == name:
            continue
        one, two = Counter[str](), Counter[str]()
        for label, text in zip(entries[name], found, strict=False):
            if label == first:
                one[text] += 1
            elif label == second:
                two[text] += 1
        if one == two and len(one) >= _SHOWN and one.total() >= 2 * _SHOWN:
            yield Finding(
                name,
                f"{first!r} and {second!r} stand beside the same entries of {other!r} "
                "equally often: each figure may be there in several releases, and counts in each",
                f"where it is, {OTHERS}",
                kept=col(name) == second,
            )
            return


def _balances(name: str, column: Entries) -> Iterator[Finding]:
    """Rows of what an account held before or after the others."""
    words = [x for x in column.counts if x and _BALANCES.fullmatch(_TAIL.sub("", x))]
    count = sum(column.counts[x] for x in words)
    if words and 2 * count < len(column):
        yield Finding(
            name,
            f"{rows_are(count, 'holds', 'hold')} words such as {words[0]!r}: a balance counts as a "
            "row beside what was paid",
            f"delete it, or {OTHERS}",
            kept=without(name, words[:_SHOWN], column) if len(words) <= _SHOWN else None,
        )


def _copies_beside_an_id(entries: Mapping[str, Entries]) -> Iterator[Finding]:
    """Rows alike in all but a number of rows, each as far from the other as all such are."""
    ids = [
        name
        for name, found in entries.items()
        if len(found.counts) == len(found) and all(map(str.isdecimal, found.counts))
    ]
    others = [found for name, found in entries.items() if name not in ids]
    if len(ids) != 1 or len(others) < 2:
        return
    if any(len(found.counts) == len(found) for found in others):
        return
    last: dict[tuple[str, ...], int] = {}
    times: Counter[tuple[str, ...]] = Counter()
    apart: set[int] = set()
    for i, row in enumerate(zip(*others, strict=False)):
        if row in last:
            apart.add(i - last[row])
            if len(apart) > 1:
                return
        last[row] = i
        times[row] += 1
    again = times.total() - len(times)
    half = len(others) > 2 and 2 * again == times.total()  # a file that was read twice
    if again >= _COPIES and max(times.values()) <= _MOST_AGAIN and (half or apart == {1}):
        yield Finding(
            "",
            f"{again} rows are copies of others in all but {ids[0]!r}, each {min(apart)} behind "
            "its like, as where files were joined or read twice: they count again",
            "where they are the same, delete them, or name the persons, unit= and max_rows=1",
        )


def _repeats(name: str, column: Entries, labels: Sequence[str], what: str) -> Finding:
    count = sum(column.counts[x] for x in labels)
    few = len(labels) <= _SHOWN
    return Finding(
        name,
        f"{rows_are(count, 'holds', 'hold')} labels such as {labels[0]!r}, which {what}",
        f"delete them, or {OTHERS if few else 'write a column that tells them'}",
        kept=without(name, [*labels], column) if few else None,
    )
