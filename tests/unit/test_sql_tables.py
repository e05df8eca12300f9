"""Schemas of several tables: FROM says which one a query is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.sql.schema import load_schema
from leastnoise.sql.text import QueryError
from leastnoise.testing import simulate
from support.commands import in_process
from support.optional import optional

optional("sqlglot")
SCHEMA: dict[str, Any] = {
    "privacy": {"relation": "add-remove"},
    "columns": {"region": {"keys": ["N", "S"]}, "x": {"bounds": [0, 1]}},
    "public": {"lands": {"key": "code", "columns": {"code": ["N", "S"], "land": ["up", "down"]}}},
    "tables": {
        "pay": {"columns": {"x": {"bounds": [0, 100]}}, "privacy": {"unit": "who", "max_rows": 1}},
        "visits": {"data": {"missing": "none"}},
    },
}


def _asked(data: Any, sql: str, schema: Any = SCHEMA, **how: Any) -> Any:
    with ln.open(data, relation="add-remove", **how) as opened, simulate(1):
        return opened.sql(sql, schema=schema, epsilon=10**6)


def test_each_table_has_its_own_limits_and_those_of_all() -> None:
    rows = {"x": [50, 70], "region": ["N", "S"], "who": ["a", "b"]}
    pay = _asked(rows, "SELECT SUM(x) FROM pay", unit="who", max_rows=1)
    assert pay.rows == ((pytest.approx(120, abs=0.1),),)
    visits = _asked(rows, "SELECT SUM(x) AS s FROM (SELECT * FROM Visits) v", missing="none")
    assert visits.rows == ((pytest.approx(2, abs=0.1),),)  # clipped to 1
    joined = "SELECT land, COUNT(*) FROM visits JOIN lands ON lands.code = region GROUP BY land"
    assert _asked(rows, joined, missing="none").rows == (("up", 1), ("down", 1))


def test_from_names_a_table_of_the_schema() -> None:
    with pytest.raises(QueryError, match="FROM takes a table of the schema, pay, visits"):
        _asked({"x": [1]}, "SELECT SUM(x) FROM t")
    with pytest.raises(ParameterError, match=r"privacy.unit: is 'who', but the data was opened"):
        _asked({"x": [1], "who": ["a"]}, "SELECT SUM(x) FROM pay")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"table": "pay", "tables": {"pay": {}}}, "table: the names under"),
        ({"tables": {"pay": {"public": {}}}}, "tables.pay.public: this key is not known"),
        (
            {"tables": {"pay": {"columns": {"x": {"bounds": [2, 1]}}}}},
            "tables.pay.columns.x.bounds",
        ),
        ({"tables": {"pay": {"table": "x"}}}, "tables.pay.table: this key is not known"),
        ({"tables": {"pay": 3}}, "tables.pay"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(schema: Any, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        load_schema(schema)


def test_the_command_line_takes_the_schema_of_the_file_that_from_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for month in ("01", "02"):
        Path(f"visits-{month}.csv").write_text("x;region\n" + "1;N\n" * 50, encoding="utf-8")
    Path("pay.csv").write_text("x,region\n5,N\n", encoding="utf-8")
    Path("s.toml").write_text(
        '[columns.region]\nkeys = ["N"]\n[tables.visits.data]\nseparator = ";"\n'
        "[tables.visits.columns.x]\nbounds = [0, 9]\n[tables.pay.columns.x]\nbounds = [0, 99]\n",
        encoding="utf-8",
    )
    files = ["pay.csv", "visits-*.csv"]
    for table, count in (("visits", "100"), ("pay", "1")):
        sql = f"SELECT region, COUNT(*) AS n FROM {table} GROUP BY region"
        more = ["--schema", "s.toml", "--epsilon", "1e6", "--csv", "--relation", "add-remove"]
        done = in_process(capsys, "sql", *files, sql, *more)
        assert done.out == f"region,n\nN,{count}\n", done.err
