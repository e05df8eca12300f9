"""NOT PRIVATE. What a text that is not a number looks like, what that means, and the cure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MONEY = (
    r"(?:[$€£¥₹]|zł|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|US\$|[ACR]\$|kr|Rs)"
    r"\b\.?)"
)
_PLAIN = r"\d+(?:[.,]\d+)*"
_QUOTES = "\"'`\u00b4\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a"
# What an entry looks like, the first that fits; the blanks are those of typographers too.
_LOOKS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.ASCII | re.IGNORECASE)
    for name, pattern in {
        "comma and point": r"[+-]?\d{1,3}(?:,\d{2,3})+\.\d+",
        "point and comma": r"[+-]?\d{1,3}(?:\.\d{3})+,\d+",
        "several commas": r"[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?<=,\d\d\d,\d\d\d)",
        "several points": r"[+-]?\d{1,3}(?:\.\d{3}){2,}",
        "grouped by a sign": r"[+-]?\d{1,3}(?:([ '_\u2019\u00a0\u2009\u202f])\d{3})(?:\1\d{3})*"
        r"(?:[.,]\d+)?",
        "one comma": r"[+-]?\d{1,3},\d{3}",
        "decimal comma": r"[+-]?\d*,\d+",
        "money": rf"[+-]?\(?\s*{_MONEY}\s*[+-]?\s*{_PLAIN}\)?|\(?[+-]?{_PLAIN}\s*{_MONEY}\)?",
        "brackets": rf"\({_PLAIN}\)",
        "percent": rf"[+-]?{_PLAIN}\s*[%‰]",
        "minus": rf"{_PLAIN}\s*-|[-+]\s+{_PLAIN}|[\u2010-\u2015\u2212\ufe63\uff0d]\s*{_PLAIN}",
        "time of day": r"\d{1,3}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[ap]\.?m\.?)?",
        "limit": rf"[<>≤≥~]=?\s*{_PLAIN}|(?:under|over|up to|about)\s+{_PLAIN}",
        "range": rf"{_PLAIN}\s*(?:[-\u2013]|to|bis|a|à)\s*{_PLAIN}|{_PLAIN}\s*(?:\+|(?:and|or) "
        r"(?:over|more|older|under|less))",
        "error": rf"{_PLAIN}\s*(?:±|\+/-)\s*{_PLAIN}",
        "note": rf"[+-]?{_PLAIN}\s*(?:[*†‡¹²³]+|\[\w{{1,3}}\]|\([a-z]\w?\))",
        "fraction": rf"(?:{_PLAIN}\s+)?\d+/\d+|\d*\s*[¼-¾⅐-⅞]",
        "power": rf"[+-]?{_PLAIN}\s*(?:d[+-]?\d+|[x\u00d7*]\s*10\s*(?:\^|\*\*)?\s*[+-]?\d+)",
        "quotes": rf"=?[{_QUOTES}]\s*[+-]?{_PLAIN}\s*[{_QUOTES}]?",
        "base": r"0[xob][0-9a-f]+",
        "list": r"[\[(]?\s*[+-]?\d+(?:\.\d+)?(?:\s*[;|,]\s*[+-]?\d+(?:\.\d+)?)+\s*[\])]?",
        "markup": rf"<[a-z][^>]*>\s*{_PLAIN}\s*</[a-z]+>",
        "unit": rf"[+-]?{_PLAIN}\s*[a-zµ°²³/]{{1,4}}\.?",
    }.items()
}
_UNIT = re.compile(r"[+-]?\d+(?:[.,]\d+)*\s*(?![-+.,/:])([^\d\s][^\d]*)", re.ASCII)
_ONE_UNIT = 0.5  # of the entries with a word after a number: the most frequent word of a unit

_LONGEST = 100  # characters
_SOME = 20  # entries without a unit for one with it

_BY_ITSELF = "write the column anew, each entry by itself"
_WHOLE = f"{_BY_ITSELF}, as plain numbers"
_CHANGED: dict[str, tuple[str, str]] = {
    "money": ("a currency is no part of a number", f"{_BY_ITSELF}, without it"),
    "percent": ("a percent sign is no part of a number", f"{_BY_ITSELF}, without it"),
    "brackets": (
        "brackets, as accountants write what is negative, are no part of a number",
        f"{_BY_ITSELF}, with a minus in front",
    ),
    "minus": (
        "a minus stands in front of the digits, and is the sign of the keyboard",
        f"{_BY_ITSELF}, with such a one",
    ),
    "time of day": (
        "a time of day, or a length of time, is no number",
        f"{_BY_ITSELF}, as minutes or seconds, or a length as PT1H30M",
    ),
    "limit": ("a limit is no number", f"{_BY_ITSELF}, or count such entries as labels"),
    "range": (
        "a range is no number but a label",
        "count them with categories=, or write a number for each range, from public knowledge",
    ),
    "error": ("a number with its error is none", f"{_BY_ITSELF}, in two columns"),
    "note": ("a sign for a note is no part of a number", f"{_BY_ITSELF}, without it"),
    "fraction": ("a fraction is no number here", _WHOLE),
    "power": ("powers of ten are written like 1.5e3", _WHOLE),
    "quotes": ('a quote around a field is ", and nothing stands before it', _WHOLE),
    "base": ("other bases than ten are no numbers", _WHOLE),
    "list": ("several numbers in one entry are none", f"{_BY_ITSELF}, in several columns"),
    "markup": ("markup is no part of a number", _WHOLE),
    "hidden": ("characters that are not seen, or digits of another script, stand in it", _WHOLE),
    "unit": ("a unit is no part of a number", f"{_BY_ITSELF}, without it and in one unit"),
}


@dataclass(slots=True)
class Kind:
    """What entries that are alike look like, what that means and what to do."""

    what: str
    cure: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def looks(text: str) -> str | None:
    """The kind of number that a text looks like, if any."""
    found = next((name for name, pattern in _LOOKS.items() if pattern.fullmatch(text)), None)
    if found is None and not text.isascii():
        seen = (c for c in unicodedata.normalize("NFKC", text) if c.isprintable())
        plain = "".join(str(unicodedata.decimal(c, c)) for c in seen)
        if plain != text and re.fullmatch(rf"[+-]?{_PLAIN}", plain):
            return "hidden"
    return found


def sorted_out(others: Mapping[str, int], numbers: int) -> dict[str | None, Counter[str]]:
    """The entries by what they look like; None for those that look like no number.

    Words after a number are a unit if most have the same one; in an address they differ.

    Parameters
    ----------
    others
        How often each entry that is not a number is there.
    numbers
        How many entries are.
    """
    kinds: dict[str | None, Counter[str]] = {}
    for text, times in others.items():
        kinds.setdefault(looks(text), Counter())[text] += times
    rest = kinds.get(None, Counter())
    words: Counter[str] = Counter()
    for text, times in rest.items():
        if (found := _UNIT.fullmatch(text)) is not None:
            words[found[1].strip().lower()] += times
    most = words.most_common(1)
    if most and most[0][1] >= _ONE_UNIT * words.total() and most[0][1] > 1:
        for text in [text for text in rest if _UNIT.fullmatch(text)]:
            kinds.setdefault("unit", Counter())[text] += rest.pop(text)
    units = kinds.get("unit", Counter())
    if (
        0 < units.total() * _SOME < numbers + sum(others.values())
    ):  # letters in few numbers are typing errors
        rest = kinds[None] = rest + kinds.pop("unit", Counter())
    if not rest:
        kinds.pop(None, None)
    return kinds


def meaning(name: str, found: Counter[str], others: set[str]) -> Kind:
    """What a kind of text means, what to do, and the options for it.

    Parameters
    ----------
    name, found
        As in ``sorted_out``.
    others
        The other kinds that stand in the column.
    """
    thousands, text = "thousands have a sign of their own", found.most_common(1)[0][0]
    match name:
        case "comma and point" | "several commas":
            return Kind(thousands, "give thousands=','", {"thousands": ","})
        case "point and comma":
            cure = "give thousands='.' and decimal=','"
            options = {"thousands": ".", "decimal": ","}
            return Kind(f"{thousands}, and the decimal sign is a comma", cure, options)
        case "several points":
            return Kind(thousands, "give thousands='.'", {"thousands": ".", "decimal": ","})
        case "grouped by a sign":
            sign = next(c for c in text if not c.isalnum() and c not in "+-.,")
            options = {"thousands": sign}
            if any("," in each for each in found):
                options["decimal"] = ","
            return Kind(thousands, f"give thousands={sign!r}", options)
        case "one comma" if "decimal comma" not in others:
            return Kind(
                "the comma parts thousands, or it is the decimal sign",
                "give thousands=',' for 1,234 = 1234, or decimal=',' for 1,234 = 1.234: the file's "
                "author knows which",
                {"thousands": ","},
            )
        case "one comma" | "decimal comma":
            return Kind("the decimal sign is a comma", "give decimal=','", {"decimal": ","})
        case "unit" | "money":
            what, cure = _CHANGED[name]
            units = Counter[str]()
            for each, times in found.items():
                units[re.sub(r"[\d\s.,()+-]", "", each).lower()] += times
            if len(units) > 1:
                shown = ", ".join(f"{unit!r} ({times})" for unit, times in units.most_common(4))
                what = f"{what}, and there are several: {shown}"
            return Kind(what, cure)
        case _:
            return Kind(*_CHANGED[name])
