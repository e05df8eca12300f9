"""Conditions against a reference that judges one row at a time, with the three values of SQL."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.frames.memory.comparisons import compare, equal_places
from leastnoise.frames.memory.conditions import kept_rows
from leastnoise.frames.memory.labels import equal_codes
from leastnoise.summaries.predicates import (
    And,
    Compare,
    IsIn,
    IsMissing,
    Leaf,
    Not,
    Or,
    Predicate,
)
from support.optional import optional

TEXTS: list[Any] = ["a", " a", "b", "", "  ", None, "1"]
NUMBERS: list[Any] = [0, 1, -1, 2, None]
COMPARISONS: dict[str, Any] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def judged(predicate: Predicate, row: dict[str, Any]) -> bool | None:
    """True, False or None (unknown): Kleene's tables written out."""
    match predicate:
        case Not(inner):
            found = judged(inner, row)
            return None if found is None else not found
        case And(left, right):
            found = [judged(left, row), judged(right, row)]
            return False if False in found else (None if None in found else True)
        case Or(left, right):
            found = [judged(left, row), judged(right, row)]
            return True if True in found else (None if None in found else False)
        case IsMissing(column):
            return entry(row, column) is None
        case IsIn(column, values):
            here = entry(row, column)
            return None if here is None else here in values
        case Compare(column, operator, value):
            here = entry(row, column)
            return None if here is None else COMPARISONS[operator](here, value)


def entry(row: dict[str, Any], column: str) -> Any:
    value = row[column]
    return (value.strip() or None) if isinstance(value, str) else value


def leaf() -> st.SearchStrategy[Leaf]:
    text, number = st.sampled_from(["a", "b", "c", "1"]), st.integers(-2, 3).map(Fraction)
    half = st.sampled_from([Fraction(1, 2), Fraction(-3, 2)])
    return st.one_of(
        st.builds(Compare, st.just("t"), st.sampled_from(["==", "!="]), text),
        st.builds(Compare, st.just("n"), st.sampled_from(sorted(COMPARISONS)), number | half),
        st.builds(IsIn, st.just("t"), st.lists(text, min_size=1, max_size=3).map(tuple)),
        st.builds(IsIn, st.just("n"), st.lists(number | half, min_size=1, max_size=3).map(tuple)),
        st.builds(IsMissing, st.sampled_from(["t", "n"])),
    )


CONDITIONS: st.SearchStrategy[Any] = st.recursive(
    leaf(),
    lambda inner: st.one_of(
        st.builds(Not, inner), st.builds(And, inner, inner), st.builds(Or, inner, inner)
    ),
    max_leaves=6,
)
ROWS = st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(NUMBERS)), max_size=8)


@settings(max_examples=150)
@given(CONDITIONS, ROWS)
def test_every_row_is_judged_by_itself(condition: Any, rows: list[tuple[Any, Any]]) -> None:
    expected = [judged(condition, {"t": t, "n": n}) is True for t, n in rows]
    for missing in (None, float("nan")):
        numbers = [missing if n is None else n for _, n in rows]
        table = open_table({"t": [t for t, _ in rows], "n": numbers})
        assert kept_rows(table, condition).tolist() == expected
    typed = np.ma.array([n or 0 for _, n in rows], mask=[n is None for _, n in rows], dtype=np.int8)
    table = open_table({"t": [t for t, _ in rows], "n": typed})
    assert kept_rows(table, condition).tolist() == expected
    assert eval(str(condition), {"col": ln.col, "Fraction": Fraction}) == condition


INTEGERS = ["int8", "uint8", "int16", "int32", "int64", "uint64", "bool"]


@settings(max_examples=100)
@given(
    st.sampled_from(INTEGERS),
    st.fractions(-(2**65), 2**65) | st.integers(-300, 300).map(Fraction),
    st.sampled_from(sorted(COMPARISONS)),
)
def test_integers_of_every_size_compare_exactly(
    dtype: str, constant: Fraction, operator: Any
) -> None:
    kind = np.dtype(dtype)
    least, most = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    near = {int(constant) + i for i in (-1, 0, 1)}
    numbers = sorted({least, most} | {n for n in near if least <= n <= most})
    values = np.array(numbers, dtype=kind)
    expected = [COMPARISONS[operator](int(n), constant) for n in numbers]
    assert compare(values, operator, constant).tolist() == expected


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_decimal_is_found_in_columns_of_floats(dtype: str) -> None:
    values = np.array([0.1, 0.2, 0.3, 1e30, np.nan], dtype=dtype)
    assert compare(values, "==", Fraction(1, 10)).tolist() == [True, False, False, False, False]
    assert compare(values, ">=", Fraction(2, 10)).tolist() == [False, True, True, True, False]
    assert compare(values, "<", Fraction(3, 10)).tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
def test_one_search_gives_what_comparisons_give(dtype: str) -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(0, 2 if dtype == "bool" else 100, 400).astype(dtype)
    numbers = [Fraction(n) for n in rng.permutation(60).tolist()]
    numbers += [Fraction(1, 2), Fraction(-7), Fraction(2**70), Fraction(1, 10)]
    expected = np.full(len(values), -1)
    for i, number in enumerate(numbers):
        expected[compare(values, "==", number)] = i
    assert equal_places(values, numbers).tolist() == expected.tolist()
    assert equal_places(values, [Fraction(2**70), Fraction(1, 3)]).tolist() == [-1] * 400


def test_many_keys_are_found_as_few_are() -> None:
    pl = optional("polars")
    texts = [f"key {i % 90}" for i in range(500)] + [None, " key 3 ", ""]
    numbers = [i % 90 for i in range(500)] + [None, 3, None]
    table = open_table(pl.DataFrame({"t": texts, "n": numbers}))
    keys, whole = [f"key {i}" for i in range(80)], [Fraction(i) for i in range(80)]
    expected = [i % 90 if i % 90 < 80 else -1 for i in range(500)] + [-2, 3, -2]
    assert equal_codes(table, "t", keys).tolist() == expected
    assert equal_codes(table, "n", whole).tolist() == expected
    few = [code if code < 10 else -1 for code in expected[:500]] + [-2, 3, -2]
    assert equal_codes(table, "t", keys[:10]).tolist() == few
    assert equal_codes(table, "n", whole[:10]).tolist() == few
