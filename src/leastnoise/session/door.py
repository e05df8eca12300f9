"""The door of a ledger: charge, then draw, then keep the records, in this order and no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger
    from leastnoise.accounting.entries import Charge, Receipt

Made = TypeVar("Made")


def pay(
    ledger: Ledger,
    charges: Sequence[Charge],
    draw: Callable[[Sequence[Receipt]], Made],
    kept: Callable[[Made], Sequence[Mapping[str, Any]]],
    *,
    table: str,
    purpose: str | None = None,
) -> Made:
    """What ``draw`` gives, after its charges are on disk and once its records are kept.

    From the charge on private data may be opened, and nothing is refunded. Whatever fails then, be
    it an engine, the disk or an interrupt, carries a note of what stays charged.

    Parameters
    ----------
    ledger, charges, table, purpose
        What is charged, together or not at all, and what the history says of it.
    draw
        Reads the data and draws, given one receipt a charge.
    kept
        From what was drawn to one record a charge, for ``reuse=True``.
    """
    receipts = ledger.charge(charges, table=table, purpose=purpose)
    try:
        made = draw(receipts)
        ledger.record(list(zip(receipts, kept(made), strict=True)))
    except BaseException as error:
        if receipts:
            error.add_note(_stays_charged(receipts))
        raise
    return made


def tracked_by(receipt: Receipt) -> str:
    """What a record says of its charge."""
    return f"charged to the ledger of {receipt.dataset!r} as entry {receipt.entry}"


def _stays_charged(receipts: Sequence[Receipt]) -> str:
    amounts = "; ".join(f"{one.charged} as entry {one.entry}" for one in receipts)
    return (
        f"Charged to the ledger of {receipts[0].dataset!r} before this, and not refunded because "
        f"private data may have been opened: {amounts}. Nothing was released, and the same request "
        "will be charged again"
    )
