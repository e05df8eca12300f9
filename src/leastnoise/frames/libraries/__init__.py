"""Columns that libraries hold in memory: one module for each, with the same functions in all.

Their contract is ``leastnoise.frames.contract``: what a library gives is read into arrays here and
nowhere else (``tools/check_modules.py``). Together the tables of ``FRONTS`` hold every type that is
read: ``FRONTS["polars"].accepted()`` gives those of Polars, and ``physical(dtype).reading`` how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.frames.libraries.every import FRONTS as FRONTS
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, {"every": ("FRONTS",)})
