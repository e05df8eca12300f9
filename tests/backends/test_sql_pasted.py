"""Cures of refusals, pasted where the refused part stands, give what DuckDB says of the query.

Of words that DuckDB has in another form, or not at all, the same question in its own words is
beside them.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.sql.text import QueryError
from support.optional import optional

optional("sqlglot")
duckdb = optional("duckdb")

_TEXTS = ["a", "b", "c", None]
_ROWS: dict[str, list[Any]] = {
    "g": [_TEXTS[i * i % 7 % 4] for i in range(160)],
    "s": [_TEXTS[i % 3] if i % 9 else None for i in range(160)],
    "x": [None if i % 6 == 0 else (i * 7 % 23 - 11) / 4 + i % 19 / 3 for i in range(160)],
    "k": [None if i % 13 == 0 else i % 19 - 9 for i in range(160)],
    "d": [date(2019, 11, 30) + timedelta(i * 7 % 460) if i % 11 else None for i in range(160)],
    "e": [date(2020, 2, 29) + timedelta(i * 5 % 400) if i % 7 else None for i in range(160)],
    "code": [[None, "01", "1", "02", "10"][i * i % 11 % 5] for i in range(160)],
    "ts": [
        datetime(2020, 2, 28, 9) + timedelta(minutes=30 * (i % 120)) if i % 17 else None
        for i in range(160)
    ],
}
_SCHEMA: dict[str, Any] = {
    "columns": {
        "g": {"keys": ["a", "b", "c"]},
        "s": {"keys": ["a", "b", "c"]},
        "code": {"keys": ["01", "1", "02", "10"]},
        "k": {"bounds": [-9, 9], "step": 1},
        "x": {"bounds": [-16, 16]},
        "d": {"bounds": [date(2019, 1, 1), date(2021, 12, 31)]},
        "e": {"bounds": [date(2019, 1, 1), date(2021, 12, 31)]},
        "ts": {"bounds": [datetime(2020, 1, 1), datetime(2020, 12, 31)]},
    }
}
_NOON = "'2020-02-29 12:00:00"
# What is asked, and the same in words of DuckDB where it has others.
_PASTED: list[tuple[str, str]] = [
    *((f"ts {sign} {_NOON}.5'", "") for sign in ("=", "<>", "<", "<=", ">", ">=")),
    *((f"{_NOON}.5' {sign} ts", "") for sign in ("=", "<>", "<", "<=", ">", ">=")),
    (f"ts = TIMESTAMP {_NOON}.5'", ""),
    (f"ts <= TIMESTAMP {_NOON}.5'", ""),
    (f"ts BETWEEN {_NOON}.5' AND '2020-02-29 13:00:00'", ""),
    (f"ts BETWEEN {_NOON}' AND '2020-02-29 13:00:00.5'", ""),
    (f"ts IN ({_NOON}.5')", ""),
    (f"ts NOT IN ({_NOON}.5')", ""),
    (f"ts > {_NOON}+01:00'", "ts > TIMESTAMP '2020-02-29 11:00:00'"),
    (f"ts > TIMESTAMP {_NOON}+01:00'", "ts > TIMESTAMP '2020-02-29 11:00:00'"),
    ("ts < TO_TIMESTAMP(1582977600)", f"ts < TIMESTAMP {_NOON}'"),
    ("d > '29.02.2020'", "d > DATE '2020-02-29'"),
    ("d <= DATE '29-FEB-2020'", "d <= DATE '2020-02-29'"),
    ("d = '02/29/2020'", "d = DATE '2020-02-29'"),
    ("DATEDIFF(year, d, e) = 1", "DATEDIFF('year', d, e) = 1"),
    ("DATEDIFF('month', d, e) > 3", ""),
    ("DATE_DIFF(e, d, QUARTER) > 1", "DATEDIFF('quarter', d, e) > 1"),
    ("DATEDIFF(e, d) > 100", "e - d > 100"),
    ("DATEDIFF('day', ts, TIMESTAMP '2020-03-02 01:00:00') > 1", ""),
    ("DATE_PART('day', e - d) > 30", "e - d > 30"),
    ("d = 20200229", "d = DATE '2020-02-29'"),
    ("DATEDIFF(hour, d, ts) > 30", "DATEDIFF('hour', d, ts) > 30"),
    ("10 - DATEDIFF('month', d, ts) > 3", ""),
    ("d <= e AND TIMESTAMPDIFF(MONTH, d, e) = 3", "d <= e AND DATESUB('month', d, e) = 3"),
    ("d <= e AND TIMESTAMPDIFF(YEAR, d, e) = 0", "d <= e AND DATESUB('year', d, e) = 0"),
    ("e - d > INTERVAL '3' MONTH", "e - d > 90"),
    ("d IN (DATE '2020-02-29', NULL)", "d IN (DATE '2020-02-29')"),
    ("d IN (DATE '2020-02-29', e)", ""),
    ("k IN (1, NULL)", "k IN (1)"),
    ("COALESCE(g, 0) = 'a'", "COALESCE(g, '0') = 'a'"),
    ("k OR g = 'a'", ""),
    ("NOT k", ""),
    ("k AND g = 'a'", ""),
    ("k IS TRUE", "(k <> 0) IS TRUE"),
    ("k IS NOT TRUE", "(k <> 0) IS NOT TRUE"),
    ("NOT k::BOOL", ""),
    ("CAST(k AS BOOLEAN)", ""),
    ("k + 1 AND g = 'a'", ""),
    ("code = 1", ""),
    ("code <> 1", ""),
    ("code IN (1, 2)", ""),
    ("code NOT IN (1, 2)", ""),
    ("LAST_DAY(d, 'quarter') = '2020-03-31'", "DATE_TRUNC('quarter', d) = '2020-01-01'"),
    ("LAST_DAY(d, YEAR) = '2020-12-31'", "YEAR(d) = 2020"),
    ("AGE(DATE '2021-01-31', d) > INTERVAL 1 YEAR", ""),
    ("INTERVAL '3' MONTH >= AGE(e, DATE '2020-02-29')", ""),
    ("AGE(DATE '2021-01-31', d) NOT BETWEEN INTERVAL 1 MONTH AND INTERVAL 1 YEAR", ""),
    ("ts - CAST(ts AS DATE) > INTERVAL 12 HOUR", ""),
    ("INTERVAL 12 HOUR < ts - DATE_TRUNC('month', ts)", ""),
    ("(ts - d) <= INTERVAL 1 YEAR", ""),
    ("TIMESTAMP '2020-03-01' - ts BETWEEN INTERVAL 12 HOUR AND INTERVAL 30 HOUR", ""),
    ("ts - d NOT BETWEEN INTERVAL 12 HOUR AND INTERVAL 30 DAY", ""),
    ("CAST(k / 4 AS DECIMAL(10, 1)) BETWEEN 0.5 AND 1.3", ""),
    ("CONCAT_WS('-', g, s) = 'a'", ""),
    ("CONCAT_WS('-', g, s, code) = 'a-01'", ""),
    ("k > NULL OR g = 'a'", ""),
    ("NOT (k > NULL AND g = 'a')", ""),
    ("k BETWEEN 1 AND NULL", ""),
    ("k NOT BETWEEN 1 AND NULL", ""),
    ("k NOT BETWEEN NULL AND 3", ""),
    ("NOT (k BETWEEN NULL AND 3)", ""),
    ("NOT (NOT (k BETWEEN 2 AND NULL))", ""),
    ("ISNULL(k) OR g = 'a'", "k IS NULL OR g = 'a'"),
    ("ISNULL(k, 5) > 3", "COALESCE(k, 5) > 3"),
    ("ABS(k) AND NOT LENGTH(g)", "ABS(k) <> 0 AND NOT LENGTH(g) <> 0"),
    ("g = 'a' AND LENGTH(s)", ""),
    ("CONVERT(DATE, ts) = d", "CAST(ts AS DATE) = d"),
    ("CONVERT(code, SIGNED) = 1", "CAST(code AS INT) = 1"),
    ("k DIV 3 = -1", "k // 3 = -1"),
    ("POSITION('a' IN g) > 0", ""),
    ("0 = INSTR(g, 'a')", ""),
    ("DECODE(g, 'a', 1, NULL, 2, 3) = 2", "g IS NULL"),
    ("CHOOSE(k, 'a', 'b') = 'b'", "k = 2"),
    ("FIELD(g, 'b', 'a') = 2", "g = 'a'"),
    ("DAYOFWEEKISO(d) = 1", "ISODOW(d) = 1"),
    ("BOOLXOR(k > 1, g = 'a')", "XOR(CAST(k > 1 AS INT), CAST(g = 'a' AS INT)) = 1"),
    ("TRY_TO_NUMBER(code) = 1", "CAST(code AS INT) = 1"),
    ("10 - POWER(k, 2) > 3", ""),
    ("DIV0(k, k - 1) > 1", "CASE WHEN k = 1 THEN 0 ELSE k / (k - 1) END > 1"),
    ("CASE WHEN k > 0 THEN g ELSE 1 END = '1'", "CASE WHEN k > 0 THEN g ELSE '1' END = '1'"),
]


@cache
def _peer() -> Any:
    pa = optional("pyarrow")
    connection = duckdb.connect()
    connection.register("t", pa.table(_ROWS))
    return connection


def _pasted(sql: str, error: QueryError) -> str:
    """A query with the words of its refusal in place of what is refused."""
    start, part = error.start, error.part
    assert start is not None
    assert part is not None
    told = re.sub(r"^.*(write|leave it out)", r"\1", str(error))
    cure = re.split(r"[,;] (?:which|if|where|or|of weeks|without) ", told.removeprefix("write "))[0]
    return sql[:start] + cure + sql[start + len(part) :]


# Values that are asked, with the same in words of DuckDB.
_VALUES: list[tuple[str, str]] = [
    ("STD(k)", "STDDEV_POP(k)"),
    ("STDEVP(k)", "STDDEV_POP(k)"),
    ("VARP(k)", "VAR_POP(k)"),
    ("IQR(k)", "QUANTILE_DISC(k, 0.75) - QUANTILE_DISC(k, 0.25)"),
    ("SUMIF(k, g = 'a')", "SUM(k) FILTER (WHERE g = 'a')"),
    *((f"REGR_{name}(x, k)", "") for name in ("SLOPE", "INTERCEPT", "R2", "COUNT")),
    *((f"REGR_{name}(x, k)", "") for name in ("AVGX", "AVGY")),
    ("1 / REGR_SLOPE(x, k)", ""),
]


@pytest.mark.parametrize(("value", "same"), _VALUES)
def test_a_pasted_value_is_what_sql_means(value: str, same: str) -> None:
    sql = f"SELECT {value} FROM t"
    wanted = _peer().execute(f"SELECT {same or value} FROM t").fetchone()[0]
    with ln.open(_ROWS, relation="add-remove") as data:
        with pytest.raises(QueryError) as error:
            data.prepare_sql(sql, schema=_SCHEMA, epsilon=1)
        pasted = _pasted(sql, error.value)
        answer = data.sql(pasted, schema=_SCHEMA, epsilon=10**9).rows[0][0]
    assert answer == pytest.approx(wanted, rel=1e-3), pasted


@pytest.mark.parametrize("side", ["UPPER(g)", "SUBSTR(g, 1, 1)", "g || 'x'"])
def test_a_public_table_is_not_joined_by_another_value_than_is_written(
    side: str, tmp_path: Path
) -> None:
    (tmp_path / "pub.csv").write_text("code,w\na,1\nb,2\n")
    schema = {**_SCHEMA, "public": {"pub": {"file": str(tmp_path / "pub.csv"), "key": "code"}}}
    told = pytest.raises(QueryError, match="compute its keys in the public table instead")
    with ln.open(_ROWS, relation="add-remove") as data, told:
        sql = f"SELECT COUNT(*) FROM t JOIN pub ON {side} = pub.code"
        data.prepare_sql(sql, schema=schema, epsilon=1)


@pytest.mark.parametrize(
    ("unit", "cure"),
    [
        *((unit, "DATE_TRUNC('hour', ts)") for unit in ("HH24", "hh", "HOUR")),
        ("MI", "DATE_TRUNC('minute', ts)"),
        ("DD", "CAST(ts AS DATE)"),
        ("Q", "DATE_TRUNC('quarter', ts)"),
        ("DAY", "DATE_TRUNC('week', ts), or another unit"),
    ],
)
def test_times_are_cut_to_the_unit_that_is_written(unit: str, cure: str) -> None:
    sql = f"SELECT COUNT(*) FROM t WHERE TRUNC(ts, '{unit}') = '2020-02-29 10:00:00'"
    told = pytest.raises(QueryError, match=re.escape(f"write {cure}") + "$")
    with ln.open(_ROWS, relation="add-remove") as data, told:
        data.prepare_sql(sql, schema=_SCHEMA, epsilon=1)


def test_a_pasted_limit_takes_as_many_rows() -> None:
    asked = "SELECT g, COUNT(*) AS n FROM t GROUP BY g ORDER BY n DESC, g"
    told = {
        "FETCH FIRST 1 ROWS ONLY": "write LIMIT 1$",
        "FETCH FIRST ROW ONLY": "write LIMIT 1$",
        "FETCH NEXT 20 ROWS ONLY": "write LIMIT 20$",
        "FETCH FIRST 20 PERCENT ROWS ONLY": "write LIMIT and a number of rows$",
        "FETCH FIRST 2 ROWS WITH TIES": "write LIMIT and a number of rows$",
        "OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY": "write LIMIT 3 alone, and pass over the first 1 ",
        "OFFSET 1 ROWS FETCH NEXT (1 + 1) ROWS ONLY": "pass over the first 1 ",
    }
    with ln.open(_ROWS, relation="add-remove") as data:
        for clause, cure in told.items():
            with pytest.raises(QueryError, match=cure):
                data.prepare_sql(f"{asked} {clause}", schema=_SCHEMA, epsilon=1)


@pytest.mark.parametrize(("condition", "same"), _PASTED)
def test_a_pasted_cure_gives_what_sql_means(condition: str, same: str) -> None:
    sql = f"SELECT COUNT(*) FROM t WHERE {condition}"
    wanted = _peer().execute(f"SELECT COUNT(*) FROM t WHERE {same or condition}").fetchone()[0]
    with ln.open(_ROWS, relation="add-remove") as data:
        for _ in range(3):
            try:
                answer = data.sql(sql, schema=_SCHEMA, epsilon=10**6).rows[0][0]
                break
            except QueryError as error:
                sql = _pasted(sql, error)
        else:
            pytest.fail(f"{sql} is refused still")
    assert condition not in sql
    assert round(answer) == wanted, sql


@pytest.mark.parametrize(
    "name", ["CEIL", "FLOOR", "DATE", "AVG", "CHOOSE", "FIELD", "DECODE", "TIMESTAMP"]
)
def test_a_call_of_nothing_is_refused_by_its_name(name: str) -> None:
    with ln.open(_ROWS, relation="add-remove") as data:
        for sql in (f"SELECT {name}() FROM t", f"SELECT COUNT(*) FROM t WHERE {name}() > 0"):
            with pytest.raises(QueryError, match=name):
                data.prepare_sql(sql, schema=_SCHEMA, epsilon=1)


def test_a_text_is_cut_from_a_place_on() -> None:
    sql = "SELECT COUNT(*) FROM t WHERE SUBSTR(g) = 'a'"
    told = pytest.raises(QueryError, match=re.escape("takes a place: write SUBSTR(g, 1, 2)"))
    with ln.open(_ROWS, relation="add-remove") as data, told:
        data.prepare_sql(sql, schema=_SCHEMA, epsilon=1)
