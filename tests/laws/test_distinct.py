"""Distinct entries: one record moves their number by 1 under every relation, one person too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.testing import check_release, check_statistic, simulate
from support.fronts import FRONTS, Front, only_library
from support.optional import optional

RELATIONS = ["replace-one", "add-remove", "edit"]
ENTRIES = [1.0, 2.0, 3.0, float("nan")]


def test_the_laws_of_the_profile() -> None:
    check_statistic(ln.CountDistinct(), universe=ENTRIES, n=4)
    words = ["a", "b", " a", None]
    check_statistic(ln.CountDistinct(), universe=words, n=3, max_examples=0, as_data=list)
    check_release(ln.CountDistinct())


@pytest.mark.parametrize("relation", RELATIONS)
def test_one_record_costs_epsilon(relation: str) -> None:
    report = audit.exact(
        ln.CountDistinct(), universe=ENTRIES, n=4, relation=relation, epsilon="1/2"
    )
    assert report.attained


PERSONS: list[tuple[tuple[str, int], ...]] = [
    (), (("a", 1),), (("a", 1), ("a", 2)), (("b", 1), ("a", 2)), (("b", 3), ("b", 4)),
]  # fmt: skip


def table(data: tuple[Any, ...]) -> object:
    rows = [(i, g, x) for i, person in enumerate(data) for g, x in person]
    return {
        "id": [f"p{row[0]}" for row in rows],
        "g": [row[1] for row in rows],
        "x": np.array([row[2] for row in rows], dtype=np.int64),
    }


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("column", ["id", "x"])
def test_persons_cost_epsilon(column: str, relation: str) -> None:
    report = audit.exact(
        ln.CountDistinct(column),
        universe=PERSONS,
        n=3,
        relation=relation,
        epsilon=1,
        build=table,
        unit="id",
        max_rows=2,
    )
    assert report.passed, report
    assert report.claim == ln.PureDP(1, ln.Scope(relation, "id"))
    if relation != "replace-one" or column == "x":
        assert report.attained


@pytest.mark.parametrize("relation", RELATIONS)
def test_another_column_needs_the_noise_of_all_rows(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the noise of one entry a person of two rows costs 2 epsilon."""
    import leastnoise.session.prepare as prepare

    def always_one(*arguments: Any) -> Any:
        return replace(planned(*arguments), stride=1)

    planned = prepare._plan
    monkeypatch.setattr(prepare, "_plan", always_one)
    report = audit.exact(
        ln.CountDistinct("x"), universe=PERSONS, n=3, relation=relation, epsilon=1, build=table,
        unit="id", max_rows=2,
    )  # fmt: skip
    assert not report.passed
    assert report.hi == 2


def test_persons_are_counted_with_the_noise_of_one() -> None:
    data = table(tuple(PERSONS))
    with ln.open(data, relation="add-remove", unit="id", max_rows=2) as opened:
        assert opened.release(ln.CountDistinct("id"), epsilon=1).noise_scale == 1
        assert opened.release(ln.CountDistinct("x"), epsilon=1).noise_scale == 2
        with simulate(1):
            assert opened.release(ln.CountDistinct("id"), epsilon=500).value == 4


@pytest.mark.parametrize("relation", RELATIONS)
def test_groups_of_persons_cost_what_is_charged(relation: str) -> None:
    charged = {"replace-one": 2, "add-remove": 2, "edit": 2}[relation]
    report = audit.exact(
        ln.CountDistinct("id"),
        universe=PERSONS,
        n=2,
        relation=relation,
        epsilon=1,
        build=table,
        unit="id",
        max_rows=2,
        max_groups=2,
        group_by={"g": ["a", "b"]},
    )
    assert report.passed, report
    assert report.claimed == charged
    assert report.attained


@pytest.mark.parametrize("label", list(FRONTS))
def test_the_same_number_from_every_front_end(label: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if label.startswith("parquet by "):
            optional(label.removeprefix("parquet by "))
            only_library(patch, label.removeprefix("parquet by "))
        front = Front(label, tmp_path)
        for values, kind, distinct in (
            ([3, 3, None, -1, 7], "int", 3),
            ([0.5, None, 0.5, 2.0], "float", 2),
            ([True, False, None], "bool", 2),
            ([], "int", 0),
        ):
            data: Any = FRONTS[label](values, kind, tmp_path)
            with simulate(1):
                record = ln.release(ln.CountDistinct(front.name), data, epsilon=1000)
            assert record.value == distinct


def test_text_is_told_apart_without_blanks(tmp_path: Path) -> None:
    words = ["01", "1", " 1 ", None, "", "a", "A", float("nan")]
    (tmp_path / "t.csv").write_text("v\n" + "\n".join(f'"{w or ""}"' for w in words[:-1]) + "\n")
    for data, name in ((words, None), (tmp_path / "t.csv", "v"), ({"v": words}, "v")):
        with simulate(1):
            assert ln.release(ln.CountDistinct(name), data, epsilon=1000).value == 4


def test_engines_count_persons_of_groups() -> None:
    pl = optional("polars")
    rows = {"who": ["a", "b", "a", " b", None, "c"], "g": [1, 1, 2, 1, 1, 1]}
    frame = pl.DataFrame(rows)
    for data in (rows, frame, frame.lazy()):
        with ln.open(data, relation="add-remove", unit="who", max_rows=9) as opened, simulate(1):
            assert opened.release(ln.CountDistinct("who"), epsilon=1000).value == 3
            groups = opened.group_by({"g": [1, 2, 3]}, max_groups=3)
            made = groups.release(ln.CountDistinct("who"), epsilon=1000)
            assert [record.value for record in made.values()] == [3, 1, 0]


def test_types_without_entries_are_refused() -> None:
    dates = np.array(["2026-01-01"], "M8[D]")
    with pytest.raises(ColumnTypeError, match="datetime64"):
        ln.release(ln.CountDistinct(), dates, epsilon=1)
    with pytest.raises(SchemaError, match="no column"):
        ln.release(ln.CountDistinct("w"), {"v": [1]}, epsilon=1)


@pytest.mark.parametrize("relation", RELATIONS)
def test_entries_that_depend_on_other_rows_are_seen(relation: str) -> None:
    """Distances from the least entry of the table, cut at 4."""

    def build(data: tuple[int, ...]) -> Any:
        return np.array([min(x - min(data), 4) for x in data], dtype=np.int64)

    settings: dict[str, Any] = {"universe": (0, 4, 5, 6, 7), "n": 5, "epsilon": 1}
    report = audit.exact(ln.CountDistinct(), relation=relation, build=build, **settings)
    assert not report.passed
    assert report.lo >= 2
