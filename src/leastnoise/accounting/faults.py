"""The errors of a ledger's file, with its path and the cure."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from leastnoise.errors import LedgerError

BUSY_SECONDS: Final = 60
"""How long a process waits for its turn."""


def missing(path: Path) -> LedgerError:
    """The file does not exist."""
    log = Path(f"{path}-wal")
    if log.exists():
        return LedgerError(
            f"there is no ledger at {path}, but its log {log.name} is there: the last charges may "
            "stand in it alone. Move the ledger back, open it once, and move both"
        )
    return LedgerError(
        f"there is no ledger at {path}. If it was moved, give its path or restore it from a "
        "backup; only Ledger.create or leastnoise budget --init makes a new one, because a new "
        "one would forget what was spent"
    )


def several_names(path: Path) -> LedgerError:
    """The file has hard links."""
    return LedgerError(
        f"{path} has other names (hard links). SQLite keeps a log for each name, so charges under "
        "one could be forgotten under another; nothing was charged. Remove the other names"
    )


def read_only(path: Path) -> LedgerError:
    """The file may not be written."""
    return LedgerError(
        f"{path} is read-only, so nothing can be charged to it and nothing was released; make it "
        "and its folder writable"
    )


def damaged(path: Path, what: str) -> LedgerError:
    """The file is not what this library wrote."""
    is_other = "is no ledger of leastnoise, or " if "not a database" in what else ""
    return LedgerError(
        f"{path} {is_other}is damaged: {what}. Nothing was released. Restore the newest backup and "
        "check it with leastnoise budget --verify and the latest record you have"
    )


def replaced(path: Path) -> LedgerError:
    """Another file has its name."""
    return LedgerError(f"{path} was replaced while it was in use; open it again")


def log_lost(path: Path, log: str) -> LedgerError:
    """The log of the file is another than the one that was opened."""
    return LedgerError(
        f"{log} was deleted or replaced while {path.name} was in use, so a charge would be "
        "forgotten. Nothing was released. End every program that uses the ledger, and check it "
        "with leastnoise budget --verify and the latest record you have"
    )


def put_back(path: Path, entry: int) -> LedgerError:
    """The file lacks entries that it held a moment ago."""
    return LedgerError(
        f"{path} was put back to an older copy while it was in use: entry {entry} is missing or "
        "another. Nothing was released. Restore the newest copy and check it with leastnoise "
        "budget --verify and the latest record you have"
    )


def unusable_here(path: Path) -> LedgerError:
    """This process has a connection to a ledger that it may neither use nor close."""
    return LedgerError(
        f"{path} cannot be used in this process: a connection to a ledger was open when the "
        "process was forked, or the ledger's files were replaced. Nothing was released; open the "
        "ledger in a new process"
    )


def explained(path: Path, error: sqlite3.Error) -> LedgerError:
    """The cure for what SQLite reports; its own words hold no data."""
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return LedgerError(
            f"{path} was busy for {BUSY_SECONDS} seconds: another process has locked it. Nothing "
            "was released; try again, or end that process"
        )
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return LedgerError(
            f"{path} could not be written ({error}): the disk is full or failing. Nothing was "
            "released; make room and try again"
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return LedgerError(
            f"{path} cannot be written ({error}); make the file and its folder writable"
        )
    return damaged(path, str(error))
