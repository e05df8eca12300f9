"""Accounting: what follows from a guarantee, what several add up to, and the durable ledger.

Names are loaded at first use: SQLite and dp-accounting only where they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

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

__getattr__ = lazy_names(
    __name__,
    {
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
    },
)

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
