"""Accounting: conversion and composition of guarantees, and the durable ledger.

Names are loaded at first use: SQLite and dp-accounting only where they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.accounting.budget import Balance as Balance
    from leastnoise.accounting.composition import Bound as Bound
    from leastnoise.accounting.composition import Composition as Composition
    from leastnoise.accounting.composition import basic as basic
    from leastnoise.accounting.composition import compose as compose
    from leastnoise.accounting.composition import parallel as parallel
    from leastnoise.accounting.conversions import LaplaceNoise as LaplaceNoise
    from leastnoise.accounting.conversions import to_approx as to_approx
    from leastnoise.accounting.conversions import to_bounded_range as to_bounded_range
    from leastnoise.accounting.conversions import to_pure as to_pure
    from leastnoise.accounting.conversions import to_relation as to_relation
    from leastnoise.accounting.conversions import to_zcdp as to_zcdp
    from leastnoise.accounting.entries import Charge as Charge
    from leastnoise.accounting.entries import Receipt as Receipt
    from leastnoise.accounting.entries import SchemaChangedWarning as SchemaChangedWarning
    from leastnoise.accounting.ledger import Ledger as Ledger
else:
    __getattr__, __dir__, __all__ = lazy_names(
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
