"""What stands around a query: budget, persons, private keys, options, answers, the cell magic."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields
from datetime import date, datetime, timedelta
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.cli.sql import sql as command_sql
from leastnoise.errors import BudgetExceededError, ParameterError, SchemaError
from leastnoise.sql.asking import Asking
from leastnoise.sql.magic import _parser, answered
from leastnoise.sql.released import ordered
from leastnoise.sql.results import parts_between
from leastnoise.sql.schema import ColumnFacts
from leastnoise.sql.text import QueryError
from leastnoise.sql.wanted import Aggregate
from leastnoise.summaries.calendar import part_of
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.expressions import Calendar, Moment
from leastnoise.testing import simulate
from support.commands import in_process
from support.optional import optional
from support.sql_corpus import ROWS, SCHEMA

optional("sqlglot")

CLAUSE = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({}) COUNT(*) AS n FROM t"


def asked(sql: str, data: Any = ROWS, **more: Any) -> Any:
    opening = {name: more.pop(name) for name in ("unit", "max_rows", "relation") if name in more}
    with ln.open(data, **{"relation": "add-remove", **opening}) as opened, simulate(1):
        return opened.sql(sql, **{"schema": SCHEMA, **more})


# --- names of columns ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "item",
    [
        *("-COUNT(*)", "- COUNT(*) + 1", "NOT COUNT(*) > 5", "(COUNT(*))", "+COUNT(*) * (2 + 1)"),
        *("FLOOR(AVG(pay)/10)*10", "(SUM(pay)+1)*2", "ROUND(2 * (AVG(pay) + 1), 1)"),
        *("CASE WHEN COUNT(*) > 5 THEN 1 ELSE 0 END", "IF(NOT COUNT(*) > 5, 0, 1)"),
        *("COALESCE(NULLIF(COUNT(*), 0), 1)", "NOT (COUNT(*) IS NULL)", "COUNT(*) IS NOT NULL"),
        "-SUM(pay, contribution_bounds_per_row => (0, 9)) / (COUNT(*))",
    ],
)
def test_a_column_without_a_name_is_called_as_it_is_written(item: str) -> None:
    other = "1 + COUNT(*)"
    for sql in (f"SELECT {other}, {item} FROM t", f"FROM t SELECT {item}, {other} WHERE age > 1"):
        assert set(asked(sql, epsilon=1).columns) == {item, other}
    assert asked(f'SELECT {item} "a, b", {other} AS n FROM t', epsilon=1).columns == ("a, b", "n")


def test_the_name_of_a_condition_says_which_of_its_groups_is_which() -> None:
    held, not_held = (
        asked(f"SELECT {item}, COUNT(*) FROM t GROUP BY {by}", epsilon=10**6).to_dicts()
        for item, by in [("kids > 0", "kids > 0"), ("NOT kids > 0 /* ) */", "1")]
    )
    found = {row["kids > 0"]: round(row["COUNT(*)"]) for row in held}
    assert found == {1 - row["NOT kids > 0"]: round(row["COUNT(*)"]) for row in not_held}
    assert found[1] == sum(kids > 0 for kids in ROWS["kids"] if kids is not None)


def test_columns_of_a_query_of_rows_keep_theirs() -> None:
    sql = "WITH a AS (SELECT -age AS old, kids FROM t WHERE NOT age < 1) SELECT -COUNT(old) FROM a"
    assert asked(sql, epsilon=1).columns == ("-COUNT(old)",)


@pytest.mark.parametrize(("factor", "shown"), [(1, 36), (-1, -36)])
def test_released_numbers_are_cut_off_as_those_of_rows_are(factor: int, shown: int) -> None:
    sql = f"SELECT TRUNC({factor} * 0.75 * COUNT(*)) AS n FROM t HAVING TRUNC(COUNT(*) / 100) = 0"
    assert len(ROWS["age"]) == 48
    assert asked(sql, epsilon=10**6).rows == ((shown,),)


@pytest.mark.parametrize(
    ("condition", "whole"),
    [("k < 2.5", 30), ("k BETWEEN 0.5 AND 2.5", 30), ("k > 1.5", 50), ("k BETWEEN 1.2 AND 1.8", 0)],
)
def test_limits_of_whole_values_that_are_worked_out_are_whole(condition: str, whole: int) -> None:
    schema = {"columns": {"k": {"bounds": [0, 10], "step": 1}}}
    sql = f"SELECT SUM(CASE WHEN {condition} THEN k END) AS n FROM t"
    assert asked(sql, {"k": [1, 2, 3] * 10}, schema=schema, epsilon=10**6).rows == ((whole,),)


# --- order and limit ------------------------------------------------------------------------------


def test_having_order_and_limit_see_released_numbers_only() -> None:
    whole = asked("SELECT kids, COUNT(*) AS n FROM t GROUP BY kids", epsilon=1)
    some = asked(
        "SELECT kids, COUNT(*) AS n FROM t GROUP BY kids HAVING n > 3 AND n IS NOT NULL "
        "ORDER BY n DESC, kids LIMIT 2",
        epsilon=1,
    )
    kept = sorted((row for row in whole.rows if row[1] > 3), key=lambda row: (-row[1], row[0]))
    assert list(some.rows) == kept[:2]
    assert some.releases.to_dict() == whole.releases.to_dict()
    assert some.guarantee == whole.guarantee


def test_order_by_numbers_names_and_null() -> None:
    sql = "SELECT kids, NULLIF(kids, 2) AS k, COUNT(*) AS n FROM t GROUP BY kids ORDER BY {}"
    keys = {
        order: [row[0] for row in asked(sql.format(order), epsilon=1).rows]
        for order in ("1", "kids DESC", "k", "-kids", "k DESC", "k NULLS LAST")
    }
    assert keys["1"] == [0, 1, 2, 3, 4]
    assert keys["kids DESC"] == keys["-kids"] == [4, 3, 2, 1, 0]
    assert keys["k"] == [2, 0, 1, 3, 4]  # NULL is the least
    assert keys["k DESC"] == [4, 3, 1, 0, 2]
    assert keys["k NULLS LAST"] == [0, 1, 3, 4, 2]


def test_order_by_means_a_name_of_the_select_before_a_column_of_the_table() -> None:
    words = "CASE region WHEN 'N' THEN 'z' WHEN 'S' THEN 'm' ELSE 'a' END"
    sql = f"SELECT {words} AS region, COUNT(*) FROM t GROUP BY 1 ORDER BY region LIMIT 2"
    data = {"region": ["N", "S", "E", "N"] * 5}
    schema = {"columns": {"region": {"keys": ["N", "S", "E"]}}}
    assert asked(sql, data, schema=schema, epsilon=10**6).rows == (("a", 5), ("m", 5))
    sql = "SELECT region AS n, COUNT(*) AS region FROM t GROUP BY t.region ORDER BY region DESC, n"
    assert [key for key, _ in asked(sql, data, schema=schema, epsilon=10**6).rows] == [
        *("N", "E", "S"),
    ]


# --- the budget -----------------------------------------------------------------------------------


def test_epsilon_is_what_the_whole_query_is_charged(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    ln.Ledger.create(ledger, dataset="t", budget=ln.PureDP(3)).close()
    sql = "SELECT sex, COUNT(*) AS n, AVG(pay) AS a FROM t GROUP BY sex"
    with ln.open(ROWS, ledger=ledger, dataset="t") as data:
        prepared = data.prepare_sql(sql, schema=SCHEMA, epsilon="3/2", weights={"n": 1, "a": 3})
        assert [str(one) for one in prepared.charges()] == ["epsilon 1.5"]
        assert data.spent == 0
        answer = prepared.release(purpose="a table")
        assert data.spent == Fraction(3, 2)
        first = next(iter(answer.releases.rows())).records
        # under replace-one a changed row reaches two groups
        assert first["a"].guarantee.numbers()["epsilon"] == Fraction(9, 16)
        again = data.sql(sql, schema=SCHEMA, epsilon="3/2", weights={"n": 1, "a": 3}, reuse=True)
        assert again.rows == answer.rows
        assert data.spent == Fraction(3, 2)
        assert {entry.body.get("purpose") for entry in data.history} >= {"a table"}
        with pytest.raises(BudgetExceededError):
            data.sql(sql, schema=SCHEMA, epsilon=2)
        assert data.spent == Fraction(3, 2)


def test_another_expression_is_another_request(tmp_path: Path) -> None:
    """What a ledger serves again is told apart by what a value is made of, not by its name."""
    ledger = tmp_path / "ledger.db"
    ln.Ledger.create(ledger, dataset="t", budget=ln.PureDP(30), relation="add-remove").close()
    public = json.loads(json.dumps(SCHEMA["public"]))
    public["regions"]["columns"]["people"] = [50, 30, 20]
    look = "SELECT SUM(people) AS s FROM t JOIN regions r ON r.code = region"
    with ln.open(ROWS, ledger=ledger, dataset="t") as data:
        for i, (sql, schema) in enumerate(
            [
                ("SELECT SUM(age + 1) AS s FROM t", SCHEMA),
                ("SELECT SUM(age + 2) AS s FROM t", SCHEMA),
                ("SELECT COUNT(*) AS s FROM t WHERE age + 1 > kids", SCHEMA),
                ("SELECT COUNT(*) AS s FROM t WHERE age + 2 > kids", SCHEMA),
                (look, SCHEMA),
                (look, {**SCHEMA, "public": public}),
            ],
            start=1,
        ):
            data.sql(sql, schema=schema, epsilon=1, reuse=True)
            assert data.spent == i


def test_a_count_that_only_a_sample_needs_gets_a_tenth_of_its_share() -> None:
    rows = {"x": np.arange(400)}
    schema = {"columns": {"x": {"bounds": [0, 400], "step": 1}}}
    sql = "SELECT VAR_SAMP(x) AS v, STDDEV(x) AS s, MAX(x) AS top{} FROM t"
    with ln.open(rows, relation="add-remove") as data, simulate(1):
        shares = {
            more: {
                name: record.guarantee.numbers()["epsilon"]
                for name, record in next(iter(answer.releases.rows())).records.items()
            }
            for more in ("", ", COUNT(x) AS n")
            for answer in [data.sql(sql.format(more), schema=schema, epsilon=100)]
        }
        weighted = data.sql(
            sql.format(""), schema=schema, epsilon=100, weights={"v": 8, "s": 1, "top": 1}
        )
        with pytest.raises(ParameterError, match=r"aggregates v, s, top, .* no weight of s"):
            data.sql(sql.format(""), schema=schema, epsilon=1, weights={"v": 1})
    third = Fraction(100, 3)
    tenth = third * 9 / 10
    assert shares[""] == {"v": tenth, "rows of v, s": third / 5, "s": tenth, "top": third}
    assert shares[", COUNT(x) AS n"] == {"v": 25, "n": 25, "s": 25, "top": 25}
    assert {record.guarantee.numbers()["epsilon"] for record in weighted.records} == {72, 9, 10}
    assert weighted.rows[0][0] == pytest.approx(np.arange(400).var(ddof=1), rel=0.01)
    assert weighted.rows[0][1] == pytest.approx(np.arange(400).std(ddof=1), rel=0.05)


def test_intervals_stand_beside_their_numbers() -> None:
    """As ``WithInterval`` makes them; ends can be sorted and chosen by, and hold what they say."""
    rows = {"g": ["a", "b"] * 600, "x": np.arange(1200) % 100}
    schema = {"columns": {"x": {"bounds": [0, 100], "step": 1}, "g": {"keys": ["a", "b"]}}}
    sql = "SELECT {} g, COUNT(*) AS n, MEDIAN(x) AS m, SUM(x) / COUNT(*) AS r FROM t GROUP BY g"
    answer = asked(sql.format(""), rows, schema=schema, epsilon=9, interval="0.9")
    assert answer.columns == ("g", "n", "n_low", "n_high", "m", "m_low", "m_high", "r")
    inside = "WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=9, interval=0.9)"
    assert asked(sql.format(inside), rows, schema=schema).rows == answer.rows
    wanted = {
        "n": ln.WithInterval(ln.Count(), level="0.9"),
        "m": ln.WithInterval(ln.Median("x", bounds=(0, 100), step=1), level="0.9"),
        "r": ln.Sum("x", bounds=(0, 100), step=1),
    }
    with ln.open(rows, relation="add-remove") as data, simulate(1):
        made = data.group_by({"g": ["a", "b"]}).release(wanted, epsilon=9)
    assert [row[2:7:1] for row in answer.rows] == [
        (*r["n"].interval, r["m"].value, *r["m"].interval)
        for r in (row.records for row in made.rows())
    ]
    chosen = sql.format("") + " HAVING n_low > 500 AND r > 0 ORDER BY m_high DESC, n_low"
    assert len(asked(chosen, rows, schema=schema, epsilon=9, interval="0.9").rows) == 2
    with pytest.raises(QueryError, match="there is no column 'n_low'"):
        asked(chosen, rows, schema=schema, epsilon=9)
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        asked(sql.format(""), rows, schema=schema, epsilon=9, interval=95)


@pytest.mark.parametrize("sample", ["VAR_SAMP", "STDDEV"])
def test_the_interval_of_a_sample_holds_it(sample: str) -> None:
    rows = {"x": np.arange(8)}
    schema = {"columns": {"x": {"bounds": [0, 8], "step": 1}}}
    true = rows["x"].var(ddof=1) if sample == "VAR_SAMP" else rows["x"].std(ddof=1)
    with ln.open(rows, relation="add-remove") as data:
        prepared = data.prepare_sql(
            f"SELECT {sample}(x) AS v FROM t", schema=schema, epsilon=2, interval=0.6
        )
        held = 0
        for seed in range(30):
            with simulate(seed):
                ((value, low, high),) = prepared.release().rows
            held += low <= true <= high
            assert low <= value <= high
    assert held >= 18


@pytest.mark.parametrize("root", [False, True], ids=["variance", "deviation"])
def test_the_interval_of_a_sample_holds_all_that_its_parts_may_be(root: bool) -> None:
    one = Aggregate(0, rows=1, root=root)
    for rows in [(-3, 1), (0, 4), (1, 2), (2, 9), (5, 6)]:
        low, high = one.between([(2.0, 7.0), rows])
        found = [
            one.of([value, n]) for value in (2.0, 3.5, 7.0) for n in range(rows[0], rows[1] + 1)
        ]
        assert low <= min(found)
        assert high >= max(found)


@pytest.mark.parametrize("sample", ["VAR_SAMP", "STDDEV_SAMP", "VAR_POP"])
def test_all_intervals_of_one_number_hold_at_once(sample: str) -> None:
    schema = {"columns": {"x": {"bounds": [0, 8]}}}
    with ln.open({"x": [1, 2, 3]}, relation="add-remove") as data:
        prepared = data.prepare_sql(
            f"SELECT {sample}(x) AS v FROM t", schema=schema, epsilon=2, interval="0.9"
        )
    asked = prepared.compiled.statistics.values()
    assert sum((1 - Fraction(each.level) for each in asked), Fraction(0)) == Fraction(1, 10)


def test_long_values_that_begin_alike_are_two() -> None:
    start = " + ".join(["pay"] * 60)
    sql = f"SELECT AVG({start} + 1) AS a, AVG({start} + 2) AS b FROM t"
    schema = {"columns": {"pay": {"bounds": [0, 9], "step": 1}}}
    ((a, b),) = asked(sql, {"pay": [3] * 500}, schema=schema, epsilon=10**6).rows
    assert (round(a), round(b)) == (181, 182)


@pytest.mark.parametrize("part", ["YEAR", "QUARTER", "MONTH", "MONTH START", "WEEK START"])
def test_keys_of_a_calendar_are_the_parts_of_all_days_between_the_limits(part: Any) -> None:
    """Also where a limit is the first or last day of a part."""
    day, first = Calendar(part, Moment("d", Clock.DAY)), date(2023, 12, 1).toordinal()
    for low in range(first, first + 70, 3):
        for size in (0, 1, 6, 30, 31, 61):
            days = [date.fromordinal(low + i) for i in range(size + 1)]
            found = parts_between(day, lambda _, d=days: ColumnFacts(times=(d[0], d[-1])))
            wanted = {part_of(part, one.toordinal() - date(1970, 1, 1).toordinal()) for one in days}
            assert found == tuple(sorted(wanted)), days


@pytest.mark.parametrize("missing", ["drop", "none", 7])
def test_what_entries_of_the_data_may_be_says_nothing_of_computed_values(missing: Any) -> None:
    """A value that a condition leaves out is left out, whatever stands for missing entries."""
    values = ("CASE WHEN age > 40 THEN pay END", "IF(age > 45, 1, NULL)", "pay + 2")
    for call in ("AVG", "SUM", "MEDIAN", "COUNT"):
        for value in values:
            sql = f"SELECT {call}({value}) AS n FROM t"
            plain, beside = (
                ln.open(ROWS, relation="add-remove", missing=policy) for policy in (None, missing)
            )
            answers: list[Any] = []
            for opened in (plain, beside):
                with opened, simulate(1):
                    answers.append(opened.sql(sql, schema=SCHEMA, epsilon=10**4).rows)
            assert answers[0] == answers[1], sql


# --- persons and private keys ---------------------------------------------------------------------


def test_persons_are_declared_where_the_data_is_opened() -> None:
    persons = {**ROWS, "who": [i % 20 for i in range(len(ROWS["age"]))]}
    sql = (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=2, privacy_unit_column=who, "
        "max_rows_contributed=3, max_groups_contributed=2) sex, COUNT(*) AS n FROM t GROUP BY sex"
    )
    answer = asked(sql, persons, unit="who", max_rows=3)
    assert answer.guarantee.numbers()["epsilon"] == 2
    assert answer.records[0].max_rows == 3
    with pytest.raises(QueryError, match="open it with unit='who'"):
        asked(sql, persons)
    for opened in (2, 4):
        with pytest.raises(QueryError, match="open it with unit= and max_rows=3"):
            asked(sql, persons, unit="who", max_rows=opened)
    with pytest.raises(ParameterError, match=r"column \d+: .* OPTIONS \(max_groups_contributed"):
        asked(
            "SELECT sex, COUNT(*) FROM t GROUP BY sex", persons, unit="who", max_rows=3, epsilon=1
        )


def test_private_keys_are_paid_for_before_the_table() -> None:
    towns = {"town": ["Aach"] * 300 + ["Ulm"] * 200 + ["Zell"], "pay": [20] * 501}
    schema = {"columns": {"pay": {"bounds": [0, 100]}}}
    sql = "SELECT town, COUNT(*) AS n, AVG(pay) AS a FROM t GROUP BY town ORDER BY n DESC"
    answer = asked(sql, towns, schema=schema, epsilon=3, delta="1e-9")
    assert [row[0] for row in answer.rows] == ["Aach", "Ulm"]
    assert answer.guarantee.numbers() == {"epsilon": 3, "delta": Fraction(1, 10**9)}
    keys, table = answer.keys.guarantee.numbers(), answer.releases.guarantee.numbers()
    assert (keys["epsilon"], table["epsilon"]) == (1, 2)
    inside = sql.replace(
        "SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=3, delta=1e-9)"
    )
    assert asked(inside, towns, schema=schema).rows == answer.rows
    with pytest.raises(QueryError, match="town has no keys"):
        asked(sql, towns, schema=schema, epsilon=3)
    public = inside.replace("epsilon=3", "epsilon=3, group_selection_strategy=PUBLIC_GROUPS")
    with pytest.raises(QueryError, match="or leave group_selection_strategy = PUBLIC_GROUPS out"):
        asked(public, towns, schema=schema)


@pytest.mark.parametrize("by", ["town", "town, sex"])
def test_all_private_keys_together_cost_what_was_given(by: str, tmp_path: Path) -> None:
    path, given = tmp_path / "l.db", {"epsilon": Fraction(60), "delta": Fraction(1, 10**6)}
    budget = ln.ApproxDP(99, "1/10")
    ln.Ledger.create(path, dataset="t", budget=budget, relation="add-remove").close()
    towns = {"town": ["Aach"] * 300 + ["Ulm"] * 200, "sex": ["f", "m"] * 250}
    with ln.open(towns, ledger=path, dataset="t") as data:
        prepared = data.prepare_sql(
            f"SELECT COUNT(*) AS n FROM t GROUP BY {by}", schema={}, epsilon=60, delta="1e-6"
        )
        told = [charge.numbers for charge in prepared.charges()]
        answer = prepared.release()
        assert len(answer.rows) == 2 * len(by.split())
        for found in (data.spent.numbers, answer.charged.numbers, answer.guarantee.numbers()):
            assert found == given
    assert {name: sum(each.get(name, 0) for each in told) for name in given} == given


def test_rows_of_no_key_are_a_group_where_the_schema_says_so() -> None:
    rows = {"g": ["a"] * 50 + ["z"] * 20 + [None] * 5, "x": list(range(75))}
    schema = {"columns": {"g": {"keys": ["a", "b"]}}, "privacy": {"other": True}}
    sql = "SELECT g, COUNT(*) AS n FROM t GROUP BY g ORDER BY g NULLS LAST"
    more = {"data": rows, "epsilon": 400}
    assert asked(sql, schema=schema, **more).rows == (("a", 50), ("b", 0), (None, 25))
    named = "SELECT COALESCE(g, 'rest') AS g, COUNT(*) AS n FROM t GROUP BY g HAVING g IS NULL"
    assert asked(named, schema=schema, **more).rows == (("rest", 25),)
    assert asked("SELECT COUNT(*) AS n FROM t", schema=schema, **more).rows == ((75,),)
    schema["privacy"] = {"other": False}
    assert asked(sql, schema=schema, **more).rows == (("a", 50), ("b", 0))
    with pytest.raises(ParameterError, match="true or false"):
        asked(sql, schema={"privacy": {"other": "z"}}, **more)


def test_no_key_is_an_empty_table() -> None:
    lonely = {"town": ["Aach", "Ulm", "Zell"], "pay": [20, 30, 40]}
    answer = asked(
        "SELECT town, COUNT(*) AS n FROM t GROUP BY town", lonely, epsilon=1, delta="1e-9"
    )
    assert answer.rows == ()
    assert answer.columns == ("town", "n")
    assert answer.guarantee.numbers()["epsilon"] <= 1
    assert "town" in answer.to_csv()


def test_keys_are_not_charged_where_the_table_cannot_be_paid(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    budget = ln.ApproxDP(1, "1e-6")
    ln.Ledger.create(ledger, dataset="t", budget=budget, relation="add-remove").close()
    with ln.open(ROWS, ledger=ledger, dataset="t") as data:
        for epsilon, delta, error in [
            (2, "1e-9", BudgetExceededError),
            (1, "1e-3", BudgetExceededError),
        ]:
            with pytest.raises(error, match="nothing was spent"):
                data.sql("SELECT COUNT(*) FROM t GROUP BY town", epsilon=epsilon, delta=delta)
        with pytest.raises(SchemaError):
            data.sql("SELECT SUM(nothing) FROM t GROUP BY town", epsilon=1, delta="1e-9")
        assert data.spent.epsilon == 0
        answer = data.sql("SELECT town, COUNT(*) FROM t GROUP BY town", epsilon=1, delta="1e-9")
        assert data.spent.epsilon == (1 if answer.rows else Fraction(1, 2))


# --- the clause -----------------------------------------------------------------------------------


def test_the_clause_says_what_stands_beside_the_query_elsewhere() -> None:
    beside = asked("SELECT COUNT(*) AS n FROM t", epsilon="1/3")
    assert asked(CLAUSE.format("epsilon='1/3'")).rows == beside.rows
    assert asked(CLAUSE.format("epsilon='1/3'"), epsilon="1/3").rows == beside.rows
    assert (
        asked("SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) AS n FROM t", epsilon="1/3").rows
        == beside.rows
    )
    with pytest.raises(QueryError, match="two values"):
        asked(CLAUSE.format("epsilon=1"), epsilon=2)
    with pytest.raises(QueryError, match="epsilon is missing"):
        asked("SELECT COUNT(*) FROM t")
    for options, why in [
        ("epsilon=1, epsilon=2", "given twice"),
        ("epsilom=1", "did you mean epsilon"),
        ("epsilon=-1", "epsilon is a number"),
        ("epsilon=0", "greater than 0"),
        ("epsilon=1, purpose=x", "text in single quotes"),
        ("epsilon=1, reuse=1", "TRUE or FALSE"),
        ("epsilon=1, max_groups_contributed=2", "is for persons"),
        ("epsilon=1, ledger='x'", "where the data is opened"),
        ("1", "an option is written"),
    ]:
        with pytest.raises(QueryError, match=why):
            asked(CLAUSE.format(options))
    with pytest.raises(QueryError, match="belongs to the outer SELECT"):
        asked("SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY pay FROM t) x", epsilon=1)


def test_comments_and_quotes_hide_nothing() -> None:
    plain = asked("SELECT COUNT(*) AS n FROM t WHERE sex = 'f'", epsilon=1)
    commented = (
        "SELECT /* SUM(pay) */ COUNT(*) AS n -- FROM other\n"
        "FROM t WHERE sex /* <> 'f' OR sex */ = 'f'"
    )
    assert asked(commented, epsilon=1).rows == plain.rows
    quoted = "SELECT COUNT(*) AS n FROM t WHERE region = '-- x' OR sex = '/* ( */'"
    assert asked(quoted, epsilon=1).columns == ("n",)


def test_names_are_folded_as_the_schema_writes_them() -> None:
    data = {"Pay": [1, 2], "pay": [3, 4], "Age": [5, 6]}
    schema = {"columns": {"Age": {"bounds": [0, 10]}, "Pay": {"bounds": [0, 10]}}}
    assert (
        asked("SELECT SUM(aGE) FROM t", data, schema=schema, epsilon=1).records[0].column == "Age"
    )
    found = asked('SELECT SUM("Pay") FROM t', data, schema=schema, epsilon=1)
    assert found.records[0].column == "Pay"
    with pytest.raises(QueryError, match="the name of several columns"):
        asked("SELECT SUM(PAY) FROM t", data, schema=schema, epsilon=1)


# --- the schema -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"column": {}}, "did you mean columns"),
        ({"columns": {"pay": {"bound": [0, 1]}}}, "columns.pay.bound"),
        ({"columns": {"pay": {"bounds": [1, 0]}}}, "smaller number first"),
        ({"columns": {"pay": {"bounds": [0]}}}, "two numbers"),
        ({"columns": {"sex": {"keys": ["f", "f"]}}}, "differ"),
        ({"columns": {"sex": {"keys": ["f", ""]}}}, "columns.sex.keys: blank text .* other = true"),
        ({"public": {"r": {"key": "c", "columns": {"c": ["a", "a"]}}}}, "stands twice in c"),
        ({"public": {"r": {"key": "d", "columns": {"c": ["a"]}}}}, "no column 'd'"),
        ({"public": {"r": {"key": "c", "columns": {"c": ["a"], "d": []}}}}, "as many entries"),
        ({"public": {"r": {"key": "c"}}}, "one of them"),
        ({"public": {"r": {"columns": {}}}}, "1 to 1000 rows"),
        ({"privacy": {"unit": "who"}}, "max_rows: is required with unit"),
        (7, "must be the path"),
    ],
)
def test_a_wrong_schema_is_refused(schema: Any, why: str) -> None:
    with pytest.raises((ParameterError, TypeError, SchemaError), match=why):
        asked("SELECT COUNT(*) FROM t", schema=schema, epsilon=1)


def test_a_table_of_another_name_is_refused_where_one_is_declared() -> None:
    schema = {**SCHEMA, "table": "people"}
    assert asked("SELECT COUNT(*) FROM People", schema=schema, epsilon=1).columns == ("COUNT(*)",)
    with pytest.raises(QueryError, match="there is no table t; there is people"):
        asked("SELECT COUNT(*) FROM t", schema=schema, epsilon=1)


@pytest.mark.parametrize(
    "declared", [{"unit": "who", "max_rows": 2}, {"relation": "edit"}, {"dataset": "t"}]
)
def test_a_schema_that_protects_more_than_the_session_is_refused(declared: dict[str, Any]) -> None:
    schema = {**SCHEMA, "privacy": declared}
    with pytest.raises(ParameterError, match=r"schema: privacy\.\w+: is .* open it with"):
        asked("SELECT COUNT(*) FROM t", schema=schema, epsilon=1)


def test_a_query_is_not_pickled() -> None:
    with ln.open(ROWS) as data:
        prepared = data.prepare_sql("SELECT COUNT(*) FROM t", epsilon=1)
        with pytest.raises(TypeError, match="holds private data"):
            pickle.dumps(prepared)


def test_a_query_of_rows_has_names_of_its_own() -> None:
    sql = (
        "WITH b AS (WITH a AS (SELECT * FROM t WHERE sex = 'f') SELECT * FROM a) "
        "SELECT COUNT(*) FROM {}"
    )
    schema = {**SCHEMA, "table": "t"}
    assert asked(sql.format("b"), schema=schema, epsilon=1).rows
    with pytest.raises(QueryError, match="there is no table a"):
        asked(sql.format("a"), schema=schema, epsilon=1)


def test_dates_are_constants_of_filters() -> None:
    """As in the API: by whole days, or by seconds."""
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(60)]
    frame = optional("polars").DataFrame({"day": days, "x": list(range(60))})
    col = ln.col("day")
    first, last = date(2024, 1, 10), date(2024, 2, 1)
    for sql, where in [
        ("day >= DATE '2024-01-10'", col >= first),
        ("DATE '2024-01-10' > day", col < first),
        ("day BETWEEN DATE '2024-01-10' AND CAST('2024-02-01' AS DATE)", col.between(first, last)),
        ("day IN (DATE '2024-01-10', DATE '2024-02-01')", col.is_in([first, last])),
        ("NOT day = DATE('2024-01-10') AND x / 2 > 3", ~(col == first) & (ln.col("v") == 1)),
        ("day < TIMESTAMP '2024-01-10 12:00:00'", col < datetime(2024, 1, 10, 12)),
    ]:
        answer = asked(f"SELECT COUNT(*) AS n FROM t WHERE {sql}", frame, epsilon=2)
        added = frame.with_columns(v=optional("polars").Series([int(i > 6) for i in range(60)]))
        with ln.open(added, relation="add-remove") as data, simulate(1):
            assert answer.rows[0][0] == data.where(where).release(ln.Count(), epsilon=2).value, sql
    for sql, why in [
        ("COUNT(*) FROM t WHERE day >= DATE '2024-13-10'", "this is no DATE"),
        (
            "COUNT(*) FROM t WHERE x >= DATE '2024-01-10'",
            "x holds numbers, and is compared with dates",
        ),
        ("COUNT(*) FROM t WHERE x + 1 >= DATE '2024-01-10'", "a column of dates"),
        ("SUM(day) FROM t", r"SUM is of numbers, and day holds .*: write AVG\(day\)"),
    ]:
        with pytest.raises((ParameterError, SchemaError), match=why):
            asked(f"SELECT {sql}", frame, epsilon=1)


def test_a_column_of_dates_has_limits_that_are_dates(tmp_path: Path) -> None:
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(60)]
    frame = optional("polars").DataFrame({"day": days, "x": list(range(60))})
    facts = tmp_path / "facts.toml"
    facts.write_text("[columns.day]\nbounds = [2024-01-01, 2025-01-01]\n", encoding="utf-8")
    sql = "SELECT MEDIAN(day) AS m, MAX(day) AS last FROM t HAVING m IS NOT NULL ORDER BY m"
    answer = asked(sql, frame, schema=facts, epsilon=8)
    bounds = (date(2024, 1, 1), date(2025, 1, 1))
    with ln.open(frame, relation="add-remove") as data, simulate(1):
        wanted = {"m": ln.Median("day", bounds=bounds), "last": ln.Maximum("day", bounds=bounds)}
        made = data.release(wanted, epsilon=8)
    assert answer.rows == ((made["m"].value, made["last"].value),)
    assert isinstance(answer.rows[0][0], date)
    assert json.loads(json.dumps(answer.to_dict()))["rows"][0][0] == made["m"].value.isoformat()
    assert made["m"].value.isoformat() in answer.to_csv() + repr(answer)


def test_days_that_are_worked_out_are_keys_in_order(tmp_path: Path) -> None:
    """Of limits that are times too; of a text file, which is read once."""
    times = [datetime(2023, 11, 1) + timedelta(hours=7 * i) for i in range(300)]
    text = "at,x\n" + "".join(f"{time.isoformat()},1\n" for time in times) + "soon,1\n,1\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    bounds = [datetime(2023, 11, 1), datetime(2024, 1, 31)]
    schema = {"columns": {"at": {"bounds": bounds}, "x": {"bounds": [0, 1]}}}
    frame = optional("polars").DataFrame({"at": times, "x": [1] * 300})
    firsts = [date(2023, 11, 1), date(2023, 12, 1), date(2024, 1, 1)]
    held = [sum(time.date().replace(day=1) == first for time in times) for first in firsts]
    months = (
        "SELECT DATE_TRUNC('month', at) AS month, COUNT(*) AS n FROM t GROUP BY month "
        "HAVING month >= DATE '2023-12-01' ORDER BY month DESC"
    )
    for data in (tmp_path / "t.csv", frame, frame.lazy()):
        more = {"schema": schema, "epsilon": 5000}
        assert asked(months, data, **more).rows == tuple(zip(firsts, held, strict=True))[:0:-1]
        noon = sum(time.hour >= 12 for time in times)
        assert asked("SELECT COUNT_IF(HOUR(at) >= 12) FROM t", data, **more).rows == ((noon,),)
        days = asked("SELECT CAST(at AS DATE) AS d, COUNT(*) AS n FROM t GROUP BY d", data, **more)
        assert [row[0] for row in days.rows] == [
            date(2023, 11, 1) + timedelta(i) for i in range(92)
        ]
        assert json.loads(json.dumps(days.to_dict()))["rows"][0][0] == "2023-11-01"
    zoned = {"columns": {"at": {"bounds": [date(1800, 1, 1), date(2024, 1, 1)]}}}
    sql = "SELECT DATE_TRUNC('month', at), COUNT(*) FROM t GROUP BY 1"
    with pytest.raises(QueryError, match="between which lie at most 500 of these"):
        asked(sql, frame, schema=zoned, epsilon=1)


def test_an_entry_that_is_no_key_has_no_text_of_a_declared_key() -> None:
    rows = {"g": ["a", "B", "z", None] * 50, "k": [1, 2, 3, None] * 50}
    schema = {"columns": {"g": {"keys": ["a", "B"]}, "k": {"keys": [1, 2]}}}
    for shown, found in [
        ("COUNT(UPPER(g))", 100),
        ("COUNT(SUBSTR(g, 1, 1))", 150),
        ("COUNT(CAST(k AS TEXT))", 100),
        ("COUNT_IF(g ILIKE 'b')", 50),
        ("COUNT_IF(NOT g ILIKE 'b')", 50),
        ("COUNT_IF(NOT g LIKE 'B%')", 100),
        ("COUNT_IF(g LIKE '%')", 150),
        ("COUNT_IF(LENGTH(g) = 1)", 150),
        ("SUM(LENGTH(g))", 150),
        ("SUM(LENGTH(UPPER(g)) + 1)", 200),
    ]:
        answer = asked(f"SELECT {shown} FROM t", rows, schema=schema, epsilon=5000)
        assert answer.rows == ((found,),), shown


def test_lengths_of_declared_keys_are_keys() -> None:
    rows, schema = {"g": ["a", "bcd", "zz", None]}, {"columns": {"g": {"keys": ["bcd", "a"]}}}
    sql = "SELECT LENGTH(g), COUNT(*) FROM t GROUP BY LENGTH(g)"
    assert asked(sql, rows, schema=schema, epsilon=5000).rows == ((1, 1), (3, 1))


def test_what_is_whole_by_its_type_is_cast_to_whole_numbers() -> None:
    table = {"i": np.arange(40), "b": np.arange(40) < 10, "f": np.arange(40.0)}
    sql = "SELECT COUNT_IF(CAST(i AS BIGINT) < 30), COUNT_IF(b::INT = 1) FROM t"
    assert asked(sql, table, epsilon=5000).rows == ((30, 10),)
    with pytest.raises(QueryError, match="rounds in one engine and cuts off in another"):
        asked("SELECT COUNT_IF(CAST(f AS INT) < 30) FROM t", table, epsilon=1)


def test_data_without_names_is_refused() -> None:
    with pytest.raises(SchemaError, match="SQL needs named columns"):
        asked("SELECT COUNT(*) FROM t", [1, 2, 3], epsilon=1)


# --- answers --------------------------------------------------------------------------------------


def test_an_answer_as_other_libraries_want_it() -> None:
    answer = asked("SELECT sex, COUNT(*) AS n FROM t GROUP BY sex", epsilon=1)
    assert answer.to_dicts() == [dict(zip(("sex", "n"), row, strict=True)) for row in answer.rows]
    assert answer.to_csv().splitlines()[0] == "sex,n"
    assert "PureDP with epsilon = 1" in repr(answer)
    assert "<caption>" in answer._repr_html_()
    assert list(optional("polars").DataFrame(answer.to_polars()).columns) == ["sex", "n"]
    assert json.loads(json.dumps(answer.to_dict()))["columns"] == ["sex", "n"]


def test_the_cell_magic() -> None:
    optional("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell: Any = InteractiveShell()
    shell.extension_manager.load_extension("leastnoise.sql")
    with ln.open(ROWS, relation="add-remove") as data:
        shell.user_ns |= {"data": data, "facts": SCHEMA}
        sql = "SELECT sex, COUNT(*) AS n\nFROM t GROUP BY sex"
        found = shell.run_cell_magic("leastnoise", "data --schema facts --epsilon 1 --into a", sql)
        assert shell.user_ns["a"] is found
        assert [row[0] for row in found.rows] == ["f", "m"]
        for line, why in [
            ("nothing --epsilon 1", "nothing is not an open session"),
            ("data --epsilom 1", "write it like"),
            ("data 'x", "a quote is not closed"),
            ("", "write it like"),
            ("data --schema facts --epsilon 1 --into data", "the place of an open session"),
            ("data --schema facts --epsilon 1 --into 'a b'", "is no name"),
        ]:
            with pytest.raises(ParameterError, match=why):  # before the query is read
                answered(line, "no query", shell.user_ns)
        assert shell.user_ns["data"] is data
        two = "SELECT COUNT(*) AS n, COUNT(*) * 1 AS m, MODE(sex) AS usual FROM t"
        line = "data --schema facts --epsilon 4 --weights n=1 --weights usual=3"
        made = answered(line, two, shell.user_ns)
        assert [one.guarantee.numbers()["epsilon"] for one in made.records] == [1, 3]
        told = repr(answered(f"{line} --dry-run", two, shell.user_ns))
        assert told == (
            "aggregates: n, usual\ncharge: epsilon 4; nothing was spent\nunused: columns.area, "
            "columns.decade of the schema: no column of the table, nor of the query"
        )
        with pytest.raises(QueryError, match=r"epsilon is missing: give --epsilon 1, or write"):
            answered("data --schema facts", two, shell.user_ns)
        inside = f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 2) {two[6:]}"
        assert len(answered("data --schema facts", inside, shell.user_ns).records) == 2


def test_the_cell_magic_has_the_options_of_the_command() -> None:
    """All that are about a query: how a file is opened and printed is not the cell's."""
    own = {each.name for each in fields(Asking)}
    command = set(signature(command_sql).parameters)
    opening = {"relation", "unit", "max_rows", "missing", "ledger", "dataset", "table", "reading"}
    assert command == {"arguments", "asking", "as_json", "as_csv"} | opening
    line = _parser().parse_args(["data"])
    assert set(vars(line)) == own | {"session", "into"}


