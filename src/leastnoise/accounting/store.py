"""One SQLite file as an append-only, hash-chained list of entries.

Every entry names the entry before it by its hash, so a changed, lost or restored entry shows: the
*head*, the hash of the last entry, stands for the whole history. A commit is on disk before it
returns (write-ahead log, synchronous=FULL). A store holds a path and remembers the last entry that
it saw: a file that is put back to an older copy is refused. Each process and thread has a
connection of its own.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from time import sleep
from typing import Any, Final

from leastnoise.accounting.connections import LOGS, Connection, working
from leastnoise.accounting.faults import (
    damaged,
    explained,
    missing,
    put_back,
    read_only,
    several_names,
)
from leastnoise.errors import LedgerError

GENESIS: Final = "0" * 64
_APPLICATION: Final = 0x6C6E6C67  # "lnlg"
_TABLES: Final = """
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    label TEXT,
    head TEXT NOT NULL
);
CREATE INDEX labels ON entries (label, seq) WHERE label IS NOT NULL;
CREATE TRIGGER no_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
_COLUMNS: Final = "seq, time, kind, body, state, label, head"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it is stored. ``state`` is what holds after it; ``label`` finds it again."""

    seq: int
    time: str
    kind: str
    body: dict[str, Any]
    state: dict[str, Any]
    label: str | None
    head: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be appended."""

    kind: str
    body: dict[str, Any]
    state: dict[str, Any]
    time: str
    label: str | None = None


