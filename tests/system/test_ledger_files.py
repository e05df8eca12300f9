"""A ledger's file while it is in use: forks, lost logs, older copies, users, the clock, length."""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.accounting import Charge, connections, store
from leastnoise.errors import LedgerError

CHARGE = [Charge((ln.PureDP("1/1000"),))]
LOGS = ("-wal", "-shm")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "pay.db"
    ln.Ledger.create(made, dataset="pay", budget=ln.PureDP(1)).close()
    return made


@pytest.fixture
def ledger(path: Path) -> Iterator[ln.Ledger]:
    with ln.Ledger.open(path) as opened:
        yield opened


def in_child(work: Callable[[], object]) -> Callable[[], int]:
    """Do this in a forked child; what is returned waits for its end."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return lambda: os.waitpid(child, 0)[1]


class Turns:
    """Two processes that take turns."""

    def __init__(self) -> None:
        self.pipes = {"parent": os.pipe(), "child": os.pipe()}

    def give(self, side: str) -> None:
        os.write(self.pipes[side][1], b"x")

    def take(self, side: str) -> None:
        pipe = self.pipes[side][0]
        assert select.select([pipe], [], [], 30)[0], "the other process has failed"
        os.read(pipe, 1)

    def __del__(self) -> None:
        for pipe in self.pipes.values():
            os.close(pipe[0])
            os.close(pipe[1])


# forks


@forks
@pytest.mark.parametrize("closing", ["parent", "child", "both"])
def test_after_a_fork_a_close_on_either_side_loses_no_charge(
    ledger: ln.Ledger, closing: str
) -> None:
    """The last to close deletes the log: a child without locks would write to a deleted one."""
    turns = Turns()
    ledger.charge(CHARGE)  # a connection is open when it forks

    def child() -> None:
        ledger.charge(CHARGE)
        turns.give("parent")
        turns.take("child")
        if closing != "parent":
            ledger.close()
        ledger.charge(CHARGE)
        turns.give("parent")
        turns.take("child")
        ledger.charge(CHARGE)

    end = in_child(child)
    turns.take("parent")
    if closing != "child":
        ledger.close()
    ledger.charge(CHARGE)
    turns.give("child")
    turns.take("parent")
    ledger.charge(CHARGE)
    turns.give("child")
    assert end() == 0
    assert ledger.spent == Fraction(6, 1000)
    ledger.close()
    assert ledger.verify() == 7


@forks
def test_a_fork_while_other_threads_charge_loses_nothing(ledger: ln.Ledger) -> None:
    stop, made = threading.Event(), [0]
    little = [Charge((ln.PureDP("1/1000000"),))]  # the thread spends no budget before it stops

    def work() -> None:
        while not stop.is_set():
            ledger.charge(little)
            made[0] += 1
        ledger.close()

    thread = threading.Thread(target=work)
    thread.start()
    ends = [in_child(lambda: ledger.charge(little)) for _ in range(8)]
    assert [end() for end in ends] == [0] * 8
    stop.set()
    thread.join()
    assert ledger.spent == Fraction(made[0] + 8, 1_000_000)
    assert ledger.verify() == 1 + made[0] + 8


@forks
def test_a_fork_waits_until_no_other_thread_is_at_work() -> None:
    at_work, forked = threading.Event(), threading.Event()
    go_on = threading.Event()

    def work() -> None:
        with connections.working():
            at_work.set()
            go_on.wait(30)

    def fork() -> None:
        in_child(lambda: None)()
        forked.set()

    threads = [threading.Thread(target=one) for one in (work, fork)]
    threads[0].start()
    assert at_work.wait(30)
    threads[1].start()
    assert not forked.wait(0.3)
    go_on.set()
    assert forked.wait(30)
    for thread in threads:
        thread.join()


@forks
def test_a_child_of_a_fork_that_python_did_not_see_is_refused(ledger: ln.Ledger) -> None:
    def work() -> None:
        ledger.charge(CHARGE)
        child = ctypes.PyDLL(None).fork()
        if child == 0:
            code = 1
            try:
                for use in (lambda: ledger.charge(CHARGE), lambda: ln.Ledger.open(ledger.path)):
                    with pytest.raises(LedgerError, match="cannot be used in this process"):
                        use()
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        ledger.charge(CHARGE)

    assert in_child(work)() == 0
    assert ledger.spent == Fraction(2, 1000)


# files


@pytest.mark.parametrize("suffix", LOGS)
def test_nothing_is_charged_to_a_log_that_was_deleted(
    path: Path, ledger: ln.Ledger, suffix: str
) -> None:
    (receipt,) = ledger.charge(CHARGE)
    Path(f"{path}{suffix}").unlink()
    for _ in range(2):
        with pytest.raises(LedgerError, match=r"deleted or replaced.*budget --verify"):
            ledger.charge(CHARGE)
    ledger.close()
    with pytest.raises(LedgerError, match="in a new process"):
        ledger.charge(CHARGE)
    shutil.copy(path, path.with_name("copy.db"))  # what another process finds
    with ln.Ledger.open(path.with_name("copy.db")) as found:
        with pytest.raises(LedgerError, match="older copy"):
            found.verify(receipt.to_dict())
        assert found.verify() == 1


def test_closing_a_ledger_that_was_replaced_leaves_the_log_of_the_new_one(
    path: Path, ledger: ln.Ledger
) -> None:
    ledger.charge(CHARGE)
    for suffix in ("", *LOGS):
        Path(f"{path}{suffix}").rename(f"{path}.away{suffix}")
    with ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(1)) as new:
        new.charge(CHARGE)
        with pytest.raises(LedgerError, match="replaced"):
            ledger.charge(CHARGE)
        ledger.close()
        assert all(Path(f"{path}{suffix}").exists() for suffix in LOGS)
        new.charge(CHARGE)
    with ln.Ledger.open(path) as again:
        assert again.spent == Fraction(2, 1000)


def test_a_file_put_back_to_an_older_copy_is_refused_while_the_ledger_is_known(
    path: Path, ledger: ln.Ledger
) -> None:
    ledger.close()
    copy = path.read_bytes()
    (receipt,) = ledger.charge(CHARGE)
    ledger.close()
    newest = path.read_bytes()
    path.write_bytes(copy)
    for _ in range(2):
        with pytest.raises(LedgerError, match=r"put back to an older copy.*entry 2"):
            ledger.charge(CHARGE)
    with pytest.raises(LedgerError, match="put back"):
        assert ledger.remaining
    with ln.Ledger.open(path) as other:  # it saw nothing; and so the copies part
        other.charge(CHARGE)
    with pytest.raises(LedgerError, match="put back"):
        ledger.charge(CHARGE)
    ledger.close()
    path.write_bytes(newest)
    ledger.charge(CHARGE)
    assert ledger.verify(receipt.to_dict()) == 3


def test_a_file_overwritten_under_an_open_ledger_forgets_no_charge(
    path: Path, ledger: ln.Ledger
) -> None:
    ledger.close()
    copy = path.read_bytes()
    ledger.charge(CHARGE)
    with path.open("r+b") as file:  # the log beside it still holds the charge
        file.write(copy)
    ledger.charge(CHARGE)
    ledger.close()
    assert ledger.spent == Fraction(2, 1000)
    assert ledger.verify() == 3


@forks
def test_of_many_that_create_a_ledger_one_does(tmp_path: Path) -> None:
    path, turns = tmp_path / "pay.db", Turns()

    def create() -> None:
        turns.take("child")
        try:
            ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(1)).charge(CHARGE)
        except LedgerError as error:
            if "pay.db already exists: open it" in str(error):
                ln.Ledger.open(path).charge(CHARGE)

    ends = [in_child(create) for _ in range(8)]
    for _ in ends:
        turns.give("child")
    assert [end() for end in ends] == [0] * 8
    with ln.Ledger.open(path) as ledger:
        assert ledger.verify() == 1 + 8
        assert ledger.spent == Fraction(8, 1000)
    assert [file.name for file in tmp_path.iterdir()] == ["pay.db"]


# users


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs two users")
@pytest.mark.parametrize("may_write", [True, False])
def test_two_users_share_a_ledger_that_both_may_write(may_write: bool) -> None:
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "pay.db")
    ledger = ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(1))
    os.chmod(folder.name, 0o777 if may_write else 0o755)
    path.chmod(0o666 if may_write else 0o644)

    def other() -> None:
        os.setgid(65534)
        os.setuid(65534)
        for attempt in (ledger, ln.Ledger.open(path) if may_write else ledger):
            if may_write:
                attempt.charge(CHARGE)
            else:
                with pytest.raises(LedgerError, match=r"pay\.db.*writable"):
                    attempt.charge(CHARGE)

    assert in_child(other)() == 0
    ledger.charge(CHARGE)
    assert in_child(other)() == 0
    assert ledger.spent == Fraction(5 if may_write else 1, 1000)
    ledger.verify()
    ledger.close()
    folder.cleanup()


# time and length


def test_a_clock_that_is_set_back_changes_no_order_and_no_sum(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    (late,) = ledger.charge(CHARGE)
    monkeypatch.setattr("leastnoise.accounting.ledger.now", lambda: "2001-01-01T00:00:00+00:00")
    (early,) = ledger.charge(CHARGE)
    assert (late.entry, early.entry) == (2, 3)
    assert late.time > early.time
    assert ledger.verify(late.to_dict(), early.to_dict()) == 3
    assert [line.entry for line in ledger.charges] == [2, 3]
    assert ledger.spent == Fraction(2, 1000)


@pytest.mark.parametrize(
    "entries", [1_000, pytest.param(100_000, marks=pytest.mark.nightly, id="many")]
)
def test_after_many_entries_what_remains_is_found_as_fast(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch, entries: int
) -> None:
    """SQLite's own count of its steps."""
    steps = [0]
    connect = sqlite3.connect

    def counted(*arguments: Any, **options: Any) -> sqlite3.Connection:
        database = connect(*arguments, **options)
        database.set_progress_handler(lambda: steps.__setitem__(0, steps[0] + 1), 1)
        return database

    ledger.close()
    monkeypatch.setattr(sqlite3, "connect", counted)

    def cost() -> int:
        ledger.charge(CHARGE)
        steps[0] = 0
        spent = ledger.spent.epsilon
        assert spent is not None
        assert ledger.remaining == 1 - spent
        return steps[0]

    before = cost()
    assert before > 0
    ledger._store.append(
        lambda last: [store.Draft("note", {"text": "x"}, last.state, last.time)] * entries
    )
    assert cost() <= before + 8
    assert ledger._store.last().seq == entries + 3


