"""A data set under a budget: check, charge, read, draw, record, in this order and no other."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast, overload

from leastnoise import randomness
from leastnoise.accounting.entries import Charge, Receipt, SchemaChangedWarning
from leastnoise.errors import LedgerError, ParameterError
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms import Mechanism
from leastnoise.params import parse_epsilon
from leastnoise.production import releasing
from leastnoise.record import Release, Releases
from leastnoise.session.prepare import Plan, choose_mechanism, plan
from leastnoise.session.promises import Statistic, parse_several, promised, split
from leastnoise.session.releases import draw_plan
from leastnoise.session.reuse import release_label

if TYPE_CHECKING:
    from leastnoise.accounting import Balance, Ledger
    from leastnoise.accounting.store import Entry


@dataclass(frozen=True, slots=True)
class _Ready:
    """A checked request: nothing can be refused any more but the budget."""

    prepared: Plan
    mechanism: Mechanism
    epsilon: Fraction
    draws: tuple[Guarantee, ...]
    label: str | None
    split: dict[str, str]

    @property
    def headline(self) -> Guarantee:
        """The guarantee in the words of the mechanism."""
        shares = len(self.draws)
        one = self.mechanism.guarantee(self.epsilon / shares, self.draws[0].scope)
        if shares == 1:
            return one
        from leastnoise.accounting import basic  # only where something is added up

        return basic([one] * shares, allow_random=True)

    def charge(self) -> Charge:
        """The request for budget, with public details for the history."""
        details = {
            "statistic": type(self.prepared.statistic).__name__,
            "column": self.prepared.request.column,
            "mechanism": self.mechanism.name,
            "guarantee": self.headline.to_dict(),
        }
        return Charge(self.draws, details, self.label)


class Session:
    """A data set with its ledger. Use it as a context manager; see ``leastnoise.open``."""

    __slots__ = (
        "_closed",
        "_data",
        "_missing",
        "_options",
        "_relation",
        "_schema",
        "ledger",
        "table",
    )

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a session holds private data and cannot be copied or pickled")

    def __init__(
        self,
        data: object,
        *,
        ledger: Ledger | None,
        table: str,
        relation: str,
        missing: object,
        schema: list[tuple[str, str]],
        options: dict[str, Any],
    ) -> None:
        self.ledger, self.table = ledger, table
        self._data, self._relation, self._missing = data, relation, missing
        self._schema, self._options, self._closed = schema, options, False
        if ledger is not None and not randomness.simulating():
            changed = ledger.know_table(table, self._schema)
            if changed is not None:
                warnings.warn(changed, SchemaChangedWarning, stacklevel=3)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session; the ledger file is closed for this thread."""
        self._closed = True
        if self.ledger is not None:
            self.ledger.close()

    def __repr__(self) -> str:
        return f"Session(table={self.table!r}, ledger={self.ledger!r})"

    @property
    def remaining(self) -> Balance:
        """What the ledger has left."""
        return self._tracked().remaining

    @property
    def spent(self) -> Balance:
        """What the ledger has spent, by exact basic sums."""
        return self._tracked().spent

    @property
    def history(self) -> tuple[Entry, ...]:
        """Every entry of the ledger, oldest first; empty without one."""
        return () if self.ledger is None else self.ledger.history

    def _tracked(self) -> Ledger:
        if self.ledger is None:
            raise LedgerError("this session has no ledger; open the data with ledger= and dataset=")
        return self.ledger

    def preview(
        self,
        statistic: object,
        epsilon: object,
        *,
        weights: object = None,
        mechanism: object = None,
    ) -> Balance:
        """What ``release`` with the same arguments would charge; nothing is read or charged."""
        ready = self._ready(statistic, epsilon, weights, mechanism)
        draws = [draw for one in ready.values() for draw in one.draws]
        if self.ledger is not None:
            return self.ledger.preview(draws)
        from leastnoise.accounting.budget import balance, cost
        from leastnoise.accounting.composition import basic

        headline = basic([one.headline for one in ready.values()], allow_random=True)
        return balance(cost([headline], headline))

    @overload
    def release(
        self,
        statistic: Mapping[str, object],
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Releases[str, Release]: ...

    @overload
    def release(
        self,
        statistic: Statistic,
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Release: ...

    def release(
        self,
        statistic: object,
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Release | Releases[str, Release]:
        """Publish one statistic, or several with epsilon split over them.

        Parameters are those of ``leastnoise.release``. All statistics of one call are charged
        together or not at all, before a value is read. Once charged, the budget stays spent
        whatever happens afterwards.
        """
        if self._closed:
            raise ParameterError("this session is closed; open the data again")
        if self.ledger is None and (reuse or purpose is not None):
            raise ParameterError("reuse= and purpose= need a ledger; give ledger= and dataset=")
        with releasing():
            ready = self._ready(statistic, epsilon, weights, mechanism)
            records = self._released(ready, purpose, reuse)
        if isinstance(statistic, Mapping):
            return Releases(records)
        return next(iter(records.values()))

    def _released(
        self, ready: Mapping[str, _Ready], purpose: str | None, reuse: bool
    ) -> dict[str, Release]:
        if randomness.simulating() or self.ledger is None:
            return {name: _drawn(one, None) for name, one in ready.items()}
        ledger = self.ledger
        records = {name: _cached(ledger, one) for name, one in ready.items()} if reuse else {}
        fresh = {name: one for name, one in ready.items() if records.get(name) is None}
        receipts = ledger.charge(
            [one.charge() for one in fresh.values()], table=self.table, purpose=purpose
        )
        # private data is opened below: from here on nothing is refunded
        drawn = {
            name: _drawn(one, receipt)
            for (name, one), receipt in zip(fresh.items(), receipts, strict=True)
        }
        ledger.record(
            [
                (receipt, record.to_dict())
                for receipt, record in zip(receipts, drawn.values(), strict=True)
            ]
        )
        found = {name: record for name, record in records.items() if record is not None}
        return {name: found[name] if name in found else drawn[name] for name in ready}

    def _ready(
        self, statistic: object, epsilon: object, weights: object, mechanism: object
    ) -> dict[str, _Ready]:
        """Everything that can be refused is refused here, for all statistics."""
        total = parse_epsilon(epsilon)
        if not isinstance(statistic, Mapping):
            if weights is not None:
                raise ParameterError("weights= is for several statistics, {'name': statistic, ...}")
            return {"": self._one(statistic, total, mechanism, {})}
        several = parse_several(cast("Mapping[object, object]", statistic))
        shares = split(total, list(several), weights)
        return {
            name: self._one(
                several[name],
                share,
                _mechanism_for(name, mechanism, several),
                {"epsilon": str(total), "share": str(share / total)},
            )
            for name, share in shares.items()
        }

    def _one(
        self, statistic: object, epsilon: Fraction, mechanism: object, parts: dict[str, str]
    ) -> _Ready:
        with releasing():
            prepared = plan(statistic, self._data, self._relation, self._missing, **self._options)
            chosen = choose_mechanism(mechanism, statistic, prepared.profile_relation)
            draws = promised(prepared, chosen, epsilon)
        label = None
        if self.ledger is not None:
            label = release_label(
                table=self.table,
                columns=self._schema,
                statistic=statistic,
                mechanism=chosen,
                epsilon=epsilon,
                relation=prepared.relation,
                missing=self._missing,
                options=self._options,
            )
        return _Ready(prepared, chosen, epsilon, draws, label, parts)


def _drawn(one: _Ready, receipt: Receipt | None) -> Release:
    """Read, draw, and complete the record."""
    record = draw_plan(one.prepared, one.mechanism, one.epsilon)
    added: dict[str, Any] = {"guarantee": one.headline, "draws": one.draws, "split": one.split}
    if receipt is not None:
        told = f"charged to the ledger of {receipt.dataset!r} as entry {receipt.entry}"
        added |= {"tracked": told, "ledger": receipt.to_dict()}
    return replace(record, **added)


def _cached(ledger: Ledger, one: _Ready) -> Release | None:
    """The stored release of the same request, with the identical value, marked as such."""
    stored = None if one.label is None else ledger.stored(one.label)
    if stored is None:
        return None
    entry, kept = stored
    record = Release.from_dict(kept)
    tracked = f"from cache: entry {entry} of the ledger of {ledger.dataset!r}, at no new charge"
    mark = {**(record.ledger or {}), "from_cache": True}
    return replace(record, tracked=tracked, ledger=mark, split=one.split)


def _mechanism_for(name: str, mechanism: object, names: Mapping[str, object]) -> object:
    if not isinstance(mechanism, Mapping):
        return mechanism
    given = cast("Mapping[object, object]", mechanism)
    unknown = [str(key) for key in given if key not in names]
    if unknown:
        raise ParameterError(f"mechanism names no statistic of this call: {', '.join(unknown)}")
    return given.get(name)
