"""Texts and numbers that stand for a missing entry: one rule in every front end."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.accounting import Ledger
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.frames import open_table
from leastnoise.frames.contract import STANDARD
from leastnoise.plans import load_plan
from leastnoise.testing import simulate
from support.optional import optional

EPSILON = 10**9
ENTRIES = ["5", "NA", "-999", " null ", "", "-999.0", "7", "abc"]


def text_file(folder: Path) -> Path:
    rows = "".join(f"{entry},x\n" for entry in ENTRIES)
    (folder / "t.csv").write_text(f"pay,other\n{rows}", encoding="utf-8")
    return folder / "t.csv"


def released(statistic: Any, data: object, where: Any = None, **options: Any) -> Any:
    with simulate(1):
        return ln.release(
            statistic, data, epsilon=EPSILON, relation="add-remove", where=where, **options
        ).value


def both_counts(data: object, **options: Any) -> tuple[int, int]:
    """How many entries a count reads as numbers, and how many rows are said not to be missing."""
    there = ~ln.col("pay").is_missing()
    return released(ln.Count("pay"), data, **options), released(ln.Count(), data, there, **options)


def fronts(folder: Path) -> list[tuple[str, Any]]:
    pd, pl, pa = (optional(name) for name in ("pandas", "polars", "pyarrow"))
    return [
        ("text file", text_file(folder)),
        ("list", {"pay": ENTRIES}),
        ("object array", {"pay": np.array(ENTRIES, object)}),
        ("pandas objects", pd.DataFrame({"pay": pd.Series(ENTRIES, dtype=object)})),
        ("polars objects", pl.DataFrame({"pay": pl.Series(ENTRIES, dtype=pl.Object)})),
        ("pandas text", pd.DataFrame({"pay": pd.array(ENTRIES, "string")})),
        ("polars text", pl.DataFrame({"pay": ENTRIES})),
        ("arrow text", pa.table({"pay": ENTRIES})),
        ("polars engine", pl.LazyFrame({"pay": ENTRIES})),
    ]


def test_na_of_r_is_missing_on_both_sides(tmp_path: Path) -> None:
    # "abc" is an entry, and no number
    for name, data in fronts(tmp_path)[:5]:
        assert both_counts(data) == (4, 5), name
    for name, data in fronts(tmp_path)[5:]:
        assert released(ln.Count(), data, ~ln.col("pay").is_missing()) == 5, name


@pytest.mark.parametrize(
    "given", [["NA", "null", -999], ["NA", "null", "-999"], ("null", "NA", -999.0)]
)
def test_numbers_may_stand_for_none_too(tmp_path: Path, given: Any) -> None:
    for name, data in fronts(tmp_path)[:5]:
        assert both_counts(data, missing_values=given) == (2, 3), name


@pytest.mark.parametrize("kind", ["int16", "int64", "uint64", "float32", "float64"])
def test_typed_columns_have_numbers_that_stand_for_none(tmp_path: Path, kind: str) -> None:
    pd, pl, pa, pq = (optional(n) for n in ("pandas", "polars", "pyarrow", "pyarrow.parquet"))
    array = np.array([5, 999, 7, 999], kind)
    pq.write_table(pa.table({"pay": array}), tmp_path / "t.parquet")
    frames: list[Any] = [
        {"pay": array},
        pd.DataFrame({"pay": array}),
        pd.DataFrame({"pay": pd.array(array, dtype=kind.capitalize().replace("Uint", "UInt"))}),
        pl.DataFrame({"pay": array}),
        pa.table({"pay": array}),
        tmp_path / "t.parquet",
    ]
    for data in frames:
        assert both_counts(data) == (4, 4)
        assert both_counts(data, missing_values=[999]) == (2, 2)
        assert both_counts(data, missing_values=["NA"]) == (4, 4)
        total = ln.Sum("pay", bounds=(0, 1000), missing="drop")
        assert released(total, data, missing_values=["999"]) == pytest.approx(12, abs=1e-3)
        table = open_table(data, missing_values=[999])
        assert table.column_type("pay").nullable
        with pytest.raises(ParameterError, match=r"missing_values=.*is_missing"):
            released(ln.Count(), data, ln.col("pay") == 999, missing_values=[999])
        with pytest.raises(ParameterError, match="missing_values="):
            released(ln.Histogram("pay", categories=[5, 999]), data, missing_values=[999])
    bare = ln.Sum(bounds=(0, 1000))
    assert released(bare, array, missing_values=[999]) == pytest.approx(12, abs=1e-3)
    matrix = np.array([[1, 999], [2, 3]])
    vector = ln.MeanVector(bounds=[(0, 10)] * 2)
    assert released(vector, matrix, missing_values=[999]) == pytest.approx([2, 3], abs=1e-3)


GERMAN = {"decimal": ",", "thousands": "."}
# Rows, and how many of them read as the same number.
WRITTEN: dict[str, tuple[dict[str, Any], list[tuple[str, int]]]] = {
    "plain": (
        {},
        [("-9.99", 2), ("inf", 2), ("true", 1), ("-9.990", 2), ("1000", 1), ("1e400", 2)],
    ),
    "german": (
        GERMAN,
        [("-9,99", 2), ("inf", 2), ("true", 1), ("-9,990", 2), ("1.000", 1), ("1e400", 2)],
    ),
    "blanks": (
        {"thousands": " "},
        [("-9.99", 1), ("-Infinity", 1), ("FALSE", 2), ("1 000", 2), ("1000.0", 2), ("0", 2)],
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_text_that_stands_for_none_does_so_on_both_sides(tmp_path: Path, name: str) -> None:
    options, written = WRITTEN[name]
    rows = [row for row, _ in written]
    lines = "".join(f"{row};x\n" for row in rows)
    (tmp_path / "t.csv").write_text(f"pay;other\n{lines}", encoding="utf-8")
    for row, same in written:
        left = (len(rows) - same,) * 2
        given = {**options, "missing_values": [row]}
        assert both_counts(tmp_path / "t.csv", separator=";", **given) == left, row
        assert both_counts({"pay": rows}, **given) == left, row


def test_numbers_among_objects_are_missing_by_what_they_are() -> None:
    """Python's text of a number may be another number in the declared signs, or a missing text."""
    entries = [1.5, Decimal("1.000"), Fraction(1, 2), np.float32(0.1), True, 7, Decimal("7.0"), 2.0]
    for given, gone in (
        (["1.5"], 0), (["1,5"], 1), ([1.5], 1), (["1.000"], 0), ([1000], 0), ([1], 2), (["1"], 2),
        (["1/2"], 0), ([Fraction(1, 2)], 1), (["True"], 2), ([7], 2), (["7"], 2), (["7.0"], 0),
    ):  # fmt: skip
        for order in (1, -1):
            data = {"pay": entries[::order]}
            counts = both_counts(data, missing_values=given, **GERMAN)
            assert counts == (8 - gone, 8 - gone), given
            distinct = released(ln.CountDistinct("pay"), data, missing_values=given, **GERMAN)
            assert distinct == 8 - gone, given
    # the text is missing and the number is not, in whatever order they come
    for order in (1, -1):
        mixed = {"pay": ["1.5", 1.5, "x"][::order]}
        assert released(ln.CountDistinct("pay"), mixed, missing_values=["1.5"], decimal=",") == 2
        keys = ln.PrivateKeys("pay", delta="1e-9")
        rows = {"pay": mixed["pay"] * 30}
        assert released(keys, rows, missing_values=["1.5"], decimal=",") == ["1.5", "x"]


