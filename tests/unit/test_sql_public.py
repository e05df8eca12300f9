"""Public tables: how their files are read, and that they are read where a query joins them."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.sql.schema import load_schema
from leastnoise.sql.text import QueryError
from support.commands import in_process
from support.optional import optional

optional("sqlglot")
ROWS: dict[str, Any] = {
    "code": ["N"] * 30 + ["S"] * 20 + [None] * 5,
    "member": [True] * 25 + [False] * 30,
    "day": [date(2024, 1, 1 + i % 3) for i in range(55)],
}
COLUMNS: dict[str, Any] = {
    "code": {"keys": ["N", "S"]},
    "member": {"keys": [False, True]},
    "day": {"bounds": [date(2024, 1, 1), date(2024, 1, 31)]},
}


def _asked(sql: str, public: dict[str, Any], data: Any = ROWS) -> Any:
    with ln.open(data, relation="add-remove") as opened:
        schema = {"columns": COLUMNS, "public": public}
        return opened.sql(sql, schema=schema, epsilon=10**6)


def _counts(sql: str, public: dict[str, Any], data: Any = ROWS) -> dict[Any, int]:
    return {key: round(n) for key, n in _asked(sql, public, data).rows}


BY_LAND = "SELECT land, COUNT(*) AS n FROM t JOIN p ON p.k = t.code GROUP BY land"


def _file(folder: Path, text: str, encoding: str = "utf-8") -> dict[str, Any]:
    path = folder / "p.csv"
    path.write_text(text, encoding=encoding)
    return {"file": str(path), "key": "k"}


def test_a_public_file_that_no_query_joins_is_not_opened(tmp_path: Path) -> None:
    gone = {"p": {"file": str(tmp_path / "gone.csv"), "key": "k"}}
    assert round(_asked("SELECT COUNT(*) FROM t", gone).rows[0][0]) == 55
    with pytest.raises(
        QueryError, match=r"^line 1, column 40: schema: public\.p.file: .*gone\.csv"
    ):
        _asked(BY_LAND, gone)


@pytest.mark.parametrize(("blank", "more"), [("", {}), ("NA", {"missing_values": ["NA"]})])
def test_a_row_without_a_key_joins_nothing(
    tmp_path: Path, blank: str, more: dict[str, Any]
) -> None:
    p = _file(tmp_path, f"k,land\nN,up\n{blank},nowhere\n{blank},never\nS,down\n") | more
    assert _counts(BY_LAND, {"p": p}) == {"up": 30, "down": 20}
    given = {"key": "k", "columns": {"k": ["N", None, "S", " "], "land": ["up", "x", "down", "y"]}}
    assert _counts(BY_LAND, {"p": given}) == {"up": 30, "down": 20}
    del given["key"]
    assert _counts(BY_LAND, {"p": given}) == {"up": 30, "down": 20}


def test_a_public_file_is_read_as_the_schema_says(tmp_path: Path) -> None:
    text = "a title\nk;land;w\n# no row\nN;Zürich;1.000,5\nS;-;2,25\n"
    p = _file(tmp_path, text, "cp1252")
    p |= {"separator": ";", "decimal": ",", "thousands": ".", "encoding": "cp1252"}
    p |= {"skip_rows": 1, "comment": "#", "missing_values": ["-"]}
    sql = "SELECT land, SUM(w) AS s FROM t JOIN p ON p.k = t.code GROUP BY land"
    assert _counts(sql, {"p": p}) == {"Zürich": 30 * 1000 + 15}
    del p["separator"]
    with pytest.raises(QueryError, match=r"public\.p: .*separator"):
        _asked(sql, {"p": p})


@pytest.mark.parametrize("keys", [["true", "false"], ["TRUE", "FALSE"]])
def test_a_key_may_be_true_or_false(tmp_path: Path, keys: list[str]) -> None:
    sql = "SELECT land, COUNT(*) AS n FROM t JOIN p ON p.k = t.member GROUP BY land"
    typed = optional("polars").DataFrame(ROWS)
    for data in (ROWS, typed):
        p = _file(tmp_path, f"k,land\n{keys[0]},in\n{keys[1]},out\n")
        assert _counts(sql, {"p": p}, data) == {"in": 25, "out": 30}
        given = {"key": "k", "columns": {"k": [True, False], "land": ["in", "out"]}}
        assert _counts(sql, {"p": given}, data) == {"in": 25, "out": 30}
    frame = optional("polars").DataFrame({"k": ["N", "S"], "big": [True, None]})
    frame.write_parquet(tmp_path / "p.parquet")
    p = {"file": str(tmp_path / "p.parquet"), "key": "k"}
    big = "SELECT code, COUNT(*) AS n FROM t JOIN p ON k = code WHERE big = TRUE GROUP BY code"
    assert _counts(big, {"p": p}) == {"N": 30, "S": 0}


def test_dates_of_a_public_table_are_dates(tmp_path: Path) -> None:
    days = [date(2020, 5, 1), date(2021, 6, 30), None]
    file = _file(tmp_path, "k,since\nN,2020-05-01\nS,2021-06-30\nX,\n")
    optional("polars").DataFrame({"k": ["N", "S", "X"], "since": days}).write_parquet(
        tmp_path / "p.parquet"
    )
    given = {"key": "k", "columns": {"k": ["N", "S", "X"], "since": days}}
    for p in (file, {**file, "file": str(tmp_path / "p.parquet")}, given):
        sql = "SELECT since, COUNT(*) AS n FROM t JOIN p ON p.k = t.code GROUP BY since"
        assert _counts(sql, {"p": p}) == {days[0]: 30, days[1]: 20}
        early = "SELECT COUNT(*) FROM t JOIN p ON p.k = t.code WHERE since < DATE '2021-01-01'"
        assert round(_asked(early, {"p": p}).rows[0][0]) == 30


@pytest.mark.parametrize("word", ["NA", "null", "N/A", "None"])
def test_words_for_missing_are_missing_beside_dates_as_beside_numbers(
    tmp_path: Path, word: str
) -> None:
    p = _file(tmp_path, f"k,d,w,b,t\nN,2024-01-31,1,true,a\nS,{word},{word},{word},{word}\n")
    sql = "SELECT COUNT(d), COUNT(w), COUNT(b), COUNT(t) FROM t JOIN p ON p.k = t.code"
    assert [round(n) for n in _asked(sql, {"p": p}).rows[0]] == [30, 30, 30, 50]
    late = "WHERE d > DATE '2020-01-01' AND YEAR(d) = 2024"
    sql = f"SELECT COUNT(*) FROM t JOIN p ON p.k = t.code {late}"
    assert round(_asked(sql, {"p": p}).rows[0][0]) == 30
    none = _file(tmp_path, f"k,d\nN,{word}\nS,{word}\n")  # of no kind: text
    assert round(_asked("SELECT COUNT(d) FROM t JOIN p ON k = code", {"p": none}).rows[0][0]) == 50


def test_a_public_key_na_finds_the_rows_where_it_stands(tmp_path: Path) -> None:
    data = {"town": ["NA"] * 40 + ["N"] * 20}
    p = _file(tmp_path, "k,land\nNA,Namibia\nX,none\n")
    assert _counts("SELECT land, COUNT(*) AS n FROM t JOIN p ON k = town GROUP BY land",
                   {"p": p}, data) == {"Namibia": 40, "none": 0}  # fmt: skip
    gone = "SELECT COUNT(town) FROM t JOIN p ON k = town WHERE town IS NULL"
    assert _asked("SELECT COUNT(*) FROM t WHERE town IS NULL", {}, data).rows[0][0] == 40
    assert round(_asked(gone, {"p": p}, data).rows[0][0]) == 0


def test_parts_of_public_dates_are_public(tmp_path: Path) -> None:
    days = [date(2020, 5, 6), date(2021, 2, 28), None]
    file = _file(tmp_path, "k,since\nN,2020-05-06\nS,2021-02-28\nX,\n")
    times = [None if x is None else datetime(x.year, x.month, x.day, 23, 30) for x in days]
    columns = {"k": ["N", "S", "X"], "since": days}
    for p in (
        file,
        {"key": "k", "columns": columns},
        {"key": "k", "columns": columns | {"since": times}},
    ):
        for of, keys in {
            "YEAR(since)": (2020, 2021),
            "EXTRACT(QUARTER FROM since)": (2, 1),
            "MONTH(since)": (5, 2),
            "DATE_TRUNC('week', since)": (date(2020, 5, 4), date(2021, 2, 22)),
            "DATE_TRUNC('month', since)": (date(2020, 5, 1), date(2021, 2, 1)),
            "CAST(since AS DATE)": days[:2],
        }.items():
            sql = f"SELECT {of} AS g, COUNT(*) AS n FROM t JOIN p ON p.k = t.code GROUP BY g"
            assert _counts(sql, {"p": p}) == dict(zip(keys, (30, 20), strict=True)), of
        early = "JOIN p ON p.k = t.code WHERE YEAR(since) < 2021"
        sql = f"SELECT COUNT(*), AVG(YEAR(p.since)) FROM t {early}"
        assert _asked(sql, {"p": p}).rows[0] == pytest.approx((30, 2020), abs=0.01)
    hours = "SELECT HOUR(since) AS g, COUNT(*) AS n FROM t JOIN p ON p.k = t.code GROUP BY g"
    assert _counts(hours, {"p": {"key": "k", "columns": columns | {"since": times}}}) == {23: 50}
    with pytest.raises(QueryError, match="a column of days has no hours"):
        _asked(hours, {"p": file})


@pytest.mark.parametrize("flags", [[True, False], [False, True], [True, None], [False, False]])
def test_public_true_and_false_are_shown_as_private_ones(tmp_path: Path, flags: list[Any]) -> None:
    wanted: dict[bool, int] = {}
    for truth in (False, True):
        found = [n for flag, n in zip(flags, (30, 20), strict=True) if flag is truth]
        wanted |= {truth: sum(found)} if found else {}
    text = "".join(
        f"{k},{'' if x is None else str(x).lower()}\n" for k, x in zip("NS", flags, strict=True)
    )
    file = _file(tmp_path, f"k,flag\n{text}X,\n")
    optional("polars").DataFrame({"k": ["N", "S"], "flag": flags}).write_parquet(
        tmp_path / "p.parquet"
    )
    given = {"key": "k", "columns": {"k": ["N", "S"], "flag": flags}}
    for p in (file, {**file, "file": str(tmp_path / "p.parquet")}, given):
        sql = "SELECT {} AS g, COUNT(*) AS n FROM t LEFT JOIN p ON p.k = t.code GROUP BY g"
        rows = _asked(sql.format("flag"), {"p": p}).rows
        assert [*map(str, rows)] == [str((key, n)) for key, n in wanted.items()]
        assert _counts(sql.format("CAST(flag AS INT)"), {"p": p}) == wanted
        rows = _asked("SELECT COUNT_IF(flag), COUNT(flag) FROM t LEFT JOIN p ON k = code", {"p": p})
        assert rows.rows == ((wanted.get(True, 0), sum(wanted.values())),)


def test_using_makes_one_column_of_two(tmp_path: Path) -> None:
    p = {"key": "code", "columns": {"code": ["N", "S"], "land": ["up", "down"]}}
    for sql, wanted in {
        "SELECT code, COUNT(*) FROM t JOIN p USING (code) WHERE code <> 'S' GROUP BY code": (30, 0),
        "SELECT t.code, COUNT(*) FROM t JOIN p USING (code) WHERE p.code = 'S' GROUP BY 1": (0, 20),
        "SELECT code, COUNT(*) FROM (SELECT * FROM t LEFT JOIN p USING (CODE)) v GROUP BY code": (
            *(30, 20),
        ),
    }.items():
        assert _counts(sql, {"p": p}) == dict(zip("NS", wanted, strict=True)), sql
    with pytest.raises(QueryError, match="code is the name of several columns"):
        _asked("SELECT COUNT(*) FROM t JOIN p ON t.code = p.code WHERE code = 'N'", {"p": p})


def test_a_key_that_stands_twice_is_told() -> None:
    columns = {"k": ["N", "S", " N "], "land": ["up", "down", "up"]}
    told = "'N' stands twice in k, .*: leave one of its rows out"
    with pytest.raises(QueryError, match=rf"^line 1, column \d+: {told}"):
        _asked(BY_LAND, {"p": {"columns": columns}})
    with pytest.raises(ParameterError, match=rf"schema: public\.p\.key: {told}"):
        _asked(BY_LAND, {"p": {"key": "k", "columns": columns}})


def test_na_may_be_a_key_of_a_file_and_of_a_public_one(tmp_path: Path) -> None:
    """What is declared as a key is that text, whatever else stands for a missing entry."""
    (tmp_path / "t.csv").write_text("c,x\n" + "NA,1\nDE,1\n-,1\nnull,1\n,1\n" * 10, "utf-8")
    (tmp_path / "p.csv").write_text("k,land\nNA,south\nDE,north\n-,none\n", "utf-8")
    schema: dict[str, Any] = {
        "columns": {"c": {"keys": ["NA", "DE"]}},
        "public": {"p": {"file": str(tmp_path / "p.csv"), "key": "k"}},
    }
    for missing in (None, ["-", "NA"], ["NA"], ["-"]):
        given = {} if missing is None else {"missing_values": missing}
        with ln.open(tmp_path / "t.csv", relation="add-remove", **given) as data:

            def rows(sql: str) -> Any:
                found = data.sql(sql, schema=schema, epsilon=10**6).rows
                return [tuple(x if isinstance(x, str) else round(x) for x in row) for row in found]

            assert rows("SELECT c, COUNT(*) FROM t GROUP BY c") == [("NA", 10), ("DE", 10)]
            assert rows("SELECT COUNT(*) FROM t WHERE c = 'NA'") == [(10,)]
            assert rows("SELECT COUNT(*) FROM t WHERE LEFT(c, 1) = 'N'") == [(10,)]
            found = rows("SELECT COUNT(c), COUNT_IF(c IS NOT NULL) FROM t")
            assert found[0][0] == found[0][1], missing
            by_land = "SELECT land, COUNT(*) FROM t JOIN p ON t.c = p.k GROUP BY land"
            assert rows(by_land)[:2] == [("south", 10), ("north", 10)], missing


def test_a_key_of_dates_is_refused_with_what_works(tmp_path: Path) -> None:
    p = _file(tmp_path, "k,land\n2024-01-01,up\n2024-01-02,down\n")
    sql = "SELECT COUNT(*) FROM t JOIN p ON p.k = t.day"
    with pytest.raises(QueryError, match=r"write CASE WHEN day = DATE '2024-01-01' THEN"):
        _asked(sql, {"p": p})
    texts = {"code": ["2024-01-01"] * 30}
    columns = {"code": {"keys": ["2024-01-01"]}}
    with ln.open(texts, relation="add-remove") as data:
        schema = {"columns": columns, "public": {"p": p}}
        sql = "SELECT COUNT(*) FROM t JOIN p ON p.k = t.code WHERE land = 'up'"
        assert round(data.sql(sql, schema=schema, epsilon=10**6).rows[0][0]) == 30


@pytest.mark.parametrize("aggregate", ["MAX(since)", "MIN(since)", "MEDIAN(since)"])
def test_public_dates_are_keys_or_have_years(aggregate: str) -> None:
    public = {"p": {"key": "k", "columns": {"k": ["N", "S"], "since": [date(2020, 1, 1), None]}}}
    asked = "SELECT {} FROM t JOIN p ON k = code"
    with pytest.raises(QueryError, match=r"write GROUP BY since, or take YEAR\(since\)"):
        _asked(asked.format(aggregate), public)
    assert _asked(asked.format("MAX(YEAR(since))"), public).rows == ((2020,),)
    by_since = asked.format("since, COUNT(*)") + " GROUP BY since"
    assert _counts(by_since, public) == {date(2020, 1, 1): 30}


@pytest.mark.parametrize(
    ("public", "why"),
    [
        ({"key": "k", "columns": {"k": ["N"]}, "separator": ";"}, 'separator: .*give file = "'),
        ({"key": "k", "columns": {"k": [None]}}, "key: k has no entry in any row"),
        ({"key": "k", "file": "p.csv", "engine": "duckdb"}, "engine: this key is not known"),
        ({"key": "x", "columns": {"k": ["N"], "land": ["up"]}}, "no column 'x'; it has k, land"),
    ],
)
def test_what_needs_no_file_is_told_with_the_schema(public: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=rf"^schema: public\.p\.{why}|{why}"):
        load_schema({"public": {"p": public}})


def test_the_command_line_names_a_public_file_that_it_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("code\nN\nS\n", encoding="utf-8")
    _file(tmp_path, "k;land\nN;up\nS;down\n")
    sql = "SELECT COUNT(*) FROM t JOIN p ON p.k = t.code"
    done = in_process(capsys, "sql", "t.csv", sql, "--public", "p.csv", "--epsilon", "1")
    assert done.code == 2
    assert 'in the schema, [public.p] separator = ";"' in done.err, done.err


@pytest.mark.parametrize("given", [[1, 2], ["1", "2"]])
@pytest.mark.parametrize("keys", [["a", "b"], None])
def test_a_key_of_numbers_is_joined_to_numbers(given: list[Any], keys: list[str] | None) -> None:
    """Beside text it would find nothing, and WHERE g = 1 is refused there too."""
    pl = optional("polars")
    schema: dict[str, Any] = {"public": {"p": {"key": "k", "columns": {"k": given}}}}
    if keys:
        schema["columns"] = {"g": {"keys": keys}}
    with ln.open(pl.DataFrame({"g": ["a", "b", "1"]}), relation="add-remove") as data:
        sql = "SELECT COUNT(*) FROM t JOIN p ON t.g = p.k"
        if given == ["1", "2"]:
            assert round(data.sql(sql, schema=schema, epsilon=1000).rows[0][0]) == 1
            return
        with pytest.raises(QueryError, match=r"write them in quotes, '1', as they stand in g"):
            data.prepare_sql(sql, schema=schema, epsilon=1)


def test_a_comma_is_told_as_a_join_by_the_key() -> None:
    schema: dict[str, Any] = {
        "public": {"p": {"key": "k", "columns": {"k": ["a", "b"], "name": ["x", "y"]}}}
    }
    rows = {"g": ["a", "b", "a"], "s": ["x", "x", "y"]}
    with ln.open(optional("polars").DataFrame(rows), relation="add-remove") as data:
        for kind in (",", " CROSS JOIN"):
            for conditions in ("g = k AND name = 'x'", "p.name = 'x' AND p.k = t.g"):
                with pytest.raises(QueryError) as error:
                    data.prepare_sql(
                        f"SELECT COUNT(*) FROM t{kind} p WHERE {conditions}",
                        schema=schema,
                        epsilon=1,
                    )
                join = re.findall(r"write (JOIN .*), and leave that out", str(error.value))[0]
                sql = f"SELECT COUNT(*) FROM t {join} WHERE name = 'x'"
                assert round(data.sql(sql, schema=schema, epsilon=1000).rows[0][0]) == 2


def test_one_file_of_a_pattern_is_no_table(tmp_path: Path) -> None:
    for i in range(2):
        (tmp_path / f"p{i}.csv").write_text("a\n1\n2\n", encoding="utf-8")
    with ln.open(str(tmp_path / "p*.csv"), relation="add-remove") as data:
        for name, count in (("p", 4), ("t", 4), ("p1", None)):
            sql = f"SELECT COUNT(*) FROM {name}"
            if count:
                assert round(data.sql(sql, epsilon=1000).rows[0][0]) == count
                continue
            with pytest.raises(QueryError, match=r"p1 is one of the 2 files of .*write FROM p, or"):
                data.prepare_sql(sql, epsilon=1)
