"""The ledger in one process: exact sums, filters, history, evidence, copies and damage."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import sqlite3
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leastnoise.accounting import Balance, Charge, Ledger, store
from leastnoise.errors import BudgetExceededError, LedgerError, ParameterError, ParameterTypeError
from leastnoise.guarantees import (
    ZCDP,
    ApproxDP,
    BoundedRange,
    Guarantee,
    PureDP,
    RandomDP,
    Scope,
)

ADD, EDIT = Scope("add-remove"), Scope("edit")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pay.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    made = Ledger.create(path, dataset="pay-2026", budget=PureDP(1))
    yield made
    made.close()


def charge(ledger: Ledger, *draws: Guarantee, **options: str) -> None:
    ledger.charge([Charge(tuple(draws))], **options)


def test_eleven_elevenths_are_exactly_one_and_one_more_is_refused(ledger: Ledger) -> None:
    for _ in range(11):
        charge(ledger, PureDP("1/11"))
    assert ledger.spent == 1
    assert ledger.remaining == 0
    before = ledger.head
    with pytest.raises(BudgetExceededError, match=r"0 of 1 is left in .*pay\.db"):
        charge(ledger, PureDP("1/11"))
    with pytest.raises(BudgetExceededError):
        charge(ledger, PureDP("1e-300"))
    assert ledger.head == before


def test_ten_tenths_are_exactly_one(ledger: Ledger) -> None:
    for _ in range(10):
        charge(ledger, PureDP(0.1))
    assert ledger.spent.epsilon == 1


def test_several_charges_are_all_or_nothing(ledger: Ledger) -> None:
    with pytest.raises(BudgetExceededError, match=r"needs epsilon 1\.2 and 1 of 1 is left"):
        ledger.charge([Charge((PureDP("0.6"),)), Charge((PureDP("0.6"),))])
    assert ledger.spent == 0
    receipts = ledger.charge([Charge((PureDP("0.5"),)), Charge((PureDP("0.25"),) * 2)])
    assert [receipt.charged for receipt in receipts] == [0.5, 0.5]
    assert ledger.remaining == 0


@pytest.mark.parametrize(
    ("budget", "draw", "numbers"),
    [
        (PureDP(2), PureDP("0.5"), {"epsilon": "1/2"}),
        (PureDP(2), BoundedRange("0.5"), {"epsilon": "1/2"}),
        (ApproxDP(2, "1e-3"), ApproxDP("0.5", "1e-6"), {"epsilon": "1/2", "delta": "1/1000000"}),
        (ApproxDP(2, "1e-3"), PureDP("0.5"), {"epsilon": "1/2"}),
        (ZCDP(2), PureDP("0.5"), {"rho": "1/8"}),
        (ZCDP(2), BoundedRange("0.5"), {"rho": "1/32"}),
        (ZCDP(2), ZCDP("0.5"), {"rho": "1/2"}),
        (
            RandomDP(2, "1e-3", "0.1", "0.1"),
            RandomDP("0.5", 0, "0.05"),
            {"epsilon": "1/2", "gamma": "1/20"},
        ),
        (PureDP(2), PureDP("0.5", ADD), {"epsilon": "1"}),
        (PureDP(2), BoundedRange("0.5", ADD), {"epsilon": "1"}),
        (ZCDP(2), BoundedRange("0.5", ADD), {"rho": "1/8"}),
        (ZCDP(2), PureDP("0.5", ADD), {"rho": "1/2"}),
        (ZCDP(2), ZCDP("0.1", ADD), {"rho": "2/5"}),
        (ZCDP(2), ApproxDP(1, "1e-6", EDIT, rho=Fraction(1, 8)), {"rho": "1/8"}),
        (ZCDP(2), ApproxDP(1, "1e-6", ADD, rho=Fraction(1, 8)), {"rho": "1/2"}),
        (PureDP(2), PureDP("0.5", EDIT), {"epsilon": "1/2"}),
        (PureDP(2, ADD), PureDP("0.5", EDIT), {"epsilon": "1/2"}),
        (PureDP(2, EDIT), PureDP("0.5", ADD), {"epsilon": "1"}),
    ],
)
def test_what_a_draw_costs(path: Path, budget, draw, numbers) -> None:
    with Ledger.create(path, dataset="d", budget=budget, relation=budget.scope.relation) as ledger:
        assert ledger.preview([draw]).to_dict() == numbers
        (receipt,) = ledger.charge([Charge((draw,))])
        assert receipt.charged.to_dict() == numbers
        spent = {name: value for name, value in ledger.spent.to_dict().items() if value != "0"}
        assert spent == numbers


@pytest.mark.parametrize(
    ("budget", "draw", "error", "cure"),
    [
        (PureDP(2), ApproxDP(1, "1e-6"), BudgetExceededError, "budget=ApproxDP"),
        (PureDP(2), ZCDP("0.1"), LedgerError, "budget=ZCDP"),
        (ZCDP(2), ApproxDP(1, "1e-6"), LedgerError, "budget of its own kind"),
        (PureDP(2), RandomDP(1, 0, "0.1"), LedgerError, "budget=RandomDP"),
        (PureDP(2, ADD), PureDP(1), LedgerError, "relation='add-remove'"),
        (PureDP(2, EDIT), PureDP(1), LedgerError, "relation='edit'"),
        (PureDP(2), PureDP(1, Scope(unit="person")), LedgerError, "for that unit"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_cure(path: Path, budget, draw, error, cure) -> None:
    with Ledger.create(path, dataset="d", budget=budget, relation=budget.scope.relation) as ledger:
        with pytest.raises(error, match=cure):
            ledger.charge([Charge((draw,))])
        assert len(ledger.history) == 1


def test_delta_is_a_filter_of_its_own(path: Path) -> None:
    with Ledger.create(path, dataset="d", budget=ApproxDP(10, "1e-6")) as ledger:
        charge(ledger, ApproxDP(1, "6e-7"))
        with pytest.raises(BudgetExceededError, match="needs delta"):
            charge(ledger, ApproxDP(1, "6e-7"))
        charge(ledger, PureDP(1))
        assert ledger.spent.numbers == {"epsilon": 2, "delta": Fraction(6, 10**7)}


def test_creation_and_opening_are_explicit(path: Path, ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="already exists"):
        Ledger.create(path, dataset="pay-2026", budget=PureDP(1))
    with pytest.raises(TypeError, match="create"):
        Ledger()
    missing = path.with_name("none.db")
    with pytest.raises(LedgerError, match=r"no ledger at .*none\.db.*create"):
        Ledger.open(missing)
    assert not missing.exists()
    with pytest.raises(LedgerError, match="is not a file"):
        Ledger.open(path.parent)
    with pytest.raises(LedgerError):
        Ledger.create(path.parent / "no folder" / "x.db", dataset="d", budget=PureDP(1))
    other = path.with_name("other.db")
    sqlite3.connect(other).executescript("CREATE TABLE t (x)").connection.close()
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger.open(other)
    assert sorted(p.name for p in path.parent.iterdir() if "new" in p.name) == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"dataset": " "}, ParameterError),
        ({"dataset": 3}, ParameterTypeError),
        ({"budget": 2}, ParameterTypeError),
        ({"budget": BoundedRange(2)}, ParameterError),
        ({"budget": PureDP(2, ADD)}, ParameterError),
        ({"relation": "swap"}, ParameterError),
        ({"unit": ""}, ParameterError),
    ],
)
def test_wrong_parameters_make_no_file(path: Path, options, error) -> None:
    with pytest.raises(error):
        Ledger.create(path, **{"dataset": "d", "budget": PureDP(2), **options})
    assert not path.exists()


def test_a_ledger_of_another_format_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "later.db"
    with monkeypatch.context() as later:
        later.setattr("leastnoise.accounting.ledger.FORMAT", 2)
        Ledger.create(path, dataset="d", budget=PureDP(1)).close()
    with pytest.raises(LedgerError, match="newer version"):
        Ledger.open(path)


def test_history_notes_and_budget_changes_are_kept(ledger: Ledger) -> None:
    charge(ledger, PureDP("0.5"), purpose="report 7", table="visits")
    ledger.note("asked by the board")
    ledger.change_budget(PureDP(2), reason="board, 3 May")
    assert ledger.remaining == 1.5
    ledger.change_budget(PureDP("0.5"), reason="enough")
    assert ledger.remaining == 0
    with pytest.raises(ParameterError, match="already spent"):
        ledger.change_budget(PureDP("0.4"), reason="less")
    with pytest.raises(ParameterError, match="kept in PureDP"):
        ledger.change_budget(ZCDP(3), reason="other kind")
    with pytest.raises(ParameterError, match="blank"):
        ledger.note(" ")
    kinds = [entry.kind for entry in ledger.history]
    assert kinds == ["create", "charge", "note", "budget", "budget"]
    assert ledger.history[1].body["purpose"] == "report 7"
    assert ledger.history[3].body == {
        "from": {"epsilon": "1"},
        "to": {"epsilon": "2"},
        "reason": "board, 3 May",
    }
    assert ledger.verify() == 5


def test_one_budget_covers_all_tables_and_a_changed_schema_is_told(ledger: Ledger) -> None:
    assert ledger.know_table("main", [("pay", "int64")]) is None
    assert ledger.know_table("visits", [("date", "text")]) is None
    assert ledger.know_table("main", [("pay", "int64")]) is None
    told = ledger.know_table("main", [("pay", "float64")])
    assert told is not None
    assert "table=" in told
    charge(ledger, PureDP("0.5"), table="main")
    charge(ledger, PureDP("0.5"), table="visits")
    with pytest.raises(BudgetExceededError):
        charge(ledger, PureDP("0.5"), table="visits")
    assert [entry.kind for entry in ledger.history].count("table") == 3


def test_releases_are_kept_at_the_time_of_their_charge(ledger: Ledger) -> None:
    (receipt,) = ledger.charge([Charge((PureDP("0.5"),), {"statistic": "Median"}, "release:x")])
    assert [line.released for line in ledger.charges] == [False]
    ledger.record([(receipt, {"value": 3})])
    assert [line.released for line in ledger.charges] == [True]
    assert ledger.stored("release:x") == (receipt.entry, {"value": 3})
    assert ledger.stored("release:y") is None
    assert ledger.history[-1].time == ledger.history[-2].time


def test_exports_hold_everything_exactly(ledger: Ledger) -> None:
    charge(ledger, PureDP("1/3"), purpose='a "quoted", purpose')
    data = json.loads(ledger.to_json())
    assert data["spent"] == {"epsilon": "1/3"}
    assert data["head"] == ledger.head == data["entries"][-1]["head"]
    rows = list(csv.DictReader(io.StringIO(ledger.to_csv())))
    assert [row["epsilon"] for row in rows] == ["1/3"]
    assert rows[0]["purpose"] == 'a "quoted", purpose'
    assert rows[0]["released"] == "no"
    charge(ledger, PureDP("1/3"), purpose="=1+1")
    assert "'=1+1" in ledger.to_csv()  # no formula in a spreadsheet


def test_copies_and_pickles_are_the_same_ledger(ledger: Ledger) -> None:
    others = [pickle.loads(pickle.dumps(ledger)), copy.deepcopy(ledger), copy.copy(ledger)]
    for other in others:
        charge(other, PureDP("0.25"))
        assert other == ledger
        assert hash(other) == hash(ledger)
    assert ledger.remaining == 0.25
    charge(ledger, PureDP("0.25"))
    for other in others:
        with pytest.raises(BudgetExceededError):
            charge(other, PureDP("0.25"))
        other.close()


def test_threads_share_one_budget(ledger: Ledger) -> None:
    outcomes: list[bool] = []

    def work() -> None:
        for _ in range(5):
            try:
                charge(ledger, PureDP("1/25"))
                outcomes.append(True)
            except BudgetExceededError:
                outcomes.append(False)
        ledger.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(True) == 25
    assert outcomes.count(False) == 15
    assert ledger.remaining == 0


# evidence


def test_a_restored_older_copy_is_exposed_by_any_later_record(path: Path, ledger: Ledger) -> None:
    charge(ledger, PureDP("0.25"))
    anchor = ledger.anchor()
    ledger.close()
    backup = path.read_bytes()
    (late,) = ledger.charge([Charge((PureDP("0.5"),))])
    assert ledger.verify(anchor, late.to_dict()) == 3
    ledger.close()
    path.write_bytes(backup)
    with Ledger.open(path) as restored:
        assert restored.remaining == 0.75
        assert restored.verify(anchor) == 2
        with pytest.raises(LedgerError, match="older copy"):
            restored.verify(late.to_dict())
        charge(restored, PureDP("0.5"))
        with pytest.raises(LedgerError, match="has diverged"):
            restored.verify(json.dumps({"value": 1, "ledger": late.to_dict()}))
        record = path.with_name("record.json")
        record.write_text(json.dumps([{"value": 1, "ledger": late.to_dict()}]), encoding="utf-8")
        with pytest.raises(LedgerError, match="has diverged"):
            restored.verify(record)


def test_evidence_of_another_ledger_and_no_evidence_are_told(path: Path, ledger: Ledger) -> None:
    for name, dataset, told in (("b", "pay-2026", "another ledger"), ("c", "taxes", "'taxes'")):
        other = Ledger.create(path.with_name(name), dataset=dataset, budget=PureDP(1))
        anchor = other.anchor()
        other.close()
        with pytest.raises(LedgerError, match=told):
            ledger.verify(anchor)
    for nothing in ({"value": 1, "ledger": None}, "[]", "{}", []):
        with pytest.raises(ParameterError, match="names no ledger entry"):
            ledger.verify(nothing)
    with pytest.raises(ParameterError, match="cannot be read"):
        ledger.verify("no such file.json")
    with pytest.raises(ParameterError, match="is not JSON"):
        ledger.verify("{")
    with pytest.raises(ParameterTypeError):
        ledger.verify(object())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = replace(body, '1/4', '1/8') WHERE seq = 2",
        "UPDATE entries SET state = replace(state, '1/4', '0') WHERE seq = 2",
        "UPDATE entries SET time = 'never' WHERE seq = 2",
        "UPDATE entries SET body = '{' WHERE seq = 2",
        "DELETE FROM entries WHERE seq = 2",
        "DELETE FROM entries WHERE seq = 3",
        "DELETE FROM entries",
    ],
)
def test_changed_and_removed_entries_are_found(path: Path, ledger: Ledger, statement: str) -> None:
    charge(ledger, PureDP("1/4"))
    (last,) = ledger.charge([Charge((PureDP("1/4"),))])
    ledger.close()
    database = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        database.execute(statement)
    database.executescript("DROP TRIGGER no_update; DROP TRIGGER no_delete")
    database.execute(statement)
    database.commit()
    database.close()
    with pytest.raises(LedgerError, match=r"damaged|older copy"), Ledger.open(path) as opened:
        opened.verify(last.to_dict())


@pytest.mark.parametrize(
    ("kind", "body", "budget", "spent"),
    [
        ("charge", {"charged": {"epsilon": "1/4"}}, "1", "1/4"),  # not added
        ("charge", {"charged": {"epsilon": "1/4"}}, "1", "3/8"),  # not all of it
        ("charge", {"charged": {"epsilon": "1/4"}}, "2", "1/2"),  # another budget
        ("charge", {"charged": {"epsilon": "1"}}, "1", "5/4"),  # more than the budget
        ("note", {"text": "refund"}, "1", "0"),
        ("budget", {"to": {"epsilon": "2"}}, "1", "1/4"),
        ("budget", {"to": {"epsilon": "1/8"}}, "1/8", "1/4"),
    ],
)
def test_sums_that_are_wrong_are_found_though_the_chain_holds(
    ledger: Ledger, kind: str, body: dict[str, Any], budget: str, spent: str
) -> None:
    charge(ledger, PureDP("1/4"))
    state = {"budget": {"epsilon": budget}, "spent": {"epsilon": spent}}
    ledger._store.append(lambda last: [store.Draft(kind, body, state, last.time)])
    with pytest.raises(LedgerError, match="sums of entry 3 are wrong"):
        ledger.verify()


# damage


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_truncated_file_is_refused_and_nothing_is_spent(
    path: Path, ledger: Ledger, share: float
) -> None:
    for _ in range(40):
        charge(ledger, PureDP("1/100"), purpose="x" * 200)
    ledger.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(LedgerError) as told:
        Ledger.open(path)
    assert str(path) in str(told.value)
    assert "Restore" in str(told.value) or "not a ledger" in str(told.value)
    with pytest.raises(LedgerError):
        charge(ledger, PureDP("1/100"))
    assert len(path.read_bytes()) <= len(whole) * share + 1


def test_a_file_cut_deleted_or_replaced_under_an_open_ledger_is_refused(
    path: Path, ledger: Ledger
) -> None:
    charge(ledger, PureDP("1/100"))
    whole = path.read_bytes()
    path.rename(path.with_name("away.db"))
    with pytest.raises(LedgerError, match="no ledger at"):
        charge(ledger, PureDP("1/100"))
    assert not path.exists()
    path.write_bytes(whole)
    with pytest.raises(LedgerError, match="replaced"):
        charge(ledger, PureDP("1/100"))
    path.unlink()
    path.with_name("away.db").rename(path)
    charge(ledger, PureDP("1/100"))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(LedgerError, match="shorter"):
        charge(ledger, PureDP("1/100"))


def test_a_file_marked_read_only_is_refused_for_everybody(path: Path, ledger: Ledger) -> None:
    path.chmod(0o444)
    with pytest.raises(LedgerError, match="read-only"):
        charge(ledger, PureDP("1/100"))
    assert ledger.spent == 0
    path.chmod(0o644)
    charge(ledger, PureDP("1/100"))


def test_left_over_logs_of_another_ledger_are_not_taken_up(path: Path) -> None:
    log = path.with_name("pay.db-wal")
    log.write_bytes(b"x" * 100)
    with pytest.raises(LedgerError, match="move it away"):
        Ledger.create(path, dataset="d", budget=PureDP(1))
    assert not path.exists()


def test_a_held_ledger_is_reported_busy(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leastnoise.accounting.connections.BUSY_SECONDS", 0.05)
    ledger.close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="busy"):
        charge(ledger, PureDP("1/100"))
    holder.execute("ROLLBACK")
    holder.close()
    charge(ledger, PureDP("1/100"))


# balances


def test_a_balance_of_one_number_is_a_number() -> None:
    one = Balance(epsilon=Fraction(1, 2))
    assert one == 0.5 == one
    assert float(one) == 0.5
    assert one < 1
    assert one >= Fraction(1, 2)
    assert one == Balance(epsilon=Fraction(1, 2))
    assert hash(one) == hash(Balance(epsilon=Fraction(1, 2)))
    assert one != "x"
    assert str(one) == "epsilon 0.5"
    assert str(Balance(epsilon=Fraction(1, 3))) == "epsilon 1/3"
    both = Balance(epsilon=Fraction(1), delta=Fraction(1, 10**6))
    assert both != 1
    assert str(both) == "epsilon 1, delta 0.000001"
    with pytest.raises(TypeError, match="more than one number"):
        float(both)
    with pytest.raises(TypeError):
        _ = one < None


def test_a_charge_is_on_disk_when_it_returns(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite waits for the disk at each commit that charges: its own answer to PRAGMA."""
    levels: list[int] = []
    insert = store._insert

    def watched(database: sqlite3.Connection, *rest: object) -> None:
        levels.append(database.execute("PRAGMA synchronous").fetchone()[0])
        insert(database, *rest)

    monkeypatch.setattr(store, "_insert", watched)
    charge(ledger, PureDP("1/2"))
    assert levels == [2]  # FULL


