"""What SQL's functions of a row are written out as, against what they mean."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import ceil, copysign, floor, fmod, trunc
from typing import get_args

import numpy as np
import pytest

from leastnoise.sql.forms import FUNCTIONS, ONE, as_number, extreme, remainder
from leastnoise.summaries import expressions as ex
from leastnoise.summaries.calendar import Part, part_of
from support.expressions import part_of_day, value_of

X, Y, Z = ex.Entry("a"), ex.Entry("b"), ex.Whole("c")
POINTS = [None, *(n / 4 for n in range(-14, 15))]
Meaning = Callable[[float], float]

MEANINGS: dict[str, Meaning] = {
    "Abs": abs,
    "Sign": lambda x: float((x > 0) - (x < 0)),
    "Floor": floor,
    "Ceil": ceil,
    "Trunc": trunc,
    "Round": lambda x: copysign(floor(abs(x) + 0.5), x),  # halves away from zero
}


def test_every_function_has_its_meaning() -> None:
    assert MEANINGS.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("name", MEANINGS)
def test_functions_of_a_number(name: str) -> None:
    for x in POINTS:
        wanted = None if x is None else MEANINGS[name](x)
        assert value_of(FUNCTIONS[name](X), {"a": x}) == wanted


@pytest.mark.parametrize("of", [1, 2, 3])
def test_the_greatest_and_the_least_leave_out_what_is_missing(of: int) -> None:
    columns = [X, Y, Z][:of]
    for row in product([None, -1.0, 0.0, 2.5], repeat=of):
        there = [each for each in row if each is not None]
        entries = dict(zip("abc", row, strict=False))
        assert value_of(extreme(">=", columns), entries) == max(there, default=None)
        assert value_of(extreme("<=", columns), entries) == min(there, default=None)


def test_remainders_have_the_sign_of_what_is_divided() -> None:
    for x, y in product([None, -7, -2.5, 0, 3, 8], [None, -3, 0, 2, 5]):
        whole = x is not None and y is not None and x == floor(x) and y != 0
        wanted = fmod(x or 0, y or 1) if whole else None
        assert value_of(remainder(X, Y), {"a": x, "b": y}) == wanted


def test_a_condition_as_a_number_is_missing_where_it_is_neither() -> None:
    above = as_number(ex.Compared(">", X, ONE))
    assert [value_of(above, {"a": x}) for x in (None, 0.0, 1.0, 2.0)] == [None, 0, 0, 1]
    either = as_number(ex.Either(ex.Compared(">", X, ONE), ex.Compared(">", Y, ONE)))
    found = [value_of(either, {"a": x, "b": y}) for x, y in product([None, 0.0, 2.0], repeat=2)]
    assert found == [None, None, 1, None, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("part", get_args(Part))
def test_parts_of_days_are_those_of_the_calendar(part: Part) -> None:
    """At the ends of years and of their Februaries, in every year of two cycles of 400."""
    for year in (-401, -1, 0, 1, 4, *range(1596, 2405)):
        start, march = (int(np.datetime64(12 * (year - 1970) + m, "M").astype("M8[D]").astype(int))
                        for m in (0, 2))  # fmt: skip
        for day in (start - 1, start, march - 2, march - 1, march):
            assert part_of(part, day) == part_of_day(part, day)
