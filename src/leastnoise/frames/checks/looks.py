"""NOT PRIVATE. What a text that is not a number looks like, what that means, and the cure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_MONEY = (
    r"(?:US\$|[ACR]\$|[$€£¥₹₽₩₪฿₫₦₱₺¢]|zł|Kč|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|HUF|CZK|BRL"
    r"|kr|Rs|S?Fr|Rp|RM)\b\.?)"
)
# Digits with any signs between them that part thousands or fractions.
_PLAIN = r"\d+(?:[.,]\d+|['_\u2019\u00a0\u2009\u202f ]\d{3}(?!\d))*"
_SCALE = (
    r"(?:\s*(?:[kmb]|bn|tn|mio|mrd|thousand|[mb]illions?|lakhs?|crores?|cr"
    r"|тыс|млн|млрд|tys|mln|mld|milhões|mil)\b\.?|\s*[万億亿만억])?"
)
_AMOUNT = rf"(?:[$€£]\s*)?{_PLAIN}(?:\s*[kmb%])?"
_WORD = r"(?:\s+[a-z]{1,9}\.?)?"
_LIMIT = (
    r"(?:[<>≤≥~≈]=?|&[lg]t;=?|(?:under|over|up to|about|around|above|below|at (?:least|most)"
    r"|(?:less|more|fewer|greater) than|max|min|(?-i:c(?=\.)|[cC]a)|circa|approx|approximately|est"
    r"|unter|über|ab|bis|(?:mehr|weniger) als|(?:moins|plus) de|(?:menos|más) de)(?:\.|(?= )))"
)
_MORE = (
    r"(?:\+|(?:and|or|und|oder|et|ou|y|o)\s+(?:over|more|older|under|less|fewer|above|below|up|plus"
    r"|mehr|älter|más))"
)
_SIGNS = r"(?:[*†‡§¶?!#^¹²³⁴-⁹]+|\[\w{1,3}\]|\((?:[a-z]\w{0,4}\.?|\d)\))"
_HEMISPHERE = r"(?-i:[NSEW])"
_DEGREES = r"\d{1,3}(?:\.\d+)?\s*[°º˚]"
_SECONDS = r"\d{1,2}(?:\.\d+)?\s*(?:[\"\u2033\u201d]|''|\u2032\u2032)"
_MINUTES = rf"\d{{1,2}}(?:\.\d+)?\s*['\u2032\u2019\u00b4](?:\s*{_SECONDS})?"
_ROUND = r"[.,]\s?[-\u2013\u2014]{1,2}"  # instead of cents
_CLOCK = r"\d{1,3}:\d{2}(?::\d{2})?(?:\.\d+)?"
_QUOTES = "\"'`\u00b4\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a"
# What an entry looks like, the first that fits; the blanks are those of typographers too.
_LOOKS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.ASCII | re.IGNORECASE)
    for name, pattern in {
        "comma and point": r"[+-]?\d{1,3}(?:,\d{2,3})+\.\d+",
        "point and comma": r"[+-]?\d{1,3}(?:\.\d{3})+,\d+",
        "several commas": r"[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?<=,\d\d\d,\d\d\d)"
        r"|[+-]?\d{1,2}(?:,\d{2})+,\d{3}",
        "several points": r"[+-]?\d{1,3}(?:\.\d{3}){2,}",
        "grouped by a sign": r"[+-]?\d{1,3}(?:([ '_\u2019\u00a0\u2009\u202f])\d{3})(?:\1\d{3})*"
        r"(?:[.,]\d+)?",
        "one comma": r"[+-]?\d{1,3},\d{3}",
        "decimal comma": r"[+-]?\d*,\d+(?:e[+-]?\d+)?",
        "money": rf"[+-]?\(?\s*{_MONEY}\s*[+-]?\s*\(?{_PLAIN}(?:{_ROUND})?{_SCALE}\)?"
        rf"|\(?[+-]?{_PLAIN}{_SCALE}\s*{_MONEY}\)?|{_PLAIN}{_ROUND}(?:\s*{_MONEY})?",
        "brackets": rf"\({_PLAIN}\)|{_PLAIN}\s*(?:cr|dr)\.?",
        "percent": rf"[+-]?{_PLAIN}\s*(?:[%‰]|pct\.?|per ?cent|prozent)",
        "minus": rf"{_PLAIN}\s*-|[-+]\s+{_PLAIN}"
        rf"|[\u2010-\u2015\u2212\ufe63\uff0d\u25b2\u25b3]\s*{_PLAIN}",
        "time of day": rf"{_CLOCK}(?:\s*[ap]\.?m\.?)?|\d+ days?,? {_CLOCK}"
        r"|(?:\d+\s*(?:d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)\.?,?\s*){2,4}",
        "coordinate": rf"{_HEMISPHERE}\s*{_DEGREES}\s*(?:{_MINUTES})?"
        rf"|[+-]?{_DEGREES}\s*(?:{_MINUTES}\s*)?{_HEMISPHERE}|[+-]?{_DEGREES}\s*{_MINUTES}"
        rf"|\d{{1,3}}\.\d+\s*{_HEMISPHERE}|{_HEMISPHERE}\s*\d{{1,3}}\.\d+"
        rf"|\d{{1,3}}(?:[ :-]\d{{1,2}}){{1,2}}(?:\.\d+)?\s*{_HEMISPHERE}",
        "feet": r"\d+\s*['\u2032\u2019]\s*(?:\d{1,2}(?:\.\d+)?\s*(?:[\"\u2033\u201d]|'')?)?"
        r"|\d+\s*(?:ft|feet|foot)\.?\s*\d+(?:\.\d+)?\s*(?:in|inch|inches)?\.?",
        "limit": rf"{_LIMIT}\s*(?:{_AMOUNT}{_WORD}|{_PLAIN}e[+-]?\d+)",
        "range": rf"(?:(?:from|between|von|zwischen|de|entre)\s+)?{_AMOUNT}\s*"
        rf"(?:[-\u2013\u2014]|\.\.+|to|and|bis|und|through|a|à|y|et)\s*(?:<\s*)?{_AMOUNT}{_WORD}"
        rf"|\[\s*{_AMOUNT}\s*[,;]\s*{_AMOUNT}\s*\)|[(\]]\s*{_AMOUNT}\s*[,;]\s*{_AMOUNT}\s*[\]\[]"
        rf"|{_AMOUNT}(?:\s*[a-z]{{1,6}}\.?)?\s*{_MORE}",
        "error": rf"{_PLAIN}\s*(?:±|\+/-)\s*{_PLAIN}"
        rf"|{_PLAIN}\s*[\[(]{_PLAIN}\s*(?:[-\u2013,;]|to)\s*{_PLAIN}[\])]|{_PLAIN}\s*\(\d*\.\d+\)",
        "note": rf"[+-]?{_PLAIN}(?:\s*{_SIGNS}){{1,3}}",
        "fraction": rf"evens|evs|(?:\d+\s+)?\d+/\d+|\d+[.,]\d+\s*/\s*\d+"
        rf"|\d*\s*[¼-¾⅐-⅞]|{_PLAIN}\s+(?:out )?of\s+{_PLAIN}{_WORD}",
        "base": r"0[xob][0-9a-f]+",
        "power": rf"[+-]?{_PLAIN}\s*(?:d[+-]?\d+|[x\u00d7*]\s*10\s*(?:\^|\*\*)?\s*[+-]?\d+)",
        "quotes": rf"=?[{_QUOTES}]\s*[+-]?{_PLAIN}\s*[{_QUOTES}]?",
        "labelled": r"[+-]?\d{1,4}\s*(?:[=:.)]|[-\u2013]\s)\s*[^\W\d_].*"
        r"|[+-]?\d{1,4}(?:\s+[^\W\d_].*){2,}",
        "list": r"[\[(]?\s*[+-]?\d+(?:\.\d+)?(?:\s*[;|,x\u00d7]\s*[+-]?\d+(?:\.\d+)?)+\s*[\])]?"
        r"|(?:srid=\d+;)?(?:multi)?(?:point|linestring|polygon)\s*z?\s*\([-\d., ()]+\)",
        "tie": r"=\d{1,4}|\d{1,4}=|T\d{1,4}",
        "spelled": r"[★☆⭐✩✪⚫⚪●○]+|once|twice|einmal|zweimal"
        r"|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eins"
        r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq",
        "markup": rf"<[a-z][^>]*>\s*{_PLAIN}\s*</[a-z]+>",
        "unit": rf"[+-]?{_PLAIN}\s*[a-zµ°²³/]{{1,4}}\.?",
    }.items()
}
_TWO = re.compile(r"(\d{1,3})\s*[-\u2013]\s*(\d{1,3})", re.ASCII)
_OUT_OF = re.compile(
    r"[^/\s]+\s*(?:out )?(?:/|\bof\b)\s*([\d.,]+)(?:\s+[a-z]+)?", re.ASCII | re.IGNORECASE
)
_UNIT = re.compile(r"[+-]?\d+(?:[.,]\d+)*\s*(?![-+.,/:=])([^\d\s][^\d]*)", re.ASCII)
_MARK = re.compile(r"\d{1,2}\s?[+-]", re.ASCII)
_PUNCHED = re.compile(r"\d+[{}A-R]", re.ASCII)
_ONE_UNIT = 0.5  # of the entries with a word after a number: the most frequent word of a unit

# Those that an option reads, or the sign that was declared.
SIGNED = frozenset(
    {
        *("comma and point", "point and comma", "several commas", "several points"),
        *("grouped by a sign", "one comma", "decimal comma", "other sign"),
    }
)
_LONGEST = 100  # characters: longer text looks like no number
_SOME = 20  # entries without a unit for one with it
_EACH = 3  # entries of an answer

_BY_ITSELF = "rewrite the column, each entry on its own"
_WHOLE = f"{_BY_ITSELF}, as plain numbers"
_CHANGED: dict[str, tuple[str, str]] = {
    "money": ("a currency is no part of a number", f"{_BY_ITSELF}, without it and in one unit"),
    "percent": ("a percent sign is no part of a number", f"{_BY_ITSELF}, without it"),
    "brackets": (
        "brackets or CR are no part of a number: accountants write so what is negative, offices "
        "what is uncertain or computed, and the file's author knows which",
        f"{_BY_ITSELF}, with a minus in front where it is negative, and else without them",
    ),
    "minus": (
        "a minus stands in front of the digits, and is '-' and no dash or other sign",
        f"{_BY_ITSELF}, with '-' in front",
    ),
    "time of day": (
        "a time of day, or a length of time, is no number",
        f"{_BY_ITSELF}, as minutes or seconds, or a length as PT1H30M",
    ),
    "coordinate": (
        "degrees, minutes and the letter of a hemisphere are no part of a number",
        f"{_BY_ITSELF}, as decimal degrees, negative in the south and in the west",
    ),
    "feet": ("feet and inches are no number", f"{_BY_ITSELF}, in one unit"),
    "limit": ("a limit is no number", f"{_BY_ITSELF}, or count such entries as labels"),
    "range": (
        "a range is no number but a label",
        "count them with categories=, or write a number for each range, from public knowledge",
    ),
    "error": ("a number with its error is two numbers", f"{_BY_ITSELF}, in two columns"),
    "note": ("a sign for a note is no part of a number", f"{_BY_ITSELF}, without it"),
    "other sign": (
        "the declared decimal sign is another, and a file has one",
        f"{_BY_ITSELF}, with the declared one",
    ),
    "fraction": (
        "a fraction, or two numbers with a slash between them, is no number",
        f"{_WHOLE}, or in two columns",
    ),
    "power": ("powers of ten are written like 1.5e3", _WHOLE),
    "quotes": ('a quote around a field is ", and nothing stands before it', _WHOLE),
    "labelled": (
        "a number stands before its label",
        f"count them as labels, or {_BY_ITSELF}, as the number alone",
    ),
    "tie": ("a sign for a tie of ranks is no part of a number", f"{_BY_ITSELF}, without it"),
    "grade": (
        "a plus or minus behind a mark is part of the grade",
        "count them as labels, or rewrite the column, each entry on its own, with a number for "
        "each grade, such as 1.7 for 2+",
    ),
    "overpunch": (
        "the last character holds a digit and the sign, as COBOL writes them: {A-I are 0 to 9, and "
        "}J-R are 0 to 9 with a minus",
        _WHOLE,
    ),
    "spelled": ("numbers in words or signs are not read", f"{_BY_ITSELF}, in digits"),
    "base": ("other bases than ten are no numbers", _WHOLE),
    "list": ("several numbers in one entry are not read", f"{_BY_ITSELF}, in several columns"),
    "markup": ("markup is no part of a number", _WHOLE),
    "hidden": ("characters that are not seen, or digits of another script, stand in it", _WHOLE),
    "unit": (
        "a word or letter after it, a unit or the sign of a note, is no part of a number",
        f"{_BY_ITSELF}, without it and in one unit",
    ),
}


@dataclass(slots=True)
class Kind:
    """What entries that are alike look like, what that means and what to do."""

    what: str
    cure: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def looks(text: str) -> str | None:
    """The kind of number that a text looks like, if any."""
    if len(text) > _LONGEST:
        return None
    found = next((name for name, pattern in _LOOKS.items() if pattern.fullmatch(text)), None)
    if found is None and not (text.isascii() and text.isprintable()):
        seen = (c for c in unicodedata.normalize("NFKC", text) if c.isprintable())
        plain = "".join(str(unicodedata.decimal(c, c)) for c in seen)
        if plain != text and re.fullmatch(rf"[+-]?{_PLAIN}", plain.strip(), re.ASCII):
            return "hidden"
    return found


def _signs_of(text: str) -> str:
    return re.sub(r"[\d\s.]+", "", text)


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
    places = kinds.get("coordinate", Counter[str]())
    if {*map(_signs_of, places)} == {"E"}:  # a letter for a note, as offices write it
        kinds.setdefault("unit", Counter()).update(kinds.pop("coordinate"))
    _gathered(kinds, "grade", ("minus", "range"), _MARK, lambda texts: {*"+-"} <= texts)
    _gathered(kinds, "overpunch", ("unit", None), _PUNCHED, lambda texts: bool({*"{}"} & texts))
    labelled = kinds.pop("labelled", Counter[str]())
    if _are_answers(labelled, numbers):
        kinds["labelled"] = labelled
    elif labelled:  # addresses, units of several words
        kinds.setdefault(None, Counter()).update(labelled)
    if not numbers and "tie" in kinds:  # codes such as T1 and T2
        kinds.setdefault(None, Counter()).update(kinds.pop("tie"))
    rest = kinds.get(None, Counter())
    words: Counter[str] = Counter()
    for text, times in rest.items():
        if len(text) <= _LONGEST and (found := _UNIT.fullmatch(text)) is not None:
            words[found[1].strip().lower()] += times
    most = words.most_common(1)
    if most and most[0][1] >= _ONE_UNIT * words.total() and most[0][1] > 1:
        for text in [text for text in rest if len(text) <= _LONGEST and _UNIT.fullmatch(text)]:
            kinds.setdefault("unit", Counter())[text] += rest.pop(text)
    units = kinds.get("unit", Counter())
    if (
        0 < units.total() * _SOME < numbers + sum(others.values())
    ):  # letters in few numbers are typing errors
        rest = kinds[None] = rest + kinds.pop("unit", Counter())
    if not rest:
        kinds.pop(None, None)
    return kinds


def _are_answers(labelled: Mapping[str, int], numbers: int) -> bool:
    """Whether numbers before labels are few, each of one label, and others stand alone."""
    codes = [re.split(r"(?<=\d)(?=\D)", text, maxsplit=1) for text in labelled]
    return (
        numbers > 0
        and 0 < len(codes) == len({code for code, _ in codes}) <= _SOME
        and _EACH * len(codes) <= sum(labelled.values())
    )


def _gathered(
    kinds: dict[str | None, Counter[str]],
    name: str,
    looked: Sequence[str | None],
    pattern: re.Pattern[str],
    decides: Callable[[set[str]], bool],
) -> None:
    """Entries of some kinds are all of another one, where their last characters tell."""
    alike = Counter[str]()
    for kind in looked:
        entries = kinds.get(kind, Counter())
        alike += Counter({x: n for x, n in entries.items() if pattern.fullmatch(x)})
    if decides({x[-1] for x in alike}):
        kinds[name] = alike
        for kind in {*looked} & kinds.keys():
            kinds[kind] = Counter({x: n for x, n in kinds[kind].items() if x not in alike})
            if not kinds[kind]:
                del kinds[kind]


def meaning(name: str, found: Counter[str], others: set[str], separator: str) -> Kind:
    """What a kind of text means, what to do, and the options for it.

    Parameters
    ----------
    name, found
        As in ``sorted_out``.
    others
        The other kinds that stand in the column.
    separator
        Between fields: where it is a semicolon, the comma is a decimal sign as a rule.
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
            cure = (
                "give thousands=',' for 1,234 = 1234, or decimal=',' for 1,234 = 1.234: the file's "
            )
            cure += "author knows which"
            if separator == ";":
                cure += "; where semicolons separate fields it is the decimal sign as a rule"
            return Kind(
                "the comma parts thousands, or it is the decimal sign",
                cure,
                {} if separator == ";" else {"thousands": ","},
            )
        case "one comma":
            cure = "give decimal=',', unless it parts thousands in these: no option reads both"
            return Kind("the decimal sign is a comma in others", cure, {"decimal": ","})
        case "decimal comma":
            return Kind("the decimal sign is a comma", "give decimal=','", {"decimal": ","})
        case "range" if _goes_down(found):
            what = "two numbers, of which the second is the smaller in some, are no range and none"
            cure = "as one number, such as inches or a difference, or in two columns"
            return Kind(what, f"{_BY_ITSELF}, {cure}")
        case "fraction" if (whole := _one_whole(found)) is not None:
            what = f"all are out of {whole}, and what says so is no part of a number"
            return Kind(what, f"{_BY_ITSELF}, without it")
        case "quotes" if any(re.search(r"(?<![\d.,])0\d", each) for each in found):
            what = "zeros in front tell codes, with what a spreadsheet wrote around them"
            cure = f"{_BY_ITSELF}, without the signs around it, and count them as labels"
            return Kind(what, cure)
        case "unit" | "money":
            what, cure = _CHANGED[name]
            units = Counter[str]()
            for each, times in found.items():
                units[re.sub(r"[\d\s.,()+\-\u2013\u2014]", "", each).lower()] += times
            if name == "money" and not any(units):
                return Kind("a dash stands for no cents", f"{_BY_ITSELF}, without it")
            if len(units) > 1:
                shown = ", ".join(f"{unit!r} ({times})" for unit, times in units.most_common(4))
                what = f"{what}, and there are several: {shown}"
            return Kind(what, cure)
        case _:
            return Kind(*_CHANGED[name])


def _goes_down(texts: Mapping[str, int]) -> bool:
    """Whether pairs such as 5-11 and 6-0 are no ranges."""
    pairs = [two for text in texts if (two := _TWO.fullmatch(text)) is not None]
    return len(pairs) == len(texts) and any(int(two[1]) > int(two[2]) for two in pairs)


def _one_whole(texts: Mapping[str, int]) -> str | None:
    """What all entries are parts of, as marks out of 20 are."""
    wholes = {out[1] if (out := _OUT_OF.fullmatch(text)) else None for text in texts}
    return wholes.pop() if len(wholes) == 1 < len(texts) else None
