"""Filters, groups and persons under a budget: what is charged, recorded, cached and refused."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.accounting import compose
from leastnoise.accounting.budget import cost
from leastnoise.errors import (
    BudgetExceededError,
    LedgerError,
    ParameterError,
    ParameterTypeError,
    SchemaError,
)
from leastnoise.guarantees import from_dict as guarantee_from_dict
from leastnoise.record import Release, Releases
from leastnoise.testing import simulate

DATA = {
    "region": ["N", "S", "N", "W", None] * 20,
    "sex": [0, 1] * 50,
    "pay": np.arange(100),
    "age": np.arange(100.0),
    "user": np.repeat(np.arange(25), 4),
}
KEYS = {"region": ["N", "S", "E"], "sex": [0, 1]}
MEDIAN = ln.Median("pay", bounds=(0, 100))
BOTH = {"median": MEDIAN, "rows": ln.Count()}


def ledger(folder: Path, budget: Any = None, **options: str) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.db"
    made = ln.Ledger.create(path, dataset="pay", budget=budget or ln.PureDP(10), **options)
    made.close()
    return path


def opened(path: Path, **options: Any) -> ln.Session:
    return ln.open(DATA, ledger=path, dataset="pay", **options)


@pytest.mark.parametrize(
    ("relation", "times"), [("replace-one", 2), ("add-remove", 1), ("edit", 2)]
)
def test_groups_are_charged_what_the_preview_says(
    tmp_path: Path, relation: str, times: int
) -> None:
    with opened(ledger(tmp_path, relation=relation)) as data:
        view = data.where(ln.col("age") < 90).group_by(KEYS)
        for statistic, options in ((BOTH, {"weights": [2, 1]}), (MEDIAN, {})):
            before = data.remaining.epsilon
            told = view.preview(statistic, "1/2", **options)
            assert data.remaining.epsilon == before
            made = view.release(statistic, epsilon="1/2", **options)
            assert before is not None
            assert before - data.remaining.epsilon == told.epsilon == Fraction(times, 2)
            assert made.guarantee == ln.PureDP(Fraction(times, 2), ln.Scope(relation))


def test_a_filter_is_charged_epsilon_and_says_edit(tmp_path: Path) -> None:
    with opened(ledger(tmp_path)) as data:
        view = data.where(ln.col("age") >= 18).where(ln.col("region") == "N")
        assert view.preview(MEDIAN, 1) == 1
        made = view.release(MEDIAN, epsilon=1)
        assert data.spent == 1
    assert (made.relation, made.profile_relation, made.n_public) == ("replace-one", "edit", False)
    assert made.where == "(col('age') >= 18) & (col('region') == 'N')"
    assert (made.group, made.max_rows) == ({}, None)
    assert "number of rows is public" not in made.not_protected
    assert Release.from_json(made.to_json()) == made


def test_the_record_of_a_group(tmp_path: Path) -> None:
    with opened(ledger(tmp_path)) as data:
        made = data.group_by(KEYS).release(BOTH, epsilon=1)
        (entry, *_) = [e for e in data.history if e.kind == "charge"]
    assert list(made) == [(r, s) for r in KEYS["region"] for s in KEYS["sex"]]
    record = made["S", 1]["median"]
    assert record.guarantee == ln.PureDP("1/2")
    assert record.group == {"region": "S", "sex": 1}
    assert record.split == {"epsilon": "1", "share": "1/2", "groups": "6", "times": "2"}
    assert record.profile_relation == "edit"
    assert entry.body["charged"] == {"epsilon": "1"}
    assert (entry.body["by"], entry.body["groups"]) == (["region", "sex"], 6)
    back = Releases.from_json(made.to_json())
    assert back.to_json() == made.to_json()
    json.loads(made.to_json(), parse_constant=lambda name: pytest.fail(name))


def test_an_absent_group_is_answered(tmp_path: Path) -> None:
    with ln.open(DATA) as data:
        made = data.group_by({"region": ["nowhere"]}).release(BOTH, epsilon=1)
    assert 0 <= made["nowhere"]["median"].value <= 100
    assert made.guarantee == ln.PureDP(1)  # one group: there is none to move to


def test_groups_without_a_ledger_and_by_simulation() -> None:
    with simulate(seed=1), ln.open(DATA) as data:
        one = data.group_by(KEYS).release(MEDIAN, epsilon=1)
        assert data.group_by(KEYS).preview(MEDIAN, 1) == 2
    with simulate(seed=1), ln.open(DATA) as data:
        other = data.group_by(KEYS).release(MEDIAN, epsilon=1)
    assert one.to_dict() == other.to_dict()
    assert not one["N", 0].secure


def test_add_remove_groups_enter_a_replace_one_ledger_at_the_same_price(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    for relation in ("add-remove", "replace-one"):
        with opened(path, relation=relation) as data:
            before = data.spent.epsilon or 0
            view = data.group_by(KEYS)
            assert view.preview(MEDIAN, 1) == 2
            made = view.release(MEDIAN, epsilon=1)
            assert (data.spent.epsilon or 0) - before == 2
            inside = "edit" if relation == "replace-one" else relation
            assert made["N", 0].profile_relation == inside


def test_too_little_budget_spends_nothing(tmp_path: Path) -> None:
    path = ledger(tmp_path, ln.PureDP(1))
    with opened(path) as data:
        with pytest.raises(BudgetExceededError):
            data.group_by(KEYS).release(BOTH, epsilon=1)
        assert data.spent == 0
        data.group_by({"region": ["N"]}).release(BOTH, epsilon=1)
        assert data.spent == 1


def test_reuse_serves_the_whole_table(tmp_path: Path) -> None:
    with opened(ledger(tmp_path)) as data:
        view = data.where(ln.col("age") > 3).group_by(KEYS)
        first = view.release(BOTH, epsilon=1, reuse=True)
        spent = data.spent
        again = view.release(BOTH, epsilon=1, reuse=True)
        assert data.spent == spent
        values = [[r.value for r in row.records.values()] for row in first.rows()]
        assert [[r.value for r in row.records.values()] for row in again.rows()] == values
        assert again["N", 0]["rows"].tracked.startswith("from cache")
        assert again["S", 1]["rows"].group == {"region": "S", "sex": 1}
        # another filter, other keys or another order of keys is another request
        for other in (
            data.where(ln.col("age") > 4).group_by(KEYS),
            data.group_by(KEYS),
            data.where(ln.col("age") > 3).group_by({**KEYS, "sex": [1, 0]}),
        ):
            before = data.spent.epsilon
            other.release(BOTH, epsilon=1, reuse=True)
            assert data.spent.epsilon == Fraction(before or 0) + 2


def test_ledgers_of_rho_pay_for_both_groups(tmp_path: Path) -> None:
    with opened(ledger(tmp_path, ln.ZCDP(2))) as data:
        data.group_by(KEYS).release(MEDIAN, epsilon=1)
        assert data.spent.rho == 2 * Fraction(1, 8)
        made = data.group_by(KEYS).release(ln.Count(), epsilon=1)
        assert data.spent.rho == Fraction(1, 4) + 2 * Fraction(1, 2)
    assert compose([made]).smallest.epsilon == 2  # six groups, of which a row reaches two
    assert compose([made["N", 0], made["S", 0], made["E", 0]]).smallest.epsilon == 3


def test_delta_is_paid_for_in_both_groups(tmp_path: Path) -> None:
    path = ledger(tmp_path, ln.ApproxDP(10, "1e-3"))
    smooth = ln.SmoothLaplace(delta="1e-6")
    with opened(path) as data:
        made = data.group_by(KEYS).release(MEDIAN, epsilon=1, mechanism=smooth)
        assert data.spent.numbers == {"epsilon": 2, "delta": Fraction(2, 10**6)}
    assert made.guarantee == ln.ApproxDP(2, Fraction(2, 10**6))


def test_errors_come_before_the_charge_and_before_a_value(tmp_path: Path) -> None:
    with opened(ledger(tmp_path)) as data:
        wrong: list[tuple[Any, Any, type[Exception]]] = [
            (lambda: data.where(ln.col("none") == 1), MEDIAN, SchemaError),
            (lambda: data.group_by({"none": [1]}), MEDIAN, SchemaError),
            (lambda: data.group_by({"pay": ["1"]}), MEDIAN, SchemaError),
            (lambda: data.where(True), MEDIAN, ParameterTypeError),
            (lambda: data.group_by({"sex": []}), MEDIAN, ParameterError),
            (lambda: data.group_by(KEYS), {}, ParameterError),
            (lambda: data.group_by(KEYS), {"a": ln.Median("no", bounds=(0, 1))}, SchemaError),
            (lambda: data.group_by(KEYS).group_by(KEYS), MEDIAN, ParameterError),
            (lambda: data.group_by(KEYS, max_groups=2), MEDIAN, ParameterError),
        ]
        for make, statistic, error in wrong:
            with pytest.raises(error):
                make().release(statistic, epsilon=1)
        assert [e.kind for e in data.history] == ["create", "table"]


def test_persons_need_declared_limits(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"unit": "user"}, ParameterError, "max_rows is required"),
        ({"max_rows": 2}, ParameterError, "give unit="),
        ({"unit": "user", "max_rows": 0}, ParameterError, "max_rows"),
        ({"unit": "user", "max_rows": 1.5}, ParameterError, "max_rows"),
        ({"unit": 3, "max_rows": 1}, ParameterTypeError, "column"),
        ({"unit": "row", "max_rows": 1}, ParameterError, "row"),
    ]
    for options, error, text in wrong:
        with pytest.raises(error, match=text):
            ln.open(DATA, **options)
    with ln.open(DATA, unit="user", max_rows=2) as data:
        with pytest.raises(ParameterError, match="max_groups is required"):
            data.group_by(KEYS)
        with pytest.raises(ParameterError, match="max_groups"):
            data.group_by(KEYS, max_groups=0)


def test_a_ledger_protects_one_unit(tmp_path: Path) -> None:
    persons = ledger(tmp_path, unit="user")
    with pytest.raises(LedgerError, match="unit='user'"):
        opened(persons)
    with pytest.raises(LedgerError, match="give no unit="):
        opened(ledger(tmp_path), unit="user", max_rows=2)
    with opened(persons, unit="user", max_rows=2) as data:
        made = data.release(MEDIAN, epsilon=1)
        assert data.spent == 1
    assert made.guarantee.scope == ln.Scope("replace-one", "user")
    assert made.max_rows == 2
    assert made.to_dict()["unit"] == "user"
    assert (made.profile_relation, made.n_public) == ("edit", False)


@pytest.mark.parametrize(
    ("relation", "rows", "groups", "times"),
    [
        ("add-remove", 3, 2, 2),
        ("add-remove", 1, 2, 1),
        ("add-remove", 9, 9, 6),
        ("replace-one", 3, 2, 4),
        ("replace-one", 9, 9, 6),
        ("replace-one", 1, 5, 2),
    ],
)
def test_persons_are_charged_for_the_groups_they_reach(
    tmp_path: Path, relation: str, rows: int, groups: int, times: int
) -> None:
    path = ledger(tmp_path, relation=relation, unit="user")
    with opened(path, unit="user", max_rows=rows) as data:
        view = data.group_by(KEYS, max_groups=groups)
        assert view.preview(BOTH, 1) == times
        made = view.release(BOTH, epsilon=1)
        assert data.spent == times
    assert made.guarantee == ln.PureDP(times, ln.Scope(relation, "user"))


def test_a_mean_of_persons_has_noise_for_all_their_rows() -> None:
    with simulate(seed=3), ln.open(DATA, unit="user", max_rows=4, relation="add-remove") as data:
        values = [
            data.release(ln.Mean("pay", bounds=(0, 100)), epsilon=40).value for _ in range(50)
        ]
    assert abs(float(np.mean(values)) - 49.5) < 3


def test_release_and_profile_take_filters_and_persons() -> None:
    inside = ln.col("age") >= 90
    made = ln.release(ln.Count(), DATA, epsilon=10**4, where=inside)
    assert (made.value, made.where) == (10, "col('age') >= 90")
    persons = ln.release(ln.Count(), DATA, epsilon=10**4, where=inside, unit="user", max_rows=1)
    assert persons.value == 3
    profile = ln.profile(ln.Count(), DATA, where=inside)
    assert (profile.value, profile.upper(2)) == (10, 12)
    profile = ln.profile(ln.Count(), DATA, unit="user", max_rows=4, relation="add-remove")
    assert (profile.value, profile.upper(2), profile.sensitivity) == (100, 108, 4)


def test_views_keep_the_data_to_themselves() -> None:
    secret = 73914628
    with ln.open({"a": [secret, secret]}) as data:
        view = data.where(ln.col("a") > 1)
        for one in (view, view.group_by({"a": [1, 2]})):
            assert str(secret) not in repr(one)
            with pytest.raises(TypeError, match="pickled"):
                pickle.dumps(one)
    with pytest.raises(ParameterError, match="closed"):
        view.release(ln.Count(), epsilon=1)


SMOOTH = {"mechanism": ln.SmoothLaplace(delta="1e-6")}
UNLIKE = {"median": MEDIAN, "rows": ln.Count(), "mean": ln.Mean("age", bounds=(0, 100))}
SHARED = {"epsilon": 3, "weights": [3, 2, 1]}
REQUESTS: dict[str, Any] = {
    "several numbers": lambda data, by: data.release(UNLIKE, **SHARED),
    "a filter": lambda data, by: data.where(ln.col("age") < 9).release(MEDIAN, epsilon=1),
    "groups": lambda data, by: data.group_by(KEYS, **by).release(UNLIKE, **SHARED),
    "groups with delta": lambda data, by: data.group_by(KEYS, **by).release(
        MEDIAN, epsilon=1, **SMOOTH
    ),
    "quantiles": lambda data, by: data.release(
        ln.Quantiles("pay", q=["0.2", "0.7"], bounds=(0, 100)), epsilon=1
    ),
}


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("unit", ["row", "user"])
@pytest.mark.parametrize("request_", REQUESTS)
def test_an_entry_its_receipt_and_its_record_say_one_amount(
    tmp_path: Path, request_: str, unit: str, relation: str
) -> None:
    """The draws of an entry, its guarantee, its sum and the mark on its record."""
    budget = ln.ApproxDP(99, "1e-3")
    path = ledger(tmp_path, budget, relation=relation, unit=unit)
    persons = {} if unit == "row" else {"unit": unit, "max_rows": 2}
    with opened(path, **persons) as data:
        made = REQUESTS[request_](data, {"max_groups": 2} if persons else {})
        total = {name: most for name, most in data.spent.numbers.items() if most}
    table = [row.records for row in made.rows()] if isinstance(made, Releases) else [{"": made}]
    marks = {one.ledger["entry"]: one.ledger for row in table for one in row.values()}
    limit = ln.ApproxDP(99, "1e-3", ln.Scope(relation, unit))
    spent: dict[str, Fraction] = {}
    with ln.Ledger.open(path) as known:
        for entry in known.history:
            if entry.kind != "charge":
                continue
            charged = {k: Fraction(v) for k, v in entry.body["charged"].items()}
            draws = [guarantee_from_dict(draw) for draw in entry.body["draws"]]
            assert cost(draws, limit) == charged
            assert cost([guarantee_from_dict(entry.body["guarantee"])], limit) == charged
            mark = marks.pop(entry.seq)
            assert mark["head"] == entry.head
            assert {k: Fraction(v) for k, v in mark["charged"].items()} == charged
            spent = {k: spent.get(k, Fraction(0)) + charged[k] for k in charged}
    assert not marks
    assert spent == total
