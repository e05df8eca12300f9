"""What a refusal says to write works when it is pasted."""

from __future__ import annotations

import re
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.sql.names import as_name, section
from leastnoise.sql.text import QueryError
from support.optional import optional
from support.sql_corpus import ROWS, SCHEMA
from support.sql_words import check_words

optional("sqlglot")

# What stands in WHERE and is refused, and words of the refusal that stand in its place.
CONDITIONS = [
    ("day > '2024-13-01'", "day > {DATE '2024-01-31'}"),
    ("day BETWEEN '2024-01-01' AND '2024-02-01 12:00'", "day > {DATE '2024-02-01'}"),
    ("day LIKE '2024-01%'", "{day = DATE '2024-01-31'}"),
    ("DATE_TRUNC('month', day) = age", "{DATE_TRUNC('month', day) = DATE '"),
    ("day::DATE = '2024-01-32'", "day::DATE = {DATE '2024-01-31'}"),
    ("ADD_MONTHS(day, 3) > DATE '2024-01-01'", "{day + INTERVAL 3 MONTH} > DATE '2024-01-01'"),
    ("DATEDIFF('day', day, DATE '2024-01-01') > 3", "{DATE '2024-01-01' - day} > 3"),
    ("TO_DATE('01.02.24', 'DD.MM.YY') < day", "{DATE '2024-01-31'} < day"),
    ("TO_DATE(day) = DATE '2024-01-31'", "{CAST(day AS DATE)} = DATE '2024-01-31'"),
    ("TRUNC(day, 'MM') = DATE '2024-01-01'", "{DATE_TRUNC('month', day)} = DATE '2024-01-01'"),
    ("TRUNC(day) > DATE '2024-01-01'", "{CAST(day AS DATE)} > DATE '2024-01-01'"),
    (
        "CAST(day AS TIMESTAMP) > TIMESTAMP '2024-01-31 12:30:00'",
        "{day} > TIMESTAMP '2024-01-31 12:30:00'",
    ),
    ("age > ALL (1, 2)", "{z > 1 AND z > 2}"),
    ("age IN UNNEST([1, 2])", "w {IN (1, 2)}"),
    ("CONTAINS_SUBSTR(region, 'N')", "{x LIKE '%N%'}"),
    ("region IS 'North'", "{region IS NOT DISTINCT FROM 'North'}"),
    ("region IS NOT 'North'", "{region IS DISTINCT FROM 'North'}"),
    ("age IN (1, NULL)", "{age IN (1)}"),
    ("age NOT IN (1, NULL)", "{age NOT IN (1)}"),
    ("age IN (NULL)", "{age IS NULL}"),
    ("age IN (1, kids, 2)", "{age IN (1, 2) OR age = kids}"),
    ("age NOT IN (1, kids)", "{age NOT IN (1) AND age <> kids}"),
    ("town ^@ 'U'", "{STARTS_WITH(x, 'N')}"),
    ("[age] > 3", '{"age"} > 3'),
    ("DATE_PART('dow', day) = 1", "{EXTRACT(ISODOW FROM day)} = 1"),
    ("DAYOFWEEK(day) = 3", "{EXTRACT(ISODOW FROM day)} = 3"),
    ("MONTHNAME(day) = 'May'", "{MONTH(day)} = 5"),
    ("TO_CHAR(day, 'YYYY') = '2024'", "{EXTRACT(YEAR FROM day)} = 2024"),
    ("REGEXP_CONTAINS(region, 'N')", "{x LIKE 'N%'}"),
    ("region SIMILAR TO 'N%'", "{x IN ('N', 'S')}"),
    ("region LIKE ANY ('N%', 'S%')", "{x LIKE 'N%' OR x LIKE 'S%'}"),
    ("SPLIT_PART(region, 'o', 1) = 'N'", "{SUBSTR(x, 1, 2)} = 'No'"),
    ("STRPOS(region, 'N') > 0", "{region LIKE '%N%'}"),
    ("MID(region, 1, 2) = 'No'", "{SUBSTR(region, 1, 2)} = 'No'"),
    ("OCTET_LENGTH(region) > 3", "{LENGTH(x)} > 3"),
    (
        "CONCAT_WS('-', region, sex) = 'N-f'",
        "{CASE WHEN region IS NULL THEN sex WHEN sex IS NULL THEN region "
        "ELSE region || '-' || sex END} = 'N-f'",
    ),
    ("region COLLATE NOCASE = 'n'", "{x IN ('N', 'n')}"),
    ("age = ANY (ARRAY[1, 2])", "{z IN (1, 2)}"),
    ("age = '5'", "age = 5"),
    ("region IN ('North', NULL)", "{region IN ('North')}"),
    ("TRIM('No' FROM region) = 'x'", "{CASE x WHEN 'N' THEN 'M' END} = 'M'"),
    ("age % 2.5 = 0.5", "{age - 2.5 * TRUNC(age / 2.5)} = 0.5"),
    ("MOD(age + 1, 1/2) = 0", "{(age + 1) - (1/2) * TRUNC((age + 1) / (1/2))} = 0"),
    ("COALESCE(region, '') <> 'N'", "{COALESCE(region, '-')} <> 'N'"),
    ("NULLIF(TRIM(region), '') IS NULL", "{TRIM(region)} IS NULL"),
    (
        "CASE WHEN age > 3 THEN '' ELSE 'x' END = 'x'",
        "CASE WHEN age > 3 THEN {NULL} ELSE 'x' END = 'x'",
    ),
    (
        "CASE WHEN age > 3 THEN 'x' ELSE (' ') END = 'x'",
        "CASE WHEN age > 3 THEN 'x' ELSE {NULL} END = 'x'",
    ),
    ("region <> ''", "{region IS NOT NULL}"),
    ("day = ''", "{day IS NULL}"),
    ("('') = region", "{region IS NULL}"),
    ("region NOT IN ('', 'North')", "region NOT IN ('North')"),
    ("region NOT IN ('')", "{region IS NOT NULL}"),
    ("region IN ('')", "{region IS NULL}"),
    ("region IN ('North', '')", "region IN ('North') {OR region IS NULL}"),
    ("region RLIKE 'N'", "{x LIKE 'N%'}"),
    ("LPAD(region, 3) = 'x'", "{CASE x WHEN 'N' THEN 'M' END} = 'M'"),
]
# And what stands in SUM, or in place of it.
VALUES = [
    ("SQUARE(kids)", "{kids * kids}"),
    ("POWER(kids, 2)", "{kids * kids}"),
    ("DECODE(age, 1, 2, 3)", "{CASE age WHEN 1 THEN 2 ELSE 3 END}"),
    ("NVL2(hours, 1, 0)", "{CASE WHEN hours IS NOT NULL THEN 1 ELSE 0 END}"),
    ("ISNULL(hours, 0)", "{COALESCE(hours, 0)}"),
    ("NULLIFZERO(hours)", "{NULLIF(hours, 0)}"),
    ("WIDTH_BUCKET(age, 0, 100, 10)", "{FLOOR(z / 10) * 10}"),
    ("BROUND(age)", "{ROUND(z)}"),
    ("ROUND(age, 1, 1)", "{TRUNC(age, 1)}"),
    ("ROUND(age + 1, 0, 0)", "{ROUND(age + 1, 0)}"),
    ("PI() * age", "{3.141592653589793} * age"),
    ("DEGREES(kids)", "{z * 57.29577951308232}"),
]
AGGREGATES = [
    ("SUMIF(age, kids > 1)", "{SUM(age) FILTER (WHERE (kids > 1))}"),
    ("AVG_IF(age, kids > 1)", "{AVG(age) FILTER (WHERE (kids > 1))}"),
    ("COUNT_BIG(*)", "{COUNT(*)}"),
    ("APPROX_QUANTILES(age, 4)", "{QUANTILE_DISC(z, 0.5)}"),
    ("KURTOSIS(age)", "{STDDEV(z)}"),
    ("BOOL_OR(age > 3)", "{COUNT_IF(condition)}"),
    (
        "REGR_SLOPE(age, kids)",
        "{COVAR_POP(age, kids) / VAR_POP(CASE WHEN age IS NOT NULL THEN kids END)}",
    ),
    ("REGR_R2(age, kids)", "{CORR(age, kids) * CORR(age, kids)}"),
    ("ANON_COUNT(*)", "{COUNT(*)}"),
    ("SUM([age])", 'SUM({"age"})'),
    ("SUM(day)", "{AVG(day)}"),
    ("MIN(day) FILTER (WHERE age > 3)", "{MIN(day)}"),
    ("SUM(day + 1)", "SUM({YEAR(day)})"),
    ("VAR_POP(day)", "{STDDEV_POP(day)}"),
    ("VARIANCE(day)", "{STDDEV(day)}"),
    ("CORR(day, age)", "{MEDIAN(day)}"),
    ("COVAR_SAMP(age, day)", "{MEDIAN(day)}"),
    ("MAX(age, 3)", "{MAX(GREATEST(a, b))}"),
    ("COUNT(age, kids)", "{COUNT(*)}"),
    ("PERCENTILE(age, 50)", "QUANTILE_DISC(age, {0.9})"),
]
_COLUMNS = {
    "x": "region",
    "y": "sex",
    "z": "kids",
    "w": "age",
    "condition": "kids > 1",
    "a": "age",
    "b": "kids",
}
_FORMS = [
    *(("SELECT COUNT(*) FROM t WHERE {}", *pair) for pair in CONDITIONS),
    *(("SELECT SUM({}) FROM t", *pair) for pair in VALUES),
    *(("SELECT {} FROM t", *pair) for pair in AGGREGATES),
]


