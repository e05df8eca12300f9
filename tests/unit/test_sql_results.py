"""All that a value can be, worked out from declared keys, beside what rows of these keys give."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import product
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.sql.results import results
from leastnoise.sql.schema import ColumnFacts
from leastnoise.summaries import expressions as ex
from leastnoise.testing import simulate
from support.expressions import random_values, value_of
from support.optional import optional

KEYS: dict[str, tuple[Any, ...]] = {
    "s": ("N", "SS", "ANA", "é x", "Nürnberg"),
    "a": (0, 3, -2.5),
    "b": (7, 0, 1),
    "c": (1,),
    "m": (True,),
}
ROWS = [dict(zip(KEYS, row, strict=True)) for row in product(*KEYS.values())]


def facts(column: str) -> ColumnFacts:
    return ColumnFacts(keys=KEYS.get(column))


def of_rows(value: ex.Value) -> set[Any]:
    return {value_of(value, row) for row in ROWS} - {None}


def parts_of_text() -> dict[str, ex.Value]:
    """Slices in slices, lengths of them, and what they are joined to."""
    cut = {
        f"{start} {length}": ex.Slice(ex.TextEntry("s"), start, length)
        for start, length in product(range(4), (None, 0, 1, 2, 5))
    }
    longer = {f"{name} joined": ex.Joined((ex.Text("x"), one)) for name, one in cut.items()}
    inner = {f"{name} again": ex.Slice(one, 1, 2) for name, one in (cut | longer).items()}
    texts = cut | longer | inner
    return texts | {f"{name} long": ex.Length(one) for name, one in texts.items()}


def test_parts_of_text_are_those_of_the_keys() -> None:
    for name, value in parts_of_text().items():
        found = results(value, facts)
        assert set(found or ()) == of_rows(value), name
        assert found is None or len(set(found)) == len(found), name


@pytest.mark.parametrize("seed", range(2))
def test_no_row_gives_what_is_not_among_the_results(seed: int) -> None:
    known = 0
    for name, value in random_values(seed, 400).items():
        found = results(value, facts)
        if found is not None and not isinstance(value, ex.Calendar):  # the hour of no time
            known += 1
            assert of_rows(value) <= set(found), (name, value)
    assert known > 40


GROUPED = [
    *("day", "day + INTERVAL 1 DAY", "day - INTERVAL 3 DAY + INTERVAL 1 DAY", "YEAR(day)"),
    *("MONTH(day + INTERVAL 9 DAY)", "DATE_TRUNC('month', day)", "DATE_TRUNC('week', day)"),
    *("DATE_TRUNC('month', day - INTERVAL 2 DAY)", "DATE_TRUNC('week', day) + INTERVAL 1 DAY"),
    *("s", "SUBSTR(s, 2)", "SUBSTR(s, 3, 1)", "LEFT(s, 1)", "LENGTH(s)", "s || SUBSTR(s, 2)"),
    *("CASE WHEN b > 1 THEN s ELSE 'few' END", "LENGTH(SUBSTR(s, 3))", "b", "b > 1"),
    "CASE s WHEN 'ANA' THEN 1 WHEN 'é x' THEN 2 ELSE 0 END",
]


@pytest.mark.parametrize("declared", ["keys", "bounds"])
def test_every_row_has_a_key_that_follows_from_what_is_declared(declared: str) -> None:
    optional("sqlglot")
    days = [date(2024, 1, 28) + timedelta(i) for i in range(9)]
    words = [word for word in KEYS["s"] if len(word) > 2]  # an empty part would be missing
    rows = 180
    data = optional("polars").DataFrame(
        {
            "day": [days[i % 9] for i in range(rows)],
            "s": [words[i % 3] for i in range(rows)],
            "b": [KEYS["b"][i // 7 % 3] for i in range(rows)],
        }
    )
    columns: dict[str, dict[str, Any]] = {"s": {"keys": words}, "b": {"keys": [*KEYS["b"]]}}
    columns["day"] = {"keys": days} if declared == "keys" else {"bounds": [days[0], days[-1]]}
    asked = GROUPED if declared == "bounds" else GROUPED[:3]
    for value in asked:
        sql = f"SELECT {value} AS k, COUNT(*) AS n FROM t GROUP BY k"
        with ln.open(data, relation="add-remove") as opened, simulate(1):
            found = opened.sql(sql, schema={"columns": columns}, epsilon=10**5).rows
        assert sum(n for _, n in found) == rows, value
        assert all(n > 0 for _, n in found) or "CASE" in value or "||" in value, value
