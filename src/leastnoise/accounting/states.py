"""The state after each entry of a ledger, and that it follows from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.accounting.budget import Numbers, add, from_text, to_text
from leastnoise.errors import LedgerError
from leastnoise.guarantees import Guarantee

if TYPE_CHECKING:
    from leastnoise.accounting.store import Entry


def state(limit: Guarantee, spent: Numbers) -> dict[str, Any]:
    """What an entry says to hold after it."""
    return {"budget": to_text(limit.numbers()), "spent": to_text(spent)}


def spent_at(entry: Entry) -> dict[str, Fraction]:
    """What was spent after this entry."""
    return from_text(entry.state["spent"])


def check_sums(path: str, entries: Sequence[Entry]) -> None:
    """Check that every state follows from the one before it."""
    spent = dict.fromkeys(spent_at(entries[0]), Fraction(0))
    limit = from_text(entries[0].state["budget"])
    for entry in entries:
        if entry.kind == "charge":
            charged = add(spent, from_text(entry.body["charged"]))
            spent = {name: charged[name] for name in spent}
        elif entry.kind == "budget":
            limit = from_text(entry.body["to"])
        fits = all(spent[name] <= limit[name] for name in spent)
        if spent_at(entry) != spent or from_text(entry.state["budget"]) != limit or not fits:
            raise LedgerError(f"{path}: the sums of entry {entry.seq} are wrong; restore a backup")