@pytest.mark.parametrize(("query", "refused", "cure"), _FORMS, ids=lambda x: str(x)[:50])
def test_what_is_written_instead_works(query: str, refused: str, cure: str) -> None:
    """Of a cure the words between braces stand in the refusal, x and y for columns."""
    pl = optional("polars")
    said = re.findall(r"\{(.*?)(?:\}|$)", cure)
    text = re.sub(r"[{}]", "", cure)
    if text.endswith("DATE '"):
        text += "2024-01-31'"
    text = re.sub(r"\b(x|y|z|w|a|b|condition)\b", lambda name: _COLUMNS[name[0]], text)
    with ln.open(pl.DataFrame(ROWS), relation="add-remove") as data:
        with pytest.raises(QueryError) as error:
            data.prepare_sql(query.format(refused), schema=SCHEMA, epsilon=1)
        told = str(error.value)
        check_words(told)
        for each in said:
            given = re.sub(r"\bz\b", "x", re.sub(r"\bw\b", "y", each))
            assert given in told, (given, told)
        assert re.match(r"line 1, column \d+: ", told)
        data.prepare_sql(query.format(text), schema=SCHEMA, epsilon=1)


@pytest.mark.parametrize(
    ("query", "cure"),
    [
        ("SELECT COUNT(*) FROM t WEHRE age > 3", "did you mean WHERE for WEHRE?"),
        ("SELECT COUNT(*) FORM t", "did you mean FROM for FORM?"),
        ("SELECT sex, COUNT(*) FROM t GROUP sex", "write GROUP BY"),
        ("SELECT COUNT(*) FROM t WHERE (age > 3", "a bracket is opened and not closed"),
        ("SELECT COUNT(*) FROM t WHERE age =< 3", "write <="),
        ("SELECT COUNT(*) FROM t WHERE age \u2265 3", "write >="),
        ("SELECT COUNT(*) FROM t WHERE sex = \u201cf\u201d", "text stands in straight quotes"),
        ("SELECT COUNT(*) FROM t WHERE age >", "something is missing beside >"),
        ("SELECT COUNT(*) FROM [t]", "names stand in double quotes"),
        ("SELECT SUM(age CLAMPED BETWEEN 0 AND 9) FROM t", "contribution_bounds_per_row"),
        ("SELECT SUM(CASE WHEN age > 3 THEN 1) FROM t", "CASE has no END"),
        ("SELECT AVG(age, 2, 3) FROM t", "given more than it takes"),
        ("SELECT COUNT(*) FROM t WHERE age > $1", "queries take no parameters"),
        ("SELECT sex, COUNT(*) FROM t GROUP BY (sex, kids)", "write the columns without brackets"),
        ("SELECT SUM(a) FROM (SELECT age, kids FROM t) AS v(kids, a)", "SELECT x AS p"),
        ("SELECT COUNT(*) FROM t PIVOT (COUNT(*) FOR sex IN ('f'))", "FILTER (WHERE sex = 'f')"),
        ("(SELECT COUNT(*) FROM t)", "leave out the brackets"),
        ("SELECT COUNT(*) FROM t; SELECT 1", "line 1, column 23: give one query"),
        ("SELECT COUNT(*) FROM db.t", "write the name of the table alone"),
        ("DELETE FROM t", "data is only read here"),
        ("SELECT COUNT(*) FROM t WHERE sex = 'it's'", "column 41: this quote or comment"),
        ("SELECT region, COUNT(*) FROM t GROUP BY region HAVING sex = 'f'", "is a column of"),
        ("SELECT UPPER(region), COUNT(*) FROM t GROUP BY region", "GROUP BY UPPER(region)"),
        ("SELECT SQRT(VAR_POP(age)) FROM t", "work it out of the answer"),
        ("SELECT COUNT(*) FROM t WHERE pay > (SELECT AVG(pay) FROM t)", "write the number that it"),
        ("SELECT COUNT(*) * 100.0 / (SELECT COUNT(*) FROM t) FROM t", "write the number that it"),
        ("SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t)", "JOIN a public table by its key"),
        ("SELECT SUM(region) FROM t", "ask COUNT or MODE of it"),
        ("SELECT MAX(pay + region) FROM t", "keys that are numbers"),
        ("SELECT COUNT(*) FROM t WHERE region = 5", "write it in quotes, '5'"),
        ("SELECT COUNT(*) FROM t WHERE region > 5", "text has no order, so write = '5' or IN"),
        ("SELECT COUNT(*) FROM t WHERE day > '2024'", "and '2024' is none: write DATE '"),
        ("SELECT COUNT(DISTINCT region, sex) FROM t", "COUNT(DISTINCT a || '-' || b)"),
        ("SELECT SUM(DISTINCT age) FROM t", "else write GROUP BY x and work with"),
        ("WITH RECURSIVE a AS (SELECT * FROM t) SELECT COUNT(*) FROM a", "write WITH, whose"),
        ("SELECT COUNT(*) FROM t LIMIT ALL", "without LIMIT all rows are shown"),
        ("SELECT COUNT(*) FROM (SELECT sex FROM t GROUP BY sex) v", "write it there"),
        ("SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM t) v", "ask for the inner ones first"),
        (
            "SELECT AVG(n) FROM (SELECT sex, COUNT(*) AS n FROM t GROUP BY sex) v",
            "ask for the inner ones first",
        ),
        ("SELECT SUM(TO_NUMBER(region)) FROM t", "declare bounds of a column whose entries"),
        ("SELECT SUM(TRY(pay)) FROM t", "write x by itself"),
        ("SELECT SUM(pay, contribution_bounds_per_row => (0, age)) FROM t", "write (0, 100)"),
        ("SELECT SUM(pay, contribution_bounds_per_row => [0, 5]) FROM t", "write contribution_"),
        ("SELECT COUNT(*) FROM t WHERE sex = f", "text stands in single quotes: 'f'"),
        ("SELECT COUNT(*) FROM t WHERE sex = U&'f'", "write the text in quotes by itself"),
        ("SELECT COUNT(*) FROM t SAMPLE (10)", "all rows are used"),
        ("SELECT COUNT(*) FROM t OPTIONS (epsilon = 1)", "OPTIONS stand at the beginning"),
        ("SELECT COUNT(*) FROM t WHERE age > 1_000", "write numbers in digits, 1000"),
        ("SELECT COUNT(*) FROM t WHERE age = 0x1F", "write numbers in digits, 31"),
        ("SELECT COUNT(*) FROM t WHERE age = 0b11", "write numbers in digits, 3"),
        ("SELECT sex, COUNT(*) FROM t GROUP BY sex HAVING zz > 1", "there is no column 'zz'"),
        ("SELECT sex, COUNT(*) FROM t GROUP BY sex ORDER BY zz", "there is no column 'zz'"),
        ("SELECT COUNT(*) FROM t WHERE age = 3L", "write numbers in digits, 3"),
        ("SELECT COUNT(*) FROM t WHERE age = 5k", "write numbers in digits, 5000"),
        ("SELECT SUM(age) + 1_000 FROM t", "column 19: 1_000 is no number"),
        ("SELECT SUM(age) + 5k FROM t", "5k is no number here"),
        (
            "SELECT SUM(age, contribution_bounds_per_row => (0, 2), contribution_bounds_per_row => "
            "(0, 9)) FROM t",
            "column 56: contribution_bounds_per_row is given twice: leave one of them out",
        ),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = -1) COUNT(*) FROM t",
            "greater than 0",
        ),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1e400) COUNT(*) FROM t", "too large"),
        ("SELECT COUNT(*) FROM t AS OF '2024-01-01'", "open the data as it was then"),
        ("SELECT COUNT(*) FROM t WHERE", "missing after WHERE: write WHERE age > 3"),
        ("SELECT COUNT(*) FROM t WHERE age > 3 || age < 2", "write OR between conditions"),
        ("SELECT LISTAGG(region, ',') WITHIN GROUP (ORDER BY region) FROM t", "write GROUP BY"),
        ("SELECT COUNT(*) FROM t WHERE day > age", "another column of dates in its place"),
        ("SELECT MODE(kids, 3) FROM t", "ORDER BY COUNT(*) DESC and LIMIT 3"),
        ("SELECT COUNT(*) FROM t WHERE MONTHNAME(day) = 'May'", "CASE MONTH(day) WHEN 1 THEN"),
        ("SELECT CAST(YEAR(day) AS TEXT) AS k, COUNT(*) FROM t GROUP BY k", "CASE YEAR(day) WHEN"),
        (
            "SELECT CAST(CAST(age > 5 AS INT) AS TEXT) AS k, COUNT(*) FROM t GROUP BY k",
            "WHEN 1 THEN",
        ),
        ("SELECT sex, COUNT(*) FROM t GROUP BY sex HAVING UPPER(sex) = 'F'", "GROUP BY UPPER("),
        ("SELECT COUNT(t.*) FROM t", "write COUNT(*)"),
        ("SELECT n = COUNT(*) FROM t", "write COUNT(*) AS n"),
        ("SELECT n: COUNT(*) FROM t", "write COUNT(*) AS n"),
        ("SELECT TOP (2) sex, COUNT(*) FROM t GROUP BY sex", "write LIMIT and the number of rows"),
        ("SELECT sex AS n, COUNT(*) FROM t GROUP BY n ORDER BY 'n'", "write ORDER BY n"),
        (
            "SELECT sex, COUNT(*) AS n FROM t GROUP BY sex HAVING 'n' > 1",
            "write n for what it names, without quotes",
        ),
        ("SELECT COUNT(*) FROM t WHERE region > '2020-01-03'", "IN or DATE '2020-01-03'"),
        (
            "SELECT sex, COUNT(*) FROM t GROUP BY sex ORDER BY 1+1",
            "ORDER BY 1 for the first column",
        ),
        ("SELECT sex, COUNT(*) FROM t GROUP BY sex ORDER BY NULL", "the same in every row"),
        ("SELECT sex, COUNT(*) FROM t GROUP BY sex ORDER BY ALL", "ALL is not supported: name the"),
        ("SELECT DATE_TRUNC(day, WEEK) AS w, COUNT(*) FROM t GROUP BY w", "weeks begin on Monday"),
        ("SELECT ROUND(SUM(pay), 1, 1) FROM t", "write TRUNC(SUM(pay), 1), which cuts digits"),
        ("SELECT ROUND(SUM(pay), 1, 0) FROM t", "write ROUND(SUM(pay), 1)"),
        (
            "SELECT COUNT(*) FROM t ANTI JOIN regions r ON region = r.code",
            "write LEFT JOIN regions r ON region = r.code WHERE r.code IS NULL",
        ),
        (
            "SELECT COUNT(*) FROM t SEMI JOIN regions ON region = regions.code",
            "write JOIN regions ON region = regions.code",
        ),
        (
            "SELECT SUM(r.people) FROM t LEFT JOIN regions r ON region = r.code AND age > 2",
            "ON region = r.code, and CASE WHEN condition THEN r.column END for its columns",
        ),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 2) COUNT(*) FROM t",
            "with two values: leave one of them out",
        ),
        ("SELECT [sex], COUNT(*) FROM t GROUP BY sex", 'names stand in double quotes, "sex"'),
        (
            "WITH a AS (SELECT DISTINCT sex FROM t) SELECT COUNT(*) FROM a",
            "write COUNT(DISTINCT sex) or GROUP BY sex there",
        ),
        ("SELECT COUNT(*) FROM t WHERE region REGEXP 'N'", "REGEXP is refused"),
        ("SELECT COUNT(*) FROM t WHERE SUBSTR(region, -2) = 'th'", "write RIGHT(region, 2)"),
        ("SELECT COUNT(*) FROM t RIGHT JOIN regions r ON region = r.code", "write JOIN, where a"),
        (
            "SELECT COUNT(*) FROM t JOIN regions r ON region = r.code AND age > 3",
            "write ON region = r.code, and the other condition in WHERE",
        ),
        ("SELECT COUNT(*) FROM t WHERE region RLIKE 'N'", "RLIKE is refused"),
        ("SELECT COUNT(*) FROM t WHERE FLOOR(day) > DATE '2024-01-01'", "write DATE_TRUNC('month'"),
        ("SELECT MAX(day) FILTER (WHERE age > 3) FROM t", "write MAX(day) and WHERE"),
        (
            "SELECT SUM(age => 3) FROM t",
            "=> is refused: a call names no arguments but",
        ),
        ("SELECT COUNT(*) FROM (SELECT * EXCLUDE (age) FROM t) v", "EXCEPT or EXCLUDE is not"),
        (
            "SELECT sex, COUNT(*) FROM t GROUP BY sex LIMIT 1 OFFSET 1",
            "write LIMIT 2 alone, and pass",
        ),
        ("SELECT sex, COUNT(*) FROM t GROUP BY sex LIMIT 1, 2", "write LIMIT 3 alone, and pass"),
        (
            "SELECT sex, COUNT(*) FROM t GROUP BY sex OFFSET 1",
            "leave it out, and pass over the first",
        ),
        (
            "SELECT COUNT(*) FROM t, regions WHERE age > 3 AND region = code",
            "write JOIN regions ON region = regions.code",
        ),
        (
            "SELECT COUNT(*) FROM t CROSS JOIN regions r WHERE r.code = region",
            "write JOIN regions r ON region = r.code",
        ),
        ("SELECT COUNT(*) FROM t CROSS JOIN regions", "write JOIN regions ON column = regions."),
        (
            "SELECT COUNT(*) FROM t WHERE age = 1 IS DISTINCT FROM TRUE",
            "a condition is compared here",
        ),
        (
            "SELECT COUNT(*) FROM t JOIN regions r ON region = r.code AND r.people > 2",
            "ON region = r.code, and the other condition in WHERE",
        ),
    ],
)
def test_what_cannot_be_read_is_told_with_what_to_write(query: str, cure: str) -> None:
    with ln.open(ROWS, relation="add-remove") as data, pytest.raises(QueryError) as error:
        data.prepare_sql(query, schema=SCHEMA, epsilon=1)
    assert cure in str(error.value)
    check_words(str(error.value))
    assert "header" not in str(error.value)


