"""All that a value can be, from public knowledge: so a CASE brings its own keys."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from leastnoise.frames.contract import STANDARD
from leastnoise.sql.forms import NOTHING
from leastnoise.summaries.expressions import (
    Bands,
    Choice,
    Entry,
    Joined,
    Lookup,
    Slice,
    Text,
    TextChoice,
    TextEntry,
    TextLookup,
    Value,
)

if TYPE_CHECKING:
    from leastnoise.sql.schema import Schema

_MOST_RESULTS = 1000


def results(value: Value, schema: Schema) -> tuple[Any, ...] | None:
    """All that a value can be, in the order in which it is written; None if that is not known."""
    match value:
        case Entry(column) | TextEntry(column):
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
        case Bands(values=numbers):
            return tuple(sorted({number for number in numbers if number is not None})) or None
        case TextChoice(branches, otherwise) | Choice(branches, otherwise):
            found: list[Any] = []
            for one in (*(chosen for _, chosen in branches), otherwise):
                if one in (NOTHING, Text(None)):
                    continue
                inner = results(one, schema)
                if inner is None:
                    return None
                found += [each for each in inner if each not in found]
            return tuple(found) or None
        case Text(constant):
            return None if constant is None else (constant,)
        case TextLookup(values=texts):
            return tuple(dict.fromkeys(text for text in texts if text is not None)) or None
        case Lookup(values=numbers):
            return tuple(plain(x) for x in dict.fromkeys(numbers) if x is not None) or None
        case _:
            constant = getattr(value, "value", None)
            return None if constant is None else (plain(constant),)


def _read(texts: Iterable[str]) -> tuple[str, ...] | None:
    """Texts as they are read: without blanks around them, none missing, none twice."""
    read = dict.fromkeys(text.strip() for text in texts)
    return tuple(text for text in read if text not in ("", *STANDARD)) or None


def plain(number: Fraction) -> int | float:
    """A number as it is written."""
    return number.numerator if number.denominator == 1 else float(number)
