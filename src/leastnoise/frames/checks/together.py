"""NOT PRIVATE. What columns say of each other: numbers of several units, rows without a person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from leastnoise.frames.checks.report import CheckedColumn, Finding, column_of

if TYPE_CHECKING:
    from typing import Final

_MEASURES: Final = re.compile(
    r"units?|measures?|indicators?|series|statistics?|metrics?|parameters?|elements?|concepts?"
    r"|variables?|pollutants?|analytes?|tests?|currency|einheit|merkmal|kennzahl"
    r"|indicateurs?|unités?|mesures?|indicador(?:es)?|unidad(?:es)?|medida|maßeinheit",
    re.IGNORECASE,
)
# Of these, numbers are of several units only where they differ by the label.
_UNITS: Final = re.compile(
    r"per|(?:pay|wage|salary|time)?(?:period|basis|frequency|freq|scale)|(?:unit)?mult(?:iplier)?"
    r"|unitofmeasure|factor|powerof10|powercode",
    re.IGNORECASE,
)
_APART: Final = 3  # times the median of one label is that of another
_VALUES: Final = re.compile(
    r"(?:obs|data|numeric|num|result|measure|indicator)?values?|observations?|results?|wert|valeur"
    r"|valor|amount|estimates?|figures?|data|obs|number|price|concentration|readings?",
    re.IGNORECASE,
)
_NAMED_PERSONS: Final = re.compile(
    r"(?:person|patient|user|customer|client|member|employee|respondent|student|pupil|household"
    r"|participant|subject|resident|donor|voter|worker)(?:s?(?:id|nr|no|number|key|uuid|guid|code))?"
    r"|ssn|nhs(?:no|number)?|mrn|matricule|personalnr"
    r"|personalnummer|kundennr|kundennummer|patientennr|patientennummer|nif|dni|codicefiscale",
    re.IGNORECASE,
)
_FEW_PERSONS: Final = 20  # of fewer names a column is one of kinds of persons
_ENDS: Final = re.compile(r"(?:codes?|names?|labels?|ids?|of|the|type|description)$", re.IGNORECASE)
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
    entries: Mapping[str, Sequence[str]],
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


def _persons_again(entries: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """A column of persons of whom some have several rows."""
    for name, found in entries.items():
        counts = Counter(text for entry in found if (text := entry.strip()))
        again = sum(times > 1 for times in counts.values())
        if _NAMED_PERSONS.fullmatch(_plain(name)) and again and len(counts) > _FEW_PERSONS:
            most = max(counts.values())
            yield Finding(
                name,
                f"{again} of {len(counts)} have several rows, up to {most}: what protects one row "
                "does not protect a person",
                f"give unit={name!r}, and max_rows= from public knowledge, where they are persons",
            )


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
            f"choose one by a filter, {column_of(told[0])} == {common[0]!r}, or ask for each by "
            "group_by=",
        )


def _several_units(
    columns: Sequence[CheckedColumn], entries: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    """A column of numbers whose size follows the labels of a unit, period or multiplier."""
    units = [name for name in entries if _UNITS.fullmatch(_plain(name))]
    for one in columns:
        if not one.name or 2 * one.numbers <= one.rows - one.missing or one.name in units:
            continue
        for unit in units:
            found: dict[str, list[float]] = {}
            for label, text in zip(entries[unit], entries.get(one.name, ()), strict=False):
                if label.strip() and _PLAIN.fullmatch(text.strip()):
                    found.setdefault(label.strip(), []).append(abs(float(text)))
            kinds = {label: median(x) for label, x in found.items() if len(x) >= _FEW}
            least = min(kinds.values(), default=0)
            if 2 <= len(kinds) <= _MOST_UNITS and least * _APART <= max(kinds.values()) != 0:
                first = max(kinds, key=lambda label, found=found: len(found[label]))
                yield Finding(
                    one.name,
                    f"its numbers are {_APART} times as large and more with some labels of "
                    f"{unit!r} as with others: they may be of several units",
                    f"choose one by a filter, {column_of(unit)} == {first[:_LONGEST]!r}, or turn "
                    "them into one unit",
                )


def _plain(name: str) -> str:
    """A name without the signs between its words."""
    return re.sub(r"[\W_]+", "", name)