@pytest.mark.parametrize(("relation", "charged"), [("replace-one", 2), ("add-remove", 1)])
def test_what_a_ledger_is_charged_is_told(relation: str, charged: int, tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    ln.Ledger.create(path, dataset="rows", budget=ln.PureDP(9), relation=relation).close()
    sql = "SELECT sex, COUNT(*) AS n FROM t GROUP BY sex"
    opened = {"ledger": path, "dataset": "rows", "relation": "add-remove"}
    with ln.open(ROWS, **opened) as data:
        cost = repr(data.prepare_sql(sql, schema=SCHEMA, epsilon=1).cost())
        assert f"charge: epsilon {charged}; nothing" in cost
        assert ("the query takes epsilon 1; the ledger counts by replace-one" in cost) == (
            charged == 2
        )
        first = data.sql(sql, schema=SCHEMA, epsilon=1)
        again = data.sql(sql, schema=SCHEMA, epsilon=1, reuse=True)
        assert data.spent == charged
    assert first.charged == charged
    assert first.to_dict()["charged"] == {"epsilon": str(charged)}
    assert again.charged is None


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["region,sex,pay", *(f"{'NS'[i % 2]},{'fm'[i % 3 % 2]},{i}" for i in range(90))]
    file, facts, query = tmp_path / "pay.csv", tmp_path / "facts.toml", tmp_path / "q.sql"
    file.write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "lands.csv").write_text("code,land\nN,up\nS,down\n", encoding="utf-8")
    facts.write_text(
        '[privacy]\nrelation = "add-remove"\n[columns.region]\nkeys = ["N", "S"]\n'
        "[columns.pay]\nbounds = [0, 100]\nstep = 1\n"
        '[public.lands]\nfile = "lands.csv"\nkey = "code"\n',
        encoding="utf-8",
    )
    query.write_text(
        "SELECT land, COUNT(*) AS n, MEDIAN(pay) AS m\n"
        "FROM pay JOIN lands ON lands.code = region GROUP BY land",
        encoding="utf-8",
    )
    call = ("sql", str(file), str(query), "--schema", str(facts), "--epsilon", "8")
    shown = in_process(capsys, *call)
    assert shown.code == 0, shown.err
    assert "epsilon = 8" in shown.out
    assert in_process(capsys, *call, "--csv").out.splitlines()[0] == "land,n,m"
    printed = json.loads(in_process(capsys, *call, "--json").out)
    assert [row[0] for row in printed["rows"]] == ["up", "down"]
    dry = in_process(capsys, *call, "--dry-run")
    assert "epsilon 8; nothing was spent" in dry.out
    wrong = in_process(capsys, "sql", str(file), "SELECT SUM(pai) FROM pay", "--epsilon", "1")
    assert wrong.code == 2
    assert "line 1, column 12: there is no column 'pai' (did you mean 'pay'?)" in wrong.err
    alone = in_process(capsys, "sql", str(file))
    assert alone.code == 2
    assert "give a file and a query" in alone.err


