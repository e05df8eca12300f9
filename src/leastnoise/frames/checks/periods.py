"""NOT PRIVATE. Periods of several lengths in one column, as years beside their quarters are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.report import OTHERS, Finding, without

_YEAR: Final = r"(?:1[89]|20|21)\d\d"
_MONTH: Final = r"(?:jan|feb|m[aä]r|apr|ma[iyj]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[^\W\d_]{0,7}\.?"
_SIGN: Final = r"[- /.:_']?"
_LENGTHS: Final = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "years": rf"(?:fy|cy){_SIGN}(?:{_YEAR}|\d\d)?|{_YEAR}|annual(?: average| mean|ly)?|a"
        r"|(?:full|whole|calendar)[- ]?year|year(?: total)?|jahr|gesamtjahr|ann[ée]e|a[nñ]o"
        r"|m13|q0?5|s0?3|a0?1|12m",
        "half years": rf"(?:{_YEAR}{_SIGN})?[hs][12]|[hs][12]{_SIGN}{_YEAR}|6m",
        "three quarters": rf"(?:{_YEAR}{_SIGN})?9m|9m{_SIGN}{_YEAR}|ytd",
        "quarters": rf"(?:{_YEAR}{_SIGN})?(?:q|t|qtr|quarter)\W?0?[1-4]"
        rf"|(?:q|t|qtr)\W?0?[1-4]{_SIGN}(?:{_YEAR}|\d\d)|[1-4]\. quartal(?: {_YEAR})?|0?3m",
        "months": rf"(?:{_YEAR}{_SIGN})?(?:{_MONTH}|m(?:0?[1-9]|1[0-2]))|{_MONTH}{_SIGN}{_YEAR}"
        rf"|{_YEAR}(?:[-/.]|)(?:0[1-9]|1[0-2])",
    }.items()
}
_NAMES: Final = re.compile(
    r"time|period|date|datum|month|monat|year|jahr|quarter|quartal|freq|zeit|mois|mes",
    re.IGNORECASE,
)
_MOST, _FEW_ROWS = 2000, 4  # different entries; rows of each length


def check_periods(entries: Mapping[str, Entries]) -> Iterator[Finding]:
    """Columns that hold periods of several lengths, and what keeps the shortest."""
    for name, column in entries.items():
        counts = column.counts
        if not 2 < len(counts) <= _MOST:
            continue
        lengths: dict[str, Counter[str]] = {}
        for text, times in counts.items():
            length = _length(text) if text else ""
            if length is None:
                break
            if length:
                lengths.setdefault(length, Counter())[text] = times
        else:
            codes = not any(re.match(_YEAR, text) for text in counts)
            if len(lengths) < 2 or (codes and not _NAMES.search(name)):
                continue
            if min(found.total() for found in lengths.values()) < (1 if codes else _FEW_ROWS):
                continue
            *longer, shortest = (x for x in _LENGTHS if x in lengths)
            texts = [text for x in longer for text in lengths[x]]
            shown = " beside ".join(
                f"{x} ({next(iter(lengths[x]))!r})" for x in (*longer, shortest)
            )
            few = len(texts) <= _FEW_ROWS + 1
            yield Finding(
                name,
                f"its periods are of several lengths, {shown}: a sum or mean of the longer counts "
                "beside those that it is of",
                f"ask for those of one length: {OTHERS}"
                if few
                else "ask for those of one length, "
                "in a file of their own or by a column that tells the length",
                kept=without(name, texts, column) if few else None,
            )


def _length(text: str) -> str | None:
    return next((x for x, pattern in _LENGTHS.items() if pattern.fullmatch(text)), None)
