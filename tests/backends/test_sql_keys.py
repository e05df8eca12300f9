"""Groups whose keys are private: one rule for what entries are told apart by, in every front end.

The declared type decides; of a column without one the schema does: numbers where it has limits,
dates where these are dates, else text.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leastnoise as ln
from leastnoise.sql.text import QueryError
from leastnoise.testing import simulate
from support.engines import ENGINES, on_engine
from support.optional import optional

optional("sqlglot")
_DAYS = [date(2024, 1, 1), date(2024, 1, 2), None, None]
_WRITTEN: dict[str, list[Any]] = {
    "x": ["1", "1.0", "01", "2", "2.50", "2.5", None, "x"] * 30,
    "d": ["2024-01-01", "2024-01-02", None, "x"] * 60,
    "t": [f"{'ab'[i % 2]}{i % 3}" for i in range(240)],
}
_LIMITS: dict[str, Any] = {
    "columns": {"x": {"bounds": [0, 10]}, "d": {"bounds": [date(2023, 1, 1), date(2025, 1, 1)]}}
}


def _held(label: str, tmp_path: Any) -> Any:
    pa = optional("pyarrow")
    typed = pa.table(
        {
            "x": pa.array([1, 1, 1, 2, 2.5, 2.5, None, None] * 30, pa.float64()),
            "d": pa.array(_DAYS * 60, pa.date32()),
            "t": _WRITTEN["t"],
        }
    )
    if label == "memory":
        return typed
    if label == "entries":
        return _WRITTEN
    if label == "text":
        lines = [",".join(x or "" for x in line) for line in zip(*_WRITTEN.values(), strict=True)]
        (tmp_path / "t.csv").write_text("\n".join(["x,d,t", *lines]), encoding="utf-8")
        return tmp_path / "t.csv"
    return on_engine(label, typed)


def _asked(data: Any, sql: str, schema: Any) -> Any:
    with ln.open(data, relation="add-remove") as opened, simulate(1):
        return opened.sql(sql, schema=schema, epsilon=10**6, delta="1e-9").rows


_NUMBERS = ((1, 90), (2, 30), (2.5, 60))
_FIRST, _SECOND = (_DAYS[0], 60), (_DAYS[1], 60)
_ALIKE: dict[str, Any] = {
    "SELECT x, COUNT(*) FROM t GROUP BY x": _NUMBERS,
    "SELECT x, COUNT(x) FROM t WHERE x = 1 GROUP BY x": ((1, 90),),
    "SELECT d, COUNT(*) FROM t GROUP BY d": (_FIRST, _SECOND),
    "SELECT x * 2 AS k, COUNT(*) FROM t GROUP BY k HAVING k > 2": ((4, 30), (5, 60)),
    "SELECT LEFT(t, 1) AS k, COUNT(*) FROM t GROUP BY k": (("a", 120), ("b", 120)),
    "SELECT COUNT(DISTINCT x), COUNT(x), COUNT(DISTINCT d), COUNT(d) FROM t": ((3, 180, 2, 120),),
}


@pytest.mark.parametrize("label", ["memory", "entries", "text", *ENGINES])
def test_declared_limits_decide_alike_in_every_front_end(label: str, tmp_path: Any) -> None:
    data = _held(label, tmp_path)
    for sql, rows in _ALIKE.items():
        assert _asked(data, sql, _LIMITS) == rows, sql


@pytest.mark.parametrize("label", ["entries", "text"])
def test_without_limits_entries_of_no_type_are_text(label: str, tmp_path: Any) -> None:
    data = _held(label, tmp_path)
    keys = [row[0] for row in _asked(data, "SELECT x, COUNT(*) FROM t GROUP BY x", None)]
    assert keys == ["01", "1", "1.0", "2", "2.5", "2.50", "x"]
    assert _asked(data, "SELECT COUNT(DISTINCT x), COUNT(x) FROM t", None) == ((7, 210),)


_STRAY: dict[str, list[str]] = {
    "x": ["5", "huge", "", "", "7", "inf", "NA", "nan"],
    "k": ["1", "huge", "", "2", "1.0", "01", "NA", "two"],
    "b": ["true", "maybe", "", "false", "True", "yes", "NA", "0"],
    "d": ["2024-01-01", "soon", "", "", "2024-13-01", "31.1.2024", "NA", "2024-02-02"],
    "c": ["a", "5", "", "b", "NA", "zz", "nan", "inf"],
    "free": ["a", "5", "", "b", "NA", "zz", "nan", "inf"],
}
_DECLARED: dict[str, Any] = {
    "columns": {
        "x": {"bounds": [0, 10]},
        "k": {"keys": [1, 2]},
        "b": {"keys": [False, True]},
        "d": {"bounds": [date(2024, 1, 1), date(2024, 12, 31)]},
        "c": {"keys": ["a", "b", "NA"]},
    }
}
_THERE = {"x": 3, "k": 4, "b": 4, "d": 2, "c": 6, "free": 5}


@pytest.mark.parametrize("label", ["entries", "text"])
def test_what_is_not_what_is_declared_is_missing_everywhere(label: str, tmp_path: Path) -> None:
    """By the kind that is declared, never by the entries: of text any entry is there."""
    held: Any = _STRAY
    if label == "text":
        lines = [",".join(line) for line in zip(*_STRAY.values(), strict=True)]
        (tmp_path / "t.csv").write_text("\n".join([",".join(_STRAY), *lines]), encoding="utf-8")
        held = tmp_path / "t.csv"
    for name, there in _THERE.items():
        wanted = {
            f"COUNT({name})": there,
            f"COUNT_IF({name} IS NOT NULL)": there,
            f"COUNT_IF({name} IS NULL)": 8 - there,
            f"COUNT(*) FILTER (WHERE NOT {name} IS NULL)": there,
            f"COUNT({name}) FILTER (WHERE {name} IS NOT NULL)": there,
            f"COUNT(CASE WHEN {name} IS NULL THEN NULL ELSE 1 END)": there,
            f"COUNT(CASE WHEN {name} IS NULL THEN 1 ELSE 0 END)": 8,
            f"COUNT(DISTINCT {name}) FILTER (WHERE {name} IS NULL)": 0,
        }
        sql = f"SELECT {', '.join(wanted)} FROM t"
        assert _asked(held, sql, _DECLARED) == (tuple(wanted.values()),), name
        sql = f"SELECT COUNT(*), COUNT({name}) FROM t WHERE {name} IS NOT NULL"
        assert _asked(held, sql, _DECLARED) == ((there, there),), name
        sql = f"SELECT COUNT(*), COUNT({name}) FROM t WHERE {name} IS NULL"
        assert _asked(held, sql, _DECLARED) == ((8 - there, 0),), name
    sums = "SELECT SUM(CASE WHEN x IS NULL THEN 1 ELSE x END) FROM t WHERE x IS NULL OR x < 9"
    assert _asked(held, sums, _DECLARED)[0][0] == pytest.approx(17, abs=0.01)


_LETTERS = ["CAST({} AS TEXT) = '5'", "{} || '' = '5'", "LENGTH({}) = 1", "{} LIKE '5%'"]


@pytest.mark.parametrize("label", ["memory", "entries", "text"])
def test_numbers_and_dates_have_no_letters(label: str, tmp_path: Path) -> None:
    """Whether a type says what they are or the schema; engines write them in their ways."""
    data = _held(label, tmp_path)
    for name in ("x", "d"):
        for form in (*_LETTERS, "LEFT({}, 1) = '5'", "COALESCE({}, '-') = '5'"):
            sql = f"SELECT COUNT(*) FROM t WHERE {form.format(name)}"
            with ln.open(data, relation="add-remove") as opened, pytest.raises(QueryError):
                opened.prepare_sql(sql, schema=_LIMITS, epsilon=1)


@pytest.mark.parametrize("label", ["memory", "entries", "text"])
@pytest.mark.parametrize("form", ["d > {}", "{} <= d", "d IN ({})", "d BETWEEN {} AND {}"])
def test_dates_are_compared_with_no_zone(label: str, form: str, tmp_path: Path) -> None:
    zoned = "TIMESTAMP '2022-01-01T00:00:00Z'"
    sql = f"SELECT COUNT(*) FROM t WHERE {form.replace('{}', zoned)}"
    told = pytest.raises(QueryError, match="with a zone: write TIMESTAMP '2022-01-01 00:00:00', if")
    with ln.open(_held(label, tmp_path), relation="add-remove") as data, told:
        data.prepare_sql(sql, schema=_LIMITS, epsilon=1)


@pytest.mark.parametrize("label", ["entries", "text"])
@pytest.mark.parametrize("form", ["x = '{}'", "x <> '{}'", "x IN ('5', '{}')", "'{}' = x"])
def test_a_text_beside_declared_numbers_is_one(label: str, form: str, tmp_path: Path) -> None:
    """Of a text file or a list: another text equals no entry."""
    sql = f"SELECT COUNT(*) FROM t WHERE {form}"
    with ln.open(_held(label, tmp_path), relation="add-remove") as data:
        data.prepare_sql(sql.format("5"), schema=_LIMITS, epsilon=1)
        for text in ("five", "2023-01-05", "5 a"):
            with pytest.raises(QueryError, match=f"and '{text}' is none: write x = 5"):
                data.prepare_sql(sql.format(text), schema=_LIMITS, epsilon=1)


def test_typed_dates_need_no_limits_to_be_keys(tmp_path: Any) -> None:
    sql = "SELECT d, COUNT(*) AS n FROM t GROUP BY d HAVING d > DATE '2024-01-01'"
    assert _asked(_held("memory", tmp_path), sql, None) == (_SECOND,)


def test_true_and_false_as_text_are_written_alike(tmp_path: Path) -> None:
    """And nothing else than a cast takes them for text: engines would find other texts."""
    flags = [True, False, None, True]
    rows = {"flag": flags, "region": ["N"] * 4, "tens": [10, 20, 10, 10]}
    frame = pl.DataFrame(rows)
    frame.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text(
        "flag,region,tens\ntrue,N,10\nfalse,N,20\n,N,10\ntrue,N,10\n", encoding="utf-8"
    )
    columns = {"flag": [False, True], "region": ["N"], "tens": [10, 20]}
    schema = {"columns": {name: {"keys": keys} for name, keys in columns.items()}}
    for source in (rows, frame, frame.lazy(), tmp_path / "a.parquet", tmp_path / "a.csv"):
        with ln.open(source, relation="add-remove") as data:
            for text, found in [
                ("CAST(flag AS TEXT)", (("false", 1), ("true", 2))),
                ("region || CAST(flag AS TEXT)", (("Nfalse", 1), ("Ntrue", 2))),
                ("region || CAST(tens AS TEXT)", (("N10", 3), ("N20", 1))),
            ]:
                sql = f"SELECT {text} AS u, COUNT(*) AS n FROM t GROUP BY u"
                assert data.sql(sql, schema=schema, epsilon=1000).rows == found
            sql = "SELECT COUNT(*) FROM t WHERE CAST(flag AS TEXT) LIKE 't%'"
            assert data.sql(sql, schema=schema, epsilon=1000).rows == ((2,),)
            for text in (
                "flag LIKE 't%'",
                "flag = 'true'",
                "flag IN ('true')",
                "CONCAT(region, flag) = 'Ntrue'",
                "region || flag = 'Ntrue'",
                "COALESCE(flag, 'x') = 'true'",
            ):
                with pytest.raises(QueryError, match=r"^line 1, column \d+: "):
                    data.prepare_sql(
                        f"SELECT COUNT(*) FROM t WHERE {text}", schema=schema, epsilon=1
                    )
            for column in ("flag", "tens"):
                sql = f"SELECT region || {column} AS u, COUNT(*) FROM t GROUP BY u"
                with pytest.raises(QueryError, match=r"^line 1, column 18: "):
                    data.prepare_sql(sql, schema=schema, epsilon=1)


def test_a_cast_of_declared_texts_needs_no_type(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("code\n1\n2\n2\n", encoding="utf-8")
    schema = {"columns": {"code": {"keys": ["1", "2"]}}}
    rows = {"code": ["1", "2", "2"]}
    for source in (rows, pl.DataFrame(rows), tmp_path / "a.csv"):
        with ln.open(source, relation="add-remove") as data:
            for kind in ("INT", "DOUBLE"):
                sql = f"SELECT SUM(CAST(code AS {kind})) FROM t"
                assert data.sql(sql, schema=schema, epsilon=1000).rows == ((5,),)


def test_columns_that_are_no_numbers_are_compared_with_constants(tmp_path: Path) -> None:
    """Without types, too, where they would be read as numbers and never be equal."""
    texts, days = ["x", "y"], ["2020-01-01", "2020-03-01"]
    rows = {"a": texts, "b": texts, "sent": days, "got": days, "m": [1, 2], "n": [2, 2]}
    lines = [",".join(rows), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    frame = pl.DataFrame(rows).with_columns(pl.col("sent", "got").str.to_date())
    limits = {"bounds": [date(2020, 1, 1), date(2020, 12, 31)]}
    schema = {
        "columns": {"a": {"keys": texts}, "b": {"keys": texts}, "sent": limits, "got": limits}
    }
    for source in (rows, tmp_path / "a.csv", frame):
        with ln.open(source, relation="add-remove") as data:
            for condition in (
                *("a = b", "a <> b", "NOT a = b", "a = a", "a < b", "NULLIF(a, b) IS NULL"),
                *("a = 1", "a > 1", "a IN (1, 2)", "sent > 5", "sent = 5", "sent IN (5)"),
                *("CASE a WHEN b THEN 1 ELSE 0 END = 1", "CASE WHEN n > 1 THEN a END = b"),
                *("sent + 0 > 5", "GREATEST(sent, got) > 5", "ABS(a) > 1", "a = n", "n = a"),
                *("a + n > 1", "sent < n", "COALESCE(sent, got) > 3"),
            ):
                with pytest.raises(QueryError, match=r"^line 1, column \d+: "):
                    data.prepare_sql(
                        f"SELECT COUNT(*) FROM t WHERE {condition}", schema=schema, epsilon=1
                    )
            for condition, found in [
                ("n + 0 > m", 1),
                ("sent < got", 0),
                ("sent = got", 2),
                ("got BETWEEN sent AND DATE '2020-12-31'", 2),
                ("got - sent = 0", 2),
                ("COALESCE(a, b) = 'x'", 1),
                ("IF(n > 1, a, b) = 'y'", 1),
                ("sent > DATE '2020-02-01'", 1),
                ("a = 'x' OR a = 'y'", 2),
            ]:
                sql = f"SELECT COUNT(*) FROM t WHERE {condition}"
                assert data.sql(sql, schema=schema, epsilon=1000).rows == ((found,),)
    with (
        ln.open(rows) as data,
        pytest.raises(QueryError, match=r"n and m may be numbers, .* write n \+ 0"),
    ):
        data.prepare_sql("SELECT COUNT(*) FROM t WHERE n > m", schema=schema, epsilon=1)
