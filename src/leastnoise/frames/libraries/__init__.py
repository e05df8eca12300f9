"""Columns that libraries hold in memory: one module for each, with the same functions in all.

Their contract is ``leastnoise.frames.contract``: what a library gives is read into arrays here and
nowhere else (``tools/check_modules.py``). Together the tables of ``FRONTS`` hold every type that is
read: ``FRONTS["polars"].accepted()`` gives those of Polars, and ``physical(dtype).reading`` how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise.frames.libraries import on_arrow, on_lists, on_numpy, on_pandas, on_polars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leastnoise.frames.contract import Front

FRONTS: Mapping[str, Front] = {
    "lists": on_lists,
    "numpy": on_numpy,
    "pandas": on_pandas,
    "polars": on_polars,
    "pyarrow": on_arrow,
}
"""The front ends by the library they read."""

__all__ = ["FRONTS"]