def test_no_refusal_of_the_family_speaks_of_the_parser() -> None:
    """Brackets of the part that is quoted are closed, whatever is refused."""
    with ln.open(optional("polars").DataFrame(ROWS), relation="add-remove") as data:
        for refused, _ in (*CONDITIONS, ("age NOT IN (1, NULL)", ""), ("(age) > ?", "")):
            query = f"SELECT COUNT(*) FROM (SELECT * FROM t) v WHERE ((kids > 1) OR {refused})"
            with pytest.raises(QueryError) as error:
                data.prepare_sql(query, schema=SCHEMA, epsilon=1)
            part = error.value.part or ""
            assert part.count("(") == part.count(")"), str(error.value)
            assert query.find(part) > 0, str(error.value)


def test_what_cures_say_is_answered() -> None:
    """Whole queries that refusals above say to write, and ends of texts as editors write them."""
    regions = "regions r ON region = r.code"
    for sql, found in (
        (f"SELECT COUNT(*) FROM t LEFT JOIN {regions} WHERE r.code IS NULL", 12),
        (f"SELECT SUM(CASE WHEN age >= 0 THEN r.people END) FROM t LEFT JOIN {regions}", 120),
        ("SELECT COUNT(*) AS n FROM t ORDER BY n; -- all of them", 48),
        ("SELECT COUNT(*) FROM t;; /* none */ ;", 48),
        ("SELECT TRUNC(COUNT(*) / 7, 1) FROM t", 6.8),
        ("SELECT TRUNC(-COUNT(*) / 7, 1) FROM t", -6.8),
        ("SELECT COUNT(*) FROM t WHERE sex LIKE 'f '", 0),
        ("SELECT COUNT(*) FROM t WHERE sex NOT LIKE ' f'", 48),
        ("SELECT COUNT(*) FROM t WHERE sex = 'f' || ''", 24),
        ("SELECT COUNT(*) FROM t WHERE region = CONCAT('No', 'rth')", 12),
        ("SELECT COUNT(*) FROM t WHERE TRIM(LEADING ' ' FROM sex) = 'f'", 24),
        ("SELECT COUNT(*) FROM t WHERE TRIM(LEADING 'N' FROM region) = 'orth'", 12),
    ):
        with ln.open(ROWS, relation="add-remove") as data:
            answer = data.sql(sql, schema=SCHEMA, epsilon=10**6).rows[0][0]
        assert round(answer, 1) == found, sql
    with ln.open(ROWS) as data, pytest.raises(QueryError, match="column 23: give one query"):
        data.prepare_sql("SELECT COUNT(*) FROM t; SELECT 1", epsilon=1)


