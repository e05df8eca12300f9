"""NOT PRIVATE. Rows of means, least or largest numbers that stand among those they are of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median

from leastnoise.frames.checks.extra_rows import FEET

# What stands below a column beside its total.
_SUMMARIES = re.compile(
    r"(?:(?:overall|class|group|grand|gesamt)[- ]?)?(?:means?|medians?|averages?|durchschnitt)"
    r"|(?:promedio|media|moyenne) g[eé]n[eé]rale?|avg|mittelwert|durchschnitt|moyenne|media"
    r"|promedio|std\.?(?: ?dev(?:iation)?\.?|ev)?|n|gjennomsnitt|keskiarvo|średnia|gemiddelde"
    r"|medelvärde|médiane|mediana|(?:national|arithmetic|country|state|regional) (?:average|mean)",
    re.IGNORECASE,
)
# Words that are names and labels too, and tell something beside others alone.
_BESIDE = re.compile(r"(?:min|max)(?:imum)?|sd|st\.? ?dev\.?|count|anzahl", re.IGNORECASE)
_ROUNDED = 0.5 + 1e-6  # of the last digit that is written
_KINDS: tuple[tuple[re.Pattern[str], Callable[[Sequence[float]], float]], ...] = (
    (re.compile(r"min", re.IGNORECASE), min),
    (re.compile(r"max", re.IGNORECASE), max),
    (re.compile(r"m[eé]dian", re.IGNORECASE), median),
)
_MOSTLY, _ROWS = 0.8, 3  # of the rows with such a word; rows that each is of


def rows_of_summaries(
    labels: Sequence[str],
    counts: Mapping[str, int],
    columns: Sequence[tuple[Sequence[str], Mapping[str, float]]],
) -> set[str]:
    """Words such as "Mean": in the last rows, or with a number that is the mean of those beside.

    Parameters
    ----------
    labels, counts
        The entries of a column of words, and how often each is there.
    columns
        The entries of columns of numbers, and what each is read as.
    """
    words = {x for x in counts if _SUMMARIES.fullmatch(x)}
    beside = {x for x in counts if _BESIDE.fullmatch(x)}
    if not words and not beside:
        return set()
    below = labels[-FEET:]
    names = 2 * len(counts) > len(labels)  # most stand once
    at_end = {
        x
        for x in words | beside
        if counts[x] == below.count(x) and (counts[x] == 1 or (names and 3 * counts[x] <= FEET))
    }
    if len(at_end & beside) < 2 and not at_end & words:
        at_end -= beside
    if all(len(word) == 1 for word in at_end):  # "N" alone is a label
        at_end.clear()
    between = {x for x in words | beside if x not in at_end and len(x) > 1 and counts[x] > 1}
    return at_end | {x for x in between if _is_of_rows_beside(x, labels, words | beside, columns)}


def _is_of_rows_beside(
    word: str,
    labels: Sequence[str],
    words: set[str],
    columns: Sequence[tuple[Sequence[str], Mapping[str, float]]],
) -> bool:
    """Whether the numbers beside a word are the means of the rows above or below each."""
    kind = next((f for pattern, f in _KINDS if pattern.match(word)), fmean)
    for texts, known in columns:
        for step in (1, -1):
            run: list[float] = []
            same: list[bool] = []
            for label, text in zip(labels[::step], texts[::step], strict=False):
                number = known.get(text)
                if label not in words:
                    run += [] if number is None else [number]
                    continue
                if label == word and number is not None:
                    digits = len(re.split(r"[.,]", text)[-1]) if re.search(r"[.,]", text) else 0
                    near = _ROUNDED * 10.0**-digits
                    same.append(len(run) >= _ROWS and abs(kind(run) - number) <= near)
                if label == word:
                    run = []
            if sum(same) > 1 and sum(same) >= _MOSTLY * len(same):
                return True
    return False
