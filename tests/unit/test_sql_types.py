"""Columns of types that nothing is asked of: refused where a query names them, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.errors import SchemaError
from leastnoise.sql.text import QueryError
from support.optional import optional

optional("sqlglot")
duckdb = optional("duckdb")
optional("pyarrow")
optional("polars")
UNREAD = {
    "id": "CAST(printf('%032d', i) AS UUID)",
    "bytes": "'ab'::BLOB",
    "listed": "[i, 2]",
    "fixed": "[i, 2]::INTEGER[2]",
    "nested": "{'a': i}",
    "mapped": "MAP {'a': i}",
    "clock": "TIME '12:00:00'",
    "zoned": "TIMETZ '12:00:00+01'",
}
READ = ("big", "kind", "cents")
_EVERY = ", ".join(f"{of} AS {name}" for name, of in UNREAD.items())
ROWS = (
    f"SELECT i AS k, {_EVERY}, i::HUGEINT AS big, 'a'::ENUM('a', 'b') AS kind, "
    "1.25::DECIMAL(38, 10) AS cents FROM range(100) r(i)"
)
ASKED = [
    *("COUNT({})", "COUNT(DISTINCT {})", "SUM({})", "COUNT(DISTINCT LEFT({}, 2))"),
    *("COUNT(*) FILTER (WHERE {} IS NULL)", "COUNT_IF({} = 'a')", "COUNT_IF({} > 3)", "MODE({})"),
    "COUNT_IF({} > DATE '2020-01-01')",
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("types") / "t.parquet"
    duckdb.sql(ROWS).write_parquet(str(path))
    return path


@pytest.mark.parametrize("engine", [None, "duckdb", "polars"])
def test_a_column_of_another_type_is_refused_where_it_is_named(
    file: Path, engine: str | None
) -> None:
    with ln.open(file, engine=engine, relation="add-remove") as data:
        _refused(data)


def test_a_relation_of_duckdb_refuses_the_same() -> None:
    with duckdb.connect() as connection, ln.open(connection.sql(ROWS)) as data:
        _refused(data)


def _refused(data: ln.Session) -> None:
    schema = {"columns": {"k": {"bounds": [0, 99]}, "big": {"bounds": [0, 99]}}}
    for i, name in enumerate(UNREAD):
        sql = f"SELECT COUNT(*),\n  {ASKED[i].format(name)} FROM t"
        told = rf"line 2, column \d+: {name} has a type that .* CAST\({name} AS VARCHAR\)"
        with pytest.raises(QueryError, match=told) as error:
            data.prepare_sql(sql, schema=schema, epsilon=1)
        assert error.value.part == name
    grouped = "WITH a AS (SELECT * FROM t) SELECT id, COUNT(*) FROM a GROUP BY id"
    with pytest.raises(QueryError, match="id has a type"):
        data.prepare_sql(grouped, epsilon=1, delta=1e-6)
    rows = "WITH a AS (SELECT *, k + 1 AS j FROM t) SELECT SUM(j), SUM(big) FROM a"
    data.prepare_sql(rows, schema=schema, epsilon=1)
    data.prepare_sql(f"SELECT {', '.join(f'COUNT({name})' for name in READ)} FROM t", epsilon=1)


def test_polars_refuses_an_interval_before_it_can_panic(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.parquet"
    duckdb.sql("SELECT 1 AS k, INTERVAL 3 DAY AS lasted").write_parquet(str(path))
    told = r"t\.parquet: column 'lasted' is an INTERVAL, which Polars cannot open: .*duckdb"
    with pytest.raises(SchemaError, match=told):
        ln.open(path, engine="polars")
    assert capfd.readouterr() == ("", "")
    with ln.open(path, engine="duckdb", relation="add-remove") as data:
        data.prepare_sql("SELECT COUNT(lasted) FROM t", epsilon=1)
    duckdb.sql(f'SELECT k, EXTRACT(EPOCH FROM "lasted") AS s FROM "{path}"').write_parquet(
        str(tmp_path / "s.parquet")
    )
    with ln.open(tmp_path / "s.parquet", engine="polars", relation="add-remove") as data:
        data.prepare_sql("SELECT COUNT(s) FROM t", epsilon=1)