def test_what_a_ledger_cannot_pay_is_told_of_the_whole_query(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, path = tmp_path / "pay.csv", tmp_path / "l.db"
    file.write_text("pay\n1\n2\n", encoding="utf-8")
    ledger = ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(3), relation="add-remove")
    sql = "SELECT COUNT(*) AS n, COUNT(pay) AS m FROM pay"
    call = ("sql", str(file), sql, "--ledger", str(path), "--dataset", "pay")
    assert in_process(capsys, *call, "--epsilon", "1").code == 0
    for epsilon, more in [("2", False), ("3", True)]:
        dry = in_process(capsys, *call, "--epsilon", epsilon, "--dry-run")
        assert dry.code == 0, dry.err
        told = " ".join(dry.out.split())
        assert f"charge epsilon {epsilon}; nothing was spent left epsilon 2" in told
        assert ("less than the charge: refused" in told) is more
        as_json = in_process(capsys, *call, "--epsilon", epsilon, "--dry-run", "--json")
        found = json.loads(as_json.out)
        assert (found["left"], found["fits"]) == ({"epsilon": "2"}, not more)
    over = in_process(capsys, *call, "--epsilon", "3")
    assert over.code == 3
    assert "needs epsilon 3 and 2 of 3 is left" in " ".join(over.err.split())
    assert ledger.remaining == 2


