"""What is written short, written out in the few operations that every back end knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from leastnoise.summaries.expressions import (
    Absent,
    Arithmetic,
    Both,
    Choice,
    Compared,
    Either,
    Floor,
    Holds,
    Joined,
    Length,
    Matches,
    Negation,
    Node,
    Number,
    Numeric,
    Sign,
    Slice,
    Text,
    TextChoice,
    TextEntry,
    TextLookup,
    Textual,
    Truth,
    parts,
)
from leastnoise.summaries.predicates import Compare, IsIn, IsMissing, Predicate, col

ONE, ZERO, NOTHING = Number(Fraction(1)), Number(Fraction(0)), Number(None)
YES, NO = Number(Fraction(1), truth=True), Number(Fraction(0), truth=True)
TRUE = Compared("==", ONE, ONE)
_HALF = Number(Fraction(1, 2))
# Whole numbers up to here are divided exactly: the quotient of two is not rounded up to the next.
_WIDEST = Number(Fraction(2**50))


def held(predicate: Predicate) -> Truth:
    """A condition that ``leastnoise.col`` made."""
    if not isinstance(predicate, (Compare, IsIn, IsMissing)):
        raise TypeError("a comparison of one column is expected")
    return Holds(predicate)


def as_number(condition: Truth) -> Numeric:
    """1 where it is true, 0 where it is false, missing where it is unknown."""
    return Choice(((condition, YES), (Negation(condition), NO)), NOTHING)


def any_of(conditions: Sequence[Truth]) -> Truth:
    """True where one of them is."""
    return joined(Either, conditions)


def joined(by: Callable[[Truth, Truth], Truth], conditions: Sequence[Truth]) -> Truth:
    """Conditions that are all joined by AND, or by OR; many of them in halves, which is flatter."""
    if len(conditions) > _MOST_IN_A_ROW:
        middle = len(conditions) // 2
        return by(joined(by, conditions[:middle]), joined(by, conditions[middle:]))
    first, *others = conditions
    for other in others:
        first = by(first, other)
    return first


_MOST_IN_A_ROW = 64


def text_is(value: Textual, texts: Sequence[str]) -> Truth:
    """Whether a text is one of some."""
    match value:
        case TextEntry(column, ()) if len(texts) == 1:
            return held(col(column) == texts[0])
        case TextEntry(column, ()):
            return held(col(column).is_in(list(texts)))
        case TextEntry(column):  # what is a key is another one than the rest
            met = held(col(column).is_in(list(texts)))
            return Compared("==", Choice(((met, ONE), (text_missing(value), NOTHING)), ZERO), ONE)
        case Text(None):
            return Compared("==", NOTHING, ONE)
        case Text(constant):
            return TRUE if constant in texts else Negation(TRUE)
        case Slice() | Joined():
            return any_of([Matches("is", value, text) for text in texts])
        case TextChoice(branches, otherwise):
            chosen = tuple((when, as_number(text_is(text, texts))) for when, text in branches)
            return Compared("==", Choice(chosen, as_number(text_is(otherwise, texts))), ONE)
        case TextLookup():
            inside = [_of_keys(value, lambda v, w=w: (v in texts) == w) for w in (True, False)]
            sides = zip(inside, (ONE, ZERO), strict=True)
            chosen = tuple((held_in, one) for held_in, one in sides if held_in is not None)
            return Compared("==", Choice(chosen, NOTHING), ONE)


def _of_keys(value: TextLookup, wanted: Callable[[str], bool]) -> Truth | None:
    """Whether a row finds a text that is wanted; None where no key has one."""
    pairs = zip(value.keys, value.values, strict=True)
    keys = tuple(key for key, text in pairs if text is not None and wanted(text))
    return Holds(IsIn(value.column, keys)) if keys else None


def text_missing(value: Textual) -> Truth:
    """Whether a text is missing."""
    match value:
        case TextEntry(column, ()):
            return Holds(IsMissing(column))
        case Text(constant):
            return TRUE if constant is None else Negation(TRUE)
        case Slice() | Joined() | TextEntry():
            return Absent(Length(value))
        case TextChoice(branches, otherwise):
            chosen = tuple((when, as_number(text_missing(text))) for when, text in branches)
            return Compared("==", Choice(chosen, as_number(text_missing(otherwise))), ONE)
        case TextLookup():
            found = _of_keys(value, lambda _: True)
            return Absent(Choice(() if found is None else ((found, ONE),), NOTHING))


def extreme(sign: Sign, values: Sequence[Numeric]) -> Numeric:
    """The largest or smallest value that is not missing: the first that no other exceeds."""
    *firsts, last = values
    branches: list[tuple[Truth, Numeric]] = []
    for i, one in enumerate(firsts):
        condition = TRUE
        for other in (*firsts[:i], *firsts[i + 1 :], last):
            met: Truth = Compared(sign, one, other)
            if not isinstance(other, Number) or other.value is None:
                met = Either(met, Absent(other))
            condition = met if condition == TRUE else Both(condition, met)
        branches.append((condition, one))
    return Choice(tuple(branches), last) if branches else last


def remainder(one: Numeric, other: Numeric) -> Numeric:
    """What a division of whole numbers leaves, with the sign of the first; else missing."""
    whole = Both(_is_whole(one), _is_whole(other))
    quotient = FUNCTIONS["Trunc"](Arithmetic("/", one, other))
    left = Arithmetic("-", one, Arithmetic("*", other, quotient))
    return Choice(((whole, left),), NOTHING)


def _is_whole(value: Numeric) -> Truth:
    inside = Compared("<=", FUNCTIONS["Abs"](value), _WIDEST)
    return Both(inside, Compared("==", Floor(value), value))


def _absolute(value: Numeric) -> Numeric:
    return Choice(((Compared("<", value, ZERO), Arithmetic("-", ZERO, value)),), value)


def _sign(value: Numeric) -> Numeric:
    below, above = Compared("<", value, ZERO), Compared(">", value, ZERO)
    return Choice(((below, Number(Fraction(-1))), (above, ONE), (Absent(value), NOTHING)), ZERO)


def _ceiling(value: Numeric) -> Numeric:
    return Arithmetic("-", ZERO, Floor(Arithmetic("-", ZERO, value)))


def _truncated(value: Numeric) -> Numeric:
    return Choice(((Compared("<", value, ZERO), _ceiling(value)),), Floor(value))


def _rounded(value: Numeric) -> Numeric:
    """To the nearest whole number, halves away from zero; the distance to the floor is exact."""
    floor = Floor(value)
    past, above = Arithmetic("-", value, floor), Arithmetic("+", floor, ONE)
    below = Both(Compared("<", value, ZERO), Compared(">", past, _HALF))
    upper = Both(Compared(">=", value, ZERO), Compared(">=", past, _HALF))
    return Choice(((Either(below, upper), above),), floor)


FUNCTIONS: dict[str, Callable[[Numeric], Numeric]] = {
    "Abs": _absolute,
    "Sign": _sign,
    "Floor": Floor,
    "Ceil": _ceiling,
    "Trunc": _truncated,
    "Round": _rounded,
}


def size(node: Node, most: int = 1 << 30) -> int:
    """How many operations a tree has, written out."""
    known: dict[int, int] = {}

    def count(node: Node) -> int:
        if id(node) not in known:
            known[id(node)] = 1 + sum(map(count, parts(node)))
        return known[id(node)]

    return count(node)


DEEPEST = 150
"""Levels of one value: what every back end can follow, however deep the caller's own calls are."""
TOO_DEEP = (
    f"this has more than {DEEPEST} operations one inside the other: write column IN (...) for a "
    "list, or divide what is joined into halves in brackets"
)


def depth(node: Node) -> int:
    """How many operations of a tree are one inside the other."""
    known: dict[int, int] = {}
    waiting = [node]
    while waiting:
        one = waiting[-1]
        inner = [part for part in parts(one) if id(part) not in known]
        if inner:
            waiting += inner
            continue
        known[id(one)] = 1 + max((known[id(part)] for part in parts(one)), default=0)
        waiting.pop()
    return known[id(node)]
