"""Releases under a budget: the order of things, splitting, reuse, previews, production."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.accounting import SchemaChangedWarning
from leastnoise.errors import (
    BudgetExceededError,
    ColumnTypeError,
    LedgerError,
    ParameterError,
    ParameterTypeError,
    ProductionError,
    SchemaError,
)
from leastnoise.record import Release, Releases
from leastnoise.session.reuse import release_label
from leastnoise.testing import simulate
from support.catalogue import MECHANISMS, STATISTICS, forms
from support.optional import optional

DATA = {"pay": np.arange(100), "age": np.arange(100.0)}
MEDIAN = ln.Median("pay", bounds=(0, 100))
MEAN = ln.Mean("pay", bounds=(0, 100))
OPTIONS = {"dataset": "pay-2026"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "pay.db"
    ln.Ledger.create(made, dataset="pay-2026", budget=ln.PureDP(2)).close()
    return made


@pytest.fixture
def session(path: Path) -> Iterator[ln.Session]:
    with ln.open(DATA, ledger=path, dataset="pay-2026") as opened:
        yield opened


def test_the_preview_is_the_charge(session: ln.Session) -> None:
    cases: list[tuple[Any, Any, dict[str, Any]]] = [
        (MEDIAN, 0.1, {}),
        (MEAN, "1/7", {"mechanism": ln.InverseSensitivity()}),
        (ln.Quantiles("pay", q=["0.1", "0.5", "0.9"], bounds=(0, 100)), "0.3", {}),
        (ln.Mean("age", bounds=(0, 100)), "1/10", {}),
        ({"a": MEDIAN, "b": ln.Count()}, "0.2", {"weights": {"a": 2, "b": 1}}),
    ]
    for statistic, epsilon, options in cases:
        before = session.remaining.epsilon
        told = session.preview(statistic, epsilon, **options)
        assert session.remaining.epsilon == before
        session.release(statistic, epsilon=epsilon, **options)
        assert before is not None
        assert before - told.epsilon == session.remaining.epsilon
        assert told == ln.PureDP(epsilon).epsilon


def test_a_mean_with_a_private_count_costs_its_epsilon_and_shows_the_parts(
    session: ln.Session,
) -> None:
    made = session.release(ln.Mean("age", bounds=(0, 100)), epsilon=1.0)
    assert made.mechanism == "LaplaceRatio()"
    assert made.parts == {"noisy sum": "1/2", "noisy count": "1/2"}
    assert session.spent == 1
    session.release(MEAN, epsilon=1)
    head = session.history[-1].head
    with pytest.raises(BudgetExceededError):
        session.release(MEAN, epsilon=1)
    assert session.history[-1].head == head


def test_errors_of_parameters_and_schema_cost_nothing(session: ln.Session) -> None:
    wrong: list[tuple[Any, dict[str, Any], type[Exception]]] = [
        (MEDIAN, {"epsilon": 0}, ParameterError),
        (MEDIAN, {"epsilon": None}, ParameterTypeError),
        (ln.Median("nothing", bounds=(0, 1)), {"epsilon": 1}, SchemaError),
        ({"a": MEDIAN, "b": ln.Median("nothing", bounds=(0, 1))}, {"epsilon": 1}, SchemaError),
        ({}, {"epsilon": 1}, ParameterError),
        ({1: MEDIAN}, {"epsilon": 1}, ParameterTypeError),
        (MEDIAN, {"epsilon": 1, "weights": [1]}, ParameterError),
        ({"a": MEDIAN}, {"epsilon": 1, "weights": [1, 2]}, ParameterError),
        ({"a": MEDIAN}, {"epsilon": 1, "weights": {"b": 1}}, ParameterError),
        ({"a": MEDIAN}, {"epsilon": 1, "weights": [0]}, ParameterError),
        ({"a": MEDIAN}, {"epsilon": 1, "weights": "1"}, ParameterTypeError),
        ({"a": MEDIAN}, {"epsilon": 1, "mechanism": {"b": ln.Laplace()}}, ParameterError),
        (MEDIAN, {"epsilon": 1, "mechanism": ln.LaplaceRatio()}, ParameterError),
        ({"a": MEDIAN, "b": MEAN}, {"epsilon": 1, "mechanism": {"b": "x"}}, ParameterTypeError),
    ]
    for statistic, options, error in wrong:
        with pytest.raises(error):
            session.release(statistic, **options)
    assert session.spent == 0
    assert [entry.kind for entry in session.history] == ["create", "table"]


def test_the_charge_is_durable_before_a_value_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leastnoise.frames.table import Table

    seen: list[Any] = []
    read = Table.summarise

    def watched(*arguments: Any) -> Any:
        with ln.Ledger.open(path) as ledger:
            seen.append(ledger.spent.epsilon)
        return read(*arguments)

    monkeypatch.setattr(Table, "summarise", watched)
    both = {"a": MEDIAN, "b": ln.Count()}
    ln.release(both, DATA, epsilon=1, ledger=path, dataset="pay-2026")
    assert seen == [1, 1]


def test_there_is_no_refund_once_the_data_was_opened(
    session: ln.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leastnoise.frames.table import Table

    def broken(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Table, "summarise", broken)
    with pytest.raises(KeyboardInterrupt):
        session.release(MEDIAN, epsilon=1)
    assert session.spent == 1
    assert session.ledger is not None
    assert [line.released for line in session.ledger.charges] == [False]


def test_all_that_stays_charged_is_told(
    session: ln.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leastnoise.frames.table import Table

    def broken(*_: Any) -> Any:
        raise LedgerError("gone")

    monkeypatch.setattr(Table, "summarise", broken)
    with pytest.raises(LedgerError) as error:
        session.release({"a": MEDIAN, "b": ln.Count(), "c": MEAN}, epsilon=1, weights=[1, 1, 2])
    assert session.ledger is not None
    (note,) = error.value.__notes__
    for line in session.ledger.charges:
        assert f"{line.charged} as entry {line.entry}" in note
    assert [line.charged for line in session.ledger.charges] == [0.25, 0.25, 0.5]


def test_a_release_whose_record_cannot_be_kept_gives_no_value(
    session: ln.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise LedgerError("the disk is full")

    monkeypatch.setattr(ln.Ledger, "record", full)
    with pytest.raises(LedgerError):
        session.release(MEDIAN, epsilon=1)
    assert session.spent == 1


def test_reuse_serves_the_identical_value_at_no_cost(session: ln.Session, path: Path) -> None:
    first = session.release(MEDIAN, epsilon="0.5", purpose="report")
    again = session.release(MEDIAN, epsilon="0.5")
    assert session.spent == 1
    assert again.ledger is not None
    assert first.ledger is not None
    assert again.ledger["entry"] != first.ledger["entry"]
    # equal numbers are equal requests, however they are written
    same = ln.Median("pay", bounds=(0.0, 100.0))
    for _ in range(3):
        served = session.release(same, epsilon=0.5, reuse=True)
        assert served.value == again.value
        assert served.tracked.startswith("from cache")
        assert served.ledger == {**again.ledger, "from_cache": True}
        assert served.guarantee == again.guarantee
    assert session.spent == 1
    # whatever differs in public is another request
    other: list[tuple[Any, dict[str, Any]]] = [
        (MEDIAN, {"epsilon": "0.25"}),
        (ln.Median("pay", bounds=(0, 101)), {"epsilon": "0.25"}),
        (ln.Median("age", bounds=(0, 100)), {"epsilon": "0.25"}),
        (MEDIAN, {"epsilon": "0.25", "mechanism": ln.InverseSensitivity()}),
    ]
    for statistic, options in other:
        fresh = session.release(statistic, reuse=True, **options)
        assert not fresh.tracked.startswith("from cache")
    assert session.remaining == 0
    with ln.open(DATA, ledger=path, dataset="pay-2026") as later:
        assert later.release(MEDIAN, epsilon="0.5", reuse=True).value == again.value
        with pytest.raises(BudgetExceededError):
            later.release(MEDIAN, epsilon="0.5")
        with pytest.raises(BudgetExceededError):
            later.release({"a": MEDIAN, "b": MEAN}, epsilon=1, reuse=True)
    with (
        ln.open(DATA, ledger=path, dataset="pay-2026", table="visits") as visits,
        pytest.raises(BudgetExceededError),
    ):
        visits.release(MEDIAN, epsilon="0.5", reuse=True)


def test_what_is_served_again_is_part_of_another_call(session: ln.Session) -> None:
    both = session.release({"m": MEDIAN, "n": ln.Count()}, epsilon=1)
    fresh = session.release(MEAN, epsilon="0.5")
    alone = session.release(MEDIAN, epsilon="0.5", reuse=True)
    again = session.release({"m": MEDIAN, "mean": MEAN}, epsilon=1, weights=["1", "1"], reuse=True)
    assert session.spent == 1.5
    assert [one.value for one in (alone, again["mean"])] == [both["m"].value, fresh.value]
    counted = session.release(ln.Count(), epsilon="0.5", reuse=True)
    for first, served in ((both["m"], alone), (both["n"], counted), (fresh, again["mean"])):
        assert first.ledger is not None
        assert served.tracked.startswith(f"from cache: entry {first.ledger['entry']} of")
        assert served.ledger == {**first.ledger, "from_cache": True}
    assert session.ledger is not None
    assert all(line.released for line in session.ledger.charges)
    assert alone.split == fresh.split
    assert again["mean"].split == again["m"].split == both["m"].split


@pytest.mark.parametrize("name", STATISTICS | MECHANISMS)
def test_every_parameter_makes_it_another_request(name: str) -> None:
    """Or none that is ever served again, where a parameter cannot be told by its value."""
    known: dict[str, Any] = {}
    for form in forms((STATISTICS | MECHANISMS)[name]):
        label = release_label(asked=form)
        if label is not None:
            assert known.setdefault(label, form) == form


# How the data are opened, and what is made of them before the same statistic is asked for.
WAYS: list[tuple[dict[str, Any], Any]] = [
    ({}, lambda data: data),
    ({"missing": "drop"}, lambda data: data),
    ({"missing": 7}, lambda data: data),
    ({"missing_values": [7]}, lambda data: data),
    ({"missing_values": [8]}, lambda data: data),
    ({"table": "visits"}, lambda data: data),
    ({}, lambda data: data.where(ln.col("age") < 9)),
    ({}, lambda data: data.where(ln.col("age") <= 9)),
    ({}, lambda data: data.group_by({"age": [1, 2]})),
    ({}, lambda data: data.group_by({"age": [1, 2]}, other=True)),
    ({}, lambda data: data.group_by({"pay": [1, 2]})),
]


def test_what_is_read_otherwise_is_another_request(path: Path) -> None:
    asked: dict[str, Any] = {"epsilon": "1e-6", "reuse": True}
    for again in (False, True):
        for opening, view in WAYS:
            with ln.open(DATA, ledger=path, dataset="pay-2026", **opening) as data:
                made = view(data).release(MEDIAN, **asked)
            records = [made] if isinstance(made, Release) else made.values()
            served = {one.tracked.startswith("from cache") for one in records}
            assert served == {again}, (opening, made)


def batch_of(data: ln.Session) -> Any:
    batch = data.batch()
    batch.add("n", {"n": ln.Count()}, epsilon=1)
    return batch


# What is checked in full, and may be released later.
PREPARED: dict[str, Any] = {
    "batch": batch_of,
    "description": lambda data: data.prepare_description(epsilon=1),
    "query": lambda data: data.prepare_sql("SELECT COUNT(*) AS n FROM t", epsilon=1),
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("asked", PREPARED)
def test_a_file_that_has_gone_costs_nothing(asked: str, kind: str, tmp_path: Path) -> None:
    if asked == "query":
        optional("sqlglot")
    file, ledger = tmp_path / f"t.{kind}", tmp_path / "l.db"
    if kind == "csv":
        file.write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    else:
        optional("polars").DataFrame({"a": [1, 3], "b": [2, 4]}).write_parquet(file)
    ln.Ledger.create(ledger, dataset="t", budget=ln.PureDP(9), relation="add-remove").close()
    with ln.open(file, ledger=ledger, dataset="t") as data:
        prepared = PREPARED[asked](data)
        file.unlink()
        with pytest.raises(SchemaError):
            prepared.release()
        with pytest.raises(SchemaError):
            data.release(ln.Count(), epsilon=1)
        assert data.spent == 0


def test_a_request_that_cannot_be_told_by_value_is_never_served_again(session: ln.Session) -> None:
    @dataclass(frozen=True)
    class Odd:
        rule: Any

        def spec(self) -> Any:
            return MEDIAN.spec()

        def profile(self, summary: Any, relation: str) -> Any:
            return MEDIAN.profile(summary, relation)

    odd = Odd(lambda: None)
    session.release(odd, epsilon="0.25", reuse=True)
    assert "from cache" not in session.release(odd, epsilon="0.25", reuse=True).tracked
    named = Odd(None)  # another class of this name may say something else
    session.release(named, epsilon="0.25", reuse=True)
    assert "from cache" not in session.release(named, epsilon="0.25", reuse=True).tracked
    assert session.spent == 1


def test_several_statistics_share_epsilon_and_are_charged_together(session: ln.Session) -> None:
    made = session.release({"m": MEDIAN, "n": ln.Count(), "a": MEAN}, epsilon=1)
    assert isinstance(made, Releases)
    assert list(made) == ["m", "n", "a"]
    assert [r.guarantee for r in made.values()] == [ln.PureDP("1/3")] * 3
    assert made["m"].split == {"epsilon": "1", "share": "1/3"}
    weighted = session.release({"m": MEDIAN, "n": ln.Count()}, epsilon=1, weights=["3", 1])
    assert [r.guarantee.numbers()["epsilon"] for r in weighted.values()] == [0.75, 0.25]
    assert session.remaining == 0
    assert session.ledger is not None
    assert session.ledger.verify(made, weighted) == 12
    with pytest.raises(BudgetExceededError):
        session.release({"m": MEDIAN, "n": ln.Count()}, epsilon="1e-9")


@pytest.mark.parametrize("names", ["abc", "cab", "bca"])
def test_weights_belong_to_the_statistics_in_their_order(names: str) -> None:
    asked = {name: ln.Count() for name in names}
    each = {name: ln.PureDP(Fraction(w, 8)) for name, w in zip(names, (1, 2, 5), strict=True)}
    named = {"c": 0.5, "a": 1, "b": "1/4"}
    own = {name: ln.PureDP(Fraction(weight) / Fraction("1.75")) for name, weight in named.items()}
    with ln.open(DATA) as opened:
        for weights, shares in (([1, 2, 5], each), ((1, 2, 5), each), (named, own)):
            made = opened.release(asked, epsilon=1, weights=weights)
            assert {name: record.guarantee for name, record in made.items()} == shares
            batch = opened.batch()
            batch.add("t", asked, epsilon=1, weights=weights)
            made = batch.release()["t"]
            assert {name: record.guarantee for name, record in made.items()} == shares


def test_releases_read_back_from_json(session: ln.Session) -> None:
    quantiles = ln.Quantiles("pay", q=["0.1", "0.9"], bounds=(0, 100))
    made = session.release({"m": MEDIAN, "q": quantiles}, epsilon=1)
    text = made.to_json()
    assert json.loads(text)["m"]["ledger"]["dataset"] == "pay-2026"
    assert Releases.from_json(text) == made
    assert Release.from_json(made["q"].to_json()) == made["q"]
    assert made["q"].draws == (ln.BoundedRange("1/4"),) * 2


def test_without_a_ledger_a_record_says_not_tracked() -> None:
    made = ln.release({"m": MEDIAN, "n": ln.Count()}, DATA, epsilon=1, weights={"n": 3, "m": 1})
    assert {r.tracked for r in made.values()} == {"not tracked by a ledger"}
    assert made["n"].guarantee == ln.PureDP("3/4")
    assert made["n"].ledger is None
    with ln.open(DATA) as session:
        assert session.preview(MEDIAN, "0.3") == 0.3
        assert session.history == ()
        for call in (lambda: session.remaining, lambda: session.spent):
            with pytest.raises(LedgerError, match="no ledger"):
                call()
        for options in ({"reuse": True}, {"purpose": "x"}):
            with pytest.raises(ParameterError, match="need a ledger"):
                session.release(MEDIAN, epsilon=1, **options)
    with pytest.raises(ParameterError, match="closed"):
        session.release(MEDIAN, epsilon=1)


def test_a_ledger_needs_its_name_and_is_never_made_by_accident(path: Path) -> None:
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"ledger": path}, ParameterError, "dataset is required"),
        ({"dataset": "pay-2026"}, ParameterError, "give ledger="),
        ({"ledger": path, "dataset": "taxes"}, LedgerError, "ledger of data set 'pay-2026'"),
        ({"ledger": 3, "dataset": "taxes"}, ParameterTypeError, "path of a ledger"),
        ({"ledger": path.with_name("no.db"), "dataset": "x"}, LedgerError, "no ledger at"),
    ]
    for options, error, told in wrong:
        with pytest.raises(error, match=told):
            ln.open(DATA, **options)
        with pytest.raises(error, match=told):
            ln.release(MEDIAN, DATA, epsilon=1, **options)
    assert not path.with_name("no.db").exists()


def test_the_relation_is_the_ledgers_and_add_remove_enters_at_two_epsilon(tmp_path: Path) -> None:
    path = tmp_path / "swap.db"
    ln.Ledger.create(path, dataset="d", budget=ln.PureDP(1)).close()
    with ln.open(DATA, ledger=path, dataset="d", relation="add-remove") as session:
        assert session.preview(MEDIAN, "0.25") == 0.5
        made = session.release(MEDIAN, epsilon="0.25")
        assert made.guarantee == ln.PureDP("0.25", ln.Scope("add-remove"))
        assert made.ledger is not None
        assert made.ledger["charged"] == {"epsilon": "1/2"}
        assert session.remaining == 0.5
    other = tmp_path / "add.db"
    ln.Ledger.create(other, dataset="d", budget=ln.PureDP(1), relation="add-remove").close()
    with ln.open(DATA, ledger=other, dataset="d") as session:
        assert session.release(MEDIAN, epsilon="0.25").relation == "add-remove"
        assert session.remaining == 0.75
    with (
        ln.open(DATA, ledger=other, dataset="d", relation="replace-one") as session,
        pytest.raises(LedgerError, match="relation='add-remove'"),
    ):
        session.release(MEDIAN, epsilon="0.25")


def test_a_ledger_of_rho_charges_bounded_range_a_quarter_of_pure(tmp_path: Path) -> None:
    path = tmp_path / "rho.db"
    ln.Ledger.create(path, dataset="d", budget=ln.ZCDP(1)).close()
    with ln.open(DATA, ledger=path, dataset="d") as session:
        assert session.preview(MEDIAN, 1) == 0.125
        assert session.preview(ln.Count(), 1) == 0.5
        # two draws of half of epsilon each
        both = ln.Quantiles("pay", q=["0.1", "0.9"], bounds=(0, 100))
        assert session.preview(both, 1) == 0.0625
        session.release(MEDIAN, epsilon=1)
        assert session.remaining.rho == Fraction(7, 8)


def test_a_failure_probability_is_charged_for_every_draw(tmp_path: Path) -> None:
    path = tmp_path / "delta.db"
    ln.Ledger.create(path, dataset="d", budget=ln.ApproxDP(1, "1e-5")).close()
    smooth = ln.SmoothLaplace(delta="1e-6")
    with ln.open(DATA, ledger=path, dataset="d") as session:
        both = ln.Quantiles("pay", q=["0.1", "0.9"], bounds=(0, 100))
        made = session.release(both, epsilon=1, mechanism=smooth)
        assert made.guarantee == ln.ApproxDP(1, "2e-6")
        assert session.spent.delta == Fraction(2, 10**6)


def test_a_changed_schema_is_warned_of(path: Path) -> None:
    with ln.open(DATA, ledger=path, dataset="pay-2026"):
        pass
    with ln.open({"pay": np.arange(5), "age": np.ones(5)}, ledger=path, dataset="pay-2026"):
        pass
    with (
        pytest.warns(SchemaChangedWarning, match="table="),
        ln.open({"pay": np.arange(100)}, ledger=path, dataset="pay-2026"),
    ):
        pass
    with ln.open([1, 2, 3], ledger=path, dataset="pay-2026", table="other") as session:
        assert session.release(ln.Count(), epsilon=1).ledger["table"] == "other"


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_changed_column_of_a_frame_is_warned_of(library: str, tmp_path: Path) -> None:
    tool = optional(library)
    make: Any = tool.table if library == "pyarrow" else tool.DataFrame
    path = tmp_path / "frames.db"
    ln.Ledger.create(path, dataset="d", budget=ln.PureDP(1)).close()
    for data in ({"pay": [1, 2], "age": [3, 4]}, {"pay": [1], "age": [3]}):
        ln.open(make(data), ledger=path, dataset="d").close()
    with pytest.warns(SchemaChangedWarning, match="table="):
        ln.open(make({"pay": [1, 2], "years": [3, 4]}), ledger=path, dataset="d").close()


def test_simulated_releases_debit_nothing(session: ln.Session) -> None:
    with simulate(1):
        made = session.release(MEDIAN, epsilon=2)
        session.release({"a": MEDIAN}, epsilon=2)
    assert not made.secure
    assert made.ledger is None
    assert session.spent == 0


def test_production_forbids_looking_and_allows_releasing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = ln.profile(ln.Median(bounds=(0, 10)), [1, 2, 3])
    ln.PiecewiseLaplace().law(profile, 1)
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
    with pytest.raises(ProductionError, match="profile"):
        ln.profile(ln.Median(bounds=(0, 10)), [1, 2, 3])
    for mechanism in (ln.PiecewiseLaplace(), ln.Laplace(), ln.SmoothLaplace(delta="1e-6")):
        with pytest.raises(ProductionError, match="law"):
            mechanism.law(profile, 1)
    with pytest.raises(ProductionError), simulate(1):
        pass
    assert ln.release(MEDIAN, DATA, epsilon=1).secure
    with ln.open(DATA, ledger=path, dataset="pay-2026") as session:
        assert session.preview(MEDIAN, 1) == 1
        session.release({"a": MEDIAN, "b": MEAN}, epsilon=1)
    with pytest.raises(ProductionError, match="law"):
        ln.PiecewiseLaplace().law(profile, 1)
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "0")
    ln.PiecewiseLaplace().law(profile, 1)


def test_records_compose_by_what_their_draws_promise() -> None:
    made = [ln.release(MEDIAN, DATA, epsilon="0.1") for _ in range(30)]
    plan = ln.compose(made, delta=1e-6, fixed="plan")
    assert plan.smallest.method == "optimal bounded range"
    assert ln.compose(made).smallest.epsilon == 3
    counts = [ln.release(ln.Count(), DATA, epsilon="0.1")] * 30
    assert plan.smallest.epsilon < ln.compose(counts, delta=1e-6, fixed="plan").smallest.epsilon


def test_text_columns_and_files_can_be_opened(tmp_path: Path) -> None:
    path, file = tmp_path / "f.db", tmp_path / "f.csv"
    file.write_text("name,pay\na,1\nb,2\n", encoding="utf-8")
    ln.Ledger.create(path, dataset="f", budget=ln.PureDP(9)).close()
    with ln.open(str(file), ledger=str(path), dataset="f") as session:
        assert -20 < session.release(ln.Count(), epsilon=5).value < 20
        assert dict(session.history[1].body)["columns"] == [["name", "text"], ["pay", "text"]]
    with pytest.raises(ColumnTypeError):
        ln.release(
            ln.Median("name", bounds=(0, 1)),
            {"name": np.array([np.datetime64("2026-01-01")])},
            epsilon=1,
            ledger=path,
            dataset="f",
            table="dates",
        )


def test_a_ledger_keeps_nothing_of_the_entries_of_a_tuple(path: Path) -> None:
    """Neither their types nor how many there are, else a change would warn and be kept."""
    for data in ((31_000,), (31_000, None), (31_000, "x", 4.5)):
        with ln.open(data, ledger=path, dataset="pay-2026") as session:
            session.release(ln.Median(bounds=(0, 100_000)), epsilon="0.1")
    assert b"NoneType" not in path.read_bytes()
