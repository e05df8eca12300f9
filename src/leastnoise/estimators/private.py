"""What every private estimator shares: check, charge, read, draw, record, in this order."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.errors import ParameterError, quoted
from leastnoise.guarantees import Guarantee, Scope
from leastnoise.params import parse_relation, parse_total
from leastnoise.production import releasing
from leastnoise.record import Release, SimulatedRelease
from leastnoise.record.release import notes_of_epsilon
from leastnoise.session.door import charges, pay, stamped
from leastnoise.session.opening import open_ledger

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger


@dataclass(frozen=True, slots=True)
class Promise:
    """Checked parameters that every fit has in common."""

    epsilon: Fraction
    relation: str
    ledger: Ledger | None
    table: str

    @property
    def scope(self) -> Scope:
        """Whom the release protects."""
        return Scope(self.relation, "row")


def promise(epsilon: object, relation: str | None, ledger: object, dataset: str | None) -> Promise:
    """Check the parameters of privacy and open the ledger; nothing is charged yet."""
    parsed = parse_total(epsilon)
    opened, chosen = open_ledger(ledger, dataset, relation)
    return Promise(parsed, table_relation(chosen), opened, "main")


def refuse_weights(options: Mapping[str, object]) -> None:
    """``fit`` takes rows and targets only; ``sample_weight=None`` means no weights.

    Raises
    ------
    ParameterError
        If weights are given.
    TypeError
        For any other keyword, in Python's own words.
    """
    for name, value in options.items():
        if name != "sample_weight":
            raise TypeError(f"fit() got an unexpected keyword argument {name!r}")
        if value is not None:
            raise ParameterError(
                "sample_weight is not supported: a weight multiplies what one row can change, "
                "and noise is scaled to rows of weight 1. Omit it, or drop rows that should not "
                "count"
            )


def table_relation(relation: object) -> str:
    """A relation between tables of rows; "replace-one" where none is given."""
    chosen = parse_relation("replace-one" if relation is None else relation)
    if chosen not in ("replace-one", "add-remove", "edit"):
        raise ParameterError(
            'relation must be "replace-one", "add-remove" or "edit" for a regression: '
            f"{quoted(relation)}"
        )
    return chosen


def publish(
    promised: Promise,
    draws: tuple[Guarantee, ...],
    details: Mapping[str, Any],
    schema: Sequence[tuple[str, str]],
    draw: Callable[[], Release],
) -> Release:
    """Charge the ledger, then read and draw; once charged, nothing is refunded."""
    ledger = None if randomness.simulating() else promised.ledger
    if ledger is not None:
        from leastnoise.accounting.entries import SchemaChangedWarning

        changed = ledger.know_table(promised.table, list(schema))
        if changed is not None:
            warnings.warn(changed, SchemaChangedWarning, stacklevel=4)
    with releasing():
        return pay(
            ledger,
            charges(draws, details),
            lambda receipts: stamped(replace(draw(), draws=draws), receipts),
            lambda found: [found.to_dict()],
            table=promised.table,
        )


def record(promised: Promise, guarantee: Guarantee, **fields: Any) -> Release:
    """The record of a fit."""
    simulated = randomness.simulating()
    kind = SimulatedRelease if simulated else Release
    notes = (*fields.pop("notes", ()), *notes_of_epsilon(promised.epsilon))
    used = fields.pop("profile_relation", promised.relation)
    return kind(
        guarantee=guarantee,
        relation=promised.relation,
        profile_relation=used,
        n_public=used == "replace-one",
        notes=notes,
        secure=not simulated,
        **fields,
    )


def filled(rows: NDArray[np.float64], fill: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows to predict from, missing features at their public value."""
    return np.where(np.isnan(rows), fill, rows)