def test_a_ledger_of_several_names_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "a.db", tmp_path / "b.db"
    ledger = ln.Ledger.create(path, dataset="d", budget=ln.PureDP(3), relation="add-remove")
    with ln.open([1.0], ledger=ledger, dataset="d", relation="add-remove") as data:
        os.link(path, other)
        for name in (path, other):
            with pytest.raises(LedgerError, match="has other names"):
                ln.Ledger.open(name)
        with pytest.raises(LedgerError, match="has other names"):
            data.release(ln.Count(), epsilon=1)
        other.unlink()
        data.release(ln.Count(), epsilon=1)
        assert data.spent.epsilon == 1


def test_a_ledger_that_was_moved_without_its_log_is_told(path: Path, ledger: ln.Ledger) -> None:
    ledger.charge(CHARGE)
    path.rename(path.with_name("moved.db"))
    with pytest.raises(LedgerError, match=r"its log pay.db-wal is there"):
        ln.Ledger.open(path)
    path.with_name("moved.db").rename(path)
    assert ledger.spent == Fraction(1, 1000)


# at every moment of a charge


def _replaced(path: Path) -> None:
    """Put another ledger in its place, as a restored backup is."""
    for suffix in ("", *LOGS):
        Path(f"{path}{suffix}").rename(f"{path}.away{suffix}")
    with ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(1)):
        pass


