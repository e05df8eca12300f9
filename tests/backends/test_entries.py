"""The rule by which an entry of unknown type becomes a number, and the dialects of text."""

from __future__ import annotations

import array
import datetime
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import (
    ParameterError,
    ParameterTypeError,
)
from leastnoise.frames import open_table
from leastnoise.frames.readers.values import LONGEST, Dialect, to_floats
from leastnoise.testing import simulate
from support.fronts import SECRET, entries, same
from support.optional import optional

# ---------------------------------------------------------------------------------------------
# The row rule.

RULE: list[tuple[object, float]] = [
    (3, 3.0),
    (True, 1.0),
    (2.5, 2.5),
    (Decimal("0.1"), 0.1),
    (Decimal("1e400"), math.inf),
    (Decimal("sNaN"), math.nan),
    (Fraction(1, 3), 1 / 3),
    (Fraction(-(10**400)), -math.inf),
    (Fraction(10**400, 10**399), 10.0),
    (10**400, math.inf),
    (-(10**400), -math.inf),
    (np.float32(0.1), float(np.float32(0.1))),
    (np.float64(0.1), 0.1),
    (np.longdouble("0.5"), 0.5),
    (np.uint64(2**64 - 1), 2.0**64),
    (np.bool_(True), 1.0),
    (np.array(2.5), 2.5),
    ("1.5", 1.5),
    (np.str_("1.5"), 1.5),
    (" \t1.5\n", 1.5),
    ("\u00a01.5\u2003", 1.5),
    ("+.5e1", 5.0),
    ("1e400", math.inf),
    ("-1e400", -math.inf),
    ("inf", math.inf),
    ("-Infinity", -math.inf),
    ("nan", math.nan),
    ("", math.nan),
    ("  ", math.nan),
    ("1_000", math.nan),
    ("1,5", math.nan),
    ("0x10", math.nan),
    ("٣", math.nan),
    ("1 2", math.nan),
    ("1\x00", math.nan),
    ("\ud800", math.nan),
    ("1" + "0" * LONGEST, math.nan),
    ("True", 1.0),  # as frames write booleans to text files
    ("false", 0.0),
    ("yes", math.nan),
    (None, math.nan),
    (math.nan, math.nan),
    (b"1.5", math.nan),
    (bytearray(b"1.5"), math.nan),
    (array.array("b", b"12"), math.nan),
    (1j, math.nan),
    (np.complex128(1), math.nan),
    (np.datetime64("2024-01-01"), math.nan),
    (np.datetime64("NaT"), math.nan),
    (np.timedelta64(5, "s"), math.nan),
    (np.bytes_(b"1"), math.nan),
    (np.array([2.5]), math.nan),
    (np.array("1.5"), math.nan),
    (datetime.datetime(2024, 1, 1), math.nan),
    (datetime.timedelta(1), math.nan),
    ([1.0], math.nan),
    ((1.0, 2.0), math.nan),
    ({}, math.nan),
    (object(), math.nan),
    (int, math.nan),
]


@pytest.mark.parametrize("item", RULE, ids=range(len(RULE)))
def test_each_entry_is_read_by_the_rule(item: tuple[object, float]) -> None:
    entry, expected = item
    assert same(Dialect().entry(entry), expected)
    for rows in ([entry], [entry, entry], [1.0, entry], ["2", entry], [None, entry, 3]):
        values = to_floats(rows, Dialect())
        assert same(float(values[1 if len(rows) > 1 else 0]), expected)


def test_pandas_missing_values_are_missing() -> None:
    pd = optional("pandas")
    column = open_table(pd.Series([pd.NA, pd.NaT, None, "2", 3.5], dtype=object)).column(None)
    assert entries(column) == [None, None, None, 2.0, 3.5]


class Raises:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __float__(self) -> float:
        raise self.error


class Hash(type):
    def __hash__(cls) -> int:
        raise RuntimeError("no hash")

    def __getattr__(cls, name: str) -> Any:
        raise RuntimeError("no attribute")


class Unhashable(metaclass=Hash):
    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Text(str):
    def strip(self, *args: Any) -> str:
        raise RuntimeError("no strip")

    def __len__(self) -> int:
        raise RuntimeError("no length")


class Huge(int):
    def __gt__(self, other: int) -> bool:
        raise RuntimeError("no comparison")


class Wrong:
    def __float__(self) -> str:
        return "1.5"


class Pretends(type):
    """A class that says of itself that it is float."""

    def __hash__(cls) -> int:
        return hash(float)

    def __eq__(cls, other: object) -> bool:
        return True


class Passing(metaclass=Pretends):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: int) -> float:
        if place < 2:
            return 1.0
        raise IndexError


class Index:
    def __index__(self) -> int:
        return 7


