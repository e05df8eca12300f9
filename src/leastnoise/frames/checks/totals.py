"""NOT PRIVATE. Rows that add up others: told by their words, or by their numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from statistics import median

from leastnoise.frames.checks.added import added_rows
from leastnoise.frames.checks.averages import rows_of_summaries
from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.extra_rows import rows_are
from leastnoise.frames.checks.report import OTHERS, Checked, Finding, without
from leastnoise.frames.checks.together import tells_a_measure
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries.predicates import Predicate

# What offices of statistics name countries together.
_AGGREGATES = re.compile(
    r"(?:euro(?:pean)? (?:area|union)|eurozone|(?:low|high|(?:lower |upper )?middle) income"
    r"|low & middle income|low and middle income|heavily indebted poor countries|arab world"
    r"|(?:ida|ibrd)(?: & ibrd)?(?: total| only| blend)|least developed countries|small states"
    r"|sub-saharan africa|(?:east asia|europe|middle east|latin america|south asia|north america)"
    r" (?:& |and )(?:pacific|central asia|north africa|(?:the )?caribbean)|non-oecd|brics|asean"
    r"|(?:advanced|emerging(?: market)?|developing) economies|(?:least )?developed countries)"
    r"(?: (?:\(|- ?|countries|classification|aggregate|states|excl|total).{0,60})?",
    re.IGNORECASE,
)
_TOTALS = re.compile(
    r"(?:(?:grand|sub|column|overall)[- ]?)?totals?(?: general| g[ée]n[ée]ral)?:?|sum|all|overall"
    r"|итого|всего|razem|ogółem|celkem|spolu|összesen|toplam|summa|yhteensä|i alt|kokku|σύνολο"
    r"|المجموع|сумма|gesamt|summe|insgesamt|zusammen|totaal|totale|(?:in|som)ma"
    r"|(?:all|total) [a-z]+|_?tot|_t"
    r"|total[,:( -].{1,60}|.{1,60}[ -]sub-?totals?|(?:sub-?|sous-)total.{1,60}"
    r"|(?:zwischen|teil|end|gesamt)summe.{0,60}|sous-total|subtota(?:al|le)|.{0,20}(?:合計|小計|合计|小计|总计)"
    r"|both(?: (?:sexes|genders))?|(?:all|both)[ -](?:ages|sexes|races).{0,40}"
    r"|valid votes|votos válidos|(?:suffrages )?exprimés|gültige stimmen|(?:votes|ballots) cast"
    r"|suma|ensemble|alle|totalt|samlet|[\u03a3\u2211]|ukupno|skupaj|viso|kopā|łącznie|общо|разом|jumlah"
    r"|(?:country|national|regional|state|district|provincial|county|city|group|class|year(?:ly)?"
    r"|annual|monthly|weekly|daily|running) totals?|insgesamt.{0,3}|total[eo]? nacional"
    r"|(?:eu|ea)[- ]?\d\d(?:_\d{4})?|oecd(?: members| countries| - total| average)?|g7|g20|world",
    re.IGNORECASE,
)
# Names that may be of films and shops: of totals where they stand at an end, or numbers are larger.
_TITLE = re.compile(r"(?:Total|All) [A-Z](?!.*(?i:population|persons|people|ages|sexes)).*")
_SEXES = frozenset("MFWHVKD12")
_SAME = 1e-4  # how near a total is to the sum of the others, which were rounded
_LARGEST = 1e15  # of larger numbers each is the sum of it and the smaller ones
_BY_CHANCE = 100.0  # small numbers are sums of others by chance
_EQUAL = 1e-8  # the same at an end of a column, where few numbers can be one by chance
# Words of a total beside the name of what it adds up, and those that may be no such word.
_WORDS = frozenset(
    {
        *("total", "totals", "totale", "totaal", "totalt", "subtotal", "subtotals", "subtotale"),
        *("subtotaal", "gesamt", "insgesamt", "zusammen", "summe", "zwischensumme", "somme"),
        *("suma", "soma", "somma", "razem", "итого", "всего"),
    }
)
_COUNTRY = frozenset(("national", "nationwide", "nacional", "nazionale", "statewide"))
_ALL = frozenset(("all", "alle", "ensemble", "suma", "samlet"))
_NOT_ALL = frozenset(
    (
        *("none", "some", "most", "few", "a few", "nothing", "keine", "keiner", "einige", "wenige"),
        *("ingen", "noen", "geen", "enkele", "seul", "alone", "nicht alle"),
    )
)
_LOOSE = frozenset(("all", "overall", "combined", "ensemble", "together"))
_BESIDE = frozenset(
    ("grand", "sub", "sous", "for", "of", "in", "für", "von", "de", "du", "di", "la", "the")
)
_DIGITS = re.compile(r"\d+")
_TOKENS = re.compile(r"[^\W_]+")
_FEW_NUMBERS = 10  # before the largest of them is a total
_FEW_WORDS = 5  # that a condition lists
_SHOWN = 40
_STARS = re.compile(r"\*{1,5}")
_SEVERAL_ROWS, _MOSTLY_FILLED = 4, 20  # rows for one with stars, and for one blank elsewhere
_ADDED = 6  # rows under several sums: fewer are equal to a sum by chance
_LONG_RUN = 50  # rows that a sum with one left out is looked for in


def totals(
    entries: Mapping[str, Entries], numeric: Sequence[str], dialect: Dialect
) -> Iterator[Checked]:
    """Rows that add up others: by their word, or because a number is the sum of all others."""
    told: set[int] = set()
    named = [name for name in entries if name.strip()]
    first = [*entries][: [*entries].index(named[0]) + 1] if named else []
    for name, found in entries.items():
        counts = found.counts
        if name in numeric:
            words_only = counts.keys() - found.numbers(dialect).keys()
            counts = Counter({x: counts[x] for x in counts if x in words_only})
        beside = [(entries[x], entries[x].numbers(dialect)) for x in numeric if x != name]
        words = rows_of_summaries(found, counts, beside)
        words |= {*_of_parts(name, counts, entries), *_of_countries(counts)}
        if name in first:
            words |= _starred(found, [entries[x] for x in entries if x != name])
        added = Counter(
            {x: n for x, n in counts.items() if x and (x in words or _is_total(x, counts))}
        )
        for title in filter(_TITLE.fullmatch, [*added]):
            last = counts[title] == 1 and title in (found[0], found[-1])
            if not (last or _larger(title, found, [entries[x] for x in numeric], dialect)):
                del added[title]
        if name in numeric:
            del added["T"]  # a trace, or a sign for none
        if added and added.total() < len(found):
            told.update(i for i, x in enumerate(found) if x in added)
            word, times = added.most_common(1)[0]
            few = len(added) <= _FEW_WORDS and bool(name.strip())
            yield _told(
                name,
                f"{rows_are(added.total(), 'holds', 'hold')} words such as {word!r} ({times}): "
                "totals count as rows beside those that they add up",
                "where they are, delete them, or "
                f"{OTHERS if few else 'write a column that tells them'}",
                without(name, [*added], found) if few else None,
            )
    for name in numeric:
        known = entries[name].numbers(dialect)
        read = enumerate(map(known.get, entries[name]))
        numbers = {i: number for i, number in read if number is not None}
        sums = _sums_of_runs(numbers)
        but = ""
        if not sums:
            sums, but = _sums_but_one(numbers), " but for one of them"
        if not told.issuperset(sums):
            found = (
                f"{len(sums)} entries such as {numbers[sums[0]]:g} are each the sum of the rows "
                f"beside them{but}, up to the next such sum: totals count as rows beside those "
                "that they add up"
            )
        else:
            found = _sum_of_all([x for i, x in numbers.items() if i not in told])
        if found is not None:
            yield _told(name, found, "delete such rows, where they are totals")
            return
    one = added_rows(entries, [x for x in numeric if x in entries], dialect, told)
    if one is not None:
        row, count, names = one
        label = next((x[row] for n, x in entries.items() if n not in numeric and x[row]), "")
        where = f"row {row + 1}" + (f", of {label[:_SHOWN]!r}," if label else "")
        yield _told(
            names[0],
            f"{where} is the sum of {count} others"
            + (f" in {len(names)} columns" if len(names) > 1 else "")
            + ": a total counts as a row beside those that it adds up",
            "delete it, where it is one",
        )


def _told(name: str, what: str, cure: str, kept: Predicate | None = None) -> Checked:
    return Checked(findings=(Finding(name, what, cure, kept=kept),))


def _sum_of_all(numbers: Sequence[float]) -> str | None:
    """Whether one number is the sum of all others, or of those down to it from an end."""
    most = max(numbers, default=0)
    if len(numbers) > _FEW_NUMBERS and inf > most > 0 <= min(numbers):
        rest = sum(numbers) - most
        if abs(rest - most) <= _SAME * most:
            return f"one entry is {most:g}, which is the sum of all others: a total"
    where = _sum_at_an_end(numbers)
    if where is None:
        return None
    return f"the {where}: a total counts as a row beside those that it adds up"


def _sums_of_runs(numbers: Mapping[int, float]) -> list[int]:
    """The rows that are sums of those above up to the last such sum, or of those below."""
    rows = [*numbers]
    most = max(numbers.values(), default=0) * (1 + _EQUAL)
    grows = min(numbers.values(), default=0) >= 0
    for order in (rows, rows[1:], rows[::-1], rows[-2::-1]):  # an end may be the sum of sums
        found: list[int] = []
        added, count, held = 0.0, 0, 0
        for row in order:
            number = numbers[row]
            if (
                count > 1
                and _LARGEST > number > _BY_CHANCE
                and abs(added - number) <= _EQUAL * number
            ):
                found.append(row)
                added, count, held = 0.0, 0, held + count
            else:
                added, count = added + number, count + (number != 0)
                if grows and added > most:  # and no sum is left to be found
                    break
        if len(found) > 1 and held >= _ADDED:
            return found
    return []


def _sums_but_one(numbers: Mapping[int, float]) -> list[int]:
    """The rows that are sums of those up to the last such sum, but for one at the same place in
    each, as the rejected ballots of an election are.
    """
    for order in ([*numbers], [*numbers][::-1]):
        found: list[int] = []
        places: list[set[int]] = []
        run: list[float] = []
        for row in order:
            number, rest = numbers[row], sum(run) - numbers[row]
            at = [i for i, x in enumerate(run) if x and abs(rest - x) <= _EQUAL * number]
            if len(run) > 2 and at and _LARGEST > number > _BY_CHANCE:
                found.append(row)
                places.append({*at, *(i - len(run) for i in at)})  # from above, or from below
                run = []
            elif len(run) == _LONG_RUN:
                break
            else:
                run.append(number)
        differ = len({numbers[row] for row in found}) == len(found)  # prices are alike by chance
        if len(found) > 2 and len(run) < _LONG_RUN and differ and places[0].intersection(*places):
            return found
    return []


def _of_parts(name: str, words: Iterable[str], entries: Mapping[str, Entries]) -> Iterator[str]:
    """Words such as "Hessen total": of a label that stands there, or several with such a word."""
    parts = {word: part for word in words if (part := _part(word))}
    several = sum(sure for _, sure in parts.values()) > 1 and not tells_a_measure(name)
    labels: set[str] = set()
    for found in entries.values() if parts else ():
        labels |= {" ".join(_TOKENS.findall(x.casefold())) for x in found.counts}
    for word, (part, sure) in parts.items():
        if part in labels or (several and sure):
            yield word


def _of_countries(counts: Mapping[str, int]) -> Iterator[str]:
    """What adds up countries, among them, and a row of a whole country among its parts, each of
    which has as many rows as the others.
    """
    found = list(filter(_AGGREGATES.fullmatch, counts))
    if len(counts) - len(found) > max(2 * len(found), _FEW_WORDS):  # else they are kinds
        yield from found
    whole = [x for x in counts if x.casefold() in _COUNTRY]
    if whole and len(counts) > _FEW_NUMBERS:
        often = {n for x, n in counts.items() if x and x not in whole}
        yield from whole if len(often) == 1 else ()


def _part(text: str) -> tuple[str, bool] | None:
    """What a label names beside a word of a total, and whether it is surely such a word."""
    tokens = _TOKENS.findall(text.casefold())
    for place in (-1, 0) if len(tokens) > 1 else ():
        word = tokens[place]
        rest = tokens[:-1] if place else tokens[1:]
        answer = word in _LOOSE and all(map(str.isdigit, rest))  # "5 - all", of a scale
        if (word in _WORDS or word in _LOOSE) and not answer:
            while rest and rest[place] in _BESIDE:
                rest.pop(place)
            return " ".join(rest), word in _WORDS
    return None


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


def _starred(column: Entries, others: Sequence[Entries]) -> set[str]:
    """Stars in the first column that mark rows of totals, as SAP writes them: another column is
    blank there and nearly nowhere else, and another one is filled.
    """
    stars = set(filter(_STARS.fullmatch, column.counts))
    rows = [i for i, x in enumerate(column) if x in stars] if stars else []
    few = 0 < _SEVERAL_ROWS * len(rows) < len(column)
    blank = any(
        not any(other[i] for i in rows)
        and (other.counts[""] - len(rows)) * _MOSTLY_FILLED <= len(column)
        for other in others
    )
    return (
        stars if few and blank and any(all(other[i] for i in rows) for other in others) else set()
    )


def _larger(
    label: str, labels: Sequence[str], numeric: Sequence[Entries], dialect: Dialect
) -> bool:
    """Whether the numbers beside a label are far larger than those beside the others."""
    for column in numeric:
        known = column.numbers(dialect)
        read = [(x == label, known[y]) for x, y in zip(labels, column, strict=False) if y in known]
        beside, others = ([n for one, n in read if one is there] for there in (True, False))
        if beside and others and median(beside) >= 2 * median(others) > 0:
            return True
    return False


def _is_total(word: str, words: Iterable[str]) -> bool:
    """Whether a word is one of a total: a T too, where the others are one letter for a sex."""
    if word == "T":
        others = {x for x in words if x != "T"}
        return bool(others) and others <= _SEXES
    if _TOTALS.fullmatch(word) is None:
        return False
    if word.casefold() in _ALL and not _NOT_ALL.isdisjoint(x.strip().casefold() for x in words):
        return False  # an answer
    code = _DIGITS.sub("0", word)  # "G7" among G1, G2, ... is one of a series
    return code == word or not any(
        _DIGITS.sub("0", x) == code and _TOTALS.fullmatch(x) is None for x in words
    )
