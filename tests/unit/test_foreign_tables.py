"""Tables of users' own: objects with the methods of ``Table`` that have no default."""

from __future__ import annotations

from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterTypeError
from leastnoise.frames import Table, open_table
from leastnoise.testing import simulate

DATA = {
    "pay": [1.0, 5.0, None, 9.0, 3.0],
    "town": ["a", "b", "a", None, "a"],
    "id": [1, 1, 2, 3, 3],
}


def own(*more: str) -> Any:
    """A table of another class, with the methods that have no default, and some others."""
    inner = open_table(DATA)
    names = {*Table.__abstractmethods__, *more}
    return type("Own", (), {name: staticmethod(getattr(inner, name)) for name in names})()


@pytest.mark.parametrize(
    "statistic",
    [
        ln.Median("pay", bounds=(0, 10)),
        ln.Mean("pay", bounds=(0, 10)),
        ln.Histogram("town", categories=["a", "b"]),
        ln.CountDistinct("id"),
    ],
)
def test_answers_are_those_of_our_own_tables(statistic: Any) -> None:
    found: list[Any] = []
    for data in (DATA, own()):
        with simulate("tables"):
            record: Any = ln.release(statistic, data, epsilon=2, where=ln.col("pay") > 0)
            found.append(record.value)
    assert found[0] == found[1]


def test_the_rows_of_persons_are_drawn_once_for_all_statistics() -> None:
    both = {"a": ln.Count(), "b": ln.Count()}
    kept: list[Any] = []
    for data in (DATA, own()):
        with simulate("persons"):
            session = ln.open(data, unit="id", max_rows=1)
            kept.append({name: one.value for name, one in session.release(both, epsilon=8).items()})
    assert kept[0] == kept[1]


def test_private_keys_need_the_texts() -> None:
    keys = ln.PrivateKeys("town", delta="1e-6")
    with pytest.raises(ParameterTypeError, match="text_values"):
        ln.release(keys, own(), epsilon=1)
    assert ln.release(keys, own("text_values"), epsilon=1).value == []


def test_an_object_without_a_method_is_no_table() -> None:
    table = own()
    del type(table).text_ids
    with pytest.raises(ParameterTypeError, match="Own"):
        ln.release(ln.Count(), table, epsilon=1)