def test_of_several_files_the_query_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in [
        ("pay.csv", "region,pay\n" + "N,50\nS,10\n" * 100),
        ("Visits-2024.csv.csv", "region\n" + "N\n" * 70),
        ("lands.csv", "code,land\nN,up\nS,down\n"),
        ("twice.csv", "code,land\nN,up\nN,down\n"),
    ]:
        Path(name).write_text(text, encoding="utf-8")
    ledger_at(tmp_path / "a.db", 900)

    def call(sql: str, *more: str) -> Any:
        arguments = ("sql", "pay.csv", "Visits-2024.csv.csv", sql, "--epsilon", "100", *more)
        return in_process(capsys, *arguments, "--relation", "add-remove")

    for sql, found in [
        ("SELECT COUNT(*) AS n FROM PAY", 200),
        ('SELECT COUNT(*) AS n FROM "Visits-2024"', 70),
        ("WITH pay AS (SELECT * FROM pay WHERE pay > 20) SELECT COUNT(*) AS n FROM pay", 100),
        (
            'WITH a AS (SELECT * FROM "Visits-2024") SELECT COUNT(*) AS n FROM (SELECT * FROM a) x',
            70,
        ),
    ]:
        outcome = call(sql, "--csv", "--ledger", "a.db", "--dataset", "t")
        assert outcome.out.split() == ["n", str(found)], outcome.err
    with ln.open("pay.csv", ledger="a.db", dataset="t", table="pay") as data:
        tables = [entry.body["table"] for entry in data.history if entry.kind == "charge"]
    assert tables == ["pay", "Visits-2024", "pay", "Visits-2024"]
    joined = "SELECT land, COUNT(*) AS n FROM pay JOIN lands l ON {} GROUP BY land ORDER BY land"
    for on in ("l.code = region", "region = l.CODE"):
        told = call(joined.format(on), "--public", "lands.csv", "--csv")
        assert told.out.split() == ["land,n", "down,100", "up,100"], told.err
    for sql, why in [
        ("SELECT COUNT(*) FROM other", "FROM takes one of the files, pay, Visits-2024"),
        ("SELECT COUNT(*)", "FROM takes one of the files"),
        ('SELECT COUNT(*) FROM pay JOIN "Visits-2024" v ON v.region = pay.region', "--public"),
        (joined.format("l.lend = region"), "a public table is joined by its key"),
        ("SELECT COUNT(*) FROM pay JOIN twice USING (code)", "no column 'code'"),
        ("SELECT COUNT(*) FROM pay JOIN twice t ON t.code = region", "stands twice in code"),
    ]:
        refused = call(sql, "--public", "lands.csv", "--public", "twice.csv")
        assert refused.code == 2
        assert why in " ".join(refused.err.split()), refused.err
    again = call("SELECT COUNT(*) FROM pay", "--public", "lands.csv", "--public", "lands.csv")
    assert "lands.csv is given twice as a public table" in again.err


