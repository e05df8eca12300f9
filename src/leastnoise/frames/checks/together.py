"""NOT PRIVATE. What columns say of each other: numbers of several units, rows without a person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations
from math import inf, log
from statistics import median, quantiles
from typing import Final

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.report import CheckedColumn, Finding
from leastnoise.summaries.predicates import col

_MEASURES: Final = re.compile(
    r"units?|measures?|indicators?|series|statistics?|metrics?|parameters?|elements?|concepts?"
    r"|variables?|pollutants?|analytes?|tests?|currency|einheit|merkmal|kennzahl"
    r"|indicateurs?|unités?|mesures?|indicador(?:es)?|unidad(?:es)?|medida|maßeinheit|(?:iso)?ccy"
    r"|uom|valueuom|devise|moneda|moeda|valuta|währung|waehrung|enhet|eenheid|jednostka|unit[aà]"
    r"|(?:result|measurement|measure|value|test|dose|weight|price)units?|unitof(?!measure)[a-z]+",
    re.IGNORECASE,
)
# Of these, numbers are of several units only where they differ by the label.
_UNITS: Final = re.compile(
    r"per|kind|(?:pay|wage|salary|time)?(?:period|basis|frequency|freq|scale)|(?:unit)?mult(?:iplier)?"
    r"|unitofmeasure|factor|powerof10|powercode",
    re.IGNORECASE,
)
# Of columns of any name: factors between usual units, which the quartiles of two labels have.
_FACTORS: Final = (4.33, 7, 12, 24, 52, 60, 100, 365, 1000, 3600, 1e6)
# Labels of two ways to count, the second with a minus; of single letters where the name says so.
_WAYS: Final = tuple(pair.split("/") for pair in (
    "credit/debit", "cr/dr", "haben/soll", "crédit/débit", "credito/debito", "crédito/débito",
    "haber/debe", "in/out", "income/expense", "income/expenditure", "revenue/expense",
    "einnahme/ausgabe", "einnahmen/ausgaben", "einzahlung/auszahlung", "eingang/ausgang",
    "zugang/abgang", "gutschrift/lastschrift", "deposit/withdrawal", "receipt/payment",
    "receipt/issue", "sale/refund", "sale/return", "purchase/refund", "buy/sell", "gain/loss",
    "profit/loss", "increase/decrease", "up/down", "positive/negative", "pos/neg", "plus/minus",
    "inflow/outflow", "incoming/outgoing", "entrada/saída", "entrada/salida", "entrata/uscita",
    "entrée/sortie", "recette/dépense", "north/south", "east/west", "received/sent",
))  # fmt: skip
_ONE_LETTER: Final = tuple(pair.split("/") for pair in ("c/d", "h/s", "+/-", "n/s", "e/w", "i/o"))
_OPPOSITES: Final = frozenset(map(frozenset, _WAYS))
_LETTERS: Final = frozenset(map(frozenset, _ONE_LETTER))
_TAKEN: Final = frozenset(pair[1] for pair in (*_WAYS, *_ONE_LETTER))
_HEADINGS: Final = frozenset({"n", "s", "e", "w", "north", "south", "east", "west"})
_DIRECTION: Final = re.compile(
    r"d\W?c|s\W?h|n\W?s|e\W?w|dir|sign|type|hemi|soll|haben|debit|credit|kennz|kz$|vorz|side|in\W?out"
    r"|ref$|indicator|flag|umsatz|art$|tipo|sens|movement|richtung",
    re.IGNORECASE,
)
_COORDINATE: Final = re.compile(
    r"lat|lon|lng|coord|breite|länge|laenge|degree|^[xy]$", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    r"(?:abs(?:olute)?)?(?:n|counts?|fr?e?q(?:uenc(?:y|ies))?|anzahl|h(?:ä|ae)ufigkeit(?:en)?|effectifs?"
    r"|frecuencias?|frequen[zc]a|frequência|nombre|conteo|antal|aantal|liczba|nobs|obs|observations?)",
    re.IGNORECASE,
)
_MANY_PERSONS: Final = re.compile(  # of whom a row may tell the number too, beside numbers
    r"cases|persons?|people|population|pop|respondents|students|patients|households|number|num"
    r"|fälle|faelle|casos|cas|personen|personnes|personas",
    re.IGNORECASE,
)
# Numbers that are different in each row of a file of records too.
_IN_ORDER: Final = re.compile(
    r".*(?:id|nr|no|key|code|index|years?|jahr|année|año|anno|date|datum|day|tag|week|woche|month|monat"
    r"|hour|stunde|time|zeit|period|round|rank|rang|position|page|line|row|zip|plz|step|order|wave)"
    r"|",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(
    r"[<>≤≥]? ?-?\d+(?:[.,]\d+)?(?: ?(?:[-\u2013+]|to|bis|à|a) ?\d*(?:[.,]\d+)?)?"
)
_LEAST_ROWS: Final = 4
_MANY: Final = 10  # different amounts: fewer are labels
_NEAR, _EACH, _LOOKED, _KINDS = 0.05, 20, 10_000, 6  # rows for a label, and of all; labels
_LEAST_FACTOR: Final = 10  # smaller labels are codes of kinds
_SAME: Final = 0.3  # of a ratio of medians
_FAR_APART: Final = 60  # times, beside quartiles that are nearer to each other
_APART: Final = 3  # times the median of one label is that of another
_VALUES: Final = re.compile(
    r"(?:obs|data|numeric|num|result|measure|indicator)?values?|observations?|results?|wert|valeur"
    r"|valor|amount|estimates?|figures?|data|obs|number|price|concentration|readings?",
    re.IGNORECASE,
)
_NAMED_PERSONS: Final = re.compile(
    r"(?:person|patient|user|customer|client|member|employee|respondent|student|pupil|household"
    r"|participant|subject|resident|donor|voter|worker)(?:s?(?:id|nr|no|number|key|uuid|guid|code))?"
    r"|id|nr|ssn|nhs(?:no|number)?|mrn|matricule|personalnr|e?mail(?:address)?|u?subjid|responseid"
    r"|cust(?:omer)?(?:id|no|nr)|account(?:id|no|number)?|iban|u(?:ser)?(?:id|name)|login|cpf|aadhaar"
    r"|versicherten(?:nummer|nr)|(?:emp|staff|pat|case|driver|rider|player|visitor|device|cookie)"
    r"(?:id|no|nr|number)|hhid|rec(?:ord)?(?:id|no|nr)|stud(?:y|ent)id|enrol(?:l?ment)?id|idno|rider|player|phone(?:number)?|msisdn|fullname|pid|sid"
    r"|personalnummer|kundennr|kundennummer|patientennr|patientennummer|nif|dni|codicefiscale",
    re.IGNORECASE,
)
_VARIANTS: Final = 50  # texts that may be two labels, written in capitals or not
_MOST_VISITS: Final = 50
_FEW_PERSONS: Final = 20  # of fewer names a column is one of kinds of persons
_ENDS: Final = re.compile(
    r"(?:codes?|names?|labels?|(?<!he)ids?|of|the|type|description)$", re.IGNORECASE
)
_PERSONS: Final = re.compile(
    r"(?:persons?|people|patients?|users?|customers?|clients?|members?|employees?|respondents?"
    r"|students?|pupils?|households?|participants?|subjects?|individuals?|residents?|donors?"
    r"|voters?|workers?|visitors?|cards?|devices?|accounts?|p)?(?:id|nr|no|number|key|uuid|guid)"
    r"|persons?|patients?|users?|customers?|employees?|respondents?|students?|participants?|ssn|nhs"
    r"|households?",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]+)?", re.ASCII)
_MOST_UNITS: Final = 8
_FEW, _SHOWN, _LONGEST = 4, 3, 40  # rows for each label; labels shown, and their characters


def check_together(
    columns: Sequence[CheckedColumn],
    labels: Mapping[str, Counter[str]],
    rows: int,
    entries: Mapping[str, Entries],
) -> Iterator[Finding]:
    """What is seen only by looking at several columns.

    Parameters
    ----------
    columns
        What the entries of each are.
    labels
        The entries of every column that may hold labels.
    rows
        How many rows hold anything.
    entries
        Those of every column.
    """
    yield from _several_measures(columns, labels)
    yield from _several_units(columns, entries)
    yield from _signs_elsewhere(columns, entries)
    yield from _minus_by_label(columns, entries)
    yield from _frequencies(entries)
    yield from _persons_again(entries)
    for one in columns:
        held = one.rows - one.missing
        if one.name and held and _PERSONS.fullmatch(_plain(one.name)) and held < rows:
            none = rows - held
            yield Finding(
                one.name,
                f"{none} rows have no entry" if none > 1 else "one row has no entry",
                f"with unit={one.name!r} they are nobody's and are not used: where they are "
                "persons of their own, give each a name of its own",
            )


def _persons_again(entries: Mapping[str, Entries]) -> Iterator[Finding]:
    """A column of persons of whom some have several rows."""
    for name, found in entries.items():
        counts = found.counts
        if len(counts) <= _FEW_PERSONS:
            continue
        if "" in counts:
            counts = Counter({text: times for text, times in counts.items() if text})
        again = len(counts) - Counter(counts.values())[1]
        if not again or len(counts) <= _FEW_PERSONS:
            continue
        if _NAMED_PERSONS.fullmatch(_plain(name)) or _visits(name, counts, entries):
            most = max(counts.values())
            yield Finding(
                name,
                f"{again} of {len(counts)} have several rows, up to {most}: what protects one row "
                "does not protect a person",
                f"give unit={name!r}, and max_rows= from public knowledge, where they are persons",
            )


def _visits(name: str, counts: Counter[str], entries: Mapping[str, Entries]) -> bool:
    """Whether another column numbers the rows of each entry from 1 on, as visits are."""
    if max(counts.values()) > _MOST_VISITS or 2 * len(counts) > counts.total() * 1.5:
        return False
    numbered = Counter(str(i) for n in entries[name].counts.values() for i in range(1, n + 1))
    for other, found in entries.items():
        if other == name or found.counts != numbered:
            continue
        numbers: dict[str, list[str]] = {}
        for owner, number in zip(entries[name], found, strict=False):
            numbers.setdefault(owner, []).append(number)
        if all(sorted(x) == sorted(map(str, range(1, len(x) + 1))) for x in numbers.values()):
            return True
    return False


def tells_a_measure(name: str) -> bool:
    """Whether a column with this name says what the numbers beside it are of."""
    return _MEASURES.fullmatch(_ENDS.sub("", _plain(name))) is not None


def _several_measures(
    columns: Sequence[CheckedColumn], labels: Mapping[str, Counter[str]]
) -> Iterator[Finding]:
    """A column of numbers of several units, told by another beside it."""
    numbers = [x for x in columns if x.name and 2 * x.numbers > x.rows - x.missing > 0]
    values = [x.name for x in numbers if x.name and _VALUES.fullmatch(_plain(x.name))]
    measured = [x.name for x in numbers if x.name and not _PERSONS.fullmatch(_plain(x.name))]
    if not values and len(measured) == 1:
        values = measured
    found = {
        name: counts
        for name, entries in labels.items()
        if name not in values and tells_a_measure(name)
        if len(counts := Counter({t: n for t, n in entries.items() if t})) > 1
        and counts.total() >= _FEW * len(counts)
    }
    # the most labels first: an indicator says more than its unit
    told = sorted(found, key=lambda name: -len(found[name]))[:_SHOWN]
    for value in values if told else ():
        common = [text for text, _ in found[told[0]].most_common(_SHOWN)]
        shown = ", ".join(repr(text[:_LONGEST]) for text in common)
        yield Finding(
            value,
            f"its numbers are of several kinds, which {' and '.join(map(repr, told))} tell"
            f"{'s' if len(told) == 1 else ''}, such as {shown}: one mean or median of all says "
            "nothing",
            "ask for each by group_by=, or choose one by a filter",
            kept=col(told[0]) == common[0],
        )


def _several_units(
    columns: Sequence[CheckedColumn], entries: Mapping[str, Entries]
) -> Iterator[Finding]:
    """A column of numbers whose size follows the labels of a unit, period or multiplier."""
    units = [name for name in entries if _UNITS.fullmatch(_plain(name))]
    labelled = [
        name
        for name, found in entries.items()
        if name not in units and 1 < len({*islice(found, _LOOKED)} - {""}) <= _KINDS
    ]
    for one in columns:
        if not one.name or 2 * one.numbers <= one.rows - one.missing or one.name in units:
            continue
        numbers = entries.get(one.name, ())
        for unit in units:
            sizes = _by_label(entries[unit], numbers)
            kinds = {label: median(map(abs, x)) for label, x in sizes.items() if len(x) >= _FEW}
            least = min(kinds.values(), default=0)
            if 2 <= len(kinds) <= _MOST_UNITS and least * _APART <= max(kinds.values()) != 0:
                first = max(kinds, key=lambda label, sizes=sizes: len(sizes[label]))
                yield _of_several_units(
                    one.name, f"{_APART} times as large and more with some labels", unit, first
                )
        read = one.numbers >= (1 - _NEAR) * (one.rows - one.missing)  # else they are codes
        for unit in labelled if one.name not in labelled and read else ():
            sizes = _by_label(entries[unit][:_LOOKED], numbers[:_LOOKED])
            parts = {label: quantiles(x, n=4) for label, x in sizes.items() if len(x) >= _EACH}
            for small, large in permutations(parts, 2):
                if (told := _scaled(parts[small], parts[large], small, large)) is not None:
                    yield _of_several_units(
                        one.name, f"{told} with {large[:_LONGEST]!r}", unit, small
                    )
                    break


def _signs_elsewhere(
    columns: Sequence[CheckedColumn], entries: Mapping[str, Entries]
) -> Iterator[Finding]:
    """Numbers without a sign, of which another column tells whether they are added or taken."""
    for name, found in entries.items():
        labels = {text.casefold() for text in islice(found.counts, _VARIANTS) if text}
        if len(labels) == 2:
            labels |= {text.casefold() for text in found.counts if text}
        if len(labels) != 2 or (
            frozenset(labels) not in _OPPOSITES
            and not (frozenset(labels) in _LETTERS and _DIRECTION.search(name))
        ):
            continue
        for one in columns:
            if not one.name or 2 * one.numbers <= one.rows - one.missing or one.name == name:
                continue
            beside = entries.get(one.name)
            numbers = set(filter(_PLAIN.fullmatch, () if beside is None else beside.counts))
            degrees = not labels <= _HEADINGS or _COORDINATE.search(one.name) is not None
            amounts = not any(x.startswith("-") for x in numbers) and len(numbers) > _MANY
            if amounts and degrees and not _PERSONS.fullmatch(_plain(one.name)):
                minus = next(x for x in found if x.casefold() in _TAKEN)
                yield Finding(
                    one.name,
                    f"no number is negative, and {name!r} tells which way each counts, such as "
                    f"{minus!r}: a mean or a sum is of sizes",
                    f"where that is not meant, rewrite the column, each entry on its own, with a "
                    f"minus beside {minus!r}",
                )


def _minus_by_label(
    columns: Sequence[CheckedColumn], entries: Mapping[str, Entries]
) -> Iterator[Finding]:
    """Numbers that are negative beside one label and beside no other, as pyramids are drawn."""
    signed = {
        name for name, found in entries.items() if any(x.startswith("-") for x in found.counts)
    }
    for name, found in entries.items() if signed else ():
        kinds = found.counts.keys() - {""}
        if not 1 < len(kinds) <= _KINDS or frozenset(map(str.casefold, kinds)) in _OPPOSITES:
            continue
        for one in columns:
            if one.name not in signed - {name} or 2 * one.numbers <= one.rows - one.missing:
                continue
            signs: dict[str, list[float]] = _by_label(found, entries.get(one.name, ()))
            minus = [label for label, x in signs.items() if len(x) >= _EACH and max(x) < 0]
            others = [x for label, x in signs.items() if label not in minus]
            if len(minus) == 1 and others and all(len(x) >= _EACH and min(x) > 0 for x in others):
                yield Finding(
                    one.name,
                    f"all numbers beside {minus[0]!r} of {name!r} are negative and no other is, as "
                    "where a chart draws them to the other side",
                    "where the minus says no more than the label, rewrite the column, each entry "
                    "on its own, without it",
                )


def _frequencies(entries: Mapping[str, Entries]) -> Iterator[Finding]:
    """A table of how often each entry is there, whose rows are no records."""
    pair = len(entries) == 2
    for name, found in entries.items():
        known = len(found.counts) == len(found) >= _LEAST_ROWS and found.counts[""] == 0
        plain = _plain(name)
        if (
            not known
            or _IN_ORDER.fullmatch(plain)
            or _COORDINATE.search(name)
            or _NAMED_PERSONS.fullmatch(plain)
        ):
            continue
        values = [float(x) for x in found if _PLAIN.fullmatch(x)]
        numbers = len(values) == len(found)
        ordered = numbers and (values == sorted(values) or values == sorted(values, reverse=True))
        ranges = not numbers and all(map(_RANGE.fullmatch, found))
        for other, counts in entries.items():
            sure = _COUNTED.fullmatch(_plain(other)) is not None
            persons = _MANY_PERSONS.fullmatch(_plain(other)) is not None
            if other == name or not (sure or persons) or not all(map(str.isdecimal, counts)):
                continue
            times = [*map(int, counts)]
            falls = pair and sure and times == sorted(times, reverse=True)
            many = sum(times) > len(times) and len({*times}) > 1
            if many and (ordered or ranges or falls) and not _numbered(times):
                yield Finding(
                    name,
                    f"each entry stands once, and {other!r} may say how often it is there: rows "
                    "are no records, and a median is of rows",
                    f"give the data with a row for each record, such as by pandas: "
                    f"data.loc[data.index.repeat(data[{other!r}])]",
                )
                break


def _numbered(times: Sequence[int]) -> bool:
    """Whether numbers count the rows, up or down."""
    ends = range(min(times), min(times) + len(times))
    return times in ([*ends], [*reversed(ends)])


def _by_label(labels: Sequence[str], numbers: Sequence[str]) -> dict[str, list[float]]:
    """The numbers beside each label."""
    found: dict[str, list[float]] = {}
    for label, text in zip(labels, numbers, strict=False):
        if label and _PLAIN.fullmatch(text):
            found.setdefault(label, []).append(float(text))
    return found


def _scaled(small: Sequence[float], large: Sequence[float], label: str, other: str) -> str | None:
    """By what all quartiles differ, where that is what two units differ by: of labels that are
    numbers, what these do.
    """
    if small[0] <= 0 or large[0] <= 0:
        return None
    if _PLAIN.fullmatch(label) and _PLAIN.fullmatch(other):
        one, ratio = float(label), large[1] / small[1]
        told = one and max(abs(float(other) / one), abs(one / (float(other) or inf)))
        few = max(one, float(other)) < _LEAST_FACTOR or told < _FACTORS[0] - _NEAR
        return f"{ratio:.3g} times as large" if not few and _alike(ratio, told) else None
    for factor in _FACTORS:
        if all(
            abs(y - factor * x) <= _NEAR * factor * x for x, y in zip(small, large, strict=True)
        ):
            return f"{factor:g} times as large"
    degrees = [1.8 * x + 32 for x in small]
    if all(abs(y - x) <= _NEAR * x for x, y in zip(degrees, large, strict=True)):
        return "as large as degrees Fahrenheit are beside Celsius"
    narrow, wide = sorted(log(x[-1] / x[0]) for x in (small, large))
    ratio = large[1] / small[1]
    if log(ratio) > max(log(_FAR_APART), wide) and 2 * narrow > wide:  # one shape, another size
        return f"{ratio:.3g} times as large"
    return None


def _alike(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME * other


def _of_several_units(where: str, size: str, unit: str, label: str) -> Finding:
    return Finding(
        where,
        f"its numbers are {size} of {unit!r} as with others: they may be of several units",
        "turn them into one unit, or choose one by a filter",
        kept=col(unit) == label,
    )


def _plain(name: str) -> str:
    """A name without the signs between its words."""
    return re.sub(r"[\W_]+", "", name)
