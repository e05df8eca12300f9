"""All that a value can be, from public knowledge: so a CASE brings its own keys."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from leastnoise.sql.forms import NOTHING
from leastnoise.sql.limits import parts_between
from leastnoise.summaries.expressions import (
    Calendar,
    Choice,
    Entry,
    Joined,
    Lookup,
    Number,
    Slice,
    Text,
    TextChoice,
    TextEntry,
    TextLookup,
    Value,
    Whole,
)

if TYPE_CHECKING:
    from leastnoise.sql.schema import Schema

_MOST_RESULTS = 1000


def results(value: Value, schema: Schema) -> tuple[Any, ...] | None:
    """All that a value can be, in the order in which it is written; None if that is not known."""
    match value:
        case Entry(column) | Whole(column) | TextEntry(column):
            return schema.facts(column).keys
        case Slice(of, start, length):
            whole = results(of, schema)
            if whole is None or not all(isinstance(text, str) for text in whole):
                return None
            end = None if length is None else start + length
            return _read(text[start:end] for text in whole)
        case Joined(texts):
            several = [results(text, schema) for text in texts]
            if any(each is None for each in several):
                return None
            if prod(len(each or ()) for each in several) > _MOST_RESULTS:
                return None
            return _read(map("".join, product(*(each or () for each in several))))
        case Calendar():
            return parts_between(value, schema.facts)
        case TextChoice(branches, otherwise) | Choice(branches, otherwise):
            found: list[Any] = []
            for one in (*(chosen for _, chosen in branches), otherwise):
                if one in (NOTHING, Text(None)):
                    continue
                inner = results(one, schema)
                if inner is None:
                    return None
                found += inner
            if not all(isinstance(each, bool) for each in found):  # true beside 2 is 1
                found = [int(each) if isinstance(each, bool) else each for each in found]
            return tuple(dict.fromkeys(found)) or None
        case Text(constant):
            return None if constant is None else (constant,)
        case TextLookup(values=texts):
            return tuple(dict.fromkeys(text for text in texts if text is not None)) or None
        case Lookup(values=numbers):
            return tuple(plain(x) for x in dict.fromkeys(numbers) if x is not None) or None
        case Number(Fraction() as constant, truth):
            return (bool(constant) if truth else plain(constant),)
        case _:
            return None


def _read(texts: Iterable[str]) -> tuple[str, ...] | None:
    """Texts as they are read: without blanks around them, none empty, none twice."""
    read = dict.fromkeys(text.strip() for text in texts)
    return tuple(text for text in read if text) or None


def plain(number: Fraction) -> int | float:
    """A number as it is written."""
    return number.numerator if number.denominator == 1 else float(number)
