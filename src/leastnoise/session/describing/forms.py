"""How the entries of a column of no declared type are written, and which questions follow.

The form of an entry is a function of that entry alone; the way is one of released counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames import Table
from leastnoise.frames.checks.entries import is_other_date
from leastnoise.frames.checks.looks import looks
from leastnoise.frames.memory.labels import as_floats
from leastnoise.frames.memory.summarise import missing_at
from leastnoise.frames.readers.times import of_entries
from leastnoise.summaries.columns import Clock


class Form(IntEnum):
    """How an entry is written: its place among ``FORMS``."""

    WHOLE = 0
    DECIMAL = 1
    DATE = 2
    TIME = 3
    ZONED = 4
    COMMA = 5
    THOUSANDS = 6
    UNIT = 7
    OTHER_DATE = 8
    TEXT = 9


_LOOKS = {
    "comma and point": Form.THOUSANDS,
    "several commas": Form.THOUSANDS,
    "several points": Form.THOUSANDS,
    "grouped by a sign": Form.THOUSANDS,
    "one comma": Form.THOUSANDS,
    "point and comma": Form.COMMA,
    "decimal comma": Form.COMMA,
    "money": Form.UNIT,
    "percent": Form.UNIT,
    "unit": Form.UNIT,
}
# One run of digits with what may stand in front of a number and behind it: others are no numbers.
_LIKE_NUMBER = re.compile(r"\D{0,5}\d[\d.,'_\u2019\u00a0\u2009\u202f ]*\D{0,6}")
_LONGEST = 40
_DAY = 86_400
_EXACT = 2**53


class Way(Enum):
    """What is asked of a column."""

    LABELS = "labels"
    NUMBERS = "numbers"
    WHOLE_NUMBERS = "whole numbers"
    DAYS = "dates"
    TIMES = "times"
    INSTANTS = "times with a zone"

    @property
    def clock(self) -> Clock | None:
        """The clock that reads its entries, if they are times."""
        clocks = {Way.DAYS: Clock.DAY, Way.TIMES: Clock.LOCAL, Way.INSTANTS: Clock.INSTANT}
        return clocks.get(self)


WHOLE_WAYS = (Way.WHOLE_NUMBERS, Way.DAYS, Way.TIMES, Way.INSTANTS)
"""Those whose entries are whole numbers, of a clock or as they are."""


def follows(counts: Sequence[int], reach: int) -> Way:
    """What follows noisy counts of forms, whose noise reaches so far in 95 % of descriptions.

    Several forms of one kind are added up where all are beyond the noise, which would add up too.
    Forms that are rare among files have to be ahead by as much.
    """
    numbers = _together(counts[Form.WHOLE : Form.DATE], reach)
    times = _together(counts[Form.DATE : Form.COMMA], reach) - reach
    texts = _together(
        [counts[Form.TEXT], *(n - reach for n in counts[Form.COMMA : Form.TEXT])], reach
    )
    if numbers > 0 and numbers >= max(times, texts):
        sure = counts[Form.DECIMAL] <= reach and counts[Form.WHOLE] >= 3 * reach
        return Way.WHOLE_NUMBERS if sure else Way.NUMBERS
    if times <= max(0, texts):
        return Way.LABELS
    if counts[Form.ZONED] >= max(counts[Form.DATE], counts[Form.TIME]):
        return Way.INSTANTS
    return Way.TIMES if counts[Form.TIME] > reach else Way.DAYS


def _together(counts: Sequence[int], reach: int) -> int:
    return max(*counts, sum(count for count in counts if count > reach))


def forms(table: Table, name: str, *, texts: bool) -> NDArray[np.int64]:
    """NOT PRIVATE. The form of every entry of a column, of which none is missing.

    ``texts``: whether the table tells what stands in it.
    """
    column = table.column(name)
    numbers, others = as_floats(column).astype(np.float64, copy=False), missing_at(column)
    with np.errstate(invalid="ignore"):
        whole = np.isfinite(numbers) & (np.floor(numbers) == numbers) & (abs(numbers) <= _EXACT)
    found = np.where(whole, Form.WHOLE, Form.DECIMAL).astype(np.int64)
    found[others] = Form.TEXT
    if texts and others.any():
        codes, words = table.text_values(name)
        told = others & (codes >= 0)
        used = np.unique(codes[told])
        kinds = np.full(len(words) + 1, Form.TEXT, np.int64)
        kinds[used] = forms_of_texts([words[int(code)] for code in used])
        found[told] = kinds[codes[told]]
    return found


def forms_of_texts(texts: Sequence[str]) -> NDArray[np.int64]:
    """The form of every text that is no number, each on its own."""
    found = np.fromiter(map(_form_of_text, texts), np.int64, len(texts))
    local, gone = of_entries([(texts, None)], Clock.LOCAL)
    found[~gone] = np.where(local % _DAY == 0, Form.DATE, Form.TIME)[~gone]
    found[~of_entries([(texts, None)], Clock.INSTANT)[1]] = Form.ZONED
    return found


def _form_of_text(text: str) -> int:
    text = text.strip()
    if len(text) > _LONGEST:
        return Form.TEXT
    look = looks(text) if _LIKE_NUMBER.fullmatch(text) else None
    if look in _LOOKS:
        return _LOOKS[look]
    return Form.OTHER_DATE if is_other_date(text) else Form.TEXT


def whole_numbers(table: Table, name: str, way: Way, *, texts: bool) -> NDArray[np.int64]:
    """NOT PRIVATE. The entries that can be read in a way of whole numbers, in its numbers.

    ``texts``: as for ``forms``; noise may ask for times where no entry tells any.
    """
    clock = way.clock
    if clock is None:
        column = table.column(name)
        numbers = as_floats(column)[~missing_at(column)].astype(np.float64)
        return np.rint(np.clip(numbers, -_EXACT, _EXACT)).astype(np.int64)
    if not texts:
        return np.empty(0, np.int64)
    codes, words = table.text_values(name)
    values, gone = of_entries([(words, None)], clock)
    codes = codes[codes >= 0]
    return values[codes[~gone[codes]]]
