"""Limits that a query gives in a call: of numbers, of dates and of two columns."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.sql.text import QueryError
from leastnoise.testing import simulate
from support.optional import optional
from support.sql_words import check_words

optional("sqlglot")
pl = optional("polars")

_N = 40
_FIRST = datetime(2024, 1, 1)
ROWS: dict[str, list[Any]] = {
    "day": [date(2024, 1, 1) + timedelta(i) for i in range(_N)],
    "due": [date(2024, 1, 5) + timedelta(2 * i) for i in range(_N)],
    "at": [_FIRST + timedelta(hours=7 * i) for i in range(_N)],
    "zoned": [(_FIRST + timedelta(hours=7 * i)).replace(tzinfo=UTC) for i in range(_N)],
    "took": [timedelta(hours=i % 9) for i in range(_N)],
    "k": [i % 11 for i in range(_N)],
    "x": [i / 4 for i in range(_N)],
}
_LIST = {name: [str(entry) for entry in entries] for name, entries in ROWS.items()}
_GIVEN = "contribution_bounds_per_row => "


def _asked(sql: str, schema: Any = None, data: Any = None) -> Any:
    data = pl.DataFrame(ROWS) if data is None else data
    with ln.open(data, relation="add-remove") as opened, simulate(1):
        return opened.sql(f"SELECT {sql} AS v FROM t", schema=schema, epsilon=10**6).rows


# A column, limits as a query writes them, and as a schema does.
_TIMES = [
    ("day", "(DATE '2024-01-01', DATE '2024-03-01')", [date(2024, 1, 1), date(2024, 3, 1)]),
    ("day", "('2024-1-1', '2024-03-01')", [date(2024, 1, 1), date(2024, 3, 1)]),
    (
        "day",
        "(DATE '2024-01-01', LAST_DAY(DATE '2024-02-01') + INTERVAL 1 DAY)",
        [date(2024, 1, 1), date(2024, 3, 1)],
    ),
    ("at", "(TIMESTAMP '2024-01-01', TIMESTAMP '2024-02-01')", [_FIRST, datetime(2024, 2, 1)]),
    ("at", "(DATE '2024-01-01', DATE '2024-02-01')", [date(2024, 1, 1), date(2024, 2, 1)]),
    (
        "zoned",
        "(TIMESTAMP '2024-01-01 00:00:00+00:00', TIMESTAMP '2024-02-01 00:00:00+00:00')",
        [_FIRST.replace(tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC)],
    ),
    ("took", "(INTERVAL 0 HOUR, INTERVAL 8 HOUR)", ["PT0S", "PT8H"]),
]


@pytest.mark.parametrize(("column", "given", "bounds"), _TIMES)
@pytest.mark.parametrize("call", ["MEDIAN", "AVG", "MAX", "STDDEV"])
def test_limits_of_dates_are_those_of_a_schema(
    column: str, given: str, bounds: list[Any], call: str
) -> None:
    schema = {"columns": {column: {"bounds": bounds}}}
    wanted = _asked(f"{call}({column})", schema)
    assert _asked(f"{call}({column}, {_GIVEN}{given})") == wanted
    assert _asked(f"{call}({column}, {_GIVEN}{given})", {"columns": {column: {"bounds": _FAR}}}
                  if column == "day" else schema) == wanted  # fmt: skip
    if column in ("day", "at"):  # a list has no types, and limits say what it holds
        lists = _asked(f"{call}({column})", schema, _LIST)
        assert _asked(f"{call}({column}, {_GIVEN}{given})", None, _LIST) == lists


_FAR = [date(1900, 1, 1), date(2100, 1, 1)]


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        ("MEDIAN(day, {}(0, 100))", "MEDIAN(day, {}*)"),
        ("MEDIAN(zoned, {}(DATE '2024-01-01', DATE '2024-03-01'))", "MEDIAN(zoned, {}*)"),
        ("SUM(took, {}(0, 8))", "SUM(took, {}*)"),
        ("MEDIAN(k, {}(DATE '2024-01-01', DATE '2024-03-01'))", "MEDIAN(k, {}*)"),
        ("AVG(due - day, {}(DATE '2024-01-01', DATE '2024-03-01'))", "AVG(due - day, {}*)"),
        ("MEDIAN(day, {}(DATE '2024-03-01', DATE '2024-01-01'))", "MEDIAN(day, {}*)"),
        ("MEDIAN(day, {}(DATE '2024-03-01', 5))", "MEDIAN(day, {}*)"),
        ("MEDIAN(day, {}('2024-13-01', '2024-03-01'))", "MEDIAN(day, {}(*, '2024-03-01'))"),
        ("MEDIAN(day, {}(DATE '2024-01-01'))", "MEDIAN(day, {}*)"),
        ("MEDIAN(day)", "MEDIAN(day, *)"),
        ("SUM(took)", "SUM(took, *)"),
        ("CORR(k, x, contribution_bounds_per_group => ((0, 10), (0,9)))", "CORR(k, x, *)"),
        ("CORR(k, x, contribution_bounds_per_group => (0, 10))", "CORR(k, x, *)"),
        ("COVAR_POP(k, x, clamped => 5)", "COVAR_POP(k, x, *)"),
        ("CORR(k, x, contribution_bounds_per_row = ((0, 10), (0, 9)))", "CORR(k, x, *)"),
        ("CORR(k, x, contribution_bounds_per_row => [0, 9])", "CORR(k, x, *)"),
        ("CORR(k, x, {}(0, 10))", "CORR(k, x, {}*)"),
        ("SUM(k, contribution_bounds_per_group => (0, 7))", "SUM(k, *)"),
        ("SUM(k, contribution_bounds_per_group => 7)", "SUM(k, *)"),
        ("SUM(k, {}((0, 10), (0, 9)))", "SUM(k, {}*)"),
        ("MAX(day, {}(DATE '2024-01-01', DATE '2024-03-01')) FILTER (WHERE k > 3)", None),
    ],
)
def test_the_cure_of_limits_works(call: str, cure: str | None) -> None:
    """``*`` is what the refusal says to write."""
    with pytest.raises(QueryError) as refused:
        _asked(call.format(_GIVEN))
    told = str(refused.value)
    check_words(told)
    if cure is not None:
        written = re.sub(r" into the call$", "", told.rpartition("write ")[2])
        _asked(cure.format(_GIVEN).replace("*", written))


@pytest.mark.parametrize("call", ["CORR", "COVAR_POP", "COVAR_SAMP"])
def test_each_of_two_columns_has_its_own_limits(call: str) -> None:
    """Answers by the limits of a call are those by the same limits of a schema."""

    def answer(limits: str, **bounds: Any) -> Any:
        schema = {"columns": {name: {"bounds": pair} for name, pair in bounds.items()}}
        given = f", {_GIVEN}{limits}" if limits else ""
        return _asked(f"{call}(k, x{given})", schema)

    for low, high in (((0, 10), (0, 5)), ((2, 7), (-3, 3))):
        assert answer(f"({low}, {high})") == answer("", k=low, x=high)
