"""Accounting: what follows from a guarantee, what several add up to, and the durable ledger.

Names are loaded at first use: SQLite and dp-accounting only where they are needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leastnoise.accounting.budget import Balance
    from leastnoise.accounting.composition import Bound, Composition, basic, compose, parallel
    from leastnoise.accounting.conversions import (
        LaplaceNoise,
        to_approx,
        to_bounded_range,
        to_pure,
        to_relation,
        to_zcdp,
    )
    from leastnoise.accounting.entries import Charge, Receipt, SchemaChangedWarning
    from leastnoise.accounting.ledger import Ledger

_ROOMS = {
    "budget": ("Balance",),
    "composition": ("Bound", "Composition", "basic", "compose", "parallel"),
    "conversions": (
        "LaplaceNoise",
        "to_approx",
        "to_bounded_range",
        "to_pure",
        "to_relation",
        "to_zcdp",
    ),
    "entries": ("Charge", "Receipt", "SchemaChangedWarning"),
    "ledger": ("Ledger",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'leastnoise.accounting' has no attribute {name!r}")
    value = getattr(import_module(f"leastnoise.accounting.{_HOME[name]}"), name)
    globals()[name] = value
    return value


__all__ = [
    "Balance",
    "Bound",
    "Charge",
    "Composition",
    "LaplaceNoise",
    "Ledger",
    "Receipt",
    "SchemaChangedWarning",
    "basic",
    "compose",
    "parallel",
    "to_approx",
    "to_bounded_range",
    "to_pure",
    "to_relation",
    "to_zcdp",
]
