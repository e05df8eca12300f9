"""The history of a ledger for people and other programs: lines of charges, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from leastnoise.accounting.budget import Balance, balance, from_text
from leastnoise.record.flat import plain_text
from leastnoise.record.release import strict_json

if TYPE_CHECKING:
    from leastnoise.accounting.store import Entry

_NUMBERS: Final = ("epsilon", "delta", "rho", "gamma", "beta")
_HEADER: Final = (
    "entry",
    "time",
    "table",
    "statistic",
    "column",
    "mechanism",
    *_NUMBERS,
    "purpose",
    "released",
    "head",
)


@dataclass(frozen=True, slots=True)
class ChargeLine:
    """One charge. ``released`` is False where no result was recorded: it was charged all the same.

    That happens when a process ends between the charge and the record.
    """

    entry: int
    time: str
    table: str
    statistic: str
    column: str | None
    mechanism: str
    charged: Balance
    purpose: str | None
    released: bool
    head: str


def charge_lines(entries: Sequence[Entry]) -> tuple[ChargeLine, ...]:
    """The charges among the entries."""
    released = {entry.body["charge"] for entry in entries if entry.kind == "release"}
    return tuple(
        ChargeLine(
            entry.seq,
            entry.time,
            entry.body["table"],
            entry.body.get("statistic", ""),
            entry.body.get("column"),
            entry.body.get("mechanism", ""),
            balance(from_text(entry.body["charged"])),
            entry.body["purpose"],
            entry.seq in released,
            entry.head,
        )
        for entry in entries
        if entry.kind == "charge"
    )


def export_json(entries: Sequence[Entry], *, indent: int | None) -> str:
    """All entries with all of their fields, and the sums on top."""
    first, last = entries[0].body, entries[-1]
    data: dict[str, Any] = {
        "dataset": first["dataset"],
        "budget": {**first["budget"], **last.state["budget"]},
        "spent": last.state["spent"],
        "head": last.head,
        "entries": [
            {
                "entry": entry.seq,
                "time": entry.time,
                "kind": entry.kind,
                "body": entry.body,
                "state": entry.state,
                "label": entry.label,
                "head": entry.head,
            }
            for entry in entries
        ],
    }
    return strict_json(data, indent)


def export_csv(entries: Sequence[Entry]) -> str:
    """One line a charge; numbers as exact text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for line in charge_lines(entries):
        numbers = line.charged.to_dict()
        cells = (
            line.entry,
            line.time,
            line.table,
            line.statistic,
            line.column,
            line.mechanism,
            *(numbers.get(name, "") for name in _NUMBERS),
            line.purpose,
            "yes" if line.released else "no",
            line.head,
        )
        writer.writerow(map(plain_text, cells))
    return text.getvalue()
