"""The one door of every release: charge, then draw, then keep the records, in this order.

Sessions, estimators, black boxes, sparse vectors and scores all come through ``pay``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from leastnoise import randomness

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger
    from leastnoise.accounting.entries import Charge, Receipt
    from leastnoise.guarantees import Guarantee
    from leastnoise.record import Release

Made = TypeVar("Made")


def charges(draws: Sequence[Guarantee], details: Mapping[str, Any]) -> Iterator[Charge]:
    """The charge of one answer; made if there is a ledger to charge."""
    from leastnoise.accounting.entries import Charge

    yield Charge(tuple(draws), dict(details))


def pay(
    ledger: Ledger | None,
    charges: Iterable[Charge],
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
        What is charged, together or not at all, and what the history says of it. Without a ledger,
        and in a simulation, nothing is charged.
    draw
        Reads the data and draws, given one receipt a charge; none where nothing is charged.
    kept
        From what was drawn to one record a charge, for ``reuse=True``.
    """
    if ledger is None or randomness.simulating():
        return draw(())
    receipts = ledger.charge(list(charges), table=table, purpose=purpose)
    try:
        made = draw(receipts)
        ledger.record(list(zip(receipts, kept(made), strict=True)))
    except BaseException as error:
        if receipts:
            error.add_note(_stays_charged(receipts))
        raise
    return made


def stamped(record: Release, receipts: Sequence[Receipt]) -> Release:
    """A record with its charge, if there was one."""
    if not receipts:
        return record
    return replace(record, tracked=tracked_by(receipts[0]), ledger=receipts[0].to_dict())


def tracked_by(receipt: Receipt) -> str:
    """What a record says of its charge."""
    return f"charged to the ledger of {receipt.dataset!r} as entry {receipt.entry}"


def _stays_charged(receipts: Sequence[Receipt]) -> str:
    amounts = "; ".join(f"{one.charged} as entry {one.entry}" for one in receipts)
    return (
        f"Charged to the ledger of {receipts[0].dataset!r} before this, and not refunded because "
        f"private data may have been read: {amounts}. Nothing was released, and the same request "
        "will be charged again"
    )
