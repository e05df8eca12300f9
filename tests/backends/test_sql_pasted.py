"""Cures of refusals, pasted where the refused part stands, give what DuckDB says of the query.

Of words that DuckDB has in another form, or not at all, the same question in its own words is
beside them.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import cache
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
    "k": [None if i % 13 == 0 else i % 19 - 9 for i in range(160)],
    "d": [date(2019, 11, 30) + timedelta(i * 7 % 460) if i % 11 else None for i in range(160)],
    "e": [date(2020, 2, 29) + timedelta(i * 5 % 400) if i % 7 else None for i in range(160)],
    "ts": [
        datetime(2020, 2, 28, 9) + timedelta(minutes=30 * (i % 120)) if i % 17 else None
        for i in range(160)
    ],
}
_SCHEMA: dict[str, Any] = {
    "columns": {
        "g": {"keys": ["a", "b", "c"]},
        "k": {"bounds": [-9, 9], "step": 1},
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
    cure = re.split(r", (?:which|if|where|or|of weeks|without) ", told.removeprefix("write "))[0]
    return sql[:start] + cure + sql[start + len(part) :]


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
