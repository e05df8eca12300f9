"""The one door of every release: charge, then draw, then store the records, in this order.

Sessions, estimators, black boxes, sparse vectors and scores all go through ``pay``. Sessions call
``charged_release``, which serves a statistic again from the ledger or pays for it and draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from leastnoise import randomness
from leastnoise.accounting.entries import Charge, Receipt, stays_charged
from leastnoise.frames.table import split
from leastnoise.record import Release

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger
    from leastnoise.frames import Table
    from leastnoise.guarantees import Guarantee
    from leastnoise.session.checking import Source
    from leastnoise.session.kinds.kind import Kind
    from leastnoise.session.prepare import StatisticPlan
    from leastnoise.summaries.subset import Subset

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class CallItem:
    """One statistic of a call, for all groups of the data."""

    kind: Kind
    label: str | None
    split: dict[str, str]
    marks: str = ""

    @property
    def plan(self) -> StatisticPlan:
        """The statistic on its table."""
        return self.kind.plan

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of the answers of one group."""
        return self.kind.epsilon

    @property
    def draws(self) -> tuple[Guarantee, ...]:
        """The strongest guarantees of the independent draws of one group."""
        return self.kind.promised

    @property
    def times(self) -> int:
        """How many of the groups one unit of privacy can change."""
        return self.plan.subset.times(self.plan.relation)

    @property
    def headline(self) -> Guarantee:
        """The guarantee of the answer of one group, as the mechanism states it."""
        shares = len(self.draws)
        one = self.kind.mechanism.guarantee(self.epsilon / shares, self.draws[0].scope)
        if shares == 1:
            return one
        from leastnoise.accounting import basic  # only where something is added up

        return basic([one] * shares, allow_random=True)

    @property
    def charged(self) -> tuple[Guarantee, ...]:
        """The draws that the budget pays for: those of as many groups as one unit can change."""
        return self.draws * self.times

    def charge(self) -> Charge:
        """The request for budget, with public details for the history."""
        from leastnoise.accounting import basic  # beside a ledger it is loaded anyway

        subset = self.plan.subset
        details: dict[str, Any] = {
            "statistic": self.plan.statistic.name,
            "column": self.plan.request.column,
            "mechanism": self.kind.mechanism.name,
            "guarantee": basic([self.headline] * self.times, allow_random=True).to_dict(),
        }
        if subset.where is not None:
            details["where"] = str(subset.where)
        if subset.keys is not None:
            details |= {"by": list(subset.keys.columns), "groups": subset.groups}
        return Charge(self.charged, details, self.label)


def charges(draws: Sequence[Guarantee], details: Mapping[str, Any]) -> Iterator[Charge]:
    """The charge of one answer, made only if a ledger asks for it."""
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
    """Write the charges to disk, call ``draw``, store its records, and return its result.

    Private data may be read once the charge is written, and nothing is refunded after that. If an
    engine, the disk or an interrupt fails the release, the error notes what stays charged.

    Parameters
    ----------
    ledger, charges, table, purpose
        The charges, which are made together or not at all, and what the history says of them.
        Without a ledger, and in a simulation, nothing is charged.
    draw
        Reads the data and draws. It gets one receipt for each charge, none if nothing is charged.
    kept
        Turns the result of ``draw`` into one stored record for each charge, for ``reuse=True``.
    """
    if ledger is None or randomness.simulating():
        return draw(())
    receipts = ledger.charge(list(charges), table=table, purpose=purpose)
    try:
        made = draw(receipts)
        ledger.record(list(zip(receipts, kept(made), strict=True)))
    except BaseException as error:
        if receipts:
            error.add_note(stays_charged(receipts))
        raise
    return made


def stamped(record: Release, receipts: Sequence[Receipt]) -> Release:
    """The record with its charge, if there was one."""
    if not receipts:
        return record
    return replace(record, tracked=tracked_by(receipts[0]), ledger=receipts[0].to_dict())


def tracked_by(receipt: Receipt) -> str:
    """The text of a record about its charge."""
    return f"charged to the ledger of {receipt.dataset!r} as entry {receipt.entry}"