def test_digits_of_decimals_are_missing_by_their_number() -> None:
    pa = optional("pyarrow")
    cents = pa.table({"pay": pa.array([Decimal(x) for x in ("1.23", "9.99", "9.99", "123")])})
    for given, rows, different in (
        ([9.99], 2, 2), (["9.99"], 2, 2), ([999], 4, 3), ([123], 3, 2), (["1.23"], 3, 2),
    ):  # fmt: skip
        assert both_counts(cents, missing_values=given) == (rows, rows)
        assert released(ln.CountDistinct("pay"), cents, missing_values=given) == different


def test_large_whole_numbers_in_text_stand_for_themselves_alone() -> None:
    whole = {"pay": np.array([2**53, 2**53 + 1, 2**60 + 1])}
    for given in (str(2**53 + 1), f"{2**60 + 1}.0", 2**53 + 1):
        assert both_counts(whole, missing_values=[given]) == (2, 2)
    assert both_counts(whole, missing_values=["inf", "-1e400"]) == (3, 3)


@pytest.mark.parametrize(
    "given",
    [
        *("1e400", "-1e999999999", "1e-999999999", "9" * 200_000, "0." + "3" * 90_000),
        *(10**400, -(10**5000), Fraction(10**5000 + 1, 10**5000), Fraction(10**400)),
        *(Decimal("1e400"), Decimal("1e-999999"), Decimal("sNaN"), float("-inf")),
    ],
    ids=lambda given: f"{type(given).__name__}",
)
def test_numbers_of_any_size_are_read_or_refused_before_the_charge(given: Any) -> None:
    for data in ({"pay": [1, 2]}, {"pay": np.array([1, 2])}, {"pay": np.array([1.0, 2.0], "f4")}):
        if isinstance(given, str):
            assert both_counts(data, missing_values=[given]) == (2, 2)
        else:
            with pytest.raises(ParameterError, match="finite numbers"):
                ln.open(data, missing_values=[given])


