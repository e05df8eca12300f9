"""The statistics of a call: those that are served again, and those that are paid for and drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from leastnoise import randomness
from leastnoise.frames.table import split
from leastnoise.record import Release
from leastnoise.session.door import pay, tracked_by

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger
    from leastnoise.accounting.entries import Receipt
    from leastnoise.frames import Table
    from leastnoise.session.checking import Query, Source
    from leastnoise.summaries.subset import Subset


def charged_release(
    source: Source,
    requests: Mapping[str, Query],
    purpose: str | None,
    reuse: bool,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, list[Release]]:
    """All statistics of a call: charged together or not at all, before a value is read.

    ``progress`` is told after each statistic how many are done, of how many.
    """
    ledger = None if randomness.simulating() else source.ledger
    found: dict[str, list[Release] | None] = {}
    if ledger is not None and reuse:
        found = {name: _cached(ledger, one) for name, one in requests.items()}
    fresh = {name: one for name, one in requests.items() if found.get(name) is None}
    if ledger is not None:
        _check_reach(fresh)
    drawn = pay(
        ledger,
        (one.charge() for one in fresh.values()),
        lambda receipts: _drawn(fresh, dict(zip(fresh, receipts, strict=False)), progress),
        lambda drawn: [_stored(fresh[name], records) for name, records in drawn.items()],
        table=source.table,
        purpose=purpose,
    )
    return {name: drawn[name] if name in drawn else found[name] or [] for name in requests}


def _check_reach(requests: Mapping[str, Query]) -> None:
    """What has gone since it was opened is found before the charge."""
    last: Table | None = None
    for table in (one.plan.table for one in requests.values()):
        if table is not last:
            table.check_reach()
        last = table


def _drawn(
    requests: Mapping[str, Query],
    receipts: Mapping[str, Receipt],
    progress: Callable[[int, int], None] | None,
) -> dict[str, list[Release]]:
    """Divide the rows once for all statistics of a subset, then read, draw, complete the records.

    One division serves them all: given which rows of a person were drawn, every answer is private,
    and the answers add up as they do without persons. Statistics of one subset follow each other.
    """
    divided: tuple[Table, Subset, list[Table]] | None = None
    found: dict[str, list[Release]] = {}
    for name, one in requests.items():
        whole, subset = one.plan.table, one.plan.subset
        if divided is None or divided[0] is not whole or divided[1] is not subset:
            # where a limit of persons is searched for, it comes first
            parts = [whole] if subset.searches else split(whole, subset, randomness.active())
            divided = whole, subset, parts
        records = one.kind.draw(divided[2])
        found[name] = _completed(one, records, receipts.get(name))
        if progress is not None:
            with suppress(Exception):  # a bar that cannot be shown costs no answer
                progress(len(found), len(requests))
    return found


def _completed(one: Query, records: list[Release], receipt: Receipt | None) -> list[Release]:
    """What the records say beside their values: the same for all groups but the key."""
    subset = one.plan.subset
    added: dict[str, Any] = {"guarantee": one.headline, "draws": one.draws, "split": one.split}
    if subset.where is not None:
        added["where"] = str(subset.where)
    if subset.unit is not None and subset.searched is None:
        added["max_rows"] = subset.unit.max_rows
    if receipt is not None:
        added |= {"tracked": tracked_by(receipt), "ledger": receipt.to_dict()}
    if one.marks:
        records = [replace(record, notes=(*record.notes, one.marks)) for record in records]
    if subset.keys is None:
        return [replace(record, **added) for record in records]
    columns = subset.keys.columns
    return [
        replace(record, **added, group=dict(zip(columns, key, strict=True)))
        for record, key in zip(records, subset.keys.keys(), strict=True)
    ]


def _stored(one: Query, records: list[Release]) -> dict[str, Any]:
    """What the ledger keeps of one charge."""
    if one.plan.subset.keys is None:
        return records[0].to_dict()
    return {"groups": [record.to_dict() for record in records]}


def _cached(ledger: Ledger, one: Query) -> list[Release] | None:
    """The stored release of the same request, with the identical values, marked as such."""
    stored = None if one.label is None else ledger.stored(one.label)
    if stored is None:
        return None
    entry, kept = stored
    tracked = f"from cache: entry {entry} of the ledger of {ledger.dataset!r}, at no new charge"
    records = [Release.from_dict(record) for record in kept.get("groups", [kept])]
    return [
        replace(
            record,
            tracked=tracked,
            ledger={**(record.ledger or {}), "from_cache": True},
            split=one.split,
        )
        for record in records
    ]
