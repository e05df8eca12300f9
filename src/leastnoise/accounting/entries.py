"""Charges and receipts, of which a ledger's entries are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leastnoise.accounting.budget import Balance
    from leastnoise.guarantees import Guarantee


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
    """What was charged, its place in the ledger, and the head of the hash chain."""

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


def stays_charged(receipts: Sequence[Receipt]) -> str:
    """The note of an error that comes after a charge."""
    amounts = "; ".join(f"{one.charged} as entry {one.entry}" for one in receipts)
    return (
        f"Charged to the ledger of {receipts[0].dataset!r} before this, and not refunded because "
        f"private data may have been read: {amounts}. Nothing was released, and the same request "
        "will be charged again"
    )


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
