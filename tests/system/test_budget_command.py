"""The command ``leastnoise budget``: what a privacy officer sees and does."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import pytest

import leastnoise as ln
from support.commands import Run, fresh, in_process


@pytest.fixture
def run(capsys, monkeypatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    return partial(in_process, capsys)


@pytest.fixture
def pay(tmp_path) -> str:
    file = tmp_path / "pay.csv"
    file.write_text("pay,age\n" + "\n".join(f"{i},{i % 9}" for i in range(200)), encoding="utf-8")
    return str(file)


@pytest.fixture
def ledger(run: Run, tmp_path: Path) -> str:
    path = str(tmp_path / "pay.db")
    assert run("budget", path, "--init", "pay-2026", "--epsilon", "2").code == 0
    return path


def spend(run: Run, pay: str, ledger: str, epsilon: str, *more: str) -> str:
    outcome = run(
        *("release", pay, "--stat", "count", "--epsilon", epsilon, "--json"),
        *("--ledger", ledger, "--dataset", "pay-2026", *more),
    )
    assert outcome.code == 0, outcome.err
    return outcome.out


def test_a_new_ledger_is_shown(run: Run, ledger: str):
    outcome = run("budget", ledger)
    assert outcome.code == 0
    assert "nothing has been released yet" in outcome.out
    assert "epsilon = 2" in outcome.out
    assert "whatever one row contains" in outcome.out
    assert ln.Ledger.open(ledger).dataset == "pay-2026"


def test_spent_remaining_and_every_release_are_shown(run: Run, pay: str, ledger: str):
    spend(run, pay, ledger, "1/2")
    spend(run, pay, ledger, "1/3")
    outcome = run("budget", ledger)
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert any("count of rows 0.5" in line for line in lines)
    assert any("count of rows 1/3" in line for line in lines)
    assert "spent epsilon = 5/6 (42% of the budget)" in lines
    assert "remaining epsilon = 7/6 (58% of the budget)" in lines
    told = json.loads(run("budget", ledger, "--json").out)
    assert told["spent"] == {"epsilon": "5/6"}
    assert [release["charged"]["epsilon"] for release in told["releases"]] == ["1/2", "1/3"]
    assert all(release["released"] for release in told["releases"])


def test_an_exceeded_budget_has_its_own_exit_code(run: Run, pay: str, ledger: str):
    spend(run, pay, ledger, "1.5")
    outcome = fresh(
        *("release", pay, "--stat", "count", "--epsilon", "1"),
        *("--ledger", ledger, "--dataset", "pay-2026"),
    )
    assert (outcome.code, outcome.out) == (3, "")
    assert "0.5 of 2 is left" in outcome.err
    assert json.loads(run("budget", ledger, "--json").out)["spent"] == {"epsilon": "3/2"}


def test_a_restored_copy_is_exposed_by_a_record_and_by_an_anchor(
    run: Run, pay: str, ledger: str, tmp_path: Path
):
    spend(run, pay, ledger, "1/2")
    ln.Ledger.open(ledger).close()
    backup = Path(ledger).read_bytes()
    record, anchor = tmp_path / "record.json", tmp_path / "anchor.json"
    record.write_text(spend(run, pay, ledger, "1/2"), encoding="utf-8")
    outcome = run("budget", ledger, "--verify", str(record), "--anchor", str(anchor))
    assert outcome.code == 0
    assert "hashes and sums are correct, and match" in " ".join(outcome.out.split())
    assert run("budget", ledger, "--verify", str(anchor), str(record)).code == 0
    Path(ledger).write_bytes(backup)
    assert run("budget", ledger).code == 0
    for evidence in (record, anchor):
        outcome = run("budget", ledger, "--verify", str(evidence))
        assert outcome.code == 2
        assert "older copy" in outcome.err


def test_the_budget_changes_with_a_reason_only(run: Run, pay: str, ledger: str):
    assert run("budget", ledger, "--epsilon", "3").code == 2
    assert run("budget", ledger, "--reason", "board").code == 2
    spend(run, pay, ledger, "2")
    told = ("--reason", "board, 3 May", "--note", "minutes 17", "--json")
    assert json.loads(run("budget", ledger, "--epsilon", "3", *told).out)["remaining"] == {
        "epsilon": "1"
    }
    assert run("budget", ledger, "--epsilon", "1", "--reason", "less").code == 2
    kinds = [entry.kind for entry in ln.Ledger.open(ledger).history]
    assert kinds == ["create", "table", "charge", "release", "budget", "note"]


def test_the_history_is_exported(run: Run, pay: str, ledger: str, tmp_path: Path):
    spend(run, pay, ledger, "1/2")
    lines, whole = tmp_path / "h.csv", tmp_path / "h.json"
    assert run("budget", ledger, "--export", str(lines)).code == 0
    assert run("budget", ledger, "--export", str(whole)).code == 0
    with lines.open(encoding="utf-8", newline="") as file:
        assert [row["epsilon"] for row in csv.DictReader(file)] == ["1/2"]
    assert json.loads(whole.read_text(encoding="utf-8"))["spent"] == {"epsilon": "1/2"}
    assert run("budget", ledger, "--export", str(tmp_path / "h.txt")).code == 2
    assert run("budget", ledger, "--export", str(tmp_path / "none" / "h.csv")).code == 2


@pytest.mark.parametrize(
    ("budget", "numbers"),
    [
        (("--epsilon", "2", "--delta", "1e-6"), {"epsilon": "2", "delta": "1/1000000"}),
        (("--rho", "1/2"), {"rho": "1/2"}),
    ],
)
def test_other_kinds_of_budget(run: Run, pay: str, tmp_path: Path, budget, numbers):
    path = str(tmp_path / "other.db")
    made = run("budget", path, "--init", "pay-2026", *budget, "--json")
    assert json.loads(made.out)["remaining"] == numbers
    spend(run, pay, path, "1/2")
    assert run("budget", path).code == 0


def test_relation_and_unit_are_set_once(run: Run, tmp_path: Path):
    path = str(tmp_path / "add.db")
    told = ("--relation", "add-remove", "--unit", "person")
    made = run("budget", path, "--init", "d", "--epsilon", "2", *told)
    assert "with or without one person" in " ".join(made.out.split())
    assert run("budget", path, *told).code == 2


@pytest.mark.parametrize(
    "line",
    [
        ("--init", "d"),
        ("--init", "d", "--delta", "1e-6"),
        ("--init", "d", "--epsilon", "0"),
        ("--init", "d", "--epsilon", "1,5"),
        ("--init", "d", "--epsilon", "1", "--rho", "1"),
        ("--init", "d", "--epsilon", "1", "--reason", "x"),
        ("--init", " ", "--epsilon", "1"),
        (),
    ],
)
def test_wrong_usage_makes_no_file(run: Run, tmp_path: Path, line):
    path = tmp_path / "new.db"
    outcome = run("budget", str(path), *line)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")
    assert not path.exists()


def test_an_existing_ledger_is_never_made_again(run: Run, pay: str, ledger: str):
    spend(run, pay, ledger, "1")
    assert run("budget", ledger, "--init", "pay-2026", "--epsilon", "9").code == 2
    assert json.loads(run("budget", ledger, "--json").out)["remaining"] == {"epsilon": "1"}


def test_table_purpose_and_reuse_reach_the_ledger(run: Run, pay: str, ledger: str):
    told = ("--table", "visits", "--purpose", "report 7")
    first = json.loads(spend(run, pay, ledger, "1/2", *told))
    again = json.loads(spend(run, pay, ledger, "1/2", *told, "--reuse"))
    assert [record["value"] for record in again] == [record["value"] for record in first]
    assert again[0]["tracked"].startswith("from cache")
    shown = " ".join(run("budget", ledger).out.split())
    assert "count of rows (visits)" in shown
    assert "report 7" in shown
    assert "spent epsilon = 0.5" in shown
    assert run("release", pay, "--stat", "count", "--epsilon", "1", "--reuse").code == 2