def test_a_condition_stands_beside_its_one_and_zero() -> None:
    case = "CASE WHEN age > 5 THEN 1 WHEN NOT age > 5 THEN 0 END"
    known = {(True, 1), (True, 0), (False, 1), (False, 0)}
    for sql in (
        f"SELECT age > 5 AS a, {case} AS b, COUNT(*) AS n FROM t GROUP BY a, b",
        f"WITH v AS (SELECT age > 5 AS a, {case} AS b FROM t) SELECT a, b, COUNT(*) AS n FROM v "
        "GROUP BY b, a",
    ):
        with ln.open(ROWS, relation="add-remove") as data:
            rows = data.sql(sql, schema=SCHEMA, epsilon=10**6).to_dicts()
        assert {(row["a"], row["b"]) for row in rows} == known
        assert {(type(row["a"]), type(row["b"])) for row in rows} == {(bool, int)}
        assert sum(round(row["n"]) for row in rows if row["a"] == row["b"]) == len(ROWS["age"])
    sql = "SELECT age > 5 AS a, age > 5 AS b, COUNT(*) FROM t GROUP BY a, b"
    with ln.open(ROWS, relation="add-remove") as data, pytest.raises(QueryError, match="twice"):
        data.prepare_sql(sql, schema=SCHEMA, epsilon=1)


