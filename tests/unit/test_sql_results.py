"""All that a value can be, worked out from declared keys, beside what rows of these keys give."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from leastnoise.sql.results import results
from leastnoise.sql.schema import ColumnFacts
from leastnoise.summaries import expressions as ex
from support.expressions import random_values, value_of

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