# --- what a session was opened with ---------------------------------------------------------------


def ledger_at(path: Path, budget: int = 5) -> Path:
    ln.Ledger.create(path, dataset="t", budget=ln.PureDP(budget), relation="add-remove").close()
    return path


@pytest.mark.parametrize("more", [{"reuse": True}, {"purpose": "a table"}])
def test_reuse_and_purpose_need_a_ledger(more: dict[str, Any]) -> None:
    with ln.open(ROWS) as data:
        with pytest.raises(ParameterError, match="need a ledger"):
            data.sql("SELECT COUNT(*) FROM t", epsilon=1, **more)
        batch = data.batch()
        batch.add("t", {"n": ln.Count()}, epsilon=1)
        with pytest.raises(ParameterError, match="need a ledger"):
            batch.release(**more)


def test_the_ledger_of_the_schema_is_that_of_the_session(tmp_path: Path) -> None:
    one, other = ledger_at(tmp_path / "a.db"), ledger_at(tmp_path / "b.db")
    sql, schema = "SELECT COUNT(*) FROM t", {"privacy": {"ledger": str(one), "dataset": "t"}}
    with ln.open(ROWS, ledger=one, dataset="t") as data:
        data.sql(sql, schema=schema, epsilon=1)
    with ln.open(ROWS, ledger=other, dataset="t") as data:
        with pytest.raises(ParameterError, match=r"privacy\.ledger: is .*a\.db.*b\.db"):
            data.sql(sql, schema=schema, epsilon=1)
        assert data.spent == 0
    with ln.open(ROWS) as data, pytest.raises(ParameterError, match="opened with no ledger"):
        data.sql(sql, schema={"privacy": {"ledger": str(one)}}, epsilon=1)