@pytest.mark.parametrize("wrong", [object(), -1, float("nan"), [], True, {"a": 1}, None])
def test_wrong_values_of_any_member_are_errors_of_this_library(wrong: Any, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.db", dataset="pay", budget=PureDP(2))
    new = {"path": tmp_path / "b.db", "dataset": "pay", "budget": PureDP(2)}
    calls = [
        lambda: Ledger.create(**{**new, "path": wrong}),
        lambda: Ledger.create(**{**new, "dataset": wrong}),
        lambda: Ledger.create(**{**new, "budget": wrong}),
        lambda: Ledger.open(wrong),
        lambda: ledger.note(wrong),
        lambda: ledger.change_budget(wrong, reason="more"),
        lambda: ledger.change_budget(PureDP(3), reason=wrong),
        lambda: ledger.charge([], table=wrong),
    ]
    if wrong is not None:
        calls.append(lambda: ledger.charge([], purpose=wrong))
    if wrong != []:
        calls.append(lambda: ledger.preview(wrong))
    before = ledger.remaining
    for call in calls:
        with pytest.raises((ParameterError, ParameterTypeError, LedgerError)):
            call()
    assert ledger.remaining == before


def test_evidence_that_is_no_text_is_named(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.db", dataset="pay", budget=PureDP(2))
    with pytest.raises(ParameterError, match="is not a JSON file"):
        ledger.verify(str(tmp_path / "a.db"))
