"""The ledger among real processes: many at once, killed ones, forked ones, and a full disk."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import LedgerError

# Reason: Windows
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
PREAMBLE = """
import sys, os, time, signal
import numpy as np
import leastnoise as ln
from leastnoise.errors import BudgetExceededError, LedgerError
path = sys.argv[1]
data = np.arange(100)
median = ln.Median(bounds=(0, 100))
"""


def script(text: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start a fresh process that knows ``path``, ``data`` and ``median``."""
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + text, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def outcome(process: subprocess.Popen[str], seconds: float = 120) -> str:
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert process.returncode == 0, err
    return out


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "pay.db"
    ln.Ledger.create(made, dataset="pay", budget=ln.PureDP(1)).close()
    return made


@pytest.fixture
def ledger(path: Path) -> Iterator[ln.Ledger]:
    with ln.Ledger.open(path) as opened:
        yield opened


@forks
def test_sixteen_processes_of_fifty_releases_never_overspend_and_lose_none(
    path: Path, ledger: ln.Ledger
) -> None:
    """800 requests for 1/500 each: exactly 500 are served, in whatever order."""
    told = outcome(
        script(
            """
for _ in range(16):
    if os.fork():
        continue
    served = refused = 0
    with ln.open(data, ledger=path, dataset="pay") as session:
        for _ in range(50):
            try:
                record = session.release(median, epsilon="1/500")
                served += record.ledger["charged"] == {"epsilon": "1/500"}
            except BudgetExceededError:
                refused += 1
    os.write(1, f"{served} {refused}\\n".encode())  # in one piece
    sys.exit(0)
for _ in range(16):
    assert os.wait()[1] == 0
""",
            path,
        )
    )
    counts = [tuple(map(int, line.split())) for line in told.splitlines()]
    assert len(counts) == 16
    assert sum(served for served, _ in counts) == 500
    assert sum(refused for _, refused in counts) == 300
    assert ledger.remaining == 0
    assert ledger.verify() >= 1 + 2 * 500
    assert len(ledger.charges) == 500
    assert all(line.released for line in ledger.charges)


def test_a_kill_between_charge_and_output_stays_charged(path: Path, ledger: ln.Ledger) -> None:
    process = script(
        """
from leastnoise.frames.table import Table
def kill(*_):
    print("charged", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
Table.summarise = kill
ln.release(median, data, epsilon="0.6", ledger=path, dataset="pay")
""",
        path,
    )
    out, _ = process.communicate(timeout=60)
    assert out == "charged\n"
    assert process.returncode == -signal.SIGKILL
    assert ledger.spent == 0.6
    assert [line.released for line in ledger.charges] == [False]
    again = script(
        """
try:
    ln.release(median, data, epsilon="0.6", ledger=path, dataset="pay")
except BudgetExceededError as error:
    print(error)
""",
        path,
    )
    assert "0.4 of 1 is left" in outcome(again)
    assert ledger.verify() == 3


@forks
@pytest.mark.parametrize("kills", [20, pytest.param(100, marks=pytest.mark.nightly)])
def test_kills_at_random_moments_leave_a_sound_ledger_that_forgets_no_answer(
    path: Path, ledger: ln.Ledger, kills: int
) -> None:
    """Some while it is opened, some in the middle of a charge; the next process goes on."""
    told = outcome(
        script(
            """
import random
from fractions import Fraction
seen, moments = 0, random.Random(1)
for _ in range(int(sys.argv[2])):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with ln.open(data, ledger=path, dataset="pay") as session:
            os.write(write, b"o")
            while True:
                session.release(median, epsilon="1e-5")
                os.write(write, b"r")
    os.close(write)
    answers = os.read(read, 1) if moments.random() < 0.8 else b""
    time.sleep(moments.uniform(0, 0.05))
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    with open(read, "rb") as rest:
        answers += rest.read()
    seen += answers.count(b"r")
    with ln.Ledger.open(path) as ledger:
        ledger.verify()
        assert ledger.spent >= Fraction(seen, 10**5)
print(seen)
""",
            path,
            kills,
        )
    )
    assert ledger.spent.epsilon is not None
    assert ledger.spent.epsilon >= Fraction(int(told), 10**5) > 0
    ledger.verify()


@forks
def test_a_forked_child_and_its_parent_have_one_budget(ledger: ln.Ledger) -> None:
    from leastnoise.accounting import Charge

    charge = [Charge((ln.PureDP("0.25"),))]
    ledger.charge(charge)  # the parent's connection is open when it forks
    child = os.fork()
    if child == 0:
        code = 1
        try:
            ledger.charge(charge)
            grandchild = os.fork()
            if grandchild == 0:
                ledger.charge(charge)
                os._exit(0)
            code = os.waitpid(grandchild, 0)[1]
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    ledger.charge(charge)
    assert ledger.remaining == 0
    assert ledger.verify() == 5