def test_what_was_prepared_is_not_released_once_the_session_is_closed() -> None:
    with ln.open(ROWS) as data:
        prepared = data.prepare_sql("SELECT COUNT(*) FROM t", epsilon=1)
    with pytest.raises(ParameterError, match="this session is closed"):
        prepared.release()


@pytest.mark.parametrize("missing", ["none", 0])
def test_computed_values_that_are_missing_are_never_counted_or_imputed(missing: object) -> None:
    table = {"sex": ["f", "m"] * 500, "pay": [3000, 9000] * 500}
    sql = (
        "SELECT COUNT(*) FILTER (WHERE sex = 'f'), AVG(pay) FILTER (WHERE sex = 'f'), "
        "SUM(pay) FILTER (WHERE sex = 'f'), COUNT(CASE WHEN pay > 5000 THEN pay END), "
        "CORR(pay, CASE WHEN sex = 'f' THEN 1 ELSE 2 END) FILTER (WHERE sex = 'f') FROM t"
    )
    with ln.open(table, relation="add-remove", missing=missing) as data, simulate(1):
        (row,) = data.sql(sql, schema=SCHEMA, epsilon=5000).rows
    assert row[:4] == pytest.approx((500, 3000, 1_500_000, 500), rel=0.02)


@pytest.mark.parametrize(
    "item",
    [
        *("COUNT(*)", "COUNT(pay)", "COUNT_IF(pay > 2000)", "COUNT(DISTINCT pay)", "SUM(pay)"),
        *("AVG(pay)", "MAX(pay)", "MEDIAN(pay)", "VAR_POP(pay)", "STDDEV_POP(pay)"),
    ],
)
def test_a_filter_gives_what_a_condition_of_all_rows_gives(item: str) -> None:
    table = {"sex": ["f", "m", "m"] * 500, "pay": [3000, 9000, 5000] * 500}
    found: list[Any] = []
    for sql in (f"{item} FILTER (WHERE pay < 6000) FROM t", f"{item} FROM t WHERE pay < 6000"):
        with ln.open(table, relation="add-remove") as data, simulate(1):
            found.append(data.sql(f"SELECT {sql}", schema=SCHEMA, epsilon=5000).rows[0][0])
    assert found[0] == pytest.approx(found[1], rel=0.02)


