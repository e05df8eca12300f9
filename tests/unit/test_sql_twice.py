"""What is given twice, or is two things where a column is read, is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.sql.magic import answered
from leastnoise.sql.text import QueryError
from leastnoise.testing import simulate
from support.optional import optional

optional("sqlglot")
pl = optional("polars")

BIG = 2**53
LIMITS: dict[str, Any] = {"columns": {"k": {"bounds": [0, 10]}, "x": {"bounds": [-10, 10]}}}


@pytest.mark.parametrize(
    "call",
    [
        "SUM(k, contribution_bounds_per_row => (0, 2), contribution_bounds_per_row => (0, 9))",
        "MEDIAN(k, contribution_bounds_per_row => (0, 2), CONTRIBUTION_BOUNDS_PER_ROW => (0, 2))",
        "CORR(k, x, contribution_bounds_per_row => (0, 2), contribution_bounds_per_row => (0, 2))",
    ],
)
def test_bounds_of_a_call_are_given_once(call: str) -> None:
    with (
        ln.open({"k": [1, 1, 1, 3], "x": [1, 2, 3, 4]}, relation="add-remove") as data,
        pytest.raises(QueryError, match="is given twice: leave one of them out"),
    ):
        data.prepare_sql(f"SELECT {call} FROM t", schema=LIMITS, epsilon=1)


def test_options_of_a_cell_are_given_once() -> None:
    with ln.open({"k": [1]}, relation="add-remove") as data:
        for option in ("--epsilon 1 --epsilon 2", "--epsilon=1 --into a --into b"):
            with pytest.raises(ParameterError, match="is given twice"):
                answered(f"data {option}", "SELECT COUNT(*) FROM t", {"data": data})


@pytest.mark.parametrize("name", ["CORR", "COVAR_POP", "COVAR_SAMP"])
def test_each_of_two_columns_has_its_own_bounds(name: str) -> None:
    """One pair would take the place of the limits of both."""
    rows = {"k": [1, 2, 7, 3] * 9, "x": [-2.5, 1.0, 2.0, 9.5] * 9}
    with ln.open(rows, relation="add-remove") as data:
        one = f"SELECT {name}(k, x, contribution_bounds_per_row => (0, 50)) FROM t"
        with pytest.raises(QueryError, match=r"of its two columns: write \(\(0, 100\), \(0, 50\)"):
            data.prepare_sql(one, schema=LIMITS, epsilon=1)
        bounds = "contribution_bounds_per_row => ((0, 10), (-10, 10))"
        each = f"SELECT {name}(k, x, {bounds}) AS v FROM t"
        declared = f"SELECT {name}(k, x) AS v FROM t"
        with simulate(3):
            found = data.sql(each, schema=LIMITS, epsilon=10**6).rows
        with simulate(3):
            assert found == data.sql(declared, schema=LIMITS, epsilon=10**6).rows


# What a column holds, and two numbers that are one as it is read.
_ONE = [
    ([1.0, 2.0], BIG, BIG + 1),
    (pl.Series([1.0, 2.0]), BIG, BIG + 1),
    (pl.Series([1.0, 2.0]), -BIG, -BIG - 1),
    (pl.Series([1.0, 2.0], dtype=pl.Float32), 2**24, 2**24 + 1),
]


@pytest.mark.parametrize(("entries", "one", "other"), _ONE)
def test_keys_that_are_read_as_one_number_are_refused(entries: Any, one: Any, other: Any) -> None:
    rows = pl.DataFrame({"k": entries}) if isinstance(entries, pl.Series) else {"k": entries}
    keys = {"columns": {"k": {"keys": [one, other]}}}
    public = {"public": {"p": {"columns": {"code": [one, other], "v": [1, 10]}}}}
    with ln.open(rows, relation="add-remove") as data:
        for sql, schema in (
            ("SELECT SUM(v) FROM t JOIN p ON k = code", public),
            ("SELECT k, COUNT(*) FROM t GROUP BY k", keys),
            ("SELECT MODE(k) FROM t", keys),
        ):
            with pytest.raises(QueryError, match="leave one of them out"):
                data.prepare_sql(sql, schema=schema, epsilon=1)
        data.prepare_sql(f"SELECT COUNT(*) FROM t WHERE k IN ({one}, {BIG})", epsilon=1)
        with pytest.raises(ParameterError, match="leave one of them out"):
            data.group_by({"k": [one, other]}).release(ln.Count(), epsilon=1)


def test_keys_of_whole_numbers_are_told_apart() -> None:
    public = {"public": {"p": {"columns": {"code": [BIG, BIG + 1], "v": [1, 10]}}}}
    rows = pl.DataFrame({"k": [BIG, BIG + 1, BIG + 1]})
    with ln.open(rows, relation="add-remove") as data:
        sql = "SELECT SUM(v) AS s FROM t JOIN p ON k = code"
        assert round(data.sql(sql, schema=public, epsilon=10**6).rows[0][0]) == 21


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_whole_numbers_of_a_public_file_are_told_apart(ending: str, tmp_path: Path) -> None:
    """Beyond 2^53, too, where doubles are one: and what is one is told as the file has it."""
    frame, file = pl.DataFrame({"code": [BIG, BIG + 1], "v": [1, 10]}), tmp_path / f"p.{ending}"
    frame.write_csv(file) if ending == "csv" else frame.write_parquet(file)
    public = {"public": {"p": {"file": str(file)}}}
    sql = "SELECT SUM(v) AS s FROM t JOIN p ON k = code"
    rows = {"k": [BIG, BIG + 1, BIG + 1]}
    with ln.open(pl.DataFrame(rows), relation="add-remove") as data:
        assert round(data.sql(sql, schema=public, epsilon=10**6).rows[0][0]) == 21
    told = f"keys {BIG} and {BIG + 1} are one"
    with ln.open(rows) as data, pytest.raises(QueryError, match=told):
        data.prepare_sql(sql, schema={**public, "columns": {"k": {"bounds": [0, 9]}}}, epsilon=1)
    for entries, why in ((("1", "1.0"), "1 and 1.0 stand in code"), (("1", "1"), "1 stands twice")):
        file.with_suffix(".csv").write_text("code,v\n" + "".join(f"{e},1\n" for e in entries))
        public = {"public": {"p": {"file": str(file.with_suffix(".csv"))}}}
        with ln.open(pl.DataFrame(rows)) as data, pytest.raises(QueryError, match=why):
            data.prepare_sql(sql, schema=public, epsilon=1)


def test_an_answer_of_a_dry_run_is_kept_under_no_name() -> None:
    with ln.open({"k": [1]}, relation="add-remove") as data:
        with pytest.raises(ParameterError, match="leave one of them out"):
            answered(
                "data --epsilon 1 --dry-run --into a", "SELECT COUNT(*) FROM t", {"data": data}
            )
        answered("data --epsilon 1 --dry-run", "SELECT COUNT(*) FROM t", {"data": data})


def test_words_that_are_one_truth_are_refused() -> None:
    public = {"public": {"p": {"columns": {"code": ["TRUE", "true"], "v": [1, 10]}}}}
    with (
        ln.open(pl.DataFrame({"k": [True, False]}), relation="add-remove") as data,
        pytest.raises(QueryError, match="'TRUE' and 'true' stand in code, which are one where"),
    ):
        data.prepare_sql("SELECT SUM(v) FROM t JOIN p ON k = code", schema=public, epsilon=1)