@forks
def test_a_fork_in_the_middle_of_its_own_work_ends(path: Path) -> None:
    """By a signal's handler, say: it waits for other threads alone, and the parent goes on."""
    told = outcome(
        script(
            """
from leastnoise.accounting import Charge
from leastnoise.accounting.connections import working
ledger = ln.Ledger.open(path)
with working():
    ledger.charge([Charge((ln.PureDP("0.1"),))])
    child = os.fork()
    if child == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    ledger.charge([Charge((ln.PureDP("0.1"),))])
print(ledger.spent.epsilon, ledger.verify())
""",
            path,
        ),
        seconds=30,
    )
    assert told.split() == ["1/5", "3"]


@forks
def test_a_forked_child_that_ends_normally_leaves_the_log_alone(path: Path) -> None:
    """The interpreter's end in the child must not write the parent's old log over new entries."""
    told = outcome(
        script(
            """
from leastnoise.accounting import Charge
ledger = ln.Ledger.open(path)
charge = [Charge((ln.PureDP("0.1"),))]
ledger.charge(charge)
read, write = os.pipe()
if os.fork() == 0:
    os.close(write)
    os.read(read, 1)
    ledger.spent
    sys.exit(0)
os.close(read)
for _ in range(5):
    ledger.charge(charge)
ledger.close()
ledger.charge(charge)
os.write(write, b"x")
os.wait()
ledger.charge(charge)
print(ledger.spent, ledger.verify())
ledger.close()
""",
            path,
        )
    )
    assert told == "epsilon 0.8 9\n"


def _charge_in_another_process(ledger: ln.Ledger) -> str:
    from leastnoise.accounting import Charge

    (receipt,) = ledger.charge([Charge((ln.PureDP("0.25"),))])
    ledger.close()
    return receipt.head


def test_a_pickled_ledger_is_the_same_in_a_spawned_process(ledger: ln.Ledger) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        heads = pool.map(_charge_in_another_process, [pickle.loads(pickle.dumps(ledger))] * 4)
    assert len(set(heads)) == 4
    assert ledger.remaining == 0


@pytest.mark.parametrize("damage", ["truncated", "emptied", "deleted", "read-only", "garbage"])
def test_a_bad_file_releases_nothing_and_tells_the_cure(path: Path, damage: str) -> None:
    whole = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "emptied":
        path.write_bytes(b"")
    elif damage == "deleted":
        path.unlink()
    elif damage == "read-only":
        path.chmod(0o444)
    else:
        path.write_bytes(b"no database at all, but text " * 1000)
    told = outcome(
        script(
            """
try:
    print(ln.release(median, data, epsilon="0.1", ledger=path, dataset="pay"))
except LedgerError as error:
    print("refused:", error)
""",
            path,
        )
    )
    assert told.startswith("refused:")
    assert str(path) in told
    assert any(cure in told for cure in ("Restore", "create", "writable", "another path"))
    assert path.exists() == (damage != "deleted")
    if damage == "read-only":
        assert path.read_bytes() == whole


FULL_DISK = """
{prepare}
served = 0
try:
    with ln.open(data, ledger=path, dataset="pay") as session:
        for _ in range(2000):
            session.release(median, epsilon="1/4000", purpose="x" * 2000)
            served += 1
except LedgerError as error:
    print(served, "refused:", error)
"""


def _check_full(told: str, path: Path) -> None:
    served, _, error = told.partition(" refused: ")
    assert "disk is full or failing" in error
    assert str(path) in error
    assert int(served) < 2000
    with ln.Ledger.open(path) as after:
        assert after.verify() > 1
        spent = after.spent.epsilon
        assert spent is not None
        assert spent >= Fraction(int(served), 4000)


def test_a_limit_on_the_file_size_is_a_full_disk(path: Path) -> None:
    pytest.importorskip("resource")  # Reason: Windows has no such limits
    prepare = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
"""
    _check_full(outcome(script(FULL_DISK.format(prepare=prepare), path)), path)


def test_a_full_file_system_releases_nothing_more(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = sys.platform == "linux" and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not mounted or mounted.returncode:
        pytest.skip("mounting a small file system needs an administrator on Linux")
    try:
        path = folder / "pay.db"
        ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(1)).close()
        told = outcome(script(FULL_DISK.format(prepare=""), path))
        _check_full(told, path)
        with ln.Ledger.open(path) as ledger, pytest.raises(LedgerError, match="disk is full"):
            ledger.note("x" * 600_000)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_process_waits_for_its_turn(path: Path, ledger: ln.Ledger) -> None:
    process = script(
        """
import sqlite3
holder = sqlite3.connect(path, isolation_level=None)
holder.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(0.5)
holder.execute("ROLLBACK")
holder.close()
""",
        path,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    median = ln.Median(bounds=(0, 9))
    ln.release(median, [1, 2, 3], epsilon="0.1", ledger=ledger, dataset="pay")
    assert ledger.spent == 0.1
    process.communicate(timeout=30)
