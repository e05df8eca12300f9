"""Filters, groups and persons: one test body over every kind of table."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ColumnTypeError, ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.conditions import check_condition, kept_rows
from leastnoise.frames.memory.groups import check_subset
from leastnoise.frames.memory.parts import in_order
from leastnoise.frames.memory.persons import person_codes
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.summaries.subset import Subset, Unit
from support.fronts import only_library
from support.optional import optional
from support.subsets import COLUMNS, CONDITIONS, KEYS

col = ln.col

ROWS = 8


def make_dict(folder: Path) -> object:
    return COLUMNS


def make_numpy(folder: Path) -> object:
    return {
        "region": np.array(COLUMNS["region"], dtype=object),
        "code": np.array(COLUMNS["code"], dtype=object),
        "age": np.ma.array(
            [v or 0 for v in COLUMNS["age"]], mask=[v is None for v in COLUMNS["age"]]
        ),
        "score": np.array([np.nan if v is None else v for v in COLUMNS["score"]]),
        "member": np.ma.array(
            [bool(v) for v in COLUMNS["member"]], mask=[v is None for v in COLUMNS["member"]]
        ),
    }


def make_pandas(folder: Path) -> object:
    pd = optional("pandas")
    return pd.DataFrame(
        {
            "region": pd.Series(COLUMNS["region"], dtype=object),
            "code": pd.Series(COLUMNS["code"], dtype=object),
            "age": pd.array(COLUMNS["age"], dtype="Int64"),
            "score": pd.Series([np.nan if v is None else v for v in COLUMNS["score"]]),
            "member": pd.array(COLUMNS["member"], dtype="boolean"),
        }
    )


def make_pandas_typed(folder: Path) -> object:
    pd = optional("pandas")
    frame: Any = make_pandas(folder)
    code = pd.array(COLUMNS["code"], dtype="string")
    return frame.assign(region=frame["region"].astype("category"), code=code)


def make_polars(folder: Path) -> object:
    pl = optional("polars")
    return pl.DataFrame(COLUMNS)


def make_polars_categories(folder: Path) -> object:
    pl = optional("polars")
    return pl.DataFrame(COLUMNS).with_columns(pl.col("region").cast(pl.Categorical))


def make_arrow(folder: Path) -> object:
    pa = optional("pyarrow")
    table = pa.table(COLUMNS)
    return pa.concat_tables([table.slice(0, 3), table.slice(3)])  # in two chunks


def make_arrow_dictionary(folder: Path) -> object:
    table: Any = make_arrow(folder)
    return table.set_column(0, "region", table["region"].dictionary_encode())


def csv_text() -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for i in range(ROWS):
        writer.writerow(["" if column[i] is None else column[i] for column in COLUMNS.values()])
    return buffer.getvalue()


def make_csv(folder: Path) -> object:
    (folder / "t.csv").write_text(csv_text(), encoding="utf-8-sig", newline="")
    return folder / "t.csv"


def make_csv_gz(folder: Path) -> object:
    (folder / "t.csv.gz").write_bytes(gzip.compress(csv_text().encode()))
    return str(folder / "t.csv.gz")


def make_parquet(folder: Path) -> object:
    pq = optional("pyarrow.parquet")
    pq.write_table(make_arrow(folder), folder / "t.parquet")
    return folder / "t.parquet"


FRONTS: dict[str, Callable[[Path], object]] = {
    "dict": make_dict,
    "numpy": make_numpy,
    "pandas": make_pandas,
    "pandas typed": make_pandas_typed,
    "polars": make_polars,
    "polars categories": make_polars_categories,
    "arrow": make_arrow,
    "arrow dictionary": make_arrow_dictionary,
    "csv": make_csv,
    "csv.gz": make_csv_gz,
    "parquet by pyarrow": make_parquet,
    "parquet by polars": make_parquet,
    "parquet by duckdb": make_parquet,
}
# Columns of these front ends that declare text, so numbers are not looked for in them.
DECLARED = {"pandas typed", "polars", "polars categories", "arrow", "arrow dictionary"}
INEXACT = {"dict", "csv", "csv.gz"}  # integers without a type are read as float64


@pytest.fixture(params=FRONTS)
def front(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if " by " in request.param:
        only_library(monkeypatch, request.param.split(" by ")[1])
    return request.param


@pytest.fixture
def table(front: str, tmp_path: Path) -> Table:
    return open_table(FRONTS[front](tmp_path))


def rows(table: Table, condition: Any) -> list[int]:
    check_condition(table, condition)
    return np.flatnonzero(kept_rows(table, condition)).tolist()


def test_every_table_keeps_the_same_rows(table: Table) -> None:
    for condition, expected in CONDITIONS:
        assert rows(table, condition) == expected, str(condition)


def test_integers_compare_exactly_where_they_are_integers(front: str, table: Table) -> None:
    kept = [] if front in INEXACT else [7]
    assert rows(table, col("age") > 2**53) == kept
    assert rows(table, col("age") == 2**53) == [7 for _ in range(1 - len(kept))]


def test_text_is_no_number_unless_the_type_leaves_it_open(front: str, table: Table) -> None:
    if front in DECLARED or front.startswith("parquet"):
        with pytest.raises(ColumnTypeError, match="code"):
            check_condition(table, col("code") == 1)
    else:
        assert rows(table, col("code") == 1) == [0, 1, 2, 5, 7]
        assert rows(table, ~(col("code") == 1)) == [6]  # "one" is no number: missing
    if table.column_type("age").integer:
        with pytest.raises(ColumnTypeError, match="age"):
            check_condition(table, col("age") == "18")


def test_every_table_has_the_same_groups(table: Table) -> None:
    subset = Subset().grouped(KEYS, None)
    check_subset(table, subset)
    parts = split(table, subset, active())
    assert [part.row_count() for part in parts] == [1, 1, 0, 0, 0, 0]
    with_age = Subset().filtered(col("age") > 17).grouped({"member": [0, 1]}, None)
    parts = split(table, with_age, active())
    ages = [[min(float(v), 100) for v in part.column("age").values] for part in parts]
    assert ages == [[18, 30, 99], [65, 18, 100]]
    assert [part.text_codes("region", ["N", "W"]).tolist() for part in parts] == [
        [0, -2, 1],
        [-2, -2, -1],
    ]
    assert all(part.column_names() == tuple(COLUMNS) for part in parts)


def test_persons_are_told_apart_alike(table: Table) -> None:
    def classes(column: str) -> set[tuple[int, ...]]:
        codes = person_codes(table, column).tolist()
        return {tuple(i for i in range(ROWS) if codes[i] == c) for c in set(codes) if c >= 0}

    assert classes("region") == {(0, 1), (2,), (6,), (7,)}
    assert classes("code") == {(0, 5), (1, 7), (2,), (4,), (6,)}
    whole = Subset(unit=Unit("region", 1))
    check_subset(table, whole)
    (part,) = split(table, whole, active())
    assert part.row_count() == 4
    assert sorted(part.text_codes("region", ["N", "S", "W", "n"]).tolist()) == [0, 1, 2, 3]


def test_a_release_of_every_table(table: Table, front: str, tmp_path: Path) -> None:
    data = FRONTS[front](tmp_path)
    with ln.open(data) as opened:
        rows = opened.where(col("age") >= 18)
        assert rows.release(ln.Count(), epsilon=10**4).value == 6
        grouped = rows.group_by({"member": [True, False]})
        table_of = grouped.release(
            {"n": ln.Count(), "least": ln.Minimum("age", bounds=(0, 100), step=1)}, epsilon=10**5
        )
    assert {key: row["n"].value for key, row in table_of.items()} == {(True,): 3, (False,): 3}
    assert {key: row["least"].value for key, row in table_of.items()} == {(True,): 18, (False,): 18}


def test_wrong_columns_are_errors_of_the_schema(table: Table) -> None:
    for subset in (
        Subset().filtered(col("none") == 1),
        Subset().filtered((col("age") > 1) | col("none").is_missing()),
        Subset().grouped({"none": [1]}, None),
        Subset(unit=Unit("none", 1)),
    ):
        with pytest.raises(SchemaError, match="'none'"):
            check_subset(table, subset)


def test_bare_data_has_no_columns_to_ask_for() -> None:
    with pytest.raises(SchemaError, match="named columns"), ln.open([1.0, 2.0]) as data:
        data.where(col("a") == 1).release(ln.Count(), epsilon=1)


@pytest.mark.parametrize("empty", [{"a": [], "b": []}, {"a": np.empty(0), "b": np.empty(0)}])
def test_no_rows_at_all(empty: Any) -> None:
    with ln.open(empty, unit="b", max_rows=2) as data:
        grouped = data.where(col("a") > 0).group_by({"a": [1, 2]}, max_groups=1)
        made = grouped.release({"n": ln.Count(), "m": ln.Median("a", bounds=(0, 1))}, epsilon=10**4)
    assert [row["n"].value for row in made.values()] == [0, 0]


def test_conditions_are_refused_with_the_cure() -> None:
    a, b = col("a") > 1, col("b") < 2
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: a and b, "&"),
        (lambda: not a, "~"),
        (lambda: 1 < col("a") < 2, "between"),
        (lambda: col("a") > 1 & col("b") < 2, "brackets"),
        (lambda: col("a") == 1 | col("b") == 2, "brackets"),
        (lambda: col("a") & a, "alone is not a condition"),
        (lambda: a & col("a"), "alone is not a condition"),
        (lambda: a & True, "bool"),
        (lambda: True & a, "brackets"),
        (lambda: bool(col("a")), "alone is not a condition"),
        (lambda: col("a") == col("b"), "another column"),
        (lambda: col("a") == [1, 2], "list"),
        (lambda: col("a") > "x", "no order"),
        (lambda: col("a").between("a", "b"), "no order"),
        (lambda: col("a").is_in("abc"), "list"),
        (lambda: col("a").is_in({1, 2}), "list"),
        (lambda: col("a").is_in([1, "a"]), "all text or all numbers"),
        (lambda: col(1), "text"),
        (lambda: Subset().filtered(lambda row: row["a"] > 1), "col"),
        (lambda: Subset().filtered(True), "bool"),
        (lambda: Subset().filtered(np.array([True])), "ndarray"),
        (lambda: "x" in col("a"), "no public values"),
        (lambda: col("a") in ["x"], "is_in"),
    ]
    for make, cure in wrong:
        with pytest.raises(ParameterTypeError, match=cure):
            make()
    values: list[Callable[[], Any]] = [
        lambda: col("a") == None,  # noqa: E711  # the mistake under test
        lambda: col("a") == float("nan"),
        lambda: col("a") == "  ",
        lambda: col("a") < float("inf"),
        lambda: col("a") < 10**400,
        lambda: col("a").is_in([]),
        lambda: col("a").is_in([1, None]),
        lambda: col("a").between(2, 1),
        lambda: col(" "),
    ]
    for make in values:
        with pytest.raises(ParameterError):
            make()


def test_keys_are_declared_and_different() -> None:
    wrong: list[tuple[Any, type[Exception], str]] = [
        (["region"], ParameterTypeError, "declared keys"),
        ({}, ParameterError, "at least one column"),
        ({"a": []}, ParameterError, "at least one"),
        ({"a": ["x", " x"]}, ParameterError, "differ"),
        ({"a": [1, True]}, ParameterError, "differ"),
        ({"a": [1, 1.0]}, ParameterError, "differ"),
        (
            {"a": [Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**40)]},
            ParameterError,
            "as floating-point",
        ),
        ({"a": [1, float("nan")]}, ParameterError, "missing"),
        ({"a": ["x", None]}, ParameterError, "missing"),
        ({"a": ["x", ""]}, ParameterError, "missing"),
        ({"a": [1, "x"]}, ParameterTypeError, "all text or all numbers"),
        ({1: [1]}, ParameterTypeError, "name"),
        ({"a": range(1001), "b": range(1000)}, ParameterError, "groups"),
    ]
    for keys, error, text in wrong:
        with pytest.raises(error, match=text):
            Subset().grouped(keys, None)
    with pytest.raises(ParameterError, match="one group_by"):
        Subset().grouped({"a": [1]}, None).grouped({"b": [1]}, None)
    keys = Subset().grouped({"a": np.array([1, 2]), "b": (True, False)}, None).keys
    assert keys is not None
    assert list(keys.keys()) == [(1, True), (1, False), (2, True), (2, False)]


def test_a_condition_is_shown_as_it_is_written() -> None:
    made = (col("a") >= 0.5) & ~col("b").is_in(["x", "y"])
    assert str(made) == "(col('a') >= 0.5) & (~(col('b').is_in(['x', 'y'])))"
    assert str(col("a") == Fraction(1, 3)) == "col('a') == Fraction('1/3')"
    assert str(col("a").between(1, 2**70)) == f"(col('a') >= 1) & (col('a') <= {2**70})"
    assert eval(str(made), {"col": col}) == made


@pytest.mark.parametrize("count", [1, 2, 2**16 - 1, 2**16, 2**16 + 1, 2**17, 2**32, 2**32 + 1])
def test_rows_are_put_in_order_for_any_number_of_groups(count: int) -> None:
    rng = np.random.default_rng(3)
    groups = rng.integers(0, count, 5000)
    groups[:3] = 0, count - 1, count // 2
    assert np.array_equal(in_order(groups, count), np.argsort(groups, kind="stable"))
