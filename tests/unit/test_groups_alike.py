"""Many groups are drawn at once, draw for draw as one after the other."""

from __future__ import annotations

import pickle
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.frames.table import split
from leastnoise.mechanisms import Laplace
from leastnoise.profiles.grid import on_grid
from leastnoise.randomness import active
from leastnoise.record import Release
from leastnoise.record.records import GroupRecords
from leastnoise.session.prepare import plan
from leastnoise.statistics.statistic import Statistic
from leastnoise.summaries.subset import Subset
from leastnoise.testing import simulate

RNG = np.random.default_rng(8)
TABLE = {
    "g": RNG.integers(0, 45, 900),
    "x": RNG.normal(50, 20, 900),
    "i": RNG.integers(-3, 40, 900),
    "id": RNG.integers(0, 200, 900),
}
FAR = -1_000_000_000  # where points of a fine lattice are counted from a base
TABLE["far"] = np.where(TABLE["i"] % 7, TABLE["i"] + FAR + 0.25, np.nan)
AWAY: Any = {"bounds": (FAR - 5, FAR + 30)}
KEYS = list(range(50))  # with empty groups
LAPLACE = Laplace()
COUNT, CUT = ln.Count(), ln.Count(nonnegative=True, max_rows=21)
SUM = ln.Sum("x", bounds=(-10, 90))
WHOLE = ln.Sum("i", bounds=(0, 30), max_rows=15)
CASES: list[tuple[Statistic, Any]] = [
    (COUNT, None),
    (CUT, LAPLACE),
    (SUM, LAPLACE),
    (WHOLE, LAPLACE),
    (ln.Mean("x", bounds=(0, 100)), ln.LaplaceRatio()),
    (ln.Mean("i", bounds=(-5, 30)), ln.LaplaceRatio()),
    (ln.Median("x", bounds=(0, 100)), None),
    (ln.Quantile("i", bounds=(-5, 30), q="0.9"), ln.PiecewiseLaplace(rho=2)),
    (ln.Quantiles("x", bounds=(-40, 60), q=[0, "1/3"]), ln.PiecewiseLaplace()),
    (ln.Quantile("i", bounds=(3, 30), q=1), ln.InverseSensitivity()),
    (ln.Histogram("x", bins=[0, 30, 50, 90], nonnegative=True), None),
    (ln.CrossTab("i", "g", rows=[0, 1, 2], columns=[3, 4]), None),
    (ln.Sum("far", **AWAY, missing=FAR + 3), LAPLACE),
    (ln.Mean("far", **AWAY, missing="drop"), ln.LaplaceRatio()),
    (ln.Median("far", **AWAY, missing=FAR + 3), None),
    (ln.Quantile("far", **AWAY, missing="drop", q="0.2"), None),
]


def said(record: Release) -> dict[str, Any]:
    return {**record.to_dict(), "where": None, "group": {}, "split": {}}


@pytest.mark.parametrize("unit", [None, "id"])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("statistic", "mechanism"), CASES)
def test_groups_are_drawn_as_one_after_the_other(
    statistic: Statistic, mechanism: Any, relation: str, unit: str | None
) -> None:
    # a person's rows are all used, so nothing is drawn before the answers
    persons: dict[str, Any] = {} if unit is None else {"unit": unit, "max_rows": 50}
    groups: dict[str, Any] = {} if unit is None else {"max_groups": 50}
    asked: Any = {"epsilon": "0.7", "mechanism": mechanism}
    with ln.open(TABLE, relation=relation, **persons) as data:
        with simulate(5):
            together = data.group_by({"g": KEYS}, **groups).release(statistic, **asked)
        with simulate(5):
            alone = [data.where(ln.col("g") == key).release(statistic, **asked) for key in KEYS]
    assert [said(record) for record in together.values()] == [said(record) for record in alone]
    assert [record.group for record in together.values()] == [{"g": key} for key in KEYS]


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("statistic", [COUNT, CUT, SUM, WHOLE])
def test_profiles_differ_in_their_values_alone(statistic: Statistic, relation: str) -> None:
    asked = plan(statistic, TABLE, relation, None)
    parts = [plan(statistic, {n: TABLE[n][:k] for n in TABLE}, relation, None) for k in (0, 9, 900)]
    read = [part.table.summarise(part.request, 0) for part in parts]
    values = statistic.values(read, relation)
    (first,) = asked.profiles(asked.request.empty(0))
    assert values is not None
    for summary, value in zip(read, values, strict=True):
        (profile,) = asked.profiles(summary)
        own, other = on_grid(profile), on_grid(first)
        assert (own.centre, first.resolution) == (value, 1)
        for name in ("low", "high", "sensitivity", "step", "clamp"):
            assert getattr(own, name) == getattr(other, name)