# What is refused because of the type or the limits of a column.
_OF_A_COLUMN = [
    *("{x} > 5", "{x} = 5", "{x}", "{x} || '1' = '2'", "LENGTH({x}) = 2", "{x} = 'N'", "NOT {x}"),
    *("{x} > DATE '2024-01-01'", "{x} = TRUE", "{x} > 'a'", "YEAR({x}) = 2", "{x} + 1 > 2"),
    *("{x} IN ('a', 'b')", "{x} IN (1, 2)", "{x} > {y}", "{x} - {y} > 3", "-{x} > 3", "TRUNC({x})"),
    *("CAST({x} AS INT) = 1", "CAST({x} AS TEXT) = '1'", "HOUR({x}) = 3", "{x} IS TRUE"),
    *("{x} + INTERVAL 1 DAY > {y}", "{x} = INTERVAL 1 HOUR", "{x} LIKE 'a%'", "ABS({x}) > 2"),
    *("{x} > TIMESTAMP '2024-01-01 00:00:00+00:00'", "GREATEST({x}, 1) > 1", "[{x}] = 1"),
]
_OF_A_CALL = [
    *("SUM({x})", "MEDIAN({x})", "MODE({x})", "CORR({x}, {y})", "STDDEV({x} + 1)", "MAX({x})"),
    *("MIN({x}) FILTER (WHERE {y} = {y})", "COUNT(*) FROM t GROUP BY {x}; ", "{x}", "UPPER({x})"),
]
_ODD = 'Net Pay "\u20ac"'


