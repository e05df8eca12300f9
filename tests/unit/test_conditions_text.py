"""Conditions written as text: the same conditions as in Python, and nothing else is taken."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise import col
from leastnoise.errors import LeastNoiseError, ParameterError, ParameterTypeError
from leastnoise.plans import parse_condition
from leastnoise.plans.conditions import LONGEST, MOST_PARTS, written
from leastnoise.summaries.predicates import Not

GOOD: list[tuple[str, Any]] = [
    ("age >= 18", col("age") >= 18),
    ("18 <= age", col("age") >= 18),
    ("18 <= age < 65", (col("age") >= 18) & (col("age") < 65)),
    ("age == 1 and pay != 2", (col("age") == 1) & (col("pay") != 2)),
    ("age > -1.5 or not pay < +2", (col("age") > -1.5) | Not(col("pay") < 2)),
    ('state in ["N", "S"]', col("state").is_in(["N", "S"])),
    ('state not in ("N",)', Not(col("state").is_in(["N"]))),
    ("`home state` == 'N`S'", col("home state") == "N`S"),
    ('`a"b` == "x and y"', col('a"b') == "x and y"),
    ("is_missing(age)", col("age").is_missing()),
    ("not is_missing(`my age`)", Not(col("my age").is_missing())),
    ("between(age, 1, 3)", col("age").between(1, 3)),
    ("(a == 1) & ~(b.is_in([1, 2])) | c.is_missing()",
     ((col("a") == 1) & Not(col("b").is_in([1, 2]))) | col("c").is_missing()),
    ('ln.col("x y").between(0.1, 2) and col("z") < 3',
     col("x y").between(0.1, 2) & (col("z") < 3)),
    ("größe > 1 and\n  alter < 2", (col("größe") > 1) & (col("alter") < 2)),
    ("member == True", col("member") == 1),
    ("a == 0.1", col("a") == 0.1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), GOOD, ids=[text for text, _ in GOOD])
def test_text_is_the_condition_that_python_writes(text: str, expected: Any) -> None:
    assert str(parse_condition(text)) == str(expected)
    assert parse_condition(text) == expected


@pytest.mark.parametrize("condition", [c for _, c in GOOD], ids=str)
def test_a_condition_is_written_as_text(condition: Any) -> None:
    assert parse_condition(written(condition)) == condition


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (col("pay") != -999, "pay != -999"),
        (~col("a b").is_missing(), "not is_missing(`a b`)"),
        (~col("in").is_in(["it's", 'a "b"']), """`in` not in ["it's", 'a "b"']"""),
        ((col("x") == 0.5) & ((col("y") != "a") | col("y").is_missing()),
         "x == 0.5 and (y != 'a' or is_missing(y))"),
        (col("a`b") == 1, "col('a`b') == 1"),
        (col("d") < date(2024, 1, 31), "d < date('2024-01-31')"),
    ],
)  # fmt: skip
def test_a_condition_is_written_in_the_words_of_text(condition: Any, text: str) -> None:
    assert written(condition) == text
    assert parse_condition(text) == condition


def test_what_a_condition_prints_is_read_again() -> None:
    for text, _ in GOOD:
        if "`" not in text:
            assert parse_condition(str(parse_condition(text))) == parse_condition(text)


BAD: list[tuple[Any, str]] = [
    ("", "must not be blank"),
    (3, "must be text, not int"),
    ("age", "age is not a condition"),
    ("age = 1", "use == for equality"),
    ("hours-per-week >= 3", "hours - per - week is not a column.*backticks"),
    ('age >= "x"', "no order here"),
    ('"a" == "b"', "compares two constants.*without quotes"),
    ("1 < 2", "compares two constants"),
    ("a == b", "b is not a constant.*put text in quotes"),
    ("state == N", "N is not a constant"),
    ('a in "N"', r"'N' is not a list.*\['N', 'S'\]"),
    ("a in b", "b is not a list"),
    ("a is None", "is_missing"),
    ("a == None", "None is not a constant"),
    ("age >= 18 AND pay < 2", "not well formed.*small letters"),
    ("age >= 18 && pay < 2", "not well formed.*write and for &&"),
    ("age BETWEEN 1 AND 2", "not well formed.*small letters"),
    ("age between 1 and 2", "not well formed.*age >= 18 and age <= 65"),
    ("age <> 2", "not well formed.*write != for <>"),
    ("town IN ['OR', 'N']", "not well formed.*for IN"),
    ("(age >= 18", "not well formed"),
    ("age >= 18)", "not well formed"),
    ("a; b", "not well formed"),
    ("lambda: 1", "not a condition"),
    ("f'{a}' == 1", "is not a column"),
    ("a == b'x'", "not a constant"),
    ("a == 1j", "not a constant"),
    ("a == 1e999", "finite number"),
    ("a + 1 > 2", "a . 1 is not a column"),
    ("a.b == 1", "a.b is not a column"),
    ("[x for x in y] == 1", "is not a column"),
    ("a == 1 if b else c", "not a condition"),
    ("(x := 3)", "not a condition"),
    ("a < (b < 3)", "not a constant"),
    ("between(a, 3, 1)", "low <= high"),
    ("a in []", "at least one"),
    ('a in ["N", 1]', "all text or all numbers"),
    ("__import__('os').system('true')", "not a condition"),
    ("open('x') == 1", "is not a column"),
    ("a.is_in([1], x=2)", "not a condition"),
    ("\0", "not well formed|ends too early|zero byte"),
    ("a == 1" + " " * LONGEST, f"at most {LONGEST} characters"),
    (" or ".join(["a == 1"] * (MOST_PARTS + 1)), f"at most {MOST_PARTS} comparisons"),
    ("not " * (MOST_PARTS + 1) + "a == 1", f"at most {MOST_PARTS} comparisons"),
    ("(" * 300 + "a == 1" + ")" * 300, "nested too deeply|not well formed"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[str(text)[:30] for text, _ in BAD])
def test_everything_else_is_refused_with_the_cure(text: Any, message: str) -> None:
    with pytest.raises((ParameterError, ParameterTypeError), match=message) as caught:
        parse_condition(text)
    assert caught.value.__cause__ is None


@given(st.text(st.sampled_from("ab1 .,()[]'\"`=<>!&|~\n\0andornti"), max_size=30))
def test_no_text_does_anything_but_parse_or_fail(text: str) -> None:
    with suppress(LeastNoiseError):
        parse_condition(text)
