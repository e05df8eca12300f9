"""What SQL means where it is easily meant otherwise: keys such as NA, dates beyond the limits, true
and false. Every front end answers what DuckDB does."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.testing import simulate
from support.engines import ENGINES, keep_open, on_engine
from support.optional import optional
from support.sql_fuzz import disagreement

optional("sqlglot")
duckdb = optional("duckdb")

_FIRST = date(2023, 1, 1)
_ROWS: dict[str, list[Any]] = {
    "c": [["DE", "NA", "FR", "null", None][i * i % 5 if i % 7 else i % 5] for i in range(120)],
    "x": [float(i) for i in range(120)],
    "d": [_FIRST + timedelta(9 * i) if i % 11 else None for i in range(120)],
    "m": [None if i % 5 == 0 else i % 3 == 0 for i in range(120)],
}
_SCHEMA: dict[str, Any] = {
    "columns": {
        "c": {"keys": ["DE", "NA", "FR", "null"]},
        "x": {"bounds": [0, 200]},
        "d": {"bounds": [date(2024, 2, 1), date(2025, 3, 31)]},
        "m": {"keys": [False, True]},
    },
    "public": {
        "places": {
            "key": "k",
            "columns": {"k": ["NA", "DE"], "name": ["NA", "Germany"], "w": [1, 2]},
        }
    },
}
_KEYS = [
    "SELECT c, COUNT(*) FROM t GROUP BY c",
    "SELECT LOWER(c) AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT COALESCE(c, '?') AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT c || '' AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT CASE c WHEN 'NA' THEN 'null' ELSE 'x' END AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT COUNT(DISTINCT c), COUNT(c), COUNT(DISTINCT UPPER(c)) FROM t",
    "SELECT COUNT(DISTINCT c) FILTER (WHERE x > 3), MODE(c) FILTER (WHERE c = 'NA') FROM t",
    "SELECT COUNT(*) FROM t WHERE c <> 'DE'",
    "SELECT COUNT(*) FROM t WHERE NOT c IN ('DE', 'null')",
    "SELECT COUNT(*) FROM t WHERE c IS NULL",
    "SELECT COUNT(*) FROM t WHERE c LIKE 'NA' OR LEFT(c, 2) = 'nu'",
    "SELECT COUNT(*) FROM t WHERE NULLIF(c, 'NA') IS NULL",
    "SELECT name, COUNT(*), SUM(w) FROM t JOIN places ON t.c = places.k GROUP BY name",
    "SELECT COUNT(*), COUNT(name) FROM t LEFT JOIN places p ON t.c = p.k WHERE name <> 'Germany'",
]
_DATES = [
    "SELECT COUNT(*) FROM t WHERE YEAR(d) = 2023",
    "SELECT COUNT(*) FROM t WHERE YEAR(d) < 2025 AND MONTH(d) = 1",
    "SELECT COUNT(*) FROM t WHERE DATE_TRUNC('week', d) < DATE '2023-05-01'",
    "SELECT COUNT(*) FROM t WHERE DATE_TRUNC('quarter', d) = DATE '2023-10-01'",
    "SELECT CASE WHEN YEAR(d) < 2025 THEN 'old' ELSE 'new' END AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT QUARTER(d) AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT COUNT(*) FROM t WHERE d = LAST_DAY(d) OR LAST_DAY(d) - d > 20",
    "SELECT LAST_DAY(d) < DATE '2024-05-31' AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT COUNT(*) FROM t WHERE DAY(d) = 29 OR EXTRACT(DOY FROM d) = 366",
    "SELECT SUM(DAY(d)), AVG(EXTRACT(ISODOW FROM d)), MAX(DAYOFYEAR(d)) FROM t",
    "SELECT DATE_PART('isodow', d) > 5 AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT COUNT(*) FROM t WHERE d + INTERVAL 1 MONTH = LAST_DAY(d + INTERVAL 1 MONTH)",
    "SELECT SUM(CAST(d + INTERVAL 13 MONTH AS DATE) - d), AVG(YEAR(d + INTERVAL 9 DAY)) FROM t "
    "WHERE YEAR(d) = 2024",
    "SELECT COUNT(*) FROM t WHERE COALESCE(d, DATE '2024-05-01') >= '2024-05-01'",
    "SELECT COUNT(*) FROM t WHERE DATE_TRUNC('hour', d + INTERVAL 100 MINUTE) > d",
    "SELECT COUNT(*) FROM t WHERE CAST(d + INTERVAL 750 MINUTE AS TIME) = '12:30:00'",
    "SELECT COUNT(*) FROM t WHERE GREATEST(d, DATE '2024-05-01') <= DATE '2024-05-01'",
    "SELECT COUNT(*) FROM t WHERE CASE WHEN x > 50 THEN d + 40 ELSE d END > DATE '2024-05-01'",
    "SELECT COUNT(NULLIF(d, DATE '2024-05-13')), COUNT(DISTINCT COALESCE(d, NULL)) FROM t",
    "SELECT AVG(YEAR(d)) FROM t WHERE YEAR(d) > 2023 AND YEAR(d) < 2026",
    "SELECT SUM(CASE WHEN YEAR(d) = 2023 THEN 1 ELSE 0 END), COUNT(MONTH(d)) FROM t",
]
_TRUTHS = [
    "SELECT x > 50 AS k, COUNT(*) FROM t GROUP BY k ORDER BY k",
    "SELECT NOT m AS k, COUNT(*) FROM t GROUP BY k HAVING k = TRUE",
    "SELECT COALESCE(m, FALSE) AS k, COUNT(*) FROM t GROUP BY k HAVING k",
    "SELECT CASE WHEN x > 50 THEN m ELSE TRUE END AS k, COUNT(*) FROM t GROUP BY k ORDER BY k DESC",
    "SELECT CAST(x > 50 AS INT) AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT CAST(m AS INT) AS k, COUNT(*) FROM t GROUP BY k",
    "SELECT CAST(x > 50 AS TEXT) AS k, COUNT(*) FROM t GROUP BY k",
    "WITH a AS (SELECT *, m OR x > 90 AS k FROM t) SELECT k, COUNT(*) FROM a GROUP BY k",
    "SELECT MODE(x > 10), SUM(CAST(m AS INT)) FROM t",
]
_GATE = ("entries", "text", "parquet", "polars lazy", "duckdb")  # one of each reader


def _at_night(*labels: str) -> list[Any]:
    """Front ends that read as another one does are tried every night."""
    night = pytest.mark.nightly
    return [x if x in _GATE else pytest.param(x, marks=night) for x in labels]


_FRONTS = _at_night("memory", "pandas", "polars", "text", "entries", "parquet", *ENGINES)


def _held(label: str, tmp_path: Path) -> Any:
    pa = optional("pyarrow")
    kinds = {"c": pa.string(), "x": pa.float64(), "d": pa.date32(), "m": pa.bool_()}
    table = pa.table({name: pa.array(_ROWS[name], kind) for name, kind in kinds.items()})
    match label:
        case "memory":
            return table
        case "entries":
            return _ROWS
        case "pandas":
            return table.to_pandas()
        case "polars":
            return optional("polars").from_arrow(table)
        case "text":
            lines = zip(*_ROWS.values(), strict=True)
            written = [",".join("" if x is None else str(x).lower() for x in r[1:]) for r in lines]
            texts = [f"{c or ''},{rest}" for c, rest in zip(_ROWS["c"], written, strict=True)]
            (tmp_path / "t.csv").write_text("\n".join(["c,x,d,m", *texts]), encoding="utf-8")
            return tmp_path / "t.csv"
        case "parquet":
            optional("pyarrow.parquet").write_table(table, tmp_path / "t.parquet")
            return tmp_path / "t.parquet"
        case _:
            return on_engine(label, table)


@cache
def _peer() -> Any:
    connection = keep_open(duckdb.connect())
    connection.register("t", _held("memory", Path()))
    connection.execute(
        "CREATE TABLE places AS SELECT * FROM (VALUES ('NA', 'NA', 1), ('DE', 'Germany', 2)) "
        "x(k, name, w)"
    )
    return connection


@cache
def _wanted(sql: str) -> list[tuple[Any, ...]]:
    return _peer().execute(sql).fetchall()


@pytest.mark.parametrize("label", _FRONTS)
def test_every_front_end_means_what_sql_does(label: str, tmp_path: Path) -> None:
    with ln.open(_held(label, tmp_path), relation="add-remove") as data:
        for sql in (*_KEYS, *_DATES, *_TRUTHS):
            with simulate(1):
                answer = data.sql(sql, schema=_SCHEMA, epsilon=10**9)
            keys = int("GROUP BY" in sql)
            found = {row[:keys]: row for row in answer.rows}
            wanted = {row[:keys]: row for row in _wanted(sql) if None not in row[:keys]}
            assert found.keys() == wanted.keys(), sql
            for one, other in zip(sorted(found), sorted(wanted), strict=True):
                assert [*map(type, one)] == [*map(type, other)], sql
            for key, row in wanted.items():
                pairs = zip(found[key], row, strict=True)
                assert not any(disagreement(one, other) for one, other in pairs), (sql, key)
            if "ORDER BY" in sql:
                assert [*found] == [*wanted], sql


def test_true_and_false_are_written_as_sql_does() -> None:
    sql = "SELECT x > 50 AS k, COUNT(*) > 5 AS many FROM t GROUP BY k ORDER BY k"
    with ln.open(_ROWS, relation="add-remove") as data:
        answer = data.sql(sql, schema=_SCHEMA, epsilon=1000)
    assert answer.to_csv().splitlines()[1:] == ["false,true", "true,true"]
    assert answer.to_dicts()[0] == {"k": False, "many": True}
    assert answer.to_polars()["k"].to_list() == [False, True]
    assert "true" in str(answer)
    assert "True" not in str(answer)


_FAR = [-3_000_000, -719_529, -719_528, 2_932_896, 2_932_897, 80_000_000, None]


@pytest.mark.parametrize("label", _at_night("memory", "polars", "parquet", "polars lazy", "duckdb"))
def test_far_dates_have_their_years(label: str, tmp_path: Path) -> None:
    """Before the year 1 and beyond 9999, and infinite ones beside them: none ends a query."""
    pa, np = optional("pyarrow"), optional("numpy")
    table = pa.table({"d": pa.array(_FAR * 9, pa.int32()).cast(pa.date32())})
    years = [int(np.datetime64(day, "D").astype("M8[Y]").astype(int)) + 1970 for day in _FAR[:-1]]
    if label == "duckdb":
        connection = keep_open(duckdb.connect())
        connection.register("days", table)
        held: Any = connection.sql(
            "SELECT d FROM days UNION ALL SELECT unnest(['infinity'::DATE, '-infinity'::DATE])"
        )
    elif label == "parquet":
        optional("pyarrow.parquet").write_table(table, tmp_path / "t.parquet")
        held = tmp_path / "t.parquet"
    else:
        held = on_engine(label, table) if label in ENGINES else table
    if label == "polars":
        held = optional("polars").from_arrow(table)
    with ln.open(held, relation="add-remove") as data:
        for year in years:
            sql = f"SELECT COUNT(*) FROM t WHERE YEAR(d) = {year} AND MONTH(d) IS NOT NULL"
            with simulate(1):
                found = data.sql(sql, epsilon=10**6).rows
            assert found == ((9 * years.count(year),),), year
        with simulate(1):
            sql = "SELECT COUNT(*) FROM t WHERE DATE_TRUNC('year', d) IS NULL"
            missing = data.sql(sql, epsilon=10**6).rows[0][0]
        assert missing == (11 if label == "duckdb" else 9)


@pytest.mark.parametrize("label", _at_night("memory", "entries", "text", *ENGINES))
def test_infinite_entries_are_counted_alike(label: str, tmp_path: Path) -> None:
    """By COUNT, COUNT DISTINCT and sums, with a filter or without."""
    entries = [float("inf"), 1e200, 1.0, 2.0, 2.0, None] * 20
    held: Any = {"f": entries}
    if label == "text":
        (tmp_path / "t.csv").write_text(
            "f,g\n" + "inf,1\n1e200,1\n1,1\n2.0,1\n2,1\n,1\n" * 20, encoding="utf-8"
        )
        held = tmp_path / "t.csv"
    elif label != "entries":
        table = optional("pyarrow").table(held)
        held = table if label == "memory" else on_engine(label, table)
    schema = {"columns": {"f": {"bounds": [-10, 10]}}}
    wanted = {
        "SELECT COUNT(DISTINCT f), COUNT(f) FROM t": (4, 100),
        "SELECT COUNT(DISTINCT f) FROM t WHERE f > 5": (2,),
        "SELECT COUNT(DISTINCT f) FILTER (WHERE f > 5) FROM t": (2,),
        "SELECT COUNT(f) FILTER (WHERE f > 5) FROM t": (40,),
        "SELECT SUM(f) FILTER (WHERE f > 5) FROM t": (400,),
        "SELECT SUM(f) FROM t WHERE f > 5": (400,),
    }
    with ln.open(held, relation="add-remove") as data:
        for sql, row in wanted.items():
            with simulate(1):
                (found,) = data.sql(sql, schema=schema, epsilon=10**7).rows
            assert found == pytest.approx(row, abs=0.01), sql
