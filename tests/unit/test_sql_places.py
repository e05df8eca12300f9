"""A refusal names the exact part of the query that is meant, at whatever depth it stands."""

from __future__ import annotations

import random
import re
from cProfile import Profile

import pytest

import leastnoise as ln
from leastnoise.sql import places
from leastnoise.sql.text import QueryError
from support.optional import optional
from support.sql_corpus import ROWS, SCHEMA

optional("sqlglot")

# What is refused, each of it as a whole and nothing beside it.
REFUSED = [
    *("SQRT(age)", "RANDOM()", "CAST(pay AS INT)", "pay::DECIMAL(3, 1)", "nosuch", "(age ^ 2)"),
    *("LAG(pay) OVER ()", "CURRENT_DATE", "(SELECT MAX(age) FROM t)", "AVG(pay)", "?"),
    *("AVG(pay) FILTER (WHERE age > (1))", "REGEXP_LIKE(town, 'x)')", "MY_UDF(age, '(')"),
    *("age DIV 2", "EXTRACT(DOW FROM day)", "UPPER(town)", "(age & 1)"),
    *("SUBSTR(town, 0, 1)", "[1, 2]", "(age, kids)"),
    *("TRY_CAST(town AS INT)", "EXISTS (SELECT 1 FROM t)", "COUNT(DISTINCT (town))"),
    *("(INTERVAL 3 DAY)", "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY pay)", "1e400"),
    *("CASE WHEN age THEN 1 END", "ROW_NUMBER() OVER (PARTITION BY sex ORDER BY pay DESC)"),
]
# Of these a smaller part is what is refused.
_INNER = {
    "(age ^ 2)": "age ^ 2",
    "(age & 1)": "age & 1",
    "(INTERVAL 3 DAY)": "INTERVAL 3 DAY",
    "SUBSTR(town, 0, 1)": "0",
    "CASE WHEN age THEN 1 END": "age",
}
_VALUES = [
    *("{} + 1", "1 - ({})", "ABS({})", "-({})", "COALESCE({}, 0)", "COALESCE(0, {})"),
    *("CASE WHEN age > 3 THEN {} ELSE 0 END", "CASE WHEN NOT age > 3 THEN 0 ELSE {} END"),
    *("LEAST(1, {}, kids) * 2", "NULLIF({}, 3)", "IF(kids = 1, 2, {})", "ROUND({} * 2, 1)"),
    *("CASE WHEN {} > 1 AND kids = 2 THEN 1 END", "kids /* {{ */ - ABS({})", "MOD({}, 7)"),
]
_CONDITIONS = [
    *("age > 1 AND {} > 3", "NOT ({} = 1)", "age IN (1, 2) OR {} BETWEEN 1 AND 2"),
    *("(({} > 1)) IS TRUE", "age > 1 AND (kids < 2 OR NOT {} <= 2 AND sex = 'f')"),
    *("town LIKE 'A%'\n  AND 3 < {}", "{} IN (1, 2) AND region IS NOT NULL"),
]
_QUERIES = [
    "SELECT COUNT(*), SUM(({}), contribution_bounds_per_row => (0, 9)) AS s FROM t",
    "SELECT sex, -- a comment, ' (\n  COUNT(DISTINCT {}) + 1 FROM t GROUP BY sex",
    "SELECT MAX(CASE WHEN {} > 2 THEN kids END) FROM t WHERE kids > 1",
    "WITH a AS (SELECT *, {} AS x\n FROM t), b AS (SELECT * FROM a) SELECT COUNT(*) FROM b",
    "SELECT COUNT(*) FROM t GROUP BY sex, {}, kids",
]
_FILTERS = ["SELECT COUNT(*) FROM t\n WHERE {}", "SELECT SUM(kids) FILTER (WHERE {}) * 2 FROM t"]


@pytest.mark.parametrize("refused", REFUSED)
def test_the_place_is_that_of_the_part_that_is_refused(refused: str) -> None:
    rng = random.Random(refused)
    with ln.open(ROWS) as data:
        for depth in range(6):
            text = "{}"
            for _ in range(depth % 4):
                text = rng.choice(_VALUES).format(text).replace("{ ", "{{ ")
            if depth % 2:
                text = rng.choice(_CONDITIONS).format(text)
                query = rng.choice(_FILTERS)
            else:
                query = rng.choice(_QUERIES)
            query = query.format(text).replace("{}", refused)
            with pytest.raises(QueryError) as error:
                data.prepare_sql(query, schema=SCHEMA, epsilon=1)
            part = _INNER.get(refused, refused)
            assert error.value.part in (part, f"({part})"), (query, str(error.value))
            found = re.match(r"line (\d+), column (\d+): ", str(error.value))
            assert found is not None, query
            line = query.split("\n")[int(found[1]) - 1][int(found[2]) - 1 :]
            assert line.startswith(error.value.part or "?"), (query, str(error.value))


def test_a_compiled_parser_tells_where_names_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can have no steps of ours: what is written is as sqlglot writes it."""

    def compiled(parser: object) -> object:
        raise TypeError("interpreted classes cannot inherit from compiled")

    monkeypatch.setattr(places, "_marking", compiled)
    with ln.open(ROWS, relation="add-remove") as data:
        answer = data.sql("SELECT NOT COUNT(*)>5, -COUNT(*) FROM t", epsilon=1000)
        assert answer.columns == ("NOT COUNT(*) > 5", "-COUNT(*)")
        limited = "SUM(pay / age, contribution_bounds_per_row => (0, 9))"
        data.prepare_sql(f"SELECT {limited} FROM t", schema=SCHEMA, epsilon=1)
        with pytest.raises(QueryError, match=r"line 1, column 12: SQRT is refused"):
            data.prepare_sql("SELECT SUM(SQRT(age)) FROM t", schema=SCHEMA, epsilon=1)


# A long query, one of its parts, and what stands between two of them.
_LONG = [
    ("SELECT COUNT(*) FROM t HAVING {}", "COUNT(*) = {}", " OR "),
    ("SELECT {} FROM t", "AVG(age) + {0} AS c{0}", ", "),
    ("SELECT COUNT(*) FROM t WHERE {}", "age = {}", " OR "),
    ("SELECT SUM(CASE {} END) FROM t", "WHEN kids = {} THEN 1", " "),
]


@pytest.mark.parametrize(("query", "part", "between"), _LONG)
def test_a_query_is_read_in_a_time_that_grows_as_its_length(
    query: str, part: str, between: str
) -> None:
    """Eight times as many parts, and as many calls: by their squares it would be 64 times."""
    with ln.open(ROWS) as data:

        def calls(parts: int) -> int:
            text = query.format(between.join(part.format(i) for i in range(parts)))
            with Profile() as profile:
                data.prepare_sql(text, schema=SCHEMA, epsilon=1)
            return sum(entry.callcount for entry in profile.getstats())

        calls(10)
        assert calls(400) < 10 * calls(50)
