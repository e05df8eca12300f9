"""Where the answer cannot go out, or the data has gone: what is found before the charge costs
nothing, and after it the error says what was charged and how the answer is had.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import SchemaError
from leastnoise.session.door import pay
from support.engines import keep_open
from support.optional import optional

# Reason: these files and pipes are those of Linux and its kin.
pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")

USAGE, LOST = 2, 5
MEDIAN = ln.Median("pay", bounds=(0, 100))
ASKED = ["--stat", "median", "--column", "pay", "--bounds", "0", "100", "--epsilon", "1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pay.csv").write_text("pay\n" + "".join(f"{i}\n" for i in range(50)))
    ln.Ledger.create(tmp_path / "l.db", dataset="pay", budget=ln.PureDP(9)).close()
    (tmp_path / "plan.toml").write_text(
        """
[data]
file = "pay.csv"
[privacy]
total = 1
ledger = "l.db"
dataset = "pay"
[tables.all.statistics]
median = {statistic = "median", column = "pay", bounds = [0, 100]}
"""
    )
    return tmp_path


def spent(folder: Path) -> Any:
    with ln.Ledger.open(folder / "l.db") as ledger:
        return ledger.spent.epsilon


def run(folder: Path, *words: str, out: Any) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "leastnoise", *words],
        cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "bug in leastnoise" not in done.stderr
    return done.returncode, " ".join(done.stderr.split())


LEDGER = ["--ledger", "l.db", "--dataset", "pay"]


@pytest.mark.parametrize("form", [[], ["--json"], ["--group-by", "pay", "--keys", "pay=1,2"]])
def test_a_full_output_says_what_was_charged_and_how_to_have_it(
    folder: Path, form: list[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        code, error = run(folder, "release", "pay.csv", *ASKED, *LEDGER, *form, out=full)
    assert code == LOST
    assert "could not be written to standard output (No space left on device)" in error
    assert "Charged: epsilon 1 to the ledger of 'pay' as entry" in error
    assert "--reuse" in error
    assert spent(folder) == 1
    again = subprocess.run(
        [sys.executable, "-m", "leastnoise", "release", "pay.csv", *ASKED, *LEDGER, *form,
         "--reuse"],
        cwd=folder, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "from cache" in again.stdout
    assert spent(folder) == 1


def test_without_a_ledger_it_says_that_the_answer_is_lost(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        code, error = run(folder, "release", "pay.csv", *ASKED, out=full)
    assert code == LOST
    assert "its epsilon is spent" in error


def test_a_pipe_that_nobody_reads_is_found_before_the_charge(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        code, error = run(folder, "release", "pay.csv", *ASKED, *LEDGER, out=write)
    finally:
        os.close(write)
    assert (code, spent(folder)) == (USAGE, 0)
    assert "nothing reads standard output any more" in error


def test_a_closed_output_is_found_before_the_charge(folder: Path) -> None:
    words = " ".join([sys.executable, "-m", "leastnoise", "release", "pay.csv", *ASKED, *LEDGER])
    done = subprocess.run(
        ["/bin/sh", "-c", f"{words} >&-"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, spent(folder)) == (USAGE, 0)
    assert "standard output is closed" in done.stderr


def test_other_commands_name_the_output_and_no_fault(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        code, error = run(folder, "inspect", "pay.csv", out=full)
    assert code == USAGE
    assert "output cannot be read or written: No space left on device" in error


def test_a_plan_with_a_full_output_has_its_report(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        code, error = run(folder, "plan", "plan.toml", out=full)
    assert (code, spent(folder)) == (LOST, 1)
    assert "reuse = true" in error
    assert (folder / "plan.html").stat().st_size > 1000
    assert (folder / "plan.json").stat().st_size > 100


@pytest.mark.parametrize("out", ["/proc/report", "x" * 252])
def test_a_report_that_cannot_be_written_is_found_before_the_charge(folder: Path, out: str) -> None:
    code, error = run(folder, "plan", "plan.toml", "--out", out, out=subprocess.DEVNULL)
    assert (code, spent(folder)) == (USAGE, 0)
    assert re.search("cannot be (read or )?written", error)
    assert {path.suffix for path in folder.iterdir()} <= {".csv", ".db", ".toml"}


def opened(folder: Path, data: Any) -> ln.Session:
    return ln.open(data, ledger=folder / "l.db", dataset="pay")


def test_a_file_that_has_gone_since_it_was_added_costs_nothing(folder: Path) -> None:
    with opened(folder, folder / "pay.csv") as session:
        batch = session.batch()
        batch.add("all", {"m": MEDIAN}, epsilon=1)
        (folder / "pay.csv").unlink()
        with pytest.raises(SchemaError, match=r"pay.csv cannot be read"):
            batch.release()
        assert session.spent == 0


def test_a_connection_that_was_closed_since_costs_nothing(folder: Path) -> None:
    connection = keep_open(optional("duckdb").connect())
    connection.execute("CREATE TABLE t AS SELECT i::DOUBLE AS pay FROM range(50) r(i)")
    with opened(folder, connection.sql("SELECT * FROM t")) as session:
        batch = session.batch()
        batch.add("all", {"m": MEDIAN}, epsilon=1)
        connection.close()
        with pytest.raises(SchemaError, match="DuckDB could not run the query") as caught:
            batch.release()
        assert session.spent == 0
        assert not hasattr(caught.value, "__notes__")


def test_what_fails_after_the_charge_carries_a_note_of_it(folder: Path) -> None:
    pl = optional("polars")

    def fail(column: Any) -> Any:
        raise ValueError(f"a value was {column[0]}")

    rows = pl.LazyFrame({"pay": np.arange(1000) / 7}).with_columns(
        pl.col("pay").map_batches(fail, return_dtype=pl.Float64)
    )
    with opened(folder, rows) as session:
        with pytest.raises(SchemaError, match="could not run the query") as caught:
            session.release(MEDIAN, epsilon=1)
        (note,) = caught.value.__notes__
        assert "epsilon 1 as entry" in note
        assert "Nothing was released" in note
        assert session.spent == 1


def test_an_interrupt_after_the_charge_carries_it_too(folder: Path) -> None:
    from leastnoise.accounting.entries import Charge

    def interrupted(_: Any) -> Any:
        raise KeyboardInterrupt

    with ln.Ledger.open(folder / "l.db") as ledger:
        with pytest.raises(KeyboardInterrupt) as caught:
            pay(ledger, [Charge((ln.PureDP(1),))], interrupted, lambda made: [made], table="main")
        assert "epsilon 1 as entry" in caught.value.__notes__[0]
        assert ledger.spent == 1


def test_a_bar_that_cannot_be_shown_costs_no_answer(folder: Path) -> None:
    def broken(done: int, total: int) -> None:
        raise BrokenPipeError

    with opened(folder, folder / "pay.csv") as session:
        batch = session.batch()
        batch.add("all", {"m": MEDIAN}, epsilon=1)
        assert 0 <= batch.release(progress=broken)["all"]["m"].value <= 100
