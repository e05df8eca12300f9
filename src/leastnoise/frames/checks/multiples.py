"""NOT PRIVATE. What tells that numbers are parts or multiples of a unit: names, notes, columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.report import Finding

_SHOWN: Final = 60
_SCALED: Final = re.compile(
    r"(?<![\w.,])(?:0[.,]0?1 ?[°a-z]|1/100?\b|[x\u00d7*] ?10+\b|10(?:\^|\*\*)[2369]\b|'?000s?\b)"
    r"|\b(?:tenths?|hundredths?|zehntel|hundertstel|dixièmes?|centièmes?|d[eé]cimas|decimi|d[eé]cimos"
    r"|(?:in|en|x|\u00d7|unit:?) (?:thousands?|millions?|billions?|1[.,' ]?000|tsd|tausend|mio|mrd"
    r"|millionen|milliarden|milliers|millones|miles|milioni|migliaia|milhares|milhões|tys|mln)"
    r"|тыс|млн)\b|単位|单位",
    re.IGNORECASE,
)
_WORDS: Final = (
    r"(?:thousands?|millions?|billions?|trillions?|lakhs?|crores?|tsd|thsd|tausend|mio|mrd|mln|mld"
    r"|millionen|milliarden|milliers|milliards|miles de|millones|migliaia|milioni|miliardi"
    r"|milhares|milhões|duizend|miljoen|miljard|tusen|miljoner|tys)"
)
_CURRENCY: Final = (
    r"(?:US\$|[$€£¥]|EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|euros?|dollars?|pounds?"
    r"|francs?|franken|kronor|pesos?)"
)
_AMOUNTS: Final = (
    r"(?:pay|salar(?:y|ies)|wages?|income|revenues?|turnover|sales|costs?|amounts?|budgets?|price|spend"
    r"|spending|expenses?|profits?|assets|debt|loans?|gdp|value|earnings|pop|population|umsatz|gehalt"
    r"|lohn|einkommen|preis|kosten|gewinn|betrag|chiffre|ca|ventas|ingresos|importe|salario)"
)
# In names: words between signs, what stands before or behind a currency, "k" behind an amount.
_IN_NAMES: Final = re.compile(
    rf"(?<!per)(?<!pro)(?<!by)(?<!\d)(?<!^)[\s(\[,/]{_WORDS}\.?(?:$|[\s)\],/])"
    rf"|^{_WORDS}\.? (?:of |de )?{_CURRENCY}s?$|[(\[]1[.,' ]?000\b"
    rf"|(?<![^\W\d_]){_CURRENCY}[\s.]?(?:[kmb]|mm|mn|bn|th|tn|mio|mrd|mln|tsd|000)(?![^\W\d_])"
    rf"|(?<![^\W\d_])(?:[ktmb]|mm|mn|bn|md|mio|mrd|mln|tsd)\.?\s?{_CURRENCY}(?![^\W\d_])"
    rf"|(?<![^\W\d_]){_AMOUNTS}[\s(\[]+(?:in\s)?(?:k|(?<![^(\[])m|mn|mm|bn|mio|mrd|mln|tsd|th)[)\]]?$"
    r"|(?:vent|ingres|person|poblaci|eur|pes|import|gast|salari|rent|valor|habitant|hogar)"
    r"[^\W\d_]*\s*[\s(\[]miles[)\]]?$",
    re.IGNORECASE,
)
_COLUMNS: Final = re.compile(
    r"(?:scalar|scale|scaling)(?:factor)?|(?:unit|obs|value)?mult(?:iplier)?|power(?:code|of10)?"
    r"|factor|magnitude|faktor|skalierung|facteur",
    re.IGNORECASE,
)
_UNITS: Final = re.compile(
    r"(?:unit|obs)s?(?:ofmeasure|measure|name|label)?|uom|measure|einheit|unités?|unidad(?:es)?|unit[aà]",
    re.IGNORECASE,
)
_POWERS: Final = frozenset({"3", "6", "9", "12"})  # where a name does not say factor
_TENS: Final = re.compile(r"1(?:0{2,12}|e\d{1,2})(?:\.0)?|10(?:\^|\*\*)\d{1,2}", re.IGNORECASE)
_ASIDE: Final = re.compile(r"factor|fa[ck]t[eo]ur|scale|scaling|magnitude", re.IGNORECASE)
_TOLD: Final = re.compile(
    rf"(?:^|.*[\s(])(?:{_WORDS}\.?(?:$|[\s)].*)"
    r"|1[.,' ]?000 (?!k?(?:m|g|l|hz|met(?:er|re)s?)\b)[^\d].*)",
    re.IGNORECASE,
)


def told_units(texts: Iterable[str]) -> Iterator[Finding]:
    """What notes beside the rows, or a second line of names, say of the unit of numbers."""
    text = next((x for x in texts if _SCALED.search(x) or _IN_NAMES.search(x)), None)
    if text is not None:
        yield _beside(repr(text.strip()[:_SHOWN]))


def told_multiples(numeric: Sequence[str], entries: Mapping[str, Entries]) -> Iterator[Finding]:
    """What names of columns of numbers, or a column beside them, say of their unit.

    Parameters
    ----------
    numeric
        The columns that hold numbers.
    entries
        Those of every column.
    """
    named = (x for x in numeric if _IN_NAMES.search(_words(x)) or _SCALED.search(_words(x)))
    name = next(named, None)
    if name is not None:
        yield _beside(repr(name[:_SHOWN]))
    for name, found in entries.items() if numeric else ():
        plain = re.sub(r"[\W_]+", "", name)
        of_power = _COLUMNS.fullmatch(plain) is not None
        if not (of_power or _UNITS.fullmatch(plain)) or numeric == [name]:
            continue
        tens = _POWERS if not _ASIDE.search(plain) or "scalar" in plain.casefold() else ()
        for text in found.counts:
            if _TOLD.fullmatch(text) or (of_power and (_TENS.fullmatch(text) or text in tens)):
                yield _beside(f"{text[:_SHOWN]!r} in {name!r}")
                break


def _beside(what: str) -> Finding:
    return Finding(
        "",
        f"{what} stands beside numbers: they may be tenths, thousands "
        "or another part or multiple of a unit",
        "give bounds in the unit of the file, and turn the answer into the other one",
    )


def _words(name: str) -> str:
    """A name with blanks between its words."""
    return re.sub(r"(?<=[a-zäöüé])(?=[A-Z][a-z])", " ", name).replace("_", " ")
