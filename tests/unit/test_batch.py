"""Several tables of one data set: each is answered from its own rows, as they were when charged."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.frames import open_table

DATA = {"sex": ["f"] * 30 + ["m"] * 12, "age": np.arange(42), "user": np.repeat(np.arange(21), 2)}
MUCH = 10**6  # an epsilon at which a count is the count
ROWS = {"n": ln.Count()}


@pytest.mark.parametrize("data", [DATA, open_table(DATA)], ids=["columns", "opened"])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_every_table_is_of_its_own_rows(data: object, order: tuple[int, ...]) -> None:
    """Of a table that was opened before, all answers came from the rows of the first."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("all", {}),
        ("young", {"where": ln.col("age") < 10}),
        ("sexes", {"groups": {"sex": ["f", "m"]}}),
    ]
    with ln.open(data, relation="add-remove") as session:
        batch = session.batch()
        for i in order:
            name, rows = asked[i]
            batch.add(name, ROWS, epsilon=MUCH, **rows)
        made = batch.release()
    assert made["all"]["n"].value == 42
    assert made["young"]["n"].value == 10
    assert [made["sexes"][key]["n"].value for key in ("f", "m")] == [30, 12]


@pytest.mark.parametrize("given", [{}, {"epsilon": 1, "charge": 1}], ids=["neither", "both"])
def test_a_table_is_paid_for_in_one_way(given: dict[str, int]) -> None:
    with ln.open(DATA) as session, pytest.raises(ParameterError, match="either epsilon="):
        session.batch().add("all", ROWS, **given)


def test_tables_of_persons_are_divided_each_for_itself() -> None:
    with ln.open(open_table(DATA), relation="add-remove", unit="user", max_rows=1) as session:
        batch = session.batch()
        batch.add("old", {"n": ln.Count(), "oldest": ln.Count("age")}, epsilon=MUCH)
        batch.add("young", ROWS, epsilon=MUCH, where=ln.col("age") < 11)
        made = batch.release()
    assert (made["old"]["n"].value, made["old"]["oldest"].value) == (21, 21)
    assert made["young"]["n"].value == 6


def test_a_table_that_is_added_while_others_are_drawn_waits(tmp_path: Path) -> None:
    """The tables that were charged are the ones that are answered."""
    path = tmp_path / "l.db"
    ln.Ledger.create(path, dataset="d", budget=ln.PureDP(10)).close()
    with ln.open(DATA, ledger=path, dataset="d") as session:
        batch = session.batch()
        batch.add("first", ROWS, epsilon=1)
        batch.add("second", ROWS, epsilon=1)

        def add_another(done: int, total: int) -> None:
            batch.add(f"added {done}", {"m": ln.Count()}, epsilon=1)

        made = batch.release(progress=add_another)
        assert list(made) == ["first", "second"]
        assert session.spent == 2


def test_threads_share_a_session_and_its_batch(tmp_path: Path) -> None:
    """Every release is charged once and answered from its own rows, whoever else releases."""
    path = tmp_path / "l.db"
    ln.Ledger.create(path, dataset="d", budget=ln.PureDP(10**9), relation="add-remove").close()
    found: list[tuple[int, ...]] = []
    with ln.open(DATA, ledger=path, dataset="d") as session:
        batch = session.batch()
        batch.add("all", ROWS, epsilon=MUCH)
        batch.add("sexes", ROWS, epsilon=MUCH, groups={"sex": ["f", "m"]})

        def work() -> None:
            for _ in range(4):
                young = session.where(ln.col("age") < 10).release(ln.Count(), epsilon=MUCH)
                made = batch.release()
                values = [young, made["all"]["n"], *(made["sexes"][key]["n"] for key in "fm")]
                found.append(tuple(int(one.value) for one in values))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(10, 42, 30, 12)] * 16
        assert session.spent == 16 * 3 * MUCH
        assert session.ledger is not None
        session.ledger.verify()


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("max_groups", [None, 1, 3])
def test_tables_are_charged_what_was_asked_and_what_the_preview_says(
    relation: str, max_groups: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "l.db"
    people: Any = {} if max_groups is None else {"unit": "user", "max_rows": 4}
    scope: Any = {"relation": relation, "unit": people.get("unit", "row")}
    ln.Ledger.create(path, dataset="d", budget=ln.PureDP(10), **scope).close()
    ages = {"age": [*range(20)]}
    options: Any = {"relation": relation, "ledger": path, "dataset": "d", **people}
    with ln.open(DATA, **options) as session:
        batch = session.batch()
        batch.add("ages", ROWS, charge=2, groups=ages, max_groups=max_groups)
        batch.add("all", {"n": ln.Count(), "old": ln.Count("age")}, charge="1/2")
        each = batch.add("few", ROWS, epsilon="1/4", groups={"sex": ["f"]}, max_groups=max_groups)
        told = {name: batch.charge(name).epsilon for name in ("ages", "all", "few")}
        assert told == {"ages": 2, "all": Fraction(1, 2), "few": Fraction(1, 4)}
        assert each == Fraction(1, 4)
        assert batch.charge().epsilon == Fraction(11, 4)
        batch.release()
        assert session.spent == Fraction(11, 4)
