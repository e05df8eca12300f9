"""The shape of a table of releases: rows by key, records by name, JSON there and back."""

from __future__ import annotations

import json

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterTypeError
from leastnoise.record import Release, Releases
from leastnoise.record.flat import plain_text
from leastnoise.testing import simulate

KEYS = [("N", 1), ("N", 2), ("S", 1), ("S", 2)]


def one(value: float) -> Release:
    made = ln.release(ln.Count(), [1.0, 2.0], epsilon=1)
    return Release.from_dict({**made.to_dict(), "value": value})


def several() -> Releases:
    entries = {key: Releases({"a": one(1), "b": one(2)}) for key in KEYS}
    return Releases(entries, by=["s", "n"], names=["a", "b"], guarantee=ln.PureDP(2))


def test_a_table_of_several_statistics() -> None:
    table = several()
    assert (table.by, table.names, list(table)) == (("s", "n"), ("a", "b"), KEYS)
    assert table["N", 2]["b"].value == 2
    assert [row.key for row in table.rows()] == KEYS
    assert all(list(row.records) == ["a", "b"] for row in table.rows())


def test_one_statistic_without_a_name_and_one_column() -> None:
    table = Releases({("N",): one(1), ("S",): one(2)}, by=["s"], names=["value"])
    assert table["S"] is table["S",]
    assert [(row.key, row.records["value"].value) for row in table.rows()] == [
        (("N",), 1),
        (("S",), 2),
    ]


def test_rows_of_no_key_are_the_last_group() -> None:
    towns = {"town": ["A", "B", "C", None, "A "], "n": [1, 2, 3, 1, 9]}
    with simulate(1), ln.open(towns, relation="add-remove") as data:
        made = data.group_by({"town": ["A", "B"]}, other=True).release(ln.Count(), epsilon=10**6)
        both = data.group_by({"town": ["A", "B"], "n": [1, 2]}, other=True)
        table = both.release({"rows": ln.Count()}, epsilon=10**6)
        with pytest.raises(ParameterTypeError, match="other must be True or False"):
            data.group_by({"town": ["A"]}, other="yes")  # pyright: ignore[reportArgumentType]
    assert [record.value for record in made.values()] == [2, 1, 2]
    assert made[None].group == {"town": None}
    assert list(table)[-1] == (None, None)
    assert [entry["rows"].value for entry in table.values()] == [1, 0, 0, 1, 3]
    assert Releases.from_json(made.to_json())[None].group == {"town": None}
    assert made.to_csv().splitlines()[-1] == ",2"
    assert made.to_markdown().splitlines()[4] == "| (other) | 2 |"


def test_no_groups_are_one_row() -> None:
    table = Releases({"a": one(1)})
    (row,) = table.rows()
    assert (table.by, table.names, row.key, row.records["a"]) == ((), ("a",), (), table["a"])


def test_json_there_and_back() -> None:
    alone = Releases({(True,): one(1), (False,): one(2)}, by=["s"], names=["value"])
    for table in (several(), alone, Releases({"by": one(1), "rows": one(2)})):
        text = table.to_json()
        json.loads(text, parse_constant=lambda name: 1 / 0)
        back = Releases.from_json(text)
        assert (back.by, back.names, back.guarantee) == (table.by, table.names, table.guarantee)
        assert list(back) == list(table)
        assert back.to_json() == text


@pytest.mark.parametrize("before", ["", " ", "  ", "\u00a0", "\u3000", "\t", "\n"])
@pytest.mark.parametrize("sign", [*"=+-@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_label_is_a_formula_of_a_spreadsheet(before: str, sign: str) -> None:
    label = f"{before}{sign}HYPERLINK(1)"
    assert plain_text(label) == f"'{label}"
    assert plain_text(f"a{label}") == f"a{label}"
