"""One SQLite file as an append-only, hash-chained list of entries.

Every entry names the entry before it by its hash, so a changed, lost or restored entry shows: the
*head*, the hash of the last entry, stands for the whole history. A commit is on disk before it
returns (write-ahead log, synchronous=FULL). A store holds a path; each process and thread has a
connection of its own, and a connection that came through a fork is never used nor closed, because
either can damage the file.
"""

from __future__ import annotations

import ctypes
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
from typing import Any, Final

from leastnoise.accounting.faults import BUSY_SECONDS, damaged, explained, missing, read_only
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


class _Connection:
    """A connection with the process that opened it and the file that it is for."""

    def __init__(self, path: Path, status: os.stat_result) -> None:
        self.process = os.getpid()
        self.database: sqlite3.Connection | None = None
        self.file = status.st_dev, status.st_ino
        self.size = status.st_size
        # mode=rw: a file that has gone is an error, never made anew
        self.database = sqlite3.connect(
            f"{path.as_uri()}?mode=rw",
            uri=True,
            isolation_level=None,
            timeout=BUSY_SECONDS,
            check_same_thread=False,  # only so that whichever thread ends last may close it
        )
        self.sync = ""
        self.synchronise("FULL")

    def synchronise(self, level: str) -> None:
        """How a commit reaches the disk: FULL before it returns, NORMAL with the next FULL one."""
        if level != self.sync and self.database is not None:
            self.database.execute(f"PRAGMA synchronous = {level}")
            self.sync = level

    def close(self) -> None:
        database, self.database = self.database, None
        if database is None:
            return
        if self.process == os.getpid():
            database.close()
        else:  # closing it here could write an old log over newer entries: keep it for ever
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(database))

    def __del__(self) -> None:
        self.close()


class Store:
    """The file at ``path``; equal paths are the same store in every process and thread."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(path))
        self._local = threading.local()

    def create(self, first: Draft) -> None:
        """Make the file with its first entry, whole or not at all; never over another file."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            leftover = Path(f"{self.path}{suffix}")
            if leftover.exists():
                cure = "open it, or choose another name" if not suffix else "move it away first"
                raise LedgerError(f"{leftover} already exists: {cure}")
        draft = Path(f"{self.path}.{os.getpid()}.{threading.get_ident()}.new")
        try:
            with self._errors():
                self._fill(draft, first)
                _place(draft, self.path)
                _sync_folder(self.path.parent)
        except FileExistsError:
            raise LedgerError(f"{self.path} already exists: open it, or choose another") from None
        finally:
            with suppress(OSError):
                draft.unlink()

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
            connection = self._connection()
            self._same_file(connection, writing=True)
            connection.synchronise("FULL" if durable else "NORMAL")
            database = _open(connection)
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
            self._same_file(connection)
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
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            self._local.connection = None
            with self._errors():
                connection.close()

    def _connection(self) -> _Connection:
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is not None and connection.process == os.getpid():
            return connection
        connection = _Connection(self.path, self._status())
        application = _open(connection).execute("PRAGMA application_id").fetchone()
        if application != (_APPLICATION,):
            connection.close()
            raise LedgerError(f"{self.path} is a database, but not a ledger; give another path")
        self._local.connection = connection
        return connection

    def _database(self) -> sqlite3.Connection:
        connection = self._connection()
        self._same_file(connection)
        return _open(connection)

    def _status(self) -> os.stat_result:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            raise missing(self.path) from None
        if not S_ISREG(status.st_mode):
            raise LedgerError(f"{self.path} is not a file; give the path of a ledger")
        return status

    def _same_file(self, connection: _Connection, *, writing: bool = False) -> None:
        """Refuse to go on in a file that was deleted, replaced or cut under an open connection."""
        status = self._status()
        if writing and not status.st_mode & 0o222:  # heeded for an administrator too
            raise read_only(self.path)
        if (status.st_dev, status.st_ino) != connection.file:
            raise LedgerError(f"{self.path} was replaced while it was in use; open it again")
        if status.st_size < connection.size:
            raise damaged(self.path, "the file became shorter")
        connection.size = status.st_size

    def _last(self, database: sqlite3.Connection) -> Entry:
        query = f"SELECT {_COLUMNS} FROM entries ORDER BY seq DESC LIMIT 2"
        rows = [_row(self.path, r) for r in database.execute(query)]
        if not rows:
            raise damaged(self.path, "it has no entries")
        last = rows[0]
        before = rows[1].head if len(rows) == 2 else GENESIS
        if last.head != chain(before, last.seq, _draft(last)):
            raise damaged(self.path, f"entry {last.seq} does not follow from those before")
        return last

    @contextmanager
    def _errors(self) -> Generator[None]:
        """Whatever goes wrong with the file becomes a LedgerError with its path and the cure."""
        try:
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


def _row(path: Path, found: Sequence[Any]) -> Entry:
    seq, time, kind, body, state, label, head = found
    try:
        return Entry(seq, time, kind, json.loads(body), json.loads(state), label, head)
    except (ValueError, TypeError):
        raise damaged(path, f"entry {seq} cannot be read") from None


def _draft(row: Entry) -> Draft:
    return Draft(row.kind, row.body, row.state, row.time, row.label)


def _open(connection: _Connection) -> sqlite3.Connection:
    if connection.database is None:
        raise sqlite3.ProgrammingError("the connection is closed")
    return connection.database


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
