"""A process's connections to ledgers, none of which is used or closed where that could lose one.

SQLite keeps the locks of a file, and where its log stands, in the memory of the process. That
memory is wrong in a forked child, which has the parent's but none of its locks, and wherever the
file or its log was deleted or replaced under an open connection: a charge would go into a log that
nobody reads, and closing could write an old log over newer entries or delete another's. So every
connection is closed before a fork, parent and child open their own when they next need one, and a
connection whose files are not those that it opened is kept for ever and its ledger refused.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from weakref import WeakSet

from leastnoise.accounting.faults import BUSY_SECONDS, damaged, log_lost, replaced, unusable_here

Identity = tuple[int, int]
"""Device and number of a file."""

LOGS: Final = ("-wal", "-shm")

_gate: Final = threading.Condition()
_working: Final = Counter[int]()
"""How deep each thread is in work with a ledger."""
_forking: Final = set[int]()
"""The threads that are about to fork; new work waits for them."""
_opened: Final = WeakSet["Connection"]()
_live: Final = Counter[int]()
"""How many connections each process has opened and not closed."""
_abandoned: Final = set[Identity]()
"""Files with a connection that this process can neither use nor close."""


@contextmanager
def working() -> Generator[None]:
    """While this lasts, no other thread forks this process."""
    thread = threading.get_ident()
    with _gate:
        _gate.wait_for(lambda: thread in _working or not _forking)
        _working[thread] += 1
    try:
        yield
    finally:
        with _gate:
            _working[thread] -= 1
            if not _working[thread]:
                del _working[thread]
            _gate.notify_all()


def identity(path: str | Path) -> Identity | None:
    """Which file has this name, or None."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


class Connection:
    """A connection with the process that opened it and the files that it is for."""

    def __init__(self, path: Path, status: os.stat_result) -> None:
        self.path, self.process = path, os.getpid()
        self.database: sqlite3.Connection | None = None
        self.file: Identity = status.st_dev, status.st_ino
        self.size = status.st_size
        forked = any(count for process, count in _live.items() if process != self.process)
        if forked or self.file in _abandoned:
            raise unusable_here(path)
        # mode=rw: a file that has gone is an error, never made anew
        self.database = sqlite3.connect(
            f"{path.as_uri()}?mode=rw",
            uri=True,
            isolation_level=None,
            timeout=BUSY_SECONDS,
            check_same_thread=False,  # so that whichever thread forks or ends last may close it
        )
        _live[self.process] += 1
        _opened.add(self)
        self.logs: dict[str, Identity | None] = {}
        self.sync = ""
        self.synchronise("FULL")
        self.application = self.database.execute("PRAGMA application_id").fetchone()[0]
        real = os.path.realpath(path)  # SQLite names the log by it
        self.logs = {f"{real}{suffix}": identity(f"{real}{suffix}") for suffix in LOGS}

    def synchronise(self, level: str) -> None:
        """How a commit reaches the disk: FULL before it returns, NORMAL with the next FULL one."""
        if level != self.sync and self.database is not None:
            self.database.execute(f"PRAGMA synchronous = {level}")
            self.sync = level

    def check(self, status: os.stat_result) -> None:
        """LedgerError where a file was deleted, replaced or cut under this connection."""
        if (status.st_dev, status.st_ino) != self.file:
            raise replaced(self.path)
        if status.st_size < self.size:
            raise damaged(self.path, "the file became shorter")
        self.size = status.st_size
        lost = self._lost_log()
        if lost is not None:
            raise log_lost(self.path, lost)

    def _lost_log(self) -> str | None:
        for log, opened in self.logs.items():
            if opened is not None and identity(log) != opened:
                return log
        return None

    def close(self) -> None:
        """Close it, or keep it for ever where that is the only safe thing to do."""
        database, self.database = self.database, None
        if database is None:
            return
        if self.process != os.getpid():
            _never_free(database)
        elif identity(self.path) != self.file or self._lost_log() is not None:
            _abandoned.add(self.file)
            _live[self.process] -= 1
            _never_free(database)
        else:
            _live[self.process] -= 1
            database.close()

    def __del__(self) -> None:
        if self.process != os.getpid():
            self.close()
        else:
            with _gate:  # no other thread forks meanwhile
                self.close()


def _never_free(database: sqlite3.Connection) -> None:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(database))


def _before_fork() -> None:
    """Wait until no other thread is at work, keep it so, and close what is open."""
    thread = threading.get_ident()
    _gate.acquire()
    _forking.add(thread)
    _gate.wait_for(lambda: set(_working) <= {thread})
    if thread not in _working:  # else it forks in the middle of its own work: the child refuses
        for connection in list(_opened):
            with suppress(sqlite3.Error):
                connection.close()


def _after_fork() -> None:
    _forking.discard(threading.get_ident())
    with suppress(RuntimeError):  # this module was imported while another thread was forking
        _gate.notify_all()
        _gate.release()


def _after_fork_in_child() -> None:
    _forking.clear()  # of its parent's threads it has only this one
    _after_fork()


if os.name == "posix":
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork,
        after_in_child=_after_fork_in_child,
    )
