"""Questions in SQL: each gives what the same question by the Python API gives, or is refused."""

from __future__ import annotations

from typing import Any

import pytest

import leastnoise as ln
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
        batch.add("", case.statistics, charge=_EPSILON, where=case.where, groups=case.groups)
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
    assert len({case.sql for case in CASES}) >= 120
