"""Names that need quotes: in a schema, in a query, and where a query forgets them."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.sql.magic import answered
from leastnoise.sql.names import as_name, section
from leastnoise.sql.text import QueryError
from support.commands import in_process
from support.optional import optional
from support.sql_words import check_words

optional("sqlglot")
pl = optional("polars")

ROWS: dict[str, list[Any]] = {
    "Active?": [1, 0, 1],
    "a.b": ["x", "y", "x"],
    "Joined at": ["2024-01-01"] * 3,
    "select": [1, 2, 3],
    "having": [1, 2, 3],
    "Net Pay \u20ac": [1.0, 2.0, 3.0],
    "k": [1, 2, 3],
    "region": ["N", "S", "N"],
}
SCHEMA: dict[str, Any] = {
    "columns": {"k": {"bounds": [0, 10], "step": 1}, "region": {"keys": ["N", "S"]}}
}


@pytest.mark.parametrize(
    "name", ["pay", "a.b", "Joined at", 'a"b', "a\\b", "\u00e9t\u00e9", "a\tb", "x-1"]
)
def test_a_name_is_written_as_a_schema_reads_it(name: str) -> None:
    read = tomllib.loads(f"{section(name)}\nkeys = [1]\n")
    assert read == {"columns": {name: {"keys": [1]}}}


@pytest.mark.parametrize("name", [*ROWS, 'a"b', "from", "order", "year", "1st"])
def test_a_name_is_written_as_a_query_reads_it(name: str) -> None:
    with ln.open({name: [1, 2]}, relation="add-remove") as data:
        data.prepare_sql(f"SELECT COUNT({as_name(name)}) FROM t", epsilon=1)


# A query, and what its refusal says.
_TOLD = [
    ('SELECT "Active?", COUNT(*) FROM t GROUP BY 1', '[columns."Active?"] keys = '),
    ('SELECT "a.b", COUNT(*) FROM t GROUP BY 1', '[columns."a.b"] keys = '),
    ('SELECT YEAR("Joined at"), COUNT(*) FROM t GROUP BY 1', '[columns."Joined at"] bounds = '),
    ('SELECT HOUR("Joined at"), COUNT(*) FROM t GROUP BY 1', '[columns."Joined at"] bounds = '),
    ('SELECT SUM("Net Pay \u20ac") FROM t', '[columns."Net Pay \u20ac"] bounds = '),
    ('SELECT UPPER("a.b"), COUNT(*) FROM t GROUP BY 1', '[columns."a.b"] keys = '),
    ("SELECT AVG(net_pay) FROM t", 'in double quotes, "Net Pay \u20ac"'),
    ("SELECT AVG('Net Pay \u20ac') FROM t", 'in double quotes, "Net Pay \u20ac"'),
    ("SELECT COUNT('Net Pay \u20ac') FROM t", 'in double quotes, "Net Pay \u20ac"'),
    ("SELECT COUNT(DISTINCT 'region') FROM t", 'in double quotes, "region"'),
    ("SELECT COUNT(*) FROM t GROUP BY 'region'", 'in double quotes, "region"'),
    ("SELECT SUM('k') FROM t", 'in double quotes, "k"'),
    ("SELECT COUNT(select) FROM t", 'in double quotes, "select"'),
    ("SELECT select, COUNT(*) FROM t GROUP BY select", 'in double quotes, "select"'),
    ("SELECT COUNT(*) FROM t WHERE k > 1 AND select > 1", 'in double quotes, "select"'),
    ("SELECT SUM(having) FROM t", 'in double quotes, "having"'),
    ("SELECT COUNT(Active?) FROM t", 'in double quotes, "Active?"'),
    ("SELECT COUNT(*) FROM t WHERE Active? = 1", 'in double quotes, "Active?"'),
    ("SELECT COUNT(a.b) FROM t", 'in double quotes, "a.b"'),
    ("SELECT COUNT(Joined at) FROM t", 'in double quotes, "Joined at"'),
    ("SELECT COUNT(*) FROM t WHERE net pay \u20ac > 3", 'in double quotes, "Net Pay \u20ac"'),
]


@pytest.mark.parametrize(("query", "cure"), _TOLD)
def test_a_refusal_writes_names_as_they_are_pasted(query: str, cure: str) -> None:
    with ln.open(ROWS, relation="add-remove") as data, pytest.raises(QueryError) as error:
        data.prepare_sql(query, schema=SCHEMA, epsilon=1)
    assert cure in str(error.value)
    check_words(str(error.value))


@pytest.mark.parametrize(
    ("query", "cure"),
    [
        ("SELECT SUM(k, 5) AS v FROM t", "given more than it takes"),
        ("SELECT CORR(k) AS v FROM t", "CORR takes one value more: write CORR(k, y)"),
        ("SELECT QUANTILE(k) FROM t", "QUANTILE takes one value more: write QUANTILE(k, 0.5)"),
        ("SELECT COUNT(*) FROM t WHERE k >", "something is missing beside >"),
        ("SELECT COUNT(*) FROM t WHERE k - 1", "k - 1 is no condition"),
        (
            "SELECT ROUND(AVG(k), 1, 3) FROM t",
            "a third value of ROUND is not supported: write TRUNC(AVG(k), 1)",
        ),
        ("SELECT COUNT(*) FROM t, LATERAL (SELECT 1)", "column 34: LATERAL is refused"),
        ("SELECT COUNT(*) FROM t WHERE k -|- 3", "k -|- 3 is no condition"),
        ("SELECT COUNT(*) FROM t WHERE k > 2023-01-31", "column 34: without quotes this is a diff"),
        ("SELECT SUM(k, contribution_bounds_per_row = (0, 3)) FROM t", "per_row => (0, 3)"),
        ("SELECT SUM(k, contribution_bounds_per_row := (0, 3)) FROM t", "per_row => (0, 3)"),
        ("SELECT COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () FROM t", "work a share of the total out"),
    ],
)
def test_a_refusal_has_no_words_of_the_parser(query: str, cure: str) -> None:
    with ln.open({"k": [1]}, relation="add-remove") as data, pytest.raises(QueryError) as error:
        data.prepare_sql(query, schema={"columns": {"k": {"bounds": [0, 9]}}}, epsilon=1)
    assert cure in str(error.value)
    assert " AS" not in str(error.value)
    check_words(str(error.value))


def test_every_operator_is_told_by_its_sign_or_a_word_of_sql() -> None:
    from sqlglot import exp

    from leastnoise.sql.refusals import is_sql, named

    # Of these the parser makes none by itself, and functions have names.
    others = {"Binary", "Connector", "Operator", "NestedJSONSelect", "Dot"}
    operators = {
        name: kind
        for name, kind in vars(exp).items()
        if isinstance(kind, type) and issubclass(kind, exp.Binary) and name not in others
    }
    assert len(operators) > 30
    for name, kind in operators.items():
        told = named(kind(this=exp.column("x"), expression=exp.column("y")))
        function = issubclass(kind, exp.Func) and told in kind.sql_names()
        words = told == "MATCH" or is_sql(*told.split())  # which SQLite has
        assert function or words or not any(letter.isalpha() for letter in told), name
        assert "_S_O_N_" not in told


def test_a_name_that_two_tables_have_is_written_with_one() -> None:
    public = {"p": {"columns": {"region": ["N", "S"], "land": ["up", "down"]}}}
    schema = {"public": public, "columns": {"region": {"keys": ["N", "S"]}}}
    asked = "SELECT COUNT(*) AS n FROM t JOIN p ON t.region = p.region GROUP BY {}"
    with ln.open({"region": ["N", "S"]}, relation="add-remove") as data:
        for name in ('"region"', "region"):
            with pytest.raises(QueryError, match=r"write t\.region or p\.region"):
                data.prepare_sql(asked.format(name), schema=schema, epsilon=1)
        for name in ("t.region", "p.region"):
            data.prepare_sql(asked.format(name), schema=schema, epsilon=1)


def test_a_cast_of_dates_to_text_is_told_the_date() -> None:
    rows = pl.DataFrame({"started": [date(2022, 3, 1)]})
    asked = "SELECT COUNT(*) FROM t WHERE {}"
    with ln.open(rows, relation="add-remove") as data:
        with pytest.raises(QueryError, match="write started = DATE '2022-03-01'"):
            data.prepare_sql(asked.format("CAST(started AS TEXT) = '2022-03-01'"), epsilon=1)
        data.prepare_sql(asked.format("started = DATE '2022-03-01'"), epsilon=1)


@pytest.mark.parametrize("rows", [{"k": [1, 2, 3]}, pl.DataFrame({"k": [1, 2, 3]})])
def test_conditions_in_a_row_are_no_levels(rows: Any) -> None:
    any_of = " OR ".join(f"k = {i}" for i in range(2, 300))
    all_of = " AND ".join(f"k <> {i}" for i in range(2, 300))
    released = " OR ".join(f"COUNT(*) > {i}" for i in range(100))
    with ln.open(rows, relation="add-remove") as data:
        for condition, n in ((any_of, 2), (all_of, 1)):
            sql = f"SELECT COUNT(*) FROM t WHERE {condition} HAVING {released}"
            assert round(data.sql(sql, epsilon=10**6).rows[0][0]) == n


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("SELECT SUM(" + "+".join(["k"] * 1250) + ") FROM t", 8),
        ("SELECT COUNT(*) FROM t WHERE " + "NOT " * 900 + "k = 1", 30),
        ("SELECT COUNT(*) FROM t WHERE " + "(" * 900 + "k = 1" + ")" * 900, 30),
    ],
)
def test_what_is_too_deep_has_its_place(query: str, place: int) -> None:
    with ln.open({"k": [1]}, relation="add-remove") as data, pytest.raises(QueryError) as error:
        data.prepare_sql(query, schema={"columns": {"k": {"bounds": [0, 9]}}}, epsilon=1)
    assert f"line 1, column {place}: this is nested too deeply: leave out" in str(error.value)


@pytest.mark.parametrize(
    ("keys", "column", "found"),
    [
        (["01", "02"], {"bounds": [0, 9]}, 3),
        (["01", "02"], None, 1),
        (["01", "02"], {"keys": ["01", "02"]}, 1),
    ],
)
def test_codes_are_numbers_beside_numbers(keys: Any, column: Any, found: int) -> None:
    public = {"p": {"columns": {"code": keys, "v": [1, 10]}}}
    schema = {"public": public} | ({"columns": {"k": column}} if column else {})
    sql = "SELECT COUNT(*) FROM t JOIN p ON k = code"
    with ln.open({"k": ["1", "2", "02"]}, relation="add-remove") as data:
        assert round(data.sql(sql, schema=schema, epsilon=10**6).rows[0][0]) == found


def test_text_finds_no_numbers() -> None:
    schema = {"public": {"p": {"columns": {"code": ["N", "01"]}}}}
    with (
        ln.open(pl.DataFrame({"k": [1, 2]}), relation="add-remove") as data,
        pytest.raises(QueryError, match="k holds numbers, and 'N' is text: join by"),
    ):
        data.prepare_sql("SELECT COUNT(*) FROM t JOIN p ON k = code", schema=schema, epsilon=1)


def test_a_type_of_true_and_false_tells_its_keys() -> None:
    rows = pl.DataFrame({"remote": [True, False, None, True]})
    with ln.open(rows, relation="add-remove") as data:
        asked = "SELECT remote, COUNT(*) AS n FROM t GROUP BY remote"
        found = data.sql(asked, epsilon=10**6).rows
        assert [(key, round(n)) for key, n in found] == [(False, 1), (True, 2)]
        assert data.sql("SELECT MODE(remote) FROM t", epsilon=10**6).rows == ((True,),)


def test_years_of_no_limits_are_told_what_limits_are_for() -> None:
    rows = pl.DataFrame({"hired": [date(2022, 3, 1)]})
    asked = "SELECT YEAR(hired) AS y, COUNT(*) FROM t GROUP BY y"
    with (
        ln.open(rows, relation="add-remove") as data,
        pytest.raises(QueryError, match=r"\[columns.hired\] bounds = .*, between which lie at"),
    ):
        data.prepare_sql(asked, epsilon=1)


def test_the_command_line_and_cells_tell_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mon").mkdir()
    for file in ("pay.csv", "mon/pay.csv"):
        Path(file).write_text("select,v\n1,2\n", encoding="utf-8")
    Path("s.toml").write_text(
        "[tables.order.columns.v]\nbounds = [0, 1]\n[tables.pay.columns.v]\nbounds = [0, 2]\n",
        encoding="utf-8",
    )
    asked = "SELECT COUNT(*) FROM pay"
    for words, why in (
        (["pay.csv", "SELECT SUM(select) FROM pay"], 'in double quotes, "select"'),
        (["pay.csv", f"-- all of it\n{asked}"], "begin with SELECT"),
        (["mon", asked], "all that match a pattern, 'mon/*.csv'"),
        (["pay.csv", asked, "--public", "mon/pay.csv"], "or write another after FROM"),
        (["pay.csv", "SELECT SUM(v) FROM order", "--schema", "s.toml"], "write FROM pay, or give"),
        (["pay.csv", asked, "--ledger", "l.db"], "dataset is required with --ledger: the"),
    ):
        if "l.db" in words:
            ln.Ledger.create("l.db", dataset="pay", budget=ln.PureDP(1)).close()
        done = in_process(capsys, "sql", *words, "--epsilon", "1")
        assert done.code != 0
        told = " ".join(done.err.split())
        assert why in told, told
        assert "Traceback" not in told
    with (
        ln.open("pay.csv", relation="add-remove") as data,
        pytest.raises(QueryError, match='in double quotes, "select"'),
    ):
        answered("data --epsilon 1", "SELECT SUM(select) FROM pay", {"data": data})