def charged_release(
    source: Source,
    requests: Mapping[str, CallItem],
    purpose: str | None,
    reuse: bool,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Sequence[Release]]:
    """Release all statistics of a call, charged together or not at all before a value is read.

    ``progress`` is called after each statistic with the number done and the number of all.
    """
    ledger = None if randomness.simulating() else source.ledger
    found: dict[str, Sequence[Release] | None] = {}
    if ledger is not None and reuse:
        found = {name: _cached(ledger, one) for name, one in requests.items()}
    fresh = {name: one for name, one in requests.items() if found.get(name) is None}
    if ledger is not None:
        _check_reach(fresh)
    drawn = pay(
        ledger,
        (one.charge() for one in fresh.values()),
        partial(_drawn, fresh, progress),
        lambda drawn: [*map(_stored, drawn.values())],
        table=source.table,
        purpose=purpose,
    )
    return {name: drawn[name] if name in drawn else found[name] or [] for name in requests}


def _check_reach(requests: Mapping[str, CallItem]) -> None:
    """Refuse, before the charge, a file or connection that has gone since it was opened."""
    last: Table | None = None
    for table in (one.plan.table for one in requests.values()):
        if table is not last:
            table.check_reach()
        last = table


def _drawn(
    requests: Mapping[str, CallItem],
    progress: Callable[[int, int], None] | None,
    receipts: Sequence[Receipt],
) -> dict[str, Sequence[Release]]:
    """Divide the rows once for all statistics of a subset, then read, draw and fill in the records.

    One division serves them all: given which rows of a person were drawn, every answer is private,
    and their epsilons add up as they do without persons. Statistics of one subset are adjacent.
    """
    paid = dict(zip(requests, receipts, strict=False))
    divided: tuple[Table, Subset, Sequence[Table]] | None = None
    found: dict[str, Sequence[Release]] = {}
    for name, one in requests.items():
        whole, subset = one.plan.table, one.plan.subset
        if divided is None or divided[0] is not whole or divided[1] is not subset:
            # a search for the rows or groups of persons divides the table itself
            parts = [whole] if subset.searches else split(whole, subset, randomness.active())
            divided = whole, subset, parts
        records = one.kind.records(one.kind.draw(divided[2]))
        found[name] = _completed(one, records, paid.get(name))
        if progress is not None:
            with suppress(Exception):  # a progress bar that fails must not cost the answer
                progress(len(found), len(requests))
    return found


def _completed(
    one: CallItem, records: Sequence[Release], receipt: Receipt | None
) -> Sequence[Release]:
    """Fill in what the records say besides their values: the same for all groups except the key."""
    subset = one.plan.subset
    added: dict[str, Any] = {"guarantee": one.headline, "draws": one.draws, "split": one.split}
    if subset.where is not None:
        added["where"] = str(subset.where)
    if subset.unit is not None and subset.searched is None:
        added["max_rows"] = subset.unit.max_rows
    if receipt is not None:
        added |= {"tracked": tracked_by(receipt), "ledger": receipt.to_dict()}
    notes = (one.marks,) if one.marks else ()
    if subset.keys is None:
        return [replace(r, **added, notes=(*r.notes, *notes)) for r in records]
    from leastnoise.record.records import GroupRecords  # for groups alone

    drawn = records if isinstance(records, GroupRecords) else GroupRecords(records)
    return drawn.completed(added, notes).of_groups(subset.keys.columns, list(subset.keys.keys()))


def _stored(records: Sequence[Release]) -> Mapping[str, Any]:
    """The record that the ledger stores for one charge."""
    from leastnoise.record.records import GroupRecords  # for groups alone

    return records.stored() if isinstance(records, GroupRecords) else records[0].to_dict()


def _cached(ledger: Ledger, one: CallItem) -> Sequence[Release] | None:
    """The stored release of the same request, marked as such, with identical values."""
    stored = None if one.label is None else ledger.stored(one.label)
    if stored is None:
        return None
    entry, kept = stored
    tracked = f"from cache: entry {entry} of the ledger of {ledger.dataset!r}, at no new charge"
    own: dict[str, Any] = {"tracked": tracked, "split": one.split}
    if one.plan.subset.keys is None:
        return [_again(Release.from_dict(kept), own)]
    from leastnoise.record.records import GroupRecords  # for groups alone

    return GroupRecords.read(kept, partial(_again, own=own))


def _again(record: Release, own: Mapping[str, Any]) -> Release:
    """A stored record, marked as taken from the ledger."""
    return replace(record, **own, ledger={**(record.ledger or {}), "from_cache": True})