def canonical(value: object) -> str:
    """One text for one value, whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def chain(before: str, seq: int, draft: Draft) -> str:
    """The hash of an entry and of everything before it."""
    fields = [before, seq, draft.time, draft.kind, draft.body, draft.state, draft.label]
    return sha256(canonical(fields).encode()).hexdigest()


class Store:
    """The file at ``path``; equal paths are the same store in every process and thread."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(path))
        self._local = threading.local()
        self._seen = 0, GENESIS

    def create(self, first: Draft) -> None:
        """Make the file with its first entry, whole or not at all; never over another file."""
        logs = [Path(f"{self.path}{suffix}") for suffix in (*LOGS, "-journal")]
        left_over = next((log for log in logs if log.exists()), None)
        if self.path.exists():  # asked last: a log without its ledger belongs to nobody
            raise self._exists()
        if left_over is not None:
            raise LedgerError(f"{left_over} already exists: move it away first")
        draft = Path(f"{self.path}.{os.getpid()}.{threading.get_ident()}.new")
        try:
            with self._errors():
                self._fill(draft, first)
                _place(draft, self.path)
                _sync_folder(self.path.parent)
        except FileExistsError:
            raise self._exists() from None
        finally:
            with suppress(OSError):
                draft.unlink()

    def _exists(self) -> LedgerError:
        return LedgerError(f"{self.path} already exists: open it, or choose another name")

    def _fill(self, path: Path, first: Draft) -> None:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        database = sqlite3.connect(path, isolation_level=None)
        try:
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            if database.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                raise LedgerError(
                    f"{self.path}: a ledger needs a local disk; choose another folder"
                )
            database.execute("PRAGMA synchronous = FULL")
            database.executescript(_TABLES)
            _insert(database, 1, first, chain(GENESIS, 1, first))
        finally:
            database.close()

    def append(
        self, make: Callable[[Entry], Sequence[Draft]], *, durable: bool = True
    ) -> list[Entry]:
        """Add what ``make`` returns for the last entry, in one transaction.

        No other process can add an entry between the look at the last one and the commit. If
        ``make`` raises, nothing is written. A ``durable`` commit is on disk when this returns, with
        all before it; any other survives the end of the process, but perhaps no loss of power.
        """
        with self._errors():
            connection, database = self._connection(writing=True)
            connection.synchronise("FULL" if durable else "NORMAL")
            database.execute("BEGIN IMMEDIATE")
            try:
                last = self._last(database)
                added: list[Entry] = []
                head, seq = last.head, last.seq
                for draft in make(last):
                    seq, head = seq + 1, chain(head, seq + 1, draft)
                    _insert(database, seq, draft, head)
                    added.append(
                        Entry(
                            seq, draft.time, draft.kind, draft.body, draft.state, draft.label, head
                        )
                    )
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
            connection.check(self._status())
            self._see(seq, head)
            return added

    def last(self) -> Entry:
        """The last entry."""
        with self._errors():
            return self._last(self._database())

    def at(self, seq: int) -> Entry | None:
        """The entry of this number, or None."""
        with self._errors():
            found = self._database().execute(
                f"SELECT {_COLUMNS} FROM entries WHERE seq = ?", (seq,)
            )
            row = found.fetchone()
            return None if row is None else _row(self.path, row)

    def find(self, label: str) -> Entry | None:
        """The last entry with this label, or None."""
        with self._errors():
            query = f"SELECT {_COLUMNS} FROM entries WHERE label = ? ORDER BY seq DESC LIMIT 1"
            row = self._database().execute(query, (label,)).fetchone()
            return None if row is None else _row(self.path, row)

    def entries(self) -> list[Entry]:
        """All entries, checked: each names the one before it.

        Raises
        ------
        LedgerError
            If an entry was changed, removed or inserted.
        """
        with self._errors():
            database = self._database()
            rows = [
                _row(self.path, r)
                for r in database.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY 1")
            ]
            head = GENESIS
            for number, row in enumerate(rows, 1):
                head = chain(head, number, _draft(row))
                if row.seq != number or row.head != head:
                    raise damaged(self.path, f"entry {number} does not follow from those before")
            if not rows:
                raise damaged(self.path, "it has no entries")
            return rows

    def check_pages(self) -> None:
        """Have SQLite read every page; LedgerError if one is damaged."""
        with self._errors():
            found = self._database().execute("PRAGMA integrity_check(1)").fetchone()
            if found != ("ok",):
                raise damaged(self.path, "SQLite finds damaged pages")

    def close(self) -> None:
        """Close this thread's connection; the next use opens another."""
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            self._local.connection = None
            with self._errors():
                connection.close()

    def _connection(self, *, writing: bool = False) -> tuple[Connection, sqlite3.Connection]:
        status = self._status()
        if writing and not status.st_mode & 0o222:  # heeded for an administrator too
            raise read_only(self.path)
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None or connection.process != os.getpid() or connection.database is None:
            connection = Connection(self.path, status)
            if connection.application != _APPLICATION:
                connection.close()
                raise LedgerError(f"{self.path} is a database, but not a ledger; give another path")
            self._local.connection = connection
        else:
            connection.check(status)
        if connection.database is None:
            raise sqlite3.ProgrammingError("the connection is closed")
        return connection, connection.database

    def _database(self) -> sqlite3.Connection:
        return self._connection()[1]

    def _status(self) -> os.stat_result:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            raise missing(self.path) from None
        if not S_ISREG(status.st_mode):
            raise LedgerError(f"{self.path} is not a file; give the path of a ledger")
        return status if status.st_nlink < 2 else self._of_one_name()

    def _of_one_name(self) -> os.stat_result:
        """The same of a file that had another name, as one has for a moment when it is made."""
        for _ in range(100):
            status = self.path.stat()
            if status.st_nlink < 2:
                return status
            sleep(0.01)
        raise several_names(self.path)

    def _last(self, database: sqlite3.Connection) -> Entry:
        number, seen = self._seen  # before the look at the file, which may hold later ones
        query = f"SELECT {_COLUMNS} FROM entries ORDER BY seq DESC LIMIT 2"
        rows = [_row(self.path, r) for r in database.execute(query)]
        if not rows:
            raise damaged(self.path, "it has no entries")
        last = rows[0]
        before = rows[1].head if len(rows) == 2 else GENESIS
        if last.head != chain(before, last.seq, _draft(last)):
            raise damaged(self.path, f"entry {last.seq} does not follow from those before")
        if number:
            query = "SELECT head FROM entries WHERE seq = ?"
            if database.execute(query, (number,)).fetchone() != (seen,):
                raise put_back(self.path, number)
        self._see(last.seq, last.head)
        return last

    def _see(self, seq: int, head: str) -> None:
        """Remember the last entry; another thread may have seen a later one."""
        self._seen = max(self._seen, (seq, head))

    @contextmanager
    def _errors(self) -> Generator[None]:
        """Whatever goes wrong with the file becomes a LedgerError with its path and the cure."""
        try:
            with working():
                yield
        except sqlite3.Error as error:
            raise explained(self.path, error) from None
        except FileExistsError:
            raise
        except OSError as error:
            raise LedgerError(f"{self.path}: {error.strerror}; nothing was released") from None


def _insert(database: sqlite3.Connection, seq: int, draft: Draft, head: str) -> None:
    body, state = canonical(draft.body), canonical(draft.state)
    values = (seq, draft.time, draft.kind, body, state, draft.label, head)
    database.execute(f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def _row(path: Path, fields: Sequence[Any]) -> Entry:
    seq, time, kind, body, state, label, head = fields
    try:
        return Entry(seq, time, kind, json.loads(body), json.loads(state), label, head)
    except (ValueError, TypeError):
        raise damaged(path, f"entry {seq} cannot be read") from None


def _draft(row: Entry) -> Draft:
    return Draft(row.kind, row.body, row.state, row.time, row.label)


def _place(draft: Path, path: Path) -> None:
    """Give the finished file its name; FileExistsError where another process was faster."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(path) from None
        draft.rename(path)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
