"""A sparse vector under a budget: what is charged, for whom, when, and what is refused."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import sys
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import (
    BudgetExceededError,
    LedgerError,
    ParameterError,
    ParameterTypeError,
)
from leastnoise.testing import simulate


def ledger(folder: Path, budget: Any = 2, **options: str) -> Path:
    path = folder / "pay.db"
    limit = budget if isinstance(budget, ln.ZCDP) else ln.PureDP(budget)
    ln.Ledger.create(path, dataset="pay", budget=limit, **options).close()
    return path


def vector(path: object, **given: Any) -> ln.SparseVector:
    asked: dict[str, Any] = {"epsilon": 1, "threshold": 5, "dataset": "pay", **given}
    return ln.SparseVector(ledger=path, **asked)


def test_it_is_charged_whole_before_a_question(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    made = vector(path, answers=3, purpose="alarms", table="wards")
    with ln.Ledger.open(path) as book:
        assert book.spent == 1
        *_, entry, kept = book.history
        assert (entry.kind, kept.kind) == ("charge", "release")
        assert "noisy" not in str(kept.body)
        assert entry.body["purpose"] == "alarms"
        assert entry.body["table"] == "wards"
        assert entry.body["mechanism"] == "SparseVector"
        assert entry.body["draws"] == [made.guarantee.to_dict()]
        assert made.tracked == f"charged to the ledger of 'pay' as entry {entry.seq}"
        for value in (-(10**9), 10**9, 10**9, 10**9):
            made.above(value)
        assert book.spent == 1
        assert made.exhausted


def test_a_budget_that_does_not_suffice_is_refused_at_no_cost(tmp_path: Path) -> None:
    path = ledger(tmp_path, "3/2")
    vector(path)
    with pytest.raises(BudgetExceededError, match=r"needs epsilon 1 and 0\.5 of 1\.5 is left"):
        vector(path)
    with ln.Ledger.open(path) as book:
        assert book.spent == 1
        assert [entry.kind for entry in book.history].count("charge") == 1
    vector(path, epsilon="1/2")
    with ln.Ledger.open(path) as book:
        assert book.remaining == 0


def test_the_relation_is_that_of_the_questions(tmp_path: Path) -> None:
    assert ln.SparseVector(epsilon=1, threshold=0).guarantee == ln.PureDP(1)
    for relation in ("replace-one", "add-remove", "edit"):
        made = ln.SparseVector(epsilon=1, threshold=0, relation=relation)
        assert made.guarantee == ln.PureDP(1, ln.Scope(relation))
        assert made.tracked == "not tracked by a ledger"
    edge = ln.SparseVector(epsilon=1, threshold=0, relation="edge")
    assert str(edge.guarantee) == "PureDP(epsilon=1; edge, one edge)"
    path = ledger(tmp_path, relation="add-remove")
    assert vector(path).guarantee.scope.relation == "add-remove"


def test_a_ledger_of_another_relation_pays_what_it_must_or_refuses(tmp_path: Path) -> None:
    """One record more and one less: a changed record costs twice; never the other way."""
    path = ledger(tmp_path, relation="replace-one")
    made = vector(path, relation="add-remove")
    assert made.guarantee == ln.PureDP(1, ln.Scope("add-remove"))
    with ln.Ledger.open(path) as book:
        assert book.spent == 2
    (tmp_path / "other").mkdir()
    other = ledger(tmp_path / "other", relation="add-remove")
    with pytest.raises(LedgerError, match="add-remove"):
        vector(other, relation="replace-one")
    with ln.Ledger.open(other) as book:
        assert book.spent == 0


def test_a_ledger_of_persons_needs_their_unit(tmp_path: Path) -> None:
    path = ledger(tmp_path, unit="patient")
    with pytest.raises(LedgerError, match="protects one patient"):
        vector(path)
    made = vector(path, unit="patient")
    assert str(made.guarantee) == "PureDP(epsilon=1; replace-one, one patient)"
    with ln.Ledger.open(path) as book:
        assert book.spent == 1


def test_a_ledger_in_rho_is_charged_by_conversion(tmp_path: Path) -> None:
    path = ledger(tmp_path, ln.ZCDP(2))
    vector(path)
    with ln.Ledger.open(path) as book:
        assert book.spent.rho == Fraction(1, 2)


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"epsilon": 0}, ParameterError, "epsilon"),
        ({"threshold": "x"}, ParameterError, "threshold"),
        ({"answers": 0}, ParameterError, "answers"),
        ({"monotone": 1}, ParameterTypeError, "monotone"),
        ({"split": 0}, ParameterError, "split"),
        ({"relation": "remove"}, ParameterError, "relation"),
        ({"unit": 3}, ParameterTypeError, "unit"),
        ({"unit": " "}, ParameterError, "unit"),
        ({"table": ""}, ParameterError, "table"),
        ({"purpose": 3}, ParameterTypeError, "purpose"),
        ({"dataset": None}, ParameterError, "dataset"),
        ({"dataset": "other"}, LedgerError, "data set"),
    ],
)
def test_what_is_impossible_is_refused_at_no_cost(
    given: dict[str, Any], kind: type[Exception], told: str, tmp_path: Path
) -> None:
    path = ledger(tmp_path)
    with pytest.raises(kind, match=told):
        vector(path, **given)
    with ln.Ledger.open(path) as book:
        assert book.spent == 0


@pytest.mark.parametrize("given", [{"dataset": "pay"}, {"purpose": "alarms"}])
def test_what_is_for_a_ledger_needs_one(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="ledger="):
        ln.SparseVector(epsilon=1, threshold=0, **given)


def test_a_missing_ledger_is_never_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        vector(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_simulated_vector_debits_nothing(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    with simulate(1):
        made = vector(path)
    assert made.tracked == "not tracked by a ledger"
    with ln.Ledger.open(path) as book:
        assert book.spent == 0


def test_a_charged_vector_cannot_be_copied(tmp_path: Path) -> None:
    made = vector(ledger(tmp_path))
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="secret noise"):
            act(made)
    assert repr(made) == "SparseVector(answers=1, threshold=5)"


def test_threads_share_one_count_of_answers() -> None:
    """A switch between the look at what is left and the answer gave answers without end."""
    asked, threads = 400, 8
    given = 3
    for _ in range(5):
        made = ln.SparseVector(epsilon=given, threshold=0, answers=given)
        start = threading.Barrier(threads)
        positive: list[bool] = []

        def ask(made: ln.SparseVector = made, start: Any = start, found: Any = positive) -> None:
            start.wait()
            for _ in range(asked):
                with contextlib.suppress(RuntimeError):
                    found.append(made.above(10**6))

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-7)
        try:
            running = [threading.Thread(target=ask) for _ in range(threads)]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        assert positive == [True] * given
        assert made.exhausted


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_does_not_go_on_with_the_budget() -> None:
    made = ln.SparseVector(epsilon=1, threshold=0, answers=2)
    assert made.above(10**6)
    child = os.fork()
    if not child:
        try:
            made.above(10**6)
        except RuntimeError as error:
            os._exit(0 if "belongs to the process that made it" in str(error) else 2)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert made.above(10**6)
    assert made.exhausted


def test_a_simulated_vector_says_so_and_answers_only_in_a_simulation() -> None:
    with simulate(1):
        vector = ln.SparseVector(epsilon=1, threshold=100)
        assert vector.simulated
        assert repr(vector).startswith("SIMULATED, NOT PRIVATE: ")
        assert not vector.above(-(10**6))
    with pytest.raises(RuntimeError, match="not private"):
        vector.above(10**6)


def test_a_vector_is_not_asked_where_noise_is_public() -> None:
    vector = ln.SparseVector(epsilon=1, threshold=100)
    with simulate(1), pytest.raises(RuntimeError, match="outside simulate"):
        vector.above(10**6)
    assert not vector.simulated
    assert vector.above(10**6)
