"""What can go wrong with a ledger's file, with its path and the cure."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from leastnoise.errors import LedgerError

BUSY_SECONDS: Final = 60
"""How long a process waits for its turn."""


def missing(path: Path) -> LedgerError:
    """There is no such file."""
    return LedgerError(
        f"there is no ledger at {path}. If it was moved, give its path or restore it from a "
        "backup; only Ledger.create or leastnoise budget --init makes a new one, because a new "
        "one would forget what was spent"
    )


def read_only(path: Path) -> LedgerError:
    """The file may not be written."""
    return LedgerError(
        f"{path} is read-only, so nothing can be charged to it and nothing was released; make it "
        "and its folder writable"
    )


def damaged(path: Path, what: str) -> LedgerError:
    """The file is not what this library wrote."""
    return LedgerError(
        f"{path} is damaged: {what}. Nothing was released. Restore the newest backup and check it "
        "with leastnoise budget --verify and the latest record you have"
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
