"""The durable budget of one data set: charged before the draw, never refunded, never overspent."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NoReturn

from leastnoise._version import __version__
from leastnoise.accounting.anchors import Anchor, read_anchors
from leastnoise.accounting.budget import (
    Balance,
    add_all,
    balance,
    check_budget,
    check_fits,
    cost,
    to_text,
    zeros,
)
from leastnoise.accounting.conversions import check_loss
from leastnoise.accounting.entries import Charge, Receipt, now, stays_charged
from leastnoise.accounting.export import ChargeLine, charge_lines, export_csv, export_json
from leastnoise.accounting.states import check_sums, spent_at, state
from leastnoise.errors import LedgerError, ParameterError, ParameterTypeError
from leastnoise.guarantees import Guarantee, Scope, from_dict
from leastnoise.params import explained, parse_list, parse_name, parse_relation

if TYPE_CHECKING:
    from leastnoise.accounting.store import Draft, Entry, Store

FORMAT: Final = 1


class Ledger:
    """The budget of one data set, in one file, for any number of processes and threads.

    A ledger holds a path: copies, pickles and forked children are the same ledger. It has one
    relation and one unit of privacy, and its budget covers all tables about the same persons.
    ``Ledger.create`` makes the file, ``Ledger.open`` opens one.

    Notes
    -----
    Guarantee: a charge is on disk before ``charge`` returns, and the sum of all charges never
    exceeds the budget, whatever was asked by how many processes in which order. The sum is the
    exact basic sum of epsilon (and delta), or of rho, which stays valid when each release is chosen
    after seeing the ones before (a filter). There is no refund. Condition: the file is on a local
    disk, and nobody restores an older copy of it (``verify`` finds that out). Sources: docs/
    accounting.md and ``docs/decisions``.

    Examples
    --------
    >>> import os, tempfile
    >>> from leastnoise import PureDP
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "pay.db")
    >>> ledger = Ledger.create(path, dataset="pay-2026", budget=PureDP(2))
    >>> ledger.remaining.epsilon
    Fraction(2, 1)
    >>> ledger.close(); folder.cleanup()
    """

    __slots__ = ("_first", "_store")

    _store: Store
    _first: Entry | None

    def __init__(self, *_: object, **__: object) -> NoReturn:
        raise ParameterTypeError(
            "make a ledger by Ledger.create(path, dataset='pay', budget=PureDP(1)), and open one "
            "that exists by Ledger.open(path)"
        )

    @classmethod
    def _at(cls, path: str | os.PathLike[str]) -> Ledger:
        from leastnoise.accounting.store import Store

        if not isinstance(path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
            raise ParameterTypeError(f"path must be the path of a file, not {type(path).__name__}")
        ledger = object.__new__(cls)
        ledger._store, ledger._first = Store(path), None
        return ledger

    @classmethod
    @explained
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        dataset: str,
        budget: Guarantee,
        relation: str = "replace-one",
        unit: str | None = None,
    ) -> Ledger:
        """Make a new ledger; an existing file is never touched.

        Parameters
        ----------
        path
            A file on a local disk. SQLite keeps ``-wal`` and ``-shm`` files beside it while it is
            in use; they belong to it.
        dataset
            The declared name of the data set, the same in every release.
        budget
            What all releases together may spend: PureDP, ApproxDP, ZCDP or RandomDP.
        relation, unit
            Whom the budget protects, for every release in this ledger. Default unit: "edge" under
            relation "edge" (graphs), else "row".

        Raises
        ------
        ParameterError, ParameterTypeError
            If the name, budget, relation or unit is invalid.
        LedgerError
            If the file exists or cannot be written.
        """
        from leastnoise.accounting.store import Draft

        parsed = parse_relation(relation)
        if unit is None:
            unit = "edge" if parsed == "edge" else "row"
        scope = Scope(parsed, parse_name(unit, "unit"))
        limit = check_budget(budget, scope)
        body = {
            "format": FORMAT,
            "dataset": parse_name(dataset, "dataset"),
            "budget": limit.to_dict(),
            "version": __version__,
            "nonce": os.urandom(16).hex(),  # two ledgers never share a head
        }
        ledger = cls._at(path)
        ledger._store.create(Draft("create", body, state(limit, zeros(limit)), now()))
        return ledger

    @classmethod
    @explained
    def open(cls, path: str | os.PathLike[str]) -> Ledger:
        """Open a ledger and check all of its entries.

        Parameters
        ----------
        path
            The file.

        Raises
        ------
        ParameterTypeError
            If ``path`` is not a path.
        LedgerError
            If the file is missing, damaged or not a ledger. A ledger is never made by accident.
        """
        ledger = cls._at(path)
        ledger._first = ledger._store.entries()[0]
        if ledger._first.body.get("format") != FORMAT:
            raise LedgerError(
                f"{ledger.path} was written by a newer version of leastnoise; upgrade"
            )
        return ledger

    def __reduce__(self) -> tuple[Any, ...]:
        return _attach, (str(self._store.path),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self._store.path == other._store.path

    def __hash__(self) -> int:
        return hash(self._store.path)

    def __repr__(self) -> str:
        return f"Ledger({str(self._store.path)!r})"

    def close(self) -> None:
        """Close this thread's connection. The ledger stays usable."""
        self._store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # what it is

    @property
    def path(self) -> str:
        """The file."""
        return str(self._store.path)

    def _creation(self) -> Entry:
        if self._first is None:
            first = self._store.at(1)
            if first is None:
                raise LedgerError(f"{self.path} has no first entry; restore a backup")
            self._first = first
        return self._first

    @property
    def dataset(self) -> str:
        """The declared name of the data set."""
        return str(self._creation().body["dataset"])

    @property
    def scope(self) -> Scope:
        """Relation and unit of every release in it."""
        return from_dict(self._creation().body["budget"]).scope

    @property
    def budget(self) -> Guarantee:
        """What all releases together may spend, now."""
        return self._limit(self._store.last())

    @property
    def spent(self) -> Balance:
        """The exact basic sum of all charges: the odometer."""
        return balance(spent_at(self._store.last()))

    @property
    def remaining(self) -> Balance:
        """What is left."""
        last = self._store.last()
        limit, spent = self._limit(last).numbers(), spent_at(last)
        return balance({name: limit[name] - spent[name] for name in limit})

    @property
    def history(self) -> tuple[Entry, ...]:
        """Every entry, oldest first, checked against the hash chain."""
        return tuple(self._store.entries())

    @property
    def head(self) -> str:
        """The hash of the last entry, which stands for the whole history."""
        return self._store.last().head

    def _limit(self, entry: Entry) -> Guarantee:
        return from_dict({**self._creation().body["budget"], **entry.state["budget"]})

    # what changes it

    def preview(self, draws: Sequence[Guarantee]) -> Balance:
        """What a release with these draws would be charged.

        Parameters
        ----------
        draws : sequence of Guarantee
            Such as ``release.draws``.

        Raises
        ------
        ParameterTypeError
            If ``draws`` is not a list of guarantees.
        """
        draws = parse_list(draws, "draws", "guarantees")
        for draw in draws:
            check_loss(draw, "draws")
        return balance(cost(draws, self.budget))

    def charge(
        self, charges: Sequence[Charge], *, table: str = "main", purpose: str | None = None
    ) -> list[Receipt]:
        """Charge all of these or none, durably, before any of them is drawn.

        ``leastnoise.release`` and sessions call it; a mechanism of your own may.

        Parameters
        ----------
        charges : sequence of Charge
            From ``leastnoise.accounting.entries``: the draws of a release and what it says of it.
        table : str
            The name of the table that is read.
        purpose : str, optional
            The reason, for the history.

        Returns
        -------
        list of Receipt
            One a charge.

        Raises
        ------
        ParameterError, ParameterTypeError
            If ``table`` or ``purpose`` is not text.
        BudgetExceededError
            If the sum would exceed the budget; nothing was spent then.
        LedgerError
            If the guarantees do not fit the ledger, or its file cannot be written.
        """
        from leastnoise.accounting.store import Draft

        parse_name(table, "table")
        if purpose is not None:
            parse_name(purpose, "purpose")
        moment, costs = now(), list[dict[str, Fraction]]()
        made: list[Draft] = []
        first = 0

        def drafts(last: Entry) -> list[Draft]:
            nonlocal first
            first = last.seq + 1
            limit, spent = self._limit(last), spent_at(last)
            costs.extend(cost(one.draws, limit) for one in charges)
            # a refusal tells what all of them need; none of them fits worse by itself
            check_fits(spent, add_all(costs), limit, self.path)
            for one, each in zip(charges, costs, strict=True):
                spent = check_fits(spent, each, limit, self.path)
                body = {
                    **one.details,
                    "table": table,
                    "purpose": purpose,
                    "charged": to_text(each),
                    "draws": [draw.to_dict() for draw in one.draws],
                    "nonce": os.urandom(8).hex(),  # the same charge in two copies: two heads
                }
                made.append(Draft("charge", body, state(limit, spent), moment))
            return made

        def receipts(added: Sequence[Entry]) -> list[Receipt]:
            return [
                Receipt(
                    self.dataset, table, entry.seq, entry.head, balance(c), moment, purpose, q.label
                )
                for entry, c, q in zip(added, costs, charges, strict=True)
            ]

        try:
            return receipts(self._store.append(drafts))
        except BaseException as error:
            # an interrupt, or a file that is replaced, may come once all is on disk
            if first and len(made) == len(charges):
                written = self._written(first, made)
                if written is None:
                    error.add_note("Whether it was charged is not known: look at the history")
                elif written:
                    error.add_note(stays_charged(receipts(written)))
            raise

    def _written(self, first: int, drafts: Sequence[Draft]) -> list[Entry] | None:
        """The entries from this one on, if they were written; None if that is not known."""
        try:
            found = [self._store.at(first + i) for i in range(len(drafts))]
        except Exception:
            return None
        there = [one for one in found if one is not None]
        same = [one.body.get("nonce") for one in there] == [one.body["nonce"] for one in drafts]
        return there if same else []

    def record(self, releases: Sequence[tuple[Receipt, Mapping[str, Any]]]) -> None:
        """Keep releases beside their charges, at the charges' time: no duration is written.

        They survive the end of the process. A loss of power right after may lose them, never the
        charge: ``reuse=True`` then draws and charges again.

        Parameters
        ----------
        releases : sequence of pairs (Receipt, mapping)
            What ``charge`` gave, and ``release.to_dict()``.
        """
        from leastnoise.accounting.store import Draft

        kept = [
            ({"charge": receipt.entry, "record": dict(record)}, (receipt.time, receipt.label))
            for receipt, record in releases
        ]
        self._store.append(
            lambda last: [Draft("release", body, last.state, *x) for body, x in kept],
            durable=False,
        )

    def stored(self, label: str) -> tuple[int, dict[str, Any]] | None:
        """The charge's number and the record of the last release with this label, or None.

        Parameters
        ----------
        label : str
            Of the receipt.
        """
        entry = self._store.find(label)
        return None if entry is None else (entry.body["charge"], entry.body["record"])

    def note(self, text: str) -> None:
        """Add a remark, ``text``, to the history."""
        self._append("note", {"text": parse_name(text, "text")})

    def change_budget(self, budget: Guarantee, *, reason: str) -> None:
        """Set another budget of the same kind, not below what is spent. The history keeps both.

        Parameters
        ----------
        budget : PureDP, ApproxDP, ZCDP or RandomDP
            The new one.
        reason : str
            The reason, for the history.

        Raises
        ------
        ParameterError, ParameterTypeError
            If the budget is of another kind, or below what is spent.
        """
        from leastnoise.accounting.store import Draft

        why, limit = parse_name(reason, "reason"), check_budget(budget, self.scope)

        def drafts(last: Entry) -> list[Draft]:
            before, spent = self._limit(last), spent_at(last)
            if type(before) is not type(limit):
                raise ParameterError(
                    f"the budget is kept in {type(before).__name__}; give a budget of that kind"
                )
            if any(spent[name] > value for name, value in limit.numbers().items()):
                raise ParameterError(f"{balance(spent)} is already spent; give at least that")
            body = {"from": to_text(before.numbers()), "to": to_text(limit.numbers())}
            return [Draft("budget", {**body, "reason": why}, state(limit, spent), now())]

        self._store.append(drafts)

    def know_table(self, table: str, columns: Sequence[Sequence[str]]) -> str | None:
        """Keep the public schema of a table; a text if it differs from the one kept before.

        Parameters
        ----------
        table : str
            Which table of the same persons.
        columns : sequence of pairs (name, type)
            Names and declared types.
        """
        name, listed = parse_name(table, "table"), [list(pair) for pair in columns]
        label = f"table:{name}"
        known = self._store.find(label)
        if known is not None and known.body["columns"] == listed:
            return None
        self._append("table", {"table": name, "columns": listed}, label)
        if known is None:
            return None
        return (
            f"the columns of table {name!r} of data set {self.dataset!r} differ from those of "
            f"{known.time}. If this is another table of the same persons, name it with table=; if "
            "it is about other persons, it needs its own ledger"
        )

    def _append(self, kind: str, body: dict[str, Any], label: str | None = None) -> None:
        from leastnoise.accounting.store import Draft

        self._store.append(lambda last: [Draft(kind, body, last.state, now(), label)])

    # what shows it

    @property
    def charges(self) -> tuple[ChargeLine, ...]:
        """Every charge in the order made, with whether its release was recorded."""
        return charge_lines(self.history)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Strict JSON of the whole history, ``indent`` blanks a level (None: one line)."""
        return export_json(self.history, indent=indent)

    def to_csv(self) -> str:
        """One line a charge, with a header."""
        return export_csv(self.history)

    # what proves it

    def anchor(self) -> dict[str, Any]:
        """A small mark of the present state, to keep elsewhere: ``verify`` reads it later."""
        last = self._store.last()
        return Anchor(self.dataset, last.seq, last.head).to_dict()

    def verify(self, *evidence: object) -> int:
        """Check every page, every entry, every sum, and that the evidence is part of the history.

        Parameters
        ----------
        *evidence
            Records of releases, their JSON or dict form, anchors, or paths of JSON files with
            them. Any record that is later than a restored older copy exposes the copy.

        Returns
        -------
        int
            The number of entries.

        Raises
        ------
        LedgerError
            If anything does not fit; the message says what, and the cure.
        """
        self._store.check_pages()
        entries = self._store.entries()
        check_sums(self.path, entries)
        for anchor in read_anchors(evidence):
            anchor.check(self.path, self.dataset, {e.seq: e.head for e in entries})
        return len(entries)


def _attach(path: str) -> Ledger:
    return Ledger._at(path)  # pyright: ignore[reportPrivateUsage]  # pickles call it