# --- kinds and sizes of what is shown -------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ("region * 100000000000000", "region is text, and a number is needed here"),
        ("COUNT(*) + region", "region is text"),
        ("ABS(region)", "region is text"),
        ("CASE WHEN COUNT(*) > 1 THEN region ELSE 0 END", "one column cannot hold text and number"),
        ("CASE WHEN region = 'x' THEN TRUE ELSE COUNT(*) END", "hold truth and number"),
        ("COALESCE(COUNT(*), 'none')", "hold number and text"),
        ("CASE WHEN region = 'x' THEN MEDIAN(day) ELSE COUNT(*) END", "hold date and number"),
        ("CASE WHEN region = 'x' THEN MAX(day) - MIN(day) ELSE 1 END", "duration and number"),
        ("1e999", "too large: 1e150 is the most"),
        ("COUNT(*) * 1" + "0" * 400, "too large: 1e150 is the most"),
    ],
)
def test_kinds_that_do_not_mix_are_refused(shown: str, why: str) -> None:
    table = {**ROWS, "day": [date(2024, 1, 1)] * len(ROWS["age"])}
    columns = {**SCHEMA["columns"], "day": {"bounds": [date(2020, 1, 1), date(2025, 1, 1)]}}
    sql = f"SELECT {shown} AS a, COUNT(*) AS n FROM t GROUP BY region ORDER BY 1"
    with pytest.raises(QueryError, match=why):
        asked(sql, table, schema={"columns": columns}, epsilon=1)


def test_numbers_out_of_reach_are_null_and_frames_hold_the_others() -> None:
    polars = optional("polars")
    answer = asked(
        "SELECT COUNT(*) * 1e149 * 1e149 AS a, COUNT(*) * 100000000000000000000 AS b FROM t",
        epsilon=100,
    )
    assert answer.rows[0][0] is None
    assert isinstance(answer.rows[0][1], float)
    assert isinstance(answer.to_polars(), polars.DataFrame)
    assert ordered([(1,), (2,), (3,)], [([date(2024, 1, 1), 2, timedelta(1)], False, False)])


def test_funds_are_checked_before_private_keys_are_charged_with_reuse_too(tmp_path: Path) -> None:
    towns, path = {"town": ["Aach", "Ulm"] * 500}, tmp_path / "ledger.db"
    budget = ln.ApproxDP(1, "1e-6")
    ln.Ledger.create(path, dataset="t", budget=budget, relation="add-remove").close()
    sql = "SELECT town, COUNT(*) AS n FROM t GROUP BY town"
    with ln.open(towns, ledger=path, dataset="t") as data:
        for reuse in (False, True):
            with pytest.raises(BudgetExceededError, match="nothing was spent"):
                data.sql(sql, epsilon=2, delta="1e-9", reuse=reuse)
            assert data.spent.epsilon == 0
        first = data.sql(sql, epsilon=1, delta="1e-9")
        assert data.sql(sql, epsilon=1, delta="1e-9", reuse=True).rows == first.rows
        assert data.spent.epsilon == 1


def test_a_number_and_a_text_of_one_column_are_two_values(tmp_path: Path) -> None:
    table = {"town": ["7", "Aach"] * 500, "pay": [1, 2] * 500}
    sql = (
        "SELECT COUNT(CASE WHEN pay > 0 THEN town ELSE NULL END) AS a, "
        "COUNT(DISTINCT CASE WHEN pay > 0 THEN town ELSE 'x' END) AS b, "
        "COUNT(CASE WHEN pay > 0 THEN town + 0 ELSE NULL END) AS c FROM t"
    )
    with ln.open(table, ledger=ledger_at(tmp_path / "a.db", 9000), dataset="t") as data:
        prepared = data.prepare_sql(sql, epsilon=3000)
        assert 'TEXT("town")' in " ".join(prepared.compiled.values)
        first = prepared.release()
        assert data.sql(sql, epsilon=3000, reuse=True).rows == first.rows
        assert data.spent == 3000


@pytest.mark.parametrize(
    ("counted", "found"),
    [
        ("COUNT(DISTINCT town) FILTER (WHERE pay > 1)", 2),
        ("COUNT(DISTINCT NULLIF(town, 'Aach'))", 2),
        ("COUNT(NULLIF(town, 'Aach'))", 80),
        ("COUNT(CASE WHEN pay > 1 THEN town END)", 80),
        ("COUNT(DISTINCT CASE WHEN pay > 1 THEN pay END + 1)", 2),
        ("COUNT(DISTINCT COALESCE(NULLIF(pay, 1), pay))", 3),
        ("COUNT(IF(pay > 1, age, pay))", 120),
        ("COUNT(COALESCE(pay, age))", 120),
        ("COUNT(DISTINCT CASE WHEN pay = 1 THEN age ELSE pay END)", 2),
    ],
)
def test_text_of_columns_without_a_type_is_counted_as_text(counted: str, found: int) -> None:
    table = {
        "town": ["Aach", "Ulm", "Zell"] * 40,
        "pay": [1, 2, 3] * 40,
        "age": np.array([3, 4, 5] * 40),
    }
    assert asked(f"SELECT {counted} AS a FROM t", table, epsilon=5000).rows == ((found,),)


def test_a_private_key_beyond_all_tables_is_no_key() -> None:
    numbers = {"k": np.array([1.0, 1e308] * 500)}
    answer = asked("SELECT k, COUNT(*) AS n FROM t GROUP BY k", numbers, epsilon=50, delta="1e-9")
    assert [row[0] for row in answer.rows] == [1]
    assert answer.keys is not None


def test_a_released_null_is_left_out_or_unknown() -> None:
    sql = (
        "SELECT COUNT(*) IN (COUNT(*), NULL) AS a, COUNT(*) IN (-7, NULL) AS b, "
        "NULLIF(COUNT(*), NULL) - COUNT(*) AS c, GREATEST(NULL, COUNT(*)) - COUNT(*) AS d, "
        "LEAST(NULL, NULL) AS e, NOT (COUNT(*) < NULL) AS f FROM t"
    )
    assert asked(sql, epsilon=1).rows[0] == (True, None, 0, 0, None, None)


