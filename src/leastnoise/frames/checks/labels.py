"""NOT PRIVATE. Labels that are written in several ways, or mean that there is none."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise

from leastnoise.frames.checks.report import Finding
from leastnoise.frames.contract import STANDARD

_SHOWN, _LONGEST = 5, 40
NO_LABEL = re.compile(
    r"[-.*?_/\\ \u2013\u2014\u2026\u2022]+|unknown|unspecified|undefined|unstated|missing"
    r"|suppressed|refused|declined|blank|conf(?:idential|\.)|redacted|withheld|masked|censored"
    r"|geheim|entfällt|(?:not|un)[ -]?(?:available|applicable|reported|known|specified|stated"
    r"|disclosed|recorded|collected|published|releasable|calculated)"
    r"|(?:no|insufficient) (?:data|answer|response)|(?:prefer|rather) not to (?:say|answer)"
    r"|do(?:n'?t| not) know|sans objet|no aplica|k\.?\s?a\.?|keine angabe|unbekannt|inconnu"
    r"|ohne angabe|fehlt|nicht (?:angegeben|bekannt|verfügbar)|ne sait pas|nsp"
    r"|non (?:noto|indicato)|sconosciuto|s/d|n/d|sin (?:dato|especificar|información)"
    r"|no (?:sabe|contesta|especificado)"
    r"|não (?:informado|disponível|aplicável|sabe)|ignorado|sem (?:informação|dados)|onbekend"
    r"|geen (?:antwoord|opgave)|uppgift saknas|okänd|ukendt|ukjent|brak danych|bez danych|nieznany"
    r"|н/д|неизвестно|нет данных|不明|無回答|未知|不詳|모름|무응답"
    r"|non (?:renseigné|disponible)|desconocido|sin datos|n\.\s?[abdek]\.|\(?blank\)?"
    r"|tb[acd]|nil|void|#[a-z/0!?]+",
    re.IGNORECASE,
)
_TRUTH = {
    **dict.fromkeys(("yes", "y", "true", "t", "ja", "oui", "si", "sí", "1"), "yes"),
    **dict.fromkeys(("no", "n", "false", "f", "nein", "non", "0"), "no"),
}
_COUNTRY = re.compile(r"[A-Z]{2}")
# Names of one thing that are not alike; the first is the key.
_ALIASES = (
    "uk gb gbr unitedkingdom greatbritain", "us usa unitedstates unitedstatesofamerica",
    "greece gr el grc hellas ellada", "germany de deu deutschland allemagne alemania germania",
    "france fra frankreich francia", "italy ita italia italien italie",
    "spain esp spanien espana espagne spagna", "austria aut osterreich autriche",
    "switzerland che schweiz suisse svizzera", "netherlands nld nl holland niederlande nederland",
    "poland pol polen polska pologne", "czechia cze czechrepublic tschechien",
    "turkey turkiye tur turkei", "russia rus russianfederation russland",
    "southkorea kor koreasouth republicofkorea koreare koreareprepublicof",
    "vietnam vnm", "ivorycoast civ cotedivoire", "myanmar mmr burma", "eswatini swz swaziland",
    "northmacedonia mkd macedonia", "caboverde cpv capeverde", "uae are unitedarabemirates",
    "brazil bra brasil brasilien bresil", "japan jpn nippon", "china chn prchina",
    "male man men mannlich homme hombre maschio uomo",
    "female woman women weiblich femme mujer donna",
)  # fmt: skip
_SAME = {word: group.split()[0] for group in _ALIASES for word in group.split()}
# Two ways to write a letter that accents were taken from.
_LETTERS = (("ae", "a"), ("oe", "o"), ("ue", "u"), ("ß", "ss"), ("ø", "o"), ("ł", "l"), ("æ", "a"))
_QUOTED = re.compile(
    "['\"`\u00b4\u2018\u201c\u201d\u201e\u00ab\u00bb][^'`]*['\"`\u00b4\u2019\u201c\u201d\u00ab\u00bb]"
)
# What programs leave around labels, or of them, and what to do.
_LEFT = {
    "are written as HTML writes them": (
        re.compile(r".*&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});.*|</?[a-z][^<>]*>.*", re.I | re.S),
        "have the file written as plain text",
    ),
    "are JSON or a printed list, and a whole entry is one label": (
        re.compile(r"\{[^:]*:.*\}|\[(?:['\"{\[].*)?\]", re.S),
        "write a column for each value, each entry on its own",
    ),
    "are bytes as Python prints them": (
        re.compile(r"b(['\"]).*\1", re.S),
        "have the file written as text",
    ),
    "hold the sign of a letter that was lost when the file was written": (
        re.compile("[^\ufffd]*\ufffd.*", re.S),
        "have it rewritten, from where the letters are",
    ),
    "hold characters that are not seen": (
        re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u200b\u200e\u200f\u2060\ufeff]*"
                   r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u200b\u200e\u200f\u2060\ufeff].*", re.S),
        "rewrite the column, each entry on its own, without them",
    ),
}  # fmt: skip
# Cyrillic letters that look like Latin ones, and what spreadsheets make of names and of scores.
_ALIKE = str.maketrans("авекмнорстухіјѕ", "abekmhopctyxijs")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_MADE = re.compile(rf"\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{1,2}}")
_ROMAN = re.compile(r"[IVX]+[A-Ca-c]?")  # a stage, of which a letter makes another
_FRONT = re.compile(r"0+(?=\d+\W*[^\W\d_]{2})")  # zeros before the number of a label
_CUT, _REST, _PLURAL = 15, 4, 4  # letters of a label that may be cut, of what is lost, of a word
_SEVERAL = re.compile(r"\s*[;|]\s*|,\s+")
# Labels that are compared with each other, and how much more frequent one is than its misspelling.
_MOST, _MORE = 1000, 10
_FEW_LABELS, _SHORT = 20, 3
_FEW = 0.8  # of the rows: what frequent labels have together, where short ones are compared


def check_labels(where: str, labels: Counter[str], missing: Mapping[str, int]) -> Iterator[Finding]:
    """What labels say that a count of them goes wrong by.

    Parameters
    ----------
    where
        The column.
    labels
        The entries, without the blanks around them, and how often each is there.
    missing
        Those that are missing.
    """
    yield from _none(where, labels)
    namibia = {text: n for text, n in missing.items() if text and text in STANDARD}
    codes = sum(times for text, times in labels.items() if _COUNTRY.fullmatch(text))
    if "NA" in namibia and len(labels) > _SHOWN and codes > _FEW * labels.total():
        yield Finding(
            where,
            f"'NA' ({namibia['NA']}) among two letters counts as missing",
            "where it is a label, as Namibia's, declare it as one, in categories= or keys",
        )
    if namibia.get("None") and 0 < len(labels) <= _MOST:
        yield Finding(
            where,
            f"'None' ({namibia['None']}) beside the labels counts as missing, as Python writes it",
            "where it is a label, as of those who have none, give missing_values= with '' alone",
        )
    yield from _damaged(where, labels)
    yield from made_dates(where, labels, labels.total())
    if len(labels) > _MOST or (2 * len(labels) > labels.total() and len(labels) > _SHOWN):
        return  # names, addresses: nothing is counted by them
    known = _variants(labels)
    grouped = set(chain.from_iterable(known))
    known += _shortened([text for text in labels if text not in grouped])
    grouped.update(chain.from_iterable(known))
    known += _cut([text for text in labels if text not in grouped])
    yield from _said(
        where, known, "labels are written in several ways", "each way is a label of its own"
    )
    taken = {text for group in known for text in group}
    typed = _misspelt(Counter({t: n for t, n in labels.items() if t not in taken}))
    yield from _said(where, typed, "labels may be typing errors", "each is a label of its own")
    several = [_SEVERAL.split(text) for text in labels if _SEVERAL.search(text)]
    parts = Counter(part for split in several for part in split)
    places = {(part, i) for split in several for i, part in enumerate(split)}
    if len(several) > 2 and parts.total() >= 2 * len(parts) < 2 * len(places):
        first = next(text for text in labels if _SEVERAL.search(text))
        yield Finding(
            where,
            f"entries hold several labels, such as {first[:_LONGEST]!r}: a whole entry is one",
            "write a column for each label, each entry on its own",
        )


def _none(where: str, labels: Counter[str]) -> Iterator[Finding]:
    """Words among labels that mean that there is none."""
    codes = sum(times for text, times in labels.items() if _COUNTRY.fullmatch(text))
    known = codes > _FEW * labels.total()  # among which "KA" is one
    found = [
        text
        for text in labels
        if NO_LABEL.fullmatch(text) and not (known and _COUNTRY.fullmatch(text))
    ]
    if found and len(found) < len(labels):
        shown = ", ".join(f"{text!r} ({labels[text]})" for text in found)
        signs = [text for text in found if not any(map(str.isalpha, text)) or text[0] == "#"]
        yield Finding(
            where,
            f"{shown} among the labels: counted as a label like others",
            "where they stand for a missing entry, declare them in missing_values=",
            {"missing_values": signs} if signs else {},
        )


def _damaged(where: str, labels: Counter[str]) -> Iterator[Finding]:
    """Text that was read in another encoding than it was written in, or has quotes of its own."""
    broken = [text for text in labels if _twice_encoded(text)]
    if broken:
        yield Finding(
            where,
            f"letters were written in UTF-8 and read in another encoding, such as {broken[0]!r}",
            "leave encoding= out if it is given, else have the file rewritten",
        )
    for what, (pattern, cure) in _LEFT.items():
        found = [text for text in labels if pattern.fullmatch(text)]
        if found:
            yield Finding(where, f"entries such as {found[0][:_LONGEST]!r} {what}", cure)
    escaped = next((text for text in labels if {"\\", '"'} <= set(text)), None)
    if escaped is not None:
        yield Finding(
            where,
            f"a backslash before a quote is a character, such as in {escaped[:_LONGEST]!r}, and "
            "the quote ends the field",
            "have the file written with doubled quotes",
        )
    quoted = [text for text in labels if _QUOTED.fullmatch(text)]
    if quoted and 2 * sum(labels[text] for text in quoted) > labels.total():
        yield Finding(
            where,
            f"quotes such as those of {quoted[0]!r} are part of the entry, and a separator inside "
            "of them separates fields",
            'have the file written with ", or declare the labels with these quotes',
        )


def _twice_encoded(text: str) -> bool:
    if text.isascii():
        return False
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8") != text
        except UnicodeError:
            continue
    return False


def _variants(labels: Counter[str]) -> list[list[str]]:
    """Labels that differ in case, accents, blanks and signs only."""
    truth = all(text.casefold() in _TRUTH for text in labels)
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for text in labels:
        groups[_TRUTH[text.casefold()] if truth else _plain(text)].append(text)
    return [group for key, group in groups.items() if len(group) > 1 and key]


def _shortened(labels: Sequence[str]) -> list[list[str]]:
    """One to three letters, or some before a point, and the only other label that they stand for:
    one that begins with them, or whose words do.
    """
    found: list[list[str]] = []
    for text in labels:
        word = text.removesuffix(".").casefold()
        short = len(word) <= _SHORT or text.endswith(".")
        if not short or not word.isalpha() or len(labels) > _FEW_LABELS or _ROMAN.fullmatch(text):
            continue
        others = [x for x in labels if x != text and len(x) > max(len(word), _SHORT)]
        whole = [x for x in others if x.isalpha() and x.casefold().startswith(word)]
        words = [x for x in others if len(word) > 1 and text.isupper() and _initials(x) == word]
        for longer in (whole, words):
            if len(longer) == 1:
                found.append([longer[0], text])
    return found


def _initials(text: str) -> str:
    words = text.replace("-", " ").split()
    return "".join(x[0] for x in words if x not in ("of", "and", "the")).casefold()


def _cut(labels: Sequence[str]) -> list[list[str]]:
    """Labels that were cut inside a word, lost a letter to a question mark, or are a plural."""
    found: list[list[str]] = []
    ordered = sorted(labels)
    for text, after in pairwise(ordered):
        rest = after.removeprefix(text)
        inside = rest != after and rest[:1].isalnum() and text[-1:].isalnum()
        if (inside and len(text) >= _CUT and len(rest) >= _REST) or (
            rest == "s" and len(text) >= _PLURAL and text.isalpha() and len(labels) <= _FEW_LABELS
        ):
            found.append([after, text])
    for text in labels:
        if re.search(r"[^\W\d_]\?[^\W\d_]", text):
            pattern = re.compile(re.escape(text).replace(r"\?", r"[^\x00-\x7f]"))
            found += [[whole, text] for whole in labels if pattern.fullmatch(whole)]
    return found


def two_ways(where: str, numbers: Mapping[str, float]) -> Iterator[Finding]:
    """A few whole numbers, as codes are, of which some are written in two ways."""
    if len(set(numbers.values())) > _FEW_LABELS:
        return
    ways: defaultdict[float, list[str]] = defaultdict(list)
    for text, number in numbers.items():
        ways[number].append(text)
    if all(map(float.is_integer, ways)):
        several = [group for group in ways.values() if len(group) > 1]
        told = "where they are labels, numbers are written in several ways"
        yield from _said(where, several, told, "each way is a label of its own")


def made_dates(where: str, labels: Mapping[str, int], rows: int) -> Iterator[Finding]:
    """Dates among what is none in ``rows``: names, or two numbers, that a spreadsheet took for
    dates.
    """
    found = [text for text in labels if _MADE.fullmatch(text)]
    times = sum(labels[text] for text in found)
    if found and 2 * times < rows:
        yield Finding(
            where,
            f"{times} entries are dates such as {found[0]!r}, which spreadsheets make of names "
            "such as SEPT2 and of two numbers such as 3-1",
            "have the column rewritten as text, from where it was not opened in one",
        )


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold()).translate(_ALIKE)
    if (same := _SAME.get("".join(filter(str.isalnum, letters)))) is not None:
        return same
    letters = _FRONT.sub("", letters, count=1) if letters[:1] == "0" else letters
    for two, one in _LETTERS:
        letters = letters.replace(two, one)
    grade = letters[-1] if letters.endswith(("+", "-")) else ""
    signs = "".join(c for c in letters if c.isalnum()) + grade
    # a sign between digits parts numbers: "1-2" is not "12"; "+" and "<" mean something
    if any(map(str.isdigit, signs)):
        return re.sub(r"[\s_]+|[^\w+<>=.,/-]", "", letters)
    return signs


def _misspelt(labels: Counter[str]) -> list[list[str]]:
    """Each frequent label, and rare ones that look like it."""
    ordered = labels.most_common()
    often = [text for text, times in ordered if times * 20 >= labels.total()]
    few = sum(labels[text] for text in often) >= _FEW * labels.total()
    found: dict[str, list[str]] = {}
    for text, times in reversed(ordered):
        right = next((x for x, n in ordered if n >= _MORE * times and _near(text, x, few)), None)
        if right is not None:
            found.setdefault(right, [right]).insert(1, text)
    return list(found.values())


def _near(text: str, right: str, few: bool) -> bool:
    """Whether a label may be a misspelling of another: digits make other labels, not errors."""
    size, gap = max(len(text), len(right)), abs(len(text) - len(right))
    if size < (_SHORT if few else 5) or gap > 1 or _digits(text) != _digits(right):
        return False
    if _digits(text) and (size < 5 or " " not in text):  # a code
        return False
    one, other = sorted((text.casefold(), right.casefold()), key=len)
    wrong = [i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y]
    if gap:  # a letter too many
        at = wrong[0] if wrong else len(one)
        return one[at:] == other[at + 1 :]
    at = wrong[0] if wrong else 0
    swapped = wrong == [at, at + 1] and one[at : at + 2] == other[at : at + 2][::-1]
    return swapped or len(wrong) <= max(1, size // 6)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _said(where: str, groups: list[list[str]], what: str, effect: str) -> Iterator[Finding]:
    if groups:
        shown = "; ".join(
            ", ".join(repr(text[:_LONGEST]) for text in group[:_SHOWN]) for group in groups[:_SHOWN]
        )
        yield Finding(
            where,
            f"{what}: {shown}; {effect}, compared letter by letter",
            "rewrite the column, each entry on its own, or declare every way and add the counts",
        )