def test_a_declared_label_is_a_label_whatever_stands_for_none(tmp_path: Path) -> None:
    pl = optional("polars")
    rows = ["DE", "NA", "NA", "null", ""]
    (tmp_path / "t.csv").write_text(
        "land,x\n" + "".join(f"{row},1\n" for row in rows), encoding="utf-8"
    )
    for data in (tmp_path / "t.csv", {"land": rows}, pl.DataFrame({"land": rows}),
                 pl.LazyFrame({"land": rows})):  # fmt: skip
        countries = ln.Histogram("land", categories=["DE", "NA"])
        assert released(countries, data) == [1, 2]
        assert released(ln.Count(), data, ln.col("land") == "NA") == 2
        assert released(ln.Count(), data, ln.col("land").is_in(["NA", "DE"])) == 3
        assert released(ln.Count(), data, ln.col("land") != "DE") == 0
        assert released(ln.CountDistinct("land"), data) == 1
        with ln.open(data, relation="add-remove") as opened, simulate(1):
            by_land = opened.group_by({"land": ["DE", "NA"]})
            table = by_land.release({"n": ln.Count()}, epsilon=EPSILON)
        assert table["NA"]["n"].value == 2
    assert released(ln.CountDistinct("land"), {"land": rows}, missing_values=[]) == 3


def test_the_usual_texts_and_no_others() -> None:
    for text in STANDARD:
        assert both_counts({"pay": ["1", text]}) == (1, 1)
        assert both_counts({"pay": ["1", f" {text} "]}) == (1, 1)
        assert both_counts({"pay": ["1", text]}, missing_values=[])[1] == 2
    for text in ("na", "Na", "none", "-", ".", "?", "0"):
        assert both_counts({"pay": ["1", text]})[1] == 2


@pytest.mark.parametrize(
    ("given", "kind", "cure"),
    [
        ("NA", ParameterTypeError, "must be a list of texts and numbers"),
        ({"NA"}, ParameterTypeError, "must be a list"),
        ([None], ParameterTypeError, "is missing anyway"),
        ([True], ParameterTypeError, "texts and numbers, not bool"),
        ([float("nan")], ParameterError, "NaN is missing anyway"),
    ],
)
def test_impossible_missing_values_are_refused(
    given: Any, kind: type[Exception], cure: str
) -> None:
    for refusing in (open_table, ln.open):
        with pytest.raises(kind, match=cure):
            refusing([1], missing_values=given)


def test_engines_take_the_usual_texts_alone() -> None:
    pl, duckdb = optional("polars"), optional("duckdb")
    for data in (pl.LazyFrame({"pay": [1]}), duckdb.sql("SELECT 1 AS pay")):
        with pytest.raises(ParameterError, match="replace others by NULL"):
            ln.open(data, missing_values=[-999])


def test_plans_and_ledgers_know_them(tmp_path: Path) -> None:
    text_file(tmp_path)
    plan = tmp_path / "p.toml"
    plan.write_text(
        '[data]\nfile = "t.csv"\nmissing_values = ["NA", -999]\n[privacy]\ntotal = 1\n'
        "[tables.t.statistics.n]\nstatistic = 'count'\ncolumn = 'pay'\n",
        encoding="utf-8",
    )
    assert load_plan(plan).reading["missing_values"] == ["NA", -999]
    Ledger.create(tmp_path / "l.db", dataset="pay", budget=ln.PureDP(3 * EPSILON)).close()
    values: list[Any] = []
    for given in ({}, {"missing_values": [-999]}, {"missing_values": [-999]}):
        record = ln.release(
            ln.Count("pay"), tmp_path / "t.csv", epsilon=EPSILON, ledger=tmp_path / "l.db",
            dataset="pay", reuse=True, **given,
        )  # fmt: skip
        values.append(record.value)
        assert ("-999" in str(record.notes)) is bool(given)
    assert values == [4, 2, 2]
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert len(ledger.charges) == 2
