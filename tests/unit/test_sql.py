"""Questions in SQL: each gives what the same question by the Python API gives, or is refused."""

from __future__ import annotations

from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.sql.relations import Relation
from leastnoise.testing import simulate
from support.optional import optional
from support.sql_corpus import CASES, ROWS, SCHEMA, Case

optional("sqlglot")

_EPSILON = 3


def by_the_api(case: Case) -> list[tuple[Any, ...]]:
    """The same table of a batch, with the same charge."""
    rows = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
    data = {**ROWS, **{name: [f(row) for row in rows] for name, f in case.added.items()}}
    with ln.open(data, relation="add-remove") as opened, simulate(5):
        batch = opened.batch()
        batch.add(
            "",
            case.statistics,
            charge=_EPSILON,
            weights=case.weights,
            where=case.where,
            groups=case.groups,
        )
        made = batch.release()[""]
    found: list[tuple[Any, ...]] = []
    for row in made.rows():
        values = (*row.key, *(record.value for record in row.records.values()))
        shown = values if case.columns is None else case.columns(*values)
        found.append(shown if isinstance(shown, tuple) else (shown,))
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.sql)
def test_a_query_gives_what_the_api_gives(case: Case) -> None:
    with ln.open(ROWS, relation="add-remove") as data, simulate(5):
        answer = data.sql(case.sql, schema=SCHEMA, epsilon=_EPSILON)
    assert list(answer.rows) == by_the_api(case)
    assert answer.guarantee is not None
    assert answer.guarantee.numbers()["epsilon"] == _EPSILON


def test_the_corpus_is_as_large_as_is_claimed() -> None:
    assert len({case.sql for case in CASES}) >= 165


@pytest.mark.parametrize("value", [2.0**50, 2.0**51 - 0.5, 2.0**51, -(2.0**53), -(2.0**60)])
def test_numbers_without_so_many_digits_are_rounded_to_themselves(value: float) -> None:
    limits = f"contribution_bounds_per_row => ({value - 4096}, {value + 4096})"
    sql = f"SELECT COUNT(ROUND(x, 9)) AS n, MEDIAN(ROUND(x, 9), {limits}) AS m FROM t"
    with ln.open({"x": [value] * 50}) as data, simulate(1):
        answer = data.sql(sql, schema={}, epsilon=1000)
    assert round(answer.rows[0][0]) == 50
    assert answer.rows[0][1] == pytest.approx(value, abs=0.5)


def test_a_choice_of_columns_without_a_type_is_grouped_as_its_keys_are() -> None:
    rows = {"town": ["Ulm", "Aach", "Ulm", "7"], "grade": [1, 2, 2, 3], "pay": [1, 2, 3, 4]}
    schema = {"columns": {"where": {"keys": ["Ulm", "7"]}, "mark": {"keys": [2, 3]}}}
    with ln.open(rows) as data, simulate(1):
        towns = data.sql(
            "SELECT CASE WHEN pay > 0 THEN town END AS where_, COUNT(*) AS n FROM t GROUP BY 1",
            schema={"columns": {"where_": schema["columns"]["where"]}},
            epsilon=1000,
        )
        marks = data.sql(
            "SELECT CASE WHEN pay > 0 THEN grade END AS mark, COUNT(*) AS n FROM t GROUP BY mark",
            schema=schema,
            epsilon=1000,
        )
    assert [(key, round(n)) for key, n in towns.rows] == [("Ulm", 2), ("7", 1)]
    assert [(key, round(n)) for key, n in marks.rows] == [(2, 2), (3, 1)]


def test_a_computed_value_has_no_facts_of_the_column_whose_name_it_bears() -> None:
    """hours * 60 AS hours has not the limits of hours, nor UPPER(sex) AS sex the keys of sex."""
    with ln.open(ROWS, relation="add-remove") as data, simulate(1):

        def asked(sql: str) -> list[tuple[Any, ...]]:
            return list(data.sql(sql, schema=SCHEMA, epsilon=10**7).rows)

        (row,) = asked("WITH a AS (SELECT hours * 60 AS hours FROM t) SELECT MAX(hours) FROM a")
        assert row[0] == 60 * max(each for each in ROWS["hours"] if each is not None)
        (row,) = asked("WITH a AS (SELECT age / 4 AS kids FROM t) SELECT MAX(kids) FROM a")
        assert row[0] == pytest.approx(max(ROWS["age"]) / 4, abs=0.01)
        upper = "SELECT UPPER(sex) AS sex, COUNT(*) FROM t GROUP BY 1"
        assert [row[0] for row in asked(upper)] == ["F", "M"]
        named = "SELECT COALESCE(region, '?') AS region, COUNT(*) FROM t GROUP BY 1"
        assert [round(row[1]) for row in asked(named)] == [12] * 4
        mode = "WITH a AS (SELECT UPPER(sex) AS sex FROM t) SELECT MODE(sex) FROM a"
        assert asked(mode)[0][0] in ("F", "M")
        with pytest.raises(LeastNoiseError, match=r"AS other, a name that no column of the table"):
            asked("WITH a AS (SELECT pay / hours AS pay FROM t) SELECT SUM(pay) FROM a")


@pytest.mark.parametrize(
    "form",
    [
        "IF(age > {}, kids, {})",
        "CASE WHEN age > {} THEN kids ELSE {} END",
        "COALESCE(NULLIF(kids, {}), {})",
        "CASE WHEN {1} > {0} THEN 1 ELSE 0 END",
        "CASE WHEN {1} IN ({0}) THEN 1 ELSE 0 END",
    ],
)
def test_each_form_is_read_once(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands inside is not read again at each level: that would take 2^12 times as long."""
    read = 0
    find = Relation.find

    def counted(relation: Relation, column: Any) -> Any:
        nonlocal read
        read += 1
        return find(relation, column)

    monkeypatch.setattr(Relation, "find", counted)
    sql = "0"
    for i in range(12):
        sql = form.format(i, sql)
    with ln.open(ROWS, relation="add-remove") as data:
        data.prepare_sql(f"SELECT SUM({sql}), COUNT({sql}) FROM t", schema=SCHEMA, epsilon=1)
    assert read < 400
