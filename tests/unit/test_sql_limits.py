"""Limits of computed values hold every value inside the limits of columns, and little else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from leastnoise.sql.forms import FUNCTIONS, extreme
from leastnoise.sql.limits import interval
from leastnoise.sql.schema import ColumnFacts
from leastnoise.summaries import expressions as ex
from leastnoise.summaries.predicates import Compare
from support.expressions import value_of

X, Y = ex.Entry("x"), ex.Entry("y")
LIMITS = {"x": (Fraction(-3), Fraction(2)), "y": (Fraction(1), Fraction(4))}


def facts(name: str) -> ColumnFacts:
    return ColumnFacts(LIMITS[name])


def grid(name: str) -> list[float]:
    low, high = LIMITS[name]
    return [float(low + Fraction(i, 4)) for i in range(int(4 * (high - low)) + 1)]


def number(value: Fraction | int) -> ex.Number:
    return ex.Number(Fraction(value))


def choice(draw: random.Random, depth: int) -> ex.Numeric:
    branches = tuple(
        (truth(draw, depth - 1), value(draw, depth - 1)) for _ in range(draw.randrange(1, 4))
    )
    return ex.Choice(branches, draw.choice([X, Y, value(draw, depth - 1)]))


def value(draw: random.Random, depth: int) -> ex.Numeric:
    if depth == 0:
        return draw.choice([X, Y, number(draw.randrange(-3, 5)), number(Fraction(1, 2))])
    inner = value(draw, depth - 1)
    match draw.randrange(6):
        case 0:
            operation: ex.Operation = draw.choice(["+", "-", "*", "/"])
            return ex.Arithmetic(operation, inner, value(draw, depth - 1))
        case 1:
            return draw.choice([*FUNCTIONS.values()])(inner)
        case 2:
            others = [value(draw, depth - 1) for _ in range(draw.randrange(1, 3))]
            sign: ex.Sign = draw.choice(["<", ">"])
            return extreme(sign, [inner, *others])
        case _:
            return choice(draw, depth)


def truth(draw: random.Random, depth: int) -> ex.Truth:
    constant = Fraction(draw.randrange(-4, 6), draw.choice([1, 2]))
    sign: ex.Sign = draw.choice(["==", "!=", "<", "<=", ">", ">="])
    match draw.randrange(6 if depth > 0 else 3):
        case 0:
            return ex.Holds(Compare(draw.choice(["x", "y"]), sign, constant))
        case 1 | 2:
            return ex.Compared(sign, draw.choice([X, Y]), ex.Number(constant))
        case 3:
            return ex.Negation(truth(draw, depth - 1))
        case 4:
            return ex.Both(truth(draw, depth - 1), truth(draw, depth - 1))
        case _:
            return ex.Compared(sign, value(draw, depth - 1), ex.Number(constant))


def found(of: ex.Numeric) -> Iterator[float]:
    for x, y in product(grid("x"), grid("y")):
        got = value_of(of, {"x": x, "y": y})
        if got is not None:
            yield got


@pytest.mark.parametrize("seed", range(2))
def test_every_value_inside_limits_lies_in_its_own(seed: int) -> None:
    draw, known = random.Random(seed), 0
    for _ in range(50):
        of = value(draw, draw.randrange(1, 4))
        limits = interval(of, facts)
        if limits is None:
            continue
        low, high = map(float, limits)
        spare = 1e-9 * max(1.0, abs(low), abs(high))
        known += 1
        for got in found(of):
            assert low - spare <= got <= high + spare, of
    assert known > 25


def clamped(column: ex.Entry, low: int, high: int, *others: int) -> ex.Numeric:
    """CASE WHEN x < low THEN low WHEN x > high THEN high WHEN x = other THEN low ... ELSE x END."""
    given = ex.Compared("<", column, number(low)), ex.Compared(">", column, number(high))
    same = ((ex.Compared("==", column, number(one)), number(low)) for one in others)
    ends = zip(given, (number(low), number(high)), strict=True)
    return ex.Choice((*ends, *same), column)


TIGHT = {
    **{f"{name} of x": of(X) for name, of in FUNCTIONS.items()},
    **{f"{name} of y": of(Y) for name, of in FUNCTIONS.items() if name != "Sign"},
    "least": extreme("<", [X, number(1)]),
    "least of three": extreme("<", [X, Y, number(0)]),
    "greatest": extreme(">", [X, number(0)]),
    "both": extreme("<", [extreme(">", [X, number(-1)]), number(1)]),
    "clamped": clamped(X, -1, 1),
    "clamped, with others": clamped(Y, 2, 3, 2),
    "turned": ex.Arithmetic("-", number(0), clamped(X, -2, 1)),
    "days": ex.Arithmetic("-", Y, X),
}


@pytest.mark.parametrize("name", TIGHT)
def test_no_limit_is_wider_than_what_values_reach(name: str) -> None:
    of = TIGHT[name]
    got = [*found(of)]
    assert interval(of, facts) == pytest.approx((min(got), max(got)))
