"""The ledger of a black box's release: checked and charged before private data is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterError
from leastnoise.guarantees import Guarantee
from leastnoise.record import Release
from leastnoise.session.door import charges, pay, stamped
from leastnoise.session.opening import open_ledger

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger


@dataclass(frozen=True, slots=True)
class Charging:
    """A ledger, or none, for one release."""

    ledger: Ledger | None
    table: str
    purpose: str | None
    relation: str = "replace-one"

    @staticmethod
    def open(
        ledger: object, dataset: str | None, table: str, purpose: str | None, relation: str = ""
    ) -> Charging:
        """Open the ledger and check the declared name.

        Raises
        ------
        ParameterError, LedgerError
            As for ``leastnoise.open``.
        """
        if ledger is None and purpose is not None:
            raise ParameterError("purpose= needs a ledger; give ledger= and dataset=")
        opened, chosen = open_ledger(ledger, dataset, relation or None)
        return Charging(opened, table, purpose, chosen or "replace-one")

    def knows(self, estimate: str) -> bool:
        """Whether the ledger was charged for a release of this table with this very estimate.

        Another table is another database, for which a pair may be covered or not on its own.
        """
        if self.ledger is None:
            return False
        mark = (estimate, self.table)
        return any(
            (entry.body.get("estimate"), entry.body.get("table")) == mark
            for entry in self.ledger.history
        )

    def release(
        self, draws: Sequence[Guarantee], details: dict[str, Any], make: Callable[[], Release]
    ) -> Release:
        """The record that ``make`` gives, after its charge and with the mark of it."""
        found = pay(
            self.ledger,
            charges(draws, details),
            lambda receipts: stamped(make(), receipts),
            lambda record: [record.to_dict()],
            table=self.table,
            purpose=self.purpose,
        )
        if self.ledger is not None:
            self.ledger.close()
        return found