def test_a_sum_of_a_public_number_of_rows_has_limits_of_its_own() -> None:
    asked = plan(SUM, TABLE, "replace-one", None)
    assert SUM.values([asked.table.summarise(asked.request, 0)], "replace-one") is None


def test_a_record_is_made_once_and_is_its_own() -> None:
    with ln.open(TABLE, relation="add-remove") as data:
        view = data.group_by({"g": KEYS})
        table, several = view.release(COUNT, epsilon=1), view.release({"n": COUNT}, epsilon=1)
    assert table[3] is table[3]
    assert several[3]["n"] is several[3]["n"]
    table[3].parts["mine"] = "1"
    assert table[4].parts == {}
    assert len({str(record.value) for record in table.values()}) > 1
    copied = pickle.loads(pickle.dumps(table))
    assert copied == table
    assert repr(copied) == repr(table)
    assert ln.Releases.from_json(several.to_json()) == several


@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_ledger_keeps_what_differs_and_gives_it_again(
    tmp_path: Path, one_by_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if one_by_one:  # as ledgers kept them before

        def old(records: GroupRecords) -> dict[str, Any]:
            return {"groups": [record.to_dict() for record in records]}

        monkeypatch.setattr(GroupRecords, "stored", old)
    days = np.datetime64("2024-01-01") + RNG.integers(0, 300, 900)
    day = ln.Median("d", bounds=(date(2024, 1, 1), date(2024, 12, 31)))
    asked = {"n": COUNT, "d": day, "q": CASES[8][0], "h": ln.Histogram("i", bins=[0, 9, 20])}
    path = tmp_path / "kept.db"
    ln.Ledger.create(path, dataset="kept", budget=ln.PureDP(100))
    with ln.open({**TABLE, "d": days}, ledger=path, dataset="kept") as data:
        view = data.group_by({"g": KEYS}, other=True)
        first, spent = view.release(asked, epsilon=1), data.spent
        again = view.release(asked, epsilon=1, reuse=True)
        assert data.spent == spent
        (kept, *_) = [entry.body["record"] for entry in data.history if entry.kind == "release"]
        assert ("groups" in kept) == one_by_one
    assert list(again) == list(first)
    for key, row in first.items():
        for name, record in row.items():
            assert "from cache" in again[key][name].tracked
            assert kept_apart(again[key][name]) == kept_apart(record)


def kept_apart(record: Release) -> dict[str, Any]:
    return {**record.to_dict(), "tracked": None, "ledger": None}


@pytest.mark.parametrize("at", [0, 10**6, -(10**9)])
@pytest.mark.parametrize("policy", ["drop", "none", 3])
def test_groups_are_read_together_as_each_by_itself(policy: Any, at: int) -> None:
    """Of every type, with gaps, and limits near 0 and far from it."""
    dice, gone = np.random.default_rng(at % 1000), RNG.random(200) < 0.3
    kinds: dict[str, Any] = {"i": np.int64, "j": np.int32, "x": np.float64, "f": np.float32}
    table: dict[str, Any] = {"g": dice.integers(0, 5, 200)}
    for name, kind in kinds.items():
        values = (at + dice.integers(-30, 90, 200) / 4).astype(kind)
        table[name] = np.ma.MaskedArray(values, gone) if name in "ij" else values
        if name in "xf":
            values[gone] = np.nan
    subset = Subset().grouped({"g": [0, 1, 3, 7]}, None)
    for name, step in product(kinds, (None, 1, "1/4")):
        missing = at + policy if isinstance(policy, int) else policy
        limits: dict[str, Any] = {"bounds": (at - 4, at + 20), "step": step, "missing": missing}
        for kind, depth in ((ln.Sum, 0), (ln.Mean, 0), (ln.Median, 3), (ln.Minimum, None)):
            asked = plan(kind(name, **limits), table, "add-remove", None, subset=subset)
            parts: Any = split(asked.table, subset, active())
            together = [*parts.summaries(asked.request, depth)]
            alone = [part.summarise(asked.request, depth) for part in parts]
            told = f"{name} {limits} {kind.__name__}"
            assert [asked.profiles(one)[0].value for one in together] == [
                asked.profiles(one)[0].value for one in alone
            ], told


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("high", [1, 2, 100])
@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
def test_the_mechanism_tells_nothing_of_a_private_number_of_rows(
    kind: Any, high: int, relation: str
) -> None:
    """Where nothing of it was released."""
    told: set[str] = set()
    for rows in (0, 3, 30, 1000, 20_000):
        data = np.arange(rows) % (high + 1)
        with simulate(0):
            record = ln.release(
                kind(bounds=(0, high)), data, epsilon=8, relation=relation, missing="none"
            )
        if not any("count" in part for part in record.parts):
            fields = record.to_dict()
            told.add(str({name: fields[name] for name in fields if name != "value"}))
        else:
            told.add("after a released number of rows")
    assert len(told) == 1