@pytest.mark.parametrize(
    "facts",
    [None, {"bounds": [0, 3], "step": 1}, {"bounds": [0, 1]}, {"keys": [0, 1, 2]}, {"keys": ["1"]}],
)
def test_a_number_of_no_declared_type_is_no_condition(facts: Any) -> None:
    """Else k would mean k = 1, where an engine says k <> 0."""
    schema = {"columns": {} if facts is None else {"k": facts}}
    data = {"k": ["0", "1", "2", "3"] * 9}
    computed = "WITH a AS (SELECT CAST(k AS DOUBLE) + 0 AS j FROM t) SELECT COUNT(*) FROM a WHERE j"
    if facts == {"keys": ["1"]}:
        computed = "WITH a AS (SELECT LENGTH(k) AS j FROM t) SELECT COUNT(*) FROM a WHERE j"
    for sql in ("SELECT COUNT(*) FROM t WHERE k", "SELECT COUNT_IF(NOT k) FROM t", computed):
        with pytest.raises(
            QueryError, match=r"is no condition: write .* <> 0|is no condition: compare it"
        ):
            asked(sql, data, schema=schema, epsilon=1)


@pytest.mark.parametrize("facts", [{"bounds": [0, 1], "step": 1}, {"keys": [False, True]}])
def test_what_is_declared_true_or_false_is_a_condition(facts: Any) -> None:
    data = {"k": ["0", "1", "1"] * 9}
    more = {"schema": {"columns": {"k": facts}}, "epsilon": 10**6}
    assert round(asked("SELECT COUNT(*) FROM t WHERE k", data, **more).rows[0][0]) == 18
    computed = (
        "WITH a AS (SELECT k AND NOT k IS NULL AS j, COALESCE(k, 0) AS i FROM t) "
        "SELECT COUNT(*) FROM a WHERE j AND i"
    )
    assert round(asked(computed, data, **more).rows[0][0]) == 18


def test_rows_are_counted_as_what_is_declared() -> None:
    """An entry that is no number, or no date, is none of the rows of a mean or a deviation."""
    days = [date(2024, 1, 1 + i) for i in range(10)]
    data = {
        "h": [*map(str, range(10)), "abc", "?"],
        "d": [*(day.isoformat() for day in days), "x", ""],
    }
    limits = {"h": {"bounds": [0, 20], "step": 1}, "d": {"bounds": [days[0], date(2024, 2, 1)]}}
    more = {"schema": {"columns": limits}, "epsilon": 10**8}
    sql = (
        "SELECT STDDEV(d) AS s, COUNT(h) AS n, COUNT(d) AS m, "
        "COUNT(DISTINCT d) AS e, COUNT(CASE WHEN h > 4 THEN d END) AS k, "
        "COUNT(d) FILTER (WHERE h > 4) AS f, COUNT(COALESCE(h, NULL)) AS o FROM t"
    )
    typed = {"h": [*range(10), None, None], "d": [*days, None, None]}
    polars = optional("polars")
    for given in (data, typed, polars.DataFrame(typed)):
        answer = asked(sql, given, **more)
        deviation, *counts = answer.rows[0]
        assert deviation / timedelta(days=1) == pytest.approx(3.0277, abs=0.01)
        assert [round(each) for each in counts] == [10, 10, 10, 5, 5, 10]
    answer = asked("SELECT VAR_SAMP(h) AS v, COUNT(h) AS c FROM t", data, **more)
    assert len(next(iter(answer.releases.rows())).records) == 2


def test_released_times_have_differences() -> None:
    sql = (
        "SELECT MIN(day) + (MAX(day) - MIN(day)) / 2 AS a, (MAX(day) - MIN(day)) / "
        "(MAX(day) - MIN(day)) AS b, -(MAX(day) - MIN(day)) AS c, "
        "MAX(day) > DATE '2023-01-01' AS d, 2 * ABS(MIN(day) - MAX(day)) AS e FROM t"
    )
    a, b, c, d, e = asked(sql, epsilon=10**6).rows[0]
    assert isinstance(a, date)
    assert (b, d, e) == (1, True, -2 * c)
    assert c < timedelta(0)


def test_a_star_may_bring_names_that_differ_by_their_case() -> None:
    data = {"Name": ["a", "b"], "name": ["c", "d"], "x": [1, 2]}
    sql = "WITH a AS (SELECT * FROM t) SELECT COUNT(*) FROM a WHERE {} = 'c'"
    assert asked(sql.format('"name"'), data, schema={}, epsilon=100).rows
    with pytest.raises(QueryError, match="name is the name of several columns"):
        asked(sql.format("name"), data, schema={}, epsilon=100)


def test_the_greatest_of_many_is_written_short() -> None:
    """Those that are missing are left out, wherever they stand."""
    data = {
        name: [i * k % 7 if i % k else None for i in range(40)]
        for k, name in ((2, "a"), (3, "b"), (5, "c"), (1, "d"))
    }
    schema = {"columns": {name: {"bounds": [0, 6], "step": 1} for name in data}}
    rows = list(zip(*data.values(), strict=True))
    there = [[each for each in (*row, *row[:2]) if each is not None] for row in rows]
    answer = asked(
        "SELECT SUM(GREATEST(a, b, c, d, a, b)) AS g, SUM(LEAST(d, c, b, a)) AS l, "
        "COUNT(GREATEST(d, d)) AS n FROM t",
        data,
        schema=schema,
        epsilon=10**7,
    )
    found = [sum(best(row) for row in there if row) for best in (max, min)]
    assert [round(each) for each in answer.rows[0]] == [*found, 0]


def test_codes_of_a_public_file_keep_their_zeros(tmp_path: Path) -> None:
    codes = tmp_path / "zips.csv"
    codes.write_text("code,land,people\n01067,Dresden,5\n10115,Berlin,7\n", encoding="utf-8")
    schema = {"public": {"zips": {"file": str(codes), "key": "code"}}}
    sql = "SELECT land, SUM(people) AS s FROM t JOIN zips ON t.zip = zips.code GROUP BY land"
    data = {"zip": ["01067", "10115", "1067", "10115"]}
    for given in (data, optional("polars").DataFrame(data)):
        rows = asked(sql, given, schema=schema, epsilon=10**7).rows
        assert {land: round(total) for land, total in rows} == {"Dresden": 5, "Berlin": 14}


def test_numbers_of_a_public_file_are_codes_where_the_column_is_text(tmp_path: Path) -> None:
    """As they are written: "01" is not 1. An entry that is missing leaves the others numbers."""
    public = tmp_path / "names.csv"
    public.write_text("k,w\n1,0.5\n2,\n10,3.25\n", encoding="utf-8")
    frame = optional("polars").DataFrame({"k": [1, 2, 10], "w": [0.5, None, 3.25]})
    frame.write_parquet(tmp_path / "names.parquet")
    codes = ["01", "1", "2", "10"]
    sql = "SELECT COUNT(*) AS n, SUM(w) AS s FROM t JOIN names ON t.code = names.k"
    for file in (public, tmp_path / "names.parquet"):
        schema = {
            "columns": {"code": {"keys": codes}},
            "public": {"names": {"file": str(file), "key": "k"}},
        }
        for given in ({"code": codes}, optional("polars").DataFrame({"code": codes})):
            ((rows, total),) = asked(sql, given, schema=schema, epsilon=10**7).rows
            assert (round(rows), round(total, 2)) == (3, 3.75)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("age BETWEEN SYMMETRIC 50 AND 20", "age BETWEEN 20 AND 50"),
        ("age NOT BETWEEN SYMMETRIC 20 AND 50", "age < 20 OR age > 50"),
        (
            "day BETWEEN SYMMETRIC DATE '2024-01-31' AND DATE '2023-12-01'",
            "day BETWEEN DATE '2023-12-01' AND DATE '2024-01-31'",
        ),
    ],
)
def test_between_symmetric_takes_its_ends_in_either_order(one: str, other: str) -> None:
    sql = "SELECT COUNT(*) FROM t WHERE {}"
    found = [asked(sql.format(each), ROWS, schema=SCHEMA, epsilon=10**6) for each in (one, other)]
    assert round(found[0].rows[0][0]) == round(found[1].rows[0][0])


def test_a_star_of_one_table_stands_beside_other_columns() -> None:
    joined = "FROM t v JOIN regions r ON r.code = v.region"
    for columns, asks in (
        ("v.*, r.land, v.age + 1 AS older", "COUNT(land), MAX(older) - MAX(age)"),
        ("v.age, age + 1 AS older, r.*", "COUNT(land), MAX(older) - MAX(age)"),
    ):
        sql = f"WITH a AS (SELECT {columns} {joined}) SELECT {asks} FROM a"
        (row,) = asked(sql, ROWS, schema=SCHEMA, epsilon=10**6).rows
        assert [round(each) for each in row] == [36, 1]
