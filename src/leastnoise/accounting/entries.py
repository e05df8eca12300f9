"""What a ledger's entries are made of: charges, receipts, and the state after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.accounting.budget import Balance, Numbers, add, from_text, to_text
from leastnoise.errors import LedgerError, ParameterError, ParameterTypeError
from leastnoise.guarantees import Guarantee

if TYPE_CHECKING:
    from leastnoise.accounting.store import Entry


class SchemaChangedWarning(UserWarning):
    """The columns of a table differ from those that its ledger knows under this name."""


@dataclass(frozen=True, slots=True)
class Charge:
    """A request for budget: the guarantees of the draws, and public details for the history.

    ``label`` finds the release again for ``reuse=True``.
    """

    draws: tuple[Guarantee, ...]
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was charged, where it stands in the ledger, and the head of the chain with it."""

    dataset: str
    table: str
    entry: int
    head: str
    charged: Balance
    time: str
    purpose: str | None
    label: str | None

    def to_dict(self) -> dict[str, Any]:
        """The mark that a record carries; ``Ledger.verify`` reads it."""
        return {
            "dataset": self.dataset,
            "table": self.table,
            "entry": self.entry,
            "head": self.head,
            "charged": self.charged.to_dict(),
            "purpose": self.purpose,
            "from_cache": False,
        }


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def parse_name(value: object, name: str) -> str:
    """A non-blank text."""
    if not isinstance(value, str):
        raise ParameterTypeError(f"{name} must be text, not {type(value).__name__}")
    if not value.strip():
        raise ParameterError(f"{name} must not be blank")
    return value


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