HOSTILE: list[tuple[object, float]] = [
    (Raises(ValueError()), math.nan),
    (Raises(OverflowError()), math.nan),
    (Raises(RecursionError()), math.nan),
    (Raises(MemoryError()), math.nan),
    (Raises(SystemExit()), math.nan),
    (Raises(GeneratorExit()), math.nan),
    (Raises(KeyboardInterrupt()), math.nan),
    (Raises(ReferenceError()), math.nan),
    (Passing(), math.nan),
    (Unhashable(), math.nan),
    (Text("1.5"), 1.5),
    (Huge(10**400), math.nan),
    (Huge(5), 5.0),
    (Wrong(), math.nan),
    (Index(), 7.0),
]


@pytest.mark.parametrize("item", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("shape", ["list", "tuple", "dict", "object array", "pandas"])
def test_hostile_objects_never_raise(item: tuple[object, float], shape: str) -> None:
    entry, expected = item
    rows = [1.0, entry, "2"]
    data: Any = rows
    if shape == "tuple":
        data = tuple(rows)
    elif shape == "dict":
        data = {"v": rows}
    elif shape in ("object array", "pandas"):
        data = np.empty(3, dtype=object)
        for i, value in enumerate(rows):
            data[i] = value
        if shape == "pandas":
            data = optional("pandas").Series(data)
    table = open_table(data)
    values = table.column("v" if shape == "dict" else None).values
    assert values[0] == 1.0
    assert same(float(values[1]), expected)
    assert values[2] == 2.0


def reference(item: object) -> float:
    """The rule, written again from its description."""
    if isinstance(item, str):
        text = item.strip()
        if len(item) > LONGEST or "_" in text or any(ord(c) > 127 for c in text):
            return math.nan
        try:
            return float(text)
        except ValueError:
            return {"true": 1.0, "false": 0.0}.get(text.lower(), math.nan)
    if isinstance(item, (int, Fraction)):
        try:
            return float(item)
        except OverflowError:
            return math.inf if item > 0 else -math.inf
    if isinstance(item, Decimal):
        return math.nan if item.is_nan() else float(item)
    if isinstance(item, (float, np.floating, np.integer)) and not isinstance(item, np.timedelta64):
        return float(item)
    return math.nan


number_text = st.one_of(
    st.from_regex(r"[ ]?[+-]?[0-9_]{0,4}[.,]?[0-9]{0,3}(e[+-]?[0-9]{1,3})?[ ]?", fullmatch=True),
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(["", "nan", "inf", "-Infinity", "n/a", "1e999", "۱۲", "\x1f1", "1\u2003"]),
)
kinds: list[st.SearchStrategy[Any]] = [
    st.floats(),
    st.integers(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.booleans(),
    st.none(),
    number_text,
    st.text(max_size=8),
    st.decimals(),
    st.fractions(),
    st.floats(width=32).map(np.float32),
    st.floats().map(np.float64),
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.integers(0, 10**6).map(lambda k: np.timedelta64(k, "s")),
    st.binary(max_size=4),
    st.complex_numbers(),
    st.datetimes(),
    st.lists(st.floats(), max_size=2),
    st.builds(object),
    st.builds(Raises, st.builds(ValueError)),
]


@st.composite
def rows_of_few_kinds(draw: st.DrawFn) -> list[Any]:
    """Lists of one to three kinds, so that the fast conversions are reached, and left."""
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    return draw(st.lists(st.one_of(chosen), max_size=20))


@settings(max_examples=600, deadline=None)
@given(rows=rows_of_few_kinds())
def test_a_list_is_read_entry_by_entry(rows: list[Any]) -> None:
    values = open_table(rows).column(None).values
    assert values.dtype == np.float64
    expected = [reference(item) for item in rows]
    assert all(same(a, b) for a, b in zip(values.tolist(), expected, strict=True))
    boxed = np.empty(len(rows), dtype=object)
    for i, item in enumerate(rows):
        boxed[i] = item
    again = open_table(boxed).column(None).values
    assert all(same(a, b) for a, b in zip(again.tolist(), expected, strict=True))


@settings(max_examples=300, deadline=None)
@given(rows=st.lists(st.one_of(number_text, st.text(max_size=6)), max_size=30))
def test_many_texts_are_read_as_each(rows: list[str]) -> None:
    for dialect in (Dialect(), Dialect(","), Dialect(".", ","), Dialect(",", ".")):
        together = dialect.texts(rows).tolist()
        assert all(same(a, dialect.number(b)) for a, b in zip(together, rows, strict=True))


def test_blocks_are_read_by_themselves() -> None:
    rows: list[Any] = [float(i) for i in range(200_000)]
    rows[70_000], rows[140_000], rows[150_000] = "x", 10**400, "7"
    values = open_table(rows).column(None).values
    assert np.isnan(values[70_000])
    assert values[140_000] == math.inf
    assert values[150_000] == 7
    ordinary = np.delete(np.arange(200_000), [70_000, 140_000, 150_000])
    assert (values[ordinary] == ordinary).all()


# ---------------------------------------------------------------------------------------------
# Dialects.

DIALECTS: list[tuple[Dialect, str, float]] = [
    (Dialect(",", "."), "1.234,5", 1234.5),
    (Dialect(",", "."), "1,5", 1.5),
    (Dialect(",", "."), "1.5", math.nan),
    (Dialect(","), "1.5", math.nan),
    (Dialect(","), "-,5", -0.5),
    (Dialect(","), "1,", 1.0),
    (Dialect(","), ",", math.nan),
    (Dialect(","), "inf", math.inf),
    (Dialect(","), "1_0", math.nan),
    (Dialect(".", ","), "6,718", 6718.0),
    (Dialect(".", ","), "-12,345,678.9e1", -123456789.0),
    (Dialect(".", ","), "12,34,567", 1234567.0),  # Indian groups
    (Dialect(".", ","), "6718", 6718.0),
    (Dialect(".", ","), "1,5", math.nan),
    (Dialect(".", ","), "1,50", math.nan),
    (Dialect(".", ","), ",123", math.nan),
    (Dialect(".", ","), "1234,567", math.nan),
    (Dialect(".", ","), "1,234,", math.nan),
    (Dialect(".", ","), "1.234,567", math.nan),
    (Dialect(".", " "), "1 234", 1234.0),
    (Dialect(",", "\u202f"), "1\u202f234,5", 1234.5),
    (Dialect(".", "'"), "1'234", 1234.0),
    (Dialect(".", "_"), "1_234", 1234.0),
    (Dialect("·"), "1·5", 1.5),
]


@pytest.mark.parametrize(("dialect", "text", "expected"), DIALECTS)
def test_dialects(dialect: Dialect, text: str, expected: float, tmp_path: Path) -> None:
    assert same(dialect.number(text), expected)
    options: dict[str, Any] = {"decimal": dialect.decimal, "thousands": dialect.thousands}
    assert same(open_table([1.5, text], **options).column(None).values[1], expected)
    (tmp_path / "t.csv").write_text(f"v;w\n{text};1\n", encoding="utf-8")
    table = open_table(tmp_path / "t.csv", separator=";", **options)
    assert same(table.column("v").values[0], expected)


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"decimal": ""}, ParameterError, "decimal"),
        ({"decimal": "ab"}, ParameterError, "decimal"),
        ({"decimal": "1"}, ParameterError, "decimal"),
        ({"decimal": "e"}, ParameterError, "decimal"),
        ({"decimal": "-"}, ParameterError, "decimal"),
        ({"decimal": " "}, ParameterError, "decimal"),
        ({"decimal": None}, ParameterTypeError, "decimal"),
        ({"thousands": ""}, ParameterError, "thousands"),
        ({"thousands": "."}, ParameterError, "thousands"),
        ({"thousands": 1}, ParameterTypeError, "thousands"),
        ({"separator": ""}, ParameterError, "separator"),
        ({"separator": ",,"}, ParameterError, "separator"),
        ({"separator": '"'}, ParameterError, "separator"),
        ({"separator": "\n"}, ParameterError, "separator"),
        ({"separator": 1}, ParameterTypeError, "separator"),
        ({"encoding": "klingon"}, ParameterError, "encoding"),
        ({"encoding": "hex"}, ParameterError, "encoding"),
        ({"encoding": "idna"}, ParameterError, "encoding"),
        ({"encoding": "unicode_escape"}, ParameterError, "encoding"),
        ({"encoding": "a\0b"}, ParameterError, "encoding"),
        ({"encoding": None}, ParameterTypeError, "encoding"),
        ({"header": "no"}, ParameterTypeError, "header"),
        ({"header": None}, ParameterTypeError, "header"),
    ],
)
def test_parameters_are_refused_by_name(
    options: dict[str, Any], error: type[Exception], named: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(f"v,w\n{SECRET},1\n")
    with pytest.raises(error, match=named) as caught:
        open_table(tmp_path / "t.csv", **options)
    assert str(SECRET) not in str(caught.value)


def test_a_separator_is_for_text_files() -> None:
    with pytest.raises(ParameterError, match="separator"):
        open_table([1, 2], separator=";")


@pytest.mark.parametrize("shape", ["list", "numpy", "objects"])
def test_half_a_pair_is_a_replacement_character(shape: str, tmp_path: Path) -> None:
    """What UTF-8 cannot hold is released and written like any other key."""
    rows = ["\ud800", "a", "\ufffd", "b\udfff"] * 300
    held: Any = {
        "list": rows,
        "numpy": np.array(rows),
        "objects": np.array([*rows, None], dtype=object),
    }[shape]
    with simulate(1), ln.open({"k": held}, relation="add-remove") as data:
        keys = data.release(ln.PrivateKeys("k", delta="1e-6"), epsilon=10)
        assert list(keys.value) == ["a", "b\ufffd", "\ufffd"]
        table = data.group_by({"k": keys.value}).release(ln.Count(), epsilon=10**6)
        assert [table[key].value for key in keys.value] == [300, 300, 600]
        table.to_csv(tmp_path / "t.csv")
        assert data.where(ln.col("k") == "\ufffd").release(ln.Count(), epsilon=10**6).value == 600