LOSSES: dict[str, Callable[[Path], object]] = {
    "the log deleted": lambda path: Path(f"{path}-wal").unlink(),
    "the index deleted": lambda path: Path(f"{path}-shm").unlink(),
    "the file deleted": Path.unlink,
    "the file moved": lambda path: path.rename(f"{path}.away"),
    "another ledger": _replaced,
}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_charge_that_returns_is_what_others_find_whenever_the_file_goes(
    tmp_path: Path, loss: str
) -> None:
    """The files go before each statement of the charge in turn."""
    moment, reached = 0, True
    while reached:
        path, reached = tmp_path / f"{moment}.db", False
        ln.Ledger.create(path, dataset="pay", budget=ln.PureDP(1)).close()
        with ln.Ledger.open(path) as ledger:
            ledger.charge(CHARGE)
            left = [LOSSES[loss], *[str] * moment]

            def stand(_: str, path: Path = path, left: list[Any] = left) -> None:
                nonlocal reached
                if left:
                    left.pop()(path)
                    reached = not left

            database = ledger._store._database()
            database.set_trace_callback(stand)
            try:
                ledger.charge(CHARGE)
            except LedgerError:
                assert reached
            else:
                with ln.Ledger.open(path) as other:
                    assert other.spent == Fraction(2, 1000)
            database.set_trace_callback(None)
        moment += 1
    assert moment > 3  # a lock, a look, an entry, and the commit
