"""Random queries with hardly any noise, beside DuckDB's own answers: no number is another one."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.testing import simulate
from support.engines import ENGINES, on_engine
from support.optional import optional
from support.sql_fuzz import compare

optional("sqlglot")
_FRONTS = ("memory", "pandas", "polars", "text", "entries", *ENGINES)


@pytest.mark.parametrize(("label", "count"), [("memory", 40), ("polars lazy", 2)])
def test_answers_are_those_of_duckdb(label: str, count: int) -> None:
    answered, refused = compare(11, count, label)
    assert answered >= 4 * refused, (answered, refused)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("label", "seeds"),
    [("memory", 150), ("entries", 50), ("polars lazy", 10), ("duckdb", 10), ("spark", 2)],
)
def test_answers_are_those_of_duckdb_for_long(label: str, seeds: int) -> None:
    # times of Spark have a zone, and constants without one are refused beside them
    most = 1 if label == "spark" else 2
    for seed in range(100, 100 + seeds):
        answered, refused = compare(seed, 20, label)
        assert answered >= most * refused, (seed, answered, refused)


def _held(label: str, rows: dict[str, list[Any]], tmp_path: Any) -> Any:
    pa = optional("pyarrow")
    kinds = {"x": pa.int64(), "d": pa.date32(), "seen": pa.timestamp("us")}
    table = pa.table({name: pa.array(rows[name], kind) for name, kind in kinds.items()})
    match label:
        case "memory":
            return table
        case "entries":
            return rows
        case "pandas":
            return table.to_pandas()
        case "polars":
            return optional("polars").from_arrow(table)
        case "text":
            lines = zip(*rows.values(), strict=True)
            text = "\n".join(",".join("" if x is None else str(x) for x in line) for line in lines)
            (tmp_path / "t.csv").write_text(f"x,d,seen\n{text}\n", encoding="utf-8")
            return tmp_path / "t.csv"
        case _:
            return on_engine(label, table)


@pytest.mark.parametrize("label", _FRONTS)
def test_dates_in_a_value_are_those_of_a_filter(label: str, tmp_path: Any) -> None:
    """Inside CASE, FILTER and GROUP BY as in WHERE, of every front end."""
    days = [None, date(2023, 1, 1), date(2024, 1, 1)] * 8
    times = [None if day is None else datetime(day.year, 1, 1, 12) for day in days]
    rows: dict[str, list[Any]] = {"x": list(range(24)), "d": days, "seen": times}
    bounds = {"d": [date(2022, 1, 1), date(2025, 1, 1)]}
    schema = {"columns": {name: {"bounds": ends} for name, ends in bounds.items()}}
    late = "d IN (DATE '2024-01-01', DATE '2022-05-05')"
    wanted = {
        "SELECT SUM(CASE WHEN d IS NULL THEN 1 ELSE 0 END) FROM t": (8,),
        "SELECT COUNT(*) FILTER (WHERE seen IS NOT NULL AND x > 2) FROM t": (14,),
        "SELECT COUNT_IF(d >= DATE '2024-01-01') FROM t": (8,),
        "SELECT COUNT_IF(seen < TIMESTAMP '2024-01-01 12:00:00' OR d IS NULL) FROM t": (16,),
        f"SELECT SUM(CASE WHEN {late} THEN 2 ELSE 1 END) FROM t": (32,),
        f"SELECT COUNT(*) FROM t WHERE CASE WHEN {late} THEN x > 5 ELSE FALSE END": (6,),
        "SELECT d IS NULL AS gone, COUNT(*) FROM t GROUP BY gone HAVING gone = 1": (1, 8),
        "SELECT COUNT(*) FROM t WHERE NOT (d IS NOT DISTINCT FROM DATE '2024-01-01')": (16,),
        "SELECT COUNT(*) FROM t WHERE d IS DISTINCT FROM DATE(seen) OR NULL <=> d": (8,),
        "SELECT COUNT_IF(NULLIF(x, 3) IS DISTINCT FROM NULLIF(x, 4)) FROM t": (2,),
        "SELECT COUNT_IF(NULLIF(x, 3) IS NOT DISTINCT FROM NULL) FROM t": (1,),
        "SELECT COUNT(*) FROM t WHERE DATE(seen) < TIMESTAMP '2024-01-01 00:00:01'": (16,),
    }
    if label == "spark":  # its times have a zone
        wanted = {sql: row for sql, row in wanted.items() if "seen" not in sql}
    if label in ("text", "entries"):  # nothing says that it holds times
        wanted = {sql: row for sql, row in wanted.items() if "DATE(seen)" not in sql}
    with ln.open(_held(label, rows, tmp_path), relation="add-remove") as data:
        for sql, row in wanted.items():
            with simulate(1):
                assert data.sql(sql, schema=schema, epsilon=10**6).rows == (row,), sql