@pytest.mark.parametrize("typed", [True, False])
def test_names_that_are_no_words_are_quoted_in_every_refusal(typed: bool) -> None:
    """So that what is written there can be pasted: for each type, with limits and without."""
    pl, quoted = optional("polars"), as_name(_ODD)
    wrong = [f"SELECT COUNT(*) FROM t WHERE {each}" for each in _OF_A_COLUMN]
    wrong += [f"SELECT {each} FROM t" for each in _OF_A_CALL]
    told: list[tuple[str, str]] = []
    for one in ("region", "age", "pay", "member", "day"):
        held: dict[str, Any] = {_ODD: ROWS[one], "other": ROWS[one]}
        if not typed:
            held = {name: [*map(_written, entries)] for name, entries in held.items()}
        for facts in (SCHEMA["columns"][one], None):
            schema: Any = {"columns": {_ODD: facts}} if facts else {}
            with ln.open(pl.DataFrame(held) if typed else held) as data:
                for query in wrong:
                    text = query.format(x=quoted, y="other").split("; ")[0]
                    try:
                        data.prepare_sql(text, schema=schema, epsilon=1)
                    except QueryError as error:
                        told.append((text, str(error)))
    assert len(told) > 200
    for text, why in told:
        rest = why
        for name in (quoted, section(_ODD), repr(_ODD)):
            rest = rest.replace(name, "")
        assert "Net" not in rest, (text, why)


