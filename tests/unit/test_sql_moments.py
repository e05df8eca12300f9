"""Constant dates that are worked out, durations, days as keys, and casts to near types."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.sql.text import QueryError
from leastnoise.testing import simulate
from support.optional import optional

optional("sqlglot")
pl = optional("polars")

_N = 60
ROWS: dict[str, list[Any]] = {
    "day": [date(2024, 1, 1) + timedelta(i % 40) for i in range(_N)],
    "at": [datetime(2024, 1, 1, i % 24, tzinfo=UTC) for i in range(_N)],
    "took": [timedelta(hours=i % 12) for i in range(_N)],
    "code": [str(i % 5) for i in range(_N)],
    "flag": [i % 3 == 0 for i in range(_N)],
    "x": [i / 4 for i in range(_N)],
}
SCHEMA: dict[str, Any] = {
    "columns": {
        "day": {"bounds": [date(2024, 1, 1), date(2024, 2, 29)]},
        "at": {"bounds": [datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC)]},
        "took": {"bounds": ["PT0S", "PT12H"]},
        "x": {"bounds": [0, 20]},
    }
}


def _asked(sql: str, data: Any = None, schema: Any = SCHEMA) -> Any:
    data = pl.DataFrame(ROWS) if data is None else data
    with ln.open(data, relation="add-remove") as opened, simulate(1):
        return opened.sql(sql, schema=schema, epsilon=10**6).rows


@pytest.mark.parametrize(
    ("constant", "day"),
    [
        ("DATE '2024-03-01' - INTERVAL '40' DAY", date(2024, 1, 21)),
        ("DATE '2024-03-01' - INTERVAL 40 DAYS", date(2024, 1, 21)),
        ("DATE '1998-12-01' + INTERVAL '300' MONTH (3)", date(2023, 12, 1)),
        ("DATE '2024-03-31' - INTERVAL 2 MONTH", date(2024, 1, 31)),
        ("DATE '2024-03-31' - INTERVAL 1 MONTH", date(2024, 2, 29)),
        ("(DATE '2023-01-15' + INTERVAL 1 YEAR) + INTERVAL -1 WEEK", date(2024, 1, 8)),
        ("DATE '2024-01-01' + 9", date(2024, 1, 10)),
        ("DATE_ADD(DATE '2024-01-01', INTERVAL 1 QUARTER)", date(2024, 4, 1)),
        ("DATE_SUB(DATE '2024-02-01', INTERVAL 1 DAY)", date(2024, 1, 31)),
        ("DATEADD(month, 1, DATE '2024-01-01')", date(2024, 2, 1)),
        ("DATEADD('day', -1, DATE '2024-02-01')", date(2024, 1, 31)),
        ("DATE '2024-02-01' - INTERVAL '24' HOUR", date(2024, 1, 31)),
        ("LAST_DAY(DATE '2024-01-03')", date(2024, 1, 31)),
        ("EOMONTH('2024-01-3')", date(2024, 1, 31)),
        ("LAST_DAY(DATE '2024-01-03') + INTERVAL 1 DAY", date(2024, 2, 1)),
        ("DATE_TRUNC('month', DATE '2024-02-28')", date(2024, 2, 1)),
        ("DATE_TRUNC('year', TIMESTAMP '2024-02-28 10:00:00')", date(2024, 1, 1)),
        ("DATE_TRUNC('week', '2024-01-10')", date(2024, 1, 8)),
        ("ADD_MONTHS(DATE '2023-12-31', 1)", date(2024, 1, 31)),
        ("DATE_ADD('2023-12-31', INTERVAL 1 MONTH)", date(2024, 1, 31)),
        ("INTERVAL 1 DAY + DATE '2024-01-31'", date(2024, 2, 1)),
        ("CAST(TIMESTAMP '2024-02-01 10:00:00' AS DATE)", date(2024, 2, 1)),
        ("DATE(TIMESTAMP '2024-02-01 10:00:00')", date(2024, 2, 1)),
        ("DATE '2024-2-1'", date(2024, 2, 1)),
        ("TO_DATE('01.02.2024', 'DD.MM.YYYY')", date(2024, 2, 1)),
        ("TO_DATE('2024/02/01', 'yyyy/mm/dd')", date(2024, 2, 1)),
        ("TO_DATE('2024/02/01', 'yyyy/MM/dd')", date(2024, 2, 1)),
        ("TO_DATE('01-FEB-2024', 'DD-MON-YYYY')", date(2024, 2, 1)),
        ("PARSE_DATE('%d %B %Y', '1 February 2024')", date(2024, 2, 1)),
        ("STR_TO_DATE('1,2,2024', '%d,%c,%Y')", date(2024, 2, 1)),
        ("STRPTIME('20240201', '%Y%m%d')", date(2024, 2, 1)),
        ("TO_TIMESTAMP('2024-02-01 00:00', 'yyyy-MM-dd HH:mm')", date(2024, 2, 1)),
        ("TO_TIMESTAMP('2024-02-01 00:00', 'YYYY-MM-DD HH24:MI')", date(2024, 2, 1)),
        ("DATE_FROM_PARTS(2024, 2, 1)", date(2024, 2, 1)),
        ("MAKE_TIMESTAMP(2024, 2, 1, 0, 0, 0)", date(2024, 2, 1)),
        ("DATETIMEFROMPARTS(2024, 2, 1, 0, 0, 0, 0)", date(2024, 2, 1)),
        ("DATETIME('2024-02-01 00:00:00')", date(2024, 2, 1)),
        ("'2024-2-1'", date(2024, 2, 1)),
        ("'2024-02-01 00:00:00'", date(2024, 2, 1)),
    ],
)
def test_constants_are_worked_out(constant: str, day: date) -> None:
    for sign, met in (("<", sum(x < day for x in ROWS["day"])), ("=", ROWS["day"].count(day))):
        sql = f"SELECT COUNT(*) FROM t WHERE day {sign} {constant}"
        assert _asked(sql) == ((met,),)
        assert _asked(sql, ROWS) == ((met,),)
    between = f"SELECT COUNT(*) FROM t WHERE day BETWEEN DATE '2024-01-01' AND {constant}"
    assert _asked(between) == ((sum(date(2024, 1, 1) <= x <= day for x in ROWS["day"]),),)


def test_durations_are_compared_with_intervals() -> None:
    few = sum(x < timedelta(hours=3) for x in ROWS["took"])
    for condition in ("took < INTERVAL 3 HOUR", "INTERVAL '180' MINUTE > took"):
        assert _asked(f"SELECT COUNT(*) FROM t WHERE {condition}") == ((few,),)
        assert _asked(f"SELECT COUNT(*) FILTER (WHERE {condition}) FROM t") == ((few,),)
    sql = "SELECT COUNT(*) FROM t HAVING MAX(day) - MIN(day) > INTERVAL 30 DAY"
    assert len(_asked(sql)) == 1
    assert not _asked(sql.replace("30", "60"))


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("day < DATE '2024-01-01' - INTERVAL 3", "units are|write a whole number"),
        ("day < DATE '2024-01-01' - INTERVAL 'x' DAY", "write a whole number and its unit"),
        ("day < DATE '2024-01-01' - INTERVAL 3 FORTNIGHT", "units are SECOND, MINUTE"),
        ("day < DATE '2024-01-01' - INTERVAL 99999 YEAR", "dates go from DATE '0001-01-01'"),
        ("took < INTERVAL 3 MONTH", "write INTERVAL 90 DAY"),
        ("took < 3", "took holds durations, and 3 is a number: write INTERVAL 8 HOUR"),
        ("day < INTERVAL 3 DAY", "day holds dates, and is compared with durations: write DATE"),
        ("x + INTERVAL 3 DAY < DATE '2024-01-01'", "write day . INTERVAL 10 DAY of a column"),
        ("ADD_MONTHS(day, 3) < DATE '2024-01-01'", "write day . INTERVAL 3 MONTH, which keeps"),
        ("at < TIMESTAMP '2024-01-01 00:00:00.5'", "write TIMESTAMP '2024-01-01 00:00:01'"),
        ("day < CURRENT_DATE - INTERVAL 3 DAY", "would depend on when it is asked"),
        ("YEAR(x) = 2024", "x holds numbers, and YEAR takes a column of dates or times"),
        ("YEAR(code) = 2024", "make it a column of dates where the data comes from, CAST.code"),
        ("YEAR(took) = 2024", "took holds durations, and YEAR takes"),
        ("x = DATE '2024-01-01'", "x holds numbers, and is compared with dates: write x = 5"),
        (
            "day = '2024-02-30'",
            "day holds dates, and '2024-02-30' is none: write DATE '2024-01-31'",
        ),
        ("flag = 'yes'", "write flag = TRUE"),
        ("CAST(x AS FLOAT) > 1", r"write CAST\(x AS DOUBLE\)"),
        ("x::NUMERIC > 1", r"write CAST\(x AS DOUBLE\), or ROUND\(x, 2\)"),
        ("CAST(at AS TIMESTAMP) > TIMESTAMP '2024-01-01 00:00:00'", "write at > TIMESTAMP"),
        ("UPPER(code) = 'A'", r"\[columns.code\] keys"),
        ("CAST(day AS TEXT) = '2024-01-05'", "write day = DATE '2024-01-05'"),
    ],
)
def test_what_does_not_fit_is_told_with_what_does(condition: str, why: str) -> None:
    with pytest.raises(QueryError, match=rf"^line 1, column \d+: .*({why})"):
        _asked(f"SELECT COUNT(*) FROM t WHERE {condition}")


def test_dates_of_a_row_are_compared_and_subtracted() -> None:
    """By one clock; days apart are a whole number, whose limits follow from those of the dates."""
    rows = {**ROWS, "due": [date(2024, 1, 20) for _ in range(_N)]}
    facts = {**SCHEMA["columns"], "due": {"bounds": [date(2024, 1, 1), date(2024, 3, 1)]}}
    apart = [(day - date(2024, 1, 20)).days for day in ROWS["day"]]
    at = [x.date() for x in ROWS["at"]]
    for data in (rows, pl.DataFrame(rows)):
        for sql, wanted in (
            ("COUNT(*) FROM t WHERE day < due", sum(x < 0 for x in apart)),
            ("COUNT(*) FROM t WHERE due - day > 5", sum(x < -5 for x in apart)),
            (
                "COUNT_IF(day BETWEEN due AND DATE '2024-01-31') FROM t",
                sum(0 <= x < 12 for x in apart),
            ),
            ("SUM(day - due) FROM t", sum(apart)),
            ("MAX(day - DATE '2024-01-20') FROM t", max(apart)),
            ("SUM(DATE '2024-01-20' - day) FROM t", -sum(apart)),
            (
                "COUNT(*) FROM t WHERE CAST(at AS DATE) >= day",
                sum(map(date.__ge__, at, ROWS["day"])),
            ),
        ):
            found = _asked(f"SELECT {sql}", data, {"columns": facts})
            assert found[0][0] == pytest.approx(wanted, abs=0.01), sql
    for sql, why in (
        ("at > day", r"write both as days, CAST\(at AS DATE\) and day$"),
        ("CAST(day AS DATE) > at", r"days, CAST\(day AS DATE\) and CAST\(at AS DATE\)$"),
        ("at - day > 3", r"write CAST\(at AS DATE\) - day$"),
        ("DATEDIFF('day', day, at) > 3", "write CAST.at AS DATE. - day"),
    ):
        with pytest.raises(QueryError, match=why):
            _asked(f"SELECT COUNT(*) FROM t WHERE {sql}")


def test_constants_are_added_as_decimals() -> None:
    """As they are in SQL: 0.06 + 0.01 is 0.07, which in doubles it is not."""
    rows = {"x": [0.05, 0.06, 0.07, 0.08]}
    for condition, met in (
        ("x BETWEEN 0.06 - 0.01 AND 0.06 + 0.01", 3),
        ("x = 0.1 * 0.7", 1),
        ("0.1 + 0.2 = 0.3", 4),
        ("x > 7 / 100", 1),
        ("x > 1 / 0", 0),
        ("x > " + " * ".join(["1e-999"] * 99), 4),  # in doubles, and soon
    ):
        for data in (rows, pl.DataFrame(rows)):
            sql = f"SELECT COUNT(*) FROM t WHERE {condition}"
            assert _asked(sql, data, {"columns": {"x": {"bounds": [0, 1]}}}) == ((met,),), condition


def test_floor_brings_its_keys_along() -> None:
    ages = [-3, 0, 4, 5, 14, 15, 99]
    schema = {"columns": {"age": {"bounds": [-5, 99], "step": 1}}}
    for sql, key in (
        ("FLOOR(age / 5) * 5", lambda x: x // 5 * 5),
        ("10 * FLOOR(age / 10) + 5", lambda x: x // 10 * 10 + 5),
        ("CEIL(age / 4)", lambda x: -(-x // 4)),
    ):
        found = dict(
            _asked(f"SELECT {sql} AS k, COUNT(*) FROM t GROUP BY k", {"age": ages}, schema)
        )
        wanted = [key(x) for x in ages]
        assert {k: n for k, n in found.items() if n} == {k: wanted.count(k) for k in wanted}
        assert all(type(k) is int for k in found)
        assert list(found) == sorted({key(x) for x in range(-5, 100)})
    with pytest.raises(QueryError, match="has no keys"):
        _asked("SELECT FLOOR(age * 9) AS k, COUNT(*) FROM t GROUP BY k", {"age": ages}, schema)


def test_a_column_of_no_type_is_compared_with_times_of_one_kind() -> None:
    sql = "SELECT COUNT(*) FROM t WHERE day < DATE '2024-02-01' AND day >= {}"
    time = "TIMESTAMP '2024-02-01 12:00:00' - INTERVAL '36' HOUR"
    for constant in (time, "TIMESTAMP '2024-01-01 00:00:00'"):
        with pytest.raises(
            QueryError, match=r"column 65: day .* with dates before this, .* declare limits"
        ):
            _asked(sql.format(constant), ROWS, {})
    for data in (ROWS, pl.DataFrame(ROWS)):  # limits or a type say that they are days
        with pytest.raises(QueryError, match=r"column 65: day .* with dates before this"):
            _asked(sql.format("TIMESTAMP '2024-01-01 00:30:00'"), data)
    assert _asked(sql.format(time), ROWS) == _asked(sql.format(time))
    assert _asked(sql.format(time)) == ((sum(x == date(2024, 1, 31) for x in ROWS["day"]),),)


@pytest.mark.parametrize("kind", [pl.DataFrame, dict])
def test_days_are_keys_by_their_limits_or_as_declared(kind: Any) -> None:
    """Without a name of its own, as CAST(day AS DATE) has them; shown as dates everywhere."""
    sql = "SELECT t.day, COUNT(*) AS n FROM t GROUP BY day ORDER BY day"
    every = _asked(sql, kind(ROWS))
    assert [row[0] for row in every] == [date(2024, 1, 1) + timedelta(i) for i in range(60)]
    assert dict(every)[date(2024, 1, 5)] == ROWS["day"].count(date(2024, 1, 5))
    declared = [date(2024, 1, 5), date(2023, 1, 1)]
    for bounds in ({}, SCHEMA["columns"]["day"]):
        schema = {"columns": {"day": {"keys": declared, **bounds}}}
        for asked in (sql, sql.replace("t.day", "CAST(day AS DATE)").replace("BY day", "BY 1")):
            few = _asked(asked, kind(ROWS), schema)
            assert few == ((date(2023, 1, 1), 0), (date(2024, 1, 5), 2))
        found = _asked("SELECT COUNT(DISTINCT day) FROM t", kind(ROWS), schema)
        assert found == ((len(set(ROWS["day"])),),)


def test_times_are_keys_where_they_are_declared() -> None:
    at = [datetime(2024, 1, 1, 3, tzinfo=UTC), datetime(2024, 1, 1, 5, tzinfo=UTC)]
    schema = {"columns": {"at": {"keys": at}, "took": {"keys": [timedelta(hours=2)]}}}
    rows = _asked("SELECT at, COUNT(*) FROM t GROUP BY at", schema=schema)
    assert rows == tuple((one, ROWS["at"].count(one)) for one in at)
    rows = _asked("SELECT took, COUNT(*) FROM t GROUP BY took", schema=schema)
    assert rows == ((timedelta(hours=2), ROWS["took"].count(timedelta(hours=2))),)
    local = {"columns": {"at": {"keys": [datetime(2024, 1, 1, 3)]}}}
    with pytest.raises(QueryError, match="at holds times with a zone"):
        _asked("SELECT at, COUNT(*) FROM t GROUP BY at", schema=local)


def test_a_column_of_no_type_is_true_or_false_by_its_keys(tmp_path: Any) -> None:
    """Other words are declared as these, and a number that is declared is no date."""
    file = tmp_path / "t.csv"
    file.write_text("flag,said,x\n" + "true,yes,1\nfalse,no,2\n" * 30, encoding="utf-8")
    schema = {"columns": {"flag": {"keys": [False, True]}, "x": {"bounds": [0, 9]}}}
    for truth in ("TRUE", "FALSE"):
        told = f"flag is true or false by what is declared: write flag = {truth}"
        with pytest.raises(QueryError, match=f"{told}$"):
            _asked(f"SELECT COUNT(*) FROM t WHERE flag = '{truth.lower()}'", file, schema)
        assert _asked(f"SELECT COUNT(*) FROM t WHERE flag = {truth}", file, schema) == ((30,),)
    said = {"columns": {"said": {"keys": [False, True]}}}
    with pytest.raises(QueryError, match=r'declare them, \[columns.said\] keys = \["yes"\]'):
        _asked("SELECT COUNT(*) FROM t WHERE said = 'yes'", file, said)
    said = {"columns": {"said": {"keys": ["yes", "no"]}}}
    assert _asked("SELECT COUNT(*) FROM t WHERE said = 'yes'", file, said) == ((30,),)
    with pytest.raises(QueryError, match="x is a number by what is declared, and is compared with"):
        _asked("SELECT COUNT(*) FROM t WHERE x IN (DATE '2024-01-01')", file, schema)
    for cast in ("SAFE_CAST(x AS FLOAT64)", "TRY_CAST(x AS DOUBLE)", "CAST(x AS FLOAT8)"):
        assert _asked(f"SELECT SUM({cast}) FROM t", file, schema)[0][0] == pytest.approx(90, abs=1)


@pytest.mark.parametrize("limits", [None, "days", "times"])
def test_times_of_a_row_are_compared_as_they_are(limits: str | None) -> None:
    """Whatever their limits are declared as; a date beside a time is its midnight."""
    start = datetime(2024, 1, 1)
    rows = {
        "a": [start + timedelta(hours=7 * i % 48) for i in range(_N)],
        "b": [start + timedelta(hours=5 * i % 48) for i in range(_N)],
        "day": [date(2024, 1, 1 + i % 3) for i in range(_N)],
    }
    midnights = [datetime(each.year, each.month, each.day) for each in rows["day"]]
    ends = [date(2024, 1, 1), date(2024, 1, 3)]
    if limits == "times":
        ends = [start, start + timedelta(days=2)]
    bounds = {} if limits is None else {"bounds": ends}
    schema = {"columns": {"a": bounds, "b": bounds}}
    expected = {
        "a > b": sum(x > y for x, y in zip(rows["a"], rows["b"], strict=True)),
        "a = b": sum(x == y for x, y in zip(rows["a"], rows["b"], strict=True)),
        "a > day": sum(x > y for x, y in zip(rows["a"], midnights, strict=True)),
        "day >= b": sum(x <= y for x, y in zip(rows["b"], midnights, strict=True)),
    }
    for condition, count in expected.items():
        for data in (pl.DataFrame(rows), pl.LazyFrame(rows)):
            found = _asked(f"SELECT COUNT(*) FROM t WHERE {condition}", data, schema)
            assert found == ((count,),), condition


_TEN, _DAY = timedelta(10), date(2024, 1, 20)


@pytest.mark.parametrize(
    ("condition", "other", "means"),
    [
        ("due > day + 10", "due - day > 10", lambda day, due: due > day + _TEN),
        ("day + INTERVAL '10' DAY <= due", "due - day >= 10", lambda day, due: day + _TEN <= due),
        ("due - INTERVAL '10' DAY > day", "day - due < -10", lambda day, due: due - _TEN > day),
        ("(day + 10) = due", "due - day = 10", lambda day, due: day + _TEN == due),
        (
            "day + 10 > DATE '2024-01-20'",
            "day > DATE '2024-01-20' - INTERVAL 10 DAY",
            lambda day, _: day + _TEN > _DAY,
        ),
        (
            "DATE '2024-01-20' <= day - 10",
            "day >= DATE '2024-01-20' + INTERVAL 10 DAY",
            lambda day, _: day - _TEN >= _DAY,
        ),
    ],
)
def test_dates_of_a_row_are_moved(condition: str, other: str, means: Any) -> None:
    days = ROWS["day"]
    rows = {"day": days, "due": [day + timedelta(5 + i % 9) for i, day in enumerate(days)]}
    both = {"columns": dict.fromkeys(rows, SCHEMA["columns"]["day"])}
    count = sum(means(day, due) for day, due in zip(rows["day"], rows["due"], strict=True))
    for asked in (condition, other):
        found = _asked(f"SELECT COUNT(*) FROM t WHERE {asked}", pl.DataFrame(rows), both)
        assert found == ((count,),)
    with pytest.raises(QueryError, match="write 10, without INTERVAL"):
        _asked("SELECT COUNT(*) FROM t WHERE due - day > INTERVAL 10 DAY", pl.DataFrame(rows), both)


@pytest.mark.parametrize("months", [1, -1, 11, -13, 1200, -4799])
def test_of_a_shorter_month_a_moved_date_is_the_last_day(months: int) -> None:
    days = [date(year, 1, 1) + timedelta(i) for year in (1900, 1999, 2096) for i in range(800)]
    later: list[date] = []
    for day in days:
        year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
        last = monthrange(year, month + 1)[1]
        later.append(date(year, month + 1, min(day.day, last)))
    for kind in (pl.Date, pl.Datetime):
        table = pl.DataFrame({"a": days, "b": later}).cast(kind)
        sql = f"SELECT COUNT(*) FROM t WHERE a + INTERVAL '{months}' MONTH = b"
        assert _asked(sql, table, {}) == ((len(days),),)


_TIMES = [datetime(2024, 1, 1) + timedelta(hours=13 * i) for i in range(_N)]
# What the rows are, and what is declared of them: a list of texts has no type.
_HELD: dict[str, tuple[Any, Any]] = {
    "days": (pl.Series(ROWS["day"]), None),
    "declared days": ([str(day) for day in ROWS["day"]], [date(2024, 1, 1), date(2024, 3, 1)]),
    "midnights": ([f"{day}T00:00:00" for day in ROWS["day"]], [date(2024, 1, 1), date(2024, 3, 1)]),
    "times": (pl.Series(_TIMES), None),
    "declared times": (
        [time.isoformat() for time in _TIMES],
        [datetime(2024, 1, 1), datetime(2024, 3, 1)],
    ),
}
_BESIDE = [
    *("x = '2024-01-14'", "x <> '2024-1-14'", "x < '2024-01-14'", "x >= '20240114'"),
    *("x BETWEEN '2024-1-1' AND '2024-01-14'", "x IN ('2024-01-14', DATE '2024-01-27')"),
    *("'2024-01-14 00:00:00' <= x", "NOT x > '2024-01-14T00:00:00'", "x > ('2024-01-14')"),
    *("CASE x WHEN '2024-01-14' THEN TRUE END", "CAST(x AS DATE) = '2024-01-14'"),
    "x > DATE '2024-01-14'",
]


@pytest.mark.parametrize("held", _HELD)
def test_a_text_beside_dates_is_one_of_them_and_a_date_its_midnight(held: str) -> None:
    """As in SQL, whatever says that they are dates, and however an entry is written."""
    duckdb = optional("duckdb")
    rows, bounds = _HELD[held]
    schema = {"columns": {"x": {"bounds": bounds}}} if bounds else {}
    data = {"x": rows} if bounds else pl.DataFrame({"x": rows})
    moments = ROWS["day"] if "times" not in held else _TIMES
    connection = duckdb.connect()
    kind = "TIMESTAMP" if "times" in held else "DATE"
    connection.execute(f"CREATE TABLE t (x {kind})")
    connection.executemany("INSERT INTO t VALUES (?)", [(moment,) for moment in moments])
    for condition in _BESIDE:
        sql = f"SELECT COUNT(*) FROM t WHERE {condition}"
        peer = sql.replace("'20240114'", "'2024-01-14'")
        assert _asked(sql, data, schema)[0] == connection.execute(peer).fetchone(), condition
    if bounds:  # a word for what is missing is no date, and is found by no comparison
        assert _asked("SELECT COUNT(*) FROM t WHERE x = 'NA'", data, schema) == ((0,),)


@pytest.mark.parametrize("held", _HELD)
@pytest.mark.parametrize(
    "text", ["2024-13-45", "noon", "2024-02-30", "2024-01-05 25:00", "2024-01-05T10:00:00Z",
             "05.01.2024"],
)  # fmt: skip
def test_a_text_that_is_no_date_is_refused_and_its_cure_works(held: str, text: str) -> None:
    rows, bounds = _HELD[held]
    schema = {"columns": {"x": {"bounds": bounds}}} if bounds else {}
    data = {"x": rows} if bounds else pl.DataFrame({"x": rows})
    for sign in ("=", "<>", ">"):
        sql = f"SELECT COUNT(*) FROM t WHERE x {sign} '{text}'"
        with pytest.raises(QueryError, match=f"and '{text}' is none[a-z ,]*: write ") as refused:
            _asked(sql, data, schema)
        cure = str(refused.value).rpartition("write ")[2].partition(", if")[0]
        _asked(sql.replace(f"'{text}'", cure), data, schema)


def test_numbers_are_worked_out_of_constant_dates() -> None:
    data = pl.DataFrame({"age": [*range(40)], "day": ROWS["day"][:40]})
    for condition, met in (
        ("DATE '2024-02-01' - DATE '2024-1-20' > age", 12),
        ("age < '2024-02-01' - DATE '2024-01-20'", 12),
        ("YEAR(DATE '2024-02-01') = YEAR(day)", 40),
        ("YEAR('2024-2-1') = YEAR(day)", 40),
        ("EXTRACT(MONTH FROM DATE '2024-02-01') = MONTH(day)", 9),
        ("HOUR(TIMESTAMP '2024-02-01 12:30:00') > age", 12),
        ("day - '2024-01-20' > 5", 15),
        ("'2024-01-20' - day > 5", 14),
        ("LAST_DAY('2024-01-20') - day > 5", 25),
    ):
        found = _asked(f"SELECT COUNT(*) FROM t WHERE {condition}", data, {})
        assert found == ((met,),), condition


def test_what_may_be_dates_or_numbers_is_asked_for() -> None:
    """Of a list or a text file: as numbers dates would be missing, all of them."""
    rows = {"a": [str(day) for day in ROWS["day"]], "b": [str(day) for day in ROWS["day"]]}
    bounds = {"bounds": [date(2024, 1, 1), date(2024, 3, 1)]}
    for condition in ("a > b + 5", "(a - 5) < b", "a + 1 + 2 = b - 1"):
        with pytest.raises(QueryError, match="may be numbers, text or dates: declare bounds"):
            _asked(f"SELECT COUNT(*) FROM t WHERE {condition}", rows, {})
    for condition in ("a + 0 > b + 5", "a > b * 2", "a + 0 - 5 < b"):
        _asked(f"SELECT COUNT(*) FROM t WHERE {condition}", rows, {})
    for condition in ("a - b > 5", "a > b", "a BETWEEN b AND b", "a = b", "ABS(b - a) < 3"):
        sql = f"SELECT COUNT(*) FROM t WHERE {condition}"
        with pytest.raises(QueryError, match="may be numbers, text or dates: declare bounds"):
            _asked(sql, rows, {})
        told = pytest.raises(QueryError, match=r"\[columns.a\] bounds = \[2020-01-01, 2024-12-31\]")
        with told:
            _asked(sql, rows, {"columns": {"b": bounds}})
        _asked(sql, rows, {"columns": {"a": bounds, "b": bounds}})
        _asked(sql.replace("a", "(a + 0)", 1) if "BETW" not in sql else sql.replace("b", "(b + 0)"),
               rows, {})  # fmt: skip
    with pytest.raises(QueryError, match=r"\[columns.a\] bounds"):
        _asked("SELECT AVG(a - DATE '2024-01-01') FROM t", rows, {})
    with pytest.raises(QueryError, match="nothing says that it is one: declare its limits"):
        _asked("SELECT COUNT(*) FROM t WHERE a > b + INTERVAL 5 DAY", rows, {})


@pytest.mark.parametrize("function", ["TRUNC", "ROUND", "FLOOR", "CEIL"])
def test_what_makes_numbers_whole_brings_keys(function: str) -> None:
    """No more and no fewer than the limits allow, in the order of the numbers."""
    rows = {"age": [*range(-25, 36)]}
    schema = {"columns": {"age": {"bounds": [-25, 35], "step": 1}}}
    found = _asked(f"SELECT {function}(age / 10) * 2 AS k, COUNT(*) FROM t GROUP BY k",
                   pl.DataFrame(rows), schema)  # fmt: skip
    whole = {
        "TRUNC": lambda n: int(n / 10),
        "ROUND": lambda n: int((abs(n) + 5) // 10) * (1 if n > 0 else -1),
        "FLOOR": lambda n: n // 10,
        "CEIL": lambda n: -(-n // 10),
    }[function]
    keys = [2 * whole(n) for n in rows["age"]]
    assert found == tuple((key, keys.count(key)) for key in sorted({*keys}))


@pytest.mark.parametrize(
    ("condition", "met", "cure"),
    [
        ("MAX(day) = '2024-02-09'", True, None),
        ("MAX(day) < '2024-2-9'", False, None),
        ("('2024-01-01') = MIN(day)", True, None),
        ("MAX(day) > TIMESTAMP '2024-01-01 00:00:00'", True, None),
        ("MIN(day) BETWEEN '2023-12-31' AND '2024-01-01'", True, None),
        ("MIN(day) IN ('2024-01-01', DATE '2023-01-01')", True, None),
        ("CASE MIN(day) WHEN '2024-01-01' THEN TRUE ELSE FALSE END", True, None),
        ("NULLIF(MIN(day), '2024-01-01') IS NULL", True, None),
        ("MAX(day) - '2024-01-01' = INTERVAL 39 DAY", True, None),
        ("MAX(at) > '2024-01-01T05:00:00Z'", True, None),
        ("MAX(day) > '2024-13-01'", True, "MAX(day) > {}"),
        ("MAX(day) > '2024-01-01 10:00:00'", True, "MAX(day) > {}"),
        ("MAX(at) > TIMESTAMP '2024-01-01 05:00:00'", True, "MAX(at) > {}"),
        ("MAX(at) > '2024-01-01'", True, "MAX(at) > {}"),
        ("AVG(took) > 5", False, "AVG(took) > {}"),
        ("MAX(day) - MIN(day) > 5", True, "MAX(day) - MIN(day) > {}"),
    ],
)
def test_a_text_beside_released_dates_is_one_of_them(
    condition: str, met: bool, cure: str | None
) -> None:
    """What is refused is told with what to write; times of two kinds had compared as NULL."""
    if cure is not None:
        with pytest.raises(QueryError) as refused:
            _asked(f"SELECT COUNT(*) FROM t HAVING {condition}")
        condition = cure.format(str(refused.value).rpartition("write ")[2])
    assert bool(_asked(f"SELECT COUNT(*) FROM t HAVING {condition}")) is met


def test_branches_that_no_value_inside_limits_takes_are_left_out_of_limits() -> None:
    """TRUNC(x / 7) of 0 to 120 is at most 17, and not 18, as CEIL is."""
    data = pl.DataFrame({"x": [0, 120]})
    schema = {"columns": {"x": {"bounds": [0, 120], "step": 1}}}
    for of, bounds in (
        ("TRUNC(x / 7)", (0, 17)),
        ("CEIL(x / 7)", (0, 18)),
        ("CASE WHEN x >= 0 THEN 1 WHEN x > 120 THEN 9 WHEN x <= -1 THEN 8 END", (0, 1)),
        ("CASE WHEN x > 119 THEN 1 ELSE 5 END", (1, 5)),
    ):
        with ln.open(data) as opened:
            made = opened.prepare_sql(f"SELECT SUM({of}) AS s FROM t", schema=schema, epsilon=1)
            assert made.compiled.statistics["s"].bounds == bounds, of


def test_clauses_are_no_names_of_columns() -> None:
    """A column is called group by, and a clause of the query too."""
    rows = pl.DataFrame({"group by": [1, 2], "took": [timedelta(hours=1)] * 2})
    with pytest.raises(QueryError) as refused:
        _asked("SELECT HOUR(took) AS m, COUNT(*) FROM t GROUP BY m", rows, {})
    assert "double quotes" not in str(refused.value)
    with pytest.raises(QueryError, match='stands in double quotes, "group by"'):
        _asked("SELECT COUNT(group by) FROM t", rows, {})


def test_durations_are_told_with_their_own_words() -> None:
    schema = {"columns": {"took": {"bounds": [0, 100]}}}
    with pytest.raises(QueryError, match=r'\[columns.took\] bounds = \["PT0S", "PT8H"\]'):
        _asked("SELECT COUNT(*) FROM t WHERE took > INTERVAL 2 HOUR", schema=schema)
    with pytest.raises(QueryError, match="durations are compared with INTERVAL 8 HOUR"):
        _asked("SELECT AVG(took - INTERVAL 1 HOUR) FROM t")