def _written(entry: object) -> str | None:
    return None if entry is None else str(entry)


@pytest.mark.parametrize(("sign", "second"), [("<", 1), (">=", 1), (">", 0), ("<=", 0)])
def test_half_seconds_are_moved_to_where_they_part_the_same_rows(sign: str, second: int) -> None:
    times = [datetime(2024, 1, 1, 12, 0, each) for each in (0, 0, 0, 1, 2)]
    held = optional("polars").DataFrame({"at": times})
    text, given = "at {} {}", "'2024-01-01 12:00:00.5'"
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[sign]
    for refused in (text.format(sign, given), f"{given} {turned} at"):
        with ln.open(held, relation="add-remove") as data:
            with pytest.raises(QueryError) as error:
                data.prepare_sql(f"SELECT COUNT(*) FROM t WHERE {refused}", epsilon=1)
            cure = str(error.value).rpartition("write ")[2]
            assert cure == f"TIMESTAMP '2024-01-01 12:00:0{second}'"
            sql = f"SELECT COUNT(*) FROM t WHERE {refused.replace(given, cure)}"
            assert round(data.sql(sql, epsilon=10**6).rows[0][0]) == (3 if "<" in sign else 2)


def test_dates_that_are_declared_as_text_are_told(tmp_path: Path) -> None:
    """As describe writes them for a text file: with bounds in their place they are dates."""
    (tmp_path / "t.csv").write_text("d,e\n2024-01-01,2024-02-01\n2024-01-03,2024-02-05\n")
    keys = {"d": ["2024-01-01", "2024-01-03"], "e": ["2024-02-01", "2024-02-05"]}
    schema: dict[str, Any] = {"columns": {name: {"keys": each} for name, each in keys.items()}}
    with ln.open(tmp_path / "t.csv", relation="add-remove") as data:
        sql = "SELECT COUNT(*) FROM t WHERE e - d > 31"
        for name in ("e", "d"):
            with pytest.raises(QueryError) as error:
                data.prepare_sql(sql, schema=schema, epsilon=1)
            bounds = tomllib.loads(str(error.value).partition(f"[columns.{name}] ")[2])
            schema["columns"][name] = bounds
        assert round(data.sql(sql, schema=schema, epsilon=10**6).rows[0][0]) == 1


@pytest.mark.parametrize("other", [False, True])
def test_a_dry_run_tells_how_many_groups_are_released(other: bool) -> None:
    schema = {**SCHEMA, "privacy": {"other": other}}
    with ln.open(ROWS, relation="add-remove") as data:
        for by in ("region", "region, sex", ""):
            group = f" GROUP BY {by}" if by else ""
            sql = f"SELECT COUNT(*) AS n FROM t{group}"
            told = data.prepare_sql(sql, schema=schema, epsilon=1).cost().groups
            count = len(data.sql(sql, schema=schema, epsilon=1).rows)
            assert told == (count if by else None)
